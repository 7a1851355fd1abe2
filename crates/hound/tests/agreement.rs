//! Everything that counts the pages of a crawl counts the same.
//!
//! One little web is crawled with several judges. Among its pages are copies, a page that asks not to be indexed, one in an
//! unwanted language and one that is missing. What the crawl says at its end is then compared with every other way to ask: status,
//! results with their views, genres and agents, search, exports, the report and the dashboard. After marks and judging again the
//! same must hold.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

use common::{Workspace, hound_in, refuses, says, serve_paths};
use scenthound_dashboard::{Dashboard, DashboardSettings};
use scenthound_testweb::{Serving, SiteResponse};
use serde_json::Value;

const WORDS: [&str; 24] = [
    "kettle", "harvest", "garden", "valley", "autumn", "ceramic", "whisk", "morning", "water", "spring",
    "bamboo", "mountain", "market", "copper", "evening", "basket", "paper", "lantern", "river", "winter",
    "orchard", "pottery", "monsoon", "terrace",
];

/// Fifty words, different for every page.
fn filler(seed: usize) -> String {
    let words: Vec<&str> = (0..50)
        .map(|n| WORDS[(n * (seed + 3) + n * n * (seed + 1) + seed) % 24])
        .collect();
    words.join(" ")
}

fn page(head: &str, words: &str, links: &str) -> SiteResponse {
    SiteResponse::html(format!(
        "<html lang=en><head>{head}</head><body><p>{words}</p>{links}</body></html>"
    ))
}

/// Guides to tea, guides to other things, tea pages that are no guides, and pages that are neither.
///
/// `/tea/3` has two copies, `/print/3` and `/t3`, which name it as their canonical URL and are shorter and longer than it.
fn little(path: &str) -> SiteResponse {
    let mut parts = path.trim_start_matches('/').splitn(2, '/');
    let (kind, number) = (parts.next().unwrap_or_default(), parts.next());
    let at: usize = number.and_then(|number| number.parse().ok()).unwrap_or_default();
    let tea = |n: usize, head: &str| {
        let words = format!(
            "A guide to tea. The guide says: infusion of tea, green tea, tea leaves. {}",
            filler(n)
        );
        page(&format!("<title>Guide to tea {n}</title>{head}"), &words, "")
    };
    match kind {
        "robots.txt" => SiteResponse::text("User-agent: *\nDisallow: /private\n"),
        "" => {
            let links = |kind: &str| {
                (0..6)
                    .map(|n| format!("<a href=/{kind}/{n}>{kind} {n}</a> "))
                    .collect::<String>()
            };
            let more = "<a href=/print/3>print</a> <a href=/t3>short</a> <a href=/noindex>quiet</a> <a href=/german>de</a> \
                        <a href=/gone>gone</a> <a href=/private/x>private</a>";
            page(
                "<title>Hub</title>",
                "welcome to all of this",
                &(["tea", "guide", "shop", "other"].map(links).concat() + more),
            )
        }
        "tea" => tea(at, ""),
        "print" | "t3" => tea(3, "<link rel=canonical href=/tea/3>"),
        "noindex" => tea(40, "<meta name=robots content=noindex>"),
        "german" => page(
            "<title>Tee</title>",
            "Der Tee wird mit heißem Wasser aufgegossen und muss dann einige Minuten ziehen, bevor er getrunken wird. Das ist \
             ein guide über tea, aber er ist auf Deutsch geschrieben und wird deshalb nicht gewünscht.",
            "",
        ),
        "guide" => page(
            &format!("<title>Guide {at}</title>"),
            &format!("A guide, the guide for everybody. {}", filler(at + 10)),
            "",
        ),
        "shop" => page(
            &format!("<title>Shop {at}</title>"),
            &format!("Buy tea, green tea, black tea now. {}", filler(at + 20)),
            "",
        ),
        "other" => page(&format!("<title>Other {at}</title>"), &filler(at + 30), ""),
        _ => SiteResponse::missing(),
    }
}

fn web() -> (Serving, String) {
    serve_paths(little)
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is not a count"))
}

