//! What a letter says, as bytes.

use scenthound_frontier::{ChildrenRaise, ForeignOffer, KinNews};
use scenthound_types::{AgentId, CanonicalUrl, Keyring, Merge, Offer, Parents, Rank, Reason, Score, UrlKey};
use serde::{Deserialize, Serialize};

use crate::fault::ClusterFault;

/// A rank as it is written.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) struct WrittenRank(u16, f64, u32);

impl From<Rank> for WrittenRank {
    fn from(rank: Rank) -> WrittenRank {
        WrittenRank(rank.class, rank.score.get(), rank.tie)
    }
}

impl From<WrittenRank> for Rank {
    fn from(WrittenRank(class, score, tie): WrittenRank) -> Rank {
        Rank {
            class,
            score: Score::new(score),
            tie,
        }
    }
}

/// A URL that a page of another shard led to.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct WrittenOffer {
    pub agent: u8,
    pub url: String,
    pub rank: WrittenRank,
    pub merge: Merge,
    pub unit: i32,
    pub parent: Option<String>,
    pub depth: u16,
    pub reason: Reason,
    pub redirects: u8,
    pub is_seed: bool,
    pub is_sitemap: bool,
}

/// One thing that a letter says.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum Item {
    /// Offers a URL.
    Offer(WrittenOffer),
    /// Gives a waiting URL another rank.
    Raise {
        agent: u8,
        of: u64,
        rank: WrittenRank,
        merge: Merge,
    },
    /// Keeps a note about a waiting URL.
    Note { agent: u8, of: u64, note: Vec<u8> },
    /// Keeps what is known of a waiting URL.
    Evidence { agent: u8, of: u64, evidence: Vec<u8> },
    /// A page links to these URLs.
    Children { page: String, of: Vec<u64> },
    /// A shard holds a child of a page.
    ChildrenAbroad { page: u64, shard: u16 },
    /// The children of a page are raised.
    RaiseChildren {
        agent: u8,
        page: u64,
        of: u64,
        by_all_parents: bool,
        rank: WrittenRank,
        merge: Merge,
    },
}

impl From<KinNews> for Item {
    fn from(news: KinNews) -> Item {
        match news {
            KinNews::Children { page, of } => Item::Children {
                page: page.to_string(),
                of: of.into_iter().map(|key| key.0).collect(),
            },
            KinNews::ChildrenAbroad { page, shard } => Item::ChildrenAbroad { page: page.0, shard },
            KinNews::Raise { agent, page, raise } => Item::RaiseChildren {
                agent: agent.0,
                page: page.0,
                of: raise.of.0,
                by_all_parents: raise.parents == Parents::All,
                rank: raise.rank.into(),
                merge: raise.merge,
            },
        }
    }
}

impl Item {
    /// What it says about kin, if it does.
    pub fn into_kin_news(self) -> Option<KinNews> {
        match self {
            Item::Children { page, of } => Some(KinNews::Children {
                page: CanonicalUrl::from_canonical(&page).ok()?,
                of: of.into_iter().map(UrlKey).collect(),
            }),
            Item::ChildrenAbroad { page, shard } => Some(KinNews::ChildrenAbroad {
                page: UrlKey(page),
                shard,
            }),
            Item::RaiseChildren {
                agent,
                page,
                of,
                by_all_parents,
                rank,
                merge,
            } => Some(KinNews::Raise {
                agent: AgentId(agent),
                page: UrlKey(page),
                raise: ChildrenRaise {
                    of: UrlKey(of),
                    parents: match by_all_parents {
                        true => Parents::All,
                        false => Parents::First,
                    },
                    rank: rank.into(),
                    merge,
                },
            }),
            _ => None,
        }
    }
}

impl WrittenOffer {
    /// The offer as the receiver's frontier takes it.
    pub fn into_foreign(self, keyring: Keyring) -> Option<ForeignOffer> {
        let url = CanonicalUrl::from_canonical(&self.url).ok()?;
        let parent = match self.parent {
            Some(parent) => Some(CanonicalUrl::from_canonical(&parent).ok()?),
            None => None,
        };
        Some(ForeignOffer {
            agent: AgentId(self.agent),
            offer: Offer {
                key: keyring.key(&url),
                url,
                rank: self.rank.into(),
                merge: self.merge,
            },
            unit: self.unit,
            parent,
            depth: self.depth,
            reason: self.reason,
            redirects: self.redirects,
            is_seed: self.is_seed,
            is_sitemap: self.is_sitemap,
        })
    }
}

pub(crate) fn write(items: &[Item]) -> Vec<u8> {
    // Writing to memory cannot fail.
    postcard::to_stdvec(items).unwrap_or_default()
}

pub(crate) fn read(from: u16, body: &[u8]) -> Result<Vec<Item>, ClusterFault> {
    postcard::from_bytes(body).map_err(|_| ClusterFault::Letter { from })
}

/// The shard of a URL.
pub(crate) fn shard_of(key: UrlKey, shards: u16) -> u16 {
    ((u32::from(key.site()) * u32::from(shards)) >> UrlKey::SITE_BITS) as u16
}
