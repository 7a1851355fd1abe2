//! The shards of a node as one frontier.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use scenthound_frontier::{
    Ask, CLOCK_NOTE, Counts, End, Frontier, FrontierError, HostEffect, HostPolicy, HostSteering, Next,
    Recall, Rescore, Settled, ShardMap, Survey, UrlFacts,
};
use scenthound_frontier_durable::DurableFrontier;
use scenthound_frontier_redis::{Keyspace, Link, ShardFrontier};
use scenthound_types::{
    AgentId, CanonicalUrl, Evidence, Keyring, Lease, LeaseKind, Merge, Offer, Priority, Rank, Reason,
    Standing, StateDelta, Timestamp, Update, UrlKey,
};

use crate::attend::Duty;
use crate::fault::{ClusterFault, redis_fault};
use crate::lessons::Heard;
use crate::letter::{Item, WrittenOffer, shard_of};
use crate::owned::{Asleep, Owned};
use crate::post::Sent;

/// How many numbers of leases a shard has each time it is opened.
const LEASE_BITS: u32 = 40;
/// A host whose robots.txt leads to another site is left alone this long.
const FOREIGN_RULES: Duration = Duration::from_secs(24 * 3600);
/// Hosts of a shard that are named when the queue is looked over.
const SURVEYED: usize = 10;

/// Who joins which crawl.
#[derive(Clone, Debug)]
pub struct Membership {
    /// The name of the node.
    pub node: String,
    /// Distinguishes this run of it from others.
    pub run: String,
    /// The machine and folder it runs in.
    pub home: String,
    /// How many shards the crawl has.
    pub shards: u16,
    /// How long it counts as running when it says nothing.
    pub lease: Duration,
    /// How many pages all nodes together may request.
    pub pages: Option<u64>,
}

/// The shards of a node as one frontier.
///
/// The notes of the crawl (its tally, what its strategy has learnt, how far its records reach) belong to the node and are kept in its
/// own folder. Everything about URLs and hosts is in the shards.
pub struct ClusterFrontier {
    pub(crate) local: DurableFrontier,
    pub(crate) link: Arc<Link>,
    pub(crate) space: Keyspace,
    pub(crate) member: Membership,
    pub(crate) policy: HostPolicy,
    pub(crate) keyring: Keyring,
    pub(crate) owned: BTreeMap<u16, Owned>,
    /// The shard that each opening was for. Leases are numbered by opening.
    openings: Vec<u16>,
    /// What the crawl starts from, for shards that come later.
    pub(crate) seeds: BTreeMap<AgentId, Vec<Offer>>,
    steering: Option<HostSteering>,
    /// What is to be written to other shards: from, to.
    pub(crate) outgoing: BTreeMap<(u16, u16), Vec<Item>>,
    /// The shard of the page that was settled last.
    settling: u16,
    pub(crate) sent: Sent,
    pub(crate) heard: Heard,
    pub(crate) duty: Duty,
}

impl ClusterFrontier {
    /// Joins a crawl. The node owns nothing until it has [attended](ClusterFrontier::attend) to its duties.
    pub fn join(
        local: DurableFrontier,
        link: Link,
        space: Keyspace,
        member: Membership,
        policy: HostPolicy,
        keyring: Keyring,
        now: Timestamp,
    ) -> Result<ClusterFrontier, FrontierError> {
        let mut frontier = ClusterFrontier {
            local,
            link: Arc::new(link),
            space,
            member,
            policy,
            keyring,
            owned: BTreeMap::new(),
            openings: Vec::new(),
            seeds: BTreeMap::new(),
            steering: None,
            outgoing: BTreeMap::new(),
            settling: 0,
            sent: Sent::default(),
            heard: Heard::default(),
            duty: Duty::default(),
        };
        frontier.report_for_duty(now)?;
        Ok(frontier)
    }

    /// The shards it owns.
    pub fn shards(&self) -> usize {
        self.owned.len()
    }

    /// The cash that the shards of this node hold, in the unit of the start.
    pub fn cash(&self) -> f64 {
        self.owned.values().map(|owned| owned.frontier.cash()).sum()
    }

