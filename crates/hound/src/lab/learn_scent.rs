//! `hound lab learn-scent`: learns the weights that the strategy scent starts with.

use std::path::PathBuf;

use anyhow::{Context, Result};
use scenthound_lab::JudgeSpec;
use scenthound_lab::learn_scent::LearntScent;
use scenthound_strategy::ScentPrior;

use super::console::with_lab;
use crate::stdout;
use crate::table::{Align, Table};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Web folders with an archive and tasks.toml, or synth:NAME; may be repeated.
    #[arg(long, value_name = "FOLDER", required = true, num_args = 1..)]
    web: Vec<PathBuf>,
    /// Names of tasks, comma-separated; `all` for every task.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "all")]
    tasks: Vec<String>,
    /// Judges, comma-separated; `default` is the task's own (terms, or logistic).
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "default")]
    judges: Vec<JudgeSpec>,
    /// How strongly the weights are held to those the crawls start with.
    #[arg(long, value_name = "NUMBER", default_value_t = 0.01)]
    strength: f64,
    /// Start with the weights in this file instead of the built-in ones.
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,
    /// Write the weights to this file.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub fn run(args: Args) -> Result<()> {
    let start = match &args.start {
        None => ScentPrior::default(),
        Some(path) => {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("could not read {}", path.display()))?;
            ScentPrior::from_text(&text).with_context(|| path.display().to_string())?
        }
    };
    let learnt = with_lab(None, |lab| {
        let trials = lab.open_all(&args.web, &args.tasks)?;
        Ok(lab.learn_scent(&trials, &args.judges, &start, args.strength)?)
    })?;
    if let Some(path) = &args.output {
        std::fs::write(path, file_text(&learnt))
            .with_context(|| format!("could not write {}", path.display()))?;
    }
    stdout::write(|out| {
        if args.output.is_none() {
            write!(out, "{}", file_text(&learnt))?;
        }
        if learnt.held_out.is_empty() {
            return Ok(());
        }
        writeln!(out, "\nMean auc30 on each web with weights learnt on the others:")?;
        let mut table = Table::new(&[
            ("web", Align::Left),
            ("crawls", Align::Right),
            ("breadth-first", Align::Right),
            ("before", Align::Right),
            ("learnt", Align::Right),
        ]);
        for web in &learnt.held_out {
            let figure = |auc: f64| format!("{auc:.3}");
            table.row(
                vec![
                    web.web.clone(),
                    web.crawls.to_string(),
                    figure(web.breadth_first),
                    figure(web.before),
                    figure(web.after),
                ],
                Vec::new(),
            );
        }
        crate::table::show(&table, out)?;
        Ok(())
    })
}

/// The weights with a comment on where they come from.
fn file_text(learnt: &LearntScent) -> String {
    format!(
        "# The weights that the strategy scent starts with, one per part of a link's score.\n\
         # Learnt by hound lab learn-scent from {} visits.\n{}",
        learnt.visits,
        learnt.prior.to_text()
    )
}
