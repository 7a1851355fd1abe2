//! Experiments on judges: every reachable page is judged; no strategy is involved.

use scenthound_judge::terms::{DocumentCounter, GenerateSettings, RunCounts, generate};
use scenthound_judge::{IdfTable, Judge, ModelKind, TermSets, TermSettings};
use scenthound_report::plot::{Axis, LineChart, Look, Point, Series};
use scenthound_report::table::{Cell, Column, Contest, Form, Owner, Table};
use scenthound_report::{Experiment, stats};

use super::measure::Bench;
use crate::error::LabError;
use crate::reach::reachable;
use crate::score::f1_by_threshold;
use crate::session::LabEvent;
use crate::trial::Trial;

/// Relevance and label of every reachable page that counts.
fn judge_all(trial: &Trial, judge: &dyn Judge) -> Vec<(f64, bool)> {
    reachable(trial.web.as_ref(), &trial.pages.seeds)
        .into_iter()
        .filter(|page| !trial.targets.uncounted.contains(page))
        .filter_map(|page| {
            let parsed = trial.web.page(page)?;
            Some((
                judge.judge(&parsed).relevance,
                trial.pages.relevant.contains(&page),
            ))
        })
        .collect()
}

/// F1 by threshold.
type Curve = Vec<(f64, f64)>;

/// F1 at thresholds in hundredths.
fn f1_curve(trial: &Trial, judge: &dyn Judge) -> Curve {
    f1_by_threshold(
        &judge_all(trial, judge),
        (0..=100).map(|step| f64::from(step) / 100.0),
    )
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
    let mut counter = DocumentCounter::of_terms(&all, None)?;
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
        Column::new("SVM-RBF", Form::Percent(1)).higher(),
    ]);
    let mut curves: [(&str, Vec<Curve>); 2] = [("separate", Vec::new()), ("joint", Vec::new())];
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
        let separate = f1_curve(trial, trial.term_judge(&separate)?.as_ref());
        let joint = f1_curve(trial, trial.term_judge(&joint)?.as_ref());
        let (_, with_idf) = best(&f1_curve(trial, trial.term_judge(&weighted)?.as_ref()));
        let machine = bench
            .lab
            .trained_judge(trial, ModelKind::SvmRbf)
            .ok()
            .map(|judge| best(&f1_curve(trial, &judge)).1);
        table.push(
            Owner::Ours,
            vec![
                Cell::from(trial.task.name.as_str()),
                Cell::number(best(&separate).1, None),
                Cell::number(best(&separate).0, None),
                Cell::number(with_idf, None),
                Cell::number(best(&joint).1, None),
                Cell::number(best(&joint).0, None),
                machine.map_or_else(Cell::empty, |f1| Cell::number(f1, None)),
            ],
        );
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
    .note("The best threshold is chosen using the labels, for every judge alike, as in the paper.")
    .note("Other webs, other topics, other decades: only the order of the judges can be compared.")
    .note("SVM-RBF is trained on the task's example pages; the cell is empty if a task has too few."))
}

/// This percentage of a list, spread evenly, and at least one term.
fn share(list: &[String], percent: usize) -> Vec<String> {
    let kept = (list.len() * percent).div_ceil(100).max(1);
    // Every n-th term rather than the first ones: lists often start with the best terms.
    (0..kept.min(list.len()))
        .filter_map(|at| list.get(at * list.len() / kept).cloned())
        .collect()
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
        (50, 50),
        (25, 25),
    ];
    for (genre, content) in kept {
        let label = format!("{genre} % genre, {content} % content");
        bench.lab.tell(LabEvent::JudgingFor { label: &label });
        let mut bests = Vec::new();
        for trial in bench.trials.iter().filter(|trial| trial.has_terms()) {
            let all = trial.terms()?;
            let fewer = TermSettings {
                genre: share(&all.genre, genre),
                content: share(&all.content, content),
                ..all
            };
            bests.push(best(&f1_curve(trial, trial.term_judge(&fewer)?.as_ref())));
        }
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
    .note("The terms kept are spread evenly over each list, so that its order does not matter."))
}

pub fn generated(bench: &Bench<'_>) -> Result<Experiment, LabError> {
    let sizes = [40, 30, 20, 10];
    let mut columns = vec![Column::words("task")];
    columns.extend(
        sizes
            .iter()
            .map(|size| Column::new(format!("{size} terms"), Form::Percent(1)).higher()),
    );
    columns.push(Column::new("the user's", Form::Percent(1)).higher());
    let mut table = Table::new(columns);
    for trial in &bench.trials {
        bench.lab.tell(LabEvent::JudgingFor {
            label: &trial.task.name,
        });
        let mut row = vec![Cell::from(trial.task.name.as_str())];
        let mut counts = RunCounts::new(None);
        for page in trial.parsed(&trial.pages.positive) {
            counts.add(&page.text, page.language);
        }
        for size in sizes {
            let wanted = GenerateSettings {
                genre_terms: size / 2,
                content_terms: size / 2,
                ..GenerateSettings::default()
            };
            row.push(match generate(&counts, &counts, None, &wanted) {
                Ok(made) => {
                    let spelled = |list: Vec<scenthound_judge::terms::Candidate>| {
                        list.into_iter().map(|term| term.term).collect()
                    };
                    let settings = TermSettings {
                        genre: spelled(made.genre),
                        content: spelled(made.content),
                        ..TermSettings::default()
                    };
                    Cell::number(
                        best(&f1_curve(trial, trial.term_judge(&settings)?.as_ref())).1,
                        None,
                    )
                }
                Err(_) => Cell::empty(),
            });
        }
        row.push(if trial.has_terms() {
            Cell::number(
                best(&f1_curve(trial, trial.term_judge(&trial.terms()?)?.as_ref())).1,
                None,
            )
        } else {
            Cell::empty()
        });
        table.push(Owner::Ours, row);
    }
    table.contest = Contest::Rows;
    bench.lab.tell(LabEvent::StepEnded);
    Ok(Experiment::new(
        "Generated terms",
        "How good are terms extracted from the example pages, compared with terms written by a person?",
    )
    .table(table, "Best F1 over all thresholds. Half of the terms are genre terms, half content terms, both from the positive examples.")
    .note("The paper: 50 to 86 % F1 with generated terms, an expert's selection of them is mostly best."))
}
