//! What pages that match the topic have in common, so that pages are found that say the same in other words.
//!
//! Few pages of a subject hold the words one would search for it with: a page on the cheetah need not call it a mammal. But
//! they resemble pages that do. From the pages seen, those that match best are taken, their scores are spread to the pages
//! most similar to them, and the words that the best of those share, and others lack, become a second opinion.
//!
//! Words are only half of it: a page also counts by how near it lies to those same pages among all pages seen, because pages of a
//! subject lie near each other even where they share few words.
//!
//! What the user's own words mean has a say at both ends: feedback begins with pages near it, and a page that is far from it
//! counts less however similar it is.
//!
//! Feedback can drift: a cluster of pages that has nothing to do with the topic but much in common can take over. So pages
//! that hardly differ count once, and the best pages by feedback must still match the topic's own words more than half as
//! well as the best pages by those words do; if not, the scores are spread without the first round of feedback, and if that
//! drifts as well, there is none.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use super::ById;
use super::fields::PageFields;
use super::manner::SeedManner;
use super::meaning::MeantWords;
use super::page_space::{Centre, PageSpace};
use super::words::Rarity;

/// Pages to begin with, and the words taken from them.
const FIRST_PAGES: usize = 20;
const FIRST_WORDS: usize = 60;
/// Pages the final words come from, and how many words.
const LAST_PAGES: usize = 30;
const LAST_WORDS: usize = 120;
/// The most similar pages that a page gets a share of its score from.
const NEIGHBOURS: usize = 10;
/// How much of a page's score comes from its neighbours.
const SPREAD: f64 = 0.8;
const SPREAD_STEPS: usize = 10;
/// The user's own words always keep this weight against the words found.
pub(super) const OWN_WORDS: f64 = 0.3;
/// Less than this share of the best pages' match is drift.
const DRIFT: f64 = 0.55;
/// Pages more similar than this hardly differ.
const SAME: f32 = 0.4;
/// With fewer pages nothing is learnt.
const LEAST_PAGES: usize = 30;
/// What is left of the score of a page that is unlike all seeds, and what a seed scores at least. People start from pages of the
/// kind they look for: "railway transport" and a page on a locomotive are not about cities with railways.
const UNLIKE_SEEDS: f64 = 0.25;
const SEED: f64 = 0.6;
/// How much the meaning of a page counts against its match, and what is left of the match of a page that means something else.
const MEANT: f64 = 1.0;
const UNLIKE_QUERY: f64 = 0.3;
/// What is left of the similarity of a page that means something else than the user's own words. Words that pages share lead
/// away from the topic bit by bit; this holds them back, though it does not stop a crawl for castles from ending with kings.
const MEANS_ELSE: f64 = 0.6;
/// A seed less similar than this to the words found is off topic: the mean of the ten most similar pages is 1.
const OFF_TOPIC: f64 = 0.07;
/// A page of running text has at least this many words outside of links, and at most this share of its words in links.
const ARTICLE_WORDS: u32 = 100;
const ARTICLE_LINKS: f64 = 0.35;
/// A page that matches at least this share of the best match counts as good.
const GOOD: f64 = 0.4;

/// Words with weights: together a vector of length 1.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct TellingWords {
    pub weights: HashMap<u32, f32, ById>,
    /// The words, largest weight first.
    pub words: Vec<(Arc<str>, u32, f32)>,
    /// The mean similarity of the ten most similar pages: what counts as 1.
    pub full: f64,
    /// Where the pages lie that the words come from.
    pub centre: Option<Centre>,
    /// What the user's own words mean.
    pub meant: Option<MeantWords>,
    /// How the seeds are written.
    pub manner: Option<SeedManner>,
}

impl TellingWords {
    /// How similar a page is, 1 for as similar as the best.
    pub(super) fn similarity(&self, page: &PageFields, rarity: &Rarity) -> f64 {
        let (mut product, mut squares) = (0.0, 0.0);
        for (id, value) in values(page, rarity) {
            squares += value * value;
            product += value * f64::from(self.weights.get(&id).copied().unwrap_or(0.0));
        }
        let by_words = if squares > 0.0 {
            (product / squares.sqrt() / self.full).min(1.5)
        } else {
            0.0
        };
        let found = match &self.centre {
            // Squared, because most pages of a crawl lie in the right half of the space.
            Some(centre) => (by_words + centre.nearness(page, rarity).powi(2)) / 2.0,
            None => by_words,
        };
        match &self.meant {
            Some(meant) => found * (MEANS_ELSE + (1.0 - MEANS_ELSE) * meant.nearness(page, rarity)),
            None => found,
        }
    }
}

