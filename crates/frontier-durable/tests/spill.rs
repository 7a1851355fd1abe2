//! Links that leave memory for the disk are not lost, whatever happens in between.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::collections::BTreeMap;

use scenthound_frontier::{
    Counts, End, Frontier, HostEffect, HostPolicy, MemoryFrontier, Next, Settled, State, UrlId,
};
use scenthound_frontier_durable::{Peek, open};
use scenthound_types::{
    AgentId, CanonicalUrl, Evidence, Keyring, Lease, Merge, Offer, Rank, StateDelta, Timestamp, Update,
};

const PAGES: u64 = 1_000;

fn keyring() -> Keyring {
    Keyring::new(3)
}

fn mixed(number: u64) -> u64 {
    let mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}

fn offer(page: u64) -> Offer {
    let spelled = format!("http://h{}.test/{page}", page % 13);
    let url = CanonicalUrl::from_canonical(&spelled).unwrap();
    Offer {
        key: keyring().key(&url),
        url,
        rank: Rank::of_score((mixed(page) % 1_000) as f64),
        merge: Merge::Max,
    }
}

/// The links of a page: some pages are linked from many, and every page from at least one.
fn links(page: u64) -> Vec<Update> {
    let children = (4 * page + 1..=4 * page + 4).filter(|child| *child < PAGES);
    let others = (0..6).map(|n| mixed(page * 7 + n) % PAGES);
    children
        .chain(others)
        .map(|target| Update::Offer(offer(target)))
        .collect()
}

fn settle(frontier: &mut impl Frontier, lease: &Lease, updates: &[Update], now: Timestamp) {
    let settled = Settled {
        lease,
        end: End::Fetched { relevance: 0.5 },
        host_effect: HostEffect::Asked,
        updates,
        links: &[],
        rules: None,
        sitemaps: &[],
        requisites: &[],
    };
    frontier.settle(settled, now).unwrap();
}

/// Fetches the next page, if there is one, and returns its number and rank.
fn fetch(frontier: &mut impl Frontier, now: Timestamp) -> Option<(u64, Rank)> {
    let Next::Fetch(leases) = frontier.take_many(1, now).unwrap() else {
        return None;
    };
    let lease = &leases[0];
    let page: u64 = lease.url.path().trim_start_matches('/').parse().unwrap();
    let mut updates = links(page);
    // A note on a link comes back with it.
    let noted: Vec<Update> = (updates.iter())
        .filter_map(|update| match update {
            Update::Offer(offer) => Some(Update::Note {
                of: offer.key,
                note: offer.url.as_str().as_bytes().into(),
            }),
            _ => None,
        })
        .collect();
    updates.extend(noted);
    let evidence = frontier.leased_evidence(lease).unwrap();
    if page > 0 {
        assert_eq!(
            evidence,
            Some(Evidence::of_note(lease.url.as_str().as_bytes())),
            "{page}"
        );
    }
    settle(frontier, lease, &updates, now);
    Some((page, lease.taken.rank))
}

fn fetches_everything_once(mut frontier: impl Frontier) {
    let mut seen = BTreeMap::new();
    frontier.seed(&[offer(0)], Timestamp::ZERO).unwrap();
    let mut moved = 0;
    for step in 1.. {
        let now = Timestamp::from_millis(step);
        if step % 40 == 0 {
            moved += frontier.spill(100, now).unwrap();
        }
        frontier.commit(&StateDelta::default()).unwrap();
        let Some((page, _)) = fetch(&mut frontier, now) else {
            break;
        };
        *seen.entry(page).or_insert(0) += 1;
    }
    assert!(moved > 300, "{moved}");
    assert_eq!(frontier.counts().on_disk, 0);
    assert!(seen.values().all(|times| *times == 1), "none is fetched twice");
    assert_eq!(seen.len() as u64, PAGES);
}

#[test]
fn every_page_is_fetched_once_although_links_leave_memory_again_and_again() {
    fetches_everything_once(MemoryFrontier::new(HostPolicy::instant(), keyring()));
    let folder = tempfile::tempdir().unwrap();
    fetches_everything_once(open(folder.path(), HostPolicy::instant(), keyring(), Timestamp::ZERO).unwrap());
}

