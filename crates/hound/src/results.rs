//! `hound results`: the best pages of a crawl, ranked.
//!
//! One entry a URL: the last attempt that brought a page counts. Pages that asked not to be indexed, and pages in a
//! language not wanted, are left out. Near-duplicates are folded under the one fetched first.
//!
//! The page records are read twice: once to rank, keeping a few numbers a page, and once for the records chosen. So
//! the memory needed does not follow the size of the records.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::PathBuf;

use scenthound_report::text::csv_line;
use scenthound_store::{CrawlView, Marks, PageRecord};
use scenthound_types::{Keyring, Nearness, Parts, TermHit, TermSet, Verdict};
use serde::Serialize;

use crate::four_ways::{Cuts, View};
use crate::look::{self, is_judged_page};
use crate::mark::mark_name;
use crate::pages_input::bad_input;
use crate::stdout;
use crate::table::{Align, Table, terminal_width};
use crate::twins::Twins;
use crate::wording::{count, counted, harmless};

/// So many records are held at a time.
const AT_A_TIME: usize = 50_000;
/// The cut for a crawl that was stopped before it wrote its settings: the threshold a topic has by default.
const DEFAULT_CUT: f64 = 0.45;
/// Terms of one list told by `--why`.
const TERMS_TOLD: usize = 8;

/// The best pages found so far.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound results tea                               the 20 best pages
  hound results tea --why                         with the terms found and the way there
  hound results tea --all --format csv > tea.csv  everything, for a spreadsheet
  hound results tea --relevant-only --all --format jsonl | jq -r .url
  hound results tea --view genre-only             pages of the kind about something else
  hound results tea --genre-cut 0.3 --content-cut 0.4
  hound results tea --genre blog --genre news     pages detected to be blogs or news
  hound results tea --prefer-genre forum          forums first

Each page is seen in one of four ways: relevant, genre-only, content-only or neither, as its
similarity to the genre terms and to the content terms reaches the cuts. A * tells the judge's own
verdict, which goes by the whole score.")]
pub struct Args {
    /// The folder of the crawl.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// How many pages to show.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
    /// Show all of them.
    #[arg(long, conflicts_with = "top")]
    pub all: bool,
    /// Say under each page which terms were found, and how the crawl came to it.
    #[arg(long)]
    pub why: bool,
    /// What comes first [default: layer if a model of layers saw the pages, else relevance].
    #[arg(long, value_enum, value_name = "RANKING")]
    pub rank: Option<RankBy>,
    /// How to write them.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Table)]
    pub format: Format,
    /// Leave out pages that were judged irrelevant.
    #[arg(long)]
    pub relevant_only: bool,
    /// Show near-duplicates too, each naming the page it repeats.
    #[arg(long)]
    pub with_duplicates: bool,
    /// Show only pages seen so, by their similarity to the genre and to the content terms.
    #[arg(long, value_enum, value_name = "VIEW", value_delimiter = ',')]
    pub view: Vec<View>,
    /// Show only pages detected to be of this kind: blog, news, forum, shop and so on (crawls that name genres detect them).
    #[arg(long, value_name = "GENRE", value_delimiter = ',')]
    pub genre: Vec<String>,
    /// Show pages detected to be of this kind first.
    #[arg(long, value_name = "GENRE", value_delimiter = ',')]
    pub prefer_genre: Vec<String>,
    /// Show only pages found by these agents, counted from 1.
    #[arg(long, value_name = "N", value_delimiter = ',')]
    pub agent: Vec<u8>,
    /// From where on a page counts as of the wanted kind [default: the topic's threshold].
    #[arg(long, value_name = "NUMBER", value_parser = read_cut)]
    pub genre_cut: Option<f64>,
    /// From where on a page counts as about the wanted matter [default: the topic's threshold].
    #[arg(long, value_name = "NUMBER", value_parser = read_cut)]
    pub content_cut: Option<f64>,
}

fn read_cut(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(cut) if (0.0..=1.0).contains(&cut) => Ok(cut),
        _ => Err("write a number from 0 to 1".to_owned()),
    }
}

/// What pages are ranked by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum RankBy {
    /// How relevant the judge calls them.
    Relevance,
    /// How likely they are targets themselves (layer 0), then how similar to the targets.
    Layer,
}

/// How results are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Format {
    /// For people.
    Table,
    /// One page record a line.
    Jsonl,
    /// For spreadsheets.
    Csv,
}

