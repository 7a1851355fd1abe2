//! Scores links with a table of weighted words, learnt from the seeds.
//!
//! ```text
//! topic(link) = Σ W/s of the anchor's words + of the URL's + of the sentences around + Σ cosine(parent, table)
//! genre(link) = the same with a genre's words, each of weight 1; the highest of the genres wanted
//! score       = topic weight · topic + genre weight · genre
//! ```
//!
//! W is a word's weight in the table and s the table's size. Seeds are class 0 and come first; whatever is found
//! meanwhile waits in class 1 without a score. When all seeds are read, the table is built from their most heavily
//! weighted words, and everything that waits is scored. A growing table adds words of pages that are similar enough
//! to it, and what waits is scored again.
//!
//! Details. A page counts as seen before it is compared, so each of its words was seen at least once. A seed is
//! compared once the table is built, which is after its links got their evidence; its score is kept here and used
//! instead of the one in the evidence. A parent's score is that of the time it was read. The genre scores of parents
//! are kept for the last hundred thousand pages.
//!
//! Several nodes of one crawl tell each other the words of their seeds, what they have counted and the words that were added
//! (`shared`). The table is then built again whenever a seed of another node becomes known.
//!
//! Invariant: the state is bounded by the settings and the number of seeds, not by the length of the crawl.
//! Deliberately absent: the evidence of links; the frontier keeps that.

mod genre_scores;
mod link_words;
mod settings;
mod shared;
mod state;

use std::collections::BTreeMap;
use std::sync::Arc;

use scenthound_learn::{WeightTable, WordCounts};
use scenthound_types::{
    Evidence, Merge, PageReport, PageWords, ParentPage, Parts, Rank, Score, ScorePart, StateDelta, TermHit,
    TermSet, Updates, UrlKey, WaitingLink,
};

pub use link_words::{LinkGenre, LinkWords};
pub use settings::{ParentScore, TableSettings};

use crate::{Needs, PageScore, Rescoring, RestoreError, Strategy, offer_each};
use genre_scores::GenreScores;
use shared::Shared;
use state::Unsaved;

/// The most words of seeds kept until the table is built, over all seeds. A seed beyond that gets the mean score of
/// the others.
const MOST_SEED_WORDS: usize = 1_000_000;
/// The most words reported per page.
const TOLD: usize = 20;
/// The class of links.
const LINKS: u16 = 1;

/// What is known about a seed.
#[derive(Clone, Debug)]
enum Seed {
    /// Before the table is built: its words.
    Words(PageWords),
    /// The same, if there were too many words.
    Untold,
    /// Afterwards: how similar it is to the table.
    Worth(f32),
}

/// Ranks links by a table of weighted words.
#[derive(Clone, Debug)]
pub struct TopicTable {
    settings: TableSettings,
    counts: WordCounts,
    /// Empty until the table is built.
    table: WeightTable,
    is_built: bool,
    are_seeds_done: bool,
    seeds: BTreeMap<UrlKey, Seed>,
    seed_words: usize,
    scores: GenreScores,
    epoch: u64,
    unsaved: Unsaved,
    /// What is shared with other nodes of the crawl; none where there are no others.
    shared: Option<Shared>,
}

impl TopicTable {
    /// The strategy with these settings.
    pub fn new(mut settings: TableSettings) -> TopicTable {
        // Words of the table are never dropped, so there must be room for others besides them.
        let most_in_table = settings.size.max(settings.ceiling);
        settings.vocabulary = settings.vocabulary.max(most_in_table.saturating_mul(4));
        TopicTable {
            counts: WordCounts::new(settings.vocabulary),
            settings,
            table: WeightTable::default(),
            is_built: false,
            are_seeds_done: false,
            seeds: BTreeMap::new(),
            seed_words: 0,
            scores: GenreScores::default(),
            epoch: 0,
            unsaved: Unsaved::default(),
            shared: None,
        }
    }

    /// The current table; empty until all seeds are read.
    pub fn table(&self) -> &WeightTable {
        &self.table
    }

    fn count(&mut self, words: &PageWords) {
        let table = &self.table;
        self.counts.add(words.pairs(), |key| table.holds(key));
        self.unsaved.state = true;
    }

    /// Keeps a seed's words until the table is built.
    fn keep_seed(&mut self, key: UrlKey, words: &PageWords) {
        let has_room = self.seed_words + words.len() <= MOST_SEED_WORDS;
        self.seeds.insert(
            key,
            if has_room {
                self.seed_words += words.len();
                Seed::Words(words.clone())
            } else {
                Seed::Untold
            },
        );
        self.unsaved.seeds.push(key);
    }

    /// Builds the table from the seeds' words, if there are any, and compares the seeds with it.
    fn build(&mut self) {
        if !self.are_seeds_done {
            return;
        }
        if self.shared.is_some() {
            return self.build_shared();
        }
        if self.is_built || self.counts.documents() == 0 {
            return;
        }
        let mut words = BTreeMap::new();
        for (key, seed) in &mut self.seeds {
            if let Seed::Words(_) = seed
                && let Seed::Words(told) = std::mem::replace(seed, Seed::Untold)
            {
                words.insert(*key, told);
            }
        }
        self.table = heaviest_words(&self.counts, self.settings.size, &words);
        self.is_built = true;
        self.epoch += 1;
        self.unsaved.state = true;
        let scores = self.scores_of_seeds(&self.counts, &words);
        self.keep_seed_scores(scores);
    }

