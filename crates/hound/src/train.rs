//! `hound train`: models from example pages.
//!
//! `hound train relevance` makes a judge for `hound crawl`. It says what to expect of the judge on pages it has not seen,
//! what words it goes by, and when the pages given are not enough to go by.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::{ArgMatches, Command, FromArgMatches, Subcommand};
use scenthound_judge::{
    Apart, Calibrate, JudgeFault, ModelKind, TableJudge, TableJudgeSettings, TellingWord, TrainedJudge,
    TrainingPages, TrainingSettings, Validation,
};
use scenthound_lab::recorded::WebFolder;
use scenthound_learn::Space;
use scenthound_types::ParsedPage;
use serde::Serialize;

use crate::fetch_now::Fetching;
use crate::pages_input::{Inputs, Naming, Taken, bad_input, end};
use crate::stdout::{self, note};
use crate::wording::{counted, harmless};

const EXAMPLES: &str = "\
Examples:
  hound train relevance --positive wanted/ --negative others/ -o tea.model
  hound crawl tea.toml --judge logistic --model tea.model";

/// Words told of each direction.
const WORDS: usize = 20;
/// Fewer examples make figures that another ten pages would overthrow.
const FEW: usize = 20;
/// An order this near to chance is no order.
const HARDLY_TOLD_APART: f64 = 0.75;
/// Background pages taken for each example, and at least.
const BACKGROUND_EACH: usize = 4;
const LEAST_BACKGROUND: usize = 200;

#[derive(Subcommand, Debug)]
enum Task {
    /// Train a judge of relevance on example pages
    Relevance(RelevanceArgs),
    /// Train a detector of kinds of pages on labelled pages
    Genre(crate::train_genre::Args),
    /// Learn how far pages stand from a target, from those that link there
    Layers(crate::train_layers::Args),
}

#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound train relevance --positive wanted/ --negative others/ -o tea.model
  hound train relevance --positive good.txt --background pages.warc.gz --web pages.warc.gz -o tea.model
  hound train relevance --task databases --web webs/university -o db.model --kind svm
  hound train relevance --positive my-crawl --negative all.warc.gz#bad.txt -o tea.model --json

Pages are named as for hound terms: HTML or text files, folders of such, WARC files, WARC#LIST,
crawl folders (their relevant pages; as background all), or lists of URLs or paths. URLs are
looked up in what --web names, or fetched politely without it. A task's web folder brings its own
examples.
A table (--kind table) is made of the pages wanted alone.
Without pages that are not wanted, --background pages stand in for them, picked at random.
The model is used by hound crawl and hound judge: --judge KIND --model FILE, or in the topic file
[judge] kind = \"logistic\", model = \"tea.model\".
Exit codes: 0 done, 1 failure, 4 bad input.")]
struct RelevanceArgs {
    /// Pages of the kind wanted.
    #[arg(long, value_name = "PAGES", num_args = 1..)]
    positive: Vec<String>,
    /// Pages that are not wanted.
    #[arg(long, value_name = "PAGES", num_args = 1..)]
    negative: Vec<String>,
    /// Any pages, to stand in for pages that are not wanted.
    #[arg(long, value_name = "PAGES", num_args = 1..)]
    background: Vec<String>,
    /// WARC files or crawl folders that hold the URLs; with --task, the web folder.
    #[arg(long, value_name = "DIR|WARC")]
    web: Vec<PathBuf>,
    /// Take the examples of this task of the web folder.
    #[arg(long, value_name = "NAME")]
    task: Option<String>,
    /// What decides: bayes, svm, svm-rbf, network, logistic, committee or table.
    #[arg(long, value_name = "KIND", default_value = "logistic", value_parser = read_kind)]
    kind: Kind,
    /// table: how many words it has.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    table_size: u32,
    /// How a score becomes a probability: platt, isotonic or raw.
    #[arg(long, value_name = "HOW", default_value = "platt", value_parser = read_calibration)]
    calibrate: Calibrate,
    /// Where chance begins.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Parts for cross-validation.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u8).range(2..=50))]
    folds: u8,
    /// The model file to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Write over a file that is there.
    #[arg(long)]
    force: bool,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    fetching: Fetching,
}

/// What a judge of relevance decides by.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// A classifier, which is told what is not wanted too.
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
            .about("Train a judge on example pages: how good it will be, what words it goes by")
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

/// The pages to learn from.
struct Examples {
    positive: Vec<ParsedPage>,
    negative: Vec<ParsedPage>,
    /// Whether background pages stand in for the negative ones.
    is_background: bool,
}

