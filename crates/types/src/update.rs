//! The only way a strategy changes the frontier.

use serde::{Deserialize, Serialize};

use crate::{CanonicalUrl, Rank, UrlKey};

/// What to do with the rank of an offer whose URL is already in the frontier.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Merge {
    /// Keep the first rank.
    Keep,
    /// Take the new rank.
    Replace,
    /// Take the better rank.
    Max,
    /// Add the scores, including those of URLs that are leased or fetched.
    Add,
}

/// Which parents' children a raise reaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Parents {
    /// The page that discovered the URL.
    First,
    /// Every fetched page that links to it.
    All,
}

/// Why a URL is in the frontier, as one word, for "why?".
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// The user named it.
    Seed,
    /// A fetched page links to it.
    Link,
    /// Another URL redirects to it.
    Redirect,
    /// A sitemap lists it.
    Sitemap,
    /// A robots.txt names it as a sitemap.
    SitemapLine,
    /// A page needs it to be shown.
    Requisite,
}

/// A URL a strategy wants in the frontier.
#[derive(Clone, PartialEq, Debug)]
pub struct Offer {
    /// What to fetch.
    pub url: CanonicalUrl,
    /// Its key.
    pub key: UrlKey,
    /// How good it is.
    pub rank: Rank,
    /// What to do if it is already known.
    pub merge: Merge,
}

/// One change to the frontier, as plain data. An offer takes its parent, depth and reason from the report it answers.
#[derive(Clone, PartialEq, Debug)]
pub enum Update {
    /// Asks for a URL to be fetched.
    Offer(Offer),
    /// Gives a waiting URL another class and score. Its tie stays.
    Raise {
        /// The waiting URL.
        of: UrlKey,
        /// The rank it gets.
        rank: Rank,
        /// How to combine it with its current rank.
        merge: Merge,
    },
    /// Raises every waiting URL that shares a parent with `of`. Their ties stay.
    RaiseSiblings {
        /// The visited URL.
        of: UrlKey,
        /// Which of its parents count.
        parents: Parents,
        /// The rank the siblings get.
        rank: Rank,
        /// How to combine it with their current rank.
        merge: Merge,
    },
    /// Sets the tie of the waiting children of `of`'s first parent to the number of that parent's children visited.
    RetieSiblings {
        /// The visited URL.
        of: UrlKey,
    },
    /// Keeps a note about a URL for as long as it waits, instead of what was known about it.
    Note {
        /// The waiting URL.
        of: UrlKey,
        /// What the strategy wants to read again when it scores the URL; see [`crate::Evidence::note`].
        note: Box<[u8]>,
    },
    /// Puts the fetched URL with the largest score back in line, to be fetched again.
    RevisitRichest,
}

/// The answer to one report.
pub type Updates = Vec<Update>;
