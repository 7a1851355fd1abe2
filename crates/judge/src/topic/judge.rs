//! The judge for topics: starts from words, examples or both, and learns from the pages it is shown.
//!
//! Judging reads a model that does not change while it is read. Learning makes a new model from time to time and puts it in
//! the old one's place, so pages judged on other threads use the old one until then.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use scenthound_types::text::{Language, Token};
use scenthound_types::{Judgement, ParsedPage, Parts, StateDelta, TermHit, TermSet, UrlKey, Verdict};

use super::ById;
use super::background::Background;
use super::examples::{self, ByWords, Example, LearntWords};
use super::feedback::{self, OWN_WORDS, TellingWords};
use super::fields::PageFields;
use super::match_score::{MatchScore, Matcher};
use super::page_space::{NOWHERE, PageSpace};
use super::sample::{MOST_SEEN, Sample};
use super::stem::{id_of, spellings_of};
use super::votes::Votes;
use super::words::{Idea, Ideas, Rarity, SeenTerms, TopicWords};
use crate::{Judge, JudgeFault, LabelledPage, Learner, Lesson, PageText, SnippetScorer};

/// How a topic judge works.
#[derive(Clone, Debug)]
pub struct TopicSettings {
    /// A page at least this relevant counts as relevant.
    pub threshold: f64,
    /// Whether it learns from the pages it is shown.
    pub learns: bool,
    /// How rare terms are on the web at large.
    pub background: Arc<Background>,
    /// Which text of a page it reads.
    pub text: PageText,
}

impl Default for TopicSettings {
    fn default() -> TopicSettings {
        TopicSettings {
            threshold: 0.5,
            learns: true,
            background: Background::shipped().clone(),
            text: PageText::default(),
        }
    }
}

/// With this match alone, a page is as likely relevant as not, unless pages seen say otherwise.
const CUT_OF_MATCH: f64 = 0.62;
/// Where they do, it is never outside of these limits…
const CUTS_OF_KIND: std::ops::RangeInclusive<f64> = 0.2..=0.9;
/// …and with this many pages seen they count as much as what is usual.
const ENOUGH_FOR_CUT: f64 = 50.0;
/// The same for match and feedback together.
const CUT_OF_BOTH: f64 = 0.45;
/// …and where it also counts how near the page lies to those that match.
const CUT_WITH_CENTRE: f64 = 0.41;
/// More examples than this of either kind are thinned out: the products of all pairs of them are kept in memory.
const MOST_EXAMPLES: usize = 1_000;
/// How steeply the probability rises around it.
const STEEPNESS: f64 = 9.0;
/// How much it counts whether a page is written like a seed.
const MANNER: f64 = 0.3;
/// The number of words reported with a judgement.
const WORDS_A_PAGE: usize = 8;
/// The first model is learnt after this many pages, and a new one each time their number has grown by a third.
const FIRST_LESSON: u64 = 30;

/// What the judge knows at one time.
#[derive(Clone, Debug)]
struct TopicModel {
    /// Which of the judge's models it is.
    number: u64,
    matcher: Matcher,
    /// With this match alone, a page is as likely relevant as not.
    cut_of_match: f64,
    rarity: Rarity,
    /// Words found in pages that match, and how far to trust them.
    feedback: Option<(TellingWords, f64)>,
    /// What was learnt from examples.
    learnt: Option<LearntWords>,
    /// Where pages lie among the pages seen, if that counts.
    space: Option<Arc<PageSpace>>,
    /// Terms by the tokens of their spellings, for words at links.
    tokens: std::collections::HashMap<u64, u32, ById>,
    /// Spellings of the terms that speak most for the topic.
    spelled: Vec<(Arc<str>, u32)>,
    /// The user's words as they count at links.
    wanted: Vec<(u32, f64)>,
    /// What all of them together come to.
    all_wanted: f64,
    /// The terms that may make words at a link relevant; none if every term may.
    telling: Option<TermFilter>,
    /// Whether it counts what kind of page a page is.
    asks_kinds: bool,
}

/// Which terms cannot be in a set. Nearly all links are made of such terms, and need not be looked at more closely.
#[derive(Clone, Debug)]
struct TermFilter(Box<[u64; 1024]>);

impl TermFilter {
    fn new(ids: impl Iterator<Item = u32>) -> TermFilter {
        let mut bits = Box::new([0_u64; 1024]);
        for id in ids {
            if let Some(word) = bits.get_mut(usize::from(id as u16) / 64) {
                *word |= 1 << (id % 64);
            }
        }
        TermFilter(bits)
    }