    /// How similar seeds are to the table, and to the genres.
    fn scores_of_seeds(
        &self,
        counts: &WordCounts,
        seeds: &BTreeMap<UrlKey, PageWords>,
    ) -> Vec<(UrlKey, f32, Box<[f32]>)> {
        let score = |(key, words): (&UrlKey, &PageWords)| {
            let (cosine, _) = self.table.cosine(counts, words.pairs(), self.settings.space);
            (*key, cosine as f32, self.genre_scores(counts, words))
        };
        seeds.iter().map(score).collect()
    }

    /// Keeps the scores of seeds; one whose words were too many gets the mean of the others.
    fn keep_seed_scores(&mut self, scores: Vec<(UrlKey, f32, Box<[f32]>)>) {
        let sum: f64 = scores.iter().map(|(_, cosine, _)| f64::from(*cosine)).sum();
        let mean = (sum / scores.len().max(1) as f64) as f32;
        for seed in self.seeds.values_mut() {
            *seed = Seed::Worth(mean);
        }
        for (key, cosine, genres) in scores {
            self.seeds.insert(key, Seed::Worth(cosine));
            self.keep_scores(key, genres);
        }
        self.seed_words = 0;
        self.unsaved.seeds.extend(self.seeds.keys());
    }

    fn genre_scores(&self, counts: &WordCounts, words: &PageWords) -> Box<[f32]> {
        let genres = self.settings.genres.iter();
        genres
            .map(|genre| genre.cosine(counts, words.pairs(), self.settings.space) as f32)
            .collect()
    }

    fn keep_scores(&mut self, key: UrlKey, genres: Box<[f32]>) {
        if !genres.is_empty() {
            self.scores.keep(key, genres);
            self.unsaved.state = true;
        }
    }

    /// Adds words of a page that is similar enough.
    fn grow(&mut self, words: &PageWords, cosine: f64) {
        let settings = &self.settings;
        if settings.adds <= 0.0 || cosine < settings.adds_from {
            return;
        }
        let room = settings.ceiling.saturating_sub(self.table.len());
        let adds = (settings.adds * settings.size as f64).round() as usize;
        let document = words.iter().map(|word| (word.hash, word.count, word.spelling));
        let before = self.table.len();
        if self.table.grow(&self.counts, document, adds.min(room)) > 0 {
            self.epoch += 1;
            self.unsaved.state = true;
            if let Some(shared) = &mut self.shared {
                shared.tell_grown(self.table.words().get(before..).unwrap_or_default());
            }
        }
    }

    fn rank(&self, evidence: &Evidence) -> Rank {
        Rank {
            class: LINKS,
            score: Score::new(if self.is_built { self.score(evidence) } else { 0.0 }),
            tie: 0,
        }
    }

    fn score(&self, evidence: &Evidence) -> f64 {
        self.parts(evidence)
            .iter()
            .map(|part| part.value * part.weight)
            .sum()
    }

    /// What the score of a link is made of.
    fn parts(&self, evidence: &Evidence) -> [ScorePart; 5] {
        let settings = &self.settings;
        let lists = [&evidence.anchor, &evidence.url, &evidence.around];
        let [anchor, url, around] = lists.map(|words| self.table.share_of(words));
        let parents = settings
            .parents
            .of(evidence.parents.iter().map(|parent| self.parent(parent)));
        let of_genre = (0..).zip(&settings.genres).map(|(place, genre)| {
            let words: f64 = lists.iter().map(|words| genre.share_of(words)).sum();
            let scores = evidence
                .parents
                .iter()
                .map(|parent| self.scores.page_score(parent.key, place));
            words + settings.parents.of(scores)
        });
        let genre = of_genre.fold(0.0, f64::max);
        let part = |name: &'static str, value, weight| ScorePart {
            name: name.into(),
            value,
            weight,
            visits: None,
        };
        [
            part("anchor", anchor, settings.topic_weight),
            part("url", url, settings.topic_weight),
            part("sentence", around, settings.topic_weight),
            part("parents", parents, settings.topic_weight),
            part("genre", genre, settings.genre_weight),
        ]
    }

    fn parent(&self, parent: &ParentPage) -> f64 {
        f64::from(match self.seeds.get(&parent.key) {
            Some(Seed::Worth(page_score)) => *page_score,
            _ => parent.relevance,
        })
    }
}

