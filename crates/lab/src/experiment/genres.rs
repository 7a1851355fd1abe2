//! Experiments on genres: does it help to know where links on pages of a genre lead?
//!
//! Relevance is judged by naive Bayes, as in the paper, and the genre by a detector with the paper's nine features. On synthetic
//! webs, detector and table are learnt on a web of the same kind made with another seed, so nothing is learnt from the pages
//! that are crawled. On other webs the built-in detector is used, and no table is given.

use std::path::{Path, PathBuf};

use scenthound_judge::{DetectorKind, GenreTrainingSet, GenreTrainingSettings, GenreWords};
use scenthound_report::plot::{Axis, LineChart, Look, Point, Series, Spread};
use scenthound_report::table::{Cell, Column, Form, Owner, Table};
use scenthound_report::{Experiment, RunResult, stats};
use scenthound_strategy::PigTable;
use scenthound_types::Keyring;

use super::measure::{
    Bench, Contender, called, cell, contender, coverage, curve, curve_by_visits, harvest, ignorant,
};
use crate::conditions::Conditions;
use crate::error::LabError;
use crate::recorded::PageId;
use crate::session::LabEvent;
use crate::spec::JudgeSpec;
use crate::web::Web;
use crate::webs::{synthetic, synthetic_name};

/// The paper's judge. Its raw posterior is 0 or 1 on nearly every page, so the genre decides among the links of relevant pages.
/// Calibrated, relevance spreads out and outweighs it.
const JUDGE: &str = "bayes:calibrate=raw";

/// How many pages of another web a detector is trained on.
const TRAINING_PAGES: u32 = 1_500;

/// What was learnt on another web of the same kind.
struct Learnt {
    /// The genre detector: a file, or a built-in one by name.
    detector: Option<PathBuf>,
    /// The table of where links lead.
    table: Option<PathBuf>,
}

/// A judge for all crawls: the one asked for, or the paper's.
fn judge_of(bench: &Bench<'_>) -> Result<JudgeSpec, LabError> {
    match &bench.judge {
        Some(judge) => Ok(judge.clone()),
        None => JUDGE.parse(),
    }
}

/// Learns detectors and tables, one for each kind of web.
fn learn(bench: &Bench<'_>) -> Result<Vec<Learnt>, LabError> {
    let mut learnt = Vec::new();
    for (kind, _) in bench.kinds_of_webs() {
        let other = bench.other_webs.iter().find(|web| {
            let name = web.to_string_lossy();
            name.split('@').next() == Some(kind.as_str())
        });
        learnt.push(match other {
            Some(web) => learn_on(bench, &kind, web)?,
            None => Learnt {
                detector: bench.detector.as_ref().map(PathBuf::from),
                table: None,
            },
        });
    }
    Ok(learnt)
}

fn learn_on(bench: &Bench<'_>, kind: &str, path: &Path) -> Result<Learnt, LabError> {
    bench.lab.tell(LabEvent::JudgingFor { label: kind });
    let folder = bench.lab.work_folder()?;
    let name = format!("{:016x}", Keyring::new(0).hash(&path.to_string_lossy()));
    let detector = match &bench.detector {
        Some(given) => PathBuf::from(given),
        None => {
            let file = folder.join(format!("genre-{name}.model"));
            train_detector(path, &file)?;
            file
        }
    };
    let mut table = PigTable::new();
    for trial in bench.lab.open(path, &[])? {
        let named = detector.to_string_lossy();
        bench
            .lab
            .count_leads(&trial, &judge_of(bench)?, &named, &mut table)?;
    }
    let file = folder.join(format!("pig-{name}.toml"));
    std::fs::write(&file, table.to_toml()).map_err(|source| LabError::Write {
        path: file.clone(),
        source,
    })?;
    Ok(Learnt {
        detector: Some(detector),
        table: Some(file),
    })
}

/// Trains a detector with the paper's nine features on pages of a synthetic web, drawn evenly.
fn train_detector(path: &Path, file: &Path) -> Result<(), LabError> {
    let web = synthetic(synthetic_name(path).unwrap_or_default())?;
    let mut training = GenreTrainingSet::new(DetectorKind::Nine, GenreWords::paper());
    let pages = web.ordinary_pages();
    let every = (pages / TRAINING_PAGES).max(1) as usize;
    for page in (0..pages).step_by(every) {
        if let (Some(parsed), Some(genre)) = (web.page(PageId(page)), web.genre_of(page)) {
            let site = parsed.url.host().to_owned();
            training.push(&parsed, genre, &site);
        }
    }
    let trained = training.train(&GenreTrainingSettings::default())?;
    Ok(trained.save(file)?)
}

