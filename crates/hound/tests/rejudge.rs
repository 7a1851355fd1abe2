//! Marking pages, judging them again with another topic, and resuming: real processes on a web on loopback that records
//! every request.
//!
//! What must hold: rejudging sends no requests; with the same topic it changes nothing; killed at any moment, it leaves the
//! crawl as it was before or as it would be afterwards; and the resumed crawl fetches no page twice.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test may panic and print, and must time a run to kill it midway"
)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::bench_web::{Web, records};
use common::{command, hound, text};
use scenthound_frontier::{Frontier, HostPolicy, UrlFacts};
use scenthound_store::{CrawlView, PageRecord};
use scenthound_testweb::bench::BenchSize;
use scenthound_types::{CanonicalUrl, Keyring, Timestamp};

const PAGES: usize = 240;

fn start() -> Web {
    let size = BenchSize {
        hosts: 5,
        pages: PAGES,
        bytes: 2_000,
        links: 10,
    };
    Web::sized(size, Duration::ZERO)
}

fn pages_asked_for(web: &Web) -> Vec<String> {
    let requests = web.serving.requests().into_iter();
    requests
        .filter(|request| request.path != "/robots.txt")
        .map(|request| format!("{}{}", request.host, request.path))
        .collect()
}

fn topic(web: &Web, folder: &Path, name: &str, terms: &str) -> PathBuf {
    let path = folder.join(format!("{name}.toml"));
    let text = format!(
        "[topic]\nname = \"{name}\"\n[terms]\n{terms}\n[judge]\nkind = \"terms\"\n[seeds]\nurls = [\"{}\"]\n[crawl]\ndelay = \"1ms\"\nip-delay = \
         \"0s\"\nallow-net = [\"127.0.0.0/8\"]\ncontact = \"test@example.org\"\n",
        web.seed
    );
    std::fs::write(&path, text).unwrap();
    path
}

/// Everything the frontier knows about the web's URLs, except when hosts may be asked.
fn facts(web: &Web, folder: &Path) -> BTreeMap<String, UrlFacts> {
    let policy = HostPolicy {
        delay: Duration::ZERO,
        ..HostPolicy::default()
    };
    let state = CrawlView::open(folder).unwrap().layout().state();
    let frontier =
        scenthound_frontier_durable::open_read_only(&state, policy, Keyring::new(0), Timestamp::ZERO)
            .unwrap();
    let known = web.urls.iter().filter_map(|url| {
        let facts = frontier.look_up(&CanonicalUrl::parse(url).unwrap()).unwrap()?;
        let host_rests_until = Timestamp::ZERO;
        Some((
            url.clone(),
            UrlFacts {
                host_rests_until,
                ..facts
            },
        ))
    });
    known.collect()
}

const WATER: &str = "content = [\"water\", \"light\", \"house\"]";
const OTHER: &str = "genre = [\"time\", \"day\"]\ncontent = [\"water\"]";

/// Crawls a third of the web.
fn begun(web: &Web, temp: &Path, options: &[&str]) -> (PathBuf, PathBuf) {
    let topic = topic(web, temp, "water", WATER);
    let folder = temp.join("crawl");
    let words = [
        &["crawl", text(&topic), "-o", text(&folder), "--max-pages", "80"],
        options,
    ]
    .concat();
    hound(&words).good();
    (folder, topic)
}

#[test]
fn the_command_that_goes_on_raises_a_spent_budget() {
    let web = start();
    let temp = tempfile::tempdir().unwrap();
    let (folder, _) = begun(&web, temp.path(), &[]);
    let other = topic(&web, temp.path(), "other", OTHER);
    let said = hound(&["rejudge", text(&folder), "--topic", text(&other)]).good();
    let command = said
        .lines()
        .find_map(|line| line.strip_prefix("To continue with what changed: "))
        .unwrap();
    assert!(command.ends_with(" --max-pages 160"), "{command}");
    let resume = hound(&["status", text(&folder), "--json"]).json()["resume"].clone();
    assert_eq!(resume, command);
}

