//! Counts the pages of a collection that contain words and terms.
//!
//! Terms are looked for as a judge looks for them: stop words of the page's language and of the topic's are dropped
//! from both, nothing crosses a block, and a term that consists of stop words only is looked for in the text as it
//! is. Each page is read at most once per distinct term length, regardless of the number of terms.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use scenthound_types::text::{Stemmer, StopList, tokenize, tokenize_with};
use scenthound_types::{Language, Text, Token};

use crate::terms::TermsFault;
use crate::terms::overlap::words_that_count;
use crate::terms::runs::Stops;

/// The number of pages, and how many of them contain each term.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TermDocuments {
    /// The number of pages counted.
    pub documents: u64,
    /// By spelling: the number of pages that contain the term.
    pub terms: BTreeMap<String, u64>,
}

/// Counts the pages that contain each word, or each of the given terms.
#[derive(Clone, Debug, Default)]
pub struct DocumentCounter {
    stops: Stops,
    /// None unless all words are to be counted.
    words: Option<HashMap<Token, Word>>,
    terms: Vec<Term>,
    /// What reduces the words of the terms to stems.
    stemmer: Option<Stemmer>,
    /// Built when the first page in the language arrives.
    prepared: HashMap<Option<Language>, Prepared>,
    documents: u64,
}

#[derive(Clone, Debug)]
struct Word {
    spelling: Box<str>,
    documents: u64,
    last: u64,
}

#[derive(Clone, Debug)]
struct Term {
    spelling: String,
    documents: u64,
    last: u64,
}

/// The terms as they are looked for in pages of one language.
#[derive(Clone, Debug, Default)]
struct Prepared {
    /// Found with stop words left out.
    without_stops: Listed,
    /// Found in the text as it is.
    as_they_stand: Listed,
}

/// Terms by their words.
#[derive(Clone, Debug, Default)]
struct Listed {
    places: HashMap<Vec<Token>, Vec<usize>>,
    lengths: BTreeSet<usize>,
}

impl DocumentCounter {
    /// Counts every word of the pages.
    pub fn of_words() -> DocumentCounter {
        DocumentCounter {
            words: Some(HashMap::new()),
            ..DocumentCounter::default()
        }
    }

    /// Counts these terms, of a topic in this language.
    pub fn of_terms(terms: &[String], topic: Option<Language>) -> Result<DocumentCounter, TermsFault> {
        let mut counter = DocumentCounter {
            stops: Stops::of_topic(topic),
            ..DocumentCounter::default()
        };
        for spelling in terms {
            words_that_count(spelling, &StopList::default())?;
            counter.terms.push(Term {
                spelling: spelling.clone(),
                documents: 0,
                last: 0,
            });
        }
        Ok(counter)
    }

    /// Looks for the terms by their stems, on pages whose words are reduced to the same stems.
    #[must_use]
    pub fn by_stems(self, stemmer: Option<Stemmer>) -> DocumentCounter {
        DocumentCounter { stemmer, ..self }
    }

    /// Also counts every word.
    #[must_use]
    pub fn and_words(self) -> DocumentCounter {
        DocumentCounter {
            words: Some(HashMap::new()),
            ..self
        }
    }

    /// Counts a page. A page without words does not count.
    pub fn add(&mut self, text: &Text, language: Option<Language>) {
        if text.is_empty() {
            return;
        }
        self.documents += 1;
        let document = self.documents;
        if let Some(words) = &mut self.words {
            for (position, token) in (0..).zip(text.tokens()).filter(|(_, token)| token.is_word()) {
                let word = words.entry(*token).or_insert_with(|| Word {
                    spelling: text.spelling(position).into(),
                    documents: 0,
                    last: 0,
                });
                if word.last != document {
                    word.last = document;
                    word.documents += 1;
                }
            }
        }
        if self.terms.is_empty() {
            return;
        }
        let stop = self.stops.of_page(language);
        let (terms, stemmer) = (&mut self.terms, self.stemmer);
        let prepared = self
            .prepared
            .entry(language)
            .or_insert_with(|| Prepared::of(terms, stop, stemmer));
        let mut found: HashSet<usize> = HashSet::new();
        for block in text.tokens().split(|token| !token.is_word()) {
            prepared.as_they_stand.find_in(block, &mut found);
            let kept: Vec<Token> = block
                .iter()
                .copied()
                .filter(|token| !stop.contains(*token))
                .collect();
            prepared.without_stops.find_in(&kept, &mut found);
        }
        for place in found {
            if let Some(term) = terms.get_mut(place)
                && term.last != document
            {
                term.last = document;
                term.documents += 1;
            }
        }
    }

    /// The counts: the given terms, and the words that at least this many pages contain.
    pub fn counts(&self, least: u64) -> TermDocuments {
        let words = self
            .words
            .iter()
            .flat_map(HashMap::values)
            .filter(|word| word.documents >= least)
            .filter(|word| tokenize(&word.spelling).len() == 1)
            .map(|word| (word.spelling.to_string(), word.documents));
        let mut terms: BTreeMap<String, u64> = words.collect();
        // A given term takes stop words into account, so its count wins.
        terms.extend(
            self.terms
                .iter()
                .map(|term| (term.spelling.clone(), term.documents)),
        );
        TermDocuments {
            documents: self.documents,
            terms,
        }
    }
}

