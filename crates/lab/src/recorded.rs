//! Recorded webs: any WARC file becomes a web that can be crawled again, without its bytes.
//!
//! [`RecordedWeb`] holds every page parsed (words, links, anchors, contexts) in a compact form. Parsing is slow, so it is
//! done once and the result is cached in a file. [`WebFolder`] is a recorded web with what people know about it: labels, and
//! tasks that say which pages to find and where to start.
//!
//! Invariant: a page read back from the compact form is judged and linked exactly like the page parsed from the bytes.
//!
//! Deliberately absent: crawling, judging, clocks. What was not recorded is reported as such, never guessed.

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
