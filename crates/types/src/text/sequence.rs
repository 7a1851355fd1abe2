//! A page's words in reading order.
//!
//! The folded text is kept whole and each token is a span of it, so that adding a word copies nothing and overlapping
//! character pairs share their bytes. Positions count tokens, including breaks.
//!
//! Deliberately absent: the original text. Only the folded form is kept.

use std::collections::HashMap;
use std::ops::Range;

use crate::text::fold::Folding;
use crate::text::segment::{Piece, segment};
use crate::text::{Stemmer, Token};

/// A run of tokens of one [`Text`], by position.
pub type TokenRange = Range<u32>;

/// How far a sentence may extend on each side of a run. Text without full stops would otherwise turn a whole page
/// into one sentence, once for every link.
const SENTENCE_REACH: u32 = 64;

/// One edge of something marked in raw text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edge {
    /// It begins here.
    Start,
    /// It ends here.
    End,
}

/// A place in raw text whose token position is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    /// Byte offset into the raw text.
    pub at: u32,
    /// Whether the marked range begins or ends there.
    pub edge: Edge,
}

/// Normalised words in reading order, with their spellings, block breaks and sentence ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    tokens: Vec<Token>,
    /// Where each token is in `folded`; empty for a break.
    spans: Vec<Span>,
    folded: String,
    /// Positions before which a sentence ends, ascending. Breaks also end sentences and are not listed.
    sentence_ends: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    start: u32,
    end: u32,
}

impl Text {
    /// An empty text with room for about this many bytes.
    pub fn with_capacity(bytes: usize) -> Text {
        let words = bytes / 5;
        Text {
            tokens: Vec::with_capacity(words),
            spans: Vec::with_capacity(words),
            folded: String::with_capacity(bytes),
            sentence_ends: Vec::new(),
        }
    }

    /// All tokens, including breaks.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The tokens of a run; empty if the run lies outside the text.
    pub fn run(&self, range: &TokenRange) -> &[Token] {
        self.tokens
            .get(range.start as usize..range.end as usize)
            .unwrap_or_default()
    }

    /// The normalised spelling of the token at a position; empty for a break or a position outside the text.
    pub fn spelling(&self, position: u32) -> &str {
        self.spans
            .get(position as usize)
            .and_then(|span| self.folded.get(span.start as usize..span.end as usize))
            .unwrap_or_default()
    }

    /// The last byte of the spelling of the token at a position, without the cost of finding all of it.
    #[inline]
    pub fn last_byte(&self, position: u32) -> Option<u8> {
        let span = self.spans.get(position as usize)?;
        let last = (span.end as usize)
            .checked_sub(1)
            .filter(|_| span.start < span.end)?;
        self.folded.as_bytes().get(last).copied()
    }

    /// The number of tokens, including breaks.
    pub fn len(&self) -> u32 {
        self.tokens.len() as u32
    }

    /// Whether there are no tokens at all.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The bytes of the normalised text.
    pub fn bytes(&self) -> usize {
        self.folded.len()
    }

    /// Drops everything from this position on.
    pub fn truncate(&mut self, len: u32) {
        self.tokens.truncate(len as usize);
        self.spans.truncate(len as usize);
        self.sentence_ends
            .truncate(self.sentence_ends.partition_point(|end| *end <= len));
        self.folded
            .truncate(self.spans.last().map_or(0, |span| span.end as usize));
    }

    /// Replaces each word's token by that of its stem; without a stemmer, by that of the word itself.
    pub fn stem(&mut self, stemmer: Option<Stemmer>) {
        // A page repeats its words, and finding a stem costs far more than finding a number.
        let mut known: HashMap<&str, Token> = HashMap::new();
        let words = self.tokens.iter_mut().zip(&self.spans);
        for (token, span) in words.filter(|(token, _)| token.is_word()) {
            let Some(word) = self.folded.get(span.start as usize..span.end as usize) else {
                continue;
            };
            *token = match stemmer {
                None => Token::of(word),
                Some(stemmer) => *known.entry(word).or_insert_with(|| stemmer.token(word)),
            };
        }
    }

    /// Ends the current block. Two breaks never follow each other, and a text never begins with one.
    pub fn push_break(&mut self) {
        if self.tokens.last().is_some_and(|last| last.is_word()) {
            let end = self.folded.len() as u32;
            self.tokens.push(Token::BREAK);
            self.spans.push(Span { start: end, end });
        }
    }

    /// Adds an already normalised word, as returned by [`Text::spelling`].
    pub fn push_word(&mut self, token: Token, spelling: &str) {
        let start = self.folded.len() as u32;
        self.folded.push_str(spelling);
        self.tokens.push(token);
        self.spans.push(Span {
            start,
            end: self.folded.len() as u32,
        });
    }

    /// Adds raw text to the current block. No word extends from one call into the next.
    pub fn push(&mut self, raw: &str) {
        self.push_marked(raw, &[], &mut Vec::new());
    }

