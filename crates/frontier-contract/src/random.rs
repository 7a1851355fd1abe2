//! Long random sequences of all operations, each step compared with the slow model.

use std::collections::BTreeSet;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use scenthound_frontier::{Ask, End, Frontier, HostEffect, HostPolicy, HostRules, Next, Settled, UrlFacts};
use scenthound_types::{
    AgentId, Evidence, Lease, LeaseKind, Merge, Offer, Parents, Rank, Score, Standing, StateDelta, Timestamp,
    Update, UrlKey,
};

use crate::model::{Model, ModelLease, ModelNext};
use crate::{Harness, Stage};

/// Few URLs on few hosts, so that operations interact often.
const HOSTS: usize = 4;
const PAGES: usize = 6;

fn page_name(number: usize) -> String {
    let host = ["a", "b", "c", "d"][number % HOSTS];
    format!("{host}/{}", number / HOSTS % PAGES)
}

/// One link, offer or update, as numbers that get a meaning only once there is a state to apply them to.
#[derive(Clone, Debug)]
enum Change {
    Offer(usize, Rank, Merge),
    Raise(usize, Parents, Rank, Merge),
    RaiseOne(usize, Rank, Merge),
    Retie(usize),
    RevisitRichest,
}

#[derive(Clone, Copy, Debug)]
enum EndKind {
    Fetched,
    Gone,
    Retry,
    Redirected(usize, Merge),
}

#[derive(Clone, Debug)]
enum Step {
    Seed(u8, Vec<(usize, Rank)>),
    /// The agent, how many, and the highest class.
    Take(u8, usize, u16),
    Evidence(u8, usize, u64),
    Settle(usize, EndKind, HostEffect, Vec<Change>),
    HandBack(usize, u64),
    Pass(u64),
    PassToNext,
    Draw(usize),
    Commit,
    Restart,
}

fn ranks() -> impl Strategy<Value = Rank> {
    // Quarters, so that sums are exact in any order.
    (0..2_u16, 0..8_u32, 0..3_u32).prop_map(|(class, quarters, tie)| Rank {
        class,
        score: Score::new(f64::from(quarters) / 4.0),
        tie,
    })
}

fn merges() -> impl Strategy<Value = Merge> {
    prop_oneof![
        Just(Merge::Keep),
        Just(Merge::Replace),
        Just(Merge::Max),
        Just(Merge::Add)
    ]
}

fn pages() -> impl Strategy<Value = usize> {
    0..HOSTS * PAGES
}

fn changes() -> impl Strategy<Value = Change> {
    let parents = || prop_oneof![Just(Parents::First), Just(Parents::All)];
    prop_oneof![
        8 => (pages(), ranks(), merges()).prop_map(|(page, rank, merge)| Change::Offer(page, rank, merge)),
        3 => (pages(), parents(), ranks(), merges())
            .prop_map(|(page, parents, rank, merge)| Change::Raise(page, parents, rank, merge)),
        2 => (pages(), ranks(), merges()).prop_map(|(page, rank, merge)| Change::RaiseOne(page, rank, merge)),
        2 => pages().prop_map(Change::Retie),
        1 => Just(Change::RevisitRichest),
    ]
}

fn ends() -> impl Strategy<Value = EndKind> {
    prop_oneof![
        6 => Just(EndKind::Fetched),
        1 => Just(EndKind::Gone),
        2 => Just(EndKind::Retry),
        2 => (pages(), merges()).prop_map(|(page, merge)| EndKind::Redirected(page, merge)),
    ]
}

fn host_effects() -> impl Strategy<Value = HostEffect> {
    prop_oneof![
        5 => Just(HostEffect::Asked),
        2 => Just(HostEffect::Failed),
        1 => (0..30_000_u64).prop_map(|at| HostEffect::Later(Timestamp::from_millis(at))),
        1 => Just(HostEffect::Untouched),
    ]
}

/// Taken modulo the number of agents, which the policy sets.
fn agents() -> impl Strategy<Value = u8> {
    0..12_u8
}

fn classes() -> impl Strategy<Value = u16> {
    prop_oneof![5 => Just(u16::MAX), 1 => Just(0)]
}

fn steps() -> impl Strategy<Value = Step> {
    prop_oneof![
        1 => (agents(), vec((pages(), ranks()), 1..4)).prop_map(|(agent, seeds)| Step::Seed(agent, seeds)),
        9 => (agents(), 0..4_usize, classes()).prop_map(|(agent, n, class)| Step::Take(agent, n, class)),
        1 => (agents(), pages(), 0..9_u64).prop_map(|(agent, page, word)| Step::Evidence(agent, page, word)),
        12 => (0..8_usize, ends(), host_effects(), vec(changes(), 0..7))
            .prop_map(|(which, end, host_effect, changes)| Step::Settle(which, end, host_effect, changes)),
        1 => (0..8_usize, 0..3000_u64).prop_map(|(which, wait)| Step::HandBack(which, wait)),
        2 => (0..2000_u64).prop_map(Step::Pass),
        2 => Just(Step::PassToNext),
        1 => (1..5_usize).prop_map(Step::Draw),
        4 => Just(Step::Commit),
        1 => Just(Step::Restart),
    ]
}

