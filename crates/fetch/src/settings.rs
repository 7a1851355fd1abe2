//! What a fetcher is told once: who it says it is, how far it goes, and through what.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use ipnet::IpNet;
use scenthound_types::Documents;

use crate::proxy::Proxy;

/// RFC 9309 asks for at least this much of a robots.txt, and nobody reads more.
const ROBOTS_BYTES: usize = 500 * 1024;

/// Bodies of failures and redirects are kept for the archive, not for reading.
const ASIDE_BYTES: usize = 64 * 1024;

/// What a request is for: it decides which types are read and how much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Want {
    /// A page: only the content types that are read, see [`scenthound_types::Readable`].
    Page,
    /// A robots.txt: any type, 500 KiB.
    Robots,
    /// A sitemap: any type, up to [`Limits::sitemap_bytes`]. A gzipped file stays gzipped.
    Sitemap,
    /// A file that a page needs to be shown: any type, as much as of a page.
    Requisite,
}

/// How far one request may go.
#[derive(Clone, PartialEq, Debug)]
pub struct Limits {
    /// From the question to the resolver until its answer.
    pub resolve: Duration,
    /// Until the connection stands: TCP, proxy and TLS, over all addresses of the host.
    pub connect: Duration,
    /// From sending the request until the head of the response is complete.
    pub first_byte: Duration,
    /// From sending the request until the end of the body.
    pub whole_response: Duration,
    /// The fewest bytes that must arrive in each [`Limits::slow_window`] of the body.
    pub slow_bytes: usize,
    /// How long a body is watched before it is called too slow.
    pub slow_window: Duration,
    /// Size of a response's head. HTTP/1 cannot go below 8 KiB.
    pub header_bytes: usize,
    /// Number of header lines.
    pub header_lines: usize,
    /// Size of a body as sent.
    pub wire_bytes: usize,
    /// Size of a body after decoding.
    pub decoded_bytes: usize,
    /// Size of a sitemap, as sent and decoded.
    pub sitemap_bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            resolve: Duration::from_secs(10),
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(30),
            whole_response: Duration::from_secs(120),
            slow_bytes: 1_000,
            slow_window: Duration::from_secs(10),
            header_bytes: 64 * 1024,
            header_lines: 200,
            wire_bytes: 10 << 20,
            decoded_bytes: 10 << 20,
            sitemap_bytes: 50 << 20,
        }
    }
}

/// How much of one body is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BodyCaps {
    pub(crate) wire: usize,
    pub(crate) decoded: usize,
}

impl Limits {
    /// The caps for a body with this status.
    pub(crate) fn caps(&self, want: Want, success: bool) -> BodyCaps {
        let both = |bytes: usize| BodyCaps {
            wire: bytes,
            decoded: bytes,
        };
        match want {
            _ if !success => both(ASIDE_BYTES.min(self.wire_bytes)),
            Want::Page | Want::Requisite => BodyCaps {
                wire: self.wire_bytes,
                decoded: self.decoded_bytes,
            },
            Want::Robots => both(ROBOTS_BYTES),
            Want::Sitemap => both(self.sitemap_bytes),
        }
    }
}

/// What a fetcher is told once.
#[derive(Clone, Debug)]
pub struct FetchSettings {
    /// Who we say we are.
    pub user_agent: String,
    /// Sent as Accept-Language.
    pub accept_language: Option<String>,
    /// Whether documents such as PDF files are read as pages.
    pub documents: Documents,
    /// Header lines besides, or in place of, the usual ones. A crawl has none: they are for asking a service under a key.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// How far one request may go.
    pub limits: Limits,
    /// Networks open in spite of not being public.
    pub allowed_nets: Vec<IpNet>,
    /// The one name server to ask, over UDP and TCP; without it the system's configuration counts.
    pub resolver: Option<SocketAddr>,
    /// Everything goes through it.
    pub proxy: Option<Proxy>,
    /// PEM files with certificates to trust besides the well-known ones.
    pub ca_files: Vec<PathBuf>,
    /// Hosts that live at a fixed address, whatever the port of the URL. They are the user's own word, so the guard
    /// lets them pass.
    pub pins: HashMap<String, SocketAddr>,
    /// Whether HTTP/2 is offered over TLS.
    pub http2: bool,
    /// How many bytes large bodies may take in all requests together.
    pub bytes_in_flight: usize,
    /// How many idle connections are kept in all.
    pub idle_connections: usize,
    /// How long an idle connection is kept.
    pub idle_time: Duration,
}

impl FetchSettings {
    /// The default settings under this name.
    pub fn new(user_agent: impl Into<String>) -> FetchSettings {
        FetchSettings {
            user_agent: user_agent.into(),
            accept_language: None,
            documents: Documents::default(),
            headers: Vec::new(),
            limits: Limits::default(),
            allowed_nets: Vec::new(),
            resolver: None,
            proxy: None,
            ca_files: Vec::new(),
            pins: HashMap::new(),
            http2: true,
            bytes_in_flight: 512 << 20,
            idle_connections: 4_096,
            idle_time: Duration::from_secs(60),
        }
    }
}
