//! What the table has learnt, as it is saved: one value for each word, so that a page writes only what it changed.
//!
//! ```text
//! table        documents, epoch, whether the seeds are done and the table is built, sizes
//! w/PLACE      a word's documents and frequency; empty once it is dropped
//! t/PLACE      a word of the table: key, weight, spelling; empty once the table is shorter
//! s/KEY        a seed: its words, that there were too many, or its score
//! k/KEY        the words of a seed of any node, where several share a crawl
//! g/PLACE      a page: its score for each genre
//! ```
//!
//! Places and keys are hexadecimal. Numbers are little-endian; weights are the bits of an f64.

use scenthound_learn::{TableWord, WordCount, WordCounts};
use scenthound_types::{PageWords, StateDelta, UrlKey};

use super::genre_scores::GenreScores;
use super::{Seed, TopicTable};
use crate::RestoreError;

/// What has to be saved.
#[derive(Clone, Debug, Default)]
pub(super) struct Unsaved {
    /// The value `table`.
    pub state: bool,
    /// Seeds, possibly more than once.
    pub seeds: Vec<UrlKey>,
    /// Seeds whose words are shared.
    pub shared_seeds: Vec<UrlKey>,
    /// Whether the table was built anew since it was saved.
    pub is_table_new: bool,
    /// How many of the table's words are already saved.
    table_words: usize,
}

const STATE: &str = "table";
/// Kinds of a seed's value.
const WORDS: u8 = 0;
const UNTOLD: u8 = 1;
const WORTH: u8 = 2;

/// Stores what changed since the last call.
pub(super) fn save(table: &mut TopicTable, out: &mut StateDelta) {
    for (place, word) in table.counts.take_changes() {
        let bytes = word.map_or_else(Vec::new, |word| {
            let mut bytes = word.key.to_le_bytes().to_vec();
            bytes.extend(word.documents.to_le_bytes());
            bytes.extend(word.frequency.to_le_bytes());
            bytes
        });
        out.put(format!("w/{place:x}"), bytes);
    }
    let before = table.unsaved.table_words;
    let written = match std::mem::take(&mut table.unsaved.is_table_new) {
        true => 0,
        false => before,
    };
    for (place, word) in table.table.words().iter().enumerate().skip(written) {
        let mut bytes = word.key.to_le_bytes().to_vec();
        bytes.extend(word.weight.to_le_bytes());
        bytes.extend(word.spelling.as_bytes());
        out.put(format!("t/{place:x}"), bytes);
    }
    for place in table.table.len()..before {
        out.put(format!("t/{place:x}"), Vec::new());
    }
    table.unsaved.table_words = table.table.len();
    for key in std::mem::take(&mut table.unsaved.shared_seeds) {
        if let Some(words) = table.shared.as_ref().and_then(|shared| shared.seeds.get(&key)) {
            out.put(format!("k/{:016x}", key.0), words.to_bytes());
        }
    }
    let mut seeds = std::mem::take(&mut table.unsaved.seeds);
    seeds.sort_unstable();
    seeds.dedup();
    for key in seeds {
        let bytes = match table.seeds.get(&key) {
            Some(Seed::Words(words)) => [vec![WORDS], words.to_bytes()].concat(),
            Some(Seed::Untold) => vec![UNTOLD],
            Some(Seed::Worth(page_score)) => [vec![WORTH], page_score.to_le_bytes().to_vec()].concat(),
            None => continue,
        };
        out.put(format!("s/{:016x}", key.0), bytes);
    }
    for (place, bytes) in table.scores.take_changes() {
        out.put(format!("g/{place:x}"), bytes);
    }
    if std::mem::take(&mut table.unsaved.state) {
        let mut bytes = table.counts.documents().to_le_bytes().to_vec();
        bytes.extend(table.epoch.to_le_bytes());
        bytes.push(u8::from(table.are_seeds_done));
        bytes.push(u8::from(table.is_built));
        bytes.extend(table.scores.next().to_le_bytes());
        out.put(STATE, bytes);
    }
}

