//! Full-text search: in one crawl with the filters of the list, or as `hound search --json` prints it.

use axum::extract::State;
use bytes::Bytes;
use scenthound::RankSettings;
use scenthound_search::Hit;
use serde::Deserialize;
use serde_json::json;

use super::extract::{Path, Query};
use super::pages::{MOST_LISTED, PageLine, PagesQuery};
use super::{Answer, ApiError, Shared, json_response};
use crate::crawl::ServedCrawl;

/// Hits further down than this are not fetched: nobody reads them, and the index would have to rank them all.
const DEEPEST: usize = 10_000;

fn settings(query: &PagesQuery) -> RankSettings {
    let list = |text: &str| match text {
        "" => Vec::new(),
        text => vec![text.to_owned()],
    };
    RankSettings {
        relevant_only: query.relevant == "yes",
        with_duplicates: query.duplicates,
        with_hidden: query.hidden,
        genres: list(&query.genre),
        languages: list(&query.language),
        hosts: list(&query.host),
        min_relevance: query.min,
        ..RankSettings::default()
    }
}

/// The pages of a crawl whose text matches, best first.
pub(super) fn in_crawl(crawl: &ServedCrawl, query: &PagesQuery) -> Result<Bytes, ApiError> {
    let top = query.offset.saturating_add(query.limit()).min(DEEPEST);
    let found = crawl
        .search()?
        .search(&query.q, &settings(query), top)
        .map_err(ApiError::failed)?;
    let marks = crawl.marks()?;
    let index = crawl.index();
    let pages: Vec<PageLine<'_>> = found
        .hits
        .iter()
        .skip(query.offset)
        .filter_map(|hit| {
            let (number, _) = index.find(u64::from_str_radix(&hit.id, 16).ok()?)?;
            let mut line = PageLine::of(&index, number, &marks)?;
            line.snippet = pieces(hit);
            Some(line)
        })
        .collect();
    super::json(&json!({
        "total": found.total, "all": index.pages.len(), "offset": query.offset, "pages": pages,
        "read": crawl.share_read(),
    }))
}

/// The snippet in pieces, so that no client has to count bytes.
fn pieces(hit: &Hit) -> Vec<(String, bool)> {
    let mut pieces = Vec::new();
    let mut done = 0;
    for range in &hit.highlights {
        let (Some(before), Some(word)) = (hit.snippet.get(done..range.start), hit.snippet.get(range.clone()))
        else {
            continue;
        };
        if !before.is_empty() {
            pieces.push((before.to_owned(), false));
        }
        pieces.push((word.to_owned(), true));
        done = range.end;
    }
    if let Some(rest) = hit.snippet.get(done..).filter(|rest| !rest.is_empty()) {
        pieces.push((rest.to_owned(), false));
    }
    pieces
}

/// What to search for.
#[derive(Debug, Deserialize)]
pub(super) struct SearchQuery {
    q: String,
    #[serde(default)]
    top: Option<usize>,
}

/// `GET /crawls/{crawl}/search`: the hits as `hound search --json` prints them.
pub(super) async fn search(
    State(served): Shared,
    Path(id): Path<String>,
    Query(query): Query<SearchQuery>,
) -> Answer {
    let bytes = served
        .read(move |served| {
            let crawl = served.crawl(&id)?;
            let top = query.top.unwrap_or(10).clamp(1, MOST_LISTED);
            let found = crawl
                .search()?
                .search(&query.q, &RankSettings::default(), top)
                .map_err(ApiError::failed)?;
            super::json(&json!({ "total": found.total, "hits": found.hits }))
        })
        .await?;
    Ok(json_response(bytes))
}
