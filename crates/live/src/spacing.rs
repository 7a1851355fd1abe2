//! Requests to one address are spaced out, whichever hosts they are for.
//!
//! Many hosts share one machine. Each is polite to be asked once a second; all together may not be.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use scenthound_types::Timestamp;

/// Addresses are dropped from the table once there are so many that looking through them pays.
const TIDY_AT: usize = 4_096;

/// When each address may be asked again.
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

    /// Claims the address for a request that begins now; when it is free again, if it is not free.
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
}
