//! The words that identify kinds of pages, per language, as data that users can extend.
//!
//! A list is text: a line `[shop]` begins a section, and each line below it is a word or phrase of that kind of page.
//! `*blog*` is also found inside longer words; `#` begins a comment. The sections video, image, blog and news belong
//! to the nine features; further words of such pages go under `[blog page]` and so on. All lists are counted,
//! whatever the language of a page: pages mix languages, and the words hardly clash.
//!
//! Invariant: words are counted only by tokens and their spellings, so a page read back from a cache counts like the
//! page itself.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use scenthound_types::text::{Text, Token, TokenRange};
use scenthound_types::{WordListLine, read_word_list};
use serde::{Deserialize, Serialize};

use super::memory::Memory;
use super::note::{Alone, Note, Numeric, WordNotes};
use super::substrings::Substrings;
use crate::JudgeFault;

/// The kinds of pages and things that have words, by section name.
pub(crate) const SECTIONS: [&str; 23] = [
    "video",
    "image",
    "blog",
    "news",
    "video page",
    "image page",
    "blog page",
    "news page",
    "forum",
    "shop",
    "listing",
    "documentation",
    "service",
    "course",
    "job",
    "home",
    "audio",
    "month",
    "comment",
    "you",
    "i",
    "weekday",
    "newspaper",
];
/// Sections of the nine features.
pub(crate) const VIDEO: usize = 0;
pub(crate) const IMAGE: usize = 1;
pub(crate) const BLOG: usize = 2;
pub(crate) const NEWS: usize = 3;

/// How many tokens are checked together.
const RUN: usize = u64::BITS as usize;

/// The lists built into the program.
const SHIPPED: &[(&str, &str)] = &[
    ("de.txt", include_str!("words/de.txt")),
    ("en.txt", include_str!("words/en.txt")),
    ("es.txt", include_str!("words/es.txt")),
    ("fr.txt", include_str!("words/fr.txt")),
    ("ja.txt", include_str!("words/ja.txt")),
    ("pt.txt", include_str!("words/pt.txt")),
    ("zh.txt", include_str!("words/zh.txt")),
];

/// The words that the paper counts.
const PAPER: &str = "\
[video]
*video*
*動画*
[image]
*image*
*写真*
*画像*
[blog]
*blog*
*ブログ*
*日記*
[news]
*news*
*ニュース*
*新聞*
";

/// Words and phrases of kinds of pages.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct GenreWords {
    /// Section and word, as written.
    words: Vec<(u8, String)>,
}

impl GenreWords {
    /// The lists built into the program.
    pub fn shipped() -> GenreWords {
        let mut words = GenreWords::default();
        for (name, text) in SHIPPED {
            // A test reads them all.
            let _ = words.add(name, text);
        }
        words
    }

    /// The words of the paper's nine features, and no others.
    pub fn paper() -> GenreWords {
        let mut words = GenreWords::default();
        // A test reads it.
        let _ = words.add("paper 2", PAPER);
        words
    }

    /// Adds a list; `name` is how messages refer to it.
    pub fn add(&mut self, name: &str, text: &str) -> Result<(), JudgeFault> {
        let mut section = 0;
        Ok(read_word_list(name, text, |line| {
            match line {
                WordListLine::Section(named) => {
                    let place = SECTIONS.iter().position(|known| *known == named);
                    section = place.ok_or_else(|| {
                        let sections = SECTIONS.join(", ");
                        format!("unknown section [{named}]; the sections are: {sections}")
                    })? as u8;
                }
                WordListLine::Words(words, _) => {
                    let word = (section, words.to_owned());
                    if !self.words.contains(&word) {
                        self.words.push(word);
                    }
                }
            }
            Ok(())
        })?)
    }

    /// The number of words and phrases.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// Keys are already hashes.
#[derive(Clone, Copy, Default)]
struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _bytes: &[u8]) {}

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

#[derive(Clone, Debug)]
struct Entry {
    section: u8,
    /// The tokens after the first.
    rest: Vec<Token>,
}

/// A set of hashes with possible false positives, consulted before a slower table.
#[derive(Clone, Debug)]
struct Filter {
    bits: Vec<u64>,
}

impl Filter {
    const BITS: u64 = 1 << 15;

    fn new() -> Filter {
        Filter {
            bits: vec![0; (Filter::BITS / 64) as usize],
        }
    }

