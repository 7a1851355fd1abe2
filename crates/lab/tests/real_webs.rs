//! A real recorded web, if it is present beside the project: our crawls compared with those of an independent implementation.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may panic and print"
)]

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use scenthound_lab::recorded::WebFolder;
use scenthound_lab::{CachedJudge, DirectJudge, LabBudget, LabSettings, Trial};
use scenthound_strategy::{BestFirst, BreadthFirst, Siblings, Strategy};
use scenthound_testweb::shared_data;

/// Parsing takes a while without optimisation, so it is done once per build folder.
const CACHE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/webs");

/// Mean auc30 and auc100 over the tasks that have terms, judged by them.
fn means(trials: &[(Trial, CachedJudge)], strategy: fn() -> Box<dyn Strategy>) -> (f64, f64) {
    let scores: Vec<_> = trials
        .iter()
        .map(|(trial, judge)| {
            let settings = LabSettings::default();
            let outcome = trial.run(judge, strategy(), &settings, LabBudget::All, &mut |_| {
                ControlFlow::Continue(())
            });
            outcome.unwrap().score
        })
        .collect();
    let mean = |sum: f64| sum / scores.len() as f64;
    (
        mean(scores.iter().map(|score| score.auc30).sum()),
        mean(scores.iter().map(|score| score.auc100).sum()),
    )
}

#[test]
fn the_university_web_is_crawled_as_an_independent_implementation_crawls_it() {
    let Some(university) = shared_data("webs/university") else {
        return;
    };
    let folder = WebFolder::open(&university).unwrap();
    let (web, _) = folder.load(Some(Path::new(CACHE)), |_| ()).unwrap();
    let web = Arc::new(web);
    let trials: Vec<(Trial, CachedJudge)> = folder
        .tasks
        .iter()
        .map(|task| {
            let pages = task.pages(&web).unwrap();
            Trial::new(folder.name.clone(), web.clone(), task.clone(), pages)
        })
        .filter(Trial::has_terms)
        .map(|trial| {
            let judge = trial.term_judge(&trial.terms().unwrap()).unwrap();
            let judge = CachedJudge::new(Arc::new(DirectJudge(judge)), trial.web.pages());
            (trial, judge)
        })
        .collect();
    assert_eq!(trials.len(), 4);
    let (courses, _) = trials
        .iter()
        .find(|(trial, _)| trial.task.name == "os-courses")
        .unwrap();
    assert_eq!(courses.targets.reachable, 4701);

    // The results of the other implementation; parsing, tokens and smoothing differ a little.
    let near = |name: &str, (auc30, auc100): (f64, f64), (other30, other100): (f64, f64)| {
        println!("{name}: {auc30:.3} / {auc100:.3}, theirs {other30} / {other100}");
        assert!(
            (auc30 - other30).abs() < 0.02 && (auc100 - other100).abs() < 0.02,
            "{name}"
        );
    };
    near(
        "breadth-first",
        means(&trials, || Box::new(BreadthFirst)),
        (0.359, 0.646),
    );
    let best = means(&trials, || Box::new(BestFirst));
    near("best-first", best, (0.441, 0.716));
    assert_eq!(means(&trials, || Box::new(Siblings::PS)), best);
    let bounds: Vec<_> = trials.iter().map(|(trial, _)| trial.upper_bound().0).collect();
    let mean = |sum: f64| sum / bounds.len() as f64;
    let bound = (
        mean(bounds.iter().map(|score| score.auc30).sum()),
        mean(bounds.iter().map(|score| score.auc100).sum()),
    );
    near("upper bound", bound, (0.960, 0.988));
}
