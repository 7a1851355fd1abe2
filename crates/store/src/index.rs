//! `indexes/`: where each URL is in the archive, as sorted CDXJ lines that replay tools read.
//!
//! Each WARC file has its own index. While a file grows, its lines go to a log in the order they are written; once the
//! file is complete, or the crawl pauses, they are sorted into `NAME.cdxj`. Beside `archive/`, the folder has the layout of
//! a pywb collection and of a WACZ file.
//!
//! **Invariant:** the archive is the truth. Every line can be made again from it, so the index is never part of a commit:
//! on opening, lines beyond the committed end of the archive are dropped, and missing ones are read from the archive.
//!
//! The same lines say which payloads are stored already, so that a repeated one is recorded as a revisit.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use scenthound_types::{ArchiveFormat, CanonicalUrl, media_type};
use serde::{Deserialize, Serialize};

use crate::append::AppendFile;
use crate::archive::Position;
use crate::error::{Context, Result};
use crate::folder::{Layout, replace};
use crate::pack::{PackedExchange, RecordKind};
use crate::url_key::url_key;
use crate::warc::{ReadLimits, WarcReader, WarcRecord};

const REVISIT: &str = "warc/revisit";
/// Longer lines are not ours.
const LONGEST_LINE: usize = 64 << 10;

/// A line of a CDXJ index, without its key and timestamp.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct IndexLine {
    /// The URL.
    pub url: String,
    /// The media type; `warc/revisit` if the payload is stored elsewhere.
    pub mime: String,
    /// The HTTP status.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub status: Option<String>,
    /// The payload's digest.
    pub digest: String,
    /// Bytes of the record.
    pub length: String,
    /// Where the record begins.
    pub offset: String,
    /// The WARC file.
    pub filename: String,
}

impl IndexLine {
    fn of_exchange(position: &Position, exchange: &PackedExchange) -> Option<String> {
        let response = exchange.response.as_ref()?;
        let is_revisit = matches!(exchange.parts().first(), Some((RecordKind::Revisit, _)));
        let mime = match &response.media_type {
            _ if is_revisit => REVISIT.to_owned(),
            Some(media_type) => media_type.clone(),
            None => "unk".to_owned(),
        };
        let line = IndexLine {
            url: response.url.to_string(),
            mime,
            status: response.status.map(|status| status.to_string()),
            digest: response.digest.clone(),
            length: position.length.to_string(),
            offset: position.offset.to_string(),
            filename: position.file.to_string(),
        };
        line.text(&exchange.date.to_rfc3339())
    }

    fn of_record(record: &WarcRecord, file: &str, end: u64) -> Option<String> {
        let is_revisit = record.is_kind("revisit");
        if !is_revisit && !record.is_kind("response") {
            return None;
        }
        let offset = record.offset?;
        let http = crate::HttpResponse::parse(&record.block);
        let mime = match http
            .as_ref()
            .and_then(|http| media_type(http.header("content-type")?))
        {
            _ if is_revisit => REVISIT.to_owned(),
            Some(media_type) => media_type.to_ascii_lowercase(),
            None => "unk".to_owned(),
        };
        let line = IndexLine {
            url: record.target_uri()?.to_owned(),
            mime,
            status: http.map(|http| http.status.to_string()),
            digest: record.field("WARC-Payload-Digest").unwrap_or("-").to_owned(),
            length: end.saturating_sub(offset).to_string(),
            offset: offset.to_string(),
            filename: file.to_owned(),
        };
        line.text(record.field("WARC-Date").unwrap_or_default())
    }

    /// The whole line; none if the URL is not one that can be looked up.
    fn text(&self, date: &str) -> Option<String> {
        let key = url_key(&CanonicalUrl::parse(&self.url).ok()?);
        let timestamp: String = date.chars().filter(char::is_ascii_digit).take(14).collect();
        Some(format!("{key} {timestamp} {}", serde_json::to_string(self).ok()?))
    }

    fn parse(line: &str) -> Option<IndexLine> {
        let (_, rest) = line.split_once(" ")?;
        serde_json::from_str(rest.split_once(" ")?.1).ok()
    }
}

/// The index of a growing archive, and the payloads in it.
#[derive(Debug)]
pub(crate) struct ArchiveIndex {
    folder: PathBuf,
    /// The file whose lines are being logged.
    current: Option<(Arc<str>, AppendFile)>,
    files: Vec<Arc<str>>,
    /// Where a payload is stored, by the first bits of its digest: a number into `files`, and the offset.
    payloads: HashMap<u128, (u32, u64)>,
}

