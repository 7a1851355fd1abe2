//! The dashboard over real sockets: who may ask, what is answered, and what a hostile or slow client can do.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test may panic and wait"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use scenthound_dashboard::{Dashboard, DashboardError, DashboardSettings};
use scenthound_store::{ArchiveSettings, CrawlFolder, CrawlView, Mark, PageRecord, RecordFiles};
use serde_json::{Value, json};

const HOSTILE: &str = "</title><script>alert(1)</script><img src=x onerror=alert(2)>\u{202e}evil";

/// A crawl folder with some pages: one of each ten is relevant, and titles are hostile.
fn crawl(folder: &Path, pages: usize) {
    let crawl = CrawlFolder::open_or_create(folder).unwrap();
    let (mut files, _) = RecordFiles::open(&crawl, ArchiveSettings::named("t", 0), Mark::default()).unwrap();
    for page in 0..pages {
        let host = page % 7;
        files
            .append_page(&PageRecord {
                url: format!("http://h{host}.test/{page}?a=<b>&c=\"d\""),
                title: Some(format!("{HOSTILE} {page}")),
                fetched_at: "2026-01-01T00:00:00Z".to_owned(),
                relevance: Some((page % 10) as f64 / 10.0),
                relevant: Some(page % 10 == 9),
                depth: u16::from(page > 0),
                seed: page == 0,
                parent: (page > 0).then(|| "http://h0.test/0?a=<b>&c=\"d\"".to_owned()),
                fingerprint: Some(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(page as u64 + 1)),
                ..PageRecord::default()
            })
            .unwrap();
    }
    files.mark().unwrap();
    let reports = crawl.layout().reports();
    std::fs::write(reports.join("report.html"), "<script>1</script>").unwrap();
}

struct Served {
    _temp: tempfile::TempDir,
    dashboard: Dashboard,
}

fn serve_with(pages: usize, change: impl FnOnce(&mut DashboardSettings)) -> Served {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().join("tea");
    crawl(&folder, pages);
    let mut settings = DashboardSettings::new("127.0.0.1:0".parse().unwrap(), vec![folder]);
    change(&mut settings);
    Served {
        _temp: temp,
        dashboard: Dashboard::start(settings).unwrap(),
    }
}

fn serve(pages: usize) -> Served {
    serve_with(pages, |_| {})
}

/// Sends a request as it is, and returns the status, the head and the body of the answer.
fn raw(addr: SocketAddr, request: &str) -> (u16, String, String) {
    let mut stream = TcpStream::connect(addr).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    // Whoever is refused early may not be able to send all of it.
    let _ = stream.write_all(request.as_bytes());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|code| code.parse().ok())
        .unwrap_or(0);
    (status, head.to_owned(), body.to_owned())
}

impl Served {
    fn addr(&self) -> SocketAddr {
        self.dashboard.addr()
    }

    fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String, String) {
        let host = if headers.to_ascii_lowercase().contains("host:") {
            String::new()
        } else {
            format!("Host: {}\r\n", self.addr())
        };
        let length = body.len();
        raw(
            self.addr(),
            &format!(
                "{method} {path} HTTP/1.1\r\n{host}Connection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
            ),
        )
    }

    fn get(&self, path: &str) -> (u16, String) {
        let (status, _, body) = self.ask("GET", path, "", "");
        (status, body)
    }

    fn json(&self, path: &str) -> Value {
        let (status, body) = self.get(&format!("/api/v1/{path}"));
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    fn token(&self) -> String {
        format!(
            "Authorization: Bearer {}\r\nContent-Type: application/json\r\n",
            self.dashboard.token()
        )
    }

    fn post(&self, path: &str, headers: &str, body: &Value) -> u16 {
        self.ask("POST", &format!("/api/v1/{path}"), headers, &body.to_string())
            .0
    }
}

