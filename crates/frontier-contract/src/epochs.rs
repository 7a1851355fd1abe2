//! Evidence of waiting links, and rescoring them in bounded steps.

use scenthound_frontier::{Ask, Frontier, HostPolicy, Next};
use scenthound_types::{AgentId, Evidence, Lease, LeaseKind, Merge, Rank, Update, UrlKey, WaitingLink};

use crate::stage::secs;
use crate::{Harness, Stage};

pub(crate) const ME: AgentId = AgentId(0);
pub(crate) const OTHER: AgentId = AgentId(1);

pub(crate) fn words(words: &[u64]) -> Evidence {
    Evidence::of_words(words.to_vec(), Vec::new(), Vec::new())
}

pub(crate) fn kept<H: Harness>(stage: &mut Stage<H>, agent: AgentId, name: &str) -> Option<Evidence> {
    let key = stage.key(name);
    stage.f().evidence(agent, key).unwrap()
}

pub(crate) fn keep<H: Harness>(stage: &mut Stage<H>, agent: AgentId, name: &str, evidence: &Evidence) {
    let key = stage.key(name);
    stage.f().keep_evidence(agent, key, evidence).unwrap();
}

/// Each agent has its own evidence. It is replaced as a whole, and dropped when the URL stops waiting.
pub fn evidence_is_kept_while_a_url_waits<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed_for(0, "a/1:0.9 b/1:0.8 c/1:0.1");
    stage.seed_for(1, "a/1:0.9");
    keep(&mut stage, ME, "a/1", &words(&[1, 2]));
    keep(&mut stage, ME, "a/1", &words(&[2, 3]));
    keep(&mut stage, OTHER, "a/1", &words(&[7]));
    keep(&mut stage, OTHER, "b/1", &words(&[9]));
    keep(&mut stage, ME, "nowhere/1", &words(&[9]));
    assert_eq!(kept(&mut stage, ME, "a/1"), Some(words(&[2, 3])));
    assert_eq!(kept(&mut stage, OTHER, "a/1"), Some(words(&[7])));
    assert_eq!(
        kept(&mut stage, OTHER, "b/1"),
        None,
        "it does not wait in that stack"
    );
    assert_eq!(kept(&mut stage, ME, "nowhere/1"), None);
    let lease = stage.take_one("a/1");
    assert_eq!(kept(&mut stage, ME, "a/1"), None);
    let leased = stage.f().leased_evidence(&lease).unwrap();
    assert_eq!(
        leased,
        Some(words(&[2, 3])),
        "it is still known while the URL is leased"
    );
    let now = stage.now;
    stage.hand_back(&lease, now);
    assert_eq!(
        kept(&mut stage, ME, "a/1"),
        Some(words(&[2, 3])),
        "nothing came of it"
    );
    stage.fetch("a/1", "");
    keep(&mut stage, ME, "a/1", &words(&[5]));
    assert_eq!(kept(&mut stage, ME, "a/1"), None);
    assert_eq!(stage.f().leased_evidence(&lease).unwrap(), None);
}

/// Scores by a table from names to ranks, and records which links were asked about.
pub(crate) fn freshen<H: Harness>(
    stage: &mut Stage<H>,
    agent: AgentId,
    most: usize,
    table: &str,
) -> (String, bool) {
    let ranks: Vec<(UrlKey, String, Option<Rank>)> = table
        .split_whitespace()
        .map(|word| {
            let (name, spelled) = word.split_once(':').unwrap();
            let rank = (spelled != "same").then(|| crate::stage::rank(spelled));
            (stage.key(name), name.to_owned(), rank)
        })
        .collect();
    let mut asked = Vec::new();
    let now = stage.now;
    let mut rescore = |link: &WaitingLink<'_>| {
        let (_, name, rank) = ranks.iter().find(|(key, ..)| *key == link.key).unwrap();
        asked.push(name.clone());
        *rank
    };
    let left = stage.f().freshen(agent, most, &mut rescore, now).unwrap();
    (asked.join(" "), left)
}

