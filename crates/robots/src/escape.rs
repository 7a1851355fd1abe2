//! The normal form in which paths and patterns are compared.
//!
//! RFC 9309 (2.2.2) compares octets after undoing escapes of unreserved characters and escaping everything outside
//! ASCII. Here both sides are brought into that form: escapes of letters, digits and `-._~` are undone, other escapes
//! get upper-case digits, and every raw octet that may not occur in a URL is escaped, including a stray `%`. In a
//! path, `*` and `$` are escaped too, so that in a pattern a plain `*` or a final `$` can only be the special
//! character and `%2A` matches a star. The reserved characters keep their form: `/` and `%2F` differ.
//!
//! Invariant: the result is ASCII, and normalising it again changes nothing.

use std::borrow::Cow;

/// The path and query of a URL, without its fragment. Everything before the path may be missing.
pub fn path_of(url: &str) -> Cow<'_, str> {
    let url = url.split_once('#').map_or(url, |(before, _)| before);
    let after_scheme = match url.find("//") {
        // A later `//` is part of the path or query.
        Some(0) => url.get(2..),
        Some(at)
            if url
                .get(..at)
                .is_some_and(|s| s.ends_with(':') && !s.contains(['/', '?'])) =>
        {
            url.get(at + 2..)
        }
        _ => Some(url),
    }
    .unwrap_or_default();
    match after_scheme
        .find(['/', '?'])
        .and_then(|at| after_scheme.get(at..))
    {
        Some(path) if path.starts_with('/') => path.into(),
        Some(query) => format!("/{query}").into(),
        None => "/".into(),
    }
}

/// A path and query in the form used to compare them with patterns. Reads up to the fragment; an empty path is `/`.
pub(crate) fn comparable_path(path: &str) -> Cow<'_, [u8]> {
    let path = path.split_once('#').map_or(path, |(before, _)| before);
    if path.is_empty() {
        return Cow::Borrowed(b"/");
    }
    let bytes = path.as_bytes();
    if bytes
        .iter()
        .all(|&byte| is_plain(byte) && !matches!(byte, b'*' | b'$'))
    {
        return Cow::Borrowed(bytes);
    }
    let mut out = String::with_capacity(bytes.len() + 16);
    append(bytes, Specials::Literal, &mut out);
    Cow::Owned(out.into_bytes())
}

/// Appends a pattern in comparable form: runs of stars become one, and a `$` before the end is literal.
pub(crate) fn append_pattern(raw: &[u8], out: &mut String) {
    match raw.strip_suffix(b"$") {
        Some(before) => {
            append(before, Specials::Star, out);
            out.push('$');
        }
        None => append(raw, Specials::Star, out),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Specials {
    /// `*` is the wildcard.
    Star,
    /// `*` is an ordinary character.
    Literal,
}

fn append(bytes: &[u8], specials: Specials, out: &mut String) {
    let mut rest = bytes;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match byte {
            b'%' => match tail {
                [high, low, after @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                    rest = after;
                    let value = (hex_value(*high) << 4) | hex_value(*low);
                    if is_unreserved(value) {
                        out.push(char::from(value));
                    } else {
                        push_escaped(value, out);
                    }
                }
                _ => push_escaped(b'%', out),
            },
            b'*' if specials == Specials::Star => {
                if !out.ends_with('*') {
                    out.push('*');
                }
            }
            b'*' | b'$' => push_escaped(byte, out),
            _ if is_plain(byte) => out.push(char::from(byte)),
            _ => push_escaped(byte, out),
        }
    }
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// Unreserved or reserved in RFC 3986, without the apostrophe: URL parsers escape it in queries but not in paths, so
/// both of its forms count as one here.
fn is_plain(byte: u8) -> bool {
    is_unreserved(byte) || b":/?#[]@!$&()*+,;=".contains(&byte)
}

fn hex_value(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        b'A'..=b'F' => digit - b'A' + 10,
        _ => 0,
    }
}

fn push_escaped(byte: u8, out: &mut String) {
    const DIGITS: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F',
    ];
    out.push('%');
    out.push(DIGITS[usize::from(byte >> 4)]);
    out.push(DIGITS[usize::from(byte & 15)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(raw: &str) -> String {
        String::from_utf8(comparable_path(raw).into_owned()).unwrap()
    }

    fn pattern(raw: &str) -> String {
        let mut out = String::new();
        append_pattern(raw.as_bytes(), &mut out);
        out
    }

    #[test]
    fn two_spellings_of_one_path_compare_equal() {
        assert_eq!(path("/%62%61%7A"), "/baz");
        assert_eq!(path("/ツ"), path("/%e3%83%84"));
        assert_eq!(path("/a b"), "/a%20b");
        assert_eq!(path("/?q='x'"), "/?q=%27x%27");
        assert_eq!(path("/100%"), "/100%25");
        assert_eq!(path(""), "/");
        assert_eq!(path("/a#b"), "/a");
    }

    #[test]
    fn an_escaped_slash_is_not_a_slash() {
        assert_ne!(path("/a%2fb"), path("/a/b"));
    }

    #[test]
    fn only_a_pattern_has_special_characters() {
        assert_eq!(path("/a*$"), "/a%2A%24");
        assert_eq!(pattern("/a*$"), "/a*$");
        assert_eq!(pattern("/a%2a%24"), "/a%2A%24");
        assert_eq!(pattern("/a$b***c"), "/a%24b*c");
    }
}
