//! The few response headers a crawl acts on.

use std::time::{Duration, UNIX_EPOCH};

use http::header::{self, HeaderMap, HeaderName};
use scenthound_types::{CanonicalUrl, Timestamp};

use crate::decode::{Coding, MAX_CODINGS};

/// More X-Robots-Tag headers than this are ignored.
const MAX_TAGS: usize = 32;

/// When a host wants to be asked again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RetryAfter {
    /// After this delay.
    Delay(Duration),
    /// Not before this time, in milliseconds since 1970 by the host's clock.
    At(Timestamp),
}

impl RetryAfter {
    /// Reads the header's value: seconds, or one of the three forms of an HTTP date.
    pub fn parse(value: &str) -> Option<RetryAfter> {
        let value = value.trim();
        if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
            // More digits than fit mean a very long time, not an invalid value.
            let seconds = value.parse().unwrap_or(u64::from(u32::MAX));
            return Some(RetryAfter::Delay(Duration::from_secs(seconds)));
        }
        let since = httpdate::parse_http_date(value)
            .ok()?
            .duration_since(UNIX_EPOCH)
            .ok()?;
        let millis = u64::try_from(since.as_millis()).ok()?;
        Some(RetryAfter::At(Timestamp::from_millis(millis)))
    }
}

/// How a body is encoded, according to its Content-Encoding headers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Encoding {
    /// Not at all.
    Plain,
    /// With these codings, in the order they were applied.
    Coded(Vec<Coding>),
    /// With something we do not know, or a word that is not a coding (`utf-8`). Browsers then use the bytes as they
    /// are.
    Unknown,
    /// With too many layers.
    TooDeep,
}

impl Encoding {
    pub(crate) fn of(headers: &HeaderMap) -> Encoding {
        let mut codings = Vec::new();
        for line in headers.get_all(header::CONTENT_ENCODING) {
            for token in String::from_utf8_lossy(line.as_bytes()).split(',') {
                let token = token.trim();
                if token.is_empty() || token.eq_ignore_ascii_case("identity") {
                    continue;
                }
                match Coding::parse(token) {
                    Some(_) if codings.len() == MAX_CODINGS => return Encoding::TooDeep,
                    Some(coding) => codings.push(coding),
                    None => return Encoding::Unknown,
                }
            }
        }
        if codings.is_empty() {
            Encoding::Plain
        } else {
            Encoding::Coded(codings)
        }
    }
}

/// The first value of a header, whatever its bytes.
pub(crate) fn text(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    let value = headers.get(name)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// All X-Robots-Tag headers.
pub(crate) fn robots_tags(headers: &HeaderMap) -> Vec<String> {
    let tags = headers.get_all("x-robots-tag").iter().take(MAX_TAGS);
    tags.map(|tag| String::from_utf8_lossy(tag.as_bytes()).into_owned())
        .collect()
}

/// The target of a redirect, if it can be crawled.
pub(crate) fn redirect_target(url: &CanonicalUrl, headers: &HeaderMap) -> Option<CanonicalUrl> {
    url.join(&location(headers.get(header::LOCATION)?.as_bytes()))
        .ok()
}

/// A Location as text. Bytes that are not UTF-8 are escaped one by one, so that the request has the same bytes.
fn location(value: &[u8]) -> String {
    match std::str::from_utf8(value) {
        Ok(text) => text.to_owned(),
        Err(_) => value.iter().fold(String::new(), |mut text, byte| {
            if byte.is_ascii() {
                text.push(char::from(*byte));
            } else {
                text.push_str(&format!("%{byte:02X}"));
            }
            text
        }),
    }
}

/// Whether an HTTP/1 body comes in chunks.
pub(crate) fn is_chunked(headers: &HeaderMap) -> bool {
    headers.get_all(header::TRANSFER_ENCODING).iter().any(|line| {
        let line = line.as_bytes().to_ascii_lowercase();
        memchr::memmem::find(&line, b"chunked").is_some()
    })
}

/// The announced length of the body.
pub(crate) fn content_length(headers: &HeaderMap) -> Option<usize> {
    headers
        .get(header::CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .trim()
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date_in_any_of_its_three_forms() {
        assert_eq!(
            RetryAfter::parse(" 120 "),
            Some(RetryAfter::Delay(Duration::from_secs(120)))
        );
        let at = Some(RetryAfter::At(Timestamp::from_millis(784_111_777_000)));
        assert_eq!(RetryAfter::parse("Sun, 06 Nov 1994 08:49:37 GMT"), at);
        assert_eq!(RetryAfter::parse("Sunday, 06-Nov-94 08:49:37 GMT"), at);
        assert_eq!(RetryAfter::parse("Sun Nov  6 08:49:37 1994"), at);
        assert_eq!(
            RetryAfter::parse("99999999999999999999999"),
            Some(RetryAfter::Delay(Duration::from_secs(u64::from(u32::MAX))))
        );
        for nothing in ["", "soon", "-5", "1.5", "Sun, 99 Nov 1994"] {
            assert_eq!(RetryAfter::parse(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn a_location_in_latin_1_keeps_its_bytes() {
        assert_eq!(location(b"/caf\xe9?q=th\xe9"), "/caf%E9?q=th%E9");
        assert_eq!(location("/café".as_bytes()), "/café");
    }

    fn encoding(lines: &[&str]) -> Encoding {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(header::CONTENT_ENCODING, line.parse().unwrap());
        }
        Encoding::of(&headers)
    }

    #[test]
    fn codings_are_read_over_several_lines() {
        assert_eq!(encoding(&[]), Encoding::Plain);
        assert_eq!(encoding(&["identity"]), Encoding::Plain);
        assert_eq!(
            encoding(&["GZIP, br", "zstd"]),
            Encoding::Coded(vec![Coding::Gzip, Coding::Brotli, Coding::Zstd])
        );
        assert_eq!(encoding(&["utf-8"]), Encoding::Unknown);
        assert_eq!(encoding(&["gzip,gzip,gzip,gzip"]), Encoding::TooDeep);
    }
}
