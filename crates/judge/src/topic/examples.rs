//! Learns from example pages and the pages seen, none of which need be known to be irrelevant.
//!
//! Logistic regression on the words of a page, the words of its title and URL, how well it matches the user's own words,
//! what kind of page it is by the votes of the genre detector, what its words mean, and where it lies among the pages seen.
//! The pages seen stand in for irrelevant ones: most are, and the few that are not cannot outweigh the rest. Positive
//! examples, negative ones and pages seen weigh the same in total.
//!
//! Examples often come from one or two sites, and what such pages share first of all is their site's frame. So terms that
//! most examples of a site have, but few other pages and few examples of other sites, are left out, and examples are held
//! out by whole sites where there are several: only what carries over to another site counts. If there is one site among
//! many, held-out pages say nothing about other sites; the share of relevant pages is then the one that the user's own words
//! suggest. There, and wherever the words tell held-out examples better than what was learnt from the others, the words count
//! for more than the examples.
//!
//! Some of the pages seen are relevant, in a short crawl on topic a good share of them. Those that score like relevant ones
//! when they are held out do not count as irrelevant in the end, or the judge would learn to turn them away.
//!
//! Examples are half positive and the web is not, so a probability fitted to them would call far too many pages relevant. Two
//! estimates of where to cut are averaged. One takes the cut that keeps most held-out positives while calling few of the
//! pages seen relevant (recall² ÷ share called relevant). The other corrects the probabilities to the share of relevant
//! pages among those seen, estimated from the scores themselves, and takes the cut with the best expected F1. If there are
//! words, the cut that calls as many pages relevant as they do counts as much as both, and less with more than ten examples.

use std::collections::{HashMap, HashSet};

use scenthound_learn::{
    Balance, ExampleSum, Folds, Gram, LATENT, LearnFault, LogisticSettings, MEANING, Meaning, Platt,
    Position, SparseRows, SparseVector, nearness,
};

use super::ById;
use super::feedback;
use super::fields::{FieldCounts, PageFields};
use super::match_score::MatchScore;
use super::meaning;
use super::votes::MOST_CLASSES;
use super::words::Rarity;

/// The weight of title and URL words against all words.
const ADDRESS: f64 = 0.5;
/// How much the user's own words count: tried in this order, the best on held-out examples is taken.
const OWN_WORDS: [f64; 3] = [0.15, 0.5, 1.0];
/// The least share of relevant pages that is assumed among the pages seen.
const LEAST_SHARE: f64 = 0.005;
/// Pages seen from at least this many sites are many sites.
const MANY_SITES: usize = 5;
/// A site with at least this many examples has a frame, of the terms that this share of them have.
const FRAME_PAGES: usize = 5;
const FRAME_SHARE: f64 = 0.6;
/// How much examples count beside the user's words if those tell held-out examples better, or if all come from one site.
const LITTLE_TRUST: f64 = 0.3;
/// With fewer examples, and none of what is not meant, the user's words count as well, the more the fewer there are…
const ENOUGH: f64 = 10.0;
/// …and without words at most this share of the pages seen is called relevant, and as much again for each further example.
/// One example tells too little about where the topic ends, and what resembles it least of all is called relevant otherwise.
const SHARE_PER_EXAMPLE: f64 = 0.05;
/// How often pages that look relevant are left out, if there are words: those of the second time resemble the ones of the first.
/// Without words nothing would keep the judge from drifting further each time.
const ROUNDS: usize = 2;
/// If more of the pages seen than this share look relevant, the scores tell nothing, and none are left out.
const MOST_DOUBTFUL: f64 = 1.0 / 3.0;
/// More of the pages seen than this share are never called relevant.
const MOST_CALLED: f64 = 0.5;
/// The largest share of the pages seen that is called relevant to do justice to held-out examples.
const MOST_LENIENT: f64 = 0.1;
/// How much steeper that may make the odds.
const MOST_STRETCHED: f64 = 5.0;
/// The weight of a page that does not count. The solver wants more than nothing.
const UNCOUNTED: f64 = 1e-6;
/// The weight of the votes for the kind of page against all words.
const KINDS: f64 = 0.3;
/// The weight of what a page means, and of where it lies among the pages seen, against all words. The second…
const LIES: f64 = 0.7;
/// …counts if at least this share of the pages seen is from sites of the examples. Otherwise what examples have in common
/// is where their sites lie.
const AT_HOME: f64 = 0.15;
/// Features that are not words: how well the user's words match, and what kind of page it is.
const OWN: usize = 4;
const DENSE: usize = OWN + MOST_CLASSES;
/// How the weights of features are found.
const FITTING: LogisticSettings = LogisticSettings {
    cost: 10.0,
    balance: Balance::AsGiven,
    tolerance: 1e-3,
    most_steps: 30,
};

