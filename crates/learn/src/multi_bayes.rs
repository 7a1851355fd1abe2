//! Multinomial naive Bayes over several classes, on the terms that distinguish them.
//!
//! Terms are selected by χ² against each class (this class or any other), using the highest value over the classes. A
//! posterior comes from the mean log-likelihood of a document's terms rather than from their sum: sums grow with the
//! length of the document, and long documents would always look certain.
//!
//! Invariant: posteriors are finite, from 0 to 1, and add up to 1; a class without examples has none.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::fault::check_positive;
use crate::{Bag, BayesPrior, Folds, KeyTable, LearnFault, k_best};

/// Training settings.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MultiBayesSettings {
    /// How many classes there are; examples name them 0, 1, 2…
    pub classes: u32,
    /// The most terms to select.
    pub terms: usize,
    /// Added to every term's count, so that one unseen term decides nothing.
    pub smoothing: f64,
    /// Whether the classes' shares of the examples count.
    pub prior: BayesPrior,
    /// How many terms of a document count in full: in a longer document, the mean counts this many times. 1 is the
    /// plain mean.
    pub evidence: f64,
}

impl MultiBayesSettings {
    /// Two thousand terms, one added to each count, all classes equally likely at first.
    pub fn new(classes: u32) -> MultiBayesSettings {
        MultiBayesSettings {
            classes,
            terms: 2000,
            smoothing: 1.0,
            prior: BayesPrior::Even,
            evidence: 1.0,
        }
    }
}

/// The values tried by [`MultiBayes::best_evidence`], each about half as large again as the one before.
const EVIDENCE: [f64; 14] = [
    1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0, 70.0, 100.0, 150.0,
];

/// A trained classifier.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct MultiBayes {
    stored: Stored,
    places: KeyTable,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Stored {
    classes: u32,
    /// The terms, ascending.
    keys: Vec<u64>,
    /// ln P(term | class): all classes of the first term, then of the second…
    likelihoods: Vec<f32>,
    /// ln P(class); `None` for a class without examples.
    priors: Vec<Option<f32>>,
    evidence: f32,
}

impl TryFrom<Stored> for MultiBayes {
    type Error = &'static str;

    fn try_from(stored: Stored) -> Result<MultiBayes, &'static str> {
        let places = KeyTable::new(&stored.keys).ok_or("a term occurs twice")?;
        let is_whole = stored.classes > 0
            && stored.priors.len() == stored.classes as usize
            && stored.keys.len().checked_mul(stored.classes as usize) == Some(stored.likelihoods.len());
        let numbers = stored.priors.iter().flatten().chain(&stored.likelihoods);
        if !is_whole || !numbers.chain([&stored.evidence]).all(|number| number.is_finite()) {
            return Err("the numbers do not match the terms");
        }
        Ok(MultiBayes { stored, places })
    }
}

impl From<MultiBayes> for Stored {
    fn from(model: MultiBayes) -> Stored {
        model.stored
    }
}

/// A term and how strongly it indicates a class.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TellingTerm {
    /// The term's key.
    pub key: u64,
    /// The log of how much likelier it is in the class than over all classes, times how likely it is in the class.
    pub weight: f64,
}

impl MultiBayes {
    /// Trains on documents and their classes.
    pub fn fit(
        documents: &[&Bag],
        classes: &[u32],
        settings: &MultiBayesSettings,
    ) -> Result<MultiBayes, LearnFault> {
        check_positive("smoothing", settings.smoothing)?;
        check_positive("evidence", settings.evidence)?;
        if documents.is_empty() {
            return Err(LearnFault::NoExamples);
        }
        if documents.len() != classes.len() {
            return Err(LearnFault::Labels {
                examples: documents.len(),
                labels: classes.len(),
            });
        }
        let count = settings.classes as usize;
        let mut members = vec![0_u32; count];
        for class in classes {
            let Some(members) = members.get_mut(*class as usize) else {
                return Err(LearnFault::Class {
                    class: *class,
                    classes: settings.classes,
                });
            };
            *members += 1;
        }
        if members.iter().filter(|members| **members > 0).count() < 2 {
            return Err(LearnFault::OneClass);
        }
        let keys = telling(documents, classes, &members, settings.terms);
        let places = KeyTable::new(&keys).unwrap_or_default();
        let mut sums = vec![0.0_f64; keys.len() * count];
        let mut totals = vec![settings.smoothing * keys.len() as f64; count];
        for (document, class) in documents.iter().zip(classes) {
            let class = *class as usize;
            for (key, occurs) in document.counts() {
                if let Some(place) = places.place(*key)
                    && let Some(sum) = sums.get_mut(place as usize * count + class)
                    && let Some(total) = totals.get_mut(class)
                {
                    *sum += f64::from(*occurs);
                    *total += f64::from(*occurs);
                }
            }
        }
        let likelihoods = sums
            .chunks(count.max(1))
            .flat_map(|of_term| of_term.iter().zip(&totals))
            .map(|(sum, total)| ((sum + settings.smoothing) / total).ln() as f32)
            .collect();
        let known = members.iter().filter(|members| **members > 0).count() as f64;
        let priors = members
            .iter()
            .map(|members| {
                (*members > 0).then(|| match settings.prior {
                    BayesPrior::Even => (1.0 / known).ln() as f32,
                    BayesPrior::Learnt => (f64::from(*members) / documents.len() as f64).ln() as f32,
                })
            })
            .collect();
        Ok(MultiBayes {
            stored: Stored {
                classes: settings.classes,
                keys,
                likelihoods,
                priors,
                evidence: settings.evidence as f32,
            },
            places,
        })
    }

