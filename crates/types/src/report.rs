//! What a strategy is told when a lease has ended.

use crate::{CanonicalUrl, Evidence, Judgement, Lease, Outcome, PageWords, UrlKey};

/// What the frontier knows of a link's target.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Standing {
    /// Never seen, or seen and forgotten.
    New,
    /// In the frontier.
    Waiting,
    /// Being fetched.
    Leased,
    /// Fetched and judged.
    Fetched {
        /// As judged.
        relevance: f32,
    },
    /// Will not be fetched (again): failed, refused or redirected.
    Gone,
}

/// How relevant the words at a link are, for strategies that need it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SnippetScores {
    /// The anchor and its title attribute.
    pub anchor: f32,
    /// The 20 words around.
    pub around: f32,
    /// The words of the URL.
    pub url: f32,
}

/// Where a link stands among those of a context graph, told by its own words, for strategies that need it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct LinkPlace {
    /// Whether its words are those of the query.
    pub is_hot: bool,
    /// The layer to which links with such words lead; the last one means none of them.
    pub layer: u8,
    /// How similar its words are to those of the links there, from 0 to 1.
    pub similarity: f32,
}

/// One link of the page that may be followed.
#[derive(Clone, PartialEq, Debug)]
pub struct ReportedLink {
    /// Where it leads.
    pub url: CanonicalUrl,
    /// The target's key.
    pub key: UrlKey,
    /// What the frontier knows of the target.
    pub standing: Standing,
    /// Only for strategies that asked for it.
    pub snippets: Option<SnippetScores>,
    /// Only for strategies that asked for it, where a context graph was learnt.
    pub place: Option<LinkPlace>,
    /// Only for strategies that asked for it: all that is known of the target, this link included.
    pub evidence: Option<Box<Evidence>>,
}

/// Everything a strategy is told about the end of one lease.
#[derive(Clone, Copy, Debug)]
pub struct PageReport<'a> {
    /// What was asked for, with the priority it was taken with.
    pub lease: &'a Lease,
    /// What came of it.
    pub outcome: &'a Outcome,
    /// What the judge thinks; none when there was nothing to judge.
    pub judgement: Option<&'a Judgement>,
    /// The page's words, only for strategies that asked for them.
    pub words: Option<&'a PageWords>,
    /// The links that may be followed, one per target, in document order. No self-links.
    pub links: &'a [ReportedLink],
    /// Whether the URL will be tried again: it keeps what it holds.
    pub will_retry: bool,
}