/// A page to learn from: its terms and how well it matches the user's words.
#[derive(Clone, Copy)]
pub(super) struct Example<'a> {
    pub fields: &'a PageFields,
    pub matched: f64,
    /// Shares of the query found in the title, the headings and the URL.
    pub places: [f64; 3],
    /// Where it lies among the pages seen; 0 if that is not known.
    pub position: Position,
    /// What its words mean.
    pub meaning: Meaning,
}

/// The weights of the features.
#[derive(Clone, PartialEq, Debug)]
struct LearntWeights {
    /// By term: as a word of the page, and as a word of its title or URL.
    terms: HashMap<u32, (f32, f32), ById>,
    /// How well the page matches, the shares of the query in title, headings and URL, and the votes for its kind.
    dense: [f64; DENSE],
    /// Where the page lies.
    position: Position,
    /// What its words mean.
    meaning: Meaning,
    bias: f64,
}

/// What was learnt from examples.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct LearntWords {
    weights: LearntWeights,
    /// How much it counts beside the user's own words, from 0 to 1…
    pub trust: f64,
    /// …and how the log odds of both are moved.
    leniency: Leniency,
    /// From a score to a probability: 0.5 is where the page is as likely relevant as not.
    pub curve: Platt,
}

impl LearntWords {
    /// How much a term speaks for the topic, as a word of a page.
    pub(super) fn weight(&self, id: u32) -> f64 {
        self.weights
            .terms
            .get(&id)
            .map_or(0.0, |(page, _)| f64::from(*page))
    }

    /// The terms that speak for or against the topic, and how much they tell.
    pub(super) fn telling(&self) -> impl Iterator<Item = (u32, f32)> + '_ {
        let terms = self.weights.terms.iter();
        terms.map(|(id, (page, title))| (*id, page.abs() + 0.5 * title.abs()))
    }

    /// The log odds of a page.
    pub(super) fn score(&self, example: &Example<'_>, rarity: &Rarity) -> f64 {
        let weights = &self.weights;
        let (mut words, mut of_words) = (0.0, 0.0);
        let (mut address, mut of_address) = (0.0, 0.0);
        for (id, counts) in example.fields.terms() {
            let idf = rarity.background.idf(id);
            let (page, title) = weights.terms.get(&id).copied().unwrap_or_default();
            let value = word_value(counts.weighed(2.0, 3.0, 0.0), idf);
            words += value * f64::from(page);
            of_words += value * value;
            let value = word_value(f32::from(counts.title) + f32::from(counts.url), idf);
            address += value * f64::from(title);
            of_address += value * value;
        }
        let level = |sum: f64, squares: f64| if squares > 0.0 { sum / squares.sqrt() } else { 0.0 };
        let dense: f64 = dense_of(example)
            .iter()
            .zip(weights.dense)
            .map(|(value, weight)| value * weight)
            .sum();
        let lies = f64::from(nearness(&weights.position, &example.position));
        let means = weights.meaning.iter().zip(&example.meaning);
        let lies = lies + f64::from(means.map(|(weight, number)| weight * number).sum::<f32>());
        level(words, of_words) + ADDRESS * level(address, of_address) + lies + dense + weights.bias
    }

    /// The log odds of a page by what was learnt and by the user's words.
    pub(super) fn odds(&self, score: f64, by_words: f64) -> f64 {
        if self.trust < 1.0 {
            self.leniency.of(mix(&self.curve, score, self.trust, by_words))
        } else {
            self.curve.slope * score + self.curve.offset
        }
    }

    /// The log odds that the words at a link add. Where so few words lie tells little.
    pub(super) fn words_score(&self, ids: &[u32], rarity: &Rarity) -> f64 {
        let (mut sum, mut squares) = (0.0, 0.0);
        for id in ids {
            let value = rarity.background.idf(*id);
            let (page, title) = self.weights.terms.get(id).copied().unwrap_or_default();
            sum += value * f64::from(page + 0.5 * title);
            squares += value * value;
        }
        if squares > 0.0 { sum / squares.sqrt() } else { 0.0 }
    }
}

