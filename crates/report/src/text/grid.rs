//! Cells in aligned columns of plain text, by what a terminal shows: wide characters take two places.
//!
//! One column may be cut to fit the width. The last one never is, so that a URL can be copied. Lines may stand under a row.
//! Deliberately absent: colours, borders, and what the cells mean.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use crate::writing::cut;

/// A cut column keeps this much, however narrow the terminal.
const LEAST: usize = 16;
/// The last column counts as no wider than this when room is shared out.
const LAST_COUNTS: usize = 44;

/// How a column is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
    /// Words that may be cut.
    Cut,
}

/// A table being put together.
#[derive(Debug, Default)]
pub struct Grid {
    columns: Vec<(String, Align)>,
    rows: Vec<Row>,
    has_rule: bool,
}

#[derive(Debug)]
struct Row {
    cells: Vec<String>,
    lines: Vec<String>,
}

impl Grid {
    /// A table with these columns.
    pub fn new<S: AsRef<str>>(columns: &[(S, Align)]) -> Grid {
        let columns = columns
            .iter()
            .map(|(name, align)| (name.as_ref().to_owned(), *align))
            .collect();
        Grid {
            columns,
            rows: Vec::new(),
            has_rule: false,
        }
    }

    /// The same table with a rule under its head.
    #[must_use]
    pub fn with_rule(self) -> Grid {
        Grid {
            has_rule: true,
            ..self
        }
    }

    /// Adds a row, one cell per column, and the lines that stand under it.
    pub fn row(&mut self, cells: Vec<String>, lines: Vec<String>) {
        self.rows.push(Row { cells, lines });
    }

    /// Writes it, no wider than `width` as far as the column that may be cut allows.
    pub fn write(&self, out: &mut dyn Write, width: usize) -> io::Result<()> {
        out.write_all(self.text(width).as_bytes())
    }

    /// The same as text.
    pub fn text(&self, width: usize) -> String {
        let widths = self.widths(width);
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
        let mut text = String::new();
        self.push_line(&mut text, &names, &widths);
        if self.has_rule {
            let rules: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
            self.push_line(&mut text, &rules, &widths);
        }
        for row in &self.rows {
            self.push_line(&mut text, &row.cells, &widths);
            for line in &row.lines {
                text.push_str(line);
                text.push('\n');
            }
        }
        text
    }

    fn widths(&self, width: usize) -> Vec<usize> {
        let cell = |row: &Row, at: usize| row.cells.get(at).map_or(0, |cell| cell.width());
        let mut widths: Vec<usize> = (0..self.columns.len())
            .zip(&self.columns)
            .map(|(at, (name, _))| {
                self.rows
                    .iter()
                    .map(|row| cell(row, at))
                    .fold(name.width(), usize::max)
            })
            .collect();
        let last = widths.len().saturating_sub(1);
        let taken: usize = widths
            .iter()
            .zip(&self.columns)
            .enumerate()
            .filter(|(_, (_, (_, align)))| *align != Align::Cut)
            .map(|(at, (width, _))| {
                if at == last {
                    *width.min(&LAST_COUNTS)
                } else {
                    *width
                }
            })
            .sum();
        let room = width.saturating_sub(taken + 2 * last).max(LEAST);
        for (width, (_, align)) in widths.iter_mut().zip(&self.columns) {
            if *align == Align::Cut {
                *width = room.min(*width);
            }
        }
        widths
    }

    fn push_line<S: AsRef<str>>(&self, text: &mut String, cells: &[S], widths: &[usize]) {
        let begin = text.len();
        for (at, ((cell, width), (_, align))) in cells.iter().zip(widths).zip(&self.columns).enumerate() {
            if at > 0 {
                text.push_str("  ");
            }
            let mut cell = cell.as_ref().to_owned();
            if *align == Align::Cut {
                cell = cut(&cell, *width);
            }
            let gap = " ".repeat(width.saturating_sub(cell.width()));
            match align {
                Align::Right => text.extend([gap, cell]),
                Align::Left | Align::Cut => text.extend([cell, gap]),
            }
        }
        let kept = text.get(begin..).map_or(0, |line| line.trim_end().len());
        text.truncate(begin + kept);
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_places() {
        let mut table = Grid::new(&[("#", Align::Right), ("title", Align::Cut), ("URL", Align::Left)]);
        let rows = [
            ("1", "Tea", "http://a.test/"),
            ("10", "緑茶の本", "http://b.test/"),
            ("11", "Thé", "http://c.test/"),
        ];
        for (rank, title, url) in rows {
            table.row([rank, title, url].map(str::to_owned).to_vec(), Vec::new());
        }
        let mut out = Vec::new();
        table.write(&mut out, 80).unwrap();
        let expected = "
 #  title     URL
 1  Tea       http://a.test/
10  緑茶の本  http://b.test/
11  Thé       http://c.test/
";
        assert_eq!(format!("\n{}", String::from_utf8(out).unwrap()), expected);
    }

    #[test]
    fn the_last_column_is_never_cut_and_the_other_keeps_a_little() {
        let url = format!("http://a.test/{}", "x".repeat(200));
        let mut table = Grid::new(&[("title", Align::Cut), ("URL", Align::Left)]);
        table.row(vec!["word ".repeat(30), url.clone()], vec!["   why".to_owned()]);
        let mut out = Vec::new();
        table.write(&mut out, 30).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "title             URL",
                &format!("word word word …  {url}"),
                "   why"
            ]
        );
    }
}
