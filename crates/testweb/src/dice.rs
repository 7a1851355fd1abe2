//! Numbers in place of random ones: the same for the same page on every machine.

/// A stream of numbers that a name or number starts.
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Dice for a page, by its name.
    pub(crate) fn named(name: &str) -> Dice {
        let start = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Dice(start)
    }

    /// Dice for a page, by its number.
    pub(crate) fn numbered(number: u64) -> Dice {
        Dice(number.wrapping_mul(0xd6e8_feb8_6659_fd93) ^ 0x5ce2_7a10)
    }

    /// The next number.
    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `sides`; 0 for no sides.
    pub(crate) fn below(&mut self, sides: usize) -> usize {
        if sides == 0 {
            return 0;
        }
        (self.roll() % sides as u64) as usize
    }

    /// A number from 0 up to 1.
    pub(crate) fn fraction(&mut self) -> f64 {
        (self.roll() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// One of a list that is not empty.
    pub(crate) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// Some of a list, in its order, each at most once.
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
