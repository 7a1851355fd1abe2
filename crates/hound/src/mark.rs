//! `hound mark`: the user's own verdicts on pages, kept in the crawl folder.

use std::path::PathBuf;

use anyhow::Result;
use scenthound::inputs::{WantedUrl, read_url_list};
use scenthound::{CanonicalUrl, Collection, CollectionError, NotRead, Verdict, WhyNotRead};

use crate::fault::bad_input;
use crate::wording::{counted, harmless, mark_name, remarks};
use crate::{look, stdout};

/// At most this many URLs that could not be marked are listed.
const NAMED: usize = 10;

/// Mark pages as relevant or irrelevant.
#[derive(clap::Args, Debug)]
#[command(group = clap::ArgGroup::new("verdict").args(["relevant", "irrelevant", "clear"]))]
#[command(after_help = "Examples:
  hound mark tea https://example.org/oolong --relevant       mark one page
  hound mark tea --irrelevant --from shops.txt               a file with one URL per line
  hound mark tea https://example.org/oolong --clear          remove the mark
  hound mark tea                                             list all marks

Marks change nothing by themselves. hound rejudge --learn lets the judge learn from them, hound
terms suggest takes terms from the pages marked relevant; results, explain and status show the
marks. Pages can be marked while the crawl runs. A URL that redirects stands for its target.
Either all URLs are marked or none.
Exit codes: 0 done, 1 failure, 4 bad input.")]
pub struct Args {
    /// The folder of the crawl
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Pages that the crawl has read
    #[arg(value_name = "URL")]
    pub urls: Vec<String>,
    /// Mark these pages as relevant
    #[arg(long)]
    pub relevant: bool,
    /// Mark these pages as irrelevant
    #[arg(long)]
    pub irrelevant: bool,
    /// Remove the marks of these pages
    #[arg(long)]
    pub clear: bool,
    /// Read URLs from a file, one per line
    #[arg(long, value_name = "FILE")]
    pub from: Vec<PathBuf>,
    /// List the marks as JSON, one per line
    #[arg(long)]
    pub json: bool,
}

/// Runs `hound mark`.
pub fn run(args: Args) -> Result<()> {
    let collection = look::collection(&args.folder)?;
    let mut wanted = Vec::new();
    for url in &args.urls {
        wanted.push(WantedUrl::parse(url)?);
    }
    for list in &args.from {
        wanted.extend(read_url_list(list)?);
    }
    let verdict = match (args.relevant, args.irrelevant, args.clear) {
        (true, ..) => Some(Verdict::Relevant),
        (_, true, _) => Some(Verdict::Irrelevant),
        (.., true) => None,
        _ if wanted.is_empty() => return list(&collection, args.json),
        _ => {
            return Err(bad_input(
                "add --relevant or --irrelevant to mark the pages, or --clear to remove their marks",
            ));
        }
    };
    if wanted.is_empty() {
        return Err(bad_input("give the pages to mark, as URLs or with --from FILE"));
    }
    let urls: Vec<CanonicalUrl> = wanted.iter().map(|wanted| wanted.url.clone()).collect();
    let marked = match verdict {
        Some(verdict) => collection.mark(&urls, verdict),
        None => collection.unmark(&urls),
    };
    let marked = marked.map_err(|error| match error {
        CollectionError::NotRead(not_read) => bad_input(refusal(&collection, &wanted, &not_read)),
        error => error.into(),
    })?;
    let marks = collection.marks()?;
    let relevant = marks.values().filter(|mark| **mark == Verdict::Relevant).count();
    let what = match verdict {
        Some(Verdict::Relevant) => "marked relevant",
        Some(Verdict::Irrelevant) => "marked irrelevant",
        None => "no longer marked",
    };
    say!(
        "{} {what}; {relevant} relevant and {} irrelevant in all.",
        counted(marked.len() as u64, "page"),
        marks.len() - relevant
    );
    Ok(())
}

/// Why nothing was marked.
fn refusal(collection: &Collection, wanted: &[WantedUrl], not_read: &[NotRead]) -> String {
    let mut faults: Vec<String> = not_read
        .iter()
        .take(NAMED)
        .map(|NotRead { index, url, why }| {
            let place = wanted.get(*index).and_then(|wanted| wanted.place.as_ref());
            let place = place.map(|place| format!("{place}: ")).unwrap_or_default();
            match why {
                WhyNotRead::NotFetched => format!("{place}{url} was not fetched by this crawl"),
                WhyNotRead::Tried(last) => {
                    let what = remarks(last).unwrap_or_else(|| last.outcome.to_string());
                    format!("{place}{url} was requested but not read: {}", harmless(&what))
                }
                WhyNotRead::RedirectsTo(to) => {
                    format!("{place}{url} redirects to {}, which was not read", harmless(to))
                }
            }
        })
        .collect();
    if not_read.len() > NAMED {
        faults.push(format!("and {} more", not_read.len() - NAMED));
    }
    format!(
        "nothing was marked:\n  {}\nOnly pages that were read can be marked. Check the spelling, or run: hound explain {} URL",
        faults.join("\n  "),
        collection.folder().display()
    )
}

fn list(collection: &Collection, as_json: bool) -> Result<()> {
    let marks = collection.marks()?;
    if marks.is_empty() && !as_json {
        note!(
            "no pages are marked; to mark one: hound mark {} URL --relevant",
            collection.folder().display()
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
