//! What the dashboard keeps in memory of a crawl: a few hundred bytes per page, and sums.
//!
//! **Invariant:** everything here follows from the page records alone and can be thrown away at any time.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use scenthound::{CanonicalUrl, FoldedPage, Folding, Verdict, page_id};
use scenthound_types::{LeaseKind, Nearness, Outcome};
use serde::Serialize;

use crate::brief::BriefRecord;
use crate::follow::{Place, Placed};

/// Points of a curve, at most.
const POINTS: usize = 300;
/// Time slots, at most.
const SLOTS: usize = 240;
/// A crawl that records nothing for longer than this was not running.
const LONGEST_GAP: u64 = 300;
/// Bins of the histogram of relevance.
pub(crate) const BINS: usize = 40;

/// The number of a page among those that were read.
pub(crate) type PageNumber = u32;

/// One page that was read and judged.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub key: u64,
    pub url: Box<str>,
    pub title: Box<str>,
    /// Where its record is.
    pub place: Place,
    /// Where its present judgement is, if it was judged again.
    pub judged: Option<Place>,
    pub host: u32,
    pub genre: u16,
    pub language: u16,
    pub relevance: f64,
    pub is_relevant: bool,
    /// Whether it counts as relevant: one that repeats another does not count again.
    pub is_find: bool,
    pub is_hidden: bool,
    pub is_seed: bool,
    pub depth: u16,
    pub agent: u8,
    /// When it was fetched, in seconds since 1970.
    pub fetched: u64,
    /// The key of the page that linked to it first; 0 for none.
    pub parent: u64,
    /// How near it is to the targets of a context graph, if the crawl has one.
    pub nearness: Option<Nearness>,
}

/// Sums of one host.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct HostSums {
    /// Its name.
    pub host: String,
    /// Pages attempted.
    pub pages: u64,
    /// Pages judged relevant.
    pub relevant: u64,
    /// Attempts that brought no page.
    pub failed: u64,
    /// Bytes received.
    pub bytes: u64,
    /// The mean time of a request, in milliseconds.
    pub mean_ms: u64,
    #[serde(skip)]
    ms: u64,
    #[serde(skip)]
    requests: u64,
    /// Why the last failed attempt failed: a status or an outcome code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_failure: Option<String>,
    /// When it was last asked.
    pub last: String,
}

/// Pages, relevant pages and bytes in slots of running time.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Timeline {
    /// Seconds per slot.
    pub seconds_per_slot: u64,
    /// When the first slot began, in seconds since 1970.
    pub start: u64,
    /// Pages attempted, relevant pages and bytes.
    pub slots: Vec<(u64, u64, u64)>,
    #[serde(skip)]
    last: u64,
    #[serde(skip)]
    idle: u64,
}

impl Default for Timeline {
    fn default() -> Timeline {
        Timeline {
            seconds_per_slot: 1,
            start: 0,
            slots: Vec::new(),
            last: 0,
            idle: 0,
        }
    }
}

impl Timeline {
    fn add(&mut self, at: u64, pages: u64, relevant: u64, bytes: u64) {
        if self.slots.is_empty() {
            (self.start, self.last) = (at, at);
        }
        let gap = at.saturating_sub(self.last);
        if gap > LONGEST_GAP {
            self.idle += gap;
        }
        self.last = self.last.max(at);
        let second = at.saturating_sub(self.start + self.idle);
        while second / self.seconds_per_slot >= SLOTS as u64 {
            self.seconds_per_slot *= 2;
            self.slots = self
                .slots
                .chunks(2)
                .map(|pair| {
                    pair.iter()
                        .fold((0, 0, 0), |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2))
                })
                .collect();
        }
        let slot = usize::try_from(second / self.seconds_per_slot).unwrap_or(SLOTS);
        if self.slots.len() <= slot {
            self.slots.resize(slot + 1, (0, 0, 0));
        }
        if let Some(sums) = self.slots.get_mut(slot) {
            sums.0 += pages;
            sums.1 += relevant;
            sums.2 += bytes;
        }
    }
}

/// A list of names, each with a number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    names: Vec<Box<str>>,
    numbers: HashMap<Box<str>, u16>,
}

impl Names {
    fn number(&mut self, name: &str) -> u16 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let Ok(number) = u16::try_from(self.names.len()) else {
            return u16::MAX;
        };
        self.names.push(name.into());
        self.numbers.insert(name.into(), number);
        number
    }

    /// The name of a number; empty for none.
    pub fn name(&self, number: u16) -> &str {
        self.names.get(usize::from(number)).map_or("", |name| name)
    }
}

