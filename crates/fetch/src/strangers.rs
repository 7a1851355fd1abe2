//! Hosts that have not answered yet, and how long they may take.
//!
//! Time limits are generous, because some hosts are slow. When hosts that have never answered hold many requests, others
//! should not have to wait that long for them.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use scenthound_types::CanonicalUrl;

/// How many hosts are remembered.
const MOST_MET: usize = 1 << 18;

pub(crate) struct Strangers {
    /// Hashes of the origins that have answered.
    met: Mutex<HashSet<u64>>,
    /// The limit for all others, in milliseconds.
    most: AtomicU64,
}

impl Default for Strangers {
    fn default() -> Strangers {
        Strangers {
            met: Mutex::default(),
            most: AtomicU64::new(u64::MAX),
        }
    }
}

impl Strangers {
    pub(crate) fn hurry(&self, most: Option<Duration>) {
        let millis = most.map_or(u64::MAX, |most| {
            u64::try_from(most.as_millis()).unwrap_or(u64::MAX)
        });
        self.most.store(millis, Ordering::Relaxed);
    }

    /// How long a host may take where `limit` is the usual limit.
    pub(crate) fn limit(&self, url: &CanonicalUrl, limit: Duration) -> Duration {
        let most = Duration::from_millis(self.most.load(Ordering::Relaxed));
        if most >= limit || self.lock().contains(&hash(url)) {
            limit
        } else {
            most
        }
    }

    /// Remembers that a host has answered.
    pub(crate) fn meet(&self, url: &CanonicalUrl) {
        let mut met = self.lock();
        if met.len() >= MOST_MET {
            met.clear();
        }
        met.insert(hash(url));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashSet<u64>> {
        self.met.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn hash(url: &CanonicalUrl) -> u64 {
    let mut hasher = DefaultHasher::new();
    url.origin().hash(&mut hasher);
    hasher.finish()
}
