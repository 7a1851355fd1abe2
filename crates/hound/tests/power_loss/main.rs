//! Power failures: a real crawl is recorded, call by call, and whatever its disk may hold at any moment is opened.
//!
//! A power failure keeps what was flushed and any part of the rest: writes may be missing, torn or out of order, and names
//! may be. From one recording, thousands of such disks can be made. Each of them must open, or be refused with a reason and
//! then be repaired, and in either case:
//!
//! - what was flushed is there: the page records, their responses, and the pages count as fetched;
//! - no page is in the records twice, and every record is intact;
//! - a page counts as fetched if and only if it is in the records, unless the log says what was lost.
//!
//! The test tries a few dozen disks. `SCENTHOUND_POWER_FAILURES=5000 cargo test -p hound --test power_loss` tries more.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test may panic, print and wait"
)]

#[path = "../common/mod.rs"]
mod common;
mod disk;
mod trace;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::bench_web::Web;
use disk::Failure;
use scenthound::{Crawler, StopHandle, earlier_settings, repair};
use scenthound_frontier::{Frontier, HostPolicy, State};
use scenthound_store::CrawlView;
use scenthound_testweb::bench::BenchSize;
use scenthound_types::{CanonicalUrl, Keyring, Timestamp};
use trace::{Change, Event, Inode, Trace};

/// How many disks are tried unless the environment names another number.
const FAILURES: u64 = 30;
/// Everything is flushed once a second.
const KILLED_AFTER: Duration = Duration::from_millis(3_500);

/// A crawl that is recorded, killed, resumed and ended.
fn record(web: &Web, root: &Path) -> Trace {
    let folder = root.join("crawl");
    let mut texts = Vec::new();
    for run in 0..3 {
        let to = root.join(format!("trace-{run}"));
        let before = web.page_requests().len();
        let mut process = trace::traced(&web.command(&folder, &["--delay", "300ms"]), &to)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // The first two runs are killed after a few flushes, so that the next one has something to cut off.
        let mut began = None;
        while process.try_wait().unwrap().is_none()
            && (run == 2 || began.is_none_or(|began: Instant| began.elapsed() < KILLED_AFTER))
        {
            if web.page_requests().len() > before {
                began.get_or_insert_with(Instant::now);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        if run < 2 {
            // strace ends with the process that it started, so that one is killed.
            let children = format!("/proc/{0}/task/{0}/children", process.id());
            for child in fs::read_to_string(children)
                .unwrap_or_default()
                .split_whitespace()
            {
                std::process::Command::new("kill")
                    .args(["-9", child])
                    .status()
                    .unwrap();
            }
        }
        process.wait().unwrap();
        texts.push(fs::read_to_string(&to).unwrap());
    }
    trace::read(&texts, root)
}

/// What was on the disk for certain: after which event, how many bytes of the page records.
fn promises(trace: &Trace) -> Vec<(usize, u64)> {
    let named = |wanted: &str| -> BTreeSet<Inode> {
        let names = trace.events.iter().filter_map(|(_, event)| match event {
            Event::Changed(Change::Name { name, inode, .. }) if name == wanted => Some(*inode),
            _ => None,
        });
        names.collect()
    };
    let pages = named("pages.jsonl");
    let (mut length, mut handed_over) = (0, 0);
    let mut promises = Vec::new();
    for (place, (_, event)) in trace.events.iter().enumerate() {
        match event {
            Event::Changed(Change::Write { file, at, bytes }) if pages.contains(file) => {
                length = length.max(at + bytes.len() as u64);
            }
            Event::Changed(Change::Length { file, length: cut }) if pages.contains(file) => length = *cut,
            // The owner of the crawl hands the file to the thread that flushes. Everything in it has been committed.
            Event::Duplicated(file) if pages.contains(file) => handed_over = length,
            // The last thing that a flush does.
            Event::Changed(Change::Rename { to: (_, name), .. }) if name == "COMMITTED" => {
                promises.push((place, handed_over));
            }
            _ => {}
        }
    }
    promises
}

/// The page records as the process wrote them, up to an event.
fn pages_written(trace: &Trace, before: usize) -> Vec<u8> {
    let whole = Failure {
        before,
        bytes: disk::Bytes::All,
        names: disk::Names::InOrder,
        seed: 0,
    };
    whole.all_of(trace, &["crawl", "pages", "pages.jsonl"])
}

/// How a disk could be used again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Ending {
    /// There was no crawl yet.
    NothingYet,
    /// It opened.
    Opened,
    /// It opened and said that records were lost; they were repaired.
    SaidLoss,
    /// It had been crawling for less than a second, and only its pages were left; they were enough to repair it.
    RepairedFirstSecond,
    /// It was refused and repaired.
    Repaired,
}

/// Opens a crawl as `hound resume` does, and closes it at once.
fn open(folder: &Path) -> Result<(), String> {
    let settings = earlier_settings(folder).map_err(|error| told(&error))?;
    let settings = settings.ok_or("no settings")?;
    let crawler = Crawler::with_settings(settings, folder).map_err(|error| told(&error))?;
    crawler.stop_handle().stop();
    crawler.run().map(drop).map_err(|error| told(&error))
}

fn told(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}

/// Whether what was lost is known to be lost.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Losses {
    /// Nothing may be damaged.
    None,
    /// Damaged records stay where they are, but their pages do not count as fetched.
    Known,
}

