//! A test bed for one frontier: short names for URLs, a clock that is advanced by hand, and a few verbs.
//!
//! `a/1` stands for `http://a.test/1`. A line of seeds or links is written `a/1:0.9 b/2:0.5`. A full rank is
//! `class/score/tie`.

use std::time::Duration;

use scenthound_frontier::{
    Ask, Counts, End, Frontier, HostEffect, HostPolicy, HostRules, Next, Settled, UrlFacts,
};
use scenthound_types::{
    AgentId, CanonicalUrl, Keyring, Lease, LeaseKind, Merge, Offer, Rank, Score, Standing, StateDelta,
    Timestamp, Update, UrlKey,
};

use crate::Harness;

/// The seed of the suite's keys.
pub(crate) const KEYRING_SEED: u64 = 7;

/// The URL for a short name.
pub fn url(name: &str) -> CanonicalUrl {
    let (host, path) = name.split_once('/').expect("a short name is host/path");
    CanonicalUrl::parse(&format!("http://{host}.test/{path}")).expect("a short name makes a URL")
}

/// The short name of a URL.
pub(crate) fn name(url: &CanonicalUrl) -> String {
    let host = url.host().trim_end_matches(".test");
    format!("{host}{}", url.path())
}

pub(crate) fn rank(spelled: &str) -> Rank {
    let parts: Vec<&str> = spelled.split('/').collect();
    match parts.as_slice() {
        [score] => Rank::of_score(score.parse().unwrap()),
        [class, score, tie] => Rank {
            class: class.parse().unwrap(),
            score: Score::new(score.parse().unwrap()),
            tie: tie.parse().unwrap(),
        },
        _ => panic!("a rank must be score or class/score/tie, not {spelled}"),
    }
}

/// A frontier in its test bed.
#[derive(Debug)]
pub struct Stage<H> {
    /// The implementation under test.
    pub harness: H,
    /// The current time.
    pub now: Timestamp,
    keyring: Keyring,
}

impl<H: Harness> Stage<H> {
    /// An empty frontier at time 0.
    pub fn new(policy: HostPolicy) -> Stage<H> {
        let keyring = Keyring::new(KEYRING_SEED);
        Stage {
            harness: H::fresh(policy, keyring),
            now: Timestamp::ZERO,
            keyring,
        }
    }

    /// An empty frontier without robots.txt requests and without rests.
    pub fn instant() -> Stage<H> {
        Stage::new(HostPolicy::instant())
    }

    pub(crate) fn f(&mut self) -> &mut H::F {
        self.harness.frontier()
    }

    pub(crate) fn key(&self, name: &str) -> UrlKey {
        self.keyring.key(&url(name))
    }

    /// Advances the clock.
    pub fn pass(&mut self, millis: u64) {
        self.now = self.now + Duration::from_millis(millis);
    }

    pub(crate) fn offer(&self, name: &str, rank: Rank, merge: Merge) -> Offer {
        Offer {
            url: url(name),
            key: self.key(name),
            rank,
            merge,
        }
    }

    /// The offers of a line like `a/1:0.9 b/2:0.5`.
    pub(crate) fn offers(&self, line: &str, merge: Merge) -> Vec<Offer> {
        line.split_whitespace()
            .map(|word| {
                let (name, spelled) = word.split_once(':').unwrap_or((word, "0"));
                self.offer(name, rank(spelled), merge)
            })
            .collect()
    }

    pub(crate) fn links(&self, line: &str, merge: Merge) -> Vec<Update> {
        self.offers(line, merge).into_iter().map(Update::Offer).collect()
    }

    /// Seeds a line like `a/1:0.9 b/2:0.5`.
    pub fn seed(&mut self, line: &str) {
        let (offers, now) = (self.offers(line, Merge::Keep), self.now);
        self.f().seed(&offers, now).unwrap();
    }

    /// Seeds a line into an agent's stack.
    pub(crate) fn seed_for(&mut self, agent: u8, line: &str) {
        let (offers, now) = (self.offers(line, Merge::Keep), self.now);
        self.f().seed_for(AgentId(agent), &offers, now).unwrap();
    }

    pub(crate) fn next_for(&mut self, agent: u8, n: usize, highest_class: u16) -> Next {
        let ask = Ask {
            agent: AgentId(agent),
            most: n,
            highest_class,
        };
        let now = self.now;
        self.f().take_for(ask, now).unwrap()
    }

    /// Leases exactly one URL for an agent, which must have this name.
    pub(crate) fn take_one_for(&mut self, agent: u8, expected: &str) -> Lease {
        match self.next_for(agent, 1, u16::MAX) {
            Next::Fetch(mut leases) => {
                assert_eq!(leases.len(), 1);
                let lease = leases.remove(0);
                assert_eq!(name(&lease.url), expected);
                assert_eq!(lease.agent, AgentId(agent));
                lease
            }
            other => panic!("expected a lease of {expected} at {:?}, got {other:?}", self.now),
        }
    }

    /// Leases an agent's next URL, which must be this one, and settles it as fetched with a line of links.
    pub(crate) fn fetch_for(&mut self, agent: u8, expected: &str, links: &str) {
        let links = self.links(links, Merge::Max);
        let lease = self.take_one_for(agent, expected);
        self.fetched(&lease, &links);
    }

    /// The score with which a URL waits in an agent's stack.
    pub(crate) fn waits_for(&mut self, agent: u8, name: &str) -> Option<f64> {
        let key = self.key(name);
        let priority = self.f().waits_for(AgentId(agent), key);
        priority.map(|priority| priority.rank.score.get())
    }

    pub(crate) fn next(&mut self, n: usize) -> Next {
        let now = self.now;
        self.f().take_many(n, now).unwrap()
    }

