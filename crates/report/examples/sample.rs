//! A report of made-up runs, to look at: `cargo run -p scenthound-report --example sample > sample.html`.
//!
//! `sample text`, `sample markdown`, `sample csv`, `sample json` and `sample experiment` print the other forms.
#![allow(clippy::print_stdout, reason = "printing is what an example is for")]

use scenthound_report::plot::{Axis, Guide, LineChart, Look, Point, Scale, Series, Spread};
use scenthound_report::table::{Cell, Column, Form};
use scenthound_report::{Experiment, ReportSettings, RunResult, report};

const WEBS: [(&str, &[&str]); 2] = [
    (
        "wiki-2,000",
        &["tea", "碩士班甄試", "旅遊", "rye & oats", "db <courses>"],
    ),
    (
        "synthetic",
        &["job offers", "sales", "緑茶の本", "camera reviews"],
    ),
];
/// Name, and how much better than random each visit is while relevant pages last.
const STRATEGIES: [(&str, f64); 6] = [
    ("breadth-first", 1.4),
    ("best-first", 3.6),
    ("pfs-2", 4.4),
    ("otie", 5.2),
    ("upper-bound", 40.0),
    ("random", 1.0),
];

/// A minimal random number generator for the example: a few rounds of shifting and multiplying.
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

fn run(web: &str, task: &str, strategy: (&str, f64), judge: &str, state: &mut u64) -> RunResult {
    let reachable = 1_200 + (random(state) * 900.0) as u64;
    let relevant = 60 + (random(state) * 90.0) as u64;
    let better = strategy.1 * (0.8 + 0.4 * random(state)) * if judge == "terms" { 1.0 } else { 1.08 };
    let mut hits = Vec::new();
    for visit in 1..=reachable {
        let (left, unseen) = (relevant - hits.len() as u64, reachable - visit + 1);
        let odds = (better * left as f64 / unseen as f64).min(1.0);
        if left > 0 && (random(state) < odds || left == unseen) {
            hits.push(visit as u32);
        }
    }
    let found = |visits: f64| hits.iter().filter(|hit| f64::from(**hit) <= visits).count() as f64;
    let auc = |share: f64| {
        let visits = (share * reachable as f64).ceil() as u64;
        (1..=visits).map(|visit| found(visit as f64)).sum::<f64>() / visits as f64 / relevant as f64
    };
    let harvest = [0.05, 0.1, 0.2].map(|share| found(share * reachable as f64) / (share * reachable as f64));
    let ninth = hits.get((relevant as f64 * 0.9).ceil() as usize - 1);
    let shift = 0.04 * random(state);
    RunResult {
        web: web.to_owned(),
        task: task.to_owned(),
        strategy: strategy.0.to_owned(),
        judge: judge.to_owned(),
        repeat: 0,
        reachable,
        relevant_reachable: relevant,
        fetched: reachable,
        found: relevant,
        called: 0,
        auc30: auc(0.3),
        auc100: auc(1.0),
        harvest,
        visits_for_90: ninth
            .map(|visit| f64::from(*visit) / reachable as f64)
            .filter(|_| strategy.0 != "random" || random(state) < 0.7),
        target_recall: 0.85 + 0.1 * random(state),
        precision: 0.8 + 0.1 * random(state),
        recall: 1.0,
        f1: 0.75 + 0.1 * random(state),
        virtual_seconds: 6_000.0 / better + 900.0 * random(state),
        seconds: 0.05 + 0.02 * random(state),
        calls: Vec::new(),
        f1_by_threshold: (0..20)
            .map(|step| 0.3 + 0.02 * f64::from(step))
            .map(|at| (at, 0.9 - 9.0 * (at - 0.45 - shift).powi(2) + 0.03 * random(state)))
            .collect(),
        precision_at: [5, 10, 20, 50]
            .map(|k| (k, 1.0 - 0.004 * f64::from(k) - 0.1 * random(state)))
            .to_vec(),
        share_by_rank: (0..5)
            .map(|step| {
                (
                    1 + 100 * step,
                    better / (better + f64::from(step) + random(state)),
                )
            })
            .collect(),
        hits,
    }
}

fn runs() -> Vec<RunResult> {
    let mut runs = Vec::new();
    let mut state = 7;
    for (web, tasks) in WEBS {
        for task in tasks {
            for strategy in STRATEGIES {
                runs.push(run(web, task, strategy, "terms", &mut state));
                if ["best-first", "otie"].contains(&strategy.0) {
                    runs.push(run(web, task, strategy, "logistic", &mut state));
                }
            }
        }
    }
    runs
}

fn experiment() -> Experiment {
    let columns = [
        Column::new("best F1", Form::Percent(2)).higher(),
        Column::new("threshold", Form::Decimals(2)),
        Column::new("pages", Form::Count),
    ];
    let row = |name: &str, ours: f64, paper: f64| {
        (
            name.to_owned(),
            vec![Cell::number(ours, Some(0.012)), 0.42.into(), 12_345_u64.into()],
            vec![paper.into(), "0.36…0.55".into()],
        )
    };
    let line = |number: usize, name: &str, rise: f64| Series {
        name: name.to_owned(),
        look: Look::Contender(number),
        points: (0..9)
            .map(|at| Point {
                x: 10_f64.powf(f64::from(at) / 2.0),
                y: rise * f64::from(at),
                error: Some(0.02),
            })
            .collect(),
    };
    let chart = LineChart {
        title: "Recall by pages, on a log axis".to_owned(),
        description: "Two rising lines.".to_owned(),
        x: Axis {
            scale: Scale::Log,
            ..Axis::new("pages")
        },
        y: Axis::new("recall").from(0.0),
        series: vec![
            line(0, "ours", 0.1),
            line(1, "ours, a quarter of the terms", 0.08),
        ],
        guides: vec![
            Guide::Level(0.884, "paper: 0.884".to_owned()),
            Guide::Upright(2_000.0, "passes".to_owned()),
        ],
        spread: Spread::Bars,
    };
    Experiment::new(
        "F1 by threshold",
        "How well do two sets of terms recognise relevant pages, and at which threshold?",
    )
    .side_by_side(
        "topic",
        &columns,
        &[
            row("data structures", 0.91, 0.9241),
            row("データベース", 0.93, 0.9254),
            row("job offers", 0.87, 0.8837),
        ],
        "Our figures, and the paper's below each",
    )
    .figure(chart, "A made-up figure.")
    .note("The paper's web of 2005 is gone, so only the shape can be compared.")
    .setting("idf", "1")
}

fn main() {
    let settings = ReportSettings {
        title: "Strategies compared: 碩士班甄試, 緑茶 & <friends>".to_owned(),
        notes: vec!["These runs are made up.".to_owned()],
        settings: vec![
            ("budget".to_owned(), "100 %".to_owned()),
            ("seed".to_owned(), "7".to_owned()),
            ("delay".to_owned(), "1 s per host, 30 workers".to_owned()),
        ],
        baseline: Some("best-first".to_owned()),
        ..ReportSettings::default()
    };
    let report = report(&runs(), &settings);
    match std::env::args().nth(1).as_deref() {
        Some("text") => print!("{}", report.text),
        Some("markdown") => print!("{}", report.markdown),
        Some("csv") => print!("{}", report.csv),
        Some("json") => println!("{:#}", report.json),
        Some("experiment") => print!("{}", experiment().page().html()),
        Some("experiment-text") => print!("{}", experiment().page().text()),
        _ => print!("{}", report.html),
    }
}
