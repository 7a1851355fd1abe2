//! What a judged page means for the URLs around it.
//!
//! A strategy reads one report at a time and answers with updates: plain data that the frontier applies. It cannot
//! tell whether it is crawling the live web or a recorded one.
//!
//! Deliberately absent: clocks, randomness, sockets, and any handle on the frontier. What belongs to a single URL
//! (its score, its cash) is kept by the frontier; a strategy keeps only what it has learnt.

mod ache;
mod bandit;
mod best;
mod breadth;
mod context;
mod genre;
mod kind;
mod layered;
mod opic;
mod otie;
mod pig;
mod revisits;
mod scent;
mod self_taught;
mod shark;
mod siblings;
mod table;
#[cfg(test)]
mod trial;
mod tunnel;

use scenthound_types::{
    Merge, Offer, PageReport, Parts, Rank, ReportedLink, ScorePart, StateDelta, Update, Updates, UrlKey,
    WaitingLink,
};
use thiserror::Error;

pub use ache::Ache;
pub use bandit::Bandit;
pub use best::BestFirst;
pub use breadth::{BreadthFirst, Random};
pub use context::LinkContext;
pub use genre::{Genre, GenreSettings};
pub use kind::StrategyKind;
pub use layered::{ContextGraph, Layered, Placing, Queue, Queues};
pub use opic::Opic;
pub use otie::{Otie, OtieSettings};
pub use pig::{Leads, LinkClass, PigError, PigTable};
pub use scent::{PriorError, Scent, ScentLog, ScentParts, ScentPrior, ScentSettings, ScentVisit};
pub use self_taught::{LayerReader, LayerTrainer, LearnFrom, SelfTaught, SelfTaughtSettings, TrainingPage};
pub use shark::{Fish, Shark};
pub use siblings::{Pull, Siblings, Ties};
pub use table::{LinkGenre, LinkWords, ParentScore, TableSettings, TopicTable};
pub use tunnel::Tunnel;

/// How waiting links are scored again when [`Strategy::epoch`] has moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rescoring {
    /// An epoch opens at most once per this many pages.
    pub pages: u64,
    /// At most this many links are scored again after each page.
    pub links: usize,
    /// Whether an epoch opens only when all links of the last one have been scored again. Otherwise scoring starts
    /// over.
    pub completes: bool,
}

impl Default for Rescoring {
    fn default() -> Rescoring {
        Rescoring {
            pages: 100,
            links: 1_000,
            completes: false,
        }
    }
}

/// What a strategy needs in its reports. It declares this once.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Needs {
    /// Scores of each link's anchor, surroundings and URL.
    pub snippets: bool,
    /// Where each link belongs in a context graph.
    pub places: bool,
    /// The words of each page.
    pub words: bool,
    /// What is known about each link's target, from all links to it seen so far; kept while it waits.
    pub evidence: bool,
    /// Whether what the score of a page is made of ([`Strategy::explain`]) is recorded with the page.
    pub score_parts: bool,
    /// The elements each link stands in. The lab then has to read every page, where links alone would do.
    pub paths: bool,
    /// The words at each link, and the strategy's own notes about waiting URLs.
    pub notes: bool,
    /// Whether [`Strategy::pick`] must be asked before each lease. URLs are then leased one by one.
    pub picks: bool,
    /// With a page budget: how much better a link must score than the best one that may be fetched now, for the crawl to wait
    /// for its host instead.
    pub hold_back: Option<f64>,
    /// The least score of a link that is fetched because it has waited longest.
    pub oldest_from: Option<f64>,
    /// Whether every seed must be read before any link is followed.
    pub seeds_first: bool,
    /// Whether the frontier must know every fetched page that links to a URL, not only the first.
    pub all_parents: bool,
    /// Whether it raises the siblings of pages. Where several frontiers share a crawl, they then tell each other about them.
    pub siblings: bool,
    /// What happens to the rank of a redirect whose target is already waiting.
    pub redirects: Merge,
    /// How waiting links are scored again.
    pub rescoring: Rescoring,
    /// How many URLs to draw at a time if the user does not say; 0 for one by one.
    pub list_size: usize,
}

impl Default for Needs {
    fn default() -> Needs {
        Needs {
            snippets: false,
            places: false,
            words: false,
            evidence: false,
            score_parts: false,
            paths: false,
            notes: false,
            picks: false,
            hold_back: None,
            oldest_from: None,
            seeds_first: false,
            all_parents: false,
            siblings: false,
            redirects: Merge::Max,
            rescoring: Rescoring::default(),
            list_size: 0,
        }
    }
}

