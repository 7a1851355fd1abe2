//! Tells pages of a context graph from pages outside it.
//!
//! The layers alone cannot do that: they were learnt from pages of the graph, and any page resembles one of them most.
//! Two classes, graph and outside, are learnt beside them. A page belongs to no layer if it is less likely to be of the
//! graph than nearly all pages of the graph that were held out.
//!
//! The cut follows from held-out *sites*, not pages. Targets are wanted on sites other than those of the examples, and
//! pages of a site resemble each other in words that say nothing about the topic. Where sites of the graph look no more
//! like each other than like the rest of the web, a rejection says little, and the test is dropped.

use scenthound_learn::{Bag, Folds, MultiBayes, MultiBayesSettings};
use serde::{Deserialize, Serialize};

/// Fewer pages than this, on either side, say nothing about the rest of the web.
const FEWEST: usize = 10;

/// The folds in which the cut is found, and their random seed.
const FOLDS: usize = 5;
const SEED: u64 = 1;

/// A page outside must be at least this many times as likely to be rejected as one of the graph.
const LEAST_RATIO: f64 = 2.0;

const GRAPH: u32 = 0;
const OUTSIDE: u32 = 1;

/// A page, the layer it is in (`None` for a page outside the graph) and its site.
#[derive(Clone, Copy)]
pub(super) struct Placed<'a> {
    pub bag: &'a Bag,
    pub layer: Option<u32>,
    pub site: u32,
}

/// Rejects pages outside the graph.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct OutsideTest {
    pages: MultiBayes,
    /// A page less likely to be of the graph than this is outside.
    least: f64,
}

impl OutsideTest {
    /// Learns from pages on both sides; none if there are too few of either, or if held-out pages of the two are hardly
    /// told apart. At most about a share `missed` of the held-out pages of the graph is rejected, with all layers
    /// weighted equally.
    pub(super) fn learn(pages: &[Placed<'_>], terms: usize, missed: f64) -> Option<OutsideTest> {
        let classes: Vec<u32> = pages
            .iter()
            .map(|page| if page.layer.is_some() { GRAPH } else { OUTSIDE })
            .collect();
        let outside = classes.iter().filter(|class| **class == OUTSIDE).count();
        if outside < FEWEST || classes.len() - outside < FEWEST {
            return None;
        }
        let settings = MultiBayesSettings {
            terms,
            ..MultiBayesSettings::new(2)
        };
        let sites: Vec<u32> = pages.iter().map(|page| page.site).collect();
        // Pages of a single site cannot be held out by site.
        let folds = Folds::grouped(&classes, &sites, FOLDS, SEED)
            .or_else(|_| Folds::stratified(&classes, FOLDS, SEED))
            .ok()?;
        let held_out = folds.held_out(|others, held| {
            let of = |at: &usize| Some((pages.get(*at)?.bag, *classes.get(*at)?));
            let (bags, labels): (Vec<&Bag>, Vec<u32>) = others.iter().filter_map(of).unzip();
            let model = MultiBayes::fit(&bags, &labels, &settings)?;
            let held = held.iter().filter_map(|at| pages.get(*at));
            Ok::<_, scenthound_learn::LearnFault>(held.map(|page| likelihood(&model, page.bag)).collect())
        });
        let held_out: Vec<(f64, Option<u32>)> = held_out
            .ok()?
            .into_iter()
            .zip(pages)
            .map(|(likelihood, page)| (likelihood, page.layer))
            .collect();
        let of_graph = held_out.iter().filter_map(|(is, layer)| Some((*is, (*layer)?)));
        let least = cut(of_graph.collect(), missed);
        let rejected = held_out
            .iter()
            .filter(|(is, layer)| layer.is_none() && *is < least)
            .count();
        if (rejected as f64) < LEAST_RATIO * missed * outside as f64 {
            return None;
        }
        let bags: Vec<&Bag> = pages.iter().map(|page| page.bag).collect();
        Some(OutsideTest {
            pages: MultiBayes::fit(&bags, &classes, &settings).ok()?,
            least,
        })
    }

    /// Whether a page is outside the graph.
    pub(super) fn is_outside(&self, page: &Bag) -> bool {
        likelihood(&self.pages, page) < self.least
    }
}

/// How likely a page is to be of the graph. It comes from the mean log-likelihood of the page's words, so it can be
/// compared between pages of different lengths.
fn likelihood(model: &MultiBayes, page: &Bag) -> f64 {
    let posteriors = model.posteriors(page.counts().iter().copied());
    posteriors.first().copied().unwrap_or_default()
}

/// The largest value that at most a share `missed` of the pages are below, if each layer weighs the same.
fn cut(mut pages: Vec<(f64, u32)>, missed: f64) -> f64 {
    let layers = pages
        .iter()
        .map(|(_, layer)| *layer + 1)
        .max()
        .unwrap_or_default();
    let mut sizes = vec![0_u32; layers as usize];
    for (_, layer) in &pages {
        if let Some(size) = sizes.get_mut(*layer as usize) {
            *size += 1;
        }
    }
    let filled = sizes.iter().filter(|size| **size > 0).count() as f64;
    pages.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut below = 0.0;
    for (likelihood, layer) in pages {
        let size = sizes.get(layer as usize).copied().unwrap_or(1);
        below += 1.0 / f64::from(size.max(1)) / filled;
        if below > missed {
            return likelihood;
        }
    }
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cut_leaves_out_the_given_share_of_each_layer_on_average() {
        // Layer 0 has two pages, layer 1 eight, so one page of layer 0 weighs as much as four of layer 1.
        let pages = vec![
            (0.1, 1),
            (0.2, 1),
            (0.3, 0),
            (0.4, 1),
            (0.5, 1),
            (0.6, 1),
            (0.7, 1),
            (0.8, 0),
            (0.9, 1),
            (0.95, 1),
        ];
        assert_eq!(cut(pages.clone(), 0.0), 0.1);
        assert_eq!(cut(pages.clone(), 0.1), 0.2);
        assert_eq!(cut(pages.clone(), 0.2), 0.3);
        assert_eq!(cut(pages, 0.4), 0.4);
    }
}
