//! The words by which kinds of pages give themselves away, per language, as data a user can add to.
//!
//! A list is text: a line `[shop]` begins a section, and each line below it is a word or a phrase of that kind of page.
//! `*blog*` is found inside longer words too; `#` begins a comment. The sections video, image, blog and news are those of
//! the nine features; further words of such pages stand under `[blog page]` and so on. Whatever the language of a page, all lists are
//! counted: pages mix languages, and the words hardly clash.
//!
//! Invariant: words are counted by tokens and their spellings only, so a page read back from a cache counts like the page
//! itself.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use scenthound_text::{Text, Token, tokenize};
use serde::{Deserialize, Serialize};

use super::substrings::Substrings;
use crate::JudgeFault;

/// The kinds of pages and things that have words, by the names of their sections.
pub(crate) const SECTIONS: [&str; 21] = [
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
];
/// Of the nine features.
pub(crate) const VIDEO: usize = 0;
pub(crate) const IMAGE: usize = 1;
pub(crate) const BLOG: usize = 2;
pub(crate) const NEWS: usize = 3;

/// How often words of each section occur.
pub(crate) type Counts = [u32; SECTIONS.len()];

/// Lists that come with the program.
const SHIPPED: &[(&str, &str)] = &[
    ("de.txt", include_str!("words/de.txt")),
    ("en.txt", include_str!("words/en.txt")),
    ("es.txt", include_str!("words/es.txt")),
    ("fr.txt", include_str!("words/fr.txt")),
    ("ja.txt", include_str!("words/ja.txt")),
    ("pt.txt", include_str!("words/pt.txt")),
    ("zh.txt", include_str!("words/zh.txt")),
];

/// Words and phrases of kinds of pages.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct GenreWords {
    /// Section and word, as written.
    words: Vec<(u8, String)>,
}

impl GenreWords {
    /// The lists that come with the program.
    pub fn shipped() -> GenreWords {
        let mut words = GenreWords::default();
        for (name, text) in SHIPPED {
            // A test reads them all.
            let _ = words.add(name, text);
        }
        words
    }

    /// Adds a list; `name` is what messages call it.
    pub fn add(&mut self, name: &str, text: &str) -> Result<(), JudgeFault> {
        let mut section = None;
        for (number, line) in text.lines().enumerate() {
            let fault = |what: String| JudgeFault::GenreWords {
                list: name.to_owned(),
                line: number + 1,
                what,
            };
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            if let Some(named) = line.strip_prefix('[') {
                let named = named.trim_end_matches(']').trim();
                let place = SECTIONS.iter().position(|known| *known == named).ok_or_else(|| {
                    fault(format!(
                        "there is no section [{named}]; there are: {}",
                        SECTIONS.join(", ")
                    ))
                })?;
                section = Some(place as u8);
                continue;
            }
            let Some(section) = section else {
                return Err(fault(format!(
                    "{line:?} stands before any section; begin with a line such as [blog]"
                )));
            };
            if tokenize(line).is_empty() {
                return Err(fault(format!("{line:?} holds no word")));
            }
            let word = (section, line.to_owned());
            if !self.words.contains(&word) {
                self.words.push(word);
            }
        }
        Ok(())
    }

    /// How many words and phrases there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// Keys are hashes already.
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
    /// The tokens behind the first.
    rest: Vec<Token>,
}

/// What is known of a token before its place on the page is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Known {
    /// It is no word of any section.
    Nothing,
    /// It is a word of this section, and nothing else.
    Word(u8),
    /// It may begin a phrase, or hold words: what follows it must be looked at.
    Look,
}

/// Bits of the filter that most words of a page do not pass.
const FILTER_BITS: u64 = 1 << 15;

/// Words ready to be counted.
#[derive(Clone, Debug)]
pub(crate) struct Lexicon {
    filter: Vec<u64>,
    /// Only looked up, never walked.
    by_first: HashMap<u64, Vec<Entry>, BuildHasherDefault<AsIs>>,
    inside: Substrings,
    /// No string that is looked for inside words is shorter.
    shortest_inside: usize,
}