    fn put(&mut self, hash: u64) {
        let bit = hash % Filter::BITS;
        if let Some(bits) = self.bits.get_mut((bit / 64) as usize) {
            *bits |= 1 << (bit % 64);
        }
    }

    #[inline]
    fn may_hold(&self, hash: u64) -> bool {
        let bit = hash % Filter::BITS;
        self.bits
            .get((bit / 64) as usize)
            .is_some_and(|bits| bits & (1 << (bit % 64)) != 0)
    }
}

/// One hash for the first two words of a phrase.
#[inline]
fn pair(first: Token, second: Token) -> u64 {
    first.hash() ^ second.hash().rotate_left(32)
}

/// Words ready to be counted.
#[derive(Clone, Debug)]
pub(crate) struct WordLists {
    firsts: Filter,
    /// Only looked up, never iterated.
    by_first: HashMap<u64, Vec<Entry>, BuildHasherDefault<AsIs>>,
    /// How phrases begin: far fewer positions of a page pass this than contain the first word of some phrase.
    pairs: Filter,
    inside: Substrings,
    /// The shortest string that is looked for inside words.
    shortest_inside: usize,
    memory: Memory,
}

impl WordLists {
    pub(crate) fn new(words: &GenreWords) -> WordLists {
        let mut lists = WordLists {
            firsts: Filter::new(),
            by_first: HashMap::default(),
            pairs: Filter::new(),
            inside: Substrings::new(std::iter::empty()),
            shortest_inside: usize::MAX,
            memory: Memory::default(),
        };
        let mut inside: Vec<(String, u8)> = Vec::new();
        for (section, word) in &words.words {
            let bare = word.trim_matches('*');
            let mut text = Text::default();
            text.push(bare);
            let is_inside = bare.len() < word.len();
            // Text in scripts without spaces arrives as pairs of characters, so a word is found inside others anyway.
            if is_inside && text.len() == 1 && text.spelling(0).chars().count() > 2 {
                inside.push((text.spelling(0).to_owned(), *section));
                continue;
            }
            let Some((first, rest)) = text.tokens().split_first() else {
                continue;
            };
            lists.firsts.put(first.hash());
            if let Some(second) = rest.first() {
                lists.pairs.put(pair(*first, *second));
            }
            lists.by_first.entry(first.hash()).or_default().push(Entry {
                section: *section,
                rest: rest.to_vec(),
            });
        }
        lists.shortest_inside = inside
            .iter()
            .map(|(string, _)| string.len())
            .min()
            .unwrap_or(usize::MAX);
        lists.inside = Substrings::new(inside.iter().map(|(string, section)| (string.as_str(), *section)));
        lists
    }

    /// Counts the words and phrases that begin within a run of a text.
    pub(crate) fn count(&self, text: &Text, range: TokenRange) -> WordNotes {
        let mut counts = WordNotes::default();
        // Most words are known to count for nothing, and are skipped by the dozen.
        let runs = text.run(&range).chunks(RUN);
        for (first, tokens) in (range.start..).step_by(RUN).zip(runs) {
            let mut remarkable = self.remarkable(tokens);
            while remarkable != 0 {
                let at = remarkable.trailing_zeros();
                remarkable &= remarkable - 1;
                if let Some(token) = tokens.get(at as usize) {
                    self.count_at(text, first + at, *token, &mut counts);
                }
            }
        }
        counts
    }

    /// Which of the first [`RUN`] tokens are words not known to count for nothing, as bits.
    #[inline]
    fn remarkable(&self, tokens: &[Token]) -> u64 {
        let mut bits = 0;
        for (at, token) in (0..RUN).zip(tokens) {
            bits |= u64::from(token.is_word() & !self.memory.is_blank(*token)) << at;
        }
        bits
    }

    #[inline]
    fn count_at(&self, text: &Text, position: u32, token: Token, counts: &mut WordNotes) {
        let note = match self.memory.of(token) {
            Some(note) => Note(note),
            None => self.find_out(text.spelling(position), token),
        };
        counts.add(note);
        if note.is_often() {
            self.alone(text.spelling(position), token, |section| counts.count(section));
        }
        let next = text
            .tokens()
            .get(position as usize + 1)
            .copied()
            .unwrap_or(Token::BREAK);
        if note.begins_phrases() & self.pairs.may_hold(pair(token, next)) {
            self.count_phrases(text, position, token, counts);
        }
    }

