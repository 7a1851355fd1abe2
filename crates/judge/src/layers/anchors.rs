//! Which layer a link's words lead to.
//!
//! The mean cosine of a link's words with those of many links is one dot product with the mean of their unit vectors.
//! A table of means therefore takes time in proportion to the few words, regardless of how many links it was trained
//! on.

use std::collections::BTreeMap;

use scenthound_learn::KeyTable;
use scenthound_types::text::Token;
use serde::{Deserialize, Serialize};

use super::hot::{counted, length};

/// The mean unit vectors of the words of links, by the layer the links lead to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub(super) struct AnchorTable {
    stored: Stored,
    places: KeyTable,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Stored {
    layers: u8,
    /// The words, ascending.
    keys: Vec<u64>,
    /// The means of the first word for all layers, then of the second, and so on.
    means: Vec<f32>,
}

impl TryFrom<Stored> for AnchorTable {
    type Error = &'static str;

    fn try_from(stored: Stored) -> Result<AnchorTable, &'static str> {
        let places = KeyTable::new(&stored.keys).ok_or("a word occurs twice")?;
        let is_whole = stored.layers > 0
            && stored.keys.len().checked_mul(usize::from(stored.layers)) == Some(stored.means.len())
            && stored.means.iter().all(|mean| (0.0..=1.0).contains(mean));
        if !is_whole {
            return Err("the number of means does not match the number of words");
        }
        Ok(AnchorTable { stored, places })
    }
}

impl From<AnchorTable> for Stored {
    fn from(table: AnchorTable) -> Stored {
        table.stored
    }
}

impl AnchorTable {
    /// The number of layers links may lead to, including the one beyond the last.
    pub(super) fn layers(&self) -> usize {
        usize::from(self.stored.layers)
    }

    /// The layer whose links have the most similar words, and how similar they are. Of equally similar layers the
    /// farther one; the farthest of all if nothing is similar.
    pub(super) fn layer(&self, anchor: &[Token]) -> (u8, f32) {
        let words = counted(anchor);
        let mut sums = vec![0.0_f64; self.layers()];
        for (token, count) in &words {
            let Some(place) = self.places.place(token.hash()) else {
                continue;
            };
            let start = place as usize * self.layers();
            let means = self
                .stored
                .means
                .get(start..start + self.layers())
                .unwrap_or_default();
            for (sum, mean) in sums.iter_mut().zip(means) {
                *sum += count * f64::from(*mean);
            }
        }
        let length = length(&words);
        let mut best = (self.stored.layers.saturating_sub(1), 0.0);
        for (layer, sum) in (0..).zip(&sums) {
            let similarity = if length > 0.0 { (sum / length) as f32 } else { 0.0 };
            if similarity > 0.0 && similarity >= best.1 {
                best = (layer, similarity);
            }
        }
        best
    }
}

/// Sums over the words of links.
#[derive(Clone, Debug)]
pub(super) struct AnchorSums {
    layers: u8,
    sums: BTreeMap<u64, Vec<f64>>,
    links: Vec<f64>,
}

impl AnchorSums {
    /// An empty sum, for links that may lead to this many layers.
    pub(super) fn new(layers: u8) -> AnchorSums {
        AnchorSums {
            layers,
            sums: BTreeMap::new(),
            links: vec![0.0; usize::from(layers)],
        }
    }

    /// Adds a link, given its words and the layer it leads to. A link without words says nothing.
    pub(super) fn add(&mut self, anchor: &[Token], layer: u8) {
        let words = counted(anchor);
        let length = length(&words);
        let Some(links) = self.links.get_mut(usize::from(layer)) else {
            return;
        };
        if length == 0.0 {
            return;
        }
        *links += 1.0;
        for (token, count) in words {
            let sums = self
                .sums
                .entry(token.hash())
                .or_insert_with(|| vec![0.0; usize::from(self.layers)]);
            if let Some(sum) = sums.get_mut(usize::from(layer)) {
                *sum += count / length;
            }
        }
    }

    /// The means of what was added.
    pub(super) fn table(&self) -> AnchorTable {
        let keys: Vec<u64> = self.sums.keys().copied().collect();
        let means = self
            .sums
            .values()
            .flat_map(|sums| sums.iter().zip(&self.links))
            .map(|(sum, links)| if *links > 0.0 { (sum / links) as f32 } else { 0.0 })
            .map(|mean| mean.clamp(0.0, 1.0))
            .collect();
        AnchorTable {
            places: KeyTable::new(&keys).unwrap_or_default(),
            stored: Stored {
                layers: self.layers,
                keys,
                means,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use scenthound_types::text::tokenize;

    use super::*;

    fn table(links: &[(&str, u8)]) -> AnchorTable {
        let mut sums = AnchorSums::new(6);
        for (words, layer) in links {
            sums.add(&tokenize(words), *layer);
        }
        sums.table()
    }

    #[test]
    fn the_layer_of_the_most_similar_links_wins() {
        let table = table(&[
            ("master admission", 0),
            ("departments", 1),
            ("home", 5),
            ("home page", 5),
        ]);
        assert_eq!(table.layer(&tokenize("admission of students")).0, 0);
        assert_eq!(table.layer(&tokenize("all departments")).0, 1);
        assert_eq!(table.layer(&tokenize("home")).0, 5);
    }

    #[test]
    fn unknown_words_lead_beyond_the_graph_and_ties_to_the_farther_layer() {
        let table = table(&[("tea", 0), ("tea", 3)]);
        assert_eq!(table.layer(&tokenize("coffee")), (5, 0.0));
        assert_eq!(table.layer(&[]), (5, 0.0));
        assert_eq!(table.layer(&tokenize("tea")), (3, 1.0));
    }

    proptest! {
        #[test]
        fn one_dot_product_is_the_mean_of_all_cosines(
            links in prop::collection::vec((prop::collection::vec(0_u8..6, 1..5), 0_u8..3), 1..20),
            asked in prop::collection::vec(0_u8..8, 1..5),
        ) {
            let spelled = |words: &[u8]| -> Vec<Token> {
                words.iter().map(|word| Token::of(&format!("w{word}"))).collect()
            };
            let mut sums = AnchorSums::new(3);
            for (words, layer) in &links {
                sums.add(&spelled(words), *layer);
            }
            let asked = spelled(&asked);
            let cosine = |a: &[Token], b: &[Token]| {
                let (a, b) = (counted(a), counted(b));
                let common: f64 = a
                    .iter()
                    .flat_map(|(word, count)| {
                        b.iter().filter(move |(other, _)| other == word).map(move |(_, other)| count * other)
                    })
                    .sum();
                common / (length(&a) * length(&b))
            };
            let slow = |layer: u8| {
                let of_layer: Vec<f64> = links
                    .iter()
                    .filter(|(_, to)| *to == layer)
                    .map(|(words, _)| cosine(&asked, &spelled(words)))
                    .collect();
                of_layer.iter().sum::<f64>() / of_layer.len().max(1) as f64
            };
            let (layer, similarity) = sums.table().layer(&asked);
            let best = (0..3).map(slow).fold(0.0, f64::max);
            prop_assert!((f64::from(similarity) - best).abs() < 1e-5);
            if best > 0.0 {
                prop_assert!((slow(layer) - best).abs() < 1e-5);
            }
        }
    }
}
