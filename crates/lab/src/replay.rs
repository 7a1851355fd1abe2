//! The virtual-time driver.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use scenthound_engine::{
    Agent, AgentFacts, Crawl, CrawlError, CrawlSettings, PageProcessor, PageRules, PageSettings, Scope, Step,
    StopReason, Tally, needs_of,
};
use scenthound_frontier::{Counts, Frontier, HostPolicy, MemoryFrontier};
use scenthound_judge::Judge;
use scenthound_strategy::Strategy;
use scenthound_testweb::TestSite;
use scenthound_types::{CanonicalUrl, Keyring, Lease, Rng, Timestamp};

use crate::answer::{Answers, SiteAnswers};
use crate::journal::Journal;
use crate::opinion::PageJudge;
use crate::web::Web;
use crate::web_answers::WebAnswers;

/// How a web is replayed.
#[derive(Clone, Debug)]
pub struct LabSettings {
    /// The source of all randomness.
    pub seed: u64,
    /// Number of requests in flight at a time.
    pub workers: usize,
    /// How long a response takes.
    pub latency: Duration,
    /// How much longer it may take, depending on the seed and the URL.
    pub jitter: Duration,
    /// Politeness and limits of the frontier.
    pub policy: HostPolicy,
    /// Limits of the page processor.
    pub processor: PageSettings,
    /// Budgets and limits of the crawl.
    pub crawl: CrawlSettings,
    /// Whether the journal holds every update or only the order of visits.
    pub full_journal: bool,
}

impl Default for LabSettings {
    /// Serial, instant, without robots.txt or any limit, so that a comparison shows the strategies and nothing else.
    fn default() -> LabSettings {
        LabSettings {
            seed: 0,
            workers: 1,
            latency: Duration::ZERO,
            jitter: Duration::ZERO,
            policy: HostPolicy::instant(),
            processor: PageSettings {
                scope: Scope::everything(),
                ..PageSettings::default()
            },
            crawl: CrawlSettings {
                scope: Scope::everything(),
                ..CrawlSettings::default()
            },
            full_journal: false,
        }
    }
}

/// A crawl that was replayed to its end.
#[derive(Debug)]
pub struct Run {
    /// What happened, in order.
    pub journal: Journal,
    /// The counts.
    pub tally: Tally,
    /// How long it would have taken.
    pub virtual_time: Duration,
    /// Why it ended; `None` if the watcher stopped it.
    pub stopped: Option<StopReason>,
    /// URLs known at the end.
    pub known: u64,
    /// URLs still waiting at the end.
    pub waiting: u64,
    /// URLs waiting after each page read.
    pub waiting_after: Vec<u64>,
    /// The agents at the end.
    pub agents: Vec<AgentFacts>,
}

/// How often the counts of a crawl are committed, in pages; in memory this is cheap and loses nothing.
const PAGES_PER_COMMIT: u64 = 100;

/// Crawls a site from the seeds until nothing is left or a budget is used up.
pub fn replay(
    site: &dyn TestSite,
    judge: Arc<dyn Judge>,
    strategy: Box<dyn Strategy>,
    seeds: &[CanonicalUrl],
    settings: &LabSettings,
) -> Result<Run, CrawlError> {
    replay_agents(site, judge, vec![Agent::alone(strategy, seeds)], settings)
}

/// Crawls a site with several agents until none of them has anything left or a budget is used up.
pub fn replay_agents(
    site: &dyn TestSite,
    judge: Arc<dyn Judge>,
    agents: Vec<Agent>,
    settings: &LabSettings,
) -> Result<Run, CrawlError> {
    let keyring = Keyring::new(settings.seed);
    let learner = judge.learner().is_some().then(|| judge.clone());
    let processor = PageProcessor::new(judge, needs_of(&agents), keyring, settings.processor.clone());
    let answers = SiteAnswers { site, processor };
    drive(&answers, agents, learner, settings, &mut |_| {
        ControlFlow::Continue(())
    })
}

/// Crawls a web whose pages are already parsed. After each page read, the watcher sees the journal and may end the crawl.
pub fn crawl_web(
    web: &dyn Web,
    judge: &dyn PageJudge,
    agents: Vec<Agent>,
    settings: &LabSettings,
    watch: &mut dyn FnMut(&Journal) -> ControlFlow<()>,
) -> Result<Run, CrawlError> {
    let keyring = Keyring::new(settings.seed);
    let rules = PageRules::new(settings.processor.clone(), needs_of(&agents), keyring);
    let answers = WebAnswers::new(web, judge, rules, keyring);
    drive(&answers, agents, judge.learner(), settings, watch)
}

