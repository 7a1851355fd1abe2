//! Any bytes are a sitemap of some kind, with no more entries than allowed and none that lies elsewhere.
#![no_main]

use libfuzzer_sys::fuzz_target;
use scenthound_parse::{Location, Sitemap, SitemapLimits};
use scenthound_seeds::parse_seeds;
use scenthound_types::CanonicalUrl;

fuzz_target!(|data: &[u8]| {
    let url = CanonicalUrl::parse("http://www.a.test/sitemaps/first.xml").expect("a plain URL");
    for location in [Location::Folder, Location::Site, Location::Anywhere] {
        let limits = SitemapLimits {
            bytes: 64 << 10,
            entries: 50,
            location,
        };
        let sitemap = Sitemap::parse(data, &url, &limits);
        assert!(sitemap.pages.len() + sitemap.sitemaps.len() <= limits.entries);
        assert!(sitemap.pages.iter().all(|page| location.admits(&url, &page.url)));
    }
    let _ = parse_seeds(data);
});
