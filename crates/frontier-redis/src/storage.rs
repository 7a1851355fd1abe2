//! A storage over Redis: reads from memory, commits to a shard.

use std::sync::Arc;

use scenthound_frontier::{
    Entry, FrontierError, HostId, HostRecord, KnownUrl, MemoryStorage, Storage, UrlId,
};
use scenthound_types::{AgentId, CanonicalUrl, Evidence, Parents, Rank, Reason, Score};

use crate::keys::{Shard, Table};
use crate::mail::Mail;
use crate::pending::{Commits, Pending, SLOT};
use crate::{Claim, Link, RedisFault};

/// Keeps everything in memory, and every change in a shard of a Redis cluster.
#[derive(Debug)]
pub struct RedisStorage {
    pub(crate) link: Arc<Link>,
    pub(crate) shard: Shard,
    claim: Claim,
    pub(crate) memory: MemoryStorage,
    pub(crate) pending: Pending,
    pub(crate) commits: Commits,
    pub(crate) mail: Mail,
    /// The number after the highest of an entry.
    pub(crate) numbers: u32,
}

impl RedisStorage {
    pub(crate) fn new(link: Arc<Link>, shard: Shard, claim: Claim, done: u64) -> RedisStorage {
        RedisStorage {
            link,
            shard,
            claim,
            memory: MemoryStorage::default(),
            pending: Pending::default(),
            commits: Commits::after(done),
            mail: Mail::default(),
            numbers: 0,
        }
    }

    /// The shard it is kept in.
    pub fn shard(&self) -> &Shard {
        &self.shard
    }

    /// The right by which it commits.
    pub fn claim(&self) -> Claim {
        self.claim
    }

    /// Whether everything put so far is committed.
    pub fn is_committed(&self) -> bool {
        self.pending.is_empty() && self.commits.confirmed == self.commits.made()
    }

    pub(crate) fn damaged(&self, what: &str) -> RedisFault {
        RedisFault::Damaged {
            shard: self.shard.number(),
            what: what.to_owned(),
        }
    }

    fn put(&mut self, table: Table, field: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) {
        self.pending
            .fields
            .insert((table, field.into()), Some(value.into()));
    }

    fn remove(&mut self, table: Table, field: impl Into<Vec<u8>>) {
        self.pending.fields.insert((table, field.into()), None);
    }

    /// Sends every commit that Redis has not confirmed.
    fn send_commits(&mut self) -> Result<(), RedisFault> {
        let shard = self.shard.number();
        while self.commits.confirmed < self.commits.made() {
            let Some(command) = self.commits.next(self.claim.0) else {
                return Err(RedisFault::Lost {
                    shard,
                    held: self.commits.confirmed,
                    sent: self.commits.made(),
                });
            };
            let answer: String = self.link.query(&command)?;
            match answer.as_str() {
                "ok" => self.commits.confirm(),
                "fenced" => return Err(RedisFault::Fenced { shard }),
                // A replica took over that had not got everything.
                held => {
                    self.commits.confirmed = held
                        .parse()
                        .map_err(|_| self.damaged(&format!("a commit was answered with {held:?}")))?;
                }
            }
        }
        Ok(())
    }
}

pub(crate) fn number(field: &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(field.try_into().ok()?))
}

/// Two numbers side by side, as a field.
pub(crate) fn pair(field: &[u8]) -> Option<(u32, u32)> {
    let (first, second) = field.split_at_checked(4)?;
    Some((number(first)?, number(second)?))
}

fn join(first: u32, second: u32) -> [u8; 8] {
    (u64::from(first) << 32 | u64::from(second)).to_be_bytes()
}

fn reason_byte(reason: Reason) -> u8 {
    match reason {
        Reason::Seed => b's',
        Reason::Link => b'l',
        Reason::Redirect => b'r',
        Reason::Sitemap => b'm',
        Reason::SitemapLine => b'n',
        Reason::Requisite => b'q',
    }
}

pub(crate) fn read_url(bytes: &[u8]) -> Option<KnownUrl> {
    let (reason, spelled) = bytes.split_first()?;
    let reasons = [
        Reason::Seed,
        Reason::Link,
        Reason::Redirect,
        Reason::Sitemap,
        Reason::SitemapLine,
        Reason::Requisite,
    ];
    Some(KnownUrl {
        url: CanonicalUrl::from_canonical(std::str::from_utf8(spelled).ok()?).ok()?,
        reason: reasons.into_iter().find(|known| reason_byte(*known) == *reason)?,
    })
}

fn write_entry(entry: &Entry, other_age: Option<u32>) -> [u8; SLOT] {
    let mut bytes = [0; SLOT];
    let parts = [1 + u8::from(other_age.is_some())]
        .into_iter()
        .chain(entry.to_bytes())
        .chain(other_age.unwrap_or_default().to_le_bytes());
    for (byte, part) in bytes.iter_mut().zip(parts) {
        *byte = part;
    }
    bytes
}

/// Reads what [`write_entry`] wrote: the entry, if there is one, and its age if that differs from its number.
pub(crate) fn read_entry(bytes: &[u8]) -> Option<Option<(Entry, Option<u32>)>> {
    let (kind, rest) = bytes.split_first()?;
    let (entry, age) = rest.split_at_checked(Entry::BYTES)?;
    let age = match kind {
        0 => return Some(None),
        1 => None,
        2 => Some(u32::from_le_bytes(age.try_into().ok()?)),
        _ => return None,
    };
    Some(Some((Entry::from_bytes(entry)?, age)))
}

