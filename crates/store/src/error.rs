//! What the store cannot do. What it finds in files written by others is a [`Fault`](crate::Fault), which is data.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::Fault;

/// Short for results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why the store could not do what it was asked.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The disk or the system refused.
    #[error("cannot {doing} {}", path.display())]
    Io {
        /// The verb.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file holds less than was committed: something outside cut it, or the machine lost power.
    #[error(
        "{} holds {found} bytes, but {committed} were committed; it can be repaired with the loss of the last records",
        path.display()
    )]
    Short {
        /// The file.
        path: PathBuf,
        /// Bytes the crawl's state knows of.
        committed: u64,
        /// Bytes there are.
        found: u64,
    },
    /// Cutting back would throw away more than a crash can have left behind.
    #[error(
        "{} holds {bytes} bytes the crawl's state knows nothing of; not cutting them off (was state/ lost?)",
        path.display()
    )]
    TooMuchToCut {
        /// The file or folder.
        path: PathBuf,
        /// Bytes that would be lost.
        bytes: u64,
    },
    /// The path leads to a file.
    #[error("{} is a file, not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// The folder holds something else.
    #[error("{} is not empty and no crawl folder; name a new or empty folder", .0.display())]
    NotACrawlFolder(PathBuf),
    /// There is no crawl to look at.
    #[error("{} holds no crawl", .0.display())]
    NoCrawl(PathBuf),
    /// Another process works in the folder.
    #[error("{} is in use by {}", path.display(), holder(*pid))]
    InUse {
        /// The folder.
        path: PathBuf,
        /// Who, if it wrote its number.
        pid: Option<u32>,
    },
    /// A line of a page file is no page record.
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
    /// A line of a page file is longer than any we write.
    #[error("{}:{line} is longer than a page record can be", path.display())]
    LongLine {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
    },
    /// The file that tells which judgements count is not ours.
    #[error("{} does not tell which judgements count; it should hold {{\"judgements\":N}}, N as in pages/judgements-N.jsonl", path.display())]
    BadPointer {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A page record cannot be written as JSON.
    #[error("cannot write the record of {url} as JSON")]
    Unwritable {
        /// The page.
        url: String,
        /// Why.
        source: serde_json::Error,
    },
    /// A stretch of a WARC file cannot be read as a record.
    #[error("{} at byte {offset}: {fault}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where in the file, compressed as it is.
        offset: u64,
        /// What is wrong.
        fault: Fault,
    },
    /// Committed lengths in a form this version does not know.
    #[error("the committed file lengths are in an unknown form; was this crawl made by a newer version?")]
    UnknownMark,
    /// The compressor gave up, which it does only when memory runs out.
    #[error("cannot compress a record of {bytes} bytes")]
    Compression {
        /// Its size.
        bytes: usize,
    },
}

fn holder(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

/// Adds what was being done to which file.
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
