//! Limits how many requests may be in flight to hosts that have not proven themselves.
//!
//! A host is *proven* once it has answered with a page and until it fails. Hosts that accept a connection and say nothing
//! hold a request for as long as the time limits allow. A few hundred of them would hold all requests, so those that are not
//! proven share a part of them. Within that part, no registrable domain and no page that links to them gets more than its
//! share.
//!
//! A ready host that has to wait for one of these shares is *parked* with the group that is full. When a request of the group
//! ends, the best parked host becomes ready again.

use super::*;

/// How many parked hosts are compared to find the best.
const COMPARED: usize = 256;

/// Hosts that share a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Group {
    /// All that are not proven.
    All,
    /// Those of one registrable domain, by its hash.
    Domain(u64),
    /// Those that one page links to.
    Page(u32),
}

/// The groups a request counts for.
pub(super) type Groups = [Option<Group>; 3];

#[derive(Debug, Default)]
pub(super) struct Members {
    /// Requests in flight.
    out: usize,
    /// Hosts that wait until one of them ends.
    parked: Vec<u32>,
}

impl<S: Storage> StoredFrontier<S> {
    /// The groups that a request to a host counts for. `led` is the URL that makes the host worth a request.
    pub(super) fn groups_of(&self, id: HostId, led: Option<UrlId>) -> Groups {
        let host = &self.hosts[id.0 as usize];
        if self.policy.unproven.is_none() || host.proven {
            return Groups::default();
        }
        let name = host
            .origin
            .split_once("://")
            .map_or(&*host.origin, |(_, rest)| rest);
        // A colon inside brackets is part of an address, not the start of a port.
        let name = match name.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => host,
            _ => name,
        };
        let domain = self.keyring.hash(&host_owner(name));
        let page = led.and_then(|url| self.entries.get(url)?.parent.known());
        [
            Some(Group::All),
            Some(Group::Domain(domain)),
            page.map(|page| Group::Page(page.0)),
        ]
    }

    /// The group that has no room for another request, if there is one.
    pub(super) fn full_group(&self, groups: &Groups) -> Option<Group> {
        let limits = self.policy.unproven?;
        groups.iter().flatten().copied().find(|group| {
            let most = match group {
                Group::All => limits.total,
                Group::Domain(_) | Group::Page(_) => limits.per_group,
            };
            self.groups.get(group).is_some_and(|members| members.out >= most)
        })
    }

    /// Lets a host wait until the group has room.
    pub(super) fn park(&mut self, id: HostId, group: Group, now: Timestamp) {
        self.groups.entry(group).or_default().parked.push(id.0);
        self.hosts[id.0 as usize].parked = true;
        self.parked += 1;
        self.place(id, now);
        // What this host leaves unused is another's.
        if group != Group::All && self.full_group(&[Some(Group::All), None, None]).is_none() {
            self.unpark_best(Group::All, now);
        }
    }

    /// Counts a request that begins.
    pub(super) fn enter_groups(&mut self, groups: &Groups) {
        for group in groups.iter().flatten() {
            self.groups.entry(*group).or_default().out += 1;
        }
    }

    /// Counts a request that has ended, and makes room for others.
    pub(super) fn leave_groups(&mut self, groups: &Groups, now: Timestamp) {
        for group in groups.iter().flatten() {
            if let Some(members) = self.groups.get_mut(group) {
                members.out = members.out.saturating_sub(1);
            }
            self.unpark_best(*group, now);
        }
    }

    fn unpark_best(&mut self, group: Group, now: Timestamp) {
        let Some(members) = self.groups.get(&group) else {
            return;
        };
        let best = |host: u32| {
            let queued = self.hosts[host as usize].best_of_all();
            // Those that have failed come after those that have not been tried.
            let failures = Reverse(self.hosts[host as usize].failures);
            queued.map(|url| (failures, self.entries.priority(url), Reverse(url.0)))
        };
        let first = members.parked.iter().take(COMPARED).enumerate();
        let found = first.max_by_key(|(at, host)| (best(**host), Reverse(*at)));
        let Some((at, host)) = found.map(|(at, host)| (at, *host)) else {
            if members.out == 0 {
                self.groups.remove(&group);
            }
            return;
        };
        if let Some(members) = self.groups.get_mut(&group) {
            members.parked.swap_remove(at);
        }
        self.hosts[host as usize].parked = false;
        self.parked -= 1;
        self.place(HostId(host), now);
    }
}

impl Host {
    /// The first agent's best URL, or another agent's if the first has none here.
    fn best_of_all(&self) -> Option<UrlId> {
        let others = self.others.iter().map(|stack| &stack.queue);
        let mut queues = std::iter::once(&self.queue).chain(others);
        queues.find_map(Heap::best).map(UrlId)
    }
}
