//! The vocabulary of Scenthound, as types.
//!
//! One type per stage of a page's path through a crawl: a strategy makes an [`Offer`], the frontier turns it into a
//! [`Lease`], fetching into an [`Outcome`], parsing into a [`ParsedPage`] and judging into a [`Judgement`]. The
//! strategy reads all of that in a [`PageReport`] and answers with [`Update`]s. docs/glossary.md explains each term.
//!
//! Deliberately absent: I/O, clocks and randomness. Time arrives as a [`Timestamp`].

mod archive_format;
mod content_type;
mod evidence;
mod genres;
mod hints;
mod host;
mod judgement;
mod key;
mod lease;
mod named;
mod outcome;
mod page;
mod priority;
mod report;
mod requisite;
mod rng;
mod state;
pub mod text;
mod time;
mod update;
mod url;
mod word_list;

pub use text::{Language, Text, Token, TokenRange};

pub use crate::archive_format::ArchiveFormat;
pub use crate::content_type::{DocumentKind, Documents, Readable, looks_like_text, media_type};
pub use crate::evidence::{Evidence, LinkTokens, PageWord, PageWords, ParentPage, WaitingLink};
pub use crate::genres::GENRES;
pub use crate::hints::{Hint, PageHints};
pub use crate::host::{host_owner, network_of, registrable_domain};
pub use crate::judgement::{GenreGuess, Judgement, Nearness, Parts, TermHit, TermSet, Verdict};
pub use crate::key::{Keyring, UrlKey};
pub use crate::lease::{AgentId, Lease, LeaseId, LeaseKind};
pub use crate::outcome::{Failure, Outcome, OutcomeCode, Refusal, Truncation};
pub use crate::page::{
    Link, LinkSource, LinkUrlWords, LinkWords, MainWords, PageDirectives, PageNote, ParsedPage, Rel,
    SkippedLinks, TagCounts, Unread, UrlWords,
};
pub use crate::priority::{Priority, Rank, Score};
pub use crate::report::{LinkPlace, PageReport, ReportedLink, ScorePart, SnippetScores, Standing};
pub use crate::requisite::{Requisite, RequisiteKind};
pub use crate::rng::Rng;
pub use crate::state::StateDelta;
pub use crate::time::Timestamp;
pub use crate::update::{Merge, Offer, Parents, Reason, Update, Updates};
pub use crate::url::{CanonicalUrl, UrlFault};
pub use crate::word_list::{WordListFault, WordListLine, read_word_list};
