//! Repeats a crawl from its own records with another judge, without making any requests.
//!
//! Every attempt in the page records is leased again in a new frontier, processed with the new judge, and settled with its
//! recorded outcome. The new frontier is therefore what the crawl would hold if it had visited the same pages in the same
//! order, one after the other, with the new topic. At the end it takes over from the old frontier what the records cannot
//! give: how long hosts rest, changes from later settings, and entries whose records were lost.
//!
//! **Invariant:** nothing in use is touched before the single switch at the end. If a run is cut short, whoever opens the
//! folder next deletes its leftovers.
//!
//! A judge that learns from the pages of a crawl ends up knowing more than it knew when it judged the first of them. Judging
//! again therefore uses one state of such a judge for all pages: what it had learnt in the crawl ([`Lessons::Kept`]), or what it
//! learns when it is shown all pages once before the first is judged ([`Lessons::Afresh`]).
//!
//! A crawl that ends judges its own pages again with the same topic; for that nothing but judgements has to be made (`rank`).
//!
//! The folder of a node of a cluster has records, archives and notes of its own, but its queue is in Redis. Judging it again
//! (`node`) writes new judgements and notes, and leaves the queue alone.
//!
//! Deliberately absent: the network, and a clock. The time is read once, and everything happens at that moment.

mod node;
mod rank;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use scenthound_engine::{
    Agent, Crawl, CrawlSettings, Found, FoundLink, LeaseResult, PageProcessor, ProcessedPage, Recorder,
    Response, ResponseFacts, Tally, Visit, keep_lessons, needs_of, requisites_stack, saved_lessons,
};
use scenthound_frontier::{Counts, Frontier, HostPolicy, Recall};
use scenthound_frontier_durable::DurableFrontier;
use scenthound_judge::{Judge, Learner, saved_examples};
use scenthound_store::{
    CrawlFolder, CrawlView, Error as StoreError, JudgementRecord, JudgementsFile, Mark, PageRecord,
    RECORD_VERSION, RecordFiles,
};
use scenthound_types::{
    AgentId, CanonicalUrl, Keyring, Language, LeaseKind, Merge, Offer, Outcome, Rank, StateDelta, Timestamp,
};

use crate::LiveError;
use crate::clock::Clock;
use crate::drive::{LiveSettings, StopSwitch, committed_mark, flushed_mark, log, open_records};
use crate::record::{is_hidden, skipped};

pub use node::{NodeLessons, rejudge_node, repair_node, teach_by_node};
pub use rank::rank;

/// The new frontier is committed after this many attempts, so that little waits to be written.
const SETTLES_PER_COMMIT: u64 = 1_000;

/// The result of judging again.
#[derive(Clone, Debug)]
pub struct Rejudged {
    /// Attempts repeated.
    pub attempts: u64,
    /// Pages judged again.
    pub judged: u64,
    /// Pages that are relevant now and were not.
    pub became_relevant: u64,
    /// Pages that were relevant and are no longer.
    pub no_longer_relevant: u64,
    /// Pages whose response could not be read from the archive: they keep their judgement.
    pub kept: u64,
    /// Lines of the page records that could not be repeated.
    pub skipped: u64,
    /// The number of the new judgements.
    pub generation: u32,
    /// The crawl's counts under the new judgements.
    pub tally: Tally,
    /// What the new frontier holds.
    pub counts: Counts,
}

/// What a judge that learns knows when pages are judged again. It makes no difference to other judges.
pub enum Lessons<'a> {
    /// What it had learnt in the crawl. The function may add to it.
    Kept(&'a dyn Fn(&dyn Learner)),
    /// What the pages of the crawl teach it now, and the crawl's examples if they are still wanted.
    Afresh {
        /// Whether they are.
        with_examples: bool,
        /// Agents for the visits that it learns from.
        agents: Vec<Agent>,
        /// Adds to what it has learnt.
        add: &'a dyn Fn(&dyn Learner),
    },
}

