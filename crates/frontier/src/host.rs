//! One host: its queue, its rest and its robots rules.

use scenthound_types::{AgentId, Timestamp};

use crate::heap::Heap;
use crate::stored::RulesElsewhere;

/// The number of a host, private to one frontier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct HostId(pub u32);

/// The state of a host with URLs. It is in exactly one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HostState {
    /// Nothing to ask it for, or its page limit is reached.
    Idle,
    /// It has as many requests in flight as allowed.
    Busy,
    /// May be asked, but waits until fewer requests to unproven hosts are in flight.
    Parked,
    /// Left alone until `rest_until`.
    Resting,
    /// May be asked now. Holds its slot among the first agent's ready hosts, if it has anything for the first agent.
    Ready(u32),
}

/// The slot of a host that is not among an agent's ready hosts.
pub(crate) const NOT_READY: u32 = u32::MAX;

/// What an agent other than the first has waiting on a host.
#[derive(Debug)]
pub(crate) struct Stack {
    /// Its waiting URLs.
    pub queue: Heap,
    /// The host's slot among the agent's ready hosts.
    pub ready: u32,
}

/// One host.
#[derive(Debug)]
pub(crate) struct Host {
    pub origin: Box<str>,
    pub place: HostState,
    /// Waiting URLs of the first agent.
    pub queue: Heap,
    /// Those of the other agents. Empty as long as none has any here, so that a crawl without agents pays nothing.
    pub others: Box<[Stack]>,
    /// Fetched URLs that are due to be fetched again, before anything that waits.
    pub revisits: Vec<u32>,
    /// Requests in flight.
    pub busy: u16,
    /// Whether the request in flight is for robots.txt.
    pub asking_rules: bool,
    pub rest_until: Timestamp,
    /// The wake-up time the timer holds for it, if it is resting.
    pub timed: Timestamp,
    /// Consecutive failures.
    pub failures: u16,
    /// Consecutive attempts at robots.txt.
    pub rules_attempt: u8,
    pub crawl_delay_ms: u32,
    /// When robots.txt must be requested again; [`Timestamp::ZERO`] if it never was.
    pub rules_until: Timestamp,
    /// Where robots.txt redirects to, while it is being requested.
    pub elsewhere: Option<Box<RulesElsewhere>>,
    /// When the next request for another host's robots.txt may come, if several wait.
    pub next_visit: Timestamp,
    /// Page requests settled.
    pub pages: u32,
    /// Page requests in flight.
    pub pages_out: u32,
    /// Whether it has answered with a page and not failed since.
    pub proven: bool,
    /// Whether it waits until fewer requests to unproven hosts are in flight.
    pub parked: bool,
    /// Whether somebody asked to fetch nothing from it.
    pub is_blocked: bool,
    /// Whether somebody asked to prefer it.
    pub is_boosted: bool,
    pub dirty: bool,
}

impl Host {
    pub fn new(origin: &str) -> Host {
        Host {
            origin: origin.into(),
            place: HostState::Idle,
            queue: Heap::default(),
            others: Box::default(),
            revisits: Vec::new(),
            busy: 0,
            asking_rules: false,
            rest_until: Timestamp::ZERO,
            timed: Timestamp::ZERO,
            failures: 0,
            rules_attempt: 0,
            crawl_delay_ms: 0,
            rules_until: Timestamp::ZERO,
            elsewhere: None,
            next_visit: Timestamp::ZERO,
            pages: 0,
            pages_out: 0,
            proven: false,
            parked: false,
            is_blocked: false,
            is_boosted: false,
            dirty: true,
        }
    }

    /// An agent's waiting URLs.
    pub fn queue_of(&self, agent: AgentId) -> Option<&Heap> {
        match usize::from(agent.0).checked_sub(1) {
            None => Some(&self.queue),
            Some(other) => self.others.get(other).map(|stack| &stack.queue),
        }
    }

    /// An agent's waiting URLs, created if there are none.
    pub fn queue_mut(&mut self, agent: AgentId) -> &mut Heap {
        let Some(other) = usize::from(agent.0).checked_sub(1) else {
            return &mut self.queue;
        };
        if self.others.len() <= other {
            let mut others = std::mem::take(&mut self.others).into_vec();
            others.resize_with(other + 1, || Stack {
                queue: Heap::default(),
                ready: NOT_READY,
            });
            self.others = others.into();
        }
        &mut self.others[other].queue
    }

