//! Recorded webs of a few pages, where every number can be worked out by hand.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod archive;

use std::ops::ControlFlow;
use std::time::Duration;

use archive::{Lists, Recorded, by_word, trial};
use scenthound_engine::{CrawlSettings, PageSettings, Scope};
use scenthound_frontier::HostPolicy;
use scenthound_lab::{LabBudget, LabSettings, Outcome, Trial};
use scenthound_strategy::{BestFirst, BreadthFirst, Otie, OtieSettings, Strategy};
use scenthound_types::CanonicalUrl;

use Recorded::{Moved, NoFollow, Page, Plain, Status};

fn crawl_with(
    trial: &Trial,
    strategy: impl Strategy + 'static,
    settings: &LabSettings,
    budget: LabBudget,
) -> Outcome {
    let judge = by_word("tea");
    trial
        .run(judge.as_ref(), Box::new(strategy), settings, budget, &mut |_| {
            ControlFlow::Continue(())
        })
        .unwrap()
}

fn crawl(trial: &Trial, settings: &LabSettings) -> Outcome {
    crawl_with(trial, BreadthFirst, settings, LabBudget::All)
}

/// Visited pages as the archive spells them, without `http://`.
fn order(trial: &Trial, outcome: &Outcome) -> Vec<String> {
    outcome
        .order
        .iter()
        .map(|page| trial.web.spelled(*page).replacen("http://", "", 1))
        .collect()
}

/// A hub, three pages, a page that moved, a dead link, and links to URLs that were not recorded.
fn moved_and_missing() -> Trial {
    let web = [
        (
            "http://h/",
            Page(
                "x",
                &[
                    "/never",
                    "/old",
                    "/gone",
                    "http://nobody/",
                    "/a",
                    "mailto:me@h",
                    "ftp://h/f",
                ],
            ),
        ),
        ("http://h/old", Moved("/older")),
        ("http://h/older", Moved("http://i/new")),
        ("http://i/new", Page("tea", &["http://h/b"])),
        ("http://h/gone", Status(404)),
        ("http://h/a", Page("x", &["/old", "/b", "/"])),
        ("http://h/b", Page("tea", &[])),
    ];
    let lists = Lists {
        seeds: &["http://h/"],
        relevant: &["http://i/new", "http://h/b", "http://h/lost"],
        ..Lists::default()
    };
    trial(&web, &lists)
}

#[test]
fn what_was_not_recorded_and_what_redirects_costs_no_visit() {
    let trial = moved_and_missing();
    let outcome = crawl(&trial, &LabSettings::default());
    assert_eq!(order(&trial, &outcome), ["h/", "i/new", "h/a", "h/b"]);
    assert_eq!(outcome.score.fetched, 4);
    assert_eq!(
        outcome.not_recorded, 2,
        "h/never and nobody/; mailto and ftp links do not count"
    );
    assert_eq!((trial.targets.reachable, trial.targets.relevant_total), (4, 3));
    assert_eq!(outcome.score.recall, 1.0);
    assert_eq!(outcome.score.target_recall, 2.0 / 3.0);
}

#[test]
fn what_was_not_recorded_takes_no_time_and_earns_no_rest() {
    let web = [
        ("http://h/", Page("x", &["/never", "/a"])),
        ("http://h/a", Page("x", &[])),
    ];
    let lists = Lists {
        seeds: &["http://h/"],
        ..Lists::default()
    };
    let trial = trial(&web, &lists);
    // Two requests to h, with a rest between them.
    assert_eq!(crawl(&trial, &clock(1_000, 0, 1)).virtual_seconds, 1.0);
}

