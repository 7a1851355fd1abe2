//! Follows every scent there is: scores each waiting link by everything known about it, learns from every visit, and
//! always looks around a little.
//!
//! ```text
//! score = w · x
//! x = how relevant the pages are that link here; the judge's scores of the words at the links and of the URL; what a model
//!     of such words says; and how many pages of the same host, directory, template, page and list were relevant
//! ```
//!
//! After each visit the model of words, the counts and the weights w are adjusted. Waiting links are scored again little by
//! little. One visit in five goes to the link that has waited longest: without it a crawl that finds nothing at first
//! learns only what to avoid, and on sites whose relevant pages are not linked from relevant pages most of them are never
//! found.
//!
//! Invariant: the state is bounded, and is a function of the visits in their order. What belongs to a single URL is in its
//! note, which the frontier keeps.

mod address;
mod note;
mod text;
mod yields;

use std::collections::BTreeSet;

use scenthound_types::{
    Failure, LeaseKind, Merge, Offer, Outcome, PageReport, Rank, ReportedLink, Score, Standing, Update, Updates,
    UrlKey, WaitingLink,
};

use crate::{Needs, Pick, Strategy};
use note::{Note, Parent, Sighting};
use text::TextModel;
use yields::Yields;

/// The class of links; seeds come first.
const LINKS: u16 = 1;
/// Names of what a score is made of, in the order of the weights.
const NAMES: [&str; PARTS] = [
    "bias", "best-parent", "mean-parent", "sum-parents", "context", "anchor", "url", "words", "directory", "list",
    "page", "template", "parents", "host", "best-list", "best-page", "same-host", "depth", "dry-host", "dry-template",
];
const PARTS: usize = 20;
const PRIOR: [f64; PARTS] = [
    -3.0, 1.0, 1.0, 0.7, 0.5, 0.6, 0.8, 1.0, 0.3, 0.3, 0.3, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
];
const RATE: f64 = 0.6;
const FIRST_SQUARES: f64 = 20.0;
const PULL: f64 = 0.002;
const GOOD_WEIGHT: f64 = 2.0;

type Parts = [f64; PARTS];

/// The settings of the strategy.
#[derive(Clone, PartialEq, Debug)]
pub struct ScentSettings {
    /// The share of visits that go to the link that has waited longest.
    pub explore: f64,
}

impl Default for ScentSettings {
    fn default() -> ScentSettings {
        ScentSettings { explore: 0.2 }
    }
}

/// Mean and spread of a number.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Spread {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Spread {
    fn add(&mut self, number: f64) {
        self.count += 1.0;
        let off = number - self.mean;
        self.mean += off / self.count;
        self.squares += off * (number - self.mean);
    }

    /// How far a number is from the mean, in standard deviations.
    fn standardised(&self, number: f64) -> f64 {
        let variance = (self.squares + 1.0) / (self.count + 1.0);
        ((number - self.mean) / variance.sqrt()).clamp(-4.0, 6.0)
    }
}

/// The strategy.
#[derive(Clone, Debug)]
pub struct Scent {
    settings: ScentSettings,
    tune: Tune,
    weights: Parts,
    squares: Parts,
    spreads: [Spread; 3],
    text: TextModel,
    yields: Yields,
    visits: u64,
    /// How many visits may go to the oldest link now.
    credit: f64,
    /// Leased as the oldest, and not settled yet.
    exploring: BTreeSet<UrlKey>,
    epoch: u64,
    next_epoch: u64,
}

#[derive(Clone, Debug, Default)]
struct Tune(std::collections::BTreeMap<String, f64>);
impl Tune {
    fn new() -> Tune {
        let text = std::env::var("SCENT").unwrap_or_default();
        Tune(text.split(',').filter_map(|p| { let (a, b) = p.split_once('=')?; Some((a.to_owned(), b.parse().ok()?)) }).collect())
    }
    fn get(&self, name: &str, default: f64) -> f64 { self.0.get(name).copied().unwrap_or(default) }
}

impl Scent {
    /// The strategy with these settings.
    pub fn new(mut settings: ScentSettings) -> Scent {
        let tune = Tune::new();
        settings.explore = tune.get("explore", settings.explore);
        let mut weights = PRIOR;
        for (w, name) in weights.iter_mut().zip(NAMES) { *w = tune.get(name, *w); }
        Scent {
            settings,
            weights,
            squares: [tune.get("g0", FIRST_SQUARES); PARTS],
            tune,
            spreads: [Spread::default(); 3],
            text: TextModel::default(),
            yields: Yields::default(),
            visits: 0,
            credit: 0.0,
            exploring: BTreeSet::new(),
            epoch: 0,
            next_epoch: 20,
        }
    }

    fn parts(&self, note: &Note) -> Parts {
        let around = self.yields.around(note);
        let mean = note.sum / f64::from(note.count.max(1));
        let z = |at: usize| match self.spreads.get(at) {
            Some(spread) => spread.standardised(note.score(at)),
            None => 0.0,
        };
        [
            1.0,
            note.best,
            mean,
            note.sum.ln_1p(),
            z(1),
            z(0),
            z(2),
            f64::from(self.text.score(&note.words)).clamp(-8.0, 8.0),
            around.directory,
            around.list,
            around.page,
            around.template,
            f64::from(note.count).ln_1p(),
            around.host,
            around.best_list,
            around.best_page,
            f64::from(u8::from(note.same_host)),
            f64::from(note.depth).ln_1p(),
            around.dry_host,
            around.dry_template,
        ]
    }

    fn score(&self, note: &Note) -> f64 {
        dot(&self.weights, &self.parts(note))
    }

    fn rank(&self, note: &Note) -> Rank {
        Rank {
            class: LINKS,
            score: Score::new(self.score(note)),
            tie: 0,
        }
    }

