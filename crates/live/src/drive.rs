//! The driver's loop: the one thread that owns the crawl.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};
use scenthound_cluster::Status;
use scenthound_engine::{
    Agent, AgentFacts, Crawl, CrawlSettings, FLUSHED_MARK, LeaseResult, MARK, PageProcessor, PageSettings,
    Pupil, Step, StopReason, Tally, needs_of, requisites_stack,
};
use scenthound_fetch::{FetchSettings, Fetcher};
use scenthound_frontier::{Counts, Frontier, HostPolicy, Survey, UnprovenLimits};
use scenthound_frontier_durable::DurableFrontier;
use scenthound_judge::Judge;
use scenthound_store::{ArchiveSettings, CrawlFolder, Cut, Mark, PageRecord, RecordFiles};
use scenthound_strategy::Needs;
use scenthound_types::{Keyring, Outcome, Timestamp};

use crate::LiveError;
use crate::clock::Clock;
use crate::descriptors::Descriptors;
use crate::flusher::Flusher;
use crate::memory::{Allowance, MemoryWatch, in_use, usual_limit};
use crate::outage::{Handling, Held, Outage};
use crate::record::{FolderRecorder, PackedVisit};
use crate::rejudge::Rejudged;
use crate::request_log::RequestLog;
use crate::spacing::Spacing;
use crate::stages::{Stage, StageTimes, StageWatch};
use crate::station::{self, ClusterNode, Station};
use crate::steer::{Steered, Steerer};
use crate::worker::{WorkerContext, WorkerEvent};

/// Settled pages become durable every few milliseconds, or when this many have been settled.
const SETTLES_PER_COMMIT: usize = 256;
/// With this many settles since the last commit the crawl is a fast one: it commits less often, so that what neighbouring pages
/// say of the same links is written once. A kill costs it a few more pages, which are fetched again.
const MANY_SETTLES: usize = 8;
const COMMIT_WHEN_FAST: Duration = Duration::from_millis(50);
/// Committed pages are flushed to the disk itself this often.
const SYNC_EVERY: Duration = Duration::from_secs(1);
/// At each of these times as many ranks of links that were scored again are written as make up this part of all known links, so
/// that each has its turn within ten minutes. Written every few seconds, a hundred for every page, they would be most of what the
/// store has to merge. After a kill links are in the order of up to ten minutes before, and are scored again.
const RANKS_TURNS: u64 = 600;
/// But no fewer than this…
const FEWEST_RANKS: u64 = 1_000;
/// …and no more than this at once when a crawl ends: all in one batch would take more memory than the frontier.
const MOST_RANKS: usize = 200_000;
/// How often progress is reported and the stop switch checked.
const TICK: Duration = Duration::from_millis(100);
/// How long a probe waits for one host.
const PROBE_LIMIT: Duration = Duration::from_secs(5);
/// Hosts that have not answered yet are always given this much time.
const LEAST_PATIENCE: Duration = Duration::from_secs(2);
/// How long requests in flight may take to finish once the crawl is stopping. What has not arrived by then is fetched
/// again on resume.
const GRACE: Duration = Duration::from_secs(5);
/// The queue is looked over this often, if that is cheap…
const SURVEY_EVERY: Duration = Duration::from_secs(3);
/// …and otherwise so rarely that it takes this small a share of the time.
const SURVEY_SHARE: u32 = 300;
/// Hosts that are named when the queue is looked over.
const SURVEYED_HOSTS: usize = 40;
/// A crawl that commits this seldom also writes the ranks that have changed, if they are few, so that after a kill it goes on in
/// the same order. A fast one would spend more on that than on anything else.
const SELDOM: Duration = Duration::from_millis(25);
const FEW_RANKS: usize = 2_000;
/// The fewest links that are to go to the disk when memory is short.
const FEWEST_SPILLED: u64 = 100_000;
/// As a last resort, links go to the disk whatever the frontier takes, as long as half of those that wait are this many.
const FEWEST_AS_LAST_RESORT: u64 = 1_000;
/// Links go to the disk only if the frontier takes more than one part in so many of the memory in use.
const FRONTIERS_PART: u64 = 4;
/// How often nodes tell each other what they have learnt.
const TEACH_EVERY: Duration = Duration::from_secs(5);
/// How often it is looked whether other nodes should know of an address.
const SHARE_EVERY: Duration = Duration::from_millis(500);
/// A loop that takes longer than this was not running: the process was stopped, or the machine slept.
const STALL: Duration = Duration::from_secs(5);

/// The settings of a live crawl.
#[derive(Clone, Debug)]
pub struct LiveSettings {
    /// The seed of all randomness.
    pub seed: u64,
    /// The most requests in flight at a time. Fewer are if the system allows too few open files.
    pub concurrency: usize,
    /// The pause between two requests to one IP address.
    pub ip_delay: Duration,
    /// The crawl stops when the disk has less free space than this.
    pub min_free_bytes: u64,
    /// The most memory the process should take, in bytes; none for three quarters of what there is.
    pub max_memory: Option<u64>,
    /// Threads that fetch, parse and judge; 0 for one per core.
    pub threads: usize,
    /// Politeness and limits of the frontier.
    pub policy: HostPolicy,
    /// The page processor's settings.
    pub processor: PageSettings,
    /// The crawl's budgets and limits.
    pub crawl: CrawlSettings,
    /// The limits of a request.
    pub fetch: FetchSettings,
    /// How the archive is written.
    pub archive: ArchiveSettings,
    /// Where CPU time is counted by stage, if it is wanted.
    pub stages: Option<Arc<StageTimes>>,
}

