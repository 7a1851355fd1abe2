//! Reads tags and text into words, link occurrences and counts.
//!
//! The text of a block is collected raw and tokenised as a whole at the block's end, because inline tags may split
//! words. The start and end of each link are marked in it. A page is read once, from front to back. Only if its title
//! comes after visible text is it read a second time, so that the title's words always come first.
//!
//! Deliberately absent: a tree. A few flags say what is hidden; broken markup can fool them but not make them
//! explode.

use std::borrow::Cow;

use scenthound_types::text::{Edge, Mark};
use scenthound_types::{Hint, LinkSource, PageDirectives, PageHints, TagCounts, Text, TokenRange};

use crate::Limits;
use crate::directives;
use crate::element::Element;
use crate::entity::{ReferenceIn as EntityPlace, decode_into, decode_value};
use crate::hints;
use crate::kind::Dialect;
use crate::language::SAMPLE_BYTES;
use crate::path::OpenElements;
use crate::scan::{Event, Keep, Raw, Scanner};

/// A block longer than this is processed in parts.
const BLOCK_BYTES: usize = 64 << 10;

/// Text is added to a block in pieces of at most this size, so that a block never grows far beyond its limit.
const PIECE_BYTES: usize = 16 << 10;

/// A title as written may be this many times as long as what is kept of it: references and white space are long.
const TITLE_SLACK: usize = 16;

/// The most space reserved for text in advance. Most pages fit, and pages that are all script cost little.
const ROOM_BYTES: usize = 256 << 10;

/// Frames from these hosts play videos.
const PLAYERS: [&str; 6] = [
    "youtube.com/embed",
    "youtube-nocookie.com/embed",
    "player.vimeo.com",
    "dailymotion.com/embed",
    "player.bilibili.com",
    "rutube.ru/play",
];

/// A place on the page that links somewhere.
#[derive(Debug)]
pub(crate) struct LinkPlace<'a> {
    pub(crate) href: Cow<'a, str>,
    pub(crate) source: LinkSource,
    /// In [`ScannedPage::text`].
    pub(crate) anchor: TokenRange,
    /// In [`ScannedPage::asides`].
    pub(crate) title: TokenRange,
    pub(crate) nofollow: bool,
    /// See [`scenthound_types::Link::path`].
    pub(crate) path: u32,
}

/// What was found on a page.
#[derive(Debug, Default)]
pub(crate) struct ScannedPage<'a> {
    pub(crate) title: String,
    pub(crate) text: Text,
    pub(crate) headings: Vec<TokenRange>,
    pub(crate) asides: Text,
    pub(crate) places: Vec<LinkPlace<'a>>,
    pub(crate) base: Option<Cow<'a, str>>,
    pub(crate) canonical: Option<Cow<'a, str>>,
    pub(crate) directives: PageDirectives,
    pub(crate) declared_language: Option<Cow<'a, str>>,
    pub(crate) tags: TagCounts,
    pub(crate) hints: PageHints,
    pub(crate) visible_chars: u32,
    /// The first visible text as written, for language detection.
    pub(crate) sample: String,
    pub(crate) truncated: bool,
}

/// Reads HTML or XHTML.
pub(crate) fn read_markup<'a>(html: &'a str, dialect: Dialect, limits: &Limits) -> ScannedPage<'a> {
    let mut reader = Reader::new(html, dialect, limits, None);
    reader.read();
    let mut page = match reader.late_title.take() {
        None => reader.page,
        Some(title) => {
            // A page takes memory only once.
            drop(reader);
            let mut again = Reader::new(html, dialect, limits, Some(title));
            again.read();
            again.page
        }
    };
    hints::note_item_types(html, &mut page.hints);
    page
}

