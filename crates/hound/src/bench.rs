//! `hound bench`: what a crawl costs on this machine.
//!
//! Three processes of this program, so that each one's time and memory is its own: a server with a web of known size on
//! loopback, a run that only fetches all its pages, and a whole crawl of it with parsing, judging, frontier and archive.
//! A web made of real pages is also mirrored by wget2, if that is installed: on another machine or at another time, a
//! comparison would say little. With `--viewers`, only the crawl is run, with a dashboard that people look at now and then;
//! with `--collection`, crawls that make the archive searchable run in turn with crawls that do not; with `--cluster`, crawls over
//! Redis run in turn with crawls of one machine; with `--time`, one crawl of a web without an end is looked at as it goes.
//! Nothing is asserted; the figures are printed as they were measured.

mod cluster;
mod collection;
mod endless;
mod peer;
mod real;
mod viewers;

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::builder::PossibleValuesParser;
use clap::{ValueEnum, value_parser};
use scenthound::{Crawler, Ended};
use scenthound_config::{Given, Settings};
use scenthound_dashboard::{Dashboard, DashboardSettings};
use scenthound_fetch::{FetchSettings, Fetcher, Want};
use scenthound_live::{LiveEvent, Stage, StageTimes};
use scenthound_store::{Compression, CrawlFolder};
use scenthound_strategy::StrategyKind;
use scenthound_testweb::bench::{BenchSize, Naming, main_loop};
use scenthound_testweb::{BenchWeb, TestSite};
use scenthound_types::{ArchiveFormat, CanonicalUrl, Outcome};
use serde::{Deserialize, Serialize};

use crate::crawl;
use crate::progress::Progress;
use crate::table::{Align, Table};

#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  hound bench\n  hound bench --strategy best-first\n  hound bench --pages 200000 --links 50\n  \
                  hound bench --web webs/encyclopedia --web webs/university --rounds 3\n  hound bench --viewers 100 --pages 60000\n  \
                  hound bench --viewers 100 --delay 100ms\n  hound bench --collection --rounds 5\n  hound bench --cluster --rounds 5\n  hound bench --time 1h --hosts 20000 --delay 1s --bytes 8000 --concurrency 64\n  hound bench --json"
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
    #[arg(long, value_name = "NAME", default_value = DEFAULT_STRATEGY)]
    strategy: String,
    /// The judge; what a crawl uses if nothing is said.
    #[arg(long, value_name = "NAME")]
    judge: Option<String>,
    /// Make the web of the HTML pages in this archive, crawl folder or recorded web; --bytes and --links do not apply. May be
    /// repeated.
    #[arg(long, value_name = "WEB")]
    web: Vec<PathBuf>,
    /// The format of the archive.
    #[arg(long, value_name = "FORMAT", default_value = ArchiveFormat::Gz.name(), value_parser = PossibleValuesParser::new(ArchiveFormat::NAMES))]
    archive: String,
    /// Compress a .warc.gz archive by libdeflate, as on a machine without igzip.
    #[arg(long)]
    without_igzip: bool,
    /// Do not run wget2 beside the crawl of a web made of real pages.
    #[arg(long)]
    alone: bool,
    /// Time between two requests to a host. With a longer one, the crawl is limited by politeness instead of by the machine.
    #[arg(long, value_name = "DURATION", default_value = "0s", value_parser = checked_delay)]
    delay: String,
    /// Measure what this many viewers of the dashboard cost the crawl.
    #[arg(long, value_name = "N", conflicts_with = "web")]
    viewers: Option<NonZeroUsize>,
    /// Compare crawls that index the main text and look for near-duplicates with crawls that do neither.
    #[arg(long, conflicts_with = "viewers")]
    collection: bool,
    /// Compare crawls of several nodes over Redis, which is started on loopback, with crawls of one machine.
    #[arg(long, conflicts_with_all = ["viewers", "collection"])]
    cluster: bool,
    /// How many nodes share the crawl.
    #[arg(long, value_name = "N", default_value_t = 2, requires = "cluster", value_parser = value_parser!(u8).range(1..=16))]
    nodes: u8,
    /// How long nodes keep their shards when they cannot be heard of.
    #[arg(long, value_name = "SECONDS", default_value_t = 20, requires = "cluster", value_parser = value_parser!(u64).range(5..=3600))]
    lease: u64,
    /// Crawl for this long a web without an end, and show what a page and a known URL cost as time goes by.
    #[arg(long, value_name = "DURATION", value_parser = checked_delay, conflicts_with_all = ["viewers", "collection", "cluster", "web", "rounds"])]
    time: Option<String>,
    /// Memory that the crawl may take.
    #[arg(long, value_name = "SIZE")]
    max_memory: Option<String>,
    /// Repeat everything this many times.
    #[arg(long, value_name = "N", default_value_t = 1)]
    rounds: usize,
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
    /// Whether the crawl is one of the two that `--collection` compares.
    #[arg(long, hide = true)]
    with: Option<collection::Side>,
    /// The Redis server over which this crawl is one of several nodes…
    #[arg(long, hide = true)]
    redis: Option<String>,
    /// …and its name among them.
    #[arg(long, hide = true, requires = "redis")]
    node: Option<String>,
}

