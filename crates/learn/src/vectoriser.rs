//! Turns bags into vectors: which features count, and how much.
//!
//! Fitted on the training documents alone: their features make up the vocabulary, and document frequencies are
//! theirs. A feature that no training document contains is ignored later as well.
//!
//! Deliberately absent: reading documents, and choosing features by their class (that is `selection`).

use serde::{Deserialize, Serialize};

use crate::{Bag, KeyTable, SparseVector};

/// How a count is weighted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum TermFrequency {
    /// The count itself.
    Raw,
    /// 1 + ln count: the tenth occurrence matters less than the second. A count below 1 is used as it is.
    Log,
    /// 1, however often.
    Presence,
}

/// How a feature's rarity is weighted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Idf {
    /// Not at all.
    One,
    /// ln(N/df): a feature of every document has weight 0.
    Plain,
    /// ln((1+N)/(1+df)) + 1: a feature of every document still has some weight.
    Smooth,
}

/// Whether long documents have long vectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Length {
    /// The length follows from the weights.
    Kept,
    /// Every vector that is not zero has length 1.
    Unit,
}

/// How a bag becomes a vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct VectorSettings {
    /// How counts are weighted.
    pub frequency: TermFrequency,
    /// How rarity is weighted.
    pub idf: Idf,
    /// Whether lengths are normalised.
    pub length: Length,
}

impl VectorSettings {
    /// Counts as they are.
    pub const COUNTS: VectorSettings = VectorSettings {
        frequency: TermFrequency::Raw,
        idf: Idf::One,
        length: Length::Kept,
    };
    /// tf · ln(N/df).
    pub const TF_IDF: VectorSettings = VectorSettings {
        frequency: TermFrequency::Raw,
        idf: Idf::Plain,
        length: Length::Kept,
    };
    /// (1 + ln tf) · (ln((1+N)/(1+df)) + 1), length 1.
    pub const LOG_TF_IDF: VectorSettings = VectorSettings {
        frequency: TermFrequency::Log,
        idf: Idf::Smooth,
        length: Length::Unit,
    };
}

/// A vocabulary with weights.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct Vectoriser {
    settings: VectorSettings,
    keys: Vec<u64>,
    /// One per key.
    idf: Vec<f32>,
    table: KeyTable,
}

impl Vectoriser {
    /// Learns vocabulary and rarity from the training documents. Features in fewer than `least_documents` are left out.
    pub fn fit(documents: &[Bag], settings: VectorSettings, least_documents: u32) -> Vectoriser {
        let mut occurrences: Vec<u64> = documents
            .iter()
            .flat_map(|bag| bag.counts().iter().map(|(key, _)| *key))
            .collect();
        occurrences.sort_unstable();
        let total = documents.len() as f64;
        let mut keys = Vec::new();
        let mut idf = Vec::new();
        for same in occurrences.chunk_by(|a, b| a == b) {
            let Some(key) = same.first() else { continue };
            if same.len() >= least_documents as usize {
                let held = same.len() as f64;
                keys.push(*key);
                idf.push(match settings.idf {
                    Idf::One => 1.0,
                    Idf::Plain => (total / held).ln() as f32,
                    Idf::Smooth => (((1.0 + total) / (1.0 + held)).ln() + 1.0) as f32,
                });
            }
        }
        Vectoriser::with(settings, keys, idf)
    }

    /// Keys are strictly ascending here, so each occurs once.
    fn with(settings: VectorSettings, keys: Vec<u64>, idf: Vec<f32>) -> Vectoriser {
        let table = KeyTable::new(&keys).unwrap_or_default();
        Vectoriser {
            settings,
            keys,
            idf,
            table,
        }
    }

    /// The same, with only the features at these places, which must ascend. They are renumbered by their order in the
    /// list.
    pub fn select(&self, places: &[u32]) -> Vectoriser {
        let kept = |place: &u32| Some((*self.keys.get(*place as usize)?, *self.idf.get(*place as usize)?));
        let (keys, idf) = places.iter().filter_map(kept).unzip();
        Vectoriser::with(self.settings, keys, idf)
    }

    /// How many features there are.
    pub fn features(&self) -> usize {
        self.keys.len()
    }

    /// The keys by place.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// The place of a feature in the vectors.
    #[inline]
    pub fn place(&self, key: u64) -> Option<u32> {
        self.table.place(key)
    }

