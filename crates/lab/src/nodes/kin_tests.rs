//! Siblings are raised in every shard as one frontier raises them.

use scenthound_frontier::{End, Frontier, HostEffect, HostPolicy, MemoryFrontier, Recall, Settled};
use scenthound_types::{
    AgentId, CanonicalUrl, Keyring, Lease, LeaseKind, Merge, Offer, Parents, Rank, Timestamp, Update, UrlKey,
};

use super::frontier::NodeFrontier;

const SITES: u64 = 9;
const PAGES: u64 = 5;
const SHARDS: u16 = 8;
const NOW: Timestamp = Timestamp::ZERO;

/// A small generator of its own, so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

fn keyring() -> Keyring {
    Keyring::new(3).by_site()
}

fn url(number: u64) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://s{}.test/{}", number % SITES, number / SITES)).unwrap()
}

fn key(number: u64) -> UrlKey {
    keyring().key(&url(number))
}

fn offer(number: u64) -> Offer {
    Offer {
        url: url(number),
        key: key(number),
        rank: Rank::of_score(0.0),
        merge: Merge::Keep,
    }
}

fn lease(frontier: &mut impl Frontier, number: u64) -> Lease {
    let wanted = Recall {
        agent: AgentId::default(),
        kind: LeaseKind::Page,
        url: &url(number),
        key: key(number),
        parent: None,
        depth: 0,
    };
    frontier.recall(&wanted, NOW).unwrap().unwrap()
}

/// The score of every URL that waits.
fn waiting(frontier: &impl Frontier) -> Vec<(u64, f64)> {
    let score = |number| {
        let priority = frontier.waits_for(AgentId::default(), key(number))?;
        Some((number, priority.rank.score.get()))
    };
    (0..SITES * PAGES).filter_map(score).collect()
}

fn settle(frontier: &mut impl Frontier, number: u64, end: &End, updates: &[Update], links: &[UrlKey]) {
    let lease = lease(frontier, number);
    let settled = Settled {
        lease: &lease,
        end: end.clone(),
        host_effect: HostEffect::Asked,
        updates,
        links,
        rules: None,
        sitemaps: &[],
        requisites: &[],
    };
    frontier.settle(settled, NOW).unwrap();
}

fn deliver(node: &mut NodeFrontier) {
    while !node.outgoing.is_empty() {
        for message in std::mem::take(&mut node.outgoing) {
            node.hear(message, NOW).unwrap();
        }
    }
}

/// One frontier, and one of several shards, both with the first URL as their seed.
fn frontiers(parents: Parents) -> (MemoryFrontier, NodeFrontier) {
    let policy = HostPolicy {
        siblings: true,
        all_parents: parents == Parents::All,
        ..HostPolicy::instant()
    };
    let mut one = MemoryFrontier::new(policy.clone(), keyring());
    let mut node = NodeFrontier::new(policy.clone(), keyring(), SHARDS);
    for shard in 0..SHARDS {
        node.take_up(shard, MemoryFrontier::new(policy.clone(), keyring()), NOW)
            .unwrap();
    }
    let seed_offer = [offer(0)];
    one.seed(&seed_offer, NOW).unwrap();
    node.seed(&seed_offer, NOW).unwrap();
    (one, node)
}

fn compare(seed: u64, parents: Parents, merge: Merge) {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let (mut one, mut node) = frontiers(parents);
    for step in 0.. {
        let expected = waiting(&one);
        assert_eq!(waiting(&node), expected, "seed {seed}, step {step}");
        if expected.is_empty() {
            break;
        }
        let (number, _) = expected[random.below(expected.len() as u64) as usize];
        let links: Vec<u64> = (0..6).map(|_| random.below(SITES * PAGES)).collect();
        let mut updates = vec![Update::RaiseSiblings {
            of: key(number),
            parents,
            rank: Rank::of_score((1 + random.below(8)) as f64),
            merge,
        }];
        updates.extend(links.iter().map(|link| Update::Offer(offer(*link))));
        let links: Vec<UrlKey> = links.into_iter().map(key).collect();
        let end = End::Fetched { relevance: 1.0 };
        settle(&mut one, number, &end, &updates, &links);
        settle(&mut node, number, &end, &updates, &links);
        deliver(&mut node);
    }
}

#[test]
fn siblings_in_other_shards_are_raised_as_on_one_machine() {
    for seed in 1..=60 {
        for parents in [Parents::First, Parents::All] {
            // Adding shows a raise that is lost or made twice.
            for merge in [Merge::Max, Merge::Add, Merge::Replace] {
                compare(seed, parents, merge);
            }
        }
    }
}

/// `hub` links to pages of other shards; one of them redirects to a shard that none of the others is in.
#[test]
fn what_a_redirect_leads_to_in_another_shard_has_the_siblings_of_its_source() {
    let raise = |of: u64, score: f64| Update::RaiseSiblings {
        of: key(of),
        parents: Parents::All,
        rank: Rank::of_score(score),
        merge: Merge::Add,
    };
    let (hub, source, left, right, target) = (0, 1, 2, 3, 4);
    let (mut one, mut node) = frontiers(Parents::All);
    let fetched = End::Fetched { relevance: 1.0 };
    let moved = End::Redirected {
        to: url(target),
        key: key(target),
        merge: Merge::Keep,
    };
    let links = [source, left, right];
    let offers: Vec<Update> = links.iter().map(|link| Update::Offer(offer(*link))).collect();
    let mut both = |number: u64, end: &End, updates: &[Update], links: &[UrlKey]| {
        settle(&mut one, number, end, updates, links);
        settle(&mut node, number, end, updates, links);
        deliver(&mut node);
        // One frontier also finds the source where its target waits.
        let there = |mut all: Vec<(u64, f64)>| {
            all.retain(|(number, _)| *number != source);
            all
        };
        assert_eq!(there(waiting(&node)), there(waiting(&one)), "after {number}");
        there(waiting(&node))
    };
    both(hub, &fetched, &offers, &links.map(key));
    both(source, &moved, &[], &[]);
    let after = both(left, &fetched, &[raise(left, 0.5)], &[]);
    assert_eq!(after, [(right, 0.5), (target, 0.5)]);
    let after = both(target, &fetched, &[raise(target, 0.25)], &[]);
    assert_eq!(after, [(right, 0.75)]);
}
