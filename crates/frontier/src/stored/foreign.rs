//! What a frontier that holds only some hosts hears from the others.
//!
//! A page on a host of another frontier may lead to URLs here. It becomes a *stranger*: an entry that is gone from the start, so
//! that the URLs it led to know their parent and their siblings. Nothing of a stranger is ever fetched here.

use super::*;

/// A URL that a page of another frontier led to.
#[derive(Clone, Debug)]
pub struct ForeignOffer {
    /// The agent that wants it.
    pub agent: AgentId,
    /// The offer, with a score in the other frontier's unit.
    pub offer: Offer,
    /// The other frontier's unit of cash.
    pub unit: i32,
    /// The page that led to it.
    pub parent: Option<CanonicalUrl>,
    /// Number of links from a seed.
    pub depth: u16,
    /// How it was found.
    pub reason: Reason,
    /// How many redirects led to it.
    pub redirects: u8,
    /// Whether the user named it, or a URL that redirects to it.
    pub is_seed: bool,
    /// Whether it is a sitemap.
    pub is_sitemap: bool,
}

impl<S: Storage> StoredFrontier<S> {
    /// Takes an offer from another frontier. Returns how many strangers and hosts of strangers it brought.
    pub fn receive(&mut self, foreign: ForeignOffer, now: Timestamp) -> Result<(u64, u64), FrontierError> {
        let (entries, hosts) = (self.entries.len(), self.hosts.len());
        let mut offer = foreign.offer;
        let is_cash = offer.merge == Merge::Add;
        self.has_cash |= is_cash;
        if is_cash {
            offer.rank = unit::lift(offer.rank, self.unit - foreign.unit);
        }
        // A page that only says more about a known URL need not be known itself. In a web of many links most are of this kind.
        let parent = match foreign.parent {
            Some(url) if self.is_news_to(offer.key, foreign.agent) => self.stranger(url, now)?,
            _ => UrlId::NONE,
        };
        let strangers = u64::from(self.entries.len() - entries);
        let their_hosts = (self.hosts.len() - hosts) as u64;
        let mut flags = 0;
        if foreign.is_sitemap {
            flags |= flag::SITEMAP;
        }
        let source = Source {
            agent: foreign.agent,
            parent,
            depth: foreign.depth,
            reason: foreign.reason,
            flags,
            adopt: true,
        };
        let new = self.offer(&offer, &source, now)?;
        if let Some(id) = new {
            self.entries[id].redirects = foreign.redirects;
            self.touch(id);
            if let Some(parent) = parent.known() {
                self.adopt(parent, id);
            }
        }
        if foreign.is_seed
            && let Some(base) = self.find(offer.key)
        {
            self.mark_seed(self.gathers_on(base, self.entry_of(base, foreign.agent)));
        }
        self.keep_within_bounds(now)?;
        Ok((strangers, their_hosts))
    }

    /// The keys of all known URLs, strangers included.
    pub fn keys(&self) -> impl Iterator<Item = UrlKey> {
        self.ids.iter().map(|id| self.entries[UrlId(id)].key)
    }

    /// The origins of all hosts, those of strangers included.
    pub fn origins(&self) -> impl Iterator<Item = &str> {
        self.hosts.iter().map(|host| &*host.origin)
    }

    /// Applies an update that names a URL of this frontier and follows from a page of another.
    pub fn receive_update(
        &mut self,
        agent: AgentId,
        update: &Update,
        now: Timestamp,
    ) -> Result<(), FrontierError> {
        let source = Source {
            agent,
            parent: UrlId::NONE,
            depth: 0,
            reason: Reason::Link,
            flags: 0,
            adopt: true,
        };
        self.apply(update, &source, now)
    }

    /// The best priority among the URLs that may be leased to an agent now.
    pub fn best_ready(&mut self, agent: AgentId, now: Timestamp) -> Option<Priority> {
        self.wake(now);
        let host = self.ready.get(usize::from(agent.0)).and_then(Heap::best)?;
        let host = &self.hosts[host as usize];
        let best = host.queue_of(agent).and_then(Heap::best);
        // A host with nothing but revisits.
        Some(best.map_or(Priority::default(), |best| self.entries.priority(UrlId(best))))
    }

    /// Numbers leases from here on, so that those of several frontiers can be told apart.
    pub fn number_leases_from(&mut self, first: u64) {
        self.next_lease = self.next_lease.max(first);
    }

    /// The unit of cash that a lease was taken in.
    pub fn unit_of(&self, lease: &Lease) -> i32 {
        self.leases.get(&lease.id).map_or(self.unit, |out| out.unit)
    }

    /// The cash that all entries hold together, in the unit of the start.
    pub fn cash(&self) -> f64 {
        let all = self.entries.all().map(|(_, entry)| entry.score);
        all.sum::<f64>() * 2.0_f64.powi(-self.unit)
    }

    /// Whether an offer of a URL makes a new entry, which has a parent.
    fn is_news_to(&self, key: UrlKey, agent: AgentId) -> bool {
        self.find_moved(key)
            .is_none_or(|base| self.entries[base].waits() && self.entry_of(base, agent).is_none())
    }

    pub(super) fn stranger(&mut self, url: CanonicalUrl, now: Timestamp) -> Result<UrlId, FrontierError> {
        let key = self.keyring.key(&url);
        if let Some(known) = self.find(key) {
            return Ok(known);
        }
        let offer = Offer {
            url,
            key,
            rank: Rank::default(),
            merge: Merge::Keep,
        };
        let source = Source {
            agent: AgentId::default(),
            parent: UrlId::NONE,
            depth: 0,
            reason: Reason::Link,
            flags: 0,
            adopt: false,
        };
        let id = self.new_entry(&offer, &source, 0, now)?;
        self.know(key, id);
        let entry = &mut self.entries[id];
        entry.state = State::Gone;
        entry.slot_or_child = UrlId::NONE.0;
        self.touch(id);
        Ok(id)
    }
}
