//! Several agents in one crawl, with the real program on loopback.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use common::bench_web::{PAGES, Web, records};
use common::{hound, text};

fn status(folder: &Path) -> serde_json::Value {
    hound(&["status", text(folder), "--json"]).json()
}

/// A crawl of three agents with these options in a fresh folder, to its end.
fn crawled(web: &Web, options: &[&str]) -> (tempfile::TempDir, std::path::PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().join("crawl");
    let options = [&["--agents", "3"], options, &web.more_seeds()[..]].concat();
    let ended = web.crawl(&folder, &options).wait().unwrap();
    assert_eq!(ended.code(), Some(0));
    (temp, folder)
}

#[test]
fn agents_share_what_was_seen_and_each_page_is_fetched_once() {
    let web = Web::start();
    let (_temp, folder) = crawled(&web, &[]);
    let records = records(&folder);
    let urls: BTreeSet<&str> = records.iter().map(|record| record.url.as_str()).collect();
    assert_eq!((records.len(), urls.len()), (PAGES, PAGES));
    assert_eq!(web.page_requests().len(), PAGES);
    let agents: BTreeSet<u8> = records.iter().map(|record| record.agent.unwrap()).collect();
    assert_eq!(agents, BTreeSet::from([1, 2, 3]));

    // The directory agrees with the records about each agent.
    let directory = status(&folder);
    for agent in directory["agents"].as_array().unwrap() {
        let number = agent["number"].as_u64().unwrap();
        let own = records
            .iter()
            .filter(|record| u64::from(record.agent.unwrap()) == number);
        let relevant = own.clone().filter(|record| record.relevant == Some(true)).count();
        assert_eq!(agent["pages"], own.count());
        assert_eq!(agent["relevant"], relevant);
        assert_eq!(agent["state"], "nothing left");
        assert!(matches!(agent["seeds"].as_array().unwrap().len(), 2 | 3));
    }
    let shown = hound(&["status", text(&folder)]).good();
    assert!(
        shown.contains("agent 2") && shown.contains("nothing left"),
        "{shown}"
    );

    // Results of one agent are the pages it found.
    let results = hound(&[
        "results",
        text(&folder),
        "--agent",
        "2",
        "--all",
        "--with-duplicates",
        "--format",
        "jsonl",
    ]);
    let own = records.iter().filter(|record| record.agent == Some(2));
    let own: BTreeSet<&str> = own.map(|record| record.url.as_str()).collect();
    let shown = results.json_lines();
    let shown: BTreeSet<&str> = shown.iter().map(|page| page["url"].as_str().unwrap()).collect();
    assert_eq!(shown, own);
}

#[test]
fn a_page_budget_is_shared_and_a_goal_stops_one_agent_but_not_the_others() {
    let web = Web::start();
    let (_temp, folder) = crawled(&web, &["--max-pages", "61"]);
    let mut pages: BTreeMap<u8, u64> = BTreeMap::new();
    for record in records(&folder) {
        *pages.entry(record.agent.unwrap()).or_default() += 1;
    }
    assert_eq!(pages, BTreeMap::from([(1, 21), (2, 20), (3, 20)]));

    let (_temp, folder) = crawled(&web, &["--goal", "5", "--judge", "terms:threshold=0.05"]);
    let directory = status(&folder);
    for agent in directory["agents"].as_array().unwrap() {
        assert_eq!(agent["state"], "goal met", "{agent}");
        assert!(agent["relevant"].as_u64().unwrap() >= 5);
    }
    assert!(records(&folder).len() < PAGES);
    // With a larger goal, the same crawl continues.
    let more = ["--agents", "3", "--goal", "10", "--judge", "terms:threshold=0.05"];
    let more = [&more[..], &web.more_seeds()].concat();
    assert_eq!(web.crawl(&folder, &more).wait().unwrap().code(), Some(0));
    let directory = status(&folder);
    let agents = directory["agents"].as_array().unwrap();
    assert!(
        agents
            .iter()
            .all(|agent| agent["relevant"].as_u64().unwrap() >= 10)
    );
}

#[test]
fn another_number_of_agents_is_another_crawl() {
    let web = Web::start();
    let (_temp, folder) = crawled(&web, &["--max-pages", "30"]);
    let two = [&["--agents", "2"], &web.more_seeds()[..]].concat();
    assert_eq!(web.crawl(&folder, &two).wait().unwrap().code(), Some(4));
    assert_eq!(records(&folder).len(), 30);
    let none = hound(&["crawl", "tea", &web.seed, "--agents", "0", "-o", "never"]);
    assert!(none.refused().contains("--agents"));
}

#[test]
fn pages_judged_again_stay_with_their_agents() {
    let web = Web::start();
    let (_temp, folder) = crawled(&web, &["--max-pages", "60"]);
    let topic = folder.with_extension("toml");
    std::fs::write(
        &topic,
        "[topic]\nname = \"lights\"\n[terms]\ncontent = [\"light\", \"house\"]\n",
    )
    .unwrap();
    hound(&["rejudge", text(&folder), "--topic", text(&topic)]).good();
    let more = ["--max-pages", "90"];
    let toml = folder.join("crawl.toml");
    hound(&[&["crawl", text(&toml), "-o", text(&folder)], &more[..]].concat()).good();
    let records = records(&folder);
    let urls: BTreeSet<&str> = records.iter().map(|record| record.url.as_str()).collect();
    assert_eq!((records.len(), urls.len()), (90, 90));
    let mut pages: BTreeMap<u8, u64> = BTreeMap::new();
    for record in &records {
        *pages.entry(record.agent.unwrap()).or_default() += 1;
    }
    assert_eq!(pages, BTreeMap::from([(1, 30), (2, 30), (3, 30)]));
}

#[test]
fn a_replay_reports_its_agents_and_notes_those_without_a_seed() {
    let replay = |web: &str, task: &str| {
        hound(&[
            "lab", "replay", "--web", web, "--task", task, "--agents", "3", "--budget", "90", "--json",
        ])
    };
    // Five seeds: two agents get two each, one gets one.
    let result = replay("synth:paper2-baseball", "kapaben").json();
    let agents = result["agents"].as_array().unwrap();
    assert_eq!(agents.len(), 3);
    let pages: u64 = agents.iter().map(|agent| agent["pages"].as_u64().unwrap()).sum();
    assert!(
        pages >= 90 && agents.iter().all(|agent| agent["pages"].as_u64().unwrap() >= 25),
        "{agents:?}"
    );
    // The little web's task has one seed.
    let run = replay("synth:little", "kapaben");
    assert!(run.err.contains("1 of 3 agents have a seed"), "{run:?}");
}
