//! `hound lab experiment`: the tables and figures of the papers, made again here, beside theirs.
//!
//! The papers' webs are gone, so what can be compared is the shape: who is ahead of whom, and by about how much. Each
//! experiment runs on any web with tasks; without one it takes a synthetic web of the paper's size.

mod judging;
mod layers;
mod measure;
mod ordering;
mod paper4;

use std::path::PathBuf;

use anyhow::{Context, Result};
use scenthound_report::Experiment;

use self::measure::Bench;
use super::compare::open_all;
use super::runs::Conditions;
use crate::pages_input::bad_input;

/// An experiment by name.
struct Plan {
    name: &'static str,
    about: &'static str,
    /// The web it runs on unless another is named.
    web: &'static str,
    run: fn(&Bench) -> Result<Experiment>,
}

const PLANS: &[Plan] = &[
    Plan {
        name: "paper1-thresholds",
        about: "F1 by similarity threshold: separate and joint terms, with and without idf, against SVM-RBF",
        web: "synth:paper1-60k",
        run: judging::thresholds,
    },
    Plan {
        name: "paper1-fewer-terms",
        about: "best F1 with 100, 75, 50 and 25 % of the genre and of the content terms",
        web: "synth:paper1-60k",
        run: judging::fewer_terms,
    },
    Plan {
        name: "paper1-generated",
        about: "best F1 with 40, 30, 20 and 10 generated terms",
        web: "synth:paper1-60k",
        run: judging::generated,
    },
    Plan {
        name: "paper1-policies",
        about: "the five queueing policies, merging by set and by max",
        web: "synth:paper1-60k",
        run: ordering::policies,
    },
    Plan {
        name: "paper1-coverage",
        about: "relevant pages against visited pages; visits per relevant page; the SVM baseline",
        web: "synth:paper1-60k",
        run: ordering::coverage,
    },
    Plan {
        name: "paper2-weights",
        about: "area under the coverage curve by the weight of relevance, 1 to 0 in steps of 0.05",
        web: "synth:paper2-gaming",
        run: ordering::weights,
    },
    Plan {
        name: "paper2-harvest",
        about: "harvest rate of best-first and of genre-weighted links, at most 300 pages a host",
        web: "synth:paper2-gaming",
        run: ordering::genre_harvest,
    },
    Plan {
        name: "paper3-recall",
        about: "target recall and harvest rate: breadth-first, link-context, OPIC, OTIE",
        web: "synth:paper3",
        run: ordering::cash_recall,
    },
    Plan {
        name: "paper3-parameters",
        about: "OTIE's revision (a) and its power (d)",
        web: "synth:paper3",
        run: ordering::cash_parameters,
    },
    Plan {
        name: "paper3-time",
        about: "running time under politeness: list of 50, 30 workers, a delay for each host",
        web: "synth:paper3",
        run: ordering::cash_time,
    },
    Plan {
        name: "paper4-concurrency",
        about: "virtual time and precision by the number of requests an agent may have out, 1 to 12",
        web: "synth:paper4",
        run: paper4::concurrency,
    },
    Plan {
        name: "paper4-agents",
        about: "three agents against one with all the seeds: precision, and how many hosts they come to",
        web: "synth:paper4",
        run: paper4::agents,
    },
    Plan {
        name: "paper4-table",
        about: "how many words the table should have, and whether it should grow",
        web: "synth:paper4",
        run: paper4::table,
    },
    Plan {
        name: "paper4-genre",
        about: "links scored by kinds of pages, by the table, by their sum and by weighted means",
        web: "synth:paper4-genre",
        run: paper4::genre,
    },
    Plan {
        name: "paper4-disambiguation",
        about: "irrelevant pages among the first 1,000, with and without words of the wrong sense",
        web: "synth:paper4-ambiguous",
        run: paper4::disambiguation,
    },
    Plan {
        name: "paper5-small",
        about: "a small, loose topic: on-topic pages by pages fetched, breadth-first, context graph, layered queues",
        web: "synth:paper5-small",
        run: layers::small,
    },
    Plan {
        name: "paper5-large",
        about: "a large, dense topic: the same",
        web: "synth:paper5-large",
        run: layers::large,
    },
];

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which; without one, they are listed.
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// The webs, in place of the experiment's own; may be given several times.
    #[arg(long, value_name = "FOLDER", num_args = 1..)]
    web: Vec<PathBuf>,
    /// Which tasks, by name, comma-separated.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "all")]
    tasks: Vec<String>,
    #[command(flatten)]
    conditions: Conditions,
    /// Threads [default: one a core].
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Write a self-contained page with plots.
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
    let plan = PLANS.iter().find(|plan| plan.name == name).ok_or_else(|| {
        let known: Vec<&str> = PLANS.iter().map(|plan| plan.name).collect();
        bad_input(format!(
            "there is no experiment {name:?}; there are: {}",
            known.join(", ")
        ))
    })?;
    let webs = match args.web.as_slice() {
        [] => vec![PathBuf::from(plan.web)],
        given => given.to_vec(),
    };
    let bench = Bench {
        trials: open_all(&webs, &args.tasks)?,
        conditions: args.conditions.clone(),
        threads: args.jobs,
        shortfall: Default::default(),
    };
    let mut experiment = (plan.run)(&bench)?;
    let names: Vec<String> = webs.iter().map(|web| web.display().to_string()).collect();
    let tasks: Vec<&str> = bench
        .trials
        .iter()
        .map(|trial| trial.task.name.as_str())
        .collect();
    experiment = experiment
        .setting("webs", names.join(", "))
        .setting("tasks", tasks.join(", "))
        .setting("seed", args.conditions.seed.to_string());
    if let Some(shortfall) = bench.shortfall.lock().ok().and_then(|mut known| known.take()) {
        note!("{shortfall}");
        experiment = experiment.note(shortfall);
    }
    if let Some(path) = &args.output {
        std::fs::write(path, experiment.page().html())
            .with_context(|| format!("{} cannot be written", path.display()))?;
        note!("report written to {}", path.display());
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
