//! Under `add`, what a page is taken with is what it may give away, to the last bit.

use proptest::collection::vec;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use scenthound_frontier::{End, Frontier, Manners};
use scenthound_types::{Merge, Rank, Update};

use crate::{Harness, Stage};

const PAGES: usize = 12;
/// A power of two, like every share, so that sums are exact.
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

/// Pages give what they were taken with to 1, 2 or 4 links; failures give it to the bank; redirects hand it on; some are
/// fetched again. Nothing is made, nothing is lost, also over restarts.
pub fn cash_is_neither_made_nor_lost<H: Harness>() {
    let config = Config {
        cases: H::CASES,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    // What happens, to whom, to how many.
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
                    stage.settle_with(&lease, End::Gone, Manners::Asked, &[bank]);
                }
                1 => stage.settle_with(&lease, End::Retry, Manners::Asked, &[]),
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
