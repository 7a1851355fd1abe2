//! Where a crawl starts: seed files written by people, and answers from search engines.
//!
//! They are trusted differently. A seed file is our own input: every bad line is reported, all at once. Answers come from
//! the web: anything that cannot be understood is left out, what was read before a fault is kept, and the size is
//! limited. Deliberately absent: fetching, and ranking URLs.

mod list;
pub mod search;

pub use crate::list::{BadLine, LineFault, SeedsError, parse_seeds, read_seeds};
