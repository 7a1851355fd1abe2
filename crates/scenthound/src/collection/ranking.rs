//! The pages of a collection, best first.
//!
//! Each URL is ranked once; revisits only add to its cash. Hidden pages are left out (they asked not to be indexed, are in an
//! unwanted language, or use the topic's words in another sense). Pages that repeat each other are folded under one of them
//! ([`Folding`]), and filters look at the page that is shown.
//!
//! **Invariant:** without filters, the pages ranked, folded and left out are all pages that were read; and the relevant pages
//! ranked and left out are those that the crawl counted.
//!
//! The records are read once to rank them, keeping a few numbers per page. Those that are asked for are then read again, by
//! their places in the file. So the memory needed does not grow with the size of the records.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use scenthound_judge::{DEFAULT_THRESHOLD, is_of_genre};
use scenthound_store::{CrawlView, Marks, PageRecord, RecordPlace};
use scenthound_strategy::StrategyKind;
use scenthound_types::{CanonicalUrl, Keyring, Merge, Nearness, PageNote, UrlKey, Verdict};
use serde::Serialize;

use super::folding::{FoldedPage, Folding};
use super::pages::Pages;
use super::quadrant::{Quadrant, QuadrantThresholds};
use super::{Collection, CollectionError, Warning, now, page_id, url_hash};

/// At most this many records are in memory at a time.
const CHUNK: usize = 50_000;

/// What pages are ranked by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RankBy {
    /// How relevant the judge finds them.
    Relevance,
    /// How likely they are targets themselves (layer 0), then how similar they are to the targets.
    Layer,
    /// OPIC's estimate of their importance, in crawls that rank by cash: the cash that has passed through a page and what it holds,
    /// as a share of all.
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
    /// Whether they rank all pages, apart from hidden pages and near-duplicates.
    pub fn is_everything(&self) -> bool {
        let same = RankSettings {
            by: self.by,
            with_duplicates: self.with_duplicates,
            with_hidden: self.with_hidden,
            preferred_genres: self.preferred_genres.clone(),
            genre_threshold: self.genre_threshold,
            content_threshold: self.content_threshold,
            ..RankSettings::default()
        };
        *self == same
    }

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

/// How many pages of each sort there are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RankingCounts {
    /// Pages that were read and judged, each URL once.
    pub judged: u64,
    /// Pages judged relevant, as the crawl counts them: hidden pages too, and of pages that repeat each other only one.
    pub relevant: u64,
    /// Hidden pages.
    pub hidden: u64,
    /// Relevant pages among the hidden ones.
    pub hidden_relevant: u64,
    /// Hidden pages by the note that hides them; the first one counts.
    pub hidden_by: BTreeMap<PageNote, u64>,
    /// The relevant pages among the hidden ones in the same way.
    pub hidden_relevant_by: BTreeMap<PageNote, u64>,
    /// Pages that repeat others.
    pub near_duplicates: u64,
    /// Relevant pages that the settings choose, not counting near-duplicates.
    pub chosen_relevant: u64,
    /// Near-duplicates of the pages that the settings choose.
    pub chosen_near_duplicates: u64,
    /// Pages of each quadrant, not counting near-duplicates. The settings choose them, apart from the quadrants they name.
    pub quadrants: BTreeMap<Quadrant, u64>,
}

/// What is kept in memory to rank a page.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    place: RecordPlace,
    relevance: f64,
    is_relevant: bool,
    is_hidden: bool,
    hidden_by: Option<PageNote>,
    is_included: bool,
    is_preferred: bool,
    quadrant: Option<Quadrant>,
    nearness: Option<Nearness>,
    /// Its cash: its history (what it had at each visit, in sum) and, if pages are ranked by importance, what it has gathered since.
    cash: f64,
    /// The place of the page it is folded under.
    original: Option<RecordPlace>,
    /// How many pages are folded under it.
    near_duplicates: u64,
}