    /// Adds raw text and appends the position of each mark, in the order given; marks must ascend.
    ///
    /// A word split by a mark belongs to the marked range on either side. From a run of character pairs, only the
    /// pairs entirely inside belong to it.
    pub fn push_marked(&mut self, raw: &str, marks: &[Mark], positions: &mut Vec<u32>) {
        let from = self.folded.len();
        let moved = self.fold_in(raw, marks);
        let Text {
            tokens,
            spans,
            folded,
            sentence_ends,
        } = self;
        let mut waiting = moved.iter();
        let mut next = waiting.next();
        segment(folded, from, |piece| {
            let (start, end, is_pair) = match piece {
                Piece::Word { start, end } => (start, end, false),
                Piece::Pair { start, end } => (start, end, true),
                Piece::SentenceEnd => {
                    let here = tokens.len() as u32;
                    if here > 0 && sentence_ends.last() != Some(&here) {
                        sentence_ends.push(here);
                    }
                    return;
                }
            };
            let here = tokens.len() as u32;
            while let Some((at, edge)) = next
                && *at < end
            {
                let is_inside = *at > start;
                positions.push(match (edge, is_pair) {
                    // The first pair that begins inside is yet to come.
                    (Edge::Start, true) if is_inside => break,
                    (Edge::End, false) if is_inside => here + 1,
                    _ => here,
                });
                next = waiting.next();
            }
            if let Some(spelling) = folded.as_bytes().get(start..end) {
                tokens.push(Token::of_bytes(spelling));
                spans.push(Span {
                    start: start as u32,
                    end: end as u32,
                });
            }
        });
        positions.extend(next.into_iter().chain(waiting).map(|_| tokens.len() as u32));
        // Keeps the first word of the next call from merging with the last one of this call.
        if self.folded.len() > from {
            self.folded.push(' ');
        }
    }

    /// Appends raw text in folded form and returns where the marks are in the folded text.
    fn fold_in(&mut self, raw: &str, marks: &[Mark]) -> Vec<(usize, Edge)> {
        let from = self.folded.len();
        if raw.is_ascii() {
            self.folded.push_str(raw);
            if let Some(tail) = self.folded.get_mut(from..) {
                tail.make_ascii_lowercase();
            }
            return marks
                .iter()
                .map(|mark| (from + (mark.at as usize).min(raw.len()), mark.edge))
                .collect();
        }
        // Folding changes lengths, so the marks are translated piece by piece.
        let mut folding = Folding::default();
        let mut done = 0;
        let mut moved = Vec::with_capacity(marks.len());
        for mark in marks {
            let at = floor_boundary(raw, mark.at as usize).max(done);
            folding.fold(raw.get(done..at).unwrap_or_default(), &mut self.folded);
            done = at;
            moved.push((self.folded.len(), mark.edge));
        }
        folding.fold(raw.get(done..).unwrap_or_default(), &mut self.folded);
        moved
    }

    /// The run and up to `words` more words, half on each side (an odd one goes to the right), ignoring blocks.
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

