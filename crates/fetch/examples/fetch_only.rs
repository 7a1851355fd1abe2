//! How fast one can fetch when nothing else is done: the limit a crawl is measured against.
//!
//!     cargo run --release -p scenthound-fetch --example fetch_only -- --pages 20000 --concurrency 16
//!     cargo run --release -p scenthound-fetch --example fetch_only -- --urls list.txt --concurrency 16
//!
//! Without `--urls` it starts itself once more as a server of 30 KB pages on loopback, in a process of its own, so
//! that the CPU time shown is the client's alone. With `--urls` the file names one URL a line; loopback is allowed.
//!
//! `--client hyper` asks the built-in server with the bare library instead (a task per connection, the body collected,
//! nothing recorded or guarded): the control that figures have to be compared with, on the same machine and minute.
//! The built-in pages are plain, all the same and sent in one write, so both figures are a lower limit.

#![allow(clippy::disallowed_methods, reason = "it measures time")]
#![allow(clippy::print_stdout, reason = "its result")]

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustix::time::{ClockId, clock_gettime};
use scenthound_fetch::{FetchSettings, Fetcher, Want};
use scenthound_types::CanonicalUrl;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// As large as the pages of the benchmark web.
const PAGE_BYTES: usize = 30_000;

/// Virtual hosts of the built-in server.
const HOSTS: usize = 25;

fn main() -> Result<()> {
    let options = options();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    if options.contains_key("--serve") {
        return runtime.block_on(serve());
    }
    let number = |name: &str, standard: usize| match options.get(name) {
        Some(value) => value
            .parse()
            .map_err(|_| format!("{name} wants a number, not {value:?}")),
        None => Ok(standard),
    };
    let concurrency = number("--concurrency", 16)?.max(1);
    let mut settings = FetchSettings::new("scenthound-bench/0");
    settings.allowed_nets = vec!["127.0.0.0/8".parse()?];
    let mut server = None;
    let mut urls = Vec::new();
    match options.get("--urls") {
        Some(path) => {
            for line in std::fs::read_to_string(path)?
                .lines()
                .filter(|line| !line.trim().is_empty())
            {
                urls.push(CanonicalUrl::parse(line)?);
            }
        }
        None => {
            let mut child = Command::new(std::env::current_exe()?)
                .args(["--serve", "yes"])
                .stdout(Stdio::piped())
                .spawn()?;
            let mut line = String::new();
            BufReader::new(child.stdout.take().ok_or("no output")?).read_line(&mut line)?;
            server = Some(child);
            let address = line.trim().parse()?;
            for host in 0..HOSTS {
                settings.pins.insert(format!("h{host}.example"), address);
            }
            for page in 0..number("--pages", 20_000)? {
                urls.push(CanonicalUrl::parse(&format!(
                    "http://h{}.example/{page}",
                    page % HOSTS
                ))?);
            }
        }
    }
    let measured = match (
        options.get("--client").map(String::as_str),
        settings.pins.values().next(),
    ) {
        (None | Some("ours"), _) => runtime.block_on(fetch_all(Fetcher::new(settings)?, urls, concurrency)),
        (Some("hyper"), Some(&address)) => runtime.block_on(bare(address, urls.len(), concurrency)),
        _ => Err("--client is ours or hyper, the latter without --urls".into()),
    };
    if let Some(mut child) = server {
        child.kill()?;
        child.wait()?;
    }
    measured
}

/// `--name value` pairs.
fn options() -> BTreeMap<String, String> {
    let mut options = BTreeMap::new();
    let mut arguments = std::env::args().skip(1);
    while let (Some(name), Some(value)) = (arguments.next(), arguments.next()) {
        options.insert(name, value);
    }
    options
}

