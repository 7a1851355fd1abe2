//! Many crawls at once: every requested strategy, judge and task, on all cores, with results in a fixed order.
//!
//! Crawls of one task under one judge share its judgements, so each page is judged once, however many strategies visit it.

use std::collections::HashMap;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

use scenthound_report::RunResult;

use crate::conditions::Conditions;
use crate::error::LabError;
use crate::opinion::CachedJudge;
use crate::runs::NamedJudge;
use crate::score::CrawlScore;
use crate::session::{Lab, LabEvent};
use crate::spec::{JudgeSpec, LabStrategy, StrategySpec};
use crate::trial::{Outcome, Trial};

/// One crawl.
#[derive(Clone, Debug)]
pub struct Job {
    /// Index of the trial.
    pub trial: usize,
    /// The strategy.
    pub strategy: StrategySpec,
    /// The judge.
    pub judge: JudgeSpec,
    /// The clock and the limits.
    pub conditions: Conditions,
    /// Which repeat of the same crawl this is, counted from 0.
    pub repeat: u32,
}

/// How far an interrupted batch got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shortfall {
    /// Crawls that finished.
    pub finished: usize,
    /// Crawls requested.
    pub wanted: usize,
}

impl fmt::Display for Shortfall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "interrupted after {} of {} crawls", self.finished, self.wanted)
    }
}

/// The results of a batch.
pub struct Batch {
    /// The results of the finished crawls with the index of their jobs, in the order of the jobs.
    pub results: Vec<(usize, RunResult)>,
    /// Number of crawls requested.
    pub wanted: usize,
}

impl Batch {
    /// How far the batch got, if it was interrupted.
    pub fn shortfall(&self) -> Option<Shortfall> {
        let finished = self.results.len();
        (finished < self.wanted).then_some(Shortfall {
            finished,
            wanted: self.wanted,
        })
    }

    /// The results without the job indices.
    pub fn runs(self) -> Vec<RunResult> {
        self.results.into_iter().map(|(_, result)| result).collect()
    }
}

/// Every combination of trials, strategies, judges and repeats. Each repeat has its own random seed.
pub fn combine(
    trials: usize,
    strategies: &[StrategySpec],
    judges: &[JudgeSpec],
    conditions: &Conditions,
    repeats: u32,
) -> Vec<Job> {
    let mut jobs = Vec::new();
    for trial in 0..trials {
        for judge in judges {
            for strategy in strategies {
                let repeats = match strategy.kind() {
                    // Neither random numbers nor a judge play a part in it.
                    LabStrategy::UpperBound => 1,
                    LabStrategy::Crawl(_) => repeats.max(1),
                };
                jobs.extend((0..repeats).map(|repeat| Job {
                    trial,
                    strategy: strategy.clone(),
                    judge: judge.clone(),
                    conditions: Conditions {
                        seed: conditions.seed + u64::from(repeat),
                        ..conditions.clone()
                    },
                    repeat,
                }));
            }
        }
    }
    jobs
}

/// A judge of one trial, built when it is first needed.
type Slot = OnceLock<Result<Arc<NamedJudge>, Arc<LabError>>>;

/// Called with the index of a job and its outcome, before the outcome is reduced to the numbers of its result.
pub type Watcher<'w> = &'w (dyn Fn(usize, &Outcome) + Sync);

