//! The frontier of one node in the lab: the shards that it owns, and what it has to tell the shards of others.
//!
//! The rules are those of a real cluster: the best rank over the node's shards is served first, a page's updates are sorted by the
//! shard of the URL they name, and the URLs of other nodes' shards are unknown here. There is no Redis and there are no commits:
//! what has to be told is handed to the driver, which delivers it later.

use std::collections::BTreeMap;
use std::time::Duration;

use scenthound_frontier::{
    Ask, Counts, End, ForeignOffer, Frontier, FrontierError, HostEffect, HostPolicy, HostSteering, KinNews,
    MemoryFrontier, Next, Recall, Rescore, Settled, ShardMap, Survey, UrlFacts,
};
use scenthound_types::{
    AgentId, CanonicalUrl, Evidence, Keyring, Lease, LeaseKind, Offer, Priority, Rank, Reason, Standing,
    StateDelta, Timestamp, Update, UrlKey,
};

/// How many numbers of leases a shard has each time a node takes it.
const LEASE_BITS: u32 = 40;
/// A host whose robots.txt leads to another site is left alone this long.
const FOREIGN_RULES: Duration = Duration::from_secs(24 * 3600);

/// What one shard tells another.
pub(super) enum Item {
    Offer(ForeignOffer),
    Update(AgentId, Update),
    Evidence(AgentId, UrlKey, Evidence),
    Kin(KinNews),
}

/// Something to be told to a shard.
pub(super) struct Message {
    from: u16,
    pub to: u16,
    pub item: Item,
}

struct Part {
    frontier: MemoryFrontier,
    /// Until when it has nothing to lease, unless it changes.
    asleep: Option<(Timestamp, Next)>,
}

impl Part {
    fn change(&mut self) -> &mut MemoryFrontier {
        self.asleep = None;
        &mut self.frontier
    }
}

fn shard_of(key: UrlKey, shards: u16) -> u16 {
    ((u32::from(key.site()) * u32::from(shards)) >> UrlKey::SITE_BITS) as u16
}

/// The shards of one node as one frontier.
pub(super) struct NodeFrontier {
    /// Keeps the notes of the node: its tally, and what its strategy has learnt.
    local: MemoryFrontier,
    parts: BTreeMap<u16, Part>,
    shards: u16,
    keyring: Keyring,
    /// The shard that each taking was of. Leases are numbered by taking.
    takings: Vec<u16>,
    seeds: BTreeMap<AgentId, Vec<Offer>>,
    settling: u16,
    /// What is to be told to other shards.
    pub outgoing: Vec<Message>,
}

impl NodeFrontier {
    pub fn new(policy: HostPolicy, keyring: Keyring, shards: u16) -> NodeFrontier {
        NodeFrontier {
            local: MemoryFrontier::new(policy, keyring),
            parts: BTreeMap::new(),
            shards,
            keyring,
            takings: Vec::new(),
            seeds: BTreeMap::new(),
            settling: 0,
            outgoing: Vec::new(),
        }
    }

    pub fn owns(&self, shard: u16) -> bool {
        self.parts.contains_key(&shard)
    }

    /// Takes a shard.
    pub fn take_up(
        &mut self,
        shard: u16,
        mut frontier: MemoryFrontier,
        now: Timestamp,
    ) -> Result<(), FrontierError> {
        frontier.number_leases_from((self.takings.len() as u64) << LEASE_BITS);
        self.takings.push(shard);
        for (agent, seeds) in &self.seeds {
            let here = seeds.iter().filter(|seed| self.shard_of(seed.key) == shard);
            let here: Vec<Offer> = here.cloned().collect();
            frontier.seed_for(*agent, &here, now)?;
        }
        let part = Part {
            frontier,
            asleep: None,
        };
        self.parts.insert(shard, part);
        Ok(())
    }

    /// Gives all shards up: the node has died.
    pub fn give_up(&mut self) -> Vec<(u16, MemoryFrontier)> {
        let parts = std::mem::take(&mut self.parts);
        parts
            .into_iter()
            .map(|(shard, part)| (shard, part.frontier))
            .collect()
    }

    fn shard_of(&self, key: UrlKey) -> u16 {
        shard_of(key, self.shards)
    }

    fn at(&self, key: UrlKey) -> Option<&MemoryFrontier> {
        self.parts.get(&self.shard_of(key)).map(|part| &part.frontier)
    }

    fn of_lease(&mut self, lease: &Lease) -> Result<(u16, &mut Part), FrontierError> {
        let taking = usize::try_from(lease.id.0 >> LEASE_BITS).ok();
        let shard = taking.and_then(|taking| self.takings.get(taking)).copied();
        let part = shard.and_then(|shard| Some((shard, self.parts.get_mut(&shard)?)));
        part.ok_or(FrontierError::UnknownLease(lease.id.0))
    }