#[test]
fn the_order_is_spelled_as_the_archive_spells_it() {
    let web = [
        ("http://H:80/%7eme", Page("x", &["http://h/b%2fc"])),
        ("http://h/b%2Fc", Page("tea", &[])),
    ];
    let lists = Lists {
        seeds: &["http://h/~me"],
        relevant: &["http://h/b%2fc"],
        ..Lists::default()
    };
    let trial = trial(&web, &lists);
    let outcome = crawl(&trial, &LabSettings::default());
    assert_eq!(order(&trial, &outcome), ["H:80/%7eme", "h/b%2Fc"]);
    assert_eq!(outcome.score.found, 1);
}

#[test]
fn a_page_visited_again_is_counted_once() {
    let web = [
        ("http://h/", Page("tea", &["/a", "/b", "/c"])),
        ("http://h/a", Page("tea", &["/b", "/"])),
        ("http://h/b", Page("tea", &["/a", "/c", "/"])),
        ("http://h/c", Page("tea", &["/d", "/"])),
        ("http://h/d", Page("tea", &["/", "/a", "/b"])),
    ];
    let lists = Lists {
        seeds: &["http://h/"],
        relevant: &["http://h/a"],
        ..Lists::default()
    };
    let trial = trial(&web, &lists);
    let otie = Otie::new(OtieSettings {
        revisit_every: 1,
        list_size: 1,
        ..OtieSettings::default()
    });
    let settings = LabSettings {
        full_journal: true,
        ..LabSettings::default()
    };
    let outcome = crawl_with(&trial, otie, &settings, LabBudget::All);
    let visits = outcome
        .journal
        .lines()
        .filter(|line| line.contains(" page http"))
        .count();
    assert!(visits > 5, "nothing was visited again:\n{}", outcome.journal);
    let mut once = outcome.order.clone();
    once.sort();
    once.dedup();
    assert_eq!(
        (outcome.order.len(), once.len(), outcome.score.fetched),
        (5, 5, 5)
    );
    assert_eq!(outcome.score.found, 1);
}

