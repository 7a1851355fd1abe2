//! The words with the highest weight in a few documents, and how similar other documents are to them.
//!
//! ```text
//! W(t) = w(t) / max w          frozen when the word enters
//! cosine(d) = Σ TFIDF(d,t)·W(t) / (|d| · |W|)
//! ```
//!
//! |d| runs over all of the document's words or, with [`Space::Table`], only over those the table also holds; then
//! the document's other words do not matter.
//!
//! Invariant: the table only grows. A word's weight is fixed when it enters, so the same entries in the same order
//! make the same table to the last bit.

use scenthound_types::named_enum;

use std::collections::HashMap;
use std::sync::Arc;

use crate::word_counts::{WordCounts, damped_frequency};

named_enum! {
    /// The words over which a document's length is computed when it is compared with a table of words.
    #[derive(Default)]
    pub enum Space {
        /// All of the document's words.
        #[default]
        Union = "union",
        /// Those that the table holds.
        Table = "table",
    }
}

/// A word of the table.
#[derive(Clone, PartialEq, Debug)]
pub struct TableWord {
    /// The word.
    pub key: u64,
    /// W, above 0 and at most 1.
    pub weight: f64,
    /// Its spelling.
    pub spelling: Arc<str>,
}

/// A word of a document that is in the table.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Shared {
    /// Its index in the table.
    pub place: usize,
    /// How often it occurs in the document.
    pub count: u32,
    /// Its share of the cosine; the shares add up to the cosine.
    pub share: f64,
}

/// The heaviest words and their weights.
#[derive(Clone, Debug, Default)]
pub struct WeightTable {
    words: Vec<TableWord>,
    /// Never iterated, so its order has no effect.
    places: HashMap<u64, u32>,
    squares: f64,
}

impl WeightTable {
    /// The `most` heaviest words of the documents counted.
    pub fn heaviest(counts: &WordCounts, most: usize, mut spell: impl FnMut(u64) -> Arc<str>) -> WeightTable {
        let mut table = WeightTable::default();
        let heaviest = counts.heaviest(most);
        let largest = heaviest.first().map_or(0.0, |(_, weight)| *weight);
        for (key, weight) in heaviest {
            table.push(TableWord {
                key,
                weight: weight / largest,
                spelling: spell(key),
            });
        }
        table
    }

    /// Adds a word, unless it is already there or has no weight.
    pub fn push(&mut self, word: TableWord) -> bool {
        if self.places.contains_key(&word.key) || !(word.weight > 0.0 && word.weight.is_finite()) {
            return false;
        }
        self.places.insert(word.key, self.words.len() as u32);
        self.squares += word.weight * word.weight;
        self.words.push(word);
        true
    }

    /// How many words it has.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether it has no words.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The words in the order they entered. The initial ones are sorted by weight, heaviest first.
    pub fn words(&self) -> &[TableWord] {
        &self.words
    }

    /// Whether it contains a word.
    pub fn holds(&self, key: u64) -> bool {
        self.places.contains_key(&key)
    }

    /// W of a word; 0 if it is not in the table.
    pub fn weight(&self, key: u64) -> f64 {
        let place = self.places.get(&key).map(|place| *place as usize);
        place
            .and_then(|place| self.words.get(place))
            .map_or(0.0, |word| word.weight)
    }

