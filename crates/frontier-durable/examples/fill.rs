//! Measures the durable frontier as it grows: `cargo run --release --example fill -- [FOLDER] [URLS]…`.
//!
//! The frontier grows to each of these numbers of known URLs in turn (2,000,000 if none is given). At each, every settle brings
//! 95 links, about nine in ten of them known, and the frontier is closed in order and opened again. Prints the time and the bytes
//! written per link for 1, 16 and 64 settles per commit, how long a commit takes, memory and disk space per known URL, and the
//! time to open it all again; at the end a table of it.

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
use scenthound_frontier_durable::{DurableFrontier, open, save_snapshot};
use scenthound_types::{CanonicalUrl, Keyring, Merge, Offer, Rank, StateDelta, Timestamp, Update, UrlKey};

/// The allocator of the program: it asks the system for huge pages, which shows in large tables.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const LINKS: u64 = 95;
const HOSTS: u64 = 10_000;

fn proc_number(file: &str, name: &str) -> u64 {
    let text = fs::read_to_string(file).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok())
        .unwrap_or_default()
}

fn resident() -> u64 {
    proc_number("/proc/self/status", "VmRSS:") * 1024
}

/// Bytes handed to the operating system.
fn written() -> u64 {
    proc_number("/proc/self/io", "wchar:")
}

struct Filler {
    /// None only while it is closed and opened again.
    frontier: Option<DurableFrontier>,
    keyring: Keyring,
    known: u64,
    random: u64,
    now: u64,
    started: Instant,
    /// How long each commit took, in seconds.
    commits: Vec<f64>,
}

impl Filler {
    fn frontier(&mut self) -> &mut DurableFrontier {
        self.frontier.as_mut().unwrap()
    }

    fn next_random(&mut self) -> u64 {
        // A minimal generator of our own: the benchmark needs spread, not quality.
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.random >> 33
    }

    fn url(&self, number: u64) -> (CanonicalUrl, UrlKey) {
        let host = number % HOSTS;
        let spelled = format!("http://www.host-{host}.example/articles/{number}/some-title-of-the-page.html");
        let url = CanonicalUrl::from_canonical(&spelled).unwrap();
        let key = self.keyring.key(&url);
        (url, key)
    }

    /// 95 links, about one in ten new. Made before the clock starts: parsing and canonicalisation are not part of the
    /// measurement.
    fn links(&mut self) -> Vec<Update> {
        (0..LINKS)
            .map(|_| {
                let is_new = self.next_random().is_multiple_of(10);
                let number = if is_new {
                    self.known
                } else {
                    self.next_random() % self.known
                };
                self.known += u64::from(is_new);
                let (url, key) = self.url(number);
                let score = self.next_random() as f64 / f64::from(u32::MAX);
                Update::Offer(Offer {
                    url,
                    key,
                    rank: Rank::of_score(score),
                    merge: Merge::Max,
                })
            })
            .collect()
    }

    /// Time spent in the frontier, by this thread.
    fn settle(&mut self, settles: usize, per_commit: usize) -> Spent {
        let mut spent = Spent::default();
        let mut left = settles;
        while left > 0 {
            let chunk = left.min(per_commit.max(16));
            left -= chunk;
            let pages: Vec<Vec<Update>> = (0..chunk).map(|_| self.links()).collect();
            let start = Spent::so_far(self.started);
            for group in pages.chunks(per_commit) {
                for updates in group {
                    self.settle_one(updates);
                }
                let before = Instant::now();
                self.frontier().commit(&StateDelta::default()).unwrap();
                self.commits.push(before.elapsed().as_secs_f64());
            }
            let end = Spent::so_far(self.started);
            spent.wall += end.wall - start.wall;
            spent.cpu += end.cpu - start.cpu;
        }
        spent
    }

    fn settle_one(&mut self, updates: &[Update]) {
        self.now += 1;
        let now = Timestamp::from_millis(self.now);
        let Next::Fetch(leases) = self.frontier().take_many(1, now).unwrap() else {
            panic!("nothing to fetch");
        };
        let settled = Settled {
            lease: &leases[0],
            end: End::Fetched { relevance: 0.5 },
            host_effect: HostEffect::Asked,
            updates,
            links: &[],
            rules: None,
            sitemaps: &[],
            requisites: &[],
        };
        self.frontier().settle(settled, now).unwrap();
    }
}

/// Wall-clock and CPU seconds. On a shared machine only the second says much.
#[derive(Clone, Copy, Default)]
struct Spent {
    wall: f64,
    cpu: f64,
}

impl Spent {
    fn so_far(started: Instant) -> Spent {
        Spent {
            wall: started.elapsed().as_secs_f64(),
            cpu: proc_number("/proc/thread-self/schedstat", "") as f64 / 1e9,
        }
    }
}

