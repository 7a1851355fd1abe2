//! How good a classifier is, in numbers.
//!
//! Invariant: each figure is a pure function of truth and answers. Equal scores count half in the area under the
//! curve, so a meaningless order gets one half.

use serde::Serialize;

/// How often each class was predicted as which.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Confusion {
    /// Positive, and predicted positive.
    pub true_positive: usize,
    /// Negative, but predicted positive.
    pub false_positive: usize,
    /// Negative, and predicted negative.
    pub true_negative: usize,
    /// Positive, but predicted negative.
    pub false_negative: usize,
}

/// The figures of a binary classifier.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BinaryFigures {
    /// The confusion matrix.
    pub confusion: Confusion,
    /// Share of correct answers.
    pub accuracy: f64,
    /// The share of predicted positives that are positive; 0 if none was predicted.
    pub precision: f64,
    /// The share of positives that were predicted positive; 0 if there are none.
    pub recall: f64,
    /// Harmonic mean of precision and recall.
    pub f1: f64,
    /// The probability that a positive example scores above a negative one.
    pub auc: f64,
    /// Mean squared difference between probability and truth.
    pub brier: f64,
    /// How often predictions of each probability came true.
    pub reliability: Vec<ReliabilityBin>,
}

impl BinaryFigures {
    /// From the truth and the predicted probabilities. A probability at or above the threshold counts as positive.
    pub fn new(labels: &[bool], probabilities: &[f64], threshold: f64) -> BinaryFigures {
        let verdicts: Vec<bool> = probabilities.iter().map(|p| *p >= threshold).collect();
        BinaryFigures::with_verdicts(labels, probabilities, &verdicts)
    }

    /// The same where the verdict does not follow from the probability alone.
    pub fn with_verdicts(labels: &[bool], probabilities: &[f64], verdicts: &[bool]) -> BinaryFigures {
        let mut confusion = Confusion::default();
        for (label, verdict) in labels.iter().zip(verdicts) {
            *match (label, verdict) {
                (true, true) => &mut confusion.true_positive,
                (false, true) => &mut confusion.false_positive,
                (false, false) => &mut confusion.true_negative,
                (true, false) => &mut confusion.false_negative,
            } += 1;
        }
        let share = |part: usize, whole: usize| {
            if whole == 0 {
                0.0
            } else {
                part as f64 / whole as f64
            }
        };
        let Confusion {
            true_positive,
            false_positive,
            true_negative,
            false_negative,
        } = confusion;
        BinaryFigures {
            confusion,
            accuracy: share(true_positive + true_negative, labels.len()),
            precision: share(true_positive, true_positive + false_positive),
            recall: share(true_positive, true_positive + false_negative),
            f1: share(
                2 * true_positive,
                2 * true_positive + false_positive + false_negative,
            ),
            auc: auc(labels, probabilities),
            brier: brier(labels, probabilities),
            reliability: reliability(labels, probabilities, 10),
        }
    }
}

/// The probability that a positive example scores above a negative one. Equal scores count half; the result is one
/// half if a class is missing.
pub fn auc(labels: &[bool], scores: &[f64]) -> f64 {
    let mut order: Vec<(f64, bool)> = scores.iter().copied().zip(labels.iter().copied()).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut below = 0.0;
    let mut wins = 0.0;
    let mut positives = 0.0;
    // −0 and 0 are the same score.
    for same in order.chunk_by(|a, b| a.0 == b.0) {
        let positive = same.iter().filter(|(_, label)| *label).count() as f64;
        let negative = same.len() as f64 - positive;
        wins += positive * (below + negative / 2.0);
        below += negative;
        positives += positive;
    }
    if positives == 0.0 || below == 0.0 {
        return 0.5;
    }
    wins / (positives * below)
}

/// Mean squared difference between probability and truth; 0 if there are no examples.
pub fn brier(labels: &[bool], probabilities: &[f64]) -> f64 {
    let sum: f64 = labels
        .iter()
        .zip(probabilities)
        .map(|(label, p)| (p - f64::from(u8::from(*label))).powi(2))
        .sum();
    sum / labels.len().max(1) as f64
}

/// The examples whose probability lies in one interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct ReliabilityBin {
    /// Where the interval begins.
    pub from: f64,
    /// Where it ends. The end itself belongs to the next interval, except in the last one.
    pub to: f64,
    /// How many examples lie in it.
    pub count: usize,
    /// Their mean probability.
    pub predicted: f64,
    /// The share of positive ones.
    pub observed: f64,
}

