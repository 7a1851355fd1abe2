//! One lease from request to result, on a worker thread.

use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use scenthound_engine::{Found, LeaseResult, PageProcessor, Response, ResponseFacts};
use scenthound_fetch::{AddressGate, Fetched, Fetcher, NotYet, Protocol, RetryAfter, Want};
use scenthound_store::{Compression, Exchange, Packer};
use scenthound_types::{Failure, Lease, LeaseKind, Outcome, Timestamp};

use crate::clock::Clock;
use crate::record::{PackedVisit, metadata};
use crate::spacing::Spacing;
use crate::stages::{Stage, StageTimes, StageWatch, thread_time};

/// Larger bodies are processed on blocking threads, so that a few of them cannot hold up all sockets.
const LARGE_BODY: usize = 512 * 1024;

/// How long a lease is left alone that may not be used at the moment.
const NOT_NOW: Duration = Duration::from_secs(1);

/// What a worker reports about its lease.
pub(crate) enum WorkerEvent {
    /// It has ended with this result.
    Done(Box<LeaseResult<PackedVisit>>),
    /// It was not used, because the address rests until this time.
    NotYet(Lease, Timestamp),
    /// It was not used, because the system had no descriptor left for a connection.
    Exhausted(Lease),
    /// A probe has ended; not a lease. Says whether a host could be reached.
    Probed(bool),
}

/// What all workers share.
pub(crate) struct WorkerContext {
    pub fetcher: Fetcher,
    /// Replaced when people change the topic.
    pub processor: RwLock<Arc<PageProcessor>>,
    pub spacing: Spacing,
    pub clock: Clock,
    /// No request begins after this time, in milliseconds.
    pub ask_until: AtomicU64,
    /// The pause before a request is repeated whose kept-alive connection turned out to be closed.
    pub delay: Duration,
    pub seed: u64,
    pub compression: Compression,
    pub packers: Mutex<Vec<Packer>>,
    pub exchanges: AtomicU64,
    /// Where CPU time is counted by stage, if it is wanted.
    pub stages: Option<Arc<StageTimes>>,
}

/// The addresses that one request has claimed. They are released when it ends.
struct Claims<'a> {
    context: &'a WorkerContext,
    origin: &'a str,
    claimed: Mutex<Vec<IpAddr>>,
    /// Whether the last address that was tried failed, once that is known.
    has_failed: Option<bool>,
}

impl AddressGate for Claims<'_> {
    fn claim(&self, address: IpAddr) -> Result<(), Duration> {
        let now = self.context.clock.now();
        // A process that was stopped may wake up when its hosts are another node's.
        if now.as_millis() >= self.context.ask_until.load(Ordering::Relaxed) {
            return Err(NOT_NOW);
        }
        match self.context.spacing.claim(address, self.origin, now) {
            Ok(()) => {
                let mut claimed = self.claimed.lock().unwrap_or_else(PoisonError::into_inner);
                claimed.push(address);
                Ok(())
            }
            Err(until) => Err(until.since(now)),
        }
    }
}

impl Drop for Claims<'_> {
    fn drop(&mut self) {
        let claimed = self.claimed.get_mut().unwrap_or_else(PoisonError::into_inner);
        let now = self.context.clock.now();
        // Those before the last one did not answer.
        let mut has_failed = self.has_failed;
        while let Some(address) = claimed.pop() {
            self.context.spacing.release(address, has_failed, now);
            has_failed = self.has_failed.map(|_| true);
        }
    }
}

