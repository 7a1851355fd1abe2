//! `hound graph`: who links to a page, and the context graph around targets, in a recorded web.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{ArgMatches, Command, FromArgMatches, Subcommand};
use scenthound_graph::{ContextGraph, ContextSettings};
use scenthound_recorded::{PageId, RecordedWeb, WebFolder};
use scenthound_types::CanonicalUrl;

use crate::lab::layers::{back_links, told_sizes};
use crate::lab::webs;
use crate::pages_input::{bad_input, end};
use crate::train_layers::listed;

#[derive(Subcommand, Debug)]
enum Task {
    /// The pages that link to a page
    Backlinks(BacklinksArgs),
    /// The pages that lead to targets, in layers by how many links away they are
    Context(ContextArgs),
}

#[derive(clap::Args, Debug)]
struct BacklinksArgs {
    /// The web: a crawl folder, a WARC file, or a folder of them.
    #[arg(value_name = "WEB")]
    web: PathBuf,
    /// The page linked to.
    #[arg(value_name = "URL")]
    url: String,
}

#[derive(clap::Args, Debug)]
struct ContextArgs {
    /// The web: a crawl folder, a WARC file, or a folder of them.
    #[arg(value_name = "WEB")]
    web: PathBuf,
    /// A file that lists the URLs of the targets, one a line.
    #[arg(long, value_name = "FILE")]
    targets: PathBuf,
    /// The distance of the farthest layer.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=20))]
    layers: u8,
    /// Write the layer and the URL of each page to a file, a tab between.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub fn command() -> Command {
    Task::augment_subcommands(
        Command::new("graph")
            .about("Who links to a page, and what leads to targets, in a crawl or any WARC collection")
            .subcommand_required(true)
            .arg_required_else_help(true),
    )
}

/// Answers `hound graph`.
pub fn run(given: &ArgMatches) -> Result<ExitCode> {
    end(match Task::from_arg_matches(given)? {
        Task::Backlinks(args) => backlinks(&args),
        Task::Context(args) => context(&args),
    })
}

fn open(path: &std::path::Path) -> Result<RecordedWeb> {
    webs::load(&WebFolder::open(path).map_err(|fault| bad_input(fault.to_string()))?)
}

fn backlinks(args: &BacklinksArgs) -> Result<()> {
    let url = CanonicalUrl::parse(&args.url)
        .map_err(|fault| bad_input(format!("{:?} is no URL: {fault}", args.url)))?;
    let web = open(&args.web)?;
    let page = web
        .page_at(&url)
        .ok_or_else(|| bad_input(format!("{url} is not a page of {}", args.web.display())))?;
    let links = back_links(&web)?;
    for source in links.to(page.0) {
        say!("{}", web.page_spelled(PageId(*source)));
    }
    note!("{} pages link to {url}", links.to(page.0).len());
    Ok(())
}

fn context(args: &ContextArgs) -> Result<()> {
    let web = open(&args.web)?;
    let targets = listed(&args.targets, &web)?;
    if targets.is_empty() {
        return Err(bad_input(format!(
            "{}: none of the targets is a page of {}",
            args.targets.display(),
            args.web.display()
        )));
    }
    let reach = ContextSettings {
        layers: args.layers,
        ..ContextSettings::default()
    };
    let graph = ContextGraph::around(&back_links(&web)?, &targets, &reach);
    for (layer, size) in graph.sizes().into_iter().enumerate() {
        say!("layer {layer}: {size} pages");
    }
    say!("in short: {}", told_sizes(&graph));
    if let Some(path) = &args.output {
        write(path, &web, &graph).with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(())
}

fn write(path: &std::path::Path, web: &RecordedWeb, graph: &ContextGraph) -> std::io::Result<()> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    for (layer, pages) in graph.layers().iter().enumerate() {
        for page in pages {
            writeln!(file, "{layer}\t{}", web.page_spelled(PageId(*page)))?;
        }
    }
    file.flush()
}
