//! The frontier itself: entries, hosts and leases, over any storage.

mod claims;
mod ends;
mod epochs;
mod expiry;
mod foreign;
mod foreign_kin;
mod inherit;
mod kin;
mod lease;
mod offers;
mod reopen;
mod rules;
mod spill;
mod stacks;
mod steering;
mod take;
mod unit;
mod unproven;

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet};
use std::time::Duration;

use scenthound_types::{
    AgentId, CanonicalUrl, Evidence, Keyring, Lease, LeaseId, LeaseKind, Merge, Offer, Parents, Priority,
    Rank, Reason, Score, Standing, StateDelta, Timestamp, Update, UrlKey, WaitingLink, host_owner,
};

use crate::Flush;
use crate::entry::{Entries, Entry, State, UrlId, flag};
use crate::heap::{Heap, Order};
use crate::host::{Host, HostId, HostRecord, HostState};
use crate::host_policy::{HostEffect, HostPolicy};
use crate::keys::KeyTable;
use crate::steer::{HostSteering, Survey};
use crate::storage::{Kinship, KnownUrl, Storage};
use crate::{Ask, Counts, End, Frontier, FrontierError, Next, Recall, Rescore, Settled, UrlFacts};
use epochs::{Epoch, Ids};
use expiry::Stamps;
use offers::Source;
use spill::OnDisk;
use unproven::{Group, Groups, Members};

pub use foreign::ForeignOffer;
pub use foreign_kin::{KinHeard, KinNews, ShardMap};
pub use inherit::Inherited;
pub use kin::ChildrenRaise;
pub use reopen::{Kept, Queues, noted_expired};
pub(crate) use rules::RulesElsewhere;
pub use spill::{Leaving, Spilled, SpilledPlace, noted_spilled};

/// An active lease.
#[derive(Debug)]
struct Out {
    /// The entry it was leased through: the URL's own or a claim on it. `None` for a robots.txt.
    url: Option<UrlId>,
    agent: AgentId,
    host: HostId,
    /// The other host that the request goes to.
    visited: Option<HostId>,
    /// The limits on unproven hosts it counts for.
    groups: Groups,
    kind: LeaseKind,
    from_list: bool,
    /// The rank it was taken with.
    taken: Rank,
    /// The unit of cash when it was taken.
    unit: i32,
}

