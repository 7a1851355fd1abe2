//! The scores of recently read pages for each of the wanted genres.
//!
//! A link's evidence has one score for each page it was found on, and that is the topic's. The others are kept here
//! for a limited number of pages: the oldest is dropped and counts for nothing from then on.

use std::collections::HashMap;

use scenthound_types::UrlKey;

/// The number of pages remembered.
const MOST: u32 = 100_000;

/// Scores by page, one for each genre.
#[derive(Clone, Debug, Default)]
pub(super) struct GenreScores {
    pages: Vec<(UrlKey, Box<[f32]>)>,
    /// Never iterated, so its order cannot show.
    places: HashMap<UrlKey, u32>,
    next: u32,
    changed: Vec<u32>,
}

impl GenreScores {
    /// Remembers a page, unless its score is 0 for every genre.
    pub(super) fn keep(&mut self, page: UrlKey, scores: Box<[f32]>) {
        if let Some(place) = self.places.get(&page).copied() {
            self.put(place, page, scores);
        } else if scores.iter().any(|score| *score > 0.0) {
            let place = self.next;
            self.next = (self.next + 1) % MOST;
            self.put(place, page, scores);
        }
    }

    fn put(&mut self, place: u32, page: UrlKey, scores: Box<[f32]>) {
        match self.pages.get_mut(place as usize) {
            Some(held) => {
                if held.0 != page {
                    self.places.remove(&held.0);
                }
                *held = (page, scores);
            }
            None => self.pages.push((page, scores)),
        }
        self.places.insert(page, place);
        self.changed.push(place);
    }

    /// The score of a page for a genre.
    pub(super) fn page_score(&self, page: UrlKey, genre: usize) -> f64 {
        let place = self.places.get(&page).map(|place| *place as usize);
        place
            .and_then(|place| self.pages.get(place)?.1.get(genre))
            .map_or(0.0, |page_score| f64::from(*page_score))
    }

    /// The slot for the next page.
    pub(super) fn next(&self) -> u32 {
        self.next
    }

    /// The contents of the slots that changed since the last call.
    pub(super) fn take_changes(&mut self) -> Vec<(u32, Vec<u8>)> {
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort_unstable();
        changed.dedup();
        changed
            .into_iter()
            .filter_map(|place| {
                let (page, scores) = self.pages.get(place as usize)?;
                let mut bytes = page.0.to_le_bytes().to_vec();
                scores
                    .iter()
                    .for_each(|page_score| bytes.extend(page_score.to_le_bytes()));
                Some((place, bytes))
            })
            .collect()
    }

    /// Restores what was saved, in any order; none if a slot is missing or invalid.
    pub(super) fn restored(next: u32, mut saved: Vec<(u32, &[u8])>) -> Option<GenreScores> {
        saved.sort_unstable_by_key(|(place, _)| *place);
        let mut scores = GenreScores::default();
        for (place, bytes) in saved {
            if place as usize != scores.pages.len() {
                return None;
            }
            let (page, mut rest) = bytes.split_first_chunk::<8>()?;
            let page = UrlKey(u64::from_le_bytes(*page));
            let mut of_page = Vec::with_capacity(rest.len() / 4);
            while let Some((page_score, after)) = rest.split_first_chunk::<4>() {
                of_page.push(f32::from_le_bytes(*page_score));
                rest = after;
            }
            scores.places.insert(page, place);
            scores.pages.push((page, of_page.into()));
        }
        scores.next = next % MOST;
        Some(scores)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_page_is_dropped_when_there_are_too_many() {
        let mut scores = GenreScores::default();
        scores.keep(UrlKey(0), [0.0].into());
        for page in 1..=u64::from(MOST) + 1 {
            scores.keep(UrlKey(page), [0.5].into());
        }
        assert_eq!(scores.pages.len(), MOST as usize);
        assert_eq!(scores.page_score(UrlKey(0), 0), 0.0);
        assert_eq!(scores.page_score(UrlKey(1), 0), 0.0);
        assert_eq!(scores.page_score(UrlKey(2), 0), 0.5);
        assert_eq!(scores.page_score(UrlKey(2), 1), 0.0);
    }

    #[test]
    fn scores_are_restored_as_saved() {
        let mut scores = GenreScores::default();
        scores.keep(UrlKey(7), [0.5, 0.25].into());
        scores.keep(UrlKey(8), [0.0, 1.0].into());
        scores.keep(UrlKey(7), [0.125, 0.0].into());
        let changes = scores.take_changes();
        assert_eq!(changes.len(), 2);
        let saved = changes
            .iter()
            .map(|(place, bytes)| (*place, bytes.as_slice()))
            .rev();
        let back = GenreScores::restored(scores.next(), saved.collect()).unwrap();
        assert_eq!(
            (back.page_score(UrlKey(7), 0), back.page_score(UrlKey(8), 1)),
            (0.125, 1.0)
        );
        assert_eq!(back.next(), 2);
        assert!(GenreScores::restored(0, vec![(1, &[0; 12])]).is_none());
        assert!(GenreScores::restored(0, vec![(0, &[0; 3])]).is_none());
    }
}
