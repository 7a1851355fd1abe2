//! Colours that the colour-blind can distinguish, with dashes and marks for readers or printers without colour.
//!
//! Neighbours in the list differ in lightness as well as in hue. After eight series the colours repeat with other
//! dashes; only the thirty-third series looks like the first.

/// The colours of series on white; a page has its own for dark mode.
pub const COLOURS: [&str; 8] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999933", "#555555",
];
/// For everything but text and series: readable on white and on black.
pub const INK: &str = "#767676";

const DASHES: [&str; 4] = ["", "7 3", "2.5 2.5", "9 3 2.5 3"];
const BOUND_DASHES: [&str; 3] = ["5 4", "1.5 3.5", "8 3 1.5 3"];

/// How a series looks. The number stays with what the series shows, so that it looks the same in every chart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// A contender.
    Contender(usize),
    /// A bound, for reference: grey and dashed.
    Bound(usize),
}

impl Look {
    /// The CSS class by which a page colours it.
    pub fn class(self) -> String {
        match self {
            Look::Contender(number) => format!("c{}", number % COLOURS.len()),
            Look::Bound(_) => "bound".to_owned(),
        }
    }

    /// Its colour if no page sets one.
    pub fn colour(self) -> &'static str {
        match self {
            Look::Contender(number) => COLOURS.get(number % COLOURS.len()).copied().unwrap_or(INK),
            Look::Bound(_) => INK,
        }
    }

    /// Its dashes; empty for a solid line.
    pub fn dashes(self) -> &'static str {
        let (list, at): (&[&'static str], usize) = match self {
            Look::Contender(number) => (&DASHES, number % 4 + number / COLOURS.len()),
            Look::Bound(number) => (&BOUND_DASHES, number),
        };
        list.get(at % list.len()).copied().unwrap_or_default()
    }

    /// The opacity of its bars, which distinguishes the greys of two bounds.
    pub fn opacity(self) -> &'static str {
        match self {
            Look::Bound(number) if number % 2 == 1 => ".4",
            _ => ".85",
        }
    }

    /// The outline of its mark around a point, as a path.
    pub fn mark(self, x: f64, y: f64, r: f64) -> String {
        let number = match self {
            Look::Contender(number) => number,
            Look::Bound(number) => number + 1,
        };
        let p = super::canvas::place;
        match number % 4 {
            0 => format!(
                "M{} {}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0z",
                p(x - r),
                p(y),
                d = p(2.0 * r),
                r = p(r)
            ),
            1 => format!("M{} {}h{d}v{d}h-{d}z", p(x - r), p(y - r), d = p(2.0 * r)),
            2 => format!(
                "M{} {}L{} {}L{} {}z",
                p(x),
                p(y - r - 1.0),
                p(x + r + 1.0),
                p(y + r),
                p(x - r - 1.0),
                p(y + r)
            ),
            _ => format!(
                "M{} {}L{} {}L{} {}L{} {}z",
                p(x),
                p(y - r - 1.0),
                p(x + r + 1.0),
                p(y),
                p(x),
                p(y + r + 1.0),
                p(x - r - 1.0),
                p(y)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn thirty_two_series_look_different() {
        let looks: BTreeSet<_> = (0..32)
            .map(Look::Contender)
            .map(|look| (look.colour(), look.dashes()))
            .collect();
        assert_eq!(looks.len(), 32);
    }
}
