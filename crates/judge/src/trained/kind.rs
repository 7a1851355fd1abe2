//! The kinds of classifier a judge can use.

use serde::{Deserialize, Serialize};

/// The classifier of a trained judge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum ModelKind {
    /// Multinomial naive Bayes.
    Bayes,
    /// A linear support vector machine.
    Svm,
    /// A support vector machine with a Gaussian kernel.
    SvmRbf,
    /// A feed-forward network with four hidden nodes.
    Network,
    /// Logistic regression.
    Logistic,
    /// Linear SVM, kernel-density naive Bayes and network: the verdict of two out of three, the relevance of the SVM.
    Committee,
}

impl ModelKind {
    /// All of them.
    pub const ALL: [ModelKind; 6] = [
        ModelKind::Bayes,
        ModelKind::Svm,
        ModelKind::SvmRbf,
        ModelKind::Network,
        ModelKind::Logistic,
        ModelKind::Committee,
    ];

    /// The name it is selected by.
    pub fn name(self) -> &'static str {
        match self {
            ModelKind::Bayes => "bayes",
            ModelKind::Svm => "svm",
            ModelKind::SvmRbf => "svm-rbf",
            ModelKind::Network => "network",
            ModelKind::Logistic => "logistic",
            ModelKind::Committee => "committee",
        }
    }

    /// The kind with that name.
    pub fn from_name(name: &str) -> Option<ModelKind> {
        ModelKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
