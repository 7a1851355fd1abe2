//! How pages were found: every page with the one that led to it.

use std::collections::HashMap;
use std::time::Duration;

use axum::extract::State;
use bytes::Bytes;
use serde::Deserialize;
use serde_json::json;

use super::extract::{Path, Query};
use super::pages::{page_id_of, rank_order};
use super::{Answer, ApiError, Shared, json_response};
use crate::crawl::ServedCrawl;
use crate::index::{PageIndex, PageNumber};

/// A map is made this often at most.
const MAP_EVERY: Duration = Duration::from_secs(3);
/// Pages on a map, unless asked for more.
const PAGES: usize = 10_000;
/// Pages on a map at most.
const MOST_PAGES: usize = 50_000;
/// Characters of a title.
const TITLE: usize = 80;

/// How many pages to show.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct MapQuery {
    limit: Option<usize>,
}

/// `GET /crawls/{crawl}/map`.
pub(super) async fn map(
    State(served): Shared,
    Path(id): Path<String>,
    Query(query): Query<MapQuery>,
) -> Answer {
    let limit = query.limit.unwrap_or(PAGES).clamp(1, MOST_PAGES);
    let bytes = served
        .read(move |served| {
            let crawl = served.crawl(&id)?;
            crawl.answer(&format!("map {limit}"), MAP_EVERY, || draw(&crawl, limit))
        })
        .await?;
    Ok(json_response(bytes))
}

/// The pages to show: all, or the most relevant ones with everything on the way to them.
fn choose(index: &PageIndex, limit: usize) -> Vec<PageNumber> {
    let all = u32::try_from(index.pages.len()).unwrap_or(u32::MAX);
    if index.pages.len() <= limit {
        return (0..all).collect();
    }
    let mut ranked: Vec<PageNumber> = (0..all).collect();
    rank_order(index, &mut ranked, limit);
    let mut is_chosen = vec![false; index.pages.len()];
    let mut chosen = Vec::with_capacity(limit);
    for number in ranked {
        if chosen.len() >= limit {
            break;
        }
        for step in index.path_to(number) {
            if let Some(taken) = is_chosen.get_mut(step as usize)
                && !*taken
            {
                *taken = true;
                chosen.push(step);
            }
        }
    }
    chosen.sort_unstable();
    chosen
}

/// The columns of a table of pages; `parents` are places in it, or -1.
fn draw(crawl: &ServedCrawl, limit: usize) -> Result<Bytes, ApiError> {
    let index: &PageIndex = &crawl.index();
    let chosen = choose(index, limit);
    let places: HashMap<PageNumber, usize> = chosen.iter().copied().zip(0..).collect();
    let mut hosts: HashMap<u32, usize> = HashMap::new();
    let mut host_names = Vec::new();
    let (mut ids, mut parents, mut titles) = (Vec::new(), Vec::new(), Vec::new());
    let (mut relevances, mut relevant, mut of_hosts, mut seeds) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for number in &chosen {
        let Some(page) = index.page(*number) else { continue };
        let parent = index
            .find(page.parent)
            .filter(|(parent, _)| parent != number)
            .and_then(|(parent, _)| places.get(&parent));
        ids.push(page_id_of(page));
        parents.push(parent.map_or(-1, |place| i64::try_from(*place).unwrap_or(-1)));
        let title = match &*page.title {
            "" => &page.url,
            title => title,
        };
        titles.push(title.chars().take(TITLE).collect::<String>());
        relevances.push((page.relevance * 1000.0).round() / 1000.0);
        relevant.push(u8::from(page.is_relevant));
        seeds.push(u8::from(page.is_seed));
        of_hosts.push(*hosts.entry(page.host).or_insert_with(|| {
            host_names.push(index.host_of(page).to_owned());
            host_names.len() - 1
        }));
    }
    super::json(&json!({
        "all": index.pages.len(), "ids": ids, "parents": parents, "titles": titles, "relevance": relevances,
        "relevant": relevant, "seeds": seeds, "hosts": of_hosts, "host_names": host_names,
        "read": crawl.share_read(),
    }))
}
