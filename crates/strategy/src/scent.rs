//! Scores every waiting link by everything known about it, learns from every visit, and always looks around a little.
//!
//! ```text
//! score = log odds of (σ(w · x) or L)
//! L     = how many pages of the same template led to a relevant page
//! x     = the relevance of the pages that link here; the judge's scores of the words at the links and of the URL; the
//!         opinions of two models of such words, one by the words themselves and one by what they mean; the yields of
//!         the same host, directory, template, page and list; …
//! ```
//!
//! After each visit the models of words, the yields and the weights w are adjusted. Waiting links are scored again a few at
//! a time. One visit in five goes to the link that has waited longest. Without it, a crawl that finds nothing at first
//! learns only what to avoid; and where relevant pages do not link to each other, most are never seen.
//!
//! Visits that bring something and visits that bring nothing have the same weight in total when w is adjusted. Otherwise
//! the first hundred visits, most of which bring nothing, would undo what was learnt over many crawls.
//!
//! Invariant: the state is bounded, and depends only on the visits and their order. What belongs to a single URL is in its
//! note, which the frontier keeps. A note stays below a hundred bytes.

mod address;
mod note;
mod prior;
mod state;
mod text;
mod yields;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use scenthound_types::{
    Failure, LeaseKind, Merge, Offer, Outcome, PageReport, Rank, Refusal, ReportedLink, Score, ScorePart,
    SnippetScores, Standing, StateDelta, Update, Updates, UrlKey, WaitingLink,
};

use crate::{Needs, Pick, Rescoring, RestoreError, Strategy};
use note::{Note, Parent, Sighting, log_odds};
use prior::PARTS;
use state::{Learnt, Unsaved};
use text::TextModel;
use yields::{Yields, log_of};

pub use prior::{PriorError, ScentParts, ScentPrior};

/// The class of links; seeds come first.
const LINKS: u16 = 1;
/// The first step of the weights, and how slowly steps become shorter.
const FIRST_SQUARES: f64 = 20.0;
/// How many visits per weight there must be before the weights follow what visits bring at full pace. With few visits they
/// follow chance: the same crawl with slightly different timing ends with other weights, and often with worse ones than it
/// started with.
const VISITS_PER_WEIGHT: u64 = 10;
/// The model of meanings has no say in so many visits, and a full one after so many more. What it learns from a few visits is
/// chance, and short crawls would depend on it.
const MEANING_FROM: f64 = 100.0;
const MEANING_GROWS: f64 = 200.0;
/// How strongly the weights are pulled back to where they started.
const PULL: f64 = 0.002;
/// How much more a visit counts that brings something.
const GOOD_WEIGHT: f64 = 2.0;
/// What a page that leads to a relevant one is worth against a relevant page.
const LEADS: f64 = 0.7;
/// How much relevance is left after one more link.
const DECAY: f64 = 0.7;
/// How many visits the recent yield is a mean of.
const RECENT: f64 = 50.0;
/// Links are scored again after this many visits at the earliest, and later once the visits have grown by a twentieth.
const EPOCH: u64 = 20;
/// How many links are scored again after each page.
const RESCORED: usize = 50;

/// What a visit brought, and the parts of the score it was chosen by.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ScentVisit {
    /// The parts of the score.
    pub parts: ScentParts,
    /// The relevance of the page.
    pub relevance: f64,
}

/// Where visits are written down, to learn weights from many crawls.
pub type ScentLog = Arc<Mutex<Vec<ScentVisit>>>;

/// The settings of the strategy.
#[derive(Clone, Debug)]
pub struct ScentSettings {
    /// The share of visits that go to the link that has waited longest.
    pub explore: f64,
    /// How much of that share is given up as the recent visits bring more, from 0 to 1.
    pub explore_falls: f64,
    /// How fast the weights follow what visits bring; 0 to leave them as they are.
    pub adapt: f64,
    /// The weights to start with.
    pub prior: ScentPrior,
    /// Where to write visits down.
    pub log: Option<ScentLog>,
}

