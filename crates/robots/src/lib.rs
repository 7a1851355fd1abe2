//! What a host allows: robots.txt as in RFC 9309, and the directives of single pages.
//!
//! [`Rules`] are the rules of one robots.txt for one product token: parsed once, consulted for every URL of the host,
//! and small enough to be kept with the host. [`verdict`] says what a response to a request for robots.txt means, and
//! [`x_robots_tag`] reads the directives in the headers of a single page.
//!
//! Where RFC 9309, Google's parser and common practice disagree, docs/decisions/robots-contradictions.md says what we
//! do.
//!
//! Invariants: nothing here panics or takes much more than linear time, whatever the bytes, and the same bytes give
//! the same rules. Deliberately absent: fetching, clocks, caches and redirects; callers supply the response and the
//! times.

mod agent;
mod escape;
mod line;
mod literal;
mod page;
mod pattern;
mod rules;
mod saved;
mod verdict;

pub use crate::agent::is_product_token;
pub use crate::escape::path_of;
pub use crate::line::{Directive, Line, MAX_BODY, MAX_LINE, RobotsTxt};
pub use crate::page::x_robots_tag;
pub use crate::rules::{MAX_CRAWL_DELAY, RuleKind, RuleText, Rules};
pub use crate::saved::SavedFault;
pub use crate::verdict::{
    History, KEEP, MAX_REDIRECTS, Meaning, RETRY_FIRST, RETRY_MOST, RobotsResponse, UNREACHABLE_LONG,
    Verdict, verdict,
};
