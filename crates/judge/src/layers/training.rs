//! Learning the layers of a context graph from its pages.

use std::collections::BTreeMap;

use scenthound_learn::{Bag, BayesPrior, ClassFigures, Folds, MultiBayes, MultiBayesSettings, best_terms};
use scenthound_types::{CanonicalUrl, ParsedPage, Token};

use super::anchors::AnchorSums;
use super::outside::{OutsideTest, Placed};
use super::targets::TargetMean;
use super::{LayerModel, MOST_LAYERS, Stored, likeliest_layer, words};
use crate::JudgeFault;

/// How layers are learnt.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LayerSettings {
    /// N, the distance of the farthest layer.
    pub layers: u8,
    /// The number of terms used to classify pages.
    pub terms: usize,
    /// A page whose likeliest layer is less likely than this belongs to none.
    pub threshold: f64,
    /// How many words of a page count in full. None: as many as classify held-out pages best.
    pub evidence: Option<f64>,
    /// Whether larger layers have a higher prior probability.
    pub prior: BayesPrior,
    /// The share of the graph's own pages that may be taken for pages outside it; 0 to learn from the graph alone.
    pub missed: f64,
}

impl Default for LayerSettings {
    fn default() -> LayerSettings {
        LayerSettings {
            layers: 4,
            terms: 2000,
            threshold: 0.5,
            evidence: None,
            prior: BayesPrior::Even,
            missed: 0.1,
        }
    }
}

/// How well layers are predicted for pages held out of training.
#[derive(Clone, PartialEq, Debug)]
pub struct LayerFigures {
    /// Figures over the layers; the one beyond them (none likely enough) is last.
    pub figures: ClassFigures,
    /// How many folds there were.
    pub folds: u32,
}

/// A term that tells layers apart.
#[derive(Clone, PartialEq, Debug)]
pub struct LayerTerm {
    /// The hash of its token.
    pub key: u64,
    /// How it is spelt.
    pub spelling: Box<str>,
    /// Its highest χ² against any single layer.
    pub chi_square: f64,
}

/// How many words count in full if that cannot be measured.
const EVIDENCE: f64 = 20.0;

/// The folds in which the evidence is chosen, and their random seed.
const FOLDS: usize = 5;
const SEED: u64 = 1;

/// Informative terms kept with a model, per layer.
const TOLD: usize = 50;

/// The pages of a context graph, as read for training.
pub struct LayerTrainingSet {
    settings: LayerSettings,
    bags: Vec<Bag>,
    classes: Vec<u32>,
    /// The site of each page.
    sites: Vec<u32>,
    /// Pages outside the graph, and their sites.
    outside: Vec<(Bag, u32)>,
    /// Numbers of sites.
    site_numbers: BTreeMap<Box<str>, u32>,
    anchors: AnchorSums,
    spellings: BTreeMap<u64, Box<str>>,
}

impl LayerTrainingSet {
    /// An empty training set.
    pub fn new(settings: &LayerSettings) -> Result<LayerTrainingSet, JudgeFault> {
        if settings.layers == 0 || settings.layers > MOST_LAYERS {
            return Err(JudgeFault::Layers {
                layers: settings.layers,
                most: MOST_LAYERS,
            });
        }
        if !(0.0..=1.0).contains(&settings.threshold) {
            return Err(JudgeFault::Threshold {
                value: settings.threshold,
            });
        }
        Ok(LayerTrainingSet {
            settings: *settings,
            bags: Vec::new(),
            classes: Vec::new(),
            sites: Vec::new(),
            outside: Vec::new(),
            site_numbers: BTreeMap::new(),
            anchors: AnchorSums::new(settings.layers + 2),
            spellings: BTreeMap::new(),
        })
    }

