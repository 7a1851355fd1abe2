//! Leases: what a host hands out next, what is returned, and the drawn list.

use super::reopen::damaged;
use super::*;

/// The note that holds the drawn list.
const LIST_NOTE: &str = "frontier/list";
/// Sites are not counted any deeper.
const MOST_SITE_DEPTH: u16 = 1_000;

impl<S: Storage> StoredFrontier<S> {
    /// Leases a URL through one of its entries. The lease is for the URL; its details come from the entry.
    pub(super) fn lease_url(
        &mut self,
        id: UrlId,
        agent: AgentId,
        revisit: bool,
        from_list: bool,
    ) -> Result<Lease, FrontierError> {
        let base = self.base_of(id);
        let known = self.known_url(base)?;
        let drawn_with = self.drawn_with.get(&id).map(|score| score.get());
        self.keep_cash_in_range(drawn_with.unwrap_or(self.entries[id].score));
        let mut taken = self.entries.priority(id);
        if let Some(score) = self.drawn_with.remove(&id) {
            taken.rank.score = score;
        }
        let found = self.entries[if revisit { self.found_by(base) } else { id }];
        if !revisit {
            self.set_states(base, State::Leased);
        }
        let entry = self.entries[base];
        let kind = if entry.has(flag::SITEMAP) {
            LeaseKind::Sitemap
        } else if self.is_requisite(&entry) {
            LeaseKind::Requisite
        } else {
            LeaseKind::Page
        };
        let lease = Lease {
            id: LeaseId(self.next_lease),
            agent,
            kind,
            url: known.url,
            key: entry.key,
            parent: self.key_of(found.parent),
            parent_url: self.url_of(found.parent)?,
            depth: found.depth,
            site_depth: self.site_depth(&found),
            seed: found.has(flag::SEED),
            taken,
            attempt: entry.attempt,
            redirects: found.redirects,
            revisit,
            location: None,
        };
        if kind == LeaseKind::Page {
            self.hosts[entry.host.0 as usize].pages_out += 1;
        }
        let groups = self.groups_of(entry.host, Some(id));
        self.hand_out(
            &lease,
            Out {
                url: Some(id),
                agent,
                host: entry.host,
                visited: None,
                groups,
                kind,
                from_list,
                taken: taken.rank,
                unit: self.unit,
            },
        );
        Ok(lease)
    }

    /// Follows the parents of a URL back to where the crawl entered its host. Nothing is stored for it: the way is short, and
    /// its pages are in memory.
    fn site_depth(&self, found: &Entry) -> u16 {
        let site = self.site_of(found.host);
        let mut parent = found.parent;
        let mut depth = 0;
        while depth < found.depth.min(MOST_SITE_DEPTH)
            && let Some(page) = self.entries.get(parent)
            && (page.host == found.host || self.site_of(page.host) == site)
        {
            depth += 1;
            parent = page.parent;
        }
        depth
    }

    /// The host with its port. A site that moves from http to https stays the same.
    fn site_of(&self, host: HostId) -> &str {
        let origin = &self.hosts[host.0 as usize].origin;
        origin.split_once("://").map_or(origin, |(_, site)| site)
    }

    pub(super) fn hand_out(&mut self, lease: &Lease, out: Out) {
        self.next_lease += 1;
        self.hosts[out.host.0 as usize].busy += 1;
        if let Some(visited) = out.visited {
            self.hosts[visited.0 as usize].busy += 1;
        }
        self.list_out += usize::from(out.from_list);
        self.enter_groups(&out.groups);
        self.leases.insert(lease.id, out);
    }

    /// Releases a lease's hold on its host.
    pub(super) fn take_in(&mut self, lease: &Lease) -> Result<Out, FrontierError> {
        let out = self
            .leases
            .remove(&lease.id)
            .ok_or(FrontierError::UnknownLease(lease.id.0))?;
        let host = &mut self.hosts[out.host.0 as usize];
        host.busy -= 1;
        match out.kind {
            LeaseKind::Robots => host.asking_rules = false,
            LeaseKind::Page => host.pages_out -= 1,
            LeaseKind::Sitemap | LeaseKind::Requisite => {}
        }
        if let Some(visited) = out.visited {
            self.hosts[visited.0 as usize].busy -= 1;
        }
        self.list_out -= usize::from(out.from_list);
        Ok(out)
    }

    pub(super) fn needs_rules(&self, host: &Host, now: Timestamp) -> bool {
        self.policy.robots && host.rules_until <= now
    }

    /// The position in the host's list of its richest URL due for a revisit. Chosen by cash, not by when the revisit
    /// was requested, so that a restart changes nothing.
    pub(super) fn richest_revisit(&self, host: &Host) -> Option<usize> {
        let gain = |id: u32| Score::new(self.entries[UrlId(id)].score);
        let order = |(_, a): &(usize, &u32), (_, b): &(usize, &u32)| gain(**a).cmp(&gain(**b)).then(b.cmp(a));
        host.revisits.iter().enumerate().max_by(order).map(|(at, _)| at)
    }

