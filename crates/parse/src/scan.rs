//! Splits HTML into tags and text.
//!
//! A hand-written tokenizer with only those states of the HTML standard whose outcome a crawler can see. It borrows
//! everything from the page, looks at each byte a bounded number of times, and leaves decoding character references
//! to its caller. A property test checks it against html5gum, which implements all of the states
//! (docs/decisions/html-scanner.md explains why we do not use that).
//!
//! Deliberately absent: comments, doctypes and processing instructions (skipped), parse errors, and the tree. The
//! caller says when an element's content is raw text, because only it knows whether the tag counts.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use memchr::{memchr, memchr2};

use crate::element::Element;

/// How many attributes of one tag are kept. Real tags have a dozen.
const ATTRIBUTES: usize = 100;

// Made once, because making one costs more than most searches.
static DASHES: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("--"));
static END_TAG: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("</"));
static CDATA_END: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("]]>"));

/// One attribute as written, with references not decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Attribute<'a> {
    pub(crate) name: &'a str,
    pub(crate) value: &'a str,
}

/// The next piece of the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Event<'a> {
    /// Text, with references not decoded.
    Text(&'a str),
    /// Text of a CDATA section, which has no references.
    Verbatim(&'a str),
    /// A start tag; [`Scanner::attribute`] gives its attributes.
    Start {
        name: &'a str,
        element: Element,
        closed: bool,
    },
    /// An end tag.
    End { name: &'a str, element: Element },
}

/// How the content of an element is read if it is not markup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Raw {
    /// Up to the element's end tag.
    Plain,
    /// The same, with the exceptions for scripts that hide an end tag in a comment.
    Script,
    /// To the end of the page.
    Endless,
}

/// Which attributes to keep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Keep {
    /// Those of elements with attributes that matter.
    Telling,
    /// All of them.
    Everything,
}

