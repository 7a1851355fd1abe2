//! Decides which URL may be fetched next, and when.
//!
//! A *host* with waiting URLs is ready, resting (left alone until a known time) or busy (a request is in flight). A
//! *URL* is waiting, leased, fetched or gone. [`Frontier::take_many`] moves the best URLs of ready hosts to leased,
//! [`Frontier::settle`] ends a lease and applies the strategy's updates, and [`Frontier::commit`] makes everything
//! settled since the last commit durable in one atomic step.
//!
//! **Invariant:** a URL has at most one lease at a time. A host never has more requests in flight than allowed, and
//! never gets a new one before it has rested.
//!
//! Nothing here reads a clock, scores a link or touches a file: callers pass `now`, scores arrive with each update, and
//! what must outlive the process goes to a [`Storage`].

mod chunks;
mod entry;
mod heap;
mod host;
mod host_policy;
mod keys;
mod memory;
mod steer;
mod storage;
mod stored;

use scenthound_types::{
    AgentId, CanonicalUrl, Evidence, Lease, LeaseKind, Merge, Offer, Priority, Rank, Reason, Standing,
    StateDelta, Timestamp, Update, UrlKey, WaitingLink,
};
use std::time::Duration;
use thiserror::Error;

pub use entry::{Entry, State, UrlId};
pub use host::{HostId, HostRecord};
pub use host_policy::{HostEffect, HostPolicy, UnprovenLimits};
pub use memory::MemoryStorage;
pub use steer::{HostPlace, HostSteering, HostSurvey, Survey};
pub use storage::{Kinship, KnownUrl, Storage};
pub use stored::{
    ChildrenRaise, ForeignOffer, Inherited, Kept, KinHeard, KinNews, Leaving, Queues, ShardMap, Spilled,
    SpilledPlace, StoredFrontier, noted_expired, noted_spilled,
};

/// The note in which whoever commits may leave the time, as milliseconds in eight bytes, little-endian. A frontier that is
/// reopened earlier than that finds out that the clock was set back, and shortens all rests accordingly.
pub const CLOCK_NOTE: &str = "frontier/clock";

/// A frontier in memory only: for the lab and for tests.
pub type MemoryFrontier = StoredFrontier<MemoryStorage>;

/// Ways a frontier can fail. What the web does is never an error here.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FrontierError {
    /// The store under the frontier failed: the disk is full, unreadable or gone.
    #[error("the frontier's store failed")]
    Store(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The store holds something it should not.
    #[error("the frontier's store is damaged: {what}")]
    Damaged {
        /// What was found.
        what: String,
    },
    /// Someone settled a lease that is not active.
    #[error("lease {0} is not active: it was never taken, or has already ended")]
    UnknownLease(u64),
    /// The agent's number is too large.
    #[error("there is no agent {0}: agents are numbered from 0, and a crawl has at most {most}", most = AgentId::MOST)]
    UnknownAgent(u8),
    /// The frontier numbers URLs with 32 bits.
    #[error("the frontier is full: it holds at most {} URLs", u32::MAX - 1)]
    Full,
}

/// The answer to "what next?".
#[derive(Debug, PartialEq)]
pub enum Next {
    /// Fetch these, best first.
    Fetch(Vec<Lease>),
    /// Nothing until this time, unless a lease ends earlier.
    WaitUntil(Timestamp),
    /// Everything left depends on active leases.
    Blocked,
    /// Nothing is left to fetch.
    Done,
}

/// Which agent asks for leases, and for which URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// The agent.
    pub agent: AgentId,
    /// The most leases it wants.
    pub most: usize,
    /// Only URLs of this class or a better one.
    pub highest_class: u16,
}

