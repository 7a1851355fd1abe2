//! How often a crawl that stops by itself would have been right to stop.
//!
//! A crawl of everything says what was still to come at each moment. The rules of [`StopWatch`] are followed on its harvest
//! curve and the length of its queue exactly as a live crawl follows them, with the judge's verdicts, and what they say is compared with what came.

use scenthound_engine::{Enough, Outlook, StopRules, StopWatch, Tally};

use crate::trial::Outcome;

/// Where a rule would have ended a crawl, and what that crawl would have missed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stop {
    /// Pages fetched by then.
    pub pages: u64,
    /// Relevant pages found by then.
    pub found: u64,
    /// What the crawl knew by then.
    pub outlook: Outlook,
    /// Pages that the whole crawl fetched after that.
    pub pages_left: u64,
    /// Relevant pages that the whole crawl found after that.
    pub found_later: u64,
}

impl Stop {
    /// The share of what the whole crawl found that was found by then.
    pub fn share_found(&self) -> f64 {
        self.found as f64 / (self.found + self.found_later).max(1) as f64
    }

    /// The yield of the pages that would not have been fetched.
    pub fn yield_later(&self) -> f64 {
        self.found_later as f64 / self.pages_left.max(1) as f64
    }
}

/// Where these rules would have ended a crawl of everything; none if nowhere.
pub fn stop_of(outcome: &Outcome, rules: StopRules) -> Option<Stop> {
    let verdicts = &outcome.called_relevant;
    let mut tally = Tally::default();
    let mut watch = StopWatch::new(rules);
    for (at, is_relevant) in verdicts.iter().enumerate() {
        tally.count_page("ok", None, *is_relevant);
        let waiting = || outcome.waiting.get(at).copied().unwrap_or_default();
        if let Some(Enough::Yield(outlook) | Enough::Found(outlook)) = watch.look(&tally, waiting) {
            let later = verdicts.get(at + 1..).unwrap_or_default();
            return Some(Stop {
                pages: tally.pages,
                found: tally.relevant,
                outlook,
                pages_left: later.len() as u64,
                found_later: later.iter().filter(|is_relevant| **is_relevant).count() as u64,
            });
        }
    }
    None
}

/// Relevant pages among the first pages of a crawl.
pub fn found_within(outcome: &Outcome, pages: usize) -> u64 {
    let first = outcome.called_relevant.iter().take(pages);
    first.filter(|is_relevant| **is_relevant).count() as u64
}
