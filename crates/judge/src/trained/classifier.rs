//! The classifiers, fitted on bags of features.

use scenthound_learn::{
    Bag, Balance, BayesPrior, BayesSettings, KernelBayes, LearnFault, LinearModel, LogisticSettings, Network,
    NetworkSettings, RbfSvm, Row, SparseRows, SparseVector, SvmSettings, Vectoriser, chi_square, fit_bayes,
    fit_logistic, fit_svm, k_best, under_sample,
};
use serde::{Deserialize, Serialize};

use super::kind::ModelKind;
use super::settings::Choices;

/// What scores a vector.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) enum Classifier {
    Linear(LinearModel),
    Rbf(RbfSvm),
    Network(Network),
    Committee {
        svm: LinearModel,
        bayes: KernelBayes,
        network: Network,
    },
}

impl Classifier {
    /// Above 0 for what looks relevant. For the committee it is the SVM's score.
    pub(super) fn score(&self, row: Row<'_>) -> f64 {
        match self {
            Classifier::Linear(model) | Classifier::Committee { svm: model, .. } => model.score(row),
            Classifier::Rbf(model) => model.score(row),
            Classifier::Network(model) => model.score(row),
        }
    }

    /// The votes of the members other than the first; none if there are no others.
    pub(super) fn other_votes(&self, row: Row<'_>) -> Option<[bool; 2]> {
        match self {
            Classifier::Committee { bayes, network, .. } => {
                Some([bayes.score(row) > 0.0, network.score(row) > 0.0])
            }
            _ => None,
        }
    }
}

/// A classifier and the vectors it reads.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Fitted {
    pub(super) vectoriser: Vectoriser,
    pub(super) classifier: Classifier,
}

impl Fitted {
    /// Vocabulary, rarity, feature selection and classifier, all from these documents alone.
    pub(super) fn new(bags: &[&Bag], labels: &[bool], choices: &Choices) -> Result<Fitted, LearnFault> {
        Ok(Fitted::search(bags, labels, choices)?.0)
    }

    /// The same, and the choices with what was searched and found.
    pub(super) fn search(
        bags: &[&Bag],
        labels: &[bool],
        choices: &Choices,
    ) -> Result<(Fitted, Choices), LearnFault> {
        let mut found = *choices;
        let kept: Vec<usize> = match choices.kind {
            // As in the paper; the others weight the classes or tolerate the imbalance.
            ModelKind::Bayes => under_sample(labels, &(0..labels.len()).collect::<Vec<_>>(), choices.seed),
            _ => (0..labels.len()).collect(),
        };
        let bags: Vec<Bag> = kept
            .iter()
            .filter_map(|at| bags.get(*at).map(|bag| (*bag).clone()))
            .collect();
        let labels: Vec<bool> = kept.iter().filter_map(|at| labels.get(*at).copied()).collect();
        let mut vectoriser = Vectoriser::fit(&bags, choices.vectors, 1);
        if vectoriser.features() > choices.vocabulary {
            let scores = chi_square(&rows(&vectoriser, &bags), &labels)?;
            vectoriser = vectoriser.select(&k_best(&scores, choices.vocabulary));
        }
        let rows = rows(&vectoriser, &bags);
        let svm = || {
            let settings = SvmSettings {
                cost: choices.cost,
                balance: Balance::Classes,
                seed: choices.seed,
                ..SvmSettings::default()
            };
            fit_svm(&rows, &labels, &settings)
        };
        let network = || {
            let settings = NetworkSettings {
                seed: choices.seed,
                ..NetworkSettings::default()
            };
            Network::fit(&rows, &labels, &settings)
        };
        let classifier = match choices.kind {
            ModelKind::Bayes => {
                let settings = BayesSettings {
                    prior: BayesPrior::Even,
                    ..BayesSettings::default()
                };
                Classifier::Linear(fit_bayes(&rows, &labels, &settings)?)
            }
            ModelKind::Svm => Classifier::Linear(svm()?),
            ModelKind::SvmRbf => {
                let settings = choices.rbf_settings(&rows, &labels)?;
                found.rbf = (Some(settings.cost), settings.gamma);
                Classifier::Rbf(RbfSvm::fit(&rows, &labels, &settings)?)
            }
            ModelKind::Network => Classifier::Network(network()?),
            ModelKind::Logistic => {
                let settings = LogisticSettings {
                    cost: choices.cost,
                    balance: Balance::Classes,
                    ..LogisticSettings::default()
                };
                Classifier::Linear(fit_logistic(&rows, &labels, &settings)?)
            }
            ModelKind::Committee => Classifier::Committee {
                svm: svm()?,
                bayes: KernelBayes::fit(&rows, &labels)?,
                network: network()?,
            },
        };
        let fitted = Fitted {
            vectoriser,
            classifier,
        };
        Ok((fitted, found))
    }

    pub(super) fn score(&self, bag: &Bag) -> f64 {
        self.classifier.score(self.vectoriser.vector(bag).row())
    }
}

fn rows(vectoriser: &Vectoriser, bags: &[Bag]) -> SparseRows {
    let vectors: Vec<SparseVector> = bags.iter().map(|bag| vectoriser.vector(bag)).collect();
    SparseRows::of(vectoriser.features(), vectors.iter().map(SparseVector::row))
}
