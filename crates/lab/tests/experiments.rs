//! Experiments of the papers as a user runs them: with tasks of one's own choice, and with the same figures for the same crawl.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::PathBuf;
use std::sync::Mutex;

use scenthound_lab::synth::{SynthWeb, preset, write_folder};
use scenthound_lab::{
    Conditions, ExperimentSettings, Lab, LabBudget, LabError, LabEvent, LabOptions, PLANS, Plan,
};
use serde_json::Value;

/// A small web of home pages, and one of its thirty tasks.
const HOMES: &str = "synth:paper3-homes@1,3000,examples=12";
const TASK: &str = "kapaben";

fn of_one_task(pages: u64) -> ExperimentSettings {
    ExperimentSettings {
        webs: vec![PathBuf::from(HOMES)],
        tasks: vec![TASK.to_owned()],
        conditions: Conditions {
            budget: Some(LabBudget::Pages(pages)),
            ..Conditions::default()
        },
        quick: true,
        ..ExperimentSettings::default()
    }
}

/// The tables of an experiment, and the number of crawls of each of its batches.
fn run(name: &str, settings: &ExperimentSettings) -> Result<(Value, Vec<usize>), LabError> {
    let batches = Mutex::new(Vec::new());
    let tell = |event: LabEvent<'_>| {
        if let LabEvent::CrawlsBegin { crawls } = event {
            batches.lock().unwrap().push(crawls);
        }
    };
    let lab = Lab::new(LabOptions {
        tell: &tell,
        ..LabOptions::default()
    });
    let experiment = lab.experiment(Plan::find(name)?, settings)?;
    Ok((experiment.json(), batches.into_inner().unwrap()))
}

#[test]
fn describing_links_are_varied_for_the_chosen_task_only() {
    let (_, batches) = run("paper3-describing", &of_one_task(20)).unwrap();
    // Five strategies on one task, for each of three shares.
    assert_eq!(batches, [5, 5, 5]);
}

#[test]
fn links_of_a_recorded_web_cannot_be_varied() {
    let folder = tempfile::tempdir().unwrap();
    let web = SynthWeb::new(preset("little").unwrap()).unwrap();
    write_folder(&web, folder.path(), &mut |_| ()).unwrap();
    let settings = ExperimentSettings {
        webs: vec![folder.path().to_owned()],
        tasks: vec!["all".to_owned()],
        ..of_one_task(20)
    };
    assert!(matches!(
        run("paper3-describing", &settings),
        Err(LabError::NotSynthetic { .. })
    ));
}

#[test]
fn crawls_that_two_experiments_share_have_the_same_figures_in_both() {
    let settings = of_one_task(120);
    let (recall, _) = run("paper3-recall", &settings).unwrap();
    let (parameters, _) = run("paper3-parameters", &settings).unwrap();
    let row = |tables: &Value, head: &str, label: &str| {
        let rows = tables["tables"][0].as_array().unwrap();
        let row = rows.iter().find(|row| row[head] == label);
        let row = row.unwrap_or_else(|| panic!("{label} in {rows:?}"));
        ["target recall", "harvest rate"].map(|column| row[column]["mean"].clone())
    };
    for (there, here) in [
        ("OTIE", "a = 0.85, d = 3"),
        ("breadth-first", "breadth-first"),
        ("random", "random"),
    ] {
        assert_eq!(
            row(&recall, "strategy", there),
            row(&parameters, "parameters", here),
            "{there}"
        );
    }
}

/// The names in backticks that look like those of experiments and synthetic webs: `paper3-recall`.
fn names_in(page: &str) -> Vec<&str> {
    let quoted = page.split('`').skip(1).step_by(2);
    let words = quoted.filter_map(|quoted| quoted.split_whitespace().next());
    words
        .filter(|word| word.starts_with("paper") && word.contains('-'))
        .collect()
}

#[test]
fn the_papers_page_names_every_experiment_and_no_other() {
    let page = include_str!("../../../docs/papers.md");
    let lab = include_str!("../../../docs/lab.md");
    for plan in PLANS {
        let quoted = format!("`{}`", plan.name);
        assert!(page.contains(&quoted) && lab.contains(&quoted), "{}", plan.name);
    }
    for name in names_in(page) {
        assert!(
            Plan::find(name).is_ok() || preset(name).is_some(),
            "{name} is neither an experiment nor a synthetic web"
        );
    }
}

#[test]
fn the_best_terms_of_layers_tell_the_topic_better_than_random_ones() {
    let settings = ExperimentSettings {
        webs: vec![PathBuf::from("synth:paper5-small@1,3000")],
        tasks: vec!["all".to_owned()],
        ..ExperimentSettings::default()
    };
    let (result, crawls) = run("paper5-terms", &settings).unwrap();
    assert!(crawls.is_empty(), "nothing is crawled");
    let precision = |row: usize| {
        result["tables"][0][row]["pages with it that are on topic"]["mean"]
            .as_f64()
            .unwrap()
    };
    assert!(precision(0) > 3.0 * precision(2), "{result}");
    let notes = result["notes"].as_array().unwrap();
    let lists: Vec<&str> = notes
        .iter()
        .filter_map(|note| note.as_str()?.split_once("paper5-small@1,3000: "))
        .map(|(_, list)| list)
        .collect();
    assert!(!lists.is_empty(), "{notes:?}");
    for list in lists {
        assert_eq!(list.split_whitespace().count(), 28, "{list}");
    }
}

#[test]
fn feedback_is_compared_with_terms_before_it_and_with_crawls_that_know_nothing() {
    let settings = ExperimentSettings {
        webs: vec![PathBuf::from("synth:paper1-terms@1,3000")],
        conditions: Conditions {
            budget: Some(LabBudget::Pages(200)),
            ..Conditions::default()
        },
        ..ExperimentSettings::default()
    };
    let (result, _) = run("paper1-feedback", &settings).unwrap();
    let labels: Vec<&str> = result["tables"][1]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["terms, policy"].as_str().unwrap())
        .collect();
    assert_eq!(
        labels,
        [
            "before feedback, terms, fs-2",
            "after feedback, terms, fs-2",
            "after feedback, random",
            "after feedback, breadth-first",
            "the task's own terms, fs-2",
        ]
    );
}
