//! A page as a judge that weighs fields sees it: how often each term occurs in the text, in links, headings, the title and
//! the URL.
//!
//! This is all that is kept of a page to learn from it later, so it is small and its own copy. Deliberately absent: the
//! order of words.

use std::collections::HashMap;

use scenthound_types::ParsedPage;
use scenthound_types::text::{Language, StopList, Text, Token};

use super::manner::SmallWords;
use super::stem::{id_of, stem, term_id};
use super::votes::Votes;

/// The most different terms kept of a page. A dictionary page has more, and says nothing with most of them.
const MOST_TERMS: usize = 4_000;

/// How often a term occurs in each field of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FieldCounts {
    /// In running text.
    pub body: u16,
    /// In the words of links, which are navigation more often than text.
    pub link: u16,
    /// In the title.
    pub title: u16,
    /// In headings.
    pub heading: u16,
    /// In the URL.
    pub url: u16,
}

impl FieldCounts {
    /// By field, in the order of the bytes that are stored.
    fn all(&self) -> [u16; 5] {
        [self.body, self.link, self.title, self.heading, self.url]
    }

    fn of([body, link, title, heading, url]: [u16; 5]) -> FieldCounts {
        FieldCounts {
            body,
            link,
            title,
            heading,
            url,
        }
    }

    /// The count with every field weighed.
    #[inline]
    pub(super) fn weighed(&self, heading: f32, title: f32, url: f32) -> f32 {
        f32::from(self.body)
            + f32::from(self.link)
            + heading * f32::from(self.heading)
            + title * f32::from(self.title)
            + url * f32::from(self.url)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Entry {
    id: u32,
    counts: FieldCounts,
    /// Where the spelling ends in `spellings`.
    end: u32,
}

/// The terms of a page by field, without stop words.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PageFields {
    /// By id.
    entries: Vec<Entry>,
    /// Stems, in the order of the entries.
    spellings: String,
    /// Words in the text, stop words left out.
    length: u32,
    /// How often two words of the query stand near each other.
    pairs: u16,
    /// The host it comes from, as a hash.
    site: u32,
    small_words: SmallWords,
    votes: Votes,
}

/// Two words of a query are near each other if no more than this many words are between them.
const NEAR: u32 = 3;

/// Where on the page a word stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Body,
    Link,
    Title,
    Heading,
}

impl PageFields {
    /// How many words stand outside of links and in them, stop words left out.
    pub(super) fn words(&self) -> (u32, u32) {
        let (mut body, mut link) = (0, 0);
        for entry in &self.entries {
            body += u32::from(entry.counts.body);
            link += u32::from(entry.counts.link);
        }
        (body, link)
    }

    /// Reads a page for no query in particular.
    pub fn read(page: &ParsedPage) -> PageFields {
        PageFields::of(page, None, &[])
    }

