//! Turns the URL in an attribute into a canonical URL.
//!
//! Most URLs on most pages are plain: a path of ordinary characters on this host or on a lower-case one. Those are
//! assembled here without parsing; everything else goes through the url crate. A property test checks that both ways
//! agree, so the fast path is only an optimisation.

use memchr::memchr;
use scenthound_types::CanonicalUrl;
use url::Url;

/// Longer URLs take the slow path, where they are refused.
const MAX_BYTES: usize = 2_000;

/// Resolves the URLs of one page.
pub(crate) struct Resolver {
    base: Option<Url>,
    /// The base in canonical spelling; none if the base itself is not an ordinary URL.
    plain: Option<CanonicalUrl>,
    /// A reusable buffer for assembling URLs.
    spelled: String,
}

impl Resolver {
    /// For a page and the value of its first base element.
    pub(crate) fn new(page: &CanonicalUrl, base: Option<&str>) -> Resolver {
        let page_url = page.to_url().ok();
        let based = base.and_then(|href| page_url.as_ref()?.join(href).ok());
        match based.filter(|url| matches!(url.scheme(), "http" | "https")) {
            Some(url) => Resolver {
                plain: CanonicalUrl::from_url(url.clone()).ok(),
                base: Some(url),
                spelled: String::new(),
            },
            None => Resolver {
                plain: Some(page.clone()),
                base: page_url,
                spelled: String::new(),
            },
        }
    }

    /// The canonical URL of a reference; none if it does not lead to anything we can fetch.
    pub(crate) fn resolve(&mut self, href: &str) -> Option<CanonicalUrl> {
        self.quickly(href).or_else(|| self.slowly(href))
    }

    fn slowly(&self, href: &str) -> Option<CanonicalUrl> {
        CanonicalUrl::from_url(self.base.as_ref()?.join(href).ok()?).ok()
    }

    /// The fast path; none if the reference is not plain.
    fn quickly(&mut self, href: &str) -> Option<CanonicalUrl> {
        let href = href.trim_ascii();
        let href = memchr(b'#', href.as_bytes()).map_or(Some(href), |at| href.get(..at))?;
        if href.is_empty() || href.len() > MAX_BYTES {
            return None;
        }
        if let Some(rest) = href
            .strip_prefix("https://")
            .or_else(|| href.strip_prefix("http://"))
        {
            let host = rest.split('/').next().unwrap_or(rest);
            let path = rest.get(host.len()..).unwrap_or_default();
            return if !is_plain_host(host) {
                None
            } else if path.is_empty() {
                spell(&mut self.spelled, &[href, "/"])
            } else if is_plain_path(path) {
                spell(&mut self.spelled, &[href])
            } else {
                None
            };
        }
        let base = self.plain.as_ref()?;
        if href.starts_with('/') {
            return (!href.starts_with("//") && is_plain_path(href))
                .then(|| spell(&mut self.spelled, &[base.origin(), href]))
                .flatten();
        }
        // A colon before the first slash may end a scheme, and a question mark begins a query on the base itself.
        let first = href.split('/').next().unwrap_or(href);
        if first.contains(':') || first.starts_with('?') {
            return None;
        }
        let mut rest = href;
        let mut folder = folder_of(base.path());
        loop {
            if let Some(up) = rest.strip_prefix("../") {
                folder = folder_of(folder.strip_suffix('/').filter(|f| !f.is_empty()).unwrap_or("/"));
                rest = up;
            } else if let Some(here) = rest.strip_prefix("./") {
                rest = here;
            } else {
                break;
            }
        }
        (is_plain_path(rest) && is_plain_path(folder) && !rest.starts_with('/'))
            .then(|| spell(&mut self.spelled, &[base.origin(), folder, rest]))
            .flatten()
    }
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// Puts the parts together, with letters of other scripts escaped.
fn spell(spelled: &mut String, parts: &[&str]) -> Option<CanonicalUrl> {
    spelled.clear();
    for part in parts {
        if part.is_ascii() {
            spelled.push_str(part);
            continue;
        }
        for byte in part.bytes() {
            if byte.is_ascii() {
                spelled.push(char::from(byte));
            } else {
                let digits = [byte >> 4, byte & 15].map(|digit| HEX[usize::from(digit)]);
                spelled.extend([b'%', digits[0], digits[1]].map(char::from));
            }
        }
    }
    (spelled.len() <= MAX_BYTES)
        .then(|| CanonicalUrl::from_canonical(spelled).ok())
        .flatten()
}

/// The path up to its last slash.
fn folder_of(path: &str) -> &str {
    path.rfind('/').and_then(|at| path.get(..=at)).unwrap_or("/")
}

/// Lower-case labels of letters, digits and inner hyphens; the last one is not a number.
fn is_plain_host(host: &str) -> bool {
    let plain = host.len() <= 253
        && host.split('.').all(|label| {
            !label.is_empty()
                && label.len() <= 63
                && label
                    .bytes()
                    .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
                && !label.starts_with('-')
                && !label.ends_with('-')
                && !label.starts_with("xn--")
        });
    plain
        && host
            .rsplit('.')
            .next()
            .is_some_and(|last| last.starts_with(|c: char| c.is_ascii_lowercase()))
}

const IN_PATH: u8 = 1;
const IN_QUERY: u8 = 2;

static PLAIN: [u8; 256] = {
    let mut plain = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        plain[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => IN_PATH | IN_QUERY,
            b'-' | b'.' | b'_' | b'~' | b'!' | b'$' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'='
            | b':' | b'@' | b'&' | b'/' => IN_PATH | IN_QUERY,
            b'?' => IN_QUERY,
            // These will be escaped.
            0x80.. => IN_PATH | IN_QUERY,
            _ => 0,
        };
        byte += 1;
    }
    plain
};

