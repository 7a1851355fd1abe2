//! `hound graph`: who links to a page, and the context graph around targets.
//!
//! Back-links come from a graph file that `hound graph build` made, from a recorded web, or from a crawl, also one that is
//! still running.

mod build;
pub mod context;
pub mod links;
pub mod sources;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{ArgMatches, Command, FromArgMatches, Subcommand};
use scenthound_graph::ContextSettings;
use serde::Serialize;

use self::context::ContextList;
use self::links::LinkArgs;
use crate::pages_input::{bad_input, end};
use crate::stdout;
use crate::wording::{counted, harmless};

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
    /// The pages that lead to targets, in layers by how many links away they are
    Context(ContextArgs),
}

#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound graph backlinks https://example.org/tea --graph web.graph
  hound graph backlinks https://example.org/tea my-crawl
  hound graph backlinks example.org --graph hosts.graph --json

A crawl that is still running is read as far as it has got. In a graph of hosts a URL stands for
its host: the one of that name, the same without www., or its domain.
Exit codes: 0 done, 1 failure, 4 bad input.")]
struct BacklinksArgs {
    /// The page linked to; in a graph of hosts also the name of a host.
    #[arg(value_name = "URL")]
    url: String,
    #[command(flatten)]
    links: LinkArgs,
    /// Show no more than this many.
    #[arg(long, value_name = "N")]
    most: Option<usize>,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound graph context --targets good.txt --graph web.graph -o context.tsv
  hound graph context --targets good.txt --web webs/university --layers 3
  hound graph context --targets good.txt my-crawl --most-per-layer 500
  hound train layers --graph context.tsv --pages my-crawl -o tea.layers

A line of the file that is written is a layer, a tab and a URL (a host in a graph of hosts).
Exit codes: 0 done, 1 failure, 4 bad input.")]
struct ContextArgs {
    #[command(flatten)]
    links: LinkArgs,
    /// A file that lists the URLs of the targets, one a line.
    #[arg(long, value_name = "FILE")]
    targets: PathBuf,
    /// The distance of the farthest layer.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=20))]
    layers: u8,
    /// Keep no more pages of a layer than this, picked evenly; those before it lead to the pages kept.
    #[arg(long, value_name = "N")]
    most_per_layer: Option<usize>,
    /// Write the layer and the URL of each page to a file, a tab between.
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
struct Told<'a> {
    asked: &'a str,
    found: String,
    is_host: bool,
    count: usize,
    backlinks: Vec<String>,
}

fn backlinks(args: &BacklinksArgs) -> Result<()> {
    let mut links = args.links.open()?;
    let found = links.find(&args.url)?.ok_or_else(|| {
        bad_input(format!(
            "{} is not in {}, nor does any page there link to it",
            harmless(&args.url),
            links.shown()
        ))
    })?;
    let name = links.name(found.node)?;
    let mut sources = Vec::new();
    links.to(found.node, &mut sources)?;
    let count = sources.len();
    sources.truncate(args.most.unwrap_or(usize::MAX));
    if args.json {
        let backlinks = sources
            .into_iter()
            .map(|source| links.name(source))
            .collect::<Result<_>>()?;
        let told = Told {
            asked: &args.url,
            found: name,
            is_host: found.is_host,
            count,
            backlinks,
        };
        return stdout::write(|out| {
            serde_json::to_writer(&mut *out, &told)?;
            Ok(writeln!(out)?)
        });
    }
    stdout::write(|out| {
        for source in sources {
            writeln!(out, "{}", links.name(source)?)?;
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
    let reach = ContextSettings {
        layers: args.layers,
        most_per_layer: args.most_per_layer,
    };
    let list = ContextList::around(&mut links, &args.targets, &reach)?;
    stdout::write(|out| list.write_sizes(out))?;
    if let Some(path) = &args.output {
        list.save(path)?;
        note!("written: {}", path.display());
    }
    Ok(())
}