fn drive(
    answers: &dyn Answers,
    agents: Vec<Agent>,
    learner: Option<Arc<dyn Judge>>,
    settings: &LabSettings,
    watch: &mut dyn FnMut(&Journal) -> ControlFlow<()>,
) -> Result<Run, CrawlError> {
    let keyring = Keyring::new(settings.seed);
    let policy = HostPolicy {
        all_parents: needs_of(&agents).all_parents,
        oldest_from: needs_of(&agents).oldest_from,
        agents: u8::try_from(agents.len()).unwrap_or(u8::MAX),
        ..settings.policy.clone()
    };
    let journal = if settings.full_journal {
        Journal::full()
    } else {
        Journal::default()
    };
    let frontier = MemoryFrontier::new(policy, keyring);
    let mut now = Timestamp::ZERO;
    let mut crawl = Crawl::start_with(settings.crawl.clone(), frontier, agents, journal, keyring, now)?;
    if let Some(judge) = learner {
        crawl.teach(judge)?;
    }
    let mut out = Requests::default();
    let mut seen = 0;
    let mut waiting_after = Vec::new();
    let stopped = loop {
        let room = settings.workers.saturating_sub(out.len());
        let step = if room == 0 {
            Step::Blocked
        } else {
            crawl.next(room, now)?
        };
        let wake = match step {
            Step::Fetch(leases) => {
                for lease in leases {
                    let more = Rng::for_part(settings.seed, lease.key.0).fraction();
                    out.push(now + settings.latency + settings.jitter.mul_f64(more), lease);
                }
                continue;
            }
            Step::WaitUntil(until) => until,
            Step::Blocked => Timestamp::NEVER,
            Step::Done(reason) if out.len() == 0 => break Some(reason),
            Step::Done(_) => Timestamp::NEVER,
        };
        match out.pop_until(wake) {
            Some((done, lease)) => {
                now = done;
                let answer = answers.answer(lease, now, settings.latency);
                crawl.settle(answer, now)?;
                if crawl.tally().pages.is_multiple_of(PAGES_PER_COMMIT) {
                    crawl.commit(now)?;
                }
                if crawl.recorder().pages.len() > seen {
                    let journal = crawl.recorder();
                    seen = journal.pages.len();
                    waiting_after.resize(seen, crawl.frontier().counts().waiting);
                    if watch(journal).is_break() {
                        break None;
                    }
                }
            }
            None if wake < Timestamp::NEVER => now = now.max(wake),
            // Nothing is in flight and nothing is due; the frontier should have reported this already.
            None => break Some(StopReason::Exhausted),
        }
    };
    crawl.commit(now)?;
    let tally = crawl.tally().clone();
    let agents = crawl.agents();
    let (frontier, journal) = crawl.into_parts();
    let Counts { known, waiting, .. } = frontier.counts();
    Ok(Run {
        journal,
        tally,
        virtual_time: now.since(Timestamp::ZERO),
        stopped,
        known,
        waiting,
        waiting_after,
        agents,
    })
}

/// Requests in flight, ordered by when they end; those that end together, in the order they began.
#[derive(Default)]
pub(crate) struct Requests {
    ends: BinaryHeap<Reverse<(Timestamp, u64)>>,
    leases: std::collections::HashMap<u64, Lease>,
    begun: u64,
}

impl Requests {
    pub(crate) fn len(&self) -> usize {
        self.leases.len()
    }

    pub(crate) fn push(&mut self, end: Timestamp, lease: Lease) {
        self.ends.push(Reverse((end, self.begun)));
        self.leases.insert(self.begun, lease);
        self.begun += 1;
    }

    /// When the first of them ends.
    pub(crate) fn next_end(&self) -> Option<Timestamp> {
        self.ends.peek().map(|Reverse((end, _))| *end)
    }

    /// The request that ends first, if it ends by `latest`.
    pub(crate) fn pop_until(&mut self, latest: Timestamp) -> Option<(Timestamp, Lease)> {
        let Reverse((end, number)) = *self.ends.peek()?;
        if end > latest {
            return None;
        }
        self.ends.pop();
        Some((end, self.leases.remove(&number)?))
    }
}
