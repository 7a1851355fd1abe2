//! Why a test site cannot be built or served.

use std::net::SocketAddr;

use thiserror::Error;

/// Why a test site cannot be built or served.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TestwebError {
    /// The server cannot listen on the address.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What went wrong.
        source: std::io::Error,
    },
    /// No address was given.
    #[error("no address to listen on; give at least one")]
    NoAddress,
    /// A thread could not be started.
    #[error("cannot start a server thread")]
    Thread {
        /// What went wrong.
        source: std::io::Error,
    },
    /// A certificate could not be created.
    #[error("cannot create a certificate for {name}")]
    Certificate {
        /// The host.
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
    /// A share is out of range.
    #[error("{what} = {value} is out of range: a share is from 0 to 1, and all shares add up to at most 1")]
    Share {
        /// Which share.
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
