//! Where a crawl starts: seed files and sitemaps.
