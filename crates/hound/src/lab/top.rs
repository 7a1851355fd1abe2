//! `hound lab top`: what a new user gets from words and one seed.

use std::path::PathBuf;

use anyhow::Result;
use scenthound_lab::{JudgeSpec, StrategySpec, TopResults};
use serde_json::json;

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
    /// The judge, with its settings.
    #[arg(long, value_name = "NAME", default_value = "topic")]
    judge: JudgeSpec,
    /// Pages to fetch from each seed.
    #[arg(long, value_name = "N", default_value_t = 300)]
    pages: u64,
    /// How many of the best results are looked at.
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// Also list this many of them, wrong ones marked.
    #[arg(long, value_name = "N", default_value_t = 0)]
    show: usize,
    /// Number of threads [default: one per core].
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Print one JSON object per crawl.
    #[arg(long)]
    json: bool,
}

/// The results of one task.
struct Row {
    web: String,
    task: String,
    results: Vec<TopResults>,
}

pub fn run(args: Args) -> Result<()> {
    let rows = with_lab(args.jobs, |lab| {
        let trials = lab.open_all(&args.web, &args.tasks)?;
        let next = std::sync::atomic::AtomicUsize::new(0);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let work = || -> Result<Vec<(usize, Row)>, scenthound_lab::LabError> {
            let mut rows = Vec::new();
            loop {
                let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let Some(trial) = trials.get(at) else {
                    return Ok(rows);
                };
                let results = lab.top_results(trial, &args.strategy, &args.judge, args.pages, args.top)?;
                rows.push((
                    at,
                    Row {
                        web: trial.web_name.clone(),
                        task: trial.task.name.clone(),
                        results,
                    },
                ));
            }
        };
        let mut rows = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..args.jobs.unwrap_or(cores).max(1))
                .map(|_| scope.spawn(work))
                .collect();
            let mut rows = Vec::new();
            for thread in threads {
                match thread.join() {
                    Ok(done) => rows.extend(done?),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            Ok::<_, scenthound_lab::LabError>(rows)
        })?;
        rows.sort_by_key(|(at, _)| *at);
        Ok(rows.into_iter().map(|(_, row)| row).collect::<Vec<Row>>())
    })?;
    if args.json {
        for row in &rows {
            for result in &row.results {
                let best: Vec<_> = result
                    .best
                    .iter()
                    .map(|page| json!({"url": page.url, "relevance": page.relevance, "right": page.is_right}))
                    .collect();
                let object = json!({
                    "web": row.web, "task": row.task, "seed": result.seed.as_str(),
                    "fetched": result.fetched, "right": result.right,
                    "called": result.called, "called_right": result.called_right,
                    "right_among_best": result.right_among_best(), "best": best,
                });
                say!("{object}");
            }
        }
        return Ok(());
    }
    print(&args, &rows)
}

fn print(args: &Args, rows: &[Row]) -> Result<()> {
    let mut table = Table::new(&[
        ("web", Align::Left),
        ("task", Align::Left),
        ("seed", Align::Cut),
        ("fetched", Align::Right),
        ("right", Align::Right),
        ("called relevant", Align::Right),
        ("right", Align::Right),
        ("right among the best", Align::Right),
    ])
    .with_rule();
    for row in rows {
        for result in &row.results {
            let mut below = Vec::new();
            for page in result.best.iter().take(args.show) {
                let sign = if page.is_right { ' ' } else { '✗' };
                below.push(format!("  {sign} {:.3} {}", page.relevance, page.url));
            }
            table.row(
                vec![
                    row.web.clone(),
                    row.task.clone(),
                    result.seed.as_str().to_owned(),
                    result.fetched.to_string(),
                    result.right.to_string(),
                    result.called.to_string(),
                    result.called_right.to_string(),
                    format!("{} of {}", result.right_among_best(), result.best.len()),
                ],
                below,
            );
        }
    }
    stdout::write(|out| Ok(crate::table::show(&table, out)?))?;
    // Crawls from the seeds of one task are alike, so tasks are what the error is computed over.
    let of_task = |row: &Row| {
        let share = |result: &TopResults| result.right_among_best() as f64 / result.best.len().max(1) as f64;
        row.results.iter().map(share).sum::<f64>() / row.results.len().max(1) as f64
    };
    for rows in rows.chunk_by(|a, b| a.web == b.web) {
        let shares: Vec<f64> = rows.iter().map(of_task).collect();
        let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
        let squares: f64 = shares.iter().map(|share| (share - mean).powi(2)).sum();
        let error = (squares / (shares.len().max(2) - 1) as f64 / shares.len() as f64).sqrt();
        let web = rows.first().map_or("", |row| row.web.as_str());
        say!(
            "{web}: {:.3} ± {error:.3} of the best {} are right, mean over {} tasks",
            mean,
            args.top,
            shares.len()
        );
    }
    Ok(())
}
