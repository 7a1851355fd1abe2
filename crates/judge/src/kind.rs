//! The judges there are, by the names they are chosen by.

use scenthound_types::named_enum;

use crate::ModelKind;

named_enum! {
    /// How pages are judged.
    #[derive(Default)]
    pub enum JudgeKind {
        /// A retrieval model for words, examples or both, which goes on learning while it crawls.
        #[default]
        Topic = "topic",
        /// Similarity to the topic's genre, content and URL terms; needs no training.
        Terms = "terms",
        /// Naive Bayes, trained on example pages.
        Bayes = "bayes",
        /// A linear support vector machine, trained on example pages.
        Svm = "svm",
        /// A support vector machine with a Gaussian kernel, trained on example pages.
        SvmRbf = "svm-rbf",
        /// A small feed-forward network, trained on example pages.
        Network = "network",
        /// Logistic regression, trained on example pages.
        Logistic = "logistic",
        /// A vote of SVM, naive Bayes and network, trained on example pages.
        Committee = "committee",
        /// Whether the page contains the words of the query.
        Query = "query",
        /// Similarity to a table of weighted words, from a file or learnt by the strategy table.
        Table = "table",
    }
}

impl JudgeKind {
    /// The kind of model it reads, if it is a trained judge.
    pub fn model(self) -> Option<ModelKind> {
        match self {
            JudgeKind::Bayes => Some(ModelKind::Bayes),
            JudgeKind::Svm => Some(ModelKind::Svm),
            JudgeKind::SvmRbf => Some(ModelKind::SvmRbf),
            JudgeKind::Network => Some(ModelKind::Network),
            JudgeKind::Logistic => Some(ModelKind::Logistic),
            JudgeKind::Committee => Some(ModelKind::Committee),
            JudgeKind::Topic | JudgeKind::Terms | JudgeKind::Query | JudgeKind::Table => None,
        }
    }
}