impl Default for ScentSettings {
    fn default() -> ScentSettings {
        ScentSettings {
            explore: 0.2,
            explore_falls: 0.0,
            adapt: 0.6,
            prior: ScentPrior::default(),
            log: None,
        }
    }
}

/// Mean and spread of a number.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Spread {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Spread {
    fn add(&mut self, number: f64) {
        self.count += 1.0;
        let off = number - self.mean;
        self.mean += off / self.count;
        self.squares += off * (number - self.mean);
    }

    /// How far a number is from the mean, in standard deviations. Judges score a few words on very different scales.
    fn standardised(&self, number: f64) -> f64 {
        let variance = (self.squares + 1.0) / (self.count + 1.0);
        ((number - self.mean) / variance.sqrt()).clamp(-4.0, 6.0)
    }

    fn numbers(&self) -> [f64; 3] {
        [self.count, self.mean, self.squares]
    }

    fn restore(&mut self, [count, mean, squares]: [f64; 3]) {
        *self = Spread { count, mean, squares };
    }
}

/// What one list of a page has in common.
#[derive(Clone, Copy, Default)]
struct List {
    links: f64,
    /// The sum of the standardised scores of its links.
    scores: f64,
}

/// Ranks links by everything known about them.
#[derive(Clone, Debug)]
pub struct Scent {
    settings: ScentSettings,
    weights: ScentParts,
    squares: ScentParts,
    /// Of the log-odds of anchors, of the words around them and of URLs.
    spreads: [Spread; 3],
    text: TextModel,
    yields: Yields,
    visits: u64,
    /// The mean relevance of recent visits.
    recent: f64,
    /// How many visits may go to the oldest link now.
    credit: f64,
    /// Leased as the oldest, and not settled yet.
    exploring: BTreeSet<UrlKey>,
    epoch: u64,
    next_epoch: u64,
    unsaved: Unsaved,
    /// Own visits that other nodes are to be told of, if there are any.
    told: Option<Vec<u8>>,
}

impl Scent {
    /// The strategy with these settings.
    pub fn new(settings: ScentSettings) -> Scent {
        Scent {
            weights: settings.prior.weights,
            squares: [FIRST_SQUARES; PARTS],
            settings,
            spreads: [Spread::default(); 3],
            text: TextModel::default(),
            yields: Yields::default(),
            visits: 0,
            recent: 0.0,
            credit: 0.0,
            exploring: BTreeSet::new(),
            epoch: 0,
            next_epoch: EPOCH,
            unsaved: Unsaved::default(),
            told: None,
        }
    }

    fn parts(&self, note: &Note) -> ScentParts {
        let around = self.yields.around(note);
        let mean = note.sum / f64::from(note.count.max(1));
        let [anchor, context, url] = [0, 1, 2].map(|at| match (self.spreads.get(at), note.score(at)) {
            (Some(spread), Some(score)) => spread.standardised(score),
            _ => 0.0,
        });
        [
            1.0,
            note.best,
            mean,
            note.sum.ln_1p(),
            context,
            anchor,
            url,
            f64::from(self.text.words(&note.words)).clamp(-8.0, 8.0),
            match self.say_of_meaning() {
                0.0 => 0.0,
                say => say * f64::from(self.text.meaning(&note.words)).clamp(-8.0, 8.0),
            },
            around.directory,
            around.list,
            around.page,
            around.template,
            log_of(note.count.into()),
            around.host,
            around.best_list,
            around.best_page,
            f64::from(u8::from(note.same_host)),
            log_of(note.depth.into()),
            around.dry_host,
            around.dry_template,
            f64::from(note.inherited) / 255.0,
            f64::from(note.list_size) / 8.0 - 2.0,
            f64::from(note.page_size) / 8.0 - 3.0,
            f64::from(note.list_mean) / 8.0,
            around.host_visits,
            around.directory_visits,
            around.template_visits,
            self.yields.chain(note),
        ]
    }

    fn rank(&self, note: &Note) -> Rank {
        Rank {
            class: LINKS,
            score: Score::new(self.score(note, &self.parts(note))),
            tie: 0,
        }
    }