/// Asks a running crawl to save and stop. Clones share one switch.
#[derive(Clone, Debug, Default)]
pub struct StopSwitch(Arc<AtomicBool>);

impl StopSwitch {
    /// Asks the crawl to stop.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the crawl was asked to stop.
    pub fn is_on(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The crawl itself came to an end.
    Done(StopReason),
    /// It was asked to stop; everything is saved.
    Interrupted,
    /// The disk is nearly full; everything is saved.
    Disk,
    /// The memory it may take does not suffice; everything is saved.
    Memory,
}

/// The state of a running crawl.
#[derive(Clone, Debug)]
pub struct Snapshot<'a> {
    /// What it has done so far.
    pub tally: &'a Tally,
    /// What the frontier holds.
    pub counts: Counts,
    /// Running time over all runs.
    pub running: Duration,
    /// Pages of this run alone.
    pub pages_this_run: u64,
    /// Running time of this run alone.
    pub this_run: Duration,
    /// Facts about every agent, in order.
    pub agents: Vec<AgentFacts>,
    /// The crawl folder.
    pub folder: &'a PathBuf,
    /// The queue as it was a few seconds ago.
    pub survey: &'a Survey,
    /// Whether somebody paused the crawl.
    pub is_paused: bool,
    /// Whether no host can be reached, so that nothing is requested.
    pub is_offline: bool,
}