fn bounds(range: std::ops::Range<u64>) -> impl Strategy<Value = Option<u64>> {
    prop_oneof![3 => Just(None), 1 => range.prop_map(Some)]
}

fn policies() -> impl Strategy<Value = HostPolicy> {
    let delays = prop_oneof![Just(0_u64), Just(1000)];
    (
        delays,
        1..3_u16,
        proptest::option::of(2..6_u32),
        any::<bool>(),
        any::<bool>(),
        // One agent without bounds is the usual crawl.
        prop_oneof![2 => Just(1_u8), 2 => Just(2), 1 => Just(3)],
        (bounds(1..30), bounds(0..20), bounds(4..16)),
    )
        .prop_map(
            |(delay, connections, most, robots, all_parents, agents, bounds)| HostPolicy {
                unproven: None,
                hold_back: None,
                oldest_from: None,
                delay: Duration::from_millis(delay),
                max_delay: Duration::from_secs(3),
                backoff: Duration::from_millis(2 * delay),
                max_backoff: Duration::from_secs(10),
                max_retry_after: Duration::from_secs(20),
                connections_per_host: connections,
                max_pages_per_host: most,
                robots,
                all_parents,
                siblings: false,
                ranks_follow_notes: false,
                max_parents: 3,
                agents,
                requisites: None,
                expire_after: bounds.0.map(Duration::from_secs),
                expire_after_pages: bounds.1,
                max_waiting: bounds.2,
            },
        )
}

/// A frontier and the model, kept in step.
struct Pair<H> {
    stage: Stage<H>,
    policy: HostPolicy,
    model: Model,
    committed: Model,
    out: Vec<Lease>,
    /// URLs that reached a final state, to check that none is leased again.
    settled: BTreeSet<UrlKey>,
    committed_settled: BTreeSet<UrlKey>,
}

impl<H: Harness> Pair<H> {
    fn new(policy: HostPolicy) -> Pair<H> {
        let model = Model::new(policy.clone());
        Pair {
            stage: Stage::new(policy.clone()),
            policy,
            committed: model.clone(),
            model,
            out: Vec::new(),
            settled: BTreeSet::new(),
            committed_settled: BTreeSet::new(),
        }
    }

    fn update(&self, change: &Change) -> Update {
        let key = |page: usize| self.stage.key(&page_name(page));
        match *change {
            Change::Offer(page, rank, merge) => {
                Update::Offer(self.stage.offer(&page_name(page), rank, merge))
            }
            Change::Raise(page, parents, rank, merge) => Update::RaiseSiblings {
                of: key(page),
                parents,
                rank,
                merge,
            },
            Change::RaiseOne(page, rank, merge) => Update::Raise {
                of: key(page),
                rank,
                merge,
            },
            Change::Retie(page) => Update::RetieSiblings { of: key(page) },
            Change::RevisitRichest => Update::RevisitRichest,
        }
    }

    fn agent(&self, number: u8) -> AgentId {
        AgentId(number % self.policy.agents)
    }

    fn take(&mut self, agent: u8, n: usize, highest_class: u16) {
        let ask = Ask {
            agent: self.agent(agent),
            most: n,
            highest_class,
        };
        let next = self.stage.next_for(ask.agent.0, n, highest_class);
        let now = self.stage.now;
        let given: Vec<Lease> = match &next {
            Next::Fetch(leases) => leases.clone(),
            _ => Vec::new(),
        };
        let ids: Vec<_> = given.iter().map(|lease| lease.id).collect();
        let expected = self.model.take(&ask, &ids, now);
        let answer = match next {
            Next::Fetch(leases) => ModelNext::Fetch(leases.iter().map(as_model).collect()),
            Next::WaitUntil(until) => ModelNext::WaitUntil(until),
            Next::Blocked => ModelNext::Blocked,
            Next::Done => ModelNext::Done,
        };
        assert_eq!(answer, expected);
        for lease in given {
            assert!(
                self.out.iter().all(|out| out.key != lease.key),
                "{lease:?} is leased twice"
            );
            assert!(
                lease.revisit || lease.kind == LeaseKind::Robots || !self.settled.contains(&lease.key),
                "{lease:?} was already settled"
            );
            let origin = lease.url.origin();
            let at_once = self.out.iter().filter(|out| out.url.origin() == origin).count();
            assert!(at_once < usize::from(self.policy.connections_per_host));
            self.out.push(lease);
        }
    }

