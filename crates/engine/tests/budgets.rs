//! What counts against a budget, and what happens when it is met.

mod small_web;

use std::time::Duration;

use scenthound_engine::{Budget, CrawlSettings, Step, StopReason};
use scenthound_frontier::HostPolicy;
use scenthound_lab::LabSettings;
use scenthound_types::{Failure, Timestamp};

use small_web::{
    SmallWeb, asked_for, crawl, fail, frontier, lease, obedient, outcomes, plain, seconds, start, visits,
    with_budget,
};

fn pages(pages: u64) -> Budget {
    Budget {
        pages: Some(pages),
        ..Budget::default()
    }
}

fn bytes(bytes: u64) -> Budget {
    Budget {
        bytes: Some(bytes),
        ..Budget::default()
    }
}

fn time(time: Duration) -> Budget {
    Budget {
        time: Some(time),
        ..Budget::default()
    }
}

#[test]
fn failures_count_as_pages_and_robots_and_redirects_do_not() {
    let web = SmallWeb::draw(
        "hub/0: x -> hub/old hub/gone hub/1 hub/2
         hub/old => hub/new
         hub/new: x
         hub/gone ! 404
         hub/1: x
         hub/2: x",
    );
    let run = crawl(&web, &with_budget(pages(4), obedient()));
    assert_eq!(visits(&run), ["hub/0", "hub/new", "hub/gone", "hub/1"]);
    assert_eq!(run.stopped, Some(StopReason::Pages));
    assert_eq!((run.tally.pages, run.tally.other_requests), (4, 2));
}

#[test]
fn pages_that_robots_forbids_cost_nothing() {
    let web = SmallWeb::draw(
        "hub/0: x -> hub/private/1 hub/private/2 hub/1
         hub/robots.txt: /private
         hub/1: x",
    );
    let run = crawl(&web, &with_budget(pages(2), obedient()));
    assert_eq!(visits(&run), ["hub/0", "hub/1"]);
    assert_eq!(run.tally.outcomes.get("refused-robots"), Some(&2));
    assert_eq!(run.stopped, Some(StopReason::Pages));
}

#[test]
fn repeated_attempts_at_a_page_count_each_time() {
    let web = SmallWeb::draw(
        "hub/0: x -> down/1 hub/1
         down/1 ! 503
         hub/1: x",
    );
    let run = crawl(&web, &with_budget(pages(4), plain()));
    assert_eq!(visits(&run).len(), 4);
    assert_eq!(run.tally.pages, 4);
}

/// A page with links to twenty others, each on a host of its own.
fn wide() -> SmallWeb {
    let links: String = (1..=20).map(|n| format!(" h{n}/0")).collect();
    let pages: String = (1..=20).map(|n| format!("h{n}/0: x\n")).collect();
    SmallWeb::draw(&format!("hub/0: x ->{links}\n{pages}"))
}

#[test]
fn many_requests_at_a_time_do_not_overshoot_the_page_budget() {
    let settings = LabSettings {
        workers: 8,
        latency: seconds(1),
        ..with_budget(pages(5), plain())
    };
    let run = crawl(&wide(), &settings);
    assert_eq!(visits(&run).len(), 5);
    assert_eq!(run.stopped, Some(StopReason::Pages));
}

#[test]
fn the_byte_budget_ends_the_crawl_after_the_response_that_meets_it() {
    let run = crawl(&wide(), &with_budget(bytes(1), plain()));
    assert_eq!(visits(&run), ["hub/0"]);
    assert_eq!(run.stopped, Some(StopReason::Bytes));
    let first = run.tally.bytes;
    let run = crawl(&wide(), &with_budget(bytes(first + 1), plain()));
    assert_eq!(visits(&run), ["hub/0", "h1/0"]);
}

