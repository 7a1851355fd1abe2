//! `hound search` on small crawls: words, phrases, filters, Japanese, several collections, and an index that keeps up.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod common;

use common::{Workspace, serve_paths};
use scenthound_testweb::{Serving, SiteResponse};

fn page(title: &str, words: &str, links: &[&str]) -> SiteResponse {
    let links: String = links
        .iter()
        .map(|to| format!("<a href=\"{to}\">more</a> "))
        .collect();
    SiteResponse::html(format!(
        "<title>{title}</title><nav>{links}</nav><main><h1>{title}</h1><p>{words}</p></main><footer>imprint</footer>"
    ))
}

fn answer(path: &str) -> SiteResponse {
    match path {
        "/" => page(
            "Tea",
            "An introduction to green tea and black tea.",
            &["/second", "/ja", "/cars", "/hidden"],
        ),
        "/second" => page(
            "Second flush",
            "The second flush of Darjeeling is picked in June. This tea tastes of muscatel grapes.",
            &[],
        ),
        "/ja" => page(
            "緑茶",
            "緑茶は日本で最もよく飲まれているお茶です。煎茶や玉露など多くの種類があります。",
            &[],
        ),
        "/cars" => page("Cars", "A second car is a luxury, and a flush tank is full.", &[]),
        "/hidden" => page("Hidden", "A hidden second flush tea.", &[]).with("X-Robots-Tag", "noindex"),
        _ => SiteResponse::missing(),
    }
}

fn crawl(work: &Workspace, folder: &str, max_pages: &str) -> (Serving, String) {
    let (serving, root) = serve_paths(answer);
    let url = format!("{root}/");
    resume(work, folder, &url, max_pages);
    (serving, root)
}

fn resume(work: &Workspace, folder: &str, url: &str, max_pages: &str) {
    let run = work.hound(&[
        "crawl",
        "tea",
        url,
        "-o",
        folder,
        "--allow-net",
        "127.0.0.0/8",
        "--delay",
        "0s",
        "--contact",
        "test@example.org",
        "--max-pages",
        max_pages,
    ]);
    assert!(run.code.is_some_and(|code| !(2..11).contains(&code)), "{run:?}");
}

/// The paths found, best first.
fn found(work: &Workspace, arguments: &[&str]) -> Vec<String> {
    let mut all = vec!["search", "--json"];
    all.extend(arguments);
    let lines = work.hound(&all).json_lines();
    let path = |url: &str| url.splitn(4, '/').last().unwrap().to_owned();
    lines
        .iter()
        .map(|hit| path(hit["url"].as_str().unwrap()))
        .collect()
}

#[test]
fn words_phrases_and_filters_find_pages() {
    let work = Workspace::new();
    let (_serving, _root) = crawl(&work, "out", "20");
    assert_eq!(found(&work, &["out", "second flush"]), ["second", "cars"]);
    assert_eq!(found(&work, &["out", "\"second flush\""]), ["second"]);
    assert_eq!(found(&work, &["out", "flush -darjeeling"]), ["cars"]);
    assert_eq!(found(&work, &["out", "second flush", "--relevant"]), ["second"]);
    assert_eq!(found(&work, &["out", "hidden", "--with-hidden"]), ["hidden"]);
    assert!(found(&work, &["out", "hidden"]).is_empty());
    // The footer is not main text.
    assert!(found(&work, &["out", "imprint"]).is_empty());
    assert_eq!(found(&work, &["out", "日本"]), ["ja"]);
    assert_eq!(found(&work, &["out", "緑茶", "--lang", "ja"]), ["ja"]);
    assert!(found(&work, &["out", "緑茶", "--lang", "en"]).is_empty());
    assert!(found(&work, &["out", "茶緑"]).is_empty());
    assert_eq!(
        found(
            &work,
            &["out", "muscatel", "--since", "2024", "--host", "127.0.0.1"]
        ),
        ["second"]
    );
    assert!(found(&work, &["out", "muscatel", "--until", "2023"]).is_empty());
    // Broken syntax is not an error.
    assert_eq!(found(&work, &["out", "muscatel AND ("]), ["second"]);
    let shown = work.says(&["search", "out", "muscatel"]);
    assert!(
        shown.contains("*muscatel* grapes") && shown.contains("Second flush"),
        "{shown}"
    );
    assert!(
        work.refuses(&["search", "out", " "])
            .contains("words to search for")
    );
    // What a field cannot answer finds nothing, and does not make the index look broken.
    let run = work.hound(&["search", "out", "id:*"]);
    assert!(!format!("{run:?}").contains("could not be used"), "{run:?}");
}

