//! Why a synthetic web cannot be made or written.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why a synthetic web cannot be made or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SynthFault {
    /// A setting, or two that do not fit together.
    #[error("{setting} = {value}: {right}")]
    Setting {
        /// Its name as in a settings file.
        setting: &'static str,
        /// What it is.
        value: String,
        /// What would be right.
        right: String,
    },
    /// The settings file is not as it should be.
    #[error("the settings of the web cannot be read: {0}")]
    Toml(#[from] toml::de::Error),
    /// The folder holds something.
    #[error("{} is not empty: name a new folder, nothing is overwritten", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// A file or folder cannot be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// What was written.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// A page cannot be packed as a record.
    #[error("cannot pack {url}")]
    Pack {
        /// The page.
        url: String,
        /// What went wrong.
        source: Box<scenthound_store::Error>,
    },
    /// A page's own address is none.
    #[error("{url} is no address")]
    Url {
        /// The page.
        url: String,
        /// What is wrong with it.
        source: scenthound_types::UrlFault,
    },
}
