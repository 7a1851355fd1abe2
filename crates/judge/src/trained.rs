//! Judges pages by what example pages have in common.
//!
//! A page becomes a bag of words ([`FeatureWeights`]), the bag a vector, and a classifier ([`ModelKind`]) scores it.
//! A curve turns scores into probabilities. It is fitted on examples held out of training, from other sites if there
//! are enough sites. The few words at a link are scored by the same classifier with a separate curve, fitted on short
//! passages from the held-out pages: a few words say less than a page, and no words say only how common relevant
//! pages were.
//!
//! Invariant: the same pages, kind and settings give the same judge, bit for bit, and a judge read back from a file
//! judges the same.
//!
//! Deliberately absent: finding examples, and learning during a crawl.

mod classifier;
mod examples;
mod features;
mod kind;
mod settings;

use std::path::Path;
use std::sync::Arc;

use scenthound_learn::{BinaryFigures, Damage, Isotonic, ModelFile, ModelFileFault, Platt, SparseVector};
use scenthound_types::text::{Stemming, Token};
use scenthound_types::{Judgement, ParsedPage, Parts, TermHit, TermSet, Verdict};
use serde::{Deserialize, Serialize};

pub use self::examples::{Apart, TrainingPages};
pub use self::features::FeatureWeights;
pub use self::kind::ModelKind;
pub use self::settings::{Calibrate, HoldOut, TrainingSettings};

use self::classifier::{Classifier, Fitted};
use self::examples::Examples;
use self::features::{FeatureSource, spell, word_key};
use self::settings::Choices;
use crate::{Judge, JudgeFault};

/// Folds for calibration.
const FOLDS: usize = 5;
/// The number of informative words kept with their spelling, for each direction.
const TOLD: usize = 200;
/// The number of informative words reported with a judgement.
const TOLD_A_PAGE: usize = 8;

/// From a score to a probability.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
enum Curve {
    Sigmoid(Platt),
    Rising(Isotonic),
}

impl Curve {
    fn probability(&self, score: f64) -> f64 {
        let p = match self {
            Curve::Sigmoid(platt) => platt.probability(score),
            Curve::Rising(isotonic) => isotonic.probability(score),
        };
        // A tampered file may contain a curve with infinities.
        if p.is_finite() { p } else { 0.0 }
    }
}

/// An informative feature, written for people.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TellingWord {
    /// The word; features that are not words are in brackets.
    pub word: Arc<str>,
    /// How far it moves the score on its own; above 0 means towards relevant.
    pub effect: f64,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Told {
    place: u32,
    effect: f32,
    read: FeatureSource,
    word: Arc<str>,
}

/// How well a judge does on pages held out of training.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Validation {
    /// The figures. Their probabilities come from a curve with two parameters, fitted on the same held-out scores.
    pub figures: BinaryFigures,
    /// How many folds there were.
    pub folds: u32,
    /// What the folds keep together.
    #[serde(rename = "folds_share_no")]
    pub apart: Apart,
    /// The threshold with the best F1, in steps of 0.05.
    pub best_threshold: f64,
}

/// The contents of a model file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Model {
    kind: ModelKind,
    reading: FeatureWeights,
    fitted: Fitted,
    of_pages: Curve,
    of_snippets: Curve,
    threshold: f64,
    /// By position.
    told: Vec<Told>,
}

impl ModelFile for Model {
    const KIND: &'static str = "relevance";
    const VERSION: u16 = 1;
}

/// The contents of a model file whose judge was trained on stems. Models without stems need no such file, so that those trained
/// before there were any can still be read.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct StemmedModel {
    /// The name of the stemming.
    stemming: String,
    model: Model,
}

impl ModelFile for StemmedModel {
    const KIND: &'static str = "relevance by stems";
    const VERSION: u16 = 1;
}

/// A judge trained on pages.
#[derive(Clone, Debug)]
pub struct TrainedJudge {
    model: Model,
    stemming: Stemming,
    /// C and γ of an RBF kernel, if it was trained just now.
    kernel: Option<(f64, f64)>,
}

/// Two judges are equal if they judge alike, however they came about.
impl PartialEq for TrainedJudge {
    fn eq(&self, other: &TrainedJudge) -> bool {
        self.model == other.model && self.stemming == other.stemming
    }
}

