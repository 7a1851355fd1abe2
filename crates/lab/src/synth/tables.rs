//! How often a link leads to a relevant page, by the relevance and genre of the page it is on.
//!
//! The two built-in tables are those measured by Qian, Suebchua and Yamana for gaming and baseball.

use serde::{Deserialize, Serialize};

/// A row: one genre of source pages.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct GenreRow {
    /// The genre's name.
    pub genre: String,
    /// Share of the links of relevant pages of this genre that lead to relevant pages.
    pub relevant: f64,
    /// The same for irrelevant pages.
    pub irrelevant: f64,
}

/// Relevance of link targets by the source's relevance and genre. Relevant means having the first topic.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LinkTable {
    /// One row per genre.
    pub rows: Vec<GenreRow>,
    /// For genres without a row, relevant sources.
    pub all_relevant: f64,
    /// For genres without a row, irrelevant sources.
    pub all_irrelevant: f64,
}

/// A built-in table: rows of genre, relevant, irrelevant; then the row for all genres.
pub struct FixedTable {
    /// Genre, share for relevant and for irrelevant sources.
    pub rows: [(&'static str, f64, f64); 5],
    /// The shares for all genres together.
    pub all: (f64, f64),
}

/// Paper 2's table for gaming.
pub const GAMING: FixedTable = FixedTable {
    rows: [
        ("blog", 0.892, 0.109),
        ("image", 0.701, 0.027),
        ("news", 0.712, 0.023),
        ("video", 0.647, 0.003),
        ("other", 0.873, 0.011),
    ],
    all: (0.829, 0.019),
};

/// Paper 2's table for baseball.
pub const BASEBALL: FixedTable = FixedTable {
    rows: [
        ("blog", 0.764, 0.033),
        ("image", 0.367, 0.015),
        ("news", 0.527, 0.046),
        ("video", 0.695, 0.018),
        ("other", 0.236, 0.004),
    ],
    all: (0.576, 0.026),
};

impl FixedTable {
    /// The table as a setting.
    pub fn to_table(&self) -> LinkTable {
        LinkTable {
            rows: self
                .rows
                .iter()
                .map(|&(genre, relevant, irrelevant)| GenreRow {
                    genre: genre.to_owned(),
                    relevant,
                    irrelevant,
                })
                .collect(),
            all_relevant: self.all.0,
            all_irrelevant: self.all.1,
        }
    }
}

impl LinkTable {
    /// The share for relevant and for irrelevant sources of a genre.
    pub fn of(&self, genre: &str) -> (f64, f64) {
        self.rows
            .iter()
            .find(|row| row.genre == genre)
            .map_or((self.all_relevant, self.all_irrelevant), |row| {
                (row.relevant, row.irrelevant)
            })
    }
}
