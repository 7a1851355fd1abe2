//! The crawl as a synchronous state machine.
//!
//! A driver asks [`Crawl::next`] what to fetch, has each response processed on any thread by a [`PageProcessor`], and
//! passes the result to [`Crawl::settle`]; from time to time it calls [`Crawl::commit`]. The live driver does this with
//! sockets and a clock, the lab with recorded webs and virtual time. The same seed, web and settings give the same journal.
//!
//! **Invariant:** every lease ends in exactly one settle or is handed back unused, and a settled page, its records and all
//! its updates become durable together.
//!
//! Deliberately absent: clocks, sockets, threads, files. Time arrives with each call, records leave through a
//! [`Recorder`].

mod access;
mod agents;
mod assign_seeds;
mod crawl;
mod duplicates;
mod layer_trainer;
mod lease_result;
mod near_duplicates;
mod outlook;
mod page_processor;
mod recorder;
mod retry_policy;
mod scope;
mod tally;
mod traps;

use scenthound_frontier::FrontierError;
use scenthound_judge::JudgeFault;
use scenthound_strategy::RestoreError;
use thiserror::Error;

pub use access::{Access, PRODUCT_TOKEN, find_rules, leads_elsewhere, read_rules};
pub use agents::{Agent, AgentFacts, AgentRules, AgentState, learnt_under, needs_of};
pub use assign_seeds::{Assignment, SeedAssignment, assign_seeds};
pub use crawl::{
    Budget, Crawl, CrawlSettings, CrawlSteering, FLUSHED_MARK, MARK, Pupil, RANKED, SitemapUse, Step,
    StopReason, UNRANKED, keep_lessons, lesson_name, requisites_stack, saved_lessons,
};
pub use layer_trainer::LayerModelTrainer;
pub use lease_result::{Found, FoundLink, LeaseResult, ProcessedPage, ResponseFacts, SitemapFinds};
pub use near_duplicates::NearDuplicates;
pub use outlook::{
    BreadthFirst, Enough, Estimate, FoundAt, LOOK_EVERY, Outlook, StopRules, StopWatch, share,
};
pub use page_processor::{
    LinkOpinion, LinkScorer, PageProcessor, PageRules, PageSettings, Response, link_evidence, link_place,
    link_tokens, page_words,
};
pub use recorder::{Recorder, Visit};
pub use scope::{OutOfScope, Scope, ScopeKind};
pub use tally::Tally;
pub use traps::{TrapRules, repeats_itself};

/// Why a crawl cannot go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CrawlError {
    /// The frontier failed.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    /// The records could not be written.
    #[error("could not write the records of the crawl")]
    Record(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The strategy could not restore its saved state.
    #[error(transparent)]
    Restore(#[from] RestoreError),
    /// The judge could not restore what it had learnt.
    #[error(transparent)]
    Judge(#[from] JudgeFault),
    /// The crawl's own saved counts could not be read.
    #[error("the saved counts of the crawl are damaged: {what}")]
    Damaged {
        /// What was found.
        what: String,
    },
}
