//! One-tailed paired t-tests over tasks.

use super::field::Field;
use super::measure::{AUC30, Measure, TARGET_RECALL};
use crate::stats::{TTest, WinLoss, holm, paired_t_test, win_loss};
use crate::table::{Cell, Column, Form, Owner, Table};

/// The measures tested.
const TESTED: [Measure; 2] = [AUC30, TARGET_RECALL];
/// A table of all pairs is shown for at most this many contenders.
const MATRIX: usize = 24;

/// One contender against the baseline.
pub struct Test {
    /// The measure.
    pub measure: Measure,
    /// The contender.
    pub contender: usize,
    /// The outcome; `None` with fewer than two tasks in common.
    pub test: Option<TTest>,
    /// The p-value, corrected for the number of tests of this measure.
    pub holm: f64,
    /// How often it was ahead of the baseline.
    pub score: WinLoss,
}

fn pairs(field: &Field<'_>, ours: usize, theirs: usize, measure: &Measure) -> Vec<(f64, f64)> {
    (0..field.tasks.len())
        .map(|task| {
            (
                field.value(ours, task, measure),
                field.value(theirs, task, measure),
            )
        })
        .collect()
}

/// Tests every contender against the baseline.
pub fn against_baseline(field: &Field<'_>, baseline: Option<usize>) -> Vec<Test> {
    let Some(baseline) = baseline else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for measure in TESTED {
        let others = field.competing().into_iter().filter(|one| *one != baseline);
        let mut tests: Vec<Test> = others
            .map(|contender| {
                let pairs = pairs(field, contender, baseline, &measure);
                Test {
                    measure,
                    contender,
                    test: paired_t_test(&pairs),
                    holm: f64::NAN,
                    score: win_loss(&pairs),
                }
            })
            .collect();
        let p_values: Vec<f64> = tests
            .iter()
            .map(|test| test.test.map_or(f64::NAN, |test| test.p))
            .collect();
        for (test, corrected) in tests.iter_mut().zip(holm(&p_values)) {
            test.holm = corrected;
        }
        all.extend(tests);
    }
    all
}

/// What a test shows at a significance level, where several were made: by the corrected p.
pub fn verdict(test: Option<TTest>, holm: f64, alpha: f64) -> &'static str {
    match test {
        None => "too few tasks",
        Some(_) if holm < alpha => "better",
        Some(test) if 1.0 - test.p < alpha => "worse",
        Some(_) => "not shown",
    }
}

/// The tests as tables, one per measure.
pub fn tables(
    field: &Field<'_>,
    alpha: f64,
    baseline: Option<usize>,
    tests: &[Test],
) -> Vec<(Table, String)> {
    let Some(baseline) = baseline else {
        return Vec::new();
    };
    let mut tables = Vec::new();
    for measure in TESTED {
        let mut columns = field.name_columns();
        columns.extend([
            Column::new("tasks", Form::Count),
            Column::new("difference", Form::Decimals(4)),
            Column::new("t", Form::Decimals(2)),
            Column::new("p", Form::PValue),
            Column::new("p (Holm)", Form::PValue),
            Column::new("wins", Form::Count),
            Column::new("ties", Form::Count),
            Column::new("losses", Form::Count),
            Column::words("verdict"),
        ]);
        let mut table = Table::new(columns);
        for test in tests.iter().filter(|test| test.measure.key == measure.key) {
            let WinLoss { wins, ties, losses } = test.score;
            let mut cells = field.name_cells(test.contender);
            cells.push((wins + ties + losses).into());
            match test.test {
                Some(TTest { difference, t, p, .. }) => {
                    cells.extend([
                        Cell::from(difference),
                        t.into(),
                        bold_below(p, alpha),
                        bold_below(test.holm, alpha),
                    ]);
                }
                None => cells.extend((0..4).map(|_| Cell::from(f64::NAN))),
            }
            cells.extend([wins, ties, losses].map(Cell::from));
            cells.push(verdict(test.test, test.holm, alpha).into());
            table.push(Owner::Ours, cells);
        }
        if !table.rows.is_empty() {
            let caption = format!(
                "Is it better than {} in {}? One-tailed paired t-tests over tasks, α = {alpha}",
                field.label(baseline),
                measure.name
            );
            tables.push((table, caption));
        }
    }
    tables
}

/// All pairs, one table per measure, if there are more than two contenders and not too many.
pub fn matrices(field: &Field<'_>, alpha: f64) -> Vec<(Table, String)> {
    let competing = field.competing();
    if !(3..=MATRIX).contains(&competing.len()) || field.tasks.len() < 2 {
        return Vec::new();
    }
    let mut tables = Vec::new();
    for measure in TESTED {
        let mut columns = vec![Column::words("better than →")];
        columns.extend(
            competing
                .iter()
                .map(|one| Column::new(field.label(*one), Form::PValue)),
        );
        let mut table = Table::new(columns);
        for ours in &competing {
            let mut cells = vec![Cell::from(field.label(*ours))];
            for theirs in &competing {
                let test = paired_t_test(&pairs(field, *ours, *theirs, &measure));
                cells.push(match test {
                    Some(test) if ours != theirs => bold_below(test.p, alpha),
                    _ => Cell::empty(),
                });
            }
            table.push(Owner::Ours, cells);
        }
        let caption = format!(
            "{}: p-value of the row being better than the column; bold below α = {alpha}, not corrected for the number \
             of tests",
            measure.name
        );
        tables.push((table, caption));
    }
    tables
}

fn bold_below(p: f64, alpha: f64) -> Cell {
    let cell = Cell::from(p);
    if p < alpha { cell.strong() } else { cell }
}
