//! `hound train genre`: a detector of kinds of pages from labelled ones.
//!
//! Labels come with a web folder or as a list. The figures are cross-validated, by pages or by sites that stay together,
//! and say so: pages of one site resemble each other, so figures by pages are what to expect of sites already seen.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use scenthound_judge::{
    DetectorKind, GenreFigures, GenreFolds, GenreTrainingSet, GenreTrainingSettings, GenreWords,
};
use scenthound_lab::recorded::{PageId, RecordedWeb, WebFolder};
use scenthound_types::{CanonicalUrl, registrable_domain};
use serde_json::json;

use crate::fetch_now::Fetching;
use crate::lab::webs;
use crate::pages_input::{Inputs, Naming, Taken, bad_input};
use crate::stdout;
use crate::table::{Align, Table, terminal_width};
use crate::wording::{counted, harmless};

/// Features told of.
const FEATURES: usize = 15;

#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound train genre --web webs/genres --label genre -o my.model
  hound train genre --web webs/mixed --label genre --folds-by site --least-groups 4 --json
  hound train genre --pages labelled.tsv -o my.model
  hound train genre --pages labelled.tsv --web pages.warc.gz -o my.model --detector genre-9
  hound train genre --web webs/genres --web webs/mixed --classes models/genre.classes -o my.model

A list has a line for each page: its URL or its file, a tab, its class. URLs are looked up in what
--web names, or fetched where nothing is named. A file of classes says what the labels of webs are to be called: on each line a web's name,
a label and a class, with * for any web or label and - for a class that is left out; the first line
that fits counts.
Exit codes: 0 done, 1 failure, 4 bad input.")]
pub struct Args {
    /// Web folders, WARC files or crawl folders that hold the pages.
    #[arg(long, value_name = "FOLDER", required_unless_present = "pages")]
    web: Vec<PathBuf>,
    /// The column of the folders' labels.tsv that tells the class; of several, the first that a folder has.
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', default_value = "genre")]
    label: Vec<String>,
    /// A list of pages with their classes, in place of the folders' labels.
    #[arg(long, value_name = "LIST")]
    pages: Option<PathBuf>,
    /// What the labels are to be called.
    #[arg(long, value_name = "FILE")]
    classes: Option<PathBuf>,
    /// The model file to write; without it only the figures are told.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write over a file that is there.
    #[arg(long)]
    force: bool,
    /// Which features: genre-9 (the nine of the paper) or genre (many).
    #[arg(long, value_name = "NAME", default_value = "genre", value_parser = read_kind)]
    detector: DetectorKind,
    /// Keep pages together in the folds that share the value of this column, or `domain`.
    #[arg(long, value_name = "COLUMN")]
    folds_by: Option<String>,
    /// Parts for cross-validation.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(2..=50))]
    folds: u8,
    /// Words to count besides those that come with the program.
    #[arg(long, value_name = "FILE")]
    words: Vec<PathBuf>,
    /// Leave out classes with fewer pages.
    #[arg(long, value_name = "N", default_value_t = 10)]
    least_pages: usize,
    /// Leave out classes of fewer groups (see --folds-by; domains without it).
    #[arg(long, value_name = "N", default_value_t = 1)]
    least_groups: usize,
    /// Take at most this many pages of a group, spread evenly.
    #[arg(long, value_name = "N")]
    most_per_group: Option<usize>,
    /// Count every class the same, however many pages it has [default: true; false for genre-9].
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    balanced: Option<bool>,
    /// How many trees.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=2000))]
    trees: u32,
    /// Pages a leaf of a tree holds at least [default: 3; 1 for genre-9].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    least_leaf: Option<u32>,
    /// Features each split looks at [default: 3 of the nine, the root of the number of many].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    features_a_split: Option<u32>,
    /// Where chance begins.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    fetching: Fetching,
}

