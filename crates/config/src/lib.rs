//! Turns raw settings into checked settings, and reports every fault at once.
//!
//! Settings come from a topic file (or plain words) and from the command line, which wins. [`check`] reads both and
//! returns either [`Settings`] that every other crate may trust, or [`Faults`]: everything that is wrong, each with its
//! file, its line and what would be right. There is one list of options ([`options`]); the command line, the topic file,
//! the `crawl.toml` of a crawl folder and the rules for resuming are all made from it.
//!
//! Invariant: nothing is written here, and `check` of [`Settings::to_toml`] gives the same settings again.
//!
//! Checked settings build the parts of a crawl: [`Settings::judge`], [`Settings::strategy`], [`Settings::agents`] and the
//! limits around them. Deliberately absent: sockets and archives, which belong to the live crawl.

mod build;
mod check;
mod choice;
mod engine;
mod fault;
mod kind;
mod nearest;
mod option;
mod resume;
mod settings;
mod spec;
mod topic_file;
mod units;

pub use ipnet::IpNet;

pub use crate::build::{BuildError, genre_detector};
pub use crate::check::{Given, Surroundings, check, check_topic};
pub use crate::fault::{Fault, Faults, Location, Spot, Wrong};
pub use crate::kind::{Kind, Pattern};
pub use crate::option::{OnResume, OptionSpec, Shape};
pub use crate::resume::{Change, changes};
pub use crate::settings::{
    CrawlSettings, JudgeSettings, SeedSettings, Settings, StrategySettings, TermSettings, TopicSettings,
    options,
};
pub use crate::spec::{
    Spec, SpecError, default_of_judge, judge_settings, spelled_as_spec, strategy_settings,
};
pub use crate::units::{read_size, read_time};
