//! What a response to a request for robots.txt means (RFC 9309, 2.3.1 and 2.4).
//!
//! A pure function from the response, and what happened before it, to what applies now and for how long. Callers
//! count redirects and failures and keep the time.

use std::time::Duration;

/// How long rules apply before they are requested again: the longest time the RFC allows.
pub const KEEP: Duration = Duration::from_secs(24 * 60 * 60);

/// How many redirects in a row are followed. After one more, the file counts as missing.
pub const MAX_REDIRECTS: u8 = 5;

/// How long to wait before requesting robots.txt again from an unreachable host. Doubles with every consecutive
/// failure.
pub const RETRY_FIRST: Duration = Duration::from_secs(5 * 60);

/// The longest such wait.
pub const RETRY_MOST: Duration = Duration::from_secs(12 * 60 * 60);

/// After this much time with nothing but failures, the RFC lets a crawler treat the file as missing.
pub const UNREACHABLE_LONG: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// What came back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RobotsResponse {
    /// An HTTP status.
    Status(u16),
    /// A redirect we cannot follow: no target, another scheme, or a loop.
    DeadRedirect,
    /// No HTTP response: no address, no connection, a timeout, or a broken transfer.
    None,
}

/// What happened before the response.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct History {
    /// Redirects that led to this request.
    pub redirects: u8,
    /// Consecutive times the host was unreachable, not counting this one.
    pub failures: u32,
    /// Time since the first of those failures.
    pub failing_for: Duration,
}

/// What the response means for the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// The body contains the rules.
    Parse,
    /// Follow the redirect; the rules found there apply to this host.
    Follow,
    /// There are no rules.
    AllowAll,
    /// The rules are unknown, so nothing may be fetched. Rules read earlier may stay in force instead.
    DisallowAll,
}

/// What applies now, and when to ask again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// What the response means.
    pub meaning: Meaning,
    /// For how long. Zero for a redirect.
    pub holds: Duration,
}

/// Decides what a response means.
///
/// 429 is treated as "not now", like a server error. The RFC counts it as "there are no rules", but a host that asks
/// for fewer requests should not be opened up.
pub fn verdict(answer: RobotsResponse, history: History) -> Verdict {
    match answer {
        RobotsResponse::Status(200..=299) => Verdict {
            meaning: Meaning::Parse,
            holds: KEEP,
        },
        RobotsResponse::Status(301 | 302 | 303 | 307 | 308) if history.redirects < MAX_REDIRECTS => Verdict {
            meaning: Meaning::Follow,
            holds: Duration::ZERO,
        },
        RobotsResponse::Status(429) | RobotsResponse::None => unreachable(history),
        RobotsResponse::Status(300..=499) | RobotsResponse::DeadRedirect => Verdict {
            meaning: Meaning::AllowAll,
            holds: KEEP,
        },
        // 5xx, and anything that is not an HTTP status.
        RobotsResponse::Status(_) => unreachable(history),
    }
}

fn unreachable(history: History) -> Verdict {
    if history.failing_for >= UNREACHABLE_LONG {
        return Verdict {
            meaning: Meaning::AllowAll,
            holds: KEEP,
        };
    }
    let doubled = RETRY_FIRST.saturating_mul(1_u32.checked_shl(history.failures).unwrap_or(u32::MAX));
    Verdict {
        meaning: Meaning::DisallowAll,
        holds: doubled.min(RETRY_MOST),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meaning(answer: RobotsResponse) -> Meaning {
        verdict(answer, History::default()).meaning
    }

    #[test]
    fn a_missing_file_opens_the_host_and_a_failing_server_closes_it() {
        for status in [200, 204] {
            assert_eq!(
                meaning(RobotsResponse::Status(status)),
                Meaning::Parse,
                "{status}"
            );
        }
        for status in [300, 304, 400, 401, 403, 404, 410, 451] {
            assert_eq!(
                meaning(RobotsResponse::Status(status)),
                Meaning::AllowAll,
                "{status}"
            );
        }
        for status in [0, 100, 429, 500, 503, 599, 999] {
            assert_eq!(
                meaning(RobotsResponse::Status(status)),
                Meaning::DisallowAll,
                "{status}"
            );
        }
        assert_eq!(meaning(RobotsResponse::None), Meaning::DisallowAll);
        assert_eq!(meaning(RobotsResponse::DeadRedirect), Meaning::AllowAll);
    }

    #[test]
    fn the_sixth_redirect_is_not_followed() {
        let after = |redirects| {
            verdict(
                RobotsResponse::Status(301),
                History {
                    redirects,
                    ..History::default()
                },
            )
            .meaning
        };
        assert_eq!(
            (after(0), after(4), after(5)),
            (Meaning::Follow, Meaning::Follow, Meaning::AllowAll)
        );
    }

    #[test]
    fn an_unreachable_host_is_asked_ever_less_often() {
        let holds = |failures| {
            verdict(
                RobotsResponse::None,
                History {
                    failures,
                    ..History::default()
                },
            )
            .holds
        };
        assert_eq!(
            (holds(0), holds(1), holds(2)),
            (RETRY_FIRST, RETRY_FIRST * 2, RETRY_FIRST * 4)
        );
        assert_eq!((holds(20), holds(u32::MAX)), (RETRY_MOST, RETRY_MOST));
    }

    #[test]
    fn thirty_days_without_an_answer_count_as_no_file() {
        let history = History {
            redirects: 0,
            failures: 90,
            failing_for: UNREACHABLE_LONG,
        };
        assert_eq!(
            verdict(RobotsResponse::Status(503), history).meaning,
            Meaning::AllowAll
        );
    }
}
