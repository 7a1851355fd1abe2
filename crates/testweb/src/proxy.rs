//! A world behind a forward proxy: http by whole URLs, https by tunnels that end here.
//!
//! A crawler that is told of the proxy and of its authority's certificate can crawl any recorded web, whatever its hosts
//! are called and whether they speak TLS. Nothing is fetched from anywhere: the proxy *is* the web.
//!
//! Deliberately absent: HTTP/2, logins, and tunnels for anything but TLS.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::TestwebError;
use crate::certificates::Authority;
use crate::errors::Errors;
use crate::server::{Request, ServeOptions, Serving, listen};
use crate::site::TestSite;

/// How to serve a world as a proxy.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ProxyOptions {
    /// Where to listen; port 0 for any free one.
    pub listen: SocketAddr,
    /// How long every answer takes at least.
    pub latency: Duration,
    /// Shares of the URLs that go wrong.
    pub errors: Errors,
    /// Whether each request is remembered.
    pub log: bool,
}

impl Default for ProxyOptions {
    /// Any free port of 127.0.0.1, at once, without errors, with a log.
    fn default() -> ProxyOptions {
        ProxyOptions {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            latency: Duration::ZERO,
            errors: Errors::default(),
            log: true,
        }
    }
}

/// A world being served as a proxy. Dropping it stops it. Requests that name their host in the Host header only are
/// answered too.
pub struct ProxyServing(Serving);

/// Serves a world as a proxy from now on, with a certificate authority made for the purpose.
pub fn serve_proxy(site: Arc<dyn TestSite>, options: ProxyOptions) -> Result<ProxyServing, TestwebError> {
    let serve = ServeOptions {
        listen: vec![options.listen],
        latency: options.latency,
        trouble: None,
        errors: options.errors,
        log: options.log,
    };
    Ok(ProxyServing(listen(site, serve, Some(Authority::new()?))?))
}

impl ProxyServing {
    /// Where it listens: what a crawler's `--proxy` needs.
    pub fn address(&self) -> SocketAddr {
        self.0.addr()
    }

    /// The authority's certificate: what the file of a crawler's `--ca-file` holds.
    pub fn ca_pem(&self) -> &str {
        self.0.ca_pem()
    }

    /// The requests so far, in the order they came; tunnels themselves are not among them.
    pub fn requests(&self) -> Vec<Request> {
        self.0.requests()
    }

    /// How many requests came so far, also without a log.
    pub fn served(&self) -> u64 {
        self.0.served()
    }

    /// Stops listening and closes every connection.
    pub fn stop(self) {
        self.0.stop();
    }
}
