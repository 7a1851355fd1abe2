//! Who links to a page, and the context graph around targets.
//!
//! A graph is either in memory ([`BackLinks`], four bytes a link, pages are numbers) or in a file ([`GraphFile`], with the
//! names of its pages, read where it is needed). A file is made by a [`GraphBuilder`] from links in any order, with bounded
//! memory: see [`build`]. [`ContextGraph`] is the targets and, layer by layer, the pages that lead there, of either.
//!
//! A node of a file is named by its URL or, where only hosts are known (Common Crawl's graphs), by its host, reversed as
//! they write it: `org.example.www`.
//!
//! Invariant: the same links in any order give the same graph, and the same file byte for byte. What is read of a damaged file
//! is an error, never another graph.
//!
//! Deliberately absent: pages' words, fetching, and search engines (which no longer tell who links to a page).

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
