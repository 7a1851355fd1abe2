//! Online page importance: priority is cash, and cash flows along links.
//!
//! The greedy form fetches each page once. With revisits, fetched pages pass on what they gather later, as the published
//! algorithm does: a page's *history* is the cash it had at each of its visits, in sum, and its importance is estimated as its
//! history and cash, divided by all history and the one unit of cash there is. Histories are in the page records, since each
//! names the cash its page was taken with, and cash is in the frontier; `hound results --rank importance` adds them up.
//!
//! Deliberately absent: the virtual page that the publication links with all others, which only a crawl without end needs.

use scenthound_types::{LeaseKind, Merge, Outcome, PageReport, Rank, StateDelta, Updates, UrlKey};

use crate::revisits::Revisits;
use crate::{Needs, RestoreError, Strategy, offer_links};

/// The seeds share one unit of cash. A fetched page distributes its cash equally over its links; the richest URL is
/// next.
///
/// Cash is kept in the frontier as the URLs' scores. The cash of a page without links, or of a URL that cannot be
/// fetched, is lost to the crawl. Cash that reaches a fetched page stays with it until it is visited again.
#[derive(Clone, Copy, Debug, Default)]
pub struct Opic {
    revisits: Revisits,
}

/// The name under which the count of visits is saved.
const VISITS: &str = "opic/visits";

impl Opic {
    /// Visits the fetched page with the most cash again after every so many pages; 0 for never.
    pub fn with_revisits(every: u32) -> Opic {
        Opic {
            revisits: Revisits::every(every),
        }
    }
}

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
                LeaseKind::Robots | LeaseKind::Sitemap | LeaseKind::Requisite => 0.0,
            };
            let share = cash / report.links.len().max(1) as f64;
            offer_links(report, Merge::Add, out, |_| Rank::of_score(share));
        }
        if report.lease.kind == LeaseKind::Page {
            self.revisits.count(report, out);
        }
    }

    fn save_changes(&mut self, out: &mut StateDelta) {
        self.revisits.save(VISITS, out);
    }

    fn restore(&mut self, saved: &[(String, Vec<u8>)]) -> Result<(), RestoreError> {
        self.revisits.restore(self.name(), VISITS, saved)
    }
}
