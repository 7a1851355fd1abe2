//! The curves: coverage, harvest, target recall, F1 by threshold, precision at k, running time.
//!
//! Every curve is the mean over tasks of the mean over repeats, on a common grid. A crawl that ends early keeps its
//! last value to the end, so a curve never jumps because a task dropped out.

use std::collections::BTreeSet;

use unicode_width::UnicodeWidthStr;

use super::field::Field;
use super::measure::AUC30;
use super::run::RunResult;
use crate::plot::{Axis, Bar, BarChart, BarSeries, Chart, LineChart, Point, Scale, Series, Spread, ticks};
use crate::stats::{CurvePoint, Summary, mean_curve};
use crate::table::Owner;
use crate::text::sparkline;
use crate::writing::{cut, plain};

/// More lines than this cannot be distinguished.
const MOST_LINES: usize = 12;
/// Steps of the grid of coverage.
const STEPS: u32 = 100;
/// The most points on a grid of thresholds, and the most groups of bars.
const MOST_THRESHOLDS: usize = 200;
const MOST_GROUPS: usize = 10;
/// Characters of a sparkline.
const SPARKS: u32 = 40;

/// A curve of one run on a grid; `None` if the run has no data for it.
type CurveOf<'a> = &'a dyn Fn(&RunResult) -> Option<Vec<(f64, f64)>>;

/// The figures over all webs, each with a caption.
pub fn all(field: &Field<'_>, baseline: Option<usize>, pages: Scale) -> Vec<(Chart, String)> {
    let drawn = drawn(field, baseline);
    let left_out = left_out(field, &drawn);
    let tasks = field.tasks_of(None);
    let mut figures = vec![coverage(field, &drawn, &tasks, "Coverage by visits", &left_out)];
    figures.extend(by_pages(field, &drawn, pages, &left_out));
    figures.extend(f1_by_threshold(field, &drawn, &left_out));
    figures.extend(precision_at_k(field, &drawn, &left_out));
    figures.extend(share_by_rank(field, &drawn, &left_out));
    figures.extend(running_time(field, &drawn, &left_out));
    figures
}

/// Coverage for each web, if there are several.
pub fn coverage_by_web(field: &Field<'_>, baseline: Option<usize>) -> Vec<(Chart, String)> {
    if field.webs.len() < 2 {
        return Vec::new();
    }
    let drawn = drawn(field, baseline);
    let left_out = left_out(field, &drawn);
    let webs = field.webs.iter().enumerate();
    webs.map(|(at, web)| {
        let title = format!("Coverage by visits: {web}");
        coverage(field, &drawn, &field.tasks_of(Some(at)), &title, &left_out)
    })
    .collect()
}

