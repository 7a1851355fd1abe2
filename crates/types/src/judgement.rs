//! What a judge thinks of a page.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Relevant or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The page belongs to the collection.
    Relevant,
    /// It does not.
    Irrelevant,
}

/// Which of the topic's lists a term stands in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TermSet {
    /// What kind of page is wanted.
    Genre,
    /// What it is about.
    Content,
    /// Words of the URL.
    Url,
    /// Words of the wrong sense: a page with them is ignored.
    Exclude,
    /// Words of a table that was learnt from pages.
    Table,
    /// Words of the query.
    Query,
}

/// A term of the topic that the page holds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TermHit {
    /// The list the term stands in.
    pub set: TermSet,
    /// The term as the topic spells it.
    pub term: Arc<str>,
    /// How often it occurs.
    pub count: u32,
    /// Its part of the similarity to its list; the parts of a list add up to that similarity.
    pub share: f64,
}

/// The kind of page, and how sure the detector is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GenreGuess {
    /// The class.
    pub class: Arc<str>,
    /// From 0 to 1.
    pub confidence: f64,
}

/// How near a page is taken to stand to the targets of a context graph.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Nearness {
    /// The predicted distance; one more than the farthest layer where none is likely enough.
    pub layer: u8,
    /// How likely the page is a target itself.
    pub posterior: f64,
    /// The mean cosine with the targets.
    pub similarity: f64,
}

impl Nearness {
    /// What is more likely a target than not is nearer than what is not; of two such, whichever is more similar to the targets;
    /// then whichever is likelier. Posteriors contrast the targets with the pages around them and crowd near 0 and 1, where
    /// finer differences say nothing of how much a page is like a target.
    pub fn total_cmp(&self, other: &Nearness) -> std::cmp::Ordering {
        let is_target = |near: &Nearness| near.posterior >= 0.5;
        is_target(self)
            .cmp(&is_target(other))
            .then(self.similarity.total_cmp(&other.similarity))
            .then(self.posterior.total_cmp(&other.posterior))
    }
}

/// What a relevance was made of, kept for "why?".
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Parts {
    /// Similarity to the genre terms, where the topic has any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub genre: Option<f64>,
    /// Similarity to the content terms, where the topic has any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub content: Option<f64>,
    /// Similarity to the URL terms, where the topic has any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub url: Option<f64>,
    /// Similarity to a table of weighted words, where one was learnt.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub table: Option<f64>,
    /// How well the words of the query match, where the judge works with a query.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub query: Option<f64>,
    /// What words learnt from examples or from pages found earlier say: a similarity, or log odds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub learnt: Option<f64>,
    /// How alike the page and the most similar seed are written: 1 in the same manner, 0 no more than any page.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub manner: Option<f64>,
    /// The share of the genre detector's votes for the kind of page that the query names, where it names one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kind: Option<f64>,
    /// How near it stands to the targets, where a context graph was learnt.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub nearness: Option<Nearness>,
    /// The terms found, the largest share first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub terms: Vec<TermHit>,
}

/// What a judge thinks of a page.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Judgement {
    /// From 0 to 1.
    pub relevance: f64,
    /// Whether the page belongs to the collection.
    pub verdict: Verdict,
    /// The kind of page, where a detector runs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub genre: Option<GenreGuess>,
    /// Predicted distance to a target, where a context graph was learnt.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub layer: Option<u8>,
    /// What the relevance was made of.
    pub parts: Parts,
}

impl Judgement {
    /// Whether the verdict is [`Verdict::Relevant`].
    pub fn is_relevant(&self) -> bool {
        self.verdict == Verdict::Relevant
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likely_targets_come_first_and_of_these_the_more_similar() {
        let near = |posterior, similarity| Nearness {
            layer: 0,
            posterior,
            similarity,
        };
        assert!(near(0.6, 0.5).total_cmp(&near(0.9999, 0.2)).is_gt());
        assert!(near(0.4, 0.9).total_cmp(&near(0.6, 0.1)).is_lt());
        assert!(near(0.7, 0.1).total_cmp(&near(0.6, 0.1)).is_gt());
    }
}
