//! Why a synthetic web could not be generated or written.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why a synthetic web could not be generated or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SynthFault {
    /// A setting is invalid, or two settings do not fit together.
    #[error("{setting} = {value}: {right}")]
    Setting {
        /// Its name as in a settings file.
        setting: &'static str,
        /// Its value.
        value: String,
        /// What would be right.
        right: String,
    },
    /// The settings file is invalid.
    #[error("the settings of the web could not be read: {0}")]
    Toml(#[from] toml::de::Error),
    /// The folder is not empty.
    #[error("{} is not empty, and nothing is overwritten; name a new folder", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// A file or folder could not be written.
    #[error("could not write {}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// A page could not be packed as a record.
    #[error("could not pack {url} as a WARC record")]
    Pack {
        /// The page.
        url: String,
        /// What went wrong.
        source: Box<scenthound_store::Error>,
    },
    /// A generated URL is invalid.
    #[error("the generated URL {url} is not valid")]
    Url {
        /// The URL.
        url: String,
        /// What is wrong with it.
        source: scenthound_types::UrlFault,
    },
}
