//! A table from numbers to numbers that is built once and then only read.
//!
//! Invariant: at least three of four slots are empty, so a number that is not in the table (nearly every word of a
//! page) is dismissed at the first or second slot. The keys must already be well mixed, as tokens are.
//!
//! Deliberately absent: growing, removing, hashing. A page cannot slow down a look-up: runs of filled slots depend on
//! the topic alone.

/// From a 64-bit key other than 0 to a 32-bit value.
#[derive(Clone, Debug)]
pub(crate) struct Dictionary {
    /// The length is a power of two; key 0 marks an empty slot.
    slots: Box<[(u64, u32)]>,
}

impl Dictionary {
    /// When two entries have the same key, the first one counts.
    pub(crate) fn of(entries: &[(u64, u32)]) -> Dictionary {
        let mut slots = vec![(0, 0); (entries.len() * 4).next_power_of_two().max(4)].into_boxed_slice();
        let mask = slots.len() - 1;
        for &(key, value) in entries {
            debug_assert_ne!(key, 0, "0 marks the empty slot");
            let mut at = key as usize & mask;
            while slots[at].0 != 0 && slots[at].0 != key {
                at = (at + 1) & mask;
            }
            if slots[at].0 == 0 {
                slots[at] = (key, value);
            }
        }
        Dictionary { slots }
    }

    /// The value of a key; none for 0.
    #[inline]
    pub(crate) fn get(&self, key: u64) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut at = key as usize & mask;
        loop {
            match self.slots[at] {
                (0, _) => return None,
                (held, value) if held == key => return Some(value),
                _ => at = (at + 1) & mask,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_found_again_even_if_all_share_a_slot() {
        let entries: Vec<(u64, u32)> = (1..=100).map(|n| (n << 32, n as u32)).collect();
        let dictionary = Dictionary::of(&entries);
        for (key, value) in entries {
            assert_eq!(dictionary.get(key), Some(value));
        }
        assert_eq!(dictionary.get(101 << 32), None);
        assert_eq!(dictionary.get(0), None);
    }

    #[test]
    fn an_empty_dictionary_holds_nothing() {
        assert_eq!(Dictionary::of(&[]).get(7), None);
    }
}
