//! `hound train genre`: a detector of genres from labelled pages.
//!
//! Labels come with a web folder or as a list. The figures are cross-validated by pages, or by sites that stay together; the
//! output says which. Pages of one site resemble each other, so figures by pages hold for sites already seen.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use scenthound::train::{ClassMap, LabelledList, group_of, usual_forest};
use scenthound_judge::{
    ClassSize, DetectorKind, GenreFigures, GenreFolds, GenreTrainingSet, GenreTrainingSettings,
};
use scenthound_lab::LabelledPages;
use scenthound_lab::recorded::WebFolder;
use serde::Serialize;

use crate::fault::bad_input;
use crate::lab::console::with_lab;
use crate::lab::webs;
use crate::pages_input::{Fetching, Inputs, Naming, check_new};
use crate::stdout;
use crate::table::{Align, Table};
use crate::wording::{counted, harmless};

/// Features shown.
const FEATURES: usize = 15;

#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound train genre --web webs/genres --label genre -o my.model
  hound train genre --web webs/mixed --label genre --folds-by site --least-groups 4 --json
  hound train genre --pages labelled.tsv -o my.model
  hound train genre --pages labelled.tsv --web pages.warc.gz -o my.model --detector genre-9
  hound train genre --web webs/genres --web webs/mixed --classes models/genre.classes -o my.model

A list has one line per page: its URL or file, a tab, its class. URLs are looked up in what --web
names, or fetched without it. A file of classes renames the labels of webs: each line is a web's
name, a label and a class, with * for any web or label and - for pages to leave out; a line with a
beginning of URLs applies to these only. The first line that fits counts.
Exit codes: 0 done, 1 failure, 4 bad input.")]
pub struct Args {
    /// Web folders, WARC files or crawl folders to look the pages up in.
    #[arg(long, value_name = "FOLDER", required_unless_present = "pages")]
    web: Vec<PathBuf>,
    /// The column of the folders' labels.tsv with the class; of several, the first that a folder has.
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', default_value = "genre")]
    label: Vec<String>,
    /// A list of pages with their classes, used instead of the folders' labels.
    #[arg(long, value_name = "LIST")]
    pages: Option<PathBuf>,
    /// A file that renames labels to classes.
    #[arg(long, value_name = "FILE")]
    classes: Option<PathBuf>,
    /// The model file to write; without it only the figures are printed.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long)]
    force: bool,
    /// The set of features: genre-9 (the paper's nine) or genre (many).
    #[arg(long, value_name = "NAME", default_value = "genre", value_parser = read_kind)]
    detector: DetectorKind,
    /// Keep pages with the same value of this column in one fold; `domain` keeps sites together.
    #[arg(long, value_name = "COLUMN")]
    folds_by: Option<String>,
    /// Number of parts for cross-validation.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(2..=50))]
    folds: u8,
    /// Files of words to count, in addition to the built-in lists.
    #[arg(long, value_name = "FILE")]
    words: Vec<PathBuf>,
    /// Leave out classes with fewer pages.
    #[arg(long, value_name = "N", default_value_t = 10)]
    least_pages: usize,
    /// Leave out classes with fewer groups (see --folds-by; domains without it).
    #[arg(long, value_name = "N", default_value_t = 1)]
    least_groups: usize,
    /// Use at most this many pages of each class in a group, spread evenly.
    #[arg(long, value_name = "N")]
    most_per_group: Option<usize>,
    /// Give every class the same weight, however many pages it has [default: true; false for genre-9].
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    balanced: Option<bool>,
    /// Number of trees.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=2000))]
    trees: u32,
    /// Least number of pages in a leaf of a tree [default: 3; 1 for genre-9].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    least_leaf: Option<u32>,
    /// Number of features tried at each split [default: 3 for genre-9; otherwise the square root of all].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    features_a_split: Option<u32>,
    /// Seed for random numbers.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    fetching: Fetching,
}

fn read_kind(text: &str) -> Result<DetectorKind, String> {
    DetectorKind::from_name(text).ok_or_else(|| "write genre-9 or genre".to_owned())
}

/// Runs `hound train genre`.
pub fn run(args: &Args) -> Result<()> {
    if let Some(path) = &args.output {
        check_new(path, args.force)?;
    }
    let mut words = args.detector.words();
    for path in &args.words {
        let shown = path.display().to_string();
        let list = std::fs::read_to_string(path).map_err(|error| bad_input(format!("{shown}: {error}")))?;
        words.add(&shown, &list)?;
    }
    let mut training = GenreTrainingSet::new(args.detector, words);
    read_pages(args, &mut training)?;
    if let Some(most) = args.most_per_group {
        training.thin_groups(most.max(1));
    }
    let left_out = training.leave_out_small(args.least_pages.max(usize::from(args.folds)), args.least_groups);
    for size in &left_out {
        note!(
            "note: {} is left out: it has only {} in {}",
            harmless(&size.class),
            counted(size.pages as u64, "page"),
            counted(size.groups as u64, "group")
        );
    }
    if training.classes().len() < 2 {
        refuse!("there are fewer than two classes with enough pages");
    }
    let (least_leaf, balanced) = usual_forest(args.detector);
    let settings = GenreTrainingSettings {
        trees: args.trees,
        features_a_split: args.features_a_split,
        least_leaf: args.least_leaf.unwrap_or(least_leaf),
        balanced: args.balanced.unwrap_or(balanced),
        folds: usize::from(args.folds),
        seed: args.seed,
    };
    let apart = match args.folds_by {
        Some(_) => GenreFolds::Groups,
        None => GenreFolds::Pages,
    };
    let bar = webs::spinner("training");
    let mut figures = training.cross_validate(apart, &settings, |fold| {
        bar.set_message(format!("training: fold {fold} of {} done", args.folds));
        bar.tick();
    })?;
    bar.finish_and_clear();
    figures.importance.truncate(FEATURES);
    let mut bytes = None;
    if let Some(path) = &args.output {
        training.train(&settings)?.save(path)?;
        bytes = Some(std::fs::metadata(path).map_or(0, |file| file.len()));
    }
    let report = Report {
        detector: args.detector.name(),
        pages: training.len(),
        folds_by: args.folds_by.as_deref().unwrap_or("pages"),
        figures,
        left_out,
        model: args.output.as_ref().map(|path| path.display().to_string()),
        bytes,
    };
    match args.json {
        true => stdout::json(&report),
        false => stdout::write(|out| write_report(out, &report)),
    }
}

