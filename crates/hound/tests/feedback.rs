//! Terms suggested from a crawl, and pages fetched by URL, on a small web on loopback.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{hound_in, says, serve_paths};
use scenthound_testweb::{Serving, SiteResponse};

const THINGS: [&str; 4] = ["roses", "bread", "chess", "sailing"];

fn page(title: &str, words: &str, links: &str) -> SiteResponse {
    SiteResponse::html(format!("<title>{title}</title><p>{words}</p>{links}"))
}

/// Guides to tea, guides to other things, and tea pages that are not guides; a redirect, and a page that robots.txt forbids.
fn little(path: &str) -> SiteResponse {
    let mut parts = path.trim_start_matches('/').splitn(2, '/');
    match (parts.next().unwrap_or_default(), parts.next()) {
        ("robots.txt", _) => SiteResponse::text("User-agent: *\nDisallow: /private\n"),
        ("", _) => {
            let links = |kind: &str| {
                (0..4)
                    .map(|n| format!("<a href=/{kind}/{n}>x</a>"))
                    .collect::<String>()
            };
            page("Hub", "welcome", &["tea", "guide", "shop"].map(links).concat())
        }
        ("tea", Some(n)) => page(
            &format!("Guide {n}"),
            &format!(
                "guide difficulty materials: warm the pot, infusion of tea leaves {n}; second infusion later"
            ),
            "",
        ),
        ("guide", Some(n)) => page(
            &format!("Guide {n}"),
            &format!(
                "guide difficulty materials: {} for everybody",
                THINGS[n.parse::<usize>().unwrap()]
            ),
            "",
        ),
        ("shop", Some(n)) => page(&format!("Shop {n}"), "buy tea now price basket", ""),
        ("old", _) => SiteResponse::redirect(301, "/tea/1"),
        ("private", _) => page("Secret", "guide tea", ""),
        _ => SiteResponse::missing(),
    }
}

fn web() -> (Serving, String) {
    serve_paths(little)
}

const TOPIC: &str =
    "[topic]\nname = \"tea guides\"\nlanguage = \"en\"\n[terms]\ngenre = [\"guide\"]\ncontent = [\"tea\"]\n";

#[test]
fn genre_and_content_terms_are_suggested_from_marked_pages() {
    let (_serving, base) = web();
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    let topic = format!(
        "{TOPIC}[seeds]\nurls = [\"{base}/\"]\n[crawl]\ndelay = \"1ms\"\nip-delay = \"0s\"\nallow-net = [\"127.0.0.0/8\"]\n"
    );
    std::fs::write(root.join("tea.toml"), topic).unwrap();
    says(root, &["crawl", "tea.toml", "-o", "tea"]);

    // The four quadrants: tea guides, other guides, shops, and the hub.
    let counted = |view: &str| {
        says(
            root,
            &[
                "results",
                "tea",
                "--all",
                "--with-duplicates",
                "--view",
                view,
                "--format",
                "jsonl",
            ],
        )
        .lines()
        .count()
    };
    assert_eq!(
        ["both", "genre-only", "content-only", "neither"].map(counted),
        [4, 4, 4, 1]
    );
    assert_eq!(counted("genre-only,content-only"), 8);
    let strict = says(
        root,
        &[
            "results",
            "tea",
            "--view",
            "both",
            "--content-cut",
            "1",
            "--genre-cut",
            "1",
            "--format",
            "jsonl",
        ],
    );
    assert!(strict.lines().count() <= 4);
    let summary = hound_in(root, &["results", "tea"]).err;
    assert!(summary.contains("4 both, 4 genre-only, 4 content-only, 1 neither (cuts: genre 0.5, content 0.5, the topic's threshold)"), "{summary}");

    let json = |words: &[&str]| hound_in(root, words).json();
    let terms = |list: &serde_json::Value| -> Vec<String> {
        let terms = list.as_array().unwrap().iter();
        terms
            .map(|term| term["term"].as_str().unwrap().to_owned())
            .collect()
    };
    // Without marks, the best pages are used instead.
    assert_eq!(
        json(&["terms", "suggest", "tea", "--top", "4", "--json"])["from"],
        "best"
    );
    let marked: Vec<String> = (0..3).map(|n| format!("{base}/tea/{n}")).collect();
    let words: Vec<&str> = ["mark", "tea", "--relevant"]
        .into_iter()
        .chain(marked.iter().map(String::as_str))
        .collect();
    says(root, &words);
    let suggested = json(&["terms", "suggest", "tea", "--json"]);
    assert_eq!(
        (&suggested["from"], &suggested["good_pages"]),
        (&"marks".into(), &3.into())
    );
    let (genre, content) = (terms(&suggested["genre"]), terms(&suggested["content"]));
    assert!(genre.iter().any(|term| term.contains("materials")), "{genre:?}");
    assert!(!genre.iter().any(|term| term.contains("infusion")), "{genre:?}");
    assert!(
        content.iter().any(|term| term.contains("infusion")),
        "{content:?}"
    );
    assert!(
        !genre
            .iter()
            .chain(&content)
            .any(|term| term == "guide" || term == "tea"),
        "the topic's own terms are left out"
    );
    // What is printed below the table is a valid topic file.
    let text = says(root, &["terms", "suggest", "tea"]);
    let toml = &text[text.find("[terms]").unwrap()..];
    std::fs::write(
        root.join("new.toml"),
        format!("[topic]\nname = \"tea guides\"\nlanguage = \"en\"\n{toml}"),
    )
    .unwrap();
    let output = says(root, &["rejudge", "tea", "--topic", "new.toml"]);
    assert!(output.contains("13 pages judged again"), "{output}");
}

#[test]
fn urls_are_fetched_politely_and_mixed_with_files() {
    let (serving, base) = web();
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    std::fs::write(root.join("tea.toml"), TOPIC).unwrap();
    std::fs::write(root.join("page.html"), "<p>a guide to tea").unwrap();
    let url = |path: &str| format!("{base}{path}");
    let (old, private, missing) = (url("/old"), url("/private/1"), url("/none/1"));

    // Private networks are refused unless allowed.
    let refused = hound_in(root, &["judge", "--topic", "tea.toml", &old]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.err.contains("--allow-net"));
    assert_eq!(serving.requests().len(), 0);

    let net = ["--allow-net", "127.0.0.0/8", "--delay", "1ms"];
    let words = [
        "judge",
        "--topic",
        "tea.toml",
        "--json",
        "page.html",
        &old,
        &private,
        &missing,
    ];
    let judged = hound_in(root, &[&words[..], &net].concat());
    let err = judged.err.clone();
    let pages = judged.json_lines();
    assert_eq!(pages.len(), 2);
    assert_eq!(pages[1]["page"], url("/tea/1"), "the target of the redirect");
    assert!(
        err.contains("robots.txt disallows it") && err.contains("answered 404"),
        "{err}"
    );
    assert_eq!(
        serving.count("127.0.0.1", "/private/1"),
        0,
        "a forbidden page is not requested"
    );
    assert_eq!(serving.requests()[0].path, "/robots.txt");

    let list = (0..3).map(|n| format!("{base}/tea/{n}\n")).collect::<String>();
    std::fs::write(root.join("tea.txt"), list).unwrap();
    let words = [
        "terms",
        "generate",
        "--genre-terms",
        "0",
        "--content-terms",
        "3",
        "--relevant-pages",
        "tea.txt",
    ];
    let topic = says(root, &[&words[..], &net].concat());
    assert!(topic.contains("\"infusion\""), "{topic}");
    assert_eq!(serving.count("127.0.0.1", "/guide/1"), 0, "no link is followed");
}
