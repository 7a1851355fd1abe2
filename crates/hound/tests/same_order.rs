//! A crawl that was killed goes on in the same order, where the order does not depend on the clock.
//!
//! One request at a time and no delay: then nothing but the strategy decides which page is next. The strategies are those that
//! keep most in memory: agents that take turns, layers and tables that are learnt on the way, and lists drawn in advance.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use common::bench_web::{Web, records};
use scenthound_testweb::bench::BenchSize;

const PAGES: usize = 240;
const SIZE: BenchSize = BenchSize {
    hosts: 4,
    pages: PAGES,
    bytes: 2_000,
    links: 8,
};
/// Kills by number of pages requested: before and after anything is learnt, and in quick succession.
const KILLS: [usize; 6] = [5, 31, 33, 90, 125, 190];

fn order(folder: &Path) -> Vec<String> {
    records(folder).into_iter().map(|record| record.url).collect()
}

/// How a crawl is stopped.
#[derive(Clone, Copy, PartialEq)]
enum Stop {
    Kill,
    /// As by Ctrl-C.
    Interrupt,
}

fn goes_on_in_the_same_order(strategy: &str, options: &[&str]) {
    goes_on_after(Stop::Kill, strategy, options);
}

fn goes_on_after(stop: Stop, strategy: &str, options: &[&str]) {
    goes_on_at(Duration::from_millis(3), stop, strategy, options);
}

fn goes_on_at(latency: Duration, stop: Stop, strategy: &str, options: &[&str]) {
    let web = Web::sized(SIZE, latency);
    let seeds = web.more_seeds();
    let always = [
        "--strategy",
        strategy,
        "--delay",
        "0s",
        "--concurrency",
        "1",
        "--judge",
        "terms:threshold=0.1",
    ];
    let options = [&always[..], options, &seeds].concat();
    let root = tempfile::tempdir().unwrap();
    let whole = root.path().join("whole");
    assert_eq!(web.crawl(&whole, &options).wait().unwrap().code(), Some(0));
    let expected = order(&whole);
    assert_eq!(expected.len(), PAGES);

    let killed = root.path().join("killed");
    for pages in KILLS {
        let mut process = web.crawl(&killed, &options);
        let enough = || {
            // The records of a running crawl may end in the middle of a line.
            let text = std::fs::read_to_string(killed.join("pages/pages.jsonl")).unwrap_or_default();
            text.lines().count() >= pages
        };
        while !enough() && process.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(2));
        }
        match stop {
            Stop::Kill => process.kill().unwrap(),
            Stop::Interrupt => {
                let id = process.id().to_string();
                assert!(
                    Command::new("kill")
                        .args(["-INT", &id])
                        .status()
                        .unwrap()
                        .success()
                );
            }
        }
        process.wait().unwrap();
    }
    assert_eq!(web.crawl(&killed, &options).wait().unwrap().code(), Some(0));
    let found = order(&killed);
    let differs = expected.iter().zip(&found).position(|(a, b)| a != b);
    assert_eq!(differs, None, "{strategy}: another page came at this place");
    assert_eq!(found.len(), PAGES, "{strategy}");
}

#[test]
fn agents_take_the_turns_they_would_have_taken() {
    goes_on_in_the_same_order("breadth-first", &["--agents", "3"]);
}

#[test]
fn agents_with_growing_tables_go_on_as_they_would_have() {
    let table = "table:table-adds=0.5:table-adds-from=0.05:table-rescore-every=20";
    goes_on_in_the_same_order(table, &["--agents", "3"]);
}

#[test]
fn layers_learnt_on_the_way_go_on_as_they_would_have() {
    goes_on_in_the_same_order("layered:learn-after=5", &[]);
}

#[test]
fn drawn_lists_are_finished_first() {
    goes_on_in_the_same_order("otie", &["--list-size", "20"]);
    goes_on_in_the_same_order("opic", &["--list-size", "20"]);
}

#[test]
fn links_raised_by_siblings_keep_their_places() {
    goes_on_in_the_same_order("pfs-2:ties=probe", &[]);
}

/// Scores that follow from what was learnt are written at once if the crawl is slow, otherwise now and then, and when it is stopped
/// in order.
#[test]
fn scent_goes_on_as_it_would_have() {
    goes_on_after(Stop::Interrupt, "scent", &[]);
    goes_on_at(Duration::from_millis(40), Stop::Kill, "scent", &[]);
}

/// A crawl with a judge that learns judges its pages again whenever it ends. That changes the ranks, and nothing else: the next
/// run goes on with the queue, the strategy and the judge as they were.
#[test]
fn a_crawl_that_ended_and_goes_on_reads_and_ranks_pages_as_one_that_did_not_end() {
    let web = Web::sized(SIZE, Duration::from_millis(3));
    let seeds = web.more_seeds();
    let root = tempfile::tempdir().unwrap();
    let crawl = |name: &str, pages: &str| {
        let always = ["--delay", "0s", "--concurrency", "1", "--max-pages", pages];
        let folder = root.path().join(name);
        let ended = web.crawl(&folder, &[&always[..], &seeds].concat()).wait();
        assert_eq!(ended.unwrap().code(), Some(0));
        let ranked = records(&folder).into_iter();
        ranked
            .map(|record| (record.url, record.relevance))
            .collect::<Vec<_>>()
    };
    let whole = crawl("whole", "200");
    let first = crawl("again", "60");
    crawl("again", "61");
    let again = crawl("again", "200");
    let urls =
        |ranked: &[(String, Option<f64>)]| ranked.iter().map(|(url, _)| url.clone()).collect::<Vec<_>>();
    assert_eq!(urls(&again), urls(&whole));
    assert_eq!(again, whole);
    assert_ne!(first, whole[..60], "nothing was learnt after the first 60 pages");
}
