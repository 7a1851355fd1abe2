//! Charts are valid drawings, whatever the data.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod markup;

use markup::{assert_balanced, assert_no_odd_numbers};
use proptest::prelude::*;
use scenthound_report::plot::{
    Axis, Bar, BarChart, BarSeries, Chart, Guide, LineChart, Look, Point, Scale, Series, Spread,
};

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -100.0..100.0,
        1 => any::<f64>(),
        1 => prop_oneof![Just(0.0), Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY), Just(f64::MAX)],
    ]
}

prop_compose! {
    fn any_series()(
        name in ".{0,60}",
        number in 0_usize..40,
        bound in any::<bool>(),
        points in prop::collection::vec((any_number(), any_number(), prop::option::of(any_number())), 0..60),
    ) -> Series {
        let look = if bound { Look::Bound(number) } else { Look::Contender(number) };
        Series { name, look, points: points.into_iter().map(|(x, y, error)| Point { x, y, error }).collect() }
    }
}

proptest! {
    #[test]
    fn any_lines_make_a_drawing(
        series in prop::collection::vec(any_series(), 0..6),
        title in ".{0,100}",
        log in any::<bool>(),
        spread in prop_oneof![Just(Spread::Hidden), Just(Spread::Band), Just(Spread::Bars)],
        level in any_number(),
        from in prop::option::of(any_number()),
    ) {
        let scale = if log { Scale::Log } else { Scale::Linear };
        let chart = LineChart {
            title: title.clone(),
            description: title.clone(),
            x: Axis { title: title.clone(), scale, from, to: None },
            y: Axis::new(title.clone()),
            series,
            guides: vec![Guide::Level(level, title.clone()), Guide::Upright(level, title)],
            spread,
        };
        let svg = Chart::from(chart).svg();
        // Names may contain anything, numbers may not.
        assert_balanced(&svg);
        let shapes: String = svg.split(" d=\"").skip(1).map(|part| part.split('"').next().unwrap()).collect();
        prop_assert!(!shapes.contains("NaN") && !shapes.contains("inf"), "{}", shapes);
    }

    #[test]
    fn any_bars_make_a_drawing(
        groups in prop::collection::vec(".{0,40}", 0..8),
        values in prop::collection::vec(prop::collection::vec(prop::option::of((any_number(), prop::option::of(any_number()))), 0..8), 0..5),
    ) {
        let series = values.into_iter().enumerate().map(|(number, bars)| BarSeries {
            name: format!("series {number}"),
            look: Look::Contender(number),
            bars: bars.into_iter().map(|bar| bar.map(|(value, error)| Bar { value, error, look: None })).collect(),
        });
        let chart = BarChart { groups, series: series.collect(), ..BarChart::default() };
        let svg = Chart::from(chart).svg();
        assert_balanced(&svg);
        let shapes: String = svg.split(" d=\"").skip(1).map(|part| part.split('"').next().unwrap()).collect();
        prop_assert!(!shapes.contains("NaN") && !shapes.contains("inf"), "{}", shapes);
    }
}

fn line(name: &str, look: Look, points: &[(f64, f64)]) -> Series {
    let points = points
        .iter()
        .map(|(x, y)| Point {
            x: *x,
            y: *y,
            error: None,
        })
        .collect();
    Series {
        name: name.to_owned(),
        look,
        points,
    }
}

fn drawn(series: Vec<Series>) -> String {
    Chart::from(LineChart {
        title: "tea".to_owned(),
        series,
        ..LineChart::default()
    })
    .svg()
}

#[test]
fn a_series_of_one_point_shows_it_and_one_of_none_is_in_the_legend_only() {
    let svg = drawn(vec![
        line("one", Look::Contender(0), &[(1.0, 2.0)]),
        line("none", Look::Contender(1), &[]),
        line("odd", Look::Contender(2), &[(f64::NAN, 1.0)]),
    ]);
    assert!(svg.contains("<title>one: 2 at 1</title>"), "{svg}");
    assert!(
        svg.contains(">none</text>") && svg.contains(">odd</text>"),
        "{svg}"
    );
    assert!(!svg.contains("odd:"), "{svg}");
    assert_no_odd_numbers(&svg);
}

#[test]
fn a_chart_of_nothing_says_so() {
    assert!(drawn(Vec::new()).contains("nothing to show"));
}

#[test]
fn a_value_that_is_none_interrupts_the_line() {
    let svg = drawn(vec![line(
        "gap",
        Look::Contender(0),
        &[(0.0, 1.0), (1.0, 1.0), (2.0, f64::NAN), (3.0, 1.0), (4.0, 1.0)],
    )]);
    assert_eq!(svg.matches("stroke-linejoin").count(), 2, "{svg}");
}

#[test]
fn bounds_are_dashed_and_grey() {
    let svg = drawn(vec![line(
        "upper-bound",
        Look::Bound(0),
        &[(0.0, 0.0), (1.0, 1.0)],
    )]);
    let group = svg.split("<g class=\"bound\"").nth(1).unwrap();
    assert!(
        group.starts_with(" stroke=\"#767676\"") && group.contains("stroke-dasharray"),
        "{group}"
    );
}

#[test]
fn names_cannot_break_out_of_the_drawing() {
    let name = "</text><script>alert(1)</script>\u{0}\u{202e}";
    let svg = drawn(vec![line(name, Look::Contender(0), &[(0.0, 0.0), (1.0, 1.0)])]);
    assert!(!svg.contains("<script") && !svg.contains('\u{0}') && !svg.contains('\u{202e}'));
    assert_balanced(&svg);
}

#[test]
fn legends_stay_on_the_sheet_however_long_the_names() {
    let wide = "碩士班甄試".repeat(20);
    let series = (0..30).map(|number| line(&wide, Look::Contender(number), &[(0.0, 0.0), (1.0, 1.0)]));
    let svg = drawn(series.collect());
    let height: f64 = svg
        .split("height=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    let lowest = svg
        .split(" y=\"")
        .skip(1)
        .filter_map(|part| part.split('"').next()?.parse::<f64>().ok())
        .fold(0.0, f64::max);
    assert!(lowest < height, "a text at {lowest} on a sheet of {height}");
    assert!(
        svg.contains(&format!("<title>{wide}</title>")),
        "the full name is in the hover title"
    );
    assert!(!svg.contains(&format!(">{wide}</text>")));
}

#[test]
fn a_million_points_make_a_small_drawing() {
    let points: Vec<(f64, f64)> = (0..1_000_000)
        .map(|at| (f64::from(at), f64::from(at % 97)))
        .collect();
    let svg = drawn(vec![line("long", Look::Contender(0), &points)]);
    assert!(svg.len() < 100_000, "{} bytes", svg.len());
    assert!(svg.contains("at 999,999</title>"), "the last point is there");
}
