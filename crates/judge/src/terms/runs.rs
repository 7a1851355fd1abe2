//! Counts runs of words.
//!
//! Stop words are dropped first: those of the page's language and those of the topic's. Then every run of one to
//! three consecutive words within one block is counted, unless it consists of numbers only.
//!
//! Memory is linear in the number of distinct runs. For a background only given runs are counted, so that a large
//! collection takes no more memory than the examples.

use std::collections::{HashMap, HashSet};

use scenthound_types::text::StopList;
use scenthound_types::{Language, Text, Token};

use crate::terms::spelling::write_run;
use crate::topic::Background;

/// The most words in a run.
pub const MOST_WORDS: usize = 3;

/// Up to three words; missing ones are breaks, at the end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Run([Token; MOST_WORDS]);

impl Run {
    /// The run of these words, if there are at most three.
    fn of(words: &[Token]) -> Option<Run> {
        let mut run = [Token::BREAK; MOST_WORDS];
        run.get_mut(..words.len())?.copy_from_slice(words);
        Some(Run(run))
    }

    pub(crate) fn tokens(&self) -> &[Token] {
        let words = self.0.iter().take_while(|token| token.is_word()).count();
        self.0.get(..words).unwrap_or_default()
    }

    /// Whether the other run is shorter and lies within this one.
    pub(crate) fn encloses(&self, other: &Run) -> bool {
        let (all, part) = (self.tokens(), other.tokens());
        part.len() < all.len() && all.windows(part.len()).any(|window| window == part)
    }
}

/// How often a run was seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) count: u64,
    pub(crate) documents: u64,
    /// The last document it was seen in, counted from 1.
    last: u64,
}

impl Seen {
    fn again_in(&mut self, document: u64) {
        self.count += 1;
        if self.last != document {
            self.last = document;
            self.documents += 1;
        }
    }
}

/// How many runs and documents were counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) runs: u64,
    pub(crate) documents: u64,
}

#[derive(Clone, Debug)]
struct Word {
    spelling: Box<str>,
    is_number: bool,
}

/// The stop words for pages in any language, together with the topic's.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stops {
    topic: Option<Language>,
    /// Unions computed so far, by the page's language.
    made: HashMap<Language, StopList>,
    none: StopList,
}

impl Stops {
    pub(crate) fn of_topic(topic: Option<Language>) -> Stops {
        Stops {
            topic,
            ..Stops::default()
        }
    }

    /// The words to drop from a page in a language.
    pub(crate) fn of_page(&mut self, page: Option<Language>) -> &StopList {
        match (self.topic, page.or(self.topic)) {
            (_, None) => &self.none,
            (None, Some(language)) => StopList::of(language),
            (Some(topic), Some(language)) if topic == language => StopList::of(language),
            (Some(topic), Some(language)) => self
                .made
                .entry(language)
                .or_insert_with(|| StopList::of(language).union(StopList::of(topic))),
        }
    }
}

/// All runs of the pages added, with their counts.
#[derive(Clone, Debug, Default)]
pub struct RunCounts {
    stops: Stops,
    words: HashMap<Token, Word>,
    seen: HashMap<Run, Seen>,
    totals: Totals,
}

impl RunCounts {
    /// An empty count, for a topic in this language.
    pub fn new(topic: Option<Language>) -> RunCounts {
        RunCounts {
            stops: Stops::of_topic(topic),
            ..RunCounts::default()
        }
    }

    /// Counts the runs of a page. A page without words does not count.
    pub fn add(&mut self, text: &Text, language: Option<Language>) {
        if text.is_empty() {
            return;
        }
        let RunCounts {
            stops,
            words,
            seen,
            totals,
        } = self;
        totals.documents += 1;
        let is_number = |token, spelling: &str| {
            let word = words.entry(token).or_insert_with(|| Word {
                is_number: is_number(spelling),
                spelling: spelling.into(),
            });
            word.is_number
        };
        each_run(text, stops.of_page(language), is_number, |run| {
            totals.runs += 1;
            seen.entry(run).or_default().again_in(totals.documents);
        });
    }

    /// The number of pages counted.
    pub fn documents(&self) -> u64 {
        self.totals.documents
    }

    /// The number of pages that contain a run of these words.
    pub fn documents_with(&self, words: &[Token]) -> u64 {
        let run = Run::of(words);
        run.and_then(|run| self.seen.get(&run))
            .map_or(0, |seen| seen.documents)
    }

    pub(crate) fn totals(&self) -> Totals {
        self.totals
    }

    pub(crate) fn seen(&self) -> impl Iterator<Item = (&Run, &Seen)> {
        self.seen.iter()
    }

