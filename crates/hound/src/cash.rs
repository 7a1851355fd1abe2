//! Where a URL's cash came from, worked out from the records of a crawl.
//!
//! Nothing of it is kept while crawling. Each record says what its page was taken with, and the archive has the page; so the
//! desk reads every page again, the strategy says again what it gives, and what concerns the URL is added up. The records
//! stand in the order the pages were settled, so the strategy knows of each link just what it knew then.

use std::collections::HashMap;
use std::io::Write;

use scenthound_config::Settings;
use scenthound_engine::{Found, PageProcessor, Response};
use scenthound_store::{CrawlView, PageRecord};
use scenthound_strategy::Strategy;
use scenthound_types::{
    AgentId, CanonicalUrl, Keyring, Lease, LeaseId, LeaseKind, Merge, PageReport, Priority, Rank,
    ReportedLink, Standing, Timestamp, Update, Updates, UrlKey,
};
use serde::Serialize;

use crate::look;
use crate::wording::{count, harmless};

/// Givers named, the largest first.
const NAMED: usize = 5;

/// What one page gave.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Gift {
    pub from: String,
    pub amount: f64,
    /// Its part of all the URL gained.
    pub share: f64,
}

/// A URL's gains and where they came from.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CashStory {
    /// All it gained.
    pub gained: f64,
    /// What it was taken with when it was visited: passed on or lost.
    pub spent: f64,
    /// What it holds now.
    pub held: f64,
    /// Its part of the seeds' unit.
    pub as_seed: f64,
    /// Pages that gave something.
    pub givers: usize,
    /// Those that gave the most.
    pub top: Vec<Gift>,
    /// Pages whose response could not be read again; what they gave is missing here.
    pub unreadable: u64,
}

impl CashStory {
    /// The story of a URL's cash; none where the strategy knows no cash, or the URL never had any.
    pub fn of(
        view: &CrawlView,
        settings: &Settings,
        url: &CanonicalUrl,
    ) -> anyhow::Result<Option<CashStory>> {
        let strategy = settings.strategy()?;
        if strategy.needs().redirects != Merge::Add || view.layout().generation()? > 0 {
            return Ok(None);
        }
        let keyring = Keyring::new(settings.crawl.seed);
        let key = keyring.key(url);
        let seeds = &settings.seeds.urls;
        let as_seed = match seeds.contains(url) {
            true => strategy.seed(key, seeds.len()).score.get(),
            false => 0.0,
        };
        let live = scenthound::live_settings(settings)?;
        let mut replay = Replay {
            view,
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
        look::each_record(view, |_, record| replay.settle(&record))?;
        let mut gifts: Vec<(String, f64)> = replay.gifts.into_iter().collect();
        // By name among equals, or the order would be the hash table's.
        gifts.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let gained = gifts.iter().map(|(_, amount)| amount).sum::<f64>() + as_seed;
        if gained == 0.0 {
            return Ok(None);
        }
        Ok(Some(CashStory {
            gained,
            spent: replay.spent,
            held: gained - replay.spent,
            as_seed,
            givers: gifts.len(),
            top: gifts
                .into_iter()
                .take(NAMED)
                .map(|(from, amount)| Gift {
                    from,
                    amount,
                    share: amount / gained,
                })
                .collect(),
            unreadable: replay.unreadable,
        }))
    }

    pub fn write(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let givers = match self.givers {
            1 => "1 page".to_owned(),
            many => format!("{} pages", count(many as u64)),
        };
        writeln!(
            out,
            "\nCash: gained {:.4e} from {givers}, gave up {:.4e} when it was visited, holds {:.4e}",
            self.gained, self.spent, self.held
        )?;
        if self.as_seed > 0.0 {
            let share = 100.0 * self.as_seed / self.gained;
            writeln!(out, "  {:.4e}  {share:5.1} %  as a seed", self.as_seed)?;
        }
        for gift in &self.top {
            writeln!(
                out,
                "  {:.4e}  {:5.1} %  {}",
                gift.amount,
                100.0 * gift.share,
                harmless(&gift.from)
            )?;
        }
        if self.unreadable > 0 {
            writeln!(
                out,
                "  what {} more pages gave is not known: their responses cannot be read",
                count(self.unreadable)
            )?;
        }
        Ok(())
    }
}

/// The crawl gone through again, for what concerns one URL.
struct Replay<'a> {
    view: &'a CrawlView,
    processor: PageProcessor,
    page_bytes: usize,
    strategy: Box<dyn Strategy>,
    keyring: Keyring,
    wanted: UrlKey,
    /// Pages read so far.
    relevances: HashMap<UrlKey, f32>,
    gifts: HashMap<String, f64>,
    spent: f64,
    unreadable: u64,
}

impl Replay<'_> {
    fn settle(&mut self, record: &PageRecord) {
        let (Ok(url), Some(score)) = (CanonicalUrl::parse(&record.url), record.score) else {
            return;
        };
        let key = self.keyring.key(&url);
        let leads_here =
            |to: &str| CanonicalUrl::parse(to).is_ok_and(|to| self.keyring.key(&to) == self.wanted);
        if record.will_retry || !record.is_page() {
            return;
        }
        if key == self.wanted {
            self.spent += score;
        }
        if let Some(to) = record.redirect() {
            if leads_here(to) {
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

    /// What a page gave the URL; none if the page cannot be read again.
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
            seed: record.seed,
            taken: Priority {
                rank: Rank::of_score(score),
                age: 0,
            },
            attempt: record.attempt,
            redirects: 0,
            revisit: record.revisit,
        };
        let outcome = record.outcome()?;
        let response = Response {
            content_type: record.content_type.as_deref(),
            x_robots_tag: &x_robots_tag,
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
                snippets: link.snippets,
                place: link.place,
                evidence: None,
            })
            .collect();
        let report = PageReport {
            lease: &lease,
            outcome: &outcome,
            judgement: Some(&page.judgement),
            links: &links,
            words: None,
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
