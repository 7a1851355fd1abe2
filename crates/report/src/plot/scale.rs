//! Axes: the values they span, their ticks and the tick labels.

use crate::writing::fixed;

/// Values beyond this are not drawn: arithmetic on them could overflow.
const LARGEST: f64 = 1e100;

/// The scale of an axis.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Scale {
    /// Linear.
    #[default]
    Linear,
    /// Logarithmic; values of zero or less are not drawn.
    Log,
}

/// An axis as the caller wants it.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Axis {
    /// What is measured, with its unit.
    pub title: String,
    /// Its scale.
    pub scale: Scale,
    /// Where it begins, if not determined by the data.
    pub from: Option<f64>,
    /// Where it ends, if not determined by the data.
    pub to: Option<f64>,
}

impl Axis {
    /// A linear axis over the range of the data.
    pub fn new(title: impl Into<String>) -> Axis {
        Axis {
            title: title.into(),
            ..Axis::default()
        }
    }

    /// The same axis, beginning here.
    pub fn from(self, from: f64) -> Axis {
        Axis {
            from: Some(from),
            ..self
        }
    }

    /// The same axis, ending here.
    pub fn to(self, to: f64) -> Axis {
        Axis { to: Some(to), ..self }
    }
}

/// Whether an axis may be longer than its data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ends {
    /// It ends where the data do.
    AtData,
    /// It ends at a tick.
    AtTicks,
}

/// The resulting range: low < high, both finite, and for a log axis both above zero.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Span {
    pub low: f64,
    pub high: f64,
    scale: Scale,
}

impl Span {
    pub fn of(axis: &Axis, values: impl Iterator<Item = f64>, ends: Ends, about: usize) -> Span {
        let drawable = |value: &f64| can_draw(*value, axis.scale);
        let (from, to) = (axis.from.filter(drawable), axis.to.filter(drawable));
        let (low, high) = values
            .filter(drawable)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        let (low, high) = match (low <= high, axis.scale) {
            (true, _) => (low, high),
            (false, Scale::Linear) => (from.unwrap_or(0.0), from.unwrap_or(0.0) + 1.0),
            (false, Scale::Log) => (from.unwrap_or(1.0), from.unwrap_or(1.0) * 10.0),
        };
        let (mut low, mut high) = (from.unwrap_or(low), to.unwrap_or(high));
        // A single value, or contradictory ends, still need an axis around them.
        if high - low <= 1e-9 * low.abs().max(high.abs()) {
            let room = (low.abs() * 0.5).max(if low == 0.0 { 1.0 } else { 0.0 });
            match axis.scale {
                Scale::Log => (low, high) = (low / 2.0, low * 2.0),
                Scale::Linear if from.is_some() => high = low + room,
                Scale::Linear => (low, high) = (low - room, low + room),
            }
        }
        if ends == Ends::AtTicks && axis.scale == Scale::Linear {
            let step = step(low, high, about);
            if from.is_none() {
                low = (low / step + 1e-9).floor() * step;
            }
            if to.is_none() {
                high = (high / step - 1e-9).ceil() * step;
            }
        }
        Span {
            low,
            high,
            scale: axis.scale,
        }
    }

    /// How far along the axis a value is, from 0 at the beginning to 1 at the end; `None` if it cannot be drawn.
    pub fn share(&self, value: f64) -> Option<f64> {
        if !can_draw(value, self.scale) {
            return None;
        }
        let share = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        // Far outside is as good as just outside, and stays a number that SVG readers can handle.
        Some(share.clamp(-10.0, 11.0))
    }

    /// The axis's ticks, about `about` of them, and their labels.
    pub fn ticks(&self, about: usize) -> Vec<(f64, String)> {
        let values = match self.scale {
            Scale::Linear => ticks(self.low, self.high, about),
            Scale::Log => log_ticks(self.low, self.high, about),
        };
        let step = step(self.low, self.high, about);
        let label = |value: f64| match self.scale {
            Scale::Linear => tick_label(value, step),
            Scale::Log => tick_label(value, value),
        };
        values.into_iter().map(|value| (value, label(value))).collect()
    }
}

fn can_draw(value: f64, scale: Scale) -> bool {
    value.abs() <= LARGEST && (scale == Scale::Linear || value >= 1.0 / LARGEST)
}

/// The round step (1, 2 or 5 times a power of ten) that divides a range into about this many parts.
fn step(low: f64, high: f64, about: usize) -> f64 {
    let rough = (high - low) / about.max(1) as f64;
    let power = 10_f64.powf(rough.log10().floor());
    let parts = rough / power;
    let round = match parts {
        parts if parts < 1.5 => 1.0,
        parts if parts < 3.5 => 2.0,
        parts if parts < 7.5 => 5.0,
        _ => 10.0,
    };
    round * power
}

