//! Full-text search in collections.
//!
//! Each collection has an index in `search/`, made from the page records and the archive, while the crawl runs ([`Indexing`]) or
//! later. [`SearchIndex::open`] brings it up to date. The index itself holds what a page says; how it was judged is in a table
//! beside it, so that other judgements cost a new table and not a new index.
//!
//! **Invariant:** the index can be made again from the collection at any time. The table names the record that each page of the
//! index was made from and is written after it, so a crash loses at most the work since the last commit.
//!
//! Deliberately absent: ranking by anything but the words of the query.

mod error;
mod fields;
mod index;
mod indexing;
mod query;
mod records;
mod table;
mod words;

use std::ops::Range;
use std::path::PathBuf;

use scenthound::RankSettings;
use serde::Serialize;

pub use crate::error::SearchError;
pub use crate::index::SearchIndex;
pub use crate::indexing::Indexing;

/// A page that was found.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Hit {
    /// The folder of the collection.
    pub collection: PathBuf,
    /// The page's id, as in exports.
    pub id: String,
    /// Its URL.
    pub url: String,
    /// Its title.
    pub title: String,
    /// How well it matches the query.
    pub score: f32,
    /// How relevant the crawl judged it.
    pub relevance: Option<f64>,
    /// Whether it was judged relevant.
    pub relevant: bool,
    /// Its genre.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub genre: Option<String>,
    /// Its language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// When it was fetched.
    pub fetched_at: String,
    /// The part of the text that matches best.
    pub snippet: String,
    /// The words of the query in the snippet, as byte ranges.
    pub highlights: Vec<Range<usize>>,
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Found {
    /// How many pages match.
    pub total: usize,
    /// The best ones.
    pub hits: Vec<Hit>,
}

/// Searches several collections at once, best pages first.
pub fn search_all(
    indexes: &[SearchIndex],
    query: &str,
    pages: &RankSettings,
    top: usize,
) -> Result<Found, SearchError> {
    let mut all = Found::default();
    for index in indexes {
        let found = index.search(query, pages, top)?;
        all.total += found.total;
        all.hits.extend(found.hits);
    }
    all.hits
        .sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.url.cmp(&b.url)));
    all.hits.truncate(top);
    Ok(all)
}
