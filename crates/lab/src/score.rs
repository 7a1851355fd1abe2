//! How well a crawl did: figures computed from a visiting order and the labels.
//!
//! A task's example pages, and those it ignores, are crawled but not counted: they are dropped from the visiting order before
//! anything is scored.

use std::collections::BTreeSet;

use crate::recorded::PageId;
use scenthound_types::{CanonicalUrl, Nearness};
use serde::Serialize;

use crate::reach::reachable;
use crate::web::Web;

/// What a crawl is scored against.
#[derive(Clone, Debug)]
pub struct Targets {
    /// Reachable pages that count.
    pub reachable: usize,
    /// The relevant ones among them.
    pub relevant_reachable: BTreeSet<PageId>,
    /// All relevant pages that count, recorded or not.
    pub relevant_total: usize,
    /// Pages that do not count.
    pub uncounted: BTreeSet<PageId>,
}

impl Targets {
    /// Determines what can be found from the seeds. `missing` relevant pages are not in the web at all.
    pub fn new(
        web: &dyn Web,
        seeds: &[CanonicalUrl],
        relevant: &BTreeSet<PageId>,
        missing: usize,
        uncounted: BTreeSet<PageId>,
    ) -> Targets {
        let reached = reachable(web, seeds);
        let counted = || reached.iter().filter(|page| !uncounted.contains(page));
        Targets {
            reachable: counted().count(),
            relevant_reachable: counted()
                .filter(|page| relevant.contains(page))
                .copied()
                .collect(),
            relevant_total: relevant.difference(&uncounted).count() + missing,
            uncounted,
        }
    }

    /// The visits that count.
    pub fn counted(&self, visits: impl IntoIterator<Item = PageId>) -> Vec<PageId> {
        visits
            .into_iter()
            .filter(|page| !self.uncounted.contains(page))
            .collect()
    }

    /// A share of the reachable pages as a number of visits, at least 1.
    pub fn share(&self, share: f64) -> usize {
        ((share * self.reachable as f64).ceil() as usize).max(1)
    }
}

/// The scores of a visiting order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CrawlScore {
    /// Visits that count.
    pub fetched: usize,
    /// The relevant ones among them.
    pub found: usize,
    /// Mean share of the relevant reachable pages found, over the first 30 % of the reachable pages.
    pub auc30: f64,
    /// The same over all reachable pages.
    pub auc100: f64,
    /// Share of relevant pages among the first 5 % of visits.
    pub harvest_5: f64,
    /// The same for the first 10 %.
    pub harvest_10: f64,
    /// The same for the first 20 %.
    pub harvest_20: f64,
    /// The share of the reachable pages that had to be visited to find 90 % of the relevant reachable ones.
    pub visits_for_90: Option<f64>,
    /// Share of all relevant pages that were found.
    pub target_recall: f64,
    /// Share of the relevant reachable pages that were found.
    pub recall: f64,
    /// The visits at which relevant pages were found, counted from 1.
    #[serde(skip)]
    pub hits: Vec<u32>,
}

impl CrawlScore {
    /// Scores visits that count, in order.
    pub fn of(visits: &[PageId], targets: &Targets) -> CrawlScore {
        let relevant = &targets.relevant_reachable;
        let hits: Vec<u32> = visits
            .iter()
            .enumerate()
            .filter(|(_, page)| relevant.contains(page))
            .map(|(at, _)| at as u32 + 1)
            .collect();
        let found_by = |visits: usize| hits.partition_point(|hit| *hit as usize <= visits);
        let harvest = |share: f64| {
            let first = targets.share(share).min(visits.len());
            ratio(found_by(first), first)
        };
        let auc = |share: f64| {
            let horizon = targets.share(share);
            // A hit at visit h counts at h and at every later visit up to the horizon.
            let sum: usize = hits
                .iter()
                .map(|hit| (horizon + 1).saturating_sub(*hit as usize))
                .sum();
            ratio(sum, horizon * relevant.len())
        };
        let most = (0.9 * relevant.len() as f64).ceil() as usize;
        CrawlScore {
            fetched: visits.len(),
            found: hits.len(),
            auc30: auc(0.3),
            auc100: auc(1.0),
            harvest_5: harvest(0.05),
            harvest_10: harvest(0.10),
            harvest_20: harvest(0.20),
            visits_for_90: most
                .checked_sub(1)
                .and_then(|at| hits.get(at))
                .map(|hit| ratio(*hit as usize, targets.reachable)),
            target_recall: ratio(hits.len(), targets.relevant_total),
            recall: ratio(hits.len(), relevant.len()),
            hits,
        }
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// Precision, recall and F1 of verdicts against labels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Verdicts {
    /// Of the pages judged relevant, the share that are relevant.
    pub precision: f64,
    /// Of the relevant pages, the share judged relevant.
    pub recall: f64,
    /// Their harmonic mean.
    pub f1: f64,
    /// How many pages were judged relevant.
    pub called: usize,
}

impl Verdicts {
    /// Computed from pairs of verdict and label.
    pub fn of(pairs: impl IntoIterator<Item = (bool, bool)>) -> Verdicts {
        let (mut both, mut judged, mut labelled) = (0, 0, 0);
        for (verdict, label) in pairs {
            both += usize::from(verdict && label);
            judged += usize::from(verdict);
            labelled += usize::from(label);
        }
        Verdicts {
            precision: ratio(both, judged),
            recall: ratio(both, labelled),
            f1: ratio(2 * both, judged + labelled),
            called: judged,
        }
    }
}

/// What a crawl's pages are ranked by at the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RankedBy {
    /// The judge's relevance.
    Relevance,
    /// The probability that a page is a target of the context graph, then its similarity to the targets.
    Layer,
}

