//! Why an export could not be written.

use std::io;
use std::path::{Path, PathBuf};

use scenthound::CollectionError;
use scenthound_store::Error as StoreError;
use thiserror::Error;

use crate::Format;

/// Why an export could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExportError {
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
    /// The output could not be written.
    #[error("could not write the export")]
    Output(#[source] io::Error),
    /// A format that needs a file cannot be written to a pipe.
    #[error("{0:?} cannot be written to standard output")]
    NotAStream(Format),
    /// The folder already contains something.
    #[error("{} exists and is not an empty folder", .0.display())]
    NotEmpty(PathBuf),
    /// The collection could not be read.
    #[error(transparent)]
    Collection(#[from] CollectionError),
    /// The archive could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A page could not be written as JSON.
    #[error("could not write a page as JSON")]
    Json(#[from] serde_json::Error),
    /// The Parquet file could not be written.
    #[error("could not write the Parquet file")]
    Parquet(#[from] parquet::errors::ParquetError),
    /// The ZIP file could not be written.
    #[error("could not write the WACZ file")]
    Zip(#[from] zip::result::ZipError),
}

impl ExportError {
    pub(crate) fn io(doing: &'static str, path: &Path, source: io::Error) -> ExportError {
        ExportError::Io {
            doing,
            path: path.to_owned(),
            source,
        }
    }
}
