//! URLs that have waited too long, or exceed the limit, are dropped. They leave nothing behind and may enter again.

use scenthound_frontier::{End, Frontier, HostEffect, HostPolicy};
use scenthound_types::{AgentId, Evidence, Merge, Standing};

use crate::stage::secs;
use crate::{Harness, Stage};

pub(crate) fn lasting<H: Harness>(seconds: u64) -> Stage<H> {
    Stage::new(HostPolicy {
        expire_after: Some(secs(seconds)),
        ..HostPolicy::instant()
    })
}

/// It comes back as if never seen, and its time starts again.
pub fn a_url_that_waited_too_long_is_dropped_and_may_enter_again<H: Harness>() {
    let mut stage = lasting::<H>(10);
    stage.seed("hub/1:9 hub/2:0.5 hub/3:0.4");
    stage.fetch("hub/1", "a/1:0.1 a/2:0.2");
    let (key, evidence) = (stage.key("a/1"), Evidence::of_words(vec![1], vec![], vec![]));
    stage.f().keep_evidence(AgentId(0), key, &evidence).unwrap();
    stage.pass(5000);
    stage.fetch("hub/2", "b/1:0.3 a/1:0.15");
    stage.pass(5000);
    assert_eq!(stage.take(0), []);
    assert_eq!(
        stage.counts().waiting,
        4,
        "ten seconds do not exceed a limit of ten"
    );
    stage.pass(1);
    stage.fetch("hub/3", "");
    let counts = stage.counts();
    assert_eq!((counts.waiting, counts.known, counts.expired), (1, 4, 2));
    assert_eq!(stage.standing("a/1"), Standing::New);
    assert_eq!(stage.f().look_up(&crate::url("a/1")).unwrap(), None);
    stage.fetch("b/1", "a/1:0.7");
    assert_eq!(stage.waits_for(0, "a/1"), Some(0.7));
    assert_eq!(stage.f().evidence(AgentId(0), key).unwrap(), None);
    stage.pass(10_000);
    assert_eq!(stage.visits(), "a/1", "its time started when it entered again");
}

/// Counted in pages tried.
pub fn a_url_is_dropped_after_so_many_pages<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        expire_after_pages: Some(2),
        ..HostPolicy::instant()
    });
    stage.seed("s/1:9 s/2:8 s/3:7 s/4:6 s/5:5");
    stage.fetch("s/1", "a/1:0.1");
    stage.fetch("s/2", "a/2:0.1");
    stage.fetch("s/3", "");
    assert_eq!(stage.standing("a/1"), Standing::Waiting);
    stage.fetch("s/4", "");
    assert_eq!(stage.standing("a/1"), Standing::New);
    assert_eq!(stage.standing("a/2"), Standing::Waiting);
    assert_eq!(stage.visits(), "s/5");
}

/// However long they wait.
pub fn seeds_and_leased_urls_do_not_expire<H: Harness>() {
    let mut stage = lasting::<H>(10);
    stage.seed("hub/1:9 s/1:0.1");
    stage.fetch("hub/1", "a/1:0.9");
    let out = stage.take_one("a/1");
    stage.pass(60_000);
    assert_eq!(stage.take(0), []);
    stage.settle_with(&out, End::Retry, HostEffect::Asked, &[]);
    assert_eq!(stage.counts().expired, 0);
    stage.pass(10_000);
    let out = stage.take_one("a/1");
    assert_eq!(out.attempt, 1, "a URL that comes back gets its full time again");
    let now = stage.now;
    stage.hand_back(&out, now);
    stage.pass(10_001);
    assert_eq!(stage.visits(), "s/1");
    assert_eq!(stage.counts().expired, 1);
}

/// Once the bound is exceeded by a tenth, the worst are dropped down to the bound.
pub fn the_worst_are_dropped_where_too_many_wait<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        max_waiting: Some(10),
        ..HostPolicy::instant()
    });
    stage.seed("hub/1:9 hub/2:8 s/1:0.001");
    let line = |numbers: std::ops::Range<u32>| -> String {
        let links = numbers.map(|number| format!("a/{number}:{}", f64::from(number) / 100.0));
        links.collect::<Vec<_>>().join(" ")
    };
    stage.fetch("hub/1", &line(1..12));
    assert_eq!(
        stage.counts().waiting,
        13,
        "a tenth more is still allowed, and seeds do not count"
    );
    stage.fetch("hub/2", &line(20..21));
    let counts = stage.counts();
    assert_eq!((counts.waiting, counts.expired, counts.known), (11, 2, 13));
    assert_eq!(stage.standing("s/1"), Standing::Waiting, "a seed stays");
    let gone = ["a/1", "a/2", "a/3"].map(|name| stage.standing(name));
    assert_eq!(gone, [Standing::New, Standing::New, Standing::Waiting]);
}

/// Each stack's entry has its own time. The URL stays known as long as any agent wants it.
pub fn a_url_expires_in_one_stack_and_stays_in_another<H: Harness>() {
    let mut stage = lasting::<H>(10);
    stage.seed_for(0, "hub/1:9 x/1:0.001");
    stage.seed_for(1, "hub/2:9");
    stage.fetch_for(0, "hub/1", "a/1:0.5");
    stage.pass(6000);
    stage.fetch_for(1, "hub/2", "a/1:0.4");
    stage.pass(6000);
    stage.fetch_for(0, "x/1", "");
    assert_eq!(
        (stage.waits_for(0, "a/1"), stage.waits_for(1, "a/1")),
        (None, Some(0.4))
    );
    let counts = stage.counts();
    assert_eq!((counts.known, counts.waiting, counts.expired), (4, 1, 1));
    let lease = stage.take_one_for(1, "a/1");
    assert_eq!((lease.parent, lease.depth), (Some(stage.key("hub/2")), 1));
}

/// A link to its target would lead nowhere, so the URL is tried again.
pub fn a_url_whose_target_was_dropped_may_enter_again<H: Harness>() {
    let mut stage = lasting::<H>(10);
    stage.seed("hub/1:9 hub/2:0.001");
    stage.fetch("hub/1", "a/1:0.5");
    let lease = stage.take_one("a/1");
    stage.redirected(&lease, "b/1", Merge::Max);
    assert_eq!(stage.standing("a/1"), Standing::Waiting);
    stage.pass(11_000);
    stage.fetch("hub/2", "");
    assert_eq!(stage.standing("a/1"), Standing::New);
    stage.seed("hub/3:9");
    stage.fetch("hub/3", "a/1:0.4");
    assert_eq!(stage.visits(), "a/1");
}
