//! A feed-forward network with one hidden layer, trained example by example.
//!
//! Sigmoid nodes, cross-entropy, a fixed learning rate. Some of the examples are held out for validation: training
//! stops when they have not improved for a while, and the weights of the best epoch are kept.

use serde::{Deserialize, Serialize};

use crate::fault::{check_labels, check_positive};
use crate::{LearnFault, Rng, Row, SparseRows};

/// How a network is trained.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NetworkSettings {
    /// Hidden nodes.
    pub hidden: u32,
    /// The learning rate.
    pub rate: f64,
    /// The most passes over the examples.
    pub most_epochs: u32,
    /// The share of the examples held out for validation.
    pub validation: f64,
    /// Stops after this many epochs without an improvement.
    pub patience: u32,
    /// Seed for the initial weights, the validation split and the order.
    pub seed: u64,
}

impl Default for NetworkSettings {
    fn default() -> NetworkSettings {
        NetworkSettings {
            hidden: 4,
            rate: 0.3,
            most_epochs: 500,
            validation: 0.3,
            patience: 20,
            seed: 0,
        }
    }
}

/// A trained network.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Network {
    /// Each feature's weights into the hidden nodes.
    inputs: Vec<f32>,
    hidden_bias: Vec<f32>,
    /// The weights from the hidden nodes to the output.
    outputs: Vec<f32>,
    bias: f32,
}

/// The stored form.
#[derive(Deserialize)]
struct Stored {
    inputs: Vec<f32>,
    hidden_bias: Vec<f32>,
    outputs: Vec<f32>,
    bias: f32,
}

impl TryFrom<Stored> for Network {
    type Error = &'static str;

    fn try_from(stored: Stored) -> Result<Network, &'static str> {
        let hidden = stored.hidden_bias.len();
        let finite = [&stored.inputs, &stored.hidden_bias, &stored.outputs]
            .into_iter()
            .flatten()
            .all(|weight| weight.is_finite());
        if hidden == 0
            || stored.outputs.len() != hidden
            || !stored.inputs.len().is_multiple_of(hidden)
            || !finite
            || !stored.bias.is_finite()
        {
            return Err("the layers do not match");
        }
        Ok(Network {
            inputs: stored.inputs,
            hidden_bias: stored.hidden_bias,
            outputs: stored.outputs,
            bias: stored.bias,
        })
    }
}

impl Network {
    /// Trains a network.
    pub fn fit(
        rows: &SparseRows,
        labels: &[bool],
        settings: &NetworkSettings,
    ) -> Result<Network, LearnFault> {
        check_labels(rows.len(), labels)?;
        check_positive("the rate", settings.rate)?;
        if !(1..=1024).contains(&settings.hidden) {
            return Err(LearnFault::Setting {
                name: "the number of hidden nodes",
                value: f64::from(settings.hidden),
                expected: "from 1 to 1024",
            });
        }
        if !(0.0..0.9).contains(&settings.validation) {
            return Err(LearnFault::Setting {
                name: "the validation share",
                value: settings.validation,
                expected: "a number from 0 to 0.9",
            });
        }
        let mut rng = Rng::from_seed(settings.seed);
        let (mut trained_on, watched) = part(labels, settings.validation, &mut rng);
        let mut network = Network::begin(rows.features(), settings.hidden as usize, &mut rng);
        let mut best = network.clone();
        let mut best_loss = f64::INFINITY;
        let mut since_best = 0;
        for _ in 0..settings.most_epochs {
            rng.shuffle(&mut trained_on);
            for at in &trained_on {
                let target = if labels.get(*at) == Some(&true) { 1.0 } else { 0.0 };
                network.learn(rows.row(*at), target, settings.rate as f32);
            }
            // Without validation examples, the training examples must do.
            let judged = if watched.is_empty() { &trained_on } else { &watched };
            let loss = network.loss(rows, labels, judged);
            if loss < best_loss {
                (best, best_loss, since_best) = (network.clone(), loss, 0);
            } else {
                since_best += 1;
                if since_best >= settings.patience {
                    break;
                }
            }
        }
        Ok(best)
    }

    /// Small random weights.
    fn begin(features: usize, hidden: usize, rng: &mut Rng) -> Network {
        let mut small = |count: usize, reach: f64| -> Vec<f32> {
            (0..count)
                .map(|_| ((rng.fraction() * 2.0 - 1.0) * reach) as f32)
                .collect()
        };
        Network {
            inputs: small(features * hidden, 0.05),
            hidden_bias: small(hidden, 0.05),
            outputs: small(hidden, 0.5),
            bias: 0.0,
        }
    }

    /// The log odds.
    pub fn score(&self, row: Row<'_>) -> f64 {
        let mut hidden = self.hidden_bias.clone();
        self.activate(row, &mut hidden);
        f64::from(self.answer(&hidden))
    }