fn checked_delay(text: &str) -> Result<String, String> {
    match scenthound_config::read_time(text) {
        Some(_) => Ok(text.to_owned()),
        None => Err(format!("{text:?} is not a duration; write 500ms, 2s or 1m")),
    }
}

/// Pages of a host in a web without an end: more than any crawl here can fetch of it.
const ENDLESS: usize = 1_000;

/// What a crawl uses if nothing is said.
const DEFAULT_STRATEGY: &str = StrategyKind::Scent.name();

/// A part of the bench, in a process of its own.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Part {
    Serve,
    Fetch,
    Crawl,
}

/// What one process spent.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
    /// CPU seconds by stage, as far as a stage claims them.
    stages: Vec<(String, f64)>,
    /// CPU seconds of judging all pages again at the end, which are not part of the others.
    #[serde(default)]
    ranking_cpu_seconds: f64,
    /// What compressed the archive; none if nothing was archived.
    #[serde(default)]
    compressor: Option<String>,
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
            stages: Vec::new(),
            ranking_cpu_seconds: 0.0,
            compressor: None,
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

/// The web as a client sees it. For one made of real pages, only their number matters then.
fn web(args: &Args, naming: Naming) -> Result<BenchWeb> {
    if !args.web.is_empty() {
        let pages = vec![String::new(); args.pages];
        return Ok(BenchWeb::of_pages(pages, args.hosts, naming));
    }
    let size = BenchSize {
        hosts: args.hosts,
        pages: match args.time {
            Some(_) => args.pages.max(args.hosts * ENDLESS),
            None => args.pages,
        },
        bytes: args.bytes,
        links: args.links,
    };
    Ok(BenchWeb::new(size, naming))
}

/// How the hosts are called: by address if another crawler is to find them.
fn naming(args: &Args) -> Naming {
    match args.server {
        Some(server) if !args.web.is_empty() => Naming::Addresses { port: server.port() },
        // Shards are made of sites: hosts of one site would all be in the same shard.
        _ if args.cluster => Naming::Sites,
        // A crawl that lasts goes beyond the limits on hosts of one site.
        _ if args.time.is_some() => Naming::Sites,
        _ => Naming::Names,
    }
}

fn serve(args: &Args) -> Result<()> {
    if args.web.is_empty() {
        let listen = vec![SocketAddr::from(([127, 0, 0, 1], 0))];
        return announce(web(args, naming(args))?, listen);
    }
    let pages = real::pages(&args.web, args.pages)?;
    // A port that is free on the first address is almost certainly free on the others.
    let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
    let web = BenchWeb::of_pages(pages, args.hosts, Naming::Addresses { port });
    let hosts = web.hosts().into_iter().filter_map(|host| host.parse().ok());
    let listen = hosts.map(|host: IpAddr| SocketAddr::new(host, port)).collect();
    announce(web, listen)
}

/// Serves until the input ends, and prints the address and the number of pages.
fn announce(web: BenchWeb, listen: Vec<SocketAddr>) -> Result<()> {
    let pages = web.pages();
    main_loop(
        web,
        listen,
        |serving| println!("{} {pages}", serving.addr()),
        std::io::stdin(),
    )?;
    Ok(())
}

/// Where each host of the web is.
fn pins(web: &BenchWeb, args: &Args) -> Result<HashMap<String, SocketAddr>> {
    let server = args.server.context("--server says where the web is")?;
    let address = |host: &str| match host.parse::<IpAddr>() {
        Ok(ip) => SocketAddr::new(ip, server.port()),
        Err(_) => server,
    };
    let hosts = web.hosts().into_iter();
    Ok(hosts.map(|host| (host.clone(), address(&host))).collect())
}

