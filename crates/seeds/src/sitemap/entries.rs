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
    /// Whether an entry was left out because the limit was met. No later one is worth reading.
    pub(super) overflowed: bool,
}

impl<'a> Entries<'a> {
    pub(super) fn new(sitemap: &'a CanonicalUrl, limits: &'a SitemapLimits) -> Entries<'a> {
        Entries {
            sitemap,
            limits,
            pages: Vec::new(),
            sitemaps: Vec::new(),
            overflowed: false,
        }
    }

    /// Adds a page if it is a URL and lies where this sitemap has a say. True if it is a URL at all.
    pub(super) fn add_page(&mut self, raw: &str, lastmod: Option<&str>) -> bool {
        let Some(url) = self.resolve(raw) else {
            return false;
        };
        if self.limits.location.admits(self.sitemap, &url) && self.has_room() {
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
        if let Some(url) = self.resolve(raw)
            && self.has_room()
        {
            self.sitemaps.push(url);
        }
    }

    fn has_room(&mut self) -> bool {
        let room = self.pages.len() + self.sitemaps.len() < self.limits.entries;
        self.overflowed |= !room;
        room
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