    /// The probability of the positive class.
    pub fn probability(&self, row: Row<'_>) -> f64 {
        1.0 / (1.0 + (-self.score(row)).exp())
    }

    fn activate(&self, row: Row<'_>, hidden: &mut [f32]) {
        let nodes = hidden.len();
        for (place, value) in row.entries() {
            let from = place as usize * nodes;
            let weights = self.inputs.get(from..from + nodes).unwrap_or_default();
            for (sum, weight) in hidden.iter_mut().zip(weights) {
                *sum += weight * value;
            }
        }
        for sum in hidden {
            *sum = 1.0 / (1.0 + (-*sum).exp());
        }
    }

    fn answer(&self, hidden: &[f32]) -> f32 {
        self.bias + self.outputs.iter().zip(hidden).map(|(w, h)| w * h).sum::<f32>()
    }

    fn learn(&mut self, row: Row<'_>, target: f32, rate: f32) {
        let mut hidden = self.hidden_bias.clone();
        self.activate(row, &mut hidden);
        let miss = 1.0 / (1.0 + (-self.answer(&hidden)).exp()) - target;
        let steps: Vec<f32> = self
            .outputs
            .iter()
            .zip(&hidden)
            .map(|(weight, node)| rate * miss * weight * node * (1.0 - node))
            .collect();
        for (weight, node) in self.outputs.iter_mut().zip(&hidden) {
            *weight -= rate * miss * node;
        }
        self.bias -= rate * miss;
        for (bias, step) in self.hidden_bias.iter_mut().zip(&steps) {
            *bias -= step;
        }
        for (place, value) in row.entries() {
            let from = place as usize * steps.len();
            if let Some(weights) = self.inputs.get_mut(from..from + steps.len()) {
                for (weight, step) in weights.iter_mut().zip(&steps) {
                    *weight -= step * value;
                }
            }
        }
    }

    /// Mean cross-entropy, with equal weight for each class.
    fn loss(&self, rows: &SparseRows, labels: &[bool], places: &[usize]) -> f64 {
        let mut sums = [(0.0, 0.0); 2];
        for at in places {
            let label = labels.get(*at) == Some(&true);
            let odds = self.score(rows.row(*at)) * if label { 1.0 } else { -1.0 };
            let (loss, count) = &mut sums[usize::from(label)];
            *loss += if odds > 0.0 {
                (-odds).exp().ln_1p()
            } else {
                odds.exp().ln_1p() - odds
            };
            *count += 1.0;
        }
        sums.iter()
            .map(|(loss, count): &(f64, f64)| loss / count.max(1.0))
            .sum()
    }
}

/// The indices to train on and those to validate on, both with their share of each class; at least one of each class
/// trains.
fn part(labels: &[bool], share: f64, rng: &mut Rng) -> (Vec<usize>, Vec<usize>) {
    let (mut trained_on, mut watched) = (Vec::new(), Vec::new());
    for class in [true, false] {
        let mut places: Vec<usize> = (0..labels.len())
            .filter(|at| labels.get(*at) == Some(&class))
            .collect();
        rng.shuffle(&mut places);
        let kept_back = ((places.len() as f64 * share).round() as usize).min(places.len().saturating_sub(1));
        watched.extend(places.drain(..kept_back));
        trained_on.extend(places);
    }
    (trained_on, watched)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SparseVector;

    /// Positive where exactly one of two features is set, which no line separates.
    fn either(rows: usize) -> (SparseRows, Vec<bool>) {
        let mut rng = Rng::from_seed(1);
        let mut all = SparseRows::new(2);
        let mut labels = Vec::new();
        for _ in 0..rows {
            let (a, b) = (rng.below(2), rng.below(2));
            all.push(SparseVector::new(vec![(0, a as f32), (1, b as f32)]).row());
            labels.push(a != b);
        }
        (all, labels)
    }

    #[test]
    fn hidden_nodes_learn_what_no_line_could_separate() {
        let (rows, labels) = either(200);
        let settings = NetworkSettings {
            patience: 500,
            seed: 3,
            ..NetworkSettings::default()
        };
        let network = Network::fit(&rows, &labels, &settings).unwrap();
        let right = rows
            .rows()
            .zip(&labels)
            .filter(|(row, label)| (network.probability(*row) > 0.5) == **label)
            .count();
        assert_eq!(right, 200);
        assert_eq!(network, Network::fit(&rows, &labels, &settings).unwrap());
    }

    #[test]
    fn validation_examples_are_not_trained_on_and_two_examples_are_enough() {
        let labels = [true, false, true, false, false, false, false, false, false, true];
        let (trained_on, watched) = part(&labels, 0.3, &mut Rng::from_seed(0));
        assert_eq!((trained_on.len(), watched.len()), (7, 3));
        let (trained_on, watched) = part(&[true, false], 0.5, &mut Rng::from_seed(0));
        assert_eq!((trained_on.len(), watched.len()), (2, 0));
    }
}
