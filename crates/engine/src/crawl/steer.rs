//! What people may change about a crawl while it runs.
//!
//! The crawl is given the whole of what is in force each time, not what has changed, so it makes no difference how often or
//! when it is told.

use std::time::Duration;

use scenthound_frontier::{End, Frontier, HostEffect, HostSteering, Recall, Settled, Survey};
use scenthound_types::{AgentId, CanonicalUrl, LeaseKind, Merge, Offer, Standing, Timestamp, Verdict};

use super::Crawl;
use crate::CrawlError;
use crate::lease_result::Found;
use crate::recorder::Recorder;

/// Everything that people ask of a crawl.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CrawlSteering {
    /// What is asked of hosts.
    pub hosts: HostSteering,
    /// A page with at least this relevance is relevant, whatever the judge says. Pages that were set aside stay so.
    pub threshold: Option<f64>,
    /// URLs to start from, in addition to the seeds.
    pub seeds: Vec<CanonicalUrl>,
    /// URLs that were among these and no longer are. Those that were not fetched yet are dropped.
    pub dropped_seeds: Vec<CanonicalUrl>,
}

impl<F: Frontier, R: Recorder> Crawl<F, R> {
    /// Does what people ask from here on.
    pub fn steer(&mut self, steering: CrawlSteering, now: Timestamp) -> Result<(), CrawlError> {
        self.frontier.steer(steering.hosts, now);
        match &mut self.settings.strategy_judges {
            Some(threshold) => {
                let usual = *self.usual_threshold.get_or_insert(*threshold);
                *threshold = steering.threshold.unwrap_or(usual);
            }
            None => self.threshold = steering.threshold,
        }
        self.add_seeds(&steering.seeds, now)?;
        for url in &steering.dropped_seeds {
            self.drop_waiting(url, now)?;
        }
        Ok(())
    }

    fn add_seeds(&mut self, seeds: &[CanonicalUrl], now: Timestamp) -> Result<(), CrawlError> {
        let Some(slot) = self.slots.first_mut().filter(|_| !seeds.is_empty()) else {
            return Ok(());
        };
        let offers: Vec<Offer> = seeds
            .iter()
            .map(|url| {
                let key = self.keyring.key(url);
                Offer {
                    url: url.clone(),
                    key,
                    rank: slot.agent.strategy.seed(key, seeds.len()),
                    merge: Merge::Keep,
                }
            })
            .collect();
        Ok(self.frontier.seed_for(AgentId::default(), &offers, now)?)
    }

    /// Drops a URL that waits. One that was fetched or is being fetched stays.
    fn drop_waiting(&mut self, url: &CanonicalUrl, now: Timestamp) -> Result<(), CrawlError> {
        let key = self.keyring.key(url);
        let mut standings = Vec::new();
        self.frontier.standings(&[key], &mut standings);
        let is_own_seed = self.slots.iter().any(|slot| slot.agent.seeds.contains(url));
        if standings.first() != Some(&Standing::Waiting) || is_own_seed {
            return Ok(());
        }
        let wanted = Recall {
            agent: AgentId::default(),
            kind: LeaseKind::Page,
            url,
            key,
            parent: None,
            depth: 0,
        };
        if let Some(lease) = self.frontier.recall(&wanted, now)? {
            let settled = Settled {
                lease: &lease,
                end: End::Gone,
                host_effect: HostEffect::Untouched,
                updates: &[],
                links: &[],
                rules: None,
                sitemaps: &[],
                requisites: &[],
            };
            self.frontier.settle(settled, now)?;
        }
        Ok(())
    }

    /// Leaves a stretch of time out of the running time: the crawl was paused.
    pub fn skip_time(&mut self, time: Duration) {
        self.started = self.started + time;
    }

    /// Moves about this many of the worst waiting links to the disk, and returns how many that were.
    pub fn spill(&mut self, links: u64, now: Timestamp) -> Result<u64, CrawlError> {
        Ok(self.frontier.spill(links, now)?)
    }

    /// The queue, seen from outside.
    pub fn survey(&self, hosts: usize) -> Survey {
        self.frontier.survey(hosts)
    }

    /// Decides by the threshold that people asked for, if they did.
    pub(super) fn apply_threshold(&self, found: &mut Found) {
        let (Some(threshold), Found::Page(page)) = (self.threshold, found) else {
            return;
        };
        let verdict = match page.judgement.relevance >= threshold && !page.is_set_aside() {
            true => Verdict::Relevant,
            false => Verdict::Irrelevant,
        };
        if page.judgement.verdict != verdict {
            page.judgement.verdict = verdict;
            page.is_revised = true;
        }
    }
}
