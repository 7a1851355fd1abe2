//! `hound train layers`: how far pages stand from a target, learnt from those that lead there.
//!
//! The targets and the pages that link to them, and so on backwards, are the layers; they come from a graph file, a list that
//! `hound graph context` wrote, a recorded web or a crawl. Their words come from a recorded web, from crawls and archives, or
//! from the web itself. It says how large the layers are, what words they go by, how well they are told apart on pages not
//! learnt from, and what that costs.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use scenthound_graph::{ContextSettings, GraphFile, is_host};
use scenthound_judge::{LayerFigures, LayerModel, LayerSettings, LayerTrainingSet};
use scenthound_lab::recorded::{PageId, RecordedWeb, WebFolder};
use scenthound_types::ParsedPage;

use crate::fetch_now::Fetching;
use crate::graph::context::{ContextList, LayerOf};
use crate::graph::links::LinkSource;
use crate::lab::webs;
use crate::pages_input::{Inputs, Naming, Taken, bad_input};
use crate::stdout;
use crate::wording::{count, counted};

/// Terms told of each layer.
const WORDS: usize = 12;
/// Pages that are kept to see how long telling a layer takes.
const TIMED: usize = 200;
/// More pages than this are hardly meant to be fetched.
const MOST_FETCHED: usize = 5_000;

#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound train layers --web webs/university --task databases-courses -o db.layers
  hound train layers --pages my-crawl --targets good.txt -o tea.layers
  hound train layers --graph web.graph --targets good.txt --pages my-crawl more.warc.gz -o tea.layers
  hound train layers --graph context.tsv --fetch --contact me@example.org -o tea.layers
  hound crawl tea.toml --strategy layered --layers tea.layers

The layers are those of --graph: a file made by hound graph build, or by hound graph context -o
(which has its targets in it). Without it they are found in --web or --pages. The words of their
pages are looked up there too, or fetched politely with --fetch. Pages without words are left out.
Exit codes: 0 done, 1 failure, 4 bad input.")]
pub struct Args {
    /// A graph file, or the layers that hound graph context wrote.
    #[arg(long, value_name = "GRAPH|LIST")]
    graph: Option<PathBuf>,
    /// A recorded web with the pages' words: a folder of WARC files, or one of them.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["pages", "fetch"])]
    web: Option<PathBuf>,
    /// Crawl folders and WARC files with the pages' words.
    #[arg(long, value_name = "DIR|WARC", num_args = 1.., conflicts_with = "fetch")]
    pages: Vec<PathBuf>,
    /// Fetch the pages of the layers for their words.
    #[arg(long, requires = "graph")]
    fetch: bool,
    /// A file that lists the URLs of the targets, one a line.
    #[arg(long, value_name = "FILE")]
    targets: Option<PathBuf>,
    /// Take the positive examples of this task of the web folder as targets.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["targets", "graph"], requires = "web")]
    task: Option<String>,
    /// The distance of the farthest layer [default: 4, or what the list has].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=20))]
    layers: Option<u8>,
    /// Keep no more pages of a layer than this, picked evenly.
    #[arg(long, value_name = "N")]
    most_per_layer: Option<usize>,
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
    #[command(flatten)]
    fetching: Fetching,
}

