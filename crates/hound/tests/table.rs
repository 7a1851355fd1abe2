//! Crawls with a table of weighted words, with a query, and with words that have a wrong sense: real processes on a small
//! web on loopback.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::path::Path;

use common::{hound_in, paths_asked_for, says, serve_paths};
use scenthound_testweb::{Serving, SiteResponse};

fn page(title: &str, words: &str, links: &[&str]) -> SiteResponse {
    let links: String = links
        .iter()
        .map(|to| format!("<p><a href=/{to}>{}</a></p>", to.replace('-', " ")))
        .collect();
    SiteResponse::html(format!("<title>{title}</title><p>{words}</p>{links}"))
}

/// Two seeds about the car; one links to the cat, whose page links to more cats.
fn jaguar(path: &str) -> SiteResponse {
    match path.trim_start_matches('/') {
        "robots.txt" => SiteResponse::text("User-agent: *\n"),
        "one" => page(
            "Jaguar saloons",
            "jaguar engine coupe saloon engine dealer",
            &["weather", "coupe-engine", "cat"],
        ),
        "two" => page(
            "Jaguar coupe",
            "jaguar engine coupe dealer",
            &["weather", "coupe-engine"],
        ),
        "coupe-engine" => page("Coupe", "the jaguar coupe and its engine", &["dealer"]),
        "dealer" => page("Dealer", "a jaguar dealer with saloon and coupe", &[]),
        "weather" => page("Weather", "rain and sun and wind over hills", &[]),
        "cat" => page(
            "The cat",
            "the jaguar of the jungle, cousin of the leopard",
            &["more-cats"],
        ),
        "more-cats" => page("More", "jaguar engine coupe", &[]),
        _ => SiteResponse::missing(),
    }
}

/// The relevant pages of the crawl in `out`, one per line.
fn relevant(root: &Path) -> String {
    let all = says(root, &["results", "out", "--format", "jsonl"]);
    let lines = all.lines().filter(|line| line.contains("\"relevant\":true"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Writes a topic file with seeds, politeness settings and these lines, and serves the web it is about.
fn topic(root: &Path, lines: &str) -> (Serving, String) {
    let (serving, base) = serve_paths(jaguar);
    let text = format!(
        "[topic]\nname = \"jaguar coupe\"\nlanguage = \"en\"\n[seeds]\nurls = [\"{base}/one\", \"{base}/two\"]\n[crawl]\ndelay = \
         \"1ms\"\nip-delay = \"0s\"\nconcurrency = 1\nallow-net = [\"127.0.0.0/8\"]\ncontact = \
         \"test@example.org\"\n{lines}"
    );
    std::fs::write(root.join("jaguar.toml"), text).unwrap();
    (serving, base)
}

#[test]
fn a_table_built_from_the_seeds_finds_pages_like_them_first_and_judges_them() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    let lines = "[judge]\nkind = \"table\"\nthreshold = 0.4\n[strategy]\nkind = \"table\"\ntable-size = 10\n";
    let (serving, base) = topic(root, lines);
    says(root, &["crawl", "jaguar.toml", "-o", "out"]);
    let order = paths_asked_for(&serving);
    // The weather is the first link on both seeds, and has as many links.
    assert_eq!(
        order.get(..3),
        Some(["/one", "/two", "/coupe-engine"].map(str::to_owned).as_slice())
    );
    let coupe = says(root, &["explain", "out", &format!("{base}/coupe-engine")]);
    assert!(coupe.contains("table") && coupe.contains("engine ×"), "{coupe}");
    // What its score was made of is known after it was fetched too, and adds up to the score it was taken with.
    assert!(
        coupe.contains("Score when it was fetched: ") && coupe.contains("  anchor  "),
        "{coupe}"
    );
    let json = hound_in(
        root,
        &["explain", "--json", "out", &format!("{base}/coupe-engine")],
    )
    .json();
    let parts = json["score_parts"].as_array().unwrap();
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let sum: f64 = parts
        .iter()
        .map(|part| number(&part["value"]) * number(&part["weight"]))
        .sum();
    let taken_with = number(&json["attempts"][0]["score"]);
    assert!((sum - taken_with).abs() < 1e-6, "{sum} for {taken_with}");
    let seed = says(root, &["explain", "out", &format!("{base}/one")]);
    assert!(
        seed.contains("read before the table was built") && !seed.contains("Score when"),
        "{seed}"
    );
    let relevant = relevant(root);
    assert!(
        relevant.contains("/coupe-engine") && !relevant.contains("/weather"),
        "{relevant}"
    );
}

/// The judge `table` calls every seed relevant, whatever it is about.
#[test]
fn seeds_without_the_words_of_the_topic_are_named_though_the_table_calls_them_relevant() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    let (_serving, base) = serve_paths(jaguar);
    let crawl = |out: &str, seeds: &[&str]| {
        let seeds: Vec<String> = seeds.iter().map(|path| format!("{base}/{path}")).collect();
        let mut arguments = vec!["crawl", "jaguar coupe"];
        arguments.extend(seeds.iter().map(String::as_str));
        let rest =
            "--strategy table --judge table --delay 1ms --ip-delay 0s --allow-net 127.0.0.0/8 --max-pages 5";
        arguments.extend(rest.split(' '));
        arguments.extend(["--contact", "test@example.org", "-o", out]);
        hound_in(root, &arguments).both()
    };
    let warning = "Without most words of the topic (jaguar coupe): 1 of 2 seeds read";
    let good = crawl("good", &["one", "two"]);
    assert!(!good.contains("Without most words"), "{good}");
    let poor = crawl("poor", &["one", "weather"]);
    assert!(poor.contains(warning), "{poor}");
}

#[test]
fn pages_in_the_wrong_sense_are_ignored_with_their_links_under_any_judge_and_counted() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    let lines =
        "[judge]\nkind = \"query\"\n[terms]\nexclude = [\"jungle\", \"leopard\", \"fur\"]\nmin-exclude = 2\n";
    let (serving, base) = topic(root, lines);
    says(root, &["crawl", "jaguar.toml", "-o", "out"]);
    let order = paths_asked_for(&serving);
    assert!(
        order.contains(&"/cat".to_owned()) && !order.contains(&"/more-cats".to_owned()),
        "{order:?}"
    );
    let status = says(root, &["status", "out"]);
    assert!(status.contains("1 page in the wrong sense"), "{status}");
    let cat = says(root, &["explain", "out", &format!("{base}/cat")]);
    assert!(
        cat.contains("in the wrong sense (jungle, leopard): ignored, its link dropped"),
        "{cat}"
    );

    // One word is not enough when two are required.
    let lines = "[judge]\nkind = \"query\"\n[terms]\nexclude = [\"jungle\", \"fur\"]\nmin-exclude = 2\n";
    let (serving, _) = topic(root, lines);
    says(root, &["crawl", "jaguar.toml", "-o", "lenient"]);
    assert!(paths_asked_for(&serving).contains(&"/more-cats".to_owned()));
}

