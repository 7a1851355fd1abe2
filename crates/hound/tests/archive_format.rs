//! A crawl that is archived as `.warc.zst`: everything of ours reads it, and an export turns it into what other tools read.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod common;

use std::fs;
use std::path::Path;

use common::python::{python_with, run_script};
use common::{Workspace, serve_paths, text};
use scenthound_store::WarcReader;
use scenthound_testweb::{Serving, SiteResponse};

const PROSE: &str = "Green tea is made from leaves that have not withered, and it was first made in China. Today it is grown \
                     in many countries, and people drink it at every time of the day.";

fn page(title: &str, words: &str, links: &[&str]) -> SiteResponse {
    let links: String = links
        .iter()
        .map(|to| format!("<p><a href=\"{to}\">more tea</a></p>"))
        .collect();
    SiteResponse::html(format!(
        "<title>{title}</title><h1>{title}</h1><p>{words}</p>{links}"
    ))
}

/// Four pages, one of them twice.
fn answer(path: &str) -> SiteResponse {
    match path {
        "/" => page("Tea", PROSE, &["/green", "/green/copy", "/black"]),
        "/green" | "/green/copy" => page(
            "Green tea",
            &format!("{PROSE} Steep it for two minutes."),
            &["/late"],
        ),
        "/black" => page(
            "Black tea",
            &format!("{PROSE} Black tea has withered before it is rolled."),
            &[],
        ),
        "/late" => page(
            "Late tea",
            &format!("{PROSE} Leaves of autumn taste of nuts."),
            &[],
        ),
        _ => SiteResponse::missing(),
    }
}

fn crawl<'a>(url: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let always = [
        "crawl",
        "green tea",
        url,
        "-o",
        "out",
        "--allow-net",
        "127.0.0.0/8",
        "--delay",
        "0s",
        "--contact",
        "test@example.org",
        "--follow-duplicates",
    ];
    [&always[..], more].concat()
}

