//! Settings for training a judge.

use scenthound_learn::{
    Balance, Idf, LearnFault, Length, RbfGrid, RbfSettings, RbfSvm, SparseRows, TermFrequency, VectorSettings,
};
use scenthound_types::named_enum;
use scenthound_types::text::Stemming;

use super::features::FeatureWeights;
use super::kind::ModelKind;

named_enum! {
    /// How a score becomes a relevance.
    #[derive(Default)]
    pub enum Calibrate {
        /// A sigmoid fitted on pages held out of training.
        #[default]
        Platt = "platt",
        /// The best rising curve on pages held out of training; needs some hundreds of pages.
        Isotonic = "isotonic",
        /// Nothing: the score is treated as log-odds, as the papers do with naive Bayes.
        Raw = "raw",
    }
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
    /// Whose stems the words of the example pages were reduced to. The judge reduces those of the pages it judges likewise.
    pub stemming: Stemming,
    /// How a page becomes a bag of features.
    pub reading: Option<FeatureWeights>,
    /// How a feature's count is weighted.
    pub vectors: Option<VectorSettings>,
    /// The maximum number of features; the most informative by χ² are kept.
    pub vocabulary: Option<usize>,
    /// C of logistic regression and the support vector machines. With an RBF kernel, `None` searches C and γ together.
    pub cost: Option<f64>,
    /// γ of the support vector machine with an RBF kernel; `None` searches.
    pub gamma: Option<f64>,
}

impl Default for TrainingSettings {
    fn default() -> TrainingSettings {
        TrainingSettings {
            seed: 1,
            calibrate: Calibrate::Platt,
            hold_out: HoldOut::Pages,
            threshold: 0.5,
            stemming: Stemming::None,
            reading: None,
            vectors: None,
            vocabulary: None,
            cost: None,
            gamma: None,
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
    /// C and γ of the RBF kernel, where they are given.
    pub(super) rbf: (Option<f64>, Option<f64>),
}

/// The grid that C and γ of an RBF kernel are searched on. Vectors have length 1, so distances are at most 2 and γ far from 1
/// makes all pages alike or all pages strangers.
const COSTS: [f64; 4] = [0.5, 2.0, 8.0, 32.0];
const GAMMAS: [f64; 4] = [0.125, 0.5, 1.0, 2.0];

/// Folds of the search.
const SEARCH_FOLDS: usize = 5;

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
            ModelKind::SvmRbf => (FeatureWeights::WORDS, LEVELLED_TF_IDF, 2_000, 1.0),
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
            rbf: (settings.cost, settings.gamma),
        }
    }

    /// The settings of an RBF kernel for these examples: as given, and searched by cross-validation otherwise.
    pub(super) fn rbf_settings(&self, rows: &SparseRows, labels: &[bool]) -> Result<RbfSettings, LearnFault> {
        let usual = RbfSettings {
            balance: Balance::Classes,
            ..RbfSettings::default()
        };
        let (cost, gamma) = self.rbf;
        if let (Some(cost), Some(gamma)) = (cost, gamma) {
            return Ok(RbfSettings {
                cost,
                gamma: Some(gamma),
                ..usual
            });
        }
        let (given_cost, given_gamma) = (cost.map(|cost| [cost]), gamma.map(|gamma| [gamma]));
        let grid = RbfGrid {
            costs: given_cost.as_ref().map_or(&COSTS[..], |one| &one[..]),
            gammas: given_gamma.as_ref().map_or(&GAMMAS[..], |one| &one[..]),
            folds: SEARCH_FOLDS,
            seed: self.seed,
        };
        RbfSvm::search(rows, labels, &usual, &grid)
    }
}