/// Judges every stored page again and rebuilds the crawl's state from that. None if it was stopped: the folder is then
/// unchanged.
///
/// `settings_text` becomes the crawl's settings together with the new judgements and the new state.
#[allow(clippy::too_many_arguments, reason = "a crawl is made of the same parts")]
pub fn rejudge(
    folder: &CrawlFolder,
    settings: LiveSettings,
    judge: Arc<dyn Judge>,
    agents: Vec<Agent>,
    lessons: Lessons<'_>,
    settings_text: &str,
    stop: &StopSwitch,
    progress: &mut dyn FnMut(u64),
) -> Result<Option<Rejudged>, LiveError> {
    folder.tidy()?;
    let now = Clock::system().now();
    let layout = folder.layout();
    let keyring = Keyring::new(settings.seed);
    let (old, mark, earlier) = open_old(folder, &settings, read_only(agents.len()), keyring, now)?;

    let generation = layout.generation()? + 1;
    let again = Again {
        folder,
        settings,
        judge,
        keyring,
        now,
        mark,
        generation,
        stop,
    };
    let mut learnt = saved_lessons(&old)?;
    let mut old = old;
    if let Some(learner) = again.judge.learner() {
        match lessons {
            Lessons::Kept(add) => {
                learner
                    .restore(&learnt)
                    .map_err(scenthound_engine::CrawlError::from)?;
                add(learner);
            }
            Lessons::Afresh {
                with_examples,
                agents: first_agents,
                add,
            } => {
                if with_examples {
                    learner.change_examples(&[], saved_examples(&learnt));
                }
                let frontier = again.next_frontier(again.policy(&first_agents))?;
                let Some(taught) = again.repeat(frontier, Some(old), first_agents, true, &mut |_| {})? else {
                    return Ok(None);
                };
                learnt = saved_lessons(taught.crawl.frontier())?;
                let Some(lent) = taught.old else { return Ok(None) };
                old = lent;
                // Only what it taught is needed: the first pages were judged by a judge that knew little.
                drop(taught.crawl);
                folder.tidy()?;
                learner.change_examples(&[], Vec::new());
                add(learner);
            }
        }
    }
    let frontier = again.next_frontier(again.policy(&agents))?;
    let Some(done) = again.repeat(frontier, Some(old), agents, false, progress)? else {
        return Ok(None);
    };
    let Repeat {
        old: Some(old),
        crawl,
        kept,
        skipped,
        attempts,
        ..
    } = done
    else {
        return Ok(None);
    };
    let tally = earlier.judged_as(crawl.tally());
    let (mut frontier, mut recorder) = crawl.into_parts();
    frontier.inherit(&old, now)?;
    let notes = again.notes(&tally, learnt);
    frontier.keep_ranks();
    frontier.commit(&notes)?;
    frontier.sync()?;
    recorder.file.sync()?;
    let counts = frontier.counts();
    // Both stores are closed before one takes the other's place.
    drop(frontier);
    drop(old);
    folder.switch(generation, settings_text)?;
    Ok(Some(Rejudged {
        attempts,
        judged: recorder.judged,
        became_relevant: recorder.became_relevant,
        no_longer_relevant: recorder.no_longer_relevant,
        kept,
        skipped,
        generation,
        tally,
        counts,
    }))
}

/// The result of rebuilding a crawl's state from its records.
#[derive(Clone, Debug)]
pub struct Repaired {
    /// Attempts repeated.
    pub attempts: u64,
    /// Pages whose response is missing in the archive, damaged, or of another URL: they are queued again.
    pub lost: u64,
    /// Lines of the page records that could not be read.
    pub skipped: u64,
    /// Where the old state is now, if there was one.
    pub old_state: Option<std::path::PathBuf>,
    /// Whether what the judge had learnt could be read from the old state. If not, it learnt again from the pages.
    pub kept_lessons: bool,
    /// The crawl's counts.
    pub tally: Tally,
    /// What the new frontier holds.
    pub counts: Counts,
}

