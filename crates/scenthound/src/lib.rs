//! A focused web crawler to embed in other programs.

mod live;

pub use live::{LiveBuildError, live_settings};
