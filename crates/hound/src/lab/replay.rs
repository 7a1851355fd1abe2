//! `hound lab replay`: one strategy on one task.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::{Context, Result};
use scenthound_lab::{Conditions, JudgeSpec, Outcome, RankedBy, StrategySpec, Trial};
use serde_json::json;

use super::conditions::ConditionArgs;
use super::console::with_lab;
use super::webs::spinner;
use crate::fault::bad_input;

/// How many of the hundreds of ranks are printed; the JSON has all of them.
const RANKS_SHOWN: usize = 6;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// A web folder with an archive and tasks.toml, a WARC file, a crawl folder, or synth:NAME.
    #[arg(long, value_name = "FOLDER")]
    web: PathBuf,
    /// Name of the task.
    #[arg(long, value_name = "NAME", required_unless_present = "topic")]
    task: Option<String>,
    /// For a web without tasks: a topic file with seeds and terms. The pages that its judge calls relevant are the ones to find.
    #[arg(long, value_name = "FILE.toml", conflicts_with = "task")]
    topic: Option<PathBuf>,
    /// The strategy, with its settings: NAME or NAME:setting=value…
    #[arg(long, value_name = "NAME", default_value = "best-first")]
    strategy: StrategySpec,
    /// The judge; `truth` uses the labels, `default` is the task's own (terms, or logistic).
    #[arg(long, value_name = "NAME", default_value = "default")]
    judge: JudgeSpec,
    #[command(flatten)]
    conditions: ConditionArgs,
    /// Write the visited URLs to this file, in order.
    #[arg(long, value_name = "FILE")]
    order: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let conditions = Conditions::from(args.conditions);
    let (trial, judge, outcome, seconds) = with_lab(None, |lab| {
        let trial = match &args.topic {
            Some(topic) => lab.open_for_topic(&args.web, topic)?,
            None => {
                let name: Vec<String> = args.task.iter().cloned().collect();
                let trials = lab.open(&args.web, &name)?;
                trials.into_iter().next().ok_or_else(|| {
                    bad_input(format!(
                        "{} has no tasks; name a topic file with --topic",
                        args.web.display()
                    ))
                })?
            }
        };
        let named = lab.judge(&trial, &args.judge)?;
        let bar = spinner("crawling");
        let (outcome, seconds) = lab.crawl(
            &trial,
            &args.strategy,
            &args.judge,
            named.judge.as_ref(),
            &conditions,
            &mut |pages| {
                if pages.is_multiple_of(500) {
                    bar.set_message(format!("crawling: {pages} of {} pages", trial.targets.reachable));
                    bar.tick();
                }
                ControlFlow::Continue(())
            },
        )?;
        bar.finish_and_clear();
        Ok((trial, named.label, outcome, seconds))
    })?;
    if let Some(path) = &args.order {
        write_order(path, &trial, &outcome).with_context(|| format!("could not write {}", path.display()))?;
    }
    if args.json {
        let object = object(&trial, &args.strategy, &judge, &conditions, &outcome, seconds);
        say!("{object}");
    } else {
        print(&trial, &args.strategy, &judge, &outcome, seconds);
    }
    if outcome.agents.len() < usize::from(conditions.agents) {
        note!(
            "note: only {} of {} agents have a seed; the task has no more seeds to assign",
            outcome.agents.len(),
            conditions.agents
        );
    }
    Ok(())
}

fn write_order(path: &PathBuf, trial: &Trial, outcome: &Outcome) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for page in &outcome.order {
        writeln!(file, "{}", trial.web.spelled(*page))?;
    }
    file.flush()
}

