//! Ways a Redis cluster can fail us.

use scenthound_frontier::FrontierError;
use thiserror::Error;

/// Ways a Redis cluster can fail us. Reported as the source of [`FrontierError::Store`].
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RedisFault {
    /// It is not an address.
    #[error("{given:?} is not the address of a Redis cluster; write it as redis://HOST:PORT,HOST:PORT")]
    Address {
        /// What was given.
        given: String,
    },
    /// Nobody answers.
    #[error("Redis at {address} cannot be reached; check the address and that the server is running")]
    Unreachable {
        /// The address.
        address: String,
        /// Why not.
        source: redis::RedisError,
    },
    /// The password is wrong or missing.
    #[error(
        "Redis at {address} refused the password; write it in the address, as in redis://USER:PASSWORD@HOST:PORT, with an empty \
         USER for the default one"
    )]
    Password {
        /// The address.
        address: String,
    },
    /// It forgets everything when it stops.
    #[error("Redis at {address} keeps nothing on disk; run it with appendonly yes")]
    NotDurable {
        /// The address.
        address: String,
    },
    /// It forgets whatever it likes when its memory is full.
    #[error(
        "Redis at {address} drops keys when its memory is full (maxmemory-policy {policy}); run it with maxmemory-policy \
         noeviction"
    )]
    Evicts {
        /// The address.
        address: String,
        /// The policy it is set to.
        policy: String,
    },
    /// Another version of scenthound wrote there.
    #[error(
        "Redis at {address} holds a crawl in format {found:?}, but this version reads format {expected:?}"
    )]
    Format {
        /// The address.
        address: String,
        /// The format found.
        found: String,
        /// The format we read.
        expected: &'static str,
    },
    /// It holds another crawl.
    #[error(
        "Redis at {address} holds another crawl ({what}); use another cluster, or remove the keys of that crawl"
    )]
    OtherCrawl {
        /// The address.
        address: String,
        /// How it differs.
        what: String,
    },
    /// Another process has taken the shard over.
    #[error("shard {shard} has been taken over by another node")]
    Fenced {
        /// The shard.
        shard: u16,
    },
    /// The servers have lost commits that they had confirmed, more than we kept.
    #[error("shard {shard} has lost commits: Redis holds {held} of {sent}")]
    Lost {
        /// The shard.
        shard: u16,
        /// Commits it holds.
        held: u64,
        /// Commits it had confirmed.
        sent: u64,
    },
    /// A key holds what it should not.
    #[error("the keys of shard {shard} are damaged: {what}")]
    Damaged {
        /// The shard.
        shard: u16,
        /// What was found.
        what: String,
    },
    /// Redis answered with an error.
    #[error("Redis at {address} failed")]
    Failed {
        /// The address.
        address: String,
        /// Why.
        source: redis::RedisError,
    },
}

impl RedisFault {
    /// Whether the same call may succeed later.
    pub fn is_passing(&self) -> bool {
        match self {
            RedisFault::Unreachable { .. } => true,
            RedisFault::Failed { source, .. } => {
                matches!(
                    source.code(),
                    Some(
                        "CLUSTERDOWN"
                            | "LOADING"
                            | "TRYAGAIN"
                            | "READONLY"
                            | "MASTERDOWN"
                            | "OOM"
                            | "MOVED"
                            | "ASK"
                    )
                ) || source.is_io_error()
                    || source.is_cluster_error()
            }
            _ => false,
        }
    }
}

impl From<RedisFault> for FrontierError {
    fn from(fault: RedisFault) -> FrontierError {
        FrontierError::Store(Box::new(fault))
    }
}
