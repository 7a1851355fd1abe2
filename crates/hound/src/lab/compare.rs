//! `hound lab compare`: many strategies and judges on many tasks, with statistics and plots.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use scenthound_lab::{LabBudget, Trial};
use scenthound_report::{ReportSettings, report};

use super::batch::{self, UPPER_BOUND};
use super::runs::Conditions;
use super::webs;
use crate::exit;
use crate::pages_input::bad_input;
use scenthound_config::Spec;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The webs: folders with an archive and tasks.toml, or synth:NAME. May be given several times.
    #[arg(long, value_name = "FOLDER", required = true, num_args = 1..)]
    web: Vec<PathBuf>,
    /// Which tasks, by name, comma-separated; `all` for every one.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "all")]
    tasks: Vec<String>,
    /// The strategies, comma-separated, each with its settings: fs-2,otie:revision=0.5
    #[arg(long, value_name = "NAMES", value_delimiter = ',', required = true)]
    strategies: Vec<Spec>,
    /// The judges, comma-separated; `default` is the task's own (terms, or logistic).
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "default")]
    judges: Vec<Spec>,
    #[command(flatten)]
    conditions: Conditions,
    /// Crawl each this often, with other chances each time.
    #[arg(long, value_name = "N", default_value_t = 1)]
    repeats: u32,
    /// Level of significance of the t-tests.
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    alpha: f64,
    /// What the others are tested against [default: the first strategy].
    #[arg(long, value_name = "STRATEGY")]
    baseline: Option<String>,
    /// Leave out the reference lines: the crawl that knows everything, and the one that knows nothing.
    #[arg(long)]
    no_references: bool,
    /// Threads [default: one a core].
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Write a self-contained page with plots.
    #[arg(short, long, value_name = "FILE.html")]
    output: Option<PathBuf>,
    /// Print all runs as JSON.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print all runs as CSV.
    #[arg(long)]
    csv: bool,
}

/// Compares. Interrupted, it reports what is finished and says so with its exit code.
pub fn run(args: Args) -> Result<ExitCode> {
    let trials = open_all(&args.web, &args.tasks)?;
    let mut strategies = args.strategies.clone();
    if !args.no_references {
        for reference in [UPPER_BOUND, "random"] {
            if strategies.iter().all(|spec| spec.name != reference) {
                strategies.push(reference.parse().map_err(bad_input)?);
            }
        }
    }
    if let Some(name) = &args.baseline {
        // Before the crawls: a slip must not cost them.
        let strategy = name.split(" · ").next().unwrap_or(name);
        if strategies.iter().all(|spec| spec.to_string() != strategy) {
            return Err(bad_input(format!(
                "the baseline {name:?} is not compared here; there are: {}",
                listed(&strategies)
            )));
        }
    }
    let judges: Vec<Option<Spec>> = args.judges.iter().cloned().map(Some).collect();
    let jobs = batch::combine(trials.len(), &strategies, &judges, &args.conditions, args.repeats);
    let batch = batch::run_all(&trials, &jobs, args.jobs)?;
    let mut settings = ReportSettings {
        title: "Strategies compared".to_owned(),
        notes: batch.shortfall().into_iter().collect(),
        settings: described(&args),
        alpha: args.alpha,
        baseline: args.baseline.clone(),
        ..ReportSettings::default()
    };
    let mut code = ExitCode::SUCCESS;
    if let Some(shortfall) = batch.shortfall() {
        note!("{shortfall}");
        code = ExitCode::from(exit::INTERRUPTED);
    }
    let is_whole = batch.shortfall().is_none();
    let runs = batch.runs();
    if let Some(name) = &args.baseline
        && let Err(fault) = scenthound_report::compare::find_baseline(&runs, name)
    {
        if is_whole {
            return Err(bad_input(fault.to_string()));
        }
        // None of its crawls was finished; the report does without.
        settings.baseline = None;
    }
    let report = report(&runs, &settings);
    if let Some(path) = &args.output {
        std::fs::write(path, &report.html)
            .with_context(|| format!("{} cannot be written", path.display()))?;
        note!("report written to {}", path.display());
    }
    if args.json {
        say!("{}", report.json);
    } else if args.csv {
        crate::stdout::say(report.csv.trim_end());
    } else {
        crate::stdout::say(report.text.trim_end());
    }
    Ok(code)
}

/// Opens webs and their tasks. A task has to be in one of the webs, not in all.
pub fn open_all(paths: &[PathBuf], tasks: &[String]) -> Result<Vec<Trial>> {
    let mut trials = Vec::new();
    let takes_all = tasks.iter().any(|task| task == "all");
    if let ([_], false) = (paths, takes_all) {
        for path in paths {
            trials.extend(webs::open(path, tasks)?);
        }
        return Ok(trials);
    }
    let mut known = Vec::new();
    for path in paths {
        let open = webs::open(path, &[])?;
        known.extend(open.iter().map(|trial| trial.task.name.clone()));
        trials.extend(
            open.into_iter()
                .filter(|trial| takes_all || tasks.contains(&trial.task.name)),
        );
    }
    if let Some(unknown) = tasks.iter().find(|task| !takes_all && !known.contains(task)) {
        return Err(bad_input(format!(
            "none of the webs has a task {unknown:?}; there are: {}",
            known.join(", ")
        )));
    }
    if trials.is_empty() {
        return Err(bad_input("the webs have no tasks (no tasks.toml)".to_owned()));
    }
    Ok(trials)
}

fn listed(specs: &[Spec]) -> String {
    let labels: Vec<String> = specs.iter().map(ToString::to_string).collect();
    labels.join(", ")
}

fn described(args: &Args) -> Vec<(String, String)> {
    let conditions = &args.conditions;
    [
        ("strategies", listed(&args.strategies)),
        ("judges", listed(&args.judges)),
        (
            "budget",
            match conditions.budget {
                Some(LabBudget::Pages(pages)) => format!("{pages} pages"),
                Some(LabBudget::Share(share)) => format!("{} % of the reachable pages", share * 100.0),
                Some(LabBudget::All) | None => "all there is".to_owned(),
            },
        ),
        ("delay", format!("{} s", conditions.delay.as_secs_f64())),
        ("workers", conditions.workers.to_string()),
        ("latency", format!("{} s", conditions.latency.as_secs_f64())),
        ("seed", conditions.seed.to_string()),
        ("repeats", args.repeats.to_string()),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}
