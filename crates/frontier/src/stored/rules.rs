//! Leases for robots.txt, including those that redirect to another host.
//!
//! A redirect is followed by a lease of its own, and the request counts for the host it goes to: it waits until that host
//! may be asked, and the host rests afterwards. Otherwise many hosts together could direct any number of requests at one
//! that has nothing to do with the crawl.

use std::time::Duration;

use super::*;
use crate::HostRules;

/// The shortest wait for another host, so that a crawl without delays does not ask again and again.
const SHORTEST_WAIT: Duration = Duration::from_millis(100);

/// How many hosts may have to wait for each other's rules.
const LONGEST_CHAIN: u8 = 5;

/// Where a host's robots.txt redirects to.
#[derive(Clone, Debug)]
pub(crate) struct RulesElsewhere {
    pub url: CanonicalUrl,
    /// The redirects that led there.
    pub redirects: u8,
}

/// Whether another host may get a request for a robots.txt that redirects to it.
enum Visit {
    /// It may.
    Free,
    /// The redirect leads to its own robots.txt, which is known. No request is needed.
    Known,
    /// Its own rules have to be known first.
    RulesFirst,
    /// It is busy or resting.
    Wait(Timestamp),
}

impl<S: Storage> StoredFrontier<S> {
    /// Leases a host's robots.txt. If it redirects to a host that may not be asked now, returns `None` and lets the host
    /// rest until it may.
    pub(super) fn lease_rules(
        &mut self,
        id: HostId,
        agent: AgentId,
        now: Timestamp,
    ) -> Result<Option<Lease>, FrontierError> {
        self.lease_rules_via(id, agent, now, 0)
    }

    /// `depth` counts the hosts whose rules depend on each other.
    fn lease_rules_via(
        &mut self,
        id: HostId,
        agent: AgentId,
        now: Timestamp,
        depth: u8,
    ) -> Result<Option<Lease>, FrontierError> {
        let Some(url) = self.elsewhere_of(id).map(|elsewhere| elsewhere.url.clone()) else {
            return self.hand_out_rules(id, agent, None).map(Some);
        };
        let target = self.host_of(&url);
        if target == id {
            return self.hand_out_rules(id, agent, None).map(Some);
        }
        match self.visit(target, &url, now) {
            // Hosts that redirect to each other in a circle would wait for each other for ever.
            Visit::RulesFirst if depth >= LONGEST_CHAIN => {
                self.hand_out_rules(id, agent, Some(target)).map(Some)
            }
            Visit::Free => self.hand_out_rules(id, agent, Some(target)).map(Some),
            Visit::Known => self.hand_out_rules(id, agent, None).map(Some),
            Visit::RulesFirst => {
                let wait = self.wait_for(target);
                self.rest_at_least(id, now + wait, now);
                self.lease_rules_via(target, agent, now, depth + 1)
            }
            Visit::Wait(until) => {
                self.rest_at_least(id, until, now);
                Ok(None)
            }
        }
    }

    /// Leases a host's robots.txt whatever the state of the hosts.
    pub(super) fn lease_rules_now(&mut self, id: HostId, agent: AgentId) -> Result<Lease, FrontierError> {
        self.hand_out_rules(id, agent, None)
    }

    fn elsewhere_of(&self, id: HostId) -> Option<&RulesElsewhere> {
        self.hosts[id.0 as usize].elsewhere.as_deref()
    }

    fn wait_for(&self, target: HostId) -> Duration {
        let host = &self.hosts[target.0 as usize];
        self.policy.usual_rest(host).max(SHORTEST_WAIT)
    }