async fn fetch_all(fetcher: Fetcher, urls: Vec<CanonicalUrl>, concurrency: usize) -> Result<()> {
    let (fetcher, urls) = (Arc::new(fetcher), Arc::new(urls));
    let next = Arc::new(AtomicUsize::new(0));
    let (began, cpu) = (Instant::now(), cpu_seconds());
    let mut workers = Vec::new();
    for _ in 0..concurrency {
        let (fetcher, urls, next) = (fetcher.clone(), urls.clone(), next.clone());
        workers.push(tokio::spawn(async move {
            let (mut bytes, mut outcomes) = (0, BTreeMap::<&str, usize>::new());
            while let Some(url) = urls.get(next.fetch_add(1, Ordering::Relaxed)) {
                let outcome = match fetcher.locate(url).await {
                    Ok(at) => {
                        let fetched = fetcher.fetch(url, &at, Want::Page).await;
                        bytes += fetched.body.len();
                        fetched.outcome
                    }
                    Err(outcome) => outcome,
                };
                *outcomes.entry(outcome.code().as_str()).or_default() += 1;
            }
            (bytes, outcomes)
        }));
    }
    let (mut bytes, mut outcomes) = (0, BTreeMap::<&str, usize>::new());
    for worker in workers {
        let (more, ended) = worker.await?;
        bytes += more;
        for (code, count) in ended {
            *outcomes.entry(code).or_default() += count;
        }
    }
    show(urls.len(), bytes, began, cpu);
    println!("{outcomes:?}");
    Ok(())
}

/// The same number of pages by the library alone.
async fn bare(address: SocketAddr, pages: usize, concurrency: usize) -> Result<()> {
    let next = Arc::new(AtomicUsize::new(0));
    let (began, cpu) = (Instant::now(), cpu_seconds());
    let mut workers = Vec::new();
    for _ in 0..concurrency {
        let next = next.clone();
        workers.push(tokio::spawn(async move {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
            tokio::spawn(connection);
            let mut bytes = 0;
            loop {
                let page = next.fetch_add(1, Ordering::Relaxed);
                if page >= pages {
                    return Ok::<usize, Box<dyn Error + Send + Sync>>(bytes);
                }
                let request = http::Request::get(format!("/{page}"))
                    .header("host", "h0.example")
                    .body(Empty::<Bytes>::new())?;
                sender.ready().await?;
                bytes += sender
                    .send_request(request)
                    .await?
                    .into_body()
                    .collect()
                    .await?
                    .to_bytes()
                    .len();
            }
        }));
    }
    let mut bytes = 0;
    for worker in workers {
        bytes += worker.await??;
    }
    show(pages, bytes, began, cpu);
    Ok(())
}

fn show(pages: usize, bytes: usize, began: Instant, cpu_before: f64) {
    let (wall, cpu) = (began.elapsed().as_secs_f64(), cpu_seconds() - cpu_before);
    println!(
        "{pages} pages, {:.1} MB in {wall:.2} s: {:.0} pages/s, {:.4} CPU s per 1,000 pages",
        bytes as f64 / 1e6,
        pages as f64 / wall,
        cpu * 1000.0 / pages as f64
    );
}

fn cpu_seconds() -> f64 {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    used.tv_sec as f64 + used.tv_nsec as f64 / 1e9
}

/// Serves one page to whoever asks, and says on its first line of output where.
async fn serve() -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    let body = "<p>The hound follows the scent of tea. ".repeat(PAGE_BYTES / 39 + 1);
    let body = body.get(..PAGE_BYTES).unwrap_or(&body);
    let response: Arc<str> = Arc::from(format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {PAGE_BYTES}\r\n\r\n{body}"
    ));
    loop {
        let (mut stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let response = response.clone();
        tokio::spawn(async move {
            let mut request = Vec::with_capacity(1024);
            loop {
                match stream.read_buf(&mut request).await {
                    Ok(0) | Err(_) => return,
                    Ok(_) if request.ends_with(b"\r\n\r\n") => request.clear(),
                    Ok(_) => continue,
                }
                if stream.write_all(response.as_bytes()).await.is_err() {
                    return;
                }
            }
        });
    }
}