impl Lexicon {
    pub(crate) fn new(words: &GenreWords) -> Lexicon {
        let mut lexicon = Lexicon {
            filter: vec![0; (FILTER_BITS / 64) as usize],
            by_first: HashMap::default(),
            inside: Substrings::new(std::iter::empty()),
            shortest_inside: usize::MAX,
        };
        let mut inside: Vec<(String, u8)> = Vec::new();
        for (section, word) in &words.words {
            let bare = word.trim_matches('*');
            let mut text = Text::default();
            text.push(bare);
            let is_inside = bare.len() < word.len();
            // Scripts without spaces come as pairs of characters, so there a word is found inside others anyway.
            if is_inside && text.len() == 1 && text.spelling(0).chars().count() > 2 {
                inside.push((text.spelling(0).to_owned(), *section));
                continue;
            }
            let Some((first, rest)) = text.tokens().split_first() else {
                continue;
            };
            let bit = first.hash() % FILTER_BITS;
            if let Some(bits) = lexicon.filter.get_mut((bit / 64) as usize) {
                *bits |= 1 << (bit % 64);
            }
            lexicon.by_first.entry(first.hash()).or_default().push(Entry {
                section: *section,
                rest: rest.to_vec(),
            });
        }
        lexicon.shortest_inside = inside
            .iter()
            .map(|(string, _)| string.len())
            .min()
            .unwrap_or(usize::MAX);
        lexicon.inside = Substrings::new(inside.iter().map(|(string, section)| (string.as_str(), *section)));
        lexicon
    }

    /// What a token alone tells, wherever it stands.
    pub(crate) fn about(&self, spelling: &str, token: Token) -> Known {
        let entries = self.beginning_with(token);
        let mut is_inside = false;
        if spelling.len() >= self.shortest_inside {
            self.inside.each(spelling.as_bytes(), |_| is_inside = true);
        }
        match entries {
            [] if !is_inside => Known::Nothing,
            [entry] if !is_inside && entry.rest.is_empty() => Known::Word(entry.section),
            _ => Known::Look,
        }
    }

    /// Counts the words that begin at a position of a text.
    #[inline]
    pub(crate) fn count_at(&self, text: &Text, position: u32, token: Token, counts: &mut Counts) {
        let mut add = |section: u8| {
            if let Some(count) = counts.get_mut(usize::from(section)) {
                *count += 1;
            }
        };
        let spelling = text.spelling(position);
        if spelling.len() >= self.shortest_inside {
            self.inside.each(spelling.as_bytes(), &mut add);
        }
        for entry in self.beginning_with(token) {
            let behind = text.tokens().get(position as usize + 1..).unwrap_or_default();
            if behind.starts_with(&entry.rest) {
                add(entry.section);
            }
        }
    }

    /// Counts the words of a few tokens; none inside others.
    pub(crate) fn count_tokens(&self, tokens: &[Token], counts: &mut Counts) {
        for (at, token) in tokens.iter().enumerate() {
            for entry in self.beginning_with(*token) {
                let behind = tokens.get(at + 1..).unwrap_or_default();
                if behind.starts_with(&entry.rest)
                    && let Some(count) = counts.get_mut(usize::from(entry.section))
                {
                    *count += 1;
                }
            }
        }
    }

    #[inline]
    fn beginning_with(&self, token: Token) -> &[Entry] {
        let bit = token.hash() % FILTER_BITS;
        let passes = self
            .filter
            .get((bit / 64) as usize)
            .is_some_and(|bits| bits & (1 << (bit % 64)) != 0);
        if !passes {
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
        let lexicon = Lexicon::new(&list);
        let mut text = Text::default();
        text.push(page);
        let mut counts = Counts::default();
        for (position, token) in text.tokens().iter().enumerate() {
            lexicon.count_at(&text, position as u32, *token, &mut counts);
        }
        SECTIONS
            .iter()
            .copied()
            .zip(counts)
            .filter(|(_, count)| *count > 0)
            .collect()
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
    fn the_lists_that_come_with_the_program_are_sound() {
        let mut words = GenreWords::default();
        for (name, text) in SHIPPED {
            words.add(name, text).unwrap();
        }
        assert_eq!(words, GenreWords::shipped());
        for (number, section) in SECTIONS.iter().enumerate() {
            assert!(
                words.words.iter().any(|(of, _)| usize::from(*of) == number),
                "no word for {section}"
            );
        }
    }

    #[test]
    fn what_is_wrong_with_a_list_is_told_by_its_line() {
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
