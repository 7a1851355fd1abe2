//! `hound bench`: what a crawl costs on this machine.
//!
//! Three processes of this program, so that each one's time and memory is its own: a server with a web of known size on
//! loopback, a run that only fetches all its pages, and a whole crawl of it with parsing, judging, frontier and archive.
//! Nothing is asserted; the figures are printed as they were measured.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use scenthound::Crawler;
use scenthound_config::{Given, Settings};
use scenthound_fetch::{FetchSettings, Fetcher, Want};
use scenthound_store::CrawlFolder;
use scenthound_testweb::bench::{BenchSize, Naming, main_loop};
use scenthound_testweb::{BenchWeb, TestSite};
use scenthound_types::{CanonicalUrl, Outcome};
use serde::{Deserialize, Serialize};

use crate::crawl;

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
    fn pages_per_second(&self) -> f64 {
        self.pages as f64 / self.seconds
    }

    fn cpu_per_thousand(&self) -> f64 {
        1000.0 * self.cpu_seconds / self.pages.max(1) as f64
    }
}

pub fn command() -> Command {
    let number = |name: &'static str, default: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("N")
            .default_value(default)
            .value_parser(value_parser!(usize))
            .help(help)
    };
    let web = |command: Command| {
        command
            .arg(number("pages", "25000", "Pages of the web"))
            .arg(number("hosts", "25", "Hosts of the web"))
            .arg(number("bytes", "30000", "Bytes of a page, about"))
            .arg(number("links", "95", "Links of a page"))
    };
    let run = |command: Command| {
        web(command)
            .arg(number("concurrency", "25", "Requests at a time"))
            .arg(
                Arg::new("strategy")
                    .long("strategy")
                    .value_name("NAME")
                    .default_value("best-first")
                    .help("The strategy"),
            )
            .arg(
                Arg::new("output")
                    .short('o')
                    .long("output")
                    .value_name("DIR")
                    .value_parser(value_parser!(PathBuf))
                    .help("Keep the crawl folder here"),
            )
    };
    let hidden = |name: &'static str| {
        run(Command::new(name).hide(true)).arg(
            Arg::new("server")
                .long("server")
                .value_parser(value_parser!(SocketAddr)),
        )
    };
    run(Command::new("bench"))
        .about("Measure a whole crawl of a web of known size on this machine")
        .after_help("Examples:\n  hound bench\n  hound bench --pages 200000 --links 50\n  hound bench --json")
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Print the figures as JSON"),
        )
        .subcommand(hidden("serve"))
        .subcommand(hidden("fetch"))
        .subcommand(hidden("crawl"))
}

pub fn run(given: &ArgMatches) -> Result<()> {
    match given.subcommand() {
        Some(("serve", given)) => serve(given),
        Some(("fetch", given)) => report(&fetch_all(given)?),
        Some(("crawl", given)) => report(&crawl_all(given)?),
        _ => measure(given),
    }
}

fn web(given: &ArgMatches) -> BenchWeb {
    let number = |name: &str| given.get_one::<usize>(name).copied().unwrap_or(0);
    let size = BenchSize {
        hosts: number("hosts"),
        pages: number("pages"),
        bytes: number("bytes"),
        links: number("links"),
    };
    BenchWeb::new(size, Naming::Names)
}

fn serve(given: &ArgMatches) -> Result<()> {
    let listen = vec![SocketAddr::from(([127, 0, 0, 1], 0))];
    main_loop(
        web(given),
        listen,
        |serving| println!("{}", serving.addr()),
        std::io::stdin(),
    )?;
    Ok(())
}

fn report(spent: &Spent) -> Result<()> {
    println!("{}", serde_json::to_string(spent)?);
    Ok(())
}

fn pins(web: &BenchWeb, given: &ArgMatches) -> Result<std::collections::HashMap<String, SocketAddr>> {
    let server = *given
        .get_one::<SocketAddr>("server")
        .context("--server says where the web is")?;
    Ok(web.hosts().into_iter().map(|host| (host, server)).collect())
}

