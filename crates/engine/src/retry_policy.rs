//! What an outcome means for the URL and for its host: the retry policy as one table.

use scenthound_frontier::{End, HostEffect};
use scenthound_types::{Failure, Lease, Merge, Outcome, Timestamp, UrlKey};

/// | outcome | the URL | the host |
/// |---|---|---|
/// | body | fetched | usual rest |
/// | redirect | gone, its target takes over | usual rest |
/// | anything settled without a request (robots, address, no such host) | gone | as before |
/// | refused after the headers | gone | usual rest |
/// | failure that may pass | retried up to `retries` times | longer rest each time, or as Retry-After says |
/// | other failure of the host (no such name, TLS) | gone | longer rest each time |
/// | other status | gone | usual rest |
pub(crate) fn after(
    lease: &Lease,
    outcome: &Outcome,
    relevance: f32,
    redirect: Option<(UrlKey, Merge)>,
    retry_after: Option<Timestamp>,
    asked: bool,
    retries: u8,
) -> (End, HostEffect) {
    match outcome {
        _ if !asked => (End::Gone, HostEffect::Untouched),
        Outcome::Body { .. } => (End::Fetched { relevance }, HostEffect::Asked),
        Outcome::Redirect { to, .. } => match redirect {
            Some((key, merge)) => (
                End::Redirected {
                    to: to.clone(),
                    key,
                    merge,
                },
                HostEffect::Asked,
            ),
            None => (End::Gone, HostEffect::Asked),
        },
        Outcome::Refused(_) => (End::Gone, HostEffect::Asked),
        Outcome::Failed(Failure::NotRecorded) => (End::Gone, HostEffect::Untouched),
        Outcome::Failed(failure) => {
            let end = if failure.may_pass() && lease.attempt < retries {
                End::Retry
            } else {
                End::Gone
            };
            let host_effect = match retry_after {
                Some(until) if failure.is_hosts_fault() => HostEffect::Later(until),
                _ if failure.is_hosts_fault() => HostEffect::Failed,
                _ => HostEffect::Asked,
            };
            (end, host_effect)
        }
    }
}
