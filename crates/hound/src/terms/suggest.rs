//! `hound terms suggest`: terms from the pages a user marked relevant, or from the best of a crawl, against the rest of it.
//!
//! Genre terms come first, as when terms are generated: where the crawl met pages of the wanted kind about other things,
//! what these share with the good pages is of the kind, and what the good pages have beyond that is the matter. Where it
//! met none, kind and matter cannot be told apart and all candidates are content terms.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result};
use scenthound::{Quadrant, QuadrantThresholds};
use scenthound_config::Settings;
use scenthound_judge::terms::{BackgroundCounts, Candidate, Frequency, GenerateSettings, RunCounts};
use scenthound_store::{CrawlView, Position};
use scenthound_types::text::{StopList, tokenize};
use scenthound_types::{CanonicalUrl, Language, ParsedPage, Token, Verdict};

use super::{candidate_line, quoted, told};
use crate::look;
use crate::pages_input::{any_text, bad_input};
use crate::stdout::{self, note};
use crate::table::{Align, Table, terminal_width};
use crate::wording::{count, counted, harmless};

/// Pages of the kind about other things that are needed to tell kind from matter.
const LEAST_GENRE_PAGES: usize = 3;
/// Genre terms looked at for each that is wanted.
const ROOM: usize = 20;
/// With so many pages marked irrelevant they alone are the contrast; with fewer, chance would speak.
const LEAST_MARKED: usize = 10;

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
    /// Without marks, how many of the best pages count as good.
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// How many genre terms.
    #[arg(long, value_name = "N", default_value_t = 10)]
    genre_terms: usize,
    /// How many content terms.
    #[arg(long, value_name = "N", default_value_t = 15)]
    content_terms: usize,
    /// Leave out terms that fewer of the good pages hold [default: 2, and 1 for less than three good pages].
    #[arg(long, value_name = "N")]
    least_pages: Option<u64>,
    /// Other pages read for contrast, at most.
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    most_others: usize,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
}

/// A page of the crawl that can be read.
struct Page {
    url: CanonicalUrl,
    position: Position,
    relevance: f64,
    quadrant: Quadrant,
    is_hidden: bool,
    mark: Option<Verdict>,
}

/// Which pages speak for terms, and which against.
struct Sides {
    good: Vec<Page>,
    genre: Vec<Page>,
    others: Vec<Page>,
    marked: bool,
}

pub(super) fn run(args: &Args) -> Result<()> {
    let view = look::open(&args.folder)?;
    let settings = look::settings(&view)?.ok_or_else(|| {
        bad_input(format!(
            "{} has no settings yet: nothing was crawled",
            args.folder.display()
        ))
    })?;
    let sides = sides(pages(&view, &settings)?, args)?;
    let language = settings.topic.language;
    let (good, good_language) = read(&view, &sides.good, language)?;
    let language = language.or(good_language);
    let (genre, _) = read(&view, &sides.genre, language)?;
    let mut both = RunCounts::new(language);
    for page in sides.good.iter().chain(&sides.genre) {
        if let Some(page) = parsed(&view, page)? {
            both.add(&page.text, page.language);
        }
    }
    let mut against_both = BackgroundCounts::of(&[&both], language);
    let mut against_good = BackgroundCounts::of(&[&good], language);
    for page in &sides.others {
        if let Some(page) = parsed(&view, page)? {
            against_both.add(&page.text, page.language);
            against_good.add(&page.text, page.language);
        }
    }
    // Of two pages of one kind, what only one has is its matter.
    for page in &sides.genre {
        if let Some(page) = parsed(&view, page)? {
            against_good.add(&page.text, page.language);
        }
    }
    let least = args
        .least_pages
        .unwrap_or(if good.documents() < 3 { 1 } else { 2 });
    let picking = GenerateSettings {
        by: Frequency::Documents,
        least_documents: least,
        drop_inner: true,
        ..GenerateSettings::default()
    };
    let mut taken = own_terms(&settings, language);
    let mut suggested_genre = Vec::new();
    if genre.documents() > 0 {
        // What only the good pages hold is their matter, and what only pages about other things hold is of their sites.
        let room = args.genre_terms.saturating_mul(ROOM);
        suggested_genre =
            scenthound_judge::terms::suggest(&both, &against_both, &taken, room, &picking).map_err(told)?;
        suggested_genre.retain(|term| {
            good.documents_with(&term.tokens) >= least && genre.documents_with(&term.tokens) >= 2
        });
        suggested_genre.truncate(args.genre_terms);
        taken.extend(suggested_genre.iter().map(|term| term.tokens.clone()));
    }
    let content =
        scenthound_judge::terms::suggest(&good, &against_good, &taken, args.content_terms, &picking)
            .map_err(told)?;
    let story = Story {
        good: good.documents(),
        others: against_good.documents(),
        marked: sides.marked,
        genre_pages: genre.documents(),
        genre: suggested_genre,
        content,
    };
    if story.genre_pages == 0 && !settings.terms.genre.is_empty() && !args.json {
        note(
            "note: the crawl met too few pages of the wanted kind about other things to tell genre terms from content terms",
        );
    }
    stdout::write(|out| {
        if args.json {
            serde_json::to_writer_pretty(&mut *out, &story.json())?;
            writeln!(out)?;
            return Ok(());
        }
        story.write(out, &settings)
    })
}

