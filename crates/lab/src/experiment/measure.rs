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
use crate::trial::{LabBudget, Outcome, Trial};

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
        self.crawl_watched(contenders, conditions, &|_, _, _| ())
    }

    /// The same. The watcher gets the number of the contender, the number of the task and the outcome.
    pub fn crawl_watched(
        &self,
        contenders: &[Contender],
        conditions: &Conditions,
        watch: &(dyn Fn(usize, usize, &Outcome) + Sync),
    ) -> Result<Vec<Vec<RunResult>>, LabError> {
        let tasks = self.trials.len().max(1);
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
        let batch = self.lab.run_all_watched(&self.trials, &jobs, &|at, outcome| {
            watch(at / tasks, at % tasks, outcome)
        })?;
        if let Some(shortfall) = batch.shortfall() {
            return Err(LabError::Unfinished(shortfall));
        }
        let runs = batch.runs();
        Ok(runs.chunks(tasks).map(<[RunResult]>::to_vec).collect())
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
    let of_share =
        |run: &RunResult, percent: f64| value(run, (percent / 100.0 * run.reachable as f64).ceil());
    let lines = contenders.iter().map(|contender| contender.label.clone());
    let lines = lines.zip(runs.iter().map(Vec::as_slice));
    drawn(title, OF_REACHABLE, up, lines, 100.0, of_share)
}

/// The mean curve of a measure over the number of pages visited, up to the longest crawl. For crawls that end long before they
/// have seen the web.
pub fn curve_by_visits(
    title: &str,
    up: &str,
    contenders: &[Contender],
    runs: &[Vec<RunResult>],
    value: impl Fn(&RunResult, f64) -> f64,
) -> LineChart {
    let longest = runs.iter().flatten().map(|run| run.fetched).max().unwrap_or(0);
    let lines = contenders.iter().map(|contender| contender.label.clone());
    let lines = lines.zip(runs.iter().map(Vec::as_slice));
    drawn(title, "visited pages", up, lines, longest as f64, value)
}

/// The curves of one contender over the share of the reachable pages visited: one per task, the mean over the webs.
pub fn curve_by_task(
    title: &str,
    up: &str,
    runs: &[RunResult],
    value: impl Fn(&RunResult, f64) -> f64,
) -> LineChart {
    let mut tasks: Vec<(String, Vec<RunResult>)> = Vec::new();
    for run in runs {
        match tasks.iter_mut().find(|(task, _)| *task == run.task) {
            Some((_, of_task)) => of_task.push(run.clone()),
            None => tasks.push((run.task.clone(), vec![run.clone()])),
        }
    }
    let of_share =
        |run: &RunResult, percent: f64| value(run, (percent / 100.0 * run.reachable as f64).ceil());
    let lines = tasks
        .iter()
        .map(|(task, of_task)| (task.clone(), of_task.as_slice()));
    drawn(title, OF_REACHABLE, up, lines, 100.0, of_share)
}

const OF_REACHABLE: &str = "visited pages, % of reachable";
/// Points of a curve.
const STEPS: u32 = 50;

fn drawn<'r>(
    title: &str,
    across: &str,
    up: &str,
    lines: impl Iterator<Item = (String, &'r [RunResult])>,
    end: f64,
    value: impl Fn(&RunResult, f64) -> f64,
) -> LineChart {
    let series = lines.enumerate().map(|(place, (name, runs))| Series {
        name,
        look: Look::Contender(place),
        points: (1..=STEPS)
            .map(|step| {
                let x = end * f64::from(step) / f64::from(STEPS);
                let values: Vec<f64> = runs.iter().map(|run| value(run, x)).collect();
                let error = stats::standard_error(&values);
                Point {
                    x,
                    y: stats::mean(&values),
                    error: error.is_finite().then_some(error),
                }
            })
            .collect(),
    });
    let axis = |title: &str| Axis {
        title: title.to_owned(),
        ..Axis::default()
    };
    LineChart {
        title: title.to_owned(),
        x: axis(across),
        y: axis(up),
        series: series.collect(),
        ..LineChart::default()
    }
}

/// Share of the relevant reachable pages found after so many visits.
pub fn coverage(run: &RunResult, visits: f64) -> f64 {
    among(&run.hits, visits) / (run.relevant_reachable.max(1) as f64)
}

/// Share of all relevant pages, reachable or not, found after so many visits.
pub fn recall(run: &RunResult, visits: f64) -> f64 {
    among(&run.hits, visits) / run.found.max(1) as f64 * run.target_recall
}

/// Share of relevant pages among the first visits, by the labels.
pub fn harvest(run: &RunResult, visits: f64) -> f64 {
    among(&run.hits, visits) / made(run, visits)
}

/// The same by the judge.
pub fn called(run: &RunResult, visits: f64) -> f64 {
    among(&run.calls, visits) / made(run, visits)
}

/// How many of the numbered visits are among the first.
fn among(numbered: &[u32], visits: f64) -> f64 {
    numbered.partition_point(|visit| f64::from(*visit) <= visits) as f64
}

/// The visits made; a crawl may have ended earlier.
fn made(run: &RunResult, visits: f64) -> f64 {
    visits.floor().min(run.fetched as f64).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten pages of a web of a thousand: the second and the sixth are targets, the judge also likes the third.
    fn short() -> RunResult {
        RunResult {
            task: "tea".to_owned(),
            reachable: 1_000,
            relevant_reachable: 2,
            fetched: 10,
            found: 2,
            target_recall: 0.5,
            hits: vec![2, 6],
            calls: vec![2, 3, 6],
            ..RunResult::default()
        }
    }

    #[test]
    fn the_curve_of_a_short_crawl_rises_until_its_end() {
        let contenders = [contender("otie", "otie").unwrap()];
        let chart = curve_by_visits("", "", &contenders, &[vec![short()]], recall);
        let points = &chart.series[0].points;
        assert_eq!(points.last().map(|point| (point.x, point.y)), Some((10.0, 0.5)));
        let at = |visits: f64| {
            points
                .iter()
                .find(|point| (point.x - visits).abs() < 1e-9)
                .map(|point| point.y)
        };
        assert_eq!(
            (at(1.0), at(2.0), at(5.8), at(6.0)),
            (Some(0.0), Some(0.25), Some(0.25), Some(0.5))
        );
    }

    #[test]
    fn labels_and_judge_harvest_apart() {
        let run = short();
        assert_eq!((harvest(&run, 4.0), called(&run, 4.0)), (0.25, 0.5));
        assert_eq!((harvest(&run, 500.0), called(&run, 500.0)), (0.2, 0.3));
    }

    #[test]
    fn webs_of_one_task_are_one_curve() {
        let other = RunResult {
            task: "ships".to_owned(),
            ..short()
        };
        let late = RunResult {
            hits: vec![2],
            ..short()
        };
        let chart = curve_by_task("", "", &[short(), other, late], coverage);
        let ends: Vec<(&str, f64)> = chart
            .series
            .iter()
            .map(|series| (series.name.as_str(), series.points[0].y))
            .collect();
        assert_eq!(ends, [("tea", 0.75), ("ships", 1.0)]);
    }
}
