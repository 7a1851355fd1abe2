//! The one-tailed paired t-test, built on the incomplete beta function.

/// The most steps of the continued fraction. It needs about the square root of the larger parameter.
const STEPS: u32 = 20_000;
/// The continued fraction ends when a step changes it by less than this share.
const ENOUGH: f64 = 1e-15;
/// Replaces zero where the fraction would divide by it.
const TINY: f64 = 1e-300;

/// A one-tailed paired t-test of "ours is larger".
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TTest {
    /// Pairs with both values known.
    pub n: usize,
    /// The mean of ours − theirs.
    pub difference: f64,
    /// Student's t; infinite if every pair differs by exactly the same amount.
    pub t: f64,
    /// The probability of a t at least this large if ours were no better.
    pub p: f64,
}

/// Tests whether ours is larger than theirs, pair by pair. Pairs with an unknown value are left out; there is no test
/// with fewer than two pairs.
pub fn paired_t_test(pairs: &[(f64, f64)]) -> Option<TTest> {
    let differences: Vec<f64> = pairs
        .iter()
        .map(|(ours, theirs)| ours - theirs)
        .filter(|difference| difference.is_finite())
        .collect();
    let n = differences.len();
    if n < 2 {
        return None;
    }
    let difference = super::mean(&differences);
    let error = super::standard_error(&differences);
    let t = if difference == 0.0 {
        0.0
    } else {
        difference / error
    };
    Some(TTest {
        n,
        difference,
        t,
        p: student_upper_tail(t, n as f64 - 1.0),
    })
}

/// P(T ≥ t) for Student's t with `degrees` degrees of freedom; NaN if t is NaN or there are none.
pub fn student_upper_tail(t: f64, degrees: f64) -> f64 {
    if t.is_nan() || degrees.is_nan() || degrees <= 0.0 {
        return f64::NAN;
    }
    if t.is_infinite() {
        return if t > 0.0 { 0.0 } else { 1.0 };
    }
    let tail = 0.5 * incomplete_beta(degrees / 2.0, 0.5, degrees / (degrees + t * t));
    if t < 0.0 { 1.0 - tail } else { tail }
}

/// The regularised incomplete beta function I_x(a, b), for a, b > 0 and x in 0…1; NaN elsewhere.
pub fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if !(a > 0.0 && b > 0.0 && (0.0..=1.0).contains(&x)) {
        return f64::NAN;
    }
    if x == 0.0 || x == 1.0 {
        return x;
    }
    // The fraction converges fast only on this side; the other side is its mirror image.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_fraction(b, a, 1.0 - x);
    }
    beta_fraction(a, b, x)
}

/// x^a (1 − x)^b / (a B(a, b)) · 1 / (1 + d₁/(1 + d₂/(1 + …))), evaluated from the front as a product of ratios of
/// successive convergents.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    let front = a * x.ln() + b * (-x).ln_1p() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) - a.ln();
    let away_from_nought = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut value, mut above, mut below) = (1.0, 1.0, 0.0);
    for step in 0..STEPS {
        let m = f64::from(step / 2);
        let term = if step == 0 {
            1.0
        } else if step % 2 == 0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        below = 1.0 / away_from_nought(1.0 + term * below);
        above = away_from_nought(1.0 + term / above);
        let ratio: f64 = above * below;
        value *= ratio;
        if (ratio - 1.0).abs() < ENOUGH {
            break;
        }
    }
    // The product began at 1 + d₀ with d₀ = 1, which stands for the numerator: value is 1 + fraction.
    front.exp() * (value - 1.0)
}

/// ln Γ(x) for x > 0: Stirling's series, which is exact to double precision from 12 on; smaller x are first shifted
/// up.
fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut walked) = (x, 0.0);
    while x < 12.0 {
        walked += x.ln();
        x += 1.0;
    }
    let square = x * x;
    let series = (1.0 / 12.0
        - (1.0 / 360.0 - (1.0 / 1260.0 - (1.0 / 1680.0 - 1.0 / (1188.0 * square)) / square) / square)
            / square)
        / x;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series - walked
}

