//! Under `add`, a page may give away exactly what it was taken with, to the last bit.

use proptest::collection::vec;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use scenthound_frontier::{End, Frontier, HostEffect};
use scenthound_types::{Merge, Rank, Update};

use crate::{Harness, Stage};

const PAGES: usize = 12;
/// A power of two, as is every share, so that sums are exact.
const CASH: f64 = 1024.0;

fn page(number: usize) -> String {
    format!("{}/{}", ["a", "b", "c"][number % 3], number % PAGES)
}

fn total<H: Harness>(stage: &mut Stage<H>) -> f64 {
    let known = (0..PAGES).map(page).chain(["bank/0".to_owned()]);
    known
        .filter_map(|name| stage.f().look_up(&crate::url(&name)).unwrap())
        .map(|facts| facts.priority.rank.score.get())
        .sum()
}

/// A path of a thousand pages. Each page on it, `a`, passes a thousandth of its cash to the next and half as much to
/// a dead end, `b`. Long before the path ends, its cash is too small for a float. Still the larger share comes first,
/// even across restarts, and cash taken in one unit and settled in another keeps its value.
pub fn cash_does_not_fade_along_a_path<H: Harness>() {
    let mut stage = Stage::<H>::instant();
    stage.seed("late/0:2 a/0:1");
    let late = stage.take_one("late/0");
    let give = |stage: &Stage<H>, name: &str, share: f64| {
        Update::Offer(stage.offer(name, Rank::of_score(share), Merge::Add))
    };
    for page in 0..1000 {
        let lease = stage.take_one(&format!("a/{page}"));
        let cash = lease.taken.rank.score.get();
        assert!(cash.is_normal() && cash > 0.0, "{cash} at page {page}");
        let (next, dead_end) = (format!("a/{}", page + 1), format!("b/{}", page + 1));
        let updates = [
            give(&stage, &dead_end, cash / 2e3),
            give(&stage, &next, cash / 1e3),
        ];
        stage.fetched(&lease, &updates);
        if page == 60 {
            let gift = give(&stage, "z/1", late.taken.rank.score.get());
            stage.fetched(&late, &[gift]);
            stage.fetch("z/1", "");
            assert_eq!(stage.score("late/0"), 0.0);
        }
        if page % 300 == 299 && H::SURVIVES {
            stage.commit();
            stage.restart();
        }
        let better = stage.take_one(&next);
        let now = stage.now;
        stage.hand_back(&better, now);
        let ordered = stage.take(2);
        assert_eq!(ordered.len(), 2);
        for lease in ordered.iter().rev() {
            if lease.url == crate::url(&dead_end) {
                stage.fetched(lease, &[]);
            } else {
                stage.hand_back(lease, now);
            }
        }
    }
}

/// Pages give what they were taken with to 1, 2 or 4 links; failures give it to the bank; redirects pass it on; some
/// pages are fetched again. No cash is created and none is lost, even across restarts.
pub fn cash_is_neither_made_nor_lost<H: Harness>() {
    let config = Config {
        cases: H::CASES,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    // What happens, to which page, to how many links.
    let visits = vec((0..10_usize, 0..PAGES, 0..3_u32), 1..60);
    let outcome = runner.run(&visits, |visits| {
        let mut stage = Stage::<H>::instant();
        stage.seed(&format!("bank/0:0 a/0:{CASH}"));
        let mut out = Vec::new();
        for (what, whom, fan) in visits {
            out.extend(stage.take(2));
            if out.is_empty() {
                break;
            }
            let lease = out.swap_remove(whom % out.len());
            let cash = lease.taken.rank.score.get();
            let give = |stage: &Stage<H>, name: &str, share: f64| {
                Update::Offer(stage.offer(name, Rank::of_score(share), Merge::Add))
            };
            match what {
                0 => {
                    let bank = give(&stage, "bank/0", cash);
                    stage.settle_with(&lease, End::Gone, HostEffect::Asked, &[bank]);
                }
                1 => stage.settle_with(&lease, End::Retry, HostEffect::Asked, &[]),
                2 => stage.redirected(&lease, &page(whom), Merge::Add),
                3 => {
                    let now = stage.now;
                    stage.hand_back(&lease, now);
                }
                _ => {
                    let links = 1_usize << fan;
                    let mut updates: Vec<Update> = (0..links)
                        .map(|link| give(&stage, &page(whom + 5 * link), cash / links as f64))
                        .collect();
                    if what > 7 {
                        updates.push(Update::RevisitRichest);
                    }
                    stage.fetched(&lease, &updates);
                }
            }
            if what == 9 && H::SURVIVES {
                stage.commit();
                stage.restart();
                out.clear();
            }
            assert_eq!(total(&mut stage), CASH);
        }
        Ok(())
    });
    if let Err(fault) = outcome {
        panic!("{fault}");
    }
}
