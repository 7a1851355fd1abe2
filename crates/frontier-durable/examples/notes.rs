//! Measures what notes of waiting links cost as the frontier grows: `cargo run --release --example notes -- FOLDER [URLS]…`.
//!
//! The frontier grows to each of these numbers of known URLs in turn (1,000,000 if none is given), every link with a note, as the
//! default strategy keeps them. At each, pages are settled as a crawl by that strategy settles them: thirty links of which ten are
//! new, the notes of the others are read and all are written, and a hundred links are scored again. Prints the CPU time per page,
//! of this thread and of the process with the threads of the store, and memory and disk space. At the last size half of the links
//! then go to the disk, and it prints how long that took and how much memory is left.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    missing_docs
)] // a bench reads the clock

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use scenthound_frontier::{End, Frontier, HostEffect, HostPolicy, Next, Settled};
use scenthound_frontier_durable::{DurableFrontier, open};
use scenthound_types::{
    AgentId, CanonicalUrl, Keyring, Lease, Merge, Offer, Rank, Standing, StateDelta, Timestamp, Update,
    UrlKey, WaitingLink,
};

/// The allocator of the program, because what it gives back to the system is part of the measurement.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const HOSTS: u64 = 20_000;
const LINKS: u64 = 30;
const NEW: u64 = 10;
/// Links scored again after each page.
const RESCORED: usize = 100;
/// Pages per commit.
const TOGETHER: usize = 4;
/// As long as the notes of the default strategy are.
const NOTE: usize = 90;

/// The number behind a name in one of the files about this process.
fn proc_number(file: &str, name: &str) -> u64 {
    let text = fs::read_to_string(file).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok())
        .unwrap_or_default()
}

/// CPU seconds of this thread, and of the process.
fn cpu() -> [f64; 2] {
    let facts = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = facts.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<f64>().ok());
    [
        proc_number("/proc/thread-self/schedstat", "") as f64 / 1e9,
        ticks.sum::<f64>() / 100.0,
    ]
}

fn memory() -> f64 {
    let of = |name| proc_number("/proc/self/status", name) as f64 / 1e3;
    of("RssAnon:")
}

fn disk(folder: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let Ok(items) = fs::read_dir(folder) else { return 0 };
    items
        .flatten()
        .map(|item| match item.metadata() {
            Ok(meta) if meta.is_dir() => disk(&item.path()),
            Ok(meta) => meta.blocks() * 512,
            Err(_) => 0,
        })
        .sum()
}

struct Filler {
    frontier: DurableFrontier,
    keyring: Keyring,
    known: u64,
    random: u64,
    now: u64,
    pages: u64,
    /// What reading notes has come to, so that nothing of it is left out.
    seen: usize,
}

impl Filler {
    fn next_random(&mut self) -> u64 {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.random >> 33
    }

    fn offer(&self, number: u64) -> Offer {
        let host = number % HOSTS;
        let spelled = format!(
            "http://www.host-{host}.example/section-{}/{number}.html",
            number % 97
        );
        let url = CanonicalUrl::from_canonical(&spelled).unwrap();
        Offer {
            key: self.keyring.key(&url),
            url,
            rank: Rank::of_score((number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44) as f64 / 1e6),
            merge: Merge::Replace,
        }
    }

    /// Offers with their notes, made before the clock starts.
    fn updates(&mut self, new: u64, known: u64) -> Vec<Update> {
        let mut updates = Vec::new();
        for at in 0..new + known {
            let number = if at < new {
                self.known + at
            } else {
                self.next_random() % self.known.max(1)
            };
            let offer = self.offer(number);
            let mut note = [0; NOTE];
            for (byte, at) in note.iter_mut().zip(0_u64..) {
                // Half of it is the same for all, as in notes of a crawl.
                *byte = if at < NOTE as u64 / 2 {
                    (number.wrapping_mul(at * 2 + 1) >> 3) as u8
                } else {
                    at as u8
                };
            }
            let of = offer.key;
            updates.push(Update::Offer(offer));
            updates.push(Update::Note {
                of,
                note: note.into(),
            });
        }
        self.known += new;
        updates
    }

    fn lease(&mut self) -> Lease {
        self.now += 1;
        let now = Timestamp::from_millis(self.now);
        match self.frontier.take_many(1, now).unwrap() {
            Next::Fetch(mut leases) => leases.pop().unwrap(),
            _ => panic!("nothing to fetch"),
        }
    }

    fn settle(&mut self, lease: &Lease, updates: &[Update]) {
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
        let now = Timestamp::from_millis(self.now);
        self.frontier.settle(settled, now).unwrap();
    }

    fn commit(&mut self) {
        self.frontier.commit(&StateDelta::default()).unwrap();
    }

    fn grow(&mut self, to: u64) {
        if self.known == 0 {
            let seeds: Vec<Offer> = (0..1000).map(|number| self.offer(number)).collect();
            self.known = 1000;
            self.frontier.seed(&seeds, Timestamp::ZERO).unwrap();
            self.commit();
        }
        while self.known < to {
            let updates = self.updates(1000, 0);
            let lease = self.lease();
            self.settle(&lease, &updates);
            self.commit();
        }
    }

