//! Experiments on layers: does it pay to know how far a page is from a target?
//!
//! The lab builds the context graph around a task's positive examples from the web's own links, in place of a search engine's
//! back-links, and learns from it before the crawl begins. Building it does not count as fetching.

use scenthound_report::plot::{Axis, LineChart, Look, Point, Series};
use scenthound_report::table::{Cell, Column, Form, Owner, Table};
use scenthound_report::{Experiment, RunResult, stats};

use super::measure::{Bench, Contender, cell, contender, coverage, curve, harvest};
use crate::error::LabError;

/// The last hundred ranks shown begin at this rank.
const MOST_RANK: u32 = 1001;

/// The paper's topic of entrance examinations: few pages, far apart.
pub fn small(bench: &Bench<'_>) -> Result<Experiment, LabError> {
    Ok(experiment(
        bench,
        "Layers of a context graph: a small, loose topic",
    )?
    .note("The paper's small topic has flat stretches, where the crawler searches breadth-first for the next domain."))
}

/// The paper's topic of travel: many pages, close together.
pub fn large(bench: &Bench<'_>) -> Result<Experiment, LabError> {
    experiment(bench, "Layers of a context graph: a large, dense topic")
}

fn experiment(bench: &Bench<'_>, title: &str) -> Result<Experiment, LabError> {
    let contenders = vec![
        contender("layered, hot words", "layered")?,
        contender("context graph", "context-graph")?,
        contender("layered, replace", "layered:replace=true")?,
        contender("layered, the graph's pages alone", "layered:layer-missed=0")?,
        contender("breadth-first", "breadth-first")?,
        contender("random", "random")?,
    ];
    let runs = bench.crawl(&contenders, &bench.conditions)?;
    let mut experiment = Experiment::new(
        title,
        "How soon are on-topic pages found if pages that lead to them are followed first, and links with hot words before others?",
    )
    .table(found(&contenders, &runs), "Mean over the tasks, ± standard error.")
    .table(
        ranked(&contenders, &runs),
        "Share of on-topic pages among each hundred ranks of all pages fetched. Ranked by layer-0 posterior, then \
         similarity to the targets; those of breadth-first by the judge's relevance.",
    )
    .table(
        by_task(bench, &contenders, &runs),
        "auc100 by task, mean over the webs, ± standard error. On the synthetic webs only the first task's targets are behind layers.",
    )
    .figure(
        curve("On-topic pages found", "relevant pages found, share", &contenders, &runs, coverage),
        "Mean over the tasks.",
    )
    .figure(
        curve("Harvest rate", "relevant among visited, share", &contenders, &runs, harvest),
        "Mean over the tasks.",
    )
    .figure(by_rank(&contenders, &runs), "Mean over the tasks.");
    for (ahead, behind) in [(0, 1), (0, 3), (0, 4), (0, 5), (1, 4)] {
        if let Some(note) = tested(&contenders, &runs, ahead, behind) {
            experiment = experiment.note(note);
        }
    }
    Ok(experiment
        .note("The paper: layered queues with hot words are at least as good as the plain context graph, and both are ahead of breadth-first; ranks 1, 501 and about 1000 are still on topic.")
        .setting("budget", bench.conditions.budget_in_words()))
}

fn found(contenders: &[Contender], runs: &[Vec<RunResult>]) -> Table {
    let mut table = Table::new(vec![
        Column::words("strategy"),
        Column::new("auc30", Form::Decimals(3)).higher(),
        Column::new("auc100", Form::Decimals(3)).higher(),
        Column::new("harvest at 5 %", Form::Percent(1)).higher(),
        Column::new("harvest at 20 %", Form::Percent(1)).higher(),
        Column::new("visits for 90 %", Form::Percent(1)).lower(),
    ]);
    for (contender, runs) in contenders.iter().zip(runs) {
        table.push(
            Owner::Ours,
            vec![
                Cell::from(contender.label.as_str()),
                cell(runs, |run| run.auc30),
                cell(runs, |run| run.auc100),
                cell(runs, |run| run.harvest[0]),
                cell(runs, |run| run.harvest[2]),
                cell(runs, |run| run.visits_for_90.unwrap_or(1.0)),
            ],
        );
    }
    table
}

