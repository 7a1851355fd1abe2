//! What can go wrong with graphs in files.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::file::VERSION;

/// Why a graph could not be made or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GraphFault {
    /// The system refused.
    #[error("{}: {source}", path.display())]
    File {
        /// The file, or the folder of a file without a name.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is something else.
    #[error("{} is no link graph; make one with hound graph build", path.display())]
    NotAGraph {
        /// The file.
        path: PathBuf,
    },
    /// Made by another version of the program.
    #[error("{} is a link graph of version {found}, and this program reads version {VERSION}; build it again", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// The file is not as it was written.
    #[error("{} is damaged ({what}); build it again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        what: &'static str,
    },
    /// A line of a list that is no link or no vertex.
    #[error("{}:{line}: {what}", path.display())]
    Line {
        /// The list.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        /// What is wrong, and what would be right.
        what: String,
    },
    /// A name that is longer than any URL we take.
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
    /// More nodes than there are numbers for them.
    #[error("more than {} pages or hosts in one graph", u32::MAX)]
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

    /// For `map_err`: an error of the system at a path.
    pub(crate) fn file(path: &Path) -> impl Fn(io::Error) -> GraphFault {
        move |source| GraphFault::File {
            path: path.to_owned(),
            source,
        }
    }
}