/// The weight of each term on a page, before the vector is made length 1.
pub(super) fn values<'p>(page: &'p PageFields, rarity: &'p Rarity) -> impl Iterator<Item = (u32, f64)> + 'p {
    page.terms().filter_map(|(id, counts)| {
        let count = f64::from(counts.weighed(1.0, 2.0, 0.0));
        (count > 0.0).then(|| (id, dampened(count) * rarity.idf(id)))
    })
}

/// 1 + ln(count). Most counts are small whole numbers, and a page has hundreds of them.
pub(super) fn dampened(count: f64) -> f64 {
    static SMALL: LazyLock<[f64; 64]> =
        LazyLock::new(|| std::array::from_fn(|count| 1.0 + (count as f64).ln()));
    let small = count as usize;
    match SMALL.get(small) {
        Some(known) if small as f64 == count => *known,
        _ => 1.0 + count.ln(),
    }
}

/// Pages as vectors of length 1 over the terms they share.
pub(super) struct Vectors {
    rows: Vec<Vec<(u32, f32)>>,
    ids: Vec<u32>,
    mean: Vec<f64>,
}

impl Vectors {
    pub(super) fn new(pages: &[&PageFields], rarity: &Rarity) -> Vectors {
        let mut places: HashMap<u32, u32, ById> = HashMap::default();
        let mut ids = Vec::new();
        let mut rows = Vec::with_capacity(pages.len());
        for page in pages {
            let mut row: Vec<(u32, f32)> = values(page, rarity)
                .map(|(id, value)| {
                    let place = *places.entry(id).or_insert_with(|| {
                        ids.push(id);
                        ids.len() as u32 - 1
                    });
                    (place, value as f32)
                })
                .collect();
            let length = row
                .iter()
                .map(|(_, value)| value * value)
                .sum::<f32>()
                .sqrt()
                .max(1e-9);
            row.iter_mut().for_each(|(_, value)| *value /= length);
            row.sort_unstable_by_key(|(place, _)| *place);
            rows.push(row);
        }
        let mut mean = vec![0.0; ids.len()];
        add_to(&mut mean, rows.iter(), 1.0 / rows.len().max(1) as f64);
        Vectors { rows, ids, mean }
    }

    /// For each page the most similar others, with their shares of the sum of similarities.
    fn neighbours(&self) -> Vec<Vec<(u32, f32)>> {
        let mut holders: Vec<Vec<(u32, f32)>> = vec![Vec::new(); self.ids.len()];
        for (number, row) in (0_u32..).zip(&self.rows) {
            for (place, value) in row {
                if let Some(holders) = holders.get_mut(*place as usize) {
                    holders.push((number, *value));
                }
            }
        }
        // Terms that most pages have cost most of the time and tell nothing about who resembles whom.
        let common = (self.rows.len() / 3).max(50);
        let mut sums = vec![0.0_f32; self.rows.len()];
        let mut all = Vec::with_capacity(self.rows.len());
        for (number, row) in self.rows.iter().enumerate() {
            sums.fill(0.0);
            for (place, value) in row {
                let holders = holders
                    .get(*place as usize)
                    .filter(|holders| holders.len() <= common);
                for (other, theirs) in holders.into_iter().flatten() {
                    if let Some(sum) = sums.get_mut(*other as usize) {
                        *sum += value * theirs;
                    }
                }
            }
            let mut near: Vec<(u32, f32)> = (0_u32..)
                .zip(sums.iter().copied())
                .filter(|(other, sum)| *sum > 0.0 && *other as usize != number)
                .collect();
            near.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            near.truncate(NEIGHBOURS);
            let total: f32 = near.iter().map(|(_, sum)| sum).sum();
            near.iter_mut().for_each(|(_, sum)| *sum /= total.max(1e-9));
            all.push(near);
        }
        all
    }

