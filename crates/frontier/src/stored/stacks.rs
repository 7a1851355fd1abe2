//! The agents' stacks: which URLs of which host are waiting for which agent, and which hosts may be asked now.
//!
//! Each host has a queue for every agent that wants something from it. Rests, requests in flight and rules belong to
//! the host alone, so politeness is independent of agents: a ready host is listed for every agent it has something
//! for, a resting or busy one for none.
//!
//! **Invariant:** the entries of one URL, its base and its claims, are in their queues all together or not at all. So
//! what one agent leases is in no queue, and nothing in a queue is stale.

use super::*;
use crate::host::{NOT_READY, Stack};

pub(super) struct UrlOrder<'a>(pub &'a mut Entries);

impl Order for UrlOrder<'_> {
    fn before(&self, a: u32, b: u32) -> bool {
        self.0.before(UrlId(a), UrlId(b))
    }
    fn moved(&mut self, member: u32, slot: u32) {
        self.0[UrlId(member)].slot_or_child = slot;
    }
}

/// Orders ready hosts by what they have for one agent.
struct HostOrder<'a> {
    hosts: &'a mut [Host],
    entries: &'a Entries,
    agent: AgentId,
}

impl Order for HostOrder<'_> {
    fn before(&self, a: u32, b: u32) -> bool {
        let best = |host: u32| {
            let host = &self.hosts[host as usize];
            let is_plain = self.agent != AgentId::default() || host.revisits.is_empty();
            (is_plain, host.queue_of(self.agent).and_then(Heap::best))
        };
        match (best(a), best(b)) {
            ((false, _), (true, _)) => true,
            ((true, Some(left)), (true, Some(right))) => {
                let boost = |host: u32| self.hosts[host as usize].is_boosted;
                let class = |id: u32| self.entries[UrlId(id)].class();
                match (boost(a), boost(b)) {
                    // Classes stay apart: a host with nothing of the class asked for must not stand before others.
                    (true, false) if class(left) <= class(right) => true,
                    (false, true) if class(right) <= class(left) => false,
                    _ => self.entries.before(UrlId(left), UrlId(right)),
                }
            }
            ((true, Some(_)), (true, None)) => true,
            ((false, _), (false, _)) => a < b,
            _ => false,
        }
    }
    fn moved(&mut self, member: u32, slot: u32) {
        let host = &mut self.hosts[member as usize];
        match usize::from(self.agent.0).checked_sub(1) {
            None => host.place = HostState::Ready(slot),
            Some(other) => host.others[other].ready = slot,
        }
    }
}

impl<S: Storage> StoredFrontier<S> {
    /// Creates an agent's stack if needed. Agents are not announced in advance.
    pub(super) fn admit(&mut self, agent: AgentId) -> Result<(), FrontierError> {
        if agent.0 >= AgentId::MOST {
            return Err(FrontierError::UnknownAgent(agent.0));
        }
        let agents = usize::from(agent.0) + 1;
        if self.ready.len() < agents {
            self.ready.resize_with(agents, Heap::default);
            self.in_stack.resize(agents, 0);
        }
        Ok(())
    }

    /// Whether nothing more may be fetched from a host: its limit is reached, or somebody blocked it.
    pub(super) fn is_full(&self, host: &Host) -> bool {
        let limit = self.policy.max_pages_per_host;
        host.is_blocked || limit.is_some_and(|most| host.pages + host.pages_out >= most)
    }

    /// Whether an agent may fetch more from a host. The limit of pages is no limit of what the pages need.
    fn is_open(&self, host: &Host, agent: AgentId) -> bool {
        match self.policy.requisites {
            Some(stack) if stack == agent => !host.is_blocked,
            _ => !self.is_full(host),
        }
    }

    /// Whether a host rests for a long time, because it kept failing or asked for it. A list does not wait for such
    /// hosts.
    pub(super) fn is_left_alone(&self, host: &Host, now: Timestamp) -> bool {
        let short = self
            .policy
            .usual_rest(host)
            .max(self.policy.backoff.saturating_mul(2));
        host.rest_until > now + short
    }

    /// Moves a host to the state it should now be in. Called after anything about it changes.
    pub(super) fn place(&mut self, id: HostId, now: Timestamp) {
        let host = &self.hosts[id.0 as usize];
        let was = host.place;
        let serves = |agent: AgentId| host.has_work_for(agent) && self.is_open(host, agent);
        let has_first = serves(AgentId::default());
        let others = host.others.len() as u8;
        let served = (1..=others).filter(|other| serves(AgentId(*other)));
        let served: u32 = served.fold(0, |served, other| served | 1 << other);
        let has_work = has_first || served != 0;
        let (rest_until, host_timed) = (host.rest_until, host.timed);
        let is = if host.asking_rules || host.busy >= self.policy.connections_per_host {
            HostState::Busy
        } else if !has_work {
            HostState::Idle
        } else if rest_until > now {
            HostState::Resting
        } else if host.parked {
            HostState::Parked
        } else {
            HostState::Ready(NOT_READY)
        };
        match (was, is) {
            // Its wake-up time is already in the timer.
            (HostState::Resting, HostState::Resting) if host_timed == rest_until => return,
            (HostState::Resting, _) => self.resting -= 1,
            _ => {}
        }
        let is_ready = matches!(is, HostState::Ready(_));
        self.place_for(AgentId::default(), id, is_ready && has_first);
        for other in 1..=others {
            self.place_for(AgentId(other), id, is_ready && served >> other & 1 == 1);
        }
        let host = &mut self.hosts[id.0 as usize];
        match is {
            HostState::Ready(_) if has_first => {}
            HostState::Resting => {
                host.place = HostState::Resting;
                host.timed = rest_until;
                self.timer.push(Reverse((rest_until, id.0)));
                self.resting += 1;
            }
            other => host.place = other,
        }
    }

