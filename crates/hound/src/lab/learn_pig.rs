//! `hound lab learn-pig`: where the links of pages of each relevance and genre lead, counted on a recorded web.
//!
//! Counted are distinct pairs of a page and a recorded page it links to, through redirects, without links to itself.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context, Result};
use scenthound_lab::Trial;
use scenthound_lab::recorded::PageId;
use scenthound_strategy::{Leads, LinkClass, PigTable};
use scenthound_types::Verdict;
use serde_json::json;

use super::genres::Genres;
use super::{runs, webs};
use crate::pages_input::bad_input;
use crate::stdout;
use crate::table::{Align, Table, terminal_width};
use scenthound_config::Spec;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The web: a folder with an archive and tasks.toml, or synth:NAME.
    #[arg(long, value_name = "FOLDER")]
    web: PathBuf,
    /// Which of its tasks; several or all are counted one by one and added up.
    #[arg(long, value_name = "NAME", default_value = "all", value_delimiter = ',')]
    task: Vec<String>,
    /// How pages are judged; `truth` answers from the labels [default: terms if the task has them, else logistic].
    #[arg(long, value_name = "NAME")]
    judge: Option<Spec>,
    /// Detect genres with this model, or genre-9 or genre for those that come with the program.
    #[arg(long, value_name = "FILE|NAME", default_value = "genre")]
    detector: String,
    /// The file to write.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// The paper's tables: genre, then shares from relevant and irrelevant sources for gaming and for baseball, in percent.
const PAPER: [(&str, [f64; 4]); 6] = [
    ("blog", [89.2, 10.9, 76.4, 3.3]),
    ("image", [70.1, 2.7, 36.7, 1.5]),
    ("news", [71.2, 2.3, 52.7, 4.6]),
    ("video", [64.7, 0.3, 69.5, 1.8]),
    ("other", [87.3, 1.1, 23.6, 0.4]),
    ("all", [82.9, 1.9, 57.6, 2.6]),
];

pub fn run(args: Args) -> Result<()> {
    let trials = webs::open(&args.web, &args.task)?;
    let mut table = PigTable::new();
    let mut names = Vec::new();
    let web_name = trials
        .first()
        .map_or_else(String::new, |trial| trial.web_name.clone());
    for trial in &trials {
        count(trial, &args, &mut table)?;
        names.push(trial.task.name.clone());
    }
    if names.is_empty() {
        return Err(bad_input(format!("{} has no task", args.web.display())));
    }
    if let Some(path) = &args.output {
        std::fs::write(path, table.to_toml())
            .with_context(|| format!("{} cannot be written", path.display()))?;
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

fn share(leads: &Leads) -> Option<f64> {
    (leads.links > 0.0).then(|| leads.relevant / leads.links)
}

/// Counts the links of one trial.
fn count(trial: &Trial, args: &Args, table: &mut PigTable) -> Result<()> {
    let judge = runs::judge(trial, args.judge.as_ref())?.judge;
    let genres = Genres::shared(trial, &args.detector, || {
        Ok(scenthound_config::genre_detector(&args.detector)?)
    })?;
    let web = trial.web.as_ref();
    let bar = webs::spinner("judging");
    let pages = web.pages() as u32;
    let mut is_relevant = Vec::with_capacity(pages as usize);
    for page in (0..pages).map(PageId) {
        if page.0.is_multiple_of(200) {
            bar.set_message(format!("{}: {} of {pages} pages judged", trial.task.name, page.0));
            bar.tick();
        }
        is_relevant.push(judge.opinion(web, page, false).judgement.is_relevant());
    }
    bar.finish_and_clear();
    let relevant = |page: PageId| is_relevant.get(page.0 as usize).copied().unwrap_or(false);
    let mut neighbours = Vec::new();
    for page in (0..pages).map(PageId) {
        neighbours.clear();
        web.neighbours(page, &mut neighbours);
        let distinct: BTreeSet<PageId> = neighbours
            .iter()
            .copied()
            .filter(|other| *other != page)
            .collect();
        if distinct.is_empty() {
            continue;
        }
        let verdict = if relevant(page) {
            Verdict::Relevant
        } else {
            Verdict::Irrelevant
        };
        let genre = genres.of(web, page);
        let class = LinkClass::new(verdict, genre.as_ref().map(|guess| &*guess.class));
        for other in distinct {
            table.count(&class, relevant(other));
        }
    }
    Ok(())
}

fn write_table(out: &mut dyn std::io::Write, table: &PigTable) -> Result<()> {
    let of = |is_relevant: bool, genre: &str| -> Leads {
        table
            .iter()
            .find(|(class, _)| {
                class.is_relevant == is_relevant && class.genre.as_deref().unwrap_or("all") == genre
            })
            .map(|(_, leads)| leads)
            .unwrap_or_default()
    };
    let mut genres: BTreeSet<String> = table
        .iter()
        .filter_map(|(class, _)| class.genre.map(String::from))
        .collect();
    genres.extend(PAPER.iter().map(|(genre, _)| (*genre).to_owned()));
    genres.remove("all");
    let mut shown = Table::new(&[
        ("genre", Align::Left),
        ("links on relevant", Align::Right),
        ("P_IG %", Align::Right),
        ("links on irrelevant", Align::Right),
        ("P_IG %", Align::Right),
        ("paper: gaming", Align::Right),
        ("baseball", Align::Right),
    ]);
    for genre in genres.iter().map(String::as_str).chain(["all"]) {
        let (from_relevant, from_irrelevant) = (of(true, genre), of(false, genre));
        let percent =
            |leads: &Leads| share(leads).map_or("–".to_owned(), |share| format!("{:.1}", 100.0 * share));
        let paper = PAPER
            .iter()
            .find(|(known, _)| *known == genre)
            .map(|(_, shares)| *shares);
        let pair = |first: usize| {
            paper.map_or("–".to_owned(), |shares| {
                let at = |place: usize| shares.get(place).copied().unwrap_or(0.0);
                format!("{:.1} / {:.1}", at(first), at(first + 1))
            })
        };
        shown.row(
            vec![
                genre.to_owned(),
                format!("{:.0}", from_relevant.links),
                percent(&from_relevant),
                format!("{:.0}", from_irrelevant.links),
                percent(&from_irrelevant),
                pair(0),
                pair(2),
            ],
            Vec::new(),
        );
    }
    shown.write(out, terminal_width())?;
    Ok(())
}
