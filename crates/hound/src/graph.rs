//! `hound graph`: who links to a page, and the context graph around targets.
//!
//! Back-links come from a graph file that `hound graph build` made, from a recorded web, or from a crawl, which may still be
//! running.

pub mod build;
pub mod links;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::{ArgMatches, Command, FromArgMatches, Subcommand};
use scenthound_graph::{ContextList, ContextSettings, TargetList};
use serde::Serialize;

use self::build::graph_error;
use self::links::{LinkArgs, LinkSource};
use crate::pages_input::{bad_input, end};
use crate::stdout;
use crate::table::{Align, Table, terminal_width};
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
    /// Keep at most this many pages of a layer, picked evenly; the next layer leads to the pages kept.
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

/// Answers `hound graph`.
pub fn run(given: &ArgMatches) -> Result<ExitCode> {
    end(match Task::from_arg_matches(given)? {
        Task::Build(args) => build::run(&args),
        Task::Backlinks(args) => backlinks(&args),
        Task::Context(args) => context(&args),
    })
}

/// What links to a page, for programs.
#[derive(Serialize)]
struct Answer<'a> {
    asked: &'a str,
    found: String,
    is_host: bool,
    count: usize,
    backlinks: Vec<String>,
}

fn backlinks(args: &BacklinksArgs) -> Result<()> {
    let mut source = args.links.open()?;
    let shown = source.shown.clone();
    let links = source.index();
    let found = links.find(&args.url).map_err(graph_error)?.ok_or_else(|| {
        bad_input(format!(
            "{} is not in {shown}, and no page there links to it",
            harmless(&args.url)
        ))
    })?;
    let name = links.name(found.node).map_err(graph_error)?;
    let mut nodes = Vec::new();
    links.links_to(found.node, &mut nodes).map_err(graph_error)?;
    let count = nodes.len();
    nodes.truncate(args.most.unwrap_or(usize::MAX));
    if args.json {
        let backlinks = nodes
            .into_iter()
            .map(|node| links.name(node).map_err(graph_error))
            .collect::<Result<_>>()?;
        let answer = Answer {
            asked: &args.url,
            found: name,
            is_host: found.is_host,
            count,
            backlinks,
        };
        return stdout::write(|out| {
            serde_json::to_writer(&mut *out, &answer)?;
            Ok(writeln!(out)?)
        });
    }
    stdout::write(|out| {
        for node in nodes {
            writeln!(out, "{}", links.name(node).map_err(graph_error)?)?;
        }
        Ok(())
    })?;
    let kind = if found.is_host { "host" } else { "page" };
    let verb = if count == 1 { "links" } else { "link" };
    note!("{} {verb} to {name}", counted(count as u64, kind));
    Ok(())
}

fn context(args: &ContextArgs) -> Result<()> {
    let mut links = args.links.open()?;
    let settings = ContextSettings {
        layers: args.layers,
        most_per_layer: args.most_per_layer,
    };
    let list = around(&mut links, &args.targets, &settings)?;
    stdout::write(|out| write_sizes(&list, out))?;
    if let Some(path) = &args.output {
        list.save(path).map_err(graph_error)?;
        note!("written: {}", path.display());
    }
    Ok(())
}

/// The layers around the targets that a file lists. Prints which of them are missing.
pub fn around(links: &mut LinkSource, targets: &Path, settings: &ContextSettings) -> Result<ContextList> {
    let found = TargetList::read(targets, links.index()).map_err(graph_error)?;
    if found.nodes.is_empty() {
        return Err(bad_input(format!(
            "{}: none of the targets is a page of {}, so there is nothing to build a context graph around",
            targets.display(),
            links.shown
        )));
    }
    if !found.missing.is_empty() {
        let named: Vec<String> = found
            .missing
            .iter()
            .take(NAMED)
            .map(|target| format!("{} (line {})", harmless(&target.text), target.line))
            .collect();
        let more = match found.missing.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        note!(
            "warning: {} of {} targets are not in {}: {}{more}",
            found.missing.len(),
            count(found.listed),
            links.shown,
            named.join(", ")
        );
    }
    ContextList::around(links.index(), &found.nodes, settings).map_err(graph_error)
}

/// The sizes of the layers, targets first: 26/71/115/122/196.
pub fn sizes(list: &ContextList) -> String {
    let sizes: Vec<String> = list
        .layers()
        .iter()
        .map(|names| names.len().to_string())
        .collect();
    sizes.join("/")
}

fn write_sizes(list: &ContextList, out: &mut dyn Write) -> Result<()> {
    let what = if list.has_hosts() { "hosts" } else { "pages" };
    let mut table = Table::new(&[("layer", Align::Right), (what, Align::Right), ("", Align::Left)]);
    for (layer, names) in list.layers().iter().enumerate() {
        let distance = match layer {
            0 => "targets".to_owned(),
            _ => format!("{} away", counted(layer as u64, "link")),
        };
        table.row(
            vec![layer.to_string(), count(names.len() as u64), distance],
            Vec::new(),
        );
    }
    table.write(out, terminal_width())?;
    Ok(writeln!(out, "in short: {}", sizes(list))?)
}
