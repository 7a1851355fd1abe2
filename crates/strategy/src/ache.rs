//! A link classifier that is learnt while crawling: naive Bayes over the words at links, in three bands.
//!
//! Every visited page is an example: the words of the anchors, sentences and URLs that led to it, and what the visit
//! brought. *Immediate* links lead to a relevant page, *near* links to a page with a link to a relevant page, *other* links to
//! neither. After each batch of visits, the classifier is learnt anew from the last [`EXAMPLES`] visits, and everything that
//! waits is scored again.
//!
//! A link is in the band that its words make most likely. Immediate links come first, then near ones, then others; within
//! the first two bands the most likely links come first, and among the others those that are least likely to be others.
//! Before the first relevant page there is nothing to learn, and links are followed in the order they are found.
//!
//! A page that was visited before a relevant page was found through it becomes near afterwards.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use scenthound_types::{Evidence, Merge, PageReport, Rank, Score, StateDelta, Updates, UrlKey, WaitingLink};

use crate::{Needs, RestoreError, Strategy, offer_each};

/// The most visits that are remembered as examples.
const EXAMPLES: usize = 10_000;
/// The most words of each kind (anchor, around, URL) that the classifier uses: those at the most links.
const WORDS: usize = 1_000;
/// The bands.
const BANDS: usize = 3;
const IMMEDIATE: u8 = 0;
const NEAR: u8 = 1;
const OTHER: u8 = 2;

/// The names under which state is saved.
const MODEL: &str = "model";
const VISITS: &str = "visits";
const EXAMPLE: &str = "example ";

/// What led to a visited page, and what the visit brought.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Example {
    page: UrlKey,
    band: u8,
    words: Vec<u64>,
}

impl Example {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.page.0.to_le_bytes().to_vec();
        bytes.push(self.band);
        bytes.extend(self.words.iter().flat_map(|word| word.to_le_bytes()));
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Example> {
        let (page, rest) = bytes.split_first_chunk::<8>()?;
        let (band, rest) = rest.split_first()?;
        Some(Example {
            page: UrlKey(u64::from_le_bytes(*page)),
            band: (usize::from(*band) < BANDS).then_some(*band)?,
            words: numbers(rest)?,
        })
    }
}

fn numbers(bytes: &[u8]) -> Option<Vec<u64>> {
    if !bytes.len().is_multiple_of(8) {
        return None;
    }
    let chunks = bytes.chunks_exact(8);
    chunks
        .map(|eight| Some(u64::from_le_bytes(eight.try_into().ok()?)))
        .collect()
}

