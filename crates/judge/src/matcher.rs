//! Finds the topic's terms in a stream of tokens, under one stop list.
//!
//! Stop words are dropped from both terms and text, so a phrase matches across them. A term that consists of stop
//! words only matches the text as it is. No match crosses a [`Token::BREAK`].
//!
//! Nearly every token of a page is not part of any term. It is dismissed with one look-up in a small table; only
//! inside an unfinished phrase is it checked against the stop words.

use std::collections::BTreeMap;

use scenthound_types::text::{StopList, Token};

use crate::automaton::{Automaton, State};
use crate::dictionary::Dictionary;
use crate::term_counts::TermCounts;

/// Set in the symbol of a stop word.
const STOP: u32 = 1 << 31;

/// Terms compiled for one stop list.
#[derive(Clone, Debug)]
pub(crate) struct Matcher {
    /// Symbols of the words that terms are made of.
    symbols: Dictionary,
    stop: StopList,
    /// The terms without their stop words.
    phrases: Automaton,
    /// The terms that consist of stop words only.
    bare: Automaton,
}

impl Matcher {
    /// The term at position `n` of the list is counted as term `n`.
    pub(crate) fn new(terms: &[Vec<Token>], stop: StopList) -> Matcher {
        let mut symbols: BTreeMap<Token, u32> = BTreeMap::new();
        let mut phrases = Vec::new();
        let mut bare = Vec::new();
        for (name, term) in terms.iter().enumerate() {
            let is_bare = term.iter().all(|token| stop.contains(*token));
            let run = term
                .iter()
                .filter(|token| is_bare || !stop.contains(**token))
                .map(|token| {
                    let next = symbols.len() as u32;
                    *symbols.entry(*token).or_insert(next)
                })
                .collect();
            let runs = if is_bare { &mut bare } else { &mut phrases };
            runs.push((run, name as u32));
        }
        let entries: Vec<(u64, u32)> = symbols
            .into_iter()
            .map(|(token, symbol)| {
                let mark = if stop.contains(token) { STOP } else { 0 };
                (token.hash(), symbol | mark)
            })
            .collect();
        Matcher {
            symbols: Dictionary::of(&entries),
            stop,
            phrases: Automaton::new(&phrases),
            bare: Automaton::new(&bare),
        }
    }

    /// Counts every occurrence of every term.
    pub(crate) fn count(&self, tokens: &[Token], counts: &mut impl TermCounts) {
        let mut phrase = State::START;
        let mut bare = State::START;
        for &token in tokens {
            // A break is in no table, so it is treated as a word that ends every phrase.
            match self.symbols.get(token.hash()) {
                None => {
                    bare = State::START;
                    if phrase != State::START && !self.stop.contains(token) {
                        phrase = State::START;
                    }
                }
                Some(symbol) if symbol & STOP == 0 => {
                    bare = State::START;
                    phrase = self.phrases.read(phrase, symbol, |term| counts.add(term));
                }
                Some(symbol) => bare = self.bare.read(bare, symbol & !STOP, |term| counts.add(term)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use scenthound_types::text::tokenize;

    use super::*;
    use crate::term_counts::PageTermCounts;

    fn count(terms: &[Vec<Token>], stop: &StopList, tokens: &[Token]) -> Vec<u32> {
        let mut found = PageTermCounts::new(terms.len());
        Matcher::new(terms, stop.clone()).count(tokens, &mut found);
        let mut counts = vec![0; terms.len()];
        for &(term, count) in found.counts() {
            counts[term as usize] = count;
        }
        counts
    }

    /// The reference for the matcher: each term is looked for on its own, at every position of every block.
    fn count_one_by_one(terms: &[Vec<Token>], stop: &StopList, tokens: &[Token]) -> Vec<u32> {
        terms
            .iter()
            .map(|term| {
                let is_bare = term.iter().all(|token| stop.contains(*token));
                let keeps = |token: &Token| is_bare || !stop.contains(*token);
                let wanted: Vec<Token> = term.iter().copied().filter(keeps).collect();
                let mut count = 0;
                for block in tokens.split(|token| !token.is_word()) {
                    let words: Vec<Token> = block.iter().copied().filter(keeps).collect();
                    count += words.windows(wanted.len()).filter(|run| *run == wanted).count() as u32;
                }
                count
            })
            .collect()
    }

    #[test]
    fn a_phrase_matches_across_stop_words_on_both_sides() {
        let stop = StopList::from_words(["and", "of", "the"]);
        let terms = [
            tokenize("algorithms and data structures"),
            tokenize("data structures"),
        ];
        let page = tokenize("Algorithms, data structures of the algorithms and the data and structures");
        assert_eq!(count(&terms, &stop, &page), [2, 2]);
        assert_eq!(count(&terms, &StopList::default(), &page), [0, 1]);
    }

    #[test]
    fn a_term_of_stop_words_matches_the_text_as_it_stands() {
        let stop = StopList::from_words(["to", "be", "or", "not"]);
        let terms = [
            tokenize("to be or not to be"),
            tokenize("be"),
            tokenize("to question"),
        ];
        let page = tokenize("to be or not to be that is to the question, to question");
        assert_eq!(count(&terms, &stop, &page), [1, 2, 2]);
    }

    #[test]
    fn no_phrase_crosses_a_break() {
        let stop = StopList::from_words(["and"]);
        let terms = [tokenize("green tea"), tokenize("and and")];
        let mut page = tokenize("green and");
        page.push(Token::BREAK);
        page.extend(tokenize("and tea green tea"));
        assert_eq!(count(&terms, &stop, &page), [1, 0]);
    }

    proptest! {
        /// Six words, two of them stop words, so that overlaps and near misses are the rule.
        #[test]
        fn one_pass_counts_what_looking_for_each_term_counts(
            terms in prop::collection::vec(prop::collection::vec(0_usize..6, 1..5), 1..20),
            page in prop::collection::vec(0_usize..8, 0..300),
        ) {
            let words = ["tea", "leaf", "cup", "pot", "the", "of", "other"].map(Token::of);
            let stop = StopList::from_words(["the", "of"]);
            let terms: Vec<Vec<Token>> =
                terms.iter().map(|term| term.iter().map(|&n| words[n]).collect()).collect();
            let page: Vec<Token> =
                page.iter().map(|&n| words.get(n).copied().unwrap_or(Token::BREAK)).collect();
            prop_assert_eq!(count(&terms, &stop, &page), count_one_by_one(&terms, &stop, &page));
        }
    }
}
