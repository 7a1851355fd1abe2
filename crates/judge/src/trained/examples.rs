//! The pages a judge learns from, as bags, and how they are split to score pages not trained on.

use std::collections::BTreeMap;

use scenthound_learn::{Bag, Folds, LearnFault, Rng};
use scenthound_types::ParsedPage;
use serde::Serialize;

use super::classifier::Fitted;
use super::features::{stop_keys, word_key};
use super::settings::{Choices, HoldOut};
use crate::JudgeFault;

/// Pages to learn from.
#[derive(Clone, Copy)]
pub struct TrainingPages<'a> {
    /// Relevant pages.
    pub positive: &'a [&'a ParsedPage],
    /// Others: irrelevant pages, or any pages if nobody has picked some.
    pub negative: &'a [&'a ParsedPage],
}

/// What the folds keep together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum Apart {
    /// A page.
    #[serde(rename = "page")]
    Pages,
    /// A site: the figures are those to expect on unseen sites.
    #[serde(rename = "site")]
    Sites,
}

/// Passages taken from each page, to learn how much a few words say.
const STRETCHES: usize = 8;

pub(super) struct Examples<'a> {
    pub(super) pages: Vec<&'a ParsedPage>,
    pub(super) bags: Vec<Bag>,
    pub(super) labels: Vec<bool>,
    /// Each page's site, numbered.
    sites: Vec<u32>,
    /// A few passages from each page.
    stretches: Vec<Vec<Bag>>,
}

impl<'a> Examples<'a> {
    pub(super) fn read(pages: &TrainingPages<'a>, choices: &Choices) -> Result<Examples<'a>, JudgeFault> {
        let (positive, negative) = (pages.positive.len(), pages.negative.len());
        if positive < 2 || negative < 2 {
            return Err(JudgeFault::TooFewExamples { positive, negative });
        }
        let all: Vec<&ParsedPage> = pages.positive.iter().chain(pages.negative).copied().collect();
        let stop = stop_keys(&all);
        let mut numbers = BTreeMap::new();
        let mut examples = Examples {
            bags: Vec::with_capacity(all.len()),
            labels: (0..all.len()).map(|at| at < positive).collect(),
            sites: Vec::with_capacity(all.len()),
            stretches: Vec::with_capacity(all.len()),
            pages: Vec::new(),
        };
        for (at, page) in all.iter().enumerate() {
            let mut occurrences = Vec::with_capacity(page.text.tokens().len());
            choices.reading.features(page, |key, count| {
                if stop.binary_search(&key).is_err() {
                    occurrences.push((key, count));
                }
            });
            examples.bags.push(Bag::new(occurrences));
            let next = numbers.len() as u32;
            examples
                .sites
                .push(*numbers.entry(page.url.host()).or_insert(next));
            examples
                .stretches
                .push(stretches(page, &stop, choices.seed ^ at as u64));
        }
        examples.pages = all;
        Ok(examples)
    }

    /// Folds; of whole sites if that is wanted and the examples come from enough sites.
    pub(super) fn folds(
        &self,
        most: usize,
        hold_out: HoldOut,
        seed: u64,
    ) -> Result<(Folds, Apart), LearnFault> {
        let classes: Vec<u32> = self.labels.iter().map(|label| u32::from(*label)).collect();
        let sites_of = |wanted: bool| {
            let mut sites: Vec<u32> = self
                .sites
                .iter()
                .zip(&self.labels)
                .filter(|(_, label)| **label == wanted)
                .map(|(site, _)| *site)
                .collect();
            sites.sort_unstable();
            sites.dedup();
            sites.len()
        };
        let by_site = most.min(sites_of(true)).min(sites_of(false));
        if by_site >= 3 && hold_out == HoldOut::Sites {
            let folds = Folds::grouped(&classes, &self.sites, by_site, seed)?;
            // One site may hold nearly all pages of a class; the rest may then lack that class.
            let leaves_both = (0..folds.count()).all(|fold| {
                [true, false].iter().all(|wanted| {
                    self.labels
                        .iter()
                        .zip(folds.fold_of())
                        .any(|(label, of)| label == wanted && *of != fold)
                })
            });
            if leaves_both {
                return Ok((folds, Apart::Sites));
            }
        }
        let positive = self.labels.iter().filter(|label| **label).count();
        let least = positive.min(self.labels.len() - positive);
        let folds = Folds::stratified(&classes, most.min(least).max(2), seed)?;
        Ok((folds, Apart::Pages))
    }

    /// Trains on all folds but one and scores that one's pages and passages from them.
    pub(super) fn held_out(&self, folds: &Folds, choices: &Choices) -> Result<Vec<HeldOut>, LearnFault> {
        folds.held_out(|train, held| {
            let bags: Vec<&Bag> = train.iter().filter_map(|at| self.bags.get(*at)).collect();
            let labels: Vec<bool> = train
                .iter()
                .filter_map(|at| self.labels.get(*at).copied())
                .collect();
            let fitted = Fitted::new(&bags, &labels, choices)?;
            Ok(held
                .iter()
                .filter_map(|at| {
                    let vector = fitted.vectoriser.vector(self.bags.get(*at)?);
                    Some(HeldOut {
                        score: fitted.classifier.score(vector.row()),
                        other_votes: fitted.classifier.other_votes(vector.row()),
                        stretches: self
                            .stretches
                            .get(*at)?
                            .iter()
                            .map(|bag| fitted.score(bag))
                            .collect(),
                    })
                })
                .collect())
        })
    }
}

/// The scores of a page from a classifier that had not seen it.
#[derive(Clone, Debug)]
pub(super) struct HeldOut {
    pub(super) score: f64,
    pub(super) other_votes: Option<[bool; 2]>,
    pub(super) stretches: Vec<f64>,
}

/// From 3 to 20 words each, from anywhere on the page.
fn stretches(page: &ParsedPage, stop: &[u64], seed: u64) -> Vec<Bag> {
    let tokens = page.text.tokens();
    let mut rng = Rng::from_seed(seed);
    (0..STRETCHES)
        .map(|_| {
            let length = 3 + rng.below(18);
            let from = rng.below(tokens.len().saturating_sub(length) + 1);
            let words = tokens
                .iter()
                .skip(from)
                .take(length)
                .filter(|token| token.is_word());
            Bag::new(
                words
                    .map(|token| (word_key(*token), 1.0))
                    .filter(|(key, _)| stop.binary_search(key).is_err()),
            )
        })
        .collect()
}
