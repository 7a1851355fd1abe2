//! The frontier itself: entries, hosts and leases, over any shelf.

mod inherit;
mod kin;
mod lease;
mod reopen;
mod unit;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use hashbrown::HashTable;
use scenthound_types::{
    AgentId, CanonicalUrl, Keyring, Lease, LeaseId, LeaseKind, Merge, Offer, Parents, Priority, Rank, Reason,
    Score, Standing, StateDelta, Timestamp, Update, UrlKey,
};

use crate::entry::{Entries, Entry, State, UrlId, flag};
use crate::heap::{Heap, Order};
use crate::host::{Host, HostId, HostRecord, Place};
use crate::manners::{Manners, Policy};
use crate::shelf::{Kinship, KnownUrl, Shelf};
use crate::{Counts, End, Frontier, FrontierError, Next, Recall, Settled, UrlFacts};

pub use inherit::Inherited;

/// A lease that is out.
#[derive(Debug)]
struct Out {
    /// None for a robots.txt.
    url: Option<UrlId>,
    host: HostId,
    kind: LeaseKind,
    from_list: bool,
    /// What cash was counted in when it was taken.
    unit: i32,
}

/// Who brings a new URL in.
struct Source {
    parent: UrlId,
    depth: u16,
    reason: Reason,
    flags: u8,
    /// Whether the parent's run of children is closed: it was fetched before, or has none.
    adopt: bool,
}

/// A frontier over any [`Shelf`]: the one implementation of all its rules.
#[derive(Debug)]
pub struct Ledger<S> {
    shelf: S,
    policy: Policy,
    keyring: Keyring,
    entries: Entries,
    /// Ids by key. The key itself stands in the entry.
    ids: HashTable<u32>,
    hosts: Vec<Host>,
    host_ids: HashMap<Box<str>, HostId>,
    /// Hosts that may be asked now, by their best URL.
    ready: Heap,
    /// Hosts that rest, by when they wake. An item counts only if it is the host's present rest.
    timer: BinaryHeap<Reverse<(Timestamp, u32)>>,
    resting: u64,
    leases: HashMap<LeaseId, Out>,
    next_lease: u64,
    /// The drawn list: URLs not leased yet, best first…
    list: Vec<UrlId>,
    /// …what each of them was drawn with, since what a URL gains while it is on the list is for later…
    drawn_with: HashMap<UrlId, Score>,
    /// …and how many of the list are out.
    list_out: usize,
    /// Children outside their first parent's run of ids: redirect targets, finds of a second visit.
    adopted: HashMap<u32, Vec<UrlId>>,
    /// The highest raise each page's children have had, so that a raise not above it costs nothing.
    /// By the raise's `parents == All`, since a page's own finds and all it links to are raised apart.
    raised: HashMap<(u32, bool), Rank>,
    parent_counts: Vec<u8>,
    parents_dropped: u64,
    waiting: u64,
    /// Whether scores add up.
    has_cash: bool,
    /// Scores that add up are multiplied by two to this power.
    unit: i32,
    dirty: Vec<UrlId>,
    dirty_hosts: Vec<HostId>,
}

/// Redirects followed to find the URL that stands for another.
const MOVES: usize = 10;

struct UrlOrder<'a>(&'a mut Entries);

impl Order for UrlOrder<'_> {
    fn before(&self, a: u32, b: u32) -> bool {
        self.0.before(UrlId(a), UrlId(b))
    }
    fn moved(&mut self, member: u32, slot: u32) {
        self.0[UrlId(member)].slot_or_child = slot;
    }
}

struct HostOrder<'a> {
    hosts: &'a mut [Host],
    entries: &'a Entries,
}

impl Order for HostOrder<'_> {
    fn before(&self, a: u32, b: u32) -> bool {
        let best = |host: u32| {
            let host = &self.hosts[host as usize];
            (host.revisits.is_empty(), host.queue.best())
        };
        match (best(a), best(b)) {
            ((false, _), (true, _)) => true,
            ((true, Some(left)), (true, Some(right))) => self.entries.before(UrlId(left), UrlId(right)),
            ((true, Some(_)), (true, None)) => true,
            ((false, _), (false, _)) => a < b,
            _ => false,
        }
    }
    fn moved(&mut self, member: u32, slot: u32) {
        self.hosts[member as usize].place = Place::Ready(slot);
    }
}

