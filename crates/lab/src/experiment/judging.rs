//! Experiments on judges: every reachable page is judged; no strategy is involved.

use std::path::Path;
use std::sync::Mutex;

use scenthound_judge::terms::{
    BackgroundCounts, Candidate, DocumentCounter, GenerateSettings, Generated, Overlap, RunCounts, generate,
};
use scenthound_judge::{Background, Calibrate, Combine, IdfTable, Judge, ModelKind, TermSets, TermSettings};
use scenthound_report::plot::{Axis, LineChart, Look, Point, Series};
use scenthound_report::table::{Cell, Column, Contest, Form, Owner, Table};
use scenthound_report::{Experiment, RunResult, stats};
use scenthound_types::text::{Stemming, StopList};

use super::measure::{Bench, Contender, cell, contender, judged};
use crate::error::LabError;
use crate::judges::wanted_text;
use crate::reach::reachable;
use crate::recorded::PageId;
use crate::score::f1_by_threshold;
use crate::session::LabEvent;
use crate::synthetic::Synthetic;
use crate::trained::shuffled;
use crate::trial::Trial;
use crate::webs::{synthetic, synthetic_name};

/// Relevance and label of every reachable page that counts, by judge. Reading a page costs more than judging it, so all judges
/// get each page at once.
fn judge_all(trial: &Trial, judges: &[&dyn Judge]) -> Vec<Vec<(f64, bool)>> {
    let mut judged = vec![Vec::new(); judges.len()];
    for page in reachable(trial.web.as_ref(), &trial.pages.seeds) {
        if trial.targets.uncounted.contains(&page) {
            continue;
        }
        let wanted = wanted_text(judges.iter().copied());
        let Some(parsed) = trial.web.page_with(page, wanted) else {
            continue;
        };
        let is_relevant = trial.pages.relevant.contains(&page);
        for (judge, judged) in judges.iter().zip(&mut judged) {
            judged.push((judge.judge(&parsed).relevance, is_relevant));
        }
    }
    judged
}

/// The most curves of single tasks in one figure.
const MOST_CURVES: usize = 10;

/// F1 by threshold.
type Curve = Vec<(f64, f64)>;

/// F1 at thresholds in hundredths, by judge.
fn f1_curves(trial: &Trial, judges: &[&dyn Judge]) -> Vec<Curve> {
    let thresholds = (0..=100).map(|step| f64::from(step) / 100.0);
    let judged = judge_all(trial, judges);
    judged
        .iter()
        .map(|judged| f1_by_threshold(judged, thresholds.clone()))
        .collect()
}

/// The best F1 of each list of terms and the threshold that gives it; `None` where there are no terms.
fn best_of_terms(trial: &Trial, all: &[Option<TermSettings>]) -> Result<Vec<Option<(f64, f64)>>, LabError> {
    let judges = all
        .iter()
        .flatten()
        .map(|terms| trial.term_judge(terms))
        .collect::<Result<Vec<_>, _>>()?;
    let judges: Vec<&dyn Judge> = judges.iter().map(|judge| judge.as_ref()).collect();
    let mut bests = f1_curves(trial, &judges).into_iter().map(|curve| best(&curve));
    Ok(all
        .iter()
        .map(|terms| terms.as_ref().and_then(|_| bests.next()))
        .collect())
}

/// The best F1 and the threshold that gives it; ties go to the lowest.
fn best(curve: &[(f64, f64)]) -> (f64, f64) {
    curve.iter().fold(
        (0.0, 0.0),
        |best, (threshold, f1)| if *f1 > best.1 { (*threshold, *f1) } else { best },
    )
}

/// How rare each term is among all reachable pages.
fn idf(trial: &Trial, terms: &TermSettings) -> Result<IdfTable, LabError> {
    let all: Vec<String> = terms.genre.iter().chain(&terms.content).cloned().collect();
    idf_of(trial, &all)
}

