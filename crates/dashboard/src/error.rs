//! What can go wrong with the dashboard itself. What goes wrong with one request is an [`crate::api::ApiError`].

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use scenthound::CollectionError;
use thiserror::Error;

/// Why the dashboard could not be started.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DashboardError {
    /// The address could not be listened on.
    #[error("could not listen on {addr}")]
    Listen {
        /// The address.
        addr: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The address can be reached from other machines, and no token was given.
    #[error(
        "{addr} can be reached from other machines, so a token is needed: give one of at least {least} characters, or listen on 127.0.0.1"
    )]
    NeedsToken {
        /// The address.
        addr: SocketAddr,
        /// The least length of a token.
        least: usize,
    },
    /// The token is too short, or cannot be sent in a header.
    #[error("the token must have at least {least} characters, all of them letters, digits or one of - . _ ~")]
    BadToken {
        /// The least length of a token.
        least: usize,
    },
    /// The system had no random numbers for a token.
    #[error("could not make a random token: {0}")]
    Random(String),
    /// The threads could not be started.
    #[error("could not start the threads of the dashboard")]
    Threads(#[source] io::Error),
    /// A folder is neither a crawl nor a folder with reports.
    #[error("{} holds neither a crawl nor reports", .0.display())]
    NothingToShow(PathBuf),
    /// A folder could not be read.
    #[error(transparent)]
    Collection(#[from] CollectionError),
}
