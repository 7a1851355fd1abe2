//! How informative words are, judged by the documents seen so far: for each word, how many contain it and how often.
//!
//! ```text
//! TFW(d,t)   = 0 if tf = 0, else 1 + ln(1 + ln(tf))
//! IDF(t)     = ln(1 + N/df)          a word in every document keeps a positive weight
//! TFIDF(d,t) = TFW(d,t) · IDF(t)
//! w(t)       = Σ_d TFIDF(d,t)        with the current IDF, so only Σ_d TFW(d,t) is kept
//! ```
//!
//! Invariant: there are never more words than allowed, however many documents come. Each word has a place below that
//! limit, and a place is reused when its word is dropped. So writing down the places as they change never takes more
//! than that many records. Words found in the fewest documents are dropped first.
//!
//! Deliberately absent: spellings, and which words matter for what.

use std::collections::HashMap;

/// The weight of a word that occurs `count` times in a document.
pub fn damped_frequency(count: u32) -> f64 {
    if count == 0 {
        0.0
    } else {
        1.0 + (1.0 + f64::from(count).ln()).ln()
    }
}

/// One word in the documents seen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WordCount {
    /// The word.
    pub key: u64,
    /// How many documents contain it.
    pub documents: u32,
    /// Σ TFW over them.
    pub frequency: f64,
}

/// Words and the number of documents that contain them.
#[derive(Clone, Debug, Default)]
pub struct WordCounts {
    most: usize,
    documents: u32,
    words: Vec<Option<WordCount>>,
    /// Never iterated, so its order has no effect.
    places: HashMap<u64, u32>,
    free: Vec<u32>,
    changed: Vec<u32>,
}

/// When there are too many words, one in this many is dropped.
const DROPPED: usize = 4;

impl WordCounts {
    /// Empty counts, for at most `most` words.
    pub fn new(most: usize) -> WordCounts {
        WordCounts {
            most: most.clamp(1, u32::MAX as usize),
            ..WordCounts::default()
        }
    }

