//! Pages that repeat each other, folded under one of them.
//!
//! The crawl decides which pages repeat others, and their records say so (`duplicate_of`). Nothing else is folded, so a crawl's
//! own counts, its results, its exports, its search index and the dashboard cannot disagree about what is a page of its own.
//! What is decided here is which page of a group is shown: the one that others name as their canonical URL, or else a seed, or
//! else the one with the shortest URL. Only pages with the verdict of the first are considered, because that one is counted.
//!
//! **Invariant:** a page is in one group for good. Which page of a group is shown may change with every page that joins it.

use std::collections::{HashMap, HashSet};

/// What decides under which page others are folded.
#[derive(Clone, Copy, Debug)]
pub struct FoldedPage {
    /// The key of its URL.
    pub key: u64,
    /// The key of the URL that it says it should be known by.
    pub canonical: Option<u64>,
    /// The number of the page that it repeats, as the crawl found out.
    pub repeats: Option<u32>,
    /// Whether it was judged relevant.
    pub is_relevant: bool,
    /// Whether the user named it.
    pub is_seed: bool,
    /// The length of its URL.
    pub length: usize,
}

/// Judged otherwise than the first page, not named by another page, no seed, long, late: the page with the least of these is
/// shown.
type Place = (bool, bool, bool, usize, u32);

#[derive(Debug)]
struct Group {
    is_relevant: bool,
    shown: Place,
    pages: HashMap<u64, Place>,
    /// The URLs by which its pages say they should be known.
    named: HashSet<u64>,
}

/// The groups of pages that repeat each other. Pages have numbers of the caller's choice.
#[derive(Debug, Default)]
pub struct Folding {
    groups: Vec<Group>,
    group_of: HashMap<u32, u32>,
    /// Pages that no other page repeats yet, which is most pages.
    alone: HashMap<u32, FoldedPage>,
}

impl Folding {
    /// Takes in a page with a number that none had before.
    pub fn add(&mut self, number: u32, page: FoldedPage) {
        let Some(first) = page.repeats.filter(|first| *first != number) else {
            self.alone.insert(number, page);
            return;
        };
        let group = match self.group_of.get(&first) {
            Some(group) => *group,
            None => {
                let original = self.alone.remove(&first);
                let group = u32::try_from(self.groups.len()).unwrap_or(u32::MAX);
                self.groups.push(Group {
                    is_relevant: original.map_or(page.is_relevant, |original| original.is_relevant),
                    shown: (true, true, true, usize::MAX, u32::MAX),
                    pages: HashMap::new(),
                    named: HashSet::new(),
                });
                if let Some(original) = original {
                    self.join(group, first, original);
                }
                group
            }
        };
        self.join(group, number, page);
    }

    fn join(&mut self, number_of_group: u32, number: u32, page: FoldedPage) {
        let Some(group) = self.groups.get_mut(number_of_group as usize) else {
            return;
        };
        self.group_of.insert(number, number_of_group);
        let place = (
            page.is_relevant != group.is_relevant,
            !group.named.contains(&page.key),
            !page.is_seed,
            page.length,
            number,
        );
        group.pages.insert(page.key, place);
        group.shown = group.shown.min(place);
        // A page that names itself says nothing about the others.
        if let Some(canonical) = page.canonical
            && canonical != page.key
            && group.named.insert(canonical)
            && let Some(named) = group.pages.get_mut(&canonical)
        {
            named.1 = false;
            group.shown = group.shown.min(*named);
        }
    }

    /// The page under which a page is folded; none for one that is shown.
    pub fn original(&self, number: u32) -> Option<u32> {
        let shown = self.group(number)?.shown.4;
        (shown != number).then_some(shown)
    }

    /// How many pages are folded under a page.
    pub fn copies(&self, number: u32) -> usize {
        self.group(number)
            .filter(|group| group.shown.4 == number)
            .map_or(0, |group| group.pages.len() - 1)
    }

    /// The other pages of its group.
    pub fn others(&self, number: u32) -> Vec<u32> {
        let pages = self
            .group(number)
            .into_iter()
            .flat_map(|group| group.pages.values());
        let mut others: Vec<u32> = pages
            .map(|place| place.4)
            .filter(|other| *other != number)
            .collect();
        others.sort_unstable();
        others
    }

    /// How many pages are folded.
    pub fn folded(&self) -> usize {
        self.group_of.len() - self.groups.len()
    }

    fn group(&self, number: u32) -> Option<&Group> {
        self.groups.get(*self.group_of.get(&number)? as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(key: u64, repeats: Option<u32>, length: usize) -> FoldedPage {
        FoldedPage {
            key,
            canonical: None,
            repeats,
            is_relevant: true,
            is_seed: false,
            length,
        }
    }

    #[test]
    fn the_canonical_page_is_shown_or_a_seed_or_the_shortest() {
        let mut folding = Folding::default();
        folding.add(0, page(10, None, 30));
        assert_eq!((folding.original(0), folding.folded()), (None, 0));
        folding.add(1, page(11, Some(0), 20));
        assert_eq!((folding.original(0), folding.original(1)), (Some(1), None));
        let seed = FoldedPage {
            is_seed: true,
            ..page(12, Some(0), 50)
        };
        folding.add(2, seed);
        assert_eq!(folding.original(1), Some(2));
        let names = FoldedPage {
            canonical: Some(10),
            ..page(13, Some(0), 10)
        };
        folding.add(3, names);
        assert_eq!((folding.original(2), folding.original(0)), (Some(0), None));
        assert_eq!(
            (folding.copies(0), folding.copies(1), folding.folded()),
            (3, 0, 3)
        );
        assert_eq!(folding.others(2), [0, 1, 3]);
    }

    /// The crawl counts the first page of a group. Showing one with another verdict would make the list contradict the count.
    #[test]
    fn the_page_shown_has_the_verdict_of_the_first() {
        let mut folding = Folding::default();
        folding.add(0, page(10, None, 30));
        let judged_otherwise = FoldedPage {
            is_relevant: false,
            is_seed: true,
            ..page(11, Some(0), 5)
        };
        folding.add(1, judged_otherwise);
        assert_eq!((folding.original(0), folding.original(1)), (None, Some(0)));
    }
}