/// Reads text without markup. Blank lines end blocks.
pub(crate) fn read_plain<'a>(text: &'a str, limits: &Limits) -> ScannedPage<'a> {
    let mut reader = Reader::new("", Dialect::Html, limits, None);
    for line in text.split_inclusive(['\n', '\r']) {
        // A form feed begins a new page.
        if line.trim().is_empty() && reader.block.ends_with(['\n', '\r']) || line.starts_with('\x0c') {
            reader.end_block();
        }
        reader.text(line, None);
    }
    reader.end_block();
    reader.page
}

/// Where in foreign content (svg, math) the reader is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Foreign {
    No,
    Svg,
    Math,
    /// HTML inside svg.
    HtmlInSvg,
}

struct Reader<'a> {
    scanner: Scanner<'a>,
    dialect: Dialect,
    limits: Limits,
    page: ScannedPage<'a>,
    /// The current block as written, with references decoded.
    block: String,
    marks: Vec<Mark>,
    /// The link occurrence each mark belongs to, by index.
    marked: Vec<usize>,
    positions: Vec<u32>,
    /// The link that has not ended yet, by index.
    open: Option<usize>,
    has_title: bool,
    late_title: Option<String>,
    text_full: bool,
    /// The bytes of all blocks so far.
    bytes_read: usize,
    in_noscript: bool,
    templates: u32,
    foreign: Foreign,
    in_select: bool,
    /// The media element whose fallback content is being skipped.
    in_media: Option<Element>,
    /// The elements around the current place.
    inside: OpenElements,
    /// Where the open heading began.
    heading: Option<u32>,
}

