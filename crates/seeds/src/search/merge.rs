//! Merges several lists into one, by reciprocal rank.
//!
//! A page gets 1 / (60 + its rank) from every list that names it, with ranks counted from 1. So a page named by two
//! engines comes before the favourite of just one. Ties are broken by the better rank, then by the order of the
//! lists.

use std::collections::HashMap;

use scenthound_types::CanonicalUrl;

use super::{Category, Hit};

/// Keeps the first few ranks from deciding everything.
const K: f64 = 60.0;

/// One engine's answer to one question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RankedList {
    /// The engine, by the user's name for it.
    pub engine: String,
    /// The kind of page asked for.
    pub category: Category,
    /// The pages, best first.
    pub hits: Vec<Hit>,
}

/// A page's position in a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placing {
    /// The engine, by the user's name for it.
    pub engine: String,
    /// The kind of page asked for.
    pub category: Category,
    /// Counted from 1.
    pub rank: usize,
}

/// A page of the merged list.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// Its URL.
    pub url: CanonicalUrl,
    /// Its title, from the first list that names it.
    pub title: Option<String>,
    /// The sum of its reciprocal ranks.
    pub score: f64,
    /// Its position in each list.
    pub by: Vec<Placing>,
}

/// Merges several lists into one that names each page once, cut to a length.
pub fn merge(lists: &[RankedList], most: usize) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let mut places: HashMap<&CanonicalUrl, usize> = HashMap::new();
    let longest = lists.iter().map(|list| list.hits.len()).max().unwrap_or(0);
    // Rank by rank over all lists: equal sums are then already in the right order, and are always summed in the same
    // order.
    for at in 0..longest {
        for list in lists {
            let Some(hit) = list.hits.get(at) else { continue };
            let placing = Placing {
                engine: list.engine.clone(),
                category: list.category,
                rank: at + 1,
            };
            let score = 1.0 / (K + (at + 1) as f64);
            let place = *places.entry(&hit.url).or_insert(found.len());
            match found.get_mut(place) {
                Some(known) => {
                    // A list that names a page twice counts once.
                    let is_again = known
                        .by
                        .iter()
                        .any(|by| by.engine == list.engine && by.category == list.category);
                    if !is_again {
                        known.score += score;
                        known.by.push(placing);
                        known.title = known.title.take().or_else(|| hit.title.clone());
                    }
                }
                None => found.push(Found {
                    url: hit.url.clone(),
                    title: hit.title.clone(),
                    score,
                    by: vec![placing],
                }),
            }
        }
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    found.truncate(most);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(engine: &str, pages: &[&str]) -> RankedList {
        let hit = |page: &&str| Hit {
            url: CanonicalUrl::parse(&format!("http://{page}.test/")).unwrap(),
            title: Some(format!("{page} by {engine}")),
        };
        RankedList {
            engine: engine.to_owned(),
            category: Category::Web,
            hits: pages.iter().map(hit).collect(),
        }
    }

    fn order(found: &[Found]) -> Vec<&str> {
        found
            .iter()
            .map(|found| found.url.host().trim_end_matches(".test"))
            .collect()
    }

    #[test]
    fn what_two_engines_name_comes_before_what_one_likes_best() {
        let found = merge(
            &[list("a", &["x", "both", "y"]), list("b", &["z", "w", "both"])],
            10,
        );
        assert_eq!(order(&found), ["both", "x", "z", "w", "y"]);
        let both = &found[0];
        assert_eq!(both.score, 1.0 / 62.0 + 1.0 / 63.0);
        assert_eq!(
            both.by
                .iter()
                .map(|by| (by.engine.as_str(), by.rank))
                .collect::<Vec<_>>(),
            [("a", 2), ("b", 3)]
        );
        assert_eq!(both.title.as_deref(), Some("both by a"));
    }

    #[test]
    fn one_list_stays_as_it_is_and_the_length_is_held() {
        assert_eq!(order(&merge(&[list("a", &["x", "y", "x", "z"])], 2)), ["x", "y"]);
        assert!(merge(&[], 5).is_empty());
    }
}
