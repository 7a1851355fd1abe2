//! What a test site returns, in the engine's terms.

use std::borrow::Cow;
use std::time::Duration;

use scenthound_engine::{LeaseResult, PageProcessor, Response, ResponseFacts};
use scenthound_store::decode_body;
use scenthound_testweb::{SiteResponse, TestSite};
use scenthound_types::{
    CanonicalUrl, Documents, Failure, Lease, LeaseKind, Outcome, Readable, Refusal, Timestamp,
};

/// Bodies are read up to this many bytes.
const MAX_BODY: usize = 8 << 20;

/// Something that answers a crawl's requests.
pub(crate) trait Answers {
    /// The result of a lease answered at `now`, `took` after the request.
    fn answer(&self, lease: Lease, now: Timestamp, took: Duration) -> LeaseResult<()>;
}

/// A test site, and the processor that reads its responses.
pub(crate) struct SiteAnswers<'w> {
    pub(crate) site: &'w dyn TestSite,
    pub(crate) processor: PageProcessor,
}

impl Answers for SiteAnswers<'_> {
    fn answer(&self, lease: Lease, now: Timestamp, took: Duration) -> LeaseResult<()> {
        answer(self.site, &self.processor, lease, now, took)
    }
}

fn answer(
    site: &dyn TestSite,
    processor: &PageProcessor,
    lease: Lease,
    now: Timestamp,
    took: Duration,
) -> LeaseResult<()> {
    let target = lease.target();
    let page = site.answer(target.host(), target.path_and_query());
    let outcome = read(&lease, target, &page);
    let content_type = header(&page, "content-type");
    let x_robots_tag: Vec<String> = headers(&page, "x-robots-tag").map(str::to_owned).collect();
    let response = Response {
        content_type,
        x_robots_tag: &x_robots_tag,
        refresh: header(&page, "refresh"),
        body: &decoded(&page),
    };
    let found = processor.process(&lease, &outcome, &response, now);
    let retry_after = header(&page, "retry-after")
        .and_then(|seconds| seconds.parse().ok())
        .map(|seconds| now + Duration::from_secs(seconds));
    let facts = ResponseFacts {
        asked: true,
        retry_after,
        started: Timestamp::from_millis(now.as_millis().saturating_sub(took.as_millis() as u64)),
        took,
        bytes: page.body.len() as u64,
        content_type: content_type.map(str::to_owned),
        ..ResponseFacts::default()
    };
    LeaseResult {
        lease,
        outcome,
        found,
        facts,
        payload: Some(()),
    }
}

fn headers<'a>(page: &'a SiteResponse, name: &'a str) -> impl Iterator<Item = &'a str> {
    page.headers
        .iter()
        .filter(move |(known, _)| known.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.as_ref())
}

fn header<'a>(page: &'a SiteResponse, name: &'a str) -> Option<&'a str> {
    headers(page, name).next()
}

/// The body with its content encoding removed.
fn decoded(page: &SiteResponse) -> Cow<'_, [u8]> {
    match header(page, "content-encoding") {
        // Whatever precedes the damage is kept, as in the live fetcher.
        Some(coding) => match decode_body(coding, &page.body, MAX_BODY) {
            (Some(plain), _) => Cow::Owned(plain),
            (None, _) => Cow::Borrowed(&page.body),
        },
        None => Cow::Borrowed(&page.body),
    }
}

fn read(lease: &Lease, url: &CanonicalUrl, page: &SiteResponse) -> Outcome {
    match page.status {
        301 | 302 | 303 | 307 | 308 => match header(page, "location").map(|to| url.join(to)) {
            Some(Ok(to)) => Outcome::Redirect {
                status: page.status,
                to,
            },
            _ => Outcome::Refused(Refusal::RedirectTarget),
        },
        // Robots rules and sitemaps are read whatever their content type.
        200..=299
            if lease.kind != LeaseKind::Page
                || Readable::is_page(header(page, "content-type"), &decoded(page), Documents::Read) =>
        {
            Outcome::Body {
                status: page.status,
                truncated: None,
            }
        }
        200..=299 => Outcome::Refused(Refusal::ContentType),
        status => Outcome::Failed(Failure::Status(status)),
    }
}