/// Answers `hound results`.
pub fn run(args: Args) -> anyhow::Result<()> {
    let view = look::open(&args.folder)?;
    stdout::write(|out| show(&view, &args, out))
}

/// Writes the results; what is to be said about them goes to standard error.
pub fn show(view: &CrawlView, args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let cuts = cuts(view, args)?;
    let marks = view.marks()?;
    let ranking = Ranking::of(view, args, cuts)?;
    let top = if args.all { usize::MAX } else { args.top };
    let chosen: &[Ranked] = ranking.ranked.get(..top).unwrap_or(&ranking.ranked);
    if args.format == Format::Csv {
        out.write_all(csv_line(CSV_COLUMNS).as_bytes())?;
    }
    let mut rank = 0;
    for part in chosen.chunks(AT_A_TIME) {
        let pages = fetch(view, part, &ranking, &marks)?;
        match args.format {
            Format::Table => table(&pages, rank, args.why).write(out, terminal_width())?,
            Format::Jsonl => {
                for page in &pages {
                    serde_json::to_writer(&mut *out, page)?;
                    writeln!(out)?;
                }
            }
            Format::Csv => {
                for (at, page) in pages.iter().enumerate() {
                    write_csv(out, rank + at + 1, page)?;
                }
            }
        }
        rank += part.len();
    }
    stdout::note(&ranking.summary(chosen.len(), args, cuts));
    Ok(())
}

/// The cuts of the four-way view: as given, otherwise the topic's threshold, which a page at both cuts just has.
fn cuts(view: &CrawlView, args: &Args) -> anyhow::Result<Cuts> {
    let threshold = match (args.genre_cut, args.content_cut) {
        (Some(_), Some(_)) => 0.0,
        _ => look::settings(view)?.map_or(DEFAULT_CUT, |settings| settings.judge.threshold),
    };
    Ok(Cuts {
        genre: args.genre_cut.unwrap_or(threshold),
        content: args.content_cut.unwrap_or(threshold),
    })
}

/// What is kept of a page to rank it.
#[derive(Clone, Copy, Debug)]
struct Ranked {
    /// Where its record is.
    line: u64,
    relevance: f64,
    fingerprint: u64,
    is_relevant: bool,
    is_hidden: bool,
    view: View,
    /// Whether its genre and its agent are among those asked for.
    is_chosen: bool,
    /// Whether its genre is to come first.
    is_preferred: bool,
    nearness: Option<Nearness>,
    /// Line of the page it repeats.
    original: Option<u64>,
}

#[derive(Debug)]
struct Ranking {
    /// Best first.
    ranked: Vec<Ranked>,
    /// How many pages repeat the page of a line.
    repeated: HashMap<u64, u64>,
    relevant: u64,
    hidden: u64,
    folded: u64,
    judged: u64,
    /// How many pages are seen in each way.
    views: BTreeMap<View, u64>,
    /// Whether the topic has both genre and content terms.
    has_both: bool,
    by: RankBy,
}

impl Ranking {
    fn of(view: &CrawlView, args: &Args, cuts: Cuts) -> anyhow::Result<Ranking> {
        let (pages, has_both) = judged_pages(view, args, cuts)?;
        let mut ranking = Ranking {
            judged: pages.len() as u64,
            ranked: Vec::new(),
            repeated: HashMap::new(),
            relevant: 0,
            hidden: 0,
            folded: 0,
            views: BTreeMap::new(),
            has_both,
            by: ranking_of(args, &pages)?,
        };
        let mut twins = Twins::default();
        for (number, mut page) in (0_u32..).zip(pages.iter().copied()) {
            if page.is_hidden {
                ranking.hidden += 1;
                continue;
            }
            ranking.relevant += u64::from(page.is_relevant);
            *ranking.views.entry(page.view).or_default() += 1;
            let is_wanted = page.is_chosen && (args.view.is_empty() || args.view.contains(&page.view));
            if !is_wanted || args.relevant_only && !page.is_relevant {
                continue;
            }
            let original = twins.add(number, page.fingerprint, page.relevance);
            page.original = original
                .and_then(|number| pages.get(number as usize))
                .map(|page| page.line);
            if let Some(original) = page.original {
                ranking.folded += 1;
                *ranking.repeated.entry(original).or_default() += 1;
                if !args.with_duplicates {
                    continue;
                }
            }
            ranking.ranked.push(page);
        }
        // Ties go to the page fetched earlier.
        ranking.ranked.sort_by(|a, b| {
            b.is_preferred
                .cmp(&a.is_preferred)
                .then_with(|| match ranking.by {
                    RankBy::Layer => nearer(a.nearness, b.nearness),
                    RankBy::Relevance => std::cmp::Ordering::Equal,
                })
                .then(b.relevance.total_cmp(&a.relevance))
                .then(a.line.cmp(&b.line))
        });
        Ok(ranking)
    }