impl<'a> Reader<'a> {
    fn new(html: &'a str, dialect: Dialect, limits: &Limits, title: Option<String>) -> Reader<'a> {
        let mut reader = Reader {
            scanner: Scanner::new(html, Keep::Telling),
            dialect,
            limits: *limits,
            page: ScannedPage::default(),
            block: String::new(),
            marks: Vec::new(),
            marked: Vec::new(),
            positions: Vec::new(),
            open: None,
            has_title: false,
            late_title: None,
            text_full: false,
            bytes_read: 0,
            in_noscript: false,
            templates: 0,
            foreign: Foreign::No,
            in_select: false,
            in_media: None,
            inside: OpenElements::default(),
            heading: None,
        };
        reader.page.text = Text::with_capacity((html.len() * 3 / 4).min(ROOM_BYTES));
        reader.scanner.reads_cdata = dialect == Dialect::Xhtml;
        if let Some(title) = title {
            reader.begin_with_title(title);
        }
        reader
    }

    fn read(&mut self) {
        while let Some(event) = self.scanner.next() {
            match event {
                Event::Text(raw) => self.text(raw, Some(EntityPlace::Text)),
                Event::Verbatim(raw) => self.text(raw, None),
                Event::Start { element, closed, .. } => self.start(element, closed),
                Event::End { element, .. } => self.end(element),
            }
        }
        self.close_link();
        self.end_block();
    }

    fn is_hidden(&self) -> bool {
        self.in_noscript
            || self.templates > 0
            || self.foreign == Foreign::Svg
            || self.in_select
            || self.in_media.is_some()
            || self.text_full
    }

    fn text(&mut self, raw: &str, references: Option<EntityPlace>) {
        let mut rest = raw;
        while !rest.is_empty() && !self.is_hidden() {
            let (piece, after) = rest.split_at(piece_end(rest));
            match references {
                Some(place) => decode_into(piece, place, &mut self.block),
                None => self.block.push_str(piece),
            }
            self.hand_over_long_block();
            rest = after;
        }
    }

    fn hand_over_long_block(&mut self) {
        if self.block.len() > BLOCK_BYTES {
            self.hand_over();
        }
    }

    fn start(&mut self, element: Element, closed: bool) {
        use Element::*;
        if self.templates == 0 && !self.in_noscript {
            self.count(element);
        }
        if self.foreign != Foreign::No && self.start_in_foreign(element) {
            return;
        }
        if element.is_block() {
            self.end_visible_block();
            if !self.is_closed(closed) {
                self.inside.open(element);
            }
            // A heading that was never closed ends where the next one begins.
            self.end_heading();
            if element.is_heading() && !self.is_hidden() {
                self.heading = Some(self.page.text.len());
            }
        } else if element.is_object() && !self.is_hidden() {
            self.block.push(' ');
        }
        match element {
            A => self.open_link(),
            Area => self.area(),
            Br => self.line_break(),
            Img => self.image(),
            Base | Html | Link | Meta => self.head(element),
            Frame | Iframe => {
                self.frame();
                if element == Iframe {
                    self.skip_raw(element, Raw::Plain, closed);
                }
            }
            Title => self.title(closed),
            Script => self.script(closed),
            Body => self.body(),
            Style | Textarea | Noembed => self.skip_raw(element, Raw::Plain, closed),
            Xmp => self.show_raw(element, Raw::Plain, closed),
            Plaintext => self.show_raw(element, Raw::Endless, closed),
            Noscript | Noframes => self.in_noscript |= !self.is_closed(closed),
            // A declared shadow root is shown like any other content.
            Template if self.scanner.attribute("shadowrootmode").is_none() && !self.is_closed(closed) => {
                self.templates += 1;
            }
            Svg | Math => self.enter_foreign(element, closed),
            Select => self.in_select = !self.is_closed(closed),
            Audio | Video | Canvas if !self.is_closed(closed) => self.in_media = Some(element),
            _ => {}
        }
        // An unclosed select ends where browsers end it.
        if self.in_select && matches!(element, Input | Textarea | Table | Tr | Td | Form) {
            self.in_select = false;
        }
    }

    fn end(&mut self, element: Element) {
        use Element::*;
        if element.is_block() {
            self.end_visible_block();
            self.inside.close(element);
            self.end_heading();
        }
        match element {
            A => self.close_link(),
            Noscript | Noframes => self.in_noscript = false,
            Template => self.templates = self.templates.saturating_sub(1),
            Svg | Math => self.leave_foreign(),
            ForeignObject | Desc if self.foreign == Foreign::HtmlInSvg => self.set_foreign(Foreign::Svg),
            Select | Form | Body => self.in_select = false,
            _ => {}
        }
        if self.in_media == Some(element) {
            self.in_media = None;
        }
        // Browsers treat this end tag as a line break, and `</p>` as an empty paragraph.
        if element == Br {
            self.line_break();
        }
    }

    /// Whether `/>` closes an element: only in XML.
    fn is_closed(&self, closed: bool) -> bool {
        closed && self.dialect == Dialect::Xhtml
    }

    fn skip_raw(&mut self, element: Element, raw: Raw, closed: bool) {
        if !self.is_closed(closed) {
            self.scanner.raw_text(element.name(), raw);
        }
    }

    /// Scripts are only used for the types in their JSON-LD.
    fn script(&mut self, closed: bool) {
        if self.is_closed(closed) {
            return;
        }
        let is_typed = self
            .scanner
            .attribute("type")
            .is_some_and(|kind| kind.trim_ascii().eq_ignore_ascii_case("application/ld+json"));
        let content = self.scanner.raw_text(Element::Script.name(), Raw::Script);
        if is_typed {
            hints::note_json_types(content, &mut self.page.hints);
        }
    }

    fn body(&mut self) {
        if let Some(classes) = self.scanner.attribute("class") {
            hints::note_body_classes(classes, &mut self.page.hints);
        }
    }

    fn show_raw(&mut self, element: Element, raw: Raw, closed: bool) {
        if !self.is_closed(closed) {
            let content = self.scanner.raw_text(element.name(), raw);
            self.text(content, None);
            self.end_visible_block();
        }
    }

    // Foreign content.

    fn set_foreign(&mut self, foreign: Foreign) {
        self.foreign = foreign;
        self.scanner.reads_cdata =
            self.dialect == Dialect::Xhtml || matches!(foreign, Foreign::Svg | Foreign::Math);
    }

    fn enter_foreign(&mut self, element: Element, closed: bool) {
        // Here `/>` closes the element in every dialect.
        if !closed && self.foreign != Foreign::HtmlInSvg {
            self.set_foreign(match element {
                Element::Svg => Foreign::Svg,
                _ => Foreign::Math,
            });
        }
    }

    fn leave_foreign(&mut self) {
        self.set_foreign(Foreign::No);
    }

    /// Handles a start tag with a different meaning inside svg or math. Returns false if it has its usual meaning.
    fn start_in_foreign(&mut self, element: Element) -> bool {
        if self.foreign == Foreign::HtmlInSvg {
            return false;
        }
        if element.ends_foreign_content() {
            self.leave_foreign();
            return false;
        }
        match element {
            Element::A => return false,
            Element::ForeignObject | Element::Desc if self.foreign == Foreign::Svg => {
                self.set_foreign(Foreign::HtmlInSvg);
            }
            _ => {}
        }
        true
    }

    // Text and blocks.

    fn end_visible_block(&mut self) {
        if !self.is_hidden() {
            self.end_block();
        }
    }

    fn line_break(&mut self) {
        if self.is_hidden() {
            return;
        }
        let before = self
            .block
            .trim_end_matches(|c: char| c.is_ascii_whitespace() || c == '\u{a0}');
        if before.ends_with('\x0b') {
            self.end_block();
        } else {
            self.block.push('\x0b');
        }
    }

    /// Any block ends a heading: a heading is a line, not a section.
    fn end_heading(&mut self) {
        if let Some(start) = self.heading.take() {
            let end = self.page.text.len();
            if end > start && self.page.headings.len() < self.limits.links {
                self.page.headings.push(start..end);
            }
        }
    }

    fn end_block(&mut self) {
        self.hand_over();
        self.page.text.push_break();
    }

    /// Passes what was collected of the block on to the text.
    fn hand_over(&mut self) {
        if self.marks.is_empty() && self.block.bytes().all(is_space) {
            self.block.clear();
            return;
        }
        self.positions.clear();
        self.page
            .text
            .push_marked(&self.block, &self.marks, &mut self.positions);
        let mut before: Option<(usize, Mark)> = None;
        for ((place_index, mark), position) in self.marked.iter().zip(&self.marks).zip(&self.positions) {
            if let Some(place) = self.page.places.get_mut(*place_index) {
                match mark.edge {
                    Edge::Start => place.anchor = *position..*position,
                    // An empty link inside a word has no words, although the word is on both sides of it.
                    Edge::End if before.is_some_and(|(i, m)| i == *place_index && m.at == mark.at) => {}
                    Edge::End => place.anchor.end = (*position).max(place.anchor.start),
                }
            }
            before = Some((*place_index, *mark));
        }
        self.marks.clear();
        self.marked.clear();
        let visible = self
            .block
            .trim_matches(|c: char| c.is_ascii() && is_space(c as u8));
        self.page.visible_chars = self.page.visible_chars.saturating_add(folded_length(visible));
        self.page.hints.prices = self.page.hints.prices.saturating_add(hints::prices(visible));
        sample(&mut self.page.sample, visible);
        self.bytes_read += self.block.len();
        self.block.clear();
        let bytes = self.bytes_read.max(self.page.text.bytes());
        if self.page.text.len() >= self.limits.tokens || bytes >= self.limits.text_bytes {
            self.text_full = true;
            self.page.truncated = true;
            self.page.text.truncate(self.limits.tokens);
            let end = self.page.text.len();
            for place in &mut self.page.places {
                place.anchor = place.anchor.start.min(end)..place.anchor.end.min(end);
            }
        }
    }

    fn title(&mut self, closed: bool) {
        if self.is_closed(closed) {
            return;
        }
        let raw = self.scanner.raw_text(Element::Title.name(), Raw::Plain);
        if self.has_title || self.templates > 0 || self.in_noscript {
            return;
        }
        let mut decoded = String::new();
        let read = shortened(raw, TITLE_SLACK * self.limits.attribute_bytes);
        decode_into(read, EntityPlace::Text, &mut decoded);
        let mut title = String::with_capacity(decoded.len());
        for word in decoded.split_whitespace() {
            if !title.is_empty() {
                title.push(' ');
            }
            title.push_str(word);
        }
        if title.is_empty() {
            return;
        }
        cut(&mut title, self.limits.attribute_bytes);
        if self.page.text.is_empty() && self.block.bytes().all(is_space) && self.page.places.is_empty() {
            self.begin_with_title(title);
        } else {
            self.has_title = true;
            self.late_title = Some(title);
        }
    }

    fn begin_with_title(&mut self, title: String) {
        self.page.text.push(&title);
        self.page.text.push_break();
        sample(&mut self.page.sample, &title);
        self.page.title = title;
        self.has_title = true;
    }

    // Links.

    fn value(&self, name: &str) -> Option<Cow<'a, str>> {
        let raw = self.scanner.attribute(name)?;
        // What is longer than this is ignored or cut anyway.
        Some(decode_value(shortened(
            raw,
            TITLE_SLACK * self.limits.attribute_bytes,
        )))
    }