    pub(crate) fn shard_of(&self, key: UrlKey) -> u16 {
        shard_of(key, self.member.shards)
    }

    /// Takes a shard into use that was opened.
    pub(crate) fn take_up(
        &mut self,
        number: u16,
        mut frontier: ShardFrontier,
        now: Timestamp,
    ) -> Result<(), FrontierError> {
        frontier.number_leases_from((self.openings.len() as u64) << LEASE_BITS);
        self.openings.push(number);
        for (agent, seeds) in &self.seeds {
            let here = seeds.iter().filter(|seed| self.shard_of(seed.key) == number);
            let here: Vec<Offer> = here.cloned().collect();
            frontier.seed_for(*agent, &here, now)?;
        }
        if let Some(steering) = &self.steering {
            frontier.steer(steering.clone(), now);
        }
        let is_foreign = |key: UrlKey| self.shard_of(key) != number;
        let pages = frontier.keys().filter(|key| is_foreign(*key)).count();
        let hosts = frontier.origins().filter(|origin| {
            let url = CanonicalUrl::parse(&format!("{origin}/"));
            url.is_ok_and(|url| is_foreign(self.keyring.key(&url)))
        });
        let strangers = (pages as u64, hosts.count() as u64);
        let owned = Owned {
            strangers,
            ..Owned::new(frontier)
        };
        self.owned.insert(number, owned);
        Ok(())
    }

    fn at(&self, key: UrlKey) -> Option<&Owned> {
        self.owned.get(&self.shard_of(key))
    }

    fn of_lease(&mut self, lease: &Lease) -> Result<(u16, &mut Owned), FrontierError> {
        let opening = usize::try_from(lease.id.0 >> LEASE_BITS).ok();
        let shard = opening.and_then(|opening| self.openings.get(opening)).copied();
        let owned = shard.and_then(|shard| Some((shard, self.owned.get_mut(&shard)?)));
        owned.ok_or_else(|| ClusterFault::UnknownLease(lease.id.0).into())
    }

    pub(crate) fn write(&mut self, from: u16, to: u16, item: Item) {
        self.outgoing.entry((from, to)).or_default().push(item);
    }

    /// Whether an offer would change nothing where it goes, as far as this node can tell.
    fn is_idle_talk(&mut self, agent: AgentId, offer: &Offer) -> bool {
        if offer.merge == Merge::Add {
            return false;
        }
        if let Some(owned) = self.at(offer.key) {
            let mut standing = Vec::with_capacity(1);
            owned.frontier.standings(&[offer.key], &mut standing);
            let is_settled = matches!(
                standing.first(),
                Some(Standing::Leased | Standing::Fetched { .. } | Standing::Gone)
            );
            if is_settled {
                return true;
            }
        }
        !self.sent.is_news(agent, offer)
    }

