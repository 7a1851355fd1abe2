//! How much of the crawl's files is committed: what the frontier stores with each batch, and what opening cuts back to.

use crate::error::{Error, Result};

/// The committed end of the archive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct ArchiveMark {
    /// The number of the file being written; earlier files are complete.
    pub file: u32,
    /// Committed bytes of that file.
    pub length: u64,
}

/// The committed ends of all files of a crawl that only grow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mark {
    /// The end of the archive.
    pub archive: ArchiveMark,
    /// Committed bytes of the page records.
    pub pages: u64,
}

const VERSION: u8 = 1;

impl Mark {
    /// Size of [`Mark::to_bytes`].
    pub const BYTES: usize = 1 + 4 + 8 + 8;

    /// The form in which it is committed.
    pub fn to_bytes(self) -> [u8; Mark::BYTES] {
        let mut bytes = [VERSION; Mark::BYTES];
        let fields = self
            .archive
            .file
            .to_le_bytes()
            .into_iter()
            .chain(self.archive.length.to_le_bytes())
            .chain(self.pages.to_le_bytes());
        for (byte, field) in bytes.iter_mut().skip(1).zip(fields) {
            *byte = field;
        }
        bytes
    }

    /// Reads what [`Mark::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Mark> {
        let unknown = || Error::UnknownMark;
        let (version, rest) = bytes.split_first().ok_or_else(unknown)?;
        let (file, rest) = rest.split_first_chunk().ok_or_else(unknown)?;
        let (length, rest) = rest.split_first_chunk().ok_or_else(unknown)?;
        let (pages, rest) = rest.split_first_chunk().ok_or_else(unknown)?;
        if *version != VERSION || !rest.is_empty() {
            return Err(unknown());
        }
        Ok(Mark {
            archive: ArchiveMark {
                file: u32::from_le_bytes(*file),
                length: u64::from_le_bytes(*length),
            },
            pages: u64::from_le_bytes(*pages),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_survives_a_round_trip_and_other_bytes_are_refused() {
        let mark = Mark {
            archive: ArchiveMark {
                file: 3,
                length: 1 << 40,
            },
            pages: 17,
        };
        let bytes = mark.to_bytes();
        assert_eq!(Mark::from_bytes(&bytes).unwrap(), mark);
        assert!(Mark::from_bytes(&bytes[..20]).is_err());
        assert!(Mark::from_bytes(&[&bytes[..], &[0]].concat()).is_err());
        let mut newer = bytes;
        newer[0] = 2;
        assert!(matches!(Mark::from_bytes(&newer), Err(Error::UnknownMark)));
    }
}