    /// One page as a crawl has it.
    fn page(&mut self, updates: &[Update]) {
        let lease = self.lease();
        let note = self.frontier.leased_evidence(&lease).unwrap();
        self.seen += note.map_or(0, |evidence| evidence.note.len());
        let keys: Vec<UrlKey> = updates
            .iter()
            .filter_map(|update| match update {
                Update::Offer(offer) => Some(offer.key),
                _ => None,
            })
            .collect();
        let mut standings = Vec::new();
        self.frontier.standings(&keys, &mut standings);
        let waiting = keys.iter().zip(&standings);
        let waiting: Vec<UrlKey> = waiting
            .filter(|(_, standing)| **standing == Standing::Waiting)
            .map(|(key, _)| *key)
            .collect();
        for key in waiting {
            let known = self.frontier.evidence(AgentId::default(), key).unwrap();
            self.seen += known.map_or(0, |evidence| evidence.note.len());
        }
        self.settle(&lease, updates);
        self.pages += 1;
        let (mut seen, pages) = (0, self.pages);
        let mut rescore = |link: &WaitingLink<'_>| {
            seen += link.evidence.note.len();
            let score = link.rank.score.get() + if pages.is_multiple_of(2) { 1e-3 } else { -1e-3 };
            Some(Rank::of_score(score))
        };
        let now = Timestamp::from_millis(self.now);
        let agent = AgentId::default();
        if !self.frontier.freshen(agent, RESCORED, &mut rescore, now).unwrap() {
            self.frontier.open_epoch(agent);
        }
        self.seen += seen;
        if self.pages.is_multiple_of(TOGETHER as u64) {
            self.commit();
        }
    }

    /// CPU ms per page of this thread and of the process.
    fn measure(&mut self, pages: usize) -> [f64; 2] {
        let (mut spent, mut left) = ([0.0; 2], pages);
        while left > 0 {
            let chunk = left.min(500);
            left -= chunk;
            let made: Vec<Vec<Update>> = (0..chunk).map(|_| self.updates(NEW, LINKS - NEW)).collect();
            let before = cpu();
            for updates in &made {
                self.page(updates);
            }
            let after = cpu();
            for (spent, (after, before)) in spent.iter_mut().zip(after.iter().zip(before)) {
                *spent += (after - before) * 1e3 / pages as f64;
            }
        }
        spent
    }
}

fn main() {
    let mut arguments = std::env::args_os().skip(1);
    let folder = arguments.next().map(PathBuf::from).unwrap();
    let mut sizes: Vec<u64> = arguments
        .filter_map(|number| number.to_str()?.parse().ok())
        .collect();
    if sizes.is_empty() {
        sizes.push(1_000_000);
    }
    let keyring = Keyring::new(1);
    let mut filler = Filler {
        frontier: open(&folder, HostPolicy::instant(), keyring, Timestamp::ZERO).unwrap(),
        keyring,
        known: 0,
        random: 42,
        now: 0,
        pages: 0,
        seen: 0,
    };
    println!("known URLs   pages   CPU ms per page: thread, process   memory MB   disk B per URL");
    for urls in sizes {
        filler.grow(urls);
        for pages in [2_000, 10_000, 10_000] {
            let [thread, process] = filler.measure(pages);
            println!(
                "{:>10} {pages:>7} {thread:>24.3} {process:>8.3} {:>11.0} {:>16.0}",
                filler.known,
                memory(),
                disk(&folder) as f64 / filler.known as f64
            );
        }
    }
    let half = filler.frontier.counts().waiting / 2;
    let of_frontier = |filler: &Filler| filler.frontier.bytes_in_memory() as f64 / 1e6;
    println!("half of the links go to the disk: {half}");
    println!(
        "before: {:.0} MB, of which the frontier takes {:.0}",
        memory(),
        of_frontier(&filler)
    );
    let (began, before, mut longest) = (Instant::now(), cpu(), 0.0_f64);
    let mut moved = 0;
    while moved < half {
        let batch = Instant::now();
        let now = Timestamp::from_millis(filler.now);
        match filler.frontier.spill(half - moved, now).unwrap() {
            0 => break,
            links => moved += links,
        }
        filler.commit();
        longest = longest.max(batch.elapsed().as_secs_f64());
    }
    let after = cpu();
    println!(
        "{moved} links in {:.1} s, the longest batch in {longest:.2} s; CPU s: {:.1} of this thread, {:.1} of all",
        began.elapsed().as_secs_f64(),
        after[0] - before[0],
        after[1] - before[1],
    );
    println!(
        "after: {:.0} MB, of which the frontier takes {:.0}",
        memory(),
        of_frontier(&filler)
    );
    println!("({} bytes of notes were read)", filler.seen);
}