    /// Sorts updates into those for the shard itself and those for others.
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
            if to == from {
                own.push(update.clone());
                continue;
            }
            let item = match update {
                Update::Offer(offer) if self.is_idle_talk(agent, offer) => continue,
                Update::Offer(offer) => Item::Offer(WrittenOffer {
                    agent: agent.0,
                    url: offer.url.to_string(),
                    rank: offer.rank.into(),
                    merge: offer.merge,
                    unit,
                    parent: (lease.kind == LeaseKind::Page).then(|| lease.url.to_string()),
                    depth: lease.depth.saturating_add(1),
                    reason: match lease.kind {
                        LeaseKind::Sitemap => Reason::Sitemap,
                        _ => Reason::Link,
                    },
                    redirects: 0,
                    is_seed: false,
                    is_sitemap: false,
                }),
                Update::Raise { of, rank, merge } => Item::Raise {
                    agent: agent.0,
                    of: of.0,
                    rank: (*rank).into(),
                    merge: *merge,
                },
                Update::Note { of, note } => Item::Note {
                    agent: agent.0,
                    of: of.0,
                    note: note.to_vec(),
                },
                _ => continue,
            };
            self.write(from, to, item);
        }
        own
    }

    /// Passes a redirect to another shard on: the target takes over there what the source had here.
    fn pass_on(&mut self, from: u16, lease: &Lease, to: &CanonicalUrl, key: UrlKey, merge: Merge, unit: i32) {
        let shard = self.shard_of(key);
        let item = Item::Offer(WrittenOffer {
            agent: lease.agent.0,
            url: to.to_string(),
            rank: lease.taken.rank.into(),
            merge,
            unit,
            parent: lease.parent_url.as_ref().map(|url| url.to_string()),
            depth: lease.depth,
            reason: Reason::Redirect,
            redirects: lease.redirects.saturating_add(1),
            is_seed: lease.seed,
            is_sitemap: lease.kind == LeaseKind::Sitemap,
        });
        self.write(from, shard, item);
    }

    /// Leases one URL of the best shard, or says why there is none.
    fn take_one(&mut self, ask: Ask, now: Timestamp) -> Result<Next, FrontierError> {
        loop {
            let mut best: Option<(Rank, u16)> = None;
            for (number, owned) in &mut self.owned {
                if owned.is_leaving || !owned.is_awake(now) {
                    continue;
                }
                // A shard without a ready host has to be asked all the same, to learn when one wakes.
                let rank = owned.frontier.best_ready(ask.agent, now).map_or(
                    Rank {
                        class: u16::MAX,
                        ..Rank::default()
                    },
                    |priority: Priority| priority.rank,
                );
                if best.is_none_or(|(known, _)| rank > known) {
                    best = Some((rank, *number));
                }
            }
            let Some(owned) = best.and_then(|(_, number)| self.owned.get_mut(&number)) else {
                return Ok(self.why_none());
            };
            let next = owned.frontier.take_for(Ask { most: 1, ..ask }, now)?;
            // With several agents, what one has nothing of another may have.
            if self.policy.agents <= 1 || matches!(next, Next::Fetch(_)) {
                owned.remember(&next);
            } else {
                owned.asleep = Some((Timestamp::ZERO, Asleep::Blocked));
                return self.take_in_turn(ask, now);
            }
            if let Next::Fetch(leases) = &next {
                owned.out += leases.len();
                return Ok(next);
            }
        }
    }

    /// Asks every shard, for crawls with several agents.
    fn take_in_turn(&mut self, ask: Ask, now: Timestamp) -> Result<Next, FrontierError> {
        let mut wake = Timestamp::NEVER;
        let mut is_blocked = false;
        for owned in self.owned.values_mut().filter(|owned| !owned.is_leaving) {
            match owned.frontier.take_for(Ask { most: 1, ..ask }, now)? {
                Next::Fetch(leases) => {
                    owned.out += leases.len();
                    return Ok(Next::Fetch(leases));
                }
                Next::WaitUntil(until) => wake = wake.min(until),
                Next::Blocked => is_blocked = true,
                Next::Done => {}
            }
        }
        Ok(if wake < Timestamp::NEVER {
            Next::WaitUntil(wake)
        } else if is_blocked {
            Next::Blocked
        } else {
            Next::Done
        })
    }

    fn why_none(&self) -> Next {
        let asleep = || self.owned.values().filter_map(|owned| owned.asleep);
        let wake = asleep()
            .filter(|(_, why)| *why == Asleep::Resting)
            .map(|(until, _)| until)
            .min();
        if let Some(until) = wake {
            Next::WaitUntil(until)
        } else if asleep().any(|(_, why)| why == Asleep::Blocked)
            || self.owned.values().any(|owned| owned.out > 0)
        {
            Next::Blocked
        } else {
            Next::Done
        }
    }
}

