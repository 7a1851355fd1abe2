//! `hound bench`: what a crawl costs on this machine.
//!
//! Three processes of this program, so that each one's time and memory is its own: a server with a web of known size on
//! loopback, a run that only fetches all its pages, and a whole crawl of it with parsing, judging, frontier and archive.
//! Nothing is asserted; the figures are printed as they were measured.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::ValueEnum;
use scenthound::Crawler;
use scenthound_config::{Given, Settings};
use scenthound_fetch::{FetchSettings, Fetcher, Want};
use scenthound_store::CrawlFolder;
use scenthound_testweb::bench::{BenchSize, Naming, main_loop};
use scenthound_testweb::{BenchWeb, TestSite};
use scenthound_types::{CanonicalUrl, Outcome};
use serde::{Deserialize, Serialize};

use crate::crawl;
use crate::table::{Align, Table, terminal_width};

#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  hound bench\n  hound bench --pages 200000 --links 50\n  hound bench --json"
)]
#[command(args_override_self = true)]
pub struct Args {
    /// Pages of the web.
    #[arg(long, value_name = "N", default_value_t = 25_000)]
    pages: usize,
    /// Hosts of the web.
    #[arg(long, value_name = "N", default_value_t = 25)]
    hosts: usize,
    /// Approximate size of a page in bytes.
    #[arg(long, value_name = "N", default_value_t = 30_000)]
    bytes: usize,
    /// Links on a page.
    #[arg(long, value_name = "N", default_value_t = 95)]
    links: usize,
    /// Requests at a time.
    #[arg(long, value_name = "N", default_value_t = 25)]
    concurrency: usize,
    /// The strategy.
    #[arg(long, value_name = "NAME", default_value = "best-first")]
    strategy: String,
    /// Keep the crawl folder here.
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Print the figures as JSON.
    #[arg(long)]
    json: bool,
    /// The part of the bench that this process runs.
    #[arg(long, hide = true)]
    part: Option<Part>,
    /// Where the web is served.
    #[arg(long, hide = true)]
    server: Option<SocketAddr>,
}

/// A part of the bench, in a process of its own.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Part {
    Serve,
    Fetch,
    Crawl,
}

/// What one process spent.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Spent {
    /// Pages fetched with a body.
    pages: u64,
    /// Wall-clock time.
    seconds: f64,
    /// User and system time of the process.
    cpu_seconds: f64,
    /// Largest resident memory.
    peak_bytes: u64,
    /// Resident memory before the first request.
    base_bytes: u64,
    /// URLs known at the end.
    known: u64,
}

impl Spent {
    /// Runs something that says how many pages it fetched and how many URLs it knew in the end.
    fn measure(run: impl FnOnce() -> Result<(u64, u64)>) -> Result<Spent> {
        let (base_bytes, started, cpu) = (memory("VmRSS:"), Instant::now(), cpu_time());
        let (pages, known) = run()?;
        Ok(Spent {
            pages,
            seconds: started.elapsed().as_secs_f64(),
            cpu_seconds: (cpu_time() - cpu).as_secs_f64(),
            peak_bytes: memory("VmHWM:"),
            base_bytes,
            known,
        })
    }

    fn pages_per_second(&self) -> f64 {
        self.pages as f64 / self.seconds
    }

    fn cpu_per_thousand(&self) -> f64 {
        1000.0 * self.cpu_seconds / self.pages.max(1) as f64
    }
}

pub fn run(args: Args) -> Result<()> {
    match args.part {
        Some(Part::Serve) => serve(&args),
        Some(Part::Fetch) => crate::stdout::json(&fetch_all(&args)?),
        Some(Part::Crawl) => crate::stdout::json(&crawl_all(&args)?),
        None => measure(&args),
    }
}

fn web(args: &Args) -> BenchWeb {
    let size = BenchSize {
        hosts: args.hosts,
        pages: args.pages,
        bytes: args.bytes,
        links: args.links,
    };
    BenchWeb::new(size, Naming::Names)
}