    #[inline]
    fn may_hold(&self, id: u32) -> bool {
        let word = self.0.get(usize::from(id as u16) / 64);
        word.is_some_and(|word| word >> (id % 64) & 1 == 1)
    }
}

/// The parts of a page's relevance.
struct PageOpinion {
    relevance: f64,
    matched: MatchScore,
    similarity: Option<f64>,
    manner: Option<f64>,
}

impl TopicModel {
    fn opinion(&self, fields: &PageFields, query: &[u32]) -> PageOpinion {
        let matched = self.matcher.score(fields);
        let by_words = by_words(
            self.feedback.as_ref(),
            fields,
            &matched,
            self.cut_of_match,
            &self.rarity,
        );
        let Some(learnt) = &self.learnt else {
            return PageOpinion {
                relevance: sigmoid(by_words.odds),
                similarity: by_words.similarity,
                manner: by_words.manner,
                matched,
            };
        };
        let position = self
            .space
            .as_ref()
            .map(|space| space.position(fields, &self.rarity));
        let example = examples::example(fields, &matched, query, position.unwrap_or(NOWHERE), &self.rarity);
        let score = learnt.score(&example, &self.rarity);
        let odds = learnt.odds(score, by_words.odds);
        PageOpinion {
            relevance: sigmoid(odds),
            similarity: Some(score),
            manner: by_words.manner,
            matched,
        }
    }

    /// How relevant a few words are.
    fn words(&self, tokens: &[Token]) -> f32 {
        let words = || tokens.iter().filter(|token| token.is_word());
        if let Some(telling) = &self.telling
            && !words().any(|token| telling.may_hold(id_of(*token)))
        {
            return 0.0;
        }
        let id = |token: &Token| {
            let known = self.tokens.get(&token.hash());
            known.copied().unwrap_or_else(|| id_of(*token))
        };
        let mut ids: Vec<u32> = words().map(id).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() {
            return 0.0;
        }
        // Which share of the subject they name. What kind of page it is, links rarely say.
        let named = self.wanted.iter().filter(|(id, _)| ids.contains(id));
        let named: f64 = named.map(|(_, weight)| weight).sum();
        let named = (named / self.all_wanted.max(1e-9)).min(1.0);
        let learnt = match (&self.learnt, &self.feedback) {
            (Some(learnt), _) => learnt.trust * sigmoid(1.5 * learnt.words_score(&ids, &self.rarity) - 1.0),
            (None, Some((words, trust))) => {
                let (mut sum, mut squares) = (0.0, 0.0);
                for id in &ids {
                    let idf = self.rarity.idf(*id);
                    sum += idf * f64::from(words.weights.get(id).copied().unwrap_or(0.0));
                    squares += idf * idf;
                }
                trust * (sum / squares.sqrt().max(1e-9) / words.full.max(1e-6)).min(1.0)
            }
            (None, None) => 0.0,
        };
        // Either is evidence; both are more.
        (1.0 - (1.0 - 0.9 * named) * (1.0 - 0.9 * learnt)) as f32
    }
}

/// What the user's own words and the pages that match them say of a page.
struct OpinionOfWords {
    /// Log odds of its relevance.
    odds: f64,
    /// How similar it is to the pages that match.
    similarity: Option<f64>,
    /// How alike it and a seed are written.
    manner: Option<f64>,
}

/// Judges a page by the user's own words and by the words of the pages that match them.
fn by_words(
    feedback: Option<&(TellingWords, f64)>,
    fields: &PageFields,
    matched: &MatchScore,
    cut_of_match: f64,
    rarity: &Rarity,
) -> OpinionOfWords {
    let Some((words, trust)) = feedback else {
        return OpinionOfWords {
            odds: STEEPNESS * (matched.score - cut_of_match),
            similarity: None,
            manner: None,
        };
    };
    let similarity = words.similarity(fields, rarity);
    // What was learnt counts the more the more pages it was learnt from; the user's own words always count.
    let own = OWN_WORDS + 0.5 * (1.0 - trust);
    let manner = words.manner.as_ref().map(|manner| manner.similarity(fields));
    let both =
        (trust * similarity.min(1.2) + own * matched.score) / (trust + own) + MANNER * manner.unwrap_or(0.0);
    let cut_of_both = match words.centre {
        Some(_) => CUT_WITH_CENTRE,
        None => CUT_OF_BOTH,
    };
    let cut = trust * cut_of_both + (1.0 - trust) * cut_of_match;
    OpinionOfWords {
        odds: STEEPNESS * (both - cut),
        similarity: Some(similarity),
        manner,
    }
}