    /// How many classes there are.
    pub fn classes(&self) -> u32 {
        self.stored.classes
    }

    /// How many terms it uses.
    pub fn terms(&self) -> usize {
        self.stored.keys.len()
    }

    /// How many terms of a document count in full.
    pub fn evidence(&self) -> f64 {
        f64::from(self.stored.evidence)
    }

    /// The evidence with which held-out documents cost least, where `cost` rates their posteriors given their class;
    /// each class has the same weight. Of equal values the smallest is chosen, which claims least.
    pub fn best_evidence(
        documents: &[&Bag],
        classes: &[u32],
        settings: &MultiBayesSettings,
        folds: &Folds,
        cost: impl Fn(&[f64], u32) -> f64,
    ) -> Result<f64, LearnFault> {
        let readings = folds.held_out(|others, held| {
            let bags: Vec<&Bag> = others
                .iter()
                .filter_map(|at| documents.get(*at).copied())
                .collect();
            let of_bags: Vec<u32> = others.iter().filter_map(|at| classes.get(*at).copied()).collect();
            let model = MultiBayes::fit(&bags, &of_bags, settings)?;
            let held = held.iter().filter_map(|at| documents.get(*at));
            Ok::<_, LearnFault>(
                held.map(|bag| {
                    let reading = model.read(bag.counts().iter().copied());
                    (reading, model.stored.priors.clone())
                })
                .collect(),
            )
        })?;
        let mut best = (f64::INFINITY, 1.0);
        for evidence in EVIDENCE {
            let mut sums = vec![(0.0_f64, 0_u32); settings.classes as usize];
            for ((reading, priors), class) in readings.iter().zip(classes) {
                if let Some((sum, count)) = sums.get_mut(*class as usize) {
                    *sum += cost(&posteriors(reading, priors, evidence), *class);
                    *count += 1;
                }
            }
            let means = sums.iter().filter(|(_, count)| *count > 0);
            let all: f64 = means.map(|(sum, count)| sum / f64::from(*count)).sum();
            if all < best.0 {
                best = (all, evidence);
            }
        }
        Ok(best.1)
    }

    /// How likely each class is, from occurrences of terms in any order (a term may be repeated). A document without
    /// any known term leaves the classes as likely as before.
    pub fn posteriors(&self, occurrences: impl IntoIterator<Item = (u64, f32)>) -> Vec<f64> {
        posteriors(&self.read(occurrences), &self.stored.priors, self.evidence())
    }

    fn read(&self, occurrences: impl IntoIterator<Item = (u64, f32)>) -> LogLikelihoods {
        let count = self.stored.classes as usize;
        let mut sums = vec![0.0_f64; count];
        let mut length = 0.0;
        for (key, occurs) in occurrences {
            let Some(place) = self.places.place(key) else {
                continue;
            };
            let start = place as usize * count;
            let of_term = self
                .stored
                .likelihoods
                .get(start..start + count)
                .unwrap_or_default();
            for (sum, likelihood) in sums.iter_mut().zip(of_term) {
                *sum += f64::from(occurs) * f64::from(*likelihood);
            }
            length += f64::from(occurs);
        }
        LogLikelihoods { sums, length }
    }

