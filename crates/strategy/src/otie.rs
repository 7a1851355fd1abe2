//! Online topical importance: cash flows along links, and more of it goes to where the topic is.
//!
//! Cash is kept in the frontier as the URLs' scores, so nothing here grows with the web: what a page may give away is
//! the score of its lease, and the relevance of a fetched target is in the report. A URL also gains cash while it is
//! leased and after it was fetched. From time to time, the fetched page that has gathered the most is fetched again
//! to pass it on.
//!
//! Invariant: a page gives away exactly its revised cash or, without links, nothing. Cash is lost at dead ends, at
//! failures and when an off-topic page's cash is revised; revising an on-topic page's cash creates new cash.

use scenthound_types::{
    LeaseKind, Merge, Outcome, PageReport, Rank, ReportedLink, Standing, StateDelta, Updates, UrlKey,
};

use crate::context::{PAGE_WEIGHT, predict};
use crate::revisits::Revisits;
use crate::{Needs, RestoreError, Strategy, offer_each};

/// The settings of OTIE.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OtieSettings {
    /// β of the predicted relevance of a link.
    pub page_weight: f64,
    /// a: how much a page's relevance changes its cash; above 0.
    pub revision: f64,
    /// d: how much less pages near the middle change; odd.
    pub power: u32,
    /// Pages between two visits to the fetched page that has gathered the most; 0 to disable such visits.
    pub revisit_every: u32,
    /// The default length of the fetch list.
    pub list_size: usize,
}

impl Default for OtieSettings {
    /// As in the paper; its "periodically" is read as once every ten fetch lists.
    fn default() -> OtieSettings {
        OtieSettings {
            page_weight: PAGE_WEIGHT,
            revision: 0.85,
            power: 3,
            revisit_every: 500,
            list_size: 50,
        }
    }
}

/// Priority is cash. A page's cash is revised by its relevance and distributed by the predicted relevance of its
/// links.
#[derive(Clone, Debug)]
pub struct Otie {
    settings: OtieSettings,
    revisits: Revisits,
}

/// The name under which the count of visits is saved.
const VISITS: &str = "otie/visits";

impl Otie {
    /// OTIE with these settings.
    pub fn new(settings: OtieSettings) -> Otie {
        Otie {
            revisits: Revisits::every(settings.revisit_every),
            settings,
        }
    }

    /// The revised cash of a page with this relevance.
    pub fn revise(&self, cash: f64, relevance: f64) -> f64 {
        let power = i32::try_from(self.settings.power).unwrap_or(i32::MAX);
        let change = self.settings.revision * (2.0 * relevance - 1.0).powi(power);
        cash * (1.0 + change.max(-1.0))
    }

    fn similarity(&self, page: f64, link: &ReportedLink) -> f64 {
        match link.standing {
            Standing::Fetched { relevance } => f64::from(relevance),
            _ => predict(self.settings.page_weight, page, link.snippets),
        }
    }

    fn share(&self, page: f64, report: &PageReport<'_>, out: &mut Updates) {
        let cash = self.revise(report.lease.taken.rank.score.get(), page);
        let weights: Vec<f64> = report
            .links
            .iter()
            .map(|link| self.similarity(page, link))
            .collect();
        let sum: f64 = weights.iter().sum();
        let even = 1.0 / weights.len().max(1) as f64;
        offer_each(report, Merge::Add, out, |place, _| {
            // Sums too small to divide by exactly count as zero.
            let part = match weights.get(place) {
                Some(weight) if sum >= f64::MIN_POSITIVE => weight / sum,
                _ => even,
            };
            Rank::of_score(cash * part)
        });
    }
}

impl Default for Otie {
    fn default() -> Otie {
        Otie::new(OtieSettings::default())
    }
}

impl Strategy for Otie {
    fn name(&self) -> &'static str {
        "otie"
    }

    fn needs(&self) -> Needs {
        Needs {
            snippets: true,
            redirects: Merge::Add,
            list_size: self.settings.list_size,
            ..Needs::default()
        }
    }

    fn seed(&self, _key: UrlKey, seeds: usize) -> Rank {
        Rank::of_score(1.0 / seeds.max(1) as f64)
    }

    fn observe(&mut self, report: &PageReport<'_>, out: &mut Updates) {
        if report.lease.kind == LeaseKind::Page {
            if let (Outcome::Body { .. }, Some(judgement)) = (report.outcome, report.judgement) {
                self.share(judgement.relevance, report, out);
            }
            self.revisits.count(report, out);
        } else {
            // A sitemap's entries have no cash until a page links to them: cash comes from the seeds alone.
            offer_each(report, Merge::Add, out, |_, _| Rank::default());
        }
    }

    fn save_changes(&mut self, out: &mut StateDelta) {
        self.revisits.save(VISITS, out);
    }

    fn restore(&mut self, saved: &[(String, Vec<u8>)]) -> Result<(), RestoreError> {
        self.revisits.restore(self.name(), VISITS, saved)
    }
}
