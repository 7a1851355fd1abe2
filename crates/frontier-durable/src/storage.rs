//! A storage over fjall, a log-structured store.
//!
//! A commit is one batch in the store. Its journal marks where a batch ends and has a checksum, so half a batch is
//! dropped on opening. The batch reaches the operating system before `commit` returns, so a killed process loses
//! nothing; `sync` flushes it to the disk.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fjall::config::{BlockSizePolicy, CompressionPolicy, PinningPolicy};
use fjall::{
    CompressionType, Database, Keyspace, KeyspaceCreateOptions, OwnedWriteBatch, PersistMode, UserValue,
};
use scenthound_frontier::{
    Entry, Flush, FrontierError, HostId, HostRecord, KnownUrl, Leaving, Spilled, SpilledPlace, Storage, UrlId,
};
use scenthound_types::{AgentId, CanonicalUrl, Evidence, Parents, Rank, Reason};

use crate::DurableError;
use crate::commit_mark::{CommitMark, NOTE};
use crate::pending::Pending;
use crate::recent::Recent;
use crate::snapshot::{self, SnapshotMark};
use crate::spilled::{self, Stored};

const MIB: u64 = 1024 * 1024;
/// Cached blocks. Mostly the URLs of leases, which are scattered as widely as the crawl.
const CACHE: u64 = 16 * MIB;
/// What opening reads again after a kill. Older data is flushed from memory; with less, that would happen before tables are full.
const JOURNALS: u64 = 128 * MIB;
/// What is held in memory of entries, and of evidence, before it is written as a table. Both are written all over their numbers, so
/// whatever is written is merged with the whole first level of tables, a quarter of a gigabyte: the more at a time, the better.
const OFTEN_WRITTEN: u64 = 16 * MIB;
/// In the first byte of a URL: only what follows the origin is there.
const WITHOUT_ORIGIN: u8 = 16;
/// The most that the store may hold in memory before it has written it to tables.
const MOST_BUFFERED: u64 = 128 * MIB;
/// The same while links leave memory for the disk.
const MOST_WHEN_SHORT: u64 = 16 * MIB;

/// Evidence of links whose numbers are this near to each other, and that are this many, is read in one pass: looking one up costs
/// as much as passing over a few dozen.
const NEAR: u32 = 16;
const MANY: usize = 8;

/// Keeps everything in an embedded store.
pub struct FjallStorage {
    folder: PathBuf,
    db: Database,
    pub(crate) tables: Tables,
    pending: Pending,
    /// Evidence that was written lately.
    recent: Recent,
    batch: OwnedWriteBatch,
    is_read_only: bool,
    /// How far it has come.
    mark: CommitMark,
    /// How far it had come when it last reached the disk.
    synced: CommitMark,
    /// Whether there is a copy of the entries beside the store, up to date or not…
    has_snapshot: bool,
    /// …and the last one that was made.
    snapshot: Option<SnapshotMark>,
}

/// One table per kind of record. Numbers in keys are big-endian, so that a scan meets them in order.
pub(crate) struct Tables {
    /// Number of the URL → entry, with its age where that differs from the number.
    pub entries: Keyspace,
    /// Number of the URL → reason and what follows the origin. Separate from the entries, because it is written once and they
    /// are written often. The origin is in the record of the host: it would be a third of every URL.
    pub urls: Keyspace,
    /// Number of the URL → what is known of the link, while it waits.
    pub evidence: Keyspace,
    /// Number of the host → record.
    pub hosts: Keyspace,
    /// Number of the host → rules.
    pub rules: Keyspace,
    /// Number of the page → numbers of the URLs it links to.
    pub children: Keyspace,
    /// Number of the URL, number of the page → nothing.
    pub parents: Keyspace,
    /// Number of the page, kind of parents and agent → the highest raise.
    pub raised: Keyspace,
    /// Place among the links that wait on the disk → the link.
    pub spilled: Keyspace,
    /// Name → value.
    pub notes: Keyspace,
}

impl Tables {
    fn all(&self) -> [&Keyspace; 10] {
        [
            &self.entries,
            &self.urls,
            &self.evidence,
            &self.hosts,
            &self.rules,
            &self.children,
            &self.parents,
            &self.raised,
            &self.spilled,
            &self.notes,
        ]
    }
}