#[test]
fn pages_are_marked_and_rejudged_and_the_crawl_resumes_without_fetching_twice() {
    let web = start();
    let temp = tempfile::tempdir().unwrap();
    let (folder, _) = begun(&web, temp.path(), &["--strategy", "fs-2"]);
    let dir = text(&folder);

    // Marked in another spelling, shown everywhere.
    let first = records(&folder).remove(0).url;
    hound(&["mark", dir, &first.replace("http://", "HTTP://"), "--relevant"]).good();
    let marks: serde_json::Value = hound(&["mark", dir, "--json"]).json();
    assert_eq!(marks["url"], first.as_str());
    assert!(
        hound(&["explain", dir, &first])
            .good()
            .contains("You marked it relevant")
    );
    assert_eq!(hound(&["status", dir, "--json"]).json()["marks"]["relevant"], 1);
    assert!(
        hound(&["results", dir, "--all", "--format", "jsonl"])
            .good()
            .contains("\"mark\":\"relevant\"")
    );
    let refused = hound(&["mark", dir, "http://127.0.0.1:1/never", &first, "--irrelevant"]);
    assert_eq!(refused.code, Some(4));
    assert!(refused.err.contains("was not fetched by this crawl"));

    // A changed topic is refused with a remedy.
    let other = topic(&web, temp.path(), "other", OTHER);
    let refused = hound(&["crawl", text(&other), "-o", dir, "--strategy", "fs-2"]);
    assert_eq!(refused.code, Some(4));
    assert!(refused.err.contains("hound rejudge"));

    let before = records(&folder);
    let asked = web.serving.requests().len();
    let result = hound(&["rejudge", dir, "--topic", text(&other), "--json"]).json();
    assert_eq!(web.serving.requests().len(), asked, "rejudging sends no requests");
    let after = records(&folder);
    assert_eq!(
        result["judged"],
        before.iter().filter(|page| page.relevance.is_some()).count()
    );
    assert_eq!(
        (result["kept"].as_u64(), result["skipped"].as_u64()),
        (Some(0), Some(0))
    );
    let scores = |records: &[PageRecord]| records.iter().map(|page| page.relevance).collect::<Vec<_>>();
    assert_ne!(scores(&before), scores(&after));
    assert!(
        after
            .iter()
            .filter_map(|page| page.parts.as_ref())
            .all(|parts| parts.genre.is_some())
    );
    let relevant = after.iter().filter(|page| page.relevant == Some(true)).count();
    let status = hound(&["status", dir, "--json"]).json();
    assert_eq!(status["relevant"], relevant);
    assert_eq!(result["relevant"], relevant);
    assert_eq!(
        (status["pages"].as_u64(), status["generation"].as_u64()),
        (Some(80), Some(1))
    );
    // The page records and the archive keep the first judgement.
    let raw = std::fs::read_to_string(folder.join("pages/pages.jsonl")).unwrap();
    assert!(raw.contains("\"term\":\"house\"") && !raw.contains("\"term\":\"day\""));

    // Renaming the topic does not start a new archive, and every page is fetched once.
    hound(&["crawl", text(&other), "-o", dir, "--strategy", "fs-2"]).good();
    let mut asked = pages_asked_for(&web);
    let all = asked.len();
    asked.sort();
    asked.dedup();
    assert_eq!((all, asked.len()), (PAGES, PAGES), "each page once");
    let urls: BTreeSet<String> = records(&folder).into_iter().map(|record| record.url).collect();
    assert_eq!(urls, web.urls);
    assert_eq!(std::fs::read_dir(folder.join("archive")).unwrap().count(), 1);
    let view = CrawlView::open(&folder).unwrap();
    for record in records(&folder) {
        let response = view.record(record.archive.as_ref().unwrap()).unwrap();
        assert_eq!(response.target_uri(), Some(record.url.as_str()));
    }
    // Again, over pages of both topics.
    let result = hound(&[
        "rejudge",
        dir,
        "--topic",
        text(&temp.path().join("water.toml")),
        "--json",
    ])
    .json();
    assert_eq!(
        (result["generation"].as_u64(), result["judged"].as_u64()),
        (Some(2), Some(PAGES as u64))
    );
    let again: BTreeMap<String, Option<f64>> = records(&folder)
        .into_iter()
        .map(|page| (page.url, page.relevance))
        .collect();
    for page in &before {
        assert_eq!(again[&page.url], page.relevance, "{}", page.url);
    }
}

