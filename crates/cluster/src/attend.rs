//! What a node does besides crawling: it renews its lease, takes and gives shards, carries letters, and finds out when all is done.

use std::collections::BTreeMap;
use std::time::Duration;

use scenthound_frontier::{Frontier, FrontierError};
use scenthound_frontier_redis::{Claim, RedisFault, claim, open, owner, release};
use scenthound_types::{StateDelta, Timestamp};

use crate::fault::{ClusterFault, redis_fault};
use crate::frontier::ClusterFrontier;
use crate::members::{Board, Idle, NodeFacts, Overview};
use crate::plan::plan;
use crate::{beat, give_up, quiet};

/// Shards taken or given at a time, so that a node never stands still for long.
const AT_ONCE: usize = 16;
/// How often letters are carried.
const CARRY: Duration = Duration::from_millis(50);
/// Within how many rounds of that all inboxes are read.
const ROUNDS: usize = 8;
/// How often read letters are dropped…
const TIDY: Duration = Duration::from_millis(500);
/// …and after how many times the others are delivered again.
const AGAIN: u64 = 10;
/// How long a fault of Redis is waited out before it is tried again.
const TROUBLE: Duration = Duration::from_millis(500);
/// Pages taken from the common budget at a time, at most.
const BLOCK: u64 = 200;

/// The state of a node's duties.
#[derive(Debug, Default)]
pub(crate) struct Duty {
    /// When the last renewal that succeeded was sent.
    renewed: Timestamp,
    next_beat: Timestamp,
    next_carry: Timestamp,
    next_tidy: Timestamp,
    next_move: Timestamp,
    next_try: Timestamp,
    tidied: u64,
    beats: u64,
    overview: Overview,
    /// Changes of any kind since the node joined.
    pub activity: u64,
    pub is_in_trouble: bool,
    pub next_inbox: u16,
    /// Inboxes read since the last change.
    pub inboxes_read: u64,
    idle: Option<Idle>,
    /// The activity when the inboxes began to be counted.
    counted_from: u64,
    /// Pages taken from the common budget.
    reserved: Option<u64>,
    /// What every node said when all were first seen idle.
    all_idle: Option<BTreeMap<String, (String, u64, u64)>>,
    is_settled_in: bool,
    /// Shards that are this node's and not open yet.
    claimed: Vec<(u16, Claim)>,
}

/// What the crawl tells its node.
#[derive(Clone, Copy, Debug, Default)]
pub struct Status {
    /// Page attempts over all runs.
    pub pages: u64,
    /// Page requests in flight.
    pub pages_out: u64,
    /// Relevant pages.
    pub relevant: u64,
    /// Bytes received.
    pub bytes: u64,
    /// Why there is nothing to do, if no request is in flight.
    pub idle: Option<Idle>,
}

/// What the node tells its crawl.
#[derive(Clone, Copy, Debug)]
pub struct Orders {
    /// Requests may be made until then.
    pub ask_until: Timestamp,
    /// Whether there is something to commit.
    pub has_changes: bool,
    /// How many pages the node may request over all its runs, if there is a budget.
    pub pages: Option<u64>,
    /// Bytes that all nodes have received.
    pub bytes: u64,
    /// How many nodes run, as far as is known.
    pub nodes: u32,
    /// Whether somebody asked all nodes to stop.
    pub is_stopped: bool,
    /// Why the crawl has ended on all nodes.
    pub done: Option<Idle>,
}

