//! Serves a world over HTTP/1.1 on loopback, and remembers who asked for what, when.
//!
//! One thread per connection: for the few hundred connections of a crawl that is the cheapest there is, and the
//! crawler's own runtime is left out of the measurement. What is said on a connection is in `conversation`.

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

/// How to serve a world.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Where to listen; port 0 for any free one.
    pub listen: Vec<SocketAddr>,
    /// How long every answer takes at least.
    pub latency: Duration,
    /// Every n-th request goes wrong in this way; robots.txt is never among them, as a failed one closes the host.
    pub trouble: Option<(NonZeroU64, Trouble)>,
    /// Shares of the URLs that go wrong, each always in the same way.
    pub errors: Errors,
    /// Whether each request is remembered.
    pub log: bool,
}

impl Default for ServeOptions {
    /// Any free port of 127.0.0.1, at once, without trouble, with a log.
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
    /// The host asked for, in lower case, without port.
    pub host: String,
    /// The port asked for, unless it is the scheme's own. Only a proxy is told.
    pub port: Option<u16>,
    /// Path and query.
    pub path: String,
    /// Where it came from.
    pub peer: SocketAddr,
    /// When its head had been read.
    pub started: Instant,
    /// When its answer had been written; none while it is under way or when that failed.
    pub finished: Option<Instant>,
    /// The status it was answered with; 0 for none.
    pub status: u16,
}

/// A world being served. Dropping it stops the server.
pub struct Serving {
    addresses: Vec<SocketAddr>,
    shared: Arc<Shared>,
    listeners: Vec<JoinHandle<()>>,
}

/// What all connections share.
pub(crate) struct Shared {
    pub(crate) site: Arc<dyn TestSite>,
    pub(crate) options: ServeOptions,
    /// With it this is a proxy.
    pub(crate) authority: Option<Authority>,
    pub(crate) stopping: AtomicBool,
    pub(crate) served: AtomicU64,
    pub(crate) log: Mutex<Vec<Request>>,
    /// Open connections by number, so that stopping can end their reads.
    open: Mutex<HashMap<u64, TcpStream>>,
    connections: AtomicU64,
}

/// Serves a world from now on.
pub fn serve(site: Arc<dyn TestSite>, options: ServeOptions) -> Result<Serving, TestwebError> {
    listen(site, options, None)
}

/// Serves a world, as a proxy if there is an authority for its certificates.
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
            .name("world".into())
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

    /// All addresses it listens on, in the order asked for.
    pub fn addrs(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// The certificate of a proxy's authority.
    pub(crate) fn ca_pem(&self) -> &str {
        self.shared.authority.as_ref().map_or("", Authority::pem)
    }

    /// How many requests came so far, also without a log.
    pub fn served(&self) -> u64 {
        self.shared.served.load(Ordering::SeqCst)
    }

    /// How many connections were made so far.
    pub fn connections(&self) -> u64 {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// The requests so far, in the order they came.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.shared.log).clone()
    }

    /// How often a page was asked for.
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
                // Out of file descriptors, most likely: others will be closed soon.
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
                .name("world connection".into())
                .stack_size(256 * 1024)
                .spawn(move || {
                    // A client that goes away in the middle is its own business.
                    let _ = shared.attend(connection, peer);
                    lock(&shared.open).remove(&number);
                });
            if spawned.is_err() {
                lock(&self.open).remove(&number);
            }
        }
    }
}

/// A thread that panicked leaves the log as it was: each entry is whole.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
