//! Curves as block characters: relevant pages over pages.

use crate::writing::grouped;

/// The characters for a column filled by this many eighths.
const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Plots (pages, relevant among them) points, with pages on the horizontal and relevant pages on the vertical axis,
/// in about `width` by `height` characters. Points come in order; the curve begins at (0, 0). Without anything to
/// show, the text is empty.
pub fn harvest_curve(points: &[(u64, u32)], width: usize, height: usize) -> String {
    let Some(&(pages, _)) = points.last().filter(|(pages, _)| *pages > 0) else {
        return String::new();
    };
    let most = points
        .iter()
        .map(|(_, relevant)| *relevant)
        .max()
        .unwrap_or(0)
        .max(1);
    let (top, right) = (grouped(&most.to_string()), grouped(&pages.to_string()));
    let margin = top.len();
    let (columns, rows) = (
        width.saturating_sub(margin + 2).clamp(10, 400),
        height.saturating_sub(2).clamp(2, 100),
    );

    let eighths = (rows * 8) as f64;
    let heights: Vec<usize> = (1..=columns)
        .map(|column| {
            let at = pages as f64 * column as f64 / columns as f64;
            (value_at(points, at) / f64::from(most) * eighths).round() as usize
        })
        .collect();

    let mut plot = String::new();
    for row in (0..rows).rev() {
        let label = if row + 1 == rows { top.as_str() } else { "" };
        plot.push_str(&format!("{label:>margin$} │"));
        let line: String = heights
            .iter()
            .map(|height| height.saturating_sub(row * 8).min(8))
            .filter_map(|eighths| BLOCKS.get(eighths))
            .collect();
        plot.push_str(line.trim_end());
        plot.push('\n');
    }
    plot.push_str(&format!("{:>margin$} └{}\n", 0, "─".repeat(columns)));
    let gap = columns.saturating_sub(right.len());
    plot.push_str(&format!(
        "{:>margin$}  0{:>gap$}{right}\n",
        "",
        "pages ",
        gap = gap.saturating_sub(1)
    ));
    plot
}

/// The curve's value between its points.
fn value_at(points: &[(u64, u32)], pages: f64) -> f64 {
    let next = points.partition_point(|(at, _)| (*at as f64) < pages);
    let before = next
        .checked_sub(1)
        .and_then(|last| points.get(last))
        .copied()
        .unwrap_or((0, 0));
    let Some(&after) = points.get(next) else {
        return before.1.into();
    };
    let span = after.0.saturating_sub(before.0) as f64;
    if span <= 0.0 {
        return after.1.into();
    }
    let rise = f64::from(after.1) - f64::from(before.1);
    f64::from(before.1) + rise * (pages - before.0 as f64) / span
}

/// Values as a line of blocks, where `top` is a full one. NaN leaves a gap; a value above zero always shows.
pub fn sparkline(values: &[f64], top: f64) -> String {
    let block = |value: &f64| {
        let eighths = value / top * 8.0;
        let eighths = match eighths {
            nothing if nothing.is_nan() || nothing <= 0.0 => 0,
            some => some.round().clamp(1.0, 8.0) as usize,
        };
        BLOCKS.get(eighths).copied().unwrap_or(' ')
    };
    values.iter().map(block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_harvest_is_a_straight_line() {
        let points: Vec<(u64, u32)> = (1..=1_000).map(|page| (page, page as u32 / 2)).collect();
        let expected = "
500 │            ▂▄▆█
    │        ▂▄▆█████
    │    ▂▄▆█████████
    │▂▄▆█████████████
  0 └────────────────
     0    pages 1,000
";
        // Each of the 16 columns is two eighths of a row higher than the one before.
        let plot = harvest_curve(&points, 21, 6);
        assert_eq!(format!("\n{plot}"), expected, "\n{plot}");
    }

    #[test]
    fn a_curve_of_one_point_or_none_or_nothing_relevant_is_no_trouble() {
        assert_eq!(harvest_curve(&[], 40, 8), "");
        assert_eq!(harvest_curve(&[(0, 0)], 40, 8), "");
        let flat = harvest_curve(&[(5, 0)], 40, 8);
        assert!(!flat.contains(['▁', '█']), "\n{flat}");
        assert!(harvest_curve(&[(1, 1)], 0, 0).contains('█'));
        let huge = harvest_curve(&[(u64::MAX, u32::MAX)], 60, 8);
        assert!(huge.starts_with("4,294,967,295 │"), "\n{huge}");
    }

    #[test]
    fn a_sparkline_has_one_block_a_value() {
        assert_eq!(sparkline(&[0.0, 0.001, 0.5, 1.0, 9.0, f64::NAN], 1.0), " ▁▄██ ");
        assert_eq!(sparkline(&[1.0, 2.0], 0.0), "██");
        assert_eq!(sparkline(&[0.0], 0.0), " ");
    }
}