/// Scores a waiting link again. `None` leaves it as it is.
pub type Rescore<'a> = &'a mut dyn FnMut(&WaitingLink<'_>) -> Option<Rank>;

/// How a lease ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// The page was read and judged.
    Fetched {
        /// Its relevance, as judged.
        relevance: f32,
    },
    /// It will not be fetched (again).
    Gone,
    /// It goes back to its place in the queue and is tried again once the host has rested.
    Retry,
    /// Another URL takes over its parent, depth, priority, age and seed mark. For a robots.txt: it is read there next.
    Redirected {
        /// The target.
        to: CanonicalUrl,
        /// The target's key.
        key: UrlKey,
        /// What to do if the target is already waiting.
        merge: Merge,
    },
}

/// A host's robots rules, in the form the engine wants them kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRules {
    /// Opaque to the frontier.
    pub bytes: Vec<u8>,
    /// When to request them again.
    pub fresh_until: Timestamp,
    /// The delay the host asks for.
    pub crawl_delay: Option<Duration>,
}

/// A URL to lease out of turn, with what is needed to add it if it is not known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recall<'a> {
    /// The agent that asked for it.
    pub agent: AgentId,
    /// The kind of request.
    pub kind: LeaseKind,
    /// The URL.
    pub url: &'a CanonicalUrl,
    /// Its key.
    pub key: UrlKey,
    /// The page that led to it.
    pub parent: Option<UrlKey>,
    /// Number of links from a seed.
    pub depth: u16,
}

/// The end of one lease, and everything that follows from it.
#[derive(Clone, Debug)]
pub struct Settled<'a> {
    /// The lease.
    pub lease: &'a Lease,
    /// How it ended.
    pub end: End,
    /// What it means for the host's rest.
    pub host_effect: HostEffect,
    /// The changes the strategy asks for.
    pub updates: &'a [Update],
    /// Keys of all links that may be followed; used with [`HostPolicy::all_parents`].
    pub links: &'a [UrlKey],
    /// The host's new robots rules.
    pub rules: Option<HostRules>,
    /// Sitemaps the host named.
    pub sitemaps: &'a [Offer],
    /// What the page needs to be shown, for the stack of [`HostPolicy::requisites`].
    pub requisites: &'a [Offer],
}

/// What is known about one URL, to explain why it was fetched or not.
#[derive(Clone, Debug, PartialEq)]
pub struct UrlFacts {
    /// The URL.
    pub url: CanonicalUrl,
    /// Its state.
    pub state: State,
    /// Its current priority.
    pub priority: Priority,
    /// The page that first led to it.
    pub parent: Option<UrlKey>,
    /// The parent's URL.
    pub parent_url: Option<CanonicalUrl>,
    /// Number of links from a seed.
    pub depth: u16,
    /// Whether the user named it.
    pub seed: bool,
    /// How it was found.
    pub reason: Reason,
    /// The agent it belongs to: the one that leased it, or else the first to want it.
    pub agent: AgentId,
    /// When its host may be asked again.
    pub host_rests_until: Timestamp,
    /// The host's consecutive failures.
    pub host_failures: u16,
    /// Page requests to the host so far.
    pub host_pages: u32,
}

/// Counts of URLs, requests and hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// URLs seen, without those that were dropped.
    pub known: u64,
    /// URLs waiting, without requisites.
    pub waiting: u64,
    /// Requisites of pages that are waiting.
    pub requisites: u64,
    /// Requests in flight.
    pub leased: u64,
    /// Hosts ever seen.
    pub hosts: u64,
    /// Hosts with waiting URLs that are left alone for now.
    pub hosts_resting: u64,
    /// Hosts that could be asked, but wait until fewer requests to unproven hosts are in flight.
    pub hosts_parked: u64,
    /// Parent links not kept because the URL already had the maximum.
    pub parents_dropped: u64,
    /// Waiting URLs dropped from any stack because they had waited too long or too many were waiting.
    pub expired: u64,
    /// Links that wait on the disk because memory was short.
    pub on_disk: u64,
}

/// What remains to be done until something is on the disk itself.
pub type Flush = Box<dyn FnOnce() -> Result<(), Box<dyn std::error::Error + Send + Sync>> + Send>;

