//! Hosts that accept connections and say nothing do not slow down the rest of the crawl.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod hostile_web;

use std::collections::HashMap;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use scenthound_testweb::SiteResponse;

use crate::hostile_web::{address, links, run, serve_all, settings};

const HEALTHY: usize = 20;

/// Healthy pages fetched in a crawl whose hub also links to this many hosts that never answer, each at an address and under a
/// domain of its own.
fn healthy_pages(silent: usize, concurrency: usize, are_seeds: bool, seconds: u64) -> usize {
    // The system accepts connections for a listener that nobody looks after.
    let mute = TcpListener::bind("0.0.0.0:0").unwrap();
    let serving = serve_all(move |host, path| match (host, path) {
        (_, "/robots.txt") => SiteResponse::missing(),
        ("hub.test", "/") => {
            let silent = (0..silent).map(|n| format!("http://silent{n}.test/"));
            links(silent.chain((0..HEALTHY).map(|n| format!("http://healthy{n}.test/0"))))
        }
        (_, path) => {
            let next: usize = path.trim_start_matches('/').parse().unwrap();
            links([format!("/{}", next + 1)])
        }
    });
    let at = |n, port| SocketAddr::from((address(n), port));
    let port = serving.addr().port();
    let mute_port = mute.local_addr().unwrap().port();
    let mut pins = HashMap::from([("hub.test".to_owned(), at(0, port))]);
    pins.extend((0..HEALTHY).map(|n| (format!("healthy{n}.test"), at(1 + n, port))));
    pins.extend((0..silent).map(|n| (format!("silent{n}.test"), at(1_000 + n, mute_port))));
    let mut settings = settings(pins, Duration::from_secs(seconds));
    settings.concurrency = concurrency;
    let mut seeds = vec!["http://hub.test/".to_owned()];
    if are_seeds {
        seeds.extend((0..HEALTHY).map(|n| format!("http://healthy{n}.test/0")));
    }
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    run(settings, &seeds);
    let requests = serving.requests().into_iter();
    requests
        .filter(|request| request.host.starts_with("healthy") && request.path != "/robots.txt")
        .count()
}

#[test]
fn healthy_pages_do_not_become_fewer_because_of_400_silent_hosts() {
    for concurrency in [16, 256] {
        let alone = healthy_pages(0, concurrency, true, 20);
        let beside = healthy_pages(400, concurrency, true, 20);
        println!("{concurrency} at a time: {alone} pages alone, {beside} beside 400 silent hosts");
        assert!(beside * 100 >= alone * 90, "{beside} of {alone}");
    }
}

#[test]
fn hosts_listed_after_400_silent_ones_get_their_turn() {
    let pages = healthy_pages(400, 256, false, 40);
    println!("{pages} pages of hosts listed after 400 silent ones");
    assert!(pages > 0);
}
