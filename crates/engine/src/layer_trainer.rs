//! Trains the judge's layer models for strategies.

use scenthound_judge::{HotWords, LayerModel, LayerSettings, LayerTrainingSet, WithLayers};
use scenthound_strategy::{LayerReader, LayerTrainer, TrainingPage};
use scenthound_types::{LinkPlace, Nearness, Token};

/// Trains layer models with these settings. A link is hot if it contains these words.
pub struct LayerModelTrainer {
    /// How the model is trained.
    pub settings: LayerSettings,
    /// What makes a link hot.
    pub hot: HotWords,
}

/// Strategies do not remember the sites of pages.
const SITE: &str = "";

impl LayerTrainer for LayerModelTrainer {
    fn train(&self, pages: &[TrainingPage<'_>]) -> Option<Box<dyn LayerReader>> {
        let mut training = LayerTrainingSet::new(&self.settings).ok()?;
        let tokens = |words: &[u64]| words.iter().copied().map(Token::from_hash).collect::<Vec<_>>();
        for page in pages {
            if page.layer > self.settings.layers {
                training.add_outside_words(page.words.iter().copied(), SITE);
                continue;
            }
            let links: Vec<(Vec<Token>, u8)> = page
                .links
                .iter()
                .map(|(anchor, layer)| (tokens(anchor), *layer))
                .collect();
            training.add_words(
                page.words.iter().copied(),
                page.layer,
                SITE,
                links.iter().map(|(anchor, layer)| (anchor.as_slice(), *layer)),
            );
        }
        Some(Box::new(TrainedLayers {
            model: training.train().ok()?,
            hot: self.hot.clone(),
        }))
    }
}

struct TrainedLayers {
    model: LayerModel,
    hot: HotWords,
}

impl LayerReader for TrainedLayers {
    fn nearness(&self, words: &[(u64, u32)]) -> Nearness {
        self.model.layer_of_words(words.iter().copied()).nearness()
    }

    fn place(&self, anchor: &[u64]) -> LinkPlace {
        let tokens: Vec<Token> = anchor.iter().copied().map(Token::from_hash).collect();
        WithLayers::place_of(&self.model, &self.hot, &tokens)
    }
}