/// Rebuilds the state of a crawl from its archive and its page records alone: what was fetched, what waits and with which
/// score, hosts and their rules. Pages whose records were lost are queued again. None if it was stopped: the folder is then
/// unchanged.
///
/// Not recovered: how long hosts rest (each rests one delay), the running time so far, and, unless the old state can still
/// be read, examples of the judge.
pub fn repair(
    folder: &CrawlFolder,
    settings: LiveSettings,
    judge: Arc<dyn Judge>,
    agents: impl Fn() -> Vec<Agent>,
    settings_text: &str,
    stop: &StopSwitch,
    progress: &mut dyn FnMut(u64),
) -> Result<Option<Repaired>, LiveError> {
    folder.tidy()?;
    let now = Clock::system().now();
    let layout = folder.layout();
    let keyring = Keyring::new(settings.seed);
    let saved = salvage(folder, keyring, now);
    let mark = RecordFiles::rescued_mark(folder, &settings.archive)?;
    let generation = layout.generation()? + 1;
    let again = Again {
        folder,
        settings,
        judge,
        keyring,
        now,
        mark,
        generation,
        stop,
    };
    let kept_lessons = saved.is_some();
    let (learnt, running) = saved.unwrap_or_default();
    if let Some(learner) = again.judge.learner() {
        if kept_lessons {
            learner
                .restore(&learnt)
                .map_err(scenthound_engine::CrawlError::from)?;
        } else {
            // The first pages must be judged by what all of them teach, as at the end of a crawl.
            let frontier = again.next_frontier(again.policy(&agents()))?;
            let Some(taught) = again.repeat(frontier, None, agents(), true, &mut |_| {})? else {
                return Ok(None);
            };
            drop(taught.crawl);
            folder.tidy()?;
        }
    }
    let frontier = again.next_frontier(again.policy(&agents()))?;
    let Some(done) = again.repeat(frontier, None, agents(), false, progress)? else {
        return Ok(None);
    };
    let Repeat {
        crawl,
        lost,
        skipped,
        attempts,
        ..
    } = done;
    let mut tally = crawl.tally().clone();
    tally.running = running;
    let (mut frontier, mut recorder) = crawl.into_parts();
    let unknown: Vec<Offer> = lost
        .iter()
        .map(|(url, score)| Offer {
            key: keyring.key(url),
            url: url.clone(),
            rank: Rank::of_score(*score),
            merge: Merge::Keep,
        })
        .collect();
    frontier.seed_for(AgentId::default(), &unknown, now)?;
    let notes = again.notes(&tally, learnt);
    frontier.keep_ranks();
    frontier.commit(&notes)?;
    frontier.sync()?;
    recorder.file.sync()?;
    let counts = frontier.counts();
    drop(frontier);
    let old_state = folder.set_state_aside()?;
    folder.switch(generation, settings_text)?;
    let repaired = Repaired {
        attempts,
        lost: lost.len() as u64,
        skipped,
        old_state,
        kept_lessons,
        tally,
        counts,
    };
    log(
        folder,
        now,
        &format!(
            "rebuilt the state from {attempts} recorded attempts; {} pages are queued again because their records were lost, \
             and {skipped} lines could not be read",
            repaired.lost
        ),
    );
    Ok(Some(repaired))
}

/// What can still be read from a state that may be damaged: what the judge had learnt, and the running time.
type Salvaged = (Vec<(String, Vec<u8>)>, Duration);

fn salvage(folder: &CrawlFolder, keyring: Keyring, now: Timestamp) -> Option<Salvaged> {
    let old = open_to_read(folder, keyring, now)?;
    let (_, tally) = old.notes("engine/tally").ok()?.pop()?;
    let running = Tally::from_bytes(&tally).ok()?.running;
    Some((saved_lessons(&old).ok()?, running))
}

/// Opens a state that may be damaged, if that is possible.
fn open_to_read(folder: &CrawlFolder, keyring: Keyring, now: Timestamp) -> Option<impl Frontier> {
    let policy = HostPolicy {
        delay: Duration::ZERO,
        max_delay: Duration::ZERO,
        agents: AgentId::MOST,
        ..HostPolicy::default()
    };
    scenthound_frontier_durable::open_read_only(&folder.layout().state(), policy, keyring, now).ok()
}

