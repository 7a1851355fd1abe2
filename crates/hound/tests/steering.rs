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
use scenthound_store::PageRecord;
use scenthound_testweb::{SiteResponse, TestSite};
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

/// Pages about water, as long as anybody asks: every second one is about boats too, the others about meadows. Each leads to
/// the next dozen, on four hosts in turn.
struct BoatsAndMeadows {
    port: u16,
}

const BOATS: &str = "harbour sail mast rudder anchor keel tiller deck hull cabin rope crew captain voyage tide wharf jetty buoy";
const MEADOWS: &str =
    "grass clover cattle barn hedge pasture hay fence farmer tractor soil herd sheep plough stable orchard";
const OTHERS: &str =
    "the and of with many some people often before after every morning evening season year place found made";

impl TestSite for BoatsAndMeadows {
    fn answer(&self, _host: &str, path: &str) -> SiteResponse {
        let Some(page) = path
            .strip_prefix("/p/")
            .and_then(|page| page.parse::<usize>().ok())
        else {
            return SiteResponse::fault(404);
        };
        let port = self.port;
        let kind: Vec<&str> = [BOATS, MEADOWS][page % 2].split(' ').collect();
        let others: Vec<&str> = OTHERS.split(' ').collect();
        let mut random = page as u64;
        let mut any = |words: &[&'static str]| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            words[(random >> 33) as usize % words.len()]
        };
        let text: Vec<&str> = (0..160)
            .map(|at| match at % 8 {
                0 => "water",
                1 | 2 => any(&kind),
                _ => any(&others),
            })
            .collect();
        let links = (page + 1..page + 13).map(|to| {
            let host = 2 + to % 4;
            format!("<a href=\"http://127.0.0.{host}:{port}/p/{to}\">page {to}</a> ")
        });
        let links: String = links.collect();
        SiteResponse::html(format!(
            "<html lang=en><title>Page {page}</title><p>{}.</p>{links}</html>",
            text.join(" ")
        ))
    }

    fn hosts(&self) -> Vec<String> {
        (2..6).map(|host| format!("127.0.0.{host}")).collect()
    }
}

/// Whether a page is about boats.
fn is_boats(record: &PageRecord) -> bool {
    let (_, page) = record.url.rsplit_once('/').unwrap();
    page.parse::<usize>().unwrap().is_multiple_of(2)
}

fn has_term(record: &PageRecord, term: &str) -> bool {
    let parts = record.parts.iter();
    parts.flat_map(|parts| &parts.terms).any(|hit| &*hit.term == term)
}

/// Whether a word is among the terms of a judgement as one that a person asked for, not as one that the judge learnt.
fn is_asked_for(json: &serde_json::Value, term: &str) -> bool {
    match json {
        serde_json::Value::Array(items) => items.iter().any(|item| is_asked_for(item, term)),
        serde_json::Value::Object(fields) => {
            (json["term"] == term && json["set"] != "table")
                || fields.values().any(|field| is_asked_for(field, term))
        }
        _ => false,
    }
}

/// The relevance of pages that were judged, and whether they are about boats.
fn judged(records: &[PageRecord]) -> Vec<(f64, bool)> {
    let judged = records.iter().filter(|record| record.is_judged_page());
    judged
        .map(|record| (record.relevance.unwrap(), is_boats(record)))
        .collect()
}

/// How much more relevant boats are than meadows.
fn lead(pages: &[(f64, bool)]) -> f64 {
    let mean = |wanted: bool| {
        let of = pages.iter().filter(|page| page.1 == wanted).map(|page| page.0);
        of.clone().sum::<f64>() / of.count() as f64
    };
    mean(true) - mean(false)
}

