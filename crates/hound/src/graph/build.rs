//! `hound graph build`: a graph file from crawls, archives and lists of links.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use indicatif::ProgressBar;
use scenthound::graph::{BuiltGraph, GraphBuildSettings, GraphNotice, GraphSources};
use scenthound_graph::{BadLines, Stage};

use crate::lab::webs::spinner;
use crate::pages_input::NewFile;
use crate::wording::{bytes, count, counted, time};

/// How often a plain line is written if the output is not a terminal.
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
to back. What does not fit into memory goes to temporary files in the folder of the graph, up to
about the size of the unpacked names and 8 bytes per link.
A line that is not a link is an error, and nothing is written; --skip-bad skips and counts it.
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
    #[command(flatten)]
    file: NewFile,
    /// Skip and count lines that are not links.
    #[arg(long)]
    skip_bad: bool,
    /// Approximate memory to use, in MB. Less is slower; the result is the same.
    #[arg(long, value_name = "MB", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    memory: u32,
}

/// Shows progress: one line on a terminal, a line now and then elsewhere. Warnings are printed in any case.
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

    fn show(&mut self, text: String) {
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

    pub fn notice(&mut self, notice: GraphNotice<'_>) {
        let reading =
            |path: &Path, number, noun| format!("reading {}: {}", path.display(), counted(number, noun));
        match notice {
            GraphNotice::Pages(path, pages) => self.show(reading(path, pages, "page")),
            GraphNotice::Lines(path, lines) => self.show(reading(path, lines, "line")),
            GraphNotice::Sorting(stage) => {
                let (what, done, all) = match stage {
                    Stage::Names { done, all } => ("names", done, all),
                    Stage::Links { done, all } => ("links", done, all),
                };
                self.show(format!("sorting {what}: {} of {}", count(done), count(all)));
            }
            GraphNotice::BadLines { skipped, first } => {
                note!(
                    "warning: {} skipped, the first: {first}",
                    counted(skipped, "bad line")
                );
            }
            GraphNotice::LostPages(folder, pages) => note!(
                "warning: {} of {} could not be read from the archive, so their links are missing",
                counted(pages, "page"),
                folder.display()
            ),
            GraphNotice::Damaged(error) => complain!("warning: {error}"),
            GraphNotice::UnreadableLines(lines) => complain!("warning: {lines}"),
            _ => {}
        }
    }

    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Runs `hound graph build`.
pub fn run(args: &Args) -> Result<()> {
    let begun = Instant::now();
    args.file.check()?;
    let settings = GraphBuildSettings {
        memory: (args.memory as usize) << 20,
        bad_lines: match args.skip_bad {
            true => BadLines::Skip,
            false => BadLines::Refuse,
        },
    };
    let mut waiting = Waiting::new();
    let output = &args.file.output;
    let sources = GraphSources::parse(&args.sources)?.with_numbered(&args.vertices, &args.edges)?;
    let built = sources.build(output, &settings, &mut |notice| waiting.notice(notice))?;
    waiting.end();
    print(&built, begun.elapsed());
    if built.summary.links == 0 {
        complain!("warning: no page there links to another");
    }
    note!("written: {}", output.display());
    Ok(())
}

/// The counts that are not 0.
fn counts(counts: [(u64, &str); 2]) -> Vec<String> {
    let counts = counts.into_iter().filter(|(number, _)| *number > 0);
    counts.map(|(number, what)| counted(number, what)).collect()
}

fn print(built: &BuiltGraph, took: Duration) {
    let BuiltGraph { read, summary } = built;
    let mut parts = counts([(read.pages, "page"), (read.lines, "line")]);
    if read.skipped > 0 {
        parts.push(format!("{} of them skipped", count(read.skipped)));
    }
    if parts.is_empty() {
        parts.push("nothing".to_owned());
    }
    say!("read     {}, in {}", parts.join(", "), time(took));
    let nodes = counts([(summary.nodes - summary.hosts, "URL"), (summary.hosts, "host")]);
    say!("nodes    {}", nodes.join(", "));
    say!("links    {}", count(summary.links));
    if summary.redirects > 0 {
        say!(
            "         {} redirect to another",
            counted(summary.redirects, "URL")
        );
    }
    let each = summary.bytes as f64 / summary.links.max(1) as f64;
    say!("file     {}, {each:.1} bytes per link", bytes(summary.bytes));
}