    /// Adds a page of a layer. `layer_of` gives the layer of each page it links to; none if that is not in the graph.
    pub fn add(&mut self, page: &ParsedPage, layer: u8, layer_of: impl Fn(&CanonicalUrl) -> Option<u8>) {
        for (at, token) in words(page) {
            self.spellings
                .entry(token.hash())
                .or_insert_with(|| page.text.spelling(at).into());
        }
        self.bags
            .push(Bag::new(words(page).map(|(_, token)| (token.hash(), 1.0))));
        self.classes.push(u32::from(layer));
        let site = self.site(page.url.host());
        self.sites.push(site);
        for link in &page.links {
            let anchor = page.text.run(&link.anchor);
            let anchor = if anchor.iter().any(|token| token.is_word()) {
                anchor
            } else {
                page.asides.run(&link.title)
            };
            let beyond = self.settings.layers + 1;
            self.anchors
                .add(anchor, layer_of(&link.url).unwrap_or(beyond).min(beyond));
        }
    }

    /// The number of a site.
    fn site(&mut self, host: &str) -> u32 {
        let next = self.site_numbers.len() as u32;
        *self.site_numbers.entry(host.into()).or_insert(next)
    }

    /// Adds a page that is in none of the layers, such as any page far from all targets.
    pub fn add_outside(&mut self, page: &ParsedPage) {
        let site = self.site(page.url.host());
        let bag = Bag::new(words(page).map(|(_, token)| (token.hash(), 1.0)));
        self.outside.push((bag, site));
    }

    /// The same for the words of a page, with their counts, and its site.
    pub fn add_outside_words(&mut self, words: impl IntoIterator<Item = (u64, u32)>, site: &str) {
        let site = self.site(site);
        let counted = words.into_iter().map(|(word, count)| (word, count as f32));
        self.outside.push((Bag::new(counted), site));
    }

    /// Adds a page of a layer, given its words and their counts, its site, and its links with their words and the layers
    /// they lead to.
    pub fn add_words<'a>(
        &mut self,
        words: impl IntoIterator<Item = (u64, u32)>,
        layer: u8,
        site: &str,
        links: impl IntoIterator<Item = (&'a [Token], u8)>,
    ) {
        let counted = words.into_iter().map(|(word, count)| (word, count as f32));
        self.bags.push(Bag::new(counted));
        self.classes.push(u32::from(layer));
        let site = self.site(site);
        self.sites.push(site);
        let beyond = self.settings.layers + 1;
        for (anchor, layer) in links {
            self.anchors.add(anchor, layer.min(beyond));
        }
    }

    /// The number of pages read that are in a layer.
    pub fn pages(&self) -> usize {
        self.bags.len()
    }

    /// The number of pages read that are in none.
    pub fn outside_pages(&self) -> usize {
        self.outside.len()
    }

    /// The terms that best tell the layers apart, best first.
    pub fn best_terms(&self, most: usize) -> Vec<LayerTerm> {
        let bags: Vec<&Bag> = self.bags.iter().collect();
        let spelt = |key: u64| self.spellings.get(&key).cloned();
        let best = best_terms(&bags, &self.classes, most).into_iter();
        best.filter_map(|(key, chi_square)| {
            let spelling = spelt(key)?;
            Some(LayerTerm {
                key,
                spelling,
                chi_square,
            })
        })
        .collect()
    }

    /// Every term of the pages in layers, with the number of pages that have it, by ascending key.
    pub fn vocabulary(&self) -> Vec<(u64, u32)> {
        let mut pages: BTreeMap<u64, u32> = BTreeMap::new();
        for (key, _) in self.bags.iter().flat_map(Bag::counts) {
            *pages.entry(*key).or_default() += 1;
        }
        pages.into_iter().collect()
    }

    /// What tells pages of the graph from others.
    fn outside_test(&self) -> Option<OutsideTest> {
        if self.settings.missed <= 0.0 {
            return None;
        }
        let inside = self.bags.iter().zip(&self.classes).zip(&self.sites);
        let inside = inside.map(|((bag, layer), site)| Placed {
            bag,
            layer: Some(*layer),
            site: *site,
        });
        let outside = self.outside.iter().map(|(bag, site)| Placed {
            bag,
            layer: None,
            site: *site,
        });
        let all: Vec<Placed<'_>> = inside.chain(outside).collect();
        OutsideTest::learn(&all, self.settings.terms, self.settings.missed)
    }