impl std::fmt::Debug for FjallStorage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FjallStorage")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

impl FjallStorage {
    /// Opens the store in a folder, creating what is missing.
    pub(crate) fn open(folder: &Path) -> Result<FjallStorage, DurableError> {
        let fault = |source| match source {
            fjall::Error::Locked => DurableError::Locked {
                folder: folder.to_owned(),
            },
            // What a power failure may leave behind.
            fjall::Error::JournalRecovery(_)
            | fjall::Error::InvalidTrailer
            | fjall::Error::InvalidTag(_)
            | fjall::Error::Decompress(_)
            | fjall::Error::Unrecoverable => DurableError::Damaged {
                folder: folder.to_owned(),
                what: format!("its journal cannot be read ({source})"),
            },
            source => DurableError::Store {
                folder: folder.to_owned(),
                source,
            },
        };
        let db = Database::builder(folder)
            .cache_size(CACHE)
            .max_journaling_size(JOURNALS)
            .max_cached_files(Some(128))
            // With more than one thread, the first passes compactions back and forth to itself while another works on
            // one.
            .worker_threads(1)
            .open()
            .map_err(fault)?;
        let table = |name: &str, memory: u64| {
            db.keyspace(name, || {
                KeyspaceCreateOptions::default()
                    .max_memtable_size(memory)
                    // An index is hundreds of kilobytes in one piece. A cache that has to make room for them reads little else.
                    .index_block_pinning_policy(PinningPolicy::all(true))
                    .filter_block_pinning_policy(PinningPolicy::all(true))
                    // Only keys that exist are requested, so a filter on the last level would say "yes" every time.
                    .expect_point_read_hits(true)
                    .data_block_size_policy(BlockSizePolicy::all(4096))
                    .data_block_compression_policy(CompressionPolicy::new([
                        CompressionType::None,
                        CompressionType::None,
                        CompressionType::Lz4,
                    ]))
            })
            .map_err(fault)
        };
        let tables = Tables {
            entries: table("entries", OFTEN_WRITTEN)?,
            urls: table("urls", 4 * MIB)?,
            evidence: table("evidence", OFTEN_WRITTEN)?,
            hosts: table("hosts", MIB)?,
            rules: table("rules", MIB)?,
            children: table("children", 2 * MIB)?,
            parents: table("parents", 2 * MIB)?,
            raised: table("raised", MIB)?,
            spilled: table("spilled", 2 * MIB)?,
            notes: table("notes", MIB)?,
        };
        let noted = tables.notes.get(NOTE).map_err(fault)?;
        let mark = noted
            .and_then(|bytes| CommitMark::from_bytes(&bytes))
            .unwrap_or_default();
        let noted = tables.notes.get(snapshot::NOTE).map_err(fault)?;
        let storage = FjallStorage {
            has_snapshot: snapshot::path(folder).exists(),
            snapshot: noted.and_then(|bytes| SnapshotMark::from_bytes(&bytes)),
            folder: folder.to_owned(),
            batch: db.batch(),
            db,
            tables,
            pending: Pending::default(),
            recent: Recent::default(),
            is_read_only: false,
            mark,
            synced: mark,
        };
        storage.check()?;
        Ok(storage)
    }

    /// Refuses a store that has lost what it had confirmed.
    fn check(&self) -> Result<(), DurableError> {
        let damaged = |what: String| DurableError::Damaged {
            folder: self.folder.clone(),
            what,
        };
        if let Some(confirmed) = CommitMark::read(&self.folder)?
            && let Some(what) = self.mark.lacks(confirmed)
        {
            return Err(damaged(what));
        }
        let ends = |table: &Keyspace| -> Result<_, DurableError> {
            let key = |end: Option<fjall::Guard>| end.map(fjall::Guard::key).transpose();
            let fault = |source| DurableError::Store {
                folder: self.folder.clone(),
                source,
            };
            Ok((
                key(table.first_key_value()).map_err(fault)?,
                key(table.last_key_value()).map_err(fault)?,
            ))
        };
        // Every host is numbered from 0, and both are written together.
        let (_, last) = ends(&self.tables.hosts)?;
        let hosts = last.as_deref().and_then(number).map_or(0, |last| last + 1);
        if hosts < self.mark.hosts {
            return Err(damaged(format!(
                "{} of {} hosts are left",
                hosts, self.mark.hosts
            )));
        }
        let (entries, urls) = (ends(&self.tables.entries)?, ends(&self.tables.urls)?);
        // Every entry has a URL, and both are dropped together. Only links on the disk have no entry any more.
        let (on_disk, _) = ends(&self.tables.spilled)?;
        let do_match = match (&entries, &urls) {
            _ if on_disk.is_none() => entries == urls,
            ((Some(first), Some(last)), (Some(first_url), Some(last_url))) => {
                first_url <= first && last <= last_url
            }
            ((None, None), _) => true,
            _ => false,
        };
        if !do_match {
            return Err(damaged("entries and URLs do not match".to_owned()));
        }
        Ok(())
    }

