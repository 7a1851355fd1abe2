//! What a sitemap has listed so far, under its limits.

use scenthound_types::CanonicalUrl;

use super::{SitemapEntry, SitemapLimits};

/// A date longer than this is none.
const MAX_DATE: usize = 64;

pub(super) struct Entries<'a> {
    sitemap: &'a CanonicalUrl,
    limits: &'a SitemapLimits,
    pub(super) pages: Vec<SitemapEntry>,
    pub(super) sitemaps: Vec<CanonicalUrl>,
    /// Entries met so far, used or not.
    seen: usize,
    /// Whether there was an entry over the limit. No later one is worth reading.
    pub(super) overflowed: bool,
}

impl<'a> Entries<'a> {
    pub(super) fn new(sitemap: &'a CanonicalUrl, limits: &'a SitemapLimits) -> Entries<'a> {
        Entries {
            sitemap,
            limits,
            pages: Vec::new(),
            sitemaps: Vec::new(),
            seen: 0,
            overflowed: false,
        }
    }

    /// Adds a page if it is a URL and lies where this sitemap has a say. True if it is a URL at all.
    pub(super) fn add_page(&mut self, raw: &str, lastmod: Option<&str>) -> bool {
        let Some(url) = self.next(raw) else {
            return false;
        };
        if self.limits.location.admits(self.sitemap, &url) {
            let lastmod = lastmod
                .map(str::trim)
                .filter(|date| !date.is_empty() && date.len() <= MAX_DATE);
            self.pages.push(SitemapEntry {
                url,
                lastmod: lastmod.map(str::to_owned),
            });
        }
        true
    }

    /// Adds a sitemap if it is a URL.
    pub(super) fn add_sitemap(&mut self, raw: &str) {
        let url = self.next(raw);
        self.sitemaps.extend(url);
    }

    /// The URL of the next entry, if it is one and within the limit. Also an entry that will be left out counts:
    /// a file of nothing but other sites' pages must end too.
    fn next(&mut self, raw: &str) -> Option<CanonicalUrl> {
        if self.seen >= self.limits.entries {
            self.overflowed = true;
            return None;
        }
        self.seen += 1;
        self.resolve(raw)
    }

    /// The URL meant. The protocol wants whole ones; a path, and a URL that lacks only its scheme, are plain enough.
    fn resolve(&self, raw: &str) -> Option<CanonicalUrl> {
        let raw = raw.trim();
        if raw.starts_with('/') {
            return self.sitemap.join(raw).ok();
        }
        if let Ok(url) = CanonicalUrl::parse(raw) {
            return Some(url);
        }
        let host = raw.split(['/', '?']).next().unwrap_or_default();
        if !host.eq_ignore_ascii_case(self.sitemap.authority()) {
            return None;
        }
        let scheme = if self.sitemap.is_https() { "https" } else { "http" };
        CanonicalUrl::parse(&format!("{scheme}://{raw}")).ok()
    }
}
