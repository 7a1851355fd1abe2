//! Logistic regression on few examples with many features, by the products of all pairs of examples.
//!
//! The best weights are a sum of the examples, each with a factor. So it is enough to find the factors, and what that takes of
//! the examples are their products: a table of some hundreds of numbers square, where the examples hold some hundreds of
//! thousands. The steps are those of [`fit_logistic_weighted`](crate::fit_logistic_weighted), taken in a tenth of the time, and
//! the examples that are held out in turn share one table.

use crate::fault::{check_labels, check_positive};
use crate::logistic::log_1p_exp;
use crate::{LearnFault, LinearModel, LogisticSettings, SparseRows};

/// The most steps of conjugate gradients in one Newton step.
const MOST_GRADIENTS: usize = 250;

/// The products of all pairs of examples.
#[derive(Clone, PartialEq, Debug)]
pub struct Gram {
    /// How many examples there are.
    side: usize,
    products: Vec<f32>,
}

/// A model as a sum of examples.
#[derive(Clone, PartialEq, Debug)]
pub struct ExampleSum {
    factors: Vec<f64>,
    bias: f64,
}

impl Gram {
    /// The products of these examples.
    pub fn of(rows: &SparseRows) -> Gram {
        let side = rows.len();
        let mut products = vec![0.0; side * side];
        let mut own = vec![0.0_f64; rows.features()];
        for (at, row) in rows.rows().enumerate() {
            row.add_to(1.0, &mut own);
            for (other, theirs) in rows.rows().enumerate().take(at + 1) {
                let product = theirs.dot(&own) as f32;
                for place in [at * side + other, other * side + at] {
                    if let Some(slot) = products.get_mut(place) {
                        *slot = product;
                    }
                }
            }
            for (place, _) in row.entries() {
                if let Some(value) = own.get_mut(place as usize) {
                    *value = 0.0;
                }
            }
        }
        Gram { side, products }
    }

    /// The products of the same examples with further features, which are multiplied by a factor.
    pub fn with(&self, further: &Gram, factor: f64) -> Gram {
        let factor = (factor * factor) as f32;
        let pairs = self.products.iter().zip(&further.products);
        Gram {
            side: self.side,
            products: pairs.map(|(own, theirs)| own + factor * theirs).collect(),
        }
    }

    fn row(&self, at: usize) -> &[f32] {
        self.products
            .get(at * self.side..(at + 1) * self.side)
            .unwrap_or_default()
    }

    /// The products of some of the examples.
    fn pick(&self, only: &[usize]) -> Gram {
        let picked = only.iter().flat_map(|at| {
            let row = self.row(*at);
            only.iter()
                .map(move |other| row.get(*other).copied().unwrap_or(0.0))
        });
        Gram {
            side: only.len(),
            products: picked.collect(),
        }
    }

    fn times(&self, factors: &[f64]) -> Vec<f64> {
        (0..self.side).map(|at| product(self.row(at), factors)).collect()
    }

    /// Logistic regression on all examples: what [`fit_logistic_weighted`](crate::fit_logistic_weighted) finds.
    pub fn fit(
        &self,
        labels: &[bool],
        weights: &[f64],
        settings: &LogisticSettings,
    ) -> Result<ExampleSum, LearnFault> {
        check_labels(self.side, labels)?;
        check_positive("C", settings.cost)?;
        check_positive("the tolerance", settings.tolerance)?;
        let costs = weights.iter().map(|weight| settings.cost * weight);
        let problem = Problem {
            gram: self,
            examples: labels
                .iter()
                .zip(costs)
                .map(|(label, cost)| (if *label { 1.0 } else { -1.0 }, cost))
                .collect(),
        };
        Ok(problem.solve(settings))
    }

    /// The same on some of the examples; all others are scored by it. Returns the scores of `held`.
    pub fn scores_of_held(
        &self,
        labels: &[bool],
        weights: &[f64],
        settings: &LogisticSettings,
        (train, held): (&[usize], &[usize]),
    ) -> Result<Vec<f64>, LearnFault> {
        let labels: Vec<bool> = train.iter().filter_map(|at| labels.get(*at).copied()).collect();
        let weights: Vec<f64> = train.iter().filter_map(|at| weights.get(*at).copied()).collect();
        let model = self.pick(train).fit(&labels, &weights, settings)?;
        let mut factors = vec![0.0; self.side];
        for (at, factor) in train.iter().zip(&model.factors) {
            if let Some(slot) = factors.get_mut(*at) {
                *slot = *factor;
            }
        }
        let score = |at: &usize| product(self.row(*at), &factors) + model.bias;
        Ok(held.iter().map(score).collect())
    }

    /// The score of each example by a model of all of them.
    pub fn scores(&self, model: &ExampleSum) -> Vec<f64> {
        let scores = self.times(&model.factors);
        scores.into_iter().map(|score| score + model.bias).collect()
    }
}

