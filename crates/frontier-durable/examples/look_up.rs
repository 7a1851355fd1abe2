//! Measures what it takes to look up one URL in a large store, in both ways:
//!
//! ```text
//! cargo run --release --example fill -- /tmp/large 4000000
//! time target/release/examples/look_up /tmp/large peek
//! time target/release/examples/look_up /tmp/large load
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    missing_docs,
    reason = "a measurement may panic and print"
)]

use std::fs;
use std::path::PathBuf;

use scenthound_frontier::{Frontier, HostPolicy};
use scenthound_frontier_durable::{Peek, open_read_only};
use scenthound_types::{CanonicalUrl, Keyring, Timestamp};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, way] = arguments.as_slice() else {
        panic!("give the folder that the example fill has made, and peek or load");
    };
    let folder = PathBuf::from(folder);
    // The seed and the URLs of the example fill.
    let keyring = Keyring::new(1);
    let spelled = "http://www.host-4711.example/articles/4711/some-title-of-the-page.html";
    let url = CanonicalUrl::parse(spelled).unwrap();
    let found = match way.as_str() {
        "peek" => {
            let peek = Peek::open(&folder, keyring, Timestamp::ZERO).unwrap();
            let peeked = peek.look_up(&[&url]).unwrap();
            println!("{} URLs wait", peeked.waiting);
            peeked.urls.into_iter().flatten().next().map(|(_, facts)| facts)
        }
        _ => {
            let policy = HostPolicy::instant();
            let frontier = open_read_only(&folder, policy, keyring, Timestamp::ZERO).unwrap();
            println!("{} URLs wait", frontier.counts().waiting);
            frontier.look_up(&url).unwrap()
        }
    };
    println!("{:?}", found.unwrap().state);
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    println!("{peak}");
}
