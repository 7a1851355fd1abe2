//! Layers learnt from the crawl itself, without a graph given beforehand.
//!
//! The crawl begins breadth-first or best-first. It remembers what it reads: each page's words, and each link with
//! its words. Once enough targets are found (pages judged relevant), the context graph around them is built from
//! these links, a [`LayerTrainer`] learns the layers, and from then on links are queued by layer, including those
//! already waiting. It learns again each time the number of targets has doubled.
//!
//! Where targets lie deepest, neither order finds many of them, and a crawl that waited for enough would wait until its end.
//! So a crawl that has found no target for a while *looks around*: nearly every page it reads sends it to one of that
//! page's links, drawn at random, before anything else. And it learns from the few targets it has.
//!
//! Only the last few thousand pages are remembered, so neither memory nor learning time grows with the crawl. A
//! resumed crawl learns from what it remembers of the pages it had learnt from. Until the memory first overflows,
//! that restores exactly what it knew.
//!
//! Several nodes of one crawl tell each other the pages they read. Each then remembers the pages of all, counts the targets of all,
//! and learns from them at the same numbers of targets as one machine, though it has read them in another order.
//!
//! Deliberately absent: how layers are predicted from words; that is the trainer's job.

use std::collections::{BTreeMap, HashMap};

use scenthound_graph::{ContextGraph as Graph, ContextSettings};
use scenthound_types::named_enum;
use scenthound_types::{
    LinkPlace, Merge, Nearness, PageReport, Parts, Rank, ReportedLink, Score, Standing, StateDelta, Updates,
    UrlKey, WaitingLink,
};
use serde::{Deserialize, Serialize};

use crate::layered::{Placing, SEEDS, class_of, looking_around, unlearnt_class};
use crate::{Needs, PageScore, RestoreError, Strategy, offer_each, random_tie};

/// One page of a context graph, for training.
#[derive(Clone, Debug)]
pub struct TrainingPage<'a> {
    /// Its distance to a target; one beyond the last for a page that is in none.
    pub layer: u8,
    /// Its words and how often each occurs.
    pub words: &'a [(u64, u32)],
    /// The words of each of its links, and the layer the link leads to: one beyond the last if it leads to none.
    pub links: Vec<(&'a [u64], u8)>,
}

/// Learns to predict layers from the pages of a context graph.
pub trait LayerTrainer: Send {
    /// The trained reader; none if nothing can be learnt from these pages.
    fn train(&self, training: &[TrainingPage<'_>]) -> Option<Box<dyn LayerReader>>;
}

/// Predicts layers from words.
pub trait LayerReader: Send {
    /// How near a page with these words is to a target.
    fn nearness(&self, words: &[(u64, u32)]) -> Nearness;
    /// Where a link with these words belongs.
    fn place(&self, anchor: &[u64]) -> LinkPlace;
}

named_enum! {
    /// How links are ranked before anything is learnt.
    #[derive(Default)]
    pub enum LearnFrom {
        /// By the relevance of the page they stand on.
        #[default]
        BestFirst = "best-first",
        /// In the order they are found.
        BreadthFirst = "breadth-first",
    }
}

/// The settings of a self-taught crawl.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SelfTaughtSettings {
    /// N, the distance of the farthest layer.
    pub layers: u8,
    /// The number of targets that triggers the first training.
    pub learn_after: u32,
    /// How links are ranked until then.
    pub from: LearnFrom,
    /// The number of pages remembered.
    pub most_pages: u32,
    /// The most pages per layer used for training.
    pub most_per_layer: usize,
    /// What happens to a URL that is found again.
    pub placing: Placing,
    /// Whether the links' own words count: hot links first, and within a queue by where their words lead.
    pub reads_links: bool,
}

impl Default for SelfTaughtSettings {
    fn default() -> SelfTaughtSettings {
        SelfTaughtSettings {
            layers: 4,
            learn_after: 20,
            from: LearnFrom::BestFirst,
            most_pages: 5_000,
            most_per_layer: 500,
            placing: Placing::Once,
            reads_links: true,
        }
    }
}

/// After this many pages without a target a crawl looks around, and learns from fewer targets than it was told to wait for.
const DRY_SPELL: u64 = 100;
/// The fewest targets it learns from then.
const FEWEST_TARGETS: u64 = 3;
/// How many links of a page are drawn at random, on average, while it looks around. With one or more it would never come back.
const DRAWN: f64 = 0.9;

/// The most words, and links, kept per page.
const MOST_WORDS: usize = 1_000;
const MOST_LINKS: usize = 500;
/// The most pages told to other nodes at a time, besides targets. Their memory is not larger than the own one, so telling them more
/// would only make them forget sooner.
const MOST_TOLD: usize = 200;
/// The most pages whose layer is remembered, for waiting links.
const MOST_LAYERS_KNOWN: usize = 1_000_000;

/// A remembered page.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Page {
    /// The number of pages read before it.
    number: u64,
    key: u64,
    is_target: bool,
    words: Vec<(u64, u32)>,
    links: Vec<(u64, Vec<u64>)>,
}

