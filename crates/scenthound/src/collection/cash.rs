//! Where a URL's cash came from, worked out from the records of a crawl.
//!
//! A crawl does not record its cash flows. But each record says how much cash its page had when it was taken from the queue,
//! and the archive has the page. So every page is processed again, the strategy decides again what to give to each link, and
//! the amounts for the URL are added up. Records are in the order in which pages were settled, so the strategy knows as much
//! about each link as it did then.

use std::collections::HashMap;

use scenthound_config::Settings;
use scenthound_engine::{Found, PageProcessor, Response};
use scenthound_store::{CrawlView, PageRecord};
use scenthound_strategy::Strategy;
use scenthound_types::{
    AgentId, CanonicalUrl, Keyring, Lease, LeaseId, LeaseKind, Merge, PageReport, Priority, Rank,
    ReportedLink, Standing, Timestamp, Update, Updates, UrlKey,
};
use serde::Serialize;

use super::pages::each_record;
use super::{Collection, CollectionError};
use crate::live_settings;

/// How many sources are listed, the largest first.
const NAMED: usize = 5;

/// A page that gave cash to a URL.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CashSource {
    /// The page.
    pub from: String,
    /// How much it gave.
    pub amount: f64,
    /// Its share of all the cash the URL gained.
    pub share: f64,
}

/// The cash a URL gained, and where it came from.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CashFlow {
    /// The total it gained.
    pub gained: f64,
    /// What it had when it was visited; that was passed on or lost.
    pub spent: f64,
    /// What it holds now.
    pub held: f64,
    /// Its share of the cash that seeds start with.
    pub as_seed: f64,
    /// How many pages gave it something.
    pub givers: usize,
    /// The pages that gave the most.
    pub top: Vec<CashSource>,
    /// Pages that could not be read from the archive, so what they gave is missing.
    pub unreadable: u64,
}

impl Collection {
    /// Where a URL's cash came from. `None` if the strategy does not use cash, if the URL never had any, or if pages have been
    /// rejudged, which mixes the cash of two crawls.
    pub(super) fn cash_flow(
        &self,
        settings: &Settings,
        url: &CanonicalUrl,
    ) -> Result<Option<CashFlow>, CollectionError> {
        let strategy = settings.strategy()?;
        if strategy.needs().redirects != Merge::Add || self.view.layout().generation()? > 0 {
            return Ok(None);
        }
        let keyring = Keyring::new(settings.crawl.seed);
        let key = keyring.key(url);
        let seeds = &settings.seeds.urls;
        let as_seed = if seeds.contains(url) {
            strategy.seed(key, seeds.len()).score.get()
        } else {
            0.0
        };
        let live = live_settings(settings)?;
        let mut replay = Replay {
            view: &self.view,
            processor: PageProcessor::new(settings.judge()?, strategy.needs(), keyring, live.processor),
            page_bytes: live.fetch.limits.decoded_bytes,
            strategy,
            keyring,
            wanted: key,
            relevances: HashMap::new(),
            gifts: HashMap::new(),
            spent: 0.0,
            unreadable: 0,
        };
        each_record(&self.view, |_, record| replay.settle(&record))?;
        Ok(replay.flow(as_seed))
    }
}

/// A replay of the crawl that follows the cash of one URL.
struct Replay<'a> {
    view: &'a CrawlView,
    processor: PageProcessor,
    page_bytes: usize,
    strategy: Box<dyn Strategy>,
    keyring: Keyring,
    wanted: UrlKey,
    /// The relevance of the pages read so far.
    relevances: HashMap<UrlKey, f32>,
    gifts: HashMap<String, f64>,
    spent: f64,
    unreadable: u64,
}

