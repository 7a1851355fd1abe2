//! From checked addresses to a stream for HTTP: TCP, a proxy if there is one, and TLS if the URL needs it.
//!
//! Connections go only to the addresses given. One time limit covers everything here. An address that does not answer
//! gets half of the time left, so that the next one has a chance.

use std::collections::HashSet;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use scenthound_types::{CanonicalUrl, Failure};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::error::FetchError;
use crate::fetcher::{AddressGate, NoGate};
use crate::names::Names;
use crate::proxy::{Proxy, Way};
use crate::settings::FetchSettings;

/// The process, or the system, has too many files open.
const EMFILE: i32 = 24;
const ENFILE: i32 = 23;

/// So many origins that refused HTTP/2 are remembered. Should there be more, they are asked again.
const MOST_OLD: usize = 10_000;

/// A stream for HTTP.
pub(crate) enum Wire {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Wire {
    /// Whether both sides agreed on HTTP/2.
    pub(crate) fn speaks_http2(&self) -> bool {
        match self {
            Wire::Plain(_) => false,
            Wire::Tls(stream) => stream.get_ref().1.alpn_protocol() == Some(b"h2"),
        }
    }
}

/// A stream and the address of the target it leads to.
pub(crate) struct Connected {
    pub(crate) wire: Wire,
    pub(crate) target: SocketAddr,
}

/// Makes connections.
pub(crate) struct Connector {
    tls: TlsConnector,
    /// Without HTTP/2.
    old_tls: TlsConnector,
    /// Origins that refused HTTP/2.
    old: Mutex<HashSet<Box<str>>>,
    proxy: Option<Proxy>,
}

impl Connector {
    pub(crate) fn new(settings: &FetchSettings) -> Result<Connector, FetchError> {
        let mut roots = RootCertStore {
            roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
        };
        for path in &settings.ca_files {
            let unreadable = |source| FetchError::CaFile {
                path: path.clone(),
                source,
            };
            let mut added = 0;
            for certificate in CertificateDer::pem_file_iter(path).map_err(unreadable)? {
                added += usize::from(roots.add(certificate.map_err(unreadable)?).is_ok());
            }
            if added == 0 {
                return Err(FetchError::NoCertificate { path: path.clone() });
            }
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        tls.alpn_protocols.push(b"http/1.1".to_vec());
        let old_tls = TlsConnector::from(Arc::new(tls.clone()));
        if settings.http2 {
            tls.alpn_protocols.insert(0, b"h2".to_vec());
        }
        Ok(Connector {
            tls: TlsConnector::from(Arc::new(tls)),
            old_tls,
            old: Mutex::default(),
            proxy: settings.proxy.clone(),
        })
    }

    /// Connects to this origin without HTTP/2 from now on.
    pub(crate) fn avoid_http2(&self, origin: &str) {
        let mut old = self.old.lock().unwrap_or_else(PoisonError::into_inner);
        if old.len() >= MOST_OLD {
            old.clear();
        }
        old.insert(origin.into());
    }

    fn tls_for(&self, origin: &str) -> &TlsConnector {
        let old = self.old.lock().unwrap_or_else(PoisonError::into_inner);
        if old.contains(origin) {
            &self.old_tls
        } else {
            &self.tls
        }
    }

    /// Connects to one of the addresses for this URL. The first is already claimed.
    pub(crate) async fn open(
        &self,
        url: &CanonicalUrl,
        addresses: &[SocketAddr],
        names: &Names,
        gate: &dyn AddressGate,
        limit: Duration,
    ) -> Result<Connected, Failure> {
        let deadline = Instant::now() + limit;
        let (stream, target) = match &self.proxy {
            None => first_to_answer(addresses, deadline, gate).await?,
            Some(proxy) => {
                let proxied = through(proxy, url, addresses, names, deadline, gate);
                // Whatever is slow here counts as the proxy's failure.
                timeout_at(deadline, proxied)
                    .await
                    .map_err(|_| Failure::Proxy)??
            }
        };
        if !url.is_https() {
            let wire = Wire::Plain(stream);
            return Ok(Connected { wire, target });
        }
        let host = url
            .host()
            .trim_start_matches('[')
            .trim_end_matches(']')
            .trim_end_matches('.');
        let name = ServerName::try_from(host.to_owned()).map_err(|_| Failure::Tls)?;
        let stream = match timeout_at(deadline, self.tls_for(url.origin()).connect(name, stream)).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => return Err(handshake_failure(&error)),
            Err(_) => return Err(Failure::ConnectTimeout),
        };
        Ok(Connected {
            wire: Wire::Tls(Box::new(stream)),
            target,
        })
    }
}

/// A broken connection may be temporary; a wrong certificate stays wrong.
fn handshake_failure(error: &io::Error) -> Failure {
    let by_tls = error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>());
    if by_tls { Failure::Tls } else { Failure::Connect }
}

