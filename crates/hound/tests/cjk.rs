//! Chinese and Japanese from the wire to the table: a page has the same title, terms and relevance in every encoding.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use common::{hound, serve_paths, text};
use encoding_rs::{BIG5, EUC_JP, Encoding, GB18030, ISO_2022_JP, SHIFT_JIS, UTF_8};
use scenthound_testweb::SiteResponse;
use unicode_width::UnicodeWidthStr;

struct Writing {
    language: &'static str,
    title: &'static str,
    body: &'static str,
    query: &'static str,
    genre: &'static str,
    content: &'static str,
    encodings: &'static [(&'static str, &'static Encoding)],
}

const CHINESE: Writing = Writing {
    language: "zh",
    title: "資訊工程研究所碩士班甄試",
    body: "碩士班甄試的報名從十月開始，審查以後有口試。招生名額十名，請看簡章。碩士班的學生可以申請宿舍。",
    query: "碩士班甄試",
    genre: "[\"簡章\", \"招生\"]",
    content: "[\"碩士班\", \"甄試\", \"口試\"]",
    encodings: &[("big5", BIG5), ("gb18030", GB18030), ("utf-8", UTF_8)],
};

const JAPANESE: Writing = Writing {
    language: "ja",
    title: "湯川温泉の宿 宿泊の案内",
    body: "源泉かけ流しの露天風呂がある温泉旅館です。宿泊料金は一泊二食付きで一万円から。予約は電話でお願いします。",
    query: "温泉旅館",
    genre: "[\"案内\", \"料金\"]",
    content: "[\"温泉\", \"露天風呂\", \"旅館\"]",
    encodings: &[
        ("shift_jis", SHIFT_JIS),
        ("euc-jp", EUC_JP),
        ("iso-2022-jp", ISO_2022_JP),
        ("utf-8", UTF_8),
    ],
};

impl Writing {
    /// The same page in every encoding, which is declared in the header, in the page or nowhere.
    fn site(&self) -> (BTreeMap<String, SiteResponse>, Vec<String>) {
        let mut pages = BTreeMap::new();
        let mut paths = Vec::new();
        for (name, encoding) in self.encodings {
            for declared in ["header", "page", "nowhere"] {
                let meta = match declared {
                    "page" => format!("<meta charset=\"{name}\">"),
                    _ => String::new(),
                };
                let html = format!(
                    "<!doctype html><html lang=\"{}\"><head>{meta}<title>{}</title></head><body><p>{}</p></body></html>",
                    self.language, self.title, self.body
                );
                let (bytes, _, lacks) = encoding.encode(&html);
                assert!(!lacks, "{name} cannot encode the page");
                let kind: &'static str = match (declared, *name) {
                    ("header", "big5") => "text/html; charset=big5",
                    ("header", "gb18030") => "text/html; charset=gb18030",
                    ("header", "shift_jis") => "text/html; charset=Shift_JIS",
                    ("header", "euc-jp") => "text/html; charset=euc-jp",
                    ("header", "iso-2022-jp") => "text/html; charset=ISO-2022-JP",
                    ("header", _) => "text/html; charset=utf-8",
                    _ => "text/html",
                };
                let path = format!("/{name}/{declared}");
                pages.insert(path.clone(), SiteResponse::page(kind, bytes.into_owned()));
                paths.push(path);
            }
        }
        let links: String = paths
            .iter()
            .map(|path| format!("<a href=\"{path}\">x</a> "))
            .collect();
        pages.insert(
            "/".to_owned(),
            SiteResponse::html(format!("<title>all</title>{links}")),
        );
        (pages, paths)
    }

    fn crawl(&self, folder: &Path) -> Vec<String> {
        let (pages, paths) = self.site();
        let (_serving, root) =
            serve_paths(move |path| pages.get(path).cloned().unwrap_or_else(SiteResponse::missing));
        let topic = folder.with_extension("toml");
        std::fs::write(
            &topic,
            format!(
                "[topic]\nname = \"{0}\"\nquery = \"{0}\"\n[terms]\ngenre = {1}\ncontent = {2}\n[seeds]\nurls = [\"{root}/\"]\n\
                 [crawl]\nallow-net = [\"127.0.0.0/8\"]\ndelay = \"0s\"\nip-delay = \"0s\"\n",
                self.query, self.genre, self.content
            ),
        )
        .unwrap();
        hound(&["crawl", text(&topic), "-o", text(folder)]).good();
        paths.into_iter().map(|path| format!("{root}{path}")).collect()
    }
}

