//! Which entry a URL is known by: numbers of entries, found by key.
//!
//! With a hundred million URLs nothing of this is in the processor's cache, and each step to another place in memory costs more
//! than all the rest of a look-up. So a bucket is one cache line: twelve numbers and a byte of the key of each. A look-up reads
//! its bucket and then the entry it names, which the caller needs anyway.
//!
//! A bucket that is full passes what comes to the next one, and counts what it passed. So a look-up ends at the first
//! bucket that has passed nothing, and removing leaves no marks behind.
//!
//! **Invariant:** `passed` of a bucket is the number of members that are further on than this bucket and belong to it or to one
//! before it.
//!
//! Deliberately absent: the keys. They are in the entries, and whoever looks something up compares them.

use scenthound_types::UrlKey;

/// Members of a bucket.
const SLOTS: usize = 12;
/// The table grows when it is fuller than this, in percent: beyond it many buckets pass members on.
const FULLEST: usize = 80;
/// An odd number that spreads the bits of a key.
const SPREAD: u64 = 0xd6e8_feb8_6659_fd93;
/// The tag of an empty slot. No member has it.
const VACANT: u8 = 0;

/// Members that are added together, and how many buckets the part of the table has that they belong to: not more than the
/// processor knows the places of.
const TOGETHER: usize = 512;
const PART: usize = 16_384;

/// Members on their way into a table, by the part where they belong.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    parts: Vec<Vec<(UrlKey, u32)>>,
}

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Bucket {
    ids: [u32; SLOTS],
    tags: [u8; SLOTS],
    passed: u32,
}

const _: () = assert!(size_of::<Bucket>() == 64, "a bucket is one cache line");

const EMPTY: Bucket = Bucket {
    ids: [0; SLOTS],
    tags: [VACANT; SLOTS],
    passed: 0,
};

impl Bucket {
    /// The slots with this tag, a bit for each.
    fn tagged(&self, tag: u8) -> u32 {
        let bits = self.tags.iter().enumerate();
        bits.fold(0, |found, (slot, here)| found | u32::from(*here == tag) << slot)
    }
}

/// Numbers of entries by key.
#[derive(Debug, Default)]
pub(crate) struct KeyTable {
    buckets: Vec<Bucket>,
    len: usize,
}

fn tag(key: UrlKey) -> u8 {
    // Which bucket it is follows from the other end of the key.
    (key.0 as u8).max(1)
}

/// How many buckets a table for so many members has.
fn buckets_for(members: usize) -> usize {
    members.max(SLOTS) * 100 / FULLEST / SLOTS + 1
}

impl KeyTable {
    pub fn len(&self) -> usize {
        self.len
    }

    /// Memory used, in bytes.
    pub fn bytes(&self) -> usize {
        self.buckets.capacity() * size_of::<Bucket>()
    }