impl<S: Shelf + Default> Ledger<S> {
    /// An empty frontier over an empty shelf.
    pub fn new(policy: Policy, keyring: Keyring) -> Ledger<S> {
        Ledger::over(S::default(), policy, keyring)
    }
}

impl<S: Shelf> Ledger<S> {
    /// An empty frontier over a given, empty shelf.
    pub fn over(shelf: S, policy: Policy, keyring: Keyring) -> Ledger<S> {
        Ledger {
            shelf,
            policy,
            keyring,
            entries: Entries::default(),
            ids: HashTable::new(),
            hosts: Vec::new(),
            host_ids: HashMap::new(),
            ready: Heap::default(),
            timer: BinaryHeap::new(),
            resting: 0,
            leases: HashMap::new(),
            next_lease: 0,
            list: Vec::new(),
            drawn_with: HashMap::new(),
            list_out: 0,
            adopted: HashMap::new(),
            raised: HashMap::new(),
            parent_counts: Vec::new(),
            parents_dropped: 0,
            waiting: 0,
            has_cash: false,
            unit: 0,
            dirty: Vec::new(),
            dirty_hosts: Vec::new(),
        }
    }

    /// The shelf under the frontier.
    pub fn shelf(&self) -> &S {
        &self.shelf
    }

    fn find(&self, key: UrlKey) -> Option<UrlId> {
        self.ids
            .find(key.0, |id| self.entries[UrlId(*id)].key == key)
            .map(|id| UrlId(*id))
    }

    /// The URL that stands for a known one: where it redirects to, as far as that is known. Links to a URL that moved are links
    /// to where it moved.
    fn find_moved(&self, key: UrlKey) -> Option<UrlId> {
        let mut id = self.find(key)?;
        for _ in 0..MOVES {
            let entry = &self.entries[id];
            match UrlId(entry.slot_or_child).known() {
                Some(to) if entry.state == State::Gone && entry.has(flag::MOVED) => id = to,
                _ => break,
            }
        }
        Some(id)
    }

    fn host_of(&mut self, url: &CanonicalUrl) -> HostId {
        self.host_named(url.origin())
    }