/// How soon pages were found, one column per task.
fn by_task(bench: &Bench<'_>, contenders: &[Contender], runs: &[Vec<RunResult>]) -> Table {
    let mut tasks: Vec<&str> = Vec::new();
    for trial in &bench.trials {
        if !tasks.contains(&trial.task.name.as_str()) {
            tasks.push(&trial.task.name);
        }
    }
    let columns = tasks
        .iter()
        .map(|task| Column::new((*task).to_owned(), Form::Decimals(3)).higher());
    let mut table = Table::new(
        std::iter::once(Column::words("strategy"))
            .chain(columns)
            .collect(),
    );
    for (contender, runs) in contenders.iter().zip(runs) {
        let mut cells = vec![Cell::from(contender.label.as_str())];
        cells.extend(tasks.iter().map(|task| {
            let of_task: Vec<RunResult> = runs.iter().filter(|run| run.task == *task).cloned().collect();
            cell(&of_task, |run| run.auc100)
        }));
        table.push(Owner::Ours, cells);
    }
    table
}

/// The share among the hundred ranks from this one; empty if the crawl fetched fewer pages.
fn share_from(run: &RunResult, first: u32) -> Option<f64> {
    let found = run.share_by_rank.iter().find(|(rank, _)| *rank == first);
    found.map(|(_, share)| *share)
}

fn ranked(contenders: &[Contender], runs: &[Vec<RunResult>]) -> Table {
    let firsts = [1, 101, 201, 501, MOST_RANK];
    let columns =
        firsts.map(|first| Column::new(format!("rank {first}–{}", first + 99), Form::Percent(1)).higher());
    let mut table = Table::new([vec![Column::words("strategy")], columns.to_vec()].concat());
    for (contender, runs) in contenders.iter().zip(runs) {
        let mut cells = vec![Cell::from(contender.label.as_str())];
        cells.extend(firsts.map(|first| {
            let values: Vec<f64> = runs.iter().filter_map(|run| share_from(run, first)).collect();
            if values.is_empty() {
                return Cell::empty();
            }
            let error = stats::standard_error(&values);
            Cell::number(stats::mean(&values), error.is_finite().then_some(error))
        }));
        table.push(Owner::Ours, cells);
    }
    table
}

fn by_rank(contenders: &[Contender], runs: &[Vec<RunResult>]) -> LineChart {
    let series = contenders
        .iter()
        .zip(runs)
        .enumerate()
        .map(|(place, (contender, runs))| Series {
            name: contender.label.clone(),
            look: Look::Contender(place),
            points: (1..=MOST_RANK)
                .step_by(100)
                .filter_map(|first| {
                    let values: Vec<f64> = runs.iter().filter_map(|run| share_from(run, first)).collect();
                    let error = stats::standard_error(&values);
                    (!values.is_empty()).then(|| Point {
                        x: f64::from(first),
                        y: stats::mean(&values),
                        error: error.is_finite().then_some(error),
                    })
                })
                .collect(),
        });
    LineChart {
        title: "On-topic share by rank".to_owned(),
        x: Axis {
            title: "rank".to_owned(),
            ..Axis::default()
        },
        y: Axis {
            title: "relevant among the hundred ranks from here".to_owned(),
            ..Axis::default()
        },
        series: series.collect(),
        ..LineChart::default()
    }
}

fn tested(contenders: &[Contender], runs: &[Vec<RunResult>], ahead: usize, behind: usize) -> Option<String> {
    let pairs: Vec<(f64, f64)> = runs
        .get(ahead)?
        .iter()
        .zip(runs.get(behind)?)
        .map(|(ours, theirs)| (ours.auc100, theirs.auc100))
        .collect();
    let test = stats::paired_t_test(&pairs)?;
    Some(format!(
        "{} against {} on auc100: mean difference {:+.4}, t = {:.2}, one-tailed p = {:.4}, {} tasks.",
        contenders.get(ahead)?.label,
        contenders.get(behind)?.label,
        test.difference,
        test.t,
        test.p,
        pairs.len()
    ))
}
