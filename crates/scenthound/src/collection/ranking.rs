//! The pages of a collection, best first.
//!
//! Each URL is ranked once: the last attempt that brought a page counts. Hidden pages are left out (they asked not to be
//! indexed, are in an unwanted language, or use the topic's words in another sense). Pages that repeat each other are folded
//! under one of them: the one that others name as their canonical URL, or else a seed, or else the one with the shortest URL.
//!
//! The records are read once to rank them, keeping a few numbers per page, and again for the records that are asked for.
//! So the memory needed does not grow with the size of the records.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use scenthound_engine::NearDuplicates;
use scenthound_judge::{DEFAULT_THRESHOLD, is_of_genre};
use scenthound_store::{CrawlView, Marks, PageRecord};
use scenthound_types::{CanonicalUrl, Merge, Nearness, Verdict};
use serde::Serialize;

use super::pages::{Pages, each_record, each_record_or_warn};
use super::quadrant::{Quadrant, QuadrantThresholds};
use super::{Collection, CollectionError, Warning, url_hash};

/// At most this many records are in memory at a time.
const CHUNK: usize = 50_000;

/// What pages are ranked by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RankBy {
    /// How relevant the judge finds them.
    Relevance,
    /// How likely they are targets themselves (layer 0), then how similar they are to the targets.
    Layer,
    /// The cash that has passed through them, in crawls that rank by cash: OPIC's estimate of their importance.
    Importance,
}

/// Which pages are ranked, and how. The default ranks all pages that are not hidden.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RankSettings {
    /// What to rank by. The default is by layer if every page has one, and by relevance otherwise.
    pub by: Option<RankBy>,
    /// Leave out pages that were judged irrelevant.
    pub relevant_only: bool,
    /// Rank near-duplicates too instead of folding them under their originals.
    pub with_duplicates: bool,
    /// Rank only pages of these quadrants; empty for all.
    pub quadrants: Vec<Quadrant>,
    /// Rank only pages detected to be of these genres; empty for all.
    pub genres: Vec<String>,
    /// Rank pages detected to be of these genres first.
    pub preferred_genres: Vec<String>,
    /// Rank only pages found by these agents, counted from 1; empty for all.
    pub agents: Vec<u8>,
    /// Rank only pages in these languages, by their codes; empty for all.
    pub languages: Vec<String>,
    /// Rank only pages of these hosts and of the hosts below them; empty for all.
    pub hosts: Vec<String>,
    /// Rank only pages fetched at or after this time: a date such as `2024`, `2024-05` or `2024-05-01`, or a longer time.
    pub since: Option<String>,
    /// Rank only pages fetched before the end of this time.
    pub until: Option<String>,
    /// Rank only pages that are at least this relevant.
    pub min_relevance: Option<f64>,
    /// Rank hidden pages too, such as those that asked not to be indexed.
    pub with_hidden: bool,
    /// The similarity to the genre terms at which a page has the genre. The default is the topic's threshold.
    pub genre_threshold: Option<f64>,
    /// The similarity to the content terms at which a page has the content. The default is the topic's threshold.
    pub content_threshold: Option<f64>,
}

impl RankSettings {
    fn includes(&self, record: &PageRecord) -> bool {
        let language = record.language.as_deref().unwrap_or_default();
        (self.genres.is_empty() || is_any_genre(record, &self.genres))
            && (self.agents.is_empty() || self.agents.contains(&record.agent.unwrap_or(1)))
            && (self.languages.is_empty()
                || self
                    .languages
                    .iter()
                    .any(|wanted| wanted.eq_ignore_ascii_case(language)))
            && (self.hosts.is_empty() || is_any_host(&record.url, &self.hosts))
            && is_within(&record.fetched_at, self.since.as_deref(), self.until.as_deref())
            && self
                .min_relevance
                .is_none_or(|least| record.relevance.is_some_and(|relevance| relevance >= least))
    }
}

