//! `hound lab experiment paper4-…` as people run it: the real binary, on synthetic webs of a few hundred pages.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::fs;

use common::Workspace;
use serde_json::Value;

/// A web of 400 pages on 40 hosts, with its two topics under one name if `ambiguous`.
fn web(ambiguous: bool) -> String {
    format!(
        r#"
pages = 400
hosts = 40
out-degree = 10.0
topic-shares = [0.2, 0.2]
genres = [{{ name = "news", share = 0.5 }}, {{ name = "blog", share = 0.5 }}]
words = 80
examples = 5
ambiguous = {ambiguous}
tasks = [{{ name = "first", topic = 0 }}, {{ name = "second", topic = 1 }}, {{ name = "first-news", topic = 0, genre = "news" }}]
"#
    )
}

/// A folder with a web of each kind.
fn webs() -> Workspace {
    let place = Workspace::new();
    fs::write(place.path("plain.toml"), web(false)).unwrap();
    fs::write(place.path("two.toml"), web(true)).unwrap();
    place
}

fn experiment(place: &Workspace, arguments: &[&str]) -> Value {
    place.json(&[&["lab", "experiment"], arguments].concat())
}

fn number(row: &Value, column: &str) -> f64 {
    row[column]["mean"]
        .as_f64()
        .unwrap_or_else(|| panic!("{column} in {row}"))
}

#[test]
fn more_parallel_requests_take_less_virtual_time() {
    let place = webs();
    let arguments = [
        "paper4-concurrency",
        "--web",
        "synth:plain.toml",
        "--tasks",
        "first",
        "--budget",
        "60",
        "--json",
    ];
    let result = experiment(&place, &arguments);
    let rows = result["tables"][0].as_array().unwrap();
    assert_eq!(rows.len(), 12 + 2, "and breadth-first and random");
    let (one, twelve) = (&rows[0], &rows[11]);
    // One request at a time, a second and a half each; the task's own examples are fetched too but not counted among the 60.
    let alone = number(one, "seconds, delay 0 s");
    assert!(alone >= 90.0, "{alone}");
    assert!(number(twelve, "seconds, delay 0 s") < alone / 3.0);
    assert!(number(twelve, "seconds, delay 1 s") <= number(one, "seconds, delay 1 s"));
    assert_eq!(
        result,
        experiment(&place, &arguments),
        "the same command gives the same result"
    );
}

#[test]
fn agents_share_the_pages_of_one_budget() {
    let result = experiment(
        &webs(),
        &[
            "paper4-agents",
            "--web",
            "synth:plain.toml",
            "--tasks",
            "first",
            "--budget",
            "90",
            "--json",
        ],
    );
    let by_agent = result["tables"][1].as_array().unwrap();
    assert_eq!(by_agent.len(), 1 + 3 + 3 + 2, "and breadth-first and random");
    let pages = |rows: &[Value]| rows.iter().map(|row| number(row, "pages")).sum::<f64>();
    assert_eq!(pages(&by_agent[..1]), 90.0);
    assert_eq!(pages(&by_agent[1..4]), 90.0);
    assert_eq!(pages(&by_agent[4..7]), 90.0);
    assert!(by_agent[1..4].iter().all(|row| number(row, "pages") > 0.0));
}

#[test]
fn half_the_sum_visits_what_the_sum_visits() {
    let place = webs();
    let result = experiment(
        &place,
        &[
            "paper4-genre",
            "--web",
            "synth:plain.toml",
            "--budget",
            "80",
            "--json",
            "-o",
            "page.html",
        ],
    );
    let notes = result["notes"].to_string();
    assert!(notes.contains("on 3 of 3 tasks"), "{notes}");
    let rows = result["tables"][0].as_array().unwrap();
    assert_eq!(rows[2]["auc30"], rows[3]["auc30"]);
    // The genre's words alone lead to other pages than the topic's.
    assert_ne!(rows[0]["auc30"], rows[1]["auc30"]);
    let page = fs::read_to_string(place.path("page.html")).unwrap();
    assert!(page.contains("<svg"), "no plot");
}

#[test]
fn a_table_has_as_many_words_as_it_was_given() {
    let result = experiment(
        &webs(),
        &[
            "paper4-table",
            "--web",
            "synth:plain.toml",
            "--tasks",
            "first",
            "--budget",
            "60",
            "--json",
        ],
    );
    let words: Vec<f64> = result["tables"][0]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| number(row, "words at the end"))
        .collect();
    assert_eq!(words[..4], [0.0, 10.0, 50.0, 100.0]);
    // If only the table's own words count, pages are similar enough to add to it.
    let grown = result["tables"][1].as_array().unwrap();
    let last = |label: &str| {
        let row = grown.iter().find(|row| row["starts with 100"] == label);
        number(row.unwrap(), "words at the end")
    };
    assert_eq!(last("adds 0 % from 0.6, the table's words"), 100.0);
    assert!(last("adds 50 % from 0.6, the table's words") > 100.0);
}

#[test]
fn words_of_the_wrong_sense_keep_irrelevant_pages_out() {
    let place = webs();
    let result = experiment(
        &place,
        &[
            "paper4-disambiguation",
            "--web",
            "synth:two.toml",
            "--tasks",
            "first,second",
            "--json",
        ],
    );
    let rows = result["tables"][0].as_array().unwrap();
    assert_eq!(rows.len(), 4 + 2, "and breadth-first and random");
    assert_eq!(number(&rows[0], "ignored"), 0.0);
    assert!(number(&rows[3], "ignored") > 0.0);
    assert!(number(&rows[3], "irrelevant and kept") < number(&rows[0], "irrelevant and kept"));
    // A task whose words have only one sense has nothing to compare.
    let errors = place.refuses(&[
        "lab",
        "experiment",
        "paper4-disambiguation",
        "--web",
        "synth:plain.toml",
    ]);
    assert!(errors.contains("has no words of the wrong sense"), "{errors}");
}