/// The pages of a crawl and their sums.
#[derive(Debug, Default)]
pub(crate) struct PageIndex {
    pub pages: Vec<Page>,
    by_key: HashMap<u64, PageNumber>,
    pub hosts: Vec<HostSums>,
    host_numbers: HashMap<Box<str>, u32>,
    pub names: Names,
    pub attempts: u64,
    pub relevant: u64,
    pub failures: BTreeMap<String, u64>,
    pub curve: Vec<(u64, u64)>,
    stride: u64,
    pub timeline: Timeline,
    pub folding: Folding,
    /// Pages of which it is known how near they are to the targets of a context graph.
    with_nearness: usize,
    /// The generation of the judgements.
    pub generation: u32,
}

/// The key of a URL: its id in exports, as a number.
pub(crate) fn key_of(url: &str) -> u64 {
    u64::from_str_radix(&page_id(url), 16).unwrap_or_default()
}

impl PageIndex {
    /// No pages yet, of a generation of judgements.
    pub fn of(generation: u32) -> PageIndex {
        PageIndex {
            generation,
            ..PageIndex::default()
        }
    }

    /// The page with a key.
    pub fn find(&self, key: u64) -> Option<(PageNumber, &Page)> {
        let number = *self.by_key.get(&key)?;
        Some((number, self.pages.get(number as usize)?))
    }

    pub fn page(&self, number: PageNumber) -> Option<&Page> {
        self.pages.get(number as usize)
    }

    /// Orders pages as `hound results` does: the best first. Ties go to the page fetched earlier.
    pub fn rank(&self, a: &Page, b: &Page) -> Ordering {
        let by_layer = self.with_nearness > 0 && self.with_nearness == self.pages.len();
        let nearer = match (a.nearness, b.nearness) {
            (Some(a), Some(b)) if by_layer => b.total_cmp(&a),
            _ => Ordering::Equal,
        };
        nearer.then(b.relevance.total_cmp(&a.relevance))
    }

    /// The name of a page's host.
    pub fn host_of(&self, page: &Page) -> &str {
        self.hosts.get(page.host as usize).map_or("", |host| &host.host)
    }

    /// The pages from the seed to a page, as far as they are known.
    pub fn path_to(&self, number: PageNumber) -> Vec<PageNumber> {
        let mut path = vec![number];
        let mut at = number;
        while let Some((parent, _)) = self
            .page(at)
            .filter(|page| page.parent != 0)
            .and_then(|page| self.find(page.parent))
        {
            if path.contains(&parent) || path.len() > 1_000 {
                break;
            }
            path.push(parent);
            at = parent;
        }
        path.reverse();
        path
    }

    /// Takes in a record.
    pub fn add(&mut self, placed: Placed) {
        let Placed {
            record,
            place,
            judged,
        } = placed;
        let url = CanonicalUrl::parse(&record.url);
        let host_name = url.as_ref().map_or(record.url.as_str(), |url| url.host());
        let host = self.host(host_name);
        self.count(&record, host);
        if record.is_judged_page() {
            self.add_page(record, (place, judged), host);
        }
    }

    fn host(&mut self, name: &str) -> u32 {
        if let Some(number) = self.host_numbers.get(name) {
            return *number;
        }
        let number = u32::try_from(self.hosts.len()).unwrap_or(u32::MAX);
        self.hosts.push(HostSums {
            host: name.to_owned(),
            ..HostSums::default()
        });
        self.host_numbers.insert(name.into(), number);
        number
    }

    fn count(&mut self, record: &BriefRecord, host: u32) {
        let counts = record.counts_as_page();
        let is_relevant = counts && record.is_find();
        let at = seconds(&record.fetched_at);
        self.timeline
            .add(at, counts.into(), is_relevant.into(), record.bytes);
        let is_hosts_fault =
            matches!(record.outcome(), Some(Outcome::Failed(failure)) if failure.is_hosts_fault());
        let has_failed = (counts && !record.is_ok()) || (record.kind != LeaseKind::Page && is_hosts_fault);
        if let Some(sums) = self.hosts.get_mut(host as usize) {
            sums.bytes += record.bytes;
            if !record.unasked {
                sums.ms += record.ms;
                sums.requests += 1;
                sums.mean_ms = sums.ms / sums.requests;
                sums.last.clone_from(&record.fetched_at);
            }
            sums.pages += u64::from(counts);
            sums.relevant += u64::from(is_relevant);
            if has_failed {
                sums.failed += 1;
                sums.last_failure = Some(cause(record));
            }
        }
        if has_failed || record.unasked {
            *self.failures.entry(cause(record)).or_default() += 1;
        }
        if counts {
            self.attempts += 1;
            self.relevant += u64::from(is_relevant);
            self.stride = self.stride.max(1);
            if self.attempts.is_multiple_of(self.stride) {
                self.curve.push((self.attempts, self.relevant));
                if self.curve.len() >= POINTS {
                    self.stride *= 2;
                    let stride = self.stride;
                    self.curve.retain(|(pages, _)| pages.is_multiple_of(stride));
                }
            }
        }
    }