    fn summary(&self, shown: usize, args: &Args, cuts: Cuts) -> String {
        if self.judged == 0 {
            return "no page has been read yet".to_owned();
        }
        let mut text = format!("{} of {}", count(shown as u64), counted(self.judged, "page"));
        text.push_str(match self.by {
            RankBy::Relevance => ", ranked by relevance",
            RankBy::Layer => {
                ", ranked by how likely they are targets (layer 0), then by similarity to the targets"
            }
        });
        text.push_str(&format!(" ({} relevant", count(self.relevant)));
        if args.format == Format::Table && self.ranked.iter().take(shown).any(|page| page.is_relevant) {
            text.push_str(", marked *");
        }
        text.push(')');
        if self.folded > 0 {
            let folded = counted(self.folded, "near-duplicate");
            text.push_str(&match args.with_duplicates {
                true => format!("; {folded} among them"),
                false => format!("; {folded} folded (--with-duplicates shows them)"),
            });
        }
        if self.hidden > 0 {
            text.push_str(&format!(
                "; {} left out by noindex or language",
                count(self.hidden)
            ));
        }
        if self.has_both || !args.view.is_empty() {
            let views = View::ALL.map(|view| {
                let pages = self.views.get(&view).copied().unwrap_or_default();
                format!("{} {}", count(pages), view.name())
            });
            let from = match (args.genre_cut, args.content_cut) {
                (None, None) => ", the topic's threshold",
                _ => "",
            };
            text.push_str(&format!(
                "\nfour ways: {} (cuts: genre {}, content {}{from})",
                views.join(", "),
                cuts.genre,
                cuts.content
            ));
        }
        text
    }
}

/// The pages read and judged, one a URL, in the order they were fetched; and whether any has both similarities.
fn judged_pages(view: &CrawlView, args: &Args, cuts: Cuts) -> anyhow::Result<(Vec<Ranked>, bool)> {
    // Hashes in place of URLs; two of a million share one with a chance of one in ten million.
    let hashes = Keyring::new(0);
    let mut by_url: HashMap<u64, Ranked> = HashMap::new();
    let mut has_both = false;
    look::each_record(view, |line, record| {
        if !is_judged_page(&record) {
            return;
        }
        let parts = record.parts.clone().unwrap_or_default();
        has_both |= parts.genre.is_some() && parts.content.is_some();
        let page = Ranked {
            line,
            relevance: record.relevance.unwrap_or_default(),
            fingerprint: record.fingerprint.unwrap_or_default(),
            is_relevant: record.relevant == Some(true),
            is_hidden: is_hidden(&record),
            view: cuts.view(&parts),
            is_chosen: (args.genre.is_empty() || is_any(&record, &args.genre))
                && (args.agent.is_empty() || args.agent.contains(&record.agent.unwrap_or(1))),
            is_preferred: is_any(&record, &args.prefer_genre),
            nearness: parts.nearness,
            original: None,
        };
        by_url.insert(hashes.hash(&record.url), page);
    })?;
    let mut pages: Vec<Ranked> = by_url.into_values().collect();
    pages.sort_unstable_by_key(|page| page.line);
    Ok((pages, has_both))
}

/// What pages are ranked by: as asked for, else by layer if one was told of all. A crawl that learns layers on its way has read
/// its first pages without.
fn ranking_of(args: &Args, pages: &[Ranked]) -> anyhow::Result<RankBy> {
    let has_layers = pages.iter().any(|page| page.nearness.is_some());
    match args.rank {
        Some(RankBy::Layer) if !has_layers => Err(bad_input(format!(
            "{} has no layers to rank by: it was crawled without a model of layers (--layers FILE); rank by relevance",
            args.folder.display()
        ))),
        Some(by) => Ok(by),
        None if has_layers && pages.iter().all(|page| page.nearness.is_some()) => Ok(RankBy::Layer),
        None => Ok(RankBy::Relevance),
    }
}

/// The page nearer to the targets first; those that nobody told a layer of last.
fn nearer(a: Option<Nearness>, b: Option<Nearness>) -> std::cmp::Ordering {
    match (a, b) {
        (Some(a), Some(b)) => b.total_cmp(&a),
        _ => b.is_some().cmp(&a.is_some()),
    }
}

