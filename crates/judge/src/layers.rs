//! Predicts how far a page is from a target, and where its links lead, from a context graph.
//!
//! A context graph consists of the targets (layer 0) and, layer by layer, the pages that link to the previous layer.
//! [`LayerTrainingSet`] reads such pages. The resulting [`LayerModel`] predicts the layer of any page from its words
//! ([`LayerModel::layers`] + 1 for none of them), and the layer that a link with given words leads to. [`WithLayers`]
//! adds both to any judge.
//!
//! Invariant: a prediction depends only on the page, the model and the query. A predicted layer is at most N + 1.
//!
//! Deliberately absent: finding the pages that link to a page, and the order of queues.

mod anchors;
mod hot;
mod outside;
mod targets;
mod training;

use std::path::Path;
use std::sync::Arc;

use scenthound_learn::{Bag, ModelFile, MultiBayes};
use scenthound_types::text::{StopList, Token};
use scenthound_types::{Judgement, LinkPlace, Nearness, ParsedPage, Parts};
use serde::{Deserialize, Serialize};

pub use self::hot::{HOT, HotWords};
pub use self::training::{LayerFigures, LayerSettings, LayerTerm, LayerTrainingSet};

use self::anchors::AnchorTable;
use self::outside::OutsideTest;
use self::targets::TargetMean;
use crate::{Judge, JudgeFault, Learner, Lesson, PageText, SnippetScorer};

/// A model of the layers of a context graph.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct LayerModel {
    stored: Stored,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Stored {
    layers: u8,
    /// A page whose likeliest layer is less likely than this belongs to none.
    threshold: f64,
    /// How many pages of each layer the model was trained on.
    sizes: Vec<u32>,
    pages: MultiBayes,
    anchors: AnchorTable,
    targets: TargetMean,
    /// The most informative terms of each layer, the strongest first.
    told: Vec<Vec<String>>,
    /// Rejects pages outside the graph, if such pages were there to learn from.
    outside: Option<OutsideTest>,
}

impl ModelFile for LayerModel {
    const KIND: &'static str = "layers";
    // 2: adds the mean of the targets' words. 3: adds pages outside the graph.
    const VERSION: u16 = 3;
}

impl TryFrom<Stored> for LayerModel {
    type Error = &'static str;

    fn try_from(stored: Stored) -> Result<LayerModel, &'static str> {
        let classes = u32::from(stored.layers) + 1;
        let fits = stored.pages.classes() == classes
            && stored.anchors.layers() == usize::from(stored.layers) + 2
            && stored.sizes.len() == classes as usize
            && (0.0..=1.0).contains(&stored.threshold);
        if stored.layers > MOST_LAYERS || !fits {
            return Err("the layers of pages and of links do not match");
        }
        Ok(LayerModel { stored })
    }
}

impl From<LayerModel> for Stored {
    fn from(model: LayerModel) -> Stored {
        model.stored
    }
}

/// More layers than this would not fit the classes of a frontier, and would serve no purpose.
pub const MOST_LAYERS: u8 = 20;

/// How far a page is estimated to be from a target.
#[derive(Clone, PartialEq, Debug)]
pub struct LayerGuess {
    /// The likeliest layer; N + 1 if none is likely enough, or the page resembles pages outside the graph.
    pub layer: u8,
    /// How likely each of the layers 0…N is.
    pub posteriors: Vec<f64>,
    /// The mean cosine with the targets, from 0 to 1.
    pub similarity: f64,
}

impl LayerGuess {
    /// The value that ranks the page.
    pub fn nearness(&self) -> Nearness {
        Nearness {
            layer: self.layer,
            posterior: self.posteriors.first().copied().unwrap_or_default(),
            similarity: self.similarity,
        }
    }
}

impl LayerModel {
    /// N, the distance of the farthest layer.
    pub fn layers(&self) -> u8 {
        self.stored.layers
    }

    /// How many pages of each layer the model was trained on.
    pub fn sizes(&self) -> &[u32] {
        &self.stored.sizes
    }

    /// The number of terms used to classify pages.
    pub fn terms(&self) -> usize {
        self.stored.pages.terms()
    }

    /// How many words of a page count in full.
    pub fn evidence(&self) -> f64 {
        self.stored.pages.evidence()
    }

    /// The most informative terms of a layer, the strongest first.
    pub fn telling(&self, layer: u8) -> &[String] {
        self.stored
            .told
            .get(usize::from(layer))
            .map_or(&[], Vec::as_slice)
    }

    /// The layer of a page, predicted from its words.
    pub fn layer(&self, page: &ParsedPage) -> LayerGuess {
        self.guess(&Bag::new(words(page).map(|(_, token)| (token.hash(), 1.0))))
    }

