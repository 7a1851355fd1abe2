//! What the records say about one URL.
//!
//! They are read twice. The first reading finds the attempts and the path of parents, as line numbers. The second reads
//! the records on those lines and looks for near-duplicates, for which the page's fingerprint must be known.

use std::collections::{BTreeSet, HashMap};

use scenthound_robots::{History as Tries, Meaning, RobotsResponse, verdict};
use scenthound_store::{CrawlView, PageRecord, Position};
use scenthound_types::{CanonicalUrl, LeaseKind};

use super::PathStep;
use crate::collection::pages::{each_record, each_record_or_warn};
use crate::collection::{CollectionError, Warning, url_hash};

/// At most this many near-duplicates and sources of redirects are listed.
const NAMED: usize = 10;

/// Where the record of a page is, and which page linked to it.
#[derive(Clone, Copy, Debug)]
struct Visit {
    line: u64,
    /// The hash of its parent's URL.
    parent: Option<u64>,
}

/// What the first reading finds.
#[derive(Debug, Default)]
pub(super) struct History {
    /// The attempts at the URL.
    pub attempts: Vec<PageRecord>,
    /// URLs that redirect to it.
    pub redirected_from: Vec<String>,
    /// Where the latest robots.txt of its host is in the archive.
    pub robots: Option<Position>,
    /// The latest attempt at the robots.txt of its host, if it failed in a way that closes the host.
    pub robots_failed: Option<PageRecord>,
    /// The visit of each page that counts, by the hash of its URL.
    visits: HashMap<u64, Visit>,
}

impl History {
    pub(super) fn read(
        view: &CrawlView,
        url: &CanonicalUrl,
        warnings: &mut Vec<Warning>,
    ) -> Result<History, CollectionError> {
        let mut history = History::default();
        let robots_txt = url.robots_txt();
        each_record_or_warn(view, warnings, |line, record| {
            history.add(line, record, url, &robots_txt);
        })?;
        Ok(history)
    }

    fn add(&mut self, line: u64, record: PageRecord, url: &CanonicalUrl, robots_txt: &CanonicalUrl) {
        if record.kind == LeaseKind::Robots {
            if record.url == robots_txt.as_str() {
                self.robots_failed = closes_host(&record).then(|| record.clone());
            }
            if record.url == robots_txt.as_str() && record.is_ok() {
                self.robots.clone_from(&record.archive);
            }
        } else {
            if record.redirect() == Some(url.as_str())
                && self.redirected_from.len() < NAMED
                && !self.redirected_from.contains(&record.url)
            {
                self.redirected_from.push(record.url.clone());
            }
            let key = url_hash(&record.url);
            if record.is_judged_page() || !self.visits.contains_key(&key) {
                let parent = record.parent.as_deref().map(url_hash);
                self.visits.insert(key, Visit { line, parent });
            }
        }
        if record.url == url.as_str() {
            self.attempts.push(record);
        }
    }

    /// The attempt that counts, if one brought a page.
    pub(super) fn judged(&self) -> Option<&PageRecord> {
        self.attempts.iter().rfind(|record| record.is_judged_page())
    }

    /// Whether the crawl has tried a URL.
    pub(super) fn has_tried(&self, url: &CanonicalUrl) -> bool {
        self.visits.contains_key(&url_hash(url.as_str()))
    }

    /// Lines of the pages from the seed to this URL.
    pub(super) fn path_to(&self, url: &CanonicalUrl) -> Vec<u64> {
        self.path_to_key(url_hash(url.as_str()))
    }

    fn path_to_key(&self, mut key: u64) -> Vec<u64> {
        let mut lines = Vec::new();
        let mut met = BTreeSet::new();
        while let Some(visit) = self.visits.get(&key).filter(|_| met.insert(key)) {
            lines.push(visit.line);
            let Some(parent) = visit.parent else { break };
            key = parent;
        }
        lines.reverse();
        lines
    }
}

/// Whether an attempt at a robots.txt failed in a way that closes the host. Most answers of 4xx mean that there are no rules, so
/// they open it.
fn closes_host(record: &PageRecord) -> bool {
    if !record.outcome.is_failed() {
        return false;
    }
    let response = match record.status {
        Some(status) if status >= 300 => RobotsResponse::Status(status),
        // An answer that broke off while it was read tells no rules.
        _ => RobotsResponse::None,
    };
    verdict(response, Tries::default()).meaning == Meaning::DisallowAll
}

/// What the second reading finds.
#[derive(Debug, Default)]
pub(super) struct Details {
    pub path: Vec<PathStep>,
    pub near_duplicates: BTreeSet<String>,
    pub near_duplicates_in_all: usize,
}

impl Details {
    pub(super) fn read(
        view: &CrawlView,
        url: &CanonicalUrl,
        path: &[u64],
        page: Option<&PageRecord>,
    ) -> Result<Details, CollectionError> {
        let mut details = Details::default();
        // All copies name the same page, which repeats none itself.
        let first = page.map(|page| page.duplicate_of.clone().unwrap_or_else(|| page.url.clone()));
        let is_alike = |record: &PageRecord| {
            first
                .as_deref()
                .is_some_and(|first| record.url == first || record.duplicate_of.as_deref() == Some(first))
        };
        if path.is_empty() && first.is_none() {
            return Ok(details);
        }
        let mut steps: HashMap<u64, Option<PathStep>> = path.iter().map(|line| (*line, None)).collect();
        let mut found = BTreeSet::new();
        each_record(view, |line, record| {
            if record.url != url.as_str()
                && record.is_judged_page()
                && is_alike(&record)
                && found.insert(url_hash(&record.url))
                && details.near_duplicates.len() < NAMED
            {
                details.near_duplicates.insert(record.url.clone());
            }
            if let Some(step) = steps.get_mut(&line) {
                *step = Some(PathStep {
                    url: record.url,
                    depth: record.depth,
                    relevance: record.relevance,
                    outcome: record.outcome,
                    kind: record.kind,
                    via: record.via,
                    class: record.class,
                    layer_queue: None,
                    score: record.score,
                });
            }
        })?;
        details.near_duplicates_in_all = found.len();
        details.path = path.iter().filter_map(|line| steps.remove(line)?).collect();
        Ok(details)
    }
}

#[cfg(test)]
mod tests {
    use scenthound_types::OutcomeCode;

    use super::*;

    #[test]
    fn only_a_robots_txt_whose_rules_are_unknown_closes_its_host() {
        let closes = |outcome, status| {
            closes_host(&PageRecord {
                outcome,
                status,
                ..PageRecord::default()
            })
        };
        for status in [401, 403, 404, 410] {
            assert!(!closes(OutcomeCode::FailedStatus4xx, Some(status)), "{status}");
        }
        assert!(closes(OutcomeCode::FailedStatus4xx, Some(429)));
        assert!(closes(OutcomeCode::FailedStatus5xx, Some(503)));
        assert!(closes(OutcomeCode::FailedConnect, None));
        assert!(closes(OutcomeCode::FailedBody, Some(200)));
        assert!(!closes(OutcomeCode::Ok, Some(200)));
    }

    #[test]
    fn a_cycle_of_parents_ends_the_path() {
        let mut history = History::default();
        let visit = |line, parent| Visit {
            line,
            parent: Some(parent),
        };
        history.visits.insert(1, visit(10, 2));
        history.visits.insert(2, visit(20, 1));
        assert_eq!(history.path_to_key(1), [20, 10]);
        assert!(history.path_to_key(3).is_empty());
    }
}
