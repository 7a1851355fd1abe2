//! What keeps a fetcher from being made. What the web does is never an error, but an outcome.

use std::path::PathBuf;

use thiserror::Error;

/// Why the settings make no fetcher.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FetchError {
    /// Line breaks or other control characters.
    #[error("{setting} {value:?} cannot be sent as a header")]
    Header {
        /// Which setting.
        setting: &'static str,
        /// What it says.
        value: String,
    },
    /// The file with extra certificates cannot be read.
    #[error("cannot read certificates from {path}")]
    CaFile {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: rustls::pki_types::pem::Error,
    },
    /// The file with extra certificates holds none that can be trusted.
    #[error("no usable certificate in {path}")]
    NoCertificate {
        /// The file.
        path: PathBuf,
    },
    /// The TLS library does not accept the settings.
    #[error("cannot set up TLS")]
    Tls(#[from] rustls::Error),
    /// The resolver could not be built.
    #[error("cannot set up name resolution")]
    Resolver(#[source] Box<hickory_resolver::net::NetError>),
}