impl Frontier for ClusterFrontier {
    fn seed_for(&mut self, agent: AgentId, seeds: &[Offer], now: Timestamp) -> Result<(), FrontierError> {
        for seed in seeds {
            let shard = self.shard_of(seed.key);
            if let Some(owned) = self.owned.get_mut(&shard) {
                owned.change().seed_for(agent, std::slice::from_ref(seed), now)?;
            }
        }
        let known = self.seeds.entry(agent).or_default();
        let new = seeds
            .iter()
            .filter(|seed| !known.iter().any(|known| known.key == seed.key));
        let new: Vec<Offer> = new.cloned().collect();
        known.extend(new);
        Ok(())
    }

    fn standings(&self, keys: &[UrlKey], out: &mut Vec<Standing>) {
        out.clear();
        let mut one = Vec::with_capacity(1);
        for key in keys {
            let standing = self.at(*key).and_then(|owned| {
                owned.frontier.standings(std::slice::from_ref(key), &mut one);
                one.first().copied()
            });
            out.push(standing.unwrap_or(Standing::New));
        }
    }

    fn take_for(&mut self, ask: Ask, now: Timestamp) -> Result<Next, FrontierError> {
        if ask.most == 0 {
            return Ok(Next::Fetch(Vec::new()));
        }
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
        for owned in self.owned.values_mut().filter(|owned| !owned.is_leaving) {
            if let Some(lease) = owned.frontier.take_oldest(ask, now)? {
                owned.out += 1;
                return Ok(Some(lease));
            }
        }
        Ok(None)
    }

    fn waits_for(&self, agent: AgentId, key: UrlKey) -> Option<Priority> {
        self.at(key)?.frontier.waits_for(agent, key)
    }

    fn waiting_of(&self, agent: AgentId) -> u64 {
        let waiting = self.owned.values().map(|owned| owned.frontier.waiting_of(agent));
        waiting.sum()
    }

    fn evidence(&self, agent: AgentId, key: UrlKey) -> Result<Option<Evidence>, FrontierError> {
        match self.at(key) {
            Some(owned) => owned.frontier.evidence(agent, key),
            None => Ok(None),
        }
    }

    fn leased_evidence(&self, lease: &Lease) -> Result<Option<Evidence>, FrontierError> {
        match self.at(lease.key) {
            Some(owned) => owned.frontier.leased_evidence(lease),
            None => Ok(None),
        }
    }

    fn keep_evidence(
        &mut self,
        agent: AgentId,
        key: UrlKey,
        evidence: &Evidence,
    ) -> Result<(), FrontierError> {
        let shard = self.shard_of(key);
        match self.owned.get_mut(&shard) {
            Some(owned) if shard == self.settling => owned.change().keep_evidence(agent, key, evidence),
            // The URL may be on its way there.
            _ => {
                let item = Item::Evidence {
                    agent: agent.0,
                    of: key.0,
                    evidence: evidence.to_bytes(),
                };
                self.write(self.settling, shard, item);
                Ok(())
            }
        }
    }

    fn open_epoch(&mut self, agent: AgentId) {
        for owned in self.owned.values_mut() {
            owned.frontier.open_epoch(agent);
        }
    }

    fn freshen(
        &mut self,
        agent: AgentId,
        most: usize,
        rescore: Rescore<'_>,
        now: Timestamp,
    ) -> Result<bool, FrontierError> {
        let share = most.div_ceil(self.owned.len().max(1));
        let mut is_left = false;
        for owned in self.owned.values_mut() {
            let before = owned.frontier.best_ready(agent, now);
            is_left |= owned.frontier.freshen(agent, share, &mut *rescore, now)?;
            owned.is_dirty |= share > 0 || before != owned.frontier.best_ready(agent, now);
            owned.asleep = None;
        }
        Ok(is_left)
    }

    /// Each shard draws its part of the list.
    fn draw(&mut self, n: usize, now: Timestamp) -> Result<usize, FrontierError> {
        let share = n.div_ceil(self.owned.len().max(1));
        let mut drawn = 0;
        for owned in self.owned.values_mut().filter(|owned| !owned.is_leaving) {
            let of_shard = owned.frontier.draw(share, now)?;
            if of_shard > 0 {
                owned.change();
            }
            drawn += of_shard;
        }
        Ok(drawn)
    }

