//! `hound train genre`: a detector of genres from labelled pages.
//!
//! Labels come with a web folder or as a list. The figures are cross-validated by pages, or by sites that stay together; the
//! output says which. Pages of one site resemble each other, so figures by pages hold for sites already seen.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use scenthound::inputs::CrawlPages;
use scenthound::train::{ClassMap, LabelledList, group_of, usual_forest};
use scenthound_judge::{
    DetectorKind, GenreFigures, GenreFolds, GenreTrainingSet, GenreTrainingSettings, GenreWords,
};
use scenthound_lab::LabelledPages;
use scenthound_lab::recorded::WebFolder;
use scenthound_types::CanonicalUrl;
use serde_json::json;

use crate::lab::webs;
use crate::pages_input::{Fetching, Inputs, Naming, bad_input};
use crate::stdout;
use crate::table::{Align, Table, terminal_width};
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
name, a label and a class, with * for any web or label and - for pages to leave out; the first line
that fits counts.
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
    /// Use at most this many pages of a group, spread evenly.
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

/// Answers `hound train genre`.
pub fn run(args: &Args) -> Result<()> {
    if let Some(path) = &args.output
        && path.exists()
        && !args.force
    {
        return Err(bad_input(format!(
            "{} is there already; name another file, or overwrite it with --force",
            path.display()
        )));
    }
    let mut words = GenreWords::shipped();
    for path in &args.words {
        let shown = path.display();
        let list = std::fs::read_to_string(path).map_err(|error| bad_input(format!("{shown}: {error}")))?;
        words.add(&shown.to_string(), &list).map_err(bad_input)?;
    }
    let mut training = GenreTrainingSet::new(args.detector, words);
    read_pages(args, &mut training)?;
    if let Some(most) = args.most_per_group {
        training.thin_groups(most.max(1));
    }
    let left_out = training.leave_out_small(args.least_pages.max(usize::from(args.folds)), args.least_groups);
    for (class, pages, groups) in &left_out {
        note!(
            "note: {} is left out: it has only {} in {}",
            harmless(class),
            counted(*pages as u64, "page"),
            counted(*groups as u64, "group")
        );
    }
    if training.classes().len() < 2 {
        return Err(bad_input(
            "there are fewer than two classes with enough pages".to_owned(),
        ));
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
    let figures = training
        .cross_validate(apart, &settings, |fold| {
            bar.set_message(format!("training: fold {fold} of {} done", args.folds));
            bar.tick();
        })
        .map_err(bad_input)?;
    bar.finish_and_clear();
    let mut bytes = None;
    if let Some(path) = &args.output {
        let detector = training.train(&settings)?;
        detector.save(path)?;
        bytes = Some(std::fs::metadata(path).map_or(0, |file| file.len()));
    }
    if args.json {
        say!("{}", object(args, &training, &left_out, &figures, bytes));
        return Ok(());
    }
    stdout::write(|out| write_figures(out, args, &training, &figures, bytes))
}

/// Reads the labelled pages of all webs, or of the list alone.
fn read_pages(args: &Args, training: &mut GenreTrainingSet) -> Result<()> {
    let map = args
        .classes
        .as_deref()
        .map(ClassMap::read)
        .transpose()
        .map_err(bad_input)?;
    let list = args
        .pages
        .as_deref()
        .map(LabelledList::read)
        .transpose()
        .map_err(bad_input)?;
    if args.web.is_empty() {
        read_list(args, list.unwrap_or_default(), map.as_ref(), training)?;
    } else {
        let list = list.map(LabelledList::urls).transpose().map_err(bad_input)?;
        read_webs(args, list.as_deref(), map.as_ref(), training)?;
    }
    if training.is_empty() {
        return Err(bad_input("no labelled page was found"));
    }
    Ok(())
}

/// Reads pages from recorded webs: those of the list, or those with labels.
fn read_webs(
    args: &Args,
    list: Option<&[(CanonicalUrl, String)]>,
    map: Option<&ClassMap>,
    training: &mut GenreTrainingSet,
) -> Result<()> {
    let mut found: BTreeSet<usize> = BTreeSet::new();
    let mut left_out = Vec::new();
    for path in &args.web {
        let folder = WebFolder::open(path).map_err(bad_input)?;
        let web = webs::load(&folder)?;
        let labels = if list.is_none() || args.folds_by.is_some() {
            folder.labels().map_err(bad_input)?
        } else {
            None
        };
        let class_of = |label: &str| match map {
            None => Some(label.to_owned()),
            Some(map) => map.class(&folder.name, label).map(str::to_owned),
        };
        let pages = LabelledPages {
            web: &web,
            labels: labels.as_ref(),
            group_column: args.folds_by.as_deref().filter(|column| *column != "domain"),
            class_of: &class_of,
        };
        if let Err(fault) = pages.check_group_column() {
            if args.web.len() == 1 {
                return Err(bad_input(fault));
            }
            note!(
                "note: {} has no column {:?}; its pages are kept together by domain",
                folder.name,
                args.folds_by.as_deref().unwrap_or_default()
            );
        }
        let added = match (list, &labels) {
            (Some(list), _) => pages.add(list.iter().map(|(url, label)| (url, label.as_str())), training),
            (None, Some(labels)) => {
                let has = |column: &&String| labels.column(column).is_ok();
                let column = args.label.iter().find(has).or(args.label.first());
                let values = labels
                    .column(column.map_or("genre", String::as_str))
                    .map_err(bad_input)?;
                pages.add(values, training)
            }
            (None, None) => {
                return Err(bad_input(format!(
                    "{} has no labels.tsv; name the pages and their classes with --pages LIST",
                    path.display()
                )));
            }
        };
        found.extend(added.found);
        left_out.extend(
            added
                .left_out
                .into_iter()
                .map(|(label, pages)| (folder.name.clone(), label, pages)),
        );
    }
    left_out.sort();
    for (web, label, pages) in left_out {
        note!(
            "note: {} of {web} labelled {label:?} left out",
            counted(pages as u64, "page")
        );
    }
    if let Some(list) = list
        && found.len() < list.len()
    {
        note!(
            "note: {} of {} are not in what --web names",
            list.len() - found.len(),
            counted(list.len() as u64, "page")
        );
    }
    Ok(())
}

/// Reads the pages of a list from files and from the web.
fn read_list(
    args: &Args,
    list: LabelledList,
    map: Option<&ClassMap>,
    training: &mut GenreTrainingSet,
) -> Result<()> {
    let naming = Naming {
        web: &[],
        web_option: "--web",
        only: &[],
        crawls: CrawlPages::All,
        fetching: Some(&args.fetching),
    };
    for (class, names) in list.by_class(map).map_err(bad_input)? {
        Inputs::read(&names, &naming)?.each(|named| {
            training.push(&named.page, &class, &group_of(&named));
        })?;
    }
    Ok(())
}

/// What the folds kept apart.
fn apart(args: &Args) -> &str {
    args.folds_by.as_deref().unwrap_or("pages")
}

fn object(
    args: &Args,
    training: &GenreTrainingSet,
    left_out: &[(String, usize, usize)],
    figures: &GenreFigures,
    bytes: Option<u64>,
) -> serde_json::Value {
    let sizes = training.classes();
    let per_class: Vec<_> = figures
        .classes
        .iter()
        .zip(&figures.figures.per_class)
        .map(|(class, figures)| {
            json!({
                "class": class,
                "pages": figures.count,
                "groups": sizes.get(class).map(|(_, groups)| groups),
                "precision": figures.precision,
                "recall": figures.recall,
                "f1": figures.f1,
            })
        })
        .collect();
    let left_out: Vec<_> = left_out
        .iter()
        .map(|(class, pages, groups)| json!({"class": class, "pages": pages, "groups": groups}))
        .collect();
    let importance: Vec<_> = figures
        .importance
        .iter()
        .take(FEATURES)
        .map(|(feature, lost)| json!({"feature": feature, "accuracy_lost": lost}))
        .collect();
    json!({
        "detector": args.detector.name(),
        "pages": training.len(),
        "folds": figures.folds,
        "folds_by": apart(args),
        "accuracy": figures.figures.accuracy,
        "macro_f1": figures.figures.macro_f1,
        "per_class": per_class,
        "confusion": {"classes": figures.classes, "rows": figures.figures.confusion},
        "left_out": left_out,
        "importance": importance,
        "model": args.output.as_ref().map(|path| path.display().to_string()),
        "bytes": bytes,
    })
}

fn write_figures(
    out: &mut dyn Write,
    args: &Args,
    training: &GenreTrainingSet,
    figures: &GenreFigures,
    bytes: Option<u64>,
) -> Result<()> {
    writeln!(
        out,
        "{}: {} of {} classes, {} folds by {}",
        args.detector.name(),
        counted(training.len() as u64, "page"),
        figures.classes.len(),
        figures.folds,
        apart(args)
    )?;
    writeln!(
        out,
        "accuracy {:.1} %, mean F1 {:.3}",
        100.0 * figures.figures.accuracy,
        figures.figures.macro_f1
    )?;
    if args.folds_by.is_none() {
        writeln!(
            out,
            "Pages of one site were in several folds: expect lower figures on new sites (--folds-by site or domain)."
        )?;
    }
    writeln!(out)?;
    let mut heads = vec![
        ("class", Align::Left),
        ("pages", Align::Right),
        ("precision", Align::Right),
        ("recall", Align::Right),
        ("F1", Align::Right),
    ];
    let taken_for: Vec<String> = figures
        .classes
        .iter()
        .map(|class| format!("→{}", harmless(class)))
        .collect();
    heads.extend(taken_for.iter().map(|class| (class.as_str(), Align::Right)));
    let mut table = Table::new(&heads);
    for ((class, of_class), row) in figures
        .classes
        .iter()
        .zip(&figures.figures.per_class)
        .zip(&figures.figures.confusion)
    {
        let mut cells = vec![
            harmless(class),
            of_class.count.to_string(),
            format!("{:.3}", of_class.precision),
            format!("{:.3}", of_class.recall),
            format!("{:.3}", of_class.f1),
        ];
        cells.extend(row.iter().map(|count| match count {
            0 => "·".to_owned(),
            count => count.to_string(),
        }));
        table.row(cells, Vec::new());
    }
    table.write(out, terminal_width())?;
    writeln!(out, "\nAccuracy lost when a feature is shuffled:")?;
    for (feature, lost) in figures.importance.iter().take(FEATURES) {
        writeln!(out, "  {:5.2} %  {feature}", 100.0 * lost)?;
    }
    if let (Some(path), Some(bytes)) = (&args.output, bytes) {
        writeln!(out, "\n{}: {bytes} bytes, trained on all pages.", path.display())?;
    }
    Ok(())
}
