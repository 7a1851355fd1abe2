//! Layers with the real program: a crawl gives a graph, the graph gives a model, and the model steers a crawl that can be
//! stopped and resumed.
//!
//! The web is one host. Its front page links to ten lists of dull pages; two links deep in one of them is a list of tea:
//!
//! ```text
//! / → /area/0…9 → /area/N/0…7      /area/6 → /shelf → /tea/0…11
//! ```
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use common::{hound, json_lines, serve_paths};
use scenthound_testweb::{Serving, SiteResponse};
use serde_json::Value;

/// The pages of the town by path.
fn town() -> BTreeMap<String, String> {
    let mut pages = BTreeMap::new();
    let mut add = |path: &str, words: &str, links: Vec<(String, String)>| {
        let links: String = links
            .iter()
            .map(|(to, words)| format!("<li><a href=\"{to}\">{words}</a>"))
            .collect();
        let html =
            format!("<!doctype html><html lang=en><title>{path}</title><p>{words}</p><ul>{links}</ul>");
        pages.insert(path.to_owned(), html);
    };
    let numbered = |base: &str, count: usize, words: &str| -> Vec<(String, String)> {
        (0..count)
            .map(|at| (format!("{base}{at}"), format!("{words} {at}")))
            .collect()
    };
    add(
        "/",
        "a town with many streets and houses",
        numbered("/area/", 10, "street"),
    );
    for area in 0..10 {
        let mut links = numbered(&format!("/area/{area}/"), 8, "house");
        let words = if area == 6 {
            links.push(("/shelf".to_owned(), "the pantry shelf".to_owned()));
            "a street with a grocer who keeps jars on a shelf in the pantry"
        } else {
            "a street with houses and gardens and cars parked before them"
        };
        add(&format!("/area/{area}"), words, links);
        for house in 0..8 {
            add(
                &format!("/area/{area}/{house}"),
                "a house with a red roof, a door and two windows",
                vec![("/".to_owned(), "town".to_owned())],
            );
        }
    }
    add(
        "/shelf",
        "jars on the shelf, each with a label and a lid",
        numbered("/tea/", 12, "jar of leaves"),
    );
    for jar in 0..12 {
        add(
            &format!("/tea/{jar}"),
            "green tea leaves to steep in hot water, a cup of tea",
            vec![("/shelf".to_owned(), "shelf".to_owned())],
        );
    }
    pages
}

fn start() -> (Serving, String) {
    let pages = town();
    serve_paths(move |path| match pages.get(path) {
        Some(html) => SiteResponse::html(html.clone()),
        None => SiteResponse::missing(),
    })
}

/// Runs the program, which must succeed, and returns what it printed.
fn printed(arguments: &[&str]) -> (String, String) {
    let run = hound(arguments);
    assert!(run.is_good(), "{arguments:?}\n{run:?}");
    (run.out, run.err)
}

fn crawl(root: &str, folder: &Path, options: &[&str]) {
    let seed = format!("{root}/");
    let always = [
        "crawl",
        "green tea",
        &seed,
        "--allow-net",
        "127.0.0.0/8",
        "--delay",
        "0s",
        "--ip-delay",
        "0s",
        "--concurrency",
        "1",
        // The town has streets of houses that are all alike.
        "--allow-traps",
        "-o",
        folder.to_str().unwrap(),
    ];
    printed(&[&always[..], options].concat());
}

/// The pages of a crawl in the order fetched.
fn records(folder: &Path) -> Vec<Value> {
    let lines = std::fs::read_to_string(folder.join("pages/pages.jsonl")).unwrap();
    json_lines(&lines)
        .into_iter()
        .filter(|record| record["kind"] == "page")
        .collect()
}

fn urls(folder: &Path) -> Vec<String> {
    records(folder)
        .iter()
        .map(|record| record["url"].as_str().unwrap().to_owned())
        .collect()
}

fn last_tea(folder: &Path) -> usize {
    urls(folder)
        .iter()
        .rposition(|url| url.contains("/tea/"))
        .unwrap()
}

