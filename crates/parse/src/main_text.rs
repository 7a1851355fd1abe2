//! The main text of a page: what it is about, without menus, footers and other boilerplate.
//!
//! The page is read once into blocks (paragraphs, headings, list items, table rows…). Each block knows how much of it is
//! link text and what surrounds it: navigation, an article, an element whose class says `sidebar`. The blocks that belong
//! to the text are then chosen by these facts and by their neighbours. Where that leaves next to nothing, as on pages
//! that are lists of links, the rules are relaxed step by step.
//!
//! Everything is linear in the input and bounded: a stack of limited depth stands in for the tree, so deep nesting costs
//! nothing. Deliberately absent: a model, and rules for single sites.

use std::borrow::Cow;

use scenthound_types::{CanonicalUrl, MainWords};

use crate::decode;
use crate::document;
use crate::element::Element;
use crate::entity::{ReferenceIn, decode_into, decode_value};
use crate::kind::{Dialect, Kind};
use crate::scan::{Event, Keep, Raw, Scanner};
use crate::{Limits, PageInput};

/// Bytes of a body that are read.
const MAX_BODY: usize = 8 << 20;
/// Bytes of text that are kept.
const MAX_TEXT: usize = 1 << 20;
const MAX_BLOCKS: usize = 20_000;
/// Elements deeper than this do not change what surrounds a block.
const MAX_DEPTH: usize = 400;
/// Bytes of a title, a name and the like.
const MAX_FACT: usize = 300;

/// From this weight on, a block of prose counts as good by itself.
const GOOD_WEIGHT: u32 = 80;
/// A block with a larger share of link text is not prose.
const GOOD_LINKS: f32 = 0.35;
/// A block with a larger share of link text is navigation.
const BAD_LINKS: f32 = 0.5;
/// A text of less weight than this is not trusted, and the rules are relaxed.
const LEAST_TEXT: u32 = 200;
/// How far from a good block a short one may be.
const REACH: usize = 2;

/// Words in a class or an id that mark boilerplate.
const BOILERPLATE: [&str; 44] = [
    "ad",
    "ads",
    "advert",
    "advertisement",
    "banner",
    "breadcrumb",
    "breadcrumbs",
    "consent",
    "cookie",
    "cookies",
    "copyright",
    "footer",
    "login",
    "masthead",
    "menu",
    "modal",
    "nav",
    "navbar",
    "navigation",
    "newsletter",
    "offcanvas",
    "pager",
    "pagination",
    "popup",
    "print",
    "promo",
    "recommended",
    "related",
    "share",
    "sharing",
    "sidebar",
    "signup",
    "skip",
    "skiplink",
    "social",
    "sponsor",
    "sponsored",
    "subscribe",
    "toolbar",
    "topbar",
    "tracking",
    "widget",
    "widgets",
    "noprint",
];

/// Classes of elements that hold an article's text.
const ARTICLE: [&str; 12] = [
    "article-body",
    "article-content",
    "article__body",
    "article__content",
    "articlebody",
    "entry-content",
    "mw-parser-output",
    "post-body",
    "post-content",
    "post__content",
    "postbody",
    "story-body",
];

/// The main text of a page and what the page says about itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MainText {
    /// The title, without the name of the site where that can be told apart.
    pub title: Option<String>,
    /// Who wrote it, as the page says.
    pub author: Option<String>,
    /// When it was published, as `YYYY-MM-DD`.
    pub published: Option<String>,
    /// The URL of the licence that the page names.
    pub license: Option<String>,
    /// The text, one block per paragraph.
    pub text: String,
    /// The same text as Markdown, with headings, lists, tables and links.
    pub markdown: String,
}

/// Extracts the main text of a page. Plain text is returned as it is; other content has none.
pub fn main_text(input: &PageInput<'_>) -> MainText {
    let body = input.body.get(..MAX_BODY).unwrap_or(input.body);
    let kind = Kind::of(input.content_type, body);
    match kind {
        Kind::Unreadable => MainText::default(),
        Kind::Plain => {
            let mut text = decode::decode(input.content_type, input.url.host(), body, kind)
                .text
                .into_owned();
            cut(&mut text, MAX_TEXT);
            MainText {
                markdown: text.clone(),
                text,
                ..MainText::default()
            }
        }
        Kind::Markup(dialect) => {
            let decoded = decode::decode(input.content_type, input.url.host(), body, kind);
            let mut reader = Reader::new(&decoded.text, dialect, input.url);
            reader.read();
            let chosen = choose(&reader.blocks);
            reader.finish(&chosen)
        }
        Kind::Document(kind) => {
            let (decoded, _) = document::decode(body, kind, &Limits::default());
            let mut reader = Reader::new(&decoded.text, Dialect::Html, input.url);
            reader.read();
            // A document has no boilerplate around it, and its own title is better than its first heading.
            let title = reader.facts.page_title.clone();
            let all = vec![true; reader.blocks.len()];
            let text = reader.finish(&all);
            MainText { title, ..text }
        }
    }
}

