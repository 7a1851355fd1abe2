//! Several agents, each with a stack of its own, over one seen-set and one politeness.

use scenthound_frontier::{End, Frontier, HostEffect, HostPolicy, Next};
use scenthound_types::{AgentId, Merge, Parents, Update};

use crate::stage::{at, rank, secs};
use crate::{Harness, Stage};

/// `a/1` is best for the first agent, `b/1` for the second.
pub fn each_agent_has_an_order_of_its_own<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed_for(0, "a/1:0.9 b/1:0.1 c/1:0.5");
    stage.seed_for(1, "a/1:0.1 b/1:0.9 d/1:0.5");
    assert_eq!(stage.counts().known, 4);
    assert_eq!(stage.counts().waiting, 4);
    let agents = [AgentId(0), AgentId(1), AgentId(2)];
    assert_eq!(agents.map(|agent| stage.f().waiting_of(agent)), [3, 3, 0]);
    assert_eq!(
        (stage.waits_for(0, "a/1"), stage.waits_for(1, "a/1")),
        (Some(0.9), Some(0.1))
    );
    assert_eq!(
        (stage.waits_for(0, "d/1"), stage.waits_for(1, "c/1")),
        (None, None)
    );
    stage.fetch_for(1, "b/1", "");
    stage.fetch_for(0, "a/1", "");
    stage.fetch_for(0, "c/1", "");
    stage.fetch_for(1, "d/1", "");
    assert_eq!(agents.map(|agent| stage.f().waiting_of(agent)), [0, 0, 0]);
    assert_eq!(
        agents.map(|agent| stage.next_for(agent.0, 9, u16::MAX)),
        [Next::Done, Next::Done, Next::Done]
    );
}

/// What one agent leases leaves the other's stack.
pub fn a_url_waiting_in_two_stacks_is_leased_once<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed_for(0, "a/1:0.9");
    stage.seed_for(1, "a/1:0.5");
    let lease = stage.take_one_for(1, "a/1");
    assert_eq!(lease.taken.rank.score.get(), 0.5);
    assert_eq!(stage.waits_for(0, "a/1"), None);
    assert_eq!(stage.counts().waiting, 0);
    assert_eq!(
        stage.next_for(0, 1, u16::MAX),
        Next::Blocked,
        "it may still come back to the first agent"
    );
    stage.fetched(&lease, &[]);
    assert_eq!(stage.next_for(0, 1, u16::MAX), Next::Done);
    assert_eq!(stage.next_for(1, 1, u16::MAX), Next::Done);
    stage.seed_for(0, "a/1:0.9");
    assert_eq!(stage.next_for(0, 1, u16::MAX), Next::Done, "whoever fetched it");
}

/// With each one's own priority.
pub fn a_handed_back_or_retried_url_is_in_both_stacks_again<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed_for(0, "a/1:0.9 b/1:0.8");
    stage.seed_for(1, "a/1:0.5 c/1:0.4");
    let lease = stage.take_one_for(1, "a/1");
    let now = stage.now;
    stage.hand_back(&lease, now);
    assert_eq!(
        (stage.waits_for(0, "a/1"), stage.waits_for(1, "a/1")),
        (Some(0.9), Some(0.5))
    );
    let lease = stage.take_one_for(0, "a/1");
    assert_eq!(lease.taken.rank.score.get(), 0.9);
    stage.settle_with(&lease, End::Retry, HostEffect::Asked, &[]);
    assert_eq!(
        (stage.waits_for(0, "a/1"), stage.waits_for(1, "a/1")),
        (Some(0.9), Some(0.5))
    );
    let lease = stage.take_one_for(1, "a/1");
    assert_eq!(lease.attempt, 1, "tries are the URL's, whoever tries");
    stage.settle_with(&lease, End::Gone, HostEffect::Asked, &[]);
    stage.take_one_for(0, "b/1");
    stage.take_one_for(1, "c/1");
}