/// The user's words and how much each counts at a link, and what all of them come to.
fn wanted_at_links(ideas: &Ideas, rarity: &Rarity) -> (Vec<(u32, f64)>, f64) {
    let of_query = ideas
        .query
        .iter()
        .map(|idea| (idea.term.id, if idea.signs.is_empty() { 1.0 } else { 0.5 }));
    let listed = ideas.content.iter().chain(&ideas.genre);
    let wanted: Vec<(u32, f64)> = of_query
        .chain(listed.map(|term| (term.id, 0.5)))
        .map(|(id, factor): (u32, f64)| (id, factor * rarity.idf(id)))
        .collect();
    let all: f64 = ideas.query.iter().map(|idea| rarity.idf(idea.term.id)).sum();
    let all = if all > 0.0 {
        all
    } else {
        wanted.iter().map(|(_, weight)| weight).sum::<f64>() * 0.4
    };
    (wanted, all)
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// What came of learning from examples.
enum Fit {
    Learnt(Box<LearntWords>),
    /// There is too little to compare the examples with.
    TooEarly,
}

/// What it learns from.
#[derive(Debug, Default)]
struct Lessons {
    sample: Sample,
    positive: Vec<PageFields>,
    negative: Vec<PageFields>,
    /// The names of the examples, in the same order; empty for those without.
    positive_names: Vec<String>,
    negative_names: Vec<String>,
    /// Whether there are examples that have not been saved yet.
    new_examples: bool,
    /// How many examples of each side were saved last.
    saved_examples: [usize; 2],
    /// The number of pages seen at which the next model is learnt.
    next: u64,
    /// How many models were learnt.
    models: u64,
}

impl Lessons {
    /// Adds an example. One with the same name goes.
    fn add_example(&mut self, page: LabelledPage) {
        if !page.name.is_empty() {
            self.drop_examples(|name| name == page.name);
        }
        let (pages, names) = match page.label {
            Verdict::Relevant => (&mut self.positive, &mut self.positive_names),
            Verdict::Irrelevant => (&mut self.negative, &mut self.negative_names),
        };
        pages.push(page.fields);
        names.push(page.name);
    }

    /// How many pages had been read when the last lesson was due. A crawl that goes on after a stop learns again at once, and must not
    /// know more by that than one that was not stopped.
    fn read_at_lesson(&self) -> u64 {
        match self.sample.seen >= self.next {
            true => self.sample.seen,
            false => (3 * self.next).div_ceil(4),
        }
    }

    fn drop_examples(&mut self, is_dropped: impl Fn(&str) -> bool) {
        for (pages, names) in [
            (&mut self.positive, &mut self.positive_names),
            (&mut self.negative, &mut self.negative_names),
        ] {
            let mut is_kept = names.iter().map(|name| !is_dropped(name));
            pages.retain(|_| is_kept.next().unwrap_or(true));
            names.retain(|name| !is_dropped(name));
        }
    }
}

/// The names under which examples of either side are saved.
const SIDES: [(&str, Verdict); 2] = [("positive", Verdict::Relevant), ("negative", Verdict::Irrelevant)];

/// The examples among what a judge has saved.
pub fn saved_examples(saved: &[(String, Vec<u8>)]) -> Vec<LabelledPage> {
    let page = |(name, bytes): &(String, Vec<u8>)| {
        let (side, _) = name.split_once('/')?;
        let (_, label) = SIDES.iter().find(|(known, _)| *known == side)?;
        read_example(bytes, *label)
    };
    saved.iter().filter_map(page).collect()
}

/// The length of the name, the name and the page.
fn example_bytes(name: &str, fields: &PageFields) -> Vec<u8> {
    let mut bytes = (name.len() as u32).to_le_bytes().to_vec();
    bytes.extend(name.as_bytes());
    bytes.extend(fields.to_bytes());
    bytes
}

fn read_example(bytes: &[u8], label: Verdict) -> Option<LabelledPage> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (name, fields) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    Some(LabelledPage {
        name: String::from_utf8(name.to_vec()).ok()?,
        label,
        fields: PageFields::from_bytes(fields)?,
    })
}

/// Judges pages by a topic given in words, by examples or by both.
pub struct TopicJudge {
    settings: TopicSettings,
    ideas: Ideas,
    language: Option<Language>,
    /// The terms of the query.
    query: Vec<u32>,
    model: RwLock<Arc<TopicModel>>,
    lessons: Mutex<Lessons>,
}