/// Waits until an address is free and claims it. Returns whether that worked before the deadline.
async fn claimed(gate: &dyn AddressGate, address: SocketAddr, deadline: Instant) -> bool {
    while let Err(busy) = gate.claim(address.ip()) {
        if Instant::now() + busy >= deadline {
            return false;
        }
        tokio::time::sleep(busy).await;
    }
    true
}

/// Connects to the first address that answers. The first address is already claimed.
async fn first_to_answer(
    addresses: &[SocketAddr],
    deadline: Instant,
    gate: &dyn AddressGate,
) -> Result<(TcpStream, SocketAddr), Failure> {
    let mut failure = Failure::Connect;
    for (at, address) in addresses.iter().enumerate() {
        if at > 0 && !claimed(gate, *address, deadline).await {
            continue;
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let share = if at + 1 == addresses.len() { left } else { left / 2 };
        match tokio::time::timeout(share, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                // Requests are one small write; waiting to fill a segment would only delay them.
                let _ = stream.set_nodelay(true);
                return Ok((stream, *address));
            }
            Ok(Err(error)) if error.kind() == io::ErrorKind::TimedOut => failure = Failure::ConnectTimeout,
            // Out of descriptors: that is our own fault, and no other address would help.
            Ok(Err(error)) if matches!(error.raw_os_error(), Some(EMFILE | ENFILE)) => {
                return Err(Failure::Internal);
            }
            Ok(Err(_)) => failure = Failure::Connect,
            Err(_) => failure = Failure::ConnectTimeout,
        }
    }
    Err(failure)
}

/// A connection to one of the target's addresses through the proxy.
async fn through(
    proxy: &Proxy,
    url: &CanonicalUrl,
    targets: &[SocketAddr],
    names: &Names,
    deadline: Instant,
    gate: &dyn AddressGate,
) -> Result<(TcpStream, SocketAddr), Failure> {
    let ips = names.addresses(&proxy.host).await.map_err(|_| Failure::Proxy)?;
    let at: Vec<SocketAddr> = ips.iter().map(|ip| SocketAddr::new(*ip, proxy.port)).collect();
    let mut failure = Failure::Proxy;
    for (number, target) in targets.iter().enumerate() {
        if number > 0 && !claimed(gate, *target, deadline).await {
            continue;
        }
        let (mut stream, _) =
            first_to_answer(&at, deadline, &NoGate)
                .await
                .map_err(|failure| match failure {
                    Failure::Internal => Failure::Internal,
                    _ => Failure::Proxy,
                })?;
        let agreed = match proxy.way {
            Way::Http if url.is_https() => {
                return proxy
                    .tunnel(&mut stream, &format!("{}:{}", url.host(), url.port()))
                    .await
                    .map(|()| (stream, *target));
            }
            Way::Http => Ok(()),
            Way::Socks5 => proxy.socks5(&mut stream, *target).await,
        };
        match agreed {
            Ok(()) => return Ok((stream, *target)),
            Err(Failure::Proxy) => return Err(Failure::Proxy),
            Err(other) => failure = other,
        }
    }
    Err(failure)
}

impl AsyncRead for Wire {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Wire::Plain(stream) => Pin::new(stream).poll_read(cx, buf),
            Wire::Tls(stream) => Pin::new(stream).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Wire {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Wire::Plain(stream) => Pin::new(stream).poll_write(cx, buf),
            Wire::Tls(stream) => Pin::new(stream).poll_write(cx, buf),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Wire::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Wire::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Wire::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Wire::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