/// A crawl by genre with what was learnt on another web of the kind.
fn by_genre(
    label: &str,
    weight: f64,
    learnt: &Learnt,
    with_table: bool,
) -> Result<Option<Contender>, LabError> {
    let mut strategy = format!("genre:relevance-weight={weight}");
    if let Some(detector) = &learnt.detector {
        let is_built_in = DetectorKind::from_name(&detector.to_string_lossy()).is_some();
        let setting = if is_built_in {
            "genre-detector"
        } else {
            "genre-model"
        };
        strategy.push_str(&format!(":{setting}={}", detector.display()));
    }
    match (&learnt.table, with_table) {
        (Some(table), true) => strategy.push_str(&format!(":pig={}:pig-fixed=true", table.display())),
        (None, true) => return Ok(None),
        (_, false) => {}
    }
    contender(label, &strategy).map(Some)
}

/// The trials of one kind of web only.
fn of_kind<'l>(bench: &Bench<'l>, at: &[usize], judge: &JudgeSpec) -> Bench<'l> {
    Bench {
        lab: bench.lab,
        trials: at
            .iter()
            .filter_map(|at| bench.trials.get(*at).cloned())
            .collect(),
        conditions: bench.conditions.clone(),
        judge: Some(judge.clone()),
        detector: bench.detector.clone(),
        other_webs: Vec::new(),
        is_quick: bench.is_quick,
    }
}

pub fn weights(bench: &Bench<'_>) -> Result<Experiment, LabError> {
    let judge = judge_of(bench)?;
    let learnt = learn(bench)?;
    let mut experiment = Experiment::new(
        "The weight of relevance against that of genre",
        "Does it help to know how often links on pages of a genre lead to relevant pages?",
    );
    let steps: Vec<f64> = match bench.is_quick {
        true => (0..=10).rev().map(|step| f64::from(step) / 10.0).collect(),
        false => (0..=20).rev().map(|step| f64::from(step) / 20.0).collect(),
    };
    for ((kind, at), learnt) in bench.kinds_of_webs().iter().zip(&learnt) {
        let bench = of_kind(bench, at, &judge);
        let mut table = Table::new(vec![
            Column::words("weight of relevance"),
            Column::new("learnt table: auc30", Form::Decimals(4)).higher(),
            Column::new("auc100", Form::Decimals(4)).higher(),
            Column::new("counted online: auc30", Form::Decimals(4)).higher(),
            Column::new("auc100", Form::Decimals(4)).higher(),
        ]);
        let mut series = Vec::new();
        let mut curves = Vec::new();
        let mut rows: Vec<Vec<Cell>> = steps
            .iter()
            .map(|weight| vec![Cell::from(format!("{weight:.2}").as_str())])
            .collect();
        for (place, (name, with_table)) in [("learnt table", true), ("counted online", false)]
            .into_iter()
            .enumerate()
        {
            let mut contenders = Vec::new();
            for weight in &steps {
                contenders.extend(by_genre(&format!("{weight:.2}"), *weight, learnt, with_table)?);
            }
            if contenders.is_empty() {
                rows.iter_mut()
                    .for_each(|row| row.extend([Cell::empty(), Cell::empty()]));
                continue;
            }
            let runs = bench.crawl(&contenders, &bench.conditions)?;
            for (row, runs) in rows.iter_mut().zip(&runs) {
                row.extend([cell(runs, |run| run.auc30), cell(runs, |run| run.auc100)]);
            }
            curves.push(curve(
                &format!("Coverage by weight, {kind}, {name}"),
                "relevant pages found, share",
                &contenders,
                &runs,
                coverage,
            ));
            series.push(Series {
                name: name.to_owned(),
                look: Look::Contender(place),
                points: steps
                    .iter()
                    .zip(&runs)
                    .rev()
                    .map(|(weight, runs)| point(*weight, runs))
                    .collect(),
            });
        }
        for row in rows {
            table.push(Owner::Ours, row);
        }
        let unguided = ignorant()?;
        let runs = bench.crawl(&unguided, &bench.conditions)?;
        for (contender, runs) in unguided.iter().zip(&runs) {
            table.push(
                Owner::Ours,
                vec![
                    Cell::from(contender.label.as_str()),
                    cell(runs, |run| run.auc30),
                    cell(runs, |run| run.auc100),
                    Cell::empty(),
                    Cell::empty(),
                ],
            );
        }
        let chart = LineChart {
            title: format!("Area under the coverage curve by weight, {kind}"),
            x: Axis {
                title: "weight of relevance (w_R)".to_owned(),
                ..Axis::default()
            },
            y: Axis {
                title: "auc100".to_owned(),
                ..Axis::default()
            },
            spread: Spread::Band,
            series,
            ..LineChart::default()
        };
        experiment = experiment
            .table(
                table,
                &format!("{kind}: mean over webs and tasks, ± standard error. 1.00 is best-first."),
            )
            .figure(chart, "Mean ± one standard error.");
        for curves in curves {
            experiment = experiment.figure(
                curves,
                "One line per weight of relevance, mean over webs and tasks.",
            );
        }
    }
    Ok(experiment
        .note("The paper, in simulation: 0.95 best on baseball, 0.85 on gaming, and most weights below 1 ahead of 1.")
        .note("Detector and table are learnt on a web of the same kind made with another seed.")
        .note("To choose a weight without overfitting: hound lab tune --strategy genre --try relevance-weight=0:1:0.05"))
}