    /// A run in readable form.
    pub(crate) fn write(&self, run: &Run) -> Option<String> {
        let words: Option<Vec<&str>> = run
            .tokens()
            .iter()
            .map(|token| self.words.get(token).map(|word| &*word.spelling))
            .collect();
        write_run(words?)
    }

    /// The words of a run, to sort by.
    pub(crate) fn sorting_key(&self, run: &Run) -> Vec<&str> {
        run.tokens()
            .iter()
            .map(|token| self.words.get(token).map_or("", |word| &*word.spelling))
            .collect()
    }
}

/// How often the runs of the examples occur in other pages.
#[derive(Clone, Debug)]
pub struct BackgroundCounts {
    stops: Stops,
    numbers: HashMap<Token, bool>,
    seen: HashMap<Run, Seen>,
    totals: Totals,
    /// Only pages are known, not how often a run occurs on them.
    pages_only: bool,
}

impl BackgroundCounts {
    /// An empty count of the runs in the examples, for a topic in this language.
    pub fn of(examples: &[&RunCounts], topic: Option<Language>) -> BackgroundCounts {
        let wanted: HashSet<Run> = examples
            .iter()
            .flat_map(|counts| counts.seen.keys().copied())
            .collect();
        BackgroundCounts {
            stops: Stops::of_topic(topic),
            numbers: HashMap::new(),
            seen: wanted.into_iter().map(|run| (run, Seen::default())).collect(),
            totals: Totals::default(),
            pages_only: false,
        }
    }

    /// The runs in the examples as the web at large has them, by a table of single words. A run of several words counts as its
    /// rarest one, which it is at least as rare as.
    pub fn at_large(examples: &[&RunCounts], table: &Background) -> BackgroundCounts {
        let pages = u64::from(table.pages());
        let mut counts = BackgroundCounts::of(examples, None);
        for (run, seen) in &mut counts.seen {
            let spelled = |token: &Token| {
                let word = examples.iter().find_map(|counts| counts.words.get(token));
                word.map_or("", |word| &*word.spelling)
            };
            let shares = run.tokens().iter().map(|token| table.share(spelled(token)));
            let share = shares.fold(1.0, f64::min);
            seen.documents = (share * pages as f64).round() as u64;
            seen.count = seen.documents;
        }
        counts.totals.documents = pages;
        counts.pages_only = true;
        counts
    }

    /// Whether only the number of pages with a run is known.
    pub(crate) fn knows_pages_only(&self) -> bool {
        self.pages_only
    }

    /// Counts the runs of a page.
    pub fn add(&mut self, text: &Text, language: Option<Language>) {
        if text.is_empty() {
            return;
        }
        let BackgroundCounts {
            stops,
            numbers,
            seen,
            totals,
            pages_only: _,
        } = self;
        totals.documents += 1;
        let is_number = |token, spelling: &str| *numbers.entry(token).or_insert_with(|| is_number(spelling));
        each_run(text, stops.of_page(language), is_number, |run| {
            totals.runs += 1;
            if let Some(seen) = seen.get_mut(&run) {
                seen.again_in(totals.documents);
            }
        });
    }

    /// The number of pages counted.
    pub fn documents(&self) -> u64 {
        self.totals.documents
    }

    pub(crate) fn totals(&self) -> Totals {
        self.totals
    }

    pub(crate) fn seen(&self, run: &Run) -> Seen {
        self.seen.get(run).copied().unwrap_or_default()
    }
}

fn is_number(spelling: &str) -> bool {
    !spelling.chars().any(char::is_alphabetic)
}

/// Passes on every run of a page, with stop words left out. The spelling shows whether a word is a number.
fn each_run(
    text: &Text,
    stop: &StopList,
    mut is_number: impl FnMut(Token, &str) -> bool,
    mut found: impl FnMut(Run),
) {
    let mut window = Window::default();
    for (position, token) in (0..).zip(text.tokens()) {
        if !token.is_word() {
            window.clear();
        } else if !stop.contains(*token) {
            let is_number = is_number(*token, text.spelling(position));
            window.push(*token, is_number, &mut found);
        }
    }
}

/// The latest words of the current block.
#[derive(Default)]
struct Window {
    /// The latest word is last; the flag says whether it is a number.
    words: [Option<(Token, bool)>; MOST_WORDS],
}

impl Window {
    fn clear(&mut self) {
        self.words = [None; MOST_WORDS];
    }

