//! Why the store could not do something. What is wrong in a file that others wrote is a [`Fault`](crate::Fault), which is
//! data.

use std::io;
use std::path::{Path, PathBuf};

use scenthound_types::ArchiveFormat;
use thiserror::Error;

use crate::Fault;

/// A result with this crate's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why the store could not do something.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A file operation failed.
    #[error("could not {doing} {}", path.display())]
    Io {
        /// The operation, as a verb.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file holds less than was committed: something else cut it, or the machine lost power.
    #[error(
        "{} holds {found} bytes, but {committed} were committed; a repair loses the last records",
        path.display()
    )]
    Short {
        /// The file.
        path: PathBuf,
        /// Bytes according to the crawl's state.
        committed: u64,
        /// Bytes in the file.
        found: u64,
    },
    /// Cutting back would remove more than a crash can have left behind.
    #[error(
        "{} holds {bytes} bytes that the crawl's state does not know about, too many to cut off (was state/ lost?)",
        path.display()
    )]
    TooMuchToCut {
        /// The file or folder.
        path: PathBuf,
        /// Bytes that would be lost.
        bytes: u64,
    },
    /// The path is a file.
    #[error("{} is a file, not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// The folder holds something else.
    #[error("{} is neither empty nor a crawl folder; choose a new or empty folder", .0.display())]
    NotACrawlFolder(PathBuf),
    /// There is no crawl in the folder.
    #[error("{} holds no crawl", .0.display())]
    NoCrawl(PathBuf),
    /// Another process uses the folder.
    #[error("{} is in use by {}; wait for it to end, or stop it", path.display(), holder(*pid))]
    InUse {
        /// The folder.
        path: PathBuf,
        /// Its process id, if it wrote it down.
        pid: Option<u32>,
    },
    /// A copy would overwrite something.
    #[error("{} exists already; choose a new or empty folder", .0.display())]
    NotEmpty(PathBuf),
    /// A copy would become part of what is copied.
    #[error("{} lies inside the crawl folder; choose a place outside", .0.display())]
    InsideCrawl(PathBuf),
    /// A running crawl replaced its files faster than they could be copied.
    #[error(
        "the state of {} changed whenever it was copied; try again, or stop the crawl first",
        .0.display()
    )]
    Restless(PathBuf),
    /// A line of a page file is not a page record.
    #[error("{}:{line} is not a page record", path.display())]
    BadLine {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A line is a record of a version that this program does not read.
    #[error(
        "{}:{line} is a record of version {found}, but this program reads version {}; crawl into a new folder, or use the \
         release that made this one",
        path.display(),
        crate::pages::RECORD_VERSION
    )]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        /// The version it names, or 1 if it names none.
        found: u32,
    },
    /// A line of a page file is longer than any the crawler writes.
    #[error("{}:{line} is longer than a page record can be", path.display())]
    LongLine {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
    },
    /// The file that says which judgements are current could not be understood.
    #[error(
        "{} does not say which judgements are current; it should hold {{\"judgements\":N}}, N as in \
         pages/judgements-N.jsonl",
        path.display()
    )]
    BadPointer {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A page record could not be written as JSON.
    #[error("could not write the record of {url} as JSON")]
    Unwritable {
        /// The page.
        url: String,
        /// Why.
        source: serde_json::Error,
    },
    /// Part of a WARC file could not be read as a record.
    #[error("{} at byte {offset}: {fault}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The offset in the (compressed) file.
        offset: u64,
        /// What is wrong.
        fault: Fault,
    },
    /// The committed lengths are in a form this version does not know.
    #[error("the committed file lengths are in an unknown form; was this crawl made by a newer version?")]
    UnknownMark,
    /// The archive was begun in another format than it is to go on in.
    #[error(
        "{} is not in the format the crawl is to be archived in ({}); go on with the settings the folder was begun with, or \
         start a new one",
        .path.display(),
        .wanted.name()
    )]
    OtherFormat {
        /// The first file.
        path: PathBuf,
        /// The format of the settings.
        wanted: ArchiveFormat,
    },
    /// The compressor failed, which happens only when memory runs out.
    #[error("could not compress a record of {bytes} bytes")]
    Compression {
        /// Its size.
        bytes: usize,
    },
}

fn holder(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

/// Adds the operation and the path to an I/O error.
pub(crate) trait Context<T> {
    fn context(self, doing: &'static str, path: &Path) -> Result<T>;
}

impl<T> Context<T> for io::Result<T> {
    fn context(self, doing: &'static str, path: &Path) -> Result<T> {
        self.map_err(|source| Error::Io {
            doing,
            path: path.to_owned(),
            source,
        })
    }
}
