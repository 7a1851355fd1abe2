//! A URL that several agents want: how much each wants it, and what happens to those claims.
//!
//! The first offer of a URL creates its *base*, the entry it is known by. When another agent offers it while it
//! waits, that agent gets a *claim*: an entry with its own rank, age, parent and depth. Whichever agent is served
//! first leases the URL, with the values of its own entry. When the URL reaches a final state the other claims are
//! dropped; the claim it was leased through stays as the record of how it was found.
//!
//! **Invariant:** of all entries of one URL the base has the smallest id, and no agent has two.
//!
//! A crawl without agents has no claims, so each look-up hits an empty table.

use super::*;

impl<S: Storage> StoredFrontier<S> {
    /// The claims on a URL, oldest first.
    pub(super) fn claims_of(&self, base: UrlId) -> &[UrlId] {
        self.claims.get(&base.0).map(Vec::as_slice).unwrap_or_default()
    }

    /// The base of any entry.
    pub(super) fn base_of(&self, id: UrlId) -> UrlId {
        let entry = &self.entries[id];
        if entry.has(flag::CLAIM) {
            self.find(entry.key).unwrap_or(id)
        } else {
            id
        }
    }

    /// An agent's own entry for a URL.
    pub(super) fn entry_of(&self, base: UrlId, agent: AgentId) -> Option<UrlId> {
        if self.entries[base].agent() == agent {
            return Some(base);
        }
        let mut claims = self.claims_of(base).iter().copied();
        claims.find(|claim| self.entries[*claim].agent() == agent)
    }

    /// The entry that records how a URL was found: that of the agent that leased it, or the first while it waits.
    pub(super) fn found_by(&self, base: UrlId) -> UrlId {
        match self.entries[base].state {
            State::Fetched | State::Gone => self.claims_of(base).first().copied().unwrap_or(base),
            _ => base,
        }
    }

    /// An agent's own entry for a URL, if it is waiting.
    pub(super) fn waiting_entry(&self, key: UrlKey, agent: AgentId) -> Option<UrlId> {
        let id = self.entry_of(self.find_moved(key)?, agent)?;
        self.entries[id].waits().then_some(id)
    }

    /// Gives all entries of a URL the same state.
    pub(super) fn set_states(&mut self, base: UrlId, state: State) {
        self.entries[base].state = state;
        for claim in self.claims_of(base).to_vec() {
            self.entries[claim].state = state;
        }
    }

    /// Adds another agent's claim to a waiting URL.
    pub(super) fn add_claim(
        &mut self,
        base: UrlId,
        offer: &Offer,
        source: &Source,
        redirects: u8,
        now: Timestamp,
    ) -> Result<UrlId, FrontierError> {
        let id = if offer.key == self.entries[base].key {
            self.new_entry(offer, source, redirects, now)?
        } else {
            // The offer was for a URL that redirects here.
            let moved = Offer {
                url: self.known_url(base)?.url,
                key: self.entries[base].key,
                ..offer.clone()
            };
            self.new_entry(&moved, source, redirects, now)?
        };
        self.entries[id].set(flag::CLAIM, true);
        self.claims.entry(base.0).or_default().push(id);
        self.touch(id);
        // If the URL is on a list, the claim waits for the list.
        match self.entries[base].state {
            State::Waiting => self.put_in_queue(id, now),
            state => self.entries[id].state = state,
        }
        Ok(id)
    }

    /// Settles the entries of a URL that has reached a final state through one of them.
    pub(super) fn end_claims(
        &mut self,
        base: UrlId,
        leased_by: UrlId,
        now: Timestamp,
    ) -> Result<(), FrontierError> {
        self.drop_evidence(base);
        if self.claims.is_empty() {
            return Ok(());
        }
        let Some(claims) = self.claims.remove(&base.0) else {
            return Ok(());
        };
        if leased_by != base && !self.has_cash {
            // What another agent wanted it for no longer matters.
            self.entries[base].score = 0.0;
        }
        for claim in claims {
            if self.has_cash {
                // Cash belongs to no agent. What nobody will take from this claim moves to the base.
                let left = std::mem::take(&mut self.entries[claim].score);
                self.entries[base].gain(left);
            }
            if claim == leased_by {
                self.drop_evidence(claim);
                let state = self.entries[base].state;
                let entry = &mut self.entries[claim];
                entry.state = state;
                entry.slot_or_child = UrlId::NONE.0;
                entry.tie_or_relevance = 0;
                self.touch(claim);
                self.claims.insert(base.0, vec![claim]);
            } else {
                self.drop_entry(claim, now)?;
            }
        }
        Ok(())
    }

    /// Drops an entry that is not leased, with everything stored for it. If other agents want the URL too, the oldest
    /// claim becomes its base.
    pub(super) fn drop_entry(&mut self, id: UrlId, now: Timestamp) -> Result<(), FrontierError> {
        self.storage.drop_url(id);
        self.forget_entry(id, now)
    }

    /// Drops an entry from memory. What is stored for it, but for the pages that link to it, is the caller's business.
    pub(super) fn forget_entry(&mut self, id: UrlId, now: Timestamp) -> Result<(), FrontierError> {
        let entry = self.entries[id];
        let base = self.base_of(id);
        match entry.state {
            State::Waiting => self.take_from_queue(id),
            State::Drawn => self.strike(id),
            _ => {}
        }
        if entry.has(flag::CLAIM) {
            let is_last = self.claims.get_mut(&base.0).is_some_and(|claims| {
                claims.retain(|claim| *claim != id);
                claims.is_empty()
            });
            if is_last {
                self.claims.remove(&base.0);
            }
        } else {
            self.forget_key(id);
            if let Some(mut claims) = self.claims.remove(&id.0) {
                self.crown(claims.remove(0), claims, &entry);
            }
        }
        if self.policy.all_parents && !entry.has(flag::CLAIM) {
            self.links_lost += self.storage.drop_parents(id)?;
        }
        self.entries.remove(id);
        self.dropped += 1;
        self.place(entry.host, now);
        Ok(())
    }

    /// Makes a claim the base.
    fn crown(&mut self, heir: UrlId, others: Vec<UrlId>, old: &Entry) {
        let entry = &mut self.entries[heir];
        entry.set(flag::CLAIM, false);
        entry.attempt = old.attempt;
        entry.set(flag::SITEMAP, old.has(flag::SITEMAP));
        self.waiting += u64::from(entry.state == State::Waiting);
        let key = entry.key;
        self.touch(heir);
        self.know(key, heir);
        if !others.is_empty() {
            self.claims.insert(heir.0, others);
        }
    }
}
