//! The words of a URL, for terms that are matched in URLs.
//!
//! Escapes are decoded (as UTF-8, with replacement characters for invalid bytes), then the usual folding applies.
//! Unlike in running text, every character that is neither a letter nor a digit is a separator:
//! `data_structures.html` is three words.

use crate::text::Token;
use crate::text::fold::Folding;
use crate::text::segment::{Piece, segment};

/// The tokens of a URL, or of any part of one.
pub fn url_words(url: &str) -> Vec<Token> {
    let mut words = Vec::new();
    spelled_words(url, |word| words.push(Token::of(word)));
    words
}

/// Reports each word of a URL in its normalised spelling.
pub(crate) fn spelled_words(url: &str, mut found: impl FnMut(&str)) {
    // Most URLs are spelled as their words are, or would be in lower case.
    if url.is_ascii() && !url.contains('%') {
        let lower;
        let url = if url.bytes().any(|byte| byte.is_ascii_uppercase()) {
            lower = url.to_ascii_lowercase();
            &lower
        } else {
            url
        };
        let mut start = 0;
        for (at, byte) in url.bytes().chain([b' ']).enumerate() {
            if !byte.is_ascii_alphanumeric() {
                url.get(start..at).filter(|word| !word.is_empty()).map(&mut found);
                start = at + 1;
            }
        }
        return;
    }
    let decoded = percent_decode(url);
    let mut folded = String::with_capacity(decoded.len());
    Folding::default().fold(&decoded, &mut folded);
    for part in folded.split(is_separator) {
        segment(part, 0, |piece| {
            if let Piece::Word { start, end } | Piece::Pair { start, end } = piece
                && let Some(spelling) = part.get(start..end)
            {
                found(spelling);
            }
        });
    }
}

/// Combining marks of other scripts are parts of words, though they are neither letters nor digits.
fn is_separator(c: char) -> bool {
    !(c.is_alphanumeric() || unicode_normalization::char::is_combining_mark(c))
}

fn percent_decode(url: &str) -> String {
    let mut bytes = Vec::with_capacity(url.len());
    let mut rest = url.bytes();
    while let Some(byte) = rest.next() {
        let mut ahead = rest.clone();
        let escaped = (byte == b'%')
            .then(|| Some(16 * hex(ahead.next()?)? + hex(ahead.next()?)?))
            .flatten();
        match escaped {
            Some(decoded) => {
                bytes.push(decoded);
                rest = ahead;
            }
            None => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenize;

    #[test]
    fn a_url_is_split_at_everything_but_letters_and_digits() {
        assert_eq!(
            url_words("http://www.cs.example.edu/~ann/CS-101/data_structures.html?x=1"),
            tokenize("http www cs example edu ann cs 101 data structures html x 1")
        );
    }

    #[test]
    fn escapes_are_undone_before_words_are_found() {
        assert_eq!(url_words("/caf%C3%A9%20s%C3%A3o"), tokenize("cafe sao"));
        assert_eq!(url_words("/%E6%97%A5%E6%9C%AC%E8%AA%9E"), tokenize("日本語"));
        assert_eq!(url_words("/100%/%zz%4"), tokenize("100 zz 4"));
        assert_eq!(url_words("/a%FFb").len(), 2);
    }

    proptest::proptest! {
        #[test]
        fn plain_urls_have_the_words_of_others(url in "[a-zA-Z0-9./_~:?&=+',;-]{0,40}") {
            // The escape keeps it from being plain.
            let mut words = url_words(&format!("{url}%20z"));
            words.pop();
            proptest::prop_assert_eq!(url_words(&url), words);
        }
    }
}
