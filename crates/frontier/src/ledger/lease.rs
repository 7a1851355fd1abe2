//! Leases: what a host gives out next, what comes back, and the drawn list.

use super::*;

impl<S: Shelf> Ledger<S> {
    pub(super) fn lease_rules(&mut self, id: HostId) -> Result<Lease, FrontierError> {
        let host = &mut self.hosts[id.0 as usize];
        host.asking_rules = true;
        let url = CanonicalUrl::from_canonical(&format!("{}/robots.txt", host.origin)).map_err(|_| {
            FrontierError::Damaged {
                what: format!("a host named {:?}", host.origin),
            }
        })?;
        let lease = Lease {
            id: LeaseId(self.next_lease),
            kind: LeaseKind::Robots,
            key: self.keyring.key(&url),
            url,
            parent: None,
            parent_url: None,
            depth: 0,
            seed: false,
            taken: Priority::default(),
            attempt: host.rules_attempt,
            redirects: 0,
            revisit: false,
        };
        self.hand_out(
            &lease,
            Out {
                url: None,
                host: id,
                kind: LeaseKind::Robots,
                from_list: false,
            },
        );
        Ok(lease)
    }

    pub(super) fn lease_url(
        &mut self,
        id: UrlId,
        revisit: bool,
        from_list: bool,
    ) -> Result<Lease, FrontierError> {
        let known = self.shelf.url(id)?;
        let taken = self.entries.priority(id);
        let entry = &mut self.entries[id];
        if !revisit {
            entry.state = State::Leased;
        }
        let entry = *entry;
        let kind = if entry.has(flag::SITEMAP) {
            LeaseKind::Sitemap
        } else {
            LeaseKind::Page
        };
        let parent_url = entry
            .parent
            .known()
            .map(|parent| self.shelf.url(parent))
            .transpose()?;
        let lease = Lease {
            id: LeaseId(self.next_lease),
            kind,
            url: known.url,
            key: entry.key,
            parent: entry.parent.known().map(|parent| self.entries[parent].key),
            parent_url: parent_url.map(|known| known.url),
            depth: entry.depth,
            seed: entry.has(flag::SEED),
            taken,
            attempt: entry.attempt,
            redirects: entry.redirects,
            revisit,
        };
        if kind == LeaseKind::Page {
            self.hosts[entry.host.0 as usize].pages_out += 1;
        }
        self.hand_out(
            &lease,
            Out {
                url: Some(id),
                host: entry.host,
                kind,
                from_list,
            },
        );
        Ok(lease)
    }

    pub(super) fn hand_out(&mut self, lease: &Lease, out: Out) {
        self.next_lease += 1;
        self.hosts[out.host.0 as usize].busy += 1;
        self.list_out += usize::from(out.from_list);
        self.leases.insert(lease.id, out);
    }

    /// Ends a lease's hold on its host.
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
            LeaseKind::Sitemap => {}
        }
        self.list_out -= usize::from(out.from_list);
        Ok(out)
    }

    pub(super) fn needs_rules(&self, host: &Host, now: Timestamp) -> bool {
        self.policy.robots && host.rules_until <= now
    }

    /// Where the host's richest URL to be fetched again stands in its list. By what the URLs hold and not by when they were
    /// asked for, so that a restart changes nothing.
    pub(super) fn richest_revisit(&self, host: &Host) -> Option<usize> {
        let gain = |id: u32| Score::new(self.entries[UrlId(id)].score);
        let order = |(_, a): &(usize, &u32), (_, b): &(usize, &u32)| gain(**a).cmp(&gain(**b)).then(b.cmp(a));
        host.revisits.iter().enumerate().max_by(order).map(|(at, _)| at)
    }

    pub(super) fn lease_from(&mut self, id: HostId, now: Timestamp) -> Result<Option<Lease>, FrontierError> {
        let host = &self.hosts[id.0 as usize];
        let lease = if self.needs_rules(host, now) {
            self.lease_rules(id)?
        } else if let Some(richest) = self.richest_revisit(host) {
            let revisit = self.hosts[id.0 as usize].revisits.swap_remove(richest);
            self.lease_url(UrlId(revisit), true, false)?
        } else if let Some(best) = host.queue.best() {
            self.dequeue(UrlId(best));
            self.lease_url(UrlId(best), false, false)?
        } else {
            self.place(id, now);
            return Ok(None);
        };
        self.place(id, now);
        Ok(Some(lease))
    }

    /// Serves the drawn list: what its hosts' rests allow, in the list's order. None if nothing is left of it, because its
    /// hosts have given all they may.
    pub(super) fn take_from_list(&mut self, n: usize, now: Timestamp) -> Result<Option<Next>, FrontierError> {
        let mut leases = Vec::new();
        let mut wake = Timestamp::NEVER;
        let mut left = Vec::with_capacity(self.list.len());
        for id in std::mem::take(&mut self.list) {
            let host_id = self.entries[id].host;
            let host = &self.hosts[host_id.0 as usize];
            if self.is_full(host) || self.is_left_alone(host, now) {
                self.enqueue(id, now);
            } else if leases.len() == n || host.asking_rules || host.busy >= self.policy.connections_per_host
            {
                left.push(id);
            } else if host.rest_until > now {
                wake = wake.min(host.rest_until);
                left.push(id);
            } else if self.needs_rules(host, now) {
                leases.push(self.lease_rules(host_id)?);
                self.place(host_id, now);
                left.push(id);
            } else {
                leases.push(self.lease_url(id, false, true)?);
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
}
