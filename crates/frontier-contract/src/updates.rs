//! What a strategy's updates do.

use scenthound_frontier::{End, Frontier, HostEffect, HostPolicy};
use scenthound_types::{Merge, Parents, Rank, Standing, Update};

use crate::stage::rank;
use crate::{Harness, Stage};

fn merged<H: Harness>(merge: Merge, first: &str, second: &str) -> Rank {
    let mut stage = Stage::<H>::instant();
    stage.seed("hub/1:1 hub/2:0.9");
    let links = stage.links(&format!("a/1:{first}"), merge);
    stage.fetch_with("hub/1", &links);
    let links = stage.links(&format!("a/1:{second}"), merge);
    stage.fetch_with("hub/2", &links);
    let rank = stage.facts("a/1").priority.rank;
    let lease = stage.take_one("a/1");
    assert_eq!(lease.taken.rank, rank);
    assert_eq!(lease.parent, Some(stage.key("hub/1")), "the first parent stays");
    rank
}

/// Better or worse, the second offer changes nothing.
pub fn keep_leaves_the_first_rank<H: Harness>() {
    assert_eq!(merged::<H>(Merge::Keep, "1/0.5/2", "0/0.9/0"), rank("1/0.5/2"));
    assert_eq!(merged::<H>(Merge::Keep, "1/0.5/2", "3/0.1/9"), rank("1/0.5/2"));
}

/// Better or worse, the second offer counts.
pub fn replace_counts_the_new_rank<H: Harness>() {
    assert_eq!(merged::<H>(Merge::Replace, "1/0.5/2", "0/0.9/0"), rank("0/0.9/0"));
    assert_eq!(merged::<H>(Merge::Replace, "1/0.5/2", "3/0.1/9"), rank("3/0.1/9"));
}

/// A smaller class is better than any score.
pub fn max_counts_the_better_rank<H: Harness>() {
    assert_eq!(merged::<H>(Merge::Max, "1/0.5/2", "0/0.1/9"), rank("0/0.1/9"));
    assert_eq!(merged::<H>(Merge::Max, "1/0.5/2", "2/0.9/0"), rank("1/0.5/2"));
    assert_eq!(merged::<H>(Merge::Max, "1/0.5/2", "1/0.5/1"), rank("1/0.5/1"));
}

/// Class and tie stay those of the first offer.
pub fn add_sums_the_scores<H: Harness>() {
    assert_eq!(merged::<H>(Merge::Add, "1/0.5/2", "0/0.25/0"), rank("1/0.75/2"));
}

/// `a/1` is taken with 0.5, gains 0.25 while leased and 1 afterwards.
pub fn add_gathers_on_leased_and_fetched_urls_and_settling_takes_only_what_was_taken<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.5 b/1:0.4 b/2:0.3");
    let lease = stage.take_one("a/1");
    let gain = stage.links("a/1:0.25", Merge::Add);
    stage.fetch_with("b/1", &gain);
    assert_eq!(stage.score("a/1"), 0.75);
    stage.fetched(&lease, &[]);
    assert_eq!(stage.score("a/1"), 0.25);
    let gain = stage.links("a/1:1", Merge::Add);
    stage.fetch_with("b/2", &gain);
    assert_eq!(stage.score("a/1"), 1.25);
    assert_eq!(stage.visits(), "", "gathering cash does not make it wait again");
}

fn raise<H: Harness>(stage: &Stage<H>, of: &str, parents: Parents, to: &str, merge: Merge) -> Update {
    Update::RaiseSiblings {
        of: stage.key(of),
        parents,
        rank: rank(to),
        merge,
    }
}

/// ```text
/// hub/1 -> a/1 a/2 a/3      hub/2 -> a/3 b/1
/// ```
/// `a/1` is visited: `a/2` and `a/3` are its siblings, `b/1` is not.
pub fn raising_siblings_reaches_the_first_parents_children<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("hub/1:1 hub/2:1");
    stage.fetch("hub/1", "a/1:0.5 a/2:0.1 a/3:0.2");
    stage.fetch("hub/2", "a/3:0.2 b/1:0.3");
    let update = raise(&stage, "a/1", Parents::First, "0.9", Merge::Max);
    stage.fetch_with("a/1", &[update]);
    assert_eq!(stage.visits(), "a/2 a/3 b/1");
    assert_eq!(stage.standing("a/1"), Standing::Fetched { relevance: 0.5 });
}