/// A frontier over any [`Storage`]: the only implementation of its rules.
#[derive(Debug)]
pub struct StoredFrontier<S> {
    storage: S,
    policy: HostPolicy,
    keyring: Keyring,
    entries: Entries,
    /// Ids of bases by key. The key itself is in the entry.
    ids: KeyTable,
    /// Claims of other agents, by base.
    claims: HashMap<u32, Vec<UrlId>>,
    hosts: Vec<Host>,
    host_ids: HashMap<Box<str>, HostId>,
    /// Hosts that may be asked now, ordered by their best URL; one heap per agent.
    ready: Vec<Heap>,
    /// Resting hosts, ordered by when they wake. An item counts only if it matches the host's current rest.
    timer: BinaryHeap<Reverse<(Timestamp, u32)>>,
    resting: u64,
    leases: HashMap<LeaseId, Out>,
    /// Requests to hosts that are not proven, and hosts that wait for one to end.
    groups: HashMap<Group, Members>,
    parked: usize,
    next_lease: u64,
    /// The drawn list: URLs not leased yet, best first…
    list: Vec<UrlId>,
    /// …the score each was drawn with, because what a URL gains while it is on the list counts only later…
    drawn_with: HashMap<UrlId, Score>,
    /// …and how many of the list are in flight.
    list_out: usize,
    /// Children outside their first parent's run of ids: redirect targets, and links found on a second visit.
    adopted: HashMap<u32, Vec<UrlId>>,
    /// The highest raise each page's children have had from an agent, so that a raise not above it costs nothing. The
    /// flag is `parents == All`: a page's own discoveries and all the pages it links to are raised separately.
    raised: HashMap<(u32, bool, AgentId), Rank>,
    parent_counts: Vec<u8>,
    parents_dropped: u64,
    /// URLs in queues, and entries in each agent's queues.
    waiting: u64,
    in_stack: Vec<u64>,
    /// How many of these are seeds.
    seeds_in_line: u64,
    epochs: HashMap<AgentId, Epoch>,
    /// Entries with ranks that have not been written: from an epoch, or such as follow from their notes.
    reranked: Ids,
    /// Whether the last commit has all ranks.
    ranks_are_kept: bool,
    /// Whether the next commit notes how far rescoring has come, and what the last one noted for each agent.
    notes_epochs: bool,
    noted_epochs: HashMap<AgentId, Vec<u8>>,
    /// What the last commit noted of the drawn list.
    noted_list: Vec<u8>,
    /// For each agent that asks for the oldest: no URL with a smaller id is waiting.
    oldest: HashMap<AgentId, u32>,
    stamps: Stamps,
    /// Page attempts settled since the frontier was opened.
    pages: u64,
    /// Entries dropped, and how many of those because they had waited too long or too many were waiting.
    dropped: u64,
    expired: u64,
    /// Kept parents of dropped URLs. Their pages still list the links.
    links_lost: u64,
    on_disk: OnDisk,
    /// Links that are to leave memory for the disk, the last of them next.
    leaving: Vec<UrlId>,
    /// How many dropped entries the storage knows about.
    noted_dropped: u64,
    /// Whether scores are cash, that is, whether they add up.
    has_cash: bool,
    /// Cash is multiplied by two to this power.
    unit: i32,
    dirty: Vec<UrlId>,
    dirty_hosts: Vec<HostId>,
    /// What people ask of hosts.
    steering: HostSteering,
    /// The delay of the policy, once somebody asked for another.
    usual_delay: Option<Duration>,
}

/// How many redirects to follow to find the URL that stands for another.
const MOVES: usize = 10;

impl<S: Storage + Default> StoredFrontier<S> {
    /// An empty frontier over an empty storage.
    pub fn new(policy: HostPolicy, keyring: Keyring) -> StoredFrontier<S> {
        StoredFrontier::over(S::default(), policy, keyring)
    }
}

impl<S: Storage> StoredFrontier<S> {
    /// An empty frontier over the given empty storage.
    pub fn over(storage: S, policy: HostPolicy, keyring: Keyring) -> StoredFrontier<S> {
        let agents = usize::from(policy.agents.clamp(1, AgentId::MOST));
        StoredFrontier {
            storage,
            policy,
            keyring,
            entries: Entries::default(),
            ids: KeyTable::default(),
            claims: HashMap::new(),
            hosts: Vec::new(),
            host_ids: HashMap::new(),
            ready: vec![Heap::default(); agents],
            timer: BinaryHeap::new(),
            resting: 0,
            leases: HashMap::new(),
            groups: HashMap::new(),
            parked: 0,
            next_lease: 0,
            list: Vec::new(),
            drawn_with: HashMap::new(),
            list_out: 0,
            adopted: HashMap::new(),
            raised: HashMap::new(),
            parent_counts: Vec::new(),
            parents_dropped: 0,
            waiting: 0,
            in_stack: vec![0; agents],
            seeds_in_line: 0,
            epochs: HashMap::new(),
            reranked: Ids::default(),
            ranks_are_kept: true,
            notes_epochs: false,
            noted_epochs: HashMap::new(),
            noted_list: Vec::new(),
            oldest: HashMap::new(),
            stamps: Stamps::default(),
            pages: 0,
            dropped: 0,
            expired: 0,
            links_lost: 0,
            on_disk: OnDisk::default(),
            leaving: Vec::new(),
            noted_dropped: 0,
            has_cash: false,
            unit: 0,
            dirty: Vec::new(),
            dirty_hosts: Vec::new(),
            steering: HostSteering::default(),
            usual_delay: None,
        }
    }

