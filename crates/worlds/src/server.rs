//! Serves a world over HTTP/1.1 on loopback, and remembers who asked for what, when.
//!
//! One thread per connection with blocking reads and one gathered write per answer: for the few hundred connections
//! of a crawl that is the cheapest there is, and the crawler's own runtime is left out of the measurement.
//!
//! Invariant: a request is in the log before its answer is sent, so a test that has seen the answer sees the request.

// The log says when requests came and went, which is what tests of politeness are about.
#![allow(clippy::disallowed_methods)]

use std::collections::HashMap;
use std::io::{self, IoSlice, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::WorldFault;
use crate::request::{MAX_HEAD, end_of_head, read_head};
use crate::world::{Answer, World, reason};

/// What befalls an unlucky request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// It is answered with this status.
    Status(u16),
    /// The connection is closed without an answer.
    HangUp,
}

/// How to serve a world.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Where to listen; port 0 for any free one.
    pub listen: Vec<SocketAddr>,
    /// How long every answer takes at least.
    pub latency: Duration,
    /// Every n-th request goes wrong in this way; robots.txt is never among them, as a failed one closes the host.
    pub trouble: Option<(NonZeroU64, Trouble)>,
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
            log: true,
        }
    }
}

/// A request as the server saw it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// The host asked for, in lower case, without port.
    pub host: String,
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

struct Shared {
    world: Arc<dyn World>,
    options: ServeOptions,
    stopping: AtomicBool,
    served: AtomicU64,
    log: Mutex<Vec<Request>>,
    /// Open connections by number, so that stopping can end their reads.
    open: Mutex<HashMap<u64, TcpStream>>,
    connections: AtomicU64,
}

/// Serves a world from now on.
pub fn serve(world: Arc<dyn World>, options: ServeOptions) -> Result<Serving, WorldFault> {
    let mut sockets = Vec::new();
    for &address in &options.listen {
        let fault = |source| WorldFault::Listen { address, source };
        let listener = TcpListener::bind(address).map_err(fault)?;
        sockets.push((listener.local_addr().map_err(fault)?, listener));
    }
    if sockets.is_empty() {
        return Err(WorldFault::NoAddress);
    }
    let mut serving = Serving {
        addresses: sockets.iter().map(|(address, _)| *address).collect(),
        shared: Arc::new(Shared {
            world,
            options,
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
            .map_err(|source| WorldFault::Thread { source })?;
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
                    let _ = shared.converse(connection, peer);
                    lock(&shared.open).remove(&number);
                });
            if spawned.is_err() {
                lock(&self.open).remove(&number);
            }
        }
    }

    /// Answers one request after the other until either side has had enough.
    fn converse(&self, mut connection: TcpStream, peer: SocketAddr) -> io::Result<()> {
        connection.set_nodelay(true)?;
        let mut come = Vec::with_capacity(4096);
        let mut looked_at = 0;
        let mut chunk = [0; 4096];
        loop {
            let Some(end) = end_of_head(&come, looked_at) else {
                if come.len() > MAX_HEAD {
                    return send(&mut connection, &Answer::fault(431), false, true);
                }
                looked_at = come.len();
                let read = connection.read(&mut chunk)?;
                if read == 0 || self.stopping.load(Ordering::SeqCst) {
                    return Ok(());
                }
                come.extend_from_slice(chunk.get(..read).unwrap_or_default());
                continue;
            };
            let head = read_head(come.get(..end).unwrap_or_default());
            come.drain(..end);
            looked_at = 0;
            let Some(head) = head else {
                return send(&mut connection, &Answer::fault(400), false, true);
            };
            let keep_alive = head.keep_alive;
            let is_head = head.method == "HEAD";
            let number = 1 + self.served.fetch_add(1, Ordering::SeqCst);
            let answer = match self.trouble_for(number, &head.target) {
                Some(Trouble::HangUp) => None,
                Some(Trouble::Status(status)) => Some(Answer::fault(status)),
                None if head.method == "GET" || is_head => Some(self.world.answer(&head.host, &head.target)),
                None => Some(Answer::fault(405)),
            };
            let place = self.options.log.then(|| {
                let mut log = lock(&self.log);
                log.push(Request {
                    host: head.host,
                    path: head.target,
                    peer,
                    started: Instant::now(),
                    finished: None,
                    status: answer.as_ref().map_or(0, |answer| answer.status),
                });
                log.len() - 1
            });
            if !self.options.latency.is_zero() {
                std::thread::sleep(self.options.latency);
            }
            let Some(answer) = answer else {
                return Ok(());
            };
            send(&mut connection, &answer, keep_alive, !is_head)?;
            if let Some(place) = place
                && let Some(request) = lock(&self.log).get_mut(place)
            {
                request.finished = Some(Instant::now());
            }
            if !keep_alive {
                return Ok(());
            }
        }
    }

    fn trouble_for(&self, number: u64, target: &str) -> Option<Trouble> {
        let (every, trouble) = self.options.trouble?;
        (number % every == 0 && target != "/robots.txt").then_some(trouble)
    }
}

/// Head and body in as few writes as the kernel allows.
fn send(connection: &mut TcpStream, answer: &Answer, keep_alive: bool, with_body: bool) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {} {}\r\n", answer.status, reason(answer.status));
    for (name, value) in &answer.headers {
        head.push_str(name);
        head.push_str(": ");
        head.push_str(value);
        head.push_str("\r\n");
    }
    let connection_line = if keep_alive { "" } else { "Connection: close\r\n" };
    head.push_str(&format!(
        "Content-Length: {}\r\n{connection_line}\r\n",
        answer.body.len()
    ));
    let body: &[u8] = if with_body { &answer.body } else { &[] };
    let mut slices = [IoSlice::new(head.as_bytes()), IoSlice::new(body)];
    let mut left = &mut slices[..];
    while !left.is_empty() {
        let written = connection.write_vectored(left)?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        IoSlice::advance_slices(&mut left, written);
        // An empty slice is never written, so it has to be skipped here.
        while left.first().is_some_and(|slice| slice.is_empty()) {
            IoSlice::advance_slices(&mut left, 0);
        }
    }
    Ok(())
}

/// A thread that panicked leaves the log as it was: each entry is whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
