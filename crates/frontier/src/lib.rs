//! Decides which URL may be fetched next, and when.
//!
//! A *host* with waiting URLs is ready, resting (left alone until a known time) or busy (a request is out). A *URL* is
//! waiting, leased, fetched or gone. [`Frontier::take_many`] moves the best URLs of ready hosts to leased,
//! [`Frontier::settle`] ends a lease and applies the strategy's updates, and [`Frontier::commit`] makes everything
//! settled since the last commit durable as one whole.
//!
//! **Invariant:** a URL is leased at most once at a time, and a host never has more requests out than allowed, nor a
//! new one before it has rested.
//!
//! Nothing here reads a clock, scores a link or touches a file: callers pass `now`, scores arrive with each update, and
//! what must outlive the process goes to a [`Storage`].

mod chunks;
mod entry;
mod heap;
mod host;
mod host_policy;
mod memory;
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
pub use host_policy::{HostEffect, HostPolicy};
pub use memory::MemoryStorage;
pub use storage::{Kinship, KnownUrl, Storage};
pub use stored::{Inherited, StoredFrontier};

/// A frontier in memory only: for the lab and for tests.
pub type MemoryFrontier = StoredFrontier<MemoryStorage>;

/// What a frontier cannot do. What the web does is never an error here.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FrontierError {
    /// The store under the frontier failed: disk full, unreadable, gone.
    #[error("the frontier's store failed")]
    Store(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The store holds something it should not.
    #[error("the frontier's store is damaged: {what}")]
    Damaged {
        /// What was found.
        what: String,
    },
    /// A lease was settled that is not out.
    #[error("lease {0} is not out")]
    UnknownLease(u64),
    /// There are not so many agents.
    #[error("there is no agent {0}; a crawl has at most {most}, the first is number 0", most = AgentId::MOST)]
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
    /// Nothing before this time (unless a lease ends earlier).
    WaitUntil(Timestamp),
    /// Everything left depends on leases that are out.
    Blocked,
    /// Nothing is left that may be fetched.
    Done,
}

/// Who asks for leases, and for which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Who.
    pub agent: AgentId,
    /// At most so many.
    pub most: usize,
    /// Only URLs of this class or a better one.
    pub highest_class: u16,
}

/// Scores a waiting link anew; none to leave it as it is.
pub type Rescore<'a> = &'a mut dyn FnMut(&WaitingLink<'_>) -> Option<Rank>;

/// How a lease ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// The page was read and judged.
    Fetched {
        /// As judged.
        relevance: f32,
    },
    /// It will not be fetched (again).
    Gone,
    /// It goes back to its place in the queue and is tried again after the host's rest.
    Retry,
    /// Another URL takes over its parent, depth, priority, age and seed mark.
    Redirected {
        /// Where to.
        to: CanonicalUrl,
        /// Its key.
        key: UrlKey,
        /// What happens if the target is already waiting.
        merge: Merge,
    },
}

/// A host's robots rules, as the engine wants them kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRules {
    /// Opaque to the frontier.
    pub bytes: Vec<u8>,
    /// When to ask again.
    pub fresh_until: Timestamp,
    /// The delay the host asks for.
    pub crawl_delay: Option<Duration>,
}

/// A URL to be leased out of turn, with what is needed to bring it in where it is not known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recall<'a> {
    /// Who asked for it.
    pub agent: AgentId,
    /// What the request was for.
    pub kind: LeaseKind,
    /// What was asked for.
    pub url: &'a CanonicalUrl,
    /// Its key.
    pub key: UrlKey,
    /// The page that led to it.
    pub parent: Option<UrlKey>,
    /// Links away from a seed.
    pub depth: u16,
}

/// The end of one lease and all that follows from it.
#[derive(Clone, Debug)]
pub struct Settled<'a> {
    /// The lease.
    pub lease: &'a Lease,
    /// How it ended.
    pub end: End,
    /// What it means for the host's rest.
    pub host_effect: HostEffect,
    /// What the strategy wants changed.
    pub updates: &'a [Update],
    /// Keys of all links that may be followed, for [`HostPolicy::all_parents`].
    pub links: &'a [UrlKey],
    /// New rules of the host.
    pub rules: Option<HostRules>,
    /// Sitemaps the host named.
    pub sitemaps: &'a [Offer],
}

/// Where a URL stands, for "why?".
#[derive(Clone, Debug, PartialEq)]
pub struct UrlFacts {
    /// The URL.
    pub url: CanonicalUrl,
    /// Its state.
    pub state: State,
    /// Its present priority.
    pub priority: Priority,
    /// The page that first led to it.
    pub parent: Option<UrlKey>,
    /// The parent's URL.
    pub parent_url: Option<CanonicalUrl>,
    /// Links away from a seed.
    pub depth: u16,
    /// Whether the user named it.
    pub seed: bool,
    /// How it came in.
    pub reason: Reason,
    /// Whose it is: who leased it, or who was first to want it.
    pub agent: AgentId,
    /// When its host may be asked again.
    pub host_rests_until: Timestamp,
    /// How often in a row the host has failed.
    pub host_failures: u16,
    /// Page requests to the host so far.
    pub host_pages: u32,
}