impl Prepared {
    fn of(terms: &[Term], stop: &StopList, stemmer: Option<Stemmer>) -> Prepared {
        let mut prepared = Prepared::default();
        for (place, term) in terms.iter().enumerate() {
            let words = tokenize_with(&term.spelling, stemmer);
            let kept: Vec<Token> = words
                .iter()
                .copied()
                .filter(|word| !stop.contains(*word))
                .collect();
            let (list, words) = if kept.is_empty() {
                (&mut prepared.as_they_stand, words)
            } else {
                (&mut prepared.without_stops, kept)
            };
            list.lengths.insert(words.len());
            list.places.entry(words).or_default().push(place);
        }
        prepared
    }
}

impl Listed {
    /// Finds every listed run in a block.
    fn find_in(&self, block: &[Token], found: &mut HashSet<usize>) {
        for length in &self.lengths {
            for run in block.windows(*length) {
                if let Some(places) = self.places.get(run) {
                    found.extend(places);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
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

    fn told(counts: &TermDocuments) -> Vec<(&str, u64)> {
        counts
            .terms
            .iter()
            .map(|(term, documents)| (term.as_str(), *documents))
            .collect()
    }

    #[test]
    fn words_are_counted_once_per_page() {
        let mut counter = DocumentCounter::of_words();
        counter.add(&page(&["tea tea", "Thé"]), None);
        counter.add(&page(&["the tea"]), None);
        counter.add(&page(&[""]), None);
        let counts = counter.counts(1);
        assert_eq!(counts.documents, 2);
        assert_eq!(told(&counts), [("tea", 2), ("the", 2)]);
        assert_eq!(told(&counter.counts(3)), []);
    }

    #[test]
    fn terms_are_found_across_stop_words_but_not_across_blocks() {
        let terms = ["data structures", "structures of data", "to be", "数据库"].map(str::to_owned);
        let mut counter = DocumentCounter::of_terms(&terms, Some(Language::ENGLISH)).unwrap();
        counter.add(&page(&["data and structures", "关于数据库的"]), None);
        counter.add(&page(&["data", "structures, data"]), None);
        counter.add(&page(&["not to be", "to", "be"]), None);
        assert_eq!(
            told(&counter.counts(1)),
            [
                ("data structures", 1),
                ("structures of data", 1),
                ("to be", 1),
                ("数据库", 1)
            ]
        );
        let mut both = counter.and_words();
        both.add(&page(&["data structures"]), None);
        assert!(told(&both.counts(1)).contains(&("data structures", 2)));
        assert!(told(&both.counts(1)).contains(&("structures", 1)));
    }

    #[test]
    fn a_term_without_words_is_an_error() {
        assert!(matches!(
            DocumentCounter::of_terms(&["…".to_owned()], None),
            Err(TermsFault::EmptyTerm { .. })
        ));
    }

    proptest! {
        /// Five words, one of them a stop word, so that near misses are the rule.
        #[test]
        fn documents_are_those_of_looking_for_each_term_in_each_page(
            terms in prop::collection::btree_set(prop::collection::vec(0_usize..4, 1..4), 1..8),
            pages in prop::collection::vec(prop::collection::vec(0_usize..5, 1..30), 0..6),
        ) {
            let words = ["tea", "leaf", "cup", "the"];
            let terms: Vec<String> = terms
                .iter()
                .map(|term| term.iter().map(|word| words[*word]).collect::<Vec<_>>().join(" "))
                .collect();
            let mut counter = DocumentCounter::of_terms(&terms, Some(Language::ENGLISH)).unwrap();
            // A number beyond the words ends a block.
            let pages: Vec<Vec<String>> = pages
                .iter()
                .map(|page| {
                    let blocks = page.split(|word| *word >= words.len());
                    blocks.map(|block| block.iter().map(|word| words[*word]).collect::<Vec<_>>().join(" ")).collect()
                })
                .collect();
            for blocks in &pages {
                let blocks: Vec<&str> = blocks.iter().map(String::as_str).collect();
                counter.add(&page(&blocks), None);
            }
            let bare = |text: &str| text.split(' ').filter(|word| *word != "the").collect::<Vec<_>>().join(" ");
            let holds = |block: &str, term: &str| format!(" {block} ").contains(&format!(" {term} "));
            for (term, documents) in &counter.counts(1).terms {
                let (kept, whole) = (bare(term), term);
                let expected = pages
                    .iter()
                    .filter(|blocks| {
                        blocks.iter().any(|block| match kept.as_str() {
                            "" => holds(block, whole),
                            kept => holds(&bare(block), kept),
                        })
                    })
                    .count() as u64;
                prop_assert_eq!(*documents, expected, "{}", term);
            }
        }
    }
}