impl Strategy for TopicTable {
    fn name(&self) -> &'static str {
        "table"
    }

    fn needs(&self) -> Needs {
        Needs {
            words: true,
            evidence: true,
            score_parts: true,
            seeds_first: true,
            rescoring: Rescoring {
                pages: self.settings.rescore_every,
                ..Rescoring::default()
            },
            ..Needs::default()
        }
    }

    fn seed(&self, _key: UrlKey, _seeds: usize) -> Rank {
        Rank::of_score(1.0)
    }

    fn score_page(&mut self, report: &PageReport<'_>) -> Option<PageScore> {
        let words = report.words?;
        let key = report.lease.key;
        if !report.lease.seed {
            // When a crawl is repeated from its records, `seeds_done` is not called.
            self.seeds_done();
        }
        if !report.lease.revisit {
            self.count(words);
            self.share(report.lease, words);
        }
        if !self.is_built && self.shared.is_some() {
            // A page that another node's seeds led here, before their words came: it says nothing about the topic.
            return report.lease.seed.then(|| PageScore {
                relevance: 1.0,
                ..PageScore::default()
            });
        }
        if !self.is_built {
            self.keep_seed(key, words);
            self.build();
            // The pages that the table is built from are on topic; how much so is known once it is built.
            return Some(PageScore {
                relevance: 1.0,
                ..PageScore::default()
            });
        }
        let (cosine, shared) = self
            .table
            .cosine(&self.counts, words.pairs(), self.settings.space);
        let genres = self.genre_scores(&self.counts, words);
        if let Some(shared) = &mut self.shared {
            shared.tell_scores(key, &genres);
        }
        self.keep_scores(key, genres);
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
        if !report.lease.revisit {
            self.grow(words, cosine);
        }
        Some(PageScore {
            relevance: cosine,
            parts: Parts {
                table: Some(cosine),
                terms,
                ..Parts::default()
            },
        })
    }

    fn observe(&mut self, report: &PageReport<'_>, out: &mut Updates) {
        // The score uses everything that is known, so a new one replaces the old one. Before the table is built,
        // every link has the same score, and a seed that is linked to must stay a seed.
        let merge = if self.is_built { Merge::Replace } else { Merge::Max };
        let nothing = Evidence::default();
        offer_each(report, merge, out, |_, link| {
            self.rank(link.evidence.as_deref().unwrap_or(&nothing))
        });
    }

    fn seeds_done(&mut self) {
        if !self.are_seeds_done {
            self.are_seeds_done = true;
            self.unsaved.state = true;
            self.build();
        }
    }

    fn epoch(&self) -> u64 {
        self.epoch
    }

    fn rescore(&mut self, waiting: &WaitingLink<'_>) -> Option<Rank> {
        let is_link = waiting.rank.class == LINKS;
        is_link.then(|| self.rank(waiting.evidence))
    }

    fn explain(&self, waiting: &WaitingLink<'_>) -> Vec<ScorePart> {
        if !self.is_built || waiting.rank.class != LINKS {
            return Vec::new();
        }
        self.parts(waiting.evidence).to_vec()
    }

    fn learnt(&self) -> Vec<(String, f64)> {
        let words = self.table.words().iter();
        let mut learnt: Vec<(String, f64)> = words
            .map(|word| (word.spelling.to_string(), word.weight))
            .collect();
        learnt.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        learnt
    }

    fn save_changes(&mut self, out: &mut StateDelta) {
        state::save(self, out);
    }

    fn restore(&mut self, saved: &[(String, Vec<u8>)]) -> Result<(), RestoreError> {
        state::restore(self, saved)
    }

    fn share_lessons(&mut self) {
        self.shared.get_or_insert_default().tell_all_seeds();
    }

    fn lessons(&mut self) -> Vec<u8> {
        self.shared.as_mut().map(Shared::lesson).unwrap_or_default()
    }

    fn hear_lessons(&mut self, lessons: &[u8]) -> Result<(), RestoreError> {
        self.hear(lessons).ok_or_else(shared::damaged)
    }

    fn lasting_lessons(&mut self) -> Vec<(String, Vec<u8>)> {
        self.shared.as_mut().map(Shared::untold_seeds).unwrap_or_default()
    }

    fn hear_lasting_lessons(&mut self, lessons: &[(String, Vec<u8>)]) -> Result<(), RestoreError> {
        let mut is_news = false;
        for (name, lesson) in lessons {
            is_news |= self.hear_seed(name, lesson).ok_or_else(shared::damaged)?;
        }
        if is_news {
            self.build();
        }
        Ok(())
    }
}

/// The heaviest words of the documents counted, spelled as in these.
fn heaviest_words(counts: &WordCounts, size: usize, documents: &BTreeMap<UrlKey, PageWords>) -> WeightTable {
    let mut spellings: BTreeMap<u64, Option<Arc<str>>> = counts
        .heaviest(size)
        .into_iter()
        .map(|(key, _)| (key, None))
        .collect();
    for word in documents.values().flat_map(PageWords::iter) {
        if let Some(spelling @ None) = spellings.get_mut(&word.hash) {
            *spelling = Some(word.spelling.into());
        }
    }
    WeightTable::heaviest(counts, size, |key| {
        // For seeds that had too many words to keep.
        spellings.remove(&key).flatten().unwrap_or_else(|| "…".into())
    })
}
