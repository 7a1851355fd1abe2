//! A support vector machine with a Gaussian kernel, trained by sequential minimal optimisation.
//!
//! K(a, b) = e^(−γ·|a − b|²). Each step solves exactly for the pair of multipliers that promises the largest gain
//! (second-order selection).
//!
//! For a new vector, the products with all support vectors are accumulated feature by feature. So the cost depends on
//! the support vectors that share a feature with it, not on all of their entries.

mod search;

use serde::{Deserialize, Serialize};

pub use self::search::RbfGrid;

use crate::fault::{check_labels, check_positive};
use crate::{Balance, LearnFault, Row, SparseRows};

/// How an SVM with a Gaussian kernel is trained.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RbfSettings {
    /// C: how much a missed margin costs.
    pub cost: f64,
    /// γ. `None` means 1 / (features · variance of all values).
    pub gamma: Option<f64>,
    /// Whether the smaller class counts as much as the larger one.
    pub balance: Balance,
    /// Stops when no pair violates the conditions by more than this.
    pub tolerance: f64,
    /// The most pairs to solve.
    pub most_steps: u64,
}

impl Default for RbfSettings {
    fn default() -> RbfSettings {
        RbfSettings {
            cost: 1.0,
            gamma: None,
            balance: Balance::AsGiven,
            tolerance: 1e-3,
            most_steps: 1_000_000,
        }
    }
}

/// Memory for cached kernel rows; evicted ones are computed again.
const KEPT_BYTES: usize = 256 << 20;

/// A trained machine.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct RbfSvm {
    gamma: f64,
    bias: f64,
    coefficients: Vec<f32>,
    lengths: Vec<f32>,
    /// Where each feature's entries end.
    ends: Vec<u32>,
    /// The support vectors' entries by feature: which vector, which value.
    entries: Vec<(u32, f32)>,
}

impl RbfSvm {
    /// Trains a model. The score is above 0 for positive examples.
    pub fn fit(rows: &SparseRows, labels: &[bool], settings: &RbfSettings) -> Result<RbfSvm, LearnFault> {
        check_labels(rows.len(), labels)?;
        check_positive("C", settings.cost)?;
        check_positive("the tolerance", settings.tolerance)?;
        let gamma = settings.gamma.unwrap_or_else(|| scaled_gamma(rows));
        check_positive("γ", gamma)?;
        let signs: Vec<f64> = labels.iter().map(|label| sign(*label)).collect();
        let solution = solve(&mut Kernel::new(rows, gamma), labels, &signs, settings);
        Ok(RbfSvm::with(rows, gamma, &signs, &solution))
    }

    fn with(rows: &SparseRows, gamma: f64, signs: &[f64], solution: &Solution) -> RbfSvm {
        let mut by_feature: Vec<Vec<(u32, f32)>> = vec![Vec::new(); rows.features()];
        let mut coefficients = Vec::new();
        let mut lengths = Vec::new();
        for ((row, sign), multiplier) in rows.rows().zip(signs).zip(&solution.multipliers) {
            if *multiplier <= 0.0 {
                continue;
            }
            let vector = coefficients.len() as u32;
            coefficients.push((multiplier * sign) as f32);
            lengths.push(row.squared_length() as f32);
            for (place, value) in row.entries() {
                if let Some(entries) = by_feature.get_mut(place as usize) {
                    entries.push((vector, value));
                }
            }
        }
        let mut ends = Vec::with_capacity(by_feature.len());
        let mut entries = Vec::new();
        for of_feature in by_feature {
            entries.extend(of_feature);
            ends.push(entries.len() as u32);
        }
        RbfSvm {
            gamma,
            bias: solution.bias,
            coefficients,
            lengths,
            ends,
            entries,
        }
    }

    /// How many support vectors there are.
    pub fn support_vectors(&self) -> usize {
        self.coefficients.len()
    }

    /// Above 0 means positive.
    pub fn score(&self, row: Row<'_>) -> f64 {
        let mut products = vec![0.0_f64; self.coefficients.len()];
        for (place, value) in row.entries() {
            let place = place as usize;
            let start = place
                .checked_sub(1)
                .map_or(Some(&0), |before| self.ends.get(before));
            let (Some(start), Some(end)) = (start, self.ends.get(place)) else {
                continue;
            };
            for (vector, held) in self
                .entries
                .get(*start as usize..*end as usize)
                .unwrap_or_default()
            {
                if let Some(product) = products.get_mut(*vector as usize) {
                    *product += f64::from(*held) * f64::from(value);
                }
            }
        }
        let length = row.squared_length();
        let mut score = self.bias;
        for ((coefficient, held), product) in self.coefficients.iter().zip(&self.lengths).zip(&products) {
            let distance = (length + f64::from(*held) - 2.0 * product).max(0.0);
            score += f64::from(*coefficient) * (-self.gamma * distance).exp();
        }
        score
    }
}

