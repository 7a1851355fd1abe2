//! Crawls that start from example pages, learn while they run, and rank what they found by what they learnt: real processes on
//! a web on loopback.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use common::{Workspace, command, hound_in, paths_asked_for, serve_paths, text};
use scenthound_store::CrawlView;
use scenthound_testweb::{Serving, SiteResponse};

/// Pages of each kind.
const PAGES: usize = 30;

const TEA: [&str; 12] = [
    "tea", "leaves", "infusion", "teapot", "oolong", "sencha", "steep", "kettle", "harvest", "green", "brew",
    "tasting",
];
const CARS: [&str; 12] = [
    "engine", "gearbox", "brake", "wheel", "diesel", "clutch", "garage", "mileage", "motor", "tyre",
    "exhaust", "driver",
];
const PLAIN: [&str; 12] = [
    "people", "often", "morning", "before", "everyone", "together", "simple", "water", "house", "story",
    "between", "learn",
];

/// Sentences of some words of a subject among plain ones.
fn prose(subject: &[&str], number: usize) -> String {
    // No two pages have the same order of words.
    let pick = |at: usize, most: usize| ((at + 1) * (number + 3) * 7_919 + number * 131 + at) / 7 % most;
    (0..60)
        .map(|at| match at % 3 {
            0 => subject[pick(at, subject.len())],
            _ => PLAIN[pick(at, PLAIN.len())],
        })
        .collect::<Vec<_>>()
        .join(" ")
}

/// A hub that links to pages about tea and about cars, each of which links to the next of its kind.
fn site(path: &str) -> SiteResponse {
    let page = |title: String, words: String, links: String| {
        SiteResponse::html(format!("<title>{title}</title><p>{words}</p>{links}"))
    };
    let link = |kind: &str, number: usize| format!("<a href=/{kind}/{number}>page {number}</a> ");
    let mut parts = path.trim_start_matches('/').splitn(2, '/');
    match (parts.next().unwrap_or_default(), parts.next().unwrap_or_default()) {
        ("robots.txt", _) => SiteResponse::text("User-agent: *\nDisallow: /private\n"),
        ("", _) => {
            let links = (0..PAGES).flat_map(|number| [link("cars", number), link("tea", number)]);
            page(
                "Hub".to_owned(),
                "welcome to all pages".to_owned(),
                links.collect(),
            )
        }
        (kind @ ("tea" | "cars"), number) => {
            let number: usize = number.parse().unwrap();
            let (subject, title) = match kind {
                "tea" => (&TEA, "Notes on leaves"),
                _ => (&CARS, "Notes on motors"),
            };
            page(
                format!("{title} {number}"),
                prose(subject, number),
                link(kind, (number + 1) % PAGES),
            )
        }
        _ => SiteResponse::missing(),
    }
}

fn web() -> (Serving, String) {
    serve_paths(site)
}

/// Writes three pages about tea that are not on the web, and a list of them.
fn write_examples(workspace: &Workspace) {
    for number in 0..3 {
        let words = prose(&TEA, 100 + number);
        std::fs::write(
            workspace.path(&format!("good-{number}.html")),
            format!("<title>Leaves</title><p>{words}</p>"),
        )
        .unwrap();
    }
    std::fs::write(
        workspace.path("good.txt"),
        "good-0.html\ngood-1.html\ngood-2.html\n",
    )
    .unwrap();
}

const POLITELY: [&str; 8] = [
    "--allow-net",
    "127.0.0.0/8",
    "--delay",
    "1ms",
    "--ip-delay",
    "0s",
    "--contact",
    "test@example.org",
];

/// The relevance of every page, by path.
fn relevances(folder: &Path) -> BTreeMap<String, f64> {
    let pages = CrawlView::open(folder).unwrap().pages().unwrap();
    pages
        .map(|record| record.unwrap())
        .filter(|record| record.is_judged_page())
        .map(|record| {
            let path = record.url.splitn(4, '/').nth(3).unwrap_or_default().to_owned();
            (path, record.relevance.unwrap())
        })
        .collect()
}

/// The paths of the pages that `hound results` shows, best first.
fn results(workspace: &Workspace, folder: &str, top: usize) -> Vec<String> {
    let shown = workspace.says(&[
        "results",
        folder,
        "--all",
        "--with-duplicates",
        "--format",
        "jsonl",
    ]);
    let urls = common::json_lines(&shown)
        .into_iter()
        .map(|page| page["url"].as_str().unwrap().to_owned());
    urls.map(|url| url.splitn(4, '/').nth(3).unwrap_or_default().to_owned())
        .take(top)
        .collect()
}