    fn score(&self, note: &Note, parts: &ScentParts) -> f64 {
        let own = dot(&self.weights, parts);
        let score = worth(own, self.yields.leads(note.places.template));
        // The next day of a calendar that has brought nothing is not worth exploring, whatever its words promise, and less so
        // with every day.
        match parts.get(prior::CHAIN) {
            Some(chain) if *chain > 0.0 => score.min(OLDEST_FROM - CHAIN_DROP * chain),
            _ if self.finds_nothing() => explorable(score),
            _ => score,
        }
    }

    /// Whether the crawl has brought so little lately that it cannot tell what is not worth exploring.
    fn finds_nothing(&self) -> bool {
        self.visits >= FEW_VISITS && self.recent < LITTLE
    }

    /// Adjusts the weights to what a visit brought: one AdaGrad step of logistic regression.
    fn reweigh(&mut self, parts: &ScentParts, relevance: f64) {
        let likely = 1.0 / (1.0 + (-dot(&self.weights, parts)).exp());
        let error = (likely - relevance) * self.weight_of(relevance);
        let start = self.settings.prior.weights;
        // Slow at first: see VISITS_PER_WEIGHT.
        let pace = self.settings.adapt * self.sureness();
        let own = self.weights.iter_mut().zip(&mut self.squares);
        for ((weight, squares), (part, start)) in own.zip(parts.iter().zip(start)) {
            let slope = error * part + PULL * (*weight - start);
            *squares += slope * slope;
            *weight -= pace * slope / squares.sqrt();
        }
        // A chain is never a reason to follow it.
        if let Some(weight) = self.weights.get_mut(prior::CHAIN) {
            *weight = weight.min(0.0);
        }
    }

    /// How far visits can be trusted to teach the weights more than chance, from 0 to 1: see VISITS_PER_WEIGHT.
    fn sureness(&self) -> f64 {
        let share = self.visits as f64 / (VISITS_PER_WEIGHT * PARTS as u64) as f64;
        share.min(1.0).powi(2)
    }

    /// How much the model of meanings counts, from 0 to 1: see MEANING_FROM.
    fn say_of_meaning(&self) -> f64 {
        ((self.visits as f64 - MEANING_FROM) / MEANING_GROWS).clamp(0.0, 1.0)
    }

    /// How much a visit counts: all that brought nothing together as much as all that brought something.
    fn weight_of(&self, relevance: f64) -> f64 {
        let (good, bad) = self.yields.good_and_bad();
        let of_bad = ((good + 0.5) / (bad + 0.5)).min(1.0);
        of_bad + (GOOD_WEIGHT - of_bad) * relevance
    }

    fn learn(&mut self, page: u32, note: &Note, relevance: f64, is_seed: bool) {
        self.recent += (relevance - self.recent) / RECENT;
        self.credit += self.settings.explore * (1.0 - self.settings.explore_falls * self.recent);
        let learnt = Learnt {
            page,
            note,
            relevance: relevance as f32,
            is_seed,
        };
        if let Some(told) = &mut self.told {
            learnt.write(told);
        }
        self.learn_visit(learnt, relevance);
    }

    /// Learns from a visit, its own or another node's. How much it explores depends on its own alone.
    fn learn_visit(&mut self, learnt: Learnt<'_>, relevance: f64) {
        self.visits += 1;
        if !learnt.is_seed {
            let parts = self.parts(learnt.note);
            if let Some(log) = &self.settings.log
                && let Ok(mut log) = log.lock()
            {
                log.push(ScentVisit { parts, relevance });
            }
            if self.settings.adapt > 0.0 {
                self.reweigh(&parts, relevance);
            }
        }
        self.learn_tables(learnt);
        self.unsaved.add(learnt);
        if self.visits >= self.next_epoch {
            self.epoch += 1;
            self.next_epoch = self.visits + EPOCH.max(self.visits / 20);
        }
    }

    /// Adds a visit to the yields and to the model of words.
    fn learn_tables(&mut self, learnt: Learnt<'_>) {
        self.yields
            .visit(learnt.page, learnt.note, learnt.relevance.into());
        if !learnt.is_seed {
            self.text.learn(learnt.note, learnt.relevance);
        }
    }

