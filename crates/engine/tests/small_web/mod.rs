//! Webs of a few lines, and crawls of them in virtual time.
//!
//! ```text
//! hub/0: tea -> old/1 down/1     a page: its words and its links
//! old/1 => new/1                 a redirect
//! down/1 ! 503                   a status instead of a page
//! busy/1 ! 503 429/60 200        statuses in turn, the second with Retry-After: 60; 200 is the page, drawn on its own line
//! hub/robots.txt | Crawl-delay: 5\nSitemap: /map.xml          plain text
//! ```
//!
//! `hub/0` is `http://hub.test/0`. The first line is the seed.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test takes what it needs, and may panic"
)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use scenthound_engine::{
    Agent, Budget, Crawl, CrawlSettings, Found, LeaseResult, ResponseFacts, Scope, ScopeKind, Step,
    read_rules,
};
use scenthound_frontier::{HostPolicy, MemoryFrontier};
use scenthound_judge::{Judge, TermJudge, TermSettings};
use scenthound_lab::{Journal, LabSettings, Run, replay, replay_agents};
use scenthound_strategy::{BreadthFirst, Strategy};
use scenthound_testweb::{FixtureWeb, SiteResponse, TestSite};
use scenthound_types::{CanonicalUrl, Failure, Keyring, Lease, LeaseKind, Outcome, Timestamp};

/// A web drawn as text.
pub struct SmallWeb {
    pages: FixtureWeb,
    /// What a URL returns in place of its page: the first time, the second time, and so on; the last one repeats. None is
    /// the page.
    others: BTreeMap<String, Vec<Option<SiteResponse>>>,
    /// How many times each URL was requested.
    asked: Mutex<BTreeMap<String, usize>>,
    /// The URL of the first line.
    seed: CanonicalUrl,
}

impl SmallWeb {
    pub fn draw(lines: &str) -> SmallWeb {
        let mut pages = String::new();
        let mut others: BTreeMap<String, Vec<Option<SiteResponse>>> = BTreeMap::new();
        for line in lines.lines().map(str::trim) {
            if let Some((from, to)) = line.split_once(" => ") {
                let redirect = SiteResponse::redirect(301, FixtureWeb::url(to.trim()));
                others.insert(from.trim().to_owned(), vec![Some(redirect)]);
            } else if let Some((name, statuses)) = line.split_once(" ! ") {
                let answers = statuses.split_whitespace().map(status).collect();
                others.insert(name.trim().to_owned(), answers);
            } else if let Some((name, text)) = line.split_once(" | ") {
                let text = SiteResponse::text(text.replace("\\n", "\n"));
                others.insert(name.trim().to_owned(), vec![Some(text)]);
            } else {
                pages.push_str(line);
                pages.push('\n');
            }
        }
        let first = lines.split_whitespace().next().unwrap();
        SmallWeb {
            pages: FixtureWeb::parse(&pages).unwrap(),
            others,
            asked: Mutex::default(),
            seed: url(first.trim_end_matches(':')),
        }
    }

    /// The same web with a sitemap that lists these pages.
    pub fn sitemap(self, name: &str, pages: &[&str]) -> SmallWeb {
        self.with_xml(name, "urlset", "url", pages)
    }

    /// The same web with a sitemap that names these sitemaps.
    pub fn sitemap_index(self, name: &str, sitemaps: &[&str]) -> SmallWeb {
        self.with_xml(name, "sitemapindex", "sitemap", sitemaps)
    }

    fn with_xml(mut self, name: &str, root: &str, entry: &str, targets: &[&str]) -> SmallWeb {
        let entries: String = targets
            .iter()
            .map(|target| format!("<{entry}><loc>{}</loc></{entry}>", FixtureWeb::url(target)))
            .collect();
        let xml = SiteResponse::page("application/xml", format!("<{root}>{entries}</{root}>"));
        self.others.insert(name.to_owned(), vec![Some(xml)]);
        self
    }