    /// Adjusts the weights to what a visit brought.
    fn reweigh(&mut self, parts: &Parts, relevance: f64) {
        let p = 1.0 / (1.0 + (-dot(&self.weights, parts)).exp());
        let error = (p - relevance) * (1.0 + (self.tune.get("good", GOOD_WEIGHT) - 1.0) * relevance);
        let rate = self.tune.get("rate", RATE);
        let pull = self.tune.get("pull", PULL);
        for at in 0..PARTS {
            let slope = error * parts[at] + pull * (self.weights[at] - PRIOR[at]);
            self.squares[at] += slope * slope;
            self.weights[at] -= rate * slope / self.squares[at].sqrt();
        }
    }

    fn learn(&mut self, note: &Note, relevance: f64, is_seed: bool) {
        self.visits += 1;
        if !is_seed {
            let parts = self.parts(note);
            self.reweigh(&parts, relevance);
        }
        self.yields.visit(note, relevance);
        if !is_seed {
            self.text.learn(note, relevance as f32);
        }
        if self.visits >= self.next_epoch {
            self.epoch += 1;
            self.next_epoch = self.visits + 20.max(self.visits / 20);
        }
    }

    fn offer(&self, link: &ReportedLink, note: &Note, merge: Merge, out: &mut Updates) {
        out.push(Update::Offer(Offer {
            url: link.url.clone(),
            key: link.key,
            rank: self.rank(note),
            merge,
        }));
        out.push(Update::Note {
            of: link.key,
            note: note.to_bytes(),
        });
    }
}

fn dot(a: &Parts, b: &Parts) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A short key of a page, and of a list on it.
fn parent_of(page: UrlKey, path: u32, relevance: f64) -> Parent {
    let page = (page.0 >> 32) as u32;
    Parent {
        page,
        list: (page ^ path.wrapping_mul(0x9e37_79b1)).wrapping_mul(0x85eb_ca6b) ^ 0x5ce7,
        relevance: (relevance * 255.0).round().clamp(0.0, 255.0) as u8,
    }
}

impl Strategy for Scent {
    fn name(&self) -> &'static str {
        "scent"
    }

    fn needs(&self) -> Needs {
        Needs {
            snippets: true,
            notes: true,
            picks: true,
            pages_per_epoch: 20,
            rescored_per_page: self.tune.get("rescored", 1000.0) as usize,
            ..Needs::default()
        }
    }

    fn seed(&self, _key: UrlKey, _seeds: usize) -> Rank {
        Rank::of_score(1.0)
    }

    fn pick(&self) -> Pick {
        if self.credit >= 1.0 { Pick::Oldest } else { Pick::Best }
    }

    fn leased(&mut self, key: UrlKey, pick: Pick) {
        if pick == Pick::Oldest {
            self.credit -= 1.0;
            self.exploring.insert(key);
        }
    }

    fn observe(&mut self, report: &PageReport<'_>, out: &mut Updates) {
        let lease = report.lease;
        let was_exploring = self.exploring.remove(&lease.key);
        if report.will_retry {
            self.credit += f64::from(u8::from(was_exploring));
            return;
        }
        let relevance = report.judgement.map_or(0.0, |judgement| judgement.relevance);
        let is_visit = match report.outcome {
            Outcome::Failed(Failure::NotRecorded) | Outcome::Refused(_) | Outcome::Redirect { .. } => false,
            _ => lease.kind == LeaseKind::Page && !lease.revisit,
        };
        if is_visit {
            self.credit += self.settings.explore;
            let known = report.note.and_then(Note::from_bytes);
            let is_seed = lease.seed || known.is_none();
            let note = known.unwrap_or_else(|| Note {
                places: address::places(&lease.url),
                ..Note::default()
            });
            self.learn(&note, relevance, is_seed);
        } else if was_exploring {
            self.credit += 1.0;
        }
        for link in report.links {
            if let Standing::Fetched { relevance: known } = link.standing {
                let parent = parent_of(lease.key, link.path, relevance);
                self.yields.link(&parent, known.into());
            }
            if let Some(scores) = link.snippets {
                for (spread, score) in self.spreads.iter_mut().zip([scores.anchor, scores.around, scores.url]) {
                    spread.add(note::log_odds(score.into()));
                }
            }
        }
        for link in report.links {
            if !matches!(link.standing, Standing::New | Standing::Waiting) {
                continue;
            }
            let known = link.note.as_deref().and_then(Note::from_bytes);
            // A seed that is linked to stays a seed.
            let is_seed = link.standing == Standing::Waiting && known.is_none();
            let mut note = known.unwrap_or_else(|| Note {
                depth: u8::try_from(lease.depth.saturating_add(1)).unwrap_or(u8::MAX),
                same_host: lease.url.origin() == link.url.origin(),
                places: address::places(&link.url),
                ..Note::default()
            });
            note.add(&Sighting {
                parent: parent_of(lease.key, link.path, relevance),
                relevance,
                scores: link.snippets,
                tokens: link.tokens.as_deref(),
            });
            let merge = if is_seed { Merge::Max } else { Merge::Replace };
            self.offer(link, &note, merge, out);
        }
    }

    fn epoch(&self) -> u64 {
        self.epoch
    }

    fn rescore(&mut self, waiting: &WaitingLink<'_>) -> Option<Rank> {
        if waiting.rank.class != LINKS {
            return None;
        }
        Note::from_bytes(&waiting.evidence.note).map(|note| self.rank(&note))
    }

    fn learnt(&self) -> Vec<(String, f64)> {
        NAMES
            .iter()
            .zip(self.weights)
            .map(|(name, weight)| ((*name).to_owned(), weight))
            .collect()
    }
}
