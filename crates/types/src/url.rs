//! URLs in the one spelling the crawl uses for them.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;
use url::Url;

/// Longer URLs are refused: they are traps or mistakes, and every known URL takes up space.
const MAX_BYTES: usize = 2_083;

/// Why a string is not a URL we can fetch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum UrlFault {
    /// It cannot be parsed.
    #[error("not an absolute URL")]
    Unreadable,
    /// mailto:, javascript:, ftp:…
    #[error("only http and https can be crawled")]
    Scheme,
    /// It has no host.
    #[error("the URL has no host")]
    Host,
    /// Over the limit.
    #[error("longer than {MAX_BYTES} bytes")]
    TooLong,
}

/// An http or https URL in canonical spelling: no fragment, no user info, default port and dot segments removed,
/// percent-escapes in their shortest form. Cheap to clone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CanonicalUrl {
    spelled: Arc<str>,
    /// Length of `scheme://authority`.
    origin: u16,
}

impl CanonicalUrl {
    /// Parses an absolute URL.
    pub fn parse(raw: &str) -> Result<CanonicalUrl, UrlFault> {
        CanonicalUrl::from_url(Url::parse(raw.trim()).map_err(|_| UrlFault::Unreadable)?)
    }

    /// Parses a URL relative to this one.
    pub fn join(&self, reference: &str) -> Result<CanonicalUrl, UrlFault> {
        CanonicalUrl::from_url(
            self.to_url()?
                .join(reference.trim())
                .map_err(|_| UrlFault::Unreadable)?,
        )
    }

    /// Converts a parsed URL to its canonical spelling.
    pub fn from_url(mut url: Url) -> Result<CanonicalUrl, UrlFault> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(UrlFault::Scheme);
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(UrlFault::Host);
        }
        if url.as_str().len() > 2 * MAX_BYTES {
            return Err(UrlFault::TooLong);
        }
        tidy_host(&mut url)?;
        url.set_fragment(None);
        if !url.username().is_empty() || url.password().is_some() {
            // Both succeed for any URL with a host.
            let _ = url.set_username("");
            let _ = url.set_password(None);
        }
        if url.query() == Some("") {
            url.set_query(None);
        }
        let origin = url[..url::Position::BeforePath].len();
        let spelled = tidy_escapes(url.as_str());
        if spelled.len() > MAX_BYTES {
            return Err(UrlFault::TooLong);
        }
        let origin = u16::try_from(origin).map_err(|_| UrlFault::TooLong)?;
        Ok(CanonicalUrl {
            spelled: Arc::from(spelled.as_ref()),
            origin,
        })
    }

    /// Takes a string that [`CanonicalUrl::as_str`] returned earlier, such as one from our own files. Only its form
    /// is checked.
    pub fn from_canonical(spelled: &str) -> Result<CanonicalUrl, UrlFault> {
        let after_scheme = match spelled.strip_prefix("http") {
            Some(rest) if rest.starts_with("://") => "http://".len(),
            Some(rest) if rest.starts_with("s://") => "https://".len(),
            _ => return Err(UrlFault::Unreadable),
        };
        let authority = spelled[after_scheme..].find('/').ok_or(UrlFault::Unreadable)?;
        let origin = u16::try_from(after_scheme + authority).map_err(|_| UrlFault::TooLong)?;
        Ok(CanonicalUrl {
            spelled: Arc::from(spelled),
            origin,
        })
    }

    /// The whole URL.
    pub fn as_str(&self) -> &str {
        &self.spelled
    }

    /// As a [`Url`], so that many references can be joined after parsing only once.
    pub fn to_url(&self) -> Result<Url, UrlFault> {
        Url::parse(&self.spelled).map_err(|_| UrlFault::Unreadable)
    }

    /// `scheme://host[:port]`: what a robots.txt applies to, and what politeness treats as one host.
    pub fn origin(&self) -> &str {
        self.spelled.get(..self.origin as usize).unwrap_or_default()
    }

    /// `host[:port]`.
    pub fn authority(&self) -> &str {
        let start = if self.is_https() {
            "https://".len()
        } else {
            "http://".len()
        };
        self.origin().get(start..).unwrap_or_default()
    }

    /// The host name or IP address; IPv6 in brackets.
    pub fn host(&self) -> &str {
        let authority = self.authority();
        match authority.rfind(':') {
            Some(colon) if !authority.ends_with(']') => authority.get(..colon).unwrap_or_default(),
            _ => authority,
        }
    }

    /// The port, even where the spelling omits it.
    pub fn port(&self) -> u16 {
        let standard = if self.is_https() { 443 } else { 80 };
        let after_host = self.authority().get(self.host().len()..).unwrap_or_default();
        after_host
            .strip_prefix(':')
            .and_then(|port| port.parse().ok())
            .unwrap_or(standard)
    }

    /// Whether the scheme is https.
    pub fn is_https(&self) -> bool {
        self.spelled.starts_with("https:")
    }

    /// Everything after the origin; starts with a slash.
    pub fn path_and_query(&self) -> &str {
        self.spelled.get(self.origin as usize..).unwrap_or_default()
    }

    /// The path without the query.
    pub fn path(&self) -> &str {
        let rest = self.path_and_query();
        rest.split_once('?').map_or(rest, |(path, _)| path)
    }

    /// The URL of the host's robots.txt.
    pub fn robots_txt(&self) -> CanonicalUrl {
        CanonicalUrl {
            spelled: Arc::from(format!("{}/robots.txt", self.origin())),
            origin: self.origin,
        }
    }
}

