//! Where the cash goes: OPIC neither creates nor loses any unaccounted for; OTIE creates and loses what its revisions
//! say.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[allow(dead_code)]
mod toy;

use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use scenthound_engine::Crawl;
use scenthound_frontier::HostPolicy;
use scenthound_strategy::{Opic, Otie, OtieSettings, Strategy as Crawling};
use scenthound_types::{Keyring, Lease, Timestamp};
use toy::{Fate, KEYS, Nothing, ToyPage, answer, cash, crawl, link, number, page, take, url};

const PAGES: usize = 25;

fn webs() -> impl Strategy<Value = Vec<ToyPage>> {
    let fates = prop_oneof![
        8 => Just(Fate::Read),
        1 => Just(Fate::Fails),
        1 => (0..PAGES).prop_map(Fate::LeadsTo)
    ];
    let page = (0..=10_u32, fates, vec((0..PAGES, 0..=4_u8), 0..6)).prop_map(|(tenths, fate, links)| {
        let mut page = page(f64::from(tenths) / 10.0, &[]);
        page.fate = fate;
        for (to, quarters) in links {
            if page.links.iter().all(|known| known.to != to) {
                page.links.push(link(to, 0.0, f32::from(quarters) / 4.0));
            }
        }
        page
    });
    vec(page, PAGES)
}

/// One step of a crawl with several requests in flight: how many more to ask for, which of those in flight ends, and
/// whether the crawl is killed and resumed afterwards.
fn steps() -> impl Strategy<Value = Vec<(usize, usize, bool)>> {
    vec((0..4_usize, 0..8_usize, proptest::bool::weighted(0.05)), 1..80)
}

/// How a settled lease changes the total: how much is created or lost.
type Change<'a> = &'a dyn Fn(&ToyPage, &Lease) -> f64;

fn open(
    folder: &Path,
    strategy: Box<dyn Crawling>,
    list_size: usize,
) -> Crawl<scenthound_frontier_durable::DurableFrontier, Nothing> {
    let now = Timestamp::ZERO;
    let frontier =
        scenthound_frontier_durable::open(folder, HostPolicy::instant(), Keyring::new(KEYS), now).unwrap();
    crawl(frontier, strategy, &[0, 1], list_size)
}

fn is_accounted_for(
    web: &[ToyPage],
    steps: &[(usize, usize, bool)],
    list_size: usize,
    strategy: &dyn Fn() -> Box<dyn Crawling>,
    change: Change<'_>,
) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    let mut crawl = open(folder.path(), strategy(), list_size);
    let mut expected = 1.0;
    let mut out = Vec::new();
    for (room, which, is_killed) in steps {
        if *room > 0 {
            out.extend(take(&mut crawl, *room));
        }
        if !out.is_empty() {
            let lease: Lease = out.swap_remove(which % out.len());
            expected += change(&web[number(&lease.url)], &lease);
            crawl.settle(answer(web, lease), Timestamp::ZERO).unwrap();
        }
        if *is_killed {
            crawl.commit(Timestamp::ZERO).unwrap();
            drop(crawl);
            out.clear();
            crawl = open(folder.path(), strategy(), list_size);
        }
        let held = cash(&crawl, PAGES);
        prop_assert!(
            (held - expected).abs() < 1e-9,
            "{held} is held, {expected} should be"
        );
    }
    Ok(())
}

/// Whether any links receive something: a page gives nothing to itself.
fn has_heirs(page: &ToyPage, lease: &Lease) -> bool {
    page.links.iter().any(|link| link.to != number(&lease.url))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn opic_conserves_cash_except_at_dead_ends(web in webs(), steps in steps(), list_size in 0..4_usize) {
        let change = |page: &ToyPage, lease: &Lease| {
            let taken = lease.taken.rank.score.get();
            match page.fate {
                Fate::Read if has_heirs(page, lease) => 0.0,
                Fate::LeadsTo(_) if lease.redirects < 10 => 0.0,
                _ => -taken,
            }
        };
        for revisit_every in [0, 3] {
            let opic = || -> Box<dyn Crawling> { Box::new(Opic::with_revisits(revisit_every)) };
            is_accounted_for(&web, &steps, list_size, &opic, &change)?;
        }
    }

    #[test]
    fn otie_creates_and_loses_what_its_revisions_say(web in webs(), steps in steps(), list_size in 0..4_usize) {
        let settings = OtieSettings { revisit_every: 5, ..OtieSettings::default() };
        let change = |page: &ToyPage, lease: &Lease| {
            let taken = lease.taken.rank.score.get();
            match page.fate {
                Fate::Read if has_heirs(page, lease) => Otie::new(settings).revise(taken, page.relevance) - taken,
                Fate::LeadsTo(_) if lease.redirects < 10 => 0.0,
                _ => -taken,
            }
        };
        is_accounted_for(&web, &steps, list_size, &|| Box::new(Otie::new(settings)), &change)?;
    }
}

#[test]
fn a_resumed_crawl_keeps_counting_towards_the_next_second_visit() {
    // 1 gathers from everyone. Every fourth visit schedules the richest; the crawl is resumed after each.
    let web = [
        page(0.5, &[1, 2]),
        page(0.5, &[3]),
        page(0.5, &[1]),
        page(0.5, &[1, 4]),
        page(0.5, &[1]),
    ];
    let settings = OtieSettings {
        revisit_every: 4,
        ..OtieSettings::default()
    };
    let folder = tempfile::tempdir().unwrap();
    let mut order = Vec::new();
    loop {
        let now = Timestamp::ZERO;
        let frontier =
            scenthound_frontier_durable::open(folder.path(), HostPolicy::instant(), Keyring::new(KEYS), now)
                .unwrap();
        let mut crawl = crawl(frontier, Box::new(Otie::new(settings)), &[0], 0);
        let Some(lease) = take(&mut crawl, 1).pop() else {
            break;
        };
        order.push(number(&lease.url));
        crawl.settle(answer(&web, lease), now).unwrap();
        crawl.commit(now).unwrap();
    }
    assert_eq!(order, [0, 1, 2, 3, 1, 4]);
    assert!(url(1).as_str().ends_with("/1"));
}
