//! Where a crawl starts: seed files that a person wrote, and answers of search engines.
//!
//! They are trusted differently. A seed file is our own input: every bad line is reported, all at once. Answers
//! come from the web: whatever cannot be understood is left out, what was read before a fault is kept, and size is capped. Deliberately absent: fetching, and any opinion on which URL is worth how much.

mod list;
pub mod search;

pub use crate::list::{BadLine, LineFault, SeedsError, parse_seeds, read_seeds};
