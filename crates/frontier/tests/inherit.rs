//! A rebuilt frontier takes over what the records do not show.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::time::Duration;

use scenthound_frontier::{
    Ask, End, Frontier, HostEffect, HostPolicy, HostRules, Inherited, MemoryFrontier, Next, Recall, Settled,
    State,
};
use scenthound_types::{
    AgentId, CanonicalUrl, Evidence, Keyring, Lease, LeaseKind, Merge, Offer, Rank, Timestamp, Update, UrlKey,
};

fn keys() -> Keyring {
    Keyring::new(3)
}

fn url(name: &str) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://{name}")).unwrap()
}

fn key(name: &str) -> UrlKey {
    keys().key(&url(name))
}

fn offer(name: &str, score: f64) -> Offer {
    Offer {
        url: url(name),
        key: key(name),
        rank: Rank::of_score(score),
        merge: Merge::Max,
    }
}

fn at(seconds: u64) -> Timestamp {
    Timestamp::ZERO + Duration::from_secs(seconds)
}

fn take(frontier: &mut MemoryFrontier, now: Timestamp) -> Lease {
    match frontier.take_many(1, now).unwrap() {
        Next::Fetch(mut leases) => leases.remove(0),
        other => panic!("{other:?}"),
    }
}

fn settle(
    frontier: &mut MemoryFrontier,
    lease: &Lease,
    end: End,
    host_effect: HostEffect,
    links: &[Offer],
    now: Timestamp,
) {
    let updates: Vec<Update> = links.iter().cloned().map(Update::Offer).collect();
    let rules = (lease.kind == LeaseKind::Robots).then(|| HostRules {
        bytes: b"rules".to_vec(),
        fresh_until: at(9_000),
        crawl_delay: Some(Duration::from_secs(7)),
    });
    let settled = Settled {
        lease,
        end,
        host_effect,
        updates: &updates,
        links: &[],
        rules,
        sitemaps: &[],
        requisites: &[],
    };
    frontier.settle(settled, now).unwrap();
}

/// `a.test` gave its rules and a page, then failed; `a.test/2` is due for another try.
fn old() -> MemoryFrontier {
    let mut frontier = MemoryFrontier::new(HostPolicy::default(), keys());
    frontier.seed(&[offer("a.test/1", 1.0)], at(0)).unwrap();
    let robots = take(&mut frontier, at(0));
    settle(&mut frontier, &robots, End::Gone, HostEffect::Asked, &[], at(0));
    let page = take(&mut frontier, at(100));
    let links = [
        offer("a.test/2", 0.6),
        offer("b.test/1", 0.4),
        offer("b.test/2", 0.2),
    ];
    settle(
        &mut frontier,
        &page,
        End::Fetched { relevance: 0.75 },
        HostEffect::Asked,
        &links,
        at(100),
    );
    let failing = take(&mut frontier, at(200));
    settle(
        &mut frontier,
        &failing,
        End::Retry,
        HostEffect::Failed,
        &[],
        at(200),
    );
    frontier
}

#[test]
fn an_empty_frontier_becomes_what_the_old_one_was() {
    let old = old();
    let mut new = MemoryFrontier::new(HostPolicy::default(), keys());
    let inherited = new.inherit(&old, at(200)).unwrap();
    assert_eq!(
        inherited,
        Inherited {
            waiting: 3,
            settled: 1
        }
    );
    assert_eq!(new.counts().known, old.counts().known);
    assert_eq!(new.counts().waiting, old.counts().waiting);
    for name in ["a.test/1", "a.test/2", "b.test/1", "b.test/2"] {
        let (ours, theirs) = (
            new.look_up(&url(name)).unwrap().unwrap(),
            old.look_up(&url(name)).unwrap().unwrap(),
        );
        assert_eq!(ours, theirs, "{name}");
    }
    assert_eq!(
        new.rules(&url("a.test/1")).unwrap().as_deref(),
        Some(&b"rules"[..])
    );
    // The longer rest after the failure still applies.
    let facts = new.look_up(&url("a.test/2")).unwrap().unwrap();
    assert!(
        facts.host_rests_until > at(209) && facts.host_failures == 1,
        "{facts:?}"
    );
    match new.take_many(9, at(201)).unwrap() {
        Next::Fetch(leases) => assert!(
            leases.iter().all(|lease| lease.url.host() == "b.test"),
            "{leases:?}"
        ),
        other => panic!("{other:?}"),
    }
}

