//! The dashboard of a running crawl in a real Chromium: every view, light and dark, wide and narrow, on pages with hostile
//! titles. The script that does it is `python/dashboard.py`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may panic and print"
)]

mod common;

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::time::Duration;

use common::bench_web::Web;
use common::python::{chromium, python_with};
use common::{command, text};
use scenthound_testweb::bench::BenchSize;

#[test]
fn every_view_works_in_chromium_while_a_crawl_of_hostile_pages_runs() {
    let (Some(python), Some(chromium)) = (
        python_with("playwright, axe_playwright_python, openapi_spec_validator"),
        chromium(),
    ) else {
        return;
    };
    let size = BenchSize {
        hosts: 6,
        pages: 20_000,
        bytes: 2_000,
        links: 12,
    };
    let web = Web::hostile(size, Duration::from_millis(10));
    let temp = tempfile::tempdir().unwrap();
    let arguments = [
        "crawl",
        "water light house",
        &web.seed,
        "--allow-net",
        "127.0.0.0/8",
        "-o",
        "crawl",
        "--delay",
        "150ms",
        "--ip-delay",
        "0s",
        "--dashboard",
        "127.0.0.1:0",
    ];
    let mut crawl = command(temp.path(), &arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut errors = BufReader::new(crawl.stderr.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("dashboard: ") {
        line.clear();
        assert!(errors.read_line(&mut line).unwrap() > 0, "the crawl ended");
    }
    let url = line.trim_start_matches("dashboard: ").trim().to_owned();
    // The rest must be read, or the crawl would wait for us.
    let rest = std::thread::spawn(move || {
        let mut text = String::new();
        let _ = errors.read_to_string(&mut text);
    });
    while web.page_requests().len() < 100 {
        std::thread::sleep(Duration::from_millis(50));
    }
    // What the lab writes opens in the dashboard too.
    let reports = temp.path().join("crawl/reports");
    let compare = |options: &[&str]| {
        let compare = [
            "lab",
            "compare",
            "--web",
            "synth:little",
            "--budget",
            "40",
            "--strategies",
        ];
        let output = command(
            temp.path(),
            &[&compare[..], &["breadth-first,best-first"], options].concat(),
        )
        .output()
        .unwrap();
        assert!(output.status.success(), "{output:?}");
        output.stdout
    };
    compare(&["-o", text(&reports.join("report.html"))]);
    std::fs::write(reports.join("compared.json"), compare(&["--json"])).unwrap();
    let script = scenthound_testweb::package_folder().join("tests/python/dashboard.py");
    let output = Command::new(python)
        .arg(script)
        .arg(&url)
        .arg(chromium)
        .output()
        .unwrap();
    crawl.kill().unwrap();
    crawl.wait().unwrap();
    rest.join().unwrap();
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{out}\n{err}");
}

#[test]
fn a_crawl_without_pages_and_views_on_their_way_say_so_in_chromium() {
    let (Some(python), Some(chromium)) = (
        python_with("playwright, axe_playwright_python, openapi_spec_validator"),
        chromium(),
    ) else {
        return;
    };
    let temp = tempfile::tempdir().unwrap();
    // Nothing listens there.
    let seed = "http://127.0.0.1:9/";
    let crawl = [
        "crawl",
        "water light house",
        seed,
        "--allow-net",
        "127.0.0.0/8",
        "-o",
        "crawl",
        "--retries",
        "0",
    ];
    command(temp.path(), &crawl).output().unwrap();
    let mut serving = command(temp.path(), &["serve", "crawl", "--addr", "127.0.0.1:0"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut errors = BufReader::new(serving.stderr.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("dashboard: ") {
        line.clear();
        assert!(errors.read_line(&mut line).unwrap() > 0, "the dashboard ended");
    }
    let url = line.trim_start_matches("dashboard: ").trim();
    let script = scenthound_testweb::package_folder().join("tests/python/dashboard.py");
    let output = Command::new(python)
        .arg(script)
        .arg(url)
        .arg(chromium)
        .arg("--empty")
        .output()
        .unwrap();
    serving.kill().unwrap();
    serving.wait().unwrap();
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{out}\n{err}");
}