    /// The terms that indicate a class most strongly, strongest first.
    pub fn telling(&self, class: u32, most: usize) -> Vec<TellingTerm> {
        let count = self.stored.classes as usize;
        let known: Vec<bool> = self.stored.priors.iter().map(Option::is_some).collect();
        let classes = known.iter().filter(|known| **known).count().max(1) as f64;
        let mut terms: Vec<TellingTerm> = self
            .stored
            .keys
            .iter()
            .zip(self.stored.likelihoods.chunks(count.max(1)))
            .filter_map(|(key, of_term)| {
                let here = f64::from(*of_term.get(class as usize)?).exp();
                let mean = of_term
                    .iter()
                    .zip(&known)
                    .filter(|(_, known)| **known)
                    .map(|(likelihood, _)| f64::from(*likelihood).exp())
                    .sum::<f64>()
                    / classes;
                let weight = here * (here / mean).ln();
                (weight > 0.0).then_some(TellingTerm { key: *key, weight })
            })
            .collect();
        terms.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.key.cmp(&b.key)));
        terms.truncate(most);
        terms
    }
}

/// What the known terms of a document indicate.
#[derive(Clone)]
struct LogLikelihoods {
    /// The log-likelihood under each class.
    sums: Vec<f64>,
    /// How many occurrences there were.
    length: f64,
}

fn posteriors(reading: &LogLikelihoods, priors: &[Option<f32>], evidence: f64) -> Vec<f64> {
    let scale = if reading.length > 0.0 {
        reading.length.min(evidence) / reading.length
    } else {
        0.0
    };
    let scores: Vec<Option<f64>> = priors
        .iter()
        .zip(&reading.sums)
        .map(|(prior, sum)| prior.map(|prior| f64::from(prior) + sum * scale))
        .collect();
    let most = scores.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
    let parts: Vec<f64> = scores
        .iter()
        .map(|score| score.map_or(0.0, |score| (score - most).exp()))
        .collect();
    let whole: f64 = parts.iter().sum();
    parts
        .into_iter()
        .map(|part| if whole > 0.0 { part / whole } else { 0.0 })
        .collect()
}

/// The keys of the terms with the highest χ² against any single class, ascending.
fn telling(documents: &[&Bag], classes: &[u32], members: &[u32], most: usize) -> Vec<u64> {
    let (keys, scores): (Vec<u64>, Vec<f64>) = chi_squares(documents, classes, members).into_iter().unzip();
    k_best(&scores, most)
        .into_iter()
        .filter_map(|place| keys.get(place as usize).copied())
        .collect()
}

/// Every term of the documents with its highest χ² against any single class, by ascending key.
fn chi_squares(documents: &[&Bag], classes: &[u32], members: &[u32]) -> Vec<(u64, f64)> {
    let mut with: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for (document, class) in documents.iter().zip(classes) {
        for (key, _) in document.counts() {
            let counts = with.entry(*key).or_insert_with(|| vec![0; members.len()]);
            if let Some(count) = counts.get_mut(*class as usize) {
                *count += 1;
            }
        }
    }
    let total = documents.len() as f64;
    let best = |counts: &Vec<u32>| {
        let holding = f64::from(counts.iter().sum::<u32>());
        counts
            .iter()
            .zip(members)
            .map(|(count, members)| {
                let (a, of_class) = (f64::from(*count), f64::from(*members));
                let (b, c) = (of_class - a, holding - a);
                let d = total - of_class - c;
                let margins = of_class * (total - of_class) * holding * (total - holding);
                if margins > 0.0 {
                    total * (a * d - b * c).powi(2) / margins
                } else {
                    0.0
                }
            })
            .fold(0.0, f64::max)
    };
    with.iter().map(|(key, counts)| (*key, best(counts))).collect()
}