    /// The vector of a document.
    pub fn vector(&self, bag: &Bag) -> SparseVector {
        let mut counts: Vec<(u32, f32)> = bag
            .counts()
            .iter()
            .filter_map(|(key, count)| Some((self.place(*key)?, *count)))
            .collect();
        counts.sort_unstable_by_key(|(place, _)| *place);
        self.weigh(&counts)
    }

    /// The vector of features already looked up: places ascending, each once.
    pub fn weigh(&self, counts: &[(u32, f32)]) -> SparseVector {
        let mut vector = SparseVector::default();
        for &(place, count) in counts {
            let Some(idf) = self.idf.get(place as usize) else {
                continue;
            };
            let frequency = match self.settings.frequency {
                TermFrequency::Raw => count,
                TermFrequency::Log if count > 1.0 => 1.0 + count.ln(),
                TermFrequency::Log => count,
                TermFrequency::Presence => 1.0,
            };
            let value = frequency * idf;
            if value != 0.0 && value.is_finite() {
                vector.push(place, value);
            }
        }
        if self.settings.length == Length::Unit {
            let length = vector.row().squared_length().sqrt();
            if length > 0.0 {
                vector.scale((1.0 / length) as f32);
            }
        }
        vector
    }
}

/// The stored form.
#[derive(Serialize, Deserialize)]
struct Stored {
    settings: VectorSettings,
    keys: Vec<u64>,
    idf: Vec<f32>,
}

impl From<Vectoriser> for Stored {
    fn from(vectoriser: Vectoriser) -> Stored {
        Stored {
            settings: vectoriser.settings,
            keys: vectoriser.keys,
            idf: vectoriser.idf,
        }
    }
}

impl TryFrom<Stored> for Vectoriser {
    type Error = &'static str;

    fn try_from(stored: Stored) -> Result<Vectoriser, &'static str> {
        if stored.keys.len() != stored.idf.len() || stored.idf.iter().any(|idf| !idf.is_finite()) {
            return Err("there must be a weight for each feature or none");
        }
        let Some(table) = KeyTable::new(&stored.keys) else {
            return Err("a feature occurs twice");
        };
        Ok(Vectoriser {
            settings: stored.settings,
            keys: stored.keys,
            idf: stored.idf,
            table,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bag(counts: &[(u64, f32)]) -> Bag {
        Bag::new(counts.iter().copied())
    }

    #[test]
    fn plain_tf_idf_is_the_count_times_the_logarithm_of_the_rarity() {
        let documents = [bag(&[(10, 3.0), (20, 1.0)]), bag(&[(20, 1.0)]), bag(&[(30, 2.0)])];
        let vectoriser = Vectoriser::fit(&documents, VectorSettings::TF_IDF, 1);
        let vector = vectoriser.vector(&bag(&[(10, 3.0), (20, 2.0), (99, 1.0)]));
        let expected = [(0, 3.0 * 3_f32.ln()), (1, 2.0 * 1.5_f32.ln())];
        for ((place, value), (expected_place, expected)) in vector.row().entries().zip(expected) {
            assert_eq!(place, expected_place);
            assert!((value - expected).abs() < 1e-6);
        }
        assert_eq!(vector.row().len(), 2);
    }

    #[test]
    fn unit_vectors_have_length_1_and_an_unknown_document_is_zero() {
        let documents = [bag(&[(10, 3.0), (20, 1.0)]), bag(&[(20, 7.0)])];
        let vectoriser = Vectoriser::fit(&documents, VectorSettings::LOG_TF_IDF, 1);
        let length = vectoriser.vector(&documents[0]).row().squared_length();
        assert!((length - 1.0).abs() < 1e-6);
        assert!(vectoriser.vector(&bag(&[(99, 1.0)])).row().is_empty());
    }

    #[test]
    fn rare_features_can_be_left_out_and_some_selected() {
        let documents = [
            bag(&[(10, 1.0), (20, 1.0), (30, 1.0)]),
            bag(&[(20, 1.0), (30, 1.0)]),
        ];
        let vectoriser = Vectoriser::fit(&documents, VectorSettings::COUNTS, 2);
        assert_eq!(vectoriser.keys(), [20, 30]);
        let selected = vectoriser.select(&[1]);
        assert_eq!((selected.place(30), selected.place(20)), (Some(0), None));
    }
}