/// A path, possibly with a query, that the url crate and canonicalisation would leave unchanged but for letters of other scripts.
fn is_plain_path(path: &str) -> bool {
    let bytes = path.as_bytes();
    let mut segment_start = true;
    let mut part = IN_PATH;
    for (at, byte) in bytes.iter().enumerate() {
        // Dot segments begin with a dot, and few others do.
        if PLAIN[*byte as usize] & part == 0 || segment_start && *byte == b'.' {
            match byte {
                b'?' => part = IN_QUERY,
                b'%' if is_plain_escape(bytes.get(at + 1..at + 3).unwrap_or_default()) => {}
                _ => return false,
            }
        }
        segment_start = *byte == b'/' && part == IN_PATH;
    }
    !path.ends_with('?')
}

/// Whether the two digits after a percent sign are spelled as they should be, and the byte could not be written as itself.
fn is_plain_escape(digits: &[u8]) -> bool {
    let [high, low] = *digits else { return false };
    let place = |digit| HEX.iter().position(|other| *other == digit);
    let (Some(high), Some(low)) = (place(high), place(low)) else {
        return false;
    };
    let byte = (high * 16 + low) as u8;
    !byte.is_ascii_alphanumeric() && !b"-._~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn resolver(page: &str, base: Option<&str>) -> Resolver {
        Resolver::new(&CanonicalUrl::parse(page).unwrap(), base)
    }

    fn resolved(href: &str) -> Option<String> {
        resolver("http://a.test/x/y?q", None)
            .resolve(href)
            .map(|url| url.to_string())
    }

    #[test]
    fn references_resolve_as_in_a_browser() {
        for (href, expected) in [
            ("/p", "http://a.test/p"),
            ("p", "http://a.test/x/p"),
            ("../p", "http://a.test/p"),
            ("../../../p", "http://a.test/p"),
            ("./p/../q", "http://a.test/x/q"),
            ("?z", "http://a.test/x/y?z"),
            ("//b.test/p", "http://b.test/p"),
            ("HTTP://B.test:80/p", "http://b.test/p"),
            (" \n/a\tb\r\nc ", "http://a.test/abc"),
            ("/100%/x", "http://a.test/100%25/x"),
            ("/a b\\c", "http://a.test/a%20b/c"),
            ("https://b.test", "https://b.test/"),
            ("/é", "http://a.test/%C3%A9"),
            ("http:p", "http://a.test/x/p"),
            // A space before the fragment is part of the path.
            ("/ #f", "http://a.test/%20"),
        ] {
            assert_eq!(resolved(href).as_deref(), Some(expected), "{href}");
        }
        for href in [
            "javascript:void(0)",
            "mailto:a@b.c",
            "data:text/html,x",
            "tel:1",
            "http://",
            "ftp://a.test/",
        ] {
            assert_eq!(resolved(href), None, "{href}");
        }
    }

    #[test]
    fn a_base_counts_if_it_can_be_fetched() {
        let at = |base: &str| {
            resolver("http://a.test/x/", Some(base))
                .resolve("p")
                .unwrap()
                .to_string()
        };
        assert_eq!(at("/y/"), "http://a.test/y/p");
        assert_eq!(at("http://b.test/z/q"), "http://b.test/z/p");
        assert_eq!(at("javascript:0"), "http://a.test/x/p");
        assert_eq!(at("data:,x"), "http://a.test/x/p");
    }

    proptest! {
        #[test]
        fn the_fast_path_agrees_with_the_slow_path(
            page in "http://(a\\.test|b\\.c\\.org:81)/([a-c.]{0,3}/){0,3}[a-c.]{0,3}(\\?[a-c]{1,2})?",
            href in "( |/|//|https?://(a\\.test|b-c\\.de|1\\.2\\.3|x\\.1|xn--a\\.de|a\\.\\.b|A\\.b))?(\\.{0,2}/){0,3}([a-zA-Z0-9.%~_:@&=+,;!$'()*?#/ -]|é|茶|\u{a0}|%2[0-9A-Fa-f]|%[4AC-Fc]9){0,12}",
        ) {
            let mut resolver = resolver(&page, None);
            if let Some(short) = resolver.quickly(&href) {
                prop_assert_eq!(Some(short), resolver.slowly(&href));
            }
        }
    }
}