impl WorkerContext {
    /// Makes the request of a lease and does all the work on the response that needs no crawl state.
    pub async fn work(self: Arc<WorkerContext>, lease: Lease) -> WorkerEvent {
        let started = self.clock.now();
        let located = match self.fetcher.locate(lease.target()).await {
            Ok(located) => located,
            Err(outcome) => {
                let asked = !matches!(outcome, Outcome::Refused(_));
                return self.without_response(lease, outcome, started, asked);
            }
        };
        let want = match lease.kind {
            LeaseKind::Page => Want::Page,
            LeaseKind::Robots => Want::Robots,
            LeaseKind::Sitemap => Want::Sitemap,
            LeaseKind::Requisite => Want::Requisite,
        };
        let mut claims = Claims {
            context: &self,
            origin: lease.target().origin(),
            claimed: Mutex::default(),
            has_failed: None,
        };
        let asked = self
            .fetcher
            .fetch_when_free(lease.target(), &located, want, &claims)
            .await;
        claims.has_failed = asked.as_ref().ok().and_then(|fetched| match &fetched.outcome {
            Outcome::Failed(Failure::Internal) => None,
            Outcome::Failed(failure) => Some(failure.is_hosts_fault()),
            _ => Some(false),
        });
        drop(claims);
        let fetched = match asked {
            Ok(fetched) => fetched,
            Err(NotYet(busy)) => return WorkerEvent::NotYet(lease, self.clock.now() + busy),
        };
        if fetched.outcome == Outcome::Failed(Failure::Internal) {
            return WorkerEvent::Exhausted(lease);
        }
        if fetched.stale {
            // The host may or may not have seen the request, so it rests before the request is repeated.
            let until = self.clock.now() + self.delay;
            return WorkerEvent::NotYet(lease, until);
        }
        let is_large = fetched.body.len() > LARGE_BODY;
        let make = move || self.make_result(lease, fetched, started);
        if is_large {
            // The join fails only if processing panicked, and a panic must not go unnoticed.
            match tokio::task::spawn_blocking(make).await {
                Ok(event) => event,
                Err(panic) => std::panic::resume_unwind(panic.into_panic()),
            }
        } else {
            make()
        }
    }

    fn processor(&self) -> Arc<PageProcessor> {
        let processor = self.processor.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&processor)
    }

    /// Processes pages in another way from here on. Those under way are still processed as before.
    pub fn replace_processor(&self, processor: PageProcessor) {
        let mut place = self.processor.write().unwrap_or_else(PoisonError::into_inner);
        *place = Arc::new(processor);
    }

    /// The end of a lease whose worker failed through a fault of our own.
    pub fn failed(&self, lease: Lease) -> WorkerEvent {
        let started = self.clock.now();
        self.without_response(lease, Outcome::Failed(Failure::Internal), started, true)
    }

    fn without_response(
        &self,
        lease: Lease,
        outcome: Outcome,
        started: Timestamp,
        asked: bool,
    ) -> WorkerEvent {
        let now = self.clock.now();
        let found = self
            .processor()
            .process(&lease, &outcome, &Response::default(), now);
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

    fn make_result(&self, lease: Lease, fetched: Fetched, started: Timestamp) -> WorkerEvent {
        let now = self.clock.now();
        let response = Response {
            content_type: fetched.content_type.as_deref(),
            x_robots_tag: &fetched.x_robots_tag,
            refresh: fetched.refresh.as_deref(),
            body: &fetched.body,
        };
        let before = thread_time();
        let watch = StageWatch::start(self.stages.as_deref());
        let parsed = || watch.end(Stage::Parse);
        let found = self
            .processor()
            .process_in_steps(&lease, &fetched.outcome, &response, now, &parsed);
        watch.end(Stage::Judge);
        let payload = self.pack(&lease, &fetched, &found, started);
        watch.end(Stage::Pack);
        let work = Duration::from_nanos(thread_time().saturating_sub(before));
        let facts = ResponseFacts {
            asked: true,
            retry_after: fetched.retry_after.map(|after| match after {
                RetryAfter::Delay(delay) => now + delay,
                RetryAfter::At(moment) => moment,
            }),
            started,
            took: now.since(started),
            work,
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
        found: &Found,
        started: Timestamp,
    ) -> Option<PackedVisit> {
        let raw = fetched.raw.as_ref()?;
        let page = match found {
            Found::Page(page) => Some(page.as_ref()),
            _ => None,
        };
        let metadata = metadata(lease, &fetched.outcome, page);
        let exchange = Exchange {
            sequence: self.exchanges.fetch_add(1, Ordering::Relaxed),
            url: lease.target(),
            ip: fetched.ip,
            date: started,
            protocol: match raw.protocol {
                Protocol::Http1 => scenthound_store::Protocol::Http1,
                Protocol::Http2 => scenthound_store::Protocol::Http2,
            },
            request: &raw.request,
            response: &raw.response,
            truncated: fetched.truncated,
            metadata: &metadata,
        };
        let mut packer = {
            let mut packers = self.packers.lock().unwrap_or_else(PoisonError::into_inner);
            packers
                .pop()
                .unwrap_or_else(|| Packer::with(self.seed, self.compression))
        };
        let packed = packer.pack(&exchange);
        self.packers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(packer);
        match packed {
            Ok(exchange) => Some(PackedVisit {
                exchange,
                outcome: fetched.outcome.code(),
            }),
            Err(error) => {
                tracing::error!(url = %lease.url, %error, "the exchange could not be packed and is not archived");
                None
            }
        }
    }
}
