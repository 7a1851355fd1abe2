//! `hound terms`: terms from example pages, how much two lists of terms share, and how rare terms are.

mod suggest;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{ArgMatches, Command, FromArgMatches, Subcommand, ValueEnum};
use scenthound_judge::IdfTable;
use scenthound_judge::terms::{
    BackgroundCounts, Candidate, DocumentCounter, Frequency, GenerateSettings, Generated, Overlap, RunCounts,
    TermsFault, generate,
};
use scenthound_lab::recorded::WebFolder;
use scenthound_store::replace;
use scenthound_types::text::StopList;
use scenthound_types::{Language, Text};
use unicode_width::UnicodeWidthStr;

use crate::fetch_now::Fetching;
use crate::judge::topic_settings;
use crate::pages_input::{Inputs, Naming, Taken, bad_input, end};
use crate::stdout::{self, note};
use crate::wording::{count, counted, harmless};

const EXAMPLES: &str = "\
Examples:
  hound terms generate --genre-pages syllabi/ --relevant-pages databases/ -o topic.toml
  hound terms overlap mine.toml topic.toml
  hound terms suggest my-crawl
  hound terms idf --from pages.warc.gz --terms topic.toml -o idf.json";

#[derive(Subcommand, Debug)]
enum Task {
    /// Make a topic file from example pages: the most frequent runs of one to three words
    Generate(Box<GenerateArgs>),
    /// Tell how much two lists of terms have in common
    Overlap(OverlapArgs),
    /// Suggest terms from the pages of a crawl that were marked relevant, or from its best
    Suggest(suggest::Args),
    /// Make a table of how rare terms are, from any collection, for judge's idf
    Idf(IdfArgs),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum By {
    /// Every occurrence counts.
    #[default]
    Frequency,
    /// Every page counts once.
    DocumentFrequency,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound terms generate --genre-pages syllabi/ --relevant-pages databases/ -o topic.toml
  hound terms generate --genre-pages courses.txt --relevant-pages db.txt --web pages.warc.gz
  hound terms generate --genre-pages all.warc.gz#courses.txt --relevant-pages all.warc.gz#db.txt \\
      --background all.warc.gz --by document-frequency --drop-inner
  hound terms generate --genre-terms 0 --relevant-pages my-crawl      from a crawl's relevant pages
  hound terms generate --web webs/university --task databases-courses --genre-task course-pages

Pages are named as HTML or text files, folders of such, WARC files (all their HTML pages),
WARC#LIST (those of a list of URLs), crawl folders (their relevant pages), or text files of one
URL or path a line, or URLs. With --web, URLs are looked up in the archives it names; without, they
are fetched, as a crawl would: robots rules first, one request a host at a time.
Look the list over and strike what does not fit: a picked half is mostly better than the whole.
Exit codes: 0 done, 1 failure, 4 bad input.")]
struct GenerateArgs {
    /// Pages of the kind wanted, whatever they are about.
    #[arg(long, value_name = "PAGES", num_args = 1..)]
    genre_pages: Vec<String>,
    /// Pages of the kind wanted, about what is wanted.
    #[arg(long, value_name = "PAGES", num_args = 1..)]
    relevant_pages: Vec<String>,
    /// Other pages to contrast with: then what is frequent everywhere is no term.
    #[arg(long, value_name = "PAGES", num_args = 1..)]
    background: Vec<String>,
    /// WARC files or crawl folders that hold the URLs.
    #[arg(long, value_name = "DIR|WARC")]
    web: Vec<PathBuf>,
    /// Take the examples of this task of the web folder that --web names as relevant pages.
    #[arg(long, value_name = "NAME", requires = "web")]
    task: Vec<String>,
    /// Take the examples of this task as pages of the kind wanted.
    #[arg(long, value_name = "NAME", requires = "web")]
    genre_task: Vec<String>,
    /// Take only the URLs of this list from WARC files and crawl folders named as example pages.
    #[arg(long, value_name = "LIST")]
    only: Vec<PathBuf>,
    /// How many genre terms.
    #[arg(long, value_name = "N", default_value_t = 20)]
    genre_terms: usize,
    /// How many content terms.
    #[arg(long, value_name = "N", default_value_t = 20)]
    content_terms: usize,
    /// What frequent means.
    #[arg(long, value_enum, default_value_t)]
    by: By,
    /// Leave out runs that fewer pages hold [default: 2 with --background, 1 without].
    #[arg(long, value_name = "N")]
    least_pages: Option<u64>,
    /// Leave out runs that only ever occur inside a longer one that is picked.
    #[arg(long)]
    drop_inner: bool,
    /// The language of the topic, as two letters; otherwise that of most pages.
    #[arg(long, value_name = "CODE", value_parser = read_language)]
    language: Option<Language>,
    /// The name of the topic.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The topic file to write; standard output otherwise.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write over a file that is there.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    fetching: Fetching,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound terms overlap mine.toml generated.toml      topic files: genre, content and all
  hound terms overlap mine.txt other.txt --json     lists of one term a line

Terms are the same if their words are: capitals, accents and stop words make no difference. The
figures are Dice (2 × shared / (A + B)), the share of the union, and the share of A's own terms.")]
struct OverlapArgs {
    /// A topic file (.toml), or a list of one term a line.
    #[arg(value_name = "A")]
    first: PathBuf,
    /// What to compare it with.
    #[arg(value_name = "B")]
    second: PathBuf,
    /// The language whose stop words are left out, besides those of the topic files.
    #[arg(long, value_name = "CODE", value_parser = read_language)]
    language: Option<Language>,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound terms idf --from pages.warc.gz -o idf.json                      every word that two pages hold
  hound terms idf --from my-crawl --terms topic.toml -o idf.json        the terms of a topic, phrases too
  hound terms idf --from pages/ --terms topic.toml --words -o idf.json  both

Then in the topic file: [judge] idf = \"idf.json\". A word that is missing from the table counts
as seen on one page.")]
struct IdfArgs {
    /// WARC files, crawl folders (all their pages), folders of pages.
    #[arg(long, value_name = "PAGES", num_args = 1.., required = true)]
    from: Vec<String>,
    /// Count the genre, content and exclude terms of these topic files, in place of all words.
    #[arg(long, value_name = "TOPIC.toml")]
    terms: Vec<String>,
    /// Count all words besides the terms.
    #[arg(long, requires = "terms")]
    words: bool,
    /// The table to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// The command and its tasks.
pub fn command() -> Command {
    Task::augment_subcommands(
        Command::new("terms")
            .about("Terms from example pages and from feedback, overlap of term lists, tables of how rare terms are")
            .after_help(EXAMPLES)
            .subcommand_required(true)
            .arg_required_else_help(true),
    )
}

/// Answers `hound terms`.
pub fn run(given: &ArgMatches) -> Result<ExitCode> {
    end(match Task::from_arg_matches(given)? {
        Task::Generate(args) => generate_topic(&args),
        Task::Overlap(args) => compare(&args),
        Task::Suggest(args) => suggest::run(&args),
        Task::Idf(args) => count_documents(&args),
    })
}

fn read_language(code: &str) -> Result<Language, String> {
    Language::from_code(code).ok_or_else(|| "write two letters, as en, pt or zh".to_owned())
}

// ------------------------------------------------------------------------------------------------------- generating

/// An example, without what terms are not taken from.
struct Example {
    text: Text,
    language: Option<Language>,
}

/// The example pages named, and those of the tasks named.
fn with_tasks(pages: &[String], tasks: &[String], web: &[PathBuf]) -> Result<Vec<String>> {
    let mut pages = pages.to_vec();
    for name in tasks {
        // The fault of a folder that lacks the task names those it has.
        let mut fault = None;
        let mut found = None;
        for folder in web {
            match WebFolder::open(folder).and_then(|folder| folder.task(name).cloned()) {
                Ok(task) => found = found.or(Some(task)),
                Err(other) => fault = fault.or(Some(other)),
            }
        }
        let task = match (found, fault) {
            (Some(task), _) => task,
            (None, Some(fault)) => return Err(bad_input(fault.to_string())),
            (None, None) => return Err(bad_input("name the folder of the task with --web".to_owned())),
        };
        let list = task
            .examples_positive
            .ok_or_else(|| bad_input(format!("the task {name} has no examples-positive list of pages")))?;
        pages.push(list.to_string_lossy().into_owned());
    }
    Ok(pages)
}

fn generate_topic(args: &GenerateArgs) -> Result<()> {
    check_output(args)?;
    let genre_pages = with_tasks(&args.genre_pages, &args.genre_task, &args.web)?;
    let relevant_pages = with_tasks(&args.relevant_pages, &args.task, &args.web)?;
    for (option, pages, zero, wanted) in [
        ("--genre-pages", &genre_pages, "--genre-terms 0", args.genre_terms),
        (
            "--relevant-pages",
            &relevant_pages,
            "--content-terms 0",
            args.content_terms,
        ),
    ] {
        if pages.is_empty() && wanted > 0 {
            return Err(bad_input(format!(
                "there are no pages to take terms from; give {option} with example pages, or {zero} for none"
            )));
        }
    }
    if args.genre_terms == 0 && args.content_terms == 0 {
        return Err(bad_input(
            "no terms are asked for; give --genre-terms or --content-terms a number above 0".to_owned(),
        ));
    }
    let naming = Naming {
        web: &args.web,
        web_option: "--web",
        only: &args.only,
        taken: Taken::Relevant,
        fetching: Some(&args.fetching),
    };
    let everything = Naming {
        only: &[],
        taken: Taken::All,
        ..naming
    };
    let background = Inputs::read(&args.background, &everything)?;
    let genre = examples(&Inputs::read(&genre_pages, &naming)?)?;
    let relevant = examples(&Inputs::read(&relevant_pages, &naming)?)?;
    let language = args
        .language
        .or_else(|| usual_language(genre.iter().chain(&relevant)));

    let genre = counts(&genre, language);
    let relevant = counts(&relevant, language);
    let mut contrast = None;
    if !args.background.is_empty() {
        let mut counts = BackgroundCounts::of(&[&genre, &relevant], language);
        background.each(|named| counts.add(&named.page.text, named.page.language))?;
        contrast = Some(counts);
    }
    let settings = GenerateSettings {
        genre_terms: args.genre_terms,
        content_terms: args.content_terms,
        by: match args.by {
            By::Frequency => Frequency::Occurrences,
            By::DocumentFrequency => Frequency::Documents,
        },
        least_documents: args
            .least_pages
            .unwrap_or(if args.background.is_empty() { 1 } else { 2 }),
        drop_inner: args.drop_inner,
    };
    let generated = generate(&genre, &relevant, contrast.as_ref(), &settings).map_err(told)?;
    let made_from = made_from(&genre, &relevant, contrast.as_ref());
    let topic = write_topic(&topic_name(args), language, &made_from, &generated);
    match &args.output {
        Some(path) => {
            let shown = path.display();
            // A bare name has no folder to flush.
            let whole = std::path::absolute(path).with_context(|| format!("{shown} cannot be written"))?;
            replace(&whole, topic.as_bytes())?;
            note(&format!(
                "{} genre and {} content terms from {made_from}, in {shown}. Strike what does not fit, add seeds, then: \
                 hound crawl {shown}",
                generated.genre.len(),
                generated.content.len(),
            ));
            Ok(())
        }
        None => stdout::write(|out| Ok(out.write_all(topic.as_bytes())?)),
    }
}

fn check_output(args: &GenerateArgs) -> Result<()> {
    let Some(path) = &args.output else {
        return Ok(());
    };
    if path.extension().is_none_or(|ending| ending != "toml") {
        return Err(bad_input(format!(
            "{} is no name for a topic file; end it in .toml",
            path.display()
        )));
    }
    if path.exists() && !args.force {
        return Err(bad_input(format!(
            "{} is there already; name another file, or write over it with --force",
            path.display()
        )));
    }
    Ok(())
}

fn topic_name(args: &GenerateArgs) -> String {
    let of_file = || args.output.as_deref().and_then(Path::file_stem);
    match (&args.name, of_file()) {
        (Some(name), _) => harmless(name),
        (None, Some(stem)) => harmless(&stem.to_string_lossy()),
        (None, None) => "generated terms".to_owned(),
    }
}

fn told(fault: TermsFault) -> anyhow::Error {
    bad_input(fault.to_string())
}

fn examples(inputs: &Inputs) -> Result<Vec<Example>> {
    let mut examples = Vec::new();
    inputs.each(|named| {
        examples.push(Example {
            text: named.page.text,
            language: named.page.language,
        });
    })?;
    Ok(examples)
}

/// The language of most pages; of two that are as frequent the one whose code comes first.
fn usual_language<'a>(pages: impl Iterator<Item = &'a Example>) -> Option<Language> {
    let mut votes: BTreeMap<Language, u64> = BTreeMap::new();
    for language in pages.filter_map(|page| page.language) {
        *votes.entry(language).or_default() += 1;
    }
    let most = votes.values().copied().max()?;
    votes
        .into_iter()
        .find(|(_, votes)| *votes == most)
        .map(|(language, _)| language)
}

fn counts(pages: &[Example], topic: Option<Language>) -> RunCounts {
    let mut counts = RunCounts::new(topic);
    for page in pages {
        counts.add(&page.text, page.language);
    }
    counts
}

fn made_from(genre: &RunCounts, relevant: &RunCounts, background: Option<&BackgroundCounts>) -> String {
    let mut parts = vec![
        counted(genre.documents(), "genre page"),
        counted(relevant.documents(), "relevant page"),
    ];
    parts.extend(background.map(|background| counted(background.documents(), "background page")));
    parts.join(", ")
}

/// A topic file with what spoke for each term.
fn write_topic(name: &str, language: Option<Language>, made_from: &str, generated: &Generated) -> String {
    let mut toml = format!(
        "# Terms taken from {made_from}.\n# Strike what does not fit: a picked half is mostly better than the whole.\n\n\
         [topic]\nname = {}\n",
        quoted(name)
    );
    if let Some(language) = language {
        toml.push_str(&format!("language = \"{language}\"\n"));
    }
    toml.push_str("\n[terms]\n");
    for (list, terms) in [("genre", &generated.genre), ("content", &generated.content)] {
        if !terms.is_empty() {
            write_list(&mut toml, list, terms);
        }
    }
    toml.push_str("\n[seeds]\n# urls = [\"https://example.org/\"]\n");
    toml
}

fn write_list(toml: &mut String, list: &str, terms: &[Candidate]) {
    let spelled: Vec<String> = terms.iter().map(|term| quoted(&term.term)).collect();
    let width = spelled.iter().map(|term| term.width()).max().unwrap_or(0);
    toml.push_str(&format!("{list} = [\n"));
    for (term, spelled) in terms.iter().zip(&spelled) {
        toml.push_str(&candidate_line(
            term,
            spelled,
            &" ".repeat(width - spelled.width()),
        ));
    }
    toml.push_str("]\n");
}

/// A term in a list of a topic file, with what spoke for it.
fn candidate_line(term: &Candidate, spelled: &str, gap: &str) -> String {
    let contrast = term.contrast.map(|contrast| format!(", contrast {contrast:.1}"));
    format!(
        "    {spelled},{gap}  # {} on {}{}\n",
        match term.count {
            1 => "once".to_owned(),
            times => format!("{} times", count(times)),
        },
        counted(term.documents, "page"),
        contrast.unwrap_or_default()
    )
}

/// A TOML string.
fn quoted(text: &str) -> String {
    let mut quoted = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

// -------------------------------------------------------------------------------------------------------- comparing

/// The terms of a file, and the lists they stand in if it is a topic file.
struct TermFile {
    all: Vec<String>,
    lists: Option<[Vec<String>; 2]>,
    language: Option<Language>,
}

fn compare(args: &OverlapArgs) -> Result<()> {
    let (first, second) = (read_terms(&args.first)?, read_terms(&args.second)?);
    let stop = [args.language, first.language, second.language]
        .into_iter()
        .flatten()
        .fold(StopList::default(), |stop, language| {
            stop.union(StopList::of(language))
        });
    let mut overlaps = Vec::new();
    if let (Some(first), Some(second)) = (&first.lists, &second.lists) {
        for (name, (first, second)) in ["genre", "content"].into_iter().zip(first.iter().zip(second)) {
            if !first.is_empty() && !second.is_empty() {
                overlaps.push((name, Overlap::of(first, second, &stop).map_err(told)?));
            }
        }
    }
    overlaps.push(("all", Overlap::of(&first.all, &second.all, &stop).map_err(told)?));
    stdout::write(|out| {
        if args.json {
            let answer: BTreeMap<&str, serde_json::Value> = overlaps
                .iter()
                .map(|(name, overlap)| {
                    let figures = serde_json::json!({
                        "a": overlap.first, "b": overlap.second, "shared": overlap.shared, "dice": overlap.dice(),
                        "of_union": overlap.of_union(), "of_a": overlap.of_first(),
                    });
                    (*name, figures)
                })
                .collect();
            serde_json::to_writer_pretty(&mut *out, &answer)?;
            writeln!(out)?;
            return Ok(());
        }
        for (name, overlap) in &overlaps {
            let percent = |share: f64| format!("{:.1} %", 100.0 * share);
            writeln!(
                out,
                "{name}: Dice {}, of the union {}, of A's own {} ({} shared, A has {}, B has {})",
                percent(overlap.dice()),
                percent(overlap.of_union()),
                percent(overlap.of_first()),
                overlap.shared.len(),
                overlap.first,
                overlap.second
            )?;
            if !overlap.shared.is_empty() {
                let shared: Vec<String> = overlap.shared.iter().map(|term| harmless(term)).collect();
                writeln!(out, "  {}", shared.join(", "))?;
            }
        }
        Ok(())
    })
}

fn read_terms(path: &Path) -> Result<TermFile> {
    let shown = path.display();
    if !path.is_file() {
        return Err(bad_input(format!(
            "{shown} is no file; name a topic file (.toml) or a list of one term a line"
        )));
    }
    if path.extension().is_some_and(|ending| ending == "toml") {
        let settings = topic_settings(&path.to_string_lossy(), Vec::new())?;
        let lists = [settings.terms.genre, settings.terms.content];
        let all = lists.concat();
        if all.is_empty() {
            return Err(bad_input(format!(
                "{shown} has no genre and no content terms to compare"
            )));
        }
        return Ok(TermFile {
            all,
            lists: Some(lists),
            language: settings.topic.language,
        });
    }
    let bytes = fs::read(path).with_context(|| format!("{shown} cannot be read"))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| bad_input(format!("{shown} is not UTF-8; save it so, one term a line")))?;
    let mut all = Vec::new();
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let term = line.trim();
        if term.is_empty() || term.starts_with('#') {
            continue;
        }
        if scenthound_types::text::tokenize(term).is_empty() {
            return Err(bad_input(format!(
                "{shown}:{number}: {} holds no word; write one term a line, comments after #",
                harmless(term)
            )));
        }
        all.push(term.to_owned());
    }
    if all.is_empty() {
        return Err(bad_input(format!("{shown} has no terms; write one a line")));
    }
    Ok(TermFile {
        all,
        lists: None,
        language: None,
    })
}

// --------------------------------------------------------------------------------------------------------- counting

fn count_documents(args: &IdfArgs) -> Result<()> {
    let mut terms = Vec::new();
    let mut language = None;
    for topic in &args.terms {
        let settings = topic_settings(topic, Vec::new())?;
        language = language.or(settings.topic.language);
        let lists = settings.terms;
        terms.extend([lists.genre, lists.content, lists.exclude].concat());
    }
    let mut counter = if args.terms.is_empty() {
        DocumentCounter::of_words()
    } else {
        let counter = DocumentCounter::of_terms(&terms, language).map_err(told)?;
        if args.words { counter.and_words() } else { counter }
    };
    let naming = Naming {
        web: &[],
        web_option: "--from",
        only: &[],
        taken: Taken::All,
        fetching: None,
    };
    let inputs = Inputs::read(&args.from, &naming)?;
    inputs.each(|named| counter.add(&named.page.text, named.page.language))?;
    // A word that is missing counts as seen once, so those seen once need no room.
    let counts = counter.counts(2);
    if counts.documents == 0 {
        return Err(bad_input(format!(
            "{}: no pages with words in them",
            args.from.join(", ")
        )));
    }
    let (documents, listed) = (counts.documents, counts.terms.len() as u64);
    let unseen = counts.terms.values().filter(|documents| **documents == 0).count() as u64;
    IdfTable::new(documents, counts.terms)?.save(&args.output)?;
    let output = args.output.display();
    let unseen = match unseen {
        0 => String::new(),
        unseen => format!(" ({unseen} on none)"),
    };
    note(&format!(
        "{} counted on {}{unseen}, in {output}. In the topic file: [judge] idf = \"{output}\"",
        counted(listed, "term"),
        counted(documents, "page"),
    ));
    Ok(())
}
