//! Terms from the pages of a crawl that the user marked relevant, or from its best pages, in contrast to the rest of it.
//!
//! Genre terms come first, as when terms are generated. If the crawl met pages of the wanted genre about other subjects, what
//! these share with the good pages belongs to the genre, and what the good pages have beyond that is the subject. If it met
//! none, genre and subject cannot be separated and all candidates are content terms.

use std::collections::BTreeMap;

use scenthound_config::Settings;
use scenthound_judge::terms::{
    BackgroundCounts, Candidate, Frequency, GenerateSettings, RunCounts, TermsFault, suggest,
};
use scenthound_store::{CrawlView, Error as StoreError, Position};
use scenthound_types::text::{StopList, tokenize};
use scenthound_types::{CanonicalUrl, Language, ParsedPage, Token, Verdict};
use serde::Serialize;
use thiserror::Error;

use super::{usual_language, write_list};
use crate::collection::each_record;
use crate::stored_page::page_of_response;
use crate::{Collection, CollectionError, Quadrant, QuadrantThresholds, UnreadableLines};

/// Pages of the genre about other subjects that are needed to separate genre from subject.
const LEAST_GENRE_PAGES: usize = 3;
/// Genre terms looked at for each that is wanted.
const ROOM: usize = 20;
/// With this many pages marked irrelevant they alone are the contrast. With fewer the result would be arbitrary.
const LEAST_MARKED: usize = 10;

/// How terms are suggested.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SuggestSettings {
    /// Without marks, how many of the best pages count as good.
    pub top: usize,
    /// How many genre terms.
    pub genre_terms: usize,
    /// How many content terms.
    pub content_terms: usize,
    /// Leave out terms that fewer of the good pages contain. By default 2, or 1 for less than three good pages.
    pub least_pages: Option<u64>,
    /// Other pages read for contrast, at most.
    pub most_others: usize,
}

impl Default for SuggestSettings {
    fn default() -> SuggestSettings {
        SuggestSettings {
            top: 20,
            genre_terms: 10,
            content_terms: 15,
            least_pages: None,
            most_others: 2_000,
        }
    }
}

/// Why there are no suggestions.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SuggestError {
    /// No page counts as good.
    #[error("no page of the crawl is marked relevant, and none has a relevance above 0")]
    NoGoodPages,
    /// All pages count as good.
    #[error(
        "there are no other pages to contrast the good ones with; crawl more, or count fewer pages as good"
    )]
    NoOtherPages,
    /// The terms.
    #[error(transparent)]
    Terms(#[from] TermsFault),
    /// The archive.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The records of the crawl.
    #[error(transparent)]
    Collection(#[from] CollectionError),
}

impl SuggestError {
    /// Whether the crawl or the settings are at fault, rather than the disk.
    pub fn is_bad_input(&self) -> bool {
        !matches!(self, SuggestError::Store(_) | SuggestError::Collection(_))
    }
}

/// Which pages of a crawl count as good.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GoodPages {
    /// Those marked relevant.
    Marks,
    /// Those with the highest relevance, as none is marked.
    Best,
}

/// Terms that set the good pages of a crawl apart.
#[derive(Debug, Serialize)]
pub struct Suggestions {
    /// Which pages count as good.
    pub from: GoodPages,
    /// Good pages.
    pub good_pages: u64,
    /// Pages they were contrasted with.
    pub other_pages: u64,
    /// Pages of the wanted genre about other subjects.
    pub genre_pages: u64,
    /// Terms of the genre.
    pub genre: Vec<Candidate>,
    /// Terms of the subject.
    pub content: Vec<Candidate>,
    /// Lines of the crawl's records that could not be read.
    #[serde(skip)]
    pub unreadable: Option<UnreadableLines>,
}

