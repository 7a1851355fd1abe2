//! What a host's robots.txt allows, as stored with the host.

use scenthound_robots::{History, MAX_REDIRECTS, Meaning, RETRY_FIRST, RobotsResponse, Rules, verdict};
use scenthound_types::{Failure, Lease, LeaseKind, Outcome, Refusal, Timestamp, Truncation};

use crate::lease_result::Found;

/// The name that robots.txt files use for this crawler.
pub const PRODUCT_TOKEN: &str = "scenthound";

/// What may be fetched from a host.
#[derive(Clone, Debug, PartialEq)]
pub enum Access {
    /// Its rules.
    Rules(Rules),
    /// Its rules could not be fetched, so nothing else may be fetched for now.
    Unreachable,
    /// The host name does not exist, so no request is made.
    NoHost,
    /// The host's certificate or its TLS is not acceptable, so no request is made.
    BadTls,
}

/// Stored in place of rules for a host that does not exist. Encoded rules never begin like this.
const NO_HOST: &[u8] = b"no host";
/// The same for a host without acceptable TLS.
const BAD_TLS: &[u8] = b"bad tls";

impl Access {
    /// Whether a URL of the host may be requested; if not, the outcome it gets without a request.
    pub fn check(&self, path_and_query: &str) -> Result<(), Outcome> {
        match self {
            Access::Unreachable => Err(Outcome::Refused(Refusal::RobotsUnreachable)),
            Access::NoHost => Err(Outcome::Failed(Failure::DnsNoName)),
            Access::BadTls => Err(Outcome::Failed(Failure::Tls)),
            Access::Rules(rules) if rules.allows(path_and_query) => Ok(()),
            Access::Rules(_) => Err(Outcome::Refused(Refusal::Robots)),
        }
    }

    /// Roughly how many bytes of memory it takes.
    pub fn size(&self) -> usize {
        match self {
            Access::Rules(rules) => rules.size(),
            Access::Unreachable | Access::NoHost | Access::BadTls => 0,
        }
    }

    /// The form in which the frontier stores it.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Access::Unreachable => Vec::new(),
            Access::NoHost => NO_HOST.to_vec(),
            Access::BadTls => BAD_TLS.to_vec(),
            Access::Rules(rules) => rules.to_bytes(),
        }
    }

    /// Reads what [`Access::to_bytes`] wrote. Damaged rules count as unreachable: it is better to skip a host than
    /// to ignore its wishes.
    pub fn from_bytes(bytes: &[u8]) -> Access {
        match Rules::from_bytes(bytes) {
            _ if bytes == NO_HOST => Access::NoHost,
            _ if bytes == BAD_TLS => Access::BadTls,
            Ok(rules) => Access::Rules(rules),
            Err(_) => Access::Unreachable,
        }
    }
}

/// Whether a request for a robots.txt ended in a redirect that is followed: RFC 9309 asks for at least five in a row,
/// including to other hosts. Each is a request of its own, under the rest of the host it goes to.
pub fn leads_elsewhere(lease: &Lease, outcome: &Outcome) -> bool {
    lease.kind == LeaseKind::Robots
        && lease.redirects < MAX_REDIRECTS
        && matches!(outcome, Outcome::Redirect { .. })
}

/// What was found in the response to a request for a robots.txt.
pub fn find_rules(lease: &Lease, outcome: &Outcome, body: &[u8], now: Timestamp) -> Found {
    if leads_elsewhere(lease, outcome) {
        return Found::Nothing;
    }
    // If a host that a robots.txt redirects to does not exist or has a wrong certificate, that says nothing about the first
    // host.
    let is_lost =
        lease.location.is_some() && matches!(outcome, Outcome::Failed(Failure::DnsNoName | Failure::Tls));
    let (access, fresh_until) = if is_lost {
        read_rules(&Outcome::Failed(Failure::DnsError), body, lease.attempt, now)
    } else {
        read_rules(outcome, body, lease.attempt, now)
    };
    Found::Rules(access, fresh_until)
}

/// What the response to a robots.txt request means, and until when it is valid. A redirect here is one that is not
/// followed.
pub fn read_rules(outcome: &Outcome, body: &[u8], attempt: u8, now: Timestamp) -> (Access, Timestamp) {
    if *outcome == Outcome::Failed(Failure::DnsNoName) {
        return (Access::NoHost, now + RETRY_FIRST);
    }
    // A wrong certificate stays wrong: the URLs of the host end as they would without rules.
    if *outcome == Outcome::Failed(Failure::Tls) {
        return (Access::BadTls, now + RETRY_FIRST);
    }
    let answer = match outcome {
        // A partial file may lack the very lines that forbid something. Only a file cut at our own length limit counts
        // as complete.
        Outcome::Body {
            truncated: Some(Truncation::Disconnect | Truncation::Time),
            ..
        } => RobotsResponse::None,
        Outcome::Body { status, .. } | Outcome::Redirect { status, .. } => RobotsResponse::Status(*status),
        Outcome::Failed(Failure::Status(status)) => RobotsResponse::Status(*status),
        Outcome::Failed(Failure::NotRecorded) => RobotsResponse::Status(404),
        Outcome::Failed(_) => RobotsResponse::None,
        // The rules are somewhere that we may not read, so they stay unknown.
        Outcome::Refused(Refusal::Robots) => RobotsResponse::None,
        // A robots.txt that is an image or redirects to nowhere holds no rules.
        Outcome::Refused(_) => RobotsResponse::DeadRedirect,
    };
    // A redirect that is still here exceeds the limit.
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
