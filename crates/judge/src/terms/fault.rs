//! Why terms cannot be generated, compared or counted.

use thiserror::Error;

/// Why terms cannot be generated, compared or counted.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum TermsFault {
    /// There is nothing to generate terms from.
    #[error("no {role} pages with words in them: there is nothing to take terms from")]
    NoPages {
        /// `genre` or `relevant`.
        role: &'static str,
    },
    /// There is nothing to contrast with.
    #[error("no background pages with words in them: there is nothing to contrast with")]
    NoBackground,
    /// A list to compare is empty.
    #[error("an empty list of terms has nothing in common with any other")]
    EmptyList,
    /// The term is made of punctuation, or empty.
    #[error("the term {term:?} holds no word")]
    EmptyTerm {
        /// As it was spelled.
        term: String,
    },
}
