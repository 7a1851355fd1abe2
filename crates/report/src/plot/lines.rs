//! Line charts: several series over numbers, with their spread.

use super::canvas::{BottomLabel, Canvas, Key, Slant, Swatch, brief, dashes, place, text_width};
use super::palette::{INK, Look};
use super::scale::{Axis, Ends, Span};
use crate::writing::{cut, escape, plain};

/// More points than pixels add nothing visible.
const MOST_POINTS: usize = 1_000;
/// A series with at most this many points has a mark at each.
const MARKED: usize = 25;
/// Roughly how many points of a longer series respond to hovering.
const HOVERED: usize = 20;
/// Error bars are distributed over the points so that at most this many series have one at the same place.
const STAGGER: usize = 4;

/// One point of a series.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// The horizontal value.
    pub x: f64,
    /// The vertical value. One that is not finite interrupts the line.
    pub y: f64,
    /// One standard error, where known.
    pub error: Option<f64>,
}

/// One line.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// How it looks.
    pub look: Look,
    /// Its points, from left to right.
    pub points: Vec<Point>,
}

/// How standard errors are shown.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Spread {
    /// Not at all.
    #[default]
    Hidden,
    /// As a band around the line.
    Band,
    /// As bars at the points.
    Bars,
}

/// A reference line across the whole chart.
#[derive(Clone, PartialEq, Debug)]
pub enum Guide {
    /// Horizontal, at this height.
    Level(f64, String),
    /// Vertical, at this position.
    Upright(f64, String),
}

/// A line chart.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct LineChart {
    /// What it shows, in a few words.
    pub title: String,
    /// The same in a sentence, for screen readers.
    pub description: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The lines.
    pub series: Vec<Series>,
    /// Reference lines.
    pub guides: Vec<Guide>,
    /// How standard errors are shown.
    pub spread: Spread,
}

/// A point with its position on the canvas.
struct Placed {
    x: f64,
    y: f64,
    /// The ends of its standard error on the canvas.
    spread: Option<(f64, f64)>,
    point: Point,
}

pub fn draw(chart: &LineChart) -> String {
    let (mut across, mut up) = (Vec::new(), Vec::new());
    for point in chart.series.iter().flat_map(|series| &series.points) {
        across.push(point.x);
        up.push(point.y);
        if let (Some(error), true) = (point.error, chart.spread != Spread::Hidden) {
            up.extend([point.y - error, point.y + error]);
        }
    }
    for guide in &chart.guides {
        match guide {
            Guide::Level(y, _) => up.push(*y),
            Guide::Upright(x, _) => across.push(*x),
        }
    }
    let x_span = Span::of(&chart.x, across.into_iter(), Ends::AtData, 6);
    let y_span = Span::of(&chart.y, up.into_iter(), Ends::AtTicks, 5);
    let rows: Vec<(f64, String)> = shares(&y_span, 5).collect();
    let labels: Vec<BottomLabel> = shares(&x_span, 6)
        .map(|(share, text)| BottomLabel { share, text })
        .collect();
    let mut canvas = Canvas::new(
        &chart.title,
        &chart.x.title,
        &chart.y.title,
        &rows,
        &labels,
        Slant::Level,
    );
    ticks(&mut canvas, &labels);

    // A nested `<svg>` clips what leaves the frame, without needing an id.
    let (left, top, width, height) = (canvas.left, Canvas::TOP, canvas.width, Canvas::HEIGHT);
    canvas.svg.push_str(&format!(
        "<svg x=\"{l}\" y=\"{t}\" width=\"{w}\" height=\"{h}\" viewBox=\"{l} {t} {w} {h}\">",
        l = place(left - 6.0),
        t = place(top - 6.0),
        w = place(width + 12.0),
        h = place(height + 12.0)
    ));
    for guide in &chart.guides {
        draw_guide(&mut canvas, guide, &x_span, &y_span);
    }
    // Bounds first, so that contenders are drawn on top of them.
    let bounds = chart
        .series
        .iter()
        .filter(|series| matches!(series.look, Look::Bound(_)));
    let contenders = chart
        .series
        .iter()
        .filter(|series| matches!(series.look, Look::Contender(_)));
    let stagger = contenders.clone().count().clamp(1, STAGGER);
    for (at, series) in bounds.enumerate() {
        draw_series(
            &mut canvas,
            series,
            chart.spread,
            (at, stagger),
            (&x_span, &y_span),
        );
    }
    for (at, series) in contenders.enumerate() {
        draw_series(
            &mut canvas,
            series,
            chart.spread,
            (at, stagger),
            (&x_span, &y_span),
        );
    }
    canvas.svg.push_str("</svg>");
    if chart.series.iter().all(|series| series.points.is_empty()) {
        canvas.svg.push_str(&format!(
            "<text class=\"ink\" fill=\"{INK}\" font-family=\"system-ui,sans-serif\" font-size=\"13\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">nothing to show</text>",
            place(canvas.x(0.5)),
            place(canvas.y(0.5))
        ));
    }
    let keys: Vec<Key> = chart
        .series
        .iter()
        .map(|series| Key {
            name: series.name.clone(),
            look: series.look,
        })
        .collect();
    canvas.finish(&chart.title, &chart.description, &keys, Swatch::Line)
}

