//! A web of which one answer in five is a fault: every URL is accounted for once, and nothing is left open.
//!
//! With `SCENTHOUND_FAULT_PAGES=30000` the web has that many pages instead of 300, and the crawl takes about an hour. Memory and
//! open files are printed as it goes on, and must not grow.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test may panic, print and wait"
)]

mod hostile_web;

use std::collections::{BTreeMap, HashMap};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use scenthound_engine::StopReason;
use scenthound_frontier::HostPolicy;
use scenthound_live::Ended;
use scenthound_testweb::SiteResponse;
use scenthound_types::Keyring;

use crate::hostile_web::{address, links, run, serve_all, settings};

const HOSTS: usize = 10;
const RETRIES: u8 = 3;
/// How many of the last pages are answered by closing the connection, every time. A connection that was used before and is found
/// closed is replaced without a word, so pages that are closed now and then need not show as failed.
const ALWAYS_CLOSED: usize = 10;

/// How many pages the web has.
fn pages_in_all() -> usize {
    let wanted = std::env::var("SCENTHOUND_FAULT_PAGES");
    wanted.map_or(300, |wanted| wanted.parse().unwrap())
}

fn is_always_closed(page: usize) -> bool {
    page + ALWAYS_CLOSED >= pages_in_all()
}

fn page_url(page: usize) -> String {
    format!("http://host{}.test/{page}", page % HOSTS)
}

fn page(number: usize) -> String {
    let next = [2 * number + 1, 2 * number + 2]
        .into_iter()
        .filter(|page| *page < pages_in_all());
    let links: String = next
        .map(|page| format!("<a href={}>tea</a> ", page_url(page)))
        .collect();
    format!("<title>Tea {number}</title><p>Tea number {number}. {links}")
}

/// Requests so far, by host and path.
type Asked = Arc<Mutex<BTreeMap<String, usize>>>;

/// What decides how an attempt is answered, always in the same way.
fn chance(host: &str, path: &str, attempt: usize) -> u64 {
    Keyring::new(7).hash(&format!("{host}{path} {attempt}"))
}

/// Whether an attempt is answered by closing the connection without a word.
fn is_closed(host: &str, path: &str, attempt: usize) -> bool {
    let chance = chance(host, path, attempt);
    chance % 100 < 20 && (chance / 100) % 10 == 9
}

/// Answers one request. Returns whether the connection may be used again.
fn answer(stream: &mut TcpStream, host: &str, path: &str, attempt: usize) -> std::io::Result<bool> {
    let number: usize = path.trim_start_matches('/').parse().unwrap_or(0);
    let body = if path == "/robots.txt" {
        "User-agent: *\nAllow: /\n".to_owned()
    } else {
        page(number)
    };
    if is_always_closed(number) {
        return Ok(false);
    }
    let html = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
    let chance = chance(host, path, attempt);
    if chance % 100 >= 20 {
        write!(stream, "{html}Content-Length: {}\r\n\r\n{body}", body.len())?;
        return Ok(true);
    }
    match (chance / 100) % 10 {
        // Silence.
        0 => std::thread::sleep(Duration::from_secs(3)),
        // A drip.
        1 => {
            write!(stream, "{html}Content-Length: 1000\r\n\r\n")?;
            for _ in 0..30 {
                stream.write_all(b"t")?;
                std::thread::sleep(Duration::from_millis(100));
            }
        }
        2 => write!(stream, "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")?,
        3 => write!(
            stream,
            "HTTP/1.1 429 Slower\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"
        )?,
        4 => write!(
            stream,
            "{html}Transfer-Encoding: chunked\r\n\r\n4\r\npart\r\nxyz\r\n"
        )?,
        5 => write!(
            stream,
            "{html}Content-Encoding: gzip\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )?,
        6 => stream.write_all(b"\x16\x03\x01 this is not HTTP\r\n\r\n")?,
        7 => write!(
            stream,
            "{html}Content-Length: 10\r\nContent-Length: 20\r\n\r\n{body}"
        )?,
        8 => write!(
            stream,
            "HTTP/1.1 200 OK\r\n{}\r\n",
            "X-Flood: y\r\n".repeat(3_000)
        )?,
        // Closed without a word.
        _ => {}
    }
    Ok(false)
}

/// Serves the web on all loopback addresses.
fn serve_faults(asked: Asked) -> u16 {
    let listener = TcpListener::bind("0.0.0.0:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, asked) = (stream.unwrap(), Arc::clone(&asked));
            std::thread::spawn(move || {
                let mut head = Vec::new();
                let mut piece = [0; 1024];
                while let Ok(count @ 1..) = stream.read(&mut piece) {
                    head.extend(&piece[..count]);
                    if !head.ends_with(b"\r\n\r\n") {
                        continue;
                    }
                    let text = String::from_utf8(std::mem::take(&mut head)).unwrap();
                    let path = text.split(' ').nth(1).unwrap().to_owned();
                    let host = text.to_ascii_lowercase();
                    let host = host
                        .split("\r\nhost: ")
                        .nth(1)
                        .unwrap()
                        .split(['\r', ':'])
                        .next()
                        .unwrap()
                        .to_owned();
                    let attempt = {
                        let mut asked = asked.lock().unwrap();
                        let count = asked.entry(format!("http://{host}{path}")).or_default();
                        *count += 1;
                        *count
                    };
                    if !matches!(answer(&mut stream, &host, &path, attempt), Ok(true)) {
                        return;
                    }
                }
            });
        }
    });
    port
}