/// A page and its place in a ranking. As JSON it is the page's record with `id`, `view` and `mark`. If near-duplicates are ranked too,
/// `duplicate_of` in the record names the page under which it would be folded.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RankedPage {
    /// Its place, from 1.
    #[serde(skip)]
    pub rank: usize,
    /// Its id, the same in every export and in the search index.
    pub id: String,
    /// The record of the attempt that counts.
    #[serde(flatten)]
    pub record: PageRecord,
    /// Which of genre and content it has; none if it was compared with neither.
    #[serde(rename = "view", skip_serializing_if = "Option::is_none")]
    pub quadrant: Option<Quadrant>,
    /// The user's own verdict, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<Verdict>,
    /// OPIC's estimate of its importance, if pages are ranked by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub importance: Option<f64>,
    /// How many near-duplicates repeat it.
    #[serde(skip)]
    pub near_duplicates: u64,
}

/// The pages of a collection, best first. The order is fixed on creation; records are read on demand.
#[derive(Debug)]
pub struct Ranking {
    view: CrawlView,
    generation: u32,
    marks: Marks,
    ranked: Vec<Candidate>,
    counts: RankingCounts,
    by: RankBy,
    /// What cash is divided by to give importance: the history of all pages and the one unit of cash that the seeds started with.
    all_cash: Option<f64>,
    thresholds: QuadrantThresholds,
    has_quadrants: bool,
    warnings: Vec<Warning>,
}

/// The cash that fetched pages have gathered since their last visit.
struct HeldCash {
    keyring: Keyring,
    held: HashMap<UrlKey, f64>,
}

impl HeldCash {
    fn of(&self, url: &str) -> f64 {
        let url = CanonicalUrl::parse(url).ok();
        let held = url.and_then(|url| self.held.get(&self.keyring.key(&url)));
        held.copied().unwrap_or_default()
    }
}

impl Collection {
    /// Ranks the pages.
    pub fn ranked(&self, settings: &RankSettings) -> Result<Ranking, CollectionError> {
        let thresholds = self.quadrant_thresholds(settings)?;
        let generation = self.view.layout().generation()?;
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut by_url: HashMap<u64, u32> = HashMap::new();
        let mut folding = Folding::default();
        let mut has_quadrants = false;
        let mut warnings = Vec::new();
        let held = match settings.by {
            Some(RankBy::Importance) => self.held_cash_or_warn(&mut warnings)?,
            _ => None,
        };
        // The history of all pages.
        let mut history = 0.0;
        let mut pages = Pages::open(&self.view)?;
        while let Some(record) = pages.next() {
            let record = record?;
            if !record.is_judged_page() {
                continue;
            }
            let key = url_hash(&record.url);
            let known = by_url.get(&key).and_then(|at| candidates.get_mut(*at as usize));
            let score = record.score.unwrap_or_default();
            history += score;
            let parts = record.parts.as_ref();
            has_quadrants |= parts.is_some_and(|parts| parts.genre.is_some() && parts.content.is_some());
            let mut candidate = Candidate {
                place: pages.place(),
                relevance: record.relevance.unwrap_or_default(),
                is_relevant: record.is_relevant(),
                is_hidden: record.hidden,
                hidden_by: record
                    .notes
                    .iter()
                    .copied()
                    .find(|note| record.hidden && note.hides()),
                is_included: settings.includes(&record),
                is_preferred: is_any_genre(&record, &settings.preferred_genres),
                quadrant: parts.and_then(|parts| thresholds.quadrant(parts)),
                nearness: parts.and_then(|parts| parts.nearness),
                cash: score,
                original: None,
                near_duplicates: 0,
            };
            match known {
                // The crawl counts the first visit only, so that is the one shown.
                Some(known) if record.revisit => known.cash += score,
                // Its records were lost once, and it was fetched again.
                Some(known) => {
                    candidate.cash += known.cash;
                    *known = candidate;
                }
                None => {
                    candidate.cash += held.as_ref().map_or(0.0, |held| held.of(&record.url));
                    let number = u32::try_from(candidates.len()).unwrap_or(u32::MAX);
                    by_url.insert(key, number);
                    let repeats = (record.duplicate_of.as_deref().filter(|_| !record.hidden)).map(url_hash);
                    let folded = FoldedPage {
                        key,
                        canonical: record.canonical.as_deref().map(url_hash),
                        repeats: repeats.and_then(|key| by_url.get(&key)).copied(),
                        is_relevant: candidate.is_relevant,
                        is_seed: record.seed,
                        length: record.url.len(),
                    };
                    folding.add(number, folded);
                    candidates.push(candidate);
                }
            }
        }
        let by = rank_by(settings.by, &candidates)?;
        warnings.extend(pages.unreadable().cloned().map(Warning::UnreadableLines));
        let mut ranking = Ranking {
            view: self.view.clone(),
            generation,
            marks: self.marks()?,
            ranked: Vec::new(),
            counts: RankingCounts::default(),
            by,
            all_cash: (by == RankBy::Importance).then_some(history + 1.0),
            thresholds,
            has_quadrants,
            warnings,
        };
        ranking.choose(&candidates, &folding, settings);
        ranking.sort();
        Ok(ranking)
    }

