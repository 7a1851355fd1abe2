//! A real process, killed again and again, on a web on loopback that records every request.
//!
//! What must hold, whenever the process dies: what was committed is never requested again; in the end every page has
//! been settled exactly once; archive and page records are intact; and no host was asked before its delay was over, even
//! across restarts. The tests use the strategies whose state is hardest to keep: raised siblings by all parents, and cash.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may panic and print"
)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use common::bench_web::{PAGES, Web, records};
use scenthound_frontier::{Frontier, HostPolicy, State};
use scenthound_store::{CrawlView, WarcReader};
use scenthound_types::{ArchiveFormat, CanonicalUrl, Keyring, Timestamp};

const DELAY: Duration = Duration::from_millis(60);
const ROUNDS: usize = 20;
/// For strategies whose state follows the same rules as another's, which is killed the full number of times.
const FEW_ROUNDS: usize = 6;

/// Checks that every record of the archive is intact and that every page record points at its own response.
fn check_archive(folder: &Path) {
    let view = CrawlView::open(folder).unwrap();
    let mut responses = 0;
    for entry in std::fs::read_dir(view.layout().archive()).unwrap() {
        let path = entry.unwrap().path();
        // What was written and not committed before a kill is set aside beside the archive.
        if ArchiveFormat::of_file(&path.to_string_lossy()).is_none() {
            continue;
        }
        for record in WarcReader::open(&path).unwrap() {
            let record = record.unwrap();
            assert!(record.faults.is_empty(), "{:?}", record.faults);
            responses += usize::from(matches!(record.kind(), "response" | "revisit"));
        }
    }
    let mut archived = 0;
    for record in view.pages().unwrap() {
        let record = record.unwrap();
        if let Some(position) = &record.archive {
            archived += 1;
            assert_eq!(
                view.record(position).unwrap().target_uri(),
                Some(record.url.as_str())
            );
        }
    }
    assert_eq!(
        responses, archived,
        "responses in the archive and page records that point at one"
    );
}

fn check_spacing(web: &Web) {
    let mut last: BTreeMap<String, Instant> = BTreeMap::new();
    let mut requests = web.serving.requests();
    requests.sort_by_key(|request| request.started);
    for request in requests {
        if let Some(before) = last.insert(request.host.clone(), request.started) {
            // The server's timestamps may lag under load; half the delay is enough to show that the rest was kept.
            let gap = request.started - before;
            assert!(gap >= DELAY / 2, "{} was asked again after {gap:?}", request.host);
        }
    }
}

/// Fixed pauses instead of random ones, so that a failure can be reproduced.
fn pause(round: usize) -> Duration {
    Duration::from_millis(60 + (round as u64 * 7_919) % 340)
}

