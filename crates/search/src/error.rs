//! Why a collection could not be searched.

use std::io;
use std::path::PathBuf;

use scenthound::CollectionError;
use scenthound_store::Error as StoreError;
use thiserror::Error;

/// Why a collection could not be searched.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SearchError {
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
    /// The collection could not be read.
    #[error(transparent)]
    Collection(#[from] CollectionError),
    /// The archive could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The folder is read-only. Even reading an index locks it.
    #[error("{} cannot be written, and searching needs to; copy the crawl to a folder of your own", path.display())]
    ReadOnly {
        /// The folder of the index.
        path: PathBuf,
    },
    /// The index could not be read or written.
    #[error("the search index in {} could not be used; delete the folder, and the next search builds it again", path.display())]
    Index {
        /// The folder of the index.
        path: PathBuf,
        /// What is wrong.
        source: tantivy::TantivyError,
    },
}