    pub fn seed(&self) -> CanonicalUrl {
        self.seed.clone()
    }
}

/// `503`, or `503/60` with Retry-After.
fn status(text: &str) -> Option<SiteResponse> {
    let (status, retry_after) = match text.split_once('/') {
        Some((status, seconds)) => (status, Some(seconds.to_owned())),
        None => (text, None),
    };
    let answer = match status.parse().unwrap() {
        200 => return None,
        status => SiteResponse::fault(status),
    };
    Some(match retry_after {
        Some(seconds) => answer.with("Retry-After", seconds),
        None => answer,
    })
}

impl TestSite for SmallWeb {
    fn answer(&self, host: &str, path: &str) -> SiteResponse {
        let name = FixtureWeb::name(&format!("http://{host}{path}")).unwrap();
        let mut asked = self.asked.lock().unwrap();
        let times = asked.entry(name.clone()).or_default();
        let other = self
            .others
            .get(&name)
            .and_then(|answers| answers.get(*times).or_else(|| answers.last()));
        *times += 1;
        match other {
            Some(Some(answer)) => answer.clone(),
            _ => self.pages.answer(host, path),
        }
    }

    fn hosts(&self) -> Vec<String> {
        self.pages.hosts()
    }
}

pub fn url(name: &str) -> CanonicalUrl {
    CanonicalUrl::parse(&FixtureWeb::url(name)).unwrap()
}

/// Pages with the word tea are relevant.
pub fn tea() -> Arc<dyn Judge> {
    let settings = TermSettings {
        content: vec!["tea".to_owned()],
        ..TermSettings::default()
    };
    Arc::new(TermJudge::new(&settings).unwrap())
}

/// One request at a time, answered at once, no rests, no robots.txt; the journal holds everything.
pub fn plain() -> LabSettings {
    LabSettings {
        full_journal: true,
        ..LabSettings::default()
    }
}

/// robots.txt is requested and obeyed.
pub fn obedient() -> LabSettings {
    LabSettings {
        policy: HostPolicy {
            robots: true,
            ..HostPolicy::instant()
        },
        ..plain()
    }
}

/// These settings with this scope around the seed, for links and for redirects.
pub fn within(kind: ScopeKind, seed: &CanonicalUrl, settings: LabSettings) -> LabSettings {
    let scope = Scope::new(kind, std::slice::from_ref(seed), &[], &[]).unwrap();
    let mut settings = settings;
    settings.processor.scope = scope.clone();
    settings.crawl.scope = scope;
    settings
}

/// These settings with this budget.
pub fn with_budget(budget: Budget, settings: LabSettings) -> LabSettings {
    LabSettings {
        crawl: CrawlSettings {
            budget,
            ..settings.crawl
        },
        ..settings
    }
}

/// A crawl from the seed, in the order of discovery.
pub fn crawl(web: &SmallWeb, settings: &LabSettings) -> Run {
    crawl_by(web, BreadthFirst, settings)
}

pub fn crawl_by(web: &SmallWeb, strategy: impl Strategy + 'static, settings: &LabSettings) -> Run {
    replay(web, tea(), Box::new(strategy), &[web.seed()], settings).unwrap()
}

/// A crawl by several agents in the order of discovery, each with these seeds.
pub fn crawl_as_agents(web: &SmallWeb, seeds: &[&[&str]], settings: &LabSettings) -> Run {
    let agents = seeds
        .iter()
        .map(|seeds| Agent {
            name: String::new(),
            strategy: Box::new(BreadthFirst),
            seeds: seeds.iter().map(|name| url(name)).collect(),
        })
        .collect();
    replay_agents(web, tea(), agents, settings).unwrap()
}

/// The pages requested, in order, by name.
pub fn visits(run: &Run) -> Vec<String> {
    let visits = run.journal.visits.iter();
    visits
        .map(|url| FixtureWeb::name(url.as_str()).unwrap())
        .collect()
}

