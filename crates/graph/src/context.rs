//! The context graph of targets: the pages that link to them, the pages that link to those, and so on.

use std::collections::BTreeMap;
use std::convert::Infallible;

use xxhash_rust::xxh3::xxh3_64;

use crate::BackLinks;

/// How far a context graph reaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ContextSettings {
    /// N, the distance of the farthest layer.
    pub layers: u8,
    /// How many pages to keep of each layer beyond the targets, picked evenly by a hash of their numbers. `None`
    /// keeps all. Distances are those in the whole graph either way.
    pub most_per_layer: Option<usize>,
}

impl Default for ContextSettings {
    fn default() -> ContextSettings {
        ContextSettings {
            layers: 4,
            most_per_layer: None,
        }
    }
}

/// Targets and the pages that lead to them, by shortest distance.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContextGraph {
    layers: Vec<Vec<u32>>,
    layer_of: BTreeMap<u32, u8>,
}

impl ContextGraph {
    /// The graph around targets: layer i holds the pages whose shortest path to a target has i links.
    pub fn around(back_links: &BackLinks, targets: &[u32], settings: &ContextSettings) -> ContextGraph {
        let around = ContextGraph::around_by(targets, settings, |page, out| {
            out.extend_from_slice(back_links.to(page));
            Ok::<_, Infallible>(())
        });
        match around {
            Ok(graph) => graph,
            Err(never) => match never {},
        }
    }

    /// The same, but asks for the pages that link to a page one page at a time.
    pub fn around_by<Fault>(
        targets: &[u32],
        settings: &ContextSettings,
        mut back_links: impl FnMut(u32, &mut Vec<u32>) -> Result<(), Fault>,
    ) -> Result<ContextGraph, Fault> {
        let mut layer_of = BTreeMap::new();
        let mut layers: Vec<Vec<u32>> = Vec::new();
        let mut layer: Vec<u32> = targets.to_vec();
        layer.sort_unstable();
        layer.dedup();
        layer_of.extend(layer.iter().map(|page| (*page, 0)));
        let mut sources = Vec::new();
        for distance in 1..=settings.layers {
            let mut next: Vec<u32> = Vec::new();
            for page in &layer {
                sources.clear();
                back_links(*page, &mut sources)?;
                next.extend(sources.iter().filter(|page| !layer_of.contains_key(page)));
            }
            next.sort_unstable();
            next.dedup();
            layer_of.extend(next.iter().map(|page| (*page, distance)));
            layers.push(std::mem::replace(&mut layer, next));
        }
        layers.push(layer);
        // Only now: a page that leads to one that was left out would seem farther away than it is, or nowhere near.
        if let Some(most) = settings.most_per_layer {
            for layer in layers.iter_mut().skip(1) {
                sample(layer, most);
            }
        }
        Ok(ContextGraph { layers, layer_of })
    }

    /// Builds a graph from known layers, targets first. A page in two layers belongs to the first.
    pub fn of_layers(layers: Vec<Vec<u32>>) -> ContextGraph {
        let mut layer_of = BTreeMap::new();
        for (distance, pages) in (0_u8..=u8::MAX).zip(&layers) {
            for page in pages {
                layer_of.entry(*page).or_insert(distance);
            }
        }
        ContextGraph { layers, layer_of }
    }

    /// The pages kept of each layer in ascending order, targets first.
    pub fn layers(&self) -> &[Vec<u32>] {
        &self.layers
    }

    /// How many pages are kept of each layer.
    pub fn sizes(&self) -> Vec<usize> {
        self.layers.iter().map(Vec::len).collect()
    }

    /// The layer of a page, kept or not; `None` if it is farther away than all layers.
    pub fn layer_of(&self, page: u32) -> Option<u8> {
        self.layer_of.get(&page).copied()
    }
}

/// Keeps at most this many pages, in ascending order.
fn sample(pages: &mut Vec<u32>, most: usize) {
    if pages.len() > most {
        // The first by number would all belong to one site.
        pages.sort_unstable_by_key(|page| xxh3_64(&page.to_le_bytes()));
        pages.truncate(most);
        pages.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TooMany;

    /// 0 and 1 are targets.
    ///
    /// ```text
    /// 5 → 4 → 2 → 0     3 → 1     2 → 3     0 → 4     6 alone
    /// ```
    fn graph() -> BackLinks {
        BackLinks::new(7, |tell| {
            for (source, target) in [(5, 4), (4, 2), (2, 0), (3, 1), (2, 3), (0, 4)] {
                tell(source, target);
            }
            Ok::<_, TooMany>(())
        })
        .unwrap()
    }

    #[test]
    fn layers_are_shortest_distances() {
        let context = ContextGraph::around(&graph(), &[1, 0, 1], &ContextSettings::default());
        assert_eq!(
            context.layers(),
            [vec![0, 1], vec![2, 3], vec![4], vec![5], vec![]]
        );
        assert_eq!(context.sizes(), [2, 2, 1, 1, 0]);
        assert_eq!((context.layer_of(4), context.layer_of(6)), (Some(2), None));
    }

    #[test]
    fn a_layer_is_thinned_after_every_page_has_its_distance() {
        let settings = ContextSettings {
            layers: 2,
            most_per_layer: Some(1),
        };
        let context = ContextGraph::around(&graph(), &[0, 1], &settings);
        assert_eq!(context.sizes(), [2, 1, 1]);
        // 2 and 3 lead to targets. Whichever is kept, 4 is two links away and neither of the others is.
        assert!([2, 3].contains(&context.layers()[1][0]));
        assert_eq!(context.layers()[2], [4]);
        assert_eq!(
            [2, 3, 4].map(|page| context.layer_of(page)),
            [Some(1), Some(1), Some(2)]
        );
    }
}
