//! Why terms cannot be generated, compared or counted.

use thiserror::Error;

/// Why terms cannot be generated, compared or counted.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum TermsFault {
    /// There is nothing to generate terms from.
    #[error("no {role} pages contain words, so there is nothing to take terms from")]
    NoPages {
        /// `genre` or `relevant`.
        role: &'static str,
    },
    /// There is nothing to contrast with.
    #[error("no background pages contain words, so there is nothing to contrast with")]
    NoBackground,
    /// A list to compare is empty.
    #[error("a list of terms is empty, so there is nothing to compare")]
    EmptyList,
    /// The term is empty or consists of punctuation only.
    #[error("the term {term:?} contains no words")]
    EmptyTerm {
        /// As spelled by the user.
        term: String,
    },
}
