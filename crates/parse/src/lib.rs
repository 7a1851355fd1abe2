//! From bytes to a parsed page: text, links, language, counts. [`Sitemap`] reads the other files that list URLs.
//!
//! [`parse`] never fails and never panics: the web is hostile and half of it is broken, so it returns what could be
//! read. Work and memory are linear in the bytes given and bounded by [`Limits`]; there is no recursion, and nesting
//! costs nothing because no tree is built.
//!
//! On its way a page is decoded (`decode`), cut into tags and text (`scan`), read into words and links
//! (`read`), and its links resolved (`links`). Decisions that a reader of results will notice:
//!
//! * Not visible, so not text: scripts, styles, templates, svg, options of a select, what is typed into a textarea,
//!   fallback content of media, and anything in `<noscript>`. The `hidden` attribute is not looked at: without a tree
//!   nobody knows where the hidden element ends.
//! * A block ends at every block element, table cell and list item, and at two line breaks in a row. One line break
//!   ends a sentence but not the block, so a term may run across it.
//! * One link per target. The first place counts; if it had no words (a picture), a later place with words lends its
//!   own. A target that any place lets robots follow may be followed. Links to the page itself are left out.
//!
//! Deliberately absent: fetching, a clock (a deadline is the caller's; here only bytes, tokens and links are counted),
//! and opinions about which links are good.

mod decode;
mod directives;
mod element;
mod entity;
mod fingerprint;
mod hints;
mod kind;
mod language;
mod links;
mod prescan;
mod read;
mod resolve;
mod scan;
mod sitemap;

use scenthound_types::{CanonicalUrl, ParsedPage};

pub use crate::sitemap::{Location, Sitemap, SitemapEntry, SitemapKind, SitemapLimits};

/// What was fetched.
#[derive(Clone, Copy, Debug)]
pub struct PageInput<'a> {
    /// The address it was read from, after redirects.
    pub url: &'a CanonicalUrl,
    /// The Content-Type header as sent.
    pub content_type: Option<&'a str>,
    /// The body, its content-encoding undone.
    pub body: &'a [u8],
    /// Whether the fetch already cut the body short.
    pub truncated: bool,
}

/// How much of a page is read. What lies beyond a limit is ignored and the page marked truncated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of the body.
    pub body_bytes: usize,
    /// Tokens of visible text (overshot by at most one block).
    pub tokens: u32,
    /// Places that link somewhere, before those to one target are merged.
    pub links: usize,
    /// Bytes of one attribute: longer addresses are no links, longer titles are cut.
    pub attribute_bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            body_bytes: 8 << 20,
            tokens: 400_000,
            links: 10_000,
            attribute_bytes: 4_096,
        }
    }
}

/// Reads a page.
pub fn parse(input: &PageInput<'_>, limits: &Limits) -> ParsedPage {
    let body = input.body.get(..limits.body_bytes).unwrap_or(input.body);
    let kind = kind::Kind::of(input.content_type, body);
    let decoded = decode::decode(input.content_type, input.url.host(), body, kind);
    let reading = match kind {
        kind::Kind::Markup(dialect) => read::read_markup(&decoded.text, dialect, limits),
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
    ParsedPage {
        url: input.url.clone(),
        title: reading.title,
        text: reading.text,
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
        truncated: input.truncated || reading.truncated || body.len() < input.body.len(),
    }
}
