//! A 64-bit fingerprint for finding near-duplicates.
//!
//! A simhash over runs of three words: each run's hash votes on every bit, and a bit is set by majority. Pages that
//! share most runs differ in few bits. Block breaks are skipped, so that the same words in different markup give the
//! same fingerprint.
//!
//! The votes for all 64 bits are counted at once, in bit planes: plane k holds bit k of each of the 64 counters.
//! Eight hashes at a time are combined by carry-save adders before they reach the higher planes.

use scenthound_types::Token;

/// Enough for 2^32 votes.
const PLANES: usize = 32;

#[derive(Default)]
struct Votes {
    /// Bits 0, 1 and 2 of each counter.
    ones: u64,
    twos: u64,
    fours: u64,
    /// Bit 3 and up.
    higher: [u64; PLANES - 3],
    cast: u32,
}

/// Adds three bits in each of 64 positions: sum and carry.
#[inline]
fn add3(a: u64, b: u64, c: u64) -> (u64, u64) {
    let half = a ^ b;
    (half ^ c, (a & b) | (half & c))
}

impl Votes {
    #[inline]
    fn add8(&mut self, votes: &[u64; 8]) {
        let [a, b, c, d, e, f, g, h] = *votes;
        let (ones, twos_a) = add3(self.ones, a, b);
        let (ones, twos_b) = add3(ones, c, d);
        let (twos, fours_a) = add3(self.twos, twos_a, twos_b);
        let (ones, twos_a) = add3(ones, e, f);
        let (ones, twos_b) = add3(ones, g, h);
        let (twos, fours_b) = add3(twos, twos_a, twos_b);
        let (fours, eights) = add3(self.fours, fours_a, fours_b);
        (self.ones, self.twos, self.fours) = (ones, twos, fours);
        self.carry(eights);
        self.cast += 8;
    }

    fn add(&mut self, vote: u64) {
        let (ones, twos) = (self.ones ^ vote, self.ones & vote);
        let (twos, fours) = (self.twos ^ twos, self.twos & twos);
        let (fours, eights) = (self.fours ^ fours, self.fours & fours);
        (self.ones, self.twos, self.fours) = (ones, twos, fours);
        self.carry(eights);
        self.cast += 1;
    }

    fn carry(&mut self, mut carry: u64) {
        for plane in &mut self.higher {
            if carry == 0 {
                break;
            }
            (*plane, carry) = (*plane ^ carry, *plane & carry);
        }
    }

    /// The bits set by more than half of the votes.
    fn majority(&self) -> u64 {
        // No counter needs more bits than the number of votes.
        let planes = (u32::BITS - self.cast.leading_zeros()) as usize;
        let count = |bit: u32| {
            let low = [self.ones, self.twos, self.fours];
            low.iter()
                .chain(&self.higher)
                .take(planes)
                .enumerate()
                .map(|(plane, bits)| ((bits >> bit & 1) as u32) << plane)
                .sum::<u32>()
        };
        (0..64)
            .filter(|bit| count(*bit) > self.cast / 2)
            .fold(0, |set, bit| set | 1 << bit)
    }
}

/// The fingerprint of a page's words; 0 for a page without words.
pub(crate) fn simhash(tokens: &[Token]) -> u64 {
    let mut votes = Votes::default();
    let mut batch = [0; 8];
    // The two previous words.
    let (mut before, mut last) = (0u64, 0u64);
    let mut words = 0usize;
    for token in tokens {
        if !token.is_word() {
            continue;
        }
        let hash = token.hash();
        let run = mix(before.rotate_left(42) ^ last.rotate_left(21) ^ hash);
        (before, last) = (last, hash);
        batch[words % 8] = run;
        words += 1;
        // The first two runs are incomplete.
        if words.is_multiple_of(8) {
            match words {
                8 => batch.iter().skip(2).for_each(|run| votes.add(*run)),
                _ => votes.add8(&batch),
            }
        }
    }
    let unfinished = if words < 8 { 2..words.max(2) } else { 0..words % 8 };
    for run in batch.get(unfinished).unwrap_or_default() {
        votes.add(*run);
    }
    // One or two words form a run by themselves.
    if words > 0 && words < 3 {
        votes.add(mix(before.rotate_left(21) ^ last));
    }
    votes.majority()
}

/// Spreads every bit over all 64.
#[inline]
fn mix(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ hash >> 29
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use scenthound_types::Text;

    use super::*;

    fn fingerprint(words: &str) -> u64 {
        let mut text = Text::default();
        text.push(words);
        simhash(text.tokens())
    }

    /// A page of numbered words, with every `nth` one replaced.
    fn page(seed: u32, replaced_every: u32) -> String {
        (0..600)
            .map(|i| match i % replaced_every {
                0 if replaced_every < 600 => format!("other{i} "),
                _ => format!("word{} ", i * 7 % 97 + seed),
            })
            .collect()
    }

    #[test]
    fn near_duplicates_differ_in_few_bits_and_unrelated_pages_in_many() {
        let original = fingerprint(&page(0, 1000));
        let edited = fingerprint(&page(0, 100));
        let stranger = fingerprint(&page(1000, 1000));
        assert!(
            (original ^ edited).count_ones() <= 6,
            "{}",
            (original ^ edited).count_ones()
        );
        assert!((original ^ stranger).count_ones() >= 16);
    }

    #[test]
    fn breaks_do_not_matter_and_few_words_suffice() {
        let mut broken = Text::default();
        broken.push("one two");
        broken.push_break();
        broken.push("three four");
        assert_eq!(simhash(broken.tokens()), fingerprint("one two three four"));
        assert_eq!(fingerprint(""), 0);
        assert_ne!(fingerprint("one"), fingerprint("two"));
        assert_ne!(fingerprint("one two"), 0);
    }

    proptest! {
        #[test]
        fn every_run_of_three_words_votes_once(words in prop::collection::vec(any::<u8>(), 3..60)) {
            let mut text = Text::default();
            words.iter().for_each(|word| text.push(&format!("w{word}")));
            let mut votes = Votes::default();
            for run in text.tokens().windows(3) {
                let [a, b, c] = [run[0], run[1], run[2]].map(Token::hash);
                votes.add(mix(a.rotate_left(42) ^ b.rotate_left(21) ^ c));
            }
            prop_assert_eq!(simhash(text.tokens()), votes.majority());
        }

        #[test]
        fn planes_count_as_64_counters_would(hashes in prop::collection::vec(any::<u64>(), 0..100)) {
            let mut votes = Votes::default();
            let (batches, rest) = hashes.as_chunks::<8>();
            batches.iter().for_each(|batch| votes.add8(batch));
            rest.iter().for_each(|hash| votes.add(*hash));
            let expected = (0..64)
                .filter(|bit| 2 * hashes.iter().filter(|h| *h >> bit & 1 == 1).count() > hashes.len())
                .fold(0u64, |set, bit| set | 1 << bit);
            // Half of an odd number of votes is rounded down, so the two agree on every tie.
            prop_assert_eq!(votes.majority(), expected);
        }
    }
}