/// The number before a word, such as 12 in `12 relevant`.
fn number_before(text: &str, word: &str) -> u64 {
    let before = text.split(word).next().unwrap().trim_end();
    let digits: String = before
        .chars()
        .rev()
        .take_while(|c| c.is_ascii_digit() || *c == ',')
        .collect();
    let digits: String = digits.chars().rev().filter(char::is_ascii_digit).collect();
    digits
        .parse()
        .unwrap_or_else(|_| panic!("no number before {word:?} in {text}"))
}

/// What the dashboard answers.
fn asked(dashboard: &Dashboard, path: &str) -> Value {
    let mut stream = TcpStream::connect(dashboard.addr()).unwrap();
    write!(
        stream,
        "GET /api/v1/{path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        dashboard.addr()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer}"))
}

type Urls = BTreeSet<String>;

fn urls(lines: &[Value]) -> Urls {
    lines
        .iter()
        .map(|line| line["url"].as_str().unwrap().to_owned())
        .collect()
}

/// Compares everything that counts the pages of the crawl in `crawl`, which its end said had found so many.
fn all_agree(root: &Path, said: u64, what: &str) {
    let results = |more: &[&str]| -> Vec<Value> {
        let all = ["results", "crawl", "--all", "--format", "jsonl"];
        hound_in(root, &[&all[..], more].concat()).json_lines()
    };
    let status = hound_in(root, &["status", "crawl", "--json"]).json();
    assert_eq!(number(&status["relevant"]), said, "{what}: status");
    let read = number(&status["bodies"]);
    let in_words = says(root, &["status", "crawl"]);
    assert_eq!(number_before(&in_words, " relevant"), said, "{what}: {in_words}");

    // Results: shown, folded and left out are all pages that were read.
    let every = results(&["--with-duplicates", "--with-hidden"]);
    assert_eq!(every.len() as u64, read, "{what}");
    let shown = results(&[]);
    let copies = every
        .iter()
        .filter(|page| !page["duplicate_of"].is_null())
        .count();
    let hidden: Vec<&Value> = every.iter().filter(|page| page["hidden"] == true).collect();
    assert_eq!(shown.len() + copies + hidden.len(), every.len(), "{what}");
    let relevant = results(&["--relevant-only"]);
    let hidden_relevant = hidden.iter().filter(|page| page["relevant"] == true).count();
    assert_eq!(
        (relevant.len() + hidden_relevant) as u64,
        said,
        "{what}: {relevant:#?}"
    );
    let starred: Vec<Value> = shown
        .iter()
        .filter(|page| page["relevant"] == true)
        .cloned()
        .collect();
    assert_eq!(urls(&starred), urls(&relevant), "{what}");
    let summary = hound_in(root, &["results", "crawl"]).err;
    assert_eq!(number_before(&summary, " relevant"), said, "{what}: {summary}");
    let chosen = hound_in(root, &["results", "crawl", "--relevant-only"]).err;
    assert_eq!(
        number_before(&chosen, " relevant") as usize,
        relevant.len(),
        "{what}: {chosen}"
    );

    // No view is called relevant, and views, genres and agents each divide the pages.
    let of = |field: fn(&Value) -> String| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for page in &shown {
            *counts.entry(field(page)).or_default() += 1;
        }
        counts
    };
    for (view, count) in of(|page| page["view"].as_str().unwrap_or_default().to_owned()) {
        assert_ne!(view, "relevant", "{what}");
        if !view.is_empty() {
            assert_eq!(results(&["--view", &view]).len(), count, "{what}: view {view}");
            if summary.contains("views:") {
                let views = summary.split("views:").nth(1).unwrap();
                assert_eq!(
                    number_before(views, &format!(" {view}")) as usize,
                    count,
                    "{what}: {summary}"
                );
            }
        }
    }
    for (genre, count) in of(|page| page["genre"]["class"].as_str().unwrap_or_default().to_owned()) {
        if !genre.is_empty() {
            let found = results(&["--genre", &genre]);
            assert_eq!(found.len(), count, "{what}: genre {genre}");
            let summary = hound_in(root, &["results", "crawl", "--genre", &genre]).err;
            let found_relevant = found.iter().filter(|page| page["relevant"] == true).count();
            assert_eq!(
                number_before(&summary, " relevant") as usize,
                found_relevant,
                "{what}: {summary}"
            );
        }
    }
    for agent in status["agents"].as_array().into_iter().flatten() {
        let found = results(&[
            "--agent",
            &agent["number"].to_string(),
            "--with-hidden",
            "--with-duplicates",
        ]);
        let finds = found
            .iter()
            .filter(|page| page["relevant"] == true && page["duplicate_of"].is_null());
        let copies_shown = found
            .iter()
            .filter(|page| !page["duplicate_of"].is_null())
            .count();
        // A copy may be shown in place of the page that another agent found first.
        assert!(
            finds.count().abs_diff(number(&agent["relevant"]) as usize) <= copies.max(copies_shown),
            "{what}: {agent}"
        );
    }

    // Exports, with the same ids.
    let exported = |more: &[&str]| -> Vec<Value> {
        hound_in(root, &[&["export", "crawl", "--to", "jsonl"], more].concat()).json_lines()
    };
    assert_eq!(urls(&exported(&[])), urls(&shown), "{what}");
    assert_eq!(urls(&exported(&["--relevant"])), urls(&relevant), "{what}");
    let csv = says(root, &["export", "crawl", "--to", "csv", "--relevant"]);
    assert_eq!(csv.lines().count(), relevant.len() + 1, "{what}");
    let ids: BTreeMap<String, String> = every
        .iter()
        .map(|page| {
            (
                page["url"].as_str().unwrap().to_owned(),
                page["id"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    let id_is_known =
        |page: &Value| ids.get(page["url"].as_str().unwrap()).map(String::as_str) == page["id"].as_str();
    assert!(
        exported(&["--with-hidden", "--with-duplicates"])
            .iter()
            .all(id_is_known),
        "{what}"
    );

    // Search, for a word of every page about tea.
    let searched = |more: &[&str]| -> Vec<Value> {
        let every = ["search", "crawl", "tea", "--top", "100", "--json"];
        hound_in(root, &[&every[..], more].concat()).json_lines()
    };
    let about_tea: Urls = searched(&[])
        .iter()
        .map(|hit| hit["url"].as_str().unwrap().to_owned())
        .collect();
    assert!(
        !about_tea.is_empty() && about_tea.is_subset(&urls(&shown)),
        "{what}: {about_tea:?}"
    );
    let relevant_hits = searched(&["--relevant"]);
    let expected: Urls = urls(&relevant).intersection(&about_tea).cloned().collect();
    assert_eq!(urls(&relevant_hits), expected, "{what}");
    assert!(relevant_hits.iter().all(id_is_known), "{what}");

    // The report and the dashboard.
    let report = std::fs::read_to_string(root.join("crawl/reports/report.html")).unwrap();
    assert_eq!(number_before(&report, " relevant ("), said, "{what}");
    let settings = DashboardSettings::new("127.0.0.1:0".parse().unwrap(), vec![root.join("crawl")]);
    let dashboard = Dashboard::start(settings).unwrap();
    let overview = asked(&dashboard, "crawls/crawl/overview");
    assert_eq!(number(&overview["status"]["relevant"]), said, "{what}");
    assert_eq!(number(&overview["near_duplicates"]) as usize, copies, "{what}");
    assert_eq!(number(&overview["hidden"]) as usize, hidden.len(), "{what}");
    let curve = overview["curve"].as_array().unwrap();
    assert_eq!(number(&curve.last().unwrap()[1]), said, "{what}");
    let listed = |query: &str| {
        let list = asked(&dashboard, &format!("crawls/crawl/pages?limit=200{query}"));
        urls(list["pages"].as_array().unwrap())
    };
    assert_eq!(listed(""), urls(&shown), "{what}");
    assert_eq!(listed("&relevant=yes"), urls(&relevant), "{what}");
}

/// Crawls the web with a topic and returns how many relevant pages its end said it found, in words and as JSON.
fn crawl(root: &Path, base: &str, topic: &str, more: &[&str]) -> u64 {
    let common = format!(
        "[seeds]\nurls = [\"{base}/\"]\n[crawl]\ndelay = \"1ms\"\nip-delay = \"0s\"\nallow-net = [\"127.0.0.0/8\"]\nlang = [\"en\"]\n"
    );
    std::fs::write(root.join("topic.toml"), format!("{topic}{common}")).unwrap();
    let run = hound_in(root, &[&["crawl", "topic.toml", "-o", "crawl"], more].concat());
    assert!(run.is_good(), "{run:?}");
    number_before(&run.both(), " relevant (")
}

#[test]
fn everything_that_counts_pages_counts_the_same() {
    let (_serving, base) = web();
    let terms = "[topic]\nname = \"tea guides\"\nlanguage = \"en\"\n[terms]\ngenre = [\"guide\"]\ncontent = [\"tea\"]\n";
    let by_terms = format!("{terms}[judge]\nkind = \"terms\"\n");
    let by_query = "[topic]\nname = \"guide to tea\"\nquery = \"guide to tea\"\nlanguage = \"en\"\n";
    let cases: [(&str, &str, &[&str]); 4] = [
        ("terms", &by_terms, &[]),
        ("topic", by_query, &[]),
        // None of these pages is a blog, so few or none are relevant; but all have a genre.
        ("topic with genres", by_query, &["--genre", "blog"]),
        ("agents", &by_terms, &["--agents", "3"]),
    ];
    for (what, topic, more) in cases {
        let place = Workspace::new();
        let root = place.path("");
        let said = crawl(&root, &base, topic, more);
        assert!(said >= 5 || what == "topic with genres", "{what}: {said}");
        all_agree(&root, said, what);
        if what == "terms" {
            let copies = hound_in(
                &root,
                &[
                    "results",
                    "crawl",
                    "--all",
                    "--with-duplicates",
                    "--format",
                    "jsonl",
                ],
            );
            let copies: Vec<Value> = copies
                .json_lines()
                .into_iter()
                .filter(|page| !page["duplicate_of"].is_null())
                .collect();
            assert_eq!(copies.len(), 2, "{copies:?}");
            assert!(
                copies
                    .iter()
                    .all(|page| page["duplicate_of"] == format!("{base}/tea/3")),
                "{copies:?}"
            );
            let error = refuses(&root, &["results", "crawl", "--agent", "9"]);
            assert!(
                error.contains("there is no agent 9: this crawl has 1 agent"),
                "{error}"
            );

            // A mark changes no verdict; judging again with another threshold does, everywhere.
            says(
                &root,
                &["mark", "crawl", "--irrelevant", &format!("{base}/tea/1")],
            );
            all_agree(&root, said, "marked");
            let stricter = by_terms.replace("[judge]", "[judge]\nthreshold = 0.8");
            std::fs::write(root.join("strict.toml"), stricter).unwrap();
            let again = hound_in(&root, &["rejudge", "crawl", "--topic", "strict.toml"]);
            assert!(again.is_good(), "{again:?}");
            let status = hound_in(&root, &["status", "crawl", "--json"]).json();
            all_agree(&root, number(&status["relevant"]), "judged again");
        }
    }
}

#[test]
fn a_trained_judge_agrees_with_itself_and_has_no_views() {
    let (_serving, base) = web();
    let place = Workspace::new();
    let root = place.path("");
    for (kind, path) in [("good", "tea"), ("bad", "other"), ("bad", "guide")] {
        std::fs::create_dir_all(root.join(kind)).unwrap();
        for n in 50..60 {
            let answer = little(&format!("/{path}/{n}"));
            std::fs::write(root.join(kind).join(format!("{path}{n}.html")), &answer.body).unwrap();
        }
    }
    says(
        &root,
        &[
            "train",
            "relevance",
            "--positive",
            "good",
            "--negative",
            "bad",
            "-o",
            "tea.model",
        ],
    );
    let topic =
        "[topic]\nname = \"tea\"\nlanguage = \"en\"\n[judge]\nkind = \"logistic\"\nmodel = \"tea.model\"\n";
    let said = crawl(&root, &base, topic, &[]);
    assert!(said >= 5, "{said}");
    all_agree(&root, said, "trained");
    let summary = hound_in(&root, &["results", "crawl"]);
    assert!(!summary.both().contains("view"), "{summary:?}");
    let pages = hound_in(&root, &["results", "crawl", "--all", "--format", "jsonl"]).json_lines();
    assert!(pages.iter().all(|page| page["view"].is_null()), "{pages:?}");
}
