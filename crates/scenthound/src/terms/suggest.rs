//! Terms from the pages of a crawl that the user marked relevant, or from its best pages, in contrast to the rest of it.
//!
//! Genre terms come first, as when terms are generated. If the crawl met pages of the wanted genre about other subjects, what
//! these share with the good pages belongs to the genre, and what the good pages have beyond that is the subject. If it met
//! none, genre and subject cannot be separated and all candidates are content terms.
//!
//! A word that is common on pages of any kind ("july", "five", "way") is never suggested, even if the crawl happened to meet it
//! mostly on good pages: the rest of a crawl is too small and too similar to say which words are common. Long pages contain
//! more common words than short ones, so what is expected of a word depends on how long the good pages are.

use std::collections::BTreeMap;

use scenthound_config::Settings;
use scenthound_judge::Background;
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
/// Terms looked at for each that is wanted.
const ROOM: usize = 20;
/// With this many pages marked irrelevant they alone are the contrast. With fewer the result would be arbitrary.
const LEAST_MARKED: usize = 10;

/// A word that tells is on good pages at least this many times as often as expected.
const LEAST_LIFT: f64 = 3.0;
/// A word expected on more than this share of pages is common…
const COMMON: f64 = 0.02;
/// …and must be on so many of the good pages that chance would do that no more often than this.
const MOST_CHANCE: f64 = 1e-4;

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
    /// Whether it has the wanted genre but not the wanted content.
    is_genre_only: bool,
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
    let (mut words_of_good, mut words_of_both) = (0, 0);
    for (pages, is_good) in [(&sides.good, true), (&sides.genre, false)] {
        for page in pages {
            if let Some(page) = parsed(view, page)? {
                both.add(&page.text, page.language);
                let words = length(&page);
                words_of_both += words;
                words_of_good += if is_good { words } else { 0 };
            }
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
    let everywhere = Background::shipped();
    let of_both = Expected::new(everywhere, &both, words_of_both);
    let of_good = Expected::new(everywhere, &good, words_of_good);
    let mut taken = own_terms(settings, language);
    let mut genre_terms = Vec::new();
    if genre.documents() > 0 {
        // What only the good pages contain is their subject, and what only pages about other subjects contain is of their sites.
        let room = suggesting.genre_terms.saturating_mul(ROOM);
        genre_terms = suggest(&both, &against_both, &taken, room, &picking)?;
        genre_terms.retain(|term| {
            good.documents_with(&term.tokens) >= least && genre.documents_with(&term.tokens) >= 2
        });
        genre_terms = of_both.telling(genre_terms);
        genre_terms.truncate(suggesting.genre_terms);
        taken.extend(genre_terms.iter().map(|term| term.tokens.clone()));
    }
    let room = suggesting.content_terms.saturating_mul(ROOM);
    let mut content = of_good.telling(suggest(&good, &against_good, &taken, room, &picking)?);
    content.truncate(suggesting.content_terms);
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

/// The words of a page, stop words left out.
fn length(page: &ParsedPage) -> u64 {
    let stop = page.language.map(StopList::of);
    let is_counted = |token: &Token| token.is_word() && !stop.is_some_and(|stop| stop.contains(*token));
    page.text
        .tokens()
        .iter()
        .filter(|token| is_counted(token))
        .count() as u64
}

/// Pages that speak for terms: how often words would be on them by chance.
struct Expected<'b> {
    everywhere: &'b Background,
    /// How many pages there are.
    pages: u64,
    /// How long they are, as a multiple of the length of other pages.
    length: f64,
}

impl<'b> Expected<'b> {
    fn new(everywhere: &'b Background, counts: &RunCounts, words: u64) -> Expected<'b> {
        let pages = counts.documents();
        Expected {
            everywhere,
            pages,
            length: words as f64 / pages.max(1) as f64 / everywhere.mean_length(),
        }
    }

    /// The share of pages that a term is expected on: no more than its rarest word.
    fn share(&self, term: &Candidate) -> f64 {
        let words = term.term.split_whitespace();
        let share = words.map(|word| self.everywhere.share(word)).fold(1.0, f64::min);
        // A word that was never counted is rare, but not impossible.
        let least = 1.0 / (f64::from(self.everywhere.pages()) + 1.0);
        1.0 - (1.0 - share.max(least)).powf(self.length)
    }

    /// The terms that tell, those first that both stand out from the rest of the crawl and are not common elsewhere. Rare
    /// terms are all alike: the rarest are names that only a few of the good pages have.
    fn telling(&self, terms: Vec<Candidate>) -> Vec<Candidate> {
        if self.everywhere.pages() == 0 {
            return terms;
        }
        let mut ranked: Vec<(f64, Candidate)> = terms
            .into_iter()
            .map(|term| (self.share(&term), term))
            .filter(|(share, term)| is_telling(term.documents, self.pages, *share))
            .map(|(share, term)| (term.contrast.unwrap_or(1.0) * -share.max(COMMON).ln(), term))
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        ranked.into_iter().map(|(_, term)| term).collect()
    }
}

/// Whether a word on `with` of some good pages tells, if it is expected on this share of them.
fn is_telling(with: u64, pages: u64, share: f64) -> bool {
    let here = with as f64 / pages.max(1) as f64;
    here >= LEAST_LIFT * share && (share <= COMMON || chance(with, pages, share) <= MOST_CHANCE)
}

/// How likely it is that at least `with` of these pages contain a word that is expected on this share of them.
fn chance(with: u64, pages: u64, share: f64) -> f64 {
    let share = share.clamp(1e-9, 1.0 - 1e-9);
    // The logarithm of the probability of exactly 0, 1, 2… pages.
    let mut log = pages as f64 * (1.0 - share).ln();
    let mut sum = if with == 0 { log.exp() } else { 0.0 };
    for number in 1..=pages {
        log += ((pages - number + 1) as f64 / number as f64 * share / (1.0 - share)).ln();
        if number >= with {
            sum += log.exp();
        }
    }
    sum.min(1.0)
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
                // Of a topic without content terms, pages of the genre are good pages.
                is_genre_only: parts.content.is_some()
                    && thresholds.quadrant(&parts) == Some(Quadrant::GenreOnly),
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
        .partition(|page| page.is_genre_only && !is_marked_irrelevant(page));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_the_tail_of_the_binomial_distribution() {
        assert!((chance(0, 4, 0.5) - 1.0).abs() < 1e-12);
        assert!((chance(3, 4, 0.5) - 5.0 / 16.0).abs() < 1e-12);
        assert!((chance(2, 2, 0.1) - 0.01).abs() < 1e-12);
        assert_eq!(chance(1, 0, 0.1), 0.0);
    }

    #[test]
    fn common_words_do_not_tell_however_often_the_good_pages_have_them() {
        // "july", on 8 of 20 good pages and expected on an eighth.
        assert!(!is_telling(8, 20, 0.125));
        // Twice out of twice is chance.
        assert!(!is_telling(2, 2, 0.125));
        // "course", on 19 of 20 good pages.
        assert!(is_telling(19, 20, 0.125));
        // A rare word tells even on few pages, and so does one that is nowhere else.
        assert!(is_telling(2, 20, 0.01));
        assert!(is_telling(1, 1, 0.0));
    }

    #[test]
    fn july_five_and_way_are_never_suggested() {
        let expected = Expected {
            everywhere: Background::shipped(),
            pages: 20,
            length: 2.0,
        };
        let terms = ["july", "five", "way", "five july", "locomotive", "freight train"];
        let candidates = terms.map(|term| Candidate {
            term: term.to_owned(),
            tokens: tokenize(term),
            count: 20,
            documents: 10,
            contrast: Some(5.0),
        });
        let told: Vec<String> = expected
            .telling(candidates.to_vec())
            .into_iter()
            .map(|candidate| candidate.term)
            .collect();
        assert_eq!(told, ["locomotive", "freight train"]);
    }
}