/// Layered queues, learnt during the crawl.
pub struct SelfTaught {
    settings: SelfTaughtSettings,
    trainer: Box<dyn LayerTrainer>,
    reader: Option<Box<dyn LayerReader>>,
    /// By page number modulo the number of pages remembered.
    pages: BTreeMap<u64, Page>,
    /// The number of pages read so far.
    read: u64,
    targets: u64,
    /// The number of targets at which it learns next.
    learn_at: u64,
    /// The number of pages read when it last learnt.
    learnt_from: u64,
    epoch: u64,
    /// The number of pages read since the last target.
    dry: u64,
    /// Layers of pages, predicted by the latest model or when they were read.
    layers: HashMap<UrlKey, u8>,
    unsaved: Vec<u64>,
    is_unsaved: bool,
    /// Pages that other nodes of the crawl have not been told of yet; none where there are no others.
    told: Option<Vec<Page>>,
}

impl SelfTaught {
    /// A self-taught crawl with this trainer.
    pub fn new(settings: SelfTaughtSettings, trainer: Box<dyn LayerTrainer>) -> SelfTaught {
        SelfTaught {
            learn_at: u64::from(settings.learn_after.max(1)),
            settings,
            trainer,
            reader: None,
            pages: BTreeMap::new(),
            read: 0,
            targets: 0,
            learnt_from: 0,
            epoch: 0,
            dry: 0,
            layers: HashMap::new(),
            unsaved: Vec::new(),
            is_unsaved: false,
            told: None,
        }
    }

    /// Behind every queue, until it is scored again.
    fn unlearnt(&self, relevance: f64) -> Rank {
        let score = match self.settings.from {
            LearnFrom::BestFirst => relevance,
            LearnFrom::BreadthFirst => 0.0,
        };
        Rank {
            class: unlearnt_class(self.settings.layers),
            ..Rank::of_score(score)
        }
    }

    fn rank(&self, reader: &dyn LayerReader, layer: u8, anchor: &[u64]) -> Rank {
        let layers = self.settings.layers;
        if !self.settings.reads_links {
            return Rank {
                class: class_of(layers, layer.into(), 0),
                ..Rank::of_score(0.0)
            };
        }
        let place = reader.place(anchor);
        let queue = if place.is_hot { 0 } else { layer.into() };
        Rank {
            class: class_of(layers, queue, place.layer.into()),
            score: Score::new(f64::from(place.similarity)),
            tie: 0,
        }
    }

