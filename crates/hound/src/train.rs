//! `hound train`: models from example pages.
//!
//! `hound train relevance` makes a judge for `hound crawl`. It prints what to expect of the judge on new pages, which words it
//! goes by, and when the examples are not enough.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::{ArgMatches, Command, FromArgMatches, Subcommand};
use scenthound::inputs::CrawlPages;
use scenthound::train::{RelevanceExamples, RelevanceSettings, TrainError};
use scenthound_judge::{Apart, Calibrate, ModelKind, TellingWord};
use scenthound_lab::recorded::WebFolder;
use scenthound_types::ParsedPage;
use serde::Serialize;

use crate::pages_input::{Fetching, Inputs, Naming, bad_input, end};
use crate::stdout::{self, note};
use crate::wording::{counted, harmless};

const EXAMPLES: &str = "\
Examples:
  hound train relevance --positive wanted/ --negative others/ -o tea.model
  hound crawl tea.toml --judge logistic --model tea.model";

/// Words shown for each direction.
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
--web names, or fetched politely without it. A task brings its own examples.
A table (--kind table) is made from the wanted pages alone.
Instead of pages that are not wanted, you can name --background pages; some are picked at random.
The model is used by hound crawl and hound judge: --judge KIND --model FILE, or in the topic file
[judge] kind = \"logistic\", model = \"tea.model\".
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
    /// Seed for random numbers.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of parts for cross-validation.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u8).range(2..=50))]
    folds: u8,
    /// The model file to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Overwrite an existing file.
    #[arg(long)]
    force: bool,
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
    ModelKind::from_name(text).map(Kind::Model).ok_or_else(|| {
        let names = ModelKind::ALL.iter().map(|kind| kind.name());
        let names: Vec<&str> = names.chain([TABLE]).collect();
        format!("write one of {}", names.join(", "))
    })
}