/// Leaves and balance for a kind of detector where nobody says otherwise: the paper's for its nine numbers. The many numbers
/// were chosen for on the web `mixed`, by sites (see docs/genres.md).
fn usual(kind: DetectorKind) -> (u32, bool) {
    match kind {
        DetectorKind::Nine => (1, false),
        DetectorKind::Rich => (3, true),
    }
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
            "{} is there already; name another file, or write over it with --force",
            path.display()
        )));
    }
    let mut words = GenreWords::shipped();
    for path in &args.words {
        let list = read_text(path)?;
        words
            .add(&path.display().to_string(), &list)
            .map_err(|fault| bad_input(fault.to_string()))?;
    }
    let mut training = GenreTrainingSet::new(args.detector, words);
    read_pages(args, &mut training)?;
    if let Some(most) = args.most_per_group {
        training.thin_groups(most.max(1));
    }
    let left_out = training.leave_out_small(args.least_pages.max(usize::from(args.folds)), args.least_groups);
    for (class, pages, groups) in &left_out {
        note!(
            "note: {} is left out: it has {} of {} only",
            harmless(class),
            counted(*pages as u64, "page"),
            counted(*groups as u64, "group")
        );
    }
    if training.classes().len() < 2 {
        return Err(bad_input(
            "there are fewer than two classes with enough pages: nothing to tell apart".to_owned(),
        ));
    }
    let (least_leaf, balanced) = usual(args.detector);
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
        .map_err(|fault| bad_input(fault.to_string()))?;
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

fn read_text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| bad_input(format!("{}: {error}", path.display())))
}

/// Which class a label of a web stands for.
struct ClassMap {
    /// Web, label, class.
    lines: Vec<(String, String, String)>,
}

impl ClassMap {
    fn read(path: &Path) -> Result<ClassMap> {
        let mut lines = Vec::new();
        for (number, line) in read_text(path)?.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default();
            let cells: Vec<&str> = line.split_whitespace().collect();
            match cells.as_slice() {
                [] => {}
                [web, label, class] => {
                    lines.push(((*web).to_owned(), (*label).to_owned(), (*class).to_owned()));
                }
                _ => {
                    return Err(bad_input(format!(
                        "{}:{}: {line:?} is not a web, a label and a class, such as: mixed docs documentation",
                        path.display(),
                        number + 1
                    )));
                }
            }
        }
        Ok(ClassMap { lines })
    }

    /// The class; none where it is to be left out.
    fn class<'a>(&'a self, web: &str, label: &str) -> Option<&'a str> {
        let fits = |pattern: &str, name: &str| pattern == "*" || pattern == name;
        self.lines
            .iter()
            .find(|(of, known, _)| fits(of, web) && fits(known, label))
            .map(|(_, _, class)| class.as_str())
            .filter(|class| *class != "-")
    }
}

/// Reads the labelled pages of all webs.
fn read_pages(args: &Args, training: &mut GenreTrainingSet) -> Result<()> {
    let map = args.classes.as_deref().map(ClassMap::read).transpose()?;
    if args.web.is_empty() {
        return read_pages_of_list(args, map.as_ref(), training);
    }
    let list = args.pages.as_deref().map(read_list).transpose()?;
    let mut unmapped: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut found: BTreeSet<usize> = BTreeSet::new();
    for path in &args.web {
        let folder = WebFolder::open(path).map_err(|fault| bad_input(fault.to_string()))?;
        let web = webs::load(&folder)?;
        let labels = if list.is_none() || args.folds_by.is_some() {
            folder.labels().map_err(|fault| bad_input(fault.to_string()))?
        } else {
            None
        };
        let mut group_of: HashMap<&CanonicalUrl, &str> = HashMap::new();
        if let (Some(column), Some(labels)) = (&args.folds_by, &labels)
            && column != "domain"
        {
            match labels.column(column) {
                Ok(values) => group_of.extend(values),
                Err(fault) if args.web.len() == 1 => return Err(bad_input(fault.to_string())),
                Err(_) => note!(
                    "note: {} has no column {column:?}; its pages are kept together by domain",
                    folder.name
                ),
            }
        }
        let mut taken: BTreeSet<PageId> = BTreeSet::new();
        let mut add = |url: &CanonicalUrl, label: &str, training: &mut GenreTrainingSet| {
            let class = match &map {
                None => Some(label),
                Some(map) => map.class(&folder.name, label),
            };
            let Some(class) = class.filter(|class| !class.is_empty()) else {
                *unmapped
                    .entry((folder.name.clone(), label.to_owned()))
                    .or_default() += 1;
                return false;
            };
            let group = group_of
                .get(url)
                .copied()
                .unwrap_or_else(|| registrable_domain(url.host()));
            push(&web, url, class, group, &mut taken, training)
        };
        match (&list, &labels) {
            (Some(list), _) => {
                for (number, (url, label)) in list.iter().enumerate() {
                    if add(url, label, training) {
                        found.insert(number);
                    }
                }
            }
            (None, Some(labels)) => {
                let named = |column: &&String| labels.column(column).is_ok();
                let column = args.label.iter().find(named).or(args.label.first());
                let values = labels
                    .column(column.map_or("genre", String::as_str))
                    .map_err(|fault| bad_input(fault.to_string()))?;
                for (url, label) in values {
                    add(url, label, training);
                }
            }
            (None, None) => {
                return Err(bad_input(format!(
                    "{} has no labels.tsv; name the pages and their classes with --pages LIST",
                    path.display()
                )));
            }
        }
    }
    for ((web, label), pages) in unmapped {
        note!(
            "note: {} of {web} labelled {:?} left out",
            counted(pages as u64, "page"),
            label
        );
    }
    if let Some(list) = &list
        && found.len() < list.len()
    {
        note!(
            "note: {} of {} are not in what --web names",
            list.len() - found.len(),
            counted(list.len() as u64, "page")
        );
    }
    if training.is_empty() {
        return Err(bad_input("no labelled page was found".to_owned()));
    }
    Ok(())
}