impl TrainedJudge {
    /// Trains a judge.
    pub fn train(
        kind: ModelKind,
        pages: &TrainingPages<'_>,
        settings: &TrainingSettings,
    ) -> Result<TrainedJudge, JudgeFault> {
        if !(0.0..=1.0).contains(&settings.threshold) {
            return Err(JudgeFault::Threshold {
                value: settings.threshold,
            });
        }
        let choices = Choices::new(kind, settings);
        let examples = Examples::read(pages, &choices)?;
        let bags: Vec<_> = examples.bags.iter().collect();
        // Calibration uses the C and γ that were found; a search in each of its folds would cost more than it tells.
        let (fitted, choices) = Fitted::search(&bags, &examples.labels, &choices)?;
        let (of_pages, of_snippets) = curves(&examples, &choices)?;
        Ok(TrainedJudge {
            model: Model {
                kind,
                reading: choices.reading,
                told: tell(&fitted, &examples),
                fitted,
                of_pages,
                of_snippets,
                threshold: settings.threshold,
            },
            stemming: settings.stemming,
            kernel: match (kind, choices.rbf) {
                (ModelKind::SvmRbf, (Some(cost), Some(gamma))) => Some((cost, gamma)),
                _ => None,
            },
        })
    }

    /// C and γ of an RBF kernel, as given or found by cross-validation; none for other models and for one read from a file.
    pub fn kernel(&self) -> Option<(f64, f64)> {
        self.kernel
    }

    /// How well such a judge does on unseen pages, trained and tested once for each fold.
    pub fn cross_validate(
        kind: ModelKind,
        pages: &TrainingPages<'_>,
        settings: &TrainingSettings,
        folds: usize,
    ) -> Result<Validation, JudgeFault> {
        let choices = Choices::new(kind, settings);
        let examples = Examples::read(pages, &choices)?;
        let (folds, apart) = examples.folds(folds, HoldOut::Sites, choices.seed)?;
        let held_out = examples.held_out(&folds, &choices)?;
        let scores: Vec<f64> = held_out.iter().map(|held| held.score).collect();
        let curve = curve(&scores, &examples.labels, choices.calibrate)?;
        let probabilities: Vec<f64> = scores.iter().map(|score| curve.probability(*score)).collect();
        let verdicts: Vec<bool> = held_out
            .iter()
            .zip(&probabilities)
            .map(|(held, p)| verdict(*p >= settings.threshold, held.other_votes))
            .collect();
        Ok(Validation {
            figures: BinaryFigures::with_verdicts(&examples.labels, &probabilities, &verdicts),
            folds: folds.count(),
            apart,
            best_threshold: best_threshold(&examples.labels, &probabilities),
        })
    }

    /// Writes the judge to a file.
    pub fn save(&self, path: &Path) -> Result<(), JudgeFault> {
        match self.stemming {
            Stemming::None => self.model.save(path)?,
            stemming => StemmedModel {
                stemming: stemming.name().to_owned(),
                model: self.model.clone(),
            }
            .save(path)?,
        }
        Ok(())
    }

    /// Reads a judge from a file.
    pub fn load(path: &Path) -> Result<TrainedJudge, JudgeFault> {
        let (mut model, stemming) = match Model::load(path) {
            Ok(model) => (model, Stemming::None),
            Err(fault) => {
                // Whatever else the file may be, it is not a model with stems either.
                let Ok(stored) = StemmedModel::load(path) else {
                    return Err(fault.into());
                };
                let stemming = Stemming::from_name(&stored.stemming).ok_or(JudgeFault::Model(
                    ModelFileFault::Unusable {
                        path: path.to_owned(),
                        what: Damage::Senseless,
                    },
                ))?;
                (stored.model, stemming)
            }
        };
        model.told.sort_by_key(|told| told.place);
        Ok(TrainedJudge {
            model,
            stemming,
            kernel: None,
        })
    }

    /// Whose stems the words of pages are reduced to.
    pub fn stemming(&self) -> Stemming {
        self.stemming
    }

    /// The kind of classifier.
    pub fn kind(&self) -> ModelKind {
        self.model.kind
    }

    /// The same judge with another threshold.
    pub fn with_threshold(mut self, threshold: f64) -> Result<TrainedJudge, JudgeFault> {
        if !(0.0..=1.0).contains(&threshold) {
            return Err(JudgeFault::Threshold { value: threshold });
        }
        self.model.threshold = threshold;
        Ok(self)
    }

    /// A page at least this relevant counts as relevant.
    pub fn threshold(&self) -> f64 {
        self.model.threshold
    }