    /// Whether the crawl's priorities were cash. One whose settings are missing or name what is not there is not known to.
    fn uses_cash(&self) -> Result<bool, CollectionError> {
        let strategy = self.settings()?.and_then(|settings| settings.strategy().ok());
        Ok(strategy.is_some_and(|strategy| strategy.needs().redirects == Merge::Add))
    }

    /// The cash that pages have gathered since they were visited, with a warning if it is not known.
    fn held_cash_or_warn(&self, warnings: &mut Vec<Warning>) -> Result<Option<HeldCash>, CollectionError> {
        if !self.uses_cash()? {
            return Err(CollectionError::NoCash);
        }
        match self.held_cash() {
            Ok(held) => Ok(Some(held)),
            Err(error @ CollectionError::FinerCash) => Err(error),
            Err(error) => {
                warnings.push(Warning::HeldCash(error));
                Ok(None)
            }
        }
    }

    fn held_cash(&self) -> Result<HeldCash, CollectionError> {
        let settings = self.settings()?;
        // OPIC's cash does not depend on judgements, so it is distributed as before, apart from what reached a page while it was
        // being fetched.
        let is_opic =
            (settings.as_ref()).is_some_and(|settings| settings.strategy.kind == StrategyKind::Opic);
        if !is_opic && self.view.layout().generation()? > 0 {
            return Err(CollectionError::CashAnew);
        }
        let seed = settings.map_or(0, |settings| settings.crawl.seed);
        let nodes = self.nodes();
        let keyring = match nodes {
            Some(_) => Keyring::new(seed).by_site(),
            None => Keyring::new(seed),
        };
        let mut held = HashMap::new();
        for node in nodes.unwrap_or_else(|| vec![self.clone()]) {
            let Some(settings) = node.settings()? else {
                continue;
            };
            let frontier = node.peek(&settings, now())?;
            if frontier.unit()? != 0 {
                return Err(CollectionError::FinerCash);
            }
            held.extend(frontier.held_cash()?);
        }
        Ok(HeldCash { keyring, held })
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

    /// Whether pages were compared with both genre and content terms. If not, quadrants say little.
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
        let mut reader = self.view.records_at(self.generation)?;
        let mut read: Vec<(RecordPlace, Option<PageRecord>)> = wanted
            .iter()
            .flat_map(|page| std::iter::once(page.place).chain(page.original))
            .map(|place| (place, None))
            .collect();
        // In the order of the file, what has been read ahead is used.
        read.sort_unstable_by_key(|(place, _)| place.line);
        read.dedup_by_key(|(place, _)| place.line);
        for (place, record) in &mut read {
            *record = reader.read(*place)?;
        }
        let find = |wanted: RecordPlace| {
            let at = read
                .binary_search_by_key(&wanted.line, |(place, _)| place.line)
                .ok()?;
            read.get(at)?.1.as_ref()
        };
        let pages = (places.start + 1..).zip(wanted).filter_map(|(rank, page)| {
            let record = find(page.place)?.clone();
            let original = page.original.and_then(find);
            Some(self.page(rank, page, record, original.map(|original| original.url.clone())))
        });
        Ok(pages.collect())
    }

    fn page(
        &self,
        rank: usize,
        page: &Candidate,
        record: PageRecord,
        duplicate_of: Option<String>,
    ) -> RankedPage {
        RankedPage {
            rank,
            id: page_id(&record.url),
            quadrant: page.quadrant,
            mark: self.marks.get(&record.url).copied(),
            importance: self.all_cash.map(|all| page.cash / all),
            near_duplicates: page.near_duplicates,
            record: PageRecord {
                duplicate_of,
                ..record
            },
        }
    }

