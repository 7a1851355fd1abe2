//! `hound lab stops`: how often a crawl that stops by itself would have been right.

use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::Result;
use scenthound_engine::{Estimate, StopRules};
use scenthound_lab::{Conditions, JudgeSpec, Stop, StrategySpec, found_within, stop_of};
use serde_json::json;

use super::conditions::ConditionArgs;
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
    /// The strategy, with its settings.
    #[arg(long, value_name = "NAME", default_value = "scent")]
    strategy: StrategySpec,
    /// The judge; `default` is the task's own (terms, or logistic).
    #[arg(long, value_name = "NAME", default_value = "default")]
    judge: JudgeSpec,
    /// The floor to try: stop when recent pages bring less than this share of relevant ones.
    #[arg(long, value_name = "SHARE", default_value_t = 0.02)]
    least_yield: f64,
    /// The completeness to try: stop when this share of what can be found has been found.
    #[arg(long, value_name = "SHARE", default_value_t = 0.9)]
    enough: f64,
    #[command(flatten)]
    conditions: ConditionArgs,
    /// Number of threads [default: one per core].
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Print one JSON object per task.
    #[arg(long)]
    json: bool,
}

/// What one task shows.
struct Row {
    web: String,
    task: String,
    pages: u64,
    found: u64,
    by_yield: Option<Stop>,
    by_share: Option<Stop>,
    /// Pages that breadth-first is compared over, what it found, and what was expected of it.
    breadth_first: (u64, u64),
    expected: Option<Estimate>,
}

pub fn run(args: Args) -> Result<()> {
    let conditions = Conditions::from(args.conditions);
    let plain: StrategySpec = "breadth-first".parse()?;
    let rows = with_lab(args.jobs, |lab| {
        let mut rows = Vec::new();
        for trial in lab.open_all(&args.web, &args.tasks)? {
            let judge = lab.judge(&trial, &args.judge)?;
            let crawl = |strategy: &StrategySpec| {
                lab.crawl(
                    &trial,
                    strategy,
                    &args.judge,
                    judge.judge.as_ref(),
                    &conditions,
                    &mut |_| ControlFlow::Continue(()),
                )
            };
            let (outcome, _) = crawl(&args.strategy)?;
            let (other, _) = crawl(&plain)?;
            let pages = outcome.called_relevant.len() as u64;
            let half = pages / 2;
            rows.push(Row {
                web: trial.web_name.clone(),
                task: trial.task.name.clone(),
                pages,
                found: found_within(&outcome, usize::MAX),
                by_yield: stop_of(
                    &outcome,
                    StopRules {
                        least_yield: Some(args.least_yield),
                        enough: None,
                    },
                ),
                by_share: stop_of(
                    &outcome,
                    StopRules {
                        least_yield: None,
                        enough: Some(args.enough),
                    },
                ),
                breadth_first: (
                    half,
                    found_within(&other, usize::try_from(half).unwrap_or(usize::MAX)),
                ),
                expected: outcome.breadth_first.map(|known| known.found_in(half)),
            });
        }
        Ok(rows)
    })?;
    if args.json {
        for row in &rows {
            let stop = |stop: &Option<Stop>| {
                stop.map(|stop| {
                    json!({
                        "pages": stop.pages, "found": stop.found, "found_later": stop.found_later,
                        "share_found": stop.share_found(), "yield_later": stop.yield_later(),
                        "unfound": stop.outlook.unfound.map(|unfound| [unfound.low, unfound.value, unfound.high]),
                    })
                })
            };
            let object = json!({
                "web": row.web, "task": row.task, "pages": row.pages, "found": row.found,
                "least_yield": stop(&row.by_yield), "enough": stop(&row.by_share),
                "breadth_first": { "pages": row.breadth_first.0, "found": row.breadth_first.1 },
                "expected": row.expected.map(|found| [found.low, found.value, found.high]),
            });
            say!("{object}");
        }
        return Ok(());
    }
    let mut table = Table::new(&[
        ("web", Align::Left),
        ("task", Align::Cut),
        ("pages", Align::Right),
        ("found", Align::Right),
        ("floor: after", Align::Right),
        ("found", Align::Right),
        ("yield later", Align::Right),
        ("enough: after", Align::Right),
        ("found", Align::Right),
        ("left, at most", Align::Right),
        ("left", Align::Right),
        ("breadth-first", Align::Right),
        ("at most", Align::Right),
    ])
    .with_rule();
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    for row in &rows {
        let none = || "-".to_owned();
        let (by_yield, by_share) = (row.by_yield, row.by_share);
        let unfound = by_share.and_then(|stop| stop.outlook.unfound);
        table.row(
            vec![
                row.web.clone(),
                row.task.clone(),
                row.pages.to_string(),
                row.found.to_string(),
                by_yield.map_or_else(none, |stop| stop.pages.to_string()),
                by_yield.map_or_else(none, |stop| percent(stop.share_found())),
                by_yield.map_or_else(none, |stop| format!("{:.1} %", 100.0 * stop.yield_later())),
                by_share.map_or_else(none, |stop| stop.pages.to_string()),
                by_share.map_or_else(none, |stop| percent(stop.share_found())),
                unfound.map_or_else(none, |unfound| format!("{:.0}", unfound.high)),
                by_share.map_or_else(none, |stop| stop.found_later.to_string()),
                row.breadth_first.1.to_string(),
                row.expected.map_or_else(none, |found| {
                    format!("{:.0} ({:.0}–{:.0})", found.value, found.low, found.high)
                }),
            ],
            Vec::new(),
        );
    }
    stdout::write(|out| Ok(crate::table::show(&table, out)?))?;
    let right = |stops: &[Option<Stop>], is_right: &dyn Fn(&Stop) -> bool| {
        let stopped: Vec<&Stop> = stops.iter().flatten().collect();
        let right = stopped.iter().filter(|stop| is_right(stop)).count();
        format!(
            "stopped {} of {} crawls, {right} of them rightly",
            stopped.len(),
            stops.len()
        )
    };
    let by_yield: Vec<Option<Stop>> = rows.iter().map(|row| row.by_yield).collect();
    let by_share: Vec<Option<Stop>> = rows.iter().map(|row| row.by_share).collect();
    say!(
        "\nA floor of {}: {} (the rest of the crawl brought less than the floor).",
        args.least_yield,
        right(&by_yield, &|stop| stop.yield_later() < args.least_yield)
    );
    say!(
        "Enough at {}: {} (that share of what the whole crawl found was found).",
        args.enough,
        right(&by_share, &|stop| stop.share_found() >= args.enough)
    );
    say!("Breadth-first: what it found in half as many pages, and what the crawl itself let expect.");
    Ok(())
}
