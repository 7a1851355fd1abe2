//! A crawl that found little says why, and what to try.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Workspace, serve_paths};
use scenthound_testweb::SiteResponse;

const PROSE: &str = "Old harbours had warehouses, cranes and taverns, where sailors told long stories about storms, islands, \
                     whales and the price of rope, and where clerks wrote every barrel into heavy books by candlelight until \
                     the bells of the church rang for supper.";

fn hub(words: &str) -> SiteResponse {
    let links: String = (0..12).map(|n| format!("<a href=/p/{n}>page {n}</a> ")).collect();
    SiteResponse::html(format!("<html lang=en><title>Hub</title><p>{words}</p>{links}"))
}

/// What a crawl for green tea says at its end, from the root of a site with these answers.
fn end_of(answer: impl Fn(&str) -> SiteResponse + Send + Sync + 'static, more: &[&str]) -> String {
    let work = Workspace::new();
    let (_serving, root) = serve_paths(answer);
    let url = format!("{root}/");
    let crawl = [
        "crawl",
        "green tea",
        &url,
        "-o",
        "out",
        "--allow-net",
        "127.0.0.0/8",
        "--delay",
        "0s",
    ];
    let run = work.hound(
        &[
            &crawl[..],
            &["--contact", "test@example.org", "--retries", "0"],
            more,
        ]
        .concat(),
    );
    assert!(run.code.is_some_and(|code| code < 2), "{run:?}");
    run.both()
}

#[track_caller]
fn says(end: &str, words: &str) {
    assert!(end.contains(words), "{words:?} is not in:\n{end}");
}

#[test]
fn only_missing_pages() {
    let end = end_of(
        |path| match path {
            "/" => hub(PROSE),
            _ => SiteResponse::missing(),
        },
        &[],
    );
    says(&end, "12 of 13 requests brought no page: 12 404.");
    says(&end, "far below the threshold of 0.5");
}

#[test]
fn robots_txt_forbids_all() {
    let end = end_of(
        |path| match path {
            "/robots.txt" => SiteResponse::text("User-agent: *\nDisallow: /\n"),
            _ => hub(PROSE),
        },
        &[],
    );
    says(&end, "1 URL is known but not requested: 1 refused-robots.");
    says(&end, "robots.txt disallows them");
}

#[test]
fn a_threshold_that_nothing_reaches() {
    let end = end_of(
        |path| match path {
            "/" => hub("Green tea is tea"),
            path => SiteResponse::html(format!("<title>Green tea</title><p>Green tea {path}. {PROSE}")),
        },
        &["--judge", "topic:threshold=1"],
    );
    says(&end, "below the threshold of 1.");
    says(&end, "lower the threshold");
}

#[test]
fn pages_in_another_language() {
    let end = end_of(
        |path| {
            let german = "Der grüne Tee wird mit heißem Wasser aufgegossen und muss einige Minuten ziehen, bevor er getrunken \
                          wird. Viele Menschen trinken ihn am Morgen, andere erst am Abend, wenn die Arbeit getan ist.";
            match path {
                "/" => SiteResponse::html(format!("<html lang=de><title>Tee</title><p>{german}</p>")),
                _ => SiteResponse::missing(),
            }
        },
        &["--lang", "en"],
    );
    says(&end, "1 of 1 page read are not in a wanted language (1 de)");
}

#[test]
fn a_host_that_does_not_answer() {
    let work = Workspace::new();
    // A port that was free a moment ago: nobody listens there.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let url = format!("http://127.0.0.1:{port}/");
    let crawl = [
        "crawl",
        "green tea",
        &url,
        "-o",
        "out",
        "--allow-net",
        "127.0.0.0/8",
        "--delay",
        "0s",
    ];
    let run = work.hound(&[&crawl[..], &["--contact", "test@example.org", "--retries", "0"]].concat());
    assert_eq!(run.code, Some(1), "{run:?}");
    says(&run.both(), "No page was read.");
    says(&run.both(), "failed-connect");
}

#[test]
fn a_page_without_words_or_links() {
    let end = end_of(
        |path| match path {
            "/" => SiteResponse::html("<title></title><div id=app></div><script src=/app.js></script>"),
            _ => SiteResponse::missing(),
        },
        &[],
    );
    says(&end, "1 of 1 page read have no words.");
    says(&end, "No link is left to follow.");
}

#[test]
fn nothing_but_copies() {
    let end = end_of(
        |path| match path {
            "/" => hub("welcome"),
            _ => SiteResponse::html(format!("<html lang=en><title>Harbours</title><p>{PROSE}</p>")),
        },
        &[],
    );
    says(&end, "11 of 13 pages read repeat others");
}
