//! Tables and charts without markup: for terminals, for Markdown pages and for spreadsheets.
//!
//! Widths are counted in terminal columns, so a wide character takes two. No output contains a control character
//! other than line ends. Deliberately absent: colours, and the width of the terminal.

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
