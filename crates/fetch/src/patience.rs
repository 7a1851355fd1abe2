//! How long hosts may take while others wait for them.
//!
//! Time limits are generous, because some hosts are slow. When hosts that have never answered hold many requests, others
//! should not have to wait that long for them. When all requests are taken, nobody may be as slow as the limits allow: a few
//! hundred hosts that answered well once could otherwise hold everything for minutes.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use scenthound_types::CanonicalUrl;

/// How many hosts are remembered.
const MOST_MET: usize = 1 << 18;

/// How long a host may take until the first byte while all requests are taken.
const IN_A_CROWD: Duration = Duration::from_secs(10);
/// How much faster a body must then arrive.
const FASTER_IN_A_CROWD: usize = 32;

pub(crate) struct Patience {
    /// Hashes of the origins that have answered.
    met: Mutex<HashSet<u64>>,
    /// The limit for all others, in milliseconds.
    most: AtomicU64,
    /// Whether all requests are taken.
    is_crowded: AtomicBool,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            met: Mutex::default(),
            most: AtomicU64::new(u64::MAX),
            is_crowded: AtomicBool::new(false),
        }
    }
}

impl Patience {
    pub(crate) fn crowd(&self, is_crowded: bool) {
        self.is_crowded.store(is_crowded, Ordering::Relaxed);
    }

    /// The fewest bytes of a body in a window of time, where `usual` is the usual number.
    pub(crate) fn least_bytes(&self, usual: usize) -> usize {
        match self.is_crowded.load(Ordering::Relaxed) {
            true => usual.saturating_mul(FASTER_IN_A_CROWD),
            false => usual,
        }
    }

    pub(crate) fn hurry_strangers(&self, most: Option<Duration>) {
        let millis = most.map_or(u64::MAX, |most| {
            u64::try_from(most.as_millis()).unwrap_or(u64::MAX)
        });
        self.most.store(millis, Ordering::Relaxed);
    }

    /// How long a host may take where `limit` is the usual limit.
    pub(crate) fn limit(&self, url: &CanonicalUrl, limit: Duration) -> Duration {
        let limit = match self.is_crowded.load(Ordering::Relaxed) {
            true => limit.min(IN_A_CROWD),
            false => limit,
        };
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
