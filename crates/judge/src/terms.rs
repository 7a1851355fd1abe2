//! Terms from example pages: generating them, comparing lists of them, and counting how rare they are.
//!
//! A user who has a few pages of the kind wanted need not think up terms: [`generate`] counts the runs of one to three
//! words on pages of the genre and on relevant pages, and offers the most frequent ones; [`suggest`] finds what sets pages a
//! user liked apart from others. [`Overlap`] tells how much two
//! lists of terms have in common, and [`DocumentCounter`] in how many pages of a collection each term occurs.
//!
//! Invariant: what comes out depends on the set of pages only, not on their order, and each term offered tokenizes back
//! to the very words it was counted as, so a judge finds it where it was found.
//!
//! Deliberately absent: reading pages, writing topic files, and any taste in terms. The user picks.

mod documents;
mod fault;
mod generate;
mod overlap;
mod runs;
mod spelling;

pub use crate::terms::documents::{DocumentCounter, TermDocuments};
pub use crate::terms::fault::TermsFault;
pub use crate::terms::generate::{Candidate, Frequency, GenerateSettings, Generated, generate, suggest};
pub use crate::terms::overlap::Overlap;
pub use crate::terms::runs::{BackgroundCounts, MOST_WORDS, RunCounts};
