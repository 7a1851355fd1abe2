//! `hound lab experiment`: reproduces the tables and figures of the papers and shows them beside the originals.

use std::path::PathBuf;

use anyhow::Result;
use scenthound_lab::{PLANS, Plan};

use super::conditions::ConditionArgs;
use super::console::with_lab;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Name of the experiment; without it, all experiments are listed.
    #[arg(value_name = "NAME")]
    name: Option<String>,
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
    let plan = Plan::find(name)?;
    let conditions = args.conditions.into();
    let experiment = with_lab(args.jobs, |lab| {
        Ok(lab.experiment(plan, &args.web, &args.tasks, &conditions)?)
    })?;
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
