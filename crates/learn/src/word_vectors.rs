//! What words mean, as vectors: words that are used alike have vectors that point the same way.
//!
//! The shipped table holds the most frequent English words. `hound lab word-vectors` makes it from a file of published
//! vectors; docs/decisions/word-vectors.md says which. A rare word has a longer vector than a frequent one, so the sum of some
//! words says what they are about rather than how they are worded. A word that is not in the table has no vector, and a text
//! without known words a vector of zeros, which says nothing.
//!
//! On disk: `SCENTWV1`, the number of words and the length of a vector (4 bytes each, little-endian), a hash of 4 bytes for each
//! word, then the vectors, one byte for each number.

use std::sync::OnceLock;

use scenthound_types::Rng;

use crate::key_table::KeyTable;

const MAGIC: &[u8; 8] = b"SCENTWV1";
/// How many numbers a vector has.
pub const MEANING: usize = 32;
/// Numbers are stored in steps of this.
const STEP: f32 = 1.0 / 160.0;
/// The strongest axes of published vectors, which are left out.
const SKIPPED: usize = 2;
/// A word of this rank has a vector of half the length of a rare one.
const COMMON: f64 = 100.0;
/// How often a direction is turned towards an axis. Neighbouring axes may stay mixed up a little, which does no harm.
const POWER_STEPS: usize = 300;

static SHIPPED: &[u8] = include_bytes!("word_vectors.bin");

/// The meaning of some words together: of length 1, or 0 if none is known.
pub type Meaning = [f32; MEANING];

/// Vectors of words, by a hash of 32 bits.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct WordVectors {
    places: KeyTable,
    hashes: Vec<u32>,
    vectors: Vec<[i8; MEANING]>,
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

    /// What the words at these places mean together. Places that are not in the table count for nothing.
    pub fn meaning(&self, places: impl Iterator<Item = u32>) -> Meaning {
        let mut sums = [0_i32; MEANING];
        for vector in places.filter_map(|place| self.vectors.get(place as usize)) {
            for (sum, number) in sums.iter_mut().zip(vector) {
                *sum += i32::from(*number);
            }
        }
        let mut meaning = sums.map(|sum| sum as f32 * STEP);
        let length = meaning.iter().map(|number| number * number).sum::<f32>().sqrt();
        if length > 0.0 {
            meaning.iter_mut().for_each(|number| *number /= length);
        }
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

    /// Makes a table of published vectors of words, the most frequent word first; `None` if there are fewer than
    /// [`MEANING`] + 2 numbers in a vector, if vectors differ in length, or if a hash occurs twice.
    ///
    /// Such vectors all lean in the same direction, and their two strongest axes say how frequent a word is rather than what it
    /// means. So the mean and these axes are taken away, and the next strongest are kept.
    pub fn of_published(words: &[(u32, Vec<f32>)]) -> Option<WordVectors> {
        let length = words.first()?.1.len();
        if length < MEANING + SKIPPED || words.iter().any(|(_, vector)| vector.len() != length) {
            return None;
        }
        let mut rows: Vec<Vec<f64>> = words
            .iter()
            .map(|(_, vector)| vector.iter().map(|number| f64::from(*number)).collect())
            .collect();
        rows.iter_mut().for_each(|row| to_length_one(row));
        let mut mean = vec![0.0; length];
        for row in &rows {
            mean.iter_mut()
                .zip(row)
                .for_each(|(mean, number)| *mean += number);
        }
        let count = rows.len() as f64;
        for row in &mut rows {
            row.iter_mut()
                .zip(&mean)
                .for_each(|(number, mean)| *number -= mean / count);
        }
        let axes = principal_axes(&rows, length);
        let vectors = (1_u32..).zip(&rows).map(|(rank, row)| {
            let kept = axes.iter().skip(SKIPPED).take(MEANING);
            let mut vector: Vec<f64> = kept.map(|axis| dot(axis, row)).collect();
            to_length_one(&mut vector);
            // The share of a text that a word makes up falls with its rank.
            let rarity = f64::from(rank) / (f64::from(rank) + COMMON);
            let mut numbers = [0; MEANING];
            for (number, value) in numbers.iter_mut().zip(vector) {
                *number = (value * rarity / f64::from(STEP)).round().clamp(-127.0, 127.0) as i8;
            }
            numbers
        });
        let vectors = vectors.collect();
        WordVectors::new(words.iter().map(|(hash, _)| *hash).collect(), vectors)
    }

    fn new(hashes: Vec<u32>, vectors: Vec<[i8; MEANING]>) -> Option<WordVectors> {
        let keys: Vec<u64> = hashes.iter().map(|hash| u64::from(*hash)).collect();
        Some(WordVectors {
            places: KeyTable::new(&keys)?,
            hashes,
            vectors,
        })
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn to_length_one(vector: &mut [f64]) {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|number| *number /= length);
    }
}

/// The axes along which the rows differ most, strongest first, each of length 1. Found one by one: a direction is multiplied
/// by the rows' products until it stays the same, kept at right angles to the axes before it.
fn principal_axes(rows: &[Vec<f64>], length: usize) -> Vec<Vec<f64>> {
    let mut products = vec![vec![0.0; length]; length];
    for row in rows {
        for (line, own) in products.iter_mut().zip(row) {
            line.iter_mut()
                .zip(row)
                .for_each(|(sum, other)| *sum += own * other);
        }
    }
    let mut axes: Vec<Vec<f64>> = Vec::new();
    let mut rng = Rng::for_part(0x5ce7, 0);
    for _ in 0..(SKIPPED + MEANING).min(length) {
        let mut axis: Vec<f64> = (0..length).map(|_| rng.fraction() - 0.5).collect();
        for _ in 0..POWER_STEPS {
            axis = products.iter().map(|line| dot(line, &axis)).collect();
            for other in &axes {
                let shared = dot(other, &axis);
                axis.iter_mut()
                    .zip(other)
                    .for_each(|(number, other)| *number -= shared * other);
            }
            to_length_one(&mut axis);
        }
        axes.push(axis);
    }
    axes
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
    fn vectors_keep_who_is_alike_without_what_all_share() {
        let mut rng = Rng::for_part(1, 1);
        // Six groups of words, each around a direction of its own, and one number that all have in common.
        let mut words: Vec<(u32, Vec<f32>)> = Vec::new();
        let groups: Vec<Vec<f64>> = (0..6)
            .map(|_| (0..40).map(|_| rng.fraction() - 0.5).collect())
            .collect();
        for word in 0..600_u32 {
            let group = &groups[word as usize % 6];
            let near = group
                .iter()
                .map(|number| (number + 0.3 * (rng.fraction() - 0.5)) as f32);
            words.push((word, std::iter::once(5.0).chain(near).collect()));
        }
        let table = WordVectors::of_published(&words).unwrap();
        let like = |a: u32, b: u32| -> f32 {
            let [a, b] = [a, b].map(|place| table.meaning(std::iter::once(place)));
            a.iter().zip(b).map(|(a, b)| a * b).sum()
        };
        let mean = |other: u32| {
            (0..50)
                .map(|pair| like(300 + 6 * pair, 6 * pair + other))
                .sum::<f32>()
                / 50.0
        };
        let others = (1..6).map(mean).sum::<f32>() / 5.0;
        assert!(mean(0) > others + 0.3, "{} {others}", mean(0));
        assert_eq!(WordVectors::of_published(&words[..0]), None);
        words[7].1.pop();
        assert_eq!(WordVectors::of_published(&words), None, "of another length");
    }
}