impl ExampleSum {
    /// The weights of the features, from the examples that the model is a sum of.
    pub fn weights(&self, rows: &SparseRows) -> LinearModel {
        let mut weights = vec![0.0; rows.features()];
        for (row, factor) in rows.rows().zip(&self.factors) {
            row.add_to(*factor, &mut weights);
        }
        LinearModel::new(&weights, self.bias)
    }
}

/// A sum of examples and a bias, with its products with all examples. Two of them are multiplied as the weights they stand for.
#[derive(Clone)]
struct Direction {
    factors: Vec<f64>,
    products: Vec<f64>,
    bias: f64,
}

impl Direction {
    fn zero(side: usize) -> Direction {
        Direction {
            factors: vec![0.0; side],
            products: vec![0.0; side],
            bias: 0.0,
        }
    }

    fn of(factors: Vec<f64>, bias: f64, gram: &Gram) -> Direction {
        Direction {
            products: gram.times(&factors),
            factors,
            bias,
        }
    }

    fn times(&self, other: &Direction) -> f64 {
        dot(&self.factors, &other.products) + self.bias * other.bias
    }

    /// Multiplies this by one factor, and adds another direction multiplied by a second.
    fn combine(&mut self, own: f64, other: &Direction, factor: f64) {
        let combine = |mine: &mut [f64], theirs: &[f64]| {
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                *mine = own * *mine + factor * theirs;
            }
        };
        combine(&mut self.factors, &other.factors);
        combine(&mut self.products, &other.products);
        self.bias = own * self.bias + factor * other.bias;
    }

    fn scores(&self) -> impl Iterator<Item = f64> + '_ {
        self.products.iter().map(|product| product + self.bias)
    }
}

struct Problem<'a> {
    gram: &'a Gram,
    /// The sign and the cost of each example.
    examples: Vec<(f64, f64)>,
}

