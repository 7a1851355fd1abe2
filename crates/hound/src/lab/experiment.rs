//! `hound lab experiment`: reproduces the tables and figures of the papers and shows them beside the originals.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use scenthound_lab::{ExperimentSettings, JudgeSpec, PLANS, Plan};
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
        return run_all(&settings, args.jobs, args.output.as_deref());
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

/// Runs every experiment and writes them as one page. The page is written after each, so that an interruption loses little.
fn run_all(settings: &ExperimentSettings, jobs: Option<usize>, output: Option<&Path>) -> Result<()> {
    let mut page = Page::new("The papers' tables and figures");
    for plan in PLANS {
        let begun = Instant::now();
        let experiment = with_lab(jobs, |lab| Ok(lab.experiment(plan, settings)?))?;
        let of_plan = experiment.page();
        page.push(Block::Heading(format!("{}: {}", plan.name, of_plan.title)));
        page.push(Block::Lines(vec![format!("hound lab experiment {}", plan.name)]));
        page.blocks.extend(of_plan.blocks);
        note!("{}: {} s", plan.name, begun.elapsed().as_secs());
        match output {
            Some(path) => super::write_page(path, &page.html())?,
            None => crate::stdout::say(experiment.page().text().trim_end()),
        }
    }
    Ok(())
}
