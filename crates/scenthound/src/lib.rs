//! A focused web crawler to embed in other programs.

mod collection;
pub mod fetch_now;
pub mod graph;
pub mod inputs;
mod live;
pub mod seeds;
mod stored_page;
pub mod terms;
pub mod train;

pub use collection::{
    AgentStatus, CashFlow, CashSource, Collection, CollectionError, CrawlState, Explanation, FiguresFrom,
    KnownVariant, MarkCounts, NearDuplicates, NotRead, OutsideScope, Pages, PathStep, Quadrant,
    QuadrantThresholds, QueueFacts, QueueUnknown, RankBy, RankSettings, RankedPage, RankedPages, Ranking,
    RankingCounts, RobotsAnswer, Status, StatusFile, UnreadableLines, UrlStanding, Warning, WhyNotRead,
};
pub use live::{LiveBuildError, live_settings};
pub use scenthound_store::PageRecord;
pub use scenthound_types::{CanonicalUrl, Verdict};
pub use stored_page::page_of_response;
