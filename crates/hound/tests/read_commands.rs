//! What `hound status`, `hound results` and `hound explain` say about crawl folders made here by hand.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::io::Read;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use common::{Run, text};
use scenthound_engine::Access;
use scenthound_frontier::{End, Frontier, HostEffect, HostPolicy, HostRules, Next, Settled};
use scenthound_robots::Rules;
use scenthound_store::{ArchiveSettings, CrawlFolder, Mark, PageRecord, Position, RecordFiles, Via};
use scenthound_types::{
    CanonicalUrl, GenreGuess, Keyring, Merge, Offer, Parts, Rank, StateDelta, TermHit, TermSet, Timestamp,
    Update,
};
use scenthound_types::{LeaseKind, OutcomeCode, PageNote};
use tempfile::TempDir;

const SETTINGS: &str = r#"
[topic]
name = "green tea"
[terms]
content = ["tea"]
[seeds]
urls = ["http://hub.test/"]
[judge]
kind = "terms"
threshold = 0.5
[strategy]
kind = "best-first"
[crawl]
max-pages = 10
max-bytes = "1MB"
scope = "domain"
exclude = ["[?&]sort="]
"#;

fn folder(settings: &str, records: &[PageRecord]) -> TempDir {
    let temp = tempfile::tempdir().unwrap();
    let folder = CrawlFolder::open_or_create(temp.path()).unwrap();
    folder.write_settings(settings).unwrap();
    let (mut files, _) =
        RecordFiles::open(&folder, ArchiveSettings::named("tea", 0), Mark::default()).unwrap();
    for record in records {
        files.append_page(record).unwrap();
    }
    files.mark().unwrap();
    temp
}

fn page(url: &str, title: &str, relevance: f64) -> PageRecord {
    PageRecord {
        url: url.to_owned(),
        status: Some(200),
        fetched_at: "2026-11-15T12:00:00Z".to_owned(),
        ms: 12,
        bytes: 3_000,
        title: Some(title.to_owned()),
        relevance: Some(relevance),
        relevant: Some(relevance >= 0.5),
        parts: Some(Parts {
            content: Some(relevance),
            terms: vec![TermHit {
                set: TermSet::Content,
                term: "tea".into(),
                count: 3,
                share: relevance,
            }],
            ..Parts::default()
        }),
        depth: 1,
        parent: Some("http://hub.test/".to_owned()),
        via: Via::Link,
        class: Some(0),
        score: Some(0.9),
        ..PageRecord::default()
    }
}

fn failed(url: &str, outcome: OutcomeCode) -> PageRecord {
    PageRecord {
        status: None,
        outcome,
        bytes: 0,
        title: None,
        relevance: None,
        relevant: None,
        parts: None,
        ..page(url, "", 0.0)
    }
}

fn hub() -> PageRecord {
    PageRecord {
        depth: 0,
        parent: None,
        seed: true,
        via: Via::Seed,
        score: Some(1.0),
        ..page("http://hub.test/", "All about tea", 0.9)
    }
}

fn hound(folder: &Path, command: &str, more: &[&str]) -> Run {
    let arguments = [&[command, text(folder)], more].concat();
    // The tables below are drawn for this width.
    let mut command = common::command(Path::new("."), &arguments);
    command.env("COLUMNS", "90").output().unwrap().into()
}

fn says(folder: &Path, command: &str, more: &[&str]) -> (String, String) {
    let run = hound(folder, command, more);
    assert!(run.is_good(), "{run:?}");
    // The path of the folder differs from run to run.
    (run.out.replace(text(folder), "DIR"), run.err)
}

fn assert_same(got: &str, expected: &str) {
    assert!(
        got.trim_end() == expected.trim(),
        "got:\n{got}\nexpected:\n{expected}"
    );
}