    fn visit(&mut self, target: HostId, url: &CanonicalUrl, now: Timestamp) -> Visit {
        let wait = self.wait_for(target);
        let host = &mut self.hosts[target.0 as usize];
        let has_rules = host.rules_until > now;
        let is_rules = *url == url.robots_txt();
        if is_rules && has_rules {
            return Visit::Known;
        }
        let is_busy = host.asking_rules || host.busy >= self.policy.connections_per_host;
        if is_busy || host.rest_until > now {
            // Those who wait get a time each, so that they do not all wake up for the one that goes ahead.
            let earliest = if is_busy { now + wait } else { host.rest_until };
            let until = host.next_visit.max(earliest);
            host.next_visit = until + wait;
            return Visit::Wait(until);
        }
        if is_rules || has_rules {
            Visit::Free
        } else {
            Visit::RulesFirst
        }
    }

    fn rest_at_least(&mut self, id: HostId, until: Timestamp, now: Timestamp) {
        let host = &mut self.hosts[id.0 as usize];
        host.rest_until = host.rest_until.max(until);
        self.touch_host(id);
        self.place(id, now);
    }

    fn hand_out_rules(
        &mut self,
        id: HostId,
        agent: AgentId,
        visited: Option<HostId>,
    ) -> Result<Lease, FrontierError> {
        let led = self.hosts[id.0 as usize].queue.best().map(UrlId);
        let groups = self.groups_of(id, led);
        let host = &mut self.hosts[id.0 as usize];
        host.asking_rules = true;
        let url = CanonicalUrl::from_canonical(&format!("{}/robots.txt", host.origin)).map_err(|_| {
            FrontierError::Damaged {
                what: format!("a host has the invalid origin {:?}", host.origin),
            }
        })?;
        let elsewhere = host.elsewhere.as_deref();
        let lease = Lease {
            id: LeaseId(self.next_lease),
            agent,
            kind: LeaseKind::Robots,
            key: self.keyring.key(&url),
            url,
            parent: None,
            parent_url: None,
            depth: 0,
            site_depth: 0,
            seed: false,
            taken: Priority::default(),
            attempt: host.rules_attempt,
            redirects: elsewhere.map_or(0, |elsewhere| elsewhere.redirects),
            revisit: false,
            location: elsewhere.map(|elsewhere| elsewhere.url.clone()),
        };
        self.hand_out(
            &lease,
            Out {
                url: None,
                agent,
                host: id,
                visited,
                groups,
                kind: LeaseKind::Robots,
                from_list: false,
                taken: lease.taken.rank,
                unit: self.unit,
            },
        );
        Ok(lease)
    }

    /// Notes what a request for a host's robots.txt led to.
    pub(super) fn end_rules(&mut self, out: &Out, settled: &Settled<'_>, now: Timestamp) {
        let host = &mut self.hosts[out.host.0 as usize];
        match &settled.end {
            End::Redirected { to, .. } => {
                host.elsewhere = Some(Box::new(RulesElsewhere {
                    url: to.clone(),
                    redirects: settled.lease.redirects.saturating_add(1),
                }));
            }
            _ => {
                host.elsewhere = None;
                host.rules_attempt = host.rules_attempt.saturating_add(1);
            }
        }
        if let Some(rules) = &settled.rules {
            self.keep_rules(out.host, rules);
            // What was found there also tells what applies there.
            let is_theirs = |url: &CanonicalUrl| *url == url.robots_txt();
            if let Some(visited) = out.visited
                && settled.lease.location.as_ref().is_some_and(is_theirs)
                && settled.host_effect == HostEffect::Asked
                && self.hosts[visited.0 as usize].rules_until <= now
            {
                self.keep_rules(visited, rules);
            }
        }
    }

    fn keep_rules(&mut self, id: HostId, rules: &HostRules) {
        let host = &mut self.hosts[id.0 as usize];
        host.rules_attempt = 0;
        host.rules_until = rules.fresh_until;
        host.crawl_delay_ms = rules
            .crawl_delay
            .map_or(0, |delay| u32::try_from(delay.as_millis()).unwrap_or(u32::MAX));
        self.storage.put_rules(id, &rules.bytes);
        self.touch_host(id);
    }
}
