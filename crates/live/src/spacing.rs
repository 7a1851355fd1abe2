//! Spaces out requests to one IP address, whichever hosts they are for.
//!
//! Many hosts can share one machine. One request per second to each of them is polite; all of them together may be too
//! much.
//!
//! A host that comes too early gets a time of its own, one delay after the host before it. Thousands of hosts at one address
//! therefore come back one by one, and do not all try again whenever the address is free.
//!
//! Where several nodes crawl together, each leaves an address alone as many times longer as there are nodes that ask it. Until it is
//! known how many do, it is assumed that all of them do.
//!
//! An address that fails for one host after the other rests longer each time: whoever points a thousand names at a server in
//! trouble must not make us ask it a thousand times. All addresses of one IPv6 network count as one.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use scenthound_types::{Timestamp, network_of};

/// When the table reaches this size, addresses that are free again are dropped.
const TIDY_AT: usize = 4_096;

/// How many requests to one address may be in flight. An address that answers rarely has more than a few, because they are
/// spaced; one that does not would hold ever more of them.
const MOST_IN_FLIGHT: usize = 8;

/// How long an address with too many requests in flight is left alone.
const CROWDED: Duration = Duration::from_secs(1);

/// The longest time ahead that is promised to a host.
const LONGEST_PROMISE: Duration = Duration::from_secs(15 * 60);

/// So many failures in a row, whichever hosts they were for, say nothing about an address yet.
const FEW_FAILURES: u32 = 3;

/// The longest time between two requests to an address that fails.
const LONGEST_DELAY: Duration = Duration::from_secs(60);

/// How late a host may come for the time it was promised.
const LATE: Duration = Duration::from_secs(2);

/// How often a node tells others which addresses it asks.
const SHARE_EVERY: Duration = Duration::from_secs(5);

/// Addresses that are named to others at a time.
const MOST_SHARED: usize = 200;

#[derive(Debug, Default)]
struct Address {
    free_from: Timestamp,
    /// When it was claimed last, and when others were told so.
    claimed: Timestamp,
    shared: Timestamp,
    /// How many nodes ask it; none if that is not known.
    nodes: Option<u32>,
    in_flight: usize,
    /// Requests that failed, and none that did not since.
    failures: u32,
    /// When the next host that comes too early may come back.
    next_promise: Timestamp,
    /// Who may come when.
    promised: HashMap<Box<str>, Timestamp>,
}

impl Address {
    /// The time between two requests, if it is usually `usual`.
    fn delay(&self, usual: Duration) -> Duration {
        let doublings = self.failures.saturating_sub(FEW_FAILURES).min(16);
        usual.saturating_mul(1 << doublings).min(LONGEST_DELAY.max(usual))
    }
}

/// When each address may get its next request.
#[derive(Debug)]
pub(crate) struct Spacing {
    delay: Duration,
    /// How many nodes crawl together.
    nodes: AtomicU32,
    addresses: Mutex<HashMap<IpAddr, Address>>,
}

impl Spacing {
    pub fn new(delay: Duration) -> Spacing {
        Spacing {
            delay,
            nodes: AtomicU32::new(1),
            addresses: Mutex::default(),
        }
    }

    /// Says how many nodes crawl together.
    pub fn crawl_with(&self, nodes: u32) {
        self.nodes.store(nodes.max(1), Ordering::Relaxed);
    }

    /// The addresses that were asked since others were told, if that is some time ago.
    pub fn to_share(&self, now: Timestamp) -> Vec<IpAddr> {
        if self.delay.is_zero() || self.nodes.load(Ordering::Relaxed) <= 1 {
            return Vec::new();
        }
        let mut addresses = self.lock();
        let due = addresses.iter_mut().filter(|(_, address)| {
            let is_told = address.shared > Timestamp::ZERO
                && (address.shared > address.claimed || address.shared + SHARE_EVERY > now);
            !is_told && address.claimed > Timestamp::ZERO
        });
        let due = due.take(MOST_SHARED).map(|(ip, address)| {
            address.shared = now;
            *ip
        });
        due.collect()
    }

    /// Says how many nodes ask an address, this one included.
    pub fn shared_by(&self, ip: IpAddr, nodes: u32) {
        if let Some(address) = self.lock().get_mut(&network_of(ip)) {
            address.nodes = Some(nodes.max(1));
        }
    }