/// Reads the pages of a list from files and from the web.
fn read_pages_of_list(args: &Args, map: Option<&ClassMap>, training: &mut GenreTrainingSet) -> Result<()> {
    let naming = Naming {
        web: &[],
        web_option: "--web",
        only: &[],
        taken: Taken::All,
        fetching: Some(&args.fetching),
    };
    let mut by_class: BTreeMap<String, Vec<String>> = BTreeMap::new();
    if let Some(path) = &args.pages {
        for (number, name, label) in read_lines(path)? {
            let class = map.map_or(Some(label.as_str()), |map| map.class("", &label));
            let Some(class) = class else { continue };
            let near = path.parent().unwrap_or(Path::new("")).join(&name);
            let name = if near.is_file() {
                near.display().to_string()
            } else {
                name
            };
            if !Path::new(&name).is_file() && CanonicalUrl::parse(&name).is_err() {
                return Err(bad_input(format!(
                    "{}:{number}: {} is neither a URL nor a file",
                    path.display(),
                    harmless(&name)
                )));
            }
            by_class.entry(class.to_owned()).or_default().push(name);
        }
    }
    for (class, names) in by_class {
        Inputs::read(&names, &naming)?.each(|named| {
            // Files of one folder are taken for one site.
            let folder = Path::new(&named.name)
                .parent()
                .filter(|_| Path::new(&named.name).is_file());
            let group = folder.map_or_else(
                || registrable_domain(named.page.url.host()).to_owned(),
                |folder| folder.display().to_string(),
            );
            training.push(&named.page, &class, &group);
        })?;
    }
    if training.is_empty() {
        return Err(bad_input("no labelled page was found".to_owned()));
    }
    Ok(())
}

/// Adds a page unless another of its addresses did; whether it is there.
fn push(
    web: &RecordedWeb,
    url: &CanonicalUrl,
    class: &str,
    group: &str,
    taken: &mut BTreeSet<PageId>,
    training: &mut GenreTrainingSet,
) -> bool {
    let Some(page) = web.page_at(url) else {
        return false;
    };
    if taken.insert(page)
        && let Some(page) = web.page(page)
    {
        training.push(&page, class, group);
    }
    true
}

/// Reads lines of a URL, a tab and a class.
fn read_list(path: &Path) -> Result<Vec<(CanonicalUrl, String)>> {
    let lines = read_lines(path)?.into_iter();
    lines
        .map(|(number, name, class)| match CanonicalUrl::parse(&name) {
            Ok(url) => Ok((url, class)),
            Err(_) => Err(bad_line(path, number)),
        })
        .collect()
}

/// The number, the page and the class of each line that says something.
fn read_lines(path: &Path) -> Result<Vec<(usize, String, String)>> {
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(read_text(path)?.lines()) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        match line.split_once('\t') {
            Some((name, class)) if !name.trim().is_empty() && !class.trim().is_empty() => {
                lines.push((number, name.trim().to_owned(), class.trim().to_owned()));
            }
            _ => return Err(bad_line(path, number)),
        }
    }
    Ok(lines)
}

fn bad_line(path: &Path, number: usize) -> anyhow::Error {
    bad_input(format!(
        "{}:{number}: a URL, a tab and a class are wanted, such as: https://example.org/<tab>blog",
        path.display()
    ))
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
            "Pages of one site were in several folds: on sites never seen expect less (--folds-by site or domain)."
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