fn shares(span: &Span, about: usize) -> impl Iterator<Item = (f64, String)> + '_ {
    span.ticks(about)
        .into_iter()
        .filter_map(|(value, label)| Some((span.share(value)?, label)))
        .filter(|(share, _)| (-0.001..=1.001).contains(share))
}

fn ticks(canvas: &mut Canvas, labels: &[BottomLabel]) {
    let base = place(Canvas::TOP + Canvas::HEIGHT);
    let marks: String = labels
        .iter()
        .map(|label| format!("M{} {base}v5", place(canvas.x(label.share))))
        .collect();
    canvas.svg.push_str(&format!(
        "<path class=\"axis\" d=\"{marks}\" fill=\"none\" stroke=\"{INK}\"/>"
    ));
}

fn draw_guide(canvas: &mut Canvas, guide: &Guide, x_span: &Span, y_span: &Span) {
    let (line, x, y, anchor, label) = match guide {
        Guide::Level(value, label) => {
            let Some(share) = y_span.share(*value) else { return };
            let y = canvas.y(share);
            // Near the top there is no room above the line.
            let beside = if share > 0.93 { y + 14.0 } else { y - 5.0 };
            let (from, to) = (canvas.x(0.0), canvas.x(1.0));
            (
                format!("M{} {}H{}", place(from), place(y), place(to)),
                to - 4.0,
                beside,
                "end",
                label,
            )
        }
        Guide::Upright(value, label) => {
            let Some(share) = x_span.share(*value) else { return };
            let x = canvas.x(share);
            let fits_right = x + 6.0 + text_width(label) < canvas.x(1.0);
            let (beside, anchor) = if fits_right {
                (x + 5.0, "start")
            } else {
                (x - 5.0, "end")
            };
            let (from, to) = (canvas.y(1.0), canvas.y(0.0));
            (
                format!("M{} {}V{}", place(x), place(from), place(to)),
                beside,
                to - 6.0,
                anchor,
                label,
            )
        }
    };
    canvas.svg.push_str(&format!(
        "<path class=\"guide\" d=\"{line}\" fill=\"none\" stroke=\"{INK}\" stroke-dasharray=\"4 3\"/>\
         <text class=\"ink\" fill=\"{INK}\" font-family=\"system-ui,sans-serif\" font-size=\"12\" text-anchor=\"{anchor}\" x=\"{}\" y=\"{}\">{}</text>",
        place(x),
        place(y),
        escape(&cut(&plain(label), 60))
    ));
}

