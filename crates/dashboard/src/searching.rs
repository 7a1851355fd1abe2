//! The search index of a crawl, brought up to date beside the requests.
//!
//! Building an index of a large crawl takes a while. Whoever searches meanwhile gets the hits of the index that there is, or is
//! told how far a first one has come; nobody is kept waiting for longer than a moment.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use scenthound::Collection;
use scenthound_search::SearchIndex;

use crate::api::ApiError;

/// The index of a growing crawl is brought up to date this often at most: it reads all records again.
const EVERY: Duration = Duration::from_secs(20);
/// How long a search waits for a first index. A small one is there by then.
const WAIT: Duration = Duration::from_secs(2);

#[derive(Default)]
struct State {
    /// The index, when it was brought up to date, and the length of the page records then.
    ready: Option<(Arc<SearchIndex>, Instant, u64)>,
    is_building: bool,
    /// Why the last attempt failed, until the next.
    failed: Option<String>,
}

/// The search index of one crawl.
#[derive(Default)]
pub(crate) struct Searching {
    state: Mutex<State>,
    changed: Condvar,
    /// Pages added so far by the attempt under way.
    added: AtomicU64,
}

impl Searching {
    /// The index as it is. Brings it up to date in the background if that is due.
    pub fn index(self: &Arc<Searching>, collection: &Collection) -> Result<Arc<SearchIndex>, ApiError> {
        let length = std::fs::metadata(collection.view().layout().pages()).map_or(0, |file| file.len());
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = match &state.ready {
            None => true,
            Some((_, at, reached)) => at.elapsed() >= EVERY && *reached != length,
        };
        if is_due && !state.is_building {
            state.is_building = true;
            state.failed = None;
            self.added.store(0, Ordering::Relaxed);
            let (building, collection) = (Arc::clone(self), collection.clone());
            let spawned = std::thread::Builder::new()
                .name("search".into())
                .spawn(move || building.build(&collection, length));
            if let Err(error) = spawned {
                state.is_building = false;
                return Err(ApiError::failed(error));
            }
        }
        let until = Instant::now() + WAIT;
        while state.ready.is_none() && state.is_building {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let (woken, _) = self
                .changed
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner);
            state = woken;
        }
        match (&state.ready, &state.failed) {
            (Some((index, ..)), _) => Ok(Arc::clone(index)),
            (None, Some(error)) => Err(ApiError::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "failed",
                error.clone(),
            )),
            // Nothing went wrong: the answer is on its way.
            (None, None) => Err(ApiError::new(
                StatusCode::ACCEPTED,
                "indexing",
                format!(
                    "the search index is being built; it has {} pages so far",
                    self.added.load(Ordering::Relaxed)
                ),
            )),
        }
    }

    /// Lets people search an index that the crawl made, before the latest pages are added to it.
    fn open_early(&self, collection: &Collection) {
        if let Ok(Some(index)) = SearchIndex::open_as_is(collection) {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            if state.ready.is_none() {
                state.ready = Some((Arc::new(index), Instant::now(), 0));
                self.changed.notify_all();
            }
        }
    }

    fn build(&self, collection: &Collection, length: u64) {
        crate::step_back();
        self.open_early(collection);
        let opened = SearchIndex::open(collection, &mut |added| {
            self.added.store(added, Ordering::Relaxed)
        });
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_building = false;
        match opened {
            Ok(index) => state.ready = Some((Arc::new(index), Instant::now(), length)),
            Err(error) => {
                tracing::warn!("the search index could not be brought up to date: {error}");
                state.failed = Some(ApiError::failed(error).message);
            }
        }
        drop(state);
        self.changed.notify_all();
    }
}
