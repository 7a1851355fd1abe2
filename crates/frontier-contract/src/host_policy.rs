//! When a host may be asked, and for what.

use std::time::Duration;

use scenthound_frontier::{Ask, End, Frontier, HostEffect, HostPolicy, Next};
use scenthound_types::{AgentId, LeaseKind, Merge, Offer, Reason, Timestamp, Update};

use crate::stage::{at, name, names, secs};
use crate::{Harness, Stage, url};

fn polite(delay: u64) -> HostPolicy {
    HostPolicy {
        delay: secs(delay),
        max_delay: secs(60),
        backoff: secs(10),
        max_backoff: secs(100),
        max_retry_after: secs(1000),
        robots: false,
        ..HostPolicy::default()
    }
}

/// `a` has two URLs, and there is nothing else.
pub fn one_request_per_host_at_a_time<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.9 a/2:0.8");
    let lease = stage.take_one("a/1");
    assert_eq!(stage.next(9), Next::Blocked);
    stage.fetched(&lease, &[]);
    stage.take_one("a/2");
}

/// Two at once, not three.
pub fn as_many_requests_per_host_as_allowed<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        connections_per_host: 2,
        ..HostPolicy::instant()
    });
    stage.seed("a/1:0.9 a/2:0.8 a/3:0.7");
    let leases = stage.take(9);
    assert_eq!(names(&leases), ["a/1", "a/2"]);
    assert_eq!(stage.next(9), Next::Blocked);
    stage.fetched(&leases[1], &[]);
    stage.take_one("a/3");
    assert_eq!(stage.next(9), Next::Blocked);
}

/// Measured from the end of one request to the next, to the millisecond.
pub fn a_host_rests_after_each_request<H: Harness>() {
    let mut stage = Stage::<H>::new(polite(2));
    stage.seed("a/1:0.9 a/2:0.8 b/1:0.1");
    let lease = stage.take_one("a/1");
    stage.pass(1000);
    stage.fetched(&lease, &[]);
    assert_eq!(stage.counts().hosts_resting, 1);
    stage.fetch("b/1", "");
    assert_eq!(stage.next(1), Next::WaitUntil(at(3)));
    stage.pass(1999);
    assert_eq!(stage.next(1), Next::WaitUntil(at(3)));
    stage.pass(1);
    stage.take_one("a/2");
    assert_eq!(stage.counts().hosts_resting, 0);
}

/// The engine refused `a/1` by the rules it already had, so no request was made.
pub fn a_host_that_was_not_asked_needs_no_rest<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        max_pages_per_host: Some(1),
        ..polite(2)
    });
    stage.seed("a/1:0.9 a/2:0.8");
    let lease = stage.take_one("a/1");
    stage.settle_with(&lease, End::Gone, HostEffect::Untouched, &[]);
    assert_eq!(stage.facts("a/1").host_pages, 0);
    stage.take_one("a/2");
}

fn with_crawl_delay<H: Harness>(delay: Duration) -> Stage<H> {
    let mut stage = Stage::<H>::new(HostPolicy {
        robots: true,
        ..polite(2)
    });
    stage.seed("a/1:0.9 a/2:0.8");
    let robots = stage.take_one("a/robots.txt");
    stage.rules(&robots, at(100_000), Some(delay), "");
    stage
}

/// The host asks for 7 seconds; our own delay is 2.
pub fn a_longer_crawl_delay_is_obeyed<H: Harness>() {
    let mut stage = with_crawl_delay::<H>(secs(7));
    assert_eq!(
        stage.next(1),
        Next::WaitUntil(at(7)),
        "also after robots.txt itself"
    );
    stage.pass(7000);
    stage.fetch("a/1", "");
    assert_eq!(stage.next(1), Next::WaitUntil(at(14)));
}

/// The host asks for 1 second; our own delay is 2.
pub fn a_shorter_crawl_delay_changes_nothing<H: Harness>() {
    let mut stage = with_crawl_delay::<H>(secs(1));
    assert_eq!(stage.next(1), Next::WaitUntil(at(2)));
}

