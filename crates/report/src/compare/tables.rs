//! The tables: summary, by task, and by run.

use super::field::Field;
use super::measure::{AUC30, FINDING, MOMENTS, Measure, THE_REST, VISITS_FOR_90, measures};
use crate::stats::Summary;
use crate::table::{Cell, Column, Contest, Form, Owner, Table};

/// With more runs than this, the page does not list them; CSV and JSON do.
const LISTED_RUNS: usize = 1_000;

/// Summaries of all contenders: first over all webs, then for each web if there are several.
pub fn summaries(field: &Field<'_>) -> Vec<(Table, String)> {
    let mut tables = Vec::new();
    let all = field.tasks_of(None);
    let scope = match field.webs.as_slice() {
        [web] => format!("on {web}"),
        webs => format!("over {} webs", webs.len()),
    };
    let finding = format!("How soon relevant pages are found {scope}, mean ± 1 s.e. over tasks");
    tables.push((summary(field, &all, &FINDING, Scores::Shown), finding));
    for (measures, what) in [
        (MOMENTS.as_slice(), "The same crawls at other points"),
        (
            &THE_REST,
            "What was found in the end, how well the judge did, and what it cost",
        ),
    ] {
        let measures = known(field, &all, measures);
        if !measures.is_empty() {
            tables.push((summary(field, &all, &measures, Scores::Hidden), what.to_owned()));
        }
    }
    if field.webs.len() > 1 {
        for (at, web) in field.webs.iter().enumerate() {
            let tasks = field.tasks_of(Some(at));
            let caption = format!("How soon relevant pages are found on {web}");
            tables.push((summary(field, &tasks, &FINDING, Scores::Shown), caption));
        }
    }
    tables
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scores {
    Shown,
    Hidden,
}

/// The measures with any known value: a lab without delays has no running times.
fn known(field: &Field<'_>, tasks: &[usize], measures: &[Measure]) -> Vec<Measure> {
    let any = |measure: &&Measure| {
        field
            .each()
            .filter(|(_, task, _)| tasks.contains(task))
            .map(|(_, _, run)| (measure.of)(run))
            .any(|value| value.is_finite() && value != 0.0)
    };
    measures.iter().filter(any).copied().collect()
}

fn summary(field: &Field<'_>, tasks: &[usize], measures: &[Measure], scores: Scores) -> Table {
    let mut columns = field.name_columns();
    columns.push(Column::new("tasks", Form::Count));
    for measure in measures {
        columns.push(measure.column());
        if measure.key == VISITS_FOR_90.key {
            columns.push(Column::new("reached", Form::Count));
        }
    }
    if scores == Scores::Shown {
        columns.push(Column::new("win", Form::Count).higher());
        columns.push(Column::new("tie", Form::Count));
        columns.push(Column::new("loss", Form::Count));
    }
    let mut table = Table::new(columns);
    let points = field.scores(tasks, &AUC30);
    for (at, points) in points.into_iter().enumerate() {
        let ran = tasks
            .iter()
            .filter(|task| !field.repeats(at, **task).is_empty())
            .count();
        let mut cells = field.name_cells(at);
        cells.push(ran.into());
        for measure in measures {
            let values: Vec<f64> = tasks.iter().map(|task| field.value(at, *task, measure)).collect();
            let Summary { n, mean, error } = Summary::of(&values);
            let cell = Cell::number(mean, error);
            // A mean over the easy tasks only must not look better than one over all tasks.
            cells.push(if n < tasks.len() { cell.apart() } else { cell });
            if measure.key == VISITS_FOR_90.key {
                cells.push(format!("{n}/{ran}").into());
            }
        }
        match field.owner(at) {
            Owner::Ours if scores == Scores::Shown => {
                cells.extend([points.wins, points.ties, points.losses].map(Cell::from));
            }
            _ => {}
        }
        table.push(field.owner(at), cells);
    }
    table
}

/// Every contender's auc30 on every task.
pub fn by_task(field: &Field<'_>) -> (Table, String) {
    let mut columns = vec![
        Column::words("task"),
        Column::new("reachable", Form::Count),
        Column::new("relevant", Form::Count),
    ];
    for contender in 0..field.contenders.len() {
        let column = Column::new(field.label(contender), Form::Decimals(3));
        columns.push(match field.owner(contender) {
            Owner::Ours => column.higher(),
            _ => column,
        });
    }
    let mut table = Table::new(columns);
    table.contest = Contest::Rows;
    for (at, task) in field.tasks.iter().enumerate() {
        let mut cells: Vec<Cell> = vec![
            field.task_label(at).into(),
            task.reachable.into(),
            task.relevant.into(),
        ];
        for contender in 0..field.contenders.len() {
            cells.push(match field.repeats(contender, at) {
                [] => Cell::empty(),
                _ => field.value(contender, at, &AUC30).into(),
            });
        }
        table.push(Owner::Ours, cells);
    }
    (table, "auc30 by task; the best of each task in bold".to_owned())
}

/// Every run on one line.
pub fn all_runs(field: &Field<'_>) -> (Table, String) {
    let mut columns = ["web", "task", "strategy", "judge"].map(Column::words).to_vec();
    columns.extend(["repeat", "fetched", "found"].map(|name| Column::new(name, Form::Count)));
    let measures: Vec<&Measure> = measures().collect();
    columns.extend(
        measures
            .iter()
            .map(|measure| Column::new(measure.name, measure.form)),
    );
    let mut table = Table::new(columns);
    for (_, _, run) in field.each().take(LISTED_RUNS) {
        let mut cells: Vec<Cell> = [&run.web, &run.task, &run.strategy, &run.judge]
            .map(|words| Cell::from(words.as_str()))
            .to_vec();
        cells.extend([u64::from(run.repeat), run.fetched, run.found].map(Cell::from));
        cells.extend(measures.iter().map(|measure| Cell::from((measure.of)(run))));
        table.push(Owner::Ours, cells);
    }
    let caption = match field.runs() {
        many if many > LISTED_RUNS => {
            format!("The first {LISTED_RUNS} of {many} runs; the CSV and JSON files have them all")
        }
        _ => "Every run".to_owned(),
    };
    (table, caption)
}
