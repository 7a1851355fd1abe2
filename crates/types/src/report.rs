//! What a strategy is told when a lease ends.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{CanonicalUrl, Evidence, Judgement, Lease, LinkTokens, Outcome, PageWords, UrlKey};

/// What the frontier knows about a link's target.
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
        /// Its relevance, as judged.
        relevance: f32,
    },
    /// Will not be fetched (again), because it failed, was refused or redirects.
    Gone,
}

/// How relevant the words at a link are, for strategies that need to know.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SnippetScores {
    /// The anchor and its title attribute.
    pub anchor: f32,
    /// The 20 words around it.
    pub around: f32,
    /// The words of the URL.
    pub url: f32,
}

/// Where a link belongs in a context graph, judged by its own words, for strategies that need to know.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct LinkPlace {
    /// Whether its words match the query.
    pub is_hot: bool,
    /// The layer that links with such words lead to; the last layer stands for "none of them".
    pub layer: u8,
    /// How similar its words are to those of links to that layer, from 0 to 1.
    pub similarity: f32,
}

/// One link of the page that may be followed.
#[derive(Clone, PartialEq, Debug)]
pub struct ReportedLink {
    /// The URL it points to.
    pub url: CanonicalUrl,
    /// The target's key.
    pub key: UrlKey,
    /// What the frontier knows about the target.
    pub standing: Standing,
    /// The elements the link stands in, as a hash; 0 where unknown. See [`crate::Link::path`].
    pub path: u32,
    /// Only for strategies that ask for it.
    pub snippets: Option<SnippetScores>,
    /// Only for strategies that ask for it, and only where a context graph was learnt.
    pub place: Option<LinkPlace>,
    /// Only for strategies that ask for it: everything known about the target, including this link.
    pub evidence: Option<Box<Evidence>>,
    /// Only for strategies that ask for notes: the words at this link.
    pub tokens: Option<Arc<LinkTokens>>,
    /// Only for strategies that ask for notes: what the strategy noted about the target, if it is waiting.
    pub note: Option<Box<[u8]>>,
}

/// A part of a link's score, to explain it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ScorePart {
    /// What it is called.
    pub name: Cow<'static, str>,
    /// Its value for this link.
    pub value: f64,
    /// What the value is multiplied by.
    pub weight: f64,
    /// How many visits the value is based on, if it is a yield.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub visits: Option<f64>,
}

/// Everything a strategy is told about the end of one lease.
#[derive(Clone, Copy, Debug)]
pub struct PageReport<'a> {
    /// The request, with the priority it was leased at.
    pub lease: &'a Lease,
    /// The outcome of the request.
    pub outcome: &'a Outcome,
    /// The judgement; none when there was nothing to judge.
    pub judgement: Option<&'a Judgement>,
    /// The page's words, only for strategies that ask for them.
    pub words: Option<&'a PageWords>,
    /// What was known about the page before it was fetched, only for strategies that ask for evidence: the words at the
    /// links to it, and the pages those links are on. None for a page that nothing linked to.
    pub evidence: Option<&'a Evidence>,
    /// What the strategy noted about this URL while it waited, only for strategies that ask for notes.
    pub note: Option<&'a [u8]>,
    /// The links that may be followed, one per target, in document order. No self-links.
    pub links: &'a [ReportedLink],
    /// Whether the URL will be tried again. It then keeps what it has gathered.
    pub will_retry: bool,
}
