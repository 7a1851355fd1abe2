//! Whether the robots.txt of its host and the scope of the crawl allow a URL to be fetched.

use scenthound_config::{Pattern, Settings};
use scenthound_engine::{Access, OutOfScope, PRODUCT_TOKEN, ScopeKind};
use scenthound_robots::Rules;
use scenthound_store::{CrawlView, Position};
use scenthound_types::CanonicalUrl;
use serde::{Serialize, Serializer};

use crate::collection::CollectionError;

/// A robots.txt is read up to this size, as when it was fetched.
const ROBOTS_BYTES: usize = 500 << 10;

/// What the robots.txt of a host says about a URL.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RobotsAnswer {
    /// Whether the URL may be fetched.
    pub allowed: bool,
    /// The line that decides, if there is one.
    pub rule: Option<String>,
    /// Whether the file could not be fetched; in that case nothing may be fetched from the host.
    pub unreachable: bool,
}

impl RobotsAnswer {
    pub(super) fn of(access: &Access, url: &CanonicalUrl) -> RobotsAnswer {
        match access {
            Access::Unreachable | Access::NoHost | Access::BadTls => RobotsAnswer {
                allowed: false,
                rule: None,
                unreachable: true,
            },
            Access::Rules(rules) => RobotsAnswer {
                allowed: rules.allows(url.path_and_query()),
                rule: rules.which(url.path_and_query()).map(|rule| rule.to_string()),
                unreachable: false,
            },
        }
    }
}

/// What the robots.txt in the archive says, for when the frontier cannot be read.
pub(super) fn archived_robots(
    view: &CrawlView,
    position: Option<&Position>,
    url: &CanonicalUrl,
) -> Option<RobotsAnswer> {
    // The records of a running crawl may give a position that the archive has not reached yet.
    let record = view.record(position?).ok()?;
    let body = record.http()?.body(ROBOTS_BYTES);
    let rules = Rules::parse(&body.bytes, PRODUCT_TOKEN);
    Some(RobotsAnswer::of(&Access::Rules(rules), url))
}

/// The rule that excludes a URL from a crawl.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "rule")]
pub enum OutsideScope {
    /// It is not on the domains, hosts or paths of the seeds.
    Elsewhere {
        /// How far from the seeds the crawl may go.
        #[serde(serialize_with = "scope_name")]
        scope: ScopeKind,
    },
    /// No include pattern matches it.
    NotIncluded {
        /// The include patterns.
        include: Vec<String>,
    },
    /// An exclude pattern matches it.
    Excluded {
        /// The pattern.
        pattern: Option<String>,
    },
    /// Its file extension is that of a file that is not read.
    FileEnding,
    /// It is a document, and the crawl skips documents.
    Document,
    /// The path goes in circles.
    Circular,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn scope_name<S: Serializer>(scope: &ScopeKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(scope.name())
}

/// The rule that excludes a URL from the crawl, if there is one.
pub(super) fn outside_scope(
    settings: &Settings,
    url: &CanonicalUrl,
) -> Result<Option<OutsideScope>, CollectionError> {
    let Err(why) = settings.scope()?.check(url) else {
        return Ok(None);
    };
    // Seeds are fetched wherever they are.
    if settings.seeds.urls.contains(url) {
        return Ok(None);
    }
    let crawl = &settings.crawl;
    let text = |pattern: &Pattern| pattern.0.as_str().to_owned();
    Ok(Some(match why {
        OutOfScope::Elsewhere => OutsideScope::Elsewhere { scope: crawl.scope },
        OutOfScope::NotIncluded => OutsideScope::NotIncluded {
            include: crawl.include.iter().map(text).collect(),
        },
        OutOfScope::Excluded => OutsideScope::Excluded {
            pattern: crawl
                .exclude
                .iter()
                .find(|pattern| pattern.0.is_match(url.as_str()))
                .map(text),
        },
        OutOfScope::FileEnding => OutsideScope::FileEnding,
        OutOfScope::Document => OutsideScope::Document,
        OutOfScope::Circular => OutsideScope::Circular,
    }))
}
