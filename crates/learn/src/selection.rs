//! Which features distinguish the classes, judged by the documents that contain them.
//!
//! Both measures use a table of four counts: documents with and without the feature, in either class. How often a
//! document contains it does not matter.

use crate::fault::check_labels;
use crate::{LearnFault, SparseRows};

/// The χ² statistic of each feature against the class; 0 for a feature that no document, or every document, contains.
pub fn chi_square(rows: &SparseRows, labels: &[bool]) -> Result<Vec<f64>, LearnFault> {
    score(rows, labels, |[[a, b], [c, d]]| {
        let total = a + b + c + d;
        let margins = (a + b) * (c + d) * (a + c) * (b + d);
        if margins == 0.0 {
            return 0.0;
        }
        total * (a * d - b * c).powi(2) / margins
    })
}

/// How many nats of information about the class it gives to know whether a document contains the feature.
pub fn information_gain(rows: &SparseRows, labels: &[bool]) -> Result<Vec<f64>, LearnFault> {
    score(rows, labels, |table| {
        let total: f64 = table.iter().flatten().sum();
        let [[a, b], [c, d]] = table;
        let mut gain = 0.0;
        for (both, one, other) in [
            (a, a + b, a + c),
            (b, a + b, b + d),
            (c, c + d, a + c),
            (d, c + d, b + d),
        ] {
            if both > 0.0 {
                gain += both / total * (total * both / (one * other)).ln();
            }
        }
        // Rounding may give a value slightly below 0.
        gain.max(0.0)
    })
}

/// The places of the `k` largest scores, ascending. Ties go to the earlier place.
pub fn k_best(scores: &[f64], k: usize) -> Vec<u32> {
    let mut places: Vec<u32> = (0..scores.len() as u32).collect();
    let score = |place: &u32| scores.get(*place as usize).copied().unwrap_or(0.0);
    places.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.cmp(b)));
    places.truncate(k);
    places.sort_unstable();
    places
}

/// Scores each feature by [[with, without] of the positive, [with, without] of the negative].
fn score(
    rows: &SparseRows,
    labels: &[bool],
    measure: impl Fn([[f64; 2]; 2]) -> f64,
) -> Result<Vec<f64>, LearnFault> {
    check_labels(rows.len(), labels)?;
    let mut with = vec![[0_u32; 2]; rows.features()];
    for (row, label) in rows.rows().zip(labels) {
        for (place, value) in row.entries() {
            if let Some(counts) = with.get_mut(place as usize)
                && value != 0.0
            {
                counts[usize::from(!*label)] += 1;
            }
        }
    }
    let positive = labels.iter().filter(|label| **label).count() as f64;
    let negative = labels.len() as f64 - positive;
    Ok(with
        .into_iter()
        .map(|[of_positive, of_negative]| {
            let (a, c) = (f64::from(of_positive), f64::from(of_negative));
            measure([[a, positive - a], [c, negative - c]])
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SparseVector;

    /// Feature 0 marks the class, feature 1 is everywhere, feature 2 is in half of each class, feature 3 nowhere.
    fn example() -> (SparseRows, Vec<bool>) {
        let rows: Vec<SparseVector> = [&[0, 1, 2][..], &[0, 1], &[1, 2], &[1]]
            .iter()
            .map(|places| SparseVector::new(places.iter().map(|place| (*place, 2.0)).collect()))
            .collect();
        (
            SparseRows::of(4, rows.iter().map(SparseVector::row)),
            vec![true, true, false, false],
        )
    }

    #[test]
    fn a_feature_that_marks_the_class_scores_most_and_one_that_says_nothing_0() {
        let (rows, labels) = example();
        assert_eq!(chi_square(&rows, &labels).unwrap(), [4.0, 0.0, 0.0, 0.0]);
        let gain = information_gain(&rows, &labels).unwrap();
        assert!((gain[0] - 2_f64.ln()).abs() < 1e-12);
        assert_eq!(gain[1..], [0.0, 0.0, 0.0]);
    }

    #[test]
    fn of_equal_scores_the_earlier_place_is_taken() {
        assert_eq!(k_best(&[1.0, 3.0, 1.0, 2.0], 3), [0, 1, 3]);
        assert_eq!(k_best(&[1.0], 3), [0]);
    }

    #[test]
    fn one_class_tells_nothing() {
        let (rows, _) = example();
        assert_eq!(chi_square(&rows, &[true; 4]), Err(LearnFault::OneClass));
    }
}