    /// The places of the largest scores, without pages that hardly differ from one before them.
    fn best(&self, scores: &[f64], most: usize) -> Vec<usize> {
        let mut kept: Vec<usize> = Vec::with_capacity(most);
        for at in best(scores, 4 * most) {
            let Some(row) = self.rows.get(at) else { continue };
            let is_new = kept
                .iter()
                .filter_map(|other| self.rows.get(*other))
                .all(|other| dot(row, other) < SAME);
            if is_new {
                kept.push(at);
            }
            if kept.len() == most {
                break;
            }
        }
        kept
    }

    /// Scores that also say how similar a page is to the seeds. They are multiplied, so a seed that has nothing to do with the
    /// topic makes no page good that does not match.
    fn like_seeds(&self, mut scores: Vec<f64>, seeds: &[usize]) -> Vec<f64> {
        if seeds.is_empty() {
            return scores;
        }
        for (score, similar) in scores.iter_mut().zip(self.similarity_to(seeds)) {
            *score *= UNLIKE_SEEDS + (1.0 - UNLIKE_SEEDS) * similar;
        }
        for seed in seeds {
            if let Some(score) = scores.get_mut(*seed) {
                *score = score.max(SEED);
            }
        }
        let top = scores.iter().copied().fold(1e-9, f64::max);
        scores.iter_mut().for_each(|score| *score /= top);
        scores
    }

    /// How similar each page is to the most similar of these pages; 1 for the mean of the ten most similar pages.
    fn similarity_to(&self, pages: &[usize]) -> Vec<f64> {
        let common = (self.rows.len() / 3).max(50);
        let mut holders = vec![0_usize; self.ids.len()];
        for (place, _) in self.rows.iter().flatten() {
            if let Some(count) = holders.get_mut(*place as usize) {
                *count += 1;
            }
        }
        let mut all = vec![0.0_f64; self.rows.len()];
        for page in pages {
            let Some(own) = self.rows.get(*page) else { continue };
            let mut row = own.clone();
            row.retain(|(place, _)| holders.get(*place as usize).is_some_and(|count| *count <= common));
            for (similar, other) in all.iter_mut().zip(&self.rows) {
                *similar = similar.max(f64::from(dot(&row, other)));
            }
        }
        let mut best: Vec<f64> = all
            .iter()
            .enumerate()
            .filter(|(at, _)| !pages.contains(at))
            .map(|(_, similar)| *similar)
            .collect();
        best.sort_unstable_by(|a, b| b.total_cmp(a));
        best.truncate(10);
        let full = (best.iter().sum::<f64>() / best.len().max(1) as f64).max(1e-6);
        all.iter_mut()
            .for_each(|similar| *similar = (*similar / full).min(1.0));
        all
    }

    /// The words that these pages share and others lack.
    fn common_words(&self, pages: &[usize], most: usize) -> Vec<f64> {
        let mut sum = vec![0.0; self.ids.len()];
        let rows = pages.iter().filter_map(|page| self.rows.get(*page));
        add_to(&mut sum, rows, 1.0 / pages.len().max(1) as f64);
        let mut order: Vec<(f64, usize)> = sum
            .iter()
            .zip(&self.mean)
            .enumerate()
            .map(|(place, (sum, mean))| (sum - mean, place))
            .filter(|(weight, _)| *weight > 0.0)
            .collect();
        order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        order.truncate(most);
        let length = order
            .iter()
            .map(|(weight, _)| weight * weight)
            .sum::<f64>()
            .sqrt()
            .max(1e-9);
        let mut words = vec![0.0; self.ids.len()];
        for (weight, place) in order {
            if let Some(word) = words.get_mut(place) {
                *word = weight / length;
            }
        }
        words
    }

    /// How similar each page is to these words; 1 for the mean of the ten most similar. The second number is that mean.
    fn similarities(&self, words: &[f64]) -> (Vec<f64>, f64) {
        let mut all: Vec<f64> = self
            .rows
            .iter()
            .map(|row| {
                let products = row.iter().map(|(place, value)| {
                    f64::from(*value) * words.get(*place as usize).copied().unwrap_or(0.0)
                });
                products.sum()
            })
            .collect();
        let mut best = all.clone();
        best.sort_unstable_by(|a, b| b.total_cmp(a));
        best.truncate(10);
        let full = (best.iter().sum::<f64>() / best.len().max(1) as f64).max(1e-6);
        all.iter_mut().for_each(|similarity| *similarity /= full);
        (all, full)
    }

