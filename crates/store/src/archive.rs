//! The crawl's WARC files, written by one thread.
//!
//! `archive/NAME-00000.warc.gz` (or `.warc.zst`), then 00001 and so on, all in one format; each starts with a warcinfo record. Only the last file grows.
//! Invariant: everything before a [`mark`](Archive::mark) is in the files and never changes; everything after the
//! committed mark is cut off on opening and set aside under another name.
//!
//! Deliberately absent: compression of exchanges, which worker threads do ([`Packer`]), and any decision when to
//! flush.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use scenthound_types::{ArchiveFormat, Timestamp};
use serde::{Deserialize, Serialize};

use crate::append::{AppendFile, sync_folder, unused_name};
use crate::compress::Compression;
use crate::error::{Context, Error, Result};
use crate::mark::ArchiveMark;
use crate::pack::{PackedExchange, Packer};
use crate::warc::{ReadLimits, WarcReader};

/// More than can be appended between two commits, or within the second before a power failure. Having to cut more would
/// mean that the state with the committed length was lost. What is cut is set aside.
pub(crate) const MOST_CUT: u64 = 256 << 20;

/// How an archive is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArchiveSettings {
    name: String,
    /// The seed of warcinfo record ids; the same as the packers'.
    pub seed: u64,
    /// How records are compressed; the same as the packers'.
    pub compression: Compression,
    /// A file that reaches this size is closed, and the next one begins.
    pub roll_at: u64,
    /// The most bytes that opening may cut off.
    pub most_cut: u64,
    /// The fields of each file's warcinfo record: software, operator, user agent…
    pub info: Vec<(String, String)>,
}

impl ArchiveSettings {
    /// Files called NAME-00000.warc.gz and so on, of 1 GB each, compressed by gzip. Characters that are awkward in file names become dashes.
    pub fn named(name: &str, seed: u64) -> ArchiveSettings {
        let safe = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let mut name: String = name.chars().take(60).map(safe).collect();
        if name.is_empty() {
            name.push_str("crawl");
        }
        ArchiveSettings {
            name,
            seed,
            compression: Compression::default(),
            roll_at: 1_000_000_000,
            most_cut: MOST_CUT,
            info: vec![(
                "software".to_owned(),
                concat!("scenthound/", env!("CARGO_PKG_VERSION")).to_owned(),
            )],
        }
    }

    /// These settings for one node of several that crawl together, so that their archives can be put into one folder.
    pub fn of_node(mut self, node: &str) -> ArchiveSettings {
        let safe = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        self.name.push('-');
        self.name.extend(node.chars().take(60).map(safe));
        self
    }

    /// These settings with the name of the archive already in the folder, so that a crawl whose topic was renamed
    /// continues in its own files. An archive that was begun in another format is refused: readers would have to look for each
    /// file in both, and a committed length would not say of which file it is.
    pub(crate) fn continuing(self, folder: &Path) -> Result<ArchiveSettings> {
        let first = self.file_name(0);
        let mut others = Vec::new();
        for entry in fs::read_dir(folder).context("list", folder)? {
            let entry = entry.context("list", folder)?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            if name == first {
                return Ok(self);
            }
            let Some((format, stem)) = ArchiveFormat::of_file(name) else {
                continue;
            };
            if let Some(name) = stem.strip_suffix("-00000") {
                if format != self.compression.format() {
                    return Err(Error::OtherFormat {
                        path: entry.path(),
                        wanted: self.compression.format(),
                    });
                }
                others.push(name.to_owned());
            }
        }
        match <[String; 1]>::try_from(others) {
            Ok([name]) => Ok(ArchiveSettings { name, ..self }),
            Err(_) => Ok(self),
        }
    }

    fn file_name(&self, number: u32) -> String {
        let ending = self.compression.format().ending();
        format!("{}-{number:05}{ending}", self.name)
    }

    fn number_of(&self, file_name: &str) -> Option<u32> {
        let number = file_name
            .strip_prefix(&self.name)?
            .strip_prefix('-')?
            .strip_suffix(self.compression.format().ending())?;
        (number.len() >= 5 && number.bytes().all(|b| b.is_ascii_digit()))
            .then(|| number.parse().ok())
            .flatten()
    }
}

