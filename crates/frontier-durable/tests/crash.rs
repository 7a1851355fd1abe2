//! After a crash at any moment the frontier is as some commit left it: the last one it reported, or a later one.

#![allow(clippy::unwrap_used)] // the lint exempts test functions, but not what they call

mod steps;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use scenthound_frontier::MemoryFrontier;
use scenthound_frontier_durable::{DurableFrontier, open};
use scenthound_types::{Keyring, Timestamp};
use tempfile::TempDir;

fn reopen(folder: &Path) -> DurableFrontier {
    open(folder, steps::policy(), steps::keyring(), Timestamp::ZERO).unwrap()
}

/// The same steps, in memory.
struct Replay {
    frontier: MemoryFrontier,
    done: u64,
}

impl Replay {
    fn new() -> Replay {
        Replay {
            frontier: MemoryFrontier::new(steps::policy(), steps::keyring()),
            done: 0,
        }
    }

    fn advance(&mut self, to: u64) -> &MemoryFrontier {
        while self.done < to {
            self.done += 1;
            steps::take_step(&mut self.frontier, self.done);
        }
        &self.frontier
    }
}

/// Cargo builds examples together with tests, one folder up.
fn example() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let built = test.parent().and_then(Path::parent).unwrap();
    let example = built.join("examples").join("settle_until_killed");
    assert!(
        example.exists(),
        "{} is missing: run `cargo test` for the whole package",
        example.display()
    );
    example
}

#[test]
fn a_killed_process_loses_nothing_it_committed() {
    const ROUNDS: u64 = 24;
    let place = TempDir::new().unwrap();
    let folder = place.path().join("state");
    let mut replay = Replay::new();
    let mut told = 0;
    for round in 0..ROUNDS {
        let random = Keyring::new(round).hash("how long it lives");
        let mut child = Command::new(example())
            .arg(&folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // The first rounds kill it while it creates its folder, the others in the middle of its work.
        let lines_first = if round < 4 { 0 } else { 1 + random % 60 };
        for line in lines.by_ref().take(lines_first as usize) {
            told = line.unwrap().parse().unwrap();
        }
        // Not always right after a commit, but anywhere in the next one or two.
        for _ in 0..random % 400_000 {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        for line in lines {
            told = line.unwrap().parse().unwrap();
        }
        let kept = reopen(&folder);
        let done = steps::steps_done(&kept);
        assert!(
            done == told || done == told + 1,
            "step {told} was reported, but the frontier has step {done}"
        );
        steps::assert_same(&kept, replay.advance(done));
        told = done;
    }
    assert!(replay.done > ROUNDS, "the process should have made progress");
}

/// Copies a folder, with the journal replaced.
fn copy_with(folder: &Path, to: &Path, journal: &[u8]) {
    fs::create_dir_all(to).unwrap();
    for item in fs::read_dir(folder).unwrap() {
        let item = item.unwrap();
        let target = to.join(item.file_name());
        if item.file_type().unwrap().is_dir() {
            copy_with(&item.path(), &target, journal);
        } else if item.path().extension().is_some_and(|ext| ext == "jnl") {
            fs::write(&target, journal).unwrap();
        } else {
            fs::copy(item.path(), &target).unwrap();
        }
    }
}

#[test]
fn a_journal_cut_anywhere_holds_some_whole_number_of_commits() {
    const STEPS: u64 = 6;
    // In memory where possible: this opens a hundred stores and does not test the disk.
    let place = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap();
    let folder = place.path().join("state");
    let mut frontier = reopen(&folder);
    for step in 1..=STEPS {
        steps::take_step(&mut frontier, step);
    }
    drop(frontier);
    let journal = fs::read_dir(&folder)
        .unwrap()
        .map(|item| item.unwrap().path())
        .find(|path| path.extension().is_some_and(|ext| ext == "jnl"))
        .unwrap();
    let whole = fs::read(journal).unwrap();
    let end = whole.iter().rposition(|byte| *byte != 0).unwrap() + 1;
    let mut seen = Vec::new();
    for round in 0..40_u64 {
        let random = Keyring::new(round).hash("where it is cut") as usize;
        let cut = if round == 0 { end } else { random % end };
        let mut torn = whole.get(..cut).unwrap().to_vec();
        // A preallocated file has zeros where nothing has been written yet.
        if round % 2 == 1 {
            torn.resize(end + 4096, 0);
        }
        let copy = place.path().join(format!("cut-{round}"));
        copy_with(&folder, &copy, &torn);
        let kept = reopen(&copy);
        let done = steps::steps_done(&kept);
        steps::assert_same(&kept, Replay::new().advance(done));
        drop(kept);
        // A repaired store needs no second repair.
        assert_eq!(steps::steps_done(&reopen(&copy)), done);
        fs::remove_dir_all(&copy).unwrap();
        seen.push(done);
    }
    assert_eq!(seen[0], STEPS);
    assert!(seen.iter().any(|done| *done < STEPS));
}
