//! A table as data: columns that know what their numbers mean, rows that know whose they are.
//!
//! Text, Markdown, CSV and HTML all show the same table, so which value is best and how a number is formatted is
//! decided only here. Deliberately absent: widths, markup, sorting.

use crate::writing::{fixed, plain};

/// How a column is formatted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Text, aligned left.
    Words,
    /// Whole numbers.
    Count,
    /// Numbers with this many decimals.
    Decimals(u8),
    /// Shares of one, as percentages with this many decimals.
    Percent(u8),
    /// P-values: four decimals, and `<0.0001` below that.
    PValue,
}

/// Which end of a column is better.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Better {
    /// Large numbers.
    Higher,
    /// Small numbers.
    Lower,
    /// Neither; no value is marked as best.
    Neither,
}

/// One column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its heading.
    pub name: String,
    /// How its numbers are formatted.
    pub form: Form,
    /// Which end is better.
    pub better: Better,
}

impl Column {
    /// A column without a best value.
    pub fn new(name: impl Into<String>, form: Form) -> Column {
        Column {
            name: name.into(),
            form,
            better: Better::Neither,
        }
    }

    /// A column of text.
    pub fn words(name: impl Into<String>) -> Column {
        Column::new(name, Form::Words)
    }

    /// The same column, where the largest number is best.
    pub fn higher(self) -> Column {
        Column {
            better: Better::Higher,
            ..self
        }
    }

    /// The same column, where the smallest number is best.
    pub fn lower(self) -> Column {
        Column {
            better: Better::Lower,
            ..self
        }
    }
}

/// What a cell holds.
#[derive(Clone, PartialEq, Debug)]
pub enum Content {
    /// Nothing.
    Empty,
    /// Text.
    Words(String),
    /// A number and its standard error, if it has one.
    Number(f64, Option<f64>),
}

/// Whether a cell can be best.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// Yes.
    Competes,
    /// No, for example because it is a mean over other cases than its neighbours'.
    Apart,
    /// It is always bold.
    Strong,
}

/// One cell.
#[derive(Clone, PartialEq, Debug)]
pub struct Cell {
    /// What it holds.
    pub content: Content,
    /// Whether it can be best.
    pub standing: Standing,
}

impl Cell {
    /// A cell with nothing in it.
    pub fn empty() -> Cell {
        Cell::holding(Content::Empty)
    }

    /// A number with its standard error.
    pub fn number(value: f64, error: Option<f64>) -> Cell {
        Cell::holding(Content::Number(value, error))
    }

    /// The same cell, not competing.
    pub fn apart(self) -> Cell {
        Cell {
            standing: Standing::Apart,
            ..self
        }
    }

    /// The same cell in bold.
    pub fn strong(self) -> Cell {
        Cell {
            standing: Standing::Strong,
            ..self
        }
    }

    fn holding(content: Content) -> Cell {
        Cell {
            content,
            standing: Standing::Competes,
        }
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Cell {
        Cell::number(value, None)
    }
}

impl From<u32> for Cell {
    fn from(value: u32) -> Cell {
        Cell::number(value.into(), None)
    }
}

impl From<u64> for Cell {
    fn from(value: u64) -> Cell {
        Cell::number(value as f64, None)
    }
}

impl From<usize> for Cell {
    fn from(value: usize) -> Cell {
        Cell::number(value as f64, None)
    }
}

impl From<&str> for Cell {
    fn from(words: &str) -> Cell {
        Cell::holding(Content::Words(words.to_owned()))
    }
}

impl From<String> for Cell {
    fn from(words: String) -> Cell {
        Cell::holding(Content::Words(words))
    }
}

/// Whose figures a row shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// Ours: they compete.
    Ours,
    /// A bound for reference, such as the best possible order or a random one. It does not compete.
    Bound,
    /// A paper's, shown below the row above. It does not compete and stays with that row.
    Paper,
}

/// One row.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// Whose it is.
    pub owner: Owner,
    /// Its cells, one per column; missing ones are empty.
    pub cells: Vec<Cell>,
}