    /// Adds a host to an agent's ready hosts, or removes it.
    fn place_for(&mut self, agent: AgentId, id: HostId, is_ready: bool) {
        let slot = self.hosts[id.0 as usize].ready_slot(agent);
        let Some(ready) = self.ready.get_mut(usize::from(agent.0)) else {
            return;
        };
        let mut order = HostOrder {
            hosts: &mut self.hosts,
            entries: &self.entries,
            agent,
        };
        match (slot, is_ready) {
            (Some(slot), true) => ready.update(slot, &mut order),
            (Some(slot), false) => {
                ready.remove(slot, &mut order);
                order.moved(id.0, NOT_READY);
            }
            (None, true) => ready.push(id.0, &mut order),
            (None, false) => {}
        }
    }

    pub(super) fn wake(&mut self, now: Timestamp) {
        while let Some(Reverse((until, host))) = self.timer.peek().copied() {
            let is_present = {
                let host = &self.hosts[host as usize];
                host.place == HostState::Resting && host.rest_until == until
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

    /// Puts a URL into the queue of every agent that wants it.
    pub(super) fn enqueue(&mut self, base: UrlId, now: Timestamp) {
        self.put_in_queue(base, now);
        for claim in self.claims_of(base).to_vec() {
            self.put_in_queue(claim, now);
        }
    }

    /// Takes a waiting URL out of every agent's queue. The caller gives it its next state and places the host.
    pub(super) fn dequeue(&mut self, base: UrlId) {
        self.take_from_queue(base);
        for claim in self.claims_of(base).to_vec() {
            self.take_from_queue(claim);
        }
    }

    /// Puts one entry into its queue.
    pub(super) fn put_in_queue(&mut self, id: UrlId, now: Timestamp) {
        let entry = &mut self.entries[id];
        entry.state = State::Waiting;
        let (host, agent, is_base) = (entry.host, entry.agent(), !entry.has(flag::CLAIM));
        self.seeds_in_line += u64::from(entry.has(flag::SEED));
        self.hosts[host.0 as usize]
            .queue_mut(agent)
            .push(id.0, &mut UrlOrder(&mut self.entries));
        self.waiting += u64::from(is_base);
        self.in_stack[usize::from(agent.0)] += 1;
        self.touch(id);
        if let Some(oldest) = self.oldest.get_mut(&agent) {
            *oldest = id.0.min(*oldest);
        }
        self.may_have_outlasted(id, now);
        self.place(host, now);
    }

    /// Takes one entry out of its queue.
    pub(super) fn take_from_queue(&mut self, id: UrlId) {
        let entry = &self.entries[id];
        let (host, slot, agent) = (entry.host, entry.slot_or_child, entry.agent());
        self.waiting -= u64::from(!entry.has(flag::CLAIM));
        self.seeds_in_line -= u64::from(entry.has(flag::SEED));
        self.in_stack[usize::from(agent.0)] -= 1;
        self.hosts[host.0 as usize]
            .queue_mut(agent)
            .remove(slot, &mut UrlOrder(&mut self.entries));
    }

    /// Moves an entry whose rank changed to its new place in the queue.
    pub(super) fn reorder(&mut self, id: UrlId, now: Timestamp) {
        let entry = &self.entries[id];
        if entry.state != State::Waiting {
            return;
        }
        let (host, slot, agent) = (entry.host, entry.slot_or_child, entry.agent());
        let queue = self.hosts[host.0 as usize].queue_mut(agent);
        let best = queue.best();
        queue.update(slot, &mut UrlOrder(&mut self.entries));
        // The host's own place changes only when its best URL does.
        if best == Some(id.0) || queue.best() == Some(id.0) {
            self.place(host, now);
        }
    }

    /// Whether a host has something for an agent, in the requested class or a better one.
    pub(super) fn can_serve(&self, host: HostId, ask: &Ask) -> bool {
        let host = &self.hosts[host.0 as usize];
        // A host that is full for the agents may still rest for the sake of requisites.
        if self.policy.requisites.is_some() && !self.is_open(host, ask.agent) {
            return false;
        }
        if ask.agent == AgentId::default() && !host.revisits.is_empty() {
            return true;
        }
        let best = host.queue_of(ask.agent).and_then(Heap::best);
        best.is_some_and(|best| self.entries[UrlId(best)].class() <= ask.highest_class)
    }
}

impl Host {
    /// All entries in all queues.
    pub(super) fn queued(&self) -> impl Iterator<Item = UrlId> {
        let others = self.others.iter().map(|stack: &Stack| &stack.queue);
        let queues = std::iter::once(&self.queue).chain(others);
        queues.flat_map(Heap::members).map(|id| UrlId(*id))
    }

    /// Frees unused memory of the queues.
    pub(super) fn shrink(&mut self) {
        self.queue.shrink();
        for stack in &mut self.others {
            stack.queue.shrink();
        }
    }
}