/// Marks the pages about boats as relevant and those about meadows as not. Returns how many there were.
fn mark_boats(steered: &Steered, serve: &Serve) -> usize {
    // The dashboard reads new records now and then.
    let mut pages = Vec::new();
    steered.wait_for(|| {
        let listed = serve.get("pages?sort=oldest&limit=20")["pages"].clone();
        pages = listed.as_array().unwrap().clone();
        pages.len() == 20
    });
    for page in &pages {
        let url = page["url"].as_str().unwrap();
        let number: usize = url.rsplit_once('/').unwrap().1.parse().unwrap();
        let mark = ["relevant", "irrelevant"][number % 2];
        let body = json!({ "pages": [page["id"]], "mark": mark }).to_string();
        assert_eq!(serve.request("POST", "marks", &body).0, 200);
    }
    pages.len()
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

    fn boats_and_meadows() -> Steered {
        let temp = tempfile::tempdir().unwrap();
        Steered {
            web: Web::of(|port| BoatsAndMeadows { port }, Duration::from_millis(10)),
            folder: temp.path().join("crawl"),
            _temp: temp,
        }
    }

    /// Starts the crawl and waits until a few pages are there.
    fn start(&self) -> Child {
        self.start_with("water light house", &[])
    }

    fn start_with(&self, topic: &str, options: &[&str]) -> Child {
        let options = [&["--strategy", "breadth-first"], options].concat();
        let process = self.web.crawl_for(topic, &self.folder, &options);
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

    /// Waits until this many more pages are read, and returns them.
    fn more(&self, number: usize) -> Vec<PageRecord> {
        let before = records(&self.folder).len();
        self.wait_for(|| records(&self.folder).len() >= before + number);
        records(&self.folder).split_off(before)
    }

    /// Waits until the newest pages are all like this.
    fn wait_until_all(&self, is_so: impl Fn(&PageRecord) -> bool) {
        let before = records(&self.folder).len();
        self.wait_for(|| {
            let records = records(&self.folder);
            records.len() > before + 12 && records.iter().rev().take(12).all(&is_so)
        });
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
fn a_delay_and_a_threshold_survive_a_kill_and_are_taken_back() {
    // A judge that learns gives these pages ever less: each holds the only word that was asked for.
    let judge = ["--judge", "topic:learn=false"];
    let steered = Steered::boats_and_meadows();
    let first = steered.start_with("water", &judge);
    let serve = Serve::start(&steered.folder);
    // Whatever they were judged, the threshold turns it around.
    let was_relevant = steered.more(10).last().is_some_and(PageRecord::is_relevant);
    let is_turned = |record: &PageRecord| record.is_relevant() != was_relevant;
    let turning = if was_relevant { 1.0 } else { 0.0001 };
    let threshold = serve.ask(json!({ "kind": "threshold", "threshold": turning }));
    steered.wait_until_all(is_turned);
    let delay = serve.ask(json!({ "kind": "delay", "ms": 10_000 }));
    std::thread::sleep(SOON);
    steered.kill(first);
    let before = steered.web.page_requests().len();
    let second = steered.start_with("water", &judge);
    std::thread::sleep(SOON + WHILE);
    let asked = steered.web.page_requests().len() - before;
    assert!(
        asked <= 8,
        "four hosts with a long delay were asked {asked} times"
    );
    serve.ask(json!({ "kind": "undo", "of": delay }));
    // A rest that has begun is finished: the hosts wait once more.
    assert!(steered.more(20).iter().all(is_turned));
    serve.ask(json!({ "kind": "undo", "of": threshold }));
    steered.wait_until_all(|record| !is_turned(record));
    steered.kill(second);
    let third = steered.start_with("water", &judge);
    assert!(!steered.more(12).iter().any(is_turned));
    steered.kill(third);
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

#[test]
fn words_count_in_a_running_crawl_survive_a_kill_and_are_taken_back() {
    let steered = Steered::boats_and_meadows();
    let first = steered.start_with("water", &[]);
    let serve = Serve::start(&steered.folder);
    let early = steered.more(10);
    assert!(early.iter().all(|record| !has_term(record, "harbour")));
    let accept = json!({ "kind": "accept-term", "list": "content", "term": "harbour" });
    let accepted = serve.ask(accept.clone());
    steered.wait_for(|| {
        records(&steered.folder)
            .iter()
            .any(|record| has_term(record, "harbour"))
    });
    serve.ask(json!({ "kind": "undo", "of": accepted }));
    steered.wait_until_all(|record| !has_term(record, "harbour"));
    // Words of the wrong sense set pages aside.
    let excluded = serve.ask(json!({ "kind": "accept-term", "list": "exclude", "term": "clover" }));
    steered.wait_for(|| records(&steered.folder).iter().any(|record| record.hidden));
    serve.ask(json!({ "kind": "undo", "of": excluded }));
    serve.ask(accept);
    steered.kill(first);
    // In force from the first page of the next run, which the same command starts.
    let mut second = steered.start_with("water", &[]);
    let more = steered.more(20);
    assert!(more.iter().any(|record| has_term(record, "harbour")));
    assert!(more.iter().all(|record| !record.hidden));
    // When the run ends, the pages of all runs are judged by it.
    assert_eq!(serve.get("steering")["in_force"]["pending"], json!(true));
    serve.ask(json!({ "kind": "stop" }));
    assert_eq!(second.wait().unwrap().code(), Some(11));
    assert_eq!(serve.get("steering")["in_force"]["pending"], json!(false));
    let judged = |url: &str| {
        let page = serve.get(&format!("explain?url={url}"));
        is_asked_for(&page, "harbour")
    };
    assert!(early.iter().any(|record| judged(&record.url)));
    // It can still be undone, and the pages be judged once more.
    let actions = serve.get("steering")["actions"].clone();
    let last = actions
        .as_array()
        .unwrap()
        .iter()
        .find(|action| action["kind"] == "accept-term");
    serve.ask(json!({ "kind": "undo", "of": last.unwrap()["id"] }));
    assert_eq!(serve.get("steering")["in_force"]["pending"], json!(true));
    assert_eq!(serve.request("POST", "rejudge", "{}").0, 200);
    steered.wait_for(|| serve.get("rejudge")["is_running"] == json!(false));
    assert!(early.iter().all(|record| !judged(&record.url)));
    assert_eq!(serve.get("steering")["in_force"]["pending"], json!(false));
}

#[test]
fn a_weight_counts_in_a_running_crawl_survives_a_kill_and_is_taken_back() {
    let steered = Steered::boats_and_meadows();
    let topic =
        "[topic]\nname = \"boats\"\n[terms]\ngenre = [\"harbour\", \"sail\"]\ncontent = [\"water\"]\n";
    let file = steered.folder.with_file_name("boats.toml");
    std::fs::write(&file, topic).unwrap();
    let process = steered.start_with(text(&file), &["--judge", "terms"]);
    let serve = Serve::start(&steered.folder);
    // A page about meadows has nothing of the genre and all of the content. Without a weight, the genre counts for nothing.
    let ignores_genre = |record: &PageRecord| !is_boats(record) && record.relevance.unwrap() > 0.9;
    assert!(!steered.more(10).iter().any(ignores_genre));
    let set = serve.ask(json!({ "kind": "weight", "name": "genre-weight", "value": 0 }));
    steered.wait_for(|| records(&steered.folder).iter().any(ignores_genre));
    steered.kill(process);
    // In force from the first page of the next run.
    let second = steered.start_with(text(&file), &["--judge", "terms"]);
    let meadows = |records: Vec<PageRecord>| records.into_iter().filter(|record| !is_boats(record));
    assert!(meadows(steered.more(12)).all(|record| ignores_genre(&record)));
    serve.ask(json!({ "kind": "undo", "of": set }));
    steered.wait_until_all(|record| !ignores_genre(record));
    steered.kill(second);
    // What was undone stays undone.
    let third = steered.start_with(text(&file), &["--judge", "terms"]);
    assert!(!steered.more(12).iter().any(ignores_genre));
    steered.kill(third);
}

#[test]
fn marks_teach_a_running_crawl_and_judging_again_in_between_ranks_all_its_pages() {
    let steered = Steered::boats_and_meadows();
    let process = steered.start_with("water", &[]);
    let serve = Serve::start(&steered.folder);
    let before = judged(&steered.more(30));
    assert!(lead(&before).abs() < 0.1, "both are about water: {before:?}");
    // The user wants boats.
    mark_boats(&steered, &serve);
    serve.ask(json!({ "kind": "learn" }));
    steered.wait_for(|| {
        let records = records(&steered.folder);
        lead(&judged(&records[records.len() - 30..])) > 0.25
    });
    // The first pages know nothing of it until all are judged again. The crawl does that in between, and goes on.
    let listed = |count: usize| -> Vec<(f64, bool)> {
        let pages = serve.get(&format!("pages?sort=oldest&limit={count}"))["pages"].clone();
        let judged = pages.as_array().unwrap().iter().map(|page| {
            let number = page["url"].as_str().unwrap().rsplit_once('/').unwrap().1;
            let number: usize = number.parse().unwrap();
            (page["relevance"].as_f64().unwrap(), number.is_multiple_of(2))
        });
        judged.collect()
    };
    assert!(lead(&listed(20)) < 0.1);
    serve.ask(json!({ "kind": "rejudge" }));
    steered.wait_for(|| serve.get("steering")["in_force"]["rejudging"] == json!(false));
    steered.wait_for(|| lead(&listed(20)) > 0.25);
    let later = judged(&steered.more(10));
    assert!(lead(&later) > 0.1, "the crawl goes on, and knows it: {later:?}");
    steered.kill(process);
}

#[test]
fn learning_that_was_asked_for_is_not_lost_by_a_kill() {
    let steered = Steered::boats_and_meadows();
    let first = steered.start_with("water", &[]);
    let serve = Serve::start(&steered.folder);
    let before = judged(&steered.more(30));
    assert!(lead(&before).abs() < 0.1, "both are about water: {before:?}");
    let marks = mark_boats(&steered, &serve);
    serve.ask(json!({ "kind": "pause" }));
    serve.ask(json!({ "kind": "learn" }));
    // At once: most likely the crawl has not even read it.
    steered.kill(first);
    let known = records(&steered.folder).len();
    serve.ask(json!({ "kind": "resume" }));
    let second = steered.start_with("water", &[]);
    steered.wait_for(|| records(&steered.folder).len() >= known + 30);
    let after = judged(&records(&steered.folder)[known..]);
    assert!(lead(&after) > 0.2, "{after:?}");
    let marked = serve.get("label")["marked"].clone();
    let sum = marked["relevant"].as_u64().unwrap() + marked["irrelevant"].as_u64().unwrap();
    assert_eq!(sum, marks as u64, "the marks are there too");
    steered.kill(second);
}

#[test]
fn a_boosted_host_comes_before_the_others_also_after_a_kill_until_that_is_undone() {
    let steered = Steered::boats_and_meadows();
    let options = ["--concurrency", "1", "--delay", "0s"];
    let process = steered.start_with("water", &options);
    steered.wait_for(|| steered.web.page_requests().len() > 60);
    let serve = Serve::start(&steered.folder);
    let boosted = serve.ask(json!({ "kind": "boost-host", "host": "127.0.0.3" }));
    // In turn, each of the four hosts would get a quarter.
    let share = || {
        std::thread::sleep(SOON);
        let before = steered.web.page_requests().len();
        steered.wait_for(|| steered.web.page_requests().len() >= before + 30);
        let next = steered.web.page_requests().split_off(before);
        let to_it = next.iter().filter(|(_, request)| request.host == "127.0.0.3");
        to_it.count() as f64 / next.len() as f64
    };
    let with = share();
    steered.kill(process);
    let second = steered.start_with("water", &options);
    let again = share();
    serve.ask(json!({ "kind": "undo", "of": boosted }));
    let without = share();
    assert!(
        with > 0.8 && again > 0.8 && without < 0.5,
        "{with} with, {again} after a kill, {without} without"
    );
    steered.kill(second);
    let third = steered.start_with("water", &options);
    let still = share();
    assert!(still < 0.5, "{still} after another kill");
    steered.kill(third);
}