fn draw_series(
    canvas: &mut Canvas,
    series: &Series,
    spread: Spread,
    (number, stagger): (usize, usize),
    (x_span, y_span): (&Span, &Span),
) {
    let runs = place_points(canvas, series, x_span, y_span);
    let points: usize = runs.iter().map(Vec::len).sum();
    if points == 0 {
        return;
    }
    let (class, colour) = (series.look.class(), series.look.colour());
    let bound = matches!(series.look, Look::Bound(_));
    canvas.svg.push_str(&format!(
        "<g class=\"{class}\" stroke=\"{colour}\" fill=\"{colour}\">"
    ));
    for run in &runs {
        if spread == Spread::Band && !bound {
            canvas.svg.push_str(&band(run));
        }
        let line: Vec<String> = run
            .iter()
            .map(|at| format!("{} {}", place(at.x), place(at.y)))
            .collect();
        canvas.svg.push_str(&format!(
            "<path d=\"M{}\" fill=\"none\" stroke-width=\"{}\" stroke-linejoin=\"round\"{}/>",
            line.join("L"),
            if bound { "1.5" } else { "2" },
            dashes(series.look)
        ));
    }
    if spread == Spread::Bars && !bound {
        let every = if points > 2 * stagger { stagger } else { 1 };
        let chosen = runs.iter().flatten().enumerate();
        let chosen = chosen
            .filter(|(at, _)| at % every == number % every)
            .map(|(_, placed)| placed);
        canvas.svg.push_str(&bars(chosen));
    }
    let every = if points <= MARKED {
        1
    } else {
        (points / HOVERED).max(1)
    };
    for run in &runs {
        for (at, placed) in run.iter().enumerate() {
            // A single point has no line to show it.
            let shown = (points <= MARKED && !bound) || run.len() == 1;
            if shown || at % every == 0 || at + 1 == run.len() {
                canvas.svg.push_str(&mark(series, placed, shown));
            }
        }
    }
    canvas.svg.push_str("</g>");
}

/// The points that can be drawn, in runs without gaps.
fn place_points(canvas: &Canvas, series: &Series, x_span: &Span, y_span: &Span) -> Vec<Vec<Placed>> {
    let every = series.points.len().div_ceil(MOST_POINTS).max(1);
    let last = series.points.len().saturating_sub(1);
    let kept = series
        .points
        .iter()
        .enumerate()
        .filter(|(at, _)| at % every == 0 || *at == last);
    let mut runs = vec![Vec::new()];
    for (_, point) in kept {
        let (Some(x), Some(y)) = (x_span.share(point.x), y_span.share(point.y)) else {
            runs.push(Vec::new());
            continue;
        };
        let spread = point.error.filter(|error| error.is_finite()).and_then(|error| {
            let (low, high) = (y_span.share(point.y - error)?, y_span.share(point.y + error)?);
            Some((canvas.y(low), canvas.y(high)))
        });
        let placed = Placed {
            x: canvas.x(x),
            y: canvas.y(y),
            spread,
            point: *point,
        };
        if let Some(run) = runs.last_mut() {
            run.push(placed);
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

fn band(run: &[Placed]) -> String {
    let mut bands = String::new();
    for part in run.chunk_by(|a, b| a.spread.is_some() == b.spread.is_some()) {
        let ends: Vec<(f64, f64, f64)> = part
            .iter()
            .filter_map(|at| at.spread.map(|(low, high)| (at.x, low, high)))
            .collect();
        if ends.len() < 2 {
            continue;
        }
        let upper = ends
            .iter()
            .map(|(x, _, high)| format!("{} {}", place(*x), place(*high)));
        let lower = ends
            .iter()
            .rev()
            .map(|(x, low, _)| format!("{} {}", place(*x), place(*low)));
        let outline: Vec<String> = upper.chain(lower).collect();
        bands.push_str(&format!(
            "<path d=\"M{}z\" stroke=\"none\" fill-opacity=\".16\"/>",
            outline.join("L")
        ));
    }
    bands
}

fn bars<'a>(points: impl Iterator<Item = &'a Placed>) -> String {
    let mut lines = String::new();
    for at in points {
        if let Some((low, high)) = at.spread {
            let (left, x) = (place(at.x - 4.0), place(at.x));
            lines.push_str(&format!(
                "M{x} {low}V{high}M{left} {low}h8M{left} {high}h8",
                low = place(low),
                high = place(high)
            ));
        }
    }
    if lines.is_empty() {
        return lines;
    }
    format!("<path d=\"{lines}\" fill=\"none\" stroke-width=\"1.3\"/>")
}

fn mark(series: &Series, at: &Placed, shown: bool) -> String {
    let error = at.point.error.filter(|error| error.is_finite());
    let error = error
        .map(|error| format!(" ± {}", brief(error)))
        .unwrap_or_default();
    let words = format!(
        "{}: {}{error} at {}",
        series.name,
        brief(at.point.y),
        brief(at.point.x)
    );
    let (outline, unseen) = if shown {
        (series.look.mark(at.x, at.y, 3.0), "")
    } else {
        (series.look.mark(at.x, at.y, 6.0), " fill-opacity=\"0\"")
    };
    format!(
        "<path d=\"{outline}\" stroke=\"none\"{unseen}><title>{}</title></path>",
        escape(&words)
    )
}