    fn host_named(&mut self, origin: &str) -> HostId {
        if let Some(host) = self.host_ids.get(origin) {
            return *host;
        }
        let host = HostId(self.hosts.len() as u32);
        self.hosts.push(Host::new(origin));
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

    fn is_full(&self, host: &Host) -> bool {
        self.policy
            .max_pages_per_host
            .is_some_and(|most| host.pages + host.pages_out >= most)
    }

    /// Whether a host rests for long: it failed again and again, or asked for it. A list does not wait for such.
    fn is_left_alone(&self, host: &Host, now: Timestamp) -> bool {
        let short = self
            .policy
            .usual_rest(host)
            .max(self.policy.backoff.saturating_mul(2));
        host.rest_until > now + short
    }

    /// Puts a host where it belongs now. Called after anything about it changed.
    fn place(&mut self, id: HostId, now: Timestamp) {
        let host = &self.hosts[id.0 as usize];
        let was = host.place;
        let has_work = !host.queue.is_empty() || !host.revisits.is_empty();
        let (rest_until, host_timed) = (host.rest_until, host.timed);
        let is = if host.asking_rules || host.busy >= self.policy.connections_per_host {
            Place::Busy
        } else if !has_work || self.is_full(host) {
            Place::Idle
        } else if rest_until > now {
            Place::Resting
        } else {
            Place::Ready(0)
        };
        let mut order = HostOrder {
            hosts: &mut self.hosts,
            entries: &self.entries,
        };
        match (was, is) {
            (Place::Ready(slot), Place::Ready(_)) => {
                self.ready.update(slot, &mut order);
                return;
            }
            // Its wake-up call is already in the timer.
            (Place::Resting, Place::Resting) if host_timed == rest_until => return,
            (Place::Ready(slot), _) => self.ready.remove(slot, &mut order),
            (Place::Resting, _) => self.resting -= 1,
            _ => {}
        }
        match is {
            Place::Ready(_) => self.ready.push(id.0, &mut order),
            Place::Resting => {
                let host = &mut self.hosts[id.0 as usize];
                host.place = Place::Resting;
                host.timed = rest_until;
                self.timer.push(Reverse((rest_until, id.0)));
                self.resting += 1;
            }
            other => self.hosts[id.0 as usize].place = other,
        }
    }

    fn wake(&mut self, now: Timestamp) {
        while let Some(Reverse((until, host))) = self.timer.peek().copied() {
            let is_present = {
                let host = &self.hosts[host as usize];
                host.place == Place::Resting && host.rest_until == until
            };
            if is_present && until > now {
                return;
            }
            self.timer.pop();
            if is_present {
                self.place(HostId(host), now);
            }
        }
    }

    /// Puts a waiting URL into its host's queue.
    fn enqueue(&mut self, id: UrlId, now: Timestamp) {
        let entry = &mut self.entries[id];
        entry.state = State::Waiting;
        let host = entry.host;
        self.hosts[host.0 as usize]
            .queue
            .push(id.0, &mut UrlOrder(&mut self.entries));
        self.waiting += 1;
        self.touch(id);
        self.place(host, now);
    }

    /// Takes a waiting URL out of its host's queue. The caller gives it its next state and places the host.
    fn dequeue(&mut self, id: UrlId) {
        let entry = &self.entries[id];
        let (host, slot) = (entry.host, entry.slot_or_child);
        self.hosts[host.0 as usize]
            .queue
            .remove(slot, &mut UrlOrder(&mut self.entries));
        self.waiting -= 1;
    }

    fn add_new(
        &mut self,
        offer: &Offer,
        source: &Source,
        redirects: u8,
        now: Timestamp,
    ) -> Result<UrlId, FrontierError> {
        if self.entries.len() >= UrlId::NONE.0 - 1 {
            return Err(FrontierError::Full);
        }
        let host = self.host_of(&offer.url);
        let mut entry = Entry {
            key: offer.key,
            score: 0.0,
            host,
            parent: source.parent,
            slot_or_child: 0,
            tie_or_relevance: 0,
            class: 0,
            depth: source.depth,
            state: State::Waiting,
            flags: source.flags,
            attempt: 0,
            redirects,
        };
        entry.set_rank(offer.rank);
        let id = self.entries.push(entry);
        self.ids
            .insert_unique(offer.key.0, id.0, |id| self.entries[UrlId(*id)].key.0);
        self.shelf.put_url(
            id,
            &KnownUrl {
                url: offer.url.clone(),
                reason: source.reason,
            },
        );
        self.enqueue(id, now);
        Ok(id)
    }

    /// Brings an offer in: a new URL, a forgotten one back, or a merge with what is known. Says the id if it is new.
    fn offer(
        &mut self,
        offer: &Offer,
        source: &Source,
        now: Timestamp,
    ) -> Result<Option<UrlId>, FrontierError> {
        match self.find_moved(offer.key) {
            None => self.add_new(offer, source, 0, now).map(Some),
            Some(id) if self.entries[id].state == State::Forgotten => {
                self.bring_back(id, offer.rank, self.entries.len(), now);
                Ok(None)
            }
            Some(id) => {
                self.merge(id, offer.rank, offer.merge, now);
                Ok(None)
            }
        }
    }

    fn bring_back(&mut self, forgotten: UrlId, rank: Rank, age: u32, now: Timestamp) {
        let entry = &mut self.entries[forgotten];
        entry.set_rank(rank);
        entry.attempt = 0;
        self.entries.set_age(forgotten, age);
        self.enqueue(forgotten, now);
    }

    fn merge(&mut self, id: UrlId, rank: Rank, merge: Merge, now: Timestamp) {
        let entry = &mut self.entries[id];
        let present = entry.rank();
        match (entry.state, merge) {
            (State::Waiting | State::Drawn, Merge::Max) if rank > present => entry.set_rank(rank),
            (State::Waiting | State::Drawn, Merge::Replace) if rank != present => entry.set_rank(rank),
            (State::Forgotten, _) => return,
            // Cash also gathers on what is leased, fetched or gone, so that none is ever lost.
            (_, Merge::Add) if rank.score.get() != 0.0 => entry.gain(rank.score.get()),
            _ => return,
        }
        self.touch(id);
        self.reorder(id, now);
    }

    /// Finds the place again of a URL whose rank changed.
    fn reorder(&mut self, id: UrlId, now: Timestamp) {
        let entry = &self.entries[id];
        if entry.state != State::Waiting {
            return;
        }
        let (host, slot) = (entry.host, entry.slot_or_child);
        let queue = &mut self.hosts[host.0 as usize].queue;
        let best = queue.best();
        queue.update(slot, &mut UrlOrder(&mut self.entries));
        // The host's own place changes only with its best URL.
        if best == Some(id.0) || queue.best() == Some(id.0) {
            self.place(host, now);
        }
    }

    fn revisit_richest(&mut self, now: Timestamp) {
        // Asked for rarely (once in hundreds of pages), so looking through all costs less than an order kept up to date.
        let richest = self
            .entries
            .ids()
            .filter(|id| {
                let entry = &self.entries[*id];
                entry.state == State::Fetched && !entry.has(flag::REVISIT) && entry.score > 0.0
            })
            .max_by(|a, b| {
                self.entries[*a]
                    .score
                    .total_cmp(&self.entries[*b].score)
                    .then(b.cmp(a))
            });
        if let Some(id) = richest {
            self.entries[id].set(flag::REVISIT, true);
            self.touch(id);
            let host = self.entries[id].host;
            self.hosts[host.0 as usize].revisits.push(id.0);
            self.place(host, now);
        }
    }

    fn apply(&mut self, update: &Update, source: &Source, now: Timestamp) -> Result<(), FrontierError> {
        match update {
            Update::Offer(offer) => {
                self.has_cash |= offer.merge == Merge::Add;
                let new = self.offer(offer, source, now)?;
                if let (Some(id), Some(parent)) = (new, source.parent.known()) {
                    if source.adopt {
                        self.adopt(parent, id);
                    } else if self.entries[parent].slot_or_child == UrlId::NONE.0 {
                        self.entries[parent].slot_or_child = id.0;
                    }
                }
            }
            Update::RaiseSiblings {
                of,
                parents,
                rank,
                merge,
            } => {
                self.raise_siblings(*of, *parents, *rank, *merge, now)?;
            }
            Update::Rescore { url, rank } => {
                if let Some(id) = self.find(*url) {
                    self.merge(id, *rank, Merge::Replace, now);
                }
            }
            Update::RetieSiblings { of } => self.retie_siblings(*of, now),
            Update::Forget { url } => {
                if let Some(id) = self.find(*url) {
                    match self.entries[id].state {
                        State::Waiting => self.dequeue(id),
                        State::Drawn => self.strike(id),
                        _ => return Ok(()),
                    }
                    self.entries[id].state = State::Forgotten;
                    self.touch(id);
                    self.place(self.entries[id].host, now);
                }
            }
            Update::RevisitRichest => self.revisit_richest(now),
        }
        Ok(())
    }

    fn end_entry(&mut self, id: UrlId, settled: &Settled<'_>, now: Timestamp) -> Result<(), FrontierError> {
        self.touch(id);
        let revisit = settled.lease.revisit;
        let entry = &mut self.entries[id];
        if settled.end == End::Retry {
            entry.attempt = entry.attempt.saturating_add(1);
            if revisit {
                self.hosts[entry.host.0 as usize].revisits.push(id.0);
            } else {
                self.enqueue(id, now);
            }
            return Ok(());
        }
        entry.set(flag::REVISIT, false);
        entry.attempt = 0;
        if !revisit {
            entry.state = match settled.end {
                End::Fetched { .. } => State::Fetched,
                _ => State::Gone,
            };
            entry.slot_or_child = UrlId::NONE.0;
        }
        // A page that cannot be had again keeps what was thought of it.
        if let End::Fetched { relevance } = settled.end {
            entry.tie_or_relevance = relevance.to_bits();
        }
        // What was gained while the request was out stays.
        entry.gain(-settled.lease.taken.rank.score.get());
        if let End::Redirected { to, key, merge } = &settled.end {
            self.redirect(id, settled.lease, to, *key, *merge, now)?;
        }
        Ok(())
    }

    /// All that follows from the end of a lease that was taken in.
    fn end_lease(&mut self, out: Out, settled: Settled<'_>, now: Timestamp) -> Result<(), FrontierError> {
        let jitter = self.keyring.hash(&self.hosts[out.host.0 as usize].origin);
        let counts = !matches!(settled.end, End::Redirected { .. });
        let host = &mut self.hosts[out.host.0 as usize];
        match settled.manners {
            Manners::Asked => host.failures = 0,
            Manners::Failed => host.failures = host.failures.saturating_add(1),
            Manners::Later(_) | Manners::Untouched => {}
        }
        if out.kind == LeaseKind::Page && counts && settled.manners != Manners::Untouched {
            host.pages += 1;
        }
        if out.kind == LeaseKind::Robots {
            host.rules_attempt = host.rules_attempt.saturating_add(1);
        }
        if let Some(rules) = &settled.rules {
            host.rules_attempt = 0;
            host.rules_until = rules.fresh_until;
            host.crawl_delay_ms = rules
                .crawl_delay
                .map_or(0, |delay| u32::try_from(delay.as_millis()).unwrap_or(u32::MAX));
            self.shelf.put_rules(out.host, &rules.bytes);
        }
        let jitter = jitter.rotate_left(host.failures.into());
        let rested = self.policy.rest_until(host, settled.manners, now, jitter);
        // Where several requests are out at once, a good answer does not cut short the rest another one earned.
        host.rest_until = host.rest_until.max(rested);
        self.touch_host(out.host);

        if let Some(id) = out.url {
            self.end_entry(id, &settled, now)?;
            let source = match out.kind {
                // A sitemap lists pages; it is nobody's parent, or every page of a site would be every other's sibling.
                LeaseKind::Sitemap => Source {
                    parent: UrlId::NONE,
                    depth: settled.lease.depth.saturating_add(1),
                    reason: Reason::Sitemap,
                    flags: 0,
                    adopt: false,
                },
                _ => Source {
                    parent: id,
                    depth: settled.lease.depth.saturating_add(1),
                    reason: Reason::Link,
                    flags: 0,
                    adopt: settled.lease.revisit || self.entries[id].state != State::Fetched,
                },
            };
            for update in settled.updates {
                self.apply(update, &source, now)?;
            }
            if self.policy.all_parents && out.kind == LeaseKind::Page && !settled.links.is_empty() {
                self.keep_children(id, settled.lease, settled.links)?;
            }
        }
        // A sitemap named by another lies deeper, so that the crawl can tell when they never end.
        let deeper = u16::from(out.kind == LeaseKind::Sitemap);
        let source = Source {
            parent: UrlId::NONE,
            depth: settled.lease.depth.saturating_add(deeper),
            reason: Reason::SitemapLine,
            flags: flag::SITEMAP,
            adopt: false,
        };
        for sitemap in settled.sitemaps {
            self.offer(sitemap, &source, now)?;
        }
        self.place(out.host, now);
        Ok(())
    }

    fn redirect(
        &mut self,
        from: UrlId,
        lease: &Lease,
        to: &CanonicalUrl,
        key: UrlKey,
        merge: Merge,
        now: Timestamp,
    ) -> Result<(), FrontierError> {
        let entry = self.entries[from];
        let offer = Offer {
            url: to.clone(),
            key,
            rank: lease.taken.rank,
            merge,
        };
        let target = match self.find_moved(key) {
            Some(known) => {
                if self.entries[known].state == State::Forgotten {
                    self.entries[known].redirects = entry.redirects.saturating_add(1);
                    self.bring_back(known, offer.rank, lease.taken.age, now);
                } else {
                    self.merge(known, offer.rank, merge, now);
                }
                if entry.has(flag::SEED) {
                    self.mark_seed(known);
                }
                known
            }
            None => {
                let source = Source {
                    parent: entry.parent,
                    depth: entry.depth,
                    reason: Reason::Redirect,
                    flags: entry.flags & (flag::SEED | flag::SITEMAP),
                    adopt: true,
                };
                let new = self.add_new(&offer, &source, entry.redirects.saturating_add(1), now)?;
                self.entries.set_age(new, lease.taken.age);
                self.reorder(new, now);
                if let Some(parent) = entry.parent.known() {
                    self.adopt(parent, new);
                }
                new
            }
        };
        // Two that redirect to each other stand for nobody.
        if target != from && !lease.revisit {
            let entry = &mut self.entries[from];
            entry.set(flag::MOVED, true);
            entry.slot_or_child = target.0;
            self.touch(from);
            if self.policy.all_parents {
                self.pass_parents_on(from, target)?;
            }
        }
        Ok(())
    }

    fn mark_seed(&mut self, id: UrlId) {
        if !self.entries[id].has(flag::SEED) {
            self.entries[id].set(flag::SEED, true);
            self.touch(id);
        }
    }
}

impl<S: Shelf> Frontier for Ledger<S> {
    fn seed(&mut self, seeds: &[Offer], now: Timestamp) -> Result<(), FrontierError> {
        let source = Source {
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
            if let Some(id) = self.find(seed.key) {
                self.mark_seed(id);
            }
        }
        Ok(())
    }