    /// Learns from the visit that a report is about, unless no page was requested.
    fn learn_from(&mut self, report: &PageReport<'_>, own: Option<&Note>, relevance: f64) {
        let lease = report.lease;
        let was_exploring = self.exploring.remove(&lease.key);
        let is_visit = match report.outcome {
            Outcome::Failed(Failure::NotRecorded) | Outcome::Redirect { .. } => false,
            Outcome::Refused(refusal) => *refusal == Refusal::ContentType,
            _ => true,
        };
        if !is_visit || report.will_retry || lease.kind != LeaseKind::Page || lease.revisit {
            self.credit += f64::from(u8::from(was_exploring));
            return;
        }
        let page = short(lease.key);
        match own {
            Some(note) => self.learn(page, note, relevance, lease.seed),
            None => {
                let note = Note {
                    places: address::places(&lease.url),
                    ..Note::default()
                };
                self.learn(page, &note, relevance, true);
            }
        }
    }

    /// Counts the scores of a page's links, and returns what its lists have in common.
    fn read_lists(&mut self, links: &[ReportedLink]) -> BTreeMap<u32, List> {
        let mut lists: BTreeMap<u32, List> = BTreeMap::new();
        for link in links {
            let list = lists.entry(link.path).or_default();
            list.links += 1.0;
            if let Some(scores) = link.snippets {
                let scores = log_odds_of(scores);
                for (spread, score) in self.spreads.iter_mut().zip(scores) {
                    spread.add(score);
                }
                let [anchor, _, url] = &self.spreads;
                let [of_anchor, _, of_url] = scores;
                list.scores += (anchor.standardised(of_anchor) + url.standardised(of_url)) / 2.0;
            }
        }
        lists
    }

    fn offer(&self, link: &ReportedLink, note: &Note, merge: Merge, out: &mut Updates) {
        out.push(Update::Offer(Offer {
            url: link.url.clone(),
            key: link.key,
            rank: self.rank(note),
            merge,
        }));
        out.push(Update::Note {
            of: link.key,
            note: note.to_bytes(),
        });
    }
}

fn log_odds_of(scores: SnippetScores) -> [f64; 3] {
    [scores.anchor, scores.around, scores.url].map(|score| log_odds(score.into()))
}

fn dot(a: &ScentParts, b: &ScentParts) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The log odds of a link that is worth following for itself, with log odds `own`, or for where it leads.
fn worth(own: f64, leads: f64) -> f64 {
    if leads <= 0.0 {
        return own;
    }
    // own ∨ leads: 1 − (1 − p)(1 − L), whose odds are (odds of p + L) ÷ (1 − L).
    let leads = LEADS * leads;
    ((own.exp() + leads) / (1.0 - leads)).ln()
}

/// A score in the same order, but never too low to be explored.
fn explorable(score: f64) -> f64 {
    const LOWEST: f64 = OLDEST_FROM + 1e-3;
    /// Scores from here on stay as they are: an unknown link begins at about as much.
    const FROM: f64 = -3.0;
    const ROOM: f64 = FROM - LOWEST;
    if score >= FROM {
        return score;
    }
    LOWEST + ROOM * ((score - FROM) / ROOM).exp()
}

/// The short key of a page.
fn short(page: UrlKey) -> u32 {
    (page.0 >> 32) as u32
}

/// Short keys of a page and of one of its lists.
fn parent_of(page: UrlKey, path: u32, relevance: f64) -> Parent {
    let page = short(page);
    Parent {
        page,
        list: (page ^ path.wrapping_mul(0x9e37_79b1)).wrapping_mul(0x85eb_ca6b) ^ 0x5ce7,
        relevance: (relevance * 255.0).round().clamp(0.0, 255.0) as u8,
    }
}