/// Fetches every page and looks at none: the limit of the client.
fn fetch_all(given: &ArgMatches) -> Result<Spent> {
    let web = web(given);
    let mut settings = FetchSettings::new("scenthound-bench");
    settings.pins = pins(&web, given)?;
    let fetcher = Arc::new(Fetcher::new(settings)?);
    let urls: Vec<CanonicalUrl> = web
        .urls()
        .filter_map(|url| CanonicalUrl::parse(&url).ok())
        .collect();
    let concurrency = given.get_one::<usize>("concurrency").copied().unwrap_or(1);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let base_bytes = memory("VmRSS:");
    let (started, cpu) = (Instant::now(), cpu_time());
    let urls = Arc::new(urls);
    let next = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let pages = runtime.block_on(async {
        let workers: Vec<_> = (0..concurrency)
            .map(|_| {
                let (fetcher, urls, next) = (Arc::clone(&fetcher), Arc::clone(&urls), Arc::clone(&next));
                tokio::spawn(async move {
                    let mut pages = 0;
                    while let Some(url) = urls.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                        if let Ok(located) = fetcher.locate(url).await {
                            let fetched = fetcher.fetch(url, &located, Want::Page).await;
                            pages += u64::from(matches!(fetched.outcome, Outcome::Body { .. }));
                        }
                    }
                    pages
                })
            })
            .collect();
        let mut pages = 0;
        for worker in workers {
            pages += worker.await.unwrap_or(0);
        }
        pages
    });
    Ok(Spent {
        pages,
        seconds: started.elapsed().as_secs_f64(),
        cpu_seconds: (cpu_time() - cpu).as_secs_f64(),
        peak_bytes: memory("VmHWM:"),
        base_bytes,
        known: urls.len() as u64,
    })
}

fn crawl_settings(web: &BenchWeb, given: &ArgMatches) -> Result<Settings> {
    let strategy = given
        .get_one::<String>("strategy")
        .map_or("best-first", String::as_str);
    let concurrency = given.get_one::<usize>("concurrency").copied().unwrap_or(1);
    let options = [
        ("seed-urls", web.seed()),
        ("strategy", strategy.to_owned()),
        ("concurrency", concurrency.to_string()),
        ("delay", "0s".to_owned()),
        ("ip-delay", "0s".to_owned()),
        ("genre-terms", "guide".to_owned()),
        ("genre-terms", "review".to_owned()),
    ];
    let options: Vec<Given> = options
        .into_iter()
        .map(|(name, value)| Given::new(name, value))
        .collect();
    crawl::check_settings("water house light garden music history", &options)?
        .map_err(|faults| anyhow::anyhow!("the settings of the bench are not valid:\n{faults}"))
}

/// Crawls the web with everything on.
fn crawl_all(given: &ArgMatches) -> Result<Spent> {
    let web = web(given);
    let settings = crawl_settings(&web, given)?;
    let pins = pins(&web, given)?;
    drop(web);
    let output = given
        .get_one::<PathBuf>("output")
        .context("--output says where to crawl")?;
    let folder = CrawlFolder::open_or_create(output)?;
    let mut crawler = Crawler::with_settings(settings, output)?;
    crawler.live_settings().fetch.pins = pins;
    let base_bytes = memory("VmRSS:");
    let (started, cpu) = (Instant::now(), cpu_time());
    let summary = crawl::crawl(crawler, &folder, None)?;
    Ok(Spent {
        pages: summary.tally.bodies,
        seconds: started.elapsed().as_secs_f64(),
        cpu_seconds: (cpu_time() - cpu).as_secs_f64(),
        peak_bytes: memory("VmHWM:"),
        base_bytes,
        known: summary.counts.known,
    })
}

/// A process of this program, stopped when it is dropped.
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

