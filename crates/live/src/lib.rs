//! The crawl on the real web: sockets, clock, threads, files.