/// Everything a crawl asks of a frontier. Calls are synchronous, and one thread owns the frontier.
pub trait Frontier {
    /// Puts the seeds into the first agent's stack and marks them as seeds. Seeds already known keep their place.
    fn seed(&mut self, seeds: &[Offer], now: Timestamp) -> Result<(), FrontierError> {
        self.seed_for(AgentId::default(), seeds, now)
    }

    /// Puts seeds into an agent's stack, as [`Frontier::seed`] does into the first agent's.
    fn seed_for(&mut self, agent: AgentId, seeds: &[Offer], now: Timestamp) -> Result<(), FrontierError>;

    /// The standing of each URL, in the order asked, whichever agent wanted it.
    fn standings(&self, keys: &[UrlKey], out: &mut Vec<Standing>);

    /// Leases up to `n` URLs from the first agent's stack: the best on hosts that may be asked now. While a drawn
    /// list is being processed, only URLs on the list are leased.
    fn take_many(&mut self, n: usize, now: Timestamp) -> Result<Next, FrontierError> {
        let ask = Ask {
            agent: AgentId::default(),
            most: n,
            highest_class: u16::MAX,
        };
        self.take_for(ask, now)
    }

    /// Leases the best URLs of one agent's stack and removes them from the stacks of all agents. [`Next::Done`] means
    /// that this agent has nothing left. More may come while other agents are still running.
    fn take_for(&mut self, ask: Ask, now: Timestamp) -> Result<Next, FrontierError>;

    /// Leases the URL that has waited longest in one agent's stack among those whose hosts may be asked now, or its
    /// host's robots.txt if that is needed first. Only the oldest few are considered: `None` if their hosts are all
    /// busy or resting, or while a drawn list is being processed.
    fn take_oldest(&mut self, ask: Ask, now: Timestamp) -> Result<Option<Lease>, FrontierError>;

    /// The priority with which a URL waits in an agent's stack.
    fn waits_for(&self, agent: AgentId, key: UrlKey) -> Option<Priority>;

    /// How many URLs wait in an agent's stack.
    fn waiting_of(&self, agent: AgentId) -> u64;

    /// What is known of a URL that waits in an agent's stack.
    fn evidence(&self, agent: AgentId, key: UrlKey) -> Result<Option<Evidence>, FrontierError>;

    /// What was known of a leased URL while it waited.
    fn leased_evidence(&self, lease: &Lease) -> Result<Option<Evidence>, FrontierError>;

    /// Replaces what is known of a URL for as long as it waits in the agent's stack. Does nothing if it is not
    /// waiting there.
    fn keep_evidence(
        &mut self,
        agent: AgentId,
        key: UrlKey,
        evidence: &Evidence,
    ) -> Result<(), FrontierError>;

    /// Marks everything that now waits in the agent's stack as due for rescoring.
    fn open_epoch(&mut self, agent: AgentId);

    /// Rescores waiting links of an open epoch: first whatever would be leased next, until the next one is fresh,
    /// then up to `most` others in the order they came in. Returns whether any are left.
    fn freshen(
        &mut self,
        agent: AgentId,
        most: usize,
        rescore: Rescore<'_>,
        now: Timestamp,
    ) -> Result<bool, FrontierError>;

    /// Makes the ranks that [`Frontier::freshen`] has changed, and how far it has come, part of the next commit. Until then they
    /// are in effect, but a restart may find links as they were ranked before.
    fn keep_ranks(&mut self);

    /// The same for about so many of these ranks, others each time. A frontier that cannot tell them apart keeps all.
    fn keep_some_ranks(&mut self, _most: usize) {
        self.keep_ranks();
    }

    /// How many ranks [`Frontier::keep_ranks`] would write at most.
    fn ranks_to_keep(&self) -> usize {
        0
    }

    /// Whether the last commit had the ranks of all links that were scored again.
    fn has_kept_ranks(&self) -> bool {
        true
    }

    /// Whether an epoch of the agent is open, so that [`Frontier::freshen`] has links left to rescore.
    fn is_stale(&self, agent: AgentId) -> bool;

