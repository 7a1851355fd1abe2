//! Why a page was judged as it was, how the crawl reached it, and why a URL was not fetched.
//!
//! What has happened is in the page records, which can be read at any time. What may still happen (the queue, hosts that
//! rest) is in the frontier, which cannot be read while a crawl is running; the explanation then says so.

mod access;
mod history;
mod variants;

use std::collections::BTreeSet;

use scenthound_config::Settings;
use scenthound_engine::{Access, learnt_under};
use scenthound_frontier::{State, UrlFacts, UrlId};
use scenthound_frontier_durable::{Peek, Peeked};
use scenthound_judge::JudgeKind;
use scenthound_store::{PageRecord, Via};
use scenthound_strategy::{PigTable, Queue, StrategyKind};
use scenthound_types::{
    AgentId, CanonicalUrl, Keyring, LeaseKind, OutcomeCode, Reason, ScorePart, Timestamp, Verdict,
    WaitingLink,
};
use serde::Serialize;

pub use access::{OutsideScope, RobotsAnswer};
pub use variants::KnownVariant;

use super::cash::CashFlow;
use super::{BudgetMet, Budgets, Collection, CollectionError, StatusFile, Warning, now};
use access::{archived_robots, outside_scope};
use history::{Details, History};

/// What has become of a URL.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum UrlStanding {
    /// It was read, and judged if it is a page.
    Fetched,
    /// It redirects to another URL.
    Redirected,
    /// The crawl declined to fetch it.
    Refused,
    /// It could not be fetched and will not be tried again.
    Failed,
    /// It could not be fetched and will be tried again.
    Retrying,
    /// It is in the queue.
    Waiting,
    /// It is outside the scope of the crawl.
    OutOfScope,
    /// The crawl has never seen it.
    NeverSeen,
    /// It was not fetched. Whether it waits is unknown, because the frontier could not be read.
    NotFetched,
}

/// A page on the path from a seed.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PathStep {
    /// The page.
    pub url: String,
    /// How many links it is away from a seed.
    pub depth: u16,
    /// How relevant it is, if it was judged.
    pub relevance: Option<f64>,
    /// The outcome of the attempt.
    pub outcome: OutcomeCode,
    /// What was requested: a page or a sitemap.
    pub kind: LeaseKind,
    /// How it was found.
    pub via: Via,
    /// The class of the queue it was taken from.
    pub class: Option<u16>,
    /// The queue that the class stands for, if the strategy has one per layer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer_queue: Option<Queue>,
    /// The score it was taken with.
    pub score: Option<f64>,
}

/// What the frontier knows about a URL in the queue, and about its host.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct QueueFacts {
    /// The class of its priority; lower classes come first.
    pub class: u16,
    /// The score of its priority; within a class, higher scores come first.
    pub score: f64,
    /// The queue that the class stands for, if the strategy has one per layer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer_queue: Option<Queue>,
    /// Breaks ties between equal scores.
    pub tie: u32,
    /// Its number in the order URLs were found, which breaks the ties that are left.
    pub age: u32,
    /// How it got into the queue.
    pub reason: Reason,
    /// How many links it is away from a seed.
    pub depth: u16,
    /// The page that first led to it.
    pub parent: Option<String>,
    /// How many URLs wait in all.
    pub waiting: u64,
    /// When its host may be asked again, in UTC; `None` if it may be asked now.
    pub host_rests_until: Option<String>,
    /// How often in a row its host has failed.
    pub host_failures: u16,
    /// Page requests to its host so far.
    pub host_pages: u32,
    /// Whether its host has reached the limit of pages per host.
    pub host_is_full: bool,
}

/// Why nothing is known about the queue.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "reason")]
pub enum QueueUnknown {
    /// A crawl is running, and only it can see its frontier.
    Crawling {
        /// The process; 0 if its number is unknown.
        pid: u32,
    },
    /// The settings of the crawl could not be read.
    NoSettings,
    /// The frontier could not be opened.
    Unreadable {
        /// What went wrong.
        message: String,
    },
}