impl ClusterFrontier {
    pub(crate) fn board(&self) -> Board<'_> {
        Board {
            link: &self.link,
            space: &self.space,
        }
    }

    fn owner_name(&self) -> String {
        format!("{}/{}", self.member.node, self.member.run)
    }

    /// Announces the node.
    pub(crate) fn report_for_duty(&mut self, now: Timestamp) -> Result<(), FrontierError> {
        let facts = self.facts(&Status::default());
        if !self.board().say(&self.member, &facts, true)? {
            return Err(ClusterFault::NodeRuns {
                node: self.member.node.clone(),
            }
            .into());
        }
        let overview = self.board().overview()?;
        // What was asked of an earlier run of the crawl is done with, once nobody is left of it.
        if overview.nodes.len() == 1 {
            self.board().clear("stop")?;
            self.board().clear("done")?;
        }
        self.duty.renewed = now;
        Ok(())
    }

    fn facts(&self, status: &Status) -> NodeFacts {
        let counts = self.counts();
        NodeFacts {
            run: self.member.run.clone(),
            home: self.member.home.clone(),
            beats: self.duty.beats,
            shards: self.owned.len() as u64,
            activity: self.duty.activity,
            idle: self.duty.idle,
            pages: status.pages,
            relevant: status.relevant,
            bytes: status.bytes,
            waiting: counts.waiting,
            known: counts.known,
        }
    }

    /// Does whatever is due. Call it often.
    pub fn attend(&mut self, status: &Status, now: Timestamp) -> Result<Orders, FrontierError> {
        if now.since(self.duty.renewed) > give_up(self.member.lease) {
            return Err(ClusterFault::LeaseLost {
                seconds: now.since(self.duty.renewed).as_secs(),
            }
            .into());
        }
        if now >= self.duty.next_try {
            match self.do_duties(status, now) {
                Ok(()) => {}
                Err(error) if redis_fault(&error).is_some_and(RedisFault::is_passing) => {
                    if !self.duty.is_in_trouble {
                        tracing::warn!("Redis does not answer; trying again: {error}");
                    }
                    self.duty.is_in_trouble = true;
                    self.duty.next_try = now + TROUBLE;
                }
                Err(error) => return Err(error),
            }
        }
        let has_changes = self.owned.values().any(|owned| owned.is_dirty) || !self.outgoing.is_empty();
        let nodes = self.duty.overview.nodes.values();
        Ok(Orders {
            ask_until: self.duty.renewed + quiet(self.member.lease),
            has_changes,
            pages: self.member.pages.map(|_| self.duty.reserved.unwrap_or_default()),
            bytes: nodes.clone().map(|facts| facts.bytes).sum(),
            nodes: u32::try_from(nodes.len()).unwrap_or(u32::MAX).max(1),
            is_stopped: self.duty.overview.is_stopped,
            done: self.duty.overview.done,
        })
    }

    fn do_duties(&mut self, status: &Status, now: Timestamp) -> Result<(), FrontierError> {
        self.duty.is_in_trouble = false;
        self.open_claimed(now)?;
        if now >= self.duty.next_carry {
            self.duty.next_carry = now + CARRY;
            self.deliver(now)?;
            let most = self.owned.len().div_ceil(ROUNDS);
            self.read_inboxes(most, now)?;
        }
        if now >= self.duty.next_tidy {
            self.duty.next_tidy = now + TIDY;
            self.duty.tidied += 1;
            self.drop_read_letters(self.duty.tidied.is_multiple_of(AGAIN))?;
        }
        self.look_idle(status);
        if now >= self.duty.next_beat {
            self.beat(status, now)?;
            self.duty.next_beat = now + beat(self.member.lease);
        }
        if now >= self.duty.next_move {
            self.move_shards()?;
        }
        Ok(())
    }

    /// Whether this node has nothing to do and nothing on its way, and every inbox was read since that began.
    fn look_idle(&mut self, status: &Status) {
        let has_letters = |owned: &crate::owned::Owned| !owned.frontier.storage().has_no_letters();
        let is_quiet = status.idle.is_some()
            && self.duty.is_settled_in
            && self.outgoing.is_empty()
            && !self
                .owned
                .values()
                .any(|owned| owned.is_dirty || owned.out > 0 || has_letters(owned));
        if !is_quiet || self.duty.counted_from != self.duty.activity {
            self.duty.counted_from = self.duty.activity;
            self.duty.inboxes_read = 0;
            self.duty.idle = None;
        } else if self.duty.inboxes_read >= self.owned.len() as u64 {
            self.duty.idle = status.idle;
        }
    }

    /// Renews the lease, and reads what the others say.
    fn beat(&mut self, status: &Status, now: Timestamp) -> Result<(), FrontierError> {
        self.duty.beats += 1;
        let facts = self.facts(status);
        if !self.board().say(&self.member, &facts, false)? {
            return Err(ClusterFault::NodeRuns {
                node: self.member.node.clone(),
            }
            .into());
        }
        self.duty.renewed = now;
        self.duty.overview = self.board().overview()?;
        self.budget(status)?;
        self.look_done()
    }

    /// Takes pages from the common budget while there is work for them, and gives back what is left over.
    fn budget(&mut self, status: &Status) -> Result<(), FrontierError> {
        let Some(budget) = self.member.pages else {
            return Ok(());
        };
        let node = self.member.node.clone();
        let used = status.pages + status.pages_out;
        let reserved = match self.duty.reserved {
            Some(reserved) => reserved,
            None => self.board().reserve(&node, 0, budget)?.max(status.pages),
        };
        let nodes = self.duty.overview.nodes.len().max(1) as u64;
        let block = (budget / (4 * nodes)).clamp(1, BLOCK);
        self.duty.reserved = Some(
            if self.duty.idle.is_some_and(|idle| idle != Idle::Pages) && reserved > used {
                self.board().spent(&node, used)?;
                used
            } else if used + block / 2 >= reserved && self.duty.idle.is_none_or(|idle| idle == Idle::Pages) {
                self.board().reserve(&node, block, budget)?
            } else {
                reserved
            },
        );
        Ok(())
    }

    /// The crawl is over when all nodes have been idle, and unchanged, over two more beats of each.
    fn look_done(&mut self) -> Result<(), FrontierError> {
        let overview = &self.duty.overview;
        let nodes = &overview.nodes;
        let owned: u64 = nodes.values().map(|facts| facts.shards).sum();
        let is_quiet = nodes.values().all(|facts| facts.idle.is_some());
        if !is_quiet || owned != u64::from(self.member.shards) || overview.done.is_some() {
            self.duty.all_idle = None;
            return Ok(());
        }
        let said = |facts: &NodeFacts| (facts.run.clone(), facts.activity, facts.beats);
        let Some(before) = &self.duty.all_idle else {
            let all = nodes.iter().map(|(name, facts)| (name.clone(), said(facts)));
            self.duty.all_idle = Some(all.collect());
            return Ok(());
        };
        let is_same = before.len() == nodes.len()
            && nodes.iter().all(|(name, facts)| {
                before
                    .get(name)
                    .is_some_and(|(run, activity, _)| *run == facts.run && *activity == facts.activity)
            });
        if !is_same {
            self.duty.all_idle = None;
            return Ok(());
        }
        let has_waited = |(name, facts): (&String, &NodeFacts)| {
            before
                .get(name)
                .is_some_and(|(_, _, beats)| facts.beats >= beats + 2)
        };
        if nodes.iter().all(has_waited)
            && let Some(why) = nodes.values().filter_map(|facts| facts.idle).max()
        {
            self.board().set("done", why.code())?;
            self.duty.overview.done = Some(why);
        }
        Ok(())
    }

    /// Takes the shards that the plan gives this node, and lets go of the others.
    fn move_shards(&mut self) -> Result<(), FrontierError> {
        let overview = self.duty.overview.clone();
        if overview.nodes.is_empty() || overview.done.is_some() || overview.is_stopped {
            return Ok(());
        }
        let names: Vec<&str> = overview.nodes.keys().map(String::as_str).collect();
        let working: Vec<&str> = names
            .iter()
            .copied()
            .filter(|name| !overview.drained.iter().any(|gone| gone == name))
            .collect();
        let planned = plan(
            self.member.shards,
            if working.is_empty() { &names } else { &working },
        );
        let mut moved = 0;
        let mut is_settled_in = true;
        for (number, node) in (0..).zip(planned) {
            let is_planned = node == self.member.node;
            let is_owned = self.owned.contains_key(&number);
            if is_planned == is_owned {
                if let Some(owned) = self.owned.get_mut(&number) {
                    owned.is_leaving = false;
                }
                continue;
            }
            is_settled_in = false;
            if moved >= AT_ONCE {
                break;
            }
            let has_moved = if is_owned {
                self.let_go(number)?
            } else {
                self.take_over(number)?
            };
            moved += usize::from(has_moved);
        }
        self.duty.is_settled_in = is_settled_in;
        if moved == 0 {
            // Nothing can be moved before somebody says something new.
            self.duty.next_move = self.duty.next_beat;
        }
        Ok(())
    }

    /// Claims a shard. It is opened with the next round.
    fn take_over(&mut self, number: u16) -> Result<bool, FrontierError> {
        let shard = self.space.shard(number);
        let seen = owner(&self.link, &shard)?;
        let me = self.owner_name();
        if let Some(name) = seen.node.as_deref().filter(|name| *name != me) {
            let (node, run) = name.split_once('/').unwrap_or((name, ""));
            // What was read a moment ago does not know nodes that came since.
            if self.board().runs(node, run)? {
                return Ok(false);
            }
        }
        let Some(claim) = claim(&self.link, &shard, &seen, &me)? else {
            return Ok(false);
        };
        self.duty.claimed.push((number, claim));
        Ok(true)
    }

    /// Opens the shards that were claimed in earlier rounds.
    ///
    /// Every host then rests for one full delay from `now`, so `now` must not be before the claim: until then the last owner may
    /// have asked a host. The time of the round in which a shard was claimed is older, on a slow line by far.
    fn open_claimed(&mut self, now: Timestamp) -> Result<(), FrontierError> {
        while let Some((number, claim)) = self.duty.claimed.last().copied() {
            let opened = open(
                self.link.clone(),
                self.space.shard(number),
                claim,
                self.policy.clone(),
                self.keyring,
                now,
            )?;
            self.duty.claimed.pop();
            self.duty.activity += 1;
            self.take_up(number, opened, now)?;
        }
        Ok(())
    }

    /// Gives a shard up once nothing of it is under way. Until then nothing more is leased from it.
    fn let_go(&mut self, number: u16) -> Result<bool, FrontierError> {
        let has_news = self.outgoing.keys().any(|(from, _)| *from == number);
        let Some(owned) = self.owned.get_mut(&number) else {
            return Ok(false);
        };
        owned.is_leaving = true;
        owned.asleep = None;
        if owned.out > 0 || has_news {
            return Ok(false);
        }
        owned.frontier.commit(&StateDelta::default())?;
        let storage = owned.frontier.storage();
        let (shard, claim) = (storage.shard().clone(), storage.claim());
        release(&self.link, &shard, claim)?;
        self.owned.remove(&number);
        self.duty.activity += 1;
        Ok(true)
    }

    /// Leaves the crawl: commits and releases every shard, so that others can have them at once. If Redis does not answer, they
    /// have them when the lease ends, as they were at the last commit.
    pub fn leave(&mut self) -> Result<(), FrontierError> {
        match self.release_all() {
            Err(error) if redis_fault(&error).is_some_and(RedisFault::is_passing) => {
                tracing::warn!("the node could not say that it leaves: {error}");
                Ok(())
            }
            result => result,
        }
    }

    fn release_all(&mut self) -> Result<(), FrontierError> {
        self.write_letters();
        for owned in self.owned.values_mut() {
            owned.frontier.commit(&StateDelta::default())?;
            let storage = owned.frontier.storage();
            release(&self.link, storage.shard(), storage.claim())?;
        }
        self.owned.clear();
        self.board().leave(&self.member.node)?;
        Ok(())
    }
}
