//! Where the records of a crawl go.

use scenthound_types::{Lease, Outcome, Timestamp, Update};

use crate::lease_result::{ProcessedPage, ResponseFacts};

/// One attempt, as it is recorded.
#[derive(Clone, Copy, Debug)]
pub struct Visit<'a> {
    /// What was asked for.
    pub lease: &'a Lease,
    /// What came of it.
    pub outcome: &'a Outcome,
    /// The page, where one was read.
    pub page: Option<&'a ProcessedPage>,
    /// About the response.
    pub facts: &'a ResponseFacts,
    /// What the strategy wanted changed.
    pub updates: &'a [Update],
    /// Whether the URL will be tried again.
    pub will_retry: bool,
    /// When it was settled.
    pub now: Timestamp,
}

/// Keeps the records of a crawl: the archive and the list of attempts, live; the journal, in the lab.
pub trait Recorder {
    /// What the driver hands over for each attempt besides the facts: packed archive records, or nothing.
    type Payload;

    /// Appends one attempt; without payload where no request was made. What is appended counts only once its mark is
    /// committed.
    fn record(
        &mut self,
        visit: &Visit<'_>,
        payload: Option<Self::Payload>,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;

    /// How far the records reach now, handed to the operating system, to be committed with what they record. None if
    /// nothing needs it.
    fn mark(&mut self) -> Result<Option<Vec<u8>>, Box<dyn std::error::Error + Send + Sync>>;

    /// Brings the records to the disk itself.
    fn sync(&mut self) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;
}
