//! The plain focused crawler: a link is as good as the best page it appears on.

use scenthound_types::{Merge, PageReport, Rank, Updates, UrlKey};

use crate::{Strategy, offer_links};

/// S = R of the source page; a URL found again keeps the higher score.
#[derive(Clone, Copy, Debug, Default)]
pub struct BestFirst;

impl Strategy for BestFirst {
    fn name(&self) -> &'static str {
        "best-first"
    }

    fn seed(&self, _key: UrlKey, _seeds: usize) -> Rank {
        Rank::of_score(1.0)
    }

    fn observe(&mut self, report: &PageReport<'_>, out: &mut Updates) {
        // A sitemap has no relevance of its own; its entries go to the end of the queue.
        let relevance = report.judgement.map_or(0.0, |judgement| judgement.relevance);
        offer_links(report, Merge::Max, out, |_| Rank::of_score(relevance));
    }
}
