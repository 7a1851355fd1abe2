//! Pseudo-random numbers that depend only on the web's seed, a purpose and a page.
//!
//! Invariant: asking for one property of a page never changes another, because each purpose has its own stream.

use scenthound_types::Rng;

/// What a stream of numbers is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub(crate) enum Purpose {
    Topic = 1,
    Genre,
    Language,
    Scheme,
    Kind,
    Degree,
    Links,
    Entrance,
    Title,
    Slug,
    Text,
    Anchor,
    Trap,
    Shuffle,
    Examples,
    Seeds,
    TopicTerms,
    GenreTerms,
}

/// The stream of numbers for one purpose and one page.
#[derive(Clone, Debug)]
pub(crate) struct PageRng(Rng);

impl PageRng {
    /// The stream of a web for a purpose and a page, a host or whatever else the number stands for.
    #[inline]
    pub(crate) fn new(seed: u64, purpose: Purpose, number: u64) -> PageRng {
        let start = Rng::mix(seed ^ (purpose as u64).wrapping_mul(0x9fb2_1c65_1e98_df25));
        PageRng(Rng::from_seed(Rng::mix(
            start ^ number.wrapping_mul(0xd6e8_feb8_6659_fd93),
        )))
    }

    /// The next number.
    #[inline]
    pub(crate) fn number(&mut self) -> u64 {
        self.0.number()
    }

    /// A number below `limit`; 0 if the limit is 0.
    #[inline]
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        (((self.number() >> 32) * u64::from(limit)) >> 32) as u32
    }

    /// A number from 0 up to, but not including, 1.
    #[inline]
    pub(crate) fn fraction(&mut self) -> f64 {
        self.0.fraction()
    }

    /// True with this probability.
    #[inline]
    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.fraction() < probability
    }

    /// `amount` rounded up or down at random, so that the mean of many is `amount`.
    #[inline]
    pub(crate) fn round(&mut self, amount: f64) -> u32 {
        (amount + self.fraction()) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_different_purpose_or_page_differ_and_repeat_themselves() {
        let first = PageRng::new(1, Purpose::Topic, 7).number();
        assert_eq!(PageRng::new(1, Purpose::Topic, 7).number(), first);
        for other in [
            PageRng::new(1, Purpose::Genre, 7),
            PageRng::new(1, Purpose::Topic, 8),
            PageRng::new(2, Purpose::Topic, 7),
        ] {
            assert_ne!(other.clone().number(), first);
        }
    }

    #[test]
    fn numbers_stay_below_their_limit_and_fractions_average_a_half() {
        let mut rng = PageRng::new(3, Purpose::Links, 0);
        assert!((0..1_000).all(|_| rng.below(6) < 6));
        assert_eq!(rng.below(0), 0);
        let mean = (0..10_000).map(|_| rng.fraction()).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
        let rounded: u32 = (0..10_000).map(|_| rng.round(2.25)).sum();
        assert!((22_000..23_000).contains(&rounded), "{rounded}");
    }
}