/// How a state is opened that is only read: no requests are made, so no host needs to rest.
fn read_only(agents: usize) -> HostPolicy {
    HostPolicy {
        delay: Duration::ZERO,
        max_delay: Duration::ZERO,
        requisites: requisites_stack(agents),
        ..HostPolicy::default()
    }
}

/// Opens the state of a crawl, and the records as of its last commit. Returns how far they reach, and the counts of the crawl.
fn open_old(
    folder: &CrawlFolder,
    settings: &LiveSettings,
    policy: HostPolicy,
    keyring: Keyring,
    now: Timestamp,
) -> Result<(DurableFrontier, Mark, Tally), LiveError> {
    let old = scenthound_frontier_durable::open(&folder.layout().state(), policy, keyring, now)?;
    let committed = committed_mark(folder, &old)?;
    let flushed = flushed_mark(&old, committed)?;
    let (mut records, _) = open_records(folder, &settings.archive, flushed, committed)?;
    let tally = match old.notes("engine/tally")?.pop() {
        Some((_, bytes)) => Tally::from_bytes(&bytes)
            .map_err(|what| LiveError::Crawl(scenthound_engine::CrawlError::Damaged { what }))?,
        None => Tally::default(),
    };
    // The new state takes these records for granted.
    records.sync()?;
    let mark = records.mark()?;
    Ok((old, mark, tally))
}

/// What it takes to repeat a crawl.
struct Again<'a> {
    folder: &'a CrawlFolder,
    settings: LiveSettings,
    judge: Arc<dyn Judge>,
    keyring: Keyring,
    now: Timestamp,
    mark: Mark,
    generation: u32,
    stop: &'a StopSwitch,
}

impl Again<'_> {
    fn policy(&self, agents: &[Agent]) -> HostPolicy {
        HostPolicy {
            all_parents: needs_of(agents).all_parents,
            agents: u8::try_from(agents.len()).unwrap_or(u8::MAX),
            requisites: requisites_stack(agents.len()),
            ..self.settings.policy.clone()
        }
    }

    /// The frontier that takes the place of the old one.
    fn next_frontier(&self, policy: HostPolicy) -> Result<DurableFrontier, LiveError> {
        let state = self.folder.layout().next_state(self.generation);
        Ok(scenthound_frontier_durable::open(
            &state,
            policy,
            self.keyring,
            self.now,
        )?)
    }

    /// What the crawl has counted, and what its judge knows.
    fn notes(&self, tally: &Tally, learnt: Vec<(String, Vec<u8>)>) -> StateDelta {
        let mut notes = StateDelta::default();
        notes.put("engine/tally", tally.to_bytes());
        if let Some(learner) = self.judge.learner() {
            let mut lessons = StateDelta::default();
            for (name, value) in learnt {
                lessons.put(name, value);
            }
            learner.save_changes(&mut lessons);
            keep_lessons(&lessons, &mut notes);
        }
        notes
    }

    /// Repeats every attempt in a new frontier; the judge may learn from the pages. None if it was stopped.
    fn repeat<F: Frontier>(
        &self,
        frontier: F,
        old: Option<DurableFrontier>,
        agents: Vec<Agent>,
        learns: bool,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Option<Repeat<F>>, LiveError> {
        let layout = self.folder.layout();
        let needs = needs_of(&agents);
        let recorder = JudgementRecorder {
            file: JudgementsFile::create(&layout.judgements(self.generation))?,
            mark: self.mark,
            judged: 0,
            became_relevant: 0,
            no_longer_relevant: 0,
        };
        let crawl_settings: CrawlSettings = self.settings.crawl.clone();
        let mut repeat = Repeat {
            view: CrawlView::open(layout.root())?,
            old,
            processor: PageProcessor::new(
                self.judge.clone(),
                needs,
                self.keyring,
                self.settings.processor.clone(),
            ),
            page_bytes: self.settings.fetch.limits.decoded_bytes,
            sitemap_bytes: self.settings.fetch.limits.sitemap_bytes,
            keyring: self.keyring,
            requisites: requisites_stack(agents.len()),
            crawl: Crawl::start_with(crawl_settings, frontier, agents, recorder, self.keyring, self.now)?,
            now: self.now,
            kept: 0,
            lost: Vec::new(),
            skipped: 0,
            attempts: 0,
        };
        if learns {
            repeat.crawl.teach(self.judge.clone())?;
        }
        let mut pages = repeat.view.pages()?;
        while let Some(record) = pages.next() {
            if self.stop.is_on() {
                drop(repeat);
                self.folder.tidy()?;
                return Ok(None);
            }
            repeat.attempts += 1;
            match record {
                Ok(record) => repeat.attempt(pages.line(), record)?,
                Err(StoreError::BadLine { .. }) => repeat.skipped += 1,
                Err(error) => return Err(error.into()),
            }
            if repeat.attempts.is_multiple_of(SETTLES_PER_COMMIT) {
                repeat.crawl.commit(self.now)?;
            }
            progress(repeat.attempts);
        }
        repeat.crawl.commit(self.now)?;
        Ok(Some(repeat))
    }
}