/// Whether a page was detected to be of one of these genres.
fn is_any(record: &PageRecord, genres: &[String]) -> bool {
    record.genre.as_ref().is_some_and(|guess| {
        genres
            .iter()
            .any(|wanted| scenthound_judge::is_of_genre(&guess.class, wanted))
    })
}

/// Whether a page was read but is not to be shown: it asked not to be indexed, or its language is not wanted. The
/// record says so in its note.
pub fn is_hidden(record: &PageRecord) -> bool {
    let note = record.error.as_deref().unwrap_or_default();
    note.contains("(noindex)") || note.contains("its language is not wanted")
}

/// A page to show.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    record: PageRecord,
    view: View,
    #[serde(skip_serializing_if = "Option::is_none")]
    mark: Option<Verdict>,
    #[serde(skip)]
    repeated: u64,
}

/// The records of some ranked pages, in their order.
fn fetch(
    view: &CrawlView,
    wanted: &[Ranked],
    ranking: &Ranking,
    marks: &Marks,
) -> anyhow::Result<Vec<Shown>> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let mut records: HashMap<u64, Option<PageRecord>> = wanted.iter().map(|page| (page.line, None)).collect();
    let mut originals: HashMap<u64, String> = wanted
        .iter()
        .filter_map(|page| page.original)
        .map(|line| (line, String::new()))
        .collect();
    look::each_record(view, |line, record| {
        if let Some(url) = originals.get_mut(&line) {
            *url = record.url.clone();
        }
        if let Some(place) = records.get_mut(&line) {
            *place = Some(record);
        }
    })?;
    let shown = wanted.iter().filter_map(|page| {
        let mut record = records.remove(&page.line)??;
        if let Some(original) = page.original.and_then(|line| originals.get(&line)) {
            record.duplicate_of = Some(original.clone());
        }
        let repeated = ranking.repeated.get(&page.line).copied().unwrap_or_default();
        Some(Shown {
            view: page.view,
            mark: marks.get(&record.url).copied(),
            record,
            repeated,
        })
    });
    Ok(shown.collect())
}

/// A part of the relevance: its name in a table, and where it stands.
type PartColumn = (&'static str, fn(&Parts) -> Option<f64>);
const PARTS: [PartColumn; 3] = [
    ("genre", |parts| parts.genre),
    ("content", |parts| parts.content),
    ("url", |parts| parts.url),
];

fn table(pages: &[Shown], ranks_before: usize, why: bool) -> Table {
    let value = |page: &Shown, part: fn(&Parts) -> Option<f64>| page.record.parts.as_ref().and_then(part);
    // A topic without genre terms needs no column of dashes.
    let parts: Vec<PartColumn> = PARTS
        .into_iter()
        .filter(|(_, part)| pages.iter().any(|page| value(page, *part).is_some()))
        .collect();
    let nearness = |page: &Shown| page.record.parts.as_ref().and_then(|parts| parts.nearness);
    let has_layers = pages.iter().any(|page| nearness(page).is_some());
    let has_twins = pages.iter().any(|page| page.repeated > 0);
    let has_marks = pages.iter().any(|page| page.mark.is_some());
    let has_genres = pages.iter().any(|page| page.record.genre.is_some());
    // Without both lists of terms the view says no more than the score.
    let has_both = |parts: &Parts| parts.genre.is_some() && parts.content.is_some();
    let has_views = pages
        .iter()
        .any(|page| page.record.parts.as_ref().is_some_and(has_both));

    let mut columns = vec![("#", Align::Right), ("score", Align::Left)];
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
        columns.push(("kind", Align::Left));
    }
    if has_marks {
        columns.push(("mark", Align::Left));
    }
    if has_twins {
        columns.push(("twins", Align::Right));
    }
    columns.extend([("title", Align::Cut), ("URL", Align::Left)]);
    let mut table = Table::new(&columns);
    for (at, page) in pages.iter().enumerate() {
        let record = &page.record;
        let mark = if record.relevant == Some(true) { "*" } else { "" };
        let mut cells = vec![
            (ranks_before + at + 1).to_string(),
            format!("{:.3}{mark}", record.relevance.unwrap_or_default()),
        ];
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
            cells.push(page.view.name().to_owned());
        }
        if has_genres {
            cells.push(record.genre.as_ref().map_or_else(String::new, |guess| {
                format!("{} {:.2}", harmless(&guess.class), guess.confidence)
            }));
        }
        if has_marks {
            cells.push(page.mark.map(mark_name).unwrap_or_default().to_owned());
        }
        if has_twins {
            cells.push(if page.repeated > 0 {
                format!("+{}", page.repeated)
            } else {
                String::new()
            });
        }
        let title = harmless(record.title.as_deref().unwrap_or_default());
        cells.push(if title.is_empty() {
            "(no title)".to_owned()
        } else {
            title
        });
        cells.push(harmless(&record.url));
        let mut lines = Vec::new();
        if let Some(original) = &record.duplicate_of {
            lines.push(format!("      repeats {}", harmless(original)));
        }
        if why {
            lines.extend(reasons(record).into_iter().map(|line| format!("      {line}")));
        }
        table.row(cells, lines);
    }
    table
}

