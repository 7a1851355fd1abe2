//! Offers and the other updates of a strategy, each in the stack of the agent that makes it.

use super::*;

/// From this number of known URLs on, waiting for memory is most of what a link costs.
const LARGE: usize = 1 << 19;

/// Where a new URL comes from.
pub(super) struct Source {
    pub agent: AgentId,
    pub parent: UrlId,
    pub depth: u16,
    pub reason: Reason,
    pub flags: u8,
    /// Whether the parent's run of children is closed, because it was fetched before or has none.
    pub adopt: bool,
}

impl<S: Storage> StoredFrontier<S> {
    /// Looks at all URLs that a page offers before any of them is dealt with. No look-up depends on another, so the processor
    /// waits for several of them at a time; applied one after the other, each would wait for memory by itself.
    pub(super) fn look_ahead(&self, updates: &[Update]) {
        // What fits into the processor's cache need not be fetched into it.
        if self.ids.len() < LARGE {
            return;
        }
        let mut seen = 0;
        for update in updates {
            if let Update::Offer(offer) = update
                && let Some(id) = self.find(offer.key)
            {
                seen ^= self.entries[id].state as u8;
            }
        }
        std::hint::black_box(seen);
    }

    /// Creates and stores a new entry. The caller puts it in its queue.
    pub(super) fn new_entry(
        &mut self,
        offer: &Offer,
        source: &Source,
        redirects: u8,
        now: Timestamp,
    ) -> Result<UrlId, FrontierError> {
        if self.entries.len() >= UrlId::NONE.0 - 1 {
            return Err(FrontierError::Full);
        }
        self.admit(source.agent)?;
        self.note_entry(now);
        let host = self.host_of(&offer.url);
        let mut entry = Entry::new(offer.key, host, source.agent, offer.rank);
        entry.parent = source.parent;
        entry.depth = source.depth;
        entry.flags = source.flags;
        entry.redirects = redirects;
        let id = self.entries.push(entry);
        self.storage.put_url(
            id,
            &KnownUrl {
                url: offer.url.clone(),
                reason: source.reason,
            },
        );
        Ok(id)
    }

    pub(super) fn add_new(
        &mut self,
        offer: &Offer,
        source: &Source,
        redirects: u8,
        now: Timestamp,
    ) -> Result<UrlId, FrontierError> {
        let id = self.new_entry(offer, source, redirects, now)?;
        self.know(offer.key, id);
        self.enqueue(id, now);
        Ok(id)
    }

    /// Takes an offer: adds a new URL, brings back one whose redirect target was dropped, adds another agent's claim, or
    /// merges with what the agent has. Returns the id of a new entry.
    pub(super) fn offer(
        &mut self,
        offer: &Offer,
        source: &Source,
        now: Timestamp,
    ) -> Result<Option<UrlId>, FrontierError> {
        match self.find_moved(offer.key) {
            None => self.add_new(offer, source, 0, now).map(Some),
            Some(base) if self.may_enter_again(base) => {
                self.bring_back(base, offer.rank, self.entries.len(), source.agent, now)?;
                Ok(None)
            }
            Some(base) => match self.entry_of(base, source.agent) {
                None if self.entries[base].waits() => self.add_claim(base, offer, source, 0, now).map(Some),
                own => {
                    self.merge(self.gathers_on(base, own), offer.rank, offer.merge, now);
                    Ok(None)
                }
            },
        }
    }

    /// The entry that an agent's offer of a known URL affects: its own, unless the URL has reached a final state.
    pub(super) fn gathers_on(&self, base: UrlId, own: Option<UrlId>) -> UrlId {
        match self.entries[base].state {
            State::Fetched | State::Gone => base,
            _ => own.unwrap_or(base),
        }
    }

    /// Whether a known URL can enter again: the URL it redirects to was dropped.
    pub(super) fn may_enter_again(&self, base: UrlId) -> bool {
        let entry = &self.entries[base];
        let target = || UrlId(entry.slot_or_child).known();
        match entry.state {
            State::Gone if entry.has(flag::MOVED) => {
                target().is_some_and(|to| self.entries.get(to).is_none())
            }
            _ => false,
        }
    }

