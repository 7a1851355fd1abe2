//! The two strategies that ignore page content: the baselines.

use scenthound_types::{Merge, PageReport, Rank, Updates, UrlKey};

use crate::{Strategy, offer_links, random_tie};

/// First found, first fetched.
#[derive(Clone, Copy, Debug, Default)]
pub struct BreadthFirst;

impl Strategy for BreadthFirst {
    fn name(&self) -> &'static str {
        "breadth-first"
    }

    fn seed(&self, _key: UrlKey, _seeds: usize) -> Rank {
        Rank::default()
    }

    fn observe(&mut self, report: &PageReport<'_>, out: &mut Updates) {
        offer_links(report, Merge::Keep, out, |_| Rank::default());
    }
}

/// All waiting URLs are equally good; a hash with the crawl's seed decides.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

impl Strategy for Random {
    fn name(&self) -> &'static str {
        "random"
    }

    fn seed(&self, key: UrlKey, _seeds: usize) -> Rank {
        Rank {
            tie: random_tie(key),
            ..Rank::default()
        }
    }

    fn observe(&mut self, report: &PageReport<'_>, out: &mut Updates) {
        offer_links(report, Merge::Keep, out, |key| Rank {
            tie: random_tie(key),
            ..Rank::default()
        });
    }
}