    fn standings(&self, keys: &[UrlKey], out: &mut Vec<Standing>) {
        out.clear();
        out.extend(keys.iter().map(|key| match self.find_moved(*key) {
            None => Standing::New,
            Some(id) => {
                let entry = &self.entries[id];
                match entry.state {
                    State::Waiting | State::Drawn => Standing::Waiting,
                    State::Leased => Standing::Leased,
                    State::Fetched => Standing::Fetched {
                        relevance: entry.relevance(),
                    },
                    State::Gone => Standing::Gone,
                    State::Forgotten => Standing::New,
                }
            }
        }));
    }

    fn take_many(&mut self, n: usize, now: Timestamp) -> Result<Next, FrontierError> {
        self.wake(now);
        if n == 0 {
            return Ok(Next::Fetch(Vec::new()));
        }
        if !self.list.is_empty()
            && let Some(next) = self.take_from_list(n, now)?
        {
            return Ok(next);
        }
        if self.list_out > 0 {
            return Ok(Next::Blocked);
        }
        let mut leases = Vec::new();
        while leases.len() < n {
            let Some(host) = self.ready.best() else { break };
            leases.extend(self.lease_from(HostId(host), now)?);
        }
        Ok(if !leases.is_empty() {
            Next::Fetch(leases)
        } else if let Some(Reverse((until, _))) = self.timer.peek() {
            Next::WaitUntil(*until)
        } else if !self.leases.is_empty() {
            Next::Blocked
        } else {
            Next::Done
        })
    }

