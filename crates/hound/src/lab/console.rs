//! What the lab prints on stderr while it works: a bar in a terminal, a line now and then elsewhere.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use scenthound_lab::{Lab, LabEvent, LabOptions};
use signal_hook::consts::{SIGINT, SIGTERM};

use super::webs::{cache_folder, spinner};
use crate::terminal::Stream;
use crate::wording::counted;

/// Runs a closure with a lab that shows its progress on stderr. The first Ctrl-C stops the crawls of a batch.
pub fn with_lab<T>(threads: Option<usize>, run: impl FnOnce(&Lab<'_>) -> Result<T>) -> Result<T> {
    let begun = Instant::now();
    let console = Console {
        bar: Mutex::default(),
        lines: (!Stream::Err.is_terminal()).then(|| (begun, Mutex::default())),
        stop: Arc::default(),
    };
    run(&Lab::new(LabOptions {
        folder: std::env::current_dir().context("could not determine the current directory")?,
        cache: cache_folder(),
        threads,
        tell: &|event| console.show(event),
        clock: &|| begun.elapsed(),
        stop: &console.stop,
    }))
}

struct Console {
    bar: Mutex<Option<ProgressBar>>,
    /// Where nobody watches a bar: when the command began, and the lines printed since.
    lines: Option<(Instant, Mutex<Lines>)>,
    stop: Arc<AtomicBool>,
}

/// The time between two lines of progress in a log.
const BETWEEN_LINES: Duration = Duration::from_secs(30);

/// Progress for a log: what is being done, in a line per half a minute at most, so that a command that takes seconds prints none
/// and one that takes hours does not look dead.
#[derive(Default)]
struct Lines {
    printed: Duration,
    crawls: usize,
    ended: usize,
}

impl Lines {
    fn begin(&mut self, crawls: usize) {
        (self.crawls, self.ended) = (crawls, 0);
    }

    /// The line about a step, if one is due.
    fn step(&mut self, now: Duration, message: &str) -> Option<String> {
        self.is_due(now)
            .then(|| format!("{message} (after {} s)", now.as_secs()))
    }

    /// The line about a crawl that ended, if one is due.
    fn crawl_ended(&mut self, now: Duration) -> Option<String> {
        self.ended += 1;
        let message = format!("{} of {}", self.ended, counted(self.crawls as u64, "crawl"));
        self.step(now, &message)
    }

    fn is_due(&mut self, now: Duration) -> bool {
        let is_due = now.saturating_sub(self.printed) >= BETWEEN_LINES;
        if is_due {
            self.printed = now;
        }
        is_due
    }
}

impl Console {
    fn show(&self, event: LabEvent<'_>) {
        match event {
            LabEvent::Opening { web } => self.step(format!("opening {web}")),
            LabEvent::Reading { web, pages } => self.step(format!("reading {web}: {pages} pages")),
            LabEvent::Judging { task, judged, pages } => {
                self.step(format!("{task}: {judged} of {pages} pages judged"));
            }
            LabEvent::JudgingFor { label } => self.step(format!("judging {label}")),
            LabEvent::CrawlsBegin { crawls } => self.begin_crawls(crawls),
            LabEvent::CrawlEnded => {
                if let Ok(bar) = self.bar.lock() {
                    bar.iter().for_each(|bar| bar.inc(1));
                }
                self.log(Lines::crawl_ended);
            }
            LabEvent::StepEnded | LabEvent::CrawlsEnded => self.end(),
            LabEvent::ArchiveDamaged { warning } => complain!("warning: {warning}"),
            LabEvent::NotCached => {
                note!("note: the parsed web could not be cached; the next run will read the archive again");
            }
            LabEvent::NegativesDrawn { task, pages } => {
                note!(
                    "task {task} has no negative examples; {pages} random pages of the web are used instead"
                );
            }
            LabEvent::ContextGraph {
                task,
                layers,
                learnt_from,
                evidence,
            } => {
                let sizes: Vec<String> = layers.iter().map(ToString::to_string).collect();
                note!(
                    "context graph of {task}: {} pages, {learnt_from} used for training; {evidence} words count in full",
                    sizes.join("/")
                );
            }
            _ => {}
        }
    }

    /// Prints a line if nobody watches a bar and one is due.
    fn log(&self, line: impl FnOnce(&mut Lines, Duration) -> Option<String>) {
        if let Some((begun, lines)) = &self.lines
            && let Ok(mut lines) = lines.lock()
            && let Some(line) = line(&mut lines, begun.elapsed())
        {
            note!("{line}");
        }
    }

    fn step(&self, message: String) {
        self.log(|lines, now| lines.step(now, &message));
        if let Ok(mut bar) = self.bar.lock() {
            let bar = bar.get_or_insert_with(|| spinner(""));
            bar.set_message(message);
            bar.tick();
        }
    }

    fn begin_crawls(&self, crawls: usize) {
        self.log(|lines, _| {
            lines.begin(crawls);
            None
        });
        for signal in [SIGINT, SIGTERM] {
            if let Err(error) = signal_hook::flag::register(signal, self.stop.clone()) {
                complain!("warning: Ctrl-C will end the program without a report: {error}");
            }
        }
        let bar = ProgressBar::new(crawls as u64);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} crawls  {elapsed} {msg}") {
            bar.set_style(style);
        }
        bar.tick();
        if let Ok(mut shown) = self.bar.lock() {
            *shown = Some(bar);
        }
    }

    fn end(&self) {
        if let Ok(mut bar) = self.bar.lock()
            && let Some(bar) = bar.take()
        {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_gets_a_line_per_half_minute_at_most() {
        let mut lines = Lines::default();
        lines.begin(300);
        let told: Vec<String> = (1..=300)
            .filter_map(|second| lines.crawl_ended(Duration::from_secs(second)))
            .collect();
        assert_eq!(told.len(), 10);
        assert_eq!(told[0], "30 of 300 crawls (after 30 s)");
        assert_eq!(told[9], "300 of 300 crawls (after 300 s)");
    }

    #[test]
    fn a_command_that_takes_seconds_prints_no_progress() {
        let mut lines = Lines::default();
        lines.begin(2);
        assert_eq!(lines.step(Duration::from_secs(5), "opening synth:little"), None);
        assert_eq!(lines.crawl_ended(Duration::from_secs(29)), None);
    }
}
