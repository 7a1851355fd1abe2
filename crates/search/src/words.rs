//! Splits text into the words of the index: words of letters and digits in lower case, and pairs of characters in scripts
//! that are written without spaces.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// Longer runs are not words anybody searches for.
const LONGEST_WORD: usize = 100;

/// The tokenizer of the index and of queries.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words;

/// Goes through a text once. The word is kept in one place, so that a page costs no memory per word.
pub(crate) struct WordStream<'a> {
    text: &'a str,
    /// Where the rest of the text begins.
    at: usize,
    /// The second character of the last pair, with which the next pair begins.
    pair: Option<usize>,
    position: usize,
    current: Token,
}

impl Tokenizer for Words {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        WordStream {
            text,
            at: 0,
            pair: None,
            position: 0,
            current: Token::default(),
        }
    }
}

impl<'a> WordStream<'a> {
    fn rest(&self, from: usize) -> &'a str {
        self.text.get(from..).unwrap_or_default()
    }

    /// The first two characters from here, with their ends, the second only if it belongs to a dense script.
    fn dense_pair(&self, from: usize) -> Option<(usize, Option<usize>)> {
        let mut chars = self.rest(from).chars();
        let middle = from + chars.next()?.len_utf8();
        let second = chars.next().filter(|c| is_dense(*c));
        Some((middle, second.map(|c| middle + c.len_utf8())))
    }

    fn set(&mut self, from: usize, to: usize) {
        let word = self.text.get(from..to).unwrap_or_default();
        let current = &mut self.current;
        current.text.clear();
        if word.is_ascii() {
            current.text.push_str(word);
            current.text.make_ascii_lowercase();
        } else {
            current.text.extend(word.chars().flat_map(char::to_lowercase));
        }
        (current.offset_from, current.offset_to) = (from, to);
        (current.position, current.position_length) = (self.position, 1);
        self.position += 1;
    }

    /// The end of the word that begins here, and how many characters it has.
    fn word_from(&self, from: usize) -> (usize, usize) {
        let mut length = 0;
        for (at, c) in self.rest(from).char_indices() {
            let belongs = match c.is_ascii() {
                true => c.is_ascii_alphanumeric(),
                false => c.is_alphanumeric() && !is_dense(c),
            };
            if !belongs {
                return (from + at, length);
            }
            length += 1;
        }
        (self.text.len(), length)
    }
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        if let Some(from) = self.pair.take()
            && let Some((middle, end)) = self.dense_pair(from)
        {
            self.at = middle;
            if let Some(end) = end {
                self.pair = Some(middle);
                self.set(from, end);
                return true;
            }
        }
        loop {
            let begins = |c: char| {
                c.is_ascii_alphanumeric() || (!c.is_ascii() && (c.is_alphanumeric() || is_dense(c)))
            };
            let Some((skipped, first)) = self.rest(self.at).char_indices().find(|(_, c)| begins(*c)) else {
                self.at = self.text.len();
                return false;
            };
            let from = self.at + skipped;
            if is_dense(first) {
                let (middle, end) = self.dense_pair(from).unwrap_or((self.text.len(), None));
                self.at = middle;
                self.pair = end.map(|_| middle);
                self.set(from, end.unwrap_or(middle));
                return true;
            }
            let (end, length) = self.word_from(from);
            self.at = end;
            if length <= LONGEST_WORD {
                self.set(from, end);
                return true;
            }
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

#[cfg(test)]
mod tests {
    use scenthound_types::Rng;

    use super::*;

    fn all(text: &str) -> Vec<Token> {
        let mut tokens = Vec::new();
        Words
            .token_stream(text)
            .process(&mut |token| tokens.push(token.clone()));
        tokens
    }

    fn words(text: &str) -> Vec<String> {
        all(text).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn words_are_folded_and_dense_scripts_become_pairs() {
        assert_eq!(words("Green-TEA, 2024!"), ["green", "tea", "2024"]);
        assert_eq!(words("緑茶は good"), ["緑茶", "茶は", "good"]);
        assert_eq!(words("茶"), ["茶"]);
        assert_eq!(words("tea茶道"), ["tea", "茶道"]);
        assert_eq!(words("茶 Ärger ΣΊΣΥΦΟΣ"), ["茶", "ärger", "σίσυφοσ"]);
        let token = &all("飲む緑茶")[1];
        assert_eq!((token.offset_from, token.offset_to), (3, 9));
    }

    #[test]
    fn runs_that_are_no_words_are_left_out_and_take_no_position() {
        let long = "x".repeat(LONGEST_WORD + 1);
        let tokens = all(&format!("a {long} b {}", "y".repeat(LONGEST_WORD)));
        let found: Vec<(usize, usize)> = tokens
            .iter()
            .map(|token| (token.position, token.text.len()))
            .collect();
        assert_eq!(found, [(0, 1), (1, 1), (2, LONGEST_WORD)]);
    }

    /// The same rules without haste: a run of characters at a time.
    fn by_runs(text: &str) -> Vec<Token> {
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

    #[test]
    fn any_text_is_split_as_the_rules_say() {
        let alphabet: Vec<char> = "ab Z9é.-Σß茶緑はカ\u{3005}\u{e01}\u{20000}\u{301}\u{202e}\n ١K"
            .chars()
            .collect();
        let mut rng = Rng::from_seed(7);
        for round in 0..3_000 {
            let length = rng.below(1 + round % 160);
            let text: String = (0..length).map(|_| alphabet[rng.below(alphabet.len())]).collect();
            assert_eq!(all(&text), by_runs(&text), "{text:?}");
        }
    }
}
