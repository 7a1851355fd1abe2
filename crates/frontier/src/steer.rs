//! What people may ask of hosts while a crawl runs, and what the queue looks like from outside.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use scenthound_types::Timestamp;

/// What people ask of hosts. A host is named without scheme and port, and stands for the hosts below it too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostSteering {
    /// Hosts that nothing is fetched from. Their URLs keep waiting.
    pub blocked: BTreeSet<String>,
    /// Hosts whose URLs come before others of the same class.
    pub boosted: BTreeSet<String>,
    /// The rest between two requests to a host, instead of that of the policy.
    pub delay: Option<Duration>,
}

impl HostSteering {
    /// Whether an origin belongs to one of these hosts.
    pub(crate) fn names(hosts: &BTreeSet<String>, origin: &str) -> bool {
        if hosts.is_empty() {
            return false;
        }
        let mut name = host_of(origin);
        loop {
            if hosts.contains(name) {
                return true;
            }
            match name.split_once('.') {
                Some((_, above)) => name = above,
                None => return false,
            }
        }
    }
}

/// The host of `scheme://host[:port]`.
fn host_of(origin: &str) -> &str {
    let authority = origin.split_once("://").map_or(origin, |(_, rest)| rest);
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    }
}

/// Why a host is asked now or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostPlace {
    /// May be asked now.
    Ready,
    /// Has as many requests in flight as allowed.
    Busy,
    /// Is left alone for a while.
    Resting,
    /// Waits until fewer requests to unproven hosts are in flight.
    Parked,
    /// Somebody blocked it.
    Blocked,
    /// Its limit of pages is reached.
    Full,
    /// Nothing of it waits.
    Idle,
}

impl HostPlace {
    /// Its code.
    pub fn code(self) -> &'static str {
        match self {
            HostPlace::Ready => "ready",
            HostPlace::Busy => "busy",
            HostPlace::Resting => "resting",
            HostPlace::Parked => "parked",
            HostPlace::Blocked => "blocked",
            HostPlace::Full => "full",
            HostPlace::Idle => "idle",
        }
    }
}

/// One host, seen from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct HostSurvey {
    /// `scheme://host[:port]`.
    pub origin: String,
    /// Why it is asked now or not.
    pub place: HostPlace,
    /// URLs of it that wait.
    pub waiting: u64,
    /// The best score among them.
    pub best: Option<f64>,
    /// When it may be asked again.
    pub rests_until: Timestamp,
    /// Consecutive failures.
    pub failures: u16,
    /// Page requests settled.
    pub pages: u32,
    /// Whether somebody boosted it.
    pub boosted: bool,
}

/// The queue, seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survey {
    /// How many hosts are in each place.
    pub places: BTreeMap<&'static str, u64>,
    /// The hosts with the most waiting URLs.
    pub hosts: Vec<HostSurvey>,
    /// How many URLs wait in each class. Lower classes come first.
    pub classes: BTreeMap<u16, u64>,
    /// The lowest and the highest score that waits.
    pub scores: Option<(f64, f64)>,
    /// How many URLs wait, in equal steps from the lowest to the highest score.
    pub bins: Vec<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_the_hosts_below_it_on_every_port() {
        let hosts: BTreeSet<String> = ["example.org".to_owned(), "a.test".to_owned()].into();
        for origin in [
            "http://example.org",
            "https://tea.example.org:8443",
            "http://a.test:80",
        ] {
            assert!(HostSteering::names(&hosts, origin), "{origin}");
        }
        for origin in [
            "http://badexample.org",
            "http://org",
            "http://test",
            "http://[::1]:80",
        ] {
            assert!(!HostSteering::names(&hosts, origin), "{origin}");
        }
    }
}
