//! `hound train`: models from example pages.
//!
//! `hound train relevance` makes a judge for `hound crawl`. It prints what to expect of the judge on new pages, which words it
//! goes by, and when the examples are not enough.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::{ArgMatches, Command, FromArgMatches, Subcommand};
use scenthound::inputs::CrawlPages;
use scenthound::train::{RelevanceExamples, RelevanceSettings, TrainedRelevance};
use scenthound_judge::{Apart, Calibrate, ModelKind};
use scenthound_lab::recorded::WebFolder;
use scenthound_types::ParsedPage;
use scenthound_types::text::Stemming;
use serde::Serialize;

use crate::pages_input::{Fetching, Inputs, Naming, NewFile};
use crate::stdout;
use crate::wording::{counted, harmless};

const EXAMPLES: &str = "\
Examples:
  hound train relevance --positive wanted/ --negative others/ -o tea.model
  hound crawl tea.toml --judge logistic:model=tea.model";

/// Words shown of a table.
const WORDS: usize = 20;

#[derive(Subcommand, Debug)]
enum Task {
    /// Train a judge of relevance on example pages
    Relevance(RelevanceArgs),
    /// Train a detector of genres on labelled pages
    Genre(crate::train_genre::Args),
    /// Learn how far pages are from a target, from the pages that lead there
    Layers(crate::train_layers::Args),
}

#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound train relevance --positive wanted/ --negative others/ -o tea.model
  hound train relevance --positive good.txt --background pages.warc.gz --web pages.warc.gz -o tea.model
  hound train relevance --task databases --web webs/university -o db.model --kind svm
  hound train relevance --positive my-crawl --negative all.warc.gz#bad.txt -o tea.model --json

Pages can be HTML or text files, folders of these, WARC files, WARC#LIST, crawl folders (their
relevant pages; all pages for --background), or lists of URLs or paths. URLs are looked up in what
--web names, or fetched politely without it. A task brings its own examples. A table (--kind
table) is made from the wanted pages alone. Instead of pages that are not wanted, you can name
--background pages; some are picked at random. hound crawl uses the model with --judge
KIND:model=FILE. In a topic file, for hound judge too, write [judge] kind = \"logistic\", model =
\"tea.model\".
Exit codes: 0 done, 1 failure, 4 bad input.")]
struct RelevanceArgs {
    /// Pages that are wanted.
    #[arg(long, value_name = "PAGES", num_args = 1..)]
    positive: Vec<String>,
    /// Pages that are not wanted.
    #[arg(long, value_name = "PAGES", num_args = 1..)]
    negative: Vec<String>,
    /// Any pages, used in place of pages that are not wanted.
    #[arg(long, value_name = "PAGES", num_args = 1..)]
    background: Vec<String>,
    /// WARC files or crawl folders to look URLs up in; with --task, the web folder.
    #[arg(long, value_name = "DIR|WARC")]
    web: Vec<PathBuf>,
    /// Take the examples of this task of the web folder.
    #[arg(long, value_name = "NAME")]
    task: Option<String>,
    /// The kind of model: bayes, svm, svm-rbf, network, logistic, committee or table.
    #[arg(long, value_name = "KIND", default_value = "logistic", value_parser = read_kind)]
    kind: Kind,
    /// table: number of words.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    table_size: u32,
    /// How a score becomes a probability: platt, isotonic or raw.
    #[arg(long, value_name = "HOW", default_value = "platt", value_parser = read_calibration)]
    calibrate: Calibrate,
    /// Reduce words to their stems: none, auto (by the language of each page), or a language such as en.
    #[arg(long, value_name = "LANG", default_value = "none", value_parser = read_stemming)]
    stem: Stemming,
    /// Seed for random numbers.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of parts for cross-validation.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u8).range(2..=50))]
    folds: u8,
    #[command(flatten)]
    file: NewFile,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    fetching: Fetching,
}

/// The kinds of judges that can be trained.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// A classifier, which needs pages that are not wanted too.
    Model(ModelKind),
    /// A table of weighted words.
    Table,
}

/// The name of a table among the kinds.
const TABLE: &str = "table";