    fn settle(&mut self, which: usize, end: EndKind, host_effect: HostEffect, changes: &[Change]) {
        if self.out.is_empty() {
            return;
        }
        let lease = self.out.swap_remove(which % self.out.len());
        let now = self.stage.now;
        let is_robots = lease.kind == LeaseKind::Robots;
        let end = match end {
            EndKind::Fetched => End::Fetched {
                relevance: (which % 5) as f32 / 4.0,
            },
            EndKind::Gone => End::Gone,
            EndKind::Retry => End::Retry,
            EndKind::Redirected(_, _) if is_robots => End::Gone,
            EndKind::Redirected(page, merge) => {
                let to = page_name(page);
                End::Redirected {
                    to: crate::url(&to),
                    key: self.stage.key(&to),
                    merge,
                }
            }
        };
        let updates: Vec<Update> = match end {
            End::Fetched { .. } if !is_robots => changes.iter().map(|change| self.update(change)).collect(),
            _ => Vec::new(),
        };
        let mut links: Vec<UrlKey> = Vec::new();
        for update in &updates {
            if let Update::Offer(offer) = update
                && offer.key != lease.key
                && !links.contains(&offer.key)
            {
                links.push(offer.key);
            }
        }
        let rules = (is_robots && end != End::Retry).then(|| HostRules {
            bytes: vec![which as u8],
            fresh_until: now + Duration::from_secs(which as u64),
            crawl_delay: (!which.is_multiple_of(3)).then(|| Duration::from_millis(which as u64 * 700)),
        });
        let sitemaps: Vec<Offer> = if rules.is_some() && which % 2 == 1 {
            let host = lease.url.host().trim_end_matches(".test");
            self.stage.offers(&format!("{host}/map:0.5"), Merge::Keep)
        } else {
            Vec::new()
        };
        self.stage
            .f()
            .settle(
                Settled {
                    lease: &lease,
                    end: end.clone(),
                    host_effect,
                    updates: &updates,
                    links: &links,
                    rules: rules.clone(),
                    sitemaps: &sitemaps,
                    requisites: &[],
                },
                now,
            )
            .unwrap();
        if end != End::Retry && !is_robots {
            self.settled.insert(lease.key);
        }
        // A robots lease is for a host that has a URL, so some URL shows the host's rest.
        let on_host = self
            .model
            .urls
            .iter()
            .find(|url| !url.dropped && url.url.origin() == lease.url.origin());
        let rests_until = self.look_up(&on_host.unwrap().url.clone()).host_rests_until;
        self.model.settle(
            lease.id,
            &end,
            host_effect,
            &updates,
            &links,
            rules.as_ref(),
            &sitemaps,
            now,
            rests_until,
        );
        if let Some(rules) = rules {
            let kept = self.stage.f().rules(&lease.url).unwrap();
            assert_eq!(kept, Some(rules.bytes));
        }
    }

    /// Seeds one URL on each host that nothing offers or forgets, so that there is always one that shows the host's
    /// rest.
    fn probe_hosts(&mut self) {
        let (probes, now) = (
            self.stage
                .offers("a/probe:-9 b/probe:-9 c/probe:-9 d/probe:-9", Merge::Keep),
            self.stage.now,
        );
        self.stage.f().seed(&probes, now).unwrap();
        self.model.seed(AgentId(0), &probes, now);
    }

    fn look_up(&mut self, url: &scenthound_types::CanonicalUrl) -> UrlFacts {
        self.stage.f().look_up(url).unwrap().unwrap()
    }

