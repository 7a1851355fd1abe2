//! The folder's lock between real processes.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use scenthound_store::{CrawlFolder, CrawlView, Error};

const HELD: &str = "SCENTHOUND_TEST_HELD_FOLDER";

/// Not a real test: the other process of the test below. It holds the folder until it is killed.
#[test]
fn other_process() {
    let Some(root) = std::env::var_os(HELD) else {
        return;
    };
    let _folder = CrawlFolder::open_or_create(Path::new(&root)).unwrap();
    println!("\nheld");
    let _ = std::io::stdin().read(&mut [0]);
}

#[test]
fn a_killed_process_no_longer_holds_its_folder() {
    let temp = tempfile::tempdir().unwrap();
    let mut other = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "other_process", "--nocapture"])
        .env(HELD, temp.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(other.stdout.take().unwrap());
    assert!(output.lines().any(|line| line.unwrap() == "held"));

    let refused = CrawlFolder::open(temp.path());
    let Err(Error::InUse { pid, .. }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(pid, Some(other.id()));
    let view = CrawlView::open(temp.path()).unwrap();
    assert_eq!(view.worker().unwrap(), Some(other.id()));

    other.kill().unwrap();
    other.wait().unwrap();
    assert_eq!(view.worker().unwrap(), None);
    CrawlFolder::open(temp.path()).unwrap();
}
