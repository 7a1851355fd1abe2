//! Reads WARC files of any origin: versions 0.17 to 1.1, plain, gzip or zstd, one member or frame
//! per record or one for the whole file.
//!
//! Nothing in a file can make the reader fail. Damage is reported and skipped where another record can be found, and
//! memory stays within [`ReadLimits`]. An `Err` in the iteration is a part of the file without a readable record; what is
//! wrong with a record that could be read is in [`WarcRecord::faults`].
//!
//! Deliberately absent: ARC files, and searching for the next member after damaged gzip data.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use scenthound_types::ArchiveFormat;
use sha1::{Digest, Sha1};

use crate::digest;
use crate::error::{Context, Error, Result};
use crate::fault::{self, Fault};
use crate::http::{self, HttpResponse};
use crate::members::{Members, Stop};
use crate::pack::PAYLOAD_AT;

/// How much of a record is kept in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadLimits {
    /// Bytes of a record's head; a longer one counts as damage.
    pub head: usize,
    /// Bytes of a block; of a longer one the beginning is kept.
    pub block: usize,
}

impl Default for ReadLimits {
    /// 64 KiB and 64 MiB.
    fn default() -> ReadLimits {
        ReadLimits {
            head: 64 << 10,
            block: 64 << 20,
        }
    }
}

/// A record as read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WarcRecord {
    /// What follows `WARC/`.
    pub version: String,
    /// The head's fields in order; continued lines are joined, and invalid UTF-8 is replaced.
    pub fields: Vec<(String, String)>,
    /// The block, up to the limit or to where it was cut.
    pub block: Vec<u8>,
    /// The block's length according to the head.
    pub block_length: u64,
    /// The offset for [`read_at`]; none in the middle of a member.
    pub offset: Option<u64>,
    /// What is wrong with it; empty for a good record.
    pub faults: Vec<Fault>,
}

impl WarcRecord {
    /// The first field of this name, in any case.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields
            .iter()
            .find(|(field, _)| field.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// `response`, `request`, `warcinfo`…; empty if missing.
    pub fn kind(&self) -> &str {
        self.field("WARC-Type").unwrap_or_default()
    }

    pub(crate) fn is_kind(&self, kind: &str) -> bool {
        self.kind().eq_ignore_ascii_case(kind)
    }

    /// The URI of the record, without the angle brackets some writers put around it.
    pub fn target_uri(&self) -> Option<&str> {
        let uri = self.field("WARC-Target-URI")?;
        Some(
            uri.strip_prefix('<')
                .and_then(|uri| uri.strip_suffix('>'))
                .unwrap_or(uri),
        )
    }

    /// The HTTP response of a response record.
    pub fn http(&self) -> Option<HttpResponse<'_>> {
        if !self.is_kind("response") {
            return None;
        }
        HttpResponse::parse(&self.block)
    }
}

/// Reads the records of one file, in order.
pub struct WarcReader<R> {
    path: PathBuf,
    members: Members<R>,
    limits: ReadLimits,
    /// A version line found after garbage, and its offset.
    held: Option<(Vec<u8>, Option<u64>)>,
}

impl<R> std::fmt::Debug for WarcReader<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WarcReader")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl WarcReader<BufReader<File>> {
    /// Reads a file from its beginning.
    pub fn open(path: &Path) -> Result<WarcReader<BufReader<File>>> {
        WarcReader::open_at(path, 0)
    }

    pub(crate) fn open_at(path: &Path, offset: u64) -> Result<WarcReader<BufReader<File>>> {
        let mut file = File::open(path).context("open", path)?;
        file.seek(SeekFrom::Start(offset)).context("read", path)?;
        WarcReader::from_offset(BufReader::with_capacity(64 << 10, file), path, offset)
    }
}

/// Reads the one record that begins at `offset`, in a plain file or in one with a gzip member or a zstd frame per record.
pub fn read_at(path: &Path, offset: u64) -> Result<WarcRecord> {
    WarcReader::open_at(path, offset)?.next().unwrap_or_else(|| {
        Err(Error::Damaged {
            path: path.to_owned(),
            offset,
            fault: Fault::Cut,
        })
    })
}

/// The response that a record of an archive file stands for. A revisit that we wrote becomes a response again: its own head, with
/// the body of the record it refers to, which is in the same file or beside it. Other records are returned as they are.
pub fn read_response(file: &Path, record: WarcRecord) -> Result<WarcRecord> {
    if !record.is_kind("revisit") {
        return Ok(record);
    }
    let Some((name, offset)) = payload_place(&record) else {
        return Ok(record);
    };
    let path = payload_path(file, name);
    let source = read_at(&path, offset)?;
    if !source.is_kind("response")
        || source.field("WARC-Payload-Digest") != record.field("WARC-Payload-Digest")
    {
        return Err(Error::Damaged {
            path,
            offset,
            fault: Fault::Digest,
        });
    }
    let mut response = record;
    let (_, payload) = http::split_head(http::skip_interim(&source.block));
    response.block.extend_from_slice(payload);
    response.block_length = response.block.len() as u64;
    response.faults.extend(source.faults);
    for (name, value) in &mut response.fields {
        if name.eq_ignore_ascii_case("WARC-Type") {
            "response".clone_into(value);
        }
    }
    Ok(response)
}

