//! Siblings in other shards.
//!
//! Where several frontiers share a crawl, each of them a *shard*, the children of a page may be in any of them. The shard of the
//! page itself, its *home*, knows which others hold children, and each of those knows the page as a stranger, and its own children
//! of it. Whoever raises the children of a page tells its home, and the home tells all others. What the home says arrives in the
//! order in which it was said, so no shard hears of a raise before it hears of the children.
//!
//! Deliberately absent: sending anything, and counting visited siblings over several shards ([`Update::RetieSiblings`]). The count
//! would have to be asked for, and would have changed when the answer comes.

use std::collections::BTreeMap;

use super::*;

/// The names of the notes that say which shards hold children of a page.
const CHILDREN_ABROAD: &str = "children-abroad/";

/// What one shard tells another about parents and siblings.
#[derive(Clone, Debug, PartialEq)]
pub enum KinNews {
    /// A page links to these URLs.
    Children {
        /// The page.
        page: CanonicalUrl,
        /// URLs of the shard that is told.
        of: Vec<UrlKey>,
    },
    /// A shard holds a child of a page.
    ChildrenAbroad {
        /// A page of the shard that is told.
        page: UrlKey,
        /// The shard that holds the child.
        shard: u16,
    },
    /// The children of a page are raised.
    Raise {
        /// Whose.
        agent: AgentId,
        /// The page.
        page: UrlKey,
        /// What they get.
        raise: ChildrenRaise,
    },
}

/// Which shard a frontier is, and where URLs belong.
#[derive(Clone, Copy)]
pub struct ShardMap<'m> {
    /// The frontier's own number.
    pub here: u16,
    /// The number of the shard that a URL belongs to.
    pub shard_of: &'m dyn Fn(UrlKey) -> u16,
}

/// What came of news about kin.
#[derive(Debug, Default)]
pub struct KinHeard {
    /// How many strangers, and hosts of strangers, it brought.
    pub strangers: (u64, u64),
    /// What other shards are to be told.
    pub tell: Vec<(u16, KinNews)>,
}

fn name_of(page: UrlKey) -> String {
    format!("{CHILDREN_ABROAD}{:016x}", page.0)
}

impl<S: Storage> StoredFrontier<S> {
    /// Raises siblings here, and returns what other shards are to be told about the kin of a page. Call it before the page is
    /// settled, and tell them after the offers of the page. The page is then settled without updates that raise siblings.
    pub fn tell_kin(
        &mut self,
        settled: &Settled<'_>,
        map: ShardMap<'_>,
        now: Timestamp,
    ) -> Result<Vec<(u16, KinNews)>, FrontierError> {
        let mut tell = Vec::new();
        if !self.policy.siblings || settled.lease.kind != LeaseKind::Page {
            return Ok(tell);
        }
        let agent = settled.lease.agent;
        for update in settled.updates {
            let Some(raise) = ChildrenRaise::of_update(update) else {
                continue;
            };
            for page in self.parents_that_count(agent, raise.of, raise.parents)? {
                if self.raise_children_of(agent, page, raise, now)?
                    && let Some(entry) = self.entries.get(page)
                {
                    let page = entry.key;
                    let home = (map.shard_of)(page);
                    if home == map.here {
                        self.tell_children(agent, page, raise, map.here, &mut tell)?;
                    } else {
                        tell.push((home, KinNews::Raise { agent, page, raise }));
                    }
                }
            }
        }
        self.tell_of_children(settled, map, &mut tell)?;
        if let End::Redirected { key, .. } = &settled.end {
            self.tell_of_redirect(settled.lease, *key, map, &mut tell)?;
        }
        Ok(tell)
    }

    /// Takes what another shard tells.
    pub fn hear_kin(
        &mut self,
        news: KinNews,
        from: u16,
        map: ShardMap<'_>,
        now: Timestamp,
    ) -> Result<KinHeard, FrontierError> {
        let mut heard = KinHeard::default();
        match news {
            KinNews::Children { page, of } => {
                let (entries, hosts) = (self.entries.len(), self.hosts.len());
                let page = self.stranger(page, now)?;
                let known = self.storage.children(page)?;
                self.add_children(page, known, &of);
                heard.strangers = (
                    u64::from(self.entries.len() - entries),
                    (self.hosts.len() - hosts) as u64,
                );
            }
            KinNews::ChildrenAbroad { page, shard } => self.add_children_abroad(page, &[shard])?,
            KinNews::Raise { agent, page, raise } => {
                if let Some(id) = self.find(page)
                    && self.raise_children_of(agent, id, raise, now)?
                    && (map.shard_of)(page) == map.here
                {
                    self.tell_children(agent, page, raise, from, &mut heard.tell)?;
                }
            }
        }
        Ok(heard)
    }