    /// How many numbers have been given to entries, including those since dropped.
    pub fn numbers(&self) -> u32 {
        self.entries.len()
    }

    /// The storage under the frontier.
    pub fn storage(&self) -> &S {
        &self.storage
    }

    /// The storage under the frontier, for what the storage keeps beside it.
    pub fn storage_mut(&mut self) -> &mut S {
        &mut self.storage
    }

    /// Roughly how many bytes the frontier itself uses: entries, keys, queues and hosts, without the storage.
    pub fn bytes_in_memory(&self) -> usize {
        let of_host = |host: &Host| size_of::<Host>() + 2 * host.origin.len() + 40 + host.bytes_of_queues();
        self.entries.bytes()
            + self.ids.bytes()
            + self.claims.len() * 48
            + self.hosts.iter().map(of_host).sum::<usize>()
            + self.timer.len() * 16
            + self.dirty.capacity() * 4
    }

    fn find(&self, key: UrlKey) -> Option<UrlId> {
        let is = |id| self.entries[UrlId(id)].key == key;
        self.ids.find(key, is).map(UrlId)
    }

    /// Makes an entry the one a URL is known by.
    fn know(&mut self, key: UrlKey, id: UrlId) {
        self.ids.insert(key, id.0, |id| self.entries[UrlId(id)].key);
    }

    /// Makes a URL no longer known by this entry.
    fn forget_key(&mut self, id: UrlId) {
        self.ids.remove(self.entries[id].key, id.0);
    }

    /// The URL that stands for a known one: the end of its redirects, as far as they are known. A link to a URL that
    /// moved counts as a link to its new place.
    fn find_moved(&self, key: UrlKey) -> Option<UrlId> {
        let mut id = self.find(key)?;
        for _ in 0..MOVES {
            let entry = &self.entries[id];
            if entry.state != State::Gone || !entry.has(flag::MOVED) {
                break;
            }
            let to = UrlId(entry.slot_or_child);
            match self.entries.get(to) {
                Some(_) => id = self.base_of(to),
                None => break,
            }
        }
        Some(id)
    }

    /// The key of a URL, unless the id is none or was dropped.
    fn key_of(&self, id: UrlId) -> Option<UrlKey> {
        self.entries.get(id).map(|entry| entry.key)
    }

    /// What is stored about a URL.
    fn known_url(&self, id: UrlId) -> Result<KnownUrl, FrontierError> {
        let host = self.entries[id].host;
        self.storage.url(id, &self.hosts[host.0 as usize].origin)
    }

    /// The text of a URL, unless the id is none or was dropped.
    fn url_of(&self, id: UrlId) -> Result<Option<CanonicalUrl>, FrontierError> {
        match self.entries.get(id) {
            Some(_) => Ok(Some(self.known_url(id)?.url)),
            None => Ok(None),
        }
    }

    /// Whether an entry is in the stack of requisites.
    fn is_requisite(&self, entry: &Entry) -> bool {
        self.policy.requisites == Some(entry.agent())
    }

    fn requisites_waiting(&self) -> u64 {
        let stack = self.policy.requisites.map(|stack| usize::from(stack.0));
        stack
            .and_then(|stack| self.in_stack.get(stack).copied())
            .unwrap_or_default()
    }

    fn host_of(&mut self, url: &CanonicalUrl) -> HostId {
        self.host_named(url.origin())
    }

    fn host_named(&mut self, origin: &str) -> HostId {
        if let Some(host) = self.host_ids.get(origin) {
            return *host;
        }
        let host = HostId(self.hosts.len() as u32);
        let (is_blocked, is_boosted) = self.steered(origin);
        self.hosts.push(Host {
            is_blocked,
            is_boosted,
            ..Host::new(origin)
        });
        self.dirty_hosts.push(host);
        self.host_ids.insert(origin.into(), host);
        host
    }

