//! Exports of a small crawl, read back by pyarrow, pandas, DuckDB, wacz and warcio.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod common;

use common::python::{python_with, run_script};
use common::{Workspace, json_lines, serve_paths, text};
use scenthound_testweb::{Serving, SiteResponse};
use serde_json::Value;

const PROSE: &str = "Green tea is made from leaves that have not withered, and it was first made in China. Today it is grown \
                     in many countries, and people drink it at every time of the day.";

fn page(title: &str, words: &str, links: &[&str]) -> SiteResponse {
    let links: String = links
        .iter()
        .map(|to| format!("<li><a href=\"{to}\">more</a></li>"))
        .collect();
    SiteResponse::html(format!(
        "<title>{title}</title><link rel=license href=\"https://creativecommons.org/licenses/by/4.0/\"><nav><ul>{links}</ul>\
         </nav><article><h1>{title}</h1><p>{words}</p></article><footer>All rights reserved</footer>"
    ))
}

fn answer(path: &str) -> SiteResponse {
    match path {
        "/" => page(
            "Tea",
            PROSE,
            &["/green", "/green/copy", "/cars", "/secret", "/missing"],
        ),
        "/green" => page("Green tea", &format!("{PROSE} Steep it for two minutes."), &["/"]),
        "/green/copy" => answer("/green"),
        "/cars" => page(
            "Cars",
            "Cars have engines and wheels, and they are sold by dealers who know everything about them and their prices.",
            &["/"],
        ),
        "/secret" => page("Secret tea", PROSE, &[]).with("X-Robots-Tag", "noindex"),
        _ => SiteResponse::missing(),
    }
}

