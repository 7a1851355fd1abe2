//! Finds words in folded text.
//!
//! A word is any stretch between Unicode word boundaries (UAX #29) that contains a letter or a digit. Runs of Han,
//! Hiragana, Katakana, Hangul and Thai, mixed or not, become overlapping pairs of characters instead; a run of one
//! character stays as it is. ASCII words are found by a hand-written scan that a property test checks against the
//! unicode-segmentation crate. Anything else, up to the next white space, goes to that crate.
//!
//! A full stop, exclamation mark or question mark ends a sentence if a space, a closing mark or a non-ASCII character
//! follows. A vertical tab is white space that ends a sentence: it stands for a line break of the page.
//!
//! Deliberately absent: abbreviations. "e.g." ends a sentence, which hardly matters for the words around a link.

use unicode_segmentation::UnicodeSegmentation;

/// A piece of text, with byte offsets into the folded text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Piece {
    /// A word.
    Word { start: usize, end: usize },
    /// Two adjacent characters of a run, or its only one.
    Pair { start: usize, end: usize },
    /// The end of a sentence.
    SentenceEnd,
}

const OTHER: u8 = 0;
const LETTER: u8 = 1;
const DIGIT: u8 = 2;
/// Joins letters and digits, like `_`.
const JOINER: u8 = 4;
/// Joins letters when it stands between two.
const MID_LETTER: u8 = 8;
/// Joins digits when it stands between two.
const MID_NUMBER: u8 = 16;
const STOP: u8 = 32;
const HIGH: u8 = 64;

const WORD: u8 = LETTER | DIGIT | JOINER;

static CLASS: [u8; 256] = {
    let mut class = [OTHER; 256];
    let mut byte = 0;
    while byte < 256 {
        class[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => LETTER,
            b'0'..=b'9' => DIGIT,
            b'_' => JOINER,
            b'.' => MID_LETTER | MID_NUMBER | STOP,
            b'\'' => MID_LETTER | MID_NUMBER,
            b':' => MID_LETTER,
            b',' | b';' => MID_NUMBER,
            b'!' | b'?' | b'\x0b' => STOP,
            0x80.. => HIGH,
            _ => OTHER,
        };
        byte += 1;
    }
    class
};

#[inline]
fn class_at(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).map_or(OTHER, |b| CLASS[*b as usize])
}

/// Finds every piece of `folded` from the byte `from` on, in order.
#[inline]
pub(crate) fn segment(folded: &str, from: usize, mut found: impl FnMut(Piece)) {
    let bytes = folded.as_bytes();
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        let class = CLASS[*byte as usize];
        if class & WORD != 0 {
            at = match word_at(bytes, at) {
                Scan::Word(end) => {
                    found(Piece::Word { start: at, end });
                    end
                }
                Scan::Joiners(end) => end,
                Scan::NotAscii => other_chunk(folded, at, &mut found),
            };
        } else if class & HIGH != 0 {
            at = match plain_punctuation(bytes, at) {
                true => at + 3,
                false => other_chunk(folded, at, &mut found),
            };
        } else {
            if class & STOP != 0 && ends_sentence(bytes, at) {
                found(Piece::SentenceEnd);
            }
            at += 1;
        }
    }
}

#[inline]
fn word_at(bytes: &[u8], start: usize) -> Scan {
    match plain_word(bytes, start) {
        Some(end) => Scan::Word(end),
        None => ascii_word(bytes, start),
    }
}

/// The end of a word of nothing but ASCII letters and digits; `None` if there is no word here, or if what follows it takes a
/// closer look. Most words are found here, eight bytes at a time: looking at each byte costs a wrong guess of the processor at
/// the end of every word.
#[inline]
fn plain_word(bytes: &[u8], start: usize) -> Option<usize> {
    let mut end = start;
    loop {
        let eight = bytes.get(end..)?.first_chunk::<8>()?;
        let others = !letters_and_digits(u64::from_le_bytes(*eight)) & HIGHEST;
        if others != 0 {
            end += (others.trailing_zeros() / 8) as usize;
            break;
        }
        end += 8;
    }
    if end == start {
        return None;
    }
    let joining = match class_at(bytes, end - 1) {
        LETTER => MID_LETTER | JOINER | HIGH,
        _ => MID_NUMBER | JOINER | HIGH,
    };
    (class_at(bytes, end) & joining == 0).then_some(end)
}

/// The highest bit of each byte.
const HIGHEST: u64 = 0x8080_8080_8080_8080;