    /// How many numbers had been given to entries at the last commit.
    pub(crate) fn numbers(&self) -> u32 {
        self.mark.entries
    }

    /// Refuses entries that end before the last one that was committed.
    pub(crate) fn check_entries(&self, numbers: u32) -> Result<(), DurableError> {
        if numbers >= self.mark.entries {
            return Ok(());
        }
        Err(DurableError::Damaged {
            folder: self.folder.clone(),
            what: format!("{numbers} of {} entries are left", self.mark.entries),
        })
    }

    pub(crate) fn read_only(self) -> FjallStorage {
        FjallStorage {
            is_read_only: true,
            ..self
        }
    }

    /// Waits until the store has written enough of what it holds in memory.
    ///
    /// The store leaves that to its thread, and takes more commits meanwhile, as much as ever comes. On a busy machine, or
    /// while the thread merges large tables, it once came to hold twenty gigabytes.
    fn wait_for_room(&self, most: u64) -> Result<(), FrontierError> {
        if self.db.write_buffer_size() <= most {
            return Ok(());
        }
        for table in self.tables.all() {
            table.rotate_memtable().map_err(|error| self.fault(error))?;
        }
        while self.db.write_buffer_size() > most / 2 && self.db.outstanding_flushes() > 0 {
            // This fails if the thread has failed, which would never make room.
            let handed_over = self.db.persist(PersistMode::Buffer);
            handed_over.map_err(|error| self.fault(error))?;
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// All entries from the copy beside the store; none if there is no copy of the last commit.
    pub(crate) fn snapshot(&self) -> Result<Option<snapshot::Rows>, DurableError> {
        let mark = self.snapshot.filter(|mark| mark.commits == self.mark.commits);
        match mark {
            Some(mark) => snapshot::Rows::open(&self.folder, mark),
            None => Ok(None),
        }
    }

    /// Whether everything that was put is in the store.
    pub(crate) fn has_committed_all(&self) -> bool {
        self.pending.is_empty() && self.batch.is_empty()
    }

    /// Confirms the copy of the entries that has just been written.
    pub(crate) fn commit_snapshot(&mut self, sum: u64) -> Result<(), FrontierError> {
        let mark = SnapshotMark {
            commits: self.mark.commits + 1,
            sum,
        };
        self.put_note(snapshot::NOTE, &mark.to_bytes());
        // The commit makes any other copy stale, but not this one.
        self.has_snapshot = false;
        self.commit()?;
        self.has_snapshot = true;
        self.snapshot = Some(mark);
        self.sync()
    }

    /// Bytes the store uses on disk.
    pub fn disk_bytes(&self) -> Result<u64, FrontierError> {
        self.db.disk_space().map_err(|error| self.fault(error))
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn fault(&self, source: fjall::Error) -> FrontierError {
        FjallStorage::fault_in(&self.folder, source)
    }

    pub(crate) fn fault_in(folder: &Path, source: fjall::Error) -> FrontierError {
        DurableError::Store {
            folder: folder.to_owned(),
            source,
        }
        .into()
    }

    pub(crate) fn damaged(&self, what: &str) -> FrontierError {
        FrontierError::Damaged {
            what: format!("{what} in {}", self.folder.display()),
        }
    }

    fn read_spilled(&self, place: &SpilledPlace, bytes: &[u8]) -> Result<Stored, FrontierError> {
        spilled::from_bytes(place, bytes)
            .ok_or_else(|| self.damaged("a link that waits on the disk is incomplete"))
    }

    /// A link on the disk with what is stored of it.
    fn complete(&self, stored: Stored) -> Result<Spilled, FrontierError> {
        match stored {
            Stored::Whole(spilled) => Ok(*spilled),
            Stored::Entry(entry) => {
                let known = self.url(entry.id, &entry.origin)?;
                Ok(entry.as_leaving().spilled(known, self.evidence(entry.id)?))
            }
        }
    }

    /// The links on the disk that were committed and have not come back since, best first.
    fn committed_spilled(&self) -> impl Iterator<Item = Result<(SpilledPlace, Stored), FrontierError>> {
        self.tables.spilled.iter().filter_map(|row| {
            let read = || -> Result<Option<(SpilledPlace, Stored)>, FrontierError> {
                let (key, value) = row.into_inner().map_err(|error| self.fault(error))?;
                let place: SpilledPlace = (key.as_ref().try_into())
                    .map_err(|_| self.damaged("a link that waits on the disk has no place"))?;
                // What came back since the last commit is still in the store.
                if self.pending.spilled.contains_key(&place) {
                    return Ok(None);
                }
                Ok(Some((place, self.read_spilled(&place, &value)?)))
            };
            read().transpose()
        })
    }

    /// What was committed of a host.
    pub(crate) fn host(&self, id: HostId) -> Result<Option<HostRecord>, FrontierError> {
        let bytes = self.get(&self.tables.hosts, &id.0.to_be_bytes())?;
        Ok(bytes.and_then(|bytes| HostRecord::from_bytes(&bytes)))
    }

    fn get(&self, table: &Keyspace, key: &[u8]) -> Result<Option<UserValue>, FrontierError> {
        table.get(key).map_err(|error| self.fault(error))
    }

    fn read_evidence(&self, id: u32, bytes: &[u8]) -> Result<Evidence, FrontierError> {
        Evidence::from_bytes(bytes)
            .ok_or_else(|| self.damaged(&format!("the evidence of URL {id} is incomplete")))
    }

    /// Evidence that is in memory; none if only the store knows.
    fn evidence_in_memory(&self, id: u32) -> Result<Option<Option<Evidence>>, FrontierError> {
        if let Some(pending) = self.pending.evidence.get(&id) {
            return Ok(Some(pending.as_deref().and_then(Evidence::from_bytes)));
        }
        match self.recent.get(id) {
            Some(bytes) => Ok(Some(Some(self.read_evidence(id, bytes)?))),
            None => Ok(None),
        }
    }

    /// Reads the evidence of some links in one pass from the first to the last.
    fn evidence_between(
        &self,
        first: UrlId,
        last: UrlId,
        ids: &[UrlId],
        out: &mut Vec<Option<Evidence>>,
    ) -> Result<(), FrontierError> {
        let mut rows = (self.tables.evidence).range(first.0.to_be_bytes()..=last.0.to_be_bytes());
        let mut next = None;
        for id in ids {
            if let Some(known) = self.evidence_in_memory(id.0)? {
                out.push(known);
                continue;
            }
            while next.as_ref().is_none_or(|(at, _)| *at < id.0) {
                let Some(row) = rows.next() else { break };
                let (key, value) = row.into_inner().map_err(|error| self.fault(error))?;
                let at = number(&key).ok_or_else(|| self.damaged("evidence has no number"))?;
                next = Some((at, value));
            }
            out.push(match &next {
                Some((at, bytes)) if *at == id.0 => Some(self.read_evidence(id.0, bytes)?),
                _ => None,
            });
        }
        Ok(())
    }
}

/// Flushes every journal of the store in a folder. One that is gone has been written to tables, which the store flushes itself.
fn flush_journals(folder: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|ending| ending != "jnl") {
            continue;
        }
        match File::open(&path).and_then(|journal| journal.sync_data()) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    File::open(folder)?.sync_all()
}

pub(crate) fn number(key: &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(key.try_into().ok()?))
}

pub(crate) fn pair(key: &[u8]) -> Option<(u32, u32)> {
    let (first, second) = key.split_at_checked(4)?;
    Some((number(first)?, number(second)?))
}

fn join(first: u32, second: u32) -> [u8; 8] {
    (u64::from(first) << 32 | u64::from(second)).to_be_bytes()
}

pub(crate) fn reason_byte(reason: Reason) -> u8 {
    match reason {
        Reason::Seed => 0,
        Reason::Link => 1,
        Reason::Redirect => 2,
        Reason::Sitemap => 3,
        Reason::SitemapLine => 4,
        Reason::Requisite => 5,
    }
}

pub(crate) fn reason_of(byte: u8) -> Option<Reason> {
    Some(match byte {
        0 => Reason::Seed,
        1 => Reason::Link,
        2 => Reason::Redirect,
        3 => Reason::Sitemap,
        4 => Reason::SitemapLine,
        5 => Reason::Requisite,
        _ => return None,
    })
}

fn write_url(known: &KnownUrl) -> Vec<u8> {
    let reason = reason_byte(known.reason);
    let rest = known.url.path_and_query().as_bytes();
    let mut bytes = Vec::with_capacity(1 + rest.len());
    bytes.push(reason | WITHOUT_ORIGIN);
    bytes.extend(rest);
    bytes
}

/// Reads a URL, given the origin of its host.
fn read_url(bytes: &[u8], origin: &str) -> Option<KnownUrl> {
    let (head, rest) = bytes.split_first()?;
    let spelled = match head & WITHOUT_ORIGIN {
        // Folders of earlier versions have whole URLs.
        0 => std::str::from_utf8(rest).ok()?.to_owned(),
        _ => origin.to_owned() + std::str::from_utf8(rest).ok()?,
    };
    Some(KnownUrl {
        url: CanonicalUrl::from_canonical(&spelled).ok()?,
        reason: reason_of(head & !WITHOUT_ORIGIN)?,
    })
}

fn read_ids(bytes: &[u8]) -> Option<Vec<UrlId>> {
    let (ids, rest) = bytes.as_chunks::<4>();
    rest.is_empty()
        .then(|| ids.iter().map(|id| UrlId(u32::from_le_bytes(*id))).collect())
}

pub(crate) fn read_entry(bytes: &[u8]) -> Option<(Entry, Option<u32>)> {
    let (entry, age) = bytes.split_at_checked(Entry::BYTES)?;
    let age = match age {
        [] => None,
        age => Some(u32::from_le_bytes(age.try_into().ok()?)),
    };
    Some((Entry::from_bytes(entry)?, age))
}

/// The kind of parents and the agent, in one byte.
fn whose_byte(whose: Parents, agent: AgentId) -> u8 {
    u8::from(whose == Parents::All) | agent.0 << 1
}

pub(crate) fn read_raised(key: &[u8], value: &[u8]) -> Option<(UrlId, Parents, AgentId, Rank)> {
    let (page, whose) = key.split_at_checked(4)?;
    let &[byte] = whose else { return None };
    let whose = if byte & 1 == 1 {
        Parents::All
    } else {
        Parents::First
    };
    let agent = AgentId(byte >> 1);
    let (class, value) = value.split_first_chunk::<2>()?;
    let (score, tie) = value.split_first_chunk::<8>()?;
    let rank = Rank {
        class: u16::from_le_bytes(*class),
        score: scenthound_types::Score::new(f64::from_le_bytes(*score)),
        tie: u32::from_le_bytes(tie.try_into().ok()?),
    };
    Some((UrlId(number(page)?), whose, agent, rank))
}

impl Storage for FjallStorage {
    fn put_url(&mut self, id: UrlId, known: &KnownUrl) {
        self.pending.urls.insert(id.0, known.clone());
    }

