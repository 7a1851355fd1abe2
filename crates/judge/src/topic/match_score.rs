//! How well a page matches the user's own words.
//!
//! Term frequency is saturated and normalised by length, with rare terms weighing more (the idea of BM25), over fields: a
//! word in the title says more than one in the text. The sum is then multiplied by the squared share of the query that was
//! found at all, because a page that repeats one word of three is not about the topic. Lists of terms are different: no page
//! has them all, so two fifths of a list count as the whole.
//!
//! Where the query and lists are given, each must show: the sides are combined by their geometric mean, not by their sum.

use super::fields::{FieldCounts, PageFields};
use super::words::{Ideas, Rarity, Term};

/// How soon further occurrences of a term stop to matter.
const SATURATION: f64 = 1.2;
/// How much a page's length matters.
const LENGTH: f64 = 0.75;
/// Shorter pages are treated as if they had this many words: a heading alone is no evidence.
const SHORT: u32 = 200;
/// Weights of headings, title and URL against the text.
const HEADING: f32 = 5.0;
const TITLE: f32 = 5.0;
const URL: f32 = 3.0;
/// How much the signs of a kind of page weigh against its name.
const SIGNS: f64 = 0.6;
/// How much the votes of the genre detector weigh against name and signs, for a kind of page that it can tell.
const VOTES: f64 = 0.5;
/// This share of the votes is as good as all: there are a dozen classes, and they overlap.
const ENOUGH_VOTES: f64 = 0.6;
/// With this share of the votes a page shows the kind although none of its words do.
const SOME_VOTES: f64 = 0.25;
/// This share of a list is as good as the whole list.
const ENOUGH_OF_LIST: f64 = 0.4;
/// With so many pages seen of which none has a word, half of what the word counts for is left.
const PATIENCE: f64 = 30.0;
/// A side that is missing altogether does not make a page worthless, only nearly so.
const FLOOR: f64 = 0.02;

/// How well a page matches, and what that is made of.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct MatchScore {
    /// From 0 to 1.
    pub score: f64,
    /// Of the query.
    pub query: Option<f64>,
    /// The share of the votes for the kind of page that the query names.
    pub kind: Option<f64>,
    /// Of the genre terms.
    pub genre: Option<f64>,
    /// Of the content terms.
    pub content: Option<f64>,
}

/// The topic's words with their weights.
#[derive(Clone, Debug, Default)]
pub(super) struct Matcher {
    query: Vec<WeighedIdea>,
    genre: Vec<(u32, f64)>,
    content: Vec<(u32, f64)>,
    mean_length: f64,
}

#[derive(Clone, Debug)]
struct WeighedIdea {
    id: u32,
    /// Its share of the query.
    weight: f64,
    signs: Vec<(u32, f64)>,
    classes: Vec<usize>,
}

impl Matcher {
    pub(super) fn new(ideas: &Ideas, rarity: &Rarity) -> Matcher {
        let list = |terms: &[Term]| -> Vec<(u32, f64)> {
            let all: f64 = terms.iter().map(|term| rarity.idf(term.id)).sum();
            let share = |term: &Term| rarity.idf(term.id) / all.max(1e-9);
            terms.iter().map(|term| (term.id, share(term))).collect()
        };
        let all: f64 = ideas.query.iter().map(|idea| rarity.idf(idea.term.id)).sum();
        Matcher {
            query: ideas
                .query
                .iter()
                .map(|idea| WeighedIdea {
                    id: idea.term.id,
                    weight: rarity.idf(idea.term.id) / all.max(1e-9),
                    signs: list(&idea.signs),
                    classes: idea.classes.clone(),
                })
                .collect(),
            genre: list(&ideas.genre),
            content: list(&ideas.content),
            mean_length: rarity.mean_length().max(1.0),
        }
    }

    /// A word that none of these pages has tells nothing about any of them: it may be misspelt. The more pages were read, the less
    /// is left of its share of the query, so that pages with all other words come to match. Once a page has it, it counts in full.
    pub(super) fn without_absent(mut self, pages: &[&PageFields], read: u64) -> Matcher {
        let left = PATIENCE / (PATIENCE + read as f64);
        for idea in &mut self.query {
            let is_absent = idea.signs.is_empty()
                && idea.classes.is_empty()
                && pages
                    .iter()
                    .all(|page| page.get(idea.id) == FieldCounts::default());
            if is_absent {
                idea.weight *= left;
            }
        }
        let all: f64 = self.query.iter().map(|idea| idea.weight).sum();
        for idea in &mut self.query {
            idea.weight /= all.max(1e-9);
        }
        self
    }

    /// Compares a page.
    pub(super) fn score(&self, page: &PageFields) -> MatchScore {
        let length = f64::from(page.length().max(SHORT)) / self.mean_length;
        let level = SATURATION * (1.0 - LENGTH + LENGTH * length);
        let found = |id: u32| {
            let count = f64::from(page.get(id).weighed(HEADING, TITLE, URL));
            count / (count + level)
        };
        let of_list = |list: &[(u32, f64)]| {
            let sum: f64 = list.iter().map(|(id, share)| share * found(*id)).sum();
            (sum / ENOUGH_OF_LIST).min(1.0)
        };
        let side = |list: &[(u32, f64)]| (!list.is_empty()).then(|| of_list(list));
        let mut kind: Option<f64> = None;
        let query = (!self.query.is_empty()).then(|| {
            let (mut sum, mut covered) = (0.0, 0.0);
            for idea in &self.query {
                let mut shown = found(idea.id);
                if !idea.signs.is_empty() {
                    shown = (1.0 - SIGNS) * shown + SIGNS * of_list(&idea.signs);
                }
                let mut is_shown = shown > 0.0;
                if let Some(share) = page.votes().share_of(&idea.classes) {
                    kind = Some(kind.map_or(share, |most| most.max(share)));
                    is_shown |= share >= SOME_VOTES;
                    shown = (1.0 - VOTES) * shown + VOTES * (share / ENOUGH_VOTES).min(1.0);
                }
                sum += idea.weight * shown;
                covered += if is_shown { idea.weight } else { 0.0 };
            }
            // Two words of a query that stand together say more than the same two apart.
            let near = f64::from(page.pairs());
            let together = if self.query.len() > 1 {
                0.9 + 0.1 * near / (near + level)
            } else {
                1.0
            };
            sum * covered * covered * together
        });
        let (genre, content) = (side(&self.genre), side(&self.content));
        let sides: Vec<f64> = [query, genre, content].into_iter().flatten().collect();
        let logs: f64 = sides.iter().map(|side| (side + FLOOR).ln()).sum();
        let mean = (logs / sides.len().max(1) as f64).exp();
        let score = if sides.is_empty() {
            0.0
        } else {
            ((mean - FLOOR) / (1.0 - FLOOR)).clamp(0.0, 1.0)
        };
        MatchScore {
            score,
            query,
            kind,
            genre,
            content,
        }
    }
}