/// The words of the main text of decoded markup, with this title; none if there is no main text.
///
/// The chosen blocks are written as a small page and read like any other, so that words, sentences and headings are the same as
/// in the whole text.
pub(crate) fn main_words(
    html: &str,
    dialect: Dialect,
    url: &CanonicalUrl,
    title: &str,
    limits: &Limits,
) -> Option<MainWords> {
    let mut reader = Reader::new(html, dialect, url);
    reader.read();
    let chosen = choose(&reader.blocks);
    let mut page = String::from("<title>");
    document::escape(&mut page, title);
    page.push_str("</title>");
    let title_only = page.len();
    for (block, _) in reader.blocks.iter().zip(&chosen).filter(|(_, chosen)| **chosen) {
        let element = match block.kind {
            BlockKind::Heading(_) => "h2",
            BlockKind::Prose
            | BlockKind::Item { .. }
            | BlockKind::Quote
            | BlockKind::Code
            | BlockKind::Row => "p",
        };
        page.extend(["<", element, ">"]);
        document::escape(&mut page, &block.text);
        page.extend(["</", element, ">"]);
    }
    (page.len() > title_only).then(|| {
        let read = crate::read::read_markup(&page, Dialect::Html, limits);
        MainWords {
            text: read.text,
            headings: read.headings,
        }
    })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum BlockKind {
    Prose,
    Heading(u8),
    Item { depth: u8, number: u32 },
    Quote,
    Code,
    Row,
}

/// What surrounds a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Around {
    /// Navigation, footers and the like, by their elements.
    is_aside: bool,
    /// Boilerplate, by a class or an id.
    is_boilerplate: bool,
    is_article: bool,
    is_main: bool,
    is_hidden: bool,
}

#[derive(Debug)]
struct Block {
    kind: BlockKind,
    around: Around,
    text: String,
    markdown: String,
    /// Characters, where one of Chinese, Japanese or Korean counts as much as two and a half others.
    weight: u32,
    /// The share of link text.
    links: f32,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    element: Element,
    around: Around,
}

struct Reader<'a> {
    scanner: Scanner<'a>,
    dialect: Dialect,
    url: &'a CanonicalUrl,
    stack: Vec<Open>,
    /// Open elements beyond the limit.
    too_deep: usize,
    blocks: Vec<Block>,
    kept_bytes: usize,
    text: String,
    markdown: String,
    link_bytes: usize,
    /// Where the open link's text begins, in text and in Markdown, and where it leads.
    link: Option<(usize, usize, Option<String>)>,
    lists: Vec<(Element, u32)>,
    starts_item: bool,
    /// The marks of emphasis that are open in the current block.
    marks: Vec<&'static str>,
    facts: Facts,
}

#[derive(Debug, Default)]
struct Facts {
    page_title: Option<String>,
    shared_title: Option<String>,
    author: Option<String>,
    published: Option<String>,
    time: Option<String>,
    license: Option<String>,
}

