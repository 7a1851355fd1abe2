//! `hound lab tune`: finds the settings that find relevant pages soonest.

use std::path::PathBuf;

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use scenthound_lab::{Axis, JudgeSpec, Objective, StrategySpec, TuneSettings, Tuning};
use serde_json::json;

use super::conditions::ConditionArgs;
use super::console::with_lab;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Web folders; may be repeated.
    #[arg(long, value_name = "FOLDER", required = true, num_args = 1..)]
    web: Vec<PathBuf>,
    /// Names of tasks, comma-separated; at least two.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "all")]
    tasks: Vec<String>,
    /// The strategy to tune.
    #[arg(long, value_name = "NAME", default_value = "genre")]
    strategy: StrategySpec,
    /// The judge; `default` is the task's own.
    #[arg(long, value_name = "NAME", default_value = "default")]
    judge: JudgeSpec,
    /// Values of a setting: name=0:1:0.05 (from, to, step) or name=a,b,c. If repeated, all combinations are tried.
    #[arg(long = "try", value_name = "SETTING=VALUES", required = true)]
    tried: Vec<Axis>,
    /// Try only N of the combinations, chosen at random.
    #[arg(long, value_name = "N")]
    random: Option<usize>,
    /// The measure to maximise.
    #[arg(long, value_name = "OBJECTIVE", default_value = "auc30", value_parser = objectives())]
    objective: Objective,
    #[command(flatten)]
    conditions: ConditionArgs,
    /// Number of threads [default: one per core].
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

fn objectives() -> impl TypedValueParser<Value = Objective> {
    PossibleValuesParser::new(Objective::NAMES.iter().copied())
        .map(|name| Objective::from_name(&name).unwrap_or_default())
}

pub fn run(args: Args) -> Result<()> {
    let settings = TuneSettings {
        strategy: args.strategy,
        judge: args.judge,
        axes: args.tried,
        random: args.random,
        objective: args.objective,
        conditions: args.conditions.into(),
    };
    let (tuning, tasks) = with_lab(args.jobs, |lab| {
        let trials = lab.open_all(&args.web, &args.tasks)?;
        Ok((lab.tune(&trials, &settings)?, trials.len()))
    })?;
    if let Some(shortfall) = tuning.shortfall {
        note!(
            "{shortfall}; the results below use the first {} of {tasks} tasks",
            tuning.held_out.len()
        );
    }
    // Without a hyphen: readers of the JSON expect this spelling.
    let objective = settings.objective.name().replace('-', "");
    if args.json {
        print_json(&tuning, &objective);
    } else {
        print(&tuning, &objective);
    }
    Ok(())
}

fn print_json(tuning: &Tuning, objective: &str) {
    let (expected, error) = tuning.expected();
    say!(
        "{}",
        json!({
            "objective": objective,
            "best": tuning.label(tuning.best),
            "expected": expected,
            "standard_error": error,
            "settings": tuning.tried.iter().map(|tried| {
                let (mean, error) = tried.mean();
                json!({"setting": tried.label, "mean": mean, "standard_error": error, "by_task": tried.by_task})
            }).collect::<Vec<_>>(),
            "held_out": tuning.held_out.iter().map(|held| json!({
                "web": held.web, "task": held.task, "chosen": tuning.label(held.chosen), "value": held.value,
            })).collect::<Vec<_>>(),
        })
    );
}

fn print(tuning: &Tuning, objective: &str) {
    let labels = tuning.tried.iter().map(|tried| tried.label.len());
    let width = labels.max().unwrap_or(0);
    say!(
        "{objective} by setting, mean over {} tasks ± standard error",
        tuning.held_out.len()
    );
    for (at, tried) in tuning.tried.iter().enumerate() {
        let mark = if at == tuning.best { "  best" } else { "" };
        let (mean, error) = tried.mean();
        say!("  {:width$}  {mean:.4} ± {error:.4}{mark}", tried.label);
    }
    say!();
    say!("each task scored with the setting that was best on the others");
    for held in &tuning.held_out {
        say!(
            "  {:28} {:width$}  {:.4}",
            held.task,
            tuning.label(held.chosen),
            held.value
        );
    }
    say!();
    let (expected, error) = tuning.expected();
    say!(
        "use {}; expect {expected:.4} ± {error:.4} on a task it was not tuned on",
        tuning.label(tuning.best)
    );
}