/// Examples by probability, in intervals of equal width; empty ones are left out.
pub fn reliability(labels: &[bool], probabilities: &[f64], bins: usize) -> Vec<ReliabilityBin> {
    let bins = bins.clamp(1, 1000);
    let mut sums = vec![(0_usize, 0.0, 0_usize); bins];
    for (label, p) in labels.iter().zip(probabilities) {
        let bin = ((p * bins as f64) as usize).min(bins - 1);
        if let Some((count, sum, positive)) = sums.get_mut(bin) {
            *count += 1;
            *sum += p;
            *positive += usize::from(*label);
        }
    }
    sums.into_iter()
        .enumerate()
        .filter(|(_, (count, _, _))| *count > 0)
        .map(|(bin, (count, sum, positive))| ReliabilityBin {
            from: bin as f64 / bins as f64,
            to: (bin + 1) as f64 / bins as f64,
            count,
            predicted: sum / count as f64,
            observed: positive as f64 / count as f64,
        })
        .collect()
}

/// The figures of one class among several.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct PerClass {
    /// How many examples belong to it.
    pub count: usize,
    /// The share of examples predicted as this class that belong to it.
    pub precision: f64,
    /// The share of its examples that were predicted as this class.
    pub recall: f64,
    /// Harmonic mean of both.
    pub f1: f64,
}

/// The figures of a classifier with several classes.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ClassFigures {
    /// Share of correct answers.
    pub accuracy: f64,
    /// Mean F1 of the classes that have examples.
    pub macro_f1: f64,
    /// By class.
    pub per_class: Vec<PerClass>,
    /// `confusion[truth][answer]`.
    pub confusion: Vec<Vec<usize>>,
}

impl ClassFigures {
    /// From truth and answers, both below `class_count`; others are left out.
    pub fn new(truth: &[u32], answers: &[u32], class_count: u32) -> ClassFigures {
        let classes = class_count as usize;
        let mut confusion = vec![vec![0_usize; classes]; classes];
        for (truth, answer) in truth.iter().zip(answers) {
            if let Some(cell) = confusion
                .get_mut(*truth as usize)
                .and_then(|row| row.get_mut(*answer as usize))
            {
                *cell += 1;
            }
        }
        let cell = |truth: usize, answer: usize| -> usize {
            confusion
                .get(truth)
                .and_then(|row| row.get(answer))
                .copied()
                .unwrap_or(0)
        };
        let share = |part: usize, whole: usize| {
            if whole == 0 {
                0.0
            } else {
                part as f64 / whole as f64
            }
        };
        let per_class: Vec<PerClass> = (0..classes)
            .map(|class| {
                let right = cell(class, class);
                let count: usize = (0..classes).map(|answer| cell(class, answer)).sum();
                let said: usize = (0..classes).map(|truth| cell(truth, class)).sum();
                PerClass {
                    count,
                    precision: share(right, said),
                    recall: share(right, count),
                    f1: share(2 * right, count + said),
                }
            })
            .collect();
        let right: usize = (0..classes).map(|class| cell(class, class)).sum();
        let counted: usize = per_class.iter().map(|class| class.count).sum();
        let present: Vec<f64> = per_class
            .iter()
            .filter(|class| class.count > 0)
            .map(|class| class.f1)
            .collect();
        ClassFigures {
            accuracy: share(right, counted),
            macro_f1: present.iter().sum::<f64>() / present.len().max(1) as f64,
            per_class,
            confusion,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_are_those_computed_by_hand() {
        let labels = [true, true, true, false, false];
        let given = [0.9, 0.6, 0.2, 0.6, 0.1];
        let figures = BinaryFigures::new(&labels, &given, 0.5);
        assert_eq!(
            figures.confusion,
            Confusion {
                true_positive: 2,
                false_positive: 1,
                true_negative: 1,
                false_negative: 1
            }
        );
        assert!((figures.accuracy - 0.6).abs() < 1e-12);
        assert!((figures.f1 - 2.0 / 3.0).abs() < 1e-12);
        // Of six pairs: 0.9 wins both, 0.6 wins one and ties one, 0.2 wins one.
        assert!((figures.auc - 4.5 / 6.0).abs() < 1e-12);
        assert!((figures.brier - (0.01 + 0.16 + 0.64 + 0.36 + 0.01) / 5.0).abs() < 1e-12);
        let bin = figures.reliability.iter().find(|bin| bin.from == 0.6).unwrap();
        assert_eq!((bin.count, bin.observed), (2, 0.5));
    }

    #[test]
    fn an_order_that_says_nothing_gets_one_half() {
        assert_eq!(auc(&[true, false, true], &[0.3; 3]), 0.5);
        assert_eq!(auc(&[true, true], &[0.1, 0.2]), 0.5);
        assert_eq!(auc(&[], &[]), 0.5);
    }

    #[test]
    fn figures_of_several_classes_count_each_mistake_where_it_belongs() {
        let figures = ClassFigures::new(&[0, 0, 1, 2, 2], &[0, 1, 1, 2, 0], 4);
        assert!((figures.accuracy - 0.6).abs() < 1e-12);
        assert_eq!(figures.confusion[2], [1, 0, 1, 0]);
        assert_eq!(figures.per_class[3].count, 0);
        assert!((figures.per_class[1].precision - 0.5).abs() < 1e-12);
        assert!((figures.macro_f1 - (0.5 + 2.0 / 3.0 + 2.0 / 3.0) / 3.0).abs() < 1e-12);
    }
}