fn relevance(args: &RelevanceArgs) -> Result<()> {
    if args.output.exists() && !args.force {
        return Err(bad_input(format!(
            "{} is there already; name another file, or write over it with --force",
            args.output.display()
        )));
    }
    let examples = read_examples(args)?;
    let kind = match args.kind {
        Kind::Model(kind) => kind,
        Kind::Table => return table(args, &examples.positive),
    };
    let positive: Vec<&ParsedPage> = examples.positive.iter().collect();
    let negative: Vec<&ParsedPage> = examples.negative.iter().collect();
    let pages = TrainingPages {
        positive: &positive,
        negative: &negative,
    };
    let settings = TrainingSettings {
        seed: args.seed,
        calibrate: args.calibrate,
        ..TrainingSettings::default()
    };
    let validation = TrainedJudge::cross_validate(kind, &pages, &settings, usize::from(args.folds))
        .map_err(untrainable)?;
    let judge = TrainedJudge::train(kind, &pages, &settings).map_err(untrainable)?;
    judge.save(&args.output)?;
    let bytes = std::fs::metadata(&args.output).map_or(0, |file| file.len());
    let warnings = warnings(&examples, &validation);
    let (about, against) = judge.telling_words(WORDS);
    let told = Told {
        kind: kind.name(),
        model: args.output.display().to_string(),
        bytes,
        positive: positive.len(),
        negative: negative.len(),
        negatives_are_background: examples.is_background,
        folds: validation.folds,
        folds_share_no: match validation.apart {
            Apart::Sites => "site",
            Apart::Pages => "page",
        },
        figures: &validation.figures,
        best_threshold: validation.best_threshold,
        telling: words(&about),
        telling_against: words(&against),
        warnings: &warnings,
    };
    stdout::write(|out| {
        if args.json {
            serde_json::to_writer(&mut *out, &told)?;
            return Ok(writeln!(out)?);
        }
        write_report(out, &told)
    })?;
    if !args.json {
        for warning in &warnings {
            note(&format!("hound: warning: {warning}"));
        }
    }
    Ok(())
}

/// Makes a table of the heaviest words of the pages.
fn table(args: &RelevanceArgs, positive: &[ParsedPage]) -> Result<()> {
    let settings = TableJudgeSettings {
        size: args.table_size as usize,
        space: Space::Union,
        threshold: 0.0,
    };
    let judge = TableJudge::learn(positive, &settings).map_err(untrainable)?;
    judge.save(&args.output)?;
    let words: Vec<serde_json::Value> = judge
        .words()
        .iter()
        .map(|word| serde_json::json!({ "word": &*word.spelling, "weight": word.weight }))
        .collect();
    stdout::write(|out| {
        if args.json {
            let told = serde_json::json!({
                "kind": TABLE, "model": args.output.display().to_string(), "positive": positive.len(), "words": words,
            });
            return Ok(writeln!(out, "{told}")?);
        }
        writeln!(
            out,
            "{}: a table of {} from {}",
            args.output.display(),
            counted(judge.words().len() as u64, "word"),
            counted(positive.len() as u64, "page")
        )?;
        for word in judge.words().iter().take(WORDS) {
            writeln!(out, "  {:.3}  {}", word.weight, harmless(&word.spelling))?;
        }
        Ok(())
    })
}

/// Too few pages are the user's to mend.
fn untrainable(fault: JudgeFault) -> anyhow::Error {
    match fault {
        JudgeFault::TooFewExamples { .. } | JudgeFault::NoWords | JudgeFault::Learn(_) => {
            bad_input(format!("{:#}", anyhow::Error::from(fault)))
        }
        other => other.into(),
    }
}

fn read_examples(args: &RelevanceArgs) -> Result<Examples> {
    let mut web = args.web.clone();
    let needs_others = args.background.is_empty() && !matches!(args.kind, Kind::Table);
    let (mut positive, mut negative) = (args.positive.clone(), args.negative.clone());
    if let Some(name) = &args.task {
        let [folder] = args.web.as_slice() else {
            return Err(bad_input(
                "--task needs the one web folder it is of: --web FOLDER".to_owned(),
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
                    return Err(bad_input(format!("the task {name} names no {key}")));
                }
                None => {}
            }
        }
        web = folder.archives;
    }
    if positive.is_empty() {
        return Err(bad_input(
            "nothing to learn from: name pages of the kind wanted with --positive, or a --task of a --web folder".to_owned(),
        ));
    }
    if negative.is_empty() && needs_others {
        return Err(bad_input(
            "nothing to tell them from: name pages that are not wanted with --negative, or any pages with --background"
                .to_owned(),
        ));
    }
    let read = |names: &[String], taken: Taken, visit: &mut dyn FnMut(ParsedPage)| -> Result<u64> {
        let naming = Naming {
            web: &web,
            web_option: "--web",
            only: &[],
            taken,
            fetching: Some(&args.fetching),
        };
        Inputs::read(names, &naming)?.each(|named| visit(named.page))
    };
    let mut examples = Examples {
        positive: Vec::new(),
        negative: Vec::new(),
        is_background: !args.background.is_empty(),
    };
    read(&positive, Taken::Relevant, &mut |page| {
        examples.positive.push(page)
    })?;
    let wanted: BTreeSet<String> = examples
        .positive
        .iter()
        .map(|page| page.url.to_string())
        .collect();
    if !negative.is_empty() {
        read(&negative, Taken::Relevant, &mut |page| {
            examples.negative.push(page)
        })?;
        if let Some(both) = examples
            .negative
            .iter()
            .find(|page| wanted.contains(page.url.as_str()))
        {
            return Err(bad_input(format!(
                "{} is among the positive and among the negative pages; it can be in one only",
                both.url
            )));
        }
    }
    if !args.background.is_empty() {
        let most = LEAST_BACKGROUND.max(BACKGROUND_EACH * examples.positive.len());
        let mut sample = Sample::new(most, args.seed);
        read(&args.background, Taken::All, &mut |page| {
            if !wanted.contains(page.url.as_str()) {
                sample.offer(page);
            }
        })?;
        examples.negative.extend(sample.take());
    }
    Ok(examples)
}