    /// The words that speak most for relevance and those that speak most against it; strongest first, at most `most`
    /// of each.
    pub fn telling_words(&self, most: usize) -> (Vec<TellingWord>, Vec<TellingWord>) {
        let mut words: Vec<TellingWord> = self
            .model
            .told
            .iter()
            .map(|told| TellingWord {
                word: match told.read {
                    FeatureSource::Page => told.word.clone(),
                    FeatureSource::Url => format!("[URL: {}]", told.word).into(),
                },
                effect: f64::from(told.effect),
            })
            .collect();
        words.sort_by(|a, b| b.effect.total_cmp(&a.effect).then_with(|| a.word.cmp(&b.word)));
        let against: Vec<TellingWord> = words
            .iter()
            .rev()
            .filter(|word| word.effect < 0.0)
            .take(most)
            .cloned()
            .collect();
        words.retain(|word| word.effect > 0.0);
        words.truncate(most);
        (words, against)
    }

    fn vector(&self, page: &ParsedPage) -> (SparseVector, Vec<(u32, f32)>) {
        let vectoriser = &self.model.fitted.vectoriser;
        let mut counts = vec![0.0_f32; vectoriser.features()];
        let mut touched = Vec::new();
        self.model.reading.features(page, |key, count| {
            if let Some(place) = vectoriser.place(key)
                && let Some(held) = counts.get_mut(place as usize)
            {
                if *held == 0.0 {
                    touched.push(place);
                }
                *held += count;
            }
        });
        touched.sort_unstable();
        touched.dedup();
        let counted: Vec<(u32, f32)> = touched
            .iter()
            .filter_map(|place| Some((*place, *counts.get(*place as usize)?)))
            .collect();
        (vectoriser.weigh(&counted), counted)
    }

    /// The features that spoke most for the page. Their shares add up to no more than its relevance.
    fn hits(&self, vector: &SparseVector, counted: &[(u32, f32)], relevance: f64) -> Vec<TermHit> {
        let told = &self.model.told;
        let mut for_it: Vec<(f64, &Told)> = vector
            .row()
            .entries()
            .filter_map(|(place, value)| {
                let at = told.binary_search_by_key(&place, |told| told.place).ok()?;
                let told = told.get(at)?;
                let push = f64::from(told.effect) * f64::from(value);
                (push > 0.0).then_some((push, told))
            })
            .collect();
        let sum: f64 = for_it.iter().map(|(push, _)| push).sum();
        for_it.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.place.cmp(&b.1.place)));
        for_it.truncate(TOLD_A_PAGE);
        for_it
            .into_iter()
            .map(|(push, told)| TermHit {
                set: match told.read {
                    FeatureSource::Page => TermSet::Content,
                    FeatureSource::Url => TermSet::Url,
                },
                term: told.word.clone(),
                count: counted
                    .binary_search_by_key(&told.place, |(place, _)| *place)
                    .ok()
                    .and_then(|at| counted.get(at))
                    .map_or(1, |(_, count)| count.round() as u32),
                share: relevance * push / sum,
            })
            .collect()
    }
}

impl Judge for TrainedJudge {
    fn prepare(&self, page: &mut ParsedPage) {
        page.stem(self.stemming.stemmer(page.language));
    }

    fn judge(&self, page: &ParsedPage) -> Judgement {
        let Fitted { classifier, .. } = &self.model.fitted;
        let (vector, counted) = self.vector(page);
        let relevance = self.model.of_pages.probability(classifier.score(vector.row()));
        let is_relevant = verdict(
            relevance >= self.model.threshold,
            classifier.other_votes(vector.row()),
        );
        // Nobody asks why a clearly irrelevant page is irrelevant, and most pages are.
        let terms = if relevance >= self.model.threshold / 2.0 {
            self.hits(&vector, &counted, relevance)
        } else {
            Vec::new()
        };
        Judgement {
            relevance,
            verdict: if is_relevant {
                Verdict::Relevant
            } else {
                Verdict::Irrelevant
            },
            genre: None,
            layer: None,
            parts: Parts {
                terms,
                ..Parts::default()
            },
        }
    }

    fn snippet(&self, tokens: &[Token]) -> f32 {
        let vectoriser = &self.model.fitted.vectoriser;
        let mut places: Vec<u32> = tokens
            .iter()
            .filter_map(|token| vectoriser.place(word_key(*token)))
            .collect();
        places.sort_unstable();
        let counted: Vec<(u32, f32)> = places
            .chunk_by(|a, b| a == b)
            .filter_map(|same| Some((*same.first()?, same.len() as f32)))
            .collect();
        let vector = vectoriser.weigh(&counted);
        let score = self.model.fitted.classifier.score(vector.row());
        self.model.of_snippets.probability(score) as f32
    }
}

