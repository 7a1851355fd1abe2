//! Fish and shark search: links stay alive while relevant pages are near, and die out where there are none.
//!
//! `fish` only distinguishes relevant from irrelevant. `shark` blends what a link inherits from the pages before it
//! with what the words at the link say. Both give the links of a good page a full life, and the links of a poor page
//! one step less than the page itself had. Links whose life is over are not discarded; they wait until nothing else
//! is left.
//!
//! What a URL inherits and how long it lives are stored in its tie, which comes back with its lease, so no table is
//! needed. Among equal scores, the larger inheritance is served first, then the longer life.

use scenthound_types::{Merge, PageReport, Rank, Score, Updates, UrlKey};

use crate::{Needs, Strategy, offer_each};

/// Links whose life is over wait in this class, after all others.
const SPENT: u16 = 1;

/// What a URL inherits from the pages before it, and how many poor pages may still follow.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Heritage {
    /// From 0 to 1.
    inherited: f32,
    life: u8,
}

/// Low bits of an inheritance that are dropped to make room for the life: less than a hundred-thousandth of its
/// value.
const DROPPED: u32 = 6;

impl Heritage {
    /// As a tie: small, and so served early, for large inheritances and long lives.
    fn to_tie(self) -> u32 {
        // The bit patterns of numbers from 0 to 1 grow with the numbers and need thirty bits.
        let bits = self.inherited.clamp(0.0, 1.0).to_bits() >> DROPPED;
        !(bits << 8 | u32::from(self.life))
    }

    fn from_tie(tie: u32) -> Heritage {
        let bits = (!tie >> 8) << DROPPED;
        // A tie from another source could be anything.
        let inherited = f32::from_bits(bits).clamp(0.0, 1.0);
        Heritage {
            inherited: if inherited.is_nan() { 0.0 } else { inherited },
            life: (!tie & 0xff) as u8,
        }
    }

    fn rank(self, score: f64, is_spent: bool) -> Rank {
        Rank {
            class: if is_spent { SPENT } else { 0 },
            score: Score::new(score),
            tie: self.to_tie(),
        }
    }
}

/// The life of a page's links, and whether it is over.
fn life_of_links(is_good: bool, full: u8, own: u8) -> (u8, bool) {
    if is_good {
        (full, false)
    } else {
        (own.saturating_sub(1), own == 0)
    }
}

/// Inherited scores that decay, combined with the neighbourhood of the link.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Shark {
    /// δ: the share of a score that is left one step further on.
    pub decay: f64,
    /// γ: weight of the inherited score against the neighbourhood of the link.
    pub inherited_weight: f64,
    /// β: weight of the link's own words against those around it.
    pub anchor_weight: f64,
    /// How many poor pages in a row are followed before a link has to wait for all others.
    pub life: u8,
}

impl Default for Shark {
    fn default() -> Shark {
        Shark {
            decay: 0.5,
            inherited_weight: 0.5,
            anchor_weight: 0.8,
            life: 3,
        }
    }
}

impl Strategy for Shark {
    fn name(&self) -> &'static str {
        "shark"
    }

    fn needs(&self) -> Needs {
        Needs {
            snippets: true,
            ..Needs::default()
        }
    }

    fn seed(&self, _key: UrlKey, _seeds: usize) -> Rank {
        let heritage = Heritage {
            inherited: 1.0,
            life: self.life,
        };
        heritage.rank(1.0, false)
    }

    fn observe(&mut self, report: &PageReport<'_>, out: &mut Updates) {
        let own = Heritage::from_tie(report.lease.taken.rank.tie);
        let relevance = report.judgement.map_or(0.0, |judgement| judgement.relevance);
        let is_good = report.judgement.is_some_and(|judgement| judgement.is_relevant());
        let (life, is_spent) = life_of_links(is_good, self.life, own.life);
        // A page without any relevance passes on what it inherited, so that a short irrelevant stretch can be
        // crossed.
        let source = if relevance > 0.0 {
            relevance
        } else {
            own.inherited.into()
        };
        let inherited = self.decay * source;
        let heritage = Heritage {
            inherited: inherited as f32,
            life,
        };
        offer_each(report, Merge::Max, out, |_, link| {
            let words = link.snippets.unwrap_or_default();
            let anchor = f64::from(words.anchor);
            // A link whose own words score needs no surroundings.
            let around = if anchor > 0.0 { 1.0 } else { words.around.into() };
            let nearby = self.anchor_weight * anchor + (1.0 - self.anchor_weight) * around;
            let score = self.inherited_weight * inherited + (1.0 - self.inherited_weight) * nearby;
            heritage.rank(score, is_spent)
        });
    }
}

/// The binary predecessor: links of relevant pages first, then the first links of other pages, then the rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fish {
    /// How many poor pages in a row are followed before a link has to wait for all others.
    pub life: u8,
    /// How many links of a poor page get a score above 0; of a good page, half as many again.
    pub width: u32,
}

impl Default for Fish {
    fn default() -> Fish {
        Fish { life: 3, width: 30 }
    }
}

impl Strategy for Fish {
    fn name(&self) -> &'static str {
        "fish"
    }

    fn seed(&self, _key: UrlKey, _seeds: usize) -> Rank {
        let heritage = Heritage {
            inherited: 0.0,
            life: self.life,
        };
        heritage.rank(1.0, false)
    }

    fn observe(&mut self, report: &PageReport<'_>, out: &mut Updates) {
        let own = Heritage::from_tie(report.lease.taken.rank.tie);
        let is_good = report.judgement.is_some_and(|judgement| judgement.is_relevant());
        let (life, is_spent) = life_of_links(is_good, self.life, own.life);
        let heritage = Heritage { inherited: 0.0, life };
        let (width, score) = if is_good {
            (self.width.saturating_add(self.width / 2), 1.0)
        } else {
            (self.width, 0.5)
        };
        offer_each(report, Merge::Max, out, |place, _| {
            let score = if place < width as usize { score } else { 0.0 };
            heritage.rank(score, is_spent)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heritage_survives_its_tie_and_better_ones_are_smaller() {
        let heritage = |inherited, life| Heritage { inherited, life };
        let best_to_worst = [
            heritage(1.0, 3),
            heritage(1.0, 2),
            heritage(0.5, 9),
            heritage(0.4999, 0),
            heritage(1e-30, 1),
            heritage(0.0, 200),
            heritage(0.0, 0),
        ];
        for pair in best_to_worst.windows(2) {
            assert!(pair[0].to_tie() < pair[1].to_tie(), "{pair:?}");
        }
        for kept in best_to_worst {
            let back = Heritage::from_tie(kept.to_tie());
            assert_eq!(back.life, kept.life);
            assert!((back.inherited - kept.inherited).abs() <= kept.inherited * 1e-4);
        }
        for tie in [0, 1, u32::MAX, 0x1234_5678] {
            assert!((0.0..=1.0).contains(&Heritage::from_tie(tie).inherited));
        }
    }
}