fn read_kind(text: &str) -> Result<Kind, String> {
    if text == TABLE {
        return Ok(Kind::Table);
    }
    let names: Vec<&str> = ModelKind::ALL.iter().map(|kind| kind.name()).collect();
    let kind = ModelKind::from_name(text).map(Kind::Model);
    kind.ok_or_else(|| format!("write one of {}, {TABLE}", names.join(", ")))
}

fn read_calibration(text: &str) -> Result<Calibrate, String> {
    Calibrate::from_name(text).ok_or_else(|| format!("write one of {}", Calibrate::NAMES.join(", ")))
}

fn read_stemming(text: &str) -> Result<Stemming, String> {
    Stemming::from_name(text).ok_or_else(|| format!("write one of {}", Stemming::NAMES.join(", ")))
}

/// The command and its options.
pub fn command() -> Command {
    Task::augment_subcommands(
        Command::new("train")
            .about("Train a judge on example pages: how good it will be, which words it goes by")
            .after_help(EXAMPLES)
            .subcommand_required(true)
            .arg_required_else_help(true),
    )
}

/// Runs `hound train`.
pub fn run(given: &ArgMatches) -> Result<()> {
    match Task::from_arg_matches(given)? {
        Task::Relevance(args) => relevance(&args),
        Task::Genre(args) => crate::train_genre::run(&args),
        Task::Layers(args) => crate::train_layers::run(&args),
    }
}

fn relevance(args: &RelevanceArgs) -> Result<()> {
    args.file.check()?;
    let mut examples = read_examples(args)?;
    let kind = match args.kind {
        Kind::Model(kind) => kind,
        Kind::Table => return table(args, &mut examples),
    };
    let trained = examples.train(&RelevanceSettings {
        kind,
        calibrate: args.calibrate,
        stemming: args.stem,
        seed: args.seed,
        folds: usize::from(args.folds),
    })?;
    trained.judge.save(&args.file.output)?;
    let report = Report {
        kind: kind.name(),
        model: args.file.output.display().to_string(),
        bytes: std::fs::metadata(&args.file.output).map_or(0, |file| file.len()),
        trained: &trained,
    };
    if args.json {
        return stdout::json(&report);
    }
    stdout::write(|out| write_report(out, &report))?;
    for warning in &trained.warnings {
        complain!("hound: warning: {warning}");
    }
    Ok(())
}

/// Makes a table of the heaviest words of the pages.
fn table(args: &RelevanceArgs, examples: &mut RelevanceExamples) -> Result<()> {
    let judge = examples.train_table(args.table_size as usize, args.stem)?;
    judge.save(&args.file.output)?;
    let (model, pages, words) = (args.file.output.display(), examples.positive(), judge.words());
    if args.json {
        let words: Vec<serde_json::Value> = (words.iter())
            .map(|word| serde_json::json!({ "word": &*word.spelling, "weight": word.weight }))
            .collect();
        return stdout::json(&serde_json::json!({
            "kind": TABLE, "model": model.to_string(), "positive": pages, "words": words,
        }));
    }
    let (size, pages) = (counted(words.len() as u64, "word"), counted(pages as u64, "page"));
    stdout::write(|out| {
        writeln!(out, "{model}: a table of {size} from {pages}")?;
        for word in words.iter().take(WORDS) {
            writeln!(out, "  {:.3}  {}", word.weight, harmless(&word.spelling))?;
        }
        Ok(())
    })
}

