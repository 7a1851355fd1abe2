//! Terms from example pages: generating them, comparing lists of them, and counting how rare they are.
//!
//! A user who has a few example pages need not think up terms. [`generate`] counts runs of one to three words on
//! pages of the genre and on relevant pages, and proposes the most frequent ones. [`suggest`] finds what sets the
//! pages a user liked apart from others. [`Overlap`] measures how much two lists of terms have in common, and
//! [`DocumentCounter`] counts the pages of a collection that contain each term.
//!
//! Invariant: the result depends only on the set of pages, not on their order. Each proposed term tokenizes back to
//! exactly the words it was counted as, so a judge finds it where it was found here.
//!
//! Deliberately absent: reading pages, writing topic files, and any preference among terms. The user picks.

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