fn tea_pages() -> Vec<PageRecord> {
    vec![
        PageRecord {
            fingerprint: Some(0xff),
            ..hub()
        },
        PageRecord {
            fingerprint: Some(0xf0f0_0000),
            ..page("http://hub.test/green", "Green tea", 0.6)
        },
        page("http://hub.test/jp", "緑茶の本 \u{1b}[31mred", 0.7),
        PageRecord {
            will_retry: true,
            ..failed("http://hub.test/down", OutcomeCode::FailedConnect)
        },
        page("http://hub.test/cars", "Cars", 0.1),
        PageRecord {
            fingerprint: Some(0xf0f0_0001),
            duplicate_of: Some("http://hub.test/green".to_owned()),
            ..page("http://hub.test/green2", "Green tea, again", 0.61)
        },
        // A second visit: the later record counts.
        page("http://hub.test/cars", "Cars and tea, \"both\"", 0.2),
        PageRecord {
            notes: vec![PageNote::Noindex],
            hidden: true,
            ..page("http://hub.test/hidden", "Hidden", 1.0)
        },
        PageRecord {
            unasked: true,
            ..failed("http://hub.test/private/x", OutcomeCode::RefusedRobots)
        },
        PageRecord {
            final_url: Some("http://hub.test/green".to_owned()),
            ..failed("http://hub.test/old", OutcomeCode::Redirect)
        },
    ]
}