/// Where a record is stored.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Position {
    /// The file's name in archive/.
    pub file: Arc<str>,
    /// Where its gzip member or zstd frame begins.
    pub offset: u64,
    /// Bytes of it.
    pub length: u64,
}

/// What opening cut off: bytes written after the last commit.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ArchiveCut {
    /// Files begun after the last commit.
    pub files: Vec<PathBuf>,
    /// Bytes in total, including those files.
    pub bytes: u64,
}

/// Files that are to reach the disk.
#[derive(Debug)]
pub struct Unflushed {
    files: Vec<(PathBuf, File)>,
    folder: Option<PathBuf>,
}

impl Unflushed {
    pub(crate) fn add(&mut self, file: (PathBuf, File)) {
        self.files.push(file);
    }

    /// Waits until they are on the disk.
    pub fn flush(self) -> Result<()> {
        for (path, file) in self.files {
            file.sync_data().context("flush", &path)?;
        }
        self.folder.as_deref().map_or(Ok(()), sync_folder)
    }
}

/// Appends packed exchanges.
#[derive(Debug)]
pub struct Archive {
    folder: PathBuf,
    settings: ArchiveSettings,
    packer: Packer,
    number: u32,
    current: Option<AppendFile>,
    file_name: Arc<str>,
    /// A file was created or deleted, and the folder entry may not survive a crash of the machine yet.
    folder_changed: bool,
}

impl Archive {
    /// Opens the archive in `folder` as it was at `mark`; the default mark starts a new one.
    pub fn open(
        folder: &Path,
        settings: ArchiveSettings,
        mark: ArchiveMark,
    ) -> Result<(Archive, ArchiveCut)> {
        let mut cut = ArchiveCut::default();
        for (number, path, length) in files(folder, &settings)? {
            if number > mark.file || (number == mark.file && mark.length == 0) {
                cut.bytes += length;
                cut.files.push(path);
            }
        }
        if cut.bytes > settings.most_cut {
            return Err(Error::TooMuchToCut {
                path: folder.to_owned(),
                bytes: cut.bytes,
            });
        }
        let file_name = settings.file_name(mark.file);
        let current = if mark.length == 0 {
            None
        } else {
            let most_cut = settings.most_cut - cut.bytes;
            let (file, bytes) = AppendFile::open(&folder.join(&file_name), mark.length, most_cut)?;
            cut.bytes += bytes;
            Some(file)
        };
        for path in &cut.files {
            fs::rename(path, unused_name(path, "cut-at-0")).context("set aside", path)?;
        }
        let archive = Archive {
            folder: folder.to_owned(),
            packer: Packer::with(settings.seed, settings.compression),
            settings,
            number: mark.file,
            current,
            file_name: file_name.into(),
            folder_changed: !cut.files.is_empty(),
        };
        Ok((archive, cut))
    }

    /// Appends an exchange and returns the position of its first record: the response, if there is one.
    pub fn append(&mut self, exchange: &PackedExchange) -> Result<Position> {
        let size = exchange.bytes().len() as u64;
        self.roll_before(size)?;
        let file = match &mut self.current {
            Some(file) => file,
            none => {
                self.folder_changed = true;
                let path = self.folder.join(&*self.file_name);
                none.insert(begin_file(
                    &path,
                    &self.settings,
                    &mut self.packer,
                    exchange.date,
                )?)
            }
        };
        let offset = file.length();
        file.append(exchange.bytes())?;
        Ok(Position {
            file: Arc::clone(&self.file_name),
            offset,
            length: exchange.parts().first().map_or(0, |(_, part)| part.len() as u64),
        })
    }

    /// Replaces the metadata record of an exchange that has not been appended yet.
    pub fn revise_metadata(&mut self, exchange: &mut PackedExchange, metadata: &[u8]) -> Result<()> {
        self.packer.revise_metadata(exchange, metadata)
    }

