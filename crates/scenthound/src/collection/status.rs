//! The state of a crawl and its figures.
//!
//! A running crawl owns its frontier, so it writes its figures to `logs/status.json` about once a second. A crawl that was
//! killed leaves figures that may be a second old. In that case everything that the page records contain is counted again, and
//! [`FiguresFrom`] says so.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use scenthound_config::Settings;
use scenthound_engine::Tally;
use scenthound_frontier::Survey;
use scenthound_live::{Rejudged, Snapshot};
use scenthound_store::{CrawlView, Layout, PageRecord, replace};
use scenthound_types::{LeaseKind, Outcome, OutcomeCode, PageNote, Verdict};
use serde::{Deserialize, Serialize};

use super::agents::{self, AgentStatus};
use super::pages::{each_record, each_record_or_warn};
use super::{Collection, CollectionError, Warning, now};

/// A harvest curve has at most this many points.
const MAX_POINTS: usize = 256;

/// The figures of a crawl, as it writes them to `logs/status.json` while it runs and when it ends.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct StatusFile {
    /// The version of the format: [`StatusFile::VERSION`].
    pub version: u32,
    /// When it was written, in UTC.
    pub updated: String,
    /// The process that wrote it.
    pub pid: u32,
    /// Running time over all runs, in milliseconds.
    pub running_ms: u64,
    /// Page attempts settled.
    pub pages: u64,
    /// Pages read.
    pub bodies: u64,
    /// Pages judged relevant.
    pub relevant: u64,
    /// Pages ignored with their links because they use the topic's words in another sense.
    #[serde(default)]
    pub excluded: u64,
    /// Requests for files that pages need to be shown.
    #[serde(default)]
    pub requisites: u64,
    /// The share of relevant pages among the pages attempted.
    pub harvest_rate: f64,
    /// Bytes on the wire.
    pub bytes: u64,
    /// URLs ever seen.
    pub known: u64,
    /// URLs in the queue.
    pub waiting: u64,
    /// URLs dropped from the queue because they waited too long or were the worst of too many.
    #[serde(default)]
    pub expired: u64,
    /// URLs that wait on the disk because memory was short.
    #[serde(default)]
    pub on_disk: u64,
    /// Requests under way.
    pub leased: u64,
    /// Hosts ever seen.
    pub hosts: u64,
    /// Hosts left alone for now.
    pub hosts_resting: u64,
    /// Page attempts that failed.
    pub errors: u64,
    /// Page attempts by outcome code.
    pub outcomes: BTreeMap<String, u64>,
    /// The harvest curve: pages, and relevant pages among them.
    pub curve: Vec<(u64, u32)>,
    /// Why the run ended; `None` while it runs, or if it was killed.
    pub ended: Option<String>,
    /// Whether anything is left to crawl.
    pub resumable: bool,
    /// The directory of agents, if there are several or one has learnt something.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub agents: Vec<AgentStatus>,
    /// Which judgements the figures count: 0 for the first, and one more for each time the pages were rejudged.
    #[serde(default)]
    pub generation: u32,
    /// The queue, as it was a few seconds earlier.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub queue: Option<QueueFigures>,
}

/// What waits, and where.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct QueueFigures {
    /// How many hosts may be asked, rest, are busy and so on, by code.
    pub hosts_by_state: BTreeMap<String, u64>,
    /// How many URLs wait in each class. Lower classes come first.
    pub classes: BTreeMap<u16, u64>,
    /// The lowest and the highest score that waits.
    pub scores: Option<(f64, f64)>,
    /// How many URLs wait, in equal steps from the lowest to the highest score.
    pub bins: Vec<u64>,
    /// The hosts with the most waiting URLs.
    pub hosts: Vec<HostInQueue>,
}

/// A host of which URLs wait.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct HostInQueue {
    /// `scheme://host[:port]`.
    pub origin: String,
    /// Why it is asked now or not, as a code.
    pub state: String,
    /// URLs of it that wait.
    pub waiting: u64,
    /// The best score among them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub best: Option<f64>,
    /// When it may be asked again, if it rests.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rests_until: Option<String>,
    /// Consecutive failures.
    #[serde(default)]
    pub failures: u16,
    /// Page requests settled.
    #[serde(default)]
    pub pages: u32,
    /// Whether somebody boosted it.
    #[serde(default)]
    pub boosted: bool,
}