fn point(x: f64, runs: &[RunResult]) -> Point {
    let values: Vec<f64> = runs.iter().map(|run| run.auc100).collect();
    Point {
        x,
        y: stats::mean(&values),
        error: Some(stats::standard_error(&values)).filter(|error| error.is_finite()),
    }
}

/// The paper's harvest rates by the name of the web: best-first and genre.
const PAPER: [(&str, f64, f64); 2] = [("baseball", 0.718, 0.788), ("gaming", 0.658, 0.705)];

pub fn harvest_rates(bench: &Bench<'_>) -> Result<Experiment, LabError> {
    let judge = judge_of(bench)?;
    let learnt = learn(bench)?;
    let conditions = Conditions {
        budget: bench.conditions.budget.or(Some(bench.pages(10_000))),
        max_pages_per_host: bench.conditions.max_pages_per_host.or(Some(300)),
        ..bench.conditions.clone()
    };
    let mut experiment = Experiment::new(
        "Harvest with genre-weighted links",
        "How many of the pages fetched are relevant, with and without the genre of the page a link is on?",
    );
    for ((kind, at), learnt) in bench.kinds_of_webs().iter().zip(&learnt) {
        let bench = of_kind(bench, at, &judge);
        let mut contenders = vec![contender("best-first", "best-first")?];
        for weight in [0.95, 0.85, 0.7] {
            contenders.extend(by_genre(
                &format!("genre, w_R {weight}, learnt table"),
                weight,
                learnt,
                true,
            )?);
            contenders.extend(by_genre(
                &format!("genre, w_R {weight}, counted online"),
                weight,
                learnt,
                false,
            )?);
        }
        contenders.extend(ignorant()?);
        let runs = bench.crawl(&contenders, &conditions)?;
        let labels = |run: &RunResult| run.found as f64 / run.fetched.max(1) as f64;
        let judged = |run: &RunResult| run.called as f64 / run.fetched.max(1) as f64;
        let mut table = Table::new(vec![
            Column::words("strategy"),
            Column::new("harvest rate", Form::Percent(1)).higher(),
            Column::new("by the judge", Form::Percent(1)).higher(),
            Column::new("auc30", Form::Decimals(3)).higher(),
        ]);
        for (contender, runs) in contenders.iter().zip(&runs) {
            table.push(
                Owner::Ours,
                vec![
                    Cell::from(contender.label.as_str()),
                    cell(runs, labels),
                    cell(runs, judged),
                    cell(runs, |run| run.auc30),
                ],
            );
        }
        for (topic, plain, genre) in PAPER.iter().filter(|(topic, ..)| kind.contains(topic)) {
            for (label, rate) in [("best-first", plain), ("genre", genre)] {
                table.push(
                    Owner::Paper,
                    vec![
                        Cell::from(format!("paper: {topic}, {label}").as_str()),
                        Cell::empty(),
                        Cell::number(*rate, None),
                        Cell::empty(),
                    ],
                );
            }
        }
        experiment = experiment.table(
            table,
            &format!("{kind}, at the end of the budget; mean over webs and tasks, ± standard error."),
        );
        for (by, value) in [
            ("by the judge", called as fn(&RunResult, f64) -> f64),
            ("by the labels", harvest),
        ] {
            experiment = experiment.figure(
                curve_by_visits(
                    &format!("Harvest rate {by}, {kind}"),
                    "relevant among visited, share",
                    &contenders,
                    &runs,
                    value,
                ),
                "Mean over webs and tasks.",
            );
        }
        if let Some((plain, others)) = runs.split_first() {
            for (contender, runs) in contenders.iter().skip(1).zip(others) {
                let pairs: Vec<(f64, f64)> = runs
                    .iter()
                    .zip(plain)
                    .map(|(a, b)| (labels(a), labels(b)))
                    .collect();
                let Some(test) = stats::paired_t_test(&pairs) else {
                    continue;
                };
                experiment = experiment.note(format!(
                    "{kind}: {} against best-first on harvest rate: mean difference {:+.4}, t = {:.2}, one-tailed p = {:.3}, {} crawls.",
                    contender.label,
                    test.difference,
                    test.t,
                    test.p,
                    pairs.len()
                ));
            }
        }
    }
    Ok(experiment
        .note("At most 300 pages per host unless set otherwise. The paper's relevance is by the guiding classifier itself: compare the column \"by the judge\".")
        .note("Detector and table are learnt on a web of the same kind made with another seed.")
        .setting("budget", conditions.budget_in_words()))
}