/// A crawl being repeated.
struct Repeat<F> {
    view: CrawlView,
    /// The frontier that is replaced; none if it is lost.
    old: Option<DurableFrontier>,
    processor: PageProcessor,
    page_bytes: usize,
    sitemap_bytes: usize,
    keyring: Keyring,
    /// The stack of requisites.
    requisites: Option<AgentId>,
    crawl: Crawl<F, JudgementRecorder>,
    now: Timestamp,
    kept: u64,
    /// Pages that cannot be read again and whose links no old frontier knows, with the scores they had.
    lost: Vec<(CanonicalUrl, f64)>,
    skipped: u64,
    attempts: u64,
}

/// What the archive holds of a response.
#[derive(Default)]
struct Stored {
    body: Vec<u8>,
    x_robots_tag: Vec<String>,
    refresh: Option<String>,
}

/// The response from the archive; none if it could not be read.
fn stored(view: &CrawlView, page: &PageRecord, cap: usize) -> Option<Stored> {
    let record = view.record(page.archive.as_ref()?).ok()?;
    // A record of another URL, or one that was changed, says nothing about this page.
    if record.target_uri() != Some(page.url.as_str()) || !record.faults.is_empty() {
        return None;
    }
    let response = record.http()?;
    Some(Stored {
        x_robots_tag: response
            .headers_named("x-robots-tag")
            .map(str::to_owned)
            .collect(),
        refresh: response.header("refresh").map(str::to_owned),
        body: response.body(cap).bytes,
    })
}

impl<F: Frontier> Repeat<F> {
    /// Repeats the attempt of one line.
    fn attempt(&mut self, line: u64, record: PageRecord) -> Result<(), LiveError> {
        let Some((url, kind, outcome)) = read_back(&record) else {
            self.skipped += 1;
            return Ok(());
        };
        // A seed behind a robots.txt that could not be read: it still waits, and nothing was requested.
        if kind == LeaseKind::Page && record.unasked && record.will_retry {
            return Ok(());
        }
        // Rules that were taken over from another host are inherited with the old frontier.
        if kind == LeaseKind::Robots && record.unasked && record.outcome.is_ok() {
            return Ok(());
        }
        let cap = match kind {
            LeaseKind::Sitemap => self.sitemap_bytes,
            LeaseKind::Page | LeaseKind::Robots | LeaseKind::Requisite => self.page_bytes,
        };
        let is_judged = kind == LeaseKind::Page && matches!(outcome, Outcome::Body { .. });
        let stored = stored(&self.view, &record, cap);
        if self.old.is_none() && is_judged && stored.is_none() {
            let score = record.score.filter(|score| score.is_finite()).unwrap_or_default();
            self.lost.push((url, score));
            return Ok(());
        }
        let parent = record
            .parent
            .as_deref()
            .and_then(|parent| CanonicalUrl::parse(parent).ok());
        let agent = AgentId(record.agent.map_or(0, |number| number.saturating_sub(1)));
        let wanted = Recall {
            agent: match (kind, self.requisites) {
                (LeaseKind::Requisite, Some(stack)) => stack,
                _ => agent,
            },
            kind,
            url: &url,
            key: self.keyring.key_for(kind, &url),
            parent: parent.map(|parent| self.keyring.key(&parent)),
            depth: record.depth,
        };
        let Some(lease) = self.crawl.recall(&wanted, self.now)? else {
            self.skipped += 1;
            return Ok(());
        };
        let found = match stored {
            None if is_judged => Found::Page(Box::new(self.as_it_was(&url, &record)?)),
            stored => {
                let stored = stored.unwrap_or_default();
                let response = Response {
                    content_type: record.content_type.as_deref(),
                    x_robots_tag: &stored.x_robots_tag,
                    refresh: stored.refresh.as_deref(),
                    body: &stored.body,
                };
                self.processor.process(&lease, &outcome, &response, self.now)
            }
        };
        let facts = ResponseFacts {
            asked: !record.unasked,
            started: self.now,
            took: Duration::from_millis(record.ms),
            bytes: record.bytes,
            content_type: record.content_type.clone(),
            ..ResponseFacts::default()
        };
        let result = LeaseResult {
            lease,
            outcome,
            found,
            facts,
            payload: Some(Before {
                line,
                was_relevant: record.relevant == Some(true),
            }),
        };
        Ok(self.crawl.settle(result, self.now)?)
    }

