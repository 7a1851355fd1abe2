//! Small charts as SVG: lines with spread, and grouped bars with error bars.
//!
//! A chart is data; [`Chart::svg`] draws it. The drawing's own colours are fallbacks that are readable on white and
//! on black, and every part has a class through which [a page](crate::page) applies its theme. Values that are not
//! finite, or too large to draw, leave a gap and never reach the drawing.
//!
//! Deliberately absent: scripts, ids (many charts share a page), fonts, and any layout that depends on a browser.

mod bars;
mod canvas;
mod lines;
mod palette;
mod scale;

pub use bars::{Bar, BarChart, BarSeries};
pub use lines::{Guide, LineChart, Point, Series, Spread};
pub use palette::{COLOURS, Look};
pub use scale::{Axis, Scale, ticks};

/// Any chart.
#[derive(Clone, PartialEq, Debug)]
pub enum Chart {
    /// Lines over numbers.
    Lines(LineChart),
    /// Bars over names.
    Bars(BarChart),
}

impl Chart {
    /// What it shows, in a few words.
    pub fn title(&self) -> &str {
        match self {
            Chart::Lines(chart) => &chart.title,
            Chart::Bars(chart) => &chart.title,
        }
    }

    /// The drawing: one `<svg>` element that works alone or in a page.
    pub fn svg(&self) -> String {
        match self {
            Chart::Lines(chart) => lines::draw(chart),
            Chart::Bars(chart) => bars::draw(chart),
        }
    }
}

impl From<LineChart> for Chart {
    fn from(chart: LineChart) -> Chart {
        Chart::Lines(chart)
    }
}

impl From<BarChart> for Chart {
    fn from(chart: BarChart) -> Chart {
        Chart::Bars(chart)
    }
}
