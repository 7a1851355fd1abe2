//! `hound train layers`: how far pages stand from a target, learnt from a recorded web.
//!
//! The targets are pages of the web; the pages that link to them, and so on backwards, are the layers. It says how large the
//! layers are, what words they go by, and how well they are told apart on pages not learnt from.

use std::path::{Path, PathBuf};

use anyhow::Result;
use scenthound_graph::{ContextGraph, ContextSettings};
use scenthound_judge::{LayerFigures, LayerSettings};
use scenthound_recorded::{RecordedWeb, WebFolder};
use scenthound_types::CanonicalUrl;

use crate::lab::layers::{back_links, lessons, told_sizes};
use crate::lab::webs;
use crate::pages_input::bad_input;

/// Terms told of each layer.
const WORDS: usize = 12;

#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound train layers --web my-crawl --targets good.txt -o tea.layers
  hound train layers --web webs/university --task databases-courses -o db.layers
  hound crawl tea.toml --strategy layered --layers tea.layers")]
pub struct Args {
    /// The web whose links are followed backwards: a crawl folder, a WARC file, or a folder of them.
    #[arg(long, value_name = "FOLDER")]
    web: PathBuf,
    /// A file that lists the URLs of the targets, one a line.
    #[arg(long, value_name = "FILE", required_unless_present = "task")]
    targets: Option<PathBuf>,
    /// Take the positive examples of this task of the web folder as targets.
    #[arg(long, value_name = "NAME", conflicts_with = "targets")]
    task: Option<String>,
    /// The distance of the farthest layer.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=20))]
    layers: u8,
    /// A page whose likeliest layer is less likely than this is of none.
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    threshold: f64,
    /// Parts for cross-validation.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(2..=50))]
    folds: u8,
    /// Where chance begins.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The model file to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Write over a file that is there.
    #[arg(long)]
    force: bool,
}

pub fn run(args: &Args) -> Result<()> {
    if args.output.exists() && !args.force {
        return Err(bad_input(format!(
            "{} is there already; --force writes over it",
            args.output.display()
        )));
    }
    let folder = WebFolder::open(&args.web).map_err(|fault| bad_input(fault.to_string()))?;
    let web = webs::load(&folder)?;
    let targets = match (&args.task, &args.targets) {
        (Some(task), _) => {
            let task = folder.task(task).map_err(|fault| bad_input(fault.to_string()))?;
            let pages = task.pages(&web).map_err(|fault| bad_input(fault.to_string()))?;
            pages.positive.iter().map(|page| page.0).collect()
        }
        (None, Some(list)) => listed(list, &web)?,
        (None, None) => Vec::new(),
    };
    if targets.is_empty() {
        return Err(bad_input(format!(
            "none of the targets is a page of {}: there is nothing to build a context graph around",
            args.web.display()
        )));
    }
    let reach = ContextSettings {
        layers: args.layers,
        ..ContextSettings::default()
    };
    let graph = ContextGraph::around(&back_links(&web)?, &targets, &reach);
    say!(
        "context graph: {} pages, targets first, then by links away from one",
        told_sizes(&graph)
    );
    let settings = LayerSettings {
        layers: args.layers,
        threshold: args.threshold,
        ..LayerSettings::default()
    };
    let lessons = lessons(&web, &graph, &settings)?;
    let model = lessons.train().map_err(|fault| bad_input(fault.to_string()))?;
    model.save(&args.output)?;
    say!("{} terms tell the layers; most telling:", model.terms());
    for layer in 0..=args.layers {
        let words = model.telling(layer);
        say!(
            "  layer {layer}: {}",
            words.get(..WORDS.min(words.len())).unwrap_or_default().join(", ")
        );
    }
    match lessons.cross_validate(usize::from(args.folds), args.seed) {
        Ok(figures) => tell(&figures),
        Err(fault) => note!("the layers cannot be cross-validated: {fault}"),
    }
    note!("written: {}", args.output.display());
    Ok(())
}

/// The pages of the web that a list of URLs names, one a line.
pub fn listed(path: &Path, web: &RecordedWeb) -> Result<Vec<u32>> {
    let text =
        std::fs::read_to_string(path).map_err(|error| bad_input(format!("{}: {error}", path.display())))?;
    let mut pages = Vec::new();
    for (line, url) in (1..).zip(text.lines().map(str::trim)) {
        if url.is_empty() || url.starts_with('#') {
            continue;
        }
        let url = CanonicalUrl::parse(url).map_err(|fault| {
            bad_input(format!(
                "{}:{line}: {url:?} is no URL ({fault}); write one URL a line, as https://example.org/a",
                path.display()
            ))
        })?;
        match web.page_at(&url) {
            Some(page) => pages.push(page.0),
            None => note!("{}:{line}: {url} is not a page of this web", path.display()),
        }
    }
    Ok(pages)
}

/// What was taken for what, a row for each layer.
fn tell(figures: &LayerFigures) {
    let confusion = &figures.figures.confusion;
    let beyond = confusion.len().saturating_sub(1);
    say!(
        "told on pages held out, in {} folds: {:.1} % right; rows are layers, columns what they were taken for, \"none\" last",
        figures.folds,
        100.0 * figures.figures.accuracy
    );
    let heads: String = (0..beyond).map(|layer| format!("{layer:>7}")).collect();
    say!("         {heads}   none");
    for (layer, row) in confusion.iter().enumerate().take(beyond) {
        let cells: String = row.iter().map(|count| format!("{count:>7}")).collect();
        say!("  layer {layer}{cells}");
    }
}
