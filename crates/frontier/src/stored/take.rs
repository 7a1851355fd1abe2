//! The answer to "what next?": the best URLs an agent may have, or why there are none.

use std::time::Duration;

use super::*;

/// A better URL is waited for if its host may be asked within this time.
const WORTH_WAITING: Duration = Duration::from_secs(5);
/// How many resting hosts are looked at for a better URL.
const HOSTS_LOOKED_AT: usize = 2_000;

/// How many URLs are considered, from the oldest on, for one lease of the oldest.
const LOOK_AHEAD: usize = 1_000;

impl<S: Storage> StoredFrontier<S> {
    /// See [`Frontier::take_for`].
    pub(super) fn take_best(&mut self, ask: Ask, now: Timestamp) -> Result<Next, FrontierError> {
        self.admit(ask.agent)?;
        self.wake(now);
        self.expire(now)?;
        self.bring_back_spilled(now)?;
        if ask.most == 0 {
            return Ok(Next::Fetch(Vec::new()));
        }
        // Lists are drawn for the first agent.
        if ask.agent == AgentId::default() {
            if !self.list.is_empty()
                && let Some(next) = self.take_from_list(ask.most, now)?
            {
                return Ok(next);
            }
            if self.list_out > 0 {
                return Ok(Next::Blocked);
            }
        }
        let mut leases = Vec::new();
        while leases.len() < ask.most {
            // Class comes first in the order, so if the best URL's class is too large, so is every other's.
            let ready = self.ready.get(usize::from(ask.agent.0)).and_then(Heap::best);
            let Some(host) = ready.filter(|host| self.can_serve(HostId(*host), &ask)) else {
                break;
            };
            if let Some(wait) = self.worth_waiting(HostId(host), &ask, now) {
                if leases.is_empty() {
                    return Ok(wait);
                }
                break;
            }
            let id = HostId(host);
            let led = self.hosts[host as usize].queue_of(ask.agent).and_then(Heap::best);
            if let Some(full) = self.full_group(&self.groups_of(id, led.map(UrlId))) {
                self.park(id, full, now);
                continue;
            }
            leases.extend(self.lease_from(id, ask.agent, now)?);
        }
        Ok(if !leases.is_empty() {
            Next::Fetch(leases)
        } else if let Some(until) = self.next_wake(&ask) {
            Next::WaitUntil(until)
        } else if self.depends_on_leases(&ask) {
            Next::Blocked
        } else {
            Next::Done
        })
    }

    /// See [`Frontier::take_oldest`].
    pub(super) fn take_longest_waiting(
        &mut self,
        ask: Ask,
        now: Timestamp,
    ) -> Result<Option<Lease>, FrontierError> {
        self.admit(ask.agent)?;
        self.wake(now);
        self.expire(now)?;
        let is_listed = !self.list.is_empty() || self.list_out > 0;
        if ask.agent == AgentId::default() && is_listed {
            return Ok(None);
        }
        let start = self.oldest.get(&ask.agent).copied().unwrap_or_default();
        let (mut first, mut found, mut looked) = (None, None, 0);
        for (id, entry) in self.entries.from(UrlId(start)) {
            let is_here = entry.state == State::Waiting && entry.agent() == ask.agent;
            if is_here && entry.class() <= ask.highest_class {
                first = first.or(Some(id));
                let host = &self.hosts[entry.host.0 as usize];
                let is_good = self.policy.oldest_from.is_none_or(|least| entry.score >= least);
                if is_good && host.ready_slot(ask.agent).is_some() {
                    found = Some((id, entry.host));
                    break;
                }
            }
            // What lies before the first waiting URL is skipped for good, so only what follows counts.
            looked += usize::from(first.is_some());
            if looked >= LOOK_AHEAD {
                break;
            }
        }
        self.oldest
            .insert(ask.agent, first.map_or(self.entries.len(), |id| id.0));
        let Some((id, host)) = found else {
            return Ok(None);
        };
        if self.full_group(&self.groups_of(host, Some(id))).is_some() {
            return Ok(None);
        }
        if self.needs_rules(&self.hosts[host.0 as usize], now) {
            return self.lease_rules_first(host, ask.agent, now);
        }
        self.dequeue(self.base_of(id));
        let lease = self.lease_url(id, ask.agent, false, false)?;
        self.place(host, now);
        Ok(Some(lease))
    }

