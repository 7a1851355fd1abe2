//! The crawl on the real web: sockets, a clock, threads and files around the engine's state machine.
//!
//! One thread owns the crawl: it hands out leases, settles answers, and commits. Requests run on a small pool of worker
//! threads; each also parses, judges and packs what it fetched, so that the owner only moves results. The two talk through
//! one channel.
//!
//! **Invariant:** nothing here decides anything about URLs. What to fetch, when, and what follows from it is the engine's.
//!
//! Commit order: archive records and page lines are appended and handed to the system, then one store batch holds the
//! page's state, all updates and both file lengths. Killed at any moment, a crawl opens as it was at its last commit.
//!
//! [`rejudge`] repeats a crawl from these records under another judge, with the same engine and no sockets.
#![allow(
    clippy::disallowed_methods,
    reason = "this is the driver that brings the clock in"
)]

mod clock;
mod drive;
mod record;
mod rejudge;
mod spacing;
mod worker;

use scenthound_engine::CrawlError;
use scenthound_fetch::FetchError;
use scenthound_frontier::FrontierError;
use thiserror::Error;

pub use clock::Clock;
pub use drive::{Ended, LiveEvent, LiveSettings, Snapshot, StopSwitch, Summary, crawl};
pub use rejudge::{Rejudged, rejudge};

/// What the live driver cannot do.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LiveError {
    /// The crawl folder.
    #[error(transparent)]
    Store(#[from] scenthound_store::Error),
    /// The frontier in it.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    /// The crawl.
    #[error(transparent)]
    Crawl(#[from] CrawlError),
    /// The fetcher's settings.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// There are pages, but no state that knows of them.
    #[error("{} holds pages, but its state/ is gone: begin in a new folder with -o, this one can only be read", folder.display())]
    StateLost {
        /// The crawl folder.
        folder: std::path::PathBuf,
    },
    /// The worker threads.
    #[error("could not start the worker threads")]
    Threads(#[source] std::io::Error),
}
