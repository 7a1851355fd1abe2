//! Whatever a hostile site does, hosts it points to get no more requests than politeness allows.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod hostile_web;

use std::collections::HashMap;
use std::net::{SocketAddr, TcpListener};
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

#[test]
fn names_that_all_lead_to_a_server_in_trouble_do_not_keep_asking_it() {
    // 300 names of as many domains, all at the victim's address, which has had enough.
    let serving = serve_all(move |host, path| match (host, path) {
        ("hub.test", "/") => links((0..300).map(|n| format!("http://h{n}.test/"))),
        ("hub.test", _) => SiteResponse::missing(),
        _ => SiteResponse::fault(503),
    });
    let port = serving.addr().port();
    let at = |n| SocketAddr::from((address(n), port));
    let mut pins = HashMap::from([("hub.test".to_owned(), at(0))]);
    pins.extend((0..300).map(|n| (format!("h{n}.test"), at(1))));
    let mut settings = settings(pins, Duration::from_secs(12));
    settings.concurrency = 64;
    run(settings, &["http://hub.test/"]);
    let requests = serving.requests().into_iter();
    let to_victim = requests.filter(|request| request.host != "hub.test").count();
    println!("{to_victim} requests to a server that fails, in 12 seconds");
    // One every 250 ms would be 48. The time between them doubles after the third failure.
    assert!((3..=12).contains(&to_victim), "{to_victim}");
}

#[test]
fn a_link_to_a_chat_server_sends_it_nothing() {
    // Ports that are refused and that anybody may listen on; one of them is free.
    let chat = [6_665, 6_666, 6_667, 6_668, 6_669, 10_080]
        .into_iter()
        .find_map(|port| TcpListener::bind(("127.0.0.1", port)).ok())
        .unwrap();
    chat.set_nonblocking(true).unwrap();
    let link = format!("http://127.0.0.1:{}/", chat.local_addr().unwrap().port());
    let linked = link.clone();
    let serving = serve_all(move |_, path| match path {
        "/" => links([linked.clone(), "/redirect".to_owned()]),
        "/redirect" => SiteResponse::redirect(302, linked.clone()),
        _ => SiteResponse::missing(),
    });
    let place = SocketAddr::from((address(0), serving.addr().port()));
    let pins = HashMap::from([("hub.test".to_owned(), place)]);
    let mut settings = settings(pins, Duration::from_secs(60));
    settings.fetch.allowed_nets = vec!["127.0.0.0/8".parse().unwrap()];
    let crawled = run(settings, &["http://hub.test/"]);
    let ends: Vec<&str> = crawled
        .records
        .iter()
        .filter(|record| record.url.starts_with(&link))
        .map(|record| record.outcome.as_str())
        .collect();
    assert!(
        !ends.is_empty() && ends.iter().all(|end| *end == "refused-port"),
        "{ends:?}"
    );
    assert!(chat.accept().is_err(), "nobody connected");
}
