//! `hound judge`: judges pages at hand by a topic, to tune the topic in seconds.
//!
//! Pages that are named are shown with the share of every term; a whole archive is ranked. Nothing is written, and only URLs
//! that no archive is named for are fetched.

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use scenthound::inputs::CrawlPages;
use scenthound::judging::{JudgedPage, TopicJudge, rank};
use scenthound_config::{Given, Settings};
use scenthound_judge::{JudgeKind, compared_words};
use scenthound_types::{GenreGuess, Verdict};

use crate::pages_input::{Fetching, Inputs, Naming, topic_settings};
use crate::stdout;
use crate::table::{Align, Table};
use crate::wording::{counted, harmless, mark_name, set_name};

/// Judge pages by a topic.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound judge --topic tea.toml page.html notes.txt              files, with the share of every term
  hound judge --topic tea.toml https://example.org/ page.html   a page of the web, fetched politely
  hound judge --topic tea.toml --from tea https://example.org/  a page of a crawl folder
  hound judge --topic tea.toml --from pages.warc.gz             all pages of an archive, best first
  hound judge --topic \"green tea\" page.html --threshold 0.3     plain words as a topic
  hound judge --topic tea.toml list.txt --from tea --json       URLs of a list, for scripts
  hound judge --examples good.txt page.html                     by what pages in a list have in common

With --from, URLs are looked up in the archives and crawl folders it names. Without it they are
fetched as in a crawl: robots rules first, one request per host at a time. URL terms of the topic
are matched against the path of a file.
Exit codes: 0 judged, 1 failure, 4 bad input.")]
pub struct Args {
    /// The topic file, or words to look for.
    #[arg(long, value_name = "TOPIC", required_unless_present = "examples")]
    pub topic: Option<String>,
    /// Pages like those wanted, to learn from: URLs, files, archives, crawl folders or lists of these; repeat for several.
    #[arg(long, value_name = "URL|FILE")]
    pub examples: Vec<String>,
    /// Files, folders of files, archives, crawl folders, lists of URLs or paths, or URLs.
    #[arg(value_name = "URL|FILE")]
    pub pages: Vec<String>,
    /// A WARC file or crawl folder to look URLs up in; without URLs, all its pages are ranked.
    #[arg(long, value_name = "DIR|WARC")]
    pub from: Vec<PathBuf>,
    /// The threshold to use instead of the topic's.
    #[arg(long, value_name = "NUMBER")]
    pub threshold: Option<String>,
    /// Number of pages shown when a whole archive is ranked.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
    /// Print one JSON object per page.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub fetching: Fetching,
}

/// Runs `hound judge`.
pub fn run(args: Args) -> Result<()> {
    let mut given = Vec::new();
    given.extend(args.threshold.iter().map(|text| Given::new("threshold", text)));
    given.extend(args.examples.iter().map(|name| Given::new("examples", name)));
    let settings = topic_settings(args.topic.as_deref().unwrap_or_default(), &given)?;
    let judge = TopicJudge::new(&settings)?;
    // Those of the topic file are among them.
    if !settings.judge.examples.is_empty() {
        let naming = Naming {
            web: &args.from,
            crawls: CrawlPages::Relevant,
            ..Naming::new(Ok(&args.fetching))
        };
        let mut examples = Vec::new();
        Inputs::read(&settings.judge.examples, &naming)?.each(|named| examples.push(named))?;
        judge.learn(&examples);
    }
    let ranks_all = args.pages.is_empty();
    let names = match ranks_all {
        true => args.from.iter().map(|path| path.display().to_string()).collect(),
        false => args.pages,
    };
    if names.is_empty() {
        refuse!("nothing to judge: name files, URLs, or an archive with --from DIR|WARC");
    }
    let naming = Naming {
        web: &args.from,
        ..Naming::new(Ok(&args.fetching))
    };
    let mut judged = Vec::new();
    Inputs::read(&names, &naming)?.each(|named| judged.push(judge.judge(named)))?;
    if judged.is_empty() {
        refuse!("{}: no pages to judge", names.join(", "));
    }
    if ranks_all {
        rank(&mut judged);
    }
    stdout::write(|out| {
        if ranks_all && !args.json {
            return write_ranking(out, &judged, args.top);
        }
        for (at, page) in judged.iter().enumerate() {
            if args.json {
                writeln!(out, "{}", serde_json::to_string(page)?)?;
                continue;
            }
            if at > 0 {
                writeln!(out)?;
            }
            write_page(out, page, &settings)?;
        }
        Ok(())
    })
}