/// ```text
/// hub/1 -> a/1 a/2      hub/2 -> a/1 b/1 c/1      hub/3 -> c/2
/// ```
/// `a/1` is visited. Its siblings are `a/2` through `hub/1`, and `b/1` and `c/1` through `hub/2`, but not `c/2`.
pub fn raising_by_all_parents_reaches_every_linking_page<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        all_parents: true,
        ..HostPolicy::instant()
    });
    stage.seed("hub/1:2 hub/2:2 hub/3:2");
    stage.fetch("hub/1", "a/1:1 a/2:0.1");
    stage.fetch("hub/2", "a/1:1 b/1:0.2 c/1:0.3");
    stage.fetch("hub/3", "c/2:0.4");
    let update = raise(&stage, "a/1", Parents::All, "0.9", Merge::Max);
    stage.fetch_with("a/1", &[update]);
    assert_eq!(stage.visits(), "a/2 b/1 c/1 c/2");
    assert_eq!(stage.counts().parents_dropped, 0);
}

/// `a/2` is already better.
pub fn a_raise_never_lowers<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("hub/1:1");
    stage.fetch("hub/1", "a/1:0.9 a/2:0.8 a/3:0.1");
    let update = raise(&stage, "a/1", Parents::First, "0.5", Merge::Max);
    stage.fetch_with("a/1", &[update]);
    assert_eq!((stage.score("a/2"), stage.score("a/3")), (0.8, 0.5));
}

/// ```text
/// hub/1 -> a/1 a/2 a/3 a/4
/// ```
/// `a/4` has the smallest tie and `a/2` the largest. Raised to one score by `a/1`, they keep that order.
pub fn a_raise_leaves_ties_alone<H: Harness>() {
    for parents in [Parents::First, Parents::All] {
        let mut stage = Stage::<H>::new(HostPolicy {
            all_parents: true,
            ..HostPolicy::instant()
        });
        stage.seed("hub/1:1");
        stage.fetch("hub/1", "a/1:0/0.9/0 a/2:0/0.1/9 a/3:0/0.1/5 a/4:0/0.1/1");
        let update = raise(&stage, "a/1", parents, "0.5", Merge::Max);
        stage.fetch_with("a/1", &[update]);
        assert_eq!(stage.visits(), "a/4 a/3 a/2");
    }
}

/// `a/2` waits and is raised; `a/1` is fetched, and `z/1` is not known.
pub fn a_url_is_raised_by_itself<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("hub/1:1");
    stage.fetch("hub/1", "a/1:0.9 a/2:0/0.1/3 a/3:0.2");
    let raises = ["a/1", "a/2", "z/1"].map(|name| Update::Raise {
        of: stage.key(name),
        rank: rank("0.5"),
        merge: Merge::Max,
    });
    stage.fetch_with("a/1", &raises);
    assert_eq!(stage.facts("a/2").priority.rank, rank("0/0.5/3"));
    assert_eq!(stage.visits(), "a/2 a/3");
}

/// `a/3` is out while `a/1` raises its siblings, and then waits again. A second raise to the same score reaches it.
pub fn what_missed_a_raise_is_reached_by_the_next<H: Harness>() {
    for parents in [Parents::First, Parents::All] {
        let mut stage = Stage::<H>::new(HostPolicy {
            all_parents: true,
            connections_per_host: 9,
            ..HostPolicy::instant()
        });
        stage.seed("hub/1:1");
        stage.fetch("hub/1", "a/1:0.9 a/2:0.8 a/3:0.95");
        let out = stage.take_one("a/3");
        let update = raise(&stage, "a/1", parents, "2", Merge::Max);
        stage.fetch_with("a/1", &[update]);
        stage.settle_with(&out, End::Retry, HostEffect::Asked, &[]);
        assert_eq!(stage.score("a/3"), 0.95);
        let update = raise(&stage, "a/2", parents, "2", Merge::Max);
        stage.fetch_with("a/2", &[update]);
        assert_eq!(stage.score("a/3"), 2.0);
    }
}

/// `a/3` is lowered by hand after a raise to 0.5. Another raise to 0.5 has no effect; one to 0.6 has.
pub fn a_raise_not_above_the_last_is_nothing<H: Harness>() {
    for parents in [Parents::First, Parents::All] {
        let mut stage = Stage::<H>::new(HostPolicy {
            all_parents: true,
            ..HostPolicy::instant()
        });
        stage.seed("hub/1:1");
        stage.fetch("hub/1", "a/1:0.9 a/2:0.8 a/3:0.1 a/4:0.7");
        let update = raise(&stage, "a/1", parents, "0.5", Merge::Max);
        stage.fetch_with("a/1", &[update]);
        let mut updates = stage.links("a/3:0.2", Merge::Replace);
        updates.push(raise(&stage, "a/2", parents, "0.5", Merge::Max));
        stage.fetch_with("a/2", &updates);
        assert_eq!(stage.score("a/3"), 0.2);
        let higher = raise(&stage, "a/4", parents, "0.6", Merge::Max);
        stage.fetch_with("a/4", &[higher]);
        assert_eq!(stage.score("a/3"), 0.6);
    }
}