/// 1 / (features · variance of all values, zeros included).
fn scaled_gamma(rows: &SparseRows) -> f64 {
    let cells = (rows.len() * rows.features()) as f64;
    let (mut sum, mut squares) = (0.0, 0.0);
    for (_, value) in rows.rows().flat_map(Row::entries) {
        sum += f64::from(value);
        squares += f64::from(value).powi(2);
    }
    let variance = squares / cells - (sum / cells).powi(2);
    if variance > 0.0 {
        1.0 / (rows.features() as f64 * variance)
    } else {
        1.0
    }
}

/// Kernel values by row, with the most recently used rows cached.
struct Kernel<'a> {
    rows: &'a SparseRows,
    gamma: f64,
    lengths: Vec<f64>,
    kept: Vec<Option<Box<[f32]>>>,
    /// Cached rows, oldest first.
    ages: std::collections::VecDeque<usize>,
    most: usize,
    full: Vec<f64>,
}

impl<'a> Kernel<'a> {
    fn new(rows: &'a SparseRows, gamma: f64) -> Kernel<'a> {
        Kernel {
            rows,
            gamma,
            lengths: rows.rows().map(Row::squared_length).collect(),
            kept: vec![None; rows.len()],
            ages: std::collections::VecDeque::new(),
            most: (KEPT_BYTES / (4 * rows.len().max(1))).max(2),
            full: vec![0.0; rows.features()],
        }
    }

    /// Ensures that a row is cached.
    fn fetch(&mut self, at: usize) {
        if self.kept.get(at).is_none_or(Option::is_some) {
            return;
        }
        if self.ages.len() >= self.most
            && let Some(oldest) = self.ages.pop_front()
            && let Some(kept) = self.kept.get_mut(oldest)
        {
            *kept = None;
        }
        let row = self.rows.row(at);
        row.add_to(1.0, &mut self.full);
        let length = self.lengths.get(at).copied().unwrap_or(0.0);
        let values = self
            .rows
            .rows()
            .zip(&self.lengths)
            .map(|(other, other_length)| {
                let distance = (length + other_length - 2.0 * other.dot(&self.full)).max(0.0);
                (-self.gamma * distance).exp() as f32
            })
            .collect();
        for (place, _) in row.entries() {
            if let Some(value) = self.full.get_mut(place as usize) {
                *value = 0.0;
            }
        }
        if let Some(kept) = self.kept.get_mut(at) {
            *kept = Some(values);
            self.ages.push_back(at);
        }
    }

    fn row(&self, at: usize) -> &[f32] {
        self.kept.get(at).and_then(Option::as_deref).unwrap_or_default()
    }
}

fn sign(label: bool) -> f64 {
    if label { 1.0 } else { -1.0 }
}

/// Finds the multipliers for examples whose kernel values are given.
fn solve(kernel: &mut Kernel<'_>, labels: &[bool], signs: &[f64], settings: &RbfSettings) -> Solution {
    let class_weights = settings.balance.weights(labels);
    let costs: Vec<f64> = labels
        .iter()
        .map(|label| settings.cost * class_weights[usize::from(*label)])
        .collect();
    let solver = Solver {
        signs,
        costs: &costs,
        multipliers: vec![0.0; labels.len()],
        gradient: vec![-1.0; labels.len()],
    };
    solver.solve(kernel, settings)
}

struct Solution {
    multipliers: Vec<f64>,
    bias: f64,
}

/// min ½·αᵀQα − Σα with 0 ≤ αᵢ ≤ Cᵢ and Σ yᵢαᵢ = 0, where Q = y·yᵀ·K.
struct Solver<'a> {
    signs: &'a [f64],
    costs: &'a [f64],
    multipliers: Vec<f64>,
    gradient: Vec<f64>,
}

