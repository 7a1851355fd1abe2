//! The settings of a weight table.

use scenthound_types::named_enum;

use scenthound_learn::Space;

use super::link_words::LinkGenre;
use crate::Rescoring;

named_enum! {
    /// How the scores of several pages that link to one URL are combined.
    #[derive(Default)]
    pub enum ParentScore {
        /// Their sum, as published. Pages that everything links to gather most of it.
        #[default]
        Sum = "sum",
        /// Their mean.
        Mean = "mean",
        /// The best of them.
        Max = "max",
    }
}

impl ParentScore {
    pub(super) fn of(self, scores: impl Iterator<Item = f64>) -> f64 {
        let (mut sum, mut best, mut count) = (0.0, 0.0_f64, 0_u32);
        for score in scores {
            sum += score;
            best = best.max(score);
            count += 1;
        }
        match self {
            ParentScore::Sum => sum,
            ParentScore::Mean => sum / f64::from(count.max(1)),
            ParentScore::Max => best,
        }
    }
}

/// The settings of the strategy.
#[derive(Clone, Debug)]
pub struct TableSettings {
    /// The number of words the table starts with.
    pub size: usize,
    /// The number of words a page adds, as a share of the starting size; 0 for a table that never grows.
    pub adds: f64,
    /// A page at least this similar to the table adds words.
    pub adds_from: f64,
    /// The number of words the table may grow to.
    pub ceiling: usize,
    /// Which words make up a page's length when it is compared.
    pub space: Space,
    /// Weight of the topic's part of a link's score.
    pub topic_weight: f64,
    /// Weight of the genres' part.
    pub genre_weight: f64,
    /// How the scores of several parents are combined.
    pub parents: ParentScore,
    /// The most words whose documents are counted.
    pub vocabulary: usize,
    /// When the table has grown, waiting links are scored again at most once per this many pages.
    pub rescore_every: u64,
    /// The wanted kinds of pages; none for the topic alone.
    pub genres: Vec<LinkGenre>,
}

impl Default for TableSettings {
    fn default() -> TableSettings {
        TableSettings {
            size: 50,
            adds: 0.0,
            adds_from: 0.6,
            ceiling: 1_000,
            space: Space::Union,
            topic_weight: 1.0,
            genre_weight: 1.0,
            parents: ParentScore::Sum,
            vocabulary: 200_000,
            rescore_every: Rescoring::default().pages,
            genres: Vec::new(),
        }
    }
}