/// Where a revisit of ours says that its payload is: the name that the file had then, and the offset.
pub(crate) fn payload_place(record: &WarcRecord) -> Option<(&OsStr, u64)> {
    let (file, offset) = record.field(PAYLOAD_AT)?.rsplit_once(' ')?;
    Some((Path::new(file).file_name()?, offset.parse().ok()?))
}

/// The file that a revisit in `file` calls `name`. Both belong to one archive, and archives get other names when those of several
/// nodes are put into one folder. So the number counts, and the rest of the name is that of `file`, if such a file exists.
pub(crate) fn payload_path(file: &Path, name: &OsStr) -> PathBuf {
    let renamed = || {
        let number = archive_number(name.to_str()?)?.1;
        let (own, _) = archive_number(file.file_name()?.to_str()?)?;
        Some(file.with_file_name(format!("{own}{number}")))
    };
    renamed()
        .filter(|path| path.exists())
        .unwrap_or_else(|| file.with_file_name(name))
}

/// The name of an archive, and the number of its file with everything after it.
fn archive_number(file_name: &str) -> Option<(&str, &str)> {
    ArchiveFormat::of_file(file_name)
        .and_then(|(_, stem)| stem.rfind('-'))
        .and_then(|at| file_name.split_at_checked(at))
}

enum Line {
    Whole,
    /// The member ended before the line did.
    Open,
    TooLong,
}

impl<R: BufRead> WarcReader<R> {
    /// Reads from any source of bytes; `path` is only its name in errors.
    pub fn new(bytes: R, path: &Path) -> Result<WarcReader<R>> {
        WarcReader::from_offset(bytes, path, 0)
    }

    fn from_offset(bytes: R, path: &Path, offset: u64) -> Result<WarcReader<R>> {
        Ok(WarcReader {
            path: path.to_owned(),
            members: Members::new(bytes, offset).context("read", path)?,
            limits: ReadLimits::default(),
            held: None,
        })
    }

    /// The same reader with other limits.
    pub fn with_limits(self, limits: ReadLimits) -> WarcReader<R> {
        WarcReader { limits, ..self }
    }

    /// Where the file could be cut off now to end with a complete record; none in the middle of a member.
    pub(crate) fn boundary(&self) -> Option<u64> {
        (self.held.is_none() && self.members.at_boundary()).then(|| self.members.offset())
    }

    fn read_record(&mut self) -> Result<Option<WarcRecord>, Stop> {
        let mut line = Vec::new();
        let offset = match self.held.take() {
            Some((held, offset)) => {
                line = held;
                offset
            }
            None => {
                let Some(offset) = self.skip_blank_lines()? else {
                    return Ok(None);
                };
                self.read_line(&mut line)?;
                offset
            }
        };
        let Some(version) = version_of(&line) else {
            self.skip_garbage()?;
            return Err(Stop::Fault(Fault::Garbage));
        };
        let mut record = WarcRecord {
            version,
            fields: Vec::new(),
            block: Vec::new(),
            block_length: 0,
            offset,
            faults: Vec::new(),
        };
        self.read_fields(&mut record)?;
        let length = record.field("Content-Length").and_then(|n| n.parse::<u64>().ok());
        record.block_length = length.unwrap_or(0);
        let mut faults = std::mem::take(&mut record.faults);
        fault::check_head(&record, &mut faults);
        // From here on the record is useful, so damage is noted in it, and the next call ends the reading.
        match self.read_block(&mut record, &mut faults) {
            Ok(()) => {}
            Err(Stop::Fault(fault)) => faults.push(fault),
            Err(stop) => return Err(stop),
        }
        record.faults = faults;
        Ok(Some(record))
    }

    /// Moves to the next byte that can begin a record and returns its offset for [`read_at`]; none at the end of the file.
    #[expect(clippy::option_option, reason = "no record, or a record without an entrance")]
    fn skip_blank_lines(&mut self) -> Result<Option<Option<u64>>, Stop> {
        let mut entrance = None;
        loop {
            if !self.members.enter_next()? {
                return Ok(None);
            }
            entrance = self.members.entrance().or(entrance);
            match self.members.fill()?.first() {
                Some(b'\r' | b'\n') => self.members.consume(1),
                _ => return Ok(Some(entrance)),
            }
        }
    }

    /// Appends the rest of the line, without its end, up to the head's limit.
    fn read_line(&mut self, line: &mut Vec<u8>) -> Result<Line, Stop> {
        loop {
            let limit = self.limits.head;
            let bytes = self.members.fill()?;
            if bytes.is_empty() {
                return Ok(Line::Open);
            }
            let newline = memchr::memchr(b'\n', bytes);
            let piece = bytes.get(..newline.unwrap_or(bytes.len())).unwrap_or_default();
            let room = limit.saturating_sub(line.len());
            let too_long = piece.len() > room;
            line.extend_from_slice(piece.get(..piece.len().min(room)).unwrap_or_default());
            let used = piece.len() + usize::from(newline.is_some());
            self.members.consume(used);
            if too_long {
                return Ok(Line::TooLong);
            }
            if newline.is_some() {
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                return Ok(Line::Whole);
            }
        }
    }

