//! A storage that lasts only as long as the process.

use std::collections::{BTreeMap, HashMap};

use scenthound_types::{AgentId, Evidence, Parents, Rank};

use crate::chunks::{Chunks, Slot};
use crate::{
    Entry, FrontierError, HostId, HostRecord, KnownUrl, Leaving, Spilled, SpilledPlace, Storage, UrlId,
};

/// Keeps everything in memory. Entries and hosts are not stored here: the frontier has them.
#[derive(Debug, Default)]
pub struct MemoryStorage {
    /// By id. Ids are given out in order.
    urls: Chunks<Option<Held>>,
    children: HashMap<u32, Box<[UrlId]>>,
    parents: HashMap<u32, Vec<UrlId>>,
    rules: HashMap<u32, Vec<u8>>,
    notes: BTreeMap<String, Vec<u8>>,
    /// Here there is no disk, but tests want to see links leave and come back.
    spilled: BTreeMap<SpilledPlace, Spilled>,
}

/// What is kept of a URL.
#[derive(Debug)]
struct Held {
    known: KnownUrl,
    /// As bytes, which take less memory; none for a URL without.
    evidence: Box<[u8]>,
}

impl Slot for Option<Held> {
    fn vacant() -> Option<Held> {
        None
    }
    fn is_vacant(&self) -> bool {
        self.is_none()
    }
}

impl MemoryStorage {
    /// How many URLs it holds.
    pub fn len(&self) -> usize {
        self.urls.live()
    }

    /// Whether it holds no URLs.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn held_mut(&mut self, id: UrlId) -> Option<&mut Held> {
        self.urls.get_mut(id.0).and_then(Option::as_mut)
    }
}

impl Storage for MemoryStorage {
    fn put_url(&mut self, id: UrlId, known: &KnownUrl) {
        // Numbers of URLs dropped by an earlier process are missing.
        debug_assert!(id.0 >= self.urls.next());
        self.urls.skip_to(id.0);
        self.urls.push(Some(Held {
            known: known.clone(),
            evidence: Box::default(),
        }));
    }

    fn url(&self, id: UrlId, _: &str) -> Result<KnownUrl, FrontierError> {
        let held = self.urls.get(id.0).and_then(Option::as_ref);
        held.map(|held| held.known.clone())
            .ok_or_else(|| FrontierError::Damaged {
                what: format!("no URL number {}", id.0),
            })
    }

    fn drop_url(&mut self, id: UrlId) {
        self.urls.remove(id.0);
    }

    fn put_evidence(&mut self, id: UrlId, evidence: &Evidence) {
        if let Some(held) = self.held_mut(id) {
            held.evidence = evidence.to_bytes().into();
        }
    }

    fn evidence(&self, id: UrlId) -> Result<Option<Evidence>, FrontierError> {
        let held = self.urls.get(id.0).and_then(Option::as_ref);
        Ok(held.and_then(|held| Evidence::from_bytes(&held.evidence)))
    }

    fn drop_evidence(&mut self, id: UrlId) {
        if let Some(held) = self.held_mut(id) {
            held.evidence = Box::default();
        }
    }

    fn put_children(&mut self, page: UrlId, children: &[UrlId]) {
        self.children.insert(page.0, children.into());
    }

    fn children(&self, page: UrlId) -> Result<Vec<UrlId>, FrontierError> {
        Ok(self
            .children
            .get(&page.0)
            .map(|ids| ids.to_vec())
            .unwrap_or_default())
    }

    fn put_parent(&mut self, child: UrlId, parent: UrlId) {
        self.parents.entry(child.0).or_default().push(parent);
    }

    fn drop_parents(&mut self, child: UrlId) -> Result<u64, FrontierError> {
        let parents = self.parents.remove(&child.0).unwrap_or_default();
        Ok(parents.len() as u64)
    }

    fn parents(&self, child: UrlId) -> Result<Vec<UrlId>, FrontierError> {
        Ok(self.parents.get(&child.0).cloned().unwrap_or_default())
    }

    fn put_raised(&mut self, _page: UrlId, _whose: Parents, _agent: AgentId, _rank: Rank) {}

    fn put_rules(&mut self, host: HostId, bytes: &[u8]) {
        self.rules.insert(host.0, bytes.to_vec());
    }

    fn rules(&self, host: HostId) -> Result<Option<Vec<u8>>, FrontierError> {
        Ok(self.rules.get(&host.0).cloned())
    }

    fn put_entry(&mut self, _id: UrlId, _entry: &Entry, _other_age: Option<u32>) {}

    fn put_host(&mut self, _id: HostId, _record: &HostRecord) {}

    fn put_note(&mut self, name: &str, value: &[u8]) {
        self.notes.insert(name.to_owned(), value.to_vec());
    }

    fn notes(&self, prefix: &str) -> Result<Vec<(String, Vec<u8>)>, FrontierError> {
        Ok(self
            .notes
            .range(prefix.to_owned()..)
            .take_while(|(name, _)| name.starts_with(prefix))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect())
    }

    fn can_spill(&self) -> bool {
        true
    }

    fn spill(&mut self, place: &SpilledPlace, leaving: &Leaving<'_>) -> Result<(), FrontierError> {
        let known = self.url(leaving.id, leaving.origin)?;
        let evidence = self.evidence(leaving.id)?;
        self.spilled.insert(*place, leaving.spilled(known, evidence));
        self.drop_url(leaving.id);
        Ok(())
    }

    fn take_spilled(&mut self, most: usize) -> Result<Vec<Spilled>, FrontierError> {
        let first = std::iter::from_fn(|| self.spilled.pop_first());
        Ok(first.take(most).map(|(_, spilled)| spilled).collect())
    }

    fn each_spilled(
        &self,
        look: &mut dyn FnMut(Spilled) -> Result<(), FrontierError>,
    ) -> Result<(), FrontierError> {
        self.spilled.values().cloned().try_for_each(look)
    }

    fn commit(&mut self) -> Result<(), FrontierError> {
        Ok(())
    }

    fn sync(&mut self) -> Result<(), FrontierError> {
        Ok(())
    }
}