#[test]
fn a_name_that_is_not_ours_is_refused() {
    let served = serve(3);
    let port = served.addr().port();
    let status = |host: &str| {
        served
            .ask("GET", "/api/v1/crawls", &format!("Host: {host}\r\n"), "")
            .0
    };
    for host in ["127.0.0.1", "localhost", "[::1]"] {
        assert_eq!(status(&format!("{host}:{port}")), 200, "{host}");
    }
    for host in [
        "evil.example",
        "127.0.0.1.evil.example",
        "10.0.0.1",
        "localhost.evil.example",
        "evil.example@127.0.0.1",
        "2130706433",
        "[::ffff:127.0.0.1]",
        "127.0.0.1:80.evil.example",
        "127.0.0.1:+80",
        "127.0.0.1:99999",
        "localhost.",
        "0.0.0.0",
        "",
    ] {
        assert!(matches!(status(host), 421 | 400), "{host}");
    }
    let twice = format!("Host: 127.0.0.1:{port}\r\nHost: evil.example\r\n");
    assert!(served.ask("GET", "/", &twice, "").0 >= 400);
    let whole = served.ask("GET", "http://evil.example/api/v1/crawls", "", "");
    assert_eq!(whole.0, 421);
    let named = serve_with(3, |settings| settings.names = vec!["crawler.example".to_owned()]);
    assert_eq!(
        named
            .ask("GET", "/api/v1/crawls", "Host: crawler.example\r\n", "")
            .0,
        200
    );
}

