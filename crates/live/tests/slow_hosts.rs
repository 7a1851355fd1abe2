//! Hosts that answered well once and are then as slow as the limits allow do not hold up the rest of the crawl.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod hostile_web;

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use scenthound_testweb::SiteResponse;

use crate::hostile_web::{address, links, run, serve_all, settings};

const HEALTHY: usize = 6;

/// Answers the first page at once and drips all others, 200 bytes so many times a tenth of a second apart.
fn drip(stream: TcpStream, times: u32) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut first, mut line) = (String::new(), String::new());
    reader.read_line(&mut first)?;
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let mut stream = stream;
    let path = first.split(' ').nth(1).unwrap_or_default();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<p>tea</p>";
    match path {
        "/robots.txt" => stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
        "/0" => write!(
            stream,
            "{head}<a href=/1>tea</a><a href=/2>tea</a><a href=/3>tea</a>"
        ),
        _ => {
            stream.write_all(head.as_bytes())?;
            for _ in 0..times {
                stream.write_all(&[b' '; 200])?;
                std::thread::sleep(Duration::from_millis(100));
            }
            Ok(())
        }
    }
}

/// Healthy pages fetched beside this many slow hosts.
fn healthy_pages(slow: usize) -> usize {
    let serving = serve_all(move |_, path| match path {
        "/robots.txt" => SiteResponse::missing(),
        path => {
            let next: usize = path.trim_start_matches('/').parse().unwrap();
            links([format!("/{}", next + 1)])
        }
    });
    let slow_server = TcpListener::bind("0.0.0.0:0").unwrap();
    let slow_port = slow_server.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in slow_server.incoming().flatten() {
            std::thread::spawn(move || drip(stream, 400));
        }
    });
    let at = |n, port| SocketAddr::from((address(n), port));
    let mut pins: HashMap<String, SocketAddr> = HashMap::new();
    pins.extend((0..HEALTHY).map(|n| (format!("healthy{n}.test"), at(n, serving.addr().port()))));
    pins.extend((0..slow).map(|n| (format!("slow{n}.test"), at(1_000 + n, slow_port))));
    let seeds: Vec<String> = pins.keys().map(|host| format!("http://{host}/0")).collect();
    let mut settings = settings(pins, Duration::from_secs(15));
    settings.concurrency = 8;
    // Two kilobytes a second are fast enough.
    settings.fetch.limits.slow_bytes = 1_000;
    settings.fetch.limits.slow_window = Duration::from_secs(1);
    run(settings, &seeds.iter().map(String::as_str).collect::<Vec<_>>());
    let requests = serving.requests().into_iter();
    requests.filter(|request| request.path != "/robots.txt").count()
}

#[test]
fn hosts_that_drip_after_a_good_page_do_not_hold_all_requests() {
    let alone = healthy_pages(0);
    let beside = healthy_pages(24);
    println!("{alone} pages alone, {beside} beside 24 hosts that drip");
    assert!(beside * 2 >= alone, "{beside} of {alone}");
}

/// One request at a time is always taken. As long as no other host could be asked, that must not make anybody hurry.
#[test]
fn a_slow_host_that_nobody_waits_for_may_take_its_time() {
    let slow_server = TcpListener::bind("127.1.0.0:0").unwrap();
    let place = slow_server.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in slow_server.incoming().flatten() {
            std::thread::spawn(move || drip(stream, 30));
        }
    });
    let pins = HashMap::from([("slow.test".to_owned(), place)]);
    let mut settings = settings(pins, Duration::from_secs(60));
    settings.concurrency = 1;
    // Bodies come ten times as fast as they must, and three times too slowly for a crowd.
    settings.fetch.limits.slow_bytes = 200;
    settings.fetch.limits.slow_window = Duration::from_secs(1);
    let crawled = run(settings, &["http://slow.test/0"]);
    let pages = crawled.records.iter().filter(|record| record.is_page());
    let outcomes: Vec<&str> = pages.map(|record| record.outcome.as_str()).collect();
    assert_eq!(outcomes, ["ok"; 4]);
}