/// So many pages of any number, chosen by a hash of their URL: the same ones whatever their order.
struct Sample {
    most: usize,
    seed: u64,
    held: Vec<(u64, ParsedPage)>,
}

impl Sample {
    fn new(most: usize, seed: u64) -> Sample {
        Sample {
            most,
            seed,
            held: Vec::new(),
        }
    }

    fn offer(&mut self, page: ParsedPage) {
        let place = scenthound_types::text::Token::of(&format!("{} {}", self.seed, page.url)).hash();
        self.held.push((place, page));
        if self.held.len() >= 2 * self.most {
            self.cut();
        }
    }

    fn cut(&mut self) {
        self.held
            .sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.url.cmp(&b.1.url)));
        self.held.truncate(self.most);
    }

    fn take(mut self) -> impl Iterator<Item = ParsedPage> {
        self.cut();
        self.held.into_iter().map(|(_, page)| page)
    }
}

/// What the data cannot support, in sentences.
fn warnings(examples: &Examples, validation: &Validation) -> Vec<String> {
    let mut warnings = Vec::new();
    let sites = |pages: &[ParsedPage]| -> usize {
        pages
            .iter()
            .map(|page| page.url.host())
            .collect::<BTreeSet<_>>()
            .len()
    };
    for (pages, what) in [(&examples.positive, "wanted"), (&examples.negative, "not wanted")] {
        if pages.len() < FEW {
            warnings.push(format!(
                "only {} {what}: the figures are rough; {FEW} or more would steady them",
                counted(pages.len() as u64, "page")
            ));
        }
    }
    if sites(&examples.positive) == 1 && examples.positive.len() > 1 {
        warnings.push(
            "all pages wanted come from one site: the judge may know the site and not the topic; add pages of other sites"
                .to_owned(),
        );
    }
    let larger = examples.negative.len().max(examples.positive.len());
    let smaller = examples.negative.len().min(examples.positive.len()).max(1);
    if larger / smaller >= 20 {
        warnings.push(format!(
            "one class has {} times the pages of the other",
            larger / smaller
        ));
    }
    if validation.figures.auc < HARDLY_TOLD_APART {
        warnings.push(format!(
            "the pages can hardly be told apart (AUC {:.2}, chance is 0.50): are the wanted ones of one kind?",
            validation.figures.auc
        ));
    }
    if examples.is_background {
        warnings.push(
            "background pages count as not wanted, though some may be wanted: true precision may be higher than told"
                .to_owned(),
        );
    }
    if validation.apart == Apart::Pages {
        warnings.push(
            "the examples come from too few sites to hold out whole sites: expect less on sites never seen"
                .to_owned(),
        );
    }
    warnings
}

/// What is told, also as JSON.
#[derive(Serialize)]
struct Told<'a> {
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

fn words(told: &[TellingWord]) -> Vec<Word> {
    told.iter()
        .map(|word| Word {
            word: harmless(&word.word),
            effect: (word.effect * 1000.0).round() / 1000.0,
        })
        .collect()
}

fn write_report(out: &mut dyn Write, told: &Told<'_>) -> Result<()> {
    let figures = told.figures;
    writeln!(
        out,
        "{}, {} KB: a {} judge of {} wanted against {} {}",
        Path::new(&told.model).display(),
        told.bytes.div_ceil(1000),
        told.kind,
        counted(told.positive as u64, "page"),
        told.negative,
        if told.negatives_are_background {
            "others, background among them"
        } else {
            "others"
        },
    )?;
    writeln!(
        out,
        "\nOn pages it has not seen ({} folds that share no {}, threshold 0.5):",
        told.folds, told.folds_share_no
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
        told.best_threshold
    )?;
    let bins: Vec<String> = figures
        .reliability
        .iter()
        .map(|bin| format!("{:.2}→{:.2} ({})", bin.predicted, bin.observed, bin.count))
        .collect();
    writeln!(out, "  said→came true (pages): {}", bins.join("  "))?;
    for (title, words) in [("For it", &told.telling), ("Against it", &told.telling_against)] {
        let words: Vec<&str> = words.iter().map(|word| word.word.as_str()).collect();
        writeln!(out, "\n{title}: {}", words.join(", "))?;
    }
    writeln!(
        out,
        "\nUse it: hound crawl TOPIC --judge {} --model {} --threshold {:.2}",
        told.kind, told.model, told.best_threshold
    )?;
    Ok(())
}
