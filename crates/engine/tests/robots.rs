//! When robots.txt is requested, and what follows from it.

mod small_web;

use std::time::Duration;

use scenthound_engine::StopReason;
use scenthound_frontier::HostPolicy;
use scenthound_lab::LabSettings;

use small_web::{SmallWeb, asked_for, attempts, crawl, obedient, outcomes, plain, seconds, times, visits};

#[test]
fn a_forbidden_url_is_settled_without_a_request_or_a_rest() {
    let web = SmallWeb::draw(
        "hub/0: x -> hub/private/1 hub/1
         hub/robots.txt: /private
         hub/private/1: tea
         hub/1: x",
    );
    let mut settings = obedient();
    settings.policy.delay = seconds(1);
    let run = crawl(&web, &settings);
    assert_eq!(visits(&run), ["hub/0", "hub/1"]);
    assert_eq!(outcomes(&run, "hub/private/1"), ["refused-robots"]);
    assert_eq!(run.tally.outcomes.get("refused-robots"), Some(&1));
    // robots.txt, one rest, the seed, one rest, the page.
    assert_eq!(run.virtual_time, seconds(2));
}

#[test]
fn the_rules_of_a_host_are_requested_first_and_once() {
    let web = SmallWeb::draw(
        "hub/0: x -> other/1 hub/1 other/2
         hub/1: x
         other/1: x
         other/2: x",
    );
    let run = crawl(&web, &obedient());
    assert_eq!(asked_for(&run, "robots"), ["hub/robots.txt", "other/robots.txt"]);
    for host in ["hub/", "other/"] {
        let first = attempts(&run)
            .into_iter()
            .find(|attempt| attempt.name.starts_with(host));
        assert_eq!(first.map(|attempt| attempt.kind).as_deref(), Some("robots"));
    }
}

#[test]
fn the_rules_of_one_host_do_not_bind_another_of_the_same_domain() {
    let web = SmallWeb::draw(
        "hub/0: x -> hub/private/1 www.hub/private/1
         hub/robots.txt: /private
         hub/private/1: x
         www.hub/private/1: x",
    );
    let run = crawl(&web, &obedient());
    assert_eq!(visits(&run), ["hub/0", "www.hub/private/1"]);
}

#[test]
fn a_host_without_robots_txt_allows_everything() {
    for status in [401, 403, 404, 410] {
        let web = SmallWeb::draw(&format!(
            "hub/0: x -> hub/1
             hub/robots.txt ! {status}
             hub/1: x"
        ));
        assert_eq!(visits(&crawl(&web, &obedient())), ["hub/0", "hub/1"], "{status}");
    }
}

#[test]
fn a_host_whose_rules_fail_keeps_its_urls_waiting() {
    for status in [500, 503, 429] {
        let web = SmallWeb::draw(&format!(
            "hub/0: x -> closed/1 closed/2 open/1
             closed/robots.txt ! {status}
             closed/1: x
             closed/2: x
             open/1: x"
        ));
        let run = crawl(&web, &obedient());
        assert_eq!(visits(&run), ["hub/0", "open/1"], "{status}");
        assert_eq!(
            (run.stopped, run.waiting),
            (Some(StopReason::OnlyRestingHosts), 2),
            "{status}"
        );
    }
}

#[test]
fn rules_that_fail_once_are_asked_for_again_and_obeyed() {
    let web = SmallWeb::draw(
        "hub/0: x -> slow/private/1 slow/1
         slow/robots.txt ! 503 200
         slow/robots.txt: /private
         slow/private/1: x
         slow/1: x",
    );
    let run = crawl(&web, &obedient());
    assert_eq!(outcomes(&run, "slow/robots.txt"), ["failed-status-5xx", "ok"]);
    assert_eq!(visits(&run), ["hub/0", "slow/1"]);
    assert_eq!(run.stopped, Some(StopReason::Exhausted));
}

#[test]
fn redirected_rules_count_for_the_host_that_was_asked() {
    let web = SmallWeb::draw(
        "hub/0: x -> hub/private/1 hub/1
         hub/robots.txt => rules/robots.txt
         rules/robots.txt: /private
         hub/private/1: x
         hub/1: x",
    );
    assert_eq!(visits(&crawl(&web, &obedient())), ["hub/0", "hub/1"]);
}

/// The rests between pages of a host that asks for this crawl-delay.
fn rests(crawl_delay: u64, policy: HostPolicy) -> Vec<Duration> {
    let web = SmallWeb::draw(&format!(
        "hub/0: x -> hub/1 hub/2
         hub/robots.txt | User-agent: *\\nCrawl-delay: {crawl_delay}
         hub/1: x
         hub/2: x"
    ));
    let run = crawl(&web, &LabSettings { policy, ..plain() });
    let times: Vec<Duration> = ["hub/robots.txt", "hub/0", "hub/1", "hub/2"]
        .iter()
        .flat_map(|name| times(&run, name))
        .collect();
    times.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[test]
fn a_crawl_delay_is_kept_from_the_first_page_on() {
    let policy = HostPolicy {
        delay: seconds(1),
        ..HostPolicy::default()
    };
    assert_eq!(rests(5, policy), [5, 5, 5].map(seconds));
}

#[test]
fn a_crawl_delay_never_shortens_our_own_and_never_passes_the_limit() {
    let policy = HostPolicy {
        delay: seconds(2),
        max_delay: seconds(10),
        ..HostPolicy::default()
    };
    assert_eq!(rests(1, policy.clone()), [2, 2, 2].map(seconds));
    assert_eq!(rests(3600, policy), [10, 10, 10].map(seconds));
}

#[test]
fn rules_a_day_old_are_asked_for_again() {
    let day = 24 * 3600;
    let web = SmallWeb::draw(&format!(
        "hub/0: x -> hub/later
         hub/later ! 503/{} 200
         hub/later: x",
        day + 1
    ));
    let mut settings = obedient();
    settings.policy.max_retry_after = seconds(2 * day);
    settings.crawl.patience = seconds(2 * day);
    let run = crawl(&web, &settings);
    assert_eq!(times(&run, "hub/robots.txt"), [Duration::ZERO, seconds(day + 1)]);
    assert_eq!(outcomes(&run, "hub/later"), ["failed-status-5xx", "ok"]);
}

#[test]
fn without_robots_no_rules_are_requested_or_obeyed() {
    let web = SmallWeb::draw(
        "hub/0: x -> hub/private/1
         hub/robots.txt: /private
         hub/private/1: x",
    );
    let mut settings = plain();
    settings.crawl.robots = false;
    let run = crawl(&web, &settings);
    assert_eq!(visits(&run), ["hub/0", "hub/private/1"]);
    assert_eq!(asked_for(&run, "robots"), [""; 0]);
}
