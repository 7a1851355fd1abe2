//! What a comparison says, and what it never does.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod markup;

use markup::{assert_balanced, assert_no_odd_numbers};
use scenthound_report::compare::{contenders, find_baseline};
use scenthound_report::plot::Scale;
use scenthound_report::table::{Cell, Column, Form};
use scenthound_report::{Experiment, ReportSettings, RunResult, report};
use serde_json::Value;

fn run(task: &str, strategy: &str, auc30: f64) -> RunResult {
    RunResult {
        web: "tea".to_owned(),
        task: task.to_owned(),
        strategy: strategy.to_owned(),
        judge: "terms".to_owned(),
        reachable: 10,
        relevant_reachable: 2,
        fetched: 10,
        found: 2,
        auc30,
        auc100: auc30,
        harvest: [auc30; 3],
        visits_for_90: Some(0.5),
        target_recall: 0.5,
        precision: 0.9,
        recall: 1.0,
        f1: 0.8,
        seconds: 0.1,
        hits: vec![2, 7],
        f1_by_threshold: vec![(0.4, 0.7), (0.5, 0.9), (0.6, 0.9)],
        precision_at: vec![(5, 0.8), (10, 0.6)],
        ..RunResult::default()
    }
}

/// Four tasks on which `pfs` is ahead of `best` by 0.1, 0.2, 0.3 and 0.2.
fn four_tasks() -> Vec<RunResult> {
    let best = [0.3, 0.4, 0.5, 0.6];
    let pfs = [0.4, 0.6, 0.8, 0.8];
    let mut runs = Vec::new();
    for ((task, best), pfs) in ["oat", "rye", "tea", "緑茶"].iter().zip(best).zip(pfs) {
        runs.push(run(task, "upper-bound", 0.99));
        runs.push(run(task, "best", best));
        runs.push(run(task, "pfs", pfs));
        runs.push(run(task, "random", 0.1));
    }
    runs
}

fn summary<'a>(json: &'a Value, strategy: &str) -> &'a Value {
    let rows = json["summary"].as_array().unwrap();
    rows.iter().find(|row| row["strategy"] == strategy).unwrap()
}

fn near(value: &Value, known: f64) {
    let ours = value.as_f64().unwrap();
    assert!((ours - known).abs() < 1e-9, "{ours} is not {known}");
}

#[test]
fn means_errors_wins_and_tests_are_as_by_hand() {
    let json = report(&four_tasks(), &ReportSettings::default()).json;
    let pfs = summary(&json, "pfs");
    near(&pfs["measures"]["auc30"]["mean"], 0.65);
    // Squares from the mean: 0.0625 + 0.0025 + 0.0225 + 0.0225 = 0.11; 0.11 / 3 / 4.
    near(&pfs["measures"]["auc30"]["se"], (0.11_f64 / 12.0).sqrt());
    assert_eq!(
        (&pfs["wins"], &pfs["ties"], &pfs["losses"]),
        (&4.into(), &0.into(), &0.into())
    );
    assert_eq!(
        summary(&json, "upper-bound")["wins"],
        0,
        "a bound does not compete"
    );

    assert_eq!(
        json["baseline"]["strategy"], "best",
        "the first that is not a bound"
    );
    let tests = json["tests"].as_array().unwrap();
    assert_eq!(tests.len(), 2, "pfs in two measures: {tests:?}");
    // Differences 0.1, 0.2, 0.3, 0.2: mean 0.2, deviation √(0.02 / 3), t = 0.2 / √(0.02 / 12) = √24.
    near(&tests[0]["difference"], 0.2);
    near(&tests[0]["t"], 24_f64.sqrt());
    // Three degrees of freedom have a closed form: ½ − (θ + sin θ cos θ) / π with tan θ = t / √3.
    let theta = (24_f64.sqrt() / 3_f64.sqrt()).atan();
    near(
        &tests[0]["p"],
        0.5 - (theta + theta.sin() * theta.cos()) / std::f64::consts::PI,
    );
    assert_eq!(tests[0]["verdict"], "better");
    assert_eq!(tests[1]["measure"], "target_recall");
    near(&tests[1]["p"], 0.5);
    assert_eq!(tests[1]["verdict"], "not shown");
}

#[test]
fn alpha_decides_what_is_shown() {
    let strict = ReportSettings {
        alpha: 0.001,
        ..ReportSettings::default()
    };
    let json = report(&four_tasks(), &strict).json;
    assert_eq!(json["tests"][0]["verdict"], "not shown");
}

#[test]
fn repeats_of_a_task_count_as_one() {
    let mut runs = four_tasks();
    for repeat in 1..=8 {
        runs.push(RunResult {
            repeat,
            ..run("oat", "pfs", 0.4)
        });
    }
    let (once, often) = (
        report(&four_tasks(), &ReportSettings::default()).json,
        report(&runs, &ReportSettings::default()).json,
    );
    near(
        &summary(&often, "pfs")["measures"]["auc30"]["mean"],
        summary(&once, "pfs")["measures"]["auc30"]["mean"]
            .as_f64()
            .unwrap(),
    );
    assert_eq!(often["runs"].as_array().unwrap().len(), 24);
}