impl<'a> Reader<'a> {
    fn new(html: &'a str, dialect: Dialect, url: &'a CanonicalUrl) -> Reader<'a> {
        Reader {
            scanner: Scanner::new(html, Keep::Everything),
            dialect,
            url,
            stack: Vec::new(),
            too_deep: 0,
            blocks: Vec::new(),
            kept_bytes: 0,
            text: String::new(),
            markdown: String::new(),
            link_bytes: 0,
            link: None,
            lists: Vec::new(),
            starts_item: false,
            marks: Vec::new(),
            facts: Facts::default(),
        }
    }

    fn around(&self) -> Around {
        self.stack.last().map(|open| open.around).unwrap_or_default()
    }

    fn is_inside(&self, element: Element) -> bool {
        self.stack
            .iter()
            .rev()
            .take(32)
            .any(|open| open.element == element)
    }

    fn read(&mut self) {
        while let Some(event) = self.scanner.next() {
            if self.blocks.len() >= MAX_BLOCKS || self.kept_bytes > 4 * MAX_TEXT {
                break;
            }
            match event {
                Event::Text(raw) => self.push_text(raw, true),
                Event::Verbatim(raw) => self.push_text(raw, false),
                Event::Start {
                    name,
                    element,
                    closed,
                } => self.start(name, element, closed),
                Event::End { name, element } => self.end(name, element),
            }
        }
        self.end_block();
    }

    fn push_text(&mut self, raw: &str, has_references: bool) {
        if self.around().is_hidden {
            return;
        }
        let mut decoded = String::new();
        let piece = if has_references {
            decode_into(raw, ReferenceIn::Text, &mut decoded);
            &decoded
        } else {
            raw
        };
        if self.is_inside(Element::Pre) {
            self.text.push_str(piece);
            self.markdown.push_str(piece);
        } else {
            let piece = spaced(piece);
            push_spaced(&mut self.text, &piece);
            push_spaced(&mut self.markdown, &piece);
        }
        if self.text.len() > MAX_TEXT {
            self.end_block();
        }
    }

    fn start(&mut self, name: &str, element: Element, closed: bool) {
        use Element::*;
        let closed = closed && self.dialect == Dialect::Xhtml;
        match element {
            Script => {
                let is_data = self
                    .scanner
                    .attribute("type")
                    .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/ld+json"));
                if !closed {
                    let content = self.scanner.raw_text("script", Raw::Script);
                    if is_data {
                        self.facts.note_data(content);
                    }
                }
                return;
            }
            Style | Textarea | Iframe | Noembed | Xmp if !closed => {
                self.scanner.raw_text(element.name(), Raw::Plain);
                return;
            }
            Title if !closed && !self.is_inside(Svg) => {
                let content = self.scanner.raw_text("title", Raw::Plain);
                if self.facts.page_title.is_none() {
                    self.facts.page_title = fact(content);
                }
                return;
            }
            Meta => return self.note_meta(),
            Link => return self.note_license(),
            Br => {
                if !self.markdown.is_empty() {
                    self.markdown.push('\n');
                }
                if self.is_inside(Pre) {
                    self.text.push('\n');
                } else {
                    push_spaced(&mut self.text, " ");
                }
                return;
            }
            Time => {
                if self.facts.time.is_none() {
                    self.facts.time = self.scanner.attribute("datetime").and_then(date_in);
                }
            }
            A => {
                self.end_link();
                self.note_license();
                let href = self
                    .scanner
                    .attribute("href")
                    .map(|href| decode_value(href).into_owned());
                if !self.around().is_hidden {
                    self.link = Some((self.text.len(), self.markdown.len(), href));
                }
            }
            Td | Th => {
                if !self.text.trim_end().is_empty() && self.is_inside(Tr) {
                    self.text.push('\u{1f}');
                    self.markdown.push('\u{1f}');
                }
            }
            _ => self.style_mark(name, false),
        }
        if element.is_block() && !matches!(element, Td | Th) {
            self.end_block();
            match element {
                // A paragraph ends where the next block begins, an item where the next item begins.
                P => self.close_up_to(P, &[Div, Section, Article, Td, Li, Blockquote]),
                Li => self.close_up_to(Li, &[Ul, Ol, Menu, Dir]),
                Ul | Ol | Menu | Dir if self.lists.len() < 20 => self.lists.push((element, 0)),
                _ => {}
            }
            if element == Li {
                self.starts_item = true;
                if let Some((_, number)) = self.lists.last_mut() {
                    *number += 1;
                }
            }
        }
        let is_container = element.is_block()
            || matches!(
                element,
                Svg | Math | Template | Noscript | Select | Audio | Video | Canvas | Button | Object
            )
            || (element == Other && self.has_marks());
        if is_container && !closed && element != Hr && !is_void(name) {
            self.open(element);
        }
    }

    /// Whether an element that is not known otherwise, such as a custom one, says something about its content.
    fn has_marks(&self) -> bool {
        ["role", "hidden", "aria-hidden"]
            .iter()
            .any(|name| self.scanner.attribute(name).is_some())
    }

    fn open(&mut self, element: Element) {
        use Element::*;
        if self.stack.len() >= MAX_DEPTH {
            self.too_deep += 1;
            return;
        }
        let mut around = self.around();
        let attribute = |name: &str| self.scanner.attribute(name).unwrap_or_default();
        let role = attribute("role").trim();
        let is_role = |wanted: &[&str]| wanted.iter().any(|wanted| role.eq_ignore_ascii_case(wanted));
        around.is_aside |= matches!(element, Nav | Footer | Aside | Menu | Dialog | Search | Button)
            || is_role(&[
                "navigation",
                "contentinfo",
                "complementary",
                "search",
                "dialog",
                "menu",
                "menubar",
            ])
            || (matches!(element, Header) || is_role(&["banner"])) && !around.is_article && !around.is_main;
        around.is_article |= element == Article || attribute("itemprop").eq_ignore_ascii_case("articleBody");
        around.is_main |= element == Main || is_role(&["main"]);
        around.is_hidden |= matches!(
            element,
            Svg | Math | Template | Noscript | Select | Audio | Video | Canvas | Object | Head
        ) || self.scanner.attribute("hidden").is_some()
            || attribute("aria-hidden").eq_ignore_ascii_case("true")
            || is_invisible(attribute("style"));
        if !matches!(element, Html | Body | Article | Main | H1 | H2) {
            for value in [attribute("class"), attribute("id")] {
                around.is_boilerplate |= is_boilerplate(value);
                around.is_article |= value
                    .split_ascii_whitespace()
                    .any(|class| ARTICLE.iter().any(|article| class.eq_ignore_ascii_case(article)));
            }
        }
        self.stack.push(Open { element, around });
    }

    fn close_up_to(&mut self, element: Element, limits: &[Element]) {
        for (depth, open) in self.stack.iter().enumerate().rev().take(16) {
            if limits.contains(&open.element) {
                return;
            }
            if open.element == element {
                self.stack.truncate(depth);
                return;
            }
        }
    }

    fn end(&mut self, name: &str, element: Element) {
        use Element::*;
        match element {
            A => return self.end_link(),
            Td | Th => {}
            element if element.is_block() => self.end_block(),
            _ => self.style_mark(name, true),
        }
        if matches!(element, Ul | Ol | Menu | Dir)
            && let Some(at) = self.lists.iter().rposition(|(list, _)| *list == element)
        {
            self.lists.truncate(at);
        }
        if self.too_deep > 0 {
            self.too_deep -= usize::from(element.is_block());
            return;
        }
        // An end tag without its start tag closes nothing.
        if let Some(at) = self.stack.iter().rposition(|open| open.element == element) {
            self.stack.truncate(at);
        }
    }

    /// Emphasis and code in Markdown.
    fn style_mark(&mut self, name: &str, is_end: bool) {
        let mark = match name.to_ascii_lowercase().as_str() {
            "b" | "strong" => "**",
            "i" | "em" => "*",
            "code" | "kbd" | "samp" => "`",
            _ => return,
        };
        if self.around().is_hidden || self.is_inside(Element::Pre) {
            return;
        }
        // A mark without text, or one that was never opened, would be shown as stars.
        let opened = self.marks.iter().rposition(|open| *open == mark);
        match (is_end, opened) {
            (true, Some(at)) => {
                self.marks.truncate(at);
                if self.markdown.ends_with(mark) {
                    let shorter = self.markdown.len() - mark.len();
                    self.markdown.truncate(shorter);
                } else {
                    let trimmed = self.markdown.trim_end().len();
                    let had_space = trimmed < self.markdown.len();
                    self.markdown.truncate(trimmed);
                    self.markdown.push_str(mark);
                    if had_space {
                        self.markdown.push(' ');
                    }
                }
            }
            (false, None) => {
                self.marks.push(mark);
                self.markdown.push_str(mark);
            }
            _ => {}
        }
    }

    fn end_link(&mut self) {
        let Some((start, marked, href)) = self.link.take() else {
            return;
        };
        let words = self.text.get(start..).unwrap_or_default().trim();
        self.link_bytes += words.len();
        let label = self.markdown.get(marked..).unwrap_or_default().to_owned();
        let target = href
            .filter(|href| !href.starts_with('#') && href.len() < 2048)
            .and_then(|href| self.url.join(&href).ok());
        if let Some(target) = target
            && !label.trim().is_empty()
            && !label.contains(['[', '\n', '\u{1f}'])
        {
            let space = |part: &str| if part.is_empty() { "" } else { " " };
            let before = space(label.strip_suffix(label.trim_start()).unwrap_or_default());
            let after = space(label.strip_prefix(label.trim_end()).unwrap_or_default());
            self.markdown.truncate(marked);
            let link = format!("{before}[{}]({}){after}", label.trim(), target.as_str());
            self.markdown.push_str(&link);
        }
    }

    fn end_block(&mut self) {
        self.end_link();
        let links = std::mem::take(&mut self.link_bytes);
        let mut text = std::mem::take(&mut self.text);
        let mut markdown = std::mem::take(&mut self.markdown);
        for mark in std::mem::take(&mut self.marks).iter().rev() {
            markdown.push_str(mark);
        }
        if text.trim().is_empty() {
            return;
        }
        let is_row = text.contains('\u{1f}');
        let heading = self.stack.last().and_then(|open| match open.element {
            Element::H1 => Some(1),
            Element::H2 => Some(2),
            Element::H3 => Some(3),
            Element::H4 => Some(4),
            Element::H5 => Some(5),
            Element::H6 => Some(6),
            _ => None,
        });
        let kind = if let Some(level) = heading {
            BlockKind::Heading(level)
        } else if self.is_inside(Element::Pre) {
            BlockKind::Code
        } else if is_row {
            BlockKind::Row
        } else if std::mem::take(&mut self.starts_item) && !self.lists.is_empty() {
            let number = match self.lists.last() {
                Some((Element::Ol, number)) => *number,
                _ => 0,
            };
            BlockKind::Item {
                depth: u8::try_from(self.lists.len() - 1).unwrap_or(0),
                number,
            }
        } else if self.is_inside(Element::Blockquote) {
            BlockKind::Quote
        } else {
            BlockKind::Prose
        };
        if kind != BlockKind::Code {
            for content in [&mut text, &mut markdown] {
                if is_row {
                    *content = content.trim().replace('\u{1f}', " | ");
                } else {
                    trim(content);
                }
            }
        }
        let weight = weight(&text);
        self.kept_bytes += text.len() + markdown.len();
        self.blocks.push(Block {
            kind,
            around: self.around(),
            links: links as f32 / text.len().max(1) as f32,
            weight,
            text,
            markdown,
        });
    }

    fn note_license(&mut self) {
        let is_license = self.scanner.attribute("rel").is_some_and(|rel| {
            rel.split_ascii_whitespace()
                .any(|word| word.eq_ignore_ascii_case("license"))
        });
        if is_license && self.facts.license.is_none() {
            self.facts.license = self
                .scanner
                .attribute("href")
                .and_then(|href| self.url.join(&decode_value(href)).ok())
                .map(|url| url.to_string());
        }
    }

    fn note_meta(&mut self) {
        let scanner = &self.scanner;
        let Some(name) = ["property", "name", "itemprop"]
            .iter()
            .find_map(|name| scanner.attribute(name))
        else {
            return;
        };
        let Some(content) = scanner.attribute("content") else {
            return;
        };
        let facts = &mut self.facts;
        match name.trim().to_ascii_lowercase().as_str() {
            "og:title" | "twitter:title" if facts.shared_title.is_none() => {
                facts.shared_title = fact(content)
            }
            "author" | "article:author" | "dc.creator" | "dcterms.creator" | "citation_author"
            | "parsely-author"
                if facts.author.is_none() =>
            {
                facts.author = fact(content).filter(|author| !author.contains("://"));
            }
            "article:published_time"
            | "datepublished"
            | "date"
            | "dc.date"
            | "dcterms.created"
            | "dc.date.issued"
            | "citation_publication_date"
            | "citation_date"
            | "parsely-pub-date"
            | "pubdate"
                if facts.published.is_none() =>
            {
                facts.published = date_in(content);
            }
            _ => {}
        }
    }

    /// The text of the chosen blocks, and what the page says about itself.
    fn finish(self, chosen: &[bool]) -> MainText {
        let mut text = String::new();
        let mut markdown = String::new();
        let mut last: Option<BlockKind> = None;
        for block in self
            .blocks
            .iter()
            .zip(chosen)
            .filter(|(_, chosen)| **chosen)
            .map(|(block, _)| block)
        {
            if text.len() + block.text.len() > MAX_TEXT {
                break;
            }
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str(block.text.trim_matches(['\n', '\r']));
            write_markdown(&mut markdown, block, last);
            last = Some(block.kind);
        }
        let facts = self.facts;
        let first_heading = self
            .blocks
            .iter()
            .find(|block| block.kind == BlockKind::Heading(1) && block.weight > 0)
            .map(|block| block.text.clone());
        MainText {
            title: title_of(facts.shared_title, first_heading, facts.page_title),
            author: facts.author,
            published: facts.published.or(facts.time),
            license: facts.license,
            text,
            markdown,
        }
    }
}

