//! Links that wait on the disk because memory is short.
//!
//! The worst of what waits leaves memory with everything that is kept of it, in the same commit in which it leaves the queues,
//! and comes back, best first, when less than half as much waits as did then. Meanwhile its URL is not known: a page that links
//! to it brings it in again as if it were new, and when the old record comes back the two become one.
//!
//! Which are the worst is estimated from a sample: an exact list of a hundred million would take more memory than it frees. All
//! that are to go are chosen at once and go in batches, so that a crawl can go on in between. Memory is freed in earnest only when
//! a good part of the entries is gone: they are spread over all others.
//!
//! **Invariant:** every URL that was ever offered is in memory, on the disk, or was dropped because a limit says so. Seeds and
//! what several agents wait for stay in memory.
//!
//! Deliberately absent: raising the score of a link on the disk. What happens to its parents and siblings meanwhile is not
//! made up for, but what a raise of its siblings would give it is given when the next one comes.

use super::unit::lift;
use super::*;

/// Where the note says how many wait on the disk, and how many waited in memory when the last of them left it.
const SPILLED: &str = "frontier/spilled";
/// How many entries are looked at to estimate which are the worst.
const SAMPLE: u64 = 20_000;
/// The most that go at a time.
const GO: u64 = 100_000;
/// The most that come back at a time.
const BACK: usize = 10_000;

/// A link that waits on the disk.
#[derive(Clone, Debug, PartialEq)]
pub struct Spilled {
    /// The URL, and how it was found.
    pub known: KnownUrl,
    /// Its rank…
    pub rank: Rank,
    /// …in this unit of cash.
    pub unit: i32,
    /// Its age.
    pub age: u32,
    /// Number of links from a seed.
    pub depth: u16,
    /// The page that first led to it.
    pub parent: UrlId,
    /// Whether it is a sitemap.
    pub is_sitemap: bool,
    /// What is known of it.
    pub evidence: Option<Evidence>,
}

/// A link that leaves memory for the disk. Its URL and its evidence are in the storage already.
#[derive(Clone, Copy, Debug)]
pub struct Leaving<'a> {
    /// Its number.
    pub id: UrlId,
    /// What memory holds of it.
    pub entry: &'a Entry,
    /// Its age.
    pub age: u32,
    /// The unit of cash.
    pub unit: i32,
    /// The origin of its host.
    pub origin: &'a str,
}

impl Leaving<'_> {
    /// The link with what is stored of it.
    pub fn spilled(&self, known: KnownUrl, evidence: Option<Evidence>) -> Spilled {
        Spilled {
            known,
            rank: self.entry.rank(),
            unit: self.unit,
            age: self.age,
            depth: self.entry.depth,
            parent: self.entry.parent,
            is_sitemap: self.entry.has(flag::SITEMAP),
            evidence: evidence.filter(|_| self.entry.has(flag::EVIDENCE)),
        }
    }
}

/// Where a link stands among those on the disk: bytes that sort as it would be served.
pub type SpilledPlace = [u8; 22];

fn place(rank: Rank, age: u32, id: UrlId) -> SpilledPlace {
    // Bits of a number that sort as it does, turned round because the highest score comes first.
    let bits = rank.score.get().to_bits();
    let ascending = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    let mut place = [0; 22];
    let parts: [&[u8]; 5] = [
        &rank.class.to_be_bytes(),
        &(!ascending).to_be_bytes(),
        &rank.tie.to_be_bytes(),
        &age.to_be_bytes(),
        &id.0.to_be_bytes(),
    ];
    for (byte, part) in place.iter_mut().zip(parts.concat()) {
        *byte = part;
    }
    place
}

/// How many links wait on the disk, and how many are to wait in memory before any come back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OnDisk {
    pub links: u64,
    room: u64,
}

impl<S: Storage> StoredFrontier<S> {
    /// Moves some of the worst waiting links to the disk, and returns how many that were. If this many do not go at once, the next
    /// call goes on with them.
    pub(super) fn spill_worst(&mut self, links: u64, now: Timestamp) -> Result<u64, FrontierError> {
        // What several agents wait for would have to come back to each of them.
        if !self.storage.can_spill() || self.in_stack.iter().filter(|waiting| **waiting > 0).count() > 1 {
            return Ok(0);
        }
        if self.leaving.is_empty() {
            self.leaving = self.about_the_worst(links);
        }
        let mut moved = 0;
        while moved < links.min(GO)
            && let Some(id) = self.leaving.pop()
        {
            // It may have been leased since, or dropped.
            if self
                .entries
                .get(id)
                .is_some_and(|entry| self.may_leave(id, entry))
            {
                self.spill_one(id, now)?;
                moved += 1;
            }
        }
        if moved > 0 {
            for host in &mut self.hosts {
                host.shrink();
            }
            self.entries.pack();
            if self.leaving.is_empty() {
                self.leaving = Vec::new();
                let entries = &self.entries;
                self.ids.shrink(|id| entries[UrlId(id)].key);
            }
            self.on_disk.links += moved;
            self.on_disk.room = self.in_stack.iter().sum();
            self.note_spilled();
        }
        Ok(moved)
    }

    /// Whether an entry may leave memory.
    fn may_leave(&self, id: UrlId, entry: &Entry) -> bool {
        entry.state == State::Waiting
            && !entry.has(flag::SEED | flag::CLAIM)
            && !self.claims.contains_key(&id.0)
    }

