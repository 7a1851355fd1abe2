//! The features a detector uses.
//!
//! Every feature is passed to a callback together with its name, so that values and names cannot get out of step and
//! computing a page's features allocates no strings.
//!
//! Invariant: all values are finite, and depend only on the parsed page and the word lists.

use scenthound_types::text::{Token, url_words};
use scenthound_types::{Hint, ParsedPage, registrable_domain};

use super::addresses::{KINDS, Reader, Shape};
use super::note::WordNotes;
use super::word_lists::{BLOG, IMAGE, NEWS, SECTIONS, VIDEO, WordLists};

/// A feature's name: a group and an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Name(pub(crate) &'static str, pub(crate) &'static str);

impl std::fmt::Display for Name {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} {}", self.0, self.1)
    }
}

/// Blocks with at least this many words are prose rather than labels.
const LONG_BLOCK: u32 = 30;

/// Statistics of a page's words and blocks.
#[derive(Default)]
struct Walk {
    body: WordNotes,
    title: WordNotes,
    words: u32,
    title_words: u32,
    blocks: u32,
    short_blocks: u32,
    long_blocks: u32,
    words_in_long_blocks: u32,
    longest_block: u32,
}

fn walk(page: &ParsedPage, lists: &WordLists) -> Walk {
    let mut walk = Walk::default();
    let mut title_end = 0;
    let mut is_title = !page.title.is_empty();
    let mut start = 0;
    each_break(page.text.tokens(), |position| {
        let words = position - start;
        walk.words += words;
        if is_title {
            walk.title_words = words;
            title_end = position;
        } else {
            walk.end_block(words);
        }
        is_title = false;
        start = position + 1;
    });
    let end = page.text.len();
    walk.words += end - start;
    walk.end_block(end - start);
    if is_title {
        // Nothing follows, so the title is all there is to read.
        title_end = end;
    }
    walk.title = lists.count(&page.text, 0..title_end);
    walk.body = lists.count(&page.text, title_end..end);
    walk
}

/// Reports where the breaks are. Many tokens are checked at once, because breaks are too irregular for branch
/// prediction.
fn each_break(tokens: &[Token], mut found: impl FnMut(u32)) {
    const RUN: usize = 32;
    for (first, tokens) in (0_u32..).step_by(RUN).zip(tokens.chunks(RUN)) {
        let mut breaks = 0_u32;
        for (at, token) in (0..RUN).zip(tokens) {
            breaks |= u32::from(!token.is_word()) << at;
        }
        while breaks != 0 {
            found(first + breaks.trailing_zeros());
            breaks &= breaks - 1;
        }
    }
}

impl Walk {
    fn end_block(&mut self, words: u32) {
        if words == 0 {
            return;
        }
        self.blocks += 1;
        self.short_blocks += u32::from(words <= 3);
        self.longest_block = self.longest_block.max(words);
        if words >= LONG_BLOCK {
            self.long_blocks += 1;
            self.words_in_long_blocks += words;
        }
    }
}

/// Statistics of a page's links.
#[derive(Default)]
struct Links {
    internal: u32,
    external: u32,
    /// The same, with each link counted as often as it occurs.
    all_internal: u32,
    all_external: u32,
    words: u32,
    without_words: u32,
    deeper: u32,
    kinds: [u32; KINDS.len()],
}

/// `is_whole` asks for more than the number of links inside and outside the site.
fn links(page: &ParsedPage, is_whole: bool) -> Links {
    let mut links = Links::default();
    let origin = page.url.origin();
    let domain = registrable_domain(page.url.host());
    let path = page.url.path();
    let mut addresses = Reader::default();
    for link in &page.links {
        let is_internal = link.url.origin() == origin || is_of_domain(link.url.host(), domain);
        if is_internal {
            links.internal += 1;
            links.all_internal += u32::from(link.times);
        } else {
            links.external += 1;
            links.all_external += u32::from(link.times);
        }
        if !is_whole {
            continue;
        }
        links.words += link.anchor.end.saturating_sub(link.anchor.start);
        links.without_words += u32::from(link.anchor.is_empty());
        links.deeper +=
            u32::from(is_internal && path.len() > 1 && link.url.path_and_query().starts_with(path));
        let mut bits = addresses.kinds(&link.url);
        while bits != 0 {
            if let Some(count) = links.kinds.get_mut(bits.trailing_zeros() as usize) {
                *count += 1;
            }
            bits &= bits - 1;
        }
    }
    links
}

fn is_of_domain(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain)
        .is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// Reports the nine features of the paper: every link counts, also one that is repeated, and audio is not a multimedia object.
pub(crate) fn nine(page: &ParsedPage, lists: &WordLists, mut tell: impl FnMut(Name, f32)) {
    let walk = walk(page, lists);
    let mut links = links(page, false);
    (links.internal, links.external) = (links.all_internal, links.all_external);
    let media = page.tags.media.saturating_sub(page.tags.audios);
    tell_nine(page, &walk, &links, media, &mut tell);
}

