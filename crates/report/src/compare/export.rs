//! A comparison in formats for other programs.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::field::Field;
use super::measure::{AUC30, measures};
use super::significance::{Test, verdict};
use super::{ReportSettings, RunResult};
use crate::stats::Summary;
use crate::table::Owner;
use crate::text::{csv_line, number};

/// One line per run, in the given order. The lists of a run (hits, F1 by threshold) are only in the JSON; here are
/// its best threshold and a column for every k of precision at k.
pub fn csv(runs: &[RunResult]) -> String {
    let ks: BTreeSet<u32> = runs
        .iter()
        .flat_map(|run| run.precision_at.iter().map(|(k, _)| *k))
        .collect();
    let fixed = "web task strategy judge repeat reachable relevant_reachable fetched found auc30 auc100 harvest_5 \
                 harvest_10 harvest_20 visits_for_90 target_recall precision recall f1 virtual_seconds seconds \
                 best_threshold best_f1";
    let mut head: Vec<String> = fixed.split_whitespace().map(str::to_owned).collect();
    head.extend(ks.iter().map(|k| format!("precision_at_{k}")));
    let mut text = csv_line(&head);
    for run in runs {
        let [h5, h10, h20] = run.harvest;
        let (threshold, f1) = best_threshold(run);
        let mut fields = vec![
            run.web.clone(),
            run.task.clone(),
            run.strategy.clone(),
            run.judge.clone(),
        ];
        let counts = [
            u64::from(run.repeat),
            run.reachable,
            run.relevant_reachable,
            run.fetched,
            run.found,
        ];
        fields.extend(counts.map(|count| count.to_string()));
        let visits = run.visits_for_90.unwrap_or(f64::NAN);
        let numbers = [
            run.auc30,
            run.auc100,
            h5,
            h10,
            h20,
            visits,
            run.target_recall,
            run.precision,
            run.recall,
            run.f1,
            run.virtual_seconds,
            run.seconds,
            threshold,
            f1,
        ];
        fields.extend(numbers.map(number));
        fields.extend(ks.iter().map(|k| {
            let found = run.precision_at.iter().find(|(at, _)| at == k);
            found.map(|(_, precision)| number(*precision)).unwrap_or_default()
        }));
        text.push_str(&csv_line(&fields));
    }
    text
}

/// The lowest threshold with the highest F1.
fn best_threshold(run: &RunResult) -> (f64, f64) {
    let known = run
        .f1_by_threshold
        .iter()
        .copied()
        .filter(|(x, y)| x.is_finite() && y.is_finite());
    known
        .reduce(|best, one| {
            let better = one.1 > best.1 || (one.1 == best.1 && one.0 < best.0);
            if better { one } else { best }
        })
        .unwrap_or((f64::NAN, f64::NAN))
}

/// Everything. Values that are not finite become null.
pub fn json(
    field: &Field<'_>,
    runs: &[RunResult],
    settings: &ReportSettings,
    baseline: Option<usize>,
    tests: &[Test],
) -> Value {
    let mut summary = Vec::new();
    summary.extend(summaries(field, None));
    if field.webs.len() > 1 {
        for web in 0..field.webs.len() {
            summary.extend(summaries(field, Some(web)));
        }
    }
    let names: Map<String, Value> = settings
        .settings
        .iter()
        .map(|(name, value)| (name.clone(), json!(value)))
        .collect();
    let baseline = baseline.and_then(|one| field.contenders.get(one));
    json!({
        "title": settings.title,
        "notes": settings.notes,
        "settings": names,
        "alpha": settings.alpha,
        "baseline": baseline.map(|one| json!({ "strategy": one.strategy, "judge": one.judge })),
        "summary": summary,
        "tests": tests.iter().map(|test| tested(field, test, settings.alpha)).collect::<Vec<_>>(),
        "runs": runs,
    })
}

fn summaries(field: &Field<'_>, web: Option<usize>) -> Vec<Value> {
    let tasks = field.tasks_of(web);
    let scores = field.scores(&tasks, &AUC30);
    let each = field.contenders.iter().enumerate().zip(scores);
    each.map(|((at, contender), score)| {
        let measures: Map<String, Value> = measures()
            .map(|measure| {
                let values: Vec<f64> = tasks.iter().map(|task| field.value(at, *task, measure)).collect();
                let Summary { n, mean, error } = Summary::of(&values);
                (
                    measure.key.to_owned(),
                    json!({ "mean": mean, "se": error, "n": n }),
                )
            })
            .collect();
        json!({
            "web": web.and_then(|web| field.webs.get(web)),
            "strategy": contender.strategy,
            "judge": contender.judge,
            "bound": field.owner(at) == Owner::Bound,
            "tasks": tasks.iter().filter(|task| !field.repeats(at, **task).is_empty()).count(),
            "measures": measures,
            "wins": score.wins,
            "ties": score.ties,
            "losses": score.losses,
        })
    })
    .collect()
}

fn tested(field: &Field<'_>, test: &Test, alpha: f64) -> Value {
    let contender = field.contenders.get(test.contender);
    let of = |part: fn(&crate::stats::TTest) -> f64| test.test.as_ref().map(part);
    json!({
        "measure": test.measure.key,
        "strategy": contender.map(|one| &one.strategy),
        "judge": contender.map(|one| &one.judge),
        "n": test.test.map_or(0, |test| test.n),
        "difference": of(|test| test.difference),
        "t": of(|test| test.t),
        "p": of(|test| test.p),
        "p_holm": test.holm,
        "verdict": verdict(test.test, test.holm, alpha),
        "wins": test.score.wins,
        "ties": test.score.ties,
        "losses": test.score.losses,
    })
}
