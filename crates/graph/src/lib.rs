//! Who links to a page, and the context graph around targets.
//!
//! [`BackLinks`] holds the links of a graph backwards, four bytes each; [`ContextGraph`] is the targets and, layer by layer,
//! the pages that lead there. Pages are numbers here; whoever knows their URLs keeps them.
//!
//! Invariant: memory is proportional to pages and links, and time to what is read; the same links in any order give the same
//! graph.
//!
//! Deliberately absent: pages' words, fetching, and search engines (which no longer tell who links to a page).

mod back_links;
mod context;

pub use crate::back_links::{BackLinks, TooMany};
pub use crate::context::{ContextGraph, ContextSettings};
