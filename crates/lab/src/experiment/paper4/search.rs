//! A small search engine for recorded and synthetic webs, which provides seeds for crawls that begin at search results.
//!
//! Reachable pages are ranked by BM25 over the words of the query, with at most two per host before any third. The same
//! web and query give the same results. Deliberately absent: an index; each page is read once for all tasks of a web.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::thread;

use scenthound_types::CanonicalUrl;
use scenthound_types::text::{Token, tokenize};

use crate::reach::reachable;
use crate::recorded::{PageId, TaskPages};
use crate::trial::Trial;
use crate::web::Web;

/// The maximum number of results from one host while there are others.
const MOST_OF_A_HOST: usize = 2;
/// The usual constants of BM25: how soon a word's count saturates, and how much a page's length matters.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.75;

/// The same trials, with the first results for each query as additional seeds.
pub fn seeded(trials: &[Trial], answers: usize) -> Vec<Trial> {
    let mut engines: Vec<(Arc<dyn Web>, Engine)> = Vec::new();
    trials
        .iter()
        .map(|trial| {
            let known = engines.iter().position(|(web, _)| Arc::ptr_eq(web, &trial.web));
            let at = known.unwrap_or_else(|| {
                let of_web = trials.iter().filter(|other| Arc::ptr_eq(&other.web, &trial.web));
                engines.push((trial.web.clone(), Engine::read(&of_web.collect::<Vec<_>>())));
                engines.len() - 1
            });
            let mut seeds = trial.pages.seeds.clone();
            if let Some((web, engine)) = engines.get(at) {
                for url in engine.answer(web.as_ref(), &trial.task.query, answers) {
                    if !seeds.contains(&url) {
                        seeds.push(url);
                    }
                }
            }
            let pages = TaskPages {
                seeds,
                ..trial.pages.clone()
            };
            Trial::new(
                trial.web_name.clone(),
                trial.web.clone(),
                trial.task.clone(),
                pages,
            )
        })
        .collect()
}

/// How many reachable pages contain every word of the query, as the judge `query` asks.
pub fn pages_with_query(trial: &Trial) -> usize {
    let words: BTreeSet<Token> = tokenize(&trial.task.query).into_iter().collect();
    let engine = Engine::read(&[trial]);
    let has_all = |entry: &&Entry| words.iter().all(|word| entry.counts.contains_key(word));
    engine.entries.iter().filter(has_all).count()
}

/// How often a page contains the words of the queries.
struct Entry {
    page: PageId,
    length: f64,
    counts: BTreeMap<Token, u32>,
}

/// The pages of a web that contain any of the words.
struct Engine {
    entries: Vec<Entry>,
    pages: f64,
    mean_length: f64,
}

impl Engine {
    /// Reads every page that can be reached from the seeds of any trial.
    fn read(trials: &[&Trial]) -> Engine {
        let Some(web) = trials.first().map(|trial| trial.web.as_ref()) else {
            return Engine {
                entries: Vec::new(),
                pages: 0.0,
                mean_length: 1.0,
            };
        };
        let words: BTreeSet<Token> = trials
            .iter()
            .flat_map(|trial| tokenize(&trial.task.query))
            .collect();
        let seeds: Vec<CanonicalUrl> = trials
            .iter()
            .flat_map(|trial| trial.pages.seeds.clone())
            .collect();
        let mut pages = reachable(web, &seeds);
        pages.sort_unstable();
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let read = |pages: &[PageId]| -> Vec<Entry> {
            pages
                .iter()
                .filter_map(|page| {
                    let parsed = web.page(*page)?;
                    let mut counts = BTreeMap::new();
                    for token in parsed.text.tokens() {
                        if words.contains(token) {
                            *counts.entry(*token).or_default() += 1;
                        }
                    }
                    Some(Entry {
                        page: *page,
                        length: parsed.text.tokens().len() as f64,
                        counts,
                    })
                })
                .collect()
        };
        let mut entries: Vec<Entry> = thread::scope(|scope| {
            let parts: Vec<_> = pages
                .chunks(pages.len().div_ceil(threads).max(1))
                .map(|part| scope.spawn(|| read(part)))
                .collect();
            parts
                .into_iter()
                .flat_map(|part| part.join().unwrap_or_default())
                .collect()
        });
        let lengths: f64 = entries.iter().map(|entry| entry.length).sum();
        let pages = entries.len() as f64;
        entries.retain(|entry| !entry.counts.is_empty());
        Engine {
            entries,
            pages,
            mean_length: (lengths / pages.max(1.0)).max(1.0),
        }
    }

    /// The first results for a query.
    fn answer(&self, web: &dyn Web, query: &str, wanted: usize) -> Vec<CanonicalUrl> {
        let words: BTreeSet<Token> = tokenize(query).into_iter().collect();
        let rarity: BTreeMap<Token, f64> = words
            .into_iter()
            .map(|word| {
                let holding = self
                    .entries
                    .iter()
                    .filter(|entry| entry.counts.contains_key(&word));
                let holding = holding.count() as f64;
                (word, (1.0 + (self.pages - holding + 0.5) / (holding + 0.5)).ln())
            })
            .collect();
        let mut ranked: Vec<(f64, PageId)> = self
            .entries
            .iter()
            .map(|entry| (self.score(entry, &rarity), entry.page))
            .filter(|(score, _)| *score > 0.0)
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        // The third and later results of a host come after those of all other hosts.
        let mut by_host: BTreeMap<String, usize> = BTreeMap::new();
        let (mut first, mut later) = (Vec::new(), Vec::new());
        for (_, page) in ranked {
            if first.len() >= wanted {
                break;
            }
            let Ok(url) = CanonicalUrl::parse(&web.spelled(page)) else {
                continue;
            };
            let of_host = by_host.entry(url.host().to_owned()).or_default();
            *of_host += 1;
            if *of_host <= MOST_OF_A_HOST {
                first.push(url);
            } else if later.len() < wanted {
                later.push(url);
            }
        }
        first.extend(later);
        first.truncate(wanted);
        first
    }

    fn score(&self, entry: &Entry, rarity: &BTreeMap<Token, f64>) -> f64 {
        let norm = 1.0 - LENGTH + LENGTH * entry.length / self.mean_length;
        let parts = rarity.iter().filter_map(|(word, rarity)| {
            let count = f64::from(*entry.counts.get(word)?);
            Some(rarity * count * (SATURATION + 1.0) / (count + SATURATION * norm))
        });
        parts.sum()
    }
}