    fn draw(&mut self, n: usize, now: Timestamp) -> Result<usize, FrontierError> {
        if !self.list.is_empty() || self.list_out > 0 {
            return Ok(0);
        }
        let top = |ledger: &Ledger<S>, number: usize| {
            let host = &ledger.hosts[number];
            let is_open = !ledger.is_full(host) && !ledger.is_left_alone(host, now);
            let best = host.queue.best().filter(|_| is_open)?;
            Some((ledger.entries.priority(UrlId(best)), Reverse(best)))
        };
        self.draw_revisits(now);
        let mut tops: BinaryHeap<_> = (0..self.hosts.len())
            .filter_map(|host| Some((top(self, host)?, host)))
            .collect();
        let most = self.list.len().saturating_add(n);
        while self.list.len() < most
            && let Some(((_, Reverse(best)), host)) = tops.pop()
        {
            self.dequeue(UrlId(best));
            self.entries[UrlId(best)].state = State::Drawn;
            self.put_on_list(
                self.list.len(),
                UrlId(best),
                Score::new(self.entries[UrlId(best)].score),
            );
            self.place(HostId(host as u32), now);
            tops.extend(top(self, host).map(|next| (next, host)));
        }
        Ok(self.list.len())
    }

    fn recall(&mut self, wanted: &Recall<'_>, now: Timestamp) -> Result<Option<Lease>, FrontierError> {
        self.lease_this(wanted, now)
    }

