//! What a world answers, in the engine's terms.

use std::borrow::Cow;
use std::io::Read;
use std::time::Duration;

use flate2::read::MultiGzDecoder;

use scenthound_engine::{Found, LeaseResult, PageProcessor, Response, ResponseFacts, read_rules};
use scenthound_seeds::{Sitemap, SitemapLimits};
use scenthound_testweb::{SiteResponse, TestSite};
use scenthound_types::{CanonicalUrl, Failure, Lease, LeaseKind, Outcome, Refusal, Timestamp};

/// Redirects of a robots.txt that are followed at once, as the live driver does.
const ROBOTS_REDIRECTS: usize = scenthound_robots::MAX_REDIRECTS as usize;

/// More of a body is not read.
const MAX_BODY: u64 = 8 << 20;

/// Whoever answers a crawl's requests.
pub(crate) trait Answers {
    /// What comes of a lease, at this time and after that long.
    fn answer(&self, lease: Lease, now: Timestamp, took: Duration) -> LeaseResult<()>;
}

/// A world of bytes, and the desk that reads them.
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
    let mut page = site.answer(lease.url.host(), lease.url.path_and_query());
    let mut outcome = read(&lease.url, &page);
    if lease.kind == LeaseKind::Robots {
        for _ in 0..ROBOTS_REDIRECTS {
            let Outcome::Redirect { to, .. } = &outcome else {
                break;
            };
            page = site.answer(to.host(), to.path_and_query());
            outcome = read(to, &page);
        }
    }
    let body = &decoded(&page);
    let content_type = header(&page, "content-type");
    let is_body = matches!(outcome, Outcome::Body { .. });
    let found = match lease.kind {
        LeaseKind::Robots => {
            let (access, fresh_until) = read_rules(&outcome, body, lease.attempt, now);
            Found::Rules(access, fresh_until)
        }
        LeaseKind::Page if is_body => {
            let x_robots_tag: Vec<String> = header(&page, "x-robots-tag")
                .into_iter()
                .map(str::to_owned)
                .collect();
            let response = Response {
                content_type,
                x_robots_tag: &x_robots_tag,
                body,
                truncated: false,
            };
            Found::Page(Box::new(processor.examine(&lease, &response)))
        }
        LeaseKind::Sitemap if is_body => {
            let sitemap = Sitemap::parse(body, &lease.url, &SitemapLimits::default());
            let pages = sitemap.pages.into_iter().map(|entry| entry.url).collect();
            Found::Sitemap(processor.sift_sitemap(pages, sitemap.sitemaps))
        }
        LeaseKind::Page | LeaseKind::Sitemap => Found::Nothing,
    };
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
        ip: None,
    };
    LeaseResult {
        lease,
        outcome,
        found,
        facts,
        payload: Some(()),
    }
}

fn header<'a>(page: &'a SiteResponse, name: &str) -> Option<&'a str> {
    page.headers
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.as_ref())
}

/// The body out of its content encoding.
fn decoded(page: &SiteResponse) -> Cow<'_, [u8]> {
    match header(page, "content-encoding") {
        Some("gzip") => {
            let mut plain = Vec::new();
            // What came before a damaged part is kept, as the live fetcher does.
            let _ = MultiGzDecoder::new(&page.body[..])
                .take(MAX_BODY)
                .read_to_end(&mut plain);
            Cow::Owned(plain)
        }
        _ => Cow::Borrowed(&page.body),
    }
}

fn read(url: &CanonicalUrl, page: &SiteResponse) -> Outcome {
    match page.status {
        301 | 302 | 303 | 307 | 308 => match header(page, "location").map(|to| url.join(to)) {
            Some(Ok(to)) => Outcome::Redirect {
                status: page.status,
                to,
            },
            _ => Outcome::Refused(Refusal::RedirectTarget),
        },
        200..=299 => {
            let content_type = header(page, "content-type").unwrap_or("text/html");
            let is_read = [
                "text/",
                "application/xhtml",
                "application/xml",
                "application/gzip",
                "application/x-gzip",
            ]
            .iter()
            .any(|known| content_type.starts_with(known));
            if is_read {
                Outcome::Body {
                    status: page.status,
                    truncated: None,
                }
            } else {
                Outcome::Refused(Refusal::ContentType)
            }
        }
        status => Outcome::Failed(Failure::Status(status)),
    }
}
