//! Rebuilds a frontier from its storage.

use std::time::Duration;

use super::stacks::UrlOrder;
use super::*;
use crate::CLOCK_NOTE;
use crate::keys::Gathered;

impl<S: Storage> StoredFrontier<S> {
    /// The frontier as it was at its last commit. It is rebuilt from what its storage kept: hosts and entries in
    /// order of their numbers (each entry with its age where that differs from its number), and the parent links. The
    /// numbers of dropped entries are missing, and there must be exactly as many gaps as entries dropped. If the entries
    /// say how many numbers they may have, room for them is made once.
    ///
    /// Entries that were read from [`StoredFrontier::at_rest`] know their places in their queues ([`Queues::AsStored`]); those that
    /// were written one by one do not.
    ///
    /// Every host rests for one full delay from `now`. When its last request was made is unknown, because nothing is
    /// written when a lease is taken.
    pub fn reopen(
        storage: S,
        policy: HostPolicy,
        keyring: Keyring,
        kept: Kept<
            impl IntoIterator<Item = HostRecord>,
            impl IntoIterator<Item = Result<(UrlId, Entry, Option<u32>), FrontierError>>,
        >,
        now: Timestamp,
    ) -> Result<StoredFrontier<S>, FrontierError> {
        let Kept {
            hosts,
            entries,
            queues: queued,
            kinship,
        } = kept;
        let mut frontier = StoredFrontier::over(storage, policy, keyring);
        frontier.restore_unit()?;
        let ahead = frontier.clock_set_back(now)?;
        frontier.parent_counts = kinship.parent_counts;
        frontier.parents_dropped = kinship.parents_dropped;
        frontier.raised = kinship
            .raised
            .into_iter()
            .map(|(page, whose, agent, rank)| ((page.0, whose == Parents::All, agent), rank))
            .collect();
        for record in hosts {
            let mut host = Host::from_record(record);
            // All times were noted by a clock that was this much ahead.
            host.rest_until = host.rest_until.earlier(ahead);
            if host.rules_until > Timestamp::ZERO {
                host.rules_until = host.rules_until.earlier(ahead).max(Timestamp::from_millis(1));
            }
            let rested = now + frontier.policy.usual_rest(&host);
            host.rest_until = host.rest_until.max(rested);
            frontier
                .host_ids
                .insert(host.origin.clone(), HostId(frontier.hosts.len() as u32));
            frontier.hosts.push(host);
        }
        let entries = entries.into_iter();
        // Growing step by step would hash every key again each time, and find it in another corner of memory.
        let dropped = frontier.noted_numbers()?.map_or(0, |noted| noted.dropped);
        let most = entries.size_hint().1.unwrap_or_default();
        let expected = most as u64;
        let expected = usize::try_from(expected.saturating_sub(dropped)).unwrap_or_default();
        let entries_so_far = &frontier.entries;
        frontier.ids.reserve(expected, |id| entries_so_far[UrlId(id)].key);
        // The waiting entries of each host, by agent.
        let mut queues = QueuesOfAgents::new();
        let mut gathered = Gathered::default();
        let mut placed = Vec::with_capacity(TOGETHER);
        // The previous entry: its id, its parent, and whether it is in that page's run of ids.
        let mut before: Option<(UrlId, UrlId, bool)> = None;
        for row in entries {
            let (id, entry, other_age) = row?;
            if entry.host.0 as usize >= frontier.hosts.len() {
                return Err(damaged("an entry has no host"));
            }
            if id < UrlId(frontier.entries.len()) {
                return Err(damaged("the entries are out of order"));
            }
            if entry.parent.known().is_some_and(|parent| parent >= id) {
                return Err(damaged("a URL is older than its parent"));
            }
            frontier.admit(entry.agent())?;
            queues.resize_with(frontier.in_stack.len(), || vec![Vec::new(); frontier.hosts.len()]);
            frontier.entries.skip_to(id);
            frontier.entries.push(entry);
            if entry.has(flag::CLAIM) {
                let entries_so_far = &frontier.entries;
                frontier
                    .ids
                    .insert_gathered(&mut gathered, |id| entries_so_far[UrlId(id)].key);
                let base = frontier.find(entry.key);
                let base = base.ok_or_else(|| damaged("a claim refers to no URL"))?;
                frontier.claims.entry(base.0).or_default().push(id);
            } else {
                let entries_so_far = &frontier.entries;
                let key_of = |id| entries_so_far[UrlId(id)].key;
                frontier.ids.gather(entry.key, id.0, &mut gathered, key_of);
            }
            if let Some(age) = other_age {
                frontier.entries.set_age(id, age);
            }
            if entry.state == State::Waiting {
                let agent = usize::from(entry.agent().0);
                match queued {
                    Queues::Unordered => queues[agent][entry.host.0 as usize].push(id.0),
                    Queues::AsStored => {
                        placed.push((agent, entry.host, entry.slot_or_child, id));
                        if placed.len() == TOGETHER {
                            put_at_places(&mut queues, &mut placed, most)?;
                        }
                    }
                }
                frontier.waiting += u64::from(!entry.has(flag::CLAIM));
                frontier.in_stack[agent] += 1;
                frontier.seeds_in_line += u64::from(entry.has(flag::SEED));
            }
            if entry.has(flag::REVISIT) {
                frontier.hosts[entry.host.0 as usize].revisits.push(id.0);
            }
            let mut in_run = false;
            if let Some(parent) = entry.parent.known() {
                let follows = before.is_some_and(|(_, page, in_run)| in_run && page == parent);
                let first = frontier.entries.get(parent).and_then(Entry::first_child);
                // The first child, or the first one left after it.
                let begins =
                    first.is_some_and(|first| first <= id && before.is_none_or(|(last, ..)| last < first));
                in_run = follows || begins;
                if !in_run {
                    frontier.adopted.entry(parent.0).or_default().push(id);
                }
            }
            before = Some((id, entry.parent, in_run));
        }
        let entries_so_far = &frontier.entries;
        frontier
            .ids
            .insert_gathered(&mut gathered, |id| entries_so_far[UrlId(id)].key);
        put_at_places(&mut queues, &mut placed, most)?;
        frontier.restore_numbers()?;
        for (agent, of_hosts) in (0_u8..).map(AgentId).zip(queues) {
            for (host, queue) in of_hosts.into_iter().enumerate() {
                if queue.is_empty() {
                    continue;
                }
                let order = &mut UrlOrder(&mut frontier.entries);
                let heap = frontier.hosts[host].queue_mut(agent);
                match queued {
                    Queues::Unordered => heap.rebuild(queue, order),
                    Queues::AsStored if queue.contains(&UrlId::NONE.0) => return Err(misplaced()),
                    Queues::AsStored => heap.restore(queue),
                }
            }
        }
        for number in 0..frontier.hosts.len() {
            frontier.place(HostId(number as u32), now);
        }
        frontier.restore_spilled()?;
        frontier.restore_epochs()?;
        frontier.restore_list(now)?;
        frontier.begin_stamps(now);
        Ok(frontier)
    }