fn bytes_of(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Adds a part to a lesson, after its length.
fn tell(told: &mut Vec<u8>, part: &[u8]) {
    told.extend((part.len() as u32).to_le_bytes());
    told.extend(part);
}

/// The next part of a lesson, and what follows.
fn told_part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

/// One count per band, and what follows.
fn counts_in(bytes: &[u8]) -> Option<([u32; BANDS], &[u8])> {
    let mut rest = bytes;
    let mut counts = [0; BANDS];
    for count in &mut counts {
        let (four, after) = rest.split_first_chunk::<4>()?;
        *count = u32::from_le_bytes(*four);
        rest = after;
    }
    Some((counts, rest))
}

/// The words at a link. A word of the anchor is another feature than the same word in the URL.
fn features(evidence: &Evidence) -> Vec<u64> {
    let fields = [&evidence.anchor, &evidence.around, &evidence.url];
    let mut words = Vec::with_capacity(fields.iter().map(|words| words.len()).sum());
    for (field, of_field) in (0..).zip(fields) {
        // The lowest two bits say which field a word comes from.
        words.extend(of_field.iter().map(|word| (word & !3) | field));
    }
    words
}

/// Naive Bayes over three bands: how many links of each band have a word.
#[derive(Clone, PartialEq, Debug, Default)]
struct Model {
    examples: [u32; BANDS],
    words: BTreeMap<u64, [u32; BANDS]>,
    /// Occurrences of all words, by band.
    totals: [u64; BANDS],
}

impl Model {
    /// Learns from examples; none unless some of them are not others.
    fn learn<'e>(examples: impl Iterator<Item = &'e Example> + Clone) -> Option<Model> {
        let mut model = Model::default();
        for example in examples.clone() {
            if let Some(count) = model.examples.get_mut(usize::from(example.band)) {
                *count += 1;
            }
            for word in &example.words {
                let counts = model.words.entry(*word).or_default();
                if let Some(count) = counts.get_mut(usize::from(example.band)) {
                    *count += 1;
                }
            }
        }
        let bands = model.examples.iter().filter(|count| **count > 0).count();
        if bands < 2 {
            return None;
        }
        model.select();
        Some(model)
    }

    /// Keeps the words at the most links, of each kind.
    fn select(&mut self) {
        let mut ranked: Vec<(u64, u32)> = self
            .words
            .iter()
            .map(|(word, counts)| (*word, counts.iter().sum()))
            .collect();
        ranked.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut room = [WORDS; 4];
        ranked.retain(|(word, _)| match room.get_mut((word & 3) as usize) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        });
        let kept: BTreeSet<u64> = ranked.into_iter().map(|(word, _)| word).collect();
        self.words.retain(|word, _| kept.contains(word));
        self.count_totals();
    }

    fn count_totals(&mut self) {
        self.totals = [0; BANDS];
        for counts in self.words.values() {
            for (total, count) in self.totals.iter_mut().zip(counts) {
                *total += u64::from(*count);
            }
        }
    }

    /// How likely each band is for a link with these words.
    fn likelihoods(&self, words: &[u64]) -> [f64; BANDS] {
        let all: u32 = self.examples.iter().sum();
        let vocabulary = self.words.len() as f64;
        let mut logs = [f64::NEG_INFINITY; BANDS];
        for ((log, examples), total) in logs.iter_mut().zip(self.examples).zip(self.totals) {
            if examples > 0 {
                *log = (f64::from(examples) / f64::from(all)).ln();
                // One is added to every count, so that a single unseen word decides nothing.
                let known = words.iter().filter(|word| self.words.contains_key(word)).count();
                *log -= known as f64 * (total as f64 + vocabulary).ln();
            }
        }
        for counts in words.iter().filter_map(|word| self.words.get(word)) {
            for (log, count) in logs.iter_mut().zip(counts) {
                *log += (f64::from(*count) + 1.0).ln();
            }
        }
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut shares = logs.map(|log| (log - most).exp());
        let sum: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= sum);
        shares
    }

    fn rank(&self, words: &[u64]) -> Rank {
        let [immediate, near, other] = self.likelihoods(words);
        let (band, score) = if immediate >= near && immediate >= other {
            (IMMEDIATE, immediate)
        } else if near >= other {
            (NEAR, near)
        } else {
            (OTHER, immediate + near)
        };
        Rank {
            class: band.into(),
            score: Score::new(score),
            tie: 0,
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self
            .examples
            .iter()
            .flat_map(|count| count.to_le_bytes())
            .collect();
        for (word, counts) in &self.words {
            bytes.extend(word.to_le_bytes());
            bytes.extend(counts.iter().flat_map(|count| count.to_le_bytes()));
        }
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Model> {
        let (examples, mut rest) = counts_in(bytes)?;
        let mut model = Model {
            examples,
            ..Model::default()
        };
        while !rest.is_empty() {
            let (word, after) = rest.split_first_chunk::<8>()?;
            let (counts, after) = counts_in(after)?;
            model.words.insert(u64::from_le_bytes(*word), counts);
            rest = after;
        }
        model.count_totals();
        Some(model)
    }
}

/// Ranks links by a classifier of the words at them, learnt from the pages visited.
#[derive(Clone, Debug)]
pub struct Ache {
    /// How many visits lie between two lessons.
    batch: u32,
    model: Option<Model>,
    /// The last visits; the slot of a visit is its number modulo [`EXAMPLES`].
    examples: Vec<Example>,
    slots: HashMap<UrlKey, usize>,
    visits: u64,
    epoch: u64,
    unsaved: BTreeSet<usize>,
    is_model_unsaved: bool,
    /// Visits that other nodes of the crawl have not been told of yet; none where there are no others.
    told: Option<Vec<u8>>,
}

impl Default for Ache {
    fn default() -> Ache {
        Ache::new(100)
    }
}

impl Ache {
    /// The strategy with a lesson after each batch of this many visits.
    pub fn new(batch: u32) -> Ache {
        Ache {
            batch: batch.max(1),
            model: None,
            examples: Vec::new(),
            slots: HashMap::new(),
            visits: 0,
            epoch: 0,
            unsaved: BTreeSet::new(),
            is_model_unsaved: false,
            told: None,
        }
    }

    fn rank(&self, evidence: Option<&Evidence>) -> Rank {
        match (&self.model, evidence) {
            (Some(model), Some(evidence)) => model.rank(&features(evidence)),
            _ => Rank {
                class: OTHER.into(),
                ..Rank::default()
            },
        }
    }

    fn band_of(&self, page: UrlKey) -> Option<u8> {
        let slot = self.slots.get(&page)?;
        self.examples.get(*slot).map(|example| example.band)
    }

    /// A page that links to a relevant one is near, unless it is relevant itself.
    fn mark_near(&mut self, page: UrlKey) {
        let Some(slot) = self.slots.get(&page) else {
            return;
        };
        if let Some(example) = self.examples.get_mut(*slot)
            && example.band == OTHER
        {
            example.band = NEAR;
            self.unsaved.insert(*slot);
        }
    }

    /// Remembers a visit, in place of the oldest one if there are too many.
    fn remember(&mut self, example: Example) {
        let slot = (self.visits % EXAMPLES as u64) as usize;
        self.visits += 1;
        let page = example.page;
        match self.examples.get_mut(slot) {
            Some(old) => {
                let old = std::mem::replace(old, example);
                self.slots.remove(&old.page);
            }
            None => self.examples.push(example),
        }
        self.slots.insert(page, slot);
        self.unsaved.insert(slot);
    }

    /// Learns from a visit of this node or another one. Links on the parents led to the page.
    fn visit(&mut self, example: Example, parents: &[u64]) {
        let band = example.band;
        self.remember(example);
        if band == IMMEDIATE {
            for parent in parents {
                self.mark_near(UrlKey(*parent));
            }
        }
        if self.visits.is_multiple_of(self.batch.into()) {
            self.learn();
        }
    }

    fn learn(&mut self) {
        if let Some(model) = Model::learn(self.examples.iter()) {
            self.model = Some(model);
            self.is_model_unsaved = true;
            self.epoch += 1;
        }
    }
}

impl Strategy for Ache {
    fn name(&self) -> &'static str {
        "ache"
    }

    fn needs(&self) -> Needs {
        Needs {
            evidence: true,
            ..Needs::default()
        }
    }

    fn seed(&self, _key: UrlKey, _seeds: usize) -> Rank {
        // Better than any link: likelihoods are at most 1.
        Rank::of_score(2.0)
    }

    fn observe(&mut self, report: &PageReport<'_>, out: &mut Updates) {
        if let (Some(judgement), Some(evidence)) = (report.judgement, report.evidence)
            && !report.lease.revisit
        {
            let leads_on = |link: &scenthound_types::ReportedLink| self.band_of(link.key) == Some(IMMEDIATE);
            let band = if judgement.is_relevant() {
                IMMEDIATE
            } else if report.links.iter().any(leads_on) {
                NEAR
            } else {
                OTHER
            };
            let parents: Vec<u64> = evidence.parents.iter().map(|parent| parent.key.0).collect();
            let example = Example {
                page: report.lease.key,
                band,
                words: features(evidence),
            };
            if let Some(told) = &mut self.told {
                tell(told, &example.to_bytes());
                tell(told, &bytes_of(&parents));
            }
            self.visit(example, &parents);
        }
        // Everything known is used, so a new rank replaces the old one. Before the first lesson all links are alike, and a
        // seed that is linked to must stay a seed.
        let merge = if self.model.is_some() {
            Merge::Replace
        } else {
            Merge::Max
        };
        offer_each(report, merge, out, |_, link| self.rank(link.evidence.as_deref()));
    }

    fn epoch(&self) -> u64 {
        self.epoch
    }

    fn rescore(&mut self, waiting: &WaitingLink<'_>) -> Option<Rank> {
        let has_words = !waiting.evidence.parents.is_empty();
        (self.model.is_some() && has_words).then(|| self.rank(Some(waiting.evidence)))
    }

    fn save_changes(&mut self, out: &mut StateDelta) {
        if std::mem::take(&mut self.is_model_unsaved)
            && let Some(model) = &self.model
        {
            out.put(MODEL, model.to_bytes());
        }
        if self.unsaved.is_empty() {
            return;
        }
        out.put(VISITS, self.visits.to_le_bytes());
        for slot in std::mem::take(&mut self.unsaved) {
            if let Some(example) = self.examples.get(slot) {
                out.put(format!("{EXAMPLE}{slot:05}"), example.to_bytes());
            }
        }
    }

    fn restore(&mut self, saved: &[(String, Vec<u8>)]) -> Result<(), RestoreError> {
        let damaged = |name: &str| RestoreError::Damaged {
            strategy: "ache",
            what: format!("{name} cannot be read"),
        };
        let mut examples = BTreeMap::new();
        for (name, value) in saved {
            if name == MODEL {
                self.model = Some(Model::from_bytes(value).ok_or_else(|| damaged(name))?);
                self.epoch += 1;
            } else if name == VISITS {
                let bytes: [u8; 8] = value.as_slice().try_into().map_err(|_| damaged(name))?;
                self.visits = u64::from_le_bytes(bytes);
            } else if let Some(slot) = name.strip_prefix(EXAMPLE) {
                let slot: usize = slot.parse().map_err(|_| damaged(name))?;
                examples.insert(slot, Example::from_bytes(value).ok_or_else(|| damaged(name))?);
            }
        }
        if !examples.keys().copied().eq(0..examples.len()) {
            return Err(damaged("the list of examples"));
        }
        self.examples = examples.into_values().collect();
        let pages = self.examples.iter().map(|example| example.page);
        self.slots = pages.zip(0..).collect();
        Ok(())
    }

    fn share_lessons(&mut self) {
        self.told.get_or_insert_default();
    }

    fn lessons(&mut self) -> Vec<u8> {
        self.told.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn hear_lessons(&mut self, lessons: &[u8]) -> Result<(), RestoreError> {
        let damaged = || RestoreError::Damaged {
            strategy: "ache",
            what: "the lessons of another node cannot be read".to_owned(),
        };
        let mut rest = lessons;
        while !rest.is_empty() {
            let (example, after) = told_part(rest).ok_or_else(damaged)?;
            let (parents, after) = told_part(after).ok_or_else(damaged)?;
            let example = Example::from_bytes(example).ok_or_else(damaged)?;
            let parents = numbers(parents).ok_or_else(damaged)?;
            // A page may be settled twice where a node died.
            if !self.slots.contains_key(&example.page) {
                self.visit(example, &parents);
            }
            rest = after;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{Trial, said, url};

    const TEA: u64 = 4;
    const SHOPS: u64 = 8;
    const CARS: u64 = 12;

    /// The seed 1 links to a list of shops (2), which links to tea (3); cars (4) lead nowhere.
    fn visit(trial: &mut Trial<Ache>) {
        trial.see(1, 0.0, &[(2, 0, SHOPS), (4, 0, CARS)]);
        trial.evidence = Some(said(1, SHOPS));
        trial.see(2, 0.0, &[(3, 0, TEA)]);
        trial.evidence = Some(said(1, CARS));
        trial.see(4, 0.0, &[]);
        trial.evidence = Some(said(2, TEA));
        trial.see(3, 1.0, &[]);
    }

    #[test]
    fn links_are_in_the_band_of_what_such_links_led_to() {
        let mut trial = Trial::new(Ache::new(3));
        visit(&mut trial);
        assert_eq!(trial.strategy.epoch(), 1);
        let ranks = trial.see(5, 0.0, &[(6, 0, TEA), (7, 0, SHOPS), (8, 0, CARS)]);
        let bands: Vec<u16> = ranks.iter().map(|rank| rank.class).collect();
        assert_eq!(bands, [0, 1, 2]);
        assert!(ranks[0].score.get() > 1.0 / 3.0);
    }

    #[test]
    fn before_the_first_relevant_page_links_are_followed_as_they_are_found() {
        let mut trial = Trial::new(Ache::new(1));
        trial.evidence = Some(said(1, CARS));
        let ranks = trial.see(4, 0.0, &[(6, 0, TEA), (7, 0, CARS)]);
        assert_eq!(trial.strategy.epoch(), 0);
        assert_eq!(ranks[0], ranks[1]);
        assert!(trial.strategy.seed(url(1).1, 1) > ranks[0]);
    }

    #[test]
    fn a_page_is_near_if_the_relevant_page_was_visited_first() {
        let mut trial = Trial::new(Ache::new(2));
        trial.evidence = Some(said(1, TEA));
        trial.see(3, 1.0, &[]);
        trial.evidence = Some(said(1, SHOPS));
        trial.see(2, 0.0, &[(3, 0, TEA)]);
        let band = trial.strategy.band_of(url(2).1);
        assert_eq!(band, Some(NEAR));
    }

    #[test]
    fn likelihoods_are_those_of_naive_bayes() {
        let example = |band, words: &[u64]| Example {
            page: UrlKey(0),
            band,
            words: words.to_vec(),
        };
        let examples = [
            example(IMMEDIATE, &[TEA]),
            example(OTHER, &[CARS]),
            example(OTHER, &[CARS, TEA]),
        ];
        let model = Model::learn(examples.iter()).unwrap();
        // P(tea | immediate) = 2/3, P(tea | other) = 2/5; P = 1/3 and 2/3.
        let [immediate, near, other] = model.likelihoods(&[TEA, 400]);
        let (a, b) = (2.0 / 9.0, 4.0 / 15.0);
        assert!((immediate - a / (a + b)).abs() < 1e-12 && (other - b / (a + b)).abs() < 1e-12);
        assert_eq!(near, 0.0);
    }

    #[test]
    fn nodes_that_tell_each_other_know_what_one_machine_knows() {
        let mut alone = Trial::new(Ache::new(3));
        visit(&mut alone);
        let [mut first, mut second] = [(); 2].map(|()| Trial::new(Ache::new(3)));
        first.strategy.share_lessons();
        second.strategy.share_lessons();
        first.see(1, 0.0, &[(2, 0, SHOPS), (4, 0, CARS)]);
        first.evidence = Some(said(1, SHOPS));
        first.see(2, 0.0, &[(3, 0, TEA)]);
        first.evidence = Some(said(1, CARS));
        first.see(4, 0.0, &[]);
        let told = first.strategy.lessons();
        second.strategy.hear_lessons(&told).unwrap();
        second.evidence = Some(said(2, TEA));
        second.see(3, 1.0, &[]);
        let answer = second.strategy.lessons();
        // Told twice, learnt once.
        first.strategy.hear_lessons(&answer).unwrap();
        first.strategy.hear_lessons(&answer).unwrap();
        for node in [&first.strategy, &second.strategy] {
            assert_eq!(node.model, alone.strategy.model);
            assert_eq!(node.examples, alone.strategy.examples);
            assert_eq!(node.band_of(url(2).1), Some(NEAR));
        }
        assert!(
            first.strategy.lessons().is_empty(),
            "what was heard is not told again"
        );
        assert!(first.strategy.hear_lessons(&told[..7]).is_err());
    }

    #[test]
    fn what_was_learnt_survives() {
        let mut trial = Trial::new(Ache::new(3));
        visit(&mut trial);
        let mut saved = StateDelta::default();
        trial.strategy.save_changes(&mut saved);
        let mut restored = Ache::new(3);
        restored.restore(saved.changes()).unwrap();
        assert_eq!(restored.model, trial.strategy.model);
        assert_eq!(restored.examples, trial.strategy.examples);
        assert_eq!(restored.visits, 3);
        assert_eq!(restored.band_of(url(2).1), Some(NEAR));
        let damaged = [("example 00000".to_owned(), vec![1, 2])];
        assert!(Ache::default().restore(&damaged).is_err());
    }
}