/// Sets the highest bit of each byte that is an ASCII letter or digit; the other bits mean nothing.
#[inline]
fn letters_and_digits(eight: u64) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    // No sum of seven bits and these reaches the next byte. The first sets the highest bit from the beginning of a range on,
    // the second after its end.
    let seven = eight & !HIGHEST;
    let from = |bits: u64, first: u8| bits + u64::from(0x80 - first) * EACH;
    let lower = seven | (0x20 * EACH);
    let letters = from(lower, b'a') & !from(lower, b'z' + 1);
    let digits = from(seven, b'0') & !from(seven, b'9' + 1);
    (letters | digits) & !eight
}

enum Scan {
    /// A word up to this byte.
    Word(usize),
    /// Only joiners up to this byte.
    Joiners(usize),
    /// Non-ASCII characters may belong to this word.
    NotAscii,
}

/// Continues from the first letter, digit or joiner of a word.
#[inline]
fn ascii_word(bytes: &[u8], start: usize) -> Scan {
    let mut at = start;
    let mut seen = 0;
    loop {
        // Letters, digits and joiners stay together in any order.
        let mut last = OTHER;
        let mut class = class_at(bytes, at);
        while class & WORD != 0 {
            seen |= class;
            last = class;
            at += 1;
            class = class_at(bytes, at);
        }
        if class == OTHER {
            break;
        }
        let joins = match last {
            LETTER => class & MID_LETTER != 0,
            DIGIT => class & MID_NUMBER != 0,
            _ => false,
        };
        if joins {
            let next = class_at(bytes, at + 1);
            if next == last {
                at += 1;
                continue;
            }
            if next == HIGH && !plain_punctuation(bytes, at + 1) {
                return Scan::NotAscii;
            }
        } else if class == HIGH && !plain_punctuation(bytes, at) {
            return Scan::NotAscii;
        }
        break;
    }
    match seen & (LETTER | DIGIT) {
        0 => Scan::Joiners(at),
        _ => Scan::Word(at),
    }
}

/// Dashes, quotation marks, daggers and bullets (U+2010–2017, U+201A–2023): common punctuation that is never part of
/// a word. U+2018 and U+2019 do not reach this point; they were folded to an apostrophe.
#[inline]
fn plain_punctuation(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(at..at + 3), Some([0xe2, 0x80, 0x90..=0x97 | 0x9a..=0xa3]))
        // A mark or a format character would attach to it, so the fast path does not apply.
        && bytes.get(at + 3).is_none_or(|next| next.is_ascii() || *next == 0xe2)
}

/// Whether the stop at this byte ends a sentence.
fn ends_sentence(bytes: &[u8], at: usize) -> bool {
    if bytes.get(at) == Some(&b'\x0b') {
        return true;
    }
    match bytes.get(at + 1) {
        None => true,
        Some(next) => {
            !next.is_ascii()
                || next.is_ascii_whitespace()
                || matches!(
                    next,
                    b'\x0b' | b'"' | b'\'' | b')' | b']' | b'}' | b'.' | b'!' | b'?'
                )
        }
    }
}

/// Pieces from `start` to the next ASCII white space, for non-ASCII text; returns where it stopped.
#[cold]
fn other_chunk(folded: &str, start: usize, found: &mut impl FnMut(Piece)) -> usize {
    let rest = folded.get(start..).unwrap_or_default();
    let length = rest
        .bytes()
        .position(|b| b.is_ascii_whitespace() || b == b'\x0b')
        .unwrap_or(rest.len());
    let chunk = rest.get(..length).unwrap_or_default();
    let mut at = 0;
    while at < chunk.len() {
        let rest = chunk.get(at..).unwrap_or_default();
        let run: usize = rest
            .chars()
            .take_while(|c| is_paired(*c))
            .map(char::len_utf8)
            .sum();
        if run > 0 {
            pairs(rest.get(..run).unwrap_or_default(), start + at, found);
            at += run;
            continue;
        }
        let plain = rest.find(is_paired).unwrap_or(rest.len());
        for (offset, word) in rest.get(..plain).unwrap_or_default().split_word_bound_indices() {
            let word_start = start + at + offset;
            if word.chars().any(char::is_alphanumeric) {
                found(Piece::Word {
                    start: word_start,
                    end: word_start + word.len(),
                });
            } else {
                stops(folded, word_start, word, found);
            }
        }
        at += plain;
    }
    start + length
}

fn stops(folded: &str, start: usize, word: &str, found: &mut impl FnMut(Piece)) {
    for (offset, c) in word.char_indices() {
        let ends = match c {
            '。' => true,
            '.' | '!' | '?' => ends_sentence(folded.as_bytes(), start + offset),
            _ => false,
        };
        if ends {
            found(Piece::SentenceEnd);
        }
    }
}

