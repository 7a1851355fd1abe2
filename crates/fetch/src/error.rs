//! Why a fetcher could not be created. What the web does is never an error but an outcome.

use std::path::PathBuf;

use thiserror::Error;

/// Why a fetcher could not be created from its settings.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The value contains line breaks or other control characters.
    #[error("{setting} {value:?} cannot be sent as a header; remove line breaks and control characters")]
    Header {
        /// The setting.
        setting: &'static str,
        /// Its value.
        value: String,
    },
    /// The file with extra certificates cannot be read.
    #[error("could not read certificates from {path}")]
    CaFile {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: rustls::pki_types::pem::Error,
    },
    /// The file with extra certificates contains none that can be trusted.
    #[error("no usable certificate in {path}")]
    NoCertificate {
        /// The file.
        path: PathBuf,
    },
    /// The TLS library does not accept the settings.
    #[error("could not set up TLS")]
    Tls(#[from] rustls::Error),
    /// The resolver could not be built.
    #[error("could not set up name resolution")]
    Resolver(#[source] Box<hickory_resolver::net::NetError>),
}
