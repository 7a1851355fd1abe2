//! Spaces out requests to one IP address, whichever hosts they are for.
//!
//! Many hosts can share one machine. One request per second to each of them is polite; all of them together may be too
//! much.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use scenthound_types::Timestamp;

/// When the table reaches this size, addresses that are free again are dropped.
const TIDY_AT: usize = 4_096;

/// When each address may get its next request.
#[derive(Debug)]
pub(crate) struct Spacing {
    delay: Duration,
    free_from: Mutex<HashMap<IpAddr, Timestamp>>,
}

impl Spacing {
    pub fn new(delay: Duration) -> Spacing {
        Spacing {
            delay,
            free_from: Mutex::default(),
        }
    }

    /// Claims the address for a request that begins now. If it is not free, returns when it will be.
    pub fn claim(&self, ip: IpAddr, now: Timestamp) -> Result<(), Timestamp> {
        if self.delay.is_zero() {
            return Ok(());
        }
        let mut free_from = self.free_from.lock().unwrap_or_else(PoisonError::into_inner);
        if free_from.len() >= TIDY_AT {
            free_from.retain(|_, free| *free > now);
        }
        let free = free_from.entry(ip).or_insert(Timestamp::ZERO);
        if *free > now {
            return Err(*free);
        }
        *free = now + self.delay;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_free_again_after_the_delay_and_others_at_once() {
        let spacing = Spacing::new(Duration::from_millis(250));
        let (a, b) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        let at = Timestamp::from_millis;
        assert_eq!(spacing.claim(a, at(1_000)), Ok(()));
        assert_eq!(spacing.claim(a, at(1_100)), Err(at(1_250)));
        assert_eq!(spacing.claim(b, at(1_100)), Ok(()));
        assert_eq!(spacing.claim(a, at(1_250)), Ok(()));
    }

    #[test]
    fn asking_too_early_does_not_make_the_wait_longer() {
        let spacing = Spacing::new(Duration::from_millis(250));
        let (a, at) = (IpAddr::from([192, 0, 2, 1]), Timestamp::from_millis);
        assert_eq!(spacing.claim(a, at(0)), Ok(()));
        for early in [1, 100, 249] {
            assert_eq!(spacing.claim(a, at(early)), Err(at(250)));
        }
        assert_eq!(spacing.claim(a, at(250)), Ok(()));
    }

    #[test]
    fn without_a_delay_every_address_is_always_free() {
        let spacing = Spacing::new(Duration::ZERO);
        let a = IpAddr::from([192, 0, 2, 1]);
        assert!((0..3).all(|_| spacing.claim(a, Timestamp::ZERO).is_ok()));
    }

    #[test]
    fn a_table_that_is_tidied_keeps_the_addresses_that_are_not_free() {
        let spacing = Spacing::new(Duration::from_secs(1));
        let address = |n: u32| IpAddr::from(n.to_be_bytes());
        for n in 1..TIDY_AT as u32 {
            assert_eq!(spacing.claim(address(n), Timestamp::ZERO), Ok(()));
        }
        let late = Timestamp::from_millis(500);
        assert_eq!(spacing.claim(address(0), late), Ok(()));
        let later = Timestamp::from_millis(1_200);
        assert_eq!(spacing.claim(address(9_999), later), Ok(()));
        assert_eq!(spacing.free_from.lock().unwrap().len(), 2);
        assert_eq!(
            spacing.claim(address(0), later),
            Err(Timestamp::from_millis(1_500))
        );
    }
}
