//! Experiments of the papers as a user runs them: with tasks of one's own choice, and with the same figures for the same crawl.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::PathBuf;
use std::sync::Mutex;

use scenthound_lab::synth::{SynthWeb, preset, write_folder};
use scenthound_lab::{Conditions, ExperimentSettings, Lab, LabBudget, LabError, LabEvent, LabOptions, Plan};
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