    /// At most this many waiting entries, the worst or nearly so, in order of their numbers.
    fn about_the_worst(&self, links: u64) -> Vec<UrlId> {
        let may_go = |(id, entry): &(UrlId, &Entry)| self.may_leave(*id, entry);
        let waiting = self.in_stack.iter().sum::<u64>().max(1);
        let every = usize::try_from(waiting / SAMPLE).unwrap_or(usize::MAX).max(1);
        let sample = self.entries.all().filter(may_go).step_by(every);
        let mut sample: Vec<Priority> = sample.map(|(id, _)| self.entries.priority(id)).collect();
        let at = (links as f64 / waiting as f64 * sample.len() as f64) as usize;
        let Some(last) = sample.len().checked_sub(1) else {
            return Vec::new();
        };
        let (_, limit, _) = sample.select_nth_unstable(at.min(last));
        let limit = *limit;
        let all = self.entries.all().filter(may_go);
        let worse = all
            .filter(|(id, _)| self.entries.priority(*id) < limit)
            .map(|(id, _)| id);
        worse.take(usize::try_from(links).unwrap_or(usize::MAX)).collect()
    }

    fn spill_one(&mut self, id: UrlId, now: Timestamp) -> Result<(), FrontierError> {
        let (entry, Priority { rank, age }) = (self.entries[id], self.entries.priority(id));
        let leaving = Leaving {
            id,
            entry: &entry,
            age,
            unit: self.unit,
            origin: &self.hosts[entry.host.0 as usize].origin,
        };
        self.storage.spill(&place(rank, age, id), &leaving)?;
        self.forget_entry(id, now)
    }

    /// Brings links back from the disk if few wait in memory.
    pub(super) fn bring_back_spilled(&mut self, now: Timestamp) -> Result<(), FrontierError> {
        let waiting: u64 = self.in_stack.iter().sum();
        if self.on_disk.links == 0 || waiting > self.on_disk.room / 2 {
            return Ok(());
        }
        let back = self.storage.take_spilled(BACK)?;
        if back.is_empty() {
            return Err(FrontierError::Damaged {
                what: "links that wait on the disk are missing".to_owned(),
            });
        }
        self.on_disk.links = self.on_disk.links.saturating_sub(back.len() as u64);
        for spilled in back {
            self.enter_again(spilled, now)?;
        }
        self.note_spilled();
        Ok(())
    }

    /// Puts a link that waited on the disk into its queue.
    pub(super) fn enter_again(&mut self, spilled: Spilled, now: Timestamp) -> Result<(), FrontierError> {
        let parent = match self.entries.get(spilled.parent) {
            Some(_) => spilled.parent,
            None => UrlId::NONE,
        };
        let source = Source {
            agent: AgentId::default(),
            parent,
            depth: spilled.depth,
            reason: spilled.known.reason,
            flags: if spilled.is_sitemap { flag::SITEMAP } else { 0 },
            adopt: true,
        };
        let offer = Offer {
            key: self.keyring.key(&spilled.known.url),
            url: spilled.known.url,
            rank: match self.has_cash {
                true => lift(spilled.rank, self.unit.saturating_sub(spilled.unit)),
                false => spilled.rank,
            },
            merge: if self.has_cash { Merge::Add } else { Merge::Max },
        };
        let Some(id) = self.offer(&offer, &source, now)? else {
            return Ok(());
        };
        if let Some(parent) = parent.known() {
            self.adopt(parent, id);
        }
        if let Some(evidence) = spilled.evidence {
            self.put_evidence(id, &evidence);
        }
        self.entries.set_age(id, spilled.age);
        self.touch(id);
        self.reorder(id, now);
        self.missed_raises(id)
    }

    fn note_spilled(&mut self) {
        let OnDisk { links, room } = self.on_disk;
        let note = [links.to_le_bytes(), room.to_le_bytes()].concat();
        self.storage.put_note(SPILLED, &note);
    }

    /// Restores how many wait on the disk.
    pub(super) fn restore_spilled(&mut self) -> Result<(), FrontierError> {
        self.on_disk = noted(&self.storage)?;
        Ok(())
    }
}

/// How many links wait on the disk, as a storage has it.
pub fn noted_spilled(storage: &impl Storage) -> Result<u64, FrontierError> {
    Ok(noted(storage)?.links)
}

fn noted(storage: &impl Storage) -> Result<OnDisk, FrontierError> {
    let Some((_, note)) = storage.notes(SPILLED)?.pop() else {
        return Ok(OnDisk::default());
    };
    let (numbers, rest) = note.as_chunks::<8>();
    match (numbers, rest) {
        ([links, room], []) => Ok(OnDisk {
            links: u64::from_le_bytes(*links),
            room: u64::from_le_bytes(*room),
        }),
        _ => Err(FrontierError::Damaged {
            what: "the number of links on the disk is incomplete".to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_sort_as_links_are_served() {
        let of = |class, score, tie, age| {
            (
                Rank {
                    class,
                    score: Score::new(score),
                    tie,
                },
                age,
            )
        };
        let mut all = vec![
            of(0, 0.5, 0, 3),
            of(0, 0.5, 0, 1),
            of(0, 0.5, 2, 0),
            of(0, -1.5, 0, 0),
            of(0, -0.5, 0, 0),
            of(0, 0.0, 0, 0),
            of(1, 9.0, 0, 0),
            of(0, 1e9, 0, 7),
        ];
        let mut by_place = all.clone();
        all.sort_by(|a, b| {
            let priority = |(rank, age): &(Rank, u32)| Priority {
                rank: *rank,
                age: *age,
            };
            priority(b).cmp(&priority(a))
        });
        by_place.sort_by_key(|(rank, age)| place(*rank, *age, UrlId(0)));
        assert_eq!(all, by_place);
    }
}
