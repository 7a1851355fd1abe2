//! Naive Bayes with kernel density estimation: how likely a value is in a class is estimated from the values seen
//! there, each smoothed by a Gaussian, rather than from counts.
//!
//! The Gaussian's width is the feature's range / √(examples of the class). One extra example, spread evenly over the
//! range, is added to each class; otherwise a value far from all others would decide alone.
//!
//! Zeros are not stored. The score of an all-zero vector is computed once, and a document adds what its own features
//! change.

use serde::{Deserialize, Serialize};

use crate::fault::check_labels;
use crate::{LearnFault, Row, SparseRows};

/// A trained model. The score is the log odds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct KernelBayes {
    seen: Stored,
    /// What a zero adds to the score, for each feature.
    at_zero: Vec<f64>,
    /// The score of an all-zero vector.
    of_nothing: f64,
}

/// The stored form.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Stored {
    /// Examples of each class: [negative, positive].
    examples: [u32; 2],
    /// Where each feature's values end: [negative, positive]. The negative ones come first.
    ends: Vec<[u32; 2]>,
    /// Values that are not zero.
    values: Vec<f32>,
    /// Each feature's range from smallest to largest value, zero included if it occurs.
    ranges: Vec<f32>,
}

impl KernelBayes {
    /// Trains a model.
    pub fn fit(rows: &SparseRows, labels: &[bool]) -> Result<KernelBayes, LearnFault> {
        check_labels(rows.len(), labels)?;
        let mut by_feature: Vec<[Vec<f32>; 2]> = vec![Default::default(); rows.features()];
        for (row, label) in rows.rows().zip(labels) {
            for (place, value) in row.entries() {
                if let Some(of_feature) = by_feature.get_mut(place as usize)
                    && value != 0.0
                {
                    of_feature[usize::from(*label)].push(value);
                }
            }
        }
        let positive = labels.iter().filter(|label| **label).count();
        let mut seen = Stored {
            examples: [(labels.len() - positive) as u32, positive as u32],
            ends: Vec::with_capacity(rows.features()),
            values: Vec::new(),
            ranges: Vec::with_capacity(rows.features()),
        };
        for [negative, positive] in by_feature {
            let has_zeros = negative.len() + positive.len() < labels.len();
            let all = negative.iter().chain(&positive).chain(has_zeros.then_some(&0.0));
            let (least, most) = all.fold((f32::INFINITY, f32::NEG_INFINITY), |(least, most), value| {
                (least.min(*value), most.max(*value))
            });
            // A feature with a single value carries no information: its range is 0.
            seen.ranges.push(if most > least {
                (most - least).min(f32::MAX)
            } else {
                0.0
            });
            seen.values.extend(negative);
            let middle = seen.values.len() as u32;
            seen.values.extend(positive);
            seen.ends.push([middle, seen.values.len() as u32]);
        }
        Ok(KernelBayes::with(seen))
    }

    fn with(seen: Stored) -> KernelBayes {
        let at_zero: Vec<f64> = (0..seen.ends.len())
            .map(|feature| seen.log_odds(feature, 0.0))
            .collect();
        let [negative, positive] = seen.examples.map(f64::from);
        let of_nothing = (positive / negative).ln() + at_zero.iter().sum::<f64>();
        KernelBayes {
            seen,
            at_zero,
            of_nothing,
        }
    }

    /// The log odds.
    pub fn score(&self, row: Row<'_>) -> f64 {
        let mut score = self.of_nothing;
        for (place, value) in row.entries() {
            if let Some(at_zero) = self.at_zero.get(place as usize) {
                score += self.seen.log_odds(place as usize, value) - at_zero;
            }
        }
        score
    }
}

impl Stored {
    /// ln(density among the positives / density among the negatives) at a value of a feature.
    fn log_odds(&self, feature: usize, value: f32) -> f64 {
        let range = self.ranges.get(feature).copied().map_or(0.0, f64::from);
        let Some([middle, end]) = self.ends.get(feature).copied() else {
            return 0.0;
        };
        if range <= 0.0 {
            return 0.0;
        }
        let start = feature
            .checked_sub(1)
            .and_then(|before| self.ends.get(before))
            .map_or(0, |[_, end]| *end);
        let values = |from: u32, to: u32| self.values.get(from as usize..to as usize).unwrap_or_default();
        let [negative, positive] = self.examples.map(f64::from);
        density(values(middle, end), positive, range, f64::from(value)).ln()
            - density(values(start, middle), negative, range, f64::from(value)).ln()
    }
}

