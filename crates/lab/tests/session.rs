//! The lab as a library: webs opened, strategies compared and settings tuned without a program around it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use scenthound_lab::{
    CompareSettings, Conditions, ExperimentSettings, JudgeSpec, Lab, LabBudget, LabError, LabEvent,
    LabOptions, Objective, Plan, StrategySpec, Trial, TuneSettings,
};

fn little(lab: &Lab<'_>) -> Vec<Trial> {
    lab.open(Path::new("synth:little"), &[]).unwrap()
}

fn first_pages(pages: u64) -> Conditions {
    Conditions {
        budget: Some(LabBudget::Pages(pages)),
        ..Conditions::default()
    }
}

fn fs_2_and_otie() -> CompareSettings {
    CompareSettings {
        strategies: ["fs-2", "otie:revision=0.5"]
            .map(|name| name.parse().unwrap())
            .to_vec(),
        conditions: first_pages(30),
        ..CompareSettings::default()
    }
}

#[test]
fn a_comparison_reports_every_crawl_and_times_it_by_the_given_clock() {
    let (begun, ended, ticks) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let tell = |event: LabEvent<'_>| match event {
        LabEvent::CrawlsBegin { crawls } => begun.store(crawls, Ordering::Relaxed),
        LabEvent::CrawlEnded => {
            ended.fetch_add(1, Ordering::Relaxed);
        }
        _ => {}
    };
    // Each reading of the clock is a second later than the one before.
    let clock = || Duration::from_secs(ticks.fetch_add(1, Ordering::Relaxed) as u64);
    let lab = Lab::new(LabOptions {
        threads: Some(1),
        tell: &tell,
        clock: &clock,
        ..LabOptions::default()
    });
    let comparison = lab.compare(&little(&lab), &fs_2_and_otie()).unwrap();
    assert_eq!(comparison.shortfall, None);
    // Two tasks, two strategies and two references.
    assert_eq!(
        (begun.load(Ordering::Relaxed), ended.load(Ordering::Relaxed)),
        (8, 8)
    );
    let rows: Vec<Vec<&str>> = comparison
        .report
        .csv
        .lines()
        .map(|line| line.split(',').collect())
        .collect();
    let column = |name: &str| rows[0].iter().position(|head| *head == name).unwrap();
    let strategies: Vec<&str> = rows[1..].iter().map(|row| row[column("strategy")]).collect();
    assert_eq!(
        strategies[..4],
        ["fs-2", "otie:revision=0.5", "upper-bound", "random"]
    );
    for row in &rows[1..] {
        let expected = if row[column("strategy")] == "upper-bound" {
            "0"
        } else {
            "1"
        };
        assert_eq!(row[column("seconds")], expected, "{row:?}");
    }
}

#[test]
fn a_stopped_lab_reports_how_far_it_got() {
    let stop = AtomicBool::new(true);
    let lab = Lab::new(LabOptions {
        stop: &stop,
        ..LabOptions::default()
    });
    let trials = little(&lab);
    let shortfall = lab.compare(&trials, &fs_2_and_otie()).unwrap().shortfall.unwrap();
    assert_eq!(shortfall.to_string(), "interrupted after 0 of 8 crawls");
    let plan = Plan::find("paper3-recall").unwrap();
    let web = ["synth:little".into()];
    let stopped = lab
        .experiment(
            plan,
            &ExperimentSettings {
                webs: web.to_vec(),
                tasks: vec!["all".to_owned()],
                conditions: first_pages(30),
                ..ExperimentSettings::default()
            },
        )
        .unwrap_err();
    assert!(matches!(stopped, LabError::Unfinished(_)) && !stopped.is_bad_input());
    let settings = TuneSettings {
        strategy: "otie".parse().unwrap(),
        judge: JudgeSpec::default(),
        axes: vec!["revision=0.25,0.5".parse().unwrap()],
        random: None,
        objective: Objective::Auc100,
        conditions: first_pages(30),
    };
    assert!(matches!(
        lab.tune(&trials, &settings),
        Err(LabError::NothingTuned(_))
    ));
    stop.store(false, Ordering::Relaxed);
    let tuning = lab.tune(&trials, &settings).unwrap();
    assert_eq!(tuning.shortfall, None);
    assert_eq!((tuning.tried.len(), tuning.held_out.len()), (2, 2));
    assert!(tuning.label(tuning.best).starts_with("revision="));
}

#[test]
fn the_upper_bound_is_compared_but_cannot_be_crawled() {
    let lab = Lab::new(LabOptions::default());
    let trials = little(&lab);
    let judge = lab.judge(&trials[0], &JudgeSpec::default()).unwrap();
    let refused = lab.crawl(
        &trials[0],
        &StrategySpec::upper_bound(),
        &JudgeSpec::default(),
        judge.judge.as_ref(),
        &first_pages(10),
        &mut |_| std::ops::ControlFlow::Continue(()),
    );
    assert!(matches!(refused, Err(error) if error.is_bad_input()));
}