impl TopicJudge {
    /// A judge for these words. Without any, it needs examples.
    pub fn new(words: &TopicWords, settings: TopicSettings) -> Result<TopicJudge, JudgeFault> {
        if !(0.0..=1.0).contains(&settings.threshold) {
            return Err(JudgeFault::Threshold {
                value: settings.threshold,
            });
        }
        let ideas = Ideas::new(words);
        let judge = TopicJudge {
            query: ideas.query.iter().map(|idea| idea.term.id).collect(),
            language: words.language,
            model: RwLock::new(Arc::new(TopicModel {
                number: 0,
                matcher: Matcher::default(),
                cut_of_match: CUT_OF_MATCH,
                rarity: Rarity::new(settings.background.clone(), SeenTerms::default()),
                feedback: None,
                learnt: None,
                space: None,
                tokens: std::collections::HashMap::default(),
                spelled: Vec::new(),
                wanted: Vec::new(),
                all_wanted: 0.0,
                telling: None,
                asks_kinds: false,
            })),
            lessons: Mutex::default(),
            ideas,
            settings,
        };
        judge.learn();
        Ok(judge)
    }

    /// Whether there is anything to judge by.
    pub fn knows_topic(&self) -> bool {
        !self.ideas.is_empty() || !self.lessons().positive.is_empty()
    }

    /// The page as this judge sees it, with all that can be learnt from.
    pub fn fields(&self, page: &ParsedPage) -> PageFields {
        self.words_of(page).with_votes(Votes::of(page))
    }

    fn words_of(&self, page: &ParsedPage) -> PageFields {
        PageFields::of(&self.settings.text.of(page), self.language, &self.query)
    }

    /// The page as a model sees it. Asking the genre detector takes time, and most topics name no kind of page.
    fn fields_for(&self, model: &TopicModel, page: &ParsedPage) -> PageFields {
        if model.asks_kinds {
            self.fields(page)
        } else {
            self.words_of(page)
        }
    }

    /// Adds example pages and learns from them.
    pub fn add_examples(&self, positive: Vec<PageFields>, negative: Vec<PageFields>) {
        let sides = [(positive, Verdict::Relevant), (negative, Verdict::Irrelevant)];
        let pages = sides.into_iter().flat_map(|(pages, label)| {
            pages.into_iter().map(move |fields| LabelledPage {
                name: String::new(),
                label,
                fields,
            })
        });
        self.change_examples(&[], pages.collect());
    }

    /// Shows it a page that is not labelled, without learning yet.
    pub fn show(&self, key: UrlKey, fields: PageFields) {
        self.show_from(key, fields, false);
    }

    fn show_from(&self, key: UrlKey, fields: PageFields, is_seed: bool) {
        let score = self.model().opinion(&fields, &self.query).relevance;
        self.lessons().sample.add(key, fields, score, is_seed);
    }

    /// The words that speak most for the topic, and how much; the user's own first.
    pub fn telling_words(&self) -> Vec<(Arc<str>, f64)> {
        let model = self.model();
        let own = self.ideas.terms().map(|term| (term.spelling.clone(), 1.0));
        let mut found: Vec<(Arc<str>, f64)> = match (&model.learnt, &model.feedback) {
            (Some(learnt), _) => {
                let weight = |id: &u32| learnt.weight(*id);
                model
                    .spelled
                    .iter()
                    .map(|(word, id)| (word.clone(), weight(id)))
                    .collect()
            }
            (None, Some((words, _))) => words
                .words
                .iter()
                .map(|(word, _, weight)| (word.clone(), f64::from(*weight)))
                .collect(),
            (None, None) => Vec::new(),
        };
        found.retain(|(_, weight)| *weight > 0.0);
        own.chain(found).collect()
    }