#[test]
fn the_bytes_of_robots_txt_count() {
    let run = crawl(&wide(), &with_budget(bytes(1), obedient()));
    assert_eq!(visits(&run), [""; 0]);
    assert_eq!(asked_for(&run, "robots"), ["hub/robots.txt"]);
    assert_eq!(run.stopped, Some(StopReason::Bytes));
}

#[test]
fn the_time_budget_ends_the_crawl_when_it_is_over() {
    let settings = LabSettings {
        latency: seconds(1),
        ..with_budget(time(seconds(3)), plain())
    };
    let run = crawl(&wide(), &settings);
    assert_eq!(visits(&run), ["hub/0", "h1/0", "h2/0"]);
    assert_eq!(run.stopped, Some(StopReason::Time));
    assert_eq!(run.virtual_time, seconds(3));
}

#[test]
fn requests_in_flight_when_the_time_is_over_are_settled() {
    let settings = LabSettings {
        workers: 4,
        latency: seconds(2),
        ..with_budget(time(seconds(3)), plain())
    };
    let run = crawl(&wide(), &settings);
    assert_eq!(visits(&run), ["hub/0", "h1/0", "h2/0", "h3/0", "h4/0"]);
    assert_eq!(run.virtual_time, seconds(4));
    assert_eq!(outcomes(&run, "h4/0"), ["ok"]);
}

#[test]
fn a_budget_larger_than_the_web_ends_nothing() {
    let budget = Budget {
        pages: Some(1_000),
        bytes: Some(1 << 30),
        time: Some(seconds(1_000)),
    };
    let run = crawl(&wide(), &with_budget(budget, plain()));
    assert_eq!(
        (visits(&run).len(), run.stopped),
        (21, Some(StopReason::Exhausted))
    );
}

fn settings(budget: Budget) -> CrawlSettings {
    CrawlSettings {
        budget,
        ..CrawlSettings::default()
    }
}

const SEEDS: [&str; 4] = ["a/0", "b/0", "c/0", "d/0"];

#[test]
fn a_crawl_resumed_with_its_budget_met_stops_at_once_and_goes_on_with_a_larger_one() {
    let now = Timestamp::ZERO;
    let mut crawl = start(settings(pages(2)), frontier(HostPolicy::instant()), &SEEDS, now);
    for _ in 0..2 {
        let lease = lease(&mut crawl, now);
        fail(&mut crawl, lease, Failure::Status(404), now);
    }
    assert_eq!(crawl.next(1, now).unwrap(), Step::Done(StopReason::Pages));
    crawl.commit(now).unwrap();

    let mut crawl = start(settings(pages(2)), crawl.into_parts().0, &SEEDS, now);
    assert_eq!(crawl.tally().pages, 2, "counted over all runs");
    assert_eq!(crawl.next(1, now).unwrap(), Step::Done(StopReason::Pages));

    let mut crawl = start(settings(pages(3)), crawl.into_parts().0, &SEEDS, now);
    let third = lease(&mut crawl, now);
    assert_eq!(third.url.host(), "c.test");
    fail(&mut crawl, third, Failure::Status(404), now);
    assert_eq!(crawl.next(1, now).unwrap(), Step::Done(StopReason::Pages));
}

#[test]
fn the_time_of_earlier_runs_counts_and_the_time_between_them_does_not() {
    let at = |seconds| Timestamp::ZERO + Duration::from_secs(seconds);
    let mut crawl = start(
        settings(time(seconds(10))),
        frontier(HostPolicy::instant()),
        &SEEDS,
        at(0),
    );
    assert!(matches!(crawl.next(1, at(6)).unwrap(), Step::Fetch(_)));
    crawl.commit(at(6)).unwrap();

    let mut crawl = start(
        settings(time(seconds(10))),
        crawl.into_parts().0,
        &SEEDS,
        at(1_000),
    );
    assert!(matches!(crawl.next(1, at(1_003)).unwrap(), Step::Fetch(_)));
    assert_eq!(crawl.next(1, at(1_004)).unwrap(), Step::Done(StopReason::Time));
}
