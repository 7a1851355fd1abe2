//! The crawl itself: budgets, reports, settling, committing.

mod guards;
mod lessons;
mod requisites;
mod steer;
mod turns;
mod unreached;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use scenthound_frontier::{
    CLOCK_NOTE, Counts, End, Flush, Frontier, HostEffect, HostRules, Next, Recall, Settled,
};
use scenthound_judge::Judge;
use scenthound_strategy::Strategy;
use scenthound_types::named_enum;
use scenthound_types::{
    AgentId, CanonicalUrl, Evidence, Judgement, Keyring, Lease, LeaseKind, Merge, Offer, Outcome, PageReport,
    Rank, Refusal, ReportedLink, ScorePart, Standing, StateDelta, Timestamp, Updates, UrlKey, Verdict,
    WaitingLink, registrable_domain,
};

use crate::CrawlError;
use crate::access::{Access, find_rules, leads_elsewhere};
use crate::agents::{Agent, AgentRules, AgentSlot, learnt_under};
use crate::duplicates::Duplicates;
use crate::lease_result::{Found, FoundLink, LeaseResult, ResponseFacts};
use crate::outlook::{Enough, StopRules, StopWatch};
use crate::recorder::{Recorder, Visit};
use crate::retry_policy;
use crate::scope::Scope;
use crate::tally::Tally;
use crate::traps::{TrapRules, Traps};
use guards::brought;
use unreached::SeedsByOrigin;

pub use lessons::Pupil;
pub use requisites::requisites_stack;
pub use steer::CrawlSteering;

/// How much a crawl may do, over all its runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    /// Page attempts.
    pub pages: Option<u64>,
    /// Running time.
    pub time: Option<Duration>,
    /// Bytes on the wire.
    pub bytes: Option<u64>,
}

named_enum! {
    /// Whose sitemaps are read.
    #[derive(Default)]
    pub enum SitemapUse {
        /// None.
        #[default]
        Off = "off",
        /// Those of the seeds' hosts.
        Seeds = "seeds",
        /// Those of every host visited.
        All = "all",
    }
}

/// The settings of a crawl.
#[derive(Clone, Debug)]
pub struct CrawlSettings {
    /// How much it may do.
    pub budget: Budget,
    /// Which URLs belong to it, redirect targets included.
    pub scope: Scope,
    /// How many times a URL is retried.
    pub retries: u8,
    /// How many redirects in a row are followed.
    pub redirects: u8,
    /// Whether robots rules are obeyed, including those stored by an earlier run.
    pub robots: bool,
    /// Which sitemaps are read.
    pub sitemaps: SitemapUse,
    /// Best-N-first: how many URLs are drawn at a time; 0 to take them one by one.
    pub list_size: usize,
    /// Rules that apply to every agent.
    pub agents: AgentRules,
    /// Set if pages are judged by what the strategies have learnt: a page they score at least this high is relevant.
    pub strategy_judges: Option<f64>,
    /// How much is read of what brings nothing; none for no limits.
    pub traps: Option<TrapRules>,
    /// Whether pages that repeat others neither count nor lead further.
    pub finds_duplicates: bool,
    /// When to stop besides the budgets.
    pub stop: StopRules,
    /// How many requisites of pages may be requested; none if they are not wanted.
    pub requisites: Option<u64>,
    /// When only resting hosts are left: the longest the crawl waits for the first of them before it stops.
    pub patience: Duration,
}

impl Default for CrawlSettings {
    fn default() -> CrawlSettings {
        CrawlSettings {
            budget: Budget::default(),
            scope: Scope::default(),
            retries: 2,
            redirects: 10,
            robots: true,
            sitemaps: SitemapUse::Off,
            list_size: 0,
            agents: AgentRules::default(),
            strategy_judges: None,
            traps: None,
            finds_duplicates: false,
            stop: StopRules::default(),
            requisites: None,
            patience: Duration::from_secs(300),
        }
    }
}

/// Why a crawl ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// Nothing is left to fetch.
    Exhausted,
    /// The only hosts left are failing or asked us to wait for a long time.
    OnlyRestingHosts,
    /// Every agent has met its goal or has nothing left.
    Goals,
    /// Every agent has met its goal, spent its share of the pages or has nothing left.
    Shares,
    /// The page budget is met.
    Pages,
    /// The time budget is met.
    Time,
    /// The byte budget is met.
    Bytes,
    /// The best links bring too little.
    Yield {
        /// The last pages.
        pages: u64,
        /// Relevant ones among them.
        relevant: u64,
    },
    /// Little is left to be found.
    Found {
        /// Relevant pages found.
        found: u64,
        /// How many more are expected.
        unfound: u64,
        /// How many more there are at most, with 95 % confidence.
        at_most: u64,
    },
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopReason::Exhausted => "nothing is left to fetch",
            StopReason::OnlyRestingHosts => {
                "the only hosts left are failing or asked us to wait for a long time"
            }
            StopReason::Goals => "the goal is met",
            StopReason::Shares => {
                "every agent has met its goal, spent its share of the pages or has nothing left"
            }
            StopReason::Pages => "the page budget is met",
            StopReason::Time => "the time budget is met",
            StopReason::Bytes => "the byte budget is met",
            StopReason::Yield { .. } => "the best links bring too little",
            StopReason::Found { .. } => "little is left to be found",
        })
    }
}

/// What the driver should do next.
#[derive(Debug, PartialEq)]
pub enum Step {
    /// Fetch these.
    Fetch(Vec<Lease>),
    /// Call again at this time, or when a lease has ended.
    WaitUntil(Timestamp),
    /// Call again when a lease has ended.
    Blocked,
    /// There is nothing more to do: settle the leases still out, commit, and stop.
    Done(StopReason),
}

