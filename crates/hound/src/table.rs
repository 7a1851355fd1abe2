//! Small tables in plain text, aligned by what a terminal shows: wide characters take two places.
//!
//! One column may be cut to fit the width; the last one never is, so that a URL can be copied. Lines may stand under a
//! row. Deliberately absent: colours and borders.

use std::io::{self, Write};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How wide a table is when nobody says.
const USUAL_WIDTH: usize = 100;
/// A cut column keeps this much, however narrow the terminal.
const LEAST: usize = 16;
/// The last column counts as no wider than this when room is shared out.
const LAST_COUNTS: usize = 44;

/// The places of a line: `COLUMNS`, where the shell gives it.
pub fn terminal_width() -> usize {
    let given = std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.trim().parse().ok());
    given
        .filter(|columns| (20..=1_000).contains(columns))
        .unwrap_or(USUAL_WIDTH)
}

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
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    cells: Vec<String>,
    lines: Vec<String>,
}

impl Table {
    /// A table with these columns.
    pub fn new(columns: &[(&str, Align)]) -> Table {
        let columns = columns
            .iter()
            .map(|(name, align)| ((*name).to_owned(), *align))
            .collect();
        Table {
            columns,
            rows: Vec::new(),
        }
    }

    /// Adds a row, one cell a column, and the lines that stand under it.
    pub fn row(&mut self, cells: Vec<String>, lines: Vec<String>) {
        self.rows.push(Row { cells, lines });
    }

    /// Writes it, no wider than `width` as far as the column that may be cut allows.
    pub fn write(&self, out: &mut dyn Write, width: usize) -> io::Result<()> {
        let widths = self.widths(width);
        let names: Vec<String> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        self.write_cells(out, &names, &widths)?;
        for row in &self.rows {
            self.write_cells(out, &row.cells, &widths)?;
            for line in &row.lines {
                writeln!(out, "{line}")?;
            }
        }
        Ok(())
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

    fn write_cells(&self, out: &mut dyn Write, cells: &[String], widths: &[usize]) -> io::Result<()> {
        let mut line = String::new();
        for (at, ((cell, width), (_, align))) in cells.iter().zip(widths).zip(&self.columns).enumerate() {
            if at > 0 {
                line.push_str("  ");
            }
            let cell = if *align == Align::Cut {
                cut(cell, *width)
            } else {
                cell.clone()
            };
            let gap = " ".repeat(width.saturating_sub(cell.width()));
            match align {
                Align::Right => line.extend([gap.as_str(), cell.as_str()]),
                Align::Left | Align::Cut => line.extend([cell.as_str(), gap.as_str()]),
            }
        }
        writeln!(out, "{}", line.trim_end())
    }
}

/// A text in at most `width` places, with `…` where something is missing.
pub fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut places = 0;
    for c in text.chars() {
        let wide = c.width().unwrap_or(0);
        if places + wide + 1 > width {
            break;
        }
        places += wide;
        kept.push(c);
    }
    if width > 0 {
        kept.push('…');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_places() {
        let mut table = Table::new(&[("#", Align::Right), ("title", Align::Cut), ("URL", Align::Left)]);
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
    fn a_cut_text_fits_and_says_that_it_was_cut() {
        assert_eq!(cut("green tea", 9), "green tea");
        assert_eq!(cut("green tea", 6), "green…");
        // Three characters would need six places and the mark one more.
        assert_eq!(cut("緑茶の本", 6), "緑茶…");
        assert_eq!(cut("緑茶", 0), "");
        assert_eq!(cut("e\u{301}e\u{301}e\u{301}", 2), "e\u{301}…");
    }

    #[test]
    fn the_last_column_is_never_cut_and_the_other_keeps_a_little() {
        let url = format!("http://a.test/{}", "x".repeat(200));
        let mut table = Table::new(&[("title", Align::Cut), ("URL", Align::Left)]);
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