/// The readable pages of the crawl, one a URL, as last fetched.
fn pages(view: &CrawlView, settings: &Settings) -> Result<Vec<Page>> {
    let marks = view.marks()?;
    let thresholds = QuadrantThresholds::both(settings.judge.threshold);
    let mut pages = BTreeMap::new();
    look::each_record(view, |_, record| {
        if !record.is_judged_page() {
            return;
        }
        let is_hidden = record.hidden;
        let quadrant = thresholds.quadrant(&record.parts.clone().unwrap_or_default());
        if let (Ok(url), Some(position)) = (CanonicalUrl::parse(&record.url), record.archive) {
            let page = Page {
                url,
                position,
                relevance: record.relevance.unwrap_or_default(),
                quadrant,
                is_hidden,
                mark: marks.get(&record.url).copied(),
            };
            pages.insert(record.url, page);
        }
    })?;
    Ok(pages.into_values().collect())
}

fn sides(mut pages: Vec<Page>, args: &Args) -> Result<Sides> {
    let marked = pages.iter().any(|page| page.mark == Some(Verdict::Relevant));
    // Best first; ties by URL, so that the answer does not depend on the order of fetching.
    pages.sort_by(|a, b| {
        b.relevance
            .total_cmp(&a.relevance)
            .then_with(|| a.url.as_str().cmp(b.url.as_str()))
    });
    let mut left = args.top;
    let (good, rest): (Vec<Page>, Vec<Page>) = pages.into_iter().partition(|page| {
        if marked {
            return page.mark == Some(Verdict::Relevant);
        }
        let is_good = left > 0 && page.relevance > 0.0 && !page.is_hidden && page.mark.is_none();
        left -= usize::from(is_good);
        is_good
    });
    if good.is_empty() {
        return Err(bad_input(format!(
            "no page of {} is relevant in any degree; mark some that are: hound mark {} URL --relevant",
            args.folder.display(),
            args.folder.display()
        )));
    }
    let is_disliked = |page: &Page| page.mark == Some(Verdict::Irrelevant);
    let (mut genre, mut others): (Vec<Page>, Vec<Page>) = rest
        .into_iter()
        .partition(|page| page.quadrant == Quadrant::GenreOnly && !is_disliked(page));
    if genre.len() < LEAST_GENRE_PAGES {
        others.append(&mut genre);
    }
    if others.iter().filter(|page| is_disliked(page)).count() >= LEAST_MARKED {
        others.retain(is_disliked);
    }
    if others.is_empty() && genre.is_empty() {
        return Err(bad_input(
            "there are no other pages to contrast the good ones with; crawl more, or count fewer as good with --top".to_owned(),
        ));
    }
    Ok(Sides {
        good,
        genre: spread(genre, args.most_others),
        others: spread(others, args.most_others),
        marked,
    })
}

/// At most so many pages, from all over the list.
fn spread(pages: Vec<Page>, most: usize) -> Vec<Page> {
    let step = pages.len().div_ceil(most.max(1)).max(1);
    pages.into_iter().step_by(step).collect()
}

/// A page as it lies in the archive; none if it cannot be read back.
fn parsed(view: &CrawlView, page: &Page) -> Result<Option<ParsedPage>> {
    let record = match view.record(&page.position) {
        Ok(record) => record,
        Err(scenthound_store::Error::Damaged { .. }) => return Ok(None),
        Err(error) => return Err(error).context("the archive cannot be read"),
    };
    Ok(record.http().and_then(|response| any_text(&page.url, &response)))
}