    /// Visits the ranked pages in the order of their records, which takes little memory.
    pub fn each_in_order<E: From<CollectionError>>(
        &self,
        mut visit: impl FnMut(RankedPage) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut in_order: Vec<(usize, &Candidate)> = (1..).zip(&self.ranked).collect();
        in_order.sort_unstable_by_key(|(_, page)| page.place.line);
        let open = || -> Result<_, CollectionError> { Ok(self.view.records_at(self.generation)?) };
        // Two readers, so that looking up an original does not lose what the other has read ahead.
        let (mut reader, mut originals) = (open()?, open()?);
        for (rank, page) in in_order {
            let Some(record) = reader.read(page.place).map_err(CollectionError::from)? else {
                continue;
            };
            let original = match page.original {
                Some(place) => originals.read(place).map_err(CollectionError::from)?,
                None => None,
            };
            visit(self.page(rank, page, record, original.map(|original| original.url)))?;
        }
        Ok(())
    }

    /// Counts all pages and keeps those that the settings choose.
    fn choose(&mut self, candidates: &[Candidate], folding: &Folding, settings: &RankSettings) {
        let counts = &mut self.counts;
        for (page, number) in candidates.iter().zip(0_u32..) {
            let shown = folding
                .original(number)
                .and_then(|shown| candidates.get(shown as usize));
            let is_copy = shown.is_some();
            counts.judged += 1;
            counts.near_duplicates += u64::from(is_copy);
            counts.hidden += u64::from(page.is_hidden);
            counts.relevant += u64::from(page.is_relevant && !is_copy);
            let is_hidden_find = page.is_relevant && !is_copy && page.is_hidden;
            counts.hidden_relevant += u64::from(is_hidden_find);
            if let Some(note) = page.hidden_by {
                *counts.hidden_by.entry(note).or_default() += 1;
                if is_hidden_find {
                    *counts.hidden_relevant_by.entry(note).or_default() += 1;
                }
            }
            // Filters look at the page that is shown: a copy that is folded is left out with the page it repeats, and one that is
            // listed itself must fit itself.
            let judged_by = shown.filter(|_| !settings.with_duplicates).unwrap_or(page);
            let is_wanted = judged_by.is_included
                && (settings.with_hidden || !page.is_hidden)
                && (judged_by.is_relevant || !settings.relevant_only);
            if !is_wanted {
                continue;
            }
            if let Some(quadrant) = page.quadrant.filter(|_| !is_copy) {
                *counts.quadrants.entry(quadrant).or_default() += 1;
            }
            let is_in_quadrant = settings.quadrants.is_empty()
                || (judged_by.quadrant).is_some_and(|quadrant| settings.quadrants.contains(&quadrant));
            if !is_in_quadrant {
                continue;
            }
            counts.chosen_relevant += u64::from(page.is_relevant && !is_copy);
            counts.chosen_near_duplicates += u64::from(is_copy);
            if !is_copy || settings.with_duplicates {
                self.ranked.push(Candidate {
                    original: shown.map(|shown| shown.place),
                    near_duplicates: folding.copies(number) as u64,
                    ..*page
                });
            }
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
                    RankBy::Importance => b.cash.total_cmp(&a.cash),
                    RankBy::Relevance => Ordering::Equal,
                })
                .then(b.relevance.total_cmp(&a.relevance))
                .then(a.place.line.cmp(&b.place.line))
        });
    }
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
fn rank_by(asked: Option<RankBy>, pages: &[Candidate]) -> Result<RankBy, CollectionError> {
    let has_layers = pages.iter().any(|page| page.nearness.is_some());
    match asked {
        Some(RankBy::Layer) if !has_layers => Err(CollectionError::NoLayers),
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
    hosts.iter().any(|wanted| is_host(url.host(), wanted))
}

/// Whether a host is the wanted one or below it.
pub(super) fn is_host(host: &str, wanted: &str) -> bool {
    let wanted = wanted.trim_start_matches('.');
    host.strip_suffix(wanted)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
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
        .is_some_and(|guess| genres.iter().any(|wanted| is_genre(&guess.class, wanted)))
}

/// Whether pages of a class are meant by the genre somebody asks for: `shop` means pages that show a product too.
pub fn is_genre(class: &str, wanted: &str) -> bool {
    is_of_genre(class, &wanted.to_ascii_lowercase())
}
