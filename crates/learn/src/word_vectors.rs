//! What words mean, as vectors: words that are used alike have vectors that point the same way.
//!
//! The shipped table holds the most frequent English words. `hound lab word-vectors` makes it from a file of vectors;
//! docs/decisions/word-vectors.md says how those are learnt. A word that tells much has a longer vector than one that tells
//! little, and rare words count more than frequent ones, so the sum of some words says what they are about rather than how they
//! are worded. A word that is not in the table
//! has no vector, and a text without known words a vector of zeros, which says nothing.
//!
//! On disk: `SCENTWV1`, the number of words and the length of a vector (4 bytes each, little-endian), a hash of 4 bytes for each
//! word, then the vectors, one byte for each number.

use std::sync::OnceLock;

use crate::key_table::KeyTable;

const MAGIC: &[u8; 8] = b"SCENTWV1";
/// How many numbers a vector has.
pub const MEANING: usize = 64;
/// One number in so many is too large for the steps that numbers are stored in, and cut off.
const CUT_OFF: usize = 5_000;

static SHIPPED: &[u8] = include_bytes!("word_vectors.bin");

/// The meaning of some words together: of length 1, or 0 if none is known.
pub type Meaning = [f32; MEANING];

/// Vectors of words, by a hash of 32 bits.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct WordVectors {
    places: KeyTable,
    hashes: Vec<u32>,
    vectors: Vec<[i8; MEANING]>,
    /// How much each word counts where nothing else is known of how rare it is.
    rarities: Vec<f32>,
}

impl WordVectors {
    /// The table that comes with the program.
    pub fn shipped() -> &'static WordVectors {
        static TABLE: OnceLock<WordVectors> = OnceLock::new();
        // A test makes sure that the shipped table is valid.
        TABLE.get_or_init(|| WordVectors::from_bytes(SHIPPED).unwrap_or_default())
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.vectors.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.vectors.is_empty()
    }

    /// The place of a word, below [`WordVectors::len`]. Frequent words come first.
    #[inline]
    pub fn place(&self, hash: u32) -> Option<u32> {
        self.places.place(hash.into())
    }

    /// What the words at these places mean together, rare words before frequent ones. Places that are not in the table count for
    /// nothing.
    pub fn meaning(&self, places: impl Iterator<Item = u32>) -> Meaning {
        let mut meaning = [0.0; MEANING];
        for place in places {
            let place = place as usize;
            if let (Some(vector), Some(rarity)) = (self.vectors.get(place), self.rarities.get(place)) {
                add(&mut meaning, vector, *rarity);
            }
        }
        to_length_one(&mut meaning);
        meaning
    }

    /// What words mean together of which each counts as much as is said with its hash.
    pub fn weighed_meaning(&self, words: impl Iterator<Item = (u32, f32)>) -> Meaning {
        let mut meaning = [0.0; MEANING];
        for (hash, weight) in words {
            let place = self.place(hash);
            if let Some(vector) = place.and_then(|place| self.vectors.get(place as usize)) {
                add(&mut meaning, vector, weight);
            }
        }
        to_length_one(&mut meaning);
        meaning
    }

    /// Reads a table; `None` for any other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<WordVectors> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let (words, rest) = rest.split_first_chunk::<4>()?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let words = u32::from_le_bytes(*words) as usize;
        if u32::from_le_bytes(*length) as usize != MEANING {
            return None;
        }
        let (hashes, vectors) = rest.split_at_checked(words.checked_mul(4)?)?;
        let (hashes, _) = hashes.as_chunks::<4>();
        let (vectors, left) = vectors.as_chunks::<MEANING>();
        if vectors.len() != words || !left.is_empty() {
            return None;
        }
        WordVectors::new(
            hashes.iter().map(|hash| u32::from_le_bytes(*hash)).collect(),
            vectors
                .iter()
                .map(|vector| vector.map(|byte| byte as i8))
                .collect(),
        )
    }

    /// The bytes that [`WordVectors::from_bytes`] reads.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend((self.vectors.len() as u32).to_le_bytes());
        bytes.extend((MEANING as u32).to_le_bytes());
        bytes.extend(self.hashes.iter().flat_map(|hash| hash.to_le_bytes()));
        bytes.extend(self.vectors.iter().flatten().map(|number| *number as u8));
        bytes
    }

    /// Makes a table of vectors, the most frequent word first; `None` if a vector has another length than [`MEANING`], or if a
    /// hash occurs twice.
    ///
    /// The step that numbers are rounded to follows from the largest of them. A few in ten thousand are cut off: one odd word
    /// would make all others coarse.
    pub fn of_vectors(words: &[(u32, Vec<f32>)]) -> Option<WordVectors> {
        let mut sizes: Vec<f32> = words
            .iter()
            .flat_map(|(_, vector)| vector)
            .map(|x| x.abs())
            .collect();
        sizes.sort_unstable_by(f32::total_cmp);
        let largest = sizes.get(sizes.len().saturating_sub(1 + sizes.len() / CUT_OFF))?;
        let step = largest.max(f32::MIN_POSITIVE) / 127.0;
        let vectors: Option<Vec<[i8; MEANING]>> = words
            .iter()
            .map(|(_, vector)| {
                let vector: &[f32; MEANING] = vector.as_slice().try_into().ok()?;
                Some(vector.map(|number| (number / step).round().clamp(-127.0, 127.0) as i8))
            })
            .collect();
        WordVectors::new(words.iter().map(|(hash, _)| *hash).collect(), vectors?)
    }

    fn new(hashes: Vec<u32>, vectors: Vec<[i8; MEANING]>) -> Option<WordVectors> {
        let keys: Vec<u64> = hashes.iter().map(|hash| u64::from(*hash)).collect();
        Some(WordVectors {
            places: KeyTable::new(&keys)?,
            // The logarithm of a word's rank grows like that of how rare it is.
            rarities: (0..vectors.len()).map(|rank| (rank as f32 + 2.0).ln()).collect(),
            hashes,
            vectors,
        })
    }
}

