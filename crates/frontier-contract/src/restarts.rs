//! What remains after a restart: everything committed and nothing else.

use scenthound_frontier::{End, Frontier, HostEffect, HostPolicy, Next, State};
use scenthound_types::{AgentId, Merge, ParentPage, Parents, Standing, StateDelta, Update, UrlKey};

use crate::bounds::lasting;
use crate::epochs::{ME, OTHER, freshen, keep, kept, words};
use crate::stage::{at, rank, secs};
use crate::{Harness, Stage, url};

/// One URL of each kind, a note and rules.
pub fn what_was_committed_is_there<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.9 b/1:0.8 c/1:0.7");
    stage.fetch("a/1", "a/2:1/0.5/7 d/1:0.25");
    let gone = stage.take_one("b/1");
    stage.settle_with(&gone, End::Gone, HostEffect::Asked, &[]);
    stage.fetch("c/1", "");
    let names = ["a/1", "a/2", "b/1", "c/1", "d/1"];
    let before = names.map(|name| stage.facts(name));
    let counts = stage.counts();
    let mut notes = StateDelta::default();
    notes.put("strategy/x", b"1");
    stage.f().commit(&notes).unwrap();
    stage.f().sync().unwrap();
    stage.restart();
    assert_eq!(names.map(|name| stage.facts(name)), before);
    assert_eq!(stage.counts(), counts);
    assert_eq!(
        stage.f().notes("").unwrap(),
        [("strategy/x".to_owned(), b"1".to_vec())]
    );
    assert_eq!(stage.visits(), "d/1 a/2");
}

/// A settled page, its links, its rank changes: all or nothing.
pub fn what_was_not_committed_never_was<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.9 b/1:0.8");
    stage.commit();
    let links = stage.links("c/1:1 b/1:0.95", Merge::Max);
    stage.fetch_with("a/1", &links);
    assert_eq!(stage.counts().known, 3);
    stage.restart();
    let counts = stage.counts();
    assert_eq!((counts.known, counts.waiting, counts.hosts), (2, 2, 2));
    assert_eq!(stage.standing("c/1"), Standing::New);
    assert_eq!(stage.score("b/1"), 0.8);
    assert_eq!(stage.visits(), "a/1 b/1");
}

/// Leased URLs wait again, with everything they gained.
pub fn leases_end_with_the_process<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.5 b/1:0.4 c/1:0.3 d/1:0.2");
    let leased = stage.take_one("a/1");
    assert_eq!(leased.attempt, 0);
    let now = stage.now;
    assert_eq!(stage.f().draw(2, now).unwrap(), 2);
    let gain = stage.links("a/1:0.5 c/1:0.25", Merge::Add);
    stage.fetch_with("b/1", &gain);
    stage.commit();
    stage.restart();
    assert_eq!(stage.counts().leased, 0);
    assert_eq!(stage.score("a/1"), 1.0);
    assert_eq!(stage.visits(), "c/1 a/1 d/1");
}

/// The list is served to its end in its old order: first what was in flight, then the rest, with what each was drawn with. What
/// turned up since, however good, has to wait.
pub fn a_drawn_list_goes_on_in_its_order<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.5 b/1:0.4 c/1:0.3 d/1:0.2 e/1:0.1");
    let now = stage.now;
    assert_eq!(stage.f().draw(4, now).unwrap(), 4);
    let gain = stage.links("d/1:0.8 e/1:0.8", Merge::Add);
    stage.fetch_with("a/1", &gain);
    stage.take_one("b/1");
    stage.commit();
    stage.restart();
    assert_eq!(stage.f().draw(4, now).unwrap(), 0, "the list is not done");
    for (name, drawn_with) in [("b/1", 0.4), ("c/1", 0.3), ("d/1", 0.2)] {
        let lease = stage.take_one(name);
        assert_eq!(lease.taken.rank.score.get(), drawn_with);
        stage.fetched(&lease, &[]);
        stage.commit();
        stage.restart();
    }
    assert_eq!(stage.visits(), "e/1");
}