/// One line of the journal: an attempt at a page, a robots.txt or a sitemap, or a URL settled without a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// When it was settled.
    pub at: Duration,
    /// `page`, `robots` or `sitemap`.
    pub kind: String,
    pub name: String,
    /// The code of the outcome.
    pub outcome: String,
    /// Whether it will be tried again.
    pub again: bool,
}

pub fn attempts(run: &Run) -> Vec<Attempt> {
    let lines = run.journal.text.lines().filter(|line| !line.starts_with(' '));
    lines
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            Attempt {
                at: Duration::from_millis(words[0].parse().unwrap()),
                kind: words[1].to_owned(),
                name: FixtureWeb::name(words[2]).unwrap(),
                outcome: words[3].to_owned(),
                again: line.ends_with(" again"),
            }
        })
        .collect()
}

/// The outcome of each attempt at one URL, in order.
pub fn outcomes(run: &Run, name: &str) -> Vec<String> {
    let all = attempts(run).into_iter();
    all.filter(|attempt| attempt.name == name)
        .map(|attempt| attempt.outcome)
        .collect()
}

/// When each attempt at one URL was settled.
pub fn times(run: &Run, name: &str) -> Vec<Duration> {
    let all = attempts(run).into_iter();
    all.filter(|attempt| attempt.name == name)
        .map(|attempt| attempt.at)
        .collect()
}

/// The names of all attempts of a kind, in order.
pub fn asked_for(run: &Run, kind: &str) -> Vec<String> {
    let all = attempts(run).into_iter();
    all.filter(|attempt| attempt.kind == kind)
        .map(|attempt| attempt.name)
        .collect()
}

pub const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A crawl that the test drives by hand, for outcomes no site can produce.
pub type OwnCrawl = Crawl<MemoryFrontier, Journal>;

pub fn start(settings: CrawlSettings, frontier: MemoryFrontier, seeds: &[&str], now: Timestamp) -> OwnCrawl {
    let seeds: Vec<CanonicalUrl> = seeds.iter().map(|name| url(name)).collect();
    let strategy = Box::new(BreadthFirst);
    Crawl::start(
        settings,
        frontier,
        strategy,
        Journal::full(),
        Keyring::new(0),
        &seeds,
        now,
    )
    .unwrap()
}

/// A frontier for [`start`].
pub fn frontier(policy: HostPolicy) -> MemoryFrontier {
    MemoryFrontier::new(policy, Keyring::new(0))
}

/// The lease to fetch now; panics if there is none or more than one.
#[track_caller]
pub fn lease(crawl: &mut OwnCrawl, now: Timestamp) -> Lease {
    match crawl.next(1, now).unwrap() {
        Step::Fetch(leases) if leases.len() == 1 => leases[0].clone(),
        other => panic!("nothing to fetch: {other:?}"),
    }
}

/// Ends a lease of a page that is missing, with these facts about the response.
pub fn miss(crawl: &mut OwnCrawl, lease: Lease, facts: ResponseFacts, now: Timestamp) {
    let result = LeaseResult {
        lease,
        outcome: Outcome::Failed(Failure::Status(404)),
        found: Found::Nothing,
        facts,
        payload: None,
    };
    crawl.settle(result, now).unwrap();
}

/// Ends a lease with a failure.
pub fn fail(crawl: &mut OwnCrawl, lease: Lease, failure: Failure, now: Timestamp) {
    let outcome = Outcome::Failed(failure);
    let found = match lease.kind {
        LeaseKind::Robots => {
            let (access, until) = read_rules(&outcome, b"", lease.attempt, now);
            Found::Rules(access, until)
        }
        _ => Found::Nothing,
    };
    let facts = ResponseFacts {
        asked: true,
        ..ResponseFacts::default()
    };
    let result = LeaseResult {
        lease,
        outcome,
        found,
        facts,
        payload: None,
    };
    crawl.settle(result, now).unwrap();
}