/// At most this many URLs are refused without a request in one step. A step happens at one moment: while it lasts, no
/// result is settled and no budget is checked, so it must take milliseconds whatever the rules and the links are.
const REFUSALS_PER_STEP: usize = 32;
/// How long a crawl waits for its first page when all hosts rest. An agent skips seeds that stay unreachable for longer.
const SEED_PATIENCE: Duration = Duration::from_secs(60);
/// The prefix of the notes that hold what the judge has learnt.
const LESSONS: &str = "judge/";
/// The note that says that pages were judged by a judge that knew less than it does now.
pub const UNRANKED: &str = "engine/unranked";
/// Its value once all pages have been judged by what is known.
pub const RANKED: &[u8] = &[0];
/// The note that says which agent takes the next lease.
const TURN: &str = "engine/turn";
/// How deep nested sitemaps are followed.
const SITEMAP_DEPTH: u16 = 2;
/// Hosts whose parsed rules are held in memory; the frontier keeps them all.
const RULES_IN_MEMORY: usize = 4_096;
/// How many bytes these rules may take, since a single file may take a megabyte.
const RULE_BYTES_IN_MEMORY: usize = 32 << 20;

/// How much more may be taken from one site's sitemaps in this run. The limit keeps a site from filling the frontier, and
/// the crawl's time, with pages nobody links to.
#[derive(Clone, Copy, Debug)]
struct SitemapRoom {
    sitemaps: usize,
    pages: usize,
}

impl SitemapRoom {
    /// Fewer sitemaps where endless sites are expected.
    fn new(expects_traps: bool) -> SitemapRoom {
        SitemapRoom {
            sitemaps: if expects_traps { 100 } else { 500 },
            pages: 100_000,
        }
    }
}

/// The note that holds how far the records reached at the last commit: a mark of the recorder.
pub const MARK: &str = "engine/mark";

/// The note that holds how far the records were certainly on the disk at the last commit: a mark of the recorder.
pub const FLUSHED_MARK: &str = "engine/flushed";

/// How far the records reach.
#[derive(Debug, Default)]
struct Marks {
    /// Whether the next commit is the first: what is there before it counts as flushed.
    is_first: bool,
    /// At the last commit of this run, if there was one.
    committed: Option<Vec<u8>>,
    /// When the flush under way began.
    flushing: Option<Vec<u8>>,
    /// When the last flush that has ended began, if no commit says so yet.
    flushed: Option<Vec<u8>>,
}

/// A crawl: a frontier, a strategy and a recorder, and the rules between them.
pub struct Crawl<F, R> {
    settings: CrawlSettings,
    frontier: F,
    slots: Vec<AgentSlot>,
    /// The agent that takes leases first in the next step.
    turn: usize,
    /// The agent whose turn it is if no lease that is out is ever settled: where a crawl goes on after a crash.
    settled_turn: usize,
    /// Whether links were scored again since the last commit.
    has_reranked: bool,
    recorder: R,
    marks: Marks,
    keyring: Keyring,
    /// The judge, if it learns from the pages of the crawl.
    learner: Option<Arc<dyn Judge>>,
    /// The lessons it had learnt when the crawl started.
    lessons_before: u64,
    /// Whether pages were judged by a judge that knew less than it does now.
    is_unranked: bool,
    /// What hosts have brought, if there is a limit to what brings nothing.
    traps: Option<Traps>,
    /// The pages that others may repeat.
    duplicates: Option<Duplicates>,
    tally: Tally,
    /// Running time of earlier runs.
    ran_before: Duration,
    started: Timestamp,
    pages_out: u64,
    requisites_out: u64,
    stop_watch: StopWatch,
    /// Why there is enough, once there is.
    enough: Option<StopReason>,
    /// Leased because they had waited longest, and not settled yet.
    pub(super) exploring: HashSet<UrlKey>,
    /// Whether requisites take their leases before pages in this step.
    requisites_first: bool,
    /// The seeds of each host, once a host could not be reached.
    seeds_by_origin: Option<SeedsByOrigin>,
    access: HashMap<Box<str>, Access>,
    /// At least the bytes that `access` takes.
    access_bytes: usize,
    /// How much more may be taken from each site's sitemaps.
    sitemap_room: HashMap<Box<str>, SitemapRoom>,
    redirect_merge: Merge,
    /// The threshold that people asked for.
    threshold: Option<f64>,
    /// The threshold of the settings, once people asked for another.
    usual_threshold: Option<f64>,
    // Buffers used by one settle, kept to reuse their memory.
    keys: Vec<UrlKey>,
    standings: Vec<Standing>,
    links: Vec<ReportedLink>,
    updates: Updates,
}

impl<F: Frontier, R: Recorder> Crawl<F, R> {
    /// Starts a crawl with one agent, or resumes it from its last commit: if the frontier holds the notes of a crawl, that
    /// crawl goes on, and only seeds it does not know yet are offered.
    pub fn start(
        settings: CrawlSettings,
        frontier: F,
        strategy: Box<dyn Strategy>,
        recorder: R,
        keyring: Keyring,
        seeds: &[CanonicalUrl],
        now: Timestamp,
    ) -> Result<Crawl<F, R>, CrawlError> {
        let agents = vec![Agent::alone(strategy, seeds)];
        Crawl::start_with(settings, frontier, agents, recorder, keyring, now)
    }