/// Waits until a running crawl has made this many attempts.
fn wait_for_pages(folder: &Path, attempts: usize) {
    let are_enough =
        || CrawlView::open(folder).is_ok_and(|view| view.pages().is_ok_and(|pages| pages.count() > attempts));
    for _ in 0..1_500 {
        if are_enough() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("too few pages");
}

#[test]
fn three_example_files_and_no_words_find_the_pages_like_them() {
    let (_serving, base) = web();
    let workspace = Workspace::new();
    write_examples(&workspace);
    let seed = format!("{base}/");
    let crawl = [
        &["crawl", "--examples", "good.txt", &seed, "-o", "found"],
        &POLITELY[..],
    ]
    .concat();
    let run = workspace.hound(&crawl);
    assert!(run.is_good(), "{}", run.both());
    assert!(run.err.contains("learning from 3 example pages"), "{}", run.err);
    assert!(run.err.contains("again by what was learnt"), "{}", run.err);
    let best = results(&workspace, "found", PAGES);
    let right = best.iter().filter(|path| path.starts_with("tea/")).count();
    // The page that lists them all may come before them.
    assert!(right >= PAGES - 1, "{best:?}");
    let status = workspace.says(&["status", "found"]);
    assert!(status.contains("good"), "named after its examples: {status}");

    // Every page was judged by the same, final judge: marking nothing and ranking again changes nothing.
    let folder = workspace.path("found");
    let before = relevances(&folder);
    assert!(before.len() > 2 * PAGES);
    workspace.says(&["rejudge", "found", "--learn"]);
    assert_eq!(relevances(&folder), before);

    // The status, the results and explain agree.
    let relevant = before.values().filter(|relevance| **relevance >= 0.5).count();
    let json: serde_json::Value = workspace.json(&["status", "found", "--json"]);
    assert_eq!(json["relevant"], relevant, "{json}");
    let explained = workspace.says(&["explain", "found", &format!("{base}/tea/3")]);
    assert!(explained.contains("by words learnt from examples"), "{explained}");
    assert!(
        explained.contains(&format!("{:.3}", before["tea/3"])),
        "{explained}"
    );
}

#[test]
fn a_resumed_crawl_needs_its_examples_no_more_and_adds_new_ones_once() {
    let (serving, base) = web();
    let workspace = Workspace::new();
    write_examples(&workspace);
    // The second is forbidden by robots.txt, the third does not exist.
    let list = format!("good-0.html\n{base}/tea/7\n{base}/private\n{base}/none\n");
    std::fs::write(workspace.path("good.txt"), list).unwrap();
    let crawl = |most: &str, more: &[&str]| {
        let words = [
            "crawl",
            "--examples",
            "good.txt",
            "-o",
            "found",
            "--max-pages",
            most,
        ];
        workspace.hound(&[&words[..], more, &POLITELY[..]].concat())
    };
    let first = crawl("20", &[]);
    assert!(first.is_good(), "{}", first.both());
    assert!(
        first.err.contains("learning from 2 example pages"),
        "{}",
        first.err
    );
    assert!(
        first.err.contains("/private") && first.err.contains("/none"),
        "{}",
        first.err
    );
    // The seeds are the URLs among the examples.
    let settings = std::fs::read_to_string(workspace.path("found/crawl.toml")).unwrap();
    assert!(settings.contains(&format!("{base}/tea/7")), "{settings}");

    // Fetched as an example and as a seed, but not again. A new example is learnt from.
    std::fs::remove_file(workspace.path("good-0.html")).unwrap();
    let asked = |path: &str| {
        paths_asked_for(&serving)
            .iter()
            .filter(|asked| *asked == path)
            .count()
    };
    assert_eq!(asked("/tea/7"), 2);
    let list = format!("{base}/tea/7\ngood-1.html\n");
    std::fs::write(workspace.path("good.txt"), list).unwrap();
    let second = crawl("25", &[]);
    assert!(second.is_good(), "{}", second.both());
    assert!(
        second
            .err
            .contains("learning from 1 example page, in addition to 2"),
        "{}",
        second.err
    );
    assert_eq!(asked("/tea/7"), 2);

    // Without the list there is nothing new.
    std::fs::remove_file(workspace.path("good.txt")).unwrap();
    let third = crawl("30", &[]);
    assert!(third.is_good(), "{}", third.both());
    assert!(!third.err.contains("learning from"), "{}", third.err);
}

#[test]
fn a_killed_crawl_keeps_what_it_learnt() {
    let (_serving, base) = web();
    let workspace = Workspace::new();
    write_examples(&workspace);
    let seed = format!("{base}/");
    let words = ["crawl", "--examples", "good.txt", &seed, "-o", "found"];
    let slowly = [
        "--allow-net",
        "127.0.0.0/8",
        "--delay",
        "20ms",
        "--ip-delay",
        "0s",
        "--contact",
        "a@b.example",
    ];
    let mut child = command(&workspace.path(""), &[&words[..], &slowly].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let folder = workspace.path("found");
    wait_for_pages(&folder, 40);
    child.kill().unwrap();
    child.wait().unwrap();

    for number in 0..3 {
        std::fs::remove_file(workspace.path(&format!("good-{number}.html"))).unwrap();
    }
    std::fs::remove_file(workspace.path("good.txt")).unwrap();
    let resumed = workspace.hound(&["crawl", "found/crawl.toml", "-o", "found"]);
    assert!(resumed.is_good(), "{}", resumed.both());
    assert!(!resumed.err.contains("learning from"), "{}", resumed.err);
    let best = results(&workspace, "found", PAGES);
    let right = best.iter().filter(|path| path.starts_with("tea/")).count();
    // The page that lists them all may come before them.
    assert!(right >= PAGES - 1, "{best:?}");
}

#[test]
fn an_interrupted_crawl_is_ranked_before_it_ends() {
    let (_serving, base) = web();
    let workspace = Workspace::new();
    write_examples(&workspace);
    let seed = format!("{base}/");
    let words = ["crawl", "--examples", "good.txt", &seed, "-o", "found"];
    let slowly = [
        "--allow-net",
        "127.0.0.0/8",
        "--delay",
        "20ms",
        "--ip-delay",
        "0s",
    ];
    let child = command(&workspace.path(""), &[&words[..], &slowly].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let folder = workspace.path("found");
    wait_for_pages(&folder, 45);
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(11), "{said}");
    assert!(said.contains("again by what was learnt"), "{said}");
    let before = relevances(&folder);
    workspace.says(&["rejudge", "found", "--learn"]);
    assert_eq!(relevances(&folder), before);
}

#[test]
fn marks_teach_the_judge_and_change_the_ranking() {
    let (serving, base) = web();
    let workspace = Workspace::new();
    let seed = format!("{base}/");
    // All pages match these words alike.
    let crawl = [
        &["crawl", "morning water", &seed, "-o", "found", "--judge", "topic"],
        &POLITELY[..],
    ]
    .concat();
    let run = workspace.hound(&crawl);
    assert!(run.is_good(), "{}", run.both());
    let asked = paths_asked_for(&serving).len();
    let mark = |kind: &str, verdict: &str| {
        let urls: Vec<String> = (0..6).map(|number| format!("{base}/{kind}/{number}")).collect();
        let mut words = vec!["mark", "found", verdict];
        words.extend(urls.iter().map(String::as_str));
        workspace.says(&words);
    };
    mark("tea", "--relevant");
    mark("cars", "--irrelevant");
    let said = workspace.says(&["rejudge", "found", "--learn"]);
    assert!(
        said.contains("6 pages marked relevant and 6 marked irrelevant, the threshold"),
        "{said}"
    );
    let best = results(&workspace, "found", PAGES);
    let right = best.iter().filter(|path| path.starts_with("tea/")).count();
    assert!(right >= PAGES - 2, "{right}: {best:?}");

    // The other way round.
    mark("tea", "--irrelevant");
    mark("cars", "--relevant");
    workspace.says(&["rejudge", "found", "--learn"]);
    let best = results(&workspace, "found", PAGES);
    let right = best.iter().filter(|path| path.starts_with("cars/")).count();
    assert!(right >= PAGES - 2, "{right}: {best:?}");
    assert_eq!(
        paths_asked_for(&serving).len(),
        asked,
        "rejudging asks for nothing"
    );
}

#[test]
fn what_cannot_be_done_is_refused_with_a_remedy() {
    let (_serving, base) = web();
    let workspace = Workspace::new();
    write_examples(&workspace);
    let seed = format!("{base}/");
    let refused = workspace.refuses(&[
        "crawl",
        "tea",
        &seed,
        "--examples",
        "good.txt",
        "--judge",
        "terms",
    ]);
    assert!(
        refused.contains("the judge terms does not learn from examples"),
        "{refused}"
    );
    let refused = workspace.refuses(&["crawl", "--examples", "good.txt", "-o", "found"]);
    assert!(refused.contains("there is nowhere to start from"), "{refused}");
    let refused = workspace.refuses(&["crawl", "--examples", "missing.txt", &seed]);
    assert!(refused.contains("missing.txt does not exist"), "{refused}");
    let crawl = [
        &[
            "crawl",
            "tea",
            &seed,
            "-o",
            "terms",
            "--judge",
            "terms",
            "--max-pages",
            "3",
        ],
        &POLITELY[..],
    ]
    .concat();
    workspace.says(&crawl);
    let refused = workspace.refuses(&["rejudge", "terms", "--learn"]);
    assert!(
        refused.contains("uses the judge terms, which does not learn from marks"),
        "{refused}"
    );
}

#[test]
fn pages_at_hand_are_judged_by_examples() {
    let workspace = Workspace::new();
    write_examples(&workspace);
    for (name, subject) in [("tea", &TEA), ("cars", &CARS)] {
        let words = prose(subject, 200);
        std::fs::write(workspace.path(&format!("{name}.html")), format!("<p>{words}</p>")).unwrap();
    }
    let root = workspace.path("");
    let judged = hound_in(
        &root,
        &[
            "judge",
            "--examples",
            "good.txt",
            "tea.html",
            "cars.html",
            "--json",
        ],
    )
    .json_lines();
    let relevance = |at: usize| judged[at]["relevance"].as_f64().unwrap();
    assert!(relevance(0) > relevance(1), "{judged:?}");
    let shown = workspace.says(&[
        "judge",
        "--topic",
        "green tea",
        "--examples",
        text(&workspace.path("good.txt")),
        "tea.html",
    ]);
    assert!(shown.contains("query ") && shown.contains("learnt "), "{shown}");
}
