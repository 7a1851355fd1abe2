//! Multinomial naive Bayes.
//!
//! The score is the log odds, so 1/(1 + e^−score) is the posterior. On long documents that is nearly always 0 or 1,
//! because words are assumed to be independent; calibrate it where you need a ranking or a probability.

use crate::fault::{check_labels, check_positive};
use crate::{LearnFault, LinearModel, SparseRows};

/// How naive Bayes is trained.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BayesSettings {
    /// Added to every feature's count, so that one unseen word decides nothing.
    pub smoothing: f64,
    /// Whether the classes' shares of the examples count. They mean little when examples were picked by hand.
    pub prior: BayesPrior,
}

/// What is assumed before a document is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BayesPrior {
    /// Each class's share of the training examples.
    Learnt,
    /// Both classes are equally likely.
    Even,
}

impl Default for BayesSettings {
    fn default() -> BayesSettings {
        BayesSettings {
            smoothing: 1.0,
            prior: BayesPrior::Learnt,
        }
    }
}

/// Trains on counts, or on weights used as counts. Values below 0 count as 0.
pub fn fit_bayes(
    rows: &SparseRows,
    labels: &[bool],
    settings: &BayesSettings,
) -> Result<LinearModel, LearnFault> {
    check_labels(rows.len(), labels)?;
    check_positive("smoothing", settings.smoothing)?;
    let mut sums = vec![[0.0_f64; 2]; rows.features()];
    for (row, label) in rows.rows().zip(labels) {
        for (place, value) in row.entries() {
            if let Some(sum) = sums.get_mut(place as usize) {
                sum[usize::from(*label)] += f64::from(value.max(0.0));
            }
        }
    }
    let mut totals = [settings.smoothing * rows.features() as f64; 2];
    for [negative, positive] in &sums {
        totals[0] += negative;
        totals[1] += positive;
    }
    let totals_apart = (totals[0] / totals[1]).ln();
    let weights: Vec<f64> = sums
        .iter()
        .map(|[negative, positive]| {
            ((positive + settings.smoothing) / (negative + settings.smoothing)).ln() + totals_apart
        })
        .collect();
    let positive = labels.iter().filter(|label| **label).count() as f64;
    let bias = match settings.prior {
        BayesPrior::Learnt => (positive / (labels.len() as f64 - positive)).ln(),
        BayesPrior::Even => 0.0,
    };
    // No features at all: only the prior is left.
    Ok(LinearModel::new(&weights, bias))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SparseVector;

    #[test]
    fn the_score_is_the_log_odds_computed_by_hand() {
        // positive: a a b; negative: b c. With 1 added: P(a|+) = 3/6, P(a|−) = 1/5.
        let positive = SparseVector::new(vec![(0, 2.0), (1, 1.0)]);
        let negative = SparseVector::new(vec![(1, 1.0), (2, 1.0)]);
        let rows = SparseRows::of(3, [positive.row(), negative.row()]);
        let model = fit_bayes(&rows, &[true, false], &BayesSettings::default()).unwrap();
        let a = SparseVector::new(vec![(0, 1.0)]);
        let expected = ((3.0 / 6.0_f64) / (1.0 / 5.0)).ln();
        assert!((model.score(a.row()) - expected).abs() < 1e-6);
        assert_eq!(model.score(SparseVector::default().row()), 0.0);
    }

    #[test]
    fn no_smoothing_is_refused() {
        let rows = SparseRows::of(1, [SparseVector::default().row(), SparseVector::default().row()]);
        let settings = BayesSettings {
            smoothing: 0.0,
            ..BayesSettings::default()
        };
        assert!(matches!(
            fit_bayes(&rows, &[true, false], &settings),
            Err(LearnFault::Setting { .. })
        ));
    }
}
