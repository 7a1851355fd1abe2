//! Why a judge cannot be built.

use std::path::PathBuf;

use scenthound_learn::{LearnFault, ModelFileFault};
use scenthound_types::WordListFault;
use thiserror::Error;

/// Why a judge, or a table it needs, cannot be built.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum JudgeFault {
    /// There is nothing to compare a page with.
    #[error("no genre, content or URL terms are given, so there is nothing to compare pages with")]
    NoTerms,
    /// The term is empty or consists of punctuation only.
    #[error("the term {term:?} contains no words")]
    EmptyTerm {
        /// As the topic spells it.
        term: String,
    },
    /// A weight is negative, absurd or not a number.
    #[error("the {name} weight is {value}; it must be a number from 0 to 1000000")]
    Weight {
        /// Which one.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// Every set that has terms has weight 0.
    #[error("every set of terms given has weight 0; at least one must count")]
    NoWeight,
    /// The threshold can never be met, or never be missed.
    #[error("the threshold is {value}; it must be a number from 0 to 1")]
    Threshold {
        /// Its value.
        value: f64,
    },
    /// A minimum of zero exclude words would exclude every page.
    #[error(
        "the minimum number of exclude words is 0, which would exclude every page; it must be at least 1"
    )]
    ExcludeAt,
    /// The table counts a term in more documents than there are, or has no documents.
    #[error("the idf table has {documents} documents but counts {term:?} in {count} of them")]
    IdfCount {
        /// How many documents the table was built from.
        documents: u64,
        /// The term.
        term: String,
        /// The number of documents it occurs in.
        count: u64,
    },
    /// The table was built from nothing.
    #[error("the idf table has no documents; build it from at least one")]
    IdfEmpty,
    /// The file could not be read or written.
    #[error("idf table {path}", path = path.display())]
    IdfFile {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: std::io::Error,
    },
    /// The file is not an idf table.
    #[error("idf table {path} is not of the form {{\"documents\": 10, \"terms\": {{\"tea\": 3}}}}", path = path.display())]
    IdfFormat {
        /// The file.
        path: PathBuf,
        /// Where it goes wrong.
        source: serde_json::Error,
    },
    /// A list of genre words that could not be read.
    #[error(transparent)]
    GenreWords(#[from] WordListFault),
    /// Example pages without words.
    #[error("the example pages contain no words, so there is nothing to build a table from")]
    NoWords,
    /// Too few pages to learn from.
    #[error(
        "{positive} relevant and {negative} other pages are too few to learn from; at least 2 of each are needed"
    )]
    TooFewExamples {
        /// Relevant pages.
        positive: usize,
        /// Others.
        negative: usize,
    },
    /// A context graph without layers, or with too many.
    #[error("{layers} layers are not possible; a context graph has from 1 to {most}")]
    Layers {
        /// How many were asked for.
        layers: u8,
        /// How many are possible.
        most: u8,
    },
    /// The given pages cannot be told apart, or a setting is wrong.
    #[error("the judge could not be trained")]
    Learn(#[from] LearnFault),
    /// What a learning judge had saved cannot be read.
    #[error("what the judge had learnt is damaged: {name}")]
    Saved {
        /// The part.
        name: String,
    },
    /// The model file cannot be used.
    #[error(transparent)]
    Model(#[from] ModelFileFault),
}

impl JudgeFault {
    /// Whether other terms, settings or pages would help, rather than another disk.
    pub fn is_bad_input(&self) -> bool {
        !matches!(
            self,
            JudgeFault::IdfFile { .. } | JudgeFault::Model(_) | JudgeFault::Saved { .. }
        )
    }
}