fn serve(args: &Args) -> Result<()> {
    let listen = vec![SocketAddr::from(([127, 0, 0, 1], 0))];
    main_loop(
        web(args),
        listen,
        |serving| println!("{}", serving.addr()),
        std::io::stdin(),
    )?;
    Ok(())
}

fn pins(web: &BenchWeb, args: &Args) -> Result<HashMap<String, SocketAddr>> {
    let server = args.server.context("--server says where the web is")?;
    Ok(web.hosts().into_iter().map(|host| (host, server)).collect())
}

/// Fetches every page without reading it: the limit of the client.
fn fetch_all(args: &Args) -> Result<Spent> {
    let web = web(args);
    let mut settings = FetchSettings::new("scenthound-bench");
    settings.pins = pins(&web, args)?;
    let fetcher = Fetcher::new(settings)?;
    let urls: Vec<CanonicalUrl> = (web.urls())
        .filter_map(|url| CanonicalUrl::parse(&url).ok())
        .collect();
    let known = urls.len() as u64;
    let shared = Arc::new((fetcher, urls, AtomicUsize::new(0)));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let worker = || {
        let shared = Arc::clone(&shared);
        runtime.spawn(async move {
            let (fetcher, urls, next) = &*shared;
            let mut pages = 0;
            while let Some(url) = urls.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Ok(located) = fetcher.locate(url).await {
                    let fetched = fetcher.fetch(url, &located, Want::Page).await;
                    pages += u64::from(matches!(fetched.outcome, Outcome::Body { .. }));
                }
            }
            pages
        })
    };
    Spent::measure(|| {
        let workers: Vec<_> = (0..args.concurrency).map(|_| worker()).collect();
        let pages = workers
            .into_iter()
            .map(|worker| runtime.block_on(worker).unwrap_or(0));
        Ok((pages.sum(), known))
    })
}

fn crawl_settings(web: &BenchWeb, args: &Args) -> Result<Settings> {
    let concurrency = args.concurrency.to_string();
    let options = [
        ("seed-urls", web.seed().as_str()),
        ("strategy", &args.strategy),
        ("concurrency", &concurrency),
        ("delay", "0s"),
        ("ip-delay", "0s"),
        ("genre-terms", "guide"),
        ("genre-terms", "review"),
    ]
    .map(|(name, value)| Given::new(name, value));
    crawl::check_settings("water house light garden music history", &options)?
        .map_err(|faults| anyhow::anyhow!("the settings of the bench are not valid:\n{faults}"))
}

/// Crawls the web with parsing, judging, frontier and archive.
fn crawl_all(args: &Args) -> Result<Spent> {
    let web = web(args);
    let settings = crawl_settings(&web, args)?;
    let pins = pins(&web, args)?;
    drop(web);
    let output = args.output.as_ref().context("--output says where to crawl")?;
    let folder = CrawlFolder::open_or_create(output)?;
    let mut crawler = Crawler::with_settings(settings, output)?;
    crawler.live_settings().fetch.pins = pins;
    Spent::measure(|| {
        let summary = crawl::crawl(crawler, &folder)?;
        Ok((summary.tally.bodies, summary.counts.known))
    })
}

