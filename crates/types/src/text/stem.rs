//! Reduces words to their stems, so that "engines" and "engine" are one word.
//!
//! The algorithms are those of the Snowball project (Porter's second for English). They get words in their normalised spelling,
//! so accents are gone before a stem is taken: rules that depend on an accent do not apply, to terms and pages alike.
//!
//! **Invariant:** stop words stay as they are. A stop list therefore serves stemmed text too.
//!
//! Deliberately absent: spellings. Only the token of a word changes; what is shown to people is the word as it was found.

use std::borrow::Cow;

use rust_stemmers::Algorithm;

use crate::text::{Language, StopList, Text, Token, url_words::spelled_words};

crate::named_enum! {
    /// Whose stems words are reduced to.
    #[derive(Default)]
    pub enum Stemming {
        /// Words are compared as they are spelled.
        #[default]
        None = "none",
        /// By the language of each page.
        Auto = "auto",
        /// Arabic.
        Arabic = "ar",
        /// Danish.
        Danish = "da",
        /// German.
        German = "de",
        /// Greek.
        Greek = "el",
        /// English.
        English = "en",
        /// Spanish.
        Spanish = "es",
        /// Finnish.
        Finnish = "fi",
        /// French.
        French = "fr",
        /// Hungarian.
        Hungarian = "hu",
        /// Italian.
        Italian = "it",
        /// Dutch.
        Dutch = "nl",
        /// Norwegian.
        Norwegian = "no",
        /// Portuguese.
        Portuguese = "pt",
        /// Romanian.
        Romanian = "ro",
        /// Russian.
        Russian = "ru",
        /// Swedish.
        Swedish = "sv",
        /// Tamil.
        Tamil = "ta",
        /// Turkish.
        Turkish = "tr",
    }
}

impl Stemming {
    /// The stemmer for text in this language; none if its words are left as they are. Text in an unknown language is taken for
    /// English.
    pub fn stemmer(self, language: Option<Language>) -> Option<Stemmer> {
        match self {
            Stemming::None => None,
            Stemming::Auto => Stemmer::of(language.unwrap_or(Language::ENGLISH)),
            _ => Stemmer::of(Language::from_code(self.name())?),
        }
    }
}

/// Reduces the words of one language to their stems.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stemmer {
    language: Language,
    algorithm: Algorithm,
}

impl Stemmer {
    /// The stemmer of a language; none if there is no algorithm for it.
    pub fn of(language: Language) -> Option<Stemmer> {
        let algorithm = match language.code() {
            "ar" => Algorithm::Arabic,
            "da" => Algorithm::Danish,
            "de" => Algorithm::German,
            "el" => Algorithm::Greek,
            "en" => Algorithm::English,
            "es" => Algorithm::Spanish,
            "fi" => Algorithm::Finnish,
            "fr" => Algorithm::French,
            "hu" => Algorithm::Hungarian,
            "it" => Algorithm::Italian,
            "nl" => Algorithm::Dutch,
            "no" | "nb" | "nn" => Algorithm::Norwegian,
            "pt" => Algorithm::Portuguese,
            "ro" => Algorithm::Romanian,
            "ru" => Algorithm::Russian,
            "sv" => Algorithm::Swedish,
            "ta" => Algorithm::Tamil,
            "tr" => Algorithm::Turkish,
            _ => return None,
        };
        Some(Stemmer { language, algorithm })
    }

    /// The stem of a normalised word.
    pub fn stem(self, word: &str) -> Cow<'_, str> {
        if StopList::of(self.language).contains(Token::of(word)) {
            return Cow::Borrowed(word);
        }
        match rust_stemmers::Stemmer::create(self.algorithm).stem(word) {
            // Nothing would be left to compare.
            stem if stem.is_empty() => Cow::Borrowed(word),
            stem => stem,
        }
    }

    /// The token of a normalised word's stem.
    pub fn token(self, word: &str) -> Token {
        Token::of(&self.stem(word))
    }
}

/// The tokens of a short string, reduced to stems if there is a stemmer.
pub fn tokenize_with(raw: &str, stemmer: Option<Stemmer>) -> Vec<Token> {
    let mut text = Text::default();
    text.push(raw);
    text.stem(stemmer);
    text.tokens().to_vec()
}

/// The tokens of a URL, reduced to stems if there is a stemmer.
pub fn url_words_with(url: &str, stemmer: Option<Stemmer>) -> Vec<Token> {
    let mut words = Vec::new();
    add_url_words(url, stemmer, &mut words);
    words
}

/// Appends the tokens of a URL, reduced to stems if there is a stemmer.
pub fn add_url_words(url: &str, stemmer: Option<Stemmer>, words: &mut Vec<Token>) {
    let token = |word: &str| stemmer.map_or_else(|| Token::of(word), |stemmer| stemmer.token(word));
    spelled_words(url, |word| words.push(token(word)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{tokenize, url_words};

    fn stems(language: &str, words: &str) -> Vec<String> {
        let stemmer = Stemmer::of(Language::from_code(language).unwrap()).unwrap();
        words
            .split_whitespace()
            .map(|word| stemmer.stem(word).into_owned())
            .collect()
    }

    /// Pairs from the vocabulary that the Snowball project publishes for Porter's second algorithm.
    #[test]
    fn english_stems_are_those_of_snowball() {
        assert_eq!(
            stems(
                "en",
                "consistency knackeries generously databases engines relational retrieval"
            ),
            [
                "consist", "knackeri", "generous", "databas", "engin", "relat", "retriev"
            ]
        );
    }

    #[test]
    fn stop_words_stay_as_they_are() {
        assert_eq!(stems("en", "this was having"), ["this", "was", "having"]);
    }

    #[test]
    fn other_languages_have_their_own_stems() {
        assert_eq!(stems("pt", "bancos dados"), ["banc", "dad"]);
        assert_eq!(stems("de", "katzen"), ["katz"]);
        assert_eq!(stems("ru", "машины"), ["машин"]);
    }

    #[test]
    fn every_language_that_can_be_chosen_has_a_stemmer() {
        for stemming in Stemming::ALL {
            let has_one = stemming.stemmer(None).is_some();
            assert_eq!(has_one, *stemming != Stemming::None, "{stemming}");
        }
        let portuguese = Language::from_code("pt");
        assert_eq!(
            Stemming::Auto.stemmer(portuguese),
            Stemming::Portuguese.stemmer(Some(Language::ENGLISH))
        );
        // Japanese words are pairs of characters, which have no stems.
        assert_eq!(Stemming::Auto.stemmer(Language::from_code("ja")), None);
    }

    #[test]
    fn text_terms_and_urls_get_the_same_stems() {
        let stemmer = Stemmer::of(Language::ENGLISH);
        let mut text = Text::default();
        text.push("Search engines");
        text.push_break();
        text.push("retrieving");
        let before = text.clone();
        text.stem(stemmer);
        assert_eq!(text.run(&(0..2)), tokenize_with("searching engine", stemmer));
        assert_eq!(text.tokens()[2], Token::BREAK);
        assert_eq!(
            url_words_with("/Search_Engines/retrieval", stemmer),
            [text.run(&(0..2)), text.run(&(3..4))].concat()
        );
        assert_eq!(text.spelling(1), "engines");
        // Going back needs nothing but the spellings.
        text.stem(None);
        assert_eq!(text, before);
        assert_eq!(tokenize_with("engines", None), tokenize("engines"));
        assert_ne!(url_words("/engines"), url_words("/engine"));
    }
}
