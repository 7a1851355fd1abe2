//! Where a crawl starts: seed files that a person wrote, answers of search engines, and sitemaps that a host offers.
//!
//! They are trusted differently. A seed file is our own input: every bad line is reported, all at once. Answers and
//! sitemaps come from the web: whatever cannot be understood is left out, what was read before a fault is kept, and size is
//! capped. Deliberately absent: fetching, and any opinion on which URL is worth how much.

mod list;
pub mod search;
mod sitemap;

pub use crate::list::{BadLine, LineFault, SeedsError, parse_seeds, read_seeds};
pub use crate::sitemap::{Location, Sitemap, SitemapEntry, SitemapKind, SitemapLimits};