/// Which terms were found, and how the crawl came to the page.
fn reasons(record: &PageRecord) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(parts) = &record.parts {
        let mut sets: BTreeMap<TermSet, Vec<&TermHit>> = BTreeMap::new();
        for hit in &parts.terms {
            sets.entry(hit.set).or_default().push(hit);
        }
        for (set, hits) in &sets {
            let mut told: Vec<String> = hits
                .iter()
                .take(TERMS_TOLD)
                .map(|hit| format!("{} ×{} ({:.2})", harmless(&hit.term), hit.count, hit.share))
                .collect();
            if hits.len() > TERMS_TOLD {
                told.push(format!("{} more", hits.len() - TERMS_TOLD));
            }
            lines.push(format!("{}: {}", set_name(*set), told.join(", ")));
        }
        if sets.is_empty() {
            lines.push("none of the topic's terms".to_owned());
        }
    }
    lines.push(way(record));
    lines
}

/// How the crawl came to a page, in a sentence.
fn way(record: &PageRecord) -> String {
    let why = harmless(&record.why);
    match &record.parent {
        Some(parent) => format!("depth {} from {}: {why}", record.depth, harmless(parent)),
        None => format!("depth {}: {why}", record.depth),
    }
}

/// The word for a list of terms.
pub fn set_name(set: TermSet) -> &'static str {
    match set {
        TermSet::Genre => "genre",
        TermSet::Content => "content",
        TermSet::Url => "url",
        TermSet::Exclude => "exclude",
        TermSet::Table => "table",
        TermSet::Query => "query",
    }
}

const CSV_COLUMNS: &[&str] = &[
    "rank",
    "url",
    "title",
    "relevance",
    "relevant",
    "genre",
    "content",
    "url_terms",
    "language",
    "depth",
    "parent",
    "fetched_at",
    "status",
    "bytes",
    "duplicate_of",
    "archive_file",
    "archive_offset",
    "view",
    "mark",
    "kind",
    "kind_confidence",
    "layer",
    "target_posterior",
    "target_similarity",
];

fn write_csv(out: &mut dyn Write, rank: usize, page: &Shown) -> anyhow::Result<()> {
    let record = &page.record;
    fn shown<T: ToString>(value: Option<T>) -> String {
        value.map(|value| value.to_string()).unwrap_or_default()
    }
    let part = |part: fn(&Parts) -> Option<f64>| shown(record.parts.as_ref().and_then(part));
    let nearness = record.parts.as_ref().and_then(|parts| parts.nearness);
    let cells = [
        rank.to_string(),
        record.url.clone(),
        record.title.clone().unwrap_or_default(),
        shown(record.relevance),
        shown(record.relevant),
        part(|parts| parts.genre),
        part(|parts| parts.content),
        part(|parts| parts.url),
        shown(record.language.as_ref()),
        record.depth.to_string(),
        record.parent.clone().unwrap_or_default(),
        record.fetched_at.clone(),
        shown(record.status),
        record.bytes.to_string(),
        record.duplicate_of.clone().unwrap_or_default(),
        shown(record.archive.as_ref().map(|position| &position.file)),
        shown(record.archive.as_ref().map(|position| position.offset)),
        page.view.name().to_owned(),
        shown(page.mark.map(mark_name)),
        shown(record.genre.as_ref().map(|guess| &guess.class)),
        shown(record.genre.as_ref().map(|guess| guess.confidence)),
        shown(nearness.map(|near| near.layer)),
        shown(nearness.map(|near| near.posterior)),
        shown(nearness.map(|near| near.similarity)),
    ];
    Ok(out.write_all(csv_line(&cells).as_bytes())?)
}
