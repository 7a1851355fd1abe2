//! Permission for exactly one request.

use serde::{Deserialize, Serialize};

use crate::{CanonicalUrl, Priority, UrlKey};

/// Tells one lease from another, also of the same URL.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LeaseId(pub u64);

/// One of the agents of a crawl, each with a strategy and a stack of its own. A crawl without agents has one, number 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct AgentId(pub u8);

impl AgentId {
    /// Agents a crawl may have.
    pub const MOST: u8 = 16;
}

/// What the request is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LeaseKind {
    /// A page of the crawl.
    #[default]
    Page,
    /// The host's robots.txt, asked for before anything else of the host.
    Robots,
    /// A sitemap the host named.
    Sitemap,
}

impl LeaseKind {
    /// The word for it in records and logs.
    pub fn name(self) -> &'static str {
        match self {
            LeaseKind::Page => "page",
            LeaseKind::Robots => "robots",
            LeaseKind::Sitemap => "sitemap",
        }
    }
}

/// Permission for exactly one request. It ends in one settle, or is handed back unused.
#[derive(Clone, PartialEq, Debug)]
pub struct Lease {
    /// This lease.
    pub id: LeaseId,
    /// Who asked for it.
    pub agent: AgentId,
    /// What the request is for.
    pub kind: LeaseKind,
    /// What to ask for.
    pub url: CanonicalUrl,
    /// Its key.
    pub key: UrlKey,
    /// The page that first led to it; none for seeds.
    pub parent: Option<UrlKey>,
    /// That page's URL, for the records.
    pub parent_url: Option<CanonicalUrl>,
    /// Links away from a seed.
    pub depth: u16,
    /// Whether the user named it (or it is where a named URL redirects to).
    pub seed: bool,
    /// The priority it was taken with.
    pub taken: Priority,
    /// 0 for the first try, 1 for the first repeat…
    pub attempt: u8,
    /// How many redirects led here.
    pub redirects: u8,
    /// Whether it was fetched before and is fetched again for what it holds now.
    pub revisit: bool,
}
