//! Measures what politeness leaves of a crawl's speed, and what many hosts cost.
//!
//! The numbers are those of hosts, of seconds, of seconds between two requests to one host, and of seconds that a host takes to
//! answer. The number of requests at a time is the default of a crawl.
//!
//! ```text
//! cargo run --release -p scenthound-live --example many_hosts polite 500 60 1 0.2     hosts at addresses of their own
//! cargo run --release -p scenthound-live --example many_hosts virtual 3000 30 1 0     hosts that share one address, beside 20 others
//! cargo run --release -p scenthound-live --example many_hosts virtual 0 30 1 0        the 20 others alone
//! cargo run --release -p scenthound-live --example many_hosts pool 1000 60 5 0        connections made for hosts in rotation
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::panic,
    reason = "a program for people"
)]

#[path = "../tests/hostile_web/mod.rs"]
mod hostile_web;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Duration;

use hostile_web::{address, links, run, serve_late, settings};
use scenthound_testweb::SiteResponse;

/// The processor time of this process so far.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    Duration::from_millis(ticks * 10)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, hosts, seconds, delay, latency] = arguments.as_slice() else {
        panic!("give what to measure, the number of hosts, the seconds, the delay and the latency");
    };
    let latency = Duration::from_secs_f64(latency.parse().unwrap());
    let (hosts, seconds): (usize, u64) = (hosts.parse().unwrap(), seconds.parse().unwrap());
    let serving = serve_late(latency, |_, path| match path {
        "/robots.txt" => SiteResponse::missing(),
        path => links([format!(
            "/{}",
            path.trim_start_matches('/').parse::<u64>().unwrap() + 1
        )]),
    });
    let port = serving.addr().port();
    let at = |n| SocketAddr::from((address(n), port));
    let others = if what == "virtual" { 20 } else { 0 };
    let mut pins: HashMap<String, SocketAddr> = (0..hosts)
        .map(|n| {
            (
                format!("host{n}.test"),
                if what == "virtual" { at(0) } else { at(1 + n) },
            )
        })
        .collect();
    pins.extend((0..others).map(|n| (format!("other{n}.test"), at(1 + n))));
    let seeds: Vec<String> = pins.keys().map(|host| format!("http://{host}/0")).collect();
    let mut settings = settings(pins, Duration::from_secs(seconds));
    settings.concurrency = 1_024;
    settings.policy.delay = Duration::from_secs_f64(delay.parse().unwrap());
    let delay = settings.policy.delay;
    let before = cpu_time();
    run(settings, &seeds.iter().map(String::as_str).collect::<Vec<_>>());
    let spent = cpu_time() - before;
    let requests = serving.requests();
    let to_others = requests
        .iter()
        .filter(|request| request.host.starts_with("other"))
        .count();
    println!(
        "{hosts} hosts, {seconds} s: {} requests, {to_others} of them to {others} others, {} connections, {:.1} s of processor \
         time, server included",
        requests.len(),
        serving.connections(),
        spent.as_secs_f64()
    );
    if what == "polite" {
        let allowed = hosts as f64 * seconds as f64 / (delay + latency).as_secs_f64();
        println!(
            "{:.0} % of the {allowed:.0} requests that delay and latency allow",
            100.0 * requests.len() as f64 / allowed
        );
    }
}