    fn run(&mut self, step: &Step) {
        match step {
            Step::Seed(agent, seeds) => {
                let agent = self.agent(*agent);
                let offers: Vec<Offer> = seeds
                    .iter()
                    .map(|(page, rank)| self.stage.offer(&page_name(*page), *rank, Merge::Max))
                    .collect();
                let now = self.stage.now;
                self.stage.f().seed_for(agent, &offers, now).unwrap();
                self.model.seed(agent, &offers, now);
            }
            Step::Take(agent, n, class) => self.take(*agent, *n, *class),
            Step::Evidence(agent, page, word) => {
                let (agent, key) = (self.agent(*agent), self.stage.key(&page_name(*page)));
                let evidence = Evidence::of_words(vec![*word], Vec::new(), Vec::new());
                self.stage.f().keep_evidence(agent, key, &evidence).unwrap();
                self.model.keep_evidence(agent, key, *word);
            }
            Step::Settle(which, end, host_effect, changes) => {
                self.settle(*which, *end, *host_effect, changes)
            }
            Step::HandBack(which, wait) => {
                if !self.out.is_empty() {
                    let lease = self.out.swap_remove(which % self.out.len());
                    let until = self.stage.now + Duration::from_millis(*wait);
                    self.stage.hand_back(&lease, until);
                    self.model.hand_back(lease.id, until, self.stage.now);
                }
            }
            Step::Pass(millis) => self.stage.pass(*millis),
            Step::PassToNext => {
                let resting = self.model.hosts.iter().map(|host| host.rest_until);
                let now = self.stage.now;
                if let Some(next) = resting.filter(|until| *until > now).min() {
                    self.stage.now = next;
                }
            }
            Step::Draw(n) => {
                let now = self.stage.now;
                assert_eq!(self.stage.f().draw(*n, now).unwrap(), self.model.draw(*n, now));
            }
            Step::Commit => {
                self.stage.f().commit(&StateDelta::default()).unwrap();
                self.committed = self.model.clone();
                self.committed_settled = self.settled.clone();
            }
            Step::Restart => {
                if H::SURVIVES {
                    self.stage.restart();
                    self.model = self.committed.restarted(self.stage.now);
                    self.settled = self.committed_settled.clone();
                    self.out.clear();
                }
            }
        }
    }

    fn compare(&mut self, step: &Step) {
        let known: Vec<usize> = self.model.known().collect();
        for id in known {
            let url = self.model.urls[id].clone();
            let facts = self.look_up(&url.url);
            let host = &self.model.hosts[url.host];
            let found = self.model.found_by(id);
            let parent = self.model.parent(found);
            assert_eq!(
                facts,
                UrlFacts {
                    url: url.url.clone(),
                    state: url.state,
                    priority: self.model.priority(id, 0),
                    parent: parent.map(|parent| parent.key),
                    parent_url: parent.map(|parent| parent.url.clone()),
                    depth: found.depth,
                    seed: found.seed,
                    reason: found.reason,
                    agent: found.agent,
                    host_rests_until: host.rest_until,
                    host_failures: host.failures,
                    host_pages: host.pages,
                }
            );
        }
        let agents: Vec<AgentId> = (0..self.policy.agents).map(AgentId).collect();
        for page in 0..HOSTS * PAGES {
            let name = page_name(page);
            let key = self.stage.key(&name);
            assert_eq!(self.stage.standing(&name), self.model.standing(key));
            if self.model.find(key).is_none() {
                assert_eq!(self.stage.f().look_up(&crate::url(&name)).unwrap(), None);
            }
            for agent in &agents {
                assert_eq!(
                    self.stage.f().waits_for(*agent, key),
                    self.model.waits_for(*agent, key)
                );
                let evidence = self.stage.f().evidence(*agent, key).unwrap();
                let word = evidence.map(|evidence| evidence.anchor[0]);
                assert_eq!(word, self.model.evidence(*agent, key));
            }
        }
        for agent in agents {
            assert_eq!(self.stage.f().waiting_of(agent), self.model.waiting_of(agent));
        }
        // A URL that may enter again may also be leased again.
        let model = &self.model;
        self.settled.retain(|key| model.standing(*key) != Standing::New);
        let (counts, now) = (self.stage.counts(), self.stage.now);
        let mut expected = self.model.counts(now);
        // A host whose rest is over counts as resting until the next take.
        if !matches!(step, Step::Take(..)) {
            expected.hosts_resting = expected.hosts_resting.max(counts.hosts_resting);
        }
        assert_eq!(counts, expected);
    }
}

fn as_model(lease: &Lease) -> ModelLease {
    ModelLease {
        agent: lease.agent,
        kind: lease.kind,
        url: lease.url.clone(),
        parent: lease.parent,
        depth: lease.depth,
        seed: lease.seed,
        taken: lease.taken,
        attempt: lease.attempt,
        redirects: lease.redirects,
        revisit: lease.revisit,
    }
}

/// Random offers, takes, settles, hand-backs, draws, clock steps, commits and restarts.
pub fn a_frontier_does_what_a_plain_list_would<H: Harness>() {
    let config = Config {
        cases: H::CASES,
        failure_persistence: None,
        max_shrink_iters: 4000,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let sequences = (policies(), vec(steps(), 1..160));
    let outcome = runner.run(&sequences, |(policy, steps)| {
        let mut pair = Pair::<H>::new(policy);
        let seeds = [0, 1, 2, 3, 4, 5].map(|page| (page, Rank::of_score(1.0)));
        pair.run(&Step::Seed(0, seeds.to_vec()));
        pair.probe_hosts();
        pair.run(&Step::Commit);
        for step in &steps {
            pair.run(step);
            pair.compare(step);
        }
        Ok(())
    });
    if let Err(fault) = outcome {
        panic!("{fault}");
    }
}
