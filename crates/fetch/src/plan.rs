//! What to do about a response, decided by its head.

use http::{StatusCode, header};
use scenthound_types::{CanonicalUrl, Failure, Outcome, Readable, Refusal};

use crate::head::{self, Encoding};
use crate::settings::{BodyCaps, Limits, Want};

/// What to do about a response, decided by its head.
pub(crate) struct Plan {
    /// How it ends if nothing goes wrong.
    pub(crate) outcome: Outcome,
    pub(crate) caps: BodyCaps,
    pub(crate) encoding: Encoding,
    /// Whether the first bytes have to show that it is text.
    pub(crate) sniff: bool,
}

impl Plan {
    pub(crate) fn new(url: &CanonicalUrl, want: Want, head: &http::response::Parts, limits: &Limits) -> Plan {
        let status = head.status.as_u16();
        let encoding = Encoding::of(&head.headers);
        let aside = |outcome| Plan {
            outcome,
            caps: limits.caps(want, false),
            // Kept as it is: nobody reads it.
            encoding: Encoding::Plain,
            sniff: false,
        };
        match head.status {
            StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT => {
                return aside(match head::redirect_target(url, &head.headers) {
                    Some(to) => Outcome::Redirect { status, to },
                    None => Outcome::Refused(Refusal::RedirectTarget),
                });
            }
            other if !other.is_success() => return aside(Outcome::Failed(Failure::Status(status))),
            _ => {}
        }
        let readable = Readable::by_type(head::text(&head.headers, header::CONTENT_TYPE).as_deref());
        let empty = matches!(head.status, StatusCode::NO_CONTENT | StatusCode::RESET_CONTENT);
        let wrong_type = want == Want::Page && readable == Readable::No && !empty;
        let unreadable = wrong_type || encoding == Encoding::TooDeep;
        Plan {
            outcome: if unreadable {
                Outcome::Refused(Refusal::ContentType)
            } else {
                Outcome::Body {
                    status,
                    truncated: None,
                }
            },
            caps: limits.caps(want, true),
            sniff: want == Want::Page && (readable == Readable::Unknown || encoding == Encoding::Unknown),
            encoding,
        }
    }

    /// Whether the body is nothing we read: closing is cheaper than reading on.
    pub(crate) fn is_refusal_of_type(&self) -> bool {
        self.outcome == Outcome::Refused(Refusal::ContentType)
    }
}