/// One request at a time, a rest after each, one robots.txt, whoever asks.
pub fn politeness_is_shared<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        delay: secs(3),
        ..HostPolicy::default()
    });
    stage.seed_for(0, "a/1:0.9");
    stage.seed_for(1, "a/2:0.9");
    let robots = stage.take_one_for(1, "a/robots.txt");
    assert_eq!(stage.next_for(0, 1, u16::MAX), Next::Blocked);
    stage.rules(&robots, at(1000), None, "");
    assert_eq!(stage.next_for(0, 1, u16::MAX), Next::WaitUntil(at(3)));
    assert_eq!(stage.next_for(1, 1, u16::MAX), Next::WaitUntil(at(3)));
    assert_eq!(stage.next_for(2, 1, u16::MAX), Next::Done, "nothing there is its");
    stage.pass(3000);
    let lease = stage.take_one_for(0, "a/1");
    assert_eq!(stage.next_for(1, 1, u16::MAX), Next::Blocked);
    stage.fetched(&lease, &[]);
    assert_eq!(stage.next_for(0, 1, u16::MAX), Next::Done);
    assert_eq!(stage.next_for(1, 1, u16::MAX), Next::WaitUntil(at(6)));
    stage.pass(3000);
    stage.take_one_for(1, "a/2");
}

/// Links found for one agent are that agent's; parent, depth and reason are those of whoever leased the URL.
pub fn what_is_found_belongs_to_the_agent_that_fetched<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed_for(0, "a/1:0.9");
    stage.seed_for(1, "b/1:0.9");
    stage.fetch_for(0, "a/1", "c/1:0.5 c/2:0.4");
    stage.fetch_for(1, "b/1", "d/1:0.8");
    stage.fetch_for(1, "d/1", "c/1:0.7 c/3:0.3");
    assert_eq!(stage.waits_for(1, "c/1"), Some(0.7));
    assert_eq!(stage.waits_for(1, "c/2"), None);
    let lease = stage.take_one_for(1, "c/1");
    assert_eq!((lease.parent, lease.depth), (Some(stage.key("d/1")), 2));
    stage.fetched(&lease, &[]);
    let facts = stage.facts("c/1");
    assert_eq!(
        (facts.parent, facts.depth, facts.agent),
        (Some(stage.key("d/1")), 2, AgentId(1))
    );
    let lease = stage.take_one_for(0, "c/2");
    assert_eq!((lease.parent, lease.depth), (Some(stage.key("a/1")), 1));
}

/// An agent's second offer meets its first, not the others'.
pub fn offers_merge_with_the_agents_own<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed_for(0, "a/1:1 x/1:0.5 x/2:0.5");
    stage.seed_for(1, "b/1:1 b/2:0.9");
    stage.fetch_for(0, "a/1", "");
    stage.fetch_for(1, "b/1", "x/1:0.2 x/2:0.1");
    let updates = [
        stage.links("x/1:0.3", Merge::Max),
        stage.links("x/2:0.25", Merge::Add),
    ]
    .concat();
    let lease = stage.take_one_for(1, "b/2");
    stage.fetched(&lease, &updates);
    assert_eq!(
        (stage.waits_for(0, "x/1"), stage.waits_for(1, "x/1")),
        (Some(0.5), Some(0.3))
    );
    assert_eq!(
        (stage.waits_for(0, "x/2"), stage.waits_for(1, "x/2")),
        (Some(0.5), Some(0.35))
    );
}

/// The second agent's raise, its new rank and its wish to forget change nothing for the first.
pub fn updates_reach_only_the_agents_own_stack<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        all_parents: true,
        ..HostPolicy::instant()
    });
    stage.seed_for(0, "hub/1:1");
    stage.fetch_for(0, "hub/1", "a/1:0.2 a/2:0.1 a/3:0.1");
    stage.seed_for(1, "hub/2:1");
    stage.fetch_for(1, "hub/2", "a/1:0.9 a/2:0.1 a/3:0.1");
    for parents in [Parents::First, Parents::All] {
        let raise = Update::RaiseSiblings {
            of: stage.key("a/1"),
            parents,
            rank: rank(if parents == Parents::First { "0.4" } else { "0.6" }),
            merge: Merge::Max,
        };
        stage.seed_for(1, "y/1:2 y/2:2");
        let lease = stage.next_for(1, 1, u16::MAX);
        let Next::Fetch(leases) = lease else {
            panic!("{lease:?}")
        };
        stage.fetched(&leases[0], &[raise]);
        let expected = if parents == Parents::First { 0.4 } else { 0.6 };
        assert_eq!(
            (stage.waits_for(0, "a/2"), stage.waits_for(1, "a/2")),
            (Some(0.1), Some(expected))
        );
    }
}