/// How rare each of these terms is among all reachable pages.
pub(super) fn idf_of(trial: &Trial, terms: &[String]) -> Result<IdfTable, LabError> {
    let mut counter = DocumentCounter::of_terms(terms, None)?;
    for page in reachable(trial.web.as_ref(), &trial.pages.seeds) {
        if let Some(page) = trial.web.page(page) {
            counter.add(&page.text, page.language);
        }
    }
    let counts = counter.counts(0);
    Ok(IdfTable::new(counts.documents, counts.terms)?)
}

/// The paper's best F1 on its five topics, in percent.
const PAPER_BEST: [(&str, f64, f64, f64); 5] = [
    ("data structures", 92.41, 77.99, 46.48),
    ("databases", 92.54, 78.86, 45.83),
    ("information retrieval", 100.0, 51.72, 23.26),
    ("job offers", 88.37, 34.62, 45.71),
    ("computer sales", 97.07, 71.05, 66.87),
];

pub fn thresholds(bench: &Bench<'_>) -> Result<Experiment, LabError> {
    let mut table = Table::new(vec![
        Column::words("task"),
        Column::new("separate", Form::Percent(1)).higher(),
        Column::new("at", Form::Decimals(2)),
        Column::new("separate, idf", Form::Percent(1)).higher(),
        Column::new("joint", Form::Percent(1)).higher(),
        Column::new("at", Form::Decimals(2)),
        Column::new("joint, idf", Form::Percent(1)).higher(),
        Column::new("lower of the two", Form::Percent(1)).higher(),
        Column::new("SVM-RBF", Form::Percent(1)).higher(),
    ]);
    let mut curves: [(&str, Vec<Curve>); 2] = [("separate", Vec::new()), ("joint", Vec::new())];
    let mut by_task: Vec<(String, Curve)> = Vec::new();
    for trial in &bench.trials {
        bench.lab.tell(LabEvent::JudgingFor {
            label: &trial.task.name,
        });
        let separate = trial.terms()?;
        let joint = TermSettings {
            sets: TermSets::Joint,
            ..separate.clone()
        };
        let weighted = TermSettings {
            idf: Some(idf(trial, &separate)?),
            ..separate.clone()
        };
        let joint_weighted = TermSettings {
            sets: TermSets::Joint,
            ..weighted.clone()
        };
        let lower = TermSettings {
            combine: Combine::Min,
            ..separate.clone()
        };
        let judges = [separate, joint, weighted, joint_weighted, lower]
            .iter()
            .map(|terms| trial.term_judge(terms))
            .collect::<Result<Vec<_>, _>>()?;
        let machine = bench
            .lab
            .trained_judge(trial, ModelKind::SvmRbf, Calibrate::default(), Stemming::None)
            .ok();
        let mut all: Vec<&dyn Judge> = judges.iter().map(|judge| judge.as_ref()).collect();
        all.extend(machine.as_ref().map(|judge| judge as &dyn Judge));
        let mut found = f1_curves(trial, &all).into_iter();
        let mut next = || found.next().unwrap_or_default();
        let (separate, joint) = (next(), next());
        let [with_idf, joint_idf, lower] = [next(), next(), next()].map(|curve| best(&curve).1);
        let machine = machine.map(|_| best(&next()).1);
        table.push(
            Owner::Ours,
            vec![
                Cell::from(format!("{}, {}", trial.task.name, trial.web_name).as_str()),
                Cell::number(best(&separate).1, None),
                Cell::number(best(&separate).0, None),
                Cell::number(with_idf, None),
                Cell::number(best(&joint).1, None),
                Cell::number(best(&joint).0, None),
                Cell::number(joint_idf, None),
                Cell::number(lower, None),
                machine.map_or_else(Cell::empty, |f1| Cell::number(f1, None)),
            ],
        );
        by_task.push((
            format!("{}, {}", trial.task.name, trial.web_name),
            separate.clone(),
        ));
        for ((_, curves), curve) in curves.iter_mut().zip([separate, joint]) {
            curves.push(curve);
        }
    }
    bench.lab.tell(LabEvent::StepEnded);
    table.contest = Contest::Rows;
    for (topic, separate, joint, machine) in PAPER_BEST {
        table.push(
            Owner::Paper,
            vec![
                Cell::from(format!("paper: {topic}").as_str()),
                Cell::number(separate / 100.0, None),
                Cell::empty(),
                Cell::empty(),
                Cell::number(joint / 100.0, None),
                Cell::empty(),
                Cell::empty(),
                Cell::empty(),
                Cell::number(machine / 100.0, None),
            ],
        );
    }
    let series = curves
        .iter()
        .enumerate()
        .map(|(place, (name, curves))| Series {
            name: (*name).to_owned(),
            look: Look::Contender(place),
            points: (0..=100)
                .map(|at| {
                    let values: Vec<f64> = curves.iter().filter_map(|curve| Some(curve.get(at)?.1)).collect();
                    Point {
                        x: at as f64 / 100.0,
                        y: stats::mean(&values),
                        error: Some(stats::standard_error(&values)).filter(|error| error.is_finite()),
                    }
                })
                .collect(),
        })
        .collect();
    Ok(Experiment::new(
        "Genre and content terms apart or together",
        "How well does similarity to the terms separate relevant pages from the others, at each threshold?",
    )
    .table(
        table,
        "Best F1 over all thresholds, on the reachable pages of each task.",
    )
    .figure(
        LineChart {
            title: "F1 by similarity threshold".to_owned(),
            x: Axis {
                title: "threshold".to_owned(),
                ..Axis::default()
            },
            y: Axis {
                title: "F1, mean over tasks".to_owned(),
                ..Axis::default()
            },
            series,
            ..LineChart::default()
        },
        "Mean over the tasks.",
    )
    .figure(
        LineChart {
            title: "F1 by similarity threshold, separate terms, by task".to_owned(),
            x: Axis {
                title: "threshold".to_owned(),
                ..Axis::default()
            },
            y: Axis {
                title: "F1".to_owned(),
                ..Axis::default()
            },
            series: by_task
                .into_iter()
                .take(MOST_CURVES)
                .enumerate()
                .map(|(place, (name, curve))| Series {
                    name,
                    look: Look::Contender(place),
                    points: curve
                        .into_iter()
                        .map(|(x, y)| Point { x, y, error: None })
                        .collect(),
                })
                .collect(),
            ..LineChart::default()
        },
        "One line per task.",
    )
    .note("The best threshold is chosen using the labels, for every judge alike, as in the paper.")
    .note("Other webs, other topics, other decades: only the order of the judges can be compared.")
    .note("SVM-RBF is trained on the task's example pages; the cell is empty if a task has too few."))
}

