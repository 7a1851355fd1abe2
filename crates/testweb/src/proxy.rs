//! A test site behind a forward proxy: http through absolute URLs, https through tunnels that end here.
//!
//! A crawler that knows the proxy and its authority's certificate can crawl any recorded web, whatever its host names
//! and whether they use TLS. Nothing is fetched from anywhere: the proxy *is* the web.
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

/// How to serve a test site as a proxy.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ProxyOptions {
    /// Address to listen on; port 0 for any free one.
    pub listen: SocketAddr,
    /// The minimum time every answer takes.
    pub latency: Duration,
    /// Shares of URLs that fail.
    pub errors: Errors,
    /// Whether requests are logged.
    pub log: bool,
}

impl Default for ProxyOptions {
    /// Any free port of 127.0.0.1, no delay, no errors, with a log.
    fn default() -> ProxyOptions {
        ProxyOptions {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            latency: Duration::ZERO,
            errors: Errors::default(),
            log: true,
        }
    }
}

/// A test site being served as a proxy. Dropping it stops it. Requests that name their host only in the Host header
/// are answered too.
pub struct ProxyServing(Serving);

/// Starts serving a test site as a proxy, with a new certificate authority.
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
    /// The address it listens on: what a crawler's `--proxy` needs.
    pub fn address(&self) -> SocketAddr {
        self.0.addr()
    }

    /// The authority's certificate: the content of the file for a crawler's `--ca-file`.
    pub fn ca_pem(&self) -> &str {
        self.0.ca_pem()
    }

    /// The requests so far, in order of arrival; tunnels themselves are not included.
    pub fn requests(&self) -> Vec<Request> {
        self.0.requests()
    }

    /// The number of requests so far, even without a log.
    pub fn served(&self) -> u64 {
        self.0.served()
    }

    /// Stops listening and closes every connection.
    pub fn stop(self) {
        self.0.stop();
    }
}
