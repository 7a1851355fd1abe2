//! The cosine between a page and a set of terms, over the terms of the set only.
//!
//! ```text
//! f_i = freq_i / max freq      w_i,page = f_i · idf_i      w_i,set = idf_i
//! sim = Σ w_i,page · w_i,set / (√Σ w_i,page² · √Σ w_i,set²)
//! ```
//!
//! Invariant: finite and within [0, 1]; 0 if no term occurs, or only terms with idf 0.

/// How similar a page is to one set of terms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Similarity {
    /// From 0 to 1.
    pub(crate) value: f64,
    /// max freq · √Σ w_page² · √Σ w_set²: what a term's freq · idf² is divided by to get its share.
    scale: f64,
}

impl Similarity {
    /// From the (count, idf) of the terms found, and √Σ idf² over all terms of the set.
    pub(crate) fn of(found: impl Iterator<Item = (u32, f64)> + Clone, set_norm: f64) -> Similarity {
        let most = f64::from(found.clone().map(|(count, _)| count).max().unwrap_or(0));
        let mut product = 0.0;
        let mut squares = 0.0;
        for (count, idf) in found {
            let weight = f64::from(count) / most * idf;
            product += weight * idf;
            squares += weight * weight;
        }
        let norms = squares.sqrt() * set_norm;
        if norms > 0.0 && norms.is_finite() {
            Similarity {
                value: (product / norms).clamp(0.0, 1.0),
                scale: most * norms,
            }
        } else {
            Similarity {
                value: 0.0,
                scale: f64::INFINITY,
            }
        }
    }

    /// A term's share of the similarity; the shares of all terms found add up to it.
    pub(crate) fn share(&self, count: u32, idf: f64) -> f64 {
        f64::from(count) * idf * idf / self.scale
    }
}

/// The weighted mean of the parts that are present; none if no part is present or all weights are 0.
pub(crate) fn mean(parts: [(f64, Option<f64>); 2]) -> Option<f64> {
    let mut sum = 0.0;
    let mut weights = 0.0;
    for (weight, part) in parts {
        if let Some(part) = part {
            sum += weight * part;
            weights += weight;
        }
    }
    (weights > 0.0).then(|| (sum / weights).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal_terms(found: &[u32], of: usize) -> f64 {
        Similarity::of(found.iter().map(|&count| (count, 1.0)), (of as f64).sqrt()).value
    }

    #[test]
    fn m_of_n_terms_equally_often_give_the_root_of_m_over_n() {
        for n in 1..=20 {
            for m in 0..=n {
                let expected = (m as f64 / n as f64).sqrt();
                assert!(
                    (equal_terms(&vec![3; m], n) - expected).abs() < 1e-12,
                    "{m} of {n}"
                );
            }
        }
        assert_eq!(equal_terms(&[1], 16), 0.25);
    }

    #[test]
    fn a_term_that_drowns_the_others_lowers_the_similarity() {
        // (1 + 0.1)/(√(1 + 0.01)·√2)
        assert!((equal_terms(&[10, 1], 2) - 1.1 / (1.01_f64.sqrt() * 2_f64.sqrt())).abs() < 1e-12);
    }

    #[test]
    fn idf_weighs_both_sides() {
        // w_page = (1·2, 0.5·1), w_set = (2, 1, 3)
        let similarity = Similarity::of([(4, 2.0), (2, 1.0)].into_iter(), 14_f64.sqrt());
        let expected = (4.0 + 0.5) / (4.25_f64.sqrt() * 14_f64.sqrt());
        assert!((similarity.value - expected).abs() < 1e-12);
        let shares = similarity.share(4, 2.0) + similarity.share(2, 1.0);
        assert!((shares - expected).abs() < 1e-12);
    }

    #[test]
    fn terms_that_tell_nothing_give_nothing() {
        let similarity = Similarity::of([(4, 0.0)].into_iter(), 0.0);
        assert_eq!((similarity.value, similarity.share(4, 0.0)), (0.0, 0.0));
    }

    #[test]
    fn a_missing_part_takes_its_weight_along() {
        assert_eq!(mean([(7.0, Some(1.0)), (3.0, Some(0.0))]), Some(0.7));
        assert_eq!(mean([(7.0, None), (3.0, Some(0.5))]), Some(0.5));
        assert_eq!(mean([(7.0, None), (0.0, Some(0.5))]), None);
    }
}
