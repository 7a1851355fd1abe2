//! Logistic regression with an L2 penalty.
//!
//! Minimises ½·|w|² + C · Σ cᵢ · ln(1 + e^(−yᵢ·score)), without a penalty on the bias, by Newton steps solved with
//! conjugate gradients. The problem has a single minimum, so the answer does not depend on the path to it.

use crate::fault::{check_labels, check_positive};
use crate::{Balance, LearnFault, LinearModel, SparseRows};

/// How logistic regression is trained.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LogisticSettings {
    /// C: how much the examples count compared with small weights.
    pub cost: f64,
    /// Whether the smaller class counts as much as the larger one.
    pub balance: Balance,
    /// Stops when the gradient has shrunk to this fraction of its initial length.
    pub tolerance: f64,
    /// The most Newton steps.
    pub most_steps: u32,
}

impl Default for LogisticSettings {
    fn default() -> LogisticSettings {
        LogisticSettings {
            cost: 1.0,
            balance: Balance::AsGiven,
            tolerance: 1e-6,
            most_steps: 100,
        }
    }
}

/// Trains a model whose score is the log odds.
pub fn fit_logistic(
    rows: &SparseRows,
    labels: &[bool],
    settings: &LogisticSettings,
) -> Result<LinearModel, LearnFault> {
    let of_class = settings.balance.weights(labels);
    let weights: Vec<f64> = labels.iter().map(|label| of_class[usize::from(*label)]).collect();
    fit_logistic_weighted(rows, labels, &weights, settings)
}

/// The same with a weight for each example, in place of the balance in the settings.
pub fn fit_logistic_weighted(
    rows: &SparseRows,
    labels: &[bool],
    weights: &[f64],
    settings: &LogisticSettings,
) -> Result<LinearModel, LearnFault> {
    check_labels(rows.len(), labels)?;
    check_positive("C", settings.cost)?;
    check_positive("the tolerance", settings.tolerance)?;
    let problem = Problem {
        rows,
        signs: labels
            .iter()
            .map(|label| if *label { 1.0 } else { -1.0 })
            .collect(),
        costs: weights.iter().map(|weight| settings.cost * weight).collect(),
    };
    // The bias is the last element.
    let mut weights = vec![0.0; rows.features() + 1];
    let mut scores = vec![0.0; rows.len()];
    let mut loss = problem.loss(&weights, &scores);
    let mut first_slope = None;
    for _ in 0..settings.most_steps {
        let (gradient, curvature) = problem.gradient(&weights, &scores);
        let slope = norm(&gradient);
        let first = *first_slope.get_or_insert(slope);
        if slope <= settings.tolerance * first || slope == 0.0 {
            break;
        }
        // Solved more exactly as the end gets closer.
        let forcing = (slope / first).sqrt().clamp(1e-4, 0.1);
        let step = problem.newton_step(&gradient, &curvature, forcing);
        let step_scores = problem.scores(&step);
        let descent = dot(&gradient, &step);
        let mut length = 1.0;
        let mut moved = false;
        while length > 1e-10 {
            let tried: Vec<f64> = weights.iter().zip(&step).map(|(w, s)| w + length * s).collect();
            let tried_scores: Vec<f64> = scores
                .iter()
                .zip(&step_scores)
                .map(|(score, s)| score + length * s)
                .collect();
            let tried_loss = problem.loss(&tried, &tried_scores);
            if tried_loss <= loss + 1e-4 * length * descent {
                (weights, scores, loss) = (tried, tried_scores, tried_loss);
                moved = true;
                break;
            }
            length /= 2.0;
        }
        // No step helps any more: only rounding errors are left.
        if !moved {
            break;
        }
    }
    let bias = weights.pop().unwrap_or(0.0);
    Ok(LinearModel::new(&weights, bias))
}

struct Problem<'a> {
    rows: &'a SparseRows,
    signs: Vec<f64>,
    costs: Vec<f64>,
}

