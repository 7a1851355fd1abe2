//! `hound lab compare`: many strategies on many tasks, with statistics and plots.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use scenthound_lab::{CompareSettings, JudgeSpec, StrategySpec};

use super::conditions::ConditionArgs;
use super::console::with_lab;
use crate::exit;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Web folders with an archive and tasks.toml, or synth:NAME; may be repeated.
    #[arg(long, value_name = "FOLDER", required = true, num_args = 1..)]
    web: Vec<PathBuf>,
    /// Names of tasks, comma-separated; `all` for every task.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "all")]
    tasks: Vec<String>,
    /// Strategies, comma-separated, each with its settings: fs-2,otie:revision=0.5
    #[arg(long, value_name = "NAMES", value_delimiter = ',', required = true)]
    strategies: Vec<StrategySpec>,
    /// Judges, comma-separated; `default` is the task's own (terms, or logistic).
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "default")]
    judges: Vec<JudgeSpec>,
    #[command(flatten)]
    conditions: ConditionArgs,
    /// Repeat each crawl N times with different random seeds.
    #[arg(long, value_name = "N", default_value_t = 1)]
    repeats: u32,
    /// Significance level of the t-tests.
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    alpha: f64,
    /// Test the other strategies against this one [default: the first strategy].
    #[arg(long, value_name = "STRATEGY")]
    baseline: Option<String>,
    /// Leave out the two reference crawls: the upper bound and random order.
    #[arg(long)]
    no_references: bool,
    /// Number of threads [default: one per core].
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Write a self-contained HTML page with plots.
    #[arg(short, long, value_name = "FILE.html")]
    output: Option<PathBuf>,
    /// Print all runs as JSON.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print all runs as CSV.
    #[arg(long)]
    csv: bool,
}

/// Runs the comparison. If interrupted, it reports the crawls that finished and returns the exit code for an interruption.
pub fn run(args: Args) -> Result<ExitCode> {
    let settings = CompareSettings {
        strategies: args.strategies,
        judges: args.judges,
        conditions: args.conditions.into(),
        repeats: args.repeats,
        alpha: args.alpha,
        baseline: args.baseline,
        references: !args.no_references,
    };
    let comparison = with_lab(args.jobs, |lab| {
        let trials = lab.open_all(&args.web, &args.tasks)?;
        Ok(lab.compare(&trials, &settings)?)
    })?;
    let mut code = ExitCode::SUCCESS;
    if let Some(shortfall) = comparison.shortfall {
        note!("{shortfall}");
        code = ExitCode::from(exit::INTERRUPTED);
    }
    let report = comparison.report;
    if let Some(path) = &args.output {
        super::write_page(path, &report.html)?;
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