    fn tell(&mut self, from: u16, to: u16, item: Item) {
        self.outgoing.push(Message { from, to, item });
    }

    fn tell_kin(&mut self, from: u16, kin: Vec<(u16, KinNews)>) {
        for (to, news) in kin {
            self.tell(from, to, Item::Kin(news));
        }
    }

    /// Hears something that a page of another shard means for this one.
    pub fn hear(&mut self, Message { from, to, item }: Message, now: Timestamp) -> Result<(), FrontierError> {
        let shards = self.shards;
        let Some(part) = self.parts.get_mut(&to) else {
            return Ok(());
        };
        let frontier = part.change();
        match item {
            Item::Offer(offer) => frontier.receive(offer, now).map(|_| ()),
            Item::Update(agent, update) => frontier.receive_update(agent, &update, now),
            Item::Evidence(agent, of, mut evidence) => {
                if let Some(mut known) = frontier.evidence(agent, of)? {
                    known.gather(&evidence);
                    evidence = known;
                }
                frontier.keep_evidence(agent, of, &evidence)
            }
            Item::Kin(news) => {
                let map = ShardMap {
                    here: to,
                    shard_of: &|key| shard_of(key, shards),
                };
                let heard = frontier.hear_kin(news, from, map, now)?;
                self.tell_kin(to, heard.tell);
                Ok(())
            }
        }
    }

    /// Sorts updates into those for the shard itself, which are returned, and those for others.
    fn sort_updates(&mut self, from: u16, settled: &Settled<'_>, unit: i32) -> Vec<Update> {
        let lease = settled.lease;
        let agent = lease.agent;
        let mut own = Vec::with_capacity(settled.updates.len());
        for update in settled.updates {
            let to = match update {
                Update::Offer(offer) => self.shard_of(offer.key),
                Update::Raise { of, .. } | Update::Note { of, .. } => self.shard_of(*of),
                // The siblings were raised before.
                Update::RaiseSiblings { .. } => continue,
                Update::RetieSiblings { .. } | Update::RevisitRichest => from,
            };
            let item = match update {
                _ if to == from => {
                    own.push(update.clone());
                    continue;
                }
                Update::Offer(offer) => Item::Offer(ForeignOffer {
                    agent,
                    offer: offer.clone(),
                    unit,
                    parent: (lease.kind == LeaseKind::Page).then(|| lease.url.clone()),
                    depth: lease.depth.saturating_add(1),
                    reason: match lease.kind {
                        LeaseKind::Sitemap => Reason::Sitemap,
                        _ => Reason::Link,
                    },
                    redirects: 0,
                    is_seed: false,
                    is_sitemap: false,
                }),
                update => Item::Update(agent, update.clone()),
            };
            self.tell(from, to, item);
        }
        own
    }

    /// Leases one URL of the best shard, or says why there is none.
    fn take_one(&mut self, ask: Ask, now: Timestamp) -> Result<Next, FrontierError> {
        loop {
            let mut best: Option<(Rank, u16)> = None;
            for (shard, part) in &mut self.parts {
                if part.asleep.as_ref().is_some_and(|(until, _)| *until > now) {
                    continue;
                }
                // A shard without a ready host has to be asked all the same, to learn when one wakes.
                let last = Rank {
                    class: u16::MAX,
                    ..Rank::default()
                };
                let ready = part.frontier.best_ready(ask.agent, now);
                let rank = ready.map_or(last, |priority| priority.rank);
                if best.is_none_or(|(known, _)| rank > known) {
                    best = Some((rank, *shard));
                }
            }
            let Some(part) = best.and_then(|(_, shard)| self.parts.get_mut(&shard)) else {
                return Ok(self.why_none());
            };
            let next = part.frontier.take_for(Ask { most: 1, ..ask }, now)?;
            let until = match &next {
                Next::Fetch(_) => return Ok(next),
                Next::WaitUntil(until) => *until,
                Next::Blocked | Next::Done => Timestamp::NEVER,
            };
            part.asleep = Some((until, next));
        }
    }

    fn why_none(&self) -> Next {
        let asleep = || self.parts.values().filter_map(|part| part.asleep.as_ref());
        let waits = asleep().filter(|(_, next)| matches!(next, Next::WaitUntil(_)));
        match waits.map(|(until, _)| *until).min() {
            Some(until) => Next::WaitUntil(until),
            None if asleep().any(|(_, next)| *next == Next::Blocked) => Next::Blocked,
            None => Next::Done,
        }
    }
}

