//! Short stop lists of our own, one per language.

use crate::{Language, Token};

/// The words of a language that carry grammar rather than meaning.
///
/// Short on purpose: the long public lists eat content words.
#[derive(Clone, Debug, Default)]
pub struct StopList {
    /// Sorted, so that a look-up is a binary search.
    words: Vec<Token>,
}

impl StopList {
    /// The list shipped for a language; empty where there is none.
    pub fn of(language: Language) -> StopList {
        let words = match language.code() {
            "en" => {
                "a an and are as at be by for from has have in is it its of on or that the this to was were will with"
            }
            _ => "",
        };
        StopList::from_words(words.split_whitespace())
    }

    /// A list from normalised words.
    pub fn from_words<'a>(words: impl IntoIterator<Item = &'a str>) -> StopList {
        let mut words: Vec<Token> = words.into_iter().map(Token::of).collect();
        words.sort_unstable();
        words.dedup();
        StopList { words }
    }

    /// Both lists together.
    pub fn union(&self, other: &StopList) -> StopList {
        let mut words = [self.words.as_slice(), other.words.as_slice()].concat();
        words.sort_unstable();
        words.dedup();
        StopList { words }
    }

    /// Whether the list holds the token.
    pub fn contains(&self, token: Token) -> bool {
        self.words.binary_search(&token).is_ok()
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}