    /// Starts or resumes a crawl with several agents.
    pub fn start_with(
        settings: CrawlSettings,
        mut frontier: F,
        agents: Vec<Agent>,
        recorder: R,
        keyring: Keyring,
        now: Timestamp,
    ) -> Result<Crawl<F, R>, CrawlError> {
        let tally = match frontier.notes("engine/tally")?.pop() {
            Some((_, bytes)) => Tally::from_bytes(&bytes).map_err(|what| CrawlError::Damaged { what })?,
            None => Tally::default(),
        };
        let mut slots = Vec::with_capacity(agents.len());
        let is_alone = agents.len() == 1;
        for (number, agent) in (0..AgentId::MOST).zip(agents) {
            let id = AgentId(number);
            let mut slot = AgentSlot::new(agent);
            if is_alone {
                (slot.pages, slot.relevant) = (tally.pages, tally.relevant);
            }
            let has_kept_ranks = frontier.has_kept_ranks();
            let counts = frontier.notes(&format!("agents/{number}/counts"))?;
            slot.restore(id, &counts, has_kept_ranks)?;
            let prefix = learnt_under(id);
            let saved: Vec<_> = frontier
                .notes(&prefix)?
                .into_iter()
                .map(|(name, value)| (name.strip_prefix(&prefix).unwrap_or(&name).to_owned(), value))
                .collect();
            slot.agent.strategy.restore(&saved)?;
            slot.is_stale = has_kept_ranks && frontier.is_stale(id);
            let seeds = &slot.agent.seeds;
            let offers: Vec<Offer> = seeds
                .iter()
                .map(|url| {
                    let key = keyring.key(url);
                    Offer {
                        url: url.clone(),
                        key,
                        rank: slot.agent.strategy.seed(key, seeds.len()),
                        merge: Merge::Keep,
                    }
                })
                .collect();
            frontier.seed_for(id, &offers, now)?;
            slots.push(slot);
        }
        let traps = match settings.traps {
            Some(rules) => {
                let mut traps = Traps::new(rules, keyring);
                traps.restore(frontier.notes(Traps::notes())?);
                Some(traps)
            }
            None => None,
        };
        let duplicates = if settings.finds_duplicates {
            let mut duplicates = Duplicates::default();
            duplicates.restore(frontier.notes(Duplicates::notes())?);
            Some(duplicates)
        } else {
            None
        };
        let is_first = frontier.notes(MARK)?.is_empty();
        let stop = settings.stop;
        let turn = saved_turn(&frontier, slots.len())?;
        let mut crawl = Crawl {
            settings,
            frontier,
            traps,
            duplicates,
            redirect_merge: slots
                .first()
                .map_or(Merge::Max, |slot| slot.agent.strategy.needs().redirects),
            slots,
            turn,
            settled_turn: turn,
            has_reranked: false,
            recorder,
            marks: Marks {
                is_first,
                ..Marks::default()
            },
            keyring,
            learner: None,
            lessons_before: 0,
            is_unranked: false,
            ran_before: tally.running,
            tally,
            started: now,
            pages_out: 0,
            requisites_out: 0,
            stop_watch: StopWatch::new(stop),
            enough: None,
            exploring: HashSet::new(),
            requisites_first: false,
            seeds_by_origin: None,
            access: HashMap::new(),
            access_bytes: 0,
            sitemap_room: HashMap::new(),
            threshold: None,
            usual_threshold: None,
            keys: Vec::new(),
            standings: Vec::new(),
            links: Vec::new(),
            updates: Vec::new(),
        };
        crawl.commit(now)?;
        Ok(crawl)
    }

    /// Lets the judge learn from every page of the crawl, if it can, and restores what it had learnt. It must be the judge that the
    /// driver's page processor uses.
    pub fn teach(&mut self, judge: Arc<dyn Judge>) -> Result<(), CrawlError> {
        if let Some(learner) = judge.learner() {
            let has_new_examples = !learner.examples().is_empty();
            learner.restore(&saved_lessons(&self.frontier)?)?;
            self.lessons_before = learner.lessons_learnt();
            let noted = self.frontier.notes(UNRANKED)?;
            let is_noted = noted.iter().any(|(_, value)| value != RANKED);
            self.is_unranked = is_noted || (has_new_examples && self.tally.bodies > 0);
            self.learner = Some(judge);
        }
        Ok(())
    }

    /// Whether pages were judged by a judge that knew less than it does now, so that judging them again would rank them better.
    pub fn is_unranked(&self) -> bool {
        self.is_unranked
    }

    /// What to fetch next, at most `room` leases.
    pub fn next(&mut self, room: usize, now: Timestamp) -> Result<Step, CrawlError> {
        if let Some(reason) = self.budget_met(now) {
            return Ok(Step::Done(reason));
        }
        if room == 0 {
            return Ok(Step::Blocked);
        }
        if self.settings.requisites.is_none() {
            return self.next_pages(room, now);
        }
        let leased = |step: &Step| match step {
            Step::Fetch(leases) => leases.len(),
            _ => 0,
        };
        if self.pages_go_first() {
            let pages = self.next_pages(room, now)?;
            let requisites = self.next_requisites(room - leased(&pages), now)?;
            Ok(requisites::either(pages, requisites))
        } else {
            let requisites = self.next_requisites(room.div_ceil(2), now)?;
            let pages = self.next_pages(room - leased(&requisites), now)?;
            Ok(requisites::either(pages, requisites))
        }
    }

