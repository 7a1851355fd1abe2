//! Comma-separated values as in RFC 4180: quotes where needed, lines ended by CR LF.
//!
//! Fields contain no control characters, so a field never spans lines. A field that a spreadsheet would run as a formula
//! gets an apostrophe in front: titles and URLs come from the web.

use crate::table::{Content, Table};
use crate::writing::plain;

/// A table with numbers at full precision. A column with any standard error is followed by a column of those.
pub fn csv(table: &Table) -> String {
    let has_errors = |at: usize| {
        table.rows.iter().any(|row| {
            matches!(
                row.cells.get(at).map(|cell| &cell.content),
                Some(Content::Number(_, Some(_)))
            )
        })
    };
    let errors: Vec<bool> = (0..table.columns.len()).map(has_errors).collect();
    let mut head = Vec::new();
    for (column, errors) in table.columns.iter().zip(&errors) {
        head.push(column.name.clone());
        if *errors {
            head.push(format!("{} s.e.", column.name));
        }
    }
    let mut text = csv_line(&head);
    for row in &table.rows {
        let mut fields = Vec::with_capacity(head.len());
        for (at, errors) in errors.iter().enumerate() {
            let (main, error) = match row.cells.get(at).map(|cell| &cell.content) {
                Some(Content::Words(words)) => (words.clone(), String::new()),
                Some(Content::Number(value, error)) => {
                    (number(*value), error.map(number).unwrap_or_default())
                }
                Some(Content::Empty) | None => (String::new(), String::new()),
            };
            fields.push(main);
            if *errors {
                fields.push(error);
            }
        }
        text.push_str(&csv_line(&fields));
    }
    text
}

/// A number at full precision, or empty if it is not finite.
pub fn number(value: f64) -> String {
    if value.is_finite() {
        format!("{value}")
    } else {
        String::new()
    }
}

/// One line of fields, with its line end.
pub fn csv_line<S: AsRef<str>>(fields: &[S]) -> String {
    let mut line = String::new();
    for (at, field) in fields.iter().enumerate() {
        if at > 0 {
            line.push(',');
        }
        let mut field = plain(field.as_ref());
        if is_formula(&field) {
            field.insert(0, '\'');
        }
        if field.contains([',', '"']) {
            line.push('"');
            line.push_str(&field.replace('"', "\"\""));
            line.push('"');
        } else {
            line.push_str(&field);
        }
    }
    line.push_str("\r\n");
    line
}

/// Whether a spreadsheet may take a field for a formula. Plain numbers are none, whatever their sign.
fn is_formula(field: &str) -> bool {
    let begins = field
        .trim_start()
        .starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    begins && field.parse::<f64>().is_err()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Cell, Column, Form, Owner};

    #[test]
    fn commas_and_quotes_are_quoted_and_line_breaks_are_gone() {
        assert_eq!(
            csv_line(&["a,b", "say \"tea\"", "two\r\nlines\u{0}", "旅遊", ""]),
            "\"a,b\",\"say \"\"tea\"\"\",two lines,旅遊,\r\n"
        );
    }

    #[test]
    fn formulas_are_made_text_and_numbers_stay_numbers() {
        for formula in [
            "=cmd|' /C calc'!A0",
            "+1+1",
            "-2+3",
            "@SUM(1)",
            " =1",
            "\t=1",
            "＝1",
            "-",
            "=HYPERLINK(1)",
        ] {
            assert!(csv_line(&[formula]).starts_with('\''), "{formula}");
        }
        assert_eq!(csv_line(&["=a,\"b\""]), "\"'=a,\"\"b\"\"\"\r\n");
        assert_eq!(
            csv_line(&["-1.5", "+2", "-1e-7", "a=b", "1-2"]),
            "-1.5,+2,-1e-7,a=b,1-2\r\n"
        );
    }

    #[test]
    fn errors_get_a_column_of_their_own_and_numbers_are_exact() {
        let mut table = Table::new(vec![Column::words("task"), Column::new("auc", Form::Decimals(1))]);
        table.push(
            Owner::Ours,
            vec!["tea".into(), Cell::number(0.123_456, Some(0.25))],
        );
        table.push(Owner::Ours, vec!["rye".into(), f64::NAN.into()]);
        assert_eq!(csv(&table), "task,auc,auc s.e.\r\ntea,0.123456,0.25\r\nrye,,\r\n");
    }
}