/// The terms in the order in which an expert might rank them: those found in most of the examples first.
fn by_relevance(trial: &Trial, terms: &[String]) -> Result<Vec<String>, LabError> {
    let mut counter = DocumentCounter::of_terms(terms, None)?;
    for page in trial.parsed(&trial.pages.positive) {
        counter.add(&page.text, page.language);
    }
    let counts = counter.counts(0);
    let mut ranked: Vec<(u64, usize, &String)> = terms
        .iter()
        .enumerate()
        .map(|(at, term)| (counts.terms.get(term).copied().unwrap_or_default(), at, term))
        .collect();
    ranked.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    Ok(ranked.into_iter().map(|(_, _, term)| term.clone()).collect())
}

/// The first of a list, by percentage, and at least one term.
fn share(list: &[String], percent: usize) -> Vec<String> {
    let kept = (list.len() * percent).div_ceil(100).max(1);
    list.iter().take(kept).cloned().collect()
}

pub fn fewer_terms(bench: &Bench<'_>) -> Result<Experiment, LabError> {
    let mut table = Table::new(vec![
        Column::words("terms kept"),
        Column::new("best F1", Form::Percent(1)).higher(),
        Column::new("best threshold", Form::Decimals(2)),
    ]);
    let kept = [
        (100, 100),
        (75, 100),
        (50, 100),
        (25, 100),
        (100, 75),
        (100, 50),
        (100, 25),
        (75, 75),
        (50, 50),
        (25, 25),
    ];
    let mut by_trial: Vec<Vec<Option<(f64, f64)>>> = Vec::new();
    for trial in bench.trials.iter().filter(|trial| trial.has_terms()) {
        bench.lab.tell(LabEvent::JudgingFor {
            label: &trial.task.name,
        });
        let all = trial.terms()?;
        let (by_genre, by_content) = (
            by_relevance(trial, &all.genre)?,
            by_relevance(trial, &all.content)?,
        );
        let fewer = kept.map(|(genre, content)| {
            Some(TermSettings {
                genre: share(&by_genre, genre),
                content: share(&by_content, content),
                ..all.clone()
            })
        });
        by_trial.push(best_of_terms(trial, &fewer)?);
    }
    for (row, (genre, content)) in kept.into_iter().enumerate() {
        let label = format!("{genre} % genre, {content} % content");
        let bests: Vec<(f64, f64)> = by_trial
            .iter()
            .filter_map(|of_trial| of_trial.get(row).copied().flatten())
            .collect();
        let f1: Vec<f64> = bests.iter().map(|(_, f1)| *f1).collect();
        let at: Vec<f64> = bests.iter().map(|(threshold, _)| *threshold).collect();
        let number = |values: &[f64]| {
            Cell::number(
                stats::mean(values),
                Some(stats::standard_error(values)).filter(|error| error.is_finite()),
            )
        };
        table.push(
            Owner::Ours,
            vec![Cell::from(label.as_str()), number(&f1), number(&at)],
        );
    }
    bench.lab.tell(LabEvent::StepEnded);
    Ok(Experiment::new(
        "Fewer terms",
        "How much is lost with 75, 50 or 25 % of the terms of either kind?",
    )
    .table(table, "Mean over the tasks that have terms, ± standard error.")
    .note("The paper: with fewer terms the best threshold rises, and content terms matter more than genre terms.")
    .note("The paper cuts its lists by an expert's order of relevance. Here the terms found in most of the task's example pages are kept."))
}

