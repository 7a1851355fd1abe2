//! The crawl folder: WARC archive, page records, lock.
