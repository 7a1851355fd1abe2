//! `hound results`: lists the best pages of a crawl, ranked by [`Collection::ranked`], as a table, JSON lines or CSV.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use scenthound::{
    Collection, CollectionError, PageRecord, Quadrant, RankBy, RankSettings, RankedPage, Ranking,
};
use scenthound_report::text::csv_line;
use scenthound_types::{PageNote, Parts, TermHit, TermSet};

use crate::fault::bad_input;
use crate::filters::Filters;
use crate::table::{Align, Table};
use crate::wording::{count, counted, found_by, harmless, hidden_by, mark_name, note_text, set_name};
use crate::{look, stdout};

/// Pages per table. The columns are sized to fit all pages of a table.
const ROWS: usize = 50_000;
/// How many terms of each list `--why` shows.
const TERMS_SHOWN: usize = 8;

/// The best pages found so far.
#[derive(clap::Args, Debug, Default)]
#[command(after_help = "Examples:
  hound results tea                               the 20 best pages
  hound results tea --why                         with the terms found and the path to each page
  hound results tea --all --format csv > tea.csv  everything, for a spreadsheet
  hound results tea --relevant-only --all --format jsonl | jq -r .url
  hound results tea --view genre-only             the right kind of page, but about something else
  hound results tea --genre-cut 0.3 --content-cut 0.4
  hound results tea --genre blog --genre news     pages detected to be blogs or news
  hound results tea --prefer-genre forum          forums first
  hound results tea --lang ja --host example.org --since 2026-05

The view of a page is both, genre-only, content-only or neither. It depends on whether the page's
similarity to the genre terms (~genre) and to the content terms (~content) reaches the cuts. A *
marks pages that the judge found relevant; that depends on the whole score. The column genre is
the genre that was detected, in crawls that detect genres.")]
pub struct Args {
    /// The folder of the crawl; for nodes that crawled together the folder above theirs, or all of theirs
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,
    /// Number of pages to show
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
    /// Show all pages
    #[arg(long, conflicts_with = "top")]
    pub all: bool,
    /// Show under each page which terms were found and how the crawl reached it
    #[arg(long)]
    pub why: bool,
    /// What to rank pages by [default: layer if every page has one, else relevance]
    #[arg(long, value_enum, value_name = "RANKING")]
    pub rank: Option<RankArg>,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Table)]
    pub format: Format,
    /// Show only pages with this view: both, genre-only, content-only or neither
    #[arg(long, value_name = "VIEW", value_delimiter = ',', value_parser = read_view)]
    pub view: Vec<Quadrant>,
    /// Show pages detected to be of this genre first
    #[arg(long, value_name = "GENRE", value_delimiter = ',')]
    pub prefer_genre: Vec<String>,
    /// Show only pages found by these agents, counted from 1
    #[arg(long, value_name = "N", value_delimiter = ',')]
    pub agent: Vec<u8>,
    /// Similarity to the genre terms from which a page has the wanted genre [default: the topic's threshold]
    #[arg(long, value_name = "NUMBER", value_parser = read_cut)]
    pub genre_cut: Option<f64>,
    /// Similarity to the content terms from which a page has the wanted content [default: the topic's threshold]
    #[arg(long, value_name = "NUMBER", value_parser = read_cut)]
    pub content_cut: Option<f64>,
    #[command(flatten)]
    pub filters: Filters,
}

fn read_cut(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(cut) if (0.0..=1.0).contains(&cut) => Ok(cut),
        _ => Err("must be a number from 0 to 1".to_owned()),
    }
}

fn read_view(text: &str) -> Result<Quadrant, String> {
    let names = || Quadrant::ALL.map(Quadrant::name).join(", ");
    Quadrant::from_name(text).ok_or_else(|| format!("write one of {}", names()))
}

/// The values of `--rank`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum RankArg {
    /// How relevant the judge finds them
    Relevance,
    /// How likely they are targets themselves (layer 0), then how similar they are to the targets
    Layer,
    /// OPIC's estimate of their importance, in crawls with --strategy opic or otie: the cash that has passed through them and what
    /// they hold, as a share of all cash
    Importance,
}