fn add(sum: &mut Meaning, vector: &[i8; MEANING], weight: f32) {
    for (sum, number) in sum.iter_mut().zip(vector) {
        *sum += weight * f32::from(*number);
    }
}

/// Makes a vector one of length 1. A vector of zeros stays as it is.
fn to_length_one(vector: &mut Meaning) {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|number| *number /= length);
    }
}

#[cfg(test)]
mod tests {
    use scenthound_types::text::Token;

    use super::*;

    fn hash(word: &str) -> u32 {
        (Token::of(word).hash() >> 32) as u32
    }

    fn likeness(a: &str, b: &str) -> f32 {
        let table = WordVectors::shipped();
        let meaning =
            |words: &str| table.meaning(words.split(' ').filter_map(|word| table.place(hash(word))));
        meaning(a).iter().zip(meaning(b)).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn the_shipped_table_knows_what_is_alike() {
        assert!(WordVectors::shipped().len() > 20_000);
        for (word, near, far) in [
            ("tiger lion", "leopard", "parliament"),
            ("railway", "locomotive station", "violin"),
            ("algebra", "geometry", "kitchen"),
        ] {
            assert!(
                likeness(word, near) > likeness(word, far) + 0.3,
                "{word}: {near}, {far}"
            );
        }
        assert_eq!(likeness("tiger", "qqzzxy"), 0.0, "unknown words say nothing");
    }

    #[test]
    fn a_table_comes_back_from_its_bytes_and_nothing_else_does() {
        let table = WordVectors::shipped();
        let bytes = table.to_bytes();
        assert_eq!(bytes, SHIPPED);
        assert_eq!(WordVectors::from_bytes(&bytes).as_ref(), Some(table));
        assert_eq!(WordVectors::from_bytes(&bytes[..bytes.len() - 1]), None);
        assert_eq!(WordVectors::from_bytes(&[&bytes[..], &[0]].concat()), None);
        assert_eq!(WordVectors::from_bytes(b"SCENTWV1"), None);
        let mut huge = bytes;
        huge[8..12].fill(0xff);
        assert_eq!(WordVectors::from_bytes(&huge), None);
    }

    #[test]
    fn a_table_is_made_of_vectors_of_its_length() {
        let vector = |number: f32| vec![number; MEANING];
        let table =
            WordVectors::of_vectors(&[(1, vector(0.5)), (2, vector(-1.0)), (3, vector(0.25))]).unwrap();
        let like = |a: u32, b: u32| -> f32 {
            let [a, b] = [a, b].map(|hash| table.weighed_meaning(std::iter::once((hash, 2.0))));
            a.iter().zip(b).map(|(a, b)| a * b).sum()
        };
        assert!((like(1, 3) - 1.0).abs() < 1e-4 && (like(1, 2) + 1.0).abs() < 1e-4);
        let sum = table.weighed_meaning([(1, 1.0), (3, -3.0), (9, 5.0)].into_iter());
        assert!(
            sum.iter().all(|number| *number < 0.0),
            "0.5 − 3 × 0.25, and nothing for what is not known"
        );
        assert_eq!(WordVectors::of_vectors(&[]), None);
        assert_eq!(WordVectors::of_vectors(&[(1, vec![1.0; MEANING - 1])]), None);
        assert_eq!(
            WordVectors::of_vectors(&[(1, vector(1.0)), (1, vector(2.0))]),
            None
        );
    }
}
