//! `hound train relevance`, and crawling and judging with the trained model.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::path::Path;

use common::{hound_in, refuses, says, serve_paths};
use scenthound_testweb::SiteResponse;

/// Writes ten pages about tea to `tea/` and ten about cars to `cars/`. Every page has a different run of its topic's words.
fn pages(folder: &Path) {
    let topics = [
        (
            "tea",
            ["oolong", "kettle", "steep", "leaf", "brew", "aroma", "harvest"],
        ),
        (
            "cars",
            ["engine", "clutch", "diesel", "brake", "gear", "motor", "tyre"],
        ),
    ];
    for (name, words) in topics {
        std::fs::create_dir(folder.join(name)).unwrap();
        for page in 0..10 {
            let text: Vec<&str> = (0..30).map(|n| words[(n * (page + 2) + page) % 7]).collect();
            let html = format!(
                "<title>{name} {page}</title><p>Welcome to the page. {}</p>",
                text.join(" ")
            );
            std::fs::write(folder.join(name).join(format!("{page}.html")), html).unwrap();
        }
    }
}

#[test]
fn a_model_is_trained_described_and_used_to_judge() {
    let folder = tempfile::tempdir().unwrap();
    pages(folder.path());
    let trained = hound_in(
        folder.path(),
        &[
            "train",
            "relevance",
            "--positive",
            "tea",
            "--negative",
            "cars",
            "-o",
            "tea.model",
        ],
    );
    let output = trained.both();
    assert!(trained.is_good(), "{output}");
    assert!(
        output.contains("AUC 1.000") && output.contains("For relevance: ") && output.contains("oolong"),
        "{output}"
    );
    assert!(output.contains("only 10 pages wanted"), "{output}");

    std::fs::write(
        folder.path().join("topic.toml"),
        "[topic]\nname = \"tea\"\n[judge]\nkind = \"logistic\"\nmodel = \"tea.model\"\n",
    )
    .unwrap();
    std::fs::write(
        folder.path().join("new.html"),
        "<title>x</title><p>kettle and leaf, steep and brew",
    )
    .unwrap();
    let judged = hound_in(
        folder.path(),
        &[
            "judge",
            "--topic",
            "topic.toml",
            "new.html",
            "cars/3.html",
            "--json",
        ],
    );
    let lines = judged.json_lines();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(
        (&lines[0]["verdict"], &lines[1]["verdict"]),
        (&"relevant".into(), &"irrelevant".into())
    );
}

#[test]
fn background_pages_can_replace_irrelevant_examples() {
    let folder = tempfile::tempdir().unwrap();
    pages(folder.path());
    let arguments = [
        "train",
        "relevance",
        "--positive",
        "tea",
        "--background",
        "cars",
        "tea",
        "-o",
        "m",
        "--json",
    ];
    let trained = hound_in(folder.path(), &arguments);
    let output = trained.json();
    // The relevant pages are in the background too, but are not counted there.
    assert_eq!(
        (output["positive"].as_u64(), output["negative"].as_u64()),
        (Some(10), Some(10))
    );
    assert!(
        output["warnings"]
            .to_string()
            .contains("background pages count as not wanted"),
        "{output}"
    );
    let first = std::fs::read(folder.path().join("m")).unwrap();
    let again = hound_in(folder.path(), &[&arguments[..], &["--force"]].concat());
    assert!(again.is_good(), "{}", again.both());
    assert_eq!(
        std::fs::read(folder.path().join("m")).unwrap(),
        first,
        "the same pages, another model"
    );
}