/// The process that serves the web, stopped when this is dropped.
struct Server {
    process: Child,
    addr: SocketAddr,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It ends when its input does; waiting keeps no zombie behind.
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// This program with the same arguments, running one part.
fn part(name: &str) -> Result<Process> {
    let mut process = Process::new(std::env::current_exe().context("could not find this program")?);
    process.args(std::env::args_os().skip(1)).args(["--part", name]);
    Ok(process)
}

fn start_server() -> Result<Server> {
    let mut process = part("serve")?
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let stdout = process.stdout.take().context("the server has no output")?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    let addr = line
        .trim()
        .parse()
        .context("the server did not say where it listens")?;
    Ok(Server { process, addr })
}

fn run_part(name: &str, server: &Server, folder: &Path) -> Result<Spent> {
    let output = part(name)?
        .args(["--server", &server.addr.to_string(), "--output"])
        .arg(folder)
        .stderr(Stdio::inherit())
        .output()?;
    anyhow::ensure!(output.status.success(), "the {name} part failed");
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn measure(args: &Args) -> Result<()> {
    let temporary = tempfile::tempdir().context("could not create a temporary folder")?;
    let folder = args
        .output
        .clone()
        .unwrap_or_else(|| temporary.path().join("bench"));
    let server = start_server()?;
    note!("fetching all pages without reading them…");
    let fetch = run_part("fetch", &server, &folder)?;
    note!("crawling with parsing, judging, frontier and archive…");
    let crawl = run_part("crawl", &server, &folder)?;
    drop(server);
    let missed = (args.pages as u64).saturating_sub(crawl.pages);
    let per_url = crawl.peak_bytes.saturating_sub(crawl.base_bytes) as f64 / crawl.known.max(1) as f64;
    let on_disk = disk_use(&folder);
    if args.json {
        return crate::stdout::json(&serde_json::json!({
            "fetch": fetch, "crawl": crawl, "missed": missed, "disk_bytes": on_disk,
            "cpu_seconds_per_1000_pages": crawl.cpu_per_thousand(),
            "fetch_cpu_seconds_per_1000_pages": fetch.cpu_per_thousand(),
            "pages_per_second": crawl.pages_per_second(),
            "fetch_pages_per_second": fetch.pages_per_second(),
            "bytes_per_known_url": per_url,
        }));
    }
    say!("a web of {} pages, {} strategy", args.pages, args.strategy);
    let heads = ["fetching alone", "whole crawl"].map(|head| (head, Align::Right));
    let mut table = Table::new(&[&[("", Align::Left)], &heads[..]].concat());
    let mut row = |name: &str, of: &dyn Fn(&Spent) -> String| {
        table.row(vec![name.to_owned(), of(&fetch), of(&crawl)], Vec::new());
    };
    let mib = |bytes: u64| format!("{:.1} MiB", bytes as f64 / (1 << 20) as f64);
    row("pages", &|spent| spent.pages.to_string());
    row("pages/s", &|spent| format!("{:.0}", spent.pages_per_second()));
    row("CPU s per 1,000 pages", &|spent| {
        format!("{:.3}", spent.cpu_per_thousand())
    });
    row("memory before", &|spent| mib(spent.base_bytes));
    row("memory at its peak", &|spent| mib(spent.peak_bytes));
    for (name, figure) in [
        ("  grown, per known URL", format!("{per_url:.0} B")),
        ("disk", mib(on_disk)),
        ("pages missed", missed.to_string()),
    ] {
        table.row(vec![name.to_owned(), String::new(), figure], Vec::new());
    }
    crate::stdout::write(|out| Ok(table.write(out, terminal_width())?))?;
    let times = crawl.cpu_per_thousand() / fetch.cpu_per_thousand();
    say!("the whole crawl costs {times:.1} times the CPU of fetching alone");
    Ok(())
}

fn disk_use(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return 0;
    };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(facts) if facts.is_dir() => disk_use(&entry.path()),
            Ok(facts) => facts.len(),
            Err(_) => 0,
        })
        .sum()
}

/// User and system time of this process.
fn cpu_time() -> Duration {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(
        spent.tv_sec.unsigned_abs(),
        u32::try_from(spent.tv_nsec).unwrap_or(0),
    )
}

/// A line of /proc/self/status, in bytes; 0 where there is none.
fn memory(line: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kilobytes = status.lines().find_map(|text| {
        text.strip_prefix(line)?
            .trim()
            .strip_suffix(" kB")?
            .trim()
            .parse::<u64>()
            .ok()
    });
    kilobytes.unwrap_or(0) * 1024
}