/// To the agent that was redirected; where the target waits for another, both want it.
pub fn a_redirect_target_keeps_the_agent<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed_for(0, "a/1:0.3");
    stage.seed_for(1, "b/1:0.9 b/2:0.8");
    let lease = stage.take_one_for(1, "b/1");
    stage.redirected(&lease, "c/1", Merge::Max);
    assert_eq!(
        (stage.waits_for(0, "c/1"), stage.waits_for(1, "c/1")),
        (None, Some(0.9))
    );
    stage.fetch_for(1, "c/1", "");
    let lease = stage.take_one_for(1, "b/2");
    stage.redirected(&lease, "a/1", Merge::Max);
    assert_eq!(
        (stage.waits_for(0, "a/1"), stage.waits_for(1, "a/1")),
        (Some(0.3), Some(0.8))
    );
    let lease = stage.take_one_for(1, "a/1");
    assert!(lease.seed && lease.redirects == 1);
}

/// Nothing is neither locked nor left over.
pub fn a_locked_url_is_neither_added_nor_updated<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed_for(0, "a/1:0.9 b/1:0.8 a/2:0.1");
    stage.seed_for(1, "c/1:0.9");
    let locked = stage.take_one_for(0, "a/1");
    stage.fetch_for(0, "b/1", "a/1:2");
    stage.fetch_for(1, "c/1", "a/1:2");
    assert_eq!(stage.next_for(1, 1, u16::MAX), Next::Done);
    let now = stage.now;
    stage.hand_back(&locked, now);
    assert_eq!(
        (stage.waits_for(0, "a/1"), stage.waits_for(1, "a/1")),
        (Some(0.9), None)
    );
}

/// Links of seeds may have to wait until the seeds are in.
pub fn only_classes_asked_for_are_served<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed_for(1, "a/1:0/0.1/0 b/1:3/0.9/0");
    assert_eq!(stage.next_for(1, 0, 2), Next::Fetch(Vec::new()));
    let Next::Fetch(leases) = stage.next_for(1, 9, 2) else {
        panic!("a/1 should be leased")
    };
    assert_eq!(crate::stage::names(&leases), ["a/1"]);
    assert_eq!(stage.next_for(1, 9, 2), Next::Blocked);
    stage.fetched(&leases[0], &[]);
    assert_eq!(stage.next_for(1, 9, 2), Next::Done);
    stage.fetch_for(1, "b/1", "");
}

/// A list is the first agent's; what is on it waits for it.
pub fn a_drawn_list_is_the_first_agents<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed_for(0, "a/1:0.9 b/1:0.8");
    stage.seed_for(1, "a/1:0.9 c/1:0.5 b/1:0.1");
    let now = stage.now;
    assert_eq!(stage.f().draw(1, now).unwrap(), 1);
    assert_eq!(stage.counts().waiting, 3);
    stage.fetch_for(1, "c/1", "");
    let lease = stage.take_one_for(0, "a/1");
    assert_eq!(stage.next_for(0, 1, u16::MAX), Next::Blocked);
    stage.settle_with(&lease, End::Retry, HostEffect::Asked, &[]);
    stage.fetch_for(1, "a/1", "");
    stage.fetch_for(0, "b/1", "");
}

/// Cash that an agent does not get to spend stays with the URL.
pub fn cash_of_several_agents_is_kept<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed_for(0, "a/1:1");
    stage.seed_for(1, "b/1:1");
    let gift = stage.links("x/1:0.5", Merge::Add);
    let lease = stage.take_one_for(0, "a/1");
    stage.fetched(&lease, &gift);
    let lease = stage.take_one_for(1, "b/1");
    let gift = stage.links("x/1:0.25", Merge::Add);
    stage.fetched(&lease, &gift);
    let lease = stage.take_one_for(1, "x/1");
    assert_eq!(lease.taken.rank.score.get(), 0.25);
    stage.fetched(&lease, &[]);
    assert_eq!(stage.score("x/1"), 0.5, "what the first agent put there");
}

/// Sixteen and no more.
pub fn an_agent_too_many_is_refused<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    let offers = stage.offers("a/1:1", Merge::Keep);
    let now = stage.now;
    assert!(stage.f().seed_for(AgentId(15), &offers, now).is_ok());
    let refused = stage.f().seed_for(AgentId(16), &offers, now);
    assert!(refused.unwrap_err().to_string().contains("16"));
    stage.fetch_for(15, "a/1", "");
}
