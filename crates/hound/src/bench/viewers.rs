//! What people who look at the dashboard cost the crawl: `hound bench --viewers N`.
//!
//! One crawl with a dashboard in its process. Viewers come and go: nobody looks for a while, then all of them do, and so on until
//! the crawl ends. What the crawl did in each stretch is compared with the stretches before and after it, so that other work
//! on the machine, and a crawl that grows slower as it grows larger, weigh on both sides alike.
//!
//! A viewer does what the page does: it listens to events and asks for the overview every few seconds. Viewers run at low
//! priority, because in earnest they would be on other machines.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde::Serialize;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use super::peer::TICKS;
use super::{Server, Spent, part};
use crate::table::{Align, Table};
use crate::wording::counted;

/// How long viewers stay, and stay away.
const STRETCH: Duration = Duration::from_secs(8);
/// Left out of a stretch: viewers connect or leave, and the crawl writes its figures once a second.
const SETTLING: Duration = Duration::from_millis(1_500);
/// How often the page asks for the overview.
const ASK_EVERY: Duration = Duration::from_millis(2_500);
/// How much viewers step back for the crawl.
const NICENESS: i32 = 10;
/// How often the figures of the crawl are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The figures of a crawl at one moment.
#[derive(Clone, Copy, Debug)]
struct Moment {
    pages: u64,
    running: Duration,
    /// CPU seconds of the crawl without the dashboard.
    crawl: f64,
    /// CPU seconds of the dashboard.
    dashboard: f64,
}

/// What happened between two moments.
#[derive(Clone, Copy, Debug, Serialize)]
struct Stretch {
    viewers: usize,
    seconds: f64,
    pages: u64,
    crawl_cpu_seconds: f64,
    dashboard_cpu_seconds: f64,
}

impl Stretch {
    fn between(viewers: usize, from: Moment, to: Moment) -> Stretch {
        Stretch {
            viewers,
            seconds: (to.running.saturating_sub(from.running)).as_secs_f64(),
            pages: to.pages - from.pages,
            crawl_cpu_seconds: to.crawl - from.crawl,
            dashboard_cpu_seconds: to.dashboard - from.dashboard,
        }
    }

    fn pages_per_second(&self) -> f64 {
        self.pages as f64 / self.seconds.max(1e-9)
    }

    fn cpu_per_thousand(&self) -> f64 {
        1000.0 * self.crawl_cpu_seconds / self.pages.max(1) as f64
    }
}

/// The ratio of what was with viewers to what was without.
#[derive(Clone, Copy, Debug, Serialize)]
struct Ratio {
    mean: f64,
    /// Half the width of the interval that holds the true mean in 95 of 100 cases, roughly.
    within: f64,
}

/// The ratio of each stretch with viewers to the mean of its neighbours without.
fn ratio(stretches: &[Stretch], of: impl Fn(&Stretch) -> f64) -> Option<Ratio> {
    let logs: Vec<f64> = stretches
        .windows(3)
        .filter(|three| three[1].viewers > 0 && three.iter().all(|stretch| stretch.pages > 0))
        .map(|three| (2.0 * of(&three[1]) / (of(&three[0]) + of(&three[2]))).ln())
        .collect();
    let number = logs.len() as f64;
    if number < 2.0 {
        return None;
    }
    let mean = logs.iter().sum::<f64>() / number;
    let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (number - 1.0);
    Some(Ratio {
        mean: mean.exp(),
        within: mean.exp() * 2.0 * (variance / number).sqrt(),
    })
}

/// The crawl, ended with the measurement.
struct Crawl {
    process: Child,
    dashboard: SocketAddr,
    threads: DashboardThreads,
    /// What it prints after the address.
    rest: BufReader<std::process::ChildStdout>,
}

impl Crawl {
    fn start(server: &Server, folder: &Path) -> Result<Crawl> {
        let mut process = part("crawl")?
            .args(["--server", &server.addr.to_string(), "--pages"])
            .args([&server.pages.to_string(), "--output"])
            .arg(folder)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut rest = BufReader::new(process.stdout.take().context("the crawl has no output")?);
        let mut line = String::new();
        anyhow::ensure!(rest.read_line(&mut line)? > 0, "the crawl part failed");
        let dashboard = line
            .trim()
            .parse()
            .context("the crawl did not say where its dashboard is")?;
        Ok(Crawl {
            process,
            dashboard,
            threads: DashboardThreads::default(),
            rest,
        })
    }

    fn has_ended(&mut self) -> Result<bool> {
        Ok(self.process.try_wait()?.is_some())
    }

    fn finish(mut self) -> Result<Spent> {
        let mut text = String::new();
        self.rest.read_to_string(&mut text)?;
        anyhow::ensure!(self.process.wait()?.success(), "the crawl part failed");
        Ok(serde_json::from_str(&text)?)
    }
}