fn word_value(count: f32, idf: f64) -> f64 {
    if count > 0.0 {
        feedback::dampened(count.into()) * idf
    } else {
        0.0
    }
}

fn dense_of(example: &Example<'_>) -> [f64; DENSE] {
    let mut features = [0.0; DENSE];
    let of_words = example.places.map(|share| 0.3 * share);
    let of_words = std::iter::once(example.matched).chain(of_words);
    let of_kind = example.fields.votes().shares().map(|share| KINDS * share);
    for (feature, value) in features.iter_mut().zip(of_words.chain(of_kind)) {
        *feature = value;
    }
    features
}

/// Terms that belong to the frame of a site that examples come from.
#[derive(Default)]
struct Frames {
    terms: std::collections::HashSet<(u32, u32)>,
}

impl Frames {
    fn new(positive: &[Example<'_>], seen: &[Example<'_>]) -> Frames {
        let mut of_site: HashMap<u32, Vec<&PageFields>, ById> = HashMap::default();
        for example in positive {
            of_site
                .entry(example.fields.site())
                .or_default()
                .push(example.fields);
        }
        let mut elsewhere: HashMap<u32, u32, ById> = HashMap::default();
        for example in seen
            .iter()
            .filter(|example| !of_site.contains_key(&example.fields.site()))
        {
            for (id, _) in example.fields.terms() {
                *elsewhere.entry(id).or_default() += 1;
            }
        }
        // On a web of one site there is no elsewhere, and no frame to tell it from.
        let others = seen
            .iter()
            .filter(|example| !of_site.contains_key(&example.fields.site()))
            .count() as f64;
        let mut frames = Frames::default();
        if others < 20.0 {
            return frames;
        }
        for (site, pages) in of_site.iter().filter(|(_, pages)| pages.len() >= FRAME_PAGES) {
            let mut counts: HashMap<u32, u32, ById> = HashMap::default();
            for page in pages {
                for (id, _) in page.terms() {
                    *counts.entry(id).or_default() += 1;
                }
            }
            let of_others: Vec<&PageFields> = of_site
                .iter()
                .filter(|(other, _)| *other != site)
                .flat_map(|(_, pages)| pages.iter().copied())
                .collect();
            for (id, count) in counts {
                let here = f64::from(count) / pages.len() as f64;
                let there = f64::from(elsewhere.get(&id).copied().unwrap_or(0)) / others;
                if here < FRAME_SHARE || there >= 0.2 * here {
                    continue;
                }
                // What examples of other sites have as well is the topic.
                let with = of_others
                    .iter()
                    .filter(|page| page.get(id) != FieldCounts::default());
                if (with.count() as f64) < 0.2 * here * of_others.len().max(1) as f64 {
                    frames.terms.insert((*site, id));
                }
            }
        }
        frames
    }

    fn holds(&self, site: u32, id: u32) -> bool {
        !self.terms.is_empty() && self.terms.contains(&(site, id))
    }
}

/// The features of the pages to learn from, in blocks that can be weighed against each other.
struct Features {
    /// The votes for each kind, then two for each term: as a word of the page, and as a word of its title or URL.
    words: SparseRows,
    ids: Vec<u32>,
    /// How well the user's words match.
    own: SparseRows,
    /// Where the pages lie, and what they mean.
    lies: SparseRows,
}

