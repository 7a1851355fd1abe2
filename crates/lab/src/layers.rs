//! Context graphs around a task's positive examples, learnt once and shared by all crawls of a trial.
//!
//! The back-links come from the web itself. Search engines once provided them.

use std::sync::{Arc, OnceLock};

use scenthound_config::Settings;
use scenthound_engine::link_place;
use scenthound_graph::{BackLinks, ContextGraph, ContextSettings, TooMany};
use scenthound_judge::{HotWords, Judge, LayerModel, LayerSettings, LayerTrainingSet, WithLayers};
use scenthound_types::{Judgement, LinkPlace, Nearness, ParsedPage, Parts, Token, Verdict};

use crate::error::LabError;
use crate::opinion::{Opinion, PageJudge};
use crate::recorded::PageId;
use crate::session::{Lab, LabEvent};
use crate::trial::Trial;
use crate::web::Web;

/// The back-links of a web: one pass to count, one to fill.
pub fn back_links(web: &dyn Web) -> Result<BackLinks, TooMany> {
    let pages = u32::try_from(web.pages()).map_err(|_| TooMany)?;
    let mut neighbours = Vec::new();
    BackLinks::new(pages, |add| {
        for page in 0..pages {
            neighbours.clear();
            web.neighbours(PageId(page), &mut neighbours);
            for target in &neighbours {
                add(page, target.0);
            }
        }
        Ok::<_, TooMany>(())
    })
}

/// Reads the targets of a context graph and a limited number of pages from each layer beyond, and as many from outside it. In a dense web half of all pages are
/// two links away from a target: a search engine would not have returned them all, and training on all of them would take long.
fn training(
    web: &dyn Web,
    graph: &ContextGraph,
    settings: &LayerSettings,
    per_layer: usize,
) -> Result<LayerTrainingSet, LabError> {
    let mut training = LayerTrainingSet::new(settings)?;
    for (layer, pages) in (0_u8..).zip(graph.layers()) {
        let most = if layer == 0 { usize::MAX } else { per_layer };
        for page in spread(pages, most) {
            if let Some(parsed) = web.page(PageId(*page)) {
                training.add(&parsed, layer, |url| graph.layer_of(web.page_at(url)?.0));
            }
        }
    }
    let outside: Vec<u32> = (0..web.pages() as u32)
        .filter(|page| graph.layer_of(*page).is_none())
        .collect();
    for page in spread(&outside, per_layer) {
        if let Some(parsed) = web.page(PageId(*page)) {
            training.add_outside(&parsed);
        }
    }
    Ok(training)
}

/// At most this many, spread evenly over all.
fn spread(pages: &[u32], most: usize) -> impl Iterator<Item = &u32> {
    let kept = most.min(pages.len());
    (0..kept).filter_map(move |at| pages.get(at * pages.len() / kept))
}

/// The settings for learning layers, taken from those of a strategy.
fn layer_settings(settings: &Settings) -> LayerSettings {
    LayerSettings {
        threshold: settings.strategy.layer_threshold,
        evidence: settings.strategy.layer_evidence,
        missed: settings.strategy.layer_missed,
        ..LayerSettings::default()
    }
}

/// The layers of a web's pages according to one model. Each page is read once.
pub struct Layers {
    model: Arc<LayerModel>,
    hot: HotWords,
    read: Vec<OnceLock<(Nearness, Box<[LinkPlace]>)>>,
}