    /// Takes leases for pages and sitemaps.
    fn next_pages(&mut self, room: usize, now: Timestamp) -> Result<Step, CrawlError> {
        if let Some(reason) = self.page_budget_met() {
            return Ok(Step::Done(reason));
        }
        if room == 0 {
            return Ok(Step::Blocked);
        }
        let room = match self.settings.budget.pages {
            None => room,
            Some(most) => {
                let left = most.saturating_sub(self.tally.pages + self.pages_out);
                if left == 0 {
                    return Ok(Step::Blocked);
                }
                room.min(usize::try_from(left).unwrap_or(usize::MAX))
            }
        };
        self.draw(now)?;
        let mut refused = 0;
        loop {
            match self.take(room, now)? {
                Next::Fetch(leases) => {
                    let taken = leases.len();
                    let allowed = self.allowed(leases, now)?;
                    refused += taken - allowed.len();
                    if !allowed.is_empty() {
                        return Ok(Step::Fetch(allowed));
                    }
                    if refused >= REFUSALS_PER_STEP {
                        return Ok(Step::WaitUntil(now));
                    }
                    self.draw(now)?;
                }
                Next::WaitUntil(until) => {
                    let is_idle = self.frontier.counts().leased == 0;
                    // Where nothing ever answered, a wrong URL is likelier than a host in trouble.
                    let patience = match self.tally.bodies {
                        0 => self.settings.patience.min(SEED_PATIENCE),
                        _ => self.settings.patience,
                    };
                    if is_idle && until > now + patience {
                        return Ok(Step::Done(StopReason::OnlyRestingHosts));
                    }
                    return Ok(Step::WaitUntil(until));
                }
                Next::Blocked => return Ok(Step::Blocked),
                Next::Done => return Ok(Step::Done(self.why_done())),
            }
        }
    }

    /// Settles the leases for which no request may be made, and returns the others.
    fn allowed(&mut self, leases: Vec<Lease>, now: Timestamp) -> Result<Vec<Lease>, CrawlError> {
        let mut allowed = Vec::with_capacity(leases.len());
        for lease in leases {
            match self.may_fetch(&lease, now)? {
                Ok(()) => allowed.push(lease),
                Err((outcome, found)) => self.settle_unasked(lease, outcome, found, now)?,
            }
        }
        Ok(allowed)
    }

    fn page_budget_met(&self) -> Option<StopReason> {
        let most = self.settings.budget.pages;
        let is_met = most.is_some_and(|most| self.tally.pages >= most);
        is_met.then_some(StopReason::Pages).or(self.enough)
    }

    /// Whether a budget is met that ends everything. The budget of pages ends pages only, if there are requisites to fetch.
    fn budget_met(&self, now: Timestamp) -> Option<StopReason> {
        let budget = &self.settings.budget;
        let met = |limit: Option<u64>, spent: u64| limit.is_some_and(|limit| spent >= limit);
        let pages = self
            .page_budget_met()
            .filter(|_| self.settings.requisites.is_none());
        if pages.is_some() {
            pages
        } else if met(budget.bytes, self.tally.bytes) {
            Some(StopReason::Bytes)
        } else if budget.time.is_some_and(|limit| self.running(now) >= limit) {
            Some(StopReason::Time)
        } else {
            None
        }
    }

    /// Running time over all runs so far.
    pub fn running(&self, now: Timestamp) -> Duration {
        self.ran_before + now.since(self.started)
    }

    /// Whether a request may be made for a lease. If not: how the lease ends without one, and with what.
    fn may_fetch(
        &mut self,
        lease: &Lease,
        now: Timestamp,
    ) -> Result<Result<(), (Outcome, Found)>, CrawlError> {
        if let Err(refusal) = self.check_traps(lease) {
            return Ok(Err((Outcome::Refused(refusal), Found::Nothing)));
        }
        if !self.settings.robots {
            return Ok(Ok(()));
        }
        let target = lease.target();
        if lease.kind == LeaseKind::Robots {
            return self.may_read_rules(lease, target, now);
        }
        Ok(self
            .check_rules(target)?
            .map_err(|outcome| (outcome, Found::Nothing)))
    }

    /// Whether a robots.txt may be requested. A host's own always may. One that redirects elsewhere is subject to the rules
    /// there, or is already known because it is the other host's own.
    fn may_read_rules(
        &mut self,
        lease: &Lease,
        target: &CanonicalUrl,
        now: Timestamp,
    ) -> Result<Result<(), (Outcome, Found)>, CrawlError> {
        let is_elsewhere = target.origin() != lease.url.origin();
        if !is_elsewhere {
            return Ok(Ok(()));
        }
        if *target == target.robots_txt() {
            let Some((bytes, until)) = self.frontier.fresh_rules(target, now)? else {
                return Ok(Ok(()));
            };
            let (outcome, access) = match Access::from_bytes(&bytes) {
                Access::Rules(rules) => (
                    Outcome::Body {
                        status: 200,
                        truncated: None,
                    },
                    Access::Rules(rules),
                ),
                Access::Unreachable | Access::NoHost | Access::BadTls => {
                    (Outcome::Refused(Refusal::RobotsUnreachable), Access::Unreachable)
                }
            };
            return Ok(Err((outcome, Found::Rules(access, until))));
        }
        Ok(self.check_rules(target)?.map_err(|outcome| {
            let found = find_rules(lease, &outcome, &[], now);
            (outcome, found)
        }))
    }

    /// Whether the rules of a URL's host allow it, as far as they are known.
    fn check_rules(&mut self, url: &CanonicalUrl) -> Result<Result<(), Outcome>, CrawlError> {
        let origin = url.origin();
        if !self.access.contains_key(origin) {
            let Some(bytes) = self.frontier.rules(url)? else {
                return Ok(Ok(()));
            };
            self.keep_access(origin, Access::from_bytes(&bytes));
        }
        Ok(self
            .access
            .get(origin)
            .map_or(Ok(()), |access| access.check(url.path_and_query())))
    }

