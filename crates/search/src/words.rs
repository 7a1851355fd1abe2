//! Splits text into the words of the index: words of letters and digits in lower case, and pairs of characters in scripts
//! that are written without spaces.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// Longer runs are not words anybody searches for.
const LONGEST_WORD: usize = 100;

/// The tokenizer of the index and of queries.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words;

pub(crate) struct WordStream {
    tokens: std::vec::IntoIter<Token>,
    current: Token,
}

impl Tokenizer for Words {
    type TokenStream<'a> = WordStream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream {
        WordStream {
            tokens: split(text).into_iter(),
            current: Token::default(),
        }
    }
}

impl TokenStream for WordStream {
    fn advance(&mut self) -> bool {
        match self.tokens.next() {
            Some(token) => {
                self.current = token;
                true
            }
            None => false,
        }
    }

    fn token(&self) -> &Token {
        &self.current
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.current
    }
}

/// Whether a character belongs to a script that is written without spaces.
fn is_dense(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9d}' | '\u{0e00}'..='\u{0e7f}' | '\u{0e80}'..='\u{0eff}'
        | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{20000}'..='\u{3134f}')
}

fn split(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut position = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((start, first)) = chars.next() {
        let is_dense_run = is_dense(first);
        if !is_dense_run && !first.is_alphanumeric() {
            continue;
        }
        let mut run = vec![(start, first)];
        while let Some((at, c)) = chars.peek().copied() {
            let belongs = is_dense(c) == is_dense_run && (is_dense_run || c.is_alphanumeric());
            if !belongs {
                break;
            }
            run.push((at, c));
            chars.next();
        }
        let end_of = |(at, c): (usize, char)| at + c.len_utf8();
        let mut push = |part: &[(usize, char)]| {
            let (Some(first), Some(last)) = (part.first(), part.last()) else {
                return;
            };
            tokens.push(Token {
                offset_from: first.0,
                offset_to: end_of(*last),
                position,
                text: part.iter().flat_map(|(_, c)| c.to_lowercase()).collect(),
                position_length: 1,
            });
            position += 1;
        };
        if is_dense_run && run.len() > 1 {
            for pair in run.windows(2) {
                push(pair);
            }
        } else if run.len() <= LONGEST_WORD {
            push(&run);
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        split(text).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn words_are_folded_and_dense_scripts_become_pairs() {
        assert_eq!(words("Green-TEA, 2024!"), ["green", "tea", "2024"]);
        assert_eq!(words("緑茶は good"), ["緑茶", "茶は", "good"]);
        assert_eq!(words("茶"), ["茶"]);
        assert_eq!(words("tea茶道"), ["tea", "茶道"]);
        let token = &split("飲む緑茶")[1];
        assert_eq!((token.offset_from, token.offset_to), (3, 9));
    }
}
