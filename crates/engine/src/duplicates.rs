//! Which pages of the crawl repeat others.
//!
//! Fingerprints of pages that were not repetitions are kept for the whole crawl, about a hundred bytes each. Which of two
//! pages is the original depends on which was settled first. Once committed, the answer stays the same.

use scenthound_types::{StateDelta, UrlKey};

use crate::near_duplicates::NearDuplicates;

/// The prefix of the notes that hold the originals.
const NOTES: &str = "duplicates/";
/// Originals per note. The last note is written again with each commit that adds to it.
const PER_NOTE: usize = 64;
/// Bytes of one original.
const BYTES: usize = 24;

/// A page that repeats no earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Original {
    pub key: UrlKey,
    pub fingerprint: u64,
    /// A hash of the names of its links, in any order.
    pub links: u64,
}

/// The originals found so far.
#[derive(Debug, Default)]
pub(crate) struct Duplicates {
    index: NearDuplicates,
    originals: Vec<Original>,
    saved: usize,
}

impl Duplicates {
    /// Adds a page. Returns the page it repeats, if it repeats one.
    pub fn add(&mut self, key: UrlKey, fingerprint: u64, links: u64) -> Option<Original> {
        let number = u32::try_from(self.originals.len()).ok()?;
        match self.index.add(number, fingerprint) {
            Some(original) => {
                let original = self.originals.get(original as usize)?;
                (original.key != key).then_some(*original)
            }
            None if fingerprint == 0 => None,
            None => {
                self.originals.push(Original {
                    key,
                    fingerprint,
                    links,
                });
                None
            }
        }
    }

    /// Adds the new originals to the notes of a commit.
    pub fn save(&mut self, notes: &mut StateDelta) {
        if self.saved == self.originals.len() {
            return;
        }
        let first = self.saved / PER_NOTE;
        for (number, chunk) in self.originals.chunks(PER_NOTE).enumerate().skip(first) {
            let mut bytes = Vec::with_capacity(chunk.len() * BYTES);
            for original in chunk {
                for word in [original.key.0, original.fingerprint, original.links] {
                    bytes.extend(word.to_le_bytes());
                }
            }
            notes.put(format!("{NOTES}{number:08x}"), bytes);
        }
        self.saved = self.originals.len();
    }

    /// Restores what [`Duplicates::save`] put into the notes. What cannot be read is left out: the pages then count as new.
    pub fn restore(&mut self, mut saved: Vec<(String, Vec<u8>)>) {
        saved.sort_unstable();
        for (_, bytes) in saved {
            let (originals, _) = bytes.as_chunks::<BYTES>();
            for original in originals {
                let word = |at: usize| {
                    let bytes = original.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
                    u64::from_le_bytes(bytes.unwrap_or_default())
                };
                self.add(UrlKey(word(0)), word(8), word(16));
            }
        }
        self.saved = self.originals.len();
    }

    /// The prefix of its notes.
    pub fn notes() -> &'static str {
        NOTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_repeats_a_page_is_known_after_a_restart_too() {
        let mut pages = Duplicates::default();
        let print = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for number in 1..=200 {
            assert_eq!(pages.add(UrlKey(number), print(number), number), None);
        }
        let found = pages.add(UrlKey(900), print(7) ^ 0b101, 1).unwrap();
        assert_eq!((found.key, found.links), (UrlKey(7), 7));
        assert_eq!(
            pages.add(UrlKey(7), print(7), 7),
            None,
            "read again, a page does not repeat itself"
        );
        let mut notes = StateDelta::default();
        pages.save(&mut notes);
        let saved = notes.changes().to_vec();
        assert_eq!(saved.len(), 4);
        let mut restored = Duplicates::default();
        restored.restore(saved);
        let found = restored.add(UrlKey(901), print(150), 2).unwrap();
        assert_eq!((found.key, found.links), (UrlKey(150), 150));
        assert_eq!(
            restored.add(UrlKey(902), 0, 0),
            None,
            "pages without words repeat nothing"
        );
    }
}