    #[inline(never)]
    fn count_phrases(&self, text: &Text, position: u32, token: Token, counts: &mut WordNotes) {
        let behind = text.tokens().get(position as usize + 1..).unwrap_or_default();
        for entry in self.beginning_with(token) {
            if !entry.rest.is_empty() && behind.starts_with(&entry.rest) {
                counts.count(entry.section);
            }
        }
    }

    /// Analyses a word and caches the result.
    #[inline(never)]
    fn find_out(&self, spelling: &str, token: Token) -> Note {
        let mut alone = Alone::Nothing;
        self.alone(spelling, token, |section| {
            alone = match alone {
                Alone::Nothing => Alone::Once(section),
                Alone::Once(_) | Alone::Often => Alone::Often,
            };
        });
        let begins_phrases = self
            .beginning_with(token)
            .iter()
            .any(|entry| !entry.rest.is_empty());
        let note = Note::new(Numeric::of(spelling), alone, begins_phrases);
        self.memory.keep(token, note.0);
        note
    }

    /// Reports the sections a word counts for by itself.
    fn alone(&self, spelling: &str, token: Token, mut tell: impl FnMut(u8)) {
        if spelling.len() >= self.shortest_inside {
            self.inside.each(spelling.as_bytes(), &mut tell);
        }
        for entry in self.beginning_with(token) {
            if entry.rest.is_empty() {
                tell(entry.section);
            }
        }
    }

    /// Counts the words of a few tokens, but not those inside other words.
    pub(crate) fn count_tokens(&self, tokens: &[Token]) -> WordNotes {
        let mut counts = WordNotes::default();
        for (at, token) in tokens.iter().enumerate() {
            for entry in self.beginning_with(*token) {
                let behind = tokens.get(at + 1..).unwrap_or_default();
                if behind.starts_with(&entry.rest) {
                    counts.count(entry.section);
                }
            }
        }
        counts
    }

    #[inline]
    fn beginning_with(&self, token: Token) -> &[Entry] {
        if !self.firsts.may_hold(token.hash()) {
            return &[];
        }
        self.by_first.get(&token.hash()).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(words: &str, page: &str) -> Vec<(&'static str, u32)> {
        let mut list = GenreWords::default();
        list.add("test", words).unwrap();
        let lists = WordLists::new(&list);
        let mut text = Text::default();
        text.push(page);
        let count = || {
            let counts = lists.count(&text, 0..text.len());
            (0..)
                .zip(SECTIONS)
                .map(move |(section, name)| (name, counts.of(section)))
        };
        let found: Vec<_> = count().filter(|(_, count)| *count > 0).collect();
        let again: Vec<_> = count().filter(|(_, count)| *count > 0).collect();
        assert_eq!(
            found, again,
            "cached words count like words seen for the first time"
        );
        found
    }

    #[test]
    fn words_are_counted_whole_or_inside_others_in_any_case() {
        let words = "[blog]\n*blog* # inside too\n[shop]\nadd to cart\nprice";
        assert_eq!(
            counted(words, "My Weblog, a BLOG of bloggers. Prices"),
            [("blog", 3)]
        );
        assert_eq!(
            counted(words, "Add to cart: price. Add to the cart"),
            [("shop", 2)]
        );
    }

    #[test]
    fn words_of_scripts_without_spaces_are_found_inside_runs() {
        let words = "[blog]\n*ブログ*\n*日記*\n[news]\n*ニュース*\n[video]\n*動画*";
        assert_eq!(
            counted(words, "私のブログ日記へようこそ。動画ニュース"),
            [("video", 1), ("blog", 2), ("news", 1)]
        );
    }

    #[test]
    fn the_built_in_lists_are_valid() {
        let mut words = GenreWords::default();
        for (name, text) in SHIPPED {
            words.add(name, text).unwrap();
        }
        assert_eq!(words, GenreWords::shipped());
        for (number, section) in SECTIONS.iter().enumerate() {
            assert!(
                words.words.iter().any(|(of, _)| usize::from(*of) == number),
                "no words for {section}"
            );
        }
    }

    #[test]
    fn faults_in_a_list_name_the_line() {
        let mut words = GenreWords::default();
        let fault = words
            .add("my.txt", "[blog]\nblog\n[blgo]\n")
            .unwrap_err()
            .to_string();
        assert!(fault.contains("my.txt:3") && fault.contains("[blgo]"), "{fault}");
        let fault = words.add("my.txt", "blog").unwrap_err().to_string();
        assert!(fault.contains("my.txt:1") && fault.contains("[blog]"), "{fault}");
    }
}
