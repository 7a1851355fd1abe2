//! A frontier in Redis as the contract suite wants it.

use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, OnceLock};

use scenthound_frontier::HostPolicy;
use scenthound_frontier_redis::{Keyspace, Link, Shard, ShardFrontier, claim, open, owner};
use scenthound_testweb::skip;
use scenthound_types::{Keyring, Timestamp};

/// A new shard for everybody who asks, on the server at this address.
pub fn fresh_shard() -> Shard {
    static TAKEN: AtomicU16 = AtomicU16::new(0);
    let number = TAKEN.fetch_add(1, Ordering::Relaxed);
    Keyspace::named(&format!("test-{}", std::process::id())).shard(number)
}

/// Claims a shard and reads it.
pub fn take_over(
    link: &Arc<Link>,
    shard: &Shard,
    policy: &HostPolicy,
    keyring: Keyring,
    now: Timestamp,
) -> ShardFrontier {
    let seen = owner(link, shard).unwrap();
    let claim = claim(link, shard, &seen, "me").unwrap().unwrap();
    open(link.clone(), shard.clone(), claim, policy.clone(), keyring, now).unwrap()
}

/// One frontier at a time, over one link.
pub struct Sharded {
    pub frontier: ShardFrontier,
    link: Arc<Link>,
    shard: Shard,
    policy: HostPolicy,
    keyring: Keyring,
}

impl Sharded {
    pub fn on(link: Arc<Link>, policy: HostPolicy, keyring: Keyring) -> Sharded {
        let shard = fresh_shard();
        Sharded {
            frontier: take_over(&link, &shard, &policy, keyring, Timestamp::ZERO),
            link,
            shard,
            policy,
            keyring,
        }
    }

    pub fn restart(&mut self, now: Timestamp) {
        self.frontier = take_over(&self.link, &self.shard, &self.policy, self.keyring, now);
    }
}

/// A server or a cluster that lasts as long as the process. Without one the tests are skipped.
pub fn lasting<T>(
    kept: &'static OnceLock<T>,
    start: impl FnOnce() -> std::io::Result<Option<T>>,
) -> &'static T {
    kept.get_or_init(|| match start().unwrap() {
        Some(started) => started,
        None => {
            skip("redis-server is not installed");
            std::process::exit(0);
        }
    })
}
