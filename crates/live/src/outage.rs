//! Tells an outage of our own from failures of hosts.
//!
//! When our network is down, every host seems to fail. Charging them would give up their URLs and leave them alone for long.
//! So a host that could not be reached is charged only if something else could be: another host has just answered, or one that
//! answered earlier still accepts connections. Otherwise we are offline. Then nothing is requested until such a host can be
//! reached again, and whatever failed in the meantime goes back to its place.
//!
//! Nothing here reads a clock or opens a connection; the driver does.

use std::collections::VecDeque;
use std::time::Duration;

use scenthound_types::{CanonicalUrl, Failure, Outcome, Timestamp, registrable_domain};

/// How many hosts that answered are remembered.
const REMEMBERED: usize = 16;
/// How many of them one probe tries.
const TRIED: usize = 3;
/// A successful probe counts for this long.
const PROBED: Duration = Duration::from_secs(5);
/// The pause between probes, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// After this long, the hosts themselves must have gone.
const LONGEST_OUTAGE: Duration = Duration::from_secs(3600);

/// What to do with a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Handling {
    /// Settle it as it is.
    Settle,
    /// Keep it until a probe has shown whether we are offline.
    Hold,
    /// Hand the lease back: we are offline.
    HandBack,
}

/// What to do with the results that were held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    Keep,
    Settle,
    HandBack,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Online,
    /// A probe is on its way.
    Asking,
    Offline {
        since: Timestamp,
        next_probe: Timestamp,
        pause: Duration,
        is_asking: bool,
    },
}

/// Whether we are online, as far as it is known.
#[derive(Debug)]
pub(crate) struct Outage {
    state: State,
    /// Hosts that answered, one per registrable domain, latest first.
    answered: VecDeque<CanonicalUrl>,
    /// Whether something could be reached since the last failure.
    is_fine: bool,
    /// Until when the last successful probe counts.
    fine_until: Timestamp,
}

impl Default for Outage {
    fn default() -> Outage {
        Outage {
            state: State::Online,
            answered: VecDeque::new(),
            is_fine: true,
            fine_until: Timestamp::ZERO,
        }
    }
}

/// Whether a request failed in a way in which it would also fail without a network.
fn is_unreached(outcome: &Outcome) -> bool {
    matches!(
        outcome,
        Outcome::Failed(
            Failure::Connect
                | Failure::ConnectTimeout
                | Failure::DnsError
                | Failure::FirstByteTimeout
                | Failure::Proxy
        )
    )
}

fn site(url: &CanonicalUrl) -> &str {
    registrable_domain(url.host())
}

impl Outage {
    pub fn is_offline(&self) -> bool {
        matches!(self.state, State::Offline { .. })
    }

    /// What to do with the result of a request.
    pub fn judge(&mut self, url: &CanonicalUrl, outcome: &Outcome, asked: bool, now: Timestamp) -> Handling {
        if !asked {
            return Handling::Settle;
        }
        // A name that does not exist says that the network works, but nothing can be reached there.
        if *outcome == Outcome::Failed(Failure::DnsNoName) {
            self.is_fine = true;
            return Handling::Settle;
        }
        if !is_unreached(outcome) {
            self.answered.retain(|known| site(known) != site(url));
            self.answered.push_front(url.clone());
            self.answered.truncate(REMEMBERED);
            self.is_fine = true;
            return Handling::Settle;
        }
        if self.is_offline() {
            return Handling::HandBack;
        }
        let can_ask = self.answered.iter().any(|known| site(known) != site(url));
        if now < self.fine_until || !can_ask {
            return Handling::Settle;
        }
        self.is_fine = false;
        Handling::Hold
    }

    /// What to do with held results, now that something may have changed.
    pub fn held(&mut self, now: Timestamp) -> Held {
        match self.state {
            State::Offline { since, .. } if now.since(since) > LONGEST_OUTAGE => {
                self.answered.clear();
                self.state = State::Online;
                Held::Settle
            }
            State::Offline { .. } => Held::HandBack,
            State::Online | State::Asking if self.is_fine => Held::Settle,
            State::Online | State::Asking => Held::Keep,
        }
    }

    /// The hosts to probe now, if a probe is due.
    pub fn probe(
        &mut self,
        has_held: bool,
        failing: &[CanonicalUrl],
        now: Timestamp,
    ) -> Option<Vec<CanonicalUrl>> {
        match &mut self.state {
            State::Online if has_held && !self.is_fine => self.state = State::Asking,
            State::Offline {
                next_probe,
                is_asking,
                ..
            } if !*is_asking && *next_probe <= now => *is_asking = true,
            _ => return None,
        }
        let is_failing = |url: &CanonicalUrl| failing.iter().any(|other| site(other) == site(url));
        // A host that fails itself is tried only if there is no other.
        let mut hosts: Vec<CanonicalUrl> = self.answered.iter().cloned().collect();
        hosts.sort_by_key(is_failing);
        hosts.truncate(TRIED);
        // The next probe tries others.
        self.answered.rotate_left(TRIED.min(self.answered.len()));
        Some(hosts)
    }

