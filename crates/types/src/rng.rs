//! The one source of pseudo-random numbers: SplitMix64.
//!
//! The whole state is one number, and the sequence depends neither on the machine nor on a library version. A seed
//! therefore gives the same crawl, web or model everywhere.
//!
//! Deliberately absent: a seed from the system, and anything fit for secrets.

/// A sequence of numbers determined by its seed.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// Starts the sequence for a seed.
    #[inline]
    pub fn from_seed(seed: u64) -> Rng {
        Rng { state: seed }
    }

    /// A separate sequence for one part of the work (a tree, a fold), so that the parts do not depend on each other.
    pub fn for_part(seed: u64, part: u64) -> Rng {
        let mut rng = Rng::from_seed(seed ^ part.wrapping_mul(0xD134_2543_DE82_EF95));
        Rng::from_seed(rng.number())
    }

    /// The next number, over the full 64-bit range.
    #[inline]
    pub fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        Rng::mix(self.state)
    }

    /// Spreads the bits of a number over all 64.
    #[inline]
    pub fn mix(number: u64) -> u64 {
        let mut mixed = number;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; 0 if the limit is 0.
    #[inline]
    pub fn below(&mut self, limit: usize) -> usize {
        // The high half of a product: the bias is below limit / 2^64.
        ((u128::from(self.number()) * limit as u128) >> 64) as usize
    }

    /// A number from 0 up to, but not including, 1.
    #[inline]
    pub fn fraction(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Shuffles a list; every order is equally likely.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            let other = self.below(last + 1);
            list.swap(last, other);
        }
    }
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_sequence_every_time_and_another_seed_another() {
        let row = |seed| {
            let mut rng = Rng::from_seed(seed);
            [rng.number(), rng.number(), rng.number()]
        };
        assert_eq!(row(7), row(7));
        assert_ne!(row(7), row(8));
        // Fixed for ever: a model must stay the same after an upgrade.
        assert_eq!(row(0)[0], 0xE220_A839_7B1D_CDAF);
    }

    #[test]
    fn numbers_below_a_limit_reach_all_of_them_about_equally() {
        let mut rng = Rng::from_seed(1);
        let mut seen = [0_u32; 10];
        for _ in 0..10_000 {
            seen[rng.below(10)] += 1;
        }
        assert!(seen.iter().all(|count| (850..1150).contains(count)), "{seen:?}");
        assert_eq!(rng.below(0), 0);
    }

    #[test]
    fn shuffling_keeps_every_element() {
        let mut things: Vec<u32> = (0..100).collect();
        Rng::from_seed(3).shuffle(&mut things);
        assert_ne!(things, (0..100).collect::<Vec<_>>());
        things.sort_unstable();
        assert_eq!(things, (0..100).collect::<Vec<_>>());
    }
}
