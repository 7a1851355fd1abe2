//! What people named and the crawl cannot reach has a record of its own.

use std::collections::HashMap;

use scenthound_frontier::Frontier;
use scenthound_types::{
    AgentId, Lease, LeaseId, LeaseKind, Outcome, Priority, Refusal, Standing, Timestamp, UrlKey,
};

use super::Crawl;
use crate::CrawlError;
use crate::lease_result::ResponseFacts;
use crate::recorder::{Recorder, Visit};

/// The seeds of each host: agent, and number among its seeds.
pub(super) type SeedsByOrigin = HashMap<Box<str>, Vec<(usize, usize)>>;

impl<F: Frontier, R: Recorder> Crawl<F, R> {
    /// Records each seed that waits because the rules of its host could not be read. It goes on waiting.
    pub(super) fn record_unreached_seeds(
        &mut self,
        robots: &Lease,
        now: Timestamp,
    ) -> Result<(), CrawlError> {
        let by_origin = self.seeds_by_origin.get_or_insert_with(|| {
            let mut by_origin = SeedsByOrigin::new();
            for (agent, slot) in self.slots.iter().enumerate() {
                for (number, seed) in slot.agent.seeds.iter().enumerate() {
                    by_origin
                        .entry(seed.origin().into())
                        .or_default()
                        .push((agent, number));
                }
            }
            by_origin
        });
        // Once per run: nothing new is known when the rules fail again.
        let Some(seeds) = by_origin.remove(robots.url.origin()) else {
            return Ok(());
        };
        for (agent, number) in seeds {
            let Some(slot) = self.slots.get(agent) else {
                continue;
            };
            let Some(url) = slot.agent.seeds.get(number) else {
                continue;
            };
            let key = self.keyring.key(url);
            if !self.is_waiting(key) {
                continue;
            }
            let rank = slot.agent.strategy.seed(key, slot.agent.seeds.len());
            let lease = Lease {
                id: LeaseId(0),
                agent: AgentId(u8::try_from(agent).unwrap_or_default()),
                kind: LeaseKind::Page,
                url: url.clone(),
                key,
                parent: None,
                parent_url: None,
                depth: 0,
                site_depth: 0,
                seed: true,
                taken: Priority { rank, age: 0 },
                attempt: 0,
                redirects: 0,
                revisit: false,
                location: None,
            };
            let outcome = Outcome::Refused(Refusal::RobotsUnreachable);
            let facts = ResponseFacts {
                started: now,
                ..ResponseFacts::default()
            };
            let visit = Visit {
                lease: &lease,
                outcome: &outcome,
                page: None,
                facts: &facts,
                updates: &Vec::new(),
                score_parts: &[],
                will_retry: true,
                is_explored: false,
                now,
            };
            self.recorder.record(&visit, None).map_err(CrawlError::Record)?;
            self.count(&lease, &outcome, None, &facts);
        }
        Ok(())
    }

    fn is_waiting(&self, key: UrlKey) -> bool {
        let mut standings = Vec::new();
        self.frontier.standings(&[key], &mut standings);
        standings.first() == Some(&Standing::Waiting)
    }
}
