//! Another crawler beside ours: wget2, if it is installed.
//!
//! It mirrors the same web into a temporary folder. Its CPU time and memory come from /proc, so there are none where the
//! system has no such folder.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::Spent;

/// How often a process is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Linux counts the time of processes in hundredths of a second.
pub(super) const TICKS: f64 = 100.0;

/// Mirrors the web with wget2 and this many threads. None if wget2 is not installed.
pub fn wget2(seed: &str, threads: usize) -> Result<Option<Spent>> {
    let folder = tempfile::tempdir().context("could not create a temporary folder")?;
    let mut command = Command::new("wget2");
    command
        .args(["-q", "-r", "-l", "inf", "-H", "--no-robots", "--tries=2"])
        .arg(format!("--max-threads={threads}"))
        .arg("-P")
        .arg(folder.path())
        .arg(seed)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let started = Instant::now();
    let mut process = match command.spawn() {
        Ok(process) => process,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).context("could not start wget2"),
    };
    let (mut cpu_seconds, mut peak_bytes) = (0.0, 0);
    // Once it has ended, its figures are readable until it is waited for.
    while let Some(seen) = look_at(process.id()) {
        cpu_seconds = seen.cpu_seconds;
        peak_bytes = peak_bytes.max(seen.peak_bytes);
        if seen.has_ended {
            break;
        }
        std::thread::sleep(LOOK_EVERY);
    }
    let seconds = started.elapsed().as_secs_f64();
    process.wait().context("could not wait for wget2")?;
    let pages = files_in(folder.path());
    Ok(Some(Spent {
        pages,
        seconds,
        cpu_seconds,
        peak_bytes,
        base_bytes: 0,
        known: pages,
        stages: Vec::new(),
        ranking_cpu_seconds: 0.0,
        compressor: None,
    }))
}

pub(super) struct Seen {
    pub(super) cpu_seconds: f64,
    peak_bytes: u64,
    has_ended: bool,
}

/// The figures of a process; none once it is gone.
pub(super) fn look_at(id: u32) -> Option<Seen> {
    let folder = Path::new("/proc").join(id.to_string());
    let facts = std::fs::read_to_string(folder.join("stat")).ok()?;
    // The name of the program comes first, in brackets, and may hold anything.
    let fields: Vec<&str> = facts.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    let status = std::fs::read_to_string(folder.join("status")).unwrap_or_default();
    Some(Seen {
        cpu_seconds: (ticks(11)? + ticks(12)?) / TICKS,
        peak_bytes: super::memory_of(&status, "VmHWM:"),
        has_ended: *fields.first()? == "Z",
    })
}

fn files_in(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return 0;
    };
    entries
        .flatten()
        .map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => files_in(&entry.path()),
            _ => 1,
        })
        .sum()
}
