//! Numbered items in chunks that never move and that free their memory as items are removed.
//!
//! Numbers are given out in order and never reused. Growing copies nothing and wastes at most one chunk. A closed
//! chunk that is more than half empty is packed: the remaining items are stored side by side and found by binary
//! search. So memory is at most about twice what the live items need, however many numbers were given out. Until
//! something is removed, a look-up is a plain index.
//!
//! **Invariant:** the last chunk is open and never packed; each chunk's `live` counts its items that are not vacant.

// Large enough that the list of chunks for ten million items stays in the processor's cache.
const CHUNK_BITS: u32 = 15;
const CHUNK: usize = 1 << CHUNK_BITS;

/// A type with a value that means "nothing here".
pub(crate) trait Slot: Sized {
    /// The value for an empty slot.
    fn vacant() -> Self;
    /// Whether the slot is empty.
    fn is_vacant(&self) -> bool;
}

#[derive(Debug)]
struct Chunk<T> {
    things: Vec<T>,
    /// Packed: each item's original place in the chunk.
    places: Option<Box<[u16]>>,
    live: usize,
}

impl<T: Slot> Chunk<T> {
    fn at(&self, place: usize) -> Option<usize> {
        match &self.places {
            None => Some(place),
            Some(places) => places.binary_search(&(place as u16)).ok(),
        }
    }

    fn pack(&mut self) {
        let were = self.places.take().unwrap_or_default();
        let things = std::mem::take(&mut self.things);
        let mut places = Vec::with_capacity(self.live);
        self.things.reserve_exact(self.live);
        for (index, thing) in things.into_iter().enumerate() {
            if !thing.is_vacant() {
                places.push(were.get(index).copied().unwrap_or(index as u16));
                self.things.push(thing);
            }
        }
        self.places = Some(places.into());
    }
}

#[derive(Debug)]
pub(crate) struct Chunks<T> {
    chunks: Vec<Chunk<T>>,
    next: u32,
    live: usize,
}

impl<T> Default for Chunks<T> {
    fn default() -> Chunks<T> {
        Chunks {
            chunks: Vec::new(),
            next: 0,
            live: 0,
        }
    }
}

impl<T: Slot> Chunks<T> {
    /// The next number.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// How many items there are.
    pub fn live(&self) -> usize {
        self.live
    }

    /// Memory used, in bytes.
    pub fn bytes(&self) -> usize {
        let of = |chunk: &Chunk<T>| {
            chunk.things.capacity() * size_of::<T>()
                + chunk.places.as_ref().map_or(0, |places| places.len() * 2)
        };
        self.chunks.iter().map(of).sum::<usize>() + self.chunks.capacity() * size_of::<Chunk<T>>()
    }

    /// Gives an item the next number.
    pub fn push(&mut self, thing: T) -> u32 {
        let number = self.next;
        self.next += 1;
        let is_there = usize::from(!thing.is_vacant());
        self.live += is_there;
        match self.chunks.last_mut() {
            Some(last) if number as usize & (CHUNK - 1) != 0 => {
                last.things.push(thing);
                last.live += is_there;
            }
            _ => {
                let mut things = Vec::with_capacity(CHUNK);
                things.push(thing);
                self.chunks.push(Chunk {
                    things,
                    places: None,
                    live: is_there,
                });
                if let Some(closed) = self.chunks.len().checked_sub(2) {
                    self.pack_if_worth_it(closed);
                }
            }
        }
        number
    }

    /// Skips numbers, so that this one is next.
    pub fn skip_to(&mut self, number: u32) {
        while self.next < number {
            let is_whole = self.next as usize & (CHUNK - 1) == 0 && (number - self.next) as usize >= CHUNK;
            if is_whole {
                // This closes the previous chunk.
                if let Some(closed) = self.chunks.len().checked_sub(1) {
                    self.pack_if_worth_it(closed);
                }
                self.chunks.push(Chunk {
                    things: Vec::new(),
                    places: None,
                    live: 0,
                });
                self.next += CHUNK as u32;
            } else {
                self.push(T::vacant());
            }
        }
    }

    pub fn get(&self, number: u32) -> Option<&T> {
        let chunk = self.chunks.get(number as usize >> CHUNK_BITS)?;
        let thing = chunk.things.get(chunk.at(number as usize & (CHUNK - 1))?)?;
        (!thing.is_vacant()).then_some(thing)
    }

