//! A page is relevant if it contains the query: all its words, its words as a phrase, or any of its words.
//!
//! If it does not, its relevance is the share of the query's words that it contains; where a phrase is wanted, the
//! phrase counts as one more word. So 1 means that the query is satisfied, and no other value does.
//!
//! Stop words of the page's language are not looked for, unless the query consists of nothing else. In scripts
//! without spaces the words are pairs of characters. Deliberately absent: a threshold.

use std::collections::BTreeMap;
use std::sync::Arc;

use scenthound_types::named_enum;
use scenthound_types::text::{Stemmer, StopList, Text, Token};
use scenthound_types::{Judgement, Language, ParsedPage, Parts, TermHit, TermSet, Verdict};

use crate::term_counts::{PageTermCounts, SnippetTermCounts, TermCounts};
use crate::vocabulary::{Term, Vocabulary};
use crate::{Judge, JudgeFault, PageText};

named_enum! {
    /// What containing a query means.
    #[derive(Default)]
    pub enum QueryMatch {
        /// All of its words, anywhere on the page.
        #[default]
        All = "all",
        /// Its words one after the other.
        Phrase = "phrase",
        /// Any of its words.
        Any = "any",
    }
}

/// Judges pages by whether they contain the query.
pub struct QueryJudge {
    /// The words, each once, followed by the phrase.
    terms: Vocabulary,
    words: Vec<Token>,
    wanted: QueryMatch,
    language: Option<Language>,
    reads: PageText,
}

impl QueryJudge {
    /// A judge for this query.
    pub fn new(
        query: &str,
        wanted: QueryMatch,
        language: Option<Language>,
    ) -> Result<QueryJudge, JudgeFault> {
        QueryJudge::with_stems(query, wanted, language, None)
    }

    /// The same for pages whose words are reduced to stems.
    pub fn with_stems(
        query: &str,
        wanted: QueryMatch,
        language: Option<Language>,
        stemmer: Option<Stemmer>,
    ) -> Result<QueryJudge, JudgeFault> {
        let mut text = Text::default();
        text.push(query);
        text.stem(stemmer);
        let mut spellings: BTreeMap<Token, Arc<str>> = BTreeMap::new();
        let mut words: Vec<Token> = Vec::new();
        for (position, token) in (0..).zip(text.tokens()) {
            if token.is_word() && !spellings.contains_key(token) {
                spellings.insert(*token, text.spelling(position).into());
                words.push(*token);
            }
        }
        if words.is_empty() {
            return Err(JudgeFault::EmptyTerm {
                term: query.to_owned(),
            });
        }
        let term = |spelling: Arc<str>, tokens: Vec<Token>| Term {
            set: TermSet::Query,
            spelling,
            tokens,
            idf: 1.0,
        };
        let mut terms: Vec<Term> = words
            .iter()
            .filter_map(|token| Some(term(spellings.get(token)?.clone(), vec![*token])))
            .collect();
        terms.push(term(query.trim().into(), text.tokens().to_vec()));
        Ok(QueryJudge {
            terms: Vocabulary::new(terms, language),
            words,
            wanted,
            language,
            reads: PageText::default(),
        })
    }

    /// Whether the word at this position is looked for in text of this language.
    fn counts(&self, place: usize, language: Option<Language>) -> bool {
        let is_stop = |token: &Token| {
            [language, self.language]
                .into_iter()
                .flatten()
                .any(|language| StopList::of(language).contains(*token))
        };
        self.words.iter().all(is_stop) || self.words.get(place).is_some_and(|word| !is_stop(word))
    }

    /// From 0 to 1, and 1 only if satisfied.
    fn relevance(&self, found: &[(u32, u32)], language: Option<Language>) -> f64 {
        let has = |place: usize| found.iter().any(|(held, _)| *held as usize == place);
        let wanted = (0..self.words.len()).filter(|place| self.counts(*place, language));
        let (mut words, mut held) = (0_u32, 0_u32);
        for place in wanted {
            words += 1;
            held += u32::from(has(place));
        }
        match self.wanted {
            QueryMatch::All => f64::from(held) / f64::from(words.max(1)),
            QueryMatch::Any => f64::from(u8::from(held > 0)),
            QueryMatch::Phrase if has(self.words.len()) => 1.0,
            QueryMatch::Phrase => f64::from(held) / f64::from(words + 1),
        }
    }

    fn few_words(&self, words: &[Token]) -> f32 {
        let mut counts = SnippetTermCounts::new();
        self.terms.count(words, None, &mut counts);
        self.relevance(counts.counts(), None) as f32
    }
}

impl QueryJudge {
    /// The same judge, reading this text of a page.
    pub fn reading(self, reads: PageText) -> QueryJudge {
        QueryJudge { reads, ..self }
    }
}

impl Judge for QueryJudge {
    fn reads(&self) -> PageText {
        self.reads
    }

    fn judge(&self, page: &ParsedPage) -> Judgement {
        let page = &*self.reads.of(page);
        let mut counts = PageTermCounts::new(self.terms.terms().len());
        self.terms.count(page.text.tokens(), page.language, &mut counts);
        let relevance = self.relevance(counts.counts(), page.language);
        let is_wanted = |place: usize| {
            if place == self.words.len() {
                self.wanted == QueryMatch::Phrase && self.words.len() > 1
            } else {
                self.counts(place, page.language)
            }
        };
        let hits: Vec<(&Term, u32)> = counts
            .counts()
            .iter()
            .filter(|(place, _)| is_wanted(*place as usize))
            .filter_map(|(place, count)| Some((self.terms.term(*place)?, *count)))
            .collect();
        let share = relevance / hits.len().max(1) as f64;
        Judgement {
            relevance,
            verdict: if relevance >= 1.0 {
                Verdict::Relevant
            } else {
                Verdict::Irrelevant
            },
            genre: None,
            layer: None,
            parts: Parts {
                terms: hits
                    .into_iter()
                    .map(|(term, count)| TermHit {
                        set: TermSet::Query,
                        term: term.spelling.clone(),
                        count,
                        share,
                    })
                    .collect(),
                ..Parts::default()
            },
        }
    }

    fn snippet(&self, tokens: &[Token]) -> f32 {
        self.few_words(tokens)
    }
}
