//! Recorded webs: any WARC becomes a web that can be crawled again, without its bytes.
//!
//! [`RecordedWeb`] holds every page parsed (words, links, anchors, contexts) in a compact form. Parsing takes its time, so
//! it is done once and kept in a cache file. [`WebFolder`] is a recorded web with what people know about it: labels, and
//! tasks that say which pages are to be found from where.
//!
//! Invariant: a page read back from the compact form judges and links exactly as the page parsed from the bytes.
//!
//! Deliberately absent: crawling, judging, clocks. What was not recorded is said to be so, never guessed.

mod build;
mod cache;
mod encode;
mod fault;
mod folder;
mod labels;
pub(crate) mod response;
mod task;
mod web;

pub use crate::recorded::build::{Progress, build};
pub use crate::recorded::fault::RecordedFault;
pub use crate::recorded::folder::{Opened, WebFolder, archives_of};
pub use crate::recorded::labels::Labels;
pub use crate::recorded::task::{Task, TaskPages};
pub use crate::recorded::web::{PageId, RecordedWeb, Spot, UrlId};
