//! A crawl folder as the reading commands see it: opened with a remedy for what is wrong, its settings, its frontier.
//!
//! Invariant: nothing here changes what a crawl left, or needs the crawl to stop. The one thing only a stopped crawl
//! shows is its frontier, whose store belongs to one process at a time.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, anyhow, bail};
use scenthound_config::{Settings, Surroundings, check};
use scenthound_frontier::HostPolicy;
use scenthound_frontier_durable::DurableFrontier;
use scenthound_store::{CrawlView, Error as StoreError, PageRecord};
use scenthound_types::{Keyring, Timestamp};

use crate::stdout::note;

/// The moment the command runs.
#[allow(
    clippy::disallowed_methods,
    reason = "a command of the user's is where time comes in"
)]
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::ZERO + since
}

/// Looks at the crawl in a folder.
pub fn open(folder: &Path) -> anyhow::Result<CrawlView> {
    let shown = folder.display();
    match CrawlView::open(folder) {
        Ok(view) => Ok(view),
        Err(StoreError::NoCrawl(_)) if !folder.exists() => {
            bail!("{shown} does not exist; name the folder that hound crawl was given with -o")
        }
        Err(StoreError::NoCrawl(_)) => {
            bail!("{shown} holds no crawl; name the folder that hound crawl was given with -o")
        }
        Err(StoreError::NotAFolder(_)) => {
            bail!("{shown} is a file; name the folder of the crawl, the one that holds crawl.toml")
        }
        Err(error) => Err(error.into()),
    }
}

/// The settings of the crawl; none if it was stopped before it wrote them.
pub fn settings(view: &CrawlView) -> anyhow::Result<Option<Settings>> {
    let Some(text) = view.settings()? else {
        return Ok(None);
    };
    let path = view.layout().settings();
    // A folder can be looked at after the files its settings name have moved, so only this one file is read.
    let surroundings = Surroundings {
        folder: view.layout().root(),
        read: &|wanted| {
            Ok(if wanted.ends_with("crawl.toml") {
                text.clone().into_bytes()
            } else {
                Vec::new()
            })
        },
    };
    let settings = check("crawl.toml", &[], &surroundings)
        .map_err(|faults| anyhow!("{faults}"))
        .with_context(|| format!("{} cannot be understood", path.display()))?;
    Ok(Some(settings))
}

/// The frontier of a crawl that nobody works on, to look things up.
pub fn frontier(view: &CrawlView, settings: &Settings, now: Timestamp) -> anyhow::Result<DurableFrontier> {
    if let Some(pid) = view.worker()? {
        bail!("process {pid} is crawling");
    }
    let keyring = Keyring::new(settings.crawl.seed);
    // A frontier that is opened to crawl lets every host rest first; looking asks nobody for anything.
    let policy = HostPolicy {
        delay: Duration::ZERO,
        max_delay: Duration::ZERO,
        ..HostPolicy::default()
    };
    let state = view.layout().state();
    Ok(scenthound_frontier_durable::open_read_only(
        &state, policy, keyring, now,
    )?)
}

/// Shows every page record with the number of its line; lines that cannot be read are skipped and told of.
pub fn each_record(view: &CrawlView, mut visit: impl FnMut(u64, PageRecord)) -> anyhow::Result<()> {
    let mut skipped = 0;
    for (line, record) in (0..).zip(view.pages()?) {
        match record {
            Ok(record) => visit(line, record),
            Err(error @ StoreError::BadLine { .. }) => {
                if skipped == 0 {
                    note(&format!("warning: {error}"));
                }
                skipped += 1;
            }
            Err(error) => return Err(error.into()),
        }
    }
    if skipped > 1 {
        note(&format!(
            "warning: {} more lines are not page records",
            skipped - 1
        ));
    }
    Ok(())
}

/// The command that carries a crawl on. Its own settings are a topic file, so it is the same for every crawl.
pub fn resume_command(view: &CrawlView) -> String {
    let quoted = |path: &Path| {
        let text = path.to_string_lossy();
        let is_plain = |c: char| c.is_alphanumeric() || "/._-+:@%".contains(c);
        match !text.is_empty() && text.chars().all(is_plain) {
            true => text.into_owned(),
            false => format!("'{}'", text.replace('\'', r"'\''")),
        }
    };
    let layout = view.layout();
    format!(
        "hound crawl {} -o {}",
        quoted(&layout.settings()),
        quoted(layout.root())
    )
}
