//! The kinds of classifier a judge can be trained as.

use serde::{Deserialize, Serialize};

/// What a trained judge decides by.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum ModelKind {
    /// Multinomial naive Bayes.
    Bayes,
    /// A linear support vector machine.
    Svm,
    /// One with a Gaussian kernel.
    SvmRbf,
    /// A feed-forward network with four hidden nodes.
    Network,
    /// Logistic regression.
    Logistic,
    /// Linear SVM, kernel-density naive Bayes and network: the verdict of two of three, the relevance of the SVM.
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

    /// The name people choose it by.
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

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<ModelKind> {
        ModelKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
