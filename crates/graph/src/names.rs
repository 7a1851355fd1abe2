//! Names as they are collected: each once, with a number, until memory is full; then in order.

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

use crate::varint;

/// Longer names are not URLs we accept.
pub(crate) const LONGEST_NAME: usize = 4096;
/// Groups of names up to this size are sorted by comparing whole names.
const FEW: usize = 24;

/// Names in one run of bytes, numbered in order of arrival.
#[derive(Debug, Default)]
pub(crate) struct Names {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    table: HashTable<u32>,
}

impl Names {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Total bytes of all names.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn name(&self, number: u32) -> &[u8] {
        name(&self.bytes, &self.ends, number)
    }

    /// The number of a name, which is added if new.
    pub(crate) fn number(&mut self, spelled: &[u8]) -> u32 {
        let Names { bytes, ends, table } = self;
        let hash = xxh3_64(spelled);
        let is_it = |number: &u32| name(bytes, ends, *number) == spelled;
        if let Some(number) = table.find(hash, is_it) {
            return *number;
        }
        let number = ends.len() as u32;
        bytes.extend_from_slice(spelled);
        ends.push(bytes.len() as u32);
        table.insert_unique(hash, number, |number| xxh3_64(name(bytes, ends, *number)));
        number
    }

    /// The numbers of all names, in the order of the names.
    pub(crate) fn in_order(&self) -> Vec<u32> {
        let mut keyed: Vec<(u64, u32)> = (0..self.ends.len() as u32).map(|number| (0, number)).collect();
        self.sort(&mut keyed, 0);
        keyed.into_iter().map(|(_, number)| number).collect()
    }

    /// Sorts names that are equal up to `depth`, eight bytes at a time. So a long common prefix, as the names of one
    /// site have, is examined only once.
    fn sort(&self, names: &mut [(u64, u32)], depth: usize) {
        if names.len() <= FEW || depth > LONGEST_NAME {
            names.sort_unstable_by(|(_, a), (_, b)| self.name(*a).cmp(self.name(*b)));
            return;
        }
        for (key, number) in names.iter_mut() {
            let rest = self.name(*number).get(depth..).unwrap_or_default();
            *key = match rest.first_chunk() {
                Some(eight) => u64::from_be_bytes(*eight),
                None => rest
                    .iter()
                    .chain(&[0; 8])
                    .take(8)
                    .fold(0, |key, byte| key << 8 | u64::from(*byte)),
            };
        }
        names.sort_unstable();
        for group in names.chunk_by_mut(|(a, _), (b, _)| a == b) {
            if group.len() > 1 {
                self.sort(group, depth + 8);
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.table.clear();
    }
}

fn name<'n>(bytes: &'n [u8], ends: &[u32], number: u32) -> &'n [u8] {
    let at = number as usize;
    let start = at
        .checked_sub(1)
        .and_then(|before| ends.get(before))
        .copied()
        .unwrap_or(0);
    let end = ends.get(at).copied().unwrap_or(0);
    bytes.get(start as usize..end as usize).unwrap_or_default()
}

/// Writes a name as its difference from the one before, then makes it the one before.
pub(crate) fn put_name(out: &mut Vec<u8>, before: &mut Vec<u8>, name: &[u8]) {
    let shared = before.iter().zip(name).take_while(|(a, b)| a == b).count();
    let (_, rest) = name.split_at(shared);
    varint::put(out, shared as u64);
    varint::put(out, rest.len() as u64);
    out.extend_from_slice(rest);
    before.truncate(shared);
    before.extend_from_slice(rest);
}

/// Reads a name from the front into `name`, which holds the one before; `None` if the bytes are not a name.
pub(crate) fn take_name(bytes: &mut &[u8], name: &mut Vec<u8>) -> Option<()> {
    let shared = usize::try_from(varint::take(bytes)?).ok()?;
    let rest = varint::take_bytes(bytes)?;
    if shared > name.len() {
        return None;
    }
    name.truncate(shared);
    name.extend_from_slice(rest);
    Some(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_order_is_that_of_the_bytes(
            mut given in prop::collection::vec("(http://a\\.test/)?[ab\u{0}]{0,20}", 0..200),
        ) {
            let mut names = Names::default();
            for name in &given {
                let number = names.number(name.as_bytes());
                prop_assert_eq!(names.name(number), name.as_bytes());
            }
            let sorted: Vec<&[u8]> = names.in_order().into_iter().map(|number| names.name(number)).collect();
            given.sort_unstable();
            given.dedup();
            let expected: Vec<&[u8]> = given.iter().map(String::as_bytes).collect();
            prop_assert_eq!(sorted, expected);
        }

        #[test]
        fn names_written_as_differences_come_back(given in prop::collection::vec("[a-c]{0,6}", 0..30)) {
            let (mut bytes, mut before) = (Vec::new(), Vec::new());
            for name in &given {
                put_name(&mut bytes, &mut before, name.as_bytes());
            }
            let (mut rest, mut name) = (bytes.as_slice(), Vec::new());
            for expected in &given {
                prop_assert!(take_name(&mut rest, &mut name).is_some());
                prop_assert_eq!(&name, expected.as_bytes());
            }
            prop_assert!(rest.is_empty());
        }
    }
}
