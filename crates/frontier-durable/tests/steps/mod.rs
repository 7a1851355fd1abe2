//! A crawl whose every step follows from the one before, so that any number of steps can be repeated elsewhere.

use scenthound_frontier::{Counts, End, Frontier, HostEffect, HostPolicy, Next, Settled};
use scenthound_types::{
    CanonicalUrl, Keyring, Merge, Offer, Parents, Rank, StateDelta, Timestamp, Update, UrlKey,
};

const HOSTS: u64 = 7;
const PAGES: u64 = 900;
const LINKS: u64 = 40;
/// Large enough to fill the store's memory again and again, so that kills also hit its background work.
const BULK: usize = 40_000;

pub fn keyring() -> Keyring {
    Keyring::new(99)
}

/// No delay: if a restart changed when a host may be asked, the steps would no longer be the same.
pub fn policy() -> HostPolicy {
    HostPolicy {
        all_parents: true,
        max_parents: 4,
        ..HostPolicy::instant()
    }
}

pub fn page(number: u64) -> CanonicalUrl {
    let number = number % PAGES;
    CanonicalUrl::parse(&format!("http://h{}.test/{number}", number % HOSTS)).unwrap()
}

pub fn pages() -> impl Iterator<Item = CanonicalUrl> {
    (0..PAGES).map(page)
}

pub fn bulk(step: u64) -> Vec<u8> {
    let seed = keyring().hash(&step.to_string()).to_le_bytes();
    seed.iter().copied().cycle().take(BULK).collect()
}

/// The number of the last step committed; 0 before the first.
pub fn steps_done(frontier: &impl Frontier) -> u64 {
    let notes = frontier.notes("step").unwrap();
    notes.first().map_or(0, |(_, value)| {
        u64::from_le_bytes(value.as_slice().try_into().unwrap())
    })
}

fn offer(number: u64, rank: Rank, merge: Merge) -> Offer {
    let url = page(number);
    let key = keyring().key(&url);
    Offer {
        url,
        key,
        rank,
        merge,
    }
}

/// One step: takes a page, settles it, and commits everything that follows from it.
pub fn take_step(frontier: &mut impl Frontier, step: u64) {
    let now = Timestamp::from_millis(step * 10);
    let random = |of: u64, what: u64| keyring().hash(&format!("{step} {what}")) % of;
    if step == 1 {
        let seeds: Vec<Offer> = (0..50)
            .map(|seed| offer(random(PAGES, seed), Rank::of_score(1.0), Merge::Keep))
            .collect();
        frontier.seed(&seeds, now).unwrap();
    }
    let Next::Fetch(leases) = frontier.take_many(1, now).unwrap() else {
        panic!("step {step} found nothing to fetch");
    };
    let lease = &leases[0];
    let rank = |what: u64| Rank::of_score(random(1000, what) as f64 / 1000.0);
    let merge = |what: u64| [Merge::Keep, Merge::Replace, Merge::Max, Merge::Add][random(4, what) as usize];
    let mut updates: Vec<Update> = (0..LINKS)
        .map(|link| {
            Update::Offer(offer(
                random(PAGES, 1000 + link),
                rank(2000 + link),
                merge(3000 + link),
            ))
        })
        .collect();
    updates.push(Update::RaiseSiblings {
        of: lease.key,
        parents: if step.is_multiple_of(2) {
            Parents::All
        } else {
            Parents::First
        },
        rank: rank(1),
        merge: Merge::Max,
    });
    updates.push(Update::RetieSiblings { of: lease.key });
    // Also keeps the crawl going when nearly all pages have been fetched.
    updates.push(Update::RevisitRichest);
    let to = page(random(PAGES, 3));
    let end = match random(8, 4) {
        0 => End::Gone,
        1 => End::Retry,
        2 => End::Redirected {
            key: keyring().key(&to),
            to,
            merge: Merge::Add,
        },
        _ => End::Fetched {
            relevance: random(100, 5) as f32 / 100.0,
        },
    };
    let links: Vec<UrlKey> = updates
        .iter()
        .filter_map(|update| match update {
            Update::Offer(offer) if offer.key != lease.key => Some(offer.key),
            _ => None,
        })
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect();
    frontier
        .settle(
            Settled {
                lease,
                end,
                host_effect: HostEffect::Asked,
                updates: &updates,
                links: &links,
                rules: None,
                sitemaps: &[],
                requisites: &[],
            },
            now,
        )
        .unwrap();
    let mut notes = StateDelta::default();
    notes.put("step", step.to_le_bytes());
    notes.put("bulk", bulk(step));
    frontier.commit(&notes).unwrap();
}

/// Panics where two frontiers that took the same steps differ.
pub fn assert_same(kept: &impl Frontier, expected: &impl Frontier) {
    let step = steps_done(kept);
    assert_eq!(step, steps_done(expected));
    // Which hosts are resting depends on the time, which a reopened frontier has not yet been given.
    let counts = |counts: Counts| Counts {
        hosts_resting: 0,
        ..counts
    };
    assert_eq!(
        counts(kept.counts()),
        counts(expected.counts()),
        "after step {step}"
    );
    for url in pages() {
        assert_eq!(
            kept.look_up(&url).unwrap(),
            expected.look_up(&url).unwrap(),
            "after step {step}"
        );
    }
    if step > 0 {
        let notes = kept.notes("bulk").unwrap();
        assert!(notes[0].1 == bulk(step), "the note of step {step}");
    }
}
