//! Pages about something else with the same name.
//!
//! Somebody who looks for the car lists words about the cat: jungle, leopard, fur. A page with enough of them is
//! ignored together with its links, whatever the judge says.
//!
//! Deliberately absent: a judgement. The words say what a page is not.

use std::fmt;
use std::sync::Arc;

use scenthound_types::text::{Stemmer, tokenize_with};
use scenthound_types::{Language, ParsedPage, TermHit, TermSet};

use crate::JudgeFault;
use crate::term_counts::{PageTermCounts, TermCounts};
use crate::vocabulary::{Term, Vocabulary};

/// Words of the wrong sense, and how many make a page irrelevant.
pub struct WrongSense {
    words: Vocabulary,
    least: usize,
}

impl WrongSense {
    /// Words and phrases in a language; a page with at least `least` different ones has the wrong sense.
    pub fn new(words: &[String], least: usize, language: Option<Language>) -> Result<WrongSense, JudgeFault> {
        WrongSense::with_stems(words, least, language, None)
    }

    /// The same for pages whose words are reduced to stems.
    pub fn with_stems(
        words: &[String],
        least: usize,
        language: Option<Language>,
        stemmer: Option<Stemmer>,
    ) -> Result<WrongSense, JudgeFault> {
        if least == 0 {
            return Err(JudgeFault::ExcludeAt);
        }
        let mut terms: Vec<Term> = Vec::new();
        for word in words {
            let tokens = tokenize_with(word, stemmer);
            if tokens.is_empty() {
                return Err(JudgeFault::EmptyTerm { term: word.clone() });
            }
            if terms.iter().all(|held| held.tokens != tokens) {
                terms.push(Term {
                    set: TermSet::Exclude,
                    spelling: Arc::from(word.as_str()),
                    tokens,
                    idf: 1.0,
                });
            }
        }
        Ok(WrongSense {
            words: Vocabulary::new(terms, language),
            least,
        })
    }

    /// The words found, if there are enough of them to ignore the page.
    pub fn of(&self, page: &ParsedPage) -> Option<Vec<TermHit>> {
        let mut counts = PageTermCounts::new(self.words.terms().len());
        self.words.count(page.text.tokens(), page.language, &mut counts);
        if counts.counts().len() < self.least {
            return None;
        }
        let hits = counts.counts().iter().filter_map(|(place, count)| {
            Some(TermHit {
                set: TermSet::Exclude,
                term: self.words.term(*place)?.spelling.clone(),
                count: *count,
                share: 0.0,
            })
        });
        Some(hits.collect())
    }
}

impl fmt::Debug for WrongSense {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.words.terms().iter().map(|term| &term.spelling);
        f.debug_struct("WrongSense")
            .field("words", &words.collect::<Vec<_>>())
            .field("least", &self.least)
            .finish()
    }
}
