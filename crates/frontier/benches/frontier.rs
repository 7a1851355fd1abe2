//! Measures the frontier in memory: `cargo bench -p scenthound-frontier`.
//!
//! Times settling pages with 95 links, nine in ten of them already known, and taking with ten million URLs waiting.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    missing_docs
)] // a bench reads the clock

use scenthound_frontier::{End, Frontier, HostEffect, HostPolicy, MemoryFrontier, Next, Settled};
use scenthound_types::{CanonicalUrl, Keyring, Lease, Merge, Offer, Rank, Timestamp, Update};

const LINKS: u64 = 95;

/// CPU seconds used by this thread. On a shared machine, wall-clock time says little.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split_whitespace().next().and_then(|n| n.parse::<u64>().ok());
    nanos.unwrap_or_default() as f64 / 1e9
}

struct Web {
    keyring: Keyring,
    hosts: u64,
    random: u64,
}

impl Web {
    fn next_random(&mut self) -> u64 {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.random >> 33
    }

    fn offer(&mut self, number: u64, merge: Merge) -> Offer {
        let spelled = format!("http://host-{}.example/{number}", number % self.hosts);
        let url = CanonicalUrl::from_canonical(&spelled).unwrap();
        Offer {
            key: self.keyring.key(&url),
            url,
            rank: Rank::of_score(self.next_random() as f64 / f64::from(u32::MAX)),
            merge,
        }
    }

    fn filled(&mut self, urls: u64) -> MemoryFrontier {
        let policy = HostPolicy {
            connections_per_host: 1000,
            ..HostPolicy::instant()
        };
        let mut frontier = MemoryFrontier::new(policy, self.keyring);
        let mut number = 0;
        while number < urls {
            let seeds: Vec<Offer> = (number..(number + 1000).min(urls))
                .map(|number| self.offer(number, Merge::Keep))
                .collect();
            number += seeds.len() as u64;
            frontier.seed(&seeds, Timestamp::ZERO).unwrap();
        }
        frontier
    }
}

fn settle(frontier: &mut MemoryFrontier, lease: &Lease, updates: &[Update]) {
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
    frontier.settle(settled, Timestamp::ZERO).unwrap();
}

fn take(frontier: &mut MemoryFrontier, n: usize) -> Vec<Lease> {
    match frontier.take_many(n, Timestamp::ZERO).unwrap() {
        Next::Fetch(leases) => leases,
        other => panic!("expected waiting URLs, got {other:?}"),
    }
}

fn settling(urls: u64, merge: Merge) {
    const SETTLES: u64 = 10_000;
    const CHUNK: u64 = 50;
    let mut web = Web {
        keyring: Keyring::new(1),
        hosts: 10_000,
        random: 42,
    };
    let mut frontier = web.filled(urls);
    let mut known = urls;
    let mut spent = 0.0;
    for _ in 0..SETTLES / CHUNK {
        let pages: Vec<Vec<Update>> = (0..CHUNK)
            .map(|_| {
                (0..LINKS)
                    .map(|_| {
                        let is_new = web.next_random().is_multiple_of(10);
                        let number = if is_new { known } else { web.next_random() % known };
                        known += u64::from(is_new);
                        Update::Offer(web.offer(number, merge))
                    })
                    .collect()
            })
            .collect();
        let leases = take(&mut frontier, CHUNK as usize);
        let started = cpu();
        for (lease, updates) in leases.iter().zip(&pages) {
            settle(&mut frontier, lease, updates);
        }
        spent += cpu() - started;
        frontier.commit(&Default::default()).unwrap();
    }
    println!(
        "settle, {urls} URLs known, merge {merge:?}: {:.3} CPU µs per link",
        spent * 1e6 / (SETTLES * LINKS) as f64
    );
}