    /// Settings for training on these pages. If no evidence is given, it is chosen on these pages alone.
    fn bayes(&self, bags: &[&Bag], classes: &[u32]) -> MultiBayesSettings {
        let plain = MultiBayesSettings {
            terms: self.settings.terms,
            prior: self.settings.prior,
            ..MultiBayesSettings::new(u32::from(self.settings.layers) + 1)
        };
        let evidence = match self.settings.evidence {
            Some(evidence) => evidence,
            None => self.best_evidence(bags, classes, &plain),
        };
        MultiBayesSettings { evidence, ..plain }
    }

    /// The evidence that puts held-out pages into the queues nearest to their layers. A page assigned to none of the
    /// layers waits in the queue after the last, so posteriors too flat for the threshold show up as a cost.
    fn best_evidence(&self, bags: &[&Bag], classes: &[u32], settings: &MultiBayesSettings) -> f64 {
        let found = Folds::stratified(classes, FOLDS.min(classes.len()), SEED).and_then(|folds| {
            MultiBayes::best_evidence(bags, classes, settings, &folds, |posteriors, class| {
                let told = likeliest_layer(posteriors, self.settings.threshold);
                u32::from(told).abs_diff(class).into()
            })
        });
        // Layers of only a page or two cannot be held out.
        found.unwrap_or(EVIDENCE)
    }

    /// Builds the model.
    pub fn train(&self) -> Result<LayerModel, JudgeFault> {
        let bags: Vec<&Bag> = self.bags.iter().collect();
        let pages = MultiBayes::fit(&bags, &self.classes, &self.bayes(&bags, &self.classes))?;
        let mut sizes = vec![0; usize::from(self.settings.layers) + 1];
        for class in &self.classes {
            if let Some(size) = sizes.get_mut(*class as usize) {
                *size += 1;
            }
        }
        let told = (0..=u32::from(self.settings.layers))
            .map(|layer| {
                let telling = pages.telling(layer, TOLD).into_iter();
                telling
                    .filter_map(|term| self.spellings.get(&term.key))
                    .map(|spelling| spelling.to_string())
                    .collect()
            })
            .collect();
        let targets = self
            .bags
            .iter()
            .zip(&self.classes)
            .filter(|(_, class)| **class == 0);
        Ok(LayerModel {
            stored: Stored {
                layers: self.settings.layers,
                threshold: self.settings.threshold,
                sizes,
                pages,
                anchors: self.anchors.table(),
                targets: TargetMean::of(targets.map(|(bag, _)| bag)),
                told,
                outside: self.outside_test(),
            },
        })
    }

    /// How well layers are predicted for pages that were not trained on.
    pub fn cross_validate(&self, folds: usize, seed: u64) -> Result<LayerFigures, JudgeFault> {
        let folds = Folds::stratified(&self.classes, folds, seed)?;
        let answers = folds.held_out(|others, held| {
            let bags: Vec<&Bag> = others.iter().filter_map(|at| self.bags.get(*at)).collect();
            let classes: Vec<u32> = others
                .iter()
                .filter_map(|at| self.classes.get(*at).copied())
                .collect();
            let model = MultiBayes::fit(&bags, &classes, &self.bayes(&bags, &classes))?;
            let answers = held.iter().filter_map(|at| self.bags.get(*at)).map(|bag| {
                let posteriors = model.posteriors(bag.counts().iter().copied());
                u32::from(likeliest_layer(&posteriors, self.settings.threshold))
            });
            Ok::<_, JudgeFault>(answers.collect())
        })?;
        Ok(LayerFigures {
            figures: ClassFigures::new(&self.classes, &answers, u32::from(self.settings.layers) + 2),
            folds: folds.count(),
        })
    }
}
