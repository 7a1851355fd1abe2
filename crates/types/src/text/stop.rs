//! Our own short stop-word lists, one per language.
//!
//! The words are in `stop/*.txt`, in their ordinary spelling. Loading puts them through the same normalisation as
//! everything else, so a list can never disagree with a page about accents. For Chinese and Japanese a list contains
//! only particles and pairs that mean nothing on their own.
//!
//! Deliberately absent: content words, however common. The long public lists include them.

use std::sync::LazyLock;

use crate::text::{Language, Token, tokenize};

static LISTS: LazyLock<Vec<(Language, StopList)>> = LazyLock::new(|| {
    [
        ("da", include_str!("stop/da.txt")),
        ("de", include_str!("stop/de.txt")),
        ("el", include_str!("stop/el.txt")),
        ("en", include_str!("stop/en.txt")),
        ("es", include_str!("stop/es.txt")),
        ("fi", include_str!("stop/fi.txt")),
        ("fr", include_str!("stop/fr.txt")),
        ("it", include_str!("stop/it.txt")),
        ("ja", include_str!("stop/ja.txt")),
        ("nl", include_str!("stop/nl.txt")),
        ("no", include_str!("stop/no.txt")),
        ("pl", include_str!("stop/pl.txt")),
        ("pt", include_str!("stop/pt.txt")),
        ("ru", include_str!("stop/ru.txt")),
        ("sv", include_str!("stop/sv.txt")),
        ("tr", include_str!("stop/tr.txt")),
        ("zh", include_str!("stop/zh.txt")),
    ]
    .into_iter()
    .filter_map(|(code, words)| {
        Some((
            Language::from_code(code)?,
            StopList::from_words(words.split_whitespace()),
        ))
    })
    .collect()
});

static NONE: StopList = StopList {
    words: Vec::new(),
    slots: Vec::new(),
};

/// The words of a language that carry grammar rather than meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StopList {
    /// Ascending, each once.
    words: Vec<Token>,
    /// The same words in an open-addressed table, at most a quarter full, with a power-of-two length (or empty). It
    /// is consulted for every word of every page, so a binary search of the sorted words would show up in the
    /// profile.
    slots: Vec<Token>,
}

impl StopList {
    /// The list shipped for a language; empty if there is none. Built once, on first use.
    pub fn of(language: Language) -> &'static StopList {
        // Bokmål and Nynorsk have their own codes; one list serves both.
        let language = match language.code() {
            "nb" | "nn" => Language::from_code("no").unwrap_or(language),
            _ => language,
        };
        LISTS
            .iter()
            .find(|(listed, _)| *listed == language)
            .map_or(&NONE, |(_, list)| list)
    }

    /// The list of a text's language, or of all languages together if that is unknown.
    pub fn of_text(language: Option<Language>) -> &'static StopList {
        static ANY: LazyLock<StopList> = LazyLock::new(|| {
            let all = StopList::all().map(|(_, list)| list);
            all.fold(StopList::default(), |union, list| union.union(list))
        });
        language.map_or_else(|| &*ANY, StopList::of)
    }

    /// The languages that have a list, each with its list.
    pub fn all() -> impl Iterator<Item = (Language, &'static StopList)> {
        LISTS.iter().map(|(language, list)| (*language, list))
    }

    /// Builds a list from words in any spelling.
    pub fn from_words<'a>(words: impl IntoIterator<Item = &'a str>) -> StopList {
        StopList::from_tokens(words.into_iter().flat_map(tokenize).collect())
    }

    fn from_tokens(mut words: Vec<Token>) -> StopList {
        words.sort_unstable();
        words.dedup();
        let mut slots = Vec::new();
        if !words.is_empty() {
            slots.resize((words.len() * 4).next_power_of_two(), Token::BREAK);
        }
        for word in &words {
            let mut at = home(*word, slots.len());
            while slots.get(at).is_some_and(|taken| taken.is_word()) {
                at = (at + 1) % slots.len();
            }
            if let Some(slot) = slots.get_mut(at) {
                *slot = *word;
            }
        }
        StopList { words, slots }
    }

    /// The union of both lists.
    pub fn union(&self, other: &StopList) -> StopList {
        StopList::from_tokens([self.words.as_slice(), other.words.as_slice()].concat())
    }

    /// Whether the list contains the token.
    #[inline]
    pub fn contains(&self, token: Token) -> bool {
        let mut at = home(token, self.slots.len());
        // The table is never full, so an empty slot ends the search.
        while let Some(slot) = self.slots.get(at) {
            if !slot.is_word() {
                return false;
            }
            if *slot == token {
                return true;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        false
    }

    /// The words as tokens, ascending.
    pub fn tokens(&self) -> &[Token] {
        &self.words
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// Where the search for a token begins in a table with a power-of-two length.
#[inline]
fn home(token: Token, slots: usize) -> usize {
    token.hash() as usize & slots.wrapping_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_is_there_and_every_word_is_one_token() {
        assert_eq!(StopList::all().count(), 17);
        for words in [
            include_str!("stop/da.txt"),
            include_str!("stop/de.txt"),
            include_str!("stop/el.txt"),
            include_str!("stop/en.txt"),
            include_str!("stop/es.txt"),
            include_str!("stop/fi.txt"),
            include_str!("stop/fr.txt"),
            include_str!("stop/it.txt"),
            include_str!("stop/ja.txt"),
            include_str!("stop/nl.txt"),
            include_str!("stop/no.txt"),
            include_str!("stop/pl.txt"),
            include_str!("stop/pt.txt"),
            include_str!("stop/ru.txt"),
            include_str!("stop/sv.txt"),
            include_str!("stop/tr.txt"),
            include_str!("stop/zh.txt"),
        ] {
            for word in words.split_whitespace() {
                assert_eq!(tokenize(word).len(), 1, "{word}");
            }
        }
    }

    #[test]
    fn english_grammar_is_listed_and_english_content_is_not() {
        let english = StopList::of(Language::ENGLISH);
        let first = "a an and are as at be by for from has have in is it its of on or that the this to was were will with";
        for word in first.split(' ').chain(["would", "they", "don't", "between"]) {
            assert!(english.contains(Token::of(word)), "{word}");
        }
        for word in [
            "system",
            "course",
            "work",
            "value",
            "computer",
            "new",
            "data",
            "information",
        ] {
            assert!(!english.contains(Token::of(word)), "{word}");
        }
        assert!(!english.contains(Token::BREAK));
    }

    #[test]
    fn a_language_without_a_list_stops_nothing() {
        let none = StopList::of(Language::from_code("xx").unwrap());
        assert!(none.is_empty());
        assert!(!none.contains(Token::of("the")));
    }

    #[test]
    fn a_union_holds_both_lists() {
        let both = StopList::from_words(["the"]).union(&StopList::from_words(["été", "the"]));
        assert_eq!(both.tokens().len(), 2);
        assert!(both.contains(Token::of("the")) && both.contains(Token::of("ete")));
    }
}
