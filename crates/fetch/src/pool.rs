//! Connections kept for the next request to the same origin.
//!
//! A connection is reused only if it is still open and leads to an address the guard has just permitted. The oldest
//! are closed first when there are too many or they are too old. That happens whenever one is put back, so an unused
//! pool keeps what it has until it is dropped.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::channel::{Channel, Line};

struct Idle {
    number: u64,
    channel: Channel,
}

#[derive(Default)]
struct Connections {
    by_origin: HashMap<Arc<str>, Vec<Idle>>,
    /// Oldest first.
    by_age: BTreeMap<u64, (Arc<str>, Instant)>,
    next: u64,
}

impl Connections {
    fn remove(&mut self, origin: &str, number: u64) -> Option<Channel> {
        self.by_age.remove(&number);
        let idle = self.by_origin.get_mut(origin)?;
        let at = idle.iter().position(|idle| idle.number == number)?;
        let channel = idle.swap_remove(at).channel;
        if idle.is_empty() {
            self.by_origin.remove(origin);
        }
        Some(channel)
    }

    fn remove_shared(&mut self, origin: &str) -> Option<Channel> {
        let mut idle = self.by_origin.get(origin)?.iter();
        let shared = idle.find(|idle| matches!(idle.channel.line, Line::Many(_)))?;
        let number = shared.number;
        self.remove(origin, number)
    }
}

/// Idle connections by origin.
pub(crate) struct Pool {
    kept: Mutex<Connections>,
    most: usize,
    longest: Duration,
}

impl Pool {
    pub(crate) fn new(most: usize, longest: Duration) -> Pool {
        Pool {
            kept: Mutex::default(),
            most,
            longest,
        }
    }

    /// An open connection to this origin, at one of these addresses.
    pub(crate) async fn take(&self, origin: &str, addresses: &[SocketAddr]) -> Option<Channel> {
        loop {
            let mut channel = self.take_any(origin)?;
            if addresses.contains(&channel.target) && channel.is_open().await {
                return Some(channel);
            }
            self.forget_shared(origin);
        }
    }

    fn take_any(&self, origin: &str) -> Option<Channel> {
        let mut kept = self.lock();
        let newest = kept.by_origin.get(origin)?.last()?;
        if let Line::Many(shared) = &newest.channel.line {
            return Some(Channel {
                line: Line::Many(shared.clone()),
                target: newest.channel.target,
            });
        }
        let number = newest.number;
        kept.remove(origin, number)
    }

    /// Keeps a connection for later. A shared one stays here while it is in use.
    pub(crate) fn put(&self, origin: &str, channel: Channel) {
        let now = Instant::now();
        let mut dropped = Vec::new();
        let mut kept = self.lock();
        if matches!(channel.line, Line::Many(_)) {
            // One is enough; when put back, it counts as new again.
            dropped.extend(kept.remove_shared(origin));
        }
        let origin: Arc<str> = match kept.by_origin.get_key_value(origin) {
            Some((known, _)) => known.clone(),
            None => Arc::from(origin),
        };
        let number = kept.next;
        kept.next += 1;
        kept.by_age.insert(number, (origin.clone(), now));
        kept.by_origin
            .entry(origin)
            .or_default()
            .push(Idle { number, channel });
        while let Some((&number, (origin, since))) = kept.by_age.first_key_value() {
            if kept.by_age.len() <= self.most && now.duration_since(*since) <= self.longest {
                break;
            }
            let origin = origin.clone();
            dropped.extend(kept.remove(&origin, number));
        }
        // Closing sockets does not need the lock.
        drop(kept);
        drop(dropped);
    }

    /// Drops the shared connection to this origin, which turned out to be unusable.
    pub(crate) fn forget_shared(&self, origin: &str) {
        let dropped = self.lock().remove_shared(origin);
        drop(dropped);
    }

    fn lock(&self) -> MutexGuard<'_, Connections> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
