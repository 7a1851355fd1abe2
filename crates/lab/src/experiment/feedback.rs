//! Experiment on feedback: a user begins with few examples, crawls, marks the best pages, and gets terms from them.
//!
//! The paper asked three people. There are none here, so the labels mark the pages, and the terms are generated from them; what
//! people would choose is another question.

use std::sync::Mutex;

use scenthound_judge::terms::{Generated, Overlap};
use scenthound_report::table::{Cell, Column, Form, Owner, Table};
use scenthound_report::{Experiment, RunResult, stats};
use scenthound_types::text::StopList;

use super::judging::{by_default, spelled};
use super::measure::{Bench, Contender, cell, contender};
use crate::conditions::Conditions;
use crate::error::LabError;
use crate::recorded::PageId;
use crate::session::LabEvent;
use crate::trial::{LabBudget, Trial};

/// Example pages a user begins with.
const EXAMPLES: usize = 3;
/// Pages a user looks at after the first crawl.
const LOOKED_AT: usize = 20;
/// Terms of either kind.
const TERMS: usize = 20;
/// Pages of the first crawl, and of those that are compared.
const FIRST_PAGES: u64 = 1_000;
const THEN_PAGES: u64 = 10_000;

/// A task and its terms at one stage.
struct Stage {
    trials: Vec<Trial>,
    genre: Vec<f64>,
    content: Vec<f64>,
}

impl Stage {
    /// Terms generated from each task's examples, compared with the task's own.
    fn new(bench: &Bench<'_>, tasks: &[Trial], examples: &[Vec<PageId>]) -> Stage {
        let mut stage = Stage {
            trials: Vec::new(),
            genre: Vec::new(),
            content: Vec::new(),
        };
        for (trial, examples) in tasks.iter().zip(examples) {
            bench.lab.tell(LabEvent::JudgingFor {
                label: &trial.task.name,
            });
            let mut shown = trial.clone();
            shown.pages.positive = examples.clone();
            // Examples that say nothing make a list without terms, which has nothing in common with the task's.
            let made = by_default(bench, &shown, TERMS).unwrap_or(Generated {
                genre: Vec::new(),
                content: Vec::new(),
            });
            let stop = StopList::default();
            let overlap = |own: &[String], made: &[String]| {
                Overlap::of(own, made, &stop).map_or(0.0, |overlap| overlap.dice)
            };
            stage
                .genre
                .push(overlap(&trial.task.genre, &spelled(&made.genre)));
            stage
                .content
                .push(overlap(&trial.task.content, &spelled(&made.content)));
            stage.trials.push(with_terms(trial, &made));
        }
        bench.lab.tell(LabEvent::StepEnded);
        stage
    }

    fn bench<'b>(&self, bench: &Bench<'b>) -> Bench<'b> {
        Bench {
            lab: bench.lab,
            trials: self.trials.clone(),
            conditions: bench.conditions.clone(),
            judge: bench.judge.clone(),
            detector: None,
            other_webs: Vec::new(),
            is_quick: bench.is_quick,
        }
    }
}

/// The same task, asked for by these terms.
fn with_terms(trial: &Trial, made: &Generated) -> Trial {
    let mut trial = trial.clone();
    trial.task.genre = spelled(&made.genre);
    trial.task.content = spelled(&made.content);
    trial
}