fn read_examples(args: &RelevanceArgs) -> Result<RelevanceExamples> {
    let mut web = args.web.clone();
    let needs_others = args.background.is_empty() && !matches!(args.kind, Kind::Table);
    let (mut positive, mut negative) = (args.positive.clone(), args.negative.clone());
    if let Some(name) = &args.task {
        if args.web.len() != 1 {
            refuse!("--task needs the web folder that has it: --web FOLDER");
        }
        let (folder, task) = WebFolder::find_task(&args.web, name)?;
        match task.positive_list() {
            Ok(list) => positive.push(list.display().to_string()),
            Err(fault) if positive.is_empty() => return Err(fault.into()),
            Err(_) => {}
        }
        match task.negative_list() {
            Ok(list) => negative.push(list.display().to_string()),
            Err(fault) if negative.is_empty() && needs_others => return Err(fault.into()),
            Err(_) => {}
        }
        web = folder.archives;
    }
    if positive.is_empty() {
        refuse!("nothing to learn from: name wanted pages with --positive, or a --task of a --web folder");
    }
    if negative.is_empty() && needs_others {
        refuse!(
            "nothing to contrast them with: name pages that are not wanted with --negative, or any pages with \
             --background; the judge topic needs neither them nor a model: hound crawl --examples PAGES"
        );
    }
    let read = |names: &[String], crawls: CrawlPages, visit: &mut dyn FnMut(ParsedPage)| -> Result<u64> {
        let naming = Naming {
            web: &web,
            crawls,
            ..Naming::new(Ok(&args.fetching))
        };
        Inputs::read(names, &naming)?.each(|named| visit(named.page))
    };
    let mut examples = RelevanceExamples::default();
    read(&positive, CrawlPages::Relevant, &mut |page| {
        examples.add_positive(page)
    })?;
    if !negative.is_empty() {
        let mut added = Ok(());
        read(&negative, CrawlPages::Relevant, &mut |page| {
            if let Err(error) = examples.add_negative(page) {
                added = Err(error);
            }
        })?;
        added?;
    }
    if !args.background.is_empty() {
        examples.use_background(args.seed);
        read(&args.background, CrawlPages::All, &mut |page| {
            examples.add_background(page)
        })?;
    }
    Ok(examples)
}

/// What is printed, also as JSON.
#[derive(Serialize)]
struct Report<'a> {
    kind: &'static str,
    model: String,
    bytes: u64,
    #[serde(flatten)]
    trained: &'a TrainedRelevance,
}

fn write_report(out: &mut dyn Write, report: &Report<'_>) -> Result<()> {
    let Report {
        kind,
        model,
        bytes,
        trained,
    } = report;
    let validation = &trained.validation;
    let figures = &validation.figures;
    writeln!(
        out,
        "{model}, {} KB: a {kind} judge of {} wanted against {} others{}",
        bytes.div_ceil(1000),
        counted(trained.positive as u64, "page"),
        trained.negative,
        if trained.negatives_are_background {
            ", background among them"
        } else {
            ""
        },
    )?;
    if let Some(kernel) = trained.kernel {
        writeln!(
            out,
            "C = {} and γ = {}, found by cross-validation",
            kernel.cost, kernel.gamma
        )?;
    }
    let unit = match validation.apart {
        Apart::Sites => "site",
        Apart::Pages => "page",
    };
    writeln!(
        out,
        "\nOn pages it has not seen ({} folds that share no {unit}, threshold 0.5):",
        validation.folds
    )?;
    writeln!(
        out,
        "  accuracy {:.3}   precision {:.3}   recall {:.3}   F1 {:.3}   AUC {:.3}   Brier {:.3}",
        figures.accuracy, figures.precision, figures.recall, figures.f1, figures.auc, figures.brier
    )?;
    let confusion = figures.confusion;
    writeln!(
        out,
        "  wanted: {} found, {} missed   others: {} kept out, {} let in   best threshold {:.2}",
        confusion.true_positive,
        confusion.false_negative,
        confusion.true_negative,
        confusion.false_positive,
        validation.best_threshold
    )?;
    let bins = figures.reliability.iter();
    let bins: Vec<String> = bins
        .map(|bin| format!("{:.2}→{:.2} ({})", bin.predicted, bin.observed, bin.count))
        .collect();
    writeln!(out, "  predicted→observed (pages): {}", bins.join("  "))?;
    for (title, words) in [("For", &trained.telling), ("Against", &trained.telling_against)] {
        let words: Vec<String> = words.iter().map(|word| harmless(&word.word)).collect();
        writeln!(out, "\n{title} relevance: {}", words.join(", "))?;
    }
    writeln!(
        out,
        "\nUse it: hound crawl TOPIC --judge {kind}:model={model}:threshold={:.2}",
        validation.best_threshold
    )?;
    Ok(())
}
