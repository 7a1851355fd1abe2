//! `hound mark`: the user's own judgements of pages, kept in the crawl folder.
//!
//! A URL may be spelled in any way and may be one that redirects: the page it led to is marked. Either all that were
//! named are marked or none, so that a slip in a list is seen.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use scenthound_store::CrawlView;
use scenthound_types::{Keyring, Verdict};

use crate::pages_input::{Wanted, bad_input, end, read_urls, read_wanted};
use crate::wording::{counted, harmless, remarks};
use crate::{look, stdout};

/// Redirects followed from a URL to its page.
const MOST_REDIRECTS: usize = 20;
/// Faults told at once.
const TOLD: usize = 10;

/// Marks pages as relevant or irrelevant.
#[derive(clap::Args, Debug)]
#[command(group = clap::ArgGroup::new("verdict").args(["relevant", "irrelevant", "clear"]))]
#[command(after_help = "Examples:
  hound mark tea https://example.org/oolong --relevant       what you think of a page
  hound mark tea --irrelevant --from shops.txt               one URL a line
  hound mark tea https://example.org/oolong --clear          take it back
  hound mark tea                                             all marks

Marks change neither the crawl nor its judge. hound terms suggest takes terms from the pages marked
relevant; results, explain and status show the marks. They can be made while the crawl runs.
Exit codes: 0 done, 1 failure, 4 bad input.")]
pub struct Args {
    /// The folder of the crawl.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Pages the crawl has read.
    #[arg(value_name = "URL")]
    pub urls: Vec<String>,
    /// They are what you look for.
    #[arg(long)]
    pub relevant: bool,
    /// They are not.
    #[arg(long)]
    pub irrelevant: bool,
    /// Take the marks back.
    #[arg(long)]
    pub clear: bool,
    /// A file of URLs, one a line.
    #[arg(long, value_name = "FILE")]
    pub from: Vec<PathBuf>,
    /// List the marks in JSON, one a line.
    #[arg(long)]
    pub json: bool,
}

/// Answers `hound mark`.
pub fn run(args: Args) -> Result<ExitCode> {
    end(mark(&args))
}

fn mark(args: &Args) -> Result<()> {
    let view = look::open(&args.folder)?;
    let mut wanted = Vec::new();
    for url in &args.urls {
        wanted.push(read_wanted(url).map_err(bad_input)?);
    }
    for list in &args.from {
        wanted.extend(read_urls(list)?);
    }
    let verdict = match (args.relevant, args.irrelevant, args.clear) {
        (true, ..) => Some(Verdict::Relevant),
        (_, true, _) => Some(Verdict::Irrelevant),
        (.., true) => None,
        _ if wanted.is_empty() => return list(&view, args.json),
        _ => {
            return Err(bad_input(
                "say what you think of the pages: --relevant, --irrelevant, or --clear to take a mark back"
                    .to_owned(),
            ));
        }
    };
    if wanted.is_empty() {
        return Err(bad_input(
            "name the pages, as URLs or with --from FILE".to_owned(),
        ));
    }
    let pages = find(&view, &wanted)?;
    let changed = pages.len() as u64;
    let marks = view.change_marks(|marks| {
        for page in pages {
            match verdict {
                Some(verdict) => drop_old(marks.insert(page, verdict)),
                None => drop_old(marks.remove(&page)),
            }
        }
    })?;
    let relevant = marks.values().filter(|mark| **mark == Verdict::Relevant).count();
    let what = match verdict {
        Some(Verdict::Relevant) => "marked relevant",
        Some(Verdict::Irrelevant) => "marked irrelevant",
        None => "no longer marked",
    };
    say!(
        "{} {what}; {relevant} relevant and {} irrelevant in all.",
        counted(changed, "page"),
        marks.len() - relevant
    );
    Ok(())
}

/// What stood there before is not needed.
fn drop_old(_: Option<Verdict>) {}

/// The pages the URLs lead to, each once.
fn find(view: &CrawlView, wanted: &[Wanted]) -> Result<Vec<String>> {
    let hashes = Keyring::new(0);
    let mut redirects: HashMap<u64, String> = HashMap::new();
    let mut read: HashSet<u64> = HashSet::new();
    let mut tried: HashMap<u64, String> = wanted
        .iter()
        .map(|wanted| (hashes.hash(wanted.url.as_str()), String::new()))
        .collect();
    look::each_record(view, |_, record| {
        if !record.is_page() {
            return;
        }
        let hash = hashes.hash(&record.url);
        if record.is_judged_page() {
            read.insert(hash);
        } else if let Some(to) = record.redirect() {
            redirects.insert(hash, to.to_owned());
        } else if let Some(what) = tried.get_mut(&hash) {
            *what = remarks(&record).unwrap_or_else(|| record.outcome.to_string());
        }
    })?;
    let mut pages = Vec::new();
    let mut faults = Vec::new();
    for Wanted { url, place } in wanted {
        let mut at = url.as_str();
        for _ in 0..MOST_REDIRECTS {
            match redirects.get(&hashes.hash(at)) {
                Some(to) if !read.contains(&hashes.hash(at)) => at = to,
                _ => break,
            }
        }
        if read.contains(&hashes.hash(at)) {
            if !pages.iter().any(|page| page == at) {
                pages.push(at.to_owned());
            }
            continue;
        }
        let place = place
            .as_ref()
            .map(|place| format!("{place}: "))
            .unwrap_or_default();
        let what = tried
            .get(&hashes.hash(url.as_str()))
            .filter(|what| !what.is_empty());
        faults.push(match (at == url.as_str(), what) {
            (true, Some(what)) => format!("{place}{url} was tried and not read: {}", harmless(what)),
            (true, None) => format!("{place}{url} was not fetched by this crawl"),
            (false, _) => format!("{place}{url} redirects to {}, which was not read", harmless(at)),
        });
    }
    if faults.is_empty() {
        return Ok(pages);
    }
    let more = faults.len().saturating_sub(TOLD);
    faults.truncate(TOLD);
    if more > 0 {
        faults.push(format!("and {more} more"));
    }
    Err(bad_input(format!(
        "nothing was marked:\n  {}\nOnly pages that were read can be marked; check the spelling, or ask: hound explain {} URL",
        faults.join("\n  "),
        view.layout().root().display()
    )))
}

fn list(view: &CrawlView, as_json: bool) -> Result<()> {
    let marks = view.marks()?;
    if marks.is_empty() && !as_json {
        note!(
            "no page is marked; mark one: hound mark {} URL --relevant",
            view.layout().root().display()
        );
    }
    stdout::write(|out| {
        for (url, mark) in &marks {
            if as_json {
                serde_json::to_writer(&mut *out, &serde_json::json!({ "url": url, "mark": mark }))?;
                writeln!(out)?;
            } else {
                writeln!(out, "{:<10}  {}", mark_name(*mark), harmless(url))?;
            }
        }
        Ok(())
    })
}

/// The word for a mark.
pub fn mark_name(mark: Verdict) -> &'static str {
    match mark {
        Verdict::Relevant => "relevant",
        Verdict::Irrelevant => "irrelevant",
    }
}