    /// Reads a page. Stop words of its language and of the topic's language are left out. Of the terms of a query, given
    /// by their numbers, it also counts how often two stand near each other.
    pub(super) fn of(page: &ParsedPage, language: Option<Language>, query: &[u32]) -> PageFields {
        let stops = Stops::new([page.language, language]);
        let fields = fields_of(page);
        let mut counts = TermCounts::with_room(page.text.len() as usize / 3);
        let (mut length, mut pairs) = (0, 0_u16);
        let mut small_words = SmallWords::default();
        let mut before: Option<(u32, u32)> = None;
        for (at, token) in (0_u32..).zip(page.text.tokens()) {
            if !token.is_word() {
                continue;
            }
            if stops.contains(*token) {
                small_words.count(*token);
                continue;
            }
            let id = term_id(&page.text, at, *token);
            let held = counts.of(id, at, query);
            let counts = &mut held.counts;
            let counter = match fields.get(at as usize).copied().unwrap_or(Field::Body) {
                Field::Body => &mut counts.body,
                Field::Link => &mut counts.link,
                Field::Title => &mut counts.title,
                Field::Heading => &mut counts.heading,
            };
            *counter = counter.saturating_add(1);
            length += 1;
            if held.is_wanted {
                let is_pair = before.is_some_and(|(other, place)| other != id && at - place <= NEAR + 1);
                pairs = pairs.saturating_add(u16::from(is_pair));
                before = Some((id, at));
            }
        }
        let mut of_url: HashMap<u32, String, crate::topic::ById> = HashMap::default();
        // The path of a file on this machine is not an address that its author chose.
        let is_file = page.url.host().ends_with(".invalid");
        let address = if is_file { "" } else { page.url.path_and_query() };
        for word in address_words(address) {
            let word = stem(&word).into_owned();
            let id = id_of(Token::of(&word));
            let counts = &mut counts.of(id, u32::MAX, query).counts;
            counts.url = counts.url.saturating_add(1);
            of_url.insert(id, word);
        }
        let order = counts.by_id();
        let mut read = PageFields {
            entries: Vec::with_capacity(order.len()),
            spellings: String::with_capacity(order.len() * 8),
            length,
            pairs,
            site: id_of(Token::of(page.url.host())),
            small_words,
            votes: Votes::default(),
        };
        for HeldTerm { id, counts, at, .. } in order {
            // Only what is in the URL alone is spelled there.
            match (at == u32::MAX).then(|| of_url.get(&id)).flatten() {
                Some(word) => read.spellings.push_str(word),
                None => read.spellings.push_str(&stem(page.text.spelling(at))),
            }
            read.entries.push(Entry {
                id,
                counts,
                end: read.spellings.len() as u32,
            });
        }
        read
    }

    /// The same with what the genre detector says of the page.
    pub(super) fn with_votes(mut self, votes: Votes) -> PageFields {
        self.votes = votes;
        self
    }

    /// Whether it is the same page as far as its words go. One of the two may have been shown to the genre detector.
    pub(super) fn has_words_of(&self, other: &PageFields) -> bool {
        self.entries == other.entries
            && self.length == other.length
            && self.site == other.site
            && self.small_words == other.small_words
    }

    /// Terms and counts, by id.
    pub(super) fn terms(&self) -> impl Iterator<Item = (u32, &FieldCounts)> + Clone {
        self.entries.iter().map(|entry| (entry.id, &entry.counts))
    }

    /// Terms with their stems, by id.
    pub(super) fn spelled(&self) -> impl Iterator<Item = (u32, &str)> {
        let mut start = 0;
        self.entries.iter().map(move |entry| {
            let end = entry.end as usize;
            let spelling = self.spellings.get(start..end).unwrap_or_default();
            start = end;
            (entry.id, spelling)
        })
    }

    /// The counts of one term.
    pub(super) fn get(&self, id: u32) -> FieldCounts {
        let at = self.entries.binary_search_by_key(&id, |entry| entry.id);
        at.ok()
            .and_then(|at| self.entries.get(at))
            .map_or_else(FieldCounts::default, |entry| entry.counts)
    }

    /// Words in the text, stop words left out.
    pub fn length(&self) -> u32 {
        self.length
    }

    /// How often two words of the query stand near each other.
    pub(super) fn pairs(&self) -> u16 {
        self.pairs
    }

    /// The host it comes from, as a hash.
    pub(super) fn site(&self) -> u32 {
        self.site
    }

    pub(super) fn small_words(&self) -> &SmallWords {
        &self.small_words
    }

    /// What kind of page it is, if the genre detector was asked.
    pub(super) fn votes(&self) -> &Votes {
        &self.votes
    }

