//! A crawl that is steered through the dashboard of another process, and killed in between.
//!
//! What must hold: what was answered is in force, soon in a running crawl and before the first request of the next run; undoing
//! it brings back what was before; and nothing that waited meanwhile is lost.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test may panic and wait"
)]

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use common::bench_web::{PAGES, Web, records};
use common::{command, text};
use serde_json::{Value, json};

/// The crawl looks at its journal twice a second; requests under way take a moment more.
const SOON: Duration = Duration::from_millis(1_500);
/// Long enough to notice requests that should not be made.
const WHILE: Duration = Duration::from_millis(1_000);

/// `hound serve`, ended with the test.
struct Serve {
    process: Child,
    addr: String,
    token: String,
}

impl Serve {
    fn start(folder: &Path) -> Serve {
        let mut process = command(folder, &["serve", text(folder), "--addr", "127.0.0.1:0"])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let line = lines.next().unwrap().unwrap();
        let (addr, token) = line
            .strip_prefix("dashboard: http://")
            .and_then(|url| url.split_once("/#token="))
            .unwrap();
        let (addr, token) = (addr.to_owned(), token.to_owned());
        Serve { process, addr, token }
    }

    fn request(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        let mut stream = TcpStream::connect(&self.addr).unwrap();
        write!(
            stream,
            "{method} /api/v1/crawls/crawl/{path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.addr,
            self.token,
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap())
    }

    fn get(&self, path: &str) -> Value {
        self.request("GET", path, "").1
    }

