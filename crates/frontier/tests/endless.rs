//! An endless web: every page links to a hundred pages that have not been seen before.
//!
//! Five million offers in release mode, a hundred thousand in debug mode, where each takes many times as long:
//! `cargo test --release -p scenthound-frontier --test endless -- --nocapture`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may panic, and says what was run"
)]

use scenthound_frontier::{Ask, End, Frontier, HostEffect, HostPolicy, MemoryFrontier, Next, Settled};
use scenthound_types::{AgentId, CanonicalUrl, Keyring, Merge, Offer, Rank, StateDelta, Timestamp, Update};

const LINKS: u64 = 100;
const HOSTS: u64 = 1000;
const OFFERS: u64 = if cfg!(debug_assertions) {
    500_000
} else {
    5_000_000
};
const MOST: u64 = if cfg!(debug_assertions) { 5_000 } else { 100_000 };

fn offer(keyring: Keyring, number: u64) -> Offer {
    let host = number % HOSTS;
    let spelled = format!("http://host-{host}.test/page/{number}");
    let url = CanonicalUrl::from_canonical(&spelled).unwrap();
    let key = keyring.key(&url);
    // Scores in no particular order, so that what is dropped is spread over everything that entered.
    let score = (key.0 >> 11) as f64 / (1_u64 << 53) as f64;
    Offer {
        url,
        key,
        rank: Rank::of_score(score),
        merge: Merge::Max,
    }
}

fn peak_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok())
        .unwrap_or_default()
}

/// Crawls until all offers are made, and checks throughout that only what was fetched keeps growing.
fn crawl(policy: HostPolicy, agents: u8, most: u64) {
    let keyring = Keyring::new(1);
    let mut frontier = MemoryFrontier::new(policy, keyring);
    for agent in 0..agents {
        let seed = offer(keyring, u64::from(agent));
        frontier
            .seed_for(AgentId(agent), &[seed], Timestamp::ZERO)
            .unwrap();
    }
    let (mut next, mut pages, mut largest) = (u64::from(agents), 0, 0);
    while next < OFFERS {
        let ask = Ask {
            agent: AgentId((pages % u64::from(agents)) as u8),
            most: 1,
            highest_class: u16::MAX,
        };
        let now = Timestamp::from_millis(pages * 100);
        let Next::Fetch(leases) = frontier.take_for(ask, now).unwrap() else {
            panic!("an endless web always has more");
        };
        // Every tenth link was seen shortly before, maybe by another agent.
        let numbers = (next..next + LINKS).map(|number| number.saturating_sub(number % 10 / 9 * 150));
        let updates: Vec<Update> = numbers
            .map(|number| Update::Offer(offer(keyring, number)))
            .collect();
        next += LINKS;
        frontier
            .settle(
                Settled {
                    lease: &leases[0],
                    end: End::Fetched { relevance: 0.5 },
                    host_effect: HostEffect::Asked,
                    updates: &updates,
                    links: &[],
                    rules: None,
                    sitemaps: &[],
                    requisites: &[],
                },
                now,
            )
            .unwrap();
        pages += 1;
        if pages % 64 == 0 {
            frontier.commit(&StateDelta::default()).unwrap();
        }
        let counts = frontier.counts();
        assert!(counts.waiting <= most + LINKS, "{counts:?}");
        assert!(counts.known <= most + LINKS + pages, "{counts:?}");
        largest = largest.max(counts.known);
    }
    // An entry takes 40 bytes, its key and its place in the queue about 20, and all of that at most doubled. On top
    // come one open chunk of entries, the log of one commit, and the hosts.
    let live = most + LINKS + 2 * pages;
    let bytes = frontier.bytes_in_memory() as u64;
    assert!(
        bytes < 2 * 60 * live + 1_400_000 + 1000 * HOSTS,
        "{bytes} bytes for {live} entries"
    );
    assert!(
        frontier.storage().len() as u64 <= live,
        "strings are dropped with their URLs"
    );
    println!(
        "{next} offers by {agents} agents, {pages} pages, at most {largest} URLs known, {} dropped, \
         {bytes} bytes in the frontier, process peak so far {} kB",
        frontier.counts().expired,
        peak_memory(),
    );
}

#[test]
fn memory_is_bounded_where_the_worst_are_dropped() {
    let policy = HostPolicy {
        max_waiting: Some(MOST),
        ..HostPolicy::instant()
    };
    crawl(policy, 1, MOST + MOST / 10);
}

#[test]
fn memory_is_bounded_for_several_agents() {
    let policy = HostPolicy {
        max_waiting: Some(MOST),
        agents: 3,
        ..HostPolicy::instant()
    };
    crawl(policy, 3, MOST + MOST / 10);
}

#[test]
fn memory_is_bounded_where_old_urls_are_dropped() {
    // Ten pages per second with a hundred links each.
    let seconds = MOST / 1000;
    let policy = HostPolicy {
        expire_after: Some(std::time::Duration::from_secs(seconds)),
        ..HostPolicy::instant()
    };
    crawl(policy, 1, seconds * 1000 + 2 * LINKS);
}
