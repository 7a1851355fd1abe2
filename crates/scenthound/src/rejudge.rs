//! Judges the stored pages of a crawl again with another topic, without fetching.
//!
//! The terms, judge and genres come from the new topic, and so does the strategy if the topic names one. The scope does not
//! change. The switch to the new judgements is one step at the very end, so a run that is stopped or killed leaves
//! the crawl as it was.

use std::path::{Path, PathBuf};

use scenthound_config::{Change, Faults, Given, OnResume, Settings, changes};
use scenthound_live::{LiveError, Rejudged};
use scenthound_store::{CrawlFolder, CrawlView, Error as StoreError};
use thiserror::Error;

use crate::collection::{Collection, CollectionError, each_record};
use crate::crawler::{CrawlerError, StopHandle, check_topic_settings, earlier_settings};
use crate::live::{LiveBuildError, live_settings};
use crate::topic::Topic;

/// Why pages could not be judged again.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RejudgeError {
    /// Nothing has been crawled in the folder yet.
    #[error("nothing has been crawled in {} yet; run a crawl first", folder.display())]
    NothingCrawled {
        /// The folder.
        folder: PathBuf,
    },
    /// The new topic is not valid.
    #[error("{0}")]
    Topic(Faults),
    /// The new topic needs another crawl.
    #[error(
        "{topic} does not match the crawl in {}:\n  {}\nRejudging can change only the topic, its terms, the judge and the \
         strategy; leave the rest out of the file, or start a new folder with hound crawl -o",
        folder.display(),
        refused.join("\n  ")
    )]
    OtherCrawl {
        /// The new topic.
        topic: String,
        /// The folder.
        folder: PathBuf,
        /// The settings that differ but may not.
        refused: Vec<String>,
    },
    /// Another process is using the folder.
    #[error("process {pid} is using {}; stop it first (Ctrl-C saves), then run this again", folder.display())]
    InUse {
        /// The process.
        pid: u32,
        /// The folder.
        folder: PathBuf,
    },
    /// The judge or the strategy could not be built.
    #[error(transparent)]
    Build(#[from] LiveBuildError),
    /// The settings of the earlier run could not be read, or the current directory could not be determined.
    #[error(transparent)]
    Crawler(#[from] CrawlerError),
    /// The crawl folder could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The records could not be read.
    #[error(transparent)]
    Records(#[from] Box<CollectionError>),
    /// Repeating the crawl from its records failed.
    #[error(transparent)]
    Live(#[from] LiveError),
}

impl RejudgeError {
    /// Whether the user's input is at fault, rather than the folder or the machine.
    pub fn is_bad_input(&self) -> bool {
        matches!(
            self,
            RejudgeError::Topic(_) | RejudgeError::OtherCrawl { .. } | RejudgeError::Build(_)
        )
    }
}

/// A crawl about to be judged again: everything has been checked and nothing changed yet.
pub struct Rejudgement {
    settings: Settings,
    changes: Vec<Change>,
    folder: PathBuf,
}

impl Rejudgement {
    /// Prepares to judge the pages of a crawl folder with another topic. Options win over the topic, as on the command line.
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
        // Find out what cannot be built before anything is opened.
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

    /// The number of attempts that will be repeated.
    pub fn attempts(&self) -> Result<u64, RejudgeError> {
        let mut attempts = 0;
        let view = CrawlView::open(&self.folder)?;
        each_record(&view, |_, _| attempts += 1).map_err(Box::new)?;
        Ok(attempts)
    }

    /// Judges every stored page again and switches over. If it is stopped, it returns `None` and leaves the crawl as it was.
    /// The callback gets the number of attempts repeated so far.
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
    /// Judges every stored page again with another topic, without fetching, and re-scores the queue. No crawl may be running
    /// in the folder. [`Rejudgement`] does the same with progress and a way to stop.
    pub fn rejudge(&self, topic: &Topic) -> Result<Option<Rejudged>, RejudgeError> {
        Rejudgement::prepare(self.folder(), topic, &[])?.run(&StopHandle::default(), &mut |_| {})
    }
}

/// The settings of the new topic that rejudging cannot change.
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

/// Whether a topic file names a strategy. If it does not, the crawl keeps its own, which may come from the command line.
fn names_strategy(topic: &Path) -> bool {
    let text = std::fs::read_to_string(topic).unwrap_or_default();
    text.lines()
        .any(|line| line.trim_start().starts_with("[strategy]"))
}
