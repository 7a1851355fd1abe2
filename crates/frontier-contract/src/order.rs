//! Which URL comes next, and how the end of a lease affects its place.

use scenthound_frontier::{End, Frontier, FrontierError, HostEffect, HostPolicy, Next, Settled, State};
use scenthound_types::{LeaseKind, Merge, Reason, Standing, StateDelta, Update};

use crate::stage::{at, names, rank, secs};
use crate::{Harness, Stage, url};

/// `a` has one good URL among bad ones, `b` two middling ones.
pub fn the_best_url_comes_first_whatever_its_host<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/bad:0.1 a/good:0.9 b/fair:0.6 b/poor:0.3 c/worst:0");
    assert_eq!(stage.visits(), "a/good b/fair b/poor a/bad c/worst");
}

/// Each URL beats the next by one field only.
pub fn class_then_score_then_tie_then_age_decide<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("b/old:1/0.5/1 a/young:1/0.5/1 a/tie:1/0.5/0 c/score:1/0.9/9 b/class:0/0.1/9");
    assert_eq!(stage.visits(), "b/class c/score a/tie b/old a/young");
}

/// A URL that is leased or settled is not handed out again, even when it is offered again.
pub fn a_url_is_leased_once<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.5 b/1:0.4");
    let lease = stage.take_one("a/1");
    stage.seed("a/1:0.9");
    let links = stage.links("a/1:0.9", Merge::Replace);
    stage.fetch_with("b/1", &links);
    assert_eq!(stage.next(5), Next::Blocked);
    stage.fetched(&lease, &links);
    assert_eq!(stage.next(5), Next::Done);
}

/// Three hosts with two URLs each: one from each host at a time.
pub fn taking_many_serves_several_hosts_at_once<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.9 a/2:0.8 b/1:0.7 b/2:0.6 c/1:0.5 c/2:0.4");
    let leases = stage.take(10);
    assert_eq!(names(&leases), ["a/1", "b/1", "c/1"]);
    let ids: std::collections::BTreeSet<_> = leases.iter().map(|lease| lease.id).collect();
    assert_eq!(ids.len(), 3, "every lease has its own number");
    for lease in &leases {
        stage.fetched(lease, &[]);
    }
    assert_eq!(names(&stage.take(2)), ["a/2", "b/2"]);
}

/// `a/2` is found through a link, then named by the user.
pub fn seeds_already_known_keep_their_place_and_are_marked<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:1");
    stage.fetch("a/1", "a/2:0.2 a/3:0.5");
    stage.seed("a/2:0.9");
    let facts = stage.facts("a/2");
    assert!(facts.seed);
    assert_eq!((facts.depth, facts.priority.rank), (1, rank("0.2")));
    assert_eq!(stage.visits(), "a/3 a/2");
}

/// A failed `a/1` comes back before the younger `a/2` of equal score.
pub fn a_retry_keeps_its_place_and_counts_the_attempt<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.5 a/2:0.5");
    for attempt in 0..3 {
        let lease = stage.take_one("a/1");
        assert_eq!(lease.attempt, attempt);
        stage.settle_with(&lease, End::Retry, HostEffect::Asked, &[]);
        assert_eq!(stage.standing("a/1"), Standing::Waiting);
    }
    assert_eq!(stage.score("a/1"), 0.5);
    assert_eq!(stage.visits(), "a/1 a/2");
}

/// No request was made, so nothing changed.
pub fn a_handed_back_lease_waits_again_and_counts_nothing<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.5 a/2:0.5");
    let before = stage.facts("a/1");
    let lease = stage.take_one("a/1");
    assert_eq!((stage.counts().leased, stage.counts().waiting), (1, 1));
    let now = stage.now;
    stage.hand_back(&lease, now);
    assert_eq!(stage.facts("a/1"), before);
    assert_eq!((stage.counts().leased, stage.counts().waiting), (0, 2));
    let again = stage.take_one("a/1");
    assert_eq!(again.attempt, 0);
    assert_ne!(again.id, lease.id);
}

