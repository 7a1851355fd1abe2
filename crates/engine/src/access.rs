//! What a host's robots.txt lets us do, as kept with the host.

use scenthound_robots::{History, MAX_REDIRECTS, Meaning, RETRY_FIRST, RobotsResponse, Rules, verdict};
use scenthound_types::{CanonicalUrl, Failure, LeaseKind, Outcome, Refusal, Timestamp, Truncation};

/// The name robots.txt files know us by.
pub const PRODUCT_TOKEN: &str = "scenthound";

/// What a host lets us do.
#[derive(Clone, Debug, PartialEq)]
pub enum Access {
    /// Its rules.
    Rules(Rules),
    /// Its rules could not be had: nothing may be fetched for now.
    Unreachable,
    /// There is no host of that name, so nothing can be fetched and nobody asked.
    NoHost,
}

/// What is kept in place of rules for a host without name; no rules begin so.
const NO_HOST: &[u8] = b"no host";

impl Access {
    /// Whether a URL of the host may be asked for; if not, what comes of it unasked.
    pub fn check(&self, path_and_query: &str) -> Result<(), Outcome> {
        match self {
            Access::Unreachable => Err(Outcome::Refused(Refusal::RobotsUnreachable)),
            Access::NoHost => Err(Outcome::Failed(Failure::DnsNoName)),
            Access::Rules(rules) if rules.allows(path_and_query) => Ok(()),
            Access::Rules(_) => Err(Outcome::Refused(Refusal::Robots)),
        }
    }

    /// As the frontier keeps it.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Access::Unreachable => Vec::new(),
            Access::NoHost => NO_HOST.to_vec(),
            Access::Rules(rules) => rules.to_bytes(),
        }
    }

    /// Reads what [`Access::to_bytes`] wrote. Damaged rules count as unreachable: better to skip a host than to ignore
    /// its wishes.
    pub fn from_bytes(bytes: &[u8]) -> Access {
        match Rules::from_bytes(bytes) {
            _ if bytes == NO_HOST => Access::NoHost,
            Ok(rules) => Access::Rules(rules),
            Err(_) => Access::Unreachable,
        }
    }
}

/// Which redirects of a robots.txt are followed at once: RFC 9309 asks for at least five in a row, also to other hosts.
#[derive(Clone, Copy, Debug, Default)]
pub struct RobotsRedirects {
    followed: u8,
}

impl RobotsRedirects {
    /// Where to ask next, if a robots.txt was asked for and this outcome is a redirect that is still followed.
    pub fn next(&mut self, kind: LeaseKind, outcome: &Outcome) -> Option<CanonicalUrl> {
        match outcome {
            Outcome::Redirect { to, .. } if kind == LeaseKind::Robots && self.followed < MAX_REDIRECTS => {
                self.followed += 1;
                Some(to.clone())
            }
            _ => None,
        }
    }

    /// What it means that the host redirected to could not be found. The host asked is there, and that another one is not
    /// says nothing about its wishes, so it must not count as missing itself.
    pub fn lost(outcome: Outcome) -> Outcome {
        match outcome {
            Outcome::Failed(_) => Outcome::Failed(Failure::DnsError),
            refused => refused,
        }
    }
}

/// What the answer to a robots.txt request means, and until when it counts. The driver has followed redirects
/// already, see [`RobotsRedirects`].
pub fn read_rules(outcome: &Outcome, body: &[u8], attempt: u8, now: Timestamp) -> (Access, Timestamp) {
    if *outcome == Outcome::Failed(Failure::DnsNoName) {
        return (Access::NoHost, now + RETRY_FIRST);
    }
    let answer = match outcome {
        // Half a file may lack the half that forbids. Only our own cap on its length is a whole answer.
        Outcome::Body {
            truncated: Some(Truncation::Disconnect | Truncation::Time),
            ..
        } => RobotsResponse::None,
        Outcome::Body { status, .. } | Outcome::Redirect { status, .. } => RobotsResponse::Status(*status),
        Outcome::Failed(Failure::Status(status)) => RobotsResponse::Status(*status),
        Outcome::Failed(Failure::NotRecorded) => RobotsResponse::Status(404),
        Outcome::Failed(_) => RobotsResponse::None,
        // A robots.txt that is an image or redirects to nowhere holds no rules.
        Outcome::Refused(_) => RobotsResponse::DeadRedirect,
    };
    // Redirects left over at this point are over the limit.
    let history = History {
        redirects: u8::MAX,
        failures: attempt.into(),
        ..History::default()
    };
    let verdict = verdict(answer, history);
    let access = match verdict.meaning {
        Meaning::Parse => Access::Rules(Rules::parse(body, PRODUCT_TOKEN)),
        Meaning::AllowAll | Meaning::Follow => Access::Rules(Rules::allow_all()),
        Meaning::DisallowAll => Access::Unreachable,
    };
    (access, now + verdict.holds)
}