    /// Claims the address for a request of this host that begins now. If it is not free, returns when the host may come
    /// back. A claim lasts until it is released.
    pub fn claim(&self, ip: IpAddr, origin: &str, now: Timestamp) -> Result<(), Timestamp> {
        if self.delay.is_zero() {
            return Ok(());
        }
        let mut addresses = self.lock();
        if addresses.len() >= TIDY_AT {
            addresses
                .retain(|_, known| known.in_flight > 0 || known.free_from > now || known.next_promise > now);
        }
        let address = addresses.entry(network_of(ip)).or_default();
        let nodes = self.nodes.load(Ordering::Relaxed);
        // Nodes that have gone may still be counted.
        let delay = address.delay(self.delay * address.nodes.unwrap_or(nodes).min(nodes));
        let promise = address.promised.get(origin).copied();
        let is_its_turn = promise.is_some_and(|promise| promise <= now);
        // Others that were promised a time go first, unless they do not come.
        let is_reserved = address.next_promise > now && !is_its_turn;
        let is_crowded = address.in_flight >= MOST_IN_FLIGHT;
        if address.free_from > now || is_reserved || is_crowded {
            if let Some(promise) = promise.filter(|promise| *promise > now) {
                return Err(promise);
            }
            let earliest = if is_crowded {
                address.free_from.max(now + CROWDED)
            } else {
                address.free_from
            };
            let until = address.next_promise.max(earliest).min(now + LONGEST_PROMISE);
            address.next_promise = until + delay;
            if address.promised.len() >= TIDY_AT {
                address.promised.retain(|_, promise| *promise + LATE > now);
            }
            address.promised.insert(origin.into(), until);
            return Err(until);
        }
        address.promised.remove(origin);
        address.free_from = now + delay;
        address.claimed = now;
        address.in_flight += 1;
        Ok(())
    }