/// The density of a class at a value, times the range (which cancels out between the classes).
fn density(seen: &[f32], examples: f64, range: f64, value: f64) -> f64 {
    let width = range / examples.sqrt();
    let bell = |centre: f64| {
        let away = (value - centre) / width;
        (-0.5 * away * away).exp()
    };
    let zeros = examples - seen.len() as f64;
    let sum = zeros * bell(0.0) + seen.iter().map(|centre| bell(f64::from(*centre))).sum::<f64>();
    let height = range / (width * (2.0 * std::f64::consts::PI).sqrt());
    (sum * height + 1.0) / (examples + 1.0)
}

impl From<KernelBayes> for Stored {
    fn from(model: KernelBayes) -> Stored {
        model.seen
    }
}

impl TryFrom<Stored> for KernelBayes {
    type Error = &'static str;

    fn try_from(stored: Stored) -> Result<KernelBayes, &'static str> {
        let [negative, positive] = stored.examples;
        let mut before = 0;
        let fitting = stored.ranges.len() == stored.ends.len()
            && stored.ends.iter().all(|[middle, end]| {
                let rises = before <= *middle
                    && middle <= end
                    && middle.saturating_sub(before) <= negative
                    && end - middle <= positive;
                before = *end;
                rises
            })
            && before as usize == stored.values.len();
        let finite = stored
            .ranges
            .iter()
            .chain(&stored.values)
            .all(|value| value.is_finite());
        if negative == 0 || positive == 0 || !fitting || !finite {
            return Err("the values do not match the examples");
        }
        Ok(KernelBayes::with(stored))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SparseVector;

    #[test]
    fn the_score_is_what_adding_up_every_density_gives() {
        let data = [[0.0, 2.0], [1.0, 0.0], [0.5, 0.5], [3.0, 0.0], [0.0, 1.5]];
        let labels = [true, false, true, false, false];
        let vectors: Vec<SparseVector> = data
            .iter()
            .map(|[a, b]| SparseVector::new(vec![(0, *a), (1, *b)]))
            .collect();
        let rows = SparseRows::of(2, vectors.iter().map(SparseVector::row));
        let model = KernelBayes::fit(&rows, &labels).unwrap();
        let mut expected = (2.0_f64 / 3.0).ln();
        for (feature, value) in [(0, 0.7_f32), (1, 0.0)] {
            let of = |label: bool| {
                let values: Vec<f32> = data
                    .iter()
                    .zip(labels)
                    .filter(|(_, l)| *l == label)
                    .map(|(row, _)| row[feature])
                    .collect();
                let range = if feature == 0 { 3.0_f64 } else { 2.0 };
                let width = range / (values.len() as f64).sqrt();
                let sum: f64 = values
                    .iter()
                    .map(|centre| (-0.5 * ((f64::from(value) - f64::from(*centre)) / width).powi(2)).exp())
                    .sum();
                let bell = sum / (width * (2.0 * std::f64::consts::PI).sqrt());
                (bell + 1.0 / range) / (values.len() as f64 + 1.0)
            };
            expected += (of(true) / of(false)).ln();
        }
        let found = model.score(SparseVector::new(vec![(0, 0.7)]).row());
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }

    #[test]
    fn one_value_far_from_all_seen_decides_little() {
        let vectors: Vec<SparseVector> = (0..20)
            .map(|n| SparseVector::new(vec![(0, if n < 10 { 1.0 } else { 2.0 })]))
            .collect();
        let rows = SparseRows::of(1, vectors.iter().map(SparseVector::row));
        let labels: Vec<bool> = (0..20).map(|n| n < 10).collect();
        let model = KernelBayes::fit(&rows, &labels).unwrap();
        assert!(model.score(SparseVector::new(vec![(0, 1.0)]).row()) > 2.0);
        let far = model.score(SparseVector::new(vec![(0, 50.0)]).row());
        assert!(far.abs() < 1e-6, "{far}");
    }
}