/// Holm's correction of p-values for multiple tests. NaN stays NaN and does not count as a test.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<(usize, f64)> = p_values
        .iter()
        .copied()
        .enumerate()
        .filter(|(_, p)| !p.is_nan())
        .collect();
    order.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    let tests = order.len();
    let mut corrected = vec![f64::NAN; p_values.len()];
    let mut floor = 0.0_f64;
    for (rank, (at, p)) in order.into_iter().enumerate() {
        floor = floor.max((p * (tests - rank) as f64).min(1.0));
        if let Some(place) = corrected.get_mut(at) {
            *place = floor;
        }
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn near(ours: f64, known: f64) {
        assert!((ours - known).abs() < 1e-9, "{ours} is not {known}");
    }

    #[test]
    fn the_logarithm_of_gamma_is_that_of_factorials_and_of_the_root_of_pi() {
        near(ln_gamma(1.0), 0.0);
        near(ln_gamma(5.0), 24_f64.ln());
        near(ln_gamma(0.5), PI.sqrt().ln());
        near(ln_gamma(21.0), 2_432_902_008_176_640_000_f64.ln());
    }

    #[test]
    fn the_incomplete_beta_function_agrees_with_its_closed_forms() {
        for x in [0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999] {
            near(incomplete_beta(1.0, 1.0, x), x);
            near(incomplete_beta(3.0, 1.0, x), x.powi(3));
            near(incomplete_beta(1.0, 4.0, x), 1.0 - (1.0 - x).powi(4));
            near(incomplete_beta(0.5, 0.5, x), 2.0 / PI * x.sqrt().asin());
            // a = b = 2: 3x² − 2x³.
            near(incomplete_beta(2.0, 2.0, x), x * x * (3.0 - 2.0 * x));
        }
        assert!(incomplete_beta(0.0, 1.0, 0.5).is_nan());
        assert!(incomplete_beta(1.0, 1.0, 1.5).is_nan());
    }

    #[test]
    fn tails_of_one_two_and_four_degrees_agree_with_their_closed_forms() {
        for t in [-40.0, -2.0, -0.1, 0.0, 0.3, 1.0, 2.5, 12.0, 1000.0] {
            near(student_upper_tail(t, 1.0), 0.5 - f64::atan(t) / PI);
            near(
                student_upper_tail(t, 2.0),
                0.5 - t / (2.0 * f64::sqrt(2.0 + t * t)),
            );
            let s: f64 = t / f64::sqrt(4.0 + t * t);
            near(student_upper_tail(t, 4.0), 0.5 - 0.75 * (s - s.powi(3) / 3.0));
        }
    }

    #[test]
    fn tails_agree_with_the_printed_tables() {
        // Critical values as every statistics book prints them, to six decimals.
        let table = [
            (12.706_205, 1.0, 0.025),
            (2.015_048, 5.0, 0.05),
            (2.228_139, 10.0, 0.025),
            (1.699_127, 29.0, 0.05),
            (2.462_021, 29.0, 0.01),
            (3.373_454, 120.0, 0.000_5),
            (1.644_854, 1e7, 0.05),
        ];
        for (t, degrees, p) in table {
            let ours = student_upper_tail(t, degrees);
            assert!(
                (ours - p).abs() < 1e-6,
                "t {t}, {degrees} degrees: {ours} is not {p}"
            );
        }
    }

    #[test]
    fn the_sleep_data_of_student_give_his_result() {
        // Extra hours of sleep of ten patients under two drugs (Student 1908): t = 4.0621, one-tailed p = 0.001416.
        let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let pairs: Vec<(f64, f64)> = second.into_iter().zip(first).collect();
        let test = paired_t_test(&pairs).unwrap();
        assert_eq!(test.n, 10);
        assert!((test.difference - 1.58).abs() < 1e-12);
        assert!((test.t - 4.062_127_683).abs() < 1e-6, "{}", test.t);
        assert!((test.p - 0.001_416_445).abs() < 1e-6, "{}", test.p);
        let back: Vec<(f64, f64)> = pairs.iter().map(|(a, b)| (*b, *a)).collect();
        assert!((paired_t_test(&back).unwrap().p + test.p - 1.0).abs() < 1e-12);
    }

    #[test]
    fn pairs_without_spread_or_without_number_still_have_an_answer() {
        assert_eq!(paired_t_test(&[(1.0, 0.0)]), None);
        assert_eq!(paired_t_test(&[(1.0, 0.0), (f64::NAN, 0.0)]), None);
        assert_eq!(paired_t_test(&[(1.0, 1.0), (2.0, 2.0)]).unwrap().p, 0.5);
        assert_eq!(paired_t_test(&[(2.0, 1.0), (3.0, 2.0)]).unwrap().p, 0.0);
        assert_eq!(paired_t_test(&[(1.0, 2.0), (2.0, 3.0)]).unwrap().p, 1.0);
    }

    #[test]
    fn holm_multiplies_the_smallest_p_value_by_the_number_of_tests() {
        let corrected = holm(&[0.01, 0.04, f64::NAN, 0.03, 0.005]);
        let known = [0.03, 0.06, f64::NAN, 0.06, 0.02];
        for (ours, known) in corrected.iter().zip(known) {
            assert!(
                (ours - known).abs() < 1e-12 || (ours.is_nan() && known.is_nan()),
                "{corrected:?}"
            );
        }
    }
}