    fn model(&self) -> Arc<TopicModel> {
        self.model.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn lessons(&self) -> MutexGuard<'_, Lessons> {
        self.lessons.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a new model from everything seen so far.
    pub fn learn(&self) {
        let mut lessons = self.lessons();
        let model = self.fit(&lessons);
        lessons
            .sample
            .rescore(|fields| model.opinion(fields, &self.query).relevance);
        // `read_at_lesson` reckons back.
        lessons.next = (lessons.sample.seen + lessons.sample.seen / 3).max(FIRST_LESSON);
        lessons.models = lessons.models.saturating_add(1);
        drop(lessons);
        *self.model.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(model);
    }

    fn fit(&self, lessons: &Lessons) -> TopicModel {
        let rarity = Rarity::new(self.settings.background.clone(), seen_terms(&lessons.sample));
        let seen: Vec<&PageFields> = lessons.sample.pages().map(|(_, fields)| fields).collect();
        let matcher = Matcher::new(&self.ideas, &rarity).without_absent(&seen, lessons.read_at_lesson());
        let cut_of_match = self.cut_of_match(&lessons.sample, &matcher);
        let mut feedback = None;
        let mut learnt = None;
        // Pages of one kind need not resemble each other, so there is nothing to learn from those that match.
        if !self.ideas.is_empty() && !self.ideas.wants_kind() {
            let matches: Vec<f64> = seen.iter().map(|page| matcher.score(page).score).collect();
            let space = PageSpace::new(&seen, &rarity).map(Arc::new);
            let seeds = lessons.sample.seeds();
            feedback = feedback::learn(&seen, &matches, &seeds, &self.query, space.as_ref(), &rarity);
        }
        let mut space = None;
        if !lessons.positive.is_empty() {
            let drawn: Vec<&PageFields> = lessons.sample.random().map(|(_, fields)| fields).collect();
            if examples::are_at_home(&lessons.positive, &drawn) {
                // The best pages are among them, so that the space can tell the topic from what is close to it.
                let seen = lessons.sample.pages().map(|(_, fields)| fields);
                let given = thinned(&lessons.positive).chain(thinned(&lessons.negative));
                let pages: Vec<&PageFields> = seen.chain(given).collect();
                space = PageSpace::new(&pages, &rarity).map(Arc::new);
            }
            let space = space.as_deref();
            match self.learn_examples(lessons, &matcher, cut_of_match, feedback.as_ref(), &rarity, space) {
                Fit::Learnt(words) => learnt = Some(*words),
                Fit::TooEarly => {
                    let pages: Vec<&PageFields> = lessons.positive.iter().collect();
                    let trust = if self.ideas.is_empty() { 1.0 } else { 0.7 };
                    feedback = Some((feedback::of_examples(&pages, &rarity), trust));
                }
            }
        }
        let spelled = spell(lessons, learnt.as_ref(), feedback.as_ref());
        let own = self.ideas.terms().map(|term| (&term.spelling, term.id));
        let found = spelled.iter().map(|(word, id)| (word, *id));
        let tokens: std::collections::HashMap<u64, u32, ById> = own
            .chain(found)
            .flat_map(|(word, id)| {
                spellings_of(word)
                    .into_iter()
                    .map(move |spelling| (Token::of(&spelling).hash(), id))
            })
            .collect();
        let (wanted, all_wanted) = wanted_at_links(&self.ideas, &rarity);
        // What was learnt from examples has an opinion about every term.
        let telling = learnt.is_none().then(|| {
            let spelled = tokens.keys().map(|hash| id_of(Token::from_hash(*hash)));
            let found = feedback.iter().flat_map(|(words, _)| words.weights.keys());
            TermFilter::new(
                spelled
                    .chain(found.copied())
                    .chain(wanted.iter().map(|(id, _)| *id)),
            )
        });
        TopicModel {
            number: lessons.models + 1,
            asks_kinds: self.ideas.wants_votes() || !lessons.positive.is_empty(),
            wanted,
            all_wanted,
            telling,
            matcher,
            cut_of_match,
            rarity,
            feedback,
            learnt,
            space,
            tokens,
            spelled,
        }
    }

    /// Where words alone cut. A query for nothing but a kind of page is matched by words that some sites use on every page and others
    /// nowhere, but the detector says how many of the pages seen are of that kind: as many are called relevant.
    fn cut_of_match(&self, sample: &Sample, matcher: &Matcher) -> f64 {
        if !self.ideas.are_kinds_only() {
            return CUT_OF_MATCH;
        }
        let is_known = |(_, fields): &(u64, &PageFields)| fields.votes().are_known();
        let pages: Vec<&PageFields> = sample
            .random()
            .filter(is_known)
            .map(|(_, fields)| fields)
            .collect();
        if (pages.len() as u64) < FIRST_LESSON {
            return CUT_OF_MATCH;
        }
        let of_kind = |fields: &&&PageFields| {
            let told = |idea: &&Idea| !idea.classes.is_empty();
            let mut told = self.ideas.query.iter().filter(told);
            told.all(|idea| fields.votes().are_for(&idea.classes))
        };
        let wanted = pages.iter().filter(of_kind).count();
        let mut matches: Vec<f64> = pages.iter().map(|fields| matcher.score(fields).score).collect();
        matches.sort_by(|a, b| b.total_cmp(a));
        let last = matches
            .get(wanted.saturating_sub(1))
            .copied()
            .unwrap_or(CUT_OF_MATCH);
        let next = matches.get(wanted).copied().unwrap_or(last);
        let pages = pages.len() as f64;
        let cut = (0.5 * (last + next)).clamp(*CUTS_OF_KIND.start(), *CUTS_OF_KIND.end());
        (pages * cut + ENOUGH_FOR_CUT * CUT_OF_MATCH) / (pages + ENOUGH_FOR_CUT)
    }

    fn learn_examples(
        &self,
        lessons: &Lessons,
        matcher: &Matcher,
        cut_of_match: f64,
        feedback: Option<&(TellingWords, f64)>,
        rarity: &Rarity,
        space: Option<&PageSpace>,
    ) -> Fit {
        let make = |fields| {
            let position = space.map(|space| space.position(fields, rarity));
            let matched = matcher.score(fields);
            examples::example(fields, &matched, &self.query, position.unwrap_or(NOWHERE), rarity)
        };
        let given = |fields: &PageFields| {
            let mut examples = lessons.positive.iter().chain(&lessons.negative);
            examples.any(|example| example.has_words_of(fields))
        };
        let positive: Vec<_> = thinned(&lessons.positive).map(make).collect();
        let negative: Vec<_> = thinned(&lessons.negative).map(make).collect();
        let seen: Vec<_> = lessons
            .sample
            .random()
            .map(|(_, fields)| fields)
            .filter(|fields| !given(fields))
            .map(make)
            .collect();
        if seen.len() + negative.len() < examples::LEAST_SEEN {
            return Fit::TooEarly;
        }
        let odds = |of: &[Example<'_>]| -> Vec<f64> {
            let by_words = |page: &Example<'_>| {
                let matched = matcher.score(page.fields);
                by_words(feedback, page.fields, &matched, cut_of_match, rarity).odds
            };
            of.iter().map(by_words).collect()
        };
        let by_words = (!self.ideas.is_empty()).then(|| {
            let called = seen.iter().filter(|page| page.matched >= cut_of_match).count();
            ByWords {
                alone: called as f64 / seen.len().max(1) as f64,
                of_positive: odds(&positive),
                of_seen: odds(&seen),
            }
        });
        match examples::learn(&positive, &negative, &seen, by_words.as_ref(), rarity) {
            Ok(words) => Fit::Learnt(Box::new(words)),
            Err(_) => Fit::TooEarly,
        }
    }

