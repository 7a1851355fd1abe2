//! A table in Markdown, and escaping of text for Markdown.

use crate::table::{Form, Owner, Table};
use crate::writing::plain;

/// The table in Markdown, with the best in bold.
pub fn markdown(table: &Table) -> String {
    let mut text = String::from("|");
    for column in &table.columns {
        text.push_str(&format!(" {} |", markdown_text(&column.name)));
    }
    text.push_str("\n|");
    for column in &table.columns {
        text.push_str(if column.form == Form::Words {
            "---|"
        } else {
            "---:|"
        });
    }
    text.push('\n');
    for (row, cells) in table.rows.iter().zip(table.written()) {
        text.push('|');
        for cell in cells {
            let mut shown = markdown_text(&cell.main);
            if !cell.error.is_empty() {
                shown.push_str(&format!(" ± {}", cell.error));
            }
            shown.push_str(cell.unit);
            // A paper's figures are quoted rather than ours, so they are in italics.
            let mark = match row.owner {
                _ if shown.is_empty() => "",
                Owner::Paper => "*",
                _ if cell.strong => "**",
                _ => "",
            };
            text.push_str(&format!(" {mark}{shown}{mark} |"));
        }
        text.push('\n');
    }
    text
}

/// Text on one line, with everything escaped that Markdown would interpret.
pub fn markdown_text(words: &str) -> String {
    let mut text = String::with_capacity(words.len());
    for c in plain(words).chars() {
        if matches!(
            c,
            '\\' | '|' | '*' | '_' | '`' | '[' | ']' | '<' | '>' | '#' | '~' | '&'
        ) {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Cell, Column};

    #[test]
    fn a_pipe_in_a_name_does_not_make_a_column() {
        let mut table = Table::new(vec![
            Column::words("a|b"),
            Column::new("n", Form::Decimals(1)).higher(),
        ]);
        table.push(Owner::Ours, vec!["<i>".into(), Cell::number(0.5, Some(0.1))]);
        table.push(Owner::Ours, vec!["x".into(), 0.2.into()]);
        table.push(Owner::Paper, vec!["paper".into(), 0.9.into()]);
        let expected =
            "| a\\|b | n |\n|---|---:|\n| \\<i\\> | **0.5 ± 0.1** |\n| x | 0.2 |\n| *paper* | *0.9* |\n";
        assert_eq!(markdown(&table), expected);
    }
}
