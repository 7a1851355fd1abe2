//! Grouped bars with error bars.

use super::canvas::{BottomLabel, Canvas, Key, Slant, Swatch, brief, place, text_width};
use super::palette::{INK, Look};
use super::scale::{Axis, Ends, Scale, Span};
use crate::writing::{cut, escape, plain};

/// Group names are cut to this many columns.
const NAME: usize = 26;

/// One bar.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bar {
    /// Its height. A value that is not finite is not drawn.
    pub value: f64,
    /// One standard error, where known.
    pub error: Option<f64>,
    /// Its own look, if it differs from its series'.
    pub look: Option<Look>,
}

/// The bars of one look, one per group.
#[derive(Clone, PartialEq, Debug)]
pub struct BarSeries {
    /// Its name in the legend.
    pub name: String,
    /// How it looks.
    pub look: Look,
    /// Its bars, in the order of the groups; missing ones are not drawn.
    pub bars: Vec<Option<Bar>>,
}

/// A chart of grouped bars that start at zero.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct BarChart {
    /// What it shows, in a few words.
    pub title: String,
    /// The same in a sentence, for screen readers.
    pub description: String,
    /// What the groups stand for.
    pub x_title: String,
    /// The vertical axis; it is linear and includes zero.
    pub y: Axis,
    /// The groups, from left to right.
    pub groups: Vec<String>,
    /// The bars in each group, from left to right.
    pub series: Vec<BarSeries>,
}

pub fn draw(chart: &BarChart) -> String {
    let mut values = vec![0.0];
    for bar in chart
        .series
        .iter()
        .flat_map(|series| series.bars.iter().flatten())
    {
        let error = bar.error.unwrap_or(0.0);
        values.extend([bar.value, bar.value - error, bar.value + error]);
    }
    // A standard error may reach below zero where no value does; the axis need not follow it.
    let lowest = chart
        .series
        .iter()
        .flat_map(|series| series.bars.iter().flatten())
        .map(|bar| bar.value)
        .filter(|value| value.is_finite())
        .fold(0.0, f64::min);
    let axis = Axis {
        scale: Scale::Linear,
        from: chart.y.from.or((lowest >= 0.0).then_some(0.0)),
        ..chart.y.clone()
    };
    let span = Span::of(&axis, values.into_iter(), Ends::AtTicks, 5);
    let rows: Vec<(f64, String)> = span
        .ticks(5)
        .into_iter()
        .filter_map(|(value, label)| Some((span.share(value)?, label)))
        .collect();

    let groups = chart.groups.len().max(1) as f64;
    let labels: Vec<BottomLabel> = chart
        .groups
        .iter()
        .enumerate()
        .map(|(at, name)| BottomLabel {
            share: (at as f64 + 0.5) / groups,
            text: cut(&plain(name), NAME),
        })
        .collect();
    let fits = labels
        .iter()
        .all(|label| text_width(&label.text) + 8.0 < 560.0 / groups);
    let slant = if fits { Slant::Level } else { Slant::Slanted };
    let mut canvas = Canvas::new(
        &chart.title,
        &chart.x_title,
        &chart.y.title,
        &rows,
        &labels,
        slant,
    );

    let group = canvas.width / groups;
    let bar = (group * 0.8 / chart.series.len().max(1) as f64).min(60.0);
    let used = bar * chart.series.len() as f64;
    for (number, series) in chart.series.iter().enumerate() {
        let (class, colour) = (series.look.class(), series.look.colour());
        canvas.svg.push_str(&format!(
            "<g class=\"{class}\" stroke=\"{colour}\" fill=\"{colour}\">"
        ));
        for (at, name) in chart.groups.iter().enumerate() {
            let Some(Some(one)) = series.bars.get(at) else {
                continue;
            };
            let left = canvas.left + group * (at as f64 + 0.5) - used / 2.0 + bar * number as f64;
            let whose = if chart.series.len() > 1 {
                format!("{}, ", series.name)
            } else {
                String::new()
            };
            let drawn = draw_bar(
                &canvas,
                &span,
                one,
                (left, bar),
                series.look,
                &format!("{whose}{name}"),
            );
            canvas.svg.push_str(&drawn);
        }
        canvas.svg.push_str("</g>");
    }
    let keys: Vec<Key> = match chart.series.as_slice() {
        [_] => Vec::new(),
        many => many
            .iter()
            .map(|series| Key {
                name: series.name.clone(),
                look: series.look,
            })
            .collect(),
    };
    canvas.finish(&chart.title, &chart.description, &keys, Swatch::Block)
}

fn draw_bar(
    canvas: &Canvas,
    span: &Span,
    bar: &Bar,
    (left, width): (f64, f64),
    look: Look,
    name: &str,
) -> String {
    let (Some(foot), Some(head)) = (span.share(0.0), span.share(bar.value)) else {
        return String::new();
    };
    let within = |share: f64| canvas.y(share.clamp(0.0, 1.0));
    let (foot, head) = (within(foot), within(head));
    let gap = (width * 0.08).min(2.0);
    let error = bar.error.filter(|error| error.is_finite());
    let words = error
        .map(|error| format!(" ± {}", brief(error)))
        .unwrap_or_default();
    let own = bar.look.map(|look| {
        format!(
            " class=\"{}\" fill=\"{}\" style=\"stroke:none\"",
            look.class(),
            look.colour()
        )
    });
    let mut drawn = format!(
        "<path{own} d=\"M{x} {foot}V{head}h{w}V{foot}z\" stroke=\"none\" fill-opacity=\"{}\"><title>{}</title></path>",
        bar.look.unwrap_or(look).opacity(),
        escape(&format!("{name}: {}{words}", brief(bar.value))),
        x = place(left + gap),
        w = place(width - 2.0 * gap),
        foot = place(foot),
        head = place(head),
        own = own.unwrap_or_default(),
    );
    let ends = error.and_then(|error| Some((span.share(bar.value - error)?, span.share(bar.value + error)?)));
    if let Some((low, high)) = ends {
        let (low, high) = (within(low), within(high));
        let (middle, half) = (left + width / 2.0, (width * 0.25).min(5.0));
        drawn.push_str(&format!(
            "<path class=\"whisker\" d=\"M{x} {low}V{high}M{l} {low}h{w}M{l} {high}h{w}\" fill=\"none\" stroke=\"{INK}\" stroke-width=\"1.3\"/>",
            x = place(middle),
            l = place(middle - half),
            w = place(2.0 * half),
            low = place(low),
            high = place(high),
        ));
    }
    drawn
}
