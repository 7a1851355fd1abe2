//! Crawls replay in pywb: every URL shows what its server sent, and nothing of ours.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod common;

use common::python::{python_with, run_script};
use common::{Workspace, json_lines, serve_paths, text};
use scenthound_store::{CrawlView, HttpResponse};
use scenthound_testweb::SiteResponse;

fn page(title: &str, words: &str, links: &[&str]) -> SiteResponse {
    let links: String = links
        .iter()
        .map(|to| format!("<p><a href=\"{to}\">more</a></p>"))
        .collect();
    SiteResponse::html(format!("<title>{title}</title><p>{words}</p>{links}"))
}

/// A small site with a redirect, copies of a page, odd URLs and a missing page.
fn answer(path: &str) -> SiteResponse {
    match path {
        "/" => page(
            "Tea",
            "green tea and black tea",
            &[
                "/copy?a=1",
                "/copy?a=2",
                // Not both in one: pywb 2.10 does not find URLs with escaped letters and a query.
                "/Copy/%C3%A9",
                "/More?B=2&a=1",
                "/moved",
                "/missing",
                "/long",
            ],
        ),
        "/moved" => SiteResponse::redirect(301, "/target"),
        "/target" => page("Target", "where the tea moved", &[]),
        "/long" => page("Long", &"tea and more tea ".repeat(4_000), &["/end"]),
        "/end" => page("End", "the end of the tea", &[]),
        "/More?B=2&a=1" => page("More", "more about tea", &[]),
        "/missing" => SiteResponse::missing(),
        path if path.to_ascii_lowercase().starts_with("/copy") => {
            page("Copy", &"a page of tea that exists three times ".repeat(20), &[])
        }
        _ => SiteResponse::missing(),
    }
}

const SCRIPT: &str = include_str!("python/replay.py");

#[test]
fn pywb_shows_every_page_as_its_server_sent_it() {
    let Some(python) = python_with("pywb") else { return };
    let (_serving, root) = serve_paths(answer);
    let work = Workspace::new();
    let url = format!("{root}/");
    let crawl = work.hound(&[
        "crawl",
        "tea",
        &url,
        "-o",
        "out",
        "--allow-net",
        "127.0.0.0/8",
        "--delay",
        "0s",
        "--contact",
        "test@example.org",
    ]);
    assert!(crawl.is_good(), "{crawl:?}");
    let view = CrawlView::open(&work.path("out")).unwrap();
    let mut asked = String::new();
    let mut expected = Vec::new();
    let mut revisits = 0;
    for record in view.pages().unwrap().map(Result::unwrap) {
        let Some(position) = &record.archive else { continue };
        let stored = view.record(position).unwrap();
        revisits += usize::from(stored.field("WARC-Profile").is_some());
        let http: HttpResponse<'_> = stored.http().unwrap();
        let timestamp: String = record.fetched_at.chars().filter(char::is_ascii_digit).collect();
        asked += &format!(
            "{}\n",
            serde_json::json!({ "url": record.url, "timestamp": timestamp })
        );
        expected.push((
            record.url.clone(),
            http.status,
            sha1(&python, &http.body(1 << 20).bytes),
        ));
    }
    assert!(expected.len() >= 10, "{expected:?}");
    assert_eq!(revisits, 2);
    for index in ["ours", "theirs"] {
        let out = work.path("out");
        let answers = json_lines(&run_script(&python, SCRIPT, &[text(&out), index], &asked));
        assert_eq!(answers.len(), expected.len());
        for (answer, (url, status, digest)) in answers.iter().zip(&expected) {
            assert_eq!(answer["url"], *url);
            assert_eq!(answer["status"], *status, "{index}: {answer}");
            assert_eq!(answer["sha1"], *digest, "{index}: {answer}");
        }
    }
}

fn sha1(python: &std::path::Path, bytes: &[u8]) -> String {
    let script = "import hashlib,sys; print(hashlib.sha1(sys.stdin.buffer.read()).hexdigest())";
    let text = String::from_utf8_lossy(bytes);
    run_script(python, script, &[], &text).trim().to_owned()
}
