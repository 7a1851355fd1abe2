//! Near-duplicates among pages, by their fingerprints.
//!
//! Two pages are twins if their fingerprints differ in at most three of 64 bits and their relevance is nearly the same.
//! The second condition bounds what folding can hide: never a page much better than the one shown for it. Fingerprints
//! are cut into four blocks of 16 bits; of four blocks, three changed bits leave one as it was, so only pages that share
//! a block are compared.
//!
//! Invariant: a twin's original is itself nobody's twin, and came earlier. Pages without words have no twins.

use std::collections::HashMap;

/// Bits in which twins may differ.
const BITS: u32 = 3;
/// How far apart the relevance of twins may be.
const APART: f64 = 0.05;
/// So many originals that share a block are compared; a site that makes endless pages alike in a quarter of their bits
/// must not make the search quadratic.
const COMPARED: usize = 256;

/// Whether two fingerprints are those of near-duplicates.
pub fn are_near(a: u64, b: u64) -> bool {
    a != 0 && b != 0 && (a ^ b).count_ones() <= BITS
}

/// Whether two pages, each told by fingerprint and relevance, are twins.
pub fn are_twins(a: (u64, f64), b: (u64, f64)) -> bool {
    are_near(a.0, b.0) && (a.1 - b.1).abs() <= APART
}

/// Finds the twins among pages shown to it in the order they were fetched.
#[derive(Debug, Default)]
pub struct Twins {
    /// Fingerprint, relevance and the caller's number of each original.
    originals: Vec<(u64, f64, u32)>,
    /// Originals by the number of a block and its bits.
    blocks: HashMap<u32, Vec<u32>>,
}

impl Twins {
    /// Takes note of a page; the number of its original, if it repeats an earlier one.
    pub fn add(&mut self, page: u32, fingerprint: u64, relevance: f64) -> Option<u32> {
        if fingerprint == 0 {
            return None;
        }
        let found = blocks(fingerprint)
            .into_iter()
            .filter_map(|block| self.blocks.get(&block))
            .flat_map(|sharing| sharing.iter().take(COMPARED))
            .filter_map(|original| Some((*original, self.originals.get(*original as usize)?)))
            .filter(|(_, (other, its, _))| are_twins((fingerprint, relevance), (*other, *its)))
            // The earliest, whichever block it was found by.
            .min_by_key(|(original, _)| *original);
        if let Some((_, (_, _, number))) = found {
            return Some(*number);
        }
        let original = u32::try_from(self.originals.len()).ok()?;
        self.originals.push((fingerprint, relevance, page));
        for block in blocks(fingerprint) {
            let sharing = self.blocks.entry(block).or_default();
            if sharing.len() < COMPARED {
                sharing.push(original);
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
    fn three_bits_apart_are_twins_wherever_the_bits_are_and_four_are_not() {
        let original = 0x0123_4567_89ab_cdef;
        for first in 0..64 {
            for second in first + 1..64 {
                let mut twins = Twins::default();
                assert_eq!(twins.add(7, original, 0.5), None);
                let near = original ^ 1 << first ^ 1 << second ^ 1 << ((second + 7) % 64);
                assert_eq!(twins.add(8, near, 0.5), Some(7), "{first} {second}");
            }
        }
        let mut twins = Twins::default();
        twins.add(7, original, 0.5);
        assert_eq!(twins.add(8, original ^ 0b1111, 0.5), None);
    }

    #[test]
    fn the_first_fetched_is_the_original_and_chains_do_not_form() {
        let mut twins = Twins::default();
        assert_eq!(twins.add(0, 0xff00, 0.5), None);
        assert_eq!(twins.add(1, 0xff07, 0.5), Some(0));
        // Three bits from the twin, but six from the original.
        assert_eq!(twins.add(2, 0xff3f, 0.5), None);
        assert_eq!(twins.add(3, 0xff00, 0.52), Some(0));
    }

    #[test]
    fn a_much_better_page_and_a_page_without_words_are_not_folded() {
        let mut twins = Twins::default();
        twins.add(0, 0xabcd, 0.1);
        assert_eq!(twins.add(1, 0xabcd, 0.9), None);
        assert_eq!(twins.add(2, 0, 0.1), None);
        assert_eq!(twins.add(3, 0, 0.1), None);
    }
}
