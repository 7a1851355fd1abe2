//! Folders that are in use, unfamiliar, unfinished or from another crawl.

#![allow(clippy::unwrap_used)] // the lint exempts test functions, but not what they call

use std::error::Error;
use std::fs;
use std::path::Path;

use scenthound_frontier::{Frontier, FrontierError, HostPolicy};
use scenthound_frontier_durable::{DurableError, DurableFrontier, open, open_read_only};
use scenthound_types::{CanonicalUrl, Keyring, Merge, Offer, Rank, StateDelta, Timestamp};
use tempfile::TempDir;

fn keyring() -> Keyring {
    Keyring::new(3)
}

fn open_in(folder: &Path) -> Result<DurableFrontier, FrontierError> {
    open(folder, HostPolicy::instant(), keyring(), Timestamp::ZERO)
}

fn seed(frontier: &mut DurableFrontier, url: &str) {
    let url = CanonicalUrl::parse(url).unwrap();
    let offer = Offer {
        key: keyring().key(&url),
        url,
        rank: Rank::of_score(1.0),
        merge: Merge::Keep,
    };
    frontier.seed(&[offer], Timestamp::ZERO).unwrap();
}

fn fault<T>(answer: Result<T, FrontierError>) -> String {
    let Err(error) = answer else {
        panic!("expected a refusal")
    };
    let cause = error.source().unwrap();
    assert!(cause.downcast_ref::<DurableError>().is_some());
    cause.to_string()
}

#[test]
fn a_frontier_in_use_is_refused_and_goes_on_unharmed() {
    let place = TempDir::new().unwrap();
    let folder = place.path().join("state");
    let mut first = open_in(&folder).unwrap();
    seed(&mut first, "http://a.test/1");
    first.commit(&StateDelta::default()).unwrap();
    for second in [
        open_in(&folder),
        open_read_only(&folder, HostPolicy::instant(), keyring(), Timestamp::ZERO),
    ] {
        let message = fault(second);
        assert!(message.contains("in use"), "{message}");
        assert!(message.contains(folder.to_str().unwrap()), "{message}");
    }
    seed(&mut first, "http://a.test/2");
    first.commit(&StateDelta::default()).unwrap();
    drop(first);
    assert_eq!(open_in(&folder).unwrap().counts().known, 2);
}

#[test]
fn reading_only_looks_things_up_and_commits_nothing() {
    let place = TempDir::new().unwrap();
    let folder = place.path().join("state");
    let look = || open_read_only(&folder, HostPolicy::instant(), keyring(), Timestamp::ZERO);
    assert!(fault(look()).contains("holds no frontier"));
    assert!(!folder.exists(), "opening for reading creates nothing");
    let mut frontier = open_in(&folder).unwrap();
    seed(&mut frontier, "http://a.test/1");
    frontier.commit(&StateDelta::default()).unwrap();
    drop(frontier);
    let mut reading = look().unwrap();
    let url = CanonicalUrl::parse("http://a.test/1").unwrap();
    assert!(reading.look_up(&url).unwrap().unwrap().seed);
    seed(&mut reading, "http://a.test/2");
    assert!(fault(reading.commit(&StateDelta::default())).contains("reading only"));
    drop(reading);
    assert_eq!(open_in(&folder).unwrap().counts().known, 1);
}

#[test]
fn an_empty_folder_becomes_a_frontier() {
    let place = TempDir::new().unwrap();
    assert_eq!(open_in(place.path()).unwrap().counts().known, 0);
    assert_eq!(open_in(place.path()).unwrap().counts().known, 0);
}

#[test]
fn a_folder_with_other_files_is_left_alone() {
    let place = TempDir::new().unwrap();
    fs::write(place.path().join("thesis.txt"), "years of work").unwrap();
    assert!(fault(open_in(place.path())).contains("no frontier"));
    let files: Vec<_> = fs::read_dir(place.path()).unwrap().collect();
    assert_eq!(files.len(), 1);
}

#[test]
fn what_a_killed_process_left_half_made_is_made_anew() {
    let place = TempDir::new().unwrap();
    let folder = place.path().join("state");
    let unfinished = place.path().join("state.unfinished");
    fs::create_dir(&unfinished).unwrap();
    fs::write(unfinished.join("0.jnl"), "half").unwrap();
    assert_eq!(open_in(&folder).unwrap().counts().known, 0);
    assert!(!unfinished.exists());
}

#[test]
fn another_seed_or_format_is_refused_with_what_to_do() {
    let place = TempDir::new().unwrap();
    let folder = place.path().join("state");
    drop(open_in(&folder).unwrap());
    let other = open(&folder, HostPolicy::instant(), Keyring::new(4), Timestamp::ZERO);
    assert!(fault(other).contains("another seed"));
    let label = folder.join("FRONTIER");
    let written = fs::read_to_string(&label).unwrap();
    fs::write(&label, written.replace("frontier 1", "frontier 2")).unwrap();
    let message = fault(open_in(&folder));
    assert!(
        message.contains("frontier 2") && message.contains("new folder"),
        "{message}"
    );
}
