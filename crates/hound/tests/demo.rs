//! `hound demo`, as a newcomer runs it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::Workspace;

#[test]
fn the_demo_shows_pages_curve_and_folder_and_requests_nothing_forbidden() {
    let place = Workspace::new();
    let shown = place.says(&["demo", "-o", "tea"]);
    for part in [
        "The best pages, and why:",
        "The right kind of page, but about something else:",
        "query: ",
        "content: ",
        "Relevant pages found",
        "0 of 48 forbidden",
    ] {
        assert!(shown.contains(part), "{part:?} is missing in\n{shown}");
    }

    // The folder is an ordinary crawl folder.
    let results = place.hound(&["results", "tea", "--format", "jsonl", "--top", "5"]);
    let results = results.json_lines();
    assert_eq!(results.len(), 5, "{results:?}");
    for page in &results {
        assert!(page["relevance"].as_f64().unwrap() >= 0.5, "{page}");
        assert!(!page["parts"]["terms"].as_array().unwrap().is_empty(), "{page}");
    }
    assert!(place.says(&["status", "tea"]).contains("page budget"));
}
