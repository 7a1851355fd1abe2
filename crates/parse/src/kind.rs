//! What kind of text a body is.
//!
//! The Content-Type header decides; if it is missing, the first bytes do. Bytes that do not look like text at all are
//! not read, whatever the header says: half an image makes nonsense words.

use scenthound_types::DocumentKind;

/// The dialect of markup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dialect {
    Html,
    /// XHTML sent as XML: `<script/>` is closed, and CDATA is text.
    Xhtml,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Markup(Dialect),
    Plain,
    Document(DocumentKind),
    Unreadable,
}

/// How many bytes are examined.
const LOOK: usize = 1024;

impl Kind {
    pub(crate) fn of(content_type: Option<&str>, body: &[u8]) -> Kind {
        if let Some(kind) = DocumentKind::of(content_type, body) {
            return Kind::Document(kind);
        }
        let head = body.get(..LOOK).unwrap_or(body);
        let named = content_type
            .and_then(|value| value.split(';').next())
            .map(|value| value.trim().to_ascii_lowercase());
        match named.as_deref() {
            Some("text/html") => Kind::Markup(Dialect::Html),
            Some("application/xhtml+xml") => Kind::Markup(Dialect::Xhtml),
            Some("application/xml" | "text/xml") if holds(head, b"<html") => Kind::Markup(Dialect::Xhtml),
            None | Some("" | "*/*" | "application/octet-stream" | "application/x-unknown-content-type") => {
                let marked = [
                    &b"<!doctype"[..],
                    b"<html",
                    b"<head",
                    b"<body",
                    b"<title",
                    b"<a ",
                    b"<p>",
                    b"<!--",
                ];
                if marked.iter().any(|tag| holds(head, tag)) {
                    Kind::Markup(Dialect::Html)
                } else {
                    Kind::plain(head)
                }
            }
            Some(_) => Kind::plain(head),
        }
    }

    fn plain(head: &[u8]) -> Kind {
        let wide = head.starts_with(b"\xfe\xff") || head.starts_with(b"\xff\xfe");
        let odd = head
            .iter()
            .filter(|b| b.is_ascii_control() && !b.is_ascii_whitespace() && **b != 0x1b)
            .count();
        if wide || odd * 50 <= head.len() && !head.starts_with(b"%PDF") {
            Kind::Plain
        } else {
            Kind::Unreadable
        }
    }
}

fn holds(head: &[u8], lower: &[u8]) -> bool {
    head.windows(lower.len())
        .any(|window| window.eq_ignore_ascii_case(lower))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_decides_and_the_bytes_fill_in() {
        let html = Kind::Markup(Dialect::Html);
        assert_eq!(Kind::of(Some("Text/HTML; charset=x"), b""), html);
        assert_eq!(Kind::of(Some("text/plain"), b"<html>"), Kind::Plain);
        assert_eq!(Kind::of(None, b" <HTML>"), html);
        assert_eq!(Kind::of(None, b"just words"), Kind::Plain);
        assert_eq!(
            Kind::of(Some("image/png"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
            Kind::Unreadable
        );
        assert_eq!(Kind::of(Some("application/json"), b"{\"a\": 1}"), Kind::Plain);
        assert_eq!(Kind::of(None, b"%PDF-1.4"), Kind::Document(DocumentKind::Pdf));
        assert_eq!(Kind::of(Some("text/plain"), b"%PDF-1.4"), Kind::Unreadable);
    }
}
