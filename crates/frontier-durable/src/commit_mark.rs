//! How far a store had come: its commits and how much it held, written with every commit and, once it is on the disk,
//! to a small file beside the store.
//!
//! The store drops what it cannot read of its journal, and takes a table whose files are missing for an empty one. Both
//! look like an earlier state of the crawl, and everything later would be cut from the records. The file is how that is
//! noticed: a store may have come further than the file says, never less far.
//!
//! Deliberately absent: what the store holds. That is rebuilt from the records.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

use crate::DurableError;
use crate::folder::fault;

/// The file beside the store.
const FILE: &str = "COMMITTED";
/// The note in the store.
pub(crate) const NOTE: &str = "durable/commit";

/// How far a store had come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct CommitMark {
    /// Commits so far.
    pub(crate) commits: u64,
    /// The number after the highest of an entry.
    pub(crate) entries: u32,
    /// The number of hosts.
    pub(crate) hosts: u32,
}

impl CommitMark {
    const BYTES: usize = 24;

    /// The form in which it is kept, with a checksum.
    pub(crate) fn to_bytes(self) -> [u8; CommitMark::BYTES] {
        let mut bytes = [0; CommitMark::BYTES];
        let fields = self
            .commits
            .to_le_bytes()
            .into_iter()
            .chain(self.entries.to_le_bytes())
            .chain(self.hosts.to_le_bytes());
        let fields: Vec<u8> = fields.collect();
        let sum = checksum(&fields).to_le_bytes();
        for (byte, field) in bytes.iter_mut().zip(fields.into_iter().chain(sum)) {
            *byte = field;
        }
        bytes
    }

    /// Reads what [`CommitMark::to_bytes`] wrote.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<CommitMark> {
        let (fields, sum) = bytes.split_at_checked(16)?;
        if checksum(fields).to_le_bytes() != sum {
            return None;
        }
        let (commits, rest) = fields.split_first_chunk()?;
        let (entries, rest) = rest.split_first_chunk()?;
        Some(CommitMark {
            commits: u64::from_le_bytes(*commits),
            entries: u32::from_le_bytes(*entries),
            hosts: u32::from_le_bytes(rest.try_into().ok()?),
        })
    }

    /// The mark in a folder. None if there is none, or if a power failure tore it.
    pub(crate) fn read(folder: &Path) -> Result<Option<CommitMark>, DurableError> {
        let path = folder.join(FILE);
        match fs::read(&path) {
            Ok(bytes) => Ok(CommitMark::from_bytes(&bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(fault(&path)(error)),
        }
    }

    /// Replaces the mark in a folder. It need not reach the disk at once: an older one only shows less.
    pub(crate) fn write(self, folder: &Path) -> Result<(), DurableError> {
        let path = folder.join(FILE);
        let fresh = folder.join(format!("{FILE}.new"));
        fs::File::create(&fresh)
            .and_then(|mut file| file.write_all(&self.to_bytes()))
            .and_then(|()| fs::rename(&fresh, &path))
            .map_err(fault(&path))
    }

    /// What is missing in a store that has come this far, if it once was where `other` says.
    pub(crate) fn lacks(self, other: CommitMark) -> Option<String> {
        let less = |what: &str, here: u64, there: u64| {
            (here < there).then(|| format!("it holds {here} {what} of at least {there}"))
        };
        less("commits", self.commits, other.commits)
            .or_else(|| less("URL numbers", self.entries.into(), other.entries.into()))
            .or_else(|| less("hosts", self.hosts.into(), other.hosts.into()))
    }
}

/// FNV-1a: detects accidental damage.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_survives_a_round_trip_and_a_flipped_bit_is_noticed() {
        let mark = CommitMark {
            commits: 1 << 40,
            entries: 7,
            hosts: 3,
        };
        let bytes = mark.to_bytes();
        assert_eq!(CommitMark::from_bytes(&bytes), Some(mark));
        for at in 0..bytes.len() {
            let mut flipped = bytes;
            flipped[at] ^= 4;
            assert_eq!(CommitMark::from_bytes(&flipped), None);
        }
        assert_eq!(CommitMark::from_bytes(&bytes[1..]), None);
    }

    #[test]
    fn a_store_may_have_come_further_but_not_less_far() {
        let before = CommitMark {
            commits: 5,
            entries: 10,
            hosts: 2,
        };
        let after = CommitMark { commits: 6, ..before };
        assert_eq!(after.lacks(before), None);
        assert!(before.lacks(after).is_some());
        assert!(CommitMark { hosts: 1, ..after }.lacks(before).is_some());
    }
}