    /// All members, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.buckets.iter().flat_map(|bucket| {
            let slots = bucket.tags.iter().zip(bucket.ids);
            slots.filter(|(tag, _)| **tag != VACANT).map(|(_, id)| id)
        })
    }

    /// The bucket where a key belongs. Any number of buckets will do, not only powers of two.
    fn home(&self, key: UrlKey) -> usize {
        // Spread once more: if ranks follow from keys and the worst URLs leave, the keys that stay are near to each other.
        let spread = key.0.wrapping_mul(SPREAD) >> 32;
        ((spread * self.buckets.len() as u64) >> 32) as usize
    }

    fn after(&self, bucket: usize) -> usize {
        if bucket + 1 == self.buckets.len() {
            0
        } else {
            bucket + 1
        }
    }

    /// Where a member is: its bucket and slot.
    fn place(&self, key: UrlKey, is: impl Fn(u32) -> bool) -> Option<(usize, usize)> {
        let tag = tag(key);
        let mut at = self.home(key);
        // As many steps as there are buckets at most.
        for _ in 0..self.buckets.len() {
            let bucket = &self.buckets[at];
            let mut tagged = bucket.tagged(tag);
            while tagged != 0 {
                let slot = tagged.trailing_zeros() as usize;
                if is(bucket.ids[slot]) {
                    return Some((at, slot));
                }
                tagged &= tagged - 1;
            }
            if bucket.passed == 0 {
                return None;
            }
            at = self.after(at);
        }
        None
    }

    /// The member with this key that the caller recognises.
    pub fn find(&self, key: UrlKey, is: impl Fn(u32) -> bool) -> Option<u32> {
        let (bucket, slot) = self.place(key, is)?;
        Some(self.buckets[bucket].ids[slot])
    }

    /// Adds a member that is not there yet.
    pub fn insert(&mut self, key: UrlKey, id: u32, key_of: impl Fn(u32) -> UrlKey) {
        if self.len >= self.buckets.len() * SLOTS * FULLEST / 100 {
            self.rebuild(self.len + self.len / 2, key_of);
        }
        self.put(key, id);
    }

    /// Adds many members that are not there yet, sooner or later: all of them once [`KeyTable::insert_gathered`] is called.
    ///
    /// Members come in the order of their numbers, each to another corner of memory, and the processor would wait for every one.
    /// Of those that are gathered for one part of the table, it fetches many at a time.
    pub fn gather(&mut self, key: UrlKey, id: u32, gathered: &mut Gathered, key_of: impl Fn(u32) -> UrlKey) {
        let part = self.home(key) / PART;
        if gathered.parts.len() <= part {
            gathered.parts.resize_with(part + 1, Vec::new);
        }
        let members = &mut gathered.parts[part];
        members.push((key, id));
        if members.len() >= TOGETHER {
            self.insert_part(members, key_of);
        }
    }

    /// Adds all members that were gathered.
    pub fn insert_gathered(&mut self, gathered: &mut Gathered, key_of: impl Fn(u32) -> UrlKey) {
        for members in &mut gathered.parts {
            self.insert_part(members, &key_of);
        }
    }

    fn insert_part(&mut self, members: &mut Vec<(UrlKey, u32)>, key_of: impl Fn(u32) -> UrlKey) {
        self.reserve(self.len + members.len(), key_of);
        let buckets = members
            .iter()
            .map(|(key, _)| self.buckets[self.home(*key)].passed);
        std::hint::black_box(buckets.fold(0, |seen, passed| seen ^ passed));
        for (key, id) in members.drain(..) {
            self.put(key, id);
        }
    }

    fn put(&mut self, key: UrlKey, id: u32) {
        let mut at = self.home(key);
        loop {
            let bucket = &mut self.buckets[at];
            let vacant = bucket.tagged(VACANT);
            if vacant != 0 {
                let slot = vacant.trailing_zeros() as usize;
                bucket.ids[slot] = id;
                bucket.tags[slot] = tag(key);
                self.len += 1;
                return;
            }
            bucket.passed += 1;
            at = self.after(at);
        }
    }

    /// Removes the member with this key and number, if it is there.
    pub fn remove(&mut self, key: UrlKey, id: u32) {
        let Some((bucket, slot)) = self.place(key, |member| member == id) else {
            return;
        };
        let mut at = self.home(key);
        while at != bucket {
            self.buckets[at].passed -= 1;
            at = self.after(at);
        }
        self.buckets[bucket].tags[slot] = VACANT;
        self.len -= 1;
    }

    /// Makes room for this many members in all.
    pub fn reserve(&mut self, members: usize, key_of: impl Fn(u32) -> UrlKey) {
        if members > self.buckets.len() * SLOTS * FULLEST / 100 {
            self.rebuild(members.max(self.len + self.len / 2), key_of);
        }
    }

    /// Gives memory back if there is room for many more members than there are.
    pub fn shrink(&mut self, key_of: impl Fn(u32) -> UrlKey) {
        let members = self.len + self.len / 8;
        if buckets_for(members) < self.buckets.len() / 4 * 3 {
            self.rebuild(members, key_of);
        }
    }

    /// Puts all members into a table that has room for so many.
    fn rebuild(&mut self, members: usize, key_of: impl Fn(u32) -> UrlKey) {
        let rebuilt = KeyTable {
            buckets: vec![EMPTY; buckets_for(members)],
            len: 0,
        };
        let before = std::mem::replace(self, rebuilt);
        for id in before.iter() {
            self.put(key_of(id), id);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Few different tags, and many keys that belong to the same bucket.
    fn key(number: u64) -> UrlKey {
        let spread = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let wanted = spread & 0xc000_0000_0000_0000 | number << 8 | number & 3;
        // What spreading the key makes of it is this number.
        let key = wanted.wrapping_mul(0xcfee_444d_8b59_a89b);
        assert_eq!(key.wrapping_mul(SPREAD), wanted);
        UrlKey(key)
    }

    #[test]
    fn what_is_put_in_is_found_until_it_is_removed_however_crowded_the_buckets_are() {
        let (mut table, mut model) = (KeyTable::default(), BTreeMap::new());
        let key_of = |id: u32| key(u64::from(id));
        let mut random = 7_u64;
        for _ in 0..20_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let id = (random >> 33) as u32 % 500;
            if model.remove(&id).is_some() {
                table.remove(key_of(id), id);
            } else {
                model.insert(id, ());
                table.insert(key_of(id), id, key_of);
            }
            assert_eq!(table.len(), model.len());
            let is = |member: u32| member == id;
            assert_eq!(table.find(key_of(id), is).is_some(), model.contains_key(&id));
        }
        for id in 0..500 {
            let found = table.find(key_of(id), |member| key_of(member) == key_of(id));
            assert_eq!(found, model.contains_key(&id).then_some(id));
        }
        let mut members: Vec<u32> = table.iter().collect();
        members.sort_unstable();
        assert_eq!(members, model.keys().copied().collect::<Vec<_>>());
        // Once all are gone, no bucket believes that it passed anything on.
        for id in members {
            table.remove(key_of(id), id);
        }
        assert!(table.buckets.iter().all(|bucket| bucket.passed == 0));
    }

    #[test]
    fn members_that_are_gathered_are_there_once_all_are_inserted() {
        let mut table = KeyTable::default();
        let spread = |id: u32| UrlKey(u64::from(id).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        // It grows once more.
        table.reserve(400_000, spread);
        let mut gathered = Gathered::default();
        for id in 0..500_000 {
            table.gather(spread(id), id, &mut gathered, spread);
        }
        assert!(gathered.parts.len() > 2, "{}", gathered.parts.len());
        table.insert_gathered(&mut gathered, spread);
        assert_eq!(table.len(), 500_000);
        for id in 0..500_000 {
            assert_eq!(table.find(spread(id), |member| member == id), Some(id));
        }
    }

    #[test]
    fn a_table_that_has_become_too_large_gives_memory_back() {
        let mut table = KeyTable::default();
        let spread = |id: u32| UrlKey(u64::from(id).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        for id in 0..10_000 {
            table.insert(spread(id), id, spread);
        }
        for id in 1_000..10_000 {
            table.remove(spread(id), id);
        }
        let before = table.bytes();
        table.shrink(spread);
        assert!(table.bytes() * 5 < before, "{before} {}", table.bytes());
        assert!((0..1_000).all(|id| table.find(spread(id), |member| member == id) == Some(id)));
        let small = table.bytes();
        table.shrink(spread);
        assert_eq!(table.bytes(), small, "there is nothing more to give");
    }

    #[test]
    fn room_made_in_advance_is_enough() {
        let mut table = KeyTable::default();
        let unknown = |_| -> UrlKey { unreachable!("it would grow") };
        table.reserve(10_000, unknown);
        let bytes = table.bytes();
        for id in 0..10_000_u32 {
            table.insert(
                UrlKey(u64::from(id).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
                id,
                unknown,
            );
        }
        assert_eq!(table.bytes(), bytes);
        assert!(bytes < 10_000 * 7, "{bytes}");
    }
}
