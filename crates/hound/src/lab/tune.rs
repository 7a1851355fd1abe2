//! `hound lab tune`: which settings find the pages soonest, without fooling oneself.
//!
//! Every setting is crawled on every task. Then each task in turn is set aside: the best setting of the other tasks is chosen and
//! scored on the one set aside. That figure is what to expect on a new task; the best setting over all is what to use there.

use std::path::PathBuf;

use anyhow::Result;
use clap::ValueEnum;
use scenthound_config::{Spec, options};
use scenthound_report::{RunResult, stats};
use serde_json::json;

use super::batch::{self, Job};
use super::compare::open_all;
use super::runs::Conditions;
use crate::pages_input::bad_input;

/// What is to be as large as possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Objective {
    Auc30,
    Auc100,
    Harvest20,
    TargetRecall,
    F1,
}

impl Objective {
    fn of(self, run: &RunResult) -> f64 {
        match self {
            Objective::Auc30 => run.auc30,
            Objective::Auc100 => run.auc100,
            Objective::Harvest20 => run.harvest[2],
            Objective::TargetRecall => run.target_recall,
            Objective::F1 => run.f1,
        }
    }
}

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The webs; may be given several times.
    #[arg(long, value_name = "FOLDER", required = true, num_args = 1..)]
    web: Vec<PathBuf>,
    /// Which tasks, by name, comma-separated; at least two.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "all")]
    tasks: Vec<String>,
    /// The strategy whose settings are tried.
    #[arg(long, value_name = "NAME", default_value = "genre")]
    strategy: Spec,
    /// The judge [default: the task's own].
    #[arg(long, value_name = "NAME", default_value = "default")]
    judge: Spec,
    /// Values of a setting: name=0:1:0.05 (from, to, step) or name=a,b,c. May be given several times: all combinations.
    #[arg(long = "try", value_name = "SETTING=VALUES", required = true, value_parser = read_axis)]
    tried: Vec<Axis>,
    /// Try only this many of the combinations, drawn by chance.
    #[arg(long, value_name = "N")]
    random: Option<usize>,
    /// What is to be as large as possible.
    #[arg(long, value_enum, default_value_t = Objective::Auc30)]
    objective: Objective,
    #[command(flatten)]
    conditions: Conditions,
    /// Threads [default: one a core].
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// A setting and the values it takes.
#[derive(Clone, PartialEq, Debug)]
struct Axis {
    name: String,
    values: Vec<String>,
    /// Whether it belongs to the judge rather than to the strategy.
    is_judges: bool,
}

fn read_axis(text: &str) -> Result<Axis, String> {
    let (name, values) = text
        .split_once('=')
        .ok_or_else(|| format!("{text:?}: write setting=from:to:step or setting=a,b,c"))?;
    if !options().any(|option| option.name == name) {
        return Err(format!(
            "there is no setting {name:?}; hound crawl --help lists them"
        ));
    }
    let bounds: Vec<f64> = values.split(':').filter_map(|part| part.parse().ok()).collect();
    let values = match *bounds.as_slice() {
        [from, to, step] if values.matches(':').count() == 2 => {
            if step <= 0.0 || to < from || (to - from) / step > 10_000.0 {
                return Err(format!(
                    "{values:?}: from {from} to {to} in steps of {step} makes no sense"
                ));
            }
            let steps = ((to - from) / step + 1e-9).floor() as u32;
            // Counted, not summed, so that 0.15 is 0.15 and not 0.15000000000000002.
            (0..=steps)
                .map(|at| {
                    let value = from + step * f64::from(at);
                    ((value * 1e9).round() / 1e9).to_string()
                })
                .collect()
        }
        _ => values.split(',').map(str::to_owned).collect(),
    };
    Ok(Axis {
        name: name.to_owned(),
        values,
        is_judges: is_judges(name),
    })
}

/// One combination of values.
#[derive(Clone)]
struct Combination {
    strategy: Spec,
    judge: Spec,
    label: String,
}

fn combinations(args: &Args) -> Vec<Combination> {
    let mut all = vec![Combination {
        strategy: args.strategy.clone(),
        judge: args.judge.clone(),
        label: String::new(),
    }];
    for axis in &args.tried {
        all = all
            .iter()
            .flat_map(|combination| {
                axis.values.iter().map(|value| {
                    let mut next = combination.clone();
                    if axis.is_judges {
                        next.judge = next.judge.with(&axis.name, value);
                    } else {
                        next.strategy = next.strategy.with(&axis.name, value);
                    }
                    let gap = if next.label.is_empty() { "" } else { " " };
                    next.label.push_str(&format!("{gap}{}={value}", axis.name));
                    next
                })
            })
            .collect();
    }
    if let Some(most) = args.random {
        // A fixed shuffle: a number for each, by the seed, and the smallest win. They stay in order.
        let mut drawn: Vec<(u64, usize)> = (0..all.len())
            .map(|at| {
                (
                    scenthound_types::Keyring::new(args.conditions.seed).hash(&format!("try {at}")),
                    at,
                )
            })
            .collect();
        drawn.sort_unstable();
        let mut kept: Vec<usize> = drawn.into_iter().take(most.max(1)).map(|(_, at)| at).collect();
        kept.sort_unstable();
        all = kept.into_iter().filter_map(|at| all.get(at).cloned()).collect();
    }
    all
}

