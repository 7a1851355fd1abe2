//! What the nodes of one crawl tell each other about the table.
//!
//! * The words of each seed, as a lasting lesson by the seed's key. Every node builds the table from all seeds it knows of, in the
//!   order of their keys, and builds it again when it hears of another. So all nodes have the table of one machine once all seeds
//!   are known everywhere.
//! * What was counted on the other pages since the last lesson: documents, and for each word how many contain it and how often.
//!   Counts add up, so they are those of one machine, unless the vocabulary overflows: nodes then drop rare words at other moments.
//! * The words that pages added to the table, with the weights they had on the node that added them, and the pages' scores for
//!   genres. A word that two nodes add keeps on each node the weight of the one it knew first.
//!
//! Invariant: what is heard is never told again.

use std::collections::BTreeMap;

use scenthound_learn::{TableWord, WordCount, WordCounts, damped_frequency};
use scenthound_types::{Lease, PageWords, UrlKey};
use serde::{Deserialize, Serialize};

use super::{MOST_SEED_WORDS, Seed, TopicTable, heaviest_words};
use crate::RestoreError;

/// What is told every few seconds.
#[derive(Default, Serialize, Deserialize)]
struct Lesson {
    documents: u32,
    words: Vec<(u64, u32, f64)>,
    grown: Vec<(u64, f64, String)>,
    scores: Vec<(u64, Vec<f32>)>,
}

/// What a node knows of the seeds of all, and what it has not told yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared {
    /// The words of the seeds that any node has read, as many as there is room for.
    pub(super) seeds: BTreeMap<UrlKey, PageWords>,
    untold_seeds: Vec<UrlKey>,
    documents: u32,
    /// Words of own pages: documents, and Σ TFW over them.
    words: BTreeMap<u64, (u32, f64)>,
    grown: Vec<TableWord>,
    scores: BTreeMap<UrlKey, Vec<f32>>,
    /// Words that others added before this node had a table.
    early: Vec<TableWord>,
}

impl Shared {
    /// Tells all seeds, in case a run that ended had no time to.
    pub(super) fn tell_all_seeds(&mut self) {
        self.untold_seeds = self.seeds.keys().copied().collect();
    }

    pub(super) fn tell_grown(&mut self, words: &[TableWord]) {
        self.grown.extend_from_slice(words);
    }

    pub(super) fn tell_scores(&mut self, page: UrlKey, scores: &[f32]) {
        if scores.iter().any(|score| *score > 0.0) {
            self.scores.insert(page, scores.to_vec());
        }
    }

    fn tell_words(&mut self, words: &PageWords) {
        self.documents = self.documents.saturating_add(1);
        for (key, count) in words.pairs().filter(|(_, count)| *count > 0) {
            let (documents, frequency) = self.words.entry(key).or_default();
            *documents += 1;
            *frequency += damped_frequency(count);
        }
    }

    /// What was not told yet; empty if there is nothing.
    pub(super) fn lesson(&mut self) -> Vec<u8> {
        let words = std::mem::take(&mut self.words).into_iter();
        let grown = std::mem::take(&mut self.grown).into_iter();
        let scores = std::mem::take(&mut self.scores).into_iter();
        let lesson = Lesson {
            documents: std::mem::take(&mut self.documents),
            words: words
                .map(|(key, (documents, frequency))| (key, documents, frequency))
                .collect(),
            grown: grown
                .map(|word| (word.key, word.weight, word.spelling.to_string()))
                .collect(),
            scores: scores.map(|(page, scores)| (page.0, scores)).collect(),
        };
        if lesson.documents == 0 && lesson.grown.is_empty() && lesson.scores.is_empty() {
            return Vec::new();
        }
        postcard::to_stdvec(&lesson).unwrap_or_default()
    }

    /// Seeds that were not told yet, by name.
    pub(super) fn untold_seeds(&mut self) -> Vec<(String, Vec<u8>)> {
        let untold = std::mem::take(&mut self.untold_seeds).into_iter();
        let told =
            untold.filter_map(|key| Some((format!("{:016x}", key.0), self.seeds.get(&key)?.to_bytes())));
        told.collect()
    }
}

