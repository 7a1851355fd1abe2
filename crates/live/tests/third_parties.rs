//! Whatever a hostile site does, hosts it points to get no more requests than politeness allows.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod hostile_web;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Duration;

use scenthound_testweb::{Request, SiteResponse};

use crate::hostile_web::{address, links, run, serve_all, settings, spacing};

const HOSTS: usize = 200;

/// A hub that links to 200 hosts at as many addresses, each of which redirects its robots.txt to the victim.
fn redirected_to(victim: impl Fn(usize) -> String + Send + Sync + 'static) -> Vec<Request> {
    let serving = serve_all(move |host, path| match (host, path) {
        ("hub.test", "/") => links((0..HOSTS).map(|n| format!("http://h{n}.test/"))),
        ("victim.test", "/robots.txt") => SiteResponse::text("User-agent: *\nDisallow: /private\n"),
        ("victim.test", _) => SiteResponse::text("User-agent: *\nAllow: /\n"),
        (host, "/robots.txt") if host.starts_with('h') && host != "hub.test" => {
            let n = host[1..].trim_end_matches(".test").parse().unwrap();
            SiteResponse::redirect(301, victim(n))
        }
        (_, "/robots.txt") => SiteResponse::missing(),
        _ => links([]),
    });
    let port = serving.addr().port();
    let at = |n| SocketAddr::from((address(n), port));
    let mut pins = HashMap::from([("hub.test".to_owned(), at(0)), ("victim.test".to_owned(), at(1))]);
    pins.extend((0..HOSTS).map(|n| (format!("h{n}.test"), at(10 + n))));
    let mut settings = settings(pins, Duration::from_secs(8));
    settings.concurrency = 64;
    run(settings, &["http://hub.test/"]);
    let requests = serving.requests().into_iter();
    requests.filter(|request| request.host == "victim.test").collect()
}

#[test]
fn a_robots_txt_that_many_hosts_redirect_to_is_requested_once() {
    let requests = redirected_to(|_| "http://victim.test/robots.txt".to_owned());
    let (closest, most) = spacing(&requests);
    println!("{} requests, {closest:?} apart, {most} at a time", requests.len());
    assert_eq!(requests.len(), 1);
}

#[test]
fn hosts_that_redirect_their_robots_txt_to_a_victim_cannot_flood_it() {
    let requests = redirected_to(|n| format!("http://victim.test/search?q={n}"));
    let (closest, most) = spacing(&requests);
    println!("{} requests, {closest:?} apart, {most} at a time", requests.len());
    assert!(requests.len() <= 9, "{}", requests.len());
    assert!(closest >= Duration::from_millis(950), "{closest:?}");
    assert_eq!(most, 1);
    assert_eq!(requests[0].path, "/robots.txt");
}

#[test]
fn a_victim_that_forbids_a_path_gets_no_request_for_it() {
    let requests = redirected_to(|n| format!("http://victim.test/private/{n}"));
    let paths: Vec<&str> = requests.iter().map(|request| request.path.as_str()).collect();
    assert_eq!(paths, ["/robots.txt"]);
}
