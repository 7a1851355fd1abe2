//! What a driver brings back for a lease.

use std::net::IpAddr;
use std::time::Duration;

use scenthound_types::{
    CanonicalUrl, Evidence, Judgement, Language, Lease, LinkPlace, Outcome, PageDirectives, PageWords,
    SnippetScores, Timestamp, UrlKey,
};

use crate::access::Access;

/// A link of an examined page that may be followed.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundLink {
    /// Where it leads.
    pub url: CanonicalUrl,
    /// The target's key.
    pub key: UrlKey,
    /// Scores of the words around it, for strategies that need them.
    pub snippets: Option<SnippetScores>,
    /// Where it stands among the links of a context graph, for strategies that need it.
    pub place: Option<LinkPlace>,
    /// The words at it, for strategies that need them.
    pub evidence: Option<Box<Evidence>>,
}

/// Links of a page that are not followed, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Outside the crawl's scope.
    pub scope: u32,
    /// Marked nofollow, on the link or for the whole page.
    pub nofollow: u32,
    /// Too many links away from a seed.
    pub depth: u32,
    /// More links than are followed of one page.
    pub width: u32,
    /// On a page that speaks of something else by the same name.
    pub excluded: u32,
}

impl Skipped {
    /// All of them.
    pub fn total(&self) -> u32 {
        self.scope + self.nofollow + self.depth + self.width + self.excluded
    }
}

/// A page, parsed and judged: what is left of it when the bytes are gone.
#[derive(Clone, Debug, PartialEq)]
pub struct Examined {
    /// Its title.
    pub title: String,
    /// Its language, where it can be told.
    pub language: Option<Language>,
    /// What the judge thinks.
    pub judgement: Judgement,
    /// The links that may be followed, one per target, in document order.
    pub links: Vec<FoundLink>,
    /// The page's words, for strategies that need them.
    pub words: Option<Box<PageWords>>,
    /// The links that may not.
    pub skipped: Skipped,
    /// What the page asks of robots, by its markup and its headers.
    pub directives: PageDirectives,
    /// The address it says it should be known by.
    pub canonical: Option<CanonicalUrl>,
    /// For finding near-duplicates.
    pub fingerprint: u64,
    /// The encoding it was read in.
    pub encoding: &'static str,
    /// Set if its language is not wanted: it is not relevant and its links are not followed.
    pub foreign: bool,
    /// Set if it speaks of something else by the same name: it is not relevant and its links are not followed.
    pub excluded: bool,
}

impl Examined {
    /// Whether the page is of no use whatever its words are.
    pub fn is_set_aside(&self) -> bool {
        self.foreign || self.excluded
    }
}

/// What a sitemap lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SitemapFinds {
    /// Pages, in scope.
    pub pages: Vec<FoundLink>,
    /// Further sitemaps.
    pub sitemaps: Vec<CanonicalUrl>,
}

/// What was found in the body.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// No body, or none we read.
    Nothing,
    /// A page.
    Page(Box<Examined>),
    /// A host's rules, and until when they count.
    Rules(Access, Timestamp),
    /// A sitemap.
    Sitemap(SitemapFinds),
}

/// Facts about the response for the records.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResponseFacts {
    /// Whether anything was asked of anyone; not so for URLs refused by robots rules or by their address.
    pub asked: bool,
    /// When the host wants us back.
    pub retry_after: Option<Timestamp>,
    /// When the request began.
    pub started: Timestamp,
    /// How long it took.
    pub took: Duration,
    /// Bytes on the wire.
    pub bytes: u64,
    /// As the server names it.
    pub content_type: Option<String>,
    /// The address asked.
    pub ip: Option<IpAddr>,
}

/// What a driver brings back for a lease.
#[derive(Clone, Debug)]
pub struct LeaseResult<P> {
    /// The lease it ends.
    pub lease: Lease,
    /// What came of it.
    pub outcome: Outcome,
    /// What was found in the body.
    pub found: Found,
    /// For the records.
    pub facts: ResponseFacts,
    /// What the recorder keeps of it, made by the driver.
    pub payload: Option<P>,
}
