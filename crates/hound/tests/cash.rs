//! Where a URL's cash came from: what `hound explain` derives from the records matches what the frontier holds.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use common::bench_web::Web;
use common::{command, hound_in, says};
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
