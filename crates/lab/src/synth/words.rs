//! The words of a synthetic web: real function words, genre words of real pages, and made-up words for everything else.
//!
//! Made-up words are numbers spelled in syllables (or characters), so no two in a language are the same, and a topic's
//! words mean that topic and nothing else. The function words are real, so that language detection has something to go by.
//!
//! Deliberately absent: grammar. A sentence is a run of words with a full stop.

mod genres;
mod tongues;

use scenthound_types::text::Language;

use crate::synth::settings::SynthSettings;
pub(crate) use crate::synth::words::tongues::{Tongue, tongue};

/// More topics would need more characters than there are for Chinese words.
pub(crate) const MOST_TOPICS: usize = 100;

/// Number of made-up words that any page may use.
const GENERAL: u32 = 1_500;
/// Number of words of one topic.
const TOPICAL: u32 = 40;
/// Number of words of a genre that has no list of its own.
const MADE_GENRE: u32 = 12;
/// Number of words that characterise a layer.
const LAYER: u32 = 30;

/// All words of one language.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    pub(crate) language: Language,
    pub(crate) tongue: Tongue,
    pub(crate) general: Vec<String>,
    /// By topic.
    pub(crate) topics: Vec<Vec<String>>,
    /// By genre.
    pub(crate) genres: Vec<Vec<String>>,
    /// By layer, starting with that of the relevant pages, which use none.
    pub(crate) layers: Vec<Vec<String>>,
}

impl Words {
    /// The words that the settings need in one language.
    pub(crate) fn new(settings: &SynthSettings, language: Language, tongue: Tongue) -> Words {
        let lists = settings.term_lists.as_ref();
        let mut next = 0;
        let mut make = |count: u32| -> Vec<String> {
            let made = (next..next + count).map(|number| tongue.spell(number)).collect();
            next += count;
            made
        };
        let general = make(GENERAL);
        let layers = settings.layers.as_ref().map_or(0, |layers| layers.sizes.len());
        let layers = (0..layers).map(|_| make(LAYER)).collect();
        let genres = settings
            .genres
            .iter()
            .map(|genre| {
                let given =
                    lists.and_then(|lists| lists.genres.iter().find(|given| given.name == genre.name));
                match (given, genres::list(&genre.name, tongue)) {
                    (Some(given), _) => given.terms.clone(),
                    (None, Some(list)) => list.iter().map(|word| (*word).to_owned()).collect(),
                    (None, None) => make(MADE_GENRE),
                }
            })
            .collect();
        let mut topics: Vec<Vec<String>> = match lists {
            Some(lists) => lists.topics.clone(),
            None => settings.topic_shares.iter().map(|_| make(TOPICAL)).collect(),
        };
        if settings.ambiguous
            && let Some(shared) = topics.first().and_then(|topic| topic.first()).cloned()
            && let Some(second) = topics.get_mut(1).and_then(|topic| topic.first_mut())
        {
            *second = shared;
        }
        Words {
            language,
            tongue,
            general,
            topics,
            genres,
            layers,
        }
    }
}

/// Ranks by Zipf's law, drawn with a single table lookup.
#[derive(Clone, Debug)]
pub(crate) struct Zipf(Vec<u16>);

impl Zipf {
    /// Ranks below `words`, of which the first is the most frequent.
    pub(crate) fn new(words: u16) -> Zipf {
        // A small shift keeps the first word from dominating the page.
        Zipf::weighted(words, |rank| 1.0 / (f64::from(rank) + 2.7))
    }

    /// Ranks below `words`, all equally frequent.
    pub(crate) fn flat(words: u16) -> Zipf {
        Zipf::weighted(words, |_| 1.0)
    }

    fn weighted(words: u16, weight: impl Fn(u16) -> f64) -> Zipf {
        const SLOTS: u32 = 8_192;
        let whole: f64 = (0..words).map(&weight).sum();
        let mut slots = Vec::with_capacity(SLOTS as usize);
        let mut sum = 0.0;
        for rank in 0..words {
            sum += weight(rank);
            let end = (sum / whole * f64::from(SLOTS)).round() as usize;
            slots.resize(end.max(slots.len()), rank);
        }
        Zipf(slots)
    }

    /// A rank for a random number.
    #[inline]
    pub(crate) fn rank(&self, roll: u64) -> usize {
        let slot = ((roll >> 32) * self.0.len() as u64) >> 32;
        self.0.get(slot as usize).map_or(0, |rank| usize::from(*rank))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::synth::settings::{LanguageShare, Layers};

    #[test]
    fn no_word_is_made_twice_in_a_language() {
        let settings = SynthSettings {
            topic_shares: vec![0.01; MOST_TOPICS],
            layers: Some(Layers {
                sizes: vec![1.0; 8],
                inwards: 0.0,
                across: 0.0,
                entrances: 0.0,
            }),
            languages: ["en", "pt", "zh", "ja"]
                .map(|code| LanguageShare {
                    code: code.to_owned(),
                    share: 0.25,
                })
                .to_vec(),
            ..SynthSettings::default()
        };
        for code in ["en", "pt", "zh", "ja"] {
            let language = Language::from_code(code).unwrap();
            let words = Words::new(&settings, language, tongue(language).unwrap());
            let made: Vec<&String> = words
                .general
                .iter()
                .chain(words.topics.iter().flatten())
                .chain(words.layers.iter().flatten())
                .collect();
            let distinct: BTreeSet<&&String> = made.iter().collect();
            assert_eq!(distinct.len(), made.len(), "{code}");
            assert!(words.genres.iter().all(|genre| genre.len() >= 8), "{code}");
        }
    }

    #[test]
    fn the_first_rank_is_the_most_frequent_and_the_last_is_drawn_too() {
        let zipf = Zipf::new(40);
        let mut counts = [0_u32; 40];
        for slot in 0..8_192_u64 {
            counts[zipf.rank(slot << 51)] += 1;
        }
        assert!(counts[0] > 2 * counts[5] && counts[39] > 0, "{counts:?}");
    }
}