    /// Tells all shards that hold children of a page what they get. The one that said so has seen to its own.
    fn tell_children(
        &self,
        agent: AgentId,
        page: UrlKey,
        raise: ChildrenRaise,
        said_by: u16,
        tell: &mut Vec<(u16, KinNews)>,
    ) -> Result<(), FrontierError> {
        let others = self.children_abroad(page)?.into_iter();
        let others = others.filter(|shard| *shard != said_by);
        tell.extend(others.map(|shard| (shard, KinNews::Raise { agent, page, raise })));
        Ok(())
    }

    /// Remembers which other shards hold children of a page. They are told if they are to know all parents of their URLs; the
    /// first parent comes with the offer.
    fn tell_of_children(
        &mut self,
        settled: &Settled<'_>,
        map: ShardMap<'_>,
        tell: &mut Vec<(u16, KinNews)>,
    ) -> Result<(), FrontierError> {
        let offered = settled.updates.iter().filter_map(|update| match update {
            Update::Offer(offer) => Some(offer.key),
            _ => None,
        });
        let mut abroad: BTreeMap<u16, Vec<UrlKey>> = BTreeMap::new();
        for key in settled.links.iter().copied().chain(offered) {
            let shard = (map.shard_of)(key);
            if shard != map.here {
                abroad.entry(shard).or_default().push(key);
            }
        }
        if abroad.is_empty() {
            return Ok(());
        }
        let shards: Vec<u16> = abroad.keys().copied().collect();
        self.add_children_abroad(settled.lease.key, &shards)?;
        if self.policy.all_parents {
            for (shard, mut of) in abroad {
                of.sort_unstable();
                of.dedup();
                let page = settled.lease.url.clone();
                tell.push((shard, KinNews::Children { page, of }));
            }
        }
        Ok(())
    }

    /// A page that links to a URL also links to where that redirects.
    fn tell_of_redirect(
        &mut self,
        lease: &Lease,
        to: UrlKey,
        map: ShardMap<'_>,
        tell: &mut Vec<(u16, KinNews)>,
    ) -> Result<(), FrontierError> {
        let target = (map.shard_of)(to);
        if target == map.here {
            return Ok(());
        }
        for page in self.parents_that_count(lease.agent, lease.key, Parents::All)? {
            let Some(key) = self.entries.get(page).map(|entry| entry.key) else {
                continue;
            };
            let home = (map.shard_of)(key);
            if home == map.here {
                self.add_children_abroad(key, &[target])?;
            } else if home != target {
                let page = key;
                tell.push((home, KinNews::ChildrenAbroad { page, shard: target }));
            }
            if self.policy.all_parents {
                let page = self.known_url(page)?.url;
                tell.push((target, KinNews::Children { page, of: vec![to] }));
            }
        }
        Ok(())
    }

    fn children_abroad(&self, page: UrlKey) -> Result<Vec<u16>, FrontierError> {
        let noted = self.storage.notes(&name_of(page))?;
        let bytes = noted.first().map_or([].as_slice(), |(_, value)| value.as_slice());
        let (numbers, _) = bytes.as_chunks::<2>();
        Ok(numbers.iter().map(|number| u16::from_le_bytes(*number)).collect())
    }

    fn add_children_abroad(&mut self, page: UrlKey, shards: &[u16]) -> Result<(), FrontierError> {
        let known = self.children_abroad(page)?;
        let mut all = known.clone();
        all.extend(shards);
        all.sort_unstable();
        all.dedup();
        if all != known {
            let bytes: Vec<u8> = all.iter().flat_map(|number| number.to_le_bytes()).collect();
            self.storage.put_note(&name_of(page), &bytes);
        }
        Ok(())
    }
}
