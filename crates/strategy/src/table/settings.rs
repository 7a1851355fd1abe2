//! What a weight table goes by.

use scenthound_types::named_enum;

use scenthound_learn::Space;

use super::link_words::LinkGenre;

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
    pub(super) fn of(self, worths: impl Iterator<Item = f64>) -> f64 {
        let (mut sum, mut best, mut count) = (0.0, 0.0_f64, 0_u32);
        for page_score in worths {
            sum += page_score;
            best = best.max(page_score);
            count += 1;
        }
        match self {
            ParentScore::Sum => sum,
            ParentScore::Mean => sum / f64::from(count.max(1)),
            ParentScore::Max => best,
        }
    }
}

/// What the strategy goes by.
#[derive(Clone, Debug)]
pub struct TableSettings {
    /// Words the table starts with.
    pub size: usize,
    /// A page that adds words adds this share of the starting size; 0 for a table that stays as it is.
    pub adds: f64,
    /// A page at least this similar to the table adds words.
    pub adds_from: f64,
    /// Words the table may grow to.
    pub ceiling: usize,
    /// Over which words a page's length runs when it is compared.
    pub space: Space,
    /// Weight of the topic's part of a link's score.
    pub topic_weight: f64,
    /// Weight of the genres' part.
    pub genre_weight: f64,
    /// What several parents are worth together.
    pub parents: ParentScore,
    /// Words whose documents are counted, at most.
    pub vocabulary: usize,
    /// The kinds of pages that are wanted; none for the topic alone.
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
            genres: Vec::new(),
        }
    }
}