#[test]
fn the_same_runs_give_the_same_bytes() {
    let (one, two) = (
        report(&four_tasks(), &ReportSettings::default()),
        report(&four_tasks(), &ReportSettings::default()),
    );
    assert_eq!(one, two);
    assert_eq!(one.json.to_string(), two.json.to_string());
}

#[test]
fn a_report_of_nothing_says_so() {
    let report = report(&[], &ReportSettings::default());
    assert!(report.html.contains("There are no runs to compare."));
    assert!(report.text.contains("There are no runs to compare."));
    assert_eq!(report.csv.lines().count(), 1);
    assert_eq!(report.json["runs"], Value::Array(Vec::new()));
    assert_balanced(&report.html);
}

#[test]
fn one_run_is_a_report_without_tests() {
    let report = report(&[run("tea", "best", 0.5)], &ReportSettings::default());
    assert_balanced(&report.html);
    assert!(!report.text.contains("t-test"), "{}", report.text);
    assert!(report.text.contains("judged by terms"), "{}", report.text);
}

#[test]
fn the_page_loads_nothing_and_is_well_formed() {
    let html = report(&four_tasks(), &ReportSettings::default()).html;
    assert_balanced(&html);
    assert!(html.starts_with("<!doctype html>"));
    let elsewhere = html.replace("http://www.w3.org/2000/svg", "");
    for loading in ["http:", "https:", "//cdn", "src=", "href=", "url(", "@import"] {
        assert!(!elsewhere.contains(loading), "{loading}");
    }
    for figure in [
        "Coverage by visits",
        "Harvest rate by pages",
        "Target recall by pages",
        "F1 by threshold",
        "Precision at k",
    ] {
        assert!(html.contains(&format!("aria-label=\"{figure}\"")), "{figure}");
    }
    assert!(html.contains("緑茶"));
}

#[test]
fn hostile_names_reach_no_markup_no_terminal_and_no_spreadsheet() {
    let mut runs = four_tasks();
    for run in &mut runs {
        run.web = "<img src=x onerror=alert(1)>\u{1b}[2J".to_owned();
        run.task
            .push_str("\"'><script>alert(2)</script>\r\n,\u{0}\u{202e}");
        run.judge = "a|b`".to_owned();
    }
    let settings = ReportSettings {
        title: "</title><script>alert(3)</script>".to_owned(),
        settings: vec![("<i>".to_owned(), "</style>".to_owned())],
        notes: vec!["</ul>".to_owned()],
        ..ReportSettings::default()
    };
    let report = report(&runs, &settings);
    assert_balanced(&report.html);
    assert_eq!(report.html.matches("<script").count(), 1, "our own");
    assert!(!report.html.contains("<img"));
    for text in [&report.html, &report.text, &report.markdown] {
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
        assert!(!text.contains('\u{202e}'));
    }
    let lines: Vec<&str> = report.csv.split_terminator("\r\n").collect();
    assert_eq!(lines.len(), runs.len() + 1);
    assert!(lines.iter().all(|line| !line.contains(char::is_control)));
}

#[test]
fn numbers_that_are_none_reach_no_output() {
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, 0.0];
    let mut runs = four_tasks();
    for (at, run) in runs.iter_mut().enumerate() {
        let value = odd[at % odd.len()];
        (run.auc30, run.target_recall, run.harvest, run.f1) = (value, value, [value; 3], value);
        (run.virtual_seconds, run.visits_for_90) = (value, Some(value));
        run.f1_by_threshold = vec![(value, value), (0.5, value), (value, 0.5)];
        run.precision_at = vec![(5, value), (0, value)];
        (run.reachable, run.relevant_reachable) = if at % 3 == 0 { (0, 0) } else { (u64::MAX, u64::MAX) };
        run.hits = vec![u32::MAX, 0, 5, 5];
    }
    for pages in [Scale::Linear, Scale::Log] {
        let report = report(
            &runs,
            &ReportSettings {
                pages,
                ..ReportSettings::default()
            },
        );
        assert_balanced(&report.html);
        // The script itself mentions such numbers.
        assert_no_odd_numbers(report.html.split("<script>").next().unwrap());
        assert!(!report.csv.contains("NaN") && !report.csv.contains("inf"));
    }
}

#[test]
fn who_did_not_run_everywhere_is_named_and_does_not_win_a_column() {
    let mut runs = four_tasks();
    runs.push(run("oat", "lucky", 0.95));
    let report = report(&runs, &ReportSettings::default());
    assert!(
        report.text.contains("lucky ran on only 1 of 4 tasks"),
        "{}",
        report.text
    );
    let row = report
        .text
        .lines()
        .find(|line| line.starts_with("lucky "))
        .unwrap();
    assert!(row.contains("0.950") && !row.contains("0.950*"), "{row}");
}

