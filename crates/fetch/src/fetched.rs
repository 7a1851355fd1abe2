//! The result of one request.

use std::net::IpAddr;

use bytes::Bytes;
use http::HeaderMap;
use http::header;
use scenthound_types::{Failure, Outcome, Refusal, Truncation};

use crate::exchange::{End, Read, Sink};
use crate::head::{self, RetryAfter};
use crate::room::Reserved;
use crate::tape::{Span, chunked_len};

/// The version of HTTP that was used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// HTTP/1.0 or 1.1: the bytes are exactly those on the wire.
    Http1,
    /// HTTP/2: the heads are written as HTTP/1.1, the body is as it was sent.
    Http2,
}

/// An exchange for the archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RawExchange {
    /// Request line and headers, without what was meant only for a proxy.
    pub request: Bytes,
    /// Status line, headers and the body as sent, including chunk headers and content encoding.
    pub response: Bytes,
    /// The version of HTTP that was used.
    pub protocol: Protocol,
}

/// The result of one request.
#[derive(Clone, PartialEq, Debug)]
pub struct Fetched {
    /// How it ended.
    pub outcome: Outcome,
    /// The address used; `None` if there was no connection, or if an HTTP proxy chose the address.
    pub ip: Option<IpAddr>,
    /// The exchange for the archive, if a response came.
    pub raw: Option<RawExchange>,
    /// Content-Type as sent.
    pub content_type: Option<String>,
    /// Refresh as sent: where browsers go next.
    pub refresh: Option<String>,
    /// When the host wants to be asked again.
    pub retry_after: Option<RetryAfter>,
    /// The X-Robots-Tag headers.
    pub x_robots_tag: Vec<String>,
    /// ETag as sent.
    pub etag: Option<String>,
    /// Last-Modified as sent.
    pub last_modified: Option<String>,
    /// The body without chunk headers and content encoding. Shares memory with `raw` where possible.
    pub body: Bytes,
    /// Set if the body is incomplete, whatever the outcome.
    pub truncated: Option<Truncation>,
    /// Whether a kept connection turned out to be closed before anything arrived, or the server asked for HTTP/1.1
    /// instead of HTTP/2. The request may be repeated, but that is another request, and the code that spaces requests
    /// decides when.
    pub stale: bool,
    /// Room reserved for a large body; free again when the response is dropped.
    pub reserved: Reserved,
}

impl Fetched {
    /// A request that got no response.
    pub(crate) fn nothing(outcome: Outcome, ip: Option<IpAddr>) -> Fetched {
        Fetched {
            outcome,
            ip,
            raw: None,
            content_type: None,
            refresh: None,
            retry_after: None,
            x_robots_tag: Vec::new(),
            etag: None,
            last_modified: None,
            body: Bytes::new(),
            truncated: None,
            stale: false,
            reserved: Reserved::default(),
        }
    }

    /// A response whose head promised `promised`, as far as it was read.
    pub(crate) fn response(
        promised: Outcome,
        headers: &HeaderMap,
        raw: RawExchange,
        head_len: usize,
        read: Read,
    ) -> Fetched {
        let text = |name| head::text(headers, name);
        let truncated = match read.end {
            End::Whole => None,
            End::Cut(why) => Some(why),
            End::Damaged => Some(Truncation::Disconnect),
            End::NotText => Some(Truncation::Length),
        };
        let has_nothing = match &read.sink {
            Sink::InPlace => read.wire == 0,
            Sink::Gathered(gathered) => gathered.is_empty(),
            Sink::Decoded(decoder) => decoder.so_far().is_empty(),
        };
        let outcome = match promised {
            // What was damaged may be intact next time.
            Outcome::Body { .. } if read.end == End::Damaged => Outcome::Failed(Failure::Body),
            Outcome::Body { .. } if has_nothing && truncated == Some(Truncation::Disconnect) => {
                Outcome::Failed(Failure::Disconnect)
            }
            _ if read.end == End::NotText => Outcome::Refused(Refusal::ContentType),
            Outcome::Body { status, .. } => Outcome::Body { status, truncated },
            other => other,
        };
        let body = match read.sink {
            _ if matches!(read.end, End::NotText | End::Damaged) => Bytes::new(),
            Sink::InPlace => raw.response.slice(head_len.min(raw.response.len())..),
            Sink::Gathered(gathered) => Bytes::from(gathered),
            Sink::Decoded(decoder) => Bytes::from(decoder.into_decoded()),
        };
        Fetched {
            outcome,
            ip: None,
            raw: Some(raw),
            content_type: text(header::CONTENT_TYPE),
            refresh: text(header::REFRESH),
            retry_after: text(header::RETRY_AFTER).and_then(|value| RetryAfter::parse(&value)),
            x_robots_tag: head::robots_tags(headers),
            etag: text(header::ETAG),
            last_modified: text(header::LAST_MODIFIED),
            body,
            truncated,
            stale: false,
            reserved: read.reserved,
        }
    }
}

/// The part of a recording that is the response, without interim responses before it or anything after its end.
pub(crate) fn cut_out(received: &Bytes, head: Span, chunked: bool, read: &Read) -> Bytes {
    let body = received.get(head.end..).unwrap_or_default();
    let len = match read.end {
        End::NotText => 0,
        End::Whole if chunked => chunked_len(body).unwrap_or(body.len()),
        End::Cut(_) | End::Damaged if chunked => body.len(),
        End::Whole | End::Cut(_) | End::Damaged => read.wire.min(body.len()),
    };
    received.slice(head.start..head.end + len)
}
