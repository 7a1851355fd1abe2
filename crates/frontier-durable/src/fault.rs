//! What can go wrong with the folder under a frontier.

use std::path::PathBuf;

use scenthound_frontier::FrontierError;
use thiserror::Error;

/// What can go wrong with the folder under a frontier. Arrives as the source of [`FrontierError::Store`].
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DurableError {
    /// Somebody has it open.
    #[error("{} is in use by another process; stop that crawl or wait for its end", folder.display())]
    Locked {
        /// The frontier's folder.
        folder: PathBuf,
    },
    /// Nothing was ever crawled into it.
    #[error("{} holds no frontier; start the crawl first", folder.display())]
    Missing {
        /// The frontier's folder.
        folder: PathBuf,
    },
    /// Something else lives there.
    #[error("{} holds files but no frontier; name another folder or empty this one", folder.display())]
    Foreign {
        /// The frontier's folder.
        folder: PathBuf,
    },
    /// Another version of scenthound wrote it.
    #[error(
        "{} was written in format {found:?}, this version reads format {expected:?}; \
         resume it with the version that wrote it, or crawl into a new folder",
        folder.display()
    )]
    Format {
        /// The frontier's folder.
        folder: PathBuf,
        /// What the folder says.
        found: String,
        /// What we read.
        expected: &'static str,
    },
    /// The keys in it were made from another seed, so no URL would be recognised.
    #[error("{} belongs to a crawl with another seed; resume it with the seed it was started with", folder.display())]
    OtherSeed {
        /// The frontier's folder.
        folder: PathBuf,
    },
    /// It was opened to look things up.
    #[error("{} was opened for reading only", folder.display())]
    ReadOnly {
        /// The frontier's folder.
        folder: PathBuf,
    },
    /// A file or folder could not be read or made.
    #[error("cannot use {}", path.display())]
    Files {
        /// Which.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The embedded store failed.
    #[error("the store in {} failed", folder.display())]
    Store {
        /// The frontier's folder.
        folder: PathBuf,
        /// Why.
        source: fjall::Error,
    },
}

impl From<DurableError> for FrontierError {
    fn from(fault: DurableError) -> FrontierError {
        FrontierError::Store(Box::new(fault))
    }
}