#[test]
fn a_baseline_may_be_named_and_an_unknown_one_gets_the_names_there_are() {
    let runs = four_tasks();
    let named = |name: &str| ReportSettings {
        baseline: Some(name.to_owned()),
        ..ReportSettings::default()
    };
    assert_eq!(report(&runs, &named("pfs")).json["tests"][0]["verdict"], "worse");
    assert_eq!(
        report(&runs, &named("pfs · terms")).json["baseline"]["strategy"],
        "pfs"
    );
    let text = report(&runs, &named("pfz")).text;
    assert!(
        text.contains("no strategy `pfz` to compare with; choose one of `best · terms`, `pfs · terms`"),
        "{text}"
    );
    assert!(
        find_baseline(&runs, "pfz")
            .unwrap_err()
            .to_string()
            .contains("`best · terms`")
    );
    assert_eq!(find_baseline(&runs, "pfs").unwrap().judge, "terms");
    assert_eq!(contenders(&runs).len(), 4);
}

#[test]
fn csv_has_a_line_a_run_with_its_best_threshold_and_each_k() {
    let csv = report(&four_tasks(), &ReportSettings::default()).csv;
    let lines: Vec<&str> = csv.split_terminator("\r\n").collect();
    assert!(
        lines[0].ends_with("seconds,best_threshold,best_f1,precision_at_5,precision_at_10"),
        "{}",
        lines[0]
    );
    assert!(
        lines[1].starts_with("tea,oat,upper-bound,terms,0,10,2,10,2,0.99,"),
        "{}",
        lines[1]
    );
    assert!(
        lines[1].ends_with(",0.5,0.9,0.8,0.6"),
        "the lowest of the best thresholds: {}",
        lines[1]
    );
    let width = lines[0].split(',').count();
    assert!(lines.iter().all(|line| line.split(',').count() == width));
}

#[test]
fn the_coverage_curve_rises_where_relevant_pages_were_found() {
    // Finds at visits 2 and 7 of 10: half from 20 % on, all from 70 % on.
    let html = report(&[run("tea", "best", 0.5)], &ReportSettings::default()).html;
    for (found, at) in [(0, 0), (0, 15), (50, 25), (50, 65), (100, 75), (100, 100)] {
        let title = format!("<title>best: {found} at {at}</title>");
        assert!(html.contains(&title), "{title}");
    }
    // Target recall ends at 0.5, with half of that after the first find.
    assert!(html.contains("<title>best: 25 at 2</title>") && html.contains("<title>best: 50 at 7</title>"));
}

#[test]
fn many_contenders_are_all_in_the_tables_and_the_best_in_the_charts() {
    let mut runs = Vec::new();
    for task in ["oat", "rye"] {
        for number in 0..40 {
            runs.push(run(task, &format!("s{number:02}"), f64::from(number) / 100.0));
        }
    }
    let report = report(&runs, &ReportSettings::default());
    assert!(report.text.contains("s17"));
    let svg = report
        .html
        .split("</figure>")
        .find(|part| part.contains("<svg"))
        .unwrap();
    assert!(
        svg.contains(">s39</text>") && svg.contains(">s00</text>"),
        "the best, and the baseline"
    );
    assert!(!svg.contains(">s17</text>"));
    assert!(report.html.contains("Only the 12 best by auc30 are drawn"));
}

#[test]
fn an_experiment_sets_the_paper_below_ours_and_lets_only_ours_win() {
    let columns = [Column::new("F1", Form::Percent(1)).higher()];
    let rows = [
        ("tea".to_owned(), vec![Cell::from(0.5)], vec![Cell::from(0.9)]),
        ("rye".to_owned(), vec![Cell::from(0.6)], vec![]),
    ];
    let experiment = Experiment::new("F1 & thresholds", "How good?")
        .side_by_side("topic", &columns, &rows, "Ours and theirs")
        .note("Another web.")
        .setting("idf", "1");
    let page = experiment.page();
    let text = page.text();
    let shown: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("tea"))
        .take(3)
        .collect();
    assert_eq!(
        shown,
        ["tea      50.0 %", "└ paper  90.0 %", "rye      60.0 %*"],
        "{text}"
    );
    let html = page.html();
    assert_balanced(&html);
    assert!(html.contains("<tbody><tr><td class=\"w\">tea</td><td class=\"n\" data-v=\"0.5\">50.0 %</td></tr><tr class=\"paper-row\">"));
    assert!(html.contains("<b>60.0</b> %"));
    assert_eq!(
        experiment.csv(),
        "topic,F1\r\ntea,0.5\r\npaper,0.9\r\nrye,0.6\r\n"
    );
    assert!(page.markdown().contains("| *paper* | *90.0 %* |"));
}