/// The runs of some pages, and the language of most of them.
fn read(view: &CrawlView, pages: &[Page], topic: Option<Language>) -> Result<(RunCounts, Option<Language>)> {
    let mut counts = RunCounts::new(topic);
    let mut votes: BTreeMap<Language, u64> = BTreeMap::new();
    for page in pages {
        if let Some(page) = parsed(view, page)? {
            counts.add(&page.text, page.language);
            if let Some(language) = page.language {
                *votes.entry(language).or_default() += 1;
            }
        }
    }
    let most = votes.values().copied().max();
    let usual = votes.into_iter().find(|(_, votes)| Some(*votes) == most);
    Ok((counts, usual.map(|(language, _)| language)))
}

/// The topic's terms as their words, stop words left out as they are when runs are counted.
fn own_terms(settings: &Settings, language: Option<Language>) -> Vec<Vec<Token>> {
    let stop = language.map_or_else(StopList::default, |language| {
        StopList::default().union(StopList::of(language))
    });
    let terms = &settings.terms;
    let lists = [&terms.genre, &terms.content, &terms.url, &terms.exclude];
    lists
        .into_iter()
        .flatten()
        .map(|term| {
            let words = tokenize(term).into_iter();
            words
                .filter(|token| token.is_word() && !stop.contains(*token))
                .collect()
        })
        .collect()
}

/// What was found.
struct Story {
    good: u64,
    others: u64,
    marked: bool,
    genre_pages: u64,
    genre: Vec<Candidate>,
    content: Vec<Candidate>,
}

impl Story {
    fn json(&self) -> serde_json::Value {
        let list = |terms: &[Candidate]| -> Vec<serde_json::Value> {
            let one = |term: &Candidate| {
                serde_json::json!({
                    "term": term.term, "count": term.count, "documents": term.documents, "contrast": term.contrast,
                })
            };
            terms.iter().map(one).collect()
        };
        serde_json::json!({
            "from": if self.marked { "marks" } else { "best" }, "good_pages": self.good, "other_pages": self.others,
            "genre_pages": self.genre_pages, "genre": list(&self.genre), "content": list(&self.content),
        })
    }

    fn write(&self, out: &mut dyn std::io::Write, settings: &Settings) -> Result<()> {
        let good = match self.marked {
            true => format!("{} marked relevant", counted(self.good, "page")),
            false => format!("the {} best pages (none is marked)", count(self.good)),
        };
        writeln!(
            out,
            "Terms of {good}, against {} others; the topic's own are left out.\n",
            count(self.others)
        )?;
        if self.genre.is_empty() && self.content.is_empty() {
            writeln!(
                out,
                "No term sets these pages apart; mark more of them, or lower --least-pages."
            )?;
            return Ok(());
        }
        let mut table = Table::new(&[
            ("list", Align::Left),
            ("term", Align::Left),
            ("times", Align::Right),
            ("pages", Align::Right),
            ("contrast", Align::Right),
        ]);
        for (list, terms) in [("genre", &self.genre), ("content", &self.content)] {
            for term in terms {
                table.row(
                    vec![
                        list.to_owned(),
                        harmless(&term.term),
                        count(term.count),
                        count(term.documents),
                        term.contrast
                            .map(|contrast| format!("{contrast:.1}"))
                            .unwrap_or_default(),
                    ],
                    Vec::new(),
                );
            }
        }
        table.write(out, terminal_width())?;
        writeln!(
            out,
            "\n# For the topic file: your own terms and the new ones. Strike what does not fit, then hound rejudge.\n[terms]"
        )?;
        for (list, own, terms) in [
            ("genre", &settings.terms.genre, &self.genre),
            ("content", &settings.terms.content, &self.content),
        ] {
            if own.is_empty() && terms.is_empty() {
                continue;
            }
            let mut toml = format!("{list} = [\n");
            for term in own {
                // Writing to a string cannot fail.
                let _ = writeln!(toml, "    {},", quoted(term));
            }
            for term in terms {
                toml.push_str(&candidate_line(term, &quoted(&term.term), ""));
            }
            writeln!(out, "{toml}]")?;
        }
        Ok(())
    }
}