    fn url(&self, id: UrlId, origin: &str) -> Result<KnownUrl, FrontierError> {
        if let Some(known) = self.pending.urls.get(&id.0) {
            return Ok(known.clone());
        }
        let bytes = self.get(&self.tables.urls, &id.0.to_be_bytes())?;
        bytes
            .and_then(|bytes| read_url(&bytes, origin))
            .ok_or_else(|| self.damaged(&format!("no URL number {}", id.0)))
    }

    fn drop_url(&mut self, id: UrlId) {
        self.pending.evidence.remove(&id.0);
        // What was put since the last commit has never been in the store.
        if self.pending.urls.remove(&id.0).is_none() {
            self.pending.dropped.insert(id.0);
        }
    }

    fn drop_parents(&mut self, child: UrlId) -> Result<u64, FrontierError> {
        let parents = self.parents(child)?;
        let count = parents.len() as u64;
        for parent in parents {
            let link = (child.0, parent.0);
            self.pending.parents.remove(&link);
            self.pending.dropped_parents.insert(link);
        }
        Ok(count)
    }

    fn put_evidence(&mut self, id: UrlId, evidence: &Evidence) {
        self.pending.evidence.insert(id.0, Some(evidence.to_bytes()));
    }

    fn evidence(&self, id: UrlId) -> Result<Option<Evidence>, FrontierError> {
        if let Some(known) = self.evidence_in_memory(id.0)? {
            return Ok(known);
        }
        match self.get(&self.tables.evidence, &id.0.to_be_bytes())? {
            Some(bytes) => self.read_evidence(id.0, &bytes).map(Some),
            None => Ok(None),
        }
    }

