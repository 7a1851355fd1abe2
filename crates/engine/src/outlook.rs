//! What a crawl can expect of going on, from its harvest curve and the length of its queue.
//!
//! *What do the best waiting links bring?* What the last pages brought, since these were the best links a moment ago. *How much is
//! left to be found?* At least what the curve promises: if each quarter of the crawl brought a share q of what the quarter before
//! brought, the quarters to come bring q + q² + … times the last one. At most what waits: no link that waits is better than
//! those fetched last, so what waits brings no larger share than they did.
//!
//! All answers are counts of few pages, so they come with intervals, and a crawl is stopped only by the end of the interval
//! that speaks for going on. None knows of pages that no known link leads to.

use crate::tally::Tally;

/// The fewest pages that are looked back on.
const LEAST_WINDOW: u64 = 200;
/// The share of the crawl that is looked back on, as a divisor.
const WINDOW_SHARE: u64 = 5;
/// Below this many relevant pages nothing is extrapolated.
const LEAST_FOUND: u64 = 20;
/// With fewer visits to the oldest links, nothing is said about breadth-first.
const LEAST_EXPLORED: usize = 20;
/// The ends of the intervals: 95 of 100 lie between them.
const DEVIATIONS: f64 = 1.96;
/// Rules must hold at this many looks in a row, one look every [`LOOK_EVERY`] pages.
const LOOKS: u32 = 4;
/// Pages between two looks.
pub const LOOK_EVERY: u64 = 50;

/// A number and the ends of its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The lower end.
    pub low: f64,
    /// The number itself.
    pub value: f64,
    /// The upper end; infinite if there is none.
    pub high: f64,
}

/// What a crawl can expect of going on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outlook {
    /// The pages looked back on.
    pub window: u64,
    /// Relevant pages among them.
    pub found_lately: u64,
    /// Relevant pages in all.
    pub found: u64,
    /// URLs that wait.
    pub waiting: u64,
    /// Relevant pages that are still to be found; none where the harvest has not begun to fall. The number itself is what the
    /// curve promises, the upper end is the larger of what the curve allows and what may wait.
    pub unfound: Option<Estimate>,
}

impl Outlook {
    /// The outlook of a crawl of which so many URLs wait; none as long as it is too short to tell.
    pub fn of(tally: &Tally, waiting: u64) -> Option<Outlook> {
        let curve = tally.curve();
        let pages = curve.last()?.0;
        let window = LEAST_WINDOW.max(pages / WINDOW_SHARE);
        if pages < 2 * window {
            return None;
        }
        let found_at = |at: u64| -> (u64, u64) {
            let point = curve.partition_point(|(pages, _)| *pages <= at).checked_sub(1);
            let point = point.and_then(|point| curve.get(point));
            point.map_or((0, 0), |(pages, found)| (*pages, u64::from(*found)))
        };
        let (all, found) = found_at(pages);
        let (since, before) = found_at(pages - window);
        let quarter = |nth: u64| found_at(pages * nth / 4).1;
        let promised = extrapolate(
            (quarter(3).saturating_sub(quarter(2))) as f64,
            (found.saturating_sub(quarter(3))) as f64,
        );
        let (window, found_lately) = (all - since, found.saturating_sub(before));
        let may_wait = waiting as f64 * share(found_lately, window).high;
        let unfound = promised.map(|promised| Estimate {
            high: promised.high.max(may_wait),
            ..promised
        });
        Some(Outlook {
            window,
            found_lately,
            found,
            waiting,
            unfound: unfound.filter(|_| found >= LEAST_FOUND),
        })
    }

    /// The share of relevant pages among the pages looked back on.
    pub fn recent_yield(&self) -> Estimate {
        share(self.found_lately, self.window)
    }

    /// The share of all that can be found that has been found.
    pub fn completeness(&self) -> Option<Estimate> {
        let found = self.found as f64;
        let of = |unfound: f64| found / (found + unfound);
        self.unfound.map(|unfound| Estimate {
            low: of(unfound.high),
            value: of(unfound.value),
            high: of(unfound.low),
        })
    }
}

/// A share with its 95 % interval (Wilson's).
pub fn share(hits: u64, tries: u64) -> Estimate {
    let (hits, tries) = (hits as f64, tries.max(1) as f64);
    let (rate, square) = (hits / tries, DEVIATIONS * DEVIATIONS);
    let middle = (rate + square / (2.0 * tries)) / (1.0 + square / tries);
    let spread = DEVIATIONS / (1.0 + square / tries)
        * (rate * (1.0 - rate) / tries + square / (4.0 * tries * tries)).sqrt();
    Estimate {
        low: (middle - spread).max(0.0),
        value: rate,
        high: (middle + spread).min(1.0),
    }
}

