//! What can be wrong with a destination.

use std::path::PathBuf;

/// Why archives cannot be copied.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UploadError {
    /// Not the address of a place for objects.
    #[error(
        "{address:?} is not a place for archives; write s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or file:///FOLDER"
    )]
    Address {
        /// What was given.
        address: String,
    },
    /// The settings of the storage are wrong or missing.
    #[error("{address} cannot be used: {source}")]
    Storage {
        /// Where.
        address: String,
        /// What is wrong with it.
        source: object_store::Error,
    },
    /// The folder for the copies cannot be created.
    #[error("could not create {}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The thread cannot be started.
    #[error("could not start copying archives: {0}")]
    Thread(std::io::Error),
}