/// The memory of this process, the server included.
fn memory_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// How many descriptors are open to anything but the test's own server.
fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

#[test]
fn every_url_is_accounted_for_once() {
    let asked = Asked::default();
    let port = serve_faults(Arc::clone(&asked));
    let pins: HashMap<_, _> = (0..HOSTS)
        .map(|n| (format!("host{n}.test"), SocketAddr::from((address(n), port))))
        .collect();
    let mut settings = settings(pins, Duration::from_secs(2 * 3_600));
    settings.ip_delay = Duration::ZERO;
    settings.policy = HostPolicy {
        delay: Duration::from_millis(5),
        backoff: Duration::from_millis(20),
        ..HostPolicy::default()
    };
    settings.crawl.retries = RETRIES;
    settings.fetch.limits.first_byte = Duration::from_secs(1);
    settings.fetch.limits.whole_response = Duration::from_secs(2);
    settings.fetch.limits.slow_window = Duration::from_secs(1);
    let before = open_files();
    let watched = Arc::new(Mutex::new(Vec::new()));
    let watch = Arc::downgrade(&watched);
    std::thread::spawn(move || {
        while let Some(watched) = watch.upgrade() {
            let now = (memory_kb(), open_files());
            println!("{} MB, {} files open", now.0 >> 10, now.1);
            watched.lock().unwrap().push(now);
            drop(watched);
            std::thread::sleep(Duration::from_secs(30));
        }
    });
    let crawled = run(settings, &[&page_url(0)]);
    let after = open_files();
    let watched = std::mem::take(&mut *watched.lock().unwrap());
    let (early, late) = watched.split_at(watched.len() / 2);
    // A crawl of a few seconds is not watched often enough to say anything.
    if early.len() >= 5 {
        let most = |times: &[(u64, usize)]| {
            let memory = times.iter().map(|(memory, _)| *memory).max();
            (
                memory.unwrap(),
                times.iter().map(|(_, files)| *files).max().unwrap(),
            )
        };
        let ((memory, files), (later_memory, later_files)) = (most(early), most(late));
        assert!(
            later_memory < memory + (100 << 10),
            "{memory} kB, then {later_memory} kB"
        );
        assert!(later_files < files + 40, "{files} files, then {later_files}");
    }
    assert_eq!(crawled.summary.ended, Ended::Done(StopReason::Exhausted));

    let mut ends: BTreeMap<&str, usize> = BTreeMap::new();
    let mut outcomes: BTreeMap<&str, usize> = BTreeMap::new();
    let pages = || crawled.records.iter().filter(|record| record.is_page());
    for record in pages() {
        *outcomes.entry(record.outcome.as_str()).or_default() += 1;
        *ends.entry(&record.url).or_default() += usize::from(!record.will_retry);
    }
    println!("{outcomes:?}, {before} files open before and {after} after");
    assert!(ends.values().all(|count| *count == 1), "{ends:?}");
    // Whatever a page that was read links to has an end, too.
    for record in pages().filter(|record| record.outcome.as_str() == "ok") {
        let number: usize = record.url.rsplit('/').next().unwrap().parse().unwrap();
        for next in [2 * number + 1, 2 * number + 2] {
            assert!(
                next >= pages_in_all() || ends.contains_key(page_url(next).as_str()),
                "{next} is missing"
            );
        }
    }
    let asked = asked.lock().unwrap();
    for url in ends.keys() {
        let count = asked.get(*url).copied().unwrap_or(0);
        let number: usize = url.rsplit('/').next().unwrap().parse().unwrap_or(0);
        // The request on a connection that turned out to be closed reached the server, too.
        let host = format!("host{}.test", number % HOSTS);
        let path = format!("/{number}");
        let closed = (1..=count)
            .filter(|attempt| is_closed(&host, &path, *attempt))
            .count();
        let allowed = if is_always_closed(number) {
            2 * (1 + usize::from(RETRIES))
        } else {
            1 + usize::from(RETRIES) + closed
        };
        assert!(count <= allowed, "{url} was requested {count} times");
    }
    for fault in [
        "failed-body",
        "failed-first-byte-timeout",
        "failed-disconnect",
        "failed-status-5xx",
        "failed-protocol",
    ] {
        assert!(outcomes.contains_key(fault), "no {fault}: {outcomes:?}");
    }
    assert!(outcomes["ok"] > pages_in_all() / 3, "{outcomes:?}");
    // The server's side of connections that were just closed may linger.
    assert!(after < before + 40, "{before} files were open, and {after} are");
}