impl Replay<'_> {
    fn flow(self, as_seed: f64) -> Option<CashFlow> {
        let mut gifts: Vec<(String, f64)> = self.gifts.into_iter().collect();
        // Break ties by name; otherwise the order would depend on the hash table.
        gifts.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let gained = gifts.iter().map(|(_, amount)| amount).sum::<f64>() + as_seed;
        if gained == 0.0 {
            return None;
        }
        Some(CashFlow {
            gained,
            spent: self.spent,
            held: gained - self.spent,
            as_seed,
            givers: gifts.len(),
            top: gifts
                .into_iter()
                .take(NAMED)
                .map(|(from, amount)| CashSource {
                    from,
                    amount,
                    share: amount / gained,
                })
                .collect(),
            unreadable: self.unreadable,
        })
    }

    fn settle(&mut self, record: &PageRecord) {
        let (Ok(url), Some(score)) = (CanonicalUrl::parse(&record.url), record.score) else {
            return;
        };
        if record.will_retry || !record.is_page() {
            return;
        }
        let key = self.keyring.key(&url);
        if key == self.wanted {
            self.spent += score;
        }
        if let Some(to) = record.redirect() {
            if CanonicalUrl::parse(to).is_ok_and(|to| self.keyring.key(&to) == self.wanted) {
                *self.gifts.entry(record.url.clone()).or_default() += score;
            }
        } else if record.is_judged_page() {
            if score > 0.0 && key != self.wanted {
                match self.gift(record, &url, key, score) {
                    Some(gift) if gift > 0.0 => *self.gifts.entry(record.url.clone()).or_default() += gift,
                    Some(_) => {}
                    None => self.unreadable += 1,
                }
            }
            self.relevances
                .insert(key, record.relevance.unwrap_or_default() as f32);
        }
    }

    /// What a page gave to the URL; `None` if the page could not be read from the archive.
    fn gift(&mut self, record: &PageRecord, url: &CanonicalUrl, key: UrlKey, score: f64) -> Option<f64> {
        let stored = self.view.record(record.archive.as_ref()?).ok()?;
        let http = stored.http()?;
        let x_robots_tag: Vec<String> = http.headers_named("x-robots-tag").map(str::to_owned).collect();
        let body = http.body(self.page_bytes).bytes;
        let lease = Lease {
            id: LeaseId(0),
            agent: AgentId::default(),
            kind: LeaseKind::Page,
            url: url.clone(),
            key,
            parent: None,
            parent_url: None,
            depth: record.depth,
            site_depth: 0,
            seed: record.seed,
            taken: Priority {
                rank: Rank::of_score(score),
                age: 0,
            },
            attempt: record.attempt,
            redirects: 0,
            revisit: record.revisit,
            location: None,
        };
        let outcome = record.outcome()?;
        let response = Response {
            content_type: record.content_type.as_deref(),
            x_robots_tag: &x_robots_tag,
            refresh: http.header("refresh"),
            body: &body,
        };
        let Found::Page(page) = self
            .processor
            .process(&lease, &outcome, &response, Timestamp::ZERO)
        else {
            return None;
        };
        if page.links.iter().all(|link| link.key != self.wanted) {
            return Some(0.0);
        }
        let links: Vec<ReportedLink> = page
            .links
            .iter()
            .filter(|link| link.key != key)
            .map(|link| ReportedLink {
                url: link.url.clone(),
                key: link.key,
                standing: match self.relevances.get(&link.key) {
                    Some(relevance) => Standing::Fetched {
                        relevance: *relevance,
                    },
                    None => Standing::New,
                },
                path: link.path,
                snippets: link.snippets,
                place: link.place,
                evidence: None,
                tokens: None,
                note: None,
            })
            .collect();
        let report = PageReport {
            lease: &lease,
            outcome: &outcome,
            judgement: Some(&page.judgement),
            links: &links,
            words: None,
            evidence: None,
            note: None,
            will_retry: false,
        };
        let mut updates = Updates::new();
        self.strategy.observe(&report, &mut updates);
        let given = updates.iter().map(|update| match update {
            Update::Offer(offer) if offer.key == self.wanted && offer.merge == Merge::Add => {
                offer.rank.score.get()
            }
            _ => 0.0,
        });
        Some(given.sum())
    }
}