/// What the driver reports while it runs.
#[derive(Clone, Copy, Debug)]
pub enum LiveEvent<'a> {
    /// An attempt has ended and been recorded.
    Settled(&'a PageRecord),
    /// The state of the crawl, several times a second.
    Progress(&'a Snapshot<'a>),
    /// This many pages are about to be judged again by what was learnt: at the end of the crawl, or because people asked for it.
    Ranking {
        /// The pages.
        pages: u64,
    },
    /// The pages were judged again, and the crawl goes on.
    Rejudged(&'a Rejudged),
    /// The crawl has ended with too many pages to judge them all again without being asked.
    NotRanked {
        /// The pages.
        pages: u64,
    },
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Why it ended.
    pub ended: Ended,
    /// What the crawl has done, over all runs.
    pub tally: Tally,
    /// What the frontier still holds.
    pub counts: Counts,
    /// Running time over all runs.
    pub running: Duration,
    /// Pages of this run alone.
    pub pages_this_run: u64,
    /// Bytes that an earlier run had written but not committed, cut off on opening.
    pub cut: u64,
    /// Whether pages were judged by a judge that knew less than it does now.
    pub is_unranked: bool,
    /// The result of judging them again, if that was done.
    pub ranked: Option<Rejudged>,
    /// Whether it ended only because people asked for the pages to be judged again.
    pub wants_rejudging: bool,
}

/// Crawls in a folder until nothing is left, a budget is met or the stop switch is used. Resumes the crawl of an earlier
/// run in that folder.
///
/// What people ask of the crawl through the journal in its folder is done while it runs.
pub fn crawl(
    folder: &CrawlFolder,
    settings: LiveSettings,
    judge: Arc<dyn Judge>,
    agents: Vec<Agent>,
    stop: &StopSwitch,
    watch: &mut dyn FnMut(LiveEvent<'_>),
) -> Result<Summary, LiveError> {
    crawl_steered(folder, settings, judge, agents, stop, &(), watch)
}

/// Like [`crawl`], and does what people ask of the judge too.
pub fn crawl_steered(
    folder: &CrawlFolder,
    settings: LiveSettings,
    judge: Arc<dyn Judge>,
    agents: Vec<Agent>,
    stop: &StopSwitch,
    steered: &dyn Steered,
    watch: &mut dyn FnMut(LiveEvent<'_>),
) -> Result<Summary, LiveError> {
    crawl_as(folder, settings, judge, agents, stop, steered, None, watch)
}

/// Like [`crawl_steered`], as one node of several that crawl together.
#[allow(clippy::too_many_arguments, reason = "everything that a crawl consists of")]
pub fn crawl_in_cluster(
    folder: &CrawlFolder,
    settings: LiveSettings,
    judge: Arc<dyn Judge>,
    agents: Vec<Agent>,
    stop: &StopSwitch,
    steered: &dyn Steered,
    node: &ClusterNode,
    watch: &mut dyn FnMut(LiveEvent<'_>),
) -> Result<Summary, LiveError> {
    crawl_as(folder, settings, judge, agents, stop, steered, Some(node), watch)
}

#[allow(clippy::too_many_arguments, reason = "everything that a crawl consists of")]
fn crawl_as(
    folder: &CrawlFolder,
    settings: LiveSettings,
    judge: Arc<dyn Judge>,
    agents: Vec<Agent>,
    stop: &StopSwitch,
    steered: &dyn Steered,
    node: Option<&ClusterNode>,
    watch: &mut dyn FnMut(LiveEvent<'_>),
) -> Result<Summary, LiveError> {
    let clock = Clock::system();
    let keyring = match node {
        Some(_) => Keyring::new(settings.seed).by_site(),
        None => Keyring::new(settings.seed),
    };
    let needs = needs_of(&agents);
    let several = agents.len() > 1;
    let Descriptors {
        concurrency,
        idle_connections,
    } = Descriptors::fit(settings.concurrency);
    if concurrency < settings.concurrency {
        tracing::warn!(
            "only {concurrency} requests are made at a time instead of {}: the system allows too few open files \
             (see ulimit -n)",
            settings.concurrency
        );
    }
    let mut settings = settings;
    settings.fetch.idle_connections = settings.fetch.idle_connections.min(idle_connections);
    let policy = HostPolicy {
        unproven: Some(UnprovenLimits::of(concurrency)),
        ..policy_of(&settings, &agents)
    };
    let frontier =
        scenthound_frontier_durable::open(&folder.layout().state(), policy.clone(), keyring, clock.now())?;
    let mark = committed_mark(folder, &frontier)?;
    let flushed = flushed_mark(&frontier, mark)?;
    let (recorder, cut) = open_records(folder, &settings.archive, flushed, mark)?;
    if !cut.is_nothing() {
        log(
            folder,
            clock.now(),
            &format!(
                "cut {} bytes from the archive and {} bytes from the page records, which an earlier run had written and \
                 not committed; they are set aside in files with cut-at in their names",
                cut.archive.bytes, cut.pages
            ),
        );
    }
    let first_byte = settings.fetch.limits.first_byte;
    let learner = judge.clone();
    let taught = judge.clone();
    let processor = PageProcessor::new(judge, needs, keyring, settings.processor);
    let context = Arc::new(WorkerContext {
        fetcher: Fetcher::new(settings.fetch)?,
        processor: RwLock::new(Arc::new(processor)),
        spacing: Spacing::new(settings.ip_delay),
        clock,
        ask_until: AtomicU64::new(u64::MAX),
        delay: policy.delay,
        seed: settings.archive.seed,
        compression: settings.archive.compression,
        packers: Mutex::default(),
        stages: settings.stages,
        // The numbers start from the time, so that no two runs share one.
        exchanges: AtomicU64::new(clock.now().as_millis() << 20),
    });
    let threads = match settings.threads {
        0 => std::thread::available_parallelism().map_or(2, usize::from),
        given => given,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .max_blocking_threads(threads.max(2))
        .enable_all()
        .build()
        .map_err(LiveError::Threads)?;
    let now = clock.now();
    let recorder = FolderRecorder {
        files: recorder,
        several_agents: several,
        requisites: policy.requisites,
        log: RequestLog::open(&folder.layout().logs()),
        settled: Vec::new(),
    };
    let start = Start {
        folder,
        stop,
        steered,
        needs,
        keyring,
        runtime: &runtime,
        context,
        cut,
        concurrency,
        first_byte,
        min_free_bytes: settings.min_free_bytes,
        max_memory: settings.max_memory,
        byte_budget: settings.crawl.budget.bytes,
        judge: taught,
    };
    let summary = match node {
        None => {
            let crawl = Crawl::start_with(settings.crawl, frontier, agents, recorder, keyring, now)?;
            run(start, crawl, learner, watch)?
        }
        Some(node) => {
            let pages = settings.crawl.budget.pages;
            let frontier = node.join(folder, frontier, policy, keyring, pages, now)?;
            let crawl = Crawl::start_with(settings.crawl, frontier, agents, recorder, keyring, now)?;
            run(start, crawl, learner, watch)?
        }
    };
    scenthound_store::bring_indexes_up_to_date(folder.layout())?;
    // Requests that did not finish in time are dropped with their connections.
    runtime.shutdown_timeout(Duration::from_millis(100));
    Ok(summary)
}

/// What a run starts with, whatever its frontier.
struct Start<'a> {
    folder: &'a CrawlFolder,
    stop: &'a StopSwitch,
    steered: &'a dyn Steered,
    needs: Needs,
    keyring: Keyring,
    runtime: &'a tokio::runtime::Runtime,
    context: Arc<WorkerContext>,
    cut: Cut,
    concurrency: usize,
    first_byte: Duration,
    min_free_bytes: u64,
    max_memory: Option<u64>,
    byte_budget: Option<u64>,
    judge: Arc<dyn Judge>,
}

/// Runs a crawl from its start to its end.
fn run<F: Station>(
    start: Start<'_>,
    mut crawl: Crawl<F, FolderRecorder>,
    learner: Arc<dyn Judge>,
    watch: &mut dyn FnMut(LiveEvent<'_>),
) -> Result<Summary, LiveError> {
    let Start {
        folder,
        stop,
        steered,
        needs,
        keyring,
        runtime,
        context,
        cut,
        concurrency,
        first_byte,
        min_free_bytes,
        max_memory,
        byte_budget,
        judge,
    } = start;
    let now = context.clock.now();
    crawl.teach(learner)?;
    if F::IS_SHARED {
        crawl.share_lessons();
    }
    let steerer = Steerer::open(folder.layout())?;
    if let Some(steering) = steerer.in_force() {
        crawl.steer(steering, now)?;
    }
    let (events_in, events) = unbounded();
    let root = folder.layout().root().to_path_buf();
    let mut drive = Drive {
        started_pages: crawl.tally().pages,
        crawl,
        context,
        runtime,
        events,
        events_in,
        out: 0,
        outage: Outage::default(),
        held: Vec::new(),
        flusher: Flusher::start().map_err(LiveError::Threads)?,
        settled: 0,
        last_commit: Instant::now(),
        last_sync: Instant::now(),
        last_tick: Instant::now(),
        started: Instant::now(),
        concurrency,
        first_byte,
        min_free_bytes,
        byte_budget,
        idle: None,
        ask_until: Timestamp::NEVER,
        next_sharing: Timestamp::ZERO,
        next_lesson: Timestamp::ZERO,
        has_told: false,
        untold: Vec::new(),
        memory: max_memory
            .or_else(usual_limit)
            .map(|most| MemoryWatch::new(most, concurrency)),
        fits_memory: concurrency,
        has_spilled: false,
        next_spill: Instant::now(),
        folder,
        root,
        stop,
        last_round: Instant::now(),
        woke: Timestamp::ZERO,
        steerer,
        judge,
        steered,
        needs,
        keyring,
        paused: None,
        survey: Survey::default(),
        next_survey: Instant::now(),
    };
    // Something may have been asked since the judge was built.
    drive.apply_topic()?;
    drive.learn_if_asked()?;
    let ended = drive.run(watch)?;
    drive.drain()?;
    drive.report_settled(watch);
    drive.keep_ranks(ended)?;
    drive.flusher.finish()?;
    drive.crawl.commit_and_sync(drive.context.clock.now())?;
    let counts = drive.crawl.counts();
    drive.next_survey = Instant::now();
    drive.look_over();
    drive.report_progress(watch);
    drive.crawl.frontier_mut().leave()?;
    Ok(Summary {
        ended,
        tally: drive.crawl.tally().clone(),
        counts,
        running: drive.crawl.running(drive.context.clock.now()),
        pages_this_run: drive.crawl.tally().pages - drive.started_pages,
        cut: cut.archive.bytes + cut.pages,
        is_unranked: drive.crawl.is_unranked(),
        ranked: None,
        wants_rejudging: drive.wants_rejudging(),
    })
}

/// Writes a line to the crawl's log, for whoever looks there later. A crawl does not fail because of its log.
pub(crate) fn log(folder: &CrawlFolder, now: Timestamp, what: &str) {
    let path = folder.layout().logs().join("crawl.log");
    let line = format!("{} {what}\n", now.to_rfc3339());
    let written = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .and_then(|mut file| file.write_all(line.as_bytes()));
    if let Err(error) = written {
        tracing::warn!("could not write to {}: {error}", path.display());
    }
}

/// How far the records reached at the last commit.
pub(crate) fn committed_mark(folder: &CrawlFolder, frontier: &DurableFrontier) -> Result<Mark, LiveError> {
    match frontier.notes(MARK)?.pop() {
        Some((_, bytes)) => Ok(Mark::from_bytes(&bytes)?),
        // Page records are written only after a first commit. With records but no mark, opening would cut them to nothing.
        None if std::fs::metadata(folder.layout().pages()).is_ok_and(|pages| pages.len() > 0) => {
            Err(LiveError::StateLost {
                folder: folder.layout().root().to_path_buf(),
            })
        }
        None => Ok(Mark::default()),
    }
}

/// How far the records were certainly on the disk at the last commit.
pub(crate) fn flushed_mark(frontier: &DurableFrontier, mark: Mark) -> Result<Mark, LiveError> {
    match frontier.notes(FLUSHED_MARK)?.pop() {
        Some((_, bytes)) => Ok(Mark::from_bytes(&bytes)?),
        // An older program took no note of it.
        None => Ok(mark),
    }
}

/// The frontier's policy in a crawl with these settings and agents.
pub(crate) fn policy_of(settings: &LiveSettings, agents: &[Agent]) -> HostPolicy {
    let needs = needs_of(agents);
    HostPolicy {
        all_parents: needs.all_parents,
        siblings: needs.siblings,
        ranks_follow_notes: needs.notes,
        oldest_from: needs.oldest_from,
        hold_back: needs.hold_back.filter(|_| settings.crawl.budget.pages.is_some()),
        agents: u8::try_from(agents.len()).unwrap_or(u8::MAX),
        requisites: requisites_stack(agents.len()),
        ..settings.policy.clone()
    }
}

/// Opens archive and page records as they were at the mark. After a power failure some of what was written after the last flush
/// may be missing: what comes before is then kept, and a warning says how much is lost.
pub(crate) fn open_records(
    folder: &CrawlFolder,
    settings: &ArchiveSettings,
    flushed: Mark,
    mark: Mark,
) -> Result<(RecordFiles, Cut), LiveError> {
    let mut intact = RecordFiles::intact_mark(folder, flushed, mark)?;
    let mut opened = RecordFiles::open(folder, settings.clone(), intact);
    if let Err(scenthound_store::Error::Short { .. }) = opened {
        intact = RecordFiles::repaired_mark(folder, settings, mark)?;
        opened = RecordFiles::open(folder, settings.clone(), intact);
    }
    if intact != mark {
        let what = format!(
            "{}: the last {} bytes of the page records, or responses that belong to them, are lost; the pages in them count \
             as fetched until hound repair queues them again",
            folder.layout().root().display(),
            mark.pages.saturating_sub(intact.pages)
        );
        tracing::warn!("{what}");
        log(folder, Clock::system().now(), &what);
    }
    Ok(opened?)
}

struct Drive<'a, F> {
    crawl: Crawl<F, FolderRecorder>,
    context: Arc<WorkerContext>,
    runtime: &'a tokio::runtime::Runtime,
    events: Receiver<WorkerEvent>,
    events_in: Sender<WorkerEvent>,
    /// Leases that workers hold.
    out: usize,
    outage: Outage,
    /// Results that may be due to an outage of our own.
    held: Vec<LeaseResult<PackedVisit>>,
    flusher: Flusher,
    /// Settles since the last commit.
    settled: usize,
    last_commit: Instant,
    last_sync: Instant,
    last_tick: Instant,
    started: Instant,
    started_pages: u64,
    concurrency: usize,
    /// The usual limit until the first byte of a response.
    first_byte: Duration,
    min_free_bytes: u64,
    byte_budget: Option<u64>,
    /// Why there is nothing to do on this node, while others may still bring something.
    idle: Option<StopReason>,
    /// Until when requests may be made.
    ask_until: Timestamp,
    /// When other nodes are told next which addresses are asked…
    next_sharing: Timestamp,
    /// …and what was learnt.
    next_lesson: Timestamp,
    /// Whether it has told everything since it has nothing to do.
    has_told: bool,
    /// Lasting lessons that Redis has not got yet: who has learnt them, name and lesson.
    untold: Vec<(u8, String, Vec<u8>)>,
    memory: Option<MemoryWatch>,
    /// How many requests at a time the memory allows.
    fits_memory: usize,
    /// Whether links have left memory for the disk, and when more may.
    has_spilled: bool,
    next_spill: Instant,
    folder: &'a CrawlFolder,
    root: PathBuf,
    stop: &'a StopSwitch,
    /// When the loop last came round.
    last_round: Instant,
    /// When the process last woke up. What failed across that moment is nobody's fault.
    woke: Timestamp,
    steerer: Steerer,
    judge: Arc<dyn Judge>,
    steered: &'a dyn Steered,
    needs: Needs,
    keyring: Keyring,
    /// Until when the time of a pause has been left out of the running time.
    paused: Option<Instant>,
    survey: Survey,
    next_survey: Instant,
}

impl<F: Station> Drive<'_, F> {
    fn run(&mut self, watch: &mut dyn FnMut(LiveEvent<'_>)) -> Result<Ended, LiveError> {
        loop {
            if self.last_round.elapsed() > STALL {
                self.woke = self.context.clock.now();
                log(
                    self.folder,
                    self.woke,
                    "the process was stopped for a while; requests under way are repeated",
                );
            }
            self.last_round = Instant::now();
            if self.stop.is_on() {
                return Ok(Ended::Interrupted);
            }
            if self.last_tick.elapsed() >= TICK {
                self.last_tick = Instant::now();
                self.look_over();
                self.report_progress(watch);
                self.share_time();
            }
            self.report_settled(watch);
            self.save_if_due()?;
            if self.last_sync.elapsed() >= SYNC_EVERY {
                let part = (self.crawl.counts().known / RANKS_TURNS).max(FEWEST_RANKS);
                self.crawl
                    .keep_some_ranks(usize::try_from(part).unwrap_or(usize::MAX));
                self.commit()?;
                self.last_sync = Instant::now();
                if self.flusher.is_free()? {
                    let flush = self.crawl.flush_later()?;
                    self.flusher.begin(flush);
                }
                if self.folder.free_space()? < self.min_free_bytes {
                    return Ok(Ended::Disk);
                }
                if !self.fits_into_memory()? {
                    return Ok(Ended::Memory);
                }
            }
            let now = self.context.clock.now();
            self.obey(now)?;
            if self.steerer.is_stopped() || self.wants_rejudging() {
                return Ok(Ended::Interrupted);
            }
            if let Some(ended) = self.attend(now)? {
                return Ok(ended);
            }
            if self.is_paused() {
                self.listen(TICK)?;
                continue;
            }
            self.look_at_network(now)?;
            let mut room = self.concurrency.min(self.fits_memory).saturating_sub(self.out);
            if self.outage.is_offline() || now >= self.ask_until {
                room = 0;
            }
            let watch = StageWatch::start(self.context.stages.as_deref());
            let step = self.crawl.next(room, now)?;
            watch.end(Stage::Next);
            if F::IS_SHARED {
                self.idle = match step {
                    Step::Done(reason) if self.out == 0 && self.held.is_empty() => Some(reason),
                    _ => None,
                };
            }
            match step {
                Step::Fetch(leases) => {
                    for lease in leases {
                        self.out += 1;
                        let (context, events) = (Arc::clone(&self.context), self.events_in.clone());
                        self.runtime.spawn(async move {
                            let work = tokio::spawn(Arc::clone(&context).work(lease.clone()));
                            let event = work.await.unwrap_or_else(|fault| {
                                tracing::error!(url = %lease.url, %fault, "the worker failed");
                                context.failed(lease)
                            });
                            // The owner stops listening only at the very end, when the result is no longer needed.
                            let _ = events.send(event);
                        });
                    }
                    // `next` may have settled refused URLs itself.
                    self.settled += 1;
                    self.listen(Duration::ZERO)?;
                }
                Step::WaitUntil(until) => self.listen(until.since(now).min(TICK))?,
                Step::Blocked => self.listen(TICK)?,
                // Other nodes may still bring something. Only time is each node's own.
                Step::Done(reason) if F::IS_SHARED && reason != StopReason::Time => self.listen(TICK)?,
                Step::Done(reason)
                    if (self.out == 0 && self.held.is_empty()) || reason != StopReason::Exhausted =>
                {
                    return Ok(Ended::Done(reason));
                }
                Step::Done(_) => self.listen(TICK)?,
            }
        }
    }

    /// Sees to the node's duties in a cluster. Returns why the crawl has ended there, once it has.
    fn attend(&mut self, now: Timestamp) -> Result<Option<Ended>, LiveError> {
        if !F::IS_SHARED {
            return Ok(None);
        }
        // Whoever says that it has nothing to do has said before what it has learnt. So when all are done, all can know everything.
        let is_resting = self.idle.is_some() && !self.has_told;
        if now >= self.next_lesson || is_resting {
            self.next_lesson = now + TEACH_EVERY;
            self.has_told = self.idle.is_some();
            self.tell_lessons()?;
            self.hear_lessons()?;
        }
        if self.idle.is_none() {
            self.has_told = false;
        }
        let tally = self.crawl.tally();
        let status = Status {
            pages: tally.pages,
            pages_out: self.crawl.pages_out(),
            relevant: tally.relevant,
            bytes: tally.bytes,
            idle: self.idle.map(station::idle),
        };
        let orders = self.crawl.frontier_mut().attend(&status, now)?;
        let spacing = &self.context.spacing;
        spacing.crawl_with(orders.nodes);
        if now >= self.next_sharing {
            self.next_sharing = now + SHARE_EVERY;
            let asked = spacing.to_share(now);
            for (address, nodes) in self.crawl.frontier_mut().share_addresses(&asked)? {
                spacing.shared_by(address, nodes);
            }
        }
        if let Some(pages) = orders.pages {
            self.crawl.set_page_budget(Some(pages));
        }
        let is_over = self.byte_budget.is_some_and(|most| orders.bytes >= most);
        self.ask_until = if is_over { now } else { orders.ask_until };
        if is_over && self.out == 0 && self.held.is_empty() {
            self.idle = Some(StopReason::Bytes);
        }
        self.context
            .ask_until
            .store(orders.ask_until.as_millis(), Ordering::Relaxed);
        self.settled = self.settled.max(usize::from(orders.has_changes));
        if orders.done.is_some() {
            self.hear_lessons()?;
        }
        Ok(match orders.done {
            Some(why) => Some(Ended::Done(station::reason(why))),
            None if orders.is_stopped => Some(Ended::Interrupted),
            None => None,
        })
    }

    /// Tells other nodes what was learnt here since the last time.
    fn tell_lessons(&mut self) -> Result<(), LiveError> {
        for (pupil, name, lesson) in self.crawl.lasting_lessons() {
            self.untold.push((pupil.code(), name, lesson));
        }
        let frontier = self.crawl.frontier_mut();
        for (pupil, name, lesson) in std::mem::take(&mut self.untold) {
            if !frontier.tell_lasting_lesson(pupil, &name, &lesson)? {
                self.untold.push((pupil, name, lesson));
            }
        }
        for (pupil, lesson) in self.crawl.lessons() {
            self.crawl.frontier_mut().tell_lesson(pupil.code(), &lesson)?;
        }
        Ok(())
    }

    /// Learns from what other nodes have told.
    fn hear_lessons(&mut self) -> Result<(), LiveError> {
        let lasting = self.crawl.frontier_mut().hear_lasting_lessons()?;
        let mut by_pupil: BTreeMap<u8, Vec<(String, Vec<u8>)>> = BTreeMap::new();
        for (pupil, name, lesson) in lasting {
            by_pupil.entry(pupil).or_default().push((name, lesson));
        }
        for (pupil, lessons) in &by_pupil {
            self.crawl.hear_lasting_lessons(Pupil::of_code(*pupil), lessons)?;
        }
        let heard = self.crawl.frontier_mut().hear_lessons()?;
        for (pupil, lesson) in &heard {
            self.crawl.hear_lessons(Pupil::of_code(*pupil), lesson)?;
        }
        self.settled = self.settled.max(heard.len()).max(by_pupil.len());
        Ok(())
    }

    /// Does what people have asked for since the last look.
    fn obey(&mut self, now: Timestamp) -> Result<(), LiveError> {
        if !self.steerer.has_news() {
            return Ok(());
        }
        if let Some(steering) = self.steerer.in_force() {
            self.crawl.steer(steering, now)?;
        }
        self.apply_topic()?;
        self.learn_if_asked()?;
        // Seeds and what was learnt become durable with the next commit.
        self.settled += 1;
        Ok(())
    }

    /// Learns from the marks, if people asked for that.
    fn learn_if_asked(&mut self) -> Result<(), LiveError> {
        if self.steerer.should_learn() {
            // What is to be learnt from must be readable first.
            self.commit()?;
            if let Some(learner) = self.judge.learner() {
                self.steered.learn(learner);
            }
        }
        Ok(())
    }

    /// Judges by what people ask of the topic from here on.
    fn apply_topic(&mut self) -> Result<(), LiveError> {
        let Some((judge, settings)) = self.steered.rebuild(self.steerer.topic()) else {
            return Ok(());
        };
        // What the old judge has learnt must be saved first: the new one goes on from there.
        self.commit()?;
        self.crawl.teach(Arc::clone(&judge))?;
        if F::IS_SHARED {
            self.crawl.share_lessons();
        }
        self.judge = Arc::clone(&judge);
        let processor = PageProcessor::new(judge, self.needs, self.keyring, settings);
        self.context.replace_processor(processor);
        Ok(())
    }

    /// Whether it should end for a while, so that its pages can be judged again.
    fn wants_rejudging(&self) -> bool {
        self.steerer.wants_rejudging() && self.steered.can_rejudge()
    }

    /// Whether the crawl is paused. The time of a pause is no running time.
    fn is_paused(&mut self) -> bool {
        if !self.steerer.is_paused() {
            self.paused = None;
            return false;
        }
        let now = Instant::now();
        if let Some(since) = self.paused.replace(now) {
            self.crawl.skip_time(now.duration_since(since));
        }
        true
    }

    /// Fits the number of requests to the memory. Returns whether that is possible.
    fn fits_into_memory(&mut self) -> Result<bool, LiveError> {
        let (Some(memory), Some(in_use)) = (&mut self.memory, in_use()) else {
            return Ok(true);
        };
        if memory.is_near(in_use) && self.crawl.frontier().memory() > in_use / FRONTIERS_PART {
            let began = Instant::now();
            // The crawl goes on for as long as the links before took.
            if began < self.next_spill {
                return Ok(true);
            }
            let now = self.context.clock.now();
            let frontier = self.crawl.frontier();
            let counts = frontier.counts();
            let of_link = (frontier.memory() / counts.known.max(1)).max(1);
            // Not only links take memory, so the better half stays until it is seen what that brought.
            let links = (memory.excess(in_use) / of_link).min(counts.waiting / 2);
            let moved = self.crawl.spill(links.max(FEWEST_SPILLED), now)?;
            if moved > 0 {
                if !std::mem::replace(&mut self.has_spilled, true) {
                    tracing::warn!("little memory is left: the least promising links wait on the disk");
                }
                memory.was_relieved();
                self.next_spill = Instant::now() + began.elapsed();
                return Ok(true);
            }
        }
        match memory.look(in_use) {
            Allowance::Stop => {
                // Notes in caches and what the store holds of links become less with them, which the frontier does not count.
                let half = self.crawl.counts().waiting / 2;
                let now = self.context.clock.now();
                if half >= FEWEST_AS_LAST_RESORT && self.crawl.spill(half, now)? > 0 {
                    tracing::warn!("too little memory is left: half of the waiting links wait on the disk");
                    memory.was_relieved();
                    return Ok(true);
                }
                tracing::warn!(
                    "with a single request at a time, the crawl still takes {} MB of memory, {} MB of it for known URLs",
                    in_use / 1_000_000,
                    self.crawl.frontier().memory() / 1_000_000
                );
                return Ok(false);
            }
            Allowance::Requests(most) => {
                if most < self.fits_memory {
                    tracing::warn!("little memory is left: only {most} requests are made at a time");
                }
                self.fits_memory = most;
            }
        }
        Ok(true)
    }

    /// Looks the queue over, if that is due.
    fn look_over(&mut self) {
        let started = Instant::now();
        if started < self.next_survey {
            return;
        }
        self.survey = self.crawl.survey(SURVEYED_HOSTS);
        self.next_survey = started + SURVEY_EVERY.max(started.elapsed() * SURVEY_SHARE);
    }

    /// Handles the workers' events, waiting at most this long for the first.
    fn listen(&mut self, wait: Duration) -> Result<(), LiveError> {
        let wait = if self.settled > 0 {
            wait.min(F::COMMIT_EVERY)
        } else {
            wait
        };
        let mut event = self.events.recv_timeout(wait).ok();
        let context = Arc::clone(&self.context);
        let watch = StageWatch::start(context.stages.as_deref());
        for _ in 0..SETTLES_PER_COMMIT {
            let Some(received) = event.take() else { break };
            // One time for all of them would be before the later ones were answered, and their hosts would rest too short.
            self.handle(received, context.clock.now())?;
            event = self.events.try_recv().ok();
        }
        if let Some(left) = event {
            self.handle(left, context.clock.now())?;
        }
        watch.end(Stage::Settle);
        Ok(())
    }

    fn handle(&mut self, event: WorkerEvent, now: Timestamp) -> Result<(), LiveError> {
        if let WorkerEvent::Probed(is_reached) = event {
            if self.outage.probed(is_reached, now) {
                if is_reached {
                    tracing::warn!("the network is back: the crawl goes on");
                } else {
                    tracing::warn!("no host can be reached: the crawl waits until the network is back");
                }
            }
            return self.look_at_network(now);
        }
        self.out -= 1;
        match event {
            WorkerEvent::Probed(_) => {}
            WorkerEvent::Done(result)
                if matches!(result.outcome, Outcome::Failed(failure) if failure.is_hosts_fault())
                    && result.facts.started < self.woke =>
            {
                self.crawl.hand_back(&result.lease, now, now)?;
            }
            WorkerEvent::Done(result) => {
                let asked = result.facts.asked;
                let handling = self
                    .outage
                    .judge(result.lease.target(), &result.outcome, asked, now);
                match handling {
                    Handling::Settle => {
                        self.settled += 1;
                        self.crawl.settle(*result, now)?;
                    }
                    Handling::Hold => self.held.push(*result),
                    Handling::HandBack => self.crawl.hand_back(&result.lease, now, now)?,
                }
            }
            WorkerEvent::Exhausted(lease) => {
                // The next request needs a descriptor that some other request gives back first.
                let fewer = (self.out * 3 / 4).max(1);
                if fewer < self.concurrency {
                    self.concurrency = fewer;
                    tracing::warn!(
                        "too many files are open: only {fewer} requests are made at a time from now on"
                    );
                }
                self.crawl.hand_back(&lease, now + Duration::from_secs(1), now)?;
            }
            WorkerEvent::NotYet(lease, until) => self.crawl.hand_back(&lease, until, now)?,
        }
        Ok(())
    }

    /// Decides about held results and probes the network if that is due.
    fn look_at_network(&mut self, now: Timestamp) -> Result<(), LiveError> {
        if !self.held.is_empty() || self.outage.is_offline() {
            match self.outage.held(now) {
                Held::Keep => {}
                Held::Settle => {
                    for result in std::mem::take(&mut self.held) {
                        self.settled += 1;
                        self.crawl.settle(result, now)?;
                    }
                }
                Held::HandBack => self.hand_held_back(now)?,
            }
        }
        let failing: Vec<_> = self
            .held
            .iter()
            .map(|result| result.lease.target().clone())
            .collect();
        if let Some(hosts) = self.outage.probe(!self.held.is_empty(), &failing, now) {
            let (context, events) = (Arc::clone(&self.context), self.events_in.clone());
            self.runtime.spawn(async move {
                let mut is_reached = false;
                for host in hosts {
                    is_reached = context.fetcher.can_reach(&host, PROBE_LIMIT).await;
                    if is_reached {
                        break;
                    }
                }
                let _ = events.send(WorkerEvent::Probed(is_reached));
            });
        }
        Ok(())
    }

    /// Hands back what may have failed because of us.
    fn hand_held_back(&mut self, now: Timestamp) -> Result<(), LiveError> {
        for result in std::mem::take(&mut self.held) {
            self.crawl.hand_back(&result.lease, now, now)?;
        }
        Ok(())
    }

    /// Lets hosts that have not answered yet take less time the more of them wait for their turn.
    fn share_time(&self) {
        let parked = usize::try_from(self.crawl.counts().hosts_parked).unwrap_or(usize::MAX);
        let most = (parked > 0).then(|| {
            let room = self.concurrency.div_ceil(8);
            let share = room as f64 / room.saturating_add(parked) as f64;
            self.first_byte.mul_f64(share).max(LEAST_PATIENCE)
        });
        self.context.fetcher.hurry_strangers(most);
        // A slow host that nobody waits for may take its time.
        let is_full = self.out >= self.concurrency.min(self.fits_memory);
        let is_crowded = is_full && self.crawl.frontier().has_ready_host(self.context.clock.now());
        self.context.fetcher.crowd(is_crowded);
    }

    fn save_if_due(&mut self) -> Result<(), LiveError> {
        let wait = match self.settled >= MANY_SETTLES {
            true => F::COMMIT_EVERY.max(COMMIT_WHEN_FAST),
            false => F::COMMIT_EVERY,
        };
        let is_due = self.last_commit.elapsed() >= wait || self.settled >= SETTLES_PER_COMMIT;
        if self.settled > 0 && is_due {
            self.commit()
        } else {
            Ok(())
        }
    }

    fn commit(&mut self) -> Result<(), LiveError> {
        if self.last_commit.elapsed() >= SELDOM && self.crawl.frontier().ranks_to_keep() <= FEW_RANKS {
            self.crawl.keep_ranks();
        }
        let watch = StageWatch::start(self.context.stages.as_deref());
        self.crawl.commit(self.context.clock.now())?;
        watch.end(Stage::Commit);
        self.settled = 0;
        self.last_commit = Instant::now();
        Ok(())
    }

    /// Lets the last commit write what is left of the ranks that have changed.
    fn keep_ranks(&mut self, ended: Ended) -> Result<(), LiveError> {
        while self.crawl.frontier().ranks_to_keep() > MOST_RANKS {
            if matches!(ended, Ended::Disk | Ended::Memory) {
                // They can be made again, and what room is left is needed for what cannot.
                return Ok(());
            }
            self.crawl.keep_some_ranks(MOST_RANKS);
            self.commit()?;
        }
        self.crawl.keep_ranks();
        Ok(())
    }

    /// Waits for requests in flight, but not for long.
    fn drain(&mut self) -> Result<(), LiveError> {
        let until = Instant::now() + GRACE;
        while self.out > 0 && Instant::now() < until {
            self.listen(TICK)?;
            self.save_if_due()?;
        }
        self.hand_held_back(self.context.clock.now())
    }

    fn report_progress(&self, watch: &mut dyn FnMut(LiveEvent<'_>)) {
        let tally = self.crawl.tally();
        watch(LiveEvent::Progress(&Snapshot {
            tally,
            counts: self.crawl.counts(),
            running: self.crawl.running(self.context.clock.now()),
            pages_this_run: tally.pages - self.started_pages,
            this_run: self.started.elapsed(),
            agents: self.crawl.agents(),
            folder: &self.root,
            survey: &self.survey,
            is_paused: self.paused.is_some(),
            is_offline: self.outage.is_offline(),
        }));
    }

    /// Reports what was settled since the last call.
    fn report_settled(&mut self, watch: &mut dyn FnMut(LiveEvent<'_>)) {
        for record in self.crawl.recorder_mut().settled.drain(..) {
            watch(LiveEvent::Settled(&record));
        }
    }
}
