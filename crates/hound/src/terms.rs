//! `hound terms`: terms from example pages, the overlap of two lists of terms, and tables of how rare terms are.

mod suggest;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{ArgMatches, Command, FromArgMatches, Subcommand, ValueEnum};
use scenthound::inputs::CrawlPages;
use scenthound::terms::{
    ExamplePages, TermOverlaps, TermsFile, TopicGenerator, topic_counter, topics_stemming,
};
use scenthound_judge::IdfTable;
use scenthound_judge::terms::{Frequency, GenerateSettings};
use scenthound_lab::recorded::WebFolder;
use scenthound_store::replace;
use scenthound_types::Language;
use scenthound_types::text::Stemming;

use crate::pages_input::{Fetching, Inputs, Naming, check_new, topic_settings};
use crate::stdout;
use crate::wording::{counted, harmless};

const EXAMPLES: &str = "\
Examples:
  hound terms generate --genre-pages syllabi/ --relevant-pages databases/ -o topic.toml
  hound terms overlap mine.toml topic.toml
  hound terms suggest my-crawl
  hound terms idf --from pages.warc.gz --terms topic.toml -o idf.json";

#[derive(Subcommand, Debug)]
enum Task {
    /// Make a topic file from example pages: the runs of one to three words that set them apart
    Generate(Box<GenerateArgs>),
    /// Show how much two lists of terms have in common
    Overlap(OverlapArgs),
    /// Suggest terms from the pages of a crawl that were marked relevant, or from its best pages
    Suggest(suggest::Args),
    /// Count how rare terms are in any collection, for the idf setting of a judge
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
      --background all.warc.gz
  hound terms generate --genre-terms 0 --relevant-pages my-crawl      from a crawl's relevant pages
  hound terms generate --web webs/university --task databases-courses --genre-task course-pages

Pages can be HTML or text files, folders of these, WARC files (all their HTML pages), WARC#LIST
(only the URLs of a list), crawl folders (their relevant pages), text files with one URL or path
per line, or URLs. With --web, URLs are looked up in the archives it names. Without it they are
fetched as in a crawl: robots rules first, one request per host at a time.
Look the list over and delete what does not fit: a picked half is usually better than the whole.
Exit codes: 0 done, 1 failure, 4 bad input.")]
struct GenerateArgs {
    /// Pages of the wanted genre, whatever their subject.
    #[arg(long, value_name = "PAGES", num_args = 1..)]
    genre_pages: Vec<String>,
    /// Pages of the wanted genre on the wanted subject.
    #[arg(long, value_name = "PAGES", num_args = 1..)]
    relevant_pages: Vec<String>,
    /// Other pages to contrast with, so that words frequent everywhere are not picked [default: a built-in table].
    #[arg(long, value_name = "PAGES", num_args = 1..)]
    background: Vec<String>,
    /// WARC files or crawl folders to look URLs up in.
    #[arg(long, value_name = "DIR|WARC")]
    web: Vec<PathBuf>,
    /// Take the examples of this task of the web folder that --web names as relevant pages.
    #[arg(long, value_name = "NAME", requires = "web")]
    task: Vec<String>,
    /// Take the examples of this task as pages of the wanted genre.
    #[arg(long, value_name = "NAME", requires = "web")]
    genre_task: Vec<String>,
    /// Take only the URLs of this list from WARC files and crawl folders named as example pages.
    #[arg(long, value_name = "LIST")]
    only: Vec<PathBuf>,
    /// Number of genre terms.
    #[arg(long, value_name = "N", default_value_t = 20)]
    genre_terms: usize,
    /// Number of content terms.
    #[arg(long, value_name = "N", default_value_t = 20)]
    content_terms: usize,
    /// The most frequent runs, whatever they are: no contrast, every occurrence counts, runs inside longer ones stay.
    #[arg(long, conflicts_with = "background")]
    plain: bool,
    /// How frequency is counted [default: document-frequency; frequency with --plain].
    #[arg(long, value_enum)]
    by: Option<By>,
    /// Leave out runs that occur on fewer pages [default: 2, or 1 with --plain or a single page].
    #[arg(long, value_name = "N")]
    least_pages: Option<u64>,
    /// Keep runs that only ever occur inside a longer one that is picked.
    #[arg(long)]
    keep_inner: bool,
    /// Leave such runs out, as is done by default.
    #[arg(long, conflicts_with = "keep_inner", hide = true)]
    drop_inner: bool,
    /// The language of the topic, as two letters [default: that of most pages].
    #[arg(long, value_name = "CODE", value_parser = read_language)]
    language: Option<Language>,
    /// The name of the topic.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The topic file to write [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    fetching: Fetching,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound terms overlap mine.toml generated.toml      topic files: genre, content and all
  hound terms overlap mine.txt other.txt --json     lists of one term per line

Terms are the same if their words are: capitals, accents and stop words make no difference. The
figures are Dice (2 × shared / (A + B)), the share of the union, and the share of A's own terms.")]
struct OverlapArgs {
    /// A topic file (.toml), or a list of one term per line.
    #[arg(value_name = "A")]
    first: PathBuf,
    /// The file to compare it with.
    #[arg(value_name = "B")]
    second: PathBuf,
    /// Leave out the stop words of this language too, besides those of the topic files' languages.
    #[arg(long, value_name = "CODE", value_parser = read_language)]
    language: Option<Language>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound terms idf --from pages.warc.gz -o idf.json                      every word on two or more pages
  hound terms idf --from my-crawl --terms topic.toml -o idf.json        the terms of a topic, phrases too
  hound terms idf --from pages/ --terms topic.toml --words -o idf.json  both

Then in the topic file: [judge] idf = \"idf.json\". A word that is missing from the table counts
as seen on one page.")]
struct IdfArgs {
    /// WARC files, crawl folders (all their pages), folders of pages.
    #[arg(long, value_name = "PAGES", num_args = 1.., required = true)]
    from: Vec<String>,
    /// Count the genre, content and exclude terms of these topic files instead of all words.
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

/// Runs `hound terms`.
pub fn run(given: &ArgMatches) -> Result<()> {
    match Task::from_arg_matches(given)? {
        Task::Generate(args) => generate_topic(&args),
        Task::Overlap(args) => compare(&args),
        Task::Suggest(args) => suggest::run(&args),
        Task::Idf(args) => count_documents(&args),
    }
}

fn read_language(code: &str) -> Result<Language, String> {
    Language::from_code(code).ok_or_else(|| "write two letters, such as en, pt or zh".to_owned())
}

/// The example pages that were named, and those of the tasks that were named.
fn with_tasks(pages: &[String], tasks: &[String], web: &[PathBuf]) -> Result<Vec<String>> {
    let mut pages = pages.to_vec();
    for name in tasks {
        let (_, task) = WebFolder::find_task(web, name)?;
        pages.push(task.positive_list()?.display().to_string());
    }
    Ok(pages)
}

fn generate_topic(args: &GenerateArgs) -> Result<()> {
    if let Some(path) = &args.output {
        if path.extension().is_none_or(|ending| ending != "toml") {
            refuse!(
                "{} is not a name for a topic file; it must end in .toml",
                path.display()
            );
        }
        check_new(path, args.force)?;
    }
    let genre_pages = with_tasks(&args.genre_pages, &args.genre_task, &args.web)?;
    let relevant_pages = with_tasks(&args.relevant_pages, &args.task, &args.web)?;
    for (pages, wanted, option, count) in [
        (&genre_pages, args.genre_terms, "--genre-pages", "--genre-terms"),
        (
            &relevant_pages,
            args.content_terms,
            "--relevant-pages",
            "--content-terms",
        ),
    ] {
        if pages.is_empty() && wanted > 0 {
            refuse!(
                "there are no pages to take terms from; name example pages with {option}, or use {count} 0"
            );
        }
    }
    if args.genre_terms == 0 && args.content_terms == 0 {
        refuse!("no terms are asked for; set --genre-terms or --content-terms above 0");
    }
    let everything = Naming {
        web: &args.web,
        ..Naming::new(Ok(&args.fetching))
    };
    let naming = Naming {
        only: &args.only,
        crawls: CrawlPages::Relevant,
        ..everything
    };
    let background = Inputs::read(&args.background, &everything)?;
    let genre = examples(&Inputs::read(&genre_pages, &naming)?)?;
    let relevant = examples(&Inputs::read(&relevant_pages, &naming)?)?;
    let mut generator = TopicGenerator::new(&genre, &relevant, args.language);
    if !args.background.is_empty() {
        generator = generator.with_background();
        background.each(|named| generator.add_background(&named.page))?;
    } else if !args.plain {
        generator = generator.with_web_at_large();
    }
    let usual = if args.plain {
        GenerateSettings::plain()
    } else {
        GenerateSettings::default()
    };
    // A single page has no run on two pages.
    let counts = [genre.count(), relevant.count()]
        .into_iter()
        .filter(|count| *count > 0);
    let fewest = counts.min().unwrap_or(1) as u64;
    let generated = generator.generate(&GenerateSettings {
        genre_terms: args.genre_terms,
        content_terms: args.content_terms,
        by: match args.by {
            Some(By::Frequency) => Frequency::Occurrences,
            Some(By::DocumentFrequency) => Frequency::Documents,
            None => usual.by,
        },
        least_documents: args.least_pages.unwrap_or(usual.least_documents.min(fewest)),
        drop_inner: usual.drop_inner && !args.keep_inner || args.drop_inner,
    })?;
    let topic = generated.to_toml(&topic_name(args));
    let Some(path) = &args.output else {
        return stdout::write(|out| Ok(out.write_all(topic.as_bytes())?));
    };
    let shown = path.display();
    // A bare name has no folder to flush.
    let whole = std::path::absolute(path).with_context(|| format!("{shown} could not be written"))?;
    replace(&whole, topic.as_bytes())?;
    note!(
        "{} genre and {} content terms from {}, in {shown}. Delete what does not fit, add seeds, then: hound crawl {shown}",
        generated.terms.genre.len(),
        generated.terms.content.len(),
        generated.made_from(),
    );
    Ok(())
}

fn topic_name(args: &GenerateArgs) -> String {
    let stem = args.output.as_deref().and_then(Path::file_stem);
    let name = args
        .name
        .clone()
        .or_else(|| Some(stem?.to_string_lossy().into_owned()));
    name.map_or_else(|| "generated terms".to_owned(), |name| harmless(&name))
}

fn examples(inputs: &Inputs) -> Result<ExamplePages> {
    let mut examples = ExamplePages::default();
    inputs.each(|named| examples.add(named.page))?;
    Ok(examples)
}

fn compare(args: &OverlapArgs) -> Result<()> {
    let (first, second) = (read_terms(&args.first)?, read_terms(&args.second)?);
    let overlaps = TermOverlaps::of(&first, &second, args.language)?.lists;
    stdout::write(|out| {
        if args.json {
            let by_list: BTreeMap<_, _> = overlaps.into_iter().collect();
            serde_json::to_writer_pretty(&mut *out, &by_list)?;
            return Ok(writeln!(out)?);
        }
        for (name, overlap) in &overlaps {
            let percent = |share: f64| format!("{:.1} %", 100.0 * share);
            writeln!(
                out,
                "{name}: Dice {}, of the union {}, of A's own {} ({} shared, A has {}, B has {})",
                percent(overlap.dice),
                percent(overlap.of_union),
                percent(overlap.of_first),
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

fn read_terms(path: &Path) -> Result<TermsFile> {
    if !path.is_file() {
        let path = path.display();
        refuse!("{path} is not a file; name a topic file (.toml) or a list of one term per line");
    }
    Ok(match path.extension().is_some_and(|ending| ending == "toml") {
        true => TermsFile::of_topic(topic_settings(&path.to_string_lossy(), &[])?, path)?,
        false => TermsFile::read_list(path)?,
    })
}

fn count_documents(args: &IdfArgs) -> Result<()> {
    let topics = args.terms.iter().map(|topic| topic_settings(topic, &[]));
    let topics = topics.collect::<Result<Vec<_>>>()?;
    let mut counter = topic_counter(&topics)?;
    let stemming = topics_stemming(&topics);
    if args.words && stemming != Stemming::None {
        refuse!("--words counts words as they are spelled, but the topic compares stems; leave --words out");
    }
    if args.words {
        counter = counter.and_words();
    }
    let inputs = Inputs::read(&args.from, &Naming::new(Err("--from")))?;
    inputs.each(|mut named| {
        let page = &mut named.page;
        page.stem(stemming.stemmer(page.language));
        counter.add(&page.text, page.language);
    })?;
    // A missing word counts as seen once, so words seen once need no room.
    let counts = counter.counts(2);
    if counts.documents == 0 {
        refuse!("{}: no pages with words", args.from.join(", "));
    }
    let (documents, listed) = (counts.documents, counts.terms.len() as u64);
    let unseen = match counts.terms.values().filter(|documents| **documents == 0).count() {
        0 => String::new(),
        unseen => format!(" ({unseen} on none)"),
    };
    IdfTable::new(documents, counts.terms)?.save(&args.output)?;
    let output = args.output.display();
    note!(
        "{} counted on {}{unseen}, in {output}. In the topic file: [judge] idf = \"{output}\"",
        counted(listed, "term"),
        counted(documents, "page"),
    );
    Ok(())
}
