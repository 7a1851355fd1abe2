//! `hound graph build`: a graph file out of everything that tells of links.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use indicatif::ProgressBar;
use scenthound_graph::{
    BadLines, GraphBuilder, GraphSummary, ListTally, Stage, read_numbered_edges, read_vertices,
};

use super::sources::{Source, Taken, told};
use crate::lab::webs::spinner;
use crate::pages_input::bad_input;
use crate::wording::{bytes, count, counted, time};

/// How often a plain line is written where no line can be redrawn.
const PLAIN_EVERY: Duration = Duration::from_secs(10);

#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound graph build my-crawl -o tea.graph
  hound graph build webs/university more.warc.gz links.tsv.gz -o web.graph
  hound graph build --vertices cc-vertices.txt.gz --edges cc-edges.txt.gz -o domains.graph
  hound graph build --vertices vertices/ --edges edges/ -o hosts.graph --memory 2000

A source is a crawl folder (also of a running crawl), a recorded web, a WARC file, or an edge
list: lines of two URLs with a tab between, plain or gzip. Common Crawl's host and domain graphs
come as vertices (number, reversed host name) and edges (number, number), in one file or many;
a folder stands for the files in it. Sources can be combined. Everything is read once, from front
to back; what does not fit into memory goes to files without names in the folder of the graph,
up to about the size of the unpacked names and 8 bytes a link.
A line that is no link ends it, and nothing is written; --skip-bad counts and passes over.
Exit codes: 0 done, 1 failure, 4 bad input.")]
pub struct Args {
    /// Crawl folders, web folders, WARC files and edge lists.
    #[arg(value_name = "SOURCE", required_unless_present = "vertices")]
    sources: Vec<PathBuf>,
    /// Common Crawl's vertices: files, or folders of them.
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "edges")]
    vertices: Vec<PathBuf>,
    /// Common Crawl's edges between these vertices: files, or folders of them.
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "vertices")]
    edges: Vec<PathBuf>,
    /// The graph file to write.
    #[arg(short, long, value_name = "GRAPH")]
    output: PathBuf,
    /// Count lines that are no links and pass over them.
    #[arg(long)]
    skip_bad: bool,
    /// Memory to work in, about, in MB. Less makes it slower, not other.
    #[arg(long, value_name = "MB", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    memory: u32,
    /// Write over a file that is there.
    #[arg(long)]
    force: bool,
}

/// Tells people how far it is: one line on a terminal, a line now and then elsewhere.
pub struct Waiting {
    bar: Option<ProgressBar>,
    last: Instant,
}

impl Waiting {
    pub fn new() -> Waiting {
        Waiting {
            bar: std::io::stderr().is_terminal().then(|| spinner("")),
            last: Instant::now(),
        }
    }

    pub fn tell(&mut self, text: String) {
        match &self.bar {
            Some(bar) => {
                bar.set_message(text);
                bar.tick();
            }
            None if self.last.elapsed() >= PLAIN_EVERY => {
                note!("{text}");
                self.last = Instant::now();
            }
            None => {}
        }
    }

    pub fn stage(&mut self, stage: Stage) {
        let (what, done, all) = match stage {
            Stage::Names { done, all } => ("names", done, all),
            Stage::Links { done, all } => ("links", done, all),
        };
        self.tell(format!(
            "putting {what} in order: {} of {}",
            count(done),
            count(all)
        ));
    }

    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

pub fn run(args: &Args) -> Result<()> {
    let begun = Instant::now();
    if args.output.exists() && !args.force {
        return Err(bad_input(format!(
            "{} is there already; --force writes over it",
            args.output.display()
        )));
    }
    let bad = if args.skip_bad {
        BadLines::Skip
    } else {
        BadLines::Refuse
    };
    // Every name is understood before the first is read: a slip in the last one costs nothing.
    let mut sources = Vec::new();
    for path in &args.sources {
        sources.extend(Source::of(path)?);
    }
    let vertices = parts(&args.vertices)?;
    let edges = parts(&args.edges)?;

    let mut waiting = Waiting::new();
    let mut builder =
        GraphBuilder::new(folder_of(&args.output), (args.memory as usize) << 20).map_err(told)?;
    let mut all = Taken::default();
    for source in &sources {
        let taken = source.gather(&mut builder, bad, &mut |text| waiting.tell(text))?;
        all.pages += taken.pages;
        all.lines += taken.lines;
        all.skipped += taken.skipped;
    }
    for path in &vertices {
        let tally =
            read_vertices(path, &mut builder, bad, &mut told_lines(path, &mut waiting)).map_err(told)?;
        add(&mut all, &tally);
    }
    let mut graph = builder
        .name_all(&args.output, &mut |stage| waiting.stage(stage))
        .map_err(told)?;
    for path in &edges {
        let tally =
            read_numbered_edges(path, &mut graph, bad, &mut told_lines(path, &mut waiting)).map_err(told)?;
        add(&mut all, &tally);
    }
    let summary = graph.finish(&mut |stage| waiting.stage(stage)).map_err(told)?;
    waiting.end();
    tell(&all, &summary, begun.elapsed());
    if summary.links == 0 {
        note!("warning: no page there links to another");
    }
    note!("written: {}", args.output.display());
    Ok(())
}

fn told_lines<'w>(path: &'w Path, waiting: &'w mut Waiting) -> impl FnMut(u64) + 'w {
    move |lines| waiting.tell(format!("reading {}: {}", path.display(), counted(lines, "line")))
}

fn add(all: &mut Taken, tally: &ListTally) {
    all.lines += tally.lines;
    all.skipped += tally.skipped;
    if let Some(first) = &tally.first {
        note!(
            "warning: {} passed over, the first: {first}",
            counted(tally.skipped, "bad line")
        );
    }
}

fn tell(all: &Taken, summary: &GraphSummary, took: Duration) {
    let read: Vec<String> = [
        (all.pages, "page"),
        (all.lines, "line"),
        (all.skipped, "line passed over"),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, what)| match what {
        "line passed over" => format!("{} of them passed over", count(number)),
        _ => counted(number, what),
    })
    .collect();
    let read = if read.is_empty() {
        "nothing".to_owned()
    } else {
        read.join(", ")
    };
    say!("read     {read}, in {}", time(took));
    let pages = summary.nodes - summary.hosts;
    let nodes: Vec<String> = [(pages, "URL"), (summary.hosts, "host")]
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| counted(number, what))
        .collect();
    say!("nodes    {}", nodes.join(", "));
    say!("links    {}", count(summary.links));
    if summary.redirects > 0 {
        say!(
            "         {} redirect to another",
            counted(summary.redirects, "URL")
        );
    }
    let each = summary.bytes as f64 / summary.links.max(1) as f64;
    say!("file     {}, {each:.1} bytes a link", bytes(summary.bytes));
}

/// The folder a file is in.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The files that names stand for: themselves, or those of a folder in order.
fn parts(names: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in names {
        if !path.is_dir() {
            if !path.exists() {
                return Err(bad_input(format!(
                    "{} does not exist; name the files of the graph, or a folder of them",
                    path.display()
                )));
            }
            files.push(path.clone());
            continue;
        }
        let list = || format!("{} cannot be listed", path.display());
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(path).with_context(list)? {
            let entry = entry.with_context(list)?;
            if entry.file_type().with_context(list)?.is_file() {
                inside.push(entry.path());
            }
        }
        if inside.is_empty() {
            return Err(bad_input(format!("{} holds no files", path.display())));
        }
        inside.sort_unstable();
        files.extend(inside);
    }
    Ok(files)
}