/// Round numbers from `low` to `high`, about `about` of them; none if the range is empty.
pub fn ticks(low: f64, high: f64, about: usize) -> Vec<f64> {
    let about = about.min(50);
    if !(low < high && can_draw(low, Scale::Linear) && can_draw(high, Scale::Linear)) {
        return Vec::new();
    }
    let step = step(low, high, about);
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    let number = (last - first).clamp(0.0, 200.0) as usize;
    (0..=number).map(|at| (first + at as f64) * step).collect()
}

fn log_ticks(low: f64, high: f64, about: usize) -> Vec<f64> {
    let decades = (low.log10().floor() as i32)..=(high.log10().ceil() as i32);
    let inside = |value: &f64| *value >= low * (1.0 - 1e-9) && *value <= high * (1.0 + 1e-9);
    let powers: Vec<f64> = decades.map(|power| 10_f64.powi(power)).collect();
    let fine: Vec<f64> = powers
        .iter()
        .flat_map(|power| [1.0, 2.0, 5.0].map(|times| times * power))
        .filter(inside)
        .collect();
    if fine.len() < 2 {
        // Less than a factor of two: a linear scale gives rounder steps.
        return ticks(low, high, about)
            .into_iter()
            .filter(|value| *value > 0.0)
            .collect();
    }
    if fine.len() <= about + 2 {
        return fine;
    }
    let powers: Vec<f64> = powers.into_iter().filter(inside).collect();
    let every = powers.len().div_ceil(about.max(1)).max(1);
    powers.into_iter().step_by(every).collect()
}

fn tick_label(value: f64, step: f64) -> String {
    let size = value.abs().max(step);
    if size >= 1e9 || step < 1e-6 {
        return if value == 0.0 {
            "0".to_owned()
        } else {
            format!("{value:.1e}")
        };
    }
    // A step of 0.2 has one decimal; the small addition undoes the rounding of the logarithm.
    let decimals = (-(step.log10() + 1e-9).floor()).max(0.0) as usize;
    fixed(value, decimals)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: Axis, values: &[f64]) -> Vec<String> {
        let span = Span::of(&axis, values.iter().copied(), Ends::AtTicks, 5);
        span.ticks(5).into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_at_round_numbers() {
        assert_eq!(
            labels(Axis::new("").from(0.0), &[0.93]),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(
            labels(Axis::new(""), &[3.0, 97.0]),
            ["0", "20", "40", "60", "80", "100"]
        );
        assert_eq!(
            labels(Axis::new(""), &[-0.03, 0.07]),
            ["-0.04", "-0.02", "0.00", "0.02", "0.04", "0.06", "0.08"]
        );
        assert_eq!(
            labels(Axis::new(""), &[0.0, 21_000.0]),
            ["0", "5,000", "10,000", "15,000", "20,000", "25,000"]
        );
        let axis = Axis::new("").from(0.36).to(0.55);
        assert_eq!(labels(axis, &[]), ["0.40", "0.45", "0.50", "0.55"]);
    }

    #[test]
    fn log_ticks_are_powers_and_between_them_where_there_is_room() {
        let log = Axis {
            scale: Scale::Log,
            ..Axis::new("")
        };
        assert_eq!(
            labels(log.clone(), &[10.0, 500.0]),
            ["10", "20", "50", "100", "200", "500"]
        );
        assert_eq!(
            labels(log.clone(), &[1.0, 1e6]),
            ["1", "100", "10,000", "1,000,000"]
        );
        assert_eq!(
            labels(log.clone(), &[0.01, 1.0, 0.0, -5.0])
                .first()
                .map(String::as_str),
            Some("0.01")
        );
        assert!(labels(log, &[7.1, 7.3]).len() > 1);
    }

    #[test]
    fn every_axis_has_a_span_whatever_the_data() {
        let troubles: [&[f64]; 7] = [
            &[],
            &[f64::NAN],
            &[f64::INFINITY, f64::NEG_INFINITY],
            &[0.0],
            &[5.0],
            &[f64::MAX, f64::MIN],
            &[1e15, 1e15 + 0.1],
        ];
        for scale in [Scale::Linear, Scale::Log] {
            for values in troubles {
                for (from, to) in [
                    (None, None),
                    (Some(0.0), None),
                    (Some(2.0), Some(1.0)),
                    (Some(f64::NAN), None),
                ] {
                    let axis = Axis {
                        title: String::new(),
                        scale,
                        from,
                        to,
                    };
                    let span = Span::of(&axis, values.iter().copied(), Ends::AtTicks, 5);
                    assert!(
                        span.low < span.high && span.high.is_finite(),
                        "{values:?} {axis:?} {span:?}"
                    );
                    assert!(span.ticks(5).len() <= 20, "{values:?} {axis:?} {span:?}");
                    assert!(!span.ticks(5).is_empty(), "{values:?} {axis:?} {span:?}");
                }
            }
        }
        assert!(ticks(1.0, 1.0, 5).is_empty());
    }
}
