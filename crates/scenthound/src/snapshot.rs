//! Copies a crawl folder, even while a crawl is running in it.

use std::path::Path;
use std::time::Duration;

use scenthound_frontier::HostPolicy;
use scenthound_store::{CrawlView, Snapshot};
use scenthound_types::{AgentId, Keyring};
use thiserror::Error;

use crate::collection::now;
use crate::crawler::{CrawlerError, earlier_settings};

/// Why a crawl folder could not be copied.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// Its settings could not be read.
    #[error(transparent)]
    Settings(#[from] CrawlerError),
    /// A file could not be read or written, or the copy would overwrite something.
    #[error(transparent)]
    Store(#[from] scenthound_store::Error),
}

/// Copies the crawl in a folder to a new or empty folder. A crawl that is running goes on; the copy is as if it had been killed at
/// that moment, and opens without loss.
pub fn snapshot(folder: &Path, to: &Path) -> Result<Snapshot, SnapshotError> {
    let view = CrawlView::open(folder)?;
    let keyring = earlier_settings(folder)?.map(|settings| Keyring::new(settings.crawl.seed));
    let policy = HostPolicy {
        delay: Duration::ZERO,
        agents: AgentId::MOST,
        ..HostPolicy::default()
    };
    let is_sound = |state: &Path| {
        keyring.is_none_or(|keyring| {
            scenthound_frontier_durable::open_read_only(state, policy.clone(), keyring, now()).is_ok()
        })
    };
    Ok(view.snapshot(to, &is_sound)?)
}
