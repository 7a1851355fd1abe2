//! How wide tables may be on this terminal.

pub use scenthound_report::text::{Align, Grid as Table};

/// The width of a table if the shell does not say.
const DEFAULT_WIDTH: usize = 100;

/// The characters of a line: `COLUMNS`, where the shell sets it.
pub fn terminal_width() -> usize {
    let given = std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.trim().parse().ok());
    given
        .filter(|columns| (20..=1_000).contains(columns))
        .unwrap_or(DEFAULT_WIDTH)
}