    fn remember(&mut self, report: &PageReport<'_>) {
        let Some(words) = report.words else { return };
        let is_target = report.judgement.is_some_and(|judgement| judgement.is_relevant());
        let mut counted: Vec<(u64, u32)> = words.iter().map(|word| (word.hash, word.count)).collect();
        if counted.len() > MOST_WORDS {
            counted.sort_unstable_by_key(|(hash, count)| (std::cmp::Reverse(*count), *hash));
            counted.truncate(MOST_WORDS);
            counted.sort_unstable();
        }
        let links = report.links.iter().take(MOST_LINKS).map(|link| {
            let anchor = link.evidence.as_ref().map(|evidence| evidence.anchor.clone());
            (link.key.0, anchor.unwrap_or_default())
        });
        let page = Page {
            number: self.read,
            key: report.lease.key.0,
            is_target,
            words: counted,
            links: links.collect(),
        };
        if let Some(told) = &mut self.told
            && (is_target || told.len() < MOST_TOLD)
        {
            told.push(page.clone());
        }
        self.keep(page);
    }

    /// Remembers a page of this node or another one, in place of the oldest if there are too many.
    fn keep(&mut self, page: Page) {
        let is_target = page.is_target;
        let slot = self.read % u64::from(self.settings.most_pages.max(1));
        self.pages.insert(slot, page);
        self.unsaved.push(slot);
        self.is_unsaved = true;
        self.read += 1;
        self.targets += u64::from(is_target);
        self.dry = if is_target { 0 } else { self.dry + 1 };
    }

    fn is_dry(&self) -> bool {
        self.dry >= DRY_SPELL
    }

    /// The chance that a new link of the page is drawn; 0 while targets are found.
    fn chance(&self, report: &PageReport<'_>) -> f64 {
        if !self.is_dry() {
            return 0.0;
        }
        let new = report.links.iter().filter(|link| link.standing == Standing::New);
        DRAWN / new.count().max(1) as f64
    }

    /// Learns from all pages read so far, if it is time.
    fn learn_if_due(&mut self) {
        let is_overdue = self.reader.is_none() && self.is_dry() && self.targets >= FEWEST_TARGETS;
        if self.targets >= self.learn_at || is_overdue {
            self.learn(self.read);
            self.learn_at = self.targets * 2;
        }
    }

    /// Learns from the remembered pages whose number is below `before`.
    fn learn(&mut self, before: u64) {
        let pages: Vec<&Page> = self.pages.values().filter(|page| page.number < before).collect();
        let number_of: HashMap<u64, u32> = (0..).zip(&pages).map(|(at, page)| (page.key, at)).collect();
        let mut linked_from: HashMap<u32, Vec<u32>> = HashMap::new();
        for (at, page) in (0..).zip(&pages) {
            for target in page.links.iter().filter_map(|(key, _)| number_of.get(key)) {
                linked_from.entry(*target).or_default().push(at);
            }
        }
        let targets: Vec<u32> = (0..)
            .zip(&pages)
            .filter(|(_, page)| page.is_target)
            .map(|(at, _)| at)
            .collect();
        let context = ContextSettings {
            layers: self.settings.layers,
            most_per_layer: Some(self.settings.most_per_layer),
        };
        let graph = Graph::around_by(&targets, &context, |page, out| {
            out.extend(linked_from.get(&page).into_iter().flatten());
            Ok::<_, std::convert::Infallible>(())
        });
        let Ok(graph) = graph;
        let beyond = self.settings.layers + 1;
        let layer_of = |key: &u64| {
            let layer = number_of.get(key).and_then(|at| graph.layer_of(*at));
            layer.unwrap_or(beyond)
        };
        let training: Vec<TrainingPage<'_>> = (0_u8..)
            .zip(graph.layers())
            .flat_map(|(layer, members)| members.iter().map(move |at| (layer, *at)))
            .filter_map(|(layer, at)| Some((layer, *pages.get(at as usize)?)))
            .map(|(layer, page)| TrainingPage {
                layer,
                words: &page.words,
                links: page
                    .links
                    .iter()
                    .map(|(key, anchor)| (anchor.as_slice(), layer_of(key)))
                    .collect(),
            })
            .collect();
        // Pages that lead to no target as far as is known.
        let is_outside = |at: u32| graph.layer_of(at).is_none();
        let outside = (0..).zip(&pages).filter(|(at, _)| is_outside(*at)).count();
        let every = outside.div_ceil(self.settings.most_per_layer.max(1)).max(1);
        let outside = (0..).zip(&pages).filter(|(at, _)| is_outside(*at)).step_by(every);
        let outside = outside.map(|(_, page)| TrainingPage {
            layer: beyond,
            words: &page.words,
            links: Vec::new(),
        });
        let training: Vec<TrainingPage<'_>> = training.into_iter().chain(outside).collect();
        let Some(reader) = self.trainer.train(&training) else {
            return;
        };
        for page in self.pages.values() {
            self.layers
                .insert(UrlKey(page.key), reader.nearness(&page.words).layer);
        }
        self.reader = Some(reader);
        self.learnt_from = before;
        self.epoch += 1;
        self.is_unsaved = true;
    }
}

