//! `hound status`: what a crawl is, how far it came, and what can be done with it.
//!
//! A running crawl owns its frontier's store, so it writes its figures to `logs/status.json` about once a second. A
//! crawl that was killed left figures up to a second old; what the page records can tell is then counted from them, and
//! the answer says which figures those are.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use scenthound_config::Settings;
use scenthound_engine::Tally;
use scenthound_frontier::Frontier;
use scenthound_report::text::harvest_curve;
use scenthound_store::{CrawlView, Layout, PageRecord, replace};
use scenthound_types::{Outcome, PageNote, Verdict};
use serde::{Deserialize, Serialize};

use crate::agents::{self, AgentStatus};
use crate::look;
use crate::stdout;
use crate::table::terminal_width;
use crate::wording::{bytes, count, counted, harmless, time};

/// The form of the file this version writes.
const VERSION: u32 = 1;

/// What a crawl looks like, also while it runs.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound status tea                        figures, budgets, harvest curve
  watch hound status tea                  the same while a crawl runs
  hound status tea --json | jq .relevant  for scripts")]
pub struct Args {
    /// The folder of the crawl.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Answer in JSON.
    #[arg(long)]
    pub json: bool,
}

/// The figures of a crawl, as it writes them to `logs/status.json` while it runs and when it ends.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct StatusFile {
    /// The form of this file.
    pub version: u32,
    /// When it was written, in UTC.
    pub updated: String,
    /// The process that wrote it.
    pub pid: u32,
    /// Running time over all runs.
    pub running_ms: u64,
    /// Page attempts settled.
    pub pages: u64,
    /// Pages read.
    pub bodies: u64,
    /// Pages judged relevant.
    pub relevant: u64,
    /// Pages ignored with their links: in the wrong sense.
    #[serde(default)]
    pub excluded: u64,
    /// Relevant pages among the pages attempted.
    pub harvest_rate: f64,
    /// Bytes on the wire.
    pub bytes: u64,
    /// URLs ever seen.
    pub known: u64,
    /// URLs in line.
    pub waiting: u64,
    /// URLs that waited and were forgotten: too long, or the worst of too many.
    #[serde(default)]
    pub expired: u64,
    /// Requests out.
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
    /// Why the run ended; none while it runs, or if it was killed.
    pub ended: Option<String>,
    /// Whether there is something left to resume for.
    pub resumable: bool,
    /// The directory of agents, where there are several or where one has learnt something.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub agents: Vec<AgentStatus>,
    /// Which judgements these figures speak of: 0 for the first, one more each time the pages were judged again.
    #[serde(default)]
    pub generation: u32,
}

fn path(layout: &Layout) -> PathBuf {
    layout.logs().join("status.json")
}

/// Writes the figures; whoever reads the file finds the old ones or these.
pub fn write(layout: &Layout, status: &StatusFile) -> anyhow::Result<()> {
    let status = StatusFile {
        generation: layout.generation()?,
        ..status.clone()
    };
    Ok(replace(&path(layout), &serde_json::to_vec(&status)?)?)
}

/// The figures last written; none if there are none.
pub fn read(layout: &Layout) -> anyhow::Result<Option<StatusFile>> {
    let path = path(layout);
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    let status = serde_json::from_slice(&text).with_context(|| {
        format!(
            "{} is damaged; the next run of the crawl writes it anew",
            path.display()
        )
    })?;
    Ok(Some(status))
}

/// What becomes of a crawl at the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum State {
    /// A process works on it.
    Running,
    /// Its last run came to its end.
    Ended,
    /// Its last run was killed or the machine went down.
    Killed,
    /// It was made, but nothing came of it yet.
    New,
}

/// All that is told of a crawl.
#[derive(Debug, Serialize)]
struct Report {
    folder: String,
    topic: Option<String>,
    strategy: Option<String>,
    judge: Option<String>,
    threshold: Option<f64>,
    scope: Option<&'static str>,
    seeds: Option<usize>,
    state: State,
    worker: Option<u32>,
    /// What was counted from the page records, because the crawl could not say it itself.
    counted: &'static [&'static str],
    /// What nobody knows.
    unknown: &'static [&'static str],
    budgets: Budgets,
    marks: MarkCounts,
    resume: Option<String>,
    #[serde(flatten)]
    figures: StatusFile,
}

/// How many pages the user marked.
#[derive(Debug, Default, Serialize)]
struct MarkCounts {
    relevant: u64,
    irrelevant: u64,
}

#[derive(Debug, Default, Serialize)]
struct Budgets {
    max_pages: Option<u64>,
    max_time_ms: Option<u64>,
    max_bytes: Option<u64>,
}