/// Checks that records, archive and state agree.
fn check(folder: &Path, promised: &[u8], urls: &BTreeSet<String>, losses: Losses) -> Result<(), String> {
    let view = CrawlView::open(folder).map_err(|error| told(&error))?;
    let pages = fs::read(view.layout().pages()).unwrap_or_default();
    if !pages.starts_with(promised) {
        return Err(format!("{} bytes were flushed and are not there", promised.len()));
    }
    let promised = promised.iter().filter(|byte| **byte == b'\n').count();
    let mut settled = BTreeSet::new();
    for (line, record) in view.pages().map_err(|error| told(&error))?.enumerate() {
        let intact = record.map_err(|error| told(&error)).and_then(|record| {
            if let Some(position) = &record.archive {
                let response = view.record(position).map_err(|error| told(&error))?;
                if response.target_uri() != Some(record.url.as_str()) || !response.faults.is_empty() {
                    return Err(format!("{} is damaged: {:?}", record.url, response.faults));
                }
            }
            Ok(record)
        });
        let record = match intact {
            Ok(record) => record,
            Err(_) if losses == Losses::Known && line >= promised => continue,
            Err(why) => return Err(why),
        };
        if record.is_page() && !record.will_retry && !settled.insert(record.url.clone()) {
            return Err(format!("{} is in the records twice", record.url));
        }
    }
    let policy = HostPolicy {
        delay: Duration::ZERO,
        agents: 3,
        ..HostPolicy::default()
    };
    let state = view.layout().state();
    let frontier =
        scenthound_frontier_durable::open_read_only(&state, policy, Keyring::new(0), Timestamp::ZERO)
            .map_err(|error| told(&error))?;
    for url in urls {
        let facts = frontier.look_up(&CanonicalUrl::parse(url).unwrap()).unwrap();
        let is_settled = facts.is_some_and(|facts| matches!(facts.state, State::Fetched | State::Gone));
        if is_settled != settled.contains(url) {
            return Err(match is_settled {
                true => format!("{url} counts as fetched and has no record"),
                false => format!("{url} has a record and does not count as fetched"),
            });
        }
    }
    Ok(())
}

/// Uses a disk as a person would: opens the crawl, and repairs it if that is said to be necessary.
fn use_again(folder: &Path, promised: &[u8], urls: &BTreeSet<String>) -> Result<Ending, String> {
    if !folder.join("crawl.lock").exists() || !folder.join("crawl.toml").exists() {
        return match promised {
            [] => Ok(Ending::NothingYet),
            _ => Err("the crawl is gone".to_owned()),
        };
    }
    let opened = open(folder);
    let log = fs::read_to_string(folder.join("logs/crawl.log")).unwrap_or_default();
    let ending = match &opened {
        Ok(()) if !log.contains("are lost") => {
            check(folder, promised, urls, Losses::None)?;
            return Ok(Ending::Opened);
        }
        Ok(()) => Ending::SaidLoss,
        Err(why) if why.contains("hound repair") && why.contains("holds pages") => {
            Ending::RepairedFirstSecond
        }
        Err(why) if why.contains("hound repair") => Ending::Repaired,
        Err(why) => return Err(format!("it was refused without a remedy: {why}")),
    };
    if std::env::var_os("SCENTHOUND_TELL").is_some() {
        println!("{ending:?}: {opened:?}");
    }
    let repaired = repair(folder, &StopHandle::default(), &mut |_| {});
    repaired.map_err(|error| format!("{opened:?}, but repairing failed: {}", told(&error)))?;
    open(folder).map_err(|why| format!("{opened:?}, and after repairing: {why}"))?;
    check(folder, promised, urls, Losses::Known)
        .map_err(|why| format!("{opened:?}, and after repairing: {why}"))?;
    Ok(ending)
}

fn place() -> PathBuf {
    // Nothing here needs a disk, and thousands of files are written.
    let memory = Path::new("/dev/shm");
    match memory.is_dir() {
        true => memory.to_owned(),
        false => std::env::temp_dir(),
    }
}

#[test]
fn whatever_a_power_failure_leaves_can_be_used_again() {
    if !trace::can_trace() {
        scenthound_testweb::skip("strace is missing, or may not trace");
        return;
    }
    let size = BenchSize {
        hosts: 6,
        pages: 150,
        bytes: 1_500,
        links: 8,
    };
    let web = Web::sized(size, Duration::from_millis(2));
    let root = tempfile::tempdir().unwrap();
    let trace = record(&web, root.path());
    let promises = promises(&trace);
    assert!(
        promises.len() >= 3,
        "the crawl was flushed {} times",
        promises.len()
    );
    let failures = std::env::var("SCENTHOUND_POWER_FAILURES");
    let failures = failures.map_or(FAILURES, |number| number.parse().unwrap());
    let only: Option<u64> = std::env::var("SCENTHOUND_POWER_FAILURE")
        .ok()
        .map(|n| n.parse().unwrap());
    let mut endings: BTreeMap<Ending, u64> = BTreeMap::new();
    let mut wrong = Vec::new();
    for n in 0..failures {
        if only.is_some_and(|only| only != n) {
            continue;
        }
        let failure = Failure::number(n, &trace);
        let promised = promises.iter().rev().find(|(place, _)| *place < failure.before);
        let promised = promised.map_or_else(Vec::new, |(place, length)| {
            let mut pages = pages_written(&trace, *place);
            pages.truncate(*length as usize);
            pages
        });
        let disk = tempfile::tempdir_in(place()).unwrap();
        failure.write(&trace, disk.path());
        match use_again(&disk.path().join("crawl"), &promised, &web.urls) {
            Ok(ending) => *endings.entry(ending).or_default() += 1,
            Err(why) => {
                println!("{n}: {failure:?} of {} events: {why}", trace.events.len());
                wrong.push(n);
                if std::env::var_os("SCENTHOUND_KEEP").is_some() {
                    println!("kept in {}", disk.keep().display());
                }
            }
        }
    }
    println!(
        "{failures} power failures among {} events: {endings:?}",
        trace.events.len()
    );
    assert!(wrong.is_empty(), "{} of {failures} went wrong", wrong.len());
}
