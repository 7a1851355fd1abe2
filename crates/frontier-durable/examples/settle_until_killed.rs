//! Takes one step after another in the frontier of a folder and prints each step's number once it is committed, until
//! it is killed. The crash test runs it; `cargo run --example settle_until_killed -- FOLDER` does the same by hand.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, dead_code)] // a tool for the tests that reports on stdout

#[path = "../tests/steps/mod.rs"]
mod steps;

use std::io::Write;
use std::path::PathBuf;

use scenthound_frontier_durable::open;
use scenthound_types::Timestamp;

fn main() {
    let folder: PathBuf = std::env::args_os().nth(1).unwrap().into();
    let mut frontier = open(&folder, steps::policy(), steps::keyring(), Timestamp::ZERO).unwrap();
    let mut stdout = std::io::stdout().lock();
    for step in steps::steps_done(&frontier) + 1.. {
        steps::take_step(&mut frontier, step);
        writeln!(stdout, "{step}").unwrap();
        stdout.flush().unwrap();
    }
}