    /// Notes the result of a probe. Returns whether it changed anything that people should know.
    pub fn probed(&mut self, is_reached: bool, now: Timestamp) -> bool {
        let was_offline = self.is_offline();
        if is_reached {
            self.state = State::Online;
            self.is_fine = true;
            // After an outage, the next failure is looked at closely.
            if !was_offline {
                self.fine_until = now + PROBED;
            }
            return was_offline;
        }
        let (since, pause) = match self.state {
            State::Offline { since, pause, .. } => (since, (pause * 2).min(LONGEST_PAUSE)),
            State::Online | State::Asking => (now, FIRST_PAUSE),
        };
        self.state = State::Offline {
            since,
            next_probe: now + pause,
            pause,
            is_asking: false,
        };
        !was_offline
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OK: Outcome = Outcome::Body {
        status: 200,
        truncated: None,
    };
    const LOST: Outcome = Outcome::Failed(Failure::ConnectTimeout);

    fn url(host: &str) -> CanonicalUrl {
        CanonicalUrl::parse(&format!("http://{host}/")).unwrap()
    }

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_millis(seconds * 1000)
    }

    fn started() -> Outage {
        let mut outage = Outage::default();
        assert_eq!(outage.judge(&url("a.test"), &OK, true, at(0)), Handling::Settle);
        assert_eq!(outage.judge(&url("b.test"), &OK, true, at(0)), Handling::Settle);
        outage
    }

    #[test]
    fn a_host_that_fails_while_others_answer_is_charged() {
        let mut outage = started();
        assert_eq!(outage.judge(&url("c.test"), &LOST, true, at(0)), Handling::Hold);
        assert_eq!(outage.held(at(0)), Held::Keep);
        assert_eq!(outage.judge(&url("a.test"), &OK, true, at(1)), Handling::Settle);
        assert_eq!(outage.held(at(1)), Held::Settle);
    }

    #[test]
    fn nothing_is_charged_while_no_host_can_be_reached() {
        let mut outage = started();
        let lost = url("a.test");
        assert_eq!(outage.judge(&lost, &LOST, true, at(10)), Handling::Hold);
        let hosts = outage.probe(true, std::slice::from_ref(&lost), at(10)).unwrap();
        assert_eq!(hosts, [url("b.test"), url("a.test")]);
        assert_eq!(outage.probe(true, &[], at(10)), None, "one probe at a time");
        assert!(outage.probed(false, at(15)));
        assert_eq!(outage.held(at(15)), Held::HandBack);
        assert_eq!(outage.judge(&lost, &LOST, true, at(16)), Handling::HandBack);
        assert_eq!(outage.probe(false, &[], at(19)), None);
        assert!(outage.probe(false, &[], at(20)).is_some());
        assert!(outage.probed(true, at(21)));
        assert!(!outage.is_offline());
    }

    #[test]
    fn a_probe_that_succeeds_charges_what_was_held() {
        let mut outage = started();
        assert_eq!(outage.judge(&url("c.test"), &LOST, true, at(10)), Handling::Hold);
        assert_eq!(outage.held(at(10)), Held::Keep);
        assert!(outage.probe(true, &[url("c.test")], at(10)).is_some());
        assert!(!outage.probed(true, at(11)));
        assert_eq!(outage.held(at(11)), Held::Settle);
    }

    #[test]
    fn without_another_host_to_compare_a_failure_is_charged() {
        let mut outage = Outage::default();
        assert_eq!(outage.judge(&url("a.test"), &OK, true, at(0)), Handling::Settle);
        assert_eq!(
            outage.judge(&url("a.test"), &LOST, true, at(10)),
            Handling::Settle
        );
    }

    #[test]
    fn a_name_that_does_not_exist_is_no_host_to_compare_with() {
        let mut outage = Outage::default();
        let no_name = Outcome::Failed(Failure::DnsNoName);
        assert_eq!(
            outage.judge(&url("typo.test"), &no_name, true, at(0)),
            Handling::Settle
        );
        let refused = Outcome::Failed(Failure::Connect);
        assert_eq!(
            outage.judge(&url("dead.test"), &refused, true, at(1)),
            Handling::Settle
        );
    }

    #[test]
    fn an_outage_that_does_not_end_is_the_hosts_after_all() {
        let mut outage = started();
        assert_eq!(outage.judge(&url("a.test"), &LOST, true, at(10)), Handling::Hold);
        outage.probe(true, &[], at(10));
        outage.probed(false, at(10));
        assert_eq!(outage.held(at(3_700)), Held::Settle);
        assert!(!outage.is_offline());
        assert_eq!(
            outage.judge(&url("a.test"), &LOST, true, at(3_700)),
            Handling::Settle
        );
    }
}
