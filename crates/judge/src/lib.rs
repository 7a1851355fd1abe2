//! How relevant a page is to the topic, and why.
//!
//! A [`Judge`] reads a parsed page and returns a [`Judgement`]: a relevance from 0 to 1, a verdict, and the parts
//! that make up the relevance. [`TermJudge`] works from the user's own terms, without training; [`TrainedJudge`] from
//! example pages; [`TableJudge`] from the most heavily weighted words of such pages; [`QueryJudge`] from whether the
//! page contains the query. [`WrongSense`] finds the pages that no judge should see.
//!
//! [`TopicJudge`] is the one to start with: it works from words, from examples or from both, and its [`Learner`] goes on
//! learning from the pages of the crawl.
//!
//! Invariant: a judgement depends only on the page, the topic and what the learner was shown, so pages may be judged on any
//! thread in any order. A relevance is finite and within [0, 1].
//!
//! Deliberately absent: links, priorities, and any decision about what to fetch.

mod automaton;
mod dictionary;
mod fault;
mod genre;
mod genres;
mod idf;
mod kind;
mod layers;
mod matcher;
mod page_text;
mod query_judge;
mod settings;
mod similarity;
mod stemmed;
mod table_judge;
mod term_counts;
mod term_judge;
pub mod terms;
mod topic;
mod trained;
mod vocabulary;
mod wrong_sense;

use scenthound_types::{Judgement, LinkPlace, ParsedPage, StateDelta, Token, UrlKey, Verdict};

pub use crate::fault::JudgeFault;
pub use crate::genre::{
    ClassSize, DetectorKind, FeatureImportance, GenreClassFigures, GenreConfusion, GenreDetector,
    GenreFigures, GenreFolds, GenreRecognition, GenreTrainingSet, GenreTrainingSettings, GenreWords,
    KnownGenre, RecognisedBy, WithGenre, feature_names, is_of_genre,
};
pub use crate::genres::genre_terms;
pub use crate::idf::IdfTable;
pub use crate::kind::JudgeKind;
pub use crate::layers::{
    HOT, HotWords, LayerFigures, LayerGuess, LayerModel, LayerSettings, LayerTerm, LayerTrainingSet,
    MOST_LAYERS, WithLayers, layer_words,
};
pub use crate::page_text::PageText;
pub use crate::query_judge::{QueryJudge, QueryMatch};
pub use crate::settings::{Combine, DEFAULT_THRESHOLD, TermSets, TermSettings, Weights};
pub use crate::stemmed::Stemmed;
pub use crate::table_judge::{LeftToStrategy, TableJudge, TableJudgeSettings};
pub use crate::term_judge::TermJudge;
pub use crate::topic::{
    Background, FieldCounts, PageFields, TopicJudge, TopicSettings, TopicWords, compared_words,
    saved_examples, without_plural,
};
pub use crate::trained::{
    Apart, Calibrate, FeatureWeights, HoldOut, ModelKind, TellingWord, TrainedJudge, TrainingPages,
    TrainingSettings, Validation,
};
pub use crate::wrong_sense::WrongSense;

/// How relevant a few words are, by what a judge knew when it was asked for this.
pub type SnippetScorer = dyn Fn(&[Token]) -> f32;

/// Judges how relevant a page is.
pub trait Judge: Send + Sync {
    /// Judges a fetched page.
    fn judge(&self, page: &ParsedPage) -> Judgement;

    /// How relevant a few words are, from 0 to 1: an anchor, or the words around a link. It is called for every link
    /// of a page, so it must be cheap.
    fn snippet(&self, tokens: &[Token]) -> f32;

    /// The same for the words of a URL.
    fn url_snippet(&self, words: &[Token]) -> f32 {
        self.snippet(words)
    }

    /// [`Judge::snippet`] and [`Judge::url_snippet`] for all links of a page, from a judge that would otherwise look up its
    /// model again for each; none from a judge without a model that changes.
    fn snippets(&self) -> Option<Box<SnippetScorer>> {
        None
    }

    /// Judges a page and returns what must be kept of it to learn from; nothing from a judge that does not learn.
    fn judge_and_keep(&self, page: &ParsedPage) -> (Judgement, Option<Box<Lesson>>) {
        (self.judge(page), None)
    }

    /// The part that learns; none from a judge that does not.
    fn learner(&self) -> Option<&dyn Learner> {
        None
    }

    /// Which text of a page it reads. Whoever parses pages for it must look for the main text if it wants that.
    fn reads(&self) -> PageText {
        PageText::Page
    }

    /// Brings the words of a page into the form in which this judge compares them, before it is judged and before anything else
    /// reads its words or those of its links. Judges that stem do it here; most leave a page as it is.
    fn prepare(&self, _page: &mut ParsedPage) {}

    /// Where a link with these words belongs in a context graph; none from a judge without such a graph.
    fn place(&self, _anchor: &[Token]) -> Option<LinkPlace> {
        None
    }
}

/// The part of a judge that learns from the pages of a crawl. Only the thread that owns the crawl calls it; other threads may
/// judge at the same time, by what was learnt before.
pub trait Learner: Send + Sync {
    /// Shows it a page that was judged. Returns whether it has changed its mind about other pages because of it.
    fn observe(&self, key: UrlKey, lesson: Lesson) -> bool;

    /// How often it changed its mind.
    fn lessons_learnt(&self) -> u64;

    /// What must be kept of a page to learn from it.
    fn fields(&self, page: &ParsedPage) -> PageFields;

    /// The names and labels of its examples.
    fn examples(&self) -> Vec<(String, Verdict)>;

    /// Drops the examples with these names, adds others and learns from all that are left. An example with a known name takes
    /// the place of the old one.
    fn change_examples(&self, dropped: &[String], added: Vec<LabelledPage>);

    /// Stores what changed since the last call, so that it can be restored.
    fn save_changes(&self, out: &mut StateDelta);

    /// Restores what was saved, by name.
    fn restore(&self, saved: &[(String, Vec<u8>)]) -> Result<(), JudgeFault>;

    /// Keeps what it is shown from now on for other nodes of the same crawl.
    fn share_lessons(&self);

    /// What it was shown since the last call, as far as it learns from it, for other nodes.
    fn lessons(&self) -> Vec<u8>;

    /// Learns from the lessons of another node.
    fn hear_lessons(&self, lessons: &[u8]) -> Result<(), JudgeFault>;
}

/// What a judge keeps of a page it has judged, to learn from it later.
#[derive(Clone, PartialEq, Debug)]
pub struct Lesson {
    /// What is kept of the page.
    pub(crate) fields: PageFields,
    /// Its relevance, and the number of the model it was judged by.
    pub(crate) relevance: f64,
    pub(crate) model: u64,
    /// Whether the crawl started from it: people start where they expect to find something.
    pub is_seed: bool,
}

/// An example page: what a judge is told about it.
#[derive(Clone, PartialEq, Debug)]
pub struct LabelledPage {
    /// Its URL, or the path of its file.
    pub name: String,
    /// Whether it is what the user wants.
    pub label: Verdict,
    /// What is kept of it.
    pub fields: PageFields,
}