pub fn run(args: &Args) -> Result<()> {
    if args.output.exists() && !args.force {
        return Err(bad_input(format!(
            "{} is there already; --force writes over it",
            args.output.display()
        )));
    }
    if args.web.is_none() && args.pages.is_empty() && !args.fetch {
        return Err(bad_input(
            "say where the pages' words are: --web FOLDER, --pages DIR|WARC, or --fetch with --graph"
                .to_owned(),
        ));
    }
    let (list, web) = layers(args)?;
    say!(
        "context graph: {}, targets first, then by links away from one",
        list.in_short()
    );
    let settings = LayerSettings {
        layers: args.layers.unwrap_or_else(|| list.farthest().max(1)),
        threshold: args.threshold,
        ..LayerSettings::default()
    };
    let mut class = Class::new(&settings)?;
    class.read(args, &list, web.as_ref())?;
    let sizes: Vec<String> = class.sizes.iter().map(|size| count(*size)).collect();
    say!("pages with words: {}", sizes.join("/"));

    let begun = Instant::now();
    let model = class
        .training
        .train()
        .map_err(|fault| bad_input(fault.to_string()))?;
    let training = begun.elapsed();
    model.save(&args.output)?;
    say!(
        "{} terms tell the layers; most telling:",
        count(model.terms() as u64)
    );
    for layer in 0..=settings.layers {
        let words = model.telling(layer);
        say!(
            "  layer {layer}: {}",
            words.get(..WORDS.min(words.len())).unwrap_or_default().join(", ")
        );
    }
    match class.training.cross_validate(usize::from(args.folds), args.seed) {
        Ok(figures) => stdout::write(|out| tell(&figures, out))?,
        Err(fault) => note!("the layers cannot be cross-validated: {fault}"),
    }
    say!(
        "cost: {:.2} s of training on {}; {:.0} µs to tell the layer of a page",
        training.as_secs_f64(),
        counted(class.training.pages() as u64, "page"),
        prediction(&model, &class.timed).as_secs_f64() * 1e6
    );
    note!("written: {}", args.output.display());
    Ok(())
}

/// The layers, and the recorded web where one was read.
fn layers(args: &Args) -> Result<(ContextList, Option<RecordedWeb>)> {
    let is_list = args.graph.as_ref().is_some_and(|path| !GraphFile::is_graph(path));
    // Known before anything is read.
    if args.targets.is_none() && args.task.is_none() && !is_list {
        return Err(bad_input(
            "name the targets with --targets FILE (one URL a line), or --task NAME with --web".to_owned(),
        ));
    }
    if let Some(path) = args.graph.as_ref().filter(|_| is_list && args.targets.is_some()) {
        return Err(bad_input(format!(
            "{} is no link graph but a list of layers, with its targets as layer 0; leave --targets out",
            path.display()
        )));
    }
    let folder = args
        .web
        .as_ref()
        .map(|path| WebFolder::open(path).map_err(|fault| bad_input(fault.to_string())))
        .transpose()?;
    let web = folder.as_ref().map(webs::load).transpose()?;
    let reach = ContextSettings {
        layers: args.layers.unwrap_or(ContextSettings::default().layers),
        most_per_layer: args.most_per_layer,
    };
    let targets = args.targets.clone().unwrap_or_default();
    if let Some(path) = &args.graph {
        if !is_list {
            let mut links = LinkSource::of_graph(path)?;
            return Ok((ContextList::around(&mut links, &targets, &reach)?, web));
        }
        let mut list = ContextList::read(path)?;
        list.keep(args.layers, args.most_per_layer);
        return Ok((list, web));
    }
    let (Some(web), Some(folder)) = (web, folder) else {
        let mut links = LinkSource::of_pages(&args.pages)?;
        return Ok((ContextList::around(&mut links, &targets, &reach)?, None));
    };
    let of_task = args
        .task
        .as_ref()
        .map(|task| {
            let task = folder.task(task).map_err(|fault| bad_input(fault.to_string()))?;
            let pages = task.pages(&web).map_err(|fault| bad_input(fault.to_string()))?;
            anyhow::Ok(pages.positive.iter().map(|page| page.0).collect::<Vec<u32>>())
        })
        .transpose()?;
    let mut links = LinkSource::of_web(web, &folder.path)?;
    let list = match of_task {
        Some(nodes) if nodes.is_empty() => {
            return Err(bad_input(format!(
                "the task names no page of {} as an example: there is nothing to build a context graph around",
                folder.path.display()
            )));
        }
        Some(nodes) => ContextList::around_nodes(&mut links, &nodes, &reach)?,
        None => ContextList::around(&mut links, &targets, &reach)?,
    };
    Ok((list, links.into_web()))
}