    fn touch(&mut self, id: UrlId) {
        let entry = &mut self.entries[id];
        if !entry.has(flag::DIRTY) {
            entry.set(flag::DIRTY, true);
            self.dirty.push(id);
        }
    }

    fn touch_host(&mut self, id: HostId) {
        let host = &mut self.hosts[id.0 as usize];
        if !host.dirty {
            host.dirty = true;
            self.dirty_hosts.push(id);
        }
    }
}

impl<S: Storage> Frontier for StoredFrontier<S> {
    fn seed_for(&mut self, agent: AgentId, seeds: &[Offer], now: Timestamp) -> Result<(), FrontierError> {
        self.admit(agent)?;
        let source = Source {
            agent,
            parent: UrlId::NONE,
            depth: 0,
            reason: Reason::Seed,
            flags: flag::SEED,
            adopt: false,
        };
        for seed in seeds {
            self.offer(
                &Offer {
                    merge: Merge::Keep,
                    rank: self.todays(seed.rank),
                    ..seed.clone()
                },
                &source,
                now,
            )?;
            if let Some(base) = self.find(seed.key) {
                self.mark_seed(self.gathers_on(base, self.entry_of(base, agent)));
            }
        }
        self.keep_within_bounds(now)
    }

    fn standings(&self, keys: &[UrlKey], out: &mut Vec<Standing>) {
        out.clear();
        out.extend(keys.iter().map(|key| match self.find_moved(*key) {
            None => Standing::New,
            Some(id) if self.may_enter_again(id) => Standing::New,
            Some(id) => {
                let entry = &self.entries[id];
                match entry.state {
                    State::Waiting | State::Drawn => Standing::Waiting,
                    State::Leased => Standing::Leased,
                    State::Fetched => Standing::Fetched {
                        relevance: entry.relevance(),
                    },
                    State::Gone => Standing::Gone,
                }
            }
        }));
    }

    fn take_for(&mut self, ask: Ask, now: Timestamp) -> Result<Next, FrontierError> {
        self.take_best(ask, now)
    }

    fn take_oldest(&mut self, ask: Ask, now: Timestamp) -> Result<Option<Lease>, FrontierError> {
        self.take_longest_waiting(ask, now)
    }

    fn waits_for(&self, agent: AgentId, key: UrlKey) -> Option<Priority> {
        self.waiting_entry(key, agent).map(|id| self.entries.priority(id))
    }

    fn waiting_of(&self, agent: AgentId) -> u64 {
        let queued = self.in_stack.get(usize::from(agent.0)).copied();
        // Lists are short and drawn for the first agent. What other agents want from the list counts for them too.
        let wants = |id: &&UrlId| {
            self.entries[**id].state == State::Drawn && self.entry_of(self.base_of(**id), agent).is_some()
        };
        queued.unwrap_or_default() + self.list.iter().filter(wants).count() as u64
    }

    fn evidence(&self, agent: AgentId, key: UrlKey) -> Result<Option<Evidence>, FrontierError> {
        match self.waiting_entry(key, agent) {
            Some(id) => self.evidence_of(id),
            None => Ok(None),
        }
    }

    fn leased_evidence(&self, lease: &Lease) -> Result<Option<Evidence>, FrontierError> {
        match self.leases.get(&lease.id).and_then(|out| out.url) {
            Some(id) => self.evidence_of(id),
            None => Ok(None),
        }
    }

    fn keep_evidence(
        &mut self,
        agent: AgentId,
        key: UrlKey,
        evidence: &Evidence,
    ) -> Result<(), FrontierError> {
        if let Some(id) = self.waiting_entry(key, agent) {
            self.put_evidence(id, evidence);
        }
        Ok(())
    }

    fn open_epoch(&mut self, agent: AgentId) {
        self.begin_epoch(agent);
    }

