//! Servers that answer exactly the bytes a test gives them, and record the requests they get.
#![allow(dead_code, reason = "each test file uses its part")]
#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "test support"
)]

use std::io::Write;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use scenthound_fetch::{FetchSettings, Fetched, Fetcher, Want};
use scenthound_types::CanonicalUrl;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What the server does after an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// Waits for the next request.
    Listen,
    Close,
    /// Closes with a reset.
    Reset,
    /// Sends nothing more and keeps the connection open.
    Hang,
}

#[derive(Clone)]
enum Script {
    /// Each request gets the next answer, across all connections; the last one repeats.
    InTurn(Arc<Vec<(Vec<u8>, After)>>),
    Endless(Arc<Vec<u8>>, Arc<Vec<u8>>, Duration),
    Slowly(Arc<Vec<Vec<u8>>>, Duration),
}

/// A server on loopback.
pub struct Served {
    pub address: SocketAddr,
    connections: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Served {
    pub async fn always(response: impl Into<Vec<u8>>) -> Served {
        Served::in_turn([(response, After::Listen)]).await
    }

    pub async fn in_turn<R: Into<Vec<u8>>>(answers: impl IntoIterator<Item = (R, After)>) -> Served {
        let answers = answers
            .into_iter()
            .map(|(response, after)| (response.into(), after));
        Served::start(Script::InTurn(Arc::new(answers.collect()))).await
    }

    /// Sends the start once and then `again` over and over, until the other side is gone.
    pub async fn endless(start: &str, again: &str) -> Served {
        let again = again.repeat(4096 / again.len() + 1);
        Served::dripping(start, &again, Duration::ZERO).await
    }

    pub async fn dripping(start: &str, again: &str, pause: Duration) -> Served {
        Served::start(Script::Endless(
            Arc::new(start.into()),
            Arc::new(again.into()),
            pause,
        ))
        .await
    }

    /// Sends one part after the other, with pauses between them.
    pub async fn slowly(parts: &[&str], pause: Duration) -> Served {
        let parts = parts.iter().map(|part| part.as_bytes().to_vec()).collect();
        Served::start(Script::Slowly(Arc::new(parts), pause)).await
    }

    async fn start(script: Script) -> Served {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let served = Served {
            address: listener.local_addr().unwrap(),
            connections: Arc::default(),
            requests: Arc::default(),
        };
        let (connections, requests) = (served.connections.clone(), served.requests.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(answer(stream, script.clone(), requests.clone()));
            }
        });
        served
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    pub fn url(&self, path: &str) -> CanonicalUrl {
        local(self.address, path)
    }

    pub fn fetcher(&self) -> Fetcher {
        fetcher(settings())
    }

    pub async fn fetch(&self, path: &str) -> Fetched {
        self.fetch_with(&self.fetcher(), path, Want::Page).await
    }

    pub async fn fetch_with(&self, fetcher: &Fetcher, path: &str, want: Want) -> Fetched {
        let url = self.url(path);
        let at = fetcher.locate(&url).await.unwrap();
        fetcher.fetch(&url, &at, want).await
    }
}

async fn answer(mut stream: TcpStream, script: Script, requests: Arc<Mutex<Vec<String>>>) {
    while let Some(request) = read_head(&mut stream).await {
        let number = {
            let mut requests = requests.lock().unwrap();
            requests.push(request);
            requests.len() - 1
        };
        match &script {
            Script::InTurn(answers) => {
                let (response, after) = answers.get(number).unwrap_or_else(|| answers.last().unwrap());
                if stream.write_all(response).await.is_err() {
                    return;
                }
                match after {
                    After::Listen => {}
                    After::Close => return,
                    After::Reset => {
                        let _ = stream.set_zero_linger();
                        return;
                    }
                    After::Hang => std::future::pending().await,
                }
            }
            Script::Slowly(parts, pause) => {
                for part in parts.iter() {
                    if stream.write_all(part).await.is_err() {
                        return;
                    }
                    tokio::time::sleep(*pause).await;
                }
                return;
            }
            Script::Endless(start, again, pause) => {
                let _ = stream.write_all(start).await;
                while stream.write_all(again).await.is_ok() {
                    if !pause.is_zero() {
                        tokio::time::sleep(*pause).await;
                    }
                }
                return;
            }
        }
    }
}

/// Reads up to the blank line.
pub async fn read_head(stream: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    Some(String::from_utf8(head).unwrap())
}

pub fn local(address: SocketAddr, path: &str) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://{address}{path}")).unwrap()
}

/// Settings that allow loopback.
pub fn settings() -> FetchSettings {
    let mut settings = FetchSettings::new("scenthound-test/0 (+https://example.com/)");
    settings.allowed_nets = vec!["127.0.0.0/8".parse().unwrap()];
    settings
}

pub fn fetcher(settings: FetchSettings) -> Fetcher {
    Fetcher::new(settings).unwrap()
}

/// An ordinary response.
pub fn page(body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

pub fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}
