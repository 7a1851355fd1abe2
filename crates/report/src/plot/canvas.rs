//! The canvas a chart is drawn on: frame, grid, ticks, titles and legend, placed by estimated text widths.
//!
//! Text cannot be measured before the font is known. Estimates are generous and long names are cut, with the full
//! name in a hover title, so that nothing overlaps its neighbour or leaves the canvas.

use unicode_width::UnicodeWidthStr;

use super::palette::{INK, Look};
use crate::writing::{cut, escape, fixed, plain};

/// The canvas's width; its height follows from its contents.
pub const WIDTH: f64 = 640.0;
const PLOT_HEIGHT: f64 = 260.0;
const TEXT: f64 = 13.0;
const TOP: f64 = 34.0;
const RIGHT: f64 = 18.0;
/// Names in legends are cut to this many columns.
const NAME: usize = 42;

/// A coordinate: one decimal is a tenth of a pixel.
pub fn place(value: f64) -> String {
    let tenth = (value * 10.0).round() / 10.0;
    if tenth == 0.0 {
        "0".to_owned()
    } else {
        format!("{tenth}")
    }
}

/// Roughly how wide a text is.
pub fn text_width(text: &str) -> f64 {
    text.width() as f64 * TEXT * 0.58
}

/// A number in a hover title, with four significant digits.
pub fn brief(value: f64) -> String {
    let size = value.abs();
    let decimals = match size {
        size if size >= 1000.0 => 0,
        size if size >= 100.0 => 1,
        size if size >= 10.0 => 2,
        size if size >= 1.0 || size == 0.0 => 3,
        _ => 4,
    };
    let shown = fixed(value, decimals);
    match shown.contains('.') {
        true => shown.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => shown,
    }
}

/// A label below the horizontal axis: its position and its text.
pub struct BottomLabel {
    pub share: f64,
    pub text: String,
}

/// How labels below the horizontal axis are set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slant {
    Level,
    Slanted,
}

/// One entry of the legend.
pub struct Key {
    pub name: String,
    pub look: Look,
}

/// What the entry shows beside the name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Swatch {
    Line,
    Block,
}

/// The canvas, with the frame drawn.
pub struct Canvas {
    pub left: f64,
    pub width: f64,
    /// The drawing so far.
    pub svg: String,
    below: f64,
}

impl Canvas {
    pub const TOP: f64 = TOP;
    pub const HEIGHT: f64 = PLOT_HEIGHT;

    /// A canvas with grid, ticks and titles. `rows` are the ticks of the vertical axis, positioned by their share of
    /// its height.
    pub fn new(
        title: &str,
        x_title: &str,
        y_title: &str,
        rows: &[(f64, String)],
        labels: &[BottomLabel],
        slant: Slant,
    ) -> Canvas {
        let widest = rows
            .iter()
            .map(|(_, label)| text_width(label))
            .fold(0.0, f64::max);
        // Slanted labels extend to the left of their position; the first must not leave the canvas.
        let reach = match slant {
            Slant::Level => 0.0,
            Slant::Slanted => {
                labels
                    .iter()
                    .map(|label| text_width(&label.text) * 0.82)
                    .fold(0.0, f64::max)
                    - 40.0
            }
        };
        let left = (widest + 38.0).max(reach).min(WIDTH * 0.4);
        let width = WIDTH - RIGHT - left;
        let mut canvas = Canvas {
            left,
            width,
            svg: String::new(),
            below: TOP + PLOT_HEIGHT,
        };
        canvas.grid(rows);
        canvas.svg.push_str(&format!(
            "<g class=\"ink\" fill=\"{INK}\" stroke=\"none\" font-family=\"system-ui,sans-serif\" font-size=\"{TEXT}\">"
        ));
        canvas.text(WIDTH / 2.0, 18.0, "middle\" font-weight=\"600", title, 72);
        for (share, label) in rows {
            let y = canvas.y(*share) + TEXT * 0.35;
            canvas.text(left - 8.0, y, "end", label, 20);
        }
        canvas.bottom(labels, slant);
        if !x_title.is_empty() {
            canvas.below += 20.0;
            canvas.text(left + width / 2.0, canvas.below, "middle", x_title, 72);
        }
        let middle = TOP + PLOT_HEIGHT / 2.0;
        canvas.svg.push_str(&format!(
            "<text text-anchor=\"middle\" transform=\"translate(15 {}) rotate(-90)\">{}</text></g>",
            place(middle),
            escape(&cut(&plain(y_title), 36))
        ));
        canvas
    }

    /// The position of a share of the horizontal axis.
    pub fn x(&self, share: f64) -> f64 {
        self.left + self.width * share
    }

    /// The position of a share of the vertical axis, which grows upwards.
    pub fn y(&self, share: f64) -> f64 {
        TOP + PLOT_HEIGHT * (1.0 - share)
    }

