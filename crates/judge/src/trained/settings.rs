//! Settings for training a judge.

use scenthound_learn::{Idf, Length, TermFrequency, VectorSettings};

use super::features::FeatureWeights;
use super::kind::ModelKind;

/// How a score becomes a relevance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Calibrate {
    /// A sigmoid fitted on pages held out of training.
    Platt,
    /// The best rising curve on pages held out of training; needs some hundreds of pages.
    Isotonic,
    /// Nothing: the score is treated as log-odds, as the papers do with naive Bayes.
    Raw,
}

/// What is held out of training together when scores are calibrated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HoldOut {
    /// Single pages.
    Pages,
    /// Whole sites, if the examples of each class come from at least three sites.
    Sites,
}

/// How a judge is trained. A setting that is none is chosen to suit the kind.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TrainingSettings {
    /// The random seed.
    pub seed: u64,
    /// How a score becomes a relevance.
    pub calibrate: Calibrate,
    /// What is held out together for calibration.
    pub hold_out: HoldOut,
    /// A page at least this relevant counts as relevant.
    pub threshold: f64,
    /// How a page becomes a bag of features.
    pub reading: Option<FeatureWeights>,
    /// How a feature's count is weighted.
    pub vectors: Option<VectorSettings>,
    /// The maximum number of features; the most informative by χ² are kept.
    pub vocabulary: Option<usize>,
    /// C of logistic regression and the support vector machines.
    pub cost: Option<f64>,
}

impl Default for TrainingSettings {
    fn default() -> TrainingSettings {
        TrainingSettings {
            seed: 1,
            calibrate: Calibrate::Platt,
            hold_out: HoldOut::Pages,
            threshold: 0.5,
            reading: None,
            vectors: None,
            vocabulary: None,
            cost: None,
        }
    }
}

/// tf · ln(N/df), normalised to length 1: otherwise a long page outweighs ten short ones.
const LEVELLED_TF_IDF: VectorSettings = VectorSettings {
    frequency: TermFrequency::Raw,
    idf: Idf::Plain,
    length: Length::Unit,
};

/// The settings with every choice made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choices {
    pub(super) kind: ModelKind,
    pub(super) seed: u64,
    pub(super) calibrate: Calibrate,
    pub(super) hold_out: HoldOut,
    pub(super) reading: FeatureWeights,
    pub(super) vectors: VectorSettings,
    pub(super) vocabulary: usize,
    pub(super) cost: f64,
}

impl Choices {
    pub(super) fn new(kind: ModelKind, settings: &TrainingSettings) -> Choices {
        let (reading, vectors, vocabulary, cost) = match kind {
            ModelKind::Bayes => (
                FeatureWeights::WORDS_AND_ANCHORS,
                VectorSettings::COUNTS,
                60_000,
                1.0,
            ),
            ModelKind::Svm | ModelKind::Network | ModelKind::Committee => {
                (FeatureWeights::WORDS, LEVELLED_TF_IDF, 2_000, 1.0)
            }
            ModelKind::SvmRbf => (FeatureWeights::WORDS, LEVELLED_TF_IDF, 2_000, 10.0),
            ModelKind::Logistic => (
                FeatureWeights::TITLES_TWICE,
                VectorSettings::LOG_TF_IDF,
                60_000,
                30.0,
            ),
        };
        Choices {
            kind,
            seed: settings.seed,
            calibrate: settings.calibrate,
            hold_out: settings.hold_out,
            reading: settings.reading.unwrap_or(reading),
            vectors: settings.vectors.unwrap_or(vectors),
            vocabulary: settings.vocabulary.unwrap_or(vocabulary),
            cost: settings.cost.unwrap_or(cost),
        }
    }
}