    fn evidence_of_all(&self, ids: &[UrlId]) -> Result<Vec<Option<Evidence>>, FrontierError> {
        let mut all = Vec::with_capacity(ids.len());
        for near in ids.chunk_by(|id, next| next.0.saturating_sub(id.0) <= NEAR) {
            match near {
                [first, .., last] if near.len() >= MANY => {
                    self.evidence_between(*first, *last, near, &mut all)?
                }
                _ => {
                    for id in near {
                        all.push(self.evidence(*id)?);
                    }
                }
            }
        }
        Ok(all)
    }

    fn drop_evidence(&mut self, id: UrlId) {
        self.pending.evidence.insert(id.0, None);
    }

    fn put_children(&mut self, page: UrlId, children: &[UrlId]) {
        self.pending.children.insert(page.0, children.into());
    }

    fn children(&self, page: UrlId) -> Result<Vec<UrlId>, FrontierError> {
        if let Some(children) = self.pending.children.get(&page.0) {
            return Ok(children.to_vec());
        }
        match self.get(&self.tables.children, &page.0.to_be_bytes())? {
            Some(bytes) => read_ids(&bytes).ok_or_else(|| self.damaged("a list of links is incomplete")),
            None => Ok(Vec::new()),
        }
    }

    fn put_parent(&mut self, child: UrlId, parent: UrlId) {
        self.pending.parents.insert((child.0, parent.0));
    }

