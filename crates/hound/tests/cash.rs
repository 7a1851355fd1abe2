//! Where a URL's cash came from: what `hound explain` derives from the records matches what the frontier holds.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use common::bench_web::Web;
use common::{command, hound_in, json_lines, says};
use scenthound_frontier::{Frontier, HostPolicy};
use scenthound_frontier_durable::DurableFrontier;
use scenthound_testweb::bench::BenchSize;
use scenthound_types::{CanonicalUrl, Keyring, Timestamp};

/// A small web on loopback.
fn web() -> Web {
    let size = BenchSize {
        hosts: 4,
        pages: 120,
        bytes: 2_000,
        links: 8,
    };
    Web::sized(size, Duration::ZERO)
}

fn frontier(folder: &Path) -> DurableFrontier {
    let policy = HostPolicy {
        delay: Duration::ZERO,
        ..HostPolicy::default()
    };
    let state = scenthound_store::CrawlView::open(folder)
        .unwrap()
        .layout()
        .state();
    scenthound_frontier_durable::open_read_only(&state, policy, Keyring::new(0), Timestamp::ZERO).unwrap()
}

fn gifts_add_up_to_what_is_held(strategy: &[&str]) {
    let Web {
        serving: _serving,
        seed,
        urls,
    } = web();
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    // Crawl half of the web in two runs and kill the first, so that some pages wait and the records are cut back.
    let arguments = [
        &[
            "crawl",
            "water light house",
            &seed,
            "--allow-net",
            "127.0.0.0/8",
            "--delay",
            "5ms",
        ][..],
        &[
            "--ip-delay",
            "0s",
            "--contact",
            "test@example.org",
            "--max-pages",
            "60",
        ],
        strategy,
        &["-o", "crawl"],
    ]
    .concat();
    let mut first = command(root, &arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(250));
    first.kill().unwrap();
    first.wait().unwrap();
    let end = hound_in(root, &arguments);
    assert!(end.code.is_some(), "{end:?}");

    let mut explained = 0;
    for name in urls.iter().step_by(3) {
        let url = CanonicalUrl::parse(name).unwrap();
        // Close the frontier again before hound opens it.
        let facts = frontier(&root.join("crawl")).look_up(&url).unwrap();
        let Some(facts) = facts else { continue };
        let held = facts.priority.rank.score.get();
        let story = hound_in(root, &["explain", "--json", "crawl", name]).json();
        let cash = &story["cash"];
        if cash.is_null() {
            assert!(held.abs() < 1e-9, "{name} holds {held}, but has no explanation");
            continue;
        }
        let number = |name: &str| cash[name].as_f64().unwrap();
        assert!((number("held") - held).abs() < 1e-9, "{name}: {cash} for {held}");
        let top = cash["top"].as_array().unwrap();
        assert!(top.len() <= 5);
        let named: f64 = top.iter().map(|gift| gift["amount"].as_f64().unwrap()).sum();
        assert!(named <= number("gained") + 1e-9);
        if cash["givers"].as_u64().unwrap() <= 5 {
            assert!((named + number("as_seed") - number("gained")).abs() < 1e-9);
        }
        explained += 1;
    }
    assert!(explained > 20, "{explained} explained");
    let text = says(root, &["explain", "crawl", &seed]);
    assert!(
        text.contains("Cash: gained ") && text.contains("as a seed"),
        "{text}"
    );
}

#[test]
fn opic_explains_where_cash_came_from() {
    gifts_add_up_to_what_is_held(&["--strategy", "opic", "--judge", "terms"]);
}

#[test]
fn otie_explains_where_cash_came_from_including_second_visits() {
    gifts_add_up_to_what_is_held(&["--strategy", "otie:recrawl-every=10", "--judge", "terms"]);
}

/// The published estimate: a page's history and its cash, divided by all history and the one unit of cash there is.
#[test]
fn importance_is_history_and_held_cash_as_a_share_of_all() {
    let Web {
        serving: _serving,
        seed,
        ..
    } = web();
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    let arguments = "crawl water --allow-net 127.0.0.0/8 --delay 5ms --ip-delay 0s --max-pages 60 --contact test@example.org -o crawl \
                     --judge terms --strategy opic:history-every=5";
    let mut arguments: Vec<&str> = arguments.split_whitespace().collect();
    arguments.insert(2, &seed);
    hound_in(root, &arguments);

    let mut history: BTreeMap<String, f64> = BTreeMap::new();
    let records = std::fs::read_to_string(root.join("crawl/pages/pages.jsonl")).unwrap();
    for record in json_lines(&records) {
        if record["kind"] == "page" && record["outcome"] == "ok" {
            let url = record["url"].as_str().unwrap().to_owned();
            *history.entry(url).or_default() += record["score"].as_f64().unwrap();
        }
    }
    let all: f64 = history.values().sum();
    let frontier = frontier(&root.join("crawl"));
    let mut expected: BTreeMap<String, f64> = BTreeMap::new();
    let mut with_cash = 0;
    for (name, history) in history {
        let url = CanonicalUrl::parse(&name).unwrap();
        let held = frontier.look_up(&url).unwrap().unwrap().priority.rank.score.get();
        with_cash += usize::from(held > 0.0);
        expected.insert(name, (history + held) / (all + 1.0));
    }
    assert!(
        expected.len() >= 50 && with_cash >= 10,
        "{with_cash} of {}",
        expected.len()
    );
    drop(frontier);

    let shown = hound_in(
        root,
        &[
            "results",
            "crawl",
            "--rank",
            "importance",
            "--all",
            "--with-duplicates",
            "--format",
            "jsonl",
        ],
    );
    let shown = shown.json_lines();
    assert_eq!(shown.len(), expected.len());
    let mut last = f64::INFINITY;
    for page in &shown {
        let importance = page["importance"].as_f64().unwrap();
        let expected = expected[page["url"].as_str().unwrap()];
        assert!(
            (importance - expected).abs() < 1e-12,
            "{importance} for {expected}"
        );
        assert!(importance <= last);
        last = importance;
    }
    let table = says(root, &["results", "crawl", "--rank", "importance"]);
    assert!(table.contains("importance"), "{table}");
    let by_relevance = hound_in(root, &["results", "crawl", "--format", "jsonl"]).json_lines();
    assert!(by_relevance[0]["importance"].is_null());

    // Judging pages again repeats the crawl one page after the other. What OPIC passes on does not depend on judgements.
    says(root, &["rejudge", "crawl", "--topic", "crawl/crawl.toml"]);
    let again = hound_in(
        root,
        &[
            "results",
            "crawl",
            "--rank",
            "importance",
            "--all",
            "--with-duplicates",
            "--format",
            "jsonl",
        ],
    );
    assert!(!again.err.contains("warning"), "{}", again.err);
    for page in again.json_lines() {
        let expected = expected[page["url"].as_str().unwrap()];
        let importance = page["importance"].as_f64().unwrap();
        assert!(
            (importance - expected).abs() < 0.001,
            "{importance} for {expected}"
        );
    }
}

#[test]
fn a_strategy_without_cash_explains_none() {
    let Web {
        serving: _serving,
        seed,
        ..
    } = web();
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    let arguments = [
        "crawl",
        "water",
        &seed,
        "--allow-net",
        "127.0.0.0/8",
        "--delay",
        "5ms",
        "--ip-delay",
        "0s",
        "--max-pages",
        "3",
        "-o",
        "crawl",
    ];
    hound_in(root, &arguments);
    assert!(!says(root, &["explain", "crawl", &seed]).contains("Cash"));
}
