//! Searches an earlier crawl like an engine: its best pages for the words of a query.
//!
//! For every word of the query a page gets 3 points if the word is in its title, 2 if it is in the terms it was
//! judged by, and 1 if it is in its URL. Pages without points are left out. Ties are broken by relevance, then by
//! order in the crawl.
//!
//! Memory only holds the best few pages at any time, however long the crawl. Deliberately absent: the text of the
//! pages.

use std::collections::BTreeSet;

use scenthound_types::CanonicalUrl;
use scenthound_types::text::{Token, tokenize, url_words};

use super::Hit;

/// A page of an earlier crawl.
#[derive(Clone, Copy, Debug)]
pub struct CollectionPage<'a> {
    /// Its URL.
    pub url: &'a str,
    /// Its title.
    pub title: Option<&'a str>,
    /// The terms of the topic that it contains.
    pub terms: &'a [&'a str],
    /// Its relevance, as judged.
    pub relevance: f64,
}

/// The best pages of an earlier crawl so far.
#[derive(Clone, Debug)]
pub struct CollectionRanking {
    words: BTreeSet<u64>,
    most: usize,
    best: Vec<Ranked>,
    seen: u64,
}

#[derive(Clone, Debug)]
struct Ranked {
    words: usize,
    relevance: f64,
    order: u64,
    hit: Hit,
}

impl CollectionRanking {
    /// A ranking of this length by the words of a query.
    pub fn new(query: &str, most: usize) -> CollectionRanking {
        CollectionRanking {
            words: hashes(&tokenize(query)),
            most,
            best: Vec::new(),
            seen: 0,
        }
    }

    /// Considers a page.
    pub fn offer(&mut self, page: CollectionPage<'_>) {
        self.seen += 1;
        let places = [
            (3, hashes(&tokenize(page.title.unwrap_or_default()))),
            (
                2,
                page.terms
                    .iter()
                    .flat_map(|term| hashes(&tokenize(term)))
                    .collect(),
            ),
            (1, hashes(&url_words(page.url))),
        ];
        let points = |word: &u64| {
            let place = places.iter().find(|(_, words)| words.contains(word));
            place.map_or(0, |(points, _)| *points)
        };
        let words: usize = self.words.iter().map(points).sum();
        let Ok(url) = CanonicalUrl::parse(page.url) else {
            return;
        };
        if words == 0 {
            return;
        }
        self.best.push(Ranked {
            words,
            relevance: page.relevance,
            order: self.seen,
            hit: Hit {
                url,
                title: page.title.filter(|title| !title.is_empty()).map(str::to_owned),
            },
        });
        if self.best.len() >= 2 * self.most + 64 {
            self.keep_best();
        }
    }

    /// The best pages, best first.
    pub fn into_hits(mut self) -> Vec<Hit> {
        self.keep_best();
        self.best.into_iter().map(|ranked| ranked.hit).collect()
    }

    fn keep_best(&mut self) {
        self.best.sort_by(|a, b| {
            b.words
                .cmp(&a.words)
                .then(b.relevance.total_cmp(&a.relevance))
                .then(a.order.cmp(&b.order))
        });
        let mut known = BTreeSet::new();
        self.best.retain(|ranked| known.insert(ranked.hit.url.clone()));
        self.best.truncate(self.most);
    }
}

fn hashes(tokens: &[Token]) -> BTreeSet<u64> {
    tokens
        .iter()
        .filter(|token| token.is_word())
        .map(|token| token.hash())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page<'a>(url: &'a str, title: &'a str, terms: &'a [&'a str], relevance: f64) -> CollectionPage<'a> {
        CollectionPage {
            url,
            title: Some(title),
            terms,
            relevance,
        }
    }

    #[test]
    fn titles_count_before_terms_before_urls_and_relevance_breaks_ties() {
        let mut ranking = CollectionRanking::new("Green Tea", 5);
        ranking.offer(page("http://a.test/green-tea", "Shop", &[], 0.9));
        ranking.offer(page("http://b.test/", "About", &["green", "tea"], 0.9));
        ranking.offer(page("http://c.test/", "Green tea, low", &[], 0.1));
        ranking.offer(page("http://d.test/", "GREEN TEA, high", &[], 0.8));
        ranking.offer(page("http://e.test/", "Cars", &["car"], 1.0));
        ranking.offer(page("http://d.test/", "Green tea again", &[], 0.7));
        let hosts: Vec<_> = ranking
            .into_hits()
            .iter()
            .map(|hit| hit.url.host().to_owned())
            .collect();
        assert_eq!(hosts, ["d.test", "c.test", "b.test", "a.test"]);
    }

    #[test]
    fn a_long_crawl_takes_no_more_memory_than_its_best_pages() {
        let mut ranking = CollectionRanking::new("tea", 10);
        for number in 0..5_000 {
            let url = format!("http://h.test/{number}");
            ranking.offer(page(&url, "tea", &[], f64::from(number) / 5_000.0));
            assert!(ranking.best.len() < 84);
        }
        let hits = ranking.into_hits();
        assert_eq!(hits.len(), 10);
        assert_eq!(hits[0].url.as_str(), "http://h.test/4999");
    }
}
