//! How well the judgements of a web's pages agree with their labels.

/// The bins of the calibration error.
const BINS: usize = 15;

/// The figures of one judge on one task.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct JudgeFigures {
    /// Mean precision over the relevant pages, ranked by relevance. Pages of the same relevance share a rank, the last of
    /// theirs, so that their order cannot matter.
    pub average_precision: f64,
    /// F1 of the judge's own verdicts.
    pub f1: f64,
    /// The best F1 that any threshold on the relevance gives.
    pub best_f1: f64,
    /// The first over the second; 1 if both are 0.
    pub f1_ratio: f64,
    /// Expected calibration error: pages are ranked by relevance and divided into fifteen bins of equal size; the difference
    /// between mean relevance and share of relevant pages, averaged over the bins.
    pub calibration_error: f64,
    /// Pages that the judge calls relevant.
    pub called: usize,
    /// Relevant pages.
    pub relevant: usize,
    /// All pages that count.
    pub pages: usize,
}

impl JudgeFigures {
    /// The figures of these pages: relevance, whether the judge calls it relevant, whether it is.
    pub fn of(pages: &[(f64, bool, bool)]) -> JudgeFigures {
        let mut ranked = pages.to_vec();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let relevant = ranked.iter().filter(|(_, _, is_relevant)| *is_relevant).count();
        let called = ranked.iter().filter(|(_, is_called, _)| *is_called).count();
        let right = ranked
            .iter()
            .filter(|(_, is_called, is_relevant)| *is_called && *is_relevant)
            .count();
        let f1 = f1(right, called, relevant);
        let (average_precision, best) = ranking(&ranked, relevant);
        // Verdicts may follow another rule than a threshold on the relevance.
        let best_f1 = best.max(f1);
        JudgeFigures {
            average_precision,
            f1,
            best_f1,
            f1_ratio: if best_f1 > 0.0 { f1 / best_f1 } else { 1.0 },
            calibration_error: calibration_error(&ranked),
            called,
            relevant,
            pages: pages.len(),
        }
    }
}

fn f1(right: usize, called: usize, relevant: usize) -> f64 {
    match called + relevant {
        0 => 0.0,
        both => 2.0 * right as f64 / both as f64,
    }
}

/// Average precision, and the best F1 of any threshold.
fn ranking(ranked: &[(f64, bool, bool)], relevant: usize) -> (f64, f64) {
    let (mut sum, mut best) = (0.0, 0.0_f64);
    let (mut seen, mut hits) = (0, 0);
    for equal in ranked.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        let found = equal.iter().filter(|(_, _, is_relevant)| *is_relevant).count();
        seen += equal.len();
        hits += found;
        sum += found as f64 * hits as f64 / seen as f64;
        best = best.max(f1(hits, seen, relevant));
    }
    (if relevant > 0 { sum / relevant as f64 } else { 0.0 }, best)
}

fn calibration_error(ranked: &[(f64, bool, bool)]) -> f64 {
    let all = ranked.len();
    let error = |bin: usize| {
        let pages = ranked
            .get(bin * all / BINS..(bin + 1) * all / BINS)
            .unwrap_or_default();
        let sum: f64 = pages.iter().map(|(relevance, _, _)| relevance).sum();
        let relevant = pages.iter().filter(|(_, _, is_relevant)| *is_relevant).count();
        (sum - relevant as f64).abs()
    };
    (0..BINS).map(error).sum::<f64>() / all.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn average_precision_and_f1_are_those_of_the_ranking() {
        // Ranked: relevant, not, relevant, not; the judge calls only the first relevant.
        let pages = [
            (0.9, true, true),
            (0.4, false, false),
            (0.3, false, true),
            (0.1, false, false),
        ];
        let figures = JudgeFigures::of(&pages);
        assert!(near(figures.average_precision, (1.0 + 2.0 / 3.0) / 2.0));
        assert!(near(figures.f1, 2.0 / 3.0));
        assert!(near(figures.best_f1, 0.8));
        assert!(near(figures.f1_ratio, 2.0 / 3.0 / 0.8));
        assert_eq!((figures.called, figures.relevant, figures.pages), (1, 2, 4));
    }

    #[test]
    fn the_order_of_equal_pages_does_not_matter() {
        let one = JudgeFigures::of(&[(0.0, false, true), (0.0, false, false), (0.0, false, false)]);
        let other = JudgeFigures::of(&[(0.0, false, false), (0.0, false, false), (0.0, false, true)]);
        assert_eq!(one, other);
        assert!(near(one.average_precision, 1.0 / 3.0));
    }

    #[test]
    fn a_calibrated_judge_has_no_error_and_a_bold_one_has() {
        let pages = |relevance: f64| -> Vec<(f64, bool, bool)> {
            (0..300).map(|page| (relevance, false, page % 10 == 0)).collect()
        };
        assert!(JudgeFigures::of(&pages(0.1)).calibration_error < 1e-9);
        assert!(near(JudgeFigures::of(&pages(0.6)).calibration_error, 0.5));
        assert_eq!(
            JudgeFigures::of(&[]),
            JudgeFigures {
                f1_ratio: 1.0,
                ..JudgeFigures::default()
            }
        );
    }
}
