//! `hound lab judges`: judges on labelled webs, without crawling.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use scenthound_lab::{JudgeSpec, JudgesSettings, Seen, SourceSpec};
use scenthound_report::Experiment;

use super::console::with_lab;
use crate::fault::bad_input;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Web folders with an archive and tasks.toml, or synth:NAME; may be repeated.
    #[arg(long, value_name = "FOLDER", required = true, num_args = 1..)]
    web: Vec<PathBuf>,
    /// Names of tasks, comma-separated; `all` for every task.
    #[arg(
        long,
        alias = "task",
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "all"
    )]
    tasks: Vec<String>,
    /// Judges, comma-separated, each with its settings: logistic,terms:joint=true
    #[arg(long, alias = "judge", value_name = "NAMES", value_delimiter = ',')]
    judges: Vec<JudgeSpec>,
    /// What to make judges from, comma-separated: query, terms, a number of positive examples, all, negatives, or
    /// sums such as query+10 or all+negatives [default: query,terms,1,3,10,all].
    #[arg(long, value_name = "SOURCES", value_delimiter = ',')]
    from: Vec<SourceSpec>,
    /// The unlabelled pages that judges may learn from: all, or breadth-first:N for the first N of a crawl.
    #[arg(long, value_name = "PAGES", default_value = "all")]
    seen: Seen,
    /// Also print the figures of every task.
    #[arg(long)]
    by_task: bool,
    /// Number of threads [default: one per core].
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Write a self-contained HTML page with learning curves.
    #[arg(short, long, value_name = "FILE.html")]
    output: Option<PathBuf>,
    /// Print everything as JSON, or write it to a file.
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    json: Option<PathBuf>,
}

pub fn run(args: Args) -> Result<()> {
    let mut settings = JudgesSettings {
        seen: args.seen,
        ..JudgesSettings::default()
    };
    if !args.judges.is_empty() {
        settings.judges = args.judges;
    }
    if !args.from.is_empty() {
        settings.sources = args.from;
    }
    let report = with_lab(args.jobs, |lab| {
        let trials = lab.open_all(&args.web, &args.tasks)?;
        Ok(lab.judges(&trials, &settings)?)
    })?;
    if report.rows.is_empty() {
        return Err(bad_input(
            "no judge can be made: terms and query need words (query, terms), the others need examples (1, 3, all); see --from",
        ));
    }
    if let Some(path) = &args.output {
        super::write_page(path, &report.experiment().page().html())?;
    }
    match args.json.as_deref() {
        Some(path) if path == Path::new("-") => say!("{}", report.json()),
        Some(path) => {
            std::fs::write(path, format!("{}\n", report.json()))
                .with_context(|| format!("could not write {}", path.display()))?;
            note!("figures written to {}", path.display());
        }
        None => {}
    }
    if args.json.as_deref() != Some(Path::new("-")) {
        let mut shown = Experiment::new(
            "Judges compared",
            "All pages of the webs, without examples and ignored pages.",
        )
        .table(report.means(), "Means over the tasks, ± standard error");
        if args.by_task {
            shown = shown.table(report.by_task(), "Every task");
        }
        for note in &report.notes {
            shown = shown.note(note.clone());
        }
        crate::stdout::say(shown.page().text().trim_end());
    }
    Ok(())
}
