//! Puts curves on a common grid and averages them.

use super::Summary;

/// One point of a mean curve.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CurvePoint {
    /// The position on the grid.
    pub x: f64,
    /// The mean there; NaN if no curve has a value.
    pub mean: f64,
    /// The standard error there, if two or more curves have a value.
    pub error: Option<f64>,
    /// How many curves have a value there.
    pub n: usize,
}

/// The value of a curve between its points, whose x must not decrease. Outside its points a curve has no value. If
/// several points share an x, the last counts.
pub fn interpolate(curve: &[(f64, f64)], x: f64) -> Option<f64> {
    let after = curve.partition_point(|(at, _)| *at <= x);
    let &(left, low) = after.checked_sub(1).and_then(|before| curve.get(before))?;
    if left == x {
        return Some(low);
    }
    let &(right, high) = curve.get(after)?;
    Some(low + (high - low) * (x - left) / (right - left))
}

/// The mean of curves at each x of a grid, with its standard error.
pub fn mean_curve(curves: &[Vec<(f64, f64)>], grid: &[f64]) -> Vec<CurvePoint> {
    let mut values = Vec::with_capacity(curves.len());
    grid.iter()
        .map(|&x| {
            values.clear();
            values.extend(curves.iter().filter_map(|curve| interpolate(curve, x)));
            let Summary { n, mean, error } = Summary::of(&values);
            CurvePoint { x, mean, error, n }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_straight_between_its_points_and_nothing_beyond_them() {
        let curve = [(1.0, 10.0), (3.0, 20.0), (3.0, 30.0), (4.0, 0.0)];
        let at = [0.5, 1.0, 2.0, 3.0, 3.5, 4.0, 4.1].map(|x| interpolate(&curve, x));
        assert_eq!(
            at,
            [
                None,
                Some(10.0),
                Some(15.0),
                Some(30.0),
                Some(15.0),
                Some(0.0),
                None
            ]
        );
        assert_eq!(interpolate(&[], 1.0), None);
        assert_eq!(interpolate(&curve, f64::NAN), None);
    }

    #[test]
    fn the_mean_curve_counts_the_curves_that_reach_a_point() {
        let curves = [vec![(0.0, 0.0), (2.0, 2.0)], vec![(0.0, 2.0), (1.0, 3.0)]];
        let mean = mean_curve(&curves, &[0.0, 1.0, 2.0, 3.0]);
        let seen: Vec<_> = mean.iter().map(|p| (p.n, p.mean, p.error)).collect();
        assert_eq!(
            seen[..3],
            [(2, 1.0, Some(1.0)), (2, 2.0, Some(1.0)), (1, 2.0, None)]
        );
        assert!(mean[3].mean.is_nan());
    }
}
