//! The newcomer's command, as a newcomer runs it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::process::Command;

#[test]
fn the_demo_shows_pages_curve_and_folder_and_asks_for_nothing_forbidden() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("tea");
    let hound = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_hound"))
            .args(arguments)
            .arg(&folder)
            .output()
            .unwrap()
    };
    let demo = hound(&["demo", "-o"]);
    let shown = String::from_utf8(demo.stdout).unwrap();
    assert!(demo.status.success(), "{}", String::from_utf8_lossy(&demo.stderr));
    for part in [
        "The best pages, and why:",
        "genre: ",
        "content: ",
        "Relevant pages found",
        "0 of 48 forbidden",
    ] {
        assert!(shown.contains(part), "{part:?} is missing in\n{shown}");
    }

    // The folder is an ordinary crawl folder.
    let results = hound(&["results", "--format", "jsonl", "--top", "5"]);
    let results = String::from_utf8(results.stdout).unwrap();
    assert_eq!(results.lines().count(), 5, "{results}");
    for line in results.lines() {
        let page: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(page["relevance"].as_f64().unwrap() >= 0.7, "{line}");
        assert!(!page["parts"]["terms"].as_array().unwrap().is_empty(), "{line}");
    }
    assert!(
        String::from_utf8(hound(&["status"]).stdout)
            .unwrap()
            .contains("page budget")
    );
}
