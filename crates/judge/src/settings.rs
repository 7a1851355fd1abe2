//! The settings of a term judge.

use scenthound_types::text::Stemmer;
use scenthound_types::{Language, named_enum};

use crate::{IdfTable, JudgeFault, PageText};

/// A page at least this similar to the topic is relevant, unless the user says otherwise. It is in the middle of the
/// thresholds that did best on five topics. Crawls and the lab share it.
pub const DEFAULT_THRESHOLD: f64 = 0.45;

/// How much each similarity counts. A set that the topic does not provide is left out of the mean, along with its
/// weight.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Weights {
    /// Genre against content (GW).
    pub genre: f64,
    /// Content against genre (CW).
    pub content: f64,
    /// Genre and content together, against the URL (GCW).
    pub text: f64,
    /// The URL against genre and content (UW).
    pub url: f64,
}

impl Default for Weights {
    fn default() -> Weights {
        Weights {
            genre: 5.0,
            content: 5.0,
            text: 7.0,
            url: 3.0,
        }
    }
}

/// Whether genre and content are compared separately or as one set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TermSets {
    /// A page must cover both: the mean of two similarities.
    #[default]
    Separate,
    /// Genre terms are counted as content terms. For comparison only; it finds less.
    Joint,
}

named_enum! {
    /// How the similarities of a page to genre and content terms become one.
    #[derive(Default)]
    pub enum Combine {
        /// Their weighted mean: the paper's.
        #[default]
        Mean = "mean",
        /// The lower of the two: a page must have both. Weights of genre and content do not matter.
        Min = "min",
    }
}

/// The topic and how to compare pages with it. Terms are words or phrases, spelled the usual way.
#[derive(Clone, PartialEq, Debug)]
pub struct TermSettings {
    /// What kind of page is wanted.
    pub genre: Vec<String>,
    /// What it is about.
    pub content: Vec<String>,
    /// Words of the URL.
    pub url: Vec<String>,
    /// Words that indicate the wrong sense.
    pub exclude: Vec<String>,
    /// How many different exclude terms make a page irrelevant.
    pub exclude_at: usize,
    /// The language the terms are written in; its stop words are dropped from terms and pages.
    pub language: Option<Language>,
    /// What reduces the words of terms to stems; pages must come with the same stems.
    pub stemmer: Option<Stemmer>,
    /// How much each set counts.
    pub weights: Weights,
    /// Whether genre and content are separate or joined.
    pub sets: TermSets,
    /// How genre and content become one similarity.
    pub combine: Combine,
    /// A page at least this similar is relevant.
    pub threshold: f64,
    /// How informative each term is; without it, all terms count the same.
    pub idf: Option<IdfTable>,
    /// Which text of a page is compared.
    pub text: PageText,
}

impl Default for TermSettings {
    /// No terms.
    fn default() -> TermSettings {
        TermSettings {
            genre: Vec::new(),
            content: Vec::new(),
            url: Vec::new(),
            exclude: Vec::new(),
            exclude_at: 1,
            language: None,
            stemmer: None,
            weights: Weights::default(),
            sets: TermSets::default(),
            combine: Combine::default(),
            threshold: DEFAULT_THRESHOLD,
            idf: None,
            text: PageText::default(),
        }
    }
}

impl TermSettings {
    /// Finds the first setting that a judge cannot be built from. Terms are checked where they are read.
    pub(crate) fn check(&self) -> Result<(), JudgeFault> {
        let Weights {
            genre,
            content,
            text,
            url,
        } = self.weights;
        for (name, value) in [
            ("genre", genre),
            ("content", content),
            ("text", text),
            ("url", url),
        ] {
            // Bounded, so that no sum of weights is infinite.
            if !(0.0..=1e6).contains(&value) {
                return Err(JudgeFault::Weight { name, value });
            }
        }
        if !(0.0..=1.0).contains(&self.threshold) {
            return Err(JudgeFault::Threshold {
                value: self.threshold,
            });
        }
        if self.exclude_at == 0 {
            return Err(JudgeFault::ExcludeAt);
        }
        if self.genre.is_empty() && self.content.is_empty() && self.url.is_empty() {
            return Err(JudgeFault::NoTerms);
        }
        Ok(())
    }
}
