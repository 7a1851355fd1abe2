//! A link is as good as the words around it and, to a lesser degree, the page it appears on.

use scenthound_types::{Merge, PageReport, Rank, SnippetScores, Updates, UrlKey};

use crate::{Needs, Strategy, offer_each};

/// Weight of the page against the words around the link, as in the paper.
pub const PAGE_WEIGHT: f64 = 0.25;

/// The predicted relevance of a link's target, from the page the link is on and the words around it.
///
/// A link without any words, such as a sitemap entry, is predicted from the page's part alone.
pub(crate) fn predict(page_weight: f64, page: f64, snippets: Option<SnippetScores>) -> f64 {
    let around = snippets.map_or(0.0, |scores| f64::from(scores.around));
    page_weight * page + (1.0 - page_weight) * around
}

/// S = β · R of the page + (1 − β) · R of the 20 words around the link; a URL found again keeps the higher score.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LinkContext {
    /// β, from 0 (the words only) to 1 (the page only: best-first).
    pub page_weight: f64,
}

impl Default for LinkContext {
    fn default() -> LinkContext {
        LinkContext {
            page_weight: PAGE_WEIGHT,
        }
    }
}

impl Strategy for LinkContext {
    fn name(&self) -> &'static str {
        "link-context"
    }

    fn needs(&self) -> Needs {
        Needs {
            snippets: true,
            ..Needs::default()
        }
    }

    fn seed(&self, _key: UrlKey, _seeds: usize) -> Rank {
        Rank::of_score(1.0)
    }

    fn observe(&mut self, report: &PageReport<'_>, out: &mut Updates) {
        let page = report.judgement.map_or(0.0, |judgement| judgement.relevance);
        offer_each(report, Merge::Max, out, |_, link| {
            Rank::of_score(predict(self.page_weight, page, link.snippets))
        });
    }
}
