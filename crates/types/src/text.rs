//! The one way Scenthound turns writing into words.
//!
//! Pages, topics, queries and URLs all go through the same steps, so that a term found in a topic file is the
//! term found on a page: NFKC, lower case, accents stripped from Latin, Greek and Cyrillic letters, then tokens.
//! A token is a word by Unicode's word boundaries; runs of Han, Hiragana, Katakana, Hangul and Thai script become
//! overlapping pairs of characters.
//!
//! Deliberately absent: HTML, and any table that grows while the program runs. A [`Token`] is a hash with a
//! fixed seed, so two threads, two runs and two machines agree on it without talking to each other.

mod fold;
mod language;
mod segment;
mod sequence;
mod stop;
mod token;
mod url_words;

pub use language::Language;
pub use sequence::{Edge, Mark, Text, TokenRange};
pub use stop::StopList;
pub use token::{Token, tokenize};
pub use url_words::url_words;