impl Lab<'_> {
    /// Runs all jobs. If stopped early, it returns the results so far.
    pub fn run_all(&self, trials: &[Trial], jobs: &[Job]) -> Result<Batch, LabError> {
        self.run_all_watched(trials, jobs, &|_, _| ())
    }

    /// Runs all jobs and calls the watcher for each, on the threads of the crawls and in the order they end.
    pub fn run_all_watched(
        &self,
        trials: &[Trial],
        jobs: &[Job],
        watch: Watcher<'_>,
    ) -> Result<Batch, LabError> {
        let has_failed = AtomicBool::new(false);
        let is_stopped = || has_failed.load(Ordering::Relaxed) || self.options.stop.load(Ordering::Relaxed);
        let mut judges: HashMap<(usize, String), Slot> = HashMap::new();
        for job in jobs {
            judges.entry((job.trial, job.judge.to_string())).or_default();
        }
        self.tell(LabEvent::CrawlsBegin { crawls: jobs.len() });
        let next = AtomicUsize::new(0);
        let results: Mutex<Vec<(usize, RunResult)>> = Mutex::default();
        let fault: Mutex<Option<LabError>> = Mutex::default();
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let work = || {
            while !is_stopped() {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = jobs.get(at) else {
                    break;
                };
                let Some(trial) = trials.get(job.trial) else {
                    break;
                };
                let slot = judges.get(&(job.trial, job.judge.to_string()));
                match self.run_one(trial, job, slot, &is_stopped, &|outcome| watch(at, outcome)) {
                    Ok(Some(result)) => {
                        if let Ok(mut results) = results.lock() {
                            results.push((at, result));
                        }
                    }
                    Ok(None) => {}
                    Err(error) => {
                        has_failed.store(true, Ordering::Relaxed);
                        if let Ok(mut fault) = fault.lock() {
                            fault.get_or_insert(error);
                        }
                    }
                }
                self.tell(LabEvent::CrawlEnded);
            }
        };
        thread::scope(|scope| {
            for _ in 0..self.options.threads.unwrap_or(cores).clamp(1, jobs.len().max(1)) {
                scope.spawn(work);
            }
        });
        self.tell(LabEvent::CrawlsEnded);
        if let Some(error) = fault.into_inner().unwrap_or_default() {
            return Err(error);
        }
        let mut results = results.into_inner().unwrap_or_default();
        results.sort_by_key(|(at, _)| *at);
        Ok(Batch {
            results,
            wanted: jobs.len(),
        })
    }

    fn run_one(
        &self,
        trial: &Trial,
        job: &Job,
        slot: Option<&Slot>,
        is_stopped: &dyn Fn() -> bool,
        watch: &dyn Fn(&Outcome),
    ) -> Result<Option<RunResult>, LabError> {
        if job.strategy.kind() == LabStrategy::UpperBound {
            let score = trial.upper_bound_within(job.conditions.budget());
            return Ok(Some(RunResult {
                strategy: job.strategy.to_string(),
                judge: "labels".to_owned(),
                ..scored(trial, &score)
            }));
        }
        let Some(slot) = slot else {
            return Ok(None);
        };
        let made = slot.get_or_init(|| {
            let named = self.judge(trial, &job.judge).map_err(Arc::new)?;
            Ok(Arc::new(NamedJudge {
                judge: Arc::new(CachedJudge::new(named.judge, trial.web.pages())),
                ..named
            }))
        });
        let judge = made.clone().map_err(LabError::Shared)?;
        let (outcome, seconds) = self.crawl(
            trial,
            &job.strategy,
            &job.judge,
            judge.judge.as_ref(),
            &job.conditions,
            &mut |_| {
                if is_stopped() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            },
        )?;
        if outcome.is_partial {
            return Ok(None);
        }
        watch(&outcome);
        Ok(Some(result(trial, job, &judge.label, &outcome, seconds)))
    }
}

fn scored(trial: &Trial, score: &CrawlScore) -> RunResult {
    RunResult {
        web: trial.web_name.clone(),
        task: trial.task.name.clone(),
        reachable: trial.targets.reachable as u64,
        relevant_reachable: trial.targets.relevant_reachable.len() as u64,
        fetched: score.fetched as u64,
        found: score.found as u64,
        auc30: score.auc30,
        auc100: score.auc100,
        harvest: [score.harvest_5, score.harvest_10, score.harvest_20],
        visits_for_90: score.visits_for_90,
        target_recall: score.target_recall,
        recall: score.recall,
        hits: score.hits.clone(),
        ..RunResult::default()
    }
}

fn result(trial: &Trial, job: &Job, judge: &str, outcome: &Outcome, seconds: f64) -> RunResult {
    RunResult {
        strategy: job.strategy.to_string(),
        judge: judge.to_owned(),
        repeat: job.repeat,
        called: outcome.verdicts.called as u64,
        calls: calls(trial, outcome),
        precision: outcome.verdicts.precision,
        f1: outcome.verdicts.f1,
        virtual_seconds: outcome.virtual_seconds,
        seconds,
        f1_by_threshold: outcome.f1_by_threshold.clone(),
        precision_at: outcome.precision_at.clone(),
        share_by_rank: outcome.share_by_rank.clone(),
        ..scored(trial, &outcome.score)
    }
}

/// The visits that count, numbered from 1, whose pages the judge calls relevant.
fn calls(trial: &Trial, outcome: &Outcome) -> Vec<u32> {
    let visits = outcome.order.iter().zip(&outcome.called_relevant);
    visits
        .filter(|(page, _)| !trial.targets.uncounted.contains(page))
        .zip(1..)
        .filter(|((_, is_called), _)| **is_called)
        .map(|(_, visit)| visit)
        .collect()
}
