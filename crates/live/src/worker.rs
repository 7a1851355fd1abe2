//! One lease from request to answer, on a worker thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use scenthound_engine::{Found, LeaseResult, PageProcessor, Response, ResponseFacts, read_rules};
use scenthound_fetch::{Fetched, Fetcher, Protocol, RetryAfter, Want};
use scenthound_seeds::{Sitemap, SitemapLimits};
use scenthound_store::{Exchange, PackedExchange, Packer};
use scenthound_types::{CanonicalUrl, Failure, Judgement, Lease, LeaseKind, Outcome, Timestamp};
use serde::Serialize;

use crate::clock::Clock;
use crate::spacing::Spacing;

/// Bodies above this are read on a thread of their own kind, so that a few giants cannot hold up all sockets.
const LARGE_BODY: usize = 512 * 1024;

/// What a worker has to say about its lease.
pub(crate) enum WorkerEvent {
    /// It ended so.
    Done(Box<LeaseResult<PackedExchange>>),
    /// It was not used: the address rests until then.
    NotYet(Lease, Timestamp),
}

/// What all workers share.
pub(crate) struct WorkerContext {
    pub fetcher: Fetcher,
    pub processor: PageProcessor,
    pub spacing: Spacing,
    pub clock: Clock,
    /// Rest before a request is made again whose kept connection was closed.
    pub delay: Duration,
    pub seed: u64,
    pub packers: Mutex<Vec<Packer>>,
    pub exchanges: AtomicU64,
}

/// Our part of an exchange's records.
#[derive(Serialize)]
struct Metadata<'a> {
    kind: &'a str,
    outcome: &'a str,
    depth: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    judgement: Option<&'a Judgement>,
}

impl WorkerContext {
    /// Makes the request of a lease and everything of its answer that needs no crawl state.
    pub async fn work(self: Arc<WorkerContext>, lease: Lease) -> WorkerEvent {
        let started = self.clock.now();
        let located = match self.fetcher.locate(&lease.url).await {
            Ok(located) => located,
            Err(outcome) => {
                let asked = !matches!(outcome, Outcome::Refused(_));
                return self.nothing(lease, outcome, started, asked);
            }
        };
        if let Err(until) = self.spacing.claim(located.ip(), self.clock.now()) {
            return WorkerEvent::NotYet(lease, until);
        }
        let want = match lease.kind {
            LeaseKind::Page => Want::Page,
            LeaseKind::Robots => Want::Robots,
            LeaseKind::Sitemap => Want::Sitemap,
        };
        let mut fetched = self.fetcher.fetch(&lease.url, &located, want).await;
        if fetched.stale {
            // Perhaps the host saw the request and perhaps not: it gets its rest before it is asked again.
            let until = self.clock.now() + self.delay;
            return WorkerEvent::NotYet(lease, until);
        }
        // What was fetched in the end, for the archive.
        let mut from = lease.url.clone();
        if lease.kind == LeaseKind::Robots {
            fetched = self.follow_robots(fetched, &mut from).await;
        }
        let is_large = fetched.body.len() > LARGE_BODY;
        let make = move || self.make_answer(lease, fetched, &from, started);
        if is_large {
            // The join fails only if reading panicked, which the crawl must not survive unseen.
            match tokio::task::spawn_blocking(make).await {
                Ok(word) => word,
                Err(panic) => std::panic::resume_unwind(panic.into_panic()),
            }
        } else {
            make()
        }
    }

    /// RFC 9309: at least five redirects of a robots.txt are followed, also to other hosts. Each hop passes the address guard.
    async fn follow_robots(&self, mut fetched: Fetched, from: &mut CanonicalUrl) -> Fetched {
        for _ in 0..scenthound_robots::MAX_REDIRECTS {
            let Outcome::Redirect { to, .. } = &fetched.outcome else {
                break;
            };
            *from = to.clone();
            fetched = match self.fetcher.locate(from).await {
                Ok(located) => self.fetcher.fetch(from, &located, Want::Robots).await,
                // The host itself is there; that another one is not found says nothing about its wishes.
                Err(Outcome::Failed(_)) => {
                    fetched.outcome = Outcome::Failed(Failure::DnsError);
                    return fetched;
                }
                Err(refused) => {
                    fetched.outcome = refused;
                    return fetched;
                }
            };
        }
        fetched
    }