impl Drop for Crawl {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The CPU time that each thread of a dashboard was last seen to have spent. Threads end, and their time with them.
#[derive(Default)]
struct DashboardThreads(HashMap<OsString, f64>);

impl DashboardThreads {
    /// CPU seconds of a process without its dashboard, and of the dashboard.
    fn look(&mut self, process: u32) -> Option<(f64, f64)> {
        let folder = Path::new("/proc").join(process.to_string());
        let (_, all) = spent(&folder.join("stat"))?;
        for thread in std::fs::read_dir(folder.join("task")).ok()?.flatten() {
            if let Some((name, seconds)) = spent(&thread.path().join("stat"))
                && name.starts_with("dashboard")
            {
                self.0.insert(thread.file_name(), seconds);
            }
        }
        let dashboard: f64 = self.0.values().sum();
        Some((all - dashboard, dashboard))
    }
}

/// The name of a process or a thread, and its CPU seconds.
fn spent(path: &Path) -> Option<(String, f64)> {
    let facts = std::fs::read_to_string(path).ok()?;
    // The name comes first, in brackets, and may hold anything.
    let (name, fields) = facts.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    let (_, name) = name.split_once('(')?;
    Some((name.to_owned(), (ticks(11)? + ticks(12)?) / TICKS))
}

/// The figures as the crawl last wrote them, right after it did: waits for the next ones. None once it has ended.
fn look(crawl: &mut Crawl, folder: &Path) -> Result<Option<Moment>> {
    let process = crawl.process.id();
    let path = folder.join("logs/status.json");
    let running = || -> Option<(u64, u64)> {
        let figures: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).ok()?).ok()?;
        Some((figures["pages"].as_u64()?, figures["running_ms"].as_u64()?))
    };
    let before = running();
    loop {
        if crawl.has_ended()? {
            return Ok(None);
        }
        if let Some((pages, ms)) = running()
            && Some((pages, ms)) != before
            && let Some((of_crawl, dashboard)) = crawl.threads.look(process)
        {
            return Ok(Some(Moment {
                pages,
                running: Duration::from_millis(ms),
                crawl: of_crawl,
                dashboard,
            }));
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// Listens to events until it is dropped.
async fn listen(dashboard: SocketAddr) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(dashboard).await?;
    let request = format!("GET /api/v1/events HTTP/1.1\r\nHost: {dashboard}\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut buffer = vec![0; 16 << 10];
    while stream.read(&mut buffer).await? > 0 {}
    Ok(())
}

/// Asks for the overview again and again, on one connection.
async fn ask(dashboard: SocketAddr, crawl: &str, after: Duration) -> std::io::Result<()> {
    tokio::time::sleep(after).await;
    let mut stream = tokio::io::BufReader::new(TcpStream::connect(dashboard).await?);
    let request = format!("GET /api/v1/crawls/{crawl}/overview HTTP/1.1\r\nHost: {dashboard}\r\n\r\n");
    let mut clock = tokio::time::interval(ASK_EVERY);
    let (mut line, mut body) = (String::new(), Vec::new());
    loop {
        clock.tick().await;
        stream.get_mut().write_all(request.as_bytes()).await?;
        let mut length = 0;
        loop {
            line.clear();
            if stream.read_line(&mut line).await? == 0 {
                return Ok(());
            }
            let head = line.trim().to_ascii_lowercase();
            if let Some(value) = head.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or_default();
            }
            if head.is_empty() {
                break;
            }
        }
        body.resize(length, 0);
        stream.read_exact(&mut body).await?;
    }
}

/// Everybody who looks, until they are dropped.
fn come(
    runtime: &Runtime,
    viewers: usize,
    dashboard: SocketAddr,
    crawl: &str,
) -> JoinSet<std::io::Result<()>> {
    let mut all = JoinSet::new();
    for viewer in 0..viewers {
        let crawl = crawl.to_owned();
        // Nobody arranges when people look.
        let after = ASK_EVERY.mul_f64(viewer as f64 / viewers as f64);
        all.spawn_on(listen(dashboard), runtime.handle());
        all.spawn_on(
            async move { ask(dashboard, &crawl, after).await },
            runtime.handle(),
        );
    }
    all
}

/// The stretches of one crawl, with and without viewers in turn.
fn run(viewers: usize, server: &Server, folder: &Path) -> Result<(Vec<Stretch>, Spent)> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .on_thread_start(|| {
            // On Linux this concerns the calling thread only. It may fail without harm.
            let _ = rustix::process::nice(NICENESS);
        })
        .enable_all()
        .build()?;
    let name = folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let mut crawl = Crawl::start(server, folder)?;
    let mut stretches = Vec::new();
    for number in 0.. {
        let here = if number % 2 == 0 { 0 } else { viewers };
        let mut guests = come(&runtime, here, crawl.dashboard, &name);
        std::thread::sleep(SETTLING);
        let Some(from) = look(&mut crawl, folder)? else {
            break;
        };
        let until = Instant::now() + STRETCH;
        while Instant::now() < until && !crawl.has_ended()? {
            crawl.threads.look(crawl.process.id());
            std::thread::sleep(LOOK_EVERY);
        }
        let Some(to) = look(&mut crawl, folder)? else {
            break;
        };
        // One that was turned away would make the figures too good.
        let left = std::iter::from_fn(|| guests.try_join_next()).count();
        anyhow::ensure!(left == 0, "{left} of {} connections were closed", 2 * here);
        stretches.push(Stretch::between(here, from, to));
    }
    Ok((stretches, crawl.finish()?))
}