/// The result as one JSON object.
fn object(
    trial: &Trial,
    strategy: &StrategySpec,
    judge: &str,
    conditions: &Conditions,
    outcome: &Outcome,
    seconds: f64,
) -> serde_json::Value {
    let score = &outcome.score;
    json!({
        "web": trial.web_name,
        "task": trial.task.name,
        "strategy": strategy.to_string(),
        "judge": judge,
        "settings": {
            "budget": trial.budget(conditions.budget()),
            "delay": conditions.delay.as_secs_f64(),
            "workers": conditions.workers,
            "nodes": conditions.nodes,
            "latency": conditions.latency.as_secs_f64(),
            "list_size": conditions.list_size,
            "depth": conditions.depth,
            "site_depth": conditions.site_depth,
            "width": conditions.width,
            "max_pages_per_host": conditions.max_pages_per_host,
            "robots": conditions.robots,
            "seed": conditions.seed,
        },
        "reachable": trial.targets.reachable,
        "relevant_total": trial.targets.relevant_total,
        "relevant_reachable": trial.targets.relevant_reachable.len(),
        "fetched": score.fetched,
        "found": score.found,
        "not_recorded": outcome.not_recorded,
        "auc30": score.auc30,
        "auc100": score.auc100,
        "harvest_5": score.harvest_5,
        "harvest_10": score.harvest_10,
        "harvest_20": score.harvest_20,
        "visits_for_90": score.visits_for_90,
        "target_recall": score.target_recall,
        "precision": outcome.verdicts.precision,
        "recall": score.recall,
        "f1": outcome.verdicts.f1,
        "ranked_by": outcome.ranked_by,
        "share_by_rank": outcome.share_by_rank,
        "agents": outcome
            .agents
            .iter()
            .map(|agent| json!({
                "name": agent.name, "seeds": agent.seeds.len(), "pages": agent.pages, "relevant": agent.relevant,
                "waiting": agent.waiting, "state": agent.state.name(),
            }))
            .collect::<Vec<_>>(),
        "virtual_seconds": outcome.virtual_seconds,
        "seconds": seconds,
    })
}

fn print(trial: &Trial, strategy: &StrategySpec, judge: &str, outcome: &Outcome, seconds: f64) {
    let score = &outcome.score;
    let targets = &trial.targets;
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    say!(
        "{} · {}: {} with judge {judge}",
        trial.web_name,
        trial.task.name,
        strategy
    );
    say!(
        "  reachable {} pages, {} of {} relevant ones",
        targets.reachable,
        targets.relevant_reachable.len(),
        targets.relevant_total
    );
    say!(
        "  fetched {} pages, found {} ({} of the reachable); {} URLs were not recorded",
        score.fetched,
        score.found,
        percent(score.recall),
        outcome.not_recorded
    );
    say!("  auc30 {:.3}   auc100 {:.3}", score.auc30, score.auc100);
    say!(
        "  harvest after 5/10/20 % of the pages: {} / {} / {}",
        percent(score.harvest_5),
        percent(score.harvest_10),
        percent(score.harvest_20)
    );
    if let Some(share) = score.visits_for_90 {
        say!(
            "  90 % of the relevant pages found after {} of the visits",
            percent(share)
        );
    }
    let by_rank: Vec<String> = outcome
        .share_by_rank
        .iter()
        .take(RANKS_SHOWN)
        .map(|(first, share)| format!("{first}: {}", percent(*share)))
        .collect();
    say!(
        "  on topic among the hundred ranks from ({}): {}",
        match outcome.ranked_by {
            RankedBy::Relevance => "by relevance",
            RankedBy::Layer => "by layer-0 posterior, then similarity to the targets",
        },
        by_rank.join(", ")
    );
    say!(
        "  judge: precision {:.3}, F1 {:.3} over the pages fetched",
        outcome.verdicts.precision,
        outcome.verdicts.f1
    );
    if outcome.agents.len() > 1 {
        for agent in &outcome.agents {
            say!(
                "  {}: {} pages, {} of them relevant to the judge; {}",
                agent.name,
                agent.pages,
                agent.relevant,
                agent.state.name()
            );
        }
    }
    say!(
        "  virtual time {:.0} s; took {seconds:.2} s ({:.0} pages/s)",
        outcome.virtual_seconds,
        score.fetched as f64 / seconds.max(1e-9)
    );
}
