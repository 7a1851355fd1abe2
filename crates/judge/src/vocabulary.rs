//! The topic's terms, ready to be counted in a page of any language.
//!
//! Which words are dropped depends on the page's language, so terms are compiled once for each language encountered.
//! The result does not depend on which thread encounters it first.

use std::sync::{Arc, OnceLock};

use scenthound_types::text::{StopList, Token};
use scenthound_types::{Language, TermSet};

use crate::matcher::Matcher;
use crate::term_counts::TermCounts;

/// One term of the topic.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    /// The list it is in.
    pub(crate) set: TermSet,
    /// As the topic spells it.
    pub(crate) spelling: Arc<str>,
    /// Its words, stop words included.
    pub(crate) tokens: Vec<Token>,
    /// How informative it is.
    pub(crate) idf: f64,
}

/// The number of possible two-letter codes.
const CODES: usize = 26 * 26;

/// A list of terms and how to find them.
pub(crate) struct Vocabulary {
    terms: Vec<Term>,
    stop: StopList,
    /// For pages whose language adds nothing to the topic's stop list.
    plain: Matcher,
    /// By language code, built when first needed; none if the plain one will do.
    by_language: Box<[OnceLock<Option<Box<Matcher>>>]>,
}

impl Vocabulary {
    /// Terms of a topic in this language.
    pub(crate) fn new(terms: Vec<Term>, language: Option<Language>) -> Vocabulary {
        let stop = language
            .map(|language| StopList::of(language).clone())
            .unwrap_or_default();
        Vocabulary {
            plain: compile(&terms, stop.clone()),
            by_language: (0..CODES).map(|_| OnceLock::new()).collect(),
            terms,
            stop,
        }
    }

    /// The terms; a counts identifies them by position.
    pub(crate) fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The term at a position given by a counts.
    pub(crate) fn term(&self, place: u32) -> Option<&Term> {
        self.terms.get(place as usize)
    }

    /// Counts the terms in text of a language.
    pub(crate) fn count(&self, tokens: &[Token], language: Option<Language>, counts: &mut impl TermCounts) {
        if !self.terms.is_empty() {
            self.matcher(language).count(tokens, counts);
        }
    }

    fn matcher(&self, language: Option<Language>) -> &Matcher {
        let Some(language) = language else {
            return &self.plain;
        };
        let Some(slot) = self.by_language.get(place_of(language)) else {
            return &self.plain;
        };
        slot.get_or_init(|| {
            let stop = StopList::of(language).union(&self.stop);
            (!StopList::of(language).is_empty()).then(|| Box::new(compile(&self.terms, stop)))
        })
        .as_deref()
        .unwrap_or(&self.plain)
    }
}

fn compile(terms: &[Term], stop: StopList) -> Matcher {
    let runs: Vec<Vec<Token>> = terms.iter().map(|term| term.tokens.clone()).collect();
    Matcher::new(&runs, stop)
}

/// From aa = 0 to zz = 675.
fn place_of(language: Language) -> usize {
    language.code().bytes().fold(0, |place, letter| {
        place * 26 + usize::from(letter.wrapping_sub(b'a'))
    })
}
