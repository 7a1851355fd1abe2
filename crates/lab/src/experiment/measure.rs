//! What the experiments share: crawls by name, and means over tasks.

use std::path::PathBuf;

use scenthound_report::plot::{Axis, LineChart, Look, Point, Series};
use scenthound_report::table::Cell;
use scenthound_report::{RunResult, stats};

use crate::batch::Job;
use crate::conditions::Conditions;
use crate::error::LabError;
use crate::session::Lab;
use crate::spec::{JudgeSpec, StrategySpec};
use crate::trial::{LabBudget, Trial};

/// Tasks to experiment on.
pub struct Bench<'l> {
    pub lab: &'l Lab<'l>,
    pub trials: Vec<Trial>,
    pub conditions: Conditions,
    /// The judge that was asked for, if any.
    pub judge: Option<JudgeSpec>,
    /// The genre detector that was asked for, if any.
    pub detector: Option<String>,
    /// Webs of the same kind as those that are crawled, to learn from.
    pub other_webs: Vec<PathBuf>,
    /// Whether budgets are small.
    pub is_quick: bool,
}

/// A contender: its name in tables, its strategy and its judge.
#[derive(Clone)]
pub struct Contender {
    pub label: String,
    pub strategy: StrategySpec,
    pub judge: JudgeSpec,
}

/// A contender with the task's own judge.
pub fn contender(label: &str, strategy: &str) -> Result<Contender, LabError> {
    Ok(Contender {
        label: label.to_owned(),
        strategy: strategy.parse()?,
        judge: JudgeSpec::default(),
    })
}

/// A contender with a judge of its own.
pub fn judged(label: &str, strategy: &str, judge: &str) -> Result<Contender, LabError> {
    Ok(Contender {
        judge: judge.parse()?,
        ..contender(label, strategy)?
    })
}

/// Crawls that know nothing, to be shown beside all others.
pub fn ignorant() -> Result<Vec<Contender>, LabError> {
    Ok(vec![
        contender("breadth-first", "breadth-first")?,
        contender("random", "random")?,
    ])
}

impl Bench<'_> {
    /// A budget of an experiment: a tenth of it in a quick run.
    pub fn pages(&self, usual: u64) -> LabBudget {
        LabBudget::Pages(if self.is_quick { usual / 10 } else { usual })
    }

    /// The tasks of each kind of web, whatever its seed; by the name of the kind.
    pub fn kinds_of_webs(&self) -> Vec<(String, Vec<usize>)> {
        let mut kinds: Vec<(String, Vec<usize>)> = Vec::new();
        for (at, trial) in self.trials.iter().enumerate() {
            let kind = trial.web_name.split('@').next().unwrap_or_default();
            match kinds.iter_mut().find(|(known, _)| known == kind) {
                Some((_, trials)) => trials.push(at),
                None => kinds.push((kind.to_owned(), vec![at])),
            }
        }
        kinds
    }

    /// Crawls every task with every contender; by contender, then by task.
    pub fn crawl(
        &self,
        contenders: &[Contender],
        conditions: &Conditions,
    ) -> Result<Vec<Vec<RunResult>>, LabError> {
        let jobs: Vec<Job> = contenders
            .iter()
            .flat_map(|contender| {
                (0..self.trials.len()).map(|trial| Job {
                    trial,
                    strategy: contender.strategy.clone(),
                    judge: match &self.judge {
                        Some(judge) if contender.judge == JudgeSpec::default() => judge.clone(),
                        _ => contender.judge.clone(),
                    },
                    conditions: conditions.clone(),
                    repeat: 0,
                })
            })
            .collect();
        let batch = self.lab.run_all(&self.trials, &jobs)?;
        if let Some(shortfall) = batch.shortfall() {
            return Err(LabError::Unfinished(shortfall));
        }
        let runs = batch.runs();
        Ok(runs
            .chunks(self.trials.len().max(1))
            .map(<[RunResult]>::to_vec)
            .collect())
    }
}

/// Mean and standard error over tasks.
pub fn cell(runs: &[RunResult], value: impl Fn(&RunResult) -> f64) -> Cell {
    let values: Vec<f64> = runs.iter().map(value).collect();
    let error = stats::standard_error(&values);
    Cell::number(stats::mean(&values), error.is_finite().then_some(error))
}

/// The mean curve of a measure over the share of the reachable pages visited.
pub fn curve(
    title: &str,
    up: &str,
    contenders: &[Contender],
    runs: &[Vec<RunResult>],
    value: impl Fn(&RunResult, f64) -> f64,
) -> LineChart {
    let series = contenders
        .iter()
        .zip(runs)
        .enumerate()
        .map(|(place, (contender, runs))| Series {
            name: contender.label.clone(),
            look: Look::Contender(place),
            points: (1..=50)
                .map(|step| {
                    let share = f64::from(step) / 50.0;
                    let values: Vec<f64> = runs.iter().map(|run| value(run, share)).collect();
                    let error = stats::standard_error(&values);
                    Point {
                        x: 100.0 * share,
                        y: stats::mean(&values),
                        error: error.is_finite().then_some(error),
                    }
                })
                .collect(),
        })
        .collect();
    LineChart {
        title: title.to_owned(),
        x: Axis {
            title: "visited pages, % of reachable".to_owned(),
            ..Axis::default()
        },
        y: Axis {
            title: up.to_owned(),
            ..Axis::default()
        },
        series,
        ..LineChart::default()
    }
}

/// Share of the relevant reachable pages found after a share of the visits.
pub fn coverage(run: &RunResult, share: f64) -> f64 {
    found_after(run, share) / (run.relevant_reachable.max(1) as f64)
}

/// Share of relevant pages among the visits up to a share of the reachable pages.
pub fn harvest(run: &RunResult, share: f64) -> f64 {
    let visits = (share * run.reachable as f64)
        .ceil()
        .min(run.fetched as f64)
        .max(1.0);
    found_after(run, share) / visits
}

fn found_after(run: &RunResult, share: f64) -> f64 {
    let visits = (share * run.reachable as f64).ceil();
    run.hits.partition_point(|hit| f64::from(*hit) <= visits) as f64
}
