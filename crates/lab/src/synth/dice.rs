//! Chance as a function: numbers that follow from the web's seed, a purpose and a page, and from nothing else.
//!
//! Invariant: asking for one property of a page never changes another, because each purpose has its own stream.

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
}

/// A stream of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    /// The stream of a web for a purpose and a page, host or whatever the number stands for.
    #[inline]
    pub(crate) fn new(seed: u64, purpose: Purpose, number: u64) -> Dice {
        let start = mix(seed ^ (purpose as u64).wrapping_mul(0x9fb2_1c65_1e98_df25));
        Dice(mix(start ^ number.wrapping_mul(0xd6e8_feb8_6659_fd93)))
    }

    /// The next number.
    #[inline]
    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number below `sides`; 0 for no sides.
    #[inline]
    pub(crate) fn below(&mut self, sides: u32) -> u32 {
        (((self.roll() >> 32) * u64::from(sides)) >> 32) as u32
    }

    /// A number from 0 up to 1.
    #[inline]
    pub(crate) fn fraction(&mut self) -> f64 {
        (self.roll() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True with this probability.
    #[inline]
    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.fraction() < probability
    }

    /// `amount` rounded up or down so that the mean of many is `amount`.
    #[inline]
    pub(crate) fn round(&mut self, amount: f64) -> u32 {
        (amount + self.fraction()) as u32
    }
}

/// Spreads the bits of a number over all bits.
#[inline]
fn mix(number: u64) -> u64 {
    let mut mixed = number;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_different_purpose_or_page_differ_and_repeat_themselves() {
        let first = Dice::new(1, Purpose::Topic, 7).roll();
        assert_eq!(Dice::new(1, Purpose::Topic, 7).roll(), first);
        for other in [
            Dice::new(1, Purpose::Genre, 7),
            Dice::new(1, Purpose::Topic, 8),
            Dice::new(2, Purpose::Topic, 7),
        ] {
            assert_ne!(other.clone().roll(), first);
        }
    }

    #[test]
    fn numbers_stay_below_their_sides_and_fractions_average_a_half() {
        let mut dice = Dice::new(3, Purpose::Links, 0);
        assert!((0..1_000).all(|_| dice.below(6) < 6));
        assert_eq!(dice.below(0), 0);
        let mean = (0..10_000).map(|_| dice.fraction()).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
        let rounded: u32 = (0..10_000).map(|_| dice.round(2.25)).sum();
        assert!((22_000..23_000).contains(&rounded), "{rounded}");
    }
}
