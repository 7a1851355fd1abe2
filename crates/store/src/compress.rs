//! Compresses one record at a time, so that each can be read by its offset.
//!
//! gzip is written by igzip of the system where it is there and by libdeflate where it is not; docs/decisions/archive-compression.md
//! has the measurements. Which one it was shows only in the bytes and their number: everybody reads both.
//!
//! Deliberately absent: what is in a record.

use libdeflater::{CompressionLvl, Compressor};
use scenthound_igzip::Igzip;
use scenthound_types::ArchiveFormat;
use zstd::bulk::Compressor as ZstdCompressor;

use crate::error::{Error, Result};

/// The level at which libdeflate pays off best.
const LEVEL: i32 = 1;
/// Records shorter than this are left to libdeflate: igzip makes codes for every one of them, which takes longer there.
const SMALL: usize = 2_000;

const ZSTD_LEVEL: i32 = 1;
/// A level at which zstd takes next to no time and gives up on what is compressed already.
const ZSTD_WRAPPING: i32 = -50;

/// How the records of an archive are compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Compression {
    /// As one gzip member each, by the fastest compressor this machine has.
    #[default]
    Gzip,
    /// As one gzip member each, with the same bytes on every machine.
    PortableGzip,
    /// As one zstd frame each.
    Zstd,
}

impl Compression {
    /// The usual way to write this format.
    pub fn of(format: ArchiveFormat) -> Compression {
        match format {
            ArchiveFormat::Gz => Compression::Gzip,
            ArchiveFormat::Zst => Compression::Zstd,
        }
    }

    /// The format of the files.
    pub fn format(self) -> ArchiveFormat {
        match self {
            Compression::Gzip | Compression::PortableGzip => ArchiveFormat::Gz,
            Compression::Zstd => ArchiveFormat::Zst,
        }
    }

    /// The compressor that is used on this machine, for people.
    pub fn compressor(self) -> &'static str {
        match self {
            Compression::Gzip if Igzip::load().is_some() => "igzip 1",
            Compression::Gzip | Compression::PortableGzip => "libdeflate 1",
            Compression::Zstd => "zstd 1",
        }
    }
}

/// Whether compressing a record is worthwhile.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Squeeze {
    Yes,
    /// A body that is already compressed gains nothing and would still cost a third of the work of a plain one.
    Pointless,
}

/// A compressor with its memory.
pub(crate) enum RecordCompressor {
    Gzip {
        igzip: Option<Igzip>,
        compressor: Compressor,
        wrapper: Compressor,
    },
    /// Made when the first record comes, because that can fail.
    Zstd {
        compressor: Option<ZstdCompressor<'static>>,
        wrapper: Option<ZstdCompressor<'static>>,
    },
}

impl RecordCompressor {
    pub(crate) fn new(compression: Compression) -> RecordCompressor {
        let level = |level| CompressionLvl::new(level).unwrap_or_default();
        let gzip = |igzip| RecordCompressor::Gzip {
            igzip,
            compressor: Compressor::new(level(LEVEL)),
            wrapper: Compressor::new(level(0)),
        };
        match compression {
            Compression::Gzip => gzip(Igzip::load()),
            Compression::PortableGzip => gzip(None),
            Compression::Zstd => RecordCompressor::Zstd {
                compressor: None,
                wrapper: None,
            },
        }
    }

    /// Appends `plain` as one gzip member or zstd frame.
    pub(crate) fn append(&mut self, plain: &[u8], squeeze: Squeeze, out: &mut Vec<u8>) -> Result<()> {
        let fault = || Error::Compression { bytes: plain.len() };
        match self {
            RecordCompressor::Gzip {
                igzip,
                compressor,
                wrapper,
            } => {
                // What igzip refuses, libdeflate takes.
                if squeeze == Squeeze::Yes
                    && plain.len() >= SMALL
                    && let Some(igzip) = igzip
                    && igzip.gzip(plain, out).is_ok()
                {
                    return Ok(());
                }
                let compressor = match squeeze {
                    Squeeze::Yes => compressor,
                    Squeeze::Pointless => wrapper,
                };
                let most = compressor.gzip_compress_bound(plain.len());
                append_to(out, most, |room| {
                    compressor.gzip_compress(plain, room).map_err(|_| fault())
                })
            }
            RecordCompressor::Zstd { compressor, wrapper } => {
                let (compressor, level) = match squeeze {
                    Squeeze::Yes => (compressor, ZSTD_LEVEL),
                    Squeeze::Pointless => (wrapper, ZSTD_WRAPPING),
                };
                let compressor = match compressor {
                    Some(compressor) => compressor,
                    none => none.insert(new_zstd(level).map_err(|_| fault())?),
                };
                let most = zstd::zstd_safe::compress_bound(plain.len());
                append_to(out, most, |room| {
                    compressor.compress_to_buffer(plain, room).map_err(|_| fault())
                })
            }
        }
    }
}

/// With a checksum, as gzip has: a damaged record must not pass for a good one.
fn new_zstd(level: i32) -> std::io::Result<ZstdCompressor<'static>> {
    let mut compressor = ZstdCompressor::new(level)?;
    compressor.include_checksum(true)?;
    Ok(compressor)
}

/// Lets something write at most so many bytes behind what is in `out`, and keeps as many as it says.
fn append_to(out: &mut Vec<u8>, most: usize, write: impl FnOnce(&mut [u8]) -> Result<usize>) -> Result<()> {
    let start = out.len();
    out.resize(start + most, 0);
    let written = write(out.get_mut(start..).unwrap_or_default());
    out.truncate(start + *written.as_ref().unwrap_or(&0));
    written.map(|_| ())
}