impl Lab<'_> {
    /// The layers of a trial's pages under a strategy's settings, shared by all crawls.
    pub(crate) fn layers(&self, trial: &Trial, settings: &Settings) -> Result<Arc<Layers>, LabError> {
        let key = format!(
            "{} {} {} {:?} {} {:?}",
            trial.web_name,
            trial.web.pages(),
            trial.task.name,
            settings.strategy.layers,
            settings.strategy.hot_threshold,
            (layer_settings(settings), settings.strategy.per_layer)
        );
        let slot = {
            let mut known = self
                .layers
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner());
            known.entry(key).or_default().clone()
        };
        // Outside the lock, so that crawls of other trials can go on.
        let made = slot.get_or_init(|| self.learn_layers(trial, settings).map(Arc::new).map_err(Arc::new));
        made.clone().map_err(LabError::Shared)
    }

    fn learn_layers(&self, trial: &Trial, settings: &Settings) -> Result<Layers, LabError> {
        let model = match &settings.strategy.layers {
            Some(path) => LayerModel::load(path)?,
            None => self.layer_model(
                trial,
                &layer_settings(settings),
                settings.strategy.per_layer as usize,
            )?,
        };
        Ok(Layers {
            model: Arc::new(model),
            hot: HotWords::new(&trial.task.query, settings.strategy.hot_threshold),
            read: (0..trial.web.pages()).map(|_| OnceLock::new()).collect(),
        })
    }

    /// A model of the context graph around the task's positive examples.
    fn layer_model(
        &self,
        trial: &Trial,
        settings: &LayerSettings,
        per_layer: usize,
    ) -> Result<LayerModel, LabError> {
        let (graph, training) = context(trial, settings, per_layer)?;
        let model = training.train().map_err(|fault| LabError::Judge {
            task: trial.task.name.clone(),
            fault,
        })?;
        self.tell(LabEvent::ContextGraph {
            task: &trial.task.name,
            layers: &graph.sizes(),
            learnt_from: training.pages(),
            evidence: model.evidence(),
        });
        Ok(model)
    }
}

/// As many pages of each layer as the strategy `layered` learns from by default (`per-layer`).
const PER_LAYER: usize = 200;

/// The pages of the context graph around the task's positive examples.
pub fn context_pages(trial: &Trial) -> Result<LayerTrainingSet, LabError> {
    Ok(context(trial, &LayerSettings::default(), PER_LAYER)?.1)
}

/// The context graph around the task's positive examples, and its pages as read for training.
fn context(
    trial: &Trial,
    settings: &LayerSettings,
    per_layer: usize,
) -> Result<(ContextGraph, LayerTrainingSet), LabError> {
    let targets: Vec<u32> = trial.pages.positive.iter().map(|page| page.0).collect();
    if targets.is_empty() {
        return Err(LabError::NoExamples {
            task: trial.task.name.clone(),
        });
    }
    let back_links = back_links(trial.web.as_ref())?;
    let graph = ContextGraph::around(&back_links, &targets, &ContextSettings::default());
    let training = training(trial.web.as_ref(), &graph, settings, per_layer)?;
    Ok((graph, training))
}

impl Layers {
    fn of(&self, web: &dyn Web, page: PageId) -> Option<&(Nearness, Box<[LinkPlace]>)> {
        let read = self.read.get(page.0 as usize)?;
        if read.get().is_none() {
            let parsed = web.page(page)?;
            let near = self.model.layer(&parsed).nearness();
            let places = parsed
                .links
                .iter()
                .filter_map(|link| link_place(self, &parsed, link));
            // Another thread may have been faster; its result is the same.
            let _ = read.set((near, places.collect()));
        }
        read.get()
    }
}

/// Used only for the places of links.
impl Judge for Layers {
    fn judge(&self, page: &ParsedPage) -> Judgement {
        Judgement {
            relevance: 0.0,
            verdict: Verdict::Irrelevant,
            genre: None,
            layer: Some(self.model.layer(page).layer),
            parts: Parts::default(),
        }
    }

    fn snippet(&self, _tokens: &[Token]) -> f32 {
        0.0
    }

    fn place(&self, anchor: &[Token]) -> Option<LinkPlace> {
        Some(WithLayers::place_of(&self.model, &self.hot, anchor))
    }
}

/// A judge that also finds layers and places.
pub struct InLayers<'j> {
    pub judge: &'j dyn PageJudge,
    pub layers: Arc<Layers>,
}

impl PageJudge for InLayers<'_> {
    fn opinion(&self, web: &dyn Web, page: PageId, snippets: bool) -> Opinion {
        let mut opinion = self.judge.opinion(web, page, snippets);
        if let Some((near, places)) = self.layers.of(web, page) {
            opinion.judgement.layer = Some(near.layer);
            opinion.judgement.parts.nearness = Some(*near);
            opinion.places = places.to_vec();
        }
        opinion
    }

    fn learner(&self) -> Option<std::sync::Arc<dyn scenthound_judge::Judge>> {
        self.judge.learner()
    }
}