/// The site, and a crawl of it.
fn crawled(work: &Workspace) -> (Serving, String) {
    let (serving, root) = serve_paths(answer);
    let url = format!("{root}/");
    let run = work.hound(&crawl(&url, &["--archive", "zst"]));
    assert!(run.is_good(), "{run:?}");
    (serving, root)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The URIs of all responses and revisits in the archives of a folder.
fn archived(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for name in names(folder) {
        for record in WarcReader::open(&folder.join(name)).unwrap().map(Result::unwrap) {
            assert!(record.faults.is_empty(), "{:?}", record.faults);
            if matches!(record.kind(), "response" | "revisit") {
                found.push(record.target_uri().unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

#[test]
fn every_reader_of_ours_reads_an_archive_in_zstd() {
    let work = Workspace::new();
    let (_serving, root) = crawled(&work);
    assert_eq!(names(&work.path("out/archive")), ["green-tea-00000.warc.zst"]);
    let index = fs::read_to_string(work.path("out/indexes/green-tea-00000.cdxj")).unwrap();
    assert_eq!(
        index.matches("green-tea-00000.warc.zst").count(),
        index.lines().count()
    );
    let green = format!("{root}/green");

    let why = work.says(&["results", "out", "--why"]);
    assert!(why.contains("Green tea"), "{why}");
    let explained = work.says(&["explain", "out", &green]);
    assert!(explained.contains("green-tea-00000.warc.zst"), "{explained}");
    let found = work.says(&["search", "out", "autumn"]);
    assert!(found.contains("/late"), "{found}");
    fs::remove_dir_all(work.path("out/search")).unwrap();
    let found = work.says(&["search", "out", "autumn"]);
    assert!(
        found.contains("/late"),
        "the index is made again from the archive: {found}"
    );
    let exported = work
        .hound(&[
            "export",
            "out",
            "--to",
            "jsonl",
            "--text",
            "--links",
            "--with-duplicates",
        ])
        .json_lines();
    assert_eq!(exported.len(), 5);
    assert!(
        exported.iter().all(|page| page["text"]
            .as_str()
            .is_some_and(|text| text.contains("Green tea is made"))),
        "{exported:?}"
    );
    work.says(&["export", "out", "--to", "text", "-o", "corpus"]);
    let topic = format!(
        "[topic]\nname = \"tea\"\n[terms]\ngenre = [\"tea\"]\ncontent = [\"leaves\"]\n[judge]\nkind = \"terms\"\n\
         [seeds]\nurls = [\"{root}/\"]\n"
    );
    fs::write(work.path("tea.toml"), topic).unwrap();
    work.says(&["export", "out", "--to", "warc", "-o", "gz"]);
    let fetched =
        |web| work.json(&["lab", "replay", "--web", web, "--topic", "tea.toml", "--json"])["fetched"].clone();
    assert_eq!(fetched("out"), fetched("gz/archive"));
    assert_eq!(fetched("out"), 4, "the copy is a revisit");
    let judged = work.says(&[
        "judge",
        "--topic",
        "tea.toml",
        "--from",
        "out/archive/green-tea-00000.warc.zst",
    ]);
    assert!(judged.contains("/green"), "{judged}");
    work.says(&["rejudge", "out", "--topic", "tea.toml"]);
    assert!(work.says(&["results", "out"]).contains("Green tea"));

    fs::remove_dir_all(work.path("out/state")).unwrap();
    let repaired = work.json(&["repair", "out", "--json"]);
    assert_eq!(repaired["lost"], 0, "{repaired}");
}

#[test]
fn an_archive_goes_on_in_the_format_it_was_begun_in() {
    let work = Workspace::new();
    let (_serving, root) = serve_paths(answer);
    let url = format!("{root}/");
    let first = work.hound(&crawl(&url, &["--archive", "zst", "--max-pages", "2"]));
    assert!(first.is_good(), "{first:?}");
    let other = work.hound(&crawl(&url, &["--archive", "gz", "--max-pages", "9"]));
    assert!(!other.is_good());
    assert!(
        other.err.contains("archive was \"zst\", now \"gz\"") && other.err.contains("new folder"),
        "{other:?}"
    );
    let next = work.hound(&crawl(&url, &["--archive", "zst", "--max-pages", "9"]));
    assert!(next.is_good(), "{next:?}");
    assert_eq!(names(&work.path("out/archive")), ["green-tea-00000.warc.zst"]);
    let pages: Vec<String> = archived(&work.path("out/archive"))
        .into_iter()
        .filter(|url| !url.ends_with("robots.txt"))
        .collect();
    let expected = ["", "black", "green", "green/copy", "late"].map(|path| format!("{root}/{path}"));
    assert_eq!(pages, expected);
}

#[test]
fn exports_for_other_tools_are_in_gzip() {
    let work = Workspace::new();
    let (_serving, root) = crawled(&work);
    work.says(&["export", "out", "--to", "warc", "-o", "gz"]);
    assert_eq!(names(&work.path("gz/archive")), ["green-tea-00000.warc.gz"]);
    assert_eq!(names(&work.path("gz/indexes")), ["green-tea-00000.cdxj"]);
    assert_eq!(
        archived(&work.path("gz/archive")),
        archived(&work.path("out/archive"))
    );
    let index = fs::read_to_string(work.path("gz/indexes/green-tea-00000.cdxj")).unwrap();
    assert!(index.contains("warc/revisit"), "{index}");
    work.says(&[
        "export",
        "out",
        "--to",
        "warc",
        "--min-relevance",
        "0",
        "--with-duplicates",
        "-o",
        "some",
    ]);
    assert_eq!(names(&work.path("some/archive")), ["chosen.warc.gz"]);
    let some = archived(&work.path("some/archive"));
    assert!(some.contains(&format!("{root}/green/copy")), "{some:?}");

    for (more, name) in [(&[][..], "all.wacz"), (&["--relevant"][..], "some.wacz")] {
        work.says(&[&["export", "out", "--to", "wacz", "-o", name][..], more].concat());
    }
    let Some(python) = python_with("wacz, warcio") else {
        return;
    };
    for file in fs::read_dir(work.path("gz/archive")).unwrap() {
        let path = file.unwrap().path();
        let script = "import sys\nfrom warcio.cli import main\nsys.argv = ['warcio', 'check', '-v', sys.argv[1]]\nmain()\n";
        let checked = run_script(&python, script, &[text(&path)], "");
        assert!(
            checked.contains("digest pass") && !checked.contains("failed"),
            "{checked}"
        );
    }
    for name in ["all.wacz", "some.wacz"] {
        // The script ends with an error if the file is not valid.
        let script =
            "import sys\nfrom wacz.main import main\nsys.exit(main(['validate', '-f', sys.argv[1]]))\n";
        run_script(&python, script, &[text(&work.path(name))], "");
    }
}
