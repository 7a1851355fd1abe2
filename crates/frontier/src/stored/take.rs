//! The answer to "what next?": the best URLs an agent may have, or why there are none.

use super::*;

impl<S: Storage> StoredFrontier<S> {
    /// See [`Frontier::take_for`].
    pub(super) fn take_best(&mut self, ask: Ask, now: Timestamp) -> Result<Next, FrontierError> {
        self.admit(ask.agent)?;
        self.wake(now);
        self.expire(now)?;
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
            leases.extend(self.lease_from(HostId(host), ask.agent, now)?);
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
        self.leases.values().any(|out| {
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
