//! What many crawls of the lab share: what they have learnt, where it is cached, and who receives events.
//!
//! Deliberately absent: clocks, signals and printing. The program around the lab passes in a clock and a stop flag, and receives
//! [`LabEvent`]s about what happens.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use scenthound_config::{Given, Settings, Surroundings, check, check_topic};

use crate::error::LabError;
use crate::genres::Genres;
use crate::layers::Layers;

/// An event that the program around the lab may want to show.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum LabEvent<'e> {
    /// A web is being opened.
    Opening {
        /// The web.
        web: &'e str,
    },
    /// The archives of a web are being read.
    Reading {
        /// The web.
        web: &'e str,
        /// Pages read so far.
        pages: u64,
    },
    /// Pages of a task are being judged.
    Judging {
        /// The task.
        task: &'e str,
        /// Pages judged so far.
        judged: u64,
        /// Pages in total.
        pages: u64,
    },
    /// All pages of a task are being judged again, for one row of a table.
    JudgingFor {
        /// The row.
        label: &'e str,
    },
    /// Opening, reading or judging has finished.
    StepEnded,
    /// A batch of crawls begins. The stop flag is checked from now on.
    CrawlsBegin {
        /// How many.
        crawls: usize,
    },
    /// One of these crawls has ended.
    CrawlEnded,
    /// All of these crawls have ended.
    CrawlsEnded,
    /// Something is wrong with an archive.
    ArchiveDamaged {
        /// What is wrong, in a sentence.
        warning: &'e str,
    },
    /// A parsed web could not be written to the cache.
    NotCached,
    /// A task has no negative examples, so random pages of the web are used instead.
    NegativesDrawn {
        /// The task.
        task: &'e str,
        /// How many pages.
        pages: usize,
    },
    /// A context graph was built and a model was trained on it.
    ContextGraph {
        /// The task.
        task: &'e str,
        /// Pages of each layer, targets first.
        layers: &'e [usize],
        /// Pages used for training.
        learnt_from: usize,
        /// Words that count in full.
        evidence: f64,
    },
}

/// What the program around the lab provides.
#[derive(Clone)]
pub struct LabOptions<'a> {
    /// Relative paths in settings start here.
    pub folder: PathBuf,
    /// Where parsed webs and trained judges are cached; `None` for no cache.
    pub cache: Option<PathBuf>,
    /// Number of crawls that run at the same time; `None` for one per core.
    pub threads: Option<usize>,
    /// Receives the events. Several threads may call it at once.
    pub tell: &'a (dyn Fn(LabEvent<'_>) + Sync),
    /// The time since some fixed moment, used to measure how long crawls take.
    pub clock: &'a (dyn Fn() -> Duration + Sync),
    /// Once set, running crawls are dropped and no more are started.
    pub stop: &'a AtomicBool,
}

impl Default for LabOptions<'_> {
    /// No cache, no events, and a clock that stands still.
    fn default() -> Self {
        static NEVER: AtomicBool = AtomicBool::new(false);
        LabOptions {
            folder: PathBuf::from("."),
            cache: None,
            threads: None,
            tell: &|_| (),
            clock: &|| Duration::ZERO,
            stop: &NEVER,
        }
    }
}

type GenreKey = (String, usize, String);
type LayerSlot = Arc<OnceLock<Result<Arc<Layers>, Arc<LabError>>>>;

/// Opens webs and crawls them. What crawls can share (genres and layers of pages) is computed once.
pub struct Lab<'a> {
    pub(crate) options: LabOptions<'a>,
    pub(crate) genres: Mutex<BTreeMap<GenreKey, Arc<Genres>>>,
    pub(crate) layers: Mutex<BTreeMap<String, LayerSlot>>,
}

impl<'a> Lab<'a> {
    /// A lab with nothing computed yet.
    pub fn new(options: LabOptions<'a>) -> Lab<'a> {
        Lab {
            options,
            genres: Mutex::default(),
            layers: Mutex::default(),
        }
    }

    /// A folder for files that one step of an experiment hands to the next.
    pub(crate) fn work_folder(&self) -> Result<PathBuf, LabError> {
        let base = self.options.cache.clone().unwrap_or_else(std::env::temp_dir);
        let folder = base.join("experiments");
        match std::fs::create_dir_all(&folder) {
            Ok(()) => Ok(folder),
            Err(source) => Err(LabError::Write { path: folder, source }),
        }
    }

    pub(crate) fn tell(&self, event: LabEvent<'_>) {
        (self.options.tell)(event);
    }

    /// Checks a topic together with its settings.
    pub(crate) fn check(&self, topic: &str, given: &[Given]) -> Result<Settings, LabError> {
        Ok(check(topic, given, &self.surroundings())?)
    }

    /// Checks a topic that pages are only compared with, which needs no seeds.
    pub(crate) fn check_topic(&self, topic: &str) -> Result<Settings, LabError> {
        Ok(check_topic(topic, &[], &self.surroundings())?)
    }

    fn surroundings(&self) -> Surroundings<'_> {
        Surroundings {
            folder: &self.options.folder,
            read: &|path: &Path| std::fs::read(path),
        }
    }
}