#[test]
fn the_best_pages_come_first_once_each_and_aligned() {
    let crawl = folder(SETTINGS, &tea_pages());
    let (out, err) = says(crawl.path(), "results", &[]);
    assert_same(
        &out,
        "
#  score   ~content  copies  title                 URL
1  0.900*      0.90          All about tea         http://hub.test/
2  0.700*      0.70          緑茶の本 [31mred      http://hub.test/jp
3  0.600*      0.60      +1  Green tea             http://hub.test/green
4  0.200       0.20          Cars and tea, \"both\"  http://hub.test/cars",
    );
    assert_eq!(
        err,
        "4 of 6 pages, ranked by relevance (4 relevant, marked *); 1 near-duplicate folded (--with-duplicates shows them); \
         1 left out (noindex; --with-hidden shows them), 1 of them relevant\n"
    );
}

/// An empty list without a reason sends people looking for a fault in the crawl.
#[test]
fn a_filter_that_no_page_passes_names_what_there_is() {
    let of = |url: &str, language: &'static str, genre: &'static str| PageRecord {
        language: Some(language.into()),
        genre: Some(GenreGuess {
            class: genre.into(),
            confidence: 0.9,
        }),
        ..page(url, "Tea", 0.6)
    };
    let crawl = folder(
        SETTINGS,
        &[
            of("http://a.test/1", "en", "blog"),
            of("http://a.test/2", "ja", "blog"),
            of("http://www.b.test/", "en", "product"),
        ],
    );
    let results = |more: &[&str]| says(crawl.path(), "results", more);
    let notes = |err: &str| -> Vec<String> {
        let notes = err.lines().filter(|line| line.starts_with("note: "));
        notes.map(str::to_owned).collect()
    };
    let (out, err) = results(&["--genre", "nosuch"]);
    assert!(!out.contains("http"), "{out}");
    let said = notes(&err);
    assert_eq!(
        notes(&err)[0],
        "note: no page is of the genre \"nosuch\"; there are blog (2), product (1)"
    );
    assert!(
        notes(&err)[1]
            .starts_with("note: no page will be detected as nosuch; the detector knows article (F1 "),
        "{err}"
    );
    // Beside one that occurs, one that does not is named too.
    let (out, err) = results(&["--lang", "en,fr", "--host", "c.test", "--host", "b.test"]);
    assert!(
        out.contains("http://www.b.test/") && !out.contains("a.test"),
        "{out}"
    );
    assert_eq!(
        notes(&err),
        [
            "note: no page is in the language \"fr\"; there are en (2), ja (1)",
            "note: no page is of the host \"c.test\"; there are a.test (2), www.b.test (1)"
        ]
    );
    // Names are taken as people write them, and a shop is where products are.
    for (asked, shown) in [("Blog", "http://a.test/1"), ("shop", "http://www.b.test/")] {
        let (out, err) = results(&["--genre", asked]);
        assert!(
            out.contains(shown) && notes(&err).is_empty(),
            "{asked}: {out}{err}"
        );
    }
    // Search and exports say the same.
    for command in [
        &["search", "x", "tea", "--genre", "nosuch"][..],
        &["export", "x", "--to", "jsonl", "--genre", "nosuch"],
    ] {
        let (name, more) = (command[0], &command[2..]);
        assert_eq!(notes(&says(crawl.path(), name, more).1), said, "{name}");
    }
    // A crawl without genres says that, instead of naming none.
    let plain = folder(SETTINGS, &tea_pages());
    let (_, err) = says(plain.path(), "results", &["--genre", "blog"]);
    assert!(err.contains("this crawl did not detect genres"), "{err}");
}

#[test]
fn why_shows_the_reasons_under_each_page() {
    let crawl = folder(SETTINGS, &tea_pages());
    let (out, _) = says(crawl.path(), "results", &["--top", "2", "--why"]);
    assert_same(
        &out,
        "
#  score   ~content  title             URL
1  0.900*      0.90  All about tea     http://hub.test/
      content: tea ×3 (0.90)
      depth 0: seed, priority 1.000 in class 0
2  0.700*      0.70  緑茶の本 [31mred  http://hub.test/jp
      content: tea ×3 (0.70)
      depth 1 from http://hub.test/: linked from its parent, priority 0.900 in class 0",
    );
}

#[test]
fn json_lines_are_the_records_and_name_the_page_that_is_repeated() {
    let crawl = folder(SETTINGS, &tea_pages());
    let (out, _) = says(
        crawl.path(),
        "results",
        &["--format", "jsonl", "--relevant-only", "--with-duplicates"],
    );
    let lines: Vec<serde_json::Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let repeats: Vec<(&str, Option<&str>)> = lines
        .iter()
        .map(|line| (line["url"].as_str().unwrap(), line["duplicate_of"].as_str()))
        .collect();
    assert_eq!(
        repeats,
        [
            ("http://hub.test/", None),
            ("http://hub.test/jp", None),
            ("http://hub.test/green2", Some("http://hub.test/green")),
            ("http://hub.test/green", None),
        ]
    );
    let last: PageRecord = serde_json::from_value(lines[3].clone()).unwrap();
    assert_eq!(last, tea_pages()[1]);
}

#[test]
fn csv_has_a_header_and_quotes_what_needs_it() {
    let crawl = folder(SETTINGS, &tea_pages());
    let (out, _) = says(crawl.path(), "results", &["--format", "csv", "--all"]);
    let lines: Vec<&str> = out.split("\r\n").collect();
    assert_eq!(lines.len(), 6);
    let names =
        "rank,id,url,title,relevance,relevant,genre,genre_confidence,genre_similarity,content_similarity,";
    assert!(lines[0].starts_with(names), "{}", lines[0]);
    let id = scenthound::page_id("http://hub.test/cars");
    assert_eq!(
        lines[4],
        format!(
            "4,{id},http://hub.test/cars,\"Cars and tea, \"\"both\"\"\",0.2,false,,,,0.2,,,1,http://hub.test/,\
             2026-11-15T12:00:00Z,200,3000,,,,neither,,,,,"
        )
    );
    assert_eq!(lines[5], "");
}

#[test]
fn a_closed_pipe_is_not_a_failure() {
    let many: Vec<PageRecord> = (0..3_000)
        .map(|n| page(&format!("http://hub.test/{n}"), "Tea", 0.6))
        .collect();
    let crawl = folder(SETTINGS, &many);
    let arguments = ["results", ".", "--all", "--format", "jsonl"];
    let mut child = common::command(crawl.path(), &arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 100];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut first).unwrap();
    drop(stdout);
    let run = Run::from(child.wait_with_output().unwrap());
    assert!(run.is_good());
    assert_eq!(run.err, "");
}

#[test]
fn a_crawl_that_has_read_nothing_says_so() {
    let crawl = folder(SETTINGS, &[]);
    let (out, err) = says(crawl.path(), "results", &["--format", "jsonl"]);
    assert_eq!((out.as_str(), err.as_str()), ("", "no page has been read yet\n"));
}

#[test]
fn a_line_that_is_not_a_record_is_reported_and_skipped() {
    let crawl = folder(SETTINGS, &tea_pages());
    let path = crawl.path().join("pages/pages.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{{\"v\":2,\"url\":1}}\n{text}{{\"torn")).unwrap();
    let (out, err) = says(crawl.path(), "results", &["--top", "1", "--format", "jsonl"]);
    assert!(out.contains("\"http://hub.test/\""), "{out}");
    assert!(err.contains("pages.jsonl:1 is not a page record"), "{err}");
}

