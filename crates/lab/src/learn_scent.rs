//! Learns the weights that the strategy `scent` starts with, from crawls of many tasks.
//!
//! Every task is crawled with fixed weights and half of the visits breadth-first, so that the visits are not all of one kind. A
//! logistic regression then learns from the parts of their scores which pages were relevant. Every task counts the same, and
//! within a task relevant and irrelevant pages count the same. The weights are held close to those the crawls started with, as
//! far as the visits do not contradict them.
//!
//! What is learnt on a web says nothing about that web, so each web is also crawled with weights learnt on all the others.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use scenthound_strategy::{BreadthFirst, Scent, ScentLog, ScentPrior, ScentSettings, ScentVisit, Strategy};

use crate::conditions::Conditions;
use crate::error::LabError;
use crate::opinion::{CachedJudge, PageJudge};
use crate::session::Lab;
use crate::spec::JudgeSpec;
use crate::trial::{LabBudget, Trial};

/// The share of the reachable pages that each crawl visits.
const BUDGET: LabBudget = LabBudget::Share(0.3);
/// The share of breadth-first visits in the crawls that weights are learnt from.
const EXPLORE: f64 = 0.5;
/// Steps of the regression, their length, and how much of the last step is kept in the next.
const STEPS: usize = 600;
const RATE: f64 = 0.5;
const MOMENTUM: f64 = 0.9;

/// Weights learnt on all webs but one, tried on that one.
#[derive(Clone, PartialEq, Debug)]
pub struct HeldOutWeb {
    /// The web.
    pub web: String,
    /// How many crawls the figures are means of.
    pub crawls: usize,
    /// Mean auc30 of breadth-first.
    pub breadth_first: f64,
    /// Mean auc30 with the weights that learning started from.
    pub before: f64,
    /// Mean auc30 with the weights learnt on the other webs.
    pub after: f64,
}

/// Weights learnt from many crawls.
#[derive(Clone, PartialEq, Debug)]
pub struct LearntScent {
    /// The weights, learnt on all webs.
    pub prior: ScentPrior,
    /// How many visits they were learnt from.
    pub visits: usize,
    /// How well this works on a web that was not used; empty if there is only one web.
    pub held_out: Vec<HeldOutWeb>,
}

/// One task with one judge.
struct Lesson<'t> {
    trial: &'t Trial,
    judge: Arc<dyn PageJudge>,
    visits: Vec<ScentVisit>,
}

impl Lab<'_> {
    /// Learns weights on these trials with these judges, starting from the given weights. The larger the strength, the closer the
    /// learnt weights stay to them.
    pub fn learn_scent(
        &self,
        trials: &[Trial],
        judges: &[JudgeSpec],
        start: &ScentPrior,
        strength: f64,
    ) -> Result<LearntScent, LabError> {
        let mut lessons = Vec::new();
        for trial in trials {
            for spec in judges {
                let judge = self.judge(trial, spec)?.judge;
                let judge: Arc<dyn PageJudge> = Arc::new(CachedJudge::new(judge, trial.web.pages()));
                let log: ScentLog = Arc::new(Mutex::new(Vec::new()));
                let settings = ScentSettings {
                    explore: EXPLORE,
                    adapt: 0.0,
                    prior: start.clone(),
                    log: Some(Arc::clone(&log)),
                    ..ScentSettings::default()
                };
                auc30(trial, judge.as_ref(), Box::new(Scent::new(settings)))?;
                let visits = log
                    .lock()
                    .map(|mut log| std::mem::take(&mut *log))
                    .unwrap_or_default();
                lessons.push(Lesson { trial, judge, visits });
            }
        }
        let webs: BTreeSet<&str> = trials.iter().map(|trial| trial.web_name.as_str()).collect();
        let mut held_out = Vec::new();
        for web in webs.iter().filter(|_| webs.len() > 1) {
            let is_here = |lesson: &&Lesson<'_>| lesson.trial.web_name == *web;
            let others = lessons.iter().filter(|lesson| !is_here(lesson));
            let learnt = fit(others.map(|lesson| lesson.visits.as_slice()), start, strength);
            held_out.push(try_out(web, lessons.iter().filter(is_here), start, &learnt)?);
        }
        let all = lessons.iter().map(|lesson| lesson.visits.as_slice());
        Ok(LearntScent {
            prior: fit(all, start, strength),
            visits: lessons.iter().map(|lesson| lesson.visits.len()).sum(),
            held_out,
        })
    }
}

