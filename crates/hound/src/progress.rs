//! Progress on stderr while a crawl runs: one live line on a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use scenthound::StatusFile;
use scenthound_config::CrawlSettings;
use scenthound_live::Snapshot;
use scenthound_store::Layout;

use crate::terminal::Verbosity;
use crate::wording::{count, counted};

/// How often a plain line is written when stderr is not a terminal.
const PLAIN_EVERY: Duration = Duration::from_secs(5);
/// How often while nothing happens.
const IDLE_EVERY: Duration = Duration::from_secs(60);
/// How often `logs/status.json` is updated.
const STATUS_EVERY: Duration = Duration::from_secs(1);

pub struct Progress {
    layout: Layout,
    max_pages: Option<u64>,
    max_time: Option<Duration>,
    bar: Option<ProgressBar>,
    last_plain: Instant,
    /// Pages, other requests and links waiting when the last line was printed.
    last_shown: (u64, u64, u64),
    last_status: Option<Instant>,
    latest: Option<StatusFile>,
}

impl Progress {
    pub fn new(layout: Layout, settings: &CrawlSettings) -> Progress {
        let has_bar = std::io::stderr().is_terminal() && Verbosity::get() == Verbosity::Usual;
        let bar = has_bar.then(|| {
            let bar = match settings.max_pages {
                Some(most) => ProgressBar::new(most),
                None => ProgressBar::new_spinner(),
            };
            let shape = if settings.max_pages.is_some() {
                "{bar:24} {msg}"
            } else {
                "{spinner} {msg}"
            };
            bar.set_style(
                ProgressStyle::with_template(shape).unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
            bar
        });
        Progress {
            layout,
            max_pages: settings.max_pages,
            max_time: settings.max_time,
            bar,
            last_plain: Instant::now(),
            last_shown: (0, 0, 0),
            last_status: None,
            latest: None,
        }
    }

    /// Shows how far the crawl has come.
    pub fn show(&mut self, snapshot: &Snapshot<'_>) {
        match &self.bar {
            Some(bar) => {
                bar.set_position(snapshot.tally.pages);
                bar.set_message(self.line(snapshot));
            }
            None if self.last_plain.elapsed() >= PLAIN_EVERY => {
                // While nothing happens, one line a minute is enough.
                let now = (
                    snapshot.tally.pages,
                    snapshot.tally.other_requests,
                    snapshot.counts.waiting,
                );
                if now != self.last_shown || self.last_plain.elapsed() >= IDLE_EVERY {
                    self.last_plain = Instant::now();
                    self.last_shown = now;
                    note!("{}", self.line(snapshot));
                }
            }
            None => {}
        }
        if self.last_status.is_none_or(|last| last.elapsed() >= STATUS_EVERY) {
            self.last_status = Some(Instant::now());
            self.write_status(StatusFile::of(snapshot));
        } else {
            self.latest = Some(StatusFile::of(snapshot));
        }
    }

    /// Clears the progress line, so that something else can be printed.
    pub fn pause(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Clears the progress line and records how the crawl ended.
    pub fn end(&mut self, reason: &str) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if let Some(status) = self.latest.take() {
            self.write_status(StatusFile {
                ended: Some(reason.to_owned()),
                ..status
            });
        }
    }

    fn write_status(&mut self, status: StatusFile) {
        // The status file is only informative; a crawl must not fail because of it.
        if let Err(error) = status.write(&self.layout) {
            tracing::warn!("could not write the status file: {error}");
        }
        self.latest = Some(status);
    }

    fn line(&self, snapshot: &Snapshot<'_>) -> String {
        let Snapshot { tally, counts, .. } = snapshot;
        let rate = snapshot.pages_this_run as f64 / snapshot.this_run.as_secs_f64().max(0.001);
        let mut line = format!(
            "{}, {rate:.1}/s, {} relevant ({:.1} %), {} waiting, {} ({} resting), {}, {}",
            counted(tally.pages, "page"),
            count(tally.relevant),
            100.0 * tally.harvest_rate(),
            count(counts.waiting),
            counted(counts.hosts, "host"),
            count(counts.hosts_resting),
            counted(tally.errors(), "error"),
            clock(snapshot.running),
        );
        // Otherwise the line would stay the same without a reason.
        let all_rest = counts.waiting > 0 && counts.hosts_resting > 0 && counts.hosts_resting == counts.hosts;
        if snapshot.is_offline {
            line.push_str("; no host can be reached, waiting for the network");
        } else if snapshot.is_paused {
            line.push_str("; paused");
        } else if all_rest {
            line.push_str("; all hosts rest");
        }
        if let Some(left) = self.time_left(snapshot, rate) {
            line.push_str(&format!(", {} left", clock(left)));
        }
        line
    }

    /// The time left until the first budget is used up.
    fn time_left(&self, snapshot: &Snapshot<'_>, rate: f64) -> Option<Duration> {
        let by_time = self.max_time.map(|most| most.saturating_sub(snapshot.running));
        let by_pages = self.max_pages.filter(|_| rate > 0.0).map(|most| {
            Duration::from_secs_f64((most.saturating_sub(snapshot.tally.pages) as f64 / rate).min(1e9))
        });
        by_time.into_iter().chain(by_pages).min()
    }
}

/// Formats a duration in hours and minutes, or in minutes and seconds.
pub fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("{s}s"),
        (0, m, s) => format!("{m}m{s:02}s"),
        (h, m, _) => format!("{h}h{m:02}m"),
    }
}