/// The siblings get the class and the score, whatever they had. Ties stay.
pub fn a_replacing_raise_lowers_too<H: Harness>() {
    for parents in [Parents::First, Parents::All] {
        let mut stage = Stage::<H>::new(HostPolicy {
            all_parents: true,
            ..HostPolicy::instant()
        });
        stage.seed("hub/1:1");
        stage.fetch("hub/1", "a/1:0.9 a/2:0/0.8/4 a/3:0/0.1/9");
        let update = raise(&stage, "a/1", parents, "1/0.5/7", Merge::Replace);
        stage.fetch_with("a/1", &[update]);
        for (sibling, expected) in [("a/2", "1/0.5/4"), ("a/3", "1/0.5/9")] {
            assert_eq!(stage.facts(sibling).priority.rank, rank(expected));
        }
    }
}

/// Three pages link to `a/1`, two are kept: the third one's child is not a sibling.
pub fn no_more_parents_are_kept_than_allowed<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        all_parents: true,
        max_parents: 2,
        ..HostPolicy::instant()
    });
    stage.seed("hub/1:2 hub/2:2 hub/3:2");
    stage.fetch("hub/1", "a/1:1 b/1:0.1");
    stage.fetch("hub/2", "a/1:1 b/2:0.1");
    stage.fetch("hub/3", "a/1:1 b/3:0.1");
    assert_eq!(stage.counts().parents_dropped, 1);
    let update = raise(&stage, "a/1", Parents::All, "0.9", Merge::Max);
    stage.fetch_with("a/1", &[update]);
    assert_eq!(
        ["b/1", "b/2", "b/3"].map(|name| stage.score(name)),
        [0.9, 0.9, 0.1]
    );
}

/// `hub/1` links to `a/1` on both visits; that still leaves room for `hub/2`.
pub fn a_page_fetched_twice_is_one_parent<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        all_parents: true,
        max_parents: 2,
        ..HostPolicy::instant()
    });
    stage.seed("hub/1:1 hub/2:0.9 hub/3:0.8");
    let mut updates = stage.links("a/1:0.5 b/1:0.1", Merge::Max);
    updates.extend(stage.links("hub/1:1", Merge::Add));
    updates.push(Update::RevisitRichest);
    let lease = stage.take_one("hub/1");
    stage.fetched(&lease, &updates);
    let again = stage.take_one("hub/1");
    assert!(again.revisit);
    let links = stage.links("a/1:0.5 b/1:0.1 b/2:0.1", Merge::Max);
    stage.fetched(&again, &links);
    stage.fetch("hub/2", "a/1:0.5 b/3:0.1");
    assert_eq!(stage.counts().parents_dropped, 0);
    stage.fetch("hub/3", "");
    let update = raise(&stage, "a/1", Parents::All, "0.125", Merge::Add);
    stage.fetch_with("a/1", &[update]);
    assert_eq!(
        ["b/1", "b/2", "b/3"].map(|name| stage.score(name)),
        [0.225, 0.225, 0.225],
        "each sibling once"
    );
}

/// ```text
/// hub/1 -> a/1 a/2      hub/2 -> a/1 b/1      a/1 => c/1
/// ```
/// `c/1` is visited: both hubs lead to it.
pub fn a_redirect_target_inherits_all_parents<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        all_parents: true,
        ..HostPolicy::instant()
    });
    stage.seed("hub/1:2 hub/2:2");
    stage.fetch("hub/1", "a/1:1 a/2:0.1");
    stage.fetch("hub/2", "a/1:1 b/1:0.1");
    let lease = stage.take_one("a/1");
    stage.redirected(&lease, "c/1", Merge::Max);
    let update = raise(&stage, "c/1", Parents::All, "0.9", Merge::Max);
    stage.fetch_with("c/1", &[update]);
    assert_eq!((stage.score("a/2"), stage.score("b/1")), (0.9, 0.9));
}

/// ```text
/// hub/1 -> a/1 a/2      a/1 => a/3
/// ```
/// Nothing else is found in between, so the number of `a/3` directly follows those of its siblings.
pub fn a_redirect_right_after_its_siblings_is_raised_once<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("hub/1:1");
    stage.fetch("hub/1", "a/1:0.9 b/2:0.8");
    let lease = stage.take_one("a/1");
    stage.settle_with(&lease, End::Gone, HostEffect::Asked, &[]);
    let lease = stage.take_one("b/2");
    stage.redirected(&lease, "b/3", Merge::Max);
    let (of, retie) = ("a/1", stage.key("a/1"));
    let update = raise(&stage, of, Parents::First, "0.25", Merge::Add);
    stage.seed("z/1:2");
    stage.fetch_with("z/1", &[update, Update::RetieSiblings { of: retie }]);
    assert_eq!(stage.facts("b/3").priority.rank, rank("0/1.05/2"));
}