/// The values of `--format`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Table,
    /// One page record per line
    Jsonl,
    /// For spreadsheets
    Csv,
}

impl Args {
    fn settings(&self) -> RankSettings {
        RankSettings {
            by: self.rank.map(|rank| match rank {
                RankArg::Relevance => RankBy::Relevance,
                RankArg::Layer => RankBy::Layer,
                RankArg::Importance => RankBy::Importance,
            }),
            quadrants: self.view.clone(),
            preferred_genres: self.prefer_genre.clone(),
            agents: self.agent.clone(),
            genre_threshold: self.genre_cut,
            content_threshold: self.content_cut,
            ..self.filters.settings()
        }
    }
}

/// Runs `hound results`.
pub fn run(args: Args) -> anyhow::Result<()> {
    let collection = look::collection_of(&args.folders)?;
    refuse_unknown_agents(&collection, &args.agent)?;
    stdout::write(|out| show(&collection, &args, out))?;
    args.filters.note_unmatched(&collection)
}

/// An agent that the crawl does not have would give an empty list without a reason.
fn refuse_unknown_agents(collection: &Collection, asked: &[u8]) -> anyhow::Result<()> {
    let Some(settings) = collection.settings()? else {
        return Ok(());
    };
    let agents = settings.crawl.agents;
    if let Some(unknown) = asked.iter().find(|agent| **agent == 0 || **agent > agents) {
        refuse!(
            "there is no agent {unknown}: this crawl has {}",
            counted(agents.into(), "agent")
        );
    }
    Ok(())
}

/// Writes the results. The summary goes to standard error.
fn show(collection: &Collection, args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let ranking = collection
        .ranked(&args.settings())
        .map_err(|error| match error {
            CollectionError::NoLayers => bad_input(format!(
                "{} has no layers to rank by: it was crawled without a model of layers (--strategy layered:layers=FILE); use --rank relevance",
                collection.folder().display()
            )),
            CollectionError::NoCash => bad_input(format!(
                "{} has no importance to rank by: its strategy does not use cash (--strategy opic or otie); use --rank relevance",
                collection.folder().display()
            )),
            error => error.into(),
        })?;
    look::warn(ranking.warnings());
    let shown = if args.all {
        ranking.len()
    } else {
        args.top.min(ranking.len())
    };
    if args.format == Format::Csv {
        out.write_all(csv_line(&RankedPage::COLUMNS).as_bytes())?;
    }
    for start in (0..shown).step_by(ROWS) {
        let pages = ranking.read(start..shown.min(start + ROWS))?;
        match args.format {
            Format::Table => crate::table::show(&table(&pages, args.why), out)?,
            Format::Jsonl => {
                for page in &pages {
                    serde_json::to_writer(&mut *out, page)?;
                    writeln!(out)?;
                }
            }
            Format::Csv => {
                for page in &pages {
                    out.write_all(csv_line(&page.row()).as_bytes())?;
                }
            }
        }
    }
    stdout::note(&summary(&ranking, shown, args));
    Ok(())
}

