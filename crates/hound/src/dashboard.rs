//! `hound crawl --dashboard ADDR`: a page for the browser that shows the progress of the crawl.
//!
//! A thread serves two paths: `/`, a page that refreshes itself every second, and `/status.json`, with the same content as
//! `logs/status.json`. Requests are handled one at a time and limited to a few kilobytes and a few seconds. The dashboard is
//! read-only: no request can change the crawl.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use scenthound::StatusFile;

const PAGE: &str = include_str!("dashboard.html");
/// How long to wait for a slow browser.
const PATIENCE: Duration = Duration::from_secs(2);
/// Longer requests are cut off; no legitimate request for these two paths comes close.
const MAX_REQUEST: usize = 8 * 1024;

/// A page that shows the latest status.
pub struct Dashboard {
    latest: Arc<Mutex<String>>,
    addr: SocketAddr,
}

impl Dashboard {
    /// Starts listening, until the process ends.
    pub fn open(addr: SocketAddr) -> Result<Dashboard> {
        let listener =
            TcpListener::bind(addr).with_context(|| format!("--dashboard: could not listen on {addr}"))?;
        let addr = listener
            .local_addr()
            .context("--dashboard: could not determine the address it listens on")?;
        let latest = Arc::new(Mutex::new("null".to_owned()));
        let shown = Arc::clone(&latest);
        std::thread::Builder::new()
            .name("dashboard".into())
            .spawn(move || {
                for stream in listener.incoming().flatten() {
                    // A browser that disconnects midway is not our problem.
                    let _ = answer(stream, &shown);
                }
            })
            .context("--dashboard: could not start its thread")?;
        Ok(Dashboard { latest, addr })
    }

    /// The address it listens on.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Replaces the status that is shown.
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
