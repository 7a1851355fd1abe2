//! The width of tables on this terminal.

pub use scenthound_report::text::{Align, Grid as Table};

/// The width of a table if the shell does not set `COLUMNS`.
const DEFAULT_WIDTH: usize = 100;

/// The number of characters per line, from `COLUMNS` if the shell sets it.
pub fn terminal_width() -> usize {
    let given = std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.trim().parse().ok());
    given
        .filter(|columns| (20..=1_000).contains(columns))
        .unwrap_or(DEFAULT_WIDTH)
}