fn part(name: &str, given: &ArgMatches) -> Result<Process> {
    let mut process = Process::new(std::env::current_exe().context("could not find this program")?);
    process.arg("bench").arg(name);
    for number in ["pages", "hosts", "bytes", "links", "concurrency"] {
        let value = given.get_one::<usize>(number).copied().unwrap_or(1);
        process.arg(format!("--{number}")).arg(value.to_string());
    }
    if let Some(strategy) = given.get_one::<String>("strategy") {
        process.arg("--strategy").arg(strategy);
    }
    Ok(process)
}

fn start_server(given: &ArgMatches) -> Result<Server> {
    let mut process = part("serve", given)?
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

fn run_part(name: &str, server: &Server, folder: &Path, given: &ArgMatches) -> Result<Spent> {
    let output = part(name, given)?
        .arg("--server")
        .arg(server.addr.to_string())
        .arg("--output")
        .arg(folder)
        .stderr(Stdio::inherit())
        .output()?;
    anyhow::ensure!(output.status.success(), "the {name} part failed");
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn measure(given: &ArgMatches) -> Result<()> {
    let temporary = tempfile::tempdir().context("no temporary folder can be made")?;
    let folder = given
        .get_one::<PathBuf>("output")
        .cloned()
        .unwrap_or_else(|| temporary.path().join("bench"));
    let truth = given.get_one::<usize>("pages").copied().unwrap_or(0) as u64;
    let server = start_server(given)?;
    eprintln!("fetching all pages and looking at none…");
    let fetch = run_part("fetch", &server, &folder, given)?;
    eprintln!("crawling with everything on…");
    let crawl = run_part("crawl", &server, &folder, given)?;
    drop(server);
    let missed = truth.saturating_sub(crawl.pages);
    let per_url = crawl.peak_bytes.saturating_sub(crawl.base_bytes) as f64 / crawl.known.max(1) as f64;
    let on_disk = disk_use(&folder);
    if given.get_flag("json") {
        println!(
            "{}",
            serde_json::json!({
                "fetch": fetch, "crawl": crawl, "missed": missed, "disk_bytes": on_disk,
                "cpu_seconds_per_1000_pages": crawl.cpu_per_thousand(),
                "fetch_cpu_seconds_per_1000_pages": fetch.cpu_per_thousand(),
                "pages_per_second": crawl.pages_per_second(),
                "fetch_pages_per_second": fetch.pages_per_second(),
                "bytes_per_known_url": per_url,
            })
        );
        return Ok(());
    }
    println!(
        "a web of {truth} pages, {} strategy",
        given.get_one::<String>("strategy").map_or("", String::as_str)
    );
    println!("                           fetching alone   whole crawl");
    let row = |name: &str, fetch: String, crawl: String| println!("{name:<26} {fetch:>14} {crawl:>13}");
    row("pages", fetch.pages.to_string(), crawl.pages.to_string());
    row("pages missed", String::new(), missed.to_string());
    row(
        "pages/s",
        format!("{:.0}", fetch.pages_per_second()),
        format!("{:.0}", crawl.pages_per_second()),
    );
    row(
        "CPU s per 1,000 pages",
        format!("{:.3}", fetch.cpu_per_thousand()),
        format!("{:.3}", crawl.cpu_per_thousand()),
    );
    let mib = |bytes: u64| format!("{:.1} MiB", bytes as f64 / (1 << 20) as f64);
    row("memory before", mib(fetch.base_bytes), mib(crawl.base_bytes));
    row("memory at its peak", mib(fetch.peak_bytes), mib(crawl.peak_bytes));
    row("  grown, per known URL", String::new(), format!("{per_url:.0} B"));
    row("disk", String::new(), mib(on_disk));
    println!(
        "the whole crawl costs {:.1} times the CPU of fetching alone",
        crawl.cpu_per_thousand() / fetch.cpu_per_thousand()
    );
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
