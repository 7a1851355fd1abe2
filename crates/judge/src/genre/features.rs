//! The numbers a detector goes by.
//!
//! Every feature is told with its name to a callback, so that values and names cannot get out of step and a page's
//! numbers cost no strings.
//!
//! Invariant: all numbers are finite, and depend on the parsed page and the words alone.

use scenthound_text::{Token, url_words};
use scenthound_types::{Hint, ParsedPage, registrable_domain};

use super::addresses::{self, KINDS, Shape};
use super::lexicon::{BLOG, Counts, IMAGE, Known, Lexicon, NEWS, SECTIONS, VIDEO};

/// What a feature is called: a group and a thing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Name(pub(crate) &'static str, pub(crate) &'static str);

impl std::fmt::Display for Name {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} {}", self.0, self.1)
    }
}

/// Blocks with so many words are writing rather than labels.
const LONG_BLOCK: u32 = 30;

/// What one walk over the words finds.
#[derive(Default)]
struct Walk {
    counts: Counts,
    title: Counts,
    words: u32,
    title_words: u32,
    numbers: u32,
    years: u32,
    blocks: u32,
    short_blocks: u32,
    long_blocks: u32,
    words_in_long_blocks: u32,
    longest_block: u32,
}

/// What a word is as a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numeric {
    No,
    Year,
    Other,
}

fn numeric(spelling: &str) -> Numeric {
    match spelling.as_bytes() {
        [b'1', b'9', c, d] | [b'2', b'0', c, d] if c.is_ascii_digit() && d.is_ascii_digit() => Numeric::Year,
        [b'0'..=b'9', ..] => Numeric::Other,
        _ => Numeric::No,
    }
}

/// Places for words met before. Most words of a page are the same few, so most are looked up once.
const MEMORY: usize = 1024;

