//! Which failures are tried again, when, and how long a failing host is left alone.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod small_web;

use std::time::Duration;

use scenthound_engine::{CrawlSettings, ResponseFacts, Step, StopReason};
use scenthound_frontier::HostPolicy;
use scenthound_lab::LabSettings;
use scenthound_types::{Failure, Timestamp};

use small_web::{
    SmallWeb, attempts, crawl, fail, frontier, lease, outcomes, plain, seconds, start, times, visits,
};

/// No rest between requests, but ten seconds after a failure.
fn backing_off() -> LabSettings {
    LabSettings {
        policy: HostPolicy {
            backoff: seconds(10),
            ..HostPolicy::instant()
        },
        ..plain()
    }
}

fn with_retries(retries: u8, settings: LabSettings) -> LabSettings {
    LabSettings {
        crawl: CrawlSettings {
            retries,
            ..settings.crawl
        },
        ..settings
    }
}

const DOWN: &str = "
hub/0: x -> down/1
down/1 ! 503
";

#[test]
fn a_503_is_tried_again_as_often_as_the_settings_say() {
    for retries in [0, 1, 2, 5] {
        let run = crawl(&SmallWeb::draw(DOWN), &with_retries(retries, plain()));
        let again: Vec<bool> = attempts(&run)
            .into_iter()
            .filter(|attempt| attempt.name == "down/1")
            .map(|attempt| attempt.again)
            .collect();
        let expected: Vec<bool> = (0..=retries).map(|attempt| attempt < retries).collect();
        assert_eq!(again, expected, "{retries} retries");
        assert_eq!(run.stopped, Some(StopReason::Exhausted));
    }
}

#[test]
fn a_page_that_recovers_is_read_and_its_links_followed() {
    let web = SmallWeb::draw(
        "hub/0: x -> down/1
         down/1 ! 503 503 200
         down/1: tea -> far/1
         far/1: x",
    );
    let run = crawl(&web, &plain());
    assert_eq!(
        outcomes(&run, "down/1"),
        ["failed-status-5xx", "failed-status-5xx", "ok"]
    );
    assert_eq!(visits(&run), ["hub/0", "down/1", "down/1", "down/1", "far/1"]);
}

#[test]
fn statuses_that_may_pass_are_tried_again_and_others_are_final() {
    for status in [408, 425, 429, 500, 502, 503, 504] {
        let web = SmallWeb::draw(&DOWN.replace("503", &status.to_string()));
        assert_eq!(outcomes(&crawl(&web, &plain()), "down/1").len(), 3, "{status}");
    }
    for status in [400, 401, 403, 404, 410, 451, 501, 505] {
        let web = SmallWeb::draw(&DOWN.replace("503", &status.to_string()));
        assert_eq!(outcomes(&crawl(&web, &plain()), "down/1").len(), 1, "{status}");
    }
}

#[test]
fn a_404_does_not_make_its_host_rest() {
    let web = SmallWeb::draw(
        "hub/0: x -> hub/gone hub/1
         hub/gone ! 404
         hub/1: x",
    );
    let run = crawl(&web, &backing_off());
    assert_eq!(visits(&run), ["hub/0", "hub/gone", "hub/1"]);
    assert_eq!(run.virtual_time, Duration::ZERO);
}