/// Everything known about a URL.
#[derive(Debug, Serialize)]
pub struct Explanation {
    /// The URL.
    pub url: String,
    /// What has become of it.
    pub standing: UrlStanding,
    /// The least relevance of a relevant page; `None` for judges that decide otherwise.
    pub threshold: Option<f64>,
    /// Whether pages are judged by what the strategy has learnt.
    #[serde(skip)]
    pub strategy_judges: bool,
    /// The user's own verdict, if there is one.
    pub mark: Option<Verdict>,
    /// The pages from the seed to the URL, or to its parent if the URL has not been tried yet.
    pub path: Vec<PathStep>,
    /// Its place in the queue, if it is there.
    pub queue: Option<QueueFacts>,
    /// What its score is made of, or was when it was fetched, if the strategy can say so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub score_parts: Vec<ScorePart>,
    /// Where its cash came from, if the strategy uses cash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cash: Option<CashFlow>,
    /// Why nothing is known about the queue.
    pub queue_unknown: Option<QueueUnknown>,
    /// What the robots.txt of its host says about it, if that is known.
    pub robots: Option<RobotsAnswer>,
    /// The latest attempt at the robots.txt of its host, if it failed in a way that closes the host: until one succeeds, nothing is
    /// fetched from there. A missing file (404) is no such failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robots_failed: Option<PageRecord>,
    /// The budgets that the crawl has used up, so that nothing in the queue is fetched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub budgets_met: Vec<BudgetMet>,
    /// Whether the crawl ignores robots.txt files.
    pub robots_ignored: bool,
    /// The rule that excludes it from the crawl, if there is one.
    pub out_of_scope: Option<OutsideScope>,
    /// URLs that redirect to it; the first ten.
    pub redirected_from: Vec<String>,
    /// Near-duplicates of the page; ten of them.
    pub near_duplicates: BTreeSet<String>,
    /// How many near-duplicates there are in all.
    pub near_duplicates_in_all: usize,
    /// Known URLs that differ little from this one, if the crawl has not seen this one.
    pub similar: Vec<KnownVariant>,
    /// Every attempt at it, in order.
    pub attempts: Vec<PageRecord>,
    /// What could not be read.
    #[serde(skip)]
    pub warnings: Vec<Warning>,
}

impl Explanation {
    /// The record that counts: the last attempt that brought a page.
    pub fn page(&self) -> Option<&PageRecord> {
        self.attempts.iter().rfind(|record| record.is_judged_page())
    }

    /// Whether the page is a seed that was read before the strategy had learnt enough to judge it. Such seeds count as fully
    /// relevant.
    pub fn is_unjudged_seed(&self) -> bool {
        self.strategy_judges
            && self.page().is_some_and(|page| {
                let has_no_table = page.parts.as_ref().is_some_and(|parts| parts.table.is_none());
                has_no_table && page.relevance == Some(1.0)
            })
    }
}

