//! One normalised word, as a number.

use crate::text::Text;

/// A normalised word or character pair, identified by a 64-bit hash with a fixed seed.
///
/// Block elements leave a [`Token::BREAK`] between them, so that no run of tokens crosses a paragraph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Token(u64);

impl Token {
    /// Separates two blocks of text; not equal to any word.
    pub const BREAK: Token = Token(0);

    /// The token of a spelling that is already normalised.
    pub fn of(spelling: &str) -> Token {
        Token::of_bytes(spelling.as_bytes())
    }

    /// The same for a spelling of which nobody has checked again that it begins and ends with whole characters.
    pub(crate) fn of_bytes(spelling: &[u8]) -> Token {
        // 0 is taken by the break.
        Token(xxhash_rust::xxh3::xxh3_64(spelling).max(1))
    }

    /// The token with this hash, as returned by [`Token::hash`].
    pub fn from_hash(hash: u64) -> Token {
        Token(hash)
    }

    /// The hash itself, for fingerprints and feature tables.
    pub fn hash(self) -> u64 {
        self.0
    }

    /// Whether this is a word rather than the gap between two blocks.
    pub fn is_word(self) -> bool {
        self != Token::BREAK
    }
}

/// The tokens of a short string: a term, a query, an anchor.
pub fn tokenize(raw: &str) -> Vec<Token> {
    let mut text = Text::default();
    text.push(raw);
    text.tokens().to_vec()
}