pub(super) fn damaged() -> RestoreError {
    RestoreError::Damaged {
        strategy: "table",
        what: "the lessons of another node cannot be read".to_owned(),
    }
}

impl TopicTable {
    /// Notes a page of this node for others.
    pub(super) fn share(&mut self, lease: &Lease, words: &PageWords) {
        if self.shared.is_none() {
            return;
        }
        if lease.seed {
            self.keep_shared_seed(lease.key, words.clone());
            if let Some(shared) = &mut self.shared {
                shared.untold_seeds.push(lease.key);
            }
            self.build();
        } else if let Some(shared) = &mut self.shared {
            shared.tell_words(words);
        }
    }

    fn keep_shared_seed(&mut self, key: UrlKey, words: PageWords) {
        let Some(shared) = &mut self.shared else { return };
        self.seeds.insert(key, Seed::Untold);
        self.unsaved.seeds.push(key);
        if self.seed_words + words.len() <= MOST_SEED_WORDS {
            self.seed_words += words.len();
            shared.seeds.insert(key, words);
            self.unsaved.shared_seeds.push(key);
        }
    }

    /// Builds the table from all seeds that are known, again if there are more of them now.
    pub(super) fn build_shared(&mut self) {
        let Some(shared) = &mut self.shared else { return };
        if shared.seeds.is_empty() {
            return;
        }
        // The counts of a crawl that has read nothing but its seeds.
        let mut counts = WordCounts::new(self.settings.vocabulary);
        for words in shared.seeds.values() {
            counts.add(words.pairs(), |_| false);
        }
        let size = self.settings.size;
        let mut table = heaviest_words(&counts, size, &shared.seeds);
        let early = std::mem::take(&mut shared.early);
        for word in self.table.words().iter().skip(size).cloned().chain(early) {
            if table.len() < self.settings.ceiling {
                table.push(word);
            }
        }
        self.table = table;
        self.unsaved.is_table_new = true;
        self.is_built = true;
        self.epoch += 1;
        self.unsaved.state = true;
        let scores = match &self.shared {
            Some(shared) => self.scores_of_seeds(&counts, &shared.seeds),
            None => Vec::new(),
        };
        let kept = self.seed_words;
        self.keep_seed_scores(scores);
        self.seed_words = kept;
    }

    /// Learns of a seed of another node, and returns whether it is news; none if the lesson cannot be read.
    pub(super) fn hear_seed(&mut self, name: &str, lesson: &[u8]) -> Option<bool> {
        let key = UrlKey(u64::from_str_radix(name, 16).ok()?);
        let words = PageWords::from_bytes(lesson)?;
        let is_news = self.shared.is_some() && !self.seeds.contains_key(&key);
        if is_news {
            self.count(&words);
            self.keep_shared_seed(key, words);
        }
        Some(is_news)
    }

    /// Learns from what another node has counted and added; none if the lesson cannot be read.
    pub(super) fn hear(&mut self, lesson: &[u8]) -> Option<()> {
        let lesson: Lesson = postcard::from_bytes(lesson).ok()?;
        let is_count = |(_, documents, frequency): &(u64, u32, f64)| {
            *documents > 0 && frequency.is_finite() && *frequency >= 0.0
        };
        let is_score = |score: &f32| score.is_finite();
        if !lesson.words.iter().all(is_count)
            || !lesson.scores.iter().flat_map(|(_, scores)| scores).all(is_score)
        {
            return None;
        }
        let words = lesson
            .words
            .into_iter()
            .map(|(key, documents, frequency)| WordCount {
                key,
                documents,
                frequency,
            });
        let table = &self.table;
        self.counts.merge(lesson.documents, words, |key| table.holds(key));
        self.unsaved.state = true;
        for (page, scores) in lesson.scores {
            self.keep_scores(UrlKey(page), scores.into());
        }
        let before = self.table.len();
        for (key, weight, spelling) in lesson.grown {
            let word = TableWord {
                key,
                weight,
                spelling: spelling.into(),
            };
            match (self.is_built, &mut self.shared) {
                (false, Some(shared)) => shared.early.push(word),
                _ if self.table.len() < self.settings.ceiling => drop(self.table.push(word)),
                _ => {}
            }
        }
        self.epoch += u64::from(self.table.len() > before);
        Some(())
    }
}