    /// The sentence or sentences that contain the run, bounded by breaks and by 64 tokens on each side.
    pub fn sentence_around(&self, run: &TokenRange) -> TokenRange {
        // An empty run belongs to the sentence of the next word or, at the end of a block, of the previous word.
        let anchor = match *run {
            TokenRange { start, end } if start < end => start..end,
            TokenRange { start, .. } if self.is_word_at(start) => start..start + 1,
            TokenRange { start, .. } if start > 0 && self.is_word_at(start - 1) => start - 1..start,
            _ => return run.clone(),
        };
        let before = self.sentence_ends.partition_point(|end| *end <= anchor.start);
        let floor = before
            .checked_sub(1)
            .and_then(|i| self.sentence_ends.get(i))
            .copied()
            .unwrap_or(0)
            .max(anchor.start.saturating_sub(SENTENCE_REACH));
        let after = self.sentence_ends.partition_point(|end| *end < anchor.end);
        let ceiling = self
            .sentence_ends
            .get(after)
            .copied()
            .unwrap_or(self.len())
            .min(anchor.end.saturating_add(SENTENCE_REACH));
        let mut start = anchor.start;
        while start > floor && self.is_word_at(start - 1) {
            start -= 1;
        }
        let mut end = anchor.end;
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

fn floor_boundary(raw: &str, at: usize) -> usize {
    let mut at = at.min(raw.len());
    while !raw.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn spelled(text: &Text, range: TokenRange) -> Vec<&str> {
        range.map(|position| text.spelling(position)).collect()
    }

    /// The words between `[` and `]`, which are taken out and marked.
    fn marked(raw: &str) -> Vec<String> {
        let mut plain = String::new();
        let mut marks = Vec::new();
        for c in raw.chars() {
            let edge = match c {
                '[' => Edge::Start,
                ']' => Edge::End,
                _ => {
                    plain.push(c);
                    continue;
                }
            };
            marks.push(Mark {
                at: plain.len() as u32,
                edge,
            });
        }
        let mut text = Text::default();
        let mut positions = Vec::new();
        text.push_marked(&plain, &marks, &mut positions);
        positions
            .chunks(2)
            .map(|pair| spelled(&text, pair[0]..pair[1]).join(" "))
            .collect()
    }

    #[test]
    fn marks_become_positions_of_words() {
        assert_eq!(marked("one [two three] four [five]"), ["two three", "five"]);
        assert_eq!(marked("[one]"), ["one"]);
        assert_eq!(marked("a [] b"), [""]);
        assert_eq!(marked("élan [été] – naïf [Ünder…] x"), ["ete", "under"]);
    }

    #[test]
    fn a_word_split_by_a_mark_belongs_to_what_is_marked() {
        assert_eq!(marked("foo[bar] baz"), ["foobar"]);
        assert_eq!(marked("[foo]bar baz"), ["foobar"]);
        assert_eq!(marked("straße[nname] baz"), ["straßenname"]);
        assert_eq!(marked("[foo][bar]s baz"), ["foobars", "foobars"]);
    }

    #[test]
    fn pairs_belong_when_they_are_wholly_inside() {
        assert_eq!(marked("私は[日本語]を学ぶ"), ["日本 本語"]);
        assert_eq!(marked("[東京]都"), ["東京"]);
        assert_eq!(marked("東[京]都 [日本]"), ["", "日本"]);
    }

    #[test]
    fn breaks_stand_between_words_only() {
        let mut text = Text::default();
        text.push_break();
        text.push("one");
        text.push_break();
        text.push_break();
        text.push("two");
        assert_eq!(spelled(&text, 0..text.len()), ["one", "", "two"]);
        assert_eq!(text.tokens()[1], Token::BREAK);
    }

    #[test]
    fn a_truncated_text_is_what_a_shorter_one_would_be() {
        let mut text = Text::default();
        text.push("One two. Three");
        text.push_break();
        text.push("four");
        text.truncate(2);
        text.push(" five.");
        assert_eq!(spelled(&text, 0..text.len()), ["one", "two", "five"]);
        assert_eq!(text.sentence_around(&(2..3)), 2..3);
    }

    #[test]
    fn words_of_two_calls_do_not_run_together() {
        let mut text = Text::default();
        text.push("foo");
        text.push("bar. ");
        text.push("\u{301}baz");
        assert_eq!(spelled(&text, 0..3), ["foo", "bar", "baz"]);
    }

    #[test]
    fn a_sentence_is_bounded_by_stops_and_breaks() {
        let mut text = Text::default();
        text.push("One two. Three four five! Six");
        text.push_break();
        text.push("seven");
        assert_eq!(
            spelled(&text, text.sentence_around(&(3..4))),
            ["three", "four", "five"]
        );
        assert_eq!(
            spelled(&text, text.sentence_around(&(2..2))),
            ["three", "four", "five"]
        );
        assert_eq!(spelled(&text, text.sentence_around(&(5..6))), ["six"]);
        assert_eq!(spelled(&text, text.sentence_around(&(6..6))), ["six"]);
        assert_eq!(
            spelled(&text, text.sentence_around(&(1..3))),
            ["one", "two", "three", "four", "five"]
        );
    }

    #[test]
    fn an_endless_sentence_is_cut() {
        let mut text = Text::default();
        text.push(&"word ".repeat(1000));
        assert_eq!(text.sentence_around(&(500..502)), 436..566);
    }

    #[test]
    fn widening_counts_words_and_steps_over_breaks() {
        let mut text = Text::default();
        text.push("a1 b1 c1");
        text.push_break();
        text.push("d1 e1 f1");
        assert_eq!(text.widen(&(4..5), 4), 1..7);
        assert_eq!(text.widen(&(0..1), 1), 0..2);
    }

    proptest! {
        #[test]
        fn every_mark_gets_a_position_and_positions_ascend(
            raw in "[a-z .éß漢字か]{0,40}",
            mut at in prop::collection::vec((0u32..140, any::<bool>()), 0..8),
        ) {
            at.sort_by_key(|mark| mark.0);
            let marks: Vec<Mark> = at
                .iter()
                .map(|(at, start)| Mark { at: *at, edge: if *start { Edge::Start } else { Edge::End } })
                .collect();
            let mut text = Text::default();
            let mut positions = Vec::new();
            text.push_marked(&raw, &marks, &mut positions);
            prop_assert_eq!(positions.len(), marks.len());
            prop_assert!(positions.iter().all(|p| *p <= text.len()));
            // A word split by both marks may be counted by an end before the next start; nowhere else.
            prop_assert!(positions.windows(2).all(|pair| pair[0] <= pair[1] + 1));
            for position in 0..text.len() {
                prop_assert_eq!(Token::of(text.spelling(position)), text.tokens()[position as usize]);
            }
        }

        #[test]
        fn anything_can_be_pushed(raw in any::<String>(), more in any::<String>()) {
            let mut text = Text::default();
            text.push(&raw);
            text.push_break();
            text.push(&more);
            text.sentence_around(&(0..text.len()));
        }
    }
}
