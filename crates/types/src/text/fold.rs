//! Brings text into the one spelling in which everything is compared.
//!
//! NFKC, then lower case, then the accents of Latin, Greek and Cyrillic letters are dropped. Other scripts keep their
//! marks: Japanese voicing and Indic vowel signs make a different word. Two foldings go further than that rule,
//! because a term and a page must not differ by typesetting alone: curly apostrophes become `'`, and soft hyphens,
//! word joiners and variation selectors are dropped.
//!
//! ASCII is copied and lower-cased in bulk, letters of the scripts above go through a table built once by the slow
//! path, and Han, kana and Hangul fold to themselves. Only the rest pays for normalisation.
//!
//! Deliberately absent: words. Word boundaries are found afterwards, in the folded text.

use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{decompose_canonical, is_combining_mark};

/// State carried from one character to the next.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Folding {
    /// The last base character was a Latin, Greek or Cyrillic letter, so marks after it are accents to be dropped.
    accents_fall: bool,
}

impl Folding {
    /// Appends the folded form of `raw` to `out`.
    pub(crate) fn fold(&mut self, raw: &str, out: &mut String) {
        let mut rest = raw;
        loop {
            let ascii = ascii_prefix(rest.as_bytes());
            if ascii > 0 {
                let (plain, other) = rest.split_at(ascii);
                let from = out.len();
                out.push_str(plain);
                if let Some(tail) = out.get_mut(from..) {
                    tail.make_ascii_lowercase();
                }
                self.accents_fall = plain.as_bytes().last().is_some_and(u8::is_ascii_alphabetic);
                rest = other;
            }
            let Some(next) = rest.chars().next() else { break };
            let taken = if let Some(entry) = TABLE.entry(next) {
                self.push_listed(next, entry, rest, out);
                next.len_utf8()
            } else if stands_for_itself(next) {
                self.push_itself(rest, out)
            } else {
                self.push_slowly(rest, out)
            };
            rest = rest.get(taken..).unwrap_or_default();
        }
    }

    fn push_listed(&mut self, c: char, entry: Entry, rest: &str, out: &mut String) {
        if c == 'Σ' {
            let ends_word = out.chars().next_back().is_some_and(char::is_alphabetic)
                && !rest.chars().nth(1).is_some_and(char::is_alphabetic);
            out.push(if ends_word { 'ς' } else { 'σ' });
        } else {
            out.push_str(TABLE.spelling(entry));
        }
        self.accents_fall = entry.accents_fall;
    }

    /// Copies a run of characters that fold to themselves; returns its length. The last one is left to the slow path
    /// when the next character may compose with it.
    fn push_itself(&mut self, rest: &str, out: &mut String) -> usize {
        let mut end = 0;
        let mut last = 0;
        for c in rest.chars() {
            if stands_for_itself(c) {
                last = end;
                end += c.len_utf8();
            } else {
                if !c.is_ascii() && TABLE.entry(c).is_none() {
                    end = last;
                }
                break;
            }
        }
        if end == 0 {
            return self.push_slowly(rest, out);
        }
        out.push_str(rest.get(..end).unwrap_or_default());
        self.accents_fall = false;
        end
    }

    /// Normalises up to the next character that needs no normalisation; returns the length read.
    fn push_slowly(&mut self, rest: &str, out: &mut String) -> usize {
        let end = rest
            .char_indices()
            .skip(1)
            .find(|(_, c)| c.is_ascii() || stands_for_itself(*c) || TABLE.entry(*c).is_some())
            .map_or(rest.len(), |(at, _)| at);
        for c in rest.get(..end).unwrap_or_default().nfkc() {
            for lower in c.to_lowercase() {
                self.push_bare(lower, out);
            }
        }
        end
    }

    fn push_bare(&mut self, c: char, out: &mut String) {
        match c {
            '\u{ad}' | '\u{2060}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => {
                return;
            }
            '\u{2018}' | '\u{2019}' => {
                self.accents_fall = false;
                return out.push('\'');
            }
            _ => {}
        }
        if is_combining_mark(c) {
            if !self.accents_fall {
                out.push(c);
            }
            return;
        }
        let mut base = None;
        decompose_canonical(c, |part| base = base.or(Some(part)));
        let base = base.unwrap_or(c);
        self.accents_fall = is_alphabet_with_accents(base);
        out.push(if self.accents_fall { base } else { c });
    }
}

/// Length of the leading ASCII.
fn ascii_prefix(bytes: &[u8]) -> usize {
    let mut length = 0;
    // Whole blocks first: the standard library checks many bytes of them at a time.
    for block in bytes.chunks_exact(32) {
        if !block.is_ascii() {
            break;
        }
        length += 32;
    }
    let rest = bytes.get(length..).unwrap_or_default();
    length + rest.iter().position(|b| !b.is_ascii()).unwrap_or(rest.len())
}

