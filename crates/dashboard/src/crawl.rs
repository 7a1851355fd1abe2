//! One crawl as the dashboard serves it: its folder, followed, with what is worth keeping between requests.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use scenthound::{Collection, CollectionError, CrawlState, Settings, Status, StopHandle};
use scenthound_search::SearchIndex;
use scenthound_store::{Action, Steering};
use serde::Serialize;

use crate::api::ApiError;
use crate::follow::{Follower, News};
use crate::index::{KeyedMarks, PageIndex, key_of};
use crate::searching::Searching;

/// The records are looked at this often at most.
const FOLLOW_EVERY: Duration = Duration::from_millis(700);
/// How long a request waits for records that are still being read. After that it is answered from those that are.
const PATIENCE: Duration = Duration::from_millis(400);
/// The status file is read this often at most.
const STATUS_EVERY: Duration = Duration::from_millis(700);

/// A long piece of work on a crawl: judging its pages again.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Job {
    /// Whether it is under way.
    pub is_running: bool,
    /// Attempts repeated so far.
    pub done: u64,
    /// Attempts in all.
    pub total: u64,
    /// How it ended, if it did: an error, or what changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The state of a crawl and when it was read.
#[derive(Debug)]
struct Remembered {
    status: Arc<Status>,
    at: Instant,
    /// What it was read from: if all of this is the same and nothing runs, so is the status.
    from: Vec<Option<Stamp>>,
}

/// How far reading the records has come.
#[derive(Debug, Default)]
struct Reading {
    /// Whether somebody reads right now.
    is_busy: bool,
    /// When they were last read to the end.
    last: Option<Instant>,
    /// The share that has been read, until all are.
    share: f64,
}

/// What reads the records, and what it has read anew.
#[derive(Debug)]
struct Following {
    follower: Follower,
    /// The pages of another generation, until all are there. The earlier ones are shown until then.
    next: Option<PageIndex>,
}

/// Gives the turn to read back, also after a panic.
struct Turn<'a>(&'a ServedCrawl);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        lock(&self.0.reading).is_busy = false;
        self.0.has_read.notify_all();
    }
}

/// A crawl that is served.
pub(crate) struct ServedCrawl {
    pub id: String,
    pub collection: Collection,
    following: Mutex<Following>,
    reading: Mutex<Reading>,
    has_read: Condvar,
    index: RwLock<PageIndex>,
    status: Mutex<Option<Remembered>>,
    marks: Mutex<(Option<Stamp>, Arc<KeyedMarks>)>,
    steering: Mutex<(Option<Stamp>, Asked)>,
    search: Arc<Searching>,
    /// Answers that many clients ask for, with when they were made and the version of what they were made from.
    answers: Mutex<std::collections::HashMap<String, (Instant, Bytes)>>,
    pub job: Mutex<Job>,
    pub stop_job: Mutex<StopHandle>,
}

impl std::fmt::Debug for ServedCrawl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServedCrawl")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Everything that was asked of a crawl, and what is in force.
pub(crate) type Asked = (Arc<Vec<Action>>, Arc<Steering>);

/// When a file was changed, and its length.
type Stamp = (SystemTime, u64);

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

impl ServedCrawl {
    pub fn open(id: &str, folder: &Path) -> Result<ServedCrawl, CollectionError> {
        let collection = Collection::open(folder)?;
        let layout = collection.view().layout().clone();
        Ok(ServedCrawl {
            id: id.to_owned(),
            collection,
            following: Mutex::new(Following {
                follower: Follower::new(layout),
                next: None,
            }),
            reading: Mutex::default(),
            has_read: Condvar::new(),
            index: RwLock::default(),
            status: Mutex::default(),
            marks: Mutex::default(),
            steering: Mutex::default(),
            search: Arc::default(),
            answers: Mutex::default(),
            job: Mutex::default(),
            stop_job: Mutex::default(),
        })
    }

    /// The pages, with everything that was recorded until a moment ago. Those of a large crawl come bit by bit at first;
    /// [`ServedCrawl::share_read`] says how far they have come.
    pub fn index(&self) -> RwLockReadGuard<'_, PageIndex> {
        self.read_until(Instant::now() + PATIENCE);
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The share of the records that the pages stand for; none if it is all of them.
    pub fn share_read(&self) -> Option<f64> {
        let reading = lock(&self.reading);
        reading.last.is_none().then_some(reading.share)
    }

    /// Reads all records for the first time, so that no visitor has to wait for it.
    pub fn read_all(&self) {
        while self.share_read().is_some() && !lock(&self.stop_job).is_stopping() {
            self.read_until(Instant::now() + PATIENCE);
        }
    }