/// Of four links two were rescored before the restart; afterwards only the other two are stale.
pub fn an_epoch_goes_on_where_it_stopped<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.9 b/1:0.8 c/1:0.7 d/1:0.6");
    stage.f().open_epoch(ME);
    let (asked, left) = freshen(&mut stage, ME, 1, "a/1:0.95 b/1:0.5 c/1:0.4 d/1:0.3");
    assert_eq!((asked.as_str(), left), ("a/1 b/1", true));
    stage.f().keep_ranks();
    stage.commit();
    stage.restart();
    assert!(stage.f().is_stale(ME));
    // Another model: those already rescored keep their ranks.
    let (asked, left) = freshen(&mut stage, ME, 9, "a/1:0.1 b/1:0.2 c/1:0.25 d/1:0.3");
    assert_eq!((asked.as_str(), left), ("c/1 d/1", false));
    stage.f().keep_ranks();
    stage.commit();
    stage.restart();
    assert!(!stage.f().is_stale(ME));
    assert_eq!(stage.waits_for(0, "a/1"), Some(0.95));
    assert_eq!(stage.waits_for(0, "c/1"), Some(0.25));
    assert_eq!(stage.waits_for(0, "d/1"), Some(0.3));
}

/// When the last request was made is unknown, so every host rests for a full delay.
pub fn every_host_rests_one_delay_on_opening<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        delay: secs(3),
        robots: false,
        ..HostPolicy::default()
    });
    stage.seed("a/1:0.9 b/1:0.8");
    stage.commit();
    stage.take_one("a/1");
    stage.pass(10_000);
    stage.restart();
    assert_eq!(stage.next(2), Next::WaitUntil(at(13)));
    assert_eq!(stage.counts().hosts_resting, 2);
    stage.pass(3000);
    assert_eq!(stage.take(2).len(), 2);
}

/// `a` failed twice and has a long rest; `b` has rules and asks for a crawl-delay.
pub fn backoff_and_rules_survive<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        backoff: secs(100),
        max_pages_per_host: Some(3),
        ..HostPolicy::default()
    });
    stage.seed("a/1:0.9 b/1:0.1 b/2:0.1");
    let robots = stage.take_one("a/robots.txt");
    stage.settle_with(&robots, End::Retry, HostEffect::Failed, &[]);
    let robots = stage.take_one("b/robots.txt");
    stage.rules(&robots, at(50), Some(secs(7)), "");
    stage.pass(7000);
    stage.fetch("b/1", "");
    let before = stage.facts("a/1");
    assert_eq!(before.host_failures, 1);
    stage.commit();
    stage.restart();
    assert_eq!(stage.facts("a/1"), before);
    assert_eq!(stage.facts("b/1").host_pages, 1);
    assert_eq!(stage.f().rules(&url("b/9")).unwrap(), Some(b"rules".to_vec()));
    assert_eq!(
        stage.next(1),
        Next::WaitUntil(at(14)),
        "the crawl-delay also applies on opening"
    );
    stage.pass(7000);
    stage.fetch("b/2", "b/3:0.1");
    stage.now = at(50);
    stage.take_one("b/robots.txt");
}

/// A redirect target keeps its source's age, a retry its count.
pub fn ages_and_attempts_survive<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.5 a/2:0.5 a/3:0.5 b/1:0.9 b/2:0.8");
    stage.fetch("b/1", "");
    stage.fetch("b/2", "");
    let lease = stage.take_one("a/1");
    stage.redirected(&lease, "a/4", Merge::Max);
    let lease = stage.take_one("a/4");
    stage.settle_with(&lease, End::Retry, HostEffect::Asked, &[]);
    stage.commit();
    stage.restart();
    let lease = stage.take_one("a/4");
    assert_eq!((lease.attempt, lease.redirects, lease.taken.age), (1, 1, 0));
    stage.fetched(&lease, &[]);
    assert_eq!(stage.visits(), "a/2 a/3");
}

/// ```text
/// hub/1 -> a/1 a/2      a/2 => c/1      hub/1 again -> c/2
/// ```
/// The children of `hub/1` are `a/1`, `a/2`, `c/1` and `c/2`, even after a restart.
pub fn children_are_found_again<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("hub/1:1 z/1:0.05 z/2:0.04");
    let mut updates = stage.links("a/1:0.1 b/2:0.8", Merge::Max);
    updates.extend(stage.links("hub/1:0.5", Merge::Add));
    let lease = stage.take_one("hub/1");
    stage.fetched(&lease, &updates);
    let lease = stage.take_one("b/2");
    stage.redirected(&lease, "c/1", Merge::Max);
    stage.fetch_with("c/1", &[Update::RevisitRichest]);
    stage.fetch("hub/1", "c/2:0.1");
    stage.commit();
    stage.restart();
    let raise = Update::RaiseSiblings {
        of: stage.key("c/1"),
        parents: Parents::First,
        rank: rank("0.5"),
        merge: Merge::Add,
    };
    stage.seed("y/1:9");
    stage.fetch_with("y/1", &[raise]);
    assert_eq!(stage.score("a/1"), 0.6);
    assert_eq!(stage.score("c/2"), 0.6);
    assert_eq!(stage.score("z/1"), 0.05);
}

