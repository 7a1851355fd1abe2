//! `hound lab learn-pig`: counts, on a recorded web, where links lead from pages of each relevance and genre.

use std::path::PathBuf;

use anyhow::{Context, Result};
use scenthound_lab::JudgeSpec;
use scenthound_lab::pig::{by_genre, share};
use scenthound_strategy::{Leads, PigTable};
use serde_json::json;

use super::console::with_lab;
use crate::fault::bad_input;
use crate::stdout;
use crate::table::{Align, Table, terminal_width};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// A web folder with an archive and tasks.toml, or synth:NAME.
    #[arg(long, value_name = "FOLDER")]
    web: PathBuf,
    /// Names of tasks, comma-separated, or `all`; their counts are added up.
    #[arg(long, value_name = "NAME", default_value = "all", value_delimiter = ',')]
    task: Vec<String>,
    /// The judge; `truth` uses the labels, `default` is the task's own (terms, or logistic).
    #[arg(long, value_name = "NAME", default_value = "default")]
    judge: JudgeSpec,
    /// Genre detector: a model file, or one of the built-in detectors genre and genre-9.
    #[arg(long, value_name = "FILE|NAME", default_value = "genre")]
    detector: String,
    /// Write the table to this file.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let mut table = PigTable::new();
    let mut names = Vec::new();
    let mut web_name = String::new();
    with_lab(None, |lab| {
        for trial in lab.open(&args.web, &args.task)? {
            lab.count_leads(&trial, &args.judge, &args.detector, &mut table)?;
            web_name = trial.web_name;
            names.push(trial.task.name);
        }
        Ok(())
    })?;
    if names.is_empty() {
        return Err(bad_input(format!(
            "{} has no tasks; add a tasks.toml",
            args.web.display()
        )));
    }
    if let Some(path) = &args.output {
        std::fs::write(path, table.to_toml())
            .with_context(|| format!("could not write {}", path.display()))?;
    }
    if args.json {
        let rows: Vec<_> = table
            .iter()
            .map(|(class, leads)| {
                json!({
                    "source": if class.is_relevant { "relevant" } else { "irrelevant" },
                    "genre": class.genre.as_deref().unwrap_or("all"),
                    "links": leads.links,
                    "relevant": leads.relevant,
                    "share": share(&leads),
                })
            })
            .collect();
        say!("{}", json!({"web": web_name, "tasks": names, "rows": rows}));
        return Ok(());
    }
    stdout::write(|out| {
        writeln!(out, "{web_name} · {}", names.join(", "))?;
        write_table(out, &table)?;
        Ok(())
    })
}

fn write_table(out: &mut dyn std::io::Write, table: &PigTable) -> Result<()> {
    let mut shown = Table::new(&[
        ("genre", Align::Left),
        ("links on relevant", Align::Right),
        ("P_IG %", Align::Right),
        ("links on irrelevant", Align::Right),
        ("P_IG %", Align::Right),
        ("paper: gaming", Align::Right),
        ("baseball", Align::Right),
    ]);
    for row in by_genre(table) {
        let percent =
            |leads: &Leads| share(leads).map_or("–".to_owned(), |share| format!("{:.1}", 100.0 * share));
        let pair = |[relevant, irrelevant]: [f64; 2]| format!("{relevant:.1} / {irrelevant:.1}");
        shown.row(
            vec![
                row.genre,
                format!("{:.0}", row.from_relevant.links),
                percent(&row.from_relevant),
                format!("{:.0}", row.from_irrelevant.links),
                percent(&row.from_irrelevant),
                row.paper.map_or("–".to_owned(), |paper| pair(paper.gaming)),
                row.paper.map_or("–".to_owned(), |paper| pair(paper.baseball)),
            ],
            Vec::new(),
        );
    }
    shown.write(out, terminal_width())?;
    Ok(())
}