fn try_out<'l>(
    web: &str,
    lessons: impl Iterator<Item = &'l Lesson<'l>>,
    start: &ScentPrior,
    learnt: &ScentPrior,
) -> Result<HeldOutWeb, LabError> {
    let mut sums = [0.0; 3];
    let mut crawls = 0;
    for Lesson { trial, judge, .. } in lessons {
        let with = |prior: &ScentPrior| {
            let settings = ScentSettings {
                prior: prior.clone(),
                ..ScentSettings::default()
            };
            auc30(trial, judge.as_ref(), Box::new(Scent::new(settings)))
        };
        let figures = [
            auc30(trial, judge.as_ref(), Box::new(BreadthFirst))?,
            with(start)?,
            with(learnt)?,
        ];
        for (sum, figure) in sums.iter_mut().zip(figures) {
            *sum += figure;
        }
        crawls += 1;
    }
    let [breadth_first, before, after] = sums.map(|sum| sum / f64::from(crawls.max(1)));
    Ok(HeldOutWeb {
        web: web.to_owned(),
        crawls: crawls as usize,
        breadth_first,
        before,
        after,
    })
}

fn auc30(trial: &Trial, judge: &dyn PageJudge, strategy: Box<dyn Strategy>) -> Result<f64, LabError> {
    let name = strategy.name();
    let settings = Conditions::default().lab_settings(0);
    let outcome = trial.run(judge, strategy, &settings, BUDGET, &mut |_| {
        ControlFlow::Continue(())
    });
    let outcome = outcome.map_err(|source| LabError::Crawl {
        task: trial.task.name.clone(),
        strategy: name.to_owned(),
        source,
    })?;
    Ok(outcome.score.auc30)
}

/// Fits weights to the visits of several crawls.
fn fit<'v>(crawls: impl Iterator<Item = &'v [ScentVisit]>, start: &ScentPrior, strength: f64) -> ScentPrior {
    // Each visit with its weight as a relevant and as an irrelevant one: relevance may lie between 0 and 1.
    let mut examples: Vec<(&ScentVisit, [f64; 2])> = Vec::new();
    for visits in crawls {
        let good: f64 = visits.iter().map(|visit| visit.relevance).sum();
        let bad = visits.len() as f64 - good;
        if good > 0.0 && bad > 0.0 {
            examples.extend(visits.iter().map(|visit| {
                let relevance = visit.relevance;
                (visit, [relevance / good, (1.0 - relevance) / bad])
            }));
        }
    }
    let total: f64 = examples.iter().map(|(_, [good, bad])| good + bad).sum();
    let mut weights = start.weights;
    if total == 0.0 {
        return start.clone();
    }
    // Steps are scaled to the size of each part, so that all weights are learnt at the same pace.
    let mut sizes = [1e-9; ScentPrior::NAMES.len()];
    for (visit, [good, bad]) in &examples {
        for (size, part) in sizes.iter_mut().zip(visit.parts) {
            *size += (good + bad) / total * part * part;
        }
    }
    let mut steps = [0.0; ScentPrior::NAMES.len()];
    for _ in 0..STEPS {
        let mut slopes = [0.0; ScentPrior::NAMES.len()];
        for (visit, [good, bad]) in &examples {
            let score: f64 = weights
                .iter()
                .zip(visit.parts)
                .map(|(weight, part)| weight * part)
                .sum();
            let likely = 1.0 / (1.0 + (-score).exp());
            let error = (good * (likely - 1.0) + bad * likely) / total;
            for (slope, part) in slopes.iter_mut().zip(visit.parts) {
                *slope += error * part;
            }
        }
        let own = weights.iter_mut().zip(start.weights).zip(steps.iter_mut());
        for (((weight, start), step), (slope, size)) in own.zip(slopes.into_iter().zip(sizes)) {
            let slope = slope / size + strength * (*weight - start);
            *step = MOMENTUM * *step - RATE / (1.0 + strength) * slope;
            *weight += *step;
        }
    }
    ScentPrior { weights }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_tells_relevant_pages_apart_gains_weight() {
        let start = ScentPrior {
            weights: [0.0; ScentPrior::NAMES.len()],
        };
        let visit = |value: f64, relevance: f64| {
            let mut parts = [0.0; ScentPrior::NAMES.len()];
            (parts[0], parts[5]) = (1.0, value);
            ScentVisit { parts, relevance }
        };
        let visits: Vec<ScentVisit> = (0..40)
            .map(|number| visit(f64::from(number % 4), if number % 4 == 3 { 1.0 } else { 0.0 }))
            .collect();
        let learnt = fit([visits.as_slice()].into_iter(), &start, 0.01);
        assert!(learnt.weights[5] > 0.5, "{:?}", learnt.weights);
        assert_eq!(learnt.weights[7], 0.0);
        let held = fit([visits.as_slice()].into_iter(), &start, 10.0);
        assert!(held.weights[5].abs() < learnt.weights[5].abs());
        assert_eq!(fit(std::iter::empty(), &start, 0.01), start);
    }
}
