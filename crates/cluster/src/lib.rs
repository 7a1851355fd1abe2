//! One crawl on several machines: shards of hosts, their owners, and what they tell each other.
//!
//! Sites hash to a fixed number of *shards*. A shard is owned by one *node* at a time, which runs the frontier's rules for it in
//! memory and commits to Redis. [`ClusterFrontier`] makes the shards of a node look like one frontier. What a page means for
//! URLs of another shard travels as a letter, written in the page's own commit and read once.
//!
//! **Invariant:** a node makes requests only while its lease is certainly valid. It stops well before another node may take its
//! shards over, and a shard that was taken over lets every host rest for one full delay.
//!
//! **Invariant:** records come first. A page's lines are in the node's own files before the shard's commit says that it is
//! settled.
//!
//! Deliberately absent: a coordinator. Every node computes the same plan from the same list of nodes. No clock either: callers
//! pass the time and call [`ClusterFrontier::attend`] often.

mod addresses;
mod attend;
mod console;
mod fault;
mod frontier;
#[doc(hidden)]
pub mod fuzzing;
mod lessons;
mod letter;
mod members;
mod owned;
mod plan;
mod post;

use std::time::Duration;

pub use crate::attend::{Orders, Status};
pub use crate::console::Console;
pub use crate::fault::{ClusterFault, is_lost, is_passing};
pub use crate::frontier::{ClusterFrontier, Membership};
pub use crate::lessons::MOST_BYTES;
pub use crate::members::{Idle, NodeFacts, Overview};
pub use scenthound_frontier_redis::{CrawlLabel, Keyspace, Link, RedisFault};

/// How many shards a crawl has if nobody says otherwise.
pub const SHARDS: u16 = 64;
/// The most shards a crawl may have.
pub const MOST_SHARDS: u16 = 4_096;

/// How long a node that says nothing counts as running, if nobody says otherwise.
pub const LEASE: Duration = Duration::from_secs(20);

/// How often a node with this lease says that it is running.
fn beat(lease: Duration) -> Duration {
    (lease / 10).min(Duration::from_secs(1))
}

/// A node that could not say so for this long makes no requests…
fn quiet(lease: Duration) -> Duration {
    lease * 2 / 5
}

/// …and after this long it gives up its shards, long before others may take them.
fn give_up(lease: Duration) -> Duration {
    lease * 3 / 5
}