impl Problem<'_> {
    fn solve(&self, settings: &LogisticSettings) -> ExampleSum {
        let mut model = Direction::zero(self.examples.len());
        let mut loss = self.loss(&model);
        let mut first_slope = None;
        for _ in 0..settings.most_steps {
            let (gradient, curvature) = self.gradient(&model);
            let slope = gradient.times(&gradient).max(0.0).sqrt();
            let first = *first_slope.get_or_insert(slope);
            if slope <= settings.tolerance * first || slope == 0.0 {
                break;
            }
            // Solved more exactly as the end gets closer.
            let forcing = (slope / first).sqrt().clamp(1e-4, 0.1);
            let step = self.newton_step(&gradient, &curvature, forcing);
            let descent = gradient.times(&step);
            let mut length = 1.0;
            let mut moved = false;
            while length > 1e-10 {
                let mut tried = model.clone();
                tried.combine(1.0, &step, length);
                let tried_loss = self.loss(&tried);
                if tried_loss <= loss + 1e-4 * length * descent {
                    (model, loss) = (tried, tried_loss);
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
        ExampleSum {
            factors: model.factors,
            bias: model.bias,
        }
    }

    fn loss(&self, model: &Direction) -> f64 {
        let misses = model.scores().zip(&self.examples);
        let misses: f64 = misses
            .map(|(score, (sign, cost))| cost * log_1p_exp(-sign * score))
            .sum();
        0.5 * dot(&model.factors, &model.products) + misses
    }

    /// The gradient, and each example's share of the curvature.
    fn gradient(&self, model: &Direction) -> (Direction, Vec<f64>) {
        let mut factors = model.factors.clone();
        let mut bias = 0.0;
        let mut curvature = Vec::with_capacity(factors.len());
        let examples = model.scores().zip(&self.examples);
        for (factor, (score, (sign, cost))) in factors.iter_mut().zip(examples) {
            let right = 1.0 / (1.0 + (-sign * score).exp());
            let pull = cost * (right - 1.0) * sign;
            *factor += pull;
            bias += pull;
            curvature.push(cost * right * (1.0 - right));
        }
        (Direction::of(factors, bias, self.gram), curvature)
    }

    /// Solves (curvature) · step = −gradient by conjugate gradients, to within `forcing` of the gradient's length.
    fn newton_step(&self, gradient: &Direction, curvature: &[f64], forcing: f64) -> Direction {
        let mut step = Direction::zero(self.examples.len());
        let mut rest = gradient.clone();
        rest.combine(-1.0, gradient, 0.0);
        let mut direction = rest.clone();
        let mut rest_squared = rest.times(&rest);
        let enough = forcing * rest_squared.max(0.0).sqrt();
        for _ in 0..MOST_GRADIENTS {
            if rest_squared.max(0.0).sqrt() <= enough {
                break;
            }
            let bent = self.bend(&direction, curvature);
            let along = direction.times(&bent);
            if along <= 0.0 {
                break;
            }
            let length = rest_squared / along;
            step.combine(1.0, &direction, length);
            rest.combine(1.0, &bent, -length);
            let next = rest.times(&rest);
            direction.combine(next / rest_squared, &rest, 1.0);
            rest_squared = next;
        }
        step
    }

    /// The matrix of second derivatives times a direction.
    fn bend(&self, direction: &Direction, curvature: &[f64]) -> Direction {
        let pulls = direction
            .scores()
            .zip(curvature)
            .map(|(score, curve)| curve * score);
        let mut bias = 0.0;
        let factors = direction.factors.iter().zip(pulls).map(|(factor, pull)| {
            bias += pull;
            factor + pull
        });
        let factors: Vec<f64> = factors.collect();
        Direction::of(factors, bias, self.gram)
    }
}

/// In eight sums, which the processor adds to at the same time.
fn product(row: &[f32], factors: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (rows, factors) = (row.chunks_exact(8), factors.chunks_exact(8));
    let rest: f64 = rows
        .remainder()
        .iter()
        .zip(factors.remainder())
        .map(|(value, factor)| f64::from(*value) * factor)
        .sum();
    for (row, factors) in rows.zip(factors) {
        for (sum, (value, factor)) in sums.iter_mut().zip(row.iter().zip(factors)) {
            *sum += f64::from(*value) * factor;
        }
    }
    sums.iter().sum::<f64>() + rest
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use scenthound_types::Rng;

    use super::*;
    use crate::{SparseVector, fit_logistic_weighted};

    const SETTINGS: LogisticSettings = LogisticSettings {
        cost: 10.0,
        balance: crate::Balance::AsGiven,
        tolerance: 1e-6,
        most_steps: 60,
    };

    /// Forty examples of six among fifty features; labels follow the first three.
    fn examples() -> (SparseRows, Vec<bool>, Vec<f64>) {
        let mut rng = Rng::for_part(5, 0);
        let mut rows = SparseRows::new(50);
        let mut labels = Vec::new();
        let mut weights = Vec::new();
        for at in 0..40 {
            let is_good = at % 3 == 0;
            let first = if is_good { 0 } else { 3 };
            let mut entries = vec![(first + (rng.fraction() * 3.0) as u32, 0.8)];
            entries.extend(
                (1..6).map(|block| (8 * block + (rng.fraction() * 8.0) as u32, rng.fraction() as f32)),
            );
            rows.push(SparseVector::new(entries).row());
            labels.push(is_good);
            weights.push(0.5 + rng.fraction());
        }
        (rows, labels, weights)
    }

    #[test]
    fn finds_the_weights_that_the_examples_themselves_give() {
        let (rows, labels, weights) = examples();
        let direct = fit_logistic_weighted(&rows, &labels, &weights, &SETTINGS).unwrap();
        let gram = Gram::of(&rows);
        let sum = gram.fit(&labels, &weights, &SETTINGS).unwrap();
        let model = sum.weights(&rows);
        for place in 0..50 {
            assert!(
                (model.weight(place) - direct.weight(place)).abs() < 1e-3,
                "{place}"
            );
        }
        for (row, score) in rows.rows().zip(gram.scores(&sum)) {
            assert!((model.score(row) - score).abs() < 1e-4);
        }
    }

    #[test]
    fn examples_that_are_held_out_are_scored_by_the_others() {
        let (rows, labels, weights) = examples();
        let train: Vec<usize> = (0..30).collect();
        let held: Vec<usize> = (30..40).collect();
        let scores = Gram::of(&rows)
            .scores_of_held(&labels, &weights, &SETTINGS, (&train, &held))
            .unwrap();
        let direct =
            fit_logistic_weighted(&rows.pick(&train), &labels[..30], &weights[..30], &SETTINGS).unwrap();
        for (at, score) in held.iter().zip(scores) {
            assert!((direct.score(rows.row(*at)) - score).abs() < 1e-2);
        }
    }

    #[test]
    fn further_features_count_by_their_factor() {
        let (rows, ..) = examples();
        let halves = |keep: fn(u32) -> bool, factor: f32| {
            let mut picked = SparseRows::new(50);
            for row in rows.rows() {
                let entries = row.entries().filter(|(place, _)| keep(*place));
                let entries = entries.map(|(place, value)| (place, factor * value));
                picked.push(SparseVector::new(entries.collect()).row());
            }
            picked
        };
        let together = Gram::of(&halves(|place| place < 20, 1.0))
            .with(&Gram::of(&halves(|place| place >= 20, 1.0)), 0.5);
        let mut scaled = SparseRows::new(50);
        for (low, high) in halves(|place| place < 20, 1.0)
            .rows()
            .zip(halves(|place| place >= 20, 0.5).rows())
        {
            scaled.push(SparseVector::new(low.entries().chain(high.entries()).collect()).row());
        }
        for (a, b) in together.products.iter().zip(Gram::of(&scaled).products) {
            assert!((a - b).abs() < 1e-5);
        }
    }
}