/// `hub → a/old, a/young`; `a/old` redirects to `b/new`, which is served where `a/old` would have been.
pub fn a_redirect_takes_over_parent_depth_priority_age_and_seed_mark<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("hub/0:1 s/0:0.9");
    stage.fetch("hub/0", "a/old:0/0.5/3 c/young:0/0.5/3");
    let lease = stage.take_one("s/0");
    stage.redirected(&lease, "t/0", Merge::Max);
    let seed = stage.take_one("t/0");
    assert!(seed.seed && seed.depth == 0 && seed.parent.is_none() && seed.redirects == 1);
    assert_eq!(seed.taken, lease.taken);
    stage.fetched(&seed, &[]);

    let lease = stage.take_one("a/old");
    stage.redirected(&lease, "b/new", Merge::Max);
    assert_eq!(stage.standing("a/old"), Standing::Waiting, "b/new stands for it");
    assert_eq!(stage.facts("b/new").reason, Reason::Redirect);
    let target = stage.take_one("b/new");
    assert_eq!((target.depth, target.redirects, target.seed), (1, 1, false));
    assert_eq!(target.parent, Some(stage.key("hub/0")));
    assert_eq!(target.taken, lease.taken);
}

/// `a/0 → a/1 → a/2 → b/0 → b/1 → a/3`: each entry into a host starts at 0, also where the crawl comes back to it.
pub fn depth_within_a_site_counts_from_where_the_crawl_entered_it<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/0:1");
    let way = ["a/0", "a/1", "a/2", "b/0", "b/1", "a/3"];
    for (at, page) in way.iter().enumerate() {
        let lease = stage.take_one(page);
        let site_depth = [0, 1, 2, 0, 1, 0][at];
        assert_eq!((lease.depth, lease.site_depth), (at as u16, site_depth), "{page}");
        let next = way.get(at + 1).map(|next| format!("{next}:0.5"));
        let links = stage.links(&next.unwrap_or_default(), Merge::Max);
        stage.fetched(&lease, &links);
    }
}

/// The target waits with a worse rank: it gets the better one, and keeps its own parent.
pub fn a_redirect_to_a_waiting_url_merges<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.9 b/1:0.2 b/2:0.5");
    let lease = stage.take_one("a/1");
    stage.redirected(&lease, "b/1", Merge::Max);
    assert_eq!(stage.counts().known, 3);
    assert_eq!(stage.score("b/1"), 0.9);
    assert_eq!(stage.visits(), "b/1 b/2");
}

/// `a/1 ⇒ a/2 ⇒ a/3`; then `b/1` links to `a/1`, which is not requested again.
pub fn a_link_to_a_url_that_moved_leads_to_where_it_moved<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.9 b/1:0.8 c/1:0.5");
    let first = stage.take_one("a/1");
    stage.redirected(&first, "a/2", Merge::Keep);
    let second = stage.take_one("a/2");
    stage.redirected(&second, "a/3", Merge::Keep);
    let offered = stage.links("a/3:0.1", Merge::Replace);
    let lease = stage.take_one("a/3");
    assert_eq!(stage.standing("a/1"), Standing::Leased);
    stage.settle_with(&lease, End::Retry, HostEffect::Untouched, &offered);
    let offered = stage.links("a/1:0.7", Merge::Max);
    stage.fetch_with("b/1", &offered);
    assert_eq!((stage.score("a/1"), stage.score("a/3")), (0.0, 0.7));
    assert_eq!(stage.visits(), "a/3 c/1");
    assert!(matches!(stage.standing("a/1"), Standing::Fetched { .. }));
}

/// `a/1 ⇒ a/2 ⇒ a/1`, and `b/1 ⇒ b/1`.
pub fn a_redirect_loop_ends<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.9 b/1:0.1");
    for (from, to) in [("a/1", "a/2"), ("a/2", "a/1"), ("b/1", "b/1")] {
        let lease = stage.take_one(from);
        stage.redirected(&lease, to, Merge::Max);
    }
    assert_eq!(stage.next(1), Next::Done);
}

