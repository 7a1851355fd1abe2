//! Maps a feature's key to its place. Built once and then only read.
//!
//! Invariant: at least half of the slots are empty, so a look-up ends after a step or two. Keys are mixed before use,
//! so that similar keys do not cluster.

/// Maps 64-bit keys to places 0, 1, 2… in the order the keys were given.
#[derive(Clone, PartialEq, Debug)]
pub struct KeyTable {
    /// The length is a power of two; an empty slot has the place [`EMPTY`].
    slots: Box<[(u64, u32)]>,
    keys: usize,
}

const EMPTY: u32 = u32::MAX;

impl KeyTable {
    /// Builds a table for these keys; `None` if a key occurs twice or there are four billion.
    pub fn new(keys: &[u64]) -> Option<KeyTable> {
        if keys.len() >= EMPTY as usize / 4 {
            return None;
        }
        let mut slots = vec![(0, EMPTY); (keys.len() * 2 + 2).next_power_of_two()].into_boxed_slice();
        let mask = slots.len() - 1;
        for (place, &key) in (0..).zip(keys) {
            let mut at = home(key, mask);
            while let Some(slot) = slots.get_mut(at) {
                if slot.1 == EMPTY {
                    *slot = (key, place);
                    break;
                }
                if slot.0 == key {
                    return None;
                }
                at = (at + 1) & mask;
            }
        }
        Some(KeyTable {
            slots,
            keys: keys.len(),
        })
    }

    /// The place of a key.
    #[inline]
    pub fn place(&self, key: u64) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut at = home(key, mask);
        while let Some(&(held, place)) = self.slots.get(at) {
            if place == EMPTY {
                return None;
            }
            if held == key {
                return Some(place);
            }
            at = (at + 1) & mask;
        }
        None
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.keys
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.keys == 0
    }
}

impl Default for KeyTable {
    /// No keys.
    fn default() -> KeyTable {
        KeyTable {
            slots: Box::new([(0, EMPTY); 2]),
            keys: 0,
        }
    }
}

#[inline]
fn home(key: u64, mask: usize) -> usize {
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20) as usize & mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_its_place_and_no_other_key_has_one() {
        let keys: Vec<u64> = (0..5_000_u64).map(|n| n * n * 1_000_003).collect();
        let table = KeyTable::new(&keys).unwrap();
        for (place, key) in keys.iter().enumerate() {
            assert_eq!(table.place(*key), Some(place as u32));
        }
        assert_eq!(table.place(17), None);
        assert_eq!(KeyTable::new(&[]).unwrap().place(0), None);
    }

    #[test]
    fn a_key_given_twice_is_refused() {
        assert_eq!(KeyTable::new(&[1, 2, 1]), None);
    }
}