    fn parents(&self, child: UrlId) -> Result<Vec<UrlId>, FrontierError> {
        let mut parents = Vec::new();
        for pair_of_ids in self.tables.parents.prefix(child.0.to_be_bytes()) {
            let key = pair_of_ids.key().map_err(|error| self.fault(error))?;
            let (_, parent) = pair(&key).ok_or_else(|| self.damaged("a parent link is incomplete"))?;
            parents.push(UrlId(parent));
        }
        let pending = self.pending.parents.range((child.0, 0)..=(child.0, u32::MAX));
        parents.extend(pending.map(|(_, parent)| UrlId(*parent)));
        parents.sort_unstable();
        parents.dedup();
        Ok(parents)
    }

    fn put_raised(&mut self, page: UrlId, whose: Parents, agent: AgentId, rank: Rank) {
        self.pending
            .raised
            .insert((page.0, whose_byte(whose, agent)), rank);
    }

    fn put_rules(&mut self, host: HostId, bytes: &[u8]) {
        self.pending.rules.insert(host.0, bytes.to_vec());
    }

    fn rules(&self, host: HostId) -> Result<Option<Vec<u8>>, FrontierError> {
        if let Some(rules) = self.pending.rules.get(&host.0) {
            return Ok(Some(rules.clone()));
        }
        let kept = self.get(&self.tables.rules, &host.0.to_be_bytes())?;
        Ok(kept.map(|bytes| bytes.to_vec()))
    }

