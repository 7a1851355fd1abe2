//! The result of one run, as the lab passes it on.

use serde::Serialize;

/// One crawl of one task by one strategy with one judge.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct RunResult {
    /// The web crawled.
    pub web: String,
    /// The task within it.
    pub task: String,
    /// The strategy.
    pub strategy: String,
    /// The judge.
    pub judge: String,
    /// The number of this repeat.
    pub repeat: u32,
    /// Pages that links reach from the seeds, without examples and ignored pages.
    pub reachable: u64,
    /// Relevant pages among those.
    pub relevant_reachable: u64,
    /// Pages fetched.
    pub fetched: u64,
    /// Relevant pages among those.
    pub found: u64,
    /// Visits that the judge calls relevant.
    pub called: u64,
    /// The mean coverage over the first 30 % of the visits.
    pub auc30: f64,
    /// The mean coverage over all visits.
    pub auc100: f64,
    /// Relevant pages among the first 5, 10 and 20 % of the visits.
    pub harvest: [f64; 3],
    /// Visits, as a share of the reachable pages, until 90 % of the relevant ones were found; `None` if they never
    /// were.
    pub visits_for_90: Option<f64>,
    /// The share of all relevant pages found, reachable or not.
    pub target_recall: f64,
    /// The judge's precision over the fetched pages.
    pub precision: f64,
    /// The share of reachable relevant pages found.
    pub recall: f64,
    /// The judge's F1 over the fetched pages.
    pub f1: f64,
    /// How long the crawl took on the virtual clock.
    pub virtual_seconds: f64,
    /// How long the replay itself took.
    pub seconds: f64,
    /// The visits, counted from 1, that found a relevant page.
    pub hits: Vec<u32>,
    /// The visits, counted from 1, whose pages the judge calls relevant.
    #[serde(skip)]
    pub calls: Vec<u32>,
    /// The judge's F1 at other thresholds: (threshold, F1).
    pub f1_by_threshold: Vec<(f64, f64)>,
    /// Precision among the k highest-rated pages: (k, precision).
    pub precision_at: Vec<(u32, f64)>,
    /// Share of relevant pages among each hundred ranks of the fetched pages, best first: (first rank, share).
    pub share_by_rank: Vec<(u32, f64)>,
}

impl RunResult {
    /// The visits that found a relevant page, in order; `None` if the run found pages but did not record when.
    pub(super) fn visits_of_finds(&self) -> Option<Vec<u32>> {
        if self.hits.is_empty() && self.found > 0 {
            return None;
        }
        let mut hits = self.hits.clone();
        hits.sort_unstable();
        Some(hits)
    }

    /// How many visits there were. A find is a visit even if the page count is smaller.
    pub(super) fn visits(&self) -> u64 {
        let last = self.hits.iter().copied().max().unwrap_or(0);
        self.fetched.max(last.into())
    }
}