    /// Records a place that links somewhere; none if it leads nowhere or the page has too many.
    fn add_place(&mut self, href: Cow<'a, str>, source: LinkSource) -> Option<usize> {
        // A fragment of this page is not a link to another page.
        if self.templates > 0 || href.len() > self.limits.attribute_bytes || href.starts_with('#') {
            return None;
        }
        if self.page.places.len() >= self.limits.links {
            self.page.truncated = true;
            return None;
        }
        let source = if self.in_noscript {
            LinkSource::Noscript
        } else {
            source
        };
        let nofollow = self.scanner.attribute("rel").is_some_and(|rel| {
            rel.split_ascii_whitespace().any(|word| {
                ["nofollow", "ugc", "sponsored"]
                    .iter()
                    .any(|known| word.eq_ignore_ascii_case(known))
            })
        });
        let here = self.page.text.len();
        let aside = self.page.asides.len();
        self.page.places.push(LinkPlace {
            href,
            source,
            anchor: here..here,
            title: aside..aside,
            nofollow,
            path: self.inside.path(),
        });
        Some(self.page.places.len() - 1)
    }

    fn mark(&mut self, place: usize, edge: Edge) {
        self.marks.push(Mark {
            at: self.block.len() as u32,
            edge,
        });
        self.marked.push(place);
    }

