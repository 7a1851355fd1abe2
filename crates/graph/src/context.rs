//! The context graph of targets: who links to them, who links to those, and so on.

use std::collections::BTreeMap;

use crate::BackLinks;

/// How far a context graph reaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ContextSettings {
    /// N, the distance of the farthest layer.
    pub layers: u8,
    /// Pages kept of each layer beyond the targets; the first by number. None: all.
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

/// Targets and the pages that lead to them, by the shortest distance.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContextGraph {
    layers: Vec<Vec<u32>>,
    layer_of: BTreeMap<u32, u8>,
}

impl ContextGraph {
    /// The graph around targets: layer i holds the pages whose shortest way to a target has i links.
    pub fn around(back_links: &BackLinks, targets: &[u32], settings: &ContextSettings) -> ContextGraph {
        let mut layer_of = BTreeMap::new();
        let mut layers: Vec<Vec<u32>> = Vec::new();
        let mut layer: Vec<u32> = targets.to_vec();
        layer.sort_unstable();
        layer.dedup();
        layer_of.extend(layer.iter().map(|page| (*page, 0)));
        for distance in 1..=settings.layers {
            let mut next: Vec<u32> = layer
                .iter()
                .flat_map(|page| back_links.to(*page))
                .copied()
                .filter(|page| !layer_of.contains_key(page))
                .collect();
            next.sort_unstable();
            next.dedup();
            next.truncate(settings.most_per_layer.unwrap_or(usize::MAX));
            layer_of.extend(next.iter().map(|page| (*page, distance)));
            layers.push(std::mem::replace(&mut layer, next));
        }
        layers.push(layer);
        ContextGraph { layers, layer_of }
    }

    /// A graph whose layers are known, targets first; a page in two of them belongs to the first.
    pub fn of_layers(layers: Vec<Vec<u32>>) -> ContextGraph {
        let mut layer_of = BTreeMap::new();
        for (distance, pages) in (0_u8..=u8::MAX).zip(&layers) {
            for page in pages {
                layer_of.entry(*page).or_insert(distance);
            }
        }
        ContextGraph { layers, layer_of }
    }

    /// The pages of each layer, ascending, targets first.
    pub fn layers(&self) -> &[Vec<u32>] {
        &self.layers
    }

    /// How many pages each layer has.
    pub fn sizes(&self) -> Vec<usize> {
        self.layers.iter().map(Vec::len).collect()
    }

    /// The layer of a page; none where it is not in the graph.
    pub fn layer_of(&self, page: u32) -> Option<u8> {
        self.layer_of.get(&page).copied()
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
    fn what_a_full_layer_leaves_out_is_in_no_layer_before_it() {
        let settings = ContextSettings {
            layers: 2,
            most_per_layer: Some(1),
        };
        let context = ContextGraph::around(&graph(), &[0, 1], &settings);
        assert_eq!(context.layers(), [vec![0, 1], vec![2], vec![4]]);
    }
}
