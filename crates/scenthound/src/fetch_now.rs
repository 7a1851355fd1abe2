//! Fetching a few pages by URL: a crawl of these URLs alone, in a temporary folder.
//!
//! Everything a crawl observes is observed here too: robots rules, delays between requests, the address guard, limits of size
//! and time, redirects. Links are not followed.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::time::Duration;

use scenthound_config::{BuildError, Settings};
use scenthound_engine::SitemapUse;
use scenthound_live::{Ended, LiveError};
use scenthound_store::{CrawlFolder, CrawlView, Error as StoreError, PageRecord};
use scenthound_types::{CanonicalUrl, LeaseKind, ParsedPage};
use tempfile::TempDir;
use thiserror::Error;

use crate::collection::each_record;
use crate::stored_page::page_of_response;
use crate::{CollectionError, LiveBuildError, StopHandle, live_settings};

/// Redirects followed from a URL to its page.
const MOST_REDIRECTS: usize = 20;
/// Fetching ends after this long, whatever is left.
const MOST_TIME: Duration = Duration::from_secs(600);

/// Why pages could not be fetched at all. What a single URL led to is a [`NotFetched`].
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FetchNowError {
    /// The settings.
    #[error(transparent)]
    Live(#[from] LiveBuildError),
    /// The judge or the strategy of the settings.
    #[error(transparent)]
    Parts(#[from] BuildError),
    /// The temporary folder.
    #[error("could not create a temporary folder for the pages")]
    Folder(#[source] io::Error),
    /// The files in it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The records in it.
    #[error(transparent)]
    Records(Box<CollectionError>),
    /// The crawl.
    #[error(transparent)]
    Crawl(#[from] LiveError),
    /// The stop handle was used.
    #[error("interrupted")]
    Interrupted,
}

impl From<CollectionError> for FetchNowError {
    fn from(error: CollectionError) -> FetchNowError {
        FetchNowError::Records(Box::new(error))
    }
}

impl FetchNowError {
    /// Whether other settings would help.
    pub fn is_bad_input(&self) -> bool {
        matches!(self, FetchNowError::Live(_))
    }
}

/// Why a URL led to no page.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum NotFetched {
    /// The request for it, or for its host's robots.txt, ended otherwise.
    Failed(Box<PageRecord>),
    /// There was a response, but not one with status 200 and a content type that is read.
    NotAPage,
    /// No request was made: its host could not be asked.
    NotAsked,
}

impl fmt::Display for NotFetched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotFetched::Failed(record) => write!(f, "{}", record.outcome),
            NotFetched::NotAPage => f.write_str("it is not a readable page with status 200"),
            NotFetched::NotAsked => f.write_str("its host could not be asked"),
        }
    }
}

/// Pages that were just fetched. They lie in a temporary folder that goes with this value.
#[derive(Debug)]
pub struct FetchedPages {
    view: CrawlView,
    by_url: HashMap<String, PageRecord>,
    robots: HashMap<String, PageRecord>,
    _folder: TempDir,
}

impl FetchedPages {
    /// The page that a URL led to, through redirects.
    pub fn page(&self, url: &CanonicalUrl) -> Result<Result<ParsedPage, NotFetched>, StoreError> {
        let record = match self.record(url) {
            Ok(record) => record,
            Err(why) => return Ok(Err(why)),
        };
        let stored = record
            .archive
            .as_ref()
            .map(|position| self.view.record(position))
            .transpose()?;
        let page = CanonicalUrl::parse(&record.url)
            .ok()
            .zip(stored)
            .and_then(|(from, stored)| page_of_response(&from, &stored.http()?));
        Ok(page.ok_or(NotFetched::NotAPage))
    }

    fn record(&self, url: &CanonicalUrl) -> Result<&PageRecord, NotFetched> {
        let mut at = url.as_str();
        for _ in 0..MOST_REDIRECTS {
            match self.by_url.get(at) {
                Some(record) if record.is_judged_page() => return Ok(record),
                Some(PageRecord {
                    final_url: Some(to), ..
                }) => at = to,
                Some(record) => return Err(NotFetched::Failed(Box::new(record.clone()))),
                None => break,
            }
        }
        // A host whose rules could not be fetched is asked for nothing. What is wrong with the host is what went wrong.
        let host = self.robots.get(url.robots_txt().as_str());
        Err(match host.filter(|record| !record.is_ok()) {
            Some(record) => NotFetched::Failed(Box::new(record.clone())),
            None => NotFetched::NotAsked,
        })
    }
}

/// Fetches URLs, each once. Of the settings only how requests are made counts: delays, contact, networks, limits.
pub fn fetch_pages(
    urls: &[CanonicalUrl],
    settings: &Settings,
    stop: &StopHandle,
) -> Result<FetchedPages, FetchNowError> {
    let mut settings = settings.clone();
    settings.seeds.urls = urls.to_vec();
    settings.crawl.depth = Some(0);
    settings.crawl.sitemaps = SitemapUse::Off;
    settings.crawl.retries = 1;
    settings.crawl.max_time = Some(MOST_TIME);
    let live = live_settings(&settings)?;
    let temp = tempfile::tempdir().map_err(FetchNowError::Folder)?;
    let folder = CrawlFolder::open_or_create(&temp.path().join("pages"))?;
    let summary = scenthound_live::crawl(
        &folder,
        live,
        settings.judge()?,
        settings.agents(&settings.seeds.urls)?,
        stop.switch(),
        &mut |_| {},
    )?;
    if summary.ended == Ended::Interrupted {
        return Err(FetchNowError::Interrupted);
    }
    let view = CrawlView::open(folder.layout().root())?;
    let mut by_url: HashMap<String, PageRecord> = HashMap::new();
    let mut robots = HashMap::new();
    // The records were written a moment ago by this program, so none is unreadable.
    each_record(&view, |_, record| {
        let records = match record.kind {
            LeaseKind::Robots => &mut robots,
            LeaseKind::Page | LeaseKind::Sitemap | LeaseKind::Requisite => &mut by_url,
        };
        records.insert(record.url.clone(), record);
    })?;
    Ok(FetchedPages {
        view,
        by_url,
        robots,
        _folder: temp,
    })
}