fn summary(ranking: &Ranking, shown: usize, args: &Args) -> String {
    let counts = ranking.counts();
    if counts.judged == 0 {
        return "no page has been read yet".to_owned();
    }
    let is_everything = args.settings().is_everything();
    let mut text = match is_everything {
        true => format!("{} of {}", count(shown as u64), counted(counts.judged, "page")),
        false => format!(
            "{} of {}, of {} read",
            count(shown as u64),
            counted(ranking.len() as u64, "matching page"),
            count(counts.judged)
        ),
    };
    text.push_str(match ranking.by() {
        RankBy::Relevance => ", ranked by relevance",
        RankBy::Importance => {
            ", ranked by importance (the cash that has passed through them and what they hold)"
        }
        RankBy::Layer => {
            ", ranked by how likely they are targets (layer 0), then by similarity to the targets"
        }
    });
    let relevant = match is_everything {
        true => counts.relevant,
        false => counts.chosen_relevant,
    };
    text.push_str(&format!(" ({} relevant", count(relevant)));
    if args.format == Format::Table && ranking.relevant_among(shown) > 0 {
        text.push_str(", marked *");
    }
    text.push(')');
    if counts.chosen_near_duplicates > 0 {
        let folded = counted(counts.chosen_near_duplicates, "near-duplicate");
        text.push_str(&match args.filters.with_duplicates {
            true => format!("; {folded} among them"),
            false => format!("; {folded} folded (--with-duplicates shows them)"),
        });
    }
    if counts.hidden > 0 {
        let relevant = match counts.hidden_relevant {
            0 => String::new(),
            relevant => format!(", {} of them relevant", count(relevant)),
        };
        text.push_str(&format!(
            "; {} {}",
            count(counts.hidden),
            match args.filters.with_hidden {
                true => format!("usually left out ({}){relevant}", hidden_by(&counts.hidden_by)),
                false => format!(
                    "left out ({}; --with-hidden shows them){relevant}",
                    hidden_by(&counts.hidden_by)
                ),
            }
        ));
    }
    if ranking.has_quadrants() || !args.view.is_empty() {
        let views = Quadrant::ALL.map(|quadrant| {
            let pages = counts.quadrants.get(&quadrant).copied().unwrap_or_default();
            format!("{} {}", count(pages), quadrant.name())
        });
        let from = match (args.genre_cut, args.content_cut) {
            (None, None) => ", the topic's threshold",
            _ => "",
        };
        let cuts = ranking.thresholds();
        text.push_str(&format!(
            "\nviews: {} (cuts: genre {}, content {}{from})",
            views.join(", "),
            cuts.genre,
            cuts.content
        ));
    }
    text
}

