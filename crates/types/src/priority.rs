//! How good a waiting URL is, and how two of them compare.

use std::cmp::{Ordering, Reverse};

use serde::{Deserialize, Serialize};

/// A finite number; larger is better. It encodes nothing else: bands are classes, and arrival order is age.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Score(f64);

impl Score {
    /// The score of a link nothing is known about.
    pub const ZERO: Score = Score(0.0);
    /// The score most strategies start their seeds with.
    pub const ONE: Score = Score(1.0);

    /// Makes a score from any number: NaN and -0 become 0, and infinities become the largest finite numbers.
    pub fn new(value: f64) -> Score {
        if value.is_nan() {
            Score::ZERO
        } else {
            Score(value.clamp(f64::MIN, f64::MAX) + 0.0)
        }
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Eq for Score {}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Score) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Score {
    fn cmp(&self, other: &Score) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// What a strategy says about a waiting URL: the priority without the age, which only the frontier knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Rank {
    /// Layer of the queue; small classes are served first.
    pub class: u16,
    /// Larger is served first within a class.
    pub score: Score,
    /// Smaller is served first among equal scores.
    pub tie: u32,
}

impl Rank {
    /// Class 0, tie 0, the given score: what every strategy without layers uses.
    pub fn of_score(score: f64) -> Rank {
        Rank {
            class: 0,
            score: Score::new(score),
            tie: 0,
        }
    }
}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Rank) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rank {
    /// Greater is served earlier.
    fn cmp(&self, other: &Rank) -> Ordering {
        let key = |rank: &Rank| (Reverse(rank.class), rank.score, Reverse(rank.tie));
        key(self).cmp(&key(other))
    }
}

/// A rank and the age that breaks its last ties. Greater is served earlier.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Priority {
    /// What the strategy said.
    pub rank: Rank,
    /// Number of the URL's first entry into the frontier; small is old and served first. Without it the order
    /// among equals would follow hash seeds, and two runs of one experiment would disagree.
    pub age: u32,
}

impl PartialOrd for Priority {
    fn partial_cmp(&self, other: &Priority) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Priority {
    fn cmp(&self, other: &Priority) -> Ordering {
        self.rank.cmp(&other.rank).then(other.age.cmp(&self.age))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn priority(class: u16, score: f64, tie: u32, age: u32) -> Priority {
        Priority {
            rank: Rank {
                class,
                score: Score::new(score),
                tie,
            },
            age,
        }
    }

    #[test]
    fn class_then_score_then_tie_then_age_decide() {
        let best_to_worst = [
            priority(0, 0.1, 9, 9),
            priority(1, 0.9, 1, 5),
            priority(1, 0.5, 0, 7),
            priority(1, 0.5, 1, 2),
            priority(1, 0.5, 1, 3),
        ];
        assert!(best_to_worst.windows(2).all(|pair| pair[0] > pair[1]));
    }

    #[test]
    fn no_number_can_make_a_score_that_is_not_finite() {
        for wild in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0] {
            assert!(Score::new(wild).get().is_finite());
        }
        assert_eq!(Score::new(-0.0).cmp(&Score::ZERO), Ordering::Equal);
    }
}
