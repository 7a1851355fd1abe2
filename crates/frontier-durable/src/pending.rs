//! What was put into the storage since the last commit: not in the store yet, but already visible.
//!
//! One value per key. With two writes to one key in a batch, the store would decide which one counts.

use std::collections::{BTreeMap, BTreeSet};

use scenthound_frontier::{KnownUrl, SpilledPlace, UrlId};
use scenthound_types::Rank;

/// The puts since the last commit that a get may ask for. Ordered maps, so that the journal's bytes depend only on
/// the crawl.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    pub urls: BTreeMap<u32, KnownUrl>,
    /// Bytes of evidence; `None` where it was dropped.
    pub evidence: BTreeMap<u32, Option<Vec<u8>>>,
    /// URLs in the store that were dropped.
    pub dropped: BTreeSet<u32>,
    /// Links between them and their parents, child first.
    pub dropped_parents: BTreeSet<(u32, u32)>,
    pub children: BTreeMap<u32, Box<[UrlId]>>,
    /// Child and parent.
    pub parents: BTreeSet<(u32, u32)>,
    /// Page, and a byte for the agent and the kind of parents.
    pub raised: BTreeMap<(u32, u8), Rank>,
    pub rules: BTreeMap<u32, Vec<u8>>,
    pub notes: BTreeMap<String, Vec<u8>>,
    /// Links that went to the disk, by their places; `None` for those that came back.
    pub spilled: BTreeMap<SpilledPlace, Option<Vec<u8>>>,
    /// Their numbers, under which there is no entry any more. Their URLs and evidence stay.
    pub left: BTreeSet<u32>,
}

impl Pending {
    /// Whether nothing was put.
    pub fn is_empty(&self) -> bool {
        self.urls.is_empty()
            && self.evidence.is_empty()
            && self.dropped.is_empty()
            && self.dropped_parents.is_empty()
            && self.children.is_empty()
            && self.parents.is_empty()
            && self.raised.is_empty()
            && self.rules.is_empty()
            && self.notes.is_empty()
            && self.spilled.is_empty()
            && self.left.is_empty()
    }
}