    fn telling(&self, words: &[f64], full: f64, pages: &[&PageFields]) -> TellingWords {
        let weights: HashMap<u32, f32, ById> = self
            .ids
            .iter()
            .zip(words)
            .filter(|(_, weight)| **weight > 0.0)
            .map(|(id, weight)| (*id, *weight as f32))
            .collect();
        let mut spelled: HashMap<u32, &str, ById> = HashMap::default();
        for page in pages {
            for (id, spelling) in page.spelled() {
                if weights.contains_key(&id) {
                    spelled.entry(id).or_insert(spelling);
                }
            }
        }
        let mut words: Vec<(Arc<str>, u32, f32)> = weights
            .iter()
            .map(|(id, weight)| (spelled.get(id).copied().unwrap_or_default().into(), *id, *weight))
            .collect();
        words.sort_by(|a, b| b.2.total_cmp(&a.2).then_with(|| a.0.cmp(&b.0)));
        TellingWords {
            weights,
            words,
            full,
            centre: None,
            meant: None,
            manner: None,
        }
    }
}

/// The similarity of two rows.
fn dot(a: &[(u32, f32)], b: &[(u32, f32)]) -> f32 {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut sum = 0.0;
    while let (Some((left, x)), Some((right, y))) = (a.peek(), b.peek()) {
        match left.cmp(right) {
            std::cmp::Ordering::Less => drop(a.next()),
            std::cmp::Ordering::Greater => drop(b.next()),
            std::cmp::Ordering::Equal => {
                sum += x * y;
                a.next();
                b.next();
            }
        }
    }
    sum
}

fn add_to<'r>(sum: &mut [f64], rows: impl Iterator<Item = &'r Vec<(u32, f32)>>, factor: f64) {
    for row in rows {
        for (place, value) in row {
            if let Some(sum) = sum.get_mut(*place as usize) {
                *sum += factor * f64::from(*value);
            }
        }
    }
}

/// The places of the largest scores; of equal ones, the first.
fn best(scores: &[f64], most: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    let score = |at: &usize| scores.get(*at).copied().unwrap_or(0.0);
    order.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.cmp(b)));
    order.truncate(most);
    order
}

fn mean_of(scores: &[f64], pages: &[usize]) -> f64 {
    let sum: f64 = pages.iter().filter_map(|page| scores.get(*page)).sum();
    sum / pages.len().max(1) as f64
}

/// Spreads scores to similar pages.
fn spread(scores: &[f64], neighbours: &[Vec<(u32, f32)>]) -> Vec<f64> {
    let mut now = scores.to_vec();
    for _ in 0..SPREAD_STEPS {
        let next = scores
            .iter()
            .zip(neighbours)
            .map(|(own, near)| {
                let shares = near
                    .iter()
                    .map(|(page, share)| f64::from(*share) * now.get(*page as usize).copied().unwrap_or(0.0));
                (1.0 - SPREAD) * own + SPREAD * shares.sum::<f64>()
            })
            .collect();
        now = next;
    }
    now
}

/// The seeds that are pages of running text. A list of links is where one goes on from, not what one looks for.
fn articles(pages: &[&PageFields], seeds: &[usize]) -> Vec<usize> {
    let is_article = |seed: &usize| {
        pages.get(*seed).is_some_and(|page| {
            let (body, link) = page.words();
            body >= ARTICLE_WORDS && f64::from(link) <= ARTICLE_LINKS * f64::from(body + link)
        })
    };
    seeds.iter().copied().filter(is_article).collect()
}