impl Budgets {
    /// The options a resumed crawl needs to do more than see that its budgets are met: twice what they were.
    fn raise_met(&self, figures: &StatusFile) -> String {
        let budgets = [
            ("pages", self.max_pages, figures.pages, ""),
            ("time", self.max_time_ms, figures.running_ms, "ms"),
            ("bytes", self.max_bytes, figures.bytes, "B"),
        ];
        let met = budgets.into_iter().filter_map(|(name, most, spent, unit)| {
            let more = most.filter(|most| spent >= *most)?.max(spent).saturating_mul(2);
            // Whole seconds read better, and nothing is lost by asking for one more.
            Some(match unit {
                "ms" => format!(" --max-{name} {}s", more.div_ceil(1_000)),
                unit => format!(" --max-{name} {more}{unit}"),
            })
        });
        met.collect()
    }
}

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
const OF_THE_FRONTIER: &[&str] = &[
    "running_ms",
    "known",
    "waiting",
    "leased",
    "hosts",
    "hosts_resting",
];

/// Answers `hound status`.
pub fn run(args: Args) -> anyhow::Result<()> {
    let view = look::open(&args.folder)?;
    let report = report(&view)?;
    stdout::write(|out| {
        if args.json {
            serde_json::to_writer_pretty(&mut *out, &report)?;
            writeln!(out)?;
            return Ok(());
        }
        write_text(&report, out)
    })
}

fn report(view: &CrawlView) -> anyhow::Result<Report> {
    // Who works on it is asked first: a crawl that ends in between has written its last figures by then.
    let worker = view.worker()?;
    let settings = look::settings(view).unwrap_or_else(|error| {
        stdout::note(&format!("warning: {error:#}"));
        None
    });
    let last = read(view.layout()).unwrap_or_else(|error| {
        stdout::note(&format!("warning: {error:#}"));
        None
    });
    let generation = view.layout().generation()?;
    let mut marks = MarkCounts::default();
    for mark in view.marks()?.values() {
        match mark {
            Verdict::Relevant => marks.relevant += 1,
            Verdict::Irrelevant => marks.irrelevant += 1,
        }
    }
    let (state, figures, counted, unknown) = match (worker, last) {
        (Some(_), Some(figures)) => {
            // Until the first figures of this run are there, those of the run before are shown, but not its end.
            let figures = StatusFile {
                ended: None,
                ..figures
            };
            (State::Running, figures, &[][..], &[][..])
        }
        (None, Some(figures)) if figures.ended.is_some() && figures.generation == generation => {
            (State::Ended, figures, &[][..], &[][..])
        }
        (worker, last) => {
            let counted = StatusFile {
                ended: last.as_ref().and_then(|last| last.ended.clone()),
                generation,
                ..count_records(view)?
            };
            let state = match worker {
                Some(_) => State::Running,
                None if counted.ended.is_some() => State::Ended,
                None if last.is_none() && counted.pages == 0 && counted.outcomes.is_empty() => State::New,
                None => State::Killed,
            };
            let (figures, unknown) = complete(counted, last, view, settings.as_ref());
            (state, figures, COUNTED, unknown)
        }
    };
    let can_resume = worker.is_none() && (figures.resumable || state != State::Ended);
    let settings = settings.as_ref();
    let budgets = settings.map_or_else(Budgets::default, |s| Budgets {
        max_pages: s.crawl.max_pages,
        max_time_ms: s
            .crawl
            .max_time
            .map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
        max_bytes: s.crawl.max_bytes,
    });
    Ok(Report {
        folder: view.layout().root().display().to_string(),
        topic: settings.map(|s| s.topic.name.clone()),
        strategy: settings.map(|s| s.strategy.kind.name().to_owned()),
        judge: settings.map(|s| s.judge.kind.name().to_owned()),
        threshold: settings.map(|s| s.judge.threshold),
        scope: settings.map(|s| s.crawl.scope.name()),
        seeds: settings.map(|s| s.seeds.urls.len()),
        state,
        worker,
        counted,
        unknown,
        resume: (can_resume && settings.is_some())
            .then(|| look::resume_command(view) + &budgets.raise_met(&figures)),
        budgets,
        marks,
        figures,
    })
}