/// The pages of layers as they are read.
struct Class {
    training: LayerTrainingSet,
    sizes: Vec<u64>,
    timed: Vec<ParsedPage>,
}

impl Class {
    fn new(settings: &LayerSettings) -> Result<Class> {
        Ok(Class {
            training: LayerTrainingSet::new(settings).map_err(|fault| bad_input(fault.to_string()))?,
            sizes: vec![0; usize::from(settings.layers) + 1],
            timed: Vec::new(),
        })
    }

    /// Finds the words of all pages; says how many have none.
    fn read(&mut self, args: &Args, list: &ContextList, web: Option<&RecordedWeb>) -> Result<()> {
        let layer_of = list.by_page();
        if let Some(web) = web {
            for page in (0..web.pages() as u32).map(PageId) {
                let layer = web.page_url(page).and_then(|url| layer_of.page(url));
                if let Some((layer, parsed)) = layer.zip(layer.and_then(|_| web.page(page))) {
                    self.take(parsed, layer, &layer_of, Some(web));
                }
            }
        } else {
            let given: Vec<String> = if args.fetch {
                to_fetch(list)?
            } else {
                args.pages.iter().map(|path| path.display().to_string()).collect()
            };
            let naming = Naming {
                web: &[],
                web_option: "--pages",
                only: &[],
                taken: Taken::All,
                fetching: args.fetch.then_some(&args.fetching),
            };
            Inputs::read(&given, &naming)?.each(|named| {
                if let Some(layer) = layer_of.page(&named.page.url) {
                    self.take(named.page, layer, &layer_of, None);
                }
            })?;
        }
        let wordless = list.pages().saturating_sub(self.training.pages());
        if self.training.pages() == 0 {
            return Err(bad_input(
                "none of the layers' pages was found with its words; name the crawl or archive that has them with --pages, or \
                 fetch them with --fetch"
                    .to_owned(),
            ));
        }
        if wordless > 0 {
            note!(
                "warning: {} of the layers without words here, left out",
                counted(wordless as u64, "page")
            );
        }
        Ok(())
    }

    fn take(&mut self, page: ParsedPage, layer: u8, layer_of: &LayerOf, web: Option<&RecordedWeb>) {
        let Some(size) = self.sizes.get_mut(usize::from(layer)) else {
            return;
        };
        *size += 1;
        self.training.add(&page, layer, |url| {
            // What redirects leads to the layer of where it leads to.
            layer_of.target(url).or_else(|| {
                let web = web?;
                layer_of.target(web.page_url(web.page_at(url)?)?)
            })
        });
        if self.timed.len() < TIMED {
            self.timed.push(page);
        }
    }
}

/// The URLs of all pages; of hosts their first pages.
fn to_fetch(list: &ContextList) -> Result<Vec<String>> {
    if list.pages() > MOST_FETCHED {
        return Err(bad_input(format!(
            "the layers have {}; fetch at most {} of them with --most-per-layer N",
            counted(list.pages() as u64, "page"),
            count(MOST_FETCHED as u64)
        )));
    }
    let url = |name: &String| {
        if is_host(name) {
            format!("https://{name}/")
        } else {
            name.clone()
        }
    };
    Ok(list.layers().iter().flatten().map(url).collect())
}

/// How long it takes to tell the layer of a page.
fn prediction(model: &LayerModel, pages: &[ParsedPage]) -> Duration {
    let begun = Instant::now();
    for page in pages {
        std::hint::black_box(model.layer(page));
    }
    begun.elapsed() / u32::try_from(pages.len().max(1)).unwrap_or(u32::MAX)
}

/// What was taken for what, a row for each layer.
fn tell(figures: &LayerFigures, out: &mut dyn std::io::Write) -> Result<()> {
    let confusion = &figures.figures.confusion;
    let beyond = confusion.len().saturating_sub(1);
    writeln!(
        out,
        "told on pages held out, in {} folds: {:.1} % right; rows are layers, columns what they were taken for, \"none\" last",
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
