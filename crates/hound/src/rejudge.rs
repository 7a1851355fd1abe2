//! `hound rejudge`: judges every stored page again with another topic, without fetching, and re-scores the queue.
//!
//! The terms, judge and genres come from the new topic file, and so does the strategy if the file has one. The scope does
//! not change. [`scenthound_live::rejudge`] does the work and switches over at the very end, so a run that is stopped or
//! killed leaves the crawl as it was. The folders of nodes are judged again each by itself.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use scenthound::{
    NodesRejudgement, Rejudgement, StatusFile, StopHandle, SuggestedThreshold, Topic, nodes_of,
};
use scenthound_config::Given;
use scenthound_live::Rejudged;
use scenthound_store::CrawlView;

use crate::wording::{count, counted};
use crate::{crawl, crawl_report, exit, look};

/// Judge a crawl's pages again with another topic.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound rejudge tea --topic better-tea.toml    judge all stored pages again, re-score the queue
  hound crawl tea/crawl.toml -o tea            then continue with the new terms
  hound results tea                            the pages ranked by the new topic
  hound rejudge tea --learn                    keep the topic, and learn from the pages you marked

Nothing is fetched: pages are read from the crawl's archive. Terms, judge and genres come from the
new topic file, and so does the strategy if the file has a [strategy] section. Seeds, scope and
politeness do not change. If the run is stopped or killed, the crawl stays as it was; run it
again. The first judgements stay in the archive and in pages/pages.jsonl. Nodes of a cluster: name
the folder above theirs, or one node's. The queue in Redis is not re-scored. With --learn the
pages marked with hound mark become examples, good and bad, for the judge topic. It learns from
them, ranks all pages again, and a resumed crawl goes on with what was learnt. From five marks of
each side on, a threshold is suggested.
Exit codes: 0 done, 1 failure, 4 bad settings, 11 interrupted.")]
pub struct Args {
    /// The folder of the crawl
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The new topic file
    #[arg(long, value_name = "NEW.toml", required_unless_present = "learn")]
    pub topic: Option<String>,
    /// Learn from the pages marked with hound mark
    #[arg(long)]
    pub learn: bool,
    /// Use this threshold instead of the topic's
    #[arg(long, value_name = "NUMBER")]
    pub threshold: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Runs `hound rejudge`.
pub fn run(args: Args) -> Result<ExitCode> {
    let view = look::open(&args.folder)?;
    let threshold: Vec<Given> = args
        .threshold
        .iter()
        .map(|text| Given::new("threshold", text))
        .collect();
    let prepare = |folder: &Path| -> Result<Rejudgement> {
        let prepared = match &args.topic {
            Some(topic) if topic.ends_with(".toml") => {
                Rejudgement::prepare(folder, &Topic::file(topic), &threshold)?
            }
            Some(topic) => Rejudgement::prepare(folder, &Topic::words(topic), &threshold)?,
            None => Rejudgement::same_topic(folder, &threshold)?,
        };
        Ok(match args.learn {
            true => prepared.learn()?,
            false => prepared,
        })
    };
    if args.learn && view.marks()?.is_empty() {
        note!(
            "note: no page is marked, so the pages are judged again by what the crawl has taught; to mark one: hound mark \
             {} URL --relevant",
            view.layout().root().display()
        );
    }
    let nodes = nodes_of(&view);
    if !nodes.is_empty() {
        return run_on_nodes(&nodes, &view, prepare, &args);
    }
    let prepared = prepare(&args.folder)?;
    for change in prepared.changes() {
        note!("{}", change.difference());
    }
    let started = Instant::now();
    let stop = StopHandle::default();
    crawl::listen_for_signals(stop.clone())?;
    let bar = progress_bar(|| Ok(prepared.attempts()?))?;
    let result = prepared.run_and_suggest(&stop, &mut |done| {
        if let Some(bar) = &bar {
            bar.set_position(done);
        }
    });
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    let Some((rejudged, suggested)) = result? else {
        complain!("hound: stopped; the crawl is unchanged");
        return Ok(ExitCode::from(exit::INTERRUPTED));
    };
    note_in_folder(&view, &rejudged);
    let seconds = started.elapsed().as_secs_f64();
    print_summary(&rejudged, suggested.as_ref(), &view, seconds, args.json);
    Ok(ExitCode::SUCCESS)
}

/// Brings the status file and the report of a crawl up to date.
fn note_in_folder(view: &CrawlView, rejudged: &Rejudged) {
    if let Err(error) = StatusFile::update_rejudged(view.layout(), rejudged) {
        complain!("warning: {error}");
    }
    // The report shows verdicts too. A crawl that was killed has none yet.
    let ended = StatusFile::read(view.layout()).ok().flatten();
    if let Some(ended) = ended.and_then(|status| status.ended)
        && let Err(error) = crawl_report::write(view.layout().root(), &format!("{ended}; judged again since"))
    {
        complain!("warning: the report could not be written: {error:#}");
    }
}

/// The same for nodes of a cluster: each in its own folder.
fn run_on_nodes(
    nodes: &[PathBuf],
    view: &CrawlView,
    prepare: impl Fn(&Path) -> Result<Rejudgement>,
    args: &Args,
) -> Result<ExitCode> {
    let mut prepared = Vec::new();
    for node in nodes {
        prepared.push(prepare(node)?);
    }
    let changes: Vec<String> = prepared
        .iter()
        .flat_map(Rejudgement::changes)
        .map(|change| change.difference())
        .collect();
    let mut told = std::collections::BTreeSet::new();
    for change in changes.iter().filter(|change| told.insert(*change)) {
        note!("{change}");
    }
    let prepared = NodesRejudgement::of(prepared, view.layout().root());
    let started = Instant::now();
    let stop = StopHandle::default();
    crawl::listen_for_signals(stop.clone())?;
    let bar = progress_bar(|| Ok(prepared.attempts()?))?;
    let result = prepared.run(&stop, &mut |done| {
        if let Some(bar) = &bar {
            bar.set_position(done);
        }
    });
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    let Some((done, suggested)) = result? else {
        complain!("hound: stopped; nodes that were not finished are unchanged, run the same command again");
        return Ok(ExitCode::from(exit::INTERRUPTED));
    };
    let Some((_, first)) = done.first() else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut all = Rejudged {
        tally: Default::default(),
        counts: Default::default(),
        ..first.clone()
    };
    (all.judged, all.became_relevant, all.no_longer_relevant) = (0, 0, 0);
    (all.kept, all.skipped) = (0, 0);
    for (folder, rejudged) in &done {
        note_in_folder(&CrawlView::open(folder)?, rejudged);
        all.judged += rejudged.judged;
        all.became_relevant += rejudged.became_relevant;
        all.no_longer_relevant += rejudged.no_longer_relevant;
        all.kept += rejudged.kept;
        all.skipped += rejudged.skipped;
        all.tally.relevant += rejudged.tally.relevant;
    }
    // What was gathered from the nodes gets the new judgements at once, not only when somebody reads it.
    scenthound::refresh(view)?;
    let seconds = started.elapsed().as_secs_f64();
    print_summary(&all, suggested.as_ref(), view, seconds, args.json);
    if !args.json && !changes.is_empty() {
        say!(
            "The queue in Redis keeps its scores, and the crawl its topic. To go on crawling, judge the pages by the crawl's own topic \
             again first."
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn progress_bar(attempts: impl Fn() -> Result<u64>) -> Result<Option<ProgressBar>> {
    if !std::io::stderr().is_terminal() {
        return Ok(None);
    }
    let bar = ProgressBar::new(attempts()?);
    let style = ProgressStyle::with_template("{bar:24} {pos} of {len} attempts, {per_sec}, {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    Ok(Some(bar))
}

fn print_summary(
    rejudged: &Rejudged,
    suggested: Option<&SuggestedThreshold>,
    view: &CrawlView,
    seconds: f64,
    as_json: bool,
) {
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
                "suggested_threshold": suggested.map(|suggested| suggested.threshold),
            })
        );
        return;
    }
    say!(
        "{} judged again in {seconds:.1} s: {} relevant ({} newly, {} no longer); {} re-scored.",
        counted(*judged, "page"),
        count(tally.relevant),
        count(*became_relevant),
        count(*no_longer_relevant),
        counted(counts.waiting, "waiting URL"),
    );
    if *kept > 0 {
        say!(
            "{} could not be read from the archive and kept the old judgement.",
            counted(*kept, "page")
        );
    }
    if *skipped > 0 {
        say!(
            "{} of the page records could not be parsed and stayed as they were.",
            counted(*skipped, "line")
        );
    }
    if let Some(suggested) = suggested {
        say!(
            "Of the {} pages marked relevant and {} marked irrelevant, the threshold {:.2} separates most (F1 {:.2}); to use \
             it: hound rejudge {} --learn --threshold {:.2}",
            suggested.relevant,
            suggested.irrelevant,
            suggested.threshold,
            suggested.f1,
            view.layout().root().display(),
            suggested.threshold
        );
    }
    if counts.waiting > 0 {
        say!("To continue with what changed: {}", look::command_to_go_on(view));
    }
}
