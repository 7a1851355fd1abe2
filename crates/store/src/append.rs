//! A file that only grows, and its valid length.
//!
//! Invariant: [`AppendFile::length`] is what the file will hold once flushed, and [`AppendFile::flush`] either writes
//! all of it or cuts the file back to what it held before and keeps the bytes for another try. A full disk therefore
//! leaves no torn record behind.
//!
//! Deliberately absent: any knowledge of what the bytes mean.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::error::{Context, Error, Result};

/// Large enough to make system calls cheap, small enough to hold little in memory.
const BUFFER: usize = 256 * 1024;

#[derive(Debug)]
pub(crate) struct AppendFile {
    path: PathBuf,
    file: File,
    written: u64,
    buffer: Vec<u8>,
}

impl AppendFile {
    /// Opens the file, creating it if it does not exist, and cuts it back to `length`. Returns how much was cut off.
    pub(crate) fn open(path: &Path, length: u64, most_cut: u64) -> Result<(AppendFile, u64)> {
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .context("open", path)?;
        let found = file.metadata().context("examine", path)?.len();
        if found < length {
            return Err(Error::Short {
                path: path.to_owned(),
                committed: length,
                found,
            });
        }
        let cut = found - length;
        if cut > most_cut {
            return Err(Error::TooMuchToCut {
                path: path.to_owned(),
                bytes: cut,
            });
        }
        if cut > 0 {
            set_aside(path, length, found)?;
            file.set_len(length).context("truncate", path)?;
        }
        let opened = AppendFile {
            path: path.to_owned(),
            file,
            written: length,
            buffer: Vec::new(),
        };
        Ok((opened, cut))
    }

    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<()> {
        if self.buffer.len() + bytes.len() > BUFFER {
            self.flush()?;
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    pub(crate) fn length(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    pub(crate) fn flush(&mut self) -> Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let outcome = self.file.write_all(&self.buffer);
        if outcome.is_err() {
            // The first error is the one to report. If this fails too, the next open cuts off the tail.
            let _ = self.file.set_len(self.written);
        }
        outcome.context("write to", &self.path)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// The file itself, with everything handed to the system, for another thread to flush.
    pub(crate) fn handle(&mut self) -> Result<(PathBuf, File)> {
        self.flush()?;
        let file = self.file.try_clone().context("open", &self.path)?;
        Ok((self.path.clone(), file))
    }

    pub(crate) fn sync(&mut self) -> Result<()> {
        self.flush()?;
        self.file.sync_data().context("flush", &self.path)
    }
}

/// Copies what a file holds from `from` to its end to a file beside it. It was written and never committed, so nothing refers to
/// it, but should the committed length be wrong, this is where the bytes are.
fn set_aside(path: &Path, from: u64, to: u64) -> Result<()> {
    let aside = unused_name(path, &format!("cut-at-{from}-to-{to}"));
    let mut file = File::open(path).context("open", path)?;
    file.seek(SeekFrom::Start(from)).context("read", path)?;
    let mut copy = File::create_new(&aside).context("create", &aside)?;
    std::io::copy(&mut file, &mut copy).context("write to", &aside)?;
    Ok(())
}

/// A name beside a file, with this ending, that is not in use.
pub(crate) fn unused_name(path: &Path, ending: &str) -> PathBuf {
    let named = |number: u32| {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(match number {
            0 => format!(".{ending}"),
            number => format!(".{ending}-{number}"),
        });
        path.with_file_name(name)
    };
    let unused = (0..u32::MAX).map(named).find(|name| !name.exists());
    unused.unwrap_or_else(|| named(u32::MAX))
}

/// Makes new, renamed and deleted entries of a folder durable.
pub(crate) fn sync_folder(folder: &Path) -> Result<()> {
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .context("flush", folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_names_bytes_that_are_still_in_memory_only_until_the_flush() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let (mut file, cut) = AppendFile::open(&path, 0, 0).unwrap();
        assert_eq!(cut, 0);
        file.append(b"hello").unwrap();
        assert_eq!(file.length(), 5);
        assert_eq!(std::fs::read(&path).unwrap(), b"");
        file.flush().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"hello");
    }

    #[test]
    fn what_was_not_committed_is_cut_off_and_what_is_missing_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, b"hello, torn").unwrap();
        let (mut file, cut) = AppendFile::open(&path, 5, 100).unwrap();
        assert_eq!(cut, 6);
        file.append(b"!").unwrap();
        file.sync().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"hello!");
        let aside = folder.path().join("file.cut-at-5-to-11");
        assert_eq!(std::fs::read(&aside).unwrap(), b", torn");
        assert_eq!(
            unused_name(&path, "cut-at-5-to-11"),
            folder.path().join("file.cut-at-5-to-11-1")
        );
        assert!(matches!(
            AppendFile::open(&path, 7, 100),
            Err(Error::Short {
                committed: 7,
                found: 6,
                ..
            })
        ));
        assert!(matches!(
            AppendFile::open(&path, 0, 5),
            Err(Error::TooMuchToCut { bytes: 6, .. })
        ));
        assert_eq!(std::fs::read(&path).unwrap(), b"hello!");
    }

    #[test]
    fn a_full_disk_is_an_error_and_loses_no_buffered_bytes() {
        let full = Path::new("/dev/full");
        if !full.exists() {
            scenthound_testweb::skip("/dev/full does not exist");
            return;
        }
        let (mut file, _) = AppendFile::open(full, 0, 0).unwrap();
        file.append(b"hello").unwrap();
        for _ in 0..2 {
            assert!(matches!(
                file.flush(),
                Err(Error::Io {
                    doing: "write to",
                    ..
                })
            ));
            assert_eq!((file.length(), file.written), (5, 0));
        }
    }
}
