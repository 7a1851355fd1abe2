//! A TLS server with its own certificate authority, speaking HTTP/2 or sending exactly the bytes a test gives it.
#![allow(dead_code, reason = "each test file uses its part")]
#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "test support"
)]

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::server::read_head;

type Answer = fn(http::Request<Incoming>) -> http::Response<Full<Bytes>>;

/// The protocol the server speaks.
#[derive(Clone)]
pub enum Speaks {
    Http2(Answer),
    /// The same bytes for every request.
    Http1(String),
    /// HTTP/2 frames as they are: the first once a request has come, then the second over and over.
    Frames(Arc<Vec<u8>>, Arc<Vec<u8>>),
    /// Closes the connection in the middle of the handshake.
    Nothing,
}

pub struct TlsServer {
    pub address: SocketAddr,
    folder: TempDir,
    connections: Arc<AtomicUsize>,
    pub requests: Arc<Mutex<Vec<String>>>,
}

impl TlsServer {
    /// A server for this host name.
    pub async fn start(host: &str, speaks: Speaks) -> TlsServer {
        let mut authority = CertificateParams::new(Vec::new()).unwrap();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority_key = KeyPair::generate().unwrap();
        let authority_pem = authority.self_signed(&authority_key).unwrap().pem();
        let issuer = Issuer::new(authority, authority_key);
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(vec![host.to_owned()])
            .unwrap()
            .signed_by(&key, &issuer)
            .unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("ca.pem"), authority_pem).unwrap();

        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![certificate.der().clone()],
                PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
            )
            .unwrap();
        config.alpn_protocols = match speaks {
            Speaks::Http2(_) | Speaks::Frames(..) => vec![b"h2".to_vec(), b"http/1.1".to_vec()],
            _ => vec![b"http/1.1".to_vec()],
        };
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = TlsServer {
            address: listener.local_addr().unwrap(),
            folder,
            connections: Arc::default(),
            requests: Arc::default(),
        };
        let (connections, requests) = (server.connections.clone(), server.requests.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                connections.fetch_add(1, Ordering::SeqCst);
                let (acceptor, speaks, requests) = (acceptor.clone(), speaks.clone(), requests.clone());
                tokio::spawn(async move {
                    if matches!(speaks, Speaks::Nothing) {
                        return;
                    }
                    let Ok(mut stream) = acceptor.accept(stream).await else {
                        return;
                    };
                    match speaks {
                        Speaks::Http2(answer) if stream.get_ref().1.alpn_protocol() == Some(b"h2") => {
                            let service =
                                service_fn(
                                    move |request| async move { Ok::<_, Infallible>(answer(request)) },
                                );
                            let _ = hyper::server::conn::http2::Builder::new(TokioExecutor::new())
                                .serve_connection(TokioIo::new(stream), service)
                                .await;
                        }
                        Speaks::Frames(once, again) if stream.get_ref().1.alpn_protocol() == Some(b"h2") => {
                            send_frames(stream, &once, &again).await;
                        }
                        Speaks::Http2(_) | Speaks::Frames(..) => {
                            while read_head(&mut stream).await.is_some() {
                                let _ = stream
                                    .write_all(crate::server::page("by http/1").as_bytes())
                                    .await;
                            }
                        }
                        Speaks::Http1(response) => {
                            while let Some(request) = read_head(&mut stream).await {
                                requests.lock().unwrap().push(request);
                                let _ = stream.write_all(response.as_bytes()).await;
                            }
                        }
                        Speaks::Nothing => {}
                    }
                });
            }
        });
        server
    }

    /// The file with the authority's certificate.
    pub fn ca_file(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// A frame of HTTP/2.
pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut frame = length[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// Sends our settings, waits for a request, and sends the frames until the other side is gone.
async fn send_frames(
    mut stream: tokio_rustls::server::TlsStream<tokio::net::TcpStream>,
    once: &[u8],
    again: &[u8],
) {
    const SETTINGS: u8 = 4;
    const HEADERS: u8 = 1;
    let mut preface = [0; 24];
    if stream.read_exact(&mut preface).await.is_err()
        || stream.write_all(&frame(SETTINGS, 0, 0, &[])).await.is_err()
    {
        return;
    }
    loop {
        let mut head = [0; 9];
        if stream.read_exact(&mut head).await.is_err() {
            return;
        }
        let mut payload = vec![0; u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize];
        if stream.read_exact(&mut payload).await.is_err() {
            return;
        }
        if head[3] == HEADERS {
            break;
        }
    }
    let (mut reader, mut writer) = tokio::io::split(stream);
    // What the client answers must be read, or it would stop sending for our sake.
    tokio::spawn(async move {
        let mut rest = [0; 4096];
        while matches!(reader.read(&mut rest).await, Ok(1..)) {}
    });
    if writer.write_all(once).await.is_err() {
        return;
    }
    while !again.is_empty() {
        if writer.write_all(again).await.is_err() || writer.flush().await.is_err() {
            return;
        }
    }
    let _ = writer.flush().await;
    std::future::pending::<()>().await;
}