/// Restores what was saved.
pub(super) fn restore(table: &mut TopicTable, saved: &[(String, Vec<u8>)]) -> Result<(), RestoreError> {
    let damaged = |what: &str| RestoreError::Damaged {
        strategy: "table",
        what: what.to_owned(),
    };
    let mut words = Vec::new();
    let mut in_table = Vec::new();
    let mut scores = Vec::new();
    let (mut documents, mut next) = (0, 0);
    for (name, value) in saved {
        let wrong = || damaged(&format!("the value {name} could not be read"));
        let (kind, place) = name.split_once('/').unwrap_or((name, "0"));
        let place = u64::from_str_radix(place, 16).map_err(|_| wrong())?;
        let small = u32::try_from(place).unwrap_or(u32::MAX);
        match kind {
            "w" if value.is_empty() => {}
            "w" => words.push((small, read_count(value).ok_or_else(wrong)?)),
            "t" if value.is_empty() => {}
            "k" => {
                let words = PageWords::from_bytes(value).ok_or_else(wrong)?;
                table.seed_words += words.len();
                let shared = table.shared.get_or_insert_default();
                shared.seeds.insert(UrlKey(place), words);
            }
            "t" => in_table.push((place, read_word(value).ok_or_else(wrong)?)),
            "g" => scores.push((small, value.as_slice())),
            "s" => {
                let seed = read_seed(value).ok_or_else(wrong)?;
                if let Seed::Words(words) = &seed {
                    table.seed_words += words.len();
                }
                table.seeds.insert(UrlKey(place), seed);
            }
            STATE => {
                let state = read_state(value).ok_or_else(wrong)?;
                (documents, next) = (state.documents, state.next);
                table.epoch = state.epoch;
                table.are_seeds_done = state.are_seeds_done;
                table.is_built = state.is_built;
            }
            _ => {}
        }
    }
    table.counts = WordCounts::restored(table.settings.vocabulary, documents, words)
        .ok_or_else(|| damaged("two words share a place, or there are more words than the settings allow"))?;
    in_table.sort_by_key(|(place, _)| *place);
    for (_, word) in in_table {
        if !table.table.push(word) {
            return Err(damaged("a word is in the table twice, or has weight 0"));
        }
    }
    table.unsaved.table_words = table.table.len();
    table.scores = GenreScores::restored(next, scores)
        .ok_or_else(|| damaged("the genre scores of pages could not be read"))?;
    Ok(())
}

fn read_count(bytes: &[u8]) -> Option<WordCount> {
    let (key, rest) = bytes.split_first_chunk::<8>()?;
    let (documents, rest) = rest.split_first_chunk::<4>()?;
    let frequency = f64::from_le_bytes(rest.try_into().ok()?);
    (frequency.is_finite() && frequency >= 0.0).then_some(WordCount {
        key: u64::from_le_bytes(*key),
        documents: u32::from_le_bytes(*documents),
        frequency,
    })
}

fn read_word(bytes: &[u8]) -> Option<TableWord> {
    let (key, rest) = bytes.split_first_chunk::<8>()?;
    let (weight, spelling) = rest.split_first_chunk::<8>()?;
    Some(TableWord {
        key: u64::from_le_bytes(*key),
        weight: f64::from_le_bytes(*weight),
        spelling: std::str::from_utf8(spelling).ok()?.into(),
    })
}

fn read_seed(bytes: &[u8]) -> Option<Seed> {
    let (kind, rest) = bytes.split_first()?;
    match *kind {
        WORDS => Some(Seed::Words(PageWords::from_bytes(rest)?)),
        UNTOLD => Some(Seed::Untold),
        WORTH => Some(Seed::Worth(f32::from_le_bytes(rest.try_into().ok()?))),
        _ => None,
    }
}

struct State {
    documents: u32,
    epoch: u64,
    are_seeds_done: bool,
    is_built: bool,
    next: u32,
}

fn read_state(bytes: &[u8]) -> Option<State> {
    let (documents, rest) = bytes.split_first_chunk::<4>()?;
    let (epoch, rest) = rest.split_first_chunk::<8>()?;
    let ([are_seeds_done, is_built], rest) = rest.split_first_chunk::<2>()?;
    Some(State {
        documents: u32::from_le_bytes(*documents),
        epoch: u64::from_le_bytes(*epoch),
        are_seeds_done: *are_seeds_done != 0,
        is_built: *is_built != 0,
        next: u32::from_le_bytes(rest.try_into().ok()?),
    })
}
