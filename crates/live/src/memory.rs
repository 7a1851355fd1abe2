//! Keeps the crawl within its memory: fewer requests when it comes near the limit, and a clean stop when that does not help.
//!
//! What a crawl takes has two parts. The frontier grows with the URLs that are known; requests come and go. So fewer requests
//! free memory at once if they are what takes it. If they are not, nothing that we could drop would help, and stopping with
//! everything saved is better than being killed.
//!
//! Nothing here reads the clock; the driver calls it about once a second.

/// From this share of the limit on, fewer requests are made.
const NEAR: f64 = 0.9;
/// Below this share, more are made again.
const FAR: f64 = 0.8;
/// So many looks in a row above the limit with a single request at a time end the crawl.
const LAST_LOOKS: u32 = 10;

/// How much memory the process takes, in bytes; none where the system does not say.
pub(crate) fn in_use() -> Option<u64> {
    let sizes = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = sizes.split(' ').nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

/// What the memory allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allowance {
    /// So many requests at a time.
    Requests(usize),
    /// Nothing more.
    Stop,
}

/// Watches the memory of a crawl.
#[derive(Debug)]
pub(crate) struct MemoryWatch {
    limit: u64,
    /// The most requests that are ever made at a time.
    most: usize,
    now: usize,
    looks_above: u32,
}

impl MemoryWatch {
    pub fn new(limit: u64, most: usize) -> MemoryWatch {
        MemoryWatch {
            limit,
            most,
            now: most,
            looks_above: 0,
        }
    }

    /// Looks at how much is in use.
    pub fn look(&mut self, in_use: u64) -> Allowance {
        let share = in_use as f64 / self.limit as f64;
        if share > NEAR {
            self.now = (self.now / 2).max(1);
        } else if share < FAR {
            self.now = (self.now * 2).min(self.most);
        }
        let is_over = share > 1.0 && self.now == 1;
        self.looks_above = if is_over { self.looks_above + 1 } else { 0 };
        if self.looks_above > LAST_LOOKS {
            Allowance::Stop
        } else {
            Allowance::Requests(self.now)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_requests_are_made_near_the_limit_and_more_again_far_from_it() {
        let mut watch = MemoryWatch::new(1_000, 100);
        let looks = [100, 950, 950, 850, 700, 700].map(|used| watch.look(used));
        assert_eq!(looks, [100, 50, 25, 25, 50, 100].map(Allowance::Requests));
    }

    #[test]
    fn a_crawl_that_stays_above_the_limit_ends() {
        let mut watch = MemoryWatch::new(1_000, 4);
        let looks: Vec<Allowance> = (0..20).map(|_| watch.look(1_200)).collect();
        let requests = looks.iter().take_while(|look| **look != Allowance::Stop);
        assert_eq!(requests.count(), 11);
        // A short excess does not.
        let mut watch = MemoryWatch::new(1_000, 1);
        assert!((0..100).all(|n| watch.look(if n % 10 == 0 { 900 } else { 1_200 }) != Allowance::Stop));
    }

    #[test]
    fn the_system_says_how_much_we_use() {
        assert!(in_use().is_none_or(|bytes| bytes > 1 << 20));
    }
}
