//! A web of numbered pages with given relevances, and a crawl of it that can be inspected after every page.

use std::sync::Arc;

use scenthound_engine::{
    Crawl, CrawlSettings, Found, FoundLink, LeaseResult, ProcessedPage, Recorder, ResponseFacts, Step, Visit,
};
use scenthound_frontier::Frontier;
use scenthound_strategy::Strategy;
use scenthound_types::{
    CanonicalUrl, Failure, GenreGuess, Judgement, Keyring, Lease, Outcome, Parts, SnippetScores, Timestamp,
    Verdict,
};

/// The relevance from which a page is relevant.
pub const THRESHOLD: f64 = 0.5;

/// A link: its target, and how relevant its words and those around it are.
#[derive(Clone, Copy, Debug)]
pub struct ToyLink {
    pub to: usize,
    pub anchor: f32,
    pub around: f32,
}

/// What happens when a page is requested.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Fate {
    Read,
    Fails,
    LeadsTo(usize),
}

#[derive(Clone, Debug)]
pub struct ToyPage {
    pub relevance: f64,
    pub genre: Option<(&'static str, f64)>,
    pub fate: Fate,
    pub links: Vec<ToyLink>,
}

/// A page of this relevance with links to these pages; the links' words say nothing.
pub fn page(relevance: f64, links: &[usize]) -> ToyPage {
    let links = links.iter().map(|to| link(*to, 0.0, 0.0)).collect();
    ToyPage {
        relevance,
        genre: None,
        fate: Fate::Read,
        links,
    }
}

pub fn link(to: usize, anchor: f32, around: f32) -> ToyLink {
    ToyLink { to, anchor, around }
}

/// The URL of a page, on one of five hosts.
pub fn url(number: usize) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://h{}.test/{number}", number % 5)).unwrap()
}

pub fn number(url: &CanonicalUrl) -> usize {
    url.path().trim_start_matches('/').parse().unwrap()
}

pub const KEYS: u64 = 7;

pub fn judgement(page: &ToyPage) -> Judgement {
    Judgement {
        relevance: page.relevance,
        verdict: if page.relevance >= THRESHOLD {
            Verdict::Relevant
        } else {
            Verdict::Irrelevant
        },
        genre: page.genre.map(|(class, confidence)| GenreGuess {
            class: Arc::from(class),
            confidence,
        }),
        layer: None,
        parts: Parts::default(),
    }
}

/// The web's answer to a lease.
pub fn answer(web: &[ToyPage], lease: Lease) -> LeaseResult<()> {
    let page = &web[number(&lease.url)];
    let keyring = Keyring::new(KEYS);
    let (outcome, found) = match page.fate {
        Fate::Fails => (Outcome::Failed(Failure::Status(404)), Found::Nothing),
        Fate::LeadsTo(to) => (
            Outcome::Redirect {
                status: 301,
                to: url(to),
            },
            Found::Nothing,
        ),
        Fate::Read => {
            let links = page.links.iter().map(|link| FoundLink {
                key: keyring.key(&url(link.to)),
                url: url(link.to),
                path: 0,
                snippets: Some(SnippetScores {
                    anchor: link.anchor,
                    around: link.around,
                    url: 0.0,
                }),
                place: None,
                evidence: None,
                tokens: None,
            });
            let processed = ProcessedPage::of_links(judgement(page), links.collect());
            let outcome = Outcome::Body {
                status: 200,
                truncated: None,
            };
            (outcome, Found::Page(Box::new(processed)))
        }
    };
    LeaseResult {
        lease,
        outcome,
        found,
        facts: ResponseFacts {
            asked: true,
            ..ResponseFacts::default()
        },
        payload: None,
    }
}

/// Keeps no records.
pub struct Nothing;

impl Recorder for Nothing {
    type Payload = ();

    fn record(
        &mut self,
        _visit: &Visit<'_>,
        _payload: Option<()>,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }

    fn mark(&mut self) -> Result<Option<Vec<u8>>, Box<dyn std::error::Error + Send + Sync>> {
        Ok(None)
    }

    fn sync(&mut self) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }
}

/// Starts or resumes a crawl from these seeds.
pub fn crawl<F: Frontier>(
    frontier: F,
    strategy: Box<dyn Strategy>,
    seeds: &[usize],
    list_size: usize,
) -> Crawl<F, Nothing> {
    let seeds: Vec<CanonicalUrl> = seeds.iter().map(|seed| url(*seed)).collect();
    let settings = CrawlSettings {
        list_size,
        robots: false,
        ..CrawlSettings::default()
    };
    let keyring = Keyring::new(KEYS);
    Crawl::start(
        settings,
        frontier,
        strategy,
        Nothing,
        keyring,
        &seeds,
        Timestamp::ZERO,
    )
    .unwrap()
}

/// The next leases, at most `room`; empty when nothing is left.
pub fn take<F: Frontier>(crawl: &mut Crawl<F, Nothing>, room: usize) -> Vec<Lease> {
    match crawl.next(room, Timestamp::ZERO).unwrap() {
        Step::Fetch(leases) => leases,
        _ => Vec::new(),
    }
}

/// The total cash of all the web's pages in the frontier.
pub fn cash<F: Frontier>(crawl: &Crawl<F, Nothing>, pages: usize) -> f64 {
    (0..pages)
        .filter_map(|page| crawl.frontier().look_up(&url(page)).unwrap())
        .map(|facts| facts.priority.rank.score.get())
        .sum()
}

/// The order in which a crawl, one page at a time, visits the web.
pub fn visits(web: &[ToyPage], strategy: impl Strategy + 'static, list_size: usize) -> Vec<usize> {
    let policy = scenthound_frontier::HostPolicy::instant();
    let frontier = scenthound_frontier::MemoryFrontier::new(policy, Keyring::new(KEYS));
    let mut crawl = crawl(frontier, Box::new(strategy), &[0], list_size);
    let mut order = Vec::new();
    while let Some(lease) = take(&mut crawl, 1).pop() {
        order.push(number(&lease.url));
        crawl.settle(answer(web, lease), Timestamp::ZERO).unwrap();
    }
    order
}