impl Suggestions {
    /// The `[terms]` section of a topic file: the topic's own terms and the suggested ones.
    pub fn to_toml(&self, settings: &Settings) -> String {
        let mut toml = "[terms]\n".to_owned();
        for (list, own, terms) in [
            ("genre", &settings.terms.genre, &self.genre),
            ("content", &settings.terms.content, &self.content),
        ] {
            if !own.is_empty() || !terms.is_empty() {
                write_list(&mut toml, list, own, terms);
            }
        }
        toml
    }
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

/// The pages that speak for terms, and those that speak against.
struct Sides {
    good: Vec<Page>,
    genre: Vec<Page>,
    others: Vec<Page>,
    from: GoodPages,
}

/// Suggests terms for the topic of a crawl. The topic's own terms are left out.
pub fn suggest_terms(
    collection: &Collection,
    settings: &Settings,
    suggesting: &SuggestSettings,
) -> Result<Suggestions, SuggestError> {
    let view = collection.view();
    let (pages, unreadable) = pages(view, settings)?;
    let sides = sides(pages, suggesting)?;
    let language = settings.topic.language;
    let (good, good_language) = read(view, &sides.good, language)?;
    let language = language.or(good_language);
    let (genre, _) = read(view, &sides.genre, language)?;
    let mut both = RunCounts::new(language);
    for page in sides.good.iter().chain(&sides.genre) {
        if let Some(page) = parsed(view, page)? {
            both.add(&page.text, page.language);
        }
    }
    let mut against_both = BackgroundCounts::of(&[&both], language);
    let mut against_good = BackgroundCounts::of(&[&good], language);
    for page in &sides.others {
        if let Some(page) = parsed(view, page)? {
            against_both.add(&page.text, page.language);
            against_good.add(&page.text, page.language);
        }
    }
    // Of two pages of one genre, what only one has is its subject.
    for page in &sides.genre {
        if let Some(page) = parsed(view, page)? {
            against_good.add(&page.text, page.language);
        }
    }
    let least = suggesting
        .least_pages
        .unwrap_or(if good.documents() < 3 { 1 } else { 2 });
    let picking = GenerateSettings {
        by: Frequency::Documents,
        least_documents: least,
        drop_inner: true,
        ..GenerateSettings::default()
    };
    let mut taken = own_terms(settings, language);
    let mut genre_terms = Vec::new();
    if genre.documents() > 0 {
        // What only the good pages contain is their subject, and what only pages about other subjects contain is of their sites.
        let room = suggesting.genre_terms.saturating_mul(ROOM);
        genre_terms = suggest(&both, &against_both, &taken, room, &picking)?;
        genre_terms.retain(|term| {
            good.documents_with(&term.tokens) >= least && genre.documents_with(&term.tokens) >= 2
        });
        genre_terms.truncate(suggesting.genre_terms);
        taken.extend(genre_terms.iter().map(|term| term.tokens.clone()));
    }
    let content = suggest(&good, &against_good, &taken, suggesting.content_terms, &picking)?;
    Ok(Suggestions {
        from: sides.from,
        good_pages: good.documents(),
        other_pages: against_good.documents(),
        genre_pages: genre.documents(),
        genre: genre_terms,
        content,
        unreadable,
    })
}

/// The readable pages of the crawl, one per URL, as last fetched.
fn pages(
    view: &CrawlView,
    settings: &Settings,
) -> Result<(Vec<Page>, Option<UnreadableLines>), SuggestError> {
    let marks = view.marks()?;
    let thresholds = QuadrantThresholds::both(settings.judge.threshold);
    let mut pages = BTreeMap::new();
    let bad = each_record(view, |_, record| {
        if !record.is_judged_page() {
            return;
        }
        let parts = record.parts.clone().unwrap_or_default();
        if let (Ok(url), Some(position)) = (CanonicalUrl::parse(&record.url), record.archive) {
            let page = Page {
                url,
                position,
                relevance: record.relevance.unwrap_or_default(),
                quadrant: thresholds.quadrant(&parts),
                is_hidden: record.hidden,
                mark: marks.get(&record.url).copied(),
            };
            pages.insert(record.url, page);
        }
    })?;
    Ok((pages.into_values().collect(), bad))
}

fn sides(mut pages: Vec<Page>, suggesting: &SuggestSettings) -> Result<Sides, SuggestError> {
    let is_from_marks = pages.iter().any(|page| page.mark == Some(Verdict::Relevant));
    // Best first; ties by URL, so that the answer does not depend on the order of fetching.
    pages.sort_by(|a, b| {
        b.relevance
            .total_cmp(&a.relevance)
            .then_with(|| a.url.as_str().cmp(b.url.as_str()))
    });
    let mut left = suggesting.top;
    let (good, rest): (Vec<Page>, Vec<Page>) = pages.into_iter().partition(|page| {
        if is_from_marks {
            return page.mark == Some(Verdict::Relevant);
        }
        let is_good = left > 0 && page.relevance > 0.0 && !page.is_hidden && page.mark.is_none();
        left -= usize::from(is_good);
        is_good
    });
    if good.is_empty() {
        return Err(SuggestError::NoGoodPages);
    }
    let is_marked_irrelevant = |page: &Page| page.mark == Some(Verdict::Irrelevant);
    let (mut genre, mut others): (Vec<Page>, Vec<Page>) = rest
        .into_iter()
        .partition(|page| page.quadrant == Quadrant::GenreOnly && !is_marked_irrelevant(page));
    if genre.len() < LEAST_GENRE_PAGES {
        others.append(&mut genre);
    }
    if others.iter().filter(|page| is_marked_irrelevant(page)).count() >= LEAST_MARKED {
        others.retain(is_marked_irrelevant);
    }
    if others.is_empty() && genre.is_empty() {
        return Err(SuggestError::NoOtherPages);
    }
    Ok(Sides {
        good,
        genre: spread(genre, suggesting.most_others),
        others: spread(others, suggesting.most_others),
        from: match is_from_marks {
            true => GoodPages::Marks,
            false => GoodPages::Best,
        },
    })
}

/// At most this many pages, from all over the list.
fn spread(pages: Vec<Page>, most: usize) -> Vec<Page> {
    let step = pages.len().div_ceil(most.max(1)).max(1);
    pages.into_iter().step_by(step).collect()
}

/// A page from the archive; none if its record is damaged.
fn parsed(view: &CrawlView, page: &Page) -> Result<Option<ParsedPage>, StoreError> {
    let record = match view.record(&page.position) {
        Ok(record) => record,
        Err(StoreError::Damaged { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(record
        .http()
        .and_then(|response| page_of_response(&page.url, &response)))
}

/// The runs of some pages, and the language of most of them.
fn read(
    view: &CrawlView,
    pages: &[Page],
    topic: Option<Language>,
) -> Result<(RunCounts, Option<Language>), StoreError> {
    let mut counts = RunCounts::new(topic);
    let mut languages = Vec::new();
    for page in pages {
        if let Some(page) = parsed(view, page)? {
            counts.add(&page.text, page.language);
            languages.extend(page.language);
        }
    }
    Ok((counts, usual_language(languages.into_iter())))
}

/// The topic's terms as words, without stop words, as runs are counted.
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