/// How many pages of each sort there are, whether ranked or not.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RankingCounts {
    /// Pages that were read and judged, each URL once.
    pub judged: u64,
    /// Hidden pages. The following figures do not count them.
    pub hidden: u64,
    /// Pages judged relevant.
    pub relevant: u64,
    /// Near-duplicates among the pages that the settings include.
    pub near_duplicates: u64,
    /// Pages of each quadrant.
    pub quadrants: BTreeMap<Quadrant, u64>,
}

/// What is kept in memory to rank a page.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    line: u64,
    relevance: f64,
    fingerprint: u64,
    is_relevant: bool,
    is_hidden: bool,
    is_included: bool,
    is_preferred: bool,
    quadrant: Quadrant,
    nearness: Option<Nearness>,
    /// Its history of cash: what it had at each visit, in sum.
    history: f64,
    /// Hash of its URL, and of the one it says it should be known by.
    url: u64,
    canonical: Option<u64>,
    /// Length of its URL.
    length: u32,
    is_seed: bool,
    /// Hash of the URL of the page that it repeats, as the crawl found out.
    repeats: Option<u64>,
    /// The line of the page it is folded under.
    original: Option<u64>,
}

/// A page and its place in a ranking. As JSON it is the page's record with `view` and `mark`. If near-duplicates are ranked too,
/// `duplicate_of` in the record names the page under which it would be folded.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RankedPage {
    /// Its place, from 1.
    #[serde(skip)]
    pub rank: usize,
    /// The record of the attempt that counts.
    #[serde(flatten)]
    pub record: PageRecord,
    /// Which of genre and content it has.
    #[serde(rename = "view")]
    pub quadrant: Quadrant,
    /// The user's own verdict, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<Verdict>,
    /// How many near-duplicates repeat it.
    #[serde(skip)]
    pub near_duplicates: u64,
}

/// The pages of a collection, best first. The order is fixed on creation; records are read on demand.
#[derive(Debug)]
pub struct Ranking {
    view: CrawlView,
    marks: Marks,
    ranked: Vec<Candidate>,
    /// How many pages repeat the page on a line.
    repeated: HashMap<u64, u64>,
    counts: RankingCounts,
    by: RankBy,
    thresholds: QuadrantThresholds,
    has_quadrants: bool,
    warnings: Vec<Warning>,
}

impl Collection {
    /// Ranks the pages.
    pub fn ranked(&self, settings: &RankSettings) -> Result<Ranking, CollectionError> {
        let thresholds = self.quadrant_thresholds(settings)?;
        let mut warnings = Vec::new();
        let mut by_url: HashMap<u64, Candidate> = HashMap::new();
        let mut has_quadrants = false;
        each_record_or_warn(&self.view, &mut warnings, |line, record| {
            if !record.is_judged_page() {
                return;
            }
            let earlier = by_url
                .get(&url_hash(&record.url))
                .map_or(0.0, |page| page.history);
            let parts = record.parts.as_ref();
            has_quadrants |= parts.is_some_and(|parts| parts.genre.is_some() && parts.content.is_some());
            let candidate = Candidate {
                line,
                relevance: record.relevance.unwrap_or_default(),
                fingerprint: record.fingerprint.unwrap_or_default(),
                is_relevant: record.is_relevant(),
                is_hidden: record.hidden,
                is_included: settings.includes(&record),
                is_preferred: is_any_genre(&record, &settings.preferred_genres),
                quadrant: parts.map_or(Quadrant::Neither, |parts| thresholds.quadrant(parts)),
                nearness: parts.and_then(|parts| parts.nearness),
                history: earlier + record.score.unwrap_or_default(),
                url: url_hash(&record.url),
                canonical: record.canonical.as_deref().map(url_hash),
                length: u32::try_from(record.url.len()).unwrap_or(u32::MAX),
                is_seed: record.seed,
                repeats: record.duplicate_of.as_deref().map(url_hash),
                original: None,
            };
            by_url.insert(candidate.url, candidate);
        })?;
        let mut candidates: Vec<Candidate> = by_url.into_values().collect();
        candidates.sort_unstable_by_key(|candidate| candidate.line);
        let mut ranking = Ranking {
            view: self.view.clone(),
            marks: self.marks()?,
            ranked: Vec::new(),
            repeated: HashMap::new(),
            counts: RankingCounts {
                judged: candidates.len() as u64,
                ..RankingCounts::default()
            },
            by: rank_by(settings.by, &candidates, self.uses_cash()?)?,
            thresholds,
            has_quadrants,
            warnings,
        };
        ranking.choose(&candidates, settings);
        ranking.sort();
        Ok(ranking)
    }

