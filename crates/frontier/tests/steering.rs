//! What people ask of hosts: blocking keeps what waits, boosting changes the order and no rank, and a survey shows both.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::time::Duration;

use scenthound_frontier::{
    End, Frontier, HostEffect, HostPlace, HostPolicy, HostSteering, MemoryFrontier, Next, Settled,
};
use scenthound_types::{CanonicalUrl, Keyring, Merge, Offer, Rank, Timestamp};

const NOW: Timestamp = Timestamp::from_millis(1_000_000);

fn offer(keyring: Keyring, url: &str, score: f64) -> Offer {
    let url = CanonicalUrl::parse(url).unwrap();
    Offer {
        key: keyring.key(&url),
        url,
        rank: Rank::of_score(score),
        merge: Merge::Keep,
    }
}

fn frontier(policy: HostPolicy) -> MemoryFrontier {
    let keyring = Keyring::new(7);
    let mut frontier = MemoryFrontier::new(policy, keyring);
    let seeds = [
        offer(keyring, "http://a.test/1", 0.9),
        offer(keyring, "http://b.test/1", 0.5),
        offer(keyring, "http://sub.b.test/1", 0.4),
        offer(keyring, "http://c.test/1", 0.1),
    ];
    frontier.seed(&seeds, NOW).unwrap();
    frontier
}

fn hosts(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Takes everything there is, one by one.
fn drain(frontier: &mut MemoryFrontier) -> Vec<String> {
    let mut order = Vec::new();
    while let Next::Fetch(leases) = frontier.take_many(1, NOW).unwrap() {
        for lease in leases {
            order.push(lease.url.host().to_owned());
            let settled = Settled {
                lease: &lease,
                end: End::Fetched { relevance: 0.0 },
                host_effect: HostEffect::Asked,
                updates: &[],
                links: &[],
                rules: None,
                sitemaps: &[],
                requisites: &[],
            };
            frontier.settle(settled, NOW).unwrap();
        }
    }
    order
}

#[test]
fn a_blocked_host_and_those_below_it_wait_until_they_are_released() {
    let mut frontier = frontier(HostPolicy::instant());
    let block = HostSteering {
        blocked: hosts(&["b.test"]),
        ..HostSteering::default()
    };
    frontier.steer(block, NOW);
    assert_eq!(drain(&mut frontier), ["a.test", "c.test"]);
    assert_eq!(frontier.counts().waiting, 2);
    let survey = frontier.survey(10);
    assert_eq!(survey.places.get("blocked"), Some(&2));
    assert!(survey.hosts.iter().all(|host| host.place == HostPlace::Blocked));
    frontier.steer(HostSteering::default(), NOW);
    assert_eq!(drain(&mut frontier), ["b.test", "sub.b.test"]);
}

#[test]
fn a_host_that_is_found_after_it_was_blocked_is_blocked_too() {
    let mut frontier = frontier(HostPolicy::instant());
    let block = HostSteering {
        blocked: hosts(&["late.test"]),
        ..HostSteering::default()
    };
    frontier.steer(block, NOW);
    let late = offer(Keyring::new(7), "http://late.test/", 1.0);
    frontier.seed(&[late], NOW).unwrap();
    assert!(!drain(&mut frontier).contains(&"late.test".to_owned()));
}

#[test]
fn a_boosted_host_comes_first_and_keeps_its_scores() {
    let mut frontier = frontier(HostPolicy::instant());
    let url = CanonicalUrl::parse("http://c.test/1").unwrap();
    let rank = |frontier: &MemoryFrontier| frontier.look_up(&url).unwrap().unwrap().priority.rank;
    let before = rank(&frontier);
    let boost = HostSteering {
        boosted: hosts(&["c.test"]),
        ..HostSteering::default()
    };
    frontier.steer(boost, NOW);
    assert_eq!(rank(&frontier), before);
    assert_eq!(drain(&mut frontier), ["c.test", "a.test", "b.test", "sub.b.test"]);
}

#[test]
fn a_changed_delay_counts_from_the_next_request_and_the_usual_one_comes_back() {
    let policy = HostPolicy {
        delay: Duration::from_secs(1),
        robots: false,
        ..HostPolicy::default()
    };
    let mut frontier = frontier(policy);
    frontier.steer(
        HostSteering {
            delay: Some(Duration::from_secs(30)),
            ..HostSteering::default()
        },
        NOW,
    );
    drain(&mut frontier);
    let rests = |frontier: &MemoryFrontier| {
        let url = CanonicalUrl::parse("http://a.test/1").unwrap();
        let facts = frontier.look_up(&url).unwrap().unwrap();
        facts.host_rests_until.since(NOW)
    };
    assert_eq!(rests(&frontier), Duration::from_secs(30));
    frontier.steer(HostSteering::default(), NOW);
    let again = offer(Keyring::new(7), "http://a.test/2", 1.0);
    frontier.seed(&[again], NOW).unwrap();
    let later = NOW + Duration::from_secs(31);
    assert!(matches!(frontier.take_many(1, later).unwrap(), Next::Fetch(_)));
}

#[test]
fn a_survey_counts_what_waits_by_score_and_by_host() {
    let frontier = frontier(HostPolicy::instant());
    let survey = frontier.survey(2);
    assert_eq!(survey.hosts.len(), 2);
    assert_eq!(survey.bins.iter().sum::<u64>(), 4);
    let (lowest, highest) = survey.scores.unwrap();
    assert!((lowest - 0.1).abs() < 1e-9 && (highest - 0.9).abs() < 1e-9);
    assert_eq!(survey.places.get("ready"), Some(&4));
}