/// The rank of a new link that is drawn at random.
fn drawn(chance: f64, link: &ReportedLink) -> Option<Rank> {
    let place = f64::from(random_tie(link.key)) / f64::from(u32::MAX);
    (link.standing == Standing::New && place < chance).then(looking_around)
}

impl Strategy for SelfTaught {
    fn name(&self) -> &'static str {
        if self.settings.reads_links {
            "layered"
        } else {
            "context-graph"
        }
    }

    fn needs(&self) -> Needs {
        Needs {
            words: true,
            evidence: true,
            redirects: Merge::Max,
            ..Needs::default()
        }
    }

    fn seed(&self, _key: UrlKey, _seeds: usize) -> Rank {
        Rank {
            class: SEEDS,
            ..Rank::of_score(1.0)
        }
    }

    fn score_page(&mut self, report: &PageReport<'_>) -> Option<PageScore> {
        let reader = self.reader.as_ref()?;
        let words: Vec<(u64, u32)> = report.words?.iter().map(|word| (word.hash, word.count)).collect();
        let nearness = reader.nearness(&words);
        if self.layers.len() < MOST_LAYERS_KNOWN {
            self.layers.insert(report.lease.key, nearness.layer);
        }
        Some(PageScore {
            relevance: report.judgement?.relevance,
            parts: Parts {
                nearness: Some(nearness),
                ..Parts::default()
            },
        })
    }

    fn observe(&mut self, report: &PageReport<'_>, out: &mut Updates) {
        self.remember(report);
        self.learn_if_due();
        let chance = self.chance(report);
        let unlearnt = self.unlearnt(report.judgement.map_or(0.0, |judgement| judgement.relevance));
        let Some(reader) = self.reader.as_deref() else {
            let merge = match self.settings.from {
                LearnFrom::BestFirst => Merge::Max,
                LearnFrom::BreadthFirst => Merge::Keep,
            };
            return offer_each(report, merge, out, |_, link| {
                drawn(chance, link).unwrap_or(unlearnt)
            });
        };
        let beyond = self.settings.layers + 1;
        let layer = self.layers.get(&report.lease.key).copied().unwrap_or(beyond);
        offer_each(report, self.settings.placing.merge(), out, |_, link| {
            if let Some(rank) = drawn(chance, link) {
                return rank;
            }
            let anchor = link
                .evidence
                .as_ref()
                .map_or(&[][..], |evidence| &evidence.anchor);
            self.rank(reader, layer, anchor)
        });
    }

    fn epoch(&self) -> u64 {
        self.epoch
    }

    fn rescore(&mut self, waiting: &WaitingLink<'_>) -> Option<Rank> {
        let reader = self.reader.as_deref()?;
        let first = waiting.evidence.parents.first()?;
        let layer = self.layers.get(&first.key).copied();
        let layer = layer.unwrap_or(self.settings.layers + 1);
        Some(self.rank(reader, layer, &waiting.evidence.anchor))
    }

    fn save_changes(&mut self, out: &mut StateDelta) {
        for slot in std::mem::take(&mut self.unsaved) {
            // A page that cannot be serialised is not remembered.
            if let Some(bytes) = self
                .pages
                .get(&slot)
                .and_then(|page| postcard::to_stdvec(page).ok())
            {
                out.put(format!("page/{slot}"), bytes);
            }
        }
        if std::mem::take(&mut self.is_unsaved) {
            let counts = [
                self.read,
                self.targets,
                self.learn_at,
                self.learnt_from,
                self.epoch,
                self.dry,
            ];
            out.put("counts", counts.map(|count| count.to_string()).join(" "));
        }
    }

    fn restore(&mut self, saved: &[(String, Vec<u8>)]) -> Result<(), RestoreError> {
        let damaged = |what: &str| RestoreError::Damaged {
            strategy: "layered",
            what: what.to_owned(),
        };
        let mut epoch = None;
        for (name, value) in saved {
            if let Some(slot) = name.strip_prefix("page/") {
                let slot = slot.parse().map_err(|_| damaged("a page has no number"))?;
                let page =
                    postcard::from_bytes(value).map_err(|_| damaged("a remembered page cannot be read"))?;
                self.pages.insert(slot, page);
            } else if name == "counts" {
                let counts: Option<Vec<u64>> = std::str::from_utf8(value)
                    .ok()
                    .and_then(|text| text.split(' ').map(|count| count.parse().ok()).collect());
                let Some(&[read, targets, learn_at, learnt_from, ref rest @ ..]) = counts.as_deref() else {
                    return Err(damaged("its counts"));
                };
                (self.read, self.targets, self.learn_at, self.learnt_from) =
                    (read, targets, learn_at, learnt_from);
                // Crawls of earlier versions did not count how often they learnt, nor pages without a target.
                epoch = rest.first().copied();
                self.dry = rest.get(1).copied().unwrap_or_default();
            }
        }
        if self.learnt_from > 0 {
            self.learn(self.learnt_from);
        }
        self.epoch = epoch.unwrap_or(self.epoch);
        self.is_unsaved = false;
        Ok(())
    }

    fn share_lessons(&mut self) {
        self.told.get_or_insert_default();
    }

    fn lessons(&mut self) -> Vec<u8> {
        match self.told.as_mut().map(std::mem::take) {
            Some(told) if !told.is_empty() => postcard::to_stdvec(&told).unwrap_or_default(),
            _ => Vec::new(),
        }
    }

    fn hear_lessons(&mut self, lessons: &[u8]) -> Result<(), RestoreError> {
        let pages: Vec<Page> = postcard::from_bytes(lessons).map_err(|_| RestoreError::Damaged {
            strategy: "layered",
            what: "the lessons of another node cannot be read".to_owned(),
        })?;
        for page in pages {
            // A page may be settled twice where a node died.
            if self.pages.values().any(|known| known.key == page.key) {
                continue;
            }
            // Links to URLs of this node may stand on it.
            if let Some(reader) = &self.reader
                && self.layers.len() < MOST_LAYERS_KNOWN
            {
                let layer = reader.nearness(&page.words).layer;
                self.layers.insert(UrlKey(page.key), layer);
            }
            self.keep(Page {
                number: self.read,
                ..page
            });
            self.learn_if_due();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use scenthound_types::{
        AgentId, CanonicalUrl, Evidence, Judgement, Keyring, Lease, LeaseId, LeaseKind, Outcome, PageWords,
        ParentPage, Priority, ReportedLink, Standing, Update, Verdict,
    };

    use super::*;
    use crate::layered::{Queue, Queues};

    /// Recognises a page by its first word: the layer in which that word was seen.
    struct ByWord;

    impl LayerTrainer for ByWord {
        fn train(&self, training: &[TrainingPage<'_>]) -> Option<Box<dyn LayerReader>> {
            let words = training
                .iter()
                .filter_map(|page| Some((page.words.first()?.0, page.layer)));
            let links = training.iter().flat_map(|page| &page.links);
            let links = links.filter_map(|(anchor, layer)| Some((*anchor.first()?, *layer)));
            Some(Box::new(Known {
                words: words.collect(),
                links: links.collect(),
            }))
        }
    }

    struct Known {
        words: BTreeMap<u64, u8>,
        links: BTreeMap<u64, u8>,
    }

    impl LayerReader for Known {
        fn nearness(&self, words: &[(u64, u32)]) -> Nearness {
            let known = words.first().and_then(|(word, _)| self.words.get(word));
            Nearness {
                layer: known.copied().unwrap_or(3),
                posterior: 0.0,
                similarity: 0.0,
            }
        }
        fn place(&self, anchor: &[u64]) -> LinkPlace {
            let layer = anchor.first().and_then(|word| self.links.get(word));
            LinkPlace {
                is_hot: anchor.contains(&99),
                layer: layer.copied().unwrap_or(3),
                similarity: 0.5,
            }
        }
    }

    fn taught() -> SelfTaught {
        let settings = SelfTaughtSettings {
            layers: 2,
            learn_after: 2,
            ..SelfTaughtSettings::default()
        };
        SelfTaught::new(settings, Box::new(ByWord))
    }

    fn url(page: u64) -> (CanonicalUrl, UrlKey) {
        let url = CanonicalUrl::parse(&format!("http://web.test/{page}")).unwrap();
        let key = Keyring::new(1).key(&url);
        (url, key)
    }

    /// Shows the strategy a page with one word, its relevance and its links with a word each; returns the ranks of
    /// the links.
    fn see(
        strategy: &mut SelfTaught,
        page: u64,
        word: u64,
        relevance: f64,
        links: &[(u64, u64)],
    ) -> Vec<Rank> {
        let (address, key) = url(page);
        let lease = Lease {
            id: LeaseId(page),
            agent: AgentId::default(),
            kind: LeaseKind::Page,
            url: address,
            key,
            parent: None,
            parent_url: None,
            depth: 0,
            site_depth: 0,
            seed: false,
            taken: Priority::default(),
            attempt: 0,
            redirects: 0,
            revisit: false,
            location: None,
        };
        let judgement = Judgement {
            relevance,
            verdict: if relevance > 0.5 {
                Verdict::Relevant
            } else {
                Verdict::Irrelevant
            },
            genre: None,
            layer: None,
            parts: Parts::default(),
        };
        let words = PageWords::count([(word, "word")]);
        let links: Vec<ReportedLink> = links
            .iter()
            .map(|(page, word)| ReportedLink {
                url: url(*page).0,
                key: url(*page).1,
                standing: Standing::New,
                path: 0,
                snippets: None,
                place: None,
                evidence: Some(Box::new(evidence(key, *word))),
                tokens: None,
                note: None,
            })
            .collect();
        let report = PageReport {
            lease: &lease,
            outcome: &Outcome::Body {
                status: 200,
                truncated: None,
            },
            judgement: Some(&judgement),
            words: Some(&words),
            note: None,
            links: &links,
            evidence: None,
            will_retry: false,
        };
        let mut updates = Updates::new();
        strategy.score_page(&report);
        strategy.observe(&report, &mut updates);
        let rank = |update| match update {
            Update::Offer(offer) => Some(offer.rank),
            _ => None,
        };
        updates.into_iter().filter_map(rank).collect()
    }

    fn evidence(parent: UrlKey, word: u64) -> Evidence {
        let mut evidence = Evidence::of_words(vec![word], vec![], vec![]);
        evidence.add_parent(ParentPage {
            key: parent,
            relevance: 0.0,
        });
        evidence
    }

    /// A hub (word 10) links with word 20 to two targets (word 30).
    fn learnt() -> SelfTaught {
        let mut strategy = taught();
        see(&mut strategy, 1, 10, 0.1, &[(2, 20), (3, 20), (4, 21)]);
        see(&mut strategy, 2, 30, 0.9, &[]);
        see(&mut strategy, 3, 30, 0.9, &[]);
        strategy
    }

    #[test]
    fn it_begins_best_first_and_queues_by_layer_once_it_has_learnt() {
        let mut strategy = taught();
        let before = see(&mut strategy, 1, 10, 0.4, &[(2, 20)]);
        assert_eq!((before[0].class, before[0].score.get()), (17, 0.4));
        let queues = Queues {
            layers: 2,
            reads_links: true,
        };
        assert_eq!(queues.of_rank(before[0].class, 0.4), Queue::Unlearnt);
        assert_eq!(strategy.epoch(), 0);
        let mut strategy = learnt();
        assert_eq!(strategy.epoch(), 1);
        // Another hub: queue 1; the word 20 leads to targets, 21 nowhere.
        let after = see(&mut strategy, 5, 10, 0.0, &[(6, 20), (7, 21), (8, 99)]);
        let classes: Vec<u16> = after.iter().map(|rank| rank.class).collect();
        assert_eq!(classes, [5, 8, 4]);
    }

    #[test]
    fn waiting_links_are_ranked_by_what_was_learnt_about_their_page() {
        let mut strategy = learnt();
        let known = evidence(url(1).1, 20);
        let waiting = WaitingLink {
            key: url(4).1,
            rank: strategy.unlearnt(0.1),
            parent: None,
            evidence: &known,
        };
        assert_eq!(strategy.rescore(&waiting).map(|rank| rank.class), Some(5));
        assert_eq!(taught().rescore(&waiting), None);
    }

    #[test]
    fn it_learns_again_when_the_targets_have_doubled() {
        let mut strategy = learnt();
        see(&mut strategy, 5, 30, 0.9, &[]);
        assert_eq!(strategy.epoch(), 1);
        see(&mut strategy, 6, 30, 0.9, &[]);
        assert_eq!(strategy.epoch(), 2);
    }

    /// How many of the links are drawn at random.
    fn drawn_of(ranks: &[Rank]) -> usize {
        ranks.iter().filter(|rank| **rank == looking_around()).count()
    }

    #[test]
    fn a_crawl_that_finds_no_target_for_a_while_draws_links_at_random() {
        let mut strategy = taught();
        let links = |page: u64| [0, 1, 2, 3].map(|link| (page * 10 + link, 20));
        let mut drawn = |pages: std::ops::Range<u64>| -> usize {
            pages
                .map(|page| drawn_of(&see(&mut strategy, page, 11, 0.0, &links(page))))
                .sum()
        };
        assert_eq!(drawn(1..DRY_SPELL), 0);
        let pages = 1_000;
        let drawn = drawn(DRY_SPELL..DRY_SPELL + pages);
        let expected = DRAWN * pages as f64;
        assert!(
            (drawn as f64 - expected).abs() < 0.1 * expected,
            "{drawn} of {pages}"
        );
        // A target ends it.
        let ranks = see(&mut strategy, 5_000, 30, 0.9, &links(5_000));
        assert_eq!(drawn_of(&ranks), 0);
    }

    #[test]
    fn in_a_dry_spell_it_learns_from_the_few_targets_there_are() {
        let mut strategy = taught();
        (strategy.settings.learn_after, strategy.learn_at) = (20, 20);
        see(&mut strategy, 1, 10, 0.1, &[(2, 20), (3, 20), (4, 20)]);
        (2..5).for_each(|page| drop(see(&mut strategy, page, 30, 0.9, &[])));
        (5..4 + DRY_SPELL).for_each(|page| drop(see(&mut strategy, page, 11, 0.0, &[])));
        assert_eq!(strategy.epoch(), 0);
        see(&mut strategy, 4 + DRY_SPELL, 11, 0.0, &[]);
        assert_eq!((strategy.epoch(), strategy.learn_at), (1, 6));
        // Once, until the targets have doubled.
        see(&mut strategy, 5 + DRY_SPELL, 11, 0.0, &[]);
        assert_eq!(strategy.epoch(), 1);
    }

    #[test]
    fn a_resumed_crawl_still_looks_around() {
        let mut before = taught();
        (0..DRY_SPELL).for_each(|page| drop(see(&mut before, page, 11, 0.0, &[])));
        let mut saved = StateDelta::default();
        before.save_changes(&mut saved);
        let mut after = taught();
        after.restore(saved.changes()).unwrap();
        assert!(after.is_dry());
    }

    #[test]
    fn a_resumed_crawl_knows_what_it_knew() {
        let mut before = learnt();
        see(&mut before, 5, 11, 0.0, &[(2, 22)]);
        let mut saved = StateDelta::default();
        before.save_changes(&mut saved);
        let mut after = taught();
        after.restore(saved.changes()).unwrap();
        let links = [(6, 20), (7, 22), (8, 99)];
        assert_eq!(
            see(&mut after, 9, 10, 0.0, &links),
            see(&mut before, 9, 10, 0.0, &links)
        );
        assert_eq!(
            (after.read, after.targets, after.learn_at),
            (before.read, before.targets, before.learn_at)
        );
        let damaged = [("counts".to_owned(), b"many".to_vec())];
        assert!(taught().restore(&damaged).is_err());
    }

    /// A page, its word, its relevance and its links with their words.
    type Told = (u64, u64, f64, &'static [(u64, u64)]);

    /// Pages of a web in which word 10 stands on hubs, 30 on targets and 20 at links to them.
    const PAGES: [Told; 8] = [
        (1, 10, 0.1, &[(2, 20), (3, 20), (4, 21)]),
        (4, 11, 0.0, &[(1, 22)]),
        (2, 30, 0.9, &[]),
        (3, 30, 0.9, &[(1, 23)]),
        (5, 10, 0.1, &[(6, 20), (7, 21)]),
        (6, 30, 0.9, &[]),
        (7, 11, 0.0, &[]),
        (8, 30, 0.9, &[(5, 23)]),
    ];

    #[test]
    fn nodes_that_tell_each_other_know_what_one_machine_knows() {
        let mut alone = taught();
        let [mut first, mut second] = [(); 2].map(|()| taught());
        first.share_lessons();
        second.share_lessons();
        for (number, (page, word, relevance, links)) in PAGES.into_iter().enumerate() {
            see(&mut alone, page, word, relevance, links);
            let (node, other) = match number % 3 {
                0 => (&mut second, &mut first),
                _ => (&mut first, &mut second),
            };
            see(node, page, word, relevance, links);
            let told = node.lessons();
            // Told twice, learnt once, and not told again.
            other.hear_lessons(&told).unwrap();
            other.hear_lessons(&told).unwrap();
            assert!(node.lessons().is_empty() && other.lessons().is_empty());
        }
        assert_eq!(alone.epoch(), 2);
        let links = [(20, 20), (21, 21), (22, 23), (23, 99)];
        let ranks = see(&mut alone, 9, 10, 0.0, &links);
        for mut node in [first, second] {
            assert_eq!(node.pages, {
                let mut pages = alone.pages.clone();
                pages.retain(|_, page| page.number < 8);
                pages
            });
            assert_eq!((node.targets, node.learn_at, node.epoch()), (4, 8, 2));
            for page in 1..=8 {
                let key = url(page).1;
                assert_eq!(node.layers.get(&key), alone.layers.get(&key), "{page}");
            }
            assert_eq!(see(&mut node, 9, 10, 0.0, &links), ranks);
            assert!(node.hear_lessons(b"?").is_err());
        }
    }

    #[test]
    fn all_targets_are_told_and_a_limited_number_of_other_pages() {
        let mut node = taught();
        node.share_lessons();
        for page in 0..300 {
            let relevance = if page % 100 == 99 { 0.9 } else { 0.0 };
            see(&mut node, page, 10, relevance, &[]);
        }
        let told: Vec<Page> = postcard::from_bytes(&node.lessons()).unwrap();
        let targets = told.iter().filter(|page| page.is_target).count();
        assert_eq!((told.len(), targets), (MOST_TOLD + 1, 3));
    }

    #[test]
    fn a_limited_number_of_pages_is_remembered() {
        let mut strategy = taught();
        strategy.settings.most_pages = 3;
        (0..10).for_each(|page| drop(see(&mut strategy, page, page, 0.0, &[])));
        let mut numbers: Vec<u64> = strategy.pages.values().map(|page| page.number).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, [7, 8, 9]);
    }
}
