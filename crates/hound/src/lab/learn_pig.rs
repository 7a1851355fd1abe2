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
use crate::table::{Align, Table};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// A web folder with an archive and tasks.toml, a crawl folder, or synth:NAME.
    #[arg(long, value_name = "FOLDER", required_unless_present = "learnt")]
    web: Option<PathBuf>,
    /// For a web without tasks, such as your own crawl: a topic file. Pages that its judge calls relevant count as relevant.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["task", "judge"])]
    topic: Option<PathBuf>,
    /// Count nothing; show the table that a crawl with the strategy genre has learnt.
    #[arg(long, value_name = "CRAWL", conflicts_with_all = ["web", "topic", "task", "judge", "detector"])]
    learnt: Option<PathBuf>,
    /// Names of tasks, comma-separated, or `all`; their counts are added up.
    #[arg(long, value_name = "NAME", default_value = "all", value_delimiter = ',')]
    task: Vec<String>,
    /// The judge; `truth` uses the labels, `default` is the task's own (terms, or logistic).
    #[arg(long, value_name = "NAME", default_value = "default")]
    judge: JudgeSpec,
    /// Genre detector: a model file, or the built-in detector genre.
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
    if let Some(folder) = &args.learnt {
        let Some(learnt) = scenthound::Collection::open(folder)?.link_table()? else {
            return Err(bad_input(format!(
                "{} has learnt no table; only crawls with the strategy genre do",
                folder.display()
            )));
        };
        table = learnt;
        web_name = folder.display().to_string();
        names.push("learnt during the crawl".to_owned());
    } else if let Some(web) = &args.web {
        with_lab(None, |lab| {
            let (trials, judge) = match &args.topic {
                Some(topic) => (vec![lab.open_to_look_at(web, topic)?], "truth".parse()?),
                None => (lab.open(web, &args.task)?, args.judge.clone()),
            };
            for trial in trials {
                lab.count_leads(&trial, &judge, &args.detector, &mut table)?;
                web_name = trial.web_name;
                names.push(trial.task.name);
            }
            Ok(())
        })?;
        if names.is_empty() {
            return Err(bad_input(format!(
                "{} has no tasks; name a topic file with --topic, or add a tasks.toml",
                web.display()
            )));
        }
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
    crate::table::show(&shown, out)?;
    Ok(())
}