/// What all later quarters bring, if each brings the same share of the one before; none if that share is not below one. Counts
/// of rare things spread like their square root.
fn extrapolate(before: f64, last: f64) -> Option<Estimate> {
    let rest = |before: f64, last: f64| match last < before {
        true => last * last / (before - last),
        false => f64::INFINITY,
    };
    let value = rest(before, last);
    let off = |count: f64| DEVIATIONS * (count + 1.0).sqrt() / 2.0;
    value.is_finite().then(|| Estimate {
        low: rest(before + off(before), (last - off(last)).max(0.0)),
        value,
        high: rest((before - off(before)).max(0.0), last + off(last)),
    })
}

/// A fetched page, as far as the order of breadth-first is concerned.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FoundAt {
    /// The number of its first entry into the queue.
    pub age: u32,
    /// Whether it is relevant.
    pub is_relevant: bool,
    /// Whether it was fetched only because it had waited longest.
    pub is_explored: bool,
}

/// What breadth-first would have done, as far as a crawl can tell: the verdicts on the pages that it would have fetched first, in
/// its order.
///
/// Breadth-first fetches in the order of age. Up to the age that exploring has reached, everything has been fetched, as one of
/// the best or as one of the oldest, apart from links with the lowest scores.
#[derive(Clone, PartialEq, Debug)]
pub struct BreadthFirst {
    verdicts: Vec<bool>,
}

impl BreadthFirst {
    /// From the pages of a crawl, in any order. None if it took too few links because they had waited longest.
    pub fn of(pages: impl Iterator<Item = FoundAt>) -> Option<BreadthFirst> {
        let mut pages: Vec<FoundAt> = pages.collect();
        let explored = pages.iter().filter(|page| page.is_explored);
        let reached = explored.clone().map(|page| page.age).max()?;
        if explored.count() < LEAST_EXPLORED {
            return None;
        }
        pages.retain(|page| page.age <= reached);
        pages.sort_unstable();
        Some(BreadthFirst {
            verdicts: pages.iter().map(|page| page.is_relevant).collect(),
        })
    }

    /// How many pages are known in its order.
    pub fn pages(&self) -> u64 {
        self.verdicts.len() as u64
    }

    /// How many relevant pages it would have found in so many pages. Beyond the known ones, as many as before per page.
    pub fn found_in(&self, pages: u64) -> Estimate {
        let known = usize::try_from(pages)
            .unwrap_or(usize::MAX)
            .min(self.verdicts.len());
        let first = self.verdicts.iter().take(known);
        let hits = first.filter(|is_relevant| **is_relevant).count() as u64;
        let rate = share(hits, known as u64);
        let more = pages.saturating_sub(known as u64) as f64;
        let all = pages as f64;
        Estimate {
            low: rate.low * all,
            value: hits as f64 + rate.value * more,
            high: rate.high * all,
        }
    }
}

/// When a crawl has enough, besides its budgets.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct StopRules {
    /// Stop when the pages looked back on brought a smaller share of relevant ones than this, for certain.
    pub least_yield: Option<f64>,
    /// Stop when at least this share of all that can be found has been found, for certain.
    pub enough: Option<f64>,
}

/// Why a crawl has enough.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Enough {
    /// The best links bring too little.
    Yield(Outlook),
    /// Little is left to be found.
    Found(Outlook),
}

/// Looks at a crawl every now and then.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct StopWatch {
    rules: StopRules,
    poor: u32,
    complete: u32,
}

impl StopWatch {
    /// Watches by these rules.
    pub fn new(rules: StopRules) -> StopWatch {
        StopWatch {
            rules,
            ..StopWatch::default()
        }
    }