pub fn marked(bench: &Bench<'_>) -> Result<Experiment, LabError> {
    let tasks: Vec<Trial> = (bench.trials.iter())
        // Without an example there is nothing to make terms from.
        .filter(|trial| trial.has_terms() && !trial.pages.positive.is_empty())
        .cloned()
        .collect();
    let few: Vec<Vec<PageId>> = (tasks.iter())
        .map(|trial| trial.pages.positive.iter().take(EXAMPLES).copied().collect())
        .collect();
    let before = Stage::new(bench, &tasks, &few);
    let within = |budget: LabBudget| Conditions {
        budget: bench.conditions.budget.or(Some(budget)),
        ..bench.conditions.clone()
    };
    // As long in a quick run: a tenth of it finds no page that could be marked.
    let first_crawl = within(LabBudget::Pages(FIRST_PAGES));
    let then = within(bench.pages(THEN_PAGES));
    // The first crawl, and the pages among its best that are right.
    let seen: Mutex<Vec<Vec<PageId>>> = Mutex::new(few);
    let terms = [contender("terms, fs-2", "fs-2")?];
    let first = before.bench(bench);
    let first_runs = first.crawl_watched(&terms, &first_crawl, &|_, task, outcome| {
        let Some(trial) = first.trials.get(task) else {
            return;
        };
        let best = outcome.first_ranked.iter().take(LOOKED_AT).copied();
        let right = best.filter(|page| trial.pages.relevant.contains(page));
        if let Ok(mut seen) = seen.lock()
            && let Some(examples) = seen.get_mut(task)
        {
            examples.extend(right);
        }
    })?;
    let examples = seen.into_inner().unwrap_or_default();
    let marked: Vec<f64> = (examples.iter())
        .map(|pages| pages.len().saturating_sub(EXAMPLES) as f64)
        .collect();
    let after = Stage::new(bench, &tasks, &examples);

    let mut table = Table::new(vec![
        Column::words("terms, policy"),
        Column::new("P@20", Form::Decimals(2)).higher(),
        Column::new("relevant pages found", Form::Percent(1)).higher(),
    ]);
    let ignorant = [
        contender("random", "random")?,
        contender("breadth-first", "breadth-first")?,
    ];
    let rows: [(&str, &Stage, &[Contender]); 3] = [
        ("before feedback", &before, &terms),
        ("after feedback", &after, &terms),
        ("after feedback", &after, &ignorant),
    ];
    for (when, stage, contenders) in rows {
        let runs = stage.bench(bench).crawl(contenders, &then)?;
        for (contender, runs) in contenders.iter().zip(&runs) {
            push(&mut table, &format!("{when}, {}", contender.label), runs);
        }
    }
    let own = Bench {
        trials: tasks.clone(),
        ..before.bench(bench)
    };
    for runs in own.crawl(&terms, &then)? {
        push(&mut table, "the task's own terms, fs-2", &runs);
    }

    let mut overlaps = Table::new(vec![
        Column::words("generated terms"),
        Column::new("genre: Dice", Form::Percent(1)).higher(),
        Column::new("content: Dice", Form::Percent(1)).higher(),
    ]);
    for (name, stage) in [("before feedback", &before), ("after feedback", &after)] {
        overlaps.push(
            Owner::Ours,
            vec![Cell::from(name), mean(&stage.genre), mean(&stage.content)],
        );
    }
    let right =
        |runs: &[RunResult]| stats::mean(&runs.iter().map(|run| run.found as f64).collect::<Vec<_>>());
    Ok(Experiment::new(
        "Terms before and after feedback",
        "A user with a few example pages crawls, marks the right ones among the best pages, and gets terms from all of them. Do the terms come nearer to an expert's, and the pages with them?",
    )
    .table(overlaps, "Generated terms against the task's own. Dice is 2 · shared / (A + B). Mean over the tasks, ± standard error.")
    .table(table, "Crawls with these terms, ranked by the judge; mean over the tasks, ± standard error. Pages that were marked count.")
    .note(format!(
        "{EXAMPLES} examples to begin with; the first crawl found {:.1} relevant pages, and {:.1} of its best {LOOKED_AT} pages were marked (means over the tasks).",
        right(first_runs.first().map(Vec::as_slice).unwrap_or_default()),
        stats::mean(&marked)
    ))
    .note("The paper: the terms of three users had 38.6 % in common with the expert's, 44.3 % after feedback; then P@20 was 0.85 to 0.97. The labels stand in for its users here.")
    .setting("first crawl", first_crawl.budget_in_words())
    .setting("budget", then.budget_in_words()))
}

fn push(table: &mut Table, label: &str, runs: &[RunResult]) {
    let precision = |run: &RunResult| {
        let at = run.precision_at.iter().find(|(rank, _)| *rank == 20);
        at.map_or(f64::NAN, |(_, precision)| *precision)
    };
    let found = |run: &RunResult| run.found as f64 / run.relevant_reachable.max(1) as f64;
    table.push(
        Owner::Ours,
        vec![Cell::from(label), cell(runs, precision), cell(runs, found)],
    );
}

fn mean(values: &[f64]) -> Cell {
    let error = stats::standard_error(values);
    Cell::number(stats::mean(values), error.is_finite().then_some(error))
}
