//! Probabilities from scores, by a sigmoid.
//!
//! The scores must be held-out ones (see [`Folds::held_out`](crate::Folds::held_out)): scores of the training
//! examples are too optimistic.

use serde::{Deserialize, Serialize};

use crate::LearnFault;
use crate::fault::check_labels;

/// P = 1 / (1 + e^−(slope · score + offset)).
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Platt {
    /// How steeply the probability rises with the score.
    pub slope: f64,
    /// The log odds at score 0.
    pub offset: f64,
}

impl Platt {
    /// Takes the score as the log odds.
    pub const IDENTITY: Platt = Platt {
        slope: 1.0,
        offset: 0.0,
    };

    /// Finds the sigmoid that fits best. Targets are moved slightly away from 0 and 1, as if one more example of each
    /// class had been seen on the other side, so that a few scores that happen to be separable do not produce a
    /// cliff.
    pub fn fit(scores: &[f64], labels: &[bool]) -> Result<Platt, LearnFault> {
        check_labels(scores.len(), labels)?;
        let positive = labels.iter().filter(|label| **label).count() as f64;
        let negative = labels.len() as f64 - positive;
        let high = (positive + 1.0) / (positive + 2.0);
        let low = 1.0 / (negative + 2.0);
        let examples: Vec<(f64, f64)> = scores
            .iter()
            .zip(labels)
            .filter(|(score, _)| score.is_finite())
            .map(|(score, label)| (*score, if *label { high } else { low }))
            .collect();
        let mut fit = Platt {
            slope: 0.0,
            offset: ((positive + 1.0) / (negative + 1.0)).ln(),
        };
        let mut loss = fit.loss(&examples);
        for _ in 0..100 {
            // A Newton step in two variables, with a ridge that keeps the equations solvable.
            let (mut gs, mut go, mut ss, mut so, mut oo) = (0.0, 0.0, 1e-12, 0.0, 1e-12);
            for (score, target) in &examples {
                let p = fit.probability(*score);
                let miss = p - target;
                let curve = p * (1.0 - p);
                gs += miss * score;
                go += miss;
                ss += curve * score * score;
                so += curve * score;
                oo += curve;
            }
            if gs.abs() < 1e-9 && go.abs() < 1e-9 {
                break;
            }
            let determinant = ss * oo - so * so;
            if determinant <= 0.0 || !determinant.is_finite() {
                break;
            }
            let step = Platt {
                slope: -(oo * gs - so * go) / determinant,
                offset: -(ss * go - so * gs) / determinant,
            };
            let descent = gs * step.slope + go * step.offset;
            let mut length = 1.0;
            let mut moved = false;
            while length > 1e-10 {
                let tried = Platt {
                    slope: fit.slope + length * step.slope,
                    offset: fit.offset + length * step.offset,
                };
                let tried_loss = tried.loss(&examples);
                if tried_loss < loss + 1e-4 * length * descent {
                    (fit, loss) = (tried, tried_loss);
                    moved = true;
                    break;
                }
                length /= 2.0;
            }
            if !moved {
                break;
            }
        }
        Ok(fit)
    }

    /// The probability for a score.
    #[inline]
    pub fn probability(self, score: f64) -> f64 {
        1.0 / (1.0 + (-(self.slope * score + self.offset)).exp())
    }

    fn loss(self, examples: &[(f64, f64)]) -> f64 {
        examples
            .iter()
            .map(|(score, target)| {
                let odds = self.slope * score + self.offset;
                // −t·ln p − (1 − t)·ln(1 − p), without overflow.
                if odds >= 0.0 {
                    (1.0 - target) * odds + (-odds).exp().ln_1p()
                } else {
                    -target * odds + odds.exp().ln_1p()
                }
            })
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    #[test]
    fn a_known_sigmoid_is_found_again() {
        let mut rng = Rng::from_seed(4);
        let scores: Vec<f64> = (0..20_000).map(|_| rng.fraction() * 8.0 - 4.0).collect();
        let truth = Platt {
            slope: 1.7,
            offset: -0.6,
        };
        let labels: Vec<bool> = scores
            .iter()
            .map(|score| rng.fraction() < truth.probability(*score))
            .collect();
        let found = Platt::fit(&scores, &labels).unwrap();
        assert!((found.slope - 1.7).abs() < 0.08, "{found:?}");
        assert!((found.offset + 0.6).abs() < 0.08, "{found:?}");
    }

    #[test]
    fn parted_scores_do_not_make_a_cliff() {
        let found = Platt::fit(&[-2.0, -1.0, 1.0, 2.0], &[false, false, true, true]).unwrap();
        assert!(
            found.slope.is_finite() && found.probability(2.0) < 0.95,
            "{found:?}"
        );
        assert!(found.probability(2.0) > found.probability(-2.0));
    }
}