/// How many of each there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// URLs seen, but for those that were dropped.
    pub known: u64,
    /// URLs in line.
    pub waiting: u64,
    /// Requests out.
    pub leased: u64,
    /// Hosts ever seen.
    pub hosts: u64,
    /// Hosts with waiting URLs that are left alone for now.
    pub hosts_resting: u64,
    /// Parent links not kept because the URL had the most we keep already.
    pub parents_dropped: u64,
    /// Waiting URLs dropped, in whosever stack, because they had waited too long or too many waited.
    pub expired: u64,
}

/// Everything a crawl asks of a frontier. Calls are synchronous; one thread owns it.
pub trait Frontier {
    /// Puts the seeds into the first agent's stack, marked as such. Seeds already known keep their place.
    fn seed(&mut self, seeds: &[Offer], now: Timestamp) -> Result<(), FrontierError> {
        self.seed_for(AgentId::default(), seeds, now)
    }

    /// Puts seeds into an agent's stack, as [`Frontier::seed`] does into the first agent's.
    fn seed_for(&mut self, agent: AgentId, seeds: &[Offer], now: Timestamp) -> Result<(), FrontierError>;

    /// What is known of each URL, in the order asked, whoever wanted it.
    fn standings(&self, keys: &[UrlKey], out: &mut Vec<Standing>);

    /// Leases up to `n` URLs of the first agent's stack, the best of the hosts that may be asked now. While a drawn list is
    /// being worked off, only URLs of the list.
    fn take_many(&mut self, n: usize, now: Timestamp) -> Result<Next, FrontierError> {
        let ask = Ask {
            agent: AgentId::default(),
            most: n,
            highest_class: u16::MAX,
        };
        self.take_for(ask, now)
    }

    /// Leases the best URLs of one agent's stack. What it leases leaves the stacks of all agents. [`Next::Done`] says that
    /// nothing of this agent is left; it may not be the last word while others go on, whose seeds and links are theirs.
    fn take_for(&mut self, ask: Ask, now: Timestamp) -> Result<Next, FrontierError>;

    /// The priority with which a URL waits in an agent's stack.
    fn waits_for(&self, agent: AgentId, key: UrlKey) -> Option<Priority>;

    /// How many URLs wait in an agent's stack.
    fn waiting_of(&self, agent: AgentId) -> u64;

    /// What is known of a URL that waits in an agent's stack.
    fn evidence(&self, agent: AgentId, key: UrlKey) -> Result<Option<Evidence>, FrontierError>;

    /// Keeps what is known of a URL, in place of what was, as long as it waits in the agent's stack. Nothing happens if it
    /// does not.
    fn keep_evidence(
        &mut self,
        agent: AgentId,
        key: UrlKey,
        evidence: &Evidence,
    ) -> Result<(), FrontierError>;

    /// Everything that waits in the agent's stack now is to be scored again.
    fn open_epoch(&mut self, agent: AgentId);

    /// Scores waiting links of an open epoch again: first whatever would be leased next, until the next one is fresh, then
    /// up to `most` others in the order they came in. Says whether any are left.
    fn freshen(
        &mut self,
        agent: AgentId,
        most: usize,
        rescore: Rescore<'_>,
        now: Timestamp,
    ) -> Result<bool, FrontierError>;

    /// Best-N-first: makes the `n` best URLs, whether their hosts rest between two requests or not, the list that [`Frontier::take_many`] serves until all
    /// of it is settled. Says how many were drawn; 0 while a list is still being worked off.
    fn draw(&mut self, n: usize, now: Timestamp) -> Result<usize, FrontierError>;

    /// Leases this very URL, whatever its place in the queue and its host's rest: for repeating a crawl from its records,
    /// where nobody is asked for anything. A URL that is not known or gone is brought in, one that was
    /// fetched is leased as a revisit. None if a lease of it is out.
    fn recall(&mut self, wanted: &Recall<'_>, now: Timestamp) -> Result<Option<Lease>, FrontierError>;

    /// Takes a lease back unused: no request was made, the host's address rests until `until`.
    fn hand_back(&mut self, lease: &Lease, until: Timestamp, now: Timestamp) -> Result<(), FrontierError>;

    /// Ends a lease. Visible at once, durable with the next commit.
    fn settle(&mut self, settled: Settled<'_>, now: Timestamp) -> Result<(), FrontierError>;

    /// Makes everything since the last commit, and these notes, durable as one whole: after a crash all of it is there,
    /// or none.
    fn commit(&mut self, notes: &StateDelta) -> Result<(), FrontierError>;

    /// Brings committed changes to the disk itself, against power failure.
    fn sync(&mut self) -> Result<(), FrontierError>;

    /// The notes committed under names that begin so.
    fn notes(&self, prefix: &str) -> Result<Vec<(String, Vec<u8>)>, FrontierError>;

    /// The rules kept for the host of this URL, fresh or not.
    fn rules(&self, url: &CanonicalUrl) -> Result<Option<Vec<u8>>, FrontierError>;

    /// Everything known of a URL.
    fn look_up(&self, url: &CanonicalUrl) -> Result<Option<UrlFacts>, FrontierError>;

    /// How many of each there are.
    fn counts(&self) -> Counts;
}
