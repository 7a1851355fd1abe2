//! The words that show what kind of page a link leads to, per language, as data that users can extend.
//!
//! A list is text: a line `[blog]` begins a kind of page, and each line below it is a word found in links and URLs
//! that lead to such pages. If a line has several words, or a longer word in a script without spaces, every token
//! counts separately. `#` begins a comment. Each built-in file is one language. In a user's own list, `[blog en]`
//! replaces the English words, and `[blog]` adds to the existing ones.
//!
//! Invariant: each language's words are a separate set. A link's score for a genre is its score for the best-matching
//! set, so adding languages does not make any of them count less.

use std::collections::BTreeMap;

use scenthound_learn::{Space, TableWord, WeightTable, WordCounts};
use scenthound_types::text::{Language, Stemming, tokenize_with};
use scenthound_types::{GENRES, WordListFault, WordListLine, read_word_list};

/// The built-in lists, by language.
const SHIPPED: [(&str, &str); 7] = [
    ("de", include_str!("words/de.txt")),
    ("en", include_str!("words/en.txt")),
    ("es", include_str!("words/es.txt")),
    ("fr", include_str!("words/fr.txt")),
    ("ja", include_str!("words/ja.txt")),
    ("pt", include_str!("words/pt.txt")),
    ("zh", include_str!("words/zh.txt")),
];

/// The language of a user's words if the list does not name one.
const OWN: &str = "";

/// Words by genre and language.
#[derive(Clone, Debug, Default)]
pub struct LinkWords {
    sets: BTreeMap<&'static str, BTreeMap<String, WeightTable>>,
}

impl LinkWords {
    /// The built-in lists.
    pub fn shipped() -> LinkWords {
        let mut words = LinkWords::default();
        for (language, list) in SHIPPED {
            // A test reads them all.
            let _ = words.read(&format!("{language}.txt"), list, language);
        }
        words
    }

    /// Adds a user's list; `name` is how messages refer to it.
    pub fn add(&mut self, name: &str, list: &str) -> Result<(), WordListFault> {
        let mut read = LinkWords::default();
        read.read(name, list, OWN)?;
        for (genre, sets) in read.sets {
            self.sets.entry(genre).or_default().extend(sets);
        }
        Ok(())
    }

    fn read(&mut self, name: &str, list: &str, language: &str) -> Result<(), WordListFault> {
        let mut section = ("", String::new());
        read_word_list(name, list, |line| {
            let (words, tokens) = match line {
                WordListLine::Section(named) => {
                    section = read_section(named, language)?;
                    ("", Vec::new())
                }
                WordListLine::Words(words, tokens) => (words, tokens),
            };
            let sets = self.sets.entry(section.0).or_default();
            let table = sets.entry(section.1.clone()).or_default();
            for token in tokens {
                table.push(TableWord {
                    key: token.hash(),
                    weight: 1.0,
                    spelling: words.into(),
                });
            }
            Ok(())
        })
    }

    /// The same words reduced to stems, those of each language by its own rules.
    #[must_use]
    pub fn by_stems(mut self, stemming: Stemming) -> LinkWords {
        if stemming == Stemming::None {
            return self;
        }
        for (language, table) in self.sets.values_mut().flatten() {
            let stemmer = stemming.stemmer(Language::from_code(language));
            let mut stems = WeightTable::default();
            for word in table.words() {
                for token in tokenize_with(&word.spelling, stemmer) {
                    stems.push(TableWord {
                        key: token.hash(),
                        ..word.clone()
                    });
                }
            }
            *table = stems;
        }
        self
    }

    /// The words of a genre; none if it has no words.
    pub fn genre(&self, name: &str) -> Option<LinkGenre> {
        let sets = self.sets.get(name)?;
        Some(LinkGenre {
            name: name.to_owned(),
            sets: sets.values().cloned().collect(),
        })
    }
}

/// The genre and the language of a section such as `blog` or `blog en`.
fn read_section(named: &str, language: &str) -> Result<(&'static str, String), String> {
    let (genre, language) = match named.split_once(char::is_whitespace) {
        Some((genre, language)) => (genre, language.trim()),
        None => (named, language),
    };
    let known = GENRES.iter().copied().find(|known| *known == genre);
    let genre = known.ok_or_else(|| {
        let genres = GENRES.join(", ");
        format!("unknown genre {genre:?}; the genres are: {genres}")
    })?;
    let is_code = language.len() == 2 && language.bytes().all(|byte| byte.is_ascii_lowercase());
    match is_code || language == OWN {
        true => Ok((genre, language.to_owned())),
        false => Err(format!(
            "{language:?} is not a language code; write two letters, as in [{genre} en]"
        )),
    }
}

/// A wanted kind of page, and the words of links to such pages.
#[derive(Clone, Debug)]
pub struct LinkGenre {
    /// Its name.
    pub name: String,
    sets: Vec<WeightTable>,
}

impl LinkGenre {
    /// The share of a set's words that are among those given, for the set with the largest share.
    pub fn share_of(&self, words: &[u64]) -> f64 {
        self.best(|set| set.share_of(words))
    }

    /// How similar a page is to the words of the best-matching language.
    pub(super) fn cosine(
        &self,
        counts: &WordCounts,
        page: impl Iterator<Item = (u64, u32)> + Clone,
        space: Space,
    ) -> f64 {
        self.best(|set| set.cosine(counts, page.clone(), space).0)
    }

    fn best(&self, score: impl FnMut(&WeightTable) -> f64) -> f64 {
        self.sets.iter().map(score).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use scenthound_types::text::tokenize;

    use super::*;

    fn hashes(words: &str) -> Vec<u64> {
        tokenize(words).into_iter().map(|token| token.hash()).collect()
    }

    #[test]
    fn every_genre_has_words_in_every_built_in_language() {
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
    fn a_links_score_is_its_share_of_the_words_of_the_best_matching_language() {
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
    fn a_users_list_replaces_a_language_or_adds_to_what_exists() {
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
    fn a_list_that_cannot_be_read_names_the_line_and_the_remedy() {
        let wrong = |list: &str| {
            LinkWords::default()
                .add("words.txt", list)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            wrong("blog"),
            "words.txt:1: \"blog\" comes before any section; start with a line such as [blog]"
        );
        assert!(
            wrong("\n[bolg]\nx").starts_with("words.txt:2: unknown genre \"bolg\"; the genres are: blog")
        );
        assert!(wrong("[blog english]").contains("write two letters, as in [blog en]"));
        assert!(wrong("[blog]\n---").contains("contains no words"));
    }
}