/// At most two parents each, and a raise already applied has no effect.
pub fn raises_and_parents_survive<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        all_parents: true,
        max_parents: 2,
        ..HostPolicy::instant()
    });
    stage.seed("hub/1:2 hub/2:2 hub/3:2 hub/4:1.9");
    stage.fetch("hub/1", "a/1:1 b/1:0.1");
    stage.fetch("hub/2", "a/1:1 b/2:0.1 b/3:0.9");
    stage.fetch("hub/3", "a/1:1");
    let raise = |stage: &Stage<H>, of: &str, to: &str| Update::RaiseSiblings {
        of: stage.key(of),
        parents: Parents::All,
        rank: rank(to),
        merge: Merge::Max,
    };
    stage.fetch("hub/4", "a/2:0.2 a/3:0.1");
    let update = raise(&stage, "a/1", "0.5");
    stage.fetch_with("a/1", &[update]);
    let mut updates = stage.links("b/2:0.2", Merge::Replace);
    let same = raise(&stage, "b/3", "0.5");
    stage.commit();
    stage.restart();
    assert_eq!(stage.counts().parents_dropped, 1);
    updates.push(same);
    stage.fetch_with("b/3", &updates);
    assert_eq!(stage.score("b/2"), 0.2, "a raise it had before the restart");
    stage.seed("y/1:9");
    stage.fetch("y/1", "b/1:0.1");
    let higher = raise(&stage, "a/1", "0.75");
    stage.seed("y/2:9");
    stage.fetch_with("y/2", &[higher]);
    assert_eq!((stage.score("b/1"), stage.score("b/2")), (0.75, 0.75));
    stage.seed("y/3:9");
    stage.fetch("y/3", "a/1:0.1");
    assert_eq!(
        stage.counts().parents_dropped,
        2,
        "the kept parents are counted again"
    );
}

/// One requested and committed but not yet fetched, and one whose request was in flight.
pub fn a_revisit_asked_for_is_still_due<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.9 a/2:0.8 b/1:0.7");
    stage.fetch("a/1", "");
    stage.fetch("a/2", "");
    let mut updates = stage.links("a/1:0.5 a/2:0.75", Merge::Add);
    updates.extend([Update::RevisitRichest, Update::RevisitRichest]);
    stage.fetch_with("b/1", &updates);
    stage.commit();
    assert!(stage.take_one("a/2").revisit);
    stage.restart();
    for name in ["a/2", "a/1"] {
        let lease = stage.take_one(name);
        assert!(lease.revisit);
        stage.fetched(&lease, &[]);
    }
    assert_eq!(stage.next(1), Next::Done);
}

/// The same URL, host and note change again.
pub fn a_second_commit_replaces_the_first<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.9 b/1:0.1");
    let mut notes = StateDelta::default();
    notes.put("n", b"1");
    stage.f().commit(&notes).unwrap();
    stage.fetch("a/1", "b/1:0.5");
    let mut notes = StateDelta::default();
    notes.put("n", b"2");
    stage.f().commit(&notes).unwrap();
    stage.restart();
    assert_eq!(stage.facts("a/1").state, State::Fetched);
    assert_eq!(stage.score("b/1"), 0.5);
    assert_eq!(stage.f().notes("n").unwrap(), [("n".to_owned(), b"2".to_vec())]);
    stage.restart();
    assert_eq!(stage.visits(), "b/1");
}

/// A rank that was not kept may be lost, but nothing else is.
pub fn new_ranks_survive_once_they_are_kept<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.9 b/1:0.8 c/1:0.7");
    stage.commit();
    stage.f().open_epoch(ME);
    freshen(&mut stage, ME, 9, "a/1:0.1 b/1:0.2 c/1:0.3");
    stage.f().keep_ranks();
    stage.commit();
    stage.f().open_epoch(ME);
    freshen(&mut stage, ME, 9, "a/1:0.1 b/1:same c/1:0.05");
    stage.commit();
    stage.restart();
    assert_eq!(stage.waits_for(0, "a/1"), Some(0.1));
    assert_eq!(stage.waits_for(0, "b/1"), Some(0.2));
    let last = stage.waits_for(0, "c/1");
    assert!(last == Some(0.3) || last == Some(0.05), "{last:?}");
}