impl Frontier for NodeFrontier {
    fn seed_for(&mut self, agent: AgentId, seeds: &[Offer], now: Timestamp) -> Result<(), FrontierError> {
        for seed in seeds {
            let shard = self.shard_of(seed.key);
            if let Some(part) = self.parts.get_mut(&shard) {
                part.change().seed_for(agent, std::slice::from_ref(seed), now)?;
            }
        }
        self.seeds.entry(agent).or_default().extend_from_slice(seeds);
        Ok(())
    }

    fn standings(&self, keys: &[UrlKey], out: &mut Vec<Standing>) {
        out.clear();
        let mut one = Vec::with_capacity(1);
        for key in keys {
            let standing = self.at(*key).and_then(|frontier| {
                frontier.standings(std::slice::from_ref(key), &mut one);
                one.first().copied()
            });
            out.push(standing.unwrap_or(Standing::New));
        }
    }

    fn take_for(&mut self, ask: Ask, now: Timestamp) -> Result<Next, FrontierError> {
        let mut leases = Vec::new();
        while leases.len() < ask.most {
            match self.take_one(ask, now)? {
                Next::Fetch(taken) => leases.extend(taken),
                _ if !leases.is_empty() => break,
                other => return Ok(other),
            }
        }
        Ok(Next::Fetch(leases))
    }

    fn take_oldest(&mut self, ask: Ask, now: Timestamp) -> Result<Option<Lease>, FrontierError> {
        for part in self.parts.values_mut() {
            if let Some(lease) = part.change().take_oldest(ask, now)? {
                return Ok(Some(lease));
            }
        }
        Ok(None)
    }

    fn waits_for(&self, agent: AgentId, key: UrlKey) -> Option<Priority> {
        self.at(key)?.waits_for(agent, key)
    }

    fn waiting_of(&self, agent: AgentId) -> u64 {
        let waiting = self.parts.values().map(|part| part.frontier.waiting_of(agent));
        waiting.sum()
    }

    fn evidence(&self, agent: AgentId, key: UrlKey) -> Result<Option<Evidence>, FrontierError> {
        self.at(key)
            .map_or(Ok(None), |frontier| frontier.evidence(agent, key))
    }

    fn leased_evidence(&self, lease: &Lease) -> Result<Option<Evidence>, FrontierError> {
        self.at(lease.key)
            .map_or(Ok(None), |frontier| frontier.leased_evidence(lease))
    }

    fn keep_evidence(
        &mut self,
        agent: AgentId,
        key: UrlKey,
        evidence: &Evidence,
    ) -> Result<(), FrontierError> {
        let shard = self.shard_of(key);
        match self.parts.get_mut(&shard) {
            Some(part) if shard == self.settling => part.change().keep_evidence(agent, key, evidence),
            // The URL may be on its way there.
            _ => {
                self.tell(self.settling, shard, Item::Evidence(agent, key, evidence.clone()));
                Ok(())
            }
        }
    }

    fn open_epoch(&mut self, agent: AgentId) {
        for part in self.parts.values_mut() {
            part.frontier.open_epoch(agent);
        }
    }

    fn freshen(
        &mut self,
        agent: AgentId,
        most: usize,
        rescore: Rescore<'_>,
        now: Timestamp,
    ) -> Result<bool, FrontierError> {
        let share = most.div_ceil(self.parts.len().max(1));
        let mut is_left = false;
        for part in self.parts.values_mut() {
            is_left |= part.change().freshen(agent, share, &mut *rescore, now)?;
        }
        Ok(is_left)
    }

    fn keep_ranks(&mut self) {
        for part in self.parts.values_mut() {
            part.frontier.keep_ranks();
        }
    }

    fn is_stale(&self, agent: AgentId) -> bool {
        self.parts.values().any(|part| part.frontier.is_stale(agent))
    }

    fn draw(&mut self, n: usize, now: Timestamp) -> Result<usize, FrontierError> {
        let share = n.div_ceil(self.parts.len().max(1));
        let mut drawn = 0;
        for part in self.parts.values_mut() {
            drawn += part.change().draw(share, now)?;
        }
        Ok(drawn)
    }

    fn recall(&mut self, wanted: &Recall<'_>, now: Timestamp) -> Result<Option<Lease>, FrontierError> {
        let shard = self.shard_of(wanted.key);
        match self.parts.get_mut(&shard) {
            Some(part) => part.change().recall(wanted, now),
            None => Ok(None),
        }
    }

    fn hand_back(&mut self, lease: &Lease, until: Timestamp, now: Timestamp) -> Result<(), FrontierError> {
        let (_, part) = self.of_lease(lease)?;
        part.change().hand_back(lease, until, now)
    }