    pub fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        let chunk = self.chunks.get_mut(number as usize >> CHUNK_BITS)?;
        let at = chunk.at(number as usize & (CHUNK - 1))?;
        chunk.things.get_mut(at).filter(|thing| !thing.is_vacant())
    }

    /// An item that must exist; panics if it does not.
    pub fn known(&self, number: u32) -> &T {
        let chunk = &self.chunks[number as usize >> CHUNK_BITS];
        let place = number as usize & (CHUNK - 1);
        let at = if chunk.places.is_none() {
            place
        } else {
            chunk.at(place).unwrap_or(usize::MAX)
        };
        let thing = &chunk.things[at];
        debug_assert!(!thing.is_vacant(), "number {number} was removed");
        thing
    }

    /// An item that must exist; panics if it does not.
    pub fn known_mut(&mut self, number: u32) -> &mut T {
        let chunk = &mut self.chunks[number as usize >> CHUNK_BITS];
        let place = number as usize & (CHUNK - 1);
        let at = if chunk.places.is_none() {
            place
        } else {
            chunk.at(place).unwrap_or(usize::MAX)
        };
        let thing = &mut chunk.things[at];
        debug_assert!(!thing.is_vacant(), "number {number} was removed");
        thing
    }

    /// Removes an item for good.
    pub fn remove(&mut self, number: u32) -> Option<T> {
        let thing = std::mem::replace(self.get_mut(number)?, T::vacant());
        let chunk = number as usize >> CHUNK_BITS;
        self.chunks[chunk].live -= 1;
        self.live -= 1;
        if chunk + 1 < self.chunks.len() {
            self.pack_if_worth_it(chunk);
        }
        Some(thing)
    }

    /// Packs every closed chunk with room to free, however little, for when memory is short.
    pub fn pack_all(&mut self) {
        let closed = self.chunks.len().saturating_sub(1);
        for chunk in self.chunks.iter_mut().take(closed) {
            // A packed item also needs its place, so a few gaps are not worth it.
            if chunk.live * 10 < chunk.things.len() * 9 {
                chunk.pack();
            }
        }
    }

    fn pack_if_worth_it(&mut self, chunk: usize) {
        let chunk = &mut self.chunks[chunk];
        if chunk.live * 2 < chunk.things.len() {
            chunk.pack();
        }
    }

    /// All items from this number on, in order. Skips packed gaps without visiting them.
    pub fn from(&self, number: u32) -> impl Iterator<Item = (u32, &T)> {
        let first = number as usize >> CHUNK_BITS;
        self.chunks
            .iter()
            .enumerate()
            .skip(first)
            .flat_map(move |(index, chunk)| {
                let base = (index << CHUNK_BITS) as u32;
                let place = if index == first {
                    number as usize & (CHUNK - 1)
                } else {
                    0
                };
                let places = chunk.places.as_deref();
                let start = places.map_or(place, |places| {
                    places.partition_point(|at| usize::from(*at) < place)
                });
                let things = chunk.things.iter().enumerate().skip(start);
                things
                    .filter(|(_, thing)| !thing.is_vacant())
                    .map(move |(at, thing)| {
                        let place = places.and_then(|places| places.get(at));
                        (base + place.map_or(at as u32, |place| u32::from(*place)), thing)
                    })
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Slot for Option<u32> {
        fn vacant() -> Option<u32> {
            None
        }
        fn is_vacant(&self) -> bool {
            self.is_none()
        }
    }

    #[test]
    fn remaining_items_are_found_and_removed_items_free_their_memory() {
        let mut chunks = Chunks::default();
        let most = 5 * CHUNK as u32 + 100;
        for number in 0..most {
            assert_eq!(chunks.push(Some(number)), number);
        }
        let full = chunks.bytes();
        let stays = |number: u32| number.is_multiple_of(97) || number >= 5 * CHUNK as u32;
        // Remove from both ends, so that chunks are packed while they are still changing.
        for number in (0..most).rev().step_by(2).chain((0..most).step_by(2)) {
            if !stays(number) {
                assert_eq!(chunks.remove(number), Some(Some(number)));
                assert_eq!(chunks.remove(number), None);
            }
        }
        for number in 0..most + 10 {
            let expected = (number < most && stays(number)).then_some(Some(number));
            assert_eq!(chunks.get(number).copied(), expected, "{number}");
        }
        assert_eq!(*chunks.known(97), Some(97));
        let left: Vec<u32> = (1000..most).filter(|number| stays(*number)).collect();
        let found: Vec<u32> = chunks.from(1000).map(|(number, _)| number).collect();
        assert_eq!(found, left);
        assert_eq!(chunks.live(), (0..most).filter(|number| stays(*number)).count());
        // Twice the remaining items, plus the open chunk.
        let open = CHUNK * size_of::<Option<u32>>();
        assert!(chunks.bytes() < open + chunks.live() * 2 * (size_of::<Option<u32>>() + 2) + 1000);
        assert!(full > 4 * open);
    }

    #[test]
    fn skipped_numbers_take_no_memory_and_are_never_given_out() {
        let mut chunks = Chunks::default();
        chunks.push(Some(0));
        chunks.skip_to(3);
        assert_eq!(chunks.push(Some(3)), 3);
        let far = 100 * CHUNK as u32 + 5;
        chunks.skip_to(far);
        assert_eq!(chunks.push(Some(far)), far);
        let found: Vec<u32> = chunks.from(0).map(|(number, _)| number).collect();
        assert_eq!(found, [0, 3, far]);
        assert_eq!(chunks.live(), 3);
        assert!(
            chunks.bytes() < 3 * CHUNK * size_of::<Option<u32>>(),
            "{}",
            chunks.bytes()
        );
        assert_eq!(chunks.get(1), None);
        assert_eq!(chunks.get(50 * CHUNK as u32), None);
    }
}
