//! `hound repair`: rebuilds the state of a crawl from its archive and its page records.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use scenthound::{StopHandle, nodes_of};
use scenthound_store::CrawlView;

use crate::wording::counted;
use crate::{crawl, exit};

/// Rebuild the state of a crawl.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound repair tea                   rebuild tea/state from the archive and the page records
  hound crawl tea/crawl.toml -o tea  then continue the crawl

Use this when a crawl cannot be resumed because its state is damaged or missing. Nothing is
fetched. What was fetched, what waits with which score, hosts and their robots rules are rebuilt
by repeating the crawl from its records. Pages whose records are missing or damaged are queued
again. Not recovered: how long hosts rest (each rests one delay) and, unless the old state can be
read, the running time and the examples of the judge, which the next crawl reads again. The old
state is kept as state.damaged. In the folder of a node of a cluster, the node's own notes are
rebuilt; the queue is in Redis.
Exit codes: 0 done, 1 failure, 4 not the folder of one crawl, 11 interrupted; the folder is then
unchanged.")]
pub struct Args {
    /// The folder of the crawl
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Runs `hound repair`.
pub fn run(args: Args) -> Result<ExitCode> {
    let stop = StopHandle::default();
    crawl::listen_for_signals(stop.clone())?;
    let Some(repaired) = scenthound::repair(&args.folder, &stop, &mut |_| {})? else {
        complain!("hound: stopped; the crawl is unchanged");
        return Ok(ExitCode::from(exit::INTERRUPTED));
    };
    if args.json {
        say!(
            "{}",
            serde_json::json!({
                "attempts": repaired.attempts, "pages": repaired.tally.pages, "known": repaired.counts.known,
                "waiting": repaired.counts.waiting, "hosts": repaired.counts.hosts, "lost": repaired.lost,
                "skipped_lines": repaired.skipped, "kept_lessons": repaired.kept_lessons,
                "old_state": repaired.old_state,
            })
        );
        return Ok(ExitCode::SUCCESS);
    }
    let is_node = !nodes_of(&CrawlView::open(&args.folder)?).is_empty();
    if is_node {
        say!(
            "Rebuilt the state of the node from {}: {}. What waits and what is known is in Redis.",
            counted(repaired.attempts, "recorded attempt"),
            counted(repaired.tally.pages, "page")
        );
    } else {
        say!(
            "Rebuilt the state from {}: {}, {} URLs known, {} waiting, {}.",
            counted(repaired.attempts, "recorded attempt"),
            counted(repaired.tally.pages, "page"),
            repaired.counts.known,
            repaired.counts.waiting,
            counted(repaired.counts.hosts, "host")
        );
    }
    if repaired.lost > 0 {
        let then = match is_node {
            true => "are missing; Redis has them as fetched, so they are not requested again",
            false => "are queued again",
        };
        say!(
            "{} could not be read from the archive and {then}.",
            counted(repaired.lost, "page")
        );
    }
    if repaired.skipped > 0 {
        say!(
            "{} of the page records could not be read.",
            counted(repaired.skipped, "line")
        );
    }
    if !repaired.kept_lessons {
        say!("Not recovered: the running time, and how long hosts were to be left alone.");
    }
    if let Some(old) = &repaired.old_state {
        say!(
            "The old state is in {}; delete it once the crawl works again.",
            old.display()
        );
    }
    Ok(ExitCode::SUCCESS)
}