    fn keep_access(&mut self, origin: &str, access: Access) {
        let bytes = access.size();
        if self.access.len() >= RULES_IN_MEMORY || self.access_bytes + bytes > RULE_BYTES_IN_MEMORY {
            self.access.clear();
            self.access_bytes = 0;
        }
        self.access_bytes += bytes;
        self.access.insert(origin.into(), access);
    }

    /// Settles a lease for which no request was made.
    fn settle_unasked(
        &mut self,
        lease: Lease,
        outcome: Outcome,
        found: Found,
        now: Timestamp,
    ) -> Result<(), CrawlError> {
        let facts = ResponseFacts {
            started: now,
            ..ResponseFacts::default()
        };
        self.settle_as(lease, outcome, found, facts, None, now)
    }

    /// Leases a URL out of turn, to settle it with an outcome from the records: this is how a crawl is repeated. None if the
    /// URL is already leased.
    pub fn recall(&mut self, wanted: &Recall<'_>, now: Timestamp) -> Result<Option<Lease>, CrawlError> {
        let lease = self.frontier.recall(wanted, now)?;
        if let Some(lease) = &lease {
            self.lease_out(lease);
        }
        Ok(lease)
    }

    /// Takes back an unused lease. Its address rests until `until`.
    pub fn hand_back(&mut self, lease: &Lease, until: Timestamp, now: Timestamp) -> Result<(), CrawlError> {
        self.lease_in(lease);
        self.exploring.remove(&lease.key);
        Ok(self.frontier.hand_back(lease, until, now)?)
    }

    /// Ends a lease with its result.
    pub fn settle(&mut self, result: LeaseResult<R::Payload>, now: Timestamp) -> Result<(), CrawlError> {
        let LeaseResult {
            lease,
            outcome,
            found,
            facts,
            payload,
        } = result;
        self.settle_as(lease, outcome, found, facts, payload, now)
    }

    fn settle_as(
        &mut self,
        lease: Lease,
        outcome: Outcome,
        mut found: Found,
        facts: ResponseFacts,
        payload: Option<R::Payload>,
        now: Timestamp,
    ) -> Result<(), CrawlError> {
        self.lease_in(&lease);
        self.settled_turn = (usize::from(lease.agent.0) + 1) % self.slots.len().max(1);
        let (outcome, redirect) = self.check_redirect(&lease, outcome);
        let agent = usize::from(lease.agent.0);
        let evidence = self.evidence_of(&lease)?;
        // Before the page is read, which may change what the strategy knows.
        let score_parts = self.score_parts(&lease, evidence.as_ref());
        self.find_duplicate(&lease, &mut found)?;
        self.report_links(&lease, &mut found)?;
        self.score_page(&lease, &outcome, &mut found)?;
        self.apply_threshold(&mut found);
        let page = match &found {
            Found::Page(page) => Some(page.as_ref()),
            _ => None,
        };
        let relevance = page.map_or(0.0, |page| page.judgement.relevance);
        let (mut end, mut host_effect) = retry_policy::after(
            &lease,
            &outcome,
            relevance as f32,
            redirect,
            facts.retry_after,
            facts.asked,
            self.settings.retries,
        );

        if host_effect == HostEffect::Asked
            && let Some(rest) = facts.strain(&outcome)
        {
            host_effect = HostEffect::Costly(rest);
        }
        let mut rules = None;
        let mut sitemaps = Vec::new();
        match &found {
            // A host whose rules cannot be fetched keeps its URLs and is left alone: briefly at first, then for longer.
            Found::Rules(Access::Unreachable, again) => {
                end = End::Retry;
                if lease.attempt >= self.settings.retries || !facts.asked {
                    host_effect = HostEffect::Later(*again);
                }
                if lease.attempt == self.settings.retries {
                    self.record_unreached_seeds(&lease, now)?;
                }
            }
            Found::Rules(access, fresh_until) => {
                rules = Some(self.take_rules(&lease, access, *fresh_until, &mut sitemaps));
            }
            Found::Sitemap(finds) if lease.depth < SITEMAP_DEPTH => {
                self.offer_sitemaps(&lease, finds.sitemaps.iter().cloned(), &mut sitemaps);
            }
            _ => {}
        }
        let requisites = self.offer_requisites(&lease, &found);
        let will_retry = end == End::Retry;
        let takes_notes = self.takes_notes(agent);
        let note = if takes_notes {
            self.frontier
                .leased_evidence(&lease)?
                .map(|evidence| evidence.note)
        } else {
            None
        };

        self.updates.clear();
        if lease.kind != LeaseKind::Robots {
            // A page that repeats another brought nothing, however relevant the other is.
            let repeated = page
                .filter(|page| page.duplicate_of.is_some())
                .map(|page| Judgement {
                    relevance: 0.0,
                    verdict: Verdict::Irrelevant,
                    ..page.judgement.clone()
                });
            let report = PageReport {
                lease: &lease,
                outcome: &outcome,
                judgement: repeated.as_ref().or(page.map(|page| &page.judgement)),
                words: page.and_then(|page| page.words.as_deref()),
                evidence: evidence.as_ref(),
                note: note.as_deref(),
                links: &self.links,
                will_retry,
            };
            if let Some(slot) = self.slots.get_mut(agent) {
                slot.agent.strategy.observe(&report, &mut self.updates);
            }
        }
        let is_explored = self.exploring.remove(&lease.key);
        let visit = Visit {
            is_explored,
            lease: &lease,
            outcome: &outcome,
            page,
            facts: &facts,
            updates: &self.updates,
            score_parts: &score_parts,
            will_retry,
            now,
        };
        self.recorder
            .record(&visit, payload)
            .map_err(CrawlError::Record)?;
        self.count(&lease, &outcome, page, &facts);
        if let Some(traps) = self.traps.as_mut().filter(|_| facts.asked) {
            traps.note_visit(&lease, &outcome, page.map(brought));
        }
        let lesson = match &mut found {
            Found::Page(page) if !page.is_set_aside() && page.duplicate_of.is_none() => page.lesson.take(),
            _ => None,
        };
        if let (Some(mut lesson), Some(learner)) =
            (lesson, self.learner.as_ref().and_then(|judge| judge.learner()))
        {
            lesson.is_seed = lease.seed;
            learner.observe(lease.key, *lesson);
        }
        let settled = Settled {
            lease: &lease,
            end,
            host_effect,
            updates: &self.updates,
            links: &self.keys,
            rules,
            sitemaps: &sitemaps,
            requisites: &requisites,
        };
        self.frontier.settle(settled, now)?;
        for link in &self.links {
            if let (Some(evidence), Standing::New | Standing::Waiting) = (&link.evidence, link.standing) {
                self.frontier.keep_evidence(lease.agent, link.key, evidence)?;
            }
        }
        self.freshen(agent, now)
    }

