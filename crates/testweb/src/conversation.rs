//! The exchange on one connection: requests and answers and, for a proxy, the tunnel in which TLS begins.
//!
//! Blocking reads and one vectored write per answer.
//!
//! Invariant: a request is in the log before its answer is sent, so a test that has seen the answer also sees the
//! request.

// The log records when requests came and went, because tests of politeness need that.
#![allow(clippy::disallowed_methods)]

use std::io::{self, IoSlice, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::Ordering;
use std::time::Instant;

use rustls::{ServerConnection, StreamOwned};

use crate::errors::Trouble;
use crate::request::{Addressed, Head, MAX_HEAD, end_of_head, read_head};
use crate::server::{Request, Shared, lock};
use crate::site::{Scheme, SiteRequest, SiteResponse, reason};

/// Which host the requests of a connection are for.
enum Partner {
    /// The host in each request's Host header or absolute URL.
    Any,
    /// The host a tunnel was opened to.
    Tunnel(Endpoint),
}

/// Where a tunnel leads.
struct Endpoint {
    host: String,
    port: Option<u16>,
}

/// How an exchange ended.
enum Ended {
    Finished,
    /// A tunnel was requested and granted. The bytes after the request belong to it.
    Tunnel(Endpoint, Vec<u8>),
}

impl Shared {
    /// Answers one request after the other until either side closes the connection.
    pub(crate) fn attend(&self, mut connection: TcpStream, peer: SocketAddr) -> io::Result<()> {
        connection.set_nodelay(true)?;
        let Ended::Tunnel(endpoint, early) = self.converse(&mut connection, &Partner::Any, peer)? else {
            return Ok(());
        };
        let Some(authority) = &self.authority else {
            return Ok(());
        };
        let config = authority.host(&endpoint.host).map_err(io::Error::other)?;
        let tls = ServerConnection::new(config).map_err(io::Error::other)?;
        let stream = Continued {
            early,
            read: 0,
            stream: connection,
        };
        let mut tunnel = StreamOwned::new(tls, stream);
        self.converse(&mut tunnel, &Partner::Tunnel(endpoint), peer)?;
        tunnel.conn.send_close_notify();
        tunnel.flush()
    }

    fn converse(
        &self,
        connection: &mut (impl Read + Write),
        partner: &Partner,
        peer: SocketAddr,
    ) -> io::Result<Ended> {
        let mut come = Vec::with_capacity(4096);
        let mut looked_at = 0;
        let mut chunk = [0; 4096];
        loop {
            let Some(end) = end_of_head(&come, looked_at) else {
                if come.len() > MAX_HEAD {
                    send(connection, &SiteResponse::fault(431), false, true)?;
                    return Ok(Ended::Finished);
                }
                looked_at = come.len();
                let read = connection.read(&mut chunk)?;
                if read == 0 || self.stopping.load(Ordering::SeqCst) {
                    return Ok(Ended::Finished);
                }
                come.extend_from_slice(chunk.get(..read).unwrap_or_default());
                continue;
            };
            let head = read_head(come.get(..end).unwrap_or_default());
            come.drain(..end);
            looked_at = 0;
            let Some(head) = head else {
                send(connection, &SiteResponse::fault(400), false, true)?;
                return Ok(Ended::Finished);
            };
            if head.method == "CONNECT" {
                return match (partner, self.tunnel(&head)) {
                    (Partner::Any, Some(endpoint)) => {
                        connection.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
                        Ok(Ended::Tunnel(endpoint, come))
                    }
                    _ => {
                        send(connection, &SiteResponse::fault(405), false, true)?;
                        Ok(Ended::Finished)
                    }
                };
            }
            if !self.answer(connection, partner, head, peer)? {
                return Ok(Ended::Finished);
            }
        }
    }

    /// The tunnel a request asks for; none if it is not possible.
    fn tunnel(&self, head: &Head) -> Option<Endpoint> {
        let authority = self.authority.as_ref()?;
        authority.host(&head.host).ok()?;
        Some(Endpoint {
            host: head.host.clone(),
            port: head.port.filter(|port| *port != Scheme::Https.port()),
        })
    }

    /// Answers one request; returns whether another may follow.
    fn answer(
        &self,
        connection: &mut (impl Read + Write),
        partner: &Partner,
        head: Head,
        peer: SocketAddr,
    ) -> io::Result<bool> {
        let keep_alive = head.keep_alive;
        let is_head = head.method == "HEAD";
        let number = 1 + self.served.fetch_add(1, Ordering::SeqCst);
        let asked = match partner {
            Partner::Tunnel(endpoint) => SiteRequest {
                scheme: Scheme::Https,
                host: &endpoint.host,
                port: endpoint.port,
                path_and_query: &head.target,
            },
            Partner::Any => SiteRequest {
                scheme: Scheme::Http,
                host: &head.host,
                // The port of a Host header is where this server listens, and says nothing about the page.
                port: head
                    .port
                    .filter(|port| head.addressed == Addressed::Proxy && *port != Scheme::Http.port()),
                path_and_query: &head.target,
            },
        };
        let trouble = self
            .trouble_for(number, &head.target)
            .or_else(|| self.options.errors.befalls(&asked));
        let answer = match trouble {
            Some(Trouble::HangUp) => None,
            Some(Trouble::Status(status)) => Some(SiteResponse::fault(status)),
            None if head.method == "GET" || is_head => Some(self.site.answer_at(&asked)),
            None => Some(SiteResponse::fault(405)),
        };
        let place = self.options.log.then(|| {
            let mut log = lock(&self.log);
            log.push(Request {
                scheme: asked.scheme,
                host: asked.host.to_owned(),
                port: asked.port,
                path: asked.path_and_query.to_owned(),
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
            return Ok(false);
        };
        send(connection, &answer, keep_alive, !is_head)?;
        if let Some(place) = place
            && let Some(request) = lock(&self.log).get_mut(place)
        {
            request.finished = Some(Instant::now());
        }
        Ok(keep_alive)
    }

    fn trouble_for(&self, number: u64, target: &str) -> Option<Trouble> {
        let (every, trouble) = self.options.trouble?;
        (number % every == 0 && target != "/robots.txt").then_some(trouble)
    }
}

/// A stream from which some bytes have already been read.
struct Continued {
    early: Vec<u8>,
    read: usize,
    stream: TcpStream,
}

impl Read for Continued {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut early = self.early.get(self.read..).unwrap_or_default();
        if early.is_empty() {
            return self.stream.read(into);
        }
        let read = early.read(into)?;
        self.read += read;
        Ok(read)
    }
}

impl Write for Continued {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes)
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.stream.write_vectored(slices)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Sends head and body in as few writes as the kernel allows.
fn send(
    connection: &mut impl Write,
    answer: &SiteResponse,
    keep_alive: bool,
    with_body: bool,
) -> io::Result<()> {
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
    connection.flush()
}