/// The rests between the attempts at `down/1`.
fn rests(settings: &LabSettings, web: &str) -> Vec<Duration> {
    let times = times(&crawl(&SmallWeb::draw(web), settings), "down/1");
    times.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// A rest is up to a quarter longer than it must be.
fn is_about(rest: Duration, least: Duration) -> bool {
    (least..=least.mul_f64(1.25)).contains(&rest)
}

#[test]
fn a_failing_host_rests_twice_as_long_after_each_failure() {
    let rests = rests(&with_retries(4, backing_off()), DOWN);
    let expected = [10, 20, 40, 80].map(seconds);
    assert_eq!(rests.len(), expected.len());
    for (rest, least) in rests.iter().zip(expected) {
        assert!(is_about(*rest, least), "{rests:?}");
    }
}

#[test]
fn no_rest_after_failures_is_longer_than_the_longest_allowed() {
    let mut settings = with_retries(4, backing_off());
    settings.policy.max_backoff = seconds(15);
    let rests = rests(&settings, DOWN);
    assert!(is_about(rests[0], seconds(10)), "{rests:?}");
    for rest in &rests[1..] {
        assert!(is_about(*rest, seconds(15)), "{rests:?}");
    }
}

#[test]
fn a_success_ends_a_series_of_failures() {
    let web = "
hub/0: x -> down/1
down/1 ! 503 200
down/1: x -> down/2
down/2 ! 503 200
down/2: x
";
    let run = crawl(&SmallWeb::draw(web), &backing_off());
    let times = times(&run, "down/2");
    assert!(is_about(times[1] - times[0], seconds(10)), "{times:?}");
}

#[test]
fn retry_after_is_kept_to_the_second() {
    let web = DOWN.replace("503", "503/120 429/7 200") + "down/1: x";
    assert_eq!(rests(&backing_off(), &web), [120, 7].map(seconds));
}

#[test]
fn retry_after_is_cut_to_the_longest_wait_allowed() {
    let mut settings = backing_off();
    settings.policy.max_retry_after = seconds(60);
    let web = DOWN.replace("503", "503/120 200") + "down/1: x";
    assert_eq!(rests(&settings, &web), [60].map(seconds));
}

#[test]
fn a_host_that_asks_for_more_patience_than_there_is_ends_the_crawl_and_keeps_its_url() {
    let web = SmallWeb::draw(&DOWN.replace("503", "503/3600"));
    let run = crawl(&web, &backing_off());
    assert_eq!(outcomes(&run, "down/1"), ["failed-status-5xx"]);
    assert_eq!(
        (run.stopped, run.waiting),
        (Some(StopReason::OnlyRestingHosts), 1)
    );

    let mut patient = backing_off();
    patient.crawl.patience = seconds(3600);
    let web = SmallWeb::draw(&(DOWN.replace("503", "503/3600 200") + "down/1: x"));
    let run = crawl(&web, &patient);
    assert_eq!(outcomes(&run, "down/1"), ["failed-status-5xx", "ok"]);
    assert_eq!(run.stopped, Some(StopReason::Exhausted));
}

#[test]
fn a_resting_host_does_not_hold_up_others() {
    let web = SmallWeb::draw(
        "hub/0: x -> down/1 up/1
         down/1 ! 503 200
         down/1: x
         up/1: x -> up/2
         up/2: x",
    );
    let run = crawl(&web, &backing_off());
    assert_eq!(visits(&run), ["hub/0", "down/1", "up/1", "up/2", "down/1"]);
    assert_eq!(times(&run, "up/2"), [Duration::ZERO]);
}

/// Whether a failure of the only page leads to another attempt, in a minute at the latest.
fn is_tried_again(failure: Failure) -> bool {
    let mut crawl = start(
        CrawlSettings::default(),
        frontier(HostPolicy::instant()),
        &["hub/0"],
        Timestamp::ZERO,
    );
    let first = lease(&mut crawl, Timestamp::ZERO);
    fail(&mut crawl, first, failure, Timestamp::ZERO);
    let later = Timestamp::ZERO + seconds(60);
    matches!(crawl.next(1, later).unwrap(), Step::Fetch(_))
}

#[test]
fn resolver_errors_are_retried_and_missing_names_are_not() {
    assert!(is_tried_again(Failure::DnsError));
    assert!(!is_tried_again(Failure::DnsNoName));
}

#[test]
fn broken_connections_are_retried_and_broken_servers_are_not() {
    for failure in [
        Failure::Connect,
        Failure::ConnectTimeout,
        Failure::FirstByteTimeout,
        Failure::Disconnect,
        Failure::Body,
        Failure::Proxy,
    ] {
        assert!(is_tried_again(failure), "{failure:?}");
    }
    for failure in [Failure::Tls, Failure::Protocol, Failure::Internal] {
        assert!(!is_tried_again(failure), "{failure:?}");
    }
}

#[test]
fn a_host_with_a_wrong_certificate_is_asked_once_and_its_urls_are_settled_without_requests() {
    let policy = HostPolicy {
        robots: true,
        ..HostPolicy::instant()
    };
    let now = Timestamp::ZERO;
    let seeds = ["forged/1", "forged/2"];
    let mut crawl = start(CrawlSettings::default(), frontier(policy), &seeds, now);
    let robots = lease(&mut crawl, now);
    fail(&mut crawl, robots, Failure::Tls, now);
    assert_eq!(crawl.next(1, now).unwrap(), Step::Done(StopReason::Exhausted));
    assert_eq!(crawl.tally().outcomes.get("failed-tls"), Some(&3));
    assert_eq!((crawl.tally().pages, crawl.tally().other_requests), (0, 1));
}

#[test]
fn seeds_behind_rules_that_cannot_be_read_have_a_record_and_go_on_waiting() {
    let policy = HostPolicy {
        robots: true,
        ..HostPolicy::instant()
    };
    let settings = CrawlSettings {
        retries: 1,
        ..CrawlSettings::default()
    };
    let mut now = Timestamp::ZERO;
    let mut crawl = start(settings, frontier(policy), &["down/1", "down/2"], now);
    let unreachable = |crawl: &small_web::OwnCrawl| {
        let outcomes = &crawl.tally().outcomes;
        outcomes.get("refused-robots-unreachable").copied().unwrap_or(0)
    };
    let mut seen = Vec::new();
    for _ in 0..4 {
        let robots = lease(&mut crawl, now);
        assert_eq!(robots.url.path(), "/robots.txt");
        fail(&mut crawl, robots, Failure::ConnectTimeout, now);
        seen.push(unreachable(&crawl));
        now = now + seconds(24 * 3_600);
    }
    // After the last retry, once each.
    assert_eq!(seen, [0, 2, 2, 2]);
    let journal = &crawl.recorder().text;
    let recorded = |name: &str| {
        let url = small_web::url(name);
        let lines = journal
            .lines()
            .filter(move |line| line.contains(&format!(" page {url} ")));
        lines.map(|line| line.ends_with(" again")).collect::<Vec<bool>>()
    };
    assert_eq!(
        (recorded("down/1"), recorded("down/2")),
        (vec![true], vec![true]),
        "{journal}"
    );
    assert_eq!(crawl.counts().waiting, 2);
}

#[test]
fn a_host_that_does_not_exist_is_looked_up_once_and_its_urls_are_settled_without_requests() {
    let policy = HostPolicy {
        robots: true,
        ..HostPolicy::instant()
    };
    let now = Timestamp::ZERO;
    let seeds = ["nowhere/1", "nowhere/2"];
    let mut crawl = start(CrawlSettings::default(), frontier(policy), &seeds, now);
    let robots = lease(&mut crawl, now);
    assert_eq!(robots.url.path(), "/robots.txt");
    fail(&mut crawl, robots, Failure::DnsNoName, now);
    assert_eq!(crawl.next(1, now).unwrap(), Step::Done(StopReason::Exhausted));
    // Once for the rules, and once for each URL; no page was attempted.
    assert_eq!(crawl.tally().outcomes.get("failed-dns-no-name"), Some(&3));
    assert_eq!((crawl.tally().pages, crawl.tally().other_requests), (0, 1));
}

#[test]
fn a_host_that_takes_long_or_makes_much_work_rests_longer() {
    let slow = ResponseFacts {
        took: seconds(25),
        ..ResponseFacts::default()
    };
    let hard = ResponseFacts {
        work: Duration::from_millis(200),
        ..ResponseFacts::default()
    };
    for (facts, rest) in [
        (ResponseFacts::default(), 1),
        (slow, 25),
        // Fifty times as long as its page took to process.
        (hard, 10),
    ] {
        let policy = HostPolicy {
            robots: false,
            ..HostPolicy::default()
        };
        let mut crawl = start(
            CrawlSettings::default(),
            frontier(policy),
            &["a/1", "a/2"],
            Timestamp::ZERO,
        );
        let now = Timestamp::ZERO + seconds(100);
        let first = lease(&mut crawl, now);
        small_web::miss(&mut crawl, first, ResponseFacts { asked: true, ..facts }, now);
        let early = now + (seconds(rest) - Duration::from_millis(1));
        assert!(!matches!(crawl.next(1, early).unwrap(), Step::Fetch(_)), "{rest}");
        lease(&mut crawl, now + seconds(rest));
    }
}