    /// Σ W of the given words that are in the table, divided by the table's size. Each word should be given once.
    pub fn share_of(&self, words: &[u64]) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        let sum: f64 = words.iter().map(|word| self.weight(*word)).sum();
        sum / self.words.len() as f64
    }

    /// How similar a document is, and the words that make it so, in the document's order.
    pub fn cosine(
        &self,
        counts: &WordCounts,
        document: impl IntoIterator<Item = (u64, u32)>,
        space: Space,
    ) -> (f64, Vec<Shared>) {
        let mut squares = 0.0;
        let mut shared = Vec::new();
        for (key, count) in document {
            let place = self.places.get(&key).map(|place| *place as usize);
            if place.is_none() && space == Space::Table {
                continue;
            }
            let value = damped_frequency(count) * counts.idf(key);
            squares += value * value;
            if let Some(place) = place
                && let Some(word) = self.words.get(place)
            {
                shared.push(Shared {
                    place,
                    count,
                    share: value * word.weight,
                });
            }
        }
        let length = (squares * self.squares).sqrt();
        if shared.is_empty() || length <= 0.0 || !length.is_finite() {
            return (0.0, Vec::new());
        }
        let mut cosine = 0.0;
        for part in &mut shared {
            part.share /= length;
            cosine += part.share;
        }
        (cosine.min(1.0), shared)
    }

    /// Adds the document's own heaviest words that are not yet in the table, at most `most`, each with its current
    /// weight among all documents. Returns how many were added.
    pub fn grow<'d>(
        &mut self,
        counts: &WordCounts,
        document: impl IntoIterator<Item = (u64, u32, &'d str)>,
        most: usize,
    ) -> usize {
        let mut own: Vec<(f64, u64, &str)> = document
            .into_iter()
            .filter(|(key, _, _)| !self.holds(*key))
            .map(|(key, count, spelling)| (damped_frequency(count) * counts.idf(key), key, spelling))
            .collect();
        own.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        own.truncate(most);
        if own.is_empty() {
            return 0;
        }
        let largest = counts.largest_weight();
        let before = self.len();
        for (_, key, spelling) in own {
            self.push(TableWord {
                key,
                weight: counts.weight(key) / largest,
                spelling: spelling.into(),
            });
        }
        self.len() - before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three documents: tea in all (w 2.444445), pot in two (1.832581), cup twenty times in one (3.306629).
    fn three() -> WordCounts {
        let mut counts = WordCounts::new(100);
        counts.add([(1, 2), (2, 1)], |_| false);
        counts.add([(1, 1), (2, 1)], |_| false);
        counts.add([(1, 1), (3, 20)], |_| false);
        counts
    }

    fn table(most: usize) -> WeightTable {
        WeightTable::heaviest(&three(), most, |key| format!("word {key}").into())
    }

    #[test]
    fn the_table_holds_the_heaviest_words_with_weights_up_to_1() {
        let table = table(2);
        let words: Vec<(u64, &str)> = table.words().iter().map(|w| (w.key, &*w.spelling)).collect();
        assert_eq!(words, [(3, "word 3"), (1, "word 1")]);
        assert_eq!(table.weight(3), 1.0);
        // 2.444445 / 3.306629
        assert!((table.weight(1) - 0.739_256).abs() < 1e-5);
        assert_eq!(table.weight(2), 0.0);
    }

    #[test]
    fn the_share_of_a_links_words_is_their_weights_over_the_tables_size() {
        let table = table(2);
        assert!((table.share_of(&[1, 2, 99]) - 0.739_256 / 2.0).abs() < 1e-5);
        assert_eq!(table.share_of(&[]), 0.0);
        assert_eq!(WeightTable::default().share_of(&[1]), 0.0);
    }

    #[test]
    fn the_cosine_is_that_worked_out_by_hand_in_both_spaces() {
        let (counts, table) = (three(), table(2));
        // tea once: ln 2 = 0.693147; pot once: ln 2.5 = 0.916291; an unknown word once: ln 4 = 1.386294.
        // |W| = √(1 + 0.739256²) = 1.243573; dot = 0.693147 · 0.739256 = 0.512413.
        // |d| = √(0.480453 + 0.839589 + 1.921812) = 1.800515 over the union, 0.693147 in the table.
        let document = [(1, 1), (2, 1), (99, 1)];
        let (union, shared) = table.cosine(&counts, document, Space::Union);
        assert!((union - 0.228_853).abs() < 1e-5, "{union}");
        assert_eq!(shared.len(), 1);
        assert_eq!((shared[0].place, shared[0].count), (1, 1));
        let (within, _) = table.cosine(&counts, document, Space::Table);
        assert!((within - 0.594_460).abs() < 1e-5, "{within}");
        assert_eq!(table.cosine(&counts, [(99, 5)], Space::Union).0, 0.0);
        assert_eq!(table.cosine(&counts, [], Space::Table).0, 0.0);
    }

    #[test]
    fn a_document_that_is_the_table_itself_has_cosine_1_within_it() {
        let mut counts = WordCounts::new(10);
        counts.add([(1, 1), (2, 1)], |_| false);
        let table = WeightTable::heaviest(&counts, 5, |_| "".into());
        let (cosine, shared) = table.cosine(&counts, [(1, 1), (2, 1)], Space::Union);
        assert!((cosine - 1.0).abs() < 1e-12);
        let sum: f64 = shared.iter().map(|part| part.share).sum();
        assert!((sum - cosine).abs() < 1e-12);
    }

    #[test]
    fn growing_adds_the_documents_own_heaviest_words_with_their_present_weights() {
        let (mut counts, mut table) = (three(), table(1));
        let frozen = table.weight(3);
        counts.add([(1, 1), (4, 9), (5, 1)], |_| false);
        // Of the document's words 4 weighs most (rare and often), then 5, then 1.
        let document = [(1, 1, "tea"), (4, 9, "kettle"), (5, 1, "lid")];
        assert_eq!(table.grow(&counts, document, 2), 2);
        let entered: Vec<&str> = table.words().iter().map(|word| &*word.spelling).collect();
        assert_eq!(entered, ["word 3", "kettle", "lid"]);
        assert_eq!(table.weight(3), frozen);
        assert_eq!(table.weight(4), counts.weight(4) / counts.largest_weight());
        assert_eq!(table.grow(&counts, document, 0), 0);
        assert_eq!(table.grow(&counts, document, 9), 1);
        assert_eq!(table.grow(&counts, document, 9), 0);
    }
}
