//! What many crawls of the lab share: what they learnt, where it is kept, and who is told about it.
//!
//! Deliberately absent: clocks, signals and printing. The program around the lab hands in a clock and a flag to stop by, and is
//! told what happens as [`LabEvent`]s.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use scenthound_config::{Given, Settings, Surroundings, check};

use crate::error::LabError;
use crate::genres::Genres;
use crate::layers::Layers;

/// Something the program around the lab may want to show.
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
        /// Pages in all.
        pages: u64,
    },
    /// All pages of a task are being judged once more, for one line of a table.
    JudgingFor {
        /// The line.
        label: &'e str,
    },
    /// What was being opened, read or judged is done.
    StepEnded,
    /// A number of crawls begin. The flag to stop by is looked at from now on.
    CrawlsBegin {
        /// How many.
        crawls: usize,
    },
    /// One of these crawls has ended.
    CrawlEnded,
    /// All of them have.
    CrawlsEnded,
    /// Something is wrong with an archive.
    ArchiveDamaged {
        /// What, in a sentence.
        warning: &'e str,
    },
    /// A parsed web could not be written to the cache.
    NotCached,
    /// A task gives no negative examples, and pages of the web stand in for them.
    NegativesDrawn {
        /// The task.
        task: &'e str,
        /// How many pages.
        pages: usize,
    },
    /// A context graph was built and learnt from.
    ContextGraph {
        /// The task.
        task: &'e str,
        /// Pages of each layer, targets first.
        layers: &'e [usize],
        /// Pages learnt from.
        learnt_from: usize,
        /// Words that count in full.
        evidence: f64,
    },
}

/// What the lab takes from the program around it.
#[derive(Clone)]
pub struct LabOptions<'a> {
    /// Relative paths in settings start here.
    pub folder: PathBuf,
    /// Where parsed webs and trained judges are kept for the next time; nowhere if there is none.
    pub cache: Option<PathBuf>,
    /// Crawls that run at the same time; none for one per core.
    pub threads: Option<usize>,
    /// Is told what happens. It may be called by several threads at once.
    pub tell: &'a (dyn Fn(LabEvent<'_>) + Sync),
    /// The time since some moment, for how long crawls take.
    pub clock: &'a (dyn Fn() -> Duration + Sync),
    /// Once set, crawls that run are dropped and no further ones begin.
    pub stop: &'a AtomicBool,
}

impl Default for LabOptions<'_> {
    /// Nothing kept, nobody told, and every crawl takes no time.
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

/// Opens webs and crawls them. What crawls can share (genres and layers of pages) is worked out once.
pub struct Lab<'a> {
    pub(crate) options: LabOptions<'a>,
    pub(crate) genres: Mutex<BTreeMap<GenreKey, Arc<Genres>>>,
    pub(crate) layers: Mutex<BTreeMap<String, LayerSlot>>,
}

impl<'a> Lab<'a> {
    /// A lab in which nothing is known yet.
    pub fn new(options: LabOptions<'a>) -> Lab<'a> {
        Lab {
            options,
            genres: Mutex::default(),
            layers: Mutex::default(),
        }
    }

    pub(crate) fn tell(&self, event: LabEvent<'_>) {
        (self.options.tell)(event);
    }

    /// Checks a topic and the settings that go with it.
    pub(crate) fn check(&self, topic: &str, given: &[Given]) -> Result<Settings, LabError> {
        let surroundings = Surroundings {
            folder: &self.options.folder,
            read: &|path: &Path| std::fs::read(path),
        };
        Ok(check(topic, given, &surroundings)?)
    }
}
