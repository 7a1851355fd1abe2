//! Judging the stored pages of a crawl again under another topic, without fetching.
//!
//! Everything about the topic comes from the new one: terms, judge, genres, and the strategy if it names one. Where the crawl may
//! go stays as it was. The switch to the new judgements is one step at the very end, so a run that is stopped or killed leaves
//! the crawl as it was.

use std::path::{Path, PathBuf};

use scenthound_config::{Change, Faults, Given, OnResume, Settings, changes};
use scenthound_live::{LiveError, Rejudged};
use scenthound_store::{CrawlFolder, CrawlView, Error as StoreError};
use thiserror::Error;

use crate::collection::Collection;
use crate::crawler::{CrawlerError, StopHandle, check_topic_settings, earlier_settings};
use crate::live::{LiveBuildError, live_settings};
use crate::topic::Topic;

/// Why pages could not be judged again.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RejudgeError {
    /// Nothing was crawled in the folder yet.
    #[error("{} has no settings yet: nothing was crawled", folder.display())]
    NothingCrawled {
        /// The folder.
        folder: PathBuf,
    },
    /// The new topic is not valid.
    #[error("{0}")]
    Topic(Faults),
    /// The new topic asks for another crawl.
    #[error(
        "{topic} asks for another crawl than that of {}:\n  {}\nOnly the topic, its terms, the judge and the strategy can be \
         changed by judging again; leave the rest out of the file, or start in a new folder with hound crawl -o",
        folder.display(),
        refused.join("\n  ")
    )]
    OtherCrawl {
        /// The new topic.
        topic: String,
        /// The folder.
        folder: PathBuf,
        /// What differs and may not.
        refused: Vec<String>,
    },
    /// Somebody crawls in the folder.
    #[error("process {pid} works in {}; stop it first (Ctrl-C saves), then run this again", folder.display())]
    InUse {
        /// Who.
        pid: u32,
        /// The folder.
        folder: PathBuf,
    },
    /// The judge or the strategy could not be built.
    #[error(transparent)]
    Build(#[from] LiveBuildError),
    /// The settings of the earlier run, or the current directory.
    #[error(transparent)]
    Crawler(#[from] CrawlerError),
    /// The crawl folder.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Repeating the crawl from its records.
    #[error(transparent)]
    Live(#[from] LiveError),
}

impl RejudgeError {
    /// Whether what the user gave is to blame, rather than the folder or the machine.
    pub fn is_bad_input(&self) -> bool {
        matches!(
            self,
            RejudgeError::Topic(_) | RejudgeError::OtherCrawl { .. } | RejudgeError::Build(_)
        )
    }
}

/// A crawl about to be judged again: everything is checked, nothing is changed yet.
pub struct Rejudgement {
    settings: Settings,
    changes: Vec<Change>,
    folder: PathBuf,
}

impl Rejudgement {
    /// Prepares to judge the pages of a crawl folder by another topic. Options win over the topic, as on the command line.
    pub fn prepare(folder: &Path, topic: &Topic, given: &[Given]) -> Result<Rejudgement, RejudgeError> {
        let before = earlier_settings(folder)?.ok_or_else(|| RejudgeError::NothingCrawled {
            folder: folder.to_owned(),
        })?;
        let (name, terms) = topic.as_given();
        let given: Vec<Given> = terms.iter().chain(given).cloned().collect();
        let new = check_topic_settings(&name, &given)?.map_err(RejudgeError::Topic)?;
        let refused = refused(&before, &new);
        if !refused.is_empty() {
            return Err(RejudgeError::OtherCrawl {
                topic: name,
                folder: folder.to_owned(),
                refused,
            });
        }
        let mut settings = before.clone();
        settings.topic = new.topic;
        settings.terms = new.terms;
        settings.judge = new.judge;
        settings.crawl.genres = new.crawl.genres;
        if names_strategy(Path::new(&name)) {
            settings.strategy = new.strategy;
        }
        // What cannot be built is found before anything is opened.
        live_settings(&settings)?;
        settings.judge().map_err(LiveBuildError::Parts)?;
        Ok(Rejudgement {
            changes: changes(&before, &settings),
            settings,
            folder: folder.to_owned(),
        })
    }

    /// What the new topic changes.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Judges every stored page again and switches over; none if it was stopped, and then the crawl is as it was. The callback
    /// gets the number of attempts repeated so far.
    pub fn run(
        self,
        stop: &StopHandle,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Option<Rejudged>, RejudgeError> {
        let view = CrawlView::open(&self.folder)?;
        let folder = match CrawlFolder::open(&self.folder) {
            Err(StoreError::InUse { .. }) => {
                return Err(RejudgeError::InUse {
                    pid: view.worker()?.unwrap_or_default(),
                    folder: self.folder,
                });
            }
            folder => folder?,
        };
        let settings = &self.settings;
        Ok(scenthound_live::rejudge(
            &folder,
            live_settings(settings)?,
            settings.judge().map_err(LiveBuildError::Parts)?,
            settings
                .agents(&settings.seeds.urls)
                .map_err(LiveBuildError::Parts)?,
            &settings.to_toml(),
            stop.switch(),
            progress,
        )?)
    }
}

impl Collection {
    /// Judges every stored page again by another topic, without fetching, and re-scores what waits. Nobody may be crawling in
    /// the folder meanwhile. [`Rejudgement`] does the same with progress and a way to stop.
    pub fn rejudge(&self, topic: &Topic) -> Result<Option<Rejudged>, RejudgeError> {
        Rejudgement::prepare(self.folder(), topic, &[])?.run(&StopHandle::default(), &mut |_| {})
    }
}

/// What the new topic says that judging again cannot change.
fn refused(before: &Settings, new: &Settings) -> Vec<String> {
    let other_seed = new.seeds.urls.iter().find(|url| !before.seeds.urls.contains(url));
    let other_seed = other_seed.map(|url| format!("[seeds] {url} is not a seed of this crawl"));
    let changed = changes(before, new).into_iter().filter(|change| {
        change.option.on_resume == OnResume::NeedsNewFolder
            && change.option.section != "seeds"
            && !is_default(change)
    });
    other_seed
        .into_iter()
        .chain(changed.map(|change| change.to_string()))
        .collect()
}

/// Whether a value differs only because the new topic says nothing about it.
fn is_default(change: &Change) -> bool {
    change.now.is_empty() || change.option.default == Some(change.now.trim_matches('"'))
}

/// Whether a topic file has a strategy of its own. A strategy given on the command line of the crawl is kept if the file does
/// not mention one.
fn names_strategy(topic: &Path) -> bool {
    let text = std::fs::read_to_string(topic).unwrap_or_default();
    text.lines()
        .any(|line| line.trim_start().starts_with("[strategy]"))
}