/// Here `a.test/1` is still waiting, and the failing `a.test/2` was given up.
#[test]
fn what_was_settled_does_not_wait_and_what_waited_is_not_gone() {
    let old = old();
    let mut new = MemoryFrontier::new(HostPolicy::default(), keys());
    new.seed(&[offer("a.test/1", 1.0), offer("a.test/2", 0.9)], at(200))
        .unwrap();
    let wanted = Recall {
        agent: AgentId::default(),
        kind: LeaseKind::Page,
        url: &url("a.test/2"),
        key: key("a.test/2"),
        parent: None,
        depth: 0,
    };
    let lease = new.recall(&wanted, at(200)).unwrap().unwrap();
    settle(&mut new, &lease, End::Gone, HostEffect::Asked, &[], at(200));
    assert_eq!(
        new.inherit(&old, at(200)).unwrap(),
        Inherited {
            waiting: 3,
            settled: 1
        }
    );
    let state = |name: &str| new.look_up(&url(name)).unwrap().unwrap().state;
    assert_eq!(state("a.test/1"), State::Fetched);
    assert_eq!(state("a.test/2"), State::Waiting);
    assert_eq!(new.counts().waiting, 3);
}

#[test]
fn the_links_of_a_page_are_those_it_was_first_to_find() {
    let old = old();
    let links: Vec<String> = old
        .links_of(key("a.test/1"))
        .unwrap()
        .iter()
        .map(|url| url.to_string())
        .collect();
    assert_eq!(links, ["http://a.test/2", "http://b.test/1", "http://b.test/2"]);
    assert!(old.links_of(key("nowhere.test/")).unwrap().is_empty());
}

/// `a.test/1` waits for two agents, with evidence for the second; `b.test/1` was fetched by the second.
#[test]
fn claims_and_evidence_of_every_agent_are_taken_over() {
    let second = AgentId(1);
    let mut old = MemoryFrontier::new(HostPolicy::instant(), keys());
    old.seed(&[offer("a.test/1", 0.5), offer("b.test/1", 0.1)], at(0))
        .unwrap();
    old.seed_for(second, &[offer("a.test/1", 0.3), offer("b.test/1", 0.9)], at(0))
        .unwrap();
    let evidence = Evidence::of_words(vec![3, 1], vec![2], vec![]);
    old.keep_evidence(second, key("a.test/1"), &evidence).unwrap();
    let ask = Ask {
        agent: second,
        most: 1,
        highest_class: u16::MAX,
    };
    let Next::Fetch(leases) = old.take_for(ask, at(0)).unwrap() else {
        panic!("expected a lease of b.test/1")
    };
    settle(
        &mut old,
        &leases[0],
        End::Fetched { relevance: 0.5 },
        HostEffect::Asked,
        &[],
        at(0),
    );
    let mut new = MemoryFrontier::new(HostPolicy::instant(), keys());
    new.inherit(&old, at(0)).unwrap();
    let score = |agent, name| {
        let waits = new.waits_for(agent, key(name));
        waits.map(|priority| priority.rank.score.get())
    };
    assert_eq!(score(AgentId(0), "a.test/1"), Some(0.5));
    assert_eq!(score(second, "a.test/1"), Some(0.3));
    assert_eq!(score(second, "b.test/1"), None);
    assert_eq!(new.evidence(second, key("a.test/1")).unwrap(), Some(evidence));
    assert_eq!(new.evidence(AgentId(0), key("a.test/1")).unwrap(), None);
    assert_eq!((new.counts().known, new.counts().waiting), (2, 1));
}