/// A part of the relevance: its name in a table, and how to get it.
type PartColumn = (&'static str, fn(&Parts) -> Option<f64>);
const PARTS: [PartColumn; 7] = [
    ("query", |parts| parts.query),
    ("kind", |parts| parts.kind),
    ("~genre", |parts| parts.genre),
    ("~content", |parts| parts.content),
    ("~url", |parts| parts.url),
    ("learnt", |parts| parts.learnt),
    ("manner", |parts| parts.manner),
];

fn table(pages: &[RankedPage], why: bool) -> Table {
    let value =
        |page: &RankedPage, part: fn(&Parts) -> Option<f64>| page.record.parts.as_ref().and_then(part);
    // Without genre terms, their column would hold only dashes.
    let parts: Vec<PartColumn> = PARTS
        .into_iter()
        .filter(|(_, part)| pages.iter().any(|page| value(page, *part).is_some()))
        .collect();
    let nearness = |page: &RankedPage| page.record.parts.as_ref().and_then(|parts| parts.nearness);
    let has_layers = pages.iter().any(|page| nearness(page).is_some());
    let has_importance = pages.iter().any(|page| page.importance.is_some());
    let has_copies = pages.iter().any(|page| page.near_duplicates > 0);
    let has_marks = pages.iter().any(|page| page.mark.is_some());
    let has_genres = pages.iter().any(|page| page.record.genre.is_some());
    // Without both lists of terms the view says no more than the score.
    let has_both = |parts: &Parts| parts.genre.is_some() && parts.content.is_some();
    let has_views = pages
        .iter()
        .any(|page| page.record.parts.as_ref().is_some_and(has_both));

    let mut columns = vec![("#", Align::Right), ("score", Align::Left)];
    if has_importance {
        columns.push(("importance", Align::Right));
    }
    columns.extend(parts.iter().map(|(name, _)| (*name, Align::Right)));
    if has_layers {
        columns.extend([
            ("layer", Align::Right),
            ("target", Align::Right),
            ("similar", Align::Right),
        ]);
    }
    if has_views {
        columns.push(("view", Align::Left));
    }
    if has_genres {
        columns.push(("genre", Align::Left));
    }
    if has_marks {
        columns.push(("mark", Align::Left));
    }
    if has_copies {
        columns.push(("copies", Align::Right));
    }
    columns.extend([("title", Align::Cut), ("URL", Align::Left)]);
    let mut table = Table::new(&columns);
    for page in pages {
        let record = &page.record;
        let mark = if record.is_relevant() { "*" } else { "" };
        let mut cells = vec![
            page.rank.to_string(),
            format!("{:.3}{mark}", record.relevance.unwrap_or_default()),
        ];
        if has_importance {
            cells.push(page.importance.map_or("-".to_owned(), importance));
        }
        cells.extend(
            parts
                .iter()
                .map(|(_, part)| value(page, *part).map_or("-".to_owned(), |value| format!("{value:.2}"))),
        );
        if has_layers {
            cells.extend(match nearness(page) {
                Some(near) => [
                    near.layer.to_string(),
                    format!("{:.2}", near.posterior),
                    format!("{:.2}", near.similarity),
                ],
                None => ["-", "-", "-"].map(str::to_owned),
            });
        }
        if has_views {
            cells.push(page.quadrant.map_or("", Quadrant::name).to_owned());
        }
        if has_genres {
            cells.push(record.genre.as_ref().map_or_else(String::new, |guess| {
                format!("{} {:.2}", harmless(&guess.class), guess.confidence)
            }));
        }
        if has_marks {
            cells.push(page.mark.map(mark_name).unwrap_or_default().to_owned());
        }
        if has_copies {
            cells.push(match page.near_duplicates {
                0 => String::new(),
                copies => format!("+{copies}"),
            });
        }
        let title = harmless(record.title.as_deref().unwrap_or_default());
        cells.push(match title.is_empty() {
            true => "(no title)".to_owned(),
            false => title,
        });
        cells.push(harmless(&record.url));
        let mut lines = Vec::new();
        if let Some(original) = &page.record.duplicate_of {
            lines.push(format!("      repeats {}", harmless(original)));
        }
        // Otherwise an empty document would look like a page that is badly off topic.
        let unread = [PageNote::Encrypted, PageNote::NoText].into_iter();
        lines.extend(
            unread
                .filter(|note| record.has(*note))
                .map(|note| format!("      {}", note_text(note, record))),
        );
        if why {
            lines.extend(reasons(record).into_iter().map(|line| format!("      {line}")));
        }
        table.row(cells, lines);
    }
    table
}

/// Most pages have a tiny share of all cash.
fn importance(share: f64) -> String {
    match share {
        share if share >= 0.001 => format!("{share:.4}"),
        share => format!("{share:.1e}"),
    }
}

/// Whether the page has anything of the topic at all.
fn has_match(parts: &Parts) -> bool {
    [parts.query, parts.genre, parts.content]
        .into_iter()
        .flatten()
        .any(|part| part > 0.0)
}

/// Which terms were found, and how the crawl reached the page.
fn reasons(record: &PageRecord) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(parts) = &record.parts {
        let mut sets: BTreeMap<TermSet, Vec<&TermHit>> = BTreeMap::new();
        for hit in &parts.terms {
            sets.entry(hit.set).or_default().push(hit);
        }
        for (set, hits) in &sets {
            let mut shown: Vec<String> = hits
                .iter()
                .take(TERMS_SHOWN)
                .map(|hit| format!("{} ×{} ({:.2})", harmless(&hit.term), hit.count, hit.share))
                .collect();
            if hits.len() > TERMS_SHOWN {
                shown.push(format!("{} more", hits.len() - TERMS_SHOWN));
            }
            lines.push(format!("{}: {}", set_name(*set, parts), shown.join(", ")));
        }
        if sets.is_empty() {
            lines.push(match has_match(parts) {
                true => "far below the threshold, so its terms were not kept".to_owned(),
                false => "none of the topic's terms found".to_owned(),
            });
        }
    }
    lines.push(way(record));
    lines
}

/// How the crawl reached a page.
fn way(record: &PageRecord) -> String {
    let why = found_by(record.kind, record.via, record.class, record.score);
    match &record.parent {
        Some(parent) => format!("depth {} from {}: {why}", record.depth, harmless(parent)),
        None => format!("depth {}: {why}", record.depth),
    }
}