    fn put_entry(&mut self, id: UrlId, entry: &Entry, other_age: Option<u32>) {
        self.mark.entries = self.mark.entries.max(id.0.saturating_add(1));
        let mut bytes = [0; Entry::BYTES + 4];
        let (body, age) = bytes.split_at_mut(Entry::BYTES);
        body.copy_from_slice(&entry.to_bytes());
        age.copy_from_slice(&other_age.unwrap_or_default().to_le_bytes());
        let length = Entry::BYTES + if other_age.is_some() { 4 } else { 0 };
        let written = bytes.get(..length).unwrap_or_default();
        self.batch
            .insert(&self.tables.entries, id.0.to_be_bytes(), written);
    }

    fn put_host(&mut self, id: HostId, record: &HostRecord) {
        self.mark.hosts = self.mark.hosts.max(id.0.saturating_add(1));
        self.batch
            .insert(&self.tables.hosts, id.0.to_be_bytes(), record.to_bytes());
    }

    fn put_note(&mut self, name: &str, value: &[u8]) {
        self.pending.notes.insert(name.to_owned(), value.to_vec());
    }

    fn notes(&self, prefix: &str) -> Result<Vec<(String, Vec<u8>)>, FrontierError> {
        let mut notes = std::collections::BTreeMap::new();
        for note in self.tables.notes.prefix(prefix) {
            let (name, value) = note.into_inner().map_err(|error| self.fault(error))?;
            let name = std::str::from_utf8(&name).map_err(|_| self.damaged("a note has no readable name"))?;
            // The store's own notes belong to nobody else.
            if name == NOTE || name == snapshot::NOTE {
                continue;
            }
            notes.insert(name.to_owned(), value.to_vec());
        }
        let pending = self.pending.notes.range(prefix.to_owned()..);
        for (name, value) in pending.take_while(|(name, _)| name.starts_with(prefix)) {
            notes.insert(name.clone(), value.clone());
        }
        Ok(notes.into_iter().collect())
    }

    fn can_spill(&self) -> bool {
        true
    }

    fn spill(&mut self, place: &SpilledPlace, leaving: &Leaving<'_>) -> Result<(), FrontierError> {
        self.pending
            .spilled
            .insert(*place, Some(spilled::to_bytes(leaving)));
        self.pending.left.insert(leaving.id.0);
        Ok(())
    }

    fn take_spilled(&mut self, most: usize) -> Result<Vec<Spilled>, FrontierError> {
        let taken = self.committed_spilled().take(most);
        let mut taken = taken.collect::<Result<Vec<(SpilledPlace, Stored)>, _>>()?;
        self.pending
            .spilled
            .extend(taken.iter().map(|(place, _)| (*place, None)));
        // Once all in the store have come back, those that have not been committed do.
        while taken.len() < most
            && let Some((place, bytes)) =
                (self.pending.spilled.iter()).find_map(|(place, bytes)| Some((*place, bytes.clone()?)))
        {
            self.pending.spilled.remove(&place);
            taken.push((place, self.read_spilled(&place, &bytes)?));
        }
        // In the order of their numbers, in which they are stored, and then as they were.
        let mut by_number: Vec<(usize, Stored)> =
            taken.into_iter().map(|(_, stored)| stored).enumerate().collect();
        by_number.sort_by_key(|(_, stored)| stored.id().0);
        let mut complete = Vec::with_capacity(by_number.len());
        for (at, stored) in by_number {
            let id = stored.id();
            complete.push((at, self.complete(stored)?));
            if id != UrlId::NONE {
                self.pending.left.remove(&id.0);
                self.drop_url(id);
            }
        }
        complete.sort_by_key(|(at, _)| *at);
        Ok(complete.into_iter().map(|(_, spilled)| spilled).collect())
    }

