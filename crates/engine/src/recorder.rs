//! Where the records of a crawl go.

use scenthound_frontier::Flush;
use scenthound_types::{Lease, Outcome, ScorePart, Timestamp, Update};

use crate::lease_result::{ProcessedPage, ResponseFacts};

/// One attempt, as it is recorded.
#[derive(Clone, Copy, Debug)]
pub struct Visit<'a> {
    /// The lease it ended.
    pub lease: &'a Lease,
    /// How it ended.
    pub outcome: &'a Outcome,
    /// The page, if one was read.
    pub page: Option<&'a ProcessedPage>,
    /// Facts about the response.
    pub facts: &'a ResponseFacts,
    /// The updates the strategy returned.
    pub updates: &'a [Update],
    /// What the score it was taken with is made of, if the strategy has that recorded.
    pub score_parts: &'a [ScorePart],
    /// Whether the URL will be tried again.
    pub will_retry: bool,
    /// Whether it was fetched only because it had waited longest.
    pub is_explored: bool,
    /// When it was settled.
    pub now: Timestamp,
}

/// Keeps the records of a crawl: the archive and the page records in a live crawl, the journal in the lab.
pub trait Recorder {
    /// What the driver passes along with each attempt besides the facts: packed archive records, or nothing.
    type Payload;

    /// Appends one attempt; there is no payload if no request was made. What is appended counts only once its mark has
    /// been committed.
    fn record(
        &mut self,
        visit: &Visit<'_>,
        payload: Option<Self::Payload>,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;

    /// Hands all records to the operating system and returns how far they reach, to be committed together with what they
    /// record. None if nothing needs a mark.
    fn mark(&mut self) -> Result<Option<Vec<u8>>, Box<dyn std::error::Error + Send + Sync>>;

    /// Flushes the records to the disk itself.
    fn sync(&mut self) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;

    /// The same, but as something that another thread can do while more is recorded.
    fn flush_later(&mut self) -> Result<Flush, Box<dyn std::error::Error + Send + Sync>> {
        self.sync()?;
        Ok(Box::new(|| Ok(())))
    }
}
