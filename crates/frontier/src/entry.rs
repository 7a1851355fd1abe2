//! One known URL in 40 bytes.
//!
//! A crawl knows far more URLs than it fetches. So everything the hot paths need to know about a URL sits in one
//! small record, and records sit in chunks that never move. Strings, child lists, evidence and reasons live in the
//! [`crate::Storage`].
//!
//! An entry belongs to one agent. The agent's number is in the upper four bits of the class, so sixteen agents cost
//! no extra memory, and in a folder written before agents existed everything belongs to the first agent. A URL that
//! waits in the stacks of several agents has an entry in each: the first is the *base*, under which it is known; the
//! others are *claims*.
//!
//! Two pairs of fields share memory because no URL needs both: a waiting URL has a tie and a place in its host's
//! queue, a fetched one has a relevance and a first child.

use scenthound_types::{AgentId, Priority, Rank, Score, UrlKey};

use crate::chunks::{Chunks, Slot};
use crate::host::HostId;

/// The number of a URL, private to one frontier. Numbers follow the order of first entry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct UrlId(pub u32);

impl UrlId {
    /// Stands for "no URL".
    pub const NONE: UrlId = UrlId(u32::MAX);

    /// The id, or `None` for [`UrlId::NONE`].
    pub fn known(self) -> Option<UrlId> {
        (self != UrlId::NONE).then_some(self)
    }
}

/// How far a URL has got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum State {
    /// In its host's queue.
    Waiting = 0,
    /// On the drawn list that is being processed.
    Drawn = 1,
    /// A request is in flight.
    Leased = 2,
    /// Read and judged.
    Fetched = 3,
    /// Failed, refused or redirected.
    Gone = 4,
}

impl State {
    fn from_u8(byte: u8) -> Option<State> {
        [
            State::Waiting,
            State::Drawn,
            State::Leased,
            State::Fetched,
            State::Gone,
        ]
        .into_iter()
        .find(|state| *state as u8 == byte)
    }
}

/// Flags of a URL.
pub(crate) mod flag {
    /// The user named it as a seed.
    pub const SEED: u8 = 1;
    /// It is a sitemap.
    pub const SITEMAP: u8 = 2;
    /// Its age differs from its id.
    pub const OTHER_AGE: u8 = 4;
    /// It has changed since the last commit.
    pub const DIRTY: u8 = 8;
    /// Already fetched, but due to be fetched again.
    pub const REVISIT: u8 = 16;
    /// Gone because it redirects to the URL that its slot names.
    pub const MOVED: u8 = 32;
    /// Another agent's claim on a URL that already has an entry.
    pub const CLAIM: u8 = 64;
    /// The storage holds evidence for it.
    pub const EVIDENCE: u8 = 128;
}

/// How many bits of the class field hold the class; the rest hold the agent.
const CLASS_BITS: u32 = 12;
/// The largest class an entry can have. Anything beyond it is treated as this class.
const LAST_CLASS: u16 = (1 << CLASS_BITS) - 1;

/// One known URL.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Its key.
    pub key: UrlKey,
    pub(crate) score: f64,
    /// Its host.
    pub host: HostId,
    /// The page that first led to it.
    pub parent: UrlId,
    /// Waiting: its place in the host's queue. Fetched: the first of the children it was first to discover. Gone and moved:
    /// where it redirects to.
    pub(crate) slot_or_child: u32,
    /// Waiting: its tie. Fetched: the bits of its relevance.
    pub(crate) tie_or_relevance: u32,
    /// The agent and the class.
    class: u16,
    /// Number of links from a seed.
    pub depth: u16,
    /// How far it has got.
    pub state: State,
    pub(crate) flags: u8,
    pub(crate) attempt: u8,
    pub(crate) redirects: u8,
}

const _: () = assert!(
    size_of::<Entry>() == 40,
    "the design allows 60 bytes per known URL in all"
);

impl Entry {
    /// Bytes of an entry in the storage.
    pub const BYTES: usize = 40;

    pub(crate) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    pub(crate) fn set(&mut self, flag: u8, on: bool) {
        self.flags = if on { self.flags | flag } else { self.flags & !flag };
    }

    pub(crate) fn new(key: UrlKey, host: HostId, agent: AgentId, rank: Rank) -> Entry {
        let mut entry = Entry {
            key,
            score: 0.0,
            host,
            parent: UrlId::NONE,
            slot_or_child: 0,
            tie_or_relevance: 0,
            class: 0,
            depth: 0,
            state: State::Waiting,
            flags: 0,
            attempt: 0,
            redirects: 0,
        };
        entry.set_agent(agent);
        entry.set_rank(rank);
        entry
    }