/// How many pages of a genre a user names.
const GENRE_PAGES: usize = 30;

/// Pages of the task's genre on any other subject, as a user might collect them; none from a web that does not know genres.
fn genre_pages(trial: &Trial) -> Result<Vec<PageId>, LabError> {
    let (Some(name), Some(example)) = (
        synthetic_name(Path::new(&trial.web_name)),
        trial.pages.positive.first(),
    ) else {
        return Ok(Vec::new());
    };
    let web = synthetic(name)?;
    let genre = web.genre_of(example.0).map(str::to_owned);
    let is_other = |page: &PageId| {
        web.genre_of(page.0).map(str::to_owned) == genre
            && !trial.pages.relevant.contains(page)
            && !trial.pages.uncounted.contains(page)
    };
    let all = (0..web.ordinary_pages()).map(PageId).filter(is_other);
    let mut drawn = shuffled(trial, all);
    drawn.truncate(GENRE_PAGES);
    Ok(drawn)
}

/// Counts the runs of words of the genre: on pages of the genre on other subjects, or in the examples of other tasks with the
/// same genre and another subject, and of this one if there are none.
fn genre_counts(bench: &Bench<'_>, trial: &Trial) -> RunCounts {
    if let Ok(pages) = genre_pages(trial)
        && !pages.is_empty()
    {
        let mut counts = RunCounts::new(None);
        for page in trial.parsed(&pages) {
            counts.add(&page.text, page.language);
        }
        return counts;
    }
    let others = bench.trials.iter().filter(|other| {
        other.web_name == trial.web_name
            && other.task.name != trial.task.name
            && other.task.genre == trial.task.genre
    });
    let mut counts = RunCounts::new(None);
    for page in others.flat_map(|other| other.parsed(&other.pages.positive)) {
        counts.add(&page.text, page.language);
    }
    if counts.documents() == 0 {
        counts = relevant_counts(trial);
    }
    counts
}