impl Solver<'_> {
    fn solve(mut self, kernel: &mut Kernel<'_>, settings: &RbfSettings) -> Solution {
        for _ in 0..settings.most_steps {
            let Some((first, second)) = self.pair(kernel, settings.tolerance) else {
                break;
            };
            self.step(kernel, first, second);
        }
        let bias = -self.offset();
        Solution {
            multipliers: self.multipliers,
            bias,
        }
    }

    /// Whether the multiplier may move so that yᵢαᵢ grows, and so that it shrinks.
    fn freedom(&self, at: usize) -> (bool, bool) {
        let (Some(sign), Some(value), Some(cost)) =
            (self.signs.get(at), self.multipliers.get(at), self.costs.get(at))
        else {
            return (false, false);
        };
        let (can_grow, can_shrink) = (value < cost, *value > 0.0);
        if *sign > 0.0 {
            (can_grow, can_shrink)
        } else {
            (can_shrink, can_grow)
        }
    }

    /// The pair to solve next; `None` when all conditions hold.
    fn pair(&self, kernel: &mut Kernel<'_>, tolerance: f64) -> Option<(usize, usize)> {
        let mut first: Option<(usize, f64)> = None;
        for (at, (sign, gradient)) in self.signs.iter().zip(&self.gradient).enumerate() {
            let pull = -sign * gradient;
            if self.freedom(at).0 && first.is_none_or(|(_, most)| pull > most) {
                first = Some((at, pull));
            }
        }
        let (first, most) = first?;
        kernel.fetch(first);
        let row = kernel.row(first);
        let mut second: Option<(usize, f64)> = None;
        let mut least = f64::INFINITY;
        for (at, ((sign, gradient), k)) in self.signs.iter().zip(&self.gradient).zip(row).enumerate() {
            if !self.freedom(at).1 {
                continue;
            }
            let pull = -sign * gradient;
            least = least.min(pull);
            let apart = most - pull;
            if apart > 0.0 {
                // K(i,i) = 1 for every i.
                let curvature = (2.0 - 2.0 * f64::from(*k)).max(1e-12);
                let gain = apart * apart / curvature;
                if second.is_none_or(|(_, best)| gain > best) {
                    second = Some((at, gain));
                }
            }
        }
        let (second, _) = second?;
        (most - least > tolerance).then_some((first, second))
    }

    /// Solves for two multipliers with the others fixed.
    fn step(&mut self, kernel: &mut Kernel<'_>, first: usize, second: usize) {
        kernel.fetch(first);
        kernel.fetch(second);
        let at = |list: &[f64], place: usize| list.get(place).copied().unwrap_or(0.0);
        let (yi, yj) = (at(self.signs, first), at(self.signs, second));
        let (ai, aj) = (at(&self.multipliers, first), at(&self.multipliers, second));
        let (ci, cj) = (at(self.costs, first), at(self.costs, second));
        let k = kernel.row(first).get(second).copied().map_or(0.0, f64::from);
        let curvature = (2.0 - 2.0 * k).max(1e-12);
        // How much y·α of the first grows while that of the second shrinks, within both boxes.
        let wanted = (-yi * at(&self.gradient, first) + yj * at(&self.gradient, second)) / curvature;
        let room_i = if yi > 0.0 { ci - ai } else { ai };
        let room_j = if yj > 0.0 { aj } else { cj - aj };
        let step = wanted.min(room_i).min(room_j);
        // A bound that is reached is set exactly; otherwise rounding would leave a tiny amount to move forever.
        let reach = |value: f64, sign: f64, cost: f64, room: f64| {
            if step < room {
                value + sign * step
            } else if sign > 0.0 {
                cost
            } else {
                0.0
            }
        };
        let (new_i, new_j) = (reach(ai, yi, ci, room_i), reach(aj, -yj, cj, room_j));
        if let Some(value) = self.multipliers.get_mut(first) {
            *value = new_i;
        }
        if let Some(value) = self.multipliers.get_mut(second) {
            *value = new_j;
        }
        let (di, dj) = ((new_i - ai) * yi, (new_j - aj) * yj);
        let columns = kernel.row(first).iter().zip(kernel.row(second));
        for ((gradient, sign), (ki, kj)) in self.gradient.iter_mut().zip(self.signs).zip(columns) {
            *gradient += sign * (di * f64::from(*ki) + dj * f64::from(*kj));
        }
    }

    /// The mean over the free multipliers of the required offset; without any, half way between the bounds.
    fn offset(&self) -> f64 {
        let (mut sum, mut free) = (0.0, 0.0);
        let (mut upper, mut lower) = (f64::INFINITY, f64::NEG_INFINITY);
        for (at, (sign, gradient)) in self.signs.iter().zip(&self.gradient).enumerate() {
            let here = sign * gradient;
            match self.freedom(at) {
                (true, true) => {
                    sum += here;
                    free += 1.0;
                }
                (true, false) => upper = upper.min(here),
                (false, true) => lower = lower.max(here),
                (false, false) => {}
            }
        }
        if free > 0.0 {
            sum / free
        } else if upper.is_finite() && lower.is_finite() {
            (upper + lower) / 2.0
        } else {
            0.0
        }
    }
}