    /// The agent it belongs to.
    pub fn agent(&self) -> AgentId {
        AgentId((self.class >> CLASS_BITS) as u8)
    }

    pub(crate) fn set_agent(&mut self, agent: AgentId) {
        self.class = u16::from(agent.0) << CLASS_BITS | self.class();
    }

    pub(crate) fn class(&self) -> u16 {
        self.class & LAST_CLASS
    }

    /// Whether it is waiting, in its queue or on a list.
    pub(crate) fn waits(&self) -> bool {
        matches!(self.state, State::Waiting | State::Drawn)
    }

    /// Whether it is another agent's claim on a URL that already has an entry.
    pub fn is_claim(&self) -> bool {
        self.has(flag::CLAIM)
    }

    /// Whether the user named it as a seed.
    pub fn is_seed(&self) -> bool {
        self.has(flag::SEED)
    }

    /// Whether the storage holds evidence for it.
    pub fn has_evidence(&self) -> bool {
        self.has(flag::EVIDENCE)
    }

    /// Whether its age differs from its number.
    pub fn has_other_age(&self) -> bool {
        self.has(flag::OTHER_AGE)
    }

    /// Its priority, if this is its age.
    pub fn priority_with(&self, age: u32) -> Priority {
        Priority {
            rank: self.rank(),
            age,
        }
    }

    pub(crate) fn rank(&self) -> Rank {
        let tie = if self.state == State::Fetched {
            0
        } else {
            self.tie_or_relevance
        };
        Rank {
            class: self.class(),
            score: Score::new(self.score),
            tie,
        }
    }

    pub(crate) fn set_rank(&mut self, rank: Rank) {
        self.class = self.class & !LAST_CLASS | rank.class.min(LAST_CLASS);
        self.score = rank.score.get();
        self.tie_or_relevance = rank.tie;
    }

    /// Adds to the score; a negative amount subtracts.
    pub(crate) fn gain(&mut self, score: f64) {
        // Through `Score`, so that no sum is ever infinite: the difference of two infinities has no order.
        self.score = Score::new(self.score + score).get();
    }

    pub(crate) fn relevance(&self) -> f32 {
        f32::from_bits(self.tie_or_relevance)
    }

    pub(crate) fn first_child(&self) -> Option<UrlId> {
        if self.state == State::Fetched {
            UrlId(self.slot_or_child).known()
        } else {
            None
        }
    }

    /// The form the storage keeps. What matters only to this process is left out: a leased or drawn URL is stored as
    /// waiting, because its lease ends with the process.
    pub fn to_bytes(&self) -> [u8; Entry::BYTES] {
        let state = match self.state {
            State::Drawn | State::Leased => State::Waiting,
            kept => kept,
        };
        let mut bytes = [0; Entry::BYTES];
        let mut at = 0;
        let mut put = |part: &[u8]| {
            if let Some(room) = bytes.get_mut(at..at + part.len()) {
                room.copy_from_slice(part);
            }
            at += part.len();
        };
        put(&self.key.0.to_le_bytes());
        put(&self.score.to_le_bytes());
        put(&self.host.0.to_le_bytes());
        put(&self.parent.0.to_le_bytes());
        put(&self.slot_or_child.to_le_bytes());
        put(&self.tie_or_relevance.to_le_bytes());
        put(&self.class.to_le_bytes());
        put(&self.depth.to_le_bytes());
        put(&[
            state as u8,
            self.flags & !flag::DIRTY,
            self.attempt,
            self.redirects,
        ]);
        bytes
    }

    /// Reads what [`Entry::to_bytes`] wrote; `None` if the bytes are not a valid entry.
    pub fn from_bytes(bytes: &[u8]) -> Option<Entry> {
        let bytes: &[u8; Entry::BYTES] = bytes.try_into().ok()?;
        let four = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let eight = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        let two = |at: usize| Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
        Some(Entry {
            key: UrlKey(eight(0)?),
            score: Score::new(f64::from_bits(eight(8)?)).get(),
            host: HostId(four(16)?),
            parent: UrlId(four(20)?),
            slot_or_child: four(24)?,
            tie_or_relevance: four(28)?,
            class: two(32)?,
            depth: two(34)?,
            state: State::from_u8(*bytes.get(36)?)?,
            flags: *bytes.get(37)?,
            attempt: *bytes.get(38)?,
            redirects: *bytes.get(39)?,
        })
    }
}

impl Slot for Entry {
    // No host has this number, so no real entry looks like this.
    fn vacant() -> Entry {
        Entry::new(UrlKey(0), HostId(u32::MAX), AgentId::default(), Rank::default())
    }
    fn is_vacant(&self) -> bool {
        self.host.0 == u32::MAX
    }
}