fn relevant_counts(trial: &Trial) -> RunCounts {
    let mut counts = RunCounts::new(None);
    for page in trial.parsed(&trial.pages.positive) {
        counts.add(&page.text, page.language);
    }
    counts
}

/// Algorithm 2: genre terms from pages of the genre, then content terms from relevant pages without the genre terms.
fn algorithm_2(bench: &Bench<'_>, trial: &Trial, each: usize) -> Option<Generated> {
    let wanted = GenerateSettings {
        genre_terms: each,
        content_terms: each,
        ..GenerateSettings::plain()
    };
    generate(
        &genre_counts(bench, trial),
        &relevant_counts(trial),
        None,
        &wanted,
    )
    .ok()
}

/// The better half of generated terms, as an expert who knows the topic might pick it: those that set the examples apart from
/// the task's negative examples.
fn picked(bench: &Bench<'_>, trial: &Trial, each: usize) -> Option<Generated> {
    let (genre, relevant) = (genre_counts(bench, trial), relevant_counts(trial));
    let plain = algorithm_2(bench, trial, each)?;
    let mut background = BackgroundCounts::of(&[&genre, &relevant], None);
    for page in trial.parsed(&trial.pages.negative) {
        background.add(&page.text, page.language);
    }
    let all = GenerateSettings {
        genre_terms: usize::MAX,
        content_terms: usize::MAX,
        ..GenerateSettings::plain()
    };
    let contrasted = generate(&genre, &relevant, Some(&background), &all).ok()?;
    let half = |of: &[Candidate], ranked: &[Candidate]| -> Vec<Candidate> {
        let kept = ranked
            .iter()
            .filter(|candidate| of.iter().any(|term| term.tokens == candidate.tokens));
        kept.take(of.len().div_ceil(2)).cloned().collect()
    };
    let ranked: Vec<Candidate> = contrasted
        .genre
        .iter()
        .chain(&contrasted.content)
        .cloned()
        .collect();
    Some(Generated {
        genre: half(&plain.genre, &ranked),
        content: half(&plain.content, &ranked),
    })
}

/// Terms picked by contrast with the web at large, by pages rather than occurrences, and without inner runs: what `hound terms
/// generate` does unless told otherwise.
pub(super) fn by_default(bench: &Bench<'_>, trial: &Trial, each: usize) -> Option<Generated> {
    let (genre, relevant) = (genre_counts(bench, trial), relevant_counts(trial));
    let background = BackgroundCounts::at_large(&[&genre, &relevant], Background::shipped());
    let wanted = GenerateSettings {
        genre_terms: each,
        content_terms: each,
        ..GenerateSettings::default()
    };
    generate(&genre, &relevant, Some(&background), &wanted).ok()
}

/// The same by contrast with the task's negative examples, as with `--background`.
fn by_negatives(bench: &Bench<'_>, trial: &Trial, each: usize) -> Option<Generated> {
    let (genre, relevant) = (genre_counts(bench, trial), relevant_counts(trial));
    let mut background = BackgroundCounts::of(&[&genre, &relevant], None);
    for page in trial.parsed(&trial.pages.negative) {
        background.add(&page.text, page.language);
    }
    let wanted = GenerateSettings {
        genre_terms: each,
        content_terms: each,
        ..GenerateSettings::default()
    };
    (background.documents() > 0)
        .then(|| generate(&genre, &relevant, Some(&background), &wanted).ok())
        .flatten()
}

pub(super) fn spelled(list: &[Candidate]) -> Vec<String> {
    list.iter().map(|term| term.term.clone()).collect()
}

fn settings_of(made: &Generated) -> TermSettings {
    TermSettings {
        genre: spelled(&made.genre),
        content: spelled(&made.content),
        ..TermSettings::default()
    }
}

