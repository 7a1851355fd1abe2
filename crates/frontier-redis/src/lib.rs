//! A frontier kept in a Redis cluster, one shard of hosts at a time.
//!
//! The rules of the frontier are [`StoredFrontier`]'s. This crate gives it a [`RedisStorage`]: everything the frontier reads is in
//! memory, and everything it changes goes to Redis, one atomic script per commit. All keys of a shard share one hash tag, so
//! they are on one server, and a shard is read back completely when another process takes it over.
//!
//! **Invariant:** a shard has one owner. Whoever claims it gets a token higher than any before, and a commit with another token
//! than the last one is refused, however late it arrives.
//!
//! **Invariant:** commits are numbered and applied in order, each once. A commit whose answer was lost can be repeated; one that a
//! server lost when its replica took over is sent again.
//!
//! Deliberately absent: clocks, waiting and threads. A server that does not answer is an error, and callers decide when to try
//! again; nothing is lost by it.

mod fault;
#[doc(hidden)]
pub mod fuzzing;
mod keys;
mod label;
mod link;
mod mail;
mod pending;
mod scan;
mod script;
mod storage;

use std::sync::Arc;

use scenthound_frontier::{FrontierError, HostPolicy, StoredFrontier};
use scenthound_types::{Keyring, Timestamp};

pub use crate::fault::RedisFault;
pub use crate::keys::{Keyspace, Shard};
pub use crate::label::CrawlLabel;
pub use crate::link::Link;
pub use crate::mail::{Letter, deliver, received_by};
pub use crate::script::{Claim, Owner, claim, owner, release, script_on};
pub use crate::storage::RedisStorage;
pub use redis::cmd as command;

/// The part of a crawl's frontier that holds the hosts of one shard.
pub type ShardFrontier = StoredFrontier<RedisStorage>;

/// Reads a shard that was claimed, as it was at its last commit. It is empty if there was none.
pub fn open(
    link: Arc<Link>,
    shard: Shard,
    claim: Claim,
    policy: HostPolicy,
    keyring: Keyring,
    now: Timestamp,
) -> Result<ShardFrontier, FrontierError> {
    scan::reopen(link, shard, claim, policy, keyring, now)
}
