//! Whether a host still says anything new, by the words it uses.
//!
//! Pages that are generated from a list of words can all differ and all be about the topic. They stop bringing new words all the
//! same, while on a real site new words never end: names, places, mistakes. Words are sampled, one in sixteen, so that the memory
//! of a host fits into four kilobytes.
//!
//! Deliberately absent: numbers. Every generator can count.

use scenthound_types::ParsedPage;

/// One word in so many is sampled.
const SAMPLED: u64 = 16;
/// Bits of a sampled word that are kept.
const BITS: u32 = 15;
/// Sampled words of one page that are looked at.
const MOST_WORDS: usize = 256;
const BYTES: usize = (1 << BITS) / 8;

/// The sampled words of a page.
pub(crate) fn sample(page: &ParsedPage) -> Box<[u16]> {
    let mut words = Vec::with_capacity(MOST_WORDS);
    for (position, token) in (0..).zip(page.text.tokens()) {
        if token.hash().is_multiple_of(SAMPLED)
            && token.is_word()
            && words.len() < 4 * MOST_WORDS
            && !page.text.spelling(position).contains(char::is_numeric)
        {
            words.push((token.hash() / SAMPLED) as u16 & ((1 << BITS) - 1));
        }
    }
    words.sort_unstable();
    words.dedup();
    words.truncate(MOST_WORDS);
    words.into()
}

/// The sampled words that a host has used.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Vocabulary(Box<[u8]>);

impl Default for Vocabulary {
    fn default() -> Vocabulary {
        Vocabulary(vec![0; BYTES].into())
    }
}

impl Vocabulary {
    /// Adds the words of a page. Returns whether one of them is new.
    pub fn add(&mut self, words: &[u16]) -> bool {
        let mut is_new = false;
        for word in words {
            if let Some(byte) = self.0.get_mut(usize::from(word / 8)) {
                let bit = 1 << (word % 8);
                is_new |= *byte & bit == 0;
                *byte |= bit;
            }
        }
        is_new
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Takes what [`Vocabulary::as_bytes`] gave off the front.
    pub fn split_off(bytes: &mut &[u8]) -> Option<Vocabulary> {
        let (own, rest) = bytes.split_at_checked(BYTES)?;
        *bytes = rest;
        Some(Vocabulary(own.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_new_once() {
        let mut vocabulary = Vocabulary::default();
        assert!(vocabulary.add(&[1, 2, 0x7fff]));
        assert!(!vocabulary.add(&[2, 1]));
        assert!(!vocabulary.add(&[]));
        assert!(vocabulary.add(&[1, 3]));
        let bytes = vocabulary.as_bytes().to_vec();
        let mut rest = &bytes[..];
        assert_eq!(Vocabulary::split_off(&mut rest), Some(vocabulary));
        assert!(rest.is_empty());
    }
}