impl Collection {
    /// Explains what has become of a URL, and why.
    pub fn explain(&self, url: &CanonicalUrl) -> Result<Explanation, CollectionError> {
        let now = now();
        let mut warnings = Vec::new();
        let settings = self.settings_or_warn(&mut warnings);
        let settings = settings.as_ref();
        let history = History::read(&self.view, url, &mut warnings)?;
        // Looking through the store takes a second in a large crawl. The records say all about a URL that is settled, unless rules
        // forbid it, which may be those of another host, or the strategy keeps cash, whose unit only the frontier knows, or fetches pages again.
        let is_settled = history
            .attempts
            .last()
            .is_some_and(|last| !last.will_retry && last.outcome != OutcomeCode::RefusedRobots);
        let keeps_cash = settings.is_some_and(|settings| {
            matches!(settings.strategy.kind, StrategyKind::Opic | StrategyKind::Otie)
        });
        let (frontier, queue_unknown) = if is_settled && !keeps_cash {
            (None, None)
        } else {
            match self.frontier_or_why_not(settings, now) {
                Ok(frontier) => (Some(frontier), None),
                Err(why) => (None, Some(why)),
            }
        };
        let frontier = frontier.as_ref();
        let variants = variants::of(url);
        let mut peeked = match frontier {
            Some(frontier) => {
                let wanted: Vec<&CanonicalUrl> = std::iter::once(url).chain(&variants).collect();
                frontier.look_up(&wanted)?
            }
            None => Peeked::default(),
        };
        let waiting = peeked.waiting;
        let variants_known = peeked.urls.split_off(peeked.urls.len().min(1));
        let (id, facts) = peeked.urls.pop().flatten().unzip();
        let robots = match frontier {
            Some(frontier) => frontier
                .rules(url)?
                .map(|bytes| RobotsAnswer::of(&Access::from_bytes(&bytes), url)),
            None => archived_robots(&self.view, history.robots.as_ref(), url),
        };
        let out_of_scope = match settings {
            Some(settings) => outside_scope(settings, url)?,
            None => None,
        };
        let standing = standing(
            &history.attempts,
            facts.as_ref().map(|facts| facts.state),
            out_of_scope.is_some(),
            frontier.is_some(),
        );
        let parent = facts.as_ref().and_then(|facts| facts.parent_url.as_ref());
        let path = match parent.filter(|_| history.attempts.is_empty()) {
            Some(parent) => history.path_to(parent),
            None => history.path_to(url),
        };
        let details = Details::read(&self.view, url, &path, history.judged())?;
        let is_unseen = matches!(
            standing,
            UrlStanding::NeverSeen | UrlStanding::NotFetched | UrlStanding::OutOfScope
        );
        let similar = if is_unseen {
            variants::known(variants, &history, &variants_known)
        } else {
            Vec::new()
        };
        Ok(Explanation {
            url: url.to_string(),
            standing,
            // A page contains the query or it does not; there is no threshold.
            threshold: settings
                .filter(|settings| settings.judge.kind != JudgeKind::Query)
                .map(|settings| settings.judge.threshold),
            strategy_judges: settings.is_some_and(|settings| settings.strategy_judges().is_some()),
            mark: self.marks()?.get(url.as_str()).copied(),
            path: with_queues(details.path, settings),
            queue: facts
                .as_ref()
                .filter(|facts| is_in_queue(facts.state))
                .map(|facts| queue_facts(facts, waiting, settings, now)),
            score_parts: match (settings, frontier, id.zip(facts.as_ref())) {
                (Some(settings), Some(frontier), Some((id, facts))) if is_in_queue(facts.state) => {
                    score_parts(settings, frontier, url, id, facts)?
                }
                _ => history
                    .judged()
                    .map_or_else(Vec::new, |page| page.score_parts.clone()),
            },
            cash: self.cash_or_warn(settings, frontier, url, &mut warnings),
            queue_unknown,
            // Rules that were read before a failure stay in force, and the frontier knows them.
            robots_failed: history
                .robots_failed
                .filter(|_| robots.as_ref().is_none_or(|robots| robots.unreachable)),
            robots,
            budgets_met: match (settings, StatusFile::read(self.view.layout())) {
                (Some(settings), Ok(Some(figures))) => Budgets::of(settings).met(&figures),
                _ => Vec::new(),
            },
            robots_ignored: settings.is_some_and(|settings| settings.crawl.ignore_robots),
            out_of_scope,
            redirected_from: history.redirected_from,
            near_duplicates: details.near_duplicates,
            near_duplicates_in_all: details.near_duplicates_in_all,
            similar,
            attempts: history.attempts,
            warnings,
        })
    }

    fn frontier_or_why_not(&self, settings: Option<&Settings>, now: Timestamp) -> Result<Peek, QueueUnknown> {
        let Some(settings) = settings else {
            return Err(QueueUnknown::NoSettings);
        };
        self.peek(settings, now).map_err(|error| match error {
            CollectionError::Crawling { pid } => QueueUnknown::Crawling { pid },
            error => QueueUnknown::Unreadable {
                message: with_sources(&error),
            },
        })
    }

    fn cash_or_warn(
        &self,
        settings: Option<&Settings>,
        frontier: Option<&Peek>,
        url: &CanonicalUrl,
        warnings: &mut Vec<Warning>,
    ) -> Option<CashFlow> {
        // Once the frontier has switched to a finer unit, amounts recorded before and after do not add up.
        if frontier.is_some_and(|frontier| frontier.unit().is_ok_and(|unit| unit != 0)) {
            return None;
        }
        self.cash_flow(settings?, url).unwrap_or_else(|error| {
            warnings.push(Warning::Cash(error));
            None
        })
    }
}

impl Collection {
    /// Where links on pages of each relevance and genre lead, as a crawl with the strategy `genre` has counted; `None` if it
    /// has counted nothing. With several agents, that of the first.
    pub fn link_table(&self) -> Result<Option<PigTable>, CollectionError> {
        let Some(settings) = self.settings()? else {
            return Ok(None);
        };
        let frontier = self.peek(&settings, now())?;
        let prefix = learnt_under(AgentId::default());
        let saved = frontier.notes(&prefix)?.into_iter();
        let saved = saved.filter(|(name, _)| name.ends_with(PigTable::SAVED_AS));
        let mut tables =
            saved.filter_map(|(_, bytes)| PigTable::from_toml(std::str::from_utf8(&bytes).ok()?).ok());
        Ok(tables.next_back())
    }
}