    /// Closes the current file for good if `size` more bytes do not fit.
    fn roll_before(&mut self, size: u64) -> Result<()> {
        let Some(file) = &mut self.current else {
            return Ok(());
        };
        if file.length().saturating_add(size) <= self.settings.roll_at {
            return Ok(());
        }
        // No later mark covers this file's length, so it must reach the disk now.
        file.sync()?;
        self.current = None;
        self.number += 1;
        self.file_name = self.settings.file_name(self.number).into();
        Ok(())
    }

    /// Where the current file ends.
    pub(crate) fn length(&self) -> u64 {
        self.current.as_ref().map_or(0, AppendFile::length)
    }

    /// Hands everything to the system.
    pub(crate) fn flush(&mut self) -> Result<()> {
        self.current.as_mut().map_or(Ok(()), AppendFile::flush)
    }

    /// Hands everything to the system and returns where the archive ends. A commit may rely on it after a crash of the
    /// process; for a crash of the machine, call [`Archive::sync`] first.
    pub fn mark(&mut self) -> Result<ArchiveMark> {
        let length = match &mut self.current {
            Some(file) => {
                file.flush()?;
                file.length()
            }
            None => 0,
        };
        Ok(ArchiveMark {
            file: self.number,
            length,
        })
    }

    /// Waits until everything is on the disk.
    pub fn sync(&mut self) -> Result<()> {
        if let Some(file) = &mut self.current {
            file.sync()?;
        }
        if self.folder_changed {
            sync_folder(&self.folder)?;
            self.folder_changed = false;
        }
        Ok(())
    }

    /// The current file, and the folder if its entries have changed, for another thread to flush.
    pub(crate) fn unflushed(&mut self) -> Result<Unflushed> {
        Ok(Unflushed {
            files: self
                .current
                .as_mut()
                .map(AppendFile::handle)
                .transpose()?
                .into_iter()
                .collect(),
            folder: std::mem::take(&mut self.folder_changed).then(|| self.folder.clone()),
        })
    }

    /// The mark after all files there are.
    pub fn mark_after_all(folder: &Path, settings: &ArchiveSettings) -> Result<ArchiveMark> {
        let last = files(folder, settings)?
            .into_iter()
            .map(|(number, ..)| number)
            .max();
        Ok(ArchiveMark {
            file: last.map_or(0, |last| last + 1),
            length: 0,
        })
    }

    /// After [`Error::Short`]: the mark to open the archive with, which keeps every complete record that is left. What lies
    /// between it and the committed mark is lost.
    pub fn repaired_mark(
        folder: &Path,
        settings: &ArchiveSettings,
        mark: ArchiveMark,
    ) -> Result<ArchiveMark> {
        let path = folder.join(settings.file_name(mark.file));
        let mut repaired = ArchiveMark { length: 0, ..mark };
        let reader = match WarcReader::open(&path) {
            Ok(reader) => reader,
            Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => return Ok(repaired),
            Err(error) => return Err(error),
        };
        let mut reader = reader.with_limits(ReadLimits {
            block: 0,
            ..ReadLimits::default()
        });
        while let Some(Ok(record)) = reader.next() {
            if record.faults.iter().any(crate::Fault::loses_bytes) {
                break;
            }
            match reader.boundary() {
                Some(end) if end <= mark.length => repaired.length = end,
                Some(_) => break,
                None => {}
            }
        }
        Ok(repaired)
    }
}

/// Creates a file with its warcinfo record. The date is that of the first exchange in it.
fn begin_file(
    path: &Path,
    settings: &ArchiveSettings,
    packer: &mut Packer,
    date: Timestamp,
) -> Result<AppendFile> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let info = packer.pack_info(&name, date, &settings.info)?;
    let (mut file, _) = AppendFile::open(path, 0, settings.most_cut)?;
    file.append(&info)?;
    Ok(file)
}

/// The archive's files in order: number, path, length.
fn files(folder: &Path, settings: &ArchiveSettings) -> Result<Vec<(u32, PathBuf, u64)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).context("list", folder)? {
        let entry = entry.context("list", folder)?;
        if let Some(number) = entry
            .file_name()
            .to_str()
            .and_then(|name| settings.number_of(name))
        {
            let path = entry.path();
            let length = entry.metadata().context("examine", &path)?.len();
            found.push((number, path, length));
        }
    }
    found.sort_unstable();
    Ok(found)
}