impl ArchiveIndex {
    /// Opens the index of an archive that has been cut back to its committed end already.
    pub(crate) fn open(layout: &Layout) -> Result<ArchiveIndex> {
        let folder = layout.indexes();
        fs::create_dir_all(&folder).context("create", &folder)?;
        let mut index = ArchiveIndex {
            folder,
            current: None,
            files: Vec::new(),
            payloads: HashMap::new(),
        };
        let archive = layout.archive();
        let names = warc_names(&archive)?;
        for (number, name) in names.iter().enumerate() {
            let is_last = number + 1 == names.len();
            let sorted = sorted_path(&index.folder, name);
            let log = log_path(&index.folder, name);
            let name: Arc<str> = Arc::from(name.as_str());
            if !is_last && !log.exists() && sorted.exists() {
                let known = BufReader::new(File::open(&sorted).context("open", &sorted)?);
                for line in known.lines() {
                    index.learn(&name, &line.context("read", &sorted)?);
                }
                continue;
            }
            let lines = complete_lines(&archive, &index.folder, &name)?;
            for (_, line) in &lines {
                index.learn(&name, line);
            }
            if is_last {
                let mut text = String::new();
                for (end, line) in &lines {
                    text.push_str(&format!("{end} {line}\n"));
                }
                replace(&log, text.as_bytes())?;
                let (file, _) = AppendFile::open(&log, text.len() as u64, 0)?;
                index.current = Some((name, file));
            } else {
                write_sorted(&sorted, lines)?;
                remove(&log)?;
            }
        }
        Ok(index)
    }

    fn learn(&mut self, file: &Arc<str>, line: &str) {
        let Some(line) = IndexLine::parse(line) else {
            return;
        };
        if line.mime == REVISIT || line.status.as_deref() != Some("200") {
            return;
        }
        if let Ok(offset) = line.offset.parse() {
            self.remember(file, &line.digest, offset);
        }
    }

    fn remember(&mut self, file: &Arc<str>, digest: &str, offset: u64) {
        if self.files.last() != Some(file) {
            self.files.push(Arc::clone(file));
        }
        let number = u32::try_from(self.files.len() - 1).unwrap_or(u32::MAX);
        if let Some(key) = payload_key(digest) {
            self.payloads.entry(key).or_insert((number, offset));
        }
    }

    /// Where a payload is stored already.
    pub(crate) fn payload(&self, digest: &str) -> Option<(&str, u64)> {
        let (file, offset) = self.payloads.get(&payload_key(digest)?)?;
        Some((self.files.get(*file as usize)?, *offset))
    }

    /// Adds an exchange that was appended to the archive, which now ends at `end`.
    pub(crate) fn append(&mut self, position: &Position, end: u64, exchange: &PackedExchange) -> Result<()> {
        if self
            .current
            .as_ref()
            .is_none_or(|(name, _)| *name != position.file)
        {
            if let Some((name, mut log)) = self.current.take() {
                log.flush()?;
                sort_log(&self.folder, &name)?;
            }
            let (log, _) = AppendFile::open(&log_path(&self.folder, &position.file), 0, u64::MAX)?;
            self.current = Some((Arc::clone(&position.file), log));
        }
        let line = IndexLine::of_exchange(position, exchange).unwrap_or_default();
        if let Some((_, log)) = &mut self.current {
            log.append(format!("{end} {line}\n").as_bytes())?;
        }
        if let (Some(response), Some((RecordKind::Response, _))) =
            (&exchange.response, exchange.parts().first())
            && response.is_shareable
        {
            self.remember(&position.file, &response.digest, position.offset);
        }
        Ok(())
    }

    /// Hands everything to the system.
    pub(crate) fn flush(&mut self) -> Result<()> {
        match &mut self.current {
            Some((_, log)) => log.flush(),
            None => Ok(()),
        }
    }
}

/// Writes the sorted index of every WARC file of a crawl that is not running.
pub fn bring_indexes_up_to_date(layout: &Layout) -> Result<()> {
    let folder = layout.indexes();
    fs::create_dir_all(&folder).context("create", &folder)?;
    let names = warc_names(&layout.archive())?;
    for (number, name) in names.iter().enumerate() {
        let sorted = sorted_path(&folder, name);
        let log = log_path(&folder, name);
        if log.exists() || !sorted.exists() {
            write_sorted(&sorted, complete_lines(&layout.archive(), &folder, name)?)?;
        }
        // The log of the last file is continued when the crawl is resumed.
        if number + 1 < names.len() {
            remove(&log)?;
        }
    }
    Ok(())
}

/// Writes the lines of all indexes in order, reading what is missing from the archive. Changes nothing in the folder, so it
/// works while a crawl is running. Returns the number of lines.
pub fn merge_indexes(layout: &Layout, out: &mut dyn Write) -> Result<u64> {
    let folder = layout.indexes();
    let mut sources: Vec<Box<dyn Iterator<Item = io::Result<String>>>> = Vec::new();
    for name in warc_names(&layout.archive())? {
        let sorted = sorted_path(&folder, &name);
        if sorted.exists() && !log_path(&folder, &name).exists() {
            let file = File::open(&sorted).context("open", &sorted)?;
            sources.push(Box::new(BufReader::new(file).lines()));
        } else {
            let lines = sorted_lines(complete_lines(&layout.archive(), &folder, &name)?);
            sources.push(Box::new(lines.into_iter().map(Ok)));
        }
    }
    let mut heads = BinaryHeap::new();
    for (number, source) in sources.iter_mut().enumerate() {
        if let Some(line) = source.next() {
            heads.push(Reverse((line.context("read", &folder)?, number)));
        }
    }
    let mut written = 0;
    while let Some(Reverse((line, number))) = heads.pop() {
        writeln!(out, "{line}").context("write to", &folder)?;
        written += 1;
        if let Some(next) = sources.get_mut(number).and_then(Iterator::next) {
            heads.push(Reverse((next.context("read", &folder)?, number)));
        }
    }
    Ok(written)
}

