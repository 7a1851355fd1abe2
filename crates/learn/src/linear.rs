//! A score that is a weighted sum: the model behind naive Bayes, a linear SVM and logistic regression.

use serde::{Deserialize, Serialize};

use crate::Row;

/// Whether the smaller class counts as much as the larger one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Balance {
    /// Every example counts the same.
    #[default]
    AsGiven,
    /// Every class counts the same: an example counts N / (2 · size of its class).
    Classes,
}

impl Balance {
    /// The weight of an example of each class: [negative, positive].
    pub(crate) fn weights(self, labels: &[bool]) -> [f64; 2] {
        match self {
            Balance::AsGiven => [1.0, 1.0],
            Balance::Classes => {
                let total = labels.len() as f64;
                let positive = labels.iter().filter(|label| **label).count() as f64;
                [total / (2.0 * (total - positive)), total / (2.0 * positive)]
            }
        }
    }
}

/// A weight for each feature, and a bias.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct LinearModel {
    weights: Vec<f32>,
    bias: f64,
}

/// The stored form.
#[derive(Deserialize)]
struct Stored {
    weights: Vec<f32>,
    bias: f64,
}

impl TryFrom<Stored> for LinearModel {
    type Error = &'static str;

    fn try_from(stored: Stored) -> Result<LinearModel, &'static str> {
        let is_finite = stored.bias.is_finite() && stored.weights.iter().all(|weight| weight.is_finite());
        is_finite
            .then_some(LinearModel {
                weights: stored.weights,
                bias: stored.bias,
            })
            .ok_or("a weight is not a number")
    }
}

impl LinearModel {
    pub(crate) fn new(weights: &[f64], bias: f64) -> LinearModel {
        LinearModel {
            weights: weights.iter().map(|weight| *weight as f32).collect(),
            bias,
        }
    }

    /// bias + Σ weight · value. Above 0 means positive.
    pub fn score(&self, row: Row<'_>) -> f64 {
        self.bias
            + row
                .entries()
                .map(|(place, value)| f64::from(self.weight(place)) * f64::from(value))
                .sum::<f64>()
    }

    /// A feature's weight; 0 if the model does not have the feature.
    #[inline]
    pub fn weight(&self, place: u32) -> f32 {
        self.weights.get(place as usize).copied().unwrap_or(0.0)
    }

    /// All weights by place.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// The score of an empty vector.
    pub fn bias(&self) -> f64 {
        self.bias
    }
}
