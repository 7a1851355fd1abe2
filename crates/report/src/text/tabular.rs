//! A table in aligned plain text.

use unicode_width::UnicodeWidthStr;

use super::grid::{Align, Grid};
use crate::table::{Form, Owner, Table, Written};
use crate::writing::{cut, plain};

/// Text columns are cut beyond this width.
const WIDEST_WORDS: usize = 40;

/// The widths of a column's parts.
#[derive(Default)]
struct Widths {
    main: usize,
    error: usize,
    unit: usize,
    mark: usize,
    whole: usize,
}

/// The table as lines: names, a rule, rows. Numbers, errors and the star for the best are aligned.
pub fn tabular(table: &Table) -> String {
    let mut written = table.written();
    for (row, cells) in table.rows.iter().zip(&mut written) {
        if let (Owner::Paper, Some(first)) = (row.owner, cells.first_mut()) {
            first.main.insert_str(0, "└ ");
        }
        for (column, cell) in table.columns.iter().zip(cells) {
            if column.form == Form::Words {
                cell.main = cut(&cell.main, WIDEST_WORDS);
            }
        }
    }
    let names: Vec<String> = table.columns.iter().map(|column| plain(&column.name)).collect();
    let widths: Vec<Widths> = names
        .iter()
        .enumerate()
        .map(|(at, name)| widths(name, written.iter().filter_map(|row| row.get(at))))
        .collect();

    let columns = names.into_iter().zip(&table.columns);
    let columns: Vec<(String, Align)> = columns.map(|(name, column)| (name, side(column.form))).collect();
    let mut grid = Grid::new(&columns).with_rule();
    for row in &written {
        let cells = row.iter().zip(&widths).zip(&table.columns);
        let cells = cells.map(|((cell, widths), column)| set(cell, widths, column.form));
        grid.row(cells.collect(), Vec::new());
    }
    // No column is of the kind that is cut to a width.
    grid.text(usize::MAX)
}

fn side(form: Form) -> Align {
    match form {
        Form::Words => Align::Left,
        _ => Align::Right,
    }
}

fn widths<'a>(name: &str, cells: impl Iterator<Item = &'a Written>) -> Widths {
    let mut widths = Widths::default();
    for cell in cells {
        widths.main = widths.main.max(cell.main.width());
        widths.error = widths.error.max(cell.error.width());
        widths.unit = widths.unit.max(cell.unit.width());
        widths.mark = widths.mark.max(usize::from(cell.strong));
    }
    let sign = if widths.error > 0 { 3 } else { 0 };
    widths.whole = (widths.main + sign + widths.error + widths.unit + widths.mark).max(name.width());
    widths
}

fn set(cell: &Written, widths: &Widths, form: Form) -> String {
    let mark = if cell.strong { "*" } else { "" };
    if form == Form::Words {
        return aside(&format!("{}{mark}", cell.main), widths.whole, form);
    }
    // Text among numbers extends as far right as a number with its error and unit.
    let places = if cell.unit.is_empty() && cell.error.is_empty() && !is_figure(&cell.main) {
        widths.whole - widths.mark
    } else {
        widths.main
    };
    let mut parts = aside(&cell.main, places, form);
    if places > widths.main {
        parts.push_str(&" ".repeat(widths.mark));
        return parts;
    }
    if cell.error.is_empty() {
        // The unit directly follows its number; the rest of the space for an error stays empty.
        parts.push_str(cell.unit);
        let room = if widths.error > 0 { 3 + widths.error } else { 0 };
        parts.push_str(&" ".repeat(room + widths.unit - cell.unit.width()));
    } else {
        let error = aside(&cell.error, widths.error, form);
        parts.push_str(&format!(" ± {error}{:<1$}", cell.unit, widths.unit));
    }
    parts.push_str(mark);
    if !cell.strong {
        parts.push_str(&" ".repeat(widths.mark));
    }
    aside(&parts, widths.whole, form)
}

fn is_figure(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || c == '-')
}

/// Text to the left, everything else to the right.
fn aside(text: &str, width: usize, form: Form) -> String {
    let space = " ".repeat(width.saturating_sub(text.width()));
    match form {
        Form::Words => format!("{text}{space}"),
        _ => format!("{space}{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Cell, Column};

    #[test]
    fn wide_characters_errors_and_stars_stay_in_their_places() {
        let mut table = Table::new(vec![
            Column::words("task"),
            Column::new("auc30", Form::Decimals(3)).higher(),
            Column::new("pages", Form::Count),
        ]);
        table.push(
            Owner::Ours,
            vec![
                "碩士班甄試".into(),
                Cell::number(0.5, Some(0.012)),
                1_200_u64.into(),
            ],
        );
        table.push(Owner::Paper, vec!["paper".into(), Cell::number(0.61, None)]);
        table.push(
            Owner::Ours,
            vec!["tea\u{1b}[2J".into(), Cell::number(0.25, Some(0.1)), 9_u64.into()],
        );
        let expected = "
task                 auc30  pages
──────────  ──────────────  ─────
碩士班甄試  0.500 ± 0.012*  1,200
└ paper     0.610
tea [2J     0.250 ± 0.100       9
";
        assert_eq!(format!("\n{}", tabular(&table)), expected);
    }

    #[test]
    fn a_table_of_nothing_is_its_head() {
        assert_eq!(tabular(&Table::default()), "\n\n");
        assert_eq!(tabular(&Table::new(vec![Column::words("a")])), "a\n─\n");
    }
}