/// `a` and `b` keep their rules at `v`, which has nothing to do with the crawl.
pub fn a_robots_txt_that_redirects_waits_for_the_other_host<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        robots: true,
        ..polite(2)
    });
    stage.seed("a/1:0.9 b/1:0.8");
    let leases = stage.take(9);
    assert_eq!(names(&leases), ["a/robots.txt", "b/robots.txt"]);
    for lease in &leases {
        stage.settle_with(lease, elsewhere(&stage, "v/rules"), HostEffect::Asked, &[]);
    }
    assert_eq!(stage.next(9), Next::WaitUntil(at(2)));
    stage.pass(2000);
    // What `v` itself allows comes first.
    let own = stage.take_one("v/robots.txt");
    assert_eq!(own.location, None);
    stage.rules(&own, at(100_000), None, "");
    assert_eq!(stage.next(9), Next::WaitUntil(at(4)));
    stage.pass(2000);
    let first = stage.take_one("a/robots.txt");
    assert_eq!((first.target(), first.redirects), (&url("v/rules"), 1));
    assert!(matches!(stage.next(9), Next::WaitUntil(_)), "one at a time");
    stage.pass(1000);
    stage.rules(&first, at(100_000), None, "");
    stage.take_one("a/1");
    stage.pass(1999);
    assert!(matches!(stage.next(9), Next::WaitUntil(_)), "`v` rests");
    stage.pass(2001);
    let second = stage.take_one("b/robots.txt");
    assert_eq!(second.target(), &url("v/rules"));
}

/// `a` keeps its rules where `v` has its own. What is read there is valid for both.
pub fn a_robots_txt_that_is_another_hosts_own_is_valid_for_both<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        robots: true,
        ..polite(2)
    });
    stage.seed("a/1:0.9 v/1:0.1");
    let leases = stage.take(1);
    assert_eq!(names(&leases), ["a/robots.txt"]);
    let end = elsewhere(&stage, "v/robots.txt");
    stage.settle_with(&leases[0], end, HostEffect::Asked, &[]);
    let own = stage.take_one("v/robots.txt");
    stage.pass(2000);
    assert!(matches!(stage.next(9), Next::WaitUntil(_)), "`v` is busy");
    stage.settle_with(&own, End::Retry, HostEffect::Failed, &[]);
    stage.pass(20_000);
    let lease = stage.take_one("a/robots.txt");
    stage.rules(&lease, at(100_000), Some(secs(5)), "");
    stage.take_one("a/1");
    assert_eq!(stage.next(9), Next::WaitUntil(at(27)));
    stage.pass(5000);
    stage.take_one("v/1");
}

fn elsewhere<H: Harness>(stage: &Stage<H>, to: &str) -> End {
    End::Redirected {
        to: url(to),
        key: stage.key(to),
        merge: Merge::Max,
    }
}

/// The host asks for an endless delay; we wait a minute.
pub fn an_absurd_crawl_delay_is_cut<H: Harness>() {
    let mut stage = with_crawl_delay::<H>(Duration::MAX);
    assert_eq!(stage.next(1), Next::WaitUntil(at(60)));
}

/// First 30 seconds, then absurdly long, then in the past.
pub fn retry_after_is_obeyed_up_to_the_limit<H: Harness>() {
    let mut stage = Stage::<H>::new(polite(2));
    stage.seed("a/1:0.9 b/1:0.8 c/1:0.7");
    for (host, later, expected) in [
        ("a/1", at(30), at(30)),
        ("b/1", Timestamp::NEVER, at(1000)),
        ("c/1", at(0), at(2)),
    ] {
        let lease = stage.take_one(host);
        stage.settle_with(&lease, End::Retry, HostEffect::Later(later), &[]);
        assert_eq!(stage.facts(host).host_rests_until, expected);
    }
    assert_eq!(stage.next(1), Next::WaitUntil(at(2)));
}

fn fail<H: Harness>(stage: &mut Stage<H>, page: &str) -> Duration {
    let lease = stage.take_one(page);
    stage.settle_with(&lease, End::Retry, HostEffect::Failed, &[]);
    let until = stage.facts(page).host_rests_until;
    let rest = until.since(stage.now);
    stage.now = until;
    rest
}

/// 10, 20, 40, 80, 100, 100 seconds, each with up to a quarter more.
pub fn failures_in_a_row_double_the_rest_up_to_the_limit<H: Harness>() {
    let mut stage = Stage::<H>::new(polite(2));
    stage.seed("a/1:0.9");
    for expected in [10, 20, 40, 80, 100, 100] {
        let rest = fail(&mut stage, "a/1");
        assert!(
            rest >= secs(expected) && rest <= secs(expected).mul_f64(1.25),
            "{rest:?} should be about {expected} s"
        );
    }
    assert_eq!(stage.facts("a/1").host_failures, 6);
}

/// The next failure then counts as the first again.
pub fn a_good_response_resets_the_failures<H: Harness>() {
    let mut stage = Stage::<H>::new(polite(2));
    stage.seed("a/1:0.9 a/2:0.8");
    fail(&mut stage, "a/1");
    assert!(fail(&mut stage, "a/1") >= secs(20));
    stage.fetch("a/1", "");
    assert_eq!(stage.facts("a/1").host_failures, 0);
    let until = stage.facts("a/1").host_rests_until;
    assert_eq!(until, stage.now + secs(2));
    stage.now = until;
    assert!(fail(&mut stage, "a/2") < secs(20));
}

