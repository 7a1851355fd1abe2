//! How similar a page is to the targets.
//!
//! The mean cosine with many pages is one dot product with the mean of their unit vectors, so a hundred targets cost
//! no more than one. Words are weighted by the logarithm of their count: a page that repeats itself is not more
//! similar.
//!
//! Invariant: from 0 to 1; 0 for a page without words, and if there were no targets.

use std::collections::BTreeMap;

use scenthound_learn::{Bag, KeyTable};
use serde::{Deserialize, Serialize};

/// The mean unit vector of the targets' words.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub(super) struct TargetMean {
    stored: Stored,
    places: KeyTable,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Stored {
    /// The words, ascending.
    keys: Vec<u64>,
    means: Vec<f32>,
}

impl TryFrom<Stored> for TargetMean {
    type Error = &'static str;

    fn try_from(stored: Stored) -> Result<TargetMean, &'static str> {
        let places = KeyTable::new(&stored.keys).ok_or("a word of the targets occurs twice")?;
        let is_whole = stored.keys.len() == stored.means.len()
            && stored.means.iter().all(|mean| (0.0..=1.0).contains(mean));
        if !is_whole {
            return Err("the number of means does not match the number of target words");
        }
        Ok(TargetMean { stored, places })
    }
}

impl From<TargetMean> for Stored {
    fn from(mean: TargetMean) -> Stored {
        mean.stored
    }
}

impl TargetMean {
    /// The mean of some pages.
    pub(super) fn of<'b>(pages: impl IntoIterator<Item = &'b Bag>) -> TargetMean {
        let mut sums: BTreeMap<u64, f64> = BTreeMap::new();
        let mut count = 0.0;
        for page in pages {
            count += 1.0;
            let length = length(page);
            for (key, occurs) in page.counts() {
                *sums.entry(*key).or_default() += weight(*occurs) / length;
            }
        }
        let keys: Vec<u64> = sums.keys().copied().collect();
        let means = sums.values().map(|sum| (sum / count).clamp(0.0, 1.0) as f32);
        TargetMean {
            places: KeyTable::new(&keys).unwrap_or_default(),
            stored: Stored {
                means: means.collect(),
                keys,
            },
        }
    }

    /// The mean of the cosines between a page and each target.
    pub(super) fn similarity(&self, page: &Bag) -> f64 {
        let length = length(page);
        if length == 0.0 {
            return 0.0;
        }
        let common: f64 = page
            .counts()
            .iter()
            .filter_map(|(key, occurs)| {
                let place = self.places.place(*key)?;
                let mean = self.stored.means.get(place as usize)?;
                Some(weight(*occurs) * f64::from(*mean))
            })
            .sum();
        (common / length).clamp(0.0, 1.0)
    }
}

fn weight(occurs: f32) -> f64 {
    f64::from(occurs).ln_1p()
}

fn length(page: &Bag) -> f64 {
    let squares = page.counts().iter().map(|(_, occurs)| weight(*occurs).powi(2));
    squares.sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bag(keys: &[u64]) -> Bag {
        Bag::new(keys.iter().map(|key| (*key, 1.0)))
    }

    #[test]
    fn it_is_the_mean_of_the_cosines_with_each_target() {
        let targets = [bag(&[1, 2]), bag(&[3])];
        let mean = TargetMean::of(&targets);
        // Against {1, 2}: 1 / √2; against {3}: 0.
        assert!((mean.similarity(&bag(&[1])) - 0.5 / 2.0_f64.sqrt()).abs() < 1e-6);
        assert!((mean.similarity(&bag(&[3])) - 0.5).abs() < 1e-6);
    }

    #[test]
    fn a_page_without_words_or_a_model_without_targets_is_not_similar() {
        assert_eq!(TargetMean::of(&[bag(&[1])]).similarity(&bag(&[])), 0.0);
        assert_eq!(TargetMean::of(&[]).similarity(&bag(&[1])), 0.0);
    }

    #[test]
    fn stored_means_that_do_not_fit_are_refused() {
        let mut stored = Stored::from(TargetMean::of(&[bag(&[1, 2])]));
        stored.means.pop();
        assert!(TargetMean::try_from(stored).is_err());
    }
}
