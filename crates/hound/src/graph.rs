//! `hound graph`: who links to a page, and the context graph around targets.
//!
//! Back-links come from a graph file that `hound graph build` made, from a recorded web, or from a crawl, which may still be
//! running.

pub mod build;
pub mod links;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{ArgMatches, Command, FromArgMatches, Subcommand};
use scenthound_graph::{ContextList, ContextSettings, LinkIndex, TargetList};
use serde::Serialize;

use self::links::LinkArgs;
use crate::fault::bad_input;
use crate::stdout;
use crate::table::{Align, Table};
use crate::wording::{count, counted, harmless};

/// Missing targets that a warning names.
const NAMED: usize = 3;

const EXAMPLES: &str = "\
Examples:
  hound graph build my-crawl pages.warc.gz more-links.tsv.gz -o web.graph
  hound graph build --vertices cc/vertices --edges cc/edges -o hosts.graph
  hound graph backlinks https://example.org/tea --graph web.graph
  hound graph context --targets good.txt --graph web.graph -o context.tsv";

#[derive(Subcommand, Debug)]
enum Task {
    /// Make a graph file of crawls, archives, edge lists or Common Crawl's hyperlink graph
    Build(build::Args),
    /// The pages that link to a page
    Backlinks(BacklinksArgs),
    /// The pages that lead to targets, in layers by their distance in links
    Context(ContextArgs),
}

#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound graph backlinks https://example.org/tea --graph web.graph
  hound graph backlinks https://example.org/tea my-crawl
  hound graph backlinks example.org --graph hosts.graph --json

A running crawl is read as far as it has got. In a graph of hosts a URL stands for its host: the
one of that name, the same without www., or its domain.
Exit codes: 0 done, 1 failure, 4 bad input.")]
struct BacklinksArgs {
    /// The page that is linked to; in a graph of hosts also the name of a host.
    #[arg(value_name = "URL")]
    url: String,
    #[command(flatten)]
    links: LinkArgs,
    /// Show at most this many.
    #[arg(long, value_name = "N")]
    most: Option<usize>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound graph context --targets good.txt --graph web.graph -o context.tsv
  hound graph context --targets good.txt --web webs/university --layers 3
  hound graph context --targets good.txt my-crawl --most-per-layer 500
  hound train layers --graph context.tsv --pages my-crawl -o tea.layers

Each line of the output file is a layer, a tab and a URL (a host in a graph of hosts).
Exit codes: 0 done, 1 failure, 4 bad input.")]
struct ContextArgs {
    #[command(flatten)]
    links: LinkArgs,
    /// A file that lists the URLs of the targets, one per line.
    #[arg(long, value_name = "FILE")]
    targets: PathBuf,
    /// The distance of the farthest layer.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=20))]
    layers: u8,
    /// Keep at most this many pages of a layer, picked evenly; their layers are those in the whole graph.
    #[arg(long, value_name = "N")]
    most_per_layer: Option<usize>,
    /// Write the layer and the URL of each page to a file.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub fn command() -> Command {
    Task::augment_subcommands(
        Command::new("graph")
            .about("Who links to a page, and what leads to targets, in crawls, archives and link graphs")
            .after_help(EXAMPLES)
            .subcommand_required(true)
            .arg_required_else_help(true),
    )
}

/// Runs `hound graph`.
pub fn run(given: &ArgMatches) -> Result<()> {
    match Task::from_arg_matches(given)? {
        Task::Build(args) => build::run(&args),
        Task::Backlinks(args) => backlinks(&args),
        Task::Context(args) => context(&args),
    }
}

/// The pages that link to a page, as JSON.
#[derive(Serialize)]
struct BackLinkReport<'a> {
    asked: &'a str,
    found: String,
    is_host: bool,
    count: usize,
    backlinks: Vec<String>,
}

fn backlinks(args: &BacklinksArgs) -> Result<()> {
    let mut links = args.links.open()?;
    let (shown, links) = (&links.shown, &mut links.index);
    let found = links.find(&args.url)?.ok_or_else(|| {
        let url = harmless(&args.url);
        bad_input(format!("{url} is not in {shown}, and no page there links to it"))
    })?;
    let mut nodes = Vec::new();
    links.links_to(found.node, &mut nodes)?;
    let count = nodes.len();
    nodes.truncate(args.most.unwrap_or(usize::MAX));
    let names = nodes.into_iter().map(|node| links.name(node));
    let answer = BackLinkReport {
        backlinks: names.collect::<Result<_, _>>()?,
        asked: &args.url,
        found: links.name(found.node)?,
        is_host: found.is_host,
        count,
    };
    if args.json {
        return stdout::json(&answer);
    }
    stdout::write(|out| {
        for name in &answer.backlinks {
            writeln!(out, "{name}")?;
        }
        Ok(())
    })?;
    let kind = if found.is_host { "host" } else { "page" };
    let verb = if count == 1 { "links" } else { "link" };
    note!("{} {verb} to {}", counted(count as u64, kind), answer.found);
    Ok(())
}

fn context(args: &ContextArgs) -> Result<()> {
    let settings = ContextSettings {
        layers: args.layers,
        most_per_layer: args.most_per_layer,
    };
    let list = args.links.open()?.around(&args.targets, &settings)?;
    stdout::write(|out| write_sizes(&list, out))?;
    if let Some(path) = &args.output {
        list.save(path)?;
        note!("written: {}", path.display());
    }
    Ok(())
}

/// The layers around the targets that a file lists. Prints which of them are missing.
pub fn around(
    links: &mut dyn LinkIndex,
    shown: &str,
    targets: &Path,
    settings: &ContextSettings,
) -> Result<ContextList> {
    let found = TargetList::read(targets, links)?;
    if found.nodes.is_empty() {
        refuse!(
            "{}: none of the targets is a page of {shown}, so there is nothing to build a context graph around",
            targets.display()
        );
    }
    let missing = found.missing.len();
    if missing > 0 {
        let named = found.missing.iter().take(NAMED);
        let mut named: Vec<String> = named
            .map(|target| format!("{} (line {})", harmless(&target.text), target.line))
            .collect();
        if missing > NAMED {
            named.push(format!("and {} more", missing - NAMED));
        }
        let (listed, named) = (count(found.listed), named.join(", "));
        complain!("warning: {missing} of {listed} targets are not in {shown}: {named}");
    }
    Ok(ContextList::around(links, &found.nodes, settings)?)
}

/// The sizes of the layers, targets first: 26/71/115/122/196.
pub fn sizes(list: &ContextList) -> String {
    let sizes = list.layers().iter().map(|names| names.len().to_string());
    sizes.collect::<Vec<_>>().join("/")
}

fn write_sizes(list: &ContextList, out: &mut dyn Write) -> Result<()> {
    let what = if list.has_hosts() { "hosts" } else { "pages" };
    let mut table = Table::new(&[("layer", Align::Right), (what, Align::Right), ("", Align::Left)]);
    for (layer, names) in list.layers().iter().enumerate() {
        let distance = match layer {
            0 => "targets".to_owned(),
            _ => format!("{} away", counted(layer as u64, "link")),
        };
        let cells = vec![layer.to_string(), count(names.len() as u64), distance];
        table.row(cells, Vec::new());
    }
    crate::table::show(&table, out)?;
    Ok(writeln!(out, "in short: {}", sizes(list))?)
}
