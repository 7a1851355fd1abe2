//! Many crawls at once: every strategy, judge and task asked for, on all cores, in a fixed order.
//!
//! Crawls of one task under one judge share what the judge said, so a page is read once however many strategies come by.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use scenthound_lab::{CachedJudge, Outcome, PageJudge, Trial};
use scenthound_report::RunResult;
use signal_hook::consts::{SIGINT, SIGTERM};

use super::runs::{self, Conditions, NamedJudge};
use scenthound_config::Spec;

/// The name of the crawl that knows everything.
pub const UPPER_BOUND: &str = "upper-bound";

/// One crawl.
#[derive(Clone, Debug)]
pub struct Job {
    /// Which trial, by its place.
    pub trial: usize,
    pub strategy: Spec,
    /// None for the task's own.
    pub judge: Option<Spec>,
    pub conditions: Conditions,
    pub repeat: u32,
}

/// What came of a batch.
pub struct Batch {
    /// The results of the crawls that were finished, with their jobs' places, in the order of the jobs.
    pub results: Vec<(usize, RunResult)>,
    /// How many crawls there were to be.
    pub wanted: usize,
}

impl Batch {
    /// Says what is missing, if anything is.
    pub fn shortfall(&self) -> Option<String> {
        (self.results.len() < self.wanted).then(|| {
            format!(
                "interrupted: {} of {} crawls are here",
                self.results.len(),
                self.wanted
            )
        })
    }

    /// The results alone.
    pub fn runs(self) -> Vec<RunResult> {
        self.results.into_iter().map(|(_, result)| result).collect()
    }
}

/// Every combination of trials, strategies, judges and repeats.
pub fn combine(
    trials: usize,
    strategies: &[Spec],
    judges: &[Option<Spec>],
    conditions: &Conditions,
    repeats: u32,
) -> Vec<Job> {
    let mut jobs = Vec::new();
    for trial in 0..trials {
        for judge in judges {
            for strategy in strategies {
                // The one that knows everything leaves nothing to chance, nor to a judge.
                let once = strategy.name == UPPER_BOUND;
                for repeat in 0..if once { 1 } else { repeats.max(1) } {
                    jobs.push(Job {
                        trial,
                        strategy: strategy.clone(),
                        judge: judge.clone(),
                        conditions: Conditions {
                            seed: conditions.seed + u64::from(repeat),
                            ..conditions.clone()
                        },
                        repeat,
                    });
                }
            }
        }
    }
    jobs
}

/// A judge of one trial, made when it is first needed.
type Slot = OnceLock<std::result::Result<Arc<NamedJudge>, String>>;

/// Sees what came of a job, by its place, before all but the numbers of its result is forgotten.
pub type Watcher<'w> = &'w (dyn Fn(usize, &Outcome) + Sync);

/// Runs all jobs on this many threads. The first Ctrl-C ends it with what is finished.
pub fn run_all(trials: &[Trial], jobs: &[Job], threads: Option<usize>) -> Result<Batch> {
    run_all_watched(trials, jobs, threads, &|_, _| ())
}

/// The same, watched. The watcher is called on the threads of the crawls, in the order they end.
pub fn run_all_watched(
    trials: &[Trial],
    jobs: &[Job],
    threads: Option<usize>,
    watch: Watcher<'_>,
) -> Result<Batch> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, stop.clone()).context("signals cannot be watched")?;
    }
    let mut judges: HashMap<(usize, String), Slot> = HashMap::new();
    for job in jobs {
        judges.entry((job.trial, judge_label(job))).or_default();
    }
    let bar = ProgressBar::new(jobs.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} crawls  {elapsed} {msg}") {
        bar.set_style(style);
    }
    bar.tick();
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, RunResult)>> = Mutex::default();
    let fault: Mutex<Option<anyhow::Error>> = Mutex::default();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        while !stop.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(at) else {
                break;
            };
            let Some(trial) = trials.get(job.trial) else {
                break;
            };
            let slot = judges.get(&(job.trial, judge_label(job)));
            match run_one(trial, job, slot, &stop, &|outcome| watch(at, outcome)) {
                Ok(Some(result)) => {
                    if let Ok(mut results) = results.lock() {
                        results.push((at, result));
                    }
                }
                Ok(None) => {}
                Err(error) => {
                    stop.store(true, Ordering::Relaxed);
                    if let Ok(mut fault) = fault.lock() {
                        fault.get_or_insert(error);
                    }
                }
            }
            bar.inc(1);
        }
    };
    thread::scope(|scope| {
        for _ in 0..threads.unwrap_or(cores).clamp(1, jobs.len().max(1)) {
            scope.spawn(work);
        }
    });
    bar.finish_and_clear();
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

fn judge_label(job: &Job) -> String {
    job.judge.as_ref().map_or_else(String::new, ToString::to_string)
}

fn run_one(
    trial: &Trial,
    job: &Job,
    slot: Option<&Slot>,
    stop: &AtomicBool,
    watch: &dyn Fn(&Outcome),
) -> Result<Option<RunResult>> {
    if job.strategy.name == UPPER_BOUND {
        let score = trial.upper_bound_within(job.conditions.budget());
        return Ok(Some(RunResult {
            strategy: UPPER_BOUND.to_owned(),
            judge: "labels".to_owned(),
            ..scored(trial, &score)
        }));
    }
    let made = slot.map(|slot| {
        slot.get_or_init(|| {
            runs::judge(trial, job.judge.as_ref())
                .map(|named| {
                    let pages = trial.web.pages();
                    Arc::new(NamedJudge {
                        judge: Arc::new(CachedJudge::new(named.judge, pages)) as Arc<dyn PageJudge>,
                        ..named
                    })
                })
                .map_err(|error| format!("{error:#}"))
        })
    });
    let judge = match made {
        Some(Ok(judge)) => judge.clone(),
        Some(Err(error)) => return Err(crate::pages_input::bad_input(error.clone())),
        None => return Ok(None),
    };
    let (outcome, seconds) = runs::run(
        trial,
        &job.strategy,
        job.judge.as_ref(),
        judge.judge.as_ref(),
        &job.conditions,
        &mut |_| {
            if stop.load(Ordering::Relaxed) {
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

fn scored(trial: &Trial, score: &scenthound_lab::CrawlScore) -> RunResult {
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
