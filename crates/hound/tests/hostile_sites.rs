//! Sites that try to stop the crawl or to lead it astray, over real sockets, and the pages that must be found beside them.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test may panic, print and measure time"
)]

mod common;

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use common::{Run, command};
use scenthound_testweb::{ServeOptions, Serving, SiteResponse, TestSite, serve};

/// Hosts that are IP addresses on loopback, each with its own answers.
struct Hosts<F>(Vec<String>, u16, F);

impl<F: Fn(&str, &str, u16) -> SiteResponse + Send + Sync> TestSite for Hosts<F> {
    fn answer(&self, host: &str, path: &str) -> SiteResponse {
        (self.2)(host, path, self.1)
    }

    fn hosts(&self) -> Vec<String> {
        self.0.clone()
    }
}

/// Serves these last numbers of 127.0.0.x on one port. The answer gets the host, the path and the port.
fn serve_hosts(
    hosts: &[u8],
    answer: impl Fn(&str, &str, u16) -> SiteResponse + Send + Sync + Clone + 'static,
) -> (Serving, u16) {
    let names: Vec<String> = hosts.iter().map(|host| format!("127.0.0.{host}")).collect();
    for _ in 0..20 {
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let listen: Vec<SocketAddr> = names
            .iter()
            .map(|host| format!("{host}:{port}").parse().unwrap())
            .collect();
        let options = ServeOptions {
            listen,
            ..ServeOptions::default()
        };
        if let Ok(serving) = serve(Arc::new(Hosts(names.clone(), port, answer.clone())), options) {
            return (serving, port);
        }
    }
    panic!("no port is free on all addresses");
}

/// Crawls from these seeds.
fn crawl(folder: &Path, seeds: &[&str], options: &[&str]) -> Run {
    let always = [
        "crawl",
        "tea kettle",
        "--allow-net",
        "127.0.0.0/8",
        "-o",
        "crawl",
        "--ip-delay",
        "0s",
        "--contact",
        "test@example.org",
    ];
    let output = command(folder, &[&always[..], seeds, options].concat())
        .output()
        .unwrap();
    output.into()
}

/// How many pages each host was asked for.
fn pages_asked(serving: &Serving) -> BTreeMap<String, usize> {
    let mut asked = BTreeMap::new();
    for request in serving.requests() {
        if request.path != "/robots.txt" {
            *asked.entry(request.host).or_default() += 1;
        }
    }
    asked
}

/// A page that links to a chain of further pages on its host.
fn chain(path: &str) -> SiteResponse {
    let number: usize = path.trim_start_matches('/').parse().unwrap_or(0);
    SiteResponse::html(format!(
        "<title>Tea {number}</title><p>Tea in a kettle, cup {number}. <a href=/{}>more tea</a> <a href=/{}>tea</a>",
        2 * number + 1,
        2 * number + 2
    ))
}

/// The host 127.0.0.3 forbids all its 3,000 links by rules that are slow to compare; 127.0.0.2 is an ordinary site.
#[test]
fn costly_robots_rules_hold_up_neither_other_hosts_nor_the_clock() {
    let (serving, port) = serve_hosts(&[2, 3], |host, path, _| match (host, path) {
        ("127.0.0.2", "/robots.txt") => SiteResponse::missing(),
        ("127.0.0.3", "/robots.txt") => {
            let mut rules = String::from("User-agent: *\n");
            for number in 0..626 {
                rules.push_str(&format!("Disallow: /x{}*{number}z$\n", "*a".repeat(380)));
            }
            rules.push_str("Disallow: /x\n");
            SiteResponse::text(rules)
        }
        ("127.0.0.3", "/") => {
            let links: String = (0..3_000)
                .map(|number| format!("<a href='/x{}{number}'>tea kettle</a> ", "az1".repeat(500)))
                .collect();
            SiteResponse::html(format!("<title>Tea kettle</title><p>Tea kettle.{links}"))
        }
        _ => chain(path),
    });
    let folder = tempfile::tempdir().unwrap();
    let (good, bad) = (
        format!("http://127.0.0.2:{port}/0"),
        format!("http://127.0.0.3:{port}/"),
    );
    let started = Instant::now();
    let run = crawl(
        folder.path(),
        &[&good, &bad],
        &["--max-time", "6s", "--delay", "20ms"],
    );
    let took = started.elapsed();
    let healthy = pages_asked(&serving)["127.0.0.2"];
    println!("{healthy} healthy pages in {took:?}");
    assert_eq!(run.code, Some(15), "{run:?}");
    assert!(took.as_secs() < 25, "stopped after {took:?}");
    assert!(healthy > 60, "{healthy} pages of the ordinary site");
}