/// Adds to what was counted what only the crawl knew: as it last said, or as its frontier holds it.
fn complete(
    counted: StatusFile,
    last: Option<StatusFile>,
    view: &CrawlView,
    settings: Option<&Settings>,
) -> (StatusFile, &'static [&'static str]) {
    if let Some(last) = last {
        let figures = StatusFile {
            version: last.version,
            updated: last.updated,
            pid: last.pid,
            running_ms: last.running_ms,
            known: last.known,
            // Requests that were out when it was killed are in line again.
            waiting: last.waiting.saturating_add(last.leased),
            leased: 0,
            expired: last.expired,
            hosts: last.hosts,
            hosts_resting: last.hosts_resting,
            resumable: true,
            agents: agents::complete(counted.agents, last.agents),
            ..counted
        };
        return (figures, &[]);
    }
    let Some(Ok(frontier)) = settings.map(|settings| look::frontier(view, settings, look::now())) else {
        return (counted, OF_THE_FRONTIER);
    };
    let counts = frontier.counts();
    let tally = frontier
        .notes("engine/tally")
        .ok()
        .and_then(|mut notes| notes.pop());
    let running = tally
        .and_then(|(_, bytes)| Tally::from_bytes(&bytes).ok())
        .map(|tally| tally.running);
    let figures = StatusFile {
        running_ms: u64::try_from(running.unwrap_or_default().as_millis()).unwrap_or(u64::MAX),
        known: counts.known,
        waiting: counts.waiting,
        leased: counts.leased,
        expired: counts.expired,
        hosts: counts.hosts,
        hosts_resting: counts.hosts_resting,
        ..counted
    };
    (figures, &[])
}

/// Counts what the page records tell, as the crawl itself counts.
fn count_records(view: &CrawlView) -> anyhow::Result<StatusFile> {
    let mut figures = StatusFile {
        version: VERSION,
        resumable: true,
        ..StatusFile::default()
    };
    let mut curve = Curve::default();
    look::each_record(view, |_, record| {
        figures.bytes += record.bytes;
        let counts = record.counts_as_page();
        if counts || record.unasked || is_hosts_fault(&record) {
            *figures.outcomes.entry(record.outcome.to_string()).or_default() += 1;
        }
        if counts {
            figures.pages += 1;
            figures.bodies += u64::from(record.is_judged_page());
            figures.relevant += u64::from(record.is_relevant());
            figures.excluded += u64::from(record.has(PageNote::WrongSense));
            agents::count_for(&mut figures.agents, &record);
            curve.push(figures.pages, figures.relevant);
        }
    })?;
    figures.harvest_rate = figures.relevant as f64 / figures.pages.max(1) as f64;
    figures.errors = errors(&figures.outcomes).map(|(_, count)| count).sum();
    figures.curve = curve.points;
    Ok(figures)
}

/// Whether it tells of trouble at the host, which counts whatever was asked for.
fn is_hosts_fault(record: &PageRecord) -> bool {
    matches!(record.outcome(), Some(Outcome::Failed(failure)) if failure.is_hosts_fault())
}

fn errors(outcomes: &BTreeMap<String, u64>) -> impl Iterator<Item = (&str, u64)> {
    let failed = outcomes.iter().filter(|(code, _)| code.starts_with("failed"));
    failed.map(|(code, count)| (code.as_str(), *count))
}

/// A harvest curve of at most a few hundred points: when they are many, every second goes.
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
        if self.points.len() >= 256 {
            self.stride *= 2;
            self.points.retain(|(pages, _)| pages.is_multiple_of(self.stride));
        }
    }
}

