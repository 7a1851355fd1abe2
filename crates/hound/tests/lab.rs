//! `hound lab` as people run it: the real binary, on webs of a few pages.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may panic and print"
)]

mod common;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use common::{Run, Workspace};
use scenthound_lab::synth::{SynthSettings, SynthWeb, preset, write_folder};
use scenthound_store::CrawlView;
use serde_json::Value;

/// Writes a small synthetic web to `web`.
fn synthetic(place: &Workspace, settings: SynthSettings) -> SynthWeb {
    let web = SynthWeb::new(settings).unwrap();
    write_folder(&web, &place.path("web"), &mut |_| ()).unwrap();
    web
}

fn tiny() -> SynthSettings {
    SynthSettings {
        pages: 120,
        hosts: 6,
        traps: 0.0,
        words: 40,
        ..preset("little").unwrap()
    }
}

/// A WARC of pages, each given as URL, words and links.
fn warc(pages: &[(&str, &str, &[&str])]) -> String {
    pages
        .iter()
        .map(|(url, words, links)| {
            let links: String = links
                .iter()
                .map(|link| format!("<p><a href=\"{link}\">on</a>"))
                .collect();
            let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{words}{links}");
            format!(
                "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n\
                 WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n\
                 Content-Type: application/http;msgtype=response\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
                block.len()
            )
        })
        .collect()
}

/// Writes a web about tea, with URLs in various spellings and pages of various relevance.
fn tea(place: &Workspace) {
    let folder = place.path("web");
    fs::create_dir_all(&folder).unwrap();
    let pages = warc(&[
        (
            "http://H.test:80/",
            "start",
            &["/weak", "/strong", "/%7eme", "/never"],
        ),
        ("http://h.test/weak", "tea", &[]),
        ("http://h.test/strong", "tea kettle", &[]),
        ("http://h.test/%7Eme", "cars", &[]),
    ]);
    fs::write(folder.join("pages.warc"), pages).unwrap();
    fs::write(folder.join("any"), "http://h.test/weak\nhttp://h.test/strong\n").unwrap();
    fs::write(folder.join("both"), "http://h.test/strong\n").unwrap();
    let task = |name: &str| {
        format!(
            "[[task]]\nname = \"{name}\"\nseeds = [\"http://h.test/\"]\ncontent = [\"tea\", \"kettle\"]\nrelevant = \"{name}\"\n"
        )
    };
    fs::write(folder.join("tasks.toml"), task("any") + &task("both")).unwrap();
}

#[test]
fn a_replay_gives_all_its_figures_as_json() {
    let place = Workspace::new();
    synthetic(&place, tiny());
    let run = || {
        place.json(&[
            "lab",
            "replay",
            "--web",
            "web",
            "--task",
            "kapaben",
            "--strategy",
            "fs-2:ties=probe",
            "--budget",
            "30%",
            "--delay",
            "1s",
            "--workers",
            "3",
            "--latency",
            "100ms",
            "--seed",
            "5",
            "--json",
        ])
    };
    let mut first = run();
    for number in [
        "reachable",
        "relevant_total",
        "relevant_reachable",
        "fetched",
        "found",
        "not_recorded",
        "auc30",
        "auc100",
        "harvest_5",
        "harvest_10",
        "harvest_20",
        "target_recall",
        "precision",
        "recall",
        "f1",
        "virtual_seconds",
        "seconds",
    ] {
        assert!(first[number].is_number(), "{number} in {first}");
    }
    assert!(first.as_object().unwrap().contains_key("visits_for_90"));
    assert_eq!(first["web"], "web");
    assert_eq!(first["task"], "kapaben");
    assert_eq!(first["strategy"], "fs-2:ties=probe");
    assert_eq!(first["judge"], "terms");
    assert_eq!(first["settings"]["delay"], 1.0);
    assert_eq!(first["settings"]["workers"], 3);
    assert_eq!(first["settings"]["seed"], 5);
    let reachable = first["reachable"].as_f64().unwrap();
    assert_eq!(first["fetched"].as_f64().unwrap(), (0.3 * reachable).ceil());
    assert!(first["virtual_seconds"].as_f64().unwrap() > 1.0);
    // The second replay reads the cache and gives the same result.
    let mut second = run();
    for run in [&mut first, &mut second] {
        run.as_object_mut().unwrap().remove("seconds");
    }
    assert_eq!(first, second);
    assert_eq!(fs::read_dir(place.path("cache/webs")).unwrap().count(), 1);
}

