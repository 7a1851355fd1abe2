//! Drops waiting URLs that will never be reached, so that an endless web does not need endless memory.
//!
//! Ids are given out in order of entry. So the time a URL entered follows from its id and a short log of which id was
//! next at which time; no URL carries a timestamp. A cursor moves over the ids as their time runs out. URLs that
//! start waiting again behind the cursor go into a separate queue.
//!
//! **Invariant:** nothing that is leased or on a list is ever dropped, and no seed is. A dropped URL leaves nothing
//! behind but its number, and may enter again as a new one.
//!
//! The log does not outlive the process: whatever waits on opening counts as entered at that moment.

use std::collections::VecDeque;

use super::*;

/// How finely time limits are divided. A URL may expire early by one part, and the log has about this many items.
const GRAINS: u32 = 64;

/// When something entered: the time, and the number of pages tried so far.
#[derive(Clone, Copy, Debug)]
struct Stamp {
    at: Timestamp,
    pages: u64,
}

/// When which URL entered.
#[derive(Debug, Default)]
pub(super) struct Stamps {
    /// The first id that each stamp is for.
    log: VecDeque<(u32, Stamp)>,
    /// Ids below this have expired.
    cursor: u32,
    /// URLs that started waiting again…
    back: VecDeque<(UrlId, Stamp)>,
    /// …and how often they did.
    times_back: HashMap<u32, u32>,
}

impl Stamps {
    pub fn cursor(&self) -> u32 {
        self.cursor
    }
}

impl<S: Storage> StoredFrontier<S> {
    fn expires(&self) -> bool {
        self.policy.expire_after.is_some() || self.policy.expire_after_pages.is_some()
    }

    fn stamp(&self, now: Timestamp) -> Stamp {
        Stamp {
            at: now,
            pages: self.pages,
        }
    }

    /// Counts everything that waits as entered now.
    pub(super) fn begin_stamps(&mut self, now: Timestamp) {
        if self.expires() {
            let stamp = self.stamp(now);
            self.stamps.log.push_back((0, stamp));
        }
    }

    /// Called before an id is given out.
    pub(super) fn note_entry(&mut self, now: Timestamp) {
        if !self.expires() {
            return;
        }
        let (next, stamp) = (self.entries.len(), self.stamp(now));
        let is_old = |last: &Stamp| {
            let time = self.policy.expire_after.map(|limit| limit / GRAINS);
            let pages = self
                .policy
                .expire_after_pages
                .map(|limit| limit / u64::from(GRAINS));
            let since = now.since(last.at);
            time.is_some_and(|grain| since > grain)
                || pages.is_some_and(|grain| self.pages - last.pages > grain)
        };
        match self.stamps.log.back() {
            Some((_, last)) if !is_old(last) => {}
            _ => self.stamps.log.push_back((next, stamp)),
        }
    }

    /// Called when an entry starts waiting although its id is not new.
    pub(super) fn came_back(&mut self, id: UrlId, now: Timestamp) {
        if self.expires() {
            let stamp = self.stamp(now);
            self.stamps.back.push_back((id, stamp));
            *self.stamps.times_back.entry(id.0).or_default() += 1;
        }
    }

    /// Called when an entry waits again after a lease or a list, during which it may have expired.
    pub(super) fn may_have_outlasted(&mut self, id: UrlId, now: Timestamp) {
        if id.0 < self.stamps.cursor {
            self.came_back(id, now);
        }
    }

    fn is_over(&self, stamp: &Stamp, now: Timestamp) -> bool {
        let (time, pages) = (self.policy.expire_after, self.policy.expire_after_pages);
        time.is_some_and(|limit| now.since(stamp.at) > limit)
            || pages.is_some_and(|limit| self.pages - stamp.pages > limit)
    }

    /// Drops what has waited too long.
    pub(super) fn expire(&mut self, now: Timestamp) -> Result<(), FrontierError> {
        if !self.expires() {
            return Ok(());
        }
        while let Some((_, stamp)) = self.stamps.log.front()
            && self.is_over(stamp, now)
        {
            self.stamps.log.pop_front();
            let end = self
                .stamps
                .log
                .front()
                .map_or(self.entries.len(), |(first, _)| *first);
            let range = self.entries.from(UrlId(self.stamps.cursor));
            let over: Vec<UrlId> = range
                .take_while(|(id, _)| id.0 < end)
                .filter(|(id, entry)| may_go(entry) && !self.stamps.times_back.contains_key(&id.0))
                .map(|(id, _)| id)
                .collect();
            self.stamps.cursor = end;
            self.drop_expired(&over, now)?;
        }
        while let Some((id, stamp)) = self.stamps.back.front().copied()
            && self.is_over(&stamp, now)
        {
            self.stamps.back.pop_front();
            let times = self.stamps.times_back.get_mut(&id.0);
            let is_last = times.is_none_or(|times| {
                *times -= 1;
                *times == 0
            });
            if is_last {
                self.stamps.times_back.remove(&id.0);
                if self.entries.get(id).is_some_and(may_go) {
                    self.drop_expired(&[id], now)?;
                }
            }
        }
        Ok(())
    }

    /// Drops what has waited too long, and the worst of what exceeds the limit.
    pub(super) fn keep_within_bounds(&mut self, now: Timestamp) -> Result<(), FrontierError> {
        self.expire(now)?;
        self.bring_back_spilled(now)?;
        let Some(most) = self.policy.max_waiting else {
            return Ok(());
        };
        // Without seeds: if there were more seeds than the limit, every page would trigger a scan of everything.
        let waiting = self.in_stack.iter().sum::<u64>() - self.seeds_in_line;
        if waiting <= most.saturating_add(most / 10) {
            return Ok(());
        }
        let excess = usize::try_from(waiting - most).unwrap_or(usize::MAX);
        let queued = self.hosts.iter().flat_map(Host::queued);
        let may_go = queued.filter(|id| may_go(&self.entries[*id]));
        let mut by_worst: Vec<(Priority, Reverse<UrlId>)> = may_go
            .map(|id| (self.entries.priority(id), Reverse(id)))
            .collect();
        if excess < by_worst.len() {
            by_worst.select_nth_unstable(excess);
            by_worst.truncate(excess);
        }
        // In order, so that what the storage receives does not depend on how the worst were found.
        let mut worst: Vec<UrlId> = by_worst.into_iter().map(|(_, Reverse(id))| id).collect();
        worst.sort_unstable();
        self.drop_expired(&worst, now)?;
        for host in &mut self.hosts {
            host.shrink();
        }
        Ok(())
    }

    fn drop_expired(&mut self, over: &[UrlId], now: Timestamp) -> Result<(), FrontierError> {
        for id in over {
            self.drop_entry(*id, now)?;
            self.expired += 1;
        }
        Ok(())
    }
}

/// Whether an entry is waiting and is not a seed.
fn may_go(entry: &Entry) -> bool {
    entry.state == State::Waiting && !entry.has(flag::SEED)
}
