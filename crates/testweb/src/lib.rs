//! Small webs to crawl without leaving the machine.
//!
//! A [`TestSite`] answers requests from memory. [`serve`] serves one on loopback over real HTTP, [`serve_proxy`]
//! behind a proxy for http and https, with [`serve_names`] to resolve its host names. [`DemoWeb`] is the web that
//! `hound demo` crawls, [`ScriptWeb`] its counterparts in Chinese and Japanese, [`BenchWeb`] the web of the
//! benchmark, and [`FixtureWeb`] a few lines in a test.
//!
//! Invariant: an answer depends on the request only. The same test site gives the same bytes on every machine, in any
//! order and any number of times, so what a crawl finds can be compared with what is there.
//!
//! Deliberately absent: crawling, parsing, judging. Only the server's log reads a clock.

pub mod bench;
mod certificates;
mod conversation;
mod demo;
mod errors;
mod fault;
mod fixture;
mod names;
mod proxy;
mod redis;
mod request;
mod rng;
mod scripts;
mod server;
mod site;
mod skip;

pub use crate::bench::BenchWeb;
pub use crate::demo::DemoWeb;
pub use crate::errors::{Errors, Trouble};
pub use crate::fault::TestwebError;
pub use crate::fixture::{FixtureLink, FixturePage, FixtureWeb};
pub use crate::names::{NAMES_NET, NamesServing, serve_names};
pub use crate::proxy::{ProxyOptions, ProxyServing, serve_proxy};
pub use crate::redis::{RedisCluster, RedisServer};
pub use crate::scripts::ScriptWeb;
pub use crate::server::{Request, ServeOptions, Serving, serve};
pub use crate::site::{Scheme, SiteRequest, SiteResponse, TestSite};
pub use crate::skip::{package_folder, shared_data, skip};