fn killed_and_resumed(strategy: &str, options: &[&str], rounds: usize) {
    let web = Web::start();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("crawl");
    let more_seeds = web.more_seeds();
    let seeds: &[&str] = if options.contains(&"--agents") {
        &more_seeds
    } else {
        &[]
    };
    let options = [&["--strategy", strategy][..], options, seeds].concat();

    // URLs known to be settled at each kill, and how many requests had been made by then.
    let mut settled: BTreeSet<String> = BTreeSet::new();
    let mut kills = 0;
    for round in 0..rounds {
        let mut process = web.crawl(&folder, &options);
        std::thread::sleep(pause(round));
        let ended_by_itself = process.try_wait().unwrap().is_some();
        process.kill().unwrap();
        process.wait().unwrap();
        kills += usize::from(!ended_by_itself);
        let asked_before = web.serving.requests().len();

        // See what the killed process had committed. None of it may be requested from here on.
        if folder.join("state").exists() && folder.join("crawl.toml").exists() {
            let policy = HostPolicy {
                delay: Duration::ZERO,
                agents: 3,
                ..HostPolicy::default()
            };
            let frontier = scenthound_frontier_durable::open_read_only(
                &folder.join("state"),
                policy,
                Keyring::new(0),
                Timestamp::ZERO,
            );
            if let Ok(frontier) = frontier {
                for url in &web.urls {
                    let facts = frontier.look_up(&CanonicalUrl::parse(url).unwrap()).unwrap();
                    let is_settled =
                        facts.is_some_and(|facts| matches!(facts.state, State::Fetched | State::Gone));
                    assert!(
                        is_settled || !settled.contains(url),
                        "{url} was settled, but no longer is"
                    );
                    if is_settled {
                        settled.insert(url.clone());
                    }
                }
            }
        }
        let port = web.serving.addr().port();
        let mut next = web.crawl(&folder, &options);
        std::thread::sleep(Duration::from_millis(150));
        kills += usize::from(next.try_wait().unwrap().is_none());
        next.kill().unwrap();
        next.wait().unwrap();
        for request in web.serving.requests().iter().skip(asked_before) {
            let url = format!("http://{}:{port}{}", request.host, request.path);
            assert!(
                !settled.contains(&url),
                "{url} was settled, but was requested again"
            );
        }
    }
    assert!(
        kills >= rounds,
        "only {kills} kills: the web is too small for this machine"
    );
    let end = web.crawl(&folder, &options).wait().unwrap();
    assert_eq!(end.code(), Some(0));

    let records = records(&folder);
    let urls: BTreeSet<String> = records.iter().map(|record| record.url.clone()).collect();
    assert_eq!(records.len(), urls.len(), "each page once in the records");
    assert_eq!(urls, web.urls, "every page settled");
    assert!(records.iter().all(|record| record.is_ok()));
    let mut requests: BTreeMap<String, usize> = BTreeMap::new();
    for (url, _) in web.page_requests() {
        *requests.entry(url).or_default() += 1;
    }
    assert!(requests.values().all(|count| *count <= 1 + kills));
    let repeated: usize = requests.values().map(|count| count - 1).sum();
    // A kill loses at most the requests under way and the pages settled since the last commit.
    println!("{strategy}: {kills} kills, {repeated} of {PAGES} pages requested again");
    check_archive(&folder);
    check_spacing(&web);

    // The uninterrupted crawl settles the same pages.
    let other = tempfile::tempdir().unwrap();
    let other = other.path().join("crawl");
    let whole = web.crawl(&other, &options).wait().unwrap();
    assert_eq!(whole.code(), Some(0));
    let uninterrupted: BTreeSet<String> = self::records(&other)
        .into_iter()
        .map(|record| record.url)
        .collect();
    assert_eq!(uninterrupted, urls);
}

#[test]
fn raised_siblings_by_all_parents_survive_kill_9() {
    killed_and_resumed("fs-2:parents=all", &[], ROUNDS);
}

#[test]
fn cash_survives_kill_9() {
    killed_and_resumed("opic", &[], ROUNDS);
}

#[test]
fn an_archive_in_zstd_survives_kill_9() {
    killed_and_resumed("best-first", &["--archive", "zst"], FEW_ROUNDS);
}

#[test]
fn topical_cash_and_drawn_lists_survive_kill_9() {
    killed_and_resumed("otie", &["--list-size", "50"], FEW_ROUNDS);
}

#[test]
fn agents_and_their_tables_survive_kill_9() {
    killed_and_resumed(
        "table:table-adds=0.5:table-adds-from=0.05",
        &["--agents", "3"],
        FEW_ROUNDS,
    );
}

#[test]
fn layers_learnt_from_the_crawl_survive_kill_9() {
    killed_and_resumed(
        "layered:learn-after=5",
        &["--judge", "terms:threshold=0.1"],
        FEW_ROUNDS,
    );
}

#[test]
fn the_first_interrupt_saves_and_stops_and_the_same_command_resumes() {
    let web = Web::start();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("crawl");
    let mut process = web.crawl(&folder, &[]);
    while web.page_requests().len() < 20 {
        std::thread::sleep(Duration::from_millis(10));
    }
    let interrupt = Command::new("kill")
        .args(["-INT", &process.id().to_string()])
        .status()
        .unwrap();
    assert!(interrupt.success());
    assert_eq!(process.wait().unwrap().code(), Some(11));
    let saved = records(&folder).len();
    assert!(saved >= 19, "{saved}");
    // A changed page budget is still the same crawl; a changed strategy is not.
    assert_eq!(
        web.crawl(&folder, &["--strategy", "opic"]).wait().unwrap().code(),
        Some(4)
    );
    assert_eq!(
        web.crawl(&folder, &["--max-pages", "100000"])
            .wait()
            .unwrap()
            .code(),
        Some(0)
    );
    let records = records(&folder);
    assert_eq!(records.len(), PAGES);
    assert_eq!(web.page_requests().len(), PAGES, "an orderly stop loses nothing");
    check_archive(&folder);
}

#[test]
fn a_second_crawl_in_the_same_folder_is_refused_while_the_first_runs() {
    let web = Web::start();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("crawl");
    let mut first = web.crawl(&folder, &[]);
    while web.page_requests().is_empty() {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(web.crawl(&folder, &[]).wait().unwrap().code(), Some(1));
    first.kill().unwrap();
    first.wait().unwrap();
}
