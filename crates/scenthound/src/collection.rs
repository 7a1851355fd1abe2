//! A crawl folder as a collection of pages: read, ranked, explained and marked.
//!
//! A collection can be read at any time, even while a crawl is writing to it. The exception is the frontier, which only one
//! process can open: the queue can be read once the crawl has stopped.
//!
//! **Invariant:** reading changes nothing in the folder. Only [`Collection::mark`] and [`Collection::unmark`] write, and
//! they write only the user's own marks.
//!
//! Deliberately absent: sentences. Everything here is returned as values; whoever shows them chooses the words.

mod agents;
mod cash;
mod error;
mod explain;
mod export;
mod folding;
mod marks;
mod overview;
mod pages;
mod quadrant;
mod ranking;
mod seed_words;
mod status;
mod unmatched;

use std::path::Path;

use scenthound_config::{Settings, Surroundings, check};
use scenthound_frontier_durable::Peek;
use scenthound_live::Clock;
use scenthound_store::{CrawlView, Error as StoreError, RecordPlace};
use scenthound_types::{Keyring, Timestamp};

pub use agents::AgentStatus;
pub use cash::{CashFlow, CashSource};
pub use error::{CollectionError, Warning};
pub use explain::{
    Explanation, KnownVariant, OutsideScope, PathStep, QueueFacts, QueueUnknown, RobotsAnswer, UrlStanding,
};
pub use folding::{FoldedPage, Folding};
pub use marks::{NotRead, WhyNotRead};
pub use overview::{HostFigures, Overview};
pub(crate) use pages::each_record;
pub use pages::{Pages, UnreadableLines};
pub use quadrant::{Quadrant, QuadrantThresholds};
pub use ranking::{RankBy, RankSettings, RankedPage, RankedPages, Ranking, RankingCounts, is_genre};
pub use status::{
    Budget, BudgetMet, Budgets, CrawlState, FiguresFrom, HostInQueue, MarkCounts, QueueFigures, Status,
    StatusFile, StatusReport,
};
pub use unmatched::{Facet, Unmatched};

/// The pages a crawl has collected.
///
/// ```
/// use scenthound::{CanonicalUrl, Collection, RankSettings};
/// # use scenthound_store::{ArchiveSettings, CrawlFolder, Mark, PageRecord, RecordFiles};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let temporary = tempfile::tempdir()?;
/// # let folder = temporary.path();
/// # let crawl = CrawlFolder::open_or_create(folder)?;
/// # let (mut files, _) = RecordFiles::open(&crawl, ArchiveSettings::named("tea", 0), Mark::default())?;
/// # for (url, relevance) in [("http://tea.example/", 0.5), ("http://tea.example/green", 0.9)] {
/// #     files.append_page(&PageRecord {
/// #         url: url.to_owned(),
/// #         relevance: Some(relevance),
/// #         relevant: Some(true),
/// #         ..PageRecord::default()
/// #     })?;
/// # }
/// # files.mark()?;
/// let collection = Collection::open(folder)?;
/// let ranking = collection.ranked(&RankSettings::default())?;
/// for page in ranking.pages() {
///     let page = page?;
///     println!("{}. {}", page.rank, page.record.url);
/// }
/// # let best = ranking.pages().next().ok_or("no pages")??;
/// # assert_eq!(best.record.url, "http://tea.example/green");
/// assert_eq!(ranking.counts().relevant, 2);
///
/// let explanation = collection.explain(&CanonicalUrl::parse("http://tea.example/green")?)?;
/// assert_eq!(explanation.attempts.len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Collection {
    view: CrawlView,
}

impl Collection {
    /// Opens the collection in a crawl folder.
    pub fn open(folder: impl AsRef<Path>) -> Result<Collection, CollectionError> {
        let folder = folder.as_ref();
        match CrawlView::open(folder) {
            Ok(view) => {
                // A folder of another version is refused here, before anything is shown of it.
                if let Some(Err(error @ StoreError::OtherVersion { .. })) = view.pages()?.next() {
                    return Err(error.into());
                }
                Ok(Collection { view })
            }
            Err(StoreError::NoCrawl(path)) if !path.exists() => Err(CollectionError::Missing(path)),
            Err(StoreError::NoCrawl(path)) => Err(CollectionError::NoCrawl(path)),
            Err(StoreError::NotAFolder(path)) => Err(CollectionError::NotAFolder(path)),
            Err(error) => Err(error.into()),
        }
    }