    /// Everything that [`StoredFrontier::reopen`] needs of the entries, in order, if it is all in the storage too: nothing has changed
    /// since the last commit, and every URL that waits is in its queue.
    pub fn at_rest(&self) -> Option<impl Iterator<Item = (UrlId, &Entry, Option<u32>)>> {
        let is_written = self.dirty.is_empty()
            && self.dirty_hosts.is_empty()
            && self.reranked.is_empty()
            && self.dropped == self.noted_dropped;
        let is_queued = self.leases.is_empty() && self.list.is_empty() && self.list_out == 0;
        (is_written && is_queued).then(move || {
            self.entries.all().map(move |(id, entry)| {
                let other_age = entry.has_other_age().then(|| self.entries.age(id));
                (id, entry, other_age)
            })
        })
    }

    /// How far the clock was set back since the last commit. Without this, hosts that rested for a second would rest for
    /// that second and an hour.
    fn clock_set_back(&self, now: Timestamp) -> Result<Duration, FrontierError> {
        let Some((_, value)) = self.storage.notes(CLOCK_NOTE)?.pop() else {
            return Ok(Duration::ZERO);
        };
        let bytes = value
            .as_slice()
            .try_into()
            .map_err(|_| damaged("the time of the last commit is incomplete"))?;
        Ok(Timestamp::from_millis(u64::from_le_bytes(bytes)).since(now))
    }

    /// Continues the numbering of a storage from which entries were dropped.
    fn restore_numbers(&mut self) -> Result<(), FrontierError> {
        if let Some(noted) = self.noted_numbers()? {
            self.dropped = noted.dropped;
            self.expired = noted.expired;
            self.links_lost = noted.links_lost;
            self.parents_dropped = self.parents_dropped.saturating_sub(self.links_lost);
            self.noted_dropped = self.dropped;
            // Numbers of dropped entries must not be reused: other records may still refer to them.
            self.entries.skip_to(UrlId(noted.next));
        }
        let missing = u64::from(self.entries.len()) - self.entries.live() as u64;
        if missing != self.dropped {
            return Err(damaged(&format!(
                "{missing} entries are missing and {} were dropped",
                self.dropped
            )));
        }
        Ok(())
    }