impl Facts {
    /// Reads author and date from JSON-LD. A search for the names is enough, and broken JSON is common.
    fn note_data(&mut self, json: &str) {
        if self.published.is_none() {
            self.published = string_after(json, "\"datePublished\"").and_then(|date| date_in(&date));
        }
        if self.author.is_none()
            && let Some(at) = json.find("\"author\"")
        {
            let near: String = json.get(at..).unwrap_or_default().chars().take(400).collect();
            self.author = string_after(&near, "\"name\"")
                .or_else(|| string_after(&near, "\"author\""))
                .and_then(|name| fact(&name))
                .filter(|name| !name.contains("://"));
        }
    }
}

/// The string that follows a name and a colon in JSON.
fn string_after(json: &str, name: &str) -> Option<String> {
    let rest = json.get(json.find(name)? + name.len()..)?.trim_start();
    let rest = rest.strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let value = rest.split('"').next()?;
    (!value.is_empty() && !value.contains('\\')).then(|| value.to_owned())
}

/// Which blocks belong to the text.
fn choose(blocks: &[Block]) -> Vec<bool> {
    let is_visible = |block: &Block| !block.around.is_hidden;
    let is_clean =
        |block: &Block| is_visible(block) && !block.around.is_aside && !block.around.is_boilerplate;
    let good = |within: &dyn Fn(&Block) -> bool| -> u32 {
        let blocks = blocks.iter().filter(|block| is_good(block) && within(block));
        blocks.map(|block| block.weight).sum()
    };
    let visible = good(&|block| is_visible(block) && !block.around.is_aside);
    let clean = good(&is_clean);
    // A class on an element around the whole page says nothing about its parts.
    let trusts_classes = clean * 2 >= visible;
    let is_candidate = |block: &Block| {
        is_visible(block) && !block.around.is_aside && !(trusts_classes && block.around.is_boilerplate)
    };
    let all = good(&is_candidate);
    let article = good(&|block| is_candidate(block) && block.around.is_article);
    let main = good(&|block| is_candidate(block) && (block.around.is_main || block.around.is_article));
    let is_inside = |block: &Block| {
        is_candidate(block)
            && if all > 0 && article * 2 >= all {
                block.around.is_article
            } else if all > 0 && main * 2 >= all {
                block.around.is_main || block.around.is_article
            } else {
                true
            }
    };
    let chosen = near_good(blocks, &is_inside);
    if weight_of(blocks, &chosen) >= LEAST_TEXT {
        return chosen;
    }
    // Lists and short pages: everything that is not navigation, first by elements and classes, then by elements alone.
    let relaxed = |limit: f32, within: &dyn Fn(&Block) -> bool| -> Vec<bool> {
        blocks
            .iter()
            .map(|block| within(block) && block.links <= limit)
            .collect()
    };
    for (limit, least, within) in [
        (BAD_LINKS, LEAST_TEXT, &is_candidate as &dyn Fn(&Block) -> bool),
        (1.0, LEAST_TEXT / 8, &is_candidate),
    ] {
        let chosen = relaxed(limit, within);
        if weight_of(blocks, &chosen) >= least {
            return chosen;
        }
    }
    blocks.iter().map(is_visible).collect()
}