    /// How many URLs wait here, for all agents.
    pub fn waiting(&self) -> usize {
        let others = self.others.iter().map(|stack| stack.queue.len());
        self.queue.len() + others.sum::<usize>()
    }

    /// Whether there is anything here for an agent.
    pub fn has_work_for(&self, agent: AgentId) -> bool {
        self.queue_of(agent).is_some_and(|queue| !queue.is_empty())
            || agent == AgentId::default() && !self.revisits.is_empty()
    }

    /// Its slot among an agent's ready hosts.
    pub fn ready_slot(&self, agent: AgentId) -> Option<u32> {
        let slot = match (usize::from(agent.0).checked_sub(1), self.place) {
            (None, HostState::Ready(slot)) => slot,
            (None, _) => NOT_READY,
            (Some(other), _) => self.others.get(other).map_or(NOT_READY, |stack| stack.ready),
        };
        (slot != NOT_READY).then_some(slot)
    }

    /// Memory its queues use.
    pub fn bytes_of_queues(&self) -> usize {
        let of = |stack: &Stack| stack.queue.bytes() + size_of::<Stack>();
        self.queue.bytes() + self.others.iter().map(of).sum::<usize>()
    }

    pub fn from_record(record: HostRecord) -> Host {
        Host {
            rest_until: record.rest_until,
            failures: record.failures,
            crawl_delay_ms: record.crawl_delay_ms,
            rules_until: record.rules_until,
            pages: record.pages,
            proven: record.pages > 0 && record.failures == 0,
            dirty: false,
            ..Host::new(&record.origin)
        }
    }

    pub fn record(&self) -> HostRecord {
        HostRecord {
            origin: self.origin.to_string(),
            rest_until: self.rest_until,
            failures: self.failures,
            crawl_delay_ms: self.crawl_delay_ms,
            rules_until: self.rules_until,
            pages: self.pages,
        }
    }
}

/// What is kept of a host between processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRecord {
    /// `scheme://host[:port]`.
    pub origin: String,
    /// When it may be asked again.
    pub rest_until: Timestamp,
    /// Consecutive failures.
    pub failures: u16,
    /// The delay it asks for.
    pub crawl_delay_ms: u32,
    /// When its robots.txt must be requested again.
    pub rules_until: Timestamp,
    /// Page requests settled.
    pub pages: u32,
}

impl HostRecord {
    /// The form the storage keeps.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(26 + self.origin.len());
        bytes.extend(self.rest_until.as_millis().to_le_bytes());
        bytes.extend(self.rules_until.as_millis().to_le_bytes());
        bytes.extend(self.crawl_delay_ms.to_le_bytes());
        bytes.extend(self.pages.to_le_bytes());
        bytes.extend(self.failures.to_le_bytes());
        bytes.extend(self.origin.as_bytes());
        bytes
    }

    /// Reads what [`HostRecord::to_bytes`] wrote; `None` if the bytes are not a valid record.
    pub fn from_bytes(bytes: &[u8]) -> Option<HostRecord> {
        let (rest_until, bytes) = bytes.split_first_chunk::<8>()?;
        let (rules_until, bytes) = bytes.split_first_chunk::<8>()?;
        let (crawl_delay_ms, bytes) = bytes.split_first_chunk::<4>()?;
        let (pages, bytes) = bytes.split_first_chunk::<4>()?;
        let (failures, origin) = bytes.split_first_chunk::<2>()?;
        Some(HostRecord {
            origin: std::str::from_utf8(origin).ok()?.to_owned(),
            rest_until: Timestamp::from_millis(u64::from_le_bytes(*rest_until)),
            rules_until: Timestamp::from_millis(u64::from_le_bytes(*rules_until)),
            crawl_delay_ms: u32::from_le_bytes(*crawl_delay_ms),
            pages: u32::from_le_bytes(*pages),
            failures: u16::from_le_bytes(*failures),
        })
    }
}