    /// Looks at the crawl, if one is due. To be called after every page, with how many URLs wait.
    pub fn look(&mut self, tally: &Tally, waiting: impl FnOnce() -> u64) -> Option<Enough> {
        let rules = self.rules;
        let watches = rules.least_yield.is_some() || rules.enough.is_some();
        if !watches || !tally.pages.is_multiple_of(LOOK_EVERY) {
            return None;
        }
        let outlook = Outlook::of(tally, waiting())?;
        let is_poor = rules
            .least_yield
            .is_some_and(|least| outlook.recent_yield().high < least);
        let is_complete = rules
            .enough
            .zip(outlook.completeness())
            .is_some_and(|(enough, complete)| complete.low >= enough);
        self.poor = if is_poor { self.poor + 1 } else { 0 };
        self.complete = if is_complete { self.complete + 1 } else { 0 };
        if self.poor >= LOOKS {
            Some(Enough::Yield(outlook))
        } else if self.complete >= LOOKS {
            Some(Enough::Found(outlook))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A crawl whose n-th page is relevant if the function says so, and whose queue is as long as the rest of it.
    fn crawl(
        pages: u64,
        is_relevant: impl Fn(u64) -> bool,
        rules: StopRules,
    ) -> (u64, Option<Enough>, Tally) {
        let mut tally = Tally::default();
        let mut watch = StopWatch::new(rules);
        for page in 0..pages {
            tally.count_page("ok", Some(0.5), is_relevant(page));
            if let Some(enough) = watch.look(&tally, || pages - page) {
                return (page + 1, Some(enough), tally);
            }
        }
        (pages, None, tally)
    }

    #[test]
    fn a_steady_harvest_is_never_enough() {
        let rules = StopRules {
            least_yield: Some(0.05),
            enough: Some(0.9),
        };
        let (pages, enough, tally) = crawl(5_000, |page| page.is_multiple_of(5), rules);
        assert_eq!((pages, enough), (5_000, None));
        let outlook = Outlook::of(&tally, 0).unwrap();
        let recent = outlook.recent_yield();
        assert!(
            recent.low < 0.2 && recent.high > 0.2 && recent.high < 0.25,
            "{recent:?}"
        );
        assert_eq!(outlook.unfound, None);
    }

    #[test]
    fn a_harvest_that_ends_is_noticed_with_some_delay() {
        let ends = |page: u64| page < 1_000 && page.is_multiple_of(4);
        let by_yield = StopRules {
            least_yield: Some(0.02),
            enough: None,
        };
        let (pages, enough, _) = crawl(10_000, ends, by_yield);
        assert!((1_300..2_500).contains(&pages), "{pages}");
        let Some(Enough::Yield(outlook)) = enough else {
            panic!("{enough:?}")
        };
        assert_eq!((outlook.found, outlook.found_lately), (250, 0));
        let by_completeness = StopRules {
            least_yield: None,
            enough: Some(0.9),
        };
        // A long queue speaks against it, whatever the harvest was.
        let (pages, enough, _) = crawl(2_500, ends, by_completeness);
        assert!(matches!(enough, Some(Enough::Found(_))), "{enough:?}");
        assert!(pages < 2_500, "{pages}");
        assert_eq!(crawl(10_000, ends, by_completeness).1, None);
    }

    /// The harvest of a site's first part falls as if there were no second.
    #[test]
    fn a_long_queue_speaks_against_having_enough() {
        let falls = |page: u64| match page {
            0..600 => page.is_multiple_of(3),
            600..1_200 => page.is_multiple_of(30),
            _ => page.is_multiple_of(3),
        };
        let rules = StopRules {
            least_yield: None,
            enough: Some(0.9),
        };
        let (pages, enough, _) = crawl(1_200, falls, rules);
        assert!(pages < 1_200 && enough.is_some(), "a short queue: {pages}");
        assert_eq!(crawl(4_000, falls, rules).1, None);
    }

    #[test]
    fn too_little_is_no_reason() {
        let rules = StopRules {
            least_yield: Some(0.1),
            enough: Some(0.5),
        };
        assert_eq!(crawl(390, |_| false, rules).1, None, "too short");
        // Two relevant pages of a thousand say nothing about how many are left.
        let rare = StopRules {
            least_yield: None,
            ..rules
        };
        assert_eq!(crawl(1_000, |page| page < 2, rare).1, None);
    }

    #[test]
    fn breadth_first_is_what_was_found_up_to_the_oldest_link_explored() {
        let page = |age: u32, is_explored: bool| FoundAt {
            age,
            is_relevant: age.is_multiple_of(10),
            is_explored,
        };
        // Every fourth of the first hundred was explored, the others were among the best, as was one far ahead.
        let pages: Vec<FoundAt> = (0..100)
            .map(|age| page(age, age % 4 == 3))
            .chain([page(5_000, false)])
            .collect();
        let known = BreadthFirst::of(pages.iter().copied().rev()).unwrap();
        assert_eq!(known.pages(), 100);
        assert_eq!(known.found_in(50).value, 5.0);
        let twice = known.found_in(200);
        assert!(
            (twice.value - 20.0).abs() < 1e-9 && twice.low < 20.0 && twice.high > 20.0,
            "{twice:?}"
        );
        assert_eq!(BreadthFirst::of(pages.iter().copied().take(40)), None);
    }

    #[test]
    fn intervals_hold_what_they_should() {
        let none = share(0, 200);
        assert!(
            none.low == 0.0 && none.high > 0.015 && none.high < 0.025,
            "{none:?}"
        );
        let half = share(50, 100);
        assert!(
            (half.low - 0.404).abs() < 0.001 && (half.high - 0.596).abs() < 0.001,
            "{half:?}"
        );
        // 100, 50, 25, …: 50 more are to come.
        let rest = extrapolate(100.0, 50.0).unwrap();
        assert!(
            (rest.value - 50.0).abs() < 1e-9 && rest.low < 50.0 && rest.high > 50.0,
            "{rest:?}"
        );
        assert_eq!(extrapolate(10.0, 12.0), None);
    }
}