#[test]
fn what_cannot_be_trained_or_used_is_refused_with_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    pages(folder.path());
    let refused = |arguments: &[&str]| {
        let output = hound_in(folder.path(), arguments);
        assert_eq!(output.code, Some(4), "{}", output.both());
        output.both()
    };
    let output = refused(&["train", "relevance", "--positive", "tea", "-o", "m"]);
    assert!(output.contains("--background"), "{output}");
    let output = refused(&[
        "train",
        "relevance",
        "--positive",
        "tea/1.html",
        "--negative",
        "cars",
        "-o",
        "m",
    ]);
    assert!(output.contains("at least 2 of each"), "{output}");
    let output = refused(&[
        "train",
        "relevance",
        "--positive",
        "tea",
        "--negative",
        "tea",
        "-o",
        "m",
    ]);
    assert!(output.contains("can be in one only"), "{output}");
    let output = refused(&[
        "train",
        "relevance",
        "--kind",
        "oracle",
        "--positive",
        "tea",
        "--negative",
        "cars",
        "-o",
        "m",
    ]);
    assert!(output.contains("svm-rbf"), "{output}");
    let output = refused(&["train", "relevance", "--task", "tea", "-o", "m"]);
    assert!(output.contains("--web FOLDER"), "{output}");

    let topic = |model: &str| {
        let text = format!("[topic]\nname = \"tea\"\n[judge]\nkind = \"svm\"\n{model}\n");
        std::fs::write(folder.path().join("topic.toml"), text).unwrap();
        refused(&["judge", "--topic", "topic.toml", "tea/1.html"])
    };
    assert!(topic("").contains("hound train relevance --kind svm"));
    assert!(topic("model = \"tea/1.html\"").contains("not a model file"));
    let trained = hound_in(
        folder.path(),
        &[
            "train",
            "relevance",
            "--positive",
            "tea",
            "--negative",
            "cars",
            "-o",
            "tea.model",
            "--kind",
            "bayes",
        ],
    );
    assert!(trained.is_good(), "{}", trained.both());
    let output = topic("model = \"tea.model\"");
    assert!(
        output.contains("holds a bayes judge, not a svm judge"),
        "{output}"
    );
}

/// The crawl folder holds all it needs: moved elsewhere, and with the model gone, it goes on.
#[test]
fn a_moved_folder_goes_on_without_the_model_it_was_started_with() {
    let kept = tempfile::tempdir().unwrap();
    let folder = kept.path();
    pages(folder);
    let train = [
        "train",
        "relevance",
        "--positive",
        "tea",
        "--negative",
        "cars",
        "-o",
        "tea.model",
    ];
    says(folder, &train);
    let (serving, base) = serve_paths(|path| match path.trim_start_matches('/').parse::<u32>() {
        Ok(number) => SiteResponse::html(format!(
            "<title>Page {number}</title><p>oolong kettle steep leaf brew {number} <a href=/{}>next</a>",
            number + 1
        )),
        Err(_) if path == "/" => SiteResponse::html("<p>oolong kettle <a href=/1>one</a>"),
        Err(_) => SiteResponse::missing(),
    });
    let seed = format!("{base}/");
    let crawl = [
        "crawl",
        "tea",
        &seed,
        "-o",
        "crawl",
        "--judge",
        "logistic:model=tea.model",
        "--allow-net",
        "127.0.0.0/8",
        "--delay",
        "1ms",
        "--ip-delay",
        "0s",
        "--max-pages",
        "5",
        "--contact",
        "test@example.org",
    ];
    says(folder, &crawl);
    // The same command again is still the same crawl.
    says(folder, &crawl);
    std::fs::remove_file(folder.join("tea.model")).unwrap();
    std::fs::create_dir(folder.join("elsewhere")).unwrap();
    std::fs::rename(folder.join("crawl"), folder.join("elsewhere/moved")).unwrap();
    let said = says(folder, &["resume", "elsewhere/moved", "--max-pages", "12"]);
    assert!(said.contains("12 pages"), "{said}");
    let asked = serving.requests().len();
    assert_eq!(asked, 13, "twelve pages and one robots.txt, none of them twice");
    let judged = says(folder, &["explain", "elsewhere/moved", &format!("{base}/9")]);
    assert!(judged.contains("elevant"), "{judged}");
    let refused = refuses(folder, &["resume", "nowhere"]);
    assert!(refused.contains("nowhere holds no crawl"), "{refused}");
}
