//! Tables as wide as the terminal.

use std::io::{self, Write};

pub use scenthound_report::text::{Align, Grid as Table};

use crate::terminal::{Stream, Style};

/// The number of characters per line of results.
pub fn terminal_width() -> usize {
    Stream::Out.width()
}

/// Writes a table as wide as the terminal, with its head in bold where that can be shown.
pub fn show(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let text = table.text(terminal_width());
    match text.split_once('\n') {
        Some((head, rows)) => {
            writeln!(out, "{}", Stream::Out.styled(Style::Bold, head))?;
            out.write_all(rows.as_bytes())
        }
        None => out.write_all(text.as_bytes()),
    }
}
