//! The four-way view of a page: wanted kind and wanted matter, one of the two, or neither.
//!
//! Seen from the similarities to the genre and to the content terms, each with a cut of its own. The cuts are for looking
//! at results; the judge's verdict goes by the whole relevance.

use scenthound_types::Parts;
use serde::Serialize;

/// How a page is seen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum View {
    /// Of the wanted kind, about the wanted matter.
    Relevant,
    /// Of the wanted kind, about something else.
    GenreOnly,
    /// About the wanted matter, of another kind.
    ContentOnly,
    /// Neither.
    Neither,
}

impl View {
    /// All of them.
    pub const ALL: [View; 4] = [View::Relevant, View::GenreOnly, View::ContentOnly, View::Neither];

    /// The word for it in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            View::Relevant => "relevant",
            View::GenreOnly => "genre-only",
            View::ContentOnly => "content-only",
            View::Neither => "neither",
        }
    }
}

/// From where on a page counts as of the kind, and about the matter.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cuts {
    /// Of the similarity to the genre terms.
    pub genre: f64,
    /// Of the similarity to the content terms.
    pub content: f64,
}

impl Cuts {
    /// How a page with these parts is seen. A topic with one list of terms knows relevant and neither only.
    pub fn view(&self, parts: &Parts) -> View {
        let genre = parts.genre.map(|part| part >= self.genre);
        let content = parts.content.map(|part| part >= self.content);
        match (genre, content) {
            (Some(true) | None, Some(true)) | (Some(true), None) => View::Relevant,
            (Some(true), Some(false)) => View::GenreOnly,
            (Some(false), Some(true)) => View::ContentOnly,
            (Some(false) | None, Some(false) | None) => View::Neither,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_ways_follow_from_the_two_cuts() {
        let cuts = Cuts {
            genre: 0.3,
            content: 0.5,
        };
        let view = |genre: Option<f64>, content: Option<f64>| {
            cuts.view(&Parts {
                genre,
                content,
                ..Parts::default()
            })
        };
        assert_eq!(view(Some(0.3), Some(0.5)), View::Relevant);
        assert_eq!(view(Some(0.9), Some(0.49)), View::GenreOnly);
        assert_eq!(view(Some(0.29), Some(0.9)), View::ContentOnly);
        assert_eq!(view(Some(0.0), Some(0.0)), View::Neither);
        assert_eq!(view(None, Some(0.6)), View::Relevant);
        assert_eq!(view(None, Some(0.4)), View::Neither);
        assert_eq!(view(Some(0.4), None), View::Relevant);
        assert_eq!(view(None, None), View::Neither);
    }
}
