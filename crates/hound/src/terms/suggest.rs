//! `hound terms suggest`: terms from the pages of a crawl that were marked relevant, or from its best pages.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use scenthound::terms::{GoodPages, SuggestError, SuggestSettings, Suggestions, suggest_terms};
use scenthound_config::Settings;

use crate::fault::bad_input;
use crate::table::{Align, Table};
use crate::wording::{count, counted, harmless};
use crate::{look, stdout};

#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound mark tea https://example.org/oolong --relevant; hound terms suggest tea
  hound terms suggest tea --top 30                 without marks: from the 30 best pages
  hound terms suggest tea --json | jq -r '.content[].term'

Terms are taken from the pages marked relevant, or from the best where none is marked, in contrast
to the rest of the crawl (or to the pages marked irrelevant, where there are ten or more). The
topic's own terms are left out. Then: edit the topic file, and hound rejudge.")]
pub(super) struct Args {
    /// The folder of the crawl.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Without marks, count this many of the best pages as good.
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// Number of genre terms.
    #[arg(long, value_name = "N", default_value_t = 10)]
    genre_terms: usize,
    /// Number of content terms.
    #[arg(long, value_name = "N", default_value_t = 15)]
    content_terms: usize,
    /// Leave out terms on fewer of the good pages [default: 2, or 1 for less than three good pages].
    #[arg(long, value_name = "N")]
    least_pages: Option<u64>,
    /// Read at most this many other pages for contrast.
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    most_others: usize,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<()> {
    let collection = look::collection(&args.folder)?;
    let folder = args.folder.display();
    let settings = collection
        .settings()?
        .ok_or_else(|| bad_input(format!("{folder} has no settings yet: nothing was crawled")))?;
    let suggesting = SuggestSettings {
        top: args.top,
        genre_terms: args.genre_terms,
        content_terms: args.content_terms,
        least_pages: args.least_pages,
        most_others: args.most_others,
    };
    let found = suggest_terms(&collection, &settings, &suggesting).map_err(|error| match error {
        SuggestError::NoGoodPages => bad_input(format!(
            "no page of {folder} has a relevance above 0; mark some pages that are relevant: hound mark {folder} URL --relevant"
        )),
        SuggestError::NoOtherPages => bad_input(
            "there are no other pages to contrast the good ones with; crawl more, or count fewer pages as good with --top",
        ),
        error => error.into(),
    })?;
    if let Some(unreadable) = &found.unreadable {
        complain!("warning: {unreadable}");
    }
    if found.genre_pages == 0 && !settings.terms.genre.is_empty() && !args.json {
        note!(
            "note: the crawl found too few pages of the wanted genre on other subjects to separate genre terms from content \
             terms"
        );
    }
    stdout::write(|out| {
        if args.json {
            serde_json::to_writer_pretty(&mut *out, &found)?;
            return Ok(writeln!(out)?);
        }
        write(&found, &settings, out)
    })
}

fn write(found: &Suggestions, settings: &Settings, out: &mut dyn Write) -> Result<()> {
    let good = match found.from {
        GoodPages::Marks => format!("{} marked relevant", counted(found.good_pages, "page")),
        GoodPages::Best => format!("the {} best pages (none is marked)", count(found.good_pages)),
    };
    writeln!(
        out,
        "Terms of {good}, against {} others; the topic's own are left out.\n",
        count(found.other_pages)
    )?;
    if found.genre.is_empty() && found.content.is_empty() {
        let remedy = "mark more pages, or lower --least-pages.";
        return Ok(writeln!(out, "No term sets these pages apart; {remedy}")?);
    }
    let mut table = Table::new(&[
        ("list", Align::Left),
        ("term", Align::Left),
        ("times", Align::Right),
        ("pages", Align::Right),
        ("contrast", Align::Right),
    ]);
    for (list, terms) in [("genre", &found.genre), ("content", &found.content)] {
        for term in terms {
            let mut cells = vec![list.to_owned(), harmless(&term.term)];
            cells.extend([count(term.count), count(term.documents)]);
            cells.push((term.contrast).map_or(String::new(), |contrast| format!("{contrast:.1}")));
            table.row(cells, Vec::new());
        }
    }
    crate::table::show(&table, out)?;
    writeln!(
        out,
        "\n# For the topic file: your own terms and the new ones. Delete what does not fit, then hound rejudge."
    )?;
    Ok(write!(out, "{}", found.to_toml(settings))?)
}
