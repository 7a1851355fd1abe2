//! `hound rejudge`: every stored page judged again under another topic, without fetching, and the queue re-scored.
//!
//! Everything of the topic comes from the new file: terms, judge, genres, and the strategy where the file has one. Where
//! the crawl may go stays as it was. The work is [`scenthound_live::rejudge`]'s; it switches over at the very end, so that
//! a run that is stopped or killed leaves the crawl as it was.

use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use indicatif::{ProgressBar, ProgressStyle};
use scenthound::StatusFile;
use scenthound_config::{Change, Given, OnResume, Settings, changes};
use scenthound_live::{Rejudged, StopSwitch};
use scenthound_store::{CrawlFolder, CrawlView, Error as StoreError};

use crate::judge::{NO_SEED, topic_settings};
use crate::pages_input::{bad_input, end};
use crate::wording::{count, counted};
use crate::{crawl, exit, look};

/// Judges a crawl's pages again under another topic.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound rejudge tea --topic better-tea.toml    judge all stored pages again, re-score what waits
  hound crawl tea/crawl.toml -o tea            then go on with the new terms
  hound results tea                            what the new topic makes of the pages

Nothing is fetched: pages are read from the crawl's archive. Terms, judge and genres come from the
new topic file, the strategy too if it has a [strategy] section; seeds, scope and manners stay as
they were. Stopped or killed at any moment, the crawl is as it was; run it again. What was thought
of the pages at first stays in the archive and in pages/pages.jsonl.
Exit codes: 0 done, 1 failure, 4 bad settings, 11 interrupted.")]
pub struct Args {
    /// The folder of the crawl.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The new topic file.
    #[arg(long, value_name = "NEW.toml")]
    pub topic: String,
    /// The threshold, in place of the topic's.
    #[arg(long, value_name = "NUMBER")]
    pub threshold: Option<String>,
    /// Answer in JSON.
    #[arg(long)]
    pub json: bool,
}

/// Answers `hound rejudge`.
pub fn run(args: Args) -> Result<ExitCode> {
    let mut code = ExitCode::SUCCESS;
    let told = rejudge(&args).map(|ended| code = ended);
    match end(told)? {
        bad if bad != ExitCode::SUCCESS => Ok(bad),
        _ => Ok(code),
    }
}

fn rejudge(args: &Args) -> Result<ExitCode> {
    let view = look::open(&args.folder)?;
    let before = crawl::earlier_settings(&args.folder)?.ok_or_else(|| {
        anyhow!(
            "{} has no settings yet: nothing was crawled",
            args.folder.display()
        )
    })?;
    let settings = new_settings(&before, args)?;
    let live = scenthound::live_settings(&settings).map_err(|error| bad_input(error.to_string()))?;
    let judge = settings.judge().map_err(|error| bad_input(error.to_string()))?;
    let agents = settings.agents(&settings.seeds.urls)?;
    let folder = match CrawlFolder::open(&args.folder) {
        Err(StoreError::InUse { .. }) => {
            let pid = view.worker()?.unwrap_or_default();
            return Err(anyhow!(
                "process {pid} works in {}; stop it first (Ctrl-C saves), then run this again",
                args.folder.display()
            ));
        }
        folder => folder?,
    };
    for change in changes(&before, &settings) {
        note!("{}", told(&change));
    }
    let started = Instant::now();
    let stop = StopSwitch::default();
    crawl::listen_for_signals(stop.clone())?;
    let bar = progress_bar(&view)?;
    let result = scenthound_live::rejudge(
        &folder,
        live,
        judge,
        agents,
        &settings.to_toml(),
        &stop,
        &mut |done| {
            if let Some(bar) = &bar {
                bar.set_position(done);
            }
        },
    );
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    let Some(rejudged) = result? else {
        note!("hound: stopped; the crawl is as it was");
        return Ok(ExitCode::from(exit::INTERRUPTED));
    };
    if let Err(error) = write_status(&folder, &rejudged) {
        note!("warning: {error:#}");
    }
    tell(&rejudged, &view, started.elapsed().as_secs_f64(), args.json);
    Ok(ExitCode::SUCCESS)
}

