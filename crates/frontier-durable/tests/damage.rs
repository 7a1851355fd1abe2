//! A store that was damaged is refused, and a clock that was set back does not make hosts rest longer.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use scenthound_frontier::{CLOCK_NOTE, End, Frontier, FrontierError, HostEffect, HostPolicy, Next, Settled};
use scenthound_frontier_durable::{DurableFrontier, open};
use scenthound_types::{AgentId, CanonicalUrl, Keyring, Merge, Offer, Rank, StateDelta, Timestamp};

const HOUR: Duration = Duration::from_secs(3_600);

fn policy() -> HostPolicy {
    HostPolicy {
        robots: false,
        delay: Duration::ZERO,
        backoff: Duration::from_secs(10),
        ..HostPolicy::default()
    }
}

fn open_at(folder: &Path, now: Timestamp) -> Result<DurableFrontier, FrontierError> {
    open(folder, policy(), Keyring::new(0), now)
}

fn offer(number: usize) -> Offer {
    let url = CanonicalUrl::parse(&format!("http://h{}.test/{number}", number % 7)).unwrap();
    Offer {
        key: Keyring::new(0).key(&url),
        url,
        rank: Rank::of_score(0.5),
        merge: Merge::Keep,
    }
}

/// A store with this many commits of ten URLs each, all on the disk.
fn filled(folder: &Path, commits: usize) {
    let mut frontier = open_at(folder, Timestamp::ZERO).unwrap();
    for commit in 0..commits {
        let offers: Vec<Offer> = (0..10).map(|number| offer(10 * commit + number)).collect();
        frontier
            .seed_for(AgentId::default(), &offers, Timestamp::ZERO)
            .unwrap();
        frontier.commit(&StateDelta::default()).unwrap();
    }
    frontier.sync().unwrap();
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// A copy of a folder in which one file is missing.
fn copy_without(folder: &Path, file: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for path in files(folder) {
        let to = copy.path().join(path.strip_prefix(folder).unwrap());
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        if path != file {
            fs::copy(&path, &to).unwrap();
        }
    }
    copy
}

fn journal_of(folder: &Path) -> PathBuf {
    let is_journal = |path: &PathBuf| path.extension().is_some_and(|end| end == "jnl");
    files(folder).into_iter().find(is_journal).unwrap()
}

#[test]
fn zeros_in_the_journal_are_noticed() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().join("state");
    filled(&folder, 100);
    let journal = journal_of(&folder);
    let mut bytes = fs::read(&journal).unwrap();
    bytes[8_192..12_288].fill(0);
    fs::write(&journal, bytes).unwrap();
    let refused = open_at(&folder, Timestamp::ZERO).unwrap_err();
    let FrontierError::Store(source) = refused else {
        panic!("{refused}");
    };
    assert!(source.to_string().contains("hound repair"), "{source}");
}

/// A power failure may leave any of its pages out, or half of one.
#[test]
fn a_journal_with_one_byte_changed_is_whole_or_refused_with_a_remedy() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().join("state");
    filled(&folder, 20);
    let journal = journal_of(&folder);
    let whole = fs::read(&journal).unwrap();
    let length = whole.iter().rposition(|byte| *byte != 0).unwrap();
    let mut refused = 0;
    for place in (0..length).step_by(length / 60) {
        let copy = copy_without(&folder, &journal);
        let mut bytes = whole.clone();
        bytes[place] ^= 0xff;
        fs::write(copy.path().join(journal.file_name().unwrap()), &bytes).unwrap();
        match open_at(copy.path(), Timestamp::ZERO) {
            Ok(frontier) => assert_eq!(frontier.counts().known, 200, "byte {place}"),
            Err(FrontierError::Store(source)) => {
                assert!(
                    source.to_string().contains("hound repair"),
                    "byte {place}: {source}"
                );
                refused += 1;
            }
            Err(other) => panic!("byte {place}: {other}"),
        }
    }
    assert!(refused > 10, "{refused}");
}

/// Whatever single file disappears, the store is refused or complete: never quietly smaller.
#[test]
fn a_missing_file_is_noticed_or_does_no_harm() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().join("state");
    filled(&folder, 100);
    let names: Vec<PathBuf> = files(&folder)
        .iter()
        .map(|path| path.strip_prefix(&folder).unwrap().to_owned())
        .collect();
    let mut refused = 0;
    for name in &names {
        let copy = copy_without(&folder, &folder.join(name));
        match open_at(copy.path(), Timestamp::ZERO) {
            Ok(frontier) => assert_eq!(frontier.counts().known, 1_000, "without {}", name.display()),
            Err(_) => refused += 1,
        }
    }
    assert!(refused >= 2, "{refused} of {}", names.len());
}

/// Takes the one URL there is, fails it, and commits at this time.
fn fail(frontier: &mut DurableFrontier, now: Timestamp) {
    let Next::Fetch(leases) = frontier.take_many(1, now).unwrap() else {
        panic!("nothing to fetch at {now}");
    };
    let settled = Settled {
        lease: &leases[0],
        end: End::Retry,
        host_effect: HostEffect::Failed,
        updates: &[],
        links: &[],
        rules: None,
        sitemaps: &[],
        requisites: &[],
    };
    frontier.settle(settled, now).unwrap();
    let mut notes = StateDelta::default();
    notes.put(CLOCK_NOTE, now.as_millis().to_le_bytes().to_vec());
    frontier.commit(&notes).unwrap();
}

#[test]
fn a_clock_that_was_set_back_does_not_make_hosts_rest_longer() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().join("state");
    let late = Timestamp::ZERO + 2 * HOUR;
    let mut frontier = open_at(&folder, late).unwrap();
    frontier.seed_for(AgentId::default(), &[offer(0)], late).unwrap();
    fail(&mut frontier, late);
    drop(frontier);

    let early = Timestamp::ZERO + HOUR;
    let mut frontier = open_at(&folder, early).unwrap();
    let Next::WaitUntil(until) = frontier.take_many(1, early).unwrap() else {
        panic!("the host does not rest");
    };
    assert!(until <= early + Duration::from_secs(30), "{until}");
}

#[test]
fn a_clock_that_ran_years_ahead_for_one_run_costs_no_url_and_no_rest() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().join("state");
    let right = Timestamp::ZERO + 2 * HOUR;
    let mut frontier = open_at(&folder, right).unwrap();
    frontier.seed_for(AgentId::default(), &[offer(0)], right).unwrap();
    fail(&mut frontier, right);
    drop(frontier);

    // The rest is over by this clock, and the URL still waits.
    let ahead = right + 20 * 365 * 24 * HOUR;
    let mut frontier = open_at(&folder, ahead).unwrap();
    assert_eq!(frontier.counts().known, 1);
    fail(&mut frontier, ahead);
    drop(frontier);

    // The clock is right again.
    let right = right + Duration::from_secs(60);
    let mut frontier = open_at(&folder, right).unwrap();
    let Next::WaitUntil(until) = frontier.take_many(1, right).unwrap() else {
        panic!("the host does not rest");
    };
    assert!(until <= right + Duration::from_secs(120), "{until}");
    assert!(matches!(frontier.take_many(1, until), Ok(Next::Fetch(_))));
}
