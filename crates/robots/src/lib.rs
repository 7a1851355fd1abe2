//! RFC 9309 robots rules, crawl-delay, sitemap lines, meta robots and X-Robots-Tag.
