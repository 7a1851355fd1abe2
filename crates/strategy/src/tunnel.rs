//! Tunnelling: best-first that goes on for a while through irrelevant pages.
//!
//! A page has a distance D, which says how far it is from the last relevant page on its path:
//!
//! ```text
//! D(page) = 0                                 if the page is relevant
//!           (1 − R) · e^(2 · D(source) / C)   if not
//! ```
//!
//! R is its relevance, the source is the page that led to it, and C is the cut-off. A seed has no source; D(source) is 0.
//!
//! Links of relevant pages come first, those of the most relevant page before all. Then come links of other pages, those at
//! the smallest distance first. Links at distance C or more are cut off: they are not discarded, but wait until nothing else
//! is left.
//!
//! The distance of a URL's source is stored in its tie, which comes back with its lease, so no table is needed.

use scenthound_types::{Merge, PageReport, Rank, Score, Updates, UrlKey};

use crate::{Strategy, offer_links};

/// Links that are cut off wait in this class, after all others.
const CUT_OFF: u16 = 1;

/// Best-first with a distance since the last relevant page.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tunnel {
    /// C: the distance from which links are cut off; it also says how fast distances grow.
    pub cutoff: f64,
}

impl Default for Tunnel {
    fn default() -> Tunnel {
        Tunnel { cutoff: 20.0 }
    }
}

/// The distance in a tie. A tie from another source could be anything.
fn distance_of(tie: u32) -> f32 {
    let distance = f32::from_bits(tie);
    if distance >= 0.0 && distance.is_finite() {
        distance
    } else {
        0.0
    }
}

impl Tunnel {
    /// The rank of the links on an irrelevant page at this distance.
    fn rank(&self, distance: f64) -> Rank {
        // Even a page just below the threshold is further away than a relevant one.
        let distance = (distance.min(self.cutoff) as f32).max(f32::MIN_POSITIVE);
        Rank {
            class: if f64::from(distance) < self.cutoff {
                0
            } else {
                CUT_OFF
            },
            score: Score::new(1.0 / (1.0 + f64::from(distance))),
            // The bit patterns of positive numbers grow with the numbers.
            tie: distance.to_bits(),
        }
    }
}

impl Strategy for Tunnel {
    fn name(&self) -> &'static str {
        "tunnel"
    }

    fn seed(&self, _key: UrlKey, _seeds: usize) -> Rank {
        Rank::of_score(2.0)
    }

    fn observe(&mut self, report: &PageReport<'_>, out: &mut Updates) {
        let source = f64::from(distance_of(report.lease.taken.rank.tie));
        let rank = match report.judgement {
            // Above the scores of all links on irrelevant pages.
            Some(judgement) if judgement.is_relevant() => Rank::of_score(1.0 + judgement.relevance),
            Some(judgement) => {
                let growth = (2.0 * source / self.cutoff).exp();
                self.rank((1.0 - judgement.relevance.clamp(0.0, 1.0)) * growth)
            }
            // A sitemap says nothing about the pages it lists.
            None => self.rank(self.cutoff),
        };
        offer_links(report, Merge::Max, out, |_| rank);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::Trial;

    fn links_of(trial: &mut Trial<Tunnel>, taken: Rank, relevance: f64) -> Rank {
        trial.taken = taken;
        trial.see(1, relevance, &[(2, 0, 0)])[0]
    }

    #[test]
    fn distance_grows_through_irrelevant_pages_until_it_is_cut_off() {
        let mut trial = Trial::new(Tunnel { cutoff: 2.0 });
        let seed = trial.strategy.seed(UrlKey(1), 1);
        // 1, then e, which is more than 2.
        let near = links_of(&mut trial, seed, 0.0);
        assert_eq!((near.class, near.score.get()), (0, 0.5));
        let far = links_of(&mut trial, near, 0.0);
        assert_eq!((far.class, far.score.get()), (CUT_OFF, 1.0 / 3.0));
        // A page that is almost relevant is not as far: 0.6 e.
        let half = links_of(&mut trial, near, 0.4);
        assert!((half.score.get() - 1.0 / (1.0 + 0.6 * 1.0_f64.exp())).abs() < 1e-6);
        assert!(half < near && half > far);
        assert_eq!(half.class, 0);
    }

    #[test]
    fn a_relevant_page_ends_the_tunnel() {
        let mut trial = Trial::new(Tunnel::default());
        let seed = trial.strategy.seed(UrlKey(1), 1);
        let near = links_of(&mut trial, seed, 0.0);
        let found = links_of(&mut trial, near, 0.9);
        let better = links_of(&mut trial, near, 1.0);
        assert_eq!((found.class, found.tie), (0, 0));
        assert!(better > found && found > near);
        assert_eq!(links_of(&mut trial, found, 0.0), near);
    }

    #[test]
    fn any_tie_is_read_as_a_distance() {
        for tie in [0, 1, u32::MAX, f32::NAN.to_bits(), (-1.0_f32).to_bits()] {
            assert!(distance_of(tie) >= 0.0 && distance_of(tie).is_finite());
        }
    }
}
