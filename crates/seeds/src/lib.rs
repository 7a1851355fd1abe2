//! Where a crawl starts: seed files written by people, answers from search engines, and sitemaps offered by hosts.
//!
//! They are trusted differently. A seed file is our own input: every bad line is reported, all at once. Answers and
//! sitemaps come from the web: anything that cannot be understood is left out, what was read before a fault is kept,
//! and the size is limited. Deliberately absent: fetching, and ranking URLs.

mod list;
pub mod search;
mod sitemap;

pub use crate::list::{BadLine, LineFault, SeedsError, parse_seeds, read_seeds};
pub use crate::sitemap::{Location, Sitemap, SitemapEntry, SitemapKind, SitemapLimits};