#[test]
fn a_folder_of_an_earlier_version_is_refused_with_a_remedy() {
    let crawl = folder(SETTINGS, &[]);
    let line = r#"{"url":"http://hub.test/","kind":"page","outcome":"ok","fetched_at":"","ms":1,"bytes":1,"depth":0,"why":"seed"}"#;
    std::fs::write(crawl.path().join("pages/pages.jsonl"), format!("{line}\n")).unwrap();
    for command in ["results", "status"] {
        let output = hound(crawl.path(), command, &[]);
        let err = output.err;
        assert_ne!(output.code, Some(0), "{command}: {err}");
        assert!(
            err.contains("pages.jsonl:1 is a record of version 1") && err.contains("crawl into a new folder"),
            "{err}"
        );
    }
}

fn write_status(crawl: &Path, ended: &str) {
    let text = r#"{"version":1,"updated":"2026-11-15T12:00:09Z","pid":77,"running_ms":9000,"pages":8,"bodies":7,
        "relevant":5,"harvest_rate":0.625,"bytes":21000,"known":30,"waiting":21,"leased":0,"hosts":2,"hosts_resting":1,
        "errors":1,"outcomes":{"failed-connect":1,"ok":7,"refused-robots":1},"curve":[[4,2],[8,5]],"ended":ENDED,
        "resumable":true}"#;
    std::fs::write(crawl.join("logs/status.json"), text.replace("ENDED", ended)).unwrap();
}

#[test]
fn an_ended_crawl_is_shown_with_its_own_figures() {
    let crawl = folder(SETTINGS, &[]);
    write_status(crawl.path(), "\"the user stopped it\"");
    let (out, err) = says(crawl.path(), "status", &[]);
    let (figures, plot) = out.split_once("\n\nRelevant pages found:\n").unwrap();
    assert_same(
        figures,
        "
Crawl     green tea in DIR
          strategy best-first, judge terms (threshold 0.5), 1 seed, scope domain
State     ended 2026-11-15T12:00:09Z: the user stopped it
Pages     8 tried, 7 read, 5 relevant (harvest rate 0.625)
Frontier  30 URLs known, 21 waiting, 0 being fetched
Hosts     2, 1 resting
Time      9.0 s
Bytes     21.0 KB
Errors    1
          failed-connect                     1
          refused-robots                     1
Budget    8 of 10 pages, 2 left
          21.0 KB of 1.00 MB, 979 KB left
Resume    hound crawl DIR/crawl.toml -o DIR",
    );
    assert!(plot.starts_with("5 │"), "{plot}");
    assert_eq!(err, "");
}

