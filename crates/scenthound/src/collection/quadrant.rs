//! Genre against content: a page has the wanted genre, the wanted content, both or neither.
//!
//! A page's quadrant follows from its similarity to the genre terms and to the content terms, each with its own threshold. It
//! is for looking at results; the judge's verdict depends on the whole relevance.

use scenthound_types::Parts;
use serde::{Deserialize, Serialize};

/// Which of genre and content a page has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quadrant {
    /// The wanted genre and the wanted content.
    Relevant,
    /// The wanted genre, but other content.
    GenreOnly,
    /// The wanted content, but another genre.
    ContentOnly,
    /// Neither.
    Neither,
}

impl Quadrant {
    /// All of them.
    pub const ALL: [Quadrant; 4] = [
        Quadrant::Relevant,
        Quadrant::GenreOnly,
        Quadrant::ContentOnly,
        Quadrant::Neither,
    ];

    /// Its code in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Quadrant::Relevant => "relevant",
            Quadrant::GenreOnly => "genre-only",
            Quadrant::ContentOnly => "content-only",
            Quadrant::Neither => "neither",
        }
    }

    /// The quadrant with this code.
    pub fn from_name(name: &str) -> Option<Quadrant> {
        Quadrant::ALL.into_iter().find(|quadrant| quadrant.name() == name)
    }
}

/// The similarities at which a page counts as having the genre and the content.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct QuadrantThresholds {
    /// For the similarity to the genre terms.
    pub genre: f64,
    /// For the similarity to the content terms.
    pub content: f64,
}

impl QuadrantThresholds {
    /// The same threshold for both, such as the topic's. A page exactly at both thresholds then has exactly that relevance.
    pub fn both(threshold: f64) -> QuadrantThresholds {
        QuadrantThresholds {
            genre: threshold,
            content: threshold,
        }
    }

    /// The quadrant of a page with these parts. A topic with only one list of terms has only [`Quadrant::Relevant`] and
    /// [`Quadrant::Neither`].
    pub fn quadrant(&self, parts: &Parts) -> Quadrant {
        let genre = parts.genre.map(|part| part >= self.genre);
        let content = parts.content.map(|part| part >= self.content);
        match (genre, content) {
            (Some(true) | None, Some(true)) | (Some(true), None) => Quadrant::Relevant,
            (Some(true), Some(false)) => Quadrant::GenreOnly,
            (Some(false), Some(true)) => Quadrant::ContentOnly,
            (Some(false) | None, Some(false) | None) => Quadrant::Neither,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quadrant_follows_from_the_two_thresholds() {
        let thresholds = QuadrantThresholds {
            genre: 0.3,
            content: 0.5,
        };
        let quadrant = |genre: Option<f64>, content: Option<f64>| {
            thresholds.quadrant(&Parts {
                genre,
                content,
                ..Parts::default()
            })
        };
        assert_eq!(quadrant(Some(0.3), Some(0.5)), Quadrant::Relevant);
        assert_eq!(quadrant(Some(0.9), Some(0.49)), Quadrant::GenreOnly);
        assert_eq!(quadrant(Some(0.29), Some(0.9)), Quadrant::ContentOnly);
        assert_eq!(quadrant(Some(0.0), Some(0.0)), Quadrant::Neither);
        assert_eq!(quadrant(None, Some(0.6)), Quadrant::Relevant);
        assert_eq!(quadrant(None, Some(0.4)), Quadrant::Neither);
        assert_eq!(quadrant(Some(0.4), None), Quadrant::Relevant);
        assert_eq!(quadrant(None, None), Quadrant::Neither);
    }
}
