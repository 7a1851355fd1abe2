//! Crawls without a network: a hand-written, recorded or synthetic web, and a clock that only the crawl advances.
//!
//! [`replay`] drives the same state machine as the live crawler, with the same parser, judge and strategy, but responses
//! come from a [`TestSite`] and time is a number. So a crawl that would take a night under politeness takes a moment, and the
//! same seed, web and settings give the same journal, byte for byte.
//!
//! [`Lab`] is for many crawls: it opens webs and their tasks as [`Trial`]s, compares strategies and judges on them, tunes
//! settings and repeats the experiments of the papers.
//!
//! Deliberately absent: real clocks, sockets and printing. The program that uses [`Lab`] may pass in a clock, and receives
//! [`LabEvent`]s about what happens.

mod answer;
mod archive_site;
mod background;
mod batch;
mod bound;
mod compare;
mod conditions;
mod error;
mod experiment;
mod genres;
mod journal;
mod judges;
mod labelled_pages;
mod layers;
pub mod learn_scent;
mod nodes;
mod opinion;
pub mod pig;
mod reach;
pub mod recorded;
mod replay;
mod runs;
mod score;
mod session;
mod spec;
mod stemmed;
mod stops;
pub mod synth;
mod synthetic;
mod top;
mod topic;
mod trained;
mod trial;
mod tune;
mod web;
mod web_answers;
mod web_links;
mod webs;
mod word_vectors;

pub use archive_site::ArchiveSite;
pub use batch::{Batch, Job, Shortfall, Watcher, combine};
pub use bound::greedy_order;
pub use compare::{CompareSettings, Comparison};
pub use conditions::Conditions;
pub use error::LabError;
pub use experiment::{ExperimentSettings, PLANS, Plan};
pub use journal::{Journal, PageRead};
pub use judges::{Examples, JudgeFigures, JudgesReport, JudgesRow, JudgesSettings, Seen, Source, SourceSpec};
pub use labelled_pages::{LabelledFound, LabelledPages};
pub use layers::back_links;
pub use nodes::{NodeParts, NodeSettings, crawl_web_on_nodes};
pub use opinion::{CachedJudge, DirectJudge, Opinion, PageJudge, Truth};
pub use reach::reachable;
pub use replay::{LabSettings, Run, crawl_web, replay, replay_agents};
pub use runs::NamedJudge;
pub use scenthound_testweb::TestSite;
pub use score::{CrawlScore, RANKS_TOGETHER, RankedBy, Targets, Verdicts, f1_by_threshold, share_by_rank};
pub use session::{Lab, LabEvent, LabOptions};
pub use spec::{JudgeSpec, LabJudge, LabStrategy, StrategySpec};
pub use stops::{Stop, found_within, stop_of};
pub use synthetic::Synthetic;
pub use top::{TopPage, TopResults};
pub use topic::TopicFault;
pub use trial::{LabBudget, Outcome, Trial};
pub use tune::{Axis, HeldOutTask, Objective, TriedSetting, TuneSettings, Tuning};
pub use web::{LinkText, Links, Reply, Web};
pub use web_links::WebLinks;
pub use webs::{synthetic, synthetic_name, synthetic_settings};
pub use word_vectors::read_word_vectors;
