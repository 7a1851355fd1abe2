//! One request with limits on everything, and its result as data.
//!
//! [`Fetcher::locate`] turns a host into the addresses we may connect to; [`Fetcher::fetch`] requests one URL from
//! one of them. Whatever the other side does (nothing, garbage, a flood, a bomb) ends in a [`Fetched`] within the
//! time and memory that [`Limits`] allow. There are two steps so that the caller can space its requests per address.
//!
//! Invariant: connections are made only to addresses the guard has checked, never to a name. Resolving again between
//! check and connect is what DNS rebinding attacks exploit.
//!
//! Deliberately absent: following redirects (a redirect is an outcome, and its target is a new offer under the other
//! host's politeness), retries over time, robots, cookies, credentials and referers.

#![allow(
    clippy::disallowed_methods,
    reason = "time limits on sockets need the clock; this is one of the drivers"
)]

mod address;
mod channel;
mod connect;
mod decode;
mod error;
mod exchange;
mod fetched;
mod fetcher;
#[doc(hidden)]
pub mod fuzzing;
mod head;
mod names;
mod patience;
mod plan;
mod pool;
mod proxy;
mod requests;
mod room;
mod settings;
mod tape;

pub use http::{HeaderName, HeaderValue};
pub use ipnet::IpNet;

pub use crate::address::AddressGuard;
pub use crate::error::FetchError;
pub use crate::fetched::{Fetched, Protocol, RawExchange};
pub use crate::fetcher::{AddressGate, Fetcher, Located, NoGate, NotYet};
pub use crate::head::RetryAfter;
pub use crate::proxy::{Proxy, ProxyFault};
pub use crate::room::Reserved;
pub use crate::settings::{FetchSettings, Limits, Want};
