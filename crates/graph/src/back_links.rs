//! The links of a graph, in reverse.
//!
//! All sources are in one array, grouped by target, and a second array says where each group begins. It is built by
//! counting: links are read twice, once to see how much space each target needs and once to fill in the sources. So
//! only the small groups are sorted, and nothing but the result is held in memory.

use thiserror::Error;

/// There are more links than the arrays can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("the graph has more than {} links", u32::MAX)]
pub struct TooMany;

/// For each page, the pages that link to it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BackLinks {
    /// Where each target's sources begin, and one more for the end.
    pub(crate) starts: Vec<u32>,
    pub(crate) sources: Vec<u32>,
}

impl BackLinks {
    /// Builds from links that can be read twice: `links` is called two times with a callback that takes each link's
    /// source and target. Links from a page to itself are left out, as are links to or from numbers that are not
    /// pages. A repeated link counts once.
    pub fn new<Fault: From<TooMany>>(
        pages: u32,
        mut links: impl FnMut(&mut dyn FnMut(u32, u32)) -> Result<(), Fault>,
    ) -> Result<BackLinks, Fault> {
        let counts = |source: u32, target: u32| source != target && source < pages && target < pages;
        let mut starts = vec![0_u32; pages as usize + 1];
        let mut total = 0_u64;
        links(&mut |source, target| {
            if counts(source, target)
                && let Some(room) = starts.get_mut(target as usize)
            {
                *room = room.saturating_add(1);
                total += 1;
            }
        })?;
        if total > u64::from(u32::MAX) {
            return Err(TooMany.into());
        }
        // Each place becomes the end of its group. Filling counts it down to the beginning.
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut sources = vec![0_u32; total as usize];
        links(&mut |source, target| {
            if counts(source, target)
                && let Some(next) = starts.get_mut(target as usize)
                && *next > 0
            {
                *next -= 1;
                if let Some(place) = sources.get_mut(*next as usize) {
                    *place = source;
                }
            }
        })?;
        let mut made = BackLinks { starts, sources };
        made.tidy();
        Ok(made)
    }

    /// Sorts each group and removes repeated links.
    fn tidy(&mut self) {
        let mut kept = 0_usize;
        let mut start = 0_usize;
        for target in 0..self.starts.len().saturating_sub(1) {
            let end = self.starts.get(target + 1).copied().unwrap_or(0) as usize;
            if let Some(group) = self.sources.get_mut(start..end) {
                group.sort_unstable();
            }
            let first = kept;
            for at in start..end {
                let source = self.sources.get(at).copied().unwrap_or(0);
                let is_told = kept > first && self.sources.get(kept - 1) == Some(&source);
                if !is_told && let Some(place) = self.sources.get_mut(kept) {
                    *place = source;
                    kept += 1;
                }
            }
            if let Some(begins) = self.starts.get_mut(target) {
                *begins = first as u32;
            }
            start = end;
        }
        if let Some(end) = self.starts.last_mut() {
            *end = kept as u32;
        }
        self.sources.truncate(kept);
        self.sources.shrink_to_fit();
    }

    /// How many pages there are.
    pub fn pages(&self) -> u32 {
        self.starts.len().saturating_sub(1) as u32
    }

    /// How many links there are.
    pub fn links(&self) -> usize {
        self.sources.len()
    }

    /// The pages that link to a page, in ascending order.
    pub fn to(&self, target: u32) -> &[u32] {
        let at = target as usize;
        let bounds = self.starts.get(at).zip(self.starts.get(at + 1));
        bounds
            .and_then(|(start, end)| self.sources.get(*start as usize..*end as usize))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn of(pages: u32, links: &[(u32, u32)]) -> BackLinks {
        BackLinks::new(pages, |tell| {
            for (source, target) in links {
                tell(*source, *target);
            }
            Ok::<_, TooMany>(())
        })
        .unwrap()
    }

    #[test]
    fn a_page_is_linked_to_by_those_that_link_to_it() {
        let graph = of(4, &[(2, 0), (1, 0), (2, 0), (0, 3), (3, 3), (9, 1), (1, 9)]);
        assert_eq!(graph.to(0), [1, 2]);
        assert_eq!(graph.to(3), [0]);
        assert!(graph.to(1).is_empty() && graph.to(77).is_empty());
        assert_eq!((graph.pages(), graph.links()), (4, 3));
    }

    proptest! {
        #[test]
        fn the_order_of_the_links_does_not_matter_and_none_is_lost(
            links in prop::collection::vec((0_u32..12, 0_u32..12), 0..80),
            turn in 0_usize..80,
        ) {
            let graph = of(10, &links);
            let mut turned = links.clone();
            turned.rotate_left(turn.min(links.len()));
            prop_assert_eq!(&graph, &of(10, &turned));
            let kept: BTreeSet<(u32, u32)> = links
                .into_iter()
                .filter(|(source, target)| source != target && *source < 10 && *target < 10)
                .collect();
            let found: BTreeSet<(u32, u32)> =
                (0..10).flat_map(|target| graph.to(target).iter().map(move |source| (*source, target))).collect();
            prop_assert_eq!(kept, found);
        }
    }
}