/// ```text
/// hub/1 -> a/1 a/2 a/3 a/4      hub/2 -> b/1
/// ```
/// Two of `hub/1`'s children are visited (one of them failed) and one is leased. So the fourth has tie 2, and `b/1`,
/// with an equal score, comes first.
pub fn retying_counts_the_visited_children_of_the_first_parent<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        connections_per_host: 2,
        ..HostPolicy::instant()
    });
    stage.seed("hub/1:1 hub/2:1");
    stage.fetch("hub/1", "a/1:0.9 a/2:0.8 a/3:0.7 a/4:0.5");
    stage.fetch("hub/2", "b/1:0.5");
    let gone = stage.take_one("a/1");
    stage.settle_with(&gone, End::Gone, HostEffect::Asked, &[]);
    let second = stage.take_one("a/2");
    let out = stage.take_one("a/3");
    let of = stage.key("a/2");
    stage.fetched(&second, &[Update::RetieSiblings { of }]);
    assert_eq!(stage.facts("a/4").priority.rank, rank("0/0.5/2"));
    stage.fetched(&out, &[]);
    assert_eq!(stage.visits(), "b/1 a/4");
}

/// `a/1` and `b/1` are fetched and gain 0.5 and 0.75. So `b/1` is fetched again before anything that waits, then
/// `a/1`.
pub fn the_richest_fetched_url_is_fetched_again<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.9 b/1:0.8 c/1:0.7 c/2:0.6 c/3:0.5");
    stage.fetch("a/1", "");
    stage.fetch("b/1", "");
    let mut updates = stage.links("a/1:0.5 b/1:0.75", Merge::Add);
    updates.push(Update::RevisitRichest);
    stage.fetch_with("c/1", &updates);
    let again = stage.take_one("b/1");
    assert!(again.revisit);
    assert_eq!(again.taken.rank, rank("0.75"));
    assert_eq!(stage.standing("b/1"), Standing::Fetched { relevance: 0.5 });
    stage.settle_with(&again, End::Fetched { relevance: 0.875 }, HostEffect::Asked, &[]);
    assert_eq!(stage.standing("b/1"), Standing::Fetched { relevance: 0.875 });
    assert_eq!(stage.score("b/1"), 0.0);
    stage.fetch_with("c/2", &[Update::RevisitRichest]);
    let again = stage.take_one("a/1");
    let now = stage.now;
    stage.hand_back(&again, now);
    stage.fetch("a/1", "");
    stage.fetch_with("c/3", &[Update::RevisitRichest]);
    assert_eq!(stage.visits(), "", "no URL holds any cash");
}

/// It keeps its cash. If it is gone for good, it stays known as fetched.
pub fn a_failed_revisit_is_tried_again<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.9 b/1:0.8");
    stage.fetch("a/1", "");
    let mut updates = stage.links("a/1:0.5", Merge::Add);
    updates.push(Update::RevisitRichest);
    stage.fetch_with("b/1", &updates);
    let again = stage.take_one("a/1");
    stage.settle_with(&again, End::Retry, HostEffect::Asked, &[]);
    assert_eq!(stage.score("a/1"), 0.5);
    let again = stage.take_one("a/1");
    assert_eq!((again.attempt, again.revisit), (1, true));
    stage.settle_with(&again, End::Gone, HostEffect::Asked, &[]);
    assert_eq!(stage.standing("a/1"), Standing::Fetched { relevance: 0.5 });
    assert_eq!(stage.score("a/1"), 0.0);
    assert_eq!(stage.f().counts().leased, 0);
    assert_eq!(stage.visits(), "");
}

/// Sums that exceed any float neither panic nor lose the order.
pub fn absurd_scores_stay_in_order<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    let most = f64::MAX.to_string();
    stage.seed(&format!("hub/1:{most} a/1:{most} b/1:0.5 c/1:-{most}"));
    let mut updates = stage.links(&format!("a/1:{most} c/1:-{most}"), Merge::Add);
    updates.extend(stage.links(&format!("a/1:{most}"), Merge::Add));
    stage.fetch_with("hub/1", &updates);
    let lease = stage.take_one("a/1");
    let again = stage.links(&format!("a/1:{most}"), Merge::Add);
    stage.fetched(&lease, &again);
    assert!(stage.score("a/1").is_finite());
    assert_eq!(stage.visits(), "b/1 c/1");
}
