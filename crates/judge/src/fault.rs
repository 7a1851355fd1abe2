//! Why a judge cannot be made.

use std::path::PathBuf;

use scenthound_learn::{LearnFault, ModelFileFault};
use thiserror::Error;

/// Why a judge, or a table it needs, cannot be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum JudgeFault {
    /// There is nothing to compare a page with.
    #[error("no genre, content or URL terms: a page has nothing to be compared with")]
    NoTerms,
    /// The term is made of punctuation, or empty.
    #[error("the term {term:?} holds no word")]
    EmptyTerm {
        /// As the topic spells it.
        term: String,
    },
    /// A weight is negative, absurd or not a number.
    #[error("the {name} weight is {value}; it must be a number from 0 to 1000000")]
    Weight {
        /// Which one.
        name: &'static str,
        /// What it is.
        value: f64,
    },
    /// Every set that has terms has weight 0.
    #[error("every set of terms that is given has weight 0")]
    NoWeight,
    /// The threshold can never be met or never be missed.
    #[error("the threshold is {value}; it must be a number from 0 to 1")]
    Threshold {
        /// What it is.
        value: f64,
    },
    /// Zero exclude words would exclude every page.
    #[error("a page cannot be excluded for 0 exclude words; 1 is the least")]
    ExcludeAt,
    /// The table counts a term in more documents than there are, or has no document.
    #[error("an idf table over {documents} documents cannot count {term:?} in {count} of them")]
    IdfCount {
        /// How many documents the table was made from.
        documents: u64,
        /// The term.
        term: String,
        /// In how many documents it occurs.
        count: u64,
    },
    /// The table was made from nothing.
    #[error("an idf table over no documents says nothing")]
    IdfEmpty,
    /// The file cannot be read or written.
    #[error("idf table {path}", path = path.display())]
    IdfFile {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: std::io::Error,
    },
    /// The file is no idf table.
    #[error("idf table {path} is not of the form {{\"documents\": 10, \"terms\": {{\"tea\": 3}}}}", path = path.display())]
    IdfFormat {
        /// The file.
        path: PathBuf,
        /// Where it goes wrong.
        source: serde_json::Error,
    },
    /// A list of genre words that cannot be read.
    #[error("{list}:{line}: {what}")]
    GenreWords {
        /// The list.
        list: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// Example pages without a word.
    #[error("the example pages hold no words: there is nothing to make a table of")]
    NoWords,
    /// Too few pages to learn from.
    #[error(
        "{positive} pages of the kind wanted and {negative} others are too few to learn from; at least 2 of each are needed"
    )]
    TooFewExamples {
        /// Pages of the kind wanted.
        positive: usize,
        /// Others.
        negative: usize,
    },
    /// A context graph without layers, or with more than are of use.
    #[error("{layers} layers; a context graph has from 1 to {most}")]
    Layers {
        /// How many were asked for.
        layers: u8,
        /// How many there can be.
        most: u8,
    },
    /// The pages given cannot be told apart, or a setting is wrong.
    #[error("the judge cannot be trained")]
    Learn(#[from] LearnFault),
    /// The model file cannot be used.
    #[error(transparent)]
    Model(#[from] ModelFileFault),
}