    /// Leases up to `n`; getting none is fine.
    pub(crate) fn take(&mut self, n: usize) -> Vec<Lease> {
        match self.next(n) {
            Next::Fetch(leases) => leases,
            _ => Vec::new(),
        }
    }

    /// Leases exactly one URL, which must have this name.
    pub(crate) fn take_one(&mut self, expected: &str) -> Lease {
        match self.next(1) {
            Next::Fetch(mut leases) => {
                assert_eq!(leases.len(), 1);
                let lease = leases.remove(0);
                assert_eq!(name(&lease.url), expected);
                lease
            }
            other => panic!("expected a lease of {expected} at {:?}, got {other:?}", self.now),
        }
    }

    pub(crate) fn settle_with(
        &mut self,
        lease: &Lease,
        end: End,
        host_effect: HostEffect,
        updates: &[Update],
    ) {
        let links: Vec<UrlKey> = updates
            .iter()
            .filter_map(|update| match update {
                Update::Offer(offer) => Some(offer.key),
                _ => None,
            })
            .collect();
        let now = self.now;
        self.f()
            .settle(
                Settled {
                    lease,
                    end,
                    host_effect,
                    updates,
                    links: &links,
                    rules: None,
                    sitemaps: &[],
                    requisites: &[],
                },
                now,
            )
            .unwrap();
    }

    /// The key under which a URL is known as a requisite.
    pub(crate) fn requisite_key(&self, url: &CanonicalUrl) -> UrlKey {
        self.keyring.key_for(LeaseKind::Requisite, url)
    }

    /// Settles a page as fetched that needs other files to be shown.
    pub(crate) fn settle_needing(&mut self, lease: &Lease, updates: &[Update], requisites: &[Offer]) {
        let now = self.now;
        self.f()
            .settle(
                Settled {
                    lease,
                    end: End::Fetched { relevance: 0.5 },
                    host_effect: HostEffect::Asked,
                    updates,
                    links: &[],
                    rules: None,
                    sitemaps: &[],
                    requisites,
                },
                now,
            )
            .unwrap();
    }

    /// Settles as fetched, with these updates.
    pub(crate) fn fetched(&mut self, lease: &Lease, updates: &[Update]) {
        self.settle_with(lease, End::Fetched { relevance: 0.5 }, HostEffect::Asked, updates);
    }

    /// Leases the next URL, which must be this one, and settles it as fetched with a line of links.
    pub fn fetch(&mut self, expected: &str, links: &str) {
        let links = self.links(links, Merge::Max);
        let lease = self.take_one(expected);
        self.fetched(&lease, &links);
    }

    /// Like [`Stage::fetch`], with any updates.
    pub(crate) fn fetch_with(&mut self, expected: &str, updates: &[Update]) {
        let lease = self.take_one(expected);
        self.fetched(&lease, updates);
    }

    pub(crate) fn rules(
        &mut self,
        lease: &Lease,
        fresh_until: Timestamp,
        crawl_delay: Option<Duration>,
        sitemaps: &str,
    ) {
        assert_eq!(lease.kind, LeaseKind::Robots);
        let (sitemaps, now) = (self.offers(sitemaps, Merge::Keep), self.now);
        self.f()
            .settle(
                Settled {
                    lease,
                    end: End::Gone,
                    host_effect: HostEffect::Asked,
                    updates: &[],
                    links: &[],
                    rules: Some(HostRules {
                        bytes: b"rules".to_vec(),
                        fresh_until,
                        crawl_delay,
                    }),
                    sitemaps: &sitemaps,
                    requisites: &[],
                },
                now,
            )
            .unwrap();
    }

    pub(crate) fn redirected(&mut self, lease: &Lease, to: &str, merge: Merge) {
        let (to, key) = (url(to), self.key(to));
        self.settle_with(lease, End::Redirected { to, key, merge }, HostEffect::Asked, &[]);
    }

    pub(crate) fn hand_back(&mut self, lease: &Lease, until: Timestamp) {
        let now = self.now;
        self.f().hand_back(lease, until, now).unwrap();
    }

    /// Fetches everything there is, one by one, advancing the clock where needed. Returns the names in order, pages
    /// in lower case.
    pub fn visits(&mut self) -> String {
        let mut names = Vec::new();
        loop {
            match self.next(1) {
                Next::Fetch(leases) => {
                    for lease in leases {
                        names.push(name(&lease.url));
                        self.fetched(&lease, &[]);
                    }
                }
                Next::WaitUntil(until) => self.now = until,
                Next::Blocked => panic!("blocked although nothing is leased"),
                Next::Done => return names.join(" "),
            }
        }
    }

    pub(crate) fn facts(&mut self, name: &str) -> UrlFacts {
        let facts = self.f().look_up(&url(name)).unwrap();
        facts.unwrap_or_else(|| panic!("{name} should be known"))
    }

    pub(crate) fn score(&mut self, name: &str) -> f64 {
        self.facts(name).priority.rank.score.get()
    }

    pub(crate) fn standing(&mut self, name: &str) -> Standing {
        let (key, mut out) = (self.key(name), Vec::new());
        self.f().standings(&[key], &mut out);
        out[0]
    }

    pub(crate) fn counts(&mut self) -> Counts {
        self.f().counts()
    }

    pub(crate) fn commit(&mut self) {
        self.f().commit(&StateDelta::default()).unwrap();
    }

    pub(crate) fn restart(&mut self) {
        let now = self.now;
        self.harness.restart(now);
    }
}

pub(crate) fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub(crate) fn at(seconds: u64) -> Timestamp {
    Timestamp::ZERO + secs(seconds)
}

pub(crate) fn names(leases: &[Lease]) -> Vec<String> {
    leases.iter().map(|lease| name(&lease.url)).collect()
}
