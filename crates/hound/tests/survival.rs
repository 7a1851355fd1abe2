//! What the system does to a crawl: signals, a machine that sleeps, too few open files, a full disk, too little memory. Nothing
//! is lost, and no host is blamed.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test may panic, print and wait"
)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use common::bench_web::{Web, records};
use common::{hound_in, says, text};
use scenthound_store::PageRecord;
use scenthound_testweb::bench::BenchSize;

fn small_web() -> Web {
    let size = BenchSize {
        hosts: 6,
        pages: 120,
        bytes: 2_000,
        links: 10,
    };
    Web::sized(size, Duration::from_millis(20))
}

fn signal(process: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([&format!("-{name}"), &process.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
}

/// Waits until the web has answered so many requests.
fn wait_for_requests(web: &Web, count: u64, process: &mut Child) {
    let until = Instant::now() + Duration::from_secs(120);
    while web.serving.served() < count {
        assert!(process.try_wait().unwrap().is_none(), "the crawl ended too early");
        assert!(Instant::now() < until, "the crawl does not get on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn urls(records: &[PageRecord]) -> BTreeSet<String> {
    records.iter().map(|record| record.url.clone()).collect()
}

/// Checks that the crawl has every page of the web exactly once and nothing that failed.
fn assert_complete(web: &Web, folder: &Path) {
    let records = records(folder);
    let failed: Vec<_> = records.iter().filter(|record| !record.is_ok()).collect();
    assert!(failed.is_empty(), "{failed:?}");
    assert_eq!(urls(&records), web.urls);
    assert_eq!(records.len(), web.urls.len());
}

#[test]
fn a_terminal_that_hangs_up_saves_and_stops_the_crawl() {
    let (web, temp) = (small_web(), tempfile::tempdir().unwrap());
    let folder = temp.path().join("crawl");
    let mut process = web.crawl(&folder, &[]);
    wait_for_requests(&web, 30, &mut process);
    signal(&process, "HUP");
    assert_eq!(process.wait().unwrap().code(), Some(11));
    let status = says(temp.path(), &["status", text(&folder)]);
    assert!(status.contains("interrupted"), "{status}");
    let before = urls(&records(&folder));
    assert!(before.len() < web.urls.len());
    assert_eq!(web.crawl(&folder, &[]).wait().unwrap().code(), Some(0));
    assert_complete(&web, &folder);
}

#[test]
fn a_process_that_was_stopped_for_a_while_blames_no_host() {
    let (web, temp) = (small_web(), tempfile::tempdir().unwrap());
    let folder = temp.path().join("crawl");
    // While the process sleeps, every request under way runs out of time.
    let options = [
        "--first-byte-timeout",
        "3s",
        "--body-timeout",
        "3s",
        "--connect-timeout",
        "3s",
        "--retries",
        "0",
    ];
    let mut process = web.crawl(&folder, &options);
    wait_for_requests(&web, 30, &mut process);
    signal(&process, "STOP");
    std::thread::sleep(Duration::from_millis(6_500));
    signal(&process, "CONT");
    assert_eq!(process.wait().unwrap().code(), Some(0));
    let log = fs::read_to_string(folder.join("logs/crawl.log")).unwrap();
    assert!(log.contains("was stopped for a while"), "{log}");
    assert_complete(&web, &folder);
}

/// Runs the crawl with a limit on open files, of which some are taken already.
fn crawl_with_files(web: &Web, folder: &Path, limit: u32, taken: u32) -> Option<i32> {
    let crawl = web.command(
        folder,
        &[
            "--concurrency",
            "300",
            "--delay",
            "0s",
            "--connections-per-host",
            "40",
        ],
    );
    let script = format!(
        "for n in $(seq 10 {}); do eval \"exec $n</dev/null\"; done; ulimit -n {limit}; exec \"$@\"",
        9 + taken
    );
    let mut limited = Command::new("bash");
    limited
        .args(["-c", &script, "bash"])
        .arg(crawl.get_program())
        .args(crawl.get_args());
    limited.current_dir(folder.parent().unwrap());
    for (name, value) in crawl.get_envs() {
        limited.env(name, value.unwrap_or_default());
    }
    limited
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap()
        .code()
}

#[test]
fn few_open_files_make_a_slower_crawl_and_no_failures() {
    for (limit, taken) in [(150, 0), (150, 60), (64, 0)] {
        let (web, temp) = (small_web(), tempfile::tempdir().unwrap());
        let folder = temp.path().join("crawl");
        let code = crawl_with_files(&web, &folder, limit, taken);
        assert_eq!(code, Some(0), "{limit} files, {taken} taken");
        assert_complete(&web, &folder);
    }
}

#[test]
fn a_disk_that_is_full_while_the_settings_are_written_has_its_own_exit_code() {
    if !Path::new("/dev/full").exists() {
        scenthound_testweb::skip("/dev/full does not exist");
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().join("crawl");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("crawl.lock"), "").unwrap();
    // The settings are written under this name first.
    std::os::unix::fs::symlink("/dev/full", folder.join("crawl.toml.new")).unwrap();
    let run = hound_in(
        temp.path(),
        &[
            "crawl",
            "tea",
            "http://127.0.0.1:9/",
            "-o",
            text(&folder),
            "--contact",
            "test@example.org",
        ],
    );
    assert_eq!(run.code, Some(16), "{run:?}");
    assert!(run.err.contains("No space left"), "{run:?}");
}

#[test]
fn a_crawl_without_enough_memory_saves_and_stops() {
    let (web, temp) = (small_web(), tempfile::tempdir().unwrap());
    let folder = temp.path().join("crawl");
    // Less than the program itself takes, and slow enough for it to notice.
    let run = web
        .command(&folder, &["--max-memory", "1MB", "--delay", "5s"])
        .status()
        .unwrap();
    assert_eq!(run.code(), Some(17));
    let status = says(temp.path(), &["status", text(&folder)]);
    assert!(status.contains("--max-memory"), "{status}");
    assert_eq!(
        web.crawl(&folder, &["--delay", "20ms"]).wait().unwrap().code(),
        Some(0)
    );
    assert_complete(&web, &folder);
}

#[test]
fn a_copy_of_a_running_crawl_opens_without_loss() {
    let (web, temp) = (Web::start(), tempfile::tempdir().unwrap());
    let folder = temp.path().join("crawl");
    let mut process = web.crawl(&folder, &[]);
    wait_for_requests(&web, 60, &mut process);
    let mut copies = Vec::new();
    for number in 0..3 {
        let copy = temp.path().join(format!("copy-{number}"));
        let certain = urls(&records(&folder));
        says(temp.path(), &["snapshot", text(&folder), "-o", text(&copy)]);
        copies.push((copy, certain));
    }
    let refused = hound_in(
        temp.path(),
        &["snapshot", text(&folder), "-o", text(&copies[0].0)],
    );
    assert!(refused.err.contains("exists already"), "{refused:?}");
    let inside = folder.join("inside");
    let refused = hound_in(temp.path(), &["snapshot", text(&folder), "-o", text(&inside)]);
    assert!(refused.err.contains("inside"), "{refused:?}");
    process.kill().unwrap();
    process.wait().unwrap();
    for (copy, certain) in copies {
        let held = urls(&records(&copy));
        println!(
            "{} pages in the copy, {} before it was made",
            held.len(),
            certain.len()
        );
        // It finishes as the crawl itself would, and fetches nothing again that it had.
        let asked_before = web.page_requests().len();
        assert_eq!(web.crawl(&copy, &[]).wait().unwrap().code(), Some(0));
        assert_complete(&web, &copy);
        let again = web.page_requests().into_iter().skip(asked_before);
        let again: Vec<String> = again
            .map(|(url, _)| url)
            .filter(|url| certain.contains(url))
            .collect();
        assert!(again.is_empty(), "{again:?}");
    }
}