/// Two requests are in flight: one is told to come back in 50 seconds, the other gets a good response.
pub fn a_good_response_does_not_cut_short_another_rest<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        connections_per_host: 2,
        ..polite(2)
    });
    stage.seed("a/1:0.9 a/2:0.8 a/3:0.7");
    let leases = stage.take(2);
    stage.settle_with(&leases[0], End::Retry, HostEffect::Later(at(50)), &[]);
    stage.fetched(&leases[1], &[]);
    assert_eq!(stage.next(1), Next::WaitUntil(at(50)));
}

/// Another name of the same machine was asked a moment ago.
pub fn a_handed_back_address_rests_until_the_given_time<H: Harness>() {
    let mut stage = Stage::<H>::new(polite(2));
    stage.seed("a/1:0.9");
    let lease = stage.take_one("a/1");
    stage.hand_back(&lease, at(9));
    assert_eq!(stage.next(1), Next::WaitUntil(at(9)));
    stage.pass(9000);
    stage.take_one("a/1");
}

/// Fresh for 10 seconds, then requested again before any page.
pub fn robots_come_first_and_again_when_stale<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        robots: true,
        ..HostPolicy::instant()
    });
    stage.seed("a/1:0.9 a/2:0.8 a/3:0.7");
    let robots = stage.take_one("a/robots.txt");
    assert_eq!((robots.kind, robots.attempt), (LeaseKind::Robots, 0));
    assert_eq!(robots.url, url("a/1").robots_txt());
    assert_eq!(stage.next(1), Next::Blocked);
    assert_eq!(stage.f().rules(&url("a/9")).unwrap(), None);
    stage.rules(&robots, at(10), None, "");
    assert_eq!(stage.f().rules(&url("a/9")).unwrap(), Some(b"rules".to_vec()));
    assert_eq!(stage.f().rules(&url("b/9")).unwrap(), None);
    stage.fetch("a/1", "");
    stage.pass(9_999);
    stage.fetch("a/2", "");
    stage.pass(1);
    let robots = stage.take_one("a/robots.txt");
    stage.rules(&robots, at(20), None, "");
    stage.take_one("a/3");
}

/// No rules arrived. The attempts are counted, and no page is requested.
pub fn robots_are_requested_again_until_rules_arrive<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        robots: true,
        ..polite(2)
    });
    stage.seed("a/1:0.9");
    for attempt in 0..3 {
        let robots = stage.take_one("a/robots.txt");
        assert_eq!(robots.attempt, attempt);
        stage.settle_with(&robots, End::Retry, HostEffect::Failed, &[]);
        stage.now = stage.facts("a/1").host_rests_until;
    }
    let robots = stage.take_one("a/robots.txt");
    stage.rules(&robots, at(100_000), None, "");
    assert_eq!(stage.facts("a/1").host_pages, 0, "robots.txt is not a page");
    stage.pass(2000);
    stage.take_one("a/1");
}

/// At most two pages of `a`. Attempts count, a refusal without a request does not.
pub fn a_host_gives_no_more_pages_than_allowed<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        max_pages_per_host: Some(2),
        connections_per_host: 3,
        ..HostPolicy::instant()
    });
    stage.seed("a/1:0.9 a/2:0.8 a/3:0.7 a/4:0.6");
    let leases = stage.take(9);
    assert_eq!(names(&leases), ["a/1", "a/2"], "requests in flight count");
    assert_eq!(stage.next(9), Next::Blocked);
    stage.settle_with(&leases[0], End::Gone, HostEffect::Untouched, &[]);
    let third = stage.take_one("a/3");
    stage.fetched(&leases[1], &[]);
    stage.settle_with(&third, End::Retry, HostEffect::Asked, &[]);
    assert_eq!(stage.next(9), Next::Done);
    assert_eq!(stage.counts().waiting, 2);
}

/// `a/1 ⇒ a/2`, one page of `a` allowed.
pub fn redirects_do_not_count_as_pages_of_a_host<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        max_pages_per_host: Some(1),
        ..HostPolicy::instant()
    });
    stage.seed("a/1:0.9 a/3:0.1");
    let lease = stage.take_one("a/1");
    stage.redirected(&lease, "a/2", Merge::Max);
    assert_eq!(stage.visits(), "a/2");
}

