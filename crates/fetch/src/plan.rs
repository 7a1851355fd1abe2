//! What to do with a response, decided by its head.

use http::{StatusCode, header};
use scenthound_types::{CanonicalUrl, Documents, Failure, Outcome, Readable, Refusal};

use crate::head::{self, Encoding};
use crate::settings::{BodyCaps, Limits, Want};

/// What to do with a response, decided by its head.
pub(crate) struct Plan {
    /// The outcome if nothing goes wrong.
    pub(crate) outcome: Outcome,
    pub(crate) caps: BodyCaps,
    pub(crate) encoding: Encoding,
    /// What the header leaves open, so that the first bytes have to show that the body is one we read.
    pub(crate) sniff: Option<Readable>,
}

impl Plan {
    pub(crate) fn new(
        url: &CanonicalUrl,
        want: Want,
        head: &http::response::Parts,
        limits: &Limits,
        documents: Documents,
    ) -> Plan {
        let status = head.status.as_u16();
        let encoding = Encoding::of(&head.headers);
        let aside = |outcome| Plan {
            outcome,
            caps: limits.caps(want, false),
            // Kept as it is, because nobody reads it.
            encoding: Encoding::Plain,
            sniff: None,
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
        let kind = head::text(&head.headers, header::CONTENT_TYPE);
        let readable = Readable::by_type(kind.as_deref(), documents);
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
            sniff: match readable {
                _ if want != Want::Page => None,
                Readable::Unknown | Readable::MaybeDocument => Some(readable),
                Readable::Yes | Readable::No => (encoding == Encoding::Unknown).then_some(Readable::Unknown),
            },
            encoding,
        }
    }

    /// Whether the body is of a type we do not read: closing is cheaper than reading on.
    pub(crate) fn is_refusal_of_type(&self) -> bool {
        self.outcome == Outcome::Refused(Refusal::ContentType)
    }
}