#[test]
fn the_order_of_visits_is_spelled_as_recorded() {
    let place = Workspace::new();
    tea(&place);
    let shown = place.says(&[
        "lab",
        "replay",
        "--web",
        "web",
        "--task",
        "any",
        "--strategy",
        "breadth-first",
        "--order",
        "order",
    ]);
    assert!(
        shown.contains("1 URLs were not recorded") || shown.contains("1 URL was not recorded"),
        "{shown}"
    );
    assert_eq!(
        fs::read_to_string(place.path("order")).unwrap(),
        "http://H.test:80/\nhttp://h.test/weak\nhttp://h.test/strong\nhttp://h.test/%7Eme\n"
    );
}

#[test]
fn a_web_without_tasks_can_be_replayed_with_a_topic_file() {
    let place = Workspace::new();
    tea(&place);
    fs::write(
        place.path("topic.toml"),
        "[topic]\nname = \"tea\"\n[terms]\ncontent = [\"tea\", \"kettle\"]\n[seeds]\nurls = [\"http://h.test/\"]\n",
    )
    .unwrap();
    let run = place.json(&[
        "lab",
        "replay",
        "--web",
        "web/pages.warc",
        "--topic",
        "topic.toml",
        "--json",
    ]);
    assert_eq!((&run["web"], &run["task"]), (&"pages.warc".into(), &"tea".into()));
    assert_eq!(
        (&run["reachable"], &run["relevant_total"]),
        (&4.into(), &2.into())
    );
}

/// The rows without what depends on the machine.
fn without_seconds(csv: &str) -> Vec<Vec<String>> {
    let rows: Vec<Vec<String>> = csv
        .lines()
        .map(|line| line.split(',').map(str::to_owned).collect())
        .collect();
    let at = rows[0].iter().position(|name| name == "seconds").unwrap();
    rows.into_iter()
        .map(|mut row| {
            row.remove(at);
            row
        })
        .collect()
}

