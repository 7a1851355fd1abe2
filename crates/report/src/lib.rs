//! Turns the results of lab runs into what people read: statistics, tables, plots and one self-contained page.
//!
//! Everything here is a pure function from values to strings. The same input gives the same bytes: sums run in the
//! order of the input, and the report keeps the order of the runs.
//!
//! Deliberately absent: running anything, reading or writing files, the clock, random numbers, and any resource from
//! outside the page. [`compare::report`] is all that `hound lab compare` needs; [`experiment::Experiment`] puts our
//! figures beside a paper's.

pub mod compare;
pub mod experiment;
pub mod page;
pub mod plot;
pub mod stats;
pub mod table;
pub mod text;
mod writing;

pub use compare::{Report, ReportSettings, RunResult, report};
pub use experiment::{Experiment, side_by_side};