/// Where the best value is determined.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Contest {
    /// In every column.
    #[default]
    Columns,
    /// In every row, among the columns that have a best value.
    Rows,
}

/// A table.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Table {
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows, in order.
    pub rows: Vec<Row>,
    /// Where the best value is determined.
    pub contest: Contest,
}

/// A formatted cell: every output format assembles these parts.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Written {
    /// The text or the number.
    pub main: String,
    /// The standard error without its sign, or empty.
    pub error: String,
    /// The unit with its leading space, or empty.
    pub unit: &'static str,
    /// Whether it is best, or bold anyway.
    pub strong: bool,
}

impl Table {
    /// A table with these columns and no rows.
    pub fn new(columns: Vec<Column>) -> Table {
        Table {
            columns,
            rows: Vec::new(),
            contest: Contest::Columns,
        }
    }

    /// Adds a row.
    pub fn push(&mut self, owner: Owner, cells: Vec<Cell>) {
        self.rows.push(Row { owner, cells });
    }

    /// All formatted cells, row by row, one for each column.
    pub fn written(&self) -> Vec<Vec<Written>> {
        let mut rows: Vec<Vec<Written>> = self
            .rows
            .iter()
            .map(|row| {
                let empty = Cell::empty();
                self.columns
                    .iter()
                    .enumerate()
                    .map(|(at, column)| write(row.cells.get(at).unwrap_or(&empty), column.form))
                    .collect()
            })
            .collect();
        for contest in self.contests() {
            mark_best(&mut rows, &contest);
        }
        rows
    }

    /// The cells that compete with each other, each with its value turned so that larger is better.
    fn contests(&self) -> Vec<Vec<(usize, usize, f64)>> {
        let (rows, columns) = (self.rows.len(), self.columns.len());
        let place = |row: usize, column: usize| {
            let value = self.competing(row, column)?;
            Some((row, column, value))
        };
        match self.contest {
            Contest::Columns => (0..columns)
                .map(|column| (0..rows).filter_map(|row| place(row, column)).collect())
                .collect(),
            Contest::Rows => (0..rows)
                .map(|row| (0..columns).filter_map(|column| place(row, column)).collect())
                .collect(),
        }
    }

    fn competing(&self, row: usize, column: usize) -> Option<f64> {
        let row = self.rows.get(row).filter(|row| row.owner == Owner::Ours)?;
        let cell = row
            .cells
            .get(column)
            .filter(|cell| cell.standing == Standing::Competes)?;
        let Content::Number(value, _) = cell.content else {
            return None;
        };
        match self.columns.get(column)?.better {
            _ if !value.is_finite() => None,
            Better::Higher => Some(value),
            Better::Lower => Some(-value),
            Better::Neither => None,
        }
    }
}

/// Marks the best of a contest, and all that look the same once formatted: a reader could not distinguish them.
fn mark_best(rows: &mut [Vec<Written>], contest: &[(usize, usize, f64)]) {
    if contest.len() < 2 {
        return;
    }
    let Some(&(row, column, _)) = contest
        .iter()
        .reduce(|best, one| if one.2 > best.2 { one } else { best })
    else {
        return;
    };
    let best = rows
        .get(row)
        .and_then(|row| row.get(column))
        .map(|cell| cell.main.clone());
    let Some(best) = best else { return };
    let level = |rows: &[Vec<Written>], row: usize, column: usize| {
        rows.get(row)
            .and_then(|row| row.get(column))
            .is_some_and(|cell| cell.main == best)
    };
    // If all look the same, none is best.
    if contest.iter().all(|(row, column, _)| level(rows, *row, *column)) {
        return;
    }
    for (row, column, _) in contest {
        if level(rows, *row, *column)
            && let Some(cell) = rows.get_mut(*row).and_then(|row| row.get_mut(*column))
        {
            cell.strong = true;
        }
    }
}