fn read_calibration(text: &str) -> Result<Calibrate, String> {
    match text {
        "platt" => Ok(Calibrate::Platt),
        "isotonic" => Ok(Calibrate::Isotonic),
        "raw" => Ok(Calibrate::Raw),
        _ => Err("write one of platt, isotonic, raw".to_owned()),
    }
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

/// Answers `hound train`.
pub fn run(given: &ArgMatches) -> Result<ExitCode> {
    match Task::from_arg_matches(given)? {
        Task::Relevance(args) => end(relevance(&args)),
        Task::Genre(args) => end(crate::train_genre::run(&args)),
        Task::Layers(args) => end(crate::train_layers::run(&args)),
    }
}

fn relevance(args: &RelevanceArgs) -> Result<()> {
    if args.output.exists() && !args.force {
        return Err(bad_input(format!(
            "{} is there already; name another file, or overwrite it with --force",
            args.output.display()
        )));
    }
    let examples = read_examples(args)?;
    let kind = match args.kind {
        Kind::Model(kind) => kind,
        Kind::Table => return table(args, &examples),
    };
    let settings = RelevanceSettings {
        kind,
        calibrate: args.calibrate,
        seed: args.seed,
        folds: usize::from(args.folds),
    };
    let trained = examples.train(&settings).map_err(train_error)?;
    trained.judge.save(&args.output)?;
    let bytes = std::fs::metadata(&args.output).map_or(0, |file| file.len());
    let warnings: Vec<String> = trained.warnings.iter().map(ToString::to_string).collect();
    let (about, against) = trained.judge.telling_words(WORDS);
    let report = Report {
        kind: kind.name(),
        model: args.output.display().to_string(),
        bytes,
        positive: trained.positive,
        negative: trained.negative,
        negatives_are_background: trained.has_background,
        folds: trained.validation.folds,
        folds_share_no: match trained.validation.apart {
            Apart::Sites => "site",
            Apart::Pages => "page",
        },
        figures: &trained.validation.figures,
        best_threshold: trained.validation.best_threshold,
        telling: words(&about),
        telling_against: words(&against),
        warnings: &warnings,
    };
    stdout::write(|out| {
        if args.json {
            serde_json::to_writer(&mut *out, &report)?;
            return Ok(writeln!(out)?);
        }
        write_report(out, &report)
    })?;
    if !args.json {
        for warning in &warnings {
            note(&format!("hound: warning: {warning}"));
        }
    }
    Ok(())
}

/// Makes a table of the heaviest words of the pages.
fn table(args: &RelevanceArgs, examples: &RelevanceExamples) -> Result<()> {
    let judge = examples
        .train_table(args.table_size as usize)
        .map_err(train_error)?;
    judge.save(&args.output)?;
    let words: Vec<serde_json::Value> = judge
        .words()
        .iter()
        .map(|word| serde_json::json!({ "word": &*word.spelling, "weight": word.weight }))
        .collect();
    stdout::write(|out| {
        if args.json {
            let report = serde_json::json!({
                "kind": TABLE, "model": args.output.display().to_string(), "positive": examples.positive(), "words": words,
            });
            return Ok(writeln!(out, "{report}")?);
        }
        writeln!(
            out,
            "{}: a table of {} from {}",
            args.output.display(),
            counted(judge.words().len() as u64, "word"),
            counted(examples.positive() as u64, "page")
        )?;
        for word in judge.words().iter().take(WORDS) {
            writeln!(out, "  {:.3}  {}", word.weight, harmless(&word.spelling))?;
        }
        Ok(())
    })
}

fn train_error(error: TrainError) -> anyhow::Error {
    match error.is_bad_input() {
        true => bad_input(format!("{:#}", anyhow::Error::from(error))),
        false => error.into(),
    }
}

fn read_examples(args: &RelevanceArgs) -> Result<RelevanceExamples> {
    let mut web = args.web.clone();
    let needs_others = args.background.is_empty() && !matches!(args.kind, Kind::Table);
    let (mut positive, mut negative) = (args.positive.clone(), args.negative.clone());
    if let Some(name) = &args.task {
        let [folder] = args.web.as_slice() else {
            return Err(bad_input(
                "--task needs the web folder that has it: --web FOLDER".to_owned(),
            ));
        };
        let folder = WebFolder::open(folder).map_err(|fault| bad_input(fault.to_string()))?;
        let task = folder.task(name).map_err(|fault| bad_input(fault.to_string()))?;
        let lists = [
            (&task.examples_positive, &mut positive, "examples-positive"),
            (&task.examples_negative, &mut negative, "examples-negative"),
        ];
        for (list, names, key) in lists {
            match list {
                Some(list) => names.push(list.to_string_lossy().into_owned()),
                None if names.is_empty() && (key == "examples-positive" || needs_others) => {
                    return Err(bad_input(format!("the task {name} has no {key}")));
                }
                None => {}
            }
        }
        web = folder.archives;
    }
    if positive.is_empty() {
        return Err(bad_input(
            "nothing to learn from: name wanted pages with --positive, or a --task of a --web folder"
                .to_owned(),
        ));
    }
    if negative.is_empty() && needs_others {
        return Err(bad_input(
            "nothing to contrast them with: name pages that are not wanted with --negative, or any pages with --background"
                .to_owned(),
        ));
    }
    let read = |names: &[String], crawls: CrawlPages, visit: &mut dyn FnMut(ParsedPage)| -> Result<u64> {
        let naming = Naming {
            web: &web,
            web_option: "--web",
            only: &[],
            crawls,
            fetching: Some(&args.fetching),
        };
        Inputs::read(names, &naming)?.each(|named| visit(named.page))
    };
    let mut examples = RelevanceExamples::default();
    read(&positive, CrawlPages::Relevant, &mut |page| {
        examples.add_positive(page);
    })?;
    if !negative.is_empty() {
        let mut refused = Ok(());
        read(&negative, CrawlPages::Relevant, &mut |page| {
            if let Err(error) = examples.add_negative(page) {
                refused = Err(error);
            }
        })?;
        refused.map_err(train_error)?;
    }
    if !args.background.is_empty() {
        examples.use_background(args.seed);
        read(&args.background, CrawlPages::All, &mut |page| {
            examples.add_background(page);
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
    positive: usize,
    negative: usize,
    negatives_are_background: bool,
    folds: u32,
    folds_share_no: &'static str,
    figures: &'a scenthound_learn::BinaryFigures,
    best_threshold: f64,
    telling: Vec<Word>,
    telling_against: Vec<Word>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct Word {
    word: String,
    effect: f64,
}

fn words(words: &[TellingWord]) -> Vec<Word> {
    words
        .iter()
        .map(|word| Word {
            word: harmless(&word.word),
            effect: (word.effect * 1000.0).round() / 1000.0,
        })
        .collect()
}

fn write_report(out: &mut dyn Write, report: &Report<'_>) -> Result<()> {
    let figures = report.figures;
    writeln!(
        out,
        "{}, {} KB: a {} judge of {} wanted against {} {}",
        Path::new(&report.model).display(),
        report.bytes.div_ceil(1000),
        report.kind,
        counted(report.positive as u64, "page"),
        report.negative,
        if report.negatives_are_background {
            "others, background among them"
        } else {
            "others"
        },
    )?;
    writeln!(
        out,
        "\nOn pages it has not seen ({} folds that share no {}, threshold 0.5):",
        report.folds, report.folds_share_no
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
        report.best_threshold
    )?;
    let bins: Vec<String> = figures
        .reliability
        .iter()
        .map(|bin| format!("{:.2}→{:.2} ({})", bin.predicted, bin.observed, bin.count))
        .collect();
    writeln!(out, "  said→came true (pages): {}", bins.join("  "))?;
    for (title, words) in [
        ("For it", &report.telling),
        ("Against it", &report.telling_against),
    ] {
        let words: Vec<&str> = words.iter().map(|word| word.word.as_str()).collect();
        writeln!(out, "\n{title}: {}", words.join(", "))?;
    }
    writeln!(
        out,
        "\nUse it: hound crawl TOPIC --judge {} --model {} --threshold {:.2}",
        report.kind, report.model, report.best_threshold
    )?;
    Ok(())
}