    /// Ends a claim. None if the request says nothing about the address.
    pub fn release(&self, ip: IpAddr, has_failed: Option<bool>, now: Timestamp) {
        let mut addresses = self.lock();
        let Some(address) = addresses.get_mut(&network_of(ip)) else {
            return;
        };
        address.in_flight = address.in_flight.saturating_sub(1);
        match has_failed {
            Some(true) => {
                address.failures = address.failures.saturating_add(1);
                address.free_from = address.free_from.max(now + address.delay(self.delay));
            }
            Some(false) if address.failures > FEW_FAILURES => {
                // It is well again. Times that were promised far apart are not kept to by those who come now.
                address.failures = 0;
                address.next_promise = address.next_promise.min(address.free_from);
            }
            Some(false) => address.failures = 0,
            None => {}
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, Address>> {
        self.addresses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const B: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

    fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn an_address_is_free_again_after_the_delay_and_others_at_once() {
        let spacing = Spacing::new(Duration::from_millis(250));
        assert_eq!(spacing.claim(A, "a", at(1_000)), Ok(()));
        assert_eq!(spacing.claim(A, "b", at(1_100)), Err(at(1_250)));
        assert_eq!(spacing.claim(B, "c", at(1_100)), Ok(()));
        assert_eq!(spacing.claim(A, "b", at(1_250)), Ok(()));
    }

    #[test]
    fn asking_too_early_does_not_make_the_wait_longer() {
        let spacing = Spacing::new(Duration::from_millis(250));
        assert_eq!(spacing.claim(A, "a", at(0)), Ok(()));
        for early in [1, 100, 249] {
            assert_eq!(spacing.claim(A, "b", at(early)), Err(at(250)));
        }
        assert_eq!(spacing.claim(A, "b", at(250)), Ok(()));
    }

    #[test]
    fn hosts_that_come_too_early_come_back_one_by_one_and_before_newcomers() {
        let spacing = Spacing::new(Duration::from_millis(250));
        assert_eq!(spacing.claim(A, "a", at(0)), Ok(()));
        assert_eq!(spacing.claim(A, "b", at(10)), Err(at(250)));
        assert_eq!(spacing.claim(A, "c", at(10)), Err(at(500)));
        assert_eq!(spacing.claim(A, "new", at(250)), Err(at(750)));
        assert_eq!(spacing.claim(A, "b", at(260)), Ok(()));
        assert_eq!(spacing.claim(A, "c", at(510)), Ok(()));
        assert_eq!(spacing.claim(A, "new", at(760)), Ok(()));
        assert_eq!(spacing.claim(A, "newer", at(2_000)), Ok(()));
    }

    #[test]
    fn an_address_that_does_not_answer_holds_only_a_few_requests() {
        let spacing = Spacing::new(Duration::from_millis(250));
        for n in 0..MOST_IN_FLIGHT as u64 {
            assert_eq!(spacing.claim(A, &format!("{n}"), at(n * 250)), Ok(()));
        }
        assert_eq!(spacing.claim(A, "x", at(5_000)), Err(at(6_000)));
        spacing.release(A, None, at(5_500));
        assert_eq!(spacing.claim(A, "x", at(6_000)), Ok(()));
    }

    #[test]
    fn nodes_that_ask_one_address_together_ask_it_no_more_often_than_one_would() {
        let spacing = Spacing::new(Duration::from_millis(250));
        assert_eq!(spacing.claim(A, "a", at(1_000)), Ok(()));
        assert_eq!(
            spacing.to_share(at(1_000)),
            Vec::<IpAddr>::new(),
            "nobody else is there"
        );
        spacing.crawl_with(3);
        assert_eq!(spacing.claim(A, "a", at(1_250)), Ok(()));
        assert_eq!(spacing.claim(A, "b", at(1_500)), Err(at(2_000)), "all may ask it");
        assert_eq!(spacing.to_share(at(1_500)), [A]);
        assert_eq!(spacing.to_share(at(1_600)), Vec::<IpAddr>::new(), "they know");
        spacing.shared_by(A, 2);
        assert_eq!(spacing.claim(A, "b", at(2_000)), Ok(()));
        assert_eq!(
            spacing.claim(A, "c", at(2_600)),
            Err(at(2_750)),
            "b was promised more"
        );
        assert_eq!(spacing.claim(A, "d", at(2_600)), Err(at(3_250)), "two ask it");
        assert_eq!(spacing.to_share(at(6_400)), Vec::<IpAddr>::new());
        assert_eq!(spacing.to_share(at(6_500)), [A], "it was asked since");
        assert_eq!(spacing.to_share(at(20_000)), Vec::<IpAddr>::new());
        spacing.crawl_with(1);
        assert_eq!(spacing.claim(A, "d", at(30_000)), Ok(()));
        assert_eq!(spacing.claim(A, "e", at(30_000)), Err(at(30_250)));
    }

    #[test]
    fn an_address_that_fails_for_every_host_is_asked_more_and_more_rarely() {
        let spacing = Spacing::new(Duration::from_millis(250));
        let (mut now, mut asked) = (0, 0);
        for n in 0..100_000 {
            let host = format!("host{}", n % 500);
            if spacing.claim(A, &host, at(now)).is_ok() {
                asked += 1;
                spacing.release(A, Some(true), at(now));
            }
            now += 10;
        }
        // A thousand seconds: 4,000 requests if it were well.
        assert!((4..40).contains(&asked), "{asked}");
        // It is well again, and is asked as usual.
        let back = at(now + 3_600_000);
        assert_eq!(spacing.claim(A, "a", back), Ok(()));
        spacing.release(A, Some(false), back);
        let next = back + LONGEST_DELAY;
        assert_eq!(spacing.claim(A, "b", next), Ok(()));
        assert_eq!(spacing.claim(A, "c", next + Duration::from_millis(250)), Ok(()));
    }

    #[test]
    fn a_failure_now_and_then_changes_nothing() {
        let spacing = Spacing::new(Duration::from_millis(250));
        for n in 0..100_u64 {
            assert_eq!(spacing.claim(A, "a", at(n * 250)), Ok(()));
            spacing.release(A, Some(n % 4 != 0), at(n * 250));
        }
    }

    #[test]
    fn the_addresses_of_one_ipv6_network_are_one() {
        let spacing = Spacing::new(Duration::from_millis(250));
        let v6 = |text: &str| text.parse::<IpAddr>().unwrap();
        assert_eq!(spacing.claim(v6("2a00:1450::1"), "a", at(0)), Ok(()));
        assert_eq!(spacing.claim(v6("2a00:1450::2"), "b", at(1)), Err(at(250)));
        assert_eq!(spacing.claim(v6("2a00:1450:0:1::1"), "c", at(1)), Ok(()));
    }

    #[test]
    fn without_a_delay_every_address_is_always_free() {
        let spacing = Spacing::new(Duration::ZERO);
        assert!((0..30).all(|_| spacing.claim(A, "a", Timestamp::ZERO).is_ok()));
    }

    #[test]
    fn a_table_that_is_tidied_keeps_the_addresses_that_are_not_free() {
        let spacing = Spacing::new(Duration::from_secs(1));
        let address = |n: u32| IpAddr::from(n.to_be_bytes());
        for n in 1..TIDY_AT as u32 {
            assert_eq!(spacing.claim(address(n), "a", Timestamp::ZERO), Ok(()));
            spacing.release(address(n), Some(false), Timestamp::ZERO);
        }
        assert_eq!(spacing.claim(address(0), "a", at(500)), Ok(()));
        assert_eq!(spacing.claim(address(9_999), "a", at(1_200)), Ok(()));
        assert_eq!(spacing.lock().len(), 2);
        assert_eq!(spacing.claim(address(0), "b", at(1_200)), Err(at(1_500)));
    }
}