/// What was learnt from pages that match, and how much to trust it, from 0 to 1.
pub(super) fn learn(
    pages: &[&PageFields],
    matches: &[f64],
    seeds: &[usize],
    query: &[u32],
    space: Option<&Arc<PageSpace>>,
    rarity: &Rarity,
) -> Option<(TellingWords, f64)> {
    let top = matches.iter().copied().fold(0.0, f64::max);
    if pages.len() < LEAST_PAGES || top < 0.1 {
        return None;
    }
    let mut matches: Vec<f64> = matches.iter().map(|score| score / top).collect();
    let meant = MeantWords::new(query, pages, rarity);
    if let Some((_, near)) = &meant {
        for (score, near) in matches.iter_mut().zip(near) {
            *score = *score * (UNLIKE_QUERY + (1.0 - UNLIKE_QUERY) * near) + MEANT * near;
        }
        let top = matches.iter().copied().fold(1e-9, f64::max);
        matches.iter_mut().for_each(|score| *score /= top);
    }
    let vectors = Vectors::new(pages, rarity);
    let neighbours = vectors.neighbours();
    let mut seeds = articles(pages, seeds);
    let mut found = find_words(&vectors, &neighbours, &matches, &seeds);
    // A seed that has nothing in common with what was found is only where the crawl began.
    let on_topic = seeds.iter().copied().filter(|seed| {
        let similar = found.as_ref().and_then(|found| found.similar.get(*seed));
        similar.is_some_and(|similar| *similar >= OFF_TOPIC)
    });
    let on_topic: Vec<usize> = on_topic.collect();
    if on_topic.len() < seeds.len() {
        seeds = on_topic;
        found = find_words(&vectors, &neighbours, &matches, &seeds);
    }
    let found = found?;
    let mut telling = vectors.telling(&found.words, found.full, pages);
    telling.centre = space.map(|space| Centre::new(space, pages, &found.pages, rarity));
    telling.meant = meant.map(|(meant, _)| meant);
    telling.manner = SeedManner::new(pages, &seeds);
    Some((telling, found.trust))
}

/// Words that pages which match have in common.
struct FoundWords {
    /// The pages that they come from.
    pages: Vec<usize>,
    words: Vec<f64>,
    /// How similar each page is to them, and what counts as 1.
    similar: Vec<f64>,
    full: f64,
    trust: f64,
}

fn find_words(
    vectors: &Vectors,
    neighbours: &[Vec<(u32, f32)>],
    matches: &[f64],
    seeds: &[usize],
) -> Option<FoundWords> {
    let matches = vectors.like_seeds(matches.to_vec(), seeds);
    let good = matches.iter().filter(|score| **score >= GOOD).count();
    if good < 3 {
        return None;
    }
    let (first, last) = (FIRST_PAGES.min(good), LAST_PAGES.min(good * 2));
    let trust = good as f64 / (good as f64 + 8.0);
    let with_own = |similar: &[f64], own: f64| -> Vec<f64> {
        similar
            .iter()
            .zip(&matches)
            .map(|(similar, score)| similar + own * score)
            .collect()
    };
    // Two rounds of plain feedback, then spreading.
    let mut scores = matches.clone();
    for _ in 0..2 {
        let words = vectors.common_words(&vectors.best(&scores, first), FIRST_WORDS);
        scores = with_own(&vectors.similarities(&words).0, 0.5);
    }
    let wanted = DRIFT * mean_of(&matches, &best(&matches, last));
    for start in [&scores, &matches] {
        let base = vectors.best(&spread(start, neighbours), last);
        let words = vectors.common_words(&base, LAST_WORDS);
        let (similar, full) = vectors.similarities(&words);
        let found = best(&with_own(&similar, OWN_WORDS), last);
        if mean_of(&matches, &found) >= wanted {
            return Some(FoundWords {
                pages: base,
                words,
                similar,
                full,
                trust,
            });
        }
    }
    None
}

/// The words that example pages have in common, before there is anything to compare them with.
pub(super) fn of_examples(pages: &[&PageFields], rarity: &Rarity) -> TellingWords {
    let mut vectors = Vectors::new(pages, rarity);
    vectors.mean.fill(0.0);
    let all: Vec<usize> = (0..pages.len()).collect();
    let words = vectors.common_words(&all, 4 * LAST_WORDS);
    let (_, full) = vectors.similarities(&words);
    // Pages resemble the words taken from themselves more than other pages of the topic ever will.
    let mut telling = vectors.telling(&words, full, pages);
    telling.full = full * 0.45_f64.max(1.0 - 1.0 / (pages.len() as f64).sqrt());
    telling
}