    fn freshen(
        &mut self,
        agent: AgentId,
        most: usize,
        rescore: Rescore<'_>,
        now: Timestamp,
    ) -> Result<bool, FrontierError> {
        self.work_on_epoch(agent, most, rescore, now)
    }

    fn draw(&mut self, n: usize, now: Timestamp) -> Result<usize, FrontierError> {
        self.draw_list(n, now)
    }

    fn recall(&mut self, wanted: &Recall<'_>, now: Timestamp) -> Result<Option<Lease>, FrontierError> {
        self.lease_this(wanted, now)
    }

    fn hand_back(&mut self, lease: &Lease, until: Timestamp, now: Timestamp) -> Result<(), FrontierError> {
        let out = self.take_in(lease)?;
        self.leave_groups(&out.groups, now);
        let host = &mut self.hosts[out.host.0 as usize];
        host.rest_until = host.rest_until.max(until);
        self.touch_host(out.host);
        if let Some(visited) = out.visited {
            let host = &mut self.hosts[visited.0 as usize];
            host.rest_until = host.rest_until.max(until);
            self.touch_host(visited);
            self.place(visited, now);
        }
        if let Some(id) = out.url.filter(|_| !lease.revisit) {
            self.missed_raises(self.base_of(id))?;
        }
        match out.url {
            Some(id) if lease.revisit => self.hosts[out.host.0 as usize].revisits.push(id.0),
            Some(id) if out.from_list => {
                self.set_states(self.base_of(id), State::Drawn);
                let worse = self.list.iter().position(|drawn| self.entries.before(id, *drawn));
                let drawn_with = unit::lift(lease.taken.rank, self.unit - out.unit).score;
                self.put_on_list(worse.unwrap_or(self.list.len()), id, drawn_with);
            }
            Some(id) => self.enqueue(self.base_of(id), now),
            None => {}
        }
        self.place(out.host, now);
        Ok(())
    }

    fn settle(&mut self, settled: Settled<'_>, now: Timestamp) -> Result<(), FrontierError> {
        let out = self.take_in(settled.lease)?;
        self.leave_groups(&out.groups, now);
        if out.unit == self.unit {
            return self.end_lease(out, settled, now);
        }
        let (lease, updates) = self.in_todays_unit(&settled, out.unit);
        let settled = Settled {
            lease: &lease,
            updates: &updates,
            ..settled
        };
        self.end_lease(out, settled, now)
    }

    fn commit(&mut self, notes: &StateDelta) -> Result<(), FrontierError> {
        for id in std::mem::take(&mut self.dirty) {
            if self.entries.get(id).is_none() {
                continue;
            }
            self.entries[id].set(flag::DIRTY, false);
            self.reranked.remove(id);
            let entry = self.entries[id];
            let other_age = entry.has(flag::OTHER_AGE).then(|| self.entries.age(id));
            self.storage.put_entry(id, &entry, other_age);
        }
        for id in std::mem::take(&mut self.dirty_hosts) {
            let host = &mut self.hosts[id.0 as usize];
            host.dirty = false;
            self.storage.put_host(id, &host.record());
        }
        if self.dropped != self.noted_dropped {
            self.noted_dropped = self.dropped;
            self.note_numbers();
        }
        self.note_list();
        self.note_ranks();
        if std::mem::take(&mut self.notes_epochs) {
            self.note_epochs();
        }
        for (name, value) in notes.changes() {
            self.storage.put_note(name, value);
        }
        self.storage.commit()
    }

    fn keep_ranks(&mut self) {
        self.touch_reranked(usize::MAX);
    }

    fn keep_some_ranks(&mut self, most: usize) {
        self.touch_reranked(most);
    }

    fn has_kept_ranks(&self) -> bool {
        self.ranks_are_kept
    }

    fn ranks_to_keep(&self) -> usize {
        self.reranked.len()
    }