impl fmt::Display for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spelled)
    }
}

impl fmt::Debug for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>", self.spelled)
    }
}

/// Drops the trailing dot of a fully qualified name; otherwise a single link with the dot would bring in the whole
/// site a second time. Refuses names with empty labels, which cannot be resolved.
fn tidy_host(url: &mut Url) -> Result<(), UrlFault> {
    let Some(host) = url.host_str() else {
        return Err(UrlFault::Host);
    };
    let name = host.strip_suffix('.').unwrap_or(host);
    if name.split('.').any(str::is_empty) {
        return Err(UrlFault::Host);
    }
    if name.len() < host.len() {
        let name = name.to_owned();
        url.set_host(Some(&name)).map_err(|_| UrlFault::Host)?;
    }
    Ok(())
}

/// Decodes escapes of unreserved characters, writes the others in upper case, and escapes a bare percent sign.
fn tidy_escapes(url: &str) -> std::borrow::Cow<'_, str> {
    if !url.contains('%') {
        return url.into();
    }
    let mut tidy = String::with_capacity(url.len());
    let mut rest = url;
    while let Some(at) = rest.find('%') {
        tidy.push_str(&rest[..at]);
        let escaped = rest.get(at + 1..at + 3).and_then(|hex| {
            hex.bytes()
                .all(|b| b.is_ascii_hexdigit())
                .then(|| u8::from_str_radix(hex, 16).ok())
                .flatten()
        });
        match escaped {
            Some(byte) => {
                if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                    tidy.push(char::from(byte));
                } else {
                    tidy.push_str(&format!("%{byte:02X}"));
                }
                rest = &rest[at + 3..];
            }
            None => {
                tidy.push_str("%25");
                rest = &rest[at + 1..];
            }
        }
    }
    tidy.push_str(rest);
    tidy.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(raw: &str) -> String {
        CanonicalUrl::parse(raw).unwrap().to_string()
    }

    #[test]
    fn two_spellings_of_one_url_become_one() {
        assert_eq!(
            canonical("HTTP://Example.COM:80/a/../b/./c?#top"),
            "http://example.com/b/c"
        );
        assert_eq!(
            canonical("https://user:secret@example.com"),
            "https://example.com/"
        );
        assert_eq!(
            canonical("http://foo.com/%66oo.ht%6dl"),
            "http://foo.com/foo.html"
        );
        assert_eq!(canonical("http://foo.com/9%2f11"), "http://foo.com/9%2F11");
    }

    #[test]
    fn a_dot_after_the_host_is_dropped_and_empty_labels_are_refused() {
        assert_eq!(canonical("http://example.com./a"), "http://example.com/a");
        for host in ["a..com", ".com", "foo.09..", "."] {
            assert_eq!(
                CanonicalUrl::parse(&format!("http://{host}/")),
                Err(UrlFault::Host),
                "{host}"
            );
        }
    }

    #[test]
    fn a_bare_percent_sign_is_escaped() {
        assert_eq!(canonical("http://a.test/100%/x"), "http://a.test/100%25/x");
        assert_eq!(canonical("http://a.test/100%25/x"), "http://a.test/100%25/x");
    }

    #[test]
    fn urls_that_cannot_be_fetched_are_refused() {
        assert_eq!(CanonicalUrl::parse("mailto:a@b.c"), Err(UrlFault::Scheme));
        assert_eq!(CanonicalUrl::parse("nonsense"), Err(UrlFault::Unreadable));
        assert_eq!(
            CanonicalUrl::parse(&format!("http://a.test/{}", "x".repeat(3000))),
            Err(UrlFault::TooLong)
        );
    }

    #[test]
    fn the_parts_of_a_url_are_views_into_it() {
        let url = CanonicalUrl::parse("http://[::1]:8080/a?b=/c").unwrap();
        assert_eq!(
            (url.origin(), url.host(), url.port()),
            ("http://[::1]:8080", "[::1]", 8080)
        );
        assert_eq!((url.path(), url.path_and_query()), ("/a", "/a?b=/c"));
        let url = CanonicalUrl::parse("https://a.test/").unwrap();
        assert_eq!(
            (url.authority(), url.host(), url.port()),
            ("a.test", "a.test", 443)
        );
        assert_eq!(CanonicalUrl::from_canonical(url.as_str()), Ok(url));
    }
}