    /// Adds a word and reports the runs that end with it.
    fn push(&mut self, token: Token, is_number: bool, mut found: impl FnMut(Run)) {
        self.words.rotate_left(1);
        if let Some(last) = self.words.last_mut() {
            *last = Some((token, is_number));
        }
        let mut has_word = false;
        for length in 1..=MOST_WORDS {
            let mut run = [Token::BREAK; MOST_WORDS];
            let latest = self.words.iter().skip(MOST_WORDS - length);
            for (place, word) in run.iter_mut().zip(latest) {
                let Some((token, is_number)) = word else { return };
                *place = *token;
                has_word |= !is_number;
            }
            if has_word {
                found(Run(run));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn page(blocks: &[&str]) -> Text {
        let mut text = Text::default();
        for block in blocks {
            text.push(block);
            text.push_break();
        }
        text
    }

    fn counted(pages: &[&[&str]], language: Option<Language>) -> BTreeMap<String, (u64, u64)> {
        let mut counts = RunCounts::new(language);
        for blocks in pages {
            counts.add(&page(blocks), None);
        }
        told(&counts)
    }

    fn told(counts: &RunCounts) -> BTreeMap<String, (u64, u64)> {
        counts
            .seen()
            .map(|(run, seen)| (counts.write(run).unwrap(), (seen.count, seen.documents)))
            .collect()
    }

    #[test]
    fn runs_of_three_words_stay_within_a_block_and_bridge_stop_words() {
        let counts = counted(
            &[&["The syllabus of the course", "course 1996"]],
            Some(Language::ENGLISH),
        );
        let expected = [
            ("syllabus", (1, 1)),
            ("course", (2, 1)),
            ("syllabus course", (1, 1)),
            ("course 1996", (1, 1)),
        ];
        assert_eq!(
            counts,
            expected
                .into_iter()
                .map(|(run, seen)| (run.to_owned(), seen))
                .collect()
        );
    }

    #[test]
    fn numbers_alone_do_not_count() {
        let counts = counted(&[&["1996 1,000 3.14 tea"]], None);
        let runs: Vec<&str> = counts.keys().map(String::as_str).collect();
        assert_eq!(runs, ["1,000 3.14 tea", "3.14 tea", "tea"]);
    }

    #[test]
    fn documents_are_counted_once_however_often_the_run_occurs_in_them() {
        let counts = counted(&[&["tea tea", "tea"], &["tea"]], None);
        assert_eq!(counts["tea"], (4, 2));
        assert_eq!(counts["tea tea"], (1, 1));
    }

    #[test]
    fn the_language_of_the_page_and_of_the_topic_both_drop_words() {
        let portuguese = Language::from_code("pt").unwrap();
        let mut counts = RunCounts::new(Some(Language::ENGLISH));
        counts.add(
            &page(&["o curso de banco de dados of the year"]),
            Some(portuguese),
        );
        assert!(told(&counts).contains_key("banco dados year"));
    }

    /// The rule taken literally: drop stop words, cut into blocks, take every slice.
    fn naive(pages: &[Vec<usize>], words: &[&str]) -> BTreeMap<String, (u64, u64)> {
        let mut counts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for page in pages {
            let mut here: BTreeMap<String, u64> = BTreeMap::new();
            for block in page.split(|word| *word >= words.len()) {
                let kept: Vec<&str> = block
                    .iter()
                    .map(|word| words[*word])
                    .filter(|word| *word != "the")
                    .collect();
                for length in 1..=3 {
                    for run in kept.windows(length).filter(|run| run.iter().any(|w| *w != "7")) {
                        *here.entry(run.join(" ")).or_default() += 1;
                    }
                }
            }
            for (run, count) in here {
                let entry = counts.entry(run).or_default();
                entry.0 += count;
                entry.1 += 1;
            }
        }
        counts
    }

    proptest! {
        #[test]
        fn counts_are_those_of_a_naive_counter_and_a_background_agrees(
            pages in prop::collection::vec(prop::collection::vec(0_usize..7, 1..40), 0..6),
        ) {
            let words = ["tea", "leaf", "cup", "the", "7"];
            let mut counts = RunCounts::new(Some(Language::ENGLISH));
            let texts: Vec<Text> = pages
                .iter()
                .map(|page| {
                    let mut text = Text::default();
                    for word in page {
                        match words.get(*word) {
                            Some(word) => text.push(word),
                            None => text.push_break(),
                        }
                    }
                    text
                })
                .collect();
            for text in &texts {
                counts.add(text, None);
            }
            prop_assert_eq!(told(&counts), naive(&pages, &words));
            let mut background = BackgroundCounts::of(&[&counts], Some(Language::ENGLISH));
            for text in texts.iter().rev() {
                background.add(text, None);
            }
            prop_assert_eq!(background.totals(), counts.totals());
            for (run, seen) in counts.seen() {
                let there = background.seen(run);
                prop_assert_eq!((there.count, there.documents), (seen.count, seen.documents));
            }
        }
    }
}