#[test]
fn another_site_can_neither_read_nor_change() {
    let served = serve(3);
    let own = format!("http://{}", served.addr());
    let status = |method: &str, headers: &str| {
        served
            .ask(
                method,
                "/api/v1/crawls/tea/steering",
                headers,
                "{\"kind\":\"pause\"}",
            )
            .0
    };
    let token = served.token();
    assert_eq!(status("GET", "Origin: http://evil.example\r\n"), 403);
    assert_eq!(status("GET", "Origin: null\r\n"), 403);
    assert_eq!(
        status("GET", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n"),
        403
    );
    assert_eq!(
        status("POST", &format!("{token}Origin: http://evil.example\r\n")),
        403
    );
    assert_eq!(status("POST", &format!("{token}Origin: {own}\r\n")), 200);
    // A form of another site sends neither the token nor this type.
    assert_eq!(status("POST", "Content-Type: text/plain\r\n"), 401);
    assert_eq!(
        status("POST", &token.replace("application/json", "text/plain")),
        415
    );
}

#[test]
fn whatever_is_wrong_with_a_request_is_answered_at_once_and_as_described() {
    let served = serve(3);
    let huge = format!(
        "POST /api/v1/crawls/tea/steering HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{}Content-Length: 1000000000000\r\n\r\n{{",
        served.addr(),
        served.token()
    );
    // The body never comes, and is not waited for.
    let (status, _, answer) = raw(served.addr(), &huge);
    assert_eq!(status, 413, "{answer}");
    let token = served.token();
    let untyped = token.replace("Content-Type: application/json\r\n", "");
    let steering = "/api/v1/crawls/tea/steering";
    for (method, path, headers, body, wanted) in [
        ("GET", "/api/v1/crawls/tea/pages?limit=x", "", "", 400),
        ("GET", "/api/v1/crawls/tea/pages?relevant=true", "", "", 400),
        ("GET", "/api/v1/crawls/tea/pages?mark=good", "", "", 400),
        ("GET", "/api/v1/crawls/tea/pages?sort=bananas", "", "", 400),
        ("GET", "/api/v1/crawls/tea/explain", "", "", 400),
        ("GET", "/api/v1/crawls/%ff/status", "", "", 400),
        ("GET", "/api/v1/none", "", "", 404),
        ("PUT", "/api/v1/crawls", &token, "", 405),
        ("POST", steering, &untyped, "{}", 415),
        ("POST", steering, &token, "{", 400),
        ("POST", steering, &token, "{}", 422),
        (
            "POST",
            steering,
            &token,
            "{\"kind\":\"rejudged\",\"generation\":1}",
            400,
        ),
        ("POST", steering, &token, "{\"kind\":\"rejudge\"}", 409),
        (
            "POST",
            steering,
            &token,
            "{\"kind\":\"add-seeds\",\"urls\":[\"javascript:alert(1)\"]}",
            400,
        ),
    ] {
        let (status, _, answer) = served.ask(method, path, headers, body);
        assert_eq!(status, wanted, "{method} {path} {body}: {answer}");
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert!(answer["error"]["message"].is_string(), "{answer}");
    }
    assert_eq!(served.json("crawls/tea/steering")["actions"], json!([]));
}

#[test]
fn every_change_needs_the_token_and_read_only_refuses_even_that() {
    let served = serve(3);
    let pause = json!({ "kind": "pause" });
    let path = "crawls/tea/steering";
    assert_eq!(
        served.post(path, "Content-Type: application/json\r\n", &pause),
        401
    );
    let wrong =
        "Authorization: Bearer 0123456789abcdef0123456789abcdef\r\nContent-Type: application/json\r\n";
    assert_eq!(served.post(path, wrong, &pause), 401);
    assert_eq!(served.json(path)["actions"], json!([]));
    assert_eq!(served.post(path, &served.token(), &pause), 200);
    assert_eq!(served.json(path)["in_force"]["paused"], json!(true));
    let closed = serve_with(3, |settings| settings.is_read_only = true);
    assert_eq!(closed.post(path, &closed.token(), &pause), 403);
    assert_eq!(
        closed.post(
            "crawls/tea/marks",
            &closed.token(),
            &json!({ "pages": [], "mark": null })
        ),
        403
    );
    assert_eq!(
        closed
            .ask("DELETE", "/api/v1/crawls/tea/rejudge", &closed.token(), "")
            .0,
        403
    );
    assert!(closed.dashboard.url().ends_with('/'));
}

#[test]
fn an_address_that_others_can_reach_needs_a_token_for_everything_but_the_page() {
    let temp = tempfile::tempdir().unwrap();
    crawl(temp.path(), 3);
    let mut settings = DashboardSettings::new("0.0.0.0:0".parse().unwrap(), vec![temp.path().to_owned()]);
    let refused = Dashboard::start(settings.clone()).unwrap_err();
    assert!(matches!(refused, DashboardError::NeedsToken { .. }), "{refused}");
    settings.token = Some("short".to_owned());
    assert!(matches!(
        Dashboard::start(settings.clone()),
        Err(DashboardError::BadToken { .. })
    ));
    settings.token = Some("a-token-of-some-length".to_owned());
    let dashboard = Dashboard::start(settings).unwrap();
    let addr: SocketAddr = format!("127.0.0.1:{}", dashboard.addr().port()).parse().unwrap();
    let status = |path: &str, headers: &str| {
        raw(
            addr,
            &format!("GET {path} HTTP/1.1\r\nHost: {addr}\r\nConnection: close\r\n{headers}\r\n"),
        )
        .0
    };
    assert_eq!(status("/", ""), 200);
    assert_eq!(status("/api/v1/session", ""), 200);
    for path in ["/api/v1/crawls", "/api/v1/events", "/metrics", "/api/v1/reports"] {
        assert_eq!(status(path, ""), 401, "{path}");
    }
    assert_eq!(
        status(
            "/api/v1/crawls",
            "Authorization: Bearer a-token-of-some-length\r\n"
        ),
        200
    );
    // A ticket opens one report and nothing else.
    let id = temp
        .path()
        .file_name()
        .unwrap()
        .to_string_lossy()
        .trim_matches('.')
        .to_owned();
    let report = format!("/api/v1/crawls/{id}/files/report.html");
    let body = json!({ "path": report }).to_string();
    let (_, _, answer) = raw(
        addr,
        &format!(
            "POST /api/v1/tickets HTTP/1.1\r\nHost: {addr}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Authorization: Bearer a-token-of-some-length\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ),
    );
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let ticket = answer["ticket"].as_str().unwrap();
    assert_eq!(status(&format!("{report}?ticket={ticket}"), ""), 200);
    assert_eq!(status(&format!("/api/v1/crawls?ticket={ticket}"), ""), 401);
    assert_eq!(status(&report, ""), 401);
}

#[test]
fn every_response_has_a_strict_policy_and_reports_have_no_rights() {
    let served = serve(3);
    for path in [
        "/",
        "/app.js",
        "/api/v1/crawls",
        "/api/v1/none",
        "/metrics",
        "/none",
    ] {
        let (_, head, _) = served.ask("GET", path, "", "");
        let head = head.to_ascii_lowercase();
        assert!(
            head.contains("content-security-policy: default-src 'none'"),
            "{path}: {head}"
        );
        assert!(head.contains("x-content-type-options: nosniff"), "{path}");
        assert!(!head.contains("unsafe"), "{path}: {head}");
        assert!(!head.contains("access-control-allow"), "{path}");
    }
    let (status, head, _) = served.ask("GET", "/api/v1/crawls/tea/files/report.html", "", "");
    assert_eq!(status, 200);
    assert!(
        head.contains("sandbox allow-scripts; default-src 'none'"),
        "{head}"
    );
    for name in [
        "..%2Fcrawl.lock",
        "%2e%2e%2fpages%2fpages.jsonl",
        "none.html",
        "..",
        ".hidden.html",
    ] {
        let (status, _) = served.get(&format!("/api/v1/crawls/tea/files/{name}"));
        assert_eq!(status, 404, "{name}");
    }
}

#[test]
fn hostile_titles_and_urls_come_as_json_and_nowhere_as_markup() {
    let served = serve(30);
    let (status, head, body) = served.ask("GET", "/api/v1/crawls/tea/pages?limit=5", "", "");
    assert_eq!(status, 200);
    assert!(
        head.to_ascii_lowercase()
            .contains("content-type: application/json")
    );
    let answer: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(answer["total"], json!(30));
    assert!(answer["pages"][0]["title"].as_str().unwrap().starts_with(HOSTILE));
    let (_, page) = served.get("/");
    assert!(!page.contains("alert("));
    let (_, metrics) = served.get("/metrics");
    assert!(
        metrics.contains("scenthound_pages_total{crawl=\"tea\"} 30"),
        "{metrics}"
    );
}

#[test]
fn pages_are_filtered_sorted_paged_and_explained() {
    let served = serve(100);
    let pages = |query: &str| served.json(&format!("crawls/tea/pages?{query}"));
    assert_eq!(pages("relevant=yes")["total"], json!(10));
    assert_eq!(pages("host=h3.test")["total"], json!(14));
    assert_eq!(pages("host=test")["total"], json!(100));
    assert_eq!(pages("min=0.85")["total"], json!(10));
    let best = pages("limit=3");
    assert_eq!(best["pages"].as_array().unwrap().len(), 3);
    assert_eq!(best["pages"][0]["relevance"], json!(0.9));
    let second = pages("limit=3&offset=3");
    assert_ne!(best["pages"][2]["id"], second["pages"][0]["id"]);
    let id = best["pages"][0]["id"].as_str().unwrap();
    let page = served.json(&format!("crawls/tea/pages/{id}"));
    assert_eq!(page["path"].as_array().unwrap().len(), 2);
    assert_eq!(page["record"]["kind"], json!("page"));
    // The pages to label: near the threshold, and no host twice before each had its turn.
    let label = served.json("crawls/tea/label?limit=7");
    let hosts: std::collections::BTreeSet<&str> = label["pages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| page["host"].as_str().unwrap())
        .collect();
    assert_eq!(hosts.len(), 7);
    let map = served.json("crawls/tea/map?limit=20");
    assert!(map["ids"].as_array().unwrap().len() <= 21);
    assert_eq!(served.get("/api/v1/crawls/tea/pages/0000").0, 404);
    assert_eq!(served.get("/api/v1/crawls/none/pages").0, 404);
}

#[test]
fn new_records_show_up_and_a_shortened_file_is_read_again() {
    let temp = tempfile::tempdir().unwrap();
    crawl(temp.path(), 5);
    let settings = DashboardSettings::new("127.0.0.1:0".parse().unwrap(), vec![temp.path().to_owned()]);
    let served = Served {
        dashboard: Dashboard::start(settings).unwrap(),
        _temp: tempfile::tempdir().unwrap(),
    };
    let id = served.json("crawls")[0]["id"].as_str().unwrap().to_owned();
    let total = || {
        served.json(&format!("crawls/{id}/pages?duplicates=true"))["total"]
            .as_u64()
            .unwrap()
    };
    assert_eq!(total(), 5);
    let path = CrawlView::open(temp.path()).unwrap().layout().pages();
    let before = std::fs::read(&path).unwrap();
    let line = before.split(|byte| *byte == b'\n').next().unwrap();
    let mut more = before.clone();
    more.extend(String::from_utf8_lossy(line).replace("/0?", "/new?").into_bytes());
    // Not yet: the line has no newline.
    std::fs::write(&path, &more).unwrap();
    std::thread::sleep(Duration::from_millis(800));
    assert_eq!(total(), 5);
    more.push(b'\n');
    std::fs::write(&path, &more).unwrap();
    std::thread::sleep(Duration::from_millis(800));
    assert_eq!(total(), 6);
    std::fs::write(&path, &before[..before.len() / 2]).unwrap();
    std::thread::sleep(Duration::from_millis(800));
    assert_eq!(total(), 2);
}

#[test]
fn the_pages_of_a_large_crawl_are_listed_while_its_records_are_still_being_read() {
    let served = serve(20_000);
    let mut before = 0;
    loop {
        let found = served.json("crawls/tea/pages?limit=10");
        let all = found["all"].as_u64().unwrap();
        assert!(all >= before, "{before}, then {all}");
        before = all;
        if found["read"].is_null() {
            break;
        }
        let share = found["read"].as_f64().unwrap();
        assert!((0.0..1.0).contains(&share), "{share}");
    }
    assert_eq!(before, 20_000);
    assert_eq!(served.json("crawls/tea/overview")["read"], Value::Null);
}

#[test]
fn marks_and_steering_are_checked_recorded_and_undone() {
    let served = serve(20);
    let token = served.token();
    let ask = |body: Value| served.post("crawls/tea/steering", &token, &body);
    assert_eq!(ask(json!({ "kind": "threshold", "threshold": 0.3 })), 200);
    for bad in [
        json!({ "kind": "threshold", "threshold": 7 }),
        json!({ "kind": "block-host", "host": "http://a.test/x" }),
        json!({ "kind": "add-seeds", "urls": ["javascript:alert(1)"] }),
        json!({ "kind": "add-seeds", "urls": [] }),
        json!({ "kind": "accept-term", "list": "content", "term": " \u{7} " }),
        json!({ "kind": "mark", "pages": [] }),
        json!({ "kind": "rejudged", "generation": 3 }),
    ] {
        assert_eq!(ask(bad.clone()), 400, "{bad}");
    }
    assert_eq!(ask(json!({ "kind": "stop" })), 409);
    assert_eq!(ask(json!({ "kind": "undo", "of": 99 })), 404);
    assert_eq!(ask(json!({ "kind": "undo", "of": 1 })), 200);
    assert_eq!(ask(json!({ "kind": "undo", "of": 1 })), 409);
    assert_eq!(
        served.json("crawls/tea/steering")["in_force"]["threshold"],
        Value::Null
    );
    assert_eq!(ask(json!({ "kind": "what" })), 422);
}

#[test]
fn the_description_names_every_path_and_each_of_them_answers() {
    let served = serve(20);
    let description = served.json("openapi.json");
    let id = served.json("crawls/tea/pages?limit=1")["pages"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let mut operations = 0;
    for (path, methods) in description["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            operations += 1;
            if path == "/api/v1/events" {
                continue;
            }
            let path = path
                .replace("{crawl}", "tea")
                .replace("{page}", &id)
                .replace("{name}", "report.html");
            let path = if path.ends_with("/explain") {
                format!("{path}?url=http://h0.test/")
            } else {
                path
            };
            let path = if path.ends_with("/search") {
                format!("{path}?q=tea")
            } else {
                path
            };
            let body = operation["requestBody"]["content"]["application/json"]["example"].to_string();
            let body = if method == "get" || body == "null" {
                String::new()
            } else {
                body
            };
            let (status, _, answer) = served.ask(&method.to_uppercase(), &path, &served.token(), &body);
            let is_missing = status == 405 || (status == 404 && answer.contains("openapi.json describes"));
            assert!(!is_missing && status != 0, "{method} {path}: {status} {answer}");
            assert!(status < 500, "{method} {path}: {status} {answer}");
        }
    }
    assert!(operations >= 25, "{operations}");
}

#[test]
fn clients_that_send_or_read_slowly_do_not_hold_up_others() {
    let served = serve(2_000);
    let addr = served.addr();
    // Heads that never end, and clients that ask for much and never read.
    let mut slow = Vec::new();
    for _ in 0..50 {
        let mut stream = TcpStream::connect(addr).unwrap();
        write!(stream, "GET /api/v1/crawls HTTP/1.1\r\nHost: {addr}\r\nX-Slow: ").unwrap();
        slow.push(stream);
        let mut stream = TcpStream::connect(addr).unwrap();
        for _ in 0..20 {
            write!(
                stream,
                "GET /api/v1/crawls/tea/map HTTP/1.1\r\nHost: {addr}\r\n\r\n"
            )
            .unwrap();
        }
        slow.push(stream);
    }
    let started = Instant::now();
    for _ in 0..10 {
        assert_eq!(served.get("/api/v1/crawls").0, 200);
    }
    assert!(
        started.elapsed() < Duration::from_secs(5),
        "{:?}",
        started.elapsed()
    );
    // Those that sent half a head are cut off in the end.
    let mut first = slow.swap_remove(0);
    first.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut rest = Vec::new();
    let _ = first.read_to_end(&mut rest);
    assert!(started.elapsed() < Duration::from_secs(18));
    // A body that is too large is refused.
    let huge = "x".repeat(2 << 20);
    let (status, _, _) = served.ask("POST", "/api/v1/crawls/tea/steering", &served.token(), &huge);
    assert!(matches!(status, 413 | 0), "{status}");
}

#[test]
fn a_hundred_clients_hear_of_a_change_at_once() {
    let served = serve(20);
    let addr = served.addr();
    let mut clients: Vec<BufReader<TcpStream>> = (0..100)
        .map(|_| {
            let mut stream = TcpStream::connect(addr).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(15))).unwrap();
            write!(stream, "GET /api/v1/events HTTP/1.1\r\nHost: {addr}\r\n\r\n").unwrap();
            BufReader::new(stream)
        })
        .collect();
    let hear = |client: &mut BufReader<TcpStream>| loop {
        let mut line = String::new();
        assert!(client.read_line(&mut line).unwrap() > 0, "the stream ended");
        if let Some(data) = line.strip_prefix("data: ") {
            return serde_json::from_str::<Value>(data).unwrap();
        }
    };
    for client in &mut clients {
        assert_eq!(hear(client)["crawls"][0]["paused"], json!(false));
    }
    assert_eq!(
        served.post(
            "crawls/tea/steering",
            &served.token(),
            &json!({ "kind": "pause" })
        ),
        200
    );
    let started = Instant::now();
    for client in &mut clients {
        while hear(client)["crawls"][0]["paused"] != json!(true) {}
    }
    assert!(
        started.elapsed() < Duration::from_secs(6),
        "{:?}",
        started.elapsed()
    );
    let (_, metrics) = served.get("/metrics");
    assert!(metrics.contains("scenthound_dashboard_clients 100"), "{metrics}");
}

#[test]
fn the_best_pages_are_the_same_as_those_of_results() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().join("tea");
    let crawl = CrawlFolder::open_or_create(&folder).unwrap();
    let (mut files, _) = RecordFiles::open(&crawl, ArchiveSettings::named("t", 0), Mark::default()).unwrap();
    for page in 0..60_u64 {
        let group = page % 20;
        let url = |page: u64| {
            let long = "long/".repeat(9 - page as usize / 7);
            format!("http://h{}.test/{long}{page}", page % 3)
        };
        files
            .append_page(&PageRecord {
                // Later pages of a group have shorter URLs, so the page that is shown changes as the crawl goes on.
                url: url(page),
                fetched_at: "2026-01-01T00:00:00Z".to_owned(),
                relevance: Some(group as f64 / 20.0),
                relevant: Some(group > 9),
                seed: page == 25,
                // Some groups agree on a name; it is that of a page in their middle.
                canonical: (group == 7 && page != 27)
                    .then(|| "http://h0.test/long/long/long/long/long/long/27".to_owned()),
                duplicate_of: (page >= 20).then(|| url(group)),
                hidden: page == 33,
                ..PageRecord::default()
            })
            .unwrap();
    }
    files.mark().unwrap();
    drop((files, crawl));
    let collection = scenthound::Collection::open(&folder).unwrap();
    let ranking = collection.ranked(&scenthound::RankSettings::default()).unwrap();
    let wanted: Vec<String> = ranking.pages().map(|page| page.unwrap().record.url).collect();
    let settings = DashboardSettings::new("127.0.0.1:0".parse().unwrap(), vec![folder]);
    let served = Served {
        dashboard: Dashboard::start(settings).unwrap(),
        _temp: temp,
    };
    let list = served.json("crawls/tea/pages?limit=200");
    let found: Vec<&str> = list["pages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| page["url"].as_str().unwrap())
        .collect();
    assert_eq!(found, wanted);
    assert!(found.len() < 30, "near-duplicates are folded");
    let folded: u64 = list["pages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| page["near_duplicates"].as_u64().unwrap())
        .sum();
    assert_eq!(folded, ranking.counts().near_duplicates);
}