/// All entries. Dropped ones leave a gap: their numbers are not reused.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    chunks: Chunks<Entry>,
    /// Ages of the few URLs whose age differs from their id: redirect targets and URLs that came back.
    other_ages: std::collections::HashMap<u32, u32>,
}

impl Entries {
    /// The next id.
    pub fn len(&self) -> u32 {
        self.chunks.next()
    }

    /// How many there are, including claims.
    pub fn live(&self) -> usize {
        self.chunks.live()
    }

    pub fn bytes(&self) -> usize {
        self.chunks.bytes() + self.other_ages.capacity() * 9
    }

    pub fn push(&mut self, entry: Entry) -> UrlId {
        UrlId(self.chunks.push(entry))
    }

    /// Skips ids, so that this one is next.
    pub fn skip_to(&mut self, id: UrlId) {
        self.chunks.skip_to(id.0);
    }

    pub fn remove(&mut self, id: UrlId) {
        self.chunks.remove(id.0);
        self.other_ages.remove(&id.0);
    }

    /// Frees what dropped entries took, however little it is.
    pub fn pack(&mut self) {
        self.chunks.pack_all();
    }

    /// The entry, unless it was dropped.
    pub fn get(&self, id: UrlId) -> Option<&Entry> {
        self.chunks.get(id.0)
    }

    pub fn set_age(&mut self, id: UrlId, age: u32) {
        self[id].set(flag::OTHER_AGE, true);
        self.other_ages.insert(id.0, age);
    }

    pub fn age(&self, id: UrlId) -> u32 {
        if self[id].has(flag::OTHER_AGE) {
            self.other_ages.get(&id.0).copied().unwrap_or(id.0)
        } else {
            id.0
        }
    }

    pub fn priority(&self, id: UrlId) -> Priority {
        Priority {
            rank: self[id].rank(),
            age: self.age(id),
        }
    }

    /// Whether `a` is served before `b`. Both must belong to the same agent.
    pub fn before(&self, a: UrlId, b: UrlId) -> bool {
        let (left, right) = (&self[a], &self[b]);
        // Class and score decide the common case without building priorities.
        if left.class == right.class && left.score != right.score {
            return left.score > right.score;
        }
        (self.priority(a), b) > (self.priority(b), a)
    }

    /// All entries from this id on, in order.
    pub fn from(&self, id: UrlId) -> impl Iterator<Item = (UrlId, &Entry)> {
        self.chunks.from(id.0).map(|(id, entry)| (UrlId(id), entry))
    }

    /// All entries, in order.
    pub fn all(&self) -> impl Iterator<Item = (UrlId, &Entry)> {
        self.from(UrlId(0))
    }
}

// Where an id may have been dropped in the meantime, use `get`. Elsewhere a missing id is a bug on our side and
// deserves a panic.
impl std::ops::Index<UrlId> for Entries {
    type Output = Entry;
    fn index(&self, id: UrlId) -> &Entry {
        self.chunks.known(id.0)
    }
}

impl std::ops::IndexMut<UrlId> for Entries {
    fn index_mut(&mut self, id: UrlId) -> &mut Entry {
        self.chunks.known_mut(id.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_comes_back_from_its_bytes_with_its_lease_ended() {
        let entry = Entry {
            key: UrlKey(7),
            score: 0.25,
            host: HostId(3),
            parent: UrlId::NONE,
            slot_or_child: 9,
            tie_or_relevance: 11,
            class: 2,
            depth: 5,
            state: State::Leased,
            flags: flag::SEED | flag::DIRTY,
            attempt: 1,
            redirects: 2,
        };
        let back = Entry::from_bytes(&entry.to_bytes()).unwrap();
        assert_eq!(
            back,
            Entry {
                state: State::Waiting,
                flags: flag::SEED,
                ..entry
            }
        );
        assert_eq!(Entry::from_bytes(b"short"), None);
        assert_eq!(Entry::from_bytes(&[255; Entry::BYTES]), None);
    }

    #[test]
    fn an_entry_keeps_its_agent_whatever_its_rank() {
        let rank = |class| Rank {
            class,
            ..Rank::default()
        };
        let mut entry = Entry::new(UrlKey(1), HostId(0), AgentId(15), rank(3));
        assert_eq!((entry.agent(), entry.rank().class), (AgentId(15), 3));
        entry.set_rank(rank(u16::MAX));
        assert_eq!((entry.agent(), entry.rank().class), (AgentId(15), LAST_CLASS));
        entry.set_agent(AgentId(2));
        entry.set_rank(rank(0));
        assert_eq!((entry.agent(), entry.rank().class), (AgentId(2), 0));
        let back = Entry::from_bytes(&entry.to_bytes()).unwrap();
        assert_eq!(back.agent(), AgentId(2));
    }
}