    /// Whether the crawl's priorities were cash. One whose settings are missing or name what is not there is not known to.
    fn uses_cash(&self) -> Result<bool, CollectionError> {
        let strategy = self.settings()?.and_then(|settings| settings.strategy().ok());
        Ok(strategy.is_some_and(|strategy| strategy.needs().redirects == Merge::Add))
    }

    fn quadrant_thresholds(&self, settings: &RankSettings) -> Result<QuadrantThresholds, CollectionError> {
        let threshold = match (settings.genre_threshold, settings.content_threshold) {
            (Some(_), Some(_)) => DEFAULT_THRESHOLD,
            // A crawl that was stopped before it wrote its settings gets the default threshold.
            _ => self
                .settings()?
                .map_or(DEFAULT_THRESHOLD, |settings| settings.judge.threshold),
        };
        Ok(QuadrantThresholds {
            genre: settings.genre_threshold.unwrap_or(threshold),
            content: settings.content_threshold.unwrap_or(threshold),
        })
    }
}

impl Ranking {
    /// How many pages are ranked.
    pub fn len(&self) -> usize {
        self.ranked.len()
    }

    /// Whether no page is ranked.
    pub fn is_empty(&self) -> bool {
        self.ranked.is_empty()
    }

    /// What they are ranked by.
    pub fn by(&self) -> RankBy {
        self.by
    }

    /// How many pages of each sort there are.
    pub fn counts(&self) -> &RankingCounts {
        &self.counts
    }

    /// The thresholds of the quadrants.
    pub fn thresholds(&self) -> QuadrantThresholds {
        self.thresholds
    }

    /// Whether pages were compared with both genre and content terms. If not, quadrants add nothing to the relevance.
    pub fn has_quadrants(&self) -> bool {
        self.has_quadrants
    }

    /// How many of the first `top` pages were judged relevant.
    pub fn relevant_among(&self, top: usize) -> usize {
        let first = self.ranked.iter().take(top);
        first.filter(|candidate| candidate.is_relevant).count()
    }

