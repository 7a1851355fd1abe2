//! Permission for exactly one request.

use serde::{Deserialize, Serialize};

use crate::{CanonicalUrl, Priority, UrlKey};

/// Distinguishes leases, including several leases of the same URL.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LeaseId(pub u64);

/// One of the agents of a crawl, each with its own strategy and stack. A crawl without agents has a single one,
/// number 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct AgentId(pub u8);

impl AgentId {
    /// The most agents a crawl may have.
    pub const MOST: u8 = 16;
}

/// What the request is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LeaseKind {
    /// A page of the crawl.
    #[default]
    Page,
    /// The host's robots.txt, requested before anything else from the host.
    Robots,
    /// A sitemap that the host named.
    Sitemap,
    /// An image, a style sheet or a script that a page needs to be shown. It is archived and not judged.
    Requisite,
}

impl LeaseKind {
    /// Its name in records and logs.
    pub fn name(self) -> &'static str {
        match self {
            LeaseKind::Page => "page",
            LeaseKind::Robots => "robots",
            LeaseKind::Sitemap => "sitemap",
            LeaseKind::Requisite => "requisite",
        }
    }
}

/// Permission for exactly one request. It ends in exactly one settle, or is handed back unused.
#[derive(Clone, PartialEq, Debug)]
pub struct Lease {
    /// This lease.
    pub id: LeaseId,
    /// The agent it belongs to.
    pub agent: AgentId,
    /// What the request is for.
    pub kind: LeaseKind,
    /// The URL it is for.
    pub url: CanonicalUrl,
    /// Its key.
    pub key: UrlKey,
    /// The page that first led to it; none for a seed.
    pub parent: Option<UrlKey>,
    /// That page's URL, for the records.
    pub parent_url: Option<CanonicalUrl>,
    /// Number of links from a seed.
    pub depth: u16,
    /// Number of links from the page where the crawl entered this host; 0 for that page.
    pub site_depth: u16,
    /// Whether the user named it, or a URL the user named redirects to it.
    pub seed: bool,
    /// The priority it was taken with.
    pub taken: Priority,
    /// 0 for the first attempt, 1 for the first retry, and so on.
    pub attempt: u8,
    /// How many redirects led here.
    pub redirects: u8,
    /// Whether it was fetched before and is now fetched again for its current content.
    pub revisit: bool,
    /// Where the request goes instead, for a robots.txt that redirects.
    pub location: Option<CanonicalUrl>,
}

impl Lease {
    /// The URL to request.
    pub fn target(&self) -> &CanonicalUrl {
        self.location.as_ref().unwrap_or(&self.url)
    }
}