    /// Asks something of the crawl and returns the number of the action.
    #[track_caller]
    fn ask(&self, request: Value) -> u64 {
        let (status, answer) = self.request("POST", "steering", &request.to_string());
        assert_eq!(status, 200, "{answer}");
        answer["action"]["id"].as_u64().unwrap()
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

struct Steered {
    web: Web,
    _temp: tempfile::TempDir,
    folder: PathBuf,
}

impl Steered {
    fn new() -> Steered {
        let temp = tempfile::tempdir().unwrap();
        Steered {
            web: Web::start(),
            folder: temp.path().join("crawl"),
            _temp: temp,
        }
    }

    /// Starts the crawl and waits until a few pages are there.
    fn start(&self) -> Child {
        let process = self.web.crawl(&self.folder, &["--strategy", "breadth-first"]);
        let until = Instant::now() + Duration::from_secs(20);
        while !self.folder.join("logs/status.json").exists() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        process
    }

    fn kill(&self, mut process: Child) {
        process.kill().unwrap();
        process.wait().unwrap();
    }

    fn requests_to(&self, host: &str) -> usize {
        let requests = self.web.serving.requests();
        requests.iter().filter(|request| request.host == host).count()
    }

    fn wait_for(&self, mut is_true: impl FnMut() -> bool) {
        let until = Instant::now() + Duration::from_secs(30);
        while !is_true() {
            assert!(Instant::now() < until, "it did not happen");
            std::thread::sleep(Duration::from_millis(30));
        }
    }
}

#[test]
fn a_blocked_host_is_left_alone_across_a_kill_and_nothing_of_it_is_lost() {
    let steered = Steered::new();
    let first = steered.start();
    steered.wait_for(|| steered.requests_to("127.0.0.2") > 3);
    let serve = Serve::start(&steered.folder);
    let blocked = serve.ask(json!({ "kind": "block-host", "host": "127.0.0.2" }));
    std::thread::sleep(SOON);
    let asked = steered.requests_to("127.0.0.2");
    let others = steered.web.serving.requests().len();
    std::thread::sleep(WHILE);
    assert_eq!(steered.requests_to("127.0.0.2"), asked);
    assert!(
        steered.web.serving.requests().len() > others,
        "the others are still asked"
    );
    steered.kill(first);
    // In force before the first request of the next run.
    let second = steered.start();
    std::thread::sleep(SOON);
    assert_eq!(steered.requests_to("127.0.0.2"), asked);
    serve.ask(json!({ "kind": "undo", "of": blocked }));
    steered.wait_for(|| steered.requests_to("127.0.0.2") > asked);
    let mut second = second;
    second.wait().unwrap();
    let pages: std::collections::BTreeSet<String> = records(&steered.folder)
        .into_iter()
        .map(|record| record.url)
        .collect();
    assert_eq!(pages.len(), PAGES);
}

#[test]
fn a_paused_crawl_stays_paused_across_a_kill_and_its_time_stands_still() {
    let steered = Steered::new();
    let first = steered.start();
    steered.wait_for(|| steered.web.page_requests().len() > 10);
    let serve = Serve::start(&steered.folder);
    serve.ask(json!({ "kind": "pause" }));
    std::thread::sleep(SOON);
    let asked = steered.web.serving.requests().len();
    let running = serve.get("status")["running_ms"].as_u64().unwrap();
    std::thread::sleep(WHILE + Duration::from_millis(1_200));
    assert_eq!(steered.web.serving.requests().len(), asked);
    let later = serve.get("status")["running_ms"].as_u64().unwrap();
    assert!(later < running + 900, "{running} ms, then {later} ms");
    steered.kill(first);
    let second = steered.start();
    std::thread::sleep(SOON);
    assert_eq!(steered.web.serving.requests().len(), asked);
    serve.ask(json!({ "kind": "resume" }));
    steered.wait_for(|| steered.web.serving.requests().len() > asked + 5);
    // And it can be stopped from outside: saved, with the exit code of an interruption.
    serve.ask(json!({ "kind": "stop" }));
    let mut second = second;
    assert_eq!(second.wait().unwrap().code(), Some(11));
    // The next run is not stopped by that.
    let mut third = steered.start();
    let before = steered.web.serving.requests().len();
    steered.wait_for(|| steered.web.serving.requests().len() > before + 5);
    assert!(third.try_wait().unwrap().is_none());
    steered.kill(third);
}

#[test]
fn seeds_delay_and_threshold_take_effect_in_a_running_crawl_and_after_a_kill() {
    let steered = Steered::new();
    let first = steered.start();
    let serve = Serve::start(&steered.folder);
    let port = steered.web.serving.addr().port();
    let extra = |name: &str| format!("http://127.0.0.3:{port}/{name}");
    serve.ask(json!({ "kind": "add-seeds", "urls": [extra("first")] }));
    steered.wait_for(|| {
        let pages = steered.web.page_requests();
        pages.iter().any(|(url, _)| *url == extra("first"))
    });
    serve.ask(json!({ "kind": "threshold", "threshold": 0.0001 }));
    std::thread::sleep(SOON);
    let is_set = |record: &scenthound_store::PageRecord| {
        record.is_judged_page() && record.is_relevant() && record.relevance.unwrap() < 0.4
    };
    steered.wait_for(|| records(&steered.folder).iter().any(is_set));
    serve.ask(json!({ "kind": "delay", "ms": 4_000 }));
    std::thread::sleep(SOON);
    let asked = steered.web.serving.requests().len();
    std::thread::sleep(WHILE);
    assert!(
        steered.web.serving.requests().len() <= asked + 6,
        "one request per host at most"
    );
    steered.kill(first);
    serve.ask(json!({ "kind": "add-seeds", "urls": [extra("second")] }));
    let delay = serve.get("steering")["actions"][1]["id"].as_u64().unwrap();
    serve.ask(json!({ "kind": "undo", "of": delay }));
    let second = steered.start();
    steered.wait_for(|| {
        let pages = steered.web.page_requests();
        pages.iter().any(|(url, _)| *url == extra("second"))
    });
    // A seed that is taken back before it was fetched is not fetched.
    serve.ask(json!({ "kind": "pause" }));
    std::thread::sleep(SOON);
    let seed = serve.ask(json!({ "kind": "add-seeds", "urls": [extra("third")] }));
    std::thread::sleep(SOON);
    serve.ask(json!({ "kind": "undo", "of": seed }));
    serve.ask(json!({ "kind": "resume" }));
    let mut second = second;
    second.wait().unwrap();
    let pages = steered.web.page_requests();
    assert!(pages.iter().all(|(url, _)| *url != extra("third")));
}

#[test]
fn a_marked_page_teaches_a_running_crawl_and_a_finished_one() {
    let steered = Steered::new();
    let first = steered.start();
    let serve = Serve::start(&steered.folder);
    steered.wait_for(|| {
        serve.get("label")["pages"]
            .as_array()
            .is_some_and(|pages| pages.len() > 5)
    });
    let pages: Vec<String> = serve.get("label")["pages"].as_array().unwrap()[..4]
        .iter()
        .map(|page| page["id"].as_str().unwrap().to_owned())
        .collect();
    for (at, page) in pages.iter().enumerate() {
        let mark = ["relevant", "irrelevant"][at % 2];
        let (status, answer) = serve.request(
            "POST",
            "marks",
            &json!({ "pages": [page], "mark": mark }).to_string(),
        );
        assert_eq!(status, 200, "{answer}");
    }
    // Undoing a mark removes it; undoing that brings it back.
    let last = serve.get("steering")["actions"][0]["id"].as_u64().unwrap();
    let undo = serve.ask(json!({ "kind": "undo", "of": last }));
    let marked = |serve: &Serve| serve.get("label")["marked"].clone();
    assert_eq!(marked(&serve), json!({ "relevant": 2, "irrelevant": 1 }));
    serve.ask(json!({ "kind": "undo", "of": undo }));
    assert_eq!(marked(&serve), json!({ "relevant": 2, "irrelevant": 2 }));
    serve.ask(json!({ "kind": "learn" }));
    let (status, answer) = serve.request("POST", "rejudge", "{}");
    assert_eq!(status, 409, "{answer}");
    serve.ask(json!({ "kind": "accept-term", "list": "content", "term": "harbour" }));
    std::thread::sleep(SOON);
    serve.ask(json!({ "kind": "stop" }));
    let mut first = first;
    assert_eq!(first.wait().unwrap().code(), Some(11));
    let (status, answer) = serve.request("POST", "rejudge", "{}");
    assert_eq!(status, 200, "{answer}");
    steered.wait_for(|| serve.get("rejudge")["is_running"] == json!(false));
    assert!(
        serve.get("rejudge")["result"]["judged"]
            .as_u64()
            .is_some_and(|judged| judged > 5)
    );
    let overview = serve.get("overview");
    let terms = overview["settings"]["terms"]["content"].as_array().unwrap();
    assert!(terms.contains(&json!("harbour")), "{terms:?}");
    assert_eq!(overview["steering"]["pending"], json!(false));
}