/// Scores are log odds: with this much more, a link is about four times as likely to be good.
const HOLD_BACK: f64 = 0.7;
/// What is known to be this bad is not worth exploring: an unknown link begins at about −3.
const OLDEST_FROM: f64 = -4.2;
/// After this many visits, if recent ones brought less than this on average, every link but those of chains is worth
/// exploring. A crawl that finds nothing learns that everything is bad, and would give up looking around just when it has to.
const FEW_VISITS: u64 = 100;
const LITTLE: f64 = 0.05;
/// How far below that a link in a fruitless chain lies, for each unit of the part `chain`.
const CHAIN_DROP: f64 = 2.0;

impl Strategy for Scent {
    fn name(&self) -> &'static str {
        "scent"
    }

    fn needs(&self) -> Needs {
        Needs {
            snippets: true,
            notes: true,
            picks: true,
            hold_back: Some(HOLD_BACK),
            oldest_from: Some(OLDEST_FROM),
            rescoring: Rescoring {
                pages: EPOCH,
                links: RESCORED,
                completes: true,
            },
            ..Needs::default()
        }
    }

    fn seed(&self, _key: UrlKey, _seeds: usize) -> Rank {
        Rank::of_score(1.0)
    }

    fn pick(&self) -> Pick {
        if self.credit >= 1.0 {
            Pick::Oldest
        } else {
            Pick::Best
        }
    }

    fn leased(&mut self, key: UrlKey, pick: Pick) {
        if pick == Pick::Oldest {
            self.credit -= 1.0;
            self.exploring.insert(key);
        }
    }

    fn observe(&mut self, report: &PageReport<'_>, out: &mut Updates) {
        let lease = report.lease;
        let own = report.note.and_then(Note::from_bytes);
        let relevance = report.judgement.map_or(0.0, |judgement| judgement.relevance);
        self.learn_from(report, own.as_ref(), relevance);
        let inherited = own.map_or(0.0, |own| f64::from(own.inherited) / 255.0 * DECAY);
        let lists = self.read_lists(report.links);
        for link in report.links {
            if !matches!(link.standing, Standing::New | Standing::Waiting) {
                continue;
            }
            let known = link.note.as_deref().and_then(Note::from_bytes);
            // A seed that is linked to stays a seed.
            let merge = if link.standing == Standing::Waiting && known.is_none() {
                Merge::Max
            } else {
                Merge::Replace
            };
            let mut note = known.unwrap_or_else(|| Note {
                depth: u8::try_from(lease.depth.saturating_add(1)).unwrap_or(u8::MAX),
                same_host: lease.url.origin() == link.url.origin(),
                places: address::places(&link.url),
                ..Note::default()
            });
            // A sitemap lists a site's pages without saying anything about them.
            if lease.kind == LeaseKind::Page {
                let list = lists.get(&link.path).copied().unwrap_or_default();
                note.add(&Sighting {
                    parent: parent_of(lease.key, link.path, relevance),
                    relevance,
                    inherited: inherited.max(relevance),
                    list_size: list.links,
                    page_size: report.links.len() as f64,
                    list_mean: list.scores / list.links.max(1.0),
                    scores: link.snippets,
                    tokens: link.tokens.as_deref(),
                });
            }
            self.offer(link, &note, merge, out);
        }
    }

    fn epoch(&self) -> u64 {
        self.epoch
    }

    fn rescore(&mut self, waiting: &WaitingLink<'_>) -> Option<Rank> {
        if waiting.rank.class != LINKS {
            return None;
        }
        Note::from_bytes(&waiting.evidence.note).map(|note| self.rank(&note))
    }

    fn explain(&self, waiting: &WaitingLink<'_>) -> Vec<ScorePart> {
        let Some(note) = Note::from_bytes(&waiting.evidence.note) else {
            return Vec::new();
        };
        let visits = self.yields.visits(&note);
        let parts = self.parts(&note);
        let own = dot(&self.weights, &parts);
        let share = self.yields.leads(note.places.template);
        // It does not add to the others as they do; the weight is what makes it come out right.
        let leads = ScorePart {
            name: "leads".into(),
            value: share,
            weight: (worth(own, share) - own) / share.max(1e-9),
            visits: Some(self.yields.of(note.places.template).visits.into()),
        };
        let mut weights = self.weights;
        // Nor does the lid on the score of a chain, or what keeps a link worth exploring, which is shown with the bias.
        let moved = self.score(&note, &parts) - worth(own, share);
        let is_chain = parts.get(prior::CHAIN).is_some_and(|chain| *chain > 0.0);
        let at = if is_chain { prior::CHAIN } else { prior::BIAS };
        if let (Some(weight), Some(part)) = (weights.get_mut(at), parts.get(at)) {
            *weight += moved / part;
        }
        let parts = parts.into_iter().zip(weights);
        let parts = prior::NAMES.iter().zip(parts);
        parts
            .map(|(name, (value, weight))| ScorePart {
                name: (*name).into(),
                value,
                weight,
                visits: visits
                    .iter()
                    .find(|(known, _)| known == name)
                    .map(|(_, count)| *count),
            })
            .chain(std::iter::once(leads))
            .collect()
    }

    fn learnt(&self) -> Vec<(String, f64)> {
        let weights = prior::NAMES.iter().zip(self.weights);
        let mut learnt: Vec<(String, f64)> = weights
            .map(|(name, weight)| ((*name).to_owned(), weight))
            .collect();
        learnt.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        learnt
    }

    fn save_changes(&mut self, out: &mut StateDelta) {
        state::save(self, out);
    }

    fn restore(&mut self, saved: &[(String, Vec<u8>)]) -> Result<(), RestoreError> {
        state::restore(self, saved)
    }

    fn share_lessons(&mut self) {
        self.told.get_or_insert_default();
    }

    fn lessons(&mut self) -> Vec<u8> {
        self.told.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn hear_lessons(&mut self, lessons: &[u8]) -> Result<(), RestoreError> {
        state::hear(self, lessons)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use scenthound_types::{
        AgentId, CanonicalUrl, Judgement, Keyring, Lease, LeaseId, LinkTokens, Parts, Priority, Verdict,
    };

    use super::*;

    /// A web of numbered pages. Each page links to the next seven; every third page is relevant, and links to such pages
    /// say so. Keeps what a crawl keeps around a strategy.
    struct Around {
        scent: Scent,
        notes: BTreeMap<UrlKey, Box<[u8]>>,
        saved: BTreeMap<String, Vec<u8>>,
        /// Whether no page is relevant.
        dull: bool,
    }

    fn url(number: u32) -> CanonicalUrl {
        CanonicalUrl::parse(&format!(
            "http://h{}.test/{}/{number}.html",
            number % 11,
            number % 3
        ))
        .unwrap()
    }

    fn key(number: u32) -> UrlKey {
        Keyring::new(7).key(&url(number))
    }

    fn is_good(number: u32) -> bool {
        number % 3 == 1
    }

    #[test]
    fn what_one_node_has_learnt_another_knows_and_does_not_pass_on() {
        let mut here = Around::new();
        here.scent.share_lessons();
        (0..300).for_each(|number| drop(here.visit(number)));
        let lessons = here.scent.lessons();
        assert!(here.scent.lessons().is_empty(), "each once");
        let mut there = Around::new();
        there.scent.share_lessons();
        there.scent.hear_lessons(&lessons).unwrap();
        assert_eq!(there.scent.visits, here.scent.visits);
        let tables = |scent: &Scent| {
            let mut bytes = Vec::new();
            scent.text.save(&mut bytes);
            scent.yields.save(&mut bytes);
            bytes
        };
        assert_eq!(tables(&there.scent), tables(&here.scent));
        assert!(there.scent.lessons().is_empty());
        // It is kept like what was learnt from own pages.
        there.save();
        assert_eq!(tables(&there.resumed().scent), tables(&here.scent));
        assert!(there.scent.hear_lessons(&lessons[1..]).is_err());
    }

    #[test]
    fn a_page_is_worth_what_it_is_or_where_it_leads() {
        assert!((worth(-3.0, 0.0) + 3.0).abs() < 1e-12);
        assert!(worth(-3.0, 0.5) > -1.0);
        assert!(worth(-3.0, 0.5) < worth(0.0, 0.5));
        assert!(worth(30.0, 0.9).is_finite() && worth(-900.0, 0.9).is_finite());
    }

    #[test]
    fn a_crawl_that_finds_nothing_does_not_give_up_looking_around() {
        let scores = [-50.0, -9.0, -6.0, -4.2, -3.1, -3.0, -1.0, 2.0].map(explorable);
        assert!(scores.is_sorted_by(|a, b| a < b), "{scores:?}");
        assert!(scores.iter().all(|score| *score > OLDEST_FROM));
        let mut around = Around::new();
        around.dull = true;
        let mut last = Updates::new();
        (0..400).for_each(|number| last = around.visit(number));
        assert!(around.scent.finds_nothing());
        let lowest = last.iter().filter_map(|update| match update {
            Update::Offer(offer) => Some(offer.rank.score.get()),
            _ => None,
        });
        assert!(lowest.fold(f64::INFINITY, f64::min) > OLDEST_FROM);
    }

    impl Around {
        fn new() -> Around {
            Around {
                scent: Scent::new(ScentSettings::default()),
                notes: BTreeMap::new(),
                saved: BTreeMap::new(),
                dull: false,
            }
        }

        fn visit(&mut self, number: u32) -> Updates {
            let lease = Lease {
                id: LeaseId(0),
                agent: AgentId::default(),
                kind: LeaseKind::Page,
                url: url(number),
                key: key(number),
                parent: None,
                parent_url: None,
                depth: 1,
                site_depth: 0,
                seed: number == 0,
                taken: Priority::default(),
                attempt: 0,
                redirects: 0,
                revisit: false,
                location: None,
            };
            let judgement = Judgement {
                relevance: match (self.dull, is_good(number)) {
                    (true, _) => 0.0,
                    (_, true) => 0.9,
                    (_, false) => 0.1,
                },
                verdict: Verdict::Irrelevant,
                genre: None,
                layer: None,
                parts: Parts::default(),
            };
            let links: Vec<ReportedLink> = (number + 1..number + 8)
                .map(|to| ReportedLink {
                    url: url(to),
                    key: key(to),
                    standing: if self.notes.contains_key(&key(to)) {
                        Standing::Waiting
                    } else {
                        Standing::New
                    },
                    path: to % 3,
                    snippets: Some(SnippetScores {
                        anchor: 0.3,
                        around: 0.2,
                        url: 0.1,
                    }),
                    place: None,
                    evidence: None,
                    tokens: Some(Arc::new(LinkTokens::new(
                        [to % 3, 100 + to % 17].into_iter(),
                        std::iter::empty(),
                        std::iter::once(to % 5),
                    ))),
                    note: self.notes.get(&key(to)).cloned(),
                })
                .collect();
            let note = self.notes.remove(&key(number));
            let report = PageReport {
                lease: &lease,
                outcome: &Outcome::Body {
                    status: 200,
                    truncated: None,
                },
                judgement: Some(&judgement),
                words: None,
                evidence: None,
                note: note.as_deref(),
                links: &links,
                will_retry: false,
            };
            let mut updates = Updates::new();
            self.scent.observe(&report, &mut updates);
            for update in &updates {
                if let Update::Note { of, note } = update {
                    self.notes.insert(*of, note.clone());
                }
            }
            updates
        }

        fn save(&mut self) {
            let mut delta = StateDelta::default();
            self.scent.save_changes(&mut delta);
            for (name, value) in delta.changes() {
                self.saved.insert(name.clone(), value.clone());
            }
        }

        /// As after a restart.
        fn resumed(&self) -> Around {
            let saved: Vec<(String, Vec<u8>)> = self.saved.clone().into_iter().collect();
            let mut scent = Scent::new(ScentSettings::default());
            scent.restore(&saved).unwrap();
            Around {
                scent,
                notes: self.notes.clone(),
                saved: self.saved.clone(),
                dull: self.dull,
            }
        }
    }

    #[test]
    fn nothing_learnt_is_lost_between_two_runs() {
        let mut around = Around::new();
        // The first stop is before a snapshot, the second after one, the last in the middle of the visits since.
        let mut next = 0;
        for stop in [130, 2_040, 2_333] {
            while next < stop {
                around.visit(next);
                next += 1;
                if next % 40 == 0 || next == stop {
                    around.save();
                }
            }
            let mut resumed = around.resumed();
            assert_eq!(resumed.scent.weights, around.scent.weights);
            assert_eq!(resumed.scent.text, around.scent.text);
            assert_eq!(resumed.scent.yields, around.scent.yields);
            for number in next..next + 5 {
                assert_eq!(
                    resumed.visit(number),
                    around.visit(number),
                    "page {number} after {stop}"
                );
            }
            next += 5;
            // Goes on from the restored one, to see that it saves as much as the other would.
            resumed.save();
            around = resumed;
        }
    }

    #[test]
    fn damaged_state_is_refused() {
        let mut around = Around::new();
        (0..50).for_each(|number| drop(around.visit(number)));
        around.save();
        let restored = |saved: &[(String, Vec<u8>)]| Scent::new(ScentSettings::default()).restore(saved);
        let saved: Vec<(String, Vec<u8>)> = around.saved.into_iter().collect();
        assert!(restored(&saved).is_ok());
        assert!(restored(&[]).is_ok(), "a new crawl");
        let without_log: Vec<_> = saved.iter().filter(|(name, _)| name == "core").cloned().collect();
        assert!(restored(&without_log).is_err());
        let mut older = saved.clone();
        for (_, core) in older.iter_mut().filter(|(name, _)| name == "core") {
            core[0] -= 1;
        }
        assert!(matches!(
            restored(&older),
            Err(RestoreError::OtherVersion { strategy: "scent" })
        ));
        for at in 0..saved.len() {
            let mut cut = saved.clone();
            cut[at].1.pop();
            assert!(restored(&cut).is_err(), "{}", cut[at].0);
        }
    }

    #[test]
    fn words_that_led_to_relevant_pages_come_first() {
        let mut around = Around::new();
        let mut last = Updates::new();
        (0..200).for_each(|number| last = around.visit(number));
        let score = |good: bool| {
            let scores: Vec<f64> = last
                .iter()
                .filter_map(|update| match update {
                    Update::Offer(offer) => Some(offer),
                    _ => None,
                })
                .zip(200..)
                .filter(|(_, number)| is_good(*number) == good)
                .map(|(offer, _)| offer.rank.score.get())
                .collect();
            scores
        };
        let worst_good = score(true).into_iter().fold(f64::INFINITY, f64::min);
        let best_bad = score(false).into_iter().fold(f64::NEG_INFINITY, f64::max);
        assert!(worst_good > best_bad, "{worst_good} {best_bad}");
    }

    #[test]
    fn one_visit_in_five_goes_to_the_oldest_link() {
        let mut around = Around::new();
        let mut picks = String::new();
        for number in 0..20 {
            let pick = around.scent.pick();
            around.scent.leased(key(number), pick);
            picks.push(if pick == Pick::Oldest { 'o' } else { '.' });
            around.visit(number);
        }
        assert_eq!(picks, ".....o....o....o....");
    }

    #[test]
    fn each_part_of_a_score_is_explained() {
        let mut around = Around::new();
        (0..30).for_each(|number| drop(around.visit(number)));
        let note = around.notes.get(&key(31)).unwrap();
        let evidence = scenthound_types::Evidence::of_note(note);
        let waiting = WaitingLink {
            key: key(31),
            rank: Rank {
                class: LINKS,
                ..Rank::default()
            },
            parent: None,
            evidence: &evidence,
        };
        let parts = around.scent.explain(&waiting);
        let sum: f64 = parts.iter().map(|part| part.value * part.weight).sum();
        assert_eq!(parts.len(), PARTS + 1);
        assert!((sum - around.scent.rescore(&waiting).unwrap().score.get()).abs() < 1e-9);
        let host = parts.iter().find(|part| part.name == "host").unwrap();
        assert_eq!(host.visits, Some(2.0), "pages 9 and 20");
    }
}