/// Latin, Greek and Cyrillic letters: the scripts whose accents are dropped.
fn is_alphabet_with_accents(c: char) -> bool {
    matches!(c,
        'a'..='z' | 'A'..='Z' | '\u{aa}' | '\u{ba}' | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{2b8}'
        | '\u{370}'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}' | '\u{1d00}'..='\u{1dbf}' | '\u{1e00}'..='\u{1fff}'
        | '\u{2c60}'..='\u{2c7f}' | '\u{a640}'..='\u{a69f}' | '\u{a720}'..='\u{a7ff}' | '\u{ab30}'..='\u{ab6f}')
}

/// Han, kana and Hangul that folding leaves alone, unless a mark or a trailing consonant follows.
fn stands_for_itself(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'
        | '\u{ac00}'..='\u{d7a3}' | '\u{3001}' | '\u{3002}')
}

/// What one character folds to, as a range of [`FoldTable::spelled`].
#[derive(Clone, Copy)]
struct Entry {
    start: u16,
    length: u8,
    accents_fall: bool,
}

/// The folded form of every character in the table's ranges that does not depend on its neighbours.
struct FoldTable {
    entries: Vec<Option<Entry>>,
    spelled: String,
}

/// Latin to Cyrillic, then the extended Latin and Greek blocks and general punctuation.
const RANGES: [(u32, u32); 2] = [(0x80, 0x530), (0x1e00, 0x2070)];

static TABLE: LazyLock<FoldTable> = LazyLock::new(|| {
    let mut table = FoldTable {
        entries: Vec::new(),
        spelled: String::new(),
    };
    for code in RANGES.iter().flat_map(|(start, end)| *start..*end) {
        let entry = char::from_u32(code)
            .filter(|c| !is_combining_mark(*c))
            .map(|c| table.make(c));
        table.entries.push(entry);
    }
    table
});

impl FoldTable {
    fn make(&mut self, c: char) -> Entry {
        let start = self.spelled.len();
        let mut folding = Folding::default();
        for folded in c.nfkc().flat_map(char::to_lowercase) {
            folding.push_bare(folded, &mut self.spelled);
        }
        Entry {
            start: start as u16,
            length: (self.spelled.len() - start) as u8,
            accents_fall: folding.accents_fall,
        }
    }

    #[inline]
    fn entry(&self, c: char) -> Option<Entry> {
        let code = c as u32;
        let mut before = 0;
        for (start, end) in RANGES {
            if (start..end).contains(&code) {
                return self
                    .entries
                    .get((before + code - start) as usize)
                    .copied()
                    .flatten();
            }
            before += end - start;
        }
        None
    }

    fn spelling(&self, entry: Entry) -> &str {
        let start = entry.start as usize;
        self.spelled
            .get(start..start + entry.length as usize)
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fold(raw: &str) -> String {
        let mut out = String::new();
        Folding::default().fold(raw, &mut out);
        out
    }

    /// The rule as written, without shortcuts.
    fn fold_by_the_book(raw: &str) -> String {
        let mut out = String::new();
        let mut folding = Folding::default();
        for c in raw.nfkc().flat_map(char::to_lowercase) {
            folding.push_bare(c, &mut out);
        }
        out
    }

    #[test]
    fn accents_fall_from_latin_greek_and_cyrillic_only() {
        assert_eq!(fold("São Tomé ÅNGSTRÖM Straße"), "sao tome angstrom straße");
        assert_eq!(fold("Ελλάδα ΟΔΟΣ ὁδός"), "ελλαδα οδος οδος");
        assert_eq!(fold("Ёлка Йод"), "елка иод");
        assert_eq!(fold("e\u{301}te\u{301}"), "ete");
        assert_eq!(fold("が か\u{3099} ガ ｶﾞ"), "が が ガ ガ");
        assert_eq!(fold("हिन्दी"), "हिन्दी");
        assert_eq!(fold("İstanbul"), "istanbul");
    }

    #[test]
    fn compatibility_forms_become_plain_ones() {
        assert_eq!(fold("ﬁne Ｆｕｌｌ １２ x² …"), "fine full 12 x2 ...");
        assert_eq!(fold("a\u{a0}b"), "a b");
        assert_eq!(fold("\u{1112}\u{1161}\u{11ab}"), "한");
        assert_eq!(fold("하\u{11ab}"), "한");
    }

    #[test]
    fn typesetting_does_not_make_another_word() {
        assert_eq!(
            fold("don’t co\u{ad}operate 葛\u{e0100}飾"),
            "don't cooperate 葛飾"
        );
    }

    proptest! {
        #[test]
        fn the_shortcuts_fold_as_the_book_does(raw in "[ -~éÉÅßÀñŁøĳǆΑΣσςάЙйёЁҐ«»“”’–…²½ªﬁＡｶﾞがかカ漢字한하ひ\u{300}\u{301}\u{3099}\u{11ab}\u{1161}\u{1112}ḀỲὉİıกำ้หहि्]{0,24}") {
            // Which sigma is written depends on what follows, and this reference maps letter by letter.
            let plain = |s: String| s.replace('ς', "σ");
            prop_assert_eq!(plain(fold(&raw)), plain(fold_by_the_book(&raw)));
        }

        #[test]
        fn folding_anything_ends(raw in any::<String>()) {
            fold(&raw);
        }
    }
}
