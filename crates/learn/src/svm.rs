//! A linear support vector machine, trained by dual coordinate descent.
//!
//! Minimises ½·|w|² + C · Σ cᵢ · loss(1 − yᵢ·score), where the bias is the weight of a feature that is always 1.
//! Examples whose multiplier seems settled at a bound are skipped until the rest is solved, which is where the speed
//! comes from.

use crate::fault::{check_labels, check_positive};
use crate::{Balance, LearnFault, LinearModel, Rng, SparseRows};

/// The cost of missing the margin by x.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loss {
    /// x.
    Hinge,
    /// x².
    SquaredHinge,
}

/// How a linear SVM is trained.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SvmSettings {
    /// C: how much a missed margin costs compared with small weights.
    pub cost: f64,
    /// The cost of a missed margin.
    pub loss: Loss,
    /// Whether the smaller class counts as much as the larger one.
    pub balance: Balance,
    /// Stops when no multiplier would move by more than this.
    pub tolerance: f64,
    /// The most passes over the examples.
    pub most_rounds: u32,
    /// Seed for the order of the examples.
    pub seed: u64,
}

impl Default for SvmSettings {
    fn default() -> SvmSettings {
        SvmSettings {
            cost: 1.0,
            loss: Loss::SquaredHinge,
            balance: Balance::AsGiven,
            tolerance: 1e-4,
            most_rounds: 1000,
            seed: 0,
        }
    }
}

struct Multiplier {
    /// The example's index.
    at: usize,
    sign: f64,
    value: f64,
    most: f64,
    diagonal: f64,
    /// The squared length of the example, including bias and diagonal.
    length: f64,
}

/// Trains a model. The score is the distance from the boundary, in margins.
pub fn fit_svm(
    rows: &SparseRows,
    labels: &[bool],
    settings: &SvmSettings,
) -> Result<LinearModel, LearnFault> {
    check_labels(rows.len(), labels)?;
    check_positive("C", settings.cost)?;
    check_positive("the tolerance", settings.tolerance)?;
    let weights = settings.balance.weights(labels);
    let mut multipliers: Vec<Multiplier> = labels
        .iter()
        .enumerate()
        .map(|(at, label)| {
            let cost = settings.cost * weights[usize::from(*label)];
            let (diagonal, most) = match settings.loss {
                Loss::Hinge => (0.0, cost),
                Loss::SquaredHinge => (0.5 / cost, f64::INFINITY),
            };
            Multiplier {
                at,
                sign: if *label { 1.0 } else { -1.0 },
                value: 0.0,
                most,
                diagonal,
                length: rows.row(at).squared_length() + 1.0 + diagonal,
            }
        })
        .collect();
    let mut rng = Rng::from_seed(settings.seed);
    let mut weights = vec![0.0; rows.features()];
    let mut bias = 0.0;
    // Those still active come first.
    let mut active = multipliers.len();
    let (mut upper, mut lower) = (f64::INFINITY, f64::NEG_INFINITY);
    for _ in 0..settings.most_rounds {
        let (mut most, mut least) = (f64::NEG_INFINITY, f64::INFINITY);
        if let Some(looked_at) = multipliers.get_mut(..active) {
            rng.shuffle(looked_at);
        }
        let mut next = 0;
        while next < active {
            let Some(multiplier) = multipliers.get_mut(next) else {
                break;
            };
            let row = rows.row(multiplier.at);
            let slope =
                multiplier.sign * (row.dot(&weights) + bias) - 1.0 + multiplier.value * multiplier.diagonal;
            let (is_settled, pull) = if multiplier.value == 0.0 {
                (slope > upper, slope.min(0.0))
            } else if multiplier.value == multiplier.most {
                (slope < lower, slope.max(0.0))
            } else {
                (false, slope)
            };
            if is_settled {
                active -= 1;
                multipliers.swap(next, active);
                continue;
            }
            most = most.max(pull);
            least = least.min(pull);
            if pull.abs() > 1e-12 {
                let before = multiplier.value;
                multiplier.value = (before - slope / multiplier.length).clamp(0.0, multiplier.most);
                let step = (multiplier.value - before) * multiplier.sign;
                row.add_to(step, &mut weights);
                bias += step;
            }
            next += 1;
        }
        if most - least <= settings.tolerance || active == 0 {
            if active == multipliers.len() {
                break;
            }
            // The active ones are solved: now all again.
            active = multipliers.len();
            (upper, lower) = (f64::INFINITY, f64::NEG_INFINITY);
            continue;
        }
        upper = if most > 0.0 { most } else { f64::INFINITY };
        lower = if least < 0.0 { least } else { f64::NEG_INFINITY };
    }
    Ok(LinearModel::new(&weights, bias))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SparseVector;

    fn rows(points: &[(f32, f32)]) -> SparseRows {
        let vectors: Vec<SparseVector> = points
            .iter()
            .map(|(x, y)| SparseVector::new(vec![(0, *x), (1, *y)]))
            .collect();
        SparseRows::of(2, vectors.iter().map(SparseVector::row))
    }

    #[test]
    fn two_points_are_separated_half_way_with_margins_of_one() {
        let rows = rows(&[(2.0, 0.0), (-2.0, 0.0)]);
        let settings = SvmSettings {
            cost: 1e4,
            loss: Loss::Hinge,
            tolerance: 1e-8,
            ..SvmSettings::default()
        };
        let model = fit_svm(&rows, &[true, false], &settings).unwrap();
        assert!(
            (model.weight(0) - 0.5).abs() < 1e-4 && model.bias().abs() < 1e-4,
            "{model:?}"
        );
        assert!((model.score(rows.row(0)) - 1.0).abs() < 1e-4);
    }

    #[test]
    fn squared_loss_meets_the_condition_of_its_minimum() {
        // w = 2C Σ max(0, 1 − yᵢ·score) · yᵢ · xᵢ at the minimum.
        let points = [(1.0, 0.2), (0.3, 0.9), (-1.0, 0.1), (-0.2, -0.8), (0.4, 0.4)];
        let labels = [true, true, false, false, false];
        let rows = rows(&points);
        let settings = SvmSettings {
            tolerance: 1e-10,
            ..SvmSettings::default()
        };
        let model = fit_svm(&rows, &labels, &settings).unwrap();
        let mut expected = [0.0; 2];
        for (row, label) in rows.rows().zip(labels) {
            let sign = if label { 1.0 } else { -1.0 };
            let missed = (1.0 - sign * model.score(row)).max(0.0);
            row.add_to(2.0 * missed * sign, &mut expected);
        }
        assert!(
            (expected[0] - f64::from(model.weight(0))).abs() < 1e-4,
            "{expected:?} {model:?}"
        );
        assert!(
            (expected[1] - f64::from(model.weight(1))).abs() < 1e-4,
            "{expected:?} {model:?}"
        );
    }
}
