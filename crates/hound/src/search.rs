//! `hound search`: full-text search in one or more crawls, done by [`scenthound_search`].

use std::io::Write;
use std::path::PathBuf;

use scenthound_search::{Found, Hit, SearchIndex, search_all};

use crate::filters::Filters;
use crate::terminal::Stream;
use crate::wording::{count, counted, harmless, harmless_part};
use crate::{look, stdout};

/// Searches the text of pages.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound search tea \"first flush\"                    pages with both words
  hound search tea '\"first flush\" -darjeeling'      a phrase, without a word
  hound search tea coffee brewing --lang ja --top 5  two crawls at once: all names but the last are folders
  hound search tea 緑茶 --relevant --json | jq -r .url

All words must occur in the title or the main text. The index is in DIR/search. The crawl fills
it, and a search adds what is missing. It can be deleted at any time.")]
pub struct Args {
    /// The folders of the crawls, then the words to search for
    #[arg(value_name = "DIR… QUERY", num_args = 2.., required = true)]
    names: Vec<String>,
    /// Number of pages to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Print one JSON object per page
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    filters: Filters,
}

/// Runs `hound search`.
pub fn run(args: Args) -> anyhow::Result<()> {
    let Some((query, folders)) = args.names.split_last() else {
        refuse!("name the folder of a crawl and the words to search for");
    };
    if query.trim().is_empty() {
        refuse!("write the words to search for after the folder");
    }
    let (mut indexes, mut collections) = (Vec::new(), Vec::new());
    let folders: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
    let folders = scenthound::read_as_one(&folders)?;
    for folder in &folders {
        let collection = look::collection(folder)?;
        let mut is_told = false;
        let index = SearchIndex::open(&collection, &mut |pages| {
            if !is_told && pages >= 1_000 {
                is_told = true;
                note!("Indexing {}…", folder.display());
            }
        })?;
        indexes.push(index);
        collections.push(collection);
    }
    let found = search_all(&indexes, query, &args.filters.settings(), args.top)?;
    let is_terminal = Stream::Out.has_colour();
    stdout::write(|out| {
        for (number, hit) in (1..).zip(&found.hits) {
            if args.json {
                serde_json::to_writer(&mut *out, hit)?;
                writeln!(out)?;
            } else {
                show(out, number, hit, folders.len() > 1, is_terminal)?;
            }
        }
        Ok(())
    })?;
    if !args.json {
        note!("{}", summary(&found));
    }
    // One collection may have what another has not, so with several the list speaks for itself.
    match collections.as_slice() {
        [collection] => args.filters.note_unmatched(collection),
        _ => Ok(()),
    }
}

fn summary(found: &Found) -> String {
    match found.total {
        0 => "no page matches".to_owned(),
        total if total > found.hits.len() => format!(
            "{} of {} (--top shows more)",
            count(found.hits.len() as u64),
            counted(total as u64, "page")
        ),
        total => counted(total as u64, "page"),
    }
}

fn show(
    out: &mut dyn Write,
    number: usize,
    hit: &Hit,
    has_several: bool,
    is_terminal: bool,
) -> anyhow::Result<()> {
    let title = match harmless(&hit.title) {
        title if title.is_empty() => "(no title)".to_owned(),
        title => title,
    };
    writeln!(out, "{number:>3}. {title}")?;
    writeln!(out, "     {}", harmless(&hit.url))?;
    let mut facts = vec![hit.fetched_at.get(..10).unwrap_or_default().to_owned()];
    facts.extend(hit.genre.iter().map(|genre| harmless(genre)));
    facts.extend(hit.language.iter().map(|language| harmless(language)));
    let mark = if hit.relevant { "*" } else { "" };
    facts.extend(
        hit.relevance
            .map(|relevance| format!("relevance {relevance:.3}{mark}")),
    );
    if has_several {
        facts.push(hit.collection.display().to_string());
    }
    writeln!(out, "     {}", facts.join(" · "))?;
    writeln!(out, "     {}\n", highlighted(hit, is_terminal))?;
    Ok(())
}

/// The snippet with the words of the query in bold, or between asterisks where nothing can be bold.
fn highlighted(hit: &Hit, is_terminal: bool) -> String {
    let (start, end) = if is_terminal {
        ("\x1b[1m", "\x1b[0m")
    } else {
        ("*", "*")
    };
    let mut text = String::new();
    let mut done = 0;
    for range in &hit.highlights {
        let (Some(before), Some(word)) = (hit.snippet.get(done..range.start), hit.snippet.get(range.clone()))
        else {
            continue;
        };
        text.push_str(&harmless_part(before));
        text.push_str(&format!("{start}{}{end}", harmless_part(word)));
        done = range.end;
    }
    text.push_str(&harmless_part(hit.snippet.get(done..).unwrap_or_default()));
    text
}
