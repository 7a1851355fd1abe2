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
mod flusher;
mod memory;
mod outage;
mod record;
mod rejudge;
mod request_log;
mod spacing;
mod stages;
mod station;
mod steer;
mod worker;

use scenthound_engine::CrawlError;
use scenthound_fetch::FetchError;
use scenthound_frontier::FrontierError;
use thiserror::Error;

pub use clock::Clock;
pub use drive::{
    Ended, LiveEvent, LiveSettings, Snapshot, StopSwitch, Summary, crawl, crawl_in_cluster, crawl_steered,
};
pub use rejudge::{
    Lessons, NodeLessons, Rejudged, Repaired, rank, rejudge, rejudge_node, repair, repair_node, teach_by_node,
};
pub use stages::{Stage, StageTimes};
pub use station::ClusterNode;
pub use steer::Steered;

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
    /// The cluster could not be joined.
    #[error(transparent)]
    Cluster(#[from] scenthound_cluster::RedisFault),
    /// The worker threads could not be started.
    #[error("could not start the worker threads")]
    Threads(#[source] std::io::Error),
}

impl LiveError {
    /// Whether Redis did not answer, and the same may succeed later.
    pub fn is_passing(&self) -> bool {
        match self {
            LiveError::Cluster(fault) => fault.is_passing(),
            LiveError::Frontier(error) | LiveError::Crawl(CrawlError::Frontier(error)) => {
                scenthound_cluster::is_passing(error)
            }
            _ => false,
        }
    }

    /// Whether the node has lost its shards to others, and may join again as a new one would.
    pub fn is_lost(&self) -> bool {
        match self {
            LiveError::Frontier(error) | LiveError::Crawl(CrawlError::Frontier(error)) => {
                scenthound_cluster::is_lost(error)
            }
            _ => false,
        }
    }
}
