//! Ranks that follow from notes are written now and then; the notes themselves are never lost.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::path::Path;

use scenthound_frontier::{End, Frontier, HostEffect, HostPolicy, Next, Settled};
use scenthound_frontier_durable::{DurableFrontier, open};
use scenthound_types::{
    AgentId, CanonicalUrl, Evidence, Keyring, Merge, Offer, Rank, StateDelta, Timestamp, Update, WaitingLink,
};

const AGENT: AgentId = AgentId(0);

fn opened(folder: &Path) -> DurableFrontier {
    let policy = HostPolicy {
        ranks_follow_notes: true,
        ..HostPolicy::instant()
    };
    open(folder, policy, Keyring::new(3), Timestamp::ZERO).unwrap()
}

fn offer(page: &str, score: f64) -> Offer {
    let url = CanonicalUrl::from_canonical(&format!("http://a.test/{page}")).unwrap();
    Offer {
        key: Keyring::new(3).key(&url),
        url,
        rank: Rank::of_score(score),
        merge: Merge::Replace,
    }
}

/// Fetches the best page, which links to `linked` with this score and note.
fn fetch(frontier: &mut DurableFrontier, score: f64, note: &[u8]) {
    let now = Timestamp::from_millis(1);
    let Next::Fetch(leases) = frontier.take_many(1, now).unwrap() else {
        panic!("a page waits");
    };
    let linked = offer("linked", score);
    let note = Update::Note {
        of: linked.key,
        note: note.into(),
    };
    let settled = Settled {
        lease: &leases[0],
        end: End::Fetched { relevance: 0.5 },
        host_effect: HostEffect::Asked,
        updates: &[Update::Offer(linked), note],
        links: &[],
        rules: None,
        sitemaps: &[],
        requisites: &[],
    };
    frontier.settle(settled, now).unwrap();
    frontier.commit(&StateDelta::default()).unwrap();
}

fn score_and_note(frontier: &DurableFrontier) -> (f64, Vec<u8>) {
    let key = offer("linked", 0.0).key;
    let rank = frontier.waits_for(AGENT, key).unwrap().rank;
    let Evidence { note, .. } = frontier.evidence(AGENT, key).unwrap().unwrap();
    (rank.score.get(), note)
}

#[test]
fn a_rank_that_a_further_page_replaces_may_be_lost_but_its_note_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let mut frontier = opened(folder.path());
    let seeds = ["one", "two", "three"].map(|page| offer(page, 100.0));
    frontier.seed(&seeds, Timestamp::ZERO).unwrap();
    fetch(&mut frontier, 1.0, b"first");
    fetch(&mut frontier, 2.0, b"second");
    assert_eq!(score_and_note(&frontier), (2.0, b"second".to_vec()));

    // As after a kill: whoever opens it is told to score links again.
    drop(frontier);
    let mut frontier = opened(folder.path());
    assert!(!frontier.has_kept_ranks());
    assert_eq!(score_and_note(&frontier), (1.0, b"second".to_vec()));

    fetch(&mut frontier, 3.0, b"third");
    frontier.keep_ranks();
    frontier.commit(&StateDelta::default()).unwrap();
    drop(frontier);
    let frontier = opened(folder.path());
    assert!(frontier.has_kept_ranks());
    assert_eq!(score_and_note(&frontier), (3.0, b"third".to_vec()));
}

#[test]
fn ranks_can_be_written_a_few_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut frontier = opened(folder.path());
    let pages: Vec<String> = (0..1000).map(|page| page.to_string()).collect();
    let seeds: Vec<Offer> = pages.iter().map(|page| offer(page, 1.0)).collect();
    frontier.seed(&seeds, Timestamp::ZERO).unwrap();
    frontier.commit(&StateDelta::default()).unwrap();
    frontier.open_epoch(AGENT);
    let mut rescore = |_: &WaitingLink<'_>| Some(Rank::of_score(2.0));
    let is_left = frontier.freshen(AGENT, 1000, &mut rescore, Timestamp::ZERO);
    assert!(!is_left.unwrap());
    assert_eq!(frontier.ranks_to_keep(), 1000);
    for left in [872, 744] {
        frontier.keep_some_ranks(100);
        frontier.commit(&StateDelta::default()).unwrap();
        assert_eq!(frontier.ranks_to_keep(), left, "whole words of 64");
    }
    drop(frontier);

    let mut frontier = opened(folder.path());
    assert!(!frontier.has_kept_ranks());
    let kept = |frontier: &DurableFrontier| {
        let scores = pages
            .iter()
            .map(|page| frontier.waits_for(AGENT, offer(page, 0.0).key));
        scores
            .filter(|priority| priority.unwrap().rank.score.get() > 1.5)
            .count()
    };
    assert_eq!(kept(&frontier), 256);
    // The last of them also says how far the epoch has come.
    frontier.open_epoch(AGENT);
    let is_left = frontier.freshen(AGENT, 1000, &mut rescore, Timestamp::ZERO);
    assert!(!is_left.unwrap());
    while frontier.ranks_to_keep() > 0 {
        frontier.keep_some_ranks(100);
        frontier.commit(&StateDelta::default()).unwrap();
    }
    drop(frontier);
    let frontier = opened(folder.path());
    assert!(frontier.has_kept_ranks() && !frontier.is_stale(AGENT));
    assert_eq!(kept(&frontier), 1000);
}