    /// The folder it is in.
    pub fn folder(&self) -> &Path {
        self.view.layout().root()
    }

    /// The files of the folder, for callers that need more than a collection offers.
    pub fn view(&self) -> &CrawlView {
        &self.view
    }

    /// Every attempt at a URL, in the order they were settled: pages, robots.txt files and sitemaps, successful or not.
    pub fn pages(&self) -> Result<Pages, CollectionError> {
        Pages::open(&self.view)
    }

    /// The attempts after one that was read before, for callers that follow a crawl.
    pub fn pages_after(&self, last: RecordPlace) -> Result<Pages, CollectionError> {
        Pages::open_after(&self.view, last)
    }

    /// The settings of the crawl; `None` if it was stopped before it wrote them.
    pub fn settings(&self) -> Result<Option<Settings>, CollectionError> {
        let Some(text) = self.view.settings()? else {
            return Ok(None);
        };
        // Files named in the settings may have moved since, so only this one is read.
        let surroundings = Surroundings {
            folder: self.folder(),
            read: &|wanted| {
                Ok(if wanted.ends_with("crawl.toml") {
                    text.clone().into_bytes()
                } else {
                    Vec::new()
                })
            },
        };
        let settings =
            check("crawl.toml", &[], &surroundings).map_err(|faults| CollectionError::Settings {
                path: self.view.layout().settings(),
                faults,
            })?;
        let mut settings = settings;
        crate::steering::apply(&crate::steering::in_force(&self.view), &mut settings);
        Ok(Some(settings))
    }

    /// The process that is crawling in the folder, if there is one; 0 if its number is unknown. If the folder holds the pages of
    /// several nodes, the first of those that run on this machine.
    pub fn worker(&self) -> Result<Option<u32>, CollectionError> {
        let Some(nodes) = self.nodes() else {
            return Ok(self.view.worker()?);
        };
        for node in nodes {
            if let Some(worker) = node.view.worker()? {
                return Ok(Some(worker));
            }
        }
        Ok(None)
    }

    /// The nodes whose pages the folder holds, as far as their own folders are at hand; `None` if it is not one of several nodes.
    pub fn nodes(&self) -> Option<Vec<Collection>> {
        let folders = crate::gather::gathered_from(&self.view)?;
        let nodes = folders.iter().filter_map(|folder| CrawlView::open(folder).ok());
        Some(nodes.map(Collection::from).collect())
    }

    /// The settings. If they are not valid, adds a warning and returns `None`.
    fn settings_or_warn(&self, warnings: &mut Vec<Warning>) -> Option<Settings> {
        self.settings().unwrap_or_else(|error| {
            warnings.push(Warning::Settings(error));
            None
        })
    }

    /// The store of a crawl that is not running, to look up single URLs.
    fn peek(&self, settings: &Settings, now: Timestamp) -> Result<Peek, CollectionError> {
        if let Some(pid) = self.worker()? {
            return Err(CollectionError::Crawling { pid });
        }
        let keyring = Keyring::new(settings.crawl.seed);
        Ok(Peek::open(&self.view.layout().state(), keyring, now)?)
    }
}

impl From<CrawlView> for Collection {
    fn from(view: CrawlView) -> Collection {
        Collection { view }
    }
}

/// The current time, which decides whether a host is still resting.
pub fn now() -> Timestamp {
    Clock::system().now()
}

/// The id of a page: the same in every export and in the search index, and different for every URL.
pub fn page_id(url: &str) -> String {
    format!("{:016x}", Keyring::new(0).hash(url))
}

/// Hashes a URL for in-memory tables. Among a million URLs, the probability of any collision is about 1 in 40 million.
fn url_hash(url: &str) -> u64 {
    Keyring::new(0).hash(url)
}