    /// A page that cannot be read again: it keeps its judgement and the links the old frontier knows.
    fn as_it_was(&mut self, url: &CanonicalUrl, record: &PageRecord) -> Result<ProcessedPage, LiveError> {
        self.kept += 1;
        let links = match &self.old {
            Some(old) => old.links_of(self.keyring.key(url))?,
            None => Vec::new(),
        };
        let links = links
            .into_iter()
            .map(|url| FoundLink::plain(url, self.keyring))
            .collect();
        Ok(ProcessedPage {
            title: record.title.clone().unwrap_or_default(),
            language: record.language.as_deref().and_then(Language::from_code),
            skipped: record.skipped.unwrap_or_default(),
            fingerprint: record.fingerprint.unwrap_or_default(),
            duplicate_of: record
                .duplicate_of
                .as_deref()
                .and_then(|original| CanonicalUrl::parse(original).ok()),
            ..ProcessedPage::of_links(rank::judgement_of(record), links).with_notes(&record.notes)
        })
    }
}

/// The URL, kind and outcome of a recorded attempt.
fn read_back(record: &PageRecord) -> Option<(CanonicalUrl, LeaseKind, Outcome)> {
    let url = CanonicalUrl::parse(&record.url).ok()?;
    Some((url, record.kind, record.outcome()?))
}

/// What only the records know about an attempt.
struct Before {
    line: u64,
    was_relevant: bool,
}

/// Writes the new judgement of each page.
struct JudgementRecorder {
    file: JudgementsFile,
    /// The mark of the original records, which do not change.
    mark: Mark,
    judged: u64,
    became_relevant: u64,
    no_longer_relevant: u64,
}

impl Recorder for JudgementRecorder {
    type Payload = Before;

    fn record(
        &mut self,
        visit: &Visit<'_>,
        payload: Option<Before>,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let (Some(page), Some(before)) = (visit.page, payload) else {
            return Ok(());
        };
        let judgement = &page.judgement;
        let notes = page.notes();
        let is_relevant = judgement.is_relevant();
        self.judged += 1;
        self.became_relevant += u64::from(is_relevant && !before.was_relevant);
        self.no_longer_relevant += u64::from(!is_relevant && before.was_relevant);
        self.file.append(&JudgementRecord {
            v: RECORD_VERSION,
            line: before.line,
            url: visit.lease.url.to_string(),
            relevance: judgement.relevance,
            relevant: is_relevant,
            genre: judgement.genre.clone(),
            parts: Some(judgement.parts.clone()),
            hidden: is_hidden(&notes),
            notes,
            skipped: skipped(page),
            duplicate_of: page.duplicate_of.as_ref().map(ToString::to_string),
        })?;
        Ok(())
    }

    fn mark(&mut self) -> Result<Option<Vec<u8>>, Box<dyn Error + Send + Sync>> {
        Ok(Some(self.mark.to_bytes().to_vec()))
    }

    fn sync(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(self.file.sync()?)
    }
}