#[test]
fn more_links_than_go_at_once_go_one_batch_after_the_other_and_free_their_memory() {
    let mut frontier = MemoryFrontier::new(HostPolicy::instant(), keyring());
    frontier.seed(&[offer(0)], Timestamp::ZERO).unwrap();
    let now = Timestamp::from_millis(1);
    let Next::Fetch(leases) = frontier.take_many(1, now).unwrap() else {
        panic!("the seed waits");
    };
    let updates: Vec<Update> = (1..200_000).map(|page| Update::Offer(offer(page))).collect();
    settle(&mut frontier, &leases[0], &updates, now);
    let before = frontier.memory();
    let batches: Vec<u64> = (0..2).map(|_| frontier.spill(150_000, now).unwrap()).collect();
    let moved: u64 = batches.iter().sum();
    assert!(
        batches[0] < 140_000 && (140_000..=150_000).contains(&moved),
        "{batches:?}"
    );
    assert_eq!(frontier.counts().on_disk, moved);
    assert_eq!(frontier.counts().waiting + moved, 199_999);
    assert!(frontier.memory() * 2 < before, "{before} {}", frontier.memory());
}

#[test]
fn the_worst_links_go_and_the_best_come_back_first() {
    let mut frontier = MemoryFrontier::new(HostPolicy::instant(), keyring());
    // A seed never leaves memory, so the others are links of its page.
    frontier.seed(&[offer(0)], Timestamp::ZERO).unwrap();
    let now = Timestamp::from_millis(1);
    let Next::Fetch(leases) = frontier.take_many(1, now).unwrap() else {
        panic!("the seed waits");
    };
    let updates: Vec<Update> = (1..2_000).map(|page| Update::Offer(offer(page))).collect();
    settle(&mut frontier, &leases[0], &updates, now);
    let moved = frontier.spill(1_000, now).unwrap();
    assert!((800..=1_000).contains(&moved), "{moved}");
    assert_eq!(frontier.counts().on_disk, moved);
    assert_eq!(frontier.counts().waiting + moved, 1_999);
    let waiting: Vec<Rank> = (1..2_000)
        .filter_map(|page| frontier.waits_for(AgentId::default(), offer(page).key))
        .map(|priority| priority.rank)
        .collect();
    // A frontier that takes the place of this one has the others too.
    let mut next = MemoryFrontier::new(HostPolicy::instant(), keyring());
    next.inherit(&frontier, now).unwrap();
    assert_eq!(next.counts().waiting, 1_999);
    let worst = waiting.iter().min().unwrap().score.get();
    assert!(
        worst > 300.0,
        "about half of the ranks up to 1,000 are left: {worst}"
    );
}

/// Every link that waits is found, in memory or on the disk.
fn explains_links_on_the_disk(peek: &Peek, counts: &Counts) {
    let urls: Vec<CanonicalUrl> = (0..PAGES).map(|page| offer(page).url).collect();
    let found = peek.look_up(&urls.iter().collect::<Vec<_>>()).unwrap();
    let waiting = found
        .urls
        .iter()
        .flatten()
        .filter(|(_, facts)| facts.state == State::Waiting);
    let (on_disk, in_memory): (Vec<_>, Vec<_>) = waiting.partition(|(id, _)| *id == UrlId::NONE);
    assert_eq!(in_memory.len() as u64, counts.waiting);
    // One that was found again since it left memory is known by its new entry.
    assert!(on_disk.len() as u64 <= counts.on_disk);
    assert_eq!(on_disk.is_empty(), counts.on_disk == 0);
}

#[test]
fn what_was_committed_comes_back_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let reopen = |now| open(folder.path(), HostPolicy::instant(), keyring(), now).unwrap();
    let mut seen = BTreeMap::new();
    let mut step = 1;
    let mut frontier = reopen(Timestamp::ZERO);
    frontier.seed(&[offer(0)], Timestamp::ZERO).unwrap();
    'all: loop {
        for _ in 0..50 {
            step += 1;
            let now = Timestamp::from_millis(step);
            if step % 40 == 0 {
                frontier.spill(100, now).unwrap();
            }
            let Some((page, _)) = fetch(&mut frontier, now) else {
                break 'all;
            };
            frontier.commit(&StateDelta::default()).unwrap();
            *seen.entry(page).or_insert(0) += 1;
        }
        // Uncommitted: one more page, and links that went to the disk or came back.
        let now = Timestamp::from_millis(step);
        fetch(&mut frontier, now);
        frontier.spill(50, now).unwrap();
        drop(frontier);
        let peek = Peek::open(folder.path(), keyring(), now).unwrap();
        let peeked = peek.counts(now).unwrap();
        explains_links_on_the_disk(&peek, &peeked);
        drop(peek);
        frontier = reopen(now);
        assert_eq!(frontier.counts().on_disk, peeked.on_disk);
        assert_eq!(frontier.counts().waiting, peeked.waiting);
    }
    assert!(seen.values().all(|times| *times == 1), "none is fetched twice");
    assert_eq!(seen.len() as u64, PAGES);
}
