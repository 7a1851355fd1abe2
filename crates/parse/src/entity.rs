//! Character references: `&amp;`, `&#38;`, `&#x26;`.
//!
//! Decodes as the HTML standard says, in text and, where the rules differ, in attribute values: in a value, a name
//! without its semicolon is not decoded if a letter, a digit or `=` follows, so that `?a=1&copy=2` stays a query.
//!
//! `entities.txt` is the standard's table of names. Deliberately absent: entities declared in XML.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::{memchr, memchr2};

/// Where a reference occurs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReferenceIn {
    Text,
    Attribute,
}

/// The longest name that is recognised without its semicolon.
const LONGEST_BARE: usize = 6;

/// The one or two characters a name stands for.
type Characters = [Option<char>; 2];

/// Names (with their semicolon, if they need one) and what they stand for, in ascending order.
static NAMES: LazyLock<Vec<(&str, Characters)>> = LazyLock::new(|| {
    let code = |hex: &str| u32::from_str_radix(hex, 16).ok().and_then(char::from_u32);
    let mut names: Vec<_> = include_str!("entities.txt")
        .lines()
        .filter_map(|line| {
            let mut fields = line.split(' ');
            let name = fields.next()?;
            Some((name, [fields.next().and_then(code), fields.next().and_then(code)]))
        })
        .collect();
    names.sort_unstable_by_key(|(name, _)| *name);
    names
});

/// Appends `raw` with its references decoded.
pub(crate) fn decode_into(raw: &str, place: ReferenceIn, out: &mut String) {
    let mut rest = raw;
    while let Some(at) = memchr(b'&', rest.as_bytes()) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let taken = decode_one(from, place, out);
        rest = from.get(taken..).unwrap_or_default();
    }
    out.push_str(rest);
}

/// An attribute's value, decoded; borrowed if there is nothing to decode.
pub(crate) fn decode_value(raw: &str) -> Cow<'_, str> {
    if memchr2(b'&', b'\0', raw.as_bytes()).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len());
    decode_into(raw, ReferenceIn::Attribute, &mut out);
    if memchr(b'\0', out.as_bytes()).is_some() {
        out = out.replace('\0', "\u{fffd}");
    }
    Cow::Owned(out)
}

/// Decodes the reference at the start of `raw` and returns its length; an `&` that does not begin one stands for
/// itself.
fn decode_one(raw: &str, place: ReferenceIn, out: &mut String) -> usize {
    let bytes = raw.as_bytes();
    match bytes.get(1) {
        Some(b'#') => decode_number(bytes, out),
        Some(next) if next.is_ascii_alphanumeric() => decode_name(raw, place, out),
        _ => None,
    }
    .unwrap_or_else(|| {
        out.push('&');
        1
    })
}

fn decode_number(bytes: &[u8], out: &mut String) -> Option<usize> {
    let (radix, digits) = match bytes.get(2)? {
        b'x' | b'X' => (16, 3),
        _ => (10, 2),
    };
    let mut value: u32 = 0;
    let mut end = digits;
    while let Some(digit) = bytes.get(end).and_then(|b| char::from(*b).to_digit(radix)) {
        // Everything beyond Unicode is treated alike.
        value = (value * radix + digit).min(0x11_0000);
        end += 1;
    }
    if end == digits {
        return None;
    }
    out.push(match value {
        0 => '\u{fffd}',
        0x80..=0x9f => windows_1252(value),
        _ => char::from_u32(value).unwrap_or('\u{fffd}'),
    });
    Some(end + usize::from(bytes.get(end) == Some(&b';')))
}

/// Numbers of control characters were meant as bytes of windows-1252.
fn windows_1252(value: u32) -> char {
    let byte = [value as u8];
    let decoded = encoding_rs::WINDOWS_1252.decode_without_bom_handling(&byte).0;
    decoded.chars().next().unwrap_or('\u{fffd}')
}

fn decode_name(raw: &str, place: ReferenceIn, out: &mut String) -> Option<usize> {
    let bytes = raw.as_bytes();
    let length = bytes
        .iter()
        .skip(1)
        .take_while(|b| b.is_ascii_alphanumeric())
        .count();
    if bytes.get(1 + length) == Some(&b';') {
        let characters = find(raw.get(1..length + 2)?);
        if let Some(characters) = characters {
            out.extend(characters.into_iter().flatten());
            return Some(length + 2);
        }
    }
    for bare in (2..=length.min(LONGEST_BARE)).rev() {
        if let Some(characters) = find(raw.get(1..1 + bare)?) {
            let next = bytes.get(1 + bare);
            if place == ReferenceIn::Attribute
                && next.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'=')
            {
                return None;
            }
            out.extend(characters.into_iter().flatten());
            return Some(1 + bare);
        }
    }
    None
}

fn find(name: &str) -> Option<Characters> {
    let common = match name {
        "amp;" => '&',
        "nbsp;" => '\u{a0}',
        "lt;" => '<',
        "gt;" => '>',
        "quot;" => '"',
        _ => {
            let at = NAMES.binary_search_by_key(&name, |(known, _)| *known).ok()?;
            return NAMES.get(at).map(|(_, characters)| *characters);
        }
    };
    Some([Some(common), None])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(raw: &str) -> String {
        let mut out = String::new();
        decode_into(raw, ReferenceIn::Text, &mut out);
        out
    }

    #[test]
    fn names_and_numbers_are_decoded() {
        assert_eq!(
            text("a&amp;b &lt;&#38;&#x26;&#X26 &eacute; &NotEqualTilde;"),
            "a&b <&&& é ≂̸"
        );
        assert_eq!(
            text("&#150;&#0;&#xD800;&#99999999999;"),
            "–\u{fffd}\u{fffd}\u{fffd}"
        );
        assert_eq!(text("& &; &# &#x; &nonsense; &"), "& &; &# &#x; &nonsense; &");
    }

    #[test]
    fn a_name_may_lack_its_semicolon_in_text() {
        assert_eq!(text("&notit; &copy 2024 &ampx"), "¬it; © 2024 &x");
    }

    #[test]
    fn a_query_is_not_mistaken_for_references() {
        assert_eq!(decode_value("?a=1&copy=2&amp;b=3&lt"), "?a=1&copy=2&b=3<");
        assert!(matches!(decode_value("/plain"), Cow::Borrowed(_)));
    }
}