    fn open_link(&mut self) {
        // Links do not nest: a new one ends the old one.
        self.close_link();
        let href = match self.value("href") {
            None if self.foreign == Foreign::Svg => self.value("xlink:href"),
            href => href,
        };
        let Some(href) = href else { return };
        self.open = self.add_place(href, LinkSource::Anchor);
        if let Some(place) = self.open {
            self.mark(place, Edge::Start);
            self.add_aside("title");
        }
    }

    fn close_link(&mut self) {
        if let Some(place) = self.open.take() {
            self.mark(place, Edge::End);
            self.end_asides(place);
        }
    }

    /// A link without any words of its own.
    fn add_point(&mut self, href: Cow<'a, str>, source: LinkSource, asides: &[&str]) {
        // Each link's words outside the text must be contiguous.
        let reopened = self.open.take();
        if let Some(place) = reopened {
            self.end_asides(place);
        }
        if let Some(place) = self.add_place(href, source) {
            self.mark(place, Edge::Start);
            self.mark(place, Edge::End);
            for aside in asides {
                self.add_aside(aside);
            }
            self.end_asides(place);
        }
        self.open = reopened;
    }

    fn add_aside(&mut self, attribute: &str) {
        let is_full = self.page.asides.len() >= self.limits.tokens / 4;
        if let Some(value) = self.value(attribute)
            && !value.is_empty()
            && !is_full
        {
            let mut value = value.into_owned();
            cut(&mut value, self.limits.attribute_bytes);
            self.page.asides.push(&value);
        }
    }