/// The two best are drawn; a better one that turns up in the meantime has to wait.
pub fn a_drawn_list_is_finished_before_anything_else<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.9 b/1:0.8 c/1:0.1");
    let now = stage.now;
    assert_eq!(stage.f().draw(2, now).unwrap(), 2);
    assert_eq!(stage.counts().waiting, 3);
    stage.fetch("a/1", "c/2:1");
    assert_eq!(stage.f().draw(2, now).unwrap(), 0, "the list is not done");
    let last = stage.take_one("b/1");
    assert_eq!(stage.next(1), Next::Blocked, "the list is not settled");
    stage.fetched(&last, &[]);
    assert_eq!(stage.visits(), "c/2 c/1");
    assert_eq!(stage.f().draw(2, now).unwrap(), 0, "nothing is left");
}

/// `a` is resting, and its URL is still the best.
pub fn a_drawn_list_takes_the_best_of_resting_hosts_too<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        delay: secs(5),
        robots: false,
        ..HostPolicy::default()
    });
    stage.seed("a/1:0.9 a/2:0.8 b/1:0.5 b/2:0.4");
    stage.fetch("a/1", "");
    let now = stage.now;
    assert_eq!(stage.f().draw(2, now).unwrap(), 2);
    stage.fetch("b/1", "");
    assert_eq!(stage.next(1), Next::WaitUntil(at(5)));
    stage.pass(5000);
    stage.fetch("a/2", "");
    assert_eq!(stage.visits(), "b/2");
}

/// `a` may give one page, but two of its pages are drawn.
pub fn a_drawn_list_whose_hosts_are_full_blocks_nothing<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        max_pages_per_host: Some(1),
        ..HostPolicy::instant()
    });
    stage.seed("a/1:0.9 a/2:0.8 b/1:0.5");
    let now = stage.now;
    assert_eq!(stage.f().draw(2, now).unwrap(), 2);
    assert_eq!(stage.visits(), "a/1 b/1");
    assert_eq!(stage.standing("a/2"), Standing::Waiting);
}

/// `b/1` is drawn with 0.5 and gains 0.25 before its turn; the gain is kept for later.
pub fn what_a_drawn_url_gains_is_kept_for_later<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.75 b/1:0.5");
    let now = stage.now;
    assert_eq!(stage.f().draw(2, now).unwrap(), 2);
    let gain = stage.links("b/1:0.25", Merge::Add);
    stage.fetch_with("a/1", &gain);
    let lease = stage.take_one("b/1");
    assert_eq!(lease.taken.rank.score.get(), 0.5);
    stage.hand_back(&lease, now);
    let lease = stage.take_one("b/1");
    assert_eq!(lease.taken.rank.score.get(), 0.5);
    stage.fetched(&lease, &[]);
    assert_eq!(stage.score("b/1"), 0.25);
}

/// One of the two on the list asks for a second visit to `a/1`: the next list has it in addition to its own two.
pub fn a_revisit_is_drawn_with_the_next_list<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.75 b/1:0.5 c/1:0.25 c/2:0.125 c/3:0.0625");
    let now = stage.now;
    assert_eq!(stage.f().draw(2, now).unwrap(), 2);
    stage.fetch("a/1", "");
    let mut updates = stage.links("a/1:0.5", Merge::Add);
    updates.push(Update::RevisitRichest);
    stage.fetch_with("b/1", &updates);
    assert_eq!(stage.f().draw(2, now).unwrap(), 3);
    let again = stage.take_one("a/1");
    assert!(again.revisit);
    assert_eq!(again.taken.rank.score.get(), 0.5);
    stage.fetch("c/1", "");
    stage.fetch("c/2", "");
    assert_eq!(stage.next(1), Next::Blocked, "the revisit belongs to the list");
    stage.fetched(&again, &[]);
    assert_eq!(stage.visits(), "c/3");
}

/// Even when something is waiting.
pub fn asking_for_none_gives_none<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.9");
    assert_eq!(stage.next(0), Next::Fetch(Vec::new()));
    assert_eq!(stage.counts().leased, 0);
}