fn pairs(run: &str, start: usize, found: &mut impl FnMut(Piece)) {
    let mut ends = run.char_indices().map(|(at, c)| at + c.len_utf8());
    let Some(mut middle) = ends.next() else { return };
    let mut first = 0;
    if middle == run.len() {
        found(Piece::Pair {
            start,
            end: start + middle,
        });
    }
    for end in ends {
        found(Piece::Pair {
            start: start + first,
            end: start + end,
        });
        first = middle;
        middle = end;
    }
}

/// Scripts written without spaces between words (Hangul has them, but its words are compounds).
pub(crate) fn is_paired(c: char) -> bool {
    // Most other characters come before all of these.
    c >= '\u{0e01}'
        && matches!(c,
        // Thai, except its digits and punctuation.
        '\u{0e01}'..='\u{0e3a}' | '\u{0e40}'..='\u{0e4e}'
        // Hangul.
        | '\u{1100}'..='\u{11ff}' | '\u{3131}'..='\u{318e}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}'
        // Hiragana and Katakana with their marks.
        | '\u{3041}'..='\u{3096}' | '\u{3099}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}'
        | '\u{31f0}'..='\u{31ff}' | '\u{1b000}'..='\u{1b16f}'
        // Han.
        | '\u{2e80}'..='\u{2fd5}' | '\u{3005}' | '\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3038}'..='\u{303b}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{fad9}' | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(folded: &str) -> Vec<&str> {
        let mut words = Vec::new();
        segment(folded, 0, |piece| {
            if let Piece::Word { start, end } | Piece::Pair { start, end } = piece {
                words.push(&folded[start..end]);
            }
        });
        words
    }

    fn sentence_ends(folded: &str) -> usize {
        let mut ends = 0;
        segment(folded, 0, |piece| {
            ends += usize::from(piece == Piece::SentenceEnd)
        });
        ends
    }

    #[test]
    fn words_end_where_unicode_says() {
        assert_eq!(
            words("don't e.g. 3.14 a_b _ x:y 1,000;5 c++ (foo)"),
            ["don't", "e.g", "3.14", "a_b", "x:y", "1,000;5", "c", "foo"]
        );
        assert_eq!(
            words("“quoted”—word ‘so’ straße–weg"),
            ["quoted", "word", "so", "straße", "weg"]
        );
    }

    #[test]
    fn letters_and_digits_are_told_from_all_other_bytes_in_every_place() {
        for byte in 0..=u8::MAX {
            for place in 0..8 {
                let mut eight = [b' '; 8];
                eight[place] = byte;
                let found = letters_and_digits(u64::from_le_bytes(eight)) & HIGHEST;
                let expected = u64::from(byte.is_ascii_alphanumeric()) << (8 * place + 7);
                assert_eq!(found, expected, "byte {byte} in place {place}");
            }
        }
    }

    #[test]
    fn scripts_without_spaces_become_pairs() {
        assert_eq!(words("日本語を学ぶ"), ["日本", "本語", "語を", "を学", "学ぶ"]);
        assert_eq!(words("東 コーヒー"), ["東", "コー", "ーヒ", "ヒー"]);
        assert_eq!(
            words("2024年3月のiphone用"),
            ["2024", "年", "3", "月の", "iphone", "用"]
        );
        assert_eq!(words("한국어 책"), ["한국", "국어", "책"]);
        assert_eq!(words("ไทย"), ["ไท", "ทย"]);
        assert_eq!(words("हिन्दी русский"), ["हिन्दी", "русский"]);
    }

    #[test]
    fn sentences_end_at_stops_before_a_gap() {
        assert_eq!(sentence_ends("see www.a.com now. really? \"yes!\" he said"), 3);
        assert_eq!(sentence_ends("日本語。学ぶ!はい"), 2);
        assert_eq!(sentence_ends("first line\u{b}second"), 1);
    }

    proptest! {
        #[test]
        fn ascii_words_are_those_of_unicode_segmentation(text in "[ -~\\t\\n]{0,40}") {
            let expected: Vec<&str> = text.unicode_words().collect();
            prop_assert_eq!(words(&text), expected);
        }

        #[test]
        fn dense_ascii_words_are_those_of_unicode_segmentation(text in "[ab1_.':,;! -]{0,40}") {
            let expected: Vec<&str> = text.unicode_words().collect();
            prop_assert_eq!(words(&text), expected);
        }

        #[test]
        fn mixed_words_are_those_of_unicode_segmentation(text in "[a1_.':,! éßжω·“–•—\u{301}\u{200d}\u{5d0}\"\u{1f1e6}०]{0,24}") {
            let expected: Vec<&str> = text.unicode_words().collect();
            prop_assert_eq!(words(&text), expected);
        }
    }
}