    fn end_asides(&mut self, place: usize) {
        if let Some(place) = self.page.places.get_mut(place) {
            let end = self.page.asides.len();
            // A link interrupted by another keeps the words it had.
            if place.title.is_empty() || place.title.end == end {
                place.title.end = end;
            }
            self.page.asides.push_break();
        }
    }

    fn area(&mut self) {
        if let Some(href) = self.value("href") {
            self.add_point(href, LinkSource::Area, &["alt", "title"]);
        }
    }

    fn frame(&mut self) {
        if let Some(src) = self.value("src") {
            if PLAYERS.iter().any(|player| src.contains(player)) {
                self.page.tags.media += 1;
            }
            self.add_point(src, LinkSource::Frame, &["title"]);
        }
    }

    fn image(&mut self) {
        if self.open.is_some() {
            self.add_aside("alt");
        }
    }

    // The head.

    fn head(&mut self, element: Element) {
        if self.templates > 0 {
            return;
        }
        match element {
            Element::Base => {
                if self.page.base.is_none() {
                    self.page.base = self.value("href");
                }
            }
            Element::Html => {
                if self.page.declared_language.is_none() {
                    self.page.declared_language = self.value("lang").or_else(|| self.value("xml:lang"));
                }
            }
            Element::Meta => self.meta(),
            _ => self.head_link(),
        }
    }

    fn meta(&mut self) {
        let Some(content) = self.value("content") else {
            return;
        };
        if let Some(name) = self
            .scanner
            .attribute("property")
            .or_else(|| self.scanner.attribute("name"))
        {
            hints::note_meta(name.trim_ascii(), &content, &mut self.page.hints);
        }
        let is_refresh = self
            .value("http-equiv")
            .is_some_and(|pragma| pragma.eq_ignore_ascii_case("refresh"));
        if is_refresh && let Some(target) = directives::refresh_target(&content) {
            self.add_point(Cow::Owned(target.to_owned()), LinkSource::Refresh, &[]);
        } else if self
            .value("name")
            .is_some_and(|name| directives::addresses_us(&name))
        {
            self.page.directives.add_words(&content);
        }
    }

    fn head_link(&mut self) {
        let (Some(rel), Some(href)) = (self.value("rel"), self.value("href")) else {
            return;
        };
        let has = |name: &str| {
            rel.split_ascii_whitespace()
                .any(|word| word.eq_ignore_ascii_case(name))
        };
        if has("canonical") && self.page.canonical.is_none() {
            self.page.canonical = Some(href.clone());
        }
        if has("next") || has("prev") || has("previous") {
            self.page.hints.note(Hint::Paged);
        }
        if has("amphtml") {
            self.page.hints.note(Hint::Accelerated);
        }
        let mut is_feed = false;
        let is_html = self.value("type").is_none_or(|kind| {
            let kind = kind.split(';').next().unwrap_or_default().trim();
            is_feed = has("alternate")
                && (kind.eq_ignore_ascii_case("application/rss+xml")
                    || kind.eq_ignore_ascii_case("application/atom+xml"));
            kind.is_empty()
                || kind.eq_ignore_ascii_case("text/html")
                || kind.eq_ignore_ascii_case("application/xhtml+xml")
        });
        self.page.hints.feeds = self.page.hints.feeds.saturating_add(u32::from(is_feed));
        if is_html
            && !has("stylesheet")
            && (has("next") || has("prev") || has("previous") || has("alternate"))
        {
            self.add_point(href, LinkSource::Head, &["title"]);
        }
    }