/// Reads a page from front to back.
pub(crate) struct Scanner<'a> {
    html: &'a str,
    at: usize,
    attributes: Vec<Attribute<'a>>,
    keep: Keep,
    /// Whether `<![CDATA[` begins a section of text, as in XML and in foreign content, or a bogus comment.
    pub(crate) reads_cdata: bool,
    /// The number of bytes looked at, to test that none is looked at often.
    #[cfg(test)]
    looked_at: std::cell::Cell<usize>,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(html: &'a str, keep: Keep) -> Scanner<'a> {
        Scanner {
            html,
            at: 0,
            attributes: Vec::new(),
            keep,
            reads_cdata: false,
            #[cfg(test)]
            looked_at: std::cell::Cell::default(),
        }
    }

    /// The attributes of the latest start tag, in order.
    #[cfg(test)]
    pub(crate) fn attributes(&self) -> &[Attribute<'a>] {
        &self.attributes
    }

    /// The first attribute with this name (lower case).
    pub(crate) fn attribute(&self, name: &str) -> Option<&'a str> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name.eq_ignore_ascii_case(name))
            .map(|attribute| attribute.value)
    }

    #[inline]
    fn byte(&self, at: usize) -> Option<u8> {
        self.html.as_bytes().get(at).copied()
    }

    #[inline]
    fn slice(&self, from: usize, to: usize) -> &'a str {
        self.html.get(from..to).unwrap_or_default()
    }

    fn find(&self, byte: u8, from: usize) -> Option<usize> {
        let rest = self.html.as_bytes().get(from..)?;
        let found = memchr(byte, rest).map(|offset| from + offset);
        self.look(from, found);
        found
    }

    fn find_str(&self, needle: &Finder<'_>, from: usize) -> Option<usize> {
        let rest = self.html.as_bytes().get(from..)?;
        let found = needle.find(rest).map(|offset| from + offset);
        self.look(from, found);
        found
    }

    /// Counts the bytes from one position to another, or to the end of the page.
    #[inline]
    fn look(&self, _from: usize, _to: Option<usize>) {
        #[cfg(test)]
        self.looked_at
            .set(self.looked_at.get() + _to.unwrap_or(self.html.len()) - _from);
    }

    /// The next piece; none at the end of the page.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Event<'a>> {
        loop {
            let start = self.at;
            let markup = self.next_markup(start);
            if markup > start {
                self.at = markup;
                return Some(Event::Text(self.slice(start, markup)));
            }
            let event = match self.byte(start + 1)? {
                b'/' => self.end_tag(start + 2),
                b'!' => self.declaration(start + 2),
                b'?' => {
                    self.skip_past(b'>', start + 2);
                    None
                }
                _ => self.start_tag(start + 1),
            };
            if event.is_some() {
                return event;
            }
            if self.at >= self.html.len() {
                return None;
            }
        }
    }

    /// The position of the next `<` that begins markup; the end of the page if there is none.
    #[inline]
    fn next_markup(&self, from: usize) -> usize {
        let mut search = from;
        while let Some(at) = self.find(b'<', search) {
            match self.byte(at + 1) {
                Some(b'/') if self.byte(at + 2).is_some() => return at,
                Some(b'!' | b'?' | b'a'..=b'z' | b'A'..=b'Z') => return at,
                _ => search = at + 1,
            }
        }
        self.html.len()
    }

    fn skip_past(&mut self, byte: u8, from: usize) {
        self.at = self.find(byte, from).map_or(self.html.len(), |at| at + 1);
    }

    fn start_tag(&mut self, name_start: usize) -> Option<Event<'a>> {
        let name = self.tag_name(name_start);
        let element = Element::of(name.as_bytes());
        self.attributes.clear();
        let keep = self.keep == Keep::Everything || element.has_telling_attributes();
        let closed = self.rest_of_tag(name_start + name.len(), keep);
        self.look(name_start, Some(self.at));
        let closed = closed?;
        Some(Event::Start {
            name,
            element,
            closed,
        })
    }

    fn end_tag(&mut self, name_start: usize) -> Option<Event<'a>> {
        match self.byte(name_start) {
            Some(b) if b.is_ascii_alphabetic() => {
                let name = self.tag_name(name_start);
                let ended = self.rest_of_tag(name_start + name.len(), false);
                self.look(name_start, Some(self.at));
                ended?;
                Some(Event::End {
                    name,
                    element: Element::of(name.as_bytes()),
                })
            }
            _ => {
                self.skip_past(b'>', name_start);
                None
            }
        }
    }

    #[inline]
    fn tag_name(&self, start: usize) -> &'a str {
        let rest = self.html.as_bytes().get(start..).unwrap_or_default();
        let length = rest
            .iter()
            .position(|b| is_space(*b) || matches!(b, b'/' | b'>'))
            .unwrap_or(rest.len());
        self.slice(start, start + length)
    }

    /// Reads attributes up to the end of the tag. Returns whether it ended in `/>`; none if the page ends first.
    #[inline]
    fn rest_of_tag(&mut self, from: usize, keep: bool) -> Option<bool> {
        let bytes = self.html.as_bytes();
        let mut at = from;
        // Ends the scan early if the page ends within the tag: such a tag does not count.
        self.at = bytes.len();
        loop {
            match *bytes.get(at)? {
                b'>' => {
                    self.at = at + 1;
                    return Some(false);
                }
                b'/' => {
                    if *bytes.get(at + 1)? == b'>' {
                        self.at = at + 2;
                        return Some(true);
                    }
                    at += 1;
                    continue;
                }
                b if is_space(b) => {
                    at += 1;
                    continue;
                }
                _ => {}
            }
            let name_start = at;
            // An equals sign at the start of a name is part of it.
            at += 1;
            while !matches!(*bytes.get(at)?, b'/' | b'>' | b'=') && !is_space(*bytes.get(at)?) {
                at += 1;
            }
            let name_end = at;
            while is_space(*bytes.get(at)?) {
                at += 1;
            }
            let (mut value_start, mut value_end) = (at, at);
            if *bytes.get(at)? == b'=' {
                at += 1;
                while is_space(*bytes.get(at)?) {
                    at += 1;
                }
                match *bytes.get(at)? {
                    quote @ (b'"' | b'\'') => {
                        value_start = at + 1;
                        value_end = value_start + memchr(quote, bytes.get(value_start..)?)?;
                        at = value_end + 1;
                    }
                    b'>' => {}
                    _ => {
                        value_start = at;
                        while *bytes.get(at)? != b'>' && !is_space(*bytes.get(at)?) {
                            at += 1;
                        }
                        value_end = at;
                    }
                }
            }
            if keep && (self.attributes.len() < ATTRIBUTES || self.keep == Keep::Everything) {
                let attribute = Attribute {
                    name: self.slice(name_start, name_end),
                    value: self.slice(value_start, value_end),
                };
                self.attributes.push(attribute);
            }
        }
    }

    /// Skips what begins with `<!`, except CDATA where that is read.
    fn declaration(&mut self, from: usize) -> Option<Event<'a>> {
        let rest = self.html.get(from..)?;
        if rest.starts_with("--") {
            self.skip_comment(from + 2);
        } else if self.reads_cdata && rest.starts_with("[CDATA[") {
            let start = from + "[CDATA[".len();
            let end = self.find_str(&CDATA_END, start).unwrap_or(self.html.len());
            self.at = (end + 3).min(self.html.len());
            return Some(Event::Verbatim(self.slice(start, end)));
        } else {
            self.skip_past(b'>', from);
        }
        None
    }

    /// `from` is the first byte after `<!--`.
    fn skip_comment(&mut self, from: usize) {
        let rest = self.html.get(from..).unwrap_or_default();
        if rest.starts_with('>') {
            self.at = from + 1;
            return;
        }
        if rest.starts_with("->") {
            self.at = from + 2;
            return;
        }
        let mut search = from;
        while let Some(at) = self.find_str(&DASHES, search) {
            match (self.byte(at + 2), self.byte(at + 3)) {
                (Some(b'>'), _) => {
                    self.at = at + 3;
                    return;
                }
                (Some(b'!'), Some(b'>')) => {
                    self.at = at + 4;
                    return;
                }
                _ => search = at + 1,
            }
        }
        self.at = self.html.len();
    }

    /// Reads the content of the element whose start tag was read last, and its end tag.
    pub(crate) fn raw_text(&mut self, name: &str, raw: Raw) -> &'a str {
        let start = self.at;
        let end = match raw {
            Raw::Endless => None,
            Raw::Plain => self.raw_end(name, start),
            Raw::Script => self.script_end(start),
        };
        let Some(end) = end else {
            self.at = self.html.len();
            return self.slice(start, self.html.len());
        };
        let _ = self.rest_of_tag(end + 2 + name.len(), false);
        self.look(end, Some(self.at));
        self.slice(start, end)
    }

    /// The position of the `</name` that ends raw text.
    fn raw_end(&self, name: &str, from: usize) -> Option<usize> {
        let mut search = from;
        loop {
            let at = self.find_str(&END_TAG, search)?;
            if self.names(at + 2, name) {
                return Some(at);
            }
            search = at + 2;
        }
    }

    /// Whether this complete tag name is at this position.
    fn names(&self, at: usize, name: &str) -> bool {
        let end = at + name.len();
        let bytes = self.html.as_bytes();
        bytes
            .get(at..end)
            .is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
            && bytes
                .get(end)
                .is_some_and(|b| is_space(*b) || matches!(b, b'/' | b'>'))
    }

    /// The position of the `</script` that ends a script. Inside `<!--`, a nested `<script` hides one end tag.
    fn script_end(&self, from: usize) -> Option<usize> {
        #[derive(PartialEq)]
        enum Script {
            Bare,
            Escaped,
            DoublyEscaped,
        }
        let bytes = self.html.as_bytes();
        let mut state = Script::Bare;
        let mut at = from;
        loop {
            let found = memchr2(b'<', b'-', bytes.get(at..)?).map(|offset| at + offset);
            self.look(at, found);
            at = found?;
            if self.byte(at) == Some(b'-') {
                // Two or more dashes, then a `>`, end the comment.
                let dashes = bytes.get(at..)?.iter().take_while(|b| **b == b'-').count();
                if state != Script::Bare && dashes >= 2 && self.byte(at + dashes) == Some(b'>') {
                    state = Script::Bare;
                }
                at += dashes;
                continue;
            }
            match self.byte(at + 1) {
                Some(b'/') if self.names(at + 2, "script") => {
                    if state != Script::DoublyEscaped {
                        return Some(at);
                    }
                    state = Script::Escaped;
                    at += 2;
                }
                Some(b'!') if state == Script::Bare && bytes.get(at + 2..at + 4) == Some(b"--") => {
                    state = Script::Escaped;
                    // The dashes may also be those that end it: `<!-->`.
                    at += 2;
                }
                _ => {
                    if state == Script::Escaped && self.names(at + 1, "script") {
                        state = Script::DoublyEscaped;
                    }
                    at += 1;
                }
            }
        }
    }
}

#[inline]
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c')
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
