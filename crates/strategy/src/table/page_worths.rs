//! What the pages read last are worth for each of the genres wanted.
//!
//! A link's evidence holds one number for each page it was found on, and that is the topic's. The others are here, for so
//! many pages and no more: the oldest makes room, and counts for nothing from then on.

use std::collections::HashMap;

use scenthound_types::UrlKey;

/// Pages remembered.
const MOST: u32 = 100_000;

/// Worths by page, one for each genre.
#[derive(Clone, Debug, Default)]
pub(super) struct PageWorths {
    pages: Vec<(UrlKey, Box<[f32]>)>,
    /// Never iterated, so its order cannot show.
    places: HashMap<UrlKey, u32>,
    next: u32,
    changed: Vec<u32>,
}

impl PageWorths {
    /// Remembers a page, unless it is worth nothing for any genre.
    pub(super) fn keep(&mut self, page: UrlKey, worths: Box<[f32]>) {
        if let Some(place) = self.places.get(&page).copied() {
            self.put(place, page, worths);
        } else if worths.iter().any(|page_score| *page_score > 0.0) {
            let place = self.next;
            self.next = (self.next + 1) % MOST;
            self.put(place, page, worths);
        }
    }

    fn put(&mut self, place: u32, page: UrlKey, worths: Box<[f32]>) {
        match self.pages.get_mut(place as usize) {
            Some(held) => {
                if held.0 != page {
                    self.places.remove(&held.0);
                }
                *held = (page, worths);
            }
            None => self.pages.push((page, worths)),
        }
        self.places.insert(page, place);
        self.changed.push(place);
    }

    /// What a page is worth for a genre.
    pub(super) fn page_score(&self, page: UrlKey, genre: usize) -> f64 {
        let place = self.places.get(&page).map(|place| *place as usize);
        place
            .and_then(|place| self.pages.get(place)?.1.get(genre))
            .map_or(0.0, |page_score| f64::from(*page_score))
    }

    /// Where the next page goes.
    pub(super) fn next(&self) -> u32 {
        self.next
    }

    /// What stands at the places that changed since the last call.
    pub(super) fn take_changes(&mut self) -> Vec<(u32, Vec<u8>)> {
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort_unstable();
        changed.dedup();
        changed
            .into_iter()
            .filter_map(|place| {
                let (page, worths) = self.pages.get(place as usize)?;
                let mut bytes = page.0.to_le_bytes().to_vec();
                worths
                    .iter()
                    .for_each(|page_score| bytes.extend(page_score.to_le_bytes()));
                Some((place, bytes))
            })
            .collect()
    }

    /// Takes up what was written down, in any order; none if a place is missing or is none.
    pub(super) fn restored(next: u32, mut saved: Vec<(u32, &[u8])>) -> Option<PageWorths> {
        saved.sort_unstable_by_key(|(place, _)| *place);
        let mut worths = PageWorths::default();
        for (place, bytes) in saved {
            if place as usize != worths.pages.len() {
                return None;
            }
            let (page, mut rest) = bytes.split_first_chunk::<8>()?;
            let page = UrlKey(u64::from_le_bytes(*page));
            let mut of_page = Vec::with_capacity(rest.len() / 4);
            while let Some((page_score, after)) = rest.split_first_chunk::<4>() {
                of_page.push(f32::from_le_bytes(*page_score));
                rest = after;
            }
            worths.places.insert(page, place);
            worths.pages.push((page, of_page.into()));
        }
        worths.next = next % MOST;
        Some(worths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_page_makes_room_when_there_are_too_many() {
        let mut worths = PageWorths::default();
        worths.keep(UrlKey(0), [0.0].into());
        for page in 1..=u64::from(MOST) + 1 {
            worths.keep(UrlKey(page), [0.5].into());
        }
        assert_eq!(worths.pages.len(), MOST as usize);
        assert_eq!(worths.page_score(UrlKey(0), 0), 0.0);
        assert_eq!(worths.page_score(UrlKey(1), 0), 0.0);
        assert_eq!(worths.page_score(UrlKey(2), 0), 0.5);
        assert_eq!(worths.page_score(UrlKey(2), 1), 0.0);
    }

    #[test]
    fn worths_come_back_as_they_were_written() {
        let mut worths = PageWorths::default();
        worths.keep(UrlKey(7), [0.5, 0.25].into());
        worths.keep(UrlKey(8), [0.0, 1.0].into());
        worths.keep(UrlKey(7), [0.125, 0.0].into());
        let changes = worths.take_changes();
        assert_eq!(changes.len(), 2);
        let saved = changes
            .iter()
            .map(|(place, bytes)| (*place, bytes.as_slice()))
            .rev();
        let back = PageWorths::restored(worths.next(), saved.collect()).unwrap();
        assert_eq!(
            (back.page_score(UrlKey(7), 0), back.page_score(UrlKey(8), 1)),
            (0.125, 1.0)
        );
        assert_eq!(back.next(), 2);
        assert!(PageWorths::restored(0, vec![(1, &[0; 12])]).is_none());
        assert!(PageWorths::restored(0, vec![(0, &[0; 3])]).is_none());
    }
}