/// Number of ranks behind one figure of [`share_by_rank`].
pub const RANKS_TOGETHER: usize = 100;

/// Ranks pages as `hound results` would, with ties going to the page visited first, and returns the share of relevant pages among
/// ranks 1…100, 101…200 and so on: (first rank, share). Ranks by layer if every page has one.
pub fn share_by_rank(pages: &[(f64, Option<Nearness>, bool)]) -> (RankedBy, Vec<(u32, f64)>) {
    let mut ranked: Vec<&(f64, Option<Nearness>, bool)> = pages.iter().collect();
    let by = match pages.iter().all(|(_, nearness, _)| nearness.is_some()) && !pages.is_empty() {
        true => RankedBy::Layer,
        false => RankedBy::Relevance,
    };
    ranked.sort_by(|a, b| match (by, &a.1, &b.1) {
        (RankedBy::Layer, Some(a), Some(b)) => b.total_cmp(a),
        _ => b.0.total_cmp(&a.0),
    });
    let shares = ranked
        .chunks(RANKS_TOGETHER)
        .zip((1_u32..).step_by(RANKS_TOGETHER))
        .map(|(pages, first)| {
            let relevant = pages.iter().filter(|(_, _, label)| *label).count();
            (first, ratio(relevant, pages.len()))
        });
    (by, shares.collect())
}

/// F1 of "relevance at least t" against the labels, for each threshold t.
pub fn f1_by_threshold(pages: &[(f64, bool)], thresholds: impl IntoIterator<Item = f64>) -> Vec<(f64, f64)> {
    thresholds
        .into_iter()
        .map(|threshold| {
            let verdicts = Verdicts::of(
                pages
                    .iter()
                    .map(|(relevance, label)| (*relevance >= threshold, *label)),
            );
            (threshold, verdicts.f1)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(reachable: usize, relevant: &[u32]) -> Targets {
        Targets {
            reachable,
            relevant_reachable: relevant.iter().map(|page| PageId(*page)).collect(),
            relevant_total: relevant.len() + 2,
            uncounted: BTreeSet::from([PageId(99)]),
        }
    }

    fn order(pages: &[u32], targets: &Targets) -> Vec<PageId> {
        targets.counted(pages.iter().map(|page| PageId(*page)))
    }

    #[test]
    fn the_area_is_the_mean_of_what_was_found_after_each_visit() {
        let targets = targets(10, &[0, 1]);
        let score = CrawlScore::of(&order(&[5, 0, 99, 6, 1, 7], &targets), &targets);
        // The first 3 visits, of 10 reachable pages: 0, 1/2, 1/2.
        assert!((score.auc30 - (0.0 + 0.5 + 0.5) / 3.0).abs() < 1e-12);
        // 0, .5, .5, then 1 from the fourth on; the crawl ended after five visits and keeps its last value.
        assert!((score.auc100 - (0.0 + 0.5 + 0.5 + 7.0) / 10.0).abs() < 1e-12);
        assert_eq!((score.fetched, score.found), (5, 2));
        assert_eq!((score.recall, score.target_recall), (1.0, 0.5));
        assert_eq!(score.visits_for_90, Some(0.4));
        assert_eq!(score.harvest_20, 0.5);
    }

    #[test]
    fn nothing_to_find_scores_nothing_and_divides_by_nothing() {
        let targets = targets(0, &[]);
        let score = CrawlScore::of(&[], &targets);
        assert_eq!((score.auc30, score.recall, score.visits_for_90), (0.0, 0.0, None));
    }

    #[test]
    fn pages_are_ranked_by_layer_where_all_have_one() {
        let near = |posterior, similarity| {
            Some(Nearness {
                layer: 0,
                posterior,
                similarity,
            })
        };
        // 150 pages: the relevance prefers the relevant ones, the nearness does not.
        let page = |at: u32, nearness| (f64::from(150 - at), nearness, at < 50);
        let plain: Vec<_> = (0..150).map(|at| page(at, None)).collect();
        assert_eq!(
            share_by_rank(&plain),
            (RankedBy::Relevance, vec![(1, 0.5), (101, 0.0)])
        );
        let layered: Vec<_> = (0..150)
            .map(|at| page(at, near(0.5, f64::from(at) / 150.0)))
            .collect();
        assert_eq!(
            share_by_rank(&layered),
            (RankedBy::Layer, vec![(1, 0.0), (101, 1.0)])
        );
        let surer: Vec<_> = (0..150)
            .map(|at| page(at, near(if at < 50 { 0.9 } else { 0.1 }, f64::from(at) / 150.0)))
            .collect();
        assert_eq!(share_by_rank(&surer).1, [(1, 0.5), (101, 0.0)]);
        assert_eq!(share_by_rank(&[]), (RankedBy::Relevance, Vec::new()));
    }

    #[test]
    fn f1_is_the_harmonic_mean_of_precision_and_recall() {
        let verdicts = Verdicts::of([(true, true), (true, false), (false, true), (false, false)]);
        assert_eq!(
            (verdicts.precision, verdicts.recall, verdicts.f1),
            (0.5, 0.5, 0.5)
        );
        let curve = f1_by_threshold(&[(0.9, true), (0.4, false)], [0.3, 0.5, 1.0]);
        assert_eq!(
            curve.iter().map(|(_, f1)| *f1).collect::<Vec<_>>(),
            [2.0 / 3.0, 1.0, 0.0]
        );
    }
}