impl Features {
    fn new(examples: &[&Example<'_>], knows_kinds: bool, frames: &Frames, rarity: &Rarity) -> Features {
        let mut places: HashMap<u32, u32, ById> = HashMap::default();
        let mut ids = Vec::new();
        let mut words = Vec::new();
        let (mut own, mut lies) = (SparseRows::new(OWN), SparseRows::new(LATENT + MEANING));
        for example in examples {
            let dense = dense_of(example);
            own.push(dense_row(dense.iter().take(OWN).map(|value| *value as f32)).row());
            let place = example.position.into_iter().chain(example.meaning);
            lies.push(dense_row(place).row());
            let mut entries = Vec::new();
            if knows_kinds {
                let of_kinds = dense.iter().skip(OWN).map(|value| *value as f32);
                entries.extend((0..).zip(of_kinds));
            }
            let place_of = |id: u32| {
                *places.entry(id).or_insert_with(|| {
                    ids.push(id);
                    word_place(ids.len() as u32 - 1)
                })
            };
            words_of(example, frames, rarity, place_of, &mut entries);
            words.push(SparseVector::new(entries));
        }
        let features = word_place(ids.len() as u32) as usize;
        Features {
            words: SparseRows::of(features, words.iter().map(SparseVector::row)),
            ids,
            own,
            lies,
        }
    }

    /// The weights of the features in a model of all pages.
    fn weights(&self, model: &ExampleSum, own_words: f64) -> LearntWeights {
        let words = model.weights(&self.words);
        let own = model.weights(&self.own);
        let lies = model.weights(&self.lies);
        let terms = (0_u32..).zip(&self.ids).map(|(number, id)| {
            let place = word_place(number);
            (*id, (words.weight(place), words.weight(place + 1)))
        });
        LearntWeights {
            terms: terms
                .filter(|(_, (page, title))| page.abs() + title.abs() > 1e-4)
                .collect(),
            // A block counts twice by its factor: in the weights that were found, and in the pages they are applied to.
            dense: std::array::from_fn(|place| match place.checked_sub(OWN) {
                None => own_words.powi(2) * f64::from(own.weight(place as u32)),
                Some(kind) => words.weight(kind as u32).into(),
            }),
            position: std::array::from_fn(|place| LIES.powi(2) as f32 * lies.weight(place as u32)),
            meaning: std::array::from_fn(|place| LIES.powi(2) as f32 * lies.weight((LATENT + place) as u32)),
            bias: words.bias(),
        }
    }
}

/// Where the weight of a term is; that of the term in titles and URLs is after it.
fn word_place(number: u32) -> u32 {
    MOST_CLASSES as u32 + 2 * number
}

fn dense_row(values: impl Iterator<Item = f32>) -> SparseVector {
    SparseVector::new((0..).zip(values).collect())
}

/// Appends the words of a page, and those of its title and URL: two blocks of a length of their own.
fn words_of(
    example: &Example<'_>,
    frames: &Frames,
    rarity: &Rarity,
    mut place_of: impl FnMut(u32) -> u32,
    entries: &mut Vec<(u32, f32)>,
) {
    let mut words = Vec::new();
    let mut address = Vec::new();
    for (id, counts) in example.fields.terms() {
        if frames.holds(example.fields.site(), id) {
            continue;
        }
        let idf = rarity.background.idf(id);
        let place = place_of(id);
        words.push((place, word_value(counts.weighed(2.0, 3.0, 0.0), idf)));
        let value = word_value(f32::from(counts.title) + f32::from(counts.url), idf);
        if value > 0.0 {
            address.push((place + 1, value));
        }
    }
    for (block, weight) in [(words, 1.0), (address, ADDRESS)] {
        let length = block
            .iter()
            .map(|(_, value)| value * value)
            .sum::<f64>()
            .sqrt()
            .max(1e-9);
        entries.extend(
            block
                .iter()
                .map(|(place, value)| (*place, (weight * value / length) as f32)),
        );
    }
}

/// Whether a good part of the pages seen is from sites of the examples.
pub(super) fn are_at_home(examples: &[PageFields], seen: &[&PageFields]) -> bool {
    let own: HashSet<u32> = examples.iter().map(PageFields::site).collect();
    let at_home = seen.iter().filter(|page| own.contains(&page.site())).count();
    at_home as f64 >= AT_HOME * seen.len() as f64
}

/// The pages to learn from: positives first, then negatives, then pages seen.
struct Training {
    labels: Vec<bool>,
    weights: Vec<f64>,
    positive: usize,
    /// Where the pages seen begin.
    seen_from: usize,
    /// The site of each page.
    sites: Vec<u32>,
    has_words: bool,
}

impl Training {
    fn new(all: &[&Example<'_>], positive: usize, negative: usize, has_words: bool) -> Training {
        let seen = all.len() - positive - negative;
        let sites = all.iter().map(|example| example.fields.site()).collect();
        let all = all.len();
        let each = |share: f64, count: usize| share * all as f64 / 2.0 / count.max(1) as f64;
        let sides = u8::from(negative > 0) + u8::from(seen > 0);
        let against = 1.0 / f64::from(sides.max(1));
        let mut weights = vec![each(1.0, positive); positive];
        weights.extend(vec![each(against, negative); negative]);
        weights.extend(vec![each(against, seen); seen]);
        Training {
            labels: (0..all).map(|at| at < positive).collect(),
            weights,
            positive,
            seen_from: positive + negative,
            sites,
            has_words,
        }
    }

    /// How many sites these pages come from.
    fn sites_of(&self, pages: std::ops::Range<usize>) -> usize {
        let mut sites = self.sites.get(pages).unwrap_or_default().to_vec();
        sites.sort_unstable();
        sites.dedup();
        sites.len()
    }

    /// Whether the examples say nothing about other sites although there are many.
    fn is_narrow(&self) -> bool {
        let seen = self.sites_of(self.seen_from..self.sites.len());
        self.sites_of(0..self.positive) < 2 && seen >= MANY_SITES
    }

    /// The score of each page by a model that has not seen it.
    fn held_out(&self, gram: &Gram) -> Result<Vec<f64>, LearnFault> {
        let classes: Vec<u32> = self.labels.iter().map(|label| u32::from(*label)).collect();
        let by_site = self.sites_of(0..self.positive).min(5);
        let folds = if by_site >= 2 {
            Folds::grouped(&classes, &self.sites, by_site, 1)?
        } else {
            Folds::stratified(&classes, self.positive.clamp(2, 5), 1)?
        };
        folds.held_out(|train, held| {
            // A fold of whole sites may hold all examples there are.
            let has_positive = train.iter().any(|at| *at < self.positive);
            if !has_positive {
                return Ok(vec![0.0; held.len()]);
            }
            gram.scores_of_held(&self.labels, &self.weights, &FITTING, (train, held))
        })
    }

    /// Makes pages seen that score like relevant ones count for nothing. Returns whether it did.
    fn leave_out_doubtful(&mut self, scores: &[f64]) -> bool {
        let curve = self.curve(scores);
        let of_seen = scores.get(self.seen_from..).unwrap_or_default();
        let is_doubtful = |score: &f64| curve.slope * score + curve.offset >= 0.0;
        let doubtful = of_seen.iter().filter(|score| is_doubtful(score)).count();
        if doubtful == 0 || doubtful as f64 > MOST_DOUBTFUL * of_seen.len() as f64 {
            return false;
        }
        let seen = self.weights.iter_mut().skip(self.seen_from);
        for (weight, _) in seen.zip(of_seen).filter(|(_, score)| is_doubtful(score)) {
            *weight = UNCOUNTED;
        }
        true
    }

    /// The curve that gives 0.5 at the cut, with the slope of the scores.
    fn curve(&self, scores: &[f64]) -> Platt {
        let of_positive = scores.get(..self.positive).unwrap_or_default();
        let of_seen = scores.get(self.seen_from..).unwrap_or_default();
        // Pages seen that look relevant, and not to the examples alone, are no evidence of how irrelevant ones score.
        let counted = scores.iter().zip(&self.labels).zip(&self.weights);
        let (counted, labels): (Vec<f64>, Vec<bool>) = counted
            .filter(|(_, weight)| !self.has_words || **weight > UNCOUNTED)
            .map(|((score, label), _)| (*score, *label))
            .unzip();
        let Ok(fitted) = Platt::fit(&counted, &labels) else {
            return Platt::IDENTITY;
        };
        let slope = fitted.slope.clamp(0.2, 5.0);
        let by_recall = cut_by_recall(of_positive, of_seen);
        let by_share = cut_by_share(&fitted, &labels, of_seen);
        let cut = match (by_recall, by_share) {
            (Some(a), Some(b)) => (a + b) / 2.0,
            (one, other) => one.or(other).unwrap_or(0.0),
        };
        // A judge that turns away most held-out examples is too strict, whatever the estimates say.
        let mut held_out = of_positive.to_vec();
        held_out.sort_by(f64::total_cmp);
        let cut = held_out
            .get(held_out.len() / 2)
            .map_or(cut, |median| cut.min(*median));
        // Two examples say little about a third, so what was held out of a few may score below nearly everything.
        let most = SHARE_PER_EXAMPLE * (1.0 + of_positive.len() as f64);
        let cut = cut.max(cut_at(of_seen, most.min(MOST_CALLED)));
        Platt {
            slope,
            offset: -slope * cut,
        }
    }

    /// The curve of these scores, moved towards calling as many pages relevant as the user's words do.
    fn curve_beside_words(&self, scores: &[f64], by_words: f64) -> Platt {
        let curve = self.curve(scores);
        let of_seen = scores.get(self.seen_from..).unwrap_or_default();
        if of_seen.is_empty() {
            return curve;
        }
        let weight = (ENOUGH / self.positive as f64).min(1.0);
        let cut = -curve.offset / curve.slope;
        let cut = (cut + weight * cut_at(of_seen, by_words)) / (1.0 + weight);
        Platt {
            offset: -curve.slope * cut,
            ..curve
        }
    }

    /// How well held-out positives are ranked above the pages seen.
    fn precision(&self, scores: &[f64]) -> f64 {
        let mut order: Vec<(f64, bool)> = scores.iter().copied().zip(self.labels.iter().copied()).collect();
        // Among equals the others come first: what scores all pages alike has told nothing.
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let (mut found, mut sum) = (0.0, 0.0);
        for (rank, (_, label)) in (1_u32..).zip(order) {
            if label {
                found += 1.0;
                sum += found / f64::from(rank);
            }
        }
        sum / f64::max(found, 1.0)
    }
}

/// Log odds of what was learnt and of the user's words together. What speaks only of one site must not outvote the words.
fn mix(curve: &Platt, score: f64, trust: f64, by_words: f64) -> f64 {
    let learnt = curve.slope * score + curve.offset;
    trust * learnt.clamp(-3.0, 3.0) + (1.0 - trust) * by_words
}

/// Log odds moved so that fewer pages are turned away.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Leniency {
    /// What is added to them…
    shift: f64,
    /// …and by what they are multiplied then, so that the usual page is as unlikely as before.
    stretch: f64,
}

impl Leniency {
    const NONE: Leniency = Leniency {
        shift: 0.0,
        stretch: 1.0,
    };

