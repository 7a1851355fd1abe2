//! The words by which links give away what kind of page they lead to, per language, as data a user can add to.
//!
//! A list is text: a line `[blog]` begins a kind of page, and each line below it is a word of links and addresses that lead to
//! such pages; of several words in a line, and of longer words in scripts without spaces, every token counts alone. `#` begins a
//! comment. Each file that comes with the program is one language. In a list of the user's own, `[blog en]` takes the
//! place of the English words, and `[blog]` is added to what there is.
//!
//! Invariant: each language's words are a set of their own. What a link is worth for a genre is its worth for the set that fits
//! it best, so more languages do not make any of them count less.

use std::collections::BTreeMap;

use scenthound_learn::{Space, TableWord, WeightTable, WordCounts};
use scenthound_types::GENRES;
use scenthound_types::text::tokenize;
use thiserror::Error;

/// Lists that come with the program, by language.
const SHIPPED: [(&str, &str); 7] = [
    ("de", include_str!("words/de.txt")),
    ("en", include_str!("words/en.txt")),
    ("es", include_str!("words/es.txt")),
    ("fr", include_str!("words/fr.txt")),
    ("ja", include_str!("words/ja.txt")),
    ("pt", include_str!("words/pt.txt")),
    ("zh", include_str!("words/zh.txt")),
];

/// The language of a user's words that name none.
const OWN: &str = "";

/// Why a list cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
#[error("{list}, line {line}: {what}")]
pub struct LinkWordsError {
    /// The list.
    pub list: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it and what would be right.
    pub what: String,
}

/// Words by genre and language.
#[derive(Clone, Debug, Default)]
pub struct LinkWords {
    sets: BTreeMap<&'static str, BTreeMap<String, WeightTable>>,
}

impl LinkWords {
    /// The lists that come with the program.
    pub fn shipped() -> LinkWords {
        let mut words = LinkWords::default();
        for (language, list) in SHIPPED {
            // A test reads them all.
            let _ = words.read(&format!("{language}.txt"), list, language);
        }
        words
    }

    /// Adds a user's list; `name` is what messages call it.
    pub fn add(&mut self, name: &str, list: &str) -> Result<(), LinkWordsError> {
        let mut read = LinkWords::default();
        read.read(name, list, OWN)?;
        for (genre, sets) in read.sets {
            self.sets.entry(genre).or_default().extend(sets);
        }
        Ok(())
    }

    fn read(&mut self, name: &str, list: &str, language: &str) -> Result<(), LinkWordsError> {
        let mut section: Option<&mut WeightTable> = None;
        for (number, line) in list.lines().enumerate() {
            let fault = |what: String| LinkWordsError {
                list: name.to_owned(),
                line: number + 1,
                what,
            };
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            if let Some(named) = line.strip_prefix('[') {
                let named = named.trim_end_matches(']').trim();
                let (genre, language) = match named.split_once(char::is_whitespace) {
                    Some((genre, language)) => (genre, language.trim()),
                    None => (named, language),
                };
                let genre = GENRES
                    .iter()
                    .copied()
                    .find(|known| *known == genre)
                    .ok_or_else(|| {
                        fault(format!(
                            "there is no genre {genre:?}; there are: {}",
                            GENRES.join(", ")
                        ))
                    })?;
                let is_code = language.len() == 2 && language.bytes().all(|byte| byte.is_ascii_lowercase());
                if !is_code && language != OWN {
                    return Err(fault(format!(
                        "{language:?} is no language; write a two-letter code, as in [{genre} en]"
                    )));
                }
                let sets = self.sets.entry(genre).or_default();
                section = Some(sets.entry(language.to_owned()).or_default());
                continue;
            }
            let Some(section) = &mut section else {
                return Err(fault(format!(
                    "{line:?} stands before any genre; begin with a line such as [blog]"
                )));
            };
            let tokens = tokenize(line);
            if tokens.is_empty() {
                return Err(fault(format!("{line:?} holds no word")));
            }
            for token in tokens {
                section.push(TableWord {
                    key: token.hash(),
                    weight: 1.0,
                    spelling: line.into(),
                });
            }
        }
        Ok(())
    }

