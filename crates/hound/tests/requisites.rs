//! What pages need to be shown is fetched on request: politely, within its budget, and so that an archived page looks as it did.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod common;

use std::process::Command;

use common::python::{chromium, python_with};
use common::{Workspace, json_lines, paths_asked_for, serve_paths, text};
use scenthound_store::{CrawlView, PageRecord};
use scenthound_testweb::SiteResponse;
use scenthound_types::LeaseKind;

const PAGE: &str = r#"<title>Tea</title><link rel="stylesheet" href="/css/main.css"><link rel="icon" href="/icon.svg">
<body><h1>Green tea and black tea</h1><p>all about tea</p>
<img src="/pot.svg" width="100" height="60"><img src="/private/secret.svg" width="10" height="10">
<img src="/missing.svg" width="10" height="10"><p id="late">old words</p><script src="/late.js"></script>
<a href="/next">next</a>"#;

/// `/` → `/next`. Style sheets: `/css/main.css` imports `more.css`, which names `bg.svg`.
fn answer(path: &str) -> SiteResponse {
    let svg = |colour: &str| {
        let body = format!(
            "<svg xmlns='http://www.w3.org/2000/svg' width='20' height='20'><rect width='20' height='20' fill='{colour}'/></svg>"
        );
        SiteResponse::page("image/svg+xml", body)
    };
    match path {
        "/robots.txt" => SiteResponse::text("User-agent: *\nDisallow: /private/\n"),
        "/" => SiteResponse::html(PAGE),
        "/next" => SiteResponse::html(PAGE.replace("/next", "/")),
        "/css/main.css" => SiteResponse::page("text/css", "@import 'more.css'; h1 { color: green }"),
        "/css/more.css" => {
            SiteResponse::page("text/css", "body { background: #fff url(../bg.svg) repeat-x }")
        }
        "/bg.svg" => svg("silver"),
        "/pot.svg" => SiteResponse::redirect(302, "/moved/pot.svg"),
        "/moved/pot.svg" => svg("teal"),
        "/icon.svg" => svg("red"),
        "/late.js" => SiteResponse::page(
            "text/javascript",
            "document.getElementById('late').textContent = 'words written by a script';",
        ),
        _ => SiteResponse::missing(),
    }
}

fn crawl(work: &Workspace, root: &str, folder: &str, more: &[&str]) {
    let seed = format!("{root}/");
    let mut arguments = vec![
        "crawl",
        "tea",
        &seed,
        "-o",
        folder,
        "--allow-net",
        "127.0.0.0/8",
        "--delay",
        "0s",
    ];
    arguments.extend(["--ip-delay", "0s", "--contact", "test@example.org"]);
    arguments.extend(more);
    let crawl = work.hound(&arguments);
    assert!(crawl.is_good(), "{crawl:?}");
}

fn requisites(work: &Workspace, folder: &str) -> Vec<PageRecord> {
    let view = CrawlView::open(&work.path(folder)).unwrap();
    let records = view.pages().unwrap().map(Result::unwrap);
    records
        .filter(|record| record.kind == LeaseKind::Requisite)
        .collect()
}

fn listed(work: &Workspace, root: &str, folder: &str) -> Vec<String> {
    let records = requisites(work, folder).into_iter();
    let mut lines: Vec<String> = records
        .map(|record| format!("{} {}", record.url.trim_start_matches(root), record.outcome))
        .collect();
    lines.sort();
    lines
}

#[test]
fn requisites_are_fetched_once_by_the_rules_and_never_judged() {
    let (serving, root) = serve_paths(answer);
    let work = Workspace::new();
    crawl(
        &work,
        &root,
        "out",
        &["--requisites", "images,styles", "--requisites", "scripts"],
    );
    let expected = [
        "/bg.svg ok",
        "/css/main.css ok",
        "/css/more.css ok",
        "/icon.svg ok",
        "/late.js ok",
        "/missing.svg failed-status-4xx",
        "/moved/pot.svg ok",
        "/pot.svg redirect",
        "/private/secret.svg refused-robots",
    ];
    assert_eq!(listed(&work, &root, "out"), expected);
    let mut asked = paths_asked_for(&serving);
    asked.sort();
    assert!(asked.windows(2).all(|pair| pair[0] != pair[1]), "{asked:?}");
    assert!(!asked.iter().any(|path| path.starts_with("/private")));
    let records = requisites(&work, "out");
    assert!(
        records
            .iter()
            .all(|record| record.relevance.is_none() && !record.is_judged_page())
    );
    let results = work.hound(&["results", "out", "--all", "--with-hidden", "--format", "jsonl"]);
    let listed = json_lines(&results.out);
    assert!(listed.iter().all(|page| page["kind"] == "page"), "{results:?}");
    let status = work.hound(&["status", "out"]);
    assert!(status.out.contains("7 files that pages need"), "{status:?}");
}

#[test]
fn the_budget_of_requisites_is_their_own_and_styles_come_first() {
    let (_serving, root) = serve_paths(answer);
    let work = Workspace::new();
    let limited = [
        "--requisites",
        "images,styles",
        "--max-requisites",
        "2",
        "--max-pages",
        "1",
    ];
    crawl(&work, &root, "out", &limited);
    assert_eq!(listed(&work, &root, "out").len(), 2);
    assert!(listed(&work, &root, "out").contains(&"/css/main.css ok".to_owned()));
    // With a larger budget the same crawl goes on where it stopped.
    let more = work.hound(&["resume", "out", "--max-requisites", "100"]);
    assert!(more.is_good(), "{more:?}");
    let after = listed(&work, &root, "out");
    assert!(after.contains(&"/bg.svg ok".to_owned()), "{after:?}");
    assert!(!after.iter().any(|line| line.contains("late.js")), "{after:?}");
    // Judging again repeats the crawl from its records and keeps them.
    let again = work.hound(&["rejudge", "out", "--topic", "green tea"]);
    assert!(again.is_good(), "{again:?}");
    let resumed = work.hound(&["resume", "out"]);
    assert!(resumed.is_good(), "{resumed:?}");
    assert_eq!(
        listed(&work, &root, "out"),
        after,
        "nothing is fetched a second time"
    );
}

#[test]
fn a_replayed_page_looks_like_the_page() {
    let (Some(python), Some(chromium)) = (python_with("pywb, playwright"), chromium()) else {
        return;
    };
    let (_serving, root) = serve_paths(answer);
    let work = Workspace::new();
    crawl(&work, &root, "with", &["--requisites", "images,styles,scripts"]);
    crawl(&work, &root, "without", &[]);
    let script = scenthound_testweb::package_folder().join("tests/python/look.py");
    let output = Command::new(python)
        .arg(script)
        .arg(chromium)
        .args([
            &format!("{root}/"),
            text(&work.path("with")),
            text(&work.path("without")),
        ])
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let looks = json_lines(&String::from_utf8_lossy(&output.stdout));
    assert_eq!(looks.len(), 2, "{errors}");
    assert_eq!(looks[0]["same"], true, "{looks:?}\n{errors}");
    assert_eq!(
        looks[1]["same"], false,
        "without requisites it looks different: {looks:?}"
    );
}
