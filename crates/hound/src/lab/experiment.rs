//! `hound lab experiment`: reproduces the tables and figures of the papers and shows them beside the originals.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use scenthound_lab::{ExperimentSettings, JudgeSpec, LabError, PLANS, Plan};
use scenthound_report::page::{Block, Page};

use super::conditions::ConditionArgs;
use super::console::with_lab;

/// Stands for all experiments.
const ALL: &str = "all";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Name of the experiment, or `all`; without it, all experiments are listed.
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Small webs and small budgets: all experiments within minutes instead of hours.
    #[arg(long)]
    quick: bool,
    /// Repeat the experiment on N synthetic webs of each kind, made with different seeds [default: the experiment's own number].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    seeds: Option<u32>,
    /// The judge of all crawls that do not have one of their own [default: the experiment's].
    #[arg(long, value_name = "NAME")]
    judge: Option<JudgeSpec>,
    /// Genre detector: a model file, or one of the built-in detectors [default: trained on another web of the same kind].
    #[arg(long, value_name = "FILE|NAME")]
    detector: Option<String>,
    /// Web folders to use instead of the experiment's own web; may be repeated.
    #[arg(long, value_name = "FOLDER", num_args = 1..)]
    web: Vec<PathBuf>,
    /// Names of tasks, comma-separated; `all` for every task.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "all")]
    tasks: Vec<String>,
    #[command(flatten)]
    conditions: ConditionArgs,
    /// Number of threads [default: one per core].
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Write a self-contained HTML page with plots.
    #[arg(short, long, value_name = "FILE.html")]
    output: Option<PathBuf>,
    /// Print the tables as CSV.
    #[arg(long)]
    csv: bool,
    /// Print tables, notes and settings as JSON.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let Some(name) = &args.name else {
        for plan in PLANS {
            say!("  {:22} {}", plan.name, plan.about);
        }
        return Ok(());
    };
    let settings = ExperimentSettings {
        webs: args.web,
        tasks: args.tasks,
        conditions: args.conditions.into(),
        judge: args.judge,
        detector: args.detector,
        seeds: args.seeds,
        quick: args.quick,
    };
    if name == ALL {
        return run_all(
            &settings,
            &Shown {
                jobs: args.jobs,
                output: args.output.as_deref(),
                json: args.json,
                csv: args.csv,
                quick: args.quick,
            },
        );
    }
    let plan = Plan::find(name)?;
    let experiment = with_lab(args.jobs, |lab| Ok(lab.experiment(plan, &settings)?))?;
    if let Some(path) = &args.output {
        super::write_page(path, &experiment.page().html())?;
    }
    if args.json {
        say!("{}", experiment.json());
    } else if args.csv {
        crate::stdout::say(experiment.csv().trim_end());
    } else {
        crate::stdout::say(experiment.page().text().trim_end());
    }
    Ok(())
}

/// Runs every experiment and writes them as one page. The page is written after each, so that an interruption loses little. An
/// experiment that cannot be run on the webs given does not keep the others from running.
fn run_all(settings: &ExperimentSettings, args: &Shown<'_>) -> Result<()> {
    let mut page = Page::new("The papers' tables and figures");
    page.push(Block::Paragraph(
        "Each table or figure of the five papers, made again. docs/papers.md compares them with the originals.".to_owned(),
    ));
    let mut failed = Vec::new();
    let mut all = serde_json::Map::new();
    for (at, plan) in PLANS.iter().enumerate() {
        let begun = Instant::now();
        note!("{} ({} of {})", plan.name, at + 1, PLANS.len());
        let experiment = match with_lab(args.jobs, |lab| Ok(lab.experiment(plan, settings)?)) {
            Ok(experiment) => experiment,
            Err(error) if is_interrupted(&error) => return Err(error),
            Err(error) => {
                complain!("hound: {} could not be run: {error:#}", plan.name);
                failed.push(plan.name);
                continue;
            }
        };
        note!("{} took {} s", plan.name, begun.elapsed().as_secs());
        let of_plan = experiment.page();
        let mut blocks = vec![Block::Lines(vec![args.command_of(plan)])];
        blocks.extend(of_plan.blocks);
        if args.json {
            all.insert(plan.name.to_owned(), experiment.json());
        } else if args.csv {
            crate::stdout::say(experiment.csv().trim_end());
        } else if args.output.is_none() {
            crate::stdout::say(experiment.page().text().trim_end());
        }
        page.push(Block::Section(
            format!("{}: {}", plan.name, of_plan.title),
            blocks,
        ));
        if let Some(path) = args.output {
            super::write_page(path, &page.html())?;
        }
    }
    if args.json {
        say!("{}", serde_json::Value::Object(all));
    }
    match failed.as_slice() {
        [] => Ok(()),
        names => anyhow::bail!("these experiments could not be run: {}", names.join(", ")),
    }
}

/// How the results of all experiments are shown.
struct Shown<'a> {
    jobs: Option<usize>,
    output: Option<&'a Path>,
    json: bool,
    csv: bool,
    quick: bool,
}

impl Shown<'_> {
    /// The command that makes a part of the page.
    fn command_of(&self, plan: &Plan) -> String {
        let quick = if self.quick { " --quick" } else { "" };
        format!("hound lab experiment {}{quick}", plan.name)
    }
}

/// Whether somebody asked for the end, rather than something being wrong.
fn is_interrupted(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref::<LabError>(), Some(LabError::Unfinished(_)))
}