/// Whatever its rank was before.
pub fn what_surfaces_stale_is_scored_before_it_is_leased<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.9 b/1:0.8 c/1:0.7 d/1:0.1");
    stage.f().open_epoch(ME);
    let table = "a/1:0.2 b/1:0.3 c/1:same d/1:0.5";
    let (asked, left) = freshen(&mut stage, ME, 0, table);
    assert_eq!(
        (asked.as_str(), left),
        ("a/1 b/1 c/1", true),
        "until the next one is fresh"
    );
    stage.fetch("c/1", "");
    let (asked, _) = freshen(&mut stage, ME, 0, table);
    assert_eq!(asked, "");
    stage.fetch("b/1", "");
    let (asked, left) = freshen(&mut stage, ME, 9, table);
    assert_eq!((asked.as_str(), left), ("d/1", false), "each once");
    assert_eq!(stage.visits(), "d/1 a/1");
    assert_eq!(freshen(&mut stage, ME, 9, ""), (String::new(), false));
}

/// Links are rescored in the order they came in, a limited number at a time. Links that come in later are fresh.
pub fn an_epoch_is_processed_in_batches<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        delay: secs(100),
        robots: false,
        ..HostPolicy::default()
    });
    stage.seed("a/0:9");
    let links = "a/1:0.1 a/2:0.2 a/3:0.3 a/4:0.4 a/5:0.5";
    stage.fetch("a/0", links);
    stage.f().open_epoch(ME);
    stage.seed_for(1, "a/1:0.5 z/1:0.5");
    let lease = stage.take_one_for(1, "z/1");
    stage.fetched(&lease, &[]);
    stage.seed("b/1:0.6");
    let table = "a/1:0.9 a/2:0.8 a/3:same a/4:0.6 a/5:0.5";
    // Their host is resting, so none of them surfaces.
    assert_eq!(freshen(&mut stage, ME, 2, table), ("a/1 a/2".to_owned(), true));
    assert_eq!(
        stage.waits_for(1, "a/1"),
        Some(0.5),
        "another agent's stack is separate"
    );
    assert_eq!(freshen(&mut stage, ME, 2, table), ("a/3 a/4".to_owned(), true));
    stage.f().open_epoch(ME);
    let (asked, left) = freshen(&mut stage, ME, 9, &format!("{table} b/1:same"));
    assert_eq!(
        (asked.as_str(), left),
        ("b/1 a/1 a/2 a/3 a/4 a/5", false),
        "begun again"
    );
    assert_eq!(freshen(&mut stage, OTHER, 9, table), (String::new(), false));
    stage.fetch("b/1", "");
    stage.pass(200_000);
    assert_eq!(stage.next(0), Next::Fetch(Vec::new()));
    assert_eq!(stage.visits(), "a/1 a/2 a/4 a/5 a/3");
}

/// Evidence is shown where it was kept; elsewhere there is none. The parent is always known.
pub fn a_link_is_shown_with_its_evidence<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("hub/1:1");
    stage.fetch("hub/1", "a/1:0.5 b/1:0.4");
    keep(&mut stage, ME, "a/1", &words(&[4, 2]));
    stage.f().open_epoch(ME);
    let (now, hub) = (stage.now, stage.key("hub/1"));
    let mut shown = Vec::new();
    let mut rescore = |link: &WaitingLink<'_>| {
        assert_eq!(link.parent, Some(hub));
        shown.push((link.rank.score.get(), link.evidence.clone()));
        None
    };
    assert!(!stage.f().freshen(ME, 9, &mut rescore, now).unwrap());
    assert_eq!(shown, [(0.5, words(&[2, 4])), (0.4, Evidence::default())]);
}

fn take_oldest<H: Harness>(stage: &mut Stage<H>, agent: AgentId) -> Option<Lease> {
    let ask = Ask {
        agent,
        most: 1,
        highest_class: u16::MAX,
    };
    let now = stage.now;
    stage.f().take_oldest(ask, now).unwrap()
}