    /// What is known of the links to a leased page, if its agent's strategy needs it.
    fn evidence_of(&self, lease: &Lease) -> Result<Option<Evidence>, CrawlError> {
        let slot = self.slots.get(usize::from(lease.agent.0));
        match slot.is_some_and(|slot| slot.needs.evidence && lease.kind != LeaseKind::Robots) {
            true => Ok(self.frontier.leased_evidence(lease)?),
            false => Ok(None),
        }
    }

    /// What the score of a leased page is made of, if its agent's strategy has that recorded.
    fn score_parts(&self, lease: &Lease, evidence: Option<&Evidence>) -> Vec<ScorePart> {
        let slot = self.slots.get(usize::from(lease.agent.0));
        match (slot.filter(|slot| slot.needs.score_parts), evidence) {
            (Some(slot), Some(evidence)) if lease.kind == LeaseKind::Page => {
                slot.agent.strategy.explain(&WaitingLink {
                    key: lease.key,
                    rank: lease.taken.rank,
                    parent: lease.parent,
                    evidence,
                })
            }
            _ => Vec::new(),
        }
    }

    /// Refuses redirects that exceed the limit or leave the crawl's scope.
    fn check_redirect(&mut self, lease: &Lease, outcome: Outcome) -> (Outcome, Option<(UrlKey, Merge)>) {
        match &outcome {
            Outcome::Redirect { to, .. } if lease.kind != LeaseKind::Robots => {
                if lease.redirects >= self.settings.redirects {
                    (Outcome::Refused(Refusal::TooManyRedirects), None)
                } else if !self.may_lead_to(lease, to) {
                    (Outcome::Refused(Refusal::Scope), None)
                } else if !self.admits_host(lease, to) {
                    (Outcome::Refused(Refusal::NewHosts), None)
                } else {
                    let redirect = (self.keyring.key_for(lease.kind, to), self.redirect_merge);
                    (outcome, Some(redirect))
                }
            }
            Outcome::Redirect { to, .. } if leads_elsewhere(lease, &outcome) => {
                let redirect = (self.keyring.key(to), self.redirect_merge);
                (outcome, Some(redirect))
            }
            _ => (outcome, None),
        }
    }

    /// Whether a redirect may be followed: a seed's and a requisite's to anywhere, a page's within the scope, a sitemap's within
    /// its site.
    fn may_lead_to(&self, lease: &Lease, to: &CanonicalUrl) -> bool {
        match lease.kind {
            LeaseKind::Sitemap => is_same_site(&lease.url, to),
            LeaseKind::Requisite => true,
            _ => lease.seed || self.settings.scope.check(to).is_ok(),
        }
    }

    fn take_rules(
        &mut self,
        lease: &Lease,
        access: &Access,
        fresh_until: Timestamp,
        sitemaps: &mut Vec<Offer>,
    ) -> HostRules {
        let mut crawl_delay = None;
        if let Access::Rules(rules) = access {
            crawl_delay = rules.crawl_delay();
            let is_wanted = match self.settings.sitemaps {
                SitemapUse::Off => false,
                SitemapUse::Seeds => self.settings.scope.is_seed_host(lease.url.host()),
                SitemapUse::All => true,
            };
            if is_wanted {
                let named = rules.sitemaps().iter().filter_map(|raw| lease.url.join(raw).ok());
                self.offer_sitemaps(lease, named, sitemaps);
            }
        }
        self.keep_access(lease.url.origin(), access.clone());
        HostRules {
            bytes: access.to_bytes(),
            fresh_until,
            crawl_delay,
        }
    }

    /// Offers those sitemaps that are on the lease's own site, as many as the limit still allows.
    fn offer_sitemaps(
        &mut self,
        lease: &Lease,
        urls: impl Iterator<Item = CanonicalUrl>,
        out: &mut Vec<Offer>,
    ) {
        let keyring = self.keyring;
        let room = self.sitemap_room(lease);
        let own = urls.filter(|url| is_same_site(&lease.url, url));
        // Ranked like a seed: what it lists can be scored only once it is read.
        out.extend(own.take(room.sitemaps).map(|url| Offer {
            key: keyring.key(&url),
            url,
            rank: Rank::of_score(1.0),
            merge: Merge::Keep,
        }));
        room.sitemaps -= out.len();
    }

