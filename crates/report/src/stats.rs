//! Means, errors, paired tests and mean curves.
//!
//! Sums run in the order of the input, so a figure is the same in every run. A value that is not finite counts as
//! unknown and is left out. Deliberately absent: resampling, and any test that needs random numbers.

mod curve;
mod student;

pub use curve::{CurvePoint, interpolate, mean_curve};
pub use student::{TTest, holm, incomplete_beta, paired_t_test, student_upper_tail};

/// Values closer than this count as equal: sums in a different order differ by less.
const SAME: f64 = 1e-9;

/// The mean of the finite values; NaN if there are none.
pub fn mean(values: &[f64]) -> f64 {
    let (n, sum) = finite(values).fold((0_u32, 0.0), |(n, sum), value| (n + 1, sum + value));
    sum / f64::from(n)
}

/// The sample standard deviation (divisor n − 1) of the finite values; NaN if there are fewer than two.
pub fn standard_deviation(values: &[f64]) -> f64 {
    let n = finite(values).count();
    if n < 2 {
        return f64::NAN;
    }
    let centre = mean(values);
    let squares: f64 = finite(values).map(|value| (value - centre).powi(2)).sum();
    (squares / (n as f64 - 1.0)).sqrt()
}

/// The standard error of the mean of the finite values; NaN if there are fewer than two.
pub fn standard_error(values: &[f64]) -> f64 {
    standard_deviation(values) / (finite(values).count() as f64).sqrt()
}

fn finite(values: &[f64]) -> impl Iterator<Item = f64> + '_ {
    values.iter().copied().filter(|value| value.is_finite())
}

/// A mean and its uncertainty.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Summary {
    /// How many values were known.
    pub n: usize,
    /// Their mean; NaN if there are none.
    pub mean: f64,
    /// Their standard error, if there are two or more.
    pub error: Option<f64>,
}

impl Summary {
    /// The summary of the finite values among these.
    pub fn of(values: &[f64]) -> Summary {
        Summary {
            n: finite(values).count(),
            mean: mean(values),
            error: Some(standard_error(values)).filter(|error| error.is_finite()),
        }
    }
}

/// How often one of two was ahead.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct WinLoss {
    /// Ahead.
    pub wins: u32,
    /// Equal.
    pub ties: u32,
    /// Behind.
    pub losses: u32,
}

/// Counts the pairs (ours, theirs) in which ours is larger, equal or smaller. Pairs with an unknown value do not
/// count.
pub fn win_loss(pairs: &[(f64, f64)]) -> WinLoss {
    let mut score = WinLoss::default();
    for (ours, theirs) in pairs {
        let ahead = ours - theirs;
        if !ahead.is_finite() {
            continue;
        }
        if ahead.abs() <= SAME {
            score.ties += 1;
        } else if ahead > 0.0 {
            score.wins += 1;
        } else {
            score.losses += 1;
        }
    }
    score
}

/// Scores many contenders on one task: alone at the top is a win, sharing the top is a tie, anything else is a loss.
/// A task on which fewer than two have a value says nothing and gives no points.
pub fn score_task(values: &[Option<f64>]) -> Vec<WinLoss> {
    let known = |value: &Option<f64>| value.filter(|value| value.is_finite());
    let best = values.iter().filter_map(known).fold(f64::NEG_INFINITY, f64::max);
    let at_top = |value: f64| best - value <= SAME;
    let contest = values.iter().filter_map(known).count() > 1;
    let top = values
        .iter()
        .filter_map(known)
        .filter(|value| at_top(*value))
        .count();
    values
        .iter()
        .map(|value| {
            let mut score = WinLoss::default();
            match known(value) {
                Some(value) if contest => match (at_top(value), top) {
                    (true, 1) => score.wins = 1,
                    (true, _) => score.ties = 1,
                    (false, _) => score.losses = 1,
                },
                _ => {}
            }
            score
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_and_errors_of_eight_numbers_are_as_by_hand() {
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert_eq!(mean(&values), 5.0);
        // 32 / 7 is the variance.
        assert!((standard_deviation(&values) - 2.138_089_935_299_395).abs() < 1e-12);
        assert!((standard_error(&values) - 0.755_928_946_018_454_4).abs() < 1e-12);
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        assert!(mean(&[]).is_nan());
        assert!(standard_deviation(&[1.0]).is_nan());
        let summary = Summary::of(&[1.0, f64::NAN, 3.0, f64::INFINITY]);
        assert_eq!((summary.n, summary.mean, summary.error), (2, 2.0, Some(1.0)));
        assert_eq!(Summary::of(&[4.0]).error, None);
    }

    #[test]
    fn a_shared_first_place_is_a_tie_and_a_lone_runner_wins_nothing() {
        let points = |values: &[Option<f64>]| {
            score_task(values)
                .iter()
                .map(|s| (s.wins, s.ties, s.losses))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            points(&[Some(0.5), Some(0.7), None]),
            [(0, 0, 1), (1, 0, 0), (0, 0, 0)]
        );
        assert_eq!(
            points(&[Some(0.7), Some(0.7), Some(0.1)]),
            [(0, 1, 0), (0, 1, 0), (0, 0, 1)]
        );
        assert_eq!(points(&[Some(0.7), None]), [(0, 0, 0), (0, 0, 0)]);
        assert_eq!(
            win_loss(&[(2.0, 1.0), (1.0, 1.0 + 1e-12), (0.0, 1.0), (f64::NAN, 0.0)]),
            WinLoss {
                wins: 1,
                ties: 1,
                losses: 1
            }
        );
    }
}