    fn each_spilled(
        &self,
        look: &mut dyn FnMut(Spilled) -> Result<(), FrontierError>,
    ) -> Result<(), FrontierError> {
        for row in self.committed_spilled() {
            look(self.complete(row?.1)?)?;
        }
        for (place, bytes) in &self.pending.spilled {
            if let Some(bytes) = bytes {
                look(self.complete(self.read_spilled(place, bytes)?)?)?;
            }
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<(), FrontierError> {
        if self.is_read_only {
            return Err(DurableError::ReadOnly {
                folder: self.folder.clone(),
            }
            .into());
        }
        let pending = std::mem::take(&mut self.pending);
        // What left memory because it is short must not come to be held in memory here.
        let most_buffered = match pending.left.is_empty() {
            true => MOST_BUFFERED,
            false => MOST_WHEN_SHORT,
        };
        let fresh = self.db.batch();
        let mut batch = std::mem::replace(&mut self.batch, fresh).durability(Some(PersistMode::Buffer));
        let tables = &self.tables;
        for (id, known) in pending.urls {
            batch.insert(&tables.urls, id.to_be_bytes(), write_url(&known));
        }
        for (id, evidence) in pending.evidence {
            match evidence {
                Some(bytes) => {
                    self.recent.put(id, &bytes);
                    batch.insert(&tables.evidence, id.to_be_bytes(), bytes);
                }
                None => {
                    self.recent.forget(id);
                    batch.remove(&tables.evidence, id.to_be_bytes());
                }
            }
        }
        for id in pending.dropped {
            self.recent.forget(id);
            for table in [&tables.entries, &tables.urls, &tables.evidence] {
                batch.remove(table, id.to_be_bytes());
            }
        }
        for id in pending.left {
            batch.remove(&tables.entries, id.to_be_bytes());
        }
        for (child, parent) in pending.dropped_parents {
            batch.remove(&tables.parents, join(child, parent));
        }
        for (page, children) in pending.children {
            let ids: Vec<u8> = children.iter().flat_map(|id| id.0.to_le_bytes()).collect();
            batch.insert(&tables.children, page.to_be_bytes(), ids);
        }
        for (child, parent) in pending.parents {
            batch.insert(&tables.parents, join(child, parent), []);
        }
        for ((page, by_whom), rank) in pending.raised {
            let mut key = [0; 5];
            let (number, whose) = key.split_at_mut(4);
            number.copy_from_slice(&page.to_be_bytes());
            whose.copy_from_slice(&[by_whom]);
            let mut value = Vec::with_capacity(14);
            value.extend(rank.class.to_le_bytes());
            value.extend(rank.score.get().to_le_bytes());
            value.extend(rank.tie.to_le_bytes());
            batch.insert(&tables.raised, key, value);
        }
        for (host, rules) in pending.rules {
            batch.insert(&tables.rules, host.to_be_bytes(), rules);
        }
        for (place, spilled) in pending.spilled {
            match spilled {
                Some(bytes) => batch.insert(&tables.spilled, place, bytes),
                None => batch.remove(&tables.spilled, place),
            }
        }
        for (name, value) in pending.notes {
            batch.insert(&tables.notes, name, value);
        }
        self.mark.commits += 1;
        batch.insert(&tables.notes, NOTE, self.mark.to_bytes());
        batch.commit().map_err(|error| self.fault(error))?;
        if std::mem::take(&mut self.has_snapshot) {
            // It is stale. If it cannot be removed, its mark still says so.
            let _ = fs::remove_file(snapshot::path(&self.folder));
        }
        self.wait_for_room(most_buffered)
    }

    fn flush_later(&mut self) -> Result<Flush, FrontierError> {
        // The store would hold up commits while it waits for the disk. Its journals are flushed by name instead; all commits
        // have been handed to the system.
        let (folder, mark) = (self.folder.clone(), self.mark);
        let is_new = mark != self.synced;
        self.synced = mark;
        Ok(Box::new(move || {
            flush_journals(&folder)?;
            if is_new {
                mark.write(&folder)?;
            }
            Ok(())
        }))
    }

    fn sync(&mut self) -> Result<(), FrontierError> {
        self.db
            .persist(PersistMode::SyncAll)
            .map_err(|error| self.fault(error))?;
        if self.mark != self.synced {
            self.mark.write(&self.folder)?;
            self.synced = self.mark;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_read_with_the_origin_of_its_host_or_whole_as_earlier_versions_wrote_it() {
        let known = KnownUrl {
            url: CanonicalUrl::from_canonical("http://a.example/b?c").unwrap(),
            reason: Reason::SitemapLine,
        };
        let written = write_url(&known);
        assert_eq!(read_url(&written, "http://a.example"), Some(known.clone()));
        assert_eq!(read_url(b"\x04http://a.example/b?c", ""), Some(known));
    }
}
