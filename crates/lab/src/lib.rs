//! Crawls without a network: a written, recorded or synthetic web, and a clock that only the crawl moves.
//!
//! [`replay`] drives the same state machine as the live crawler, with the same parser, judge and strategy, but answers
//! come from a [`TestSite`] and time is a number. So a crawl that would take a night under politeness takes a moment, and the
//! same seed, web and settings give the same journal, byte for byte.
//!
//! Deliberately absent: real clocks, threads and sockets.

mod answer;
mod archive_site;
mod bound;
mod journal;
mod labelled_pages;
mod opinion;
mod reach;
pub mod recorded;
mod replay;
mod score;
pub mod synth;
mod synthetic;
mod topic;
mod trial;
mod web;
mod web_answers;

pub use archive_site::ArchiveSite;
pub use bound::greedy_order;
pub use journal::{Journal, PageRead};
pub use labelled_pages::{LabelledFound, LabelledPages};
pub use opinion::{CachedJudge, DirectJudge, Opinion, PageJudge, Truth};
pub use reach::reachable;
pub use replay::{LabSettings, Run, crawl_web, replay};
pub use scenthound_testweb::TestSite;
pub use score::{CrawlScore, RANKS_TOGETHER, RankedBy, Targets, Verdicts, f1_by_threshold, share_by_rank};
pub use synthetic::{CALENDAR_PAGES, Synthetic};
pub use topic::TopicFault;
pub use trial::{LabBudget, Outcome, Trial};
pub use web::{Links, Reply, Web};