/// Fetches every page without reading it: the limit of the client.
fn fetch_all(args: &Args) -> Result<Spent> {
    let web = web(args, naming(args))?;
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
    let (concurrency, seed) = (args.concurrency.to_string(), web.seed());
    let mut options = vec![
        ("seed-urls", seed.as_str()),
        ("strategy", &args.strategy),
        ("concurrency", &concurrency),
        ("delay", &args.delay),
        ("ip-delay", "0s"),
        ("archive", &args.archive),
        // Its hosts are endless series of alike pages, of which a crawl would leave most alone.
        ("allow-traps", "true"),
        ("genre-terms", "guide"),
        ("genre-terms", "review"),
    ];
    let time = args.time.as_deref();
    options.extend(time.map(|time| ("max-time", time)));
    options.extend(args.max_memory.as_deref().map(|size| ("max-memory", size)));
    options.extend(args.judge.as_deref().map(|judge| ("judge", judge)));
    options.extend((args.with == Some(collection::Side::Plain)).then_some(("follow-duplicates", "true")));
    let options: Vec<Given> = options
        .into_iter()
        .map(|(name, value)| Given::new(name, value))
        .collect();
    crawl::check_settings("water house light garden music history", &options)?
        .map_err(|faults| anyhow::anyhow!("the settings of the bench are not valid:\n{faults}"))
}

/// Crawls the web with parsing, judging, frontier and archive.
fn crawl_all(args: &Args) -> Result<Spent> {
    let web = web(args, naming(args))?;
    let settings = crawl_settings(&web, args)?;
    let pins = pins(&web, args)?;
    drop(web);
    let output = args.output.as_ref().context("--output says where to crawl")?;
    let folder = CrawlFolder::open_or_create(output)?;
    let mut crawler = Crawler::with_settings(settings, output)?;
    let stages = Arc::new(StageTimes::default());
    crawler.live_settings().fetch.pins = pins;
    crawler.live_settings().stages = Some(stages.clone());
    let archive = &mut crawler.live_settings().archive;
    if args.without_igzip && archive.compression == Compression::Gzip {
        archive.compression = Compression::PortableGzip;
    }
    let compressor = archive.compression.compressor();
    if args.time.is_some() {
        // Only complete files can be removed.
        crawler.live_settings().archive.roll_at = 100_000_000;
    }
    if let Some(redis) = &args.redis {
        let lease = Some(Duration::from_secs(args.lease));
        let name = args.node.as_deref().unwrap_or("a");
        crawler.join_cluster(redis, name, "bench", None, lease)?;
    }
    let mut dashboard = None;
    if args.viewers.is_some() {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let started = Dashboard::start(DashboardSettings::new(any, vec![output.clone()]))?;
        println!("{}", started.addr());
        dashboard = Some(started);
    }
    if let Some(side) = args.with {
        return collection::crawl(side, crawler, &folder);
    }
    // Judging again at the end makes no requests, so it is counted apart.
    let mut ended_at: Option<(Instant, Duration)> = None;
    // What viewers look at, and what tells how many pages were fetched while they did.
    let crawl = &crawler.settings().crawl;
    let is_watched = args.viewers.is_some() || args.time.is_some();
    let mut progress = is_watched.then(|| Progress::new(folder.layout().clone(), crawl));
    let mut spent = Spent::measure(|| {
        let summary = crawler.drive_in(&folder, &mut |event| match event {
            LiveEvent::Ranking { .. } => ended_at = Some((Instant::now(), cpu_time())),
            LiveEvent::Progress(snapshot) => {
                if let Some(progress) = &mut progress {
                    progress.show(snapshot);
                }
            }
            _ => {}
        })?;
        if matches!(summary.ended, Ended::Memory | Ended::Disk) {
            note!("the crawl ended early: {}", crawl::ending(&summary));
        }
        Ok((summary.tally.bodies, summary.counts.known))
    })?;
    drop(dashboard);
    if let Some((ended, cpu)) = ended_at {
        spent.ranking_cpu_seconds = (cpu_time() - cpu).as_secs_f64();
        spent.cpu_seconds -= spent.ranking_cpu_seconds;
        spent.seconds -= ended.elapsed().as_secs_f64();
    }
    let by_name = |(stage, time): (Stage, Duration)| (stage.name().to_owned(), time.as_secs_f64());
    spent.stages = stages.all().map(by_name).collect();
    spent.compressor = Some(compressor.to_owned());
    Ok(spent)
}

