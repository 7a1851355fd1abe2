//! The topic as the user put it: ideas that a page must show, and lists of terms that speak for it.
//!
//! Each word of the query is an idea. A word that names a kind of page ("course", "shop") is an idea too, but few pages say
//! what kind they are: the terms that such pages use speak for it as well.

use std::sync::Arc;

use scenthound_types::text::{Language, Text, Token};

use super::background::Background;
use super::fields::Stops;
use super::kinds;
use super::stem::{id_of, stem};

/// What the user said the topic is.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TopicWords {
    /// The topic as one would type it into a search engine.
    pub query: String,
    /// Terms of the kind of page that is wanted.
    pub genre: Vec<String>,
    /// Terms of the subject.
    pub content: Vec<String>,
    /// The language of all these.
    pub language: Option<Language>,
}

/// A term that speaks for the topic.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Term {
    pub id: u32,
    pub spelling: Arc<str>,
}

/// One thing that a page of the topic must show.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Idea {
    pub term: Term,
    /// Other terms that speak for it; empty unless it names a kind of page.
    pub signs: Vec<Term>,
    /// The classes of the genre detector that speak for it.
    pub classes: Vec<usize>,
}

/// The topic, ready to be compared with pages.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Ideas {
    /// All are needed.
    pub query: Vec<Idea>,
    /// Several of these are needed.
    pub genre: Vec<Term>,
    /// Several of these are needed.
    pub content: Vec<Term>,
}

impl Ideas {
    pub(super) fn new(words: &TopicWords) -> Ideas {
        let stops = Stops::new([words.language, None]);
        let mut query = terms_of(&words.query, &stops);
        // A query of nothing but stop words means them.
        if query.is_empty() {
            query = terms_of(&words.query, &Stops::none());
        }
        let (named, rest) = kinds::named_in(&query);
        let list = |terms: &[String]| {
            let mut all: Vec<Term> = terms.iter().flat_map(|term| terms_of(term, &stops)).collect();
            all.sort_by_key(|term| term.id);
            all.dedup_by_key(|term| term.id);
            all
        };
        let mut ideas: Vec<Idea> = rest
            .into_iter()
            .map(|term| Idea {
                term,
                signs: Vec::new(),
                classes: Vec::new(),
            })
            .collect();
        for (term, signs) in named {
            let mut signs = list(&signs.iter().map(|sign| (*sign).to_owned()).collect::<Vec<_>>());
            signs.retain(|sign| sign.id != term.id);
            let classes = kinds::classes_of(&term.spelling);
            ideas.push(Idea { term, signs, classes });
        }
        // The home page of a course is a course page: no page is of two classes.
        let classes = ideas.iter().filter(|idea| !idea.classes.is_empty()).count();
        for home in ideas.iter_mut().filter(|idea| &*idea.term.spelling == "home") {
            if classes > 1 {
                home.classes.clear();
            }
        }
        let own: Vec<u32> = ideas.iter().map(|idea| idea.term.id).collect();
        let mut content = list(&words.content);
        // Words that were given as a query and as terms are one piece of evidence, not two.
        if content.iter().all(|term| own.contains(&term.id)) {
            content.clear();
        }
        Ideas {
            query: ideas,
            genre: list(&words.genre),
            content,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.query.is_empty() && self.genre.is_empty() && self.content.is_empty()
    }

    /// Whether a kind of page is wanted. Pages of one kind need not be similar in any other way.
    pub(super) fn wants_kind(&self) -> bool {
        !self.genre.is_empty() || self.query.iter().any(|idea| !idea.signs.is_empty())
    }

    /// Whether a kind of page is wanted that the genre detector can tell.
    pub(super) fn wants_votes(&self) -> bool {
        self.query.iter().any(|idea| !idea.classes.is_empty())
    }

    /// Whether nothing but kinds of page is wanted, and the genre detector can tell them.
    pub(super) fn are_kinds_only(&self) -> bool {
        let is_kind = |idea: &Idea| !idea.signs.is_empty();
        self.wants_votes()
            && self.query.iter().all(is_kind)
            && self.genre.is_empty()
            && self.content.is_empty()
    }

    /// Every term, each once.
    pub(super) fn terms(&self) -> impl Iterator<Item = &Term> {
        let of_query = self
            .query
            .iter()
            .flat_map(|idea| std::iter::once(&idea.term).chain(&idea.signs));
        of_query.chain(&self.genre).chain(&self.content)
    }
}

/// The words of a term as the judge compares them: stems, without stop words.
pub fn compared_words(term: &str, language: Option<Language>) -> Vec<Arc<str>> {
    let terms = terms_of(term, &Stops::new([language, None]));
    terms.into_iter().map(|term| term.spelling).collect()
}

/// The stems of a text's words, each once, in their order.
fn terms_of(raw: &str, stops: &Stops) -> Vec<Term> {
    let mut text = Text::default();
    text.push(raw);
    let mut terms: Vec<Term> = Vec::new();
    for (at, token) in (0_u32..).zip(text.tokens()) {
        if !token.is_word() || stops.contains(*token) {
            continue;
        }
        let spelling = stem(text.spelling(at));
        let id = id_of(Token::of(&spelling));
        if !terms.iter().any(|term| term.id == id) {
            terms.push(Term {
                id,
                spelling: spelling.as_ref().into(),
            });
        }
    }
    terms
}

/// How rare terms are: half by the web at large, half by the pages seen, once there are enough of them.
#[derive(Clone, Debug)]
pub(super) struct Rarity {
    pub background: Arc<Background>,
    seen: SeenTerms,
    /// How much the pages seen count.
    share: f64,
    /// How much terms tell that occur in this many of the pages seen, weighed by that share.
    idfs: Vec<f64>,
}

/// In how many of the pages seen each term occurs.
#[derive(Clone, Debug, Default)]
pub(super) struct SeenTerms {
    pub pages: u32,
    pub mean_length: f64,
    pub counts: std::collections::HashMap<u32, u32, super::ById>,
}

/// With this many pages seen, they weigh half as much as they ever will.
const ENOUGH_SEEN: f64 = 50.0;

impl Rarity {
    pub(super) fn new(background: Arc<Background>, seen: SeenTerms) -> Rarity {
        let pages = f64::from(seen.pages);
        let share = 0.5 * pages / (pages + ENOUGH_SEEN);
        let idf = |with: u32| share * super::background::idf(pages, f64::from(with));
        Rarity {
            background,
            share,
            idfs: (0..=seen.pages).map(idf).collect(),
            seen,
        }
    }

    #[inline]
    pub(super) fn idf(&self, id: u32) -> f64 {
        let of_web = self.background.idf(id);
        if self.share == 0.0 {
            return of_web;
        }
        let with = self.seen.counts.get(&id).copied().unwrap_or(0);
        let of_seen = self.idfs.get(with as usize).copied().unwrap_or_default();
        (1.0 - self.share) * of_web + of_seen
    }

    pub(super) fn mean_length(&self) -> f64 {
        let pages = f64::from(self.seen.pages);
        let share = pages / (pages + ENOUGH_SEEN);
        (1.0 - share) * self.background.mean_length() + share * self.seen.mean_length
    }
}
