//! A cache of what is known about words seen before.
//!
//! Words repeat, within a page and even more from page to page, and what a word is does not depend on its context. So
//! the result is cached under the word's hash: most words of a page then cost a single look-up.
//!
//! A slot of the table is one number: the part of the hash that the slot's index does not give, plus a few bits of
//! note. A note is therefore read whole or not at all, threads share the table without a lock, and a note is never
//! mistaken for another word's. A new word overwrites the word in its slot.
//!
//! Invariant: a note depends only on the word. The answer is the same whether it was cached or computed, so the state
//! of the table never shows. The table does not grow.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use scenthound_types::text::Token;

/// Bits of a hash that select a word's slot.
const PLACE_BITS: u32 = 16;
const PLACES: usize = 1 << PLACE_BITS;
/// The bits of a slot that hold the note; the others hold the rest of the hash.
const NOTE: u64 = PLACES as u64 - 1;
/// Set in every note, so that an empty slot is not a note.
const IS_NOTED: u64 = 1;

/// Notes about words, at most one per slot (512 KiB).
pub(crate) struct Memory {
    places: Box<[AtomicU64; PLACES]>,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory {
            places: Box::new([const { AtomicU64::new(0) }; PLACES]),
        }
    }
}

impl Memory {
    /// The note about a word, if it is cached.
    #[inline]
    pub(crate) fn of(&self, token: Token) -> Option<u16> {
        let hash = token.hash();
        let noted = self.places[(hash & NOTE) as usize].load(Ordering::Relaxed);
        // All bits except the note's must agree, and there must be a note.
        let is_here = (noted ^ hash) & !NOTE == 0 && noted & IS_NOTED != 0;
        is_here.then_some(((noted & NOTE) >> 1) as u16)
    }

    /// Whether the note about a word is 0. A break is not a word, so it never has a note.
    #[inline]
    pub(crate) fn is_blank(&self, token: Token) -> bool {
        let hash = token.hash();
        self.places[(hash & NOTE) as usize].load(Ordering::Relaxed) == hash & !NOTE | IS_NOTED
    }

    /// Stores a note about a word; only the lower 15 bits are kept.
    pub(crate) fn keep(&self, token: Token, note: u16) {
        let hash = token.hash();
        let noted = hash & !NOTE | u64::from(note) << 1 & NOTE | IS_NOTED;
        self.places[(hash & NOTE) as usize].store(noted, Ordering::Relaxed);
    }
}

/// A copy starts empty, because the copy's word lists may be about to change.
impl Clone for Memory {
    fn clone(&self) -> Memory {
        Memory::default()
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Memory").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_is_remembered() {
        let memory = Memory::default();
        let (tea, word) = (Token::of("tea"), Token::of("word"));
        assert_eq!(memory.of(tea), None);
        memory.keep(tea, 32767);
        // A note of 0 is a note too.
        memory.keep(word, 0);
        assert_eq!((memory.of(tea), memory.of(word)), (Some(32767), Some(0)));
        assert!(memory.is_blank(word) && !memory.is_blank(tea) && !memory.is_blank(Token::BREAK));
        assert_eq!(memory.clone().of(tea), None);
    }

    #[test]
    fn words_that_share_a_slot_are_not_taken_for_each_other() {
        let memory = Memory::default();
        let words =
            || (0..4 * PLACES).map(|number| (Token::of(&number.to_string()), (number % 32768) as u16));
        for (token, note) in words() {
            assert!(memory.of(token).is_none());
            memory.keep(token, note);
            assert_eq!(memory.of(token), Some(note));
        }
        // Most have lost their slot since; the rest still have their own note.
        let left = words().filter(|(token, _)| memory.of(*token).is_some()).count();
        assert!(left > PLACES / 2 && left <= PLACES, "{left}");
        assert!(words().all(|(token, note)| memory.of(token).is_none_or(|of| of == note)));
    }
}
