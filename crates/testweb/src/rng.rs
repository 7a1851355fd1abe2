//! Pseudo-random numbers: the same for the same page on every machine.

use scenthound_types::Rng;

/// A sequence of numbers seeded by a name or a number.
#[derive(Clone, Debug)]
pub(crate) struct PageRng(Rng);

impl PageRng {
    /// The sequence for a page, by its name.
    pub(crate) fn named(name: &str) -> PageRng {
        let start = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        PageRng(Rng::from_seed(start))
    }

    /// The sequence for a page, by its number.
    pub(crate) fn numbered(number: u64) -> PageRng {
        PageRng(Rng::from_seed(
            number.wrapping_mul(0xd6e8_feb8_6659_fd93) ^ 0x5ce2_7a10,
        ))
    }

    /// The next number.
    pub(crate) fn number(&mut self) -> u64 {
        self.0.number()
    }

    /// A number below `limit`; 0 if the limit is 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        if limit == 0 {
            return 0;
        }
        (self.number() % limit as u64) as usize
    }

    /// A number from 0 up to, but not including, 1.
    pub(crate) fn fraction(&mut self) -> f64 {
        self.0.fraction()
    }

    /// One element of a non-empty list.
    pub(crate) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// Some elements of a list, in order, each at most once.
    pub(crate) fn some<'a, T>(&mut self, list: &'a [T], count: usize) -> Vec<&'a T> {
        let mut wanted = count.min(list.len());
        let mut chosen = Vec::with_capacity(wanted);
        for (place, item) in list.iter().enumerate() {
            if self.below(list.len() - place) < wanted {
                chosen.push(item);
                wanted -= 1;
            }
        }
        chosen
    }
}