/// The page, the kind of parents and the agent.
fn raised_field(page: UrlId, whose: Parents, agent: AgentId) -> Vec<u8> {
    let mut field = page.0.to_be_bytes().to_vec();
    field.extend([u8::from(whose == Parents::All), agent.0]);
    field
}

pub(crate) fn read_raised(field: &[u8], value: &[u8]) -> Option<(UrlId, Parents, AgentId, Rank)> {
    let (page, rest) = field.split_first_chunk::<4>()?;
    let &[whose, agent] = rest else { return None };
    let whose = if whose == 1 { Parents::All } else { Parents::First };
    let (class, value) = value.split_first_chunk()?;
    let (score, tie) = value.split_first_chunk()?;
    let rank = Rank {
        class: u16::from_le_bytes(*class),
        score: Score::new(f64::from_le_bytes(*score)),
        tie: u32::from_le_bytes(tie.try_into().ok()?),
    };
    Some((UrlId(u32::from_be_bytes(*page)), whose, AgentId(agent), rank))
}

pub(crate) fn read_ids(bytes: &[u8]) -> Option<Vec<UrlId>> {
    let (ids, rest) = bytes.as_chunks::<4>();
    let ids = ids.iter().map(|id| UrlId(u32::from_le_bytes(*id)));
    rest.is_empty().then(|| ids.collect())
}

impl Storage for RedisStorage {
    fn put_url(&mut self, id: UrlId, known: &KnownUrl) {
        let mut bytes = vec![reason_byte(known.reason)];
        bytes.extend(known.url.as_str().as_bytes());
        self.pending.urls.insert(id.0, bytes);
        self.memory.put_url(id, known);
    }

    fn url(&self, id: UrlId, origin: &str) -> Result<KnownUrl, FrontierError> {
        self.memory.url(id, origin)
    }

    fn drop_url(&mut self, id: UrlId) {
        self.memory.drop_url(id);
        // What was put since the last commit has never been in Redis.
        if self.pending.urls.remove(&id.0).is_none() {
            self.pending.entries.insert(id.0, [0; SLOT]);
        }
        self.remove(Table::Evidence, id.0.to_be_bytes());
    }

    fn put_evidence(&mut self, id: UrlId, evidence: &Evidence) {
        self.memory.put_evidence(id, evidence);
        self.put(Table::Evidence, id.0.to_be_bytes(), evidence.to_bytes());
    }

    fn evidence(&self, id: UrlId) -> Result<Option<Evidence>, FrontierError> {
        self.memory.evidence(id)
    }

    fn drop_evidence(&mut self, id: UrlId) {
        self.memory.drop_evidence(id);
        self.remove(Table::Evidence, id.0.to_be_bytes());
    }

    fn put_children(&mut self, page: UrlId, children: &[UrlId]) {
        self.memory.put_children(page, children);
        let ids: Vec<u8> = children.iter().flat_map(|id| id.0.to_le_bytes()).collect();
        self.put(Table::Children, page.0.to_be_bytes(), ids);
    }

    fn children(&self, page: UrlId) -> Result<Vec<UrlId>, FrontierError> {
        self.memory.children(page)
    }

    fn put_parent(&mut self, child: UrlId, parent: UrlId) {
        self.memory.put_parent(child, parent);
        self.put(Table::Parents, join(child.0, parent.0), []);
    }

    fn drop_parents(&mut self, child: UrlId) -> Result<u64, FrontierError> {
        for parent in self.memory.parents(child)? {
            self.remove(Table::Parents, join(child.0, parent.0));
        }
        self.memory.drop_parents(child)
    }

    fn parents(&self, child: UrlId) -> Result<Vec<UrlId>, FrontierError> {
        self.memory.parents(child)
    }

    fn put_raised(&mut self, page: UrlId, whose: Parents, agent: AgentId, rank: Rank) {
        let mut value = Vec::with_capacity(14);
        value.extend(rank.class.to_le_bytes());
        value.extend(rank.score.get().to_le_bytes());
        value.extend(rank.tie.to_le_bytes());
        self.put(Table::Raised, raised_field(page, whose, agent), value);
    }

    fn put_rules(&mut self, host: HostId, bytes: &[u8]) {
        self.memory.put_rules(host, bytes);
        self.put(Table::Rules, host.0.to_be_bytes(), bytes);
    }

    fn rules(&self, host: HostId) -> Result<Option<Vec<u8>>, FrontierError> {
        self.memory.rules(host)
    }

    fn put_entry(&mut self, id: UrlId, entry: &Entry, other_age: Option<u32>) {
        self.numbers = self.numbers.max(id.0.saturating_add(1));
        self.pending.entries.insert(id.0, write_entry(entry, other_age));
    }

    fn put_host(&mut self, id: HostId, record: &HostRecord) {
        self.put(Table::Hosts, id.0.to_be_bytes(), record.to_bytes());
    }

    fn put_note(&mut self, name: &str, value: &[u8]) {
        self.memory.put_note(name, value);
        self.put(Table::Notes, name, value);
    }

    fn notes(&self, prefix: &str) -> Result<Vec<(String, Vec<u8>)>, FrontierError> {
        self.memory.notes(prefix)
    }

    /// After a fault that passes, commit again: what could not be sent is sent first.
    fn commit(&mut self) -> Result<(), FrontierError> {
        if !self.pending.is_empty() {
            let pending = std::mem::take(&mut self.pending);
            self.commits.make(&self.shard, pending, self.numbers);
        }
        Ok(self.send_commits()?)
    }

    /// Flushing to the disk is up to the servers: see `appendfsync`.
    fn sync(&mut self) -> Result<(), FrontierError> {
        Ok(())
    }
}