fn write(cell: &Cell, form: Form) -> Written {
    let mut written = Written {
        strong: cell.standing == Standing::Strong,
        ..Written::default()
    };
    match &cell.content {
        Content::Empty => {}
        Content::Words(words) => written.main = plain(words),
        Content::Number(value, error) => {
            written.main = figure(*value, form);
            if let Some(error) = error.filter(|error| error.is_finite() && value.is_finite()) {
                written.error = figure(error, form);
            }
            if matches!(form, Form::Percent(_)) && !value.is_nan() {
                written.unit = " %";
            }
        }
    }
    written
}

/// A number in its column's format, without the unit.
fn figure(value: f64, form: Form) -> String {
    match form {
        Form::Words => short(value),
        Form::Count => fixed(value, 0),
        Form::Decimals(decimals) => fixed(value, decimals.min(12).into()),
        Form::Percent(decimals) => fixed(value * 100.0, decimals.min(12).into()),
        Form::PValue if value < 0.000_1 => "<0.0001".to_owned(),
        Form::PValue => fixed(value, 4),
    }
}

/// A number without a given format: as short as possible while exact.
fn short(value: f64) -> String {
    if value.is_finite() {
        format!("{value}")
    } else {
        fixed(value, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::writing::NOTHING;

    fn strong(table: &Table) -> Vec<(usize, usize)> {
        let written = table.written();
        let cells = written.iter().enumerate();
        cells
            .flat_map(|(row, cells)| {
                cells
                    .iter()
                    .enumerate()
                    .map(move |(column, cell)| (row, column, cell.strong))
            })
            .filter_map(|(row, column, strong)| strong.then_some((row, column)))
            .collect()
    }

    #[test]
    fn the_best_is_ours_and_whatever_is_written_the_same_is_as_good() {
        let mut table = Table::new(vec![
            Column::new("auc", Form::Decimals(2)).higher(),
            Column::new("visits", Form::Percent(0)).lower(),
            Column::new("pages", Form::Count),
        ]);
        table.push(Owner::Ours, vec![0.801.into(), 0.5.into(), 9_u64.into()]);
        table.push(
            Owner::Ours,
            vec![0.799.into(), Cell::from(0.2).apart(), 10_u64.into()],
        );
        table.push(Owner::Ours, vec![0.7.into(), 0.6.into(), 11_u64.into()]);
        table.push(Owner::Ours, vec![f64::NAN.into()]);
        table.push(Owner::Bound, vec![0.99.into(), 0.01.into(), 1_u64.into()]);
        table.push(Owner::Paper, vec![0.95.into(), 0.02.into(), 1_u64.into()]);
        assert_eq!(strong(&table), [(0, 0), (0, 1), (1, 0)]);
    }

    #[test]
    fn in_a_contest_of_rows_the_best_of_each_row_is_strong() {
        let number = |name| Column::new(name, Form::Decimals(1)).higher();
        let mut table = Table::new(vec![Column::words("task"), number("a"), number("b")]);
        table.contest = Contest::Rows;
        table.push(Owner::Ours, vec!["tea".into(), 0.1.into(), 0.2.into()]);
        table.push(Owner::Ours, vec!["rye".into(), 0.3.into(), 0.2.into()]);
        table.push(Owner::Ours, vec!["oat".into(), 0.3.into(), 0.3.into()]);
        table.push(Owner::Ours, vec!["one".into(), 0.3.into()]);
        assert_eq!(strong(&table), [(0, 2), (1, 1)]);
    }

    #[test]
    fn numbers_are_written_as_their_column_says() {
        assert_eq!(figure(1_234.0, Form::Count), "1,234");
        assert_eq!(figure(0.123_45, Form::Percent(1)), "12.3");
        assert_eq!(figure(f64::NAN, Form::Percent(1)), NOTHING);
        assert_eq!(figure(0.000_01, Form::PValue), "<0.0001");
        assert_eq!(figure(f64::NAN, Form::PValue), NOTHING);
        assert_eq!(figure(0.05, Form::Words), "0.05");
    }
}
