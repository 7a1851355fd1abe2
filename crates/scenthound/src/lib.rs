//! A focused web crawler to embed in other programs.
//!
//! A [`Crawler`] crawls for a [`Topic`] and keeps what it finds in a folder; a [`Collection`] reads that folder, even while the
//! crawl runs. Your own [`Judge`] and [`Strategy`] plug in without touching our crates.
//!
//! ```no_run
//! use scenthound::{Collection, Crawler, Topic};
//!
//! Crawler::builder()
//!     .topic(Topic::words("loose leaf tea"))
//!     .seeds(["https://example.org/tea/"])
//!     .folder("tea")
//!     .max_pages(500)
//!     .build()?
//!     .run()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This crate exports what users need and nothing else. The crates below it (`scenthound-engine`, `scenthound-frontier`, …) may
//! change at any time.
//!
//! Deliberately absent: printing and arguments, which belong to the binary, and decisions about URLs, which belong to the engine.

mod collection;
mod crawler;
mod event;
mod examples;
pub mod fetch_now;
mod gather;
pub mod graph;
pub mod inputs;
pub mod judging;
mod kept_files;
mod live;
mod rejudge;
mod repair;
pub mod seeds;
mod snapshot;
mod steering;
mod stored_page;
pub mod terms;
mod topic;
pub mod train;

pub use collection::{
    AgentStatus, Budget, BudgetMet, Budgets, CashFlow, CashSource, Collection, CollectionError, CrawlState,
    Explanation, Facet, FiguresFrom, FoldedPage, Folding, HostFigures, HostInQueue, KnownVariant, MarkCounts,
    NotRead, OutsideScope, Overview, Pages, PathStep, Quadrant, QuadrantThresholds, QueueFacts, QueueFigures,
    QueueUnknown, RankBy, RankSettings, RankedPage, RankedPages, Ranking, RankingCounts, RobotsAnswer,
    Status, StatusFile, StatusReport, Unmatched, UnreadableLines, UrlStanding, Warning, WhyNotRead, is_genre,
    now, page_id,
};
pub use crawler::{
    Crawler, CrawlerBuilder, CrawlerError, RunningCrawl, StopHandle, check_settings, check_topic_settings,
    earlier_settings,
};
pub use event::{Event, HostState, Progress};
pub use examples::ExampleCounts;
pub use gather::{GatherError, Gathered, gather, gathered_from, nodes_in, read_as_one, refresh};
pub use live::{LiveBuildError, live_settings};
pub use rejudge::{NodesRejudged, NodesRejudgement, RejudgeError, Rejudgement, SuggestedThreshold, nodes_of};
pub use repair::repair;
pub use scenthound_cluster::{
    Console, Idle, MOST_SHARDS, NodeFacts, Overview as ClusterOverview, RedisFault, SHARDS,
};
pub use snapshot::{SnapshotError, snapshot};
pub use stored_page::{main_text_of_response, page_of_response};
pub use topic::Topic;

pub use scenthound_config::{Change, Faults, Given, IpNet, Settings, Spec};
pub use scenthound_engine::{StopReason, Tally};
pub use scenthound_judge::{Judge, JudgeKind, TermJudge, TermSettings};
pub use scenthound_live::{Ended, LiveEvent, LiveSettings, Rejudged, Snapshot, Summary};
pub use scenthound_store::PageRecord;
pub use scenthound_strategy::{
    BestFirst, BreadthFirst, Fish, Genre, LinkContext, Needs, Opic, Otie, Random, Shark, Siblings, Strategy,
    StrategyKind,
};
pub use scenthound_types::{
    CanonicalUrl, Judgement, LinkPlace, Merge, Offer, Outcome, PageReport, ParsedPage, Parts, Rank,
    ReportedLink, Standing, Token, Update, Updates, UrlKey, Verdict,
};

/// Compiles the program in the README, so that it cannot go stale.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
