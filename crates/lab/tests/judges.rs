//! Judges measured on a small synthetic web, without crawling.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;

use scenthound_lab::{JudgesReport, JudgesSettings, Lab, LabOptions, Seen, Source, SourceSpec, Trial};

fn little(lab: &Lab<'_>) -> Vec<Trial> {
    lab.open(Path::new("synth:little"), &[]).unwrap()
}

fn measured(judges: &[&str], from: &[&str], seen: Seen) -> JudgesReport {
    let lab = Lab::new(LabOptions::default());
    let settings = JudgesSettings {
        judges: judges.iter().map(|judge| judge.parse().unwrap()).collect(),
        sources: from.iter().map(|source| source.parse().unwrap()).collect(),
        seen,
    };
    lab.judges(&little(&lab), &settings).unwrap()
}

#[test]
fn each_judge_is_made_from_the_sources_it_can_use() {
    let report = measured(
        &["terms", "query", "table", "logistic"],
        &["query", "3", "all", "all+negatives", "query+3"],
        Seen::All,
    );
    let mut made: Vec<String> = report
        .rows
        .iter()
        .filter(|row| row.task == report.rows[0].task)
        .map(|row| format!("{} {}", row.judge, row.source))
        .collect();
    made.sort();
    let expected = [
        "logistic 3",
        "logistic all",
        "logistic all+negatives",
        "query query",
        "table 3",
        "table all",
        "terms query",
    ];
    // A judge that needs more than three examples says so instead.
    for wanted in expected {
        let is_noted = report
            .notes
            .iter()
            .any(|note| note.starts_with(&wanted.replace(' ', " from ")));
        assert!(
            made.iter().any(|known| known == wanted) || is_noted,
            "{wanted}: {made:?} {:?}",
            report.notes
        );
    }
    assert!(
        made.iter().all(|known| expected.contains(&known.as_str())),
        "{made:?}"
    );
}

#[test]
fn every_page_counts_but_examples_and_ignored_ones() {
    let lab = Lab::new(LabOptions::default());
    let trials = little(&lab);
    let report = measured(&["logistic"], &["all"], Seen::All);
    assert_eq!(report.rows.len(), trials.len());
    for (row, trial) in report.rows.iter().zip(&trials) {
        let pages = (0..trial.web.pages() as u32).map(scenthound_lab::recorded::PageId);
        let counted = pages
            .filter(|page| trial.web.page(*page).is_some() && !trial.pages.uncounted.contains(page))
            .count();
        assert_eq!(row.figures.pages, counted);
        assert_eq!(row.figures.relevant, trial.pages.relevant.len());
        assert!(row.figures.average_precision > 0.5, "{row:?}");
        assert!(row.figures.best_f1 >= row.figures.f1);
    }
}

#[test]
fn the_same_examples_are_drawn_each_time_and_more_include_fewer() {
    let lab = Lab::new(LabOptions::default());
    for trial in little(&lab) {
        let positive = |text: &str| {
            let spec: SourceSpec = text.parse().unwrap();
            Source::of(&trial, &spec).unwrap().positive
        };
        assert_eq!(positive("3"), positive("3"));
        assert_eq!(positive("3")[..], positive("10")[..3]);
        assert_eq!(positive("all").len(), trial.pages.positive.len());
    }
}

#[test]
fn two_measurements_are_the_same_and_depend_on_what_was_seen() {
    let json = |seen| measured(&["logistic"], &["10"], seen).json().to_string();
    assert_eq!(json(Seen::All), json(Seen::All));
    assert_ne!(json(Seen::All), json(Seen::BreadthFirst(40)));
}

#[test]
fn the_page_shows_a_learning_curve_and_every_task() {
    let report = measured(&["table", "terms"], &["query", "3", "all"], Seen::All);
    let html = report.experiment().page().html();
    assert!(html.contains("<svg") && html.contains("Learning curves"));
    assert!(html.contains("terms from query"));
    let json = report.json();
    assert_eq!(json["tasks"].as_array().unwrap().len(), report.rows.len());
    assert_eq!(json["means"].as_array().unwrap().len(), 3);
}