#[test]
fn a_comparison_is_the_same_on_one_thread_and_on_four_in_all_four_formats() {
    let place = Workspace::new();
    synthetic(&place, tiny());
    let with = |more: &[&str]| {
        let mut arguments = vec![
            "lab",
            "compare",
            "--web",
            "web",
            "--strategies",
            "breadth-first,fs-2,random",
            "--judges",
            "terms,truth",
            "--repeats",
            "2",
            "--budget",
            "50%",
        ];
        arguments.extend(more);
        place.says(&arguments)
    };
    let csv = without_seconds(&with(&["--csv", "--jobs", "1"]));
    assert_eq!(csv, without_seconds(&with(&["--csv", "--jobs", "4"])));
    let json: Value = serde_json::from_str(&with(&["--json"])).unwrap();
    let runs = json["runs"].as_array().unwrap();
    // Three strategies, two judges, two tasks, twice; and the bound, once per judge and task.
    assert_eq!(runs.len(), 3 * 2 * 2 * 2 + 2 * 2);
    assert_eq!(csv.len(), 1 + runs.len());
    let shown = with(&["-o", "report.html"]);
    for part in [
        "breadth-first",
        "fs-2",
        "random",
        "upper-bound",
        "truth+terms",
        "t-test",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    let html = fs::read_to_string(place.path("report.html")).unwrap();
    assert!(html.contains("<svg") && html.contains("</html>"));
    for outside in ["src=\"http", "href=\"http", "@import", "url(http"] {
        assert!(!html.contains(outside), "{outside}");
    }
    // The bound has the same budget as the others.
    let bound = runs.iter().find(|run| run["strategy"] == "upper-bound").unwrap();
    let other = runs.iter().find(|run| run["strategy"] == "fs-2").unwrap();
    assert_eq!(bound["fetched"], other["fetched"]);
}

#[test]
fn judges_are_measured_from_words_and_from_examples() {
    let place = Workspace::new();
    synthetic(&place, tiny());
    let with = |more: &[&str]| {
        let mut arguments = vec!["lab", "judges", "--web", "web"];
        arguments.extend(more);
        place.says(&arguments)
    };
    let json: Value = serde_json::from_str(&with(&["--json", "--jobs", "1"])).unwrap();
    assert_eq!(
        json,
        serde_json::from_str::<Value>(&with(&["--json", "--jobs", "4"])).unwrap()
    );
    let rows = json["means"].as_array().unwrap();
    let row = |judge: &str, from: &str| {
        let found = rows
            .iter()
            .find(|row| row["judge"] == judge && row["from"] == from);
        found.unwrap()["AP"]["mean"].as_f64().unwrap()
    };
    assert!(
        row("terms", "query") > 0.0 && row("logistic", "all") > 0.3,
        "{rows:?}"
    );
    let shown = with(&[
        "--judges",
        "table",
        "--from",
        "3,all",
        "--by-task",
        "-o",
        "judges.html",
    ]);
    assert!(shown.contains("Means over the tasks") && shown.contains("best F1"));
    let html = fs::read_to_string(place.path("judges.html")).unwrap();
    assert!(html.contains("Learning curves") && html.contains("</html>"));
    let written = with(&["--from", "all", "--json", "figures.json"]);
    assert!(written.contains("Means over the tasks"));
    assert!(
        fs::read_to_string(place.path("figures.json"))
            .unwrap()
            .contains("\"tasks\"")
    );
}

#[test]
fn unknown_names_are_refused_with_the_known_ones() {
    let place = Workspace::new();
    tea(&place);
    let replay = ["lab", "replay", "--web", "web", "--task"];
    let compare = ["lab", "compare", "--web", "web", "--strategies"];
    let judges = ["lab", "judges", "--web", "web"];
    let cases: [(&[&str], &[&str], &[&str]); 15] = [
        (&replay, &["none"], &["\"none\"", "any, both"]),
        (
            &replay,
            &["any", "--strategy", "none"],
            &["\"none\"", "breadth-first", "otie"],
        ),
        (
            &replay,
            &["any", "--judge", "none"],
            &["\"none\"", "terms", "logistic", "truth"],
        ),
        (
            &replay,
            &["any", "--strategy", "fs-2:none=1"],
            &["\"none\"", "change-threshold", "ties"],
        ),
        (
            &replay,
            &["any", "--strategy", "fs-2:ties=none"],
            &["\"none\"", "fifo", "probe"],
        ),
        (
            &replay,
            &["any", "--strategy", "fs-2:threshold=0.5"],
            &["threshold", "--judge topic, terms"],
        ),
        (
            &replay,
            &["any", "--judge", "terms:ties=fifo"],
            &["ties", "strategy"],
        ),
        (&replay, &["any", "--budget", "130%"], &["130%", "30%"]),
        (
            &compare,
            &["fs-2", "--tasks", "any,none"],
            &["\"none\"", "any, both"],
        ),
        (&compare, &["fs-2,none"], &["\"none\"", "breadth-first"]),
        (&compare, &["fs-2", "--judges", "none"], &["\"none\"", "terms"]),
        (&judges, &["--from", "none"], &["\"none\"", "query"]),
        (
            &judges,
            &["--judges", "terms", "--from", "3"],
            &["no judge can be made"],
        ),
        (&compare, &["fs-2", "--baseline", "none"], &["none", "fs-2"]),
        (
            &["lab", "experiment"],
            &["none"],
            &["\"none\"", "paper1-policies", "paper3-time"],
        ),
    ];
    for (command, more, parts) in cases {
        let message = place.refuses(&[command, more].concat());
        for part in parts {
            assert!(message.contains(part), "{more:?}: {part:?} is not in {message}");
        }
    }
    for (web, part) in [
        ("synth:none", "little, paper1-60k"),
        ("nowhere", "nowhere"),
        ("cache", "WARC"),
    ] {
        fs::create_dir_all(place.path("cache")).unwrap();
        let message = place.refuses(&["lab", "replay", "--web", web, "--task", "any"]);
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn a_task_whose_seeds_were_not_recorded_is_refused_by_name() {
    let place = Workspace::new();
    tea(&place);
    let tasks = place.path("web/tasks.toml");
    let text = fs::read_to_string(&tasks).unwrap();
    fs::write(
        &tasks,
        text.replace("http://h.test/\"", "http://elsewhere.test/\""),
    )
    .unwrap();
    let message = place.refuses(&["lab", "replay", "--web", "web", "--task", "any"]);
    assert!(
        message.contains("task any") && message.contains("http://elsewhere.test/"),
        "{message}"
    );
    fs::write(&tasks, "[[task]]\nname = \"any\"\nseeds = 5\n").unwrap();
    let message = place.refuses(&["lab", "replay", "--web", "web", "--task", "any"]);
    assert!(message.contains("tasks.toml:3"), "{message}");
}

#[test]
fn an_archive_cut_in_the_middle_is_read_to_the_cut_with_a_warning() {
    let place = Workspace::new();
    synthetic(&place, tiny());
    let archive = place.path("web/pages.warc.gz");
    let whole = place.json(&["lab", "replay", "--web", "web", "--task", "kapaben", "--json"]);
    let bytes = fs::read(&archive).unwrap();
    // The seed is recorded near the end.
    fs::write(&archive, &bytes[..bytes.len() / 20 * 19]).unwrap();
    // Twice, because the warning must come from the cache too.
    for _ in 0..2 {
        let run = place.hound(&["lab", "replay", "--web", "web", "--task", "kapaben", "--json"]);
        let message = run.err.clone();
        assert!(
            message.contains("warning") && message.contains("pages.warc.gz"),
            "{message}"
        );
        let cut = run.json();
        let (cut_at, all) = (
            cut["fetched"].as_u64().unwrap(),
            whole["fetched"].as_u64().unwrap(),
        );
        assert!(cut_at > 10 && cut_at < all, "{cut_at} of {all}");
        assert!(cut["not_recorded"].as_u64() > whole["not_recorded"].as_u64());
    }
}

#[test]
fn tuning_on_one_task_is_refused() {
    let place = Workspace::new();
    tea(&place);
    let message = place.refuses(&[
        "lab",
        "tune",
        "--web",
        "web",
        "--tasks",
        "any",
        "--strategy",
        "fs-2",
        "--try",
        "ties=fifo,probe",
    ]);
    assert!(message.contains("at least two tasks"), "{message}");
    let message = place.refuses(&[
        "lab",
        "tune",
        "--web",
        "web",
        "--strategy",
        "fs-2",
        "--try",
        "none=1,2",
    ]);
    assert!(message.contains("\"none\""), "{message}");
}

#[test]
fn a_task_is_never_scored_with_a_setting_chosen_on_it() {
    // A page with one of two terms has similarity 0.7. Task `any` wants it, so it would choose 0.5; task `both` does not,
    // so it would choose 0.9. Each is scored with the other's choice.
    let place = Workspace::new();
    tea(&place);
    let tuned = place.json(&[
        "lab",
        "tune",
        "--web",
        "web",
        "--strategy",
        "breadth-first",
        "--try",
        "threshold=0.5,0.9",
        "--objective",
        "f1",
        "--json",
    ]);
    let by_task: Vec<&Value> = tuned["settings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["by_task"])
        .collect();
    let half = 2.0 / 3.0;
    let near = |value: &Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 1e-9;
    assert!(near(&by_task[0][0], 1.0) && near(&by_task[0][1], half), "{tuned}");
    assert!(near(&by_task[1][0], half) && near(&by_task[1][1], 1.0), "{tuned}");
    let held = tuned["held_out"].as_array().unwrap();
    for (fold, chosen) in held.iter().zip(["threshold=0.9", "threshold=0.5"]) {
        assert_eq!(fold["chosen"], chosen);
        assert!(near(&fold["value"], half), "{fold}");
    }
    assert!(near(&tuned["expected"], half));
}

#[test]
fn a_synthetic_web_is_written_to_an_empty_folder_only() {
    let place = Workspace::new();
    let write = [
        "lab", "synth", "little", "--pages", "80", "--hosts", "4", "-o", "made",
    ];
    assert!(place.says(&write).contains("80 pages; tasks: "));
    for file in ["pages.warc.gz", "labels.tsv", "tasks.toml", "synth.toml"] {
        assert!(place.path("made").join(file).is_file(), "{file}");
    }
    let before = fs::read(place.path("made/pages.warc.gz")).unwrap();
    assert!(place.refuses(&write).contains("made"));
    assert_eq!(before, fs::read(place.path("made/pages.warc.gz")).unwrap());
    let listed = place.says(&["lab", "synth"]);
    assert!(
        listed.contains("little") && listed.contains("speed-200k"),
        "{listed}"
    );
    // Printed settings can be read back.
    fs::write(
        place.path("my.toml"),
        place.says(&["lab", "synth", "little", "--settings"]),
    )
    .unwrap();
    let (own, named) = (
        place.json(&[
            "lab",
            "replay",
            "--web",
            "synth:my.toml",
            "--task",
            "kapaben",
            "--budget",
            "40",
            "--json",
        ]),
        place.json(&[
            "lab",
            "replay",
            "--web",
            "synth:little",
            "--task",
            "kapaben",
            "--budget",
            "40",
            "--json",
        ]),
    );
    assert_eq!(own["auc30"], named["auc30"]);
}

#[test]
fn experiments_are_listed_by_name() {
    let listed = Workspace::new().says(&["lab", "experiment"]);
    for name in [
        "paper1-thresholds",
        "paper1-policies",
        "paper2-weights",
        "paper3-recall",
        "paper3-time",
    ] {
        assert!(listed.contains(name), "{name} in {listed}");
    }
}

/// Waits until the process has installed its handler for Ctrl-C.
#[cfg(target_os = "linux")]
fn wait_until_interruptible(child: &Child) {
    let status = format!("/proc/{}/status", child.id());
    loop {
        let text = fs::read_to_string(&status).unwrap();
        let caught = text
            .lines()
            .find_map(|line| line.strip_prefix("SigCgt:"))
            .unwrap();
        // Signal 2 is the second bit.
        if u64::from_str_radix(caught.trim(), 16).unwrap() & 2 != 0 {
            return;
        }
        std::thread::yield_now();
    }
}

fn interrupt(child: &Child) {
    let done = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(done.success());
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_comparison_reports_the_finished_crawls() {
    let place = Workspace::new();
    synthetic(&place, tiny());
    let child = place
        .command(&[
            "lab",
            "compare",
            "--web",
            "web",
            "--strategies",
            "fs-2,otie",
            "--repeats",
            "100000",
            "-o",
            "part.html",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until_interruptible(&child);
    interrupt(&child);
    let run = Run::from(child.wait_with_output().unwrap());
    assert_eq!(run.code, Some(11), "{run:?}");
    let html = fs::read_to_string(place.path("part.html")).unwrap();
    assert!(run.err.contains("interrupted after "), "{run:?}");
    assert!(html.contains("interrupted after ") && html.contains("</html>"));
}

/// A served web, stopped at the end of the test.
struct Served {
    child: Child,
    flags: Vec<String>,
}

impl Served {
    fn start(place: &Workspace, web: &str) -> Served {
        let mut child = place
            .command(&["lab", "serve", web])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let flags: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        assert!(flags.iter().any(|flag| flag == "--proxy"), "{line}");
        Served { child, flags }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn visited(folder: &Path) -> Vec<String> {
    CrawlView::open(folder)
        .unwrap()
        .pages()
        .unwrap()
        .map(Result::unwrap)
        .filter(|record| record.is_page() && record.is_ok())
        .map(|record| record.url)
        .collect()
}

#[test]
fn a_live_crawl_of_a_served_web_visits_what_the_replay_visits_in_the_same_order() {
    let place = Workspace::new();
    let web = synthetic(&place, SynthSettings { https: 0.5, ..tiny() });
    let task = &web.tasks()[0];
    let quoted = |list: &[String]| format!("{list:?}");
    fs::write(
        place.path("topic.toml"),
        format!(
            "[topic]\nname = \"{}\"\n[terms]\ngenre = {}\ncontent = {}\n[seeds]\nurls = {}\n",
            task.name,
            quoted(&task.genre_terms),
            quoted(&task.content_terms),
            quoted(&task.seeds)
        ),
    )
    .unwrap();
    let served = Served::start(&place, "web");
    let flags: Vec<&str> = served.flags.iter().map(String::as_str).collect();
    for strategy in ["best-first", "fs-2"] {
        let mut arguments = vec![
            "crawl",
            "topic.toml",
            "-o",
            strategy,
            "--strategy",
            strategy,
            "--judge",
            "terms",
            "--concurrency",
            "1",
            "--delay",
            "0s",
            "--ip-delay",
            "0s",
            "--ignore-robots",
            "--sitemaps",
            "off",
            "--follow-nofollow",
            "--contact",
            "test@example.org",
        ];
        arguments.extend(&flags);
        place.says(&arguments);
        place.says(&[
            "lab",
            "replay",
            "--web",
            "web",
            "--task",
            &task.name,
            "--strategy",
            strategy,
            "--order",
            "order",
        ]);
        let order = fs::read_to_string(place.path("order")).unwrap();
        let replayed: Vec<&str> = order.lines().collect();
        let live = visited(&place.path(strategy));
        assert_eq!(live.len(), web.len() as usize, "{strategy}");
        assert_eq!(live, replayed, "{strategy}");
        assert!(
            live.iter().any(|url| url.starts_with("https:"))
                && live.iter().any(|url| url.starts_with("http:"))
        );
    }
}