/// Title, language, relevance and terms of each page.
fn facts(folder: &Path) -> BTreeMap<String, String> {
    let results = hound(&[
        "results",
        text(folder),
        "--all",
        "--with-duplicates",
        "--format",
        "jsonl",
    ]);
    results
        .json_lines()
        .iter()
        .map(|page| {
            let fields = ["title", "language", "relevance", "parts"].map(|field| page[field].to_string());
            (page["url"].as_str().unwrap().to_owned(), fields.join(" "))
        })
        .collect()
}

#[test]
fn every_encoding_gives_the_same_title_terms_and_relevance() {
    for writing in [&CHINESE, &JAPANESE] {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("crawl");
        let pages = writing.crawl(&folder);
        let facts = facts(&folder);
        let wanted = &facts[pages.last().unwrap()];
        assert!(wanted.contains(writing.title), "{wanted}");
        assert!(wanted.contains(&format!("\"{}\"", writing.language)), "{wanted}");
        for page in &pages {
            assert_eq!(&facts[page], wanted, "{page}");
        }
        let explained = hound(&["explain", text(&folder), &pages[0]]).good();
        assert!(explained.contains(writing.title), "{explained}");
    }
}

#[test]
fn tables_with_wide_titles_are_aligned() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("crawl");
    JAPANESE.crawl(&folder);
    let shown = hound(&["results", text(&folder), "--all", "--with-duplicates"]).good();
    let columns: BTreeSet<usize> = shown
        .lines()
        .filter(|line| !line.trim_start().starts_with("repeats"))
        .filter_map(|line| {
            line.find("http://")
                .or_else(|| line.find("URL"))
                .map(|at| line[..at].width())
        })
        .collect();
    assert_eq!(columns.len(), 1, "{columns:?}\n{shown}");
    // Long titles are cut.
    let title: String = JAPANESE.title.chars().take(8).collect();
    assert!(shown.contains(&title), "{shown}");
}

/// The numbers before " of 15" and the like in the lines of a demo: what it found, and what breadth-first found.
fn found_of(shown: &str, all: &str) -> Vec<usize> {
    let lines = shown.lines().filter(|line| line.contains(&format!(" of {all} ")));
    lines
        .filter_map(|line| {
            let before = line.split(&format!(" of {all} ")).next()?;
            before.rsplit(' ').next()?.parse().ok()
        })
        .collect()
}

#[test]
fn the_demos_in_chinese_and_japanese_find_more_than_breadth_first_in_their_budget() {
    for (topic, all) in [("chinese", "14"), ("japanese", "15")] {
        let shown = hound(&["demo", "--topic", topic]).good();
        assert!(shown.contains("with the strategy layered"), "{shown}");
        match found_of(&shown, all).as_slice() {
            [ours, plain] => assert!(ours > plain, "{topic}: {ours} against {plain}"),
            other => panic!("{other:?} in\n{shown}"),
        }
    }
}

#[test]
fn the_demos_in_chinese_and_japanese_find_all_relevant_pages() {
    for (topic, title, term, frequent, all) in [
        ("chinese", "中國文學碩士班甄試", "甄試", "招生", "14 of 14"),
        ("japanese", "杉谷温泉 松の屋", "露天風呂", "温泉", "15 of 15"),
    ] {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join(topic);
        let path = text(&folder);
        let shown = hound(&["demo", "--topic", topic, "--max-pages", "200", "-o", path]).good();
        assert!(
            shown.contains(&format!("fetched {all} relevant pages")),
            "{shown}"
        );
        let results = hound(&["results", path, "--all", "--why", "--relevant-only"]).good();
        for wanted in [title, term] {
            assert!(results.contains(wanted), "{wanted} is missing in\n{results}");
        }

        // Terms generated from the pages found are words of the language, not single characters or garbage.
        let list = root.path().join("good.txt");
        let found = hound(&[
            "results",
            path,
            "--all",
            "--relevant-only",
            "--with-duplicates",
            "--format",
            "jsonl",
        ])
        .json_lines();
        let urls: Vec<&str> = found.iter().map(|page| page["url"].as_str().unwrap()).collect();
        std::fs::write(&list, urls.join("\n")).unwrap();
        let made = hound(&[
            "terms",
            "generate",
            "--plain",
            "--genre-terms",
            "0",
            "--relevant-pages",
            text(&list),
            "--web",
            path,
        ])
        .good();
        assert!(made.contains(&format!("\"{frequent}\"")), "{made}");
        assert!(!made.contains('\u{fffd}'), "{made}");
    }
}
