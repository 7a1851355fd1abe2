//! `hound status`: shows what a crawl looks for, how far it has come and how to resume it.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use scenthound::{CrawlState, FiguresFrom, MarkCounts, StatusReport};
use scenthound_report::text::harvest_curve;
use scenthound_store::Steering;
use serde::Serialize;

use crate::table::terminal_width;
use crate::terminal::{Stream, Style};
use crate::wording::{bytes, count, counted, harmless, time};
use crate::{agents, look, stdout};

/// Show the state of a crawl and its figures, even while it runs.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound status tea                        figures, budgets, harvest curve
  watch hound status tea                  the same while a crawl runs
  hound status tea --json | jq .relevant  for scripts")]
pub struct Args {
    /// The folder of the crawl; for nodes that crawled together the folder above theirs, or all of theirs
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What is shown about a crawl.
#[derive(Debug, Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    report: StatusReport<'a>,
    resume: Option<String>,
    /// Whether somebody paused it.
    paused: bool,
    /// Hosts that somebody blocked.
    blocked_hosts: Vec<String>,
}

/// Runs `hound status`.
pub fn run(args: Args) -> anyhow::Result<()> {
    let collection = look::collection_of(&args.folders)?;
    let status = collection.status()?;
    look::warn(&status.warnings);
    let report = status.report(collection.folder());
    let resume = (status.can_resume && status.settings.is_some()).then(|| {
        look::resume_command(collection.view()) + &look::raise_met(&report.budgets.met(report.figures))
    });
    let actions = collection.view().steering_actions().unwrap_or_default();
    let steering = Steering::of(&actions);
    let shown = Shown {
        report,
        resume,
        paused: steering.is_paused,
        blocked_hosts: steering.blocked.into_iter().collect(),
    };
    stdout::write(|out| {
        if args.json {
            serde_json::to_writer_pretty(&mut *out, &shown)?;
            return Ok(writeln!(out)?);
        }
        write_text(&shown, status.figures_from, out)
    })
}

fn write_text(shown: &Shown<'_>, figures_from: FiguresFrom, out: &mut dyn Write) -> anyhow::Result<()> {
    let report = &shown.report;
    let figures = report.figures;
    let folder = report.folder.display();
    let mut line = |name: &str, text: &str| {
        writeln!(
            out,
            "{}{text}",
            Stream::Out.styled(Style::Bold, &format!("{name:<10}"))
        )
    };
    match report.topic {
        Some(topic) => line("Crawl", &format!("{} in {folder}", harmless(topic)))?,
        None => line("Crawl", &format!("{folder} (it has no settings yet)"))?,
    }
    if let (Some(strategy), Some(judge), Some(seeds), Some(scope)) =
        (report.strategy, report.judge, report.seeds, report.scope)
    {
        let threshold = report.threshold.unwrap_or_default();
        let seeds = counted(seeds as u64, "seed");
        line(
            "",
            &format!("strategy {strategy}, judge {judge} (threshold {threshold}), {seeds}, scope {scope}"),
        )?;
    }
    let pause = if shown.paused {
        "; paused in the dashboard"
    } else {
        ""
    };
    line("State", &format!("{}{pause}", state_text(report)))?;
    if !shown.blocked_hosts.is_empty() {
        let hosts: Vec<String> = shown.blocked_hosts.iter().map(|host| harmless(host)).collect();
        line("Blocked", &hosts.join(", "))?;
    }
    if report.state != CrawlState::New {
        let rate = figures.harvest_rate;
        let [pages, bodies, relevant] = [figures.pages, figures.bodies, figures.relevant].map(count);
        line(
            "Pages",
            &format!("{pages} tried, {bodies} read, {relevant} relevant (harvest rate {rate:.3})"),
        )?;
        if figures.requisites > 0 {
            let files = counted(figures.requisites, "file");
            line(
                "",
                &format!("and {files} that pages need to be shown (--requisites)"),
            )?;
        }
        if figures.excluded > 0 {
            let pages = counted(figures.excluded, "page");
            line(
                "Ignored",
                &format!("{pages} in the wrong sense, including all links there (exclude terms)"),
            )?;
        }
        if figures.generation > 0 {
            let times = match figures.generation {
                1 => "once".to_owned(),
                times => format!("{times} times"),
            };
            line(
                "Rejudged",
                &format!("{times}, by what a crawl had learnt or by hound rejudge"),
            )?;
        }
        let MarkCounts { relevant, irrelevant } = report.marks;
        if relevant + irrelevant > 0 {
            let [relevant, irrelevant] = [relevant, irrelevant].map(count);
            line("Marks", &format!("{relevant} relevant, {irrelevant} irrelevant"))?;
        }
        if figures_from != FiguresFrom::RecordsOnly {
            let [known, waiting, leased] = [figures.known, figures.waiting, figures.leased].map(count);
            let mut frontier = format!("{known} URLs known, {waiting} waiting, {leased} being fetched");
            for (number, what) in [(figures.on_disk, "on the disk"), (figures.expired, "forgotten")] {
                if number > 0 {
                    frontier += &format!(", {} {what}", count(number));
                }
            }
            line("Frontier", &frontier)?;
            let resting = count(figures.hosts_resting);
            line("Hosts", &format!("{}, {resting} resting", count(figures.hosts)))?;
            line("Time", &time(Duration::from_millis(figures.running_ms)))?;
        } else {
            line(
                "Frontier",
                "unknown: the crawl has not written its figures yet, and the frontier could not be read",
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
    if let Some(resume) = &shown.resume {
        let verb = if report.state == CrawlState::New {
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
    if !report.counted.is_empty() && report.state != CrawlState::New {
        let rest = match figures_from {
            FiguresFrom::StatusFile | FiguresFrom::RecordsOnly => String::new(),
            FiguresFrom::RecordsAndFrontier => "; the rest is from its frontier".to_owned(),
            FiguresFrom::RecordsAndStatusFile => format!("; the rest dates from {}", figures.updated),
        };
        stdout::note(&format!(
            "note: pages, relevant, bytes, errors and the curve were counted from pages.jsonl{rest}"
        ));
    }
    Ok(())
}

fn state_text(report: &StatusReport<'_>) -> String {
    let figures = report.figures;
    match (report.state, report.worker) {
        (CrawlState::Running, pid) => {
            let pid = pid.unwrap_or_default();
            match figures.updated.as_str() {
                "" => format!("running (process {pid})"),
                updated => format!("running (process {pid}), figures from {updated}"),
            }
        }
        (CrawlState::Ended, _) => {
            let reason = harmless(figures.ended.as_deref().unwrap_or_default());
            format!("ended {}: {reason}", figures.updated)
        }
        (CrawlState::Killed, _) => {
            "stopped unexpectedly: it was killed, or the machine went down; no finished page is lost"
                .to_owned()
        }
        (CrawlState::New, _) => "nothing crawled yet".to_owned(),
    }
}

fn budget_texts(report: &StatusReport<'_>) -> Vec<String> {
    let (budgets, figures) = (&report.budgets, report.figures);
    let text = |spent: u64, most: u64, unit: &str, say: &dyn Fn(u64) -> String| {
        let left = match most.saturating_sub(spent) {
            0 => "used up".to_owned(),
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