/// Coverage as one line of blocks per contender.
pub fn sparklines(field: &Field<'_>) -> Vec<String> {
    let tasks = field.tasks_of(None);
    let grid = coverage_grid(field, &tasks, SPARKS);
    let labels: Vec<String> = (0..field.contenders.len())
        .map(|one| cut(&plain(&field.label(one)), 32))
        .collect();
    let widest = labels.iter().map(|label| label.width()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for (one, label) in labels.iter().enumerate() {
        let curve = curve_of(field, one, &tasks, &grid, &|run| coverage_of(run, &grid));
        let values: Vec<f64> = curve.iter().skip(1).map(|point| point.mean).collect();
        let Some(last) = values.last().filter(|last| last.is_finite()) else {
            continue;
        };
        let space = " ".repeat(widest.saturating_sub(label.width()));
        lines.push(format!(
            "{label}{space} │{}│ {last:.1} %",
            sparkline(&values, 100.0)
        ));
    }
    lines
}

/// The contenders that are drawn: all, or the best and the baseline if there are too many; bounds always.
fn drawn(field: &Field<'_>, baseline: Option<usize>) -> Vec<usize> {
    let competing = field.competing();
    let tasks = field.tasks_of(None);
    let mean = |one: usize| {
        let values: Vec<f64> = tasks.iter().map(|task| field.value(one, *task, &AUC30)).collect();
        Summary::of(&values).mean
    };
    let mut ranked: Vec<(usize, f64)> = competing.iter().map(|one| (*one, mean(*one))).collect();
    let worth = |one: usize, mean: f64| match Some(one) == baseline {
        true => f64::INFINITY,
        false if mean.is_nan() => f64::NEG_INFINITY,
        false => mean,
    };
    ranked.sort_by(|(a, x), (b, y)| worth(*b, *y).total_cmp(&worth(*a, *x)).then(a.cmp(b)));
    let kept: BTreeSet<usize> = ranked.into_iter().take(MOST_LINES).map(|(one, _)| one).collect();
    (0..field.contenders.len())
        .filter(|one| kept.contains(one) || field.owner(*one) == Owner::Bound)
        .collect()
}

/// What a caption says about contenders that are not drawn.
fn left_out(field: &Field<'_>, drawn: &[usize]) -> String {
    match field.contenders.len() - drawn.len() {
        0 => String::new(),
        _ => format!(" Only the {MOST_LINES} best by auc30 are drawn, including the baseline."),
    }
}

/// The mean over tasks of the mean over repeats.
fn curve_of(
    field: &Field<'_>,
    contender: usize,
    tasks: &[usize],
    grid: &[f64],
    curve: CurveOf<'_>,
) -> Vec<CurvePoint> {
    let of_tasks: Vec<Vec<(f64, f64)>> = tasks
        .iter()
        .filter_map(|task| {
            let repeats: Vec<_> = field
                .repeats(contender, *task)
                .iter()
                .filter_map(|run| curve(run))
                .collect();
            let mean = mean_curve(&repeats, grid).into_iter().filter(|point| point.n > 0);
            let mean: Vec<(f64, f64)> = mean.map(|point| (point.x, point.mean)).collect();
            (!mean.is_empty()).then_some(mean)
        })
        .collect();
    mean_curve(&of_tasks, grid)
}

/// The series of drawn contenders that have any points.
fn series_of(
    field: &Field<'_>,
    drawn: &[usize],
    tasks: &[usize],
    grid: &[f64],
    curve: CurveOf<'_>,
) -> Vec<Series> {
    let all = drawn.iter().map(|one| {
        let points = curve_of(field, *one, tasks, grid, curve);
        let known = points.into_iter().filter(|point| point.n > 0);
        Series {
            name: field.label(*one),
            look: field.look(*one),
            points: known
                .map(|CurvePoint { x, mean, error, .. }| Point { x, y: mean, error })
                .collect(),
        }
    });
    all.filter(|series| !series.points.is_empty()).collect()
}

fn found_by(finds: &[u32], visits: f64) -> f64 {
    finds.partition_point(|visit| f64::from(*visit) <= visits) as f64
}

/// Percentages from 0 to the largest share of reachable pages that any run visited.
fn coverage_grid(field: &Field<'_>, tasks: &[usize], steps: u32) -> Vec<f64> {
    let share = |run: &RunResult| run.visits() as f64 / run.reachable.max(1) as f64 * 100.0;
    let end = field
        .each()
        .filter(|(_, task, _)| tasks.contains(task))
        .map(|(_, _, run)| share(run))
        .fold(0.0, f64::max)
        .ceil()
        .clamp(1.0, 100.0);
    (0..=steps)
        .map(|step| end * f64::from(step) / f64::from(steps))
        .collect()
}

fn coverage_of(run: &RunResult, grid: &[f64]) -> Option<Vec<(f64, f64)>> {
    let finds = run.visits_of_finds()?;
    if run.relevant_reachable == 0 {
        return None;
    }
    // Rounding must not put the last find beyond the end.
    let visits = |percent: f64| percent / 100.0 * run.reachable as f64 + 1e-6;
    let covered = |percent: f64| found_by(&finds, visits(percent)) / run.relevant_reachable as f64 * 100.0;
    Some(grid.iter().map(|percent| (*percent, covered(*percent))).collect())
}

fn coverage(
    field: &Field<'_>,
    drawn: &[usize],
    tasks: &[usize],
    title: &str,
    left_out: &str,
) -> (Chart, String) {
    let grid = coverage_grid(field, tasks, STEPS);
    let chart = LineChart {
        title: title.to_owned(),
        description: "Share of the relevant reachable pages found, by share of the reachable pages visited."
            .to_owned(),
        x: Axis::new("visited (% of the reachable pages)").from(0.0),
        y: Axis::new("relevant pages found (%)").from(0.0),
        series: series_of(field, drawn, tasks, &grid, &|run| coverage_of(run, &grid)),
        guides: Vec::new(),
        spread: Spread::Band,
    };
    let caption = format!("Mean over tasks; the bands are ±1 standard error.{left_out}");
    (chart.into(), caption)
}

/// Round numbers of pages from 0 to the longest crawl.
fn pages_grid(field: &Field<'_>, about: usize, scale: Scale) -> Vec<f64> {
    let longest = field.each().map(|(_, _, run)| run.visits()).max().unwrap_or(0) as f64;
    if longest < 1.0 {
        return Vec::new();
    }
    let mut grid = match scale {
        Scale::Linear => ticks(0.0, longest, about),
        Scale::Log => (0..=about)
            .map(|step| longest.powf(step as f64 / about as f64).round())
            .collect(),
    };
    grid.retain(|pages| *pages >= 1.0);
    grid.push(longest);
    grid.dedup_by(|later, earlier| *later - *earlier < 0.5);
    grid
}

fn by_pages(field: &Field<'_>, drawn: &[usize], scale: Scale, left_out: &str) -> Vec<(Chart, String)> {
    let tasks = field.tasks_of(None);
    let fine = pages_grid(field, 50, scale);
    let harvest = |run: &RunResult| {
        let finds = run.visits_of_finds()?;
        let visits = run.visits() as f64;
        let rate = |pages: f64| found_by(&finds, pages) / pages.min(visits) * 100.0;
        (visits >= 1.0).then(|| fine.iter().map(|pages| (*pages, rate(*pages))).collect())
    };
    let mut coarse = pages_grid(field, 20, scale);
    if scale == Scale::Linear {
        coarse.insert(0, 0.0);
    }
    let recall = |run: &RunResult| {
        let finds = run.visits_of_finds()?;
        let all = finds.len().max(1) as f64;
        let reached = |pages: f64| found_by(&finds, pages) / all * run.target_recall * 100.0;
        let known = run.target_recall.is_finite();
        known.then(|| coarse.iter().map(|pages| (*pages, reached(*pages))).collect())
    };
    let pages = |from: f64| Axis {
        scale,
        from: (scale == Scale::Linear).then_some(from),
        ..Axis::new("pages visited")
    };
    let charts = [
        LineChart {
            title: "Harvest rate by pages".to_owned(),
            description: "Share of the visited pages that are relevant, by pages visited.".to_owned(),
            x: pages(0.0),
            y: Axis::new("relevant pages among those visited (%)").from(0.0),
            series: series_of(field, drawn, &tasks, &fine, &harvest),
            guides: Vec::new(),
            spread: Spread::Band,
        },
        LineChart {
            title: "Target recall by pages".to_owned(),
            description: "Share of all relevant pages found, by pages visited, with standard errors."
                .to_owned(),
            x: pages(0.0),
            y: Axis::new("target recall (%)").from(0.0),
            series: series_of(field, drawn, &tasks, &coarse, &recall),
            guides: Vec::new(),
            spread: Spread::Bars,
        },
    ];
    let captions = [
        "Mean over tasks; the bands are ±1 standard error. A crawl that ended keeps its last value.",
        "Mean over tasks; the bars are ±1 standard error, at every few points of each line.",
    ];
    let figures = charts.into_iter().zip(captions);
    figures
        .filter(|(chart, _)| !chart.series.is_empty())
        .map(|(chart, caption)| (chart.into(), format!("{caption}{left_out}")))
        .collect()
}

fn f1_by_threshold(field: &Field<'_>, drawn: &[usize], left_out: &str) -> Option<(Chart, String)> {
    let mut grid: Vec<f64> = field
        .each()
        .flat_map(|(_, _, run)| run.f1_by_threshold.iter().map(|(threshold, _)| *threshold))
        .filter(|threshold| threshold.is_finite())
        .collect();
    grid.sort_by(f64::total_cmp);
    grid.dedup_by(|later, earlier| *later - *earlier < 1e-9);
    let every = grid.len().div_ceil(MOST_THRESHOLDS).max(1);
    let grid: Vec<f64> = grid.into_iter().step_by(every).collect();
    let curve = |run: &RunResult| {
        let known = run
            .f1_by_threshold
            .iter()
            .copied()
            .filter(|(x, y)| x.is_finite() && y.is_finite());
        let mut curve: Vec<(f64, f64)> = known.collect();
        curve.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        (!curve.is_empty()).then_some(curve)
    };
    let series = series_of(field, drawn, &field.tasks_of(None), &grid, &curve);
    if series.is_empty() {
        return None;
    }
    let chart = LineChart {
        title: "F1 by threshold".to_owned(),
        description:
            "The judge's F1 over the fetched pages, by the threshold above which a page counts as relevant."
                .to_owned(),
        x: Axis::new("threshold"),
        y: Axis::new("F1 of the judge").from(0.0),
        series,
        guides: Vec::new(),
        spread: Spread::Band,
    };
    let caption =
        format!("Mean over tasks of the judge's F1 over the fetched pages, ±1 standard error.{left_out}");
    Some((chart.into(), caption))
}

fn precision_at_k(field: &Field<'_>, drawn: &[usize], left_out: &str) -> Option<(Chart, String)> {
    let all: BTreeSet<u32> = field
        .each()
        .flat_map(|(_, _, run)| run.precision_at.iter().map(|(k, _)| *k))
        .collect();
    let every = all.len().div_ceil(MOST_GROUPS).max(1);
    let ks: Vec<u32> = all.into_iter().step_by(every).collect();
    let at = |run: &RunResult, k: u32| {
        run.precision_at
            .iter()
            .find(|(at, _)| *at == k)
            .map_or(f64::NAN, |(_, p)| *p)
    };
    let series: Vec<BarSeries> = bars_of(field, drawn, ks.len(), &|run, group| {
        ks.get(group).map_or(f64::NAN, |k| at(run, *k))
    });
    if series.is_empty() {
        return None;
    }
    let chart = BarChart {
        title: "Precision at k".to_owned(),
        description: "Share of relevant pages among the k pages the judge rated highest.".to_owned(),
        x_title: "k highest-rated pages".to_owned(),
        y: Axis::new("precision").from(0.0),
        groups: ks.iter().map(u32::to_string).collect(),
        series,
    };
    let caption = format!("Mean over tasks; the bars are ±1 standard error.{left_out}");
    Some((chart.into(), caption))
}

/// The most ranks drawn. Beyond them hardly anything is on topic, and nobody reads that far.
const MOST_RANKS: f64 = 3000.0;

fn share_by_rank(field: &Field<'_>, drawn: &[usize], left_out: &str) -> Option<(Chart, String)> {
    let all: BTreeSet<u32> = field
        .each()
        .flat_map(|(_, _, run)| run.share_by_rank.iter().map(|(rank, _)| *rank))
        .collect();
    let grid: Vec<f64> = all
        .into_iter()
        .map(f64::from)
        .filter(|rank| *rank <= MOST_RANKS)
        .collect();
    if grid.len() < 2 {
        return None;
    }
    let curve = |run: &RunResult| {
        let shares = run.share_by_rank.iter().filter(|(_, share)| share.is_finite());
        let curve: Vec<(f64, f64)> = shares.map(|(rank, share)| (f64::from(*rank), *share)).collect();
        (!curve.is_empty()).then_some(curve)
    };
    let series = series_of(field, drawn, &field.tasks_of(None), &grid, &curve);
    if series.is_empty() {
        return None;
    }
    let chart = LineChart {
        title: "On-topic share by rank".to_owned(),
        description: "Share of relevant pages among each hundred ranks of the pages fetched, best first."
            .to_owned(),
        x: Axis::new("rank"),
        y: Axis::new("relevant share of the next hundred").from(0.0),
        series,
        guides: Vec::new(),
        spread: Spread::Band,
    };
    let caption = format!(
        "The pages each crawl fetched, ranked by the judge, or by layer if a context graph was learnt; mean over tasks, ±1 standard error.{left_out}"
    );
    Some((chart.into(), caption))
}

fn running_time(field: &Field<'_>, drawn: &[usize], left_out: &str) -> Option<(Chart, String)> {
    if !field.each().any(|(_, _, run)| run.virtual_seconds > 0.0) {
        return None;
    }
    // One group per contender with one bar each: a separate group has room for the name.
    let each = bars_of(field, drawn, 1, &|run, _| run.virtual_seconds / 60.0);
    let first = each.first()?.look;
    let chart = BarChart {
        title: "Running time under politeness".to_owned(),
        description: "Minutes on the virtual clock.".to_owned(),
        x_title: String::new(),
        y: Axis::new("minutes").from(0.0),
        groups: each.iter().map(|series| series.name.clone()).collect(),
        series: vec![BarSeries {
            name: "minutes".to_owned(),
            look: first,
            bars: each
                .iter()
                .map(|series| {
                    let bar = series.bars.first().copied().flatten()?;
                    Some(Bar {
                        look: Some(series.look),
                        ..bar
                    })
                })
                .collect(),
        }],
    };
    let caption = format!("Mean over tasks on the virtual clock; the bars are ±1 standard error.{left_out}");
    Some((chart.into(), caption))
}

/// Bars of drawn contenders that have any, each the mean over tasks of the mean over repeats.
fn bars_of(
    field: &Field<'_>,
    drawn: &[usize],
    groups: usize,
    value: &dyn Fn(&RunResult, usize) -> f64,
) -> Vec<BarSeries> {
    let tasks = field.tasks_of(None);
    let bar = |one: usize, group: usize| {
        let of_tasks: Vec<f64> = tasks
            .iter()
            .map(|task| {
                let repeats = field.repeats(one, *task).iter();
                let values: Vec<f64> = repeats.map(|run| value(run, group)).collect();
                Summary::of(&values).mean
            })
            .collect();
        let Summary { n, mean, error } = Summary::of(&of_tasks);
        (n > 0).then_some(Bar {
            value: mean,
            error,
            look: None,
        })
    };
    drawn
        .iter()
        .map(|one| BarSeries {
            name: field.label(*one),
            look: field.look(*one),
            bars: (0..groups).map(|group| bar(*one, group)).collect(),
        })
        .filter(|series| series.bars.iter().any(Option::is_some))
        .collect()
}