impl Problem<'_> {
    fn scores(&self, weights: &[f64]) -> Vec<f64> {
        let (bias, weights) = split(weights);
        self.rows.rows().map(|row| row.dot(weights) + bias).collect()
    }

    fn loss(&self, weights: &[f64], scores: &[f64]) -> f64 {
        let (_, penalised) = split(weights);
        let mut loss = 0.5 * dot(penalised, penalised);
        for ((score, sign), cost) in scores.iter().zip(&self.signs).zip(&self.costs) {
            loss += cost * log_1p_exp(-sign * score);
        }
        loss
    }

    /// The gradient, and each example's share of the curvature.
    fn gradient(&self, weights: &[f64], scores: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut gradient = weights.to_vec();
        let mut of_bias = 0.0;
        let mut curvature = Vec::with_capacity(scores.len());
        let features = self.rows.features();
        for (at, score) in scores.iter().enumerate() {
            let (Some(sign), Some(cost)) = (self.signs.get(at), self.costs.get(at)) else {
                continue;
            };
            let right = 1.0 / (1.0 + (-sign * score).exp());
            let pull = cost * (right - 1.0) * sign;
            if let Some(penalised) = gradient.get_mut(..features) {
                self.rows.row(at).add_to(pull, penalised);
            }
            of_bias += pull;
            curvature.push(cost * right * (1.0 - right));
        }
        if let Some(bias) = gradient.last_mut() {
            *bias = of_bias;
        }
        (gradient, curvature)
    }

    /// Solves (curvature) · step = −gradient by conjugate gradients, to within `forcing` of the gradient's length.
    fn newton_step(&self, gradient: &[f64], curvature: &[f64], forcing: f64) -> Vec<f64> {
        let mut step = vec![0.0; gradient.len()];
        let mut rest: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut direction = rest.clone();
        let mut rest_squared = dot(&rest, &rest);
        let enough = forcing * rest_squared.sqrt();
        for _ in 0..250 {
            if rest_squared.sqrt() <= enough {
                break;
            }
            let bent = self.bend(&direction, curvature);
            let along = dot(&direction, &bent);
            if along <= 0.0 {
                break;
            }
            let length = rest_squared / along;
            for ((s, d), (r, b)) in step.iter_mut().zip(&direction).zip(rest.iter_mut().zip(&bent)) {
                *s += length * d;
                *r -= length * b;
            }
            let next = dot(&rest, &rest);
            let keep = next / rest_squared;
            rest_squared = next;
            for (d, r) in direction.iter_mut().zip(&rest) {
                *d = r + keep * *d;
            }
        }
        step
    }

    /// The matrix of second derivatives times a vector.
    fn bend(&self, vector: &[f64], curvature: &[f64]) -> Vec<f64> {
        let (bias, penalised) = split(vector);
        let mut bent = vector.to_vec();
        let mut of_bias = 0.0;
        if let Some((last, bent)) = bent.split_last_mut() {
            for (row, curve) in self.rows.rows().zip(curvature) {
                let pull = curve * (row.dot(penalised) + bias);
                row.add_to(pull, bent);
                of_bias += pull;
            }
            *last = of_bias;
        }
        bent
    }
}

fn split(weights: &[f64]) -> (f64, &[f64]) {
    weights
        .split_last()
        .map_or((0.0, &[]), |(bias, weights)| (*bias, weights))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// ln(1 + eˣ) without overflow.
pub(crate) fn log_1p_exp(x: f64) -> f64 {
    if x > 0.0 {
        x + (-x).exp().ln_1p()
    } else {
        x.exp().ln_1p()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SparseVector;

    fn rows(values: &[f32]) -> SparseRows {
        let vectors: Vec<SparseVector> = values
            .iter()
            .map(|value| SparseVector::new(vec![(0, *value)]))
            .collect();
        SparseRows::of(1, vectors.iter().map(SparseVector::row))
    }

    #[test]
    fn at_the_minimum_the_slope_is_zero() {
        let values = [-2.0, -1.0, 0.5, 1.0, 3.0, -0.5];
        let labels = [false, false, false, true, true, true];
        let settings = LogisticSettings {
            cost: 3.0,
            tolerance: 1e-9,
            ..LogisticSettings::default()
        };
        let model = fit_logistic(&rows(&values), &labels, &settings).unwrap();
        let (weight, bias) = (f64::from(model.weight(0)), model.bias());
        let (mut of_weight, mut of_bias) = (weight, 0.0);
        for (value, label) in values.iter().zip(labels) {
            let p = 1.0 / (1.0 + (-(weight * f64::from(*value) + bias)).exp());
            let miss = p - f64::from(u8::from(label));
            of_weight += 3.0 * miss * f64::from(*value);
            of_bias += 3.0 * miss;
        }
        assert!(
            of_weight.abs() < 1e-5 && of_bias.abs() < 1e-5,
            "{of_weight} {of_bias}"
        );
    }

    #[test]
    fn balance_moves_the_border_towards_the_larger_class() {
        let values = [-1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 1.0, -1.0, 1.0];
        let labels = [false, false, false, false, false, false, false, true, true];
        let score = |balance| {
            let settings = LogisticSettings {
                balance,
                ..LogisticSettings::default()
            };
            let model = fit_logistic(&rows(&values), &labels, &settings).unwrap();
            model.score(SparseVector::new(vec![(0, -1.0)]).row())
        };
        assert!(score(Balance::Classes) > score(Balance::AsGiven));
    }
}