    fn count(&mut self, element: Element) {
        use Element::*;
        let tags = &mut self.page.tags;
        tags.elements = tags.elements.saturating_add(1);
        let counter = match element {
            Img => &mut tags.images,
            Video | Embed | Object => &mut tags.media,
            Audio => {
                tags.audios = tags.audios.saturating_add(1);
                &mut tags.media
            }
            Script => &mut tags.scripts,
            Form => &mut tags.forms,
            Input => {
                if self
                    .scanner
                    .attribute("type")
                    .is_some_and(|kind| kind.eq_ignore_ascii_case("hidden"))
                {
                    return;
                }
                &mut tags.inputs
            }
            Select | Textarea => &mut tags.inputs,
            Table => &mut tags.tables,
            Li => &mut tags.list_items,
            H1 | H2 | H3 | H4 | H5 | H6 => &mut tags.headings,
            P => &mut tags.paragraphs,
            Pre | Listing | Xmp => &mut tags.code_blocks,
            Article => &mut tags.articles,
            Time => &mut tags.times,
            Button => &mut tags.buttons,
            Code => &mut tags.codes,
            Dt => &mut tags.definitions,
            Figure => &mut tags.figures,
            Nav => &mut tags.navs,
            Option => &mut tags.options,
            Blockquote => &mut tags.quotes,
            Tr => &mut tags.rows,
            _ => return,
        };
        *counter = counter.saturating_add(1);
    }
}

fn is_space(byte: u8) -> bool {
    // Tab to carriage return, including the vertical tab that marks a line break.
    byte == b' ' || byte.wrapping_sub(b'\t') < 5
}

/// The number of characters, with each run of white space counted as one.
fn folded_length(text: &str) -> u32 {
    let bytes = text.as_bytes();
    // Two branch-free passes, short enough to count in bytes: both process many bytes at a time.
    let characters: u32 = bytes
        .chunks(255)
        .map(|chunk| u32::from(chunk.iter().map(|b| u8::from(b & 0xc0 != 0x80)).sum::<u8>()))
        .sum();
    let followed = bytes.get(1..).unwrap_or_default();
    let doubled: u32 = bytes
        .chunks(255)
        .zip(followed.chunks(255))
        .map(|(chunk, next)| {
            let doubled = chunk
                .iter()
                .zip(next)
                .map(|(a, b)| u8::from(is_space(*a) & is_space(*b)));
            u32::from(doubled.sum::<u8>())
        })
        .sum();
    characters - doubled
}

/// Adds visible text to the sample until it is full.
fn sample(sample: &mut String, visible: &str) {
    let room = SAMPLE_BYTES.saturating_sub(sample.len());
    if room == 0 || visible.is_empty() {
        return;
    }
    let end = (0..=room.min(visible.len()))
        .rev()
        .find(|at| visible.is_char_boundary(*at));
    sample.push_str(visible.get(..end.unwrap_or(0)).unwrap_or_default());
    sample.push('\n');
}

/// Shortens a string to at most this many bytes.
fn cut(value: &mut String, bytes: usize) {
    value.truncate(shortened(value, bytes).len());
}

/// At most this many bytes from the start of a string.
fn shortened(value: &str, bytes: usize) -> &str {
    value.get(..value.floor_char_boundary(bytes)).unwrap_or_default()
}

/// Where a piece of long text ends: after a space if there is one in reach, and never within a reference.
fn piece_end(text: &str) -> usize {
    if text.len() <= PIECE_BYTES {
        return text.len();
    }
    let most = text.floor_char_boundary(PIECE_BYTES);
    let tail = text.get(..most).unwrap_or_default();
    let reach = tail.ceil_char_boundary(most / 2);
    let tail = tail.get(reach..).unwrap_or_default();
    let spaced = tail.rfind(|c: char| c.is_ascii_whitespace());
    let end = spaced.or_else(|| {
        let reference = tail.rfind('&')?;
        Some(reference).filter(|at| tail.len() - at <= LONGEST_REFERENCE)
    });
    end.map_or(most, |at| reach + at)
}

/// No reference is longer than this, semicolon included, unless it is padded with zeros.
const LONGEST_REFERENCE: usize = 40;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn folded_length_is_the_length_of_the_folded_text(text in "[a \\n\\té漢]{0,600}") {
            let mut folded: Vec<char> = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
            folded.dedup_by(|a, b| *a == ' ' && *b == ' ');
            prop_assert_eq!(folded_length(&text) as usize, folded.len());
        }
    }
}