#[test]
fn a_model_of_layers_finds_the_shelf_sooner_and_a_resumed_crawl_takes_the_same_path() {
    let (_serving, root) = start();
    let kept = tempfile::tempdir().unwrap();
    let path = |name: &str| kept.path().join(name);
    let text = |name: &str| path(name).to_str().unwrap().to_owned();

    crawl(&root, &path("wide"), &["--strategy", "breadth-first"]);
    let all = urls(&path("wide"));
    assert_eq!(all.len(), 1 + 10 + 80 + 1 + 12);

    // Half of the tea is known; the crawl has to find the rest.
    let targets: Vec<String> = (0..6).map(|jar| format!("{root}/tea/{jar}")).collect();
    std::fs::write(path("targets.txt"), targets.join("\n")).unwrap();
    let (out, _) = printed(&[
        "train",
        "layers",
        "--pages",
        &text("wide"),
        "--targets",
        &text("targets.txt"),
        "-o",
        &text("tea.layers"),
    ]);
    // The shelf; the street with the grocer; the town. The other tea pages link to the shelf as well.
    assert!(out.contains("context graph: 6/1/7/1/80"), "{out}");
    assert!(out.contains("layer 0: "), "{out}");

    let layered = format!("layered:layers={}", text("tea.layers"));
    let layered = ["--strategy", &layered];
    crawl(&root, &path("deep"), &layered);
    assert_eq!(urls(&path("deep")).len(), all.len());
    assert!(
        last_tea(&path("deep")) + 20 < last_tea(&path("wide")),
        "{:?}",
        urls(&path("deep"))
    );
    for record in records(&path("deep")) {
        let near = &record["parts"]["nearness"];
        assert!(near["layer"].as_u64().unwrap() <= 5, "{record}");
        assert!(
            (0.0..=1.0).contains(&near["posterior"].as_f64().unwrap()),
            "{record}"
        );
        assert!(
            (0.0..=1.0).contains(&near["similarity"].as_f64().unwrap()),
            "{record}"
        );
    }

    // Stopped by its budget and resumed, it visits the same pages in the same order.
    crawl(
        &root,
        &path("parts"),
        &[&layered[..], &["--max-pages", "9"]].concat(),
    );
    crawl(
        &root,
        &path("parts"),
        &[&layered[..], &["--max-pages", "25"]].concat(),
    );
    crawl(
        &root,
        &path("parts"),
        &[&layered[..], &["--max-pages", "1000"]].concat(),
    );
    assert_eq!(urls(&path("parts")), urls(&path("deep")));

    // The results are ranked by layer, and say so; on request by relevance.
    let (out, err) = printed(&["results", &text("deep"), "--top", "12", "--with-duplicates"]);
    assert!(
        err.contains("ranked by how likely they are targets (layer 0)"),
        "{err}"
    );
    let ranked: Vec<&str> = out.lines().filter(|line| line.contains("http://")).collect();
    assert!(ranked.iter().all(|line| line.contains("/tea/")), "{out}");
    let (_, err) = printed(&["results", &text("deep"), "--rank", "relevance"]);
    assert!(err.contains("ranked by relevance"), "{err}");
    let (_, err) = printed(&["results", &text("wide")]);
    assert!(err.contains("ranked by relevance"), "{err}");
    let refused = hound(&["results", &text("wide"), "--rank", "layer"]);
    assert!(!refused.is_good());
    assert!(refused.err.contains("no layers to rank by"));

    let (out, _) = printed(&["explain", &text("deep"), &format!("{root}/tea/7")]);
    assert!(
        out.contains("probability of being a target") && out.contains("similarity to the targets"),
        "{out}"
    );
    // How it was reached is told by queue and link layer, also after it was fetched.
    assert!(
        out.contains(": queue ") && out.contains(", its words lead to layer "),
        "{out}"
    );
}

#[test]
fn a_model_of_another_version_or_none_at_all_is_refused_with_a_remedy() {
    let (_serving, root) = start();
    let kept = tempfile::tempdir().unwrap();
    let path = |name: &str| kept.path().join(name).to_str().unwrap().to_owned();
    let crawled = |options: &[&str]| {
        let seed = format!("{root}/");
        let output = hound(
            &[
                &[
                    "crawl",
                    "tea",
                    &seed,
                    "--allow-net",
                    "127.0.0.0/8",
                    "-o",
                    &path("none"),
                ],
                options,
            ]
            .concat(),
        );
        assert!(!output.is_good());
        output.err
    };
    assert!(crawled(&["--strategy", "layered"]).contains("hound train layers"));

    crawl(&root, &kept.path().join("wide"), &["--strategy", "breadth-first"]);
    std::fs::write(path("targets.txt"), format!("{root}/tea/0\n{root}/tea/1\n")).unwrap();
    printed(&[
        "train",
        "layers",
        "--pages",
        &path("wide"),
        "--targets",
        &path("targets.txt"),
        "-o",
        &path("m.layers"),
    ]);
    let mut bytes = std::fs::read(path("m.layers")).unwrap();
    // The version follows the magic bytes, the format, and the kind's name with its length.
    let at = 8 + 2 + 1 + "layers".len();
    bytes[at] = 1;
    std::fs::write(path("old.layers"), bytes).unwrap();
    let error = crawled(&["--strategy", &format!("layered:layers={}", path("old.layers"))]);
    assert!(
        error.contains("version 1") && error.contains("train the model again"),
        "{error}"
    );
}
