//! Looks for a declared character encoding in the first bytes of a page.
//!
//! The standard's prescan: meta elements are read byte by byte before anything is decoded, with just enough knowledge
//! of comments and tags not to be fooled by them. If there is none, an XML declaration in the very first bytes
//! counts.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// How much of the page is examined. Browsers look at 1,024 bytes and start over if a meta element comes later;
/// looking further right away gives the same encoding.
const LOOK: usize = 16 << 10;

/// The encoding declared by the page.
pub(crate) fn prescan(body: &[u8]) -> Option<&'static Encoding> {
    in_meta(body).or_else(|| in_xml(body))
}

/// The encoding in `<?xml … encoding="…"?>`.
fn in_xml(body: &[u8]) -> Option<&'static Encoding> {
    let declaration = body.strip_prefix(b"<?xml")?;
    let declaration =
        declaration.get(..memchr::memchr(b'>', declaration.get(..LOOK).unwrap_or(declaration))?)?;
    let after = declaration.get(memchr::memmem::find(declaration, b"encoding")? + 8..)?;
    let value = after.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let quote = *value.first().filter(|b| matches!(b, b'"' | b'\''))?;
    let quoted = value.get(1..)?;
    let label = quoted.get(..memchr::memchr(quote, quoted)?)?;
    Encoding::for_label(label).map(readable)
}

/// A page whose ASCII could be read so far is not UTF-16, and x-user-defined is not a text encoding.
fn readable(encoding: &'static Encoding) -> &'static Encoding {
    match encoding.name() {
        "UTF-16LE" | "UTF-16BE" => UTF_8,
        "x-user-defined" => WINDOWS_1252,
        _ => encoding,
    }
}

/// The encoding declared by a meta element.
fn in_meta(body: &[u8]) -> Option<&'static Encoding> {
    let mut scan = Prescan {
        bytes: body.get(..LOOK).unwrap_or(body),
        at: 0,
    };
    while scan.at < scan.bytes.len() {
        let rest = scan.rest();
        if rest.starts_with(b"<!--") {
            // The dashes that open a comment may also close it.
            scan.at += 2;
            scan.skip_past(b"-->")?;
        } else if starts_with_tag(rest, b"<meta") {
            scan.at += 5;
            if let Some(encoding) = scan.meta() {
                return Some(encoding);
            }
        } else if matches!(rest, [b'<', a, ..] if a.is_ascii_alphabetic())
            || matches!(rest, [b'<', b'/', a, ..] if a.is_ascii_alphabetic())
        {
            while scan.byte().is_some_and(|b| !is_space(b) && b != b'>') {
                scan.at += 1;
            }
            while scan.attribute().is_some() {}
        } else if matches!(rest, [b'<', b'!' | b'/' | b'?', ..]) {
            scan.skip_past(b">")?;
        } else {
            scan.at += 1 + memchr::memchr(b'<', rest.get(1..)?)?;
        }
    }
    None
}

struct Prescan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Prescan<'a> {
    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_past(&mut self, needle: &[u8]) -> Option<()> {
        let found = memchr::memmem::find(self.rest(), needle)?;
        self.at += found + needle.len();
        Some(())
    }

    fn skip_spaces(&mut self) {
        while self.byte().is_some_and(is_space) {
            self.at += 1;
        }
    }

    /// The encoding a meta element declares, by `charset` or by `http-equiv` with `content`.
    fn meta(&mut self) -> Option<&'static Encoding> {
        let mut seen: Vec<&[u8]> = Vec::new();
        let mut is_pragma = false;
        // Whether the charset still needs the pragma in order to count; none before a charset was seen.
        let mut needs_pragma = None;
        let mut charset = None;
        while let Some((name, value)) = self.attribute() {
            let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
            if seen.iter().any(|before| before.eq_ignore_ascii_case(name)) {
                continue;
            }
            if is("http-equiv") {
                is_pragma |= value.eq_ignore_ascii_case(b"content-type");
            } else if is("content") && needs_pragma.is_none() {
                if let Some(encoding) = charset_of(value) {
                    charset = Some(encoding);
                    needs_pragma = Some(true);
                }
            } else if is("charset") {
                charset = Encoding::for_label(value);
                needs_pragma = Some(false);
            }
            // More names than this do not matter, and each is compared with all the previous ones.
            if seen.len() < 16 {
                seen.push(name);
            }
        }
        if needs_pragma? && !is_pragma {
            return None;
        }
        charset.map(readable)
    }

    /// The next attribute of a tag; none at the end of the tag.
    fn attribute(&mut self) -> Option<(&'a [u8], &'a [u8])> {
        while self.byte().is_some_and(|b| is_space(b) || b == b'/') {
            self.at += 1;
        }
        if self.byte()? == b'>' {
            return None;
        }
        let start = self.at;
        // An equals sign at the start of a name is part of it.
        self.at += 1;
        while !is_space(self.byte()?) && !matches!(self.byte()?, b'=' | b'/' | b'>') {
            self.at += 1;
        }
        let name = self.bytes.get(start..self.at)?;
        self.skip_spaces();
        if self.byte()? != b'=' {
            return Some((name, b""));
        }
        self.at += 1;
        self.skip_spaces();
        let value = match self.byte()? {
            quote @ (b'"' | b'\'') => {
                self.at += 1;
                let rest = self.rest();
                let value = rest.get(..memchr::memchr(quote, rest)?)?;
                self.at += value.len() + 1;
                value
            }
            b'>' => b"",
            _ => {
                let rest = self.rest();
                let value = rest.get(..rest.iter().position(|b| is_space(*b) || *b == b'>')?)?;
                self.at += value.len();
                value
            }
        };
        Some((name, value))
    }
}

/// The encoding named in a `content` such as `text/html; charset=utf-8`.
fn charset_of(content: &[u8]) -> Option<&'static Encoding> {
    let content = content.to_ascii_lowercase();
    let mut rest = content.as_slice();
    loop {
        let at = memchr::memmem::find(rest, b"charset")?;
        rest = rest.get(at + 7..)?.trim_ascii_start();
        let Some(after) = rest.strip_prefix(b"=") else {
            continue;
        };
        let value = after.trim_ascii_start();
        let label = match *value.first()? {
            quote @ (b'"' | b'\'') => {
                let quoted = value.get(1..)?;
                quoted.get(..memchr::memchr(quote, quoted)?)?
            }
            _ => {
                let end = value.iter().position(|b| is_space(*b) || *b == b';');
                value.get(..end.unwrap_or(value.len()))?
            }
        };
        return Encoding::for_label(label);
    }
}

fn starts_with_tag(rest: &[u8], tag: &[u8]) -> bool {
    rest.get(..tag.len())
        .is_some_and(|found| found.eq_ignore_ascii_case(tag))
        && rest.get(tag.len()).is_some_and(|b| is_space(*b) || *b == b'/')
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c')
}
