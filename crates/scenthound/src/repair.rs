//! Rebuilds the state of a crawl from its archive and its page records.

use std::path::Path;

use scenthound_live::Repaired;
use scenthound_store::CrawlView;

use crate::crawler::{StopHandle, earlier_settings};
use crate::gather::{gathered_from, nodes_in};
use crate::kept_files;
use crate::live::{LiveBuildError, live_settings};
use crate::rejudge::{RejudgeError, is_node, lock, settings_of_node};

/// Rebuilds the state of the crawl in a folder, also if `state/` is damaged or gone. The old state is set aside. None if
/// it was stopped: the folder is then unchanged. In the folder of a node of a cluster, the node's own notes are rebuilt; its part of
/// the queue is in Redis. The callback gets the number of attempts repeated so far.
pub fn repair(
    folder: &Path,
    stop: &StopHandle,
    progress: &mut dyn FnMut(u64),
) -> Result<Option<Repaired>, RejudgeError> {
    let above = nodes_in(folder);
    if CrawlView::open(folder).is_err() && !above.is_empty() {
        return Err(RejudgeError::NotANode {
            folder: folder.to_owned(),
            nodes: above,
        });
    }
    let settings = earlier_settings(folder)?.ok_or_else(|| RejudgeError::NothingCrawled {
        folder: folder.to_owned(),
    })?;
    let view = CrawlView::open(folder)?;
    if let Some(nodes) = gathered_from(&view) {
        return Err(RejudgeError::NotANode {
            folder: folder.to_owned(),
            nodes,
        });
    }
    let locked = lock(folder)?;
    let judge = settings.judge().map_err(LiveBuildError::Parts)?;
    // Building the agents once shows whether they can be built.
    settings
        .agents(&settings.seeds.urls)
        .map_err(LiveBuildError::Parts)?;
    let agents = || settings.agents(&settings.seeds.urls).unwrap_or_default();
    let kept = kept_files::keep(&settings, locked.layout().root()).map_err(RejudgeError::KeptFiles)?;
    if is_node(folder) {
        return Ok(scenthound_live::repair_node(
            &locked,
            settings_of_node(&settings, folder)?,
            judge,
            agents,
            &kept,
            stop.switch(),
            progress,
        )?);
    }
    Ok(scenthound_live::repair(
        &locked,
        live_settings(&settings)?,
        judge,
        agents,
        &kept,
        stop.switch(),
        progress,
    )?)
}
