//! Judges pages by their similarity to a table of weighted words, learnt once from example pages.
//!
//! The table and its numbers are those of the strategy of the same name. There, the table is built from the seeds and
//! keeps counting what the crawl has seen; here, nothing changes after learning. Words that do not occur in the
//! examples count as if they occurred in one of them.

use std::path::Path;
use std::sync::Arc;

use scenthound_learn::{
    Damage, ModelFile, ModelFileFault, Space, TableWord, WeightTable, WordCount, WordCounts,
};
use scenthound_types::text::{Language, StopList, Token};
use scenthound_types::{Judgement, PageWords, ParsedPage, Parts, TermHit, TermSet, Verdict};
use serde::{Deserialize, Serialize};

use crate::{Judge, JudgeFault};

/// The most words whose documents are counted.
const MOST_WORDS: usize = 200_000;
/// The most words reported per page.
const TOLD: usize = 20;

/// How a table is built and used.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TableJudgeSettings {
    /// The number of words in the table.
    pub size: usize,
    /// Which words make up a page's length.
    pub space: Space,
    /// A page at least this similar is relevant.
    pub threshold: f64,
}

/// The contents of a model file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Stored {
    documents: u32,
    /// Key, documents and frequency.
    counts: Vec<(u64, u32, f64)>,
    /// Key, weight and spelling.
    table: Vec<(u64, f64, String)>,
}

impl ModelFile for Stored {
    const KIND: &'static str = "weight table";
    const VERSION: u16 = 1;
}

/// Leaves judging to a strategy with its own table: nothing is relevant until the strategy has judged it.
#[derive(Clone, Copy, Debug)]
pub struct LeftToStrategy;

impl Judge for LeftToStrategy {
    fn judge(&self, _page: &ParsedPage) -> Judgement {
        Judgement {
            relevance: 0.0,
            verdict: Verdict::Irrelevant,
            genre: None,
            layer: None,
            parts: Parts::default(),
        }
    }

    fn snippet(&self, _tokens: &[Token]) -> f32 {
        0.0
    }
}

/// Judges pages by a table of weighted words.
#[derive(Clone, Debug)]
pub struct TableJudge {
    counts: WordCounts,
    table: WeightTable,
    space: Space,
    threshold: f64,
}

impl TableJudge {
    /// A judge whose table consists of the most heavily weighted words of these pages.
    pub fn learn<'p>(
        examples: impl IntoIterator<Item = &'p ParsedPage>,
        settings: &TableJudgeSettings,
    ) -> Result<TableJudge, JudgeFault> {
        check(settings)?;
        let mut counts = WordCounts::new(MOST_WORDS);
        let mut pages = Vec::new();
        for page in examples {
            let words = page_words(page);
            counts.add(words.pairs(), |_| false);
            pages.push(words);
        }
        if counts.is_empty() {
            return Err(JudgeFault::NoWords);
        }
        let spell = |key: u64| -> Arc<str> {
            let word = pages
                .iter()
                .find_map(|words| words.iter().find(|word| word.hash == key));
            word.map_or_else(|| "…".into(), |word| word.spelling.into())
        };
        Ok(TableJudge {
            table: WeightTable::heaviest(&counts, settings.size, spell),
            counts,
            space: settings.space,
            threshold: settings.threshold,
        })
    }

    /// Writes the table and the counts to a file.
    pub fn save(&self, path: &Path) -> Result<(), JudgeFault> {
        let stored = Stored {
            documents: self.counts.documents(),
            counts: self
                .counts
                .iter()
                .map(|word| (word.key, word.documents, word.frequency))
                .collect(),
            table: self
                .table
                .words()
                .iter()
                .map(|word| (word.key, word.weight, word.spelling.to_string()))
                .collect(),
        };
        Ok(stored.save(path)?)
    }

    /// Reads the table and the counts from a file. The table's size is taken from the file, not from the settings.
    pub fn load(path: &Path, settings: &TableJudgeSettings) -> Result<TableJudge, JudgeFault> {
        check(settings)?;
        let stored = Stored::load(path)?;
        let senseless = || {
            JudgeFault::Model(ModelFileFault::Unusable {
                path: path.to_owned(),
                what: Damage::Senseless,
            })
        };
        let words = (0_u32..)
            .zip(&stored.counts)
            .map(|(place, &(key, documents, frequency))| {
                (
                    place,
                    WordCount {
                        key,
                        documents,
                        frequency,
                    },
                )
            });
        let are_sound = stored
            .counts
            .iter()
            .all(|(_, _, frequency)| frequency.is_finite() && *frequency >= 0.0);
        let counts = WordCounts::restored(MOST_WORDS, stored.documents, words)
            .filter(|_| are_sound)
            .ok_or_else(senseless)?;
        let mut table = WeightTable::default();
        for (key, weight, spelling) in stored.table {
            let word = TableWord {
                key,
                weight,
                spelling: spelling.into(),
            };
            if !(weight <= 1.0 && table.push(word)) {
                return Err(senseless());
            }
        }
        Ok(TableJudge {
            counts,
            table,
            space: settings.space,
            threshold: settings.threshold,
        })
    }

    /// The words and their weights, the largest weight first.
    pub fn words(&self) -> &[TableWord] {
        self.table.words()
    }
}

fn check(settings: &TableJudgeSettings) -> Result<(), JudgeFault> {
    let value = settings.threshold;
    if (0.0..=1.0).contains(&value) {
        Ok(())
    } else {
        Err(JudgeFault::Threshold { value })
    }
}

/// The words of a page, without stop words of its language, or of any if that is unknown.
fn page_words(page: &ParsedPage) -> PageWords {
    let stops = StopList::of_text(page.language);
    PageWords::count(
        (0..)
            .zip(page.text.tokens())
            .filter(|(_, token)| token.is_word() && !stops.contains(**token))
            .map(|(position, token)| (token.hash(), page.text.spelling(position))),
    )
}

/// How often each word occurs, without stop words.
fn counted(tokens: &[Token], language: Option<Language>) -> Vec<(u64, u32)> {
    let stops = StopList::of_text(language);
    let mut hashes: Vec<u64> = tokens
        .iter()
        .filter(|token| token.is_word() && !stops.contains(**token))
        .map(|token| token.hash())
        .collect();
    hashes.sort_unstable();
    hashes
        .chunk_by(|a, b| a == b)
        .filter_map(|same| Some((*same.first()?, same.len() as u32)))
        .collect()
}

impl Judge for TableJudge {
    fn judge(&self, page: &ParsedPage) -> Judgement {
        let words = counted(page.text.tokens(), page.language);
        let (cosine, shared) = self.table.cosine(&self.counts, words, self.space);
        let mut terms: Vec<TermHit> = shared
            .iter()
            .filter_map(|part| {
                Some(TermHit {
                    set: TermSet::Table,
                    term: self.table.words().get(part.place)?.spelling.clone(),
                    count: part.count,
                    share: part.share,
                })
            })
            .collect();
        terms.sort_by(|a, b| b.share.total_cmp(&a.share));
        terms.truncate(TOLD);
        Judgement {
            relevance: cosine,
            verdict: if cosine >= self.threshold {
                Verdict::Relevant
            } else {
                Verdict::Irrelevant
            },
            genre: None,
            layer: None,
            parts: Parts {
                table: Some(cosine),
                terms,
                ..Parts::default()
            },
        }
    }

    fn snippet(&self, tokens: &[Token]) -> f32 {
        self.table
            .cosine(&self.counts, counted(tokens, None), self.space)
            .0 as f32
    }
}