#[test]
fn a_thousand_dead_hosts_do_not_keep_the_living_from_being_read() {
    const DEAD: usize = 1_000;
    const LIVING: usize = 5;
    const CHAIN: usize = 8;
    let serving = serve_all(|host, path| match (host, path) {
        (_, "/robots.txt") => SiteResponse::missing(),
        ("hub.test", "/") => {
            let dead = (0..DEAD).map(|n| format!("http://dead{n}.test/"));
            links(dead.chain((0..LIVING).map(|n| format!("http://living{n}.test/0"))))
        }
        (_, path) => {
            let next = path.trim_start_matches('/').parse::<usize>().unwrap() + 1;
            links((next < CHAIN).then(|| format!("/{next}")))
        }
    });
    let port = serving.addr().port();
    // Nobody listens here.
    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let at = |n, port| SocketAddr::from((address(n), port));
    let mut pins = HashMap::from([("hub.test".to_owned(), at(0, port))]);
    pins.extend((0..LIVING).map(|n| (format!("living{n}.test"), at(1 + n, port))));
    pins.extend((0..DEAD).map(|n| (format!("dead{n}.test"), at(1_000 + n, closed))));
    let mut settings = settings(pins, Duration::from_secs(300));
    settings.concurrency = 256;
    settings.crawl.retries = 0;
    settings.crawl.patience = Duration::from_secs(5);
    settings.policy.delay = Duration::from_millis(100);
    let crawled = run(settings, &["http://hub.test/"]);
    assert_eq!(crawled.summary.ended, Ended::Done(StopReason::OnlyRestingHosts));
    let read = crawled
        .records
        .iter()
        .filter(|record| record.is_page() && record.is_ok());
    assert_eq!(read.count(), 1 + LIVING * CHAIN);
    let dead = crawled
        .records
        .iter()
        .filter(|record| record.url.starts_with("http://dead"));
    assert_eq!(dead.count(), DEAD, "each was asked for its robots.txt once");
}