    /// How many different terms there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The bytes a storage keeps. They are written for a good part of the pages of a short crawl, so they are few: nearly all
    /// counts of a term are 0, and nearly all others below 128.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(16 + self.entries.len() * 8 + self.spellings.len());
        bytes.extend(COMPACT);
        bytes.extend(self.length.to_le_bytes());
        bytes.extend(self.pairs.to_le_bytes());
        bytes.extend(self.site.to_le_bytes());
        bytes.extend((self.entries.len() as u32).to_le_bytes());
        let mut start = 0;
        for Entry { id, counts, end } in &self.entries {
            bytes.extend(id.to_le_bytes());
            put_small(end - start, &mut bytes);
            start = *end;
            let counts = counts.all();
            let are_there = (0..).zip(counts).map(|(at, count)| u8::from(count > 0) << at);
            bytes.push(are_there.sum());
            for count in counts.into_iter().filter(|count| *count > 0) {
                put_small(count.into(), &mut bytes);
            }
        }
        bytes.extend(self.spellings.as_bytes());
        bytes.extend(self.small_words.to_bytes());
        bytes.extend(self.votes.bytes());
        bytes
    }

    /// Reads what [`PageFields::to_bytes`] writes, or wrote before it left out what is 0; `None` for any other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<PageFields> {
        let (rest, is_compact) = match bytes.strip_prefix(&COMPACT) {
            Some(rest) => (rest, true),
            None => (bytes, false),
        };
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let (pairs, rest) = rest.split_first_chunk::<2>()?;
        let (site, rest) = rest.split_first_chunk::<4>()?;
        let (count, mut rest) = rest.split_first_chunk::<4>()?;
        let count = u32::from_le_bytes(*count) as usize;
        let mut entries: Vec<Entry> = Vec::with_capacity(count.min(rest.len() / 6));
        for _ in 0..count {
            let (id, after) = rest.split_first_chunk::<4>()?;
            rest = after;
            let mut counts = [0; 5];
            let end = if is_compact {
                let start = entries.last().map_or(0, |entry| entry.end);
                let end = start.checked_add(small(&mut rest)?)?;
                let are_there = small(&mut rest)?;
                for (_, count) in (0..).zip(&mut counts).filter(|(at, _)| are_there >> at & 1 == 1) {
                    *count = small(&mut rest)?.try_into().ok()?;
                }
                end
            } else {
                let (end, after) = rest.split_first_chunk::<4>()?;
                rest = after;
                for count in &mut counts {
                    let (two, after) = rest.split_first_chunk::<2>()?;
                    *count = u16::from_le_bytes(*two);
                    rest = after;
                }
                u32::from_le_bytes(*end)
            };
            entries.push(Entry {
                id: u32::from_le_bytes(*id),
                counts: FieldCounts::of(counts),
                end,
            });
        }
        let are_in_order = entries.is_sorted_by(|a, b| a.id < b.id && a.end <= b.end);
        let ends = entries.last().map_or(0, |entry| entry.end as usize);
        let (spellings, rest) = rest.split_at_checked(ends)?;
        let (small_words, votes) = rest.split_at_checked(SmallWords::BYTES).unwrap_or((rest, &[]));
        are_in_order.then_some(PageFields {
            entries,
            spellings: std::str::from_utf8(spellings).ok()?.to_owned(),
            small_words: SmallWords::from_bytes(small_words)?,
            votes: Votes::from_bytes(votes),
            length: u32::from_le_bytes(*length),
            pairs: u16::from_le_bytes(*pairs),
            site: u32::from_le_bytes(*site),
        })
    }
}

/// How bytes begin in which counts that are 0 are left out. No page has as many words as this would be otherwise.
const COMPACT: [u8; 4] = [0xff; 4];