    fn hand_back(&mut self, lease: &Lease, until: Timestamp, now: Timestamp) -> Result<(), FrontierError> {
        let out = self.take_in(lease)?;
        let host = &mut self.hosts[out.host.0 as usize];
        host.rest_until = host.rest_until.max(until);
        self.touch_host(out.host);
        match out.url {
            Some(id) if lease.revisit => self.hosts[out.host.0 as usize].revisits.push(id.0),
            Some(id) if out.from_list => {
                self.entries[id].state = State::Drawn;
                let worse = self.list.iter().position(|drawn| self.entries.before(id, *drawn));
                let drawn_with = unit::lift(lease.taken.rank, self.unit - out.unit).score;
                self.put_on_list(worse.unwrap_or(self.list.len()), id, drawn_with);
            }
            Some(id) => self.enqueue(id, now),
            None => {}
        }
        self.place(out.host, now);
        Ok(())
    }

    fn settle(&mut self, settled: Settled<'_>, now: Timestamp) -> Result<(), FrontierError> {
        let out = self.take_in(settled.lease)?;
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
            self.entries[id].set(flag::DIRTY, false);
            let entry = self.entries[id];
            let other_age = entry.has(flag::OTHER_AGE).then(|| self.entries.age(id));
            self.shelf.put_entry(id, &entry, other_age);
        }
        for id in std::mem::take(&mut self.dirty_hosts) {
            let host = &mut self.hosts[id.0 as usize];
            host.dirty = false;
            self.shelf.put_host(id, &host.record());
        }
        for (name, value) in notes.changes() {
            self.shelf.put_note(name, value);
        }
        self.shelf.commit()
    }

