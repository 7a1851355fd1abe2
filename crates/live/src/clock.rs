//! The one clock of a live crawl.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use scenthound_types::Timestamp;

/// Gives the time since 1970 and never goes back: it is set once from the system clock and then follows the monotonic one.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    set_to: Timestamp,
    set_at: Instant,
}

impl Clock {
    /// A clock set to the system time.
    pub fn system() -> Clock {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Clock {
            set_to: Timestamp::ZERO + since,
            set_at: Instant::now(),
        }
    }

    /// The current time.
    pub fn now(&self) -> Timestamp {
        self.set_to + self.set_at.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_starts_at_the_systems_time_and_never_goes_back() {
        let system = || Timestamp::ZERO + SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let before = system();
        let clock = Clock::system();
        let first = clock.now();
        assert!(first >= before && first.since(before).as_secs() < 60);
        let copy = clock;
        assert!((0..1_000).map(|_| copy.now()).is_sorted());
        assert!(clock.now() >= first);
    }
}