/// What the score of a waiting URL is made of, according to its agent's strategy as it was saved.
fn score_parts(
    settings: &Settings,
    frontier: &Peek,
    url: &CanonicalUrl,
    id: UrlId,
    facts: &UrlFacts,
) -> Result<Vec<ScorePart>, CollectionError> {
    let key = Keyring::new(settings.crawl.seed).key(url);
    let mut strategy = settings.strategy()?;
    let Some(evidence) = frontier
        .evidence(id)?
        .filter(|_| strategy.needs().notes || settings.strategy.kind == StrategyKind::Table)
    else {
        return Ok(Vec::new());
    };
    let prefix = learnt_under(facts.agent);
    let saved = frontier.notes(&prefix)?.into_iter();
    let saved: Vec<(String, Vec<u8>)> = saved
        .map(|(name, value)| (name.strip_prefix(&prefix).unwrap_or(&name).to_owned(), value))
        .collect();
    if strategy.restore(&saved).is_err() {
        return Ok(Vec::new());
    }
    Ok(strategy.explain(&WaitingLink {
        key,
        rank: facts.priority.rank,
        parent: facts.parent,
        evidence: &evidence,
    }))
}

fn is_in_queue(state: State) -> bool {
    matches!(state, State::Waiting | State::Drawn | State::Leased)
}

fn standing(
    attempts: &[PageRecord],
    state: Option<State>,
    is_out_of_scope: bool,
    has_frontier: bool,
) -> UrlStanding {
    if attempts.iter().any(PageRecord::is_judged_page) {
        return UrlStanding::Fetched;
    }
    if let Some(last) = attempts.last() {
        return if state.is_some_and(is_in_queue) {
            UrlStanding::Retrying
        } else if last.outcome == OutcomeCode::Redirect {
            UrlStanding::Redirected
        } else if last.is_ok() {
            UrlStanding::Fetched
        } else if last.outcome.is_refused() {
            UrlStanding::Refused
        } else if !has_frontier && last.will_retry {
            UrlStanding::Retrying
        } else {
            UrlStanding::Failed
        };
    }
    match state {
        Some(State::Waiting | State::Drawn | State::Leased) => UrlStanding::Waiting,
        // Settled without a record of its own, such as the target of a redirect.
        Some(State::Fetched) => UrlStanding::Fetched,
        Some(State::Gone) => UrlStanding::Failed,
        None if is_out_of_scope => UrlStanding::OutOfScope,
        None if has_frontier => UrlStanding::NeverSeen,
        None => UrlStanding::NotFetched,
    }
}

/// The steps with the queues they were taken from, if the strategy has one per layer.
fn with_queues(path: Vec<PathStep>, settings: Option<&Settings>) -> Vec<PathStep> {
    let queues = settings.and_then(|settings| settings.layer_queues());
    let named = path.into_iter().map(|step| PathStep {
        layer_queue: queues
            .zip(step.class)
            .map(|(queues, class)| queues.of_rank(class, step.score.unwrap_or_default())),
        ..step
    });
    named.collect()
}

fn queue_facts(facts: &UrlFacts, waiting: u64, settings: Option<&Settings>, now: Timestamp) -> QueueFacts {
    let max_pages = settings.and_then(|settings| settings.crawl.max_pages_per_host);
    QueueFacts {
        class: facts.priority.rank.class,
        layer_queue: settings
            .and_then(|settings| settings.layer_queues())
            .map(|queues| queues.of_rank(facts.priority.rank.class, facts.priority.rank.score.get())),
        score: facts.priority.rank.score.get(),
        tie: facts.priority.rank.tie,
        age: facts.priority.age,
        reason: facts.reason,
        depth: facts.depth,
        parent: facts.parent_url.as_ref().map(ToString::to_string),
        waiting,
        host_rests_until: (facts.host_rests_until > now).then(|| facts.host_rests_until.to_rfc3339()),
        host_failures: facts.host_failures,
        host_pages: facts.host_pages,
        host_is_full: max_pages.is_some_and(|most| facts.host_pages >= most),
    }
}

/// An error with all its causes, on one line.
fn with_sources(error: &CollectionError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
