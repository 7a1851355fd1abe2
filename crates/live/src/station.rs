//! What the driver asks of a frontier besides its rules: nothing of one that is alone, its duties of one in a cluster.

use std::net::IpAddr;
use std::time::Duration;

use scenthound_cluster::{ClusterFrontier, Idle, Keyspace, Link, Membership, Orders, Status};
use scenthound_engine::StopReason;
use scenthound_frontier::{Frontier, FrontierError, HostPolicy};
use scenthound_frontier_durable::{DurableFrontier, save_snapshot};
use scenthound_store::CrawlFolder;
use scenthound_types::{Keyring, Timestamp};

use crate::LiveError;

/// A frontier that knows fewer URLs is read from its store within a second or two.
const WORTH_A_COPY: u64 = 1_000_000;

/// One of several machines that crawl together.
#[derive(Clone, Debug)]
pub struct ClusterNode {
    /// Where Redis is: `redis://HOST:PORT,HOST:PORT`.
    pub address: String,
    /// The name of the node, unlike that of any other.
    pub name: String,
    /// The machine it runs on.
    pub machine: String,
    /// How many shards the crawl has.
    pub shards: u16,
    /// How long it keeps its share when it says nothing.
    pub lease: Duration,
}

impl ClusterNode {
    /// Joins the crawl. The local frontier keeps the node's notes.
    pub(crate) fn join(
        &self,
        folder: &CrawlFolder,
        local: DurableFrontier,
        policy: HostPolicy,
        keyring: Keyring,
        pages: Option<u64>,
        now: Timestamp,
    ) -> Result<ClusterFrontier, LiveError> {
        let root = folder.layout().root();
        let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
        let member = Membership {
            node: self.name.clone(),
            run: format!("{:x}-{:x}", now.as_millis(), std::process::id()),
            home: format!("{}:{}", self.machine, root.display()),
            shards: self.shards,
            lease: self.lease,
            pages,
        };
        let link = Link::connect(&self.address)?;
        Ok(ClusterFrontier::join(
            local,
            link,
            Keyspace::default(),
            member,
            policy,
            keyring,
            now,
        )?)
    }
}

/// A frontier that the driver can run.
pub(crate) trait Station: Frontier {
    /// Whether other nodes crawl along.
    const IS_SHARED: bool;
    /// How often settled pages become durable.
    const COMMIT_EVERY: Duration;

    /// Sees to the node's duties.
    fn attend(&mut self, status: &Status, now: Timestamp) -> Result<Orders, FrontierError>;

    /// Says that these IP addresses are asked. Returns how many nodes ask each, as far as that is known.
    fn share_addresses(&self, addresses: &[IpAddr]) -> Result<Vec<(IpAddr, u32)>, FrontierError>;

    /// Tells other nodes what was learnt here, and by whom.
    fn tell_lesson(&self, pupil: u8, lesson: &[u8]) -> Result<bool, FrontierError>;

    /// Tells all nodes, also those that join later, what they must know. Returns whether it was told.
    fn tell_lasting_lesson(&self, pupil: u8, name: &str, lesson: &[u8]) -> Result<bool, FrontierError>;

    /// What all nodes must know, if there is more than before.
    fn hear_lasting_lessons(&mut self) -> Result<Vec<(u8, String, Vec<u8>)>, FrontierError>;

    /// What other nodes have learnt.
    fn hear_lessons(&mut self) -> Result<Vec<(u8, Vec<u8>)>, FrontierError>;

    /// Leaves everything to others.
    fn leave(&mut self) -> Result<(), FrontierError>;
}

impl Station for DurableFrontier {
    const IS_SHARED: bool = false;
    const COMMIT_EVERY: Duration = Duration::from_millis(10);

    fn attend(&mut self, _status: &Status, _now: Timestamp) -> Result<Orders, FrontierError> {
        Ok(Orders {
            ask_until: Timestamp::NEVER,
            has_changes: false,
            pages: None,
            bytes: 0,
            nodes: 1,
            is_stopped: false,
            done: None,
        })
    }

