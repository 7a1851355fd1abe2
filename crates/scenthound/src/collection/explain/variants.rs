//! Known URLs that differ from a given one only in a trailing slash, the scheme, `www.` or the query, as spellings of the same
//! address often do.

use scenthound_frontier::{UrlFacts, UrlId};
use scenthound_types::CanonicalUrl;
use serde::Serialize;

use super::history::History;

/// At most this many variants are listed.
const NAMED: usize = 10;

/// A URL that the crawl knows and that differs little from the given one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct KnownVariant {
    /// The URL.
    pub url: String,
    /// Whether it was tried; if not, it is waiting.
    pub fetched: bool,
}

/// Those of the variants that the crawl knows. What the queue knows of each comes in the same order, if it could be read.
pub(super) fn known(
    variants: Vec<CanonicalUrl>,
    history: &History,
    queued: &[Option<(UrlId, UrlFacts)>],
) -> Vec<KnownVariant> {
    let queued = queued.iter().map(Option::is_some).chain(std::iter::repeat(false));
    let known = variants
        .into_iter()
        .zip(queued)
        .filter_map(|(variant, is_queued)| {
            let fetched = history.has_tried(&variant);
            (fetched || is_queued).then(|| KnownVariant {
                url: variant.to_string(),
                fetched,
            })
        });
    known.take(NAMED).collect()
}

/// URLs that differ little from this one.
pub(super) fn of(url: &CanonicalUrl) -> Vec<CanonicalUrl> {
    let schemes = if url.is_https() {
        ["https", "http"]
    } else {
        ["http", "https"]
    };
    let authority = url.authority();
    let other_authority = match authority.strip_prefix("www.") {
        Some(bare) => bare.to_owned(),
        None => format!("www.{authority}"),
    };
    let path = url.path_and_query();
    let mut paths = vec![path.to_owned()];
    match url.path() {
        whole if whole != path => paths.push(whole.to_owned()),
        "/" => {}
        whole => paths.push(match whole.strip_suffix('/') {
            Some(bare) => bare.to_owned(),
            None => format!("{whole}/"),
        }),
    }
    let mut variants = Vec::new();
    for scheme in schemes {
        for authority in [authority, &other_authority] {
            for path in &paths {
                if let Ok(variant) = CanonicalUrl::parse(&format!("{scheme}://{authority}{path}"))
                    && variant != *url
                    && !variants.contains(&variant)
                {
                    variants.push(variant);
                }
            }
        }
    }
    variants
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(url: &str) -> Vec<String> {
        of(&CanonicalUrl::parse(url).unwrap())
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn variants_differ_in_slash_scheme_www_or_query() {
        assert_eq!(
            spelled("http://a.test/tea"),
            [
                "http://a.test/tea/",
                "http://www.a.test/tea",
                "http://www.a.test/tea/",
                "https://a.test/tea",
                "https://a.test/tea/",
                "https://www.a.test/tea",
                "https://www.a.test/tea/",
            ]
        );
        assert!(spelled("https://www.a.test/tea?from=mail").contains(&"https://a.test/tea".to_owned()));
        assert_eq!(spelled("https://a.test/").len(), 3);
    }
}
