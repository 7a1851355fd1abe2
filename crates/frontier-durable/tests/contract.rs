//! The durable frontier passes the contract suite for all frontiers, and keeps what it committed.

#![allow(clippy::unwrap_used)] // the lint exempts test functions, but not what they call

use scenthound_frontier::HostPolicy;
use scenthound_frontier_contract::{Harness, frontier_contract, restart_contract};
use scenthound_frontier_durable::{DurableFrontier, open};
use scenthound_types::{Keyring, Timestamp};
use tempfile::TempDir;

struct Durable {
    /// `None` only while it is being reopened.
    frontier: Option<DurableFrontier>,
    policy: HostPolicy,
    keyring: Keyring,
    folder: TempDir,
}

impl Harness for Durable {
    type F = DurableFrontier;
    const SURVIVES: bool = true;
    const CASES: u32 = 128;

    fn fresh(policy: HostPolicy, keyring: Keyring) -> Durable {
        // In memory where possible: on a disk the suite would spend its time syncing thousands of new files.
        let folder = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap();
        let frontier = open(folder.path(), policy.clone(), keyring, Timestamp::ZERO).unwrap();
        Durable {
            frontier: Some(frontier),
            policy,
            keyring,
            folder,
        }
    }

    fn frontier(&mut self) -> &mut DurableFrontier {
        self.frontier.as_mut().unwrap()
    }

    fn restart(&mut self, now: Timestamp) {
        self.frontier = None;
        let again = open(self.folder.path(), self.policy.clone(), self.keyring, now);
        self.frontier = Some(again.unwrap());
    }
}

frontier_contract!(Durable);
restart_contract!(Durable);
