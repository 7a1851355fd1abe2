//! A crawl folder whose state or records were damaged: nothing is lost in silence, and `hound repair` rebuilds the state.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use common::bench_web::{PAGES, Web, records};
use common::{hound_in, text};

const HALF: usize = 200;

/// A crawl that stopped after [`HALF`] pages.
fn half_a_crawl(web: &Web, root: &Path) -> PathBuf {
    let folder = root.join("crawl");
    let code = web
        .crawl(&folder, &["--max-pages", &HALF.to_string()])
        .wait()
        .unwrap();
    assert_eq!(code.code(), Some(0));
    assert_eq!(records(&folder).len(), HALF);
    folder
}

/// Finishes the crawl, and checks that every page is in the records exactly once.
fn finish(web: &Web, folder: &Path) -> BTreeMap<String, usize> {
    let code = web.crawl(folder, &["--max-pages", "100000"]).wait().unwrap();
    assert_eq!(code.code(), Some(0));
    let mut requests: BTreeMap<String, usize> = BTreeMap::new();
    for (url, _) in web.page_requests() {
        *requests.entry(url).or_default() += 1;
    }
    let urls: BTreeSet<String> = records(folder).into_iter().map(|record| record.url).collect();
    assert_eq!(urls, web.urls);
    requests
}

fn journal(folder: &Path) -> PathBuf {
    let files = fs::read_dir(folder.join("state"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    files
        .into_iter()
        .find(|path| path.extension().is_some_and(|end| end == "jnl"))
        .unwrap()
}

#[test]
fn a_crawl_without_its_state_is_rebuilt_and_fetches_nothing_twice() {
    let (web, temp) = (Web::start(), tempfile::tempdir().unwrap());
    let folder = half_a_crawl(&web, temp.path());
    fs::remove_dir_all(folder.join("state")).unwrap();
    assert_eq!(
        web.crawl(&folder, &[]).wait().unwrap().code(),
        Some(1),
        "it does not start over"
    );
    assert_eq!(records(&folder).len(), HALF);

    let repaired = hound_in(temp.path(), &["repair", text(&folder), "--json"]).json();
    assert_eq!(
        (&repaired["pages"], &repaired["lost"]),
        (&HALF.into(), &0.into()),
        "{repaired}"
    );
    assert!(repaired["waiting"].as_u64().unwrap() > 100, "{repaired}");
    let requests = finish(&web, &folder);
    assert!(
        requests.values().all(|count| *count == 1),
        "a page was requested twice"
    );
    assert_eq!(requests.len(), PAGES);
}

#[test]
fn zeros_in_the_journal_cut_no_records_and_are_repaired() {
    let (web, temp) = (Web::start(), tempfile::tempdir().unwrap());
    let folder = half_a_crawl(&web, temp.path());
    let journal = journal(&folder);
    let mut bytes = fs::read(&journal).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4_096].fill(0);
    fs::write(&journal, bytes).unwrap();
    let refused = hound_in(
        temp.path(),
        &["crawl", text(&folder.join("crawl.toml")), "-o", text(&folder)],
    );
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.err.contains("hound repair"), "{refused:?}");
    assert_eq!(records(&folder).len(), HALF, "no record is cut");
    hound_in(temp.path(), &["repair", text(&folder)]).good();
    let log = fs::read_to_string(folder.join("logs/crawl.log")).unwrap();
    assert!(log.contains("rebuilt the state"), "{log}");
    let requests = finish(&web, &folder);
    assert!(requests.values().all(|count| *count == 1));
}

#[test]
fn pages_whose_records_were_lost_are_fetched_again() {
    let (web, temp) = (Web::start(), tempfile::tempdir().unwrap());
    let folder = half_a_crawl(&web, temp.path());
    let damaged = records(&folder)[HALF / 2].clone();
    let position = damaged.archive.unwrap();
    let file = folder.join("archive").join(&*position.file);
    let mut bytes = fs::read(&file).unwrap();
    let at = (position.offset + position.length / 2) as usize;
    bytes[at..at + 8].fill(0x55);
    fs::write(&file, bytes).unwrap();
    let repaired = hound_in(temp.path(), &["repair", text(&folder), "--json"]).json();
    assert_eq!(repaired["lost"], 1, "{repaired}");
    let requests = finish(&web, &folder);
    assert_eq!(requests[&damaged.url], 2);
    assert_eq!(requests.values().filter(|count| **count > 1).count(), 1);
}