/// The settings of the crawl with the new topic in them.
fn new_settings(before: &Settings, args: &Args) -> Result<Settings> {
    let threshold = args.threshold.iter().map(|text| Given::new("threshold", text));
    let mut topic = topic_settings(&args.topic, threshold.collect())?;
    topic.seeds.urls.retain(|url| url.as_str() != NO_SEED);
    let mut refused = Vec::new();
    if let Some(other) = topic
        .seeds
        .urls
        .iter()
        .find(|url| !before.seeds.urls.contains(url))
    {
        refused.push(format!("[seeds] {other} is no seed of this crawl"));
    }
    for change in changes(before, &topic) {
        if change.option.on_resume == OnResume::NeedsNewFolder
            && change.option.section != "seeds"
            && !is_default(&change)
        {
            refused.push(change.to_string());
        }
    }
    if !refused.is_empty() {
        return Err(bad_input(format!(
            "{} asks for another crawl than that of {}:\n  {}\nOnly the topic, its terms, the judge and the strategy can be \
             changed by judging again; leave the rest out of the file, or start in a new folder with hound crawl -o",
            args.topic,
            args.folder.display(),
            refused.join("\n  ")
        )));
    }
    let mut settings = before.clone();
    settings.topic = topic.topic;
    settings.terms = topic.terms;
    settings.judge = topic.judge;
    settings.crawl.genres = topic.crawl.genres;
    if names_strategy(&args.topic) {
        settings.strategy = topic.strategy;
    }
    Ok(settings)
}

/// Whether a value that differs is only what nothing was said about.
fn is_default(change: &Change) -> bool {
    change.now.is_empty() || change.option.default == Some(change.now.trim_matches('"'))
}

/// Whether a topic file has a strategy of its own. One given on the command line of the crawl is not lost to a file that
/// says nothing of it.
fn names_strategy(topic: &str) -> bool {
    let file = Path::new(topic);
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines()
        .any(|line| line.trim_start().starts_with("[strategy]"))
}

/// What changes, without what it would mean for a crawl that is only resumed.
fn told(change: &Change) -> String {
    let text = change.to_string();
    text.split_once("; ")
        .map_or(text.clone(), |(what, _)| what.to_owned())
}

fn progress_bar(view: &CrawlView) -> Result<Option<ProgressBar>> {
    if !std::io::stderr().is_terminal() {
        return Ok(None);
    }
    let bar = ProgressBar::new(count_lines(&view.layout().pages())?);
    let style = ProgressStyle::with_template("{bar:24} {pos} of {len} attempts, {per_sec}, {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    Ok(Some(bar))
}

fn count_lines(path: &Path) -> Result<u64> {
    let file = match File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        file => file.with_context(|| format!("cannot read {}", path.display()))?,
    };
    let mut reader = BufReader::with_capacity(256 << 10, file);
    let mut lines = 0;
    loop {
        let piece = reader.fill_buf()?;
        if piece.is_empty() {
            return Ok(lines);
        }
        lines += piece.iter().filter(|byte| **byte == b'\n').count() as u64;
        let length = piece.len();
        reader.consume(length);
    }
}

/// The figures `hound status` shows: as the crawl left them, judged anew.
fn write_status(folder: &CrawlFolder, rejudged: &Rejudged) -> Result<()> {
    let layout = folder.layout();
    // A crawl that was killed has no last word; its figures are counted from the records.
    let Some(last) = StatusFile::read(layout)? else {
        return Ok(());
    };
    let Rejudged { tally, counts, .. } = rejudged;
    let fresh = StatusFile {
        updated: look::now().to_rfc3339(),
        relevant: tally.relevant,
        harvest_rate: tally.harvest_rate(),
        curve: tally.curve(),
        known: counts.known,
        waiting: counts.waiting,
        leased: 0,
        hosts: counts.hosts,
        hosts_resting: counts.hosts_resting,
        resumable: counts.waiting > 0,
        ..last
    };
    Ok(fresh.write(layout)?)
}

fn tell(rejudged: &Rejudged, view: &CrawlView, seconds: f64, as_json: bool) {
    let Rejudged {
        judged,
        became_relevant,
        no_longer_relevant,
        kept,
        skipped,
        tally,
        counts,
        ..
    } = rejudged;
    if as_json {
        say!(
            "{}",
            serde_json::json!({
                "folder": view.layout().root(), "generation": rejudged.generation, "judged": judged,
                "relevant": tally.relevant, "became_relevant": became_relevant,
                "no_longer_relevant": no_longer_relevant, "kept": kept, "skipped": skipped,
                "waiting": counts.waiting, "seconds": seconds,
            })
        );
        return;
    }
    say!(
        "{} judged again in {seconds:.1} s: {} relevant ({} became so, {} no longer are); {} re-scored.",
        counted(*judged, "page"),
        count(tally.relevant),
        count(*became_relevant),
        count(*no_longer_relevant),
        counted(counts.waiting, "waiting URL"),
    );
    if *kept > 0 {
        say!(
            "{} could not be read back from the archive and kept the judgement they had.",
            counted(*kept, "page")
        );
    }
    if *skipped > 0 {
        say!(
            "{} of the page records could not be understood and stayed as they were.",
            counted(*skipped, "line")
        );
    }
    if counts.waiting > 0 {
        say!("Go on with the new terms: {}", look::resume_command(view));
    }
}