/// Makes terms for a trial, so many of either kind.
type Maker = fn(&Bench<'_>, &Trial, usize) -> Option<Generated>;

pub fn generated(bench: &Bench<'_>) -> Result<Experiment, LabError> {
    let sizes = [10, 20, 40];
    let makers: [(&str, Maker); 4] = [
        ("plain", algorithm_2),
        ("picked half", picked),
        ("contrast", by_default),
        ("against negatives", by_negatives),
    ];
    let mut columns = vec![Column::words("task")];
    for (name, _) in makers {
        for each in sizes {
            columns.push(Column::new(format!("{name}, {}", 2 * each), Form::Percent(1)).higher());
        }
    }
    columns.push(Column::new("the user's", Form::Percent(1)).higher());
    let mut table = Table::new(columns);
    let mut sums: Vec<Vec<f64>> = vec![Vec::new(); makers.len() * sizes.len() + 1];
    for trial in &bench.trials {
        bench.lab.tell(LabEvent::JudgingFor {
            label: &trial.task.name,
        });
        let mut all = Vec::new();
        for (_, make) in makers {
            all.extend(sizes.map(|each| make(bench, trial, each).map(|made| settings_of(&made))));
        }
        all.push(trial.has_terms().then(|| trial.terms()).transpose()?);
        let bests = best_of_terms(trial, &all)?;
        let values: Vec<Option<f64>> = bests.iter().map(|best| best.map(|(_, f1)| f1)).collect();
        for (sum, value) in sums.iter_mut().zip(&values) {
            sum.extend(value);
        }
        let mut row = vec![Cell::from(
            format!("{}, {}", trial.task.name, trial.web_name).as_str(),
        )];
        row.extend(
            values
                .into_iter()
                .map(|value| value.map_or_else(Cell::empty, |f1| Cell::number(f1, None))),
        );
        table.push(Owner::Ours, row);
    }
    let mut mean = vec![Cell::from("mean")];
    mean.extend(sums.iter().map(|values| {
        let error = stats::standard_error(values);
        Cell::number(stats::mean(values), error.is_finite().then_some(error))
    }));
    table.push(Owner::Ours, mean);
    table.contest = Contest::Rows;
    bench.lab.tell(LabEvent::StepEnded);
    Ok(Experiment::new(
        "Generated terms",
        "How good are terms extracted from example pages, compared with terms written by a person?",
    )
    .table(table, "Best F1 over all thresholds, by the number of terms, half of them genre terms.")
    .note("Plain is the paper's Algorithm 2: the most frequent runs of one to three words; genre terms from example pages of the same genre on other subjects, content terms from the relevant examples without the genre terms.")
    .note("A picked half stands in for an expert's pick: the half of the plain terms that sets the examples apart most from the negative examples.")
    .note("Contrast is what hound terms generate does by default: contrast with the built-in table of the web at large, document frequency, no run that only occurs inside a longer one. Against negatives is the same with --background and the task's negative examples.")
    .note("The paper: 50 to 86 % F1 with 10 to 40 generated terms; an expert's pick is mostly best."))
}

/// What was asked for, on a web that knows genre and topic of every page.
struct Kinds {
    web: Synthetic,
    genre: Option<String>,
    topic: Option<u16>,
}

/// The kinds of pages in Table 6, and how many of the first pages are looked at.
const KINDS: [&str; 4] = ["complete", "genre only", "content only", "neither"];
const LOOKED_AT: usize = 65;

impl Kinds {
    /// Genre and topic of the task's examples; none on a web that does not know them.
    fn of(trial: &Trial) -> Result<Option<Kinds>, LabError> {
        let (Some(name), Some(example)) = (
            synthetic_name(Path::new(&trial.web_name)),
            trial.pages.positive.first(),
        ) else {
            return Ok(None);
        };
        let web = synthetic(name)?;
        Ok(Some(Kinds {
            genre: web.genre_of(example.0).map(str::to_owned),
            topic: web.topic_of(example.0),
            web,
        }))
    }

    /// How many of the first pages are of each kind.
    fn count(&self, ranked: &[PageId]) -> [f64; 4] {
        let mut counts = [0.0; 4];
        for page in ranked.iter().take(LOOKED_AT) {
            let has_genre = self.web.genre_of(page.0) == self.genre.as_deref();
            let has_topic = self.web.topic_of(page.0) == self.topic;
            let kind = match (has_genre, has_topic) {
                (true, true) => 0,
                (true, false) => 1,
                (false, true) => 2,
                (false, false) => 3,
            };
            counts[kind] += 1.0;
        }
        counts
    }
}

fn kinds_table(contenders: &[Contender], by_kind: &[Vec<[f64; 4]>]) -> Table {
    let columns = KINDS.map(|kind| Column::new(kind, Form::Decimals(1)));
    let mut table = Table::new([vec![Column::words("judge, policy")], columns.to_vec()].concat());
    for (contender, counts) in contenders.iter().zip(by_kind) {
        let mut row = vec![Cell::from(contender.label.as_str())];
        row.extend((0..KINDS.len()).map(|kind| {
            let values: Vec<f64> = counts.iter().map(|counts| counts[kind]).collect();
            let error = stats::standard_error(&values);
            Cell::number(stats::mean(&values), error.is_finite().then_some(error))
        }));
        table.push(Owner::Ours, row);
    }
    for (label, counts) in [
        ("paper: reviews of televisions", [59.0, 2.0, 4.0, 0.0]),
        ("paper: reviews of MP3 players", [46.0, 9.0, 6.0, 4.0]),
    ] {
        let mut row = vec![Cell::from(label)];
        row.extend(counts.map(|count| Cell::number(count, None)));
        table.push(Owner::Paper, row);
    }
    table
}

/// Figure 11: precision by rank.
fn precision_by_rank(contenders: &[Contender], runs: &[Vec<RunResult>]) -> LineChart {
    let at = |run: &RunResult, rank: u32| {
        let found = run.precision_at.iter().find(|(k, _)| *k == rank);
        found.map(|(_, precision)| *precision)
    };
    let axis = |title: &str| Axis {
        title: title.to_owned(),
        ..Axis::default()
    };
    let series = contenders.iter().zip(runs).enumerate();
    LineChart {
        title: "Precision by rank".to_owned(),
        x: axis("pages ranked first"),
        y: axis("relevant among them, share"),
        series: series
            .map(|(place, (contender, runs))| Series {
                name: contender.label.clone(),
                look: Look::Contender(place),
                points: RANKS
                    .iter()
                    .filter_map(|rank| {
                        let values: Vec<f64> = runs.iter().filter_map(|run| at(run, *rank)).collect();
                        (!values.is_empty()).then(|| Point {
                            x: f64::from(*rank),
                            y: stats::mean(&values),
                            error: None,
                        })
                    })
                    .collect(),
            })
            .collect(),
        ..LineChart::default()
    }
}

/// The ranks of Table 6 and Figure 11.
const RANKS: [u32; 6] = [5, 10, 20, 50, 65, 100];

pub fn ranks(bench: &Bench<'_>) -> Result<Experiment, LabError> {
    let conditions = crate::conditions::Conditions {
        budget: bench.conditions.budget.or(Some(bench.pages(10_000))),
        ..bench.conditions.clone()
    };
    let contenders = vec![
        contender("terms, fs-2", "fs-2")?,
        judged("lower of the two, fs-2", "fs-2", "terms:combine=min")?,
        contender("terms, breadth-first", "breadth-first")?,
        contender("terms, random", "random")?,
    ];
    let kinds = bench
        .trials
        .iter()
        .map(Kinds::of)
        .collect::<Result<Vec<_>, _>>()?;
    let judged_by_kind: Mutex<Vec<Vec<[f64; 4]>>> = Mutex::new(vec![Vec::new(); contenders.len()]);
    let runs = bench.crawl_watched(&contenders, &conditions, &|contender, task, outcome| {
        if let Some(Some(kinds)) = kinds.get(task)
            && let Ok(mut by_kind) = judged_by_kind.lock()
            && let Some(of_contender) = by_kind.get_mut(contender)
        {
            of_contender.push(kinds.count(&outcome.first_ranked));
        }
    })?;
    let columns = RANKS.map(|rank| Column::new(format!("P@{rank}"), Form::Decimals(2)).higher());
    let mut table = Table::new([vec![Column::words("judge, policy")], columns.to_vec()].concat());
    for (contender, runs) in contenders.iter().zip(&runs) {
        let mut row = vec![Cell::from(contender.label.as_str())];
        row.extend(RANKS.map(|rank| {
            cell(runs, |run| {
                let at = run.precision_at.iter().find(|(k, _)| *k == rank);
                at.map_or(f64::NAN, |(_, precision)| *precision)
            })
        }));
        table.push(Owner::Ours, row);
    }
    let mut overlaps = Table::new(vec![
        Column::words("generated terms"),
        Column::new("genre: Dice", Form::Percent(1)).higher(),
        Column::new("content: Dice", Form::Percent(1)).higher(),
        Column::new("of the user's content terms", Form::Percent(1)).higher(),
    ]);
    let mut lists = Table::new(vec![
        Column::words("task"),
        Column::words("genre terms"),
        Column::words("content terms"),
    ]);
    let makers: [(&str, Maker); 3] = [
        ("plain, 40", algorithm_2),
        ("picked half of 40", picked),
        ("contrast, 40", by_default),
    ];
    for (name, make) in makers {
        let mut figures: [Vec<f64>; 3] = Default::default();
        for trial in bench.trials.iter().filter(|trial| trial.has_terms()) {
            let Some(made) = make(bench, trial, 20) else {
                continue;
            };
            let stop = StopList::default();
            let genre = Overlap::of(&trial.task.genre, &spelled(&made.genre), &stop);
            let content = Overlap::of(&trial.task.content, &spelled(&made.content), &stop);
            if let (Ok(genre), Ok(content)) = (genre, content) {
                let [dice_genre, dice_content, own] = &mut figures;
                dice_genre.push(genre.dice);
                dice_content.push(content.dice);
                own.push(content.of_first);
            }
            if name.starts_with("contrast") {
                let shown =
                    |list: &[Candidate]| spelled(list).into_iter().take(10).collect::<Vec<_>>().join(", ");
                lists.push(
                    Owner::Ours,
                    vec![
                        Cell::from(trial.task.name.as_str()),
                        Cell::from(shown(&made.genre).as_str()),
                        Cell::from(shown(&made.content).as_str()),
                    ],
                );
            }
        }
        let mut row = vec![Cell::from(name)];
        row.extend(figures.map(|values| {
            let error = stats::standard_error(&values);
            Cell::number(stats::mean(&values), error.is_finite().then_some(error))
        }));
        overlaps.push(Owner::Ours, row);
    }
    bench.lab.tell(LabEvent::StepEnded);
    let by_kind = judged_by_kind.into_inner().unwrap_or_default();
    let mut experiment = Experiment::new(
        "Precision at ranks, and generated lists",
        "How many of the pages ranked first are what was asked for? How much do generated terms have in common with a user's?",
    )
    .table(table, "Pages visited, ranked by the judge. Mean over the tasks, ± standard error.")
    .figure(precision_by_rank(&contenders, &runs), "Mean over the tasks.");
    if by_kind.iter().any(|of_contender| !of_contender.is_empty()) {
        experiment = experiment.table(
            kinds_table(&contenders, &by_kind),
            "The first 65 pages, as in the paper's Table 6: right in genre and content, in one of them, or in neither. Mean over the tasks, ± standard error.",
        );
    }
    Ok(experiment
    .table(overlaps, "Generated terms against the task's own. Dice is 2 · shared / (A + B). Mean over the tasks, ± standard error.")
    .table(lists, "The first ten terms generated by contrast.")
    .note("The paper: P@20 of 0.85 (databases), 0.93 (jobs) and 0.97 (sales) by three users after 10,000 visits; of the first 65 product reviews, 59 and 46 were complete. Feedback raised the mean overlap of two users' terms from 38.6 to 44.3 %.")
    .setting("budget", conditions.budget_in_words()))
}