    fn sync(&mut self) -> Result<(), FrontierError> {
        self.shelf.sync()
    }

    fn notes(&self, prefix: &str) -> Result<Vec<(String, Vec<u8>)>, FrontierError> {
        self.shelf.notes(prefix)
    }

    fn rules(&self, url: &CanonicalUrl) -> Result<Option<Vec<u8>>, FrontierError> {
        match self.host_ids.get(url.origin()) {
            Some(host) => self.shelf.rules(*host),
            None => Ok(None),
        }
    }

    fn look_up(&self, url: &CanonicalUrl) -> Result<Option<UrlFacts>, FrontierError> {
        let Some(id) = self.find(self.keyring.key(url)) else {
            return Ok(None);
        };
        let entry = &self.entries[id];
        let host = &self.hosts[entry.host.0 as usize];
        let known = self.shelf.url(id)?;
        let parent = entry.parent.known();
        Ok(Some(UrlFacts {
            url: known.url,
            state: entry.state,
            priority: self.entries.priority(id),
            parent: parent.map(|parent| self.entries[parent].key),
            parent_url: parent
                .map(|parent| self.shelf.url(parent))
                .transpose()?
                .map(|known| known.url),
            depth: entry.depth,
            seed: entry.has(flag::SEED),
            reason: known.reason,
            host_rests_until: host.rest_until,
            host_failures: host.failures,
            host_pages: host.pages,
        }))
    }

    fn counts(&self) -> Counts {
        Counts {
            known: self.entries.len().into(),
            waiting: self.waiting
                + self
                    .list
                    .iter()
                    .filter(|id| self.entries[**id].state == State::Drawn)
                    .count() as u64,
            leased: self.leases.len() as u64,
            hosts: self.hosts.len() as u64,
            hosts_resting: self.resting,
            parents_dropped: self.parents_dropped,
        }
    }
}