fn taking(urls: u64, hosts: u64, n: usize) {
    const TAKES: usize = 100_000;
    let mut web = Web {
        keyring: Keyring::new(1),
        hosts,
        random: 42,
    };
    let started = cpu();
    let mut frontier = web.filled(urls);
    let filling = cpu() - started;
    let (mut taking, mut settling, mut taken) = (0.0, 0.0, 0);
    while taken < TAKES {
        // Many takes between two readings of the CPU time, because a reading costs as much as a take.
        let started = cpu();
        let mut leases = Vec::new();
        while leases.len() < 256 {
            match frontier.take_many(n, Timestamp::ZERO).unwrap() {
                Next::Fetch(more) => leases.extend(more),
                _ => break,
            }
        }
        taking += cpu() - started;
        let started = cpu();
        for lease in &leases {
            settle(&mut frontier, lease, &[]);
        }
        settling += cpu() - started;
        taken += leases.len();
    }
    println!(
        "take_many({n}), {urls} URLs on {hosts} hosts: {:.2} CPU µs per take, {:.2} per empty settle ({filling:.1} s to fill)",
        taking * 1e6 / taken as f64,
        settling * 1e6 / taken as f64,
    );
}

/// Asks for the richest fetched page, as OTIE does once every few hundred pages.
fn revisiting(urls: u64) {
    const TIMES: u32 = 20;
    let mut web = Web {
        keyring: Keyring::new(1),
        hosts: 10_000,
        random: 42,
    };
    let mut frontier = web.filled(urls);
    // One in ten has been fetched and has gathered cash since.
    let mut fetched = Vec::new();
    while (fetched.len() as u64) < urls / 10 {
        for lease in take(&mut frontier, 1000) {
            settle(&mut frontier, &lease, &[]);
            fetched.push(lease.url);
        }
    }
    let lease = take(&mut frontier, 1).remove(0);
    let gains: Vec<Update> = fetched
        .iter()
        .map(|url| {
            Update::Offer(Offer {
                key: web.keyring.key(url),
                url: url.clone(),
                rank: Rank::of_score(web.next_random() as f64 / f64::from(u32::MAX)),
                merge: Merge::Add,
            })
        })
        .collect();
    settle(&mut frontier, &lease, &gains);
    let mut spent = 0.0;
    for _ in 0..TIMES {
        let lease = take(&mut frontier, 1).remove(0);
        let started = cpu();
        settle(&mut frontier, &lease, &[Update::RevisitRichest]);
        spent += cpu() - started;
    }
    println!(
        "revisit the richest, {urls} URLs known, a tenth of them fetched: {:.2} CPU ms",
        spent * 1e3 / f64::from(TIMES)
    );
}

/// Resident memory of this process.
fn resident() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split_whitespace().nth(1).and_then(|n| n.parse::<u64>().ok());
    pages.unwrap_or_default() as f64 * 4096.0
}

/// Cash flows along links that are not stored: a million known URLs, and page after page linking to them.
fn gathering(urls: u64, pages: usize) {
    let mut web = Web {
        keyring: Keyring::new(1),
        hosts: 10_000,
        random: 42,
    };
    let before = resident();
    let mut frontier = web.filled(urls);
    let known = resident();
    for _ in 0..pages {
        let updates: Vec<Update> = (0..LINKS)
            .map(|_| {
                let number = web.next_random() % urls;
                Update::Offer(web.offer(number, Merge::Add))
            })
            .collect();
        let lease = take(&mut frontier, 1).remove(0);
        settle(&mut frontier, &lease, &updates);
        frontier.commit(&Default::default()).unwrap();
    }
    println!(
        "cash along {} links between {urls} known URLs: {:.0} bytes per URL with its string before, {:.0} after",
        pages as u64 * LINKS,
        (known - before) / urls as f64,
        (resident() - before) / urls as f64,
    );
}

fn main() {
    gathering(1_000_000, 20_000);
    revisiting(1_000_000);
    settling(1_000_000, Merge::Max);
    settling(1_000_000, Merge::Add);
    settling(10_000_000, Merge::Max);
    taking(10_000_000, 10_000, 1);
    taking(10_000_000, 10_000, 64);
    taking(10_000_000, 1, 1);
}
