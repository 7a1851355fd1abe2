//! Tables and charts without markup: for terminals, for Markdown pages and for spreadsheets.
//!
//! Places are counted as a terminal shows them, so a wide character takes two. No output holds a control character other
//! than the end of a line. Deliberately absent: colours, and the width of anybody's terminal.

mod chart;
mod csv;
mod grid;
mod markdown;
mod tabular;

pub use chart::{harvest_curve, sparkline};
pub(crate) use csv::number;
pub use csv::{csv, csv_line};
pub use grid::{Align, Grid};
pub use markdown::{markdown, markdown_text};
pub use tabular::tabular;