    fn hits(&self, fields: &PageFields, model: &TopicModel, relevance: f64) -> Vec<TermHit> {
        let mut weighed: Vec<(f64, TermSet, Arc<str>, u32)> = Vec::new();
        let count = |id: u32| fields.get(id).weighed(1.0, 1.0, 1.0) as u32;
        let mut add = |set, spelling: &Arc<str>, id: u32, weight: f64| {
            let count = count(id);
            if count > 0 && weight > 0.0 {
                weighed.push((
                    weight * (1.0 + f64::from(count)).ln(),
                    set,
                    spelling.clone(),
                    count,
                ));
            }
        };
        for idea in &self.ideas.query {
            add(
                TermSet::Query,
                &idea.term.spelling,
                idea.term.id,
                3.0 * model.rarity.idf(idea.term.id),
            );
            for sign in &idea.signs {
                add(TermSet::Genre, &sign.spelling, sign.id, model.rarity.idf(sign.id));
            }
        }
        for (set, terms) in [
            (TermSet::Genre, &self.ideas.genre),
            (TermSet::Content, &self.ideas.content),
        ] {
            for term in terms {
                add(set, &term.spelling, term.id, model.rarity.idf(term.id));
            }
        }
        match (&model.learnt, &model.feedback) {
            (Some(learnt), _) => {
                for (word, id) in &model.spelled {
                    let weight = learnt.weight(*id);
                    add(TermSet::Table, word, *id, weight * model.rarity.idf(*id) * 0.5);
                }
            }
            (None, Some((words, trust))) => {
                for (word, id, weight) in &words.words {
                    add(
                        TermSet::Table,
                        word,
                        *id,
                        trust * 4.0 * f64::from(*weight) * model.rarity.idf(*id),
                    );
                }
            }
            (None, None) => {}
        }
        weighed.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.2.cmp(&b.2)));
        weighed.dedup_by(|a, b| a.2 == b.2);
        let all: f64 = weighed.iter().map(|(weight, ..)| weight).sum();
        weighed.truncate(WORDS_A_PAGE);
        weighed
            .into_iter()
            .map(|(weight, set, term, count)| TermHit {
                set,
                term,
                count,
                share: relevance * weight / all.max(1e-9),
            })
            .collect()
    }

    fn judge_by(&self, model: &TopicModel, fields: &PageFields) -> Judgement {
        let opinion = model.opinion(fields, &self.query);
        let relevance = opinion.relevance.clamp(0.0, 1.0);
        // Nobody asks why a clearly irrelevant page is irrelevant, and most pages are.
        let terms = if relevance >= self.settings.threshold / 4.0 {
            self.hits(fields, model, relevance)
        } else {
            Vec::new()
        };
        Judgement {
            relevance,
            verdict: if relevance >= self.settings.threshold {
                Verdict::Relevant
            } else {
                Verdict::Irrelevant
            },
            genre: None,
            layer: None,
            parts: Parts {
                query: opinion.matched.query,
                genre: opinion.matched.genre,
                content: opinion.matched.content,
                learnt: opinion.similarity,
                manner: opinion.manner,
                kind: opinion.matched.kind,
                terms,
                ..Parts::default()
            },
        }
    }
}

