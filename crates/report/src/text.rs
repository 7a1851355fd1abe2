//! Tables and charts without markup: for terminals, for Markdown pages and for spreadsheets.
//!
//! Widths are counted in terminal columns, so a wide character takes two. No output contains a control character
//! other than line ends. Deliberately absent: colours, and the width of the terminal.

mod chart;
mod csv;
mod markdown;
mod tabular;

pub use chart::{harvest_curve, sparkline};
pub use csv::{csv, csv_line};
pub use markdown::{markdown, markdown_text};
pub use tabular::tabular;