    /// Skips lines up to one that begins a record, or to the end of the member.
    fn skip_garbage(&mut self) -> Result<(), Stop> {
        let mut line = Vec::new();
        let mut at_line_start = true;
        loop {
            if self.members.fill()?.is_empty() {
                return Ok(());
            }
            let entrance = self.members.entrance();
            line.clear();
            let end = self.read_line(&mut line)?;
            if at_line_start && version_of(&line).is_some() {
                self.held = Some((line, entrance));
                return Ok(());
            }
            at_line_start = !matches!(end, Line::TooLong);
        }
    }

    fn read_fields(&mut self, record: &mut WarcRecord) -> Result<(), Stop> {
        let mut line = Vec::new();
        let mut room = self.limits.head;
        loop {
            line.clear();
            match self.read_line(&mut line)? {
                Line::Whole => {}
                Line::Open => return Err(Stop::Fault(Fault::Cut)),
                Line::TooLong => room = 0,
            }
            if line.is_empty() {
                return Ok(());
            }
            let Some(left) = room.checked_sub(line.len() + 1) else {
                self.skip_garbage()?;
                return Err(Stop::Fault(Fault::LongHead));
            };
            room = left;
            let text = String::from_utf8_lossy(&line);
            if text.starts_with([' ', '\t']) {
                match record.fields.last_mut() {
                    Some((_, value)) => {
                        if !value.is_empty() {
                            value.push(' ');
                        }
                        value.push_str(text.trim());
                    }
                    None => record.faults.push(Fault::Line),
                }
            } else if let Some((name, value)) = text.split_once(':') {
                record
                    .fields
                    .push((name.trim_end().to_owned(), value.trim().to_owned()));
            } else {
                record.faults.push(Fault::Line);
            }
        }
    }

    fn read_block(&mut self, record: &mut WarcRecord, faults: &mut Vec<Fault>) -> Result<(), Stop> {
        // Writers disagree on whether a revisit's digest covers its own block or that of the record it refers to.
        let digest = record
            .field("WARC-Block-Digest")
            .filter(|_| !record.is_kind("revisit"))
            .map(str::to_owned);
        let mut hasher = digest.as_ref().map(|_| Sha1::new());
        let mut left = record.block_length;
        while left > 0 {
            let bytes = self.members.fill()?;
            if bytes.is_empty() {
                faults.push(Fault::Cut);
                return Ok(());
            }
            let n = usize::try_from(left).map_or(bytes.len(), |left| left.min(bytes.len()));
            let piece = bytes.get(..n).unwrap_or_default();
            if let Some(hasher) = &mut hasher {
                hasher.update(piece);
            }
            let room = self.limits.block.saturating_sub(record.block.len());
            record
                .block
                .extend_from_slice(piece.get(..n.min(room)).unwrap_or_default());
            self.members.consume(n);
            left -= n as u64;
        }
        if record.block_length > record.block.len() as u64 {
            faults.push(Fault::LongBlock);
        }
        if let (Some(hasher), Some(digest)) = (hasher, digest)
            && digest::matches(&digest, &hasher.finalize()) == Some(false)
        {
            faults.push(Fault::Digest);
        }
        self.read_end(faults)
    }

    /// Reads the line ends after a block, and the checksum at the end of a gzip member.
    fn read_end(&mut self, faults: &mut Vec<Fault>) -> Result<(), Stop> {
        let mut newlines = 0;
        loop {
            match self.members.fill()?.first() {
                Some(b'\n') => newlines += 1,
                Some(b'\r') => {}
                _ => break,
            }
            self.members.consume(1);
        }
        if newlines < 2 {
            faults.push(Fault::Unterminated);
        }
        Ok(())
    }
}

/// The version named by a line that begins a record.
fn version_of(line: &[u8]) -> Option<String> {
    let (prefix, version) = line.split_at_checked(5)?;
    prefix
        .eq_ignore_ascii_case(b"WARC/")
        .then(|| String::from_utf8_lossy(version).trim().to_owned())
}

impl<R: BufRead> Iterator for WarcReader<R> {
    type Item = Result<WarcRecord>;

    fn next(&mut self) -> Option<Result<WarcRecord>> {
        let offset = self.members.offset();
        match self.read_record() {
            Ok(record) => record.map(Ok),
            Err(Stop::Io(source)) => Some(Err(Error::Io {
                doing: "read",
                path: self.path.clone(),
                source,
            })),
            Err(Stop::Fault(fault)) => Some(Err(Error::Damaged {
                path: self.path.clone(),
                offset,
                fault,
            })),
        }
    }
}
