//! The one way Scenthound turns text into words.
//!
//! Pages, topics, queries and URLs all go through the same steps, so that a term in a topic file is the same term on
//! a page: NFKC, lower case, accents stripped from Latin, Greek and Cyrillic letters, then tokens. A token is a word
//! by Unicode's word boundaries. Runs of Han, Hiragana, Katakana, Hangul and Thai script become overlapping pairs of
//! characters. A [`Stemmer`] may reduce words to their stems; it is off unless a judge asks for it.
//!
//! Deliberately absent: HTML, and any table that grows while the program runs. A [`Token`] is a hash with a fixed
//! seed, so two threads, two runs and two machines agree on it without coordination.

mod fold;
mod language;
mod segment;
mod sequence;
mod stem;
mod stop;
mod token;
mod url_words;

pub use language::Language;
pub use sequence::{Edge, Mark, Text, TokenRange};
pub use stem::{Stemmer, Stemming, add_url_words, tokenize_with, url_words_with};
pub use stop::StopList;
pub use token::{Token, tokenize};
pub use url_words::url_words;
