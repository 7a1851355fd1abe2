//! The crawl as a synchronous state machine.