    fn sitemap_room(&mut self, lease: &Lease) -> &mut SitemapRoom {
        let site = registrable_domain(lease.url.host());
        let expects_traps = self.traps.is_some();
        let room = self.sitemap_room.entry(site.into());
        room.or_insert_with(|| SitemapRoom::new(expects_traps))
    }

    /// Whether an agent's strategy keeps notes about waiting URLs.
    fn takes_notes(&self, agent: usize) -> bool {
        self.slots.get(agent).is_some_and(|slot| slot.needs.notes)
    }

    /// Fills `links` and `keys` with the links of the page or the sitemap.
    fn report_links(&mut self, lease: &Lease, found: &mut Found) -> Result<(), CrawlError> {
        let reported: &mut [FoundLink] = match found {
            Found::Page(page) => &mut page.links,
            Found::Sitemap(finds) => {
                let room = self.sitemap_room(lease);
                let taken = room.pages.min(finds.pages.len());
                room.pages -= taken;
                finds.pages.get_mut(..taken).unwrap_or_default()
            }
            Found::Nothing | Found::Rules(..) | Found::Requisite(_) => &mut [],
        };
        self.keys.clear();
        self.keys.extend(reported.iter().map(|link| link.key));
        self.frontier.standings(&self.keys, &mut self.standings);
        self.links.clear();
        self.links.extend(
            reported
                .iter_mut()
                .zip(&self.standings)
                .filter(|(link, _)| link.key != lease.key)
                .map(|(link, standing)| ReportedLink {
                    url: link.url.clone(),
                    key: link.key,
                    standing: *standing,
                    path: link.path,
                    snippets: link.snippets,
                    place: link.place,
                    evidence: link.evidence.take(),
                    tokens: link.tokens.take(),
                    note: None,
                }),
        );
        let (new_hosts, full_host) = self.limit_links();
        if let Found::Page(page) = found {
            page.skipped.new_hosts = new_hosts;
            page.skipped.full_host = full_host;
        }
        if self.takes_notes(lease.agent.0.into()) {
            for link in &mut self.links {
                if link.standing == Standing::Waiting {
                    let known = self.frontier.evidence(lease.agent, link.key)?;
                    link.note = known.map(|evidence| evidence.note.into());
                }
            }
        }
        Ok(())
    }

    fn count(
        &mut self,
        lease: &Lease,
        outcome: &Outcome,
        page: Option<&crate::ProcessedPage>,
        facts: &ResponseFacts,
    ) {
        self.tally.bytes += facts.bytes;
        let is_page = lease.kind == LeaseKind::Page && !matches!(outcome, Outcome::Redirect { .. });
        if is_page && facts.asked && !lease.revisit {
            let judgement = page.map(|page| &page.judgement);
            let is_repeated = page.is_some_and(|page| page.duplicate_of.is_some());
            let is_relevant = !is_repeated && judgement.is_some_and(|judgement| judgement.is_relevant());
            self.tally.count_page(
                outcome.code().as_str(),
                judgement.map(|judgement| judgement.relevance),
                is_relevant,
            );
            if let Some(slot) = self.slots.get_mut(usize::from(lease.agent.0)) {
                slot.count(is_relevant);
            }
            let frontier = &self.frontier;
            if let Some(enough) = self.stop_watch.look(&self.tally, || frontier.counts().waiting) {
                self.enough = Some(reason_of(&enough));
            }
        } else if facts.asked {
            let is_requisite =
                lease.kind == LeaseKind::Requisite && !matches!(outcome, Outcome::Redirect { .. });
            self.tally.requisites += u64::from(is_requisite);
            self.tally.other_requests += 1;
            // A host whose rules cannot even be requested would otherwise leave no trace in the counts.
            if matches!(outcome, Outcome::Failed(failure) if failure.is_hosts_fault()) {
                *self.tally.outcomes.entry(outcome.code().as_str()).or_default() += 1;
            }
        } else {
            *self.tally.outcomes.entry(outcome.code().as_str()).or_default() += 1;
        }
        self.tally.excluded += u64::from(page.is_some_and(|page| page.wrong_sense));
        self.tally.links_skipped += page.map_or(0, |page| page.skipped.total().into());
    }

    /// Makes everything settled so far durable together with its records, all or nothing.
    pub fn commit(&mut self, now: Timestamp) -> Result<(), CrawlError> {
        self.tally.running = self.running(now);
        let mut notes = StateDelta::default();
        // Records first: whatever is committed must already be readable.
        if let Some(mark) = self.recorder.mark().map_err(CrawlError::Record)? {
            notes.put(MARK, mark.as_slice());
            if std::mem::take(&mut self.marks.is_first) {
                self.marks.flushed = Some(mark.clone());
            }
            self.marks.committed = Some(mark);
        }
        if let Some(flushed) = self.marks.flushed.take() {
            notes.put(FLUSHED_MARK, flushed);
        }
        if let Some(traps) = &mut self.traps {
            traps.save(self.pages_out == 0, &mut notes);
        }
        if let Some(duplicates) = &mut self.duplicates {
            duplicates.save(&mut notes);
        }
        notes.put("engine/tally", self.tally.to_bytes());
        notes.put(CLOCK_NOTE, now.as_millis().to_le_bytes().to_vec());
        for (number, slot) in (0..AgentId::MOST).zip(&mut self.slots) {
            slot.save(AgentId(number), &mut notes);
        }
        if self.slots.len() > 1 {
            notes.put(TURN, self.settled_turn.to_string());
        }
        let has_reranked = std::mem::take(&mut self.has_reranked);
        if has_reranked && self.slots.iter().all(AgentSlot::keeps_epochs) {
            self.frontier.keep_ranks();
        }
        if let Some(learner) = self.learner.as_ref().and_then(|judge| judge.learner()) {
            let mut lessons = StateDelta::default();
            learner.save_changes(&mut lessons);
            keep_lessons(&lessons, &mut notes);
            if learner.lessons_learnt() > self.lessons_before {
                self.is_unranked = true;
            }
            if self.is_unranked {
                notes.put(UNRANKED, vec![1]);
            }
        }
        Ok(self.frontier.commit(&notes)?)
    }