    /// The end of a lease whose worker failed, by a fault of ours.
    pub fn failed(&self, lease: Lease) -> WorkerEvent {
        let started = self.clock.now();
        self.nothing(lease, Outcome::Failed(Failure::Internal), started, true)
    }

    fn nothing(&self, lease: Lease, outcome: Outcome, started: Timestamp, asked: bool) -> WorkerEvent {
        let now = self.clock.now();
        let found = match lease.kind {
            LeaseKind::Robots => {
                let (access, fresh_until) = read_rules(&outcome, &[], lease.attempt, now);
                Found::Rules(access, fresh_until)
            }
            LeaseKind::Page | LeaseKind::Sitemap => Found::Nothing,
        };
        let facts = ResponseFacts {
            asked,
            started,
            took: now.since(started),
            ..ResponseFacts::default()
        };
        WorkerEvent::Done(Box::new(LeaseResult {
            lease,
            outcome,
            found,
            facts,
            payload: None,
        }))
    }

    fn make_answer(
        &self,
        lease: Lease,
        fetched: Fetched,
        from: &CanonicalUrl,
        started: Timestamp,
    ) -> WorkerEvent {
        let now = self.clock.now();
        let is_body = matches!(fetched.outcome, Outcome::Body { .. });
        let found = match lease.kind {
            LeaseKind::Robots => {
                let (access, fresh_until) = read_rules(&fetched.outcome, &fetched.body, lease.attempt, now);
                Found::Rules(access, fresh_until)
            }
            LeaseKind::Page if is_body => {
                let response = Response {
                    content_type: fetched.content_type.as_deref(),
                    x_robots_tag: &fetched.x_robots_tag,
                    body: &fetched.body,
                    truncated: fetched.truncated.is_some(),
                };
                Found::Page(Box::new(self.processor.examine(&lease, &response)))
            }
            LeaseKind::Sitemap if is_body => {
                let sitemap = Sitemap::parse(&fetched.body, &lease.url, &SitemapLimits::default());
                let pages = sitemap.pages.into_iter().map(|entry| entry.url).collect();
                Found::Sitemap(self.processor.sift_sitemap(pages, sitemap.sitemaps))
            }
            LeaseKind::Page | LeaseKind::Sitemap => Found::Nothing,
        };
        let payload = self.pack(&lease, &fetched, from, &found, started);
        let facts = ResponseFacts {
            asked: true,
            retry_after: fetched.retry_after.map(|after| match after {
                RetryAfter::Delay(delay) => now + delay,
                RetryAfter::At(moment) => moment,
            }),
            started,
            took: now.since(started),
            bytes: fetched.raw.as_ref().map_or(0, |raw| raw.response.len() as u64),
            content_type: fetched.content_type,
            ip: fetched.ip,
        };
        WorkerEvent::Done(Box::new(LeaseResult {
            lease,
            outcome: fetched.outcome,
            found,
            facts,
            payload,
        }))
    }

    fn pack(
        &self,
        lease: &Lease,
        fetched: &Fetched,
        from: &CanonicalUrl,
        found: &Found,
        started: Timestamp,
    ) -> Option<PackedExchange> {
        let raw = fetched.raw.as_ref()?;
        let judgement = match found {
            Found::Page(examined) => Some(&examined.judgement),
            _ => None,
        };
        let metadata = serde_json::to_vec(&Metadata {
            kind: lease.kind.name(),
            outcome: fetched.outcome.code(),
            depth: lease.depth,
            parent: lease.parent_url.as_ref().map(|url| url.as_str()),
            judgement,
        });
        let exchange = Exchange {
            sequence: self.exchanges.fetch_add(1, Ordering::Relaxed),
            url: from,
            ip: fetched.ip,
            date: started,
            protocol: match raw.protocol {
                Protocol::Http1 => scenthound_store::Protocol::Http1,
                Protocol::Http2 => scenthound_store::Protocol::Http2,
            },
            request: &raw.request,
            response: &raw.response,
            truncated: fetched.truncated,
            metadata: metadata.as_deref().unwrap_or_default(),
        };
        let mut packer = {
            let mut packers = self.packers.lock().unwrap_or_else(PoisonError::into_inner);
            packers.pop().unwrap_or_else(|| Packer::new(self.seed))
        };
        let packed = packer.pack(&exchange);
        self.packers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(packer);
        match packed {
            Ok(packed) => Some(packed),
            Err(error) => {
                tracing::error!(url = %lease.url, %error, "an exchange could not be packed and is not archived");
                None
            }
        }
    }
}
