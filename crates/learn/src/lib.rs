//! Learning from labelled examples.
//!
//! Documents arrive as a [`Bag`] of numbered features, a [`Vectoriser`] turns them into vectors, and the vectors
//! train a classifier: [`fit_bayes`], [`fit_svm`], [`fit_logistic`] (all three give a [`LinearModel`]), [`RbfSvm`],
//! [`KernelBayes`], [`Network`], [`MultiBayes`] for several classes, or, from tables of numbers, a [`RandomForest`].
//! [`Platt`] and [`Isotonic`] turn scores into probabilities, [`Folds`] and the figures measure how good the result
//! is, and a [`ModelFile`] stores it.
//!
//! In addition, [`WordCounts`] and [`WeightTable`] learn from documents one at a time, without labels.
//!
//! Invariant: the same examples in the same order, settings and seed give the same model to the last bit. Nothing
//! here uses threads or clocks, or iterates over a hash map with a random seed, and sums run in a fixed order.
//!
//! Deliberately absent: words, pages, URLs and topics. A feature is a number.

mod bag;
mod bayes;
mod calibration;
mod fault;
mod figures;
mod folds;
mod forest;
mod gram;
mod isotonic;
mod kernel_bayes;
mod key_table;
mod latent;
mod linear;
mod logistic;
mod model_file;
mod multi_bayes;
mod network;
mod rbf;
mod sampling;
mod selection;
mod sparse;
mod svm;
mod table;
mod vectoriser;
mod weight_table;
mod word_counts;
mod word_vectors;

pub use crate::bag::Bag;
pub use crate::bayes::{BayesPrior, BayesSettings, fit_bayes};
pub use crate::calibration::Platt;
pub use crate::fault::LearnFault;
pub use crate::figures::{
    BinaryFigures, ClassFigures, Confusion, PerClass, ReliabilityBin, auc, brier, reliability,
};
pub use crate::folds::Folds;
pub use crate::forest::{ForestSettings, RandomForest};
pub use crate::gram::{ExampleSum, Gram};
pub use crate::isotonic::Isotonic;
pub use crate::kernel_bayes::KernelBayes;
pub use crate::key_table::KeyTable;
pub use crate::latent::{LATENT, LatentSpace, Position, nearness};
pub use crate::linear::{Balance, LinearModel};
pub use crate::logistic::{LogisticSettings, fit_logistic, fit_logistic_weighted};
pub use crate::model_file::{Damage, ModelFile, ModelFileFault};
pub use crate::multi_bayes::{MultiBayes, MultiBayesSettings, TellingTerm, best_terms};
pub use crate::network::{Network, NetworkSettings};
pub use crate::rbf::{RbfGrid, RbfSettings, RbfSvm};
pub use crate::sampling::under_sample;
pub use crate::selection::{chi_square, information_gain, k_best};
pub use crate::sparse::{Row, SparseRows, SparseVector};
pub use crate::svm::{Loss, SvmSettings, fit_svm};
pub use crate::table::FeatureTable;
pub use crate::vectoriser::{Idf, Length, TermFrequency, VectorSettings, Vectoriser};
pub use crate::weight_table::{Shared, Space, TableWord, WeightTable};
pub use crate::word_counts::{WordCount, WordCounts, damped_frequency};
pub use crate::word_vectors::{MEANING, Meaning, WordVectors};
pub use scenthound_types::Rng;
