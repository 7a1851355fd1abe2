//! `hound train layers`: learns from pages that lead to targets how far a page is from one.
//!
//! The targets, the pages that link to them, and so on backwards are the layers. They come from a graph file, a list that
//! `hound graph context` wrote, a recorded web or a crawl. Their words come from a recorded web, from crawls and archives, or
//! from the web itself. The output shows the size of the layers, their typical words, how well they are recognised on held-out
//! pages, and what that costs.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use scenthound::train::{LayerPages, layer_urls};
use scenthound_graph::{ContextList, ContextSettings, GraphFile};
use scenthound_judge::{LayerFigures, LayerModel, LayerSettings};
use scenthound_lab::WebLinks;
use scenthound_lab::recorded::{PageId, RecordedWeb, WebFolder};
use scenthound_types::ParsedPage;

use crate::graph::links::Links;
use crate::graph::{around, sizes};
use crate::lab::webs;
use crate::pages_input::{Fetching, Inputs, Naming, NewFile};
use crate::stdout;
use crate::wording::{count, counted, harmless};

/// Terms shown for each layer.
const WORDS: usize = 12;
/// Terms shown for all layers together, as many as the paper lists.
const BEST: usize = 28;
/// Fetching more pages than this is probably a mistake.
const MOST_FETCHED: usize = 5_000;

#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound train layers --web webs/university --task databases-courses -o db.layers
  hound train layers --pages my-crawl --targets good.txt -o tea.layers
  hound train layers --graph web.graph --targets good.txt --pages my-crawl more.warc.gz -o tea.layers
  hound train layers --graph context.tsv --fetch --contact me@example.org -o tea.layers
  hound crawl tea.toml --strategy layered:layers=tea.layers

The layers come from --graph: a file made by hound graph build, or by hound graph context -o
(which includes the targets). Without it they are found in --web or --pages. The words of their
pages are looked up there too, or fetched politely with --fetch. Pages without words are left out.
Exit codes: 0 done, 1 failure, 4 bad input.")]
pub struct Args {
    /// A graph file, or the layers that hound graph context wrote.
    #[arg(long, value_name = "GRAPH|LIST")]
    graph: Option<PathBuf>,
    /// A recorded web with the words of the pages: a folder of WARC files, or one of them.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["pages", "fetch"])]
    web: Option<PathBuf>,
    /// Crawl folders and WARC files with the words of the pages.
    #[arg(long, value_name = "DIR|WARC", num_args = 1.., conflicts_with = "fetch")]
    pages: Vec<PathBuf>,
    /// Fetch the pages of the layers to get their words.
    #[arg(long, requires = "graph")]
    fetch: bool,
    /// A file that lists the URLs of the targets, one per line.
    #[arg(long, value_name = "FILE")]
    targets: Option<PathBuf>,
    /// Use the positive examples of this task of the web folder as targets.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["targets", "graph"], requires = "web")]
    task: Option<String>,
    /// The distance of the farthest layer [default: 4, or that of the list].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=20))]
    layers: Option<u8>,
    /// Keep at most this many pages of a layer, picked evenly.
    #[arg(long, value_name = "N")]
    most_per_layer: Option<usize>,
    /// A page belongs to no layer if the likeliest one is less likely than this.
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    threshold: f64,
    /// Number of parts for cross-validation.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(2..=50))]
    folds: u8,
    /// Seed for random numbers.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    file: NewFile,
    #[command(flatten)]
    fetching: Fetching,
}

/// Runs `hound train layers`.
pub fn run(args: &Args) -> Result<()> {
    args.file.check()?;
    if args.web.is_none() && args.pages.is_empty() && !args.fetch {
        refuse!(
            "say where the words of the pages are: --web FOLDER, --pages DIR|WARC, or --fetch with --graph"
        );
    }
    let (list, web) = layers(args)?;
    say!(
        "context graph: {}, targets first, then by links away from one",
        sizes(&list)
    );
    let settings = LayerSettings {
        layers: args.layers.unwrap_or_else(|| list.farthest().max(1)),
        threshold: args.threshold,
        ..LayerSettings::default()
    };
    let mut pages = LayerPages::new(&settings)?;
    read_pages(args, &list, web.as_ref(), &mut pages)?;
    let read: Vec<String> = pages.sizes.iter().map(|size| count(*size)).collect();
    say!("pages with words: {}", read.join("/"));

    let begun = Instant::now();
    let model = pages.training.train()?;
    let training = begun.elapsed();
    model.save(&args.file.output)?;
    let best: Vec<String> = pages
        .training
        .best_terms(BEST)
        .iter()
        .map(|term| harmless(&term.spelling))
        .collect();
    say!(
        "{} terms distinguish the layers; the best by χ²: {}",
        count(model.terms() as u64),
        best.join(", ")
    );
    say!("the strongest of each layer:");
    for layer in 0..=settings.layers {
        let words: Vec<&str> = model
            .telling(layer)
            .iter()
            .take(WORDS)
            .map(String::as_str)
            .collect();
        say!("  layer {layer}: {}", words.join(", "));
    }
    match pages.training.cross_validate(usize::from(args.folds), args.seed) {
        Ok(figures) => stdout::write(|out| write_figures(&figures, out))?,
        Err(fault) => note!("the layers could not be cross-validated: {fault}"),
    }
    say!(
        "cost: {:.2} s of training on {}; {:.0} µs to find the layer of a page",
        training.as_secs_f64(),
        counted(pages.training.pages() as u64, "page"),
        prediction(&model, &pages.kept).as_secs_f64() * 1e6
    );
    note!("written: {}", args.file.output.display());
    Ok(())
}