    fn share_addresses(&self, _addresses: &[IpAddr]) -> Result<Vec<(IpAddr, u32)>, FrontierError> {
        Ok(Vec::new())
    }

    fn tell_lesson(&self, _pupil: u8, _lesson: &[u8]) -> Result<bool, FrontierError> {
        Ok(true)
    }

    fn tell_lasting_lesson(&self, _pupil: u8, _name: &str, _lesson: &[u8]) -> Result<bool, FrontierError> {
        Ok(true)
    }

    fn hear_lasting_lessons(&mut self) -> Result<Vec<(u8, String, Vec<u8>)>, FrontierError> {
        Ok(Vec::new())
    }

    fn hear_lessons(&mut self) -> Result<Vec<(u8, Vec<u8>)>, FrontierError> {
        Ok(Vec::new())
    }

    fn leave(&mut self) -> Result<(), FrontierError> {
        if self.counts().known >= WORTH_A_COPY
            && let Err(error) = save_snapshot(self)
        {
            // Everything is in the store; it only takes longer to read.
            tracing::warn!("resuming this crawl will take longer: {error}");
        }
        Ok(())
    }
}

impl Station for ClusterFrontier {
    const IS_SHARED: bool = true;
    // Every shard that changed costs a message to Redis.
    const COMMIT_EVERY: Duration = Duration::from_millis(100);

    fn attend(&mut self, status: &Status, now: Timestamp) -> Result<Orders, FrontierError> {
        ClusterFrontier::attend(self, status, now)
    }

    fn share_addresses(&self, addresses: &[IpAddr]) -> Result<Vec<(IpAddr, u32)>, FrontierError> {
        ClusterFrontier::share_addresses(self, addresses)
    }

    fn tell_lesson(&self, pupil: u8, lesson: &[u8]) -> Result<bool, FrontierError> {
        ClusterFrontier::tell_lesson(self, pupil, lesson)
    }

    fn tell_lasting_lesson(&self, pupil: u8, name: &str, lesson: &[u8]) -> Result<bool, FrontierError> {
        ClusterFrontier::tell_lasting_lesson(self, pupil, name, lesson)
    }

    fn hear_lasting_lessons(&mut self) -> Result<Vec<(u8, String, Vec<u8>)>, FrontierError> {
        ClusterFrontier::hear_lasting_lessons(self)
    }

    fn hear_lessons(&mut self) -> Result<Vec<(u8, Vec<u8>)>, FrontierError> {
        ClusterFrontier::hear_lessons(self)
    }

    fn leave(&mut self) -> Result<(), FrontierError> {
        ClusterFrontier::leave(self)
    }
}

/// Why a node has nothing to do.
pub(crate) fn idle(reason: StopReason) -> Idle {
    match reason {
        StopReason::Exhausted => Idle::Exhausted,
        StopReason::OnlyRestingHosts => Idle::OnlyRestingHosts,
        // A node sees its own harvest only, and the others may go on.
        StopReason::Goals | StopReason::Yield { .. } | StopReason::Found { .. } => Idle::Goals,
        StopReason::Shares => Idle::Shares,
        StopReason::Pages => Idle::Pages,
        StopReason::Bytes => Idle::Bytes,
        StopReason::Time => Idle::Time,
    }
}

/// Why the crawl has ended on all nodes.
pub(crate) fn reason(idle: Idle) -> StopReason {
    match idle {
        Idle::Exhausted => StopReason::Exhausted,
        Idle::OnlyRestingHosts => StopReason::OnlyRestingHosts,
        Idle::Goals => StopReason::Goals,
        Idle::Shares => StopReason::Shares,
        Idle::Pages => StopReason::Pages,
        Idle::Bytes => StopReason::Bytes,
        Idle::Time => StopReason::Time,
    }
}