pub fn run(args: Args) -> Result<()> {
    let trials = open_all(&args.web, &args.tasks)?;
    if trials.len() < 2 {
        return Err(bad_input(
            "tuning needs at least two tasks: what is tuned on a task says nothing when it is reported on the same one".to_owned(),
        ));
    }
    let all = combinations(&args);
    let conditions = &args.conditions;
    let jobs: Vec<Job> = (0..trials.len())
        .flat_map(|trial| {
            all.iter().map(move |combination| Job {
                trial,
                strategy: combination.strategy.clone(),
                judge: Some(combination.judge.clone()),
                conditions: conditions.clone(),
                repeat: 0,
            })
        })
        .collect();
    let batch = batch::run_all(&trials, &jobs, args.jobs)?;
    let mut trials = trials;
    if let Some(shortfall) = batch.shortfall() {
        // Jobs go task by task, so what is whole stands in front.
        let in_order = batch.results.iter().enumerate();
        let whole = in_order.take_while(|(place, (job, _))| place == job).count() / all.len().max(1);
        if whole < 2 {
            return Err(anyhow::anyhow!(
                "{shortfall}; nothing can be chosen before two tasks have seen every setting"
            ));
        }
        note!(
            "{shortfall}; what follows rests on the first {whole} of {} tasks",
            trials.len()
        );
        trials.truncate(whole);
    }
    // By combination, then by task.
    let mut table = vec![vec![0.0; trials.len()]; all.len()];
    for (at, result) in &batch.results {
        if let Some(cell) = table
            .get_mut(at % all.len())
            .and_then(|row| row.get_mut(at / all.len()))
        {
            *cell = args.objective.of(result);
        }
    }
    let mean_without = |row: &[f64], held: Option<usize>| {
        let kept: Vec<f64> = row
            .iter()
            .enumerate()
            .filter(|(task, _)| Some(*task) != held)
            .map(|(_, value)| *value)
            .collect();
        stats::mean(&kept)
    };
    // Among equals the first.
    let best = |held: Option<usize>| {
        let means: Vec<f64> = table.iter().map(|row| mean_without(row, held)).collect();
        let most = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        means.iter().position(|mean| *mean == most).unwrap_or(0)
    };
    let folds: Vec<(usize, f64)> = (0..trials.len())
        .map(|held| {
            let chosen = best(Some(held));
            (
                chosen,
                table
                    .get(chosen)
                    .and_then(|row| row.get(held))
                    .copied()
                    .unwrap_or(f64::NAN),
            )
        })
        .collect();
    let expected: Vec<f64> = folds.iter().map(|(_, value)| *value).collect();
    let overall = best(None);
    let label = |at: usize| all.get(at).map_or("", |combination| combination.label.as_str());
    if args.json {
        say!(
            "{}",
            json!({
                "objective": format!("{:?}", args.objective).to_lowercase(),
                "best": label(overall),
                "expected": stats::mean(&expected),
                "standard_error": stats::standard_error(&expected),
                "settings": all.iter().zip(&table).map(|(combination, row)| json!({
                    "setting": combination.label, "mean": stats::mean(row), "standard_error": stats::standard_error(row), "by_task": row,
                })).collect::<Vec<_>>(),
                "held_out": trials.iter().zip(&folds).map(|(trial, (chosen, value))| json!({
                    "web": trial.web_name, "task": trial.task.name, "chosen": label(*chosen), "value": value,
                })).collect::<Vec<_>>(),
            })
        );
        return Ok(());
    }
    let objective = format!("{:?}", args.objective).to_lowercase();
    let width = all
        .iter()
        .map(|combination| combination.label.len())
        .max()
        .unwrap_or(0);
    say!(
        "{objective} by setting, mean over {} tasks ± standard error",
        trials.len()
    );
    for (at, (combination, row)) in all.iter().zip(&table).enumerate() {
        let mark = if at == overall { "  best" } else { "" };
        say!(
            "  {:width$}  {:.4} ± {:.4}{mark}",
            combination.label,
            stats::mean(row),
            stats::standard_error(row)
        );
    }
    say!();
    say!("each task scored with the setting that was best on the others");
    for (trial, (chosen, value)) in trials.iter().zip(&folds) {
        say!("  {:28} {:width$}  {value:.4}", trial.task.name, label(*chosen));
    }
    say!();
    say!(
        "use {}; expect {:.4} ± {:.4} on a task it was not tuned on",
        label(overall),
        stats::mean(&expected),
        stats::standard_error(&expected)
    );
    Ok(())
}

/// Whether a setting belongs to the judge rather than to the strategy.
fn is_judges(setting: &str) -> bool {
    options().any(|option| option.name == setting && matches!(option.section, "judge" | "terms"))
}