/// Sums of the stretches with this many viewers.
fn sum(stretches: &[Stretch], viewers: usize) -> Stretch {
    let none = Stretch {
        viewers,
        seconds: 0.0,
        pages: 0,
        crawl_cpu_seconds: 0.0,
        dashboard_cpu_seconds: 0.0,
    };
    let some = stretches.iter().filter(|stretch| stretch.viewers == viewers);
    some.fold(none, |sum, stretch| Stretch {
        viewers,
        seconds: sum.seconds + stretch.seconds,
        pages: sum.pages + stretch.pages,
        crawl_cpu_seconds: sum.crawl_cpu_seconds + stretch.crawl_cpu_seconds,
        dashboard_cpu_seconds: sum.dashboard_cpu_seconds + stretch.dashboard_cpu_seconds,
    })
}

/// Measures one crawl and prints what viewers changed.
pub fn measure(viewers: usize, is_json: bool, server: &Server, folder: &Path) -> Result<()> {
    note!(
        "crawling; every {} seconds, {} come or go…",
        STRETCH.as_secs(),
        counted(viewers as u64, "viewer")
    );
    let (stretches, spent) = run(viewers, server, folder)?;
    let (without, with) = (sum(&stretches, 0), sum(&stretches, viewers));
    let speed = ratio(&stretches, Stretch::pages_per_second);
    let cpu = ratio(&stretches, Stretch::cpu_per_thousand);
    if is_json {
        return crate::stdout::json(&serde_json::json!({
            "crawl": spent, "stretches": stretches, "without": without, "with": with,
            "pages_per_second_ratio": speed, "cpu_per_page_ratio": cpu,
        }));
    }
    anyhow::ensure!(
        speed.is_some(),
        "the crawl was over too soon to compare; give it more --pages"
    );
    let mut table = Table::new(&[
        ("viewers", Align::Right),
        ("seconds", Align::Right),
        ("pages", Align::Right),
        ("pages/s", Align::Right),
        ("CPU s per 1,000 pages", Align::Right),
        ("dashboard, CPU s", Align::Right),
        ("share of the crawl's", Align::Right),
    ]);
    for sums in [without, with] {
        let share = 100.0 * sums.dashboard_cpu_seconds / sums.crawl_cpu_seconds.max(1e-9);
        table.row(
            vec![
                sums.viewers.to_string(),
                format!("{:.0}", sums.seconds),
                sums.pages.to_string(),
                format!("{:.1}", sums.pages_per_second()),
                format!("{:.3}", sums.cpu_per_thousand()),
                format!("{:.2}", sums.dashboard_cpu_seconds),
                format!("{share:.1} %"),
            ],
            Vec::new(),
        );
    }
    crate::stdout::write(|out| Ok(crate::table::show(&table, out)?))?;
    for (name, ratio) in [("pages/s", speed), ("CPU per page", cpu)] {
        if let Some(Ratio { mean, within }) = ratio {
            say!("{name} with viewers to without: {mean:.3} ± {within:.3}");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(viewers: usize, pages: u64) -> Stretch {
        Stretch {
            viewers,
            seconds: 1.0,
            pages,
            crawl_cpu_seconds: 1.0,
            dashboard_cpu_seconds: 0.0,
        }
    }

    #[test]
    fn a_crawl_that_slows_down_evenly_is_not_blamed_on_the_viewers() {
        let pages = [100, 90, 80, 70, 60, 50, 40];
        let stretches: Vec<Stretch> = (0..)
            .zip(pages)
            .map(|(at, pages)| stretch(at % 2, pages))
            .collect();
        let Some(found) = ratio(&stretches, Stretch::pages_per_second) else {
            panic!("there are three comparisons");
        };
        assert!(
            (found.mean - 1.0).abs() < 1e-9 && found.within < 1e-9,
            "{found:?}"
        );
    }

    #[test]
    fn viewers_that_halve_the_speed_are_noticed() {
        let stretches: Vec<Stretch> = (0..9).map(|at| stretch(at % 2, [100, 50][at % 2])).collect();
        let found = ratio(&stretches, Stretch::pages_per_second).map(|ratio| ratio.mean);
        assert!(found.is_some_and(|mean| (mean - 0.5).abs() < 1e-9), "{found:?}");
        assert!(
            ratio(&stretches[..3], Stretch::pages_per_second).is_none(),
            "one is too few"
        );
    }
}