/// The terms that best tell classes of documents apart, best first, each with its highest χ² against any single class. Ties go
/// to the smaller key.
pub fn best_terms(documents: &[&Bag], classes: &[u32], most: usize) -> Vec<(u64, f64)> {
    let mut members = vec![0_u32; classes.iter().max().map_or(0, |class| *class as usize + 1)];
    for class in classes {
        if let Some(members) = members.get_mut(*class as usize) {
            *members += 1;
        }
    }
    let mut terms = chi_squares(documents, classes, &members);
    terms.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    terms.truncate(most);
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bag(keys: &[u64]) -> Bag {
        Bag::new(keys.iter().map(|key| (*key, 1.0)))
    }

    fn fitted(terms: usize) -> MultiBayes {
        // Class 0: 1 1 9; class 1: 2 9; class 3: 3 3 9; class 2 has no example.
        let documents = [bag(&[1, 1, 9]), bag(&[2, 9]), bag(&[3, 3, 9])];
        let settings = MultiBayesSettings {
            terms,
            ..MultiBayesSettings::new(4)
        };
        MultiBayes::fit(&documents.iter().collect::<Vec<_>>(), &[0, 1, 3], &settings).unwrap()
    }

    #[test]
    fn posteriors_are_those_computed_by_hand() {
        let model = fitted(4);
        // P(1 | class): (2+1)/(3+4), (0+1)/(2+4), (0+1)/(3+4).
        let likelihoods = [3.0 / 7.0, 1.0 / 6.0, 1.0 / 7.0];
        let whole: f64 = likelihoods.iter().sum();
        let posteriors = model.posteriors([(1, 1.0)]);
        for (class, likelihood) in [0, 1, 3].into_iter().zip(likelihoods) {
            assert!((posteriors[class] - likelihood / whole).abs() < 1e-6);
        }
        assert_eq!(posteriors[2], 0.0, "a class without examples is never predicted");
    }

    #[test]
    fn saying_it_twice_adds_no_certainty() {
        let model = fitted(4);
        assert_eq!(
            model.posteriors([(1, 1.0)]),
            model.posteriors([(1, 5.0), (77, 3.0)])
        );
    }

    #[test]
    fn a_document_of_unknown_terms_leaves_the_classes_equally_likely() {
        let posteriors = fitted(4).posteriors([(77, 1.0)]);
        assert!((posteriors[0] - 1.0 / 3.0).abs() < 1e-6 && posteriors[0] == posteriors[3]);
    }

    #[test]
    fn a_term_that_every_document_holds_is_the_first_left_out() {
        let model = fitted(3);
        assert_eq!(model.stored.keys, [1, 2, 3]);
        assert_eq!(model.telling(3, 1).first().map(|term| term.key), Some(3));
    }

    #[test]
    fn a_stored_model_whose_numbers_do_not_fit_is_refused() {
        let mut stored = Stored::from(fitted(4));
        stored.likelihoods.pop();
        assert!(MultiBayes::try_from(stored).is_err());
        let mut stored = Stored::from(fitted(4));
        stored.priors[0] = Some(f32::NAN);
        assert!(MultiBayes::try_from(stored).is_err());
    }

    #[test]
    fn the_evidence_is_as_large_as_a_threshold_needs() {
        // Words distinguish the classes, but each document also has as many uninformative ones.
        let documents: Vec<Bag> = (0..20_u64)
            .map(|n| bag(&[n % 2, n % 2, 2 + n % 3, 5 + n % 4, 10 + n % 5, 20 + n % 7]))
            .collect();
        let documents: Vec<&Bag> = documents.iter().collect();
        let classes: Vec<u32> = (0..20).map(|n| n % 2).collect();
        let folds = Folds::stratified(&classes, 5, 1).unwrap();
        let choose = |least: f64| {
            let missed =
                |posteriors: &[f64], class: u32| f64::from(u8::from(posteriors[class as usize] < least));
            MultiBayes::best_evidence(&documents, &classes, &MultiBayesSettings::new(2), &folds, missed)
                .unwrap()
        };
        assert_eq!(choose(0.51), 1.0, "the smallest that is enough");
        assert!(choose(0.8) > 1.0);
    }

    #[test]
    fn a_class_out_of_range_is_refused() {
        let document = bag(&[1]);
        assert!(matches!(
            MultiBayes::fit(&[&document], &[7], &MultiBayesSettings::new(4)),
            Err(LearnFault::Class { class: 7, classes: 4 })
        ));
    }

    #[test]
    fn the_best_terms_are_those_that_stand_in_one_class_only() {
        let documents = [bag(&[1, 9]), bag(&[1, 8]), bag(&[2, 9]), bag(&[2, 9])];
        let documents: Vec<&Bag> = documents.iter().collect();
        let best = best_terms(&documents, &[0, 0, 1, 1], 3);
        // By hand: 1 and 2 stand on both pages of one class and on no other: χ² = 4 · (2·2)² / (2·2·2·2) = 4. 8 stands on one
        // page of four: 4 · (1·2)² / (2·2·1·3) = 4/3, as does 9, which stands on all but that one.
        assert_eq!(best, [(1, 4.0), (2, 4.0), (8, 4.0 / 3.0)]);
    }
}