/// Reads the labelled pages of all webs, or of the list alone.
fn read_pages(args: &Args, training: &mut GenreTrainingSet) -> Result<()> {
    let map = args.classes.as_deref().map(ClassMap::read).transpose()?;
    let list = args.pages.as_deref().map(LabelledList::read).transpose()?;
    if args.web.is_empty() {
        for (class, names) in list.unwrap_or_default().by_class(map.as_ref())? {
            Inputs::read(&names, &Naming::new(Ok(&args.fetching)))?.each(|named| {
                training.push(&named.page, &class, &group_of(&named));
            })?;
        }
    } else {
        read_webs(args, list, map.as_ref(), training)?;
    }
    if training.is_empty() {
        refuse!("no labelled page was found");
    }
    Ok(())
}

/// Reads pages from recorded webs: those of the list, or those with labels.
fn read_webs(
    args: &Args,
    list: Option<LabelledList>,
    map: Option<&ClassMap>,
    training: &mut GenreTrainingSet,
) -> Result<()> {
    let list = list.map(LabelledList::urls).transpose()?;
    let webs = args.web.iter().map(|path| WebFolder::open(path));
    let pages = LabelledPages {
        webs: &webs.collect::<Result<Vec<_>, _>>()?,
        list: list.as_deref(),
        columns: &args.label,
        group_column: args.folds_by.as_deref().filter(|column| *column != "domain"),
        class_of: &|web, label, url| match map {
            None => Some(label.to_owned()),
            Some(map) => map.class(web, label, url.as_str()).map(str::to_owned),
        },
    };
    let found = with_lab(None, |lab| Ok(lab.read_labelled(&pages, training)?))?;
    for web in &found.without_groups {
        let column = args.folds_by.as_deref().unwrap_or_default();
        note!("note: {web} has no column {column:?}; its pages are kept together by domain");
    }
    for ((web, label), pages) in &found.left_out {
        note!(
            "note: {} of {web} labelled {label:?} left out",
            counted(*pages as u64, "page")
        );
    }
    if let Some(list) = list.filter(|list| found.found.len() < list.len()) {
        let missing = list.len() - found.found.len();
        note!(
            "note: {missing} of {} are not in what --web names",
            counted(list.len() as u64, "page")
        );
    }
    Ok(())
}

/// What is printed, also as JSON.
#[derive(Serialize)]
struct Report<'a> {
    detector: &'static str,
    pages: usize,
    folds_by: &'a str,
    #[serde(flatten)]
    figures: GenreFigures,
    left_out: Vec<ClassSize>,
    model: Option<String>,
    bytes: Option<u64>,
}

fn write_report(out: &mut dyn Write, report: &Report<'_>) -> Result<()> {
    let figures = &report.figures;
    writeln!(
        out,
        "{}: {} of {} classes, {} folds by {}\naccuracy {:.1} %, mean F1 {:.3}",
        report.detector,
        counted(report.pages as u64, "page"),
        figures.per_class.len(),
        figures.folds,
        report.folds_by,
        100.0 * figures.accuracy,
        figures.macro_f1
    )?;
    if report.folds_by == "pages" {
        writeln!(
            out,
            "Pages of one site were in several folds: expect lower figures on new sites (--folds-by site or domain)."
        )?;
    }
    writeln!(out)?;
    let numbers = ["pages", "precision", "recall", "F1"].map(str::to_owned);
    let classes = figures.confusion.classes.iter();
    let taken_for = classes.map(|class| format!("→{}", harmless(class)));
    let mut heads = vec![("class".to_owned(), Align::Left)];
    heads.extend((numbers.into_iter().chain(taken_for)).map(|head| (head, Align::Right)));
    let mut table = Table::new(&heads);
    for (class, row) in figures.per_class.iter().zip(&figures.confusion.rows) {
        let mut cells = vec![harmless(&class.size.class), class.size.pages.to_string()];
        cells.extend([class.precision, class.recall, class.f1].map(|figure| format!("{figure:.3}")));
        cells.extend(row.iter().map(|count| match count {
            0 => "·".to_owned(),
            count => count.to_string(),
        }));
        table.row(cells, Vec::new());
    }
    crate::table::show(&table, out)?;
    writeln!(out, "\nAccuracy lost when a feature is shuffled:")?;
    for feature in &figures.importance {
        writeln!(
            out,
            "  {:5.2} %  {}",
            100.0 * feature.accuracy_lost,
            feature.feature
        )?;
    }
    if let (Some(path), Some(bytes)) = (&report.model, report.bytes) {
        writeln!(out, "\n{path}: {bytes} bytes, trained on all pages.")?;
    }
    Ok(())
}