fn walk(page: &ParsedPage, lexicon: &Lexicon) -> Walk {
    let mut walk = Walk::default();
    let mut is_title = !page.title.is_empty();
    let mut block = 0;
    let mut memory = [(Token::BREAK, Known::Nothing, Numeric::No); MEMORY];
    for (position, token) in (0_u32..).zip(page.text.tokens()) {
        if !token.is_word() {
            if is_title {
                walk.title_words = block;
            } else {
                walk.end_block(block);
            }
            block = 0;
            is_title = false;
            continue;
        }
        block += 1;
        walk.words += 1;
        let known = &mut memory[token.hash() as usize % MEMORY];
        if known.0 != *token {
            let spelling = page.text.spelling(position);
            *known = (*token, lexicon.about(spelling, *token), numeric(spelling));
        }
        let (_, known, numeric) = *known;
        let counts = if is_title {
            &mut walk.title
        } else {
            &mut walk.counts
        };
        match known {
            Known::Nothing => {}
            Known::Word(section) => {
                if let Some(count) = counts.get_mut(usize::from(section)) {
                    *count += 1;
                }
            }
            Known::Look => lexicon.count_at(&page.text, position, *token, counts),
        }
        match numeric {
            Numeric::No => {}
            Numeric::Year => walk.years += 1,
            Numeric::Other => walk.numbers += 1,
        }
    }
    walk.end_block(block);
    walk
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

/// What the links of a page are like.
#[derive(Default)]
struct Links {
    internal: u32,
    external: u32,
    words: u32,
    without_words: u32,
    deeper: u32,
    kinds: [u32; KINDS.len()],
}

/// `is_whole` where more is wanted than how many lead inside and outside.
fn links(page: &ParsedPage, is_whole: bool) -> Links {
    let mut links = Links::default();
    let domain = registrable_domain(page.url.host());
    let path = page.url.path();
    for link in &page.links {
        let host = link.url.host();
        let is_internal = host == domain
            || host
                .strip_suffix(domain)
                .is_some_and(|before| before.ends_with('.'));
        if is_internal {
            links.internal += 1;
        } else {
            links.external += 1;
        }
        if !is_whole {
            continue;
        }
        links.words += link.anchor.end.saturating_sub(link.anchor.start);
        links.without_words += u32::from(link.anchor.is_empty());
        links.deeper += u32::from(is_internal && path.len() > 1 && link.url.path().starts_with(path));
        let bits = addresses::kinds(link.url.as_str());
        for (kind, count) in links.kinds.iter_mut().enumerate() {
            *count += bits >> kind & 1;
        }
    }
    links
}

/// Tells the nine features of the paper.
pub(crate) fn nine(page: &ParsedPage, lexicon: &Lexicon, mut tell: impl FnMut(Name, f32)) {
    let walk = walk(page, lexicon);
    let links = links(page, false);
    tell_nine(page, &walk, &links, &mut tell);
}

fn tell_nine(page: &ParsedPage, walk: &Walk, links: &Links, tell: &mut impl FnMut(Name, f32)) {
    let words = |section: usize| {
        let sum =
            walk.counts.get(section).copied().unwrap_or(0) + walk.title.get(section).copied().unwrap_or(0);
        sum as f32
    };
    tell(Name("text", "length"), page.visible_chars as f32);
    tell(Name("links", "internal"), links.internal as f32);
    tell(Name("links", "external"), links.external as f32);
    tell(Name("words", "video"), words(VIDEO));
    tell(Name("objects", "media"), page.tags.media as f32);
    tell(Name("words", "image"), words(IMAGE));
    tell(Name("objects", "images"), page.tags.images as f32);
    tell(Name("words", "blog"), words(BLOG));
    tell(Name("words", "news"), words(NEWS));
}

/// Tells all features: the nine, and what structure, markup, addresses and more words say.
pub(crate) fn rich(page: &ParsedPage, lexicon: &Lexicon, mut tell: impl FnMut(Name, f32)) {
    let tell = &mut tell;
    let walk = walk(page, lexicon);
    let links = links(page, true);
    tell_nine(page, &walk, &links, tell);
    let words = walk.words.max(1) as f32;
    let all_links = (links.internal + links.external).max(1) as f32;
    let elements = page.tags.elements.max(1) as f32;
    let share = |part: u32, whole: f32| part as f32 / whole;

    tell(Name("text", "words"), walk.words as f32);
    tell(
        Name("text", "share in long blocks"),
        share(walk.words_in_long_blocks, words),
    );
    tell(Name("text", "long blocks"), walk.long_blocks as f32);
    tell(Name("text", "longest block"), walk.longest_block as f32);
    tell(Name("text", "words a block"), words / walk.blocks.max(1) as f32);
    tell(
        Name("text", "short blocks"),
        share(walk.short_blocks, walk.blocks.max(1) as f32),
    );
    tell(Name("text", "numbers"), share(walk.numbers, words));
    tell(Name("text", "years"), walk.years as f32);
    tell(Name("text", "share of years"), share(walk.years, words));
    tell(Name("text", "prices"), page.hints.prices as f32);
    tell(Name("text", "share of prices"), share(page.hints.prices, words));
    tell(Name("text", "words an element"), words / elements);
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
        tell(Name("elements a word:", name), share(count, words));
    }

    let mut in_address = Counts::default();
    lexicon.count_tokens(&url_words(page.url.as_str()), &mut in_address);
    for (section, name) in SECTIONS.iter().enumerate() {
        let of = |counts: &Counts| counts.get(section).copied().unwrap_or(0);
        tell(Name("words of", name), of(&walk.counts) as f32);
        tell(Name("share of words of", name), share(of(&walk.counts), words));
        tell(Name("title words of", name), of(&walk.title) as f32);
        tell(Name("address words of", name), of(&in_address) as f32);
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
    let own = addresses::kinds(page.url.as_str());
    for (kind, name) in KINDS.iter().enumerate() {
        tell(Name("address of kind", name), (own >> kind & 1) as f32);
        let count = links.kinds.get(kind).copied().unwrap_or(0);
        tell(Name("share of links of kind", name), share(count, all_links));
    }
}