/// Evidence that was committed is there after a restart; evidence that was not is gone.
pub fn evidence_survives_a_restart<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed_for(0, "a/1:0.9 b/1:0.8");
    stage.seed_for(1, "a/1:0.3");
    let mut union = words(&[3, 1]);
    union.add_parent(ParentPage {
        key: UrlKey(8),
        relevance: 0.25,
    });
    keep(&mut stage, ME, "a/1", &union);
    stage.commit();
    let mut more = kept(&mut stage, ME, "a/1").unwrap();
    more.gather(&words(&[2]));
    keep(&mut stage, ME, "a/1", &more);
    keep(&mut stage, OTHER, "a/1", &words(&[7]));
    stage.commit();
    keep(&mut stage, ME, "b/1", &words(&[9]));
    stage.restart();
    let evidence = kept(&mut stage, ME, "a/1").unwrap();
    assert_eq!(evidence.anchor, [1, 2, 3]);
    assert_eq!(evidence.parents, union.parents);
    assert_eq!(kept(&mut stage, OTHER, "a/1"), Some(words(&[7])));
    assert_eq!(kept(&mut stage, ME, "b/1"), None);
    stage.fetch_for(1, "a/1", "");
    stage.commit();
    stage.restart();
    assert_eq!(kept(&mut stage, ME, "a/1"), None);
}

/// What was dropped stays dropped, its number is not reused, and the count continues.
pub fn what_was_dropped_stays_dropped<H: Harness>() {
    let mut stage = lasting::<H>(10);
    stage.seed("hub/1:9 hub/2:8 s/1:0.001");
    stage.fetch("hub/1", "a/1:0.5 a/2:0.4");
    stage.commit();
    stage.pass(6000);
    stage.fetch("hub/2", "c/1:0.3 a/3:0.1");
    stage.pass(6000);
    assert_eq!(stage.take(0), []);
    stage.commit();
    stage.restart();
    let counts = stage.counts();
    assert_eq!((counts.known, counts.waiting, counts.expired), (5, 3, 2));
    assert_eq!(stage.standing("a/1"), Standing::New);
    stage.pass(9000);
    stage.fetch("c/1", "a/1:0.6");
    assert_eq!(stage.facts("a/1").priority.age, 7);
    stage.pass(1001);
    assert_eq!(
        stage.visits(),
        "a/1 s/1",
        "what waits on opening counts as entered at that moment"
    );
    stage.commit();
    stage.restart();
    assert_eq!(stage.counts().expired, 3);
}

/// Both claims with their ranks, parents and depths, and the record of which agent leased a URL.
pub fn claims_survive<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed_for(0, "hub/1:1");
    stage.seed_for(1, "hub/2:1");
    stage.fetch_for(0, "hub/1", "a/1:0.9 a/2:0.8 a/3:0.1");
    stage.fetch_for(1, "hub/2", "a/2:0.7 a/1:0.5 a/3:0.4");
    stage.fetch_for(1, "a/2", "");
    let out = stage.take_one_for(1, "a/1");
    stage.commit();
    stage.restart();
    assert_eq!(
        (stage.waits_for(0, "a/1"), stage.waits_for(1, "a/1")),
        (Some(0.9), Some(0.5))
    );
    let facts = stage.facts("a/2");
    assert_eq!(
        (facts.agent, facts.parent),
        (AgentId(1), Some(stage.key("hub/2")))
    );
    assert_eq!(stage.f().waiting_of(AgentId(1)), 2);
    let counts = stage.counts();
    assert_eq!((counts.known, counts.waiting), (5, 2));
    let again = stage.take_one_for(1, "a/1");
    assert_eq!(
        (again.parent, again.depth, again.taken),
        (out.parent, out.depth, out.taken)
    );
    stage.fetched(&again, &[]);
    stage.commit();
    stage.restart();
    stage.fetch_for(0, "a/3", "");
    assert_eq!(stage.next_for(1, 1, u16::MAX), Next::Done);
}
