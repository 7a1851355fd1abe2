//! Our figures beside a paper's.
//!
//! Each of our rows is followed by the paper's row, shaded and not competing: the best in a column is the best of
//! ours. If the paper lacks a figure, its cell is empty; if it lacks all of them, there is no row.
//!
//! Deliberately absent: any verdict on whether a figure was reproduced. Notes say what differs and why.

use serde_json::{Map, Value, json};

use crate::page::{Block, Page};
use crate::plot::Chart;
use crate::table::{Cell, Column, Content, Owner, Table};
use crate::text::csv;

/// A row of a side-by-side table: its name, our cells and the paper's.
pub type SideRow = (String, Vec<Cell>, Vec<Cell>);

/// A table of our rows, each with the paper's beneath it. `columns` are those of the figures; the first column,
/// headed `title`, names the rows.
pub fn side_by_side(title: &str, columns: &[Column], rows: &[SideRow]) -> Table {
    let mut table = Table::new([vec![Column::words(title)], columns.to_vec()].concat());
    for (label, ours, paper) in rows {
        table.push(
            Owner::Ours,
            [vec![Cell::from(label.as_str())], ours.clone()].concat(),
        );
        if !paper.is_empty() {
            table.push(Owner::Paper, [vec![Cell::from("paper")], paper.clone()].concat());
        }
    }
    table
}

/// The report of one experiment, built from top to bottom.
#[derive(Clone, PartialEq, Debug)]
pub struct Experiment {
    page: Page,
    tables: Vec<Table>,
    notes: Vec<String>,
    settings: Vec<(String, String)>,
}

impl Experiment {
    /// A new report with a title and a question.
    pub fn new(title: impl Into<String>, question: impl Into<String>) -> Experiment {
        let mut page = Page::new(title);
        page.push(Block::Paragraph(question.into()));
        Experiment {
            page,
            tables: Vec::new(),
            notes: Vec::new(),
            settings: Vec::new(),
        }
    }

    /// Adds a paragraph.
    pub fn paragraph(mut self, words: impl Into<String>) -> Experiment {
        self.page.push(Block::Paragraph(words.into()));
        self
    }

    /// Adds a table of our figures beside the paper's.
    pub fn side_by_side(
        self,
        title: &str,
        columns: &[Column],
        rows: &[SideRow],
        caption: &str,
    ) -> Experiment {
        self.table(side_by_side(title, columns, rows), caption)
    }

    /// Adds any table.
    pub fn table(mut self, table: Table, caption: &str) -> Experiment {
        self.tables.push(table.clone());
        self.page.push(Block::Table(table, caption.to_owned()));
        self
    }

    /// Adds a chart.
    pub fn figure(mut self, chart: impl Into<Chart>, caption: &str) -> Experiment {
        self.page.push(Block::Figure(chart.into(), caption.to_owned()));
        self
    }

    /// Adds collapsible blocks.
    pub fn details(mut self, summary: &str, blocks: Vec<Block>) -> Experiment {
        self.page.push(Block::Details(summary.to_owned(), blocks));
        self
    }

    /// Adds a note: what differs from the paper, and why.
    pub fn note(mut self, note: impl Into<String>) -> Experiment {
        self.notes.push(note.into());
        self
    }

    /// Adds a setting the figures depend on.
    pub fn setting(mut self, name: impl Into<String>, value: impl Into<String>) -> Experiment {
        self.settings.push((name.into(), value.into()));
        self
    }

    /// The report as a page: notes and settings come last.
    pub fn page(&self) -> Page {
        let mut page = self.page.clone();
        if !self.notes.is_empty() {
            page.push(Block::Heading("Notes".to_owned()));
            page.push(Block::Notes(self.notes.clone()));
        }
        if !self.settings.is_empty() {
            page.push(Block::Heading("Settings".to_owned()));
            page.push(Block::Settings(self.settings.clone()));
        }
        page
    }

    /// Its tables as CSV, separated by empty lines.
    pub fn csv(&self) -> String {
        self.tables.iter().map(csv).collect::<Vec<_>>().join("\r\n")
    }

    /// Its tables, notes and settings as JSON. A row is an object keyed by column name; if two columns have the same
    /// name, the later one gets its position appended. A number has its mean and its standard error.
    pub fn json(&self) -> Value {
        let tables: Vec<Value> = self.tables.iter().map(rows).collect();
        let settings: Map<String, Value> = self
            .settings
            .iter()
            .map(|(name, value)| (name.clone(), json!(value)))
            .collect();
        json!({ "tables": tables, "notes": self.notes, "settings": settings })
    }
}

fn rows(table: &Table) -> Value {
    let names = column_names(table);
    let row = |cells: &[Cell]| -> Map<String, Value> {
        let each = names.iter().zip(cells);
        each.map(|(name, cell)| {
            let value = match &cell.content {
                Content::Empty => Value::Null,
                Content::Words(words) => json!(words),
                Content::Number(mean, error) => json!({ "mean": mean, "se": error }),
            };
            (name.clone(), value)
        })
        .collect()
    };
    json!(table.rows.iter().map(|one| row(&one.cells)).collect::<Vec<_>>())
}

fn column_names(table: &Table) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (place, column) in (1..).zip(&table.columns) {
        names.push(if names.contains(&column.name) {
            format!("{} ({place})", column.name)
        } else {
            column.name.clone()
        });
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Form;

    #[test]
    fn columns_of_one_name_are_told_apart_in_json() {
        let mut table = Table::new(vec![
            Column::words("who"),
            Column::new("share", Form::Percent(1)),
            Column::new("share", Form::Percent(1)),
        ]);
        table.push(
            Owner::Ours,
            vec![Cell::from("we"), Cell::number(0.5, Some(0.1)), Cell::empty()],
        );
        let told = Experiment::new("t", "q").table(table, "").note("n").json();
        assert_eq!(
            told["tables"][0][0],
            json!({ "who": "we", "share": { "mean": 0.5, "se": 0.1 }, "share (3)": null })
        );
        assert_eq!(told["notes"][0], "n");
    }
}
