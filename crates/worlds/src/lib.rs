//! Little webs to crawl without leaving the machine.
//!
//! A [`World`] answers requests from memory; [`serve`] puts one on loopback under real HTTP. [`DemoWeb`] is the web
//! that `hound demo` crawls, [`BenchWeb`] the one the benchmark does, and [`FixtureWeb`] is a few lines of a test.
//!
//! Invariant: an answer depends on the request only. The same world gives the same bytes on every machine, in any
//! order and any number of times, so what a crawl finds can be compared with what is there.
//!
//! Deliberately absent: crawling, parsing, judging. Only the server's log reads a clock.

pub mod bench;
mod demo;
mod dice;
mod fault;
mod fixture;
mod request;
mod server;
mod world;

pub use crate::bench::BenchWeb;
pub use crate::demo::DemoWeb;
pub use crate::fault::WorldFault;
pub use crate::fixture::{FixtureLink, FixturePage, FixtureWeb};
pub use crate::server::{Request, ServeOptions, Serving, Trouble, serve};
pub use crate::world::{Answer, World};