/// The process that serves the web, stopped when this is dropped.
struct Server {
    process: Child,
    addr: SocketAddr,
    pages: usize,
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
    if line.is_empty() {
        // It has said why on its own.
        let status = process.wait()?;
        anyhow::bail!("the server of the bench ended: {status}");
    }
    let (addr, pages) = line
        .trim()
        .split_once(' ')
        .and_then(|(addr, pages)| Some((addr.parse().ok()?, pages.parse().ok()?)))
        .context("the server did not say where it listens")?;
    Ok(Server { process, addr, pages })
}

fn run_part(name: &str, server: &Server, folder: &Path) -> Result<Spent> {
    run_part_with(name, server, folder, &[])
}

fn run_part_with(name: &str, server: &Server, folder: &Path, more: &[&str]) -> Result<Spent> {
    finish_part(name, start_part(name, server, folder, more)?)
}

fn start_part(name: &str, server: &Server, folder: &Path, more: &[&str]) -> Result<Child> {
    let process = part(name)?
        .args(more)
        .args(["--server", &server.addr.to_string(), "--pages"])
        .args([&server.pages.to_string(), "--output"])
        .arg(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()?;
    Ok(process)
}

fn finish_part(name: &str, process: Child) -> Result<Spent> {
    let output = process.wait_with_output()?;
    anyhow::ensure!(output.status.success(), "the {name} part failed");
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// One round of everything.
struct Round {
    fetch: Spent,
    crawl: Spent,
    wget2: Option<Spent>,
    on_disk: u64,
}

fn run_round(args: &Args, server: &Server, folder: &Path) -> Result<Round> {
    note!("fetching all pages without reading them…");
    let fetch = run_part("fetch", server, folder)?;
    note!("crawling with parsing, judging, frontier and archive…");
    let crawl = run_part("crawl", server, folder)?;
    let mut wget2 = None;
    if !args.web.is_empty() && !args.alone {
        note!("mirroring with wget2, if it is installed…");
        let seed = format!("http://{}/", server.addr);
        wget2 = peer::wget2(&seed, args.concurrency)?;
    }
    Ok(Round {
        fetch,
        crawl,
        wget2,
        on_disk: disk_use(folder),
    })
}

fn measure(args: &Args) -> Result<()> {
    let temporary = tempfile::tempdir().context("could not create a temporary folder")?;
    for web in &args.web {
        // A web that is not there is better reported here than by the server.
        scenthound_lab::recorded::archives_of(web)?;
    }
    let server = start_server()?;
    if args.collection {
        return collection::measure(args, &server, temporary.path());
    }
    if args.cluster {
        return cluster::measure(args, &server, temporary.path());
    }
    if let Some(time) = args.time.as_deref().and_then(scenthound_config::read_time) {
        let folder = args.output.clone();
        let folder = folder.unwrap_or_else(|| temporary.path().join("endless"));
        return endless::measure(args, time, &server, &folder);
    }
    for round in 1..=args.rounds.max(1) {
        // Each round needs a folder of its own: a second crawl of a folder would have nothing to do.
        let folder = match &args.output {
            Some(folder) if round == 1 => folder.clone(),
            _ => temporary.path().join(round.to_string()),
        };
        if let Some(viewers) = args.viewers {
            viewers::measure(viewers.get(), args.json, &server, &folder)?;
            continue;
        }
        let done = run_round(args, &server, &folder)?;
        if args.json {
            print_json(&done, &server)?;
        } else {
            print_table(args, &done, &server)?;
        }
    }
    Ok(())
}

fn missed(round: &Round, server: &Server) -> u64 {
    (server.pages as u64).saturating_sub(round.crawl.pages)
}

fn bytes_per_url(crawl: &Spent) -> f64 {
    crawl.peak_bytes.saturating_sub(crawl.base_bytes) as f64 / crawl.known.max(1) as f64
}

fn print_json(round: &Round, server: &Server) -> Result<()> {
    let Round {
        fetch,
        crawl,
        wget2,
        on_disk,
    } = round;
    crate::stdout::json(&serde_json::json!({
        "fetch": fetch, "crawl": crawl, "wget2": wget2, "missed": missed(round, server), "disk_bytes": on_disk,
        "cpu_seconds_per_1000_pages": crawl.cpu_per_thousand(),
        "fetch_cpu_seconds_per_1000_pages": fetch.cpu_per_thousand(),
        "wget2_cpu_seconds_per_1000_pages": wget2.as_ref().map(Spent::cpu_per_thousand),
        "pages_per_second": crawl.pages_per_second(),
        "fetch_pages_per_second": fetch.pages_per_second(),
        "bytes_per_known_url": bytes_per_url(crawl),
    }))
}

fn print_table(args: &Args, round: &Round, server: &Server) -> Result<()> {
    let Round {
        fetch,
        crawl,
        wget2,
        on_disk,
    } = round;
    let kind = if args.web.is_empty() {
        "pages"
    } else {
        "real pages"
    };
    say!("a web of {} {kind}, {} strategy", server.pages, args.strategy);
    let columns: Vec<(&str, &Spent)> = [("fetching alone", fetch), ("whole crawl", crawl)]
        .into_iter()
        .chain(wget2.as_ref().map(|wget2| ("wget2", wget2)))
        .collect();
    let mut heads = vec![("", Align::Left)];
    heads.extend(columns.iter().map(|(name, _)| (*name, Align::Right)));
    let mut table = Table::new(&heads);
    let mut row = |name: &str, of: &dyn Fn(&Spent) -> String| {
        let figures = columns.iter().map(|(_, spent)| of(spent));
        table.row(
            std::iter::once(name.to_owned()).chain(figures).collect(),
            Vec::new(),
        );
    };
    let mib = |bytes: u64| format!("{:.1} MiB", bytes as f64 / (1 << 20) as f64);
    row("pages", &|spent| spent.pages.to_string());
    row("pages/s", &|spent| format!("{:.0}", spent.pages_per_second()));
    row("CPU s per 1,000 pages", &|spent| {
        format!("{:.3}", spent.cpu_per_thousand())
    });
    row("memory before", &|spent| mib(spent.base_bytes));
    row("memory at its peak", &|spent| mib(spent.peak_bytes));
    let mut of_crawl = |name: String, figure: String| {
        let mut cells = vec![name, String::new(), figure];
        cells.resize(columns.len() + 1, String::new());
        table.row(cells, Vec::new());
    };
    of_crawl(
        "  grown, per known URL".to_owned(),
        format!("{:.0} B", bytes_per_url(crawl)),
    );
    of_crawl("disk".to_owned(), mib(*on_disk));
    of_crawl("pages missed".to_owned(), missed(round, server).to_string());
    for (stage, seconds) in stages(crawl) {
        let share = 100.0 * seconds / crawl.cpu_seconds.max(1e-9);
        let per_page = 1e6 * seconds / crawl.pages.max(1) as f64;
        of_crawl(format!("  {stage}"), format!("{share:.0} %  {per_page:.0} µs"));
    }
    if crawl.ranking_cpu_seconds > 0.0 {
        let per_page = 1e6 * crawl.ranking_cpu_seconds / crawl.pages.max(1) as f64;
        of_crawl(
            "judging all again at the end".to_owned(),
            format!("{per_page:.0} µs"),
        );
    }
    crate::stdout::write(|out| Ok(crate::table::show(&table, out)?))?;
    if let Some(compressor) = &crawl.compressor {
        say!("the archive was compressed by {compressor}");
    }
    let times = crawl.cpu_per_thousand() / fetch.cpu_per_thousand();
    say!("the whole crawl costs {times:.1} times the CPU of fetching alone");
    if let Some(wget2) = wget2 {
        let ratio = crawl.cpu_per_thousand() / wget2.cpu_per_thousand();
        say!("and {ratio:.2} times the CPU of wget2, which neither judges nor archives");
    }
    Ok(())
}

/// Where the CPU time went, by what a reader calls it.
fn stages(crawl: &Spent) -> Vec<(&str, f64)> {
    let name = |stage: &str| match Stage::from_name(stage) {
        Some(Stage::Parse) => "parsing",
        Some(Stage::Judge) => "judging pages and links",
        Some(Stage::Pack) => "archive: digests and gzip",
        Some(Stage::Next) => "choosing what to request",
        Some(Stage::Settle) => "strategy, frontier, records",
        Some(Stage::Commit) => "commits",
        None => "other",
    };
    let claimed: f64 = crawl.stages.iter().map(|(_, seconds)| seconds).sum();
    let named = crawl
        .stages
        .iter()
        .map(|(stage, seconds)| (name(stage), *seconds));
    let rest = (
        "requests, runtime, store threads",
        (crawl.cpu_seconds - claimed).max(0.0),
    );
    named.chain([rest]).collect()
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
    memory_of(&status, line)
}

fn memory_of(status: &str, line: &str) -> u64 {
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