/// Appends a number that is mostly small: seven bits in each byte, the lowest first.
fn put_small(mut number: u32, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number off the front of some bytes that [`put_small`] wrote.
fn small(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    for shift in (0..32).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 0x7f).checked_shl(shift)?;
        if *byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// What is counted of a term, while a page is read.
#[derive(Clone, Copy)]
struct HeldTerm {
    id: u32,
    counts: FieldCounts,
    /// Whether it is a term of the query.
    is_wanted: bool,
    /// Where it stands first.
    at: u32,
}

/// Counts by term, while a page is read. Most words of a page occur on it before, and a plain table finds those with fewer steps
/// than a hash map that is made for any use.
struct TermCounts {
    /// The number of a term above one more than its place in `held`, in the slot that its highest bits say or in one after that; 0
    /// in a free slot. At least half of them are free, and their number is a power of two.
    slots: Vec<u64>,
    held: Vec<HeldTerm>,
}

impl TermCounts {
    fn with_room(terms: usize) -> TermCounts {
        TermCounts {
            slots: vec![0; (2 * terms.max(32)).next_power_of_two()],
            held: Vec::with_capacity(terms),
        }
    }

    /// What is counted of a term, which stands here if it is new.
    #[inline]
    fn of(&mut self, id: u32, at: u32, query: &[u32]) -> &mut HeldTerm {
        let mask = self.slots.len() - 1;
        let mut slot = home(id, self.slots.len());
        loop {
            // The slot is always within the table.
            let held = self.slots.get(slot).map_or(0, |held| *held);
            if held == 0 {
                return self.insert(slot, id, at, query);
            }
            if (held >> 32) as u32 == id {
                return &mut self.held[held as u32 as usize - 1];
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Kept out of [`TermCounts::of`], which finds most terms and is small without it.
    #[inline(never)]
    fn insert(&mut self, slot: usize, id: u32, at: u32, query: &[u32]) -> &mut HeldTerm {
        let place = self.held.len();
        self.held.push(HeldTerm {
            id,
            counts: FieldCounts::default(),
            is_wanted: query.contains(&id),
            at,
        });
        if let Some(slot) = self.slots.get_mut(slot) {
            *slot = u64::from(id) << 32 | (place as u64 + 1);
        }
        if 2 * self.held.len() > self.slots.len() {
            self.grow();
        }
        &mut self.held[place]
    }

    fn grow(&mut self) {
        let mut slots = vec![0; 2 * self.slots.len()];
        for held in self.slots.iter().filter(|held| **held != 0) {
            let mut slot = home((held >> 32) as u32, slots.len());
            while slots.get(slot).is_some_and(|taken| *taken != 0) {
                slot = (slot + 1) & (slots.len() - 1);
            }
            if let Some(slot) = slots.get_mut(slot) {
                *slot = *held;
            }
        }
        self.slots = slots;
    }

    /// The terms by id, at most [`MOST_TERMS`]: those that occur most often.
    fn by_id(self) -> Vec<HeldTerm> {
        let held = self.held;
        let mut order: Vec<u64> = Vec::with_capacity(held.len());
        // Each slot is at most a few places from where it belongs.
        for slot in self.slots.into_iter().filter(|slot| *slot != 0) {
            let before = order.iter().rposition(|other| *other < slot);
            order.insert(before.map_or(0, |before| before + 1), slot);
        }
        let term = |slot: u64| held[slot as u32 as usize - 1];
        if order.len() > MOST_TERMS {
            order.sort_unstable_by_key(|slot| {
                let counts = term(*slot).counts;
                (
                    std::cmp::Reverse(counts.weighed(5.0, 5.0, 5.0) as u32),
                    slot >> 32,
                )
            });
            order.truncate(MOST_TERMS);
            order.sort_unstable();
        }
        order.into_iter().map(term).collect()
    }
}

/// Where a term is looked for first in a table of this many slots, a power of two and at least two: terms are hashes, so their
/// highest bits spread them, and keep them nearly in order.
#[inline]
fn home(id: u32, slots: usize) -> usize {
    id as usize >> (32 - slots.trailing_zeros())
}

/// The words of a path and query in Latin letters. Numbers are split off: `cs432` is about `cs`. What every address has says
/// nothing.
fn address_words(path: &str) -> impl Iterator<Item = String> {
    let letters = path.split(|c: char| !c.is_ascii_alphabetic());
    letters
        .filter(|word| word.len() > 1)
        .map(str::to_ascii_lowercase)
        .filter(|word| {
            !matches!(
                word.as_str(),
                "html" | "htm" | "index" | "php" | "www" | "asp" | "aspx" | "jsp"
            )
        })
}

/// The field of each position of a page's text.
fn fields_of(page: &ParsedPage) -> Vec<Field> {
    let mut fields = vec![Field::Body; page.text.len() as usize];
    let mut mark = |run: std::ops::Range<u32>, field| {
        if let Some(run) = fields.get_mut(run.start as usize..run.end as usize) {
            run.fill(field);
        }
    };
    for link in &page.links {
        mark(link.anchor.clone(), Field::Link);
    }
    for heading in &page.headings {
        mark(heading.clone(), Field::Heading);
    }
    if !page.title.is_empty() {
        mark(0..title_length(&page.text), Field::Title);
    }
    fields
}

/// The title's words are the first block of the text.
fn title_length(text: &Text) -> u32 {
    let words = text.tokens().iter().take_while(|token| token.is_word());
    words.count() as u32
}

/// The stop words of a few languages.
pub(super) struct Stops(Vec<&'static StopList>);

impl Stops {
    /// No stop words.
    pub(super) fn none() -> Stops {
        Stops(Vec::new())
    }

    pub(super) fn new(languages: [Option<Language>; 2]) -> Stops {
        let mut lists: Vec<&'static StopList> = languages.into_iter().flatten().map(StopList::of).collect();
        lists.dedup_by(|a, b| std::ptr::eq(*a, *b));
        // Most of the web is in English, and pages in other languages borrow its small words.
        if let Some(english) = Language::from_code("en").map(StopList::of)
            && !lists.iter().any(|list| std::ptr::eq(*list, english))
        {
            lists.push(english);
        }
        Stops(lists)
    }

    pub(super) fn contains(&self, token: Token) -> bool {
        self.0.iter().any(|list| list.contains(token))
    }
}

#[cfg(test)]
mod tests {
    use scenthound_parse::{Limits, PageInput, parse};
    use scenthound_types::CanonicalUrl;

    use super::*;

    fn read(html: &str) -> PageFields {
        let url = CanonicalUrl::parse("http://a.test/teas/green.html").unwrap();
        let input = PageInput {
            url: &url,
            content_type: Some("text/html; charset=utf-8"),
            body: html.as_bytes(),
            truncated: false,
        };
        PageFields::of(&parse(&input, &Limits::default()), None, &[])
    }

    fn counts(fields: &PageFields, word: &str) -> FieldCounts {
        fields.get(id_of(Token::of(&stem(word))))
    }

    #[test]
    fn every_field_is_counted_on_its_own_and_stop_words_are_not() {
        let page = read(
            "<title>Green teas</title><h1>Tea</h1><p>The tea and the cup: tea. <a href=/x>more teas</a></p>",
        );
        assert_eq!(
            counts(&page, "tea"),
            FieldCounts {
                body: 2,
                link: 1,
                title: 1,
                heading: 1,
                url: 1
            }
        );
        assert_eq!(counts(&page, "green").url, 1);
        assert_eq!(counts(&page, "the"), FieldCounts::default());
        assert_eq!(counts(&page, "cup").body, 1);
        assert_eq!(page.length(), 7);
    }

    #[test]
    fn fields_come_back_from_their_bytes_and_nothing_else_does() {
        let page = read("<title>Tea</title>Oolong tea, Tee, 緑茶です");
        let bytes = page.to_bytes();
        assert_eq!(PageFields::from_bytes(&bytes), Some(page));
        assert_eq!(PageFields::from_bytes(&bytes[..bytes.len() - 1]), None);
        assert_eq!(PageFields::from_bytes(&[7; 9]), None);
        assert_eq!(PageFields::from_bytes(&[]), None);
    }

    #[test]
    fn pages_that_were_stored_with_every_count_are_read() {
        let mut before = Vec::new();
        before.extend([2_u32.to_le_bytes(), [0, 0, 7, 0]].concat());
        before.extend([0, 0]);
        before.extend([1_u32, 500, 3].map(u32::to_le_bytes).concat());
        before.extend([2_u16, 0, 300, 0, 0].map(u16::to_le_bytes).concat());
        before.extend(b"tea");
        let page = PageFields::from_bytes(&before).unwrap();
        assert_eq!((page.length(), page.site()), (2, 7));
        assert_eq!((page.get(500).body, page.get(500).title), (2, 300));
        assert_eq!(page.spelled().collect::<Vec<_>>(), [(500, "tea")]);
        assert_eq!(PageFields::from_bytes(&page.to_bytes()), Some(page));
    }
}
