//! Evidence that was written lately, kept in memory.
//!
//! A strategy that takes notes reads the note of every waiting link it meets again, nearly a hundred for each page, and most of
//! those were written by the pages just before. Two generations keep it simple: when the young one is full, it becomes the old
//! one, and what was in the old one is forgotten.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Entries of a generation; a note takes about a hundred bytes.
const GENERATION: usize = 50_000;

/// Evidence by the number of the URL.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    young: Generation,
    old: Generation,
}

type Generation = HashMap<u32, Box<[u8]>, BuildHasherDefault<NumberHasher>>;

/// Numbers are given one after the other by ourselves, so spreading their bits is enough.
#[derive(Debug, Default)]
struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32(u32::from(*byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Recent {
    pub fn get(&self, id: u32) -> Option<&[u8]> {
        self.young
            .get(&id)
            .or_else(|| self.old.get(&id))
            .map(|bytes| &**bytes)
    }

    pub fn put(&mut self, id: u32, bytes: &[u8]) {
        if self.young.len() >= GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(id, bytes.into());
    }

    pub fn forget(&mut self, id: u32) {
        self.young.remove(&id);
        self.old.remove(&id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_is_found_and_the_oldest_is_forgotten() {
        let mut recent = Recent::default();
        recent.put(1, b"first");
        recent.put(2, b"second");
        for id in 0..GENERATION as u32 {
            recent.put(10 + id, b"x");
        }
        assert_eq!(recent.get(1), Some(&b"first"[..]), "it is in the old generation");
        recent.put(1, b"again");
        assert_eq!(recent.get(1), Some(&b"again"[..]));
        recent.forget(1);
        assert_eq!(recent.get(1), None);
        for id in 0..GENERATION as u32 {
            recent.put(100_000 + id, b"y");
        }
        assert_eq!(recent.get(2), None);
    }
}