/// Saved state that cannot be restored.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// It is not what this strategy writes.
    #[error("the saved state of strategy {strategy} is damaged: {what}")]
    Damaged {
        /// The strategy.
        strategy: &'static str,
        /// What was found.
        what: String,
    },
    /// Another version of this program wrote it.
    #[error(
        "the saved state of strategy {strategy} is from another version of this program; go on with that version, \
         or start a new crawl in another folder"
    )]
    OtherVersion {
        /// The strategy.
        strategy: &'static str,
    },
}

/// A strategy's score for a page, based on what it has learnt.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PageScore {
    /// From 0 to 1.
    pub relevance: f64,
    /// What the score is made of.
    pub parts: Parts,
}

/// Which of the waiting URLs a strategy wants next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Pick {
    /// The best.
    #[default]
    Best,
    /// The one that has waited longest.
    Oldest,
}

/// Turns reports into updates.
pub trait Strategy: Send {
    /// The name it is selected by.
    fn name(&self) -> &'static str;

    /// What it needs in its reports.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// The rank of a seed, one of `seeds`.
    fn seed(&self, key: UrlKey, seeds: usize) -> Rank;

    /// Receives how a lease for a page or a sitemap ended, including failures, and says what should change.
    fn observe(&mut self, report: &PageReport<'_>, out: &mut Updates);

    /// The score of a page, based on what was learnt so far. Called once for each page that was read, before it is
    /// observed. Links carry it as the score of their parent, and it becomes the page's relevance if the user lets
    /// the strategy judge. The report's links have no evidence yet.
    fn score_page(&mut self, _report: &PageReport<'_>) -> Option<PageScore> {
        None
    }

    /// Which URL to lease next. A strategy that always wants the best one leaves this alone.
    fn pick(&self) -> Pick {
        Pick::Best
    }

    /// Called for each page that is leased, with how it was picked.
    fn leased(&mut self, _key: UrlKey, _pick: Pick) {}

    /// Called once all seeds have been read or given up, for strategies that need `seeds_first`.
    fn seeds_done(&mut self) {}

    /// How often the model changed so much that waiting links should be scored again.
    fn epoch(&self) -> u64 {
        0
    }

    /// The new rank of a link that was scored in an earlier epoch; none to leave it as it is.
    fn rescore(&mut self, _waiting: &WaitingLink<'_>) -> Option<Rank> {
        None
    }

    /// What the score of a waiting link is made of, for people; empty from strategies whose scores have no parts.
    fn explain(&self, _waiting: &WaitingLink<'_>) -> Vec<ScorePart> {
        Vec::new()
    }

    /// What was learnt, for people: words and their weights, the largest weight first.
    fn learnt(&self) -> Vec<(String, f64)> {
        Vec::new()
    }

    /// Stores what changed since the last call, so that it can be restored. Written with the page that changed it.
    fn save_changes(&mut self, _out: &mut StateDelta) {}

    /// Restores what was saved, by name.
    fn restore(&mut self, _saved: &[(String, Vec<u8>)]) -> Result<(), RestoreError> {
        Ok(())
    }

    /// Keeps what it learns from now on for other nodes of the same crawl.
    fn share_lessons(&mut self) {}

    /// What it has learnt from its own pages since the last call, for other nodes; empty from a strategy that has nothing to say
    /// to them.
    fn lessons(&mut self) -> Vec<u8> {
        Vec::new()
    }

    /// Learns from the lessons of another node.
    fn hear_lessons(&mut self, _lessons: &[u8]) -> Result<(), RestoreError> {
        Ok(())
    }

    /// What every node must know, however late it joins: a few values by name, since the last call. They are kept for as long as the
    /// crawl, so only a strategy that cannot do without them has any. The same name is always told with the same value.
    fn lasting_lessons(&mut self) -> Vec<(String, Vec<u8>)> {
        Vec::new()
    }

    /// Learns lasting lessons; some may be its own, or heard before.
    fn hear_lasting_lessons(&mut self, _lessons: &[(String, Vec<u8>)]) -> Result<(), RestoreError> {
        Ok(())
    }
}

/// Offers every link of the report with the rank computed for it.
fn offer_links(
    report: &PageReport<'_>,
    merge: Merge,
    out: &mut Updates,
    mut rank: impl FnMut(UrlKey) -> Rank,
) {
    offer_each(report, merge, out, |_, link| rank(link.key));
}

/// Offers every link of the report with the rank computed from its position on the page and what is known about it.
fn offer_each(
    report: &PageReport<'_>,
    merge: Merge,
    out: &mut Updates,
    mut rank: impl FnMut(usize, &ReportedLink) -> Rank,
) {
    out.extend(report.links.iter().enumerate().map(|(place, link)| {
        Update::Offer(Offer {
            url: link.url.clone(),
            key: link.key,
            rank: rank(place, link),
            merge,
        })
    }));
}

/// Used instead of a random number: keys are hashes that depend on the crawl's seed.
fn random_tie(key: UrlKey) -> u32 {
    // Not the key's own bits, which also determine the order of hash tables.
    (key.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}