/// The threshold with the best F1, in steps of 0.05; of equally good ones, the closest to 0.5.
fn best_threshold(labels: &[bool], probabilities: &[f64]) -> f64 {
    let mut best = (0.5, f64::NEG_INFINITY);
    for step in 0..19 {
        // 0.5, 0.45, 0.55, 0.4…
        let away = f64::from((step + 1) / 2) / 20.0;
        let threshold = if step % 2 == 0 { 0.5 + away } else { 0.5 - away };
        let f1 = BinaryFigures::new(labels, probabilities, threshold).f1;
        if f1 > best.1 {
            best = (threshold, f1);
        }
    }
    best.0
}

/// Two of three, or the only one.
fn verdict(first: bool, others: Option<[bool; 2]>) -> bool {
    others.map_or(first, |[second, third]| {
        u8::from(first) + u8::from(second) + u8::from(third) >= 2
    })
}

/// The curves of pages and of snippets.
fn curves(examples: &Examples<'_>, choices: &Choices) -> Result<(Curve, Curve), JudgeFault> {
    let (folds, _) = examples.folds(FOLDS, choices.hold_out, choices.seed)?;
    let held_out = examples.held_out(&folds, choices)?;
    let scores: Vec<f64> = held_out.iter().map(|held| held.score).collect();
    let of_pages = curve(&scores, &examples.labels, choices.calibrate)?;
    let (mut scores, mut labels) = (Vec::new(), Vec::new());
    for (held, label) in held_out.iter().zip(&examples.labels) {
        scores.extend(&held.stretches);
        labels.extend(std::iter::repeat_n(*label, held.stretches.len()));
    }
    let mut of_snippets = Platt::fit(&scores, &labels)?;
    // A falling curve would reverse the order. It arises by chance, or when a few words cannot identify the class.
    of_snippets.slope = of_snippets.slope.max(1e-3);
    Ok((of_pages, Curve::Sigmoid(of_snippets)))
}

fn curve(scores: &[f64], labels: &[bool], calibrate: Calibrate) -> Result<Curve, JudgeFault> {
    Ok(match calibrate {
        Calibrate::Platt => {
            let mut platt = Platt::fit(scores, labels)?;
            platt.slope = platt.slope.max(1e-3);
            Curve::Sigmoid(platt)
        }
        Calibrate::Isotonic => Curve::Rising(Isotonic::fit(scores, labels)?),
        Calibrate::Raw => Curve::Sigmoid(Platt::IDENTITY),
    })
}

/// The strongest features of each direction, by how far each moves the score on its own.
fn tell(fitted: &Fitted, examples: &Examples<'_>) -> Vec<Told> {
    let score = |vector: &SparseVector| fitted.classifier.score(vector.row());
    let of_nothing = score(&SparseVector::default());
    let mut effects: Vec<(u32, f32)> = match &fitted.classifier {
        Classifier::Linear(model) | Classifier::Committee { svm: model, .. } => {
            (0..).zip(model.weights().iter().copied()).collect()
        }
        Classifier::Rbf(_) | Classifier::Network(_) => (0..fitted.vectoriser.features() as u32)
            .map(|place| {
                let alone = fitted.vectoriser.weigh(&[(place, 1.0)]);
                (place, (score(&alone) - of_nothing) as f32)
            })
            .collect(),
    };
    effects.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let last = effects.len();
    let strongest: Vec<(u64, u32, f32)> = effects
        .iter()
        .enumerate()
        .filter(|(at, (_, effect))| (*at < TOLD && *effect > 0.0) || (*at + TOLD >= last && *effect < 0.0))
        .filter_map(|(_, (place, effect))| {
            Some((*fitted.vectoriser.keys().get(*place as usize)?, *place, *effect))
        })
        .collect();
    let wanted = strongest.iter().map(|(key, _, _)| *key).collect();
    let spelled = spell(&wanted, &examples.pages);
    let mut told: Vec<Told> = strongest
        .into_iter()
        .filter_map(|(key, place, effect)| {
            let (word, read) = spelled.get(&key)?;
            Some(Told {
                place,
                effect,
                read: *read,
                word: word.as_str().into(),
            })
        })
        .collect();
    told.sort_by_key(|told| told.place);
    told
}