fn is_good(block: &Block) -> bool {
    let least = match block.kind {
        BlockKind::Heading(_) => return false,
        BlockKind::Code | BlockKind::Row | BlockKind::Quote => 20,
        BlockKind::Item { .. } => 40,
        BlockKind::Prose => GOOD_WEIGHT,
    };
    block.weight >= least && block.links <= GOOD_LINKS
}

/// Good blocks, short ones near them, and the headings above them.
fn near_good(blocks: &[Block], within: &dyn Fn(&Block) -> bool) -> Vec<bool> {
    let mut chosen: Vec<bool> = blocks
        .iter()
        .map(|block| within(block) && is_good(block))
        .collect();
    let good = chosen.clone();
    let mut since = usize::MAX;
    let mut next: Vec<usize> = vec![usize::MAX; blocks.len()];
    let mut ahead = usize::MAX;
    for (at, is_good) in good.iter().enumerate().rev() {
        if let Some(place) = next.get_mut(at) {
            *place = ahead;
        }
        ahead = if *is_good { 1 } else { ahead.saturating_add(1) };
    }
    for (at, block) in blocks.iter().enumerate() {
        let Some(place) = chosen.get_mut(at) else { break };
        if *place {
            since = 0;
            continue;
        }
        since = since.saturating_add(1);
        if !within(block) {
            continue;
        }
        let ahead = next.get(at).copied().unwrap_or(usize::MAX);
        *place = match block.kind {
            BlockKind::Heading(_) => ahead <= 2 * REACH,
            BlockKind::Item { .. } | BlockKind::Row => {
                block.links <= BAD_LINKS && (since <= 4 * REACH || ahead <= 4 * REACH)
            }
            _ => block.links <= GOOD_LINKS && since <= REACH && ahead <= REACH,
        };
    }
    chosen
}

