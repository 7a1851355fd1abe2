//! What a frontier rebuilt from a crawl's records takes over from the one it replaces.
//!
//! The records say what was requested and how it ended. They do not say how long hosts must be left alone, or what
//! changed through later settings or lost records. That is copied from the old frontier as it stands.
//!
//! **Invariant:** afterwards no host may be asked sooner than before, nothing that was settled is waiting, and
//! nothing that was waiting is missing.

use super::*;

/// What was taken over because the records alone did not show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inherited {
    /// URLs that were waiting and would otherwise be missing.
    pub waiting: u64,
    /// URLs that were settled and would otherwise be waiting.
    pub settled: u64,
}

impl<S: Storage> StoredFrontier<S> {
    /// Takes over the hosts' rests and rules, the waiting URLs and the settled ones.
    pub fn inherit<T: Storage>(
        &mut self,
        old: &StoredFrontier<T>,
        now: Timestamp,
    ) -> Result<Inherited, FrontierError> {
        for (number, theirs) in (0..).zip(&old.hosts) {
            let id = self.host_named(&theirs.origin);
            if let Some(rules) = old.storage.rules(HostId(number))? {
                self.storage.put_rules(id, &rules);
            }
            let host = &mut self.hosts[id.0 as usize];
            host.rest_until = theirs.rest_until;
            host.failures = theirs.failures;
            host.rules_attempt = theirs.rules_attempt;
            host.crawl_delay_ms = theirs.crawl_delay_ms;
            host.rules_until = theirs.rules_until;
            host.pages = theirs.pages;
            self.touch_host(id);
            self.place(id, now);
        }
        let mut inherited = Inherited::default();
        for (theirs, entry) in old.entries.all() {
            let is_settled = match entry.state {
                State::Fetched | State::Gone if entry.has(flag::CLAIM) => continue,
                State::Waiting | State::Drawn | State::Leased => false,
                State::Fetched | State::Gone => true,
            };
            if entry.has(flag::CLAIM) {
                self.claim_like(old, theirs, now)?;
                continue;
            }
            let known = self.find(entry.key);
            let ours = match known {
                Some(ours) => ours,
                None => self.copy_of(old, theirs, now)?,
            };
            match (self.entries[ours].state, is_settled) {
                (State::Waiting, false) => inherited.waiting += u64::from(known.is_none()),
                (State::Waiting, true) => {
                    self.settle_as(ours, entry, now)?;
                    inherited.settled += 1;
                }
                // Given up in this frontier, but due for another try in the old one.
                (State::Gone, false) => {
                    let rank = unit::lift(entry.rank(), self.unit - old.unit);
                    self.bring_back(ours, rank, self.entries.age(ours), entry.agent(), now)?;
                    self.entries[ours].attempt = entry.attempt;
                    inherited.waiting += 1;
                }
                _ => {}
            }
        }
        old.storage.each_spilled(&mut |spilled| {
            if self.find(self.keyring.key(&spilled.known.url)).is_none() {
                // Numbers of pages are private to the old frontier.
                let spilled = Spilled {
                    parent: UrlId::NONE,
                    ..spilled
                };
                self.enter_again(spilled, now)?;
                inherited.waiting += 1;
            }
            Ok(())
        })?;
        Ok(inherited)
    }

    /// The URLs a page links to, as far as they were kept: all of them if all parents are kept, otherwise those it
    /// was first to discover.
    pub fn links_of(&self, page: UrlKey) -> Result<Vec<CanonicalUrl>, FrontierError> {
        let Some(page) = self.find(page) else {
            return Ok(Vec::new());
        };
        let mut children = self.storage.children(page)?;
        if children.is_empty() {
            children = self.first_children(page);
        }
        children.retain(|child| self.entries.get(*child).is_some());
        children
            .into_iter()
            .map(|child| Ok(self.known_url(child)?.url))
            .collect()
    }

    /// Adds a waiting URL of another frontier to this one.
    fn copy_of<T: Storage>(
        &mut self,
        old: &StoredFrontier<T>,
        theirs: UrlId,
        now: Timestamp,
    ) -> Result<UrlId, FrontierError> {
        let entry = old.entries[theirs];
        let (offer, source) = self.as_offer(old, theirs)?;
        let id = self.add_new(&offer, &source, entry.redirects, now)?;
        self.entries[id].attempt = entry.attempt;
        if let Some(parent) = source.parent.known() {
            self.adopt(parent, id);
        }
        self.copy_evidence(old, theirs, id)?;
        Ok(id)
    }

    /// Gives the agent a claim here that it had in another frontier.
    fn claim_like<T: Storage>(
        &mut self,
        old: &StoredFrontier<T>,
        theirs: UrlId,
        now: Timestamp,
    ) -> Result<(), FrontierError> {
        let entry = &old.entries[theirs];
        let Some(base) = self.find(entry.key).filter(|base| self.entries[*base].waits()) else {
            return Ok(());
        };
        if self.entry_of(base, entry.agent()).is_none() {
            let (offer, source) = self.as_offer(old, theirs)?;
            let id = self.add_claim(base, &offer, &source, entry.redirects, now)?;
            if let Some(parent) = source.parent.known() {
                self.adopt(parent, id);
            }
            self.copy_evidence(old, theirs, id)?;
        }
        Ok(())
    }

    fn copy_evidence<T: Storage>(
        &mut self,
        old: &StoredFrontier<T>,
        theirs: UrlId,
        ours: UrlId,
    ) -> Result<(), FrontierError> {
        if let Some(evidence) = old.evidence_of(theirs)? {
            self.put_evidence(ours, &evidence);
        }
        Ok(())
    }

    /// An entry of another frontier as it would be offered here.
    fn as_offer<T: Storage>(
        &self,
        old: &StoredFrontier<T>,
        theirs: UrlId,
    ) -> Result<(Offer, Source), FrontierError> {
        let entry = &old.entries[theirs];
        let known = old.known_url(theirs)?;
        let parent = old.key_of(entry.parent).and_then(|key| self.find(key));
        let source = Source {
            agent: entry.agent(),
            parent: parent.unwrap_or(UrlId::NONE),
            depth: entry.depth,
            reason: known.reason,
            flags: entry.flags & (flag::SEED | flag::SITEMAP),
            adopt: true,
        };
        let offer = Offer {
            url: known.url,
            key: entry.key,
            // Cash may be in a different unit here.
            rank: unit::lift(entry.rank(), self.unit - old.unit),
            merge: Merge::Keep,
        };
        Ok((offer, source))
    }

    /// Ends a waiting URL the way it ended in another frontier.
    fn settle_as(&mut self, id: UrlId, theirs: &Entry, now: Timestamp) -> Result<(), FrontierError> {
        self.dequeue(id);
        self.set_states(id, theirs.state);
        self.end_claims(id, id, now)?;
        let entry = &mut self.entries[id];
        entry.slot_or_child = UrlId::NONE.0;
        entry.tie_or_relevance = theirs.tie_or_relevance;
        entry.score = theirs.score;
        entry.attempt = 0;
        let host = entry.host;
        self.touch(id);
        self.place(host, now);
        Ok(())
    }
}