    fn guess(&self, page: &Bag) -> LayerGuess {
        let posteriors = self.stored.pages.posteriors(page.counts().iter().copied());
        let is_outside = self
            .stored
            .outside
            .as_ref()
            .is_some_and(|test| test.is_outside(page));
        LayerGuess {
            layer: if is_outside {
                self.stored.layers + 1
            } else {
                likeliest_layer(&posteriors, self.stored.threshold)
            },
            posteriors,
            similarity: self.stored.targets.similarity(page),
        }
    }

    /// The layer of a page with these words.
    pub fn layer_of_words(&self, words: impl IntoIterator<Item = (u64, u32)>) -> LayerGuess {
        self.guess(&Bag::new(
            words.into_iter().map(|(word, count)| (word, count as f32)),
        ))
    }

    /// The layer that a link with these words leads to, and how similar they are to those of the links to it.
    pub fn link_layer(&self, anchor: &[Token]) -> (u8, f32) {
        self.stored.anchors.layer(anchor)
    }

    /// Writes a model file.
    pub fn save(&self, path: &Path) -> Result<(), JudgeFault> {
        Ok(ModelFile::save(self, path)?)
    }

    /// Reads a model file.
    pub fn load(path: &Path) -> Result<LayerModel, JudgeFault> {
        Ok(<LayerModel as ModelFile>::load(path)?)
    }
}

/// The likeliest layer; of equally likely ones, the nearest to the targets. One more than the last layer if the
/// likeliest is below the threshold.
fn likeliest_layer(posteriors: &[f64], threshold: f64) -> u8 {
    let mut best = (posteriors.len(), 0.0);
    for (layer, posterior) in posteriors.iter().enumerate() {
        if *posterior > best.1 {
            best = (layer, *posterior);
        }
    }
    let layer = if best.1 >= threshold {
        best.0
    } else {
        posteriors.len()
    };
    u8::try_from(layer).unwrap_or(u8::MAX)
}

/// The words of a page that layers are learnt from, in the order of the page.
pub fn layer_words(page: &ParsedPage) -> impl Iterator<Item = u64> {
    words(page).map(|(_, token)| token.hash())
}

/// The words of a page, without stop words of its language, with their positions.
fn words(page: &ParsedPage) -> impl Iterator<Item = (u32, Token)> {
    let stops = page.language.map(StopList::of);
    (0..)
        .zip(page.text.tokens().iter().copied())
        .filter(move |(_, token)| token.is_word() && !stops.is_some_and(|stops| stops.contains(*token)))
}

/// A judge that also predicts layers and places links.
pub struct WithLayers {
    /// Judges how relevant a page is.
    pub judge: Arc<dyn Judge>,
    /// Predicts how far it is from a target.
    pub model: Arc<LayerModel>,
    /// Decides which links are hot.
    pub hot: HotWords,
}

impl WithLayers {
    /// Where a link with these words belongs.
    pub fn place_of(model: &LayerModel, hot: &HotWords, anchor: &[Token]) -> LinkPlace {
        let (layer, similarity) = model.link_layer(anchor);
        LinkPlace {
            is_hot: hot.is_hot(anchor),
            layer,
            similarity,
        }
    }
}

impl Judge for WithLayers {
    fn prepare(&self, page: &mut ParsedPage) {
        self.judge.prepare(page);
    }

    fn judge(&self, page: &ParsedPage) -> Judgement {
        self.judge_and_keep(page).0
    }

    fn learner(&self) -> Option<&dyn Learner> {
        self.judge.learner()
    }

    fn judge_and_keep(&self, page: &ParsedPage) -> (Judgement, Option<Box<Lesson>>) {
        let (judged, lesson) = self.judge.judge_and_keep(page);
        let near = self.model.layer(page).nearness();
        let judgement = Judgement {
            layer: Some(near.layer),
            parts: Parts {
                nearness: Some(near),
                ..judged.parts
            },
            ..judged
        };
        (judgement, lesson)
    }

    fn snippet(&self, tokens: &[Token]) -> f32 {
        self.judge.snippet(tokens)
    }

    fn url_snippet(&self, words: &[Token]) -> f32 {
        self.judge.url_snippet(words)
    }

    fn reads(&self) -> PageText {
        self.judge.reads()
    }

    fn snippets(&self) -> Option<Box<SnippetScorer>> {
        self.judge.snippets()
    }

    fn place(&self, anchor: &[Token]) -> Option<LinkPlace> {
        Some(WithLayers::place_of(&self.model, &self.hot, anchor))
    }
}
