//! The result of one run, as the lab hands it over.

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
    /// Which repeat of the same this is.
    pub repeat: u32,
    /// Pages that links reach from the seeds, without examples and ignored ones.
    pub reachable: u64,
    /// Relevant pages among those.
    pub relevant_reachable: u64,
    /// Pages fetched.
    pub fetched: u64,
    /// Relevant pages among those.
    pub found: u64,
    /// The mean coverage over the first 30 % of the visits.
    pub auc30: f64,
    /// The mean coverage over all visits.
    pub auc100: f64,
    /// Relevant pages among the first 5, 10 and 20 % of the visits.
    pub harvest: [f64; 3],
    /// Visits, as a share of the reachable, until 90 % of the relevant were found; nothing if they never were.
    pub visits_for_90: Option<f64>,
    /// Found of all relevant pages, reachable or not.
    pub target_recall: f64,
    /// The judge's precision over the fetched pages.
    pub precision: f64,
    /// Found of the relevant reachable pages.
    pub recall: f64,
    /// The judge's F1 over the fetched pages.
    pub f1: f64,
    /// How long the crawl took on its virtual clock.
    pub virtual_seconds: f64,
    /// How long it took us.
    pub seconds: f64,
    /// The visits, counted from 1, that found a relevant page.
    pub hits: Vec<u32>,
    /// The judge's F1 at other thresholds: (threshold, F1).
    pub f1_by_threshold: Vec<(f64, f64)>,
    /// Precision among the k best judged: (k, precision).
    pub precision_at: Vec<(u32, f64)>,
    /// Share of relevant pages among each hundred ranks of the fetched pages, best first: (first rank, share).
    pub share_by_rank: Vec<(u32, f64)>,
}

impl RunResult {
    /// The visits that found a relevant page, in order; nothing where the run found pages but did not say when.
    pub(super) fn visits_of_finds(&self) -> Option<Vec<u32>> {
        if self.hits.is_empty() && self.found > 0 {
            return None;
        }
        let mut hits = self.hits.clone();
        hits.sort_unstable();
        Some(hits)
    }

    /// How many visits there were; a find is a visit even where the count of pages says less.
    pub(super) fn visits(&self) -> u64 {
        let last = self.hits.iter().copied().max().unwrap_or(0);
        self.fetched.max(last.into())
    }
}