    fn recall(&mut self, wanted: &Recall<'_>, now: Timestamp) -> Result<Option<Lease>, FrontierError> {
        let shard = self.shard_of(wanted.key);
        let Some(owned) = self.owned.get_mut(&shard) else {
            return Ok(None);
        };
        let lease = owned.change().recall(wanted, now)?;
        owned.out += usize::from(lease.is_some());
        Ok(lease)
    }

    fn hand_back(&mut self, lease: &Lease, until: Timestamp, now: Timestamp) -> Result<(), FrontierError> {
        let (_, owned) = self.of_lease(lease)?;
        owned.out -= 1;
        owned.change().hand_back(lease, until, now)
    }

    fn settle(&mut self, settled: Settled<'_>, now: Timestamp) -> Result<(), FrontierError> {
        let (shard, owned) = self.of_lease(settled.lease)?;
        owned.out -= 1;
        let unit = owned.frontier.unit_of(settled.lease);
        // Siblings are raised before the page's own links are offered, as on one machine.
        let shards = self.member.shards;
        let map = ShardMap {
            here: shard,
            shard_of: &|key| shard_of(key, shards),
        };
        let Some(owned) = self.owned.get_mut(&shard) else {
            return Ok(());
        };
        let kin = owned.change().tell_kin(&settled, map, now)?;
        self.settling = shard;
        self.duty.activity += 1;
        let updates = self.sort_updates(shard, &settled, unit);
        let (mut end, mut host_effect) = (settled.end.clone(), settled.host_effect);
        if let End::Redirected { to, key, merge } = &settled.end
            && self.shard_of(*key) != shard
        {
            if settled.lease.kind == LeaseKind::Robots {
                // That host is another node's to ask. It would take a request there to learn what applies here.
                end = End::Retry;
                host_effect = HostEffect::Later(now + FOREIGN_RULES);
            } else {
                self.pass_on(shard, settled.lease, to, *key, *merge, unit);
                end = End::Gone;
            }
        }
        for (to, news) in kin {
            self.write(shard, to, news.into());
        }
        // Hosts of other shards are not this frontier's to ask, and what a page needs there is not passed on.
        let is_here = |offer: &&Offer| self.shard_of(offer.key) == shard;
        let requisites: Vec<Offer> = settled.requisites.iter().filter(is_here).cloned().collect();
        let Some(owned) = self.owned.get_mut(&shard) else {
            return Ok(());
        };
        let settled = Settled {
            end,
            host_effect,
            requisites: &requisites,
            updates: &updates,
            ..settled
        };
        owned.change().settle(settled, now)
    }

