//! Where a frontier keeps what need not be in memory, and what must outlive the process.

use scenthound_types::{AgentId, CanonicalUrl, Evidence, Parents, Rank, Reason};

use crate::Flush;
use crate::{Entry, FrontierError, HostId, HostRecord, Leaving, Spilled, SpilledPlace, UrlId};

/// What is written once about a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownUrl {
    /// The URL.
    pub url: CanonicalUrl,
    /// How it was found.
    pub reason: Reason,
}

/// What a storage kept about which pages link to which, for [`crate::StoredFrontier::reopen`].
#[derive(Clone, Debug, Default)]
pub struct Kinship {
    /// How many parents are kept for each URL, indexed by its number.
    pub parent_counts: Vec<u8>,
    /// Parents not kept because the URL already had the maximum.
    pub parents_dropped: u64,
    /// The highest raise each page's children have had from an agent.
    pub raised: Vec<(UrlId, Parents, AgentId, Rank)>,
}

/// Keeps strings, lists and changes for a [`crate::StoredFrontier`].
///
/// Puts are visible to gets at once and become durable together at the next `commit`. A storage that crashes between
/// two commits comes back as it was at the first.
pub trait Storage {
    /// Stores a new URL.
    fn put_url(&mut self, id: UrlId, known: &KnownUrl);
    /// The URL of an id. Whoever asks says the origin of its host, which need not be stored with every URL.
    fn url(&self, id: UrlId, origin: &str) -> Result<KnownUrl, FrontierError>;
    /// Drops the URL, entry and evidence of an id. The id is not reused.
    fn drop_url(&mut self, id: UrlId);

    /// Stores what is known of a waiting link, replacing what was there.
    fn put_evidence(&mut self, id: UrlId, evidence: &Evidence);
    /// What is known of a waiting link.
    fn evidence(&self, id: UrlId) -> Result<Option<Evidence>, FrontierError>;
    /// What is known of many waiting links, whose ids ascend.
    fn evidence_of_all(&self, ids: &[UrlId]) -> Result<Vec<Option<Evidence>>, FrontierError> {
        ids.iter().map(|id| self.evidence(*id)).collect()
    }
    /// Drops what is known of a link.
    fn drop_evidence(&mut self, id: UrlId);

    /// Stores the ids a page links to.
    fn put_children(&mut self, page: UrlId, children: &[UrlId]);
    /// The ids a page links to.
    fn children(&self, page: UrlId) -> Result<Vec<UrlId>, FrontierError>;
    /// Adds a page that links to a URL.
    fn put_parent(&mut self, child: UrlId, parent: UrlId);
    /// Drops the pages that link to a URL, and returns how many there were.
    fn drop_parents(&mut self, child: UrlId) -> Result<u64, FrontierError>;
    /// The pages that link to a URL.
    fn parents(&self, child: UrlId) -> Result<Vec<UrlId>, FrontierError>;

    /// Stores the highest raise a page's children have had from an agent. Read only when the frontier is reopened.
    fn put_raised(&mut self, page: UrlId, whose: Parents, agent: AgentId, rank: Rank);

    /// Stores a host's rules.
    fn put_rules(&mut self, host: HostId, bytes: &[u8]);
    /// A host's rules.
    fn rules(&self, host: HostId) -> Result<Option<Vec<u8>>, FrontierError>;

    /// Stores a changed entry, once per commit, with its age where that differs from its id.
    fn put_entry(&mut self, id: UrlId, entry: &Entry, other_age: Option<u32>);
    /// Stores a changed host, once per commit.
    fn put_host(&mut self, id: HostId, record: &HostRecord);
    /// Stores a note.
    fn put_note(&mut self, name: &str, value: &[u8]);
    /// The notes whose names start with `prefix`, ordered by name.
    fn notes(&self, prefix: &str) -> Result<Vec<(String, Vec<u8>)>, FrontierError>;

    /// Whether links can wait on the disk.
    fn can_spill(&self) -> bool {
        false
    }
    /// Lets a link wait on the disk, at its place among them. What is stored of its id goes with it: the id is not known any
    /// more.
    fn spill(&mut self, _: &SpilledPlace, _: &Leaving<'_>) -> Result<(), FrontierError> {
        Ok(())
    }
    /// Takes the first of the links on the disk, at most so many.
    fn take_spilled(&mut self, _most: usize) -> Result<Vec<Spilled>, FrontierError> {
        Ok(Vec::new())
    }

    /// Shows every link that waits on the disk.
    fn each_spilled(
        &self,
        _look: &mut dyn FnMut(Spilled) -> Result<(), FrontierError>,
    ) -> Result<(), FrontierError> {
        Ok(())
    }

    /// Makes all puts since the last commit durable in one atomic step.
    fn commit(&mut self) -> Result<(), FrontierError>;
    /// Flushes commits to the disk itself.
    fn sync(&mut self) -> Result<(), FrontierError>;
    /// What remains to be done to flush all commits so far, for another thread to do.
    fn flush_later(&mut self) -> Result<Flush, FrontierError> {
        self.sync()?;
        Ok(Box::new(|| Ok(())))
    }
}
