//! What kind of page a page is, as the genre detector sees it: the share of the votes of each class.
//!
//! Few blogs say "blog" and few shops say "shop", and those of another language never do. The detector goes by structure,
//! markup and address as well. So its votes are evidence for a query that names a kind of page, and from examples it is
//! learnt which kinds of page they are.
//!
//! Deliberately absent: kinds that the detector cannot tell from their wider class, such as guides among articles.

use crate::genre::GenreDetector;
use crate::{DetectorKind, is_of_genre};
use scenthound_types::ParsedPage;

/// The most classes that a detector may have.
pub(super) const MOST_CLASSES: usize = 16;

/// The share of the votes of each class, from 0 to 255; empty if the page was not shown to the detector.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Votes(Vec<u8>);

impl Votes {
    /// Lets the detector vote.
    pub(super) fn of(page: &ParsedPage) -> Votes {
        let Some(detector) = detector() else {
            return Votes::default();
        };
        let shares = detector.votes(page).into_iter().take(MOST_CLASSES);
        Votes(shares.map(|share| (share * 255.0).round() as u8).collect())
    }

    pub(super) fn are_known(&self) -> bool {
        !self.0.is_empty()
    }

    /// The share of the votes for any of some classes; `None` if it is not known.
    pub(super) fn share_of(&self, classes: &[usize]) -> Option<f64> {
        let shares = classes.iter().filter_map(|class| self.0.get(*class));
        (self.are_known() && !classes.is_empty()).then(|| shares.map(|share| f64::from(*share) / 255.0).sum())
    }

    /// Whether a page would be called by one of some classes.
    pub(super) fn are_for(&self, classes: &[usize]) -> bool {
        let most = self.0.iter().max().copied().unwrap_or(0);
        let mut shares = classes.iter().filter_map(|class| self.0.get(*class));
        most > 0 && shares.any(|share| *share == most)
    }

    /// By class; 0 where nothing is known.
    pub(super) fn shares(&self) -> [f64; MOST_CLASSES] {
        let mut shares = [0.0; MOST_CLASSES];
        for (share, vote) in shares.iter_mut().zip(&self.0) {
            *share = f64::from(*vote) / 255.0;
        }
        shares
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Reads [`Votes::bytes`]. Votes of a detector with other classes count for nothing.
    pub(super) fn from_bytes(bytes: &[u8]) -> Votes {
        let classes = detector().map_or(0, |detector| detector.classes().len());
        Votes(if bytes.len() == classes {
            bytes.to_vec()
        } else {
            Vec::new()
        })
    }
}

fn detector() -> Option<&'static GenreDetector> {
    GenreDetector::shipped(DetectorKind::Rich)
}

/// The classes that a genre goes by.
pub(super) fn classes_of(genre: &str) -> Vec<usize> {
    let classes = detector().map(GenreDetector::classes).unwrap_or_default();
    let of_genre = (0..).zip(classes).filter(|(_, class)| is_of_genre(class, genre));
    of_genre.map(|(at, _)| at).take(MOST_CLASSES).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used, reason = "a test may panic")]

    use super::super::fields::PageFields;
    use super::*;

    #[test]
    fn votes_survive_their_bytes_and_those_of_another_detector_do_not_count() {
        let classes = detector().map_or(0, |detector| detector.classes().len());
        assert!(classes > 0 && classes <= MOST_CLASSES);
        let votes = Votes((0..classes as u8).collect());
        assert_eq!(Votes::from_bytes(votes.bytes()), votes);
        assert_eq!(Votes::from_bytes(&[1, 2, 3]), Votes::default());
        assert_eq!(Votes::default().share_of(&[0]), None);
        assert_eq!(votes.share_of(&[]), None);
        assert_eq!(votes.share_of(&[1, 2]), Some(3.0 / 255.0));
    }

    #[test]
    fn a_page_is_the_same_with_and_without_votes_and_keeps_them() {
        let url = scenthound_types::CanonicalUrl::parse("http://a.example/").expect("a URL");
        let page = ParsedPage::blank(url);
        let words = PageFields::read(&page);
        let with_votes = words.clone().with_votes(Votes::of(&page));
        assert!(with_votes.has_words_of(&words) && with_votes.votes().are_known());
        assert_eq!(PageFields::from_bytes(&with_votes.to_bytes()), Some(with_votes));
        assert_eq!(PageFields::from_bytes(&words.to_bytes()), Some(words));
    }

    #[test]
    fn genres_that_are_only_part_of_a_class_have_none() {
        assert_eq!(classes_of("blog").len(), 1);
        assert_eq!(classes_of("documentation").len(), 1);
        assert_eq!(classes_of("image"), Vec::<usize>::new());
    }
}
