//! The pages of a context graph as a training set: what the pages at each distance from a target look like.

use std::collections::BTreeMap;

use scenthound_graph::{ContextList, LayerLookup, is_host};
use scenthound_judge::{JudgeFault, LayerSettings, LayerTrainingSet};
use scenthound_types::{CanonicalUrl, Keyring, ParsedPage};

/// Pages kept to measure how long finding the layer of a page takes.
const KEPT: usize = 200;

/// Pages in no layer to learn from.
const OUTSIDE: usize = 500;

/// A training set of layers while its pages are read.
pub struct LayerPages {
    /// The training set.
    pub training: LayerTrainingSet,
    /// The pages read of each layer, targets first.
    pub sizes: Vec<u64>,
    /// Some of the pages, for timing.
    pub kept: Vec<ParsedPage>,
    /// Pages in no layer, by a hash of their URLs: a sample of all that were offered.
    outside: BTreeMap<u64, ParsedPage>,
}

impl LayerPages {
    /// An empty set.
    pub fn new(settings: &LayerSettings) -> Result<LayerPages, JudgeFault> {
        Ok(LayerPages {
            training: LayerTrainingSet::new(settings)?,
            sizes: vec![0; usize::from(settings.layers) + 1],
            kept: Vec::new(),
            outside: BTreeMap::new(),
        })
    }

    /// Offers a page that is in no layer. Of all such pages some are learnt from.
    pub fn offer_outside(&mut self, page: ParsedPage) {
        let key = Keyring::new(0).key(&page.url);
        self.outside.insert(key.0, page);
        if self.outside.len() > OUTSIDE {
            self.outside.pop_last();
        }
    }

    /// Adds the sample of pages in no layer to the training set. To be called once all pages have been read.
    pub fn take_outside(&mut self) {
        for page in std::mem::take(&mut self.outside).into_values() {
            self.training.add_outside(&page);
        }
    }

    /// Adds a page of a layer. `resolve` says where a URL redirects to, if that is known.
    pub fn add(
        &mut self,
        page: ParsedPage,
        layer: u8,
        layers: &LayerLookup,
        resolve: impl Fn(&CanonicalUrl) -> Option<CanonicalUrl>,
    ) {
        let Some(size) = self.sizes.get_mut(usize::from(layer)) else {
            return;
        };
        *size += 1;
        self.training.add(&page, layer, |url| {
            // A link to a redirect leads to the layer of its target.
            layers.target(url).or_else(|| layers.target(&resolve(url)?))
        });
        if self.kept.len() < KEPT {
            self.kept.push(page);
        }
    }
}

/// The URLs of all pages of the layers; for hosts, those of their home pages.
pub fn layer_urls(list: &ContextList) -> Vec<String> {
    let url = |name: &String| match is_host(name) {
        true => format!("https://{name}/"),
        false => name.clone(),
    };
    list.layers().iter().flatten().map(url).collect()
}
