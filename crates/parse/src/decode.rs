//! Turns bytes into characters.
//!
//! The encoding is determined by, in this order: a byte order mark, the Content-Type header, a meta element, an XML
//! declaration and, finally, the bytes themselves. UTF-8 (and ASCII in any compatible encoding) is borrowed, not
//! copied. Invalid bytes become replacement characters.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use crate::kind::Kind;
use crate::prescan::prescan;

/// How much the detector reads. Its guess hardly changes after this, and it is the slowest step of all.
const DETECTION_BYTES: usize = 64 << 10;

/// How much is decoded at a time.
const PIECE_BYTES: usize = 64 << 10;

/// After this many faults the rest of a body is not text.
const NONSENSE: usize = 256 << 10;

pub(crate) struct Decoded<'a> {
    pub(crate) text: Cow<'a, str>,
    /// The encoding's name in the Encoding Standard.
    pub(crate) encoding: &'static str,
    /// Whether the rest was left out, because it is not text.
    pub(crate) is_cut: bool,
}

/// Decodes a body. The host helps with guessing: undeclared pages under `.jp` are probably Japanese.
pub(crate) fn decode<'a>(content_type: Option<&str>, host: &str, body: &'a [u8], kind: Kind) -> Decoded<'a> {
    let (encoding, skip) = match Encoding::for_bom(body) {
        Some(found) => found,
        None => (
            content_type
                .and_then(header_charset)
                .or_else(|| matches!(kind, Kind::Markup(_)).then(|| prescan(body)).flatten())
                .unwrap_or_else(|| detect(body, host)),
            0,
        ),
    };
    let bytes = body.get(skip..).unwrap_or_default();
    let ascii_compatible = encoding != encoding_rs::ISO_2022_JP && encoding.is_ascii_compatible();
    // Checks UTF-8 several times as fast as the standard library.
    let (text, is_cut) = match UTF_8.decode_without_bom_handling_and_without_replacement(bytes) {
        Some(Cow::Borrowed(text)) if encoding == UTF_8 || (ascii_compatible && text.is_ascii()) => {
            (Cow::Borrowed(text), false)
        }
        _ => {
            let (text, is_cut) = decode_until_nonsense(encoding, bytes);
            (Cow::Owned(text), is_cut)
        }
    };
    Decoded {
        text,
        encoding: encoding.name(),
        is_cut,
    }
}

/// Decodes bytes piece by piece, and stops when too many of them are no characters. Replacing millions of them would
/// take long and triple their size.
fn decode_until_nonsense(encoding: &'static Encoding, bytes: &[u8]) -> (String, bool) {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    let mut nonsense = 0;
    let mut rest = bytes;
    while let Some(piece) = rest.get(..PIECE_BYTES.min(rest.len())) {
        let from = text.len();
        rest = rest.get(piece.len()..).unwrap_or_default();
        let is_last = rest.is_empty();
        let room = decoder
            .max_utf8_buffer_length(piece.len())
            .unwrap_or(PIECE_BYTES * 4);
        text.reserve(room);
        let (_, _, had_errors) = decoder.decode_to_string(piece, &mut text, is_last);
        if had_errors {
            let added = text.get(from..).unwrap_or_default().as_bytes();
            nonsense += memchr::memmem::find_iter(added, "\u{fffd}".as_bytes()).count();
        }
        if is_last || nonsense > NONSENSE {
            return (text, !is_last);
        }
    }
    (text, false)
}

/// The charset parameter of a Content-Type header.
fn header_charset(content_type: &str) -> Option<&'static Encoding> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        if !name.trim().eq_ignore_ascii_case("charset") {
            return None;
        }
        let label = value.trim().trim_matches(['"', '\'']);
        Encoding::for_label(label.as_bytes())
    })
}

fn detect(body: &[u8], host: &str) -> &'static Encoding {
    // ASCII may still be ISO-2022-JP, which is written with escape sequences.
    if body.is_ascii() && memchr::memchr(0x1b, body).is_none() {
        return WINDOWS_1252;
    }
    if !body.is_ascii() && is_utf8_so_far(body) {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(body.get(..DETECTION_BYTES).unwrap_or(body), true);
    // The detector requires this spelling of a top-level domain.
    let domain = host.rsplit('.').next().map(str::as_bytes).filter(|label| {
        label
            .iter()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-')
    });
    detector.guess(domain, Utf8Detection::Allow)
}

/// Whether the body is UTF-8, except for a character that its end may have cut.
fn is_utf8_so_far(body: &[u8]) -> bool {
    match std::str::from_utf8(body) {
        Ok(_) => true,
        Err(fault) => fault.error_len().is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Dialect;

    fn html<'a>(content_type: Option<&str>, body: &'a [u8]) -> Decoded<'a> {
        decode(content_type, "a.test", body, Kind::Markup(Dialect::Html))
    }

    #[test]
    fn a_mark_beats_the_header_and_the_header_beats_meta() {
        let latin = Some("text/html; Charset=\"ISO-8859-1\"");
        assert_eq!(html(latin, b"\xef\xbb\xbfx").encoding, "UTF-8");
        assert_eq!(html(latin, b"<meta charset=utf-8>").encoding, "windows-1252");
        assert_eq!(html(None, b"<meta charset=koi8-r>").encoding, "KOI8-R");
        assert_eq!(
            html(None, b"<?xml version='1.0' encoding = 'koi8-r'?><p>").encoding,
            "KOI8-R"
        );
        assert_eq!(
            html(Some("text/html; charset=nonsense"), b"<meta charset=koi8-r>").encoding,
            "KOI8-R"
        );
    }

    #[test]
    fn undeclared_bytes_are_guessed() {
        assert_eq!(html(None, "plain été".as_bytes()).encoding, "UTF-8");
        let (russian, _, _) =
            encoding_rs::WINDOWS_1251.encode("Это обычный русский текст о погоде и природе");
        assert_eq!(html(None, &russian).encoding, "windows-1251");
        let (japanese, _, _) =
            encoding_rs::SHIFT_JIS.encode("これは日本語の文章です。文字コードを推測します。");
        assert_eq!(html(None, &japanese).encoding, "Shift_JIS");
    }

    #[test]
    fn utf_8_is_not_copied() {
        let body = "<p>été".as_bytes();
        assert!(matches!(
            html(Some("text/html;charset=utf-8"), body).text,
            Cow::Borrowed(_)
        ));
        assert!(matches!(html(None, b"<p>plain").text, Cow::Borrowed(_)));
    }
}