fn tell_nine(page: &ParsedPage, walk: &Walk, links: &Links, media: u32, tell: &mut impl FnMut(Name, f32)) {
    let words = |section: usize| {
        let sum = walk.body.of(section) + walk.title.of(section);
        sum as f32
    };
    tell(Name("text", "length"), page.visible_chars as f32);
    tell(Name("links", "internal"), links.internal as f32);
    tell(Name("links", "external"), links.external as f32);
    tell(Name("words", "video"), words(VIDEO));
    tell(Name("objects", "media"), media as f32);
    tell(Name("words", "image"), words(IMAGE));
    tell(Name("objects", "images"), page.tags.images as f32);
    tell(Name("words", "blog"), words(BLOG));
    tell(Name("words", "news"), words(NEWS));
}

/// Reports all features: the nine, and those of structure, markup, URLs and more words.
pub(crate) fn rich(page: &ParsedPage, lists: &WordLists, mut tell: impl FnMut(Name, f32)) {
    let tell = &mut tell;
    let walk = walk(page, lists);
    let links = links(page, true);
    tell_nine(page, &walk, &links, page.tags.media, tell);
    let words = walk.words.max(1) as f32;
    let all_links = (links.internal + links.external).max(1) as f32;
    let elements = page.tags.elements.max(1) as f32;
    let share = |part: u32, whole: f32| part as f32 / whole;
    let numbers = walk.body.numbers + walk.title.numbers;
    let years = walk.body.years + walk.title.years;

    tell(Name("text", "words"), walk.words as f32);
    tell(
        Name("text", "share in long blocks"),
        share(walk.words_in_long_blocks, words),
    );
    tell(Name("text", "long blocks"), walk.long_blocks as f32);
    tell(Name("text", "longest block"), walk.longest_block as f32);
    tell(Name("text", "words per block"), words / walk.blocks.max(1) as f32);
    tell(
        Name("text", "short blocks"),
        share(walk.short_blocks, walk.blocks.max(1) as f32),
    );
    tell(Name("text", "numbers"), share(numbers, words));
    tell(Name("text", "years"), years as f32);
    tell(Name("text", "share of years"), share(years, words));
    tell(Name("text", "prices"), page.hints.prices as f32);
    tell(Name("text", "share of prices"), share(page.hints.prices, words));
    tell(Name("text", "words per element"), words / elements);
    tell(Name("title", "words"), walk.title_words as f32);

    tell(Name("links", "words"), share(links.words, words));
    tell(Name("links", "a word"), all_links / words);
    tell(Name("links", "outside"), share(links.external, all_links));
    tell(
        Name("links", "without words"),
        share(links.without_words, all_links),
    );
    tell(Name("links", "deeper"), share(links.deeper, all_links));

    let tags = &page.tags;
    for (name, count) in [
        ("forms", tags.forms),
        ("inputs", tags.inputs),
        ("buttons", tags.buttons),
        ("options", tags.options),
        ("tables", tags.tables),
        ("rows", tags.rows),
        ("list items", tags.list_items),
        ("headings", tags.headings),
        ("paragraphs", tags.paragraphs),
        ("code blocks", tags.code_blocks),
        ("codes", tags.codes),
        ("definitions", tags.definitions),
        ("figures", tags.figures),
        ("navs", tags.navs),
        ("quotes", tags.quotes),
        ("articles", tags.articles),
        ("times", tags.times),
        ("scripts", tags.scripts),
        ("elements", tags.elements),
        ("feeds", page.hints.feeds),
    ] {
        tell(Name("elements", name), count as f32);
    }
    for (name, count) in [
        ("images", tags.images),
        ("list items", tags.list_items),
        ("headings", tags.headings),
        ("paragraphs", tags.paragraphs),
        ("buttons", tags.buttons),
        ("codes", tags.codes),
    ] {
        tell(Name("elements per word:", name), share(count, words));
    }

    let in_address = lists.count_tokens(&url_words(page.url.as_str()));
    for (section, name) in SECTIONS.iter().enumerate() {
        let count = walk.body.of(section);
        tell(Name("words of", name), count as f32);
        tell(Name("share of words of", name), share(count, words));
        tell(Name("title words of", name), walk.title.of(section) as f32);
        tell(Name("address words of", name), in_address.of(section) as f32);
    }

    for hint in Hint::ALL {
        tell(
            Name("hint", hint.name()),
            f32::from(u8::from(page.hints.has(*hint))),
        );
    }

    let shape = Shape::of(&page.url);
    for (name, value) in [
        ("depth", shape.depth),
        ("length", shape.path_bytes),
        ("parameters", shape.parameters),
        ("words of the last part", shape.slug_words),
        ("digits", shape.digits),
        ("number", shape.number),
        ("date", u32::from(shape.has_date)),
        ("file ending", u32::from(shape.has_file_ending)),
        ("folder", u32::from(shape.is_folder)),
        ("labels of the host", shape.labels_of_host),
    ] {
        tell(Name("address", name), value as f32);
    }
    let own = Reader::default().kinds(&page.url);
    for (kind, name) in KINDS.iter().enumerate() {
        tell(Name("address of kind", name), (own >> kind & 1) as f32);
        let count = links.kinds.get(kind).copied().unwrap_or(0);
        tell(Name("share of links of kind", name), share(count, all_links));
    }
}
