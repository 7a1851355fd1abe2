//! Looking up single URLs in a store says the same as the frontier that the store holds.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may panic, and takes only some of the steps' functions"
)]

mod steps;

use scenthound_frontier::{Frontier, State, UrlFacts};
use scenthound_frontier_durable::{Peek, open, open_read_only};
use scenthound_types::{CanonicalUrl, Timestamp};
use steps::{keyring, pages, policy, take_step};

#[test]
fn peeking_says_what_the_frontier_says() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("state");
    let mut frontier = open(&folder, policy(), keyring(), Timestamp::ZERO).unwrap();
    for step in 1..=60 {
        take_step(&mut frontier, step);
    }
    drop(frontier);
    let now = Timestamp::from_millis(10_000);
    let unknown = CanonicalUrl::parse("http://h0.test/nobody-links-here").unwrap();
    let urls: Vec<CanonicalUrl> = pages().chain([unknown]).collect();
    let frontier = open_read_only(&folder, policy(), keyring(), now).unwrap();
    let expected: Vec<_> = urls.iter().map(|url| frontier.look_up(url).unwrap()).collect();
    let (counts, unit) = (frontier.counts(), frontier.unit());
    drop(frontier);

    let states = |wanted: State| {
        let facts = expected.iter().flatten();
        facts.filter(|facts| facts.state == wanted).count()
    };
    assert!(states(State::Waiting) > 100 && states(State::Fetched) > 10 && states(State::Gone) > 1);
    let peek = Peek::open(&folder, keyring(), now).unwrap();
    let peeked = peek.look_up(&urls.iter().collect::<Vec<_>>()).unwrap();
    assert_eq!(peeked.waiting, counts.waiting);
    let peeked_counts = peek.counts(now).unwrap();
    assert_eq!(
        (
            peeked_counts.known,
            peeked_counts.waiting,
            peeked_counts.hosts,
            peeked_counts.expired
        ),
        (counts.known, counts.waiting, counts.hosts, counts.expired)
    );
    assert!(
        peeked_counts.hosts_resting <= counts.hosts_resting,
        "none rests from now on"
    );
    assert_eq!(peek.unit().unwrap(), unit);
    assert_eq!(peek.notes("step").unwrap().len(), 1);
    for ((url, expected), peeked) in urls.iter().zip(expected).zip(peeked.urls) {
        // A frontier that is opened lets every host rest from then on, because it may be about to ask it.
        let from_now = |mut facts: UrlFacts| {
            facts.host_rests_until = facts.host_rests_until.max(now);
            facts
        };
        let facts = peeked.map(|(_, facts)| from_now(facts));
        assert_eq!(facts, expected.map(from_now), "{url}");
    }
}
