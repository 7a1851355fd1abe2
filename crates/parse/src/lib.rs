//! Turns bytes into a parsed page: text, links, language, counts. [`Sitemap`] reads the other files that list URLs.
//!
//! [`parse`] never fails and never panics: the web is hostile and half of it is broken, so it returns whatever could
//! be read. Work and memory are linear in the input and bounded by [`Limits`]. There is no recursion, and nesting
//! costs nothing because no tree is built.
//!
//! A page is decoded (`decode`), split into tags and text (`scan`), read into words and links (`read`), and its links
//! are resolved (`links`). Documents such as PDF files are turned into markup first (`document`). Decisions that show in the results:
//!
//! * Not visible, and therefore not text: scripts, styles, templates, svg, options of a select, the content of a
//!   textarea, fallback content of media, and anything in `<noscript>`. The `hidden` attribute is ignored: without a
//!   tree it is unknown where the hidden element ends.
//! * A block ends at every block element, table cell and list item, and at two line breaks in a row. A single line
//!   break ends a sentence but not the block, so a term may match across it.
//! * One link per target. The first occurrence counts; if it had no words (an image), the words of a later one are
//!   used. A target may be followed if any of its links may be. Links to the page itself are left out.
//!
//! Deliberately absent: fetching, a clock (deadlines are the caller's; here only bytes, tokens and links are
//! counted), and any ranking of links.

mod decode;
mod directives;
mod document;
mod element;
mod entity;
mod fingerprint;
mod hints;
mod kind;
mod language;
mod links;
mod main_text;
mod path;
mod prescan;
mod read;
mod requisites;
mod resolve;
mod scan;
mod sitemap;

use scenthound_types::{CanonicalUrl, ParsedPage};

pub use crate::directives::refresh_target;
pub use crate::main_text::{MainText, main_text};
pub use crate::requisites::{requisites_of_page, requisites_of_style};
pub use crate::sitemap::{Location, Sitemap, SitemapEntry, SitemapKind, SitemapLimits};

/// What was fetched.
#[derive(Clone, Copy, Debug)]
pub struct PageInput<'a> {
    /// The URL it was read from, after redirects.
    pub url: &'a CanonicalUrl,
    /// The Content-Type header as sent.
    pub content_type: Option<&'a str>,
    /// The body, with its content encoding removed.
    pub body: &'a [u8],
    /// Whether the fetch already cut the body short.
    pub truncated: bool,
}

/// How much of a page is read. Anything beyond a limit is ignored, and the page is marked as truncated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of the body.
    pub body_bytes: usize,
    /// Tokens of visible text. A quarter of this is the limit for the words of titles and alternative texts.
    pub tokens: u32,
    /// Bytes of visible text, as written or after normalising (which may turn one character into eighteen), whichever
    /// is more. Exceeded by at most one block.
    pub text_bytes: usize,
    /// Link occurrences, before those with the same target are merged.
    pub links: usize,
    /// Bytes of one attribute: longer URLs are ignored, longer titles are cut.
    pub attribute_bytes: usize,
    /// Whether the main text is looked for too, which reads the markup a second time.
    pub main_text: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            body_bytes: 8 << 20,
            tokens: 400_000,
            text_bytes: 5 << 19,
            links: 10_000,
            attribute_bytes: 4_096,
            main_text: false,
        }
    }
}

/// Parses a page.
pub fn parse(input: &PageInput<'_>, limits: &Limits) -> ParsedPage {
    let body = input.body.get(..limits.body_bytes).unwrap_or(input.body);
    let kind = kind::Kind::of(input.content_type, body);
    let (decoded, unread) = match kind {
        kind::Kind::Document(kind) => document::decode(body, kind, limits),
        kind => (
            decode::decode(input.content_type, input.url.host(), body, kind),
            None,
        ),
    };
    let reading = match kind {
        kind::Kind::Markup(dialect) => read::read_markup(&decoded.text, dialect, limits),
        kind::Kind::Document(_) => read::read_markup(&decoded.text, kind::Dialect::Html, limits),
        kind::Kind::Plain => read::read_plain(&decoded.text, limits),
        kind::Kind::Unreadable => read::ScannedPage::default(),
    };
    let mut resolver = resolve::Resolver::new(input.url, reading.base.as_deref());
    let links = links::gather(&reading, &mut resolver, input.url);
    let canonical = reading
        .canonical
        .as_deref()
        .and_then(|href| resolver.resolve(href));
    let language = language::detect(
        &reading.text,
        &reading.sample,
        reading.declared_language.as_deref(),
    );
    let fingerprint = fingerprint::simhash(reading.text.tokens());
    let main = match kind {
        kind::Kind::Markup(dialect) if limits.main_text => {
            main_text::main_words(&decoded.text, dialect, input.url, &reading.title, limits)
        }
        // Documents and plain text have no boilerplate.
        _ => None,
    };
    ParsedPage {
        url: input.url.clone(),
        title: reading.title,
        text: reading.text,
        headings: reading.headings,
        asides: reading.asides,
        language,
        links,
        tags: reading.tags,
        hints: reading.hints,
        visible_chars: reading.visible_chars,
        directives: reading.directives,
        canonical,
        fingerprint,
        encoding: decoded.encoding,
        truncated: input.truncated || decoded.is_cut || reading.truncated || body.len() < input.body.len(),
        unread,
        main: main.map(Box::new),
        stemmer: None,
    }
}
