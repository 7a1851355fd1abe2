//! The in-memory frontier passes the contract suite for all frontiers.

use scenthound_frontier::{HostPolicy, MemoryFrontier};
use scenthound_frontier_contract::{Harness, frontier_contract};
use scenthound_types::{Keyring, Timestamp};

struct Memory(MemoryFrontier);

impl Harness for Memory {
    type F = MemoryFrontier;
    const SURVIVES: bool = false;
    const CASES: u32 = 512;

    fn fresh(policy: HostPolicy, keyring: Keyring) -> Memory {
        Memory(MemoryFrontier::new(policy, keyring))
    }

    fn frontier(&mut self) -> &mut MemoryFrontier {
        &mut self.0
    }

    fn restart(&mut self, _now: Timestamp) {
        unreachable!("the suite restarts only frontiers that survive a restart");
    }
}

frontier_contract!(Memory);
