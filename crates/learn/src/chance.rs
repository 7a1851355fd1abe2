//! Chance that is the same every time.
//!
//! A counter pushed through a mixing function (the SplitMix64 recipe): the whole state is one number, and the numbers
//! do not depend on the machine or on a library's version.
//!
//! Deliberately absent: a seed from the system, and anything fit for secrets.

/// A row of numbers that look random and follow from the seed.
#[derive(Clone, Debug)]
pub struct Chance {
    state: u64,
}

impl Chance {
    /// Begins the row of a seed.
    pub fn from_seed(seed: u64) -> Chance {
        Chance { state: seed }
    }

    /// A row of its own for one part of the work (a tree, a fold), so that the parts do not depend on each other.
    pub fn for_part(seed: u64, part: u64) -> Chance {
        let mut chance = Chance::from_seed(seed ^ part.wrapping_mul(0xD134_2543_DE82_EF95));
        let state = chance.number();
        Chance { state }
    }

    /// The next number, any of 64 bits.
    pub fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; 0 where the limit is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        // The high half of a product: the bias is below limit / 2^64.
        ((u128::from(self.number()) * limit as u128) >> 64) as usize
    }

    /// A number from 0 up to, not including, 1.
    pub fn unit(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Brings things into any order, each equally likely.
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            let other = self.below(last + 1);
            things.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_row_every_time_and_another_seed_another() {
        let row = |seed| {
            let mut chance = Chance::from_seed(seed);
            [chance.number(), chance.number(), chance.number()]
        };
        assert_eq!(row(7), row(7));
        assert_ne!(row(7), row(8));
        // Fixed for ever: a model must be the same after an upgrade.
        assert_eq!(row(0)[0], 0xE220_A839_7B1D_CDAF);
    }

    #[test]
    fn numbers_below_a_limit_reach_all_of_them_about_equally() {
        let mut chance = Chance::from_seed(1);
        let mut seen = [0_u32; 10];
        for _ in 0..10_000 {
            seen[chance.below(10)] += 1;
        }
        assert!(seen.iter().all(|count| (850..1150).contains(count)), "{seen:?}");
        assert_eq!(chance.below(0), 0);
    }

    #[test]
    fn shuffling_keeps_every_thing() {
        let mut things: Vec<u32> = (0..100).collect();
        Chance::from_seed(3).shuffle(&mut things);
        assert_ne!(things, (0..100).collect::<Vec<_>>());
        things.sort_unstable();
        assert_eq!(things, (0..100).collect::<Vec<_>>());
    }
}