#[test]
fn the_judge_query_keeps_pages_that_contain_the_query() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    let (_serving, _) = topic(root, "[judge]\nkind = \"query\"\nquery-match = \"phrase\"\n");
    says(root, &["crawl", "jaguar.toml", "-o", "out"]);
    let found = relevant(root);
    // One seed's title has the phrase, and so does the page about the coupe; the others have the words apart or not at all.
    assert!(
        found.contains("/two") && found.contains("/coupe-engine"),
        "{found}"
    );
    assert!(
        !found.contains("/dealer") && !found.contains("/weather"),
        "{found}"
    );
}

#[test]
fn the_judge_table_without_a_table_is_refused_with_the_remedies() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    let (_serving, _) = topic(root, "[judge]\nkind = \"table\"\n");
    let run = hound_in(root, &["crawl", "jaguar.toml", "-o", "out"]);
    assert!(!run.is_good());
    let error = run.err;
    assert!(
        error.contains("--strategy table") && error.contains("hound train relevance --kind table"),
        "{error}"
    );
    assert!(!root.join("out").exists());
}

#[test]
fn a_table_trained_on_pages_judges_others_under_any_strategy() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    for (name, words) in [("a", "jaguar engine coupe"), ("b", "jaguar coupe dealer")] {
        std::fs::write(root.join(format!("{name}.html")), format!("<p>{words}</p>")).unwrap();
    }
    let output = says(
        root,
        &[
            "train",
            "relevance",
            "--kind",
            "table",
            "--positive",
            "a.html",
            "b.html",
            "-o",
            "car.model",
        ],
    );
    assert!(output.contains("a table of 4 words from 2 pages"), "{output}");
    let (_serving, _) = topic(
        root,
        "[judge]\nkind = \"table\"\nmodel = \"car.model\"\nthreshold = 0.3\n",
    );
    says(root, &["crawl", "jaguar.toml", "-o", "out"]);
    let found = relevant(root);
    assert!(
        found.contains("/coupe-engine") && !found.contains("/weather"),
        "{found}"
    );
}
