//! Probabilities from scores, by the best non-decreasing step function.
//!
//! Makes no assumption about the curve's shape and so needs more examples than a sigmoid; with a few dozen it
//! overfits.

use serde::{Deserialize, Serialize};

use crate::LearnFault;
use crate::fault::check_labels;

/// A non-decreasing function, known at some scores and linear in between.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Isotonic {
    /// Ascending.
    scores: Vec<f64>,
    /// Also ascending, from 0 to 1; one for each score.
    probabilities: Vec<f64>,
}

/// The stored form.
#[derive(Deserialize)]
struct Stored {
    scores: Vec<f64>,
    probabilities: Vec<f64>,
}

impl TryFrom<Stored> for Isotonic {
    type Error = &'static str;

    fn try_from(stored: Stored) -> Result<Isotonic, &'static str> {
        let is_sound = !stored.scores.is_empty()
            && stored.scores.len() == stored.probabilities.len()
            && stored.scores.is_sorted()
            && stored.probabilities.iter().all(|p| (0.0..=1.0).contains(p));
        is_sound
            .then_some(Isotonic {
                scores: stored.scores,
                probabilities: stored.probabilities,
            })
            .ok_or("the curve does not rise")
    }
}

/// Neighbours pooled because they did not rise.
struct Pool {
    from: f64,
    to: f64,
    sum: f64,
    count: f64,
}

impl Isotonic {
    /// Finds the non-decreasing function with the least squared error, pooling neighbours that do not rise.
    pub fn fit(scores: &[f64], labels: &[bool]) -> Result<Isotonic, LearnFault> {
        check_labels(scores.len(), labels)?;
        let mut order: Vec<(f64, bool)> = scores
            .iter()
            .copied()
            .zip(labels.iter().copied())
            .filter(|(score, _)| score.is_finite())
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut pools: Vec<Pool> = Vec::new();
        for same in order.chunk_by(|a, b| a.0 == b.0) {
            let Some((score, _)) = same.first() else { continue };
            let mut pool = Pool {
                from: *score,
                to: *score,
                sum: same.iter().filter(|(_, label)| *label).count() as f64,
                count: same.len() as f64,
            };
            while let Some(last) = pools.pop_if(|last| last.sum * pool.count >= pool.sum * last.count) {
                pool.from = last.from;
                pool.sum += last.sum;
                pool.count += last.count;
            }
            pools.push(pool);
        }
        let mut fit = Isotonic {
            scores: Vec::new(),
            probabilities: Vec::new(),
        };
        for pool in pools {
            fit.scores.push(pool.from);
            fit.probabilities.push(pool.sum / pool.count);
            if pool.to > pool.from {
                fit.scores.push(pool.to);
                fit.probabilities.push(pool.sum / pool.count);
            }
        }
        if fit.scores.is_empty() {
            return Err(LearnFault::NoExamples);
        }
        Ok(fit)
    }

    /// The probability for a score. Beyond the known scores it is that of the nearest.
    pub fn probability(&self, score: f64) -> f64 {
        let above = self.scores.partition_point(|known| *known <= score);
        let at = |place: usize| Some((*self.scores.get(place)?, *self.probabilities.get(place)?));
        match (above.checked_sub(1).and_then(at), at(above)) {
            (Some((from, low)), Some((to, high))) if to > from => {
                low + (high - low) * (score - from) / (to - from)
            }
            (Some((_, p)), _) | (None, Some((_, p))) => p,
            (None, None) => 0.5,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_that_do_not_rise_are_pooled() {
        let scores = [1.0, 2.0, 3.0, 4.0, 5.0];
        let labels = [false, true, false, true, true];
        let fit = Isotonic::fit(&scores, &labels).unwrap();
        assert_eq!(fit.probability(0.0), 0.0);
        assert_eq!((fit.probability(2.0), fit.probability(3.0)), (0.5, 0.5));
        assert_eq!(fit.probability(9.0), 1.0);
        assert!((fit.probability(1.5) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn it_never_falls() {
        let scores: Vec<f64> = (0..200).map(|n| f64::from(n % 37)).collect();
        let labels: Vec<bool> = (0..200).map(|n| (n * 7919) % 11 < 4).collect();
        let fit = Isotonic::fit(&scores, &labels).unwrap();
        let curve: Vec<f64> = (-10..500).map(|n| fit.probability(f64::from(n) / 10.0)).collect();
        assert!(curve.is_sorted());
    }
}
