//! An outage of our own is not charged to the hosts.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test may panic and wait"
)]

mod hostile_web;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Duration;

use scenthound_testweb::{ServeOptions, SiteResponse, serve};

use crate::hostile_web::{Site, address, links, run, settings};

const HOSTS: usize = 6;

fn answer(_: &str, path: &str) -> SiteResponse {
    match path {
        "/robots.txt" => SiteResponse::missing(),
        path => {
            let next: usize = path.trim_start_matches('/').parse().unwrap();
            links([format!("/{}", next + 1)])
        }
    }
}

#[test]
fn what_fails_while_no_host_can_be_reached_is_fetched_later() {
    let serve_at = |port| {
        let options = ServeOptions {
            listen: vec![SocketAddr::from(([0, 0, 0, 0], port))],
            ..ServeOptions::default()
        };
        serve(std::sync::Arc::new(Site(answer)), options).unwrap()
    };
    let first = serve_at(0);
    let port = first.addr().port();
    let pins: HashMap<_, _> = (0..HOSTS)
        .map(|n| (format!("host{n}.test"), SocketAddr::from((address(n), port))))
        .collect();
    let settings = settings(pins, Duration::from_secs(22));
    let seeds: Vec<String> = (0..HOSTS).map(|n| format!("http://host{n}.test/0")).collect();
    // All hosts at once are gone from the 4th second to the 12th.
    let network = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(4));
        first.stop();
        std::thread::sleep(Duration::from_secs(8));
        let second = serve_at(port);
        std::thread::sleep(Duration::from_secs(20));
        second.served()
    });
    let crawled = run(settings, &seeds.iter().map(String::as_str).collect::<Vec<_>>());
    let failed: Vec<_> = crawled
        .records
        .iter()
        .filter(|record| !record.is_ok())
        .map(|record| (record.url.as_str(), record.outcome))
        .filter(|(url, _)| !url.ends_with("/robots.txt"))
        .collect();
    let late = network.join().unwrap();
    println!(
        "{} pages, {late} requests after the outage, failed: {failed:?}",
        crawled.summary.tally.pages
    );
    assert!(failed.len() <= 1, "{failed:?}");
    assert!(late >= 3 * HOSTS as u64, "{late}");
}
