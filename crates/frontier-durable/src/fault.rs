//! Ways the folder under a frontier can fail.

use std::path::PathBuf;

use scenthound_frontier::FrontierError;
use thiserror::Error;

/// Ways the folder under a frontier can fail. Reported as the source of [`FrontierError::Store`].
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DurableError {
    /// Another process has it open.
    #[error("{} is in use by another process; stop that crawl or wait for it to end", folder.display())]
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
    /// Something else is stored there.
    #[error("{} holds files but no frontier; choose another folder or empty this one", folder.display())]
    Foreign {
        /// The frontier's folder.
        folder: PathBuf,
    },
    /// Another version of scenthound wrote it.
    #[error(
        "{} was written in format {found:?}, but this version reads format {expected:?}; \
         resume it with the version that wrote it, or crawl into a new folder",
        folder.display()
    )]
    Format {
        /// The frontier's folder.
        folder: PathBuf,
        /// The format the folder was written in.
        found: String,
        /// The format we read.
        expected: &'static str,
    },
    /// Its keys were made from a different seed, so no URL would be recognised.
    #[error("{} belongs to a crawl with another seed; resume it with the seed it was started with", folder.display())]
    OtherSeed {
        /// The frontier's folder.
        folder: PathBuf,
    },
    /// It has lost something that it had confirmed.
    #[error(
        "the state in {} is damaged: {what}. The archive and the page records are as they were; to rebuild the state from \
         them, run hound repair {}",
        folder.display(),
        folder.parent().unwrap_or(folder).display()
    )]
    Damaged {
        /// The frontier's folder.
        folder: PathBuf,
        /// What is missing.
        what: String,
    },
    /// It was opened for reading only.
    #[error("{} was opened for reading only, so nothing can be committed", folder.display())]
    ReadOnly {
        /// The frontier's folder.
        folder: PathBuf,
    },
    /// A file or folder could not be read or made.
    #[error("could not use {}", path.display())]
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
