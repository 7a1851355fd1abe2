//! The end of a crawl: the report, and the reasons why little was found.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Workspace, serve_paths};
use scenthound_testweb::SiteResponse;

fn crawl(work: &Workspace, query: &str, url: &str) -> String {
    work.says(&[
        "crawl",
        query,
        url,
        "-o",
        "out",
        "--allow-net",
        "127.0.0.0/8",
        "--delay",
        "0s",
        "--contact",
        "test@example.org",
    ])
}

#[test]
fn a_crawl_that_finds_little_says_why_and_writes_it_down() {
    let links: String = (0..30).map(|n| format!("<a href=/{n}>next</a> ")).collect();
    let (_serving, root) = serve_paths(move |path| match path {
        "/" => SiteResponse::html(format!(
            "<title>Cars & <b>wheels</title><p>Cars and wheels. {links}"
        )),
        "/3" => SiteResponse::html("<title>Engines</title><p>Engines of cars."),
        _ => SiteResponse::missing(),
    });
    let work = Workspace::new();
    let said = crawl(&work, "green tea", &format!("{root}/"));
    assert!(
        said.contains("29 of 31 requests brought no page: 29 404."),
        "{said}"
    );
    assert!(said.contains("below the threshold of"), "{said}");
    assert!(said.contains("No link is left to follow."), "{said}");
    assert!(said.contains("out/reports/report.html"), "{said}");
    let report = std::fs::read_to_string(work.path("out/reports/report.html")).unwrap();
    for part in [
        "Harvest",
        "The best pages",
        "Hosts that gave most",
        "A random sample",
        "29 404",
    ] {
        assert!(report.contains(part), "{part}");
    }
    assert!(report.contains("Cars &amp; &lt;b&gt;wheels") && !report.contains("<b>wheels"));
}

#[test]
fn a_crawl_that_finds_what_it_looks_for_has_nothing_to_explain() {
    let (_serving, root) = serve_paths(|path| match path {
        "/" => {
            SiteResponse::html("<title>Green tea</title><p>Green tea and more green tea. <a href=/a>tea</a>")
        }
        "/a" => SiteResponse::html("<title>Green tea again</title><p>Green tea is good tea."),
        _ => SiteResponse::missing(),
    });
    let work = Workspace::new();
    let said = crawl(&work, "green tea", &format!("{root}/"));
    assert!(!said.contains("threshold") && !said.contains("No link"), "{said}");
    assert!(work.path("out/reports/report.html").exists());
}

#[test]
fn a_seed_that_asks_not_to_be_followed_is_named() {
    let (_serving, root) = serve_paths(|path| match path {
        "/" => SiteResponse::html(
            "<title>Green tea</title><meta name=robots content=nofollow><p>Green tea and more green tea. <a href=/a>tea</a> \
             <a href=/b>tea</a>",
        ),
        _ => SiteResponse::missing(),
    });
    let work = Workspace::new();
    let said = crawl(&work, "green tea", &format!("{root}/"));
    assert!(
        said.contains("The seed asks that its links not be followed (nofollow), so 2 links were left out; --follow-nofollow"),
        "{said}"
    );
}

#[test]
fn relevant_pages_that_are_hidden_are_counted_with_the_reason() {
    let (_serving, root) = serve_paths(|path| match path {
        "/" => {
            SiteResponse::html("<title>Green tea</title><p>Green tea and more green tea. <a href=/a>tea</a>")
        }
        "/a" => SiteResponse::html("<title>Green tea again</title><p>Green tea is good tea.")
            .with("X-Robots-Tag", "noindex"),
        _ => SiteResponse::missing(),
    });
    let work = Workspace::new();
    let said = crawl(&work, "green tea", &format!("{root}/"));
    assert!(
        said.contains("Of 2 relevant pages, hound results leaves out 1 (noindex); --with-hidden shows it."),
        "{said}"
    );
    let results = work.hound(&["results", "out"]);
    assert!(
        results
            .err
            .contains("1 left out (noindex; --with-hidden shows them), 1 of them relevant"),
        "{results:?}"
    );
}