impl QueueFigures {
    fn of(survey: &Survey) -> QueueFigures {
        let now = now();
        QueueFigures {
            hosts_by_state: (survey.places.iter())
                .map(|(code, count)| ((*code).to_owned(), *count))
                .collect(),
            classes: survey.classes.clone(),
            scores: survey.scores,
            bins: survey.bins.clone(),
            hosts: (survey.hosts.iter())
                .map(|host| HostInQueue {
                    origin: host.origin.clone(),
                    state: host.place.code().to_owned(),
                    waiting: host.waiting,
                    best: host.best,
                    rests_until: (host.rests_until > now).then(|| host.rests_until.to_rfc3339()),
                    failures: host.failures,
                    pages: host.pages,
                    boosted: host.boosted,
                })
                .collect(),
        }
    }
}

impl StatusFile {
    /// The version this program writes.
    pub const VERSION: u32 = 1;

    fn path(layout: &Layout) -> PathBuf {
        layout.logs().join("status.json")
    }

    /// The figures of a running crawl.
    pub fn of(snapshot: &Snapshot<'_>) -> StatusFile {
        let Snapshot { tally, counts, .. } = snapshot;
        StatusFile {
            version: StatusFile::VERSION,
            updated: now().to_rfc3339(),
            pid: std::process::id(),
            running_ms: millis(snapshot.running),
            pages: tally.pages,
            bodies: tally.bodies,
            relevant: tally.relevant,
            excluded: tally.excluded,
            requisites: tally.requisites,
            harvest_rate: tally.harvest_rate(),
            bytes: tally.bytes,
            known: counts.known,
            waiting: counts.waiting,
            leased: counts.leased,
            expired: counts.expired,
            on_disk: counts.on_disk,
            hosts: counts.hosts,
            hosts_resting: counts.hosts_resting,
            errors: tally.errors(),
            outcomes: (tally.outcomes.iter())
                .map(|(code, count)| ((*code).to_owned(), *count))
                .collect(),
            curve: tally.curve(),
            ended: None,
            resumable: counts.waiting + counts.requisites > 0,
            agents: AgentStatus::directory(&snapshot.agents),
            generation: 0,
            queue: Some(QueueFigures::of(snapshot.survey)),
        }
    }

    /// Updates the figures in a crawl folder after its pages were judged again. A crawl that was killed has none; they are
    /// counted from the records.
    pub fn update_rejudged(layout: &Layout, rejudged: &Rejudged) -> Result<(), CollectionError> {
        let Some(last) = StatusFile::read(layout)? else {
            return Ok(());
        };
        let Rejudged { tally, counts, .. } = rejudged;
        let mut counted = Vec::new();
        if !last.agents.is_empty() {
            each_record(&CrawlView::open(layout.root())?, |_, record| {
                if record.counts_as_page() {
                    agents::count_for(&mut counted, &record);
                }
            })?;
        }
        let mut agents = agents::complete(counted, last.agents.clone());
        // Records do not name the only agent of a crawl.
        if let [only] = agents.as_mut_slice() {
            only.relevant = tally.relevant;
        }
        let fresh = StatusFile {
            agents,
            updated: now().to_rfc3339(),
            relevant: tally.relevant,
            excluded: tally.excluded,
            harvest_rate: tally.harvest_rate(),
            curve: tally.curve(),
            known: counts.known,
            waiting: counts.waiting,
            leased: 0,
            hosts: counts.hosts,
            hosts_resting: counts.hosts_resting,
            resumable: counts.waiting + counts.requisites > 0,
            ..last
        };
        fresh.write(layout)
    }

    /// Writes the figures to a crawl folder. A reader finds either the old figures or these, never a mixture.
    pub fn write(&self, layout: &Layout) -> Result<(), CollectionError> {
        let status = StatusFile {
            generation: layout.generation()?,
            ..self.clone()
        };
        let path = StatusFile::path(layout);
        match serde_json::to_vec(&status) {
            Ok(bytes) => Ok(replace(&path, &bytes)?),
            Err(source) => Err(CollectionError::StatusDamaged { path, source }),
        }
    }

