//! Ways that graph files can fail.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::file::VERSION;

/// Why a graph could not be built or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GraphFault {
    /// The operating system reported an error.
    #[error("{}: {source}", path.display())]
    File {
        /// The file, or the folder of an unnamed file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The file is not a graph file.
    #[error("{} is not a link graph; make one with hound graph build", path.display())]
    NotAGraph {
        /// The file.
        path: PathBuf,
    },
    /// Written by another version of the program.
    #[error("{} is a link graph of version {found}, but this program reads version {VERSION}; build it again", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// The file has changed since it was written.
    #[error("{} is damaged ({what}); build it again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: &'static str,
    },
    /// A line of a list is not a link or vertex.
    #[error("{}:{line}: {what}", path.display())]
    Line {
        /// The list.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        /// What is wrong, and what would be right.
        what: String,
    },
    /// A name is longer than any URL we accept.
    #[error("a name of {bytes} bytes is too long for a graph")]
    LongName {
        /// Its length.
        bytes: usize,
    },
    /// A text that names no page.
    #[error("{text:?} is not an absolute URL such as https://example.org/a")]
    NotAUrl {
        /// The text.
        text: String,
    },
    /// More nodes than there are numbers.
    #[error("the graph has more than {} pages or hosts", u32::MAX)]
    TooMany,
}

impl GraphFault {
    /// Whether the files that were named are at fault, rather than the system.
    pub fn is_bad_input(&self) -> bool {
        match self {
            GraphFault::File { source, .. } => source.kind() == io::ErrorKind::NotFound,
            _ => true,
        }
    }

    /// For `map_err`: an I/O error at a path.
    pub(crate) fn file(path: &Path) -> impl Fn(io::Error) -> GraphFault {
        move |source| GraphFault::File {
            path: path.to_owned(),
            source,
        }
    }
}
