//! Finding URLs: in archives, in crawl folders, on the web.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

use scenthound_store::{CrawlView, Position};
use scenthound_types::{CanonicalUrl, ParsedPage};

use super::{
    FetchInputs, InputError, InputNotice, MissingUrls, NamedPage, UnfetchedUrl, WantedUrl, files_under,
    is_crawl, is_warc, must_exist, named,
};
use crate::collection::each_record;
use crate::fetch_now::fetch_pages;
use crate::stored_page::{Flow, each_response, page_of_response};

/// A page of a crawl folder.
pub(super) struct Kept {
    pub(super) position: Position,
    pub(super) is_relevant: bool,
}

/// The judged pages of a crawl by the URL they were read from, as last fetched.
pub(super) fn kept_pages(
    view: &CrawlView,
    notice: &mut dyn FnMut(InputNotice),
) -> Result<BTreeMap<CanonicalUrl, Kept>, InputError> {
    let mut pages = BTreeMap::new();
    let bad = each_record(view, |_, record| {
        if !record.is_judged_page() {
            return;
        }
        let is_relevant = record.is_relevant();
        let url = record.final_url.as_deref().unwrap_or(&record.url);
        if let (Ok(url), Some(position)) = (CanonicalUrl::parse(url), record.archive) {
            pages.insert(
                url,
                Kept {
                    position,
                    is_relevant,
                },
            );
        }
    })?;
    bad.map(InputNotice::UnreadableLines).into_iter().for_each(notice);
    Ok(pages)
}

/// Finds URLs in archives and crawl folders, in the order asked for.
pub(super) fn look_up(
    web: &[PathBuf],
    wanted: &[WantedUrl],
    notice: &mut dyn FnMut(InputNotice),
) -> Result<Vec<NamedPage>, InputError> {
    let mut missing: HashSet<&CanonicalUrl> = wanted.iter().map(|wanted| &wanted.url).collect();
    let mut found: HashMap<CanonicalUrl, ParsedPage> = HashMap::new();
    for path in archives(web)? {
        if missing.is_empty() {
            break;
        }
        if path.is_dir() {
            let view = CrawlView::open(&path)?;
            for (url, kept) in kept_pages(&view, notice)? {
                if missing.contains(&url)
                    && let Some(page) = view
                        .record(&kept.position)?
                        .http()
                        .and_then(|response| page_of_response(&url, &response))
                {
                    missing.remove(&url);
                    found.insert(url, page);
                }
            }
            continue;
        }
        let damage = each_response(&path, |url, record| {
            if missing.contains(&url)
                && let Some(page) = record.http().and_then(|http| page_of_response(&url, &http))
            {
                missing.remove(&url);
                found.insert(url, page);
            }
            if missing.is_empty() {
                Flow::Stop
            } else {
                Flow::Continue
            }
        })?;
        damage
            .map(InputNotice::Damaged)
            .into_iter()
            .for_each(&mut *notice);
    }
    let lost: Vec<WantedUrl> = wanted
        .iter()
        .filter(|wanted| missing.contains(&wanted.url))
        .cloned()
        .collect();
    if !lost.is_empty() {
        let is_all = lost.len() == wanted.len();
        let missing = MissingUrls {
            searched: web.to_vec(),
            missing: lost,
        };
        if is_all {
            return Err(InputError::NoneFound(missing));
        }
        notice(InputNotice::Missing(missing));
    }
    Ok(wanted
        .iter()
        .filter_map(|wanted| found.remove(&wanted.url))
        .map(named)
        .collect())
}

/// Fetches URLs, in the order asked for.
pub(super) fn fetch(
    how: &FetchInputs,
    wanted: &[WantedUrl],
    notice: &mut dyn FnMut(InputNotice),
) -> Result<Vec<NamedPage>, InputError> {
    let urls: Vec<CanonicalUrl> = wanted.iter().map(|wanted| wanted.url.clone()).collect();
    notice(InputNotice::Fetching(urls.len()));
    let fetched = fetch_pages(&urls, &how.settings, &how.stop)?;
    let mut pages = Vec::new();
    let mut lost = Vec::new();
    for wanted in wanted {
        match fetched.page(&wanted.url)? {
            Ok(page) => pages.push(NamedPage {
                asked: Some(wanted.url.clone()),
                ..named(page)
            }),
            Err(why) => lost.push(UnfetchedUrl {
                wanted: wanted.clone(),
                why,
            }),
        }
    }
    if pages.is_empty() {
        return Err(InputError::NoneFetched(lost));
    }
    lost.into_iter().map(InputNotice::NotFetched).for_each(notice);
    Ok(pages)
}

/// WARC files and crawl folders. Any other folder stands for the WARC files in it.
pub(crate) fn archives(web: &[PathBuf]) -> Result<Vec<PathBuf>, InputError> {
    let mut archives = Vec::new();
    for path in web {
        must_exist(path)?;
        if path.is_dir() && !is_crawl(path) {
            let inside = files_under(path)?;
            let before = archives.len();
            archives.extend(inside.into_iter().filter(|file| is_warc(file)));
            if archives.len() == before {
                return Err(InputError::NoArchives(path.clone()));
            }
        } else if path.is_dir() || is_warc(path) {
            archives.push(path.clone());
        } else {
            return Err(InputError::NotAnArchive(path.clone()));
        }
    }
    Ok(archives)
}