    /// Leases the rules of a host that needs them, and places every host that this concerns.
    pub(super) fn lease_rules_first(
        &mut self,
        id: HostId,
        agent: AgentId,
        now: Timestamp,
    ) -> Result<Option<Lease>, FrontierError> {
        let lease = self.lease_rules(id, agent, now)?;
        self.place(id, now);
        if let Some(out) = lease.as_ref().and_then(|lease| self.leases.get(&lease.id)) {
            let (host, visited) = (out.host, out.visited);
            self.place(host, now);
            if let Some(visited) = visited {
                self.place(visited, now);
            }
        }
        Ok(lease)
    }

    pub(super) fn lease_from(
        &mut self,
        id: HostId,
        agent: AgentId,
        now: Timestamp,
    ) -> Result<Option<Lease>, FrontierError> {
        let host = &self.hosts[id.0 as usize];
        // Only the first agent gets revisits.
        let revisit = self.richest_revisit(host).filter(|_| agent == AgentId::default());
        let lease = if self.needs_rules(host, now) {
            return self.lease_rules_first(id, agent, now);
        } else if let Some(richest) = revisit {
            let revisit = self.hosts[id.0 as usize].revisits.swap_remove(richest);
            self.lease_url(UrlId(revisit), agent, true, false)?
        } else if let Some(best) = host.queue_of(agent).and_then(Heap::best) {
            self.dequeue(self.base_of(UrlId(best)));
            self.lease_url(UrlId(best), agent, false, false)?
        } else {
            self.place(id, now);
            return Ok(None);
        };
        self.place(id, now);
        Ok(Some(lease))
    }

    /// Draws URLs due for a revisit in addition to waiting ones: a list is served to its end before any host is asked
    /// for anything else.
    pub(super) fn draw_revisits(&mut self, now: Timestamp) {
        for number in 0..self.hosts.len() {
            let host = &self.hosts[number];
            if host.revisits.is_empty() || self.is_full(host) || self.is_left_alone(host, now) {
                continue;
            }
            while let Some(richest) = self.richest_revisit(&self.hosts[number]) {
                let id = UrlId(self.hosts[number].revisits.swap_remove(richest));
                self.put_on_list(self.list.len(), id, Score::new(self.entries[id].score));
            }
            self.place(HostId(number as u32), now);
        }
    }

    pub(super) fn put_on_list(&mut self, place: usize, id: UrlId, drawn_with: Score) {
        self.list.insert(place, id);
        self.drawn_with.insert(id, drawn_with);
    }

    /// Notes what is left of the drawn list, with what is in flight at its head, if that changed.
    pub(super) fn note_list(&mut self) {
        let mut out: Vec<(LeaseId, UrlId, Score)> = self
            .leases
            .iter()
            .filter(|(_, out)| out.from_list)
            .filter_map(|(lease, out)| {
                let taken = unit::lift(out.taken, self.unit - out.unit);
                Some((*lease, out.url?, taken.score))
            })
            .collect();
        out.sort_unstable_by_key(|(lease, ..)| *lease);
        let in_flight = out.into_iter().map(|(_, id, score)| (id, score));
        let left = self.list.iter().map(|id| {
            let score = self.drawn_with.get(id).copied();
            (*id, score.unwrap_or_else(|| Score::new(self.entries[*id].score)))
        });
        let mut bytes = Vec::new();
        for (id, score) in in_flight.chain(left) {
            bytes.extend(id.0.to_le_bytes());
            bytes.extend(score.get().to_le_bytes());
        }
        if bytes != self.noted_list {
            self.storage.put_note(LIST_NOTE, &bytes);
            self.noted_list = bytes;
        }
    }

    /// Draws again what was left of the list at the last commit, in the same order.
    pub(super) fn restore_list(&mut self, now: Timestamp) -> Result<(), FrontierError> {
        let Some((_, value)) = self.storage.notes(LIST_NOTE)?.pop() else {
            return Ok(());
        };
        let (drawn, rest) = value.as_chunks::<12>();
        if !rest.is_empty() {
            return Err(damaged("the drawn list is incomplete"));
        }
        for &[a, b, c, d, ref score @ ..] in drawn {
            let id = UrlId(u32::from_le_bytes([a, b, c, d]));
            let score = Score::new(f64::from_le_bytes(*score));
            let Some(entry) = self.entries.get(id) else {
                return Err(damaged("a drawn URL is unknown"));
            };
            let host = entry.host;
            match entry.state {
                State::Waiting => {
                    let base = self.base_of(id);
                    self.dequeue(base);
                    self.set_states(base, State::Drawn);
                }
                State::Fetched if entry.has(flag::REVISIT) => {
                    self.hosts[host.0 as usize].revisits.retain(|due| *due != id.0);
                }
                _ => continue,
            }
            self.put_on_list(self.list.len(), id, score);
            self.place(host, now);
        }
        self.noted_list = value;
        Ok(())
    }

