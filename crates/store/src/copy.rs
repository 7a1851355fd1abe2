//! Copies records into other archives, which are always `.warc.gz`, because that is what other tools read.
//!
//! A record that is in a gzip member of its own is copied as it is, one in a zstd frame is compressed again. A revisit says in
//! which file and where its payload is; a copy says where the copy of that is.
//!
//! Deliberately absent: which records are copied.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use scenthound_types::ArchiveFormat;

use crate::archive::Position;
use crate::compress::{Compression, RecordCompressor, Squeeze};
use crate::error::{Context, Error, Result};
use crate::fault::Fault;
use crate::http;
use crate::pack::{PAYLOAD_AT, has_content_encoding};
use crate::warc::{ReadLimits, WarcReader, WarcRecord, payload_path, payload_place};

/// A file that records are copied into.
#[derive(Debug)]
pub struct CopiedFile<W> {
    name: Arc<str>,
    length: u64,
    out: W,
}

impl<W: Write> CopiedFile<W> {
    /// A new file with this name.
    pub fn new(name: &str, out: W) -> CopiedFile<W> {
        CopiedFile {
            name: Arc::from(name),
            length: 0,
            out,
        }
    }

    /// What it is written to.
    pub fn into_inner(self) -> W {
        self.out
    }
}

/// Copies records of one archive into one or several files.
pub struct ArchiveCopy {
    /// Where each copied record is, by the name of its file and its offset there.
    places: HashMap<(String, u64), (Arc<str>, u64)>,
    compressor: RecordCompressor,
    raw: Vec<u8>,
    plain: Vec<u8>,
    packed: Vec<u8>,
}

impl std::fmt::Debug for ArchiveCopy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ArchiveCopy")
            .field("records", &self.places.len())
            .finish_non_exhaustive()
    }
}

impl Default for ArchiveCopy {
    fn default() -> ArchiveCopy {
        ArchiveCopy {
            places: HashMap::new(),
            compressor: RecordCompressor::new(Compression::Gzip),
            raw: Vec::new(),
            plain: Vec::new(),
            packed: Vec::new(),
        }
    }
}

impl ArchiveCopy {
    /// Copies the records of an exchange, each at most once, and with a revisit record the response that holds its payload.
    pub fn exchange<W: Write>(
        &mut self,
        archive: &Path,
        position: &Position,
        to: &mut CopiedFile<W>,
    ) -> Result<()> {
        // The name comes from a file, so it must not be able to lead out of the folder.
        let name = Path::new(&*position.file).file_name().unwrap_or_default();
        let path = archive.join(name);
        let mut reader = WarcReader::open_at(&path, position.offset)?.with_limits(HEADS);
        let mut start = position.offset;
        let mut is_first = true;
        while let Some(Ok(record)) = reader.next() {
            let belongs = is_first || record.is_kind("request") || record.is_kind("metadata");
            let Some(end) = reader.boundary().filter(|_| belongs) else {
                break;
            };
            if is_first
                && record.is_kind("revisit")
                && let Some((file, offset)) = payload_place(&record)
            {
                let source = payload_path(&path, file);
                let mut payload = WarcReader::open_at(&source, offset)?.with_limits(HEADS);
                if let (Some(Ok(record)), Some(end)) = (payload.next(), payload.boundary()) {
                    self.record(&source, offset..end, &record, to)?;
                }
            }
            self.record(&path, start..end, &record, to)?;
            start = end;
            is_first = false;
        }
        Ok(())
    }

    /// Copies all records of a file. A record that is cut off at its end, as after a kill, is left out.
    pub fn file<W: Write>(&mut self, path: &Path, to: &mut CopiedFile<W>) -> Result<()> {
        let mut reader = WarcReader::open(path)?.with_limits(HEADS);
        let mut start = 0;
        while let Some(record) = reader.next() {
            let fault = match (record, reader.boundary()) {
                (Ok(record), Some(end)) => {
                    self.record(path, start..end, &record, to)?;
                    start = end;
                    continue;
                }
                (Ok(record), None) => record.faults.last().cloned().unwrap_or(Fault::Garbage),
                (Err(Error::Damaged { fault, .. }), _) => fault,
                (Err(error), _) => return Err(error),
            };
            if fault == Fault::Cut {
                break;
            }
            return Err(Error::Damaged {
                path: path.to_owned(),
                offset: start,
                fault,
            });
        }
        Ok(())
    }

    /// Copies the record between two offsets, unless it was copied before.
    fn record<W: Write>(
        &mut self,
        path: &Path,
        at: std::ops::Range<u64>,
        record: &WarcRecord,
        to: &mut CopiedFile<W>,
    ) -> Result<()> {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let key = (file.into_owned(), at.start);
        if self.places.contains_key(&key) {
            return Ok(());
        }
        self.raw.clear();
        let mut source = File::open(path).context("open", path)?;
        source.seek(SeekFrom::Start(at.start)).context("read", path)?;
        source
            .take(at.end.saturating_sub(at.start))
            .read_to_end(&mut self.raw)
            .context("copy from", path)?;
        let place = payload_place(record).and_then(|(name, offset)| {
            let source = payload_path(path, name);
            let name = source.file_name()?.to_str()?.to_owned();
            self.places.get(&(name, offset))
        });
        let is_gzip = self.raw.first() == Some(&0x1f);
        let bytes = match (is_gzip, place) {
            (true, None) => &self.raw,
            (_, place) => {
                self.plain.clear();
                let unpacked = match is_gzip {
                    true => flate2::read::GzDecoder::new(&self.raw[..]).read_to_end(&mut self.plain),
                    false => zstd::stream::read::Decoder::with_buffer(&self.raw[..])
                        .and_then(|mut frame| frame.read_to_end(&mut self.plain)),
                };
                unpacked.context("unpack a record of", path)?;
                if let Some((name, offset)) = place {
                    replace_field(&mut self.plain, PAYLOAD_AT, &format!("{name} {offset}"));
                }
                let (head, _) = http::split_head(&record.block);
                let squeeze = match has_content_encoding(head) {
                    true => Squeeze::Pointless,
                    false => Squeeze::Yes,
                };
                self.packed.clear();
                self.compressor.append(&self.plain, squeeze, &mut self.packed)?;
                &self.packed
            }
        };
        to.out
            .write_all(bytes)
            .context("write to", Path::new(&*to.name))?;
        self.places.insert(key, (Arc::clone(&to.name), to.length));
        to.length += bytes.len() as u64;
        Ok(())
    }
}

/// Only the heads of records are looked at, and those of the HTTP messages in them.
const HEADS: ReadLimits = ReadLimits {
    head: 64 << 10,
    block: 64 << 10,
};

/// Replaces the value of a field in the head of a record.
fn replace_field(record: &mut Vec<u8>, name: &str, value: &str) {
    let field = format!("\r\n{name}: ");
    let head = memchr::memmem::find(record, b"\r\n\r\n").unwrap_or(record.len());
    let Some(start) = memchr::memmem::find(record.get(..head).unwrap_or_default(), field.as_bytes()) else {
        return;
    };
    let start = start + field.len();
    let rest = record.get(start..).unwrap_or_default();
    let length = memchr::memchr(b'\r', rest).unwrap_or(rest.len());
    record.splice(start..start + length, value.bytes());
}

/// The name of a file in `.warc.gz` that holds what a file of this name does.
pub fn gzip_name(name: &str) -> String {
    let stem = ArchiveFormat::of_file(name).map_or(name, |(_, stem)| stem);
    format!("{stem}{}", ArchiveFormat::Gz.ending())
}