#[test]
fn rejudging_with_the_same_topic_keeps_every_score_and_position() {
    let cases: [&[&str]; 4] = [
        &["--strategy", "best-first"],
        &["--strategy", "fs-2"],
        &["--strategy", "pfs-1:ties=probe:parents=first"],
        // Cash that gathers while a request is out depends on what else is out.
        &["--strategy", "opic", "--concurrency", "1"],
    ];
    for options in cases {
        let web = start();
        let temp = tempfile::tempdir().unwrap();
        let (folder, topic) = begun(&web, temp.path(), options);
        let (pages, places) = (records(&folder), facts(&web, &folder));
        let result = hound(&["rejudge", text(&folder), "--topic", text(&topic), "--json"]).json();
        assert_eq!(
            (
                result["became_relevant"].as_u64(),
                result["no_longer_relevant"].as_u64()
            ),
            (Some(0), Some(0))
        );
        assert_eq!(records(&folder), pages, "{options:?}");
        let now = facts(&web, &folder);
        assert!(
            places
                .values()
                .any(|facts| facts.state == scenthound_frontier::State::Waiting)
        );
        for (url, facts) in &places {
            assert_eq!(now.get(url), Some(facts), "{options:?} {url}");
        }
        assert_eq!(now.len(), places.len());
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn killed_at_any_moment_the_crawl_is_either_old_or_new() {
    let web = start();
    let temp = tempfile::tempdir().unwrap();
    let (folder, _) = begun(&web, temp.path(), &[]);
    let other = topic(&web, temp.path(), "other", OTHER);
    let whole = temp.path().join("whole");
    copy(&folder, &whole);
    let started = Instant::now();
    hound(&["rejudge", text(&whole), "--topic", text(&other)]).good();
    let lasted = started.elapsed();
    let (before, after) = (records(&folder), records(&whole));
    let (old_places, new_places) = (facts(&web, &folder), facts(&web, &whole));
    assert_ne!(old_places, new_places);

    let work = temp.path().join("work");
    let (mut as_before, mut as_after) = (0, 0);
    for step in 0..24_u32 {
        if !work.exists() {
            copy(&folder, &work);
        }
        let mut process = command(temp.path(), &["rejudge", text(&work), "--topic", text(&other)])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Kill most often towards the end, where the switch happens.
        std::thread::sleep(lasted.mul_f64(1.1 * (f64::from(step + 1) / 24.0).sqrt()));
        process.kill().unwrap();
        process.wait().unwrap();
        let is_new = CrawlView::open(&work).unwrap().layout().generation().unwrap() == 1;
        let (pages, places) = if is_new {
            (&after, &new_places)
        } else {
            (&before, &old_places)
        };
        assert_eq!(&records(&work), pages, "step {step}");
        assert_eq!(&facts(&web, &work), places, "step {step}");
        hound(&["results", text(&work)]).good();
        hound(&["status", text(&work)]).good();
        if is_new {
            as_after += 1;
            std::fs::remove_dir_all(&work).unwrap();
        } else {
            as_before += 1;
        }
    }
    println!("{as_before} kills left the old state, {as_after} the new one; a whole run took {lasted:?}");
    assert!(as_before > 0);
    if !work.exists() {
        copy(&folder, &work);
    }
    hound(&["rejudge", text(&work), "--topic", text(&other)]).good();
    assert_eq!(records(&work), after);
    assert_eq!(facts(&web, &work), new_places);
    for left in ["state-1", "state-2", "state-1.unfinished", "crawl-1.toml"] {
        assert!(!work.join(left).exists(), "{left}");
    }
}

fn listing(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.clone(), std::fs::read(&path).unwrap());
            }
        }
    }
    files
}

#[test]
fn a_topic_with_faults_or_of_another_crawl_leaves_everything_as_it_was() {
    let web = start();
    let temp = tempfile::tempdir().unwrap();
    let (folder, _) = begun(&web, temp.path(), &[]);
    let before = listing(&folder);
    let write = |text: &str| {
        let path = temp.path().join("new.toml");
        std::fs::write(&path, text).unwrap();
        path
    };
    for (text_of_topic, part) in [
        ("[terms]\ncontent = [\"water\"\n", "new.toml"),
        ("[terms]\nkontent = [\"water\"]\n", "kontent"),
        (
            "[terms]\ncontent = [\"water\"]\n[judge]\nthreshold = 7\n",
            "threshold",
        ),
        (
            "[terms]\ncontent = [\"water\"]\n[crawl]\nscope = \"host\"\n",
            "scope",
        ),
        (
            "[terms]\ncontent = [\"water\"]\n[seeds]\nurls = [\"http://elsewhere.test/\"]\n",
            "http://elsewhere.test/",
        ),
    ] {
        let topic = write(text_of_topic);
        let errors = hound(&["rejudge", text(&folder), "--topic", text(&topic)]).refused();
        assert!(errors.contains(part), "{part}: {errors}");
        assert!(listing(&folder) == before, "{part}");
    }
    // A running crawl is left alone.
    let lock = scenthound_store::CrawlFolder::open(&folder).unwrap();
    let topic = topic(&web, temp.path(), "other", OTHER);
    let refused = hound(&["rejudge", text(&folder), "--topic", text(&topic)]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.err.contains("stop it first"));
    drop(lock);
    hound(&["rejudge", text(&folder), "--topic", text(&topic)]).good();
}

#[test]
fn pages_missing_from_the_archive_keep_their_judgement_and_their_links() {
    let web = start();
    let temp = tempfile::tempdir().unwrap();
    let (folder, _) = begun(&web, temp.path(), &["--strategy", "fs-2"]);
    let known = facts(&web, &folder);
    let before = records(&folder);
    let archive = std::fs::read_dir(folder.join("archive"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    // Destroy a few responses in the archive.
    let mut bytes = std::fs::read(&archive).unwrap();
    let lost: Vec<&PageRecord> = before.iter().skip(10).step_by(20).collect();
    for record in &lost {
        let position = record.archive.as_ref().unwrap();
        let start = usize::try_from(position.offset).unwrap();
        bytes[start..start + usize::try_from(position.length).unwrap()].fill(0);
    }
    std::fs::write(&archive, bytes).unwrap();
    let other = topic(&web, temp.path(), "other", OTHER);
    let result = hound(&["rejudge", text(&folder), "--topic", text(&other), "--json"]).json();
    assert_eq!(result["kept"], lost.len());
    let after: BTreeMap<String, PageRecord> = records(&folder)
        .into_iter()
        .map(|page| (page.url.clone(), page))
        .collect();
    for record in lost {
        assert_eq!(after[&record.url].relevance, record.relevance);
    }
    let now = facts(&web, &folder);
    assert_eq!(now.keys().collect::<Vec<_>>(), known.keys().collect::<Vec<_>>());
    assert!(now.iter().all(|(url, facts)| facts.state == known[url].state));
}