    /// What could not be read.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The pages, best first. Reads up to 50,000 records at a time.
    pub fn pages(&self) -> RankedPages<'_> {
        RankedPages {
            ranking: self,
            next: 0,
            read: Vec::new().into_iter(),
        }
    }

    /// The pages at these positions, counted from 0. Positions past the end are ignored.
    pub fn read(&self, places: Range<usize>) -> Result<Vec<RankedPage>, CollectionError> {
        let end = places.end.min(self.ranked.len());
        let wanted = self.ranked.get(places.start..end).unwrap_or_default();
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let mut records: HashMap<u64, Option<PageRecord>> =
            wanted.iter().map(|page| (page.line, None)).collect();
        let originals = wanted.iter().filter_map(|page| page.original);
        let mut originals: HashMap<u64, String> = originals.map(|line| (line, String::new())).collect();
        each_record(&self.view, |line, record| {
            if let Some(url) = originals.get_mut(&line) {
                url.clone_from(&record.url);
            }
            if let Some(place) = records.get_mut(&line) {
                *place = Some(record);
            }
        })?;
        let pages = (places.start + 1..).zip(wanted).filter_map(|(rank, page)| {
            let mut record = records.remove(&page.line)??;
            record.duplicate_of = page.original.and_then(|line| originals.get(&line).cloned());
            Some(RankedPage {
                rank,
                quadrant: page.quadrant,
                mark: self.marks.get(&record.url).copied(),
                near_duplicates: self.repeated.get(&page.line).copied().unwrap_or_default(),
                record,
            })
        });
        Ok(pages.collect())
    }

    /// Visits the ranked pages in the order of their records, which takes one pass and little memory.
    pub fn each_in_order<E: From<CollectionError>>(
        &self,
        mut visit: impl FnMut(RankedPage) -> Result<(), E>,
    ) -> Result<(), E> {
        let places: HashMap<u64, usize> = self
            .ranked
            .iter()
            .enumerate()
            .map(|(place, page)| (page.line, place))
            .collect();
        let originals = self.originals()?;
        let mut pages = Pages::open(&self.view)?;
        while let Some(record) = pages.next() {
            let mut record = record?;
            let line = pages.line();
            let Some((place, page)) = places
                .get(&line)
                .and_then(|place| Some((*place, self.ranked.get(*place)?)))
            else {
                continue;
            };
            record.duplicate_of = page.original.and_then(|line| originals.get(&line).cloned());
            visit(RankedPage {
                rank: place + 1,
                quadrant: page.quadrant,
                mark: self.marks.get(&record.url).copied(),
                near_duplicates: self.repeated.get(&line).copied().unwrap_or_default(),
                record,
            })?;
        }
        Ok(())
    }

    /// The URLs of the pages under which ranked near-duplicates would be folded, by line.
    fn originals(&self) -> Result<HashMap<u64, String>, CollectionError> {
        let named = self.ranked.iter().filter_map(|page| page.original);
        let mut originals: HashMap<u64, String> = named.map(|line| (line, String::new())).collect();
        if !originals.is_empty() {
            each_record(&self.view, |line, record| {
                if let Some(url) = originals.get_mut(&line) {
                    *url = record.url;
                }
            })?;
        }
        Ok(originals)
    }

    /// Counts all pages and keeps those that the settings select.
    fn choose(&mut self, candidates: &[Candidate], settings: &RankSettings) {
        let mut chosen = Vec::new();
        for page in candidates {
            if page.is_hidden {
                self.counts.hidden += 1;
                if !settings.with_hidden {
                    continue;
                }
            }
            // As in the crawl's own counts, a page that repeats another does not count again.
            self.counts.relevant += u64::from(page.is_relevant && page.repeats.is_none());
            *self.counts.quadrants.entry(page.quadrant).or_default() += 1;
            let is_in_quadrant = settings.quadrants.is_empty() || settings.quadrants.contains(&page.quadrant);
            if page.is_included && is_in_quadrant && (page.is_relevant || !settings.relevant_only) {
                chosen.push(*page);
            }
        }
        for (page, folded_under) in chosen.iter().zip(fold(&chosen)) {
            if let Some(original) = folded_under {
                self.counts.near_duplicates += 1;
                *self.repeated.entry(original).or_default() += 1;
                if !settings.with_duplicates {
                    continue;
                }
            }
            self.ranked.push(Candidate {
                original: folded_under,
                ..*page
            });
        }
    }

    fn sort(&mut self) {
        let by = self.by;
        // Ties go to the page fetched earlier.
        self.ranked.sort_by(|a, b| {
            b.is_preferred
                .cmp(&a.is_preferred)
                .then_with(|| match by {
                    RankBy::Layer => nearer(a.nearness, b.nearness),
                    RankBy::Importance => b.history.total_cmp(&a.history),
                    RankBy::Relevance => Ordering::Equal,
                })
                .then(b.relevance.total_cmp(&a.relevance))
                .then(a.line.cmp(&b.line))
        });
    }
}

