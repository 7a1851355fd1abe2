//! What a letter says, as bytes.

use scenthound_frontier::ForeignOffer;
use scenthound_types::{AgentId, CanonicalUrl, Keyring, Merge, Offer, Rank, Reason, Score, UrlKey};
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
