//! Why a node cannot go on.

use scenthound_frontier::FrontierError;
use scenthound_frontier_redis::RedisFault;
use thiserror::Error;

/// Why a node cannot go on. Reported as the source of [`FrontierError::Store`].
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ClusterFault {
    /// Another process runs under the same name.
    #[error(
        "a node named {node} is already running; choose another name with --node, or wait until its lease ends"
    )]
    NodeRuns {
        /// The name.
        node: String,
    },
    /// The node could not renew its lease in time.
    #[error("the node could not reach Redis for {seconds} s and has given up its shards")]
    LeaseLost {
        /// How long.
        seconds: u64,
    },
    /// A letter from another shard makes no sense.
    #[error("a letter from shard {from} is damaged")]
    Letter {
        /// The shard.
        from: u16,
    },
    /// A lease belongs to no shard of this node.
    #[error("lease {0} belongs to no shard of this node")]
    UnknownLease(u64),
}

impl From<ClusterFault> for FrontierError {
    fn from(fault: ClusterFault) -> FrontierError {
        FrontierError::Store(Box::new(fault))
    }
}

/// The fault of Redis behind an error, if there is one.
pub(crate) fn redis_fault(error: &FrontierError) -> Option<&RedisFault> {
    match error {
        FrontierError::Store(source) => source.downcast_ref(),
        _ => None,
    }
}

/// Whether Redis did not answer, and the same may succeed later.
pub fn is_passing(error: &FrontierError) -> bool {
    redis_fault(error).is_some_and(RedisFault::is_passing)
}

/// Whether an error means that the node has lost its shards to others: it may join again, as a new node would.
pub fn is_lost(error: &FrontierError) -> bool {
    let FrontierError::Store(source) = error else {
        return false;
    };
    matches!(
        source.downcast_ref(),
        Some(RedisFault::Fenced { .. } | RedisFault::Lost { .. })
    ) || matches!(source.downcast_ref(), Some(ClusterFault::LeaseLost { .. }))
}