/// For each page, in the order of their lines, the line of the page it is folded under, if any.
fn fold(pages: &[Candidate]) -> Vec<Option<u64>> {
    let mut near_duplicates = NearDuplicates::default();
    let by_url: HashMap<u64, usize> = (0..).zip(pages).map(|(at, page)| (page.url, at)).collect();
    let mut groups: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut firsts: Vec<usize> = Vec::with_capacity(pages.len());
    for ((at, page), number) in pages.iter().enumerate().zip(0_u32..) {
        let known = page.repeats.and_then(|url| by_url.get(&url)).copied();
        let like = near_duplicates.add(number, page.fingerprint, page.relevance);
        let like = like.map(|number| number as usize).or(known);
        let first = like.and_then(|like| firsts.get(like)).copied().unwrap_or(at);
        firsts.push(first);
        groups.entry(first).or_default().push(at);
    }
    let mut folded = vec![None; pages.len()];
    for group in groups.into_values().filter(|group| group.len() > 1) {
        let members = || group.iter().filter_map(|at| Some((*at, pages.get(*at)?)));
        let is_named = |page: &Candidate| members().any(|(_, other)| other.canonical == Some(page.url));
        let shown = members().min_by_key(|(at, page)| (!is_named(page), !page.is_seed, page.length, *at));
        let Some((shown, original)) = shown else {
            continue;
        };
        for at in group.iter().filter(|at| **at != shown) {
            if let Some(place) = folded.get_mut(*at) {
                *place = Some(original.line);
            }
        }
    }
    folded
}

/// The pages of a ranking, best first.
#[derive(Debug)]
pub struct RankedPages<'a> {
    ranking: &'a Ranking,
    next: usize,
    read: std::vec::IntoIter<RankedPage>,
}

impl Iterator for RankedPages<'_> {
    type Item = Result<RankedPage, CollectionError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(page) = self.read.next() {
                return Some(Ok(page));
            }
            if self.next >= self.ranking.len() {
                return None;
            }
            let places = self.next..self.next + CHUNK;
            self.next = places.end;
            match self.ranking.read(places) {
                Ok(pages) => self.read = pages.into_iter(),
                Err(error) => {
                    self.next = usize::MAX;
                    return Some(Err(error));
                }
            }
        }
    }
}

/// What pages are ranked by: as requested, or by layer if every page has one. A crawl that learns layers as it goes read its
/// first pages without them.
fn rank_by(asked: Option<RankBy>, pages: &[Candidate], uses_cash: bool) -> Result<RankBy, CollectionError> {
    let has_layers = pages.iter().any(|page| page.nearness.is_some());
    match asked {
        Some(RankBy::Layer) if !has_layers => Err(CollectionError::NoLayers),
        Some(RankBy::Importance) if !uses_cash => Err(CollectionError::NoCash),
        Some(by) => Ok(by),
        None if has_layers && pages.iter().all(|page| page.nearness.is_some()) => Ok(RankBy::Layer),
        None => Ok(RankBy::Relevance),
    }
}

/// The page nearer to the targets first, and pages without a layer last.
fn nearer(a: Option<Nearness>, b: Option<Nearness>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => b.total_cmp(&a),
        _ => b.is_some().cmp(&a.is_some()),
    }
}

/// Whether a URL is of one of these hosts or of a host below one.
fn is_any_host(url: &str, hosts: &[String]) -> bool {
    let Ok(url) = CanonicalUrl::parse(url) else {
        return false;
    };
    hosts.iter().any(|wanted| {
        let wanted = wanted.trim_start_matches('.');
        url.host()
            .strip_suffix(wanted)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

/// Whether a time is in a range of times. Times are compared as they are written, so `2024` includes all of that year.
fn is_within(time: &str, since: Option<&str>, until: Option<&str>) -> bool {
    since.is_none_or(|since| time >= since)
        && until.is_none_or(|until| time < until || time.starts_with(until))
}

/// Whether a page was detected to be of one of these genres.
fn is_any_genre(record: &PageRecord, genres: &[String]) -> bool {
    record
        .genre
        .as_ref()
        .is_some_and(|guess| genres.iter().any(|wanted| is_of_genre(&guess.class, wanted)))
}