    /// Best-N-first: makes the `n` best URLs, whether or not their hosts are resting, the list that
    /// [`Frontier::take_many`] serves until all of it is settled. Returns how many were drawn; 0 while a list is
    /// still being processed.
    fn draw(&mut self, n: usize, now: Timestamp) -> Result<usize, FrontierError>;

    /// Leases exactly this URL, whatever its place in the queue and its host's rest. It is meant for repeating a
    /// crawl from its records, when no requests are made. A URL that is unknown or gone is added; one that was fetched
    /// is leased as a revisit. Returns `None` if the URL is already leased.
    fn recall(&mut self, wanted: &Recall<'_>, now: Timestamp) -> Result<Option<Lease>, FrontierError>;

    /// Returns a lease unused: no request was made, and the host's address rests until `until`.
    fn hand_back(&mut self, lease: &Lease, until: Timestamp, now: Timestamp) -> Result<(), FrontierError>;

    /// Ends a lease. The effect is visible at once and durable with the next commit.
    fn settle(&mut self, settled: Settled<'_>, now: Timestamp) -> Result<(), FrontierError>;

    /// Makes everything since the last commit, together with these notes, durable in one atomic step: after a crash
    /// either all of it is there or none.
    fn commit(&mut self, notes: &StateDelta) -> Result<(), FrontierError>;

    /// Flushes committed changes to the disk itself, to survive a power failure.
    fn sync(&mut self) -> Result<(), FrontierError>;

    /// The same, but as something that another thread can do while the frontier is used.
    fn flush_later(&mut self) -> Result<Flush, FrontierError> {
        self.sync()?;
        Ok(Box::new(|| Ok(())))
    }

    /// The committed notes whose names start with `prefix`.
    fn notes(&self, prefix: &str) -> Result<Vec<(String, Vec<u8>)>, FrontierError>;

    /// The rules kept for this URL's host, fresh or not.
    fn rules(&self, url: &CanonicalUrl) -> Result<Option<Vec<u8>>, FrontierError>;

    /// The rules of this URL's host and until when they are valid; `None` if they have to be requested first.
    fn fresh_rules(
        &self,
        url: &CanonicalUrl,
        now: Timestamp,
    ) -> Result<Option<(Vec<u8>, Timestamp)>, FrontierError>;

    /// Whether any URL of this origin, `scheme://host[:port]`, is or was known.
    fn knows_host(&self, origin: &str) -> bool;

    /// How many URLs of this origin wait.
    fn waiting_at(&self, origin: &str) -> usize;

    /// Whether a host could be asked at this moment if one more request could be made. Hosts wake when URLs are taken, so among
    /// many resting ones that have been due since then, this may overlook some.
    fn has_ready_host(&self, now: Timestamp) -> bool;

    /// The URL with this key, if it is known.
    fn url(&self, key: UrlKey) -> Result<Option<CanonicalUrl>, FrontierError>;

    /// Everything known about a URL.
    fn look_up(&self, url: &CanonicalUrl) -> Result<Option<UrlFacts>, FrontierError>;

    /// Counts of URLs, requests and hosts.
    fn counts(&self) -> Counts;

    /// Moves about this many of the worst waiting links to the disk, and returns how many that were; none if this frontier
    /// cannot. They come back when few wait in memory.
    fn spill(&mut self, _links: u64, _now: Timestamp) -> Result<u64, FrontierError> {
        Ok(0)
    }

    /// Roughly how many bytes of memory it uses; 0 if it does not know.
    fn memory(&self) -> u64 {
        0
    }

    /// Blocks, boosts and releases hosts and changes their rest, in place of what was asked before. It is not kept: whoever
    /// opens the frontier again asks again.
    fn steer(&mut self, steering: HostSteering, now: Timestamp);

    /// Looks the queue over: where hosts are, and how many URLs wait with which scores. It takes time in proportion to what
    /// waits.
    fn survey(&self, hosts: usize) -> Survey;
}