    fn settle(&mut self, settled: Settled<'_>, now: Timestamp) -> Result<(), FrontierError> {
        let (shard, part) = self.of_lease(settled.lease)?;
        let unit = part.frontier.unit_of(settled.lease);
        let shards = self.shards;
        let map = ShardMap {
            here: shard,
            shard_of: &|key| shard_of(key, shards),
        };
        let Some(part) = self.parts.get_mut(&shard) else {
            return Ok(());
        };
        let kin = part.change().tell_kin(&settled, map, now)?;
        self.settling = shard;
        let updates = self.sort_updates(shard, &settled, unit);
        let (mut end, mut host_effect) = (settled.end.clone(), settled.host_effect);
        if let End::Redirected { to, key, merge } = &settled.end
            && self.shard_of(*key) != shard
        {
            let lease = settled.lease;
            if lease.kind == LeaseKind::Robots {
                end = End::Retry;
                host_effect = HostEffect::Later(now + FOREIGN_RULES);
            } else {
                // The target takes over there what the source had here.
                let item = Item::Offer(ForeignOffer {
                    agent: lease.agent,
                    offer: Offer {
                        url: to.clone(),
                        key: *key,
                        rank: lease.taken.rank,
                        merge: *merge,
                    },
                    unit,
                    parent: lease.parent_url.clone(),
                    depth: lease.depth,
                    reason: Reason::Redirect,
                    redirects: lease.redirects.saturating_add(1),
                    is_seed: lease.seed,
                    is_sitemap: lease.kind == LeaseKind::Sitemap,
                });
                self.tell(shard, self.shard_of(*key), item);
                end = End::Gone;
            }
        }
        self.tell_kin(shard, kin);
        let Some(part) = self.parts.get_mut(&shard) else {
            return Ok(());
        };
        let settled = Settled {
            end,
            host_effect,
            requisites: &[],
            updates: &updates,
            ..settled
        };
        part.change().settle(settled, now)
    }

    fn commit(&mut self, notes: &StateDelta) -> Result<(), FrontierError> {
        self.local.commit(notes)
    }

    fn sync(&mut self) -> Result<(), FrontierError> {
        Ok(())
    }

    fn notes(&self, prefix: &str) -> Result<Vec<(String, Vec<u8>)>, FrontierError> {
        self.local.notes(prefix)
    }

    fn rules(&self, url: &CanonicalUrl) -> Result<Option<Vec<u8>>, FrontierError> {
        self.at(self.keyring.key(url))
            .map_or(Ok(None), |frontier| frontier.rules(url))
    }

    fn fresh_rules(
        &self,
        url: &CanonicalUrl,
        now: Timestamp,
    ) -> Result<Option<(Vec<u8>, Timestamp)>, FrontierError> {
        self.at(self.keyring.key(url))
            .map_or(Ok(None), |frontier| frontier.fresh_rules(url, now))
    }

    fn waiting_at(&self, origin: &str) -> usize {
        let waiting = self.parts.values().map(|part| part.frontier.waiting_at(origin));
        waiting.sum()
    }

    fn has_ready_host(&self, now: Timestamp) -> bool {
        self.parts.values().any(|part| part.frontier.has_ready_host(now))
    }

    fn knows_host(&self, origin: &str) -> bool {
        let Ok(url) = CanonicalUrl::parse(&format!("{origin}/")) else {
            return true;
        };
        self.at(self.keyring.key(&url))
            .is_none_or(|frontier| frontier.knows_host(origin))
    }

    fn url(&self, key: UrlKey) -> Result<Option<CanonicalUrl>, FrontierError> {
        self.at(key).map_or(Ok(None), |frontier| frontier.url(key))
    }

    fn look_up(&self, url: &CanonicalUrl) -> Result<Option<UrlFacts>, FrontierError> {
        self.at(self.keyring.key(url))
            .map_or(Ok(None), |frontier| frontier.look_up(url))
    }

    fn counts(&self) -> Counts {
        let mut all = Counts::default();
        for part in self.parts.values() {
            let counts = part.frontier.counts();
            all.known += counts.known;
            all.waiting += counts.waiting;
            all.requisites += counts.requisites;
            all.leased += counts.leased;
            all.hosts += counts.hosts;
            all.hosts_resting += counts.hosts_resting;
            all.hosts_parked += counts.hosts_parked;
            all.parents_dropped += counts.parents_dropped;
            all.expired += counts.expired;
        }
        all
    }

    fn steer(&mut self, steering: HostSteering, now: Timestamp) {
        for part in self.parts.values_mut() {
            part.change().steer(steering.clone(), now);
        }
    }

    fn survey(&self, _hosts: usize) -> Survey {
        Survey::default()
    }
}
