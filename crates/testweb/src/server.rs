//! Serves a test site over HTTP/1.1 on loopback, and logs who requested what, and when.
//!
//! One thread per connection: for the few hundred connections of a crawl nothing is cheaper, and the crawler's own
//! runtime stays out of the measurement. The exchange on a connection is in `conversation`.

use std::collections::HashMap;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::TestwebError;
use crate::certificates::Authority;
use crate::errors::{Errors, Trouble};
use crate::site::{Scheme, TestSite};

/// How to serve a test site.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Addresses to listen on; port 0 for any free one.
    pub listen: Vec<SocketAddr>,
    /// The minimum time every answer takes.
    pub latency: Duration,
    /// Every n-th request fails in this way. A robots.txt never does, because a failing one closes the host.
    pub trouble: Option<(NonZeroU64, Trouble)>,
    /// Shares of URLs that fail, each always in the same way.
    pub errors: Errors,
    /// Whether requests are logged.
    pub log: bool,
}

impl Default for ServeOptions {
    /// Any free port of 127.0.0.1, no delay, no failures, with a log.
    fn default() -> ServeOptions {
        ServeOptions {
            listen: vec![SocketAddr::from(([127, 0, 0, 1], 0))],
            latency: Duration::ZERO,
            trouble: None,
            errors: Errors::default(),
            log: true,
        }
    }
}

/// A request as the server saw it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// Over TLS or not.
    pub scheme: Scheme,
    /// The requested host, in lower case, without port.
    pub host: String,
    /// The requested port, unless it is the scheme's default. Only a proxy learns it.
    pub port: Option<u16>,
    /// Path and query.
    pub path: String,
    /// Where it came from.
    pub peer: SocketAddr,
    /// When its head had been read.
    pub started: Instant,
    /// When its answer had been written; none while that is in progress, or if it failed.
    pub finished: Option<Instant>,
    /// The status of the answer; 0 for none.
    pub status: u16,
}

/// A test site being served. Dropping it stops the server.
pub struct Serving {
    addresses: Vec<SocketAddr>,
    shared: Arc<Shared>,
    listeners: Vec<JoinHandle<()>>,
}

/// What all connections share.
pub(crate) struct Shared {
    pub(crate) site: Arc<dyn TestSite>,
    pub(crate) options: ServeOptions,
    /// If set, this is a proxy.
    pub(crate) authority: Option<Authority>,
    pub(crate) stopping: AtomicBool,
    pub(crate) served: AtomicU64,
    pub(crate) log: Mutex<Vec<Request>>,
    /// Open connections by number, so that stopping can end their reads.
    open: Mutex<HashMap<u64, TcpStream>>,
    connections: AtomicU64,
}

/// Starts serving a test site.
pub fn serve(site: Arc<dyn TestSite>, options: ServeOptions) -> Result<Serving, TestwebError> {
    listen(site, options, None)
}

/// Serves a test site, as a proxy if there is an authority for its certificates.
pub(crate) fn listen(
    site: Arc<dyn TestSite>,
    options: ServeOptions,
    authority: Option<Authority>,
) -> Result<Serving, TestwebError> {
    options.errors.check()?;
    let mut sockets = Vec::new();
    for &address in &options.listen {
        let fault = |source| TestwebError::Listen { address, source };
        let listener = TcpListener::bind(address).map_err(fault)?;
        sockets.push((listener.local_addr().map_err(fault)?, listener));
    }
    if sockets.is_empty() {
        return Err(TestwebError::NoAddress);
    }
    let mut serving = Serving {
        addresses: sockets.iter().map(|(address, _)| *address).collect(),
        shared: Arc::new(Shared {
            site,
            options,
            authority,
            stopping: AtomicBool::new(false),
            served: AtomicU64::new(0),
            log: Mutex::default(),
            open: Mutex::default(),
            connections: AtomicU64::new(0),
        }),
        listeners: Vec::new(),
    };
    for (_, listener) in sockets {
        let shared = Arc::clone(&serving.shared);
        let thread = std::thread::Builder::new()
            .name("test site".into())
            .spawn(move || shared.accept(&listener))
            .map_err(|source| TestwebError::Thread { source })?;
        serving.listeners.push(thread);
    }
    Ok(serving)
}

impl Serving {
    /// The first address it listens on.
    pub fn addr(&self) -> SocketAddr {
        self.addresses
            .first()
            .copied()
            .unwrap_or(SocketAddr::from(([127, 0, 0, 1], 0)))
    }

    /// All addresses it listens on, in the order given.
    pub fn addrs(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// The certificate of a proxy's authority.
    pub(crate) fn ca_pem(&self) -> &str {
        self.shared.authority.as_ref().map_or("", Authority::pem)
    }

    /// The number of requests so far, even without a log.
    pub fn served(&self) -> u64 {
        self.shared.served.load(Ordering::SeqCst)
    }

    /// The number of connections so far.
    pub fn connections(&self) -> u64 {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// The requests so far, in order of arrival.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.shared.log).clone()
    }

    /// How often a page was requested.
    pub fn count(&self, host: &str, path: &str) -> usize {
        lock(&self.shared.log)
            .iter()
            .filter(|request| request.host == host && request.path == path)
            .count()
    }

    /// Stops listening and closes every connection.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        for &address in &self.addresses {
            // Wakes the thread from `accept`; if that fails there is nothing to wake.
            let _ = TcpStream::connect_timeout(&address, Duration::from_secs(1));
        }
        for listener in self.listeners.drain(..) {
            let _ = listener.join();
        }
        for (_, connection) in lock(&self.shared.open).drain() {
            let _ = connection.shutdown(Shutdown::Both);
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.end();
    }
}

impl Shared {
    fn accept(self: &Arc<Self>, listener: &TcpListener) {
        loop {
            let accepted = listener.accept();
            if self.stopping.load(Ordering::SeqCst) {
                return;
            }
            let Ok((connection, peer)) = accepted else {
                // Probably out of file descriptors: others will be closed soon.
                std::thread::sleep(Duration::from_millis(10));
                continue;
            };
            let number = self.connections.fetch_add(1, Ordering::SeqCst);
            let Ok(handle) = connection.try_clone() else {
                continue;
            };
            lock(&self.open).insert(number, handle);
            let shared = Arc::clone(self);
            let spawned = std::thread::Builder::new()
                .name("test connection".into())
                .stack_size(256 * 1024)
                .spawn(move || {
                    // A client that disconnects halfway is not our problem.
                    let _ = shared.attend(connection, peer);
                    lock(&shared.open).remove(&number);
                });
            if spawned.is_err() {
                lock(&self.open).remove(&number);
            }
        }
    }
}

/// A thread that panicked leaves the log intact: each entry is complete.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