/// The layers, and the recorded web if one was read.
fn layers(args: &Args) -> Result<(ContextList, Option<RecordedWeb>)> {
    let is_list = args.graph.as_ref().is_some_and(|path| !GraphFile::is_graph(path));
    // Known before anything is read.
    if args.targets.is_none() && args.task.is_none() && !is_list {
        refuse!("name the targets with --targets FILE (one URL per line), or --task NAME with --web");
    }
    if let Some(path) = args.graph.as_ref().filter(|_| is_list && args.targets.is_some()) {
        refuse!(
            "{} is not a link graph but a list of layers, with its targets as layer 0; leave --targets out",
            path.display()
        );
    }
    let folder = args.web.as_ref().map(|path| WebFolder::open(path)).transpose()?;
    let web = folder.as_ref().map(webs::load).transpose()?;
    let reach = ContextSettings {
        layers: args.layers.unwrap_or(ContextSettings::default().layers),
        most_per_layer: args.most_per_layer,
    };
    let targets = args.targets.clone().unwrap_or_default();
    if let Some(path) = &args.graph {
        if !is_list {
            return Ok((Links::of_graph(path)?.around(&targets, &reach)?, web));
        }
        let mut list = ContextList::read(path)?;
        list.keep(args.layers, args.most_per_layer);
        return Ok((list, web));
    }
    let (Some(web), Some(folder)) = (web, folder) else {
        return Ok((Links::of_pages(&args.pages)?.around(&targets, &reach)?, None));
    };
    let of_task = match &args.task {
        Some(task) => Some(folder.task(task)?.pages(&web)?.positive),
        None => None,
    };
    let mut links = WebLinks::new(web)?;
    let shown = folder.path.display().to_string();
    let list = match of_task {
        Some(pages) if pages.is_empty() => refuse!(
            "none of the examples of the task is a page of {shown}, so there is nothing to build a context graph around"
        ),
        Some(pages) => {
            let nodes: Vec<u32> = pages.iter().map(|page| page.0).collect();
            ContextList::around(&mut links, &nodes, &reach)?
        }
        None => around(&mut links, &shown, &targets, &reach)?,
    };
    Ok((list, Some(links.web)))
}

/// Finds the words of all pages; prints how many have none.
fn read_pages(
    args: &Args,
    list: &ContextList,
    web: Option<&RecordedWeb>,
    pages: &mut LayerPages,
) -> Result<()> {
    let layers = list.by_page();
    // A page that is missing from thinned layers, or from a list somebody wrote, may still lead to a target.
    let knows_all = args.most_per_layer.is_none() && args.graph.is_none();
    if let Some(web) = web {
        let redirects = |url: &_| web.page_url(web.page_at(url)?).cloned();
        for page in (0..web.pages() as u32).map(PageId) {
            let layer = web.page_url(page).and_then(|url| layers.page(url));
            match (layer, web.page(page)) {
                (Some(layer), Some(parsed)) => pages.add(parsed, layer, &layers, redirects),
                (None, Some(parsed)) if knows_all => pages.offer_outside(parsed),
                _ => {}
            }
        }
    } else {
        if args.fetch && list.pages() > MOST_FETCHED {
            refuse!(
                "the layers have {}; fetch at most {} of them with --most-per-layer N",
                counted(list.pages() as u64, "page"),
                count(MOST_FETCHED as u64)
            );
        }
        let (names, fetching) = match args.fetch {
            true => (layer_urls(list), Ok(&args.fetching)),
            false => (
                args.pages.iter().map(|path| path.display().to_string()).collect(),
                Err("--pages"),
            ),
        };
        Inputs::read(&names, &Naming::new(fetching))?.each(|named| {
            if let Some(layer) = layers.page(&named.page.url) {
                pages.add(named.page, layer, &layers, |_| None);
            } else if knows_all {
                pages.offer_outside(named.page);
            }
        })?;
    }
    pages.take_outside();
    let missing = list.pages().saturating_sub(pages.training.pages());
    if pages.training.pages() == 0 {
        refuse!(
            "the words of none of the layers' pages were found; name the crawl or archive that has them with --pages, or \
             fetch them with --fetch"
        );
    }
    if missing > 0 {
        note!(
            "warning: the words of {} of the layers were not found; they are left out",
            counted(missing as u64, "page")
        );
    }
    Ok(())
}

/// How long it takes to find the layer of a page.
fn prediction(model: &LayerModel, pages: &[ParsedPage]) -> Duration {
    let begun = Instant::now();
    for page in pages {
        std::hint::black_box(model.layer(page));
    }
    begun.elapsed() / u32::try_from(pages.len().max(1)).unwrap_or(u32::MAX)
}

/// How pages of each layer were classified, a row per layer.
fn write_figures(figures: &LayerFigures, out: &mut dyn std::io::Write) -> Result<()> {
    let confusion = &figures.figures.confusion;
    let beyond = confusion.len().saturating_sub(1);
    writeln!(
        out,
        "on held-out pages, in {} folds: {:.1} % right; rows are layers, columns what they were classified as, \"none\" last",
        figures.folds,
        100.0 * figures.figures.accuracy
    )?;
    let heads: String = (0..beyond).map(|layer| format!("{layer:>7}")).collect();
    writeln!(out, "         {heads}   none")?;
    for (layer, row) in confusion.iter().enumerate().take(beyond) {
        let cells: String = row.iter().map(|count| format!("{count:>7}")).collect();
        writeln!(out, "  layer {layer}{cells}")?;
    }
    Ok(())
}
