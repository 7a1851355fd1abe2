//! Online page importance: priority is cash, and cash flows along links.

use scenthound_types::{LeaseKind, Merge, Outcome, PageReport, Rank, Updates, UrlKey};

use crate::{Needs, Strategy, offer_links};

/// The seeds share one unit of cash. A fetched page distributes its cash equally over its links; the richest URL is
/// next.
///
/// Cash is kept in the frontier as the URLs' scores. The cash of a page without links, or of a URL that cannot be
/// fetched, is lost to the crawl. Cash that reaches a fetched page stays with it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Opic;

impl Strategy for Opic {
    fn name(&self) -> &'static str {
        "opic"
    }

    fn needs(&self) -> Needs {
        // The target of a redirect inherits the cash, in addition to its own.
        Needs {
            redirects: Merge::Add,
            ..Needs::default()
        }
    }

    fn seed(&self, _key: UrlKey, seeds: usize) -> Rank {
        Rank::of_score(1.0 / seeds.max(1) as f64)
    }

    fn observe(&mut self, report: &PageReport<'_>, out: &mut Updates) {
        if matches!(report.outcome, Outcome::Body { .. }) {
            // A sitemap's entries have no cash until a page links to them: cash comes from the seeds alone.
            let cash = match report.lease.kind {
                LeaseKind::Page => report.lease.taken.rank.score.get(),
                LeaseKind::Robots | LeaseKind::Sitemap => 0.0,
            };
            let share = cash / report.links.len().max(1) as f64;
            offer_links(report, Merge::Add, out, |_| Rank::of_score(share));
        }
    }
}
