//! Which genres a detector can find, and how well, so that nobody waits for pages that are never called by the name they asked
//! for.

use std::sync::Arc;

use super::{GenreDetector, declared, gallery, is_of_genre};

/// What becomes of a genre that a user asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Recognition {
    /// Pages of the genre are told from others.
    Told,
    /// Only some pages of the genre are.
    Partly(RecognisedBy),
    /// It is part of a wider class, and all pages of that class are taken for it.
    Within(Arc<str>),
    /// No page is ever said to be of the genre.
    Never,
}

/// How pages of a genre are recognised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecognisedBy {
    /// By the votes of the forest.
    Votes,
    /// By what they declare in their markup.
    Declaration,
    /// By thumbnails that link to their pictures.
    Thumbnails,
}

/// A genre that a detector finds.
#[derive(Clone, PartialEq, Debug)]
pub struct KnownGenre {
    /// Its name.
    pub class: Arc<str>,
    /// F1 on pages of sites that were not trained on, where it was measured.
    pub f1: Option<f64>,
    /// How its pages are recognised.
    pub by: RecognisedBy,
}

/// F1 of the built-in detector by class, by sites, as `hound train genre` printed it when the model was made; see
/// `models/README.md`.
const MEASURED: &str = include_str!("../../../../models/genre.f1.tsv");

/// Genres that are a part of a class rather than another name for it.
const PARTS: [&str; 2] = ["guide", "review"];

impl GenreDetector {
    /// What becomes of a genre that a user asks for.
    pub fn recognition(&self, wanted: &str) -> Recognition {
        if self.classes.iter().any(|class| &**class == wanted) {
            return Recognition::Told;
        }
        if let Some((_, by)) = self.rules().find(|(class, _)| *class == wanted) {
            return Recognition::Partly(by);
        }
        match self.classes.iter().find(|class| is_of_genre(class, wanted)) {
            Some(class) if PARTS.contains(&wanted) => Recognition::Within(class.clone()),
            Some(_) => Recognition::Told,
            None => Recognition::Never,
        }
    }

    /// The genres it finds, without "other".
    pub fn known(&self) -> Vec<KnownGenre> {
        let classes = self.classes.iter().filter(|class| &***class != "other");
        let mut known: Vec<KnownGenre> = classes
            .map(|class| KnownGenre {
                class: class.clone(),
                f1: self.believes.then(|| measured(class)).flatten(),
                by: RecognisedBy::Votes,
            })
            .collect();
        for (class, by) in self.rules() {
            if !self.classes.iter().any(|known| &**known == class) {
                known.push(KnownGenre {
                    class: class.into(),
                    f1: None,
                    by,
                });
            }
        }
        known
    }

    /// The classes that rules decide before the forest votes.
    fn rules(&self) -> impl Iterator<Item = (&'static str, RecognisedBy)> {
        let declared = declared::CLASSES.map(|class| (class, RecognisedBy::Declaration));
        let all = declared
            .into_iter()
            .chain([(gallery::CLASS, RecognisedBy::Thumbnails)]);
        all.filter(|_| self.believes)
    }
}

/// F1 of the built-in detector on pages of a class.
fn measured(class: &str) -> Option<f64> {
    let mut lines = MEASURED.lines().filter_map(|line| line.split_once('\t'));
    lines.find(|(name, _)| *name == class)?.1.parse().ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::DetectorKind;

    fn built_in() -> &'static GenreDetector {
        GenreDetector::shipped(DetectorKind::Rich).unwrap()
    }

    #[test]
    fn every_class_of_the_built_in_model_was_measured() {
        for class in built_in().classes() {
            assert!(
                measured(class).is_some_and(|f1| (0.0..=1.0).contains(&f1)),
                "{class}"
            );
        }
        assert_eq!(MEASURED.lines().count(), built_in().classes().len());
    }

    #[test]
    fn galleries_and_videos_are_found_in_part_and_guides_only_among_articles() {
        let becomes = |wanted| built_in().recognition(wanted);
        assert_eq!(becomes("image"), Recognition::Partly(RecognisedBy::Thumbnails));
        assert_eq!(becomes("recipe"), Recognition::Never);
        assert_eq!(becomes("guide"), Recognition::Within("article".into()));
        assert_eq!(becomes("news"), Recognition::Told);
        assert_eq!(becomes("video"), Recognition::Partly(RecognisedBy::Declaration));
        assert_eq!(becomes("forum"), Recognition::Told);
        assert_eq!(becomes("homepage"), Recognition::Told);
    }

    #[test]
    fn the_documentation_has_the_same_figures() {
        let page = include_str!("../../../../docs/genres.md");
        for class in built_in().classes() {
            let row = page
                .lines()
                .find(|line| line.starts_with(&format!("| {class} |")));
            let last = row.and_then(|row| row.trim_end_matches([' ', '|']).rsplit('|').next());
            assert_eq!(
                last.and_then(|cell| cell.trim().parse().ok()),
                measured(class),
                "{class}"
            );
        }
    }
}