    /// So that half of the held-out examples are called relevant, unless too many other pages would be. Words that do not occur
    /// in what the examples are about would otherwise turn away everything.
    fn new(of_positive: Vec<f64>, of_seen: &[f64]) -> Leniency {
        let most = SHARE_PER_EXAMPLE * (1.0 + of_positive.len() as f64);
        let needed = median(of_positive).max(cut_at(of_seen, most.min(MOST_LENIENT)));
        let usual = median(of_seen.to_vec());
        if needed >= 0.0 || usual >= needed {
            return Leniency::NONE;
        }
        Leniency {
            shift: -needed,
            stretch: (usual / (usual - needed)).min(MOST_STRETCHED),
        }
    }

    fn of(&self, odds: f64) -> f64 {
        self.stretch * (odds + self.shift)
    }
}

/// The middle of some numbers; 0 if there are none.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}

/// The fewest pages seen that can stand in for irrelevant ones.
pub(super) const LEAST_SEEN: usize = 40;

/// What the user's words say.
pub(super) struct ByWords {
    /// The share of the pages seen that the words alone call relevant.
    pub alone: f64,
    /// The log odds of positive examples by the words together with those of the pages that match them…
    pub of_positive: Vec<f64>,
    /// …and those of the pages seen.
    pub of_seen: Vec<f64>,
}

impl ByWords {
    /// The share of the pages seen that they call relevant.
    fn share(&self) -> f64 {
        let called = self.of_seen.iter().filter(|odds| **odds >= 0.0).count();
        called as f64 / self.of_seen.len().max(1) as f64
    }
}

/// Learns from examples, and from words if there are any.
pub(super) fn learn(
    positive: &[Example<'_>],
    negative: &[Example<'_>],
    seen: &[Example<'_>],
    by_words: Option<&ByWords>,
    rarity: &Rarity,
) -> Result<LearntWords, LearnFault> {
    let has_words = by_words.is_some();
    let all: Vec<&Example<'_>> = positive.iter().chain(negative).chain(seen).collect();
    let mut training = Training::new(&all, positive.len(), negative.len(), has_words);
    let frames = Frames::new(positive, seen);
    // Pages that were read before there were examples have no votes, and would be told from the examples by that.
    let knows_kinds = all.iter().all(|example| example.fields.votes().are_known());
    let features = Features::new(&all, knows_kinds, &frames, rarity);
    let without_words = Gram::of(&features.words).with(&Gram::of(&features.lies), LIES);
    let of_words = Gram::of(&features.own);
    let choices: &[f64] = match (has_words, training.is_narrow()) {
        (false, _) => &[0.0],
        (true, true) => &[1.0],
        (true, false) => &OWN_WORDS,
    };
    let mut chosen: Option<(f64, f64, Gram, Vec<f64>)> = None;
    for own_words in choices {
        let gram = without_words.with(&of_words, *own_words);
        // With a single example nothing can be held out.
        let scores = if positive.len() < 2 {
            gram.scores(&gram.fit(&training.labels, &training.weights, &FITTING)?)
        } else {
            training.held_out(&gram)?
        };
        let precision = training.precision(&scores);
        if chosen.as_ref().is_none_or(|(best, ..)| precision > *best) {
            chosen = Some((precision, *own_words, gram, scores));
        }
    }
    let (precision, own_words, gram, mut scores) = chosen.ok_or(LearnFault::NoExamples)?;
    let rounds = match (positive.len(), has_words) {
        // Nothing was held out.
        (..2, _) => 0,
        (_, true) => ROUNDS,
        (_, false) => 1,
    };
    for _ in 0..rounds {
        if !training.leave_out_doubtful(&scores) {
            break;
        }
        scores = training.held_out(&gram)?;
    }
    // The user's words may tell held-out examples from the pages seen better than anything learnt from the others does. If the
    // examples come from one site among many, what was held out says too much about that site, so words need only come close.
    let by_match: Vec<f64> = all.iter().map(|example| example.matched).collect();
    let needed = if training.is_narrow() {
        0.5 * precision
    } else {
        precision
    };
    let words_are_better = has_words && training.precision(&by_match) > needed;
    let model = gram.fit(&training.labels, &training.weights, &FITTING)?;
    let of_seen = scores.get(training.seen_from..).unwrap_or_default();
    let curve = match by_words {
        Some(called) if training.is_narrow() => Platt {
            slope: 1.0,
            offset: -cut_at(of_seen, called.alone),
        },
        Some(called) => training.curve_beside_words(&scores, called.share()),
        None => training.curve(&scores),
    };
    let trust = {
        let is_doubtful = has_words && (words_are_better || training.is_narrow());
        let most = if is_doubtful { LITTLE_TRUST } else { 1.0 };
        let few = positive.len() as f64 / ENOUGH;
        // Bad examples say what the words cannot tell apart.
        if has_words && negative.is_empty() {
            few.min(most)
        } else {
            most
        }
    };
    let leniency = match by_words {
        Some(words) if trust < 1.0 && positive.len() > 1 => {
            let mixed = |(score, by_words): (&f64, &f64)| mix(&curve, *score, trust, *by_words);
            let of_positive: Vec<f64> = scores.iter().zip(&words.of_positive).map(mixed).collect();
            let of_seen: Vec<f64> = of_seen.iter().zip(&words.of_seen).map(mixed).collect();
            Leniency::new(of_positive, &of_seen)
        }
        _ => Leniency::NONE,
    };
    Ok(LearntWords {
        leniency,
        weights: features.weights(&model, own_words),
        trust,
        curve,
    })
}

/// The score that this share of the pages seen have at least, and one page in any case; below all scores if no page was seen.
fn cut_at(of_seen: &[f64], share: f64) -> f64 {
    let mut order = of_seen.to_vec();
    order.sort_by(|a, b| b.total_cmp(a));
    let rank = (share * order.len() as f64).ceil().max(1.0) as usize;
    let last = rank.min(order.len()).saturating_sub(1);
    order.get(last).copied().unwrap_or(f64::NEG_INFINITY)
}

/// The score that maximises recall² ÷ share of the pages seen that score at least as much.
fn cut_by_recall(of_positive: &[f64], of_seen: &[f64]) -> Option<f64> {
    if of_positive.is_empty() || of_seen.is_empty() {
        return None;
    }
    let mean = of_positive.iter().sum::<f64>() / of_positive.len() as f64;
    let spread = of_positive
        .iter()
        .map(|score| (score - mean).powi(2))
        .sum::<f64>()
        / of_positive.len() as f64;
    // Few examples make a ragged recall; it is smoothed by half their spread.
    let width = (0.5 * spread.sqrt()).max(0.1);
    let recall = |cut: f64| {
        let kept = of_positive
            .iter()
            .map(|score| 1.0 / (1.0 + ((cut - score) / width * 1.7).exp()));
        kept.sum::<f64>() / of_positive.len() as f64
    };
    let mut cuts: Vec<f64> = of_seen.iter().chain(of_positive).copied().collect();
    cuts.sort_by(f64::total_cmp);
    let mut best: Option<(f64, f64)> = None;
    for cut in cuts {
        let called = of_seen.iter().filter(|score| **score >= cut).count() as f64 + 1.0;
        let gain = recall(cut).powi(2) / (called / of_seen.len() as f64);
        if best.is_none_or(|(highest, _)| gain > highest) {
            best = Some((gain, cut));
        }
    }
    best.map(|(_, cut)| cut)
}

/// The score with the best expected F1 among the pages seen, once the share of relevant ones has been estimated.
fn cut_by_share(fitted: &Platt, labels: &[bool], of_seen: &[f64]) -> Option<f64> {
    if of_seen.is_empty() {
        return None;
    }
    let trained = labels.iter().filter(|label| **label).count() as f64 / labels.len().max(1) as f64;
    let odds = trained / (1.0 - trained).max(1e-9);
    let raw: Vec<f64> = of_seen.iter().map(|score| fitted.probability(*score)).collect();
    let shifted = |p: f64, share: f64| {
        let ratio = (share / (1.0 - share)) / odds;
        p * ratio / (p * ratio + (1.0 - p))
    };
    let mut share = 0.01;
    for _ in 0..50 {
        let mean = raw.iter().map(|p| shifted(*p, share)).sum::<f64>() / raw.len() as f64;
        share = mean.clamp(LEAST_SHARE, 0.5);
    }
    let mut order: Vec<(f64, f64)> = of_seen
        .iter()
        .zip(&raw)
        .map(|(score, p)| (*score, shifted(*p, share)))
        .collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    let relevant: f64 = order.iter().map(|(_, p)| p).sum();
    let (mut found, mut best) = (0.0, (0.0, None));
    for (rank, (score, p)) in (1_u32..).zip(&order) {
        found += p;
        let f1 = 2.0 * found / (f64::from(rank) + relevant);
        if f1 > best.0 {
            best = (f1, Some(*score));
        }
    }
    best.1
}

/// The shares of a query's terms found in the title, the headings and the URL.
pub(super) fn places(fields: &PageFields, query: &[u32]) -> [f64; 3] {
    let mut shares = [0.0; 3];
    for id in query {
        let counts = fields.get(*id);
        for (share, count) in shares.iter_mut().zip([counts.title, counts.heading, counts.url]) {
            *share += f64::from(u8::from(count > 0)) / query.len() as f64;
        }
    }
    shares
}

/// A page to learn from, or to score.
pub(super) fn example<'a>(
    fields: &'a PageFields,
    matched: &MatchScore,
    query: &[u32],
    position: Position,
    rarity: &Rarity,
) -> Example<'a> {
    Example {
        fields,
        matched: matched.score,
        places: places(fields, query),
        position,
        meaning: meaning::of_page(fields, rarity),
    }
}
