//! HTTP messages as archives hold them: where the head ends, what it says, what the body is.
//!
//! A head ends where warcio says it does (at the first line that is blank), because the payload digest starts there and
//! other tools check it. Everything takes time linear in the message; nothing fails:
//! what cannot be understood is left as it is and reported as a [`BodyFault`].
//!
//! Deliberately absent: sockets, and the rules of HTTP that only a live connection needs.

use std::borrow::Cow;

use crate::body::{self, Body};

/// The first message of `bytes`: its head, with the empty line, and the rest.
pub(crate) fn split_head(bytes: &[u8]) -> (&[u8], &[u8]) {
    let mut start = 0;
    while let Some(rest) = bytes.get(start..) {
        let end = memchr::memchr(b'\n', rest).map_or(bytes.len(), |newline| start + newline + 1);
        let line = bytes.get(start..end).unwrap_or_default();
        if line.is_empty() || is_blank(line) {
            return bytes.split_at_checked(end).unwrap_or((bytes, &[]));
        }
        start = end;
    }
    (bytes, &[])
}

/// Blank as Python's `strip` sees it, for ASCII.
fn is_blank(line: &[u8]) -> bool {
    line.iter()
        .all(|byte| matches!(byte, b' ' | b'\t'..=b'\r' | 0x1c..=0x1f))
}

/// Skips `100 Continue` and `103 Early Hints`: they are responses of their own, and readers would mistake their status for
/// the page's.
pub(crate) fn skip_interim(mut response: &[u8]) -> &[u8] {
    loop {
        let (head, rest) = split_head(response);
        let interim = status_of(head).is_some_and(|status| (100..200).contains(&status) && status != 101);
        if !interim || rest.is_empty() {
            return response;
        }
        response = rest;
    }
}

fn status_of(head: &[u8]) -> Option<u16> {
    let line = head.split(|byte| *byte == b'\n').next()?;
    let mut words = line
        .split(|byte| byte.is_ascii_whitespace())
        .filter(|word| !word.is_empty());
    let version = words.next()?;
    if !version.get(..5)?.eq_ignore_ascii_case(b"HTTP/") {
        return None;
    }
    std::str::from_utf8(words.next()?).ok()?.parse().ok()
}

/// A recorded response, parsed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HttpResponse<'a> {
    /// The number after `HTTP/1.1`.
    pub status: u16,
    /// Names as sent, values unfolded and trimmed; invalid UTF-8 is replaced.
    pub headers: Vec<(String, String)>,
    /// The body as recorded, still chunked and compressed if it was sent that way.
    pub raw_body: &'a [u8],
}

impl<'a> HttpResponse<'a> {
    /// Parses the block of a response record; none if it does not begin with an HTTP status line.
    pub fn parse(block: &'a [u8]) -> Option<HttpResponse<'a>> {
        let block = skip_interim(block);
        let (head, raw_body) = split_head(block);
        let status = status_of(head)?;
        let mut headers: Vec<(String, String)> = Vec::new();
        for line in head.split(|byte| *byte == b'\n').skip(1) {
            let line = String::from_utf8_lossy(line);
            if line.starts_with([' ', '\t']) {
                if let Some((_, value)) = headers.last_mut() {
                    let more = line.trim();
                    if !more.is_empty() {
                        value.push(' ');
                        value.push_str(more);
                    }
                }
            } else if let Some((name, value)) = line.split_once(':') {
                headers.push((name.trim_end().to_owned(), value.trim().to_owned()));
            }
        }
        Some(HttpResponse {
            status,
            headers,
            raw_body,
        })
    }

    /// The first header of this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers_named(name).next()
    }

    /// All headers of this name, in any case.
    pub fn headers_named<'s>(&'s self, name: &str) -> impl Iterator<Item = &'s str> {
        self.headers
            .iter()
            .filter(move |(header, _)| header.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// The body without chunks and compression, at most `cap` bytes of it.
    pub fn body(&self, cap: usize) -> Body {
        let mut faults = Vec::new();
        let mut bytes = Cow::Borrowed(self.raw_body);
        if self
            .codings("transfer-encoding")
            .any(|coding| coding == "chunked")
        {
            let (joined, fault) = body::join_chunks(self.raw_body);
            bytes = joined;
            faults.extend(fault);
        }
        let codings: Vec<String> = self.codings("content-encoding").collect();
        // A page is compressed once, or twice by a clumsy proxy; more is not meant seriously.
        for coding in codings.iter().rev().take(3) {
            let (decoded, fault) = body::decode_body(coding, &bytes, cap);
            faults.extend(fault);
            if let Some(decoded) = decoded {
                bytes = Cow::Owned(decoded);
            }
        }
        Body::capped(bytes.into_owned(), cap, faults)
    }

    fn codings(&self, name: &str) -> impl Iterator<Item = String> {
        self.headers_named(name)
            .flat_map(|value| value.split(','))
            .map(|coding| coding.trim().to_ascii_lowercase())
            .filter(|coding| !coding.is_empty() && coding != "identity")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_ends_with_its_first_empty_line() {
        let (head, body) = split_head(b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody\r\n\r\n");
        assert_eq!(head, b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n");
        assert_eq!(body, b"body\r\n\r\n");
        assert_eq!(split_head(b"HTTP/1.0 200 OK\nA: b\n\nbody").1, b"body");
        assert_eq!(split_head(b"HTTP/1.0 200 OK\nA: b\n \t\r\nbody").1, b"body");
        assert_eq!(split_head(b"HTTP/1.1 200 OK\r\nA: b").1, b"");
        assert_eq!(split_head(b"").1, b"");
        assert_eq!(split_head(b"\r\nbody").1, b"body");
    }

    #[test]
    fn interim_responses_are_skipped() {
        let wire = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n\r\nbody";
        assert_eq!(skip_interim(wire), b"HTTP/1.1 200 OK\r\n\r\nbody");
        let switched = b"HTTP/1.1 101 Switching Protocols\r\n\r\nframes";
        assert_eq!(skip_interim(switched), switched);
        let alone = b"HTTP/1.1 100 Continue\r\n\r\n";
        assert_eq!(skip_interim(alone), alone);
    }

    #[test]
    fn headers_are_found_in_any_case_and_folded_lines_joined() {
        let response = HttpResponse::parse(
            b"HTTP/1.1 404 Not Found\r\nx-odd:  a\r\n  b\r\nX-ODD: c\r\nno colon\r\n\r\n",
        )
        .unwrap();
        assert_eq!(response.status, 404);
        assert_eq!(response.headers_named("X-Odd").collect::<Vec<_>>(), ["a b", "c"]);
        assert_eq!(response.raw_body, b"");
        assert_eq!(HttpResponse::parse(b"<html>"), None);
        assert_eq!(HttpResponse::parse(b"HTTP/1.1 OK\r\n\r\n"), None);
    }
}