/// The terms of the sample.
fn seen_terms(sample: &Sample) -> SeenTerms {
    let mut seen = SeenTerms::default();
    let mut words = 0.0;
    for (_, fields) in sample.random() {
        seen.pages += 1;
        words += f64::from(fields.length());
        for (id, _) in fields.terms() {
            *seen.counts.entry(id).or_default() += 1;
        }
    }
    seen.mean_length = words / f64::from(seen.pages.max(1));
    seen
}

/// At most so many examples as are learnt from, evenly spread over all.
fn thinned(examples: &[PageFields]) -> impl Iterator<Item = &PageFields> {
    let step = examples.len().div_ceil(MOST_EXAMPLES).max(1);
    examples.iter().step_by(step)
}

/// The terms that may have to be shown or found at links, with their stems: those that speak most for the topic.
fn spell(
    lessons: &Lessons,
    learnt: Option<&LearntWords>,
    feedback: Option<&(TellingWords, f64)>,
) -> Vec<(Arc<str>, u32)> {
    const MOST: usize = 5_000;
    if let Some(learnt) = learnt {
        let mut order: Vec<(u32, f32)> = learnt.telling().collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        order.truncate(MOST);
        let ranks: std::collections::HashMap<u32, usize, ById> = order
            .iter()
            .enumerate()
            .map(|(rank, (id, _))| (*id, rank))
            .collect();
        let mut spelled: Vec<Option<Arc<str>>> = vec![None; order.len()];
        let pages = lessons.positive.iter().chain(&lessons.negative);
        for page in pages.chain(lessons.sample.pages().map(|(_, fields)| fields)) {
            for (id, spelling) in page.spelled() {
                if let Some(slot) = ranks.get(&id).and_then(|rank| spelled.get_mut(*rank))
                    && slot.is_none()
                {
                    *slot = Some(spelling.into());
                }
            }
        }
        return spelled
            .into_iter()
            .zip(order)
            .filter_map(|(word, (id, _))| Some((word?, id)))
            .collect();
    }
    let words = feedback.iter().flat_map(|(words, _)| &words.words);
    words.map(|(word, id, _)| (word.clone(), *id)).collect()
}

impl Judge for TopicJudge {
    fn reads(&self) -> PageText {
        self.settings.text
    }

    fn judge(&self, page: &ParsedPage) -> Judgement {
        let model = self.model();
        self.judge_by(&model, &self.fields_for(&model, page))
    }

    fn judge_and_keep(&self, page: &ParsedPage) -> (Judgement, Option<Box<Lesson>>) {
        let model = self.model();
        let fields = self.fields_for(&model, page);
        let judgement = self.judge_by(&model, &fields);
        let lesson = self.settings.learns.then(|| {
            Box::new(Lesson {
                fields,
                relevance: judgement.relevance,
                model: model.number,
                is_seed: false,
            })
        });
        (judgement, lesson)
    }

    fn snippet(&self, tokens: &[Token]) -> f32 {
        self.model().words(tokens)
    }

    fn snippets(&self) -> Option<Box<SnippetScorer>> {
        let model = self.model();
        Some(Box::new(move |tokens| model.words(tokens)))
    }

    /// It has examples to learn from even if it does not learn from the pages of the crawl.
    fn learner(&self) -> Option<&dyn Learner> {
        Some(self)
    }
}

impl Learner for TopicJudge {
    fn observe(&self, key: UrlKey, lesson: Lesson) -> bool {
        if lesson.model == self.model().number {
            let mut lessons = self.lessons();
            lessons
                .sample
                .add(key, lesson.fields, lesson.relevance, lesson.is_seed);
        } else {
            self.show_from(key, lesson.fields, lesson.is_seed);
        }
        let is_due = {
            let lessons = self.lessons();
            lessons.sample.seen >= lessons.next
        };
        if is_due {
            self.learn();
        }
        is_due
    }

