//! Pages that repeat each other, folded under one of them as `hound results` does, but one page at a time.
//!
//! **Invariant:** a page is in one group for good. Which page of a group is shown may change with every page that joins it.

use std::collections::{HashMap, HashSet};

use scenthound::NearDuplicates;

use crate::index::PageNumber;

/// What decides under which page others are folded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Folded {
    /// The key of its URL.
    pub key: u64,
    /// The key of the URL that it says it should be known by.
    pub canonical: Option<u64>,
    /// The page that it repeats, as the crawl found out.
    pub repeats: Option<PageNumber>,
    pub fingerprint: u64,
    pub relevance: f64,
    pub is_seed: bool,
    /// The length of its URL.
    pub length: usize,
}

/// Named by another page, a seed, short, early: the page with the least of these is shown.
type Place = (bool, bool, usize, PageNumber);

#[derive(Debug)]
struct Group {
    shown: Place,
    pages: HashMap<u64, Place>,
    /// The URLs by which its pages say they should be known.
    named: HashSet<u64>,
}

/// The groups of pages that repeat each other.
#[derive(Debug, Default)]
pub(crate) struct Folding {
    duplicates: NearDuplicates,
    groups: Vec<Group>,
    group_of: HashMap<PageNumber, u32>,
    /// First pages of groups that have no other page yet, which is most pages.
    alone: HashMap<PageNumber, Folded>,
}

impl Folding {
    /// Takes in a page with a number that none had before.
    pub fn add(&mut self, number: PageNumber, page: Folded) {
        let alike = self.duplicates.add(number, page.fingerprint, page.relevance);
        let Some(first) = alike.or(page.repeats).filter(|first| *first != number) else {
            self.alone.insert(number, page);
            return;
        };
        let group = match self.group_of.get(&first) {
            Some(group) => *group,
            None => {
                let group = u32::try_from(self.groups.len()).unwrap_or(u32::MAX);
                self.groups.push(Group {
                    shown: (true, true, usize::MAX, PageNumber::MAX),
                    pages: HashMap::new(),
                    named: HashSet::new(),
                });
                if let Some(page) = self.alone.remove(&first) {
                    self.join(group, first, page);
                }
                group
            }
        };
        self.join(group, number, page);
    }

    fn join(&mut self, number_of_group: u32, number: PageNumber, page: Folded) {
        let Some(group) = self.groups.get_mut(number_of_group as usize) else {
            return;
        };
        self.group_of.insert(number, number_of_group);
        let place = (
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
            named.0 = false;
            group.shown = group.shown.min(*named);
        }
    }

    /// The page under which a page is folded; none for one that is shown.
    pub fn original(&self, number: PageNumber) -> Option<PageNumber> {
        let shown = self.group(number)?.shown.3;
        (shown != number).then_some(shown)
    }

    /// How many pages are folded under a page.
    pub fn copies(&self, number: PageNumber) -> usize {
        self.group(number)
            .filter(|group| group.shown.3 == number)
            .map_or(0, |group| group.pages.len() - 1)
    }

    /// The other pages of its group.
    pub fn others(&self, number: PageNumber) -> Vec<PageNumber> {
        let pages = self
            .group(number)
            .into_iter()
            .flat_map(|group| group.pages.values());
        let mut others: Vec<PageNumber> = pages
            .map(|place| place.3)
            .filter(|other| *other != number)
            .collect();
        others.sort_unstable();
        others
    }

    /// How many pages are folded.
    pub fn folded(&self) -> usize {
        self.group_of.len() - self.groups.len()
    }

    fn group(&self, number: PageNumber) -> Option<&Group> {
        self.groups.get(*self.group_of.get(&number)? as usize)
    }
}