    /// Documents seen.
    pub fn documents(&self) -> u32 {
        self.documents
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The words in order of their places.
    pub fn iter(&self) -> impl Iterator<Item = &WordCount> {
        self.words.iter().flatten()
    }

    /// Counts a document, given each of its words once with its count. Words for which `stays` is true are never
    /// dropped.
    pub fn add(&mut self, words: impl IntoIterator<Item = (u64, u32)>, stays: impl Fn(u64) -> bool) {
        self.documents = self.documents.saturating_add(1);
        for (key, count) in words {
            if count == 0 {
                continue;
            }
            let Some(place) = self.place_for(key, &stays) else {
                continue;
            };
            let Some(held) = self.words.get_mut(place as usize) else {
                continue;
            };
            let word = held.get_or_insert(WordCount {
                key,
                documents: 0,
                frequency: 0.0,
            });
            word.documents = word.documents.saturating_add(1);
            word.frequency += damped_frequency(count);
            self.changed.push(place);
        }
    }

    /// Adds what was counted elsewhere: a number of documents, and the words they contain. Words for which `stays` is true are
    /// never dropped.
    pub fn merge(
        &mut self,
        documents: u32,
        words: impl IntoIterator<Item = WordCount>,
        stays: impl Fn(u64) -> bool,
    ) {
        self.documents = self.documents.saturating_add(documents);
        for more in words {
            let Some(place) = self.place_for(more.key, &stays) else {
                continue;
            };
            let Some(held) = self.words.get_mut(place as usize) else {
                continue;
            };
            let word = held.get_or_insert(WordCount {
                documents: 0,
                frequency: 0.0,
                ..more
            });
            word.documents = word.documents.saturating_add(more.documents);
            word.frequency += more.frequency;
            self.changed.push(place);
        }
    }

    /// The place of a word, a new one if needed; `None` if there is no room.
    fn place_for(&mut self, key: u64, stays: &impl Fn(u64) -> bool) -> Option<u32> {
        if let Some(place) = self.places.get(&key) {
            return Some(*place);
        }
        if self.places.len() >= self.most {
            self.drop_rarest(stays);
        }
        let place = match self.free.pop() {
            Some(place) => place,
            None if self.words.len() < self.most => {
                self.words.push(None);
                (self.words.len() - 1) as u32
            }
            None => return None,
        };
        self.places.insert(key, place);
        Some(place)
    }

    /// Drops the words found in the fewest documents, at least a fixed share of all.
    fn drop_rarest(&mut self, stays: &impl Fn(u64) -> bool) {
        let mut documents: Vec<u32> = self.words.iter().flatten().map(|word| word.documents).collect();
        let at = documents.len() / DROPPED;
        if documents.is_empty() {
            return;
        }
        let (_, &mut most, _) = documents.select_nth_unstable(at);
        for (place, held) in (0_u32..).zip(&mut self.words) {
            if let Some(word) = held
                && word.documents <= most
                && !stays(word.key)
            {
                self.places.remove(&word.key);
                *held = None;
                self.free.push(place);
                self.changed.push(place);
            }
        }
        // So that the lowest is used first.
        self.free.sort_unstable_by(|a, b| b.cmp(a));
    }

    fn word(&self, key: u64) -> Option<&WordCount> {
        let place = self.places.get(&key)?;
        self.words.get(*place as usize)?.as_ref()
    }

    /// The IDF. A word that is not counted is treated as if one document had it.
    pub fn idf(&self, key: u64) -> f64 {
        self.idf_of(self.word(key).map_or(1, |word| word.documents))
    }

    fn idf_of(&self, documents: u32) -> f64 {
        (1.0 + f64::from(self.documents) / f64::from(documents.max(1))).ln()
    }

    /// w: the sum of the word's weights in all documents; 0 if the word is not counted.
    pub fn weight(&self, key: u64) -> f64 {
        self.word(key).map_or(0.0, |word| self.weight_of(word))
    }

    fn weight_of(&self, word: &WordCount) -> f64 {
        word.frequency * self.idf_of(word.documents)
    }

    /// The largest w.
    pub fn largest_weight(&self) -> f64 {
        let mut largest = 0.0_f64;
        // No word is rarer than one document, so most can be ruled out without a logarithm.
        let most_telling = self.idf_of(1);
        for word in self.words.iter().flatten() {
            if word.frequency * most_telling > largest {
                largest = largest.max(self.weight_of(word));
            }
        }
        largest
    }

    /// The heaviest words by w, at most `most`. Ties go to the smaller key.
    pub fn heaviest(&self, most: usize) -> Vec<(u64, f64)> {
        let mut all: Vec<(u64, f64)> = self
            .words
            .iter()
            .flatten()
            .map(|word| (word.key, self.weight_of(word)))
            .collect();
        let by_weight = |a: &(u64, f64), b: &(u64, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if let Some(last) = most.checked_sub(1).filter(|last| *last < all.len()) {
            all.select_nth_unstable_by(last, by_weight);
        }
        all.truncate(most);
        all.sort_unstable_by(by_weight);
        all
    }

    /// What the places changed since the last call now hold, each once; `None` where a word was dropped.
    pub fn take_changes(&mut self) -> Vec<(u32, Option<WordCount>)> {
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort_unstable();
        changed.dedup();
        changed
            .into_iter()
            .map(|place| (place, self.words.get(place as usize).copied().flatten()))
            .collect()
    }

    /// Restores saved counts: the number of documents, and the words with their places in any order. `None` if a word
    /// or a place occurs twice, or if a place is beyond the limit.
    pub fn restored(
        most: usize,
        documents: u32,
        words: impl IntoIterator<Item = (u32, WordCount)>,
    ) -> Option<WordCounts> {
        let mut counts = WordCounts::new(most);
        counts.documents = documents;
        for (place, word) in words {
            let at = place as usize;
            if at >= counts.most {
                return None;
            }
            if counts.words.len() <= at {
                counts.words.resize(at + 1, None);
            }
            let held = counts.words.get_mut(at)?;
            if held.is_some() || counts.places.insert(word.key, place).is_some() {
                return None;
            }
            *held = Some(word);
        }
        counts.free = (0_u32..)
            .zip(&counts.words)
            .filter_map(|(place, held)| held.is_none().then_some(place))
            .collect();
        counts.free.reverse();
        Some(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_words_damped_frequency_is_that_of_the_formula() {
        assert_eq!(damped_frequency(0), 0.0);
        assert_eq!(damped_frequency(1), 1.0);
        // 1 + ln(1 + ln 2) = 1 + ln 1.693147 and 1 + ln(1 + ln 20) = 1 + ln 3.995732.
        assert!((damped_frequency(2) - 1.526_589).abs() < 1e-6);
        assert!((damped_frequency(20) - 2.385_227).abs() < 1e-6);
    }

    /// Three documents: tea in all, pot in two, cup in one.
    fn three() -> WordCounts {
        let mut counts = WordCounts::new(100);
        counts.add([(1, 2), (2, 1)], |_| false);
        counts.add([(1, 1), (2, 1)], |_| false);
        counts.add([(1, 1), (3, 20)], |_| false);
        counts
    }

    #[test]
    fn weights_are_those_worked_out_by_hand() {
        let counts = three();
        // tea: (1.526589 + 1 + 1) · ln 2; pot: 2 · ln 2.5; cup: 2.385227 · ln 4.
        let by_hand = [(3, 3.306_629), (1, 2.444_445), (2, 1.832_581)];
        for ((key, weight), (expected_key, expected)) in counts.heaviest(10).into_iter().zip(by_hand) {
            assert_eq!(key, expected_key);
            assert!((weight - expected).abs() < 1e-5, "{key}: {weight}");
        }
        assert_eq!(counts.heaviest(1).len(), 1);
        assert_eq!(counts.heaviest(0), []);
        assert_eq!(counts.largest_weight(), counts.weight(3));
        assert_eq!(counts.idf(99), 4.0_f64.ln());
    }

    #[test]
    fn no_more_words_are_held_than_allowed_and_the_rarest_go_first() {
        let mut counts = WordCounts::new(40);
        for page in 0..1_000_u64 {
            // Words 1 to 5 on every page, ten others on this page only. Word 6 occurs once and is kept.
            let own = (0..10).map(|n| (1_000 + page * 10 + n, 1));
            let once = (page == 0).then_some((6, 1));
            counts.add((1..=5).map(|word| (word, 1)).chain(once).chain(own), |key| {
                key == 6
            });
            assert!(counts.len() <= 40);
        }
        assert!((1..=6).all(|word| counts.weight(word) > 0.0));
        assert_eq!(counts.word(1).unwrap().documents, 1_000);
    }

    #[test]
    fn counts_restored_from_their_changes_continue_as_if_never_interrupted() {
        let mut whole = WordCounts::new(30);
        let mut written: std::collections::BTreeMap<u32, Option<WordCount>> = Default::default();
        let page = |number: u64| (0..12).map(move |n| ((number * 7 + n * n) % 97, 1 + (n as u32)));
        for number in 0..50 {
            whole.add(page(number), |_| false);
            written.extend(whole.take_changes());
        }
        let words = written
            .iter()
            .filter_map(|(place, word)| word.map(|word| (*place, word)));
        let mut resumed = WordCounts::restored(30, whole.documents(), words).unwrap();
        for number in 50..200 {
            whole.add(page(number), |_| false);
            resumed.add(page(number), |_| false);
            assert_eq!(whole.take_changes(), resumed.take_changes());
        }
        assert_eq!(whole.heaviest(30), resumed.heaviest(30));
    }

    #[test]
    fn counts_made_in_two_places_and_merged_are_those_of_one() {
        let page = |number: u64| (0..12).map(move |n| ((number * 7 + n * n) % 97, 1 + (n as u32)));
        let [mut whole, mut here, mut there] = [(); 3].map(|()| WordCounts::new(100));
        for number in 0..40 {
            whole.add(page(number), |_| false);
            let part = if number % 3 == 0 { &mut there } else { &mut here };
            part.add(page(number), |_| false);
        }
        here.merge(there.documents(), there.iter().copied(), |_| false);
        assert_eq!(here.documents(), whole.documents());
        assert_eq!(here.len(), whole.len());
        for word in whole.iter() {
            let merged = here.word(word.key).unwrap();
            assert_eq!(merged.documents, word.documents);
            assert!((merged.frequency - word.frequency).abs() < 1e-9);
        }
        let changed = here.take_changes();
        assert_eq!(changed.len(), here.len(), "what was merged is saved too");
    }

    #[test]
    fn contradictory_counts_are_not_restored() {
        let word = |key| WordCount {
            key,
            documents: 1,
            frequency: 1.0,
        };
        assert!(WordCounts::restored(9, 1, [(0, word(1)), (0, word(2))]).is_none());
        assert!(WordCounts::restored(9, 1, [(0, word(1)), (1, word(1))]).is_none());
        assert!(WordCounts::restored(9, 1, [(9, word(1))]).is_none());
    }
}
