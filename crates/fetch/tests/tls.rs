//! TLS and HTTP/2 with a real server and its own certificate authority.
#![allow(clippy::unwrap_used, reason = "test support outside test functions")]

mod server;
mod tls_server;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use scenthound_fetch::{FetchError, FetchSettings, Fetched, Fetcher, Protocol, Want};
use scenthound_types::{CanonicalUrl, Failure, Outcome, OutcomeCode, Refusal, Truncation};

use std::sync::Arc;
use std::time::Duration;

use crate::server::{fetcher, gzip, page, settings};
use crate::tls_server::{Speaks, TlsServer, frame};

const HOST: &str = "tea.example";

fn trusting(server: &TlsServer) -> FetchSettings {
    let mut settings = settings();
    settings.ca_files.push(server.ca_file());
    settings.pins.insert(HOST.into(), server.address);
    settings
}

async fn fetch(fetcher: &Fetcher, path: &str) -> Fetched {
    let url = CanonicalUrl::parse(&format!("https://{HOST}{path}")).unwrap();
    let at = fetcher.locate(&url).await.unwrap();
    fetcher.fetch(&url, &at, Want::Page).await
}

fn response(status: u16, headers: &[(&str, &str)], body: impl Into<Bytes>) -> http::Response<Full<Bytes>> {
    let mut response = http::Response::builder().status(status);
    for (name, value) in headers {
        response = response.header(*name, *value);
    }
    response.body(Full::new(body.into())).unwrap()
}

fn site(request: http::Request<Incoming>) -> http::Response<Full<Bytes>> {
    let html = ("content-type", "text/html");
    match request.uri().path() {
        "/gzip" => response(200, &[html, ("content-encoding", "gzip")], gzip(b"small")),
        "/old" => response(301, &[("location", "/new")], ""),
        "/image" => response(200, &[("content-type", "image/png")], vec![0; 3_000_000]),
        "/large" => response(200, &[html], vec![b'x'; 3_000_000]),
        "/flood" => response(200, &[html, ("x-flood", &"x".repeat(100_000))], "flood"),
        "/echo" => {
            let told = format!("{} {:?}", request.uri(), request.headers().get("host"));
            response(200, &[html], told)
        }
        _ => response(200, &[html, ("x-robots-tag", "noindex")], "hello"),
    }
}

