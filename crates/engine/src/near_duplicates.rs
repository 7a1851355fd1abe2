//! Near-duplicates among pages, found by their fingerprints.
//!
//! Two pages are near-duplicates if their fingerprints differ in at most three of 64 bits and their relevance is nearly the
//! same. The second condition limits what folding can hide: a folded page is never much better than the one shown.
//! Fingerprints are cut into four blocks of 16 bits. Three changed bits leave at least one block unchanged, so only pages
//! that share a block are compared.
//!
//! **Invariant:** the original of a near-duplicate came earlier and is not a near-duplicate itself. Pages without words
//! have no near-duplicates.

use std::collections::HashMap;

/// Bits in which near-duplicates may differ.
const MAX_BITS: u32 = 3;
/// How far apart the relevance of near-duplicates may be.
const MAX_RELEVANCE_GAP: f64 = 0.05;
/// At most this many originals that share a block are compared. Otherwise a site that generates endless pages with one block
/// in common would make the search quadratic.
const MAX_COMPARED: usize = 256;

/// Whether two pages, each given as fingerprint and relevance, are near-duplicates.
pub fn are_near_duplicates(a: (u64, f64), b: (u64, f64)) -> bool {
    are_alike(a.0, b.0) && (a.1 - b.1).abs() <= MAX_RELEVANCE_GAP
}

fn are_alike(one: u64, other: u64) -> bool {
    one != 0 && other != 0 && (one ^ other).count_ones() <= MAX_BITS
}

/// Finds near-duplicates among pages shown to it in the order they were fetched.
///
/// ```
/// use scenthound_engine::NearDuplicates;
///
/// let mut pages = NearDuplicates::default();
/// assert_eq!(pages.add(1, 0xff00, 0.5), None);
/// assert_eq!(pages.add(2, 0xff07, 0.5), Some(1));
/// assert_eq!(pages.add(3, 0x1234, 0.5), None);
/// ```
#[derive(Debug)]
pub struct NearDuplicates {
    max_relevance_gap: f64,
    originals: Vec<Original>,
    /// Indexes into the originals, by the number of a block and its bits.
    blocks: HashMap<u32, Vec<u32>>,
}

#[derive(Clone, Copy, Debug)]
struct Original {
    /// The caller's number.
    page: u32,
    fingerprint: u64,
    relevance: f64,
}

impl Default for NearDuplicates {
    fn default() -> NearDuplicates {
        NearDuplicates {
            max_relevance_gap: MAX_RELEVANCE_GAP,
            originals: Vec::new(),
            blocks: HashMap::new(),
        }
    }
}

impl NearDuplicates {
    /// Compares fingerprints only.
    pub fn of_any_relevance() -> NearDuplicates {
        NearDuplicates {
            max_relevance_gap: f64::INFINITY,
            ..NearDuplicates::default()
        }
    }

    /// Adds a page under a number of the caller's choice. Returns the number of the earlier page it repeats, if any.
    pub fn add(&mut self, page: u32, fingerprint: u64, relevance: f64) -> Option<u32> {
        if fingerprint == 0 {
            return None;
        }
        let found = blocks(fingerprint)
            .into_iter()
            .filter_map(|block| self.blocks.get(&block))
            .flat_map(|sharing| sharing.iter().take(MAX_COMPARED))
            .filter_map(|at| Some((*at, self.originals.get(*at as usize)?)))
            .filter(|(_, other)| {
                are_alike(fingerprint, other.fingerprint)
                    && (relevance - other.relevance).abs() <= self.max_relevance_gap
            })
            // Take the earliest, whichever block it was found by.
            .min_by_key(|(at, _)| *at);
        if let Some((_, original)) = found {
            return Some(original.page);
        }
        let at = u32::try_from(self.originals.len()).ok()?;
        self.originals.push(Original {
            page,
            fingerprint,
            relevance,
        });
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
                assert_eq!(pages.add(7, original, 0.5), None);
                let near = original ^ 1 << first ^ 1 << second ^ 1 << ((second + 7) % 64);
                assert_eq!(pages.add(8, near, 0.5), Some(7), "{first} {second}");
            }
        }
        let mut pages = NearDuplicates::default();
        pages.add(7, original, 0.5);
        assert_eq!(pages.add(8, original ^ 0b1111, 0.5), None);
    }

    #[test]
    fn the_first_fetched_is_the_original_and_chains_do_not_form() {
        let mut pages = NearDuplicates::default();
        assert_eq!(pages.add(0, 0xff00, 0.5), None);
        assert_eq!(pages.add(1, 0xff07, 0.5), Some(0));
        // Three bits from the near-duplicate, but six from the original.
        assert_eq!(pages.add(2, 0xff3f, 0.5), None);
        assert_eq!(pages.add(3, 0xff00, 0.52), Some(0));
    }

    #[test]
    fn a_much_better_page_and_a_page_without_words_are_not_folded() {
        let mut pages = NearDuplicates::default();
        pages.add(0, 0xabcd, 0.1);
        assert_eq!(pages.add(1, 0xabcd, 0.9), None);
        assert_eq!(pages.add(2, 0, 0.1), None);
        assert_eq!(pages.add(3, 0, 0.1), None);
    }
}