/// The sorted index lines of any WARC file with a gzip member or a zstd frame per record.
pub fn index_file(path: &Path, name: &str) -> Result<Vec<String>> {
    let length = fs::metadata(path).context("examine", path)?.len();
    let mut lines = Vec::new();
    scan(path, name, 0, length, &mut lines)?;
    Ok(sorted_lines(lines))
}

/// The WARC files of an archive, in order.
pub(crate) fn warc_names(archive: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(archive).context("list", archive)? {
        let name = entry.context("list", archive)?.file_name();
        names.extend(
            name.to_str()
                .filter(|name| ArchiveFormat::of_file(name).is_some())
                .map(str::to_owned),
        );
    }
    names.sort_unstable();
    Ok(names)
}

/// The logged lines of a file, each with the end of the archive after it; lines beyond the end of the file are dropped, and
/// those that the log lacks are read from the file.
fn complete_lines(archive: &Path, folder: &Path, name: &str) -> Result<Vec<(u64, String)>> {
    let path = archive.join(name);
    let length = fs::metadata(&path).context("examine", &path)?.len();
    let log = log_path(folder, name);
    let mut lines: Vec<(u64, String)> = Vec::new();
    let mut reached = 0;
    match fs::read(&log) {
        Ok(bytes) => {
            for line in bytes.split_inclusive(|byte| *byte == b'\n') {
                let Some(line) = line.strip_suffix(b"\n").filter(|line| line.len() < LONGEST_LINE) else {
                    break;
                };
                let Some((end, line)) = std::str::from_utf8(line)
                    .ok()
                    .and_then(|line| line.split_once(' '))
                    .and_then(|(end, line)| Some((end.parse::<u64>().ok()?, line)))
                else {
                    break;
                };
                if end > length || end < reached {
                    break;
                }
                reached = end;
                lines.push((end, line.to_owned()));
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error).context("read", &log),
    }
    if reached < length {
        scan(&path, name, reached, length, &mut lines)?;
    }
    Ok(lines)
}

/// Reads the lines of the records between two offsets from the archive itself.
fn scan(path: &Path, name: &str, from: u64, length: u64, lines: &mut Vec<(u64, String)>) -> Result<()> {
    let mut reader = WarcReader::open_at(path, from)?.with_limits(ReadLimits {
        // Enough for the heads of HTTP messages.
        block: 64 << 10,
        ..ReadLimits::default()
    });
    while let Some(Ok(record)) = reader.next() {
        let Some(end) = reader.boundary().filter(|end| *end <= length) else {
            break;
        };
        let line = IndexLine::of_record(&record, name, end).unwrap_or_default();
        lines.push((end, line));
    }
    Ok(())
}

fn sorted_lines(lines: Vec<(u64, String)>) -> Vec<String> {
    let mut lines: Vec<String> = lines.into_iter().map(|(_, line)| line).collect();
    lines.retain(|line| !line.is_empty());
    lines.sort_unstable();
    lines
}

fn write_sorted(path: &Path, lines: Vec<(u64, String)>) -> Result<()> {
    let mut text = String::new();
    for line in sorted_lines(lines) {
        text.push_str(&line);
        text.push('\n');
    }
    replace(path, text.as_bytes())
}

/// Sorts the log of a file that is complete. The log stays: until the next commit, a crash can make it current again.
fn sort_log(folder: &Path, name: &str) -> Result<()> {
    let log = log_path(folder, name);
    let text = fs::read_to_string(&log).context("read", &log)?;
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    let lines = lines.map(|(_, line)| (0, line.to_owned())).collect();
    write_sorted(&sorted_path(folder, name), lines)
}

fn sorted_path(folder: &Path, name: &str) -> PathBuf {
    let stem = ArchiveFormat::of_file(name).map_or(name, |(_, stem)| stem);
    folder.join(format!("{stem}.cdxj"))
}

fn log_path(folder: &Path, name: &str) -> PathBuf {
    let stem = ArchiveFormat::of_file(name).map_or(name, |(_, stem)| stem);
    folder.join(format!("{stem}.log"))
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error).context("delete", path),
        _ => Ok(()),
    }
}

/// The first 125 bits of a SHA-1 digest in base 32.
fn payload_key(digest: &str) -> Option<u128> {
    let digest = digest.strip_prefix("sha1:")?;
    let mut key = 0_u128;
    for byte in digest.bytes().take(25) {
        let bits = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'2'..=b'7' => byte - b'2' + 26,
            _ => return None,
        };
        key = key << 5 | u128::from(bits);
    }
    (digest.len() == 32).then_some(key)
}