fn write_page(out: &mut dyn Write, page: &JudgedPage, settings: &Settings) -> Result<()> {
    writeln!(out, "{}", harmless(&page.page))?;
    if !page.title.is_empty() {
        writeln!(out, "  {}", harmless(&page.title))?;
    }
    let verdict = mark_name(page.verdict);
    let language = page.language.as_deref().unwrap_or("unknown");
    writeln!(
        out,
        "  {verdict}: {:.3}, threshold {} ({}, language {language})",
        page.relevance,
        page.threshold,
        counted(page.words as u64, "word"),
    )?;
    let GenreGuess { class, confidence } = &page.genre;
    writeln!(
        out,
        "  kind of page: {}, {:.0} % sure",
        harmless(class),
        100.0 * confidence
    )?;
    let parts = [
        ("query", page.parts.query),
        ("kind", page.parts.kind),
        ("genre", page.parts.genre),
        ("content", page.parts.content),
        ("url", page.parts.url),
        ("learnt", page.parts.learnt),
        ("manner", page.parts.manner),
    ];
    let is_topic = settings.judge.kind == JudgeKind::Topic;
    let parts: Vec<String> = parts
        .iter()
        .filter_map(|(name, part)| part.map(|part| format!("{name} {part:.3}{}", needed(name, settings))))
        .collect();
    if !parts.is_empty() {
        writeln!(out, "  {}", parts.join(", "))?;
    }
    if !page.parts.terms.is_empty() {
        let mut table = Table::new(&[
            ("   share", Align::Right),
            ("count", Align::Right),
            ("list", Align::Left),
            ("term", Align::Left),
        ]);
        for hit in &page.parts.terms {
            let (share, count) = (format!("{:.3}", hit.share), hit.count.to_string());
            let cells = vec![
                share,
                count,
                set_name(hit.set, &page.parts).to_owned(),
                harmless(&hit.term),
            ];
            table.row(cells, Vec::new());
        }
        crate::table::show(&table, out)?;
    }
    // The judge looks at the terms of such pages no further.
    if is_topic && page.parts.terms.is_empty() && page.relevance < page.threshold / 4.0 {
        writeln!(out, "  far below the threshold, so its terms are not listed")?;
        return Ok(());
    }
    let found: HashSet<&str> = page.parts.terms.iter().map(|hit| &*hit.term).collect();
    let language = settings.topic.language;
    let is_found = |term: &String| match is_topic {
        true => compared_words(term, language)
            .iter()
            .all(|word| found.contains(&**word)),
        false => found.contains(term.as_str()),
    };
    let terms = &settings.terms;
    for (name, list) in [
        ("genre", &terms.genre),
        ("content", &terms.content),
        ("url", &terms.url),
    ] {
        let missing: Vec<String> = list
            .iter()
            .filter(|term| !is_found(term))
            .map(|term| harmless(term))
            .collect();
        if !missing.is_empty() {
            writeln!(out, "  no {name}: {}", missing.join(", "))?;
        }
    }
    Ok(())
}

/// How much of a part a page must show. The same three terms judge a page very differently as words and as a list, and nothing
/// else in the output says why.
fn needed(part: &str, settings: &Settings) -> &'static str {
    if settings.judge.kind != JudgeKind::Topic {
        return "";
    }
    let terms = &settings.terms;
    match part {
        "query" => " (words: a page must show them all)",
        "genre" if terms.genre.len() > 1 => " (a list: some of its terms are enough)",
        "content" if terms.content.len() > 1 => " (a list: some of its terms are enough)",
        _ => "",
    }
}

fn write_ranking(out: &mut dyn Write, judged: &[JudgedPage], top: usize) -> Result<()> {
    let part = |part: Option<f64>| part.map_or("–".to_owned(), |part| format!("{part:.3}"));
    let has_new_parts = judged
        .iter()
        .any(|page| page.parts.query.is_some() || page.parts.learnt.is_some());
    let mut columns = vec![("score", Align::Right)];
    columns.extend(has_new_parts.then_some(("query", Align::Right)));
    columns.extend([("genre", Align::Right), ("content", Align::Right)]);
    columns.push(match has_new_parts {
        true => ("learnt", Align::Right),
        false => ("url", Align::Right),
    });
    columns.extend([
        ("verdict", Align::Left),
        ("title", Align::Cut),
        ("page", Align::Left),
    ]);
    let mut table = Table::new(&columns);
    for page in judged.iter().take(top) {
        let parts = &page.parts;
        let mut cells = vec![format!("{:.3}", page.relevance)];
        cells.extend(has_new_parts.then(|| part(parts.query)));
        cells.extend([part(parts.genre), part(parts.content)]);
        cells.push(part(if has_new_parts { parts.learnt } else { parts.url }));
        cells.extend([
            mark_name(page.verdict).to_owned(),
            harmless(&page.title),
            harmless(&page.page),
        ]);
        table.row(cells, Vec::new());
    }
    crate::table::show(&table, out)?;
    let relevant = judged.iter().filter(|page| page.verdict == Verdict::Relevant);
    let (all, relevant) = (counted(judged.len() as u64, "page"), relevant.count());
    Ok(writeln!(out, "{all} judged, {relevant} relevant.")?)
}