#[test]
fn the_index_follows_the_crawl_and_can_be_deleted() {
    let work = Workspace::new();
    let (_serving, root) = crawl(&work, "out", "1");
    assert!(found(&work, &["out", "muscatel"]).is_empty());
    resume(&work, "out", &format!("{root}/"), "20");
    assert_eq!(found(&work, &["out", "muscatel"]), ["second"]);
    // Other judgements: the same pages, with other verdicts, and the same texts.
    let texts = || {
        let files = std::fs::read_dir(work.path("out/search")).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name.ends_with(".store")).collect();
        names.sort();
        names
    };
    let before = texts();
    assert!(!before.is_empty());
    std::fs::write(work.path("cars.toml"), "[topic]\nname = \"cars\"\n[terms]\ncontent = [\"car\", \"luxury\"]\n[judge]\nkind = \"terms\"\nthreshold = 0.1\n").unwrap();
    let rejudged = work.hound(&["rejudge", "out", "--topic", "cars.toml"]);
    assert!(rejudged.is_good(), "{rejudged:?}");
    assert_eq!(found(&work, &["out", "flush", "--relevant"]), ["cars"]);
    assert_eq!(found(&work, &["out", "muscatel"]), ["second"]);
    assert_eq!(texts(), before, "no page was indexed again");
    std::fs::remove_dir_all(work.path("out/search")).unwrap();
    assert_eq!(found(&work, &["out", "muscatel"]), ["second"]);
}

#[test]
fn several_collections_are_searched_at_once() {
    let work = Workspace::new();
    let (_one, _) = crawl(&work, "one", "20");
    let (_two, _) = crawl(&work, "two", "20");
    let shown = work.says(&["search", "one", "two", "muscatel"]);
    assert!(shown.contains("· one\n") && shown.contains("· two\n"), "{shown}");
    assert_eq!(found(&work, &["one", "two", "muscatel"]).len(), 2);
}

#[test]
fn a_crawl_leaves_a_complete_index_and_one_that_is_ahead_of_the_records_is_made_again() {
    let work = Workspace::new();
    let (_serving, _root) = crawl(&work, "out", "10");
    let table = std::fs::read(work.path("out/search/pages.table")).unwrap();
    let records = work.path("out/pages/pages.jsonl");
    let lines = std::fs::read_to_string(&records).unwrap();
    let table = String::from_utf8_lossy(&table);
    assert!(table.contains(&format!("\"bytes\":{},", lines.len())), "{table}");
    // A crawl that was killed takes back what it had not committed. The index must not keep it.
    let words = [
        ("/second\"", "muscatel"),
        ("/cars\"", "luxury"),
        ("/ja\"", "煎茶"),
    ];
    let last = lines
        .lines()
        .rev()
        .find(|line| words.iter().any(|(path, _)| line.contains(path)));
    let last = last.unwrap();
    let (_, word) = words.iter().find(|(path, _)| last.contains(path)).unwrap();
    assert!(!found(&work, &["out", word]).is_empty());
    std::fs::write(&records, &lines[..lines.find(last).unwrap()]).unwrap();
    assert!(found(&work, &["out", word]).is_empty());
    assert!(!found(&work, &["out", "introduction"]).is_empty());
}