    /// The figures last written to a crawl folder, if there are any.
    pub fn read(layout: &Layout) -> Result<Option<StatusFile>, CollectionError> {
        let path = StatusFile::path(layout);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(CollectionError::StatusUnreadable { path, source }),
        };
        match serde_json::from_slice(&text) {
            Ok(status) => Ok(Some(status)),
            Err(source) => Err(CollectionError::StatusDamaged { path, source }),
        }
    }
}

/// Whether a crawl runs, and how its last run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CrawlState {
    /// A process is crawling.
    Running,
    /// The last run ended by itself or was stopped.
    Ended,
    /// The last run was killed, or the machine went down.
    Killed,
    /// The folder was created, but nothing has been crawled yet.
    New,
}

/// Where the figures of a status come from. The records contain pages, bodies, relevant, harvest rate, bytes, errors,
/// outcomes and the curve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FiguresFrom {
    /// All from the status file.
    StatusFile,
    /// Counted from the records; the rest from the status file.
    RecordsAndStatusFile,
    /// Counted from the records; the rest from the frontier.
    RecordsAndFrontier,
    /// Counted from the records; the rest is unknown.
    RecordsOnly,
}

/// How many pages the user marked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct MarkCounts {
    /// As relevant.
    pub relevant: u64,
    /// As irrelevant.
    pub irrelevant: u64,
}

/// How far a crawl has come.
#[derive(Debug)]
pub struct Status {
    /// Whether it runs, and how its last run ended.
    pub state: CrawlState,
    /// The process that is crawling, if there is one; 0 if its number is unknown.
    pub worker: Option<u32>,
    /// The settings; `None` if there are none yet or they could not be read.
    pub settings: Option<Settings>,
    /// The figures.
    pub figures: StatusFile,
    /// Where the figures come from.
    pub figures_from: FiguresFrom,
    /// How many pages the user marked.
    pub marks: MarkCounts,
    /// Whether resuming could find more. A budget that is used up must be raised first.
    pub can_resume: bool,
    /// What could not be read.
    pub warnings: Vec<Warning>,
}

impl Collection {
    /// The state of the crawl and its figures.
    pub fn status(&self) -> Result<Status, CollectionError> {
        let mut warnings = Vec::new();
        // Look for the worker first: if the crawl ends while we read, it has written its last figures by then.
        let worker = self.worker()?;
        let settings = self.settings_or_warn(&mut warnings);
        if let Some(nodes) = self.nodes() {
            return self.status_of_nodes(&nodes, settings, warnings);
        }
        let last = StatusFile::read(self.view.layout()).unwrap_or_else(|error| {
            warnings.push(Warning::StatusFile(error));
            None
        });
        let generation = self.view.layout().generation()?;
        let (state, figures, figures_from) = match (worker, last) {
            (Some(_), Some(figures)) => {
                // Until this run writes its first figures, show those of the previous run, but not how it ended.
                let figures = StatusFile {
                    ended: None,
                    ..figures
                };
                (CrawlState::Running, figures, FiguresFrom::StatusFile)
            }
            (None, Some(figures)) if figures.ended.is_some() && figures.generation == generation => {
                (CrawlState::Ended, figures, FiguresFrom::StatusFile)
            }
            (worker, last) => {
                let counted = StatusFile {
                    ended: last.as_ref().and_then(|last| last.ended.clone()),
                    generation,
                    ..self.count_records(&mut warnings)?
                };
                let state = match worker {
                    Some(_) => CrawlState::Running,
                    None if counted.ended.is_some() => CrawlState::Ended,
                    None if last.is_none() && counted.pages == 0 && counted.outcomes.is_empty() => {
                        CrawlState::New
                    }
                    None => CrawlState::Killed,
                };
                let (figures, figures_from) = self.complete(counted, last, settings.as_ref());
                (state, figures, figures_from)
            }
        };
        Ok(Status {
            state,
            worker,
            can_resume: worker.is_none() && (figures.resumable || state != CrawlState::Ended),
            settings,
            figures,
            figures_from,
            marks: self.count_marks()?,
            warnings,
        })
    }