    /// Removes a URL from the list before it was requested.
    pub(super) fn strike(&mut self, id: UrlId) {
        self.list.retain(|drawn| *drawn != id);
        self.drawn_with.remove(&id);
    }

    /// Serves the drawn list: as much as its hosts' rests allow, in the list's order. `None` if nothing is left of it
    /// because its hosts have reached their limits.
    pub(super) fn take_from_list(&mut self, n: usize, now: Timestamp) -> Result<Option<Next>, FrontierError> {
        let mut leases = Vec::new();
        let mut wake = Timestamp::NEVER;
        let mut left = Vec::with_capacity(self.list.len());
        for id in std::mem::take(&mut self.list) {
            let host_id = self.entries[id].host;
            let host = &self.hosts[host_id.0 as usize];
            let revisit = self.entries[id].state == State::Fetched;
            if self.is_full(host) || self.is_left_alone(host, now) {
                self.drawn_with.remove(&id);
                if revisit {
                    self.hosts[host_id.0 as usize].revisits.push(id.0);
                    self.place(host_id, now);
                } else {
                    self.enqueue(self.base_of(id), now);
                }
            } else if leases.len() == n
                || host.asking_rules
                || host.busy >= self.policy.connections_per_host
                || self.full_group(&self.groups_of(host_id, Some(id))).is_some()
            {
                left.push(id);
            } else if host.rest_until > now {
                wake = wake.min(host.rest_until);
                left.push(id);
            } else if self.needs_rules(host, now) {
                let lease = self.lease_rules_first(host_id, AgentId::default(), now)?;
                if lease.is_none() {
                    wake = wake.min(self.hosts[host_id.0 as usize].rest_until);
                }
                leases.extend(lease);
                left.push(id);
            } else {
                leases.push(self.lease_url(id, AgentId::default(), revisit, true)?);
                self.place(host_id, now);
            }
        }
        self.list = left;
        Ok(if !leases.is_empty() {
            Some(Next::Fetch(leases))
        } else if self.list.is_empty() {
            None
        } else if wake < Timestamp::NEVER {
            Some(Next::WaitUntil(wake))
        } else {
            Some(Next::Blocked)
        })
    }

    /// See [`Frontier::recall`].
    pub(super) fn lease_this(
        &mut self,
        wanted: &Recall<'_>,
        now: Timestamp,
    ) -> Result<Option<Lease>, FrontierError> {
        if wanted.kind == LeaseKind::Robots {
            let host = self.host_of(wanted.url);
            if self.hosts[host.0 as usize].asking_rules {
                return Ok(None);
            }
            let lease = self.lease_rules_now(host, wanted.agent)?;
            self.place(host, now);
            return Ok(Some(lease));
        }
        let id = match self.find(wanted.key) {
            Some(id) => id,
            None => self.bring_in(wanted, now)?,
        };
        let host = self.entries[id].host;
        let revisit = self.entries[id].state == State::Fetched;
        match self.entries[id].state {
            State::Leased => return Ok(None),
            State::Waiting => self.dequeue(id),
            State::Drawn => {
                for claim in self.claims_of(id).to_vec() {
                    self.strike(claim);
                }
                self.strike(id);
            }
            State::Fetched => {
                self.strike(id);
                self.hosts[host.0 as usize].revisits.retain(|due| *due != id.0);
            }
            State::Gone => {
                let agent = self.entries[id].agent();
                self.bring_back(id, Rank::default(), self.entries.age(id), agent, now)?;
                self.dequeue(id);
            }
        }
        let by = match self.entry_of(id, wanted.agent) {
            Some(own) if !revisit => own,
            _ => id,
        };
        let lease = self.lease_url(by, wanted.agent, revisit, false)?;
        self.place(host, now);
        Ok(Some(lease))
    }

    /// Adds a waiting URL that nothing offered.
    fn bring_in(&mut self, wanted: &Recall<'_>, now: Timestamp) -> Result<UrlId, FrontierError> {
        let parent = wanted.parent.and_then(|key| self.find(key));
        let is_sitemap = wanted.kind == LeaseKind::Sitemap;
        let source = Source {
            agent: wanted.agent,
            parent: parent.unwrap_or(UrlId::NONE),
            depth: wanted.depth,
            reason: match (parent, is_sitemap) {
                _ if wanted.kind == LeaseKind::Requisite => Reason::Requisite,
                (_, true) => Reason::SitemapLine,
                (Some(_), false) => Reason::Link,
                (None, false) => Reason::Sitemap,
            },
            flags: if is_sitemap { flag::SITEMAP } else { 0 },
            adopt: true,
        };
        let offer = Offer {
            url: wanted.url.clone(),
            key: wanted.key,
            rank: Rank::default(),
            merge: Merge::Keep,
        };
        let id = self.add_new(&offer, &source, 0, now)?;
        if let Some(parent) = parent {
            self.adopt(parent, id);
        }
        Ok(id)
    }
}