/// Returns CPU µs per link.
fn measure(filler: &mut Filler, settles: usize, per_commit: usize) -> f64 {
    let before = written();
    let spent = filler.settle(settles, per_commit);
    let links = settles as f64 * LINKS as f64;
    println!(
        "{per_commit:3} settles per commit: {:.2} CPU µs per link ({:.2} wall-clock), {:.0} CPU µs per settle, \
         {:.1} bytes written per link ({settles} settles)",
        spent.cpu * 1e6 / links,
        spent.wall * 1e6 / links,
        spent.cpu * 1e6 / settles as f64,
        (written() - before) as f64 / links,
    );
    spent.cpu * 1e6 / links
}

/// The value below which this share of them lies.
fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (values.len() as f64 * share) as usize;
    values
        .get(at.min(values.len().saturating_sub(1)))
        .copied()
        .unwrap_or_default()
}

fn grow(filler: &mut Filler, to: u64) {
    while filler.known < to {
        let from = filler.known;
        let seeds: Vec<Offer> = (from..(from + 1000).min(to))
            .map(|number| {
                let (url, key) = filler.url(number);
                Offer {
                    url,
                    key,
                    rank: Rank::of_score((number * 7919 % 1009) as f64),
                    merge: Merge::Keep,
                }
            })
            .collect();
        filler.known += seeds.len() as u64;
        filler.frontier().seed(&seeds, Timestamp::ZERO).unwrap();
        filler.frontier().commit(&StateDelta::default()).unwrap();
    }
}

fn disk(folder: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let Ok(items) = fs::read_dir(folder) else { return 0 };
    items
        .flatten()
        .map(|item| match item.metadata() {
            Ok(meta) if meta.is_dir() => disk(&item.path()),
            // Blocks, not length: journals are preallocated.
            Ok(meta) => meta.blocks() * 512,
            Err(_) => 0,
        })
        .sum()
}

fn main() {
    let mut arguments = std::env::args_os().skip(1);
    // Hundreds of megabytes: they go to a temporary folder unless one is named.
    let temporary = tempfile::tempdir().unwrap();
    let folder = arguments
        .next()
        .map_or_else(|| temporary.path().join("fill"), PathBuf::from);
    let mut sizes: Vec<u64> = arguments
        .filter_map(|number| number.to_str()?.parse().ok())
        .collect();
    if sizes.is_empty() {
        sizes.push(2_000_000);
    }
    let keyring = Keyring::new(1);
    let policy = HostPolicy::instant();
    let frontier = open(&folder, policy.clone(), keyring, Timestamp::ZERO).unwrap();
    let mut filler = Filler {
        frontier: Some(frontier),
        keyring,
        known: 0,
        random: 42,
        now: 0,
        started: Instant::now(),
        commits: Vec::new(),
    };
    let mut rows = Vec::new();
    for urls in sizes {
        let (before, known) = (Spent::so_far(filler.started), filler.known);
        grow(&mut filler, urls);
        let seeded =
            (Spent::so_far(filler.started).cpu - before.cpu) * 1e6 / (filler.known - known).max(1) as f64;
        println!("{urls} URLs: {seeded:.2} CPU µs to seed one");
        filler.commits.clear();
        let per_link = [(2000, 1), (5000, 16), (5000, 64)]
            .map(|(settles, per_commit)| measure(&mut filler, settles, per_commit));
        let memory = resident();
        let own = filler.frontier().bytes_in_memory();
        let start = Spent::so_far(filler.started);
        assert!(save_snapshot(filler.frontier()).unwrap());
        let end = Spent::so_far(filler.started);
        println!(
            "saved in {:.1} CPU s, {:.1} s",
            end.cpu - start.cpu,
            end.wall - start.wall
        );
        // A closed store has written what was in its memory.
        filler.frontier = None;
        let on_disk = disk(&folder);
        let start = Spent::so_far(filler.started);
        let frontier = open(&folder, policy.clone(), keyring, Timestamp::ZERO).unwrap();
        let end = Spent::so_far(filler.started);
        assert_eq!(frontier.counts().known, filler.known);
        filler.frontier = Some(frontier);
        let known = filler.known as f64;
        rows.push(format!(
            "{:>11} {:>9.0} {:>9.1} {:>9.1} {:>9.1} {:>9.2} {:>9.2} {:>9.2} {:>9.2} {:>9.2} {:>9.1} {:>9.1}",
            filler.known,
            memory as f64 / 1e6,
            memory as f64 / known,
            own as f64 / known,
            on_disk as f64 / known,
            per_link[0],
            per_link[1],
            per_link[2],
            quantile(&mut filler.commits, 0.5) * 1e3,
            quantile(&mut filler.commits, 0.99) * 1e3,
            end.cpu - start.cpu,
            end.wall - start.wall,
        ));
        println!("{}", rows.last().unwrap());
    }
    println!(
        "\n         URLs  resident  resident   in the      disk  CPU µs per link, settles    commit (ms)     opened again"
    );
    println!(
        "                     MB    B each  frontier    B each       per commit: 1, 16, 64    p50      p99     CPU s      wall"
    );
    for row in rows {
        println!("{row}");
    }
}