    /// The state of several nodes together. What the records contain is counted from those of all, because a page that two nodes
    /// settled counts once; the rest is what the nodes say in sum.
    fn status_of_nodes(
        &self,
        nodes: &[Collection],
        settings: Option<Settings>,
        mut warnings: Vec<Warning>,
    ) -> Result<Status, CollectionError> {
        let mut last = StatusFile {
            version: StatusFile::VERSION,
            ..StatusFile::default()
        };
        let mut worker = None;
        let mut has_ended = true;
        for node in nodes {
            let is_running = node.worker()?;
            worker = worker.or(is_running);
            let said = StatusFile::read(node.view.layout()).unwrap_or_else(|error| {
                warnings.push(Warning::StatusFile(error));
                None
            });
            let Some(said) = said else {
                has_ended = false;
                continue;
            };
            has_ended &= said.ended.is_some();
            if said.updated >= last.updated {
                (last.updated, last.pid) = (said.updated, said.pid);
                last.ended = said.ended;
            }
            last.running_ms = last.running_ms.max(said.running_ms);
            last.resumable |= said.resumable;
            last.known += said.known;
            last.waiting += said.waiting;
            last.expired += said.expired;
            last.on_disk += said.on_disk;
            last.leased += if is_running.is_some() { said.leased } else { 0 };
            last.hosts += said.hosts;
            last.hosts_resting += said.hosts_resting;
        }
        if worker.is_some() || !has_ended {
            last.ended = None;
        }
        let counted = self.count_records(&mut warnings)?;
        let state = match worker {
            Some(_) => CrawlState::Running,
            None if last.ended.is_some() => CrawlState::Ended,
            None if counted.outcomes.is_empty() => CrawlState::New,
            None => CrawlState::Killed,
        };
        let figures = StatusFile {
            pages: counted.pages,
            bodies: counted.bodies,
            relevant: counted.relevant,
            excluded: counted.excluded,
            requisites: counted.requisites,
            harvest_rate: counted.harvest_rate,
            bytes: counted.bytes,
            errors: counted.errors,
            outcomes: counted.outcomes,
            curve: counted.curve,
            agents: counted.agents,
            ..last
        };
        Ok(Status {
            state,
            worker,
            can_resume: worker.is_none() && (figures.resumable || state != CrawlState::Ended),
            settings,
            figures,
            figures_from: FiguresFrom::RecordsAndStatusFile,
            marks: self.count_marks()?,
            warnings,
        })
    }

    fn count_marks(&self) -> Result<MarkCounts, CollectionError> {
        let mut counts = MarkCounts::default();
        for mark in self.marks()?.values() {
            match mark {
                Verdict::Relevant => counts.relevant += 1,
                Verdict::Irrelevant => counts.irrelevant += 1,
            }
        }
        Ok(counts)
    }

    /// Counts what the records contain, in the same way as the crawl itself.
    fn count_records(&self, warnings: &mut Vec<Warning>) -> Result<StatusFile, CollectionError> {
        let mut figures = StatusFile {
            version: StatusFile::VERSION,
            resumable: true,
            ..StatusFile::default()
        };
        let mut outcomes: BTreeMap<OutcomeCode, u64> = BTreeMap::new();
        let mut curve = Curve::default();
        each_record_or_warn(&self.view, warnings, |_, record| {
            figures.bytes += record.bytes;
            let counts = record.counts_as_page();
            let is_requisite = record.kind == LeaseKind::Requisite;
            figures.requisites +=
                u64::from(is_requisite && !record.unasked && record.outcome != OutcomeCode::Redirect);
            if counts || record.unasked || is_host_failure(&record) {
                *outcomes.entry(record.outcome).or_default() += 1;
            }
            if counts {
                figures.pages += 1;
                figures.bodies += u64::from(record.is_judged_page());
                figures.relevant += u64::from(record.is_find());
                figures.excluded += u64::from(record.has(PageNote::WrongSense));
                agents::count_for(&mut figures.agents, &record);
                curve.push(figures.pages, figures.relevant);
            }
        })?;
        figures.harvest_rate = figures.relevant as f64 / figures.pages.max(1) as f64;
        let failed = outcomes.iter().filter(|(code, _)| is_failure(**code));
        figures.errors = failed.map(|(_, count)| count).sum();
        figures.outcomes = outcomes
            .into_iter()
            .map(|(code, count)| (code.to_string(), count))
            .collect();
        figures.curve = curve.points;
        Ok(figures)
    }