    /// How long to wait for a URL that is much better than the best one of a ready host; none if there is no such URL, or its
    /// host rests for long. A budget of pages is better spent on the pages that matter than on whichever host is free.
    fn worth_waiting(&self, ready: HostId, ask: &Ask, now: Timestamp) -> Option<Next> {
        let margin = self
            .policy
            .hold_back
            .filter(|_| self.policy.requisites != Some(ask.agent))?;
        let best_of = |host: HostId| {
            let best = self.hosts[host.0 as usize]
                .queue_of(ask.agent)
                .and_then(Heap::best)?;
            let entry = &self.entries[UrlId(best)];
            Some((entry.class(), entry.score))
        };
        // What has no score worth comparing, such as rules and revisits, is never held back.
        let host = &self.hosts[ready.0 as usize];
        if !host.revisits.is_empty() {
            return None;
        }
        let (class, score) = best_of(ready)?;
        let is_better = |host: HostId| {
            best_of(host).is_some_and(|(theirs, best)| (theirs, -best) < (class, -(score + margin)))
        };
        let is_busy_with_better =
            |out: &Out| !self.is_full(&self.hosts[out.host.0 as usize]) && is_better(out.host);
        if self.leases.values().any(is_busy_with_better) {
            return Some(Next::Blocked);
        }
        let soon = now + WORTH_WAITING;
        let resting = self
            .timer
            .iter()
            .take(HOSTS_LOOKED_AT)
            .filter_map(|Reverse((until, id))| {
                let host = &self.hosts[*id as usize];
                let counts = host.place == HostState::Resting && host.rest_until == *until && *until <= soon;
                (counts && is_better(HostId(*id))).then_some(*until)
            });
        resting.min().map(Next::WaitUntil)
    }

    /// Whether a host has rested long enough and was not woken yet, because nobody took a URL since.
    pub(super) fn has_rested(&self, now: Timestamp) -> bool {
        let mut first = self.timer.iter().take(HOSTS_LOOKED_AT);
        first.any(|Reverse((until, id))| {
            let host = &self.hosts[*id as usize];
            *until <= now && host.place == HostState::Resting && host.rest_until == *until
        })
    }

    /// When the first resting host with something for this agent wakes.
    fn next_wake(&self, ask: &Ask) -> Option<Timestamp> {
        if self.ready.len() == 1 && ask.highest_class == u16::MAX {
            return self.timer.peek().map(|Reverse((until, _))| *until);
        }
        let items = self.timer.iter().filter(|Reverse((until, id))| {
            let host = &self.hosts[*id as usize];
            host.place == HostState::Resting && host.rest_until == *until && self.can_serve(HostId(*id), ask)
        });
        items.map(|Reverse((until, _))| *until).min()
    }

    /// Whether the end of a lease may produce something for this agent: a lease of its own, one on a host it waits
    /// for, or one of a URL that it also wants.
    fn depends_on_leases(&self, ask: &Ask) -> bool {
        self.parked > 0
            || self.leases.values().any(|out| {
                let wants_it = |id: UrlId| self.entry_of(self.base_of(id), ask.agent).is_some();
                out.agent == ask.agent || self.can_serve(out.host, ask) || out.url.is_some_and(wants_it)
            })
    }

    /// See [`Frontier::draw`].
    pub(super) fn draw_list(&mut self, n: usize, now: Timestamp) -> Result<usize, FrontierError> {
        if !self.list.is_empty() || self.list_out > 0 {
            return Ok(0);
        }
        let top = |frontier: &StoredFrontier<S>, number: usize| {
            let host = &frontier.hosts[number];
            let is_open = !frontier.is_full(host) && !frontier.is_left_alone(host, now);
            let best = host.queue.best().filter(|_| is_open)?;
            Some((frontier.entries.priority(UrlId(best)), Reverse(best)))
        };
        self.draw_revisits(now);
        let mut tops: BinaryHeap<_> = (0..self.hosts.len())
            .filter_map(|host| Some((top(self, host)?, host)))
            .collect();
        let most = self.list.len().saturating_add(n);
        while self.list.len() < most
            && let Some(((_, Reverse(best)), host)) = tops.pop()
        {
            let base = self.base_of(UrlId(best));
            self.dequeue(base);
            self.set_states(base, State::Drawn);
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
}