    fn add_page(&mut self, record: BriefRecord, (place, judged): (Place, Option<Place>), host: u32) {
        let key = key_of(&record.url);
        let known = self.by_key.get(&key).copied();
        // As in `hound results`, the first visit counts.
        if known.is_some() && record.revisit {
            return;
        }
        let number = known.unwrap_or_else(|| u32::try_from(self.pages.len()).unwrap_or(u32::MAX));
        let relevance = record.relevance.unwrap_or_default();
        let nearness = record.nearness();
        // A page that was fetched again stays where it was among its near-duplicates.
        if known.is_none() {
            let repeats = (record.duplicate_of.as_deref().filter(|_| !record.hidden)).map(key_of);
            let folded = FoldedPage {
                key,
                canonical: record.canonical.as_deref().map(key_of),
                repeats: repeats.and_then(|key| self.by_key.get(&key)).copied(),
                is_relevant: record.is_relevant(),
                is_seed: record.seed,
                length: record.url.len(),
            };
            self.folding.add(number, folded);
        }
        let had_nearness = known.and_then(|number| self.page(number)?.nearness).is_some();
        match (had_nearness, nearness.is_some()) {
            (false, true) => self.with_nearness += 1,
            (true, false) => self.with_nearness -= 1,
            _ => {}
        }
        let page = Page {
            key,
            title: record.title.as_deref().unwrap_or_default().trim().into(),
            place,
            judged,
            host,
            genre: record
                .genre
                .as_ref()
                .map_or(u16::MAX, |genre| self.names.number(&genre.class)),
            language: record
                .language
                .as_deref()
                .map_or(u16::MAX, |language| self.names.number(language)),
            relevance,
            is_relevant: record.is_relevant(),
            is_find: record.is_find(),
            is_hidden: record.hidden,
            is_seed: record.seed,
            depth: record.depth,
            agent: record.agent.unwrap_or(1),
            fetched: seconds(&record.fetched_at),
            parent: record.parent.as_deref().map_or(0, key_of),
            nearness,
            url: record.url.into(),
        };
        match self.pages.get_mut(number as usize) {
            Some(place) => *place = page,
            None => {
                self.pages.push(page);
                self.by_key.insert(key, number);
            }
        }
    }
}

/// Why an attempt failed: the HTTP status or the outcome code.
fn cause(record: &BriefRecord) -> String {
    match record.status {
        Some(status) if status >= 400 => status.to_string(),
        _ => record.outcome.as_str().to_owned(),
    }
}

fn seconds(time: &str) -> u64 {
    let parsed = time.parse::<jiff::Timestamp>();
    parsed.map_or(0, |time| u64::try_from(time.as_second()).unwrap_or_default())
}

/// A time in seconds since 1970, as records write it.
pub(crate) fn rfc3339(seconds: u64) -> String {
    scenthound_types::Timestamp::from_millis(seconds.saturating_mul(1000)).to_rfc3339()
}

/// The marks of a crawl, by the keys of the pages.
pub(crate) type KeyedMarks = HashMap<u64, Verdict>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_timeline_stays_small_and_loses_nothing() {
        let mut timeline = Timeline::default();
        for second in 0..100_000 {
            timeline.add(1_700_000_000 + second, 1, second % 2, 10);
        }
        assert!(timeline.slots.len() <= SLOTS);
        assert_eq!(timeline.slots.iter().map(|slot| slot.0).sum::<u64>(), 100_000);
        assert_eq!(timeline.slots.iter().map(|slot| slot.2).sum::<u64>(), 1_000_000);
    }

    #[test]
    fn the_time_between_two_runs_takes_no_room() {
        let mut timeline = Timeline::default();
        timeline.add(1_700_000_000, 1, 0, 0);
        timeline.add(1_700_000_005, 1, 0, 0);
        timeline.add(1_800_000_000, 1, 0, 0);
        assert_eq!(timeline.seconds_per_slot, 1);
        assert_eq!(timeline.slots.len(), 7.min(timeline.slots.len()));
        assert_eq!(timeline.slots.iter().map(|slot| slot.0).sum::<u64>(), 3);
    }
}