fn weight_of(blocks: &[Block], chosen: &[bool]) -> u32 {
    let blocks = blocks.iter().zip(chosen).filter(|(_, chosen)| **chosen);
    blocks.map(|(block, _)| block.weight).sum()
}

fn weight(text: &str) -> u32 {
    let is_space = |byte: &u8| matches!(byte, b'\t'..=b'\r' | b' ');
    if text.is_ascii() {
        let spaces = text.as_bytes().iter().filter(|byte| is_space(byte)).count();
        return u32::try_from((2 * text.len() - spaces) / 2).unwrap_or(u32::MAX);
    }
    let mut halves = 0_u32;
    for c in text.chars() {
        halves = halves.saturating_add(match c {
            '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' => 5,
            c if c.is_whitespace() => 1,
            _ => 2,
        });
    }
    halves / 2
}

fn write_markdown(out: &mut String, block: &Block, last: Option<BlockKind>) {
    let is_run = matches!(
        (last, block.kind),
        (Some(BlockKind::Item { .. }), BlockKind::Item { .. }) | (Some(BlockKind::Row), BlockKind::Row)
    );
    if !out.is_empty() {
        out.push_str(if is_run { "\n" } else { "\n\n" });
    }
    match block.kind {
        BlockKind::Heading(level) => {
            out.push_str(&"#".repeat(usize::from(level)));
            out.push(' ');
            out.push_str(&block.markdown.replace('\n', " "));
        }
        BlockKind::Item { depth, number } => {
            out.push_str(&"    ".repeat(usize::from(depth)));
            match number {
                0 => out.push_str("- "),
                number => out.push_str(&format!("{number}. ")),
            }
            out.push_str(&block.markdown.replace('\n', " "));
        }
        BlockKind::Quote => {
            out.push_str("> ");
            out.push_str(&block.markdown.replace('\n', "\n> "));
        }
        BlockKind::Code => {
            let fence = if block.text.contains("```") { "````" } else { "```" };
            out.push_str(&format!(
                "{fence}\n{}\n{fence}",
                block.text.trim_matches(['\n', '\r'])
            ));
        }
        BlockKind::Row => {
            let row = block.markdown.replace('\n', " ");
            out.push_str(&format!("| {row} |"));
            if !matches!(last, Some(BlockKind::Row)) {
                let cells = row.matches(" | ").count() + 1;
                out.push_str(&format!("\n|{}", " --- |".repeat(cells)));
            }
        }
        BlockKind::Prose => out.push_str(&block.markdown.replace('\n', "  \n")),
    }
}

