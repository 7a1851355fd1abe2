//! Near-duplicates among pages, found by their fingerprints.
//!
//! Two pages are near-duplicates if their fingerprints differ in at most three of 64 bits. Their relevance plays no part: a judge
//! that learns gives the same page another relevance an hour later. Fingerprints are cut into four blocks of 16 bits. Three
//! changed bits leave at least one block unchanged, so only pages that share a block are compared.
//!
//! **Invariant:** the original of a near-duplicate came earlier and is not a near-duplicate itself. Pages without words
//! have no near-duplicates.

use std::collections::HashMap;

/// Bits in which near-duplicates may differ.
const MAX_BITS: u32 = 3;
/// At most this many originals that share a block are compared. Otherwise a site that generates endless pages with one block
/// in common would make the search quadratic.
const MAX_COMPARED: usize = 256;

fn are_alike(one: u64, other: u64) -> bool {
    one != 0 && other != 0 && (one ^ other).count_ones() <= MAX_BITS
}

/// Finds near-duplicates among pages shown to it in the order they were fetched.
///
/// ```
/// use scenthound_engine::NearDuplicates;
///
/// let mut pages = NearDuplicates::default();
/// assert_eq!(pages.add(1, 0xff00), None);
/// assert_eq!(pages.add(2, 0xff07), Some(1));
/// assert_eq!(pages.add(3, 0x1234), None);
/// ```
#[derive(Debug, Default)]
pub struct NearDuplicates {
    originals: Vec<Original>,
    /// Indexes into the originals, by the number of a block and its bits.
    blocks: HashMap<u32, Vec<u32>>,
}

#[derive(Clone, Copy, Debug)]
struct Original {
    /// The caller's number.
    page: u32,
    fingerprint: u64,
}

impl NearDuplicates {
    /// Adds a page under a number of the caller's choice. Returns the number of the earlier page it repeats, if any.
    pub fn add(&mut self, page: u32, fingerprint: u64) -> Option<u32> {
        if fingerprint == 0 {
            return None;
        }
        let found = blocks(fingerprint)
            .into_iter()
            .filter_map(|block| self.blocks.get(&block))
            .flat_map(|sharing| sharing.iter().take(MAX_COMPARED))
            .filter_map(|at| Some((*at, self.originals.get(*at as usize)?)))
            .filter(|(_, other)| are_alike(fingerprint, other.fingerprint))
            // Take the earliest, whichever block it was found by.
            .min_by_key(|(at, _)| *at);
        if let Some((_, original)) = found {
            return Some(original.page);
        }
        let at = u32::try_from(self.originals.len()).ok()?;
        self.originals.push(Original { page, fingerprint });
        for block in blocks(fingerprint) {
            let sharing = self.blocks.entry(block).or_default();
            if sharing.len() < MAX_COMPARED {
                sharing.push(at);
            }
        }
        None
    }
}

fn blocks(fingerprint: u64) -> [u32; 4] {
    [0_u32, 1, 2, 3].map(|block| block << 16 | (fingerprint >> (16 * block) & 0xffff) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_bits_apart_are_found_wherever_the_bits_are_and_four_are_not() {
        let original = 0x0123_4567_89ab_cdef;
        for first in 0..64 {
            for second in first + 1..64 {
                let mut pages = NearDuplicates::default();
                assert_eq!(pages.add(7, original), None);
                let near = original ^ 1 << first ^ 1 << second ^ 1 << ((second + 7) % 64);
                assert_eq!(pages.add(8, near), Some(7), "{first} {second}");
            }
        }
        let mut pages = NearDuplicates::default();
        pages.add(7, original);
        assert_eq!(pages.add(8, original ^ 0b1111), None);
    }

    #[test]
    fn the_first_fetched_is_the_original_and_chains_do_not_form() {
        let mut pages = NearDuplicates::default();
        assert_eq!(pages.add(0, 0xff00), None);
        assert_eq!(pages.add(1, 0xff07), Some(0));
        // Three bits from the near-duplicate, but six from the original.
        assert_eq!(pages.add(2, 0xff3f), None);
        assert_eq!(pages.add(3, 0xff00), Some(0));
    }

    #[test]
    fn pages_without_words_are_not_near_duplicates() {
        let mut pages = NearDuplicates::default();
        assert_eq!(pages.add(2, 0), None);
        assert_eq!(pages.add(3, 0), None);
    }
}
