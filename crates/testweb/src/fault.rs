//! Why a world cannot be made or served.

use std::net::SocketAddr;

use thiserror::Error;

/// Why a world cannot be made or served.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TestwebError {
    /// The server cannot have the address.
    #[error("cannot listen on {address}")]
    Listen {
        /// What was asked for.
        address: SocketAddr,
        /// What went wrong.
        source: std::io::Error,
    },
    /// A world served nowhere.
    #[error("no address to listen on")]
    NoAddress,
    /// A thread could not be started.
    #[error("cannot start a server thread")]
    Thread {
        /// What went wrong.
        source: std::io::Error,
    },
    /// A certificate could not be made.
    #[error("cannot make a certificate for {name}")]
    Certificate {
        /// Whose.
        name: String,
        /// What went wrong.
        source: rcgen::Error,
    },
    /// TLS could not be set up.
    #[error("cannot set up TLS")]
    Tls {
        /// What went wrong.
        source: rustls::Error,
    },
    /// A share is none.
    #[error("{what} = {value}: a share lies between 0 and 1, and all together are at most 1")]
    Share {
        /// Which.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A line of a fixture is not `host/path: words -> links`.
    #[error("fixture line {line}: {what}: {text:?}")]
    Fixture {
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        what: &'static str,
        /// The line, or the part of it that is wrong.
        text: String,
    },
}