    fn grid(&mut self, rows: &[(f64, String)]) {
        let (left, right) = (place(self.left), place(self.left + self.width));
        let mut lines = String::new();
        for (share, _) in rows {
            let y = place(self.y(*share));
            lines.push_str(&format!("M{left} {y}H{right}"));
        }
        self.svg.push_str(&format!(
            "<path class=\"grid\" d=\"{lines}\" fill=\"none\" stroke=\"{INK}\" stroke-opacity=\".25\"/>"
        ));
        self.svg.push_str(&format!(
            "<path class=\"axis\" d=\"M{left} {}V{bottom}H{right}\" fill=\"none\" stroke=\"{INK}\"/>",
            place(TOP),
            bottom = place(TOP + PLOT_HEIGHT)
        ));
    }

    fn text(&mut self, x: f64, y: f64, anchor: &str, text: &str, places: usize) {
        let text = plain(text);
        let shown = cut(&text, places);
        let whole = if shown == text {
            String::new()
        } else {
            format!("<title>{}</title>", escape(&text))
        };
        self.svg.push_str(&format!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\">{whole}{}</text>",
            place(x),
            place(y),
            escape(&shown)
        ));
    }

    fn bottom(&mut self, labels: &[BottomLabel], slant: Slant) {
        let base = TOP + PLOT_HEIGHT;
        let mut taken = f64::NEG_INFINITY;
        let mut deepest: f64 = 18.0;
        for label in labels {
            let x = self.x(label.share);
            match slant {
                Slant::Level => {
                    let half = text_width(&label.text) / 2.0;
                    // A label that would overlap the one before it is left out; its tick stays.
                    if x - half < taken {
                        continue;
                    }
                    taken = x + half + 6.0;
                    let x = x.min(WIDTH - half);
                    self.text(x, base + 18.0, "middle", &label.text, 40);
                }
                Slant::Slanted => {
                    deepest = deepest.max(14.0 + text_width(&label.text) * 0.56);
                    self.svg.push_str(&format!(
                        "<text text-anchor=\"end\" transform=\"translate({} {}) rotate(-35)\">{}</text>",
                        place(x + 4.0),
                        place(base + 15.0),
                        escape(&label.text)
                    ));
                }
            }
        }
        self.below = base + if labels.is_empty() { 4.0 } else { deepest };
    }

    /// Adds the legend below everything and closes the drawing.
    pub fn finish(mut self, title: &str, description: &str, keys: &[Key], swatch: Swatch) -> String {
        let (mut x, mut y) = (14.0, self.below + 24.0);
        let begin = x;
        for key in keys {
            let name = plain(&key.name);
            let shown = cut(&name, NAME);
            let needs = 34.0 + text_width(&shown) + 16.0;
            if x > begin && x + needs > WIDTH {
                (x, y) = (begin, y + 20.0);
            }
            self.key(x, y, key.look, &name, &shown, swatch);
            x += needs;
        }
        let height = if keys.is_empty() {
            self.below + 12.0
        } else {
            y + 12.0
        };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" aria-label=\"{label}\" \
             width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\">\
             <title>{label}</title><desc>{}</desc>{}</svg>",
            escape(description),
            self.svg,
            label = escape(title),
            height = place(height.ceil()),
        )
    }

    fn key(&mut self, x: f64, y: f64, look: Look, name: &str, shown: &str, swatch: Swatch) {
        let (class, colour) = (look.class(), look.colour());
        let sign = match swatch {
            Swatch::Line => format!(
                "<path d=\"M{} {}h28\" fill=\"none\" stroke-width=\"2\"{}/><path stroke=\"none\" d=\"{}\"/>",
                place(x),
                place(y - 4.5),
                dashes(look),
                match look {
                    Look::Contender(_) => look.mark(x + 14.0, y - 4.5, 3.0),
                    Look::Bound(_) => String::new(),
                }
            ),
            Swatch::Block => {
                format!(
                    "<path stroke=\"none\" fill-opacity=\"{}\" d=\"M{} {}h22v11h-22z\"/>",
                    look.opacity(),
                    place(x + 4.0),
                    place(y - 10.0)
                )
            }
        };
        self.svg.push_str(&format!(
            "<g class=\"{class}\" stroke=\"{colour}\" fill=\"{colour}\"><title>{}</title>{sign}</g>",
            escape(name)
        ));
        self.svg.push_str(&format!(
            "<text class=\"ink\" fill=\"{INK}\" font-family=\"system-ui,sans-serif\" font-size=\"{TEXT}\" x=\"{}\" y=\"{}\">{}</text>",
            place(x + 34.0),
            place(y),
            escape(shown)
        ));
    }
}

/// The attribute that dashes a line, or nothing.
pub fn dashes(look: Look) -> String {
    match look.dashes() {
        "" => String::new(),
        pattern => format!(" stroke-dasharray=\"{pattern}\""),
    }
}
