//! `hound crawl --dashboard ADDR`: one page in a browser that shows how the crawl goes.
//!
//! A thread answers two addresses: `/`, a page that asks again every second, and `/status.json`, what `logs/status.json`
//! holds. Requests are read up to a few kilobytes and a few seconds, one after another, and nothing they say changes the
//! crawl: it can only be looked at.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use scenthound::StatusFile;

const PAGE: &str = include_str!("dashboard.html");
/// The longest wait for a slow browser.
const PATIENCE: Duration = Duration::from_secs(2);
/// No honest request for two addresses is longer.
const MAX_REQUEST: usize = 8 * 1024;

/// A page that shows the latest status.
pub struct Dashboard {
    latest: Arc<Mutex<String>>,
    addr: SocketAddr,
}

impl Dashboard {
    /// Listens from now on, until the process ends.
    pub fn open(addr: SocketAddr) -> Result<Dashboard> {
        let listener =
            TcpListener::bind(addr).with_context(|| format!("--dashboard: cannot listen on {addr}"))?;
        let addr = listener
            .local_addr()
            .context("--dashboard: the address cannot be told")?;
        let latest = Arc::new(Mutex::new("null".to_owned()));
        let shown = Arc::clone(&latest);
        std::thread::Builder::new()
            .name("dashboard".into())
            .spawn(move || {
                for stream in listener.incoming().flatten() {
                    // A browser that goes away in the middle is no matter of ours.
                    let _ = answer(stream, &shown);
                }
            })
            .context("--dashboard: no thread for it")?;
        Ok(Dashboard { latest, addr })
    }

    /// Where it can be seen.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Shows this from now on.
    pub fn show(&self, status: &StatusFile) {
        if let Ok(json) = serde_json::to_string(status) {
            *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = json;
        }
    }
}

fn answer(mut stream: TcpStream, latest: &Mutex<String>) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut request = Vec::new();
    let mut part = [0; 1024];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") && request.len() < MAX_REQUEST {
        match stream.read(&mut part)? {
            0 => break,
            read => request.extend_from_slice(part.get(..read).unwrap_or_default()),
        }
    }
    let line = request.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let (status, kind, body) = match line {
        _ if line.starts_with(b"GET / ") => ("200 OK", "text/html; charset=utf-8", PAGE.to_owned()),
        _ if line.starts_with(b"GET /status.json ") => {
            let json = latest.lock().unwrap_or_else(PoisonError::into_inner).clone();
            ("200 OK", "application/json", json)
        }
        _ => (
            "404 Not Found",
            "text/plain",
            "Only / and /status.json are here.\n".to_owned(),
        ),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}
