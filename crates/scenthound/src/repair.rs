//! Rebuilds the state of a crawl from its archive and its page records.

use std::path::Path;

use scenthound_live::Repaired;
use scenthound_store::{CrawlFolder, CrawlView, Error as StoreError};

use crate::crawler::{StopHandle, earlier_settings};
use crate::kept_files;
use crate::live::{LiveBuildError, live_settings};
use crate::rejudge::RejudgeError;

/// Rebuilds the state of the crawl in a folder, also if `state/` is damaged or gone. The old state is set aside. None if
/// it was stopped: the folder is then unchanged. The callback gets the number of attempts repeated so far.
pub fn repair(
    folder: &Path,
    stop: &StopHandle,
    progress: &mut dyn FnMut(u64),
) -> Result<Option<Repaired>, RejudgeError> {
    let settings = earlier_settings(folder)?.ok_or_else(|| RejudgeError::NothingCrawled {
        folder: folder.to_owned(),
    })?;
    let view = CrawlView::open(folder)?;
    let locked = match CrawlFolder::open(folder) {
        Err(StoreError::InUse { .. }) => {
            return Err(RejudgeError::InUse {
                pid: view.worker()?.unwrap_or_default(),
                folder: folder.to_owned(),
            });
        }
        locked => locked?,
    };
    let judge = settings.judge().map_err(LiveBuildError::Parts)?;
    // Building the agents once shows whether they can be built.
    settings
        .agents(&settings.seeds.urls)
        .map_err(LiveBuildError::Parts)?;
    let agents = || settings.agents(&settings.seeds.urls).unwrap_or_default();
    let kept = kept_files::keep(&settings, locked.layout().root()).map_err(RejudgeError::KeptFiles)?;
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
