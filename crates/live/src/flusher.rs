//! Waits for the disk, so that the thread that owns the crawl need not.
//!
//! One flush at a time: while one is under way, none is begun, and the next covers everything since.

use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, bounded};
use scenthound_engine::CrawlError;
use scenthound_frontier::Flush;

type Done = Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// A thread that flushes.
pub(crate) struct Flusher {
    /// None once it is told to end.
    jobs: Option<Sender<Flush>>,
    done: Receiver<Done>,
    thread: Option<JoinHandle<()>>,
    is_busy: bool,
}

impl Flusher {
    pub fn start() -> std::io::Result<Flusher> {
        let (jobs, given) = bounded::<Flush>(1);
        let (finished, done) = bounded(1);
        let thread = std::thread::Builder::new()
            .name("flush".to_owned())
            .spawn(move || {
                for flush in given {
                    // Nobody listens once the crawl has failed for another reason.
                    let _ = finished.send(flush());
                }
            })?;
        Ok(Flusher {
            jobs: Some(jobs),
            done,
            thread: Some(thread),
            is_busy: false,
        })
    }

    /// Whether the last flush is over; fails if it failed.
    pub fn is_free(&mut self) -> Result<bool, CrawlError> {
        if self.is_busy
            && let Ok(done) = self.done.try_recv()
        {
            self.is_busy = false;
            done.map_err(CrawlError::Record)?;
        }
        Ok(!self.is_busy)
    }

    /// Begins a flush. The last one must be over.
    pub fn begin(&mut self, flush: Flush) {
        if let Some(jobs) = &self.jobs {
            self.is_busy = jobs.send(flush).is_ok();
        }
    }

    /// Waits until the last flush is over.
    pub fn finish(&mut self) -> Result<(), CrawlError> {
        if self.is_busy
            && let Ok(done) = self.done.recv()
        {
            self.is_busy = false;
            done.map_err(CrawlError::Record)?;
        }
        Ok(())
    }
}

impl Drop for Flusher {
    fn drop(&mut self) {
        // The end of the channel ends the thread.
        self.jobs = None;
        let _ = self.done.try_recv();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