    /// The words of a genre; none if it has none.
    pub fn genre(&self, name: &str) -> Option<LinkGenre> {
        let sets = self.sets.get(name)?;
        Some(LinkGenre {
            name: name.to_owned(),
            sets: sets.values().cloned().collect(),
        })
    }
}

/// A kind of page that is wanted, and the words of links to such pages.
#[derive(Clone, Debug)]
pub struct LinkGenre {
    /// What it is called.
    pub name: String,
    sets: Vec<WeightTable>,
}

impl LinkGenre {
    /// The share of a set's words that are among those given; of the set with the largest.
    pub fn share_of(&self, words: &[u64]) -> f64 {
        self.best(|set| set.share_of(words))
    }

    /// How similar a page is to the words; to those of the language that fits best.
    pub(super) fn cosine(
        &self,
        counts: &WordCounts,
        page: impl Iterator<Item = (u64, u32)> + Clone,
        space: Space,
    ) -> f64 {
        self.best(|set| set.cosine(counts, page.clone(), space).0)
    }

    fn best(&self, page_score: impl FnMut(&WeightTable) -> f64) -> f64 {
        self.sets.iter().map(page_score).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashes(words: &str) -> Vec<u64> {
        tokenize(words).into_iter().map(|token| token.hash()).collect()
    }

    #[test]
    fn every_genre_has_words_in_every_language_that_comes_with_the_program() {
        for (language, list) in SHIPPED {
            let mut words = LinkWords::default();
            words.read(language, list, language).unwrap();
            for genre in GENRES.iter().copied() {
                let sets = words
                    .sets
                    .get(genre)
                    .unwrap_or_else(|| panic!("{genre} {language}"));
                assert!(sets[language].len() >= 10, "{genre} {language}");
            }
        }
    }

    #[test]
    fn a_link_is_worth_the_share_of_the_words_of_the_language_that_fits_best() {
        let mut words = LinkWords::default();
        words
            .add(
                "own",
                "[news]\nnews\npress # both\n\n[news de]\nzeitung\nnachrichten\nmeldung\npresse",
            )
            .unwrap();
        let news = words.genre("news").unwrap();
        assert_eq!(news.share_of(&hashes("the latest news")), 0.5);
        assert_eq!(news.share_of(&hashes("Zeitung")), 0.25);
        assert_eq!(news.share_of(&hashes("tea")), 0.0);
        assert!(words.genre("blog").is_none());
    }

    #[test]
    fn a_users_list_takes_the_place_of_a_language_or_adds_to_what_there_is() {
        let mut words = LinkWords::shipped();
        words.add("own", "[news en]\ngazette\n[blog]\nsmallweb").unwrap();
        let news = words.genre("news").unwrap();
        assert_eq!(news.share_of(&hashes("gazette")), 1.0);
        assert_eq!(news.share_of(&hashes("breaking")), 0.0);
        assert!(news.share_of(&hashes("nachrichten")) > 0.0);
        let blog = words.genre("blog").unwrap();
        assert_eq!(blog.share_of(&hashes("smallweb")), 1.0);
        assert!(blog.share_of(&hashes("blog")) > 0.0);
    }

    #[test]
    fn a_list_that_cannot_be_read_names_the_line_and_what_would_be_right() {
        let wrong = |list: &str| {
            LinkWords::default()
                .add("words.txt", list)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            wrong("blog"),
            "words.txt, line 1: \"blog\" stands before any genre; begin with a line such as [blog]"
        );
        assert!(
            wrong("\n[bolg]\nx")
                .starts_with("words.txt, line 2: there is no genre \"bolg\"; there are: blog")
        );
        assert!(wrong("[blog english]").contains("two-letter code, as in [blog en]"));
        assert!(wrong("[blog]\n---").contains("holds no word"));
    }
}