    /// Adds what only the crawl knew, from the status file or else from the frontier.
    fn complete(
        &self,
        counted: StatusFile,
        last: Option<StatusFile>,
        settings: Option<&Settings>,
    ) -> (StatusFile, FiguresFrom) {
        if let Some(last) = last {
            let figures = StatusFile {
                version: last.version,
                updated: last.updated,
                pid: last.pid,
                running_ms: last.running_ms,
                known: last.known,
                // Requests that were under way when it was killed are back in the queue.
                waiting: last.waiting.saturating_add(last.leased),
                leased: 0,
                expired: last.expired,
                on_disk: last.on_disk,
                hosts: last.hosts,
                hosts_resting: last.hosts_resting,
                resumable: true,
                agents: agents::complete(counted.agents, last.agents),
                queue: last.queue,
                ..counted
            };
            return (figures, FiguresFrom::RecordsAndStatusFile);
        }
        let Some(Ok(frontier)) = settings.map(|settings| self.peek(settings, now())) else {
            return (counted, FiguresFrom::RecordsOnly);
        };
        let Ok(counts) = frontier.counts(now()) else {
            return (counted, FiguresFrom::RecordsOnly);
        };
        let tally = frontier
            .notes("engine/tally")
            .ok()
            .and_then(|mut notes| notes.pop())
            .and_then(|(_, bytes)| Tally::from_bytes(&bytes).ok());
        let running = tally.map(|tally| tally.running).unwrap_or_default();
        let figures = StatusFile {
            running_ms: millis(running),
            known: counts.known,
            waiting: counts.waiting,
            leased: counts.leased,
            expired: counts.expired,
            on_disk: counts.on_disk,
            hosts: counts.hosts,
            hosts_resting: counts.hosts_resting,
            ..counted
        };
        (figures, FiguresFrom::RecordsAndFrontier)
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The limits of a crawl.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Budgets {
    /// Pages.
    pub max_pages: Option<u64>,
    /// Running time, in milliseconds.
    pub max_time_ms: Option<u64>,
    /// Bytes on the wire.
    pub max_bytes: Option<u64>,
}

/// A budget.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Budget {
    /// Pages.
    Pages,
    /// Running time, in milliseconds.
    Time,
    /// Bytes on the wire.
    Bytes,
}

/// A budget that is used up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct BudgetMet {
    /// Which.
    pub budget: Budget,
    /// The limit.
    pub most: u64,
    /// What was spent, which may be a little more.
    pub spent: u64,
}

impl Budgets {
    /// The limits in some settings.
    pub fn of(settings: &Settings) -> Budgets {
        Budgets {
            max_pages: settings.crawl.max_pages,
            max_time_ms: settings.crawl.max_time.map(millis),
            max_bytes: settings.crawl.max_bytes,
        }
    }

    /// Those that are used up.
    pub fn met(&self, figures: &StatusFile) -> Vec<BudgetMet> {
        let budgets = [
            (Budget::Pages, self.max_pages, figures.pages),
            (Budget::Time, self.max_time_ms, figures.running_ms),
            (Budget::Bytes, self.max_bytes, figures.bytes),
        ];
        let met = budgets.into_iter().filter_map(|(budget, most, spent)| {
            let most = most.filter(|most| spent >= *most)?;
            Some(BudgetMet { budget, most, spent })
        });
        met.collect()
    }
}