    /// Reads what is new, or waits while somebody else does.
    fn read_until(&self, until: Instant) {
        let mut reading = lock(&self.reading);
        loop {
            if reading.last.is_some_and(|last| last.elapsed() < FOLLOW_EVERY) {
                return;
            }
            if !reading.is_busy {
                break;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            reading = self
                .has_read
                .wait_timeout(reading, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        reading.is_busy = true;
        drop(reading);
        let turn = Turn(self);
        let share = self.follow(until).unwrap_or_else(|error| {
            tracing::warn!("could not read the page records of {}: {error}", self.id);
            // Not again at once.
            1.0
        });
        let mut reading = lock(&self.reading);
        reading.share = share;
        if share >= 1.0 {
            reading.last = Some(Instant::now());
        }
        drop(reading);
        drop(turn);
    }

    fn follow(&self, until: Instant) -> std::io::Result<f64> {
        if let Err(error) = scenthound::refresh(self.collection.view()) {
            tracing::warn!(
                "could not gather what the nodes of {} have recorded: {error}",
                self.id
            );
        }
        let mut following = lock(&self.following);
        let Following { follower, next } = &mut *following;
        let write = || self.index.write().unwrap_or_else(PoisonError::into_inner);
        let share = follower.poll(until, &mut |news| match news {
            News::Restart { generation } => {
                let fresh = PageIndex::of(generation);
                let mut index = write();
                if index.pages.is_empty() {
                    *index = fresh;
                    *next = None;
                } else {
                    *next = Some(fresh);
                }
            }
            News::Records(records) => match next {
                Some(next) => records.into_iter().for_each(|record| next.add(record)),
                None => {
                    let mut index = write();
                    records.into_iter().for_each(|record| index.add(record));
                }
            },
        })?;
        if share >= 1.0
            && let Some(next) = next.take()
        {
            *write() = next;
        }
        Ok(share)
    }

    /// The state of the crawl and its figures.
    pub fn status(&self) -> Result<Arc<Status>, CollectionError> {
        let mut remembered = lock(&self.status);
        let from = |path: PathBuf| stamp(&path);
        if let Some(last) = &*remembered {
            if last.at.elapsed() < STATUS_EVERY {
                return Ok(Arc::clone(&last.status));
            }
            let is_still = last.status.state != CrawlState::Running
                && self.collection.worker()?.is_none()
                && last.from == self.sources().map(from);
            if is_still {
                return Ok(Arc::clone(&last.status));
            }
        }
        let sources = self.sources().map(from).to_vec();
        let status = Arc::new(self.collection.status()?);
        *remembered = Some(Remembered {
            status: Arc::clone(&status),
            at: Instant::now(),
            from: sources,
        });
        Ok(status)
    }

    fn sources(&self) -> [PathBuf; 5] {
        let layout = self.collection.view().layout();
        [
            layout.logs().join("status.json"),
            layout.pages(),
            layout.pages().with_file_name("current.json"),
            layout.settings(),
            layout.marks(),
        ]
    }

    /// Forgets the status, because something has just changed.
    pub fn forget(&self) {
        *lock(&self.status) = None;
        lock(&self.answers).clear();
    }

    /// The settings, as they are in the folder.
    pub fn settings(&self) -> Option<Settings> {
        self.status().ok().and_then(|status| status.settings.clone())
    }

    /// The user's own verdicts.
    pub fn marks(&self) -> Result<Arc<KeyedMarks>, CollectionError> {
        let mut remembered = lock(&self.marks);
        let now = stamp(&self.collection.view().layout().marks());
        if now != remembered.0 {
            let marks = self.collection.marks()?;
            let marks = marks
                .into_iter()
                .map(|(url, mark)| (key_of(&url), mark))
                .collect();
            *remembered = (now, Arc::new(marks));
        }
        Ok(Arc::clone(&remembered.1))
    }

    /// Everything that was asked of the crawl, and what is in force.
    pub fn steering(&self) -> Result<Asked, CollectionError> {
        let mut remembered = lock(&self.steering);
        let now = stamp(&self.collection.view().layout().steering());
        if now != remembered.0 {
            let actions = self.collection.view().steering_actions()?;
            let steering = Steering::of(&actions);
            *remembered = (now, (Arc::new(actions), Arc::new(steering)));
        }
        Ok(remembered.1.clone())
    }

    /// The threshold that is in force.
    pub fn threshold(&self, steering: &Steering) -> Option<f64> {
        steering
            .topic
            .threshold
            .or_else(|| self.settings().map(|settings| settings.judge.threshold))
    }

    /// The search index.
    pub fn search(&self) -> Result<Arc<SearchIndex>, ApiError> {
        self.search.index(&self.collection)
    }

    /// An answer that was made a moment ago, or a new one.
    pub fn answer(
        &self,
        name: &str,
        valid: Duration,
        make: impl FnOnce() -> Result<Bytes, ApiError>,
    ) -> Result<Bytes, ApiError> {
        let mut answers = lock(&self.answers);
        if let Some((at, bytes)) = answers.get(name)
            && at.elapsed() < valid
        {
            return Ok(bytes.clone());
        }
        // Others who ask for the same wait for this answer instead of making their own.
        let bytes = make()?;
        if answers.len() > 32 {
            answers.clear();
        }
        answers.insert(name.to_owned(), (Instant::now(), bytes.clone()));
        Ok(bytes)
    }
}
