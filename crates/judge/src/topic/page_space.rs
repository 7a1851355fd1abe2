//! Where pages lie among the pages seen: near each other if they are about the same, whatever words they use.
//!
//! The space is found by latent semantic analysis of the pages that the judge learns from, so it needs to know no language,
//! and its directions are those in which the pages of this very crawl differ.

use std::collections::HashMap;
use std::sync::Arc;

use scenthound_learn::{LATENT, LatentSpace, Position, SparseRows, SparseVector, nearness};

use super::ById;
use super::feedback::values;
use super::fields::PageFields;
use super::words::Rarity;

/// Terms on fewer pages tie no pages together.
const LEAST_PAGES: u32 = 2;
/// A position of which nothing is known.
pub(super) const NOWHERE: Position = [0.0; LATENT];

/// The space of some pages.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct PageSpace {
    features: HashMap<u32, u32, ById>,
    space: LatentSpace,
}

impl PageSpace {
    /// The space of these pages; `None` if there are too few.
    pub(super) fn new(pages: &[&PageFields], rarity: &Rarity) -> Option<PageSpace> {
        // In an order that follows from the pages themselves: the nodes of a cluster, and a crawl that is repeated, know the
        // same pages by other keys, and are to find the same space to the last digit.
        let mut pages = pages.to_vec();
        pages.sort_by(|a, b| a.terms().map(|(id, _)| id).cmp(b.terms().map(|(id, _)| id)));
        let mut counts: HashMap<u32, u32, ById> = HashMap::default();
        for (id, _) in pages.iter().flat_map(|page| page.terms()) {
            *counts.entry(id).or_default() += 1;
        }
        let mut features: HashMap<u32, u32, ById> = HashMap::default();
        let sites: Vec<u32> = pages.iter().map(|page| page.site()).collect();
        let mut rows = SparseRows::new(0);
        for page in &pages {
            let mut squares = 0.0;
            let mut row = Vec::new();
            for (id, value) in values(page, rarity) {
                squares += value * value;
                if counts.get(&id).is_some_and(|count| *count >= LEAST_PAGES) {
                    let next = features.len() as u32;
                    row.push((*features.entry(id).or_insert(next), value));
                }
            }
            let length = f64::max(squares.sqrt(), 1e-9);
            let row = row
                .into_iter()
                .map(|(feature, value)| (feature, (value / length) as f32));
            rows.push(SparseVector::new(row.collect()).row());
        }
        let space = LatentSpace::fit(&rows, &sites)?;
        Some(PageSpace { features, space })
    }

    /// Where a page lies.
    pub(super) fn position(&self, page: &PageFields, rarity: &Rarity) -> Position {
        let mut sum = NOWHERE;
        let mut squares = 0.0;
        for (id, value) in values(page, rarity) {
            squares += value * value;
            if let Some(feature) = self.features.get(&id) {
                self.space.add_feature(&mut sum, *feature, value as f32);
            }
        }
        let length = f64::max(squares.sqrt(), 1e-9) as f32;
        sum.iter_mut().for_each(|number| *number /= length);
        self.space.position(sum)
    }
}

/// The middle of some pages in their space.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Centre {
    space: Arc<PageSpace>,
    position: Position,
    /// How near the ten nearest pages are on average: what counts as 1.
    full: f64,
}

impl Centre {
    /// The middle of those of the pages that are at these places.
    pub(super) fn new(
        space: &Arc<PageSpace>,
        pages: &[&PageFields],
        places: &[usize],
        rarity: &Rarity,
    ) -> Centre {
        let positions: Vec<Position> = pages.iter().map(|page| space.position(page, rarity)).collect();
        let mut sum = NOWHERE;
        for position in places.iter().filter_map(|at| positions.get(*at)) {
            sum.iter_mut()
                .zip(position)
                .for_each(|(sum, number)| *sum += number);
        }
        let length = nearness(&sum, &sum).sqrt().max(1e-9);
        let centre = sum.map(|number| number / length);
        let mut near: Vec<f64> = positions
            .iter()
            .map(|position| nearness(&centre, position).into())
            .collect();
        near.sort_unstable_by(|a, b| b.total_cmp(a));
        near.truncate(10);
        Centre {
            space: space.clone(),
            position: centre,
            full: (near.iter().sum::<f64>() / near.len().max(1) as f64).max(1e-6),
        }
    }

    /// How near a page lies: 0 on the other side, 1 for as near as the nearest.
    pub(super) fn nearness(&self, page: &PageFields, rarity: &Rarity) -> f64 {
        let near = nearness(&self.position, &self.space.position(page, rarity));
        (f64::from(near).max(0.0) / self.full).min(1.5)
    }
}