#[tokio::test]
async fn http2_is_recorded_in_the_form_of_http1() {
    let server = TlsServer::start(HOST, Speaks::Http2(site)).await;
    let fetcher = fetcher(trusting(&server));
    let fetched = fetch(&fetcher, "/gzip").await;
    assert_eq!(
        (fetched.outcome.code(), &fetched.body[..]),
        (OutcomeCode::Ok, &b"small"[..])
    );
    let raw = fetched.raw.unwrap();
    assert_eq!(raw.protocol, Protocol::Http2);
    assert!(
        raw.request
            .starts_with(b"GET /gzip HTTP/1.1\r\nhost: tea.example\r\nuser-agent: scenthound-test")
    );
    assert!(raw.request.ends_with(b"\r\n\r\n"));
    assert!(
        raw.response
            .starts_with(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-encoding: gzip\r\n")
    );
    let encoded = gzip(b"small");
    assert!(raw.response.ends_with(&[b"\r\n\r\n", &encoded[..]].concat()));
}

#[tokio::test]
async fn http2_sends_the_absolute_url_and_no_second_host() {
    let server = TlsServer::start(HOST, Speaks::Http2(site)).await;
    let fetched = fetch(&fetcher(trusting(&server)), "/echo?a=%20b").await;
    assert_eq!(fetched.body, "https://tea.example/echo?a=%20b None");
    assert_eq!(fetched.ip, Some(server.address.ip()));
}

#[tokio::test]
async fn one_http2_connection_serves_everything_even_after_a_cut() {
    let server = TlsServer::start(HOST, Speaks::Http2(site)).await;
    let mut settings = trusting(&server);
    settings.limits.wire_bytes = 1_000_000;
    let fetcher = fetcher(settings);
    assert_eq!(fetch(&fetcher, "/").await.x_robots_tag, ["noindex"]);
    let fetched = fetch(&fetcher, "/large").await;
    assert_eq!(
        (fetched.truncated, fetched.body.len()),
        (Some(Truncation::Length), 1_000_000)
    );
    assert_eq!(
        fetch(&fetcher, "/image").await.outcome,
        Outcome::Refused(Refusal::ContentType)
    );
    assert_eq!(
        fetch(&fetcher, "/old").await.outcome.code(),
        OutcomeCode::Redirect
    );
    let both = tokio::join!(fetch(&fetcher, "/a"), fetch(&fetcher, "/b"));
    assert_eq!(
        (&both.0.body[..], &both.1.body[..]),
        (&b"hello"[..], &b"hello"[..])
    );
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_flood_of_http2_headers_is_refused() {
    let server = TlsServer::start(HOST, Speaks::Http2(site)).await;
    let fetched = fetch(&fetcher(trusting(&server)), "/flood").await;
    assert!(
        matches!(fetched.outcome, Outcome::Failed(_)),
        "{:?}",
        fetched.outcome
    );
}

#[tokio::test]
async fn http2_can_be_turned_off() {
    let server = TlsServer::start(HOST, Speaks::Http2(site)).await;
    let mut settings = trusting(&server);
    settings.http2 = false;
    let fetched = fetch(&fetcher(settings), "/").await;
    assert_eq!(fetched.body, "by http/1");
    assert_eq!(fetched.raw.unwrap().protocol, Protocol::Http1);
}

#[tokio::test]
async fn http1_over_tls_is_recorded_as_plain_text_and_reused() {
    let server = TlsServer::start(HOST, Speaks::Http1(page("secret"))).await;
    let fetcher = fetcher(trusting(&server));
    for _ in 0..3 {
        let fetched = fetch(&fetcher, "/").await;
        assert_eq!(fetched.body, "secret");
        assert_eq!(fetched.raw.unwrap().response, page("secret"));
    }
    assert_eq!(server.connections(), 1);
    assert!(server.requests.lock().unwrap()[0].contains("\r\nHost: tea.example\r\n"));
}

#[tokio::test]
async fn a_certificate_nobody_vouches_for_is_refused() {
    let server = TlsServer::start(HOST, Speaks::Http1(page(""))).await;
    let mut settings = trusting(&server);
    settings.ca_files.clear();
    assert_eq!(
        fetch(&fetcher(settings), "/").await.outcome,
        Outcome::Failed(Failure::Tls)
    );
    let server = TlsServer::start("other.example", Speaks::Http1(page(""))).await;
    let fetched = fetch(&fetcher(trusting(&server)), "/").await;
    assert_eq!(fetched.outcome, Outcome::Failed(Failure::Tls));
}

#[tokio::test]
async fn a_handshake_that_breaks_off_may_be_tried_again() {
    let server = TlsServer::start(HOST, Speaks::Nothing).await;
    let fetched = fetch(&fetcher(trusting(&server)), "/").await;
    assert_eq!(fetched.outcome, Outcome::Failed(Failure::Connect));
}

#[tokio::test]
async fn a_host_by_address_is_checked_by_address() {
    let server = TlsServer::start("127.0.0.1", Speaks::Http1(page("by address"))).await;
    let fetcher = fetcher(trusting(&server));
    let url = CanonicalUrl::parse(&format!("https://{}/", server.address)).unwrap();
    let at = fetcher.locate(&url).await.unwrap();
    assert_eq!(fetcher.fetch(&url, &at, Want::Page).await.body, "by address");
}

#[test]
fn a_file_without_certificates_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.pem");
    std::fs::write(&path, "nothing here").unwrap();
    let mut settings = settings();
    settings.ca_files.push(path.clone());
    let error = Fetcher::new(settings.clone()).err().unwrap();
    assert!(matches!(&error, FetchError::NoCertificate { .. }));
    assert!(error.to_string().contains("empty.pem"));
    settings.ca_files = vec![folder.path().join("missing.pem")];
    assert!(matches!(
        Fetcher::new(settings).err(),
        Some(FetchError::CaFile { .. })
    ));
}

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PUSH_PROMISE: u8 = 5;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;
const END_HEADERS: u8 = 4;

/// `:status 200` and `content-type: text/html`, as HPACK writes them.
fn head() -> Vec<u8> {
    let mut head = vec![0x88, 0x0f, 0x10, 9];
    head.extend(b"text/html");
    head
}

/// A server may send any frames it likes, without end. Each request ends all the same, and others are served beside it.
#[tokio::test]
async fn http2_abuse_ends_with_the_request() {
    let plain = frame(HEADERS, END_HEADERS, 1, &head());
    // One large field in the dynamic table, and thousands of references to it.
    let mut bomb = vec![0x88, 0x40, 1, b'a', 0x7f, 0x81, 0x1e];
    bomb.extend([b'x'; 4_000]);
    bomb.extend([0xbe; 12_000]);
    // A field that is never finished.
    let part = frame(CONTINUATION, 0, 1, &[0x40; 1_000]);
    let many = |one: Vec<u8>| one.repeat(20);
    let cases: Vec<(&str, Vec<u8>, Vec<u8>)> = vec![
        (
            "settings",
            Vec::new(),
            many(frame(SETTINGS, 0, 0, &[0, 4, 0, 1, 0, 0])),
        ),
        ("pings", Vec::new(), many(frame(PING, 0, 0, &[0; 8]))),
        (
            "window updates",
            Vec::new(),
            many(frame(WINDOW_UPDATE, 0, 1, &[0, 0, 0, 1])),
        ),
        (
            "a window too large",
            frame(WINDOW_UPDATE, 0, 1, &[0x7f, 0xff, 0xff, 0xff]).repeat(2),
            Vec::new(),
        ),
        ("continuations", frame(HEADERS, 0, 1, &[0x88]), part),
        (
            "empty continuations",
            frame(HEADERS, 0, 1, &[0x88]),
            many(frame(CONTINUATION, 0, 1, &[])),
        ),
        ("an HPACK bomb", frame(HEADERS, END_HEADERS, 1, &bomb), Vec::new()),
        (
            "an index that does not exist",
            frame(HEADERS, END_HEADERS, 1, &[0xff, 0xff, 0x7f]),
            Vec::new(),
        ),
        ("empty data", plain.clone(), many(frame(DATA, 0, 1, &[]))),
        ("padding", plain.clone(), many(frame(DATA, 8, 1, &[3, 0, 0, 0]))),
        ("data without a head", Vec::new(), many(frame(DATA, 0, 1, b"tea"))),
        (
            "data of streams that do not exist",
            plain.clone(),
            many(frame(DATA, 0, 9, b"tea")),
        ),
        (
            "promises",
            plain.clone(),
            many(frame(PUSH_PROMISE, END_HEADERS, 1, &[0, 0, 0, 2, 0x88])),
        ),
        (
            "a frame too large",
            frame(DATA, 0, 1, &vec![0; 70_000]),
            Vec::new(),
        ),
        ("a reset", frame(RST_STREAM, 0, 1, &[0, 0, 0, 8]), Vec::new()),
        (
            "resets",
            plain.clone(),
            many(frame(RST_STREAM, 0, 1, &[0, 0, 0, 8])),
        ),
        (
            "farewells",
            plain,
            many(frame(GOAWAY, 0, 0, &[0, 0, 0, 1, 0, 0, 0, 0])),
        ),
        (
            "frames of unknown kinds",
            Vec::new(),
            many(frame(0xee, 0xff, 1, &[7; 50])),
        ),
        ("rubbish", vec![0xff; 5_000], Vec::new()),
    ];
    for (what, once, again) in cases {
        let server = TlsServer::start(HOST, Speaks::Frames(Arc::new(once), Arc::new(again))).await;
        let mut settings = trusting(&server);
        settings.limits.first_byte = Duration::from_millis(500);
        settings.limits.whole_response = Duration::from_millis(500);
        let fetcher = fetcher(settings);
        let ended = tokio::time::timeout(Duration::from_secs(60), fetch(&fetcher, "/")).await;
        let outcome = ended.unwrap_or_else(|_| panic!("{what} never ended")).outcome;
        let is_failure = matches!(
            outcome,
            Outcome::Failed(_)
                | Outcome::Body {
                    truncated: Some(_),
                    ..
                }
        );
        assert!(is_failure, "{what}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_server_that_wants_http1_gets_it_from_the_next_request_on() {
    const HTTP_1_1_REQUIRED: u8 = 0xd;
    let refusals = [
        frame(RST_STREAM, 0, 1, &[0, 0, 0, HTTP_1_1_REQUIRED]),
        frame(GOAWAY, 0, 0, &[0, 0, 0, 0, 0, 0, 0, HTTP_1_1_REQUIRED]),
    ];
    for refusal in refusals {
        let server = TlsServer::start(HOST, Speaks::Frames(Arc::new(refusal), Arc::default())).await;
        let fetcher = fetcher(trusting(&server));
        let first = fetch(&fetcher, "/").await;
        assert!(first.stale, "{:?}", first.outcome);
        assert_eq!(fetch(&fetcher, "/").await.body, "by http/1");
        assert_eq!(fetch(&fetcher, "/").await.body, "by http/1");
        assert_eq!(server.connections(), 2);
    }
}
