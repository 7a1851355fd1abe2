//! Fills the index of a collection while it is being crawled.
//!
//! A thread of its own reads the page records as they grow and adds what is new. It rests three times as long as it worked, so
//! it takes a quarter of one core at most; when the crawl ends, it adds the rest without resting. The more pages there are, the
//! more new ones it waits for, because every commit has a price of its own; after a minute it adds any. Nothing waits for it: a
//! page is settled whether or not it can be searched yet.
//!
//! **Invariant:** the index is never ahead of the crawl for good. A crawl that is killed may take back its last records; the
//! index knows the record that each page was made from, and drops those pages.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use scenthound::Collection;

use crate::index::records_bytes;
use crate::{SearchError, SearchIndex};

/// The shortest pause between two looks at the records.
const LEAST_PAUSE: Duration = Duration::from_secs(2);
/// How many times longer it rests than it works.
const RESTS: u32 = 3;
/// The growth of the records that is worth a commit, as a fraction: one part in so many.
const GROWTH: u64 = 10;
/// After so much time, any growth is.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// The index of a collection being filled. Dropping it leaves the index as far as it has come.
#[derive(Debug)]
pub struct Indexing {
    end: Sender<()>,
    thread: JoinHandle<Result<u64, SearchError>>,
}

impl Indexing {
    /// Begins to follow the records in a crawl folder. The clock says how much time has passed since some moment.
    pub fn start(folder: &Path, clock: impl Fn() -> Duration + Send + 'static) -> std::io::Result<Indexing> {
        let (end, ended) = channel();
        let folder = folder.to_owned();
        let thread = std::thread::Builder::new()
            .name("index".to_owned())
            .spawn(move || follow(folder, &ended, &clock))?;
        Ok(Indexing { end, thread })
    }

    /// Adds the rest and ends. Returns how many pages were added in all.
    pub fn finish(self) -> Result<u64, SearchError> {
        // If the thread has ended before, its result says why.
        let _ = self.end.send(());
        match self.thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

fn follow(folder: PathBuf, ended: &Receiver<()>, clock: &dyn Fn() -> Duration) -> Result<u64, SearchError> {
    let mut added = 0;
    let mut pause = LEAST_PAUSE;
    let mut index: Option<SearchIndex> = None;
    let mut updated = clock();
    loop {
        let is_over = match ended.recv_timeout(pause) {
            Err(RecvTimeoutError::Timeout) => false,
            // The crawl failed before it could end: what is left is added by the next search.
            Err(RecvTimeoutError::Disconnected) => return Ok(added),
            Ok(()) => true,
        };
        let collection = Collection::open(&folder)?;
        let began = clock();
        let waits = |index: &SearchIndex| {
            let growth = records_bytes(&collection).saturating_sub(index.bytes());
            growth <= index.bytes() / GROWTH && began.saturating_sub(updated) < LONGEST_WAIT
        };
        if !is_over && index.as_ref().is_some_and(waits) {
            continue;
        }
        let threads = if is_over { usize::MAX } else { 1 };
        let is_followed = match &mut index {
            Some(open) => {
                open.threads = threads;
                open.follow(&collection)?
            }
            None => false,
        };
        if !is_followed {
            added += index.take().map_or(0, |index| index.added());
            index = Some(SearchIndex::open_with(&collection, threads, &mut |_| {})?);
        }
        if is_over {
            return Ok(added + index.map_or(0, |index| index.added()));
        }
        updated = clock();
        pause = LEAST_PAUSE.max(clock().saturating_sub(began) * RESTS);
    }
}