    fn lessons_learnt(&self) -> u64 {
        self.lessons().models
    }

    fn fields(&self, page: &ParsedPage) -> PageFields {
        TopicJudge::fields(self, page)
    }

    fn examples(&self) -> Vec<(String, Verdict)> {
        let lessons = self.lessons();
        let positive = lessons
            .positive_names
            .iter()
            .map(|name| (name.clone(), Verdict::Relevant));
        let negative = lessons
            .negative_names
            .iter()
            .map(|name| (name.clone(), Verdict::Irrelevant));
        positive.chain(negative).collect()
    }

    fn change_examples(&self, dropped: &[String], added: Vec<LabelledPage>) {
        let mut lessons = self.lessons();
        lessons.drop_examples(|name| dropped.iter().any(|other| other == name));
        for page in added {
            lessons.add_example(page);
        }
        lessons.new_examples = true;
        drop(lessons);
        self.learn();
    }

    fn save_changes(&self, out: &mut StateDelta) {
        let mut lessons = self.lessons();
        let changes = lessons.sample.changes();
        if !changes.is_empty() {
            out.put("seen", lessons.sample.seen.to_le_bytes());
            out.put("next", lessons.next.to_le_bytes());
        }
        for (key, bytes) in changes {
            out.put(format!("page/{key:016x}"), bytes.unwrap_or_default());
        }
        if std::mem::take(&mut lessons.new_examples) {
            let sides = [
                (&lessons.positive, &lessons.positive_names),
                (&lessons.negative, &lessons.negative_names),
            ];
            let saved = sides.map(|(pages, _)| pages.len());
            for (((side, _), (pages, names)), before) in SIDES.iter().zip(sides).zip(lessons.saved_examples) {
                for (number, (fields, name)) in pages.iter().zip(names).enumerate() {
                    out.put(format!("{side}/{number:06}"), example_bytes(name, fields));
                }
                // There were more before.
                for number in pages.len()..before {
                    out.put(format!("{side}/{number:06}"), Vec::new());
                }
            }
            lessons.saved_examples = saved;
        }
    }

    fn share_lessons(&self) {
        TopicJudge::lessons(self).sample.share();
    }

    fn lessons(&self) -> Vec<u8> {
        TopicJudge::lessons(self).sample.lessons()
    }

    fn hear_lessons(&self, heard: &[u8]) -> Result<(), JudgeFault> {
        let model = self.model();
        let is_due = {
            let mut lessons = TopicJudge::lessons(self);
            let score = |fields: &PageFields| model.opinion(fields, &self.query).relevance;
            let read = lessons.sample.hear(heard, score);
            read.ok_or_else(|| JudgeFault::Saved {
                name: "the lessons of another node".to_owned(),
            })?;
            lessons.sample.seen >= lessons.next
        };
        if is_due {
            self.learn();
        }
        Ok(())
    }

    fn restore(&self, saved: &[(String, Vec<u8>)]) -> Result<(), JudgeFault> {
        let damaged = |name: &str| JudgeFault::Saved {
            name: name.to_owned(),
        };
        let mut lessons = self.lessons();
        for (name, bytes) in saved.iter().filter(|(_, bytes)| !bytes.is_empty()) {
            let number = || -> Option<u64> {
                let number = u64::from_le_bytes(bytes.as_slice().try_into().ok()?);
                (number <= MOST_SEEN).then_some(number)
            };
            let restored = match name.split_once('/') {
                None if name == "seen" => number().map(|seen| lessons.sample.seen = seen),
                None if name == "next" => number().map(|next| lessons.next = next),
                Some(("page", key)) => u64::from_str_radix(key, 16)
                    .ok()
                    .and_then(|key| lessons.sample.restore(key, bytes)),
                Some((side, _)) => {
                    let known = SIDES.iter().zip(0..).find(|((known, _), _)| *known == side);
                    known.and_then(|((_, label), place): (_, usize)| {
                        if let Some(saved) = lessons.saved_examples.get_mut(place) {
                            *saved += 1;
                        }
                        read_example(bytes, *label).map(|page| lessons.add_example(page))
                    })
                }
                _ => None,
            };
            restored.ok_or_else(|| damaged(name))?;
        }
        let next = lessons.next;
        drop(lessons);
        if !saved.is_empty() {
            self.learn();
            // The next lesson comes when it would have come.
            self.lessons().next = next.max(FIRST_LESSON);
        }
        Ok(())
    }
}
