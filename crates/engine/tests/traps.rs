//! Pages that would fill the queue.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod small_web;

use scenthound_engine::{Budget, TrapRules};
use small_web::{SmallWeb, crawl, plain, with_budget};

/// Two pages with 6,000 links each to one host, which is not a seed's.
#[test]
fn of_one_host_no_more_urls_wait_than_could_be_fetched() {
    let links = |from: usize| -> String { (from..from + 6_000).map(|n| format!(" far/{n}")).collect() };
    let web = SmallWeb::draw(&format!(
        "hub/0: tea -> hub/1{}\nhub/1: tea ->{}\n",
        links(0),
        links(6_000)
    ));
    let two_pages = Budget {
        pages: Some(2),
        ..Budget::default()
    };
    let mut settings = with_budget(two_pages, plain());
    let run = crawl(&web, &settings);
    assert_eq!((run.waiting, run.tally.links_skipped), (12_000, 0));
    settings.crawl.traps = Some(TrapRules::default());
    let run = crawl(&web, &settings);
    assert_eq!((run.waiting, run.tally.links_skipped), (10_000, 2_000));
}
