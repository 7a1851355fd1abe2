//! Which pages link to a page, and the context graph around targets.
//!
//! A graph is either in memory ([`BackLinks`], four bytes per link, pages are numbers) or in a file ([`GraphFile`],
//! with the names of its pages, read on demand). A [`GraphBuilder`] makes a file from links in any order, with
//! bounded memory: see [`build`]. A [`ContextGraph`] holds the targets and, layer by layer, the pages that lead to
//! them, from either kind of graph.
//!
//! A node of a file is named by its URL or, where only hosts are known (Common Crawl's graphs), by its host, reversed
//! as Common Crawl writes it: `org.example.www`.
//!
//! Invariant: the same links in any order give the same graph, and the same file byte for byte. Reading a damaged
//! file is an error and never yields a different graph.
//!
//! Deliberately absent: the words on pages, fetching, and search engines (which no longer report back-links).

mod back_links;
pub mod build;
mod context;
mod context_list;
mod fault;
mod file;
mod hosts;
mod lines;
mod merge;
mod names;
mod scratch;
mod varint;
mod write;

pub use crate::back_links::{BackLinks, TooMany};
pub use crate::build::{GraphBuilder, GraphSummary, NamedGraph, Stage};
pub use crate::context::{ContextGraph, ContextSettings};
pub use crate::context_list::{ContextList, LayerLookup, LinkIndex, MissingTarget, TargetList};
pub use crate::fault::GraphFault;
pub use crate::file::{GraphFile, Match};
pub use crate::hosts::{is_host, node_name, shown_name};
pub use crate::lines::{BadLines, ListTally, read_edge_list, read_numbered_edges, read_vertices};