fn oldest<H: Harness>(stage: &mut Stage<H>) -> Option<String> {
    let lease = take_oldest(stage, ME)?;
    stage.fetched(&lease, &[]);
    Some(crate::stage::name(&lease.url))
}

/// Whatever its rank: in the order in which URLs came in, also for one that is put back.
pub fn the_oldest_url_can_be_leased_instead_of_the_best<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.1 b/1:0.9 c/1:0.5 d/1:0.7");
    stage.seed_for(1, "z/1:0.1 d/1:0.9");
    assert_eq!(oldest(&mut stage).as_deref(), Some("a/1"));
    stage.fetch("b/1", "e/1:0.8");
    let lease = take_oldest(&mut stage, ME).unwrap();
    assert_eq!(crate::stage::name(&lease.url), "c/1");
    let now = stage.now;
    stage.hand_back(&lease, now);
    assert_eq!(oldest(&mut stage).as_deref(), Some("c/1"), "put back");
    let lease = take_oldest(&mut stage, OTHER).unwrap();
    assert_eq!(
        crate::stage::name(&lease.url),
        "z/1",
        "each agent has its own order"
    );
    stage.fetched(&lease, &[]);
    assert_eq!(oldest(&mut stage).as_deref(), Some("d/1"));
    assert!(
        take_oldest(&mut stage, OTHER).is_none(),
        "leased by another agent"
    );
    assert_eq!(oldest(&mut stage).as_deref(), Some("e/1"));
    assert!(oldest(&mut stage).is_none());
}

/// A resting host is passed over, and a host's rules are requested first.
pub fn the_oldest_url_waits_for_its_host<H: Harness>() {
    let mut stage = Stage::<H>::new(HostPolicy {
        delay: secs(100),
        robots: false,
        ..HostPolicy::default()
    });
    stage.seed("a/1:0.9 a/2:0.1 b/1:0.2");
    assert_eq!(oldest(&mut stage).as_deref(), Some("a/1"));
    assert_eq!(oldest(&mut stage).as_deref(), Some("b/1"), "a rests");
    assert!(oldest(&mut stage).is_none());
    stage.pass(200_000);
    assert_eq!(oldest(&mut stage).as_deref(), Some("a/2"));
    let mut stage = Stage::<H>::new(HostPolicy {
        robots: true,
        ..HostPolicy::instant()
    });
    stage.seed("a/1:0.9");
    let lease = take_oldest(&mut stage, ME).unwrap();
    assert_eq!(lease.kind, LeaseKind::Robots);
}

/// A note lasts as long as evidence does. It is known at the end of the lease, and a redirect passes it on.
pub fn a_note_is_kept_until_the_lease_ends<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("a/1:0.9");
    let mut updates = stage.links("b/1:0.5 c/1:0.4", Merge::Max);
    let note = |stage: &Stage<H>, name: &str, note: &[u8]| Update::Note {
        of: stage.key(name),
        note: note.into(),
    };
    updates.push(note(&stage, "b/1", &[1, 2, 3]));
    updates.push(note(&stage, "nowhere/1", &[9]));
    stage.fetch_with("a/1", &updates);
    assert_eq!(kept(&mut stage, ME, "b/1"), Some(Evidence::of_note(&[1, 2, 3])));
    assert_eq!(kept(&mut stage, ME, "nowhere/1"), None);
    let lease = stage.take_one("b/1");
    let known = stage.f().leased_evidence(&lease).unwrap();
    assert_eq!(known, Some(Evidence::of_note(&[1, 2, 3])));
    stage.redirected(&lease, "d/1", Merge::Max);
    assert_eq!(kept(&mut stage, ME, "d/1"), Some(Evidence::of_note(&[1, 2, 3])));
    assert_eq!(kept(&mut stage, ME, "c/1"), None);
    stage.fetch("d/1", "");
    assert_eq!(kept(&mut stage, ME, "d/1"), None);
}