/// The stored form.
#[derive(Serialize, Deserialize)]
struct Stored {
    gamma: f64,
    bias: f64,
    coefficients: Vec<f32>,
    lengths: Vec<f32>,
    ends: Vec<u32>,
    entries: Vec<(u32, f32)>,
}

impl From<RbfSvm> for Stored {
    fn from(svm: RbfSvm) -> Stored {
        Stored {
            gamma: svm.gamma,
            bias: svm.bias,
            coefficients: svm.coefficients,
            lengths: svm.lengths,
            ends: svm.ends,
            entries: svm.entries,
        }
    }
}

impl TryFrom<Stored> for RbfSvm {
    type Error = &'static str;

    fn try_from(stored: Stored) -> Result<RbfSvm, &'static str> {
        let finite = stored
            .coefficients
            .iter()
            .chain(&stored.lengths)
            .all(|n| n.is_finite())
            && stored.entries.iter().all(|(_, value)| value.is_finite())
            && stored.bias.is_finite()
            && stored.gamma.is_finite()
            && stored.gamma > 0.0;
        let fitting = stored.coefficients.len() == stored.lengths.len()
            && stored.ends.is_sorted()
            && stored.ends.last().copied().unwrap_or(0) as usize == stored.entries.len();
        (finite && fitting)
            .then_some(RbfSvm {
                gamma: stored.gamma,
                bias: stored.bias,
                coefficients: stored.coefficients,
                lengths: stored.lengths,
                ends: stored.ends,
                entries: stored.entries,
            })
            .ok_or("the support vectors do not match")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rng, SparseVector};

    /// Positive inside a ring.
    fn ring(rows: usize, seed: u64) -> (SparseRows, Vec<bool>) {
        let mut rng = Rng::from_seed(seed);
        let mut labels = Vec::new();
        let mut all = SparseRows::new(2);
        for _ in 0..rows {
            let (x, y) = (rng.fraction() * 4.0 - 2.0, rng.fraction() * 4.0 - 2.0);
            all.push(SparseVector::new(vec![(0, x as f32), (1, y as f32)]).row());
            labels.push(x * x + y * y < 1.5);
        }
        (all, labels)
    }

    #[test]
    fn a_ring_is_learnt_and_new_points_are_classified() {
        let (rows, labels) = ring(300, 1);
        let settings = RbfSettings {
            cost: 10.0,
            gamma: Some(1.0),
            ..RbfSettings::default()
        };
        let svm = RbfSvm::fit(&rows, &labels, &settings).unwrap();
        let (fresh, truth) = ring(300, 2);
        let right = fresh
            .rows()
            .zip(&truth)
            .filter(|(row, label)| (svm.score(*row) > 0.0) == **label)
            .count();
        assert!(right >= 285, "{right}");
        assert!(svm.support_vectors() < 150);
    }

    #[test]
    fn free_support_vectors_lie_on_the_margin() {
        let (rows, labels) = ring(80, 3);
        let settings = RbfSettings {
            cost: 1.0,
            gamma: Some(0.5),
            tolerance: 1e-6,
            ..RbfSettings::default()
        };
        let svm = RbfSvm::fit(&rows, &labels, &settings).unwrap();
        // Σ yα = 0, and every example that is not a support vector has a margin of at least one.
        let sum: f64 = svm.coefficients.iter().map(|c| f64::from(*c)).sum();
        assert!(sum.abs() < 1e-4, "{sum}");
        let margins: Vec<f64> = rows
            .rows()
            .zip(&labels)
            .map(|(row, label)| if *label { svm.score(row) } else { -svm.score(row) })
            .collect();
        let outside = margins.iter().filter(|margin| **margin >= 1.0 - 1e-3).count();
        let on_or_inside = margins.iter().filter(|margin| **margin <= 1.0 + 1e-3).count();
        assert!(outside + svm.support_vectors() >= 80);
        assert!(
            on_or_inside >= svm.support_vectors(),
            "{on_or_inside} {}",
            svm.support_vectors()
        );
    }
}