/// It can be neither settled nor handed back.
pub fn a_settled_lease_cannot_be_settled_again<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.9");
    let lease = stage.take_one("a/1");
    stage.fetched(&lease, &[]);
    let now = stage.now;
    let again = Settled {
        lease: &lease,
        end: End::Gone,
        host_effect: HostEffect::Asked,
        updates: &[],
        links: &[],
        rules: None,
        sitemaps: &[],
        requisites: &[],
    };
    assert!(matches!(
        stage.f().settle(again, now),
        Err(FrontierError::UnknownLease(_))
    ));
    assert!(stage.f().hand_back(&lease, now, now).is_err());
    assert_eq!(stage.standing("a/1"), Standing::Fetched { relevance: 0.5 });
}

/// `hub → a/1`, and `hub` failed once before.
pub fn looking_up_tells_where_a_url_stands<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        backoff: secs(1),
        ..HostPolicy::instant()
    });
    stage.seed("hub/0:1");
    let lease = stage.take_one("hub/0");
    stage.settle_with(&lease, End::Retry, HostEffect::Failed, &[]);
    let facts = stage.facts("hub/0");
    assert_eq!(
        (facts.state, facts.host_failures, facts.host_pages),
        (State::Waiting, 1, 1)
    );
    assert!(facts.host_rests_until >= at(1));
    stage.pass(10_000);
    stage.fetch("hub/0", "a/1:0/0.5/2");
    let facts = stage.facts("a/1");
    assert_eq!(facts.url, url("a/1"));
    assert_eq!(facts.parent_url, Some(url("hub/0")));
    assert_eq!(facts.parent, Some(stage.key("hub/0")));
    assert_eq!((facts.reason, facts.depth, facts.seed), (Reason::Link, 1, false));
    assert_eq!(facts.priority.rank, rank("0/0.5/2"));
    let facts = stage.facts("hub/0");
    assert_eq!(
        (facts.state, facts.host_failures, facts.host_pages),
        (State::Fetched, 0, 2)
    );
    assert_eq!(
        (facts.reason, facts.seed, facts.parent),
        (Reason::Seed, true, None)
    );
    assert_eq!(stage.f().look_up(&url("a/unknown")).unwrap(), None);
}

/// One URL of each standing.
pub fn standings_answer_in_the_order_asked<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/fetched:0.9 b/gone:0.8 c/leased:0.7 d/waiting:0.6");
    let fetched = stage.take_one("a/fetched");
    stage.settle_with(&fetched, End::Fetched { relevance: 0.25 }, HostEffect::Asked, &[]);
    let gone = stage.take_one("b/gone");
    stage.settle_with(&gone, End::Gone, HostEffect::Asked, &[]);
    let leased = stage.take_one("c/leased");
    assert_eq!(leased.kind, LeaseKind::Page);
    let keys = ["d/waiting", "x/new", "c/leased", "b/gone", "a/fetched"].map(|name| stage.key(name));
    let mut standings = vec![Standing::New; 9];
    stage.f().standings(&keys, &mut standings);
    assert_eq!(
        standings,
        [
            Standing::Waiting,
            Standing::New,
            Standing::Leased,
            Standing::Gone,
            Standing::Fetched { relevance: 0.25 },
        ]
    );
    let counts = stage.counts();
    assert_eq!(
        (counts.known, counts.waiting, counts.leased, counts.hosts),
        (4, 1, 1, 4)
    );
}

/// The last value written under a name counts.
pub fn notes_are_found_by_prefix<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    let mut notes = StateDelta::default();
    notes.put("strategy/b", b"first");
    notes.put("strategy/b", b"second");
    notes.put("strategy/a", b"1");
    notes.put("strategz", b"other");
    notes.put("engine/pages", b"3");
    stage.f().commit(&notes).unwrap();
    let mut later = StateDelta::default();
    later.put("strategy/a", b"2");
    stage.f().commit(&later).unwrap();
    let found = stage.f().notes("strategy/").unwrap();
    let expected = [("strategy/a", b"2".to_vec()), ("strategy/b", b"second".to_vec())];
    assert_eq!(found, expected.map(|(name, value)| (name.to_owned(), value)));
    assert_eq!(stage.f().notes("").unwrap().len(), 4);
    assert_eq!(stage.f().notes("strategy/c").unwrap(), []);
}