    pub(super) fn bring_back(
        &mut self,
        base: UrlId,
        rank: Rank,
        age: u32,
        agent: AgentId,
        now: Timestamp,
    ) -> Result<(), FrontierError> {
        self.admit(agent)?;
        // A URL that reached a final state may have a record of how it was found.
        for record in self.claims.remove(&base.0).unwrap_or_default() {
            self.drop_entry(record, now)?;
        }
        let entry = &mut self.entries[base];
        entry.set_agent(agent);
        entry.set_rank(rank);
        entry.set(flag::MOVED, false);
        entry.attempt = 0;
        self.entries.set_age(base, age);
        if base.0 >= self.stamps.cursor() {
            self.came_back(base, now);
        }
        self.missed_raises(base)?;
        self.enqueue(base, now);
        Ok(())
    }

    pub(super) fn merge(&mut self, id: UrlId, rank: Rank, merge: Merge, now: Timestamp) {
        let entry = &mut self.entries[id];
        let present = entry.rank();
        match (entry.state, merge) {
            (State::Waiting | State::Drawn, Merge::Max) if rank > present => entry.set_rank(rank),
            (State::Waiting | State::Drawn, Merge::Replace) if rank != present => {
                entry.set_rank(rank);
                if self.policy.ranks_follow_notes && entry.has(flag::EVIDENCE) {
                    self.reranked.insert(id);
                    self.reorder(id, now);
                    return;
                }
            }
            // Cash also gathers on leased, fetched and gone URLs, so that none is ever lost.
            (_, Merge::Add) if rank.score.get() != 0.0 => entry.gain(rank.score.get()),
            _ => return,
        }
        self.touch(id);
        self.reorder(id, now);
    }

    fn revisit_richest(&mut self, now: Timestamp) {
        // Asked for rarely (once every few hundred pages), so scanning everything costs less than keeping an order up
        // to date.
        let richest = self
            .entries
            .all()
            .filter(|(_, entry)| {
                let is_base = !entry.has(flag::CLAIM | flag::REVISIT);
                entry.state == State::Fetched && is_base && entry.score > 0.0
            })
            .max_by(|(a, left), (b, right)| left.score.total_cmp(&right.score).then(b.cmp(a)))
            .map(|(id, entry)| (id, entry.host));
        if let Some((id, host)) = richest {
            self.entries[id].set(flag::REVISIT, true);
            self.touch(id);
            self.hosts[host.0 as usize].revisits.push(id.0);
            self.place(host, now);
        }
    }

    pub(super) fn apply(
        &mut self,
        update: &Update,
        source: &Source,
        now: Timestamp,
    ) -> Result<(), FrontierError> {
        let agent = source.agent;
        match update {
            Update::Offer(offer) => {
                self.has_cash |= offer.merge == Merge::Add;
                let new = self.offer(offer, source, now)?;
                if let (Some(id), Some(parent)) = (new, source.parent.known()) {
                    if source.adopt {
                        self.adopt(parent, id);
                    } else if self.entries[parent].slot_or_child == UrlId::NONE.0 {
                        self.entries[parent].slot_or_child = id.0;
                    }
                }
            }
            Update::Raise { of, rank, merge } => {
                if let Some(id) = self.waiting_entry(*of, agent) {
                    let tie = self.entries[id].rank().tie;
                    self.merge(id, Rank { tie, ..*rank }, *merge, now);
                }
            }
            Update::RaiseSiblings { .. } => {
                if let Some(raise) = ChildrenRaise::of_update(update) {
                    self.raise_siblings(agent, raise, now)?;
                }
            }
            Update::RetieSiblings { of } => self.retie_siblings(agent, *of, now),
            Update::Note { of, note } => {
                if let Some(id) = self.waiting_entry(*of, agent) {
                    self.put_evidence(id, &Evidence::of_note(note));
                }
            }
            Update::RevisitRichest => self.revisit_richest(now),
        }
        Ok(())
    }

    pub(super) fn mark_seed(&mut self, id: UrlId) {
        if !self.entries[id].has(flag::SEED) {
            self.entries[id].set(flag::SEED, true);
            self.seeds_in_line += u64::from(self.entries[id].state == State::Waiting);
            self.touch(id);
        }
    }
}