/// Ten pages in a row; the second is an example, the third is ignored.
fn row() -> Trial {
    let urls: Vec<String> = (0..=10).map(|page| format!("http://h/{page}")).collect();
    let links: Vec<[&str; 1]> = urls.iter().skip(1).map(|url| [url.as_str()]).collect();
    let web: Vec<(&str, Recorded<'_>)> = urls
        .iter()
        .zip(&links)
        .map(|(url, links)| (url.as_str(), Page("tea", links.as_slice())))
        .collect();
    let lists = Lists {
        seeds: &["http://h/0"],
        relevant: &["http://h/1", "http://h/2", "http://h/4", "http://h/9"],
        positive: &["http://h/1"],
        ignore: &["http://h/2", "http://h/nowhere"],
        ..Lists::default()
    };
    trial(&web, &lists)
}

#[test]
fn examples_and_ignored_pages_are_crawled_through_and_not_counted() {
    let trial = row();
    let outcome = crawl(&trial, &LabSettings::default());
    assert_eq!(outcome.order.len(), 10);
    assert_eq!((trial.targets.reachable, outcome.score.fetched), (8, 8));
    assert_eq!(trial.targets.relevant_total, 2, "4 and 9");
    // Counted visits are 0 3 4 5 6 7 8 9: the relevant ones come third and last.
    assert_eq!(outcome.score.hits, [3, 8]);
    assert!(
        trial.truth().len() == 3,
        "for the judge that knows the truth, the example is relevant too"
    );
}

#[test]
fn budgets_are_pages_that_count() {
    let trial = row();
    let stops = |budget| {
        let outcome = crawl_with(&trial, BreadthFirst, &LabSettings::default(), budget);
        assert!(!outcome.is_partial);
        (outcome.score.fetched, order(&trial, &outcome).pop().unwrap())
    };
    assert_eq!(stops(LabBudget::Pages(1)), (1, "h/0".to_owned()));
    // 1 and 2 are visited in between but not counted.
    assert_eq!(stops(LabBudget::Pages(2)), (2, "h/3".to_owned()));
    // Half of the eight that count.
    assert_eq!(stops(LabBudget::Share(0.5)), (4, "h/5".to_owned()));
    // A third of eight is two and two thirds: rounded up.
    assert_eq!(stops(LabBudget::Share(1.0 / 3.0)), (3, "h/4".to_owned()));
    assert_eq!(stops(LabBudget::Pages(100)), (8, "h/9".to_owned()));
    assert_eq!(stops(LabBudget::Share(1.0)), stops(LabBudget::All));
}

#[test]
fn a_crawl_ended_by_its_watcher_is_marked_partial() {
    let trial = row();
    let judge = by_word("tea");
    let mut seen = Vec::new();
    let outcome = trial
        .run(
            judge.as_ref(),
            Box::new(BreadthFirst),
            &LabSettings::default(),
            LabBudget::All,
            &mut |counted| {
                seen.push(counted);
                if counted < 3 {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            },
        )
        .unwrap();
    assert!(outcome.is_partial);
    assert_eq!(seen, [1, 1, 1, 2, 3]);
    assert_eq!(outcome.score.fetched, 3);
}

#[test]
fn the_numbers_of_a_web_of_five_pages_are_those_worked_out_by_hand() {
    let web = [
        ("http://h/0", Page("x", &["/1", "/2", "/3", "/4"])),
        ("http://h/1", Page("tea", &[])),
        ("http://h/2", Page("x", &[])),
        ("http://h/3", Page("tea", &[])),
        ("http://h/4", Page("x", &[])),
        ("http://h/island", Page("tea", &[])),
    ];
    let lists = Lists {
        seeds: &["http://h/0"],
        // The judge finds tea on 1 and 3; the labels say 1 and 4, and an island that no link reaches.
        relevant: &["http://h/1", "http://h/4", "http://h/island"],
        ..Lists::default()
    };
    let trial = trial(&web, &lists);
    let Outcome { score, verdicts, .. } = crawl(&trial, &LabSettings::default());
    let close =
        |number: f64, expected: f64| assert!((number - expected).abs() < 1e-12, "{number} {expected}");
    // Share found after each visit: 0, 1/2, 1/2, 1/2, 1. The first 30 % are two visits.
    close(score.auc30, (0.0 + 0.5) / 2.0);
    close(score.auc100, (0.0 + 0.5 + 0.5 + 0.5 + 1.0) / 5.0);
    // 5, 10 and 20 % of five pages are one visit each, the hub.
    assert_eq!(
        (score.harvest_5, score.harvest_10, score.harvest_20),
        (0.0, 0.0, 0.0)
    );
    // 90 % of two pages means both.
    assert_eq!(score.visits_for_90, Some(1.0));
    close(score.recall, 1.0);
    close(score.target_recall, 2.0 / 3.0);
    // 1 and 3 are judged relevant, of which only 1 is; of the two relevant pages, one was judged relevant.
    close(verdicts.precision, 0.5);
    close(verdicts.f1, 0.5);

    // A crawl that follows the best-looking links visits the same five in the same order here. One that stops after three keeps
    // its last value.
    let cut = crawl_with(&trial, BestFirst, &LabSettings::default(), LabBudget::Pages(3)).score;
    close(cut.auc30, 0.25);
    close(cut.auc100, (0.0 + 0.5 + 0.5 + 0.5 + 0.5) / 5.0);
    assert_eq!((cut.visits_for_90, cut.recall), (None, 0.5));
}

fn clock(delay: u64, latency: u64, workers: usize) -> LabSettings {
    LabSettings {
        workers,
        latency: Duration::from_millis(latency),
        policy: HostPolicy {
            delay: Duration::from_millis(delay),
            ..HostPolicy::instant()
        },
        ..LabSettings::default()
    }
}

#[test]
fn virtual_time_is_what_delays_latency_and_workers_make_of_it() {
    let web = [
        ("http://a/0", Page("x", &["/1", "/2", "http://b/0"])),
        ("http://a/1", Page("x", &[])),
        ("http://a/2", Page("x", &[])),
        ("http://b/0", Page("x", &["/1"])),
        ("http://b/1", Page("x", &[])),
    ];
    let lists = Lists {
        seeds: &["http://a/0"],
        ..Lists::default()
    };
    let trial = trial(&web, &lists);
    let seconds = |delay, latency, workers| crawl(&trial, &clock(delay, latency, workers)).virtual_seconds;
    assert_eq!(seconds(0, 0, 1), 0.0);
    // Five responses of 300 ms, one after the other.
    assert_eq!(seconds(0, 300, 1), 1.5);
    // a/0, then a rests until 1 and 2 s; b fits in between.
    assert_eq!(seconds(1_000, 0, 1), 2.0);
    assert_eq!(seconds(1_000, 0, 30), 2.0);
    // a/0 until 0.3, b/0 until 0.6, a/1 from 1.3 to 1.6, b/1 then until 1.9, a/2 from 2.6 to 2.9.
    assert_eq!(seconds(1_000, 300, 1), 2.9);
    assert_eq!(seconds(1_000, 300, 30), 2.9);
    // Without a rest but with one connection per host: a/0 until 0.3, a/1 and b/0 until 0.6, a/2 and b/1 until 0.9.
    assert_eq!(seconds(0, 300, 30), 0.9);
    // The rest begins when the slow response has arrived: a/0 until 2, a/1 from 3 to 5, a/2 from 6 to 8; b is done at 4 and 7.
    assert_eq!(seconds(1_000, 2_000, 30), 8.0);
    // A single worker must also wait for b: a/0 until 2, b/0 until 4, a/1 until 6, b/1 until 8, a/2 until 10.
    assert_eq!(seconds(1_000, 2_000, 1), 10.0);
}

fn with_processor(processor: PageSettings) -> LabSettings {
    LabSettings {
        processor: PageSettings {
            scope: Scope::everything(),
            ..processor
        },
        ..LabSettings::default()
    }
}

/// Two levels below the seed, one page with nofollow links, a host with robots rules.
fn limited() -> Trial {
    let web = [
        ("http://h/", Page("x", &["/a", "/b", "http://i/"])),
        ("http://h/a", NoFollow("x", &["/a/1"])),
        ("http://h/b", Page("x", &["/b/1", "http://i/private/1"])),
        ("http://h/a/1", Page("x", &[])),
        ("http://h/b/1", Page("x", &[])),
        ("http://i/", Page("x", &["/private/2"])),
        ("http://i/private/1", Page("x", &[])),
        ("http://i/private/2", Page("x", &[])),
        (
            "http://i/robots.txt",
            Plain("User-agent: *\nDisallow: /private/\n"),
        ),
    ];
    let lists = Lists {
        seeds: &["http://h/"],
        ..Lists::default()
    };
    trial(&web, &lists)
}

#[test]
fn depth_width_pages_per_host_nofollow_and_robots_limit_a_replay() {
    let trial = limited();
    let visits = |settings: &LabSettings| order(&trial, &crawl(&trial, settings));
    let everything = [
        "h/",
        "h/a",
        "h/b",
        "i/",
        "h/a/1",
        "h/b/1",
        "i/private/1",
        "i/private/2",
    ];
    assert_eq!(visits(&LabSettings::default()), everything);
    let depth = |depth| {
        with_processor(PageSettings {
            max_depth: Some(depth),
            ..PageSettings::default()
        })
    };
    assert_eq!(visits(&depth(0)), ["h/"]);
    assert_eq!(visits(&depth(1)), ["h/", "h/a", "h/b", "i/"]);
    assert_eq!(visits(&depth(2)), everything);
    let width = with_processor(PageSettings {
        width: Some(1),
        ..PageSettings::default()
    });
    assert_eq!(visits(&width), ["h/", "h/a", "h/a/1"]);
    let nofollow = with_processor(PageSettings {
        follow_nofollow: false,
        ..PageSettings::default()
    });
    assert_eq!(
        visits(&nofollow),
        ["h/", "h/a", "h/b", "i/", "h/b/1", "i/private/1", "i/private/2"]
    );
    let few = LabSettings {
        policy: HostPolicy {
            max_pages_per_host: Some(2),
            ..HostPolicy::instant()
        },
        ..LabSettings::default()
    };
    // h/b is one page too many, so i/private/1 is never found.
    assert_eq!(visits(&few), ["h/", "h/a", "i/", "i/private/2"]);
    let robots = LabSettings {
        policy: HostPolicy {
            robots: true,
            ..HostPolicy::instant()
        },
        crawl: CrawlSettings {
            scope: Scope::everything(),
            robots: true,
            ..CrawlSettings::default()
        },
        ..LabSettings::default()
    };
    // No robots.txt was recorded for h, so nothing is forbidden there.
    assert_eq!(visits(&robots), ["h/", "h/a", "h/b", "i/", "h/a/1", "h/b/1"]);
    // Which pages are reachable does not depend on the limits of one crawl.
    assert_eq!(crawl(&trial, &robots).score.fetched, 6);
    assert_eq!(trial.targets.reachable, 8);
}

#[test]
fn redirect_loops_end() {
    let web = [
        ("http://h/", Page("x", &["/r", "/s"])),
        ("http://h/r", Moved("/s")),
        ("http://h/s", Moved("/r")),
    ];
    let lists = Lists {
        seeds: &["http://h/"],
        relevant: &["http://h/r"],
        ..Lists::default()
    };
    let trial = trial(&web, &lists);
    let outcome = crawl(&trial, &LabSettings::default());
    assert_eq!(order(&trial, &outcome), ["h/"]);
    assert_eq!((trial.targets.reachable, trial.targets.relevant_total), (1, 1));
    let round = CanonicalUrl::parse("http://h/r").unwrap();
    assert_eq!(trial.web.page_at(&round), None);
}

#[test]
fn the_upper_bound_takes_the_shortest_path_to_each_relevant_page() {
    // Two relevant pages, each behind an irrelevant one, and irrelevant pages before them. A greedy crawl goes straight in: the
    // hub, then two steps for each, and the rest only when nothing is left to find.
    let web = [
        ("http://h/", Page("x", &["/1", "/2", "/3", "/4"])),
        ("http://h/1", Page("x", &["/5"])),
        ("http://h/2", Page("x", &["/good/2", "/5"])),
        ("http://h/3", Page("x", &["/6"])),
        ("http://h/4", Page("x", &["/7"])),
        ("http://h/5", Page("x", &[])),
        ("http://h/6", Page("x", &["/good/6"])),
        ("http://h/7", Page("x", &["/good/7"])),
        ("http://h/good/2", Page("tea", &[])),
        ("http://h/good/6", Page("tea", &[])),
        ("http://h/good/7", Page("tea", &["/good/2"])),
    ];
    let lists = Lists {
        seeds: &["http://h/"],
        relevant: &["http://h/good/2", "http://h/good/6", "http://h/good/7"],
        ..Lists::default()
    };
    let trial = trial(&web, &lists);
    let (score, pages) = trial.upper_bound();
    let urls: Vec<String> = pages
        .iter()
        .map(|page| trial.web.spelled(*page).replacen("http://h/", "", 1))
        .collect();
    assert_eq!(
        urls,
        [
            "", "2", "good/2", "3", "6", "good/6", "4", "7", "good/7", "1", "5"
        ]
    );
    assert_eq!(score.hits, [3, 6, 9]);
    // It stops when the budget is used up, as any other crawl does.
    assert_eq!(trial.upper_bound_within(LabBudget::Pages(6)).found, 2);
    assert_eq!(trial.upper_bound_within(LabBudget::All), score);
}