    /// The numbering as it was stored; none if nothing was ever dropped.
    fn noted_numbers(&self) -> Result<Option<Numbers>, FrontierError> {
        Numbers::noted_in(&self.storage)
    }

    /// Stores the numbering, once anything has been dropped.
    pub(super) fn note_numbers(&mut self) {
        let mut bytes = Vec::with_capacity(28);
        bytes.extend(self.entries.len().to_le_bytes());
        bytes.extend(self.dropped.to_le_bytes());
        bytes.extend(self.expired.to_le_bytes());
        bytes.extend(self.links_lost.to_le_bytes());
        self.storage.put_note(NUMBERS, &bytes);
    }
}

/// What a storage kept of a frontier, for [`StoredFrontier::reopen`].
#[derive(Debug)]
pub struct Kept<H, E> {
    /// The hosts, in order of their numbers.
    pub hosts: H,
    /// The entries, in order of their numbers, each with its age where that differs.
    pub entries: E,
    /// What the entries say of their queues.
    pub queues: Queues,
    /// Which pages link to which.
    pub kinship: Kinship,
}

/// What is known of the order of queues when a frontier is reopened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Queues {
    /// Nothing: they are put in order.
    Unordered,
    /// Each waiting entry holds its place.
    AsStored,
}

fn misplaced() -> FrontierError {
    damaged("a waiting URL has no place of its own in its queue")
}

/// How many URLs are put at their places together.
const TOGETHER: usize = 512;

/// The waiting entries of each agent and host.
type QueuesOfAgents = Vec<Vec<Vec<u32>>>;

/// Puts URLs at their places in their queues. Each place is in another corner of memory; the processor fetches many at a time if
/// nothing else is done in between.
fn put_at_places(
    queues: &mut QueuesOfAgents,
    placed: &mut Vec<(usize, HostId, u32, UrlId)>,
    most: usize,
) -> Result<(), FrontierError> {
    let there = placed.iter().map(|(agent, host, place, _)| {
        let there = queues[*agent][host.0 as usize].get(*place as usize);
        there.copied().unwrap_or_default()
    });
    std::hint::black_box(there.fold(0, |seen, id| seen ^ id));
    for (agent, host, place, id) in placed.drain(..) {
        put_at(&mut queues[agent][host.0 as usize], place, most, id)?;
    }
    Ok(())
}

/// Puts a URL at its place in a queue of at most so many, which is filled in the order of numbers.
fn put_at(queue: &mut Vec<u32>, place: u32, most: usize, id: UrlId) -> Result<(), FrontierError> {
    let place = place as usize;
    if place >= most {
        return Err(misplaced());
    }
    if queue.len() <= place {
        queue.resize(place + 1, UrlId::NONE.0);
    }
    match &mut queue[place] {
        free if *free == UrlId::NONE.0 => *free = id.0,
        _ => return Err(misplaced()),
    }
    Ok(())
}

/// How many waiting URLs were ever dropped because they had waited too long or too many were waiting, as a storage has it.
pub fn noted_expired(storage: &impl Storage) -> Result<u64, FrontierError> {
    Ok(Numbers::noted_in(storage)?.map_or(0, |noted| noted.expired))
}

/// What is stored about the numbering.
struct Numbers {
    next: u32,
    dropped: u64,
    expired: u64,
    links_lost: u64,
}

impl Numbers {
    /// None if nothing was ever dropped.
    fn noted_in(storage: &impl Storage) -> Result<Option<Numbers>, FrontierError> {
        let Some((_, value)) = storage.notes(NUMBERS)?.pop() else {
            return Ok(None);
        };
        let bytes: [u8; 28] = value
            .as_slice()
            .try_into()
            .map_err(|_| damaged("the record of the numbering is incomplete"))?;
        let mut parts = bytes.as_slice();
        let mut part = |length: usize| {
            let (part, rest) = parts.split_at(length);
            parts = rest;
            part.iter()
                .rev()
                .fold(0_u64, |number, byte| number << 8 | u64::from(*byte))
        };
        Ok(Some(Numbers {
            next: u32::try_from(part(4)).unwrap_or(u32::MAX),
            dropped: part(8),
            expired: part(8),
            links_lost: part(8),
        }))
    }
}

/// The note that holds the numbering.
const NUMBERS: &str = "frontier/numbers";

pub(super) fn damaged(what: &str) -> FrontierError {
    FrontierError::Damaged {
        what: what.to_owned(),
    }
}
