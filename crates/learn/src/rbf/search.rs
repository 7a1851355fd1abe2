//! C and γ by cross-validation over a grid.
//!
//! The kernel values of all examples are computed once for each γ and shared by the folds and by all values of C.
//!
//! Deliberately absent: features chosen anew in each fold. A search that must not see the held-out examples at all, as in an
//! estimate of how good a machine is, gets only the others.

use super::{Kernel, RbfSettings, RbfSvm, sign, solve};
use crate::fault::{check_labels, check_positive};
use crate::{BinaryFigures, Folds, LearnFault, SparseRows};

/// The values to try. Of settings that do equally well, the earlier C and the earlier γ win, so list smooth ones first.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RbfGrid<'a> {
    /// Values of C.
    pub costs: &'a [f64],
    /// Values of γ.
    pub gammas: &'a [f64],
    /// How many parts the examples are split into.
    pub folds: usize,
    /// The random seed of the split.
    pub seed: u64,
}

impl RbfSvm {
    /// The settings with the C and the γ that give the best F1 on held-out examples.
    pub fn search(
        rows: &SparseRows,
        labels: &[bool],
        settings: &RbfSettings,
        grid: &RbfGrid<'_>,
    ) -> Result<RbfSettings, LearnFault> {
        check_labels(rows.len(), labels)?;
        let positive = labels.iter().filter(|label| **label).count();
        let least = positive.min(labels.len() - positive);
        let folds = Folds::of_labels(labels, grid.folds.min(least).max(2), grid.seed)?;
        let mut best = (*settings, f64::NEG_INFINITY);
        for gamma in grid.gammas {
            check_positive("γ", *gamma)?;
            let mut kernel = Kernel::new(rows, *gamma);
            (0..rows.len()).for_each(|at| kernel.fetch(at));
            for cost in grid.costs {
                check_positive("C", *cost)?;
                let tried = RbfSettings {
                    cost: *cost,
                    gamma: Some(*gamma),
                    ..*settings
                };
                let scores = folds.held_out(|train, held| {
                    Ok::<_, LearnFault>(held_out_scores(&mut kernel, labels, train, held, &tried))
                })?;
                let verdicts: Vec<bool> = scores.iter().map(|score| *score > 0.0).collect();
                let f1 = BinaryFigures::with_verdicts(labels, &scores, &verdicts).f1;
                if f1 > best.1 {
                    best = (tried, f1);
                }
            }
        }
        Ok(best.0)
    }
}

/// Trains on some of the examples and scores others.
fn held_out_scores(
    kernel: &mut Kernel<'_>,
    labels: &[bool],
    train: &[usize],
    held: &[usize],
    settings: &RbfSettings,
) -> Vec<f64> {
    let trained: Vec<bool> = train.iter().filter_map(|at| labels.get(*at).copied()).collect();
    let signs: Vec<f64> = trained.iter().map(|label| sign(*label)).collect();
    // A part without one of the classes cannot be learnt from; its scores say nothing.
    if check_labels(train.len(), &trained).is_err() {
        return vec![0.0; held.len()];
    }
    let solution = solve(&mut kernel.part(train), &trained, &signs, settings);
    held.iter()
        .map(|at| {
            kernel.fetch(*at);
            let row = kernel.row(*at);
            let parts = train.iter().zip(&signs).zip(&solution.multipliers);
            let sum: f64 = parts
                .map(|((other, sign), multiplier)| {
                    multiplier * sign * row.get(*other).copied().map_or(0.0, f64::from)
                })
                .sum();
            sum + solution.bias
        })
        .collect()
}

impl<'a> Kernel<'a> {
    /// The kernel among some of the rows, by their places.
    fn part(&mut self, places: &[usize]) -> Kernel<'a> {
        let mut kept = Vec::with_capacity(places.len());
        for place in places {
            self.fetch(*place);
            let row = self.row(*place);
            kept.push(Some(
                places
                    .iter()
                    .map(|other| row.get(*other).copied().unwrap_or(0.0))
                    .collect(),
            ));
        }
        Kernel {
            rows: self.rows,
            gamma: self.gamma,
            lengths: Vec::new(),
            kept,
            ages: std::collections::VecDeque::new(),
            most: usize::MAX,
            full: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rng, SparseVector};

    /// A board of squares: positive where both coordinates fall into squares of the same colour.
    fn board(rows: usize, seed: u64) -> (SparseRows, Vec<bool>) {
        let mut rng = Rng::from_seed(seed);
        let mut labels = Vec::new();
        let mut all = SparseRows::new(2);
        for _ in 0..rows {
            let (x, y) = (rng.fraction() * 4.0, rng.fraction() * 4.0);
            all.push(SparseVector::new(vec![(0, x as f32), (1, y as f32)]).row());
            labels.push((x as u32 + y as u32).is_multiple_of(2));
        }
        (all, labels)
    }

    #[test]
    fn a_fine_pattern_needs_a_large_gamma_and_the_search_finds_it() {
        let (rows, labels) = board(160, 1);
        let grid = RbfGrid {
            costs: &[0.1, 10.0],
            gammas: &[0.001, 4.0],
            folds: 4,
            seed: 1,
        };
        let found = RbfSvm::search(&rows, &labels, &RbfSettings::default(), &grid).unwrap();
        assert_eq!((found.cost, found.gamma), (10.0, Some(4.0)));
        let (fresh, truth) = board(200, 2);
        let svm = RbfSvm::fit(&rows, &labels, &found).unwrap();
        let right = fresh
            .rows()
            .zip(&truth)
            .filter(|(row, label)| (svm.score(*row) > 0.0) == **label)
            .count();
        assert!(right >= 150, "{right}");
    }

    #[test]
    fn scores_from_shared_kernel_values_are_those_of_a_machine_trained_alone() {
        let (rows, labels) = board(40, 3);
        let train: Vec<usize> = (0..30).collect();
        let held: Vec<usize> = (30..40).collect();
        let settings = RbfSettings {
            cost: 3.0,
            gamma: Some(1.0),
            tolerance: 1e-6,
            ..RbfSettings::default()
        };
        let shared = held_out_scores(&mut Kernel::new(&rows, 1.0), &labels, &train, &held, &settings);
        let alone = SparseRows::of(2, train.iter().map(|at| rows.row(*at)));
        let svm = RbfSvm::fit(&alone, &labels[..30], &settings).unwrap();
        for (at, score) in held.iter().zip(shared) {
            assert!((svm.score(rows.row(*at)) - score).abs() < 1e-3, "{at}");
        }
    }

    #[test]
    fn bad_values_are_refused() {
        let (rows, labels) = board(20, 1);
        let grid = RbfGrid {
            costs: &[0.0],
            gammas: &[1.0],
            folds: 2,
            seed: 1,
        };
        assert!(RbfSvm::search(&rows, &labels, &RbfSettings::default(), &grid).is_err());
    }
}
