//! A page's words in reading order.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

use crate::Token;

/// A run of tokens of one [`Text`], by position.
pub type TokenRange = Range<u32>;

/// Normalised words in reading order, with their spellings, block breaks and sentence ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    tokens: Vec<Token>,
    /// End of each token's spelling in `spelled`; a break has an empty spelling.
    ends: Vec<u32>,
    spelled: String,
    /// Positions after which a sentence ends, ascending. Breaks end sentences too and are not listed.
    sentence_ends: Vec<u32>,
}

impl Text {
    /// All tokens, breaks included.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The tokens of a run; empty where the run lies outside the text.
    pub fn run(&self, range: &TokenRange) -> &[Token] {
        self.tokens
            .get(range.start as usize..range.end as usize)
            .unwrap_or_default()
    }

    /// The normalised spelling of the token at a position; empty for a break and outside the text.
    pub fn spelling(&self, position: u32) -> &str {
        let position = position as usize;
        let start = if position == 0 {
            0
        } else {
            self.ends.get(position - 1).copied().unwrap_or(0)
        };
        let end = self.ends.get(position).copied().unwrap_or(start);
        self.spelled.get(start as usize..end as usize).unwrap_or_default()
    }

    /// How many tokens there are, breaks included.
    pub fn len(&self) -> u32 {
        self.tokens.len() as u32
    }

    /// Whether there is no token at all.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Ends the present block. Two breaks never follow each other, and a text never begins with one.
    pub fn push_break(&mut self) {
        if self.tokens.last().is_some_and(|last| last.is_word()) {
            self.push_token(Token::BREAK, "");
        }
    }

    /// Adds raw writing to the present block.
    pub fn push(&mut self, raw: &str) {
        let folded: String = raw.nfkc().flat_map(char::to_lowercase).collect();
        for word in folded.split_word_bounds() {
            if word.chars().any(char::is_alphanumeric) {
                self.push_word(word);
            } else if word.contains(['.', '!', '?', '。', '！', '？']) && !self.is_empty() {
                let end = self.len();
                if self.sentence_ends.last() != Some(&end) {
                    self.sentence_ends.push(end);
                }
            }
        }
    }

    fn push_word(&mut self, word: &str) {
        let spelled: String = word.nfd().filter(|c| !is_combining_mark(*c)).collect();
        self.push_token(Token::of(&spelled), &spelled);
    }

    fn push_token(&mut self, token: Token, spelled: &str) {
        self.spelled.push_str(spelled);
        self.ends.push(self.spelled.len() as u32);
        self.tokens.push(token);
    }

    /// The run and up to `words` words more, half on each side (the odd one to the right), blocks ignored.
    pub fn widen(&self, run: &TokenRange, words: u32) -> TokenRange {
        let mut start = run.start;
        let mut left = words / 2;
        while left > 0 && start > 0 {
            start -= 1;
            left -= u32::from(self.is_word_at(start));
        }
        let mut end = run.end;
        let mut right = words - words / 2;
        while right > 0 && end < self.len() {
            right -= u32::from(self.is_word_at(end));
            end += 1;
        }
        start..end
    }

    /// The sentence or sentences that the run stands in, bounded by breaks.
    pub fn sentence_around(&self, run: &TokenRange) -> TokenRange {
        let before = self.sentence_ends.partition_point(|end| *end <= run.start);
        let mut floor = before
            .checked_sub(1)
            .and_then(|i| self.sentence_ends.get(i))
            .copied()
            .unwrap_or(0);
        let after = self.sentence_ends.partition_point(|end| *end < run.end);
        let ceiling = self.sentence_ends.get(after).copied().unwrap_or(self.len());
        let mut start = run.start;
        floor = floor.min(start);
        while start > floor && self.is_word_at(start - 1) {
            start -= 1;
        }
        let mut end = run.end;
        while end < ceiling && self.is_word_at(end) {
            end += 1;
        }
        start..end
    }

    fn is_word_at(&self, position: u32) -> bool {
        self.tokens
            .get(position as usize)
            .is_some_and(|token| token.is_word())
    }
}