/// The text with runs of white space made one space. Most text has none, and is not copied.
fn spaced(piece: &str) -> Cow<'_, str> {
    // The first bytes of all characters beyond ASCII that may be white space or control characters.
    let may_be_space = |byte: u8| byte < b' ' || matches!(byte, 0x7f | 0xc2 | 0xe1..=0xe3);
    let mut last = 0;
    let is_clean = piece.bytes().all(|byte| {
        let is_run = byte == b' ' && last == b' ';
        last = byte;
        !is_run && !may_be_space(byte)
    });
    if is_clean {
        return Cow::Borrowed(piece);
    }
    let is_space = |c: char| c.is_whitespace() || c.is_control();
    let mut out = String::with_capacity(piece.len());
    let mut rest = piece;
    while !rest.is_empty() {
        let (word, space) = rest.split_at(rest.find(is_space).unwrap_or(rest.len()));
        out.push_str(word);
        rest = space.trim_start_matches(is_space);
        if rest.len() < space.len() {
            out.push(' ');
        }
    }
    Cow::Owned(out)
}

/// Appends text whose white space is single spaces, without a space at the start or after another one.
fn push_spaced(out: &mut String, piece: &str) {
    let has_space = out.is_empty() || out.ends_with([' ', '\n', '\u{1f}']);
    out.push_str(piece.strip_prefix(' ').filter(|_| has_space).unwrap_or(piece));
}

/// Takes white space off both ends without copying the text where there is none in front.
fn trim(text: &mut String) {
    text.truncate(text.trim_end().len());
    let front = text.len() - text.trim_start().len();
    if front > 0 {
        text.drain(..front);
    }
}

fn is_void(name: &str) -> bool {
    [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
        "track", "wbr",
    ]
    .iter()
    .any(|void| name.eq_ignore_ascii_case(void))
}

fn is_invisible(style: &str) -> bool {
    let style: String = style.chars().filter(|c| !c.is_whitespace()).take(500).collect();
    let style = style.to_ascii_lowercase();
    style.contains("display:none") || style.contains("visibility:hidden")
}