    /// Lets the next commit write the ranks of links that were scored again. They follow from what is committed anyway, so
    /// a driver asks for this now and then and before its last commit.
    pub fn keep_ranks(&mut self) {
        self.frontier.keep_ranks();
    }

    /// The same for about so many of these links, others each time.
    pub fn keep_some_ranks(&mut self, most: usize) {
        self.frontier.keep_some_ranks(most);
    }

    /// Commits everything and flushes it to the disk itself, records first. The state then says that its records are safe, so
    /// whoever opens the crawl again need not read any of them.
    pub fn commit_and_sync(&mut self, now: Timestamp) -> Result<(), CrawlError> {
        self.commit(now)?;
        self.recorder.sync().map_err(CrawlError::Record)?;
        self.marks.flushing = None;
        self.marks.flushed.clone_from(&self.marks.committed);
        self.commit(now)?;
        Ok(self.frontier.sync()?)
    }

    /// What remains to be done to flush everything committed so far, records first. Another thread may do it while the crawl
    /// goes on. What an earlier call returned must have been done by then: the next commit says that its records are safe.
    pub fn flush_later(&mut self) -> Result<Flush, CrawlError> {
        let flushing = self.marks.committed.clone();
        self.marks.flushed = std::mem::replace(&mut self.marks.flushing, flushing);
        let records = self.recorder.flush_later().map_err(CrawlError::Record)?;
        let state = self.frontier.flush_later()?;
        Ok(Box::new(move || {
            records()?;
            state()
        }))
    }

    /// What the crawl has done so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// What the frontier holds.
    pub fn counts(&self) -> Counts {
        self.frontier.counts()
    }

    /// The frontier, for look-ups.
    pub fn frontier(&self) -> &F {
        &self.frontier
    }

    /// The frontier, for what it does besides its rules.
    pub fn frontier_mut(&mut self) -> &mut F {
        &mut self.frontier
    }

    /// Replaces the budget of pages.
    pub fn set_page_budget(&mut self, pages: Option<u64>) {
        self.settings.budget.pages = pages;
    }

    /// Page requests in flight.
    pub fn pages_out(&self) -> u64 {
        self.pages_out
    }

    /// The recorder.
    pub fn recorder(&self) -> &R {
        &self.recorder
    }

    /// The recorder, to take out what it has collected.
    pub fn recorder_mut(&mut self) -> &mut R {
        &mut self.recorder
    }

    /// Takes the crawl apart into its frontier and its recorder.
    pub fn into_parts(self) -> (F, R) {
        (self.frontier, self.recorder)
    }
}

/// The agent that takes the next lease of a crawl with this many.
fn saved_turn(frontier: &impl Frontier, agents: usize) -> Result<usize, CrawlError> {
    let Some((_, saved)) = frontier.notes(TURN)?.pop() else {
        return Ok(0);
    };
    let turn = std::str::from_utf8(&saved)
        .ok()
        .and_then(|turn| turn.parse().ok());
    turn.filter(|turn| *turn < agents)
        .ok_or_else(|| CrawlError::Damaged {
            what: "whose turn it is".to_owned(),
        })
}

/// What the judge of a crawl had learnt, by name.
pub fn saved_lessons(frontier: &impl Frontier) -> Result<Vec<(String, Vec<u8>)>, CrawlError> {
    let saved = frontier.notes(LESSONS)?.into_iter();
    Ok(saved
        .map(|(name, value)| (lesson_name(&name).unwrap_or(&name).to_owned(), value))
        .collect())
}

/// The name of what a judge has learnt that a note of a crawl holds; none if the note holds something else.
pub fn lesson_name(note: &str) -> Option<&str> {
    note.strip_prefix(LESSONS)
}

/// Writes what a judge has learnt to the notes of a crawl.
pub fn keep_lessons(lessons: &StateDelta, notes: &mut StateDelta) {
    for (name, value) in lessons.changes() {
        notes.put(format!("{LESSONS}{name}"), value.as_slice());
    }
}

fn reason_of(enough: &Enough) -> StopReason {
    match enough {
        Enough::Yield(outlook) => StopReason::Yield {
            pages: outlook.window,
            relevant: outlook.found_lately,
        },
        Enough::Found(outlook) => {
            let unfound = outlook.unfound;
            StopReason::Found {
                found: outlook.found,
                unfound: unfound.map_or(0, |unfound| unfound.value.round() as u64),
                at_most: unfound.map_or(0, |unfound| unfound.high.ceil() as u64),
            }
        }
    }
}

/// Whether two URLs share a registrable domain.
fn is_same_site(a: &CanonicalUrl, b: &CanonicalUrl) -> bool {
    registrable_domain(a.host()) == registrable_domain(b.host())
}
