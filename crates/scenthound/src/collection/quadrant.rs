//! Genre against content: a page has the wanted genre, the wanted content, both or neither.
//!
//! A page's quadrant follows from its similarity to the genre terms and to the content terms, each with its own threshold. It
//! is for looking at results. The judge's verdict depends on the whole relevance, so no quadrant is called relevant: a page
//! with much of one and a little less than enough of the other may be relevant, and one with just enough of both may not.

use scenthound_types::Parts;
use serde::{Deserialize, Serialize};

/// Which of genre and content a page has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quadrant {
    /// The wanted genre and the wanted content.
    Both,
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
        Quadrant::Both,
        Quadrant::GenreOnly,
        Quadrant::ContentOnly,
        Quadrant::Neither,
    ];

    /// Its code in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Quadrant::Both => "both",
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

    /// The quadrant of a page with these parts; none if it was compared with no list of terms. With a single list, only that
    /// side is known.
    pub fn quadrant(&self, parts: &Parts) -> Option<Quadrant> {
        let genre = parts.genre.map(|part| part >= self.genre);
        let content = parts.content.map(|part| part >= self.content);
        match (genre, content) {
            (None, None) => None,
            (Some(true), Some(true)) => Some(Quadrant::Both),
            (Some(true), Some(false) | None) => Some(Quadrant::GenreOnly),
            (Some(false) | None, Some(true)) => Some(Quadrant::ContentOnly),
            (Some(false), Some(false) | None) | (None, Some(false)) => Some(Quadrant::Neither),
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
        assert_eq!(quadrant(Some(0.3), Some(0.5)), Some(Quadrant::Both));
        assert_eq!(quadrant(Some(0.9), Some(0.49)), Some(Quadrant::GenreOnly));
        assert_eq!(quadrant(Some(0.29), Some(0.9)), Some(Quadrant::ContentOnly));
        assert_eq!(quadrant(Some(0.0), Some(0.0)), Some(Quadrant::Neither));
        assert_eq!(quadrant(None, Some(0.6)), Some(Quadrant::ContentOnly));
        assert_eq!(quadrant(None, Some(0.4)), Some(Quadrant::Neither));
        assert_eq!(quadrant(Some(0.4), None), Some(Quadrant::GenreOnly));
        assert_eq!(quadrant(None, None), None);
    }
}