    /// First the notes of the node, and with them how far its records reach; then every shard that changed. A shard that
    /// cannot be reached is committed later: nobody can have it before this node's lease has ended.
    fn commit(&mut self, notes: &StateDelta) -> Result<(), FrontierError> {
        self.write_letters();
        let mut own = notes.clone();
        self.heard.save(&mut own);
        self.local.commit(&own)?;
        let mut clock = StateDelta::default();
        for (name, value) in notes.changes().iter().filter(|(name, _)| name == CLOCK_NOTE) {
            clock.put(name.as_str(), value.as_slice());
        }
        for owned in self.owned.values_mut().filter(|owned| owned.is_dirty) {
            match owned.frontier.commit(&clock) {
                Ok(()) => owned.is_dirty = false,
                Err(error) if redis_fault(&error).is_some_and(|fault| fault.is_passing()) => {
                    self.duty.is_in_trouble = true;
                    tracing::debug!("a shard could not be committed yet: {error}");
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<(), FrontierError> {
        self.local.sync()
    }

    fn notes(&self, prefix: &str) -> Result<Vec<(String, Vec<u8>)>, FrontierError> {
        self.local.notes(prefix)
    }

    fn rules(&self, url: &CanonicalUrl) -> Result<Option<Vec<u8>>, FrontierError> {
        match self.at(self.keyring.key(url)) {
            Some(owned) => owned.frontier.rules(url),
            None => Ok(None),
        }
    }

    fn fresh_rules(
        &self,
        url: &CanonicalUrl,
        now: Timestamp,
    ) -> Result<Option<(Vec<u8>, Timestamp)>, FrontierError> {
        match self.at(self.keyring.key(url)) {
            Some(owned) => owned.frontier.fresh_rules(url, now),
            None => Ok(None),
        }
    }

    /// Those of other nodes are not known here.
    fn waiting_at(&self, origin: &str) -> usize {
        let owned = CanonicalUrl::parse(&format!("{origin}/"))
            .ok()
            .and_then(|url| self.at(self.keyring.key(&url)));
        owned.map_or(0, |owned| owned.frontier.waiting_at(origin))
    }

    fn has_ready_host(&self, now: Timestamp) -> bool {
        let mut owned = self.owned.values();
        owned.any(|owned| owned.frontier.has_ready_host(now))
    }

    /// Hosts of other nodes count as known: whether they are new is theirs to judge.
    fn knows_host(&self, origin: &str) -> bool {
        let Ok(url) = CanonicalUrl::parse(&format!("{origin}/")) else {
            return true;
        };
        self.at(self.keyring.key(&url))
            .is_none_or(|owned| owned.frontier.knows_host(origin))
    }

    fn url(&self, key: UrlKey) -> Result<Option<CanonicalUrl>, FrontierError> {
        match self.at(key) {
            Some(owned) => owned.frontier.url(key),
            None => Ok(None),
        }
    }

    fn look_up(&self, url: &CanonicalUrl) -> Result<Option<UrlFacts>, FrontierError> {
        match self.at(self.keyring.key(url)) {
            Some(owned) => owned.frontier.look_up(url),
            None => Ok(None),
        }
    }

    fn counts(&self) -> Counts {
        let mut all = Counts::default();
        for owned in self.owned.values() {
            let counts = owned.frontier.counts();
            all.known += counts.known.saturating_sub(owned.strangers.0);
            all.waiting += counts.waiting;
            all.requisites += counts.requisites;
            all.leased += counts.leased;
            all.hosts += counts.hosts.saturating_sub(owned.strangers.1);
            all.hosts_resting += counts.hosts_resting;
            all.hosts_parked += counts.hosts_parked;
            all.parents_dropped += counts.parents_dropped;
            all.expired += counts.expired;
        }
        all
    }

    fn is_stale(&self, agent: AgentId) -> bool {
        self.owned.values().any(|owned| owned.frontier.is_stale(agent))
    }

    fn keep_ranks(&mut self) {
        for owned in self.owned.values_mut() {
            owned.change().keep_ranks();
        }
    }

    fn keep_some_ranks(&mut self, most: usize) {
        let each = most.div_ceil(self.owned.len().max(1));
        for owned in self.owned.values_mut() {
            // A shard with nothing to keep is not woken for it.
            if owned.frontier.ranks_to_keep() > 0 {
                owned.change().keep_some_ranks(each);
            }
        }
    }

    fn steer(&mut self, steering: HostSteering, now: Timestamp) {
        for owned in self.owned.values_mut() {
            owned.change().steer(steering.clone(), now);
        }
        self.steering = Some(steering);
    }

    /// Without the numbers by score: every shard divides its own range of scores.
    fn survey(&self, hosts: usize) -> Survey {
        let mut all = Survey::default();
        for owned in self.owned.values() {
            let survey = owned.frontier.survey(SURVEYED);
            for (place, count) in survey.places {
                *all.places.entry(place).or_default() += count;
            }
            for (class, count) in survey.classes {
                *all.classes.entry(class).or_default() += count;
            }
            all.scores = match (all.scores, survey.scores) {
                (Some((low, high)), Some((lower, higher))) => Some((low.min(lower), high.max(higher))),
                (one, other) => one.or(other),
            };
            all.hosts.extend(survey.hosts);
        }
        all.hosts
            .sort_by(|a, b| b.waiting.cmp(&a.waiting).then_with(|| a.origin.cmp(&b.origin)));
        all.hosts.truncate(hosts);
        all
    }
}
