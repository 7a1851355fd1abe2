//! Leasing a named URL out of turn, as a crawl repeated from its records does.

use std::time::Duration;

use scenthound_frontier::{End, Frontier, HostEffect, HostPolicy, Next, Recall};
use scenthound_types::{AgentId, Lease, LeaseKind, Merge, Reason, Standing, UrlKey};

use crate::stage::{at, name, rank};
use crate::{Harness, Stage, url};

fn recall<H: Harness>(stage: &mut Stage<H>, what: &str, parent: Option<UrlKey>) -> Option<Lease> {
    recall_kind(stage, what, parent, LeaseKind::Page)
}

fn recall_kind<H: Harness>(
    stage: &mut Stage<H>,
    what: &str,
    parent: Option<UrlKey>,
    kind: LeaseKind,
) -> Option<Lease> {
    let (url, key, now) = (url(what), stage.key(what), stage.now);
    let wanted = Recall {
        agent: AgentId::default(),
        kind,
        url: &url,
        key,
        parent,
        depth: 3,
    };
    stage.f().recall(&wanted, now).unwrap()
}

/// The worst URL of a host that rests and has not told its rules.
pub fn a_recalled_url_waits_for_nobody<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        delay: Duration::from_secs(10),
        ..HostPolicy::default()
    });
    stage.seed("a/1:0.9 a/2:0.5 a/3:0.1");
    let lease = recall(&mut stage, "a/3", None).unwrap();
    assert_eq!(
        (name(&lease.url), lease.taken.rank, lease.seed, lease.depth),
        ("a/3".to_owned(), rank("0.1"), true, 0)
    );
    assert_eq!(recall(&mut stage, "a/3", None), None, "it is out");
    assert_eq!(stage.standing("a/3"), Standing::Leased);
    let links = stage.links("a/4:0.7", Merge::Max);
    stage.fetched(&lease, &links);
    assert_eq!(stage.standing("a/3"), Standing::Fetched { relevance: 0.5 });
    // The host rests as after any request, but the next one named does not wait for it.
    assert!(matches!(stage.next(1), Next::WaitUntil(until) if until >= at(10)));
    let lease = recall(&mut stage, "a/4", None).unwrap();
    assert_eq!((lease.depth, lease.parent), (1, Some(stage.key("a/3"))));
    stage.fetched(&lease, &[]);
    assert_eq!(stage.counts().waiting, 2);
}

/// What is repeated out of turn leaves the same order behind as what was taken in turn.
pub fn a_crawl_repeated_by_recalls_ends_in_the_same_order<H: Harness>() {
    let webs = [
        ("a/1", "a/2:0.3 b/1:0.8 a/3:0.3"),
        ("b/1", "a/2:0.6 b/2:0.1"),
        ("a/2", "c/1:0.3"),
    ];
    let mut taken = Stage::<H>::instant();
    let mut recalled = Stage::<H>::instant();
    taken.seed("a/1:1");
    recalled.seed("a/1:1");
    for (page, links) in webs {
        taken.fetch(page, links);
        let links = recalled.links(links, Merge::Max);
        let lease = recall(&mut recalled, page, None).unwrap();
        recalled.fetched(&lease, &links);
    }
    for waiting in ["a/3", "b/2", "c/1"] {
        assert_eq!(taken.facts(waiting), recalled.facts(waiting), "{waiting}");
    }
    assert_eq!(taken.visits(), recalled.visits());
}

/// `b/9` was never offered here; its parent is known.
pub fn a_url_nobody_offered_is_brought_in<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:1");
    stage.fetch("a/1", "a/2:0.5");
    let parent = stage.key("a/1");
    let lease = recall(&mut stage, "b/9", Some(parent)).unwrap();
    assert_eq!((lease.parent, lease.depth, lease.seed), (Some(parent), 3, false));
    stage.fetched(&lease, &[]);
    let facts = stage.facts("b/9");
    assert_eq!(facts.reason, Reason::Link);
    assert_eq!(stage.visits(), "a/2");
}

/// Given up, a URL is leased again and ends anew.
pub fn gone_urls_come_back_to_be_leased<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:1");
    let lease = stage.take_one("a/1");
    stage.settle_with(&lease, End::Gone, HostEffect::Asked, &[]);
    let lease = recall(&mut stage, "a/1", None).unwrap();
    assert!(!lease.revisit);
    stage.fetched(&lease, &[]);
    assert_eq!(stage.standing("a/1"), Standing::Fetched { relevance: 0.5 });
    assert_eq!(stage.next(1), Next::Done);
    assert_eq!(stage.counts().waiting, 0);
}

/// A fetched page is leased as a revisit and stays fetched.
pub fn a_fetched_url_is_recalled_as_a_revisit<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:1");
    stage.fetch("a/1", "");
    let lease = recall(&mut stage, "a/1", None).unwrap();
    assert!(lease.revisit);
    stage.fetched(&lease, &[]);
    assert_eq!(stage.next(1), Next::Done);
}

/// Rules and sitemaps are leased as what they are.
pub fn rules_and_sitemaps_are_recalled_as_such<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        delay: Duration::ZERO,
        ..HostPolicy::default()
    });
    stage.seed("a/1:1");
    let lease = recall_kind(&mut stage, "a/robots.txt", None, LeaseKind::Robots).unwrap();
    assert_eq!(lease.kind, LeaseKind::Robots);
    assert_eq!(
        recall_kind(&mut stage, "a/robots.txt", None, LeaseKind::Robots),
        None
    );
    stage.rules(&lease, at(1_000), None, "a/map.xml");
    let lease = recall_kind(&mut stage, "a/map.xml", None, LeaseKind::Sitemap).unwrap();
    assert_eq!(lease.kind, LeaseKind::Sitemap);
    stage.fetched(&lease, &[]);
    assert_eq!(stage.visits(), "a/1");
}

/// A drawn URL can be recalled; the rest of the list goes on.
pub fn a_drawn_url_is_recalled_from_its_list<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.9 a/2:0.8 b/1:0.7");
    let now = stage.now;
    assert_eq!(stage.f().draw(2, now).unwrap(), 2);
    let lease = recall(&mut stage, "a/1", None).unwrap();
    stage.fetched(&lease, &[]);
    assert_eq!(stage.visits(), "a/2 b/1");
}