fn is_boilerplate(value: &str) -> bool {
    value
        .split(|c: char| !c.is_ascii_alphanumeric())
        .take(30)
        .any(|word| BOILERPLATE.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

fn fact(raw: &str) -> Option<String> {
    let mut text = String::new();
    push_spaced(&mut text, &spaced(&decode_value(raw)));
    let mut text = text.trim().to_owned();
    cut(&mut text, MAX_FACT);
    (!text.is_empty()).then_some(text)
}

/// The date at the beginning of a value such as `2024-05-01T12:00:00Z`.
fn date_in(value: &str) -> Option<String> {
    let value = value.trim().replace('/', "-");
    let date = value.get(..10)?;
    let is_date = date.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    let number = |range: std::ops::Range<usize>| date.get(range).and_then(|part| part.parse::<u32>().ok());
    let is_real = (1..=12).contains(&number(5..7)?) && (1..=31).contains(&number(8..10)?);
    (is_date && is_real).then(|| date.to_owned())
}

/// The title: the heading, if the page's title begins with it, else the title as shared, else the page's.
fn title_of(shared: Option<String>, heading: Option<String>, page: Option<String>) -> Option<String> {
    match (&page, &heading) {
        (Some(page), Some(heading)) if page.len() > heading.len() && page.starts_with(heading.as_str()) => {
            Some(heading.clone())
        }
        _ => shared.or(page).or(heading),
    }
}

/// Cuts a text to at most this many bytes.
fn cut(text: &mut String, most: usize) {
    if text.len() > most {
        let end = (0..=most)
            .rev()
            .find(|at| text.is_char_boundary(*at))
            .unwrap_or(0);
        text.truncate(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extract(html: &str) -> MainText {
        let url = CanonicalUrl::parse("http://tea.test/a/").unwrap();
        main_text(&PageInput {
            url: &url,
            content_type: Some("text/html"),
            body: html.as_bytes(),
            truncated: false,
        })
    }

    const PROSE: &str = "Green tea is made from leaves that have not withered and not oxidised, unlike black tea, which \
                         has done both. It was first made in China and is now grown in many countries.";

    /// What [`push_spaced`] must do with [`spaced`], a character at a time.
    fn push_one_by_one(out: &mut String, piece: &str) {
        for c in piece.chars() {
            if !c.is_whitespace() && !c.is_control() {
                out.push(c);
            } else if !out.is_empty() && !out.ends_with([' ', '\n', '\u{1f}']) {
                out.push(' ');
            }
        }
    }

    #[test]
    fn runs_of_white_space_become_one_space() {
        let characters = [' ', ' ', '\t', '\n', '\u{1f}', '\u{a0}', 'a', 'b', 'é', '茶'];
        let mut state = 1_usize;
        let mut draw = |most: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % most
        };
        for _ in 0..20_000 {
            let before = ["", "x", "x ", "x\n", "x\u{1f}"][draw(5)];
            let piece: String = (0..draw(9)).map(|_| characters[draw(characters.len())]).collect();
            let (mut fast, mut slow) = (before.to_owned(), before.to_owned());
            push_spaced(&mut fast, &spaced(&piece));
            push_one_by_one(&mut slow, &piece);
            assert_eq!(fast, slow, "{before:?} and {piece:?}");
        }
    }

    #[test]
    fn menus_footers_and_sidebars_are_left_out() {
        let page = extract(&format!(
            "<html><head><title>Green tea | Tea House</title><meta name=author content='Ann Leaf'>\
             <meta property='article:published_time' content='2024-05-01T10:00:00Z'>\
             <link rel=license href='/cc'></head><body class='has-sidebar'>\
             <nav><ul><li><a href=/>Home</a><li><a href=/shop>Shop</a></ul></nav>\
             <div class='site-sidebar'><p>{PROSE} Buy now in our shop.</p></div>\
             <article><h1>Green tea</h1><p>{PROSE}</p><h2>Brewing</h2>\
             <ul><li>Boil <b>water</b> and let it cool down for a while<li>Add the <a href=leaves>leaves</a></ul>\
             <p style='display: none'>{PROSE} secret</p><p>{PROSE} Enjoy.</p></article>\
             <footer><p>{PROSE} All rights reserved.</p></footer></body></html>"
        ));
        assert_eq!(page.title.as_deref(), Some("Green tea"));
        assert_eq!(page.author.as_deref(), Some("Ann Leaf"));
        assert_eq!(page.published.as_deref(), Some("2024-05-01"));
        assert_eq!(page.license.as_deref(), Some("http://tea.test/cc"));
        for gone in ["Home", "Buy now", "rights", "secret"] {
            assert!(!page.text.contains(gone), "{gone}: {}", page.text);
        }
        assert!(
            page.text.starts_with("Green tea\n\nGreen tea is made"),
            "{}",
            page.text
        );
        assert!(page.markdown.contains("# Green tea\n\nGreen tea is made"));
        assert!(
            page.markdown.contains(
                "## Brewing\n\n- Boil **water** and let it cool down for a while\n- Add the [leaves](http://tea.test/a/leaves)\n\n"
            ),
            "{}",
            page.markdown
        );
    }

    #[test]
    fn a_page_that_is_all_links_and_one_with_a_class_around_everything_keep_their_text() {
        let list: String = (0..30)
            .map(|n| format!("<p><a href=/{n}>Tea number {n} from the hills</a></p>"))
            .collect();
        let page = extract(&format!("<body><div>{list}</div></body>"));
        assert!(page.text.contains("Tea number 29"));
        let page = extract(&format!(
            "<body><div class='content-sidebar-wrap'><p>{PROSE}</p><p>{PROSE}</p></div></body>"
        ));
        assert!(page.text.contains("Green tea is made"));
    }

    #[test]
    fn tables_code_and_quotes_become_markdown() {
        let page = extract(&format!(
            "<main><p>{PROSE}</p><table><tr><th>Tea<th>Minutes<tr><td>green<td>two</table>\
             <pre>let tea = 1;\n  brew(tea);</pre><blockquote><p>Tea is good for everyone who likes it.</p></blockquote>\
             <p>{PROSE}</p></main>"
        ));
        assert!(
            page.markdown
                .contains("| Tea | Minutes |\n| --- | --- |\n| green | two |"),
            "{}",
            page.markdown
        );
        assert!(
            page.markdown.contains("```\nlet tea = 1;\n  brew(tea);\n```"),
            "{}",
            page.markdown
        );
        assert!(page.markdown.contains("> Tea is good"), "{}", page.markdown);
    }

    #[test]
    fn hostile_pages_cost_little() {
        let deep = "<div>".repeat(200_000) + PROSE + &"</div>".repeat(200_000);
        assert!(extract(&deep).text.contains("Green tea"));
        let stars = "<b>".repeat(50_000) + &"<i>x".repeat(50_000);
        extract(&stars);
        let links = "<a href=x>".repeat(100_000);
        extract(&links);
        let cells = "<table><tr>".to_owned() + &"<td>x".repeat(100_000);
        extract(&cells);
    }
}
