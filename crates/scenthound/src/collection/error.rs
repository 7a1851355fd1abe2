//! What can go wrong with a collection.

use std::io;
use std::path::PathBuf;

use scenthound_config::{BuildError, Faults};
use scenthound_frontier::FrontierError;
use scenthound_store::Error as StoreError;
use thiserror::Error;

use crate::LiveBuildError;
use crate::collection::marks::NotRead;
use crate::collection::pages::UnreadableLines;

/// Why a collection could not be read or marked.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CollectionError {
    /// There is no such folder.
    #[error("{} does not exist", .0.display())]
    Missing(PathBuf),
    /// The folder does not contain a crawl.
    #[error("{} does not contain a crawl", .0.display())]
    NoCrawl(PathBuf),
    /// The path is a file.
    #[error("{} is a file, not a crawl folder", .0.display())]
    NotAFolder(PathBuf),
    /// A file of the folder could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The settings of the crawl are not valid.
    #[error("{} is not valid: {faults}", path.display())]
    Settings {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        faults: Faults,
    },
    /// The parts of the crawl could not be built from the settings. Most often a file that they name is missing.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A live crawl could not be built from the settings.
    #[error(transparent)]
    LiveBuild(#[from] LiveBuildError),
    /// A crawl is running, and only it can see its frontier.
    #[error("process {pid} is crawling")]
    Crawling {
        /// The process; 0 if its number is unknown.
        pid: u32,
    },
    /// The frontier could not be opened.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    /// The status file could not be read.
    #[error("could not read {}", path.display())]
    StatusUnreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The status file could not be parsed, or the status could not be serialized.
    #[error("{} is damaged; the next run of the crawl replaces it", path.display())]
    StatusDamaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// Pages should be ranked by layer, but none has one.
    #[error("no page has a layer to rank by")]
    NoLayers,
    /// Pages should be ranked by importance, but the crawl did not use cash.
    #[error("the strategy of this crawl does not use cash, so no importance is known")]
    NoCash,
    /// The crawl counted its cash in a finer unit from some page on, and the records do not say which.
    #[error(
        "the cash of this crawl became so small that it was counted in a finer unit, so what pages had does not add up"
    )]
    FinerCash,
    /// Pages were judged again, which distributes cash anew.
    #[error("pages have been judged again since they were fetched, which distributes cash anew")]
    CashAnew,
    /// Some of the URLs to mark are not pages of the collection, so none was marked.
    #[error("{} of the URLs are not pages that were read", .0.len())]
    NotRead(Vec<NotRead>),
}

/// A problem that did not prevent an answer but may affect it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Warning {
    /// The settings are not valid, so what depends on them is missing.
    #[error(transparent)]
    Settings(CollectionError),
    /// The figures that the crawl wrote could not be read, so they were counted from the records.
    #[error(transparent)]
    StatusFile(CollectionError),
    /// Where a URL's cash came from could not be worked out.
    #[error("could not work out where the cash came from")]
    Cash(#[source] CollectionError),
    /// The cash that pages have gathered since they were visited is not known.
    #[error("importance leaves out the cash that pages have gathered since they were visited")]
    HeldCash(#[source] CollectionError),
    /// Some lines of the records were skipped.
    #[error("{0}")]
    UnreadableLines(UnreadableLines),
}
