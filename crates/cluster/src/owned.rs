//! One shard that the node owns.

use scenthound_frontier::Next;
use scenthound_frontier_redis::ShardFrontier;
use scenthound_types::Timestamp;

/// One shard that the node owns.
pub(crate) struct Owned {
    pub frontier: ShardFrontier,
    /// Pages of other shards among its URLs, and hosts of other shards among its hosts.
    pub strangers: (u64, u64),
    /// Leases that are out.
    pub out: usize,
    /// Whether it goes to another node: nothing more is leased.
    pub is_leaving: bool,
    /// Whether anything changed since the last commit.
    pub is_dirty: bool,
    /// Until when it has nothing to lease, unless it changes, and its last answer.
    pub asleep: Option<(Timestamp, Asleep)>,
}

/// Why a shard has nothing to lease.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asleep {
    Resting,
    Blocked,
    Done,
}

impl Owned {
    pub fn new(frontier: ShardFrontier) -> Owned {
        Owned {
            frontier,
            strangers: (0, 0),
            out: 0,
            is_leaving: false,
            is_dirty: true,
            asleep: None,
        }
    }

    /// The frontier, to change it.
    pub fn change(&mut self) -> &mut ShardFrontier {
        self.is_dirty = true;
        self.asleep = None;
        &mut self.frontier
    }

    /// Remembers an answer that was not a lease.
    pub fn remember(&mut self, next: &Next) {
        self.asleep = match next {
            Next::Fetch(_) => None,
            Next::WaitUntil(until) => Some((*until, Asleep::Resting)),
            Next::Blocked => Some((Timestamp::NEVER, Asleep::Blocked)),
            Next::Done => Some((Timestamp::NEVER, Asleep::Done)),
        };
    }

    /// Whether it may have something to lease.
    pub fn is_awake(&self, now: Timestamp) -> bool {
        self.asleep.is_none_or(|(until, _)| until <= now)
    }
}
