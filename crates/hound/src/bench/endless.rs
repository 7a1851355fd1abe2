//! Whether a long crawl stays as it began: `hound bench --time 1h --hosts 20000`.
//!
//! One crawl of a web without an end, looked at from outside at regular intervals: what a page costs, and what the crawl holds in
//! memory, in descriptors and on the disk for each URL it knows. Archive files that are complete are removed as it goes, because
//! they would fill the disk and are not what is measured.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use scenthound_types::ArchiveFormat;
use serde::Serialize;

use super::peer::look_at;
use super::{Args, Server, disk_use, finish_part, start_part};

/// How many times the crawl is looked at.
const LOOKS: u32 = 60;
/// The shortest time between two looks: a crawl writes its figures once a second.
const SHORTEST: Duration = Duration::from_secs(5);

/// The figures of the crawl at one moment.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Moment {
    seconds: f64,
    pages: u64,
    known: u64,
    hosts: u64,
    cpu_seconds: f64,
    resident_bytes: u64,
    descriptors: usize,
    state_bytes: u64,
}

pub fn measure(args: &Args, time: Duration, server: &Server, folder: &Path) -> Result<()> {
    note!(
        "crawling {} hosts without an end; finished archive files are removed…",
        args.hosts
    );
    let every = (time / LOOKS).max(SHORTEST);
    let mut crawl = start_part("crawl", server, folder, &["--quiet"])?;
    let started = Instant::now();
    let mut before = Moment::default();
    if !args.json {
        say!(
            "{:>8} {:>10} {:>8} {:>12} {:>11} {:>10} {:>8} {:>9} {:>7} {:>9}",
            "s",
            "pages",
            "pages/s",
            "CPU ms/page",
            "known URLs",
            "memory MB",
            "B a URL",
            "disk B/URL",
            "hosts",
            "descr."
        );
    }
    let mut next = started + every;
    while crawl.try_wait()?.is_none() {
        if Instant::now() < next {
            std::thread::sleep(Duration::from_millis(200));
            continue;
        }
        next += every;
        let Some(now) = look(crawl.id(), folder, started) else {
            continue;
        };
        remove_finished(folder);
        if args.json {
            crate::stdout::json(&now)?;
        } else {
            show(&before, &now);
        }
        before = now;
    }
    let spent = finish_part("crawl", crawl)?;
    if !args.json {
        say!(
            "in all {} pages, {:.2} CPU ms a page, {:.0} MB at the peak",
            spent.pages,
            spent.cpu_per_thousand(),
            spent.peak_bytes as f64 / 1e6
        );
    }
    Ok(())
}

fn show(before: &Moment, now: &Moment) {
    let pages = now.pages.saturating_sub(before.pages) as f64;
    let known = now.known.max(1) as f64;
    say!(
        "{:>8.0} {:>10} {:>8.0} {:>12.2} {:>11} {:>10.0} {:>8.0} {:>9.0} {:>7} {:>9}",
        now.seconds,
        now.pages,
        pages / (now.seconds - before.seconds).max(1e-9),
        1000.0 * (now.cpu_seconds - before.cpu_seconds) / pages.max(1.0),
        now.known,
        now.resident_bytes as f64 / 1e6,
        now.resident_bytes as f64 / known,
        now.state_bytes as f64 / known,
        now.hosts,
        now.descriptors,
    );
}

/// None while the crawl has not written its figures.
fn look(process: u32, folder: &Path, started: Instant) -> Option<Moment> {
    let figures: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("logs/status.json")).ok()?).ok()?;
    let figure = |name: &str| figures[name].as_u64();
    let of_process = Path::new("/proc").join(process.to_string());
    let status = std::fs::read_to_string(of_process.join("status")).ok()?;
    Some(Moment {
        seconds: started.elapsed().as_secs_f64(),
        pages: figure("pages")?,
        known: figure("known")?,
        hosts: figure("hosts")?,
        cpu_seconds: look_at(process)?.cpu_seconds,
        resident_bytes: super::memory_of(&status, "VmRSS:"),
        descriptors: std::fs::read_dir(of_process.join("fd")).ok()?.count(),
        state_bytes: disk_use(&folder.join("state")),
    })
}

/// Removes all archive files but the last. It may fail without harm.
fn remove_finished(folder: &Path) {
    let Ok(files) = std::fs::read_dir(folder.join("archive")) else {
        return;
    };
    let is_archive = |path: &Path| ArchiveFormat::of_file(&path.to_string_lossy()).is_some();
    let mut files: Vec<_> = files
        .flatten()
        .map(|file| file.path())
        .filter(|path| is_archive(path))
        .collect();
    files.sort();
    files.pop();
    for file in files {
        let _ = std::fs::remove_file(file);
    }
}
