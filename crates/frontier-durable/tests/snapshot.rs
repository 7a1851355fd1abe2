//! A frontier that is opened from a copy of its entries is the same as one that is read from its store.

#![allow(clippy::unwrap_used)] // the lint exempts test functions, but not what they call

use std::fs;
use std::path::Path;

use scenthound_frontier::{End, Frontier, HostEffect, HostPolicy, Next, Settled};
use scenthound_frontier_contract::{Harness, frontier_contract, restart_contract};
use scenthound_frontier_durable::{DurableFrontier, open, save_snapshot};
use scenthound_types::{CanonicalUrl, Keyring, Merge, Offer, Rank, StateDelta, Timestamp, Update};
use tempfile::TempDir;

/// Leaves a copy of its entries whenever it is closed, as far as everything is committed and nothing is leased.
struct Copied {
    /// `None` only while it is being reopened.
    frontier: Option<DurableFrontier>,
    policy: HostPolicy,
    keyring: Keyring,
    folder: TempDir,
}

impl Harness for Copied {
    type F = DurableFrontier;
    const SURVIVES: bool = true;
    const CASES: u32 = 64;

    fn fresh(policy: HostPolicy, keyring: Keyring) -> Copied {
        let folder = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap();
        let frontier = open(folder.path(), policy.clone(), keyring, Timestamp::ZERO).unwrap();
        Copied {
            frontier: Some(frontier),
            policy,
            keyring,
            folder,
        }
    }

    fn frontier(&mut self) -> &mut DurableFrontier {
        self.frontier.as_mut().unwrap()
    }

    fn restart(&mut self, now: Timestamp) {
        let saved = save_snapshot(self.frontier()).unwrap();
        assert!(!saved || self.folder.path().join("SNAPSHOT").exists());
        self.frontier = None;
        let again = open(self.folder.path(), self.policy.clone(), self.keyring, now);
        self.frontier = Some(again.unwrap());
    }
}

frontier_contract!(Copied);
restart_contract!(Copied);

const KEYS: u64 = 1;

fn offer(number: u64) -> Offer {
    let spelled = format!("http://host-{}.example/{number}", number % 7);
    let url = CanonicalUrl::from_canonical(&spelled).unwrap();
    Offer {
        key: Keyring::new(KEYS).key(&url),
        url,
        rank: Rank::of_score((number * 7919 % 1009) as f64),
        merge: Merge::Max,
    }
}

fn opened(folder: &Path) -> DurableFrontier {
    open(
        folder,
        HostPolicy::instant(),
        Keyring::new(KEYS),
        Timestamp::from_millis(1),
    )
    .unwrap()
}

/// Fetches so many pages, each with two links to new pages, and returns what was fetched in order.
fn fetch(frontier: &mut DurableFrontier, pages: u64) -> Vec<String> {
    let mut order = Vec::new();
    // Later than whatever was fetched before.
    let start = 1_000 * frontier.counts().known;
    for page in 0..pages {
        let now = Timestamp::from_millis(start + page);
        let Next::Fetch(leases) = frontier.take_many(1, now).unwrap() else {
            break;
        };
        order.push(leases[0].url.to_string());
        let known = frontier.counts().known;
        let updates = [Update::Offer(offer(known)), Update::Offer(offer(known + 1))];
        let settled = Settled {
            lease: &leases[0],
            end: End::Fetched { relevance: 0.5 },
            host_effect: HostEffect::Asked,
            updates: &updates,
            links: &[],
            rules: None,
            sitemaps: &[],
            requisites: &[],
        };
        frontier.settle(settled, now).unwrap();
    }
    order
}

/// A frontier of a few hundred URLs, of which some were fetched, closed with a copy of its entries.
fn closed_with_copy() -> TempDir {
    let folder = TempDir::new().unwrap();
    let mut frontier = opened(folder.path());
    let seeds: Vec<Offer> = (0..300).map(offer).collect();
    frontier.seed(&seeds, Timestamp::ZERO).unwrap();
    fetch(&mut frontier, 100);
    assert!(
        !save_snapshot(&mut frontier).unwrap(),
        "not everything is committed"
    );
    frontier.commit(&StateDelta::default()).unwrap();
    assert!(save_snapshot(&mut frontier).unwrap());
    folder
}

#[test]
fn the_order_of_visits_is_the_same_with_and_without_the_copy() {
    let folder = closed_with_copy();
    let with = fetch(&mut opened(folder.path()), 200);
    fs::remove_file(folder.path().join("SNAPSHOT")).unwrap();
    let without = fetch(&mut opened(folder.path()), 200);
    assert_eq!(with.len(), 200);
    assert_eq!(with, without);
}

#[test]
fn a_damaged_copy_is_passed_over() {
    let folder = closed_with_copy();
    let path = folder.path().join("SNAPSHOT");
    let whole = fs::read(&path).unwrap();
    let expected = fetch(&mut opened(folder.path()), 50);
    assert_eq!(expected.len(), 50);
    for at in (0..whole.len()).step_by(997).chain([whole.len() - 1]) {
        let mut flipped = whole.clone();
        flipped[at] ^= 16;
        fs::write(&path, flipped).unwrap();
        assert_eq!(fetch(&mut opened(folder.path()), 50), expected, "byte {at}");
    }
    for length in [0, 30, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        assert_eq!(fetch(&mut opened(folder.path()), 50), expected, "{length} bytes");
    }
}

#[test]
fn a_copy_of_an_earlier_commit_is_not_read() {
    let folder = closed_with_copy();
    let path = folder.path().join("SNAPSHOT");
    let stale = fs::read(&path).unwrap();
    let mut frontier = opened(folder.path());
    fetch(&mut frontier, 20);
    frontier.commit(&StateDelta::default()).unwrap();
    assert!(!path.exists(), "the first commit makes it stale");
    let counts = frontier.counts();
    drop(frontier);
    fs::write(&path, stale).unwrap();
    assert_eq!(opened(folder.path()).counts().known, counts.known);
}
