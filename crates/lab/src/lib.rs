//! Crawls without a network: a written, recorded or synthetic web, and a clock that only the crawl moves.
//!
//! [`replay`] drives the same state machine as the live crawler, with the same parser, judge and strategy, but answers
//! come from a [`World`] and time is a number. So a crawl that would take a night under politeness takes a moment, and the
//! same seed, web and settings give the same journal, byte for byte.
//!
//! Deliberately absent: real clocks, threads and sockets.

mod answer;
mod journal;
mod replay;

pub use journal::Journal;
pub use replay::{LabSettings, Run, replay};
pub use scenthound_worlds::World;
