//! Compresses one record at a time, so that each can be read by its offset.
//!
//! gzip is written by igzip of the system where it is there and by libdeflate where it is not; docs/decisions/archive-compression.md
//! has the measurements. Which one it was shows only in the bytes and their number: everybody reads both.
//!
//! Deliberately absent: what is in a record.

use libdeflater::{CompressionLvl, Compressor};
use scenthound_igzip::Igzip;

use crate::error::{Error, Result};

/// The level at which libdeflate pays off best.
const LEVEL: i32 = 1;
/// Records shorter than this are left to libdeflate: igzip makes codes for every one of them, which takes longer there.
const SMALL: usize = 2_000;

/// How the records of an archive are compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Compression {
    /// As one gzip member each, by the fastest compressor this machine has.
    #[default]
    Gzip,
    /// As one gzip member each, with the same bytes on every machine.
    PortableGzip,
}

impl Compression {
    /// The compressor that is used on this machine, for people.
    pub fn compressor(self) -> &'static str {
        match self {
            Compression::Gzip if Igzip::load().is_some() => "igzip 1",
            Compression::Gzip | Compression::PortableGzip => "libdeflate 1",
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
pub(crate) struct RecordCompressor {
    igzip: Option<Igzip>,
    compressor: Compressor,
    wrapper: Compressor,
}

impl RecordCompressor {
    pub(crate) fn new(compression: Compression) -> RecordCompressor {
        let level = |level| CompressionLvl::new(level).unwrap_or_default();
        RecordCompressor {
            igzip: match compression {
                Compression::Gzip => Igzip::load(),
                Compression::PortableGzip => None,
            },
            compressor: Compressor::new(level(LEVEL)),
            wrapper: Compressor::new(level(0)),
        }
    }

    /// Appends `plain` as one gzip member.
    pub(crate) fn append(&mut self, plain: &[u8], squeeze: Squeeze, out: &mut Vec<u8>) -> Result<()> {
        // What igzip refuses, libdeflate takes.
        if squeeze == Squeeze::Yes
            && plain.len() >= SMALL
            && let Some(igzip) = &mut self.igzip
            && igzip.gzip(plain, out).is_ok()
        {
            return Ok(());
        }
        let compressor = match squeeze {
            Squeeze::Yes => &mut self.compressor,
            Squeeze::Pointless => &mut self.wrapper,
        };
        let start = out.len();
        out.resize(start + compressor.gzip_compress_bound(plain.len()), 0);
        let room = out.get_mut(start..).unwrap_or_default();
        let length = compressor
            .gzip_compress(plain, room)
            .map_err(|_| Error::Compression { bytes: plain.len() })?;
        out.truncate(start + length);
        Ok(())
    }
}