    fn is_stale(&self, agent: AgentId) -> bool {
        self.epochs.contains_key(&agent)
    }

    fn sync(&mut self) -> Result<(), FrontierError> {
        self.storage.sync()
    }

    fn flush_later(&mut self) -> Result<Flush, FrontierError> {
        self.storage.flush_later()
    }

    fn notes(&self, prefix: &str) -> Result<Vec<(String, Vec<u8>)>, FrontierError> {
        self.storage.notes(prefix)
    }

    fn rules(&self, url: &CanonicalUrl) -> Result<Option<Vec<u8>>, FrontierError> {
        match self.host_ids.get(url.origin()) {
            Some(host) => self.storage.rules(*host),
            None => Ok(None),
        }
    }

    fn fresh_rules(
        &self,
        url: &CanonicalUrl,
        now: Timestamp,
    ) -> Result<Option<(Vec<u8>, Timestamp)>, FrontierError> {
        let Some(id) = self.host_ids.get(url.origin()) else {
            return Ok(None);
        };
        let until = self.hosts[id.0 as usize].rules_until;
        if until <= now {
            return Ok(None);
        }
        Ok(self.storage.rules(*id)?.map(|rules| (rules, until)))
    }

    fn knows_host(&self, origin: &str) -> bool {
        self.host_ids.contains_key(origin)
    }

    fn waiting_at(&self, origin: &str) -> usize {
        let host = self.host_ids.get(origin);
        host.map_or(0, |id| self.hosts[id.0 as usize].waiting())
    }

    fn has_ready_host(&self, now: Timestamp) -> bool {
        self.parked > 0 || self.ready.iter().any(|hosts| !hosts.is_empty()) || self.has_rested(now)
    }

    fn url(&self, key: UrlKey) -> Result<Option<CanonicalUrl>, FrontierError> {
        match self.find(key) {
            Some(id) => self.url_of(id),
            None => Ok(None),
        }
    }

    fn look_up(&self, url: &CanonicalUrl) -> Result<Option<UrlFacts>, FrontierError> {
        let Some(id) = self.find(self.keyring.key(url)) else {
            return Ok(None);
        };
        let entry = &self.entries[id];
        let host = &self.hosts[entry.host.0 as usize];
        let found_by = self.found_by(id);
        let found = &self.entries[found_by];
        let known = self.known_url(found_by)?;
        Ok(Some(UrlFacts {
            url: known.url,
            state: entry.state,
            priority: self.entries.priority(id),
            parent: self.key_of(found.parent),
            parent_url: self.url_of(found.parent)?,
            depth: found.depth,
            seed: found.has(flag::SEED),
            reason: known.reason,
            agent: found.agent(),
            host_rests_until: host.rest_until,
            host_failures: host.failures,
            host_pages: host.pages,
        }))
    }

    fn spill(&mut self, links: u64, now: Timestamp) -> Result<u64, FrontierError> {
        self.spill_worst(links, now)
    }

    fn memory(&self) -> u64 {
        self.bytes_in_memory() as u64
    }

    fn steer(&mut self, steering: HostSteering, now: Timestamp) {
        self.steer_hosts(steering, now);
    }

    fn survey(&self, hosts: usize) -> Survey {
        self.look_over(hosts)
    }

    fn counts(&self) -> Counts {
        Counts {
            known: self.ids.len() as u64,
            waiting: self.waiting - self.requisites_waiting()
                + self
                    .list
                    .iter()
                    .filter(|id| self.entries[**id].state == State::Drawn)
                    .count() as u64,
            requisites: self.requisites_waiting(),
            leased: self.leases.len() as u64,
            hosts: self.hosts.len() as u64,
            hosts_resting: self.resting,
            hosts_parked: self.parked as u64,
            parents_dropped: self.parents_dropped,
            expired: self.expired,
            on_disk: self.on_disk.links,
        }
    }
}
