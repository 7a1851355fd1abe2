//! `logs/requests.log`: one line per request, for whoever wants to see what went out and what came back.
//!
//! The page records say more and are committed with the crawl. The log is for reading and for tools such as `tail` and `grep`:
//! a crash may cost its last lines, and a crawl does not fail because of it.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use scenthound_store::PageRecord;

/// A longer log is moved aside, and a new one begins.
const MOST_BYTES: u64 = 256 << 20;

/// The log of a crawl.
pub(crate) struct RequestLog {
    path: PathBuf,
    out: Option<BufWriter<File>>,
    bytes: u64,
}

impl RequestLog {
    /// Opens the log in the folder of logs.
    pub fn open(logs: &Path) -> RequestLog {
        let path = logs.join("requests.log");
        let bytes = std::fs::metadata(&path).map_or(0, |file| file.len());
        let mut log = RequestLog {
            path,
            out: None,
            bytes,
        };
        let opened = append_to(&log.path);
        log.out = log.or_warn(opened);
        log
    }

    /// Adds a request, unless none was made.
    pub fn add(&mut self, record: &PageRecord) {
        if record.unasked {
            return;
        }
        if self.bytes > MOST_BYTES {
            let moved = std::fs::rename(&self.path, self.path.with_extension("log.1"));
            let opened = moved.and_then(|()| append_to(&self.path));
            self.out = self.or_warn(opened);
            self.bytes = 0;
        }
        let Some(out) = &mut self.out else { return };
        let line = line_of(record);
        self.bytes += line.len() as u64;
        let written = out.write_all(line.as_bytes());
        if self.or_warn(written).is_none() {
            self.out = None;
        }
    }

    /// Hands what was added to the system.
    pub fn flush(&mut self) {
        let Some(out) = &mut self.out else { return };
        let flushed = out.flush();
        if self.or_warn(flushed).is_none() {
            self.out = None;
        }
    }

    fn or_warn<T>(&self, result: io::Result<T>) -> Option<T> {
        result
            .map_err(|error| tracing::warn!("could not write to {}: {error}", self.path.display()))
            .ok()
    }
}

fn append_to(path: &Path) -> io::Result<BufWriter<File>> {
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    Ok(BufWriter::with_capacity(32 << 10, file))
}

/// Time, kind, status, outcome, bytes, milliseconds, relevance and URL, with `-` for what there is not.
fn line_of(record: &PageRecord) -> String {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    format!(
        "{} {} {} {} {} {} {} {}\n",
        record.fetched_at,
        record.kind.name(),
        or_dash(record.status.map(|status| status.to_string())),
        record.outcome,
        record.bytes,
        record.ms,
        or_dash(record.relevance.map(|relevance| format!("{relevance:.3}"))),
        record.url,
    )
}
