//! `hound bench` on a web made of real pages.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod common;

use std::fmt::Write as _;
use std::path::Path;

use common::hound_in;
use serde_json::Value;

/// An archive of pages that link to nothing in particular.
fn archive(path: &Path, pages: usize) {
    let mut warc = String::new();
    for page in 0..pages {
        let words: String = (0..40).fold(String::new(), |mut words, n| {
            let _ = write!(words, "w{}x ", (page * 7919 + n * 104_729) % 5_003);
            words
        });
        let html = format!(
            "<title>page {page}</title><img src=i.png><p>{words}<p><a href='http://elsewhere.test/'>there</a> \
             <a href=\"here?{page}\">here</a>"
        );
        let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{html}");
        let _ = write!(
            warc,
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{page:08}-0000-4000-8000-000000000000>\r\n\
             WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: http://a.test/{page}\r\n\
             Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n",
            http.len()
        );
    }
    std::fs::write(path, warc).unwrap();
}

#[test]
fn every_page_of_a_web_made_of_real_pages_is_crawled() {
    let folder = tempfile::tempdir().unwrap();
    archive(&folder.path().join("pages.warc"), 40);
    let args = [
        "bench",
        "--web",
        "pages.warc",
        "--hosts",
        "3",
        "--alone",
        "--json",
    ];
    let run: Value = serde_json::from_str(&hound_in(folder.path(), &args).good()).unwrap();
    let pages = |part: &str| run[part]["pages"].as_u64().unwrap();
    assert_eq!((pages("fetch"), pages("crawl")), (40, 40), "{run}");
    assert_eq!((&run["missed"], &run["wget2"]), (&Value::from(0), &Value::Null));
    let stages = run["crawl"]["stages"].as_array().unwrap();
    assert!(stages.iter().any(|stage| stage[0] == "parse"), "{run}");
    let compressor = |run: &Value| run["crawl"]["compressor"].as_str().unwrap().to_owned();
    assert!(
        ["igzip 1", "libdeflate 1"].contains(&compressor(&run).as_str()),
        "{run}"
    );
    let without = [&args[..], &["--without-igzip"]].concat();
    let run: Value = serde_json::from_str(&hound_in(folder.path(), &without).good()).unwrap();
    assert_eq!(compressor(&run), "libdeflate 1");
}

#[test]
fn a_web_without_pages_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    archive(&folder.path().join("empty.warc"), 0);
    let run = hound_in(folder.path(), &["bench", "--web", "empty.warc"]);
    assert!(!run.is_good());
    assert!(run.err.contains("no HTML pages"), "{run:?}");
}

#[test]
fn a_collection_is_compared_with_a_plain_crawl_of_the_same_pages() {
    let folder = tempfile::tempdir().unwrap();
    archive(&folder.path().join("pages.warc"), 40);
    let args = [
        "bench",
        "--web",
        "pages.warc",
        "--hosts",
        "3",
        "--collection",
        "--rounds",
        "2",
        "--json",
    ];
    let run: Value = serde_json::from_str(&hound_in(folder.path(), &args).good()).unwrap();
    let rounds = run["rounds"].as_array().unwrap();
    assert_eq!(rounds.len(), 2, "{run}");
    for round in rounds {
        assert_eq!(
            (&round["with"]["pages"], &round["without"]["pages"]),
            (&Value::from(40), &Value::from(40))
        );
    }
    assert!(run["cpu_ratio"]["mean"].as_f64().unwrap() > 0.0 && run["cpu_ratio"]["within"].is_number());
}

/// The crawl of a bench wrote no figures for a while, so every comparison waited for them until the crawl was over.
#[test]
fn viewers_come_and_go_while_the_crawl_runs() {
    let folder = tempfile::tempdir().unwrap();
    let args = [
        "bench",
        "--viewers",
        "2",
        "--pages",
        "300",
        "--hosts",
        "5",
        "--bytes",
        "3000",
        "--links",
        "20",
        "--delay",
        "250ms",
        "--json",
    ];
    let run: Value = serde_json::from_str(&hound_in(folder.path(), &args).good()).unwrap();
    let stretches = run["stretches"].as_array().unwrap();
    assert!(!stretches.is_empty(), "{run}");
    assert!(
        stretches
            .iter()
            .all(|stretch| stretch["pages"].as_u64() > Some(0)),
        "{run}"
    );
}

/// Small, with a death: what is measured is meaningless, but everything is measured.
#[test]
fn a_cluster_is_compared_with_one_machine_and_a_node_takes_over_from_another() {
    if scenthound_testweb::RedisServer::start(&[]).unwrap().is_none() {
        return scenthound_testweb::skip("redis-server is not installed");
    }
    let folder = tempfile::tempdir().unwrap();
    let args = [
        "bench",
        "--cluster",
        "--pages",
        "400",
        "--hosts",
        "12",
        "--bytes",
        "3000",
        "--links",
        "20",
        "--lease",
        "5",
        "--rounds",
        "2",
        "--json",
    ];
    let run: Value = serde_json::from_str(&hound_in(folder.path(), &args).good()).unwrap();
    let rounds = run["rounds"].as_array().unwrap();
    assert_eq!((rounds.len(), &run["nodes"]), (2, &Value::from(2)), "{run}");
    for round in rounds {
        for side in ["one_machine", "cluster"] {
            assert_eq!(round[side]["pages"], 400, "{side}: {round}");
            assert_eq!(round[side]["known"], 400, "{side}: {round}");
        }
        let redis = &round["redis"];
        for figure in ["bytes_per_known_url", "scripts_per_page", "commands_per_page"] {
            assert!(redis[figure].as_f64() > Some(0.0), "{figure}: {round}");
        }
        assert!(redis["lesson_bytes"].is_number(), "{round}");
        // Nobody may take a shard before the lease of its owner has ended.
        let seconds = round["take_over_seconds"].as_f64().unwrap();
        assert!((3.0..60.0).contains(&seconds), "{round}");
    }
    assert!(run["cpu_ratio"]["mean"].as_f64().unwrap() > 0.0 && run["cpu_ratio"]["within"].is_number());
}