/// A status as programs read it.
#[derive(Debug, Serialize)]
pub struct StatusReport<'a> {
    /// The folder of the crawl.
    pub folder: &'a Path,
    /// The name of the topic. This and the next five come from the settings.
    pub topic: Option<&'a str>,
    /// The strategy.
    pub strategy: Option<&'a str>,
    /// The judge.
    pub judge: Option<&'a str>,
    /// Its threshold.
    pub threshold: Option<f64>,
    /// The scope.
    pub scope: Option<&'a str>,
    /// The number of seeds.
    pub seeds: Option<usize>,
    /// Whether it runs, and how its last run ended.
    pub state: CrawlState,
    /// The process that is crawling.
    pub worker: Option<u32>,
    /// Figures counted from the page records because the crawl could not write them.
    pub counted: &'static [&'static str],
    /// Figures that are not known.
    pub unknown: &'static [&'static str],
    /// The limits.
    pub budgets: Budgets,
    /// How many pages the user marked.
    pub marks: MarkCounts,
    /// The figures.
    #[serde(flatten)]
    pub figures: &'a StatusFile,
}

/// The figures that records contain.
const COUNTED: &[&str] = &[
    "pages",
    "bodies",
    "relevant",
    "harvest_rate",
    "bytes",
    "errors",
    "outcomes",
    "curve",
];
/// The figures that only a crawl and its frontier know.
const OF_THE_FRONTIER: &[&str] = &[
    "running_ms",
    "known",
    "waiting",
    "leased",
    "hosts",
    "hosts_resting",
];

impl Status {
    /// The status of the crawl in a folder as programs read it.
    pub fn report<'a>(&'a self, folder: &'a Path) -> StatusReport<'a> {
        let settings = self.settings.as_ref();
        StatusReport {
            folder,
            topic: settings.map(|settings| settings.topic.name.as_str()),
            strategy: settings.map(|settings| settings.strategy.kind.name()),
            judge: settings.map(|settings| settings.judge.kind.name()),
            threshold: settings.map(|settings| settings.judge.threshold),
            scope: settings.map(|settings| settings.crawl.scope.name()),
            seeds: settings.map(|settings| settings.seeds.urls.len()),
            state: self.state,
            worker: self.worker,
            counted: match self.figures_from {
                FiguresFrom::StatusFile => &[],
                _ => COUNTED,
            },
            unknown: match self.figures_from {
                FiguresFrom::RecordsOnly => OF_THE_FRONTIER,
                _ => &[],
            },
            budgets: settings.map_or(Budgets::default(), Budgets::of),
            marks: self.marks,
            figures: &self.figures,
        }
    }
}

/// Whether the attempt failed because of the host. Such failures count whatever was requested.
fn is_host_failure(record: &PageRecord) -> bool {
    matches!(record.outcome(), Some(Outcome::Failed(failure)) if failure.is_hosts_fault())
}

/// Whether an attempt with this outcome failed, rather than being refused or redirected.
fn is_failure(code: OutcomeCode) -> bool {
    !code.is_ok() && !code.is_refused() && !matches!(code, OutcomeCode::Redirect | OutcomeCode::NotRecorded)
}

/// A harvest curve of limited size: when it has too many points, every second one is dropped.
#[derive(Default)]
struct Curve {
    points: Vec<(u64, u32)>,
    stride: u64,
}

impl Curve {
    fn push(&mut self, pages: u64, relevant: u64) {
        self.stride = self.stride.max(1);
        if !pages.is_multiple_of(self.stride) {
            return;
        }
        self.points
            .push((pages, u32::try_from(relevant).unwrap_or(u32::MAX)));
        if self.points.len() >= MAX_POINTS {
            self.stride *= 2;
            self.points.retain(|(pages, _)| pages.is_multiple_of(self.stride));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_counted_from_records_stays_small_and_correct() {
        let mut curve = Curve::default();
        (1..=100_000).for_each(|pages| curve.push(pages, pages / 4));
        assert!(curve.points.len() < MAX_POINTS);
        assert!(
            curve
                .points
                .iter()
                .all(|(pages, relevant)| pages / 4 == u64::from(*relevant))
        );
        assert!(curve.points.last().unwrap().0 > 99_000);
    }

    #[test]
    fn a_status_file_of_a_later_version_can_still_be_read() {
        let mut json = serde_json::to_value(StatusFile {
            version: 2,
            pages: 7,
            ..StatusFile::default()
        })
        .unwrap();
        json["mood"] = 9.into();
        let status: StatusFile = serde_json::from_value(json).unwrap();
        assert_eq!(status.pages, 7);
    }
}
