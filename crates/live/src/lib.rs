//! The crawl on the real web: sockets, a clock, threads and files around the engine's state machine.
//!
//! One thread owns the crawl: it hands out leases, settles results, and commits. Requests run on a small pool of worker
//! threads. Each worker also parses, judges and packs what it fetched, so that the owner only moves results. Workers send
//! them to the owner through one channel.
//!
//! **Invariant:** nothing here decides anything about URLs. The engine decides what to fetch, when, and what follows.
//!
//! Commit order: archive records and page lines are appended and handed to the system; then one batch in the store holds the
//! page's state, all updates and both file lengths. Killed at any moment, a crawl resumes from its last commit.
//!
//! [`rejudge`] repeats a crawl from these records with another judge, with the same engine and no sockets.
#![allow(
    clippy::disallowed_methods,
    reason = "this is the driver that brings the clock in"
)]

mod clock;
mod descriptors;
mod drive;
mod outage;
mod record;
mod rejudge;
mod spacing;
mod steer;
mod worker;

use scenthound_engine::CrawlError;
use scenthound_fetch::FetchError;
use scenthound_frontier::FrontierError;
use thiserror::Error;

pub use clock::Clock;
pub use drive::{Ended, LiveEvent, LiveSettings, Snapshot, StopSwitch, Summary, crawl, crawl_and_learn};
pub use rejudge::{Lessons, Rejudged, Repaired, rejudge, repair};

/// Why the live driver cannot go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LiveError {
    /// The crawl folder failed.
    #[error(transparent)]
    Store(#[from] scenthound_store::Error),
    /// The stored frontier failed.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    /// The crawl failed.
    #[error(transparent)]
    Crawl(#[from] CrawlError),
    /// The fetcher could not be set up.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// There are pages, but the state that belongs to them is missing.
    #[error(
        "{} holds pages, but its state/ folder is missing; to rebuild it from the archive and the page records, run hound \
         repair {}",
        folder.display(),
        folder.display()
    )]
    StateLost {
        /// The crawl folder.
        folder: std::path::PathBuf,
    },
    /// The worker threads could not be started.
    #[error("could not start the worker threads")]
    Threads(#[source] std::io::Error),
}