#[test]
fn after_a_kill_the_records_are_counted_and_the_rest_is_dated() {
    let crawl = folder(SETTINGS, &tea_pages());
    write_status(crawl.path(), "null");
    let (out, err) = says(crawl.path(), "status", &[]);
    assert!(out.contains("State     stopped unexpectedly"), "{out}");
    assert!(
        out.contains("Pages     8 tried, 7 read, 4 relevant (harvest rate 0.500)"),
        "{out}"
    );
    assert!(out.contains("Bytes     21.0 KB"), "{out}");
    assert!(
        out.contains("Resume    hound crawl DIR/crawl.toml -o DIR"),
        "{out}"
    );
    assert_eq!(
        err,
        "note: pages, relevant, bytes, errors and the curve were counted from pages.jsonl; \
         the rest dates from 2026-11-15T12:00:09Z\n"
    );
    let (out, _) = says(crawl.path(), "status", &["--json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["state"], "killed");
    assert_eq!(json["outcomes"]["refused-robots"], 1);
    assert_eq!(json["counted"][0], "pages");
    assert_eq!(json["curve"].as_array().unwrap().len(), 8);
    assert_eq!(json["budgets"]["max_pages"], 10);
}

#[test]
fn a_running_crawl_is_known_by_its_process() {
    let crawl = folder(SETTINGS, &tea_pages());
    let held = CrawlFolder::open(crawl.path()).unwrap();
    let pid = std::process::id();
    let (out, _) = says(crawl.path(), "status", &[]);
    assert!(
        out.contains(&format!("State     running (process {pid})\n")),
        "{out}"
    );
    assert!(!out.contains("Resume"), "{out}");
    write_status(crawl.path(), "null");
    let (out, err) = says(crawl.path(), "status", &[]);
    let expected = format!("State     running (process {pid}), figures from 2026-11-15T12:00:09Z\n");
    assert!(out.contains(&expected), "{out}");
    assert_eq!(err, "");
    let (out, _) = says(crawl.path(), "explain", &["http://hub.test/later"]);
    assert!(
        out.contains("Stop the crawl (Ctrl-C saves) and try again."),
        "{out}"
    );
    let (out, _) = says(crawl.path(), "explain", &["http://hub.test/green"]);
    assert!(out.contains("Fetched and judged relevant: 0.600"), "{out}");
    drop(held);
}

#[test]
fn a_new_crawl_folder_says_how_to_start_the_crawl() {
    let crawl = folder(SETTINGS, &[]);
    let (out, err) = says(crawl.path(), "status", &[]);
    assert!(out.contains("State     nothing crawled yet\n"), "{out}");
    assert!(
        out.contains("Start     hound crawl DIR/crawl.toml -o DIR"),
        "{out}"
    );
    assert_eq!(err, "");
}

/// A frontier whose host forbids /private, with a page that was read and two links that wait.
fn with_frontier(crawl: &Path) {
    let keyring = Keyring::new(0);
    let url = |raw: &str| CanonicalUrl::parse(raw).unwrap();
    let offer = |raw: &str, score: f64| Offer {
        key: keyring.key(&url(raw)),
        url: url(raw),
        rank: Rank::of_score(score),
        merge: Merge::Max,
    };
    let now = Timestamp::from_millis(1_000);
    let policy = HostPolicy {
        delay: Duration::ZERO,
        ..HostPolicy::default()
    };
    let mut frontier = scenthound_frontier_durable::open(&crawl.join("state"), policy, keyring, now).unwrap();
    frontier.seed(&[offer("http://hub.test/", 1.0)], now).unwrap();
    let updates = [
        Update::Offer(offer("http://hub.test/later", 0.4)),
        Update::Offer(offer("http://hub.test/private/y", 0.3)),
        Update::Offer(offer("http://other.test/later", 0.2)),
    ];
    let rules = Rules::parse(b"User-agent: *\nDisallow: /private\n", "scenthound");
    for round in 0..2 {
        let Next::Fetch(leases) = frontier.take_many(1, now).unwrap() else {
            panic!("nothing to fetch")
        };
        let settled = Settled {
            lease: &leases[0],
            end: End::Fetched { relevance: 0.9 },
            host_effect: HostEffect::Asked,
            updates: if round == 1 { &updates } else { &[] },
            links: &[],
            rules: (round == 0).then(|| HostRules {
                bytes: Access::Rules(rules.clone()).to_bytes(),
                fresh_until: Timestamp::NEVER,
                crawl_delay: None,
            }),
            sitemaps: &[],
            requisites: &[],
        };
        frontier.settle(settled, now).unwrap();
    }
    frontier.commit(&StateDelta::default()).unwrap();
}

#[test]
fn a_fetched_page_is_explained_with_its_terms_its_path_and_its_attempts() {
    let mut records = tea_pages();
    records[1].archive = Some(Position {
        file: "tea-00000.warc.gz".into(),
        offset: 1234,
        length: 77,
    });
    let crawl = folder(SETTINGS, &records);
    with_frontier(crawl.path());
    let (out, _) = says(crawl.path(), "explain", &["http://HUB.test/green#top"]);
    assert_same(
        &out,
        "
http://hub.test/green
Green tea

Fetched and judged relevant: 0.600, at least the threshold 0.5
  content  0.600
           0.600  tea ×3

Path from the seed
  0.900  http://hub.test/
         seed, priority 1.000 in class 0
  0.600  http://hub.test/green
         linked from its parent, priority 0.900 in class 0

Attempts
  2026-11-15T12:00:00Z  ok (200); 3.00 KB in 0.0 s; archive/tea-00000.warc.gz at byte 1234

Redirected here from http://hub.test/old

Fingerprint 00000000f0f00000, 1 near-duplicate:
  http://hub.test/green2",
    );
}

#[test]
fn a_waiting_url_is_explained_with_its_priority_and_its_path() {
    let crawl = folder(SETTINGS, &tea_pages());
    with_frontier(crawl.path());
    let (out, _) = says(crawl.path(), "explain", &["http://hub.test/later"]);
    assert_same(
        &out,
        "
http://hub.test/later

Not fetched yet: it is waiting in the queue.
Priority   class 0, score 0.400, tie 0, number 1; 3 URLs in the queue
Found      linked from http://hub.test/, depth 1
Host       1 page requested
Robots     no line of the host's robots.txt applies to it

Path from the seed
  0.900  http://hub.test/
         seed, priority 1.000 in class 0
      …  http://hub.test/later",
    );
}

/// A robots.txt that does not exist allows everything, so it is no reason why a URL waits.
#[test]
fn a_url_that_waits_behind_a_spent_budget_does_not_blame_a_missing_robots_txt() {
    let robots = |outcome, status| PageRecord {
        kind: LeaseKind::Robots,
        status: Some(status),
        ..failed("http://other.test/robots.txt", outcome)
    };
    let answer = |records: Vec<PageRecord>, pages| {
        let crawl = folder(SETTINGS, &[tea_pages(), records].concat());
        with_frontier(crawl.path());
        let status = scenthound::StatusFile {
            pages,
            ..scenthound::StatusFile::default()
        };
        let status = serde_json::to_string(&status).unwrap();
        let logs = crawl.path().join("logs");
        std::fs::create_dir_all(&logs).unwrap();
        std::fs::write(logs.join("status.json"), status).unwrap();
        let (out, _) = says(crawl.path(), "explain", &["http://other.test/later"]);
        out.lines().nth(2).unwrap().to_owned()
    };
    let missing = || vec![robots(OutcomeCode::FailedStatus4xx, 404)];
    assert_eq!(
        answer(missing(), 10),
        "Not fetched yet: it was waiting in the queue when the crawl had used up its budget (--max-pages 10)."
    );
    assert_eq!(
        answer(missing(), 9),
        "Not fetched yet: it is waiting in the queue."
    );
    let failing = answer(vec![robots(OutcomeCode::FailedStatus5xx, 503)], 10);
    assert!(
        failing.contains("robots.txt could not be fetched (the server answered 503)"),
        "{failing}"
    );
}

#[test]
fn a_url_that_robots_txt_forbids_names_the_line() {
    let crawl = folder(SETTINGS, &tea_pages());
    with_frontier(crawl.path());
    let line = "Robots     forbidden by the host's robots.txt: Disallow: /private (line 2)";
    for url in ["http://hub.test/private/x", "http://hub.test/private/y"] {
        let (out, _) = says(crawl.path(), "explain", &[url]);
        assert!(out.contains(line), "{out}");
    }
    let (out, _) = says(crawl.path(), "explain", &["http://hub.test/private/x"]);
    assert!(
        out.contains("Not fetched: the host's robots.txt disallows it\n"),
        "{out}"
    );
}

#[test]
fn a_url_outside_the_scope_names_the_rule() {
    let crawl = folder(SETTINGS, &tea_pages());
    with_frontier(crawl.path());
    let answer = |url: &str| {
        says(crawl.path(), "explain", &[url])
            .0
            .lines()
            .nth(2)
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        answer("http://cars.test/"),
        "Not part of this crawl: it is outside the seeds' scope (scope = domain)"
    );
    assert_eq!(
        answer("http://hub.test/?sort=up"),
        "Not part of this crawl: an exclude pattern matches it (exclude = [?&]sort=)"
    );
}

#[test]
fn a_url_never_seen_gets_the_known_ones_that_look_like_it() {
    let crawl = folder(SETTINGS, &tea_pages());
    with_frontier(crawl.path());
    let (out, _) = says(crawl.path(), "explain", &["https://www.hub.test/green/"]);
    assert!(
        out.contains("Never seen: no page that was read has a followable link to it"),
        "{out}"
    );
    assert!(
        out.contains("Did you mean\n  http://hub.test/green (fetched)\n"),
        "{out}"
    );
    let (out, _) = says(crawl.path(), "explain", &["http://hub.test/later/", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["standing"], "never-seen");
    assert_eq!(
        json["similar"][0],
        serde_json::json!({"url": "http://hub.test/later", "fetched": false})
    );
}

#[test]
fn failures_redirects_and_robots_txt_are_explained_in_words() {
    let robots = PageRecord {
        relevance: None,
        kind: LeaseKind::Robots,
        ..page("http://hub.test/robots.txt", "", 0.0)
    };
    let crawl = folder(SETTINGS, &[tea_pages(), vec![robots]].concat());
    with_frontier(crawl.path());
    let answer = |url: &str| {
        says(crawl.path(), "explain", &[url])
            .0
            .lines()
            .nth(2)
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        answer("http://hub.test/down"),
        "Could not be fetched: the connection was refused or the host is unreachable; will be tried again"
    );
    assert_eq!(answer("http://hub.test/robots.txt"), "Fetched.");
    assert_eq!(
        answer("http://hub.test/old"),
        "Not a page: it redirects to http://hub.test/green"
    );
}

#[test]
fn a_folder_without_a_crawl_and_a_bad_url_are_refused_with_a_remedy() {
    let empty = tempfile::tempdir().unwrap();
    let missing = empty.path().join("none");
    for (folder, words) in [
        (empty.path(), "does not contain a crawl"),
        (&missing, "does not exist"),
    ] {
        for (command, more) in [
            ("status", &[][..]),
            ("results", &[]),
            ("explain", &["http://a.test/"]),
        ] {
            let run = hound(folder, command, more);
            assert!(!run.is_good() && run.out.is_empty(), "{run:?}");
            let err = run.err;
            assert!(
                err.contains(words) && err.contains("passed to hound crawl with -o"),
                "{err}"
            );
        }
    }
    let crawl = folder(SETTINGS, &[]);
    let run = hound(crawl.path(), "explain", &["hub.test/green"]);
    assert!(!run.is_good());
    let err = run.err;
    assert!(
        err.contains("hub.test/green is not an absolute URL; write https://hub.test/green"),
        "{err}"
    );
}