fn write_text(report: &Report, out: &mut dyn Write) -> anyhow::Result<()> {
    let figures = &report.figures;
    let mut line = |name: &str, text: &str| writeln!(out, "{name:<10}{text}");
    match &report.topic {
        Some(topic) => line("Crawl", &format!("{} in {}", harmless(topic), report.folder))?,
        None => line("Crawl", &format!("{} (it has no settings yet)", report.folder))?,
    }
    if let (Some(strategy), Some(judge), Some(seeds), Some(scope)) =
        (&report.strategy, &report.judge, report.seeds, report.scope)
    {
        let threshold = report.threshold.unwrap_or_default();
        let seeds = counted(seeds as u64, "seed");
        line(
            "",
            &format!("strategy {strategy}, judge {judge} (threshold {threshold}), {seeds}, scope {scope}"),
        )?;
    }
    line("State", &state_text(report))?;
    if report.state != State::New {
        let rate = figures.harvest_rate;
        let [pages, bodies, relevant] = [figures.pages, figures.bodies, figures.relevant].map(count);
        line(
            "Pages",
            &format!("{pages} tried, {bodies} read, {relevant} relevant (harvest rate {rate:.3})"),
        )?;
        if figures.excluded > 0 {
            let pages = counted(figures.excluded, "page");
            line(
                "Ignored",
                &format!("{pages} in the wrong sense, with all links (exclude terms)"),
            )?;
        }
        if figures.generation > 0 {
            let times = match figures.generation {
                1 => "once".to_owned(),
                times => format!("{times} times"),
            };
            line("Judged", &format!("anew {times} since (hound rejudge)"))?;
        }
        let MarkCounts { relevant, irrelevant } = report.marks;
        if relevant + irrelevant > 0 {
            let [relevant, irrelevant] = [relevant, irrelevant].map(count);
            line("Marks", &format!("{relevant} relevant, {irrelevant} irrelevant"))?;
        }
        if report.unknown.is_empty() {
            let [known, waiting, leased] = [figures.known, figures.waiting, figures.leased].map(count);
            line(
                "Frontier",
                &match figures.expired {
                    0 => format!("{known} URLs known, {waiting} waiting, {leased} being fetched"),
                    expired => format!(
                        "{known} URLs known, {waiting} waiting, {leased} being fetched, {} forgotten",
                        count(expired)
                    ),
                },
            )?;
            let resting = count(figures.hosts_resting);
            line("Hosts", &format!("{}, {resting} resting", count(figures.hosts)))?;
            line("Time", &time(Duration::from_millis(figures.running_ms)))?;
        } else {
            line(
                "Frontier",
                "not known: the crawl has not told its figures yet, and its state cannot be read",
            )?;
        }
        line("Bytes", &bytes(figures.bytes))?;
        line("Errors", &count(figures.errors))?;
        let notable = figures.outcomes.iter().filter(|(code, _)| code.as_str() != "ok");
        for (code, number) in notable {
            line("", &format!("{:<27}{:>9}", harmless(code), count(*number)))?;
        }
    }
    for (at, budget) in budget_texts(report).iter().enumerate() {
        line(if at == 0 { "Budget" } else { "" }, budget)?;
    }
    if let Some(resume) = &report.resume {
        let verb = if report.state == State::New {
            "Start"
        } else {
            "Resume"
        };
        line(verb, resume)?;
    }
    agents::write(&figures.agents, out)?;
    let plot = harvest_curve(&figures.curve, terminal_width().min(72), 10);
    if !plot.is_empty() {
        writeln!(out, "\nRelevant pages found:\n{plot}")?;
    }
    if !report.counted.is_empty() && report.state != State::New {
        let last = match (report.unknown.is_empty(), figures.updated.as_str()) {
            (false, _) => String::new(),
            (true, "") => "; the rest is from its frontier".to_owned(),
            (true, updated) => format!("; the rest is of {updated}"),
        };
        stdout::note(&format!(
            "note: pages, relevant, bytes, errors and the curve were counted from pages.jsonl{last}"
        ));
    }
    Ok(())
}

fn state_text(report: &Report) -> String {
    let figures = &report.figures;
    match (report.state, report.worker) {
        (State::Running, pid) => {
            let pid = pid.unwrap_or_default();
            match figures.updated.as_str() {
                "" => format!("running (process {pid})"),
                updated => format!("running (process {pid}), figures of {updated}"),
            }
        }
        (State::Ended, _) => {
            let reason = harmless(figures.ended.as_deref().unwrap_or_default());
            format!("ended {}: {reason}", figures.updated)
        }
        (State::Killed, _) => {
            "stopped without saying why: killed, or the machine went down; nothing settled is lost".to_owned()
        }
        (State::New, _) => "nothing crawled yet".to_owned(),
    }
}

fn budget_texts(report: &Report) -> Vec<String> {
    let (budgets, figures) = (&report.budgets, &report.figures);
    let text = |spent: u64, most: u64, unit: &str, say: &dyn Fn(u64) -> String| {
        let left = match most.saturating_sub(spent) {
            0 => "met".to_owned(),
            left => format!("{} left", say(left)),
        };
        format!("{} of {}{unit}, {left}", say(spent.min(most)), say(most))
    };
    let millis = |millis: u64| time(Duration::from_millis(millis));
    [
        budgets
            .max_pages
            .map(|most| text(figures.pages, most, " pages", &count)),
        budgets
            .max_time_ms
            .map(|most| text(figures.running_ms, most, "", &millis)),
        budgets
            .max_bytes
            .map(|most| text(figures.bytes, most, "", &bytes)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_counted_from_records_stays_small_and_true() {
        let mut curve = Curve::default();
        (1..=100_000).for_each(|pages| curve.push(pages, pages / 4));
        assert!(curve.points.len() < 256);
        assert!(
            curve
                .points
                .iter()
                .all(|(pages, relevant)| pages / 4 == u64::from(*relevant))
        );
        assert!(curve.points.last().unwrap().0 > 99_000);
    }

    #[test]
    fn resuming_past_a_met_budget_names_the_option_to_raise() {
        let budgets = Budgets {
            max_pages: Some(250),
            max_time_ms: Some(1_500),
            max_bytes: Some(10),
        };
        let spent = |pages, running_ms| StatusFile {
            pages,
            running_ms,
            ..StatusFile::default()
        };
        assert_eq!(budgets.raise_met(&spent(249, 0)), "");
        assert_eq!(
            budgets.raise_met(&spent(250, 1_600)),
            " --max-pages 500 --max-time 4s"
        );
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