fn crawl(work: &Workspace) -> (Serving, String) {
    let (serving, root) = serve_paths(answer);
    let url = format!("{root}/");
    let run = work.hound(&[
        "crawl",
        "green tea",
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
    assert!(run.is_good(), "{run:?}");
    (serving, root)
}

#[test]
fn other_tools_read_every_format_and_find_the_same_pages() {
    let Some(python) = python_with("duckdb, pandas, pyarrow, wacz, warcio") else {
        return;
    };
    let work = Workspace::new();
    let (_serving, _root) = crawl(&work);
    for arguments in [
        &["--to", "jsonl", "--with-duplicates", "-o", "pages.jsonl"][..],
        &["--to", "csv", "--with-duplicates", "-o", "pages.csv"],
        &[
            "--to",
            "parquet",
            "--with-duplicates",
            "--text",
            "--links",
            "-o",
            "pages.parquet",
        ],
        &["--to", "wacz", "--with-duplicates", "--text", "-o", "all.wacz"],
        &[
            "--to",
            "wacz",
            "--with-duplicates",
            "--relevant",
            "-o",
            "some.wacz",
        ],
        &["--to", "text", "--with-duplicates", "-o", "corpus"],
    ] {
        let mut all = vec!["export", "out"];
        all.extend(arguments);
        work.says(&all);
    }
    let script = include_str!("python/read_exports.py");
    let folder = work.path("");
    let found: Value = serde_json::from_str(&run_script(&python, script, &[text(&folder)], "")).unwrap();
    let ids = |name: &str| -> Vec<String> {
        let mut ids: Vec<String> = serde_json::from_value(found[name].clone()).unwrap();
        ids.sort();
        ids
    };
    let expected = ids("jsonl");
    assert_eq!(expected.len(), 4, "{found}");
    for name in ["parquet", "duckdb", "csv", "all_pages", "documents"] {
        assert_eq!(ids(name), expected, "{name}");
    }
    for (column, kind) in [
        ("relevance", "double"),
        ("relevant", "bool"),
        ("status", "int64"),
        ("fetched_at", "timestamp[ms, tz=UTC]"),
        ("url", "string"),
    ] {
        assert_eq!(found["types"][column], kind, "{column}");
    }
    assert!(
        found["types"]["links"].as_str().unwrap().starts_with("list<"),
        "{found}"
    );
    assert_eq!(found["texts"], serde_json::json!([true, true, true, true]));
    assert_eq!(found["links"][0], 5);
    let relevant = found["pandas"].as_u64().unwrap();
    assert!((1..4).contains(&relevant), "{found}");
    assert_eq!(found["all_valid"], true, "{found}");
    assert_eq!(found["some_valid"], true, "{found}");
    assert_eq!(found["some_pages"].as_array().unwrap().len() as u64, relevant);
    assert_eq!(found["all_records"]["revisit"], 1, "{found}");
    let records = &found["some_records"];
    let archived = records["response"].as_u64().unwrap() + records["revisit"].as_u64().unwrap_or(0);
    assert_eq!(archived, relevant, "{found}");
    assert_eq!(found["manifest"], 4);
    let card = std::fs::read_to_string(work.path("corpus/README.md")).unwrap();
    assert!(card.starts_with("---\npretty_name: \"green tea\"\n"), "{card}");
}

#[test]
fn filters_choose_pages_and_hidden_ones_come_on_request() {
    let work = Workspace::new();
    let (_serving, root) = crawl(&work);
    let urls = |arguments: &[&str]| -> Vec<String> {
        let mut all = vec!["export", "out", "--to", "jsonl"];
        all.extend(arguments);
        let mut urls: Vec<String> = work
            .hound(&all)
            .json_lines()
            .iter()
            .map(|page| page["url"].as_str().unwrap().replace(&root, ""))
            .collect();
        urls.sort();
        urls
    };
    assert_eq!(urls(&[]), ["/", "/cars", "/green"]);
    assert_eq!(
        urls(&["--with-hidden", "--with-duplicates"]),
        ["/", "/cars", "/green", "/green/copy", "/secret"]
    );
    assert_eq!(
        urls(&["--host", "127.0.0.1", "--lang", "en", "--since", "2024"]),
        ["/", "/cars", "/green"]
    );
    assert!(urls(&["--until", "2023"]).is_empty());
    assert!(urls(&["--host", "example.org"]).is_empty());
    assert!(!urls(&["--relevant"]).contains(&"/cars".to_owned()));
    let page = &work
        .hound(&["export", "out", "--to", "jsonl", "--text", "--links"])
        .json_lines()[1];
    assert_eq!(page["license"], "https://creativecommons.org/licenses/by/4.0/");
    assert!(page["text"].as_str().unwrap().contains("Green tea is made"));
    assert!(!page["text"].as_str().unwrap().contains("rights reserved"));
    assert!(work.refuses(&["export", "out", "--to", "parquet"]).contains("-o"));
    assert!(
        work.refuses(&["export", "out", "--to", "jsonl", "--since", "May"])
            .contains("2024-05")
    );
}

#[test]
fn links_build_a_graph_and_markdown_has_front_matter() {
    let work = Workspace::new();
    let (_serving, root) = crawl(&work);
    work.says(&["export", "out", "--to", "links", "-o", "links.tsv"]);
    let links = std::fs::read_to_string(work.path("links.tsv")).unwrap();
    assert!(links.contains(&format!("{root}/\t{root}/green\n")), "{links}");
    work.says(&["graph", "build", "links.tsv", "-o", "graph"]);
    work.says(&["export", "out", "--to", "markdown", "-o", "notes"]);
    let id = &work.hound(&["export", "out", "--to", "jsonl"]).json_lines()[0]["id"];
    let id = id.as_str().unwrap();
    let note = std::fs::read_to_string(work.path("notes").join(&id[..2]).join(format!("{id}.md"))).unwrap();
    assert!(
        note.starts_with(&format!("---\nid: \"{id}\"\nurl: \"{root}/\"\n")),
        "{note}"
    );
    assert!(note.contains("\n# Tea\n\nGreen tea is made"), "{note}");
    let error = work.refuses(&["export", "out", "--to", "wacz", "-o", "-"]);
    assert!(error.contains("cannot be written to standard output"), "{error}");
    let lines = work
        .hound(&["export", "out", "--to", "jsonl", "-o", "-"])
        .json_lines();
    assert_eq!(lines[0]["id"], id);
    assert!(!work.path("-").exists());
    let error = work.refuses(&["export", "out", "--to", "markdown", "-o", "notes"]);
    assert!(error.contains("not an empty folder"), "{error}");
    assert!(json_lines("").is_empty());
}

#[test]
fn shells_and_man_get_their_files() {
    let work = Workspace::new();
    for (shell, sign) in [
        ("bash", "_hound"),
        ("zsh", "#compdef hound"),
        ("fish", "complete -c hound"),
    ] {
        assert!(work.says(&["completions", shell]).contains(sign), "{shell}");
    }
    assert!(work.says(&["man"]).contains(".TH hound 1"));
    work.says(&["man", "-o", "man"]);
    assert!(work.path("man/hound-export.1").exists());
}