/// robots.txt names a sitemap, which lists two pages. One page of `a` is allowed, and the sitemap does not count.
pub fn sitemaps_are_leased_as_such_and_are_nobodys_parent<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        robots: true,
        max_pages_per_host: Some(2),
        ..HostPolicy::instant()
    });
    stage.seed("a/1:0.1");
    let robots = stage.take_one("a/robots.txt");
    stage.rules(&robots, at(100_000), None, "a/map.xml:0.9");
    assert_eq!(stage.facts("a/map.xml").reason, Reason::SitemapLine);
    let map = stage.take_one("a/map.xml");
    assert_eq!(map.kind, LeaseKind::Sitemap);
    let pages = stage.links("a/2:0.5 a/3:0.4", Merge::Keep);
    stage.fetched(&map, &pages);
    let facts = stage.facts("a/2");
    assert_eq!(
        (facts.reason, facts.parent, facts.depth),
        (Reason::Sitemap, None, 1)
    );
    let of = stage.key("a/2");
    let raise = Update::RaiseSiblings {
        of,
        parents: scenthound_types::Parents::First,
        rank: crate::stage::rank("0.8"),
        merge: Merge::Max,
    };
    let page = stage.take_one("a/2");
    assert_eq!(page.kind, LeaseKind::Page);
    stage.fetched(&page, &[raise]);
    assert_eq!(
        stage.score("a/3"),
        0.4,
        "pages listed in a sitemap are not siblings"
    );
    assert_eq!(stage.visits(), "a/3");
}

/// The page `a/1` links to `a/2` and needs `a/1` again, `a/s` and `c/i`. One page of `a` is allowed.
pub fn requisites_wait_in_a_stack_of_their_own<H: Harness>() {
    let stack = AgentId(1);
    let mut stage = Stage::<H>::new(HostPolicy {
        requisites: Some(stack),
        max_pages_per_host: Some(1),
        ..polite(2)
    });
    stage.seed("a/1:0.9");
    let page = stage.take_one("a/1");
    assert_eq!(page.kind, LeaseKind::Page);
    let links = stage.links("a/2:0.5", Merge::Max);
    let requisites: Vec<Offer> = ["a/1:0.1", "a/s:0.9", "c/i:0.8"]
        .iter()
        .flat_map(|line| stage.offers(line, Merge::Max))
        .map(|offer| Offer {
            key: stage.requisite_key(&offer.url),
            ..offer
        })
        .collect();
    stage.settle_needing(&page, &links, &requisites);
    assert_eq!((stage.counts().waiting, stage.counts().requisites), (1, 3));
    assert_eq!(stage.next(1), Next::Done, "no more pages of the host are allowed");
    // They survive a restart, and the hosts rest as they do for pages.
    stage.commit();
    if H::SURVIVES {
        stage.restart();
    }
    let mut order = Vec::new();
    while stage.counts().requisites > 0 {
        let ask = Ask {
            agent: stack,
            most: 3,
            highest_class: u16::MAX,
        };
        let now = stage.now;
        match stage.f().take_for(ask, now).unwrap() {
            Next::Fetch(leases) => {
                for lease in leases {
                    assert_eq!(lease.kind, LeaseKind::Requisite);
                    assert_eq!(lease.parent_url.as_ref().map(name).as_deref(), Some("a/1"));
                    order.push(name(&lease.url));
                    stage.fetched(&lease, &[]);
                }
            }
            Next::WaitUntil(until) => stage.now = until,
            other => panic!("{other:?}"),
        }
    }
    order.sort_by_key(|name| !name.starts_with('a'));
    assert_eq!(order, ["a/s", "a/1", "c/i"]);
    assert_eq!(
        stage.facts("a/1").reason,
        Reason::Seed,
        "the page is still known as a page"
    );
}

/// Nothing; one in flight; one in flight and one resting; one resting; nothing.
pub fn done_blocked_and_waiting_are_told_apart<H: Harness>() {
    let mut stage = Stage::<H>::new(polite(2));
    assert_eq!(stage.next(1), Next::Done);
    stage.seed("a/1:0.9");
    let first = stage.take_one("a/1");
    assert_eq!(stage.next(1), Next::Blocked);
    let links = stage.links("a/2:0.5 b/1:0.8", Merge::Max);
    stage.fetched(&first, &links);
    let other = stage.take_one("b/1");
    assert_eq!(name(&other.url), "b/1");
    assert_eq!(stage.next(1), Next::WaitUntil(at(2)));
    stage.fetched(&other, &[]);
    assert_eq!(stage.next(1), Next::WaitUntil(at(2)));
    stage.pass(2000);
    stage.fetch("a/2", "");
    assert_eq!(stage.next(1), Next::Done);
}
